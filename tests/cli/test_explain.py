"""`rankproof explain`: exit codes, first lines, lengths, JSON, details, and libraries that run on the data.

The run has 30 queries, ties, graded judgments, and a judged query that is missing.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from command_rows import LINES, Row, assert_answer, assert_details, assert_refused
from typed_commands import rankproof

from rankproof.evaluate.known_exceptions import Met
from rankproof.explain.api import read_data
from rankproof.explain.explanation import explain
from rankproof.explain.run_data import RunData
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.report import explain as explain_report

DATA = Path(__file__).resolve().parent.parent / "two_tools"
HOSTILE = "q\x1b[31m\n|<b>\u202e"
ROWS = [
    Row(
        "explain qrels.txt run.txt nDCG@10",
        0,
        "nDCG@10 is 0.4256 in standard, ",
        ("0.4403 beir, pytrec_eval and trec_eval", "Ties alone can change the value of standard"),
        lambda facts: len(facts["explanations"][0]["sayings"]) > 20,
    ),
    Row(
        "explain qrels.txt run.txt nDCG@10 --as trec_eval --as sklearn/rows",
        0,
        "nDCG@10 is 0.4403 in trec_eval and 0.5679 in sklearn/rows.",
        ("+0.1288 judgments of retrieved documents only instead of all judgments (25 of", "-0.0012", "+0.1276"),
        lambda facts: set(facts["explanations"][0]["sayings"][1]["attribution"]["changes"]) == {"known", "ties"},
    ),
    Row(
        "explain qrels.txt run.txt -m nDCG@10 --value 0.4403 --value 0.5679",
        0,
        "nDCG@10 is 0.4403 in beir, pytrec_eval, ",
        ("+0.1288", "-0.0012", "+0.1276", "Largest difference: query 21, 0.3578 and 0.7715 (--query 21)."),
    ),
    Row(
        "explain qrels.txt run.txt P@10 --as pytrec_eval --as ranx/comparable",
        0,
        "P@10 is ",
        ("Other values are possible in ranx/comparable",),
        lambda facts: facts["explanations"][0]["envelope"]["moved"],
    ),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("data")
    for name, source in (("qrels.txt", "qrels.txt"), ("run.txt", "run.txt"), ("second.txt", "run.txt")):
        (made / name).write_bytes((DATA / source).read_bytes())
    (made / "worse.txt").write_text("1 Q0 z 1 1 x\n", encoding="utf-8")
    return made


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.line.removeprefix("explain qrels.txt run.txt "))
def test_command_prints_a_short_answer_and_all_facts_as_json(row: Row, folder: Path) -> None:
    assert_answer(row, folder)


DETAILS = [
    ROWS[1],
    Row("explain qrels.txt run.txt nDCG@10 --value 0.4256173730391806", 0, "0.4256173730391806 is nDCG@10 "),
]


@pytest.mark.parametrize("row", DETAILS, ids=["profiles", "number"])
def test_details_begin_with_the_answer_and_fit_the_terminal(row: Row, folder: Path) -> None:
    assert_details(row, folder)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("explain qrels.txt run.txt", "Name a measure, such as nDCG@10"),
        ("explain qrels.txt run.txt nDCG@10 --as trec_evla", "did you mean trec_eval?"),
        ("explain qrels.txt run.txt nDCG@10 --value many", "--value many"),
        ("explain qrels.txt run.txt nDCG@10 AP --value 0.5", "--value needs exactly one measure"),
        ("explain qrels.txt run.txt nDCG@10 --query q99", "The first queries are 1, 2, 3"),
        ("explain qrels.txt nowhere.txt nDCG@10", "nowhere.txt"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_two(line: str, message: str, folder: Path) -> None:
    assert_refused(line, message, folder)


def test_ranking_of_a_query_is_shown_on_request(folder: Path) -> None:
    line = "explain qrels.txt run.txt nDCG@10 --as sklearn/rows --as lightgbm --query 21"
    text = rankproof(*line.split(), cwd=folder).out
    _, _, ranking = text.partition("  Ranks for query 21\n")
    rows = [row.split() for row in ranking.splitlines()]
    assert rows[:2] == [["A", "0.7715", "sklearn/rows"], ["B", "0.6755", "lightgbm"]]
    assert rows[2] == ["document", "grade", "score", "tie", "A", "B"]
    assert rows[3][-2:] == ["1-2", "1"], "tied documents have a range of ranks in scikit-learn"


def test_several_runs_have_a_heading_each(folder: Path) -> None:
    done = rankproof(
        *["explain", "qrels.txt", "run.txt", "second.txt", "worse.txt", "P@5", "--as", "standard"], cwd=folder
    )
    assert [name for name in ("run.txt", "second.txt", "worse.txt") if f"P@5 of {name}" not in done.out] == []


def test_notes_never_push_an_answer_beyond_twelve_lines() -> None:
    (data,) = read_data(DATA / "qrels.txt", [DATA / "run.txt"]).values()
    explanation = explain("run.txt", data, parse("nDCG@10"), ("sklearn/rows", "lightgbm"))
    met = tuple(Met(f"library {i}", "it fails on such input", "", explanation.queries) for i in range(40))
    assert len(explain_report.text_of(replace(explanation, exceptions=met)).splitlines()) <= LINES
    assert "library 0" in explain_report.text_of(replace(explanation, exceptions=met), details=True)


def test_hostile_ids_stay_in_their_line() -> None:
    rows = [QueryRow("a" + HOSTILE, 2.0), QueryRow("b", 1.0)]
    data = RunData({HOSTILE: [Judgment("b", 1)]}, {HOSTILE: rows})
    explanation = explain(HOSTILE, data, parse("RR"), ("order=input", "unjudged=removed"), query=HOSTILE)
    text = explain_report.text_of(explanation, details=True, heading=True)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[31m\\n|<b>" in text


# -- libraries that are run on the data -----------------------------------------------------------------------------------

QRELS = "q1 0 a 2\nq1 0 b 1\nq1 0 c 0\nq2 0 a 1\nq3 0 a 1\n"
RUN = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 c 3 1 t\nq2 Q0 b 1 2 t\nq2 Q0 a 2 1 t\nq3 Q0 b 1 3 t\nq3 Q0 c 2 2 t\nq3 Q0 a 3 1 t\n"
"""RR of the three queries is 1, 1/2 and 1/3; the mean is 11/18."""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text(QRELS, encoding="utf-8")
    (tmp_path / "run").write_text(RUN, encoding="utf-8")
    (tmp_path / "tied").write_text(RUN.replace("b 1 2 t", "b 1 1 t"), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("line", "phrase"),
    [
        ("run RR --as standard --library pytrec_eval", "returns the values of its profile on 3 of 3 queries."),
        ("run RR --value 0.6111 --library pytrec_eval", "0.6111 is RR as returned by pytrec_eval "),
        ("run ERR@5 --as standard --library pytrec_eval", "it does not have this measure"),
        ("run AP --as standard --library sklearn/rows", "it refuses the data, as its profile does: "),
    ],
)
def test_library_is_run_and_compared_with_its_profile(line: str, phrase: str, small: Path) -> None:
    done = rankproof("explain", "qrels", *line.split(), cwd=small)
    assert done.code == 0, done.err
    assert phrase in " ".join(done.out.split())


def test_other_number_is_not_attributed_to_the_library(small: Path) -> None:
    done = rankproof(*["explain", "qrels", "run", "RR", "--value", "0.5", "--library", "pytrec_eval"], cwd=small)
    assert (done.code, "returned by" in done.out) == (0, False)


def test_tied_documents_without_a_fixed_order_are_not_a_difference(small: Path) -> None:
    line = "explain qrels tied nDCG@10 --as standard --library sklearn/rows-ignore-ties"
    output = " ".join(rankproof(*line.split(), cwd=small).out.split())
    # scikit-learn sorts ascending and reverses. Only the tie of q2 could differ.
    assert "on 3 of 3 queries" in output or "on 2 of 3 queries: the order of tied documents is not fixed" in output


@pytest.mark.parametrize(
    ("library", "message"),
    [
        ("elasticsearch", "elasticsearch has no adapter. Use its profile: --as elasticsearch"),
        ("r_metricz", "Unknown library 'r_metricz'"),
        ("sklearn@0.0.1", "0.0.1"),
    ],
)
def test_library_that_cannot_be_run_is_one_line(library: str, message: str, small: Path) -> None:
    done = rankproof("explain", "qrels", "run", "RR", "--library", library, cwd=small)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err
