"""Broken libraries: each is reported with its remedy, and every command continues with the other libraries."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankproof.cli.program import cli
from rankproof.history.installed import installed
from rankproof.judge import results_file
from rankproof.workers.known_libraries import libraries

HERE = Path(__file__).resolve().parent.parent
CASE = "ties/none-tied"
BROKEN = {
    "halfway": "halfway.toml:1: the sheet does not exist: write it with `rankproof sheet new halfway`",
    "reasonless": "reasonless.toml:9: the reason of an exception is empty: write in a sentence why reasonless differs",
    "unclosed": "unclosed.toml:1: ",
}
WRECKED = "the process ended with exit code 1; its stderr ends: no \\x1b[1mlicence"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one sound library, three with unreadable sheets, and one with an error at its start."""
    folder = tmp_path_factory.mktemp("adapters")
    sheet = (HERE / "miniatures" / "miniatures.toml").read_text(encoding="utf-8")
    adapter = (HERE / "miniatures" / "miniatures_adapter.py").read_text(encoding="utf-8")
    adapter += '\nVARIANTS = {"honest": VARIANTS["honest"]}\nMEASURES = {name: MEASURES[name] for name in ("RR", "RR@{k}", "AP")}\n'
    for name in ("halfway", "reasonless", "sound", "unclosed"):
        (folder / f"{name}_adapter.py").write_text(adapter.replace('"miniatures"', f'"{name}"'), encoding="utf-8")
    exception = f"\n[[known]]\nreason = ''\nobserved = '{CASE} honest AP mean 0.5'\n"
    texts = {"reasonless": sheet + exception, "sound": sheet, "unclosed": 'library = "unclosed', "wrecked": sheet}
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text.replace('"miniatures"', f'"{name}"'), encoding="utf-8")
    (folder / "wrecked_adapter.py").write_text("raise SystemExit('no \\x1b[1mlicence')\n", encoding="utf-8")
    return folder


def rankproof(folder: Path, *arguments: object) -> Result:
    words = [str(argument) for argument in arguments]
    return CliRunner().invoke(cli, words, env={"RANKPROOF_ADAPTERS": str(folder)}, standalone_mode=False)


OWN = [argument for name in [*BROKEN, "sound", "wrecked"] for argument in ("--library", name)]


@pytest.fixture(scope="module")
def ran(folder: Path) -> tuple[Path, Result]:
    """Return a run of all libraries on one case."""
    out = folder.parent / f"{folder.name}-out"
    return out, rankproof(folder, "run", *OWN, "--case", CASE, "--out", out, "--details")


def test_run_reports_each_broken_library_and_runs_the_others(folder: Path, ran: tuple[Path, Result]) -> None:
    out, done = ran
    assert done.return_value == 1, done.output
    rows = results_file.load(out).rows
    whole = {row.library: row for row in rows if not row.case}
    assert {name: row.verdict for name, row in whole.items()} == {**dict.fromkeys(BROKEN, "error"), "wrecked": "crash"}
    for name, fault in BROKEN.items():
        assert f"{folder}/{fault}" in whole[name].note
        assert f"{name} mean: error: " in " ".join(done.output.split())
    assert "sheet update" not in done.output, "a fault says its own mend, and no profile mends it"
    assert whole["wrecked"].note == WRECKED
    assert {row.verdict for row in rows if row.library == "sound"} == {"agrees", "unsupported"}
    assert "| wrecked | did not run |" in (out / "report.md").read_text()


def test_broken_library_is_listed_with_its_fault(folder: Path) -> None:
    described = {library.name: installed(library).described for library in libraries(folder)}
    for name, fault in BROKEN.items():
        assert described[name].failed
        assert described[name].message.startswith(f"{folder}/{fault}")
    assert described["wrecked"].message == WRECKED
    assert described["sound"].version == "1"


def test_sheet_is_updated_although_another_sheet_cannot_be_read(folder: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    shutil.copytree(folder, own)
    done = rankproof(own, "sheet", "update", "[su]*n*d", "--dry-run")
    assert done.return_value == 1
    assert f"unclosed is left out: {own}/unclosed.toml:1: " in done.stderr
    assert f"{own}/sound.toml: 0 added, 0 removed, 0 kept" in done.stdout
    assert rankproof(own, "sheet", "update", "unclosed").return_value == 2


def test_repro_of_a_broken_library_prints_its_fault(folder: Path) -> None:
    assert "the sheet does not exist" in str(rankproof(folder, "cases", "repro", CASE, "halfway").exception)
    assert "no \\x1b[1mlicence" in str(rankproof(folder, "cases", "repro", CASE, "wrecked").exception)
    assert "def observe(" in rankproof(folder, "cases", "repro", CASE, "sound").stdout
