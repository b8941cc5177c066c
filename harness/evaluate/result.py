"""Results of `rankproof.evaluate`: the values of one or several runs by measure."""

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from itertools import pairwise
from types import ModuleType
from typing import Any, TypeAlias

from rankproof.display import Display
from rankproof.measure_names import called
from rankproof.reference_impl.evaluation import Answer
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import UnknownMeasure

Frame: TypeAlias = Any
"""A `pandas.DataFrame`; pandas is an extra."""


class ByMeasure(dict[str, Any]):
    """Values by measure, also found by other spellings (`MAP` for `AP`, `ndcg@10`, ir_measures objects)."""

    def __missing__(self, key: object) -> object:
        wanted = canonical(key)
        for name in self:
            if canonical(name) == wanted:
                return self[name]
        raise KeyError(key)


def canonical(key: object) -> str:
    """Return a measure in standard notation; return names with other conventions, and any other text, unchanged."""
    try:
        measures = called(str(key))
    except UnknownMeasure:
        return str(key)
    if len(measures) != 1:
        return str(key)
    return measures[0].name if measures[0].changes else str(measures[0].measure)


@dataclass(frozen=True, slots=True)
class FloatValues:
    """The value of each query, and the mean, as floats."""

    per_query: Mapping[str, float]
    mean: float

    @classmethod
    def of(cls, answer: Answer) -> "FloatValues":
        """Return the floats nearest to exact values."""
        return cls({query: to_float(value) for query, value in answer.per_query.items()}, to_float(answer.mean))

    def is_as(self, other: "FloatValues") -> bool:
        """Return whether all values are equal to those of another result."""
        from rankproof.workers.same_answers import same

        if self.per_query.keys() != other.per_query.keys() or not same(self.mean, other.mean, "float64"):
            return False
        return all(same(value, other.per_query[query], "float64") for query, value in self.per_query.items())


@dataclass(frozen=True)
class ColumnCheck:
    """The check of a run that was measured by columns.

    Attributes:
        queries: the queries that the exact path read and measured again.
        difference: the difference between the two paths, if any; if so, the exact path measured everything.
    """

    queries: tuple[str, ...]
    difference: str = ""


@dataclass(frozen=True)
class Met:
    """A known exception of a library whose condition the data meets.

    Attributes:
        name: the library.
        reason: why the library may give another value.
        link: the address of the documentation.
        queries: the queries that meet the condition.
    """

    name: str
    reason: str
    link: str
    queries: tuple[str, ...]


@dataclass(frozen=True)
class Caution:
    """A warning.

    Attributes:
        kind: no-query-in-common, missing-queries, extra-queries, ids-alike, docs-alike, none-relevant, unjudged, ties, undetermined,
            left-out, not-measured, read-profile, known-exception, unexplained, or fault (of rankproof itself).
        text: the line.
        count: the number of affected queries, pairs of ids, documents or measures.
        values: the numbers in the warning, such as shares by cutoff, or worst and best means by measure.
    """

    kind: str
    text: str
    count: int = 1
    values: Mapping[str, float | tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Result(Display):
    """The values of a run as floats; undefined values are NaN.

    Attributes:
        per_query: measure -> query -> value, queries in the order of the qrels; two labelings have no queries.
        mean: measure -> the mean by the conventions (the sum of counts, the value of two labelings).
        signature: measure -> the signature of the computed value.
        taken: measure -> axis -> the value that was used for an axis that the signature or fingerprint leaves open.
        warnings: facts that affect the values or may be a mistake.
        checked: the check of the columnar path; None if the exact path measured the run.
    """

    per_query: Mapping[str, Mapping[str, float]]
    mean: Mapping[str, float]
    signature: Mapping[str, str]
    taken: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    warnings: tuple[Caution, ...] = field(default=(), compare=False)
    checked: ColumnCheck | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name in ("per_query", "mean", "signature", "taken"):
            object.__setattr__(self, name, ByMeasure(getattr(self, name)))

    def as_json(self, *, per_query: bool) -> dict[str, Any]:
        """Return the values of each measure and the warnings, for JSON."""
        from rankproof.cases.json_numbers import number_as_json

        answers: dict[str, dict[str, Any]] = {}
        for measure, mean in self.mean.items():
            answers[measure] = {"mean": number_as_json(mean), "signature": self.signature[measure]}
            if self.taken.get(measure):
                answers[measure]["taken"] = dict(self.taken[measure])
            if per_query:
                values = self.per_query[measure]
                answers[measure]["per_query"] = {query: number_as_json(value) for query, value in values.items()}
        warnings = [{**vars(warning), "values": dict(warning.values)} for warning in self.warnings]
        checked = (
            {} if self.checked is None else {"checked": {**vars(self.checked), "queries": list(self.checked.queries)}}
        )
        return {"measures": answers, "warnings": warnings, **checked}

    def to_frame(self) -> Frame:
        """Return a pandas DataFrame with a row per query and a column per measure.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        frames = pandas()
        queries = list(dict.fromkeys(query for values in self.per_query.values() for query in values))
        index = frames.Index(queries, name="query", dtype="object")
        return frames.DataFrame({m: frames.Series(v, dtype="float64") for m, v in self.per_query.items()}, index=index)


@dataclass(frozen=True, repr=False)
class Results(Display):
    """The values of several runs: `results["bm25"]` is a `Result`.

    Attributes:
        of: system -> its result, in input order.
        files: system -> file of all runs, if all are files.
        fault: the error of runs that have no result or are not kept.
    """

    of: Mapping[str, Result]
    files: Mapping[str, str] = field(default_factory=dict)
    fault: Exception | None = None

    def __getitem__(self, system: str) -> Result:
        return self.of[system]

    def __iter__(self) -> Iterator[str]:
        return iter(self.of)

    def __len__(self) -> int:
        return len(self.of)

    @property
    def mean(self) -> Mapping[str, Mapping[str, float]]:
        """Measure -> system -> the mean."""
        return ByMeasure(
            (m, {system: result.mean[m] for system, result in self.of.items() if m in result.mean})
            for m in self.measures
        )

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures of all systems in the requested order; some systems may lack a measure that takes too long."""
        before: dict[str, list[str]] = {}
        for result in self.of.values():
            for measure in result.mean:
                before.setdefault(measure, [])
            for measure, following in pairwise(result.mean):
                before[following].append(measure)
        return tuple(TopologicalSorter(before).static_order())

    @property
    def signature(self) -> Mapping[str, str]:
        """Measure -> the signature of the computed value."""
        of = {m: text for result in self.of.values() for m, text in result.signature.items()}
        return ByMeasure((m, of[m]) for m in self.measures)

    def to_frame(self, *, per_query: bool = False) -> Frame:
        """Return a pandas DataFrame with a row per system (or per system and query) and a column per measure.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        frames = pandas()
        if per_query:
            of_systems = {system: result.to_frame() for system, result in self.of.items()}
            return frames.concat(of_systems, names=["system", "query"])
        index = frames.Index(list(self.of), name="system", dtype="object")
        means = [dict(result.mean) for result in self.of.values()]
        return frames.DataFrame(means, index=index, columns=list(self.measures), dtype="float64")


def pandas() -> ModuleType:
    """Return pandas, which is optional.

    Raises:
        ModuleNotFoundError: pandas is not installed.
    """
    try:
        return importlib.import_module("pandas")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("to_frame needs pandas: pip install rankproof[pandas]", name=error.name) from error
