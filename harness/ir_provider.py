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
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

try:
    import ir_measures
except ModuleNotFoundError as error:
    msg = "rankproof.provider needs ir_measures: pip install rankproof[ir_measures]"
    raise ModuleNotFoundError(msg, name=error.name) from error

from rankproof.api import measured as answered
from rankproof.api import signature_under, strictest_of
from rankproof.defined import is_defined, means_of, runtime
from rankproof.inputs import read_qrels, read_run
from rankproof.profiles import profile_named
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.reference_impl.profiles import Profile
from rankproof.result import Result
from rankproof.signature import Signature


class Provider(ir_measures.Provider):
    """The reference under one profile."""

    NAME = "rankproof"

    def __init__(self, profile: str | Conventions | Profile = STANDARD) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.profile = profile_named(profile)

    def with_profile(self, profile: str | Conventions | Profile) -> "Provider":
        """The same under another profile: a name, a spec such as "trec_eval-9 missing=0", `Conventions`, or a `Profile`."""
        return Provider(profile)

    @contextmanager
    def as_default(self) -> Iterator[None]:
        """Within, ir_measures' default pipeline asks this provider first, and others only for what it has not."""
        pipeline = ir_measures.DefaultPipeline
        before = pipeline.providers
        pipeline.providers = [self, *before]
        try:
            yield
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
        return Evaluator(list(measures), _kept(qrels), self.profile)


class Evaluator(ir_measures.Evaluator):
    """The qrels, read once, and the measures, for any number of runs."""

    def __init__(self, measures: list[Any], qrels: Any, profile: Profile) -> None:  # noqa: ANN401 - as above
        self._ours = {m: s for m in measures if not is_defined(m) and (s := _signature(m, profile)) is not None}
        unknown = [str(m) for m in measures if not is_defined(m) and m not in self._ours]
        if unknown:
            text = f"rankproof has no {', '.join(unknown)}"
            raise UnknownMeasure(text)
        defined = [m for m in measures if is_defined(m)]
        self._defined = runtime(defined, qrels) if defined else None
        self._strictest = strictest_of([task.conventions for task in self._ours.values()])
        self._qrels: Mapping[str, Any] = read_qrels(qrels, None, self._strictest).of if self._ours else {}
        super().__init__(list(dict.fromkeys(measures)), set(self._qrels) or getattr(self._defined, "qrel_qids", set()))

    def iter_calc(self, run: Any) -> Iterator[Any]:  # noqa: ANN401 - whatever ir_measures takes
        """The value of every measure and query; which queries those are, the profile says."""
        result, others = self._answers(run)
        yield from self._metrics(result)
        yield from others

    def calc_aggregate(self, run: Any) -> dict[Any, float]:  # noqa: ANN401 - as above
        """The mean of every measure, as the profile takes it."""
        aggregated: dict[Any, float] = self.calc(run).aggregated
        return aggregated

    def calc(self, run: Any) -> Any:  # noqa: ANN401 - as above; ir_measures.CalcResults
        """Both."""
        result, others = self._answers(run)
        means = {measure: result.mean[str(task.measure)] for measure, task in self._ours.items()}
        means |= means_of((measure for measure in self.measures if measure not in means), others)
        in_order = {measure: means[measure] for measure in self.measures}
        return ir_measures.CalcResults(in_order, [*self._metrics(result), *others])

    def _answers(self, run: Any) -> tuple[Result, list[Any]]:  # noqa: ANN401 - as above
        run = _kept(run)
        tasks = {str(task.measure): task for task in self._ours.values()}
        rows = read_run(run, None, self._strictest).of if tasks else {}
        result = answered(Collection(self._qrels, rows), tasks)
        return result, list(self._defined.iter_calc(run)) if self._defined else []

    def _metrics(self, result: Result) -> list[Any]:
        return [
            ir_measures.Metric(query, measure, value)
            for measure, task in self._ours.items()
            for query, value in result.per_query[str(task.measure)].items()
        ]


def _signature(measure: Any, profile: Profile) -> Signature | None:  # noqa: ANN401 - as above
    try:
        return signature_under(profile, measure)
    except UnknownMeasure:
        return None


def _kept(source: Any) -> Any:  # noqa: ANN401 - as above
    """An iterator can be read only once; everything else is left as it is."""
    return list(source) if isinstance(source, Iterator) else source


provider = Provider()

__all__ = ["Evaluator", "Provider", "provider"]
