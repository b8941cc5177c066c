"""`rankproof measures`, `axes` and `profiles` list what there is, and say of one all that is to be said."""

import json
import re

import pytest
from click.testing import CliRunner, Result

from rankproof.cli.program import Verbs
from rankproof.evaluate.library_profiles import profile_named
from rankproof.text import COLUMNS


def asked(verb: str, *arguments: str) -> Result:
    command = Verbs().get_command(None, verb)  # type: ignore[arg-type]
    assert command is not None
    return CliRunner().invoke(command, arguments, standalone_mode=False)


def said(verb: str, *arguments: str) -> str:
    done = asked(verb, *arguments)
    assert done.exception is None
    return done.stdout


@pytest.mark.parametrize(
    "asked_for",
    [
        ("measures",),
        ("axes",),
        ("profiles",),
        ("measures", "nDCG@10"),
        ("axes", "gain"),
        ("profiles", "notebook-binary"),
        ("profiles", "sklearn/rows"),
    ],
    ids=" ".join,
)
def test_what_is_said_fits_a_terminal(asked_for: tuple[str, ...]) -> None:
    lines = said(*asked_for).splitlines()
    assert [line for line in lines if len(line) > COLUMNS] == []
    assert len(lines) > 4


def test_a_measure_is_written_with_the_cutoff_that_it_takes() -> None:
    written = {one["name"]: one["notation"] for one in json.loads(said("measures", "--json"))}
    assert {name: written[name] for name in ("nDCG", "F", "IPrec", "ARI", "SetP")} == {
        "nDCG": "nDCG[@k]",
        "F": "F@k",
        "IPrec": "IPrec@recall",
        "ARI": "ARI",
        "SetP": "SetP",
    }


def test_all_measures_are_told_beside_a_column_as_wide_as_the_longest_of_them() -> None:
    notations = [one["notation"] for one in json.loads(said("measures", "--json"))]
    lines = [line for line in said("measures").splitlines() if line[2:].split(" ")[0] in notations]
    assert len(lines) == len(notations)
    assert {line[2 : len(max(notations, key=len)) + 4].rstrip() for line in lines} == {*notations}


@pytest.mark.parametrize(
    ("library", "key"),
    [("sklearn/rows", "CoverageError"), ("trectools/frame", "Bpref"), ("ir_measures/trectools", "Bpref")],
)
def test_what_nothing_decided_of_a_library_is_said_to_be_so(library: str, key: str) -> None:
    text, profile = said("profiles", library), profile_named(library)
    part = next(part for part in text.split("\n\n") if part.startswith(f"{key}:"))
    assert "undetermined: " in part
    told = re.findall(r"([a-z_]+)(?: \(([^)]+)\))?(?:, |$)", " ".join(part.partition("undetermined: ")[2].split()))
    assert {axis: tuple(values.split(" or ")) if values else () for axis, values in told} == dict(profile.open[key])
    assert not any(f"{axis}=" in part for axis, _ in told)


@pytest.mark.parametrize(
    ("verb", "name"), [("measures", "ndgc@10"), ("axes", "tiez"), ("axes", "ties=wurst"), ("profiles", "nobody")]
)
def test_what_there_is_not_is_one_line(verb: str, name: str) -> None:
    done = asked(verb, name)
    assert isinstance(done.exception, ValueError)
    assert "\n" not in str(done.exception)


# -- each sentence by what it is of -------------------------------------------------------------------------------------


def test_the_bounds_of_a_measure_are_of_usual_rels_and_those_of_labelings_of_all() -> None:
    assert "from 0 to 1, of rels 0 to 4 by `standard`" in said("measures", "P@10")
    assert "from -0.5 to 1\n" in said("measures", "ARI")


def test_what_holds_of_every_measure_is_told_as_that() -> None:
    assert said("profiles", "trec_eval-9").splitlines()[:3] == ["trec_eval-9", "", "every measure:"]
