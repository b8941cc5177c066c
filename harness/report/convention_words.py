"""Conventions in words: a label for each axis, a noun phrase for lists, and a clause that says what an implementation does."""

from collections.abc import Mapping

from rankproof.reference_impl.conventions import AXES

LABELS: Mapping[str, str] = {
    "order": "order",
    "ties": "tied documents",
    "score": "score precision",
    "score_sign": "scores below 0",
    "infinite": "infinite scores",
    "run_duplicates": "retrieved twice",
    "own_doc": "query's own doc",
    "unretrieved": "unretrieved docs",
    "ids": "ids",
    "known": "known judgments",
    "unjudged": "unjudged docs",
    "negative": "negative grades",
    "relevant": "relevance",
    "grades": "grades",
    "qrels_duplicates": "judged twice",
    "gain": "gain",
    "gain_threshold": "gain threshold",
    "discount": "discount",
    "ideal": "ideal ranking",
    "ideal_cut": "ideal cutoff",
    "p_denominator": "denominator of P",
    "r_denominator": "denominator of R",
    "ap_denominator": "divisor of AP",
    "rr_hits": "hits of RR",
    "judged_denominator": "divisor",
    "f_weight": "weight of recall",
    "err_max": "highest grade",
    "rbp_gain": "gain",
    "degenerate": "0/0",
    "missing": "missing queries",
    "no_judgments": "no judgments",
    "extra": "unjudged queries",
    "norel": "no relevant docs",
    "allrel": "all relevant",
    "empty": "empty ranking",
    "nohit": "no hit",
    "single": "single document",
    "short": "short ranking",
    "mean": "mean",
    "no_query": "no query left",
}
"""Labels of at most 16 characters."""

_QUERIES = {
    "missing": "queries missing from the run",
    "norel": "queries without relevant documents",
    "allrel": "queries without non-relevant documents",
    "empty": "empty rankings",
    "nohit": "queries without a hit",
    "extra": "queries without judgments",
    "single": "rankings of a single document",
    "short": "rankings shorter than the cutoff",
    "unjudged": "unjudged documents",
    "negative": "negative grades",
    "grades": "other grades than expected",
    "infinite": "infinite scores",
    "ids": "ids that are numbers",
    "run_duplicates": "documents retrieved twice",
    "own_doc": "documents with the id of their query",
    "qrels_duplicates": "documents judged twice",
    "no_query": "a mean over no query",
}
"""What an axis is about, for values that several axes have."""
_SHARED = {
    "0": ("{} scored 0", "{} score 0"),
    "1": ("{} scored 1", "{} score 1"),
    "0.5": ("{} scored 0.5", "{} score 0.5"),
    "nan": ("{} undefined (NaN)", "{} are undefined (NaN)"),
    "dropped": ("{} left out of the mean", "{} are left out of the mean"),
    "rejected": ("an exception for {}", "it raises an exception for {}"),
    "nan-as-0": ("{} undefined (NaN) but 0 in the mean", "{} are undefined (NaN) and count 0 in the mean"),
    "absent-as-0": ("{} not listed but 0 in the mean", "{} are not listed and count 0 in the mean"),
    "nan-dropped": (
        "{} are undefined (NaN) and left out of the mean",
        "{} are undefined (NaN) and left out of the mean",
    ),
    "measured": ("{} measured like any other", "{} are measured like any other"),
}
_WORDS: Mapping[tuple[str, str], tuple[str, str]] = {
    ("order", "rank"): ("documents ordered by the rank column", "it orders documents by the rank column"),
    ("order", "input"): ("documents in input order", "it keeps the input order instead of sorting by score"),
    ("ties", "docid-asc"): ("tied documents by id, ascending", "it sorts tied documents by id, ascending"),
    ("ties", "docid-desc"): ("tied documents by id, descending", "it sorts tied documents by id, descending"),
    ("ties", "input"): ("tied documents in input order", "it keeps tied documents in input order"),
    ("ties", "input-reversed"): (
        "tied documents in reverse input order",
        "it reverses the input order of tied documents",
    ),
    ("ties", "last-rank"): (
        "tied documents at the last rank of their group",
        "it gives tied documents the last rank of their group",
    ),
    ("ties", "expectation"): (
        "the mean over all orders of tied documents",
        "it averages over all orders of tied documents",
    ),
    ("ties", "best"): ("tied documents in the best order", "it ranks tied documents in the best order"),
    ("ties", "worst"): ("tied documents in the worst order", "it ranks tied documents in the worst order"),
    ("ties", "unspecified"): ("no consistent order of tied documents", "it has no consistent order of tied documents"),
    ("score", "f32"): ("scores compared as float32", "it compares scores as float32"),
    ("score_sign", "positive"): (
        "documents scored 0 or less not retrieved",
        "it leaves out documents scored 0 or less",
    ),
    ("run_duplicates", "first"): ("the first of two occurrences", "it counts the first of two occurrences"),
    ("run_duplicates", "last"): ("the last of two occurrences", "it counts the last of two occurrences"),
    ("run_duplicates", "both"): ("both occurrences of a document", "it counts both occurrences of a document"),
    ("run_duplicates", "once"): ("one credit for two occurrences", "it credits one of two occurrences"),
    ("own_doc", "removed"): (
        "documents with the id of their query removed",
        "it removes documents with the id of their query",
    ),
    ("qrels_duplicates", "same-rank"): (
        "both judgments of a document at its rank",
        "it counts both judgments of a document at its rank",
    ),
    ("unretrieved", "appended"): ("unretrieved documents appended", "it appends unretrieved documents to the ranking"),
    ("known", "retrieved"): ("judgments of retrieved documents only", "it uses judgments of retrieved documents only"),
    ("unjudged", "removed"): ("unjudged documents removed", "it removes unjudged documents from the ranking"),
    ("negative", "as-is"): ("negative grades as negative gains", "negative grades are negative gains"),
    ("negative", "non-relevant"): ("negative grades as 0", "negative grades count as 0"),
    ("relevant", "above-zero"): ("documents relevant above grade 0", "any grade above 0 is relevant"),
    ("relevant", "above-half"): ("documents relevant above grade 0.5", "any grade above 0.5 is relevant"),
    ("relevant", "non-zero"): ("documents relevant by any grade but 0", "any grade but 0 is relevant"),
    ("grades", "truncated"): ("grades cut to whole numbers", "it cuts grades to whole numbers"),
    ("grades", "binary"): (
        "an exception for grades other than 0 and 1",
        "it raises an exception for grades other than 0 and 1",
    ),
    ("grades", "whole-to-4"): (
        "an exception for grades other than 0 to 4",
        "it raises an exception for grades other than 0 to 4",
    ),
    ("grades", "two-values"): ("an exception for a third grade", "it raises an exception for a third grade"),
    ("gain", "exp"): ("exponential gain (2^grade - 1)", "its gain is exponential (2^grade - 1)"),
    ("gain", "binary"): ("binary gain", "its gain is binary"),
    ("gain", "linear"): ("linear gain", "its gain is the grade"),
    ("gain_threshold", "applied"): ("no gain below the relevance threshold", "grades below the threshold have no gain"),
    ("discount", "log2"): ("the discount log2(rank + 1)", "its discount is log2(rank + 1)"),
    ("ideal", "judged"): ("an ideal ranking of all judged documents", "its ideal ranking has all judged documents"),
    ("ideal_cut", "k"): ("an ideal ranking cut at k", "its ideal ranking is cut at k"),
    ("p_denominator", "k"): ("division by k", "it divides by k"),
    ("r_denominator", "R"): ("division by R", "it divides by R"),
    ("ap_denominator", "R"): ("division by R", "it divides by R"),
    ("rr_hits", "first"): ("the first hit", "it takes the first hit"),
    ("known", "all"): ("all judgments", "it uses all judgments"),
    ("order", "score"): ("documents ordered by score", "it orders documents by score"),
    ("score", "f64"): ("scores compared as float64", "it compares scores as float64"),
    ("unjudged", "non-relevant"): ("unjudged documents not relevant", "unjudged documents are not relevant"),
    ("relevant", "at-least"): ("documents relevant from the threshold on", "grades from the threshold on are relevant"),
    ("grades", "any"): ("all grades", "it takes all grades"),
    ("discount", "ln"): ("a natural-log discount (ln(rank + 1))", "its discount is ln(rank + 1)"),
    ("discount", "rank"): ("the rank as discount", "its discount is the rank instead of log2(rank + 1)"),
    ("discount", "jk-2"): ("no discount at ranks 1 and 2 (log2(max(rank, 2)))", "its discount is log2(max(rank, 2))"),
    ("ideal", "given"): ("an ideal ranking of retrieved documents", "its ideal ranking uses only retrieved documents"),
    ("ideal", "retrieved"): (
        "an ideal ranking of the documents within the cutoff",
        "its ideal ranking uses only documents retrieved within the cutoff",
    ),
    ("ideal", "max-gain"): (
        "an ideal ranking of the highest gain throughout",
        "its ideal ranking has the highest gain at every rank",
    ),
    ("ideal_cut", "min-k-n"): (
        "an ideal ranking cut at min(k, n), n documents retrieved",
        "its ideal ranking is not longer than the ranking (cut at min(k, n), n documents retrieved)",
    ),
    ("ideal_cut", "never"): ("an ideal ranking that is not cut", "its ideal ranking is not cut at k"),
    ("p_denominator", "min-k-n"): (
        "division by min(k, n), n documents retrieved",
        "it divides by min(k, n), n documents retrieved, instead of k",
    ),
    ("p_denominator", "min-k-R"): (
        "division by min(k, R), R documents relevant",
        "it divides by min(k, R) instead of k",
    ),
    ("r_denominator", "min-k-R"): (
        "division by min(k, R), R documents relevant",
        "it divides by min(k, R) instead of R",
    ),
    ("ap_denominator", "min-k-R"): (
        "division by min(k, R), R documents relevant",
        "it divides by min(k, R) instead of R",
    ),
    ("ap_denominator", "min-k-R-n"): ("division by min(k, R, n)", "it divides by min(k, R, n) instead of R"),
    ("ap_denominator", "hits"): (
        "division by the number of hits",
        "it divides by the hits instead of all relevant documents",
    ),
    ("ap_denominator", "mean-p"): ("the mean of P@1 to P@k", "it is the mean of P@1 to P@k"),
    ("rr_hits", "mean-over-hits"): ("the mean over all hits", "it averages the reciprocal ranks of all hits"),
    ("rr_hits", "mean-over-R"): (
        "the sum over all hits, divided by R",
        "it sums the reciprocal ranks of all hits and divides by R",
    ),
    ("judged_denominator", "k"): ("division by k", "it divides by k"),
    ("f_weight", "beta"): ("recall weighted by beta", "it weights recall by beta instead of its square"),
    ("err_max", "query"): ("the highest grade of the query", "its highest grade is that of the query"),
    ("err_max", "probability"): ("grades as probabilities", "it takes grades as probabilities"),
    ("rbp_gain", "grade"): ("the grade as gain", "its gain is the grade"),
    ("rbp_gain", "normalised"): (
        "the grade over the highest grade as gain",
        "its gain is the grade over the highest grade",
    ),
    ("missing", "0-in-counts"): (
        "missing queries score 0, also in counts",
        "queries missing from the run score 0, also in counts",
    ),
    ("no_judgments", "extra"): (
        "queries without a judgment as if not in the qrels",
        "it ignores queries without a judgment",
    ),
    ("empty", "missing"): ("empty rankings as missing queries", "empty rankings count as missing queries"),
    ("mean", "geometric"): ("the geometric mean", "it takes the geometric mean over queries"),
    ("mean", "pooled"): ("the pooled mean", "it pools all queries before dividing"),
    ("degenerate", "0"): ("0/0 as 0", "0/0 scores 0"),
    ("degenerate", "1"): ("0/0 as 1", "0/0 scores 1"),
    ("degenerate", "nan"): ("0/0 undefined", "0/0 is undefined"),
}


def label_of(axis: str) -> str:
    """Return the label of an axis."""
    return LABELS.get(axis, axis.replace("_", " "))


def phrase_of(axis: str, value: str, exception: str = "") -> str:
    """Return a convention as an item of a list.

    >>> phrase_of("gain", "exp"), phrase_of("norel", "rejected", "ZeroDivisionError")
    ('exponential gain (2^grade - 1)', 'ZeroDivisionError for queries without relevant documents')
    """
    return _words(axis, value)[0].replace("an exception", exception or "an exception")


def clause_of(axis: str, value: str, exception: str = "") -> str:
    """Return what an implementation with a convention does.

    >>> clause_of("ideal", "given")
    'its ideal ranking uses only retrieved documents'
    """
    return _words(axis, value)[1].replace("an exception", exception or "an exception")


def value_of(axis: str, value: str, exception: str = "") -> str:
    """Return a convention beside the label of its axis.

    >>> value_of("norel", "rejected", "ZeroDivisionError"), value_of("norel", "0"), value_of("gain", "exp")
    ('raises ZeroDivisionError', '0', 'exponential gain (2^grade - 1)')
    """
    if value == "rejected":
        return f"raises {exception or 'an exception'}"
    return value if (axis, value) not in _WORDS and value in {"0", "1", "0.5"} else phrase_of(axis, value, exception)


def _words(axis: str, value: str) -> tuple[str, str]:
    if (axis, value) in _WORDS:
        return _WORDS[axis, value]
    if axis in _QUERIES and value in _SHARED:
        phrase, clause = _SHARED[value]
        return phrase.format(_QUERIES[axis]), clause.format(_QUERIES[axis])
    if axis == "discount" and value.startswith("jk-"):
        base = value.removeprefix("jk-")
        return (
            f"no discount up to rank {base} (log{base}(max(rank, {base})))",
            f"its discount is log{base}(max(rank, {base}))",
        )
    text = AXES[axis].phrase(value)
    return text, f"it has {text}"
