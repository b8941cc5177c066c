"""The browser that the tests of pages use: what `RANKPROOF_CHROMIUM` names, one on the PATH, or the one that Playwright installed."""

import os
import shutil
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
ABSENT = (
    "the tests of pages need Chromium, and none was found: run `apt-get install chromium` or `playwright install chromium`, "
    "name one by RANKPROOF_CHROMIUM, or leave them out by --ignore=tests/test_site.py"
)


def chromium() -> str | None:
    """Where it is; None if there is none."""
    if named := os.environ.get("RANKPROOF_CHROMIUM"):
        return named
    on_path = next(filter(None, map(shutil.which, NAMES)), None)
    return on_path or _of_playwright()


def _of_playwright() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def refuse_without(config: pytest.Config, items: list[pytest.Item] | None = None) -> None:
    """Say in one line what to install, before any test begins, if tests of pages were asked for and there is no browser.

    Args:
        config: of the test run.
        items: the tests selected; None where other processes will select them, and what was named must tell.
    """
    named = [Path(argument.partition("::")[0]) for argument in config.args]
    asked = (
        any(path.is_dir() or path.name == "test_site.py" for path in named)
        if items is None
        else any("browser" in getattr(item, "fixturenames", ()) for item in items)
    )
    if asked and chromium() is None:
        raise pytest.UsageError(ABSENT)
