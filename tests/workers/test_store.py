"""The store: values are stored under all their dependencies, and only if they are not accidents."""

import itertools
import json
import shutil
import sys
import threading
from contextlib import redirect_stderr
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.files import with_checksum
from rankproof.workers import store
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import WORKER, adapter_files
from rankproof.workers.observations import Answered, Failure
from rankproof.workers.rounds import AskingOptions, ask, stores
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


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Return a library in one of its two variants that logs each request.

    Its adapter, and so its key, belongs to one test.
    """
    adapter = tmp_path / "counting_adapter.py"
    adapter.write_text(ADAPTER % str(tmp_path / "log"))
    return Library("counting", adapter, load(HERE / "miniatures.toml"), only=("v",))


@pytest.fixture
def whole(library: Library) -> Library:
    """Return the library in both of its variants."""
    return replace(library, only=())


def file_of(library: Library) -> Path:
    """Return the file of the library in the store."""
    (path,) = (stores([library]) or {}).values()
    return path


def requests(library: Library, *cases: Case, once: bool = True, **how: Any) -> list[str]:
    """Return the requests that reached the library, each a variant and a measure, and check that every request has a value."""
    log = library.adapter.with_name("log")
    log.write_text("")
    result = ask(library, cases, AskingOptions(once=once, **how))
    answers = [observation.answer for observation in result.observations if observation.measure in {"AP", "RR"}]
    wanted = [measure for case in cases for measure in case.measures if measure in {"AP", "RR"}]
    assert answers == [Answered(None, 0.5)] * len(wanted) * len(result.hello["variants"])
    return log.read_text().splitlines()


def computed(library: Library, cases: list[Case], **how: Any) -> list[str]:
    """Return the measures that the library computed, each twice."""
    return [line.split()[1] for line in requests(library, *cases, once=False, **how)]


def test_kept_answer_is_not_computed_again(library: Library) -> None:
    first = computed(library, CASES)
    assert first.count("nDCG@2") == 4, "each measure of each case, twice"
    assert computed(library, CASES) == []
    renamed = [replace(case, id="another/name", question="in other words") for case in CASES]
    assert computed(library, renamed) == [], "its name is no part of it"
    assert computed(library, CASES, fresh=True) == first


def test_answer_that_equals_the_published_one_is_computed_once(library: Library) -> None:
    known = {"before": lambda _adapter, _who: lambda _case, _variant, measure, _answer: measure != "P@2"}
    twice = computed(library, CASES, fresh=True)
    once = computed(library, CASES, fresh=True, **known)
    assert sorted(twice) == sorted([*once, *(measure for measure in once if measure != "P@2")])
    assert computed(library, CASES) == computed(library, CASES, **known) == []


def test_file_of_the_store_is_known_before_a_library_runs(library: Library) -> None:
    path = file_of(library)
    assert not path.exists()
    assert ask(library, CASES).all_kept
    assert path.exists()
    assert stores([replace(library, fault="its sheet is odd"), library]) is None


def test_run_with_an_accident_is_not_stored_completely(library: Library) -> None:
    library.adapter.write_text(library.adapter.read_text().replace("return None, 0.5", "raise MemoryError"))
    assert not ask(library, CASES).all_kept


@pytest.fixture
def kept(library: Library) -> Path:
    """Return the file of a library after a run."""
    computed(library, CASES[:1])
    return file_of(library)


def opened(kept: Path) -> tuple[store.Kept, list[str]]:
    """Return the values in a file of the store, and the warnings."""
    library, _, key = kept.stem.partition("-")
    store.warn.cache_clear()
    with redirect_stderr(StringIO()) as stderr:
        answers = store.open_for(library, key)
    return answers, stderr.getvalue().splitlines()


def test_store_is_read_as_written_and_written_only_if_it_changed(kept: Path) -> None:
    answers, warnings = opened(kept)
    written = json.loads(kept.read_text())
    assert (answers.hello, answers.answers.keys()) == (written["hello"], written["answers"].keys())
    assert answers.answers != {}
    answers.put({}, "v", {"AP": ANSWER})
    answers.save()
    assert opened(kept)[0].answers == answers.answers
    assert answers.answers.keys() > written["answers"].keys()
    kept.unlink()
    answers.save()
    assert not kept.exists()
    assert warnings == []


def test_damaged_store_is_ignored_and_reported(kept: Path) -> None:
    whole = kept.read_bytes()
    flipped = (whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :] for place in range(0, len(whole), 29))
    for content in (*(whole[:length] for length in (0, 1, 90, -1)), *flipped):
        kept.write_bytes(content)
        answers, warnings = opened(kept)
        assert (answers.hello, answers.answers, len(warnings)) == ({}, {}, 1), content
    assert warnings[0].startswith("stored values of counting are damaged and will be computed again: ")


ANSWER = {"per_query": None, "mean": 1}
CRASH = {"failed": "crash", "message": "the process ended by SIGSEGV"}


@pytest.mark.parametrize(
    "change",
    [
        {"answers": []},
        {"answers": {"i": {"v": {"AP": ANSWER}}}},
        {"answers": {"i": {"v": {"AP": {"answer": ANSWER, "limit": "5 s"}}}}},
        {"hello": None},
    ],
)
def test_store_of_another_form_is_ignored_and_reported(kept: Path, change: dict[str, Any]) -> None:
    assert rewritten(kept)[1] == [], "without a change it is valid"
    answers, warnings = rewritten(kept, **change)
    assert (answers.answers, len(warnings)) == ({}, 1)


def rewritten(kept: Path, **changes: object) -> tuple[store.Kept, list[str]]:
    """Return the values of a file with other content and a valid checksum, and the warnings."""
    whole = {name: value for name, value in json.loads(kept.read_text()).items() if name != "sha256"}
    kept.write_text(with_checksum(whole | changes))
    return opened(kept)


def test_failures_and_unstable_answers_are_read_back(kept: Path) -> None:
    store_before, _ = opened(kept)
    silent = {"failed": "timeout", "message": "no answer within 5 s"}
    answers = {"AP": CRASH, "RR": silent, "R": ANSWER, "P": ANSWER | {"again": ANSWER}}
    store_before.put({"run": []}, "v", answers)
    store_before.save()
    store_after, warnings = opened(kept)
    assert (store_after.get({"run": []}, "v", answers), warnings) == (answers, [])


def test_store_that_cannot_be_written_is_reported_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    for library in ("one", "another"):
        kept = store.Kept(tmp_path / "file" / "store" / f"{library}.json")
        kept.put({}, "v", {"AP": ANSWER})
        kept.save()
    message = f"cannot store values, so they will be computed again: {tmp_path}/file/store: Not a directory\n"
    assert capsys.readouterr().err == message


def test_interrupted_run_keeps_its_answers(library: Library) -> None:
    stop = threading.Event()
    how = AskingOptions(progress=lambda _name, count: stop.set() if count == 1 else None)
    assert len({o.case for o in ask(library, CASES, how, stop).observations}) == 1
    assert {m for m in CASES[0].measures if m.startswith("nDCG@")}.isdisjoint(computed(library, CASES[:1]))


@pytest.mark.parametrize(
    ("answer", "is_kept"),
    [
        (ANSWER, True),
        (ANSWER | {"again": {"per_query": None, "mean": 2}}, True),
        ({"unsupported": "no"}, True),
        ({"error": {"type": "ValueError", "message": "no"}}, True),
        (CRASH, True),
        ({"failed": "timeout", "message": ""}, True),
        ({"failed": "timeout", "message": "", "again": ANSWER}, False),
        ({"failed": "memory", "message": ""}, False),
        (CRASH | {"from_outside": True}, False),
        (CRASH | {"stderr": "terminate called after throwing an instance of 'std::bad_alloc'"}, False),
        (CRASH | {"again": ANSWER}, False),
        (ANSWER | {"again": CRASH}, False),
        ({"error": {"type": "MemoryError", "message": ""}}, False),
        ({"error": {"type": "OSError", "message": "[Errno 28] No space left on device"}}, False),
        ({"error": {"type": "OSError", "message": "[Errno 2] No such file"}}, True),
        ({"error": {"type": "OSError", "message": "[Errno 122]"}}, False),
        ({"error": {"type": "OSError", "message": "[Errno 128]"}}, True),
        ({"error": {"type": "RuntimeError", "message": "CUDA Out Of Memory"}}, False),
        (ANSWER | {"again": {"error": {"type": "MemoryError", "message": ""}}}, False),
    ],
)
def test_accidents_are_not_kept(answer: dict[str, Any], *, is_kept: bool) -> None:
    kept = store.Kept(Path("nowhere"))
    kept.put({"run": []}, "v", {"AP": answer})
    assert kept.get({"run": []}, "v", ["AP", "RR"]) == ({"AP": answer} if is_kept else {})
    assert (kept.knows({"run": []}, "v", ["AP"]), kept.reused, kept.changed) == (is_kept, int(is_kept), True)
    others = ({"run": [1]}, "v", ["AP"]), ({"run": []}, "w", ["AP"]), ({"run": []}, "v", ["AP", "RR"])
    assert not any(kept.knows(*other) for other in others)


def test_timeout_is_computed_again_with_a_longer_limit_only(library: Library) -> None:
    silent = {"failed": "timeout", "message": "no answer within 5 s"}
    computed(library, CASES, timeout=60)
    kept = store.open_for("counting", ask(library, CASES, AskingOptions(timeout=60)).key, timeout=5)
    kept.put(CASES[0].input.as_json(), "v", {"P@2": silent})
    kept.put(CASES[1].input.as_json(), "v", {"nDCG@2": silent})
    kept.save()
    assert [computed(library, CASES, timeout=seconds) for seconds in (5, 3)] == [[], []]
    (answer,) = (o.answer for o in ask(library, CASES[:1], AskingOptions(timeout=4)).observations if o.measure == "P@2")
    assert answer == Failure("timeout", "no answer within 5 s")
    assert sorted(computed(library, CASES, timeout=6)) == ["P@2", "P@2", "nDCG@2", "nDCG@2"]
    assert computed(library, CASES, timeout=600) == [], "a number is kept whatever was granted"


def test_pythonpath_is_warned_about_if_it_does_not_reach_the_library(
    library: Library, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store.warn.cache_clear()
    monkeypatch.setenv("PYTHONPATH", "/patched")  # from the environment of this process
    foreign = replace(library, sheet=replace(library.sheet, command=("{python}", "x.py")))
    ask(foreign, CASES)
    assert capsys.readouterr().err == "", "what another program runs may read it"
    ask(library, CASES)
    warning = capsys.readouterr().err
    assert warning == "libraries run without PYTHONPATH: install the library, or set an interpreter in the sheet\n"


def test_answers_under_two_descriptions_of_a_library_are_not_mixed(library: Library) -> None:
    """A module came from a Hub yesterday and does not today, which is known only after it is loaded."""
    way = library.adapter.with_name("way")
    text = library.adapter.read_text()
    library.adapter.write_text(text.replace('"1"}', f'"1", "module": open({str(way)!r}).read()}}'))
    way.write_text("asked through the hub")
    first = computed(library, CASES)
    way.write_text("asked through a copy")
    notes = ask(library, CASES).hello["notes"]
    assert notes == {"module": "asked through the hub"}, "nothing was computed"
    more = [*CASES, corpus.load(corpus.HERE / "ties" / "constant-scorer.toml")]
    assert set(first) <= set(computed(library, more))
    assert computed(library, CASES) == [], "all were computed again"
    assert ask(library, more).hello["notes"] == {"module": "asked through a copy"}


def test_change_of_a_command_or_of_any_of_its_files_computes_all_again(library: Library, tmp_path: Path) -> None:
    """A command runs the Python adapter through the worker like a foreign adapter, with a data file next to it."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "words.txt").write_text("one")
    shutil.copy(WORKER, tmp_path / "worker.py")
    command = ("{python}", "-I", "{here}/worker.py", "{here}/counting_adapter.py")
    sheet = replace(library.sheet, path=tmp_path / "counting.toml", command=command, files=("data",))
    foreign = replace(library, sheet=sheet)
    assert {path.name for path in adapter_files(foreign)} == {"worker.py", "counting_adapter.py", "words.txt"}
    assert computed(foreign, CASES[:1])
    assert computed(foreign, CASES[:1]) == []
    (tmp_path / "data" / "words.txt").write_text("two")
    assert computed(foreign, CASES[:1]), "a file that the sheet names changed"
    (tmp_path / "worker.py").write_text((tmp_path / "worker.py").read_text() + "# changed\n")
    assert computed(foreign, CASES[:1]), "a file that the command names changed"
    other = replace(foreign, sheet=replace(sheet, command=(*command, "--other")))
    assert computed(other, CASES[:1]), "the command changed"


# -- the key: each dependency changes alone between two runs -------------------------------------------------------------

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


def test_each_part_of_an_input_is_part_of_the_key(whole: Library) -> None:
    requests(whole, CASE)
    assert sorted(requests(whole, *INPUTS.values())) == sorted(EVERY * len(INPUTS)), (
        f"one equals another of {[*INPUTS]}"
    )
    assert requests(whole, CASE, *INPUTS.values()) == [], "what was kept of the others stays"


def test_answers_are_kept_by_measure_and_variant(library: Library, whole: Library) -> None:
    assert sorted(requests(whole, replace(CASE, also_ask=("AP",)))) == ["v AP", "w AP"]
    assert sorted(requests(whole, CASE)) == ["v RR", "w RR"]
    assert requests(library, INPUTS["a score"]) == ["v AP", "v RR"]
    assert requests(whole, INPUTS["a score"]) == ["w AP", "w RR"]


def test_change_of_the_adapter_or_of_what_it_depends_on_computes_all_again(whole: Library, tmp_path: Path) -> None:
    version = tmp_path / "version"
    version.write_text("1")
    identity = f"def identity(): return {{'numpy': open({str(version)!r}).read()}}\n"
    whole.adapter.write_text(whole.adapter.read_text() + identity)
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    for change in ("first", "version", "adapter", "interpreter"):
        if change == "version":
            version.write_text("2")
        if change == "adapter":
            whole.adapter.write_text(whole.adapter.read_text() + "# changed\n")
        pythons = {"counting": str(link)} if change == "interpreter" else {}
        assert sorted(requests(whole, CASE, pythons=pythons)) == EVERY, change
        assert requests(whole, CASE, pythons=pythons) == [], "once"
    assert adapter_files(whole) == [whole.adapter, WORKER], "the digest is also one of the worker"


def test_value_that_was_computed_once_is_computed_again_if_two_values_are_required(whole: Library) -> None:
    assert sorted(requests(whole, CASE)) == EVERY
    assert sorted(requests(whole, CASE, once=False)) == sorted([*EVERY, *EVERY])
    assert requests(whole, CASE, once=False) == requests(whole, CASE) == []


def test_digest_of_files_depends_on_names_and_contents_only(tmp_path: Path) -> None:
    for name in ("a/one", "a/two", "b/one", "b/two", "c/one", "c/three"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("one" if name.endswith("one") else "two")
    pairs = ("a/one", "a/two"), ("b/two", "b/one"), ("c/one", "b/two"), ("c/one", "c/three")
    first, turned, apart, renamed = (store.digest_of_files(tmp_path / name for name in pair) for pair in pairs)
    assert first == turned == apart != renamed
