"""Declared functions of a project whose values an upgrade may change, because their modules import a library that changes.

Imports of the project's own modules are followed. A module whose source cannot be read may import anything, so its functions are included.
"""

import ast
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from rankproof.history.upgrades import Upgrade


def touched_functions(project: Path, upgrades: Iterable[Upgrade]) -> dict[str, list[str]]:
    """Return by declared function the libraries that change and that its module imports, or may import.

    Args:
        project: the folder of a pyproject.toml with `[[tool.rankproof.check]]`.
        upgrades: what changes.
    """
    changing = [upgrade.library.name for upgrade in upgrades]
    imported = {function: _imported_by(project, place) for function, place in declared_functions(project).items()}
    touched = {
        function: [library for library in changing if names is None or library in names]
        for function, names in imported.items()
    }
    return {function: libraries for function, libraries in touched.items() if libraries}


def declared_functions(project: Path) -> dict[str, str]:
    """Return the file or module of each declared function, by the name in its test, such as `mylib/metrics.py:ndcg`."""
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
    module, folders = place.partition(":")[0], [project, project / "src"]
    if module.endswith(".py"):
        file = PurePosixPath(module)
        folders.append(project / file.parent)  # its modules are importable while rankproof calls the function
        module = str(file.with_suffix("")).replace("/", ".").removesuffix(".__init__")
    names, seen, left = set[str](), set[str](), [module]
    while left:
        seen.add(module := left.pop())
        if (source := _source_of(folders, module)) is None:
            return None
        try:
            tree = ast.parse(source.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, SyntaxError):
            return None
        imported = set(_modules_in(tree, module if source.name == "__init__.py" else module.rpartition(".")[0]))
        names |= {name.partition(".")[0] for name in imported}
        left += [name for name in imported - seen if _source_of(folders, name) is not None]
    return names


def _source_of(folders: Iterable[Path], module: str) -> Path | None:
    place = module.replace(".", "/")
    paths = (folder / tail for folder in folders for tail in (f"{place}.py", f"{place}/__init__.py"))
    return next((path for path in paths if path.is_file()), None)


def _modules_in(tree: ast.AST, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (base, *(f"{base}.{alias.name}" for alias in node.names))  # a name may be a module
