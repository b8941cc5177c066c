"""The matrix: libraries by choices, for one form of a measure; a cell says one thing, and leads to the case that proves it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.form_groups import untold
from rankproof.measure_forms import key_of, measure_of
from rankproof.reference_impl.conventions import AXES
from rankproof.report.convention_words import label, rows, word
from rankproof.report.library_sentence import known_by, standard_first
from rankproof.site.page_sources import Told
from rankproof.workers.subjects import Variant

FIRST_SHOWN = 3
"""So many libraries stand side by side where the screen is narrow."""


@dataclass(frozen=True, slots=True)
class Column:
    """A way of asking a library.

    Attributes:
        title: what the library calls itself.
        extra: whether it stands behind the way that most people use, and folds into it.
        ways: how many more ways there are; said of the first alone.
    """

    variant: Variant
    title: str
    version: str
    extra: bool
    ways: int


@dataclass(frozen=True, slots=True)
class WayOnAxis:
    """What one way of asking a library does on one axis.

    Attributes:
        values: what the answers leave, the first of them shown; none where it is undetermined or cannot matter.
        shown: the first value in words.
        others: the others in words.
        open: the values that remain where it is undetermined.
        matters: whether the choice can matter to the measure beside the other choices of the library.
        untold: whether it takes no input that the axis is about, so that every value remains.
        plain: whether the word alone says which value it is, as of this axis no other has it.
    """

    values: tuple[str, ...]
    shown: str
    others: tuple[str, ...]
    open: tuple[str, ...]
    why: str
    witness: str
    measure: str
    standard: bool
    matters: bool = True
    plain: bool = False
    untold: bool = False

    @property
    def said(self) -> str:
        """All that the answers leave, in words."""
        return " or ".join((self.shown, *self.others))


NO_MATTER = WayOnAxis((), "", (), (), "", "", "", standard=True, matters=False)


@dataclass(frozen=True, slots=True)
class AxisRow:
    """An axis, and a cell for each column."""

    axis: str
    label: str
    cells: tuple[WayOnAxis, ...]

    @property
    def differs(self) -> bool:
        """Whether two columns are known to do different things."""
        left = [set(cell.values) for cell in self.cells if cell.values]
        return any(one.isdisjoint(other) for place, one in enumerate(left) for other in left[:place])

    @property
    def measure(self) -> str:
        """The measure that most witnesses were asked; "" where there is none."""
        counts = Counter(cell.measure for cell in self.cells if cell.witness)
        return max(counts, key=counts.__getitem__, default="")


@dataclass(frozen=True, slots=True)
class FormMatrix:
    """One form of a measure.

    Attributes:
        alike: the other forms of which all is the same.
        base: of a form with parameters the form without: only the rows in which the two differ are there; empty of one without, or
            where nobody computes it.
        first: the libraries that differ most, for a screen that has room for few.
    """

    key: str
    measure: str
    alike: tuple[str, ...]
    base: str
    columns: tuple[Column, ...]
    groups: tuple[tuple[str, tuple[AxisRow, ...]], ...]
    first: tuple[str, ...]


def shown_form(key: str) -> str:
    """A form as a person asks for it: at the usual cutoff.

    >>> shown_form("nDCG@k"), shown_form("AP")
    ('nDCG@10', 'AP')
    """
    return str(measure_of(key))


def matrix(told: Told, key: str) -> FormMatrix:
    """The matrix of a form."""
    prints = {variant: one for variant, found in told.findings.by_variant.items() for one in found if one.key == key}
    columns = tuple(_columns(told, list(prints)))
    bare = key_of(replace(measure_of(key), params=()))
    base = bare if bare != key and bare in told.form_pages else ""
    plain = {variant: one for variant, ones in told.findings.by_variant.items() for one in ones if one.key == base}
    groups: dict[str, list[AxisRow]] = {}
    for axis, group in rows().items():
        cells = tuple(cell_of(prints[column.variant], axis) for column in columns)
        as_plain = tuple(cell_of(plain[c.variant], axis) if c.variant in plain else None for c in columns)
        if any(cell.matters for cell in cells) and not all(map(_same, cells, as_plain)):
            groups.setdefault(group, []).append(AxisRow(axis, label(axis), cells))
    pages = told.form_pages
    alike = tuple(shown_form(other) for other, page in pages.items() if page == pages[key] and other != key)
    shown = tuple((name, tuple(lines)) for name, lines in groups.items())
    return FormMatrix(key, shown_form(key), alike, base, columns, shown, tuple(_first(columns, groups)))


def _same(one: WayOnAxis, other: WayOnAxis | None) -> bool:
    """Whether two cells say the same, whatever shows it."""
    return other is not None and (one.values, one.open, one.matters) == (other.values, other.open, other.matters)


def cells_of(found: Fingerprint) -> dict[str, WayOnAxis]:
    """The cells of one fingerprint, by axis, in the order of the rows of a table."""
    return {axis: cell_of(found, axis) for axis in rows() if axis in found.axes}


def _columns(told: Told, variants: Sequence[Variant]) -> Iterator[Column]:
    by_library = grouped((variant[0], variant) for variant in variants)
    for library in sorted(by_library, key=lambda name: told.title(name).casefold()):
        order = told.ways(library)
        own = sorted(by_library[library], key=lambda one: order.index(one) if one in order else len(order))
        for nth, variant in enumerate(own):
            yield Column(variant, told.title(library), told.version(variant), nth > 0, len(own) - 1 if nth == 0 else 0)


def cell_of(found: Fingerprint, axis: str) -> WayOnAxis:
    """What a fingerprint has on one axis."""
    if axis not in found.axes:
        return NO_MATTER
    finding, known = found.axes[axis], known_by(found)
    values = standard_first(finding)
    words = list(dict.fromkeys(word(axis, value, known) for value in values))
    return WayOnAxis(
        values,
        words[0] if words else "",
        tuple(words[1:]),
        () if values else finding.open,
        "" if values else finding.why,
        finding.witness,
        finding.measure,
        AXES[axis].default in values,
        plain=len(values) == 1 and words[0] == word(axis, values[0]),
        untold=finding == untold(axis) and not AXES[axis].also_tried,
    )


def _first(columns: Sequence[Column], groups: Mapping[str, Sequence[AxisRow]]) -> Iterator[str]:
    """Of the libraries, the one nearest to `standard`, and then those furthest from all that stand already."""
    lines = [row for own in groups.values() for row in own]
    at = [i for i, column in enumerate(columns) if not column.extra]
    if not at:
        return

    def apart(one: int, other: int) -> int:
        pairs = ((set(row.cells[one].values), set(row.cells[other].values)) for row in lines)
        return sum(bool(a and b and not a & b) for a, b in pairs)

    chosen = [min(at, key=lambda i: sum(bool(row.cells[i].values) and not row.cells[i].standard for row in lines))]
    while len(chosen) < min(FIRST_SHOWN, len(at)):
        chosen.append(max((i for i in at if i not in chosen), key=lambda i: min(apart(i, other) for other in chosen)))
    yield from (columns[i].variant[0] for i in chosen)
