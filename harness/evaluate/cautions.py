"""Warnings about a result, one line each: facts of input and measures that affect values or may be a mistake."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Union

from rankproof.evaluate.facts import RowData, TieEffect
from rankproof.evaluate.open_choices import OpenChoice, OtherChoice, open_choices
from rankproof.evaluate.result import Caution
from rankproof.evaluate.tie_ends import STRICT
from rankproof.grouping import grouped
from rankproof.inference.signatures import REFERENCE, Signature
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.shown import shortened
from rankproof.text import as_written, distinct_texts, number_of, short

if TYPE_CHECKING:
    from rankproof.evaluate.fast.column_facts import ColumnData

Data = Union[RowData, "ColumnData"]
"""Qrels and a run with their measured values, as rows or as columns."""
NO_COMMON, NONE_RELEVANT, NOT_MEASURED = "no-query-in-common", "none-relevant", "not-measured"
_ALIKE = "ids-alike"
_MOST_NAMES, _LONGEST = 3, 40
"""The largest number of ids or measures in a line, and of characters of an id."""
_LOWER = 0.5
"""The threshold that a warning proposes if no grade reaches 1."""
_MOST_QUERIES = 5
"""The number of queries that are searched for documents with similar ids."""
_ZEROS = re.compile(r"^0+(?=\d)|\.0+$")


def reason_to_refuse(warnings: Sequence[Caution], measures: Sequence[str]) -> str:
    """Return why no value of a run can be right; "" if some value can be.

    Either they have no query in common, or no document is relevant for any measure and no measure has a threshold.
    """
    texts = {warning.kind: warning.text for warning in warnings}
    if NO_COMMON in texts:
        return "; ".join(texts[kind] for kind in (NO_COMMON, _ALIKE) if kind in texts)
    without = sum(warning.count for warning in warnings if warning.kind == NONE_RELEVANT)
    has_threshold = any("rel=" in measure for measure in measures)
    return texts[NONE_RELEVANT] if without and without == len(measures) and not has_threshold else ""


def cautions_of(data: Data, tasks: Mapping[str, Signature], lacking: Mapping[str, str]) -> Iterator[Caution]:
    """Yield the warnings about one run; `lacking` says why measures have no value."""
    judged, run = data.judged_queries(), data.run_queries()
    of_qrels, of_run = set(judged), set(run)
    common = [query for query in judged if query in of_run]
    missing, extra = ([q for q in side if q not in other] for side, other in ((judged, of_run), (run, of_qrels)))
    yield from _exceptions(data, tasks, len(judged) + len(extra))
    for measure, why in lacking.items():
        yield Caution(NOT_MEASURED, f"{measure} is not measured: {why}")
    if judged and extra and not common:
        text = f"no query in common: the qrels have {_ids(missing[:1])}, the run has {_ids(extra[:1])}"
        yield Caution(NO_COMMON, text, len(extra))
    elif missing:
        text = f"{len(missing)} of {number_of(len(judged), 'judged query', 'judged queries')} missing from the run"
        yield Caution("missing-queries", f"{text} ({_ids(missing)}); {_rule('missing', tasks)}", len(missing))
    if extra and common:
        text = f"{number_of(len(extra), 'query', 'queries')} in the run without judgments"
        yield Caution("extra-queries", f"{text} ({_ids(extra)}); {_rule('extra', tasks)}", len(extra))
    docs = dict.fromkeys(pair for query in common[:_MOST_QUERIES] for pair in similar_ids(*data.docs_of(query)))
    for kind, what, pairs in ((_ALIKE, "query", similar_ids(missing, extra)), ("docs-alike", "document", tuple(docs))):
        if pairs:
            text = f"{what} ids differ only in spelling: {_ids(pairs[0][:1])} in the qrels, {_ids(pairs[0][1:])} in the run"
            more = f", and {len(pairs) - 1} more" if len(pairs) > 1 else ""
            yield Caution(kind, f"{text}{more}; ids are compared as text", len(pairs))
    lowest, highest = data.grades()
    yield from _none_relevant(highest, tasks)
    if lowest < 1:  # qrels that list only relevant documents leave all others unjudged by design
        yield from _unjudged(data, tasks, common)
    ends = {name: data.ends(name, task, common) for name, task in tasks.items() if _is_strict(task)}
    ties = {name: end for name, end in ends.items() if end is not None}
    if ties:
        yield _ties(ties, tasks)
    choices = {
        name: open_choices(task, data.measured, tied=name in ties, most=data.most_again)
        for name, task in tasks.items()
        if task.open
    }
    yield from cautions_of_open(choices)


def similar_ids(ours: Iterable[str], theirs: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of ids, one on each side only, that differ just in case, leading zeros, or a trailing `.0`.

    >>> similar_ids(["Q1", "7", "x"], ["q1", "07", "x"]), similar_ids(["7"], ["7.0"])
    ((('Q1', 'q1'), ('7', '07')), (('7', '7.0'),))
    """
    left, right = dict.fromkeys(ours), dict.fromkeys(theirs)
    plain = {_ZEROS.sub("", name.casefold().strip()): name for name in left if name not in right}
    keys = ((_ZEROS.sub("", name.casefold().strip()), name) for name in right if name not in left) if plain else ()
    return tuple((plain[key], name) for key, name in keys if key in plain)


def _is_strict(task: Signature) -> bool:
    """Return whether a measure depends on the order, and its conventions choose one order of tied documents."""
    own = task.measure.conventions(task.conventions)
    return own.order == "score" and own.ties in STRICT and "order" in _dependencies(task)


def _dependencies(task: Signature) -> frozenset[str]:
    """Return the inputs that a measure depends on under its conventions."""
    measure, own = task.measure, task.measure.conventions(task.conventions)
    return measure.definition.looks_at(measure.k, measure.definition.arguments(own, measure.arguments))


def _rule(axis: str, tasks: Mapping[str, Signature]) -> str:
    """Return the used conventions of an axis, as in `used here: queries without judgments scored 0 (extra=0)`."""
    values = dict.fromkeys(getattr(task.measure.conventions(task.conventions), axis) for task in tasks.values())
    return "used here: " + ", ".join(f"{AXES[axis].phrase(value)} ({axis}={value})" for value in values)


def _ids(ids: Sequence[str]) -> str:
    return _first((as_written(shortened(name, _LONGEST)) for name in ids), len(ids))


def _first(texts: Iterable[str], count: int) -> str:
    return ", ".join(islice(texts, _MOST_NAMES)) + (f" and {count - _MOST_NAMES} more" if count > _MOST_NAMES else "")


def _exceptions(data: Data, tasks: Mapping[str, Signature], queries: int) -> Iterator[Caution]:
    if all(task.by == REFERENCE and task.conventions == STANDARD for task in tasks.values()):
        return
    from rankproof.evaluate.known_exceptions import exceptions_of

    by_measure = exceptions_of(tasks, data.by_query)
    about = grouped((met, measure) for measure, exceptions in by_measure.items() for met in exceptions)
    for met, measures in about.items():
        where = f"{len(met.queries)} of {number_of(queries, 'query', 'queries')} ({_ids(met.queries)})"
        which = _first(measures, len(measures))
        text = f"{met.name} can give another value for {which} on this data, in {where}: {met.reason}"
        yield Caution("known-exception", text, len(met.queries), dict.fromkeys(measures, float(len(met.queries))))


def _none_relevant(highest: float, tasks: Mapping[str, Signature]) -> Iterator[Caution]:
    """Yield a warning if no grade reaches the threshold of a measure, as with predicted grades between 0 and 1."""
    by_threshold: dict[float, dict[str, Measure]] = {}
    for name, task in tasks.items():
        if 0 < highest < task.measure.rel and _depends_on_relevance(task):
            by_threshold.setdefault(task.measure.rel, {})[name] = task.measure
    for threshold, measures in by_threshold.items():
        text = f"no document is relevant for {_first(measures, len(measures))}"
        text = f"{text}: the highest grade is {short(highest)}, the threshold {threshold:g}"
        lower = min(_LOWER, highest)
        remedy = [_with_threshold(m, lower) for m in measures.values() if "rel" in m.definition.params][:1]
        yield Caution(
            NONE_RELEVANT, ". Choose a threshold, such as ".join([text, *remedy]), len(measures), {"highest": highest}
        )


def _depends_on_relevance(task: Signature) -> bool:
    own = task.measure.conventions(task.conventions)
    return own.relevant == "at-least" and not _dependencies(task).isdisjoint({"relevant", "R", "first hit"})


def _with_threshold(measure: Measure, rel: float) -> str:
    others = tuple(pair for pair in measure.params if pair[0] != "rel")
    return str(replace(measure, params=(("rel", rel), *others)))


def _unjudged(data: Data, tasks: Mapping[str, Signature], common: Sequence[str]) -> Iterator[Caution]:
    """Yield a warning about the unjudged documents within each cutoff that a measure counts as not relevant."""
    first: dict[int, Signature] = {}
    for task in tasks.values():
        if task.measure.k is not None and task.measure.conventions(task.conventions).unjudged == "non-relevant":
            first.setdefault(task.measure.k, task)
    counts = {k: data.unjudged(k, task, common) for k, task in sorted(first.items())}
    shares = {f"@{k}": unjudged / docs for k, (unjudged, docs) in counts.items() if unjudged}
    if shares:
        listed = _first((f"{share:.4g} {k}" for k, share in shares.items()), len(shares))
        text = f"share of retrieved documents without judgments, which count as not relevant: {listed}"
        yield Caution("unjudged", text, max(unjudged for unjudged, _ in counts.values()), shares)


def _ties(ties: Mapping[str, TieEffect], tasks: Mapping[str, Signature]) -> Caution:
    means = {name: (effect.worst, effect.best) for name, effect in ties.items()}
    known = {name: ends for name, ends in means.items() if not math.isnan(sum(ends)) and ends[0] != ends[1]}
    ranges = (f"{name} from {low} to {high}" for name, ends in known.items() for low, high in [distinct_texts(*ends)])
    queries = max(effect.queries or 0 for effect in ties.values())
    parts = []
    if known:
        what = f"the order of tied documents can change the mean: {_first(ranges, len(known))}"
        parts.append(f"{what}, in {number_of(queries, 'query', 'queries')}")
    if unknown := [name for name, effect in ties.items() if effect.queries is None]:
        parts.append(f"the effect of the order of tied documents on {_first(unknown, len(unknown))} was not computed")
    if others := [name for name in ties if name not in known and name not in unknown]:
        what = f"the order of tied documents changes single queries of {_first(others, len(others))}"
        parts.append(f"{what}, whose worst and best mean are equal or undefined")
    return Caution("ties", f"{'; '.join(parts)}; {_rule('ties', {name: tasks[name] for name in ties})}", queries, known)


def cautions_of_open(by_measure: Mapping[str, Sequence[OpenChoice]]) -> Iterator[Caution]:
    """Yield a warning for each undetermined axis that can change a value, with the values of the other choices."""
    by_axis: dict[tuple[str, str], dict[str, OpenChoice]] = {}
    for measure, choices in by_measure.items():
        for choice in choices:
            by_axis.setdefault((choice.axis, choice.taken), {})[measure] = choice
    for (axis, taken), of in by_axis.items():
        changes = dict.fromkeys(other.changes for choice in of.values() for other in choice.others)
        others = ", or ".join(f"{change} ({_effect(change, of)})" for change in changes)
        means = _first((f"{measure} is {choice.mean:.4f}" for measure, choice in of.items()), len(of))
        text = f"{axis} is undetermined and can change values: {axis}={taken} is used ({means}); it could be {others}"
        named = [
            (name, mean)
            for measure, choice in of.items()
            for name, mean in (
                (measure, choice.mean),
                *((f"{measure} {other.changes}", other.mean) for other in choice.others),
            )
        ]
        yield Caution(
            "undetermined", text, len(of), {n: mean for n, mean in named if mean is not None and math.isfinite(mean)}
        )


def _effect(change: str, of: Mapping[str, OpenChoice]) -> str:
    """Return the means of the measures under another choice."""
    texts = {
        m: _other_mean(own.mean, other) for m, own in of.items() for other in own.others if other.changes == change
    }
    if len({*texts.values()}) == 1 and len(texts) == len(of) and not next(iter(texts.values()))[0].isdigit():
        return next(iter(texts.values()))
    return _first((f"{measure} {text}" for measure, text in texts.items()), len(texts))


def _other_mean(mean: float, other: OtherChoice) -> str:
    if other.mean is None:
        return "refused" if other.refused else "not measured"
    from rankproof.workers.same_answers import same

    return "same mean, queries differ" if same(other.mean, mean, "float64") else distinct_texts(mean, other.mean)[1]
