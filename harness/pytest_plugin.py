"""The pytest plugin: a project declares what its functions compute, and gets a test for each declaration.

    [[tool.rankproof.check]]
    file = "mylib/metrics.py"
    call = "ndcg([g > 0 for g in rels], k)"
    measure = "nDCG@10"
    profile = "standard ties=input"

in pyproject.toml makes the test `rankproof::mylib/metrics.py:ndcg[nDCG@10]`. It runs if the whole project or a folder is tested, not with
single files or tests. `-k nDCG@10` selects it, and `-p no:rankproof` leaves it out. A failure prints what `rankproof check` prints.
`strict = true` accepts only the conventions of `standard`, and `budget` is a number of seconds for all calls. A project without
declarations pays for one look at its pyproject.toml.
"""

import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

NAME = "rankproof"
EXAMPLE = 'write [[tool.rankproof.check]] file = "metrics.py" call = "ndcg(rels, k)" measure = "nDCG@10"'


@dataclass(frozen=True)
class Declaration:
    """A function and what it computes."""

    file: str
    call: str
    measure: str
    profile: str | None = None
    strict: bool = False
    budget: float = 120.0


KEYS = tuple(field.name for field in fields(Declaration))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the tests that the project declares."""
    declared = _declared(config.rootpath / "pyproject.toml")
    if not declared or not _is_whole(config):
        return
    if (root := str(config.rootpath)) not in sys.path:
        sys.path.insert(0, root)
    for i, entry in enumerate(declared):
        name = f"{entry.file}:{entry.call.partition('(')[0]}[{entry.measure}]"
        items.append(Claim.from_parent(session, name=name, nodeid=f"{NAME}::{name}", place=_place(i), entry=entry))


def _is_whole(config: pytest.Config) -> bool:
    """Whether the whole project or a folder is tested."""
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        return True
    return any((config.invocation_params.dir / argument).is_dir() for argument in config.args)


def _declared(path: Path) -> list[Declaration]:
    """Return the declarations of a pyproject.toml.

    Raises:
        UsageError: it cannot be read although it mentions rankproof, or a declaration is wrong.
    """
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return []
    except OSError as error:
        raise pytest.UsageError(f"{path} cannot be read: {error.strerror}") from None
    if NAME.encode() not in raw:
        return []
    from rankproof.text import message

    try:
        tools = tomllib.loads(raw.decode()).get("tool", {})
        return list(_declarations(tools.get(NAME, {}) if isinstance(tools, dict) else {}))
    except (ValueError, RecursionError) as error:
        raise pytest.UsageError(message(f"{path}: {error}; {EXAMPLE}")) from None


def _declarations(table: Any) -> Iterator[Declaration]:
    from rankproof.codec import convert

    entries = convert(table, dict[str, list[dict[str, Any]]])
    if unknown := entries.keys() - {"check"}:
        raise ValueError(f"unknown key tool.rankproof.{min(unknown)}")
    for i, entry in enumerate(entries.get("check", [])):
        if unknown := entry.keys() - set(KEYS):
            raise ValueError(f"{_place(i)}: unknown key {min(unknown)}; the keys are {', '.join(KEYS)}")
        try:
            yield convert(entry, Declaration)
        except ValueError as error:
            raise ValueError(f"{_place(i)}: {error}") from None


def _place(i: int) -> str:
    return f"tool.rankproof.check[{i}]"


class DoesNotFollow(Exception):
    """The failure of a test; its text is the report."""


class Claim(pytest.Item):
    """The test of a declaration."""

    def __init__(self, *, place: str, entry: Declaration, **rest: Any) -> None:
        super().__init__(**rest)
        self.place, self.entry = place, entry
        self.extra_keyword_matches.add(NAME)  # for -k rankproof

    def runtest(self) -> None:
        """Check the function.

        Raises:
            DoesNotFollow: it does not compute the measure, or cannot be called.
        """
        from rankproof.check.checking import check_function, prepare
        from rankproof.check.source import Source
        from rankproof.reference_impl.unusable import Unusable
        from rankproof.report.check import text_of

        entry, path = self.entry, self.config.rootpath / self.entry.file
        source = Source(str(path) if path.is_file() else entry.file)
        try:
            checked = prepare(source, entry.call, entry.measure, entry.profile)
            result = check_function(checked, budget=entry.budget)
        except (Unusable, OSError) as error:
            raise DoesNotFollow(f"pyproject.toml, {self.place}: {error}") from None
        finally:
            source.close()
        if not (result.holds(strict=entry.strict) and result.is_complete):
            raise DoesNotFollow(text_of(result))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the place of the declaration and a headline."""
        return self.config.rootpath / "pyproject.toml", None, f"{NAME}: {self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the report without a traceback through rankproof."""
        if isinstance(excinfo.value, DoesNotFollow):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)
