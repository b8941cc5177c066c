"""Attacks with ids, names and values that look like control sequences, markup or scripts, or are unusable."""

import math
import os
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from input_files import refusal
from machines import Trial, add_library, files_of, record_of, rows_of, run_arguments
from playwright.sync_api import BrowserContext, Dialog, sync_playwright
from tracks import QRELS, RUN

import rankproof
from rankproof.reference_impl.unusable import Unusable

# -- the terminal ------------------------------------------------------------------------------------------------------

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b2J\x90\u202egnp"
PRINTED: Mapping[str, tuple[str, ...]] = {
    "a table": ("evaluate", "qrels", "run", "-m", "AP", "--per-query"),
    "Markdown": ("evaluate", "qrels", "run", "-m", "AP", "--per-query", "--format", "markdown"),
    "JSON": ("evaluate", "qrels", "run", "-m", "AP", "--per-query", "--json"),
    "a warning": ("evaluate", "qrels", "run", "more", "-m", "AP"),
    "an explanation": ("explain", "qrels", "run", "-m", "AP", "--query", f"q1{HOSTILE}"),
    "a refusal": ("evaluate", "qrels", "twice", "-m", "AP"),
    "an unknown measure": ("evaluate", "qrels", "run", "-m", f"AP{HOSTILE}"),
    "an unknown profile": ("evaluate", "qrels", "run", "-m", "AP", "--profile", f"a{HOSTILE}"),
    "a missing file": ("evaluate", "qrels", f"run{HOSTILE}", "-m", "AP"),
    "an unknown case": ("cases", "lint", f"a{HOSTILE}"),
}


def printed(trial: Trial) -> None:
    """Print ids and names with control characters, which must be escaped everywhere."""
    kind, command = list(PRINTED.items())[trial.index]
    machine = trial.machine()
    for name, text in (("qrels", QRELS), ("run", RUN), ("more", RUN.replace("q1", "x1"))):
        machine.write(name, text.replace(" d1", f" d1{HOSTILE}").replace("q1", f"q1{HOSTILE}"))
    machine.write("twice", f"q1 Q0 d{HOSTILE} 1 1 t\n" * 2)
    ended = trial.command(machine, *command, codes=(0, 2), about=kind)
    odd = {sign for sign in ended.stdout + ended.stderr if not sign.isprintable()} - {"\n", "\t"}
    trial.require(not odd, f"{kind}: not printable: {sorted(odd)}")


NAMES = ("[red]run", "[link=a]run", "[bold]run[", "[not a tag]", "run[0]", ":smile:", "%s{}", "\\[red]")
MARKUP = [(name, way) for name in NAMES for way in ("measured", "refused", "explained")]


def markup(trial: Trial) -> None:
    """Print file names that the terminal library would read as markup: they must be unchanged."""
    name, way = MARKUP[trial.index]
    machine = trial.machine()
    machine.write("qrels", "q1 0 d1 1\nq1 0 d2 0\n")
    text = "q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\n"
    machine.write(name, "q1 Q0 d1 1\n" if way == "refused" else text)
    machine.write("other", text.replace(" 2 t", " 0 t"))
    explain = ("explain", "qrels", name, "-m", "AP", "--query", f"no{name}")
    command = explain if way == "explained" else ("evaluate", "qrels", name, "other", "-m", "AP")
    ended = trial.command(machine, *command, codes=[0 if way == "measured" else 2], about=f"{name}, {way}")
    output = ended.stdout if way == "measured" else ended.stderr
    trial.require(name in output, f"{name}, {way}: the name is not printed: {output[:200]!r}")
    trial.fault(*refusal(ended, name), about=f"{name}, {way}")


# -- frames ------------------------------------------------------------------------------------------------------------

Columns = dict[str, list[Any]]
QUERIES, DOCS = ("q1", "q2", "q3"), ("d1", "d2", "d3", "d4")
EXPECTED = Counter(
    f"{measure} {query} {value:.12f}"
    for measure, values in (("AP", (23 / 36, 5 / 12, 1 / 4)), ("nDCG@2", (1 / (1 + math.log2(3)), 0.0, 0.0)))
    for query, value in zip(QUERIES, values, strict=True)
)
"""Relevant documents are at ranks 2 to 4 of q1, 3 and 4 of q2, and 4 of q3: AP of q1 is (1/2 + 2/3 + 3/4) / 3."""
VALUES: Mapping[str, tuple[str, object]] = {
    "NaN": ("score", math.nan),
    "infinity": ("score", math.inf),
    "a number beyond floats": ("score", 10**400),
    "a word for a score": ("score", "many"),
    "None for a score": ("score", None),
    "a list for a score": ("score", [1.0]),
    "a boolean for a score": ("score", True),
    "None for an id": ("doc_id", None),
    "a list for an id": ("doc_id", ["d2"]),
    "a float for an id": ("doc_id", 2.5),
    "bytes for an id": ("doc_id", b"\xff"),
    "half a character for an id": ("doc_id", "\ud800"),
    "a blank id": ("query_id", " "),
}
"""Replacements for one value of q2, in the middle of a run."""
REFUSED = {way for way in VALUES if way.startswith(("NaN", "None", "a list", "a word", "bytes"))}


def _dicts(columns: Columns) -> object:
    run: dict[Any, dict[Any, Any]] = {}
    for query, doc, score in zip(*columns.values(), strict=True):
        run.setdefault(query, {})[doc] = score
    return run


SHAPES: Mapping[str, Callable[[Columns], Any]] = {"a frame": pd.DataFrame, "a table": pa.table, "dicts": _dicts}
FRAMES = [(shape, way) for shape in SHAPES for way in ("undamaged", *VALUES)]


def frame(trial: Trial) -> None:
    """Evaluate a run in memory with an unusable value: an error, or correct values of the undamaged queries."""
    shape, way = FRAMES[trial.index]
    columns: Columns = {
        "query_id": [query for query in QUERIES for _ in DOCS],
        "doc_id": [doc for _ in QUERIES for doc in DOCS],
        "score": [4.0 - i for _ in QUERIES for i in range(len(DOCS))],
    }
    column, value = VALUES.get(way, ("score", 3.0))
    columns[column][5 if way in VALUES else 1] = value
    try:
        run = SHAPES[shape](columns)
    except (pa.ArrowException, TypeError, OverflowError, UnicodeError):
        return  # this shape cannot contain the value
    qrels = {query: {doc: int(i <= j) for j, doc in enumerate(DOCS)} for i, query in enumerate(QUERIES, 1)}
    try:
        per_query = rankproof.evaluate(["AP", "nDCG@2"], qrels, run).per_query
    except Unusable as error:
        trial.require(way in VALUES and len(str(error)) < 2_000, f"{shape}, {way}: {error}")
        return
    trial.require(way not in REFUSED, f"{shape}, {way}: it is measured")
    undamaged = [query for query in QUERIES if query != "q2" or way == "undamaged"]
    rows = (f"{m} {q} {per_query[m][q]:.12f}" for m in per_query for q in undamaged if q in per_query[m])
    trial.compare(
        Counter(rows), Counter(row for row in EXPECTED if row.split()[1] in undamaged), about=f"{shape}, {way}"
    )


# -- the site ----------------------------------------------------------------------------------------------------------

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
LIBRARY = """
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
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")


def site(trial: Trial) -> None:
    """Write the site for a library with scripts as texts: no page runs them, makes requests or hides its content."""
    machine = trial.machine()
    folder = machine.home / "adapters"
    folder.mkdir()
    add_library(folder, "hostile", LIBRARY.format(scripts=SCRIPTS))
    trial.command(machine, *run_arguments(machine.out, "ties/n*", ["hostile"]), codes=(0, 1), adapters=folder)
    subjects = {record_of(line).get("subject") for line in rows_of(files_of(machine.out))}
    trial.require(len(subjects) >= len(SCRIPTS), f"{len(subjects)} of {len(SCRIPTS)} variants have rows")
    out = machine.home / "site"
    trial.command(machine, "report", "site", "--results", str(machine.out), "--out", str(out), adapters=folder)
    pages = sorted(out.rglob("*.html"))
    trial.require(any(b"window.hacked=1" in page.read_bytes() for page in pages), "no page shows the texts")
    with sync_playwright() as playwright:
        path = os.environ.get("RANKPROOF_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=list(OPTIONS))
        context = browser.new_context()
        for page in pages:
            trial.fault(*page_faults(context, page), about=page.name)
        browser.close()


def page_faults(context: BrowserContext, path: Path) -> list[str]:
    """Open a page and unfold all of it; return its forbidden actions."""
    page = context.new_page()
    faults: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        faults.append("a dialog")
        dialog.dismiss()

    def on_request(url: str) -> None:
        if not url.startswith(("file:", "data:")):
            faults.append(f"requests {url}")

    page.on("console", lambda message: faults.append(message.text[:200]) if message.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)[:200]))
    page.on("dialog", dismiss)
    page.on("request", lambda request: on_request(request.url))
    page.on("requestfailed", lambda request: faults.append(f"does not find {request.url}"))
    page.goto(path.as_uri(), timeout=20_000)
    page.evaluate("document.querySelectorAll('details').forEach(it => { it.open = true; })")
    if page.evaluate("window.hacked") is not None:
        faults.append("runs a script of the library")
    if page.url != path.as_uri():
        faults.append(f"leads to {page.url}")
    if not page.evaluate("document.body.offsetHeight > 0 && getComputedStyle(document.body).display !== 'none'"):
        faults.append("shows nothing")
    page.close()
    return faults
