"""The site: whole, linked, small, readable without a script, usable by keyboard and on a phone, and safe with any id."""

import html
import html.parser
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote, unquote, urldefrag, urlsplit

import published_run
import pytest
from axe_playwright_python.sync_playwright import Axe
from browsers import required_chromium
from click.testing import CliRunner
from history_document import document_of
from hostile_explanation import EVIL, explanation
from places import ROOT
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from signature_checks import assert_computes

from rankproof import cases
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.cli.program import VERBS, cli
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report.run_report import Report
from rankproof.report.site import explanation_page, rendering
from rankproof.report.site.build import NotOurs, write_site
from rankproof.report.site.documentation import DeadLink
from rankproof.report.site.site_data import SiteData
from rankproof.workers.known_libraries import libraries
from rankproof.workers.subjects import Subject

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
    "axes/known.html",
    "matrix/AP.html",
    "measures.html",
    "measures/nDCG.html",
    "measures/ARI.html",
    "compare.html",
    "docs/index.html",
    "docs/check.html",
    "docs/reference/commands.html",
]
"""A page of each kind."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the published run, as the command line writes it."""
    out = tmp_path_factory.mktemp("report") / "site"
    arguments = ["report", "site", "--results", str(RESULTS), "--out", str(out), "--docs", str(ROOT / "docs")]
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    assert str(out / "index.html") in done.output
    return out


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=required_chromium(), headless=True, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    with watched(context) as page:
        yield page
    context.close()


@pytest.fixture
def phone(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport={"width": 360, "height": 720}, has_touch=True, is_mobile=True)
    yield opened
    opened.close()


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


def test_every_page_is_well_formed_and_every_link_leads_somewhere(site: Path) -> None:
    pages = {path.resolve(): read(path) for path in site.rglob("*.html")}
    faults = []
    for path, found in pages.items():
        faults += [f"{path}: {fault}" for fault in (*found.faults, *found.open)]
        faults += [f"{path}: #{one} twice" for one in set(found.ids) if found.ids.count(one) > 1]
        for link in set(found.links):
            faults += [f"{path}: {link}"] if not leads_somewhere(path, link, pages) else []
    assert faults == []
    assert len(pages) > len(cases.load_all())


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
    if target is not None and target.name == "compare.html":  # its fragment names libraries
        return True
    return target is not None and (not fragment or unquote(fragment) in pages[target].ids)


def test_every_signature_on_a_page_reads_and_computes(site: Path) -> None:
    printed = [
        (path.stem, html.unescape(text))
        for path in site.rglob("*.html")
        for text in re.findall(r'<p class="signature"><code>(.+?)</code>', path.read_text(encoding="utf-8"))
    ]
    assert len(printed) > 100
    for library, text in printed[::4]:
        assert assert_computes(text).by.startswith(library), "it is of the library whose page it is on"


def test_the_site_is_small(site: Path) -> None:
    assert sum(path.stat().st_size for path in site.rglob("*")) < 10_000_000
    assert (site / "cases.html").stat().st_size < 150_000
    assert (site / "index.html").stat().st_size < 250_000


def test_nothing_comes_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert re.findall(r'<(?:script|img|link)[^>]+(?:src|href)="(https?:[^"]+)', text) == [], path
    assert "@import" not in (site / "assets" / "site.css").read_text(encoding="utf-8")


def test_a_case_tells_its_question_ranking_values_arithmetic_and_repro(site: Path) -> None:
    words = " ".join(" ".join(read(site / CASE).words).split())
    for text in (
        "Renaming one of ten docs moves nDCG@10",
        "pytrec_eval issue 51",
        "unjudged",
        ".6842",
        "sklearn",
        "ties=expectation",
        "(1/2 + 3/log2(6) + 2/log2(7))/(3 + 2/log2(3) + 1/2)",
        "0.4983290230",
        "rankproof cases repro ties/renamed-doc LIBRARY nDCG@10",
    ):
        assert text in words


def test_every_command_and_name_of_the_package_is_in_the_reference(site: Path) -> None:
    headings = read(site / "docs" / "reference" / "commands.html").ids
    assert {f"rankproof-{verb}" for verb in VERBS} <= {*headings}
    assert {"evaluate", "check"} <= {*read(site / "docs" / "reference" / "python.html").ids}


def test_every_document_can_be_reached(site: Path) -> None:
    seen, waiting = set[Path](), [(site / "docs" / "index.html").resolve()]
    while waiting:
        path = waiting.pop()
        if path not in seen and path.suffix == ".html" and (site / "docs").resolve() in path.parents:
            seen.add(path)
            links = {urlsplit(link).path for link in read(path).links if not urlsplit(link).scheme}
            waiting += [(path.parent / link).resolve() for link in links if link]
    assert seen == {path.resolve() for path in (site / "docs").rglob("*.html")}


@pytest.mark.parametrize(
    "link", ["no-such-page.md", "two.md#no-such-heading", "../no-such-file.txt", "../nowhere.html"]
)
def test_a_dead_link_of_the_documentation_is_an_error_with_its_line(link: str, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(
        "# One\n\n[two](two.md#a-heading), [axes](../axes.html)\n", encoding="utf-8"
    )
    (tmp_path / "docs" / "two.md").write_text("# Two\n\n## A heading\n", encoding="utf-8")
    write_site(tmp_path / "site", SiteData(report_of()), tmp_path / "docs")
    before = (tmp_path / "site" / "docs" / "two.html").read_bytes()
    (tmp_path / "docs" / "two.md").write_text(f"# Two\n\n## A heading\n\nsee\n[here]({link})\n", encoding="utf-8")
    with pytest.raises(DeadLink, match=r"two\.md:5: .*leads"):
        write_site(tmp_path / "site", SiteData(report_of()), tmp_path / "docs")
    assert (tmp_path / "site" / "docs" / "two.html").read_bytes() == before, "the site before stays"


def test_the_same_results_give_the_same_site(tmp_path: Path) -> None:
    small = SiteData(report_of("ties/renamed-doc"))
    for name in ("a", "b"):
        write_site(tmp_path / name, small)
    for path in (tmp_path / "a").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()


def test_a_site_is_replaced_and_anything_else_is_left_alone(tmp_path: Path) -> None:
    small, folder = SiteData(report_of()), tmp_path / "not" / "there" / "site"
    written = write_site(folder, small)
    assert written.pages == len(list(folder.rglob("*.html")))
    assert written.size == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    (folder / "stray").write_text("from before")
    assert write_site(folder, small).index.is_file()
    assert not (folder / "stray").exists()
    (tmp_path / "empty").mkdir()
    write_site(tmp_path / "empty", small)
    for name in ("thesis.tex", "index.html", ".git"):
        mine = tmp_path / f"mine of {name}"
        mine.mkdir()
        (mine / name).write_text("years of work")
        with pytest.raises(NotOurs, match="--out"):
            write_site(mine, small)
        assert [path.name for path in mine.iterdir()] == [name]


# -- in a browser ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", KINDS)
def test_a_page_of_each_kind_loads_without_complaint_and_is_accessible_and_fits_a_phone(
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


def test_the_list_of_cases_loads_fast_folds_and_filters(site: Path, page: Page) -> None:
    start = time.perf_counter()
    page.goto((site / "cases.html").as_uri())
    assert time.perf_counter() - start < 3, "a third of that on a machine with nothing else to do"
    lines = page.locator(".caselist li:visible")
    assert lines.count() == 0
    assert page.locator(".caselist li").count() == len(cases.load_all())
    page.get_by_label("Show only cases with").fill("headline ties")
    wanted = {
        case.id
        for case in cases.load_all()
        if "headline" in case.tags and "ties" in f"{case.id} {case.tags} {case.question}"
    }
    assert {*lines.locator("code").all_inner_texts()} == wanted != set()
    assert page.url.endswith("?q=headline+ties")
    page.reload()
    assert {*lines.locator("code").all_inner_texts()} == wanted, "the address is enough"
    page.get_by_label("Show only cases with").fill("")
    assert lines.count() == 0


def test_a_command_that_reproduces_a_case_can_be_copied(site: Path, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto((site / CASE).as_uri())
    page.get_by_role("button", name="Copy the command for sklearn").click()
    expect(page.locator("#copied")).to_have_text("Copied")
    typed = page.evaluate("navigator.clipboard.readText()")
    assert typed == "rankproof cases repro ties/renamed-doc sklearn nDCG@10 | python -"


def test_all_is_there_without_a_script(site: Path, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / CASE).as_uri())
    assert page.get_by_text("rankproof cases repro ties/renamed-doc LIBRARY nDCG@10").is_visible()
    page.goto((site / "cases.html").as_uri())
    assert page.locator(".caselist li").count() == len(list((site / "cases").rglob("*.html")))
    assert not page.locator(".filters").is_visible()
    page.goto((site / "index.html").as_uri())
    assert page.get_by_role("rowheader", name="tied documents").is_visible()
    assert page.locator(".mx thead th:visible").count() > 10
    page.get_by_role("link", name="AP", exact=True).click()
    assert page.get_by_role("rowheader", name="divisor of AP").is_visible(), "each measure has a page of its own"
    context.close()


def test_light_and_dark_can_be_chosen(site: Path, page: Page) -> None:
    page.goto((site / "axes.html").as_uri())
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    page.evaluate(ALIKE)
    assert violations(page, "color-contrast") == []


def test_the_matrix_shows_chosen_libraries_and_keeps_them_in_the_address(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    heads, rows = page.locator(".mx thead th:visible"), page.locator(".mx tbody tr:not(.stage):visible")
    names = heads.evaluate_all("all => all.map(it => it.dataset.l)")
    assert {*names} == {one.library for one in published_run.fingerprints() if one.key == "nDCG@k"}
    page.locator(".pick summary").click()
    for name in {*names} - {"sklearn", "trec_eval"}:
        page.locator(f"#picks input[value={name}]").uncheck()
    choices = rows.count()
    page.get_by_label("only where they differ").check()
    assert 0 < rows.count() < choices
    assert sorted(urlsplit(page.url).query.split("&")) == ["d=1", "l=sklearn,trec_eval"]
    shown = rows.locator("th").all_inner_texts()
    page.reload()
    assert rows.locator("th").all_inner_texts() == shown, "the address is enough"
    assert "tied documents" in shown
    assert "gain" not in shown, "both take the rel"
    with page.expect_navigation():
        page.get_by_role("link", name="AP", exact=True).click()
    assert {*heads.evaluate_all("all => all.map(it => it.dataset.l)")} == {"sklearn", "trec_eval"}


def test_a_cell_leads_to_the_case_that_proves_it(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri() + "?l=sklearn")
    (finding,) = (
        one.axes["ties"]
        for one in published_run.fingerprints()
        if (one.library, one.variant, one.key) == ("sklearn", "rows", "nDCG@k")
    )
    page.get_by_role("link", name="in all orders, averaged").first.click()
    assert page.url.endswith(rendering.case_page(finding.witness))


def test_a_phone_shows_a_few_libraries(site: Path, phone: BrowserContext) -> None:
    page = phone.new_page()
    page.goto((site / "index.html").as_uri())
    heads = page.locator(".mx thead th:visible")
    assert 2 <= heads.count() <= 4
    assert page.locator(".tall").evaluate("it => it.scrollWidth <= it.clientWidth"), "nothing is cut"
    page.locator(".pick summary").click()
    for one in page.locator("#picks input").all()[:6]:
        one.check()
    assert heads.count() <= 4


# -- the questions that people come with -------------------------------------------------------------------------

QUESTIONS = [
    ("which libraries average ties?", "in all orders, averaged", "axes/ties.html#v-expectation"),
    ("does sklearn's nDCG use 2^rel?", "No. scikit-learn, nDCG@10: gain: the grade", "index.html?l=sklearn#a-gain"),
    ("why is my MRR lower than theirs?", "RR, also called MRR", "measures/RR.html"),
    (
        "which versions of torchmetrics changed?",
        "TorchMetrics: which versions changed",
        "libraries/torchmetrics.html#history",
    ),
    ("hit rate", "Success, also called HitRate", "measures/Success.html"),
    ("tie break", "tied documents", "axes/ties.html"),
    (
        "sklearn ties",
        "scikit-learn, nDCG@10: tied documents: in all orders, averaged",
        "index.html?l=sklearn#a-ties",
    ),
    (
        "does catboost average ties",
        "No. CatBoost, nDCG@10: tied documents: in the worst order",
        "index.html?l=catboost#a-ties",
    ),
    (
        "sklearn vs trec_eval ndcg",
        "scikit-learn and trec_eval, nDCG@10, compared",
        "compare.html#sklearn--trec_eval/nDCG%40k",
    ),
    ("average precision", "AP, also called", "measures/AP.html"),
    ("num_rel_ret", "NumRet", "measures/NumRet.html"),
    ("check in CI", "Check in CI", "docs/how-to/check-in-ci.html"),
]
"""What is typed, what the first result says, and where it leads."""


def test_a_question_is_answered_by_one_search_from_home(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    first = page.locator("#found li").first
    for question, text, place in QUESTIONS:
        page.keyboard.press("/")
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(question)
        expect(first).to_contain_text(text)
        encoded = quote(question, safe="~()*!.'")
        assert page.url.endswith(f"#q={encoded}")
        assert (first.locator("a").first.get_attribute("href") or "").startswith(place), question


@pytest.mark.parametrize("which", [0, 6, 8], ids=lambda which: QUESTIONS[which][0])
def test_a_search_is_in_the_address_and_enter_follows_its_first_result(site: Path, page: Page, which: int) -> None:
    question, text, place = QUESTIONS[which]
    page.goto((site / "index.html").as_uri() + f"#q={quote(question)}")
    expect(page.locator("#found li").first).to_contain_text(text)
    page.keyboard.press("/")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{place}")
    anchor = place.partition("#")[2]
    assert page.locator("#pair h2" if "--" in anchor else f"[id='{anchor}']").is_visible()


def test_results_can_be_reached_by_keys_and_closed(site: Path, page: Page) -> None:
    page.goto((site / "libraries.html").as_uri() + "#q=ties")
    found = page.locator("#found")
    expect(found.locator("li").first).to_be_visible()
    page.evaluate(ALIKE)
    assert violations(page) == []
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.closest('li') === document.querySelector('#found li')")
    page.keyboard.press("Escape")
    expect(found).to_be_hidden()
    assert "#q" not in page.url
    page.keyboard.type("<img src=x onerror=qwxz>")
    expect(found).to_contain_text("No results")


def test_two_libraries_are_compared_and_kept_in_the_address(site: Path, page: Page) -> None:
    page.goto((site / "compare.html").as_uri() + "#sklearn--trec_eval")
    pair = page.locator("#pair")
    expect(pair.locator("h2")).to_contain_text("scikit-learn and trec_eval, nDCG@10")
    ties = pair.locator("tr", has_text="tied documents").locator("td")
    assert ties.all_inner_texts() == ["in all orders, averaged", "by id, descending"]
    main = {
        one.library: one
        for one in reversed(published_run.fingerprints())
        if one.key == "nDCG@k" and one.variant in {"rows", "default"}
    }
    mine, theirs = main["sklearn"].axes, main["trec_eval"].axes
    both = [(mine[axis].could_be, theirs[axis].could_be) for axis in mine.keys() & theirs.keys()]
    assert pair.locator("tbody tr").count() == sum(bool(a and b and not {*a} & {*b}) for a, b in both)
    assert violations(page) == []
    page.locator("#other").select_option("catboost")
    expect(pair.locator("h2")).to_contain_text("scikit-learn and CatBoost, nDCG@10")
    page.locator("#form").select_option(label="AP")
    expect(pair.locator("h2")).to_contain_text("scikit-learn and CatBoost, AP" if "catboost" in page.url else "AP")
    address = page.url
    title = pair.locator("h2").inner_text()
    page.goto("about:blank")
    page.goto(address)
    expect(pair.locator("h2")).to_have_text(title)


def test_what_changed_from_version_to_version_is_on_the_page_of_a_library(tmp_path: Path) -> None:
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
    data = SiteData(report_of("ties/renamed-doc"), history=history["libraries"])
    write_site(tmp_path / "site", data)
    words = " ".join(" ".join(read(tmp_path / "site" / "libraries" / "torchmetrics.html").words).split())
    for text in ("0.7.3 → 1.0.0", ".7571 → .645", "before, ties in input order (ties=input)"):
        assert text in words


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
    written = write_site(tmp_path / "site", SiteData(Report(RunResults(header, rows, {}), [case], libraries())))
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
    shown = read(tmp_path / "site" / rendering.case_page(case.id)).words
    assert EVIL[0] in "".join(shown)
    assert "\\u202e" in "".join(shown)
    context.close()


def test_measures_and_cases_that_are_unknown_do_not_stop_the_report(tmp_path: Path) -> None:
    rows = [Row("no/such-case", Subject("sklearn", "rows", "1"), "Novelty@3", None, Verdict.AGREES, 1.0, expected=1.0)]
    header = {"rankproof": "0", "python": "3", "platform": "here", "asked": [{"library": "nobody"}]}
    report = replace(report_of(), results=RunResults(header, tuple(rows), {}))
    assert write_site(tmp_path / "site", SiteData(report)).index.is_file()


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
            for words in ("Ties alone can change", "Ranks for query"):
                expect(page.locator("pre")).to_contain_text(words)
            expect(page.locator(".bars b").first).to_be_attached()
        context.close()
