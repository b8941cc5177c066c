"""Measures by the names that other tools have for them: trec_eval's, and whatever is written in another case.

Inside rankproof a measure has one name, in ir_measures' notation; here stands what else it is called, as data. These names are read where
somebody types a measure, and trec_eval's are written where its form of output is asked.

>>> [str(one.measure) for one in called("P.5,10")], [str(one.measure) for one in called("hit@10")]
(['P@5', 'P@10'], ['Success@10'])
>>> in_trec_eval(parse("nDCG@10")), in_trec_eval(parse("IPrec@0.1")), in_trec_eval(parse("RBP"))
('ndcg_cut_10', 'iprec_at_recall_0.10', None)
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import ALIASES, Measure, UnknownMeasure, parse
from rankproof.reference_impl.shown import did_you_mean, shortened

RANKS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
LEVELS = tuple(f"{level / 10:.2f}" for level in range(11))
"""The cutoffs, and the levels of recall, that trec_eval takes where none are given."""


@dataclass(frozen=True, slots=True)
class Theirs:
    """What trec_eval measures under a name.

    Attributes:
        ours: the measure; of one with cutoffs, without them.
        cutoffs: those it takes where none are given; without any it has none.
        changes: the conventions without which ours is another number.
    """

    ours: str
    cutoffs: tuple[str, ...] = ()
    changes: str = ""


TREC_EVAL: Mapping[str, Theirs] = {
    "num_q": Theirs("NumQ"),
    "num_ret": Theirs("NumRet"),
    "num_rel": Theirs("NumRel"),
    "num_rel_ret": Theirs("NumRet(rel=1)"),
    "map": Theirs("AP"),
    "gm_map": Theirs("AP", changes="mean=geometric"),
    "Rprec": Theirs("Rprec"),
    "bpref": Theirs("Bpref"),
    "recip_rank": Theirs("RR"),
    "iprec_at_recall": Theirs("IPrec", LEVELS),
    "P": Theirs("P", RANKS),
    "recall": Theirs("R", RANKS),
    "infAP": Theirs("infAP"),
    "gm_bpref": Theirs("Bpref", changes="mean=geometric"),
    "11pt_avg": Theirs("IAP"),
    "ndcg": Theirs("nDCG"),
    "ndcg_cut": Theirs("nDCG", RANKS),
    "map_cut": Theirs("AP", RANKS),
    "relative_P": Theirs("R", RANKS, "r_denominator=min-k-R"),
    "success": Theirs("Success", ("1", "5", "10")),
    "set_P": Theirs("SetP"),
    "set_relative_P": Theirs("SetP(relative=True)"),
    "set_recall": Theirs("SetR"),
    "set_map": Theirs("SetAP"),
    "set_F": Theirs("SetF"),
}
"""In trec_eval's order; what it prints with cutoffs is `P_5`, what it takes is `P.5,10` as well."""

_PREFERENCES = "it compares pairs of docs by preferences, which no qrels of rels hold"
NOT_MEASURED: Mapping[str, str] = {
    "runid": "it is no measure; it is the tag of the run",
    "relstring": "it is no number; it is the rels of the first docs",
    "Rprec_mult": "it is precision at multiples of R; nearest are Rprec and P@k",
    "utility": "it is a weighted sum of set counts, docs retrieved and not; nearest are SetP and SetR",
    "binG": "it is an experiment of trec_eval's, a gain discounted by non-relevant docs; nearest is nDCG",
    "G": "it is an experiment of trec_eval's, a gain discounted by lost gain; nearest is nDCG",
    "ndcg_rel": "it is an experiment of trec_eval's, nDCG averaged over relevant docs; nearest is nDCG",
    "Rndcg": "it is an experiment of trec_eval's, nDCG averaged over the ranks where the ideal changes its rel; nearest is nDCG",
    "yaap": "it is an experiment of trec_eval's, AP on another scale; nearest is AP",
    "num_nonrel_judged_ret": "it is a count of docs that are judged and not relevant; nearest are NumRet and Judged@k",
} | dict.fromkeys(
    (
        "prefs",
        "all_prefs",
        "qrels_prefs",
        "prefs_num_prefs_poss",
        "prefs_num_prefs_ful",
        "prefs_num_prefs_ful_ret",
        "prefs_simp",
        "prefs_pair",
        "prefs_avgjg",
        "prefs_avgjg_Rnonrel",
        "prefs_simp_ret",
        "prefs_pair_ret",
        "prefs_avgjg_ret",
        "prefs_avgjg_Rnonrel_ret",
        "prefs_simp_imp",
        "prefs_pair_imp",
        "prefs_avgjg_imp",
    ),
    f"{_PREFERENCES}; nearest is Bpref",
)
"""trec_eval's, and why rankproof does not measure it."""

_COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
DEFAULT = "default"
"""What is measured where nothing is asked."""
SETS: Mapping[str, tuple[str, ...]] = {
    DEFAULT: ("nDCG@10", "AP", "RR", "P@10", "R@100"),
    "official": ("runid", *_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"),
    "set": ("runid", *_COUNTS, "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    "all_trec": (
        "runid",
        *_COUNTS,
        "map",
        "gm_map",
        "Rprec",
        "bpref",
        "recip_rank",
        "iprec_at_recall",
        "P",
        "relstring",
        "recall",
        "infAP",
        "gm_bpref",
        "Rprec_mult",
        "utility",
        "11pt_avg",
        "binG",
        "G",
        "ndcg",
        "ndcg_rel",
        "Rndcg",
        "ndcg_cut",
        "map_cut",
        "relative_P",
        "success",
        "set_P",
        "set_relative_P",
        "set_recall",
        "set_map",
        "set_F",
        "num_nonrel_judged_ret",
    ),
}
"""The usual measures; and trec_eval's names of several measures, in its order."""

USUAL: Mapping[str, str] = {
    "hr": "Success",
    "hit": "Success",
    "hit_rate": "Success",
    "precision": "P",
    "prec": "P",
    "recall": "R",
    "f1": "F",
    "map": "AP",
    "mrr": "RR",
    "reciprocal_rank": "RR",
    "recip_rank": "RR",
    "average_precision": "AP",
}
"""What measures are called elsewhere, in lower case, with what stands behind the name as in the notation: `HR@10`."""
AMBIGUOUS: Mapping[str, str] = {
    "hits": "ranx counts the hits, and others ask whether there is one; ask Success@k for the latter",
    "context_precision": "that of ragas is an average precision, AP@k, and that of others is P@k; ask one of them",
}
"""Names that stand for one number here and for another there."""

_IN_ANY_CASE = {name.casefold(): name for name in (*ALIASES, *MEASURES, *CLUSTERINGS)}
_NAMED = re.compile(r"(?P<name>[^\W\d]\w*)(?P<rest>[(@].*)?", re.DOTALL)
_THEIRS = re.compile(
    rf"(?P<name>{'|'.join(sorted(map(re.escape, TREC_EVAL), key=len, reverse=True))})([._](?P<cutoffs>[\d.,]+))?",
    re.IGNORECASE,
)
_IN_THEIR_CASE = {name.casefold(): name for name in TREC_EVAL}
_NOT_OURS = {name.casefold(): name for name in NOT_MEASURED}


def refuse_taken(names: Iterable[str]) -> None:
    """See that no measure has a name that is read as that of another one.

    Raises:
        ImportError: one has; so a measure that is added cannot change what somebody's name stands for.
    """
    for name in names:
        meant = USUAL.get(name.casefold(), name)
        if meant != name or name.casefold() in AMBIGUOUS:
            other = f"is read as {meant}" if meant != name else "stands for two things"
            raise ImportError(f"a measure is called {name}, a name that {other}; call it otherwise")


refuse_taken((*MEASURES, *CLUSTERINGS))


class NotMeasured(UnknownMeasure):
    """trec_eval measures it, and rankproof does not."""


class Several(UnknownMeasure):
    """The name stands for several measures, where one is asked."""


@dataclass(frozen=True, slots=True)
class Called:
    """A measure, as somebody called it.

    Attributes:
        name: what it is called in results: as it was asked; of a name that stands for several, as the notation has each. What is ours
            only under other conventions keeps trec_eval's name.
        measure: the measure.
        changes: conventions that the name stands for, as `mean=geometric`.
    """

    name: str
    measure: Measure
    changes: str = ""


def called(text: str) -> tuple[Called, ...]:
    """The measures that a name stands for; of trec_eval's sets, those that rankproof has.

    Raises:
        NotMeasured: trec_eval has it, and rankproof does not.
        UnknownMeasure: nobody has it.
    """
    text = text.strip()
    if text in SETS:
        return tuple(one for name in SETS[text] for one in _in_a_set(name))
    try:
        return (Called(text, parse(text)),)
    except UnknownMeasure as error:
        found = _called_elsewhere(text, error)
        return (replace(found[0], name=text),) if len(found) == 1 and not found[0].changes else found


def left_out(text: str) -> tuple[str, ...]:
    """What a set of trec_eval's has that rankproof does not measure.

    >>> left_out("official"), left_out("nDCG@10")
    (('runid',), ())
    """
    return tuple(name for name in SETS.get(text.strip(), ()) if name in NOT_MEASURED)


def measure_called(text: str | Measure) -> Measure:
    """The one measure that a name stands for.

    >>> print(measure_called("ndcg_cut_10"))
    nDCG@10

    Raises:
        Several: it stands for several, or for one under other conventions.
        UnknownMeasure: it stands for none.
    """
    if isinstance(text, Measure):
        return text
    found = called(text)
    if len(found) > 1:
        raise Several(
            f"{shortened(text)} stands for {shortened(', '.join(one.name for one in found))}; ask one of them"
        )
    (one,) = found
    if one.changes:
        raise Several(f"{one.name} is {one.measure} by {one.changes}; ask {one.measure} under a profile that has it")
    return one.measure


def in_trec_eval(measure: Measure) -> str | None:
    """What trec_eval calls a measure; None where it has no name for it."""
    ours, at, _ = str(measure).partition("@")
    for name, theirs in TREC_EVAL.items():
        if theirs.ours == ours and bool(theirs.cutoffs) == bool(at) and not theirs.changes:
            return _printed(name, theirs, f"{measure.cutoff:.2f}" if ours == "IPrec" else str(measure.cutoff))
    return None


def only_in_the_mean(name: str) -> bool:
    """Whether trec_eval prints it for no single query.

    >>> [only_in_the_mean(name) for name in ("num_q", "gm_map", "map")]
    [True, True, False]
    """
    return name == "num_q" or (name in TREC_EVAL and TREC_EVAL[name].changes.startswith("mean="))


def _called_elsewhere(text: str, error: UnknownMeasure) -> tuple[Called, ...]:
    if (found := _THEIRS.fullmatch(text)) and (found["cutoffs"] or _is_theirs(found["name"])):
        return _in_their_words(text, found["name"], found["cutoffs"], error)
    stem = re.split(r"[.(@]", text)[0]
    for name in (stem, re.sub(r"(_[\d.]+)+$", "", stem)):
        if (their := _NOT_OURS.get(name.casefold())) is not None:
            raise NotMeasured(
                f"{shortened(text)} is trec_eval's, and rankproof does not measure it: {NOT_MEASURED[their]}"
            ) from error
    named = _NAMED.fullmatch(text)
    if named is None:
        raise error
    if (two := AMBIGUOUS.get(named["name"].casefold())) is not None:
        raise UnknownMeasure(f"{shortened(text)} is not the same to all: {two}") from error
    ours = _IN_ANY_CASE.get(named["name"].casefold()) or USUAL.get(named["name"].casefold())
    if ours and ours != named["name"]:
        measure = parse(ours + (named["rest"] or ""))
        return (Called(str(measure), measure),)
    if ours:
        raise error
    known = [*MEASURES, *CLUSTERINGS, *ALIASES]
    near = did_you_mean(stem, [*known, *TREC_EVAL, *SETS, *USUAL], known, "rankproof show measures")
    raise UnknownMeasure(f"{shortened(text)} is no measure known here; {near}") from error


def _is_theirs(name: str) -> bool:
    """Whether a name without cutoffs is trec_eval's alone: in another case, one that takes some may be ours, which has them or not."""
    own = _IN_THEIR_CASE[name.casefold()]
    return name == own or not TREC_EVAL[own].cutoffs


def _in_their_words(text: str, name: str, cutoffs: str | None, error: UnknownMeasure) -> tuple[Called, ...]:
    own = _IN_THEIR_CASE[name.casefold()]
    theirs = TREC_EVAL[own]
    if cutoffs is not None and not theirs.cutoffs:
        mend = f"rankproof reads no parameters of {own}; in its notation they stand in brackets, as in SetF(beta=2)"
        raise UnknownMeasure(f"{shortened(text)}: {mend}") from error
    try:
        return _theirs(own, sorted(dict.fromkeys(cutoffs.split(",")), key=float) if cutoffs else theirs.cutoffs)
    except ValueError as other:
        if isinstance(other, UnknownMeasure):
            raise
        raise UnknownMeasure(
            f"{shortened(text)}: cutoffs are numbers with commas between them, as in P.5,10"
        ) from error


def _in_a_set(name: str) -> tuple[Called, ...]:
    """What a name stands for in a set: in one of trec_eval's, what it does there."""
    if name in TREC_EVAL:
        return _theirs(name, TREC_EVAL[name].cutoffs)
    return () if name in NOT_MEASURED else called(name)


def _theirs(name: str, cutoffs: Iterable[str]) -> tuple[Called, ...]:
    """What trec_eval measures under a name at these cutoffs; without any, the one measure that has none."""
    return tuple(_one(name, TREC_EVAL[name], cutoff) for cutoff in cutoffs or ("",))


def _one(name: str, theirs: Theirs, cutoff: str) -> Called:
    # .5 is a level of recall to trec_eval, and 0.5 in the notation.
    measure = parse(theirs.ours + (f"@{'0' * cutoff.startswith('.')}{cutoff}" if cutoff else ""))
    return Called(_printed(name, theirs, cutoff) if theirs.changes else str(measure), measure, theirs.changes)


def _printed(name: str, theirs: Theirs, cutoff: str) -> str:
    return f"{name}_{cutoff}" if theirs.cutoffs else name
