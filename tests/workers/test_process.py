"""A worker that raises, prints, hangs, dies or lies is a reply like any other, and the next question is answered."""

import json
import os
import platform
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import jsonschema
import pytest
from processes import children, gone

from rankproof import adapters
from rankproof import cases as corpus
from rankproof.adapters import worker as worker_module
from rankproof.judge.verdicts import Verdict
from rankproof.workers import process as processes_of_workers
from rankproof.workers.library_worker import TIMEOUT, WORKER, Worker
from rankproof.workers.process import FAILURES, KEPT, Interrupted, WorkerFailed, start_program

ADAPTER = Path(__file__).resolve().parent.parent / "miniatures" / "miniatures_adapter.py"
SCHEMA = json.loads((Path(adapters.__file__).parent / "schemas" / "protocol.schema.json").read_text(encoding="utf-8"))
TIED = {
    "qrels": [["q1", "a", 1]],
    "run": [["q1", "a", 1.0, 1], ["q1", "b", 1.0, 2]],
    "empty_in_qrels": [],
    "empty_in_run": [],
}
UNTIED = {**TIED, "run": [["q1", "a", 2.0, 1], ["q1", "b", 1.0, 2]]}


@cache
def of_schema(definition: str) -> jsonschema.Draft202012Validator:
    """What holds a message to one definition of the protocol's schema."""
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": SCHEMA["$defs"]})


def valid(message: object, definition: str) -> bool:
    return bool(of_schema(definition).is_valid(message))


def replies_to(adapter: Path, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    """What the worker says to an adapter's questions, started as a program."""
    lines = "".join(json.dumps(message) + "\n" for message in messages)
    command = [sys.executable, "-I", str(WORKER), str(adapter)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_an_adapter_that_was_edited_is_read_again_though_its_time_and_size_are_the_same(tmp_path: Path) -> None:
    adapter = tmp_path / "edited_adapter.py"
    titles = []
    for title in ("first", "other"):
        names = f"LIBRARY, PACKAGES, VARIANTS, MEASURES = 'edited', [], {{'v': '{title}'}}, {{}}"
        adapter.write_text(f"{names}\ndef load(): return {{'version': '1'}}\n", encoding="utf-8")
        os.utime(adapter, (1, 1))
        titles.append(replies_to(adapter, {"op": "hello", "seq": 1, "protocol": 1})[0]["variants"]["v"])
    assert titles == ["first", "other"]


def test_messages_follow_the_protocol() -> None:
    asked = [
        {"op": "hello", "seq": 1, "protocol": 1},
        {"op": "observe", "seq": 2, "variant": "honest_and_noisy", "input": TIED, "measures": ["P@1", "AUC"]},
        {"op": "observe", "seq": 3, "variant": "raises_on_ties", "input": TIED, "measures": ["P@1"]},
        {"op": "identify", "seq": 4},
        {"op": "calls", "seq": 5},
        {"op": "bye", "seq": 6},
    ]
    assert all(valid(message, message["op"]) for message in asked)
    replies = replies_to(ADAPTER, *asked)
    kinds = ["hello_reply", "observe_reply", "observe_reply", "identify_reply", "calls_reply", "bye_reply"]
    assert [valid(reply, kind) for reply, kind in zip(replies, kinds, strict=True)] == [True] * 6
    assert replies[1]["answers"]["AUC"] == {"unsupported": "miniatures has no AUC"}
    assert replies[2]["answers"]["P@1"] == {"error": {"type": "RuntimeError", "message": "tied <b>scores</b>"}}
    assert replies[0]["measures"] == replies[3]["measures"]
    assert "nDCG@{k}" in replies[0]["measures"]["honest"]
    assert not valid(asked[1] | {"once": True}, "observe")


def test_every_input_is_as_the_protocol_describes_it_and_survives_json() -> None:
    for case in corpus.load_all()[::25]:
        given = case.input.as_json()
        assert valid({"op": "observe", "seq": 1, "variant": "v", "input": given, "measures": ["AP"]}, "observe")
        sent = json.loads(json.dumps(given))
        assert repr(worker_module.decoded(sent)) == repr(worker_module.decoded(given)), "NaN and the infinities too"


def test_who_waits_for_a_reply_is_interrupted_and_asks_no_more() -> None:
    stop = threading.Event()
    with Worker(ADAPTER, stop=stop) as worker:
        worker.hello()
        threading.Timer(0.1, stop.set).start()
        started = time.monotonic()
        with pytest.raises(Interrupted):
            worker.observe("hangs_on_ties", TIED, ["P@1", "AP"])
        with pytest.raises(Interrupted):
            worker.observe("honest", UNTIED, ["P@1"])
    assert time.monotonic() - started < TIMEOUT / 2, "it waited, noticed it, and ended the process"


def test_what_json_has_no_number_for_is_told_as_text() -> None:
    told = [worker_module.number(value) for value in (float("inf"), float("-inf"), float("nan"), None, 1, True)]
    assert told == ["inf", "-inf", "nan", None, 1.0, 1.0]


def test_every_way_to_fail_is_a_verdict() -> None:
    assert set(FAILURES) <= set(Verdict)


def test_the_worker_and_the_adapters_are_python_3_8() -> None:
    import ast

    for path in [WORKER, *WORKER.parent.glob("*_adapter.py")]:
        ast.parse(text := path.read_text(encoding="utf-8"), feature_version=(3, 8))
        assert not re.search(r"^\s*(import|from) .*\brankproof\b", text, re.MULTILINE), path


# -- what the harness does, so that no adapter need ------------------------------------------------------------------


def speaking(tmp_path: Path, body: str) -> Worker:
    """A worker whose adapter is a program of these lines, in which `op`, `asked` and `say` are there."""
    said = {"protocol": 1, "library": "tiny", "version": "1", "variants": {"v": ""}, "measures": {"v": ["AP", "RR"]}}
    program = tmp_path / "tiny.py"
    program.write_text(
        "import json, os, sys, time\n"
        "def say(**reply): print(json.dumps(dict(reply, seq=asked['seq'])), flush=True)\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n    op = asked['op']\n"
        f"    if op == 'hello':\n        say(**{said!r})\n"
        f"    elif op == 'observe':\n{body}\n"
        "    else:\n        say()\n",
        encoding="utf-8",
    )
    return Worker(program, timeout=5, command=[sys.executable, str(program)])


ANSWERED = {"per_query": None, "mean": 1}
ONE = "        say(answers={m: {'per_query': None, 'mean': 1} for m in asked['measures']})"


def test_an_interpreter_that_is_not_there_is_a_crash_of_this_library() -> None:
    why = r"^/no/python cannot be started: No such file or directory$"
    with Worker(ADAPTER, python="/no/python") as worker, pytest.raises(WorkerFailed, match=why) as caught:
        worker.hello()
    assert caught.value.kind == "crash"


# -- nothing waits without a limit, and nothing outlives its worker --------------------------------------------------------


def test_who_does_not_read_what_it_is_asked_is_waited_for_no_longer_than_the_deadline(tmp_path: Path) -> None:
    large = {**UNTIED, "run": [["q1", f"doc{n}", 1.0, n] for n in range(20_000)]}
    deaf = tmp_path / "deaf.py"
    deaf.write_text("import time\ntime.sleep(60)\n")
    process = start_program([sys.executable, "-S", str(deaf)], 0, {})
    started = time.monotonic()
    with pytest.raises(WorkerFailed, match=r"no answer within 0.5 s"):
        process.exchange(json.dumps(large).encode() + b"\n", 0.5)
    assert time.monotonic() - started < TIMEOUT / 4


def test_a_long_question_and_a_long_answer_pass_through(tmp_path: Path) -> None:
    body = (
        "        ranks = {row[1]: row[3] for row in asked['input']['run']}\n"
        "        say(answers={m: {'per_query': ranks, 'mean': 1} for m in asked['measures']})"
    )
    large = {**UNTIED, "run": [["q1", f"doc{n}", 1.0, n] for n in range(20_000)]}
    with speaking(tmp_path, body) as worker:
        answer = worker.observe("v", large, ["AP"], once=True)["AP"]
    assert answer["per_query"] == {f"doc{n}": n for n in range(20_000)}


def test_a_reply_of_many_bytes_is_read_only_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes_of_workers, "LONGEST", 1_000_000)
    for length, fits in ((900_000, True), (1_100_000, False)):
        body = f"        print(' ' * {length}, end='')\n{ONE}"
        with speaking(tmp_path, body) as worker:
            answer = worker.observe("v", UNTIED, ["AP"], once=True)["AP"]
        too_long = {"failed": "invalid-output", "message": "the reply is longer than 1 MB"}
        assert answer == (ANSWERED if fits else too_long)


def test_a_reply_to_what_was_not_read_is_none(tmp_path: Path) -> None:
    hasty = tmp_path / "hasty.py"
    hasty.write_text("import time\nprint('{\"seq\": 1}', flush=True)\ntime.sleep(60)\n")
    process = start_program([sys.executable, "-S", str(hasty)], 0, {})
    with pytest.raises(WorkerFailed, match="it replied to what it had not read"):
        process.exchange(b"x" * 1_000_000, 5)


LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux hands orphans on")
FAMILY = f"""
        r, w = os.pipe()
        if not os.fork():
            import signal
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.setsid()
            os.fork() or os.write(w, b'.')
            time.sleep(60)
        os.read(r, 1)
{ONE}"""
"""An adapter that leaves a child and a grandchild in a session of their own, who do not end when they are asked to."""


@LINUX
@pytest.mark.parametrize("kill", ["nobody", "the worker", "the supervisor"])
def test_nothing_that_it_started_outlives_a_worker(kill: str, tmp_path: Path) -> None:
    others = children(os.getpid())
    with speaking(tmp_path, FAMILY) as worker:
        worker.observe("v", UNTIED, ["AP"], once=True)
        top, *family = (process for process in children(os.getpid()) if process not in others)
        assert len(family) == 4, "the second supervisor, the worker, its child and grandchild"
        if kill != "nobody":
            os.kill({"the worker": family[1], "the supervisor": family[0]}[kill], signal.SIGKILL)
            assert gone([family[1]]), "a worker does not outlive its supervisor"
        worker.end()
        assert gone([top, *family])


@LINUX
def test_when_rankproof_itself_is_killed_all_workers_and_what_they_started_end(tmp_path: Path) -> None:
    program = speaking(tmp_path, FAMILY).adapter
    program.write_text(program.read_text() + "time.sleep(60)\n")  # the end of its input does not end it
    asks = (
        "import sys; from pathlib import Path; from rankproof.workers.library_worker import Worker\n"
        f"worker = Worker(Path('x'), command=[sys.executable, {str(program)!r}])\n"
        f"worker.observe('v', {UNTIED!r}, ['AP'], once=True); print('asked', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen([sys.executable, "-c", asks], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout.readline() == b"asked\n"
        family = children(parent.pid)
        assert len(family) == 5, "two supervisors, the worker, its child and grandchild"
        parent.kill()
        assert gone(family)


# -- the end of stderr -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("does", "kind"),
    [
        ("os.abort()", "crash"),
        ("time.sleep(60)", "timeout"),
        ("print('nonsense', flush=True)", "invalid-output"),
        ("sys.exit(3)", "crash"),
    ],
)
def test_the_end_of_stderr_is_kept_for_the_author_and_no_part_of_the_text(does: str, kind: str, tmp_path: Path) -> None:
    body = f"        os.write(2, b'why\\x1b[1m it fails\\n\\xff\\n')\n        {does}"
    with speaking(tmp_path, body) as worker:
        worker.hello()
        worker.timeout = 0.7 if kind == "timeout" else 60
        answer = worker.observe("v", UNTIED, ["AP"])["AP"]
    assert answer["failed"] == kind
    assert answer["stderr"] == "why\\x1b[1m it fails | \ufffd"
    assert "why" not in answer["message"]


@pytest.mark.parametrize(
    ("ends", "how", "from_outside"),
    [
        ("os._exit(7)", "with exit code 7", False),
        ("os.kill(os.getpid(), 11)", "by SIGSEGV", False),
        ("os.kill(os.getpid(), 15)", "by SIGTERM", True),
        ("os.kill(os.getpid(), 9)", "by SIGKILL", True),
    ],
)
def test_who_ends_before_it_is_asked_has_crashed_and_is_heard(ends: str, how: str, *, from_outside: bool) -> None:
    process = start_program([sys.executable, "-c", f"import os; os.write(2, b'no licence'); {ends}"], 0, {})
    process.supervisor.wait()
    with pytest.raises(WorkerFailed, match=f"^the process ended {how}$") as caught:
        process.exchange(b"{}\n", 60)
    assert (caught.value.kind, caught.value.stderr) == ("crash", "no licence")
    assert caught.value.from_outside is from_outside


@pytest.mark.parametrize("said", ["", "{}", "{}\\n", "half of a li"])
def test_what_a_process_says_unasked_is_seen_before_it_is_asked_more(said: str) -> None:
    later = f"time.sleep(0.3); sys.stdout.write('{said}'); sys.stdout.flush(); input()"
    body = f"import sys, time; input(); print('answer', flush=True); {later}"
    process = start_program([sys.executable, "-c", body], 0, {})
    try:
        assert process.exchange(b"x\n", 60) == b"answer"
        until = time.monotonic() + 10
        while said and not process.has_output() and time.monotonic() < until:
            time.sleep(0.01)
        assert process.has_output() == bool(said)
    finally:
        process.end()


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


def test_what_an_adapter_says_of_its_library_is_told_by_its_names() -> None:
    said: dict[str, Any] = {"absent": {"b": "no jar"}, "module": "a copy"}
    adapter = SimpleNamespace(
        LIBRARY="mine",
        PACKAGES=["click", "no-such-package", "pytest"],
        VARIANTS={"a": "one", "b": "two", "c": "three"},
        MEASURES=lambda variant: {f"P@{{k}}{variant}": 1, "RR": 2},
        UNTOLD={"c": "ties order"},
        load=lambda: dict(said),
    )
    found = worker_module.hello(adapter)
    assert (found["variants"], found["absent"], found["notes"]) == (
        {"a": "one", "c": "three"},
        {"b": "no jar"},
        {"module": "a copy"},
    )
    assert (found["version"], found["untold"]) == (version("click"), {"c": "ties order"})
    assert found["dependencies"] == {"click": version("click"), "pytest": version("pytest")}
    assert found["seconds"] > 0
    assert found["measures"] == {name: [f"P@{{k}}{name}", "RR"] for name in "abc"}
    said["version"] = "7"
    assert worker_module.hello(adapter)["version"] == "7"
    for error in (ImportError("no module"), LookupError("no program")):
        adapter.load = Mock(side_effect=error)
        assert worker_module.hello(adapter)["not_installed"] == str(error)
    del adapter.UNTOLD
    adapter.PACKAGES, adapter.load = [], lambda: None
    assert [worker_module.hello(adapter)[of] for of in ("version", "untold", "absent")] == ["unknown", {}, {}]
    assert worker_module.identify(adapter)["python"].split() == [sys.executable, platform.python_version()]


def test_what_a_library_does_with_one_measure_is_its_answer() -> None:
    class Unsupported(Exception):
        pass

    def observe(_variant: str, data: dict[str, Any], call: Any, values: dict[str, Any]) -> Any:
        if isinstance(call, Exception):
            raise call
        warnings.warn("heed me", stacklevel=1)
        data["run"].pop()
        data["qrels"][0][2] += 1
        return {1: data["qrels"][0][2], None: data["run"][0][2] - 1}, values[call]

    measures = {
        "P@{k}": "k",
        "RBP(p={p})": "p",
        "AP": "measure",
        "RR": ValueError("\n  first \nsecond"),
        "F": KeyError("x" * 400),
        "R": Unsupported("no\nR"),
        "ERR": TypeError(),
    }
    adapter = SimpleNamespace(LIBRARY="mine", MEASURES=measures, observe=observe)
    data = {"qrels": [["1", "a", 1]], "run": [["1", "a", "-inf", 1], ["1", "b", 1.0, 2]]}
    asked = ["P@5", "RBP(p=0.5)", "AP", "RR", "F", "R", "ERR", "nDCG"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = worker_module.observe(adapter, {"variant": "v", "input": data, "measures": asked})["answers"]
    own = {"1": 2.0, "None": "-inf"}
    assert [told[measure] for measure in asked[:2]] == [{"per_query": own, "mean": mean} for mean in (5.0, 0.5)]
    assert [told[measure]["error"] for measure in asked[2:5]] + [told["ERR"]["error"]] == [
        {"type": "ValueError", "message": "could not convert string to float: 'AP'"},
        {"type": "ValueError", "message": "first"},
        {"type": "KeyError", "message": "'" + "x" * 299},
        {"type": "TypeError", "message": ""},
    ]
    assert [told[measure]["unsupported"] for measure in ("R", "nDCG")] == ["no\nR", "mine has no nDCG"]
    assert data == {"qrels": [["1", "a", 1]], "run": [["1", "a", "-inf", 1], ["1", "b", 1.0, 2]]}


def test_a_measure_is_matched_by_the_whole_of_a_notation() -> None:
    supported = {"P(rel={rel})@{k}": "rel", "P@{k}": "precision", "RBP(p={p})@{k}": "rbp", "nDCG": "ndcg"}
    assert worker_module.match(supported, "P(rel=2)@5") == ("rel", {"rel": 2, "k": 5})
    assert worker_module.match(supported, "P@10") == ("precision", {"k": 10})
    assert worker_module.match(supported, "RBP(p=0.8)@5") == ("rbp", {"p": 0.8, "k": 5})
    for other in ("P@10x", "xP@10", "P", "P@", "P@k", "nDCG@5", "RBP(p=0x8)@5", "RBP[p=0.8]@5"):
        assert worker_module.match(supported, other) is None, other
    assert worker_module.match({"*": "any"}, "P@10x") == ("any", {})


@pytest.mark.parametrize("name", ["little-rank", "Little.Rank", "little_rank"])
def test_before_python_3_8_a_version_is_found_by_the_name_of_a_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("little-3.dist-info", "little_rank-1.2.post1.dist-info", "little_rank_more-2.egg-info"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path / "none"), str(tmp_path)])
    assert worker_module.version_in_folders(name) == "1.2.post1"
    others = {"little": "3", "rank": None, "little-rank-more": "2"}
    assert {other: worker_module.version_in_folders(other) for other in others} == others


def test_an_answer_depends_on_the_version_of_each_package_that_it_stands_on() -> None:
    packages = ["pytest", "numpy", "click"]
    adapter = SimpleNamespace(LIBRARY="mine", PACKAGES=packages, VARIANTS={"v": ""}, MEASURES={"RR": 1})
    told = worker_module.identify(adapter)["versions"]
    assert told == {name: version(name) for name in packages}
    adapter.identity = lambda: {"program": "9.0.8"}
    assert worker_module.identify(adapter)["versions"] == {**told, "program": "9.0.8"}
