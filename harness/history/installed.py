"""Installed libraries: the version and variants of each, as its adapter reports them, or how to install it."""

import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass, field

from rankproof.history.at_hand import NotBuilt, main_plan, python_of
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import as_said, worker_of
from rankproof.workers.process import WorkerFailed


@dataclass(frozen=True)
class Installed:
    """A library on this machine: its version and variants, or why it does not run and what to type.

    Attributes:
        sheet_version: the version that its sheet describes.
        variants: variant -> how it calls the library; `missing` has those that are not installed, with the reason.
        failed: whether it is installed, or should be, and does not run.
    """

    name: str
    title: str
    sheet_version: str
    version: str = ""
    variants: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    why_not: str = ""
    failed: bool = False
    install: str = ""


def installed(library: Library) -> Installed:
    """Return what the adapter of a library reports in its own process."""
    name, title, sheet_version = library.name, library.sheet.title, library.sheet.speaks_of
    how = how_to_install(library)

    def absent(why: str, *, failed: bool = False) -> Installed:
        return Installed(name, title, sheet_version, why_not=why, failed=failed, install="" if failed else how)

    if library.fault:
        return absent(library.fault, failed=True)
    try:
        python = python_of(library)
    except NotBuilt as why:
        return absent(str(why))
    with worker_of(library, python) as worker:
        try:
            hello = as_said(worker.hello())
        except WorkerFailed as failure:
            return absent(failure.whole(), failed=True)
    if "version" not in hello:
        return absent(hello["not_installed"])
    variants, missing, notes = (hello.get(key, {}) for key in ("variants", "absent", "notes"))
    return Installed(name, title, sheet_version, hello["version"], variants, missing, notes)


def how_to_install(library: Library) -> str:
    """Return the command that installs a library."""
    if library.sheet.program is not None:
        return f"rankproof env build {library.name}"
    if library.sheet.only_in_environments and (plan := main_plan(library)) is not None:
        return f"rankproof env build {plan.name}"
    # Extras are listed with hyphens, however they are written.
    if library.name.replace("_", "-") in (importlib.metadata.metadata("rankproof").get_all("Provides-Extra") or []):
        return f"pip install 'rankproof[{library.name}]'"
    return f"see {library.sheet.homepage}"
