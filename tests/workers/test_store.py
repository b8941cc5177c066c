"""Answers are kept by all that they depend on, and by nothing less."""

import itertools
import json
import shutil
import threading
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from rankproof import cases as corpus
from rankproof import files
from rankproof.cases import Case
from rankproof.files import with_checksum
from rankproof.workers import library_worker, store
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import WORKER, adapter_files
from rankproof.workers.observations import Answered, Failure
from rankproof.workers.rounds import AskingOptions, ask, ask_all, stores
from rankproof.workers.sheets import load

HERE = Path(__file__).resolve().parent.parent / "miniatures"
CASES = [corpus.load(corpus.HERE / f"{case}.toml") for case in ("ties/none-tied", "ties/straddles-cutoff")]
ADAPTER = """
LIBRARY, PACKAGES, VARIANTS = "counting", [], {"v": "", "w": ""}
MEASURES = {"AP": 1, "RR": 1, "nDCG@{k}": 1, "P@{k}": 1}
def load(): return {"version": "1"}
def observe(variant, data, call, values):
    with open(%r, "a") as log:
        log.write(f"{variant} {values['measure']}\\n")
    return None, 0.5
"""


def library_in(folder: Path) -> Library:
    """A library that writes a line each time it is asked, in one of its two variants."""
    adapter = folder / "counting_adapter.py"
    adapter.write_text(ADAPTER % str(folder / "log"))
    return Library("counting", adapter, load(HERE / "miniatures.toml"), only=("v",))


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """Such a library, and a store of its own."""
    monkeypatch.setenv(files.CACHE, str(tmp_path / "store"))
    return library_in(tmp_path)


@pytest.fixture
def whole(library: Library) -> Library:
    """The same in both of its variants."""
    return replace(library, only=())


def questions(library: Library, *cases: Case, once: bool = True, **how: Any) -> list[str]:
    """What the library was really asked, each a variant and a measure; every question has its answer, kept or not."""
    log = library.adapter.with_name("log")
    log.write_text("")
    found = ask(library, cases, AskingOptions(once=once, **how))
    answers = [one.answer for one in found.observations if one.measure in {"AP", "RR"}]
    wanted = [measure for case in cases for measure in case.measures if measure in {"AP", "RR"}]
    assert answers == [Answered(None, 0.5)] * len(wanted) * len(found.hello["variants"])
    return log.read_text().splitlines()


def asked(library: Library, cases: list[Case], **how: Any) -> list[str]:
    """The measures for which the library was really asked, each twice."""
    return [line.split()[1] for line in questions(library, *cases, once=False, **how)]


def test_what_was_answered_is_not_asked_again(library: Library) -> None:
    first = asked(library, CASES)
    assert first.count("nDCG@2") == 4, "each measure of each case, twice"
    assert asked(library, CASES) == []
    renamed = [replace(case, id="another/name", question="in other words") for case in CASES]
    assert asked(library, renamed) == [], "its name is no part of it"
    assert asked(library, CASES, fresh=True) == first


def test_what_was_answered_before_is_asked_once(library: Library) -> None:
    known = {"before": lambda _adapter, _who: lambda _case, _variant, measure, _answer: measure != "P@2"}
    twice = asked(library, CASES, fresh=True)
    once = asked(library, CASES, fresh=True, **known)
    assert sorted(twice) == sorted([*once, *(measure for measure in once if measure != "P@2")])
    assert asked(library, CASES) == asked(library, CASES, **known) == []


def test_where_answers_are_kept_is_known_before_they_are_asked_and_no_accident_is_among_them(library: Library) -> None:
    found = stores([library])
    assert found is not None
    assert not any(path.exists() for path in found.values())
    assert ask(library, CASES).all_kept
    assert {name: path for name, path in found.items() if path.exists()} == found == {p.stem: p for p in found.values()}
    assert stores([replace(library, fault="its sheet is odd"), library]) is None
    library.adapter.write_text(library.adapter.read_text().replace("return None, 0.5", "raise MemoryError"))
    assert not ask(library, CASES).all_kept


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store's file of a library that was asked."""
    folder = tmp_path_factory.mktemp("asked")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(files.CACHE, str(folder / "store"))
        asked(library_in(folder), CASES[:1])
    return next((folder / "store").glob("*.json"))


@pytest.fixture
def kept(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, in a store of its own."""
    monkeypatch.setenv(files.CACHE, str(tmp_path / "store"))
    (tmp_path / "store").mkdir(exist_ok=True)
    return Path(shutil.copy(written, tmp_path / "store"))


def opened(kept: Path) -> tuple[store.Kept, list[str]]:
    """What the store gives of a file, and what it says."""
    library, _, key = kept.stem.partition("-")
    store.warn.cache_clear()
    with redirect_stderr(StringIO()) as said:
        found = store.open_for(library, key)
    return found, said.getvalue().splitlines()


def test_a_store_is_served_as_it_was_written_and_written_where_something_is_new(kept: Path) -> None:
    found, said = opened(kept)
    written = json.loads(kept.read_text())
    assert (found.hello, found.answers.keys()) == (written["hello"], written["answers"].keys())
    assert found.answers != {}
    found.put({}, "v", {"AP": ANSWER})
    found.save()
    assert opened(kept)[0].answers == found.answers
    assert found.answers.keys() > written["answers"].keys()
    kept.unlink()
    found.save()
    assert not kept.exists()
    assert said == []


def test_a_byte_that_flipped_anywhere_or_is_not_there_is_seen_and_said_and_nothing_is_served(kept: Path) -> None:
    whole = kept.read_bytes()
    flipped = (whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :] for place in range(0, len(whole), 7))
    for content in (*(whole[:length] for length in (0, 1, 90, -1)), *flipped):
        kept.write_bytes(content)
        found, said = opened(kept)
        assert (found.hello, found.answers, len(said)) == ({}, {}, 1), content
    assert said[0].startswith("kept answers of counting are damaged and will be computed again: ")


ANSWER = {"per_query": None, "mean": 1}
CRASH = {"failed": "crash", "message": "the process ended by SIGSEGV"}


@pytest.mark.parametrize(
    "change",
    [
        {"answers": []},
        {"answers": {"i": {"v": [ANSWER]}}},
        {"answers": {"i": {"v": {"AP": ANSWER}}}},
        {"answers": {"i": {"v": {"AP": {"answer": 1}}}}},
        {"answers": {"i": {"v": {"AP": {"answer": ANSWER, "limit": "5 s"}}}}},
        {"hello": None},
    ],
)
def test_store_of_another_form_is_ignored_and_reported(kept: Path, change: dict[str, Any]) -> None:
    assert rewritten(kept)[1] == [], "it is the change that is seen"
    found, said = rewritten(kept, **change)
    assert (found.answers, len(said)) == ({}, 1)


def rewritten(kept: Path, **changes: object) -> tuple[store.Kept, list[str]]:
    """What the store gives of a file that holds something else, as if rankproof had written it, and what it says."""
    whole = {name: said for name, said in json.loads(kept.read_text()).items() if name != "sha256"}
    kept.write_text(with_checksum(whole | changes))
    return opened(kept)


def test_what_is_written_of_each_failure_and_each_other_answer_is_read_again(kept: Path) -> None:
    found, _ = opened(kept)
    silent = {"failed": "timeout", "message": "no answer within 5 s"}
    answers = {"AP": CRASH, "RR": silent, "R": ANSWER, "P": ANSWER | {"again": ANSWER}}
    found.put({"run": []}, "v", answers)
    found.save()
    again, said = opened(kept)
    assert (again.get({"run": []}, "v", answers), said) == (answers, [])
    kept.unlink()
    kept.mkdir()
    assert opened(kept)[1] == [
        f"kept answers of counting are damaged and will be computed again: {kept}: Is a directory"
    ]


def test_what_is_odd_is_asked_again_and_said_once(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    asked(library, CASES[:1])
    next((library.adapter.parent / "store").glob("*.json")).write_text("{")
    assert asked(library, CASES[:1])
    assert asked(library, CASES[:1]) == [], "it was written anew"
    assert capsys.readouterr().err.count("\n") == 1


def test_a_store_that_cannot_be_written_is_said_once_and_the_run_goes_on(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(files.CACHE, str(tmp_path / "file" / "store"))
    two = [library, replace(library, name="another")]
    assert [one.installed for one in ask_all(CASES[:1], two, AskingOptions())] == [True, True]
    said = capsys.readouterr().err
    assert said == f"answers are not kept and will be computed again: {tmp_path}/file/store: Not a directory\n"


def test_an_interrupted_run_keeps_what_it_got(library: Library) -> None:
    stop = threading.Event()
    how = AskingOptions(progress=lambda _name, count: stop.set() if count == 1 else None)
    assert len({o.case for o in ask(library, CASES, how, stop).observations}) == 1
    assert {m for m in CASES[0].measures if m.startswith("nDCG@")}.isdisjoint(asked(library, CASES[:1]))


@pytest.mark.parametrize(
    ("answer", "is_kept"),
    [
        (ANSWER, True),
        (ANSWER | {"again": {"per_query": None, "mean": 2}}, True),
        ({"unsupported": "no"}, True),
        ({"error": {"type": "ValueError", "message": "no"}}, True),
        (CRASH, True),
        ({"failed": "invalid-output", "message": ""}, True),
        ({"failed": "timeout", "message": ""}, True),
        ({"failed": "timeout", "message": "", "again": ANSWER}, False),
        ({"failed": "memory", "message": ""}, False),
        (CRASH | {"from_outside": True}, False),
        (CRASH | {"stderr": "terminate called after throwing an instance of 'std::bad_alloc'"}, False),
        (CRASH | {"again": ANSWER}, False),
        (ANSWER | {"again": CRASH}, False),
        (CRASH | {"again": {"failed": "crash", "message": "the process ended by SIGABRT"}}, False),
        ({"error": {"type": "MemoryError", "message": ""}}, False),
        ({"error": {"type": "OSError", "message": "[Errno 28] No space left on device"}}, False),
        ({"error": {"type": "OSError", "message": "[Errno 2] No such file"}}, True),
        ({"error": {"type": "OSError", "message": "[Errno 12]"}}, False),
        ({"error": {"type": "OSError", "message": "[Errno 122]"}}, False),
        ({"error": {"type": "OSError", "message": "[Errno 128]"}}, True),
        ({"error": {"type": "RuntimeError", "message": "CUDA Out Of Memory"}}, False),
        ({"error": {"type": "RuntimeError", "message": "[Errno 23] a table is full"}}, False),
        (CRASH | {"stderr": "fork: Cannot allocate memory"}, False),
        (CRASH | {"stderr": "sh: too many open files"}, False),
        (ANSWER | {"again": {"error": {"type": "MemoryError", "message": ""}}}, False),
    ],
)
def test_only_what_was_said_or_seen_twice_is_kept(answer: dict[str, Any], is_kept: bool) -> None:  # noqa: FBT001
    kept = store.Kept(Path("nowhere"))
    kept.put({"run": []}, "v", {"AP": answer})
    assert kept.get({"run": []}, "v", ["AP", "RR"]) == ({"AP": answer} if is_kept else {})
    assert (kept.knows({"run": []}, "v", ["AP"]), kept.reused, kept.changed) == (is_kept, int(is_kept), True)
    others = ({"run": [1]}, "v", ["AP"]), ({"run": []}, "w", ["AP"]), ({"run": []}, "v", ["AP", "RR"])
    assert not any(kept.knows(*other) for other in others)


def test_what_took_too_long_is_asked_again_by_who_grants_more(library: Library) -> None:
    silent = {"failed": "timeout", "message": "no answer within 5 s"}
    asked(library, CASES, timeout=60)
    kept = store.open_for("counting", ask(library, CASES, AskingOptions(timeout=60)).key, timeout=5)
    kept.put(CASES[0].input.as_json(), "v", {"P@2": silent})
    kept.put(CASES[1].input.as_json(), "v", {"nDCG@2": silent})
    kept.save()
    assert [asked(library, CASES, timeout=seconds) for seconds in (5, 3)] == [[], []]
    (told,) = (o.answer for o in ask(library, CASES[:1], AskingOptions(timeout=4)).observations if o.measure == "P@2")
    assert told == Failure("timeout", "no answer within 5 s")
    assert sorted(asked(library, CASES, timeout=6)) == ["P@2", "P@2", "nDCG@2", "nDCG@2"]
    assert asked(library, CASES, timeout=600) == [], "a number is kept whatever was granted"


def test_a_path_that_workers_do_not_get_is_named(
    library: Library, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store.warn.cache_clear()
    monkeypatch.setenv("PYTHONPATH", "/patched")
    foreign = replace(library, sheet=replace(library.sheet, command=("{python}", "x.py")))
    ask(foreign, CASES)
    assert capsys.readouterr().err == "", "what another program runs may read it"
    ask(library, CASES)
    said = capsys.readouterr().err
    assert said == "PYTHONPATH does not reach the libraries: install the library, or name an interpreter in the sheet\n"


def test_answers_given_in_two_ways_are_not_mixed(library: Library) -> None:
    """A module came from a hub yesterday and does not today, which nobody knows before it is loaded."""
    way = library.adapter.with_name("way")
    text = library.adapter.read_text()
    library.adapter.write_text(text.replace('"1"}', f'"1", "module": open({str(way)!r}).read()}}'))
    way.write_text("asked through the hub")
    first = asked(library, CASES)
    way.write_text("asked through a copy")
    told = ask(library, CASES).hello["notes"]
    assert told == {"module": "asked through the hub"}, "nothing is asked, so nothing changed"
    more = [*CASES, corpus.load(corpus.HERE / "ties" / "constant-scorer.toml")]
    assert set(first) <= set(asked(library, more))
    assert asked(library, CASES) == [], "they were all asked anew"
    assert ask(library, more).hello["notes"] == {"module": "asked through a copy"}


def test_what_is_lacking_is_asked_in_the_same_way_as_before(library: Library) -> None:
    library.adapter.write_text(library.adapter.read_text().replace('"1"}', '"1", "module": "copy"}'))
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
    other = replace(foreign, sheet=replace(sheet, command=(*command, "--other")))
    assert asked(other, CASES[:1]), "the command changed"


# -- by what answers are kept: each dependency is changed by itself between two rounds ----------------------------------

CASE = replace(CASES[0], expect=None, also_ask=("AP", "RR"))
EVERY = sorted(f"{variant} {measure}" for variant, measure in itertools.product("vw", ("AP", "RR")))
RUN, QRELS = CASE.input.run or (), CASE.input.qrels or ()
OTHERS: dict[str, dict[str, Any]] = {
    "a score": {"run": tuple((q, doc, score + 1, rank) for q, doc, score, rank in RUN)},
    "the order of the rows": {"run": RUN[::-1]},
    "a doc's name": {"run": tuple((q, doc + "!", score, rank) for q, doc, score, rank in RUN)},
    "a rank": {"run": tuple((q, doc, score, rank + 1) for q, doc, score, rank in RUN)},
    "a row less": {"run": RUN[:-1]},
    "a rel": {"qrels": tuple((q, doc, rel + 1) for q, doc, rel in QRELS)},
    "a judgment less": {"qrels": QRELS[:-1]},
    "a query that is empty": {"empty_in_run": ("q2",)},
    "a query without judgments": {"empty_in_qrels": ("q2",)},
}
INPUTS = {name: replace(CASE, input=replace(CASE.input, **changes)) for name, changes in OTHERS.items()}


def test_a_changed_input_is_asked(whole: Library) -> None:
    questions(whole, CASE)
    for changed, case in INPUTS.items():
        assert sorted(questions(whole, case)) == EVERY, changed
    assert questions(whole, CASE, *INPUTS.values()) == [], "what was kept of the others stays"


def test_a_measure_and_a_variant_are_each_asked_for_themselves(library: Library, whole: Library) -> None:
    assert sorted(questions(whole, replace(CASE, also_ask=("AP",)))) == ["v AP", "w AP"]
    assert sorted(questions(whole, CASE)) == ["v RR", "w RR"]
    assert questions(library, INPUTS["a score"]) == ["v AP", "v RR"]
    assert questions(whole, INPUTS["a score"]) == ["w AP", "w RR"]


def changed_adapter(library: Library, _: pytest.MonkeyPatch) -> None:
    library.adapter.write_text(library.adapter.read_text() + "# changed\n")


def changed_worker(library: Library, patch: pytest.MonkeyPatch) -> None:
    own = library.adapter.with_name("worker.py")
    own.write_text(WORKER.read_text(encoding="utf-8") + "# changed\n")
    patch.setattr(library_worker, "WORKER", own)


def identified_by(**changes: object) -> Callable[[Library, pytest.MonkeyPatch], None]:
    """The worker says something else of what its answers depend on."""

    def change(_: Library, patch: pytest.MonkeyPatch) -> None:
        identify = library_worker.Worker.identify
        patch.setattr(library_worker.Worker, "identify", lambda worker: {**identify(worker), **changes})

    return change


CHANGES: dict[str, Callable[[Library, pytest.MonkeyPatch], None]] = {
    "the adapter": changed_adapter,
    "the worker that runs it": changed_worker,
    "the library's version": identified_by(versions={"counting": "2"}),
    "the version of what it stands on": identified_by(versions={"counting": "1", "numpy": "3"}),
    "the interpreter": identified_by(python="2.7.18"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_answers_is_asked_anew_when_it_changes(what: str, whole: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sorted(questions(whole, CASE)) == EVERY
    CHANGES[what](whole, monkeypatch)
    assert sorted(questions(whole, CASE)) == EVERY
    assert questions(whole, CASE) == [], "once"


def test_what_was_asked_once_is_asked_again_where_it_is_to_be_asked_twice(whole: Library) -> None:
    assert sorted(questions(whole, CASE)) == EVERY
    assert sorted(questions(whole, CASE, once=False)) == sorted([*EVERY, *EVERY])
    assert questions(whole, CASE, once=False) == questions(whole, CASE) == []


def test_two_libraries_do_not_share_what_is_kept(whole: Library) -> None:
    questions(whole, CASE)
    other = whole.adapter.with_name("other_adapter.py")
    other.write_text(whole.adapter.read_text().replace('"counting"', '"other"'))
    assert sorted(questions(replace(whole, name="other", adapter=other), CASE)) == EVERY


def test_a_digest_of_files_is_of_their_names_and_contents_wherever_they_lie(tmp_path: Path) -> None:
    for name in ("a/one", "a/two", "b/one", "b/two", "c/one", "c/three"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("one" if name.endswith("one") else "two")
    pairs = ("a/one", "a/two"), ("b/two", "b/one"), ("c/one", "b/two"), ("c/one", "c/three")
    first, turned, apart, renamed = (store.digest_of_files(tmp_path / name for name in pair) for pair in pairs)
    assert first == turned == apart != renamed
