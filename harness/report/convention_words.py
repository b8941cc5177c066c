"""Descriptions of conventions: labels, values, phrases, clauses, and one sentence for a library."""

from collections.abc import Iterable, Sequence

from rankproof.inference.equivalent_choices import canonical_profile
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.measure_forms import measure_of
from rankproof.reference_impl.conventions import AXES

COMMON_FORMS = ("nDCG@k", "nDCG", "AP", "AP@k", "RR", "RR@k", "P@k", "Success@k", "R@k", "LRAP", "AUC")
"""Common forms of measures, the most common first."""
COMMON_AXES = (
    *("ties", "gain", "discount", "known", "ideal", "ideal_cut", "ap_denominator", "p_denominator", "r_denominator"),
    *("rr_hits", "err_max", "unretrieved", "norel", "missing", "order", "score", "relevant", "unjudged", "extra"),
    *("mean", "nohit"),
)
"""Axes that matter on ordinary data, in the order of lists and tables."""
MOST_CLAUSES = 9


def label(axis: str) -> str:
    """Return the name of an axis in a table.

    >>> label("norel")
    'no relevant docs'
    """
    return AXES[axis].label if axis in AXES else axis.replace("_", " ")


def word(axis: str, value: str, known: str = "all", exception: str = "") -> str:
    """Return a convention in words, for use next to the label of its axis.

    Args:
        axis: the axis.
        value: the value on it.
        known: the value of the axis `known`, or empty if undetermined. It limits the documents of an ideal ranking.
        exception: the type of the exception, if the convention is to raise an error.

    >>> word("gain", "exp"), word("ideal", "judged", "retrieved"), word("norel", "rejected", exception="ZeroDivisionError")
    ('2^grade - 1', 'all documents it receives', 'raises ZeroDivisionError')
    """
    return _ideal(axis, value, known) or AXES[axis].meaning(value).replace("an exception", exception or "an exception")


def phrase(axis: str, value: str, exception: str = "") -> str:
    """Return a convention as a noun phrase, for use in a list.

    >>> phrase("gain", "exp"), phrase("norel", "rejected", "ZeroDivisionError")
    ('exponential gain (2^grade - 1)', 'ZeroDivisionError for queries without relevant documents')
    """
    return AXES[axis].phrase(value).replace("an exception", exception or "an exception")


def clause(axis: str, value: str, known: str = "all", exception: str = "") -> str:
    """Return a convention as a clause about an implementation.

    >>> clause("ideal", "given"), clause("ideal", "judged", "retrieved")
    ('its ideal ranking uses only retrieved documents', 'its ideal ranking uses all documents it receives')
    """
    if documents := _ideal(axis, value, known):
        return f"its ideal ranking uses {documents}"
    return AXES[axis].clause(value).replace("an exception", exception or "an exception")


def instead(axis: str, before: str, after: str) -> str:
    """Return a convention and the convention that it replaces.

    >>> instead("ties", "docid-desc", "input"), instead("norel", "0", "dropped")
    ('tied documents in input order instead of by id, descending', \
'queries without relevant documents left out of the mean instead of 0')
    """
    return f"{phrase(axis, after)} instead of {word(axis, before)}"


def _ideal(axis: str, value: str, known: str) -> str:
    """Return the documents of the ideal ranking, if they depend on the known judgments."""
    if axis == "ideal" and value in {"judged", "given"} and known == "retrieved":
        return "all documents it receives"
    return "all documents whose grade it knows" if (axis, value, known) == ("ideal", "judged", "") else ""


# -- fingerprints -----------------------------------------------------------------------------------------------------


def common_first(axes: Iterable[str]) -> list[str]:
    """Sort axes in the order of lists and tables."""
    order = {axis: at for at, axis in enumerate(dict.fromkeys([*COMMON_AXES, *AXES]))}
    return sorted(axes, key=lambda axis: order.get(axis, len(order)))


def leading(fingerprints: Sequence[Fingerprint]) -> Fingerprint | None:
    """Return the first fingerprint of the most common form, or None."""
    by_key = {fingerprint.key: fingerprint for fingerprint in reversed(fingerprints)}
    return next((by_key[key] for key in COMMON_FORMS if key in by_key), fingerprints[0] if fingerprints else None)


def sentence(fingerprint: Fingerprint, title: str) -> str:
    """Return a sentence about a library: at most nine observed conventions, and the undetermined axes."""
    clauses = [text for _, text in clauses_of(fingerprint)]
    if len(clauses) > MOST_CLAUSES + 1:
        clauses[MOST_CLAUSES:] = [f"and {len(clauses) - MOST_CLAUSES} more"]
    undecided = [a for a, finding in fingerprint.axes.items() if AXES[a].headline and finding.value is None]
    if undecided:
        clauses.append(f"undetermined: {', '.join(label(axis).lower() for axis in common_first(undecided))}")
    return f"{title}, {fingerprint.key}: {'; '.join(clauses) or 'as in standard'}."


def clauses_of(fingerprint: Fingerprint) -> list[tuple[AxisFinding, str]]:
    """Return the findings that differ from `standard` or are on headline axes, each with its clause."""
    findings = (fingerprint.axes[axis] for axis in common_first(fingerprint.axes))
    decided = (finding for finding in findings if finding.value is not None)
    named = (f for f in decided if AXES[f.axis].headline or AXES[f.axis].default not in f.could_be)
    return [(finding, _clause(finding, fingerprint)) for finding in named]


def _clause(finding: AxisFinding, fingerprint: Fingerprint) -> str:
    known = known_by(fingerprint)
    first, *others = different_choices(fingerprint, finding.axis)
    words = dict.fromkeys(word(finding.axis, value, known) for value in others)
    words.pop(word(finding.axis, first, known), None)
    return clause(finding.axis, first, known) + alternatives([*words])


def alternatives(others: Sequence[str]) -> str:
    """Return, in brackets, the other values that no test distinguishes from a convention.

    >>> alternatives(["given", "retrieved"]), alternatives([])
    (' (or given, retrieved: no test distinguishes them)', '')
    """
    return f" (or {', '.join(others)}: no test distinguishes them)" if others else ""


def known_by(fingerprint: Fingerprint) -> str:
    """Return the value of the axis `known` for a library, or an empty text if undetermined."""
    finding = fingerprint.axes.get("known")
    return "all" if finding is None else finding.value or ""


def standard_first(finding: AxisFinding) -> tuple[str, ...]:
    """Return the values that explain all results, with the value of `standard` first."""
    return tuple(sorted(finding.could_be, key=lambda value: value != AXES[finding.axis].default))


def different_choices(fingerprint: Fingerprint, axis: str) -> list[str]:
    """Return the values that explain all results, without those that never change a value: in nDCG, ln next to log2."""
    choices = standard_first(fingerprint.axes[axis])
    measure, profile = measure_of(fingerprint.key), {name: getattr(fingerprint.profile, name) for name in AXES}
    alike = [canonical_profile(measure, profile | {axis: value}) for value in choices]
    return [value for at, value in enumerate(choices) if alike[at] not in alike[:at]]
