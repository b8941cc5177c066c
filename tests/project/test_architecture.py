"""The packages of the harness: imports go downward only, without cycles, and each module name is unique."""

import ast
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from places import ROOT

ROOMS = (
    "workers",
    "defects",
    "inference",
    "judge",
    "evaluate",
    "explain",
    "history",
    "check",
    "report",
    "cli",
)
"""The packages from the bottom up; each imports only from packages before it and from modules outside all packages."""
DOORS = {"check.api"}
"""Functions for users, which may render a result as the commands do."""
ROLES = {"api", "result"}
"""Module names that several packages share: the function for users, and its result."""
FOLDERS = {"harness": "", "reference_impl": "reference_impl.", "cases": "cases.", "adapters": "adapters."}


def modules() -> dict[str, Path]:
    """Return every module by its Python name without `rankproof.`."""
    found = {}
    for folder, package in FOLDERS.items():
        for path in (ROOT / folder).rglob("*.py"):
            steps = path.relative_to(ROOT / folder).with_suffix("").parts
            name = package + ".".join(step for step in steps if step != "__init__")
            found[name.rstrip(".")] = path
    return found


MODULES = modules()


def imported(path: Path) -> Iterator[str]:
    """Yield the modules of rankproof that a file imports anywhere."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "import_module":
            names = [given.value for given in node.args if isinstance(given, ast.Constant)]
        else:
            continue
        for name in names:
            known = name.removeprefix("rankproof").removeprefix(".")
            if name.startswith("rankproof"):
                yield known if known in MODULES else known.rpartition(".")[0]


def test_a_package_imports_only_from_packages_below() -> None:
    upward = [
        (name, other)
        for name, path in MODULES.items()
        if (room := name.partition(".")[0]) in ROOMS and name not in DOORS
        for other in imported(path)
        if other.partition(".")[0] in ROOMS and ROOMS.index(other.partition(".")[0]) > ROOMS.index(room)
    ]
    assert upward == []


def test_the_process_of_a_function_imports_only_what_calls_it() -> None:
    rooms = {other for other in imported(MODULES["check.function_adapter"]) if other.partition(".")[0] in ROOMS}
    assert rooms <= {"check.call", "check.ingredients", "workers.function_process", "workers.user_module"}


def test_cases_and_reference_import_nothing_above_them() -> None:
    base = {"reference_impl", "bounded"}  # `bounded` reads files, and may import the reference alone
    lower = {"reference_impl": {"reference_impl"}, "bounded": base, "cases": {*base, "cases"}, "adapters": set[str]()}
    for name, path in MODULES.items():
        room = name.partition(".")[0]
        if room in lower:
            assert {other.partition(".")[0] for other in imported(path)} <= lower[room], name


def test_modules_have_no_import_cycles() -> None:
    # The package loads its public names on first use, so they are not imports.
    graph = {name: {o for o in imported(path) if o and o != name} for name, path in MODULES.items() if name}
    TopologicalSorter(graph).prepare()


def test_every_package_is_in_the_list() -> None:
    rooms = {path.parent.name for path in (ROOT / "harness").glob("*/__init__.py")}
    assert rooms == set(ROOMS)


def test_module_names_are_unique() -> None:
    # The module of a command has the name of the command, which other modules may share.
    ours = {name: path for name, path in MODULES.items() if not name.startswith("cli.")}
    names = Counter(path.stem for path in ours.values() if path.stem not in {"__init__", "__main__", *ROLES})
    assert {name for name, count in names.items() if count > 1} == set()


WITHOUT_PACKAGE = {"cli", "laws", "libraries", "project", "recipes", "site", "support"}
"""Folders of tests that belong to no single package."""


def test_a_test_file_is_named_after_the_module_that_it_tests() -> None:
    misplaced = []
    for path in sorted((ROOT / "tests").glob("*/**/test_*.py")):
        folder, name = path.relative_to(ROOT / "tests").parts[0], path.stem.removeprefix("test_")
        package = ROOT / folder if (ROOT / folder).is_dir() else ROOT / "harness" / folder
        known = {part.stem for part in package.rglob("*") if part.suffix == ".py" or part.is_dir()} | {folder}
        if folder not in WITHOUT_PACKAGE and (name not in known or not package.is_dir()):
            misplaced.append(f"{path.relative_to(ROOT)}: {folder} has no module {name}")
    assert misplaced == [], f"name each test file after the module that it tests: {misplaced}"
