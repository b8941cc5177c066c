"""rankproof: the conformance suite of ranking measures.

    import rankproof
    result = rankproof.evaluate(["nDCG@10", "AP"], qrels, run, profile="standard")

`evaluate` measures a run by the reference, or several (`by_system` parts a table of them), and `evaluate_runs` the files of
whole tracks; `provider` does so for ir_measures; `check` holds a function of yours to the conventions that it claims. All are
imported when first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankproof.version import VERSION

if TYPE_CHECKING:
    from rankproof.check.api import check
    from rankproof.check.result import CheckResult
    from rankproof.evaluating.api import evaluate
    from rankproof.evaluating.inputs import BadInput, by_system
    from rankproof.evaluating.ir_provider import provider
    from rankproof.evaluating.result import Result, Results
    from rankproof.evaluating.tracks.many_runs import evaluate_runs

__version__ = VERSION
__all__ = [
    "BadInput",
    "CheckResult",
    "Result",
    "Results",
    "__version__",
    "by_system",
    "check",
    "evaluate",
    "evaluate_runs",
    "provider",
]

_HOME = {
    "BadInput": "rankproof.evaluating.inputs",
    "CheckResult": "rankproof.check.result",
    "Result": "rankproof.evaluating.result",
    "Results": "rankproof.evaluating.result",
    "by_system": "rankproof.evaluating.inputs",
    "check": "rankproof.check.api",
    "evaluate": "rankproof.evaluating.api",
    "evaluate_runs": "rankproof.evaluating.tracks.many_runs",
    "provider": "rankproof.evaluating.ir_provider",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever stands under that name
    if name not in _HOME:
        raise AttributeError(f"module 'rankproof' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOME[name]), name)
    return found


def __dir__() -> list[str]:
    return __all__
