"""The pages of the reference, made from the code whenever the documentation is built; and links to files that are no pages.

MkDocs calls `on_files` and `on_page_markdown`. A link out of the folder of the documentation leads to the public repository where it has an
address, and is text alone where it has none.
"""

import inspect
import os
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click
from mkdocs.structure.files import File

import rankproof
from rankproof.cli import program
from rankproof.evaluate.library_profiles import published
from rankproof.explain.lookup import followers, measures_of, shown_measure
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.measures import MEASURES
from rankproof.report.library_sentence import alternatives
from rankproof.report.show import text
from rankproof.version import REPOSITORY, VERSION

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
MADE = "Made from the code; nothing here is written by hand."


def on_files(files: Any, config: Any) -> Any:  # noqa: ANN401 - MkDocs' own, which has no types
    """Add the pages of the reference to those that are written."""
    for name, make in PAGES.items():
        files.append(File.generated(config, f"reference/{name}.md", content="\n".join(make()) + "\n"))
    return files


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:  # noqa: ANN401 - as above
    """Let links out of the documentation lead to the repository, or be text."""
    here = (DOCS / page.file.src_uri).parent
    return re.sub(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)", lambda link: _led(link, here), markdown)


def _led(link: re.Match[str], here: Path) -> str:
    target = Path(os.path.normpath(here / link[2]))
    if target.is_relative_to(DOCS) or not target.exists():
        return link[0]  # a page; or dead, which MkDocs tells
    path = target.relative_to(ROOT).as_posix()
    kind = "tree" if target.is_dir() else "blob"
    return f"[{link[1]}]({REPOSITORY}/{kind}/v{VERSION}/{path})" if REPOSITORY else f"{link[1]} (`{path}`)"


def measures() -> Iterator[str]:
    """Every measure with its formula, what is disputed, its source, and the choices that can matter to it."""
    yield from ("# Measures", "", MADE, "")
    for name in [*MEASURES, *CLUSTERINGS]:
        yield from (f"## {name}", "", "```text", *text(shown_measure(name), details=True), "```", "")


def choices() -> Iterator[str]:
    """Every axis with its values, and who was proved to follow which."""
    every = [one for forms in published().values() for one in forms]
    yield from ("# Choices", "", f"{MADE} Who follows a value is what the published run proved.", "")
    for name, axis in AXES.items():
        who = followers(name, every)
        yield from (f"## {name}", "", axis.question, "", f"It can matter to {', '.join(measures_of(name))}.", "")
        yield from ("| value | what it means | who follows it |", "|---|---|---|")
        for value in dict.fromkeys([*sorted(axis.values, key=lambda one: one != axis.default), *who]):
            own = "; ".join(sorted({f"{library}{alternatives(others)}" for library, others in who.get(value, {})}))
            mark = " (as in `standard`)" if value == axis.default else ""
            yield f"| `{value}` | {_cell(axis.meaning(value))}{mark} | {_cell(own)} |"
        yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def commands() -> Iterator[str]:
    """Every verb with what its `--help` says."""
    yield from ("# Commands", "", MADE, "")
    for verb in program.VERBS:
        yield from _helped(f"rankproof {verb}", import_module(f"rankproof.cli.{verb}").command, 2)


def _helped(name: str, command: click.Command, level: int) -> Iterator[str]:
    text = command.get_help(click.Context(command, info_name=name, max_content_width=110, terminal_width=110))
    yield from (f"{'#' * level} {name}", "", "```text", text, "```", "")
    for below, one in getattr(command, "commands", {}).items():
        yield from _helped(f"{name} {below}", one, level + 1)


def python() -> Iterator[str]:
    """All that `import rankproof` gives, with signatures and docstrings."""
    yield from ("# Python", "", MADE, "")
    for name in (one for one in rankproof.__all__ if one != "__version__"):
        value = getattr(rankproof, name)
        if isinstance(value, ModuleType):  # the package `rankproof.check`, which has the name of its function
            value = getattr(import_module(f"{value.__name__}.api"), name)
        signature = f"{name}{inspect.signature(value)}" if callable(value) else name
        told = inspect.getdoc(value) or ""
        yield from (f"## {name}", "", "```python", signature, "```", "", "```text", told, "```", "")


def schemas() -> Iterator[str]:
    """Every schema of what is read and written."""
    yield from ("# Schemas", "", MADE, "", "| schema | of what |", "|---|---|")
    globs = ("harness/*/schemas/*.json", "adapters/schemas/*.json", "cases/*.schema.json")
    for path in sorted(path for glob in globs for path in ROOT.glob(glob)):
        title = re.search(r'"title":\s*"((?:[^"\\]|\\.)*)"', path.read_text(encoding="utf-8"))
        yield f"| `{path.relative_to(ROOT).as_posix()}` | {_cell(title[1]) if title else ''} |"


def exit_codes() -> Iterator[str]:
    """What the exit codes mean, as the program says it."""
    codes = re.search(r"Exit codes: (.*)", program.__doc__ or "")
    yield from ("# Exit codes", "", MADE, "", "They are the same for all verbs:", "")
    yield from (f"- {one.strip().rstrip('.')}" for one in (codes[1] if codes else "").split(";"))


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "measures": measures,
    "choices": choices,
    "commands": commands,
    "python": python,
    "schemas": schemas,
    "exit-codes": exit_codes,
}
