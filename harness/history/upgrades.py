"""Upgrades: libraries that go from one version to another, by name or by two files of requirements, and the functions that may change.

Functions that a project declares may change if their modules import such a library. Imports of the project's own modules are followed. A
module whose source cannot be read may import anything, so its functions are included.
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.known_libraries import Library, distribution


class BadRequirements(Unusable):
    """A file of requirements that cannot be read."""


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
    """What an upgrade changes.

    Attributes:
        title: such as `scikit-learn 1.2.2 → 1.9.1`.
        steps: the facts of each version that changes values, as in `history.json`, in the order of the upgrade.
        source: `published`, or `observed` if the versions were run now.
        why_not: why nothing is known; empty if something is.
        failed: versions that could not be run, with the reason.
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
    """Return the published steps between two versions, for a downgrade in reverse; None if a version was not observed."""
    versions = history["versions"]
    old, new = (version_among(version, versions) for version in (upgrade.old, upgrade.new))
    if old is None or new is None:
        return None
    first, last = sorted((versions.index(old), versions.index(new)))
    between = versions[first : last + 1]
    steps = [step for step in history["steps"] if step["from"] in between and step["to"] in between]
    return steps if versions.index(old) == first else steps[::-1]


def pinned_in(path: Path) -> dict[str, str]:
    """Return what requirements.txt, pylock.toml, uv.lock or poetry.lock pins to one version. Raise BadRequirements if nothing."""
    try:
        text = path.read_text(encoding="utf-8")
        pins = dict(_in_toml(text) if path.suffix in {".toml", ".lock"} else _in_lines(text))
    except tomllib.TOMLDecodeError as error:
        raise BadRequirements(f"{path}: it is no TOML: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequirements(f"{path} cannot be read: {error}") from error
    if not pins:
        raise BadRequirements(f"{path}: nothing is pinned there: a line that pins is as scikit-learn==1.2.2")
    return pins


def _in_lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.replace("\\\n", " ").splitlines():
        try:
            requirement = Requirement(re.split(r"\s(?:#|--hash)", f" {line}")[0].strip())
        except InvalidRequirement:  # an option, an address, a comment
            continue
        for pin in requirement.specifier:
            if pin.operator in {"==", "==="} and "*" not in pin.version:
                yield distribution(requirement.name), pin.version


def _in_toml(text: str) -> Iterator[tuple[str, str]]:
    document = tomllib.loads(text)
    for package in document.get("package", document.get("packages", ())):
        if isinstance(package, dict) and "version" in package:
            yield distribution(str(package.get("name", ""))), str(package["version"])


def upgrades_between(old: Mapping[str, str], new: Mapping[str, str], libraries: Iterable[Library]) -> list[Upgrade]:
    """Return the libraries whose versions differ between two files of requirements.

    >>> upgrades_between({"numpy": "1"}, {"numpy": "2"}, [])
    []
    """
    packages = {distribution(lib.sheet.package or lib.name): lib for lib in libraries if not lib.fault}
    both = [(library, old[name], new[name]) for name, library in packages.items() if name in old and name in new]
    return [Upgrade(library, before, after) for library, before, after in both if not _same(before, after)]


def version_among(version: str, versions: Iterable[str]) -> str | None:
    """Return the version among some that equals another, however it is written; None if none does.

    >>> version_among("1.2", ["1.20", "1.2.0"]), version_among("v9.0.8", ["9.0.8"]), version_among("1.3", ["1.2.0"])
    ('1.2.0', '9.0.8', None)
    """
    return next((name for name in versions if _same(name, version)), None)


def _same(old: str, new: str) -> bool:
    try:
        return Version(old) == Version(new)
    except InvalidVersion:
        return old == new


# -- functions that may change -----------------------------------------------------------------------------------------


def touched_functions(project: Path, upgrades: Iterable[Upgrade]) -> dict[str, list[str]]:
    """Return by declared function of a project the libraries that change and that its module imports, or may import."""
    changing = [upgrade.library.name for upgrade in upgrades]
    touched = {}
    for function, place in declared_functions(project).items():
        names = _imported_by(project, place)
        touched[function] = [library for library in changing if names is None or library in names]
    return {function: libraries for function, libraries in touched.items() if libraries}


def declared_functions(project: Path) -> dict[str, str]:
    """Return the file of each declared function, by the name in its test, such as `mylib/metrics.py:ndcg`."""
    try:
        document = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
        entries = document.get("tool", {}).get("rankproof", {}).get("check", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, AttributeError):
        return {}
    tables = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    declared = [(table.get("file"), table.get("call")) for table in tables]
    texts = [(file, call) for file, call in declared if isinstance(file, str) and isinstance(call, str)]
    return {f"{file}:{call.partition('(')[0]}": file for file, call in texts}


def _imported_by(project: Path, place: str) -> set[str] | None:
    """Return the packages that a file or module imports, directly or through modules of the project; None if a source cannot be read."""
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
            tree = ast.parse(source.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, SyntaxError):
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
