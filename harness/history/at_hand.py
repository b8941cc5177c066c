"""Who is at hand: libraries of the current interpreter, and those that are asked in an environment of their own that is built.

A library whose sheet says `only_in_environments` needs more than the extras of rankproof bring, or cannot live beside the others; it is
asked in the environment of the version that its sheet speaks of.
"""

import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from rankproof.history.environment_builds import known
from rankproof.history.plans import Plan, plans_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.known_libraries import Library


class NotBuilt(Unusable):
    """The environment in which a library is asked is not there; the message says what to type."""


@dataclass(frozen=True)
class AtHand:
    """Who can be asked, and by which interpreters.

    Attributes:
        libraries: who is asked, those included that were named and are not there.
        pythons: the interpreter of a library that is asked in an environment.
        left_out: the environments that are not built, of libraries that nobody named.
    """

    libraries: list[Library]
    pythons: dict[str, str]
    left_out: list[str]


def at_hand(libraries: Iterable[Library], named: Collection[str] = ()) -> AtHand:
    """Of these libraries those that can be asked; one that was named is among them in any case, so that its absence is told."""
    found = AtHand([], {}, [])
    for library in libraries:
        if library.fault or not library.sheet.only_in_environments:
            found.libraries.append(library)
            continue
        plan = main_plan(library)
        python = known(plan).python if plan is not None else ""
        if python:
            found.pythons[library.name] = python
        if python or named:
            found.libraries.append(library)
        elif plan is not None:
            found.left_out.append(plan.name)
    return found


def python_of(library: Library) -> str:
    """The interpreter that has a library: this one, or that of the environment in which alone it is asked.

    Raises:
        NotBuilt: that environment is not built, or its sheet names none.
    """
    if library.fault or not library.sheet.only_in_environments:
        return sys.executable
    if (plan := main_plan(library)) is None:
        raise NotBuilt(
            f"{library.name} is asked in an environment alone, and {library.sheet.path} names none of version "
            f"{library.sheet.speaks_of}: write it under [[environments]]"
        )
    if not (python := known(plan).python):
        raise NotBuilt(f"{library.name} is asked in an environment that is not built: rankproof env build {plan.name}")
    return python


def main_plan(library: Library) -> Plan | None:
    """The environment of the version that a sheet speaks of, without a label if there is one."""
    of_version = [plan for plan in plans_of(library.sheet) if plan.version == library.sheet.speaks_of]
    return min(of_version, key=lambda plan: plan.label, default=None)
