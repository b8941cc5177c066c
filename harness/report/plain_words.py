"""The axes and their values in a few plain words: what a row of a table is called, what a cell of it says, what a sentence says.

What an axis asks and what a value means stands with the axis; here stand only shorter words for the same. A value without a word of its
own is
called as conventions call it, and one without a clause is told by the phrase of its axis.
"""

from collections.abc import Mapping

from rankproof.reference_impl.conventions import AXES

GROUPS: Mapping[str, Mapping[str, str]] = {
    "Ties and order": {
        "ties": "Docs with the same score",
        "order": "Ranked by",
        "score": "Scores compared as",
        "score_sign": "Docs scored 0 or less",
        "infinite": "Infinite scores",
    },
    "Gain and discount": {
        "gain": "Gain of a rel",
        "gain_threshold": "Gain below the threshold",
        "discount": "Gain at rank i divided by",
        "err_max": "Highest grade",
        "rbp_gain": "Gain of a rel in RBP",
        "f_weight": "Recall weighted by",
    },
    "What is known, and the ideal": {
        "known": "Judgments it knows",
        "unretrieved": "Judged docs that were not retrieved",
        "ideal": "Ideal ranking made of",
        "ideal_cut": "Ideal ranking cut",
        "unjudged": "Docs without a judgment",
    },
    "What is divided by what": {
        "p_denominator": "P@k divided by",
        "r_denominator": "R@k divided by",
        "ap_denominator": "AP@k divided by",
        "rr_hits": "Reciprocal rank of",
        "judged_denominator": "Judged@k divided by",
        "recall_points": "Recall p reached at",
        "infap_epsilon": "Smoothing constant",
        "bpref_no_nonrel": "No doc judged non-relevant",
        "iprec_empty": "Precision at recall 0 of no docs",
    },
    "What is relevant": {"relevant": "A doc is relevant from", "negative": "Rels below 0", "grades": "Rels taken"},
    "Empty and odd queries": {
        "norel": "Query without relevant docs",
        "missing": "Judged query not in the run",
        "empty": "Query with an empty ranking",
        "extra": "Query without judgments",
        "no_judgments": "Query named without a judgment",
        "nohit": "Query without a hit",
        "allrel": "Query of relevant docs alone",
        "single": "Ranking of one doc",
        "short": "Ranking shorter than k",
        "mean": "Mean over queries",
        "no_query": "Mean over no query",
        "degenerate": "Where the formula is 0/0",
    },
    "Input": {
        "ids": "What an id may be",
        "run_duplicates": "Doc retrieved twice",
        "qrels_duplicates": "Doc judged twice",
        "own_doc": "Doc with the id of its query",
    },
}
"""The rows of a table of libraries by their groups, in the order in which people ask for them, and what each is called."""

LABELS = {axis: called for axes in GROUPS.values() for axis, called in axes.items()}
"""What a row is called."""

_QUERIES = {
    "0": "0",
    "1": "1",
    "0.5": "0.5",
    "nan": "undefined",
    "dropped": "left out",
    "rejected": "refused",
    "measured": "measured",
    "ignored": "left out",
    "nan-as-0": "undefined, 0 in the mean",
    "absent-as-0": "not listed, 0 in the mean",
    "nan-dropped": "undefined, not in the mean",
    "0-in-counts": "0, in counts too",
    "missing": "as if not in the run",
    "judged": "as a judged query",
    "extra": "as if not named",
}
WORDS: Mapping[str, Mapping[str, str]] = {
    "ties": {
        "docid-desc": "by docid, descending",
        "docid-asc": "by docid, ascending",
        "input": "order of rows",
        "input-reversed": "reverse order of rows",
        "last-rank": "all at the last rank",
        "expectation": "mean over all orders",
        "best": "best order",
        "worst": "worst order",
        "unspecified": "any order",
    },
    "order": {"score": "score", "rank": "rank column", "input": "order of rows"},
    "score": {"f64": "float64", "f32": "float32"},
    "score_sign": {"any": "retrieved", "positive": "not retrieved"},
    "infinite": {"ordered": "above all others", "rejected": "refused"},
    "gain": {"linear": "rel", "exp": "2^rel − 1", "binary": "1 if relevant"},
    "gain_threshold": {"ignored": "kept", "applied": "0"},
    "discount": {"log2": "log2(1 + i)", "ln": "ln(1 + i)", "rank": "i", "jk-2": "log2(max(i, 2))"},
    "err_max": {"query": "highest of the query", "probability": "none: rel is a probability"},
    "rbp_gain": {"binary": "1 if relevant", "grade": "rel", "normalised": "rel over the highest"},
    "f_weight": {"beta-squared": "beta squared", "beta": "beta"},
    "known": {"all": "all of the qrels", "retrieved": "of retrieved docs only"},
    "unretrieved": {"absent": "not ranked", "appended": "ranked last, tied"},
    "ideal": {
        "judged": "all judged docs",
        "given": "docs of the run",
        "retrieved": "docs within the cutoff",
        "max-gain": "k docs of the highest gain",
    },
    "ideal_cut": {"k": "at k", "min-k-n": "at min(k, n)", "never": "nowhere"},
    "unjudged": {"non-relevant": "not relevant", "removed": "taken out", "rejected": "refused"},
    "p_denominator": {"k": "k", "min-k-n": "min(k, n)", "min-k-R": "min(k, R)"},
    "r_denominator": {"R": "R", "min-k-R": "min(k, R)"},
    "ap_denominator": {
        "R": "R",
        "min-k-R": "min(k, R)",
        "min-k-R-n": "min(k, R, n)",
        "hits": "hits",
        "mean-p": "k: mean of P@1 … P@k",
    },
    "rr_hits": {"first": "first hit", "mean-over-hits": "all hits, over hits", "mean-over-R": "all hits, over R"},
    "judged_denominator": {"min-k-n": "min(k, n)", "k": "k"},
    "recall_points": {"ceil": "p R rounded up", "trunc-09": "p R + 0.9, cut", "round": "p R rounded"},
    "infap_epsilon": {"0": "none", "1e-5": "0.00001"},
    "bpref_no_nonrel": {"full": "counts in full", "0": "0", "nan": "undefined"},
    "iprec_empty": {"0": "0", "nan": "undefined"},
    "relevant": {
        "at-least": "the measure’s rel",
        "above-zero": "above 0",
        "above-half": "above 0.5",
        "non-zero": "any but 0",
    },
    "negative": {
        "unjudged": "unjudged",
        "non-relevant": "not relevant",
        "as-is": "negative gain",
        "rejected": "refused",
    },
    "grades": {
        "any": "any",
        "truncated": "cut to whole numbers",
        "rejected": "whole numbers only",
        "whole-to-4": "0 to 4 only",
        "binary": "0 and 1 only",
        "two-values": "two values only",
    },
    "single": {"measured": "measured", "rejected": "refused"},
    "short": {"measured": "measured", "rejected": "refused"},
    "mean": {"arithmetic": "arithmetic", "geometric": "geometric", "pooled": "pooled"},
    "no_query": {"nan": "undefined", "0": "0"},
    "degenerate": {"1": "1", "0": "0", "nan": "undefined"},
    "ids": {
        "any": "anything",
        "text": "text only",
        "text-docs": "docs: text only",
        "digit-queries": "queries: digits only",
    },
    "run_duplicates": {
        "rejected": "refused",
        "first": "first row counts",
        "last": "last row counts",
        "both": "both rows count",
        "once": "credited once",
    },
    "qrels_duplicates": {
        "rejected": "refused",
        "first": "first rel counts",
        "last": "last rel counts",
        "both": "both rels count",
        "highest": "highest rel counts",
        "same-rank": "both rels count, at one rank",
    },
    "own_doc": {"kept": "ranked", "removed": "removed"},
    **{
        axis: {value: _QUERIES[value] for value in AXES[axis].values if value in _QUERIES}
        for axis in ("norel", "missing", "empty", "extra", "no_judgments", "nohit", "allrel")
    },
}
"""By axis, what a cell says of a value."""

CLAUSES: Mapping[tuple[str, str], str] = {
    ("gain", "linear"): "gain is the rel",
    ("gain", "exp"): "gain is 2^rel - 1",
    ("gain", "binary"): "gain is 1 if relevant",
    ("ties", "docid-desc"): "orders ties by docid, descending",
    ("ties", "docid-asc"): "orders ties by docid, ascending",
    ("ties", "input"): "leaves ties in the order of the rows",
    ("ties", "input-reversed"): "leaves ties in the reverse order of the rows",
    ("ties", "last-rank"): "puts all tied docs at their last rank",
    ("ties", "expectation"): "averages tied orders",
    ("ties", "best"): "takes the best order of ties",
    ("ties", "worst"): "takes the worst order of ties",
    ("ties", "unspecified"): "leaves ties in no order that could be named",
    ("known", "retrieved"): "never sees docs that were not retrieved",
    ("unretrieved", "appended"): "ranks judged docs that were not retrieved last",
    ("ideal", "judged"): "makes the ideal of all judged docs",
    ("ideal", "given"): "makes the ideal of the docs of the run",
    ("ideal", "retrieved"): "makes the ideal of the docs within the cutoff",
    ("ideal", "max-gain"): "makes the ideal of k docs of the highest gain",
    ("ap_denominator", "R"): "divides by the number of relevant docs",
    ("ap_denominator", "min-k-R"): "divides by min(k, R)",
    ("ap_denominator", "min-k-R-n"): "divides by min(k, R, n)",
    ("ap_denominator", "hits"): "divides by the hits",
    ("ap_denominator", "mean-p"): "is the mean of P@1 to P@k",
    ("p_denominator", "k"): "divides by k",
    ("p_denominator", "min-k-n"): "divides by k or the docs retrieved, whichever is less",
    ("p_denominator", "min-k-R"): "divides by k or the relevant docs, whichever is less",
    ("r_denominator", "R"): "divides by all relevant docs",
    ("r_denominator", "min-k-R"): "divides by k or the relevant docs, if fewer",
    ("order", "input"): "ranks by the order of the rows, whatever the scores",
    ("order", "rank"): "ranks by the rank column",
    ("norel", "0"): "a query without relevant docs is 0",
    ("norel", "1"): "a query without relevant docs is 1",
    ("norel", "nan"): "a query without relevant docs is undefined",
    ("norel", "dropped"): "leaves out queries without relevant docs",
    ("norel", "rejected"): "refuses queries without relevant docs",
    ("missing", "dropped"): "leaves out judged queries that are not in the run",
    ("missing", "rejected"): "refuses a run that lacks a judged query",
    ("single", "rejected"): "refuses queries of one doc",
    ("short", "rejected"): "refuses rankings shorter than k",
    ("negative", "rejected"): "refuses rels below 0",
    ("negative", "as-is"): "takes rels below 0 as negative gains",
    ("score", "f32"): "compares scores as float32",
    ("unjudged", "removed"): "takes docs without a judgment out",
}
"""What a sentence about a library says of a value."""


def rows() -> dict[str, str]:
    """Every axis with its group, in the order of the rows of a table; one that no group has stands at the end."""
    found = {axis: group for group, axes in GROUPS.items() for axis in axes}
    return found | {axis: "Other choices" for axis in AXES if axis not in found}


def label(axis: str) -> str:
    """What the row of an axis is called.

    >>> label("norel")
    'Query without relevant docs'
    """
    return LABELS.get(axis, AXES[axis].question.rstrip("?") if axis in AXES else axis)


def word(axis: str, value: str, known: str = "all") -> str:
    """What a cell says of a value.

    Args:
        axis: the axis.
        value: the value on it.
        known: the value of the axis `known` beside it, empty where it is undetermined: who knows of retrieved docs only makes the ideal
            of the docs that it is given.

    >>> word("gain", "exp"), word("ties", "expectation"), word("ideal", "judged", "retrieved"), word("discount", "jk-3")
    ('2^rel − 1', 'mean over all orders', 'all docs it is given', 'log3(max(i, 3))')
    """
    if ideal := _ideal(axis, value, known):
        return ideal
    own = WORDS.get(axis, {}).get(value)
    return own or (AXES[axis].phrase(value) if axis in {"discount", "gain"} else value)


def clause(axis: str, value: str, known: str = "all") -> str:
    """What a sentence about a library says of a value.

    >>> clause("gain", "linear"), clause("ideal", "judged", "retrieved"), clause("mean", "geometric")
    ('gain is the rel', 'makes the ideal of all docs it is given', 'geometric mean')
    """
    if ideal := _ideal(axis, value, known):
        return f"makes the ideal of {ideal}"
    return CLAUSES.get((axis, value)) or AXES[axis].phrase(value)


def _ideal(axis: str, value: str, known: str) -> str:
    """What the ideal is made of, where that depends on what is known.

    To who is given retrieved docs only, all docs known and all docs of the run are the same.
    """
    if axis == "ideal" and value in {"judged", "given"} and known == "retrieved":
        return "all docs it is given"
    return "all docs whose rel it knows" if (axis, value, known) == ("ideal", "judged", "") else ""


ALSO: Mapping[str, str] = {
    "ties": "tie break tiebreak breaking tied same equal scores sort stable order",
    "ties=expectation": "average averages averaged mean expected random shuffle fractional",
    "ties=docid-desc": "docid document id descending name alphabetical",
    "ties=docid-asc": "docid document id ascending name alphabetical",
    "ties=input": "row order stable input as given",
    "ties=worst": "pessimistic last",
    "ties=best": "optimistic first",
    "ties=unspecified": "unstable quicksort arbitrary",
    "gain": "gain grade graded relevance numerator",
    "gain=exp": "2^rel 2**rel 2^rel-1 exponential exp power burges",
    "gain=linear": "linear rel",
    "gain=binary": "binary",
    "discount": "discount log log2 logarithm denominator",
    "ideal": "ideal idcg normaliser normalizer normalisation",
    "known": "unretrieved missing judgments recall base qrels known not retrieved",
    "norel": "no relevant docs empty query zero nan undefined",
    "missing": "missing query absent skipped averaged over queries",
    "empty": "empty ranking result list",
    "extra": "unjudged query",
    "unjudged": "unjudged holes condensed",
    "p_denominator": "fewer than k short list",
    "r_denominator": "recall capped denominator",
    "ap_denominator": "map average precision divisor denominator",
    "score": "float32 float64 precision rounding",
    "single": "one doc single",
    "negative": "negative judgments",
    "relevant": "threshold relevance level binarise binarize",
    "run_duplicates": "duplicate docs twice repeated",
    "qrels_duplicates": "duplicate judgments twice repeated",
    "own_doc": "own document query id identical ids same id",
    "mean": "geometric macro micro pooled average over queries",
    "no_query": "empty mean nan zero no queries nothing in common",
    "order": "rank column ranking",
    "unretrieved": "not retrieved appended",
    "nohit": "no hit nothing found",
    "ids": "id integer string",
}
"""Other words by which people look for an axis, or for a value on it."""
