"""Asking: who is asked what, what is wrong with a reply, what a worker answers whatever befalls its process, and how a round goes."""

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_sheets import FAKE

from rankproof import cases as corpus
from rankproof.files import CACHE
from rankproof.workers import observations, rounds, same_answers
from rankproof.workers import process as processes_of_workers
from rankproof.workers.known_libraries import Library, chosen, claiming_nothing, libraries
from rankproof.workers.library_worker import Worker, flaw_of
from rankproof.workers.observations import ABSENT, Answered, Failure
from rankproof.workers.process import Interrupted, WorkerFailed, start_program
from rankproof.workers.rounds import AskingOptions, LibraryAnswers, NothingSelected, ask, select
from rankproof.workers.subjects import BadInstallation, Installation, installation

STRADDLES, NAMED = "ties/straddles-cutoff", "gain/linear-exp-binary"
CASES = [corpus.load(corpus.HERE / f"{name}.toml") for name in (STRADDLES, NAMED)]
NAN = math.nan
HELLO = {
    "seq": 1,
    "protocol": 1,
    "library": "made",
    "version": "1",
    "variants": {"plain": ""},
    "measures": {"plain": ["P@{k}", "AP"]},
    "seconds": 0.5,
}
ANSWER = {"per_query": {"q": 1, "r": "nan"}, "mean": None}


def library(**more: Any) -> Library:
    return Library("made", Path("made_adapter.py"), claiming_nothing("made", Path("made.toml")), **more)


# -- cases and measures ------------------------------------------------------------------------------------------------


EVERY = {case.id: list(case.measures) for case in CASES}


@pytest.mark.parametrize(
    ("globs", "measures", "asked"),
    [
        ((), (), EVERY),
        (("ties/*",), (), {STRADDLES: EVERY[STRADDLES]}),
        (("*exp*", "ties/straddles-cutoff"), (), EVERY),
        ((), ("nDCG@5",), {NAMED: ["nDCG@5"]}),
        ((), ("P",), {STRADDLES: ["P@2"]}),
        ((), ("CG*",), {NAMED: ["CG@5"]}),
        ((), ("P@2", "DCG"), {STRADDLES: ["P@2"], NAMED: ["DCG@5"]}),
    ],
)
def test_cases_and_their_measures_are_chosen_by_globs(
    globs: tuple[str, ...], measures: tuple[str, ...], asked: dict[str, list[str]]
) -> None:
    found = select(CASES, globs, measures)
    assert {case.id: list(case.measures) for case in found} == asked
    whole = {case.id: case.expect or {} for case in CASES}
    wanted = {
        name: {one: whole[name][one] for one in measures if one in whole[name]} for name, measures in asked.items()
    }
    assert {case.id: case.expect for case in found} == wanted


@pytest.mark.parametrize(
    ("globs", "measures", "named"),
    [(("x*", "y"), (), "x* y"), (("ties/*",), ("ERR",), "ties/* ERR"), ((), ("nD",), "nD")],
)
def test_globs_that_match_nothing_are_named(globs: tuple[str, ...], measures: tuple[str, ...], named: str) -> None:
    with pytest.raises(NothingSelected) as refused:
        select(CASES, globs, measures)
    assert str(refused.value) == f"no case matches {named}; `rankproof cases list` shows them"


# -- libraries and variants --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ['["{here}/own.toml", "{here}/y.js"]', '["x", "{here}/own.toml", "{here}/y.js"]'])
def test_each_file_that_a_command_names_must_be_there(command: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(FAKE.replace("fake", "own") + f"command = {command}\n", encoding="utf-8")
    (own,) = libraries(tmp_path)
    assert "own.toml:7: y.js is missing: write the file, or correct its name in the sheet" in own.fault


# -- what they are called ----------------------------------------------------------------------------------------------


def test_what_a_library_said_of_itself_is_written_and_read_back() -> None:
    said = {
        "version": "1.2",
        "python": "3.11.7",
        "variants": {"v": "as it is"},
        "absent": {"w": "no card"},
        "others": ["x", "y"],
        "dependencies": {"scipy": "1", "numpy": "2"},
        "notes": {"v": "by hand"},
        "untold": {"v": "ids"},
    }
    found = installation("lib", said)
    assert found.as_json() == {"library": "lib", **said}
    assert (installation("lib", found.as_json()), found.why_not) == (found, "")
    failed = installation("lib", {"failed": "crash", "message": "SIGSEGV"})
    assert failed == Installation("lib", failed="crash", message="SIGSEGV")
    assert (failed.why_not, [one.name for one in failed.subjects]) == ("SIGSEGV", ["lib"])
    assert failed.as_json() == {"library": "lib", "failed": "crash", "message": "SIGSEGV"}
    assert installation("lib", {"not_installed": "no module"}).why_not == "no module"
    for table in ("variants", "absent", "dependencies", "notes", "untold"):
        with pytest.raises(BadInstallation, match=r"^lib: Expected `object`, got `array`"):
            installation("lib", {table: [1]})


# -- replies that do not follow the protocol ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {},
        {"unsupported": 1},
        {"error": {"type": "KeyError", "message": 1}},
        {"error": {"type": "KeyError", "message": "", "trace": ""}},
        {**ANSWER, "unsupported": ""},
        {"mean": 1},
        {"per_query": [1], "mean": None},
        {"per_query": None, "mean": "NaN"},
        {"per_query": {"q": True}, "mean": 1},
        {"per_query": None, "mean": NAN},
        {"per_query": {"q": 1, "r": 10**400}, "mean": 1},
    ],
)
def test_invalid_answer_is_reported(answer: object) -> None:
    why = flaw_of("observe", {"seq": 1, "answers": {"P@1": answer}}, ["P@1"])
    assert why is not None
    assert why.startswith("its reply to observe does not follow protocol.schema.json: answers: P@1: ")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ({"answers": {"P@1": ANSWER}}, None),
        ({"answers": {"P@1": {"per_query": {"q": "inf", "r": None}, "mean": "-inf"}}}, None),
        ({"answers": {"P@1": ANSWER}, "seconds": -1}, "seconds: -1 is less than"),
        ({"answers": {"P@1": ANSWER}, "a\x1b": 1}, r"a\x1b"),
        ({"answers": {"P@1": ANSWER, "P@2": ANSWER}}, "the reply does not answer the requested measures"),
        ({}, '"answers" is a required property'),
    ],
)
def test_invalid_reply_to_observe_is_reported(reply: dict[str, Any], words: str | None) -> None:
    why = flaw_of("observe", {"seq": 1, **reply}, ["P@1"])
    assert (why is None) if words is None else (words in str(why))


HALF_A_LETTER = {"variants": {"\ud800": "half a \udfff"}, "measures": {"\ud800": ["P@{k}", "\udc00"]}}
ABSENT_YET = {"seq": 1, "protocol": 1, "library": "made", "not_installed": "no module", "variants": {}, "measures": {}}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (HELLO, None),
        (ABSENT_YET, None),
        (HELLO | HALF_A_LETTER, None),
        (HELLO | {"measures": {}}, "no measures of its variant plain"),
        (HELLO | {"version": 1}, "version: 1 is not of type"),
        (HELLO | HALF_A_LETTER | {"version": 1}, "version: 1 is not of type"),
        (HELLO | {"measures": {"plain": [1]}}, "measures: plain: 0: 1 is"),
        (HELLO | {"protocol": None}, "its adapter speaks version None of the protocol, and rankproof version 1"),
        (HELLO | {"protocol": 2}, "its adapter speaks version 2"),
        (HELLO | {"protocol": "9" * 999}, "its adapter speaks version '9"),
    ],
)
def test_invalid_reply_to_hello_is_reported(reply: dict[str, Any], words: str | None) -> None:
    why = flaw_of("hello", reply)
    assert (why is None) if words is None else (words in str(why))
    assert len(str(why)) < 400


def test_adapter_may_not_know_a_request() -> None:
    assert flaw_of("identify", {"seq": 3}) is None
    assert str(flaw_of("identify", {"seq": 3, "versions": 1})).startswith("its reply to identify does not follow ")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"nonsense", "not JSON"),
        (b"", "not JSON"),
        (b'{"seq": 1} {"seq": 2}', "not JSON"),
        (b'{"seq": 1, "seq": 1}', "the key seq occurs twice"),
        (b'{"seq": "\xff"}', "not UTF-8"),
        (b'{"seq": "\xed\xa0\x80"}', "not UTF-8"),
        *((line, "the reply is not a JSON object") for line in (b"[1]", b"1", b"null")),
        (b'{"seq": NaN}', "NaN is not a JSON number"),
        (b'{"seq": 1e999}', "1e999 is larger than a float can be"),
        (b'{"seq": ' + 5000 * b"9" + b"}", "larger than a float can be"),
        (b'{"seq": ' + 200_000 * b"[" + 200_000 * b"]" + b"}", "nested too deep"),
        *((json.dumps({"seq": seq}).encode(), "the reply is not to this request") for seq in (0, 99, True, "1", None)),
    ],
    ids=lambda value: str(value[:24]),
)
def test_line_that_is_no_reply_is_invalid_output(line: bytes, why: str) -> None:
    worker = Scripted(line, line)
    with pytest.raises(WorkerFailed, match=why) as caught:
        worker.calls()
    assert (caught.value.kind, len(str(caught.value)) < 300) == ("invalid-output", True)


# -- what was answered --------------------------------------------------------------------------------------------------


SAME = [
    (1 + 5e-13, 1.0, "float64"),
    (1 + 1e-7, 1.0, "float32"),
    (1e-15, 0.0, "float64"),
    (1e-16, 0.0, "float64"),
    (0.12345, 0.1234, "4 decimals"),
    (math.inf, math.inf, "float64"),
    (NAN, NAN, "float64"),
    (ABSENT, ABSENT, "float64"),
]
OTHERS = [
    (1 + 1e-11, 1.0, "float64"),
    (1 + 1e-5, 1.0, "float32"),
    (1e-14, 0.0, "float64"),
    (0.12346, 0.1234, "4 decimals"),
    (math.inf, 1.0, "4 decimals"),
    (math.inf, -math.inf, "float32"),
    (NAN, 0.0, "float64"),
    (1.0, math.inf, "float64"),
    (ABSENT, 0.0, "4 decimals"),
    (1.0, ABSENT, "4 decimals"),
]


def test_numbers_are_the_same_as_precisely_as_a_library_answers() -> None:
    assert [one for one in SAME if not same_answers.same(*one)] == []
    assert [one for one in OTHERS if same_answers.same(*one)] == []


# -- workers ------------------------------------------------------------------------------------------------------------


class Process:
    """In the place of a worker's process: it says hello as it is told to, and then, request by request, what else it is told to."""

    def __init__(self, turns: list[Any], asked: list[dict[str, Any]], hello: dict[str, Any]) -> None:
        self.turns, self.asked, self.greeting = turns, asked, hello

    def exchange(self, line: bytes, *_: object) -> bytes:
        """A reply to a request, with its number; or what breaks it."""
        request = json.loads(line)
        turn = self.greeting
        if request["op"] != "hello" or not self.greeting:
            self.asked.append(request)
            turn = self.turns.pop(0)
        if isinstance(turn, Exception):
            raise turn
        if isinstance(turn, bytes):
            return turn
        return json.dumps({**turn, "seq": request["seq"] + turn.get("seq", 0)}).encode()

    def has_output(self) -> bool:
        """Whether it said what nobody asked for, once."""
        more = self.turns[:1] == ["more"]
        del self.turns[:more]
        return more

    def is_gone(self) -> bool:
        """Whether it ended by itself."""
        return False

    def failed(self, kind: str, message: str) -> WorkerFailed:
        """How it failed."""
        return WorkerFailed(kind, message)

    def end(self) -> None:
        """It is ended."""


class Scripted(Worker):
    """A worker whose processes say what they are told to; what they are asked is kept, but for their hellos."""

    def __init__(self, *turns: Any, hello: Mapping[str, Any] = HELLO) -> None:
        self.turns, self.asked = list(turns), list[dict[str, Any]]()
        said = {key: value for key, value in hello.items() if key != "seq"}
        super().__init__(Path("made_adapter.py"), start=lambda: Process(self.turns, self.asked, said))  # type: ignore[arg-type,return-value]


def answering(mean: float, **more: object) -> dict[str, Any]:
    return {"answers": {"P@1": {"per_query": None, "mean": mean}}, **more}


HALF, ONE = ({"per_query": None, "mean": mean} for mean in (0.5, 1))
CRASH = WorkerFailed("crash", "by SIGSEGV")
KILLED = WorkerFailed("crash", "by SIGKILL", from_outside=True)
ABORTED, ALWAYS_KILLED = ({"failed": "crash", "message": f"by SIG{name}"} for name in ("ABRT", "KILL"))
CRASHED, LATE = {"failed": "crash", "message": "by SIGSEGV"}, {"failed": "timeout", "message": "5 s"}
BOTH = {"answers": {"P@1": HALF, "AP": ONE}}


def of(measure: str, answer: dict[str, Any]) -> dict[str, Any]:
    return {"answers": {measure: answer}}


def nonsense(message: str) -> dict[str, Any]:
    return {"failed": "invalid-output", "message": message}


TWICE = [
    ([answering(0.5), answering(0.5)], HALF),
    ([answering(0.5), answering(1)], {**HALF, "again": ONE}),
    ([CRASH, CRASH], CRASHED),
    ([CRASH, answering(0.5)], {**CRASHED, "again": HALF}),
]
ONCE = [
    ([answering(0.5)], HALF),
    ([CRASH, CRASH], CRASHED),
    ([CRASH, WorkerFailed("crash", "by SIGABRT")], {**CRASHED, "again": ABORTED}),
    ([CRASH, WorkerFailed("timeout", "5 s")], {**CRASHED, "again": LATE}),
    ([WorkerFailed("timeout", "5 s"), WorkerFailed("timeout", "6 s")], LATE),
    ([CRASH, KILLED], {**CRASHED, "again": {**ALWAYS_KILLED, "from_outside": True}}),
    ([KILLED, answering(0.5)], HALF),
    ([KILLED, KILLED], {**ALWAYS_KILLED, "from_outside": True}),
    ([WorkerFailed("crash", "m", "words")] * 2, {"failed": "crash", "message": "m", "stderr": "words"}),
    ([answering(0.5, seq=-1), answering(0.5)], HALF),  # a late reply, and a fresh process
    ([answering(0.5, seq=-1)] * 4, nonsense("the reply is not to this request")),
    ([answering(0.5, seq=1)] * 2, nonsense("the reply is not to this request")),
    ([{"answers": {}}] * 2, nonsense("the reply does not answer the requested measures")),
    ([b"nonsense"] * 2, nonsense("the reply cannot be read: not JSON: expecting value")),
    ([answering(0.5), "more", answering(0.5), "more"], nonsense("it replied more than was requested")),
]
OF_TWO = [
    ([BOTH], HALF, ONE),
    ([CRASH, of("P@1", HALF), CRASH, CRASH], HALF, CRASHED),
    # Whichever it was.
    ([CRASH, of("P@1", HALF), of("AP", ONE)], {**CRASHED, "again": HALF}, {**CRASHED, "again": ONE}),
    ([CRASH, of("P@1", {"unsupported": "no"}), of("AP", ONE)], {"unsupported": "no"}, {**CRASHED, "again": ONE}),
    ([WorkerFailed("timeout", "5 s"), of("P@1", HALF), of("AP", ONE)], HALF, ONE),
    ([WorkerFailed("memory", "9 GB"), of("P@1", HALF), of("AP", ONE)], HALF, ONE),
    ([KILLED, BOTH], HALF, ONE),
    ([KILLED, KILLED, of("P@1", HALF), of("AP", ONE)], HALF, ONE),
]


@pytest.mark.parametrize(
    ("turns", "answers", "once"),
    [
        *((turns, {"P@1": answer}, False) for turns, answer in TWICE),
        *((turns, {"P@1": answer}, True) for turns, answer in ONCE),
        *((turns, {"P@1": first, "AP": second}, True) for turns, first, second in OF_TWO),
    ],
)
def test_each_measure_gets_an_answer_whatever_becomes_of_its_processes(
    turns: list[Any], answers: dict[str, Any], *, once: bool
) -> None:
    """A failure is believed when it was seen twice; after one of all measures, they are asked one by one."""
    worker = Scripted(*turns)
    assert worker.observe("plain", {}, list(answers), once=once) == answers
    assert worker.turns == []
    asked = {"op": "observe", "variant": "plain", "input": {}, "measures": list(answers)}
    assert worker.asked[0].items() >= asked.items()


def test_a_library_that_was_there_when_it_was_asked_first_has_crashed() -> None:
    gone = {"protocol": 1, "library": "made", "not_installed": "no module", "variants": {}, "measures": {}}
    found = Scripted(hello=gone).observe("plain", {}, ["P@1"])
    assert found == {"P@1": {"failed": "crash", "message": "no module"}}


def test_a_system_that_has_no_more_processes_is_a_crash_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(processes_of_workers.subprocess, "Popen", none)
    with pytest.raises(WorkerFailed, match=r"^no process can be started: Resource") as failure:
        start_program(["node"], 0, {})
    assert failure.value.kind == "crash"


def test_a_worker_that_closes_its_output_and_lives_on_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes_of_workers, "PATIENCE", 0.3)
    worker = Worker(
        tmp_path, command=[sys.executable, "-c", "import os, time; os.close(1); time.sleep(60)"], timeout=20
    )
    with worker, pytest.raises(WorkerFailed, match=r"^the process closed its output$") as failed:
        worker.hello()
    assert failed.value.kind == "crash"


# -- rounds -------------------------------------------------------------------------------------------------------------


def test_how_long_a_library_took_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    identity = {"library": "made", "versions": {"made": "1"}, "python": "3.11"}
    answers = [{"answers": {"P@2": said}, "seconds": seconds} for said, seconds in ((HALF, 2), (ONE, 3))]
    worker = Scripted(identity, CRASH, *answers)
    monkeypatch.setenv(CACHE, str(tmp_path))
    monkeypatch.setattr(rounds, "worker_of", lambda *_, **__: worker)
    monkeypatch.setattr(rounds, "adapter_of", lambda _library: "digest")
    progress: list[int] = []
    two = [CASES[0], corpus.load(corpus.HERE / "ties/none-tied.toml")]
    asking = AskingOptions(once=True, progress=lambda _name, count: progress.append(count))
    found = rounds.ask(library(), select(two, (), ["P@2"]), asking)
    assert found.library_seconds == 0.5 + 0.5 + 2 + 3, "twice it said hello"
    assert progress == [1, 1, 0], "of two cases, none is left"
    answered = [(seen.answer, seen.again) for seen in found.observations]
    assert answered == [(Failure("crash", "by SIGSEGV"), Answered(None, 0.5)), (Answered(None, 1.0), None)]


@pytest.mark.parametrize(
    ("error", "hello"),
    [
        (WorkerFailed("crash", "m"), {"failed": "crash", "message": "m"}),
        (WorkerFailed("crash", "m", "words"), {"failed": "crash", "message": "m; its stderr ends: words"}),
        (KeyError("x"), {"failed": "error", "message": "rankproof could not run it: KeyError: 'x'"}),
        (ValueError("a\nb"), {"failed": "error", "message": "rankproof could not run it: ValueError: a b"}),
        (Interrupted(), {"failed": "error", "message": "it was interrupted"}),
    ],
)
def test_what_befalls_one_library_is_told_of_it_alone(
    error: Exception, hello: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def worker(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(rounds, "worker_of", worker)
    left: list[int] = []
    found = rounds.ask(library(), CASES, AskingOptions(progress=lambda _name, count: left.append(count)))
    assert (dict(found.hello), found.observations, found.installed, found.version) == (hello, (), False, "")
    assert sum(left) == len(CASES), "no more is to be waited for"
    odd = rounds.ask(library(fault="its sheet is odd"), CASES)
    assert dict(odd.hello) == {"failed": "error", "message": "its sheet is odd"}


def test_the_slowest_library_is_run_first_and_answers_are_in_the_order_of_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[str] = []

    def ask(one: Library, *_: object) -> LibraryAnswers:
        begun.append(one.name)
        return LibraryAnswers(one, {}, ())

    monkeypatch.setattr(rounds, "ask", ask)
    one, takes = library(), {"a": 1.0, "b": 9.0, "c": 4.0, "d": 2.0}
    four = [replace(one, name=name, sheet=replace(one.sheet, takes=takes[name])) for name in takes]
    asked = rounds.ask_all(CASES, four, AskingOptions(at_once=1))
    assert [found.library.name for found in asked] == [*takes]
    assert begun == ["b", "c", "d", "a"]


def test_a_query_that_is_answered_and_was_not_asked_is_read_too() -> None:
    told = observations.readings(Answered({"q9": 0.5, "q1": 1.0}, None), ("q2", "q1"))
    assert [*told] == [("q2", ABSENT), ("q1", 1.0), ("q9", 0.5)]


def test_values_observed_once_are_not_reused_as_observed_twice() -> None:
    (pytrec_eval,) = chosen(("pytrec_eval",), libraries())
    once, twice = (ask(pytrec_eval, CASES, AskingOptions(fresh=True, once=once)) for once in (True, False))
    assert once.key != twice.key
    assert [seen.answer for seen in once.observations] == [seen.answer for seen in twice.observations]
    assert ask(pytrec_eval, CASES, AskingOptions(once=True)).reused == len(once.observations)
