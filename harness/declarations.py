"""Declarations of a project's metric functions in its pyproject.toml.

    [[tool.rankproof.check]]
    file = "mylib/metrics.py"
    call = "ndcg([g > 0 for g in rels], k)"
    measure = "nDCG@10"
    profile = "standard ties=input"

`strict = true` accepts only the conventions of the profile, by default `standard`. `budget` is the time limit for all
calls in seconds.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from rankproof.bounded import LARGEST_TOML, BadDocument, TooMuch, bytes_of, decoded, toml_in
from rankproof.reference_impl.unusable import Unusable

FILE = "pyproject.toml"
EXAMPLE = 'write [[tool.rankproof.check]] file = "metrics.py" call = "ndcg(rels, k)" measure = "nDCG@10"'


class BadDeclarations(Unusable):
    """A pyproject.toml whose declarations cannot be used."""


@dataclass(frozen=True)
class Declaration:
    """A declared function with its measure and conventions; `place` is its table in pyproject.toml."""

    file: str
    call: str
    measure: str
    profile: str | None = None
    strict: bool = False
    budget: float = 120.0
    place: str = ""

    @property
    def function(self) -> str:
        """The file and the name of the function, such as `mylib/metrics.py:ndcg`."""
        return f"{self.file}:{self.call.partition('(')[0]}"

    @property
    def name(self) -> str:
        """The function with its measure, such as `mylib/metrics.py:ndcg[nDCG@10]`."""
        return f"{self.function}[{self.measure}]"


KEYS = tuple(field.name for field in fields(Declaration) if field.name != "place")


def declared_in(project: Path) -> list[Declaration]:
    """Return the declarations in the pyproject.toml of a folder, or an empty list without that file.

    Raises:
        BadDeclarations: the file cannot be read, or its part about rankproof is wrong.
    """
    path = project / FILE
    if path.is_dir() or not os.path.lexists(path):
        return []
    try:
        data = bytes_of(path, LARGEST_TOML)
    except (OSError, TooMuch) as error:
        raise BadDeclarations(f"{path} cannot be read: {getattr(error, 'strerror', error)}") from None
    if b"rankproof" not in data:
        return []
    try:
        tools = toml_in(decoded(data)).get("tool", {})
        return list(_declarations(tools.get("rankproof", {}) if isinstance(tools, dict) else {}))
    except BadDocument as error:
        raise BadDeclarations(f"{path}:{error.line}: {error}; {EXAMPLE}") from None
    except ValueError as error:
        raise BadDeclarations(f"{path}: {error}; {EXAMPLE}") from None


def _declarations(table: object) -> Iterator[Declaration]:
    from rankproof.codec import convert

    entries = convert(table, dict[str, list[dict[str, Any]]])
    if unknown := entries.keys() - {"check"}:
        raise ValueError(f"unknown key tool.rankproof.{min(unknown)}")
    for i, entry in enumerate(entries.get("check", [])):
        place = f"tool.rankproof.check[{i}]"
        if unknown := entry.keys() - set(KEYS):
            raise ValueError(f"{place}: unknown key {min(unknown)}; the keys are {', '.join(KEYS)}")
        try:
            yield replace(convert(entry, Declaration), place=place)
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None


def failure_of(declaration: Declaration, project: Path, on_progress: Callable[[int, int], None] | None = None) -> str:
    """Return why a function cannot be called or does not compute what it declares, or an empty text."""
    from rankproof.check.checking import check_function, prepare
    from rankproof.check.source import Source
    from rankproof.report.check import text_of
    from rankproof.workers.function_worker import Limits

    path = project / declaration.file
    limits = Limits().within(declaration.budget)
    source = Source(str(path) if path.is_file() else declaration.file, limits=limits)
    try:
        checked = prepare(source, declaration.call, declaration.measure, declaration.profile)
        result = check_function(checked, budget=declaration.budget, on_progress=on_progress)
    except (Unusable, OSError) as error:
        return f"{FILE}, {declaration.place}: {error}"
    finally:
        source.close()
    return "" if result.holds(strict=declaration.strict) and result.is_complete else text_of(result)
