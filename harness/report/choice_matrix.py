"""The matrix of one measure: a row for each library, a column for each choice, every cell with the case that proves it.

All of it is read from fingerprints: a library that is asked tomorrow has its row tomorrow. Ways to ask a library that make the same choices
share a row. Nothing is ranked: libraries stand in the order of their names.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

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
"""The choices that ordinary data meets, what is asked most in front, and the head of the column of each."""


class NobodyAnswers(Unusable):
    """No library in the fingerprints answers the measure."""


@dataclass(frozen=True, slots=True)
class LibraryChoice:
    """What a library does on one axis.

    Attributes:
        values: the value followed, and those that no answer tells from it; all that remain where none is followed.
        determined: whether it is one that is followed.
        matters: whether the axis can matter to the library's answers at all.
        standard: whether the value is that of `standard`.
        witness: the case that excludes the others; empty where nothing does.
    """

    axis: str
    values: tuple[str, ...]
    determined: bool
    matters: bool
    standard: bool
    witness: str


@dataclass(frozen=True, slots=True)
class LibraryRow:
    """A library, the ways to ask it that make the same choices, the form that they answer, and the choices."""

    library: str
    version: str
    ways: tuple[str, ...]
    key: str
    choices: tuple[LibraryChoice, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """The rows of one measure, by the axes on which some library does not do as `standard` does."""

    measure: str
    axes: tuple[str, ...]
    rows: tuple[LibraryRow, ...]


def matrix(measure: Measure, fingerprints: Iterable[Fingerprint], *, whole: bool = False) -> Matrix:
    """Who makes which choice for a measure.

    A library that does not answer the plain measure is shown by a form of it whose parameters name conventions, as the nDCG of gdeval.

    Args:
        measure: with any cutoff, as fingerprints are of all of them.
        fingerprints: of any forms.
        whole: all axes on which somebody differs, and not only those that ordinary data meets.

    Raises:
        NobodyAnswers: there is no such form among them.
    """
    forms = _forms(measure, fingerprints)
    if not forms:
        raise NobodyAnswers(f"no library of these answers {measure}; `rankproof measures` lists what there is")
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
    """The form by which each subject answers the measure: the plain one, or the only one whose parameters name conventions."""
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
    """Whether a form is the measure under parameters that do nothing but name conventions."""
    is_same = form.name == measure.name and (form.cutoff is None) == (measure.cutoff is None)
    return is_same and names_conventions(form) and not measure.of_labels and not measure.params


def names_conventions(form: Measure) -> bool:
    """Whether the parameters of a form, if it has any, do nothing but name conventions."""
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
    """Ways of one library that make the same choices, as one row."""
    for _, own in groupby(rows, key=lambda row: (row.library, row.version)):
        told = (((row.key, tuple((c.values, c.determined, c.matters) for c in row.choices)), row) for row in own)
        for same in grouped(told).values():
            ways = tuple(way for row in same for way in row.ways)
            yield LibraryRow(same[0].library, same[0].version, ways, same[0].key, same[0].choices)


def as_json(found: Matrix) -> dict[str, Any]:
    """The matrix for programs."""
    return {
        "measure": found.measure,
        "axes": list(found.axes),
        "rows": [
            {
                "library": row.library,
                "version": row.version,
                "ways": list(row.ways),
                "form": row.key,
                "choices": {choice.axis: _choice_as_json(choice) for choice in row.choices if choice.matters},
            }
            for row in found.rows
        ],
    }


def _choice_as_json(choice: LibraryChoice) -> dict[str, Any]:
    followed: dict[str, Any] = {"undetermined": list(choice.values)}
    if choice.determined:
        followed = {"value": choice.values[0], "same": list(choice.values[1:])}
    return {**followed, "standard": choice.standard, "witness": choice.witness}
