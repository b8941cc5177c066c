"""The pages of libraries, measures, matrices, pairs and axes, their lists and the home page, as they are written.

Each section is what its view holds, told by plain rules.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import drawn_runs
import pytest
from filled_views import axis_with, filled, matrix_with, measure_with, texts
from seen_pages import (
    Cases,
    beginning,
    case_link,
    data,
    drawn,
    folded,
    ident,
    libraries,
    link,
    links,
    main_of,
    message,
    number_line,
    plural,
    question,
    ranking,
    some,
    whole_matrix,
    with_pages,
    without_spaces,
)
from test_drawn_site import World, world
from written_pages import assert_shows, written

from rankproof.inference.fingerprint_file import AxisFinding
from rankproof.site import page_text
from rankproof.site.pages import axis_pages, compare_pages, library_pages, measure_pages, overview
from rankproof.site.probed import Probed
from rankproof.text import short


@pytest.fixture(params=range(5))
def at(request: pytest.FixtureRequest) -> World:
    return world(request.param)


# -- a library -----------------------------------------------------------------------------------------------------------


def library(view: Mapping[str, Any], known: Cases) -> Iterator[str]:
    """The page, section by section."""
    line, ways, exceptions = view["line"], view["variants"], view["exceptions"]
    name, version = ident(line["name"]), line["version"]
    missing = "" if version else f"Not installed where these results were made. {line['why_not']}"
    notes = [f"{message(page_text.sentence(note))}." for note in line["notes"]]
    place = link("Libraries", "../libraries.html")
    yield without_spaces("{Place}", place, "/", name, ident(line["title"]), version, missing, line["sentence"], *notes)
    yield from (by_measure(view, one, known) for one in view["tables"])
    if view["past"]:
        yield history(view["past"], known)
    if len(ways) > 1:
        own = [link(ident(way["name"]), f"#{page_text.slug(way['name'])}") for way in ways]
        yield without_spaces("{Variants}", *own, link("known exceptions", "#exceptions") if exceptions else "")
    for way in ways:
        yield variant(way, known)
    if exceptions:
        told = ["•" + exception(one, known) for one in exceptions]
        yield without_spaces(
            "#exceptions Known exceptions What no profile explains: each is pinned to what was seen, and it fails the run when it moves.",
            folded(told, 6, "", f"more{data('start', 7)}"),
        )
    yield environment(line, view["sheet"])


def by_measure(view: Mapping[str, Any], table: Mapping[str, Any], known: Cases) -> str:
    line = view["line"]
    asked = f"asked by {ident(table['way'], 30)}" if len(view["variants"]) > 1 else ""
    rows = []
    for row in table["rows"]:
        more = f"[{plural(len(row.more), 'other choice')}{'; '.join(row.more)}]" if row.more else ""
        forms = folded(links(row.forms, after=f"?l={quote(line['name'])}"), 4, ", ")
        rows.append(f"¶|{forms}{more}{''.join(cell(*one, known) for one in row.cells)}")
    beside = f"Beside another library: {', '.join(links(view['compared']))}" if view["compared"] else ""
    head = "".join(f"|{title}" for title in view["columns"])
    return without_spaces("#bymeasure By measure", asked, "¶|measure", head, *rows, beside)


def cell(said: str, standard: bool, witness: str, known: Cases) -> str:  # noqa: FBT001 - as in the view
    if not said:
        return "|–"
    look = "v0" if standard else "v1"
    if witness in known:
        return f"|({look}){case_link(said, ())}→../{page_text.case_page(witness)}"
    return f"|({'open' if said == 'undetermined' else look}){said}"


def history(past: Mapping[str, Any], known: Cases) -> str:
    versions = [ident(version, 16) for version in past["versions"]]
    told = ["#history History Asked were ", ", ".join(versions), "."]
    told += [] if past["steps"] else ["No answer differs between them."]
    for step in past["steps"]:
        told.append(f"{ident(step['from'], 40)} → {ident(step['to'], 40)}{message((step['beside'] or '').strip())}")
        for one in step["changes"]:
            behind = f": {message(one['behind'])}" if one["behind"] else ""
            at = f"{case_link(one['witness']['case'], known)} {ident(one['witness']['measure'], 40)}"
            moved = f"{plural(one['answers'], 'answer')}; {at}: {message(one['before'])} → {message(one['after'])}"
            told.append(f"•{ident(one['measure'], 40)} {message(', '.join(one['variants']))}{behind}{moved}")
    if past["answers"]:
        told += ["[The same answers in every version{Answers by version}¶|question", *(f"|{one}" for one in versions)]
        for row in past["answers"]:
            asked = row["measure"] if row["query"] is None else f"{row['measure']} {row['query']}"
            told.append(f"¶|{ident(row['variant'], 30)} {case_link(row['case'], known)} {ident(asked, 40)}")
            told += [f"|{ident(said, 24)}" for said in row["by_version"]]
        told.append("]")
    return without_spaces(*told)


def variant(way: Mapping[str, Any], known: Cases) -> str:
    tally = [f"({kind[0]}){count:,} {kind}" for kind, count in way["tally"].items()]
    told = [f"#{page_text.slug(way['name'])}{ident(way['name'])}{way['means']}", *(tally or ["It answered nothing."])]
    if not (way["fingerprints"] or way["divided"] or way["probes"]):
        return without_spaces(*told)
    told.append("[All choices, each with its witness and signature")
    told.append(", and what probes found" if way["probes"] else "")
    if way["shared"]:
        told += ["In every measure that it can matter to", *(word(one, known) for one in way["shared"].values())]
    if way["fingerprints"]:
        told.append("Besides, by measure" if way["shared"] else "By measure")
        told += [group(*one, shared=bool(way["shared"]), known=known) for one in way["fingerprints"]]
    told += divided(way, known) if way["divided"] else []
    told += probes(way["probes"]) if way["probes"] else []
    return without_spaces(*told, "]")


def word(finding: AxisFinding, known: Cases) -> str:
    convention = link(f"{finding.axis}={finding.value}", f"../axes/{finding.axis}.html")
    same = f"(or {', '.join(finding.same)}: no answer tells)" if finding.same else ""
    return f"•{convention}{same}{case_link(finding.witness, known) if finding.witness in known else ''}"


def group(
    alike: Sequence[Any], found: Sequence[AxisFinding], signatures: Sequence[Any], *, shared: bool, known: Cases
) -> str:
    undecided = ", where a case decides" if any(one.undecided for one in alike) else ""
    told = [f"•{', '.join(one.key for one in alike)}:", *(word(one, known) for one in found)]
    told += [] if found else [f"{'else ' if shared else ''}as standard{undecided}"]
    for one in alike:
        if one.missed:
            why = f"{one.explained} of {one.asked} answers explained; not {len(one.missed)}"
            told.append(f"{one.key}: {why}: {message('; '.join(map(str, one.missed[:6])))}")
    told.append("[Signature" if len(alike) == 1 else "[Signatures")
    for one, others in signatures:
        told += [one.signature, f", and so {', '.join(others)}" if others else ""]
        told.append(f"No case decides {', '.join(one.undecided)}." if one.undecided else "")
    return without_spaces(*told, "]")


def divided(way: Mapping[str, Any], known: Cases) -> Iterator[str]:
    yield "It differs between its own measures"
    yield f"{{Axes on which {way['name']} differs between its measures}}¶|axis|value|in|witness"
    for axis, several in way["divided"]:
        for i, choice in enumerate(several):
            title = f"|{data('rowspan', len(several))}{link(axis, f'../axes/{axis}.html')}"
            yield f"¶{'' if i else title}|{choice.value}"
            yield f"(none)(or {', '.join(choice.others)}: no answer tells)" if choice.others else ""
            yield "(none)standard" if choice.standard else ""
            yield f"|{some(choice.keys, 8)}|{case_link(choice.witness, known)}"


def probes(found: Sequence[Probed]) -> Iterator[str]:
    yield "What probes found, without an oracle"
    for one in found:
        yield f"•{one.kind} {message(one.says)} {', '.join(one.measures)}"
        yield f"[The smallest input that shows: {beginning(one.says, 80)}{{Input}}{ident(one.input, 1200)}"
        answers = zip(one.asked, one.answers, strict=True)
        yield "; ".join(f"{message(asked)}: {message(answer)}" for asked, answer in answers) + "]"


def exception(one: Any, known: Cases) -> str:
    reason, place, count, alike = one
    told = [f"(k){reason}", link(f"Upstream: {beginning(reason, 60)}", place) if place else ""]
    told.append(f"[Seen {plural(count, 'time')}")
    for (case, name, query, answer), measures in alike:
        at = f"{case_link(case, known)} {ident(name, 30)} {', '.join(measures)} {ident(query or 'mean', 30)}"
        told.append(f"•{at}: {message(answer)}")
    return "".join([*told, "]"])


def environment(line: Mapping[str, Any], sheet: Any) -> str:
    told = ["#environment Where it was asked"]
    for one in line["asked"]:
        told.append(f"•{ident(line['name'])}:{ident(one.version)}" if len(line["asked"]) > 1 else "")
        told.append(f"•Python:{one.python}" if one.python else "")
        told += [f"•{package}:{version}" for package, version in one.dependencies.items()]
    if sheet:
        told.append(f"•the sheet speaks of:{sheet.speaks_of}•precision:{sheet.precision}")
        if sheet.versions:
            told.append("What is known of other versions:")
            told += [f"•{version.pattern} {version.known}" for version in sheet.versions]
        told.append(f"{link('Home page', sheet.homepage)}·{link('Issues', sheet.issues)}")
    return without_spaces(*told)


def check_library(at: World, view: Mapping[str, Any]) -> None:
    line = view["line"]
    about = line["sentence"] or f"What {line['title']} does when it computes ranking measures."
    assert_shows(at.told, "library", view, (line["title"], about), library(view, with_pages(at.told)))


def test_the_page_of_a_library_shows_what_its_view_holds(at: World) -> None:
    for name in at.told.library_names:
        check_library(at, library_pages.page(at.told, name))


@pytest.mark.parametrize("many", [0, 1, 2, 3, 4, 5, 6, 7, 9])
def test_the_page_of_a_library_of_which_so_much_is_known(many: int) -> None:
    at = world(0)
    name = at.told.library_names[0]
    view = library_pages.page(at.told, name)
    asked = [
        SimpleNamespace(version=text, python="3.<12>" * (i % 2), dependencies={text: f"<{i}>"})
        for i, text in enumerate(texts(many, "1."))
    ]
    own = {
        "name": "a b<&>",
        "title": "<title>",
        "version": "",
        "why_not": "no <module>",
        "sentence": "",
        "asked": asked,
        "notes": texts(many, "note"),
    }
    check_library(at, {**view, **filled(many, at.run.cases[0].id), "line": {**view["line"], **own}})


def library_in_list(line: Mapping[str, Any]) -> str:
    """A library in the list of all."""
    place = page_text.library_page(line["name"])
    told = [f"#{page_text.slug(line['name'])}", link(ident(line["title"]), place), line["version"] or "not installed"]
    told += [line["sentence"], *map(message, line["notes"])]
    told += [f"•{link(ident(way), f'{place}#{page_text.slug(way)}')}{means}" for way, means, _ in line["variants"]]
    return without_spaces(*told)


def test_the_list_of_libraries_shows_what_its_view_holds(at: World) -> None:
    lines = [*library_pages.index(at.told)["lines"]]
    ways = [(text, f"means {text}", {}) for text in texts(3, "w")]
    lines.append({**lines[0], "title": "<b>", "version": "", "sentence": "", "notes": texts(3, "n"), "variants": ways})
    page = written(at.told, "libraries", {"lines": lines}, "libraries.html")
    assert main_of(page)[1:] == list(map(library_in_list, lines))


# -- the home page --------------------------------------------------------------------------------------------------


def home(view: Mapping[str, Any], proved: bool, known: Cases) -> Iterator[str]:  # noqa: FBT001 - as in the view
    libraries, cases = view["libraries"], len(view["report"].cases)
    how = f"inferred from their answers to {cases} small cases; each cell opens to the case that proves it"
    who = "1 library makes when it computes" if libraries == 1 else f"{libraries} libraries make when they compute"
    lead = f"Which choices {who} a ranking measure, {how if proved else 'as their sheets claim'}."
    yield without_spaces("The same ranking, the same measure, another number.", lead)
    if view["matrix"]:
        yield without_spaces("{Libraries by choices}", *whole_matrix(view, "", known))
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


def test_the_page_of_a_measure_shows_what_its_view_holds(at: World) -> None:
    for name in at.told.measures:
        check_measure(at, measure_pages.page(at.told, name))


@pytest.mark.parametrize("many", [0, 1, 2, 3, 6, 7, 9])
def test_the_page_of_a_measure_of_which_so_much_is_known(many: int) -> None:
    at = world(0)
    view = measure_pages.page(at.told, at.told.measures[many])
    check_measure(at, {**view, **measure_with(many, at.run.cases)})


def measure_in_list(line: Mapping[str, Any]) -> str:
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
    of_runs, of_labels = (map(measure_in_list, view[part]) for part in ("of_runs", "of_labels"))
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
    return without_spaces(title, ": which library does what", alike, plain, *whole_matrix(view, "../", known))


def check_matrix(at: World, view: Mapping[str, Any]) -> None:
    name = view["matrix"].measure
    about = f"Which choices libraries make when they compute {name}: ties, gain, ideal, empty queries; each cell proved by a small case."
    head = f"{name}: which library does what", about
    assert_shows(at.told, "matrix", view, head, [of_form(view, with_pages(at.told))])


def test_the_page_of_a_matrix_shows_what_its_view_holds(at: World) -> None:
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


def test_the_page_of_pairs_shows_what_its_view_holds(at: World) -> None:
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


def test_the_page_of_an_axis_shows_what_its_view_holds(at: World) -> None:
    for name in drawn_runs.FOUND_ON:
        check_axis(at, axis_pages.page(at.told, name))


@pytest.mark.parametrize("many", [0, 1, 2, 3, 4, 6, 7, 12, 13])
def test_the_page_of_an_axis_that_so_many_take(many: int) -> None:
    at = world(0)
    view = axis_pages.page(at.told, ("known", "gain", "allrel")[many % 3])
    check_axis(at, {**view, **axis_with(many, view["axis"], at.run.cases)})


def test_the_list_of_axes_shows_what_its_view_holds(at: World) -> None:
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
