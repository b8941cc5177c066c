"""`rankproof diff` and `rankproof upgrade`: exit codes, first lines, JSON, and the comment for a pull request."""

from pathlib import Path
from typing import Any

import pytest
from command_rows import Row, assert_answer, assert_details, assert_refused

from rankproof.history.upgrades import UpgradeResult
from rankproof.report import versions as upgrade_report

RELEASED = Path(__file__).resolve().parent.parent / "released"
HOSTILE = "q\x1b[31m\n|<b>\u202e"
ROWS = [
    Row(
        f"diff {RELEASED}/sentence_transformers@5.7.0 {RELEASED}/sentence_transformers@6.0.1",
        1,
        "sentence_transformers 5.7.0 → 6.0.1: values: 11 moved.",
        ("RR@k: tied documents by id, ascending instead of in input order (11 values", "RR@5: 1.0000 → 0.0000"),
        lambda facts: facts["moved"] and [change["axis"] for change in facts["groups"][0]["cause"]] == ["ties"],
    ),
    Row(
        f"diff {RELEASED}/xgboost@1.7.6 {RELEASED}/xgboost@2.0.3 --measure nDCG@3",
        1,
        "xgboost 1.7.6 → 2.0.3: values: 3 moved and 3 fixed.",
        ("an exception for grades other than whole numbers instead of all", "0.0000 → XGBoostError"),
    ),
    Row(
        f"diff {RELEASED}/catboost@0.25.1 {RELEASED}/catboost@0.25.1",
        0,
        "No value changed.",
        has_facts=lambda facts: not facts["moved"] and not facts["changes"],
    ),
    Row(
        "upgrade scikit-learn 1.2.2 1.9.1",
        1,
        "scikit-learn 1.2.2 → 1.9.1: 6 changes, 168 values.",
        ("1.4.2 nDCG: an exception for negative grades instead of negative gains", "-0.2263 → ValueError"),
        lambda facts: sum(len(step["changes"]) for step in facts["upgrades"][0]["steps"]) == 6,
    ),
    Row(
        "upgrade beir 2.0.0 2.2.0",
        0,
        "BEIR 2.0.0 → 2.2.0: no value changes.",
        has_facts=lambda facts: facts["upgrades"][0]["steps"] == [],
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.line.replace(str(RELEASED), ""))
def test_command_prints_a_short_answer_and_all_facts_as_json(row: Row, tmp_path: Path) -> None:
    assert_answer(row, tmp_path)


@pytest.mark.parametrize("row", [ROWS[0], ROWS[3]], ids=["diff", "upgrade"])
def test_details_begin_with_the_answer_and_fit_the_terminal(row: Row, tmp_path: Path) -> None:
    assert_details(row, tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("diff nowhere run.txt", "there are no results"),
        (f"diff {RELEASED}/xgboost@1.7.6 {RELEASED}/xgboost@2.0.3 -l catboost", "a row of library catboost"),
        ("upgrade scikit-learn 1.2.2", "Type LIBRARY OLD NEW"),
        ("upgrade scikit-learn one two", "'one'"),
        ("upgrade nobody 1.0 2.0", "nobody"),
        ("upgrade --requirements qrels.txt run.txt", "no versions are pinned"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_two(line: str, message: str, tmp_path: Path) -> None:
    for name in ("qrels.txt", "run.txt"):
        (tmp_path / name).write_text("1 0 a 1\n", encoding="utf-8")
    assert_refused(line, message, tmp_path)


def change(case: str) -> dict[str, Any]:
    new = {"verdict": "agrees", "value": None, "error": f"ValueError: {HOSTILE}", "conventions": []}
    old = {**new, "error": None, "value": 0.5}
    return {
        "measure": "P",
        "variants": ["v"],
        "answers": 3,
        "largest": None,
        "cause": [{"axis": "ties", "before": "input", "after": "docid-asc"}],
        "witness": {"case": case, "measure": "P@2", "query": None, "old": old, "new": new},
        "behind": "",
    }


def test_comment_on_an_upgrade_escapes_hostile_text() -> None:
    step = {"from": "1.0", "to": "2.0|<b>", "also_differs": [], "changes": [change("a|<script>")]}
    text = upgrade_report.as_markdown(
        [UpgradeResult("lib", "lib <i> 1.0 → 2.0", "1.0", "2.0", [step])], {"f|<b>": ["lib"]}
    )
    assert not {"<script>", "<b>", "<i>"} & set(text.replace("&lt;", "").split())
    assert "<script>" not in text
    assert "\x1b" not in text
    (row,) = [line for line in text.splitlines() if line.startswith("| <code>2.0")]
    assert row.replace("\\|", "").count("|") == 7
