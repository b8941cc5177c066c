"""Files that appear whole or not at all, and the user's cache."""

import os
from pathlib import Path

CACHE = "RANKPROOF_CACHE"
"""The environment variable that names the folder of the cache."""


def cache() -> Path:
    """Where answers and programs are kept: `$RANKPROOF_CACHE`, else `rankproof` in the user's cache."""
    named = os.environ.get(CACHE)
    return Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rankproof"


def programs() -> Path:
    """Where the programs are that `rankproof libraries install` fetched."""
    return cache() / "programs"


def publish(path: Path, text: str) -> None:
    """Put a file in its place in one step: it is written beside its place and then moved there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.part")
    beside.write_text(text, encoding="utf-8", errors="surrogateescape")
    beside.replace(path)
