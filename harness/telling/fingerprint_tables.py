"""Fingerprints as tables: libraries by axes, and where one library is not of one mind; from what `fingerprint.as_json` says alone."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.reference_impl.conventions import AXES, STANDARD

LEADING = ("nDCG@k", "AP", "P@k", "R@k", "RR", "RR@k", "nDCG(dcg='exp-log2')@k", "Bpref", "AUC", "ERR@k")
"""The forms of measures that the report has a table of."""

Told = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Library -> variant -> form of a measure -> what `fingerprint.as_json` says."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value that is followed, and the case that excludes the others; both empty where no case decides."""

    value: str
    witness: str
    standard: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A library in one table: its cells, and how many answers its profile explains."""

    name: str
    cells: tuple[Cell, ...]
    explained: int
    asked: int


@dataclass(frozen=True, slots=True)
class Table:
    """The libraries that answer a form of a measure, by the axes on which some do not follow `standard`."""

    key: str
    axes: tuple[str, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class TwoMinds:
    """An axis on which a library follows one value for some of its measures and another for others."""

    name: str
    axis: str
    values: Mapping[str, tuple[str, ...]]


def tables(told: Told, keys: Sequence[str] = LEADING) -> list[Table]:
    """A table for each of these forms of measures that a library answers."""
    return [table for key in keys if (table := _table(key, told)).lines]


def keys_in(told: Told) -> list[str]:
    """The forms of measures that are answered, those that lead in front."""
    answered = dict.fromkeys(key for _, groups in _variants(told) for key in groups)
    return [*(key for key in LEADING if key in answered), *(key for key in answered if key not in LEADING)]


def two_minds(told: Told) -> Iterator[TwoMinds]:
    """The axes on which a library differs between its own measures; those of a formula are no measure's but its own."""
    for name, groups in _variants(told):
        by_axis: dict[str, list[tuple[str, set[str]]]] = defaultdict(list)
        for key, group in groups.items():
            for axis, finding in group["axes"].items():
                if "value" in finding and axis in AXES and AXES[axis].stage != "measure":
                    by_axis[axis].append((key, {finding["value"], *finding.get("same", ())}))
        for axis, followed in by_axis.items():
            values = _by_value(followed)
            if len(values) > 1:
                yield TwoMinds(name, axis, {value: tuple(keys) for value, keys in values.items()})


def _by_value(followed: Sequence[tuple[str, set[str]]]) -> Mapping[str, list[str]]:
    """The keys by the value that most of them follow; where several could as well be named, it is the one that others follow."""
    counts = Counter(value for _, values in followed for value in values)
    found: dict[str, list[str]] = defaultdict(list)
    for key, values in followed:
        found[max(sorted(values), key=lambda value: counts[value])].append(key)
    return found


def _variants(told: Told) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for library, variants in told.items():
        for variant, groups in variants.items():
            yield (f"{library}/{variant}" if len(variants) > 1 else library), groups


def _table(key: str, told: Told) -> Table:
    groups = [(name, found[key]) for name, found in _variants(told) if key in found]
    axes = tuple(axis for axis in AXES if any(_deviates(axis, group) for _, group in groups))
    lines = (_line(name, group, axes) for name, group in groups)
    return Table(key, axes, tuple(lines))


def _deviates(axis: str, group: Mapping[str, Any]) -> bool:
    value = group["axes"].get(axis, {}).get("value")
    return value is not None and value != getattr(STANDARD, axis)


def _line(name: str, group: Mapping[str, Any], axes: Sequence[str]) -> Line:
    cells = (_cell(axis, group["axes"].get(axis, {})) for axis in axes)
    return Line(name, tuple(cells), group["explained"], group["asked"])


def _cell(axis: str, finding: Mapping[str, Any]) -> Cell:
    value = finding.get("value")
    return Cell(value or "", finding.get("witness") or "", standard=value == getattr(STANDARD, axis))
