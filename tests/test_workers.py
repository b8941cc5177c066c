"""A worker that raises, prints, hangs, dies or lies is a reply like any other, and the next question is answered."""

import json
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import jsonschema
import pytest

from rankproof import adapters
from rankproof import cases as corpus
from rankproof.adapters import worker as worker_module
from rankproof.asking.workers import WORKER, Interrupted, Worker, WorkerFailed, flaw

ADAPTER = Path(__file__).resolve().parent / "miniatures" / "miniatures_adapter.py"
SCHEMA = json.loads((Path(adapters.__file__).parent / "schemas" / "protocol.schema.json").read_text(encoding="utf-8"))
TIED = {
    "qrels": [["q1", "a", 1]],
    "run": [["q1", "a", 1.0, 1], ["q1", "b", 1.0, 2]],
    "empty_in_qrels": [],
    "empty_in_run": [],
}
UNTIED = {**TIED, "run": [["q1", "a", 2.0, 1], ["q1", "b", 1.0, 2]]}


def valid(message: object, definition: str) -> bool:
    """Whether a message follows one definition of the protocol's schema."""
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": SCHEMA["$defs"]}).is_valid(
        message
    )


def test_messages_follow_the_protocol() -> None:
    asked = [
        {"op": "hello", "seq": 1},
        {"op": "observe", "seq": 2, "variant": "honest", "input": TIED, "measures": ["P@1", "AUC"]},
        {"op": "observe", "seq": 3, "variant": "raises_on_ties", "input": TIED, "measures": ["P@1"]},
        {"op": "observe", "seq": 4, "variant": "keeps_state_between_calls", "input": UNTIED, "measures": ["P@1"]},
        {
            "op": "observe",
            "seq": 5,
            "variant": "keeps_state_between_calls",
            "input": UNTIED,
            "measures": ["P@1"],
            "once": True,
        },
        {"op": "bye", "seq": 6},
    ]
    assert all(valid(message, message["op"]) for message in asked)
    lines = "".join(json.dumps(message) + "\n" for message in asked)
    done = subprocess.run(
        [sys.executable, "-I", str(WORKER), str(ADAPTER)], input=lines, capture_output=True, text=True, check=True
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = ["hello_reply", "observe_reply", "observe_reply", "observe_reply", "observe_reply", "bye_reply"]
    assert [valid(reply, kind) for reply, kind in zip(replies, kinds, strict=True)] == [True] * 6
    assert replies[1]["answers"]["AUC"] == {"unsupported": "miniatures has no AUC"}
    assert replies[2]["answers"]["P@1"] == {"error": {"type": "RuntimeError", "message": "tied <b>scores</b>"}}
    assert "again" in replies[3]["answers"]["P@1"]
    assert "again" not in replies[4]["answers"]["P@1"], "it was asked once"
    assert not valid(asked[4] | {"once": "yes"}, "observe")


@pytest.mark.parametrize(("once", "calls"), [(True, 1), (False, 2)])
def test_a_library_is_asked_once_where_once_is_enough(once: bool, calls: int, tmp_path: Path) -> None:  # noqa: FBT001
    adapter = tmp_path / "counting_adapter.py"
    adapter.write_text(
        "LIBRARY, PACKAGES, VARIANTS, MEASURES, CALLS = 'counting', [], {'v': ''}, {'AP': 1}, []\n"
        "def load(): return {'version': '1'}\n"
        "def observe(variant, data, call, values):\n    CALLS.append(1)\n    return None, len(CALLS)\n"
    )
    with Worker(adapter) as worker:
        answers = [worker.observe("v", UNTIED, ["AP"], once=once)["AP"] for _ in range(2)]
    assert [answer["mean"] for answer in answers] == [1, 1 + calls]


@pytest.mark.parametrize("case", corpus.load_all()[::25], ids=lambda case: case.id)
def test_an_input_survives_json(case: corpus.Case) -> None:
    sent = json.loads(json.dumps(case.input.as_json()))
    assert repr(worker_module.decoded(sent)) == repr(worker_module.decoded(case.input.as_json())), (
        "NaN and the infinities too"
    )


def test_what_a_library_prints_does_not_reach_the_protocol() -> None:
    with Worker(ADAPTER) as worker:
        assert worker.observe("honest_and_noisy", TIED, ["P@1"])["P@1"]["mean"] == 0


def test_an_input_that_a_library_empties_is_whole_for_the_next_measure() -> None:
    with Worker(ADAPTER) as worker:
        answers = worker.observe("honest_and_careless", UNTIED, ["P@1", "AP"])
    assert [answer["mean"] for answer in answers.values()] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("variant", "failed"),
    [("crashes_on_ties", "crash"), ("hangs_on_ties", "timeout"), ("answers_text_on_ties", "invalid-output")],
)
def test_a_worker_is_started_anew_after(variant: str, failed: str) -> None:
    with Worker(ADAPTER, timeout=2) as worker:
        broken = worker.observe(variant, TIED, ["P@1", "AP"])
        assert {answer["failed"] for answer in broken.values()} == {failed}
        assert worker.observe(variant, UNTIED, ["P@1"])["P@1"]["mean"] == 1.0
        assert worker.restarts >= 2


def test_who_waits_for_a_reply_is_interrupted_and_asks_no_more() -> None:
    stop = threading.Event()
    with Worker(ADAPTER, stop=stop) as worker:
        worker.hello()
        threading.Timer(0.3, stop.set).start()
        started = time.monotonic()
        with pytest.raises(Interrupted):
            worker.observe("hangs_on_ties", TIED, ["P@1", "AP"])
        assert 0.2 < time.monotonic() - started < 5
        with pytest.raises(Interrupted):
            worker.observe("honest", UNTIED, ["P@1"])


def test_one_measure_that_crashes_does_not_hide_the_others(tmp_path: Path) -> None:
    adapter = tmp_path / "picky_adapter.py"
    adapter.write_text(
        "import os\nLIBRARY, PACKAGES, VARIANTS, MEASURES = 'picky', [], {'v': ''}, {'AP': 1, 'RR': 2, 'P@{k}': 3}\n"
        "def load(): return {'version': '1'}\n"
        "def observe(variant, data, call, values):\n    return (None, call) if call != 2 else os.abort()\n"
    )
    with Worker(adapter) as worker:
        answers = worker.observe("v", UNTIED, ["AP", "RR", "P@1"])
    assert [answer.get("mean", answer.get("failed")) for answer in answers.values()] == [1, "crash", 3]


def test_an_adapter_that_cannot_be_loaded_is_a_crash(tmp_path: Path) -> None:
    adapter = tmp_path / "broken_adapter.py"
    adapter.write_text("this is no Python\n")
    with Worker(adapter) as worker, pytest.raises(WorkerFailed, match="exit code 1") as caught:
        worker.hello()
    assert caught.value.kind == "crash"


def test_a_worker_that_ended_before_it_was_asked_is_a_crash(tmp_path: Path) -> None:
    interpreter = tmp_path / "python"
    interpreter.write_text("#!/bin/sh\nexit 7\n")
    interpreter.chmod(interpreter.stat().st_mode | stat.S_IXUSR)
    with Worker(ADAPTER, python=str(interpreter)) as worker:
        worker._start().wait()
        with pytest.raises(WorkerFailed, match="exit code 7") as caught:
            worker.hello()
    assert caught.value.kind == "crash"


@pytest.mark.parametrize(
    ("prints", "message"),
    [("nonsense", "no JSON"), ('{"seq": 77}', "not to this request"), ("[]", "not to this request")],
)
def test_a_reply_that_is_none_is_invalid_output(prints: str, message: str, tmp_path: Path) -> None:
    interpreter = tmp_path / "python"
    interpreter.write_text(f"#!/bin/sh\nread line\necho '{prints}'\nread line\n")
    interpreter.chmod(interpreter.stat().st_mode | stat.S_IXUSR)
    with Worker(ADAPTER, python=str(interpreter)) as worker, pytest.raises(WorkerFailed, match=message) as caught:
        worker.hello()
    assert caught.value.kind == "invalid-output"


@pytest.mark.parametrize(
    "answer",
    [
        {"per_query": {"q1": 0.5}, "mean": None}, {"per_query": None, "mean": "nan"}, {"unsupported": "no"},
        {"error": {"type": "E", "message": ""}}, {"per_query": {"q1": "a lot"}, "mean": None}, {"per_query": {}, "mean": True},
        {"mean": 1}, {"error": {"type": "E"}}, {"unsupported": 3}, [],
    ],
)  # fmt: skip
def test_the_quick_check_of_answers_is_the_schemas(answer: object) -> None:
    assert (flaw(answer) is None) == valid(answer, "answer")


def test_notation_is_matched_with_its_placeholders() -> None:
    supported = {"P(rel={rel})@{k}": "a", "P@{k}": "b", "nDCG(dcg='exp-log2')@{k}": "c"}
    assert worker_module.match(supported, "P(rel=2)@5") == ("a", {"rel": 2, "k": 5})
    assert worker_module.match(supported, "P@5") == ("b", {"k": 5})
    assert worker_module.match(supported, "nDCG(dcg='exp-log2')@10") == ("c", {"k": 10})
    assert worker_module.match(supported, "P") is None
    assert worker_module.match({"*": None}, "anything") == (None, {})


def test_the_worker_and_the_adapters_are_python_3_8() -> None:
    import ast

    for path in [WORKER, *WORKER.parent.glob("*_adapter.py")]:
        tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
        imported = {
            alias.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
        }
        imported |= {(node.module or "").split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert "rankproof" not in imported, path
