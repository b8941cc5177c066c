"""Plans of releases: an environment for any release of a library, also for one that no sheet names.

A release is put into the environment of the entry of the sheet whose versions are nearest below it; under the interpreter of that entry
where the release has a wheel for it, else under the newest that has one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from packaging.version import Version

from rankproof.history.interpreters import interpreter_of
from rankproof.history.plans import Plan, plans_of
from rankproof.history.releases import Release
from rankproof.workers.known_libraries import distribution
from rankproof.workers.sheets import Sheet

PYTHONS = tuple(f"3.{minor}" for minor in range(14, 5, -1))
"""The versions of CPython that are looked for, the newest first."""
LABEL = "release"
"""What tells the environment of a release from those that a sheet names."""


def pythons_here() -> list[str]:
    """The versions of CPython that this machine has, the newest first."""
    return [version for version in PYTHONS if interpreter_of(version) is not None]


def package_of(sheet: Sheet) -> str:
    """The distribution of a library in the package registry."""
    return sheet.package or sheet.library


def is_from_source(sheet: Sheet) -> bool:
    """Whether a sheet lets its distribution be built from source."""
    wanted = distribution(package_of(sheet))
    return any(wanted in map(distribution, entry.get("from_source", ())) for entry in sheet.environments)


def plan_of(sheet: Sheet, release: Release) -> Plan:
    """The environment of a release: the sheet's own where it names one, else one like the nearest that it names."""
    plans = [plan for plan in plans_of(sheet) if not plan.label]
    version = release.version
    if (named := next((plan for plan in plans if Version(plan.version) == version), None)) is not None:
        return named
    newest = release.interpreters[0]
    near = _nearest(plans, version)
    if near is None:
        return Plan(sheet.library, package_of(sheet), str(version), newest, label=LABEL)
    python = near.python if near.python in release.interpreters else newest
    return replace(near, version=str(version), python=python, label=LABEL)


def _nearest(plans: Iterable[Plan], version: Version) -> Plan | None:
    """The plan of the newest version that is no newer; where all are newer, that of the oldest."""
    in_order = sorted(plans, key=lambda plan: Version(plan.version))
    older = [plan for plan in in_order if Version(plan.version) <= version]
    return older[-1] if older else in_order[0] if in_order else None


def on_the_same(plan: Plan, other: Plan, stands_on: Mapping[str, str]) -> Plan:
    """A plan put on what another environment stands on, so that the library alone differs.

    >>> new = Plan("lib", "lib", "2.0", "3.11", ("numpy>=2",))
    >>> held = on_the_same(new, Plan("lib", "lib", "1.0", "3.8"), {"lib": "1.0", "numpy": "1.24.4"})
    >>> held.name, held.python, held.beside
    ('lib@2.0+on-1.0', '3.8', ('numpy==1.24.4',))

    Args:
        plan: the release.
        other: the environment on which it is put.
        stands_on: package -> version there.
    """
    no_pins = {distribution(plan.package), "python"}
    pins = tuple(f"{name}=={version}" for name, version in stands_on.items() if distribution(name) not in no_pins)
    return replace(plan, python=other.python, beside=pins, label=f"on-{other.version}")
