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
from rankproof.asking.replies import flaw
from rankproof.asking.stderr_tail import KEPT
from rankproof.asking.workers import WORKER, Interrupted, Worker, WorkerFailed

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
        {"op": "hello", "seq": 1, "protocol": 1},
        {"op": "observe", "seq": 2, "variant": "honest", "input": TIED, "measures": ["P@1", "AUC"]},
        {"op": "observe", "seq": 3, "variant": "raises_on_ties", "input": TIED, "measures": ["P@1"]},
        {"op": "identify", "seq": 4},
        {"op": "calls", "seq": 5},
        {"op": "bye", "seq": 6},
    ]
    assert all(valid(message, message["op"]) for message in asked)
    lines = "".join(json.dumps(message) + "\n" for message in asked)
    done = subprocess.run(
        [sys.executable, "-I", str(WORKER), str(ADAPTER)], input=lines, capture_output=True, text=True, check=True
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = ["hello_reply", "observe_reply", "observe_reply", "identify_reply", "calls_reply", "bye_reply"]
    assert [valid(reply, kind) for reply, kind in zip(replies, kinds, strict=True)] == [True] * 6
    assert replies[1]["answers"]["AUC"] == {"unsupported": "miniatures has no AUC"}
    assert replies[2]["answers"]["P@1"] == {"error": {"type": "RuntimeError", "message": "tied <b>scores</b>"}}
    assert replies[0]["measures"] == replies[3]["measures"]
    assert "nDCG@{k}" in replies[0]["measures"]["honest"]
    assert not valid(asked[1] | {"once": True}, "observe")


@pytest.mark.parametrize("case", corpus.load_all()[::25], ids=lambda case: case.id)
def test_every_input_is_as_the_protocol_describes_it(case: corpus.Case) -> None:
    assert valid(
        {"op": "observe", "seq": 1, "variant": "v", "input": case.input.as_json(), "measures": ["AP"]}, "observe"
    )


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
        worker._start()._supervisor.wait()
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


# -- what the harness does, so that no adapter need ------------------------------------------------------------------


def speaking(tmp_path: Path, body: str, **hello: object) -> Worker:
    """A worker whose adapter is a program of these lines, in which `op`, `asked` and `say` are there."""
    said = {
        "protocol": 1, "library": "tiny", "version": "1", "variants": {"v": ""}, "measures": {"v": ["AP", "RR", "P@{k}"]},
    } | hello  # fmt: skip
    program = tmp_path / "tiny.py"
    program.write_text(
        "import json, os, sys, time\nlog = open(sys.argv[0] + '.log', 'a')\n"
        "def say(**reply): print(json.dumps(dict(reply, seq=asked['seq'])), flush=True)\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n    op = asked['op']\n    log.write(op + ' ' + ' '.join(asked.get('measures', [])) + '\\n')\n"
        "    log.flush()\n"
        f"    if op == 'hello':\n        say(**{said!r})\n"
        f"    elif op == 'observe':\n{body}\n"
        "    else:\n        say()\n",
        encoding="utf-8",
    )
    return Worker(program, timeout=5, command=[sys.executable, str(program)])


ONE = "        say(answers={m: {'per_query': None, 'mean': 1} for m in asked['measures']})"
COUNTED = (
    "        n = globals().get('n', 0) + 1\n"
    "        say(answers={m: {'per_query': None, 'mean': n if m == 'RR' else 1} for m in asked['measures']})"
)


def test_an_adapter_of_two_ops_is_asked_twice_and_only_what_it_supports(tmp_path: Path) -> None:
    with speaking(tmp_path, COUNTED) as worker:
        said = worker.identify()
        answers = worker.observe("v", UNTIED, ["AP", "RR", "nDCG@5", "P@5"])
    assert said["version"] == "1", "it does not know `identify`, and was asked for its hello"
    assert answers == {
        "AP": {"per_query": None, "mean": 1},
        "RR": {"per_query": None, "mean": 1, "again": {"per_query": None, "mean": 2}},
        "nDCG@5": {"unsupported": "tiny has no nDCG@5"},
        "P@5": {"per_query": None, "mean": 1},
    }
    log = (tmp_path / "tiny.py.log").read_text().splitlines()
    assert log == ["identify ", "hello ", "observe AP RR P@5", "observe AP RR P@5"]


def test_nothing_is_sent_where_nothing_is_supported(tmp_path: Path) -> None:
    with speaking(tmp_path, ONE) as worker:
        assert set(worker.observe("v", UNTIED, ["nDCG"])["nDCG"]) == {"unsupported"}
    assert (tmp_path / "tiny.py.log").read_text() == "hello \n"


def test_what_fails_the_second_time_is_another_answer(tmp_path: Path) -> None:
    body = COUNTED + "\n        if n == 2: os.abort()"
    with speaking(tmp_path, body.replace("say(", "n == 2 or say(")) as worker:
        answer = worker.observe("v", UNTIED, ["AP"])["AP"]
    assert (answer["mean"], answer["again"]["failed"]) == (1, "crash")


@pytest.mark.parametrize(
    ("hello", "message"),
    [
        ({"protocol": 2}, "its adapter speaks version 2 of the protocol, and this rankproof speaks version 1: change the adapter"),
        ({"protocol": None}, "its adapter names no version of the protocol, and this rankproof speaks version 1"),
        ({"measure": {}}, "its reply to hello is not as protocol.schema.json says: Additional properties .*'measure' was unexpected"),
        ({"measures": {"w": ["AP"]}}, "its reply to hello names no measures of its variant v"),
        ({"variants": {}}, "variants: {} should be non-empty"),
        ({"version": 1}, "version: 1 is not of type 'string'"),
    ],
)  # fmt: skip
def test_a_hello_that_is_none_says_what_is_wrong(hello: dict[str, object], message: str, tmp_path: Path) -> None:
    with speaking(tmp_path, ONE, **hello) as worker, pytest.raises(WorkerFailed, match=message) as caught:
        worker.hello()
    assert caught.value.kind == "invalid-output"


def test_an_adapter_whose_program_is_not_here_is_not_installed(tmp_path: Path) -> None:
    with Worker(tmp_path / "x.js", command=["no-such-program", "x.js"]) as worker:
        assert worker.identify() == worker.hello()
        assert worker.hello()["not_installed"].startswith(
            "its adapter is run by no-such-program, which is not here: install it"
        )
    (tmp_path / "plain").write_text("no program\n")
    plain = Worker(tmp_path / "plain", command=[str(tmp_path / "plain")])
    with pytest.raises(WorkerFailed, match=r"plain cannot be started: Permission denied"):
        plain.hello()


# -- the end of stderr -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("breaks", "kind"),
    [("os.abort()", "crash"), ("time.sleep(60)", "timeout"), ("print('nonsense', flush=True)", "invalid-output"), ("sys.exit(3)", "crash")],
)  # fmt: skip
def test_the_end_of_stderr_is_kept_for_the_author_and_is_no_part_of_the_text(
    breaks: str, kind: str, tmp_path: Path
) -> None:
    body = f"        os.write(2, b'why\\x1b[1m it fails\\n\\xff\\n')\n        {breaks}"
    with speaking(tmp_path, body) as worker:
        worker.timeout = 2
        worker.hello()
        answer = worker.observe("v", UNTIED, ["AP"])["AP"]
    assert answer["failed"] == kind
    assert answer["stderr"] == "why\\x1b[1m it fails | \ufffd"
    assert "why" not in answer["message"]


def test_what_is_said_on_stderr_is_bounded_and_forgotten_with_the_next_request(tmp_path: Path) -> None:
    body = (
        "        print('x' * 300_000, file=sys.stderr, flush=True)\n"
        "        print(*range(100), sep='\\n', file=sys.stderr, flush=True)\n"
        "        os.abort() if 'RR' in asked['measures'] else " + ONE.strip()
    )
    with speaking(tmp_path, body) as worker:
        said = worker.observe("v", UNTIED, ["RR"])["RR"]["stderr"]
        assert "mean" in worker.observe("v", UNTIED, ["AP"])["AP"], "a pipe that nobody reads would stop it"
    assert said == " | ".join(str(n) for n in range(90, 100))
    long = "        print('y' * 300_000, file=sys.stderr, flush=True)\n        os.abort()"
    with speaking(tmp_path, long) as worker:
        assert len(worker.observe("v", UNTIED, ["RR"])["RR"]["stderr"]) <= KEPT
    body = f"        os.write(2, b'old') if 'AP' in asked['measures'] else os.abort()\n{ONE}"
    with speaking(tmp_path, body) as worker:
        worker.observe("v", UNTIED, ["AP"])
        time.sleep(0.2)
        assert "stderr" not in worker.observe("v", UNTIED, ["RR"])["RR"]


def test_an_adapter_that_cannot_be_loaded_says_why_on_stderr(tmp_path: Path) -> None:
    adapter = tmp_path / "broken_adapter.py"
    adapter.write_text("this is no Python\n")
    with Worker(adapter) as worker, pytest.raises(WorkerFailed) as caught:
        worker.hello()
    assert caught.value.whole().startswith("the process ended with exit code 1; its stderr ends: ")
    assert caught.value.whole().endswith("SyntaxError: invalid syntax")
