"""Interpreters of this machine, and locks that uv resolves."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from environment_variables import variables
from package_registry import Made, serving
from processes import executable

from rankproof.history.plans import Plan
from rankproof.history.virtual_environments import CannotBuild, install, interpreter_of, python_in, resolved

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
RELEASES = {
    "ada-rank": [Made("ada_rank", "2.0", "", ("nowhere",))],
    "base": [Made("base", "2.0", "", ("tail",)), Made("base", "3.0", "")],
}
"""Releases of the registry, which has no package `nowhere`; `tail` is only in a folder of wheels."""


@pytest.fixture(autouse=True)
def registry(tmp_path: Path) -> Iterator[None]:
    tail = Made("tail", "1.0", "")
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / tail.file).write_bytes(tail.wheel)
    links = {"UV_FIND_LINKS": None, "PIP_FIND_LINKS": str(tmp_path / "wheels"), "UV_CACHE_DIR": str(tmp_path / "uv")}
    with serving(RELEASES) as server, variables(UV_DEFAULT_INDEX=server.url, **links):
        yield


def test_package_without_its_dependencies_gets_the_listed_requirements(tmp_path: Path) -> None:
    plan = Plan("ada", "ada-rank", "2.0", HERE, ("base<3",), without_dependencies=True)
    lock = tmp_path / "lock.txt"
    lock.write_text(resolved(plan, sys.executable, tmp_path), encoding="utf-8")
    names = [line.split()[0] for line in lock.read_text(encoding="utf-8").splitlines() if "==" in line]
    assert names == ["ada-rank==2.0", "base==2.0", "tail==1.0"]
    install(plan, sys.executable, lock, tmp_path / "made")
    installed = {path.stem for path in Path(python_in(tmp_path / "made")).parents[1].rglob("site-packages/*.py")}
    assert {"ada_rank", "base", "tail"} <= installed


def test_lock_that_cannot_be_resolved_has_a_reason_in_one_line(tmp_path: Path) -> None:
    plan = Plan("ada", "ada-rank", "2.0", HERE)
    with pytest.raises(CannotBuild, match=r"^[^\n]*nowhere was not found[^\n]*$") as refused:
        resolved(plan, sys.executable, tmp_path)
    assert "hint" not in str(refused.value)
    from_source = Plan("ada", "base", "2.0", HERE, from_source=("base",))
    with pytest.raises(CannotBuild, match=r"base==2\.0 has no source distribution"):
        resolved(from_source, sys.executable, tmp_path)


def test_interpreter_is_used_if_it_starts_and_is_cpython(tmp_path: Path) -> None:
    """Programs that pyenv puts on the PATH may only report that they are not selected."""
    for version, script in {
        "3.97.1": "#!/bin/sh\nexit 127\n",
        "3.98.1": "#!/bin/sh\nprintf 'PyPy\\n3.98.1\\nx\\n'\n",
        "3.99.1": "#!/bin/sh\nprintf 'CPython\\n3.99.1\\ny\\n'\n",
    }.items():
        executable(tmp_path / "versions" / version / "bin" / f"python{version.rpartition('.')[0]}", script)
    with variables(PYENV_ROOT=str(tmp_path)):
        assert [interpreter_of(version) for version in ("3.97", "3.98", "3.99")] == [None, None, "y"]
        assert interpreter_of(HERE) is not None
