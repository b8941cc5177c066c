"""Questions of visitors, each answered by one search or two clicks, on the site of the published results."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

SEARCHES = [
    # typed words, the page, and text that the visitor sees on it
    ("which libraries average ties", "axes/ties.html#v-expectation", "sklearn/rows"),
    ("does scikit-learn's nDCG use 2^rel", "index.html?l=sklearn#a-gain", "the grade"),
    ("why is my MRR lower than theirs", "measures/RR.html", "Why your value may be higher or lower than others"),
    ("which versions of torchmetrics changed", "libraries/torchmetrics.html#history", "Versions tested: 0.4.1"),
    ("what does AP divide by in CatBoost", "matrix/AP.html?l=catboost#a-ap_denominator", "R, all relevant documents"),
    ("queries without relevant documents in ranx", "index.html?l=ranx#a-norel", "no relevant docs"),
    ("how do I cite this", "about.html#cite", "@software{rankproof,"),
    ("how do I install this", "about.html#install", "pip install ."),
    ("average precision sklearn", "matrix/AP.html?l=sklearn", "at the last rank of their group"),
    ("AP denominator", "axes/ap_denominator.html", "min(k, R)"),
    ("nan", "axes/norel.html", "undefined (NaN)"),
    ("install", "about.html#install", "pip install ."),
    ("cite", "about.html#cite", "@software{rankproof,"),
    ("github", "about.html#source", "MIT"),
    ("tie-breaking", "axes/ties.html", "in all orders, averaged"),
    ("nDCG10", "measures/nDCG.html", "DCG@k / IDCG@k"),
    ("ndcg_at_10", "measures/nDCG.html", "DCG@k / IDCG@k"),
    ("hit rate", "measures/Success.html", "HitRate"),
    ("mean reciprocal rank", "measures/RR.html", "mean_reciprocal_rank"),
    ("GMAP", "measures/AP.html", "mean_average_precision"),
    ("accuracy@1", "measures/Success.html", "HitRate"),
]
NOT_COVERED = [("BLEU", "generated text"), ("alpha-nDCG", "diversity"), ("context precision", "ambiguous")]


@pytest.mark.parametrize(("typed", "place", "answer"), SEARCHES)
def test_one_search_leads_to_the_answer(site: Path, page: Page, typed: str, place: str, answer: str) -> None:
    page.goto((site / "libraries.html").as_uri())
    page.locator("#find").fill(typed)
    found = page.locator("#found li a").locator("visible=true")
    expect(found.first).to_be_visible()
    hrefs = [link.get_attribute("href") for link in found.all()[:3]]
    assert place in hrefs
    found.nth(hrefs.index(place)).click()
    page.wait_for_url(f"**/{place}")
    expect(page.locator("#main").get_by_text(answer).locator("visible=true").first).to_be_visible()
    anchor = place.partition("#")[2]
    assert not anchor or page.locator(f"[id='{anchor}']").is_visible()


@pytest.mark.parametrize(("typed", "reason"), NOT_COVERED)
def test_measures_that_are_not_covered_are_named_as_such(site: Path, page: Page, typed: str, reason: str) -> None:
    page.goto((site / "libraries.html").as_uri())
    page.locator("#find").fill(typed)
    expect(page.locator("#found li").first).to_contain_text("not covered")
    expect(page.locator("#found li").first).to_contain_text(reason)


CLICKS = [
    ("tied documents", "v-expectation", "in all orders, averaged"),
    ("About", "cite", "@software{rankproof,"),
    ("Compare", "pair", "trec_eval and scikit-learn, nDCG@10"),
]


@pytest.mark.parametrize(("link", "anchor", "answer"), CLICKS)
def test_one_click_from_home_leads_to_the_answer(site: Path, page: Page, link: str, anchor: str, answer: str) -> None:
    page.goto((site / "index.html").as_uri())
    page.get_by_role("link", name=link, exact=True).first.click()
    expect(page.locator(f"#{anchor}")).to_be_visible()
    expect(page.get_by_text(answer).locator("visible=true").first).to_be_visible()


def test_home_shows_the_best_known_libraries_without_scrolling(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    heads = page.locator(".mx thead th:visible")
    shown = heads.evaluate_all("all => all.map(it => it.dataset.l)")
    assert shown == ["trec_eval", "pytrec_eval", "ir_measures", "sklearn", "torchmetrics", "ranx", "lightgbm"]
    assert page.locator(".tall").evaluate("it => it.scrollWidth <= it.clientWidth")
    rows = page.locator(".mx tbody tr:visible")
    first = rows.locator("th").all_inner_texts()
    assert first[:2] == ["tied documents", "gain"]
    assert len(first) <= 10
    last = rows.last.bounding_box()
    assert last is not None
    assert last["y"] < 900, "the rows fit one screen"
    text = page.locator(".mx").inner_text()
    assert "ln(rank + 1)" not in text, "the base of the logarithm cancels in nDCG"
    legend, matrix = page.locator(".legend").bounding_box(), page.locator(".mx").bounding_box()
    assert legend is not None
    assert matrix is not None
    assert legend["y"] < matrix["y"]
    page.get_by_role("button", name="more rows").click()
    assert rows.count() > len(first)
    page.get_by_text("more libraries").click()
    page.get_by_role("button", name="All").click()
    assert heads.count() > len(shown)
    assert page.locator(".tall").evaluate("it => it.classList.contains('cut')"), "the table shows that it scrolls"


@pytest.mark.parametrize("axis", ["ties", "gain", "norel", "missing", "ideal"])
def test_pages_of_axes_start_with_a_simple_example(site: Path, page: Page, axis: str) -> None:
    page.goto((site / "axes" / f"{axis}.html").as_uri())
    cells = page.locator(".ranking tbody tr").evaluate_all("all => all.map(it => it.innerText)")
    assert 1 <= len(cells) <= 3
    assert not [cell for cell in cells if any(odd in cell for odd in ("nan", "inf", "-0", "''"))]


def test_shared_links_have_a_title_a_text_and_a_picture(site: Path, page: Page) -> None:
    page.goto((site / "axes" / "ties.html").as_uri())
    meta = "all => Object.fromEntries(all.map(it => [it.getAttribute('property'), it.content]))"
    facts = page.locator("meta[property]").evaluate_all(meta)
    assert "tied documents" in facts["og:title"]
    assert facts["og:description"]
    picture = site / "axes" / facts["og:image"]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_notebook_is_a_page_of_the_documentation(site: Path, page: Page) -> None:
    page.goto((site / "docs" / "index.html").as_uri())
    page.locator("a[href='tutorial-notebook.html']").first.click()
    expect(page.locator("article h1")).to_have_text("One run, two tools, two values")
    assert page.locator("article pre").count() > 4
