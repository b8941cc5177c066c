"""Warnings about a result: facts of the input and of the measures that affect values, or may be a mistake; one line each."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from rankproof.evaluate.facts import InputFacts, TieEffect
from rankproof.evaluate.open_choices import OpenChoice, OtherChoice
from rankproof.evaluate.result import Caution, Met
from rankproof.grouping import grouped
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.shown import shortened
from rankproof.text import as_written, number_of, short, told_apart
from rankproof.workers.same_answers import same

NO_COMMON, NONE_RELEVANT, NOT_MEASURED = "no-query-in-common", "none-relevant", "not-measured"
_ALIKE = "ids-alike"
_SHOWN, _LONGEST = 3, 40
"""The number of ids or measures that a line names, and of characters of an id."""
_LOWER = 0.5
"""The threshold that is proposed if no grade reaches 1."""


def nothing_is_right(warnings: Sequence[Caution], measures: Sequence[str]) -> str:
    """Return why no value of a run can be right; "" if one can.

    The run has no query in common with the qrels; or no document is relevant to any measure, and none has a threshold.
    """
    texts = {one.kind: one.text for one in warnings}
    if NO_COMMON in texts:
        return "; ".join(texts[kind] for kind in (NO_COMMON, _ALIKE) if kind in texts)
    without = sum(one.count for one in warnings if one.kind == NONE_RELEVANT)
    has_threshold = any("rel=" in measure for measure in measures)
    return texts[NONE_RELEVANT] if without and without == len(measures) and not has_threshold else ""


def cautions_of(facts: InputFacts, tasks: Mapping[str, Signature], lacking: Mapping[str, str]) -> Iterator[Caution]:
    """Yield the warnings about one run; `lacking` says why measures have no value."""
    yield from _exceptions(facts.exceptions, facts.judged + len(facts.extra))
    for measure, why in lacking.items():
        yield Caution(NOT_MEASURED, f"{measure} is not measured: {why}")
    common = facts.judged - len(facts.missing)
    if facts.judged and facts.extra and not common:
        ours, theirs = _ids(facts.missing[:1]), _ids(facts.extra[:1])
        text = f"no query in common: the qrels have {ours}, and the run has {theirs}"
        yield Caution(NO_COMMON, text, len(facts.extra))
    elif facts.missing:
        text = (
            f"{len(facts.missing)} of {number_of(facts.judged, 'judged query', 'judged queries')} missing from the run"
        )
        yield Caution("missing-queries", f"{text} ({_ids(facts.missing)}); {_by('missing', tasks)}", len(facts.missing))
    if facts.extra and common:
        text = f"{number_of(len(facts.extra), 'query', 'queries')} of the run without judgments"
        yield Caution("extra-queries", f"{text} ({_ids(facts.extra)}); {_by('extra', tasks)}", len(facts.extra))
    for kind, what, pairs in ((_ALIKE, "queries", facts.queries), ("docs-alike", "docs", facts.docs)):
        if pairs:
            text = f"{what} that differ only in spelling: {_ids(pairs[0][:1])} in the qrels and {_ids(pairs[0][1:])} in the run"
            more = f", and {len(pairs) - 1} more" if len(pairs) > 1 else ""
            yield Caution(kind, f"{text}{more}; ids are compared as text", len(pairs))
    yield from _none_relevant(facts.highest, tasks)
    if facts.lowest < 1:  # qrels with relevant documents alone leave all others unjudged by design
        yield from _unjudged(facts.unjudged)
    if facts.ties:
        yield _ties(facts.ties, tasks)
    yield from cautions_of_open(facts.open)


def _by(axis: str, tasks: Mapping[str, Signature]) -> str:
    """Return what the conventions do with such queries."""
    values = dict.fromkeys(getattr(task.measure.conventions(task.conventions), axis) for task in tasks.values())
    return ", ".join(f"{axis}={value}: {AXES[axis].phrase(value)}" for value in values)


def _ids(ids: Sequence[str]) -> str:
    return _first((as_written(shortened(one, _LONGEST)) for one in ids), len(ids))


def _first(texts: Iterable[str], count: int) -> str:
    return ", ".join(islice(texts, _SHOWN)) + (f" and {count - _SHOWN} more" if count > _SHOWN else "")


def _exceptions(by_measure: Mapping[str, Sequence[Met]], queries: int) -> Iterator[Caution]:
    about = grouped((one, measure) for measure, exceptions in by_measure.items() for one in exceptions)
    for met, measures in about.items():
        where = f"{len(met.queries)} of {number_of(queries, 'query', 'queries')} ({_ids(met.queries)})"
        which = _first(measures, len(measures))
        text = f"{met.name} can give another value for {which} on this data, in {where}: {met.reason}"
        yield Caution("known-exception", text, len(met.queries), dict.fromkeys(measures, float(len(met.queries))))


def _none_relevant(highest: float, tasks: Mapping[str, Signature]) -> Iterator[Caution]:
    """Warn if no grade reaches the threshold of a measure, as with grades from 0 to 1 that a model predicts."""
    by_threshold: dict[float, dict[str, Measure]] = {}
    for name, task in tasks.items():
        if 0 < highest < task.measure.rel and _depends_on_relevance(task):
            by_threshold.setdefault(task.measure.rel, {})[name] = task.measure
    for threshold, measures in by_threshold.items():
        text = f"no document is relevant to {_first(measures, len(measures))}"
        text = f"{text}: the highest grade is {short(highest)}, the threshold {threshold:g}"
        lower = min(_LOWER, highest)
        remedy = [_with_threshold(one, lower) for one in measures.values() if "rel" in one.definition.params][:1]
        yield Caution(
            NONE_RELEVANT, "; choose a threshold, as ".join([text, *remedy]), len(measures), {"highest": highest}
        )


def _depends_on_relevance(task: Signature) -> bool:
    measure, own = task.measure, task.measure.conventions(task.conventions)
    read = measure.definition.looks_at(measure.k, measure.definition.arguments(own, measure.arguments))
    return own.relevant == "at-least" and not read.isdisjoint({"relevant", "R", "first hit"})


def _with_threshold(measure: Measure, rel: float) -> str:
    others = tuple(pair for pair in measure.params if pair[0] != "rel")
    return str(replace(measure, params=(("rel", rel), *others)))


def _unjudged(by_cutoff: Mapping[int, tuple[int, int]]) -> Iterator[Caution]:
    shares = {f"@{k}": unjudged / docs for k, (unjudged, docs) in by_cutoff.items() if unjudged}
    if shares:
        listed = _first((f"{share:.4g} {k}" for k, share in shares.items()), len(shares))
        text = f"the share of retrieved documents without judgments, which count as not relevant: {listed}"
        yield Caution("unjudged", text, max(by_cutoff[int(k[1:])][0] for k in shares), shares)


def _ties(ties: Mapping[str, TieEffect], tasks: Mapping[str, Signature]) -> Caution:
    means = {name: (one.worst, one.best) for name, one in ties.items()}
    known = {name: ends for name, ends in means.items() if not math.isnan(sum(ends)) and ends[0] != ends[1]}
    ranges = (f"{name} from {low} to {high}" for name, ends in known.items() for low, high in [told_apart(*ends)])
    queries = max(one.queries or 0 for one in ties.values())
    parts = []
    if known:
        what = f"the order of tied documents alone changes {_first(ranges, len(known))}"
        parts.append(f"{what}, in {number_of(queries, 'query', 'queries')}")
    if unknown := [name for name, one in ties.items() if one.queries is None]:
        parts.append(f"the effect of the order of tied documents on {_first(unknown, len(unknown))} was not computed")
    if others := [name for name in ties if name not in known and name not in unknown]:
        what = f"the order of tied documents changes queries of {_first(others, len(others))}"
        parts.append(f"{what}, whose worst and best mean are equal or undefined")
    return Caution("ties", f"{'; '.join(parts)}; {_by('ties', {name: tasks[name] for name in ties})}", queries, known)


def cautions_of_open(by_measure: Mapping[str, Sequence[OpenChoice]]) -> Iterator[Caution]:
    """Yield a warning for each undetermined axis that can change a value: what was taken, and the values by other choices."""
    found: dict[tuple[str, str], dict[str, OpenChoice]] = {}
    for measure, choices in by_measure.items():
        for one in choices:
            found.setdefault((one.axis, one.taken), {})[measure] = one
    for (axis, taken), of in found.items():
        changes = dict.fromkeys(other.changes for one in of.values() for other in one.others)
        others = ", or ".join(f"{change} ({_effect(change, of)})" for change in changes)
        means = _first((f"{measure} is {one.mean:.4f}" for measure, one in of.items()), len(of))
        text = f"{axis} is undetermined and can change values: {axis}={taken} was taken, {means}; it could be {others}"
        named = [
            (name, mean)
            for measure, one in of.items()
            for name, mean in (
                (measure, one.mean),
                *((f"{measure} {other.changes}", other.mean) for other in one.others),
            )
        ]
        yield Caution(
            "undetermined", text, len(of), {n: mean for n, mean in named if mean is not None and math.isfinite(mean)}
        )


def _effect(change: str, of: Mapping[str, OpenChoice]) -> str:
    """Return the values of the measures by another choice."""
    texts = {
        m: _other_mean(one.mean, other) for m, one in of.items() for other in one.others if other.changes == change
    }
    if len({*texts.values()}) == 1 and len(texts) == len(of) and not next(iter(texts.values()))[0].isdigit():
        return next(iter(texts.values()))
    return _first((f"{measure} {text}" for measure, text in texts.items()), len(texts))


def _other_mean(mean: float, other: OtherChoice) -> str:
    if other.mean is None:
        return "refused" if other.refused else "not measured"
    return "the same mean, other queries" if same(other.mean, mean, "float64") else told_apart(mean, other.mean)[1]
