"""Checking: which measure and conventions a user's function computes, proved by an explicit call.

call and ingredients ──► values of each case ──► profile, faults ──► verdict ──► CheckResult

The package can be called like `rankproof.check.api.check`, since its name is that of the function in `rankproof`.
"""

import sys
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    """Importing a module of the package binds `rankproof.check` to the package; calling that calls the function."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as the function
        from rankproof.check.api import check  # noqa: PLC0415 - the package is also imported by processes that check nothing

        __tracebackhide__ = True
        return check(*arguments, **options)


sys.modules[__name__].__class__ = _CallablePackage
