"""Installed libraries, in the current interpreter or in a built environment, and how to install the others.

A library with `only_in_environments` in its sheet needs more than the extras of rankproof, or cannot be installed with
others. It runs in the environment of the version that its sheet describes.
"""

import importlib.metadata
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from rankproof.history.environment_builds import known
from rankproof.history.plans import Plan, plans_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import worker_of
from rankproof.workers.process import WorkerFailed
from rankproof.workers.subjects import Installation, installation


class NotBuilt(Unusable):
    """A library whose environment is not built; the message says what to type."""


@dataclass(frozen=True)
class Runnable:
    """The libraries to run, the interpreters of those in an environment, and the missing environments."""

    libraries: list[Library] = field(default_factory=list)
    pythons: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def runnable(libraries: Iterable[Library], named: Collection[str] = ()) -> Runnable:
    """Return the libraries that can run. Requested libraries are always included, so that missing ones are reported."""
    selection = Runnable()
    for library in libraries:
        try:
            python = python_of(library)
        except NotBuilt:
            plan = main_plan(library)
            selection.left_out.extend([plan.name] if plan is not None and not named else [])
            selection.libraries.extend([library] if named else [])
            continue
        selection.libraries.append(library)
        selection.pythons.update({library.name: python} if python != sys.executable else {})
    return selection


def python_of(library: Library) -> str:
    """Return the interpreter of a library, possibly in its environment. Raise NotBuilt if that is not built."""
    if library.fault or not library.sheet.only_in_environments:
        return sys.executable
    if (plan := main_plan(library)) is None:
        where = f"{library.sheet.path} names none of version {library.sheet.speaks_of} under [[environments]]"
        raise NotBuilt(f"{library.name} needs its own environment, but {where}")
    if not (python := known(plan).python):
        raise NotBuilt(f"{library.name} is not installed. Run `rankproof env build {plan.name}`.")
    return python


def main_plan(library: Library) -> Plan | None:
    """Return the environment of the version that a sheet describes, preferably without a label."""
    of_version = [plan for plan in plans_of(library.sheet) if plan.version == library.sheet.speaks_of]
    return min(of_version, key=lambda plan: plan.label, default=None)


@dataclass(frozen=True)
class InstalledLibrary:
    """A library on this machine.

    Attributes:
        sheet_version: the version that its sheet describes.
        described: what its adapter reports, or why it cannot be run.
        install: how to install it; empty if it is installed.
    """

    title: str
    sheet_version: str
    described: Installation
    install: str = ""


def installed(library: Library) -> InstalledLibrary:
    """Return what the adapter of a library reports from its own process."""
    try:
        if library.fault:
            hello = {"failed": "error", "message": library.fault}
        else:
            with worker_of(library, python_of(library)) as worker:
                hello = dict(worker.hello())
    except NotBuilt as why:
        hello = {"not_installed": str(why)}
    except WorkerFailed as failure:
        hello = {"failed": "error", "message": failure.whole()}
    described = installation(library.name, hello)
    install = how_to_install(library) if described.not_installed else ""
    return InstalledLibrary(library.sheet.title, library.sheet.speaks_of, described, install)


def how_to_install(library: Library) -> str:
    """Return the command that installs a library."""
    if library.sheet.program is not None:
        return f"rankproof env build {library.name}"
    if library.sheet.only_in_environments and (plan := main_plan(library)) is not None:
        return f"rankproof env build {plan.name}"
    # The metadata lists extras with hyphens.
    if library.name.replace("_", "-") in (importlib.metadata.metadata("rankproof").get_all("Provides-Extra") or []):
        return f"pip install 'rankproof[{library.name}]'"
    return f"see {library.sheet.homepage}"
