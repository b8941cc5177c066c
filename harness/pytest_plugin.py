"""The pytest plugin: a project declares what its functions claim, and gets a test for each claim.

    [[tool.rankproof.check]]
    file = "mylib/metrics.py"
    call = "ndcg([g > 0 for g in rels], k)"
    measure = "nDCG@10"
    profile = "standard ties=input"

in the project's pyproject.toml makes the test `rankproof::mylib/metrics.py:ndcg[nDCG@10]`. It runs with the whole project, or with a folder
of it, not with single files or tests; `-k nDCG@10` chooses it, and `-p no:rankproof` leaves it out. A failure is what `rankproof check`
prints. `strict = "yes"` accepts no conventions but those of `standard`, and `budget` is the number of seconds for all calls. The function
runs in a process of its own. A project that declares nothing pays for one look at its pyproject.toml.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAME = "rankproof"
NEEDED = ("file", "call", "measure")
KEYS = (*NEEDED, "profile", "strict", "budget")
LONGEST = 60
"""How many characters of a value are shown."""
EXAMPLE = 'write [[tool.rankproof.check]] file = "metrics.py" call = "ndcg(rels, k)" measure = "nDCG@10"'


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the tests that the project declares, before anybody chooses among them."""
    declared = _declared(config.rootpath / "pyproject.toml")
    if declared and _is_whole(config):
        collector = Declared.from_parent(session, name=NAME, nodeid=NAME)
        items += collector.tests(declared)


def _one_line(text: object) -> str:
    from rankproof.text import one_line  # noqa: PLC0415 - a project that declares nothing does not pay for it

    return one_line(text)


def _is_whole(config: pytest.Config) -> bool:
    """Whether all of the project, or a folder of it, is tested, and no file or test alone."""
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        return True
    return any((config.invocation_params.dir / argument).is_dir() for argument in config.args)


def _declared(path: Path) -> list[dict[str, str]]:
    """What a pyproject.toml declares.

    Raises:
        UsageError: it cannot be read, though it names rankproof; an entry lacks what it needs, or has what it does not.
    """
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return []
    except OSError as error:
        raise pytest.UsageError(f"{path} cannot be read: {error.strerror}") from None
    if NAME.encode() not in raw:
        return []
    fault, table = _read(raw)
    if fault := fault or _fault(table):
        raise pytest.UsageError(f"{_one_line(path)}: {fault}; {EXAMPLE}")
    return list(table.get("check", []))


def _read(raw: bytes) -> tuple[str, Any]:
    """What is wrong with a file as TOML, and what stands there under tool.rankproof."""
    try:
        tools = tomllib.loads(raw.decode("utf-8")).get("tool", {})
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return f"line {line} is not UTF-8, as TOML must be", {}
    except tomllib.TOMLDecodeError as error:
        return f"it is no TOML: {_one_line(error)}", {}
    except RecursionError:
        return "it is nested too deep", {}
    return "", tools.get(NAME, {}) if isinstance(tools, dict) else {}


def _fault(table: Any) -> str:  # noqa: ANN401 - whatever a person wrote
    """What is wrong with what a project declares; nothing if all of it can be read."""
    if not isinstance(table, dict):
        return "tool.rankproof is no table"
    for key in table:
        if key != "check":
            return f"tool.rankproof.{_one_line(key)} is no key"
    entries = table.get("check", [])
    if not isinstance(entries, list):
        return "tool.rankproof.check is no array of tables"
    faults = (f"{_place(i)}: {fault}" for i, entry in enumerate(entries) if (fault := _fault_of(entry)))
    return next(faults, "")


def _fault_of(entry: Any) -> str:  # noqa: ANN401 - as above
    if not isinstance(entry, dict):
        return f"{_shown(entry)} is no table"
    for key, value in entry.items():
        if key not in KEYS:
            return f"{_one_line(key)} is no key; the keys are {', '.join(KEYS)}"
        if not isinstance(value, str):
            return f"{key} = {_shown(value)} is no text"
    if entry.get("strict", "yes") not in {"yes", "no"}:
        return f"strict = {_shown(entry['strict'])} is neither yes nor no"
    if not re.fullmatch(r"\d{1,6}(\.\d+)?", entry.get("budget", "1")):
        return f"budget = {_shown(entry['budget'])} is no number of seconds"
    return next((f"{key} is missing" for key in NEEDED if key not in entry), "")


def _shown(value: object) -> str:
    text = _one_line(repr(value))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _place(i: int) -> str:
    return f"tool.rankproof.check[{i}]"


class Declared(pytest.Collector):
    """All that a project declares."""

    def collect(self) -> list[pytest.Item]:
        """Nothing by itself: its tests are added where all are chosen from."""
        return []

    def tests(self, declared: list[dict[str, str]]) -> Iterator[pytest.Item]:
        """A test for each claim."""
        root = str(self.config.rootpath)
        if root not in sys.path:
            sys.path.insert(0, root)
        for i, entry in enumerate(declared):
            name = f"{entry['file']}:{entry['call'].partition('(')[0]}[{entry['measure']}]"
            yield Claim.from_parent(self, name=name, place=_place(i), entry=entry)


class DoesNotFollow(Exception):
    """What a test of a claim fails with; its text says it all."""


class Claim(pytest.Item):
    """A function, held to its claim."""

    def __init__(self, *, place: str, entry: dict[str, str], **rest: Any) -> None:  # noqa: ANN401 - as pytest
        super().__init__(**rest)
        self.place, self.entry = place, entry

    def runtest(self) -> None:
        """Check the function.

        Raises:
            DoesNotFollow: it is not the measure, or cannot be called.
        """
        from rankproof.check.checking import check_function, prepare  # noqa: PLC0415 - a project that declares nothing does not pay for it
        from rankproof.check.source import Source  # noqa: PLC0415 - as above
        from rankproof.reference_impl.unusable import Unusable  # noqa: PLC0415 - as above
        from rankproof.report.check import text_of  # noqa: PLC0415 - as above

        entry = self.entry
        path = self.config.rootpath / entry["file"]
        source = Source(str(path) if path.is_file() else entry["file"])
        try:
            checked = prepare(source, entry["call"], entry["measure"], entry.get("profile"))
            result = check_function(checked, budget=float(entry.get("budget", "120")))
        except (Unusable, OSError) as error:
            raise DoesNotFollow(f"pyproject.toml, {self.place}: {error}") from None
        finally:
            source.close()
        if not (result.holds(strict=entry.get("strict") == "yes") and result.is_complete):
            raise DoesNotFollow(text_of(result))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where it is declared, and a headline; pytest replaces the dots of one that is the end of the test's id."""
        return self.config.rootpath / "pyproject.toml", None, f"{NAME}: {self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:  # noqa: ANN401 - as pytest
        """The sentence, without a traceback through rankproof."""
        if isinstance(excinfo.value, DoesNotFollow):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)
