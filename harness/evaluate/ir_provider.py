"""`rankproof.provider`: the reference as a provider of ir_measures.

    import rankproof
    from ir_measures import nDCG, P, Judged

    evaluator = rankproof.provider.evaluator([nDCG@10, P(rel=2)@5, Judged@10], qrels)
    evaluator.calc_aggregate(run1), evaluator.calc_aggregate(run2)

Measures made by ir_measures' `define` and `define_byquery` stand beside ours; ir_measures itself runs those.
`with_profile` gives the provider of another profile. Inside `as_default`, all of ir_measures asks this one, and so does
what calls ir_measures (PyTerrier's Experiment):

    with rankproof.provider.as_default():
        pt.Experiment(systems, topics, qrels, [nDCG@10])

Which queries count is the profile's to say, of custom measures, too: one that it leaves out has no value of either. PyTerrier
takes the plain mean of the values of each query by itself, so profiles of another mean (geometric, pooled) tell it nothing.
"""

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

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

LEFT_IN, DEFINED = parse("P"), parse("NumRet")
"""Measures that tell which queries the conventions leave in at all, and where even a count is undefined."""


class NotPaired(Unusable):
    """Runs are compared query by query, and the profile measured them on different queries."""


class Provider(ir_measures.Provider):
    """The reference under one profile."""

    NAME = "rankproof"

    def __init__(self, profile: str | Conventions | Profile = STANDARD) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.profile = profile_of(profile)
        self._measured: list[frozenset[str]] | None = None
        """Inside `as_default`, the queries that each run was measured on."""

    def with_profile(self, profile: str | Conventions | Profile) -> "Provider":
        """The same under another profile: a name, a spec such as "trec_eval-9 missing=0", `Conventions`, or a `Profile`."""
        return Provider(profile)

    @contextmanager
    def as_default(self) -> Iterator[None]:
        """Within, ir_measures' default pipeline asks this provider first, and others only for what it has not.

        Whoever asks a pipeline (PyTerrier's Experiment) expects a value of every measure for every query. Where a profile leaves a
        query out of one measure and not of another, as `norel=dropped` does, the value is NaN, with a warning.

        Raises:
            NotPaired: the runs had been measured on different queries when a value was looked up that is not there, as
                Experiment does with `baseline=`.
        """
        pipeline = ir_measures.DefaultPipeline
        before = pipeline.providers
        inside = Provider(self.profile)
        inside._measured = []
        pipeline.providers = [inside, *before]
        try:
            yield
        except KeyError as error:
            if len(set(inside._measured)) > 1:
                raise NotPaired(_not_paired(inside._measured)) from error
            raise
        finally:
            pipeline.providers = before

    def supports(self, measure: Any) -> bool:  # noqa: ANN401 - an ir_measures.Measure
        """Whether the measure is one of the reference's, or was made by `define`."""
        measure.validate_params()
        return is_defined(measure) or _signature(measure, self.profile) is not None

    def run_inputs(self, measures: Iterable[Any]) -> list[str]:
        """The columns of a run that the measures need."""
        return self._inputs("RUN_INPUTS", list(measures), super().run_inputs(measures))

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """The columns of the qrels that the measures need."""
        return self._inputs("QREL_INPUTS", list(measures), super().qrel_inputs(measures))

    def _inputs(self, kind: str, measures: list[Any], ours: list[str]) -> list[str]:
        needed = [getattr(measure, kind, ours) if is_defined(measure) else ours for measure in measures]
        return list(dict.fromkeys(column for columns in needed for column in columns))

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> "Evaluator":  # noqa: ANN401 - whatever ir_measures takes
        return Evaluator(list(measures), _kept(qrels), self.profile, self._measured)


class Evaluator(ir_measures.Evaluator):
    """The qrels, read once, and the measures, for any number of runs."""

    def __init__(
        self,
        measures: list[Any],
        qrels: Any,  # noqa: ANN401 - as above
        profile: Profile,
        measured: list[frozenset[str]] | None = None,
    ) -> None:
        self._ours = {m: s for m in measures if not is_defined(m) and (s := _signature(m, profile)) is not None}
        unknown = [str(m) for m in measures if not is_defined(m) and m not in self._ours]
        if unknown:
            raise UnknownMeasure(f"rankproof has no {', '.join(unknown)}")
        defined = [m for m in measures if is_defined(m)]
        self._defined = ir_measures.runtime.evaluator(defined, qrels) if defined else None
        # Which queries a custom measure counts is said by what holds for every measure that has no conventions of its own.
        self._counted = profile.of.get(EVERY) if defined and all(_reads_docs(m) for m in defined) else None
        self._measured = measured
        asked = [task.conventions for task in self._ours.values()] + ([self._counted] if self._counted else [])
        self._strictest, self._reads = strictest_of(asked), bool(asked)
        self._qrels: Mapping[str, Any] = read_qrels(qrels, self._strictest).of if self._reads else {}
        super().__init__(list(dict.fromkeys(measures)), set(self._qrels) or getattr(self._defined, "qrel_qids", set()))

    def iter_calc(self, run: Any) -> Iterator[Any]:  # noqa: ANN401 - whatever ir_measures takes
        """The value of every measure and query; which queries those are, the profile says."""
        result, others = self._answers(run)
        metrics = [*self._metrics(result), *others]
        if self._measured is not None:
            self._measured.append(frozenset(metric.query_id for metric in metrics))
            metrics += self._left_out(metrics)
        yield from metrics

    def calc_aggregate(self, run: Any) -> dict[Any, float]:  # noqa: ANN401 - as above
        """The mean of every measure, as the profile takes it."""
        aggregated: dict[Any, float] = self.calc(run).aggregated
        return aggregated

    def calc(self, run: Any) -> Any:  # noqa: ANN401 - as above; ir_measures.CalcResults
        """Both."""
        result, others = self._answers(run)
        means = {measure: result.mean[str(task.measure)] for measure, task in self._ours.items()}
        means |= _means_of((measure for measure in self.measures if measure not in means), others)
        in_order = {measure: means[measure] for measure in self.measures}
        return ir_measures.CalcResults(in_order, [*self._metrics(result), *others])

    def _answers(self, run: Any) -> tuple[Result, list[Any]]:  # noqa: ANN401 - as above
        run = _kept(run)
        tasks = {str(task.measure): task for task in self._ours.values()}
        collection = Collection(self._qrels, read_run(run, self._strictest).of if self._reads else {})
        others = list(self._defined.iter_calc(run)) if self._defined else []
        return measure_collection(collection, tasks), list(self._counting(others, collection))

    def _counting(self, others: list[Any], collection: Collection) -> Iterator[Any]:
        """The values of custom measures, of the queries that count; NaN where what a query is worth is undefined."""
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
        """NaN for each query and measure that has no value, where the query has one of another measure."""
        there = {(metric.query_id, metric.measure) for metric in metrics}
        queries = dict.fromkeys(metric.query_id for metric in metrics)
        left = [ir_measures.Metric(q, m, math.nan) for q in queries for m in self.measures if (q, m) not in there]
        if left:
            names = ", ".join(sorted({str(metric.measure) for metric in left}))
            warnings.warn(
                f"this profile leaves some queries out of {names} (query {left[0].query_id!r} is one) and not out of all that is "
                "asked; their values are NaN here, and so is a mean taken of them: ask for these measures apart",
                stacklevel=2,
            )
        return left

    def _metrics(self, result: Result) -> list[Any]:
        return [
            ir_measures.Metric(query, measure, value)
            for measure, task in self._ours.items()
            for query, value in result.per_query[str(task.measure)].items()
        ]


def _reads_docs(measure: Any) -> bool:  # noqa: ANN401 - an ir_measures.Measure
    """Whether a custom measure takes runs and qrels of docs, so that there is something to judge which queries count by."""
    run, qrels = {*measure.RUN_INPUTS}, {*measure.QREL_INPUTS}
    return {"query_id", "doc_id", "score"} <= run and {"doc_id", "relevance"} <= qrels


def _not_paired(measured: list[frozenset[str]]) -> str:
    only = sorted(frozenset.union(*measured) - frozenset.intersection(*measured))
    return (
        f"by this profile the runs were measured on different queries ({', '.join(only[:3])}{', …' if only[3:] else ''} not for all "
        "of them), so they cannot be compared query by query: give every run the same queries, or take missing=0"
    )


def _signature(measure: Any, profile: Profile) -> Signature | None:  # noqa: ANN401 - as above
    try:
        return signature_under(profile, measure)
    except UnknownMeasure:
        return None


def _kept(source: Any) -> Any:  # noqa: ANN401 - as above
    """An iterator can be read only once; everything else is left as it is."""
    return list(source) if isinstance(source, Iterator) else source


def _means_of(measures: Iterable[Any], metrics: Iterable[Any]) -> dict[Any, float]:
    """Return the mean of each measure, as ir_measures aggregates it."""
    aggregators = {measure: measure.aggregator() for measure in measures}
    for metric in metrics:
        aggregators[metric.measure].add(metric.value)
    return {measure: aggregator.result() for measure, aggregator in aggregators.items()}


provider = Provider()

__all__ = ["Evaluator", "Provider", "provider"]
