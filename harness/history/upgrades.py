"""Upgrades of libraries, by name or from two requirements files, and the functions that they may affect.

Declared functions of a project may be affected if their modules import such a library. Imports of the project's own
modules are followed. A module whose source cannot be read may import anything, so its functions are included.
"""

import ast
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

from rankproof.bounded import LARGEST_TOML, BadDocument, text_of, toml_in
from rankproof.declarations import Declaration
from rankproof.grouping import grouped
from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.known_libraries import Library, distribution

LONGEST_VERSION = 100
"""The largest number of characters of a version; Python does not parse numbers of more than 4,300 digits."""
LARGEST_SOURCE = 2**24
"""The largest source file whose imports are read, in bytes."""


class BadRequirements(Unusable):
    """A version, or a file of requirements, that cannot be read."""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A library that goes from one version to another."""

    library: Library
    old: str
    new: str

    @property
    def title(self) -> str:
        """A heading such as `scikit-learn 1.2.2 → 1.9.1`."""
        return f"{self.library.sheet.title or self.library.name} {self.old} → {self.new}"


@dataclass(frozen=True)
class UpgradeResult:
    """The changes of values in an upgrade.

    Attributes:
        title: a heading such as `scikit-learn 1.2.2 → 1.9.1`.
        steps: the facts of each version that changes values, as in `history.json`, in the order of the upgrade.
        source: `published`, or `observed` if the versions were run now.
        why_not: why the changes are unknown; empty if they are known.
        failed: versions that could not run, with the reason.
    """

    library: str
    title: str
    old: str
    new: str
    steps: Sequence[Mapping[str, Any]] = ()
    source: str = "published"
    why_not: str = ""
    failed: Mapping[str, str] = field(default_factory=dict)


def published_steps(history: Mapping[str, Any], upgrade: Upgrade) -> list[Mapping[str, Any]] | None:
    """Return the published steps between two versions, reversed for a downgrade; None if one was not observed."""
    versions = history["versions"]
    old, new = (version_among(version, versions) for version in (upgrade.old, upgrade.new))
    if old is None or new is None:
        return None
    first, last = sorted((versions.index(old), versions.index(new)))
    between = versions[first : last + 1]
    steps = [step for step in history["steps"] if step["from"] in between and step["to"] in between]
    return steps if versions.index(old) == first else steps[::-1]


def upgrades_between(old: Path, new: Path, libraries: Iterable[Library]) -> list[Upgrade]:
    """Return the libraries that two files pin to different versions (requirements.txt or a lock file).

    Raises:
        BadRequirements: a file cannot be read, has no pins, or pins a library to two versions or an invalid version.
    """
    packages = {distribution(lib.sheet.package or lib.name): lib for lib in libraries if not lib.fault}
    before, after = (_pinned_in(path, packages) for path in (old, new))
    both = [
        (library, before[name], after[name]) for name, library in packages.items() if name in before and name in after
    ]
    return [Upgrade(library, first, last) for library, first, last in both if not _same(first, last)]


def _pinned_in(path: Path, packages: Container[str]) -> dict[str, str]:
    """Return the pinned versions of these packages. Other packages may have several versions for several systems."""
    try:
        text = text_of(path, LARGEST_TOML)
        pins = grouped(_in_toml(toml_in(text)) if path.suffix in {".toml", ".lock"} else _in_lines(text))
    except BadDocument as error:
        raise BadRequirements(f"{path}:{error.line}: {error}") from error
    if not pins:
        raise BadRequirements(f"{path}: no versions are pinned. Write lines such as scikit-learn==1.2.2.")
    pins = {package: list(dict.fromkeys(versions)) for package, versions in pins.items() if package in packages}
    for package, versions in pins.items():
        for version in versions:
            check_version(version, f"{path}: {package}: ")
        if len(versions) > 1:
            raise BadRequirements(f"{path} pins {package} to {' and '.join(versions[:2])}. Remove one of them.")
    return {package: version for package, (version,) in pins.items()}


def _in_lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.replace("\\\n", " ").splitlines():
        try:
            requirement = Requirement(re.split(r"\s(?:#|--hash)", f" {line}")[0].strip())
        except ValueError:  # an option, an address, a comment
            continue
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue
        for pin in requirement.specifier:
            if pin.operator in {"==", "==="} and "*" not in pin.version:
                yield distribution(requirement.name), pin.version


def _in_toml(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    packages = document.get("package", document.get("packages", ()))
    for package in packages if isinstance(packages, list) else ():
        if isinstance(package, dict) and "version" in package:
            yield distribution(str(package.get("name", ""))), str(package["version"])


def check_version(version: str, where: str = "") -> None:
    """Check that a text is a version.

    Raises:
        BadRequirements: the text is not a version. The message begins with `where`.
    """
    try:
        if len(version) > LONGEST_VERSION:
            raise ValueError  # noqa: TRY301 - handled like any other invalid version
        Version(version)
    except ValueError as error:
        raise BadRequirements(f"{where}{shortened(version)!r} is not a version. Write it like 1.2.3.") from error


def version_among(version: str, versions: Iterable[str]) -> str | None:
    """Return the version in a list that equals another version, in any spelling, or None.

    >>> version_among("1.2", ["1.20", "1.2.0"]), version_among("v9.0.8", ["9.0.8"]), version_among("1.3", ["1.2.0"])
    ('1.2.0', '9.0.8', None)
    """
    return next((name for name in versions if _same(name, version)), None)


def _same(old: str, new: str) -> bool:
    try:
        return Version(old) == Version(new)
    except ValueError:
        return old == new


# -- functions that may change -----------------------------------------------------------------------------------------


def touched_functions(
    project: Path, declared: Iterable[Declaration], upgrades: Iterable[Upgrade]
) -> dict[str, list[str]]:
    """Return, by declared function, the upgraded libraries that its module imports or may import."""
    changing = [upgrade.library.name for upgrade in upgrades]
    touched = {}
    for declaration in declared:
        names = _imported_by(project, declaration.file)
        touched[declaration.function] = [library for library in changing if names is None or library in names]
    return {function: libraries for function, libraries in touched.items() if libraries}


def _imported_by(project: Path, place: str) -> set[str] | None:
    """Return the packages that a module imports, also through project modules; None if a source cannot be read."""
    file = PurePosixPath(place.partition(":")[0])
    folders = [project, project / "src"]
    if file.suffix == ".py":
        folders.append(project / file.parent)  # its modules are importable while rankproof calls the function
        file = file.with_suffix("")
    names, seen, left = set[str](), set[str](), [str(file).replace("/", ".").removesuffix(".__init__")]
    while left:
        seen.add(module := left.pop())
        try:
            source = _source_of(folders, module)
            tree = ast.parse(text_of(source, LARGEST_SOURCE))
        except (BadDocument, SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        imported = set(_modules_in(tree, module if source.name == "__init__.py" else module.rpartition(".")[0]))
        names |= {name.partition(".")[0] for name in imported}
        left += [name for name in imported - seen if _source_of(folders, name).is_file()]
    return names


def _source_of(folders: Iterable[Path], module: str) -> Path:
    place = module.replace(".", "/")
    paths = [folder / tail for folder in folders for tail in (f"{place}.py", f"{place}/__init__.py")]
    return next((path for path in paths if path.is_file()), paths[0])


def _modules_in(tree: ast.AST, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (base, *(f"{base}.{alias.name}" for alias in node.names))  # a name may be a module
