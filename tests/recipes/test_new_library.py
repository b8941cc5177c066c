"""The recipe of CONTRIBUTING.md for a library: its files and its commands work in a new folder."""

import re
import shlex
from pathlib import Path

import pytest
from places import ROOT
from typed_commands import Ended, rankproof

from rankproof.judge import results_file
from rankproof.workers.sheets import load

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPE = TEXT[TEXT.index("## A library") :].partition("\n## ")[0]
(ADAPTER,) = re.findall(r"```python\n(.*?)```", RECIPE, re.DOTALL)
NEW, RUN = re.findall(r"```sh\n(.*?)\n```", RECIPE, re.DOTALL)


def follow(command: str, folder: Path) -> Ended:
    program, *arguments = shlex.split(command)
    assert program == "rankproof"
    return rankproof(*arguments, cwd=folder)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder after the recipe up to the sheet."""
    folder = tmp_path_factory.mktemp("recipe")
    (folder / "my_adapters").mkdir()
    (folder / "my_adapters" / "tinyrank_adapter.py").write_text(ADAPTER, encoding="utf-8")
    done = follow(NEW, folder)
    assert done.code == 1, done.out + done.err
    assert "fill in the title, homepage and issues" in done.out
    return folder


def test_the_first_sheet_has_the_inferred_profile_and_empty_reasons(project: Path) -> None:
    sheet = load(project / "my_adapters" / "tinyrank.toml", draft=True)
    claimed = {key: profile.spec() for key, profile in sheet.profiles["default"].items()}
    assert set(claimed) in ({"*"}, {"P@k", "RR"}), (
        "one for both, unless what no answer decides is taken otherwise for each"
    )
    for spec in claimed.values():
        assert {"ties=input", "run_duplicates=both"} <= set(spec.split())
    assert {place.measure.partition("@")[0] for place in sheet.pins} == {"P"}, "it forgets ids that are not ASCII"
    assert all(pin.known.reason == "" for pin in sheet.pins.values())
    assert (sheet.speaks_of, sheet.precision) == ("1.0", "float64")


def test_the_sheet_holds_after_its_reasons_are_filled_in(project: Path, tmp_path: Path) -> None:
    path = project / "my_adapters" / "tinyrank.toml"
    first = path.read_text(encoding="utf-8")
    refused = follow(f"{RUN} --out {tmp_path / 'out'}", project)
    assert refused.code == 1, "a reason is empty"
    assert re.search(r"tinyrank\.toml:\d+: the reason of an exception is empty", " ".join(refused.out.split()))
    path.write_text(first.replace('reason = ""', 'reason = "it forgets ids that are not ASCII"'), encoding="utf-8")
    done = follow(f"{RUN} --out {tmp_path / 'out'}", project)
    assert done.code == 0, done.out + done.err
    rows = results_file.load(tmp_path / "out").rows
    assert {row.library for row in rows} == {"tinyrank"}
    assert sum(row.verdict in {"agrees", "convention"} for row in rows) > 500
    assert "unchanged since the last" in follow(f"{RUN} --out {tmp_path / 'out'}", project).out
    path.write_text(path.read_text(encoding="utf-8").partition("[[known]]")[0], encoding="utf-8")
    assert follow(f"{RUN} --out {tmp_path / 'out'}", project).code == 1, "a sheet of one's own that changed is noticed"
    again = follow(NEW, project)
    assert (again.code, " already exists" in " ".join(again.err.split())) == (2, True), (
        "what a person wrote is left alone"
    )


def test_the_recipe_needs_the_files_that_it_counts(project: Path) -> None:
    assert "Two files" in RECIPE
    names = {path.name for path in (project / "my_adapters").iterdir() if path.is_file()}
    assert names == {"tinyrank_adapter.py", "tinyrank.toml"}
