"""Canonical profiles: equivalent choices are replaced by one of them.

A choice can be idle next to the others. Without a cutoff, `ap_denominator=min-k-R` is `R`. If empty rankings are
dropped, `missing=measured` is `dropped`. Each rule here replaces one choice by an equivalent one, so profiles with
one canonical form give the same values on any input. A test compares the rules with brute force on the corpus.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import trunc

from rankproof.inference.deciding_axes import free_axes
from rankproof.inference.signatures import axes_of
from rankproof.measure_facts import Profile, declares, fixed_by_parameters, looks_at
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.definition import Read
from rankproof.reference_impl.evaluation import OF_MEANS
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ties import OVER_ORDERS

WHOLE = frozenset({"truncated", "rejected", "whole-to-4", "binary"})
"""The choices of `grades` that leave only integer grades."""
ROWS: frozenset[Read] = frozenset({"order", "k", "n"})
"""The inputs of a formula that need no judgments."""

_OF_RELEVANCE: frozenset[Read] = frozenset({"first hit", "relevant", "R", "non-relevant"})
_DEFAULT = {axis: getattr(STANDARD, axis) for axis in AXES}
Idle = Iterator[tuple[str, str]]
"""Pairs of an axis and the equivalent choice on it."""


def canonical_profile(measure: Measure, profile: Profile) -> dict[str, str]:
    """Return the profile with a canonical choice on each axis that cannot matter, if possible that of `standard`.

    Profiles with one canonical form give the same values for every input whose scores are numbers.

    >>> from rankproof.reference_impl.notation import parse
    >>> of = lambda measure, **changes: canonical_profile(parse(measure), {axis: getattr(STANDARD, axis) for axis in AXES} | changes)
    >>> of("nDCG@5", discount="ln")["discount"], of("DCG@5", discount="ln")["discount"], of("R", r_denominator="min-k-R")["r_denominator"]
    ('log2', 'ln', 'R')
    """
    return {**_DEFAULT, **dict(_canonical_choices(measure, tuple(profile[axis] for axis in free_axes(measure))))}


def can_matter(measure: Measure) -> tuple[str, ...]:
    """Return the axes of a measure with choices that differ; a measure that ignores the order has no `ties`.

    >>> from rankproof.reference_impl.notation import parse
    >>> ["ties" in can_matter(parse(measure)) for measure in ("P@5", "SetF", "NumQ")]
    [True, False, False]
    >>> ["allrel" in can_matter(parse(measure)) for measure in ("P@5", "AUC")]
    [False, True]
    """
    every = axes_of(measure)
    if measure.of_labels:
        return every
    never = set(_never(measure))
    return tuple(axis for axis in every if axis not in never)


def _never(measure: Measure) -> Iterator[str]:
    definition = measure.definition
    if "order" not in looks_at(measure, _DEFAULT):
        yield from ("order", "ties", "score")
    if "allrel" not in definition.undefined:
        yield "allrel"
    if never_undefined(measure):
        yield "norel"
    if definition.total == "sum":
        yield from OF_MEANS
    if measure.k is None:
        yield "short"


@lru_cache(maxsize=65_536)
def _canonical_choices(measure: Measure, chosen: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the canonical choices that differ from `standard`, cached because a search repeats the same choices."""
    fixed = fixed_by_parameters(measure)
    p = {**_DEFAULT, **dict(zip(free_axes(measure), chosen, strict=True)), **fixed}
    if not measure.of_labels:
        for axis, value in _idle(measure, p):
            p |= {axis: value}  # an idle choice may make another one idle
    return tuple((axis, value) for axis, value in p.items() if value != _DEFAULT[axis] and axis not in fixed)


def _idle(measure: Measure, p: Profile) -> Idle:
    yield from _idle_formula(measure, p)
    yield from _idle_order(measure, p)
    yield from _idle_sums(measure, p) if measure.definition.total == "sum" else _idle_means(p)
    if p["grades"] == "two-values":
        return  # each document in a ranking or left out of it can decide whether there is a third grade
    yield from _idle_rels(measure, p)
    yield from _idle_queries(measure, p)
    yield from _idle_unretrieved(measure, p)


# -- the formula ----------------------------------------------------------------------------------------------------


def _idle_formula(measure: Measure, p: Profile) -> Idle:
    if measure.k is None:
        yield "short", "measured"
    if declares(measure):
        yield from _idle_own_axes(measure, p)


def _idle_own_axes(measure: Measure, p: Profile) -> Idle:
    """Yield equivalent choices on the axes of the formula itself, by the descriptions of these choices."""
    if measure.definition.constant_cancels and p["discount"] == "ln":
        yield "discount", "log2"
    if p["gain"] == "binary":
        yield "gain_threshold", "ignored"
    if dict(measure.arguments).get("beta", 1) == 1:
        yield "f_weight", "beta-squared"
    if measure.definition.cutoff == "recall" and measure.cutoff == 0:
        yield "recall_points", "ceil"  # recall 0 needs no relevant document
    if p["ideal_cut"] == "min-k-n" and (p["ideal"] == "given" or _all_known_are_ranked(p)):
        yield "ideal_cut", "k"
    if measure.k is None:
        if p["ideal_cut"] == "never" or p["ideal"] != "judged":
            yield "ideal_cut", "k"
        yield from (("r_denominator", "R"), ("judged_denominator", "min-k-n"))
        same = {("ideal", "retrieved"): "given", ("ap_denominator", "min-k-R"): "R", ("p_denominator", "min-k-n"): "k"}
        yield from ((axis, value) for (axis, written), value in same.items() if p[axis] == written)
    elif p["ideal"] in {"max-gain", "retrieved"}:
        yield "ideal_cut", "k"


def _all_known_are_ranked(p: Profile) -> bool:
    """Return whether all documents with known judgments are ranked."""
    return p["known"] == "retrieved" or p["unretrieved"] == "appended"


# -- order ----------------------------------------------------------------------------------------------------------


def _idle_order(measure: Measure, p: Profile) -> Idle:
    looked_at = looks_at(measure, p)
    # The first row of a document decides where the first hit is, and the number of rows is the same.
    of_rows = bool(looked_at) and looked_at <= ROWS | {"first hit"}
    if p["run_duplicates"] == "once" and of_rows and ("first hit" not in looked_at or p["ties"] not in OVER_ORDERS):
        yield "run_duplicates", "both"
    if "order" not in looked_at:
        yield from (("order", "score"), ("ties", "docid-desc"), ("score", "f64"))
        yield from _idle_duplicates_of_sets(looked_at, measure, p)
    elif measure.definition.last_rank_is_worst and p["ties"] == "last-rank":
        yield "ties", "worst"  # relevant documents have the last rank of their tie there as well
    elif p["order"] != "score":
        yield "score", "f64"
        if p["unretrieved"] == "absent" and p["qrels_duplicates"] != "both":
            yield "ties", "docid-desc"


def _idle_duplicates_of_sets(looked_at: frozenset[Read], measure: Measure, p: Profile) -> Idle:
    of_qrels = bool(looked_at) and looked_at <= {"R", "judgments"}
    same = {"last", "both"} if of_qrels and (p["known"], p["single"]) == ("all", "measured") else {"last"}
    if p["run_duplicates"] in same and p["score_sign"] == "any":
        yield "run_duplicates", "first"
    of_relevant = bool(looked_at) and looked_at <= {"relevant", "R"}
    counted_once = p["run_duplicates"] == "once" and of_relevant and measure.k is None
    if counted_once and (p["score_sign"], p["single"]) == ("any", "measured"):
        yield "run_duplicates", "first"


# -- judge ----------------------------------------------------------------------------------------------------------


def _idle_rels(measure: Measure, p: Profile) -> Idle:
    yield from _idle_relevant(measure, p)
    yield from _idle_negative(measure, p)
    yield from _idle_relevant(measure, p)  # again, because it and `_idle_negative` depend on each other
    if p["grades"] == "truncated" and _whole_is_enough(measure, p):
        yield "grades", "any"
    looked_at = looks_at(measure, p)
    if p["qrels_duplicates"] == "same-rank" and looked_at <= ROWS | {"first hit"}:
        yield "qrels_duplicates", "highest"
    elif p["qrels_duplicates"] == "same-rank" and looked_at.isdisjoint(ROWS) and p["single"] == "measured":
        yield "qrels_duplicates", "both"
    counts_docs = bool(looked_at) and looked_at <= ROWS | {"pool"} and never_undefined(measure)
    plain = (p["nohit"], p["unjudged"]) == ("measured", "non-relevant")
    if counts_docs and plain and p["qrels_duplicates"] in {"last", "highest"}:
        yield "qrels_duplicates", "first"


def _idle_relevant(measure: Measure, p: Profile) -> Idle:
    if p["relevant"] == "non-zero" and (p["negative"] != "as-is" or p["grades"] == "binary"):
        yield "relevant", "above-zero"
    if not asks_relevance(measure, p) and p["nohit"] == "measured" and p["norel"] == "0":
        yield "relevant", "at-least"
    elif p["grades"] in WHOLE and p["relevant"] not in {"at-least", "non-zero"}:
        yield "relevant", "at-least" if 0 < measure.rel <= 1 else "above-zero"


def _idle_negative(measure: Measure, p: Profile) -> Idle:
    if p["grades"] == "binary":
        yield "negative", "unjudged"
    looked_at = looks_at(measure, p)
    if gains_alone(measure, p) and p["gain_threshold"] == "applied" and _gains_are_relevant(measure, p):
        if p["negative"] == "as-is" and p["relevant"] != "non-zero":
            yield "negative", "non-relevant"
        yield "gain_threshold", "ignored"
    if _negative_is_unjudged(measure, p):
        yield "negative", "unjudged"
    elif (
        not looked_at.isdisjoint({"non-relevant", "pool"})
        and looked_at.isdisjoint({"rels", "gains"})
        and p["negative"] == "as-is"
        and measure.rel > 0
        and p["relevant"] != "non-zero"
    ):
        yield "negative", "non-relevant"


def _gains_are_relevant(measure: Measure, p: Profile) -> bool:
    """Return whether every document with a positive gain is relevant, so a threshold removes only negative gains."""
    return p["relevant"] in {"above-zero", "non-zero"} or (p["grades"] in WHOLE and 0 < measure.rel <= 1)


def _whole_is_enough(measure: Measure, p: Profile) -> bool:
    """Return whether truncating grades changes nothing: only relevance matters, and the threshold is an integer."""
    threshold = p["relevant"] == "at-least" and measure.rel >= 1 and measure.rel == trunc(measure.rel)
    looked_at = looks_at(measure, p)
    needs_rels = (
        not looked_at.isdisjoint({"gains", "rels"}) or p["unjudged"] != "non-relevant" or p["negative"] == "rejected"
    )
    pooled = not looked_at.isdisjoint({"non-relevant", "pool"}) and p["negative"] != "non-relevant"
    return threshold and not needs_rels and not pooled


def _negative_is_unjudged(measure: Measure, p: Profile) -> bool:
    """Return whether negative grades only mean not relevant: without gain, and not counted as judged non-relevant."""
    if p["unjudged"] != "non-relevant" or measure.rel <= 0:
        return False
    if gains_alone(measure, p):
        return p["negative"] == "non-relevant"
    looked_at = looks_at(measure, p)
    not_relevant = {"non-relevant"} if p["relevant"] == "non-zero" else {"non-relevant", "as-is"}
    return p["negative"] in not_relevant and looked_at.isdisjoint({"non-relevant", "rels", "gains", "judgments"})


# -- judgments of documents that were not retrieved -----------------------------------------------------------------


def _idle_unretrieved(measure: Measure, p: Profile) -> Idle:
    if p["unretrieved"] == "appended" and p["run_duplicates"] != "both":
        yield "known", "all"
    unseen = p["unretrieved"] == "appended" or not _refuses(p)
    is_of_run = p["ideal"] == "given" and gains_alone(measure, p) and of_the_run_alone(measure, p)
    if is_of_run and unseen and p["nohit"] == "measured" and _empty_is_as_norel(p):
        yield "known", "retrieved"
    if declares(measure) and p["known"] == "retrieved" and p["negative"] != "as-is" and p["ideal"] == "given":
        yield "ideal", "judged"
    over_hits = measure.k is None and p["ap_denominator"] == "hits" and "merit" in measure.definition.zero_without
    if over_hits and of_the_run_alone(measure, p) and unseen and _worth_0(p):
        yield from (("known", "retrieved"), ("ap_denominator", "R"))
    if p["known"] == "retrieved":
        yield from _idle_where_unknown(measure, p)


def _empty_is_as_norel(p: Profile) -> bool:
    """Return whether an empty ranking scores the same with and without relevant documents."""
    never_measured = p["empty"] == "missing" and p["missing"] != "measured"
    return p["norel"] == "0" or p["empty"] not in {"0", "missing"} or never_measured


def _worth_0(p: Profile) -> bool:
    """Return whether every query scores the value of the measure or 0."""
    return (p["norel"], p["nohit"], p["mean"]) == ("0", "measured", "arithmetic")


def _idle_where_unknown(measure: Measure, p: Profile) -> Idle:
    # All known relevant documents are retrieved; without a cutoff, all of them are hits.
    same = {"min-k-R-n", "hits"} if measure.k is None else {"min-k-R-n"}
    if declares(measure) and p["ap_denominator"] in same:
        yield "ap_denominator", "R" if measure.k is None else "min-k-R"
    if declares(measure) and p["rr_hits"] == "mean-over-R" and measure.k is None:
        yield "rr_hits", "mean-over-hits"
    if of_the_run_alone(measure, p):
        yield from _idle_known(measure, p)


def _idle_known(measure: Measure, p: Profile) -> Idle:
    """Yield choices for formulas whose value, if any, does not depend on judgments of unretrieved documents."""
    zero = "merit" in measure.definition.zero_without or never_undefined(measure)
    pooled = p["mean"] == "pooled" or "pool" in looks_at(measure, p)
    told_apart = pooled or p["ap_denominator"] in {"hits", "mean-p"}
    if zero and not told_apart and not _refuses(p):
        if (p["norel"], p["nohit"]) == ("0", "measured"):
            yield "known", "all"
        elif _undefined_without_hits(measure, p) and p["unretrieved"] == "absent" and p["norel"] in _UNDEFINED:
            yield from (("known", "all"), ("nohit", p["norel"]))


def _undefined_without_hits(measure: Measure, p: Profile) -> bool:
    """Return whether a query with all known documents retrieved is undefined only without hits (False for ratios)."""
    by_relevance = not looks_at(measure, p).isdisjoint({"relevant", "first hit"})
    return by_relevance and measure.k is None and not measure.definition.is_ratio


def _refuses(p: Profile) -> bool:
    """Return whether a judgment can make the conventions reject the input."""
    return any(AXES[axis].refuses(p[axis]) for axis in ("negative", "grades", "qrels_duplicates"))


# -- aggregate ------------------------------------------------------------------------------------------------------

_AS_EXTRA = {
    "0": "0",
    "nan-as-0": "nan-as-0",
    "absent-as-0": "absent-as-0",
    "dropped": "ignored",
    "rejected": "rejected",
}
"""The choice of `extra` with the same score for queries without judgments as each choice of `norel`."""


_AS_EMPTY = {"measured": "0", "nan": "nan", "dropped": "dropped", "rejected": "rejected"}
"""The choice of `empty` with the same score for empty rankings as each choice of `missing`."""


def _idle_sums(measure: Measure, p: Profile) -> Idle:
    """Yield equivalent choices of a measure that is summed over queries: 0 is like no value."""
    yield from ((axis, _DEFAULT[axis]) for axis in OF_MEANS)
    if p["empty"] != "missing" and not measure.definition.undefined:
        yield "empty", "0"
    if never_undefined(measure):
        yield "norel", "0"
    measured = (p["nohit"], p["norel"], p["unretrieved"], p["short"]) == ("measured", "0", "absent", "measured")
    of_docs = "docs" in measure.definition.zero_without
    if of_docs and p["missing"] == "0-in-counts" and measured:
        yield "missing", "0"  # an empty ranking counts 0
    for axis, nothing in (("missing", "dropped"), ("extra", "ignored"), ("norel", "dropped"), ("nohit", "dropped")):
        # The relevant documents of a missing query are counted, and also its judged documents if they are appended.
        uncounted = of_docs and p["unretrieved"] == "absent"
        if p[axis] == "absent-as-0" and (axis != "missing" or uncounted):
            yield axis, nothing
        if p[axis] in {"nan-as-0", "nan-dropped"} and axis != "extra":
            yield axis, "nan"


def _idle_means(p: Profile) -> Idle:
    if p["missing"] == "0-in-counts" and p["mean"] != "pooled":
        yield "missing", "0"
    if p["empty"] == "missing" and p["missing"] in _AS_EMPTY and _comes_empty(p):
        yield "empty", _AS_EMPTY[p["missing"]]
    plain = (p["unretrieved"], p["short"]) == ("absent", "measured")
    if p["missing"] == "measured" and p["empty"] not in {"0", "missing"} and plain:
        yield "missing", p["empty"]  # a missing query has an empty ranking


def _comes_empty(p: Profile) -> bool:
    """Return whether only queries that are empty in the run have empty rankings, if they count."""
    keeps_rows = (p["score_sign"], p["unjudged"], p["unretrieved"]) == ("any", "non-relevant", "absent")
    return keeps_rows and (p["extra"], p["short"]) == ("ignored", "measured")


def _idle_queries(measure: Measure, p: Profile) -> Idle:
    if never_undefined(measure):
        yield "norel", "0"
    if "allrel" not in measure.definition.undefined:
        yield "allrel", "nan"
    yield from _idle_unjudged(measure, p)
    yield from _idle_empty(measure, p)
    whole = measure.k is None and not measure.definition.cut_at_R
    if whole and (p["known"] == "retrieved" or p["unretrieved"] == "appended"):
        yield "nohit", "measured"  # every relevant document is a hit


def _idle_unjudged(measure: Measure, p: Profile) -> Idle:
    """Yield equivalent choices for queries without judgments, which have no relevant documents."""
    definition = measure.definition
    by_judgments = definition.needs_relevant or "judgments" in definition.zero_without
    means = definition.total == "mean" and by_judgments and not _undefined_elsewise(measure, p)
    plain = p["empty"] in {"0", "missing"} and (p["single"], p["short"], p["mean"]) == (
        "measured",
        "measured",
        "arithmetic",
    )
    if p["extra"] == "measured" and p["missing"] == "dropped":
        yield "no_judgments", "judged"  # the query is measured in both cases
    if p["extra"] == "measured" and p["norel"] in _AS_EXTRA and means and plain:
        yield "extra", _AS_EXTRA[p["norel"]]
    if p["missing"] == "dropped" and p["extra"] == _AS_EXTRA.get(p["norel"]) and means and plain:
        yield "no_judgments", "judged"


def _idle_empty(measure: Measure, p: Profile) -> Idle:
    """Yield equivalent choices for empty rankings, which have no hits."""
    absent = (p["unretrieved"], p["short"]) == ("absent", "measured")
    as_it_comes = p["empty"] in {"0", "missing"} and (p["nohit"], p["norel"]) == ("measured", "0") and absent
    definition = measure.definition
    elsewise = _undefined_elsewise(measure, p)
    if as_it_comes and not elsewise and (definition.total == "sum" or "docs" in definition.zero_without):
        if p["missing"] == "measured":
            yield "missing", "0"
        if p["empty"] == "missing" and p["missing"] == "0" and _comes_empty(p):
            yield "empty", "0"
    ratio = definition.needs_relevant and definition.total == "mean" and not elsewise
    undefined = ratio and p["nohit"] == p["norel"] and absent
    if undefined and p["empty"] == p["nohit"] in {"nan", "dropped"}:
        yield "empty", "0"
    if undefined and p["missing"] == "measured" and p["empty"] in {"0", "missing"} and p["nohit"] in _UNDEFINED:
        yield "missing", p["nohit"]


def _undefined_elsewise(measure: Measure, p: Profile) -> bool:
    """Return whether the measure can be undefined although a document is relevant, as IPrec of no documents."""
    return any(p[axis] == "nan" for axis in measure.definition.undefined if axis != "norel")


_UNDEFINED = frozenset({"nan", "dropped", "nan-as-0", "absent-as-0"})


def asks_relevance(measure: Measure, profile: Profile) -> bool:
    """Return whether the value, or its absence, depends on which documents are relevant."""
    reads = looks_at(measure, profile)
    chosen = {**profile, **fixed_by_parameters(measure)}
    by_gain = "gains" in reads and (chosen["gain"] == "binary" or chosen["gain_threshold"] != "ignored")
    return measure.definition.needs_relevant or by_gain or not reads.isdisjoint(_OF_RELEVANCE)


def gains_alone(measure: Measure, profile: Profile) -> bool:
    """Return whether the formula reads gains and no other judgments."""
    reads = looks_at(measure, profile)
    return "gains" in reads and reads <= {"order", "k", "n", "gains", "judgments"}


def of_the_run_alone(measure: Measure, profile: Profile) -> bool:
    """Return whether the formula reads documents, and only retrieved ones."""
    reads = looks_at(measure, profile)
    return bool(reads) and reads.isdisjoint({"R", "judgments"})


def never_undefined(measure: Measure) -> bool:
    """Return whether the measure has a value for queries without relevant documents."""
    return not measure.definition.needs_relevant and "norel" not in measure.definition.undefined
