"""The build of the site without a browser: complete, linked, small, reproducible, and replacing only a site."""

import html
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import published_run
import pytest
from html_pages import HtmlPage, read
from places import ROOT
from small_reports import small_report

from rankproof import cases
from rankproof.cli.program import VERBS
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report.site.build import NotOurs, write_site
from rankproof.report.site.documentation import DeadLink
from rankproof.report.site.site_data import SiteData
from rankproof.workers.subjects import Subject

SMALL = SiteData(small_report())
"""A site of two cases and one library."""


def test_pages_are_well_formed_and_every_link_leads_somewhere(site: Path) -> None:
    pages = {path.resolve(): read(path) for path in site.rglob("*.html")}
    faults = []
    for path, page in pages.items():
        faults += [f"{path}: {fault}" for fault in (*page.faults, *page.open)]
        faults += [f"{path}: #{anchor} twice" for anchor in set(page.ids) if page.ids.count(anchor) > 1]
        faults += [f"{path}: {link}" for link in set(page.links) if not leads_somewhere(path, link, pages)]
    assert faults == [], "elements are closed, anchors are unique and links have a target"
    assert len(pages) > len(cases.load_all())
    documents = {path for path in pages if (site / "docs").resolve() in path.parents}
    assert linked_documents(site, pages) == documents, "every document can be reached from the first one"


@cache
def target_of(folder: Path, quoted: str) -> Path | None:
    """Return the target file of a link in a folder; None if there is none."""
    target = (folder / unquote(quoted)).resolve()
    return target if target.is_file() else None


def leads_somewhere(path: Path, link: str, pages: dict[Path, HtmlPage]) -> bool:
    where, fragment = urldefrag(link)
    parts = urlsplit(where)
    if parts.scheme:
        return parts.scheme in {"https", "http", "data"}
    target = target_of(path.parent, parts.path) if parts.path else path.resolve()
    if target is not None and target.name == "compare.html":  # its fragment lists libraries
        return True
    return target is not None and (not fragment or unquote(fragment) in pages[target].ids)


def linked_documents(site: Path, pages: dict[Path, HtmlPage]) -> set[Path]:
    """Return the documents that links reach from the first one."""
    seen, waiting = set[Path](), [(site / "docs" / "index.html").resolve()]
    while waiting:
        path = waiting.pop()
        if path not in seen and path in pages and (site / "docs").resolve() in path.parents:
            seen.add(path)
            waiting += [(path.parent / urlsplit(link).path).resolve() for link in pages[path].links]
    return seen


def test_page_of_a_library_has_the_signatures_of_its_fingerprints(site: Path) -> None:
    for library in {fingerprint.library for fingerprint in published_run.fingerprints()}:
        text = (site / "libraries" / f"{library}.html").read_text(encoding="utf-8")
        signatures = map(html.unescape, re.findall(r'<p class="signature"><code>(.+?)</code>', text))
        expected = {f.signature for f in published_run.fingerprints() if f.library == library}
        assert {*signatures} == expected, library


def test_site_is_small_and_loads_nothing_from_elsewhere(site: Path) -> None:
    assert sum(path.stat().st_size for path in site.rglob("*")) < 10_000_000
    assert (site / "cases.html").stat().st_size < 150_000
    assert (site / "index.html").stat().st_size < 250_000
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert re.findall(r'<(?:script|img|link)[^>]+(?:src|href)="(https?:[^"]+)', text) == [], path
    assert "@import" not in (site / "assets" / "site.css").read_text(encoding="utf-8")


def test_page_of_a_case_has_its_source_values_conventions_and_arithmetic(site: Path) -> None:
    text = read(site / "cases/ties/renamed-doc.html").text
    for part in ("pytrec_eval issue 51", ".6842", "sklearn", "ties=expectation", "0.4983290230"):
        assert part in text
    assert "(1/2 + 3/log2(6) + 2/log2(7))/(3 + 2/log2(3) + 1/2)" in text


def test_page_of_a_library_has_what_changed_from_version_to_version(site: Path) -> None:
    history = json.loads((ROOT / "reports" / "history.json").read_text(encoding="utf-8"))["libraries"]
    text = read(site / "libraries" / "torchmetrics.html").text
    steps = history["torchmetrics"]["steps"]
    assert len(steps) > 1
    for step in steps:
        assert f"{step['from']} → {step['to']}" in text
        for change in step["changes"]:
            assert f"{change['before']} → {change['after']}" in text
            assert change["behind"] in text


def test_reference_has_every_command_and_function(site: Path) -> None:
    headings = read(site / "docs" / "reference" / "commands.html").ids
    assert {f"rankproof-{verb}" for verb in VERBS} <= {*headings}
    assert {"evaluate", "check"} <= {*read(site / "docs" / "reference" / "python.html").ids}


def test_dead_link_of_the_documentation_is_an_error_with_its_line(tmp_path: Path) -> None:
    docs, page = tmp_path / "docs", tmp_path / "site" / "docs" / "two.html"
    docs.mkdir()
    (docs / "index.md").write_text("# One\n\n[two](two.md#a-heading), [axes](../axes.html)\n", encoding="utf-8")
    (docs / "two.md").write_text("# Two\n\n## A heading\n", encoding="utf-8")
    write_site(tmp_path / "site", SMALL, docs)
    before = page.read_bytes()
    for link in ("no-such-page.md", "two.md#no-such-heading", "../no-such-file.txt", "../nowhere.html"):
        (docs / "two.md").write_text(f"# Two\n\n## A heading\n\nsee\n[here]({link})\n", encoding="utf-8")
        with pytest.raises(DeadLink, match=r"two\.md:5: broken link"):
            write_site(tmp_path / "site", SMALL, docs)
        assert page.read_bytes() == before, "the site before is unchanged"


def test_site_is_replaced_by_the_same_bytes_and_other_folders_are_not(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there" / "site"
    written = write_site(folder, SMALL)
    files = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert written.pages == sum(path.suffix == ".html" for path in files)
    assert written.size == sum(map(len, files.values()))
    (folder / "stray").write_text("from before")
    assert write_site(folder, SMALL).index.is_file()
    assert {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()} == files
    (tmp_path / "empty").mkdir()
    write_site(tmp_path / "empty", SMALL)
    for name in ("thesis.tex", "index.html", ".git"):
        mine = tmp_path / f"mine of {name}"
        mine.mkdir()
        (mine / name).write_text("years of work")
        with pytest.raises(NotOurs, match="--out"):
            write_site(mine, SMALL)
        assert [path.name for path in mine.iterdir()] == [name]


def test_unknown_measures_and_cases_do_not_stop_the_report(tmp_path: Path) -> None:
    rows = [Row("no/such-case", Subject("sklearn", "rows", "1"), "Novelty@3", None, Verdict.AGREES, 1.0, expected=1.0)]
    header = {"rankproof": "0", "python": "3", "platform": "here", "asked": [{"library": "nobody"}]}
    report = replace(small_report(), results=RunResults(header, tuple(rows), {}))
    assert write_site(tmp_path / "site", SiteData(report)).index.is_file()
