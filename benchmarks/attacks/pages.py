"""A hostile site in a real browser: a library that says scripts of itself, and each page that tells of it opened in Chromium."""

import json
import os
import shutil
import time
from collections import Counter
from pathlib import Path
from random import Random

from ground import Ground, Rows, add_library, rows_of, tree
from playwright.sync_api import BrowserContext, Dialog, sync_playwright
from tally import Outcome

SCRIPTS = (
    "<script>window.hacked=1</script>",
    "\"><img src=x onerror='window.hacked=1'>",
    "'; window.hacked=1; '",
    "</title><svg onload=window.hacked=1>",
    "</script><script>window.hacked=1</script>",
    "javascript:window.hacked=1",
    "{{ 7 * 7 }}{% raise %}",
    "../../../etc/passwd",
    "\x1b]0;owned\x07\x1b[2J",
    "\u202egnp.exe",
    "null\0 and \ud800 half",
    "a" * 10_000,
    "<a href='http://example.org/'>",
    "]]><!-- ",
    "&lt;script&gt;window.hacked=1&lt;/script&gt;",
    "<style>body{display:none}</style>",
    "<base href='http://example.org/'>",
)
HOSTILE = """
SCRIPTS = {scripts!r}
LIBRARY, PACKAGES = "hostile", []
VARIANTS = dict((s[:200], s) for s in SCRIPTS)


def load():
    return {{"version": SCRIPTS[0], "absent": {{"gone": SCRIPTS[1]}}, **dict((s[:200], s) for s in SCRIPTS)}}


def observe(variant, data, call, values):
    if list(VARIANTS).index(variant) % 2:
        raise RuntimeError(variant + SCRIPTS[4])
    return {{variant: 0.25}}, 0.25
"""
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
OPENED = 20_000
"""How many milliseconds a page may take to open."""


def site(ground: Ground, _index: int, _chance: Random, *, at_most: int | None = None) -> list[Outcome]:
    """Run, report, and open every page: nothing runs but the site's own script, nothing is fetched, and nothing is hidden."""
    machine = ground.machine("site")
    folder = machine.home / "adapters"
    folder.mkdir()
    add_library(folder, "hostile", HOSTILE.format(scripts=SCRIPTS))
    ran = ground.asked(machine, adapters=folder, wanted=("hostile",), cases="ties/n*")
    out = machine.home / "site"
    reported = ground.command(
        machine, "report", "site", "--results", str(machine.out), "--out", str(out), adapters=folder
    )
    lost = tuple(missing(rows_of(tree(machine.out))))
    made = [Outcome((*ran.faults([0, 1]), *reported.faults([0])), (), lost, ran.left + reported.left, ran.seconds)]
    pages = sorted(out.rglob("*.html"))
    lacking = (
        []
        if any(b"window.hacked=1" in path.read_bytes() for path in pages)
        else ["no page shows what the library said"]
    )
    return [*made, Outcome(tuple(lacking)), *opened(sorted(pages, key=_kind_first)[:at_most])]


def missing(rows: Rows) -> list[str]:
    """The variants of which there is no row: each was asked the same, and none may be lost for its name."""
    subjects = Counter(json.loads(line).get("subject") for line in rows)
    return [f"of {len(SCRIPTS)} variants {len(subjects)} have rows"] * (len(SCRIPTS) - len(subjects))


def _kind_first(path: Path) -> tuple[bool, str]:
    """The page of the hostile library before all others."""
    return "hostile" not in path.name, path.name


def opened(pages: list[Path]) -> list[Outcome]:
    """Open each page in a browser; what it did that it must not is why it counts as lost."""
    with sync_playwright() as playwright:
        path = chromium() or playwright.chromium.executable_path
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=list(QUIET))
        context = browser.new_context()
        found = [_opened(context, path) for path in pages]
        browser.close()
    return found


def _opened(context: BrowserContext, path: Path) -> Outcome:
    began = time.monotonic()
    faults = tuple(f"{path.name}: {fault}" for fault in faults_of(context, path))
    return Outcome(faults, seconds=time.monotonic() - began)


def faults_of(context: BrowserContext, path: Path) -> list[str]:
    """What happens when a page is opened and all of it is unfolded."""
    page = context.new_page()
    told: list[str] = []

    def heard(what: str) -> None:
        told.append(what[:200])

    def asks(url: str) -> None:
        if not url.startswith(("file:", "data:")):
            heard(f"asks for {url}")

    def dismissed(dialog: Dialog) -> None:
        heard("a dialog")
        dialog.dismiss()

    page.on("console", lambda message: heard(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: heard(str(error)))
    page.on("dialog", dismissed)
    page.on("request", lambda request: asks(request.url))
    page.on("requestfailed", lambda request: heard(f"does not find {request.url}"))
    page.goto(path.as_uri(), timeout=OPENED)
    page.evaluate("document.querySelectorAll('details').forEach(it => { it.open = true; })")
    if page.evaluate("window.hacked") is not None:
        heard("a library's words ran")
    if page.url != path.as_uri():
        heard(f"leads to {page.url}")
    if not page.evaluate("document.body.offsetHeight > 0 && getComputedStyle(document.body).display !== 'none'"):
        heard("shows nothing")
    page.close()
    return told


def chromium() -> str | None:
    """Where the browser is: what `RANKPROOF_CHROMIUM` names, or one on the PATH; None where it is playwright's own."""
    return os.environ.get("RANKPROOF_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
