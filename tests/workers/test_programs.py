"""Libraries that are programs: extracted from a wheel with verified digests, cached, and found by their adapter."""

import hashlib
import io
import json
import os
import platform
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_sheets import FAKE
from processes import executable

from rankproof.files import CACHE, programs
from rankproof.workers.known_libraries import Library, libraries
from rankproof.workers.library_worker import Worker, worker_of
from rankproof.workers.programs import place_of, why_another
from rankproof.workers.sheets import ADAPTERS, Build, Program

TREC_EVAL = next(library for library in libraries() if library.name == "trec_eval")
SCRIPT = b"#!/bin/sh\necho trec_eval version 0.1\n"
JAR, MEMBER = "carrier/inner.jar", "bin/carried"
HERE = (platform.system(), platform.machine())


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def archive(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as opened:
        for name, data in members.items():
            opened.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


ABOUT = {
    "carrier-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n",
    "carrier-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
WHEEL = archive(**{JAR: archive(**{MEMBER: SCRIPT}), **ABOUT})
BUILD = Build(*HERE, "0.1", "carrier==1.0", sha256(WHEEL), (JAR, MEMBER), sha256(SCRIPT))


def build_in(folder: Path, build: Build) -> subprocess.CompletedProcess[str]:
    """Run `rankproof env build` for the program of a library in a folder, which is also the only package index."""
    (folder / "carrier-1.0-py3-none-any.whl").write_bytes(WHEEL)
    fields = "".join(f"{name} = {json.dumps(getattr(build, name))}\n" for name in Build.__dataclass_fields__)
    text = f'{FAKE}[program]\nbuild = "build it from its sources"\n[[program.builds]]\n{fields}[profiles]\n'
    (folder / "carried.toml").write_text(text.replace("fake", "carried"), encoding="utf-8")
    (folder / "carried_adapter.py").write_text("")
    variables = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder), CACHE: str(folder / "cache")}
    command = [sys.executable, "-m", "rankproof", "env", "build", "carried", "--adapters", str(folder)]
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)


def test_program_is_downloaded_once_and_again_if_it_was_changed(tmp_path: Path) -> None:
    place = tmp_path / "cache" / "programs" / "carried"
    for content, status in ((b"", "installed"), (SCRIPT, "was installed already"), (b"half of i", "installed")):
        if content:
            place.write_bytes(content)
        assert build_in(tmp_path, BUILD).stdout.splitlines()[-1] == f"carried: {status}: {place}"
        assert place.read_bytes() == SCRIPT
    assert os.access(place, os.X_OK)
    assert list(place.parent.iterdir()) == [place]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sha256": "0" * 64}, "has an unknown sha256: " + sha256(SCRIPT)),
        ({"wheel_sha256": "0" * 64}, "pip cannot download carrier==1.0: .*HASHES"),
        ({"wheel": "carrier==2.0"}, "pip cannot download carrier==2.0: ERROR"),
        ({"path": (JAR, "bin/other")}, "carrier==1.0 does not contain bin/other"),
        ({"path": (JAR, MEMBER, "deeper")}, "carrier==1.0 does not contain deeper: File is not a zip file"),
        (
            {"system": "Plan9"},
            f"carried has downloads for Plan9 {HERE[1]}, but not for {' '.join(HERE)}; build it from its sources",
        ),
        ({"machine": "pdp11"}, f"not for {' '.join(HERE)}; build it"),
    ],
)
def test_program_that_is_not_as_expected_is_not_installed(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    done = build_in(tmp_path, replace(BUILD, **change))
    assert done.returncode == 2, "it was installed"
    assert re.search(message, done.stderr.splitlines()[-1])
    assert not [*(tmp_path / "cache").rglob("*carried*"), *(tmp_path / "cache").rglob(".fetching-*")]


# -- choice of the program ---------------------------------------------------------------------------------------------


def hello(environment: dict[str, str]) -> dict[str, object]:
    """Return what the adapter of trec_eval reports in an environment."""
    done = subprocess.run(
        [sys.executable, "-I", str(ADAPTERS / "worker.py"), str(TREC_EVAL.adapter)],
        input='{"op": "hello", "seq": 1}\n',
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    reply: dict[str, object] = json.loads(done.stdout)
    return reply


def test_named_program_comes_before_installed_programs_and_programs_on_the_path(tmp_path: Path) -> None:
    for name in ("named", "installed", "path"):
        executable(tmp_path / name / "trec_eval", f"#!/bin/sh\necho trec_eval version {name}\n")
    path = {"PATH": f"{tmp_path / 'path'}:{os.environ['PATH']}"}
    installed = {**path, "RANKPROOF_PROGRAMS": str(tmp_path / "installed")}
    named = {**installed, "RANKPROOF_TREC_EVAL": str(tmp_path / "named" / "trec_eval")}
    assert [hello(environment)["version"] for environment in (named, installed, path)] == ["named", "installed", "path"]
    missing = hello({**installed, "RANKPROOF_TREC_EVAL": str(tmp_path / "gone")})
    assert missing["not_installed"] == f"RANKPROOF_TREC_EVAL names {tmp_path / 'gone'}, which is no executable"


def test_worker_finds_installed_programs_in_the_cache(tmp_path: Path) -> None:
    adapter = tmp_path / "own_adapter.py"
    adapter.write_text(
        "import os\nLIBRARY, PACKAGES, VARIANTS, MEASURES = 'own', [], {'v': ''}, {}\n"
        "def load(): return {'version': os.environ['RANKPROOF_PROGRAMS']}\n"
    )
    with Worker(adapter) as worker:
        assert worker.hello()["version"] == str(programs())


@pytest.mark.parametrize(
    ("command", "version"), [("echo trec_eval version 9.0.8 >&2", "9.0.8"), ("echo 9.1", "9.1"), (":", "unknown")]
)
def test_version_of_trec_eval_is_read_from_stdout_or_stderr(command: str, version: str, tmp_path: Path) -> None:
    program = executable(tmp_path / "trec_eval", f"#!/bin/sh\n{command}\n")
    assert hello({**os.environ, "RANKPROOF_TREC_EVAL": str(program)})["version"] == version


@pytest.fixture
def carried(request: pytest.FixtureRequest) -> Library:
    """Return a library with three known builds of its program, in a folder of this test."""
    builds = tuple(Build(*HERE, v, "", "", (), sha256(v.encode())) for v in ("1", "2", "3"))
    sheet = replace(TREC_EVAL.sheet, program=Program("", builds))
    return replace(TREC_EVAL, name=request.node.name, sheet=sheet)


def test_any_known_build_in_the_cache_may_run_and_unknown_builds_may_not(carried: Library, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    place = executable(place_of(carried), "2")
    assert why_another(carried, {}) is None
    place.write_text(f"#!/bin/sh\n: > {ran}\necho trec_eval version 0.1\n")
    with worker_of(carried) as worker:
        why = worker.hello()["not_installed"]
        assert why.startswith(f"{place} is not a known build of {carried.name}: delete it")
        assert worker.identify()["not_installed"] == why
        assert worker.observe("default", {}, ["AP"])["AP"]["message"] == why
    assert not ran.exists()
    variable = f"RANKPROOF_{carried.name.upper()}"
    assert why_another(carried, {variable: str(place)}) is None, "the user named a program"
    place.unlink()
    place.mkdir()
    assert why_another(carried, {}) == f"{place} cannot be read: is a directory"
    place.rmdir()


@pytest.fixture
def answer(tmp_path: Path) -> Callable[[str], dict[str, Any]]:
    """Return a function that runs a program with these lines and gives its answer.

    The program also prints its version.
    """

    def answer(lines: str) -> dict[str, Any]:
        program = executable(tmp_path / "trec_eval", f'#!/bin/sh\n[ "$1" = --version ] && echo 1 && exit\n{lines}\n')
        data = {"qrels": [["q", "a", 1]], "run": [["q", "a", 1.0, 1]], "empty_in_qrels": [], "empty_in_run": []}
        with Worker(TREC_EVAL.adapter, environment={"RANKPROOF_TREC_EVAL": str(program)}) as worker:
            return worker.observe("default", data, ["AP"])["AP"]

    return answer


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("kill -SEGV $$", "ended by SIGSEGV"),
        ("exit 3", "exit code 3: nothing on stderr"),
        ("echo trec_eval: bad qrels >&2; echo Quit >&2; exit 1", "exit code 1: trec_eval: bad qrels"),
    ],
)
def test_failure_of_a_program_is_an_error_whatever_it_printed(
    end: str, message: str, answer: Callable[[str], dict[str, Any]]
) -> None:
    assert answer(rf"printf 'map\tq\t1\nmap\tall\t1\n'; {end}")["error"]["message"] == message


def test_program_that_was_killed_once_runs_again(answer: Callable[..., Any], tmp_path: Path) -> None:
    once = f"[ -e {tmp_path}/first ] || {{ touch {tmp_path}/first; kill -KILL $$; }}"
    assert answer(rf"{once}; printf 'map\tall\t1\n'") == {"per_query": None, "mean": 1.0}
