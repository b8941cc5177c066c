"""Network access of libraries: none unless the user allows it, and downloaded modules are pinned to one commit."""

import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankproof import adapters
from rankproof.adapters.worker import host_of, is_here, load_adapter
from rankproof.judge.runs import Run
from rankproof.workers.library_worker import NETWORK, Worker

INPUT = {"qrels": [["q", "a", 1]], "run": [["q", "a", 1.0, 1]], "empty_in_qrels": [], "empty_in_run": []}
ATTEMPTS = {
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
"""Measure -> how its call uses the network; the last two stay on this machine."""


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("connecting") / "connecting_adapter.py"
    path.write_text(
        "import socket, urllib.request\n"
        f"LIBRARY, PACKAGES, VARIANTS, MEASURES = 'connecting', [], {{'v': ''}}, {ATTEMPTS!r}\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "def load(): return {'version': '1'}\n"
        "def observe(variant, data, call, values):\n    eval(call)\n    return None, 1\n"
    )
    return path


def test_connection_to_another_machine_is_refused(adapter: Path) -> None:
    with Worker(adapter, environment={NETWORK: ""}) as worker:
        answers = worker.observe("v", INPUT, list(ATTEMPTS), once=True)
    errors = {measure: answer["error"] for measure, answer in answers.items() if "error" in answer}
    assert errors.keys() == ATTEMPTS.keys() - {"nDCG", "Bpref"}
    assert all("rankproof refuses the network, and " in error["message"] for error in errors.values()), errors
    kinds = {measure: error["type"] for measure, error in errors.items()}
    assert kinds == dict.fromkeys(errors, "OSError") | {"ERR": "URLError"}, "as without a network"


def test_connection_is_allowed_by_the_environment_variable(adapter: Path) -> None:
    with Worker(adapter, environment={NETWORK: "1"}) as worker:
        answers = worker.observe("v", INPUT, ["RR", "P"], once=True)
    assert [answer.get("mean") for answer in answers.values()] == [1, 1]


def test_this_machine_is_recognized_by_its_names_and_addresses() -> None:
    names = ["127.0.0.1", "127.8.9.10", "127.1", b"127.0.0.1", "localhost", b"localhost", "::1", "", None]
    own = [*names, socket.gethostname()]
    others = ["192.0.2.1", b"192.0.2.1", "127", "1127.0.0.1", "127.0.0.1.example.org", "::2", "localhost.example.org"]
    assert [host for host in own if not is_here(host)] == [host for host in others if is_here(host)] == []
    with socket.socket() as connection:
        pairs = [(connection, ("a", 80)), (connection, "/a/file"), (connection, ("b", 80, 0, 0)), ("c", 80), (b"d",)]
        assert [host_of(arguments) for arguments in pairs] == ["a", None, "b", "c", b"d"]


def test_libraries_run_on_the_whole_corpus_without_the_network(whole_run: Run) -> None:
    assert [row for row in whole_run.rows if "refuses the network" in f"{row.error} {row.note}"] == []
    notes = {answers.library.name: answers.hello.get("notes", {}) for answers in whole_run.answers}
    assert notes["evaluate"] == {"module": "asked through rankproof's own copy of the hub's module trec_eval"}
    assert all(answers.observations for answers in whole_run.answers)


# -- the Hub's module of evaluate ------------------------------------------------------------------------------------------

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REVISION = "RANKPROOF_HUB_REVISION"
EVALUATE = Path(adapters.__file__).parent / "evaluate_adapter.py"


def test_hub_module_is_loaded_at_the_named_commit_and_not_replaced_by_a_copy(tmp_path: Path) -> None:
    adapter: Any = load_adapter(str(EVALUATE))
    adapter.STATE["home"] = SimpleNamespace(name=str(tmp_path))
    calls: list[object] = []

    def load(name: str, **options: object) -> int:
        calls.append((name, options, Path.cwd()))
        return 1

    def fail(_name: str, **_options: object) -> None:
        raise ConnectionError("no route")

    assert adapter.hub_module(SimpleNamespace(load=load), COMMIT) is int
    assert calls == [("evaluate-metric/trec_eval", {"revision": COMMIT}, tmp_path)]
    assert Path.cwd() != tmp_path
    with pytest.raises(LookupError, match=f"trec_eval at {COMMIT} cannot be had: no route"):
        adapter.hub_module(SimpleNamespace(load=fail), COMMIT)


@pytest.mark.parametrize("revision", ["", COMMIT, "main"])
def test_values_of_the_hub_module_are_stored_separately_and_a_branch_is_rejected(revision: str) -> None:
    with Worker(EVALUATE, environment={REVISION: revision}) as worker:
        assert worker.identify()["versions"]["module"] == (revision or "own")
        if revision == "main":
            assert "names no commit" in worker.hello()["not_installed"]
