"""Writing of the website: pages from results, cases, claim sheets and documentation, and the search index."""

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
from rankproof.report.citation import bibtex
from rankproof.report.site import axis_pages, case_pages, library_pages, matrix, measure_pages, rendering, search_index
from rankproof.report.site.documentation import documents
from rankproof.report.site.site_data import ALL_MEASURES, SiteData
from rankproof.version import REPOSITORY, SITE, YEAR

MARKER = ".rankproof-site"
"""The file that marks a folder as a site, which may be replaced."""
TABS = (
    ("index.html", "Matrix"),
    ("measures.html", "Measures"),
    ("compare.html", "Compare"),
    ("libraries.html", "Libraries"),
    ("axes.html", "Axes"),
    ("cases.html", "Cases"),
    ("docs/index.html", "Docs"),
    ("about.html", "About"),
)

Page = tuple[str, str, Callable[[], Mapping[str, Any]]]
"""The path of a page, its template, and a function that returns its data."""


class NotOurs(Unusable):
    """A folder with other content than a site."""


@dataclass(frozen=True, slots=True)
class WrittenSite:
    """A written site: its first page, the number of pages, and the size in bytes."""

    index: Path
    pages: int
    size: int


def write_site(
    folder: Path, data: SiteData, docs: Path | None = None, *, program: click.Command | None = None
) -> WrittenSite:
    """Write the results of a run, and the documentation, as a static website that needs no server.

    Args:
        folder: the folder of the site. An existing site is replaced when the new site is complete.
        data: the data of the pages.
        docs: the folder of the documentation; None for a site without documentation.
        program: the command line, for the reference of commands.

    Raises:
        NotOurs: the folder exists and is not a site.
        DeadLink: the documentation has a broken link.
    """
    if folder.exists() and not (folder.is_dir() and ((folder / MARKER).is_file() or not any(folder.iterdir()))):
        raise NotOurs(f"{folder} exists and is not a site of rankproof. Choose another folder with --out")
    pages = list(_pages(data))
    texts = documents(docs, program, [path for path, *_ in pages]) if docs else []
    pages += [(text.page, "document", partial(dict, document=text)) for text in texts]
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.part-", dir=folder.parent) as temporary:
        new = Path(temporary) / "site"
        shutil.copytree(rendering.HERE / "assets", new / "assets")
        (new / MARKER).write_text("Written by rankproof; the next site replaces this folder.\n", encoding="utf-8")
        for path, template, view in pages:
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            text = (
                rendering.environment()
                .get_template(f"{template}.html.j2")
                .render(
                    root="../" * path.count("/"),
                    path=path,
                    tabs=[tab for tab in TABS if docs or tab[1] != "Docs"],
                    site=SITE,
                    header=data.report.results.header,
                    known_cases=data.cases,
                    **view(),
                )
            )
            (new / path).write_text(text, encoding="utf-8")
        index = rendering.script_json(search_index.search_index(data, texts))
        (new / "assets" / "search.js").write_text(f"window.rankproofIndex = {index};\n", encoding="utf-8")
        size = sum(path.stat().st_size for path in new.rglob("*") if path.is_file())
        if folder.exists():
            folder.rename(Path(temporary) / "old")
        new.rename(folder)
    return WrittenSite(folder / "index.html", len(pages), size)


def about_view(data: SiteData) -> Mapping[str, Any]:
    """Return the data of the page about rankproof."""
    runs = data.report.results.libraries.items()
    return {
        "heads": search_index.ABOUT,
        "bibtex": bibtex(),
        "repository": REPOSITORY,
        "year": YEAR,
        "cases": len(data.report.cases),
        "values": sum(map(len, data.report.by_question.values())),
        "versions": [(data.title(name), own[0].version) for name, own in runs if own[0].version],
    }


def _pages(data: SiteData) -> Iterator[Page]:
    yield "index.html", "index", partial(matrix.home_view, data)
    yield "compare.html", "compare", dict
    yield "about.html", "about", partial(about_view, data)
    lists = {
        "cases": case_pages,
        "libraries": library_pages,
        "axes": axis_pages,
        "measures": measure_pages,
    }
    for name, module in lists.items():
        yield f"{name}.html", name, partial(module.list_view, data)
    for key in data.forms[1:]:
        yield data.form_pages[key], "matrix", partial(matrix.form_view, data, key)
    for name in ALL_MEASURES:
        yield rendering.measure_page(name), "measure", partial(measure_pages.measure_view, data, name)
    for name in data.library_names:
        yield rendering.library_page(name), "library", partial(library_pages.library_view, data, name)
    for axis in AXES:
        yield rendering.axis_page(axis), "axis", partial(axis_pages.axis_view, data, axis)
    for case in data.report.cases:
        yield rendering.case_page(case.id), "case", partial(case_pages.case_view, data, case)
