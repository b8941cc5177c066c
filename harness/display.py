"""Display of results: a short `repr`, text for `print`, HTML for notebooks, and data frames."""

from importlib import import_module
from typing import Any

RENDERERS = "rankproof.report.notebooks"
"""The module that renders results. It imports all kinds of results, so it is imported late, by name."""


class Display:
    """Base class of results with a display in terminals and notebooks.

    `repr(result)` is one line, `print(result)` prints the output of the command, and notebooks show tables and charts.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(_notebooks().short(self))

    def __str__(self) -> str:
        return str(_notebooks().text_of(self))

    def _repr_html_(self) -> str:
        return str(_notebooks().html_of(self))

    def to_frame(self) -> Any:  # noqa: ANN401 - pandas is optional
        """Return the result as a pandas DataFrame.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        return _notebooks().frame_of(self)


def _notebooks() -> Any:  # noqa: ANN401 - a module
    return import_module(RENDERERS)
