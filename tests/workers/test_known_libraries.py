"""Known libraries: folders that contain them, faults of sheets and adapters, and names that select them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_sheets import FAKE, GOOD

from rankproof.workers.known_libraries import (
    Library,
    SameName,
    UnknownLibrary,
    chosen,
    claiming_nothing,
    in_wanted_variants,
    libraries,
    library_named,
    usable,
    with_own,
)


def write_sheet(folder: Path, text: str) -> None:
    (folder / "fake.toml").write_text(text, encoding="utf-8")


def test_library_without_a_usable_sheet_or_adapter_has_a_fault(tmp_path: Path) -> None:
    (tmp_path / "lonely_adapter.py").write_text("")
    write_sheet(tmp_path, GOOD)
    (tmp_path / "fake_adapter.py").write_text("")
    for name, text in {
        "bare": GOOD.replace('"fake"', '"bare"'),
        "other": GOOD,
        "reasonless": GOOD.replace('"fake"', '"reasonless"').replace("it cannot count", ""),
        "wandering": GOOD.replace('"fake"', '"wandering"\ncommand = ["node", "{home}/x.js"]'),
        "away": GOOD.replace('"fake"', '"away"\ncommand = ["node", "{here}/x.js"]'),
        "loose": GOOD.replace('"fake"', '"loose"\ncommand = ["node"]'),
        "foreign": GOOD.replace(
            '"fake"', '"foreign"\ncommand = ["node", "{here}/fake.js"]\nfiles = ["fake_adapter.py"]'
        ),
    }.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    (tmp_path / "fake.js").write_text("")
    known = {library.name: library for library in libraries(tmp_path)}
    expected = {
        "away": "away.toml:3: x.js is missing: write the file, or correct its name in the sheet",
        "bare": "bare.toml: bare_adapter.py is missing: write that adapter, or a command in the sheet",
        "lonely": "lonely.toml:1: the sheet does not exist: write it with `rankproof sheet new lonely`",
        "loose": "loose.toml:3: command has no file of the adapter: write {here}/ before its name, or list it under `files`",
        "other": "other.toml:2: library is 'fake', but the file is other.toml: write 'other'",
        "wandering": "wandering.toml:3: command: {home} is unknown: write {here} or {python}",
    }
    assert [known[name].fault for name in expected] == [f"{tmp_path}/{fault}" for fault in expected.values()]
    assert "the reason of an exception is empty" in known["reasonless"].fault
    assert [library.name for library in usable(known.values())] == ["fake", "foreign"]
    assert known["foreign"].adapter == tmp_path / "fake.js"
    (draft,) = (library for library in libraries(tmp_path, draft=True) if library.name == "reasonless")
    assert "is empty" not in draft.fault, "a draft may have empty reasons"
    assert known["bare"].sheet.profiles == {}, "a library that cannot run claims nothing"


def test_libraries_of_a_folder_are_added_to_those_of_rankproof(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    with pytest.raises(UnknownLibrary, match="own has no library: write a sheet"):
        with_own(tmp_path / "own")
    write_sheet(tmp_path, GOOD)
    (tmp_path / "fake_adapter.py").write_text("")
    names = [library.name for library in with_own(tmp_path)]
    assert names == sorted(["fake", *(library.name for library in libraries())])
    (tmp_path / "sklearn_adapter.py").write_text("")
    with pytest.raises(SameName, match=r"sklearn is already a library of rankproof: rename the library in "):
        with_own(tmp_path)


@pytest.mark.parametrize("command", ['["{here}/own.toml", "{here}/y.js"]', '["x", "{here}/own.toml", "{here}/y.js"]'])
def test_each_file_of_a_command_must_exist(command: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(FAKE.replace("fake", "own") + f"command = {command}\n", encoding="utf-8")
    (own,) = libraries(tmp_path)
    assert "own.toml:7: y.js is missing: write the file, or correct its name in the sheet" in own.fault


def test_unknown_library_is_rejected_with_a_similar_name() -> None:
    with pytest.raises(UnknownLibrary, match=r"Unknown library 'sclearn'; did you mean sklearn\?"):
        chosen(("sclearn",), libraries())
    assert [library.name for library in chosen(("sk*", "cat*"), libraries())] == ["catboost", "sklearn"]


def known() -> list[Library]:
    profiles: dict[str, dict[str, Any]] = {"zeta": {"rows": {}}, "ada": {"rows": {}, "sets": {}}, "pyspark": {}}
    sheets = {
        name: replace(claiming_nothing(name, Path(f"{name}.toml")), profiles=claims)
        for name, claims in profiles.items()
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
    with pytest.raises(UnknownLibrary, match=f"^Unknown library {typed!r}; "):
        chosen(("zeta", typed), known())


def test_library_with_a_fault_is_rejected() -> None:
    with pytest.raises(UnknownLibrary, match="it does not read"):
        library_named("zeta", [replace(library, fault="it does not read") for library in known()])


def test_glob_of_libraries_leaves_out_those_without_the_variant() -> None:
    hello = {"version": "1", "variants": {"rows": ""}}
    (named,) = chosen(("catboost/default",), libraries())
    with pytest.raises(UnknownLibrary, match="catboost has no variant default; choose from catboost/rows"):
        in_wanted_variants(named, hello)
    by_glob = {library.name: library for library in chosen(("*/default",), libraries())}
    assert in_wanted_variants(by_glob["catboost"], hello)["variants"] == {}
