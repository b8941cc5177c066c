"""Result of a check, as facts that `rankproof.report.check` renders."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from rankproof.cases.inputs import Input
from rankproof.display import Display
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure


class Verdict(StrEnum):
    """Verdict on a user's function."""

    AGREES = "agrees"
    """The function follows `standard`, or the claimed profile."""
    VARIANT = "variant"
    """The function computes the measure with other conventions, all of them known."""
    DIFFERS = "differs"
    """The function does not compute the measure."""


class FaultKind(StrEnum):
    """Kind of reason why a function does not compute the measure."""

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
        description: the input in words, or empty.
        measure: the measure with the cutoff of the example.
        query: the query of the values; None for the mean.
        expected: the value of the measure under `standard` or the claimed profile; None if it is undefined.
        returned: the value of the function, or the text of its exception.
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
    """Reason why a function does not compute the measure.

    Attributes:
        about: slugs of defects, axes, the ignored property or the exception.
        explained: the number of values that it explains, among those that no convention explains.
        unexplained: the number of values that no convention explains.
    """

    kind: FaultKind
    about: tuple[str, ...] = ()
    example: Example | None = None
    explained: int = 0
    unexplained: int = 0
    profile: Conventions | None = None


@dataclass(frozen=True)
class Difference:
    """A convention that differs from `standard`, with an example.

    Attributes:
        values: the conventions that remain, the inferred one first.
        exception: the type of the exception, if the convention is to raise an error.
        is_known: whether a library, tool or paper uses one of the conventions for the measure.
    """

    axis: str
    values: tuple[str, ...]
    standard: str
    is_known: bool
    exception: str = ""
    example: Example | None = None


@dataclass(frozen=True)
class TraitCount:
    """Count of values on inputs with an extreme trait, and of those that the inferred conventions do not explain."""

    trait: str
    values: int
    unexplained: int
    example: Example | None = None


@dataclass(frozen=True, repr=False)
class CheckResult(Display):
    """Result of the check of a function.

    Attributes:
        name: the name of the function in messages.
        target: the file or module that defines it; empty for a callable.
        call: the expression; empty for a callable.
        claim: the claimed profile as the user wrote it; None if any known conventions are accepted.
        faults: why the function does not compute the measure, the most important reason first.
        profile: the conventions that explain most values.
        closest: whether the profile explains only a part of the values.
        differences: how the profile differs from `standard`.
        decided_by_caller: the conventions that the call decides.
        undetermined: the remaining conventions of each axis that no value decides.
        not_tested: inputs that the measure depends on and the call never passes.
        same_as: libraries with the same observed conventions.
        explained: the number of values on ordinary input that the profile explains.
        extreme: values on extreme input.
        skipped: the number of queries that the call skipped.
        left_out: the number of calls that were not made because the time ran out.
        reads: the ingredients that the call read.
        relevant_twice: the values with and without a repeated document in `relevant`, if they differ.
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
        """Return whether the function computes the measure; if `strict`, only by `standard` or the claimed profile."""
        return self.verdict is Verdict.AGREES or (self.verdict is Verdict.VARIANT and not strict)

    @property
    def is_complete(self) -> bool:
        """Whether every call was made."""
        return self.left_out == 0

    @property
    def signature(self) -> str:
        """The signature of the function; undetermined axes are marked with `?`."""
        from rankproof.inference.signatures import Signature

        profile = self.profile.replace(**self.decided_by_caller)
        still = {axis: values for axis, values in self.undetermined.items() if axis not in self.decided_by_caller}
        by = self.name if self.name.isidentifier() else "function"
        return str(Signature.of(self.measure, profile, by=by, still=still))
