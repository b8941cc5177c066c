"""Upgrades: versions pinned in files, published steps between two versions, and functions of a project that may change."""

import re
from pathlib import Path

import pytest

from rankproof.history.upgrades import (
    BadRequirements,
    Upgrade,
    declared_functions,
    pinned_in,
    published_steps,
    touched_functions,
    upgrades_between,
)
from rankproof.workers.known_libraries import Library, claiming_nothing


def library(name: str) -> Library:
    return Library(name, Path(), claiming_nothing(name, Path()))


@pytest.mark.parametrize(
    ("line", "pins"),
    [
        ("Scikit_Learn==1.2.2", {"scikit-learn": "1.2.2"}),
        ("ranx[fast,io] == 0.3.20  # because", {"ranx": "0.3.20"}),
        ("ranx>=0.1,==0.3", {"ranx": "0.3"}),
        ("ranx==0.3 ; python_version > '3.1'", {"ranx": "0.3"}),
        ("ranx==0.3 \\\n    --hash=sha256:12 \\\n    --hash=sha256:34", {"ranx": "0.3"}),
        ("-r other.txt\n--index-url https://example.org/==0.3\nranx===0.3", {"ranx": "0.3"}),
        ("ranx~=0.3\ncornac==1.*\nrecbole @ https://example.org/x.whl\n# lenskit==1\nreplay==1", {"replay": "1"}),
    ],
)
def test_requirements_pin_exact_versions(line: str, pins: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    for end in ("\n", "\r\n"):
        path.write_bytes(line.replace("\n", end).encode())
        assert pinned_in(path) == pins


def test_lock_pins_packages_with_a_version(tmp_path: Path) -> None:
    entries = 'name = "B_b"\nversion = "2.1"', 'name = "local"\ndirectory = { path = "x" }', 'name = "c"\nversion = "3"'
    path = tmp_path / "uv.lock"
    for table in ("package", "packages"):
        path.write_text("version = 1\n" + "".join(f"[[{table}]]\n{entry}\n" for entry in entries), encoding="utf-8")
        assert pinned_in(path) == {"b-b": "2.1", "c": "3"}, table


def test_useless_file_is_refused_with_its_name(tmp_path: Path) -> None:
    files = {
        "a.txt": ("ranx>=1", "nothing is pinned"),
        "uv.lock": ("x = ", "no TOML"),
        "b.txt": ("\xff", "cannot be read"),
    }
    for name, (text, message) in files.items():
        (tmp_path / name).write_text(text, encoding="latin-1")
        with pytest.raises(BadRequirements, match=rf"^{re.escape(str(tmp_path / name))}.*{message}"):
            pinned_in(tmp_path / name)


def test_libraries_with_different_versions_are_upgrades() -> None:
    old, new = {"ranx": "1.0", "replay": "2", "cornac": "1"}, {"ranx": "1.0.0", "replay": "3", "lenskit": "1"}
    upgrades = upgrades_between(old, new, map(library, ("cornac", "ranx", "replay", "lenskit")))
    assert [upgrade.title for upgrade in upgrades] == ["replay 2 → 3"]


def test_published_steps_are_those_between_two_versions() -> None:
    steps = [{"from": a, "to": b} for a, b in (("1", "2"), ("2", "3"), ("4", "5"))]
    history = {"versions": ["1", "2", "3", "4", "5"], "steps": steps}
    assert published_steps(history, Upgrade(library("ranx"), "1", "3")) == steps[:2]
    assert published_steps(history, Upgrade(library("ranx"), "5", "2")) == [steps[2], steps[1]]
    assert published_steps(history, Upgrade(library("ranx"), "3", "4")) == []
    assert published_steps(history, Upgrade(library("ranx"), "1", "6")) is None


PROJECT = {
    "pkg/__init__.py": "from .inner import f",
    "pkg/inner.py": "import ada.metrics",
    "pkg/sub/deep.py": "def f():\n    from .. import inner",
    "lib/metrics.py": "import helpers, math",
    "lib/helpers.py": "import kim",
    "src/far.py": "from pkg.sub import deep as x",
    "broken.py": "def (",
    "uses_broken.py": "import broken",
    "alone.py": "import json",
}


def test_function_may_change_if_its_module_reaches_the_library(tmp_path: Path) -> None:
    names = ["ada", "kim", "zeta"]
    touched = {"pkg": ["ada"], "pkg/sub/deep.py": ["ada"], "lib/metrics.py": ["kim"], "far": ["ada"]}
    touched |= {"uses_broken.py": names, "not_there.py": names}  # a source that cannot be read may import anything
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    declared = '[[tool.rankproof.check]]\nfile = "{}"\ncall = "f(rels, k)"\nmeasure = "P@5"\n'
    text = "".join(map(declared.format, [*touched, "alone.py"]))
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    upgrades = [Upgrade(library(name), "1", "2") for name in names]
    assert touched_functions(tmp_path, upgrades) == {f"{file}:f": libraries for file, libraries in touched.items()}


def test_project_without_declarations_has_no_functions(tmp_path: Path) -> None:
    for text in ("x = ", "[tool]\nrankproof = 1", "[tool.rankproof]\ncheck = [1]", ""):
        (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
        assert declared_functions(tmp_path) == {}
