"""Honest functions, written after what public projects do: each is asked by its true form, and nothing false is said of it."""

import contextlib
import io
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from direct_calls import best_of_calls
from signed import assert_computes

from rankproof import cases as corpus
from rankproof.calling.call_candidates import Source, load
from rankproof.calling.call_forms import QRELS_RUN
from rankproof.cases import Case
from rankproof.checking.case_questions import Seen, traits
from rankproof.checking.checked import Checked
from rankproof.checking.differing import differences
from rankproof.checking.examining import examine
from rankproof.checking.recognising import claimed
from rankproof.explaining.signature_comparison import compare
from rankproof.meaning.signatures import Signature, axes_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.notation import parse
from rankproof.telling.check_text import verdict
from rankproof.telling.check_words import script_of
from rankproof.workers.observations import Answered, readings

FUNCTIONS = Path(__file__).resolve().parent / "functions"
sys.path.insert(0, str(FUNCTIONS))

from truths import Truth, with_truths  # noqa: E402 - found on the path just made

FILES = ("wild_ndcg", "wild_hits", "wild_results", "wild_pairs", "wild_files")
WILD: dict[str, Truth] = {
    f"{file}:{name}": said for file in FILES for name, said in with_truths(import_module(file)).items()
} | {"wild_results:Toolbox.precision": import_module("wild_results").Toolbox.precision.truth}
GIVE_MORE = {
    "wild_results:HitEvaluator",
    "wild_results:at_every_cutoff",
    "wild_results:dict_by_cutoff",
    "wild_files:rr_of_numbers",
}
"""Those whose result holds more than the number."""
BY_DEFAULT = "wild_hits:threshold_of_its_own"
"""One that by its default takes only rels of 3 for relevant, and is given the threshold of the measure when it is asked."""
EACH = 6
"""Of the cases that are not ordinary, every sixth is asked."""
SMALLEST = 30
"""How many there are at least."""


@cache
def few() -> list[Case]:
    """All cases that are ordinary, and some of the others."""
    every = corpus.load_all()
    extreme = {case.id for case in every if any(trait.is_extreme for trait in traits(QRELS_RUN, case.input))}
    return [case for case in every if case.id not in extreme] + [case for case in every if case.id in extreme][::EACH]


def where(name: str) -> str:
    """The file in which a function stands, and its name."""
    return f"{FUNCTIONS / name}".replace(":", ".py:")


@cache
def found(name: str) -> Checked:
    return examine(None, WILD[name].measure, name=where(name), cases=few())


def truth_of(name: str) -> Conventions:
    return claimed(WILD[name].follows or "standard", parse(WILD[name].measure))


def test_there_are_many() -> None:
    assert len(WILD) >= SMALLEST
    assert len({said.form for said in WILD.values()}) > 10


def test_each_is_right_by_one_of_the_ways_of_its_form() -> None:
    """Each in each run, where all else is asked of some."""
    for name, said in WILD.items():
        measure = parse(said.measure)
        loaded = load(Source(where(name), measure))
        ways = [way for way in loaded.candidates.targets if way.form.name == said.form]
        assert ways, name
        if name != BY_DEFAULT:
            best = best_of_calls(loaded.function, measure, ways, truth_of(name))
            assert best == ("no number" if name in GIVE_MORE else "right"), name


@pytest.mark.in_turn
@pytest.mark.parametrize("name", WILD)
def test_nothing_false_is_said_of_it(name: str) -> None:
    """What is true of it explains all; what it is found to follow is that, but for choices that no ordinary question can tell apart."""
    checked, truth = found(name), truth_of(name)
    asked = checked.ordinary.seen
    assert checked.target.form.name == WILD[name].form
    assert len(asked) > 20
    assert [str(d) for d in differences(asked, truth, "float32")] == []
    assert (checked.lead == "defect") == WILD[name].twice, verdict(checked)
    finding = checked.finding
    shown = None if finding is None else finding.score
    of_run = "" if shown is None else "cheap" if shown.got > shown.right else "dear"
    odd = "" if finding is None else of_run or "nobody"
    assert odd == WILD[name].odd, verdict(checked)
    assert checked.holds != (WILD[name].twice or bool(odd)), verdict(checked)
    assert [str(d) for d in checked.ordinary.misses] == []
    for axis in AXES:
        value = getattr(checked.follows, axis)
        if value != getattr(truth, axis):
            other = truth.replace(**{axis: value})
            told_apart = [
                one for one in asked if repr(one.question.answers(other)) != repr(one.question.answers(truth))
            ]
            assert not told_apart, f"{axis}={value}"


@pytest.mark.parametrize("name", WILD)
def test_nothing_is_said_of_what_it_is_not_told(name: str) -> None:
    """A negative rel is no unjudged doc, and who has no relevant doc may have no judgment."""
    checked = found(name)
    untold, signature = checked.target.form.untold, checked.signature
    assert signature is not None
    assert_computes(str(signature), signature)
    assert not untold & STANDARD.differences(checked.follows).keys()
    assert all(not signature.open[axis] for axis in untold & signature.open.keys())
    said = untold & set(axes_of(checked.measure)) - signature.open.keys() - checked.target.form.settled.keys()
    others = {axis: [signature.conventions.replace(**{axis: value}) for value in AXES[axis].values] for axis in said}
    assert not [axis for axis in said if any(not _same(signature, one) for one in others[axis])]


def _same(signature: Signature, conventions: Conventions) -> bool:
    """Whether that is the same number, whatever the input."""
    return compare(signature.computed, Signature(signature.measure, conventions)).shown is None


@pytest.mark.parametrize("name", WILD)
def test_the_repro_gives_what_was_said(name: str) -> None:
    checked = found(name)
    shown = checked.witness
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(script_of(checked), {"__name__": "shown"})  # noqa: S102 - our own script
    if shown is not None and isinstance(shown.got, float):
        assert _is_printed(shown.got, printed.getvalue())
        return
    assert any(_is_printed(value, printed.getvalue()) for one in checked.seen for value in _values(one))


def _values(one: Seen) -> list[float]:
    if not isinstance(one.answer, Answered):
        return []
    return [value for _, value in readings(one.answer, ()) if isinstance(value, float)]


def _is_printed(value: float, text: str) -> bool:
    return str(value) in text or str(int(value)) in text if value in {0.0, 1.0} else f"{value:.8}"[:8] in text
