"""What a library does, in one sentence made of the facts of its fingerprint: nothing is said that no answer proved."""

from collections.abc import Iterable, Sequence

from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.reference_impl.conventions import AXES
from rankproof.report.convention_words import clause, label, rows, word

LEADING = ("nDCG@k", "nDCG", "AP", "AP@k", "RR", "RR@k", "P@k", "Success@k", "R@k", "LRAP", "AUC")
"""The forms of measures by which a library is told, the first of them that it computes."""
ALWAYS = frozenset({"gain", "ties", "ideal", "ap_denominator", "p_denominator", "r_denominator", "norel"})
"""The axes of which a sentence says something even where the library does as `standard` does, or where nothing is decided."""
MOST = 9
"""So many clauses are read; of the rest a sentence says how many there are."""
_ORDER = (
    "order",
    "gain",
    "discount",
    "ties",
    "known",
    "unretrieved",
    "ideal",
    "ideal_cut",
    "ap_denominator",
    "p_denominator",
    "r_denominator",
    "rr_hits",
    "norel",
    "single",
    "missing",
    "unjudged",
    "negative",
    "score",
)


def leading(fingerprints: Sequence[Fingerprint]) -> Fingerprint | None:
    """The fingerprint that a library is told by: that of the measure that most people ask for."""
    by_key = {one.key: one for one in reversed(fingerprints)}
    return next((by_key[key] for key in LEADING if key in by_key), fingerprints[0] if fingerprints else None)


def sentence(found: Fingerprint, title: str = "", most: int | None = MOST) -> str:
    """A fingerprint in one sentence: who, which measure, and the choices that were proved.

    Args:
        found: the fingerprint.
        title: what the library is called; its name where nothing is given.
        most: how many clauses are said; all of them where it is None.
    """
    said = [text for _, text in told(found)]
    shown = said if most is None or len(said) <= most + 1 else [*said[:most], f"and {len(said) - most} more"]
    open_ = [label(axis).lower() for axis in undecided(found)]
    undetermined = [f"undetermined: {', '.join(open_)}"] if open_ else []
    return f"{title or found.subject.name}, {found.key}: {'; '.join([*shown, *undetermined]) or 'as in standard'}."


def told(found: Fingerprint) -> list[tuple[AxisFinding, str]]:
    """What is said: each finding, and the clause that says it."""
    decided = (found.axes[axis] for axis in _sorted(found.axes) if found.axes[axis].value is not None)
    worth_it = (one for one in decided if one.axis in ALWAYS or AXES[one.axis].default not in one.could_be)
    return [(finding, _clause(finding, found)) for finding in worth_it]


def undecided(found: Fingerprint) -> list[str]:
    """The axes that a sentence always speaks of, of which no answer decides what the library does."""
    return [axis for axis in _sorted(ALWAYS & found.axes.keys()) if found.axes[axis].value is None]


def _sorted(axes: Iterable[str]) -> list[str]:
    order = {axis: at for at, axis in enumerate(dict.fromkeys([*_ORDER, *rows()]))}
    return sorted(axes, key=lambda axis: order.get(axis, len(order)))


def _clause(finding: AxisFinding, found: Fingerprint) -> str:
    known = known_by(found)
    first, *more = standard_first(finding)
    said = clause(finding.axis, first, known)
    words = dict.fromkeys(word(finding.axis, value, known) for value in more)
    others = [text for text in words if text != word(finding.axis, first, known)]
    return said + (f" (or {', or '.join(others)}: no answer tells)" if others else "")


def alternatives(others: Sequence[str]) -> str:
    """Return the other values that no test distinguishes from a convention, in brackets.

    >>> alternatives(["given", "retrieved"]), alternatives([])
    (' (or given, retrieved: no test distinguishes them)', '')
    """
    return f" (or {', '.join(others)}: no test distinguishes them)" if others else ""


def known_by(found: Fingerprint) -> str:
    """Which judgments a library knows, as far as the words for its ideal depend on it."""
    finding = found.axes.get("known")
    return "all" if finding is None else finding.value or ""


def standard_first(finding: AxisFinding) -> tuple[str, ...]:
    """The values that the answers leave, `standard`'s first: where no answer tells values apart, it is the plainest to say."""
    return tuple(sorted(finding.could_be, key=lambda value: value != AXES[finding.axis].default))
