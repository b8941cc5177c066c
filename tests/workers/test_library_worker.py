"""Requests to a worker: invalid replies are reported, and each measure gets an answer even if its process fails."""

import json
from typing import Any

import pytest
from scripted_workers import CRASH, HALF, HELLO, ONE, Scripted, answering

from rankproof.workers.library_worker import flaw_of
from rankproof.workers.process import WorkerFailed

ANSWER = {"per_query": {"q": 1, "r": "nan"}, "mean": None}


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {},
        {"unsupported": 1},
        {"error": {"type": "KeyError", "message": "", "trace": ""}},
        {**ANSWER, "unsupported": ""},
        {"mean": 1},
        {"per_query": None, "mean": "NaN"},
        {"per_query": {"q": True}, "mean": 1},
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
        (b"", "not JSON"),
        (b'{"seq": 1} {"seq": 2}', "not JSON"),
        (b'{"seq": 1, "seq": 1}', "the key seq occurs twice"),
        (b'{"seq": "\xed\xa0\x80"}', "not UTF-8"),
        *((line, "the reply is not a JSON object") for line in (b"[1]", b"1", b"null")),
        (b'{"seq": 1e999}', "1e999 is too large for a float"),
        *((json.dumps({"seq": seq}).encode(), "the reply is not to this request") for seq in (0, 99, True, "1", None)),
    ],
    ids=lambda value: str(value[:24]),
)
def test_line_that_is_not_a_reply_is_invalid_output(line: bytes, why: str) -> None:
    worker = Scripted(line, line)
    with pytest.raises(WorkerFailed, match=why) as caught:
        worker.calls()
    assert (caught.value.kind, len(str(caught.value)) < 300) == ("invalid-output", True)


# -- failures ----------------------------------------------------------------------------------------------------------


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
    ([answering(0.5, seq=-1), answering(0.5)], HALF),  # a late reply, and a new process
    ([answering(0.5, seq=-1)] * 4, nonsense("the reply is not to this request")),
    ([answering(0.5, seq=1)] * 2, nonsense("the reply is not to this request")),
    ([{"answers": {}}] * 2, nonsense("the reply does not answer the requested measures")),
    ([b"nonsense"] * 2, nonsense("the reply cannot be read: not JSON: expecting value")),
    ([answering(0.5), "more", answering(0.5), "more"], nonsense("it replied more than was requested")),
]
OF_TWO = [
    ([BOTH], HALF, ONE),
    ([CRASH, of("P@1", HALF), CRASH, CRASH], HALF, CRASHED),
    # Both orders are possible.
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
def test_each_measure_gets_an_answer_whatever_happens_to_its_processes(
    turns: list[Any], answers: dict[str, Any], *, once: bool
) -> None:
    """A failure counts if it happens twice. After a failure of several measures, each measure is requested alone."""
    worker = Scripted(*turns)
    assert worker.observe("plain", {}, list(answers), once=once) == answers
    assert worker.turns == []
    request = {"op": "observe", "variant": "plain", "input": {}, "measures": list(answers)}
    assert worker.requests[0].items() >= request.items()


def test_library_that_was_uninstalled_has_crashed() -> None:
    gone = {"protocol": 1, "library": "made", "not_installed": "no module", "variants": {}, "measures": {}}
    answers = Scripted(hello=gone).observe("plain", {}, ["P@1"])
    assert answers == {"P@1": {"failed": "crash", "message": "no module"}}
