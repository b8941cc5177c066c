"""The site: whole, linked, small, readable without a script, usable by keyboard and on a phone, and safe with any id."""

import html
import html.parser
import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar
from urllib.parse import quote, unquote, urldefrag, urlsplit
from xml.etree import ElementTree as ET

import parts
import published_run
import pytest
from axe_playwright_python.sync_playwright import Axe
from browsers import chromium
from click.testing import CliRunner
from drawn_history import document_of
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from seen_pages import seen, without_spaces
from signed import assert_computes

from rankproof import cases
from rankproof.asking.known_libraries import libraries
from rankproof.asking.subjects import Subject
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.commands.report import command
from rankproof.explaining import one_sentence
from rankproof.explaining.asked_data import AskedData
from rankproof.explaining.explanation import Explanation, Wish, explain
from rankproof.judging import results_file
from rankproof.judging.results_file import BadResults, RunResults
from rankproof.judging.verdicts import Row, Verdict
from rankproof.matching.comparing import reading_of
from rankproof.matching.reference_answers import CannotTell, Obstacle, Refused, Values
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.reference_impl.ranking import Judgment
from rankproof.reference_impl.ranking import QueryRow as RunRow
from rankproof.site import building, difference_charts, explanation_page, page_text
from rankproof.site.difference_charts import BOTTOM, HEIGHT, TOP, drawings
from rankproof.site.page_text import form_slug
from rankproof.site.short_repros import short
from rankproof.telling.run_report import Report
from rankproof.text import short as in_short

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "reports"
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
CASE = "cases/ties/renamed-doc.html"
KINDS = [
    "index.html", "cases.html", "libraries.html", "axes.html", CASE, "cases/labels/empty.html", "libraries/sklearn.html",
    "axes/ties.html", "axes/discount.html", "axes/known.html", "matrix/AP.html", "measures.html", "measures/nDCG.html", "measures/ARI.html",
    "compare.html", "compare/AP.html",
]  # fmt: skip
"""A page of each kind."""
NAMED = ("ties/renamed-doc", "labels/empty", "ties/seventeen-docs-all-tied", "queries/neither-qrels-nor-run")
"""The cases that a test looks at, or for."""
PART = 10
"""One in so many of the other cases is shown where parts are taken."""
EVIL = [
    "<script>window.hacked=1</script>", "\"><img src=x onerror='window.hacked=1'>", "\u202egnp.exe", "\u05d0\u05d1\u05d2", "a" * 10_000,
    "'; window.hacked=1; '", "</script><script>window.hacked=1</script>", "{{ 7 * 7 }}", "\ud800lone", "../../etc/passwd",
]  # fmt: skip


@pytest.fixture(scope="module")
def shown(request: pytest.FixtureRequest) -> dict[str, Case]:
    """The cases that the site shows: where parts are taken, one in so many, and those that tests look at."""
    taken, named = parts.taken(request.config), {*NAMED, *proofs_of_ties()}
    return {
        case.id: case for case in cases.load_all()
        if not taken or case.id in named or parts.is_in_part(parts.code(), case.id, one_in=PART)
    }  # fmt: skip


def proofs_of_ties() -> set[str]:
    """The cases that prove what scikit-learn does with ties: a cell is opened, and shows one."""
    axes = [one.axes.get("ties") for one in published_run.fingerprints() if one.subject.library == "sklearn"]
    return {axis.witness for axis in axes if axis is not None}


@pytest.fixture(scope="module")
def published(shown: dict[str, Case]) -> RunResults:
    """The published run of these cases."""
    whole = published_run.results()
    return replace(whole, rows=tuple(row for row in whole.rows if row.case in shown))


@pytest.fixture(scope="module")
def site(shown: dict[str, Case], published: RunResults, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results_file, "load", {RESULTS: published}.__getitem__)
        patch.setattr(cases, "load_all", lambda: list(shown.values()))
        done = CliRunner().invoke(command, ["--results", str(RESULTS), "--out", str(out)], catch_exceptions=False)
    assert done.exit_code == 0
    assert str(out / "index.html") in done.output
    return out


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium(), headless=True, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport={"width": 1280, "height": 900})
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return watched(context.new_page())


def watched(page: Page) -> Page:
    """A page whose complaints are errors of the test that looks at it."""
    page.complaints = []  # type: ignore[attr-defined]
    page.on("console", lambda message: message.type in {"error", "warning"} and page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("requestfailed", lambda request: page.complaints.append(f"not loaded: {request.url}"))
    page.on(
        "request",
        lambda request: None if request.url.startswith(("file:", "data:")) else page.complaints.append(request.url),
    )
    return page


class Read(html.parser.HTMLParser):
    """The links, the anchors, and whether every element that is opened is closed, or ends where HTML says that it does."""

    VOID = frozenset({"meta", "link", "input", "br", "img", "hr"})
    ENDS_BEFORE: ClassVar[dict[str, set[str]]] = {
        "td": {"td", "th"}, "th": {"td", "th"}, "tr": {"td", "th", "tr"}, "li": {"li"}, "dd": {"dd"}, "dt": {"dd"},
    }  # fmt: skip
    ENDS_WITHIN = frozenset({"td", "th", "tr", "li", "dd"})

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.faults: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        found = dict(attrs)
        self.links += [value for name in ("href", "src") if (value := found.get(name)) is not None]
        self.ids += [value for name in ("id",) if (value := found.get(name)) is not None]
        while self.open and self.open[-1] in self.ENDS_BEFORE.get(tag, ()):
            self.open.pop()
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content."""
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        """An element ends."""
        while self.open and self.open[-1] in self.ENDS_WITHIN and self.open[-1] != tag:
            self.open.pop()
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data: str) -> None:
        """Text."""
        self.words.append(data)


def read(path: Path) -> Read:
    reader = Read()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    return reader


# -- without a browser -------------------------------------------------------------------------------------------


def test_every_page_is_well_formed_and_every_link_leads_somewhere(site: Path, shown: dict[str, Case]) -> None:
    pages = {path.resolve(): read(path) for path in site.rglob("*.html")}
    faults = []
    for path, found in pages.items():
        faults += [f"{path}: {fault}" for fault in (*found.faults, *found.open)]
        faults += [f"{path}: #{one} twice" for one in set(found.ids) if found.ids.count(one) > 1]
        for link in set(found.links):
            faults += [f"{path}: {link}"] if not leads_somewhere(path, link, pages) else []
    assert faults == []
    assert len(pages) > len(shown) >= len(NAMED)


@cache
def linked(folder: Path, quoted: str) -> Path | None:
    """The file that pages of a folder link; None where there is none."""
    target = (folder / unquote(quoted)).resolve()
    return target if target.is_file() else None


def leads_somewhere(path: Path, link: str, pages: dict[Path, Read]) -> bool:
    where, fragment = urldefrag(link)
    parts = urlsplit(where)
    if parts.scheme:
        return parts.scheme in {"https", "http", "data"}
    target = linked(path.parent, parts.path) if parts.path else path.resolve()
    return target is not None and (not fragment or unquote(fragment) in pages[target].ids)


def test_every_signature_on_a_page_reads_and_computes(site: Path) -> None:
    printed = [
        (path.stem, html.unescape(text))
        for path in site.rglob("*.html")
        for text in re.findall(r'<p class="?signature"?><code>(.+?)</code>', path.read_text(encoding="utf-8"))
    ]
    assert len(printed) > 100
    for library, text in printed[::4]:
        assert assert_computes(text).by.startswith(library), "it is of the library whose page it is on"


def test_the_site_is_small_and_the_index_waits_for_nothing(site: Path) -> None:
    # Of all cases a page has 12,000 bytes; of a part of them, among which are the largest, up to half as much again.
    # An axis has a line for each library and way of asking: 8 libraries took 15,000 bytes.
    for folder, most in {
        "cases": 18_000,
        "axes": 600 * len(libraries()) + 10_000,
        "libraries": 300_000,
        "matrix": 40_000,
        "measures": 20_000,
        "compare": 80_000,
    }.items():
        sizes = [path.stat().st_size for path in (site / folder).rglob("*.html")]
        assert sum(sizes) < most * len(sizes)
    index = (site / "index.html").read_text(encoding="utf-8")
    assert len(index) < 250_000
    assert (site / "assets" / "site.css").stat().st_size < 40_000
    assert "@import" not in (site / "assets" / "site.css").read_text(encoding="utf-8")
    assert index.count("<script") == index.count("defer></script>") == 1


def test_nothing_comes_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        head = path.read_text(encoding="utf-8").partition("</head>")[0]
        assert "http" not in head.replace("http-equiv", "")


def test_a_case_tells_its_question_ranking_answers_arithmetic_and_repro(site: Path) -> None:
    words = " ".join(" ".join(read(site / CASE).words).split())
    for said in (
        "Renaming one of ten docs moves nDCG@10", "pytrec_eval issue 51", "5 tied", "unjudged", ".6842", "sklearn", "ties=expectation",
        "(1/2 + 3/log2(6) + 2/log2(7))/(3 + 2/log2(3) + 1/2)", "0.4983290230", "rankproof repro ties/renamed-doc LIBRARY nDCG@10",
    ):  # fmt: skip
        assert said in words


def test_the_same_results_give_the_same_site(tmp_path: Path) -> None:
    small = report_of(cases=[case for case in cases.load_all() if case.id == "ties/renamed-doc"])
    for name in ("a", "b"):
        building.write(small, tmp_path / name, tmp_path)
    for path in (tmp_path / "a").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()


def test_a_site_is_replaced_and_anything_else_is_left_alone(tmp_path: Path) -> None:
    small, site = report_of(cases=[]), tmp_path / "not" / "there" / "site"
    told: list[tuple[str, int, int]] = []
    written = building.write(small, site, tmp_path, lambda *one: told.append(one))
    assert [(done, planned) for _, done, planned in told] == [(at, len(told)) for at in range(len(told))]
    assert {path for path, *_ in told} == {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    files = [path for path in site.rglob("*") if path.is_file()]
    assert (written.pages, written.size) == (len(told), sum(path.stat().st_size for path in files))
    (site / "stray").write_text("from before")
    assert building.write(small, site, tmp_path).index.is_file()
    assert not (site / "stray").exists()
    (tmp_path / "empty").mkdir()
    building._refuse_others(tmp_path / "empty")
    for name in ("thesis.tex", "index.html", ".git"):
        mine = tmp_path / f"mine of {name}"
        mine.mkdir()
        (mine / name).write_text("years of work")
        with pytest.raises(building.NotOurs, match="--out"):
            building.write(small, mine, tmp_path)
        assert [path.name for path in mine.iterdir()] == [name]


def test_a_site_that_cannot_be_finished_or_put_in_its_place_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = report_of(cases=[])
    building.write(small, tmp_path / "site", tmp_path)
    before = (tmp_path / "site" / "index.html").read_bytes()

    def interrupted(_path: str, done: int, _planned: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        building.write(small, tmp_path / "site", tmp_path, interrupted)
    assert (tmp_path / "site" / "index.html").read_bytes() == before
    rename = Path.rename

    def moved(path: Path, target: Path) -> Path:
        if target == tmp_path / "site" and path.name != "old":
            raise OSError("no room")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", moved)
    with pytest.raises(OSError, match="no room"):
        building.write(small, tmp_path / "site", tmp_path)
    assert (tmp_path / "site" / "index.html").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_results_that_are_not_there_are_named_with_the_mend(tmp_path: Path) -> None:
    with pytest.raises(BadResults, match="rankproof run"):
        CliRunner().invoke(command, ["--results", str(tmp_path / "none")], catch_exceptions=False)


# -- in a browser ------------------------------------------------------------------------------------------------


@pytest.mark.in_parts(8)
@pytest.mark.parametrize("path", KINDS)
def test_a_page_of_each_kind_loads_without_complaint_and_is_accessible(site: Path, page: Page, path: str) -> None:
    page.goto((site / path).as_uri())
    page.evaluate("[...document.querySelectorAll('details')].slice(0, 6).forEach(it => { it.open = true; })")
    page.evaluate(ALIKE)
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, "color-contrast") == []
    assert page.complaints == []


ALIKE = """
for (const list of document.querySelectorAll('tbody, ul, ol')) {
  const seen = new Set();
  for (const one of [...list.children]) {
    const parts = [one, ...one.querySelectorAll('*')];
    const kind = [...new Set(parts.map(it => [it.tagName, it.getAttribute('class'), it.getAttribute('style')].join()))].sort().join(' ');
    seen.has(kind) ? one.remove() : seen.add(kind);
  }
}
"""
"""Leaves one of the rows and entries of a list that are made of the same elements: what is wrong with one is wrong with all."""


def violations(page: Page, *rules: str) -> list[str]:
    """What axe-core finds by all rules, best practices included, or by these."""
    only = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
    found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False, **only}).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]} ({len(one['nodes'])})" for one in found]


@pytest.fixture(scope="module")
def phone(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport={"width": 360, "height": 720}, has_touch=True, is_mobile=True)
    yield opened
    opened.close()


@pytest.mark.in_parts(8)
@pytest.mark.parametrize("path", KINDS)
def test_a_phone_scrolls_in_one_direction(site: Path, phone: BrowserContext, path: str) -> None:
    page = watched(phone.new_page())
    page.goto((site / path).as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(it => { it.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.complaints == []
    page.close()


def test_search_and_filters_work_by_keyboard(site: Path, page: Page) -> None:
    page.goto((site / "cases.html").as_uri())
    everything = page.locator("tbody tr:visible").count()
    page.keyboard.press("/")
    page.keyboard.type("seventeen")
    assert 0 < page.locator("tbody tr:visible").count() < everything
    assert "of" in page.locator("#count").inner_text()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.press("Tab")
    page.keyboard.type("headline")
    headlines = page.locator("tbody tr:visible").count()
    assert 0 < headlines < everything
    assert "?tag=headline" in page.url
    for _ in range(4):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#count")).not_to_contain_text("of")
    assert page.locator("tbody tr:visible").count() == everything
    assert page.complaints == []


def test_filters_by_measure_library_and_verdict_agree_with_the_results(
    site: Path, published: RunResults, page: Page
) -> None:
    fits = {
        row.case for row in published.rows
        if (row.library, row.variant, row.measure) == ("sklearn", "rows", "nDCG@10") and row.verdict is Verdict.CONVENTION
    }  # fmt: skip
    page.goto((site / "cases.html").as_uri() + "?measure=nDCG%4010&verdict=c")
    page.select_option("#library", label="sklearn/rows")
    ids = page.locator("tbody tr:visible th code").all_inner_texts()
    assert set(ids) == fits
    assert fits
    page.goto((site / "cases.html").as_uri() + "?measure=nDCG%4010")
    of_case: dict[str, list[Verdict]] = {}
    for row in published.rows:
        if row.measure == "nDCG@10" and row.verdict is not Verdict.UNSUPPORTED:
            of_case.setdefault(row.case, []).append(row.verdict)
    cells = "lines => lines.map(line => [line.querySelector('th code').innerText, line.querySelector('td').innerText])"
    told = page.locator("tbody tr:visible").evaluate_all(cells)
    counted = {case: int(text.split()[0]) for case, text in told}
    undefined = {case for case, verdicts in of_case.items() if {*verdicts} == {Verdict.UNDEFINED}}
    assert {counted[case] for case in undefined & counted.keys()} == {0}, "of what has no right answer nobody differs"
    assert all(
        (counted[case] > 0) == any(v not in {Verdict.AGREES, Verdict.UNDEFINED} for v in of_case[case])
        for case in counted
    )
    assert page.complaints == []


def test_a_repro_can_be_copied_whole(site: Path, context: BrowserContext) -> None:
    from rankproof.judging.reproduction import script

    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = watched(context.new_page())
    page.goto((site / CASE).as_uri())
    line = page.locator(".repros li", has_text="sklearn").first
    line.get_by_role("button", name="Copy command").click()
    assert page.evaluate("navigator.clipboard.readText()").startswith("rankproof repro ties/renamed-doc sklearn")
    line.get_by_role("button", name="Copy script").click()
    expect(line.get_by_role("button", name="Copy script")).to_have_text("Copied")
    (case,) = (case for case in cases.load_all() if case.id == "ties/renamed-doc")
    (library,) = (library for library in libraries() if library.name == "sklearn")
    whole = script(case, library, ["nDCG@10"], ["rows", "appended", "rows-ignore-ties"])
    assert page.evaluate("navigator.clipboard.readText()").split() == whole.split()
    compile(page.evaluate("navigator.clipboard.readText()"), "repro.py", "exec")
    line.get_by_role("button", name="Copy ten lines").click()
    expect(line.get_by_role("button", name="Copy ten lines")).to_have_text("Copied")
    few = page.evaluate("navigator.clipboard.readText()")
    assert few.startswith("DATA = ")
    assert few.endswith(short("sklearn", "nDCG@10"))
    assert page.complaints == []


def test_all_is_there_without_a_script(site: Path, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / CASE).as_uri())
    assert page.get_by_text("rankproof repro ties/renamed-doc LIBRARY nDCG@10").is_visible()
    assert page.get_by_role("heading", name="The answers").is_visible()
    page.goto((site / "cases.html").as_uri())
    assert page.locator("tbody tr").count() == len(list((site / "cases").rglob("*.html")))
    assert not page.locator(".filters").is_visible()
    page.goto((site / "index.html").as_uri())
    assert page.get_by_role("rowheader", name="Docs with the same score").is_visible()
    assert page.locator(".mx thead th").count() == page.locator(".mx thead th:visible").count() > 10, (
        "all ways of asking"
    )
    page.get_by_role("link", name="AP", exact=True).click()
    assert page.get_by_role("rowheader", name="AP@k divided by").is_visible(), "each measure has a page of its own"
    page.goto((site / "compare.html").as_uri())
    assert page.locator(".counts a").count() > 10
    page.locator(".counts td a").first.click()
    assert page.locator(".mx").is_visible(), "both are two columns of the matrix"
    context.close()


def test_light_and_dark_can_be_chosen(site: Path, page: Page) -> None:
    page.goto((site / "axes.html").as_uri())
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    page.evaluate(ALIKE)
    assert violations(page, "color-contrast") == []


def test_the_matrix_shows_what_is_asked_of_it_and_says_so_in_the_address(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    heads, rows = page.locator(".mx thead th:visible"), page.locator(".mx tbody tr:not(.stage):visible")
    libraries_, choices = heads.count(), rows.count()
    assert libraries_ == len({one for one in heads.evaluate_all("all => all.map(it => it.dataset.l)")}), "ways fold"  # noqa: C416
    page.get_by_label("only where they differ").check()
    assert 0 < rows.count() < choices
    page.get_by_label("all ways of asking").check()
    assert heads.count() > libraries_
    page.locator(".pick summary").click()
    for name in heads.evaluate_all("all => [...new Set(all.map(it => it.dataset.l))]"):
        if name not in {"sklearn", "trec_eval"}:
            page.locator(f"#picks input[value={name}]").uncheck()
    assert {*heads.evaluate_all("all => all.map(it => it.dataset.l)")} == {"sklearn", "trec_eval"}
    assert sorted(urlsplit(page.url).query.split("&")) == ["d=1", "l=sklearn,trec_eval", "w=1"]
    shown = rows.locator("th").all_inner_texts()
    page.reload()
    assert rows.locator("th").all_inner_texts() == shown, "the address is enough"
    assert "Docs with the same score" in shown
    assert "Gain of a rel" not in shown, "both take the rel"
    ways = rows.evaluate_all("all => all.map(row => [...row.querySelectorAll('td')].filter(it => it.checkVisibility()).map(it => "
                             "it.querySelector('a:not(.open)')?.textContent.trim()).filter(Boolean))")  # fmt: skip
    assert all(len({*one}) > 1 for one in ways), "what nothing decided is no difference"
    page.get_by_role("link", name="AP", exact=True).click()
    assert {*heads.evaluate_all("all => all.map(it => it.dataset.l)")} == {"sklearn", "trec_eval"}
    assert page.complaints == []


def test_a_cell_opens_to_the_value_in_words_its_case_and_the_repro(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri() + "?l=sklearn,catboost")
    page.get_by_role("link", name="mean over all orders").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("the mean over all orders of the tied docs")
    expect(dialog).to_contain_text("ties=expectation")
    command_ = dialog.locator(".copyline code").inner_text()
    case, measure = re.fullmatch(r"rankproof repro (\S+) sklearn '(.+)' \| python -", command_).groups()  # type: ignore[union-attr]
    assert measure in next(one for one in cases.load_all() if one.id == case).measures
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.get_by_role("link", name="undetermined").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("Undetermined: no answer decides it.")
    page.keyboard.press("Escape")
    page.goto((site / "index.html").as_uri())
    for kind in ("[data-o]", ":not([data-o])"):
        link = page.locator(f"td a.open{kind}:visible").first
        axis, place = link.evaluate("it => [it.closest('tr').cells[0].id.slice(2), it.closest('td').cellIndex]")
        library = page.locator(".mx thead th").nth(place - 1).get_attribute("data-l")
        link.click()
        said = page.get_by_role("dialog").inner_text()
        remaining = re.findall(rf"^{axis}=(\S+):", said, re.MULTILINE)
        own = [
            one.axes[axis]
            for one in published_run.fingerprints()
            if (one.subject.library, one.key) == (library, "nDCG@k")
        ]
        assert any(finding.why in said and [*finding.open] == remaining for finding in own), (kind, library, axis)
        page.keyboard.press("Escape")
    page.evaluate(ALIKE)
    assert violations(page) == []
    assert page.complaints == []


def test_a_phone_compares_a_few(site: Path, phone: BrowserContext) -> None:
    page = watched(phone.new_page())
    page.goto((site / "index.html").as_uri())
    heads = page.locator(".mx thead th:visible")
    assert 2 <= heads.count() <= 4
    box = page.locator(".tall")
    assert box.evaluate("it => it.scrollWidth <= it.clientWidth"), "nothing is cut"
    page.locator(".pick summary").click()
    for one in page.locator("#picks input").all()[:6]:
        one.check()
    assert heads.count() <= 4
    page.close()


# -- the questions that people come with ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def questioned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of few cases, with the published fingerprints of those that are asked about, and a made-up history."""
    folder = tmp_path_factory.mktemp("questions")
    published = json.loads((RESULTS / "fingerprint.json").read_text(encoding="utf-8"))
    asked_about = [one for one in published["fingerprints"] if re.split("[/-]", one["subject"])[0] in ASKED_ABOUT]
    (folder / "fingerprint.json").write_text(json.dumps({**published, "fingerprints": asked_about}), encoding="utf-8")
    history = document_of({
        "torchmetrics": {
            "title": "TorchMetrics", "versions": ["0.7.3", "1.0.0"],
            "steps": [{
                "from": "0.7.3", "to": "1.0.0", "beside": "", "also_differs": [],
                "changes": [{
                    "measure": "nDCG", "variants": ["default"], "behind": "before, ties in input order (ties=input)", "answers": 7,
                    "before": ".7571", "after": ".645", "witness": {"case": "ties/renamed-doc", "measure": "nDCG@10", "query": None},
                }],
            }],
            "answers": [{
                "variant": "default", "case": "ties/renamed-doc", "measure": "nDCG@10", "query": None, "by_version": [".7571", ".645"],
            }],
        },
    })  # fmt: skip
    (folder / "history.json").write_text(json.dumps(history), encoding="utf-8")
    few = report_of(cases=[case for case in cases.load_all() if case.id in NAMED])
    asked = [*few.results.header["asked"], {"library": "torchmetrics", "version": "1.0.0", "variants": {"default": ""}}]
    report = replace(few, results=replace(few.results, header={**few.results.header, "asked": asked}))
    building.write(report, folder / "site", folder)
    return folder / "site"


ASKED_ABOUT = {"sklearn", "catboost", "trec_eval", "torchmetrics"}
QUESTIONS = [
    ("which libraries average ties?", "mean over all orders", "scikit-learn", "axes/ties.html#v-expectation"),
    ("does sklearn's nDCG use 2^rel?", "No. scikit-learn, nDCG@10: gain of a rel: rel", "What gain has a rel?",
     "index.html?l=sklearn#a-gain"),
    ("why is my MRR lower than theirs?", "RR, also called MRR", "1 over the rank of the first hit", "measures/RR.html"),
    ("which versions of torchmetrics changed?", "TorchMetrics: which versions changed", "", "libraries/torchmetrics.html#history"),
    ("MRR", "RR, also called MRR", "", "measures/RR.html"),
    ("hit rate", "Success, also called HitRate", "", "measures/Success.html"),
    ("tie break", "Docs with the same score", "In which order", "axes/ties.html"),
    ("sklearn ties", "scikit-learn, nDCG@10: docs with the same score: mean over all orders", "AP: all at the last rank",
     "index.html?l=sklearn#a-ties"),
    ("does catboost average ties", "No. CatBoost, nDCG@10: docs with the same score: worst order", "", "index.html?l=catboost#a-ties"),
    ("sklearn vs trec_eval ndcg", "scikit-learn and trec_eval, nDCG@10, side by side", "", "compare.html#sklearn--trec_eval"),
    ("NDCG", "nDCG", "", "measures/nDCG.html"),
    ("average precision", "AP, also called", "", "measures/AP.html"),
    ("num_rel_ret", "NumRet", "", "measures/NumRet.html"),
    ("iprec_at_recall", "IPrec, also called", "", "measures/IPrec.html"),
    ("precision", "P, also called", "", "measures/P.html"),
]  # fmt: skip
"""What is asked, what the first answer says, what stands below it, and where it leads."""


def test_a_matrix_that_several_forms_share_is_that_of_the_form_that_its_page_is_named_after(questioned: Path) -> None:
    shared = 0
    for path in (questioned / "matrix").glob("*.html"):
        text = path.read_text(encoding="utf-8")
        heading = re.search(r"<h1>(.*?)</h1>", text, re.DOTALL)
        assert heading is not None, path
        form = html.unescape(re.sub(r"<[^>]*>", "", heading[1])).removesuffix(": which library does what")
        assert path.stem == form_slug(form.replace("@10", "@k")), path
        shared += "The same holds of" in text
    assert shared >= 3


def test_the_page_of_an_axis_begins_with_what_is_standard(questioned: Path) -> None:
    first = 0
    for name, axis in AXES.items():
        text = html.unescape(re.sub(r"<[^>]*>", "", (questioned / "axes" / f"{name}.html").read_text(encoding="utf-8")))
        assert f"The axis {name}; in standard, {axis.meaning(axis.default)}." in text
        first += axis.default == next(iter(axis.values))
    assert 3 <= first < len(AXES)


def test_what_is_drawn_beyond_the_cutoff_has_no_share_of_the_sum(questioned: Path) -> None:
    beyond = []
    for path in (questioned / "measures").glob("*.html"):
        bars = re.findall(r'<g( class="?beyond"?)?><rect.*?<text[^>]*>(.*?)</text>', path.read_text(encoding="utf-8"))
        assert all(bool(label) != bool(is_beyond) for is_beyond, label in bars), path
        beyond += [one for one in bars if one[0]]
    assert len(beyond) >= 2, "docs below the cutoff are drawn"


def test_a_question_is_answered_by_one_search_from_home(questioned: Path, page: Page) -> None:
    page.goto((questioned / "index.html").as_uri())
    first = page.locator("#found li").first
    for question, answer, below, place in QUESTIONS:
        page.keyboard.press("/")
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(question)
        expect(first).to_contain_text(answer)
        expect(first).to_contain_text(below)
        encoded = quote(question, safe="~()*!.'")
        assert page.url.endswith(f"#q={encoded}")
        assert first.locator("a").first.get_attribute("href") == place, question
    assert page.complaints == []


@pytest.mark.parametrize("which", [0, 7, 9], ids=lambda which: QUESTIONS[which][0])
def test_what_a_search_found_is_in_the_address_and_is_gone_to(questioned: Path, page: Page, which: int) -> None:
    question, answer, _, place = QUESTIONS[which]
    page.goto((questioned / "index.html").as_uri() + f"#q={quote(question)}")
    expect(page.locator("#found li").first).to_contain_text(answer)
    page.keyboard.press("/")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{place}")
    anchor = place.partition("#")[2]
    assert page.locator("#pair h2" if "--" in anchor else f"[id='{anchor}']").is_visible()
    assert page.complaints == []


def test_a_search_for_a_value_names_all_to_whom_answers_leave_it_whichever_it_is_of_theirs(
    questioned: Path, page: Page
) -> None:
    page.goto((questioned / "index.html").as_uri())
    page.keyboard.press("/")
    page.keyboard.insert_text("ties")
    expect(page.locator("#found li").first).to_be_visible()
    left = {
        "sklearn": ["docid-asc"],
        "catboost": ["input", "docid-asc"],
        "ranx": ["input", "last-rank", "docid-asc"],
        "beir": ["input"],
    }
    found = page.evaluate(
        """left => {
            const key = Object.keys(rankproofIndex.facts)[0];
            rankproofIndex.facts = {[key]: Object.fromEntries(Object.entries(left).map(([name, ties]) => [name, {ties: ["so", ...ties]}]))};
            return look(rankproofIndex, "ties by docid ascending").map(one => one.title);
        }""",
        left,
    )  # fmt: skip
    (told,) = (one for one in found if one.startswith("Docs with the same score: "))
    assert [one in told for one in ("scikit-learn", "CatBoost", "ranx", "BEIR")] == [True, True, True, False], told


def test_the_pages_that_questions_lead_to_answer_them(questioned: Path, page: Page) -> None:
    page.goto((questioned / "libraries" / "torchmetrics.html").as_uri())
    history = page.locator("section", has=page.locator("#history"))
    expect(history).to_contain_text("0.7.3 → 1.0.0")
    expect(history).to_contain_text(".7571 → .645")
    page.goto((questioned / "measures" / "RR.html").as_uri())
    expect(page.get_by_role("heading", name="Why yours may be higher or lower than theirs")).to_be_visible()
    page.goto((questioned / "axes" / "ties.html").as_uri() + "#v-expectation")
    expect(page.locator("#v-expectation")).to_contain_text("sklearn/rows")


def test_the_questions_are_answered_by_two_clicks_from_home_too(questioned: Path, page: Page) -> None:
    home = (questioned / "index.html").as_uri()
    page.goto(home)
    page.get_by_role("link", name="Docs with the same score").click()
    expect(page.locator("#v-expectation")).to_contain_text("sklearn/rows")
    page.goto(home)
    heads = page.locator(".mx thead th[data-l]:visible").evaluate_all("all => all.map(it => it.dataset.l)")
    cell = page.locator(".mx tr", has=page.locator("#a-gain")).locator("td:visible").nth(heads.index("sklearn"))
    assert cell.inner_text() == "rel"
    page.get_by_role("link", name="Measures", exact=True).click()
    page.get_by_role("link", name="RR", exact=True).first.click()
    expect(page.get_by_role("heading", name="Why yours may be higher or lower than theirs")).to_be_visible()
    page.goto(home)
    page.get_by_role("link", name="Libraries", exact=True).click()
    page.get_by_role("link", name="TorchMetrics", exact=True).click()
    expect(page.get_by_role("heading", name="History")).to_be_visible()


def test_what_is_found_can_be_reached_by_keys_and_left(questioned: Path, page: Page) -> None:
    page.goto((questioned / "libraries.html").as_uri() + "#q=ties")
    found = page.locator("#found")
    expect(found.locator("li").first).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.closest('li') === document.querySelectorAll('#found li')[1]")
    page.keyboard.press("Escape")
    expect(found).to_be_hidden()
    assert "#q" not in page.url
    page.keyboard.type("<img src=x onerror=qwxz>")
    expect(found).to_contain_text("Nothing was found")
    assert page.complaints == []


def test_two_libraries_are_picked_and_stand_in_the_address(questioned: Path, page: Page) -> None:
    page.goto((questioned / "compare.html").as_uri() + "#sklearn--trec_eval")
    pair = page.locator("#pair")
    expect(pair.locator("h2")).to_contain_text("scikit-learn and trec_eval, nDCG@10")
    ties = pair.locator("tr", has_text="Docs with the same score")
    assert ties.locator("td").first.inner_text().startswith("mean over all orders")
    assert ties.locator("td").last.inner_text().startswith("by docid, descending")
    data = json.loads(page.locator("script[type='application/json']").first.text_content() or "")
    told = [
        [None if value is None else str(value) for value in (*one[2:4], None, None)[:2]]
        for one in data["pairs"]["sklearn--trec_eval"]
    ]
    rows = [row.locator("td") for row in pair.locator("tbody tr").all()]
    shown = [[(cell.locator("b").all_inner_texts() or [None])[0] for cell in cells.all()] for cells in rows]
    assert shown == told, "each value under the library that gives it"
    assert any(a != b for a, b in shown)
    assert violations(page) == []
    names = [side[0] for side in data["sides"]]
    cells = dict(zip(names, data["cells"], strict=True))
    of_pair = {name: [*zip(*(cells[one] for one in name.split("--")), strict=True)] for name in data["pairs"]}
    for open_beside in (None, ""):  # what cannot matter to one of them is not told as open
        name = next(name for name, both in of_pair.items() if ("", open_beside) in both)
        page.goto((questioned / "compare.html").as_uri() + f"#{name}")
        expect(pair.locator("h2")).to_be_visible()
        still = [
            axis[0].lower()
            for axis, both in zip(data["axes"], of_pair[name], strict=True)
            if "" in both and None not in both
        ]
        told = pair.locator("p.meta").all_inner_texts()
        assert told == ([f"Undetermined for one of them: {'; '.join(still)}."] if still else [])
    page.goto((questioned / "compare.html").as_uri() + "#sklearn--trec_eval")
    page.get_by_label("the other").select_option("catboost")
    expect(pair.locator("h2")).to_contain_text("CatBoost and scikit-learn, nDCG@10")
    assert page.url.endswith("#catboost--sklearn")
    page.evaluate("location.hash = 'sklearn--trec_eval'")  # as a link does
    expect(pair.locator("h2")).to_contain_text("scikit-learn and trec_eval, nDCG@10")
    page.go_back()
    expect(pair.locator("h2")).to_contain_text("CatBoost and scikit-learn, nDCG@10")
    assert page.complaints == []


# -- whatever the ids --------------------------------------------------------------------------------------------


def test_hostile_text_is_shown_and_never_executed(tmp_path: Path, browser: Browser) -> None:
    case = Case(
        id=f"ids/{EVIL[0]}", question=f"{EVIL[1]} is asked", why=EVIL[6], source=EVIL[7], tags=(EVIL[1], "ties"),
        input=Input(
            qrels=tuple((EVIL[i % 4], doc, 1) for i, doc in enumerate(EVIL)),
            run=tuple((EVIL[i % 4], doc, 1.0, i) for i, doc in enumerate(EVIL)),
        ),
        expect={"nDCG@10": {"standard": {"mean": "1"}}},
    )  # fmt: skip
    rows = [
        Row(
            case.id,
            Subject(library, variant, EVIL[2], alone=False),
            "nDCG@10",
            query,
            Verdict.UNEXPLAINED,
            value,
            error,
            1.0,
            note=EVIL[0],
        )
        for library, variant in (("sklearn", EVIL[0]), (EVIL[1], EVIL[3]))
        for query, value, error in ((None, None, EVIL[6]), (EVIL[3], 0.5, None))
    ]
    described = {
        "version": EVIL[2],
        "variants": {EVIL[3]: EVIL[0]},
        "dependencies": {EVIL[1]: EVIL[0]},
        "notes": {EVIL[0]: EVIL[6]},
    }
    header = {
        "rankproof": EVIL[0],
        "python": EVIL[1],
        "platform": EVIL[6],
        "asked": [{"library": "sklearn", **described}, {"library": EVIL[1], **described}],
    }
    written = building.write(
        Report(RunResults(header, tuple(rows), {}), [case], libraries()), tmp_path / "site", tmp_path
    )
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert all(tmp_path.resolve() in path.resolve().parents for path in pages)
    context = browser.new_context(viewport={"width": 360, "height": 720})
    folders = set()
    for path in [
        written.index,
        tmp_path / "site" / "cases.html",
        *(p for p in pages if "x-" in str(p) or "sklearn" in p.name),
    ]:
        page = watched(context.new_page())
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(it => { it.open = true; })")
        assert page.evaluate("window.hacked") is None
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.locator("img").count() == 0
        assert page.complaints == []
        if path.parent not in folders:
            page.evaluate(ALIKE)
            assert violations(page) == []
            folders.add(path.parent)
        page.close()
    whole = context.new_page()
    whole.goto((tmp_path / "site" / page_text.case_page(case.id)).as_uri())
    shown = whole.locator("body").text_content() or ""
    assert "a" * 10_000 in shown
    assert EVIL[0] in shown
    assert "\\u202e" in shown
    context.close()


def test_measures_and_cases_that_are_unknown_do_not_stop_the_report(tmp_path: Path) -> None:
    rows = [Row("no/such-case", Subject("sklearn", "rows", "1"), "Novelty@3", None, Verdict.AGREES, 1.0, expected=1.0)]
    report = replace(
        report_of(cases=[]), results=RunResults({**HEADER, "asked": [{"library": "nobody"}]}, tuple(rows), {})
    )
    assert building.write(report, tmp_path / "site", tmp_path).index.is_file()


HEADER = {"rankproof": "0", "python": "3", "platform": "here"}


def report_of(cases: list[Case]) -> Report:
    """The published results, of some cases only."""
    whole = published_run.results()
    ids = {case.id for case in cases}
    return Report(replace(whole, rows=tuple(row for row in whole.rows if row.case in ids)), cases, libraries())


# -- the page of an explanation ----------------------------------------------------------------------------------


def explanation(*names: str, system: str = "mine", evil: bool = False) -> Explanation:
    """Of two queries that differ by the order of tied docs, and one that does not."""
    ids = EVIL if evil else ["a", "b", "c"]
    queries = EVIL[:3] if evil else ["1", "2", "3"]
    qrels = {query: [Judgment(ids[0], 1), Judgment(ids[1], 0)] for query in queries}
    tied, clear = [1.0] * len(ids), [float(-i) for i in range(len(ids))]
    run = {
        query: [RunRow(doc, score) for doc, score in zip(ids, scores, strict=True)]
        for query, scores in zip(queries, (tied, tied, clear), strict=True)
    }
    return explain(system, AskedData(qrels, run), parse_measure("RR"), Wish(names, whole=True, of_most=True))


def test_an_explanation_is_a_page_of_its_own_with_any_id(tmp_path: Path, browser: Browser) -> None:
    told = explanation("standard", "order=input", "ties=worst", system=EVIL[0], evil=True)
    path = tmp_path / "explained.html"
    path.write_text(explanation_page.page([told]), encoding="utf-8")
    reader = read(path)
    assert (reader.faults, reader.open) == ([], [])
    assert [link for link in reader.links if not link.startswith("#")] == [], "it needs nothing but itself"
    for scheme, width in (("light", 1280), ("dark", 360)):
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = watched(context.new_page())
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(it => { it.open = true; })")
        assert page.complaints == []
        assert violations(page, *(["color-contrast"] if scheme == "dark" else [])) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("window.hacked") is None
        for words in ("Who gives what", "Why they differ", "What the data has", "Ranks side by side"):
            expect(page.get_by_role("heading", name=words)).to_be_visible()
        expect(page.locator("figure svg path.bars").first).to_be_attached()
        context.close()


def test_a_page_says_how_many_queries_have_tied_docs_and_in_how_many_of_these_they_cross_the_cutoff() -> None:
    """Of four queries three have tied docs: two of them across rank 2, and one below it."""
    scores = {"1": (3.0, 2.0, 2.0), "2": (3.0, 2.0, 1.0, 1.0), "3": (2.0, 2.0, 2.0), "4": (3.0, 2.0, 1.0)}
    run = {
        query: [RunRow(doc, score) for doc, score in zip("abcd", each, strict=False)] for query, each in scores.items()
    }
    data = AskedData({query: [Judgment("a", 1), Judgment("b", 0)] for query in run}, run)
    page = explanation_page.page([explain("mine", data, parse_measure("P@2"), Wish(("standard", "ties=docid-asc")))])
    assert "the same score in 3 of 4 queries, across rank 2 in 2." in page


def test_the_charts_are_of_those_who_differ_in_most_queries() -> None:
    """By docids ascending four queries of tied docs differ, by the rows three of them, by removal two, by norel one, for two profiles."""
    tied = {str(i): [RunRow(doc, 1.0) for doc in ("ba" if i == 4 else "ab")] for i in (1, 2, 3, 4)}
    unjudged = {query: [RunRow("z", 2.0), RunRow("a", 1.0)] for query in ("5", "6")}
    qrels = {query: [Judgment("a", int(query != "7")), Judgment("b", 0)] for query in "1234567"}
    names = ("standard", "norel=1", "norel=1 mean=geometric", "unjudged=removed", "order=input", "ties=docid-asc")
    run = {**tied, **unjudged, "7": [RunRow("a", 1.0)]}
    told = explain("mine", AskedData(qrels, run), parse_measure("RR"), Wish(names, whole=True, of_most=True))
    assert [len(one.table) for one in drawings(told) if "differ" in one.title or "less" in one.title][:3] == [4, 3, 2]


def test_a_page_says_what_each_change_of_standard_does_that_moves_something_or_is_refused() -> None:
    qrels = {query: [Judgment("a", rel), Judgment("b", 0)] for query, rel in {"1": 1, "2": 2, "3": 1}.items()}
    run = {query: [RunRow("a", 1.0), RunRow("b", 1.0)] for query in qrels}
    wish = Wish(("standard", "order=input"), whole=True, of_most=True)
    told = explain("mine", AskedData(qrels, run), parse_measure("RR"), wish)
    row = r'<th scope="?row"?><code>([^<]*)</code></th><td[^>]*>[^<]*</td><td[^>]*>([^<]*)</td><td[^>]*>(\d+)</td>'
    shown = {spec: (value, int(moved)) for spec, value, moved in re.findall(row, explanation_page.page([told]))}
    effects = {f"{one.axis}={one.value}": one for one in told.effects or ()}
    assert {spec: one for spec, one in shown.items() if spec in effects} == {
        spec: ("refused" if isinstance(one.answers, Refused) else in_short(to_float(one.answers.mean)), len(one.moved))
        for spec, one in effects.items()
        if one.moved or isinstance(one.answers, Refused)
    }
    kinds = {(value == "refused", bool(moved)) for value, moved in shown.values()}
    assert kinds == {(True, False), (False, True)}, "some are refused, and some move a query"


def test_a_page_says_what_turns_one_mean_into_another_where_no_query_differs() -> None:
    """Three queries worth 1, 1/2 and 1/4: their mean is .5833, and their geometric mean 1/2."""
    run = {
        str(at): [RunRow("a" if place == at else f"x{place}", 1 / place) for place in (1, 2, 3, 4)] for at in (1, 2, 4)
    }
    data = AskedData({query: [Judgment("a", 1)] for query in run}, run)
    told = explain("mine", data, parse_measure("RR"), Wish(("standard", "mean=geometric", "ties=docid-asc")))
    page = explanation_page.page([told])
    shown = page[page.index("Why they differ") :].partition("<h2")[0].partition("</section>")[0]
    assert "mean=geometric" in shown
    assert "-.0833" in shown.replace("\u2212", "-")
    assert "ties=docid-asc" not in shown, "whose values and mean are the same"


def test_several_explanations_are_one_page(tmp_path: Path) -> None:
    path = tmp_path / "explained.html"
    path.write_text(
        explanation_page.page([explanation("ties=input"), explanation("ties=best")], ["no two runs change places"])
    )
    reader = read(path)
    assert {link.removeprefix("#") for link in reader.links} <= set(reader.ids)
    assert "no two runs change places" in " ".join(reader.words)


def seen_of(told: Explanation, number: int, *, drawn: int) -> Iterator[str]:
    """What a page tells of one run and one measure; of the charts their words alone, and `drawn` rows of their numbers."""
    refused = {one.conventions.spec(): one.answers.reason for one in told.sayings if isinstance(one.answers, Refused)}
    yield f"#s{number}#s{number}-h{told.measure} of {told.system}{one_sentence.sentence(told)}"
    whose = (f"{name} ({tool.whose})" for name, tool in told.read.items())
    yield f"Read in a source, and not proved by a fingerprint: {', '.join(whose)}." if told.read else ""
    yield "Who gives what{Means}¶|(n)mean|by|not as in standard, where it can matter here"
    for one in told.sayings:
        spec = one.conventions.spec()
        yield f"¶|(n)⟪t=mean⟫{one_sentence.value_of(one.answers)}|{', '.join(one.names)}{refused.get(spec, '')}|{spec}"
    yield f"Why they differ From {told.sayings[0].names[0]} to each of the others: the queries that differ, by the smallest set of"
    yield "changes that does it, and what each change adds to the mean where those before it are made. The parts sum to the difference"
    yield "exactly.{Attribution}¶|by|(n)mean|queries|change|(n)adds"
    for one in told.sayings[1:]:
        why = one.attribution
        assert why is not None
        adds = [(one_sentence.in_words(step.changes), in_short(to_float(step.adds))) for step in why.steps if step.adds]
        own = ["".join(one_sentence.cause_in_words(told, cause) for cause in why.causes)]
        wide = f"⟪rowspan={max(len(adds), 1)}⟫"
        head = f"¶|{wide}{' and '.join(one.names)}|(n)⟪t=mean⟫{wide}{one_sentence.value_of(one.answers)}|{wide}{own[0]}"
        rows = [f"|{change}|(n)⟪t=adds⟫{by}" for change, by in adds or [("", "")] if own[0] or adds]
        yield head * bool(rows) + "¶".join(rows)
    yield from seen_charts_and_ties(told, drawn)
    if told.effects is None:
        yield "What every convention would do was not worked out, as there is much data: ask with --whole."
    rows = [
        f"¶|{one.axis}={one.value}|{AXES[one.axis].phrase(one.value)}|(n)⟪t=mean⟫{one_sentence.value_of(one.answers)}"
        f"|(n)⟪t=queries moved⟫{len(one.moved)}"
        for one in sorted(told.effects or (), key=lambda one: -len(one.moved))
        if one.moved or isinstance(one.answers, Refused)
    ]
    head = "What one change of standard does{Changes of standard}¶|change|in words|(n)mean|(n)queries moved"
    yield "".join([head * bool(rows), *rows])
    yield "What the data has{What the data has}¶|what|(n)queries|(n)in all"
    yield from (f"¶|{fact.what}|(n){len(fact.queries)}|(n){fact.count:,}" for fact in told.facts)
    yield from seen_side_by_side(told)


def seen_charts_and_ties(told: Explanation, drawn: int) -> Iterator[str]:
    ties = told.envelope
    for chart in drawings(told):
        yield f"{{{chart.title}}}{''.join(text for _, text in [*chart.up, *chart.names])}{chart.below}{chart.title}"
        yield f"[The same in numbers{{The same in numbers}}¶|{'|(n)'.join(chart.columns)}"
        yield from (f"¶|{'|(n)'.join(row)}" for row in chart.table[:drawn])
        left = len(chart.table) - drawn
        yield (f"… and {left} more, by --json" if left > 0 else "") + "]"
    yield f"Ties Docs retrieved for a query have the same score in {len(ties.tied)} of {len(told.queries)} queries"
    yield f", across rank {told.measure.k} in {len(ties.across)}." if told.measure.k else "."
    found = explanation_page.tie_range(told)
    if found is not None:
        tools = "".join(f"; {names}: {value}" for _, value, names in found.tools)
        yield f"{{From {found.worst} in the worst order of tied docs to {found.best} in the best one{tools}}}"
        yield f"worst {found.worst} best {found.best}{''.join(f'{value} {names}' for _, value, names in found.tools)}"
        yield "What the order of tied docs can do to the mean, and where the tools stand"
        yield "" if found.middle is None else "; the dot is the mean over all orders"
    for end, called in {"worst": "the worst order", "expectation": "", "best": "the best order"}.items():
        yield f"•{f'in {called}' if called else 'over all orders'}:{one_sentence.value_of(ties.ends[end])}"


def seen_side_by_side(told: Explanation) -> Iterator[str]:
    side = told.side_by_side
    if side is None:
        return
    alike: dict[str, list[str]] = {}
    for one, ranking in zip(told.sayings, side.of, strict=True):
        letter = "refused" if ranking is None else "ABCDEFGHIJ"[ranking]
        alike.setdefault(f"{letter} {in_short(reading_of(one.answers, side.query))}", []).extend(one.names)
    yield f"Ranks side by side, for query {side.query}"
    yield from (f"•{shown}{one_sentence.some_names(names)}" for shown, names in alike.items())
    yield f"{{Ranks side by side}}¶|doc|rel|score|tie|{'|'.join('ABCDEFGHIJ'[: side.count])}"
    for doc in side.docs:
        rel = "unjudged" if doc.rel is None else f"{'(rel)' * (doc.rel >= 1)}{doc.rel}"
        yield f"¶|{doc.doc}|{rel}|{'not retrieved' if doc.score is None else f'{doc.score:g}'}|{doc.tied or ''}"
        for ranks in doc.ranks:
            yield "|–" if ranks is None else f"|{ranks[0]}" if ranks[0] == ranks[1] else f"|{ranks[0]}–{ranks[1]}"
    yield f"… and {side.left_out} more docs of which the ranks differ" if side.left_out else ""


@pytest.mark.parametrize("measure", ["nDCG@2", "RR"])
def test_a_page_has_all_that_is_explained_of_a_run_and_of_several(
    monkeypatch: pytest.MonkeyPatch, measure: str
) -> None:
    """Four queries: of tied docs, of a doc without a judgment, of nothing odd, and of no relevant doc."""
    monkeypatch.setattr(explanation_page, "TABLED", 1)
    rels = {"1": {"a": 1, "b": 0, "g": 2}, "2": {"a": 2, "b": 0}, "<3>": {"c": 1}, "4": {"a": 0}}
    docs: dict[str, dict[str, float]] = {
        "1": {"a": 1.5, "b": 1.5, "c": 1.5, "e": -1, "h": -1},
        "2": {"x": 3, "a": 1, "b": 1},
        "<3>": {"c": 2.5},
        "4": {"a": 1},
    }
    qrels = {query: [Judgment(doc, rel) for doc, rel in own.items()] for query, own in rels.items()}
    run = {query: [RunRow(doc, score) for doc, score in own.items()] for query, own in docs.items()}
    names = (
        "standard",
        "order=input",
        "ties=expectation",
        "norel=rejected",
        "ideal=given",
        "norel=1 gain=exp ties=best",
        "unretrieved=appended",
    )
    wish = Wish((*names, "missing=dropped norel=dropped"), whole=True, query="1")
    told = explain("<mine>", AskedData(qrels, run), parse_measure(measure), wish)
    tool = SimpleNamespace(whose="the <tool>")
    bare = replace(told, effects=None, side_by_side=None, read={"<x>": tool, "y": tool})
    assert told.side_by_side is not None
    why = told.sayings[1].attribution
    assert why is not None
    without_parts = replace(told.sayings[1], attribution=replace(why, steps=()))
    sayings = (told.sayings[0], without_parts, *told.sayings[2:])
    other = replace(told, effects=(), sayings=sayings, side_by_side=replace(told.side_by_side, left_out=3))
    head, body = (
        explanation_page.page([told, bare, other], ["a and b", "<c>"]).partition("<body>")[at] for at in (0, 2)
    )
    main = body.partition('<main id="main">')[2].partition("</main>")[0]
    links = "".join(f"{measure}of<mine>→#s{number}" for number in (1, 2, 3))
    parts = [f"3 explanations{{Explanations}}{links}"]
    parts += [part for at, one in enumerate((told, bare, other), 1) for part in seen_of(one, at, drawn=1)]
    said = without_spaces(*parts, "a and b<c>")
    assert re.sub("‹.*?›", "", seen(main)) == said
    assert f"<title>{measure} of &lt;mine&gt; and 2 more · rankproof explain</title>" in head.replace("  ", " ")


def test_a_figure_is_lines_and_text_without_a_script() -> None:
    root = ET.fromstring(explanation_page.figure(explanation("standard", "order=input", evil=True)))  # noqa: S314 - ours
    kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert kinds == {"svg", "title", "style", "g", "text", "line", "path"}
    texts = [element.text for element in root.iter() if element.tag.endswith("}text")]
    assert "RR by order=input, less that by standard" in texts
    assert "the queries that differ (2 of 3), by how much" in texts
    colours = set(re.findall(r"#([0-9a-f]+)", ET.tostring(root, encoding="unicode")))
    assert all(len(set(colour)) == 1 for colour in colours), "greys"


def test_the_range_of_ties_is_drawn_to_scale_beside_the_tools() -> None:
    # RR of three queries: 1 in the third; in the two others the relevant doc is tied with two: 1/3, 11/18 over all orders, 1.
    found = explanation_page.tie_range(explanation("standard", "order=input", "ties=expectation"))
    assert found is not None
    low, mid, high = (1 / 3 * 2 + 1) / 3, (11 / 18 * 2 + 1) / 3, 1.0
    wide = explanation_page.WIDTH - 2 * explanation_page.MARGIN
    assert (found.low, found.high) == (explanation_page.MARGIN, explanation_page.MARGIN + wide)
    assert found.middle == pytest.approx(explanation_page.MARGIN + wide * (mid - low) / (high - low), abs=0.06)
    assert [(value, names) for _, value, names in found.tools] == [
        (".5556", "standard"),
        (".7407", "ties=expectation"),
        ("1", "order=input"),
    ]
    assert [x for x, *_ in found.tools] == [found.low, found.middle, found.high]
    one = [Judgment("a", 1)]
    clear = explain("mine", AskedData({"1": one}, {"1": [RunRow("a", 1.0)]}), parse_measure("RR"), Wish(("standard",)))
    assert explanation_page.tie_range(clear) is None
    below = [RunRow("a", 2.0), RunRow("b", 1.0), RunRow("c", 1.0)]
    alike = explain("mine", AskedData({"1": one}, {"1": below}), parse_measure("RR"), Wish(("standard",)))
    assert explanation_page.tie_range(alike) is None, "no order of these moves the mean"


def test_tools_of_one_mean_stand_together_and_what_is_no_number_or_adds_nothing_is_left_out() -> None:
    told = explanation("standard", "order=input", "ties=expectation")
    first, second, third = told.sayings
    why = second.attribution
    assert why is not None
    assert isinstance(third.answers, Values)
    nothing = replace(why, steps=(*why.steps, replace(why.steps[0], adds=Fraction(0))))
    odd = replace(third, answers=replace(third.answers, mean=None))
    several = replace(
        told,
        sayings=(first, replace(second, attribution=nothing), odd, replace(first, names=("twin",), attribution=why)),
    )
    found = explanation_page.tie_range(several)
    assert found is not None
    assert [names for *_, names in found.tools] == ["standard and twin", "order=input"]
    (_, _, _, parts), *_ = (explanation_page._attribution(several, saying) for saying in several.sayings[1:2])
    assert parts == ((one_sentence.in_words(why.steps[0].changes), ".4444"),), "from 5/9 to 1"


def test_what_a_tool_gives_beyond_all_orders_of_ties_is_drawn_to_scale_too() -> None:
    # DCG@2 of rels 3 and 1, tied: between 1 + 3 / log2(3) and 3 + 1 / log2(3); by exponential gain above that, as flags below.
    rows = [RunRow("a", 1.0), RunRow("b", 1.0)]
    data = AskedData({"1": [Judgment("a", 3), Judgment("b", 1)]}, {"1": rows})
    names = ("standard", "ties=best", "gain=exp", "gain=binary")
    found = explanation_page.tie_range(explain("mine", data, parse_measure("DCG@2"), Wish(names)))
    assert found is not None
    part = 1 / math.log2(3)
    values = {"gain=binary": 1 + part, "standard": 1 + 3 * part, "ties=best": 3 + part, "gain=exp": 1 + 7 * part}
    least, most = values["gain=binary"], values["gain=exp"]
    wide = explanation_page.WIDTH - 2 * explanation_page.MARGIN
    at = {name: explanation_page.MARGIN + wide * (value - least) / (most - least) for name, value in values.items()}
    assert [names for *_, names in found.tools] == list(values)
    assert [x for x, *_ in found.tools] == pytest.approx(list(at.values()), abs=0.06)
    assert (found.low, found.high) == pytest.approx((at["standard"], at["ties=best"]), abs=0.06)


def test_the_bars_of_few_queries_have_their_names() -> None:
    differences, envelope = drawings(explanation("standard", "order=input"))
    assert [name for _, name in differences.names] == [name for _, name in envelope.names] == ["1", "2"]
    assert [x for x, _ in differences.names] == [float(part.split()[0]) for part in differences.bars.split("M")[1:]]
    few, many = (difference_charts._named([float(i) for i in range(n)], [str(i) for i in range(n)]) for n in (16, 17))
    assert (len(few), many) == (16, ())
    assert [difference_charts._places(count)[1] for count in (2, 100)] == [14, round(576 / 100 * 0.72, 2)]
    assert [name for _, name in difference_charts._named([1.0, 2.0], ["a" * 100, "b"])] == ["a" * 37 + "…", "b"]


def test_where_nothing_differs_a_figure_says_so() -> None:
    one = [Judgment("a", 1)]
    told = explain("mine", AskedData({"1": one}, {"1": [RunRow("a", 1.0)]}), parse_measure("RR"), Wish(("standard",)))
    assert drawings(told) == []
    assert "no query differs, and no order of tied docs moves one" in explanation_page.figure(told)


def test_charts_are_drawn_to_scale() -> None:
    # RR of the relevant doc "a", tied with two others: docid-desc puts it last, 1/3; as it comes it is first, 1.
    differences, envelope = drawings(explanation("standard", "order=input"))
    assert [text for _, text in differences.up] == ["0", ".2", ".4", ".6", ".8"], "the greatest difference is 2/3"
    bottom, top = HEIGHT - BOTTOM, TOP
    tip = bottom - (bottom - top) * (2 / 3) / 0.8
    ends = [part.split("V")[1] for part in differences.bars.split("M")[1:]]
    assert ends == [f"{tip:.1f}"] * 2
    assert differences.columns == ("query", "standard", "order=input", "difference")
    assert differences.table == (("1", ".3333", "1", ".6667"), ("2", ".3333", "1", ".6667"))
    # In the worst order 1/3, over all orders (1 + 1/2 + 1/3)/3 = 11/18, in the best 1.
    assert envelope.table == (("1", ".3333", ".6111", "1"), ("2", ".3333", ".6111", "1"))
    assert [text for _, text in envelope.up][-1] == "1"
    spans = [part.split()[1].split("V") for part in envelope.bars.split("M")[1:]]
    assert spans == [[f"{bottom - (bottom - top) / 3:.1f}", f"{top:.1f}"]] * 2


def test_a_chart_has_the_greatest_gain_first_and_of_orders_of_ties_the_best_and_least_open() -> None:
    """RR, by docid descending and ascending: of 1 it is 1/2 and 1, of 2 it is 1 and 1/3, of 3 it is 1/2 and 1/3, of 4 always 1."""
    above = [RunRow("z", 9.0)]
    run = {"1": "ab", "2": "abc", "3": "ab", "4": "a"}
    rows = {query: above * (query == "3") + [RunRow(doc, 1.0) for doc in docs] for query, docs in run.items()}
    hits = {"1": "a", "2": "c", "3": "b", "4": "a"}
    data = AskedData({query: [Judgment(doc, 1)] for query, doc in reversed(hits.items())}, rows)
    told = explain("mine", data, parse_measure("RR"), Wish(("standard", "ties=docid-asc")))
    first, other = told.sayings
    told = replace(told, sayings=(first, replace(other, names=("x", "y", "z"))))
    differences, envelope = drawings(told)
    assert differences.title == "RR by x, y and z, less that by standard"
    assert differences.columns == ("query", "standard", "x", "difference")
    assert differences.table == (("1", ".5", "1", ".5"), ("3", ".5", ".3333", "-.1667"), ("2", "1", ".3333", "-.6667"))
    assert envelope.table == (("1", ".5", ".75", "1"), ("2", ".3333", ".6111", "1"), ("3", ".3333", ".4167", ".5"))
    assert envelope.below == "the queries that the order moves (3 of 4); the line across: the mean over all orders"
    ends = {**told.envelope.ends, "expectation": CannotTell(Obstacle.TOO_MANY_ORDERS, "too many")}
    (_, untold) = drawings(replace(told, envelope=replace(told.envelope, ends=ends)))
    assert [row[2] for row in untold.table] == ["cannot be told"] * 3
    assert (untold.dots, untold.below) == ("", "the queries that the order moves (3 of 4)")
