"""What drift is told as, as JSON, in a terminal and as a comment, whatever it holds and however much it is."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import drawn_drift
import pytest
import typed
from drawn_drift import BY_CAUSE, KINDS, Change, Group, became, change_as_json, cut, groups, place, sides, written
from read_markdown import cells

from rankproof.history.answer_changes import ChangeKind, Drift, NothingCompared, compared
from rankproof.history.causes import Causes, FormCause, Profiles
from rankproof.history.change_groups import ChangeGroup, groups_of_files
from rankproof.history.environment_builds import Built
from rankproof.history.history import History, ObservedVersion, VersionStep
from rankproof.history.plans import Plan
from rankproof.history.version_runs import VersionRun
from rankproof.judge.results_file import FOLDER, BadResults, RunResults, Truncated, load
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report import diff_text, history_text
from rankproof.report.diff_text import LONGEST, SHORTEST, WIDEST
from rankproof.text import one_line, short
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
    return diff_text.as_markdown(found, grouped(found))


def as_text(found: Drift, *, whole: bool = False) -> Iterator[str]:
    return diff_text.as_text(found, grouped(found), whole=whole)


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
    groups, answers = text.split("<summary>Every answer</summary>")
    for part, what, count, room in ((groups, "groups", 400, LONGEST // 3), (answers, "answers", 4000, LONGEST // 2)):
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
    assert "| <code>lib/v gain/a nDCG@5</code> | <code>.5</code> | – |" in text


@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_an_error_that_is_too_long_is_cut_and_a_shorter_one_is_whole(beyond: int) -> None:
    line, cell = ("y" * (room + beyond) for room in (SHORTEST, WIDEST))
    shown = f"→ {line[:SHORTEST]}{'…' if beyond > 0 else ''}"
    assert any(said.endswith(shown) for said in as_text(drift(STANDARD, replace(ERROR, error=line)), whole=False))
    shown = f"<code>{cell[:WIDEST]}{'…' if beyond > 0 else ''}</code> |"
    assert shown in as_markdown(drift(STANDARD, replace(ERROR, error=cell)))


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
    broken += [("[1]\n[2]\n[3]\n", ":1: this is no results file"), ("no json\n", ":1: not JSON")]
    broken.append(("", "cut off"))
    for text, message in broken:
        file.write_text(text, encoding="utf-8")
        with pytest.raises(BadResults if text else Truncated, match=message) as raised:
            load(new)
        assert str(file) in str(raised.value)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadResults, match="not UTF-8"):
        load(new)
    with pytest.raises(BadResults, match="there are no such results; `rankproof run"):
        load(new.parent)
    done = typed.rankproof("diff", old, new, cwd=new.parent)
    assert (done.code, "not UTF-8" in done.err) == (2, True)


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
    text = history_text.as_markdown([History("lib", "lib", tuple(asked), (step,))], [absent])
    assert "<b>" not in text
    assert "- lib@1\\|&lt;b&gt;: 1\\|&lt;b&gt;" in text
    assert "- 1\\|&lt;b&gt; on Python" in text
    rows = [line.replace("\\|", "") for line in text.splitlines() if line.startswith("|")]
    assert [row.count("|") for row in rows] == [8, 8, 8, 4, 4, 4]
    assert " 1,234 |" in rows[2]


# -- runs drawn by a seed: what is said of two of them is what looking at every row gives --------------------------------

SEEDS = range(40)
GLOBS = ("*", "*", "z*", "ada", "mid/*", "w", "*/u", "k*/[vw]", "nobody")
OF_MEASURES = ("*", "*", "nDCG", "nDCG@5", "P", "*@5", "AP", "I*", "P@5")


def version(run: RunResults, library: str) -> str:
    those = [one for one in run.asked if one.library == library]
    return ", ".join(dict.fromkeys(one.version or "not installed" for one in those)) if those else "not asked"


def versions(old: RunResults, new: RunResults, library: str) -> str:
    a, b = version(old, library), version(new, library)
    return f"{library} {b}" if a == b else f"{library} {a} → {b}"


def counted(changes: Sequence[Change]) -> str:
    told = [f"{n} {kind}" for kind in KINDS if (n := sum(one.kind == kind for one in changes))]
    return ", ".join(told) or "nothing moved"


def answers(count: int) -> str:
    return "1 answer" if count == 1 else f"{count} answers"


def lines(old: RunResults, new: RunResults, changes: Sequence[Change], *, whole: bool) -> list[str]:
    found = []
    all_groups = groups(old, new, changes)
    for library in sorted({group.library for group in all_groups}):
        found.append(versions(old, new, library))
        for group in (one for one in all_groups if one.library == library):
            who, count = group.which or group.variant, answers(len(group.changes))
            if group.kind in BY_CAUSE:
                a, b = (cut(side, 60) for side in sides(group.witness))
                most = f" by {short(group.largest)} at most" if group.largest else ""
                head, witness = f"{who} {group.measure}: {count} {group.kind}{most}", place(group.witness.row)
                found.append(f"  {head}, cause undetermined; as in {witness}: {a} → {b}")
            else:
                verdicts = Counter(str(one.row.verdict) for one in group.changes)
                ranked = sorted(verdicts.items(), key=lambda item: -item[1])
                found.append(f"  {who}: {count} {group.kind} ({', '.join(f'{n} {verdict}' for verdict, n in ranked)})")
            if whole:
                found += [f"    {place(one.row)}: {' → '.join(sides(one))}" for one in group.changes]
    return [*found, counted(changes)]


def whole_as_json(old: RunResults, new: RunResults, changes: Sequence[Change]) -> dict[str, object]:
    return {
        "moved": any(one.kind in KINDS[:3] for one in changes),
        "counts": {kind: sum(one.kind == kind for one in changes) for kind in KINDS},
        "libraries": {
            one.library: {"old": version(old, one.library), "new": version(new, one.library)}
            for one in [*old.asked, *new.asked]
        },
        "groups": [
            {
                "kind": one.kind,
                "library": one.library,
                "variant": one.variant,
                "measure": one.measure,
                "cause": [],
                "profiles": [],
                "answers": len(one.changes),
                "largest": one.largest,
                "witness": change_as_json(one.witness),
            }
            for one in groups(old, new, changes)
        ],
        "changes": [change_as_json(one) for one in changes],
    }


def world(seed: int) -> tuple[RunResults, RunResults, str, str]:
    c = random.Random(seed)  # noqa: S311 - an example
    old = drawn_drift.drawn_run(c)
    return old, drawn_drift.changed(c, old), c.choice(GLOBS), c.choice(OF_MEASURES)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_became_of_each_answer_and_the_groups_that_they_make(seed: int) -> None:
    old, new, library, measure = world(seed)
    changes = became(old, new, library, measure)
    if not any(row.case and drawn_drift.is_called(row, library, measure) for row in [*old.rows, *new.rows]):
        with pytest.raises(NothingCompared, match=re.escape(f"has a row of library {library} and measure {measure}: ")):
            compared(old, new, library, measure)
        return
    found = compared(old, new, library, measure)
    assert diff_text.as_json(found, grouped(found)) == whole_as_json(old, new, changes)
    for whole in (False, True):
        assert list(as_text(found, whole=whole)) == lines(old, new, changes, whole=whole)


def cells_of(page: str, first: str) -> list[list[str]]:
    """The rows of the table whose head begins so, as they were before they were escaped."""
    _, _, rest = page.partition(f"| {first} |")
    return [cells(re.sub(r"</?code>", "", row)) for row in rest.split("\n\n")[0].splitlines()[2:]]


@pytest.mark.parametrize("seed", SEEDS[::2])
def test_a_comment_has_a_row_for_each_group_and_for_each_answer(seed: int) -> None:
    old, new = world(seed)[:2] if seed % 4 else world(seed)[1::-1]  # what went away came, too
    changes = became(old, new)
    told = [one for one in groups(old, new, changes) if one.kind in BY_CAUSE]
    page = as_markdown(compared(old, new))
    moved = any(one.kind in KINDS[:3] for one in changes)
    libraries = dict.fromkeys(one.library for one in [*old.asked, *new.asked])
    upgraded = [one for one in (versions(old, new, name) for name in libraries) if "→" in one]
    assert page.splitlines()[:4] == [
        "<!-- rankproof diff -->",
        f"### rankproof: {'something' if moved else 'nothing'} moved",
        "",
        f"{', '.join(upgraded)}{': ' if upgraded else ''}{counted(changes)}.",
    ]

    def who(one: Change, group: Group) -> str:
        row = one.row
        return group.which or (row.library if row.subject.alone else f"{row.library}/{row.variant}")

    shown = partial(cut, width=200)

    def held_to(found: list[list[str]], wanted: list[list[str]], what: str) -> None:
        """All of it is there; or as much as there is room for, and how much more there is."""
        if found != wanted:
            assert [cell for cell in found.pop() if cell] == [f"{len(wanted) - len(found)} more {what}"]
            assert len(page) > 15_000, "there was room"
        assert found == wanted[: len(found)]

    by_group = [
        [
            who(one.witness, one),
            one.measure,
            f"{len(one.changes)} {one.kind}",
            "cause undetermined",
            short(one.largest) if one.largest else "–",
            one_line(f"{shown(place(one.witness.row))}: {' → '.join(map(shown, sides(one.witness)))}"),
        ]
        for one in told
    ]
    by_answer = [
        [shown(f"{who(one, group)} {place(one.row)}"), *(one_line(shown(side)) for side in sides(one))]
        for group in told
        for one in group.changes
    ]
    held_to(cells_of(page, "library"), by_group, "groups")
    held_to(cells_of(page, "where"), by_answer, "answers")
    assert len(page) <= 65_536, "what GitHub takes"


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_files_and_options_come_to_what_is_compared(seed: int, tmp_path: Path) -> None:
    """The rows stand otherwise in files, and an answer that is not supported is as good as the words for it; all else is the same."""
    old, new, library, measure = world(seed)
    for name, run in (("old", old), ("new", new)):
        written(run, tmp_path / name)
    if not old.asked or not new.asked:
        assert typed.rankproof("diff", "old", "new", cwd=tmp_path).code == 2
        return
    before, after = (load(tmp_path / name, of_any_version=True) for name in ("old", "new"))
    changes = became(before, after, library, measure)
    assert Counter(map(repr, changes)) == Counter(map(repr, became(old, new, library, measure)))
    options = ("old", "new", "-l", library, "-m", measure)
    done = typed.rankproof("diff", *options, "--json", cwd=tmp_path)
    if done.code == 2:
        assert "nothing was compared" in done.err
        assert not changes
        return
    wanted = json.loads(json.dumps(whole_as_json(before, after, changes)))
    assert typed.read("diff", done.out) == wanted
    assert done.code == int(wanted["moved"])
    for option, whole in (((), False), (("--all",), True)):
        told = typed.rankproof("diff", *options, *option, cwd=tmp_path)
        shown, should = (
            [(len(line) - len(line.lstrip()), one_line(line)) for line in those]
            for those in (told.out.splitlines(), lines(before, after, changes, whole=whole))
        )
        assert (told.code, shown) == (done.code, should)
    comment = as_markdown(compared(before, after, library, measure))
    assert typed.rankproof("diff", *options, "--markdown", cwd=tmp_path).out == comment
    files = [path for path in tmp_path.glob("old/results/*.jsonl") if before.libraries.keys() == {path.stem}]
    for same in ("old", "old/results", *files):
        assert typed.rankproof("diff", "old", same, cwd=tmp_path) == typed.Ended(0, "nothing moved\n", "")
