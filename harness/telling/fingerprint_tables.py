"""Fingerprints as tables: libraries by axes, and where one library is not of one mind; from the fingerprints alone."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rankproof.asking.subjects import names_of
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.reference_impl.conventions import AXES, STANDARD

LEADING = ("nDCG@k", "AP", "P@k", "R@k", "RR", "RR@k", "nDCG(dcg='exp-log2')@k", "Bpref", "AUC", "ERR@k")
"""The forms of measures that the report has a table of."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value that is followed, and the case that excludes the others; both empty where no case decides."""

    value: str
    witness: str
    standard: bool


@dataclass(frozen=True, slots=True)
class FingerprintLine:
    """A library in one table: its cells, and how many answers its profile explains."""

    name: str
    cells: tuple[Cell, ...]
    explained: int
    asked: int


@dataclass(frozen=True, slots=True)
class FingerprintTable:
    """The libraries that answer a form of a measure, by the axes on which some do not follow `standard`."""

    key: str
    axes: tuple[str, ...]
    lines: tuple[FingerprintLine, ...]


@dataclass(frozen=True, slots=True)
class TwoMinds:
    """An axis on which a library follows one value for some of its measures and another for others."""

    name: str
    axis: str
    values: Mapping[str, tuple[str, ...]]


def tables(found: Sequence[Fingerprint], keys: Sequence[str] = LEADING) -> list[FingerprintTable]:
    """A table for each of these forms of measures that a library answers."""
    return [table for key in keys if (table := _table(key, found)).lines]


def keys_in(found: Sequence[Fingerprint]) -> list[str]:
    """The forms of measures that are answered, those that lead in front."""
    answered = dict.fromkeys(one.key for one in found)
    return [*(key for key in LEADING if key in answered), *(key for key in answered if key not in LEADING)]


def two_minds(found: Sequence[Fingerprint]) -> Iterator[TwoMinds]:
    """The axes on which a library differs between its own measures; those of a formula are no measure's but its own."""
    for name, forms in _by_name(found).items():
        by_axis: dict[str, list[tuple[str, set[str]]]] = defaultdict(list)
        for one in forms:
            for axis, finding in one.axes.items():
                if finding.value is not None and axis in AXES and AXES[axis].stage != "measure":
                    by_axis[axis].append((one.key, {finding.value, *finding.same}))
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


def _by_name(found: Sequence[Fingerprint]) -> Mapping[str, list[Fingerprint]]:
    names = names_of(one.subject for one in found)
    by_name: dict[str, list[Fingerprint]] = defaultdict(list)
    for one in found:
        by_name[names[one.subject]].append(one)
    return by_name


def _table(key: str, found: Sequence[Fingerprint]) -> FingerprintTable:
    forms = [(name, one) for name, forms in _by_name(found).items() for one in forms if one.key == key]
    axes = tuple(axis for axis in AXES if any(_deviates(one.axes.get(axis)) for _, one in forms))
    return FingerprintTable(key, axes, tuple(_line(name, one, axes) for name, one in forms))


def _deviates(finding: AxisFinding | None) -> bool:
    return finding is not None and finding.value is not None and not finding.standard


def _line(name: str, one: Fingerprint, axes: Sequence[str]) -> FingerprintLine:
    cells = (_cell(axis, one.axes.get(axis)) for axis in axes)
    return FingerprintLine(name, tuple(cells), one.explained, one.asked)


def _cell(axis: str, finding: AxisFinding | None) -> Cell:
    value = finding.value if finding is not None else None
    witness = finding.witness if finding is not None else ""
    return Cell(value or "", witness, standard=value == getattr(STANDARD, axis))
