"""Results files of drawn runs: what is written, and what is read back."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import drawn_runs
import pytest
from drawn_runs import Told, drawn

from rankproof.judge import results_file
from rankproof.judge.verdicts import Row, Verdict
from rankproof.version import VERSION
from rankproof.workers.subjects import Subject

SEEDS = range(7)
SHOWN = {
    0.5: ".5",
    0.25: ".25",
    1.0: "1",
    0.0: "0",
    1 / 3: ".3333",
    0.50001: ".5",
    0.75: ".75",
    2.0: "2",
    -1.0: "-1",
    float("inf"): "inf",
    "absent": "absent",
    0.125: ".125",
    3e-7: "3e-07",
    3.0: "3",
    None: "refused",
}
"""How values are shown: with four decimals, and small ones by their digits."""
FORM = {
    "nDCG@2": "nDCG@k",
    "P@2": "P@k",
    "P@5": "P@k",
    "R@3": "R@k",
    "DCG@2": "DCG@k",
    "ERR@3": "ERR@k",
    "RR@2": "RR@k",
    "nDCG(dcg='exp-log2')@2": "nDCG(dcg='exp-log2')@k",
    "AP(rel=2)@3": "AP(rel=2)@k",
}
NO_SCALE = {"DCG@2", "NumRel", "Newer@3"}
FAILING = {
    Verdict.UNEXPLAINED,
    Verdict.DEFECT,
    Verdict.ERROR,
    Verdict.CRASH,
    Verdict.TIMEOUT,
    Verdict.MEMORY,
    Verdict.INVALID_OUTPUT,
    Verdict.UNSTABLE,
}
AXES = ("order", "ties", "score", "score_sign", "known", "gain", "ideal", "ideal_cut", "missing", "norel")


@pytest.fixture(params=SEEDS)
def told(request: pytest.FixtureRequest) -> Told:
    return drawn(request.param)


def shown(row: Row) -> str:
    """An answer as it is shown."""
    if row.error is not None:
        return "error"
    return "nan" if isinstance(row.value, float) and math.isnan(row.value) else SHOWN[row.value]


def number(value: Any) -> Any:
    """A value as JSON has it."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def unescaped(text: str) -> str:
    """What Markdown shows."""
    for written, meant in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(written, meant)
    return re.sub(r"\\([\\`*_{}\[\]#|~$])", r"\1", text)


def untrusted(text: str) -> str:
    """What Markdown shows of a text from anywhere, of which it may act upon nothing; bold, code and `<br>` are the page's."""
    of_text = re.sub(r"\\[\\`*_{}\[\]#|~$]|`[^`]*`|\*\*[^*]*\*\*|</?code>|<br>", "", text)
    assert not re.search(r"[*_<>|~$]", of_text), text
    return unescaped(text)


def line(text: str) -> str:
    """Text from anywhere in one line: what does not print is written out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in " ".join(text.split()))


def cells(text: str, heading: str) -> list[list[str]]:
    """The rows of the table that begins so, as they are shown."""
    rows = text[text.index(heading) :].split("\n\n", maxsplit=1)[0].splitlines()[2:]
    return [[untrusted(cell.strip()) for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]


# -- results files ------------------------------------------------------------------------------------------------------


def as_lines(told: Told, library: str) -> tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]:
    """The header, the judged rows and the footer of a file."""
    who = [one for one in told.asked if one.library == library]
    names = drawn_runs.called((subject for one in who for subject in drawn_runs.subjects_of(one)), signed_all=True)
    header = {
        "kind": "header",
        "rankproof": VERSION,
        "cases": len(told.cases),
        "inputs": "of inputs",
        "code": "of code",
        "adapter": f"digest {library}",
        "asked": [one.as_json() for one in who],
        "questions": {case.id: list(case.measures) for case in told.cases},
    }
    mine = [row for row in told.rows if row.library == library]
    rows = []
    for row in mine:
        if row.verdict is not Verdict.UNSUPPORTED:
            said = {
                "kind": "row",
                "case": row.case,
                "subject": names[row.subject],
                "measure": row.measure,
                "verdict": row.verdict.value,
                "value": number(row.value),
                "expected": number(row.expected),
            }
            if row.query is not None:
                said["query"] = row.query
            if row.error is not None:
                said["error"] = row.error
            if row.conventions:
                said["conventions"] = list(row.conventions)
            if row.note:
                said["note"] = row.note
            rows.append(said)
    footer = {
        "rows": len(rows),
        "unsupported": len(mine) - len(rows),
        "verdicts": dict(Counter(row.verdict.value for row in mine)),
        "complaints": sum(one.library == library for one in told.complaints),
    }
    return header, rows, footer


def test_a_file_of_results_holds_what_was_found_of_its_library(told: Told, tmp_path: Path) -> None:
    results_file.write(told.run, tmp_path)
    written = {path.stem: path.read_text(encoding="ascii") for path in (tmp_path / "results").iterdir()}
    assert set(written) == {one.library for one in told.asked}
    for library, text in written.items():
        header, *between, footer = map(json.loads, text.splitlines())
        wanted_header, wanted_rows, wanted_footer = as_lines(told, library)
        of_elsewhere = dict.fromkeys(("python", "platform", "corpus"), "")
        assert header | of_elsewhere == wanted_header | of_elsewhere
        assert (header["asked"], list(footer["verdicts"])) == (wanted_header["asked"], sorted(footer["verdicts"]))
        assert [one for one in between if one["kind"] == "row"] == wanted_rows
        assert footer == wanted_footer
        absences = [one for one in between if one["kind"] == "unsupported"]
        rows = [row for row in told.rows if row.library == library and row.verdict is Verdict.UNSUPPORTED]
        reasons = {(row.subject, row.case, row.measure): row.note for row in rows}
        assert meant(told, library, absences) == reasons


def meant(told: Told, library: str, absences: Iterable[dict[str, Any]]) -> dict[tuple[Subject, str, str], str]:
    """What absences say, question by question: what was said or answered before it is not said again."""
    who = [s for one in told.asked if one.library == library for s in drawn_runs.subjects_of(one)]
    by_name = {name: subject for subject, name in drawn_runs.called(who, signed_all=True).items()}
    answered = {(row.subject, row.case, row.measure) for row in told.rows if row.verdict is not Verdict.UNSUPPORTED}
    found: dict[tuple[Subject, str, str], str] = {}
    for said in absences:
        for case in told.cases:
            for measure in case.measures:
                place = by_name[said["subject"]], case.id, measure
                named = case.id in said.get("cases", [case.id]) and measure in said.get("measures", [measure])
                if named and place not in answered:
                    found.setdefault(place, said["why"])
    return found


def in_order(told: Told) -> list[Row]:
    """The rows in the order in which files have them: library by library; who is absent, then case, subject and measure."""
    order = {"": -1} | {case.id: i for i, case in enumerate(told.cases)}
    measures = {"": [""]} | {case.id: list(case.measures) for case in told.cases}

    def place(row: Row) -> tuple[str, int, int, int]:
        at = order[row.case], told.subjects.index(row.subject), measures[row.case].index(row.measure)
        return row.library, *at

    return sorted(told.rows, key=place)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_written_is_read_back_row_for_row(seed: int, tmp_path: Path) -> None:
    told = drawn(seed)
    results_file.write(told.run, tmp_path)
    found = results_file.load(tmp_path)
    wanted = in_order(told)
    assert [repr(row) for row in found.rows] == [repr(row) for row in wanted]
    assert [row.subject for row in found.rows] == [row.subject for row in wanted]
    every = [as_lines(told, name)[2] for name in {one.library for one in told.asked}]
    assert found.footer == {
        **{name: sum(one[name] for one in every) for name in ("rows", "unsupported", "complaints")},
        "verdicts": dict(Counter(row.verdict.value for row in told.rows)),
    }
    by_library = sorted(told.asked, key=lambda one: one.library)
    assert list(found.asked) == by_library
    by_name = {one.library: [other for other in by_library if other.library == one.library] for one in told.asked}
    assert found.libraries == by_name
    subjects = [subject for one in by_library for subject in drawn_runs.subjects_of(one)]
    assert {subject: found.names[subject] for subject in told.subjects} == drawn_runs.called(subjects)
    # What a variant is called in its library, also where it is the only one.
    names = drawn_runs.called(replace(one, alone=not one.variant) for one in subjects)
    variants = {one: (one.library, name.partition("/")[2] if one.variant else "") for one, name in names.items()}
    assert {subject: found.variants[subject] for subject in told.subjects} == variants


def moves(row: Row) -> float:
    """By how much a row is off, where that has a scale."""
    a, b = row.value, row.expected
    known = isinstance(a, float | int) and isinstance(b, float | int) and row.measure not in NO_SCALE
    return abs(a - b) if known and 0 <= a <= 1 and 0 <= b <= 1 else 0.0  # type: ignore[operator]
