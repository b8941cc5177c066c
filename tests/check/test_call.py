"""Calls: what the ingredients are, which names a call may use, and what is refused before anything is called."""

import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from function_table import rankproof_check

from rankproof.cases.inputs import Input
from rankproof.check.call import BadCall, Call
from rankproof.check.ingredients import (
    INGREDIENTS,
    Collection,
    CollectionData,
    Query,
    Unsupported,
    query_data,
    shown_by,
)
from rankproof.check.questions import visible_inputs

DATA = Input(
    qrels=(("1", "a", 1), ("1", "b", 3), ("1", "u", 2), ("1", "n", 0), ("2", "c", 1), ("3", "d", 2)),
    run=(
        ("1", "x", 0.5, 1),
        ("1", "b", 0.7, 2),
        ("1", "a", 0.5, 3),
        ("2", "y", 0.2, 1),
        ("2", "c", 0.1, 2),
        ("4", "z", 1.0, 1),
    ),
)
"""Query 1 has a tie, an unjudged and an unretrieved document, query 3 is missing from the run, and query 4 is not judged."""


def query(name: str = "1", threshold: float = 1.0) -> Query:
    return Query(query_data(DATA, name, 10, threshold), set())


def collection() -> Collection:
    return Collection(CollectionData(DATA, 10, 1.0, set()))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ranked", ["b", "x", "a"]),
        ("scores", [0.7, 0.5, 0.5]),
        ("rels", [3, 0, 1]),
        ("relevant", ["a", "b", "u"]),
        ("judgments", {"a": 1, "b": 3, "u": 2, "n": 0}),
        ("score_of", {"x": 0.5, "b": 0.7, "a": 0.5}),
        ("docs", ["x", "b", "a"]),
        ("ideal", [3, 2, 1, 0]),
        ("n_relevant", 3),
        ("hit_ranks", [1, 3]),
        ("y_true", [0, 3, 1]),
        ("y_score", [0.5, 0.7, 0.5]),
        ("query", "1"),
        ("k", 10),
    ],
)
def test_an_ingredient_of_one_query_is_what_the_table_says(name: str, value: object) -> None:
    assert getattr(query(), name) == value


def test_relevant_ingredients_use_the_threshold_of_the_measure() -> None:
    strict = query(threshold=2.0)
    assert (strict.relevant, strict.n_relevant, strict.hit_ranks) == (["b", "u"], 2, [1])


def test_only_relevant_skips_queries_without_exactly_one_relevant_document() -> None:
    assert query("2").only_relevant == "c"
    with pytest.raises(Unsupported):
        query("1").only_relevant  # noqa: B018 - reading it computes it


def test_only_qrels_and_run_hold_missing_and_unjudged_queries() -> None:
    all_queries = collection()
    assert list(all_queries.qrels) == ["1", "2", "3"]
    assert list(all_queries.run) == ["1", "2", "4"]
    assert [one.query for one in all_queries.queries] == ["1", "2"]
    assert all_queries.run["2"] == {"y": 0.2, "c": 0.1}


def test_frames_and_files_hold_the_same_rows() -> None:
    all_queries = collection()
    assert list(all_queries.qrels_frame.columns) == ["query_id", "doc_id", "relevance"]
    assert all_queries.run_frame.to_numpy().tolist()[1] == ["1", "b", 0.7]
    assert Path(all_queries.qrels_file).read_text(encoding="utf-8").splitlines()[2] == "1 0 u 2"
    assert Path(all_queries.run_file).read_text(encoding="utf-8").splitlines()[3] == "2 Q0 y 1 0.2 run"


def test_every_ingredient_is_computed_by_one_of_both() -> None:
    for name, ingredient in INGREDIENTS.items():
        if name != "only_relevant":
            assert getattr(collection() if ingredient.of_all else query(), name) is not None


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
def test_a_call_reads_the_free_names_that_it_does_not_call(text: str, ingredients: set[str], of_all: bool) -> None:  # noqa: FBT001 - a parameter of the table
    call = Call(text)
    assert set(call.ingredients) == ingredients
    assert call.of_all is of_all


def test_an_ingredient_is_computed_and_recorded_only_when_it_is_read() -> None:
    reads: set[str] = set()
    source = Query(query_data(DATA, "1", 10, 1.0), reads)
    assert Call("f(rels) if k > 20 else f(ranked)").evaluate({"f": len}, source) == 3
    assert reads == {"k", "ranked"}


def test_the_ingredient_wins_over_a_name_of_the_module() -> None:
    assert Call("f(run)").evaluate({"f": len, "run": [1] * 9}, collection()) == 3


# -- what a call shows ----------------------------------------------------------------------------------------------------


def seen(*names: str, of_all: bool = False) -> list[Input]:
    return list(visible_inputs(DATA, shown_by(names), 1.0, of_all=of_all))


def test_what_the_call_does_not_read_the_function_cannot_see() -> None:
    first, second = seen("rels")
    assert first.qrels == (("1", "x", 0), ("1", "b", 3), ("1", "a", 1))  # unretrieved documents are gone
    assert not first.has_ties  # without scores the order is the caller's
    assert second.scored.keys() == {"2"}  # queries that are judged and retrieved
    by_id = {doc: grade for _, doc, grade in seen("ranked", "relevant")[0].qrels}
    assert by_id == {"x": 0, "b": 1, "a": 1, "u": 1}  # grades are flags, and judged non-relevant documents are gone
    assert seen("ranked", "judgments")[0].judged["1"] == DATA.judged["1"]
    assert seen("y_true", "y_score")[0].scored["1"][0] == ("x", 0.5, 1)
    (whole,) = seen("qrels", "run", of_all=True)
    assert (whole.judged, whole.scored) == (DATA.judged, DATA.scored)
    (both,) = seen("queries", "ranked", "judgments", of_all=True)
    assert list(both.scored) == ["1", "2"]


# -- refusals -------------------------------------------------------------------------------------------------------------

METRICS = """
    def ndcg(rels, k=10): return 0.5
    def swapped(ranked, gold, k): return 0.5
    def ap(qrels, run, k=10): return 0.5
    class Evaluator:
        def __init__(self, gold): self.gold = gold
        def hit_rate(self, hits, top=3): return 1.0
    relevant = ["of the module"]
    def text(rels): return "0.5"
    def pair(rels): return 0.5, 0.7
    def wants_a_set(relevant: set, ranked): return len(relevant & set(ranked)) / len(ranked)
"""


@pytest.fixture
def metrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # as a user does
    (tmp_path / "metrics.py").write_text(dedent(METRICS), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (["ndcg(rels", "nDCG"], ["The call is not a Python expression"]),
        (["ndcgg(rels)", "nDCG@5"], ["metrics.py does not define ndcgg. Did you mean ndcg?"]),
        (["ndcg(relz)", "nDCG@5"], ["relz is neither an ingredient nor defined in metrics.py. Did you mean rels?"]),
        (["ndcg([1, 0])", "nDCG@5"], ["The call reads no ingredient: ndcg([1, 0])"]),
        (
            ["ndcg(ranked, qrels)", "nDCG@5"],
            ["mixes qrels (all queries) and ranked (one query)", "q.ranked for q in queries"],
        ),
        (["ndcg(rels, k)", "nDCG"], ['"ndcg(rels, k)" nDCG@10', '"ndcg(rels, 1000)" nDCG']),
        (["ap(qrels, run)", "AP"], ["k=10", '"ap(qrels, run)" AP@10', '"ap(qrels, run, k=1000)" AP']),
        (["Evaluator(relevant).hit_rate(ranked)", "RR"], ["top=3", "RR@3", "top=1000"]),
        (
            ["swapped", "RR@10"],
            ["Unknown parameter gold of swapped", "rankproof check metrics.py", "lists the ingredients"],
        ),
        (["missing", "RR"], ["metrics.py does not define missing"]),
        (["ndcg(rels)"], ["Name the measure", 'rankproof check metrics.py "ndcg(rels)" nDCG@10']),
        (["text(rels)", "RR"], ["text returns no number", "the str '0.5'"]),
        (["pair(rels)", "RR"], ["add [0] to the call"]),
        (
            ["wants_a_set(relevant, ranked)", "P@5"],
            ["TypeError", "It was called with", '"wants_a_set(set(relevant), ranked)"'],
        ),
    ],
)
@pytest.mark.usefixtures("metrics")
def test_a_call_that_cannot_be_made_is_refused_with_the_line_to_type(arguments: list[str], lines: list[str]) -> None:
    code, output = rankproof_check("metrics.py", *arguments)
    assert code == 2
    for line in lines:
        assert line in re.sub(r"\s+", " ", output), output
    assert len(output.splitlines()) <= 5


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("missing.py", "missing.py does not exist"),
        ("missing_module", "missing_module cannot be imported: ModuleNotFoundError"),
        ("broken.py", "broken.py cannot be imported: ZeroDivisionError"),
        ("metrics.py:Nothing", "metrics.py does not define Nothing"),
    ],
)
def test_a_module_that_cannot_be_imported_is_refused_in_one_line(metrics: Path, target: str, words: str) -> None:
    (metrics / "broken.py").write_text("1 / 0\n", encoding="utf-8")
    code, output = rankproof_check(target, "f(rels)", "RR")
    assert code == 2
    assert words in output
    assert len(output.splitlines()) == 1


@pytest.mark.usefixtures("metrics")
def test_a_file_alone_lists_its_functions_with_the_line_to_type() -> None:
    code, output = rankproof_check("metrics.py")
    assert code == 0
    assert 'rankproof check metrics.py "ndcg(rels, k)" MEASURE' in output
    assert '"swapped(ranked=…, gold=…, k=…)"' in output
    assert "Evaluator.hit_rate" in output


@pytest.mark.usefixtures("metrics")
def test_a_name_alone_is_completed_if_its_parameters_say_what_they_take() -> None:
    _, output = rankproof_check("metrics.py", "ndcg", "nDCG@10")
    assert re.search(r"Called as +ndcg\(rels, k\)", output), output


def test_the_help_fits_on_a_screen_and_names_every_ingredient() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "rankproof", "check", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={"COLUMNS": "80"},
    )
    lines = ended.stdout.splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 80
    assert all(re.search(rf"^\s+{name}\s", ended.stdout, re.MULTILINE) for name in INGREDIENTS)


def test_mixed_scopes_are_refused_when_the_call_is_read() -> None:
    with pytest.raises(BadCall, match="mixes run"):
        Call("f(run, rels)")
