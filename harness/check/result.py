"""The result of a check: facts, which `rankproof.report.check` renders."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from rankproof.cases.inputs import Input
from rankproof.display import Display
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure


class Verdict(StrEnum):
    """What a user's function is."""

    AGREES = "agrees"
    """It follows `standard`, or the claimed profile."""
    VARIANT = "variant"
    """It is the measure with other conventions, all of them known."""
    DIFFERS = "differs"
    """It is not the measure."""


class FaultKind(StrEnum):
    """Why a function is not the measure."""

    CRASH = "crash"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    UNSTABLE = "unstable"
    CHANGES_ARGUMENTS = "changes-arguments"
    IGNORES = "ignores"
    DEFECT = "defect"
    RAISES = "raises"
    ABOVE_MAXIMUM = "above-maximum"
    CHEAP = "cheap"
    REPEATS = "repeats"
    UNKNOWN_CONVENTION = "unknown-convention"
    CLAIM = "claim"
    UNEXPLAINED = "unexplained"


@dataclass(frozen=True)
class Example:
    """A small input that shows a difference.

    Attributes:
        description: the input in words; empty if it has none.
        measure: at the cutoff of the example.
        query: of the values; None for the mean.
        expected: the value of the measure under `standard` or the claimed profile; None if it is undefined.
        returned: what the function returned; the text of an exception otherwise.
    """

    case: str
    description: str
    measure: Measure
    input: Input
    query: str | None
    expected: float | None
    returned: float | str


@dataclass(frozen=True)
class Fault:
    """Why a function is not the measure.

    Attributes:
        about: what it is about: slugs of defects, axes, the ignored input or the exception.
        explained: how many of the values it explains, of those that no convention explains.
        unexplained: how many these are.
    """

    kind: FaultKind
    about: tuple[str, ...] = ()
    example: Example | None = None
    explained: int = 0
    unexplained: int = 0
    profile: Conventions | None = None


@dataclass(frozen=True)
class Difference:
    """A convention that is not that of `standard`, and an example that proves it.

    Attributes:
        values: the conventions that remain, the inferred one first.
        exception: the type of the exception that the function raises, if that is the convention.
        is_known: whether a library, tool or paper follows one of them for the measure.
    """

    axis: str
    values: tuple[str, ...]
    standard: str
    is_known: bool
    exception: str = ""
    example: Example | None = None


@dataclass(frozen=True)
class TraitCount:
    """Values of inputs with something extreme, and how many of them the inferred conventions do not explain."""

    trait: str
    values: int
    unexplained: int
    example: Example | None = None


@dataclass(frozen=True, repr=False)
class CheckResult(Display):
    """What a check found out about a function.

    Attributes:
        name: what the function is called in sentences.
        target: the file or module that defines it; empty for a callable.
        call: the expression; empty for a callable.
        claim: the profile it is held to, as it was written; None if any known conventions may hold.
        faults: why it is not the measure, the most important first.
        profile: the conventions that explain most of its values.
        closest: whether the profile explains only a part of the values.
        differences: how the profile differs from `standard`.
        decided_by_caller: the conventions that the call decides.
        undetermined: by axis that no value decides, the conventions that remain.
        not_tested: what the measure depends on and the call never passes.
        same_as: libraries that were observed to follow the same conventions.
        explained: how many of the values on ordinary input the profile explains.
        extreme: values on extreme input.
        skipped: how many queries the call skipped.
        left_out: how many calls were not made, because the time was used up.
        reads: the ingredients that the call read.
        relevant_twice: the value if `relevant` names a document twice, where it is another: the value, and the value without.
        suggestion: a call that would match, if the arguments were probably swapped.
    """

    name: str
    target: str
    call: str
    measure: Measure
    claim: str | None
    verdict: Verdict
    faults: tuple[Fault, ...]
    profile: Conventions
    precision: str
    closest: bool
    differences: tuple[Difference, ...]
    decided_by_caller: Mapping[str, str]
    undetermined: Mapping[str, tuple[str, ...]]
    not_tested: tuple[str, ...]
    same_as: tuple[str, ...]
    explained: int
    values: int
    extreme: tuple[TraitCount, ...] = ()
    skipped: int = 0
    left_out: int = 0
    reads: frozenset[str] = frozenset()
    shadowed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    relevant_twice: tuple[float | str, float] | None = None
    suggestion: str = ""

    def holds(self, *, strict: bool = False) -> bool:
        """Return whether the function is the measure; strictly, only if it follows `standard` or the claimed profile."""
        return self.verdict is Verdict.AGREES or (self.verdict is Verdict.VARIANT and not strict)

    @property
    def is_complete(self) -> bool:
        """Whether every call was made."""
        return self.left_out == 0

    @property
    def signature(self) -> str:
        """What the function computes, in one line; undetermined axes are marked with `?`."""
        from rankproof.inference.signatures import Signature

        profile = self.profile.replace(**self.decided_by_caller)
        still = {axis: values for axis, values in self.undetermined.items() if axis not in self.decided_by_caller}
        by = self.name if self.name.isidentifier() else "function"
        return str(Signature.of(self.measure, profile, by=by, still=still))
