"""Touched functions: which functions that a project declares may answer otherwise after an upgrade, as their modules import what moves.

A module whose source is not found may import anything, and so counts as touched; what a module imports of the project itself is followed.
"""

import ast
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from rankproof.drift.upgrades import Upgrade


def touched_functions(project: Path, upgrades: Iterable[Upgrade]) -> dict[str, list[str]]:
    """By declared function, the libraries that move and that its module imports, or may import.

    Args:
        project: the folder of a pyproject.toml with `[[tool.rankproof.check]]`.
        upgrades: what moves.
    """
    moving = [upgrade.library.name for upgrade in upgrades]
    touched = {function: _imported_by(project, function, moving) for function in declared_functions(project)}
    return {function: libraries for function, libraries in touched.items() if libraries}


def declared_functions(project: Path) -> list[str]:
    """The functions that a project declares, as in `mylib.metrics:ndcg`, each once."""
    try:
        document = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
        entries = document.get("tool", {}).get("rankproof", {}).get("check", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, AttributeError):
        return []
    functions = [entry.get("function") for entry in entries if isinstance(entry, dict)]
    return list(dict.fromkeys(function for function in functions if isinstance(function, str)))


def _imported_by(project: Path, function: str, libraries: Iterable[str]) -> list[str]:
    names = _imports_of(project, function.partition(":")[0], set())
    return [library for library in libraries if names is None or library in names]


def _imports_of(project: Path, module: str, seen: set[str]) -> set[str] | None:
    """The packages that a module imports, also by other modules of the project; None where a source is not found or does not read."""
    seen.add(module)
    source = _source_of(project, module)
    if source is None:
        return None
    try:
        tree = ast.parse(source.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, SyntaxError):
        return None
    package = module if source.name == "__init__.py" else module.rpartition(".")[0]
    names: set[str] = set()
    for imported in _modules_in(tree, package):
        names.add(imported.partition(".")[0])
        if imported not in seen and _source_of(project, imported) is not None:
            if (within := _imports_of(project, imported, seen)) is None:
                return None
            names |= within
    return names


def _source_of(project: Path, module: str) -> Path | None:
    place = module.replace(".", "/")
    paths = (root / tail for root in (project, project / "src") for tail in (f"{place}.py", f"{place}/__init__.py"))
    return next((path for path in paths if path.is_file()), None)


def _modules_in(tree: ast.AST, package: str) -> Iterator[str]:
    """The modules that are imported, and what is imported from a package, as that may be a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
