"""Names of libraries and variants: what each is called, and which one a user means."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankproof.workers.known_libraries import (
    Library,
    UnknownLibrary,
    chosen,
    claiming_nothing,
    in_wanted_variants,
    libraries,
    library_named,
    usual_name,
)
from rankproof.workers.subjects import Installation, Subject, installation, keys_of, names_of, selected, variants_of

NUMPY_1 = Installation("lib", "1.9", "3.9.1", {"rows": "a way", "lists": ""}, dependencies={"numpy": "1"})
NUMPY_2 = replace(NUMPY_1, dependencies={"numpy": "2"})
PYTHON_11 = replace(NUMPY_1, python="3.11.2")
NEWER = replace(NUMPY_1, version="1.10")
LONELY = Installation("other", "7", "3.9.1", {"default": ""})
MISSING = Installation("kim", not_installed="no module")


@pytest.mark.parametrize(
    ("subjects", "names"),
    [
        ([NUMPY_1.subject("rows"), LONELY.subject("default"), MISSING.subject()], ["lib/rows", "other", "kim"]),
        ([NUMPY_1.subject("rows"), NEWER.subject("rows")], ["lib/rows-1.9", "lib/rows-1.10"]),
        ([NUMPY_1.subject("rows"), NEWER.subject("lists")], ["lib/rows", "lib/lists"]),
        (
            [NUMPY_1.subject("rows"), PYTHON_11.subject("rows")],
            ["lib/rows-1.9 (Python 3.9.1)", "lib/rows-1.9 (Python 3.11.2)"],
        ),
        (
            [NUMPY_1.subject("rows"), NUMPY_2.subject("rows")],
            ["lib/rows-1.9 (Python 3.9.1)", "lib/rows-1.9 (Python 3.9.1) (2)"],
        ),
    ],
)
def test_name_is_as_short_as_possible_and_unique(subjects: list[Subject], names: list[str]) -> None:
    assert list(names_of(subjects).values()) == names


def test_names_in_files_have_the_version() -> None:
    assert [*keys_of([LONELY, NUMPY_1, MISSING]).values()] == ["other-7", "lib/rows-1.9", "lib/lists-1.9", "kim"]


def test_variants_of_two_versions_have_the_version() -> None:
    subjects = [NUMPY_1.subject("rows"), NEWER.subject("rows"), LONELY.subject("default"), MISSING.subject()]
    named = [("lib", "rows-1.9"), ("lib", "rows-1.10"), ("other", "default"), ("kim", "")]
    assert [*variants_of(subjects).values()] == named


@pytest.mark.parametrize("described", [NUMPY_1, LONELY, MISSING, replace(LONELY, absent={"gpu": "no card"})])
def test_description_survives_a_file_and_knows_its_subjects(described: Installation) -> None:
    assert installation(described.library, described.as_json()) == described
    assert all(described.has(subject) for subject in described.subjects)
    assert described.has(Subject(described.library)), "a subject without a version may be any"
    assert not described.has(NEWER.subject("rows"))


@pytest.mark.parametrize(
    ("globs", "variants", "absent", "others"),
    [
        ([], ["rows", "lists"], ["gpu"], None),
        (["rows"], ["rows"], [], ["lists", "gpu"]),
        (["*s"], ["rows", "lists"], [], ["gpu"]),
        (["g*", "none"], [], ["gpu"], ["rows", "lists"]),
    ],
)
def test_selected_variants(globs: list[str], variants: list[str], absent: list[str], others: list[str] | None) -> None:
    said = {"version": "7", "variants": {"rows": "", "lists": ""}, "absent": {"gpu": "no card"}}
    found = selected(said, globs)
    assert ([*found["variants"]], [*found["absent"]], found.get("others")) == (variants, absent, others)


def known() -> list[Library]:
    profiles: dict[str, dict[str, Any]] = {"zeta": {"rows": {}}, "ada": {"rows": {}, "sets": {}}, "pyspark": {}}
    sheets = {
        name: replace(claiming_nothing(name, Path(f"{name}.toml")), profiles=ways) for name, ways in profiles.items()
    }
    sheets["zeta"] = replace(sheets["zeta"], package="Zeta_Rank")
    return [Library(name, Path(), sheet) for name, sheet in sheets.items()]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ((), ["zeta", "ada", "pyspark"]),
        (("z*",), ["zeta"]),
        (("Zeta-Rank",), ["zeta"]),
        (("zeta.rank/rows",), ["zeta/rows"]),
        (("sets",), ["ada/sets"]),
        (("spark",), ["pyspark"]),
        (("spark/graded",), ["pyspark/graded"]),
        (("*/rows", "ada"), ["zeta/rows", "ada", "pyspark/rows"]),
    ],
)
def test_typed_names_select_libraries_and_variants(typed: tuple[str, ...], meant: list[str]) -> None:
    assert ["/".join([library.name, *library.only]) for library in chosen(typed, known())] == meant


@pytest.mark.parametrize("typed", ["nobody", "rows", "nobody/rows", "ads"])
def test_unknown_and_ambiguous_names_are_rejected(typed: str) -> None:
    with pytest.raises(UnknownLibrary, match=f"^{typed} is no library; "):
        chosen(("zeta", typed), known())


def test_library_with_a_fault_is_rejected() -> None:
    with pytest.raises(UnknownLibrary, match="it does not read"):
        library_named("zeta", [replace(library, fault="it does not read") for library in known()])


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ("farm.haystack", "haystack"),
        ("RankingMetrics", "pyspark"),
        ("reco_utils", "recommenders"),
        ("scikit-learn", "sklearn"),
        ("torch-metrics", "torchmetrics"),
    ],
)
def test_name_in_a_registry_is_known(other: str, name: str) -> None:
    assert usual_name(f"{other}/v") == f"{name}/v"


def test_glob_of_libraries_leaves_out_those_without_the_variant() -> None:
    hello = {"version": "1", "variants": {"rows": ""}}
    (named,) = chosen(("catboost/default",), libraries())
    with pytest.raises(UnknownLibrary, match="catboost has no variant default; known are catboost/rows"):
        in_wanted_variants(named, hello)
    by_glob = {library.name: library for library in chosen(("*/default",), libraries())}
    assert in_wanted_variants(by_glob["catboost"], hello)["variants"] == {}
