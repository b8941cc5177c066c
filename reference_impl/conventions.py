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
they are taken; removing a doc whose id is the query's; RR of all hits, or of the highest rel; AUC of the top k alone, or
with a negative added; ids compared as numbers. An implementation that makes one of them is
`unexplained`. A cutoff at rank 1,000 that nobody asked for is an exception in the sheets of those who have it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any


class UnknownConvention(ValueError):
    """An axis, or a value on an axis, that does not exist."""


def _axis(default: str, *, stage: str, question: str, pattern: str = "", **values: str) -> Any:  # noqa: ANN401 - as field()
    """A dataclass field that knows its question and its values (`_` in a keyword stands for `-`)."""
    named = {name.strip("_").replace("_", "-"): meaning for name, meaning in values.items()}
    return field(default=default, metadata={"stage": stage, "question": question, "values": named, "pattern": pattern})


_NUMBER = r"-?\d+(\.\d+)?"
_PAIR = f"{_NUMBER}={_NUMBER}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Conventions:
    """A value for each axis. The defaults are what trec_eval documents, on float64 scores, over all judged queries."""

    # -- order: from the rows of a run to a ranking --------------------------------------------------------------
    order: str = _axis(
        "score", stage="order", question="What are the docs ranked by?",
        score="the score, descending",
        rank="the rank column, ascending",
        input="nothing: the rows are taken in the order given",
    )  # fmt: skip
    ties: str = _axis(
        "docid-desc", stage="order", question="In which order do docs with the same score stand?",
        docid_desc="by docid, descending, compared as UTF-8 bytes",
        docid_asc="by docid, ascending, compared as UTF-8 bytes",
        input="in the order of the rows",
        input_reversed="in the reverse order of the rows",
        last_rank="none: each takes the last rank of its tie group",
        expectation="the mean over all orders of the tied docs",
        best="the order of the tied docs that is worth most",
        worst="the order of the tied docs that is worth least",
        unspecified="in any order: the sort keeps none that could be named (here: in the order of the rows)",
    )  # fmt: skip
    score: str = _axis(
        "f64", stage="order", question="At which precision are scores compared?",
        f64="float64: 1 and 1 + 1e-9 differ",
        f32="float32: 1 and 1 + 1e-9 are tied",
    )  # fmt: skip
    score_sign: str = _axis(
        "any", stage="order", question="Does a doc scored zero or less count as retrieved?",
        any="yes",
        positive="no: only docs with a positive score are retrieved",
    )  # fmt: skip
    infinite: str = _axis(
        "ordered", stage="order", question="What of a score that is infinite?",
        ordered="it is above, or below, all finite ones",
        rejected="the input is refused",
    )  # fmt: skip
    run_duplicates: str = _axis(
        "rejected", stage="order", question="What if a run names a doc twice for one query?",
        rejected="the input is refused",
        first="the first row counts",
        last="the last row counts",
        both="both rows count",
        once="both rows take a rank, and the doc is credited at the better one alone",
    )  # fmt: skip
    unretrieved: str = _axis(
        "absent", stage="order", question="Are judged docs that were not retrieved in the ranking?",
        absent="no",
        appended="yes: tied with one another, below every retrieved doc",
    )  # fmt: skip

    ids: str = _axis(
        "any", stage="order", question="What may an id be?",
        any="text, or a number, which is its text",
        text="text: an input with a number for an id is refused",
        text_docs="any for a query; for a doc text only, and a number is refused",
        digit_queries="any for a doc; for a query digits only, and any other is refused",
    )  # fmt: skip

    # -- judge: from a ranking to a judged ranking ---------------------------------------------------------------
    known: str = _axis(
        "all", stage="judge", question="Which judgments does the measure know?",
        all="all of the qrels",
        retrieved="those of the rows: it is given a rel beside each score, and no qrels",
    )  # fmt: skip
    unjudged: str = _axis(
        "non-relevant", stage="judge", question="What is a retrieved doc without a judgment?",
        non_relevant="a doc that is not relevant",
        removed="nothing: it is taken out of the ranking before the cut",
        rejected="the input is refused",
    )  # fmt: skip
    negative: str = _axis(
        "unjudged", stage="judge", question="What does a negative judgment mean?",
        unjudged="in the pool but unjudged",
        non_relevant="not relevant, gain 0",
        as_is="a negative gain",
        rejected="the input is refused",
    )  # fmt: skip
    relevant: str = _axis(
        "at-least", stage="judge", question="From which rel on is a doc relevant?",
        at_least="rel >= the measure's rel (1 unless told)",
        above_zero="rel > 0",
        above_half="rel > 0.5",
    )  # fmt: skip
    grades: str = _axis(
        "any", stage="judge", question="Which rels are taken?",
        any="all, as they are",
        truncated="all; a fraction is cut to the whole number towards zero",
        rejected="whole numbers; a fraction is refused",
        whole_to_4="whole numbers up to 4; any other is refused",
        binary="0 and 1; any other is refused",
    )  # fmt: skip
    qrels_duplicates: str = _axis(
        "rejected", stage="judge", question="What if the qrels judge a doc twice for one query?",
        rejected="the input is refused",
        first="the first judgment counts",
        last="the last judgment counts",
        highest="the highest judgment counts",
        both="both count, and the doc is retrieved once for each",
    )  # fmt: skip

    # -- measure -------------------------------------------------------------------------------------------------
    gain: str = _axis(
        "linear", stage="measure", question="What gain has a rel?", pattern=f"map:{_PAIR}(,{_PAIR})*",
        linear="rel",
        exp="2^rel - 1",
        binary="1 if relevant, else 0",
    )  # fmt: skip
    gain_threshold: str = _axis(
        "ignored", stage="measure", question="Does the relevance threshold touch the gain?",
        ignored="no: every rel has its gain",
        applied="yes: a doc below the threshold has gain 0",
    )  # fmt: skip
    discount: str = _axis(
        "log2", stage="measure", question="What is the gain at rank i divided by?", pattern=r"jk-([2-9]|[1-9]\d+)",
        log2="log2(1 + i)",
        ln="ln(1 + i)",
        rank="i",
        jk_2="log2(max(i, 2)), so ranks 1 and 2 are not discounted (Järvelin & Kekäläinen, base 2; jk-b for base b)",
    )  # fmt: skip
    ideal: str = _axis(
        "judged", stage="measure", question="From which docs is the ideal ranking made?",
        judged="all judged docs, retrieved or not",
        given="all docs of the run, cut or not",
        retrieved="the docs ranked within the cutoff",
        max_gain="k docs of the highest judged gain",
    )  # fmt: skip
    ideal_cut: str = _axis(
        "k", stage="measure", question="Where is the ideal ranking cut?",
        k="at k, as the ranking is",
        never="nowhere",
    )  # fmt: skip
    p_denominator: str = _axis(
        "k", stage="measure", question="What is P@k divided by?",
        k="k",
        min_k_n="min(k, n), n docs retrieved",
        min_k_R="min(k, R), R docs relevant",
    )  # fmt: skip
    r_denominator: str = _axis(
        "R", stage="measure", question="What is R@k divided by?",
        R="R, the docs relevant",
        min_k_R="min(k, R)",
    )  # fmt: skip
    ap_denominator: str = _axis(
        "R", stage="measure", question="What is the sum of precisions in AP@k divided by?",
        R="R, the docs relevant",
        min_k_R="min(k, R)",
        min_k_R_n="min(k, R, n)",
        hits="the relevant docs retrieved within k",
        mean_p="nothing: AP@k is the mean of P@1 .. P@k",
    )  # fmt: skip
    judged_denominator: str = _axis(
        "min-k-n", stage="measure", question="What is Judged@k divided by?",
        min_k_n="min(k, n), n docs retrieved",
        k="k",
    )  # fmt: skip
    f_weight: str = _axis(
        "beta-squared", stage="measure", question="How does beta weigh recall in F?",
        beta_squared="(1 + b^2) P R / (b^2 P + R)",
        beta="(1 + b) P R / (b P + R)",
    )  # fmt: skip
    bpref_no_nonrel: str = _axis(
        "full", stage="measure", question="What is Bpref when no doc was judged non-relevant?",
        full="each relevant doc retrieved counts in full",
        _0="0",
        nan="undefined",
    )  # fmt: skip
    infap_epsilon: str = _axis(
        "1e-5", stage="measure", question="Which constant smooths infAP?",
        _0="none",
        **{"1e-5": "0.00001"},
    )  # fmt: skip
    recall_points: str = _axis(
        "ceil", stage="measure", question="How many relevant docs make a recall of p?",
        ceil="the least whole number >= p R",
        trunc_09="p R + 0.9 in float64, cut to a whole number",
        round="p R in float64, rounded half away from zero",
    )  # fmt: skip
    err_max: str = _axis(
        "4", stage="measure", question="Which rel is the highest grade of ERR?", pattern=r"[1-9]\d*",
        _4="4, whatever the qrels hold (or another number)",
        query="the highest rel judged for the query",
        probability="none: rel itself is the probability of satisfaction",
    )  # fmt: skip
    rbp_gain: str = _axis(
        "binary", stage="measure", question="What gain has a rel in RBP?",
        binary="1 if relevant, else 0",
        grade="rel",
        normalised="rel over the highest rel judged for the query",
    )  # fmt: skip
    degenerate: str = _axis(
        "1", stage="measure", question="What is a clustering measure worth where its formula is 0/0?",
        _1="1: the labelings are alike",
        _0="0",
        nan="undefined",
    )  # fmt: skip

    # -- aggregate -----------------------------------------------------------------------------------------------
    missing: str = _axis(
        "0", stage="aggregate", question="What is a judged query worth that the run does not have?",
        _0="0; in counts, what an empty ranking counts",
        _0_in_counts="0, in counts too",
        measured="what the measure gives for an empty ranking",
        nan="undefined",
        dropped="nothing: it leaves the mean",
        rejected="the input is refused",
        nan_as_0="undefined for itself, 0 in the mean",
        absent_as_0="0 in the mean, and in counts what an empty ranking counts, but not told of for itself",
        nan_dropped="undefined for itself, and not in the mean",
    )  # fmt: skip
    no_judgments: str = _axis(
        "judged", stage="aggregate", question="What is a query that the qrels name without judging a doc?",
        judged="a judged query, without relevant docs",
        extra="a query without judgments, as if they did not name it",
    )  # fmt: skip
    extra: str = _axis(
        "ignored", stage="aggregate", question="What is a query of the run worth that has no judgments?",
        ignored="nothing: it leaves the mean",
        _0="0",
        measured="what the measure gives, no doc being judged",
        rejected="the input is refused",
        nan_as_0="undefined for itself, 0 in the mean",
        absent_as_0="0 in the mean, and not told of for itself",
    )  # fmt: skip
    norel: str = _axis(
        "0", stage="aggregate", question="What is a query without relevant docs worth?",
        _0="0",
        _1="1",
        nan="undefined",
        dropped="nothing: it leaves the mean",
        rejected="the input is refused",
        nan_as_0="undefined for itself, 0 in the mean",
        absent_as_0="0 in the mean, and not told of for itself",
    )  # fmt: skip
    allrel: str = _axis(
        "nan", stage="aggregate", question="What is a query without non-relevant docs worth, to a measure of pairs?",
        _0="0",
        _1="1",
        nan="undefined",
    )  # fmt: skip
    empty: str = _axis(
        "0", stage="aggregate", question="What is a query worth whose ranking is empty?",
        _0="0",
        nan="undefined",
        dropped="nothing: it leaves the mean",
        rejected="the input is refused",
        missing="what one is worth that the run does not have: a query is its rows",
    )  # fmt: skip
    nohit: str = _axis(
        "measured", stage="aggregate", question="What is a query worth for which no relevant doc is within the cutoff?",
        measured="what the measure gives",
        nan="undefined",
        dropped="nothing: it leaves the mean",
        nan_as_0="undefined for itself, 0 in the mean",
        absent_as_0="0 in the mean, and not told of for itself",
    )  # fmt: skip
    single: str = _axis(
        "measured", stage="aggregate", question="What of a ranking of a single doc?",
        measured="it is measured like any other",
        rejected="the input is refused: one doc cannot be ranked",
    )  # fmt: skip
    short: str = _axis(
        "measured", stage="aggregate", question="What of a ranking that is shorter than the cutoff?",
        measured="it is measured like any other",
        rejected="the input is refused: there is nothing at the cutoff",
    )  # fmt: skip
    mean: str = _axis(
        "arithmetic", stage="aggregate", question="Which mean is taken over the queries?",
        arithmetic="the arithmetic mean",
        geometric="the geometric mean, of values no less than 0.00001",
        pooled="the sum of the numerators over the sum of the denominators",
    )  # fmt: skip

    def __post_init__(self) -> None:
        for axis in AXES.values():
            axis.check(getattr(self, axis.name))

    def replace(self, **changes: str) -> "Conventions":
        """The same conventions with some replaced."""
        for name in changes:
            axis_named(name)
        return replace(self, **changes)

    def differences(self, other: "Conventions") -> dict[str, str]:
        """The axes on which `other` differs, with its values."""
        return {name: getattr(other, name) for name in AXES if getattr(other, name) != getattr(self, name)}

    def spec(self) -> str:
        """What differs from `standard`, as `axis=value` in the order of the axes' names; empty for `standard`."""
        return " ".join(f"{name}={value}" for name, value in sorted(STANDARD.differences(self).items()))


@dataclass(frozen=True, slots=True)
class Axis:
    """One choice: its name, the question it answers, its values with their meanings, and the stage that asks it."""

    name: str
    default: str
    stage: str
    question: str
    values: Mapping[str, str]
    pattern: str

    def check(self, value: str) -> None:
        """Refuse a value that is not on the axis.

        Raises:
            UnknownConvention: the value is neither one of `values` nor of the form `pattern`.
        """
        if value not in self.values and not (self.pattern and re.fullmatch(self.pattern, value)):
            msg = f"{self.name}={value} is no convention; {self.name} is one of {', '.join(self.values)}"
            raise UnknownConvention(msg)

    def meaning(self, value: str) -> str:
        """The value in words."""
        return self.values.get(value, value)


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
        msg = f"{name} is no axis; the axes are {', '.join(AXES)}"
        raise UnknownConvention(msg)
    return AXES[name]


def parse_conventions(spec: str, base: Conventions = STANDARD) -> Conventions:
    """Read `axis=value axis=value …` as changes of a base.

    Raises:
        UnknownConvention: a word is not of that form, or names no axis or value.
    """
    changes = {}
    for word in spec.split():
        name, equals, value = word.partition("=")
        if not equals:
            msg = f"{word!r} is neither a profile nor of the form axis=value"
            raise UnknownConvention(msg)
        changes[axis_named(name).name] = value
    return base.replace(**changes)


def gain_map(value: str) -> dict[Fraction, Fraction]:
    """The table of a gain convention `map:rel=gain,…`.

    >>> gain_map("map:1=1,2=3.5")
    {Fraction(1, 1): Fraction(1, 1), Fraction(2, 1): Fraction(7, 2)}
    """
    pairs = (pair.split("=") for pair in value.removeprefix("map:").split(","))
    return {Fraction(rel): Fraction(gain) for rel, gain in pairs}
