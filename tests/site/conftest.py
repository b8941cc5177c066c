"""Fixtures for pages: the site of the published run, and Chromium."""

import fcntl
from collections.abc import Iterator
from pathlib import Path

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
    """Return the site of the published run, which the command writes once for all processes of the tests."""
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
    """Start Chromium for one module, because Playwright's event loop would disturb other tests."""
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(executable_path=required_chromium(), headless=True, args=QUIET)
        yield program
        program.close()


PHONE = {"viewport": {"width": 360, "height": 720}, "has_touch": True, "is_mobile": True}
WIDE = {"viewport": {"width": 1280, "height": 900}}


@pytest.fixture(scope="module")
def tabs(browser: Browser) -> Iterator[dict[str, tuple[Page, list[str]]]]:
    """Open a wide page and one on a phone, each with its errors.

    All tests share them, because a new page compiles all scripts.
    """
    contexts = {"page": browser.new_context(**WIDE), "phone": browser.new_context(**PHONE)}
    pages = {name: context.new_page() for name, context in contexts.items()}
    yield {name: (page, watch(page)) for name, page in pages.items()}
    for context in contexts.values():
        context.close()


def _without_errors(page: Page, errors: list[str]) -> Iterator[Page]:
    errors.clear()
    yield page
    page.emulate_media(color_scheme="light")
    page.goto("about:blank")
    assert errors == [], "pages load without errors, and nothing from elsewhere"


@pytest.fixture
def page(tabs: dict[str, tuple[Page, list[str]]]) -> Iterator[Page]:
    yield from _without_errors(*tabs["page"])


@pytest.fixture
def phone(tabs: dict[str, tuple[Page, list[str]]]) -> Iterator[Page]:
    yield from _without_errors(*tabs["phone"])
