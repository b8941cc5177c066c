"""The matrix, and the history of a library, each read back from its page and held against what it was made of.

Three libraries, one of them asked in two ways, with fingerprints of three forms that are all different; what is undetermined, what cannot
matter and what no answer tells apart are among them.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from drawn_history import document_of
from test_pages_read_back import report as report  # noqa: PLC0414 - a fixture
from written_pages import words, written

from rankproof.asking.subjects import Subject
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.judging.verdicts import Row, Verdict
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.site.axis_knowledge import Findings
from rankproof.site.page_sources import Told
from rankproof.site.pages import compare_pages, library_pages, overview
from rankproof.site.search_index import index
from rankproof.telling.plain_words import label, word
from rankproof.telling.public_data import BadHistory, past
from rankproof.telling.run_report import Report

CASE = "ties/renamed-doc"
OPEN = ("best", "worst")
FOUND: dict[str, dict[tuple[str, str], dict[str, str | tuple[str, ...] | None]]] = {
    "nDCG@k": {
        ("west", "v"): {"ties": "docid-asc", "gain": "exp", "known": "retrieved", "ideal": "judged", "norel": None},
        ("north", "v"): {"ties": None, "gain": "linear", "known": "all", "ideal": "judged", "norel": ("0", "nan-as-0")},
        ("north", "w"): {"ties": "expectation", "gain": "linear", "known": "all", "ideal": "given", "norel": "nan"},
        ("east", "v"): {"ties": "docid-desc", "gain": "binary", "norel": "dropped", "missing": "rejected"},
    },
    "AP": {
        ("east", "v"): {"ties": "worst", "ap_denominator": "hits"}, ("west", "v"): {"ties": "input", "ap_denominator": ("min-k-R", "R")},
    },
    "P@k": {("north", "w"): {"ties": "best", "p_denominator": "min-k-n"}},
}  # fmt: skip
"""By form and way of asking, what was found on which axis: the value, the values that no answer tells apart, or that it is undetermined."""


ASKED = {("west", "v"): "nDCG@2", ("north", "v"): "nDCG@5", ("north", "w"): "nDCG@5", ("east", "v"): "nDCG@3"}
"""The measure that a witness of each was asked; that of most is said of a row, and others of their cells."""


def _finding(axis: str, said: str | tuple[str, ...] | None, measure: str = "nDCG@2") -> AxisFinding:
    if said is None:
        return AxisFinding(axis, None, "", "", {}, OPEN if axis == "ties" else ("0", "nan"), "no tie was asked")
    value, *same = (said,) if isinstance(said, str) else said
    return AxisFinding(axis, value, CASE, measure, {}, same=tuple(same))


FINGERPRINTS = tuple(
    Fingerprint(
        Subject(*who, "1", alone=who[0] != "north"), key, STANDARD, {axis: _finding(axis, said, ASKED[who]) for axis, said in axes.items()},
        1, 1, (), f"{key}|rankproof:0",
    )
    for key, by in FOUND.items()
    for who, axes in by.items()
)  # fmt: skip


@pytest.fixture(scope="module")
def told(report: Report) -> Told:
    return Told(report, Findings(FINGERPRINTS, proved=True))


def _left(said: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return () if said is None else (said,) if isinstance(said, str) else said


def _in_order(axis: str, said: str | tuple[str, ...]) -> list[str]:
    return sorted(_left(said), key=lambda value: value != AXES[axis].default)


@pytest.mark.parametrize("key", [*FOUND])
def test_each_cell_of_a_matrix_says_what_was_found_of_its_column_on_its_row(told: Told, key: str) -> None:
    page = written(
        told,
        "index" if key == "nDCG@k" else "matrix",
        (overview.index(told) if key == "nDCG@k" else overview.page(told, key)),
    )
    table = page[page.index("<table class=mx") : page.index("</table>")]
    heads = re.findall(r"<th scope=col data-l=(\w+)([^>]*)>(.*?)(?=<th|</thead)", table, re.DOTALL)
    several = {library for library, _ in FOUND[key] if sum(one == library for one, _ in FOUND[key]) > 1}
    columns = [(name, words(text).split()[1] if name in several else _only(key, name)) for name, _, text in heads]
    assert sorted(columns) == sorted(FOUND[key]), "a column for each way of asking that computes it"
    assert [library for library, extra, _ in heads if "class=x" in extra] == [*several], (
        "of several ways all but one fold"
    )
    assert all(words(text).endswith(" 1") for *_, text in heads), "the version"
    lines = re.findall(r"<tr([^>]*)><th scope=row id=a-(\w+)>(.*?)(<td.*?)(?=<tr|</tbody)", table, re.DOTALL)
    assert {axis for _, axis, *_ in lines} == {axis for axes in FOUND[key].values() for axis in axes}
    for row, axis, title, text in lines:
        assert words(title) == label(axis)
        cells = text.split("<td")[1:]
        for column, cell in zip(columns, cells, strict=True):
            _assert_says(cell, axis, FOUND[key][column])
            if FOUND[key][column].get(axis) is not None:
                assert (_measure_of(cell) or _measure_of(row)) == ASKED[column], (
                    "the measure that its witness was asked"
                )
        shown = [ASKED[column] for column in columns if FOUND[key][column].get(axis) is not None]
        assert not shown or shown.count(_measure_of(row)) == max(map(shown.count, shown)), "the row has that of most"
        assert sum(bool(_measure_of(cell)) for cell in cells) == len(shown) - shown.count(_measure_of(row))


def _measure_of(text: str) -> str:
    said = re.search(r'data-m="?([^" >]*)', text)
    return said.group(1) if said else ""


def _only(key: str, library: str) -> str:
    return next(variant for name, variant in FOUND[key] if name == library)


def _assert_says(cell: str, axis: str, axes: dict[str, str | tuple[str, ...] | None]) -> None:
    shown = words(f"<td{cell}")
    if axis not in axes:
        assert (shown, " class=z" in cell) == ("", True)
        return
    said = axes[axis]
    if said is None:
        assert (shown, "data-v" in cell) == ("undetermined", False), "never as a value"
        assert f'data-o="{" ".join(OPEN if axis == "ties" else ("0", "nan"))}"' in cell
        return
    values = _in_order(axis, said)
    first = word(axis, values[0], axes.get("known", "all") or "")  # type: ignore[arg-type]
    assert shown.startswith(first)
    assert (" or " in shown.removeprefix(first)) == (len(values) > 1), "one thing, and whether there are others"
    stated = re.search(r'data-v="?(.*?)"?(?: data-m| href)', cell)
    assert stated is None or stated.group(1).split(" ") == values
    assert stated or [value for value in AXES[axis].values if word(axis, value) == shown] == values, "the word says it"
    assert f"cases/{CASE}.html" in cell
    assert ("class=v1" in cell) == (AXES[axis].default not in values)


# -- pairs -------------------------------------------------------------------------------------------------------------


def _rows_of(case: str, who: str, conventions: tuple[str, ...], values: dict[str | None, float]) -> Iterator[Row]:
    verdict = Verdict.CONVENTION if conventions else Verdict.AGREES
    for query, value in values.items():
        yield Row(case, Subject(who, "v", "1"), "nDCG@2", query, verdict, value, expected=0.5, conventions=conventions)


def test_two_libraries_are_shown_by_the_mean_of_the_case_in_which_they_are_furthest_apart(told: Told) -> None:
    """In all cases but one they differ by ties alone; values of queries stand before and after the mean. Of equals the first is shown."""
    near, far, both = "ties/renamed-doc", "ties/all-tied-rel-3-last", "cutoff/one"
    as_far = ("ties/straddles-cutoff", "ties/none-tied", "ties/constant-scorer", "ties/six-docs-all-tied")
    rows = [
        *_rows_of(near, "west", ("ties=docid-asc",), {"q1": 0.9, None: 0.5, "q2": 0.1}),
        *_rows_of(near, "east", (), {None: 0.25, "q1": 0.5, "q2": 0.0}),
        *_rows_of(far, "west", ("ties=docid-asc",), {"q1": 0.5, None: 0.75, "q2": 1.0}),
        *_rows_of(far, "east", (), {"q2": 0.25, None: 0.125, "q1": 0.0}),
        *(row for case in as_far for row in _rows_of(case, "west", ("ties=docid-asc",), {None: 0.75})),
        *(row for case in as_far for row in _rows_of(case, "east", (), {None: 0.125})),
        *_rows_of(both, "west", ("ties=docid-asc", "gain=exp"), {None: 1.0}),
        *_rows_of(both, "east", (), {None: 0.0}),
    ]
    of_three = replace(told.report, results=replace(told.report.results, rows=tuple(rows)))
    view = compare_pages.page(Told(of_three, told.findings), "nDCG@k")
    (pair,) = (pair for pair in view["pairs"] if pair.id == "east--west")
    shown = {found.axis: found.shown for found in pair.differences}
    said = {pair.first.library: shown["ties"].first, pair.second.library: shown["ties"].second}
    assert (shown["ties"].case, said) == (far, {"west": ".75", "east": ".125"})
    assert [axis for axis, question in shown.items() if question is not None] == ["ties"]


def test_forms_beyond_the_fourth_are_folded_and_counted(told: Told) -> None:
    keys = ("AP", "P@k", "R@k", "RR", "Rprec", "Success@k", "Bpref")
    alike = [
        Fingerprint(Subject("west", "v", "1"), key, STANDARD, {"ties": _finding("ties", "worst")}, 1, 1, (), f"{key}|rankproof:0")
        for key in keys
    ]  # fmt: skip
    one = Told(told.report, Findings(tuple(alike), proved=True))
    page = written(one, "library", library_pages.page(one, "west"), "libraries/west.html")
    row = page[page.index("<th scope=row>", page.index("<h2 id=bymeasure>")) :]
    shown, _, folded = row[: row.index("</details>")].partition("<details>")
    assert (shown.count("<a "), folded.count("<a ")) == (4, 3)
    assert words(f"<details>{folded}").startswith("3 more ")


# -- a library ---------------------------------------------------------------------------------------------------------


HISTORY = document_of(
    {
        "west": {
            "title": "West", "versions": ["1", "2", "3"],
            "steps": [{
                "from": "2", "to": "3", "noise": 0, "unsteady": 0, "beside": " (with numpy 1.26 → 2.0)",
                "also_differs": [{"package": "numpy", "before": "1.26", "after": "2.0"}],
                "changes": [
                    {"measure": "nDCG", "variants": ["v", "w"], "behind": "before, ties in input order (ties=input)", "answers": 12,
                     "before": ".25", "after": "ValueError: <no>",
                     "witness": {"case": CASE, "measure": "nDCG@5", "query": None}},
                    {"measure": "AP", "variants": ["w"], "behind": "", "answers": 1, "before": ".5", "after": "1",
                     "witness": {"case": CASE, "measure": "AP", "query": "q2"}},
                ],
            }],
            "answers": [
                {"variant": "v", "case": CASE, "measure": "nDCG@5", "query": None, "by_version": [".25", ".25", "ValueError"]},
                {"variant": "w", "case": CASE, "measure": "AP", "query": "q2", "by_version": ["–", ".5", "1"]},
            ],
        },
        "east": {"title": "East", "versions": ["7", "8"], "steps": [], "answers": []},
    }
)  # fmt: skip


def test_the_history_of_a_library_is_told_where_it_is_published(told: Told, tmp_path: Path) -> None:
    assert past(tmp_path) == {}
    (tmp_path / "history.json").write_text(json.dumps(HISTORY), encoding="utf-8")
    found = past(tmp_path)
    assert found == HISTORY["libraries"]
    with_past = Told(told.report, told.findings, history=found)
    shown = words(written(with_past, "library", library_pages.page(with_past, "west"), "libraries/west.html"))
    assert "Asked were 1, 2, 3." in shown
    assert "2 → 3 (with numpy 1.26 → 2.0)" in shown
    assert (
        f"nDCG v, w: before, ties in input order (ties=input) 12 answers; {CASE} nDCG@5: .25 → ValueError: <no>"
        in shown
    )
    assert f"AP w 1 answer; {CASE} AP: .5 → 1" in shown
    assert f"w {CASE} AP q2 – .5 1" in shown
    view = library_pages.page(with_past, "north")
    page = written(with_past, "library", view, "libraries/north.html")
    assert view["line"]["sentence"] in words(page)
    assert "id=history" not in page, "nothing is said where no history is published"
    shown = words(written(with_past, "library", library_pages.page(with_past, "east"), "libraries/east.html"))
    assert "Asked were 7, 8. No answer differs between them." in shown
    assert index(with_past)["history"] == ["east", "west"]


@pytest.mark.parametrize("text", ["[]", "{", '{"environments": []}', '{"environments": [], "libraries": {"a": [1]}}'])
def test_a_history_that_does_not_read_is_one_line_with_the_mend(tmp_path: Path, text: str) -> None:
    (tmp_path / "history.json").write_text(text, encoding="utf-8")
    with pytest.raises(
        BadHistory, match=r"history\.json:1: .*; write it again with `rankproof run --env all`$"
    ) as raised:
        past(tmp_path)
    assert "\n" not in str(raised.value)
