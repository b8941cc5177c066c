"""Blocks of code in README.md and `docs`."""

from places import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


PAGES = {path: path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]}


ALL_TEXT = "\n\n".join(PAGES.values())


def block(mark: str) -> str:
    """Return the block of code after a mark."""
    return ALL_TEXT.partition(f"<!-- {mark} -->")[2].partition("\n```")[2].partition("\n")[2].partition("\n```")[0]
