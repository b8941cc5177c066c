"""The worker of Python adapters: it follows the protocol, and turns every value or error of an adapter into a reply."""

import ast
import json
import os
import platform
import re
import subprocess
import sys
import warnings
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import jsonschema

from rankproof import adapters
from rankproof import cases as corpus
from rankproof.adapters import worker

WORKER = Path(worker.__file__)
MINIATURES = Path(__file__).resolve().parent.parent / "miniatures" / "miniatures_adapter.py"
SCHEMA = json.loads((Path(adapters.__file__).parent / "schemas" / "protocol.schema.json").read_text(encoding="utf-8"))
TIED = {
    "qrels": [["q1", "a", 1]],
    "run": [["q1", "a", 1.0, 1], ["q1", "b", 1.0, 2]],
    "empty_in_qrels": [],
    "empty_in_run": [],
}


@cache
def of_schema(definition: str) -> jsonschema.Draft202012Validator:
    """Return a validator for one definition of the protocol."""
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": SCHEMA["$defs"]})


def valid(message: object, definition: str) -> bool:
    return bool(of_schema(definition).is_valid(message))


def replies_to(adapter: Path, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    """Run the worker with an adapter, and return its replies."""
    lines = "".join(json.dumps(message) + "\n" for message in messages)
    command = [sys.executable, "-I", str(WORKER), str(adapter)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_edited_adapter_is_read_again_even_if_its_time_and_size_are_the_same(tmp_path: Path) -> None:
    adapter = tmp_path / "edited_adapter.py"
    titles = []
    for title in ("first", "other"):
        names = f"LIBRARY, PACKAGES, VARIANTS, MEASURES = 'edited', [], {{'v': '{title}'}}, {{}}"
        adapter.write_text(f"{names}\ndef load(): return {{'version': '1'}}\n", encoding="utf-8")
        os.utime(adapter, (1, 1))
        titles.append(replies_to(adapter, {"op": "hello", "seq": 1, "protocol": 1})[0]["variants"]["v"])
    assert titles == ["first", "other"]


def test_messages_follow_the_protocol() -> None:
    requests = [
        {"op": "hello", "seq": 1, "protocol": 1},
        {"op": "observe", "seq": 2, "variant": "honest_and_noisy", "input": TIED, "measures": ["P@1", "AUC"]},
        {"op": "observe", "seq": 3, "variant": "raises_on_ties", "input": TIED, "measures": ["P@1"]},
        {"op": "identify", "seq": 4},
        {"op": "calls", "seq": 5},
        {"op": "bye", "seq": 6},
    ]
    assert all(valid(message, message["op"]) for message in requests)
    replies = replies_to(MINIATURES, *requests)
    kinds = ["hello_reply", "observe_reply", "observe_reply", "identify_reply", "calls_reply", "bye_reply"]
    assert [valid(reply, kind) for reply, kind in zip(replies, kinds, strict=True)] == [True] * 6
    assert replies[1]["answers"]["AUC"] == {"unsupported": "miniatures has no AUC"}
    assert replies[2]["answers"]["P@1"] == {"error": {"type": "RuntimeError", "message": "tied <b>scores</b>"}}
    assert replies[0]["measures"] == replies[3]["measures"]
    assert "nDCG@{k}" in replies[0]["measures"]["honest"]
    assert not valid(requests[1] | {"once": True}, "observe")


def test_inputs_follow_the_protocol_and_survive_json() -> None:
    for case in corpus.load_all()[::25]:
        given = case.input.as_json()
        assert valid({"op": "observe", "seq": 1, "variant": "v", "input": given, "measures": ["AP"]}, "observe")
        sent = json.loads(json.dumps(given))
        assert repr(worker.decoded(sent)) == repr(worker.decoded(given)), "NaN and the infinities too"


def test_nan_and_infinities_are_sent_as_text() -> None:
    numbers = [worker.number(value) for value in (float("inf"), float("-inf"), float("nan"), None, 1, True)]
    assert numbers == ["inf", "-inf", "nan", None, 1.0, 1.0]


def test_worker_and_adapters_run_on_python_3_8_without_rankproof() -> None:
    for path in [WORKER, *WORKER.parent.glob("*_adapter.py")]:
        ast.parse(text := path.read_text(encoding="utf-8"), feature_version=(3, 8))
        assert not re.search(r"^\s*(import|from) .*\brankproof\b", text, re.MULTILINE), path


def test_hello_describes_the_library() -> None:
    loaded: dict[str, Any] = {"absent": {"b": "no jar"}, "module": "a copy"}
    adapter = SimpleNamespace(
        LIBRARY="mine",
        PACKAGES=["click", "no-such-package", "pytest"],
        VARIANTS={"a": "one", "b": "two", "c": "three"},
        MEASURES=lambda variant: {f"P@{{k}}{variant}": 1, "RR": 2},
        UNTOLD={"c": "ties order"},
        load=lambda: dict(loaded),
    )
    reply = worker.hello(adapter)
    assert (reply["variants"], reply["absent"], reply["notes"]) == (
        {"a": "one", "c": "three"},
        {"b": "no jar"},
        {"module": "a copy"},
    )
    assert (reply["version"], reply["untold"]) == (version("click"), {"c": "ties order"})
    assert reply["dependencies"] == {"click": version("click"), "pytest": version("pytest")}
    assert reply["seconds"] > 0
    assert reply["measures"] == {name: [f"P@{{k}}{name}", "RR"] for name in "abc"}
    loaded["version"] = "7"
    assert worker.hello(adapter)["version"] == "7"
    for error in (ImportError("no module"), LookupError("no program")):
        adapter.load = Mock(side_effect=error)
        assert worker.hello(adapter)["not_installed"] == str(error)
    del adapter.UNTOLD
    adapter.PACKAGES, adapter.load = [], lambda: None
    assert [worker.hello(adapter)[of] for of in ("version", "untold", "absent")] == ["unknown", {}, {}]
    assert worker.identify(adapter)["python"].split() == [sys.executable, platform.python_version()]


def test_worker_replies_with_a_value_or_error_for_each_measure_and_keeps_the_input_unchanged() -> None:
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
        answers = worker.observe(adapter, {"variant": "v", "input": data, "measures": asked})["answers"]
    own = {"1": 2.0, "None": "-inf"}
    assert [answers[measure] for measure in asked[:2]] == [{"per_query": own, "mean": mean} for mean in (5.0, 0.5)]
    assert [answers[measure]["error"] for measure in asked[2:5]] + [answers["ERR"]["error"]] == [
        {"type": "ValueError", "message": "could not convert string to float: 'AP'"},
        {"type": "ValueError", "message": "first"},
        {"type": "KeyError", "message": "'" + "x" * 299},
        {"type": "TypeError", "message": ""},
    ]
    assert [answers[measure]["unsupported"] for measure in ("R", "nDCG")] == ["no\nR", "mine has no nDCG"]
    assert data == {"qrels": [["1", "a", 1]], "run": [["1", "a", "-inf", 1], ["1", "b", 1.0, 2]]}


def test_measure_is_matched_by_its_whole_notation() -> None:
    supported = {"P(rel={rel})@{k}": "rel", "P@{k}": "precision", "RBP(p={p})@{k}": "rbp", "nDCG": "ndcg"}
    assert worker.match(supported, "P(rel=2)@5") == ("rel", {"rel": 2, "k": 5})
    assert worker.match(supported, "P@10") == ("precision", {"k": 10})
    assert worker.match(supported, "RBP(p=0.8)@5") == ("rbp", {"p": 0.8, "k": 5})
    for other in ("P@10x", "xP@10", "P", "P@", "P@k", "nDCG@5", "RBP(p=0x8)@5", "RBP[p=0.8]@5"):
        assert worker.match(supported, other) is None, other
    assert worker.match({"*": "any"}, "P@10x") == ("any", {})


def test_version_is_found_by_folder_name_before_python_3_8(tmp_path: Path) -> None:
    for folder in ("little-3.dist-info", "little_rank-1.2.post1.dist-info", "little_rank_more-2.egg-info"):
        (tmp_path / folder).mkdir()
    names = ["little-rank", "Little.Rank", "little_rank", "little", "rank", "little-rank-more"]
    program = (
        "import importlib.util, json, sys; spec = importlib.util.spec_from_file_location('worker', sys.argv[1]); "
        "worker = importlib.util.module_from_spec(spec); spec.loader.exec_module(worker); "
        "sys.path[:] = sys.argv[2:4]; print(json.dumps([worker.version_in_folders(name) for name in sys.argv[4:]]))"
    )
    command = [sys.executable, "-c", program, WORKER, tmp_path / "none", tmp_path, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["1.2.post1"] * 3 + ["3", None, "2"]


def test_identity_has_the_version_of_each_package() -> None:
    packages = ["pytest", "numpy", "click"]
    adapter = SimpleNamespace(LIBRARY="mine", PACKAGES=packages, VARIANTS={"v": ""}, MEASURES={"RR": 1})
    versions = worker.identify(adapter)["versions"]
    assert versions == {name: version(name) for name in packages}
    adapter.identity = lambda: {"program": "9.0.8"}
    assert worker.identify(adapter)["versions"] == {**versions, "program": "9.0.8"}
