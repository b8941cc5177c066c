"""Files that appear whole or not at all, JSON that reads and compares line by line, and the user's cache."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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


def with_lines(document: Mapping[str, Any], name: str) -> str:
    """A document as JSON, with a line for each entry of its longest part.

    >>> print(with_lines({"kind": "list", "entries": [{"a": 1}, {"a": 2}]}, "entries"), end="")
    {
     "kind": "list",
     "entries": [
    {"a":1},
    {"a":2}
     ]
    }
    """
    head = json.dumps({key: value for key, value in document.items() if key != name}, indent=1)
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in document[name])
    return f'{head.removesuffix("}").rstrip()},\n "{name}": [\n{lines}\n ]\n}}\n'
