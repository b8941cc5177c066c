"""The site of the published run, and Chromium, for all tests of pages."""

import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import required_chromium, watch
from click.testing import CliRunner
from places import ROOT
from playwright.sync_api import Browser, Page, sync_playwright

from rankproof.cli.program import cli

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def site(common: Path) -> Path:
    """Return the site of the published run, written by the command line, once for all processes of the tests."""
    out = common / "site"
    with (common / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not out.exists():
            arguments = ["--results", str(ROOT / "reports"), "--out", str(out), "--docs", str(ROOT / "docs")]
            result = CliRunner().invoke(cli, ["report", "site", *arguments], catch_exceptions=False)
            assert result.exit_code == 0
            assert str(out / "index.html") in result.output
    return out


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium; only for a module, as Playwright's event loop would disturb other tests."""
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(executable_path=required_chromium(), headless=True, args=QUIET)
        yield program
        program.close()


Tab = tuple[Page, list[str]]
"""A page, and its errors so far."""


def _tab(browser: Browser, width: int, height: int, **options: Any) -> Iterator[Tab]:
    context = browser.new_context(viewport={"width": width, "height": height}, **options)
    page = context.new_page()
    yield page, watch(page)
    context.close()


@pytest.fixture(scope="module")
def wide_tab(browser: Browser) -> Iterator[Tab]:
    yield from _tab(browser, 1280, 900)


@pytest.fixture(scope="module")
def narrow_tab(browser: Browser) -> Iterator[Tab]:
    yield from _tab(browser, 360, 720, has_touch=True, is_mobile=True)


def _without_errors(tab: Tab) -> Iterator[Page]:
    page, errors = tab
    errors.clear()
    yield page
    page.goto("about:blank")
    assert errors == [], "pages load without errors, and nothing from elsewhere"


@pytest.fixture
def page(wide_tab: Tab) -> Iterator[Page]:
    """Return a wide page. All tests share it, as a new page compiles all scripts again."""
    yield from _without_errors(wide_tab)


@pytest.fixture
def phone(narrow_tab: Tab) -> Iterator[Page]:
    """Return a page on a phone."""
    yield from _without_errors(narrow_tab)
