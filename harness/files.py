"""Files that appear whole or not at all."""

from pathlib import Path


def publish(path: Path, text: str) -> None:
    """Put a file in its place in one step: it is written beside its place and then moved there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.part")
    beside.write_text(text, encoding="utf-8", errors="surrogateescape")
    beside.replace(path)
