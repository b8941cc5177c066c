"""Chromium for the tests of pages: the program in `RANKPROOF_CHROMIUM`, on the PATH, or from Playwright."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
ABSENT = (
    "no Chromium was found for the tests of pages: run `apt-get install chromium` or `playwright install chromium`, "
    "or name one by RANKPROOF_CHROMIUM"
)
AXE = Axe()
REDUCE = """
for (const cell of document.querySelectorAll('td, th')) if (cell.hidden) cell.remove();
for (const list of document.querySelectorAll('tbody, ul, ol, article, pre code')) {
  const seen = new Set();
  for (const child of [...list.children]) {
    const parts = [child, ...child.querySelectorAll('*')];
    const kind = [...new Set(parts.map(it => [it.tagName, it.getAttribute('class'), it.getAttribute('style')].join()))].sort().join(' ');
    seen.has(kind) ? child.remove() : seen.add(kind);
  }
}
"""
"""Script that removes hidden cells, and all but the first of similar rows, entries and paragraphs."""


@cache
def chromium() -> str | None:
    """Return the path of Chromium; None if it is missing."""
    if named := os.environ.get("RANKPROOF_CHROMIUM"):
        return named
    on_path = next(filter(None, map(shutil.which, NAMES)), None)
    return on_path or _of_playwright()


def _of_playwright() -> str | None:
    """Return the Chromium that Playwright installed, if it starts on this machine."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    try:
        runs = subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return None
    return path if runs else None


def required_chromium() -> str:
    """Return the path of Chromium; if it is missing, skip the test, or fail in CI."""
    if (path := chromium()) is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(ABSENT)
    return path


def watch(page: Page) -> list[str]:
    """Return a list that collects errors and warnings of a page, and its requests to other places."""
    complaints = list[str]()
    page.on("console", lambda message: message.type in {"error", "warning"} and complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(f"not loaded: {request.url}"))
    page.on("request", lambda it: it.url.startswith(("file:", "data:")) or complaints.append(it.url))
    return complaints


def open_unfolded(page: Page, path: Path) -> None:
    """Open a page with all its details, and check that it fits the screen and runs no hostile text."""
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(it => { it.open = true; })")
    screen = page.viewport_size
    assert screen is not None
    assert page.evaluate("document.documentElement.scrollWidth") <= screen["width"], f"{path} fits the screen"
    assert page.evaluate("window.hacked") is None, f"no text of {path} is run as a script"


def violations(page: Page, *rules: str) -> list[str]:
    """Return the violations that axe-core finds, by all rules including best practices, or by some rules."""
    only = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
    results = AXE.run(page, options={"resultTypes": ["violations"], "preload": False, **only})
    kinds = results.response["violations"]
    return [f"{kind['id']}: {kind['nodes'][0]['html'][:160]} ({len(kind['nodes'])})" for kind in kinds]
