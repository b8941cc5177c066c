"""The pages of measures, matrices, pairs and axes, as they are written: each section is what its view holds, told by plain rules."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import drawn_runs
import pytest
from filled_views import axis_with, matrix_with, measure_with
from seen_pages import (
    QUIET,
    Cases,
    case_link,
    data,
    drawn,
    folded,
    ident,
    libraries,
    link,
    links,
    main_of,
    number_line,
    picker,
    question,
    ranking,
    some,
    table,
    with_pages,
    without_spaces,
)
from test_drawn_site import World, world
from written_pages import assert_shows, written

from rankproof.site import page_text
from rankproof.site.pages import axis_pages, compare_pages, measure_pages, overview
from rankproof.text import short

# -- a measure ----------------------------------------------------------------------------------------------------------


def measure(view: Mapping[str, Any]) -> Iterator[str]:
    """The page, section by section."""
    elsewhere = f"Elsewhere it is called {', '.join(view['elsewhere'])}." if view["elsewhere"] else ""
    formulas = [f"{{The formula}}{text}" for kind, text in view["said"] if kind == "formula"]
    place = link("Measures", "../measures.html")
    yield without_spaces("{Place}", place, "/", view["written"], view["name"], view["what"], elsewhere, *formulas)
    if view["example"]:
        yield without_spaces("#drawn Drawn", *example(view["example"]))
    if view["whys"] or view["disputes"]:
        yield without_spaces("#disputed Why yours may be higher or lower than theirs", *disputed(view))
    if view["forms"]:
        yield without_spaces("#who Who computes what", *computed(view))
    axes = [link(text.lower(), f"../axes/{axis}.html") for axis, text in view["axes"]]
    yield without_spaces("#choices The choices that can matter to it", " · ".join(axes))
    yield from (without_spaces("#source Sources", text) for kind, text in view["said"] if kind == "source")


def example(of: Any) -> Iterator[str]:
    top, high = (0, 130) if of.discounted else (50, 80)
    for ranked in of.rankings:
        yield drawn("svg", f"0 {top} {of.width} {high}", f"max-width:{of.width * 1.5}px")
        said = ", ".join(f"rank {bar.rank} has doc {bar.doc} of rel {bar.rel}" for bar in ranked.bars)
        yield f"{{{ranked.title}: {said}}}"
        for bar in ranked.bars:
            yield "" if bar.within else "(beyond)"
            if of.discounted:
                yield drawn("rect", bar.x, 92 - bar.gain, 44, bar.gain) + "(gain)"
                yield drawn("rect", bar.x, 92 - bar.worth, 44, bar.worth) + "(worth)"
                yield drawn("text", bar.x + 22, 88 - bar.gain) + (bar.share if bar.within else "")
            else:
                yield drawn("circle", bar.x + 22, 74) + ("(worth)" if bar.relevant else "(none)")
            yield f"{drawn('text', bar.x + 22, 108)}{bar.doc}: {bar.rel}{drawn('text', bar.x + 22, 123)}{bar.rank}"
        yield ranked.title + (f": {ranked.sum}" if of.discounted else "")
    yield "Each doc with its rel, and below it its rank; ? is a doc without a judgment."
    yield "The pale bar is the gain, the full one what the discount leaves of it." if of.discounted else ""
    yield f"It is cut at rank {of.cut}." if of.cut else ""
    yield f"Doc {of.lost[0]} of rel {of.lost[1]} was not retrieved. By standard {of.measure} is {of.value}."


def disputed(view: Mapping[str, Any]) -> Iterator[str]:
    for kind, text in view["said"]:
        if kind == "disputed lines":
            yield f"{{What is disputed, choice by choice}}{text}"
        elif kind in {"disputed", "text"}:
            yield page_text.sentence(text).replace("`", "")
    if view["disputes"]:
        yield "Questions to which the libraries give different answers¶|question|who says what"
    for one in view["disputes"]:
        says = [f"{said.shown}{', '.join(ident(who) for v in said.voices for who in v.who)}" for said in one.sayings]
        asked = link(question(one.case.question), f"../{page_text.case_page(one.case.id)}")
        yield f"¶|{asked}{one.measure}|{'; '.join(says)}"


def computed(view: Mapping[str, Any]) -> Iterator[str]:
    for _, shown, place, groups in view["forms"][:6]:
        yield link(shown, f"../{place}")
        yield from (f"•{libraries(people)}{clauses or 'as in standard'}" for people, clauses in groups)
    others = ["•" + one for one in links((shown, place) for _, shown, place, _ in view["forms"][6:])]
    yield folded(others, 0, "", "more forms")
    yield f"Two libraries side by side: {', '.join(links(view['compared']))}" if view["compared"] else ""


def check_measure(at: World, view: Mapping[str, Any]) -> None:
    about = "Its formula, what is disputed with the numbers, and which library computes what."
    head = view["name"], f"{view['name']}: {view['what']} {about}"
    assert_shows(at.told, "measure", view, head, measure(view))


@pytest.mark.parametrize("seed", range(3))
def test_the_page_of_a_measure_shows_what_its_view_holds(seed: int) -> None:
    at = world(seed)
    for name in at.told.measures:
        check_measure(at, measure_pages.page(at.told, name))


@pytest.mark.parametrize("many", [0, 1, 2, 3, 6, 7, 9])
def test_the_page_of_a_measure_of_which_so_much_is_known(many: int) -> None:
    at = world(0)
    view = measure_pages.page(at.told, at.told.measures[many])
    check_measure(at, {**view, **measure_with(many, at.run.cases)})


def in_list(line: Mapping[str, Any]) -> str:
    """A measure in the list of all."""
    forms = folded(links(line["forms"], ""), 4, ", ")
    asked = f"{line['count']} {'library' if line['count'] == 1 else 'libraries'}: {forms}"
    name = link(line["name"], page_text.measure_page(line["name"]))
    elsewhere = ", ".join(line["elsewhere"])
    return f"•{name}{elsewhere}{line['what']}{asked if forms else '(none)no library here computes it'}"


@pytest.mark.parametrize("many", [0, 1, 3, 4, 5, 7])
def test_the_list_of_measures_shows_what_its_view_holds(many: int) -> None:
    view = dict(measure_pages.index(world(0).told))
    forms = [(f"<{i}>", f"matrix/{i}.html") for i in range(many)]
    view["of_runs"] = [*view["of_runs"], {**view["of_runs"][0], "count": many, "forms": forms}]
    of_runs, of_labels = (map(in_list, view[part]) for part in ("of_runs", "of_labels"))
    parts = ("Measures#m1Of a run, by qrels", *of_runs, "#m2Of two labelings of the same items", *of_labels)
    assert main_of(written(world(0).told, "measures", view, "measures.html")) == [without_spaces(*parts)]


# -- a matrix, and pairs ------------------------------------------------------------------------------------------------


def of_form(view: Mapping[str, Any], known: Cases) -> str:
    """The page of a form of a measure."""
    matrix, base = view["matrix"], view["base"]
    title = link(matrix.measure, f"../measures/{page_text.slug(view['measure'])}.html")
    alike = f"The same holds of {', '.join(matrix.alike)}." if matrix.alike else ""
    end = "" if matrix.groups else ": none"
    same = f"Each library does here what it does in {link(base[0], f'../{base[1]}')}" if base else ""
    plain = f"{same}, but for these choices{end}." if base else ""
    go = link("Two libraries side by side", f"../{view['compare']}") if view["compare"] else ""
    shown = (picker(view, "../"), *table(matrix, "../", known), QUIET, go)
    return without_spaces(title, ": which library does what", alike, plain, *shown)


def check_matrix(at: World, view: Mapping[str, Any]) -> None:
    name = view["matrix"].measure
    about = f"Which choices libraries make when they compute {name}: ties, gain, ideal, empty queries; each cell proved by a small case."
    head = f"{name}: which library does what", about
    assert_shows(at.told, "matrix", view, head, [of_form(view, with_pages(at.told))])


@pytest.mark.parametrize("seed", range(3))
def test_the_page_of_a_matrix_shows_what_its_view_holds(seed: int) -> None:
    at = world(seed)
    for view in (overview.page(at.told, key) for key in at.told.forms):
        check_matrix(at, view)
    check_matrix(at, {**view, "matrix": replace(view["matrix"], groups=()), "base": ("<b>", "matrix/b.html")})


@pytest.mark.parametrize("many", [0, 1, 2, 3])
def test_the_page_of_a_matrix_that_so_much_is_the_same_of(many: int) -> None:
    at = world(1)
    view = overview.page(at.told, at.told.forms[0])
    check_matrix(at, {**view, "matrix": matrix_with(many, view["matrix"], at.run.cases)})


def pairs(view: Mapping[str, Any]) -> Iterator[str]:
    """The page on which any two libraries are compared."""
    current = view["current"]
    own = ["(current)" * (key == current) + link(shown, f"../{place}") for key, shown, place in view["forms"]]
    options = "".join(f"•{{{side.library}}}{side.title}" for side in view["sides"])
    told = json.dumps(view["data"], separators=(",", ":"))
    for sign in "<>&":
        told = told.replace(sign, rf"\u{ord(sign):04x}")
    title = f"{view['measure']}: two libraries side by side"
    chosen = ("One#one", options, "the other#other", options, "#pair#duels", data("measure", view["measure"]))
    yield without_spaces(title, "{Measure}", *own, *chosen, told)
    rows = ["¶|", *(f"|{ident(side.title, 24)}" for side in view["sides"])]
    for side in view["sides"]:
        place = f"../libraries/{page_text.slug(side.library)}.html"
        rows.append(f"¶|{link(ident(side.title, 24), place)}{ident(side.way, 20)}")
        for other in view["sides"]:
            pair = "--".join(sorted((side.library, other.library)))
            both = f"../{view['matrix_page']}?l={quote(side.library)},{quote(other.library)}&d=1"
            count = data("pair", pair) + link(view["counts"].get(pair), both)
            rows.append(f"|(n){count if pair in view['counts'] else ''}")
    go = link("All libraries at once", f"../{view['matrix_page']}")
    yield without_spaces("#counts How many choices any two make differently", *rows, go)


def check_pairs(at: World, view: Mapping[str, Any]) -> None:
    about = f"What any two libraries do differently when they compute {view['measure']}, the biggest difference first,"
    told = f"{about} each with the case that shows it and both numbers."
    assert_shows(at.told, "compare", view, (f"{view['measure']}: two libraries side by side", told), pairs(view))


@pytest.mark.parametrize("seed", range(3))
def test_the_page_of_pairs_shows_what_its_view_holds(seed: int) -> None:
    at = world(seed)
    for view in (compare_pages.page(at.told, key) for key in at.told.compared):
        check_pairs(at, view)
    sides = [
        replace(view["sides"][i], library=name, title=f"<{name}>" * 9, way=f"<{i}>" * i)
        for i, name in enumerate(["a b&c", "d"])
    ]
    check_pairs(at, {**view, "sides": sides, "counts": {"a b&c--d": 7}, "data": {"a": "</script>&"}})


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
    name, asks = view["axis"].name, view["axis"].question
    about = f"{asks} The values of the axis {name}, the smallest example, and which library takes which."
    assert_shows(at.told, "axis", view, (f"{view['label']} ({name})", about), axis(view, with_pages(at.told)))


@pytest.mark.parametrize("seed", range(3))
def test_the_page_of_an_axis_shows_what_its_view_holds(seed: int) -> None:
    at = world(seed)
    for name in drawn_runs.FOUND_ON:
        check_axis(at, axis_pages.page(at.told, name))


@pytest.mark.parametrize("many", [0, 1, 2, 3, 4, 6, 7, 12, 13])
def test_the_page_of_an_axis_that_so_many_take(many: int) -> None:
    at = world(0)
    view = axis_pages.page(at.told, ("known", "gain", "allrel")[many % 3])
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
