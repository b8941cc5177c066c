"""Conventions in words, as each axis declares them: labels, values, phrases and clauses; and the groups of axes in tables."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from rankproof.reference_impl.conventions import AXES

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Ties and order": ("ties", "order", "score", "score_sign", "infinite"),
    "Gain and discount": ("gain", "gain_threshold", "discount", "err_max", "rbp_gain", "f_weight"),
    "Judgments and the ideal ranking": ("known", "unretrieved", "ideal", "ideal_cut", "unjudged"),
    "Divisors": (
        "p_denominator",
        "r_denominator",
        "ap_denominator",
        "rr_hits",
        "judged_denominator",
        "recall_points",
        "infap_epsilon",
        "bpref_no_nonrel",
        "iprec_empty",
    ),
    "Relevance": ("relevant", "negative", "grades"),
    "Empty and unusual queries": (
        "norel",
        "missing",
        "empty",
        "extra",
        "no_judgments",
        "nohit",
        "allrel",
        "single",
        "short",
        "mean",
        "no_query",
        "degenerate",
    ),
    "Input": ("ids", "run_duplicates", "qrels_duplicates", "own_doc"),
}
"""The rows of a table of libraries by their groups, the most important first."""


def rows() -> dict[str, str]:
    """Return the group of each axis, in the order of the rows of a table."""
    named = {axis: group for group, axes in GROUPS.items() for axis in axes}
    return named | {axis: "Other conventions" for axis in AXES if axis not in named}


def label(axis: str) -> str:
    """Return the name of an axis in a table.

    >>> label("norel")
    'no relevant docs'
    """
    return AXES[axis].label if axis in AXES else axis.replace("_", " ")


def word(axis: str, value: str, known: str = "all", exception: str = "") -> str:
    """Return a convention next to the label of its axis.

    Args:
        axis: the axis.
        value: the value on it.
        known: the value of the axis `known`; empty if that is undetermined. It limits the documents of an ideal ranking.
        exception: the type of the exception that is raised, if that is the convention.

    >>> word("gain", "exp"), word("ideal", "judged", "retrieved"), word("norel", "rejected", exception="ZeroDivisionError")
    ('2^grade - 1', 'all documents it receives', 'raises ZeroDivisionError')
    """
    return _ideal(axis, value, known) or AXES[axis].meaning(value).replace("an exception", exception or "an exception")


def phrase(axis: str, value: str, exception: str = "") -> str:
    """Return a convention as an item of a list.

    >>> phrase("gain", "exp"), phrase("norel", "rejected", "ZeroDivisionError")
    ('exponential gain (2^grade - 1)', 'ZeroDivisionError for queries without relevant documents')
    """
    return AXES[axis].phrase(value).replace("an exception", exception or "an exception")


def clause(axis: str, value: str, known: str = "all", exception: str = "") -> str:
    """Return what an implementation does that follows a convention.

    >>> clause("ideal", "given"), clause("ideal", "judged", "retrieved")
    ('its ideal ranking uses only retrieved documents', 'its ideal ranking uses all documents it receives')
    """
    if documents := _ideal(axis, value, known):
        return f"its ideal ranking uses {documents}"
    return AXES[axis].clause(value).replace("an exception", exception or "an exception")


def instead(axis: str, before: str, after: str) -> str:
    """Return a convention and the one that it replaces.

    >>> instead("ties", "docid-desc", "input"), instead("norel", "0", "dropped")
    ('tied documents in input order instead of by id, descending', \
'queries without relevant documents left out of the mean instead of 0')
    """
    return f"{phrase(axis, after)} instead of {word(axis, before)}"


def _ideal(axis: str, value: str, known: str) -> str:
    """Return the documents of the ideal ranking, if they depend on the judgments that are known."""
    if axis == "ideal" and value in {"judged", "given"} and known == "retrieved":
        return "all documents it receives"
    return "all documents whose grade it knows" if (axis, value, known) == ("ideal", "judged", "") else ""


def synonyms() -> dict[str, str]:
    """Return other words by which people search for an axis, or for a value (`ties=worst`)."""
    return tomllib.loads((Path(__file__).parent / "synonyms.toml").read_text(encoding="utf-8"))
