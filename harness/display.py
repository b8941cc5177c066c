"""Display of results: a short `repr`, a table for `print`, HTML for notebooks, and data frames."""

from importlib import import_module
from typing import Any


class Display:
    """A result that notebooks and terminals show well.

    `repr(result)` is one line, `print(result)` what the command line prints, and a notebook shows tables and charts.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(_notebooks().short(self))

    def __str__(self) -> str:
        return str(_notebooks().text_of(self))

    def _repr_html_(self) -> str:
        return str(_notebooks().html_of(self))

    def to_frame(self) -> Any:  # noqa: ANN401 - pandas is optional
        """Return the facts as a pandas DataFrame.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        return _notebooks().frame_of(self)


def _notebooks() -> Any:  # noqa: ANN401 - a module, which knows all results and is imported when one is shown
    return import_module("rankproof.report.notebooks")
