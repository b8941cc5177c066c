"""The pages of axes, and their list, as they are written: each section is what its view holds, told by plain rules."""

from collections.abc import Iterator, Mapping
from typing import Any

import drawn_runs
import pytest
from filled_views import axis_with
from seen_pages import (
    Cases,
    case_link,
    drawn,
    head_of,
    ident,
    libraries,
    link,
    main_of,
    number_line,
    question,
    ranking,
    some,
    with_pages,
    without_spaces,
)
from test_drawn_site import World, world
from written_pages import written

from rankproof.site import page_text
from rankproof.site.pages import axis_pages
from rankproof.text import short


def axis(view: Mapping[str, Any], known: Cases) -> Iterator[str]:
    """The page, section by section."""
    one = view["axis"]
    lead = f"The axis {one.name}; in standard, {one.meaning(one.default)}."
    yield without_spaces("{Place}", link("Axes", "../axes.html"), "/", view["stage"], one.question, lead)
    if view["smallest"]:
        case, line, rankings = (view["smallest"][key] for key in ("case", "line", "rankings"))
        asked = link(question(case.question), f"../{page_text.case_page(case.id)}")
        rows = [part for each in rankings for part in ranking(each)]
        yield without_spaces("#example The smallest example", asked, line.measure, *rows, *number_line(line, "../"))
    if view["together"]:
        rows = [f"¶|{knows}|{ideal}|{libraries(who)}" for knows, ideal, who in view["together"]]
        also = f"See {link('known', 'known.html')}, {link('ideal', 'ideal.html')}."
        title = "#together What is known, and what the ideal is made of"
        yield without_spaces(title, "¶|judgments it knows|ideal made of|who", *rows, also)
    yield without_spaces("#values The values, and who takes which", *values(view, known), *undetermined(view))
    if view["curves"]:
        yield without_spaces("#drawn Drawn", *curves(view["curves"]))
    if view["formulas"]:
        told = [f"{', '.join(of)}{{The formula of {', '.join(of)}}}{text}" for text, of in view["formulas"]]
        yield without_spaces("#formula The formula", *told)
    if view["deciding"]:
        cases = [f"•{link(question(one.question), f'../{page_text.case_page(one.id)}')}" for one in view["deciding"]]
        yield without_spaces("#deciding Cases that decide it", *cases)


def values(view: Mapping[str, Any], known: Cases) -> Iterator[str]:
    default = view["axis"].default
    yield "In brackets: what it may do as well, as no answer tells."
    for value, means, takers, effect in view["values"]:
        yield f"{'(taken)' if takers else ''}#v-{page_text.slug(value)}{value}"
        yield f"{'(tag-std)standard' if value == default else ''}{means}"
        if effect and effect.largest:
            case, _, asked = effect.witness.partition(" ")
            moved = f"alone, it moved a value by up to {short(effect.largest)}: {case_link(case, known)} {asked}"
            yield bar(round(100 * effect.largest, 2)) + moved
        yield f"{effect.rows:,} answer{'' if effect.rows == 1 else 's'} explained by it" if effect else ""
        if not takers:
            yield "(none)nobody here"
            continue
        yield f"[{'(unfolded)' if len(takers) <= 12 and value != default else ''}{view['taken_by'][value]}"
        yield from (f"•{taker(view, *one, known=known)}" for one in takers)
        yield "]"


def bar(width: float) -> str:
    return drawn("svg", "100%", 8) + drawn("rect", "100%", 8) + drawn("rect", f"{width}%", 8)


def who(view: Mapping[str, Any], variant: tuple[str, str]) -> str:
    place = f"../libraries/{page_text.slug(variant[0])}.html#{page_text.slug(variant[1])}"
    return link(ident(view["names"].get(variant, variant[0])), place)


def taker(view: Mapping[str, Any], variant: tuple[str, str], choice: Any, others: tuple[str, ...], known: Cases) -> str:
    keys = f"in {some(choice.keys, 3)}" if variant in view["divided"] else ""
    also = f"(or {', '.join(others)})" if others else ""
    return who(view, variant) + keys + also + (case_link(choice.witness, known) if choice.witness in known else "")


def undetermined(view: Mapping[str, Any]) -> Iterator[str]:
    if view["undetermined"]:
        yield "#undetermined Undetermined"
    for variant, choice in view["undetermined"]:
        yield f"•{who(view, variant)} in {some(choice.keys, 6)}{f': {choice.why}' if choice.why else ''}"


def curves(chart: Any) -> Iterator[str]:
    yield drawn("svg", "0 0 640 220") + f"{{{chart.title}}}"
    for y, text in chart.up:
        yield drawn("line", 44, 544, y, y) + drawn("text", 36, y + 4) + text
    for x, text in chart.across:
        yield drawn("text", x, 204) + text
    yield drawn("text", 544, 218) + chart.below
    for i, curve in enumerate(chart.curves, start=1):
        yield f"(c{i})" + drawn("polyline", curve.points) + "".join(drawn("circle", x, y) for x, y in curve.dots)
        yield drawn("text", curve.label[0], curve.label[1] + 4) + curve.value
    yield f"{chart.title}[The same in numbers{{The curves in numbers}}¶|{chart.below}"
    yield from (f"|(n){text}" for _, text in chart.across)
    for value, numbers in chart.table:
        yield f"¶|{value}" + "".join(f"|(n){number}" for number in numbers)
    yield "]"


def check_axis(at: World, view: Mapping[str, Any]) -> None:
    page = written(at.told, "axis", view, "axes/x.html")
    name, asks = view["axis"].name, view["axis"].question
    about = f"{asks} The values of the axis {name}, the smallest example, and which library takes which."
    assert head_of(page) == (without_spaces(view["label"], f"({name})"), without_spaces(about))
    assert main_of(page) == list(axis(view, with_pages(at.told)))


@pytest.mark.parametrize("seed", range(3))
def test_the_page_of_an_axis_shows_what_its_view_holds(seed: int) -> None:
    at = world(seed)
    for name in drawn_runs.FOUND_ON:
        check_axis(at, axis_pages.page(at.told, name))


@pytest.mark.parametrize("many", [0, 1, 2, 3, 4, 6, 7, 12, 13])
def test_the_page_of_an_axis_that_so_many_take(many: int) -> None:
    at = world(0)
    view = axis_pages.page(at.told, "gain" if many % 2 else "known")
    check_axis(at, {**view, **axis_with(many, view["axis"], at.run.cases)})


@pytest.mark.parametrize("seed", range(3))
def test_the_list_of_axes_shows_what_its_view_holds(seed: int) -> None:
    at = world(seed)
    stages = [(title, list(lines)) for title, lines in axis_pages.index(at.told)["stages"]]
    wanted = []
    for i, (title, lines) in enumerate(stages, start=1):
        told = [f"#s{i}{title}"]
        for line in lines:
            name = line["axis"].name
            told.append(f"•{link(name, f'axes/{name}.html')}{line['axis'].question}")
            told += line["values"] or ["(none)nobody here shows it"]
            moved = f"{bar(line['width'])}up to {short(line['largest'])}"
            told.append(moved if line["largest"] else "(none)no number moved alone")
        wanted.append(without_spaces(*told))
    assert main_of(written(at.told, "axes", {"stages": stages}, "axes.html"))[1:] == wanted
