"""`rankproof.provider`: the reference as an ir_measures provider.

    import rankproof
    from ir_measures import nDCG, P, Judged

    evaluator = rankproof.provider.evaluator([nDCG@10, P(rel=2)@5, Judged@10], qrels)
    evaluator.calc_aggregate(run1), evaluator.calc_aggregate(run2)

ir_measures itself computes measures made by `define` and `define_byquery`, without queries that the profile leaves out.
`with_profile` returns the provider of another profile. Inside `as_default`, ir_measures calls this provider first:

    with rankproof.provider.as_default():
        pt.Experiment(systems, topics, qrels, [nDCG@10])

PyTerrier computes the mean over queries itself, so profiles with another mean (geometric, pooled) have no effect there.
"""

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

try:
    import ir_measures
except ModuleNotFoundError as error:
    msg = "rankproof.provider needs ir_measures: pip install rankproof[ir_measures]"
    raise ModuleNotFoundError(msg, name=error.name) from error

from rankproof.evaluate.inputs import read_qrels, read_run
from rankproof.evaluate.measuring import measure_collection
from rankproof.evaluate.result import Result
from rankproof.evaluate.tasks import is_defined, profile_of, signature_under, strictest_of
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.notation import UnknownMeasure, parse
from rankproof.reference_impl.profiles import EVERY, Profile
from rankproof.reference_impl.unusable import Unusable

Measure: TypeAlias = Any
"""A measure of ir_measures."""
Rows: TypeAlias = Any
"""Qrels or a run in any form that ir_measures reads."""
LEFT_IN, DEFINED = parse("P"), parse("NumRet")
"""Measures whose values show which queries count, and which of these have an undefined count."""


class NotPaired(Unusable):
    """Runs that cannot be compared query by query, because the profile measured them on different queries."""


class Provider(ir_measures.Provider):
    """The reference under one profile."""

    NAME = "rankproof"

    def __init__(self, profile: str | Conventions | Profile = STANDARD) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.profile = profile_of(profile)
        self._measured: list[frozenset[str]] | None = None
        """The queries of each measured run inside `as_default`; None outside."""

    def with_profile(self, profile: str | Conventions | Profile) -> "Provider":
        """Return the provider of another profile: a name, a spec such as "trec_eval-9 missing=0", `Conventions`, or a `Profile`."""
        return Provider(profile)

    @contextmanager
    def as_default(self) -> Iterator[None]:
        """Put this provider first in the default pipeline of ir_measures; others compute only measures that it lacks.

        PyTerrier's Experiment expects a value of every measure for every query. If a profile leaves a query out of
        only some measures, as `norel=dropped` does, the missing value is NaN, with a warning.

        Raises:
            NotPaired: Experiment with `baseline=` compares runs that were measured on different queries.
        """
        pipeline = ir_measures.DefaultPipeline
        before = pipeline.providers
        inside = Provider(self.profile)
        inside._measured = []
        pipeline.providers = [inside, *before]
        try:
            yield
        except KeyError as error:
            queries = {*inside._measured}
            if len(queries) <= 1:
                raise
            only = sorted(frozenset.union(*queries) - frozenset.intersection(*queries))
            named = f"{', '.join(only[:3])}{', …' if only[3:] else ''} not for all of them"
            what = f"the runs were measured on different queries ({named}), so they cannot be compared query by query"
            raise NotPaired(f"{what}. Use the same queries in every run, or missing=0.") from error
        finally:
            pipeline.providers = before

    def supports(self, measure: Measure) -> bool:
        """Return whether the reference has the measure, or `define` made it."""
        measure.validate_params()
        return is_defined(measure) or _signature(measure, self.profile) is not None

    def run_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Return the columns of a run that the measures need."""
        return self._inputs("RUN_INPUTS", list(measures), super().run_inputs(measures))

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Return the columns of the qrels that the measures need."""
        return self._inputs("QREL_INPUTS", list(measures), super().qrel_inputs(measures))

    def _inputs(self, kind: str, measures: list[Any], ours: list[str]) -> list[str]:
        needed = [getattr(measure, kind, ours) if is_defined(measure) else ours for measure in measures]
        return list(dict.fromkeys(column for columns in needed for column in columns))

    def _evaluator(self, measures: Iterable[Measure], qrels: Rows) -> "Evaluator":
        return Evaluator(list(measures), _rereadable(qrels), self.profile, self._measured)


class Evaluator(ir_measures.Evaluator):
    """An evaluator of any number of runs, which reads the qrels once."""

    def __init__(
        self,
        measures: list[Any],
        qrels: Rows,
        profile: Profile,
        measured: list[frozenset[str]] | None = None,
    ) -> None:
        defined = [measure for measure in measures if is_defined(measure)]
        ours = {measure: _signature(measure, profile) for measure in measures if measure not in defined}
        if unknown := [str(measure) for measure, task in ours.items() if task is None]:
            raise UnknownMeasure(f"rankproof does not compute {', '.join(unknown)}")
        self._ours = {measure: task for measure, task in ours.items() if task is not None}
        self._defined = ir_measures.runtime.evaluator(defined, qrels) if defined else None
        # The profile chooses the queries of custom measures only if its conventions hold for all measures.
        self._counted = profile.of.get(EVERY) if defined and all(map(_reads_docs, defined)) else None
        self._measured = measured
        own = [task.conventions for task in self._ours.values()] + ([self._counted] if self._counted else [])
        self._strictest, self._reads = strictest_of(own), bool(own)
        self._qrels: Mapping[str, Any] = read_qrels(qrels, self._strictest).of if self._reads else {}
        super().__init__(list(dict.fromkeys(measures)), set(self._qrels) or getattr(self._defined, "qrel_qids", set()))

    def iter_calc(self, run: Rows) -> Iterator[Any]:
        """Yield the value of each measure for each query that the profile counts."""
        result, others = self._values(run)
        metrics = [*self._metrics(result), *others]
        if self._measured is not None:
            self._measured.append(frozenset(metric.query_id for metric in metrics))
            metrics += self._left_out(metrics)
        yield from metrics

    def calc_aggregate(self, run: Rows) -> dict[Measure, float]:
        """Return the mean of each measure under the profile."""
        results: Any = self.calc(run)
        return dict(results.aggregated)

    def calc(self, run: Rows) -> ir_measures.CalcResults:
        """Return the means and the values of all queries."""
        result, others = self._values(run)
        aggregators = {measure: measure.aggregator() for measure in self.measures if measure not in self._ours}
        for metric in others:
            aggregators[metric.measure].add(metric.value)
        means = {
            measure: aggregators[measure].result()
            if measure in aggregators
            else result.mean[str(self._ours[measure].measure)]
            for measure in self.measures
        }
        return ir_measures.CalcResults(means, [*self._metrics(result), *others])

    def _values(self, run: Rows) -> tuple[Result, list[Any]]:
        run = _rereadable(run)
        tasks = {str(task.measure): task for task in self._ours.values()}
        collection = Collection(self._qrels, read_run(run, self._strictest).of if self._reads else {})
        others = list(self._defined.iter_calc(run)) if self._defined else []
        return measure_collection(collection, tasks), list(self._counting(others, collection))

    def _counting(self, others: list[Any], collection: Collection) -> Iterator[Any]:
        """Yield the values of custom measures for the queries that count; NaN if the value of a query is undefined."""
        if not others or self._counted is None:
            yield from others
            return
        left_in, defined = (collection.answer(measure, self._counted).per_query for measure in (LEFT_IN, DEFINED))
        for metric in others:
            query = str(metric.query_id)
            if query in left_in:
                undefined = query in defined and defined[query] is None
                yield ir_measures.Metric(query, metric.measure, math.nan if undefined else metric.value)

    def _left_out(self, metrics: list[Any]) -> list[Any]:
        """Return NaN for each query and measure without a value, if the query has a value of another measure."""
        there = {(metric.query_id, metric.measure) for metric in metrics}
        queries = dict.fromkeys(metric.query_id for metric in metrics)
        left = [ir_measures.Metric(q, m, math.nan) for q in queries for m in self.measures if (q, m) not in there]
        if left:
            names = ", ".join(sorted({str(metric.measure) for metric in left}))
            what = (
                f"this profile leaves queries such as {left[0].query_id!r} out of {names}, but not out of all measures"
            )
            warnings.warn(f"{what}. Their values and means are NaN here. Measure these separately.", stacklevel=2)
        return left

    def _metrics(self, result: Result) -> list[Any]:
        return [
            ir_measures.Metric(query, measure, value)
            for measure, task in self._ours.items()
            for query, value in result.per_query[str(task.measure)].items()
        ]


def _reads_docs(measure: Measure) -> bool:
    """Return whether a custom measure reads documents of runs and qrels, so that the profile can choose its queries."""
    run, qrels = {*measure.RUN_INPUTS}, {*measure.QREL_INPUTS}
    return {"query_id", "doc_id", "score"} <= run and {"doc_id", "relevance"} <= qrels


def _signature(measure: Measure, profile: Profile) -> Signature | None:
    try:
        return signature_under(profile, measure)
    except UnknownMeasure:
        return None


def _rereadable(source: Rows) -> Rows:
    """Return an iterator as a list, because it can be read only once; return anything else unchanged."""
    return list(source) if isinstance(source, Iterator) else source


provider = Provider()

__all__ = ["Evaluator", "Provider", "provider"]
