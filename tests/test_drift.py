"""What drift is told as, as JSON, in a terminal and as a comment, whatever it holds and however much it is."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import typed
from drawn_drift import written

from rankproof.history.answer_changes import ChangeKind, Drift, compared
from rankproof.history.causes import Causes, FormCause, Profiles
from rankproof.history.change_groups import ChangeGroup, groups_of_files
from rankproof.history.environment_builds import Built
from rankproof.history.history import History, ObservedVersion, VersionStep
from rankproof.history.plans import Plan
from rankproof.history.version_runs import VersionRun
from rankproof.judge.results_file import FOLDER, BadResults, RunResults, Truncated, load
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report import diff, history
from rankproof.report.diff import LONGEST
from rankproof.workers.subjects import Subject

LIB = Subject("lib", "v", "1", alone=False)
STANDARD = Row("gain/a", LIB, "nDCG@5", None, Verdict.AGREES, 0.5, expected=0.5)
ERROR = replace(STANDARD, verdict=Verdict.ERROR, value=None, error="ValueError: no")
MOVED, WORDED = ChangeKind.MOVED, ChangeKind.WORDED
OTHER = replace(STANDARD, subject=replace(LIB, library="other", variant="w"))


def results(*rows: Row, version: str = "1", libraries: tuple[str, ...] = ("lib", "other")) -> RunResults:
    asked = [{"library": name, "version": version, "variants": {"v": "", "w": ""}} for name in libraries]
    return RunResults({"kind": "header", "asked": asked}, rows, {})


def drift(old: tuple[Row, ...] | Row, new: tuple[Row, ...] | Row, **versions: str) -> Drift:
    before, after = ((rows,) if isinstance(rows, Row) else rows for rows in (old, new))
    return compared(results(*before), results(*after, **versions))


def grouped(found: Drift) -> list[ChangeGroup]:
    return groups_of_files(found, Causes(Profiles(found.old), Profiles(found.new)))


def as_markdown(found: Drift) -> str:
    return diff.as_markdown(found, grouped(found))


ODD = "@everyone </details> `x` | [a](javascript:1) \x1b[31m" + "y" * 10_000
HOSTILE = replace(ERROR, case="gain/<script>|x", error=ODD)


def test_a_comment_shows_whatever_it_is_given_and_runs_none_of_it() -> None:
    text = as_markdown(drift(replace(STANDARD, case=HOSTILE.case), HOSTILE))
    assert "<script>" not in text
    assert text.count("</details>") == 1
    assert "\x1b" not in text
    rows = [line for line in text.splitlines() if line.startswith("| <code>")]
    assert [line.replace("\\|", "").count("|") for line in rows] == [7, 4]
    assert text.count("@everyone") == text.count("<code>@everyone") == 2, "in code, nobody is notified"
    assert text.count("nDCG@5") == 2
    assert "@5" not in re.sub(r"<code>.*?</code>|`[^`]*`", "", text)


def test_a_comment_fits_and_says_what_it_leaves_out() -> None:
    variants = [replace(LIB, variant=f"v{i}") for i in range(400)]
    old = [replace(STANDARD, case=f"gain/{'long' * 20}-{i}", subject=variants[i % 400]) for i in range(4000)]
    text = as_markdown(drift(tuple(old), tuple(replace(row, value=0.1) for row in old)))
    assert len(text) < LONGEST
    groups, answers = text.split("<summary>Every value</summary>")
    for part, what, count, room in ((groups, "groups", 400, LONGEST // 3), (answers, "values", 4000, LONGEST // 2)):
        shown = sum(line.startswith("| <code>") for line in part.splitlines())
        assert f"|{count - shown:,} more {what}|" in part
        assert room - 1000 < len(part) < room + 1000, "it uses the room that it has"


def test_an_answer_that_is_lost_has_moved_and_a_new_one_has_not() -> None:
    assert drift((STANDARD, OTHER), STANDARD).moved
    assert not drift((STANDARD, OTHER), (STANDARD, OTHER, replace(OTHER, case="gain/b"))).moved


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("ValueError: no", "ValueError: not at all", WORDED),
        ("ValueError: k: 5", "ValueError: k, which is 5", WORDED),
        ("ValueError: rank: 0", "ValueError: score: nan: no", WORDED),
        ("ValueError: no", "TypeError: no", MOVED),
        ("ValueError: k: 5", "TypeError: k: 6", MOVED),
        ("AssertionError", "AssertionError: no", WORDED),
        ("AssertionError", "ValueError", MOVED),
        ("", "ValueError: no", MOVED),
    ],
)
def test_an_expected_error_of_one_type_in_other_words_is_told_as_that(old: str, new: str, kind: ChangeKind) -> None:
    known = replace(ERROR, verdict=Verdict.KNOWN)
    (change,) = drift(replace(known, error=old), replace(known, error=new)).changes
    assert change.kind == kind


def test_an_error_without_words_is_a_dash() -> None:
    text = as_markdown(drift(STANDARD, replace(ERROR, error="")))
    assert "| <code>lib/v gain/a nDCG@5</code> | <code>0.5000</code> | – |" in text


# -- files ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders of results; in the second, one answer is another one."""
    header = {"asked": [{"library": "lib", "version": "1", "variants": {"v": ""}}], "questions": [("gain/a", "AP")]}
    row = replace(STANDARD, subject=replace(LIB, alone=True), measure="AP")
    old, new = (RunResults(header, (replace(row, value=value),), {}) for value in (0.5, 0.25))
    return written(old, tmp_path / "old"), written(new, tmp_path / "new")


OTHERWISE = [
    ('"measure"', '"measurement"', r":2: .*\('measurement' was unexpected\)"),
    ("agrees", "pleases", ":2: verdict: .pleases. is not one of"),
    ('"asked":[', '"asked":[3,', r":1: asked\.0: 3 is not of type .object."),
    ('{"v":""}', '["v"]', r":1: asked\.0\.variants: \[.v.\] is not of type .object."),
    ('"questions"', '"answers"', r":1: .*\('answers' was unexpected\)"),
    ('"complaints":0', '"complaints":"x"', ':3: complaints: "x" is not of type "integer"'),
    ('"asked"', '"libraries"', ":1: an older rankproof wrote this"),
]
"""What stands otherwise in a file of results, and what is said of it."""


def test_a_file_that_is_foreign_is_refused_in_one_line(files: tuple[Path, Path]) -> None:
    old, new = files
    file = new / FOLDER / "lib.jsonl"
    whole = (old / FOLDER / "lib.jsonl").read_text(encoding="utf-8")
    broken = [(whole.replace(text, other), message) for text, other, message in OTHERWISE]
    broken += [("[1]\n[2]\n[3]\n", ":1: this is no results file"), ("no json\n", ":1: this is no JSON")]
    broken.append(("", "cut off"))
    for text, message in broken:
        file.write_text(text, encoding="utf-8")
        with pytest.raises(BadResults if text else Truncated, match=message) as raised:
            load(new)
        assert str(file) in str(raised.value)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadResults, match="this is no UTF-8"):
        load(new)
    with pytest.raises(BadResults, match="there are no such results; `rankproof run"):
        load(new.parent)
    done = typed.rankproof("diff", old, new, cwd=new.parent)
    assert (done.code, "this is no UTF-8" in done.err) == (2, True)


def test_a_page_of_histories_shows_whatever_it_is_given_and_counts_by_thousands() -> None:
    odd = "1|<b>"
    there = {"library": "lib", "version": odd, "python": "3.11.1", "variants": {"v": ""}, "dependencies": {odd: "2"}}
    asked = [
        ObservedVersion(Plan("lib", "lib", odd, python), RunResults({"kind": "header", "asked": [there]}, (row,), {}))
        for python, row in (("3.11", STANDARD), ("", replace(ERROR, error=f"{odd}: no")))
    ]
    witness = compared(asked[0].results, asked[1].results).changes[0]
    move = ChangeGroup(odd, (witness,) * 1_234, (FormCause(),) * 1_234)
    step = VersionStep(*asked, (move,), 0, 0)
    absent = VersionRun(Built(Plan("lib", "lib", odd, "3.9"), None), why=odd)
    text = history.as_markdown([History("lib", "lib", tuple(asked), (step,))], [absent])
    assert "<b>" not in text
    assert "- lib@1\\|&lt;b&gt;: 1\\|&lt;b&gt;" in text
    assert "- 1\\|&lt;b&gt; on Python" in text
    rows = [line.replace("\\|", "") for line in text.splitlines() if line.startswith("|")]
    assert [row.count("|") for row in rows] == [8, 8, 8, 4, 4, 4]
    assert " 1,234 |" in rows[2]
