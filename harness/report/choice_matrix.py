"""The matrix of a measure: a row for each library and a column for each axis, every cell with the case that proves it.

Variants of a library with the same conventions share a row. Rows are sorted by name.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.measure_facts import fixed_by_parameters
from rankproof.measure_forms import key_of, measure_of
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.subjects import Subject

HEADS: Mapping[str, str] = {
    "ties": "tied docs",
    "gain": "gain of a rel",
    "discount": "discount",
    "known": "judged docs",
    "ideal": "ideal list",
    "ap_denominator": "AP over",
    "p_denominator": "P over",
    "r_denominator": "R over",
    "rr_hits": "which hit",
    "err_max": "top grade",
    "unretrieved": "not retrieved",
    "norel": "no relevant",
    "missing": "not in the run",
    "order": "ranked by",
    "score": "scores as",
    "relevant": "relevant",
    "unjudged": "not judged",
    "extra": "not in qrels",
    "no_judgments": "no judgments",
    "mean": "mean",
    "nohit": "no hit",
}
"""Axes that ordinary data decides, in the order of the columns -> the heading of the column."""


class NoLibrary(Unusable):
    """No library computes the measure."""


@dataclass(frozen=True, slots=True)
class LibraryChoice:
    """The convention of a library on one axis.

    Attributes:
        values: the convention and those that no test distinguishes from it; if undetermined, all that remain.
        determined: whether a convention was inferred.
        matters: whether the axis can change a value of the library.
        standard: whether the convention is that of `standard`.
        witness: the case that excludes other conventions; empty if none does.
    """

    axis: str
    values: tuple[str, ...]
    determined: bool
    matters: bool
    standard: bool
    witness: str


@dataclass(frozen=True, slots=True)
class LibraryRow:
    """A library, its variants with the same conventions, the form of the measure that they compute, and the conventions."""

    library: str
    version: str
    ways: tuple[str, ...]
    key: str
    choices: tuple[LibraryChoice, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """The rows of a measure, with the axes on which a library differs from `standard`."""

    measure: str
    axes: tuple[str, ...]
    rows: tuple[LibraryRow, ...]


def matrix(measure: Measure, fingerprints: Iterable[Fingerprint], *, whole: bool = False) -> Matrix:
    """Return the conventions of each library for a measure.

    A library without the plain measure is shown by a form of it whose parameters name conventions, such as the nDCG of gdeval.

    Args:
        measure: the measure, with any cutoff.
        fingerprints: fingerprints of any measures.
        whole: include axes that only extreme input decides.

    Raises:
        NoLibrary: no library computes the measure.
    """
    forms = _forms(measure, fingerprints)
    if not forms:
        raise NoLibrary(f"no observed library computes {measure}; `rankproof show measures` lists all measures")
    choices = {subject: {axis: _choice(axis, form) for axis in AXES} for subject, form in forms.items()}
    differing = {axis for own in choices.values() for axis, one in own.items() if one.determined and not one.standard}
    leading = [axis for axis in HEADS if axis in differing]
    axes = (*leading, *(axis for axis in AXES if whole and axis in differing and axis not in HEADS))
    rows = [
        LibraryRow(one.library, one.version, (one.variant,), forms[one].key, tuple(own[axis] for axis in axes))
        for one, own in choices.items()
    ]
    rows.sort(key=lambda row: (row.library, row.version, row.ways))
    return Matrix(str(measure), axes, tuple(_folded(rows)))


def _forms(measure: Measure, fingerprints: Iterable[Fingerprint]) -> dict[Subject, Fingerprint]:
    """Return the form of the measure of each library: the plain one, or the only one whose parameters name conventions."""
    plain = key_of(measure)
    exact: dict[Subject, Fingerprint] = {}
    others: dict[Subject, list[Fingerprint]] = {}
    for one in fingerprints:
        form = measure_of(one.key)
        if one.key == plain:
            exact[one.subject] = one
        elif _is_named(form, measure):
            others.setdefault(one.subject, []).append(one)
    alone = {subject: forms[0] for subject, forms in others.items() if len(forms) == 1 and subject not in exact}
    return {**exact, **alone}


def _is_named(form: Measure, measure: Measure) -> bool:
    """Whether a form is the measure with parameters that only name conventions."""
    is_same = form.name == measure.name and (form.cutoff is None) == (measure.cutoff is None)
    return is_same and names_conventions(form) and not measure.of_labels and not measure.params


def names_conventions(form: Measure) -> bool:
    """Whether all parameters of a form, if any, name conventions."""
    return not form.of_labels and all(form.definition.params[name].conventions is not None for name, _ in form.params)


def _choice(axis: str, one: Fingerprint) -> LibraryChoice:
    form = measure_of(one.key)
    fixed = fixed_by_parameters(form)
    finding = AxisFinding(axis, fixed[axis], "", "", {}) if axis in fixed else one.axes.get(axis)
    if finding is None:
        return LibraryChoice(axis, (), determined=False, matters=False, standard=False, witness="")
    return LibraryChoice(
        axis,
        finding.could_be or finding.open,
        determined=finding.value is not None,
        matters=True,
        standard=finding.standard,
        witness=finding.witness,
    )


def _folded(rows: Iterable[LibraryRow]) -> Iterable[LibraryRow]:
    """Return one row for variants with the same conventions."""
    for _, own in groupby(rows, key=lambda row: (row.library, row.version)):
        told = (((row.key, tuple((c.values, c.determined, c.matters) for c in row.choices)), row) for row in own)
        for same in grouped(told).values():
            ways = tuple(way for row in same for way in row.ways)
            yield LibraryRow(same[0].library, same[0].version, ways, same[0].key, same[0].choices)
