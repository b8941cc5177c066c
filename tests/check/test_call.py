"""Calls: the names that a call may use, and calls that are refused with the line to type."""

import re
from contextlib import closing
from pathlib import Path
from textwrap import dedent

import pytest
from typed_commands import rankproof

from rankproof.cases.inputs import Input
from rankproof.check.call import Call
from rankproof.check.checking import prepare
from rankproof.check.ingredients import Collection, CollectionData, Query, query_data
from rankproof.check.source import Source

DATA = Input(qrels=(("1", "a", 1),), run=(("1", "b", 0.7, 1), ("1", "x", 0.5, 2), ("1", "a", 0.5, 3)))
METRICS = """
    def ndcg(rels, k=10): return 0.5
    def swapped(ranked, gold, k): return 0.5
    class Evaluator:
        def __init__(self, gold): self.gold = gold
        def hit_rate(self, hits, top=3): return 1.0
    relevant = ["of the module"]
    def text(rels): return "0.5"
    def pair(rels): return 0.5, 0.7
    def wants_a_set(relevant: set, ranked): return len(relevant & set(ranked)) / len(ranked)
"""


@pytest.mark.parametrize(
    ("text", "ingredients", "of_all"),
    [
        ("ndcg([g > 0 for g in rels], k)", {"rels", "k"}, False),
        ("rels(rels)", set(), False),
        ("f([rels for rels in scores])", {"scores"}, False),
        ("f(lambda run: run)", set(), False),
        ("mrr([(q.ranked, q.only_relevant) for q in queries])", {"queries"}, True),
        ("Evaluator(relevant).hit_rate(ranked, top=k)", {"relevant", "ranked", "k"}, False),
        ("f(qrels, run, k)", {"qrels", "run", "k"}, True),
    ],
)
def test_call_reads_the_free_names_that_it_does_not_call(text: str, ingredients: set[str], *, of_all: bool) -> None:
    call = Call(text)
    assert set(call.ingredients) == ingredients
    assert call.of_all is of_all


def test_ingredient_is_computed_and_recorded_only_when_it_is_read() -> None:
    reads: set[str] = set()
    source = Query(query_data(DATA, "1", 10, 1.0), reads)
    assert Call("f(rels) if k > 20 else f(ranked)").evaluate({"f": len}, source) == 3
    assert reads == {"k", "ranked"}


def test_ingredient_wins_over_a_name_of_the_module() -> None:
    all_queries = Collection(CollectionData(DATA, 10, 1.0, set()))
    assert Call("f(run)").evaluate({"f": len, "run": [1] * 9}, all_queries) == 1


# -- refusals -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("metrics")
    (made / "metrics.py").write_text(dedent(METRICS), encoding="utf-8")
    (made / "broken.py").write_text("1 / 0\n", encoding="utf-8")
    return made


@pytest.mark.parametrize(
    ("arguments", "phrases"),
    [
        (["ndcg(rels", "nDCG"], ["The call is not a Python expression"]),
        (["ndcgg(rels)", "nDCG@5"], ["metrics.py does not define ndcgg. Did you mean ndcg?"]),
        (["ndcg(relz)", "nDCG@5"], ["relz is neither an ingredient nor defined in metrics.py. Did you mean rels?"]),
        (["ndcg([1, 0])", "nDCG@5"], ["The call uses no ingredient: ndcg([1, 0])"]),
        (
            ["ndcg(ranked, qrels)", "nDCG@5"],
            ["mixes qrels (all queries) and ranked (one query)", "q.ranked for q in queries"],
        ),
        (["ndcg(rels, k)", "nDCG"], ['"ndcg(rels, k)" nDCG@10', '"ndcg(rels, 1000)" nDCG']),
        (["Evaluator(relevant).hit_rate(ranked)", "RR"], ["top=3", "RR@3", "top=1000"]),
        (
            ["swapped", "RR@10"],
            ["Unknown parameter gold of swapped", "rankproof check metrics.py", "lists the ingredients"],
        ),
        (["ndcg(rels)"], ["The measure is missing", 'rankproof check metrics.py "ndcg(rels)" nDCG@10']),
        (["text(rels)", "RR"], ["text returns no number", "the str '0.5'"]),
        (["pair(rels)", "RR"], ["add [0] to the call"]),
        (
            ["wants_a_set(relevant, ranked)", "P@5"],
            ["TypeError", "It was called with", '"wants_a_set(set(relevant), ranked)"'],
        ),
    ],
)
def test_impossible_call_is_refused_with_the_line_to_type(
    arguments: list[str], phrases: list[str], folder: Path
) -> None:
    done = rankproof("check", "metrics.py", *arguments, cwd=folder)
    assert (done.code, done.out) == (2, "")
    output = re.sub(r"\s+", " ", done.err)
    assert [phrase for phrase in phrases if phrase not in output] == [], done.err
    assert len(done.err.splitlines()) <= 5


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("missing.py", "missing.py does not exist"),
        ("missing_module", "missing_module cannot be imported: ModuleNotFoundError"),
        ("broken.py", "broken.py cannot be imported: ZeroDivisionError"),
        ("metrics.py:Nothing", "metrics.py does not define Nothing"),
    ],
)
def test_module_that_cannot_be_imported_is_refused_in_one_line(target: str, message: str, folder: Path) -> None:
    done = rankproof("check", target, "f(rels)", "RR", cwd=folder)
    assert done.code == 2
    assert message in done.err
    assert len(done.err.splitlines()) == 1


def test_file_without_a_call_lists_its_functions_with_the_line_to_type(folder: Path) -> None:
    done = rankproof("check", "metrics.py", cwd=folder)
    assert done.code == 0
    assert 'rankproof check metrics.py "ndcg(rels, k)" MEASURE' in done.out
    assert '"swapped(ranked=…, gold=…, k=…)"' in done.out
    assert "Evaluator.hit_rate" in done.out


def test_cutoff_that_is_passed_by_position_is_not_a_hidden_default(folder: Path) -> None:
    with closing(Source(str(folder / "metrics.py"))) as source:
        checked = prepare(source, "ndcg(rels, 1000)", "nDCG")
    assert checked.call is not None
    assert checked.call.text == "ndcg(rels, 1000)"


def test_name_is_completed_if_its_parameters_say_what_they_take(folder: Path) -> None:
    source = Source(str(folder / "metrics.py"))
    try:
        checked = prepare(source, "ndcg", "nDCG@10")
    finally:
        source.close()
    assert checked.call is not None
    assert checked.call.text == "ndcg(rels, k)"
