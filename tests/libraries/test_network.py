"""No library reaches the network unless a person says so; and what is fetched then is of one commit."""

import os
import socket
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankproof import adapters
from rankproof.adapters.worker import host_of, is_here, load_adapter
from rankproof.judge.runs import Run
from rankproof.workers.library_worker import NETWORK, Worker

INPUT = {"qrels": [["q", "a", 1]], "run": [["q", "a", 1.0, 1]], "empty_in_qrels": [], "empty_in_run": []}
TRIES = {
    "AP": "socket.create_connection(('192.0.2.1', 80), timeout=0.01)",
    "RR": "socket.getaddrinfo(b'192.0.2.1', 80)",
    "R": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    "P": "socket.gethostbyname('192.0.2.1')",
    "F": "socket.gethostbyaddr('192.0.2.1')",
    "AUC": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, ('192.0.2.1', 53))",
    "ERR": "urllib.request.urlopen('http://192.0.2.1/', timeout=0.01)",
    "nDCG": "socket.getaddrinfo('localhost', 80)",
    "Bpref": "socket.create_connection(server.getsockname())",
}
"""Measure -> how it reaches for another machine; the last two stay on this one."""


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reaching") / "reaching_adapter.py"
    path.write_text(
        "import socket, urllib.request\n"
        f"LIBRARY, PACKAGES, VARIANTS, MEASURES = 'reaching', [], {{'v': ''}}, {TRIES!r}\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "def load(): return {'version': '1'}\n"
        "def observe(variant, data, call, values):\n    eval(call)\n    return None, 1\n"
    )
    return path


@pytest.mark.skipif(sys.version_info < (3, 8), reason="Python 3.7 has no audit hooks")
def test_a_library_that_reaches_for_another_machine_is_refused(adapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NETWORK, raising=False)
    with Worker(adapter) as worker:
        answers = worker.observe("v", INPUT, list(TRIES), once=True)
    said = {measure: answer["error"]["message"] for measure, answer in answers.items() if "error" in answer}
    assert said.keys() == TRIES.keys() - {"nDCG", "Bpref"}
    assert all("rankproof refuses the network, and " in message for message in said.values()), said
    kinds = {measure: answers[measure]["error"]["type"] for measure in said}
    assert kinds == dict.fromkeys(said, "OSError") | {"ERR": "URLError"}, "as without a network"


def test_this_machine_is_told_from_others_by_its_names_and_addresses() -> None:
    names = ["127.0.0.1", "127.8.9.10", "127.1", b"127.0.0.1", "localhost", b"localhost", "::1", "", None]
    own = [*names, socket.gethostname()]
    others = ["192.0.2.1", b"192.0.2.1", "127", "1127.0.0.1", "127.0.0.1.example.org", "::2", "localhost.example.org"]
    assert [host for host in own if not is_here(host)] == [host for host in others if is_here(host)] == []
    with socket.socket() as asked:
        pairs = [(asked, ("a", 80)), (asked, "/a/file"), (asked, ("b", 80, 0, 0)), ("c", 80), (b"d",)]
        assert [host_of(given) for given in pairs] == ["a", None, "b", "c", b"d"]


def test_it_is_not_refused_where_a_person_said_so(adapter: Path) -> None:
    with Worker(adapter, environment={NETWORK: "1"}) as worker:
        answers = worker.observe("v", INPUT, ["RR", "P"], once=True)
    assert [answer.get("mean") for answer in answers.values()] == [1, 1]


def test_the_whole_main_job_is_done_with_the_network_refused(whole_run: Run) -> None:
    assert [row for row in whole_run.rows if "refuses the network" in f"{row.error} {row.note}"] == []
    notes = {one.library.name: one.hello.get("notes", {}) for one in whole_run.answers}
    assert notes["evaluate"] == {"module": "asked through rankproof's own copy of the hub's module trec_eval"}
    assert all(one.observations for one in whole_run.answers)


# -- the hub's module of evaluate ------------------------------------------------------------------------------------------

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.delenv("RANKPROOF_HUB_REVISION", raising=False)
    loaded = load_adapter(str(Path(adapters.__file__).parent / "evaluate_adapter.py"))
    loaded.STATE["home"] = SimpleNamespace(name=str(tmp_path))
    return loaded


def test_the_hub_is_asked_for_the_commit_that_was_named(evaluate: Any) -> None:
    asked: list[object] = []

    def load(name: str, **how: object) -> int:
        asked.append((name, how, Path.cwd()))
        return 1

    assert evaluate.hub_module(SimpleNamespace(load=load), COMMIT) is int
    assert asked == [("evaluate-metric/trec_eval", {"revision": COMMIT}, Path(evaluate.STATE["home"].name))]
    assert Path.cwd() != Path(evaluate.STATE["home"].name)


def test_what_the_hub_does_not_give_is_not_replaced_by_a_copy(evaluate: Any) -> None:
    def load(_name: str, **_how: object) -> None:
        raise ConnectionError("no route")

    with pytest.raises(LookupError, match=f"trec_eval at {COMMIT} cannot be had: no route"):
        evaluate.hub_module(SimpleNamespace(load=load), COMMIT)


@pytest.mark.parametrize(("named", "is_offline"), [("", True), (COMMIT, False)])
def test_the_hub_can_be_reached_only_where_a_commit_is_named(
    named: str, evaluate: Any, monkeypatch: pytest.MonkeyPatch, *, is_offline: bool
) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    monkeypatch.setattr(os, "environ", kept | ({"RANKPROOF_HUB_REVISION": named} if named else {}))
    monkeypatch.setattr(evaluate, "hub_module", lambda _evaluate, wanted: wanted)
    monkeypatch.setattr(evaluate, "own_module", lambda: "own")
    evaluate.load()
    evaluate.STATE["home"].cleanup()
    assert evaluate.STATE["module"] == (named or "own")
    told = {name for name in os.environ if name.startswith("HF_") and name.endswith("_OFFLINE")}
    assert told == ({"HF_HUB_OFFLINE", "HF_EVALUATE_OFFLINE", "HF_DATASETS_OFFLINE"} if is_offline else set())


def test_answers_of_another_module_are_never_served_for_this_one(
    evaluate: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert evaluate.identity() == {"module": "own"}
    monkeypatch.setenv("RANKPROOF_HUB_REVISION", COMMIT)
    assert evaluate.identity() == {"module": COMMIT}
    monkeypatch.setenv("RANKPROOF_HUB_REVISION", "main")
    assert evaluate.identity() == {"module": "main"}, "why not is told by hello, and not by a crash"
    with pytest.raises(LookupError, match="names no commit"):
        evaluate.load()
