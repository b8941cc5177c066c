"""What a person should know beside the numbers, a line each: the facts of the input that move them, or may be a mistake."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from rankproof.evaluate.column_check import ColumnCheck
from rankproof.evaluate.input_facts import InputFacts, parts, themselves
from rankproof.evaluate.known_exceptions import Mark, Met
from rankproof.evaluate.open_choices import OpenChoice, OtherChoice
from rankproof.evaluate.tie_ends import TieEnds
from rankproof.grouping import grouped
from rankproof.inference.signatures import Signature
from rankproof.measure_names import left_out
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.shown import shortened
from rankproof.text import as_written, number_of, short, told_apart
from rankproof.workers.same_answers import same

NO_COMMON = "no-query-in-common"
"""The kind of which nothing can be right."""
NONE_RELEVANT = "none-relevant"
"""The kind of rels that are all below the threshold."""
NOT_MEASURED = "not-measured"
"""The kind of a measure of which there is no number."""
ID_KINDS = ("ids-alike", "docs-alike")
SHOWN = 3
"""How many ids, or measures, a line names."""
LONGEST_ID = 40
REFUSED, UNMEASURED, SAME_MEAN = "refused", "not measured", "the same mean, of other values by query"
"""What is said in place of the number that another value of an axis would make."""
LOWER = 0.5
"""From which rel on docs may be relevant, if none is from 1 on; what is meant only a person knows."""


@dataclass(frozen=True)
class Caution:
    """One of them.

    Attributes:
        kind: which, for programs: no-query-in-common, missing-queries, extra-queries, ids-alike, docs-alike, parts-of-docs, none-relevant,
            one-relevant, drawn-candidates, query-is-a-doc, unjudged, ties, undetermined, left-out, not-measured, read-profile,
            rather-ranks, known-exception, unexplained, fault (of rankproof itself).
        text: the line.
        count: how many queries, pairs of ids, docs or measures it is about.
        values: the numbers, if it has any: of `unexplained` how many values are not explained, of `known-exception` how many queries meet
            its condition, of `none-relevant` the highest rel, of `one-relevant` the highest value that each measure can have, of
            `unjudged` the share by cutoff, of `ties` the worst and the best mean by measure; of `undetermined` the mean by measure,
            and by measure and what it could be instead, as `AP missing=0`.
    """

    kind: str
    text: str
    count: int
    values: Mapping[str, float | tuple[float, float]]

    def as_json(self) -> dict[str, Any]:
        """The same for programs."""
        return {"kind": self.kind, "text": self.text, "count": self.count, "values": dict(self.values)}


def nothing_is_right(warnings: Sequence[Caution], measures: Sequence[str]) -> str:
    """Why nothing of a run can be right; nothing if something can.

    It has no query in common with the qrels; or no doc is relevant to any of the measures, and none says from which rel on one is.
    """
    texts = {one.kind: one.text for one in warnings}
    if NO_COMMON in texts:
        return "; ".join(texts[kind] for kind in (NO_COMMON, *ID_KINDS) if kind in texts)
    without = sum(one.count for one in warnings if one.kind == NONE_RELEVANT)
    is_said = any("rel=" in measure for measure in measures)
    return texts[NONE_RELEVANT] if without and without == len(measures) and not is_said else ""


def cautions_of_names(names: Sequence[str], lacking: Sequence[str]) -> Iterator[Caution]:
    """What was asked by the name of a set and is not measured: not by us, or not by the profile."""
    not_ours = [one for name in names for one in left_out(name)]
    if not_ours:
        which = " ".join(name for name in names if left_out(name))
        text = f"{which} without {', '.join(not_ours)}: they are trec_eval's, and rankproof does not measure them"
        yield Caution("left-out", text, len(not_ours), {})
    if lacking:
        text = f"without {', '.join(lacking)}: the profile has nothing of them"
        yield Caution("left-out", text, len(lacking), {})


def caution_of_read(whose: str) -> Caution:
    """That a profile was read in a source, and is not proved by answers."""
    return Caution("read-profile", f"what {whose} does was read in a source, and is not proved by a fingerprint", 1, {})


def caution_of_marks(marks: Mapping[str, Mark]) -> tuple[Caution, ...]:
    """Return the warning that a profile does not explain all observed values."""
    if not marks:
        return ()
    told = ", ".join(
        f"{f'{one.unexplained} of {one.asked}' if one.asked else one.unexplained} observed values of {one.library} {name}"
        for name, one in marks.items()
    )
    numbers = "its number may differ" if len(marks) == 1 else "their numbers may differ"
    text = f"{told} are not explained by this profile; {numbers}"
    counts = {name: float(one.unexplained) for name, one in marks.items()}
    return (Caution("unexplained", text, len(marks), counts),)


def _exceptions(by_measure: Mapping[str, Sequence[Met]], queries: int) -> Iterator[Caution]:
    """Yield a warning for each known exception of a library that the data meets, with the measures that it concerns."""
    about = grouped((one, measure) for measure, exceptions in by_measure.items() for one in exceptions)
    for met, measures in about.items():
        having = f"{len(met.queries)} of {number_of(queries, 'query', 'queries')} ({_ids(met.queries)})"
        which = _first(measures, len(measures))
        text = f"{met.name} can give another value for {which} on this data, in {having}: {met.reason}"
        yield Caution("known-exception", text, len(met.queries), dict.fromkeys(measures, float(len(met.queries))))


def caution_of_ranks(count: int, mend: str) -> Caution:
    """That so many numbers were read as the rels of one ranking, and may be ranks."""
    text = f"{count} unlike numbers, none of them 0, were read as the rels of one ranking; if these are the ranks of first hits, {mend}"
    return Caution("rather-ranks", text, count, {})


def caution_of_fault(checked: ColumnCheck) -> Caution:
    """That columns were found to be wrong, so that all was measured by rows."""
    return Caution("fault", checked.text, 1, {})


def cautions_of(facts: InputFacts, tasks: Mapping[str, Signature], lacking: Mapping[str, str]) -> Iterator[Caution]:
    """All that is to be said of one run: what could not be measured, and why; and what the input has."""
    yield from _exceptions(facts.exceptions, facts.judged + len(facts.extra))
    for measure, why in lacking.items():
        yield Caution(NOT_MEASURED, f"{measure} is not measured: {why}", 1, {})
    if facts.judged and facts.extra and not facts.common:
        them = f"as {_ids(facts.missing[:1])}, and the run has others, as {_ids(facts.extra[:1])}"
        yield Caution(NO_COMMON, f"no query in common: the qrels have {facts.judged}, {them}", len(facts.extra), {})
    elif facts.missing:
        what = f"{facts.judged} judged quer{'y is' if facts.judged == 1 else 'ies are'} not in the run"
        text = f"{len(facts.missing)} of {what} ({_ids(facts.missing)}); {_by('missing', tasks)}"
        yield Caution("missing-queries", text, len(facts.missing), {})
    if facts.extra and facts.common:
        of_run = "1 query of the run has" if len(facts.extra) == 1 else f"{len(facts.extra)} queries of the run have"
        text = f"{of_run} no judgments ({_ids(facts.extra)}); {_by('extra', tasks)}"
        yield Caution("extra-queries", text, len(facts.extra), {})
    for kind, what, pairs in zip(ID_KINDS, ("queries", "docs"), (facts.queries, facts.docs), strict=True):
        if pairs:
            yield Caution(kind, _alike(what, pairs), len(pairs), {})
    yield from _of_shape(facts, tasks)
    yield from _none_relevant(facts.highest, tasks)
    if not facts.only_relevant:
        yield from _unjudged(facts.unjudged)
    if facts.ties:
        yield _ties(facts.ties, tasks)
    yield from cautions_of_open(facts.open)


def _by(axis: str, tasks: Mapping[str, Signature]) -> str:
    """What becomes of them."""
    values = dict.fromkeys(getattr(task.measure.conventions(task.conventions), axis) for task in tasks.values())
    return ", ".join(f"{axis}={value}: {AXES[axis].phrase(value)}" for value in values)


def _ids(ids: Sequence[str]) -> str:
    return _first((as_written(shortened(one, LONGEST_ID)) for one in ids), len(ids))


def _first(told: Iterable[str], count: int) -> str:
    """The first of so many, and how many more there are."""
    return ", ".join(islice(told, SHOWN)) + (f" and {count - SHOWN} more" if count > SHOWN else "")


def _alike(what: str, pairs: Sequence[tuple[str, str]]) -> str:
    told = f"{_ids(pairs[0][:1])} of the qrels and {_ids(pairs[0][1:])} of the run"
    more = f", and {len(pairs) - 1} more" if len(pairs) > 1 else ""
    differ = f"{what} that differ only in how they are written: {told}{more}"
    return f"{differ}; ids are compared as text, so these are two"


def _of_shape(facts: InputFacts, tasks: Mapping[str, Signature]) -> Iterator[Caution]:
    """What to know of numbers where the data are laid out in these ways."""
    if found := parts(facts.first):
        (doc, part), n = found[0], len(found)
        seen = f"docs of the run seem to be parts of judged docs, as {_ids([part])} of {_ids([doc])}"
        text = f"{seen}, and ids are compared whole, so that none of them is judged"
        yield Caution("parts-of-docs", f"{text}; give each doc its best part's place", n, {})
    highest = {name: 1 / k for name, task in tasks.items() if (k := _divisor_of_precision(task)) > 1}
    if facts.one_relevant and highest:
        told = ", ".join(f"{name} can be {short(most)}" for name, most in islice(highest.items(), SHOWN))
        text = f"each query has one relevant doc, so that {told} at most; Success says whether it was found"
        yield Caution("one-relevant", text, facts.common, highest)
    if facts.candidates:
        each = f"each query of the run has {facts.candidates:,} docs, not the same for all, and its relevant doc is one of them"
        what = f"if the others were drawn, the numbers are of a choice of {facts.candidates:,}, not of all docs"
        source = "systems can stand in another order by them (Krichene and Rendle, KDD 2020)"
        yield Caution("drawn-candidates", f"{each}: {what}, and {source}", facts.common, {})
    if queries := themselves(facts.first):
        seen = f"queries retrieve a doc of their own id above all others, as {_ids(queries[:1])}, that has no judgment"
        text = f"{seen}: if queries are docs of the collection, leave these rows out, as BEIR does, else all others stand a rank lower"
        yield Caution("query-is-a-doc", text, len(queries), {})


def _divisor_of_precision(task: Signature) -> int:
    """The cutoff of a precision that divides by it and counts no doc twice; of anything else 0."""
    own = task.measure.conventions(task.conventions)
    is_so = task.measure.definition.name == "P" and own.p_denominator == "k" and own.run_duplicates != "both"
    return (task.measure.k or 0) if is_so else 0


def _none_relevant(highest: float, tasks: Mapping[str, Signature]) -> Iterator[Caution]:
    """Where no rel reaches the threshold of a measure that asks which docs are relevant, as with the grades of a model from 0 to 1."""
    by_threshold: dict[float, dict[str, Measure]] = {}
    for name, task in tasks.items():
        if 0 < highest < task.measure.rel and _asks_what_is_relevant(task):
            by_threshold.setdefault(task.measure.rel, {})[name] = task.measure
    for threshold, measures in by_threshold.items():
        which = f"no doc is relevant to {_first(measures, len(measures))}"
        text = f"{which}: the highest rel is {short(highest)}, and relevant is from {threshold:g} on"
        lower = min(LOWER, highest)
        mend = [_with_threshold(one, lower) for one in measures.values() if "rel" in one.definition.params][:1]
        text = "; say from which rel on, as ".join([text, *mend])
        yield Caution(NONE_RELEVANT, text, len(measures), {"highest": highest})


def _asks_what_is_relevant(task: Signature) -> bool:
    measure, own = task.measure, task.measure.conventions(task.conventions)
    read = measure.definition.looks_at(measure.k, measure.definition.arguments(own, measure.arguments))
    return own.relevant == "at-least" and not read.isdisjoint({"relevant", "R", "first hit"})


def _with_threshold(measure: Measure, rel: float) -> str:
    others = tuple(pair for pair in measure.params if pair[0] != "rel")
    return str(replace(measure, params=(("rel", rel), *others)))


def _unjudged(by_cutoff: Mapping[int, tuple[int, int]]) -> Iterator[Caution]:
    shares = {f"@{k}": unjudged / docs for k, (unjudged, docs) in by_cutoff.items() if unjudged}
    if not shares:
        return
    told = ", ".join(f"{short(share)} {k}" for k, share in islice(shares.items(), SHOWN))
    left = len(shares) - SHOWN
    more = f" and at {number_of(left, 'more cutoff')}" if left > 0 else ""
    text = f"the share of docs within the cutoff that have no judgment, and count as not relevant: {told}{more}"
    yield Caution("unjudged", text, max(by_cutoff[int(k[1:])][0] for k in shares), shares)


def _ties(ties: Mapping[str, TieEnds], tasks: Mapping[str, Signature]) -> Caution:
    means = {name: (to_float(one.worst), to_float(one.best)) for name, one in ties.items()}
    known = {name: ends for name, ends in means.items() if not math.isnan(sum(ends)) and ends[0] != ends[1]}
    told = _first((_between(name, *ends) for name, ends in known.items()), len(known))
    unknown = [name for name, one in ties.items() if one.moved is None]
    others = [name for name in ties if name not in known and name not in unknown]
    queries = max(len(one.moved or ()) for one in ties.values())
    of = f"in {number_of(queries, 'query', 'queries')}"
    parts = [f"the order of tied docs alone moves {told}, {of}"] if told else []
    if others:
        what = f"the order of tied docs moves queries of {_first(others, len(others))}"
        parts.append(f"{what}, whose worst and best mean are the same or undefined")
    if unknown:
        parts.append(f"what the order of tied docs can do to {_first(unknown, len(unknown))} was not computed")
    return Caution("ties", f"{'; '.join(parts)}; {_by('ties', {name: tasks[name] for name in ties})}", queries, known)


def _between(name: str, worst: float, best: float) -> str:
    low, high = told_apart(worst, best)
    return f"{name} from {low} (worst) to {high} (best)"


def cautions_of_open(by_measure: Mapping[str, Sequence[OpenChoice]]) -> Iterator[Caution]:
    """An axis that nothing decided and that can move the numbers: what was taken, and what each would be by what else it could be."""
    found: dict[tuple[str, str], dict[str, OpenChoice]] = {}
    for measure, choices in by_measure.items():
        for one in choices:
            found.setdefault((one.axis, one.taken), {})[measure] = one
    for (axis, taken), of in found.items():
        changes = dict.fromkeys(other.changes for one in of.values() for other in one.others)
        told = ", or ".join([f"{change}{_by_it(change, of)}" for change in changes])
        means = _first((f"{measure} is {one.mean:.4f}" for measure, one in of.items()), len(of))
        text = f"{axis} is undetermined and can matter here: taken as {axis}={taken}, {means}; it could be {told}"
        yield Caution("undetermined", text, len(of), dict(_numbers(of)))


def _by_it(change: str, of: Mapping[str, OpenChoice]) -> str:
    """What the measures are by it, of those that it moves."""
    moved = {m: other for m, one in of.items() for other in one.others if other.changes == change}
    told = {m: _otherwise(of[m].mean, other) for m, other in moved.items()}
    if len(set(told.values())) == 1 and (first := next(iter(told.values()))) in {REFUSED, UNMEASURED, SAME_MEAN}:
        return f" ({first})" if len(told) == len(of) else f" ({', '.join([*told][:SHOWN])}: {first})"
    return f" ({_first((f'{measure} {said}' for measure, said in told.items()), len(told))})"


def _otherwise(mean: float, other: OtherChoice) -> str:
    if other.mean is None:
        return REFUSED if other.refused else UNMEASURED
    return SAME_MEAN if same(other.mean, mean, "float64") else told_apart(mean, other.mean)[1]


def _numbers(of: Mapping[str, OpenChoice]) -> Iterator[tuple[str, float]]:
    for measure, one in of.items():
        named = [(measure, one.mean), *((f"{measure} {other.changes}", other.mean) for other in one.others)]
        yield from ((name, mean) for name, mean in named if mean is not None and math.isfinite(mean))
