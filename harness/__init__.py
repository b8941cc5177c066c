"""rankproof: a conformance suite for ranking measures.

    import rankproof
    result = rankproof.evaluate(["nDCG@10", "AP"], qrels, run, profile="standard")

`evaluate` computes measures of one run or several, and `evaluate_runs` those of all files of a track. `provider`
makes rankproof a provider of ir_measures. `check` tests your function against the conventions that you claim for it.
`explain` finds out why tools give different values for a run. `show` returns the facts about a measure, an axis, a
profile, a library, a case or a signature. `compare_signatures` returns the conventions in which two signatures differ.
All are imported when first used.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rankproof.version import VERSION

if TYPE_CHECKING:
    from rankproof.check.api import check
    from rankproof.check.result import CheckResult
    from rankproof.evaluate.api import evaluate
    from rankproof.evaluate.inputs import BadInput
    from rankproof.evaluate.ir_provider import provider
    from rankproof.evaluate.result import Result, Results
    from rankproof.evaluate.tracks import evaluate_runs
    from rankproof.explain.api import explain
    from rankproof.explain.explanation import Explanation
    from rankproof.explain.lookup import show
    from rankproof.explain.signature_comparison import Compared, compare_signatures

__version__ = VERSION
__all__ = [
    "BadInput",
    "CheckResult",
    "Compared",
    "Explanation",
    "Result",
    "Results",
    "__version__",
    "check",
    "compare_signatures",
    "evaluate",
    "evaluate_runs",
    "explain",
    "provider",
    "show",
]

_HOME = {
    "BadInput": "rankproof.evaluate.inputs",
    "CheckResult": "rankproof.check.result",
    "Compared": "rankproof.explain.signature_comparison",
    "Explanation": "rankproof.explain.explanation",
    "Result": "rankproof.evaluate.result",
    "Results": "rankproof.evaluate.result",
    "check": "rankproof.check.api",
    "compare_signatures": "rankproof.explain.signature_comparison",
    "evaluate": "rankproof.evaluate.api",
    "evaluate_runs": "rankproof.evaluate.tracks",
    "explain": "rankproof.explain.api",
    "provider": "rankproof.evaluate.ir_provider",
    "show": "rankproof.explain.lookup",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'rankproof' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    # `help` reads every listed attribute, and reading `provider` imports ir_measures.
    return [name for name in __all__ if name != "provider" or find_spec("ir_measures") is not None]


class _Package(ModuleType):
    """Module type that keeps functions such as `rankproof.check` when subpackages of the same name are imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _HOME or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
