"""Pages as they are written, read back into rows and compared with what they were made of: the templates."""

import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from types import SimpleNamespace
from typing import Any

import pytest
from test_drawn_site import World, world
from written_pages import words, written

from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.site.lines import Line, NumberLine, Voice
from rankproof.site.page_text import case_page, ident, sentence
from rankproof.site.pages import case_pages, library_pages, measure_pages

MANY = 6
"""So many libraries that do as standard are counted, and no more named."""


def squeezed(text: str) -> str:
    """Without spaces, of which tags leave more or fewer."""
    return "".join(words(text).split())


def called(text: str, most: int = 1000) -> str:
    """A name as it is shown."""
    return words(str(ident(text, most)))


def listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def few(specs: Sequence[str]) -> str:
    """The first four."""
    return listed(specs[:4]) + (f" and {len(specs) - 4} more" if len(specs) > 4 else "")


def named(libraries: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Each library with its variants."""
    return listed(
        called(library, 30) + (f" ({listed(called(one, 30) for one in variants)})" if variants else "")
        for library, variants in libraries
    )


# -- a case -------------------------------------------------------------------------------------------------------------


def brief(answer: Line) -> str:
    """Who gives an answer and why."""
    parts = []
    for mark, conventions, libraries in answer.brief:
        whole = sum(not variants for _, variants in libraries)
        said = named(libraries)
        if mark == "agrees" and whole > MANY:
            others = named(one for one in libraries if one[1])
            said = listed([f"{whole} libraries", others] if others else [f"{whole} libraries"])
        why = f" by {' '.join(conventions)}" if conventions else " known exception" if mark == "known" else ""
        parts.append(said + why)
    return "; ".join(parts)


def voice_of(voice: Voice) -> str:
    note = f": {voice.note}" if voice.note else ""
    why = {
        "agrees": "", "convention": f"by {' '.join(voice.conventions)}", "known": f"known exception{note}",
        "fails": f"{voice.verdict}{note}", "undefined": f"observed{note}",
    }  # fmt: skip
    return f"{named(voice.by_library)} {why[voice.mark]} {voice.error}"


def line_of(line: NumberLine) -> str:
    """The scale, and each value with who gives it and who else would."""
    said = [] if line.unit else [shown for _, shown in line.ticks]
    for answer in line.lines:
        said += [called(answer.shown, 24), "standard" if answer.standard else "", *map(voice_of, answer.voices)]
        if not answer.voices:
            said.append("no one here" + (f"; the reference by {few(answer.unsaid)}" if answer.unsaid else ""))
        elif answer.unsaid:
            said.append(f"also the reference by {few(answer.unsaid)}")
    return " ".join(said)


def by_query(queries: Sequence[tuple[str, NumberLine]]) -> str:
    said = ["By query", "query value who"] if queries else []
    for query, one in queries:
        answers = [(answer.shown, "all" if one.unanimous else brief(answer)) for answer in one.lines if answer.voices]
        said += [called(query, 30), *chain.from_iterable(answers)]
    return " ".join(said)


def sums(arithmetic: Any) -> str:
    said = ["The arithmetic"] if arithmetic else []
    for specs, each in arithmetic:
        said.append(listed(specs))
        said += [f"{query} {text}" + (f" = {value}" if value not in {"", text} else "") for query, text, value in each]
    return " ".join(said)


def measure_of(case: Case, view: Any) -> str:
    """A measure that has a number line."""
    line = view["line"]
    if case.undefined:
        said = "No answer is right; these were observed."
    else:
        said = f"{line.differ} of {line.asked} differ from standard" if line.asked else "No library here is asked it."
    over = f" · over {len(case.queries)} queries" if len(case.queries) > 1 else ""
    return f"{line.measure} {said}{over} {line_of(line)} {by_query(view['queries'])} {sums(view['arithmetic'])}"


def of_others(view: Any, repeated: Mapping[str, str]) -> str:
    """What all say to measures that have none."""
    line, said = view["line"], []
    for answer in line.lines:
        is_above = answer.shown == "error" and line.measure in repeated
        who = f"those of {repeated.get(line.measure)}" if is_above else brief(answer)
        said += [f"{answer.shown} {who}"] if answer.voices else []
    return f"{line.differ} of {line.asked} {' '.join(said)} {sums(view['arithmetic'])}"


def answers_of(view: Any) -> str:
    case = view["case"]
    said = ["The answers", *(f"{name}: {told}" for name, told in view["notes"])]
    said += [measure_of(case, one) for one in view["views"]]
    if view["listed"]:
        said.append(
            "The other measures Who does as standard: the list of cases, measure by measure. measure differ who says what"
        )
        said += [f"{listed(measures)} {of_others(one, view['repeated'])}" for measures, one in view["listed"]]
    if view["agreed"]:
        said.append(f"{'Besides, nobody' if view['views'] else 'Nobody'} differs in measure value expected who")
    for measures, one in view["agreed"]:
        answer = one["line"].lines[0]
        texts = [text for _, each in one["arithmetic"][:1] for _, text, _ in each]
        nobody = "" if answer.voices else "no library here is asked it"
        said.append(f"{listed(measures)} {answer.shown} {listed(texts)} {brief(answer)} {nobody}")
    return " ".join(said)


def head_of(view: Any) -> str:
    case = view["case"]
    differ = f"{view['differ']} of {view['asked']} differ from standard somewhere in it"
    source = f"Source: {case.source}" if case.source != "own" else ""
    return " ".join([
        "Cases /", called(case.id), sentence(case.question), differ if view["asked"] else "nobody answered",
        *case.tags, case.why, source,
    ])  # fmt: skip


def rank_of(drawn: Any, row: Any) -> str:
    """A row of a ranking."""
    place, last = row.place, row.last
    tie = f"{place.tied} tied" if drawn.ties and row.span and place.tied > 1 else ""
    if row.count > 1:
        docs = f"{row.count} docs, {called(place.doc, 16)} to {called(last.doc, 16)}"
        score = place.score if place.score == last.score else ""
        return f"{place.rank}–{last.rank} {docs} {score} {tie} unjudged 0 0"
    if place.rank is None:
        return f"– {place.doc} not retrieved {place.rel}"
    at = f"{place.rank} cut @{place.rank}" if place.cut else str(place.rank)
    return f"{at} {place.doc} {place.score} {tie} {place.rel or 'unjudged'} {place.gain} {place.discount} {place.worth}"


def ranking_of(drawn: Any) -> str:
    tied = "tied" if drawn.ties else ""
    said = ["query", drawn.query, drawn.remark]
    if drawn.places:
        said += [
            f"rank doc score {tied} rel gain discount gain / discount",
            *(rank_of(drawn, row) for row in drawn.shown),
        ]
    return " ".join([*said, f"… and {drawn.left_out} more" if drawn.left_out else ""])


def crossed_of(crossed: Any) -> str:
    """Two labelings."""
    said = ["How many items have which pair of labels."]
    if not crossed.true:
        return f"{said[0]} There are no items."
    said += [f"cluster {called(label, 20)}" for label in crossed.predicted[:24]]
    for label, counts in zip(crossed.true[:24], crossed.counts, strict=False):
        said.append(f"class {called(label, 20)} {' '.join(map(str, counts[:24]))}")
    classes, clusters = len(crossed.true), len(crossed.predicted)
    if max(classes, clusters) > 24:
        said.append(f"The first 24 of {classes} classes and {clusters} clusters.")
    return " ".join(said)


AS_STANDARD = "The ranking As standard ranks: by score, tied docs by docid, descending. The gain is linear, the discount log2(1 + rank)."


def text_of(view: Any) -> str:
    """All that a reader sees of a case, but for what stands on every page."""
    crossed = view["crossed"]
    below = (
        f"The labelings {crossed_of(crossed)}"
        if crossed
        else " ".join([AS_STANDARD, *map(ranking_of, view["rankings"])])
    )
    if view["repros"]:
        command, measure = view["repros"][0].command, view["repro_measure"]
        below += f"See it yourself rankproof repro prints a script that shows a library’s answer to {measure}, and needs only that library."
        below += f"{command[0]} LIBRARY {command[1]} where LIBRARY is one of {' '.join(one.library for one in view['repros'])}"
        below += f"The input, as Python {view['data']}"
    around = [called(one) for one in (view["previous"], view["next"]) if one]
    return "".join(" ".join([head_of(view), answers_of(view), below, *around]).split())


def links_of(page: str) -> list[str]:
    """Where the links to other cases lead."""
    return re.findall(
        r"<a(?: class=next)? href=\.\./([^ >]+)>", page.partition("<nav class=turn")[2].partition("</nav>")[0]
    )


def assert_shown(at: World, view: Any) -> None:
    page = written(at.told, "case", view, "cases/x.html").replace("log<sub>2</sub>", "log2")
    shown = re.sub(
        r"<script.*?</script>", "", page[page.index("<nav class=crumbs") : page.index("</main>")], flags=re.DOTALL
    )
    assert squeezed(shown) == squeezed(html.escape(text_of(view)))
    assert links_of(page) == [case_page(one).removeprefix("cases/") for one in (view["previous"], view["next"]) if one]
    assert f"<title>{html.escape(sentence(view['case'].question))[:40]}" in page
    assert [int(many) for many in re.findall(r"<th scope=row rowspan=(\d+)", page)] == [
        one.answers for each in view["views"] for _, one in each["queries"] if one.answers
    ]
    rows = [row for one in view["rankings"] if one.ties for row in one.shown]
    assert [int(many) for many in re.findall(r"class=tie rowspan=(\d+)", page)] == [
        row.span for row in rows if row.span and row.place.tied > 1
    ]
    assert page.count("<tr class=cutoff>") == sum(row.place.cut for one in view["rankings"] for row in one.shown)
    rels = sum(row.place.relevant for one in view["rankings"] for row in one.shown if row.count == 1)
    assert page.count("<td class=rel>") == rels


REPROS = [
    SimpleNamespace(library=name, command=("rankproof repro x --library ", " -m P@2"))
    for name in ("west", "a<b>", "mid")
]
LABELS = {
    count: SimpleNamespace(
        true=[f"t{i}" for i in range(count)], predicted=[f"p{i}" for i in range(count + 1)],
        counts=[[(i + j) % 3 for j in range(count + 1)] for i in range(count)],
    )
    for count in (0, 2, 23, 24, 25)
}  # fmt: skip


@pytest.fixture
def _no_repros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case_pages, "repros", lambda *_: [])  # what is drawn has no adapters


@pytest.mark.usefixtures("_no_repros")
@pytest.mark.parametrize("seed", range(6))
def test_the_page_of_a_case_shows_what_its_view_holds(seed: int) -> None:
    at = world(seed)
    for case in at.run.cases:
        view = dict(case_pages.page(at.told, case))
        assert_shown(at, view)
        others = view["listed"] or [(["P@5", "RR"], one) for one in view["views"]]
        assert_shown(at, view | {"agreed": others[:2], "asked": 0, "notes": [("west", "a <b> copy"), ("mid", "2.1")]})
        repros = {
            "repros": REPROS,
            "repro_measure": "P@2",
            "native": ["west"],
            "data": "qrels = {'<q>': 1}",
            "scripts": {},
        }
        assert_shown(at, view | repros | {"views": [], "agreed": others[:1]})
        page = written(at.told, "case", view | repros | {"scripts": {"west": "1 < 2"}}, "cases/x.html")
        assert "data-measure=P@2 data-native=west" in page.replace('"', "")
        assert json.loads(re.findall(r"id=scripts>(.*?)</script>", page)[0]) == {"west": "1 < 2"}


MANY_SPECS = tuple(f"gain={one}" for one in ("exp", "binary", "a<b", "linear", "map:1=2", "x"))


@pytest.mark.usefixtures("_no_repros")
@pytest.mark.parametrize(("specs", "libraries"), [(4, 6), (5, 7), (6, 9), (0, 1), (3, 0)])
def test_many_libraries_that_do_as_standard_are_counted_and_conventions_beyond_the_fourth(
    specs: int, libraries: int
) -> None:
    at = world(2)
    names = [*((f"lib{i}", "", f"lib{i}") for i in range(libraries)), ("west", "rows", "west/rows")]
    voices = (
        Voice(tuple(names), "agrees", (), "", "", "agrees"),
        Voice((("a<b", "", "a<b"),), "known", (), "it is <so>", "", "known-exception"),
    )
    lines = (
        Line(".5", 50.0, standard=True, voices=voices, specs=("standard", *MANY_SPECS[:specs])),
        Line("1", None, standard=False, voices=(), specs=MANY_SPECS[:specs]),
    )
    line = NumberLine("P@2", lines, ((0.0, "0"), (100.0, "2")), 9, 1, 50.0)
    one = {"line": line, "queries": [("q<1>", line)], "arithmetic": []}
    view = dict(case_pages.page(at.told, at.run.cases[0]))
    assert_shown(at, view | {"views": [one], "listed": [(["P@2", "P@3"], one)], "agreed": [(["RR"], one)]})


@pytest.mark.usefixtures("_no_repros")
@pytest.mark.parametrize("count", [*LABELS])
def test_the_page_of_labelings_counts_each_pair_of_them(count: int) -> None:
    at = world(1)
    case = replace(
        at.run.cases[0], input=Input(true=(0, 1), predicted=(1, 1)), source="a paper", tags=("labels", "b<i>")
    )
    view = dict(case_pages.page(at.told, at.run.cases[0])) | {
        "case": case,
        "crossed": LABELS[count],
        "rankings": [],
        "views": [],
        "listed": [],
    }
    assert_shown(at, view)


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
