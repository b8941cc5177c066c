"""Doctored files: what a file of ours may have become on its way, seeded, so that each can be made again."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

DEEP = 100_000
WRONG: tuple[Any, ...] = (
    None, True, -1, 0.5, 1e308, "", "x", "nan", "\x1b[2J\u202e\0", "\ud800", [], {}, [[]], {"x": 1}, ["x"], "a=b", "d" * 5000,
)  # fmt: skip
"""Values of every type, most of which fit nowhere."""
RAW = (
    "NaN",
    "-Infinity",
    "1e999",
    "9" * 5000,
    "-" + "9" * 400,
    "[" * DEEP,
    '{"a":' * 5000,
    "1,,",
    "'x'",
    '{"k":1,"k":2}',
    "\\",
)
"""What is no JSON, or is none that can be used."""


def doctored(text: str, seed: int) -> bytes:
    """A text of JSON, as a document or as lines, with one thing in it changed."""
    chance = random.Random(seed)  # noqa: S311 - nothing is kept secret by it
    kinds: tuple[Callable[[str, random.Random], bytes], ...] = (
        _value,
        _value,
        _value,
        _value,
        _raw,
        _raw,
        _bytes,
        _lines,
    )
    return chance.choice(kinds)(text, chance)


def _value(text: str, chance: random.Random) -> bytes:
    """A value is another one, a key is missing, is new, or is called otherwise."""
    whole = text.count("\n{") and not text.startswith("{\n")
    lines = text.splitlines(keepends=True) if whole else [text]
    at = chance.randrange(len(lines))
    document = json.loads(lines[at])
    places = list(_places(document))
    parent, key = chance.choice(places)
    how = chance.randrange(4)
    if how == 0:
        del parent[key]
    elif how == 1 and isinstance(parent, dict):
        parent[chance.choice(["x", "", f"{key}s", "__class__"])] = parent.pop(key)
    else:
        parent[key] = chance.choice(WRONG)
    lines[at] = json.dumps(document) + "\n"
    return "".join(lines).encode("utf-8", "surrogatepass")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _raw(text: str, chance: random.Random) -> bytes:
    """Something stands in the place of a number or a word that is no JSON."""
    starts = [i + 1 for i, c in enumerate(text) if c == ":"]
    at = chance.choice(starts)
    end = min(i for c in ",}\n" if (i := text.find(c, at)) > 0)
    return (text[:at] + chance.choice(RAW) + text[end:]).encode()


def _bytes(text: str, chance: random.Random) -> bytes:
    """Bytes are lost, changed, or doubled."""
    found = bytearray(text.encode())
    at = chance.randrange(len(found))
    how = chance.randrange(4)
    if how == 0:
        del found[at:]
    elif how == 1:
        found[at] = 0xFF
    elif how == 2:
        found[at:at] = b"\0"
    else:
        found += found[at:]
    return bytes(found)


def _lines(text: str, chance: random.Random) -> bytes:
    """A line is missing, stands there twice, or elsewhere."""
    lines = text.splitlines(keepends=True)
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    how = chance.randrange(3)
    line = lines.pop(at) if how else lines[at]
    if how != 1:
        lines.insert(to, line)
    return "".join(lines).encode()
