"""The pytest plugin: each function that a project declares in pyproject.toml (see `rankproof.declarations`) is a test.

The declaration of `ndcg` in mylib/metrics.py makes the test `rankproof::mylib/metrics.py:ndcg[nDCG@10]`. It runs if the whole project or a
folder is tested, not with single files or tests. `-k nDCG@10` selects it, and `-p no:rankproof` leaves it out. A failure prints what
`rankproof check` prints. A project without declarations pays for one look at its pyproject.toml.
"""

import sys
from pathlib import Path
from typing import Any

import pytest

from rankproof.declarations import BadDeclarations, Declaration, declared_in, failure_of

NAME = "rankproof"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the tests that the project declares.

    Raises:
        UsageError: the declarations cannot be used.
    """
    try:
        declared = declared_in(config.rootpath)
    except BadDeclarations as error:
        from rankproof.text import message

        raise pytest.UsageError(message(error)) from None
    if not declared or not _is_whole(config):
        return
    if (root := str(config.rootpath)) not in sys.path:
        sys.path.insert(0, root)
    items += [
        Claim.from_parent(session, name=entry.name, nodeid=f"{NAME}::{entry.name}", entry=entry) for entry in declared
    ]


def _is_whole(config: pytest.Config) -> bool:
    """Whether the whole project or a folder is tested."""
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        return True
    return any((config.invocation_params.dir / argument).is_dir() for argument in config.args)


class DoesNotFollow(Exception):
    """The failure of a test; its text is the report."""


class Claim(pytest.Item):
    """The test of a declaration."""

    def __init__(self, *, entry: Declaration, **rest: Any) -> None:
        super().__init__(**rest)
        self.entry = entry
        self.extra_keyword_matches.add(NAME)  # for -k rankproof

    def runtest(self) -> None:
        """Check the function.

        Raises:
            DoesNotFollow: it does not compute the measure, or cannot be called.
        """
        if why := failure_of(self.entry, self.config.rootpath):
            raise DoesNotFollow(why)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the place of the declaration and a headline."""
        return self.config.rootpath / "pyproject.toml", None, f"{NAME}: {self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the report without a traceback through rankproof."""
        if isinstance(excinfo.value, DoesNotFollow):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)
