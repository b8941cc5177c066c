"""Building the site: every page from the results, the cases and the sheets; the folder appears whole or not at all."""

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.unusable import Unusable
from rankproof.report.public_data import past
from rankproof.report.run_report import Report
from rankproof.site import page_text, search_index
from rankproof.site.axis_knowledge import find
from rankproof.site.page_sources import Told
from rankproof.site.pages import axis_pages, case_pages, compare_pages, library_pages, measure_pages, overview
from rankproof.site.probed import probes
from rankproof.site.templating import HERE, environment

MARKER = ".rankproof-site"
"""The file by which a folder is known as a site of ours, which may be replaced."""
_QUOTED = re.compile(r'(?<=[a-z]=)"([\w.#%-][\w.#%/-]*)"(?=[ >])')
"""An attribute whose quotes HTML does not need: without them four hundred pages are a twentieth smaller. Text has no bare quotes."""
# An apostrophe is safe unescaped: the templates quote attributes with double quotes only, and those that lose them hold none.
_BETWEEN_BLOCKS = re.compile(
    r"(</?(?:tr|thead|tbody|table|caption|section|div|ul|ol|li|dl|dt|dd|h[1-6]|p)(?: [^<>]*)?>)\s+(?=<)"
)
"""Space next to a block, which nobody sees."""
_ENDS = re.compile(r"</(?:td|th|tr|li|dd)>")
"""Ends that HTML does not need: the next cell, row or line, or the end of the table or list, is one. They are a twentieth of the pages."""
Progress = Callable[[str, int, int], None]


class NotOurs(Unusable):
    """The folder holds something else than a site."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written."""

    index: Path
    pages: int
    size: int


def write(report: Report, out: Path, beside: Path, progress: Progress | None = None) -> Written:
    """Write the site into a folder, replacing the site that is there.

    Args:
        report: what to tell.
        out: the folder.
        beside: the folder of `fingerprint.json` and `probes.json`, which are read where they are.
        progress: is told what is being written, how many pages are, and how many there will be.

    Raises:
        NotOurs: the folder is there and is no site.
        BadFingerprint: the file of fingerprints does not read.
    """
    _refuse_others(out)
    told = Told(report, find(report, beside), probes(beside), past(beside))
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.part-", dir=out.parent) as folder:
        building = Path(folder) / "site"
        count = _write(told, building, progress)
        size = sum(path.stat().st_size for path in building.rglob("*") if path.is_file())
        _swap(building, out, Path(folder) / "old")
    return Written(out / "index.html", count, size)


def _refuse_others(out: Path) -> None:
    if out.exists() and not (out.is_dir() and ((out / MARKER).is_file() or not any(out.iterdir()))):
        raise NotOurs(f"{out} is there and is no site that rankproof wrote: name another folder with --out")


def _swap(new: Path, place: Path, old: Path) -> None:
    """Put a folder in its place, or leave what was there."""
    if place.exists():
        place.rename(old)
    try:
        new.rename(place)
    except OSError:
        with suppress(OSError):
            old.rename(place)
        raise


def _write(told: Told, folder: Path, progress: Progress | None) -> int:
    shutil.copytree(HERE / "assets", folder / "assets")
    (folder / MARKER).write_text("written by rankproof report; replaced by the next\n", encoding="utf-8")
    planned = list(_plan(told))
    for done, (path, template, view) in enumerate(planned):
        if progress is not None:
            progress(path, done, len(planned))
        page = folder / path
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(_rendered(told, path, template, view()), encoding="utf-8")
    scripts = f"window.rankproofScripts = {told.scripts.written(told.report.libraries)};\n"
    (folder / "assets" / "scripts.js").write_text(scripts, encoding="utf-8")
    (folder / "assets" / "search.js").write_text(search_index.written(told), encoding="utf-8")
    return len(planned)


def _plan(told: Told) -> Iterator[tuple[str, str, Callable[[], Mapping[str, Any]]]]:
    """Each page: its path, its template, and what makes its content."""
    yield "index.html", "index", partial(overview.index, told)
    yield "cases.html", "cases", partial(case_pages.index, told)
    yield "libraries.html", "libraries", partial(library_pages.index, told)
    yield "axes.html", "axes", partial(axis_pages.index, told)
    for page, key in {page: key for key, page in reversed([*told.form_pages.items()])}.items():
        if page != "index.html":
            yield page, "matrix", partial(overview.page, told, key)
    for key, place in told.compared.items():
        yield place, "compare", partial(compare_pages.page, told, key)
    yield "measures.html", "measures", partial(measure_pages.index, told)
    for name in told.measures:
        yield page_text.measure_page(name), "measure", partial(measure_pages.page, told, name)
    for name in told.library_names:
        yield page_text.library_page(name), "library", partial(library_pages.page, told, name)
    for axis in AXES:
        yield page_text.axis_page(axis), "axis", partial(axis_pages.page, told, axis)
    for case in told.report.cases:
        yield page_text.case_page(case.id), "case", partial(case_pages.page, told, case)


def _rendered(told: Told, path: str, template: str, view: Mapping[str, Any]) -> str:
    page = environment().get_template(f"{template}.html.j2")
    written = page.render(
        root="../" * path.count("/"),
        path=path,
        header=told.report.results.header,
        proved=told.findings.proved,
        known_cases=told.known_cases,
        **view,
    )
    smaller = _BETWEEN_BLOCKS.sub(r"\1", _QUOTED.sub(r"\1", written).replace("&#39;", "'"))
    return _ENDS.sub("", smaller)
