"""Who is asked what: cases and measures by globs, libraries and variants by theirs, and what is told of one that cannot be asked."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from fake_sheets import FAKE

from rankproof import cases as corpus
from rankproof.asking import worker_processes
from rankproof.asking.failures import WorkerFailed
from rankproof.asking.known_libraries import (
    Library,
    SameName,
    UnknownLibrary,
    adapter_of,
    chosen,
    claiming_nothing,
    faults,
    files_of,
    libraries,
    usable,
    with_own,
)
from rankproof.asking.rounds import AskingOptions, ask
from rankproof.asking.selection import NothingSelected, in_wanted_variants, select
from rankproof.asking.sheets import BadSheet, load
from rankproof.asking.subjects import (
    BadInstallation,
    Environment,
    Installation,
    Subject,
    installation,
    selected,
    variants_of,
)
from rankproof.asking.workers import WORKER, Worker, adapter_files, worker_of

STRADDLES, NAMED = "ties/straddles-cutoff", "gain/linear-exp-binary"
CASES = [corpus.load(corpus.HERE / f"{name}.toml") for name in (STRADDLES, NAMED)]
HONEST = (
    "LIBRARY, PACKAGES, VARIANTS, MEASURES = 'own', [], {'v': 'as it is', 'w': ''}, {'AP': 1, 'P@{k}': 1}\n"
    "def load(): return {'version': '1'}\n"
    "def observe(variant, data, call, values): return None, 0.5\n"
)


# -- cases and measures ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("globs", "ids"),
    [((), [STRADDLES, NAMED]), (("ties/*",), [STRADDLES]), (("*exp*", "ties/straddles-cutoff"), [STRADDLES, NAMED])],
)
def test_cases_are_chosen_by_globs_of_their_ids(globs: tuple[str, ...], ids: list[str]) -> None:
    assert [case.id for case in select(CASES, globs, ())] == ids
    assert select(CASES, globs, ())[0].measures == next(case for case in CASES if case.id == ids[0]).measures


@pytest.mark.parametrize(
    ("measures", "asked"),
    [
        (("nDCG@5",), {NAMED: ["nDCG@5"]}), (("P",), {STRADDLES: ["P@2"]}), (("CG*",), {NAMED: ["CG@5"]}),
        (("P@2", "DCG"), {STRADDLES: ["P@2"], NAMED: ["DCG@5"]}),
    ],
)  # fmt: skip
def test_only_the_measures_that_match_are_asked(measures: tuple[str, ...], asked: dict[str, list[str]]) -> None:
    found = select(CASES, (), measures)
    assert {case.id: list(case.measures) for case in found} == asked
    assert {case.id: list(case.expect or {}) for case in found} == asked
    whole = {case.id: case.expect or {} for case in CASES}
    assert all((case.expect or {})[m] == whole[case.id][m] for case in found for m in case.measures)


def test_a_case_that_expects_nothing_is_asked_what_it_asks_beside() -> None:
    undefined = replace(CASES[0], expect=None, also_ask=("AP", "P@2"))
    (found,) = select([undefined], (), ["AP"])
    assert found.measures == ("AP",)


@pytest.mark.parametrize(
    ("globs", "measures", "named"),
    [(("x*", "y"), (), "x* y"), (("ties/*",), ("ERR",), "ties/* ERR"), ((), ("nD",), "nD")],
)
def test_globs_that_match_nothing_are_named(globs: tuple[str, ...], measures: tuple[str, ...], named: str) -> None:
    with pytest.raises(NothingSelected) as refused:
        select(CASES, globs, measures)
    assert str(refused.value) == f"no case matches {named}; `rankproof cases list` shows them"


# -- libraries and variants --------------------------------------------------------------------------------------------


def folder(place: Path, name: str = "own", adapter: str = HONEST, **sheet: str) -> Path:
    place.mkdir(exist_ok=True)
    (place / f"{name}_adapter.py").write_text(adapter, encoding="utf-8")
    (place / f"{name}.toml").write_text(
        FAKE.replace('"fake"', f'"{name}"') + "".join(f"{key} = {value}\n" for key, value in sheet.items()),
        encoding="utf-8",
    )
    return place


def test_libraries_and_those_of_ones_own_are_listed_by_name(tmp_path: Path) -> None:
    own = folder(tmp_path / "own", "zeta")
    folder(own, "alpha")
    assert [library.name for library in libraries(own)] == ["alpha", "zeta"]
    shipped = [library.name for library in libraries()]
    assert [library.name for library in with_own(None)] == shipped
    assert [library.name for library in with_own(own)] == sorted([*shipped, "alpha", "zeta"])
    with pytest.raises(UnknownLibrary, match="has no library: a library is a sheet"):
        with_own(tmp_path)
    with pytest.raises(SameName, match=f"{shipped[0]} is a library of rankproof"):
        with_own(folder(tmp_path / "same", shipped[0]))


def test_a_draft_may_lack_reasons_and_nothing_else_may(tmp_path: Path) -> None:
    own = folder(tmp_path)
    with (own / "own.toml").open("a", encoding="utf-8") as file:
        file.write("[profiles.v]\n'*' = ''\n[[known]]\nreason = ''\nobserved = 'ties/a v AP mean 0.5'\n")
    (draft,) = [library for library in with_own(own, draft=True) if library.name == "own"]
    (final,) = [library for library in with_own(own) if library.name == "own"]
    assert (draft.fault, len(draft.sheet.pins)) == ("", 1)
    assert "the reason of an exception is empty" in final.fault
    assert (final.sheet.pins, final.sheet.profiles) == ({}, {}), "it claims nothing"
    assert usable([draft, final]) == [draft]
    assert faults([draft, final]) == [f"own is left out: {final.fault}"]


def test_a_sheet_that_claims_nothing_is_of_its_library_and_started_as_it_is_told(tmp_path: Path) -> None:
    found = claiming_nothing("own", tmp_path / "own.toml", ("node", "{here}/own.js"))
    assert (found.library, found.title, found.precision, found.path) == ("own", "own", "float64", tmp_path / "own.toml")
    assert found.command == ("node", "{here}/own.js")
    assert (found.profiles, found.precisions, found.pins) == ({}, {}, {})


def test_the_files_of_an_adapter_are_those_its_command_and_its_sheet_name(tmp_path: Path) -> None:
    command = '["{python}", "-cp", "{here}/one.py:{here}/lib"]'
    own = folder(tmp_path, command=command, files='["more.txt"]')
    (own / "lib" / "b").mkdir(parents=True)
    for name in ("one.py", "lib/b/b.txt", "lib/a.txt", "more.txt"):
        (own / name).write_text("", encoding="utf-8")
    (library,) = libraries(own)
    assert (library.fault, library.adapter) == ("", own / "one.py")
    assert files_of(library.sheet) == (own / "one.py", own / "lib", own / "more.txt")
    assert adapter_files(library) == [own / name for name in ("one.py", "lib/a.txt", "lib/b/b.txt", "more.txt")]
    worker = worker_of(library, "python9", 5.0, memory=7, environment={"A": "b"})
    assert list(worker.command) == ["python9", "-cp", f"{own}/one.py:{own}/lib"]
    assert (worker.timeout, worker.memory, worker.environment) == (5.0, 7, {"A": "b"})
    (plain,) = libraries(folder(tmp_path / "plain"))
    assert adapter_files(plain) == [plain.adapter, WORKER]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ('["{there}/x"]', "own.toml:7: command: {there} stands for nothing: write {here} or {python}"),
        ('["{here}/x.js"]', "own.toml:7: x.js is not there: write the file, or correct its name in the sheet"),
        (
            '["x", "{here}/own.toml", "{here}/y.js"]',
            "own.toml:7: y.js is not there: write the file, or correct its name in the sheet",
        ),
        ('["node"]', "own.toml:7: command names no file of the adapter: write {here}/ before its name"),
    ],
)
def test_a_command_that_cannot_be_started_says_why(command: str, message: str, tmp_path: Path) -> None:
    (library,) = libraries(folder(tmp_path, command=command))
    assert message in library.fault


def test_an_adapter_that_is_missing_and_a_sheet_of_another_name_are_faults(tmp_path: Path) -> None:
    sheet = load(folder(tmp_path) / "own.toml")
    with pytest.raises(BadSheet, match=r"own\.toml: none_adapter\.py is not beside it: write that adapter"):
        adapter_of(sheet, tmp_path / "none_adapter.py")
    (tmp_path / "own.toml").rename(tmp_path / "other.toml")
    other, own = libraries(tmp_path)
    assert other.fault.endswith("other.toml:1: library is 'own': write 'other', as the file is called other.toml")
    assert "there is no such sheet: `rankproof sheet new own` writes a first one" in own.fault


def named(*names: str) -> list[Library]:
    path = Path("x.toml")
    return [Library(name, path, claiming_nothing(name, path)) for name in names]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ((), {"a_eval": ((), True), "b_eval": ((), True), "c": ((), True)}), (("c",), {"c": ((), True)}),
        (("*_eval",), {"a_eval": ((), True), "b_eval": ((), True)}), (("c/v", "c/w*"), {"c": (("v", "w*"), True)}),
        (("*_eval/v",), {"a_eval": (("v",), False), "b_eval": (("v",), False)}), (("c", "c/v"), {"c": ((), True)}),
        (("*/v", "c/w"), {"a_eval": (("v",), False), "b_eval": (("v",), False), "c": (("v", "w"), True)}),
    ],
)  # fmt: skip
def test_libraries_are_chosen_whole_or_in_some_of_their_variants(
    wanted: tuple[str, ...], found: dict[str, tuple[tuple[str, ...], bool]]
) -> None:
    among = named("a_eval", "b_eval", "c")
    assert {library.name: (library.only, library.must) for library in chosen(wanted, among)} == found
    with pytest.raises(UnknownLibrary, match="d/v is no library; known are a_eval, b_eval, c"):
        chosen(("c", "d/v"), among)


SAID = {"version": "1", "variants": {"rows": "r", "lists": "l"}, "absent": {"gpu": "no card"}, "python": "3.11"} | {
    "untold": {"rows": "ids", "lists": "ties"}
}


def test_a_library_is_asked_in_the_variants_that_are_wanted() -> None:
    assert selected(SAID, ()) == SAID
    assert selected({}, ["r*"]) == {"variants": {}, "absent": {}, "untold": {}, "others": []}
    assert selected(SAID, ["r*"]) == SAID | {
        "variants": {"rows": "r"},
        "absent": {},
        "untold": {"rows": "ids"},
        "others": ["lists", "gpu"],
    }
    (library,) = named("lib")
    wanted = replace(library, only=("gpu",))
    assert in_wanted_variants(wanted, SAID)["absent"] == {"gpu": "no card"}, "it has it, and it cannot be asked"
    none = replace(library, only=("x", "y"))
    with pytest.raises(UnknownLibrary) as refused:
        in_wanted_variants(none, SAID)
    assert str(refused.value) == "lib has no variant x or y; known are lib/rows, lib/lists, lib/gpu"
    assert in_wanted_variants(replace(none, must=False), SAID)["variants"] == {}
    assert in_wanted_variants(none, {"not_installed": "no module"})["not_installed"] == "no module"


# -- what they are called ----------------------------------------------------------------------------------------------


def test_a_variant_is_called_with_its_version_only_where_there_are_several() -> None:
    rows, lists, newer = Subject("lib", "rows", "1"), Subject("lib", "lists", "2"), Subject("lib", "rows", "2")
    assert variants_of([rows, lists]) == {rows: ("lib", "rows"), lists: ("lib", "lists")}
    assert variants_of([rows, newer]) == {rows: ("lib", "rows-1"), newer: ("lib", "rows-2")}
    whole = Subject("lib")
    assert variants_of([whole]) == {whole: ("lib", "")}


def test_what_a_library_said_of_itself_is_written_and_read_back() -> None:
    said = {
        "version": "1.2", "python": "3.11.7", "variants": {"v": "as it is"}, "absent": {"w": "no card"}, "others": ["x", "y"],
        "dependencies": {"scipy": "1", "numpy": "2"}, "notes": {"v": "by hand"}, "untold": {"v": "ids"},
    }  # fmt: skip
    found = installation("lib", said)
    assert found.as_json() == {"library": "lib", **said}
    assert installation("lib", found.as_json()) == found
    assert found.environment == Environment("3.11.7", (("numpy", "2"), ("scipy", "1")))
    assert [one.name for one in found.subjects] == ["lib/v", "lib/w"]
    assert (found.why_not, found.has(Subject("lib", "v", "2")), found.has(Subject("lib"))) == ("", False, True)
    failed = installation("lib", {"failed": "crash", "message": "SIGSEGV"})
    assert failed == Installation("lib", failed="crash", message="SIGSEGV")
    assert (failed.why_not, [one.name for one in failed.subjects]) == ("SIGSEGV", ["lib"])
    assert failed.as_json() == {"library": "lib", "failed": "crash", "message": "SIGSEGV"}
    assert installation("lib", {"not_installed": "no module"}).why_not == "no module"
    for table in ("variants", "absent", "dependencies", "notes", "untold"):
        with pytest.raises(BadInstallation, match=r"lib: variants, absent"):
            installation("lib", {table: [1]})


# -- what cannot be asked ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("adapter", "hello"),
    [
        ("import os\nos.write(2, b'out of luck')\nos._exit(7)\n",
         {"failed": "crash", "message": "the process ended with exit code 7; its stderr ends: out of luck"}),
        ("raise ValueError('bad adapter')\n", None),
    ],
)  # fmt: skip
def test_a_library_that_fails_at_once_says_how_and_what_it_wrote(
    adapter: str, hello: dict[str, str] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (library,) = libraries(folder(tmp_path / "own", adapter=adapter))
    told: list[tuple[str, int]] = []
    found = ask(library, CASES, AskingOptions(progress=lambda name, count: told.append((name, count)), fresh=True))
    assert found.library is library
    assert (found.observations, found.installed, found.version) == ((), False, "")
    assert sum(count for _, count in told) == len(CASES), "no more is to be waited for"
    assert {name for name, _ in told} == {"own"}
    if hello is not None:
        assert found.hello == hello
    assert "failed" in found.hello or "not_installed" in found.hello


def test_an_adapter_says_what_a_script_of_its_own_needs(tmp_path: Path) -> None:
    (library,) = libraries(folder(tmp_path))
    with Worker(library.adapter) as worker:
        assert "calls" in worker.calls()


def test_a_worker_that_closes_its_output_and_lives_on_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_processes, "PATIENCE", 0.3)
    command = [sys.executable, "-c", "import os, time; os.close(1); time.sleep(60)"]
    with (
        pytest.raises(WorkerFailed, match=r"^the process closed its output$") as failed,
        Worker(tmp_path, command=command, timeout=20) as worker,
    ):
        worker.hello()
    assert failed.value.kind == "crash"
