"""What `rankproof.evaluate` gives: the values of a run, or of several, by measure."""

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from itertools import pairwise
from typing import Any

from rankproof.cases.json_numbers import number_as_json
from rankproof.evaluate.cautions import Caution
from rankproof.evaluate.column_check import ColumnCheck
from rankproof.measure_names import called
from rankproof.reference_impl.notation import UnknownMeasure


class ByMeasure(dict[str, Any]):
    """Values by the measure as it was asked; other ways to write it (`AP` for `MAP`, `ndcg@10`, ir_measures' objects) find them, too."""

    def __missing__(self, key: object) -> Any:  # noqa: ANN401 - as dict
        wanted = canonical(key)
        for name in self:
            if canonical(name) == wanted:
                return self[name]
        raise KeyError(key)


def canonical(key: object) -> str:
    """A measure as the notation writes it, or what is one under other conventions by its name; anything else as its text."""
    try:
        found = called(str(key))
    except UnknownMeasure:
        return str(key)
    if len(found) != 1:
        return str(key)
    return found[0].name if found[0].changes else str(found[0].measure)


@dataclass(frozen=True)
class Result:
    """What a run is worth. A value is a float; NaN where it is undefined.

    Attributes:
        per_query: measure -> query -> value, the queries in the order of the qrels; two labelings have no queries.
        mean: measure -> the mean that the conventions name (for counts: the sum; for two labelings: the value).
        signature: measure -> the line that says what was computed.
        taken: measure -> axis -> the value that was taken where the signature or the fingerprint asked for decides none; other measures
            have none.
        warnings: what a person should know beside the numbers, of the run and of what was asked, each once: queries of one of the two
            alone, ids that nearly match, docs without judgments, what ties can do, what was left out.
        checked: which queries of a large input, measured by columns, were measured again by the readable path; None of a small one, which
            that path measured itself.
    """

    per_query: Mapping[str, Mapping[str, float]]
    mean: Mapping[str, float]
    signature: Mapping[str, str]
    taken: Mapping[str, Mapping[str, str]] = field(default_factory=ByMeasure)
    warnings: tuple[Caution, ...] = field(default=(), compare=False)
    checked: ColumnCheck | None = field(default=None, compare=False)

    def as_json(self, *, per_query: bool) -> dict[str, Any]:
        """What was found of each measure, and what is to be said beside it, for programs."""
        answers: dict[str, dict[str, Any]] = {}
        for measure, mean in self.mean.items():
            answers[measure] = {"mean": number_as_json(mean), "signature": self.signature[measure]}
            if self.taken.get(measure):
                answers[measure]["taken"] = dict(self.taken[measure])
            if per_query:
                values = self.per_query[measure]
                answers[measure]["per_query"] = {query: number_as_json(value) for query, value in values.items()}
        said = {"measures": answers, "warnings": [one.as_json() for one in self.warnings]}
        return said if self.checked is None else said | {"checked": self.checked.as_json()}

    def to_frame(self) -> Any:  # noqa: ANN401 - a pandas.DataFrame, and pandas is an extra
        """A pandas DataFrame with a row per query and a column per measure.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        pandas = _pandas()
        queries = list(dict.fromkeys(query for values in self.per_query.values() for query in values))
        index = pandas.Index(queries, name="query", dtype="object")
        return pandas.DataFrame({m: pandas.Series(v, dtype="float64") for m, v in self.per_query.items()}, index=index)


@dataclass(frozen=True)
class Results:
    """What several runs are worth, of the same qrels: `results["bm25"]` is a `Result`.

    Attributes:
        of: system -> its result, in the order given.
    """

    of: Mapping[str, Result]

    def __getitem__(self, system: str) -> Result:
        return self.of[system]

    def __iter__(self) -> Iterator[str]:
        return iter(self.of)

    def __len__(self) -> int:
        return len(self.of)

    @property
    def mean(self) -> Mapping[str, Mapping[str, float]]:
        """Measure -> system -> the mean; of the systems of which it was measured."""
        return ByMeasure(
            (m, {system: result.mean[m] for system, result in self.of.items() if m in result.mean})
            for m in self.measures
        )

    @property
    def measures(self) -> tuple[str, ...]:
        """What was measured of any system, in the order in which it was asked; what takes too long for one may not for another."""
        before: dict[str, list[str]] = {}
        for result in self.of.values():
            for measure in result.mean:
                before.setdefault(measure, [])
            for one, other in pairwise(result.mean):
                before[other].append(one)
        return tuple(TopologicalSorter(before).static_order())

    @property
    def signature(self) -> Mapping[str, str]:
        """Measure -> the line that says what was computed, the same for all systems."""
        of = {m: said for result in self.of.values() for m, said in result.signature.items()}
        return ByMeasure((m, of[m]) for m in self.measures)

    @property
    def taken(self) -> Mapping[str, Mapping[str, str]]:
        """Measure -> axis -> the value that was taken where nothing decides, the same for all systems."""
        of = {m: axes for result in self.of.values() for m, axes in result.taken.items()}
        return ByMeasure((m, of[m]) for m in self.measures if m in of)

    def to_frame(self, *, per_query: bool = False) -> Any:  # noqa: ANN401 - a pandas.DataFrame, and pandas is an extra
        """A pandas DataFrame with a row per system (or per system and query) and a column per measure.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        pandas = _pandas()
        if per_query:
            frames = {system: result.to_frame() for system, result in self.of.items()}
            return pandas.concat(frames, names=["system", "query"])
        index = pandas.Index(list(self.of), name="system", dtype="object")
        means = [dict(result.mean) for result in self.of.values()]
        return pandas.DataFrame(means, index=index, columns=list(self.measures), dtype="float64")


def _pandas() -> Any:  # noqa: ANN401 - a module that is an extra
    try:
        return importlib.import_module("pandas")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("to_frame needs pandas: pip install rankproof[pandas]", name=error.name) from error
