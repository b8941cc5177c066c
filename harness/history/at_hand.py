"""Libraries that can run: those of the current interpreter, and those in an environment that is built.

A library whose sheet says `only_in_environments` needs more than the extras of rankproof install, or cannot be installed next to others. It
runs in the environment of the version that its sheet describes.
"""

import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from rankproof.history.environment_builds import known
from rankproof.history.plans import Plan, plans_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.known_libraries import Library


class NotBuilt(Unusable):
    """The environment of a library is not built; the message says what to type."""


@dataclass(frozen=True)
class AtHand:
    """Libraries to run, the interpreters of those in an environment, and the environments that are not built.

    Libraries that were named are always included, so that their absence is reported.
    """

    libraries: list[Library] = field(default_factory=list)
    pythons: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def at_hand(libraries: Iterable[Library], named: Collection[str] = ()) -> AtHand:
    """Return which of these libraries can run."""
    found = AtHand()
    for library in libraries:
        try:
            python = python_of(library)
        except NotBuilt:
            plan = main_plan(library)
            found.left_out.extend([plan.name] if plan is not None and not named else [])
            found.libraries.extend([library] if named else [])
            continue
        found.libraries.append(library)
        found.pythons.update({library.name: python} if python != sys.executable else {})
    return found


def python_of(library: Library) -> str:
    """Return the interpreter that has a library: this one, or that of its environment. Raise NotBuilt if there is none."""
    if library.fault or not library.sheet.only_in_environments:
        return sys.executable
    if (plan := main_plan(library)) is None:
        where = f"{library.sheet.path} names none of version {library.sheet.speaks_of} under [[environments]]"
        raise NotBuilt(f"{library.name} runs in an environment of its own, and {where}")
    if not (python := known(plan).python):
        raise NotBuilt(f"{library.name} runs in an environment that is not built: rankproof env build {plan.name}")
    return python


def main_plan(library: Library) -> Plan | None:
    """Return the environment of the version that a sheet describes, one without a label if there is one."""
    of_version = [plan for plan in plans_of(library.sheet) if plan.version == library.sheet.speaks_of]
    return min(of_version, key=lambda plan: plan.label, default=None)
