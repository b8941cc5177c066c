"""Answers are kept by all that they depend on, and by nothing less."""

import json
import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankproof import cases as corpus
from rankproof import files
from rankproof.asking import store
from rankproof.asking.known_libraries import Library
from rankproof.asking.rounds import Asking, ask
from rankproof.asking.sheets import load
from rankproof.asking.workers import WORKER, adapter_files

HERE = Path(__file__).resolve().parent / "miniatures"
CASES = [corpus.load(corpus.HERE / f"{case}.toml") for case in ("ties/none-tied", "ties/straddles-cutoff")]


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """A library that writes a line each time it is asked, and a store of its own."""
    monkeypatch.setenv(files.CACHE, str(tmp_path / "store"))
    adapter = tmp_path / "counting_adapter.py"
    adapter.write_text(
        "LIBRARY, PACKAGES, VARIANTS, MEASURES = 'counting', ['pytest'], {'v': ''}, {'AP': 1, 'nDCG@{k}': 1, 'P@{k}': 1}\n"
        f"LOG = {str(tmp_path / 'log')!r}\n"
        "def load(): pass\n"
        "def observe(variant, data, call, values):\n"
        "    open(LOG, 'a').write(values['measure'] + '\\n')\n"
        "    return None, 0.5\n"
    )
    return Library("counting", adapter, load(HERE / "miniatures.toml"))


def asked(library: Library, cases: list[corpus.Case], **how: Any) -> list[str]:
    """What the library was really asked."""
    log = library.adapter.with_name("log")
    log.write_text("")
    answer = ask(library, cases, Asking(**how))
    assert [o.answer.mean for o in answer.observations if o.measure == "AP"] == [0.5] * sum(
        "AP" in c.measures for c in cases
    )
    return log.read_text().split()


def test_what_was_answered_is_not_asked_again(library: Library) -> None:
    first = asked(library, CASES)
    assert first.count("nDCG@2") == 4, "each measure of each case, twice"
    assert asked(library, CASES) == []
    assert asked(library, CASES, fresh=True) == first


def test_only_what_is_new_is_asked(library: Library) -> None:
    asked(library, CASES[:1])
    assert set(asked(library, CASES)) == {m for m in CASES[1].measures if m.startswith(("nDCG@", "P@"))}


def test_a_changed_adapter_or_interpreter_or_version_is_asked_anew(library: Library) -> None:
    asked(library, CASES)
    library.adapter.write_text(library.adapter.read_text() + "# changed\n")
    assert asked(library, CASES)
    base = {"seq": 1, "library": "x", "versions": {"x": "1"}, "python": "3"}
    keys = [
        store.key_of([library.adapter], (), base | change)
        for change in ({}, {"versions": {"x": "2"}}, {"python": "4"}, {"seq": 2})
    ]
    assert len(set(keys)) == 3
    assert keys[0] == keys[3], "the number of a request is none of it"


def test_a_changed_input_is_asked_anew(library: Library) -> None:
    asked(library, CASES)
    kept = next((library.adapter.parent / "store").glob("*.json"))
    inputs = set(json.loads(kept.read_text())["answers"])
    assert inputs == {store.digest(case.input.as_json()) for case in CASES}


def test_a_store_that_does_not_read_is_as_none(library: Library) -> None:
    asked(library, CASES)
    kept = next((library.adapter.parent / "store").glob("*.json"))
    for broken in ("", "{", "[]", '{"hello": {}}'):
        kept.write_text(broken)
        assert asked(library, CASES)


def test_an_interrupted_run_keeps_what_it_got(library: Library) -> None:
    stop = threading.Event()
    how = Asking(progress=lambda _name, count: stop.set() if count == 1 else None)
    assert len({o.case for o in ask(library, CASES, how, stop).observations}) == 1
    assert {m for m in CASES[0].measures if m.startswith("nDCG@")}.isdisjoint(asked(library, CASES[:1]))


def test_timeouts_are_not_kept() -> None:
    kept = store.Kept(Path("nowhere"))
    kept.put({"run": []}, "v", {"AP": {"failed": "timeout", "message": ""}, "RR": {"failed": "crash", "message": ""}})
    assert list(kept.get({"run": []}, "v", ["AP", "RR"])) == ["RR"]


def test_answers_given_in_two_ways_are_not_mixed(library: Library) -> None:
    """A module came from a hub yesterday and does not today, which nobody knows before it is loaded."""
    way = library.adapter.with_name("way")
    library.adapter.write_text(
        library.adapter.read_text().replace(
            "def load(): pass", f"def load(): return {{'module': open({str(way)!r}).read()}}"
        )
    )
    way.write_text("asked through the hub")
    first = asked(library, CASES)
    way.write_text("asked through a copy")
    assert ask(library, CASES).hello["notes"] == {"module": "asked through the hub"}, (
        "nothing is asked, so nothing changed"
    )
    more = [*CASES, corpus.load(corpus.HERE / "ties" / "constant-scorer.toml")]
    assert set(first) <= set(asked(library, more))
    assert asked(library, CASES) == [], "they were all asked anew"
    assert ask(library, more).hello["notes"] == {"module": "asked through a copy"}


def test_what_is_lacking_is_asked_in_the_same_way_as_before(library: Library) -> None:
    library.adapter.write_text(library.adapter.read_text().replace("load(): pass", "load(): return {'module': 'copy'}"))
    asked(library, CASES[:1])
    assert asked(library, CASES).count("AP") == 2 * ("AP" in CASES[1].measures), "the first case is known"


def test_an_adapter_with_a_command_is_asked_anew_when_any_file_of_it_or_the_command_changes(
    library: Library, tmp_path: Path
) -> None:
    """The Python adapter, driven as a foreign one: by the worker, with a data file beside it."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "words.txt").write_text("one")
    shutil.copy(WORKER, tmp_path / "worker.py")
    command = ("{python}", "-I", "{here}/worker.py", "{here}/counting_adapter.py")
    sheet = replace(library.sheet, path=tmp_path / "counting.toml", command=command, files=("data",))
    foreign = replace(library, sheet=sheet)
    assert {path.name for path in adapter_files(foreign)} == {"worker.py", "counting_adapter.py", "words.txt"}
    assert asked(foreign, CASES[:1])
    assert asked(foreign, CASES[:1]) == []
    (tmp_path / "data" / "words.txt").write_text("two")
    assert asked(foreign, CASES[:1]), "a file that the sheet names changed"
    (tmp_path / "worker.py").write_text((tmp_path / "worker.py").read_text() + "# changed\n")
    assert asked(foreign, CASES[:1]), "a file that the command names changed"
    assert asked(replace(foreign, sheet=replace(sheet, command=(*command, "--other"))), CASES[:1]), (
        "the command changed"
    )


def test_a_timeout_of_the_second_answer_is_not_kept_either() -> None:
    kept = store.Kept(Path("nowhere"))
    late = {"per_query": None, "mean": 1, "again": {"failed": "timeout", "message": ""}}
    kept.put({"run": []}, "v", {"AP": late, "RR": late | {"again": {"failed": "crash", "message": ""}}})
    assert list(kept.get({"run": []}, "v", ["AP", "RR"])) == ["RR"]
