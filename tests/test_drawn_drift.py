"""What is said of two runs is what looking at every row gives: runs drawn by a seed, told as JSON, in a terminal and as a comment."""

import html
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import drawn_drift
import pytest
import typed
from drawn_drift import BY_CAUSE, KINDS, Change, Group, became, change_as_json, cut, groups, place, sides

from rankproof.drift.answer_changes import NothingCompared, compared
from rankproof.judging.results_file import RunResults, load
from rankproof.telling.diff_text import as_json, as_markdown, as_text
from rankproof.text import one_line, short

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
                found.append(
                    f"  {who} {group.measure}: {count} {group.kind}{most}, {group.cause}; as in {place(group.witness.row)}: {a} → {b}"
                )
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
            one.library: {"old": version(old, one.library), "new": version(new, one.library)} for one in [*old.asked, *new.asked]
        },
        "groups": [
            {
                "kind": one.kind, "library": one.library, "variant": one.variant, "measure": one.measure, "before": one.before,
                "after": one.after, "guess": "", "answers": len(one.changes), "largest": one.largest,
                "witness": change_as_json(one.witness),
            }
            for one in groups(old, new, changes)
        ],
        "changes": [change_as_json(one) for one in changes],
    }  # fmt: skip


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
    assert as_json(found) == whole_as_json(old, new, changes)
    for whole in (False, True):
        assert list(as_text(found, whole=whole)) == lines(old, new, changes, whole=whole)


def cells_of(page: str, first: str) -> list[list[str]]:
    """The rows of the table whose head begins so, as they were before they were escaped."""
    _, _, rest = page.partition(f"| {first} |")
    rows = rest.split("\n\n")[0].splitlines()[2:]
    cells = [re.split(r"(?<!\\)\|", row)[1:-1] for row in rows]
    return [
        [html.unescape(re.sub(r"\\(.)", r"\1", re.sub(r"</?code>", "", cell))).strip() for cell in row] for row in cells
    ]


@pytest.mark.parametrize("seed", SEEDS[::2])
def test_a_comment_has_a_row_for_each_group_and_for_each_answer(seed: int) -> None:
    old, new = world(seed)[:2] if seed % 4 else world(seed)[1::-1]  # what went away came, too
    changes = became(old, new)
    told = [one for one in groups(old, new, changes) if one.kind in BY_CAUSE]
    page = as_markdown(compared(old, new))
    moved = any(one.kind in KINDS[:3] for one in changes)
    upgraded = [
        one
        for one in (versions(old, new, name) for name in dict.fromkeys(i.library for i in [*old.asked, *new.asked]))
        if "→" in one
    ]
    assert page.splitlines()[:4] == [
        "<!-- rankproof diff -->", f"### rankproof: {'something' if moved else 'nothing'} moved", "",
        f"{', '.join(upgraded)}{': ' if upgraded else ''}{counted(changes)}.",
    ]  # fmt: skip

    def who(one: Change, group: Group) -> str:
        row = one.row
        return group.which or (row.library if row.subject.alone else f"{row.library}/{row.variant}")

    def shown(text: str) -> str:
        return cut(text, 200)

    def held_to(found: list[list[str]], wanted: list[list[str]], what: str) -> None:
        """All of it is there; or as much as there is room for, and how much more there is."""
        if found != wanted:
            assert [cell for cell in found.pop() if cell] == [f"{len(wanted) - len(found)} more {what}"]
            assert len(page) > 15_000, "there was room"
        assert found == wanted[: len(found)]

    by_group = [
        [
            who(one.witness, one), one.measure, f"{len(one.changes)} {one.kind}", shown(one.cause),
            short(one.largest) if one.largest else "–",
            one_line(f"{shown(place(one.witness.row))}: {' → '.join(map(shown, sides(one.witness)))}"),
        ]
        for one in told
    ]  # fmt: skip
    by_answer = [
        [shown(f"{who(one, group)} {place(one.row)}"), *(one_line(shown(side)) for side in sides(one))]
        for group in told for one in group.changes
    ]  # fmt: skip
    held_to(cells_of(page, "library"), by_group, "groups")
    held_to(cells_of(page, "where"), by_answer, "answers")
    assert len(page) <= 65_536, "what GitHub takes"


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_files_and_options_come_to_what_is_compared(seed: int, tmp_path: Path) -> None:
    """The rows stand otherwise in files, and an answer that is not supported is as good as the words for it; all else is the same."""
    old, new, library, measure = world(seed)
    for name, run in (("old", old), ("new", new)):
        drawn_drift.written(run, tmp_path / name)
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
        shown = ((len(line) - len(line.lstrip()), one_line(line)) for line in told.out.splitlines())
        should = (
            (len(line) - len(line.lstrip()), one_line(line)) for line in lines(before, after, changes, whole=whole)
        )
        assert (told.code, [*shown]) == (done.code, [*should])
    assert typed.rankproof("diff", *options, "--markdown", cwd=tmp_path).out == as_markdown(
        compared(before, after, library, measure)
    )
    files = [path for path in tmp_path.glob("old/results/*.jsonl") if before.libraries.keys() == {path.stem}]
    for same in ("old", "old/results", *files):
        assert typed.rankproof("diff", "old", same, cwd=tmp_path) == typed.Ended(0, "nothing moved\n", "")
