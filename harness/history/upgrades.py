"""Upgrades: what moves from one version of a library to another, and which libraries two files of requirements move.

What was published of the versions in between answers at once; where a version was not observed, it is asked now.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.known_libraries import Library, distribution


class BadRequirements(Unusable):
    """A file of requirements that cannot be read."""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A library that moves from one version to another."""

    library: Library
    old: str
    new: str

    @property
    def title(self) -> str:
        """As in `scikit-learn 1.2.2 → 1.9.1`."""
        return f"{self.library.sheet.title or self.library.name} {self.old} → {self.new}"


def published_steps(history: Mapping[str, Any], upgrade: Upgrade) -> list[Mapping[str, Any]] | None:
    """The published steps between two versions, the oldest first; None where one of them was not observed.

    Going back, the same steps are told from the newest to the oldest, as they were observed.
    """
    versions = history["versions"]
    old, new = (version_among(version, versions) for version in (upgrade.old, upgrade.new))
    if old is None or new is None:
        return None
    first, last = sorted((versions.index(old), versions.index(new)))
    between = versions[first : last + 1]
    steps = [step for step in history["steps"] if step["from"] in between and step["to"] in between]
    return steps if versions.index(old) == first else steps[::-1]


# -- files of requirements --------------------------------------------------------------------------------------------


def pinned_in(path: Path) -> dict[str, str]:
    """The distributions that a file pins to one version: requirements.txt, pylock.toml, uv.lock or poetry.lock.

    Raises:
        BadRequirements: it cannot be read, or pins nothing.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequirements(f"{path} cannot be read: {error}") from error
    pins = dict(_in_toml(path, text) if path.suffix in {".toml", ".lock"} else _in_lines(text))
    if not pins:
        raise BadRequirements(f"{path}: nothing is pinned there: a line that pins is as scikit-learn==1.2.2")
    return pins


def _in_lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.replace("\\\n", " ").splitlines():
        plain = re.split(r"\s(?:#|--hash)", f" {line}")[0].strip()
        try:
            requirement = Requirement(plain)
        except InvalidRequirement:  # an option, an address, a comment
            continue
        exact = [
            one.version for one in requirement.specifier if one.operator in {"==", "==="} and "*" not in one.version
        ]
        if exact:
            yield distribution(requirement.name), exact[0]


def _in_toml(path: Path, text: str) -> Iterator[tuple[str, str]]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadRequirements(f"{path}: it is no TOML: {error}") from error
    for package in document.get("package", document.get("packages", ())):
        if isinstance(package, dict) and "version" in package:
            yield distribution(str(package.get("name", ""))), str(package["version"])


def upgrades_between(old: Mapping[str, str], new: Mapping[str, str], libraries: Iterable[Library]) -> list[Upgrade]:
    """The libraries whose own version differs between two files of requirements.

    >>> upgrades_between({"numpy": "1"}, {"numpy": "2"}, [])
    []
    """
    return [
        Upgrade(library, old[package], new[package])
        for library in libraries
        if not library.fault
        and (package := distribution(library.sheet.package or library.name)) in old
        and package in new
        and not _same(old[package], new[package])
    ]


def version_among(version: str, versions: Iterable[str]) -> str | None:
    """The name among these of a version, which may be written otherwise; None where it is not among them.

    >>> version_among("1.2", ["1.20", "1.2.0"]), version_among("v9.0.8", ["9.0.8"]), version_among("1.3", ["1.2.0"])
    ('1.2.0', '9.0.8', None)
    """
    return next((name for name in versions if _same(name, version)), None)


def _same(old: str, new: str) -> bool:
    try:
        return Version(old) == Version(new)
    except InvalidVersion:
        return old == new
