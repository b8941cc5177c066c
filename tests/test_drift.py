"""What drift is told as, whatever it holds and however much it is; and files that cannot be compared are refused."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result
from drawn_drift import written

from rankproof.asking.subjects import Subject
from rankproof.commands.diff import command
from rankproof.drift.answer_changes import ChangeKind, Drift, compared
from rankproof.drift.history import History, ObservedVersion, VersionStep
from rankproof.drift.moves import Move
from rankproof.drift.version_runs import VersionRun
from rankproof.environments.environment_builds import Built
from rankproof.environments.plans import Plan
from rankproof.judging.results_file import FOLDER, BadResults, RunResults, Truncated, load
from rankproof.judging.verdicts import Row, Verdict
from rankproof.telling import history_text
from rankproof.telling.diff_text import LONGEST, as_markdown

LIB = Subject("lib", "v", "1", alone=False)
STANDARD = Row("gain/a", LIB, "nDCG@5", None, Verdict.AGREES, 0.5, expected=0.5)
ERROR = replace(STANDARD, verdict=Verdict.ERROR, value=None, error="ValueError: no")
OTHER = replace(STANDARD, subject=replace(LIB, library="other", variant="w"))


def results(*rows: Row, version: str = "1", libraries: tuple[str, ...] = ("lib", "other")) -> RunResults:
    asked = [{"library": name, "version": version, "variants": {"v": "", "w": ""}} for name in libraries]
    return RunResults({"kind": "header", "asked": asked}, rows, {})


def drift(old: tuple[Row, ...] | Row, new: tuple[Row, ...] | Row, **versions: str) -> Drift:
    before, after = ((rows,) if isinstance(rows, Row) else rows for rows in (old, new))
    return compared(results(*before), results(*after, **versions))


HOSTILE = replace(
    ERROR, case="gain/<script>|x", error="@everyone </details> `x` | [a](javascript:1) \x1b[31m" + "y" * 10_000
)


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
    old = [
        replace(STANDARD, case=f"gain/{'long' * 20}-{i}", subject=replace(LIB, variant=f"v{i % 400}"))
        for i in range(4000)
    ]
    text = as_markdown(drift(tuple(old), tuple(replace(row, value=0.1) for row in old)))
    assert len(text) < LONGEST
    groups, answers = text.split("<summary>Every answer</summary>")
    for part, what, count, room in ((groups, "groups", 400, LONGEST // 3), (answers, "answers", 4000, LONGEST // 2)):
        shown = sum(line.startswith("| <code>") for line in part.splitlines())
        assert f"|{count - shown:,} more {what}|" in part
        assert room - 1000 < len(part) < room + 1000, "it uses the room that it has"


@pytest.mark.parametrize(
    ("after", "moved"),
    [
        ((STANDARD, OTHER), False),
        ((STANDARD, replace(OTHER, value=0.25)), True),  # another answer
        ((STANDARD, replace(OTHER, verdict=Verdict.UNEXPLAINED)), True),  # it fails
        ((STANDARD, OTHER, replace(OTHER, case="gain/b")), False),  # one more question
        ((STANDARD,), True),  # the variant is not there any more
    ],
)
def test_what_moved_is_what_failed_changed_or_went(after: tuple[Row, ...], moved: bool) -> None:  # noqa: FBT001 - what is expected
    assert drift((STANDARD, OTHER), after).moved == moved


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("ValueError: no", "ValueError: not at all", ChangeKind.WORDED),
        ("ValueError: k: 5", "ValueError: k, which is 5", ChangeKind.WORDED),
        ("ValueError: rank: 0", "ValueError: score: nan: no", ChangeKind.WORDED),
        ("ValueError: no", "TypeError: no", ChangeKind.MOVED),
        ("ValueError: k: 5", "TypeError: k: 6", ChangeKind.MOVED),
        ("AssertionError", "AssertionError: no", ChangeKind.WORDED),
        ("AssertionError", "ValueError", ChangeKind.MOVED),
        ("", "ValueError: no", ChangeKind.MOVED),
    ],
)
def test_an_expected_error_of_one_type_in_other_words_is_told_as_that(old: str, new: str, kind: ChangeKind) -> None:
    known = replace(ERROR, verdict=Verdict.KNOWN)
    (change,) = drift(replace(known, error=old), replace(known, error=new)).changes
    assert change.kind == kind


def test_an_error_without_words_is_a_dash() -> None:
    text = as_markdown(drift(STANDARD, replace(ERROR, error="")))
    assert "| <code>lib/v gain/a nDCG@5</code> | <code>.5</code> | – |" in text


# -- files ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders of results; in the second, one answer is another one."""
    header = {"asked": [{"library": "lib", "version": "1", "variants": {"v": ""}}], "questions": [("gain/a", "AP")]}
    row = replace(STANDARD, subject=replace(LIB, alone=True), measure="AP")
    old, new = (RunResults(header, (replace(row, value=value),), {}) for value in (0.5, 0.25))
    return written(old, tmp_path / "old"), written(new, tmp_path / "new")


def diff(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)


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
    broken += [
        ("[1]\n[2]\n[3]\n", ":1: this is no results file"),
        ("no json\n", ":1: this is no JSON"),
        ("", "cut off"),
    ]
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
    assert isinstance(diff(old, new).exception, BadResults)


def test_a_page_of_histories_shows_whatever_it_is_given_and_counts_by_thousands() -> None:
    odd = "1|<b>"
    there = {"library": "lib", "version": odd, "python": "3.11.1", "variants": {"v": ""}, "dependencies": {odd: "2"}}
    asked = [
        ObservedVersion(Plan("lib", "lib", odd, python), RunResults({"kind": "header", "asked": [there]}, (row,), {}))
        for python, row in (("3.11", STANDARD), ("", replace(ERROR, error=f"{odd}: no")))
    ]
    witness = compared(asked[0].results, asked[1].results).changes[0]
    move = Move("lib", odd, ("v",), (), (SimpleNamespace(changes=[witness] * 1_234, witness=witness),))  # type: ignore[arg-type]
    step = VersionStep(*asked, (), (move,), 0, 0, ())
    absent = VersionRun(Built(Plan("lib", "lib", odd, "3.9"), None), why=odd)
    text = history_text.as_markdown([History("lib", "lib", tuple(asked), (step,))], [absent])
    assert "<b>" not in text
    assert "- lib@1\\|&lt;b&gt;: 1\\|&lt;b&gt;" in text
    assert "- 1\\|&lt;b&gt; on Python" in text
    rows = [line.replace("\\|", "") for line in text.splitlines() if line.startswith("|")]
    assert [row.count("|") for row in rows] == [8, 8, 8, 4, 4, 4]
    assert " 1,234 |" in rows[2]
