"""Measures by the names that other tools use, such as `ndcg_cut_10`, `map` or `hit@10`, in any case.

In rankproof a measure has one name, in the notation of ir_measures. Other names are read if a user types them, and written in the output
format of trec_eval.

>>> [str(name.measure) for name in called("P.5,10")], [str(name.measure) for name in called("hit@10")]
(['P@5', 'P@10'], ['Success@10'])
>>> in_trec_eval(parse("nDCG@10")), in_trec_eval(parse("IPrec@0.1")), in_trec_eval(parse("RBP"))
('ndcg_cut_10', 'iprec_at_recall_0.10', None)
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import ALIASES, Measure, UnknownMeasure, parse
from rankproof.reference_impl.shown import nearest_of, shortened

CUTOFFS = {
    "-": (),
    "ranks": ("5", "10", "15", "20", "30", "100", "200", "500", "1000"),
    "levels": tuple(f"{level / 10:.2f}" for level in range(11)),
    "1,5,10": ("1", "5", "10"),
}
"""The default cutoffs of trec_eval."""
_TABLE = Path(__file__).with_name("trec_eval_names.txt").read_text(encoding="utf-8")
_ROWS = [line.split(maxsplit=4) for line in _TABLE.splitlines() if not line.startswith("#")]
_PREFERENCES = re.compile(r"(all_|qrels_)?prefs(_.*)?", re.IGNORECASE)
"""Measures of preferences between pairs of documents, which qrels of grades do not hold."""


@dataclass(frozen=True, slots=True)
class TrecEvalMeasure:
    """A measure of trec_eval.

    Attributes:
        ours: the measure without cutoff.
        cutoffs: the default cutoffs; empty if it takes none.
        changes: conventions that differ from those of the measure.
    """

    ours: str
    cutoffs: tuple[str, ...] = ()
    changes: str = ""


TREC_EVAL: Mapping[str, TrecEvalMeasure] = {
    name: TrecEvalMeasure(ours, CUTOFFS[cutoffs], changes.strip("-"))
    for name, ours, cutoffs, changes, _ in _ROWS
    if not ours.startswith("~")
}
NOT_MEASURED: Mapping[str, str] = {
    name: ours[1:].replace(",", " or ") for name, ours, *_ in _ROWS if ours.startswith("~")
}
"""Names of trec_eval that rankproof does not compute, with the nearest measures."""
DEFAULT = "default"
SETS: Mapping[str, tuple[str, ...]] = {
    DEFAULT: ("nDCG@10", "AP", "RR", "P@10", "R@100"),
    **{name: tuple(row[0] for row in _ROWS if name in row[4].split()) for name in ("official", "set", "all_trec")},
}
"""Names of several measures: rankproof's default, and the sets of trec_eval."""
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
    "mean_average_precision": "AP",
    "mean_reciprocal_rank": "RR",
    "hit_ratio": "Success",
    "success_rate": "Success",
    "normalized_discounted_cumulative_gain": "nDCG",
    "discounted_cumulative_gain": "DCG",
    "expected_reciprocal_rank": "ERR",
    "rank_biased_precision": "RBP",
}
"""Names in other tools, in lower case; a cutoff follows as in the notation: `HR@10`."""
AMBIGUOUS: Mapping[str, str] = {
    "hits": "ranx counts the hits, and other tools report whether there is one (Success@k)",
    "context_precision": "ragas computes an average precision (AP@k), and other tools P@k",
}
"""Names that different tools use for different values."""
NOT_COVERED: Mapping[str, str] = {
    name: what
    for line in Path(__file__).with_name("measures_not_covered.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
    for what, _, names in [line.partition("  ")]
    for name in names.split()
}
"""Names of measures that rankproof does not compute, each with what it measures."""

_OURS = {**USUAL, **{name.casefold(): name for name in (*ALIASES, *MEASURES, *CLUSTERINGS)}}
_NAMED = re.compile(r"(?P<name>[^\W\d]\w*)(?P<rest>[(@].*)?", re.DOTALL)
_LONGEST_FIRST = sorted(map(re.escape, TREC_EVAL), key=len, reverse=True)
_THEIRS = re.compile(rf"(?P<name>{'|'.join(_LONGEST_FIRST)})([._](?P<cutoffs>[\d.,]+))?", re.IGNORECASE)
_THEIR_CASE = {name.casefold(): name for name in (*TREC_EVAL, *NOT_MEASURED)}


@dataclass(frozen=True, slots=True)
class NamedMeasure:
    """A measure by the name that a user typed.

    Attributes:
        name: its name in results: as typed; the notation if the name stands for several; trec_eval's name if the conventions differ.
        measure: the measure.
        changes: conventions that the name implies, such as `mean=geometric`.
    """

    name: str
    measure: Measure
    changes: str = ""


def called(text: str) -> tuple[NamedMeasure, ...]:
    """Return the measures of a name; of a set of trec_eval, those that rankproof has.

    Raises:
        UnknownMeasure: the name is unknown or ambiguous, or only trec_eval has the measure.
    """
    text = text.strip()
    parts = re.split(r",(?![^(]*\))", text)
    if len(parts) > 1 and not all(re.fullmatch(r"[\s\d.-]+", part) for part in parts[1:]):
        return tuple(own for part in parts for own in called(part))
    if text in SETS:
        known = [name for name in SETS[text] if name not in NOT_MEASURED]
        return tuple(own for name in known for own in (_at_cutoffs(name) if name in TREC_EVAL else called(name)))
    try:
        return (NamedMeasure(text, parse(text)),)
    except UnknownMeasure as error:
        usual = _usual_form(text)
        if usual != text:
            return tuple(own if own.changes else replace(own, name=str(own.measure)) for own in called(usual))
        measures = _elsewhere(text, error)
        is_as_typed = len(measures) == 1 and not measures[0].changes
    return (replace(measures[0], name=text),) if is_as_typed else measures


def why_unknown(text: str) -> str:
    """Return why a name is no measure, if the reason helps: a similar name, a measure that is not covered, several meanings.

    >>> why_unknown("map-l2"), why_unknown("sklearn"), why_unknown("BLEU")[:29]
    ("Unknown measure 'map-l2'. Did you mean MAP(rel=2)?", '', "Measure 'BLEU' is not covered")
    """
    try:
        called(text)
    except UnknownMeasure as error:
        return str(error) if re.search("Did you mean|not covered|ambiguous|nearest", str(error)) else ""
    return ""


def left_out(text: str) -> tuple[str, ...]:
    """Return the names of a set of trec_eval that rankproof does not compute.

    >>> left_out("official"), left_out("nDCG@10")
    (('runid',), ())
    """
    return tuple(name for name in SETS.get(text.strip(), ()) if name in NOT_MEASURED)


def measure_called(text: str | Measure) -> Measure:
    """Return the measure of a name.

    >>> print(measure_called("ndcg_cut_10"))
    nDCG@10

    Raises:
        UnknownMeasure: the name is unknown, or stands for several measures, or for one under other conventions.
    """
    if isinstance(text, Measure):
        return text
    first, *others = called(text)
    if others:
        names = shortened(", ".join(measure.name for measure in (first, *others)))
        raise UnknownMeasure(f"{shortened(text)} stands for {names}; choose one of them")
    if first.changes:
        raise UnknownMeasure(
            f"{first.name} is {first.measure} with {first.changes}; choose a profile with {first.changes}"
        )
    return first.measure


def in_trec_eval(measure: Measure) -> str | None:
    """Return the name of a measure in trec_eval, or None."""
    ours, at, _ = str(measure).partition("@")
    for name, entry in TREC_EVAL.items():
        if entry.ours == ours and bool(entry.cutoffs) == bool(at) and not entry.changes:
            cutoff = f"{measure.cutoff:.2f}" if ours == "IPrec" else str(measure.cutoff)
            return f"{name}_{cutoff}" if at else name
    return None


def only_in_the_mean(name: str) -> bool:
    """Return whether trec_eval does not print a measure for single queries.

    >>> [only_in_the_mean(name) for name in ("num_q", "gm_map", "map")]
    [True, True, False]
    """
    return name == "num_q" or (name in TREC_EVAL and TREC_EVAL[name].changes.startswith("mean="))


def _usual_form(text: str) -> str:
    """Return a name with its cutoff behind @ and without blanks or hyphens.

    >>> [_usual_form(text) for text in ("nDCG at 10", "hit rate@2", "precision_at_10", "MRR@all", "GMAP", "accuracy@1")]
    ['nDCG@10', 'hit_rate@2', 'precision@10', 'MRR', 'gm_map', 'Success@1']
    """
    text = re.sub(r"[\s_-]+at[\s_-]+(?=\d)", "@", text, count=1, flags=re.IGNORECASE)
    text = re.sub(r"@all$", "", text, flags=re.IGNORECASE)
    text = re.sub(r"^gmap$", "gm_map", text, flags=re.IGNORECASE)
    text = re.sub(r"^(acc|accuracy)(?=@\d)", "Success", text, flags=re.IGNORECASE)  # of question answering
    stem = re.split(r"[(@]", text, maxsplit=1)[0]
    usual = stem if "-l" in stem else re.sub(r"(?<=\w)[\s-]+(?=[^\W\d])", "_", stem)
    return usual + text[len(stem) :]


def _elsewhere(text: str, error: UnknownMeasure) -> tuple[NamedMeasure, ...]:
    """Return the measures of a name that the notation does not have."""
    match = _THEIRS.fullmatch(text)
    own = _THEIR_CASE[match["name"].casefold()] if match else ""
    # In another case, a name that takes cutoffs may also be one of rankproof's: P and p, success and Success.
    if match and (match["cutoffs"] or match["name"] == own or not TREC_EVAL[own].cutoffs):
        return _with_cutoffs(text, own, match["cutoffs"], error)
    stem = re.split(r"[.(@]", text)[0]
    for name in (stem, re.sub(r"(_[\d.]+)+$", "", stem)):
        nearest = NOT_MEASURED.get(_THEIR_CASE.get(name.casefold(), ""))
        if _PREFERENCES.fullmatch(name):
            nearest = "Bpref"
        if nearest is not None:
            hint = f"; nearest: {nearest}" if nearest else ""
            raise UnknownMeasure(f"rankproof does not compute trec_eval's {shortened(text)}{hint}") from error
    plain = re.sub(r"[\W_]", "", stem).casefold()
    if plain in NOT_COVERED:
        what = f"Measure {shortened(text)!r} is not covered ({NOT_COVERED[plain]})"
        raise UnknownMeasure(f"{what}. `rankproof show measures` lists all measures.") from error
    match = _NAMED.fullmatch(text)
    if match is None:
        raise _unknown(text) from error
    name = match["name"].casefold()
    if name in AMBIGUOUS:
        raise UnknownMeasure(f"{shortened(text)} is ambiguous: {AMBIGUOUS[name]}; choose one of them") from error
    if name in _OURS:
        try:
            measure = parse(_OURS[name] + (match["rest"] or ""))
        except UnknownMeasure as invalid:
            raise (_unknown(text) if "@k" in text.lower() else invalid) from error
        return (NamedMeasure(str(measure), measure),)
    raise _unknown(text) from error


def _unknown(text: str) -> UnknownMeasure:
    """Return the error for an unknown name, with the measure that is probably meant."""
    known = [*MEASURES, *CLUSTERINGS, *ALIASES, *TREC_EVAL, *SETS, *USUAL]
    forms = (
        (r"(?P<name>\w+?)[\s_-]+l\s?(?P<k>\d+)(?P<rest>(@\d+)?)", "{name}(rel={k}){rest}"),  # map-l2: trec_eval -l 2
        (r"(?P<name>\D+?)[\s_.-]*(?P<k>\d+)", "{name}@{k}"),  # nDCG10
        (r"(?P<name>\D+?)[\s_.-]*(?P<k>\d+)", "{name}_{k}"),  # ndcg cut 10
        (r"(?P<name>[^(@]+)(?P<rest>(\(.*\))?(@[\d.]+)?)", "{name}{rest}"),
        (r"(?P<name>[^(@]+)(\(.*\))?@.*", "{name}@10"),  # recall@k
    )
    for pattern, form in forms:
        match = re.fullmatch(pattern, text, re.DOTALL)
        near = nearest_of(match["name"], known) if match else None
        if match is None or near is None:
            continue
        meant = form.format(**{**match.groupdict(), "name": near})
        if meant == text:
            continue
        with suppress(UnknownMeasure):
            called(meant)
            return UnknownMeasure(f"Unknown measure {shortened(text)!r}. Did you mean {shortened(meant)}?")
    return UnknownMeasure(f"Unknown measure {shortened(text)!r}. `rankproof show measures` lists all measures.")


def _with_cutoffs(text: str, name: str, cutoffs: str | None, error: UnknownMeasure) -> tuple[NamedMeasure, ...]:
    if cutoffs is None:
        return _at_cutoffs(name)
    if not TREC_EVAL[name].cutoffs:
        hint = "rankproof reads parameters in brackets only, as in SetF(beta=2)"
        raise UnknownMeasure(f"{shortened(text)}: {hint}") from error
    try:
        return _at_cutoffs(name, sorted(dict.fromkeys(cutoffs.split(",")), key=float))
    except UnknownMeasure:
        raise
    except ValueError:
        raise UnknownMeasure(f"{shortened(text)}: separate cutoffs by commas, as in P.5,10") from error


def _at_cutoffs(name: str, cutoffs: Iterable[str] = ()) -> tuple[NamedMeasure, ...]:
    """Return the measures of a name of trec_eval, by default at its default cutoffs."""
    entry = TREC_EVAL[name]
    measures = []
    for cutoff in cutoffs or entry.cutoffs or ("",):
        # A level of recall is .5 in trec_eval, and 0.5 in the notation.
        measure = parse(entry.ours + (f"@{'0' * cutoff.startswith('.')}{cutoff}" if cutoff else ""))
        printed = f"{name}_{cutoff}" if cutoff else name
        measures.append(NamedMeasure(printed if entry.changes else str(measure), measure, entry.changes))
    return tuple(measures)
