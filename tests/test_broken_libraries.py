"""One library that is unfinished or broken is a row that says so with the mend, and every verb goes on for all others."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankproof import cases as corpus
from rankproof.cli.program import cli
from rankproof.judge import probing, results_file
from rankproof.workers import rounds
from rankproof.workers.known_libraries import Library, libraries
from rankproof.workers.library_worker import Worker

HERE = Path(__file__).resolve().parent
CASE = "ties/none-tied"
BROKEN = {
    "halfway": "halfway.toml: there is no such sheet: `rankproof sheet new halfway` writes a first one",
    "reasonless": "reasonless.toml:9: the reason of an exception is empty: write in a sentence why reasonless answers as it does",
    "unclosed": "unclosed.toml: ",
}
WRECKED = "the process ended with exit code 1; its stderr ends: no \\x1b[1mlicence"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one sound library, three whose sheets do not read, and one that breaks when it is started."""
    folder = tmp_path_factory.mktemp("adapters")
    sheet = (HERE / "miniatures" / "miniatures.toml").read_text(encoding="utf-8")
    adapter = (HERE / "miniatures" / "miniatures_adapter.py").read_text(encoding="utf-8")
    adapter += '\nVARIANTS = {"honest": VARIANTS["honest"]}\n'
    for name in ("halfway", "reasonless", "sound", "unclosed"):
        (folder / f"{name}_adapter.py").write_text(adapter.replace('"miniatures"', f'"{name}"'), encoding="utf-8")
    exception = f"\n[[known]]\nreason = ''\nobserved = '{CASE} honest AP mean 0.5'\n"
    texts = {"reasonless": sheet + exception, "sound": sheet, "unclosed": 'library = "unclosed', "wrecked": sheet}
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text.replace('"miniatures"', f'"{name}"'), encoding="utf-8")
    (folder / "wrecked_adapter.py").write_text("raise SystemExit('no \\x1b[1mlicence')\n", encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The libraries of rankproof itself take long to load, and are none of this."""
    monkeypatch.setattr(
        "rankproof.workers.known_libraries.libraries",
        lambda folder=None, **how: libraries(folder, **how) if folder else [],
    )


def rankproof(folder: Path, *arguments: object) -> Result:
    named = [str(argument) for argument in arguments]
    return CliRunner().invoke(cli, named, env={"RANKPROOF_ADAPTERS": str(folder)}, standalone_mode=False)


OWN = [argument for name in [*BROKEN, "sound", "wrecked"] for argument in ("--library", name)]


@pytest.fixture(scope="module")
def ran(folder: Path) -> tuple[Path, Result]:
    """A run of all of them on one case."""
    out = folder.parent / f"{folder.name}-out"
    return out, rankproof(folder, "run", *OWN, "--case", CASE, "--out", out)


def test_a_run_has_a_row_for_each_and_asks_the_others(folder: Path, ran: tuple[Path, Result]) -> None:
    out, done = ran
    assert done.return_value == 1, done.output
    rows = results_file.load(out).rows
    whole = {row.library: row for row in rows if not row.case}
    assert {name: row.verdict for name, row in whole.items()} == {**dict.fromkeys(BROKEN, "error"), "wrecked": "crash"}
    for name, fault in BROKEN.items():
        assert f"{folder}/{fault}" in whole[name].note
        assert f"DOES NOT HOLD {name} mean: error: {folder}/{fault}" in done.output
    assert "sheet update" not in done.output, "a fault says its own mend, and no profile mends it"
    assert done.output.count("; look at its adapter") == 1
    assert whole["wrecked"].note == WRECKED
    assert {row.verdict for row in rows if row.library == "sound"} == {"agrees", "unsupported"}
    assert "| wrecked | could not be asked |" in (out / "report.md").read_text()


@pytest.mark.in_turn
def test_the_list_of_libraries_goes_on(folder: Path) -> None:
    done = rankproof(folder, "libraries")
    for name, fault in BROKEN.items():
        assert f"{name}: cannot be asked: {folder}/{fault}" in done.output
    assert f"wrecked: cannot be asked: {WRECKED}" in done.output
    assert "sound 1\n" in done.output
    told = json.loads(rankproof(folder, "libraries", "--json").stdout)
    assert told["unclosed"]["fault"].startswith(f"{folder}/unclosed.toml: ")
    assert told["sound"]["version"] == "1"


def test_a_probe_asks_the_others_and_publishes_nothing(folder: Path, tmp_path: Path) -> None:
    asked = ["unclosed", "wrecked", "sound", "-p", "rows", "-m", "RR"]
    done = rankproof(folder, "probe", *asked, "--publish", tmp_path)
    assert done.return_value == 3
    assert f"unclosed was not asked: {folder}/unclosed.toml: " in done.stderr
    assert f"wrecked was not asked: {WRECKED}" in done.stderr
    assert done.stderr.splitlines()[-1] == "nothing was published: not all could be asked"
    assert "1 library probed: nothing found" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_sheet_is_brought_up_to_date_beside_one_that_does_not_read(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = corpus.load_all()[::20]
    monkeypatch.setattr(corpus, "load_all", lambda: few)
    own = tmp_path / "own"
    shutil.copytree(folder, own)
    done = rankproof(own, "sheet", "update", "[su]*n*d", "--dry-run")
    assert done.return_value == 1
    assert f"unclosed is left out: {own}/unclosed.toml: " in done.stderr
    assert f"{own}/sound.toml: 0 added, 0 moved, 0 removed, 0 kept" in done.stdout
    assert rankproof(own, "sheet", "update", "unclosed").return_value == 2


def test_the_site_and_a_fingerprint_are_of_the_others(
    folder: Path, ran: tuple[Path, Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    results = ran[0]
    told = []
    monkeypatch.setattr("rankproof.site.building.write", lambda *given: told.append(given))
    for source in (results, results / results_file.FOLDER, results / results_file.FOLDER / "sound.jsonl"):
        done = rankproof(folder, "report", "--results", source)
        assert isinstance(done.exception, AttributeError), "no site was written, so there is none to tell of"
        assert f"unclosed is left out: {folder}/unclosed.toml: " in done.stderr
        report, _, beside, _ = told.pop()
        assert [library.name for library in report.libraries] == ["sound", "wrecked"]
        assert beside == results, "there the fingerprints are, if there are any"
    done = rankproof(folder, "fingerprint", "--results", results, "-m", "RR", "--json")
    assert {one["library"] for one in json.loads(done.stdout)["asked"]} == {"sound"}


def test_a_repro_says_why_there_is_none(folder: Path) -> None:
    assert "there is no such sheet" in str(rankproof(folder, "repro", CASE, "halfway").exception)
    assert "no \\x1b[1mlicence" in str(rankproof(folder, "repro", CASE, "wrecked").exception)
    assert "def observe(" in rankproof(folder, "repro", CASE, "sound").stdout


def test_a_fault_of_ours_or_of_the_system_while_one_is_asked_loses_no_row_of_the_others(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = rounds.worker_of

    def worker_of(library: Library, *given: object, **named: object) -> Worker:
        if library.name == "wrecked":
            raise RuntimeError("can't start new \x1b[1mthread")
        return real(library, *given, **named)

    for room in (rounds, probing):
        monkeypatch.setattr(room, "worker_of", worker_of)
    said = "it: RuntimeError: can't start new \\x1b[1mthread"
    done = rankproof(folder, "run", "--library", "wrecked", "--library", "sound", "--case", CASE, "--out", tmp_path)
    assert done.return_value == 1
    rows = results_file.load(tmp_path).rows
    told = [("error", f"rankproof could not ask {said}")]
    assert [(row.verdict, row.note) for row in rows if row.library == "wrecked"] == told
    assert "agrees" in {row.verdict for row in rows if row.library == "sound"}
    done = rankproof(folder, "probe", "wrecked", "sound", "-p", "rows", "-m", "RR")
    assert done.return_value == 3
    assert f"wrecked was not asked: rankproof could not probe {said}" in done.stderr
    assert "1 library probed" in done.stdout
