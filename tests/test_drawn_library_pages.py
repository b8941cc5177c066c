"""The page of a library, their list and the home page, as they are written: each section is what its view holds, told by plain rules."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from filled_views import filled, texts
from seen_pages import (
    QUIET,
    Cases,
    beginning,
    case_link,
    data,
    folded,
    ident,
    link,
    links,
    main_of,
    message,
    number_line,
    picker,
    plural,
    question,
    some,
    table,
    with_pages,
    without_spaces,
)
from test_drawn_site import World, world
from written_pages import assert_shows, written

from rankproof.inference.fingerprint_file import AxisFinding
from rankproof.site import page_text
from rankproof.site.pages import library_pages, overview
from rankproof.site.probed import Probed

# -- the page of a library ----------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("seed", range(5))
def test_the_page_of_a_library_shows_what_its_view_holds(seed: int) -> None:
    at = world(seed)
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
        "name": "a b<&>", "title": "<title>", "version": "", "why_not": "no <module>", "sentence": "", "asked": asked,
        "notes": texts(many, "note"),
    }  # fmt: skip
    check_library(at, {**view, **filled(many, at.run.cases[0].id), "line": {**view["line"], **own}})


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
    who = "1 library makes when it computes" if libraries == 1 else f"{libraries} libraries make when they compute"
    lead = f"Which choices {who} a ranking measure, {how if proved else 'as their sheets claim'}."
    yield without_spaces("The same ranking, the same measure, another number.", lead)
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
