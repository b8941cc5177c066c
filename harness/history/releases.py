"""Releases of a distribution in the package registry (PEP 503, 592, 691), and an environment for each.

A release that the sheet does not name uses the environment of the nearest older version in the sheet. Its interpreter
is used if there is a wheel for it, and otherwise the newest interpreter with a wheel.
"""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.error import URLError
from urllib.request import Request, urlopen

from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from rankproof.history.plans import Plan, plans_of
from rankproof.history.virtual_environments import interpreter_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.known_libraries import distribution
from rankproof.workers.sheets import Sheet

SECONDS = 60
"""The time limit for a response of the registry, in seconds."""
INDEX = "https://pypi.org/simple"
JSON = "application/vnd.pypi.simple.v1+json"
PYTHONS = tuple(f"3.{minor}" for minor in range(14, 5, -1))
"""The versions of CPython to look for, the newest first."""
LABEL = "release"
"""The label of an environment that no sheet names."""


class NoReleases(Unusable):
    """An error if the registry cannot be reached, or has no suitable release."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release that was not withdrawn: its version, and the versions of CPython that support it, the newest first."""

    version: Version
    interpreters: tuple[str, ...]


def pythons_here() -> list[str]:
    """Return the versions of CPython on this machine, the newest first."""
    return [version for version in PYTHONS if interpreter_of(version) is not None]


def releases_of(sheet: Sheet) -> list[Release]:
    """Return the final releases that this machine can install, the oldest first. Raise NoReleases if there are none."""
    package, pythons = sheet.package or sheet.library, pythons_here()
    from_source = {distribution(name) for entry in sheet.environments for name in entry.get("from_source", ())}
    releases = releases_in(_files_of(package), pythons, from_source=distribution(package) in from_source)
    if not releases:
        raise NoReleases(f"the registry has no release of {package} with wheels for Python {', '.join(pythons)}")
    return releases


def _files_of(package: str) -> list[dict[str, object]]:
    index = next(filter(None, map(os.environ.get, ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"))), INDEX)
    url = f"{index.rstrip('/')}/{distribution(package)}/"
    if not url.startswith(("https://", "http://")):
        raise NoReleases(f"{url} is not an http or https address of a package registry")
    try:
        with urlopen(Request(url, headers={"Accept": JSON}), timeout=SECONDS) as reply:  # noqa: S310 - https or http, see above
            files: list[dict[str, object]] = json.loads(reply.read())["files"]
    except (URLError, OSError, ValueError, KeyError) as error:
        raise NoReleases(f"cannot read the releases at {url}: {error}") from error
    return files


def releases_in(
    files: Iterable[dict[str, object]], pythons: Sequence[str], *, from_source: bool = False
) -> list[Release]:
    """Return the releases in a list of files; with `from_source`, also releases without a wheel.

    >>> wheel = {"filename": "x-1.0-py3-none-any.whl", "requires-python": ">=3.9"}
    >>> [(str(release.version), release.interpreters) for release in releases_in([wheel], ["3.8", "3.9", "3.11"])]
    [('1.0', ('3.11', '3.9'))]
    >>> source = {"filename": "x-1.1.tar.gz"}
    >>> [[str(one.version) for one in releases_in([wheel, source], ["3.9"], from_source=yes)] for yes in (False, True)]
    [['1.0'], ['1.0', '1.1']]
    """
    fitting: dict[Version, set[str]] = {}
    for file in files:
        version = _version_of(file)
        if version is not None and (from_source or _is_wheel(file)):
            fitting.setdefault(version, set()).update(python for python in pythons if _fits(file, python))
    order = sorted(pythons, key=Version, reverse=True)
    interpreters = {version: tuple(filter(fitting[version].__contains__, order)) for version in sorted(fitting)}
    return [Release(version, supported) for version, supported in interpreters.items() if supported]


def _is_wheel(file: dict[str, object]) -> bool:
    return str(file["filename"]).endswith(".whl")


def _version_of(file: dict[str, object]) -> Version | None:
    """Return the version of a distribution; None for a pre-release, a withdrawn file, or another kind of file."""
    name = str(file["filename"])
    try:
        version = parse_wheel_filename(name)[1] if _is_wheel(file) else parse_sdist_filename(name)[1]
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
        return None
    return None if file.get("yanked") or version.is_prerelease else version


def _fits(file: dict[str, object], python: str) -> bool:
    """Return whether a CPython version supports a file, by its tags and requirements. uv checks the platform."""
    tags = parse_wheel_filename(str(file["filename"]))[3] if _is_wheel(file) else frozenset()
    digits = python.replace(".", "")
    by_tag = not tags or any(
        tag.interpreter in {f"cp{digits}", "py3", f"py{digits}"}
        or (tag.abi == "abi3" and tag.interpreter.startswith("cp3") and int(tag.interpreter[3:]) <= int(digits[1:]))
        for tag in tags
    )
    try:
        return by_tag and SpecifierSet(str(file.get("requires-python") or "")).contains(f"{python}.99")
    except InvalidSpecifier:
        return by_tag


# -- environments of releases -----------------------------------------------------------------------------------------


def plan_of(sheet: Sheet, release: Release) -> Plan:
    """Return the environment of a release in the sheet, or a copy of the nearest one.

    A copy also has the packages in `stands_on` of the sheet, because old releases did not declare all of them.
    """
    plans = sorted((plan for plan in plans_of(sheet) if not plan.label), key=lambda plan: Version(plan.version))
    older = [plan for plan in plans if Version(plan.version) <= release.version]
    newest = release.interpreters[0]
    if not plans:
        needed = tuple(sheet.stands_on)
        return Plan(sheet.library, sheet.package or sheet.library, str(release.version), newest, needed, label=LABEL)
    near = (older or plans[:1])[-1]
    if Version(near.version) == release.version:
        return near
    python = near.python if near.python in release.interpreters else newest
    named = {distribution(Requirement(text).name) for text in near.requirements}
    needed = (
        () if near.without_dependencies else tuple(name for name in sheet.stands_on if distribution(name) not in named)
    )
    requirements = (*near.requirements, *needed)
    return replace(near, version=str(release.version), python=python, label=LABEL, requirements=requirements)
