"""Markdown, read back as it was before it was escaped."""

import html
import re


def plain(text: str) -> str:
    """What a text says."""
    return html.unescape(re.sub(r"\\(.)", r"\1", text))


def cells(row: str) -> list[str]:
    """What each cell of a row of a table says."""
    return [plain(cell).strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
