"""Documentation on the website: Markdown pages with checked links, and a reference generated from the code."""

import inspect
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path, PurePosixPath
from types import ModuleType
from urllib.parse import unquote, urlsplit

import click
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from rankproof.bounded import text_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.version import REPOSITORY, VERSION

FOLDER = "docs"
"""The folder of the pages within the site."""
SECTION_TEXT = 1_500
"""The number of characters of a section in the search index."""


class DeadLink(Unusable):
    """A broken link in the documentation."""


@dataclass(frozen=True)
class Document:
    """A page of the documentation.

    Attributes:
        page: the path within the site.
        sections: rows (heading, anchor, text); the anchor of the title is empty.
    """

    page: str
    title: str
    html: Markup
    sections: list[tuple[str, str, str]]


def documents(folder: Path, program: click.Command | None, pages: Sequence[str]) -> list[Document]:
    """Render all Markdown files in a folder, and the reference of the commands and of Python.

    Args:
        folder: the folder of the documentation.
        program: the command line; None leaves out the reference of commands.
        pages: the other pages of the site; documents may link to them as `../NAME.html`.

    Raises:
        DeadLink: a link leads to a page, heading or file that does not exist.
    """
    texts = {path.relative_to(folder).as_posix(): text_of(path) for path in folder.rglob("*.md")}
    texts |= {_notebook_page(path.relative_to(folder).as_posix()): _notebook(path) for path in folder.rglob("*.ipynb")}
    texts |= {"reference/python.md": "\n".join(_python_reference())}
    texts |= {"reference/commands.md": "\n".join(_command_reference("rankproof", program, 1))} if program else {}
    tokens = {name: _markdown().parse(text) for name, text in sorted(texts.items())}
    anchors = {name: set(_name_headings(own)) for name, own in tokens.items()}
    for name, own in tokens.items():
        for token in own:
            for link in token.children or []:
                if link.type == "link_open" and not _leads(link, name, anchors, folder, pages):
                    line = (token.map or [0])[0] + 1
                    target = f"broken link {link.attrs['href']}: the page, heading or file does not exist"
                    raise DeadLink(f"{folder / name}:{line}: {target}")
    return [_document(name, own) for name, own in tokens.items()]


def _notebook_page(path: str) -> str:
    return path.replace(".ipynb", "-notebook.md", 1)


def _notebook(path: Path) -> str:
    """Return a notebook as Markdown: its text, code, and outputs as plain text."""
    parts = []
    for cell in json.loads(text_of(path))["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"~~~~~python\n{source}\n~~~~~")
        outputs = (
            output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", ())
        )
        parts += [f"~~~~~text\n{''.join(output).rstrip()}\n~~~~~" for output in outputs if output]
    return "\n\n".join(parts)


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": True, "highlight": _highlighted}).enable("table")
    scroll = '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table class="plain">'
    markdown.add_render_rule("table_open", lambda *_: scroll)
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    return markdown


def _highlighted(code: str, language: str, _attributes: str) -> str:
    """Return code as highlighted HTML; classes begin with `h-`."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name

    spans = highlight(code, get_lexer_by_name(language or "text"), HtmlFormatter(nowrap=True, classprefix="h-"))
    return f'<pre tabindex="0"><code>{spans}</code></pre>'


def _document(name: str, tokens: Sequence[Token]) -> Document:
    html = Markup(_markdown().renderer.render(list(tokens), _markdown().options, {}))  # noqa: S704 - our own files
    sections: list[tuple[str, str, str]] = []
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            sections.append((_text(tokens[at + 1]), str(token.attrs["id"]) if token.tag != "h1" else "", ""))
        elif token.type in {"inline", "fence"} and tokens[at - 1].type != "heading_open" and sections:
            heading, anchor, text = sections[-1]
            sections[-1] = heading, anchor, f"{text} {_text(token)}".strip()[:SECTION_TEXT]
    return Document(f"{FOLDER}/{name.removesuffix('.md')}.html", sections[0][0] if sections else name, html, sections)


def _text(token: Token) -> str:
    return "".join(child.content or " " for child in token.children or [token] if child.type != "html_inline")


def _name_headings(tokens: Sequence[Token]) -> Iterator[str]:
    """Add anchors to headings as GitHub does, and yield the anchors."""
    seen: dict[str, int] = {}
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            slug = re.sub(r"[^\w\- ]", "", _text(inline).lower()).strip().replace(" ", "-")
            seen[slug] = seen.get(slug, -1) + 1
            anchor = f"{slug}-{seen[slug]}" if seen[slug] else slug
            token.attrSet("id", anchor)
            yield anchor


def _leads(link: Token, name: str, anchors: Mapping[str, set[str]], folder: Path, pages: Sequence[str]) -> bool:
    """Change a Markdown link to a page of the site or the repository, and return whether its target exists."""
    href = str(link.attrs["href"])
    parts = urlsplit(href)
    if parts.scheme:
        return True
    target = os.path.normpath(PurePosixPath(name).parent / unquote(parts.path)) if parts.path else name
    target = _notebook_page(target)
    if target in anchors:
        link.attrSet("href", _notebook_page(href).replace(".md", ".html", 1))
        return not parts.fragment or unquote(parts.fragment) in anchors[target]
    place = os.path.normpath(PurePosixPath(FOLDER) / target)
    if place in pages:
        return True
    exists = target.startswith("..") and (folder / target).exists()
    if exists:  # a file of the project: text alone as long as there is no public repository
        link.attrs = {"href": f"{REPOSITORY}/blob/v{VERSION}/{place}"} if REPOSITORY else {"title": place}
    return exists


def _command_reference(name: str, command: click.Command, level: int) -> Iterator[str]:
    """Yield the help of a command and its subcommands."""
    context = click.Context(command, info_name=name, max_content_width=100, terminal_width=100)
    text = command.get_help(context)
    yield from (f"{'#' * level} {name if level > 1 else 'Commands'}", "", "```text", text, "```", "")
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            if (subcommand := command.get_command(context, below)) is not None and not subcommand.hidden:
                yield from _command_reference(f"{name} {below}", subcommand, level + 1)


def _python_reference() -> Iterator[str]:
    """Yield the public names of `rankproof` with their signatures and docstrings."""
    package = import_module("rankproof")
    yield from ("# Python", "")
    for name in (name for name in package.__all__ if not name.startswith("__")):
        value = getattr(package, name)
        if isinstance(value, ModuleType):  # a package that has the name of its function
            value = getattr(import_module(f"{value.__name__}.api"), name)
        signature = f"{name}{inspect.signature(value)}" if callable(value) else name
        yield from (f"## {escape(name)}", "", "```python", signature, "```", "")
        yield from _sections(inspect.getdoc(value) or "")


def _sections(docstring: str) -> Iterator[str]:
    """Yield a docstring with sections as numpy writes them as Markdown: a list for each section, and code for examples."""
    summary, *parts = re.split(r"^(\w+)\n-{3,}\n", docstring, flags=re.MULTILINE)
    yield from (summary if parts else f"```text\n{summary}\n```", "")
    for title, text in zip(parts[::2], parts[1::2], strict=True):
        yield from (f"**{title}**", "")
        if title == "Examples":
            yield from ("```python", text.strip(), "```", "")
            continue
        for entry in re.findall(r"^(\S.*)\n((?: .*\n?)+)", text, re.MULTILINE):
            head, described = escape(entry[0]), escape(" ".join(entry[1].split()))
            yield f"- `{head}`: {described}"
        yield ""
