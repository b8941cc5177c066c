"""Names and descriptions of libraries and their variants: unique among others, and unchanged by a file."""

from dataclasses import replace

import pytest

from rankproof.workers.subjects import (
    BadInstallation,
    Installation,
    Subject,
    installation,
    keys_of,
    names_of,
    selected,
)

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
def test_globs_select_variants(
    globs: list[str], variants: list[str], absent: list[str], others: list[str] | None
) -> None:
    hello = {"version": "7", "variants": {"rows": "", "lists": ""}, "absent": {"gpu": "no card"}}
    selection = selected(hello, globs)
    assert ([*selection["variants"]], [*selection["absent"]], selection.get("others")) == (variants, absent, others)


def test_description_has_every_field_of_the_reply_to_hello() -> None:
    hello = {
        "version": "1.2",
        "python": "3.11.7",
        "variants": {"v": "as it is"},
        "absent": {"w": "no card"},
        "others": ["x", "y"],
        "dependencies": {"scipy": "1", "numpy": "2"},
        "notes": {"v": "by hand"},
        "untold": {"v": "ids"},
    }
    described = installation("lib", hello)
    assert described.as_json() == {"library": "lib", **hello}
    assert (installation("lib", described.as_json()), described.why_not) == (described, "")
    failed = installation("lib", {"failed": "crash", "message": "SIGSEGV"})
    assert failed == Installation("lib", failed="crash", message="SIGSEGV")
    assert (failed.why_not, [subject.name for subject in failed.subjects]) == ("SIGSEGV", ["lib"])
    assert failed.as_json() == {"library": "lib", "failed": "crash", "message": "SIGSEGV"}
    assert installation("lib", {"not_installed": "no module"}).why_not == "no module"
    for table in ("variants", "absent", "dependencies", "notes", "untold"):
        with pytest.raises(BadInstallation, match=r"^lib: Expected `object`, got `array`"):
            installation("lib", {table: [1]})
