"""Every choice an implementation of a ranking measure makes, by name.

A *convention* is one choice on one *axis*, written `axis=value` (`ties=docid-asc`). `Conventions` holds one value for
every axis; its defaults are the profile `standard`. Values are words, so that a profile can be written in a line, in a
sheet, in a case and in a signature, and read back:

>>> Conventions().replace(gain="exp", ties="expectation").spec()
'gain=exp ties=expectation'
>>> parse_conventions("ties=expectation gain=exp") == Conventions(gain="exp", ties="expectation")
True
>>> Conventions(ties="alphabetical")
Traceback (most recent call last):
    ...
rankproof.reference_impl.conventions.UnknownConvention: ties=alphabetical is no convention; ties is one of \
docid-desc, docid-asc, input, input-reversed, last-rank, expectation, best, worst, unspecified

Left out, since no library asked here makes them: a gain of 2^(rel - threshold + 1) - 1; means weighted by query, or rounded before
they are taken; RR of the highest rel; AUC of the top k alone, or
with a negative added; ids compared as numbers. An implementation that makes one of them is
`unexplained`. A cutoff at rank 1,000 that nobody asked for is an exception in the sheets of those who have it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from rankproof.reference_impl.shown import did_you_mean, shortened
from rankproof.reference_impl.unusable import Unusable


class UnknownConvention(Unusable):
    """An axis, or a value on an axis, that does not exist."""


Said = tuple[str, str]
"""A value's meaning, as the answer to the axis' question; and the phrase by which a list of choices says it."""


def _axis(  # noqa: PLR0913 - one for each thing that is said of an axis
    default: str,
    *,
    stage: str,
    question: str,
    pattern: str = "",
    example: str = "",
    phrase_of: Callable[[str], str] = str,
    read: Callable[[str], object] = str,
    headline: bool = False,
    also_tried: tuple[str, ...] = (),
    needs: str = "",
    never_asked: str = "",
    refusing: tuple[str, ...] = (),
    rare: bool = False,
    **values: Said,
) -> Any:  # noqa: ANN401 - as field()
    """Return a dataclass field that describes its axis, see `Axis`.

    Each value is given as `value=(meaning, phrase)`, with `_` for `-` and `__` for `.`.
    """
    named = {name.strip("_").replace("__", ".").replace("_", "-"): said for name, said in values.items()}
    said_of_it = {
        "stage": stage,
        "question": question,
        "pattern": pattern,
        "example": example,
        "phrase_of": phrase_of,
        "read": read,
        "headline": headline,
        "also_tried": also_tried,
        "needs": needs,
        "never_asked": never_asked,
        "refusing": refusing,
        "rare": rare,
        "values": {name: meaning for name, (meaning, _) in named.items()},
        "phrases": {name: phrase for name, (_, phrase) in named.items()},
    }
    return field(default=default, metadata=said_of_it)


def _gains_in_words(value: str) -> str:
    return "gains " + value.removeprefix("map:").replace("=", ":").replace(",", ", ")


def _discount_in_words(value: str) -> str:
    base = value.removeprefix("jk-")
    return f"log{base}(max(i, {base}))"


def gain_map(value: str) -> dict[Fraction, Fraction]:
    """The table of a gain convention `map:rel=gain,…`.

    >>> gain_map("map:1=1,2=3.5")
    {Fraction(1, 1): Fraction(1, 1), Fraction(2, 1): Fraction(7, 2)}

    Raises:
        UnknownConvention: a rel stands there twice.
    """
    pairs = [pair.split("=") for pair in value.removeprefix("map:").split(",")]
    table = {Fraction(rel): Fraction(gain) for rel, gain in pairs}
    if len(table) < len(pairs):
        raise UnknownConvention(f"gain={shortened(value)} says the gain of a rel twice; say it once")
    return table


LONGEST = 1_000
"""How many characters a value has at most."""
_NUMBER = r"-?\d{1,18}(\.\d{1,18})?"
_PAIR = f"{_NUMBER}={_NUMBER}"


@dataclass(frozen=True, kw_only=True)
class Conventions:
    """A value for each axis. The defaults are what trec_eval documents, on float64 scores, over all judged queries."""

    # -- order: from the rows of a run to a ranking --------------------------------------------------------------
    order: str = _axis(
        "score",
        stage="order",
        question="What are the docs ranked by?",
        score=("the score, descending", "ranked by score"),
        rank=("the rank column, ascending", "ranked by the rank column"),
        input=("nothing: the rows are taken in the order given", "ranked as the rows come"),
    )
    ties: str = _axis(
        "docid-desc",
        headline=True,
        stage="order",
        question="In which order do docs with the same score stand?",
        docid_desc=("by docid, descending, compared as UTF-8 bytes", "ties by docid descending"),
        docid_asc=("by docid, ascending, compared as UTF-8 bytes", "ties by docid ascending"),
        input=("in the order of the rows", "ties in input order"),
        input_reversed=("in the reverse order of the rows", "ties in reverse input order"),
        last_rank=("none: each takes the last rank of its tie group", "ties at the last rank of their group"),
        expectation=("the mean over all orders of the tied docs", "the mean over all orders of ties"),
        best=("the order of the tied docs that is worth most", "ties in the best order"),
        worst=("the order of the tied docs that is worth least", "ties in the worst order"),
        unspecified=(
            "in any order: the sort keeps none that could be named (here: in the order of the rows)",
            "ties in no order that could be named",
        ),
    )
    score: str = _axis(
        "f64",
        stage="order",
        question="At which precision are scores compared?",
        f64=("float64: 1 and 1 + 1e-9 differ", "scores compared as float64"),
        f32=("float32: 1 and 1 + 1e-9 are tied", "scores compared as float32"),
    )
    score_sign: str = _axis(
        "any",
        stage="order",
        question="Does a doc scored zero or less count as retrieved?",
        any=("yes", "docs retrieved whatever their score"),
        positive=("no: only docs with a positive score are retrieved", "docs scored 0 or less not retrieved"),
    )
    infinite: str = _axis(
        "ordered",
        stage="order",
        question="What of a score that is infinite?",
        ordered=("it is above, or below, all finite ones", "infinite scores above or below all others"),
        rejected=("the input is refused", "infinite scores refused"),
    )
    run_duplicates: str = _axis(
        "rejected",
        stage="order",
        question="What if a run names a doc twice for one query?",
        needs="a doc retrieved twice",
        never_asked="first",
        rejected=("the input is refused", "a doc retrieved twice refused"),
        first=("the first row counts", "first row of a doc retrieved twice"),
        last=("the last row counts", "last row of a doc retrieved twice"),
        both=("both rows count", "both rows of a doc retrieved twice"),
        once=(
            "both rows take a rank, and the doc is credited at the better one alone",
            "both rows of a doc retrieved twice, credited once",
        ),
    )
    own_doc: str = _axis(
        "kept",
        stage="order",
        question="Is a document ranked whose id is that of its query?",
        rare=True,
        kept=("yes", "documents ranked whatever their id"),
        removed=("no: it is removed from the run", "documents with the id of their query removed"),
    )
    unretrieved: str = _axis(
        "absent",
        stage="order",
        question="Are judged docs that were not retrieved in the ranking?",
        absent=("no", "only retrieved docs ranked"),
        appended=(
            "yes: tied with one another, below every retrieved doc",
            "judged docs that were not retrieved appended, tied",
        ),
    )

    ids: str = _axis(
        "any",
        stage="order",
        question="What may an id be?",
        needs="an id that is a number",
        refusing=("text", "text-docs", "digit-queries"),
        any=("text, or a number, which is its text", "ids of any kind"),
        text=("text: an input with a number for an id is refused", "ids that are numbers refused"),
        text_docs=("text for a doc, and a number is refused; a query may be either", "docs that are numbers refused"),
        digit_queries=(
            "any for a doc; for a query digits only, and any other is refused",
            "queries with a name refused",
        ),
    )

    # -- judge: from a ranking to a judged ranking ---------------------------------------------------------------
    known: str = _axis(
        "all",
        stage="judge",
        question="Which judgments does the measure know?",
        all=("all of the qrels", "all judgments known"),
        retrieved=(
            "those of the rows: it is given a rel beside each score, and no qrels",
            "judgments of retrieved docs only",
        ),
    )
    unjudged: str = _axis(
        "non-relevant",
        stage="judge",
        question="What is a retrieved doc without a judgment?",
        non_relevant=("a doc that is not relevant", "unjudged docs not relevant"),
        removed=("nothing: it is taken out of the ranking before the cut", "unjudged docs taken out"),
        rejected=("the input is refused", "unjudged docs refused"),
    )
    negative: str = _axis(
        "unjudged",
        stage="judge",
        question="What does a negative judgment mean?",
        unjudged=("in the pool but unjudged", "negative rels as unjudged"),
        non_relevant=("not relevant, gain 0", "negative rels as 0"),
        as_is=("a negative gain", "negative rels as negative gains"),
        rejected=("the input is refused", "negative rels refused"),
    )
    relevant: str = _axis(
        "at-least",
        stage="judge",
        question="By which rel is a doc relevant?",
        at_least=("rel >= the measure's rel (1 unless told)", "relevant from the measure's rel on"),
        above_zero=("rel > 0", "relevant above rel 0"),
        above_half=("rel > 0.5", "relevant above rel 0.5"),
        non_zero=("any but 0: also one below 0 that is left as it is", "relevant by any rel but 0"),
    )
    grades: str = _axis(
        "any",
        stage="judge",
        question="Which rels are taken?",
        refusing=("whole-to-4", "binary", "two-values"),
        any=("all, as they are", "all rels taken as they are"),
        truncated=("all; a fraction is cut to the whole number towards zero", "fractional rels cut to whole ones"),
        rejected=("whole numbers; a fraction is refused", "fractional rels refused"),
        whole_to_4=("whole numbers up to 4; any other is refused", "rels other than 0 to 4 refused"),
        binary=("0 and 1; any other is refused", "rels other than 0 and 1 refused"),
        two_values=(
            "whole numbers, of which a ranking has two at most, 0 for unjudged docs; more are refused",
            "a third rel refused",
        ),
    )
    qrels_duplicates: str = _axis(
        "rejected",
        stage="judge",
        question="What if the qrels judge a doc twice for one query?",
        needs="a doc judged twice",
        never_asked="first",
        rejected=("the input is refused", "a doc judged twice refused"),
        first=("the first judgment counts", "first of two judgments"),
        last=("the last judgment counts", "last of two judgments"),
        highest=("the highest judgment counts", "highest of two judgments"),
        both=("both count, and the doc is retrieved once for each", "both of two judgments"),
        same_rank=(
            "both count, at the rank of the doc: judgments were joined to a ranking that was cut before",
            "both of two judgments at one rank",
        ),
    )

    # -- measure -------------------------------------------------------------------------------------------------
    gain: str = _axis(
        "linear",
        headline=True,
        stage="measure",
        question="What gain has a rel?",
        pattern=f"map:{_PAIR}(,{_PAIR})*",
        example="map:1=1,2=3.5",
        phrase_of=_gains_in_words,
        read=gain_map,
        linear=("rel", "linear gain"),
        exp=("2^rel - 1", "gain 2^rel - 1"),
        binary=("1 if relevant, else 0", "gain 1 if relevant"),
    )
    gain_threshold: str = _axis(
        "ignored",
        stage="measure",
        question="Does the relevance threshold touch the gain?",
        ignored=("no: every rel has its gain", "gains below the threshold too"),
        applied=("yes: a doc below the threshold has gain 0", "no gain below the threshold"),
    )
    discount: str = _axis(
        "log2",
        headline=True,
        stage="measure",
        question="What is the gain at rank i divided by?",
        pattern=r"jk-([2-9]|[1-9]\d{1,8})",
        example="jk-3",
        phrase_of=_discount_in_words,
        also_tried=("jk-3", "jk-10"),
        log2=("log2(1 + i)", "log2(1+i)"),
        ln=("ln(1 + i)", "ln(1+i)"),
        rank=("i", "discount i"),
        jk_2=(
            "log2(max(i, 2)), so ranks 1 and 2 are not discounted (Järvelin & Kekäläinen, base 2; jk-b for base b)",
            "log2(max(i, 2))",
        ),
    )
    ideal: str = _axis(
        "judged",
        headline=True,
        stage="measure",
        question="From which docs is the ideal ranking made?",
        judged=("all docs of which it knows a judgment (see the axis known)", "ideal from all judged docs"),
        given=("all docs of the run, cut or not", "ideal from all docs of the run"),
        retrieved=("the docs ranked within the cutoff", "ideal from retrieved docs"),
        max_gain=("k docs of the highest judged gain", "ideal of the highest gain throughout"),
    )
    ideal_cut: str = _axis(
        "k",
        stage="measure",
        question="Where is the ideal ranking cut?",
        k=("at k, as the ranking is", "the ideal cut at k"),
        min_k_n=("at min(k, n), n docs retrieved: it is no longer than the ranking", "the ideal cut at min(k, n)"),
        never=("nowhere", "the ideal not cut"),
    )
    p_denominator: str = _axis(
        "k",
        headline=True,
        stage="measure",
        question="What is P@k divided by?",
        k=("k", "over k"),
        min_k_n=("min(k, n), n docs retrieved", "over min(k, n)"),
        min_k_R=("min(k, R), R docs relevant", "over min(k, R)"),
    )
    r_denominator: str = _axis(
        "R",
        headline=True,
        stage="measure",
        question="What is R@k divided by?",
        R=("R, the docs relevant", "over R"),
        min_k_R=("min(k, R)", "over min(k, R)"),
    )
    ap_denominator: str = _axis(
        "R",
        headline=True,
        stage="measure",
        question="What is the sum of precisions in AP@k divided by?",
        R=("R, the docs relevant", "over R"),
        min_k_R=("min(k, R)", "over min(k, R)"),
        min_k_R_n=("min(k, R, n)", "over min(k, R, n)"),
        hits=("the relevant docs retrieved within k", "over the hits"),
        mean_p=("nothing: AP@k is the mean of P@1 .. P@k", "the mean of P@1 to P@k"),
    )
    rr_hits: str = _axis(
        "first",
        stage="measure",
        question="The reciprocal rank of which hits is RR?",
        first=("that of the first", "of the first hit"),
        mean_over_hits=("the sum of those of all hits, over the hits", "the mean over all hits"),
        mean_over_R=("the sum of those of all hits, over R", "the sum over all hits, over R"),
    )
    judged_denominator: str = _axis(
        "min-k-n",
        stage="measure",
        question="What is Judged@k divided by?",
        min_k_n=("min(k, n), n docs retrieved", "over min(k, n)"),
        k=("k", "over k"),
    )
    f_weight: str = _axis(
        "beta-squared",
        stage="measure",
        question="How does beta weigh recall in F?",
        beta_squared=("(1 + b^2) P R / (b^2 P + R)", "recall weighted by beta squared"),
        beta=("(1 + b) P R / (b P + R)", "recall weighted by beta itself"),
    )
    bpref_no_nonrel: str = _axis(
        "full",
        stage="measure",
        question="What is Bpref when no doc was judged non-relevant?",
        full=("each relevant doc retrieved counts in full", "relevant docs in full where none is judged non-relevant"),
        _0=("0", "0 where no doc is judged non-relevant"),
        nan=("undefined", "undefined where no doc is judged non-relevant"),
    )
    infap_epsilon: str = _axis(
        "1e-5",
        stage="measure",
        question="Which constant smooths infAP?",
        _0=("none", "no smoothing constant"),
        _1e_5=("0.00001", "smoothing constant 0.00001"),
    )
    recall_points: str = _axis(
        "ceil",
        stage="measure",
        question="How many relevant docs make a recall of p?",
        ceil=("the least whole number >= p R", "recall p reached at p R rounded up"),
        trunc_09=(
            "p R + 0.9 in float64, cut to a whole number",
            "recall p reached at p R + 0.9 cut to a whole number",
        ),
        round=("p R in float64, rounded half away from zero", "recall p reached at p R rounded"),
    )
    iprec_empty: str = _axis(
        "0",
        stage="measure",
        question="What is interpolated precision at recall 0 of a ranking without docs?",
        _0=("0", "precision 0 at recall 0 of no docs"),
        nan=("undefined: 0 of 0 docs", "precision at recall 0 of no docs undefined"),
    )
    err_max: str = _axis(
        "4",
        headline=True,
        stage="measure",
        question="Which rel is the highest grade of ERR?",
        pattern=r"[1-9]\d{0,4}",
        example="3",
        phrase_of="highest grade {}".format,
        also_tried=("1", "2", "3", "5"),
        _4=("4, whatever the qrels hold (or another number)", "highest grade 4"),
        query=("the highest rel judged for the query", "highest grade that of the query"),
        probability=("none: rel itself is the probability of satisfaction", "rels as probabilities"),
    )
    rbp_gain: str = _axis(
        "binary",
        stage="measure",
        question="What gain has a rel in RBP?",
        binary=("1 if relevant, else 0", "gain 1 if relevant"),
        grade=("rel", "the rel as gain"),
        normalised=("rel over the highest rel judged for the query", "the rel over the query's highest as gain"),
    )
    degenerate: str = _axis(
        "1",
        stage="measure",
        question="What is a clustering measure worth where its formula is 0/0?",
        _1=("1: the labelings are alike", "0/0 worth 1"),
        _0=("0", "0/0 worth 0"),
        nan=("undefined", "0/0 undefined"),
    )

    # -- aggregate -----------------------------------------------------------------------------------------------
    missing: str = _axis(
        "0",
        stage="aggregate",
        question="What is a judged query worth that the run does not have?",
        _0=("0; in counts, what an empty ranking counts", "missing query worth 0"),
        _0_in_counts=("0, in counts too", "missing query worth 0 in counts too"),
        measured=("what the measure gives for an empty ranking", "missing query measured as empty"),
        nan=("undefined", "missing query undefined"),
        dropped=("nothing: it leaves the mean", "missing query left out"),
        rejected=("the input is refused", "missing query refused"),
        nan_as_0=("undefined for itself, 0 in the mean", "missing query undefined but 0 in the mean"),
        absent_as_0=(
            "0 in the mean, and in counts what an empty ranking counts, but not told of for itself",
            "missing query not listed but 0 in the mean",
        ),
        nan_dropped=("undefined for itself, and not in the mean", "missing query undefined and not in the mean"),
    )
    no_judgments: str = _axis(
        "judged",
        stage="aggregate",
        question="What is a query that the qrels name without judging a doc?",
        needs="a query without judgments",
        judged=("a judged query, without relevant docs", "a query without a judgment taken as judged"),
        extra=(
            "a query without judgments, as if they did not name it",
            "a query without a judgment taken as not named",
        ),
    )
    extra: str = _axis(
        "ignored",
        stage="aggregate",
        question="What is a query of the run worth that has no judgments?",
        ignored=("nothing: it leaves the mean", "query without judgments left out"),
        _0=("0", "query without judgments worth 0"),
        measured=("what the measure gives, no doc being judged", "query without judgments measured"),
        rejected=("the input is refused", "query without judgments refused"),
        nan_as_0=("undefined for itself, 0 in the mean", "query without judgments undefined but 0 in the mean"),
        absent_as_0=(
            "0 in the mean, and not told of for itself",
            "query without judgments not listed but 0 in the mean",
        ),
    )
    norel: str = _axis(
        "0",
        headline=True,
        stage="aggregate",
        question="What is a query without relevant docs worth?",
        _0=("0", "query without relevant docs worth 0"),
        _1=("1", "query without relevant docs worth 1"),
        _0__5=("0.5", "queries without relevant documents score 0.5"),
        nan=("undefined", "query without relevant docs undefined"),
        dropped=("nothing: it leaves the mean", "query without relevant docs left out"),
        rejected=("the input is refused", "query without relevant docs refused"),
        nan_as_0=("undefined for itself, 0 in the mean", "query without relevant docs undefined but 0 in the mean"),
        absent_as_0=(
            "0 in the mean, and not told of for itself",
            "query without relevant docs not listed but 0 in the mean",
        ),
    )
    allrel: str = _axis(
        "nan",
        stage="aggregate",
        question="What is a query without non-relevant docs worth, to a measure of pairs?",
        _0=("0", "query of relevant docs alone worth 0"),
        _1=("1", "query of relevant docs alone worth 1"),
        _0__5=("0.5", "queries without non-relevant documents score 0.5"),
        nan=("undefined", "query of relevant docs alone undefined"),
        dropped=("nothing: it leaves the mean", "query of relevant docs alone left out"),
        rejected=("the input is refused", "query of relevant docs alone refused"),
    )
    empty: str = _axis(
        "0",
        stage="aggregate",
        question="What is a query worth whose ranking is empty?",
        needs="an empty ranking",
        never_asked="missing",
        _0=("0", "empty ranking worth 0"),
        nan=("undefined", "empty ranking undefined"),
        dropped=("nothing: it leaves the mean", "empty ranking left out"),
        rejected=("the input is refused", "empty ranking refused"),
        missing=(
            "what one is worth that the run does not have: a query is its rows",
            "empty ranking as a missing query",
        ),
    )
    nohit: str = _axis(
        "measured",
        stage="aggregate",
        question="What is a query worth for which no relevant doc is within the cutoff?",
        measured=("what the measure gives", "query without a hit measured"),
        nan=("undefined", "query without a hit undefined"),
        dropped=("nothing: it leaves the mean", "query without a hit left out"),
        nan_as_0=("undefined for itself, 0 in the mean", "query without a hit undefined but 0 in the mean"),
        absent_as_0=("0 in the mean, and not told of for itself", "query without a hit not listed but 0 in the mean"),
    )
    single: str = _axis(
        "measured",
        stage="aggregate",
        question="What of a ranking of a single doc?",
        measured=("it is measured like any other", "a single doc measured"),
        rejected=("the input is refused: one doc cannot be ranked", "a single doc refused"),
    )
    short: str = _axis(
        "measured",
        stage="aggregate",
        question="What of a ranking that is shorter than the cutoff?",
        measured=("it is measured like any other", "a ranking shorter than k measured"),
        rejected=("the input is refused: there is nothing at the cutoff", "a ranking shorter than k refused"),
    )
    mean: str = _axis(
        "arithmetic",
        stage="aggregate",
        question="Which mean is taken over the queries?",
        arithmetic=("the arithmetic mean", "arithmetic mean"),
        geometric=("the geometric mean, of values no less than 0.00001", "geometric mean"),
        pooled=("the sum of the numerators over the sum of the denominators", "pooled mean"),
    )
    no_query: str = _axis(
        "nan",
        stage="aggregate",
        question="What is a mean over no query, as where all are left out?",
        nan=("undefined", "mean over no query undefined"),
        _0=("0", "mean over no query worth 0"),
    )

    def __post_init__(self) -> None:
        for axis in AXES.values():
            axis.check(getattr(self, axis.name))

    def replace(self, **changes: str) -> "Conventions":
        """The same conventions with some replaced."""
        for name, value in changes.items():
            axis_named(name).check(value)
        made = object.__new__(Conventions)
        # What is not changed was checked before, and searches make them by the hundred thousand.
        made.__dict__.update(self.__dict__, **changes)
        return made

    def differences(self, other: "Conventions") -> dict[str, str]:
        """The axes on which `other` differs, with its values."""
        return {name: getattr(other, name) for name in AXES if getattr(other, name) != getattr(self, name)}

    def spec(self) -> str:
        """What differs from `standard`, as `axis=value` in the order of the axes' names; empty for `standard`."""
        return " ".join(f"{name}={value}" for name, value in sorted(STANDARD.differences(self).items()))


@dataclass(frozen=True, slots=True)
class Axis:
    """One choice: all that is to be said of it.

    Attributes:
        default: the value in `standard`.
        stage: where the choice is made: order, judge, measure or aggregate.
        question: what it answers.
        values: the values that have a name, and what each means.
        phrases: the same values, each as a list of choices says it.
        pattern: of what form the values are that have no name; "" where there are none.
        example: a value of that form.
        phrase_of: says a value of that form.
        read: reads a value of that form, and refuses one that contradicts itself.
        headline: whether a list of choices always says it, though it is as in `standard`.
        also_tried: values of that form that the search for a library's profile tries besides the named ones.
        needs: the kind of input without which nothing is learned of it (`rankproof.inference.form_groups` knows the kinds); ""
            where any input may show it.
        never_asked: the value taken where a library has no form for such an input; "" for the default.
        refusing: the values that refuse some input, beside `rejected`.
        rare: whether few inputs can show it; then a fingerprint without such an input has no finding.
    """

    name: str
    default: str
    stage: str
    question: str
    values: Mapping[str, str]
    phrases: Mapping[str, str]
    pattern: str = ""
    example: str = ""
    phrase_of: Callable[[str], str] = str
    read: Callable[[str], object] = str
    headline: bool = False
    also_tried: tuple[str, ...] = ()
    needs: str = ""
    never_asked: str = ""
    refusing: tuple[str, ...] = ()
    rare: bool = False

    def check(self, value: str) -> None:
        """Refuse a value that is not on the axis.

        Raises:
            UnknownConvention: the value is neither one of `values` nor of the form `pattern`, or contradicts itself.
        """
        if value in self.values:
            return
        if len(value) > LONGEST or not (self.pattern and re.fullmatch(self.pattern, value)):
            msg = f"{self.name}={shortened(value)} is no convention; {self.name} is one of {', '.join(self.values)}"
            raise UnknownConvention(msg)
        self.read(value)

    def refuses(self, value: str) -> bool:
        """Whether some input is refused by the value.

        >>> AXES["grades"].refuses("binary"), AXES["grades"].refuses("truncated")
        (True, False)
        """
        return value == "rejected" or value in self.refusing

    def meaning(self, value: str) -> str:
        """The value in words."""
        return self.values.get(value, value)

    def phrase(self, value: str) -> str:
        """The value as a list of choices says it.

        >>> AXES["ties"].phrase("input"), AXES["discount"].phrase("jk-3")
        ('ties in input order', 'log3(max(i, 3))')
        """
        return self.phrases[value] if value in self.phrases else self.phrase_of(value)


AXES: Mapping[str, Axis] = MappingProxyType(
    {f.name: Axis(f.name, str(f.default), **f.metadata) for f in fields(Conventions)},
)
STANDARD = Conventions()


def axis_named(name: str) -> Axis:
    """The axis of that name.

    Raises:
        UnknownConvention: there is none.
    """
    if name not in AXES:
        raise UnknownConvention(
            f"{shortened(name)} is no axis; {did_you_mean(name, AXES, all_by='rankproof show axes')}"
        )
    return AXES[name]


def parse_conventions(spec: str, base: Conventions = STANDARD) -> Conventions:
    """Read `axis=value axis=value …` as changes of a base.

    Raises:
        UnknownConvention: a word is not of that form, names no axis or value, or says again what another says.
    """
    changes: dict[str, str] = {}
    for word in spec.split():
        name, equals, value = word.partition("=")
        if not equals:
            raise UnknownConvention(f"{shortened(word)!r} is neither a profile nor of the form axis=value")
        if name in changes:
            msg = f"{shortened(name)} is said twice, {shortened(changes[name])} and {shortened(value)}; say it once"
            raise UnknownConvention(msg)
        changes[axis_named(name).name] = value
    return base.replace(**changes)
