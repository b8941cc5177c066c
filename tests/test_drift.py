"""What drift is told as, as JSON, in a terminal and as a comment, whatever it holds and however much it is."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import typed
from drawn_drift import written

from rankproof.history.answer_changes import ChangeKind, Drift, compared
from rankproof.history.causes import Causes, Profiles
from rankproof.history.change_groups import ChangeGroup, groups_of_files
from rankproof.judge.results_file import FOLDER, BadResults, RunResults, Truncated, load
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report import diff
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
    assert "</details>" not in text
    assert "\x1b" not in text
    rows = [line for line in text.splitlines() if line.startswith("| <code>")]
    assert [line.replace("\\|", "").count("|") for line in rows] == [7]
    assert text.count("@everyone") == text.count("<code>@everyone") == 1, "in code, nobody is notified"
    assert "@5" not in re.sub(r"<code>.*?</code>|`[^`]*`", "", text)


def test_a_comment_fits_and_says_what_it_leaves_out() -> None:
    variants = [replace(LIB, variant=f"v{i}") for i in range(400)]
    old = [replace(STANDARD, case=f"gain/{'long' * 20}-{i}", subject=variants[i % 400]) for i in range(4000)]
    text = as_markdown(drift(tuple(old), tuple(replace(row, value=0.1) for row in old)))
    assert len(text) < LONGEST
    shown = sum(line.startswith("| <code>") for line in text.splitlines())
    assert 100 < shown <= 400
    assert shown == 400 or f"|{400 - shown:,} more groups|" in text


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
