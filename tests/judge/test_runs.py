"""Runs: rows of libraries that did not run, complaints, and digests of everything that a run depends on."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from observed_library import CASES, HELLO, SHEET, answers_of, library

import rankproof
from rankproof import adapters, cases, reference_impl
from rankproof.judge.runs import inputs_of, judge_all
from rankproof.judge.verdicts import Row, Verdict
from rankproof.reference_impl.conventions import STANDARD
from rankproof.workers.sheets import Known, ObservationPlace, Pin
from rankproof.workers.subjects import Subject

RIGHT = {("ties/none-tied", "v", "RR"): {"per_query": None, "mean": 1.0}}
PINNED = ObservationPlace("ties/none-tied", "v", "RR", None)
PINS = {PINNED: Pin(PINNED, "0.25", Known("it cannot count", ""))}


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("not-installed", "no module lib"),
        ("crash", "it ended by SIGSEGV"),
        ("error", "no such sheet"),
    ],
)
def test_library_that_did_not_run_is_one_row_with_the_reason(kind: str, why: str) -> None:
    hello = {"not_installed": why} if kind == "not-installed" else {"failed": kind, "message": why}
    found = judge_all(CASES, [answers_of({}, hello, sheet=replace(SHEET, pins=PINS))])
    assert found.rows == (Row("", Subject("lib"), "", None, Verdict(kind), note=why),)
    complaints = [f"lib mean: {kind}: {why}; check its adapter"] if "failed" in hello else []
    assert [" ".join(str(one).split()) for one in found.complaints] == complaints
    unread = judge_all(CASES, [answers_of({}, hello, fault="lib.toml:3: it does not read")]).complaints
    ends = [str(one).partition(f": {kind}: ")[2] for one in unread]
    assert ends == ([why] if complaints else []), "the text of the fault has the remedy"


def test_run_has_its_time_and_absent_variants() -> None:
    absent = {**HELLO, "absent": {"x": "no such module", "y": "too old", "z": "no licence"}}
    run = judge_all(
        CASES, [answers_of(RIGHT, absent), answers_of(RIGHT, name="other"), answers_of(RIGHT, name="third")], -1.0
    )
    assert run.seconds == -1.0
    left = [row for row in run.rows if row.verdict is Verdict.NOT_INSTALLED and row.library == "lib"]
    assert [(row.variant, row.note) for row in left] == [*absent["absent"].items()]


def test_failures_of_another_version_are_one_complaint() -> None:
    """Version 2 is wrong on the smoke case. Version 1, which the sheet describes, is right."""
    sheet = replace(SHEET, speaks_of="1")
    wrong = {place: {"per_query": None, "mean": 0.25} for place in RIGHT}
    two = [
        answers_of(answers, {**HELLO, "version": version}, sheet=sheet)
        for answers, version in ((RIGHT, "1"), (wrong, "2"))
    ]
    (one,) = judge_all(CASES, two, whole=False).complaints
    smoke, _ = judge_all(CASES, [answers_of(wrong, sheet=sheet)], whole=False).complaints
    assert "version 2 ran, but the sheet describes 1" in one.what
    assert smoke.what == "v fails the smoke case: check its adapter first"


def test_useless_claim_is_a_complaint_in_a_whole_run() -> None:
    claims = {"v": {"RR": STANDARD, "ERR": STANDARD.replace(ties="worst")}, "gone": {"AP": STANDARD}}
    sheet = replace(SHEET, profiles=claims, pins=PINS)
    complaints = judge_all(CASES, [answers_of(RIGHT, sheet=sheet)]).complaints
    assert [(one.library, one.place) for one in complaints] == [("lib", PINNED), ("lib", None), ("lib", None)]
    moved, unused, unknown = (one.what for one in complaints)
    assert moved == "miniatures.toml pins '0.25', but the verdict is now agrees (1.0): remove the exception"
    assert unused.startswith('miniatures.toml: [profiles.v] claims "ERR", which affects no value: ')
    assert unknown.startswith("miniatures.toml: [profiles.gone] is not a variant of the adapter: ")
    assert len(judge_all(CASES, [answers_of(RIGHT, sheet=sheet)], whole=False).complaints) == 1
    alone = replace(answers_of(RIGHT, sheet=sheet), library=library(sheet=sheet, only=("v",)))
    assert len(judge_all(CASES, [alone]).complaints) == 1
    absent = answers_of(RIGHT, {**HELLO, "variants": {"v": ""}, "absent": {"gone": "no module"}}, sheet=sheet)
    assert len(judge_all(CASES, [absent]).complaints) == 2, "claims about absent variants are not tested"


# -- digests ----------------------------------------------------------------------------------------------------------

DIGESTS = """
import pathlib, sys
from rankproof import cases
from rankproof.judge.runs import code_of, inputs_of
case, here = cases.load(cases.HERE / "ties" / "none-tied.toml"), pathlib.Path(sys.argv[1])
for name in sys.argv[2:]:
    before = inputs_of([case], []), code_of([case], [])
    with (here / name).open("a") as file:
        file.write("\\n")
    after = inputs_of([case], []), code_of([case], [])
    print(name, *(old != new for old, new in zip(before, after)))
"""
"""Prints for each file of a package whether the digests of inputs and of code change with the file."""


def test_digests_of_a_run_depend_on_every_file_of_the_package_that_can_change_a_value(tmp_path: Path) -> None:
    package = tmp_path / "rankproof"
    shutil.copytree(Path(rankproof.judge.__path__[0]).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for part in (adapters, cases, reference_impl):
        shutil.copytree(part.__path__[0], package / part.__name__.rpartition(".")[2], dirs_exist_ok=True)
    of_inputs = ["adapters/sklearn_adapter.py", "adapters/sklearn.toml", "cases/ties/none-tied.toml", "cases/inputs.py"]
    of_inputs += ["reference_impl/measures/ndcg.py"]
    of_code = ["judge/runs.py", "inference/schemas/fingerprint.schema.json"]
    neither = ["py.typed"]
    command = [sys.executable, "-c", DIGESTS, package, *of_inputs, *of_code, *neither]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    expected = [f"{name} True True" for name in of_inputs] + [f"{name} False True" for name in of_code]
    assert done.stdout.splitlines() == [*expected, *(f"{name} False False" for name in neither)]


def test_digests_of_a_run_depend_on_cases_variants_and_the_text_of_sheets(tmp_path: Path) -> None:
    sheet = tmp_path / "lib.toml"
    sheet.write_text("")
    own = library(sheet=replace(SHEET, path=sheet))
    runs = [(CASES, own), (CASES[:1], own), (CASES, replace(own, only=("v",))), (CASES, replace(own, only=("v", "w")))]
    digests = [inputs_of(some, [replace(answers_of({}), library=of)]) for some, of in runs]
    sheet.write_text("changed")
    digests.append(inputs_of(CASES, [replace(answers_of({}), library=own)]))
    assert len({*digests}) == len(digests)
