"""An explanation for programs, as `explain.schema.json` describes it."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from rankproof.cases.json_numbers import number_as_json
from rankproof.explain.attribution import Attribution, Changed
from rankproof.explain.explanation import ChangeEffect, Explanation, ProfileAnswer
from rankproof.explain.library_today import Today
from rankproof.explain.number_search import Explained, ValueMatch
from rankproof.explain.side_by_side import SideBySide
from rankproof.explain.tie_envelope import Envelope
from rankproof.inference.reference_answers import Answers, reading_of
from rankproof.reference_impl.exact import to_float
from rankproof.report.explanation_words import reason_of, sentence, today_in_words

Json = dict[str, Any]


def as_json(told: Explanation) -> Json:
    """All of an explanation."""
    return {
        "run": told.system,
        "measure": str(told.measure),
        "sentence": sentence(told),
        "queries": len(told.queries),
        "profiles": [_saying(saying) for saying in told.sayings],
        "ties": _ties(told.envelope),
        "changes_of_standard": None if told.effects is None else [_effect(effect) for effect in told.effects],
        "data": [{"what": fact.what, "queries": list(fact.queries), "count": fact.count} for fact in told.facts],
        "values": [_value(value) for value in told.values],
        "between": [
            {"values": list(one.texts), "by_the_order_of_tied_docs": one.open, **_why(one.attribution)}
            for one in told.between
        ],
        "side_by_side": None if told.side_by_side is None else _side_by_side(told, told.side_by_side),
        "today": [_today(told, one) for one in told.today],
        "known_exceptions": [
            {"name": met.name, "reason": met.reason, "link": met.link, "queries": list(met.queries)}
            for met in told.exceptions
        ],
        "read_profiles": [
            {
                "name": name,
                "tool": tool.title,
                "read": tool.read,
                "run": tool.run or None,
                "sources": list(tool.sources),
                "note": tool.note,
            }
            for name, tool in told.read.items()
        ],
    }


def _today(told: Explanation, one: Today) -> Json:
    return {
        "name": one.name,
        "profile": one.profile,
        "sentence": today_in_words(told, one),
        "compared": one.compared,
        "departures": [
            {"query": each.query, "by_profile": number_as_json(each.by_profile), "said": number_as_json(each.said)}
            for each in one.departures
        ],
        "unordered": one.unordered,
        "undetermined": dict(one.undetermined),
        "trouble": one.trouble,
        "mean": number_as_json(one.mean),
    }


def _side_by_side(told: Explanation, one: SideBySide) -> Json:
    return {
        "query": one.query,
        "depth": one.depth,
        "profiles": [
            {
                "names": list(saying.names),
                "value": number_as_json(reading_of(saying.answers, one.query)),
                "ranking": ranking,
            }
            for saying, ranking in zip(told.sayings, one.of, strict=True)
        ],
        "docs": [
            {
                "doc": doc.doc,
                "rel": number_as_json(None if doc.rel is None else float(doc.rel)),
                "score": number_as_json(doc.score),
                "tied": doc.tied,
                "ranks": [None if ranks is None else list(ranks) for ranks in doc.ranks],
            }
            for doc in one.docs
        ],
        "left_out": one.left_out,
    }


def _answer(answers: Answers) -> Json:
    mean = reading_of(answers, None)
    return {"mean": number_as_json(mean)} | ({"reason": reason_of(answers)} if mean is None else {})


def _saying(saying: ProfileAnswer) -> Json:
    return {
        "names": list(saying.names),
        "conventions": saying.conventions.spec(),
        **_answer(saying.answers),
        "undetermined": {name: dict(axes) for name, axes in saying.undetermined.items()},
        **_why(saying.attribution),
    }


def _why(why: Attribution | None) -> Json:
    parts = () if why is None else why.parts
    return {
        "changes": {} if why is None else _changes(why.changes),
        "parts": [
            {
                "changes": _changes(part.changes),
                "queries": list(part.queries),
                "adds": None if part.adds is None else _number(part.adds),
            }
            for part in parts
        ],
    }


def _changes(changes: Changed) -> Mapping[str, list[str]]:
    return {axis: list(pair) for axis, pair in changes.items()}


def _number(value: Fraction) -> float | str | None:
    return number_as_json(to_float(value))


def _ties(ties: Envelope) -> Json:
    return {
        "tied": list(ties.tied),
        "across_the_cutoff": list(ties.across),
        "as_float32_only": list(ties.single),
        "moved": None if ties.moved is None else list(ties.moved),
        "means": {end: _answer(answers) for end, answers in ties.ends.items()},
    }


def _effect(effect: ChangeEffect) -> Json:
    return {"axis": effect.axis, "value": effect.value, **_answer(effect.answers), "moved": list(effect.moved)}


def _value(value: Explained) -> Json:
    return {
        "value": value.wanted.text,
        "found": [_found(found) for found in value.found],
        "nearest": [_found(found) for found in value.nearest],
        "tried": value.tried,
        "less_known": value.more,
        "by_chance": None if value.by_chance is None else _number(value.by_chance),
        "defects": [
            {"name": defect.name, "sentence": defect.sentence, "profile": base.names[0]}
            for defect, base in value.defects
        ],
        "defects_tried": list(value.defects_tried),
        "not_tried": list(value.not_tried),
        "uncut": list(value.uncut),
        "not_excluded": list(value.not_excluded),
        "observed": [{"name": name, "exact": exact} for name, exact in value.observed.items()],
    }


def _found(found: ValueMatch) -> Json:
    return {
        "profiles": list(found.base.names),
        "changes": _changes(found.changes),
        "conventions": found.conventions.spec(),
        "mean": _number(found.mean),
        "exact": found.exact,
        "kind": found.kind.name.lower().replace("_", "-"),
        "ends": None if found.ends is None else [_number(found.ends.least), _number(found.ends.greatest)],
    }
