"""What is said of a function that cannot be asked: what was tried, what came of it, and lines of Python that can be asked."""

from collections.abc import Sequence

from rankproof.asking.observations import Failure
from rankproof.cases.inputs import Input
from rankproof.checking.argument_names import K
from rankproof.checking.call_candidates import Candidates
from rankproof.checking.call_forms import CALLED, FORMS, LABELINGS
from rankproof.checking.functions import call
from rankproof.checking.targets import BadFunction, Form, Target

_FORMS = f"name its form by --form: {', '.join(FORMS)} (`rankproof check --help` shows them)"
MOST_TRIED = 2
"""How many of the calls that were tried in vain are told."""


def refused(
    candidates: Candidates, vain: Sequence[tuple[Target, Input, Failure]], wanted: Form | None, k: int | None
) -> BadFunction:
    """The error of a function that cannot be asked."""
    name = candidates.name
    if candidates.foreign:
        lacking = ", ".join(candidates.foreign)
        with_it = " ".join(f"--with {parameter}=VALUE" for parameter in candidates.foreign)
        said = f"{name} needs {lacking}: say what that is, as {with_it}, or bind it, as by functools.partial; {_FORMS}"
        return BadFunction(said, _wrapper(candidates, (), k))
    if not vain and not candidates.targets:
        return BadFunction(f"{name} cannot be called; {_FORMS}")
    came = "; ".join(f"{_call(*one, k)}: {one[2].text}" for one in vain[:MOST_TRIED])
    which = f"as {wanted.name}" if wanted else "by any form known here"
    no_number = (
        f"gives no number {which} ({came})" if came else f"gives numbers {which}, which are none of the measure's"
    )
    return BadFunction(
        f"{name} {no_number}{_taken(vain)}; wrap it, mend it, or {_FORMS}", _wrapper(candidates, vain, k)
    )


def _taken(vain: Sequence[tuple[Target, Input, Failure]]) -> str:
    """What was taken for the cutoff, where no name says that it is one."""
    taken = next((target.k for target, _, _ in vain if target.k), None)
    if taken is None or taken.lower() in K:
        return ""
    return f"; {taken} was taken for the cutoff: if it is none, add --with {taken}=VALUE"


def _call(target: Target, trial: Input, _said: Failure, k: int | None) -> str:
    return call(target, trial, k) if target.form in CALLED or target.form is LABELINGS else target.form.call


def _wrapper(candidates: Candidates, vain: Sequence[tuple[Target, Input, Failure]], k: int | None) -> str:
    """Three lines that are asked instead: the likeliest form, and what the result needs."""
    module, _, name = candidates.name.rpartition(":")
    short = name if name.isidentifier() else "function"
    target, _, said = vain[0] if vain else (None, None, None)
    order = target.order if target is not None and target.order else ("relevant", "ranked")
    cutoff = [f"k={k}"] if k is not None else []
    passed = [*order, *(["k"] if k is not None and (target is None or target.k) else [])]
    passed += [f"{parameter}=..." for parameter in candidates.foreign if target is None]
    called = f"{short}({', '.join(passed)})"
    text = said.text if said is not None else ""
    if "coroutine" in text:
        called = f"__import__('asyncio').run({called})"
    elif "dict of" in text or " for a query" in text:
        called = f"{called}[...]  # the key of the measure"
    elif "which is no number" in text:
        called = f"float({called})"
    elif text:
        called = f"{short}(...)  # what it takes, made of these"
    importing = f"from {module} import {short}" if module and not module.endswith(".py") else f"# beside {short}:"
    return "\n".join([importing, f"def wrapped({', '.join([*order, *cutoff])}):", f"    return {called}"])
