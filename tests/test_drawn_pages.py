"""Pages as they are written, read back into rows and compared with what they were made of: the templates."""

import html
import re
from typing import Any

import pytest
from test_drawn_site import world
from written_pages import words, written

from rankproof.site.lines import Line, NumberLine
from rankproof.site.pages import case_pages, library_pages, measure_pages

MANY = 6
"""So many libraries that do as standard are counted, and no more named."""


def squeezed(text: str) -> str:
    """Without spaces, of which tags leave more or fewer."""
    return "".join(words(text).split())


def who(answer: Line) -> str:
    """Who gives an answer and why, without spaces."""
    parts = []
    for mark, conventions, libraries in answer.brief:
        named = [(library, variants) for library, variants in libraries if variants]
        whole = len(libraries) - len(named)
        if mark == "agrees" and whole > MANY:
            said = f"{whole} libraries{', ' if named else ''}"
        else:
            said, named = "", libraries
        said += ", ".join(
            cut(library) + (f" ({', '.join(map(cut, variants))})" if variants else "") for library, variants in named
        )
        why = f" by {' '.join(conventions)}" if conventions else " known exception" if mark == "known" else ""
        parts.append(said + why)
    return "".join("; ".join(parts).split())


def cut(name: str) -> str:
    return name if len(name) <= 30 else name[:30]


def rows_of(table: str) -> list[list[str]]:
    """The cells of the rows of a table, without spaces; a cell of several rows stands in each of them."""
    rows: list[list[str]] = []
    for row in re.findall(r"<tr>(.*?)(?=<tr>|</tbody>|</table>|$)", table, re.DOTALL):
        cells = [squeezed(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)(?=<t[hd]|$)", row, re.DOTALL)]
        rows.append(cells)
    return rows


# -- a case -------------------------------------------------------------------------------------------------------------


def section(page: str, start: str, end: str = "</table>") -> str:
    """The first part of a page from that on; nothing where there is none."""
    return page[page.index(start) : page.index(end, page.index(start))] if start in page else ""


def of_query(query: str, one: NumberLine) -> list[list[str]]:
    """The rows of a query: the name in the first; of what all say alike, not who they are."""
    answers = [answer for answer in one.lines if answer.voices]
    told = [[answer.shown, "all" if one.unanimous else who(answer)] for answer in answers]
    return [[query, *row] if i == 0 else row for i, row in enumerate(told)]


def of_others(view: Any, repeated: dict[str, str]) -> str:
    """What all say to a measure that has no number line."""
    line = view["line"]
    said = [
        answer.shown
        + (f"those of {repeated[line.measure]}" if answer.shown == "error" and line.measure in repeated else who(answer))
        for answer in line.lines if answer.voices
    ]  # fmt: skip
    return "".join("".join(said).split())


def on_the_line(line: NumberLine) -> list[tuple[str, bool, str]]:
    """Each value of a number line, whether it is that of `standard`, and the conventions that give it and are nobody's reason."""
    found = []
    for answer in line.lines:
        named = [*answer.unsaid[:4], *([f"{len(answer.unsaid) - 4} more"] if len(answer.unsaid) > 4 else [])]
        found.append((answer.shown, answer.standard, "".join("".join(named).split())))
    return found


def read_line(part: str) -> list[tuple[str, bool, str]]:
    """The same, as a page has it."""
    found = []
    for item in re.findall(r"<li( class=std)?><b>(.*?)</b>(.*?)</div>", section(part, "<ul", "</ul>"), re.DOTALL):
        named = squeezed(item[2]).partition("referenceby")[2].replace(",", "").replace("and", "")
        found.append((squeezed(item[1]), bool(item[0]), named))
    return found


@pytest.fixture
def _no_repros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case_pages, "repros", lambda *_: [])  # what is drawn has no adapters


@pytest.mark.usefixtures("_no_repros")
@pytest.mark.parametrize("seed", range(6))
def test_the_page_of_a_case_shows_what_its_view_holds(seed: int) -> None:
    at = world(seed)
    for case in at.run.cases:
        view = dict(case_pages.page(at.told, case))
        view["agreed"] = view["agreed"] or view["listed"][:2]  # in what is drawn somebody nearly always differs
        page = written(at.told, "case", view, "cases/x.html")
        parts = re.split(r"<section class=measure>", page.partition("<h2 id=input>")[0])[1:]
        for one, part in zip(view["views"], parts, strict=False):
            assert squeezed(section(part, "<h3>", "</h3>")) == squeezed(one["line"].measure)
            assert read_line(part) == [(squeezed(html.escape(text)), *rest) for text, *rest in on_the_line(one["line"])]
            wanted = [row for query, each in one["queries"] for row in of_query(str(query), each)]
            rows = rows_of(section(part, '<table class="plain queries">').partition("</thead>")[2])
            assert rows == [[squeezed(html.escape(cell)) for cell in row] for row in wanted]
        listed = rows_of(section(page, '<table class="plain listed">').partition("</thead>")[2])
        assert [(row[0], row[1]) for row in listed] == [
            (squeezed(", ".join(measures)), f"{each['line'].differ}of{each['line'].asked}") for measures, each in view["listed"]
        ]  # fmt: skip
        for row, (_, each) in zip(listed, view["listed"], strict=True):
            assert row[2].startswith(of_others(each, view["repeated"]))
        agreed = rows_of(section(page, '<table class="plain agreed">').partition("</thead>")[2])
        assert [(row[0], row[1]) for row in agreed] == [
            (squeezed(", ".join(measures)), each["line"].lines[0].shown) for measures, each in view["agreed"]
        ]


# -- a library, and measures --------------------------------------------------------------------------------------------


def folded(part: str, item: str) -> tuple[int, int, str]:
    """How many of these are shown and how many are in the fold, and what the fold is called."""
    shown, _, fold = part.partition("<details><summary>")
    return shown.count(item), fold.count(item), fold.partition("</summary>")[0]


@pytest.mark.parametrize("count", [0, 3, 6, 7, 9])
def test_exceptions_beyond_the_sixth_are_folded_and_none_is_lost(count: int) -> None:
    at = world(0)
    name = at.told.library_names[0]
    case = at.run.cases[0].id
    reasons = [f"reason {i}" for i in range(count)]
    exceptions = [
        (why, f"https://x.example/{i}", 1, [((case, "v", None, "1"), ["AP"])]) for i, why in enumerate(reasons)
    ]
    page = written(
        at.told, "library", library_pages.page(at.told, name) | {"exceptions": exceptions}, "libraries/x.html"
    )
    assert re.findall(r"</i>(reason \d+) <a href=\"https://x.example/(\d+)", page) == [
        (why, why[7:]) for why in reasons
    ]
    fold = re.search(r"<details><summary>(\d+) more</summary><ol class=exceptions start=7>(.*?)</ol>", page, re.DOTALL)
    assert (fold is None) == (count <= 6)
    if fold is not None:
        assert (int(fold[1]), fold[2].count("<li><p>")) == (count - 6, count - 6)


@pytest.mark.parametrize("seed", range(3))
def test_the_list_of_measures_links_each_form_once_and_counts_those_that_it_folds(seed: int) -> None:
    at = world(seed)
    view = measure_pages.index(at.told)
    view = view | {"of_runs": [line | {"forms": [*line["forms"], *line["forms"]]} for line in view["of_runs"]]}
    page = written(at.told, "measures", view, "measures.html")
    parts = {squeezed(part.partition("</h3>")[0].partition("<small>")[0]): part for part in page.split("<li><h3>")[1:]}
    assert any(len(line["forms"]) > 4 for line in view["of_runs"])
    for line in (*view["of_runs"], *view["of_labels"]):
        part = parts[squeezed(line["name"])].partition("</h3>")[2].partition("<li>")[0]
        many = len(line["forms"])
        assert re.findall(r"<a href=\"?([^ >\"]+)\"?>", part) == [place for _, place in line["forms"]]
        assert folded(part.partition("</div>")[0], "<a ") == (
            min(many, 4),
            max(many - 4, 0),
            f"{many - 4} more" if many > 4 else "",
        )
        assert (f"{line['count']}librar" in squeezed(part)) == bool(line["forms"])
