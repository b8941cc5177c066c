"""Links, anchors and text of an HTML page, and whether its elements are closed."""

import html.parser
from pathlib import Path
from typing import ClassVar


class HtmlPage(html.parser.HTMLParser):
    """A page: links, ids, words, open elements, and end tags that close nothing."""

    VOID = frozenset({"meta", "link", "input", "br", "img", "hr"})
    ENDS_BEFORE: ClassVar[dict[str, str]] = {
        "td": "td th",
        "th": "td th",
        "tr": "td th tr",
        "li": "li",
        "dd": "dd",
        "dt": "dd",
    }
    """Start tag -> elements that end before it without an end tag."""
    ENDS_WITHIN = frozenset({"td", "th", "tr", "li", "dd"})

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.faults: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Store links and ids, and open the element."""
        attributes = dict(attrs)
        self.links += [attributes[name] or "" for name in ("href", "src") if name in attributes]
        self.ids += [attributes["id"] or ""] if "id" in attributes else []
        while self.open and self.open[-1] in self.ENDS_BEFORE.get(tag, "").split():
            self.open.pop()
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open and close an element without content."""
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        while self.open and self.open[-1] in self.ENDS_WITHIN and self.open[-1] != tag:
            self.open.pop()
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data: str) -> None:
        """Store text."""
        self.words.append(data)

    @property
    def text(self) -> str:
        """The text with single blanks."""
        return " ".join(" ".join(self.words).split())


def read(path: Path) -> HtmlPage:
    """Read a page."""
    page = HtmlPage()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    return page
