"""Conventions: the choices that implementations of ranking measures make, by name.

A *convention* is one choice on one *axis*, written `axis=value` (`ties=docid-asc`). `Conventions` has one value for
every axis. The defaults are the profile `standard`. Values are words, so a profile fits in a line, a sheet, a case or a
signature, and can be parsed again:

>>> Conventions().replace(gain="exp", ties="expectation").spec()
'gain=exp ties=expectation'
>>> parse_conventions("ties=expectation gain=exp") == Conventions(gain="exp", ties="expectation")
True
>>> Conventions(ties="alphabetical")
Traceback (most recent call last):
    ...
rankproof.reference_impl.conventions.UnknownConvention: Unknown convention ties=alphabetical. Choose from \
docid-desc, docid-asc, input, input-reversed, last-rank, expectation, best, worst, unspecified.

Some choices have no axis, because no tested library makes them:

- a gain of 2^(grade - threshold + 1) - 1
- means weighted by query, or of rounded values
- RR of the highest grade
- AUC of the top k alone, or with an added negative
- ids compared as numbers

An implementation with such a choice is `unexplained`. If a library cuts at rank 1,000 although no cutoff is set, its
sheet has an exception.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType

from rankproof.reference_impl.shown import did_you_mean, shortened
from rankproof.reference_impl.unusable import Unusable


class UnknownConvention(Unusable):
    """Axis, or value on an axis, that does not exist."""


Words = str | tuple[str, str, str]
"""A value in words: the answer to the question of its axis, optionally with a noun phrase and a clause."""
REJECTED = ("raises an exception", "an exception for {about}", "it raises an exception for {about}")
SCORED_0 = ("0", "{about} scored 0", "{about} score 0")
SCORED_1 = ("1", "{about} scored 1", "{about} score 1")
SCORED_HALF = ("0.5", "{about} scored 0.5", "{about} score 0.5")
UNDEFINED = ("undefined (NaN)", "{about} undefined (NaN)", "{about} are undefined (NaN)")
DROPPED = ("left out of the mean", "{about} left out of the mean", "{about} are left out of the mean")
MEASURED = ("measured like any other", "{about} measured like any other", "{about} are measured like any other")
UNDEFINED_AS_0 = (
    "undefined (NaN), 0 in the mean",
    "{about} undefined (NaN) but 0 in the mean",
    "{about} are undefined (NaN) and count 0 in the mean",
)
UNLISTED_AS_0 = (
    "not listed, 0 in the mean",
    "{about} not listed but 0 in the mean",
    "{about} are not listed and count 0 in the mean",
)
UNDEFINED_DROPPED = (
    "undefined (NaN), not in the mean",
    "{about} undefined (NaN) and left out of the mean",
    "{about} are undefined (NaN) and left out of the mean",
)


def _gains_in_words(value: str) -> str:
    return value.removeprefix("map:").replace("=", " -> ").replace(",", ", ")


def _discount_in_words(value: str) -> str:
    base = value.removeprefix("jk-")
    return f"log{base}(max(rank, {base}))"


def gain_map(value: str) -> dict[Fraction, Fraction]:
    """Return the table of a gain convention `map:rel=gain,…`.

    >>> gain_map("map:1=1,2=3.5")
    {Fraction(1, 1): Fraction(1, 1), Fraction(2, 1): Fraction(7, 2)}

    Raises:
        UnknownConvention: a grade occurs twice.
    """
    pairs = [pair.split("=") for pair in value.removeprefix("map:").split(",")]
    table = {Fraction(rel): Fraction(gain) for rel, gain in pairs}
    if len(table) < len(pairs):
        raise UnknownConvention(f"gain={shortened(value)} sets the gain of a grade twice. Keep one.")
    return table


LONGEST = 1_000
"""Maximum number of characters of a value."""
_NUMBER = r"-?\d{1,18}(\.\d{1,18})?"
_PAIR = f"{_NUMBER}={_NUMBER}"


@dataclass(frozen=True)
class Axis:
    """A choice with its values and their descriptions.

    Attributes:
        default: the value in `standard`.
        stage: the step of the choice: order, judge, measure or aggregate.
        question: the question that a value answers.
        label: the name in tables, of at most 16 characters.
        words: the named values in words, each as one text for `in_phrase` and `in_clause`, or as three texts.
        about: the queries or documents of the choice, for values that several axes have.
        in_phrase: the template of a noun phrase, with the meaning of a value.
        in_clause: the template of a clause about an implementation, with the meaning of a value.
        pattern: the form of the values without a name, or "" if there are none.
        example: a value of that form.
        text_of: returns the meaning of a value of that form.
        read: parses a value of that form, and raises an exception if the value contradicts itself.
        headline: whether lists of choices always include the axis, even with its value in `standard`.
        also_tried: values of that form that the search for a library's profile tries in addition to the named values.
        needs: the kind of input that shows the choice (see `rankproof.inference.form_groups`), or "" for any input.
        never_asked: the value assumed for a library that cannot receive such an input, or "" for the default.
        refusing: the values that reject some input, in addition to `rejected`.
        rare: whether few inputs show the choice. A fingerprint without such an input then has no result for the axis.
    """

    name: str
    default: str
    stage: str
    question: str
    label: str
    words: Mapping[str, Words]
    about: str = ""
    in_phrase: str = "{}"
    in_clause: str = "it uses {}"
    pattern: str = ""
    example: str = ""
    text_of: Callable[[str], str] = str
    read: Callable[[str], object] = str
    headline: bool = False
    also_tried: tuple[str, ...] = ()
    needs: str = ""
    never_asked: str = ""
    refusing: tuple[str, ...] = ()
    rare: bool = False

    @cached_property
    def values(self) -> Mapping[str, str]:
        """The named values, each with its meaning as an answer to the question."""
        return {name: words if isinstance(words, str) else words[0] for name, words in self.words.items()}

    def check(self, value: str) -> None:
        """Check that a value is on the axis.

        Raises:
            UnknownConvention: the value is not in `values` and does not match `pattern`, or it contradicts itself.
        """
        if value in self.values:
            return
        if len(value) > LONGEST or not (self.pattern and re.fullmatch(self.pattern, value)):
            msg = f"Unknown convention {self.name}={shortened(value)}. Choose from {', '.join(self.values)}."
            raise UnknownConvention(msg)
        self.read(value)

    def refuses(self, value: str) -> bool:
        """Return whether the value rejects some input.

        >>> AXES["grades"].refuses("binary"), AXES["grades"].refuses("truncated")
        (True, False)
        """
        return value == "rejected" or value in self.refusing

    def meaning(self, value: str) -> str:
        """Return a value as the answer to the question of the axis.

        >>> AXES["ties"].meaning("input"), AXES["discount"].meaning("jk-3"), AXES["norel"].meaning("dropped")
        ('in input order', 'log3(max(rank, 3))', 'left out of the mean')
        """
        return self.values[value] if value in self.values else self.text_of(value)

    def phrase(self, value: str) -> str:
        """Return a value as an item of a list of conventions.

        >>> AXES["ties"].phrase("input"), AXES["discount"].phrase("jk-3"), AXES["norel"].phrase("0")
        ('tied documents in input order', 'the discount log3(max(rank, 3))', 'queries without relevant documents scored 0')
        """
        return self._worded(value, 1, self.in_phrase)

    def clause(self, value: str) -> str:
        """Return a clause that says what an implementation with this value does.

        >>> AXES["ideal"].clause("given"), AXES["norel"].clause("0")
        ('its ideal ranking uses only retrieved documents', 'queries without relevant documents score 0')
        """
        return self._worded(value, 2, self.in_clause)

    def _worded(self, value: str, place: int, template: str) -> str:
        words = self.words.get(value, "")
        return template.format(self.meaning(value)) if isinstance(words, str) else words[place].format(about=self.about)


def _axis(default: str, **described: object) -> str:
    """Return a dataclass field that describes its axis.

    A value is an argument `value=words`, with `_` for `-` and `__` for `.`. Other arguments are attributes of `Axis`.
    """
    known = {attribute.name for attribute in fields(Axis)}
    words = {
        name.strip("_").replace("__", ".").replace("_", "-"): of_value
        for name, of_value in described.items()
        if name not in known
    }
    metadata = {name: value for name, value in described.items() if name in known}
    return field(default=default, metadata={**metadata, "words": words})


@dataclass(frozen=True, kw_only=True)
class Conventions:
    """A value for each axis. The defaults follow trec_eval's documentation (float64 scores, all judged queries)."""

    # -- order: from the rows of a run to a ranking --------------------------------------------------------------
    order: str = _axis(
        "score",
        stage="order",
        label="order",
        question="By what are documents ranked?",
        in_phrase="documents ordered {}",
        in_clause="it orders documents {}",
        score="by score",
        rank="by the rank column",
        input=("in input order", "documents in input order", "it keeps the input order instead of sorting by score"),
    )
    ties: str = _axis(
        "docid-desc",
        headline=True,
        stage="order",
        label="tied documents",
        question="In which order are documents with equal scores ranked?",
        in_phrase="tied documents {}",
        in_clause="it ranks tied documents {}",
        docid_desc="by id, descending",
        docid_asc="by id, ascending",
        input="in input order",
        input_reversed="in reverse input order",
        last_rank="at the last rank of their group",
        expectation=(
            "in all orders, averaged",
            "the mean over all orders of tied documents",
            "it averages over all orders of tied documents",
        ),
        best="in the best order",
        worst="in the worst order",
        unspecified="in no consistent order",
    )
    score: str = _axis(
        "f64",
        stage="order",
        label="score precision",
        question="At which precision are scores compared?",
        in_phrase="scores compared as {}",
        in_clause="it compares scores as {}",
        f64="float64",
        f32="float32",
    )
    score_sign: str = _axis(
        "any",
        stage="order",
        label="scores below 0",
        question="Does a document with a score of 0 or less count as retrieved?",
        any=("retrieved", "documents retrieved whatever their score", "it retrieves documents whatever their score"),
        positive=(
            "not retrieved, nor with score 0",
            "documents scored 0 or less not retrieved",
            "it leaves out documents scored 0 or less",
        ),
    )
    infinite: str = _axis(
        "ordered",
        stage="order",
        label="infinite scores",
        question="How are infinite scores ranked?",
        about="infinite scores",
        ordered=(
            "above or below all others",
            "infinite scores ranked first or last",
            "it ranks infinite scores first or last",
        ),
        rejected=REJECTED,
    )
    run_duplicates: str = _axis(
        "rejected",
        stage="order",
        label="retrieved twice",
        question="Which row counts if a run names a document twice for one query?",
        about="documents retrieved twice",
        in_phrase="{} of a document retrieved twice",
        in_clause="it counts {} of a document retrieved twice",
        needs="a doc retrieved twice",
        never_asked="first",
        rejected=REJECTED,
        first="the first row",
        last="the last row",
        both="both rows",
        once=("both rows, credited once", "one credit for two occurrences", "it credits one of two occurrences"),
    )
    own_doc: str = _axis(
        "kept",
        stage="order",
        label="query's own doc",
        question="Is a document ranked if its id is that of its query?",
        in_phrase="documents with the id of their query {}",
        in_clause="documents with the id of their query are {}",
        rare=True,
        kept="ranked",
        removed="removed",
    )
    unretrieved: str = _axis(
        "absent",
        stage="order",
        label="unretrieved docs",
        question="Are judged documents ranked that were not retrieved?",
        in_phrase="unretrieved documents {}",
        in_clause="unretrieved documents are {}",
        absent="not ranked",
        appended="ranked last, tied",
    )

    ids: str = _axis(
        "any",
        stage="order",
        label="ids",
        question="Which ids are accepted?",
        in_phrase="ids: {}",
        in_clause="it accepts as ids {}",
        needs="an id that is a number",
        refusing=("text", "text-docs", "digit-queries"),
        any="text and numbers",
        text="text only",
        text_docs="text only for documents",
        digit_queries="digits only for queries",
    )

    # -- judge: from a ranking to a judged ranking ---------------------------------------------------------------
    known: str = _axis(
        "all",
        stage="judge",
        label="known judgments",
        question="Which judgments does the measure use?",
        in_clause="it uses {}",
        all="all judgments",
        retrieved="judgments of retrieved documents only",
    )
    unjudged: str = _axis(
        "non-relevant",
        stage="judge",
        label="unjudged docs",
        question="What is a retrieved document without a judgment?",
        about="unjudged documents",
        in_phrase="unjudged documents {}",
        in_clause="unjudged documents are {}",
        non_relevant="not relevant",
        removed="removed before the cutoff",
        rejected=REJECTED,
    )
    negative: str = _axis(
        "unjudged",
        stage="judge",
        label="negative grades",
        question="What does a negative grade mean?",
        about="negative grades",
        in_phrase="negative grades as {}",
        in_clause="negative grades count as {}",
        unjudged="unjudged",
        non_relevant="0",
        as_is="negative gains",
        rejected=REJECTED,
    )
    relevant: str = _axis(
        "at-least",
        stage="judge",
        label="relevance",
        question="From which grade on is a document relevant?",
        in_phrase="documents relevant by {}",
        in_clause="a document is relevant by {}",
        at_least="a grade from the measure's threshold (1) on",
        above_zero="any grade above 0",
        above_half="any grade above 0.5",
        non_zero="any grade but 0",
    )
    grades: str = _axis(
        "any",
        stage="judge",
        label="grades",
        question="Which grades are accepted?",
        in_phrase="an exception for grades other than {}",
        in_clause="it raises an exception for grades other than {}",
        refusing=("whole-to-4", "binary", "two-values"),
        any=("all", "all grades", "it accepts all grades"),
        truncated=("all, cut to whole numbers", "grades cut to whole numbers", "it cuts grades to whole numbers"),
        rejected="whole numbers",
        whole_to_4="0 to 4",
        binary="0 and 1",
        two_values=("two values only", "an exception for a third grade", "it raises an exception for a third grade"),
    )
    qrels_duplicates: str = _axis(
        "rejected",
        stage="judge",
        label="judged twice",
        question="Which judgment counts if the qrels judge a document twice for one query?",
        about="documents judged twice",
        in_phrase="{} of a document judged twice",
        in_clause="it counts {} of a document judged twice",
        needs="a doc judged twice",
        never_asked="first",
        rejected=REJECTED,
        first="the first judgment",
        last="the last judgment",
        highest="the highest judgment",
        both="both judgments",
        same_rank="both judgments at one rank",
    )

    # -- measure -------------------------------------------------------------------------------------------------
    gain: str = _axis(
        "linear",
        headline=True,
        stage="measure",
        label="gain",
        question="What is the gain of a grade?",
        in_phrase="gain {}",
        in_clause="its gain is {}",
        pattern=f"map:{_PAIR}(,{_PAIR})*",
        example="map:1=1,2=3.5",
        text_of=_gains_in_words,
        read=gain_map,
        linear=("the grade", "linear gain", "its gain is the grade"),
        exp=("2^grade - 1", "exponential gain (2^grade - 1)", "its gain is exponential (2^grade - 1)"),
        binary=("1 if relevant", "binary gain", "its gain is binary"),
    )
    gain_threshold: str = _axis(
        "ignored",
        stage="measure",
        label="gain threshold",
        question="Do grades below the relevance threshold have a gain?",
        in_phrase="{} below the relevance threshold",
        in_clause="grades below the relevance threshold have {}",
        ignored="their gain",
        applied="no gain",
    )
    discount: str = _axis(
        "log2",
        headline=True,
        stage="measure",
        label="discount",
        question="By what is the gain at a rank divided?",
        in_phrase="the discount {}",
        in_clause="its discount is {}",
        pattern=r"jk-([2-9]|[1-9]\d{1,8})",
        example="jk-3",
        text_of=_discount_in_words,
        also_tried=("jk-3", "jk-10"),
        log2="log2(rank + 1)",
        ln="ln(rank + 1)",
        rank=("the rank", "the rank as discount", "its discount is the rank instead of log2(rank + 1)"),
        jk_2=(
            "log2(max(rank, 2))",
            "no discount at ranks 1 and 2 (log2(max(rank, 2)))",
            "its discount is log2(max(rank, 2))",
        ),
    )
    ideal: str = _axis(
        "judged",
        headline=True,
        stage="measure",
        label="ideal ranking",
        question="From which documents is the ideal ranking made?",
        in_phrase="an ideal ranking of {}",
        in_clause="its ideal ranking uses {}",
        judged=(
            "all judged documents",
            "an ideal ranking of all judged documents",
            "its ideal ranking has all judged documents",
        ),
        given=(
            "retrieved documents",
            "an ideal ranking of retrieved documents",
            "its ideal ranking uses only retrieved documents",
        ),
        retrieved=(
            "documents within the cutoff",
            "an ideal ranking of the documents within the cutoff",
            "its ideal ranking uses only documents retrieved within the cutoff",
        ),
        max_gain=(
            "the highest gain at every rank",
            "an ideal ranking of the highest gain throughout",
            "its ideal ranking has the highest gain at every rank",
        ),
    )
    ideal_cut: str = _axis(
        "k",
        stage="measure",
        label="ideal cutoff",
        question="Where is the ideal ranking cut?",
        in_phrase="an ideal ranking cut {}",
        in_clause="its ideal ranking is cut {}",
        k="at k",
        min_k_n=(
            "at min(k, n), n documents retrieved",
            "an ideal ranking cut at min(k, n), n documents retrieved",
            "its ideal ranking is not longer than the ranking (cut at min(k, n), n documents retrieved)",
        ),
        never=("nowhere", "an ideal ranking that is not cut", "its ideal ranking is not cut at k"),
    )
    p_denominator: str = _axis(
        "k",
        headline=True,
        stage="measure",
        label="denominator of P",
        question="By what is P@k divided?",
        in_phrase="division by {}",
        in_clause="it divides by {} instead of k",
        k=("k", "division by k", "it divides by k"),
        min_k_n=(
            "min(k, n), n documents retrieved",
            "division by min(k, n), n documents retrieved",
            "it divides by min(k, n), n documents retrieved, instead of k",
        ),
        min_k_R="min(k, R)",
    )
    r_denominator: str = _axis(
        "R",
        headline=True,
        stage="measure",
        label="denominator of R",
        question="By what is R@k divided?",
        in_phrase="division by {}",
        in_clause="it divides by {} instead of R",
        R=("R, the relevant documents", "division by R", "it divides by R"),
        min_k_R="min(k, R)",
    )
    ap_denominator: str = _axis(
        "R",
        headline=True,
        stage="measure",
        label="divisor of AP",
        question="By what is the sum of precisions in AP@k divided?",
        in_phrase="division by {}",
        in_clause="it divides by {} instead of R, all relevant documents",
        R=("R, all relevant documents", "division by R", "it divides by R"),
        min_k_R="min(k, R)",
        min_k_R_n="min(k, R, n)",
        hits="the number of hits",
        mean_p=("k: the mean of P@1 to P@k", "the mean of P@1 to P@k", "it is the mean of P@1 to P@k"),
    )
    rr_hits: str = _axis(
        "first",
        stage="measure",
        label="hits of RR",
        question="Which hits have their reciprocal rank in RR?",
        first=("the first hit", "the first hit", "it takes the first hit"),
        mean_over_hits=("all, averaged", "the mean over all hits", "it averages the reciprocal ranks of all hits"),
        mean_over_R=(
            "all, their sum over R",
            "the sum over all hits, divided by R",
            "it sums the reciprocal ranks of all hits and divides by R",
        ),
    )
    judged_denominator: str = _axis(
        "min-k-n",
        stage="measure",
        label="Judged divisor",
        question="By what is Judged@k divided?",
        in_phrase="division by {}",
        in_clause="it divides by {}",
        min_k_n="min(k, n), n documents retrieved",
        k="k",
    )
    f_weight: str = _axis(
        "beta-squared",
        stage="measure",
        label="weight of recall",
        question="How does beta weigh recall in F?",
        in_phrase="recall weighted by {}",
        in_clause="it weights recall by {}",
        beta_squared="the square of beta",
        beta="beta itself",
    )
    bpref_no_nonrel: str = _axis(
        "full",
        stage="measure",
        label="Bpref of no irr.",
        question="What does Bpref score if no document was judged non-relevant?",
        about="queries without judged non-relevant documents",
        full=(
            "1 for each hit",
            "full credit without judged non-relevant documents",
            "hits count in full without judged non-relevant documents",
        ),
        _0=SCORED_0,
        nan=UNDEFINED,
    )
    infap_epsilon: str = _axis(
        "1e-5",
        stage="measure",
        label="smoothing",
        question="Which constant smooths infAP?",
        in_phrase="the smoothing constant {}",
        in_clause="its smoothing constant is {}",
        _0="0",
        _1e_5="0.00001",
    )
    recall_points: str = _axis(
        "ceil",
        stage="measure",
        label="recall points",
        question="How many relevant documents make a recall of p?",
        in_phrase="recall p reached at {}",
        in_clause="recall p is reached at {}",
        ceil="p R, rounded up",
        trunc_09="p R + 0.9 in float64, cut to a whole number",
        round="p R in float64, rounded half away from zero",
    )
    iprec_empty: str = _axis(
        "0",
        stage="measure",
        label="IPrec of nothing",
        question="What is interpolated precision at recall 0 of an empty ranking?",
        about="precisions at recall 0 of empty rankings",
        _0=SCORED_0,
        nan=UNDEFINED,
    )
    err_max: str = _axis(
        "4",
        headline=True,
        stage="measure",
        label="highest grade",
        question="Which grade is the highest of ERR?",
        in_phrase="highest grade {}",
        in_clause="its highest grade is {}",
        pattern=r"[1-9]\d{0,4}",
        example="3",
        also_tried=("1", "2", "3", "5"),
        _4="4",
        query="that of the query",
        probability=("none: grades are probabilities", "grades as probabilities", "it takes grades as probabilities"),
    )
    rbp_gain: str = _axis(
        "binary",
        stage="measure",
        label="gain of RBP",
        question="What is the gain of a grade in RBP?",
        in_phrase="gain {}",
        in_clause="its gain is {}",
        binary="1 if relevant",
        grade="the grade",
        normalised="the grade over the highest grade",
    )
    degenerate: str = _axis(
        "1",
        stage="measure",
        label="0/0",
        question="What does a clustering measure score if its formula is 0/0?",
        about="labelings with the formula 0/0",
        _1=SCORED_1,
        _0=SCORED_0,
        nan=UNDEFINED,
    )

    # -- aggregate -----------------------------------------------------------------------------------------------
    missing: str = _axis(
        "0",
        stage="aggregate",
        label="missing queries",
        question="What does a judged query score that is missing from the run?",
        about="queries missing from the run",
        _0=SCORED_0,
        _0_in_counts=(
            "0, also in counts",
            "missing queries score 0, also in counts",
            "queries missing from the run score 0, also in counts",
        ),
        measured=(
            "as an empty ranking",
            "missing queries measured as empty",
            "queries missing from the run are measured as empty",
        ),
        nan=UNDEFINED,
        dropped=DROPPED,
        rejected=REJECTED,
        nan_as_0=UNDEFINED_AS_0,
        absent_as_0=UNLISTED_AS_0,
        nan_dropped=UNDEFINED_DROPPED,
    )
    no_judgments: str = _axis(
        "judged",
        stage="aggregate",
        label="no judgments",
        question="Is a query judged that the qrels name without a judgment?",
        in_phrase="queries named without a judgment {}",
        in_clause="queries named without a judgment are {}",
        needs="a query without judgments",
        judged="judged, without relevant documents",
        extra="treated as not in the qrels",
    )
    extra: str = _axis(
        "ignored",
        stage="aggregate",
        label="unjudged queries",
        question="What does a query of the run score that has no judgments?",
        about="queries without judgments",
        ignored=DROPPED,
        _0=SCORED_0,
        measured=MEASURED,
        rejected=REJECTED,
        nan_as_0=UNDEFINED_AS_0,
        absent_as_0=UNLISTED_AS_0,
    )
    norel: str = _axis(
        "0",
        headline=True,
        stage="aggregate",
        label="no relevant docs",
        question="What does a query without relevant documents score?",
        about="queries without relevant documents",
        _0=SCORED_0,
        _1=SCORED_1,
        _0__5=SCORED_HALF,
        nan=UNDEFINED,
        dropped=DROPPED,
        rejected=REJECTED,
        nan_as_0=UNDEFINED_AS_0,
        absent_as_0=UNLISTED_AS_0,
    )
    allrel: str = _axis(
        "nan",
        stage="aggregate",
        label="all relevant",
        question="What does a query without non-relevant documents score, by a measure of pairs?",
        about="queries without non-relevant documents",
        _0=SCORED_0,
        _1=SCORED_1,
        _0__5=SCORED_HALF,
        nan=UNDEFINED,
        dropped=DROPPED,
        rejected=REJECTED,
    )
    empty: str = _axis(
        "0",
        stage="aggregate",
        label="empty ranking",
        question="What does a query with an empty ranking score?",
        about="empty rankings",
        needs="an empty ranking",
        never_asked="missing",
        _0=SCORED_0,
        nan=UNDEFINED,
        dropped=DROPPED,
        rejected=REJECTED,
        missing=("as a missing query", "empty rankings as missing queries", "empty rankings count as missing queries"),
    )
    nohit: str = _axis(
        "measured",
        stage="aggregate",
        label="no hit",
        question="What does a query score without a relevant document within the cutoff?",
        about="queries without a hit",
        measured=MEASURED,
        nan=UNDEFINED,
        dropped=DROPPED,
        nan_as_0=UNDEFINED_AS_0,
        absent_as_0=UNLISTED_AS_0,
    )
    single: str = _axis(
        "measured",
        stage="aggregate",
        label="single document",
        question="Is a ranking of a single document accepted?",
        about="rankings of a single document",
        measured=MEASURED,
        rejected=REJECTED,
    )
    short: str = _axis(
        "measured",
        stage="aggregate",
        label="short ranking",
        question="Is a ranking accepted that is shorter than the cutoff?",
        about="rankings shorter than the cutoff",
        measured=MEASURED,
        rejected=REJECTED,
    )
    mean: str = _axis(
        "arithmetic",
        stage="aggregate",
        label="mean",
        question="Which mean is taken over the queries?",
        in_phrase="the {} mean",
        in_clause="it takes the {} mean over queries",
        arithmetic="arithmetic",
        geometric=(
            "geometric, of values no less than 0.00001",
            "the geometric mean",
            "it takes the geometric mean over queries",
        ),
        pooled=("pooled: numerators over denominators", "the pooled mean", "it pools all queries before dividing"),
    )
    no_query: str = _axis(
        "nan",
        stage="aggregate",
        label="no query left",
        question="What is a mean over no query?",
        about="means over no query",
        nan=UNDEFINED,
        _0=SCORED_0,
    )

    def __post_init__(self) -> None:
        for axis in AXES.values():
            axis.check(getattr(self, axis.name))

    def replace(self, **changes: str) -> "Conventions":
        """Return the same conventions with some changed."""
        for name, value in changes.items():
            axis_named(name).check(value)
        made = object.__new__(Conventions)
        # Unchanged values are already checked, and searches create hundreds of thousands of these objects.
        made.__dict__.update(self.__dict__, **changes)
        return made

    def differences(self, other: "Conventions") -> dict[str, str]:
        """Return the axes on which `other` differs, with the values of `other`."""
        return {name: getattr(other, name) for name in AXES if getattr(other, name) != getattr(self, name)}

    def spec(self) -> str:
        """Return the differences from `standard` as `axis=value`, sorted by axis; empty for `standard`."""
        return " ".join(f"{name}={value}" for name, value in sorted(STANDARD.differences(self).items()))

    def __str__(self) -> str:
        return self.spec() or "standard"


AXES: Mapping[str, Axis] = MappingProxyType(
    {f.name: Axis(f.name, str(f.default), **f.metadata) for f in fields(Conventions)},
)
STANDARD = Conventions()


def axis_named(name: str) -> Axis:
    """Return the axis with a name.

    Raises:
        UnknownConvention: the axis does not exist.
    """
    if name not in AXES:
        raise UnknownConvention(
            f"Unknown axis {shortened(name)!r}; {did_you_mean(name, AXES, all_by='rankproof show axes')}"
        )
    return AXES[name]


def spelled(spec: str) -> str:
    """Return a profile or conventions with the `axis:value` of signatures rewritten as `axis=value`.

    >>> spelled("standard gain:exp ties=input")
    'standard gain=exp ties=input'
    """
    return re.sub(rf"(?<!\S)({'|'.join(AXES)}):(?=\S)", r"\1=", spec)


def parse_conventions(spec: str, base: Conventions = STANDARD) -> Conventions:
    """Parse `axis=value axis=value …` as changes of a base.

    Raises:
        UnknownConvention: a word does not have this form, has an unknown axis or value, or sets an axis again.
    """
    changes: dict[str, str] = {}
    for word in spelled(spec).split():
        name, equals, value = word.partition("=")
        if not equals:
            raise UnknownConvention(f"{shortened(word)!r} is not of the form axis=value, such as ties=input")
        if name in changes:
            msg = f"{shortened(name)} is set twice, to {shortened(changes[name])} and {shortened(value)}. Keep one."
            raise UnknownConvention(msg)
        changes[axis_named(name).name] = value
    return base.replace(**changes)
