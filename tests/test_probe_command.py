"""`rankproof probe`: what it tells, refuses and publishes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hanging import hanging_library, until_there

from rankproof.cli.probe import command
from rankproof.judge.probe_findings import read
from rankproof.judge.probing import PROBES, UnknownProbe
from rankproof.workers.known_libraries import Library, UnknownLibrary
from rankproof.workers.sheets import load

MINIATURES = Path(__file__).resolve().parent / "miniatures"
PROBED = Library("probed", MINIATURES / "probed_adapter.py", load(MINIATURES / "probed.toml"))


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verb knows the miniatures alone."""
    monkeypatch.setattr("rankproof.workers.known_libraries.libraries", lambda: [PROBED])


def probe(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)


@pytest.mark.usefixtures("ours")
def test_it_tells_what_depends_on_what_and_shows_the_smallest_inputs(tmp_path: Path) -> None:
    done = probe("--probe", "shifted", "-p", "bounds", "-m", "RR", "--publish", tmp_path)
    assert done.return_value == 0
    lines = done.stdout.splitlines()
    assert lines[:2] == ["is not between 0 and 1", "    probed/counts_beyond_one  RR"]
    assert "depends on the sign of the scores" in lines
    assert "    run 1 Q0 b 2 1 run" in lines
    assert any("probed/squares_scores RR of query 1: " in line and ", then " in line for line in lines)
    assert lines[-1].startswith("1 library probed: ")
    assert done.stderr.splitlines()[-1] == f"{tmp_path / 'probes.json'} written"
    published = json.loads((tmp_path / "probes.json").read_text())
    found = read(tmp_path / "probes.json")
    assert [one.installation.library for one in found.libraries] == ["probed"]
    assert len(found.libraries[0].findings) == len(published["findings"]) > 0


@pytest.mark.usefixtures("ours")
def test_one_variant_is_probed_alone() -> None:
    done = probe("probed/counts_*", "-p", "bounds", "-m", "RR", "--json")
    document = json.loads(done.stdout)
    assert list(document["libraries"][0]["installation"]["variants"]) == ["counts_beyond_one"]
    assert len({finding["variant"] for finding in document["findings"]}) == 1
    unknown = probe("probed/nobody", "-p", "bounds", "-m", "RR").exception
    assert isinstance(unknown, UnknownLibrary)
    assert str(unknown).startswith("probed has no variant nobody; known are probed/")


def test_it_lists_the_probes() -> None:
    lines = probe("--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [probe.name for probe in PROBES]
    assert "Does the order of the rows matter?" in probe("--list", "-p", "rows", "-p", "rows").stdout
    assert len(probe("--list", "-p", "rows", "-p", "rows").stdout.splitlines()) == 1


@pytest.mark.usefixtures("ours")
def test_an_unknown_probe_or_library_is_named_with_those_that_are_known() -> None:
    unknown = probe("-p", "row").exception
    assert isinstance(unknown, UnknownProbe)
    assert str(unknown).startswith("Unknown probe 'row': did you mean rows")
    unknown = probe("sklaern").exception
    assert isinstance(unknown, UnknownLibrary)
    assert str(unknown) == "sklaern is no library; known are probed"


def test_what_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    adapter = tmp_path / "gone_adapter.py"
    load_fails = 'def load():\n    raise ImportError("no \\x1b[1mgone")\n'
    adapter.write_text(f'LIBRARY, PACKAGES, VARIANTS = "gone", [], {{}}\n\n{load_fails}')
    monkeypatch.setattr("rankproof.workers.known_libraries.libraries", lambda: [Library("gone", adapter, PROBED.sheet)])
    done = probe("--publish", tmp_path)
    assert done.return_value == 0
    assert "gone was not asked: no \\x1b[1mgone" in done.stderr
    assert json.loads((tmp_path / "probes.json").read_text())["libraries"][0]["installation"][
        "not_installed"
    ].startswith("no ")


@pytest.mark.in_turn
@pytest.mark.parametrize("all_of_them", [False, True], ids=["kill", "ctrl-c"])
def test_interrupted_it_publishes_nothing_and_exits_with_3(all_of_them: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """A terminal's Ctrl-C goes to all processes of the group; `kill` to one."""
    asked, out = hanging_library(tmp_path), tmp_path / "out"
    arguments = ["--adapters", tmp_path, "-p", "rows", "-m", "RR", "--publish", out]
    process = subprocess.Popen(
        [sys.executable, "-m", "rankproof", "probe", "hanging", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    until_there(asked)
    started = time.monotonic()
    (os.killpg if all_of_them else os.kill)(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=110)
    assert process.returncode == 3
    assert stderr.strip() == "interrupted: nothing was published"
    assert (stdout, out.exists()) == ("", False)
    assert time.monotonic() - started < 60, "what takes long is not waited for"
