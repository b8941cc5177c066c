"""What is seen of a page, as one text: words, where links lead, what is drawn, and what folds, rows and lines there are."""

import html
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rankproof.site import page_text
from rankproof.site.lines import Line, NumberLine
from rankproof.site.matrix import Column, FormMatrix, WayOnAxis
from rankproof.site.page_sources import Told
from rankproof.site.rankings import Drawn, Shown

SIGNS = dict.fromkeys(["li", "dt", "option"], "•") | {
    "tr": "¶",
    "td": "|",
    "th": "|",
    "dd": ":",
    "details": "[",
    "/details": "]",
}
LOOKS = {
    *["v0", "v1", "open", "std", "tag-std", "x", "same", "taken", "none", "beyond", "gain", "worth", "rel", "cutoff"],
    *"ackfunz",
    *(f"c{i}" for i in range(1, 10)),
}
"""The classes that a reader tells apart."""
DRAWN = ("use", "line", "rect", "circle", "text", "polyline", "svg", "ul")
PLACES = ("href", "viewBox", "style", "x", "y", "cx", "cy", "x1", "x2", "y1", "y2", "width", "height", "points")
"""Where what is drawn stands."""
Cases = frozenset[str]
EVIL = [
    "<script>window.hacked=1</script>",
    "\"><img src=x onerror='window.hacked=1'>",
    "\u202egnp.exe",
    "\u05d0\u05d1\u05d2",
    "a" * 10_000,
    "'; window.hacked=1; '",
    "</script><script>window.hacked=1</script>",
    "{{ 7 * 7 }}",
    "\ud800lone",
    "../../etc/passwd",
]
"""Ids and texts that must be shown, and neither obeyed nor hidden."""
CLOSED = ("a", "b", "details", "div", "p", "pre", "section", "small", "span", "svg", "table", "ul")
ATTRIBUTE = re.compile(r"([\w-]+)=(?:\"([^\"]*)\"|([^ >\"]+))")


def seen(part: str) -> str:
    """A part of a page, without spaces, of which tags leave more or fewer."""
    places: list[str] = []

    def sign(tag: re.Match[str]) -> str:
        name, said = tag[1], {key: quoted or bare for key, quoted, bare in ATTRIBUTE.findall(tag[2])}
        if name == "a":
            places.append(said.get("href", ""))
        return "".join(
            [
                SIGNS.get(name, ""),
                drawn(name, *(said[key] for key in PLACES if key in said)) if name in DRAWN else "",
                *(f"({look})" for look in said.get("class", "").split() if look in LOOKS),
                "(current)" if "aria-current" in said else "(unfolded)" if tag[2].endswith(" open") else "",
                f"#{said['id']}" if "id" in said else "",
                *(f"{{{said[key]}}}" for key in ("aria-label", "title", "value") if key in said),
                *(data(key[5:], text) for key, text in said.items() if key.startswith("data-")),
                *(data(key, said[key]) for key in ("rowspan", "colspan", "start") if key in said),
                f"→{places.pop()}" if name == "/a" else "",
            ]
        )

    return without_spaces(html.unescape(re.sub(r"<(/?\w+)([^>]*)>", sign, part)))


def main_of(page: str) -> list[str]:
    """What is seen of each section of a page; each has the heading that it is called by, and what is opened is closed."""
    titles = re.findall(r"<(?:section|div)[^>]* aria-labelledby=\"?([\w.-]+)", page)
    assert {*titles} <= {*re.findall(r" id=\"?([\w.-]+)", page)}
    main = page.partition("<main id=main>")[2].partition("</main>")[0]
    assert all(len(re.findall(rf"<{tag}\b", page)) == page.count(f"</{tag}>") for tag in CLOSED)
    main = re.sub(r"<svg class=defs.*?</svg>", "", main, flags=re.DOTALL)
    return [seen(part) for part in re.split(r"(?=<section|<nav class=toc)", main) if part.strip()]


def head_of(page: str) -> tuple[str, str]:
    """The title of a page, and what it says of itself to who searches."""
    found = re.search(r"<title>(.*?) · rankproof</title>.*?name=description content=\"(.*?)\">", page, re.DOTALL)
    assert found is not None
    return without_spaces(html.unescape(found[1])), without_spaces(html.unescape(found[2]))


# -- what is expected ---------------------------------------------------------------------------------------------------


def without_spaces(*texts: object) -> str:
    return "".join("".join(map(str, texts)).split())


def ident(text: object, longest: int = 80) -> str:
    """A name as it is shown: its two ends, if it is long."""
    whole = str(page_text.shown(text))
    if len(whole) <= longest:
        return whole
    tail = longest // 3
    return f"{whole[: longest - tail]}… {len(whole):,} characters …{whole[-tail:]}"


def message(text: object) -> str:
    """What somebody said, as one line."""
    return ident(" ".join(str(text).split()), 160)


def question(text: str) -> str:
    return str(page_text.shown(page_text.sentence(text)))


def link(shown: object, place: str) -> str:
    return f"{shown}→{place}"


def links(pairs: Iterable[tuple[str, str]], root: str = "../", after: str = "") -> list[str]:
    return [link(shown, f"{root}{place}{after}") for shown, place in pairs]


def case_link(case: str, known: Cases, root: str = "../") -> str:
    """A case, which is linked where it has a page."""
    return link(case, f"{root}{page_text.case_page(case)}") if case in known else case


def libraries(people: Collection[tuple[str, str]]) -> str:
    """Those who do something, each linked to the page of its library."""
    return ", ".join(link(ident(called, 40), f"../libraries/{page_text.slug(name)}.html") for name, called in people)


def with_pages(told: Told) -> Cases:
    """The cases that have a page."""
    return frozenset(case.id for case in told.report.cases)


def data(name: str, text: object) -> str:
    """What is kept for the script of the page."""
    return f"⟪{name}={text}⟫"


def drawn(name: str, *at: object) -> str:
    """A shape, and where it stands."""
    return f"‹{name} {' '.join(map(str, at))}›" if at else ""


def folded(items: Sequence[str], limit: int, between: str, noun: str = "more") -> str:
    """The first of them, and the others in a fold that counts them."""
    rest = items[limit:]
    return between.join(items[:limit]) + (f"[{len(rest)} {noun}{between.join(rest)}]" if rest else "")


def some(items: Sequence[str], limit: int) -> str:
    """The first of them, and how many more there are."""
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def beginning(text: str, longest: int) -> str:
    """Its first words, if it is longer by more than a few letters."""
    return text if len(text) <= longest + 5 else text[: longest - 3].rsplit(" ", 1)[0] + "..."


# -- parts of several pages ---------------------------------------------------------------------------------------------


def number_line(line: NumberLine, root: str) -> Iterator[str]:
    """Every answer on one scale, who gives it and why."""
    yield (
        drawn("use", "#unit") if line.unit else "".join(drawn("text", f"{at}%", 12) + shown for at, shown in line.ticks)
    )
    yield "" if line.standard is None else drawn("ul", f"--s:{line.standard:g}%")
    for answer in line.lines:
        yield f"•{'(std)' if answer.standard else ''}{ident(answer.shown, 24)}"
        if answer.at is not None:
            if line.standard is not None and answer.voices and not answer.standard:
                yield drawn("line", f"{line.standard:g}%", f"{answer.at:g}%") + f"({answer.mark[0]})"
            yield drawn("use", f"#{answer.mark[0]}", f"{answer.at:g}%")
        yield "standard" if answer.standard else ""
        yield from voices(answer, root)


def voices(answer: Line, root: str) -> Iterator[str]:
    for voice in answer.voices:
        people = (ident(name, 30) + ways(variants) for name, variants in voice.by_library)
        yield f"({voice.mark[0]}){', '.join(people)}"
        if voice.mark == "convention":
            yield "by" + "".join(link(one, f"{root}axes/{one.partition('=')[0]}.html") for one in voice.conventions)
        elif voice.mark != "agrees":
            yield {"known": "known exception", "fails": voice.verdict}.get(voice.mark, "observed")
            yield f": {message(voice.note)}" if voice.note else ""
        yield message(voice.error)
    named = some(answer.unsaid, 4)
    if not answer.voices:
        yield f"(n)no one here{'; the reference by ' if named else ''}{named}"
    elif named:
        yield f"also the reference by {named}"


def ways(variants: Sequence[str]) -> str:
    return f"({', '.join(ident(one, 30) for one in variants)})" if variants else ""


def ranking(of: Drawn) -> Iterator[str]:
    """The ranking of one query, place by place; of many docs without a judgment the first and the last."""
    yield f"{{The ranking of query {beginning(of.query, 40)}}}query {ident(of.query)}{of.remark}"
    if of.places:
        yield f"¶|rank|doc|score{'|tied' if of.ties else ''}|rel|gain|discount|gain / discount"
    for row in of.shown:
        yield ranked(row, ties=of.ties)
    yield f"… and {of.left_out} more" if of.left_out else ""


def ranked(row: Shown, *, ties: bool) -> str:
    place, last = row.place, row.last
    tied = f"{data('rowspan', row.span)}{place.tied} tied" if place.tied > 1 else ""
    score = (place.score if place.score == last.score else "") + (f"|{tied}" if ties and row.span else "")
    rel = f"|{'(rel)' if place.relevant else ''}{place.rel or 'unjudged'}"
    if row.count > 1:
        docs = f"{row.count} docs, {ident(place.doc, 16)} to {ident(last.doc, 16)}"
        return f"¶|{place.rank}–{last.rank}|{docs}|{score}{rel}|0||0"
    if place.rank is None:
        return f"¶|–|{ident(place.doc)}|{data('colspan', 1 + ties)}not retrieved{rel}|{data('colspan', 3)}"
    look, cut = ("(cutoff)", f"cut @{place.rank}") if place.cut else ("", "")
    return f"¶{look}|{place.rank}{cut}|{ident(place.doc)}|{score}{rel}|{place.gain}|{place.discount}|{place.worth}"


def picker(view: Mapping[str, Any], root: str) -> str:
    """The forms of measures that can be picked, that of the page also where it is none of them."""
    current = view["matrix"].key
    own = [("(current)" if key == current else "") + link(shown, root + place) for key, shown, place in view["leading"]]
    if current and current not in {key for key, *_ in view["leading"]}:
        own.append("(current)" + link(view["all_forms"][current], ""))
    return "".join(["{Measure}", *own, link("all measures", f"{root}measures.html")])


def table(matrix: FormMatrix, root: str, known: Cases) -> Iterator[str]:
    """Libraries by choices."""
    yield "[Libraries: #picked all#picks{Libraries to show}]#differ only where they differ#waysbox#ways all ways of asking#shown"
    yield f"{{Libraries by choices, {matrix.measure}}}{data('first', ' '.join(matrix.first))}{data('measure', matrix.measure)}"
    yield f"¶|{matrix.measure}"
    for column in matrix.columns:
        yield title(column, root)
    for name, rows in matrix.groups:
        yield f"¶|{data('colspan', len(matrix.columns) + 1)}{name}"
        for row in rows:
            yield f"¶{'' if row.differs else '(same)'}{data('m', row.measure) if row.measure else ''}"
            yield f"|#a-{row.axis}{link(row.label, f'{root}axes/{row.axis}.html')}"
            yield from (cell(one, f"{root}axes/{row.axis}.html", root, known, row.measure) for one in row.cells)
    yield "#cell{Close}✕#cellbody#copied"


def whole_matrix(view: Mapping[str, Any], root: str, known: Cases) -> Iterator[str]:
    """What can be picked, libraries by choices, and where two of them are put side by side."""
    yield picker(view, root)
    yield from table(view["matrix"], root, known)
    yield "What is set quietly is as in standard, the profile of the reference. "
    yield "A dash: the choice cannot matter beside the others."
    yield link("Two libraries side by side", f"{root}{view['compare']}") if view["compare"] else ""


def title(column: Column, root: str) -> str:
    place = f"{root}{page_text.library_page(column.variant[0])}"
    way = ident(column.variant[1], 30) if column.extra or column.ways else ""
    look = "(x)" if column.extra else ""
    return (
        f"|{look}{data('l', column.variant[0])}{link(ident(column.title, 40), place)}{way}{ident(column.version, 16)}"
    )


def cell(one: WayOnAxis, axis: str, root: str, known: Cases, measure: str) -> str:
    if not one.matters:
        return "|(z)"
    if not one.values:
        told = "" if one.untold else data("o", " ".join(one.open)) + (data("w", one.why) if one.why else "")
        return f"|(open){told}{link('undetermined', f'{axis}#undetermined')}"
    there = one.witness in known
    look = ("" if one.standard else "(v1)") + ("" if one.plain else data("v", " ".join(one.values)))
    look += data("m", one.measure) if there and one.measure != measure else ""
    more = one.others[0] if len(one.others) == 1 and len(one.others[0]) < 14 else f"{len(one.others)} more"
    others = f"{{or {', or '.join(one.others)}}}or {more}" if one.others else ""
    return f"|{look}{link(one.shown, root + page_text.case_page(one.witness) if there else axis)}{others}"
