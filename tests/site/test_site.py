"""Pages in Chromium: accessible, on a phone, by keyboard, without scripts, and safe with any id."""

import re
from pathlib import Path
from urllib.parse import quote, urlsplit

import published_run
import pytest
from browsers import REDUCE, open_unfolded, violations
from hostile_explanation import EVIL, explanation
from html_pages import read
from playwright.sync_api import Browser, Page, expect

from rankproof import cases
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report.run_report import Report
from rankproof.report.site import explanation_page, rendering
from rankproof.report.site.build import write_site
from rankproof.report.site.site_data import SiteData
from rankproof.workers.known_libraries import libraries
from rankproof.workers.subjects import Subject

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
    "measures.html",
    "measures/nDCG.html",
    "docs/check.html",
    "about.html",
]
"""A page of each template, except `compare.html`, which has its own test."""


@pytest.mark.parametrize("path", KINDS)
def test_page_loads_without_errors_is_accessible_and_fits_a_phone(
    site: Path, page: Page, phone: Page, path: str
) -> None:
    # A few libraries of the matrix are enough, because all columns have the same elements.
    page.goto((site / path).as_uri() + "?l=sklearn,trec_eval,catboost" * (path == "index.html"))
    page.evaluate("[...document.querySelectorAll('details')].slice(0, 6).forEach(it => { it.open = true; })")
    page.evaluate(REDUCE)
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, "color-contrast") == [], "contrast in the dark"
    open_unfolded(phone, site / path)


def test_list_of_cases_folds_and_filters(site: Path, page: Page) -> None:
    page.goto((site / "cases.html").as_uri())
    lines = page.locator(".caselist li:visible")
    assert lines.count() == 0
    assert page.locator(".caselist li").count() == len(cases.load_all())
    page.get_by_label("Show only cases that contain").fill("headline ties")
    headlines = (case for case in cases.load_all() if "headline" in case.tags)
    expected = {case.id for case in headlines if "ties" in f"{case.id} {case.tags} {case.question}"}
    assert {*lines.locator("code").all_inner_texts()} == expected != set()
    assert page.url.endswith("?q=headline+ties")
    page.reload()
    assert {*lines.locator("code").all_inner_texts()} == expected, "the address keeps the filter"
    page.get_by_label("Show only cases that contain").fill("")
    assert lines.count() == 0


def test_command_that_reproduces_a_case_can_be_copied(site: Path, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto((site / CASE).as_uri())
    page.get_by_role("button", name="Copy the command for sklearn").click()
    expect(page.locator("#copied")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "rankproof cases repro ties/renamed-doc sklearn nDCG@10 | python -"


def test_everything_is_readable_without_a_script(site: Path, browser: Browser) -> None:
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


def test_dark_colours_are_the_same_by_button_and_by_setting(site: Path, page: Page) -> None:
    names = sorted({*re.findall(r"--[\w-]+", (site / "assets" / "site.css").read_text(encoding="utf-8"))})
    colours = "names => names.map(name => getComputedStyle(document.documentElement).getPropertyValue(name))"
    page.goto((site / "axes.html").as_uri())
    light = page.evaluate(colours, names)
    page.get_by_role("button", name="Dark").click()
    dark = page.evaluate(colours, names)
    assert dark != light
    page.get_by_role("button", name="Light").click()
    assert page.evaluate(colours, names) == light
    page.evaluate("delete document.documentElement.dataset.theme")
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(colours, names) == dark


def test_matrix_shows_chosen_libraries_and_keeps_them_in_the_address(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    heads, rows = page.locator(".mx thead th:visible"), page.locator(".mx tbody tr:visible")
    page.locator(".pick summary").click()
    page.get_by_role("button", name="All", exact=True).click()
    names = heads.evaluate_all("all => all.map(it => it.dataset.l)")
    assert {*names} == {f.library for f in published_run.fingerprints() if f.key == "nDCG@k"}
    for name in {*names} - {"sklearn", "trec_eval"}:
        page.locator(f"#picks input[value={name}]").uncheck()
    axes = rows.locator("th").all_inner_texts()
    assert "tied documents" in axes
    assert "gain" not in axes, "both take the grade"
    page.get_by_role("button", name="more rows").click()
    every = rows.locator("th").all_inner_texts()
    assert {*axes} < {*every}
    assert sorted(urlsplit(page.url).query.split("&")) == ["all=1", "l=trec_eval,sklearn"]
    page.reload()
    assert rows.locator("th").all_inner_texts() == every, "the address keeps the choice"
    of_rows = (f for f in published_run.fingerprints() if (f.subject.name, f.key) == ("sklearn/rows", "nDCG@k"))
    cell = page.get_by_role("link", name="in all orders, averaged").first
    proof = rendering.case_page(next(of_rows).axes["ties"].witness)
    assert (cell.get_attribute("href") or "").endswith(proof), "a cell links the case that proves it"
    with page.expect_navigation():
        page.get_by_role("link", name="AP", exact=True).click()
    assert {*heads.evaluate_all("all => all.map(it => it.dataset.l)")} == {"sklearn", "trec_eval"}


def test_phone_shows_a_few_libraries(site: Path, phone: Page) -> None:
    phone.goto((site / "index.html").as_uri())
    heads = phone.locator(".mx thead th:visible")
    assert 2 <= heads.count() <= 4
    assert phone.locator(".tall").evaluate("it => it.scrollWidth <= it.clientWidth"), "nothing is cut"
    phone.locator(".pick summary").click()
    for box in phone.locator("#picks input").all()[:6]:
        box.check()
    assert heads.count() <= 4


# -- search ----------------------------------------------------------------------------------------------------------

QUESTIONS = [
    ("which libraries average ties?", "in all orders, averaged", "axes/ties.html#v-expectation"),
    ("does sklearn's nDCG use 2^rel?", "No. scikit-learn, nDCG@10: gain: the grade", "index.html?l=sklearn#a-gain"),
    ("why is my MRR lower than theirs?", "RR, also called MRR", "measures/RR.html"),
    ("which versions of torchmetrics changed?", "TorchMetrics: changes", "libraries/torchmetrics.html#history"),
    ("tie break", "tied documents", "axes/ties.html"),
    ("sklearn ties", "nDCG@10: tied documents: in all orders, averaged", "index.html?l=sklearn#a-ties"),
    ("does catboost average ties", "No. CatBoost, nDCG@10", "index.html?l=catboost#a-ties"),
    ("sklearn vs trec_eval ndcg", "trec_eval, nDCG@10, compared", "compare.html#sklearn--trec_eval/nDCG%40k"),
    ("check in CI", "Check in CI", "docs/how-to/check-in-ci.html"),
]
"""Typed text, the text of the first result, and the target of its link."""


def test_question_is_answered_by_one_search_from_home(site: Path, page: Page) -> None:
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


def test_search_is_in_the_address_and_enter_follows_its_first_result(site: Path, page: Page) -> None:
    for question, text, place in (QUESTIONS[0], QUESTIONS[5], QUESTIONS[7]):
        page.goto("about:blank")
        page.goto((site / "index.html").as_uri() + f"#q={quote(question)}")
        expect(page.locator("#found li").first).to_contain_text(text)
        page.keyboard.press("/")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{place}")
        anchor = place.partition("#")[2]
        assert page.locator("#pair h2" if "--" in anchor else f"[id='{anchor}']").is_visible()


def test_results_can_be_reached_by_keys_and_closed(site: Path, page: Page) -> None:
    page.goto((site / "libraries.html").as_uri() + "#q=ties")
    results = page.locator("#found")
    expect(results.locator("li").first).to_be_visible()
    page.evaluate(REDUCE)
    assert violations(page) == []
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.closest('li') === document.querySelector('#found li')")
    page.keyboard.press("Escape")
    expect(results).to_be_hidden()
    assert "#q" not in page.url
    page.keyboard.type("<img src=x onerror=qwxz>")
    expect(results).to_contain_text("No results")


def test_two_libraries_are_compared_and_kept_in_the_address(site: Path, page: Page, phone: Page) -> None:
    page.goto((site / "compare.html").as_uri() + "#sklearn--trec_eval")
    pair = page.locator("#pair")
    expect(pair.locator("h2")).to_contain_text("scikit-learn and trec_eval, nDCG@10")
    ties = pair.locator("tr", has_text="tied documents").locator("td")
    assert ties.all_inner_texts() == ["in all orders, averaged", "by id, descending"]
    main = {
        f.library: {axis: {*finding.could_be} for axis, finding in f.axes.items() if finding.could_be}
        for f in reversed(published_run.fingerprints())
        if f.key == "nDCG@k" and f.variant in {"rows", "default"}
    }
    both = main["sklearn"].keys() & main["trec_eval"].keys()
    different = [axis for axis in both if not main["sklearn"][axis] & main["trec_eval"][axis]]
    assert pair.locator("tbody tr").count() == len(different) > 1
    assert violations(page) == []
    page.locator("#other").select_option("catboost")
    expect(pair.locator("h2")).to_contain_text("scikit-learn and CatBoost, nDCG@10")
    page.locator("#form").select_option(label="AP")
    expect(pair.locator("h2")).to_contain_text("scikit-learn and CatBoost, AP" if "catboost" in page.url else "AP")
    address, title = page.url, pair.locator("h2").inner_text()
    page.goto("about:blank")
    page.goto(address)
    expect(pair.locator("h2")).to_have_text(title)
    open_unfolded(phone, site / "compare.html")


# -- hostile ids -----------------------------------------------------------------------------------------------------


def test_hostile_text_is_shown_and_never_executed(tmp_path: Path, phone: Page) -> None:
    queries = [(EVIL[i % 4], doc, i) for i, doc in enumerate(EVIL)]
    case = Case(
        id=f"ids/{EVIL[0]}",
        question=f"{EVIL[1]} is asked",
        why=EVIL[6],
        source=EVIL[7],
        tags=(EVIL[1], "ties"),
        input=Input(
            qrels=tuple((query, doc, 1) for query, doc, _ in queries),
            run=tuple((query, doc, 1.0, i) for query, doc, i in queries),
        ),
        expect={"nDCG@10": {"standard": {"mean": "1"}}},
    )
    subjects = (Subject("sklearn", EVIL[0], EVIL[2], alone=False), Subject(EVIL[1], EVIL[3], EVIL[2], alone=False))
    rows = tuple(
        Row(case.id, subject, "nDCG@10", query, Verdict.UNEXPLAINED, value, error, 1.0, note=EVIL[0])
        for subject in subjects
        for query, value, error in ((None, None, EVIL[6]), (EVIL[3], 0.5, None))
    )
    facts = {"variants": {EVIL[3]: EVIL[0]}, "dependencies": {EVIL[1]: EVIL[0]}, "notes": {EVIL[0]: EVIL[6]}}
    installations = [{"library": subject.library, "version": EVIL[2], **facts} for subject in subjects]
    header = {"rankproof": EVIL[0], "python": EVIL[1], "platform": EVIL[6], "asked": installations}
    written = write_site(tmp_path / "site", SiteData(Report(RunResults(header, rows, {}), [case], libraries())))
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert all(tmp_path.resolve() in path.resolve().parents for path in pages)
    folders = set()
    of_evil = [path for path in pages if "x-" in str(path) or "sklearn" in path.name]
    for path in (written.index, tmp_path / "site" / "cases.html", *of_evil):
        open_unfolded(phone, path)
        assert phone.locator("img").count() == 0
        if path.parent not in folders:
            phone.evaluate(REDUCE)
            assert violations(phone) == []
            folders.add(path.parent)
    text = "".join(read(tmp_path / "site" / rendering.case_page(case.id)).words)
    assert EVIL[0] in text
    assert "\\u202e" in text


def test_explanation_is_a_separate_page_with_any_id(tmp_path: Path, page: Page, phone: Page) -> None:
    path = tmp_path / "explained.html"
    result = explanation("standard", "order=input", "ties=worst", system=EVIL[0], evil=True)
    path.write_text(explanation_page.page([result]), encoding="utf-8")
    document = read(path)
    assert (document.faults, document.open) == ([], [])
    assert [link for link in document.links if not link.startswith("#")] == [], "it needs no other file"
    phone.emulate_media(color_scheme="dark")
    for tab, rules in ((page, []), (phone, ["color-contrast"])):
        open_unfolded(tab, path)
        assert violations(tab, *rules) == []
        for words in ("Ties alone can change", "Ranks for query"):
            expect(tab.locator("pre")).to_contain_text(words)
        expect(tab.locator(".bars b").first).to_be_attached()
