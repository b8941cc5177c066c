"""Fingerprints for the report: libraries by axes, and where one library is not of one mind; from `fingerprint.json` alone."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.reference_impl.conventions import AXES, STANDARD

LEADING = ("nDCG@k", "AP", "P@k", "R@k", "RR", "RR@k", "nDCG(dcg='exp-log2')@k", "Bpref", "AUC", "ERR@k")
"""The groups of measures that have a table."""

Told = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Library -> variant -> group of measures -> what `fingerprint.as_json` says."""


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
    """The libraries that answer a group of measures, by the axes on which some do not follow `standard`."""

    key: str
    axes: tuple[str, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class TwoMinds:
    """An axis on which a library follows one value for some of its measures and another for others."""

    name: str
    axis: str
    values: Mapping[str, tuple[str, ...]]


def tables(told: Told) -> list[Table]:
    """A table for each leading group of measures."""
    return [table for key in LEADING if (table := _table(key, told)).lines]


def two_minds(told: Told) -> Iterator[TwoMinds]:
    """The axes on which a library differs between its own measures; those of a formula are no measure's but its own."""
    for name, groups in _variants(told):
        by_axis: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for key, group in groups.items():
            for axis, finding in group["axes"].items():
                if "value" in finding and axis in AXES and AXES[axis].stage != "measure":
                    by_axis[axis][finding["value"]].append(key)
        for axis, values in by_axis.items():
            if len(values) > 1:
                yield TwoMinds(name, axis, {value: tuple(keys) for value, keys in values.items()})


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
