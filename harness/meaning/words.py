"""A profile in words: what a person says who is asked which nDCG it is."""

import re
from collections.abc import Collection, Iterator

from rankproof.meaning.deciding_axes import free_axes
from rankproof.meaning.equivalent_choices import settled
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.notation import Measure

_ALWAYS = ("gain", "discount", "ideal", "p_denominator", "r_denominator", "ap_denominator", "err_max", "ties", "norel")
"""The axes of which is always told, where they can matter; of the others only what is not as in `standard`."""

_PHRASES = {
    "order": {"rank": "ranked by the rank column", "input": "ranked as the rows come"},
    "ties": {
        "docid-desc": "ties by docid descending", "docid-asc": "ties by docid ascending", "input": "ties in input order",
        "input-reversed": "ties in reverse input order", "last-rank": "ties at the last rank of their group",
        "expectation": "the mean over all orders of ties", "best": "ties in the best order",
        "worst": "ties in the worst order", "unspecified": "ties in no order that could be named",
    },
    "score": {"f32": "scores compared as float32"},
    "score_sign": {"positive": "docs scored 0 or less not retrieved"},
    "unretrieved": {"appended": "judged docs that were not retrieved appended, tied"},
    "known": {"retrieved": "judgments of retrieved docs only"},
    "unjudged": {"removed": "unjudged docs taken out", "rejected": "unjudged docs refused"},
    "negative": {"non-relevant": "negative rels as 0", "as-is": "negative rels as negative gains", "rejected": "negative rels refused"},
    "relevant": {"above-zero": "relevant above rel 0", "above-half": "relevant above rel 0.5"},
    "grades": {
        "truncated": "fractional rels cut to whole ones", "rejected": "fractional rels refused",
        "whole-to-4": "rels other than 0 to 4 refused", "binary": "rels other than 0 and 1 refused",
    },
    "gain": {"linear": "linear gain", "exp": "gain 2^rel - 1", "binary": "gain 1 if relevant"},
    "gain_threshold": {"applied": "no gain below the threshold"},
    "discount": {"log2": "log2(1+i)", "ln": "ln(1+i)", "rank": "discount i", "jk-2": "log2(max(i, 2))"},
    "ideal": {
        "judged": "ideal from all judged docs", "given": "ideal from all docs of the run",
        "retrieved": "ideal from retrieved docs", "max-gain": "ideal of the highest gain throughout",
    },
    "ideal_cut": {"never": "the ideal not cut"},
    "p_denominator": {"k": "over k", "min-k-n": "over min(k, n)", "min-k-R": "over min(k, R)"},
    "r_denominator": {"R": "over R", "min-k-R": "over min(k, R)"},
    "ap_denominator": {
        "R": "over R", "min-k-R": "over min(k, R)", "min-k-R-n": "over min(k, R, n)", "hits": "over the hits",
        "mean-p": "the mean of P@1 to P@k",
    },
    "err_max": {"query": "highest grade that of the query", "probability": "rels as probabilities"},
    "missing": {
        "measured": "missing query measured as empty", "nan": "missing query undefined", "dropped": "missing query left out",
        "rejected": "missing query refused",
    },
    "no_judgments": {"extra": "a query without a judgment taken as not named"},
    "extra": {
        "0": "query without judgments worth 0", "measured": "query without judgments measured",
        "rejected": "query without judgments refused",
    },
    "norel": {
        "0": "query without relevant docs worth 0", "1": "query without relevant docs worth 1",
        "nan": "query without relevant docs undefined", "dropped": "query without relevant docs left out",
        "rejected": "query without relevant docs refused",
    },
    "empty": {
        "nan": "empty ranking undefined", "dropped": "empty ranking left out", "rejected": "empty ranking refused",
        "missing": "empty ranking as a missing query",
    },
    "nohit": {"nan": "query without a hit undefined", "dropped": "query without a hit left out"},
    "single": {"rejected": "a single doc refused"},
    "short": {"rejected": "a ranking shorter than k refused"},
    "mean": {"geometric": "geometric mean", "pooled": "pooled mean"},
    "run_duplicates": {
        "first": "first row of a doc retrieved twice", "last": "last row of a doc retrieved twice",
        "both": "both rows of a doc retrieved twice",
        "once": "both rows of a doc retrieved twice, credited once",
    },
    "qrels_duplicates": {
        "first": "first of two judgments", "last": "last of two judgments", "both": "both of two judgments",
    },
    "ids": {"text": "ids that are numbers refused", "digit-queries": "queries with a name refused"},
    "infinite": {"rejected": "infinite scores refused"},
}  # fmt: skip


def in_words(conventions: Conventions, measure: Measure, without: Collection[str] = ()) -> str:
    """The conventions that can matter to a measure, in words: the headline choices, then what is not as in `standard`.

    Nothing is said of the axes in `without`.

    >>> from rankproof.reference_impl.notation import parse
    >>> in_words(Conventions(ideal="retrieved", ties="input"), parse("nDCG@10"))
    'linear gain, log2(1+i), ideal from retrieved docs, ties in input order, query without relevant docs worth 0'
    >>> in_words(Conventions(score="f32"), parse("P@5"))
    'over k, ties by docid descending, query without relevant docs worth 0, scores compared as float32'
    """
    effective = conventions if measure.of_labels else measure.conventions(conventions)
    return ", ".join(_phrases(effective, measure, without)) or "as in standard"


def _phrases(conventions: Conventions, measure: Measure, without: Collection[str]) -> Iterator[str]:
    free = free_axes(measure)
    plain = settled(measure, {axis: getattr(conventions, axis) for axis in AXES})
    fixed = () if measure.of_labels else tuple(axis for axis in measure.definition.own_axes if axis not in free)
    told = [axis for axis in _ALWAYS if axis in free or axis in fixed]
    for axis in [*told, *(axis for axis in free if axis not in told)]:
        value = getattr(conventions, axis) if axis in fixed else plain[axis]
        if axis in without:
            continue
        if (axis, value, conventions.known) == ("ideal", "judged", "retrieved"):
            yield "ideal from all docs given"
        elif axis in told or value != getattr(STANDARD, axis):
            yield phrase(axis, value)


def phrase(axis: str, value: str) -> str:
    """One choice in words."""
    if value in _PHRASES.get(axis, {}):
        return _PHRASES[axis][value]
    if found := re.fullmatch(r"jk-(\d+)", value):
        return f"log{found[1]}(max(i, {found[1]}))"
    if value.startswith("map:"):
        return "gains " + value.removeprefix("map:").replace("=", ":").replace(",", ", ")
    return f"{axis.replace('_', ' ')} {value}"
