"""Writing the site: every page from the results, the cases, the claim sheets and the documentation, and the index of the search."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.unusable import Unusable
from rankproof.report.site import (
    axis_pages,
    case_pages,
    library_pages,
    matrix,
    measure_pages,
    rendering,
    search_index,
)
from rankproof.report.site.documentation import documents
from rankproof.report.site.site_data import ALL_MEASURES, SiteData
from rankproof.workers.known_libraries import libraries

MARKER = ".rankproof-site"
"""The file that marks a folder as a site, which the next one may replace."""


TABS = (
    ("index.html", "Matrix"),
    ("measures.html", "Measures"),
    ("compare.html", "Compare"),
    ("libraries.html", "Libraries"),
    ("axes.html", "Axes"),
    ("cases.html", "Cases"),
    ("docs/index.html", "Docs"),
)


class NotOurs(Unusable):
    """The folder holds something else than a site."""


@dataclass(frozen=True, slots=True)
class WrittenSite:
    """A site: its first page, the number of its pages, and its size in bytes."""

    index: Path
    pages: int
    size: int


@dataclass(frozen=True, slots=True)
class _Page:
    path: str
    template: str
    view: Callable[[], Mapping[str, Any]]


def write_site(
    folder: Path, results: Path | SiteData, docs: Path | None = None, *, program: click.Command | None = None
) -> WrittenSite:
    """Write the results of a run, and the documentation, as a static site that works from disk.

    Args:
        folder: where the site is written; a site that is there is replaced, once the new one is complete.
        results: where `rankproof run` wrote the results, or the facts from them.
        docs: the folder of the documentation; without it the site has none.
        program: the commands, for their reference.

    Raises:
        NotOurs: the folder exists and is not a site.
        DeadLink: a link of the documentation leads nowhere.
        Unusable: the results, or a file next to them, cannot be read.
    """
    if folder.exists() and not (folder.is_dir() and ((folder / MARKER).is_file() or not any(folder.iterdir()))):
        raise NotOurs(f"{folder} exists and is not a site that rankproof wrote: name another folder with --out")
    data = results if isinstance(results, SiteData) else SiteData.load(results, libraries())
    pages = list(_pages(data))
    texts = documents(docs, program, [page.path for page in pages]) if docs else []
    pages += [_Page(text.page, "document", partial(dict, document=text)) for text in texts]
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.part-", dir=folder.parent) as temporary:
        new = Path(temporary) / "site"
        shutil.copytree(rendering.HERE / "assets", new / "assets")
        (new / MARKER).write_text("Written by rankproof; the next site replaces this folder.\n", encoding="utf-8")
        for page in pages:
            (new / page.path).parent.mkdir(parents=True, exist_ok=True)
            (new / page.path).write_text(_render(data, page, with_docs=docs is not None), encoding="utf-8")
        index = rendering.script_json(search_index.search_index(data, texts))
        (new / "assets" / "search.js").write_text(f"window.rankproofIndex = {index};\n", encoding="utf-8")
        size = sum(path.stat().st_size for path in new.rglob("*") if path.is_file())
        if folder.exists():
            folder.rename(Path(temporary) / "old")
        new.rename(folder)
    return WrittenSite(folder / "index.html", len(pages), size)


def _pages(data: SiteData) -> Iterator[_Page]:
    yield _Page("index.html", "index", partial(matrix.home_view, data))
    yield _Page("cases.html", "cases", partial(case_pages.list_view, data))
    yield _Page("libraries.html", "libraries", partial(library_pages.list_view, data))
    yield _Page("axes.html", "axes", partial(axis_pages.list_view, data))
    yield _Page("measures.html", "measures", partial(measure_pages.list_view, data))
    yield _Page("compare.html", "compare", dict)
    for key in data.forms[1:]:
        yield _Page(data.form_pages[key], "matrix", partial(matrix.form_view, data, key))
    for name in ALL_MEASURES:
        yield _Page(rendering.measure_page(name), "measure", partial(measure_pages.measure_view, data, name))
    for name in data.library_names:
        yield _Page(rendering.library_page(name), "library", partial(library_pages.library_view, data, name))
    for axis in AXES:
        yield _Page(rendering.axis_page(axis), "axis", partial(axis_pages.axis_view, data, axis))
    for case in data.report.cases:
        yield _Page(rendering.case_page(case.id), "case", partial(case_pages.case_view, data, case))


def _render(data: SiteData, page: _Page, *, with_docs: bool) -> str:
    template = rendering.environment().get_template(f"{page.template}.html.j2")
    return template.render(
        root="../" * page.path.count("/"),
        path=page.path,
        tabs=TABS if with_docs else TABS[:-1],
        header=data.report.results.header,
        known_cases={case.id for case in data.report.cases},
        **page.view(),
    )
