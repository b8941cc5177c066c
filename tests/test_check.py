"""Is my metric right, and which one is it? Honest functions are not accused, sinners are told what they follow."""

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from signed import assert_computes

import rankproof
from rankproof import cases as corpus
from rankproof.calling.targets import BadFunction
from rankproof.cases import Case
from rankproof.checking.checked import Checked
from rankproof.checking.differing import differences
from rankproof.checking.examining import examine
from rankproof.checking.inferring import borne_out
from rankproof.cli import main
from rankproof.isolating.limits import Limits
from rankproof.meaning.signatures import parse as parse_signature
from rankproof.reference_impl.conventions import STANDARD, UnknownConvention, parse_conventions
from rankproof.reference_impl.evaluation import NotPooled
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.telling import check_claim
from rankproof.telling.check_text import verdict
from rankproof.telling.check_words import profile_in_words, summary, words_of_caller
from rankproof.text import COLUMNS
from rankproof.workers.known_libraries import libraries

FUNCTIONS = Path(__file__).resolve().parent / "functions"
sys.path.insert(0, str(FUNCTIONS))

import metrics_to_check as mine  # noqa: E402 - found on the path just made

HERE = Limits(isolated=False)
"""In this process: what a process of its own is for is tested elsewhere, and takes half as long again."""


@cache
def few() -> list[Case]:
    """Every fourth case of some topics, which say enough of an nDCG and are quick."""
    topics = {"ties", "gain", "ideal", "cutoff", "queries"}
    return [case for case in corpus.load_all() if case.id.partition("/")[0] in topics][::4]


@cache
def found(name: str) -> Checked:
    return examine(getattr(mine, name), "nDCG@10", cases=few(), limits=HERE)


@pytest.mark.parametrize(
    ("name", "profile"), [("ndcg", "standard ties=input"), ("MeanNDCG", "ties=input"), ("ndcg_by_query", "standard")]
)
def test_an_honest_function_holds(name: str, profile: str) -> None:
    checked = examine(getattr(mine, name), "nDCG@10", profile, cases=few(), limits=HERE)
    assert checked.holds
    assert checked.ordinary.asked > 20
    withheld = "known" in checked.target.form.settled
    far = ", where all relevant docs are retrieved" if withheld else ""
    assert (checked.verdict, checked.ordinary.verdict) == ("convention" if withheld else "agrees", "agrees")
    assert summary(checked) == f"{name} follows {profile} on {checked.asked:,} questions{far}."


def test_a_choice_that_fits_by_chance_is_not_claimed() -> None:
    """A negative rel is taken for relevant: by chance that is sometimes what taking unjudged docs out gives."""
    cases = [case for case in corpus.load_all() if case.id.startswith(("judgments/", "denominators/"))]
    asked = examine(mine.precision_of_any_rel, "P@5", cases=cases, limits=HERE)
    by_chance = parse_conventions("p_denominator=min-k-n relevant=above-zero unjudged=removed")
    kept = borne_out(asked.seen, by_chance, "float64")
    assert borne_out(asked.seen, by_chance.replace(ties="input"), "float64").ties == "input"
    assert kept.spec() == "p_denominator=min-k-n relevant=above-zero"
    assert len(differences(asked.seen, kept, "float64")) > len(differences(asked.seen, by_chance, "float64"))
    assert (asked.follows, asked.verdict) == (kept, "unexplained")


def test_words_say_nothing_of_what_the_function_is_not_told() -> None:
    assert "ties" not in profile_in_words(found("ndcg_ranked"))
    assert "gain" not in profile_in_words(examine(mine.apk, "AP@10", cases=few(), limits=HERE))
    assert "ideal from all docs given, ties in input order" in profile_in_words(found("ndcg"))
    assert words_of_caller(found("ndcg")).startswith("judgments of retrieved docs only, ")


def test_other_measures() -> None:
    from sklearn.metrics import adjusted_rand_score

    labelings = [case for case in corpus.load_all() if case.of_labels]
    assert examine(adjusted_rand_score, "ARI", cases=labelings[::3], limits=HERE).holds
    assert examine(mine.Scorer, "nDCG@5", "ties=input", cases=few(), limits=HERE).holds
    assert examine(mine.apk, "AP@10", cases=few(), limits=HERE).follows.spec() == "ap_denominator=min-k-R"


@pytest.mark.in_turn
def test_libraries_are_what_their_sheets_say() -> None:
    import ir_measures
    from sklearn.metrics import ndcg_score

    sheets = {library.name: library.sheet for library in libraries()}
    for function, form, library, variant in (
        (ndcg_score, "rows", "sklearn", "rows"),
        (mine.pytrec_ndcg, "qrels-run", "pytrec_eval", "default"),
        (ir_measures.nDCG @ 10, "ir_measures", "ir_measures", "default"),
    ):
        profile = sheets[library].profile_of(variant, parse_measure("nDCG@10"))
        checked = examine(function, "nDCG@10", profile, cases=few(), limits=HERE)
        assert checked.target.form.name == form
        # The sheets have exceptions, as for a rel of 2^40.
        assert len({one.question.case.id for one in checked.whole.differences}) <= 2
        assert checked.nearest is not None
        assert {library, f"{library}/{variant}"} & set(checked.nearest.libraries)


@pytest.mark.parametrize("name", ["ideal_of_retrieved", "one_without_relevant"])
def test_the_signature_reproduces_its_numbers(name: str) -> None:
    signature = found(name).signature
    assert signature is not None
    assert_computes(str(signature), signature)
    assert dict(signature.open) == found(name).undecided
    qrels = {"q1": {"a": 0, "b": 2, "c": 1, "d": 3, "e": 1}, "q2": {"a": 0}, "q3": {"a": 1}}
    run = {"q1": {"a": 0.9, "b": 0.5, "c": 0.5, "e": 0.1}, "q2": {"a": 1.0}}
    result = rankproof.evaluate([], qrels, run, signature=str(signature))
    function = getattr(mine, name)
    own = {q: function([qrels[q][d] for d in docs], list(docs.values()), k=10) for q, docs in run.items()}
    assert result.taken["nDCG@10"]["missing"] == "0"  # which queries there are is its caller's choice
    assert result.per_query["nDCG@10"] == pytest.approx({**own, "q3": 0.0}, rel=1e-12)


def ndcg_of_tied_means(y_true: list[float], y_score: list[float], k: int = 10) -> float:
    """Every doc of a tie gets the mean of its rels; the numbers are those of float32, as torch has them."""
    rels, scores = np.asarray(y_true, dtype=np.float32), np.asarray(y_score, dtype=np.float32)
    discount = np.where(np.arange(len(rels)) < k, 1 / np.log2(np.arange(len(rels)) + 2), 0).astype(np.float32)
    means = np.array([rels[scores == score].mean(dtype=np.float32) for score in scores], dtype=np.float32)
    gained = (means[np.argsort(-scores, kind="stable")] * discount).sum(dtype=np.float32)
    best = (np.sort(rels)[::-1] * discount).sum(dtype=np.float32)
    return float(gained / best) if best else 0.0


@pytest.mark.in_turn
def test_an_order_of_ties_that_explains_all_comes_before_none() -> None:
    checked = examine(ndcg_of_tied_means, "nDCG@10", cases=few(), limits=HERE)
    assert (checked.follows.ties, "ties" in checked.undecided) == ("expectation", False)
    assert "ties=expectation" in verdict(checked)
    assert "|ties:expectation|" in str(checked.signature)
    assert STANDARD.differences(checked.ordinary.follows).keys() <= {"ties", "missing", "extra"}


def test_whatever_is_said_to_check_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of it is what nobody has by default."""
    handed_on: list[tuple[Any, ...]] = []

    def asked(*all_of_it: object, **named: object) -> Checked:
        handed_on.append((*all_of_it, named))
        raise BadFunction("enough")

    monkeypatch.setattr(check_claim, "examine", asked)
    told, given = (len, "P@5", "standard ties=input", "ids"), {"a": 1}
    with pytest.raises(BadFunction, match="enough"):
        rankproof.check(*told, assume="no-ties", isolated=False, budget=7.5, given=given)
    limits = Limits(isolated=False, budget=7.5)
    assert handed_on == [(*told, {"assume": "no-ties", "limits": limits, "given": given})]


def test_bad_input_is_told_as_such() -> None:
    with pytest.raises(UnknownMeasure):
        rankproof.check(mine.ndcg, "nDGC@10")
    with pytest.raises(UnknownConvention):
        rankproof.check(mine.ndcg, "nDCG@10", profile="ties=none")
    with pytest.raises(NotPooled, match="nDCG is no ratio of counts"):
        rankproof.check(mine.ndcg, "nDCG@10", profile="mean=pooled")


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """The verb, asking a few cases."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["rankproof", "check", *arguments])
        monkeypatch.setattr("rankproof.checking.examining.whole_corpus", few)
        with pytest.raises(SystemExit) as ended:
            main()
        return int(str(ended.value.code)), *capfd.readouterr()

    return call


def unfolded(out: str) -> str:
    """What the verb says, without the ends of lines that a terminal needs."""
    return " ".join(out.split()).replace("| ", "|")


@pytest.mark.in_turn
def test_a_signature_that_was_folded_is_read_as_what_it_was(called: Callable[..., tuple[int, str, str]]) -> None:
    _, out, _ = called("metrics_to_check:ndcg_ranked", "nDCG@10")
    pasted = out.partition("\nsignature")[2].partition("\n\n")[0]
    signature = found("ndcg_ranked").signature
    assert signature is not None
    assert pasted.count("\n") > 1
    assert parse_signature(pasted) == signature
    _, out, _ = called("metrics_to_check:ndcg_ranked", "-m", "nDCG@10", "--json")
    assert json.loads(out)["signature"] == str(signature)


@pytest.mark.in_turn
def test_the_verb_tells_all_of_it(called: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = called("metrics_to_check:ndcg", "-m", "nDCG@10", "--profile", "standard")
    assert code == 1
    assert max(map(len, out.splitlines())) <= COLUMNS
    out = unfolded(out)
    for told in (
        "verdict",
        "convention: it does not follow standard; the same as nDCG@10 by ties=input where all ",
        "nearest library",
        "ranx/default, ranx/comparable",
        "; with ties=docid-desc it would give ",
        "linear gain",
        "|ties:input|",
        "|known:retrieved|",
        "missing:?",
        "undetermined",
        "from metrics_to_check import ndcg",
    ):
        assert told in out


@pytest.mark.in_turn
def test_without_a_claim_it_may_follow_whatever_is_known(called: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = called("metrics_to_check:exponential", "-m", "nDCG@10")
    assert code == 0
    assert "verdict convention: the same as nDCG@10 by gain=exp ties=input where all " in unfolded(out)
    assert called("metrics_to_check:exponential", "-m", "nDCG@10", "--strict")[0] == 1


@pytest.mark.in_turn
def test_what_is_assumed_is_not_asked_and_said(called: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = called("metrics_to_check:ndcg", "-m", "nDCG@10", "--profile", "standard", "--assume", "no-ties")
    assert code == 0
    assert all(said in unfolded(out) for said in ("convention: the same as nDCG@10 where all ", "no input has ties"))
    code, _, err = called("metrics_to_check:ndcg", "-m", "nDCG@10", "--assume", "no-tie")
    assert (code, "no-tie is no assumption; the assumptions are small, nonnegative, " in err) == (2, True)


@pytest.mark.in_turn
def test_the_verb_for_programs(called: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = called("metrics_to_check:ndcg_by_query", "-m", "nDCG@10", "--form", "qrels-run", "--json")
    told: dict[str, Any] = json.loads(out)
    assert code == 0
    assert (told["verdict"], told["form"], told["follows"]) == ("agrees", "qrels-run", "standard")
    assert (told["not_asked"], told["unstable"], told["holds"]) == (0, 0, True)
    assert all(told[tier]["explained"] == told[tier]["asked"] > 2 for tier in ("ordinary", "extreme"))
    assert told["axes"]["gain"]["value"] == "linear"
    assert told["axes"]["gain"]["excluded"]["exp"]
    assert told["axes"]["mean"] == {"undetermined": ["arithmetic", "geometric", "pooled"]}


def test_the_verb_imports_what_lies_here() -> None:
    """As the command that is installed, which has no other path to it."""
    command = [str(Path(sys.executable).parent / "rankproof"), "check", "metrics_to_check:ndgc", "-m", "nDCG@10"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=FUNCTIONS)
    said = "rankproof: metrics_to_check:ndgc: metrics_to_check has no ndgc; it defines dcg, by_score, non_negative, quotient, ndcg\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


@pytest.mark.in_turn
def test_warnings_of_a_function_are_its_own() -> None:
    def warns(y_true: list[float], y_score: list[float], k: int) -> float:
        warnings.warn("mean of empty slice", RuntimeWarning, stacklevel=1)
        return float(mine.ndcg(y_true, y_score, k))

    assert rankproof.check(warns, "nDCG@10", profile="ties=input").holds
