"""SVG pictures: the conventions of all libraries for a measure, and badges of a library or a signature."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.signatures import Signature
from rankproof.measure_forms import key_of
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.unusable import Unusable
from rankproof.report.convention_words import COMMON_AXES, common_first, label

TEMPLATES = Path(__file__).resolve().parent / "templates"
MOST_AXES = 9
"""Maximum number of columns in the picture. `rankproof show` lists all axes."""
LONGEST = 13
"""Maximum length of the text in a cell."""
MOST_CONVENTIONS = 3
"""Maximum number of conventions on a badge."""
CHARACTER, PADDING = 6.6, 12
"""The width of a character on a badge, and the space around text."""
_PARTS = ("page", "text", "quiet", "line", "standard", "other", "ink")
LIGHT = dict(zip(_PARTS, ("#ffffff", "#1f2328", "#59636e", "#d1d9e0", "#f6f8fa", "#ffe3b3", "#5a3600"), strict=True))
DARK = dict(zip(_PARTS, ("#0d1117", "#f0f6fc", "#9198a1", "#3d444d", "#151b23", "#5c3d0a", "#ffdf9e"), strict=True))

Cell = tuple[str, str, str]
"""A word, a title, and a kind (`none`, `standard` or `other`)."""


class NoLibrary(Unusable):
    """A measure that no observed library computes."""


def svg(measure: Measure, fingerprints: Iterable[Fingerprint], version: str, *, dark: bool = False) -> str:
    """Return the SVG picture of a measure. Titles of cells have the meaning of the convention and the proving case.

    Args:
        measure: the measure, with any cutoff.
        fingerprints: fingerprints of any measures.
        version: the version of rankproof that published them.
        dark: whether to use the colours of a dark page.

    Raises:
        NoLibrary: no library computes the measure.
    """
    forms = [form for form in fingerprints if form.key == key_of(measure)]
    if not forms:
        raise NoLibrary(f"no observed library computes {measure}; `rankproof show measures` lists all measures")
    different = {finding.axis for form in forms for finding in form.differing}
    axes = [axis for axis in COMMON_AXES if axis in different][:MOST_AXES]
    return _rendered(
        "matrix",
        measure=str(measure),
        axes=[(label(axis), axis, AXES[axis].question) for axis in axes],
        rows=list(_rows(forms, axes)),
        version=version,
        colours=DARK if dark else LIGHT,
    )


def _rows(forms: Iterable[Fingerprint], axes: Sequence[str]) -> Iterator[tuple[str, str, tuple[Cell, ...]]]:
    """Yield the label, title and cells of each row; variants of a library with equal cells share a row."""
    same = grouped(
        ((form.library, form.subject.version, tuple(_cell(form, axis) for axis in axes)), form.variant)
        for form in forms
    )
    for (library, version, cells), variants in sorted(same.items(), key=lambda row: (row[0][:2], row[1])):
        alone = len(variants) > 1 or variants[0] in {"", "default"}
        name = library if alone else f"{library}/{variants[0]}"
        yield name, f"{library} {version}: {', '.join(variants)}", cells


def _cell(form: Fingerprint, axis: str) -> Cell:
    finding = form.axes.get(axis)
    if finding is None:
        return "·", "cannot change a value here", "none"
    if finding.value is None:
        return "?", f"undetermined: {', '.join(finding.open)}", "none"
    value = finding.value
    proof = f"; proved by {finding.witness}" if finding.witness else ""
    word = value if len(value) <= LONGEST + 1 else f"{value[:LONGEST]}…"
    title = f"{axis}={value}: {AXES[axis].meaning(value)}{proof}"
    return word, title, "standard" if finding.standard else "other"


def badge_of_library(form: Fingerprint) -> str:
    """Return the badge of a library: its conventions and explained values; orange if some are unexplained."""
    conventions = _listed({finding.axis: finding.value or "" for finding in form.differing})
    message = f"{conventions} · {form.explained} of {form.total} values"
    return _badge(form.key, message, complete=form.explained == form.total)


def badge_of_signature(signature: Signature) -> str:
    """Return the badge of a signature, such as `check` prints; orange if an axis is undetermined."""
    different = STANDARD.differences(signature.conventions)
    conventions = _listed({axis: value for axis, value in different.items() if axis not in signature.open})
    undetermined = f" · {len(signature.open)} undetermined" if signature.open else ""
    return _badge(str(signature.measure), conventions + undetermined, complete=not signature.open)


def _listed(conventions: Mapping[str, str]) -> str:
    named = [f"{axis}={conventions[axis]}" for axis in common_first(conventions)]
    more = [f"and {len(named) - MOST_CONVENTIONS} more"] if len(named) > MOST_CONVENTIONS else []
    return ", ".join([*named[:MOST_CONVENTIONS], *more]) or "standard"


def _badge(name: str, message: str, *, complete: bool) -> str:
    left, right = (round(CHARACTER * len(text)) + PADDING for text in (name, message))
    return _rendered("badge", label=name, message=message, left=left, right=right, complete=complete)


def _rendered(template: str, **facts: object) -> str:
    import jinja2

    loader = jinja2.FileSystemLoader(TEMPLATES)
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, keep_trailing_newline=True)
    return environment.get_template(f"{template}.svg.j2").render(facts)
