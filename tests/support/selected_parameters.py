"""Parameter values of the selected tests of a file, so that a shared fixture computes only what they need."""

from collections.abc import Iterable

import pytest


def selected(request: pytest.FixtureRequest, parameter: str, every: Iterable[str]) -> set[str]:
    """Return the values of a parameter among the selected tests of a module.

    All values if no test has the parameter.
    """
    specs = (getattr(item, "callspec", None) for item in request.session.items if item.path == request.path)
    return {spec.params[parameter] for spec in specs if spec is not None and parameter in spec.params} or set(every)
