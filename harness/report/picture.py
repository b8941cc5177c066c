"""The conventions of all libraries for a measure as an SVG picture, for light or dark pages."""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.measure_forms import key_of
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.unusable import Unusable

if TYPE_CHECKING:
    import jinja2

TEMPLATES = Path(__file__).resolve().parent / "templates"
HEADS = {
    "ties": "ties",
    "gain": "gain",
    "discount": "discount",
    "known": "judgments",
    "ideal": "ideal ranking",
    "ap_denominator": "divisor of AP",
    "p_denominator": "divisor of P",
    "r_denominator": "divisor of R",
    "rr_hits": "hits of RR",
    "err_max": "highest grade",
    "unretrieved": "unretrieved",
    "norel": "no relevant",
    "missing": "missing query",
    "order": "ranked by",
    "score": "scores as",
    "relevant": "relevant",
    "unjudged": "unjudged",
    "extra": "unjudged query",
    "mean": "mean",
    "nohit": "no hit",
}
"""Axes that ordinary data decides, in the order of the columns -> the heading of the column."""
MOST_AXES = 9
"""Columns of the picture; `show` lists all axes."""
LONGEST = 13
"""Characters of a cell."""


class NoLibrary(Unusable):
    """No library computes the measure."""


class Colours(NamedTuple):
    """The colours of a page, of its text and lines, and of the cells."""

    page: str
    text: str
    quiet: str
    line: str
    standard: str
    other: str
    ink: str


LIGHT = Colours("#ffffff", "#1f2328", "#59636e", "#d1d9e0", "#f6f8fa", "#ffe3b3", "#5a3600")
DARK = Colours("#0d1117", "#f0f6fc", "#9198a1", "#3d444d", "#151b23", "#5c3d0a", "#ffdf9e")


class PictureCell(NamedTuple):
    """A cell: its word, its title, and its kind (`none`, `standard` or `other`)."""

    word: str
    title: str
    kind: str


def svg(measure: Measure, fingerprints: Iterable[Fingerprint], version: str, *, dark: bool = False) -> str:
    """Return the picture; each cell has a title with the meaning of the convention and the case that proves it.

    Args:
        measure: the measure, with any cutoff.
        fingerprints: fingerprints of any measures.
        version: the version of rankproof that published them.
        dark: use the colours of a dark page.

    Raises:
        NoLibrary: no library computes the measure.
    """
    forms = [form for form in fingerprints if form.key == key_of(measure)]
    if not forms:
        raise NoLibrary(f"no observed library computes {measure}; `rankproof show measures` lists all measures")
    different = {finding.axis for form in forms for finding in form.differing}
    axes = [axis for axis in HEADS if axis in different][:MOST_AXES]
    return _template().render(
        measure=str(measure),
        axes=[(HEADS[axis], axis, AXES[axis].question) for axis in axes],
        rows=list(_rows(forms, axes)),
        version=version,
        colours=DARK if dark else LIGHT,
    )


def _rows(forms: Iterable[Fingerprint], axes: Iterable[str]) -> Iterator[tuple[str, str, tuple[PictureCell, ...]]]:
    """Yield the label, the title and the cells of each row; variants of a library with the same cells share a row."""
    axes = list(axes)
    same = grouped(
        ((form.library, form.subject.version, tuple(_cell(form, axis) for axis in axes)), form.variant)
        for form in forms
    )
    for (library, version, cells), variants in sorted(same.items(), key=lambda row: (row[0][:2], row[1])):
        alone = len(variants) > 1 or variants[0] in {"", "default"}
        label = library if alone else f"{library}/{variants[0]}"
        yield label, f"{library} {version}: {', '.join(variants)}", cells


def _cell(form: Fingerprint, axis: str) -> PictureCell:
    finding = form.axes.get(axis)
    if finding is None:
        return PictureCell("·", "cannot change a value here", "none")
    if finding.value is None:
        return PictureCell("?", f"undetermined: {', '.join(finding.open)}", "none")
    value = finding.value
    proof = f"; proved by {finding.witness}" if finding.witness else ""
    word = value if len(value) <= LONGEST + 1 else f"{value[:LONGEST]}…"
    title = f"{axis}={value}: {AXES[axis].meaning(value)}{proof}"
    return PictureCell(word, title, "standard" if finding.standard else "other")


@cache
def _template() -> "jinja2.Template":
    import jinja2  # noqa: PLC0415 - only a picture needs it

    loader = jinja2.FileSystemLoader(TEMPLATES)
    return jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True).get_template("matrix.svg.j2")
