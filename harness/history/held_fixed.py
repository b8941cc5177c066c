"""Holding fixed what a library stands on: where two releases differ in that, too, one is asked once more on what the other stands on."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from rankproof.history.environment_builds import locked
from rankproof.history.history import ObservedVersion, step_between
from rankproof.history.plans import Plan
from rankproof.history.release_plans import on_the_same
from rankproof.history.release_search import Border
from rankproof.workers.sheets import Sheet


def held(border: Border, sheet: Sheet, ask: Callable[[Sequence[Plan]], dict[Plan, ObservedVersion | str]]) -> Border:
    """The border, with what differs where both releases stand on the same; as it was where they do anyway, or where that cannot be had.

    The new release is asked on what the old one stands on; if that cannot be, the old one on what the new one does. `ask` gives what the
    library answered in environments, or why it could not be asked there.
    """
    step = border.step
    for moved, base in ((step.new, step.old), (step.old, step.new)) if step.dependencies else ():
        plan = on_the_same(moved.plan, base.plan, {**base.installation.dependencies, **locked(base.plan)})
        answer = ask([plan])[plan]
        if not isinstance(answer, str):
            old, new = (step.old, answer) if moved is step.new else (answer, step.new)
            return replace(border, held=step_between(old, new, sheet))
    return border
