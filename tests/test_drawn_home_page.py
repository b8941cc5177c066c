"""The home page and the list of libraries, as they are written: each section is what its view holds, told by plain rules."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from filled_views import texts
from seen_pages import (
    QUIET,
    Cases,
    folded,
    ident,
    link,
    main_of,
    message,
    number_line,
    picker,
    question,
    table,
    with_pages,
    without_spaces,
)
from test_drawn_site import world
from written_pages import written

from rankproof.site import page_text
from rankproof.site.pages import library_pages, overview


def in_list(line: Mapping[str, Any]) -> str:
    """A library in the list of all."""
    place = page_text.library_page(line["name"])
    told = [f"#{page_text.slug(line['name'])}", link(ident(line["title"]), place), line["version"] or "not installed"]
    told += [line["sentence"], *map(message, line["notes"])]
    told += [f"•{link(ident(way), f'{place}#{page_text.slug(way)}')}{means}" for way, means, _ in line["variants"]]
    return without_spaces(*told)


@pytest.mark.parametrize("seed", range(3))
def test_the_list_of_libraries_shows_what_its_view_holds(seed: int) -> None:
    at = world(seed)
    lines = [*library_pages.index(at.told)["lines"]]
    ways = [(text, f"means {text}", {}) for text in texts(3, "w")]
    lines.append({**lines[0], "title": "<b>", "version": "", "sentence": "", "notes": texts(3, "n"), "variants": ways})
    page = written(at.told, "libraries", {"lines": lines}, "libraries.html")
    assert main_of(page)[1:] == list(map(in_list, lines))


def home(view: Mapping[str, Any], proved: bool, known: Cases) -> Iterator[str]:  # noqa: FBT001 - as in the view
    libraries, cases = view["libraries"], len(view["report"].cases)
    how = f"inferred from their answers to {cases} small cases; each cell opens to the case that proves it"
    yield without_spaces(
        "The same ranking, the same measure, another number.",
        "Which choices ", "1 library makes when it computes" if libraries == 1 else f"{libraries} libraries make when they compute",
        " a ranking measure, ",
        how if proved else "as their sheets claim", ".",
    )  # fmt: skip
    if view["matrix"]:
        go = link("Two libraries side by side", view["compare"]) if view["compare"] else ""
        shown = (picker(view, ""), *table(view["matrix"], "", known), QUIET, go)
        yield without_spaces("{Libraries by choices}", *shown)
    yield without_spaces(
        "#headlines What it does to a number",
        f"{view['questions']:,} questions were asked, and {view['divided']:,} of them got more than one answer. ",
        "Each line is one answer, on a scale that all of them share. The dashed line is standard: ",
        "what trec_eval documents, on float64 scores, over all judged queries. ",
        "(a)as standard, (c)by another convention, (k)a known exception.",
        folded([card(*one) for one in view["headlines"]], 3, "", "more that lead"),
        link(f"All {cases} cases, with filters", "cases.html"),
    )


def card(row: Any, line: Any) -> str:
    asked = link(question(row.case.question), page_text.case_page(row.case.id))
    differ = f"{line.differ} of {line.asked} differ from standard"
    return without_spaces(asked, row.measure, differ, *number_line(line, ""))


@pytest.mark.parametrize("seed", range(6))
def test_the_home_page_shows_what_its_view_holds(seed: int) -> None:
    """Also where nothing leads, where so many do as are shown, where one does more, and where nothing was proved."""
    at = world(seed)
    told = replace(at.told, findings=replace(at.told.findings, proved=seed % 2 == 0))
    view = dict(overview.index(told))
    view["headlines"] = (view["headlines"] * 4)[: (0, 3, 4, 9, 2, 5)[seed]]
    if seed > 3:
        view |= {"libraries": 1, "questions": 1234567, "divided": 1234, "compare": ""}
    view |= {"matrix": None} if seed == 5 else {}
    known = with_pages(at.told)
    assert main_of(written(told, "index", view)) == list(home(view, seed % 2 == 0, known))
