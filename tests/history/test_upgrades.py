"""Upgrades: pinned versions in files, published steps between two versions, and affected functions of a project."""

from pathlib import Path

import pytest

from rankproof.declarations import declared_in
from rankproof.history.upgrades import BadRequirements, Upgrade, published_steps, touched_functions, upgrades_between
from rankproof.workers.known_libraries import Library, claiming_nothing


def library(name: str) -> Library:
    return Library(name, Path(), claiming_nothing(name, Path()))


NAMES = ("b_b", "cornac", "lenskit", "ranx", "recbole", "replay", "scikit_learn")


def pins(path: Path) -> dict[str, str]:
    """Return the version of each library that a file pins, as an upgrade from version 0."""
    old = path.with_name("old.txt")
    old.write_text("".join(f"{name}==0\n" for name in NAMES), encoding="utf-8")
    return {upgrade.library.name: upgrade.new for upgrade in upgrades_between(old, path, map(library, NAMES))}


@pytest.mark.parametrize(
    ("line", "pinned"),
    [
        ("Scikit_Learn==1.2.2", {"scikit_learn": "1.2.2"}),
        ("ranx[fast,io] == 0.3.20  # because", {"ranx": "0.3.20"}),
        ("ranx>=0.1,==0.3", {"ranx": "0.3"}),
        ("ranx==0.3 ; python_version > '3.1'\nranx==0.2; python_version < '3'", {"ranx": "0.3"}),
        ("ranx==0.3 \\\n    --hash=sha256:12 \\\n    --hash=sha256:34", {"ranx": "0.3"}),
        ("-r other.txt\n--index-url https://example.org/==0.3\nranx===0.3", {"ranx": "0.3"}),
        ("ranx~=0.3\ncornac==1.*\nrecbole @ https://example.org/x.whl\n# lenskit==1\nreplay==1", {"replay": "1"}),
        ("ranx==0.3\nreplay==2\nranx==0.3", {"ranx": "0.3", "replay": "2"}),
        ("other==1\nother==2\nranx==0.3\nodd==of-no-form", {"ranx": "0.3"}),
    ],
)
def test_requirements_pin_exact_versions(line: str, pinned: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    for end in ("\n", "\r\n"):
        path.write_bytes(line.replace("\n", end).encode())
        assert pins(path) == pinned


def test_lock_pins_packages_with_a_version(tmp_path: Path) -> None:
    entries = (
        'name = "B_b"\nversion = "2.1"',
        'name = "local"\ndirectory = { path = "x" }',
        'name = "ranx"\nversion = "3"',
    )
    path = tmp_path / "uv.lock"
    for table in ("package", "packages"):
        path.write_text("version = 1\n" + "".join(f"[[{table}]]\n{entry}\n" for entry in entries), encoding="utf-8")
        assert pins(path) == {"b_b": "2.1", "ranx": "3"}, table


TWO = '[[package]]\nname = "ranx"\nversion = "1"\n[[package]]\nname = "Ranx"\nversion = "2"\n'


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "ranx>=1", ": no versions are pinned"),
        ("a.txt", "ranx==1\nreplay==1\nranx==2", " pins ranx to 1 and 2. Remove one of them"),
        ("uv.lock", TWO, " pins ranx to 1 and 2. Remove one of them"),
        ("a.txt", f"ranx=={'9' * 100_000}", ": ranx: '9999"),
        ("uv.lock", TWO.replace('"1"', '"one"'), ": ranx: 'one' is not a version"),
        ("uv.lock", "x = ", ":1: not TOML: Invalid value"),
        ("uv.lock", f"\nx = {'9' * 10_000}", ":1: not TOML: Exceeds the limit"),
        ("uv.lock", "package = " + "[" * 100_000, ":1: nested too deep"),
        ("uv.lock", "package = 5", ": no versions are pinned"),
        ("uv.lock", "package = [5]", ": no versions are pinned"),
        ("a.txt", "\xff", ":1: not UTF-8"),
        ("a.txt", "#" * (2**22 + 1), ":1: more than 4,194,304 bytes"),
    ],
)
def test_useless_file_is_refused_in_one_line_with_its_name(name: str, text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="latin-1")
    with pytest.raises(BadRequirements) as refused:
        pins(path)
    assert str(refused.value).startswith(f"{path}{message}")
    assert len(str(refused.value)) < len(str(path)) + 300


def test_libraries_with_different_versions_are_upgrades(tmp_path: Path) -> None:
    (old := tmp_path / "old.txt").write_text("ranx==1.0\nreplay==2\ncornac==1\n", encoding="utf-8")
    (new := tmp_path / "new.txt").write_text("ranx==1.0.0\nreplay==3\nlenskit==1\n", encoding="utf-8")
    assert [upgrade.title for upgrade in upgrades_between(old, new, map(library, NAMES))] == ["replay 2 → 3"]


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
    touched |= {"uses_broken.py": names, "not_there.py": names}  # an unreadable source file may import anything
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    declared = '[[tool.rankproof.check]]\nfile = "{}"\ncall = "f(rels, k)"\nmeasure = "P@5"\n'
    text = "".join(map(declared.format, [*touched, "alone.py"]))
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    upgrades = [Upgrade(library(name), "1", "2") for name in names]
    assert touched_functions(tmp_path, declared_in(tmp_path), upgrades) == {
        f"{file}:f": libraries for file, libraries in touched.items()
    }
