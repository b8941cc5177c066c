"""pytest plugin: one test for each function declared in pyproject.toml (see `rankproof.declarations`).

The declaration of `ndcg` in mylib/metrics.py makes the test `rankproof::mylib/metrics.py:ndcg[nDCG@10]`. It runs when
pytest runs the whole project or a folder, but not when it runs single files or tests. `-k nDCG@10` selects it, and
`-p no:rankproof` disables the plugin. A failure prints the output of `rankproof check`. In a project without
declarations, the plugin only reads pyproject.toml.
"""

import sys
from pathlib import Path
from typing import Any

import pytest

from rankproof.declarations import BadDeclarations, Declaration, declared_in, failure_of

NAME = "rankproof"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add a test for each declared function.

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
    """Return whether pytest runs the whole project or a folder."""
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        return True
    return any((config.invocation_params.dir / argument).is_dir() for argument in config.args)


class DoesNotFollow(Exception):
    """Failure of a declared function; its text is the report of the check."""


class Claim(pytest.Item):
    """Test of a declared function."""

    def __init__(self, *, entry: Declaration, **rest: Any) -> None:
        super().__init__(**rest)
        self.entry = entry
        self.extra_keyword_matches.add(NAME)  # for -k rankproof

    def runtest(self) -> None:
        """Check the function.

        Raises:
            DoesNotFollow: the function does not compute the measure, or cannot be called.
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
