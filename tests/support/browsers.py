"""The browser that the tests of pages use: what `RANKPROOF_CHROMIUM` names, one on the PATH, or the one that Playwright installed."""

import os
import shutil
import subprocess
from functools import cache

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
ABSENT = (
    "no Chromium was found for the tests of pages: run `apt-get install chromium` or `playwright install chromium`, "
    "or name one by RANKPROOF_CHROMIUM"
)


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


def required_chromium() -> str:
    """Return the path of Chromium; without one the test is skipped, and fails in CI."""
    if (path := chromium()) is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(ABSENT)
    return path
