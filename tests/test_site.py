"""The site: whole, linked, small, readable without a script, usable by keyboard and on a phone, and safe with any id."""

import html
import html.parser
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote, unquote, urldefrag, urlsplit

import parts
import published_run
import pytest
from axe_playwright_python.sync_playwright import Axe
from browsers import chromium
from click.testing import CliRunner
from history_document import document_of
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from seen_pages import EVIL
from signed import assert_computes
from test_explanation_page import explanation

from rankproof import cases
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.cli.report import command
from rankproof.judge import results_file
from rankproof.judge.reproduction import script
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report.run_report import Report
from rankproof.site import building, explanation_page, page_text
from rankproof.site.page_text import form_slug
from rankproof.site.short_repros import short
from rankproof.workers.known_libraries import libraries
from rankproof.workers.subjects import Subject

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "reports"
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CASE = "cases/ties/renamed-doc.html"
KINDS = [
    "index.html",
    "cases.html",
    "libraries.html",
    "axes.html",
    CASE,
    "cases/labels/empty.html",
    "libraries/sklearn.html",
    "axes/ties.html",
    "axes/discount.html",
    "axes/known.html",
    "matrix/AP.html",
    "measures.html",
    "measures/nDCG.html",
    "measures/ARI.html",
    "compare.html",
    "compare/AP.html",
]
"""A page of each kind."""
NAMED = ("ties/renamed-doc", "labels/empty", "ties/seventeen-docs-all-tied", "queries/neither-qrels-nor-run")
"""The cases that a test looks at, or for."""
PART = 10
"""One in so many of the other cases is shown where parts are taken."""


@pytest.fixture(scope="module")
def shown(request: pytest.FixtureRequest) -> dict[str, Case]:
    """The cases that the site shows: where parts are taken, one in so many, and those that tests look at."""
    taken, named = parts.taken(request.config), {*NAMED, *proofs_of_ties()}
    return {
        case.id: case
        for case in cases.load_all()
        if not taken or case.id in named or parts.is_in_part(parts.code(), case.id, one_in=PART)
    }


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
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    with watched(context) as page:
        yield page
    context.close()


@contextmanager
def watched(context: BrowserContext) -> Iterator[Page]:
    """A page whose complaints are errors of the test that looks at it."""
    page, complaints = context.new_page(), list[str]()
    page.on("console", lambda message: message.type in {"error", "warning"} and complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(f"not loaded: {request.url}"))
    page.on("request", lambda it: it.url.startswith(("file:", "data:")) or complaints.append(it.url))
    yield page
    assert complaints == []
    page.close()


@contextmanager
def unfolded(context: BrowserContext, path: Path) -> Iterator[Page]:
    """A page of which all that folds is open: it fits the screen, and what is hostile in it does nothing."""
    with watched(context) as page:
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(it => { it.open = true; })")
        screen = page.viewport_size
        assert screen is not None
        assert page.evaluate("document.documentElement.scrollWidth") <= screen["width"]
        assert page.evaluate("window.hacked") is None
        yield page


class Read(html.parser.HTMLParser):
    """The links, the anchors, and whether every element that is opened is closed, or ends where HTML says that it does."""

    VOID = frozenset({"meta", "link", "input", "br", "img", "hr"})
    ENDS_BEFORE: ClassVar[dict[str, set[str]]] = {
        "td": {"td", "th"},
        "th": {"td", "th"},
        "tr": {"td", "th", "tr"},
        "li": {"li"},
        "dd": {"dd"},
        "dt": {"dd"},
    }
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
        self.links += [found[name] or "" for name in ("href", "src") if name in found]
        self.ids += [found["id"] or ""] if "id" in found else []
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
        "Renaming one of ten docs moves nDCG@10",
        "pytrec_eval issue 51",
        "5 tied",
        "unjudged",
        ".6842",
        "sklearn",
        "ties=expectation",
        "(1/2 + 3/log2(6) + 2/log2(7))/(3 + 2/log2(3) + 1/2)",
        "0.4983290230",
        "rankproof repro ties/renamed-doc LIBRARY nDCG@10",
    ):
        assert said in words


@pytest.mark.in_turn
def test_the_same_results_give_the_same_site(tmp_path: Path) -> None:
    small = report_of("ties/renamed-doc")
    for name in ("a", "b"):
        building.write(small, tmp_path / name, tmp_path)
    for path in (tmp_path / "a").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()


def test_a_site_is_replaced_and_anything_else_is_left_alone(tmp_path: Path) -> None:
    small, site = report_of(), tmp_path / "not" / "there" / "site"
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
    small = report_of()
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


# -- in a browser ------------------------------------------------------------------------------------------------


@pytest.mark.in_parts(8)
@pytest.mark.parametrize("path", KINDS)
def test_a_page_of_each_kind_loads_without_complaint_and_is_accessible_and_a_phone_scrolls_in_one_direction(
    site: Path, page: Page, phone: BrowserContext, path: str
) -> None:
    page.goto((site / path).as_uri())
    page.evaluate("[...document.querySelectorAll('details')].slice(0, 6).forEach(it => { it.open = true; })")
    page.evaluate(ALIKE)
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, "color-contrast") == []
    with unfolded(phone, site / path):
        pass


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


@pytest.fixture
def phone(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport={"width": 360, "height": 720}, has_touch=True, is_mobile=True)
    yield opened
    opened.close()


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


def test_filters_by_measure_library_and_verdict_agree_with_the_results(
    site: Path, published: RunResults, page: Page
) -> None:
    fits = {
        row.case
        for row in published.rows
        if (row.library, row.variant, row.measure) == ("sklearn", "rows", "nDCG@10")
        and row.verdict is Verdict.CONVENTION
    }
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
    differing = {case for case, verdicts in of_case.items() if {*verdicts} - {Verdict.AGREES, Verdict.UNDEFINED}}
    assert {case for case, count in counted.items() if count > 0} == differing & counted.keys()


def test_a_repro_can_be_copied_whole(site: Path, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
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
    ways = rows.evaluate_all(
        "all => all.map(row => [...row.querySelectorAll('td')].filter(it => it.checkVisibility()).map(it => "
        "it.querySelector('a:not(.open)')?.textContent.trim()).filter(Boolean))"
    )
    assert all(len({*one}) > 1 for one in ways), "what nothing decided is no difference"
    with page.expect_navigation():
        page.get_by_role("link", name="AP", exact=True).click()
    assert {*heads.evaluate_all("all => all.map(it => it.dataset.l)")} == {"sklearn", "trec_eval"}


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
        forms = [one for one in published_run.fingerprints() if one.key == "nDCG@k"]
        own = [one.axes[axis] for one in forms if one.subject.library == library]
        assert any(finding.why in said and [*finding.open] == remaining for finding in own), (kind, library, axis)
        page.keyboard.press("Escape")
    page.evaluate(ALIKE)
    assert violations(page) == []


def test_a_phone_compares_a_few(site: Path, phone: BrowserContext) -> None:
    page = phone.new_page()
    page.goto((site / "index.html").as_uri())
    heads = page.locator(".mx thead th:visible")
    assert 2 <= heads.count() <= 4
    box = page.locator(".tall")
    assert box.evaluate("it => it.scrollWidth <= it.clientWidth"), "nothing is cut"
    page.locator(".pick summary").click()
    for one in page.locator("#picks input").all()[:6]:
        one.check()
    assert heads.count() <= 4


# -- the questions that people come with ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def questioned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of few cases, with the published fingerprints of those that are asked about, and a made-up history."""
    folder = tmp_path_factory.mktemp("questions")
    published = json.loads((RESULTS / "fingerprint.json").read_text(encoding="utf-8"))
    asked_about = [one for one in published["fingerprints"] if re.split("[/-]", one["subject"])[0] in ASKED_ABOUT]
    (folder / "fingerprint.json").write_text(json.dumps({**published, "fingerprints": asked_about}), encoding="utf-8")
    history = document_of(
        {
            "torchmetrics": {
                "title": "TorchMetrics",
                "versions": ["0.7.3", "1.0.0"],
                "steps": [
                    {
                        "from": "0.7.3",
                        "to": "1.0.0",
                        "beside": "",
                        "also_differs": [],
                        "changes": [
                            {
                                "measure": "nDCG",
                                "variants": ["default"],
                                "behind": "before, ties in input order (ties=input)",
                                "answers": 7,
                                "before": ".7571",
                                "after": ".645",
                                "witness": {"case": "ties/renamed-doc", "measure": "nDCG@10", "query": None},
                            }
                        ],
                    }
                ],
                "answers": [
                    {
                        "variant": "default",
                        "case": "ties/renamed-doc",
                        "measure": "nDCG@10",
                        "query": None,
                        "by_version": [".7571", ".645"],
                    }
                ],
            },
        }
    )
    (folder / "history.json").write_text(json.dumps(history), encoding="utf-8")
    few = report_of(*NAMED)
    asked = [*few.results.header["asked"], {"library": "torchmetrics", "version": "1.0.0", "variants": {"default": ""}}]
    report = replace(few, results=replace(few.results, header={**few.results.header, "asked": asked}))
    building.write(report, folder / "site", folder)
    return folder / "site"


ASKED_ABOUT = {"sklearn", "catboost", "trec_eval", "torchmetrics"}
QUESTIONS = [
    ("which libraries average ties?", "mean over all orders", "scikit-learn", "axes/ties.html#v-expectation"),
    (
        "does sklearn's nDCG use 2^rel?",
        "No. scikit-learn, nDCG@10: gain of a rel: rel",
        "What gain has a rel?",
        "index.html?l=sklearn#a-gain",
    ),
    ("why is my MRR lower than theirs?", "RR, also called MRR", "1 over the rank of the first hit", "measures/RR.html"),
    (
        "which versions of torchmetrics changed?",
        "TorchMetrics: which versions changed",
        "",
        "libraries/torchmetrics.html#history",
    ),
    ("MRR", "RR, also called MRR", "", "measures/RR.html"),
    ("hit rate", "Success, also called HitRate", "", "measures/Success.html"),
    ("tie break", "Docs with the same score", "In which order", "axes/ties.html"),
    (
        "sklearn ties",
        "scikit-learn, nDCG@10: docs with the same score: mean over all orders",
        "AP: all at the last rank",
        "index.html?l=sklearn#a-ties",
    ),
    (
        "does catboost average ties",
        "No. CatBoost, nDCG@10: docs with the same score: worst order",
        "",
        "index.html?l=catboost#a-ties",
    ),
    (
        "sklearn vs trec_eval ndcg",
        "scikit-learn and trec_eval, nDCG@10, side by side",
        "",
        "compare.html#sklearn--trec_eval",
    ),
    ("NDCG", "nDCG", "", "measures/nDCG.html"),
    ("average precision", "AP, also called", "", "measures/AP.html"),
    ("num_rel_ret", "NumRet", "", "measures/NumRet.html"),
    ("iprec_at_recall", "IPrec, also called", "", "measures/IPrec.html"),
    ("precision", "P, also called", "", "measures/P.html"),
]
"""What is asked, what the first answer says, what stands below it, and where it leads."""


@pytest.mark.in_turn
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
    )
    (told,) = (one for one in found if one.startswith("Docs with the same score: "))
    assert [one in told for one in ("scikit-learn", "CatBoost", "ranx", "BEIR")] == [True, True, True, False], told


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
    history = page.locator("section", has=page.locator("#history"))
    expect(history).to_contain_text("0.7.3 → 1.0.0")
    expect(history).to_contain_text(".7571 → .645")


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


def test_two_libraries_are_picked_and_stand_in_the_address(questioned: Path, page: Page) -> None:
    page.goto((questioned / "compare.html").as_uri() + "#sklearn--trec_eval")
    pair = page.locator("#pair")
    expect(pair.locator("h2")).to_contain_text("scikit-learn and trec_eval, nDCG@10")
    ties = pair.locator("tr", has_text="Docs with the same score")
    assert ties.locator("td").first.inner_text().startswith("mean over all orders")
    assert ties.locator("td").last.inner_text().startswith("by docid, descending")
    data = json.loads(page.locator("script[type='application/json']").first.text_content() or "")
    told = [one[2:4] or [None, None] for one in data["pairs"]["sklearn--trec_eval"]]
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
        open_ones = ("" in both and None not in both for both in of_pair[name])
        still = [axis.lower() for (axis, *_), is_open in zip(data["axes"], open_ones, strict=True) if is_open]
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


# -- whatever the ids --------------------------------------------------------------------------------------------


def test_hostile_text_is_shown_and_never_executed(tmp_path: Path, browser: Browser) -> None:
    case = Case(
        id=f"ids/{EVIL[0]}",
        question=f"{EVIL[1]} is asked",
        why=EVIL[6],
        source=EVIL[7],
        tags=(EVIL[1], "ties"),
        input=Input(
            qrels=tuple((EVIL[i % 4], doc, 1) for i, doc in enumerate(EVIL)),
            run=tuple((EVIL[i % 4], doc, 1.0, i) for i, doc in enumerate(EVIL)),
        ),
        expect={"nDCG@10": {"standard": {"mean": "1"}}},
    )
    subjects = (Subject("sklearn", EVIL[0], EVIL[2], alone=False), Subject(EVIL[1], EVIL[3], EVIL[2], alone=False))
    rows = tuple(
        Row(case.id, subject, "nDCG@10", query, Verdict.UNEXPLAINED, value, error, 1.0, note=EVIL[0])
        for subject in subjects
        for query, value, error in ((None, None, EVIL[6]), (EVIL[3], 0.5, None))
    )
    said = {"variants": {EVIL[3]: EVIL[0]}, "dependencies": {EVIL[1]: EVIL[0]}, "notes": {EVIL[0]: EVIL[6]}}
    asked = [{"library": library, "version": EVIL[2], **said} for library in ("sklearn", EVIL[1])]
    header = {"rankproof": EVIL[0], "python": EVIL[1], "platform": EVIL[6], "asked": asked}
    written = building.write(Report(RunResults(header, rows, {}), [case], libraries()), tmp_path / "site", tmp_path)
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert all(tmp_path.resolve() in path.resolve().parents for path in pages)
    context = browser.new_context(viewport={"width": 360, "height": 720})
    folders = set()
    of_evil = [path for path in pages if "x-" in str(path) or "sklearn" in path.name]
    for path in (written.index, tmp_path / "site" / "cases.html", *of_evil):
        with unfolded(context, path) as page:
            assert page.locator("img").count() == 0
            if path.parent not in folders:
                page.evaluate(ALIKE)
                assert violations(page) == []
                folders.add(path.parent)
    whole = context.new_page()
    whole.goto((tmp_path / "site" / page_text.case_page(case.id)).as_uri())
    shown = whole.locator("body").text_content() or ""
    assert "a" * 10_000 in shown
    assert EVIL[0] in shown
    assert "\\u202e" in shown
    context.close()


def test_measures_and_cases_that_are_unknown_do_not_stop_the_report(tmp_path: Path) -> None:
    rows = [Row("no/such-case", Subject("sklearn", "rows", "1"), "Novelty@3", None, Verdict.AGREES, 1.0, expected=1.0)]
    header = {"rankproof": "0", "python": "3", "platform": "here", "asked": [{"library": "nobody"}]}
    report = replace(report_of(), results=RunResults(header, tuple(rows), {}))
    assert building.write(report, tmp_path / "site", tmp_path).index.is_file()


def report_of(*ids: str) -> Report:
    """The published results, of some cases only."""
    whole = published_run.results()
    few = [case for case in cases.load_all() if case.id in ids]
    return Report(replace(whole, rows=tuple(row for row in whole.rows if row.case in ids)), few, libraries())


def test_an_explanation_is_a_page_of_its_own_with_any_id(tmp_path: Path, browser: Browser) -> None:
    told = explanation("standard", "order=input", "ties=worst", system=EVIL[0], evil=True)
    path = tmp_path / "explained.html"
    path.write_text(explanation_page.page([told]), encoding="utf-8")
    reader = read(path)
    assert (reader.faults, reader.open) == ([], [])
    assert [link for link in reader.links if not link.startswith("#")] == [], "it needs nothing but itself"
    for scheme, width in (("light", 1280), ("dark", 360)):
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        with unfolded(context, path) as page:
            assert violations(page, *(["color-contrast"] if scheme == "dark" else [])) == []
            for words in ("Who gives what", "Why they differ", "What the data has", "Ranks side by side"):
                expect(page.get_by_role("heading", name=words)).to_be_visible()
            expect(page.locator("figure svg path.bars").first).to_be_attached()
        context.close()
