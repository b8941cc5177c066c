"""Answers of check, explain, evaluate, diff and upgrade: exit codes, first lines, lengths, and the facts of `--json`.

The run has 30 queries, ties, graded judgments, and a judged query that is missing.
"""

import json
import math
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typed_commands

from rankproof.evaluate.known_exceptions import Met
from rankproof.explain.api import read_data
from rankproof.explain.explanation import Explanation, explain
from rankproof.explain.run_data import RunData
from rankproof.history.upgrades import UpgradeResult
from rankproof.reference_impl.notation import parse
from rankproof.report import explain as explain_report
from rankproof.report import versions as upgrade_report

HERE = Path(__file__).resolve().parent.parent
DATA, RELEASED = HERE / "two_tools", HERE / "released"
COLUMNS, LINES = 80, 12
HOSTILE = "q\x1b[31m\n|<b>\u202e"

METRICS = """
import math
def ndcg(rels, k):
    def dcg(values):
        return sum((2**value - 1) / math.log2(rank + 1) for rank, value in enumerate(values[:k], 1))
    best = dcg(sorted(rels, reverse=True))
    return dcg(rels) / best if best else 0.0
def given(relevant, ranked, k):
    hits = [1 / math.log2(i + 2) for i, doc in enumerate(ranked[:k]) if doc in relevant]
    found = len([doc for doc in ranked if doc in relevant])
    return sum(hits) / sum(1 / math.log2(i + 2) for i in range(min(k, found)))
def precision(ranked, relevant, k):
    return len(set(ranked[:k]) & set(relevant)) / k
"""


class Line(NamedTuple):
    """A command line, its exit code, the beginning of its output, phrases in it, and a fact of its JSON."""

    line: str
    code: int
    first: str
    phrases: tuple[str, ...] = ()
    fact: Callable[[Any], bool] = bool


ANSWERS = [
    Line(
        'check metrics.py "ndcg(rels, k)" nDCG@10',
        0,
        "ndcg is nDCG@10 with exponential gain (2^grade - 1).",
        ("Not tested", "nDCG@10|gain:exp|ties:input|known:retrieved|"),
        lambda result: result["verdict"] == "variant" and result["profile"] == "gain=exp" and result["holds"],
    ),
    Line(
        'check metrics.py "given(relevant, ranked, k)" nDCG@10',
        1,
        "given is not nDCG@10: its ideal ranking uses only retrieved documents.",
        ("1.0000 instead of 0.6131", "raises ZeroDivisionError (standard: 0)", "approx(0.6131, abs=1e-4)"),
        lambda result: result["faults"][0]["about"] == ["ideal"] and not result["holds"],
    ),
    Line(
        'check metrics.py "precision(ranked, relevant, k)" P@10 --strict',
        0,
        "precision is P@10.",
        fact=lambda result: result["verdict"] == "agrees" and result["complete"],
    ),
    Line(
        "explain qrels.txt run.txt nDCG@10",
        0,
        "nDCG@10 is 0.4256 in standard, ",
        ("0.4403 beir, pytrec_eval and trec_eval", "Ties alone can change the value of standard"),
        lambda told: len(told["explanations"][0]["sayings"]) > 20,
    ),
    Line(
        "explain qrels.txt run.txt nDCG@10 --as trec_eval --as sklearn/rows",
        0,
        "nDCG@10 is 0.4403 in trec_eval and 0.5679 in sklearn/rows.",
        ("+0.1288 judgments of retrieved documents only instead of all judgments (25 of", "-0.0012", "+0.1276"),
        lambda told: set(told["explanations"][0]["sayings"][1]["attribution"]["changes"]) == {"known", "ties"},
    ),
    Line(
        "explain qrels.txt run.txt -m nDCG@10 --value 0.4403 --value 0.5679",
        0,
        "nDCG@10 is 0.4403 in beir, pytrec_eval, ",
        ("+0.1288", "-0.0012", "+0.1276", "Largest difference: query 21, 0.3578 and 0.7715 (--query 21)."),
        lambda told: [value["found"][0]["exact"] for value in told["explanations"][0]["values"]] == [False, False],
    ),
    Line(
        "explain qrels.txt run.txt P@10 --as pytrec_eval --as ranx/comparable",
        0,
        "P@10 is ",
        ("Other values are possible in ranx/comparable",),
        lambda told: told["explanations"][0]["envelope"]["moved"],
    ),
    Line(
        "explain qrels.txt run.txt nDCG@10 --as gain:exp --as gain=exp",
        0,
        "nDCG@10 is 0.3831 in gain:exp and gain=exp.",
        fact=lambda told: len(told["explanations"][0]["sayings"]) == 1,
    ),
    Line("evaluate qrels.txt run.txt nDCG@10 AP", 0, "measure     mean\nnDCG@10   0.4256\nAP        0.3810\n"),
    Line(
        "evaluate qrels.txt run.txt second.txt nDCG@10 AP",
        0,
        "measure   run.txt   second.txt\nnDCG@10    0.4256       0.4256\nAP         0.3810       0.3810\n",
        fact=lambda told: [run["system"] for run in told["runs"]] == ["run.txt", "second.txt"],
    ),
    Line(
        f"diff {RELEASED}/xgboost@1.7.6 {RELEASED}/xgboost@2.0.3",
        1,
        "xgboost 1.7.6 → 2.0.3: ",
        ("instead of", " → "),
        lambda told: told["moved"] and any(group["cause"] for group in told["groups"]),
    ),
    Line(
        f"diff {RELEASED}/catboost@0.25.1 {RELEASED}/catboost@0.25.1",
        0,
        "No value changed.",
        fact=lambda told: not told["moved"] and not told["changes"],
    ),
    Line(
        "upgrade scikit-learn 1.2.2 1.9.1",
        1,
        "scikit-learn 1.2.2 → 1.9.1: 6 changes, 168 values.",
        ("1.4.2 nDCG: an exception for negative grades instead of negative gains", "-0.2263 → ValueError"),
        lambda told: sum(len(step["changes"]) for step in told["upgrades"][0]["steps"]) == 6,
    ),
    Line(
        "upgrade catboost 0.24.4 0.25.1",
        1,
        "CatBoost 0.24.4 → 0.25.1: ",
        ("queries without relevant documents scored 1 instead of 0",),
        lambda told: told["upgrades"][0]["source"] == "published",
    ),
    Line(
        "upgrade beir 2.0.0 2.2.0",
        0,
        "BEIR 2.0.0 → 2.2.0: no value changes.",
        fact=lambda told: told["upgrades"][0]["steps"] == [],
    ),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("answers")
    for name, source in (("qrels.txt", "qrels.txt"), ("run.txt", "run.txt"), ("second.txt", "run.txt")):
        (made / name).write_bytes((DATA / source).read_bytes())
    (made / "metrics.py").write_text(METRICS, encoding="utf-8")
    return made


@pytest.mark.parametrize("row", ANSWERS, ids=lambda row: row.line[:50])
def test_an_answer_is_short_and_its_json_has_the_facts(row: Line, folder: Path) -> None:
    done = typed_commands.rankproof(*shlex.split(row.line), cwd=folder)
    assert done.code == row.code, done
    lines = done.out.splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= COLUMNS
    text = " ".join(done.out.split())
    assert text.startswith(" ".join(row.first.split()))
    assert all(phrase in text for phrase in row.phrases), done.out
    data = typed_commands.rankproof(*shlex.split(row.line), "--json", cwd=folder)
    assert data.code == row.code
    assert row.fact(json.loads(data.out))


@pytest.mark.parametrize(
    "row", [row for row in ANSWERS if not row.line.startswith("evaluate")], ids=lambda row: row.line[:50]
)
def test_details_begin_with_the_answer_and_fit_the_terminal(row: Line, folder: Path) -> None:
    done = typed_commands.rankproof(*shlex.split(row.line), "--details", cwd=folder)
    assert done.code == row.code
    assert " ".join(done.out.split()).startswith(" ".join(row.first.split()))
    assert max(map(len, done.out.splitlines())) <= COLUMNS + 8  # a signature breaks at its bars only


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("explain qrels.txt run.txt", "Name a measure, such as nDCG@10"),
        ("explain qrels.txt run.txt nDCG@10 --as trec_evla", "did you mean trec_eval?"),
        ("explain qrels.txt run.txt nDCG@10 --value many", "--value many"),
        ("explain qrels.txt run.txt nDCG@10 AP --value 0.5", "--value needs exactly one measure"),
        ("explain qrels.txt run.txt nDCG@10 --query q99", "the first queries are 1, 2, 3"),
        ("explain qrels.txt metrics.py nDCG@10", "metrics.py"),
        ("check metrics.py 'ndgc(rels, k)' nDCG@10", "ndcg"),
        ("check metrics.py 'ndcg(rels, k)'", "Name the measure"),
        ("diff nowhere run.txt", "there are no results"),
        ("upgrade scikit-learn 1.2.2", "Write LIBRARY OLD NEW"),
        ("upgrade scikit-learn one two", "'one'"),
        ("upgrade nobody 1.0 2.0", "nobody"),
        ("upgrade --requirements qrels.txt run.txt", "nothing is pinned there"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_two(line: str, message: str, folder: Path) -> None:
    done = typed_commands.rankproof(*shlex.split(line), cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert message in " ".join(done.err.split())


def test_contributions_sum_to_the_difference(folder: Path) -> None:
    line = "explain qrels.txt run.txt nDCG@10 --as lightgbm --as sklearn/rows --as standard --json"
    first, *others = json.loads(typed_commands.rankproof(*line.split(), cwd=folder).out)["explanations"][0]["sayings"]
    for saying in others:
        total = sum(part["adds"] for part in saying["attribution"]["parts"])
        assert math.isclose(total, saying["answers"]["mean"] - first["answers"]["mean"], abs_tol=1e-12)


def test_the_ranking_of_a_query_is_shown_on_request(folder: Path) -> None:
    line = "explain qrels.txt run.txt nDCG@10 --as sklearn/rows --as lightgbm --query 21"
    text = typed_commands.rankproof(*line.split(), cwd=folder).out
    _, _, ranking = text.partition("  Ranks for query 21\n")
    rows = [row.split() for row in ranking.splitlines()]
    assert rows[:2] == [["A", "0.7715", "sklearn/rows"], ["B", "0.6755", "lightgbm"]]
    assert rows[2] == ["document", "grade", "score", "tie", "A", "B"]
    assert rows[3][-2:] == ["1-2", "1"], "tied documents have a range of ranks in scikit-learn"


def test_several_runs_have_a_heading_each(folder: Path) -> None:
    (folder / "worse.txt").write_text("1 Q0 z 1 1 x\n", encoding="utf-8")
    done = typed_commands.rankproof(
        "explain", "qrels.txt", "run.txt", "second.txt", "worse.txt", "P@5", "--as", "standard", cwd=folder
    )
    assert [f"P@5 of {name}" in done.out for name in ("run.txt", "second.txt", "worse.txt")] == [True] * 3


def explained(*names: str) -> Explanation:
    (data,) = read_data(DATA / "qrels.txt", [DATA / "run.txt"]).values()
    return explain("run.txt", data, parse("nDCG@10"), names)


def test_notes_never_push_an_answer_beyond_twelve_lines() -> None:
    told = explained("sklearn/rows", "lightgbm")
    met = tuple(Met(f"library {i}", "it fails on such input", "", told.queries) for i in range(40))
    assert len(explain_report.text_of(replace(told, exceptions=met)).splitlines()) <= LINES
    assert "library 0" in explain_report.text_of(replace(told, exceptions=met), details=True)


def test_hostile_ids_stay_in_their_line() -> None:
    from rankproof.reference_impl.ranking import Judgment, QueryRow

    rows = [QueryRow("a" + HOSTILE, 2.0), QueryRow("b", 1.0)]
    data = RunData({HOSTILE: [Judgment("b", 1)]}, {HOSTILE: rows})
    told = explain(HOSTILE, data, parse("RR"), ("order=input", "unjudged=removed"), query=HOSTILE)
    text = explain_report.text_of(told, details=True, heading=True)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[31m\\n|<b>" in text


def change(place: str) -> dict[str, Any]:
    side = {"verdict": "agrees", "value": None, "error": f"ValueError: {HOSTILE}", "conventions": []}
    witness = {
        "case": place,
        "measure": "P@2",
        "query": None,
        "old": {**side, "error": None, "value": 0.5},
        "new": side,
    }
    cause = [{"axis": "ties", "before": "input", "after": "docid-asc"}]
    return {
        "measure": "P",
        "variants": ["v"],
        "answers": 3,
        "largest": None,
        "cause": cause,
        "witness": witness,
        "behind": "",
    }


def test_a_comment_on_an_upgrade_escapes_what_it_shows() -> None:
    step = {"from": "1.0", "to": "2.0|<b>", "also_differs": [], "changes": [change("a|<script>")]}
    text = upgrade_report.as_markdown(
        [UpgradeResult("lib", "lib <i> 1.0 → 2.0", "1.0", "2.0", [step])], {"f|<b>": ["lib"]}
    )
    assert not {"<script>", "<b>", "<i>"} & set(text.replace("&lt;", "").split())
    assert "<script>" not in text
    assert "\x1b" not in text
    (row,) = [line for line in text.splitlines() if line.startswith("| <code>2.0")]
    assert row.replace("\\|", "").count("|") == 7


def test_an_unknown_upgrade_is_incomplete(folder: Path) -> None:
    done = typed_commands.rankproof("upgrade", "trec_eval", "9.0.8", "77.0", cwd=folder)
    assert done.code == 3
    assert "unknown (77.0 is not listed in" in " ".join(done.out.split())
