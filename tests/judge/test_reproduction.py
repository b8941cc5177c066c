"""Reproductions: scripts that run without rankproof and print the value of the library."""

import gzip
import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import selected_parameters
import typed_commands
from places import ROOT

from rankproof import cases as corpus
from rankproof.adapters.worker import load_adapter
from rankproof.judge.reproduction import NothingToShow, script
from rankproof.workers.known_libraries import Library, UnknownLibrary, libraries

LIBRARIES = {library.name: library for library in libraries() if not library.sheet.command}
NONE_TIED = corpus.load(corpus.HERE / "ties" / "none-tied.toml")
SHOWN = ("catboost", "pytrec_eval", "sklearn", "trectools", "ir_measures", "evaluate")
RUN_ALL = """
import runpy, sys
for path in sys.argv[1:]:
    print("file", path)
    runpy.run_path(path, run_name="__main__")
assert not {name for name in sys.modules if name.partition(".")[0] == "rankproof"}, "the script imports rankproof"
"""
"""Runs scripts one after the other, so that shared imports happen once."""


HOSTILE = r"""
question = "ids hold quotes and line ends"
why = "they come from anywhere"
source = "own"
tags = ["undefined"]
measures = ["AP"]
qrels = [["q1", "\"\"\" + exit(9) #\n", 1]]
run = [["q1", "\"\"\" + exit(9) #\n", "nan"], ["q1", "b", 2.5], ["q1", "c", "-inf"]]
"""


@pytest.fixture(scope="module")
def shown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the output of the script of each selected library."""
    selected = sorted(selected_parameters.selected(request, "library", SHOWN))
    folder = tmp_path_factory.mktemp("repros")
    for name in selected:
        some = ("default", "cwl_eval") if name == "ir_measures" else ()  # ranx compiles itself, which is slow
        (folder / f"{name}.py").write_text(script(NONE_TIED, LIBRARIES[name], ["AP"], some), encoding="utf-8")
    (folder / "ids").mkdir()
    (folder / "ids" / "hostile.toml").write_text(HOSTILE, encoding="utf-8")
    hostile = script(corpus.load(folder / "ids" / "hostile.toml"), LIBRARIES["sklearn"], ["AP"])
    (folder / "hostile.py").write_text(hostile, encoding="utf-8")
    command = [sys.executable, "-I", "-c", RUN_ALL, *(f"{name}.py" for name in (*selected, "hostile"))]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return dict(re.findall(r"^file (\w+)\.py\n(.*?)(?=^file |\Z)", done.stdout, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("library", SHOWN)
def test_script_needs_only_the_library(library: str, shown: dict[str, str]) -> None:
    assert "0.8333333333333333" in shown[library]


def test_library_with_a_broken_sheet_has_no_script(tmp_path: Path) -> None:
    broken = Library("broken", tmp_path / "x", LIBRARIES["sklearn"].sheet, "broken.toml:3: it does not read")
    with pytest.raises(NothingToShow, match=r"^broken\.toml:3: it does not read$"):
        script(NONE_TIED, broken, ["AP"])


def test_library_in_another_language_has_no_script() -> None:
    others = [library for library in libraries() if library.sheet.command]
    assert {library.name for library in others} >= {"r_metrics", "r_mlmetrics"}
    for library in others:
        with pytest.raises(NothingToShow, match=rf"^the adapter of {library.name} is not in Python, "):
            script(NONE_TIED, library, ["AP"])


def test_script_with_hostile_ids_and_scores_is_python(shown: dict[str, str]) -> None:
    assert "ValueError: Input contains NaN" in shown["hostile"]


@pytest.mark.parametrize("name", [name for name in LIBRARIES if name != "trec_eval"])
def test_script_names_the_packages_in_the_published_versions(name: str) -> None:
    library = LIBRARIES[name]
    packages = load_adapter(str(library.adapter)).PACKAGES
    of_labels = name in {"clusim", "permetrics"}
    case = corpus.load(corpus.HERE / "labels/clusters-join-classes.toml") if of_labels else NONE_TIED
    (line,) = (line for line in script(case, library, case.measures).splitlines() if "pip install" in line)
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.lower().split("==") for line in constraints if "==" in line)
    with gzip.open(ROOT / "reports" / "results" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        (published,) = json.loads(next(lines))["asked"]
    if library.sheet.only_in_environments:  # the lock has the versions of all other packages
        pins = {packages[0].lower(): library.sheet.speaks_of, **library.sheet.stands_on}
    pinned = [f"{package}=={pins[package.lower()]}" if package.lower() in pins else package for package in packages]
    assert line == f"#   pip install {' '.join(pinned)}"
    there = {package.lower(): version.partition("+")[0] for package, version in published["dependencies"].items()}
    assert {package: there[package] for package in there if pins.get(package, there[package]) != there[package]} == {}


@pytest.mark.parametrize(
    ("named", "shown"),
    [
        ("sklearn", ["rows", "appended", "rows-ignore-ties"]),
        ("sklearn/appended", ["appended"]),
        ("sklearn/r*", ["rows", "rows-ignore-ties"]),
    ],
)
def test_script_has_the_named_variants(named: str, shown: list[str], tmp_path: Path) -> None:
    text = typed_commands.rankproof("cases", "repro", "ties/none-tied", *named.split(), "nDCG@10", cwd=tmp_path).out
    assert re.findall(r"\('([\w-]+)', 'nDCG@10',", text) == shown


def test_sheet_names_versions_of_packages_of_the_adapter_only() -> None:
    for library in LIBRARIES.values():
        assert set(library.sheet.stands_on) <= {*load_adapter(str(library.adapter)).PACKAGES[1:]}, library.name


@pytest.mark.parametrize("packages", [[], ["noted", "other"]])
def test_script_begins_with_the_question_the_packages_and_the_standard_values(
    packages: list[str], tmp_path: Path
) -> None:
    """A package without a version in the sheet has none in the script. Answers and errors are printed unchanged."""
    adapter = tmp_path / "noted_adapter.py"
    adapter.write_text(
        f"LIBRARY, PACKAGES, VARIANTS = 'noted', {packages}, {{'v': ''}}\nMEASURES = {{'AP': 1, 'RR': 1, 'P@{{k}}': 1}}\n"
        "def load(): return {'version': '1', 'module': 'asked through a copy', 'absent': {'w': 'no w here'}}\n"
        "def observe(variant, data, call, values):\n    data['qrels'].pop()\n"
        "    if values['measure'] == 'AP': return None, 0.5\n    raise KeyError(len(data['qrels']))\n"
    )
    (query, doc, _, rank), *others = NONE_TIED.input.run
    infinite = replace(NONE_TIED.input, run=((query, doc, math.inf, rank), *others))
    case = replace(NONE_TIED, question="two\n  lines", input=infinite)
    noted = Library("noted", adapter, replace(LIBRARIES["catboost"].sheet, homepage="https://noted.example"))
    text = script(case, noted, ["RR", "P@2", "AP"])
    versions = ["noted==1.2.10", "other"][: len(packages)]
    assert text.splitlines()[:6] == [
        "# ties/none-tied: two lines",
        f"# needs only the library{' and the packages that it uses' * (len(packages) > 1)}:",
        f"#   {'pip install ' + ' '.join(versions) if packages else 'https://noted.example'}",
        "# RR is 1.0 under the profile 'standard'",
        "# P@2 is 0.5 under the profile 'standard'",
        "# AP is 0.8333333333333334 under the profile 'standard'",
    ]
    done = subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, text=True, check=True)
    errors = [f"v {measure} KeyError: {len(case.input.qrels) - 1}" for measure in ("RR", "P@2")]
    assert done.stdout.splitlines() == ["asked through a copy", *errors, "v AP (None, 0.5)"]
    with pytest.raises(NothingToShow, match=r"^noted supports none of infAP, Rprec, F$"):
        script(case, noted, ["infAP", "Rprec", "F"])
    with pytest.raises(UnknownLibrary, match=r"^noted has no variant w\* or x; choose from noted/v$"):
        script(case, noted, ["AP"], ["w*", "v", "x"])


@pytest.mark.parametrize(
    ("case", "measure", "told"),
    [
        ("ties/none-tied", "P@2", "0.5"),
        ("duplicates/run-below-cutoff", "P@2", "refused"),
    ],
)
def test_script_has_the_standard_value_or_a_refusal(case: str, measure: str, told: str) -> None:
    lines = script(corpus.load(corpus.HERE / f"{case}.toml"), LIBRARIES["pytrec_eval"], [measure]).splitlines()
    assert f"# {measure} is {told} under the profile 'standard'" in lines
