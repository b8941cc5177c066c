"""start.py: it sets a checkout up once, continues after a failure, reports failures, and runs the command.

It runs in a copy of the checkout. The programs in the environment of the copy only record how they were called.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from documentation_blocks import ROOT, block
from processes import executable

PROGRAM = """#!/bin/sh
echo "$(basename "$0") $*" >> "{folder}/calls"
[ "$1" = -c ] && echo 1
[ -e "{folder}/fail-$(basename "$0")" ] && . "{folder}/fail-$(basename "$0")"
exit 0
"""
"""A program that records its calls, and prints for `python -c`, which tests for a working Python and for a browser."""


@dataclass(frozen=True)
class Checkout:
    """A copy of the checkout."""

    folder: Path

    def start(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run start.py without the programs of this machine, after deleting the record of earlier calls."""
        (self.folder / "calls").write_text("")
        return subprocess.run(
            self.command(*arguments), env=self.environment(**environment), capture_output=True, text=True, check=False
        )

    def command(self, *arguments: str) -> list[str]:
        """Return the command line."""
        return [sys.executable, str(self.folder / "start.py"), *arguments]

    def environment(self, **environment: str) -> dict[str, str]:
        """Return the environment variables of start.py, which finds chromium on its PATH."""
        return {"PATH": str(self.folder / "path"), "HOME": str(self.folder), **environment}

    def calls(self) -> list[str]:
        """Return the calls of programs, except calls that create the environment."""
        lines = (self.folder / "calls").read_text().splitlines()
        return [line for line in lines if not line.startswith(("python -c", "python -m ensurepip"))]

    def fail(self, program: str, commands: str) -> Path:
        """Make a program run these shell commands until the returned file is removed."""
        path = self.folder / f"fail-{program}"
        path.write_text(f"{commands}\n")
        return path


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    shutil.copy(ROOT / "start.py", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "locks", tmp_path / "locks")
    (tmp_path / "adapters").mkdir()
    shutil.copy(ROOT / "adapters" / "trec_eval.toml", tmp_path / "adapters")
    for name in ("python", "uv", "rankproof", "pytest", "playwright"):
        executable(tmp_path / ".venv" / "bin" / name, PROGRAM.format(folder=tmp_path))
    # Creating a real environment takes seconds.
    digest = hashlib.sha256(str(tmp_path).encode()).hexdigest()
    (tmp_path / ".venv" / "start.json").write_text(json.dumps({"an environment in .venv": digest}))
    executable(tmp_path / "path" / "chromium", "#!/bin/sh\n")
    for name in ("sh", "basename", "sleep"):
        (tmp_path / "path" / name).symlink_to(shutil.which(name) or name)
    return Checkout(tmp_path)


def installs(calls: list[str]) -> list[str]:
    """Return the requirements of each call of pip or uv."""
    return [call.rpartition(" --requirement ")[2] for call in calls if " install " in call]


@pytest.mark.parametrize(
    ("word", "lock", "last"),
    [
        ("run", "libraries", "rankproof run --library sklearn -c ties/*"),
        (
            "test",
            "dev",
            f"pytest --numprocesses {(os.cpu_count() or 1) + 1} --dist worksteal --library sklearn -c ties/*",
        ),
    ],
)
def test_each_package_is_installed_by_its_digest_and_the_command_gets_the_arguments(
    word: str, lock: str, last: str, checkout: Checkout
) -> None:
    done = checkout.start(word, "--library", "sklearn", "-c", "ties/*")
    assert done.returncode == 0, done.stderr
    *steps, command = checkout.calls()
    assert command == last
    build, locked, own, trec_eval = steps
    assert build.endswith("-m pip install --quiet --require-hashes --requirement locks/build.txt")
    assert locked.endswith(f"--require-hashes --requirement locks/{lock}.txt")
    assert own.endswith("--no-build-isolation --no-deps --editable ."), "nothing is downloaded with it"
    assert trec_eval == "rankproof env build trec_eval"


def test_step_is_repeated_only_if_what_it_depends_on_changed_or_is_gone(checkout: Checkout) -> None:
    (checkout.folder / ".cache" / "rankproof" / "programs").mkdir(parents=True)
    program = checkout.folder / ".cache" / "rankproof" / "programs" / "trec_eval"
    program.touch()
    assert len(checkout.start("run").stderr.splitlines()) == 4
    assert (checkout.start("run").stderr, checkout.calls()) == ("", ["rankproof run"])
    (checkout.folder / "locks" / "libraries.txt").write_text("changed")
    program.unlink()
    checkout.start("run")
    assert installs(checkout.calls()) == ["locks/libraries.txt"]
    assert checkout.calls()[1:] == ["rankproof env build trec_eval", "rankproof run"]
    (checkout.folder / ".venv" / "start.json").write_text('{"a": ')
    checkout.start("run")
    assert len(installs(checkout.calls())) == 3, "unreadable notes count as none"


def test_set_up_continues_after_a_failure_and_shows_the_end_of_the_output(checkout: Checkout) -> None:
    talk = "i=0; while [ $i -lt 40 ]; do echo line $i; i=$((i+1)); done; echo no such package >&2; exit 7"
    failing = checkout.fail("uv", talk)
    done = checkout.start("run")
    assert (done.returncode, done.stdout) == (3, "")
    assert "start.py: packages of locks/libraries.txt: line 26\n" in done.stderr, "of many lines, the last are shown"
    assert done.stderr.endswith("line 39\nno such package; type the same command to continue\n")
    failing.write_text("exit 7\n")
    assert "uv ends with exit code 7; type the same command to continue" in checkout.start("run").stderr
    failing.unlink()
    done = checkout.start("run")
    assert (done.returncode, installs(checkout.calls())[0]) == (0, "locks/libraries.txt")
    assert re.sub(r"\d+ s", "N s", done.stderr).startswith("[3/5] packages of locks/libraries.txt: N s\n")


def test_optional_step_that_fails_is_reported_and_tried_again(checkout: Checkout) -> None:
    checkout.fail("rankproof", '[ "$1" = env ] && echo not for this machine && exit 1')
    for _ in range(2):
        done = checkout.start("run")
        assert done.returncode == 0
        assert "trec_eval: not available on this machine: not for this machine\n" in done.stderr
        assert checkout.calls()[-1] == "rankproof run"


def test_ctrl_c_ends_the_set_up_in_one_line(checkout: Checkout) -> None:
    checkout.fail("uv", "sleep 60")
    (checkout.folder / "calls").write_text("")
    with subprocess.Popen(
        checkout.command("run"), env=checkout.environment(), stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        until = time.monotonic() + 60
        while not any(call.startswith("uv") for call in checkout.calls()) and time.monotonic() < until:
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        _, stderr = process.communicate()
    assert process.returncode == 3
    assert stderr.splitlines()[-1] == "start.py: interrupted; type the same command to continue"


@pytest.mark.parametrize("browser", ["chromium", "chromium-browser", "google-chrome", "chrome", ""])
def test_browser_is_installed_unless_one_is_on_the_path(browser: str, checkout: Checkout) -> None:
    (checkout.folder / "path" / "chromium").unlink()
    if browser:
        executable(checkout.folder / "path" / browser, "#!/bin/sh\n")
    done = checkout.start("test")
    assert done.returncode == 0
    assert ("Chromium" in json.loads((checkout.folder / ".venv" / "start.json").read_text())) is not bool(browser)


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["--help"], 0, "python3 start.py run [OPTION]..."),
        ([], 2, "python3 start.py run [OPTION]..."),
        (["install"], 2, "start.py: unknown command 'install'; type python3 start.py run or python3 start.py test\n"),
    ],
)
def test_help_is_printed_and_unknown_commands_are_refused(arguments: list[str], code: int, text: str) -> None:
    command = [sys.executable, "-I", str(ROOT / "start.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert text in done.stdout + done.stderr


def test_ci_runs_the_second_command_of_the_readme(tmp_path: Path) -> None:
    assert (block("run"), block("test")) == ("python3 start.py run", "python3 start.py test")
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    shutil.copy(ROOT / "README.md", tmp_path)
    (tmp_path / "start.py").write_text(
        "import os, sys; print(sys.argv[1:], os.environ['CI'], os.getcwd()); sys.exit(5)"
    )
    done = subprocess.run([tmp_path / ".ci" / "run"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (5, "")
    assert done.stdout == f"python3 start.py test\n['test'] true {tmp_path}\n"
