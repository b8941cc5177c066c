"""What an upgrade moves, of three libraries and of the steps between four versions; what is pinned, and who may be touched."""

import json
from pathlib import Path

import pytest
import typed

from rankproof.asking.known_libraries import Library, claiming_nothing
from rankproof.drift.touched_functions import touched_functions
from rankproof.drift.upgrades import Upgrade, pinned_in, published_steps, upgrades_between
from rankproof.environments import releases
from rankproof.telling.upgrade_text import Moved, as_markdown, heading_of, lines_of_upgrade

NAMES = ("ada", "bob", "cyd")
LIBRARIES = [Library(name, Path(), claiming_nothing(name, Path(f"{name}.toml"))) for name in NAMES]
ADA, BOB, CYD = LIBRARIES


def change(measure: str, case: str) -> dict[str, object]:
    return {
        "measure": measure, "variants": ["v", "w"], "behind": f"by {case}", "place": f"{case} {measure}@5", "before": f".1 {case}",
        "after": f".2 {case}", "sentence": f"{measure} moves in {case}",
    }  # fmt: skip


STEPS = [
    {"from": "1.0", "to": "1.9", "beside": " (with numpy 1 → 2)", "changes": [change("AP", "ties/a"), change("RR", "ties/b")]},
    {"from": "1.9", "to": "1.10", "beside": "", "changes": [change("P", "ties/c")]},
    {"from": "1.10", "to": "2.0", "beside": "", "changes": [change("R", "ties/d")]},
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "steps"),
    [
        ("1.0", "1.10", [0, 1]), ("1.0", "2.0", [0, 1, 2]), ("1.9", "1.10", [1]), ("2.0", "1.9", [2, 1]), ("1.9", "1.9", []),
        ("1.0", "3.0", None), ("0.9", "1.9", None),
        ("1", "1.10.0", [0, 1]), ("2", "1.9.0", [2, 1]), ("1.1", "2.0", None),
    ],
)  # fmt: skip
def test_the_published_steps_are_those_from_the_one_version_to_the_other(
    old: str, new: str, steps: list[int] | None, tmp_path: Path
) -> None:
    said = {"versions": ["1.0", "1.9", "1.10", "2.0"], "steps": STEPS}
    (tmp_path / "history.json").write_text(json.dumps({"libraries": {"ada": said, "bob": {}}}), encoding="utf-8")
    found = published_steps(tmp_path / "history.json", Upgrade(ADA, old, new))
    assert found == (None if steps is None else [STEPS[i] for i in steps])
    assert published_steps(tmp_path / "history.json", Upgrade(BOB, "1.0", "1.9")) is None


def test_each_thing_that_moves_is_told_of_the_version_in_which_it_does() -> None:
    moved = Moved(Upgrade(ADA, "1.0", "1.10"), STEPS[:2])
    assert heading_of(moved) == "ada 1.0 → 1.10: 3 things move (by what was published)"
    assert list(lines_of_upgrade(moved))[1:] == [
        "  1.0 → 1.9 (with numpy 1 → 2)", "    AP moves in ties/a", "    RR moves in ties/b", "  1.9 → 1.10", "    P moves in ties/c",
    ]  # fmt: skip
    unknown = Moved(Upgrade(BOB, "1", "2"), (), "observed", "no wheel")
    page = as_markdown([moved, unknown, Moved(Upgrade(CYD, "1", "2"), ())], {"mine:f": ["ada", "bob"]})
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| 1")
    ]
    assert rows == [
        [to, measure, "v, w", f"by {case}", f"{case} {measure}@5", f".1 {case}", f".2 {case}"]
        for to, measure, case in (("1.9", "AP", "ties/a"), ("1.9", "RR", "ties/b"), ("1.10", "P", "ties/c"))
    ]
    assert "**bob 1 → 2: not known: no wheel**" in page
    assert "**cyd 1 → 2: nothing moves (by what was published)**" in page


def test_only_what_is_held_to_one_version_is_pinned(tmp_path: Path) -> None:
    lines = ["ada==1.0  # exact", "bob==2.*", "cyd>=3,==3.1", "dan===4", "eve~=5.0", "-r other.txt", "# ada==9"]
    (tmp_path / "all.txt").write_text("\n".join(lines), encoding="utf-8")
    assert pinned_in(tmp_path / "all.txt") == {"ada": "1.0", "cyd": "3.1", "dan": "4"}
    entry = '[[{}]]\nname = "{}"\n{}\n'
    for name, table in (("poetry.lock", "package"), ("uv.lock", "package"), ("pylock.toml", "packages")):
        told = 'version = "1"', 'version = "2"\nsource = {registry = "https://example.org"}', 'directory = {path = "c"}'
        text = "".join(entry.format(table, *one) for one in zip(("Ada", "b_b", "cyd"), told, strict=True))
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert pinned_in(tmp_path / name) == {"ada": "1", "b-b": "2"}


def test_a_version_that_is_only_written_otherwise_is_no_upgrade() -> None:
    old, new = {"ada": "1.0", "bob": "1.0", "cyd": "1.9"}, {"ada": "1.0.0", "bob": "1.0.1", "cyd": "1.10"}
    found = [(one.library.name, one.old, one.new) for one in upgrades_between(old, new, LIBRARIES)]
    assert found == [("bob", "1.0", "1.0.1"), ("cyd", "1.9", "1.10")]


PROJECT = {
    "pyproject.toml": "".join(f'[[tool.rankproof.check]]\nfunction = "{name}:f"\n' for name in ("a.b.c", "a.d", "e", "g", "h", "i.j")),
    "a/__init__.py": "", "a/b/__init__.py": "", "a/b/c.py": "from ..near import x\nfrom . import nothing, beside\n",
    "a/near.py": "import ada\n", "a/b/beside.py": "import cyd.metrics\n", "a/d.py": "from .b import beside\n", "near.py": "import bob\n",
    "e.py": "import json\n", "g.py": "import broken\n", "broken.py": "def (", "h.py": "from bob import x\n",
    "src/i/__init__.py": "", "src/i/j.py": "import k\n", "src/k.py": "from cyd import x\n",
}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_who_imports_what_moves_is_touched_through_whatever_modules(project: Path) -> None:
    """A module of the project that does not read may import anything, and so may who imports it."""
    found = touched_functions(project, [Upgrade(one, "1", "2") for one in LIBRARIES])
    assert found == {
        "a.b.c:f": ["ada", "cyd"],
        "a.d:f": ["cyd"],
        "g:f": ["ada", "bob", "cyd"],
        "h:f": ["bob"],
        "i.j:f": ["cyd"],
    }


def test_of_an_upgrade_of_which_nothing_is_known_the_functions_are_told(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(releases, "releases_of", lambda *_, **_options: [])
    (project / "h.py").write_text("import sklearn\n", encoding="utf-8")
    (project / "g.py").write_text("import math\n", encoding="utf-8")
    for name, versions in (("old.txt", ("2.0.0", "0.2.0", "98.0")), ("new.txt", ("2.1.0", "0.2.13", "99.0"))):
        pins = map("==".join, zip(("beir", "ranx", "scikit-learn"), versions, strict=True))
        (project / name).write_text("\n".join(pins), encoding="utf-8")
    done = typed.rankproof("upgrade", "--requirements", "old.txt", "new.txt", "--project", ".", "--json", cwd=project)
    assert done.code == 3, "though of the two others it is known"
    said = typed.read("upgrade", done.out)
    (why_not,) = [one["why_not"] for one in said["upgrades"] if one["why_not"]]
    assert why_not.startswith("98.0 and 99.0 cannot be had")
    assert said["touched"] == {"h:f": ["sklearn"]}
