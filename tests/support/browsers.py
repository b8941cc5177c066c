"""The browser that the tests of pages use: what `RANKPROOF_CHROMIUM` names, one on the PATH, or the one that Playwright installed."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
ABSENT = (
    "no Chromium was found for the tests of pages: run `apt-get install chromium` or `playwright install chromium`, "
    "or name one by RANKPROOF_CHROMIUM"
)
DEMANDED = "CI"
"""The environment variable by which what is absent is a failure."""


@cache
def chromium() -> str | None:
    """Where it is; None if there is none."""
    if named := os.environ.get("RANKPROOF_CHROMIUM"):
        return named
    on_path = next(filter(None, map(shutil.which, NAMES)), None)
    return on_path or _of_playwright()


def _of_playwright() -> str | None:
    """The one that Playwright installed, if the machine has what it stands on."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    try:
        runs = subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return None
    return path if runs else None


def refuse_without(config: pytest.Config, items: list[pytest.Item] | None = None) -> None:
    """Refuse in one line, before any test begins, to leave tests of pages out where all is demanded and there is no browser.

    Args:
        config: of the test run.
        items: the tests selected; None where other processes will select them, and what was named must tell.
    """
    named = [Path(argument.partition("::")[0]) for argument in config.args]
    asked = (
        any(path.is_dir() or path.name == "test_site.py" for path in named)
        if items is None
        else any(map(needs_one, items))
    )
    if asked and os.environ.get(DEMANDED) and chromium() is None:
        raise pytest.UsageError(f"{ABSENT}; as {DEMANDED} is set, they are not left out")


def needs_one(item: pytest.Item) -> bool:
    """Whether a test opens pages."""
    return "browser" in getattr(item, "fixturenames", ())
