"""What each verb writes for programs follows a schema that is shipped with it, and says nothing that the schema does not name."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
import typed
from click.testing import CliRunner

from rankproof import cases as corpus
from rankproof.check.result import FaultKind, Verdict
from rankproof.cli.program import VERBS, cli
from rankproof.report.public_data import SCHEMA_OF
from rankproof.workers.known_libraries import Library, claiming_nothing, libraries

HERE = Path(__file__).resolve().parent
SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
    for path in typed.SCHEMAS.iterdir()
}
FILES = {"fingerprint", "probe"}
"""Verbs that write what their files hold, whose schemas lie beside those who write the files."""


def test_every_verb_with_json_has_a_schema() -> None:
    verbs = {name: import_module(f"rankproof.cli.{name}").command for name in VERBS}
    groups = {name: group.commands for name, group in verbs.items() if isinstance(group, click.Group)}
    verbs |= {f"{name}_{part}": one for name, parts in groups.items() for part, one in parts.items()}
    with_json = {name for name, one in verbs.items() if any("--json" in parameter.opts for parameter in one.params)}
    assert with_json == {*SCHEMAS, *FILES}


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        schema = list(schema.values())
    for part in schema if isinstance(schema, list) else []:
        yield from objects(part)


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_a_schema_is_strict_and_described(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["title"].startswith(f"What `rankproof {name.replace('_', ' ')} --json` writes")
    may_be_more = [one for one in objects(SCHEMAS[name]) if "additionalProperties" not in one]
    assert may_be_more == [], "it says what else may be there: nothing"


def written(name: str, *arguments: object) -> Any:
    """What the verb writes; it follows its schema."""
    done = CliRunner().invoke(cli, [*name.split("_"), *map(str, arguments), "--json"], standalone_mode=False)
    assert done.exception is None, done.exception
    return typed.read(name, done.stdout)


@pytest.mark.parametrize("line", ["cases_list ties/*", "measures", "axes", "profiles"])
def test_lists(line: str) -> None:
    assert len(written(*line.split())) > 10


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 b 0\n")
    for name in ("bm25", "dense"):
        (tmp_path / name).write_text("q1 Q0 a 1 2.0 x\nq2 Q0 b 1 1.0 x\n")
    return [tmp_path / name for name in ("qrels", "bm25", "dense")]


def test_evaluate(files: list[Path]) -> None:
    one = written("evaluate", *files[:2], "-m", "AP", "-m", "nDCG@5", "--per-query", "--profile", "norel=nan")
    assert one["measures"]["AP"]["per_query"]["q2"] == "nan"
    several = written("evaluate", *files, "-m", "P@1")
    assert [run["system"] for run in several["runs"]] == ["bm25", "dense"]


def test_explain(files: list[Path]) -> None:
    found = written("explain", *files, "-m", "AP", "-m", "P@5", "--as", "norel=nan", "--as", "grades=binary")
    assert [one["run"] for one in found["explained"]] == ["bm25", "dense"] * 2
    assert found["explained"][0]["profiles"][0]["mean"] == "nan"
    (valued,) = written("explain", *files[:2], "-m", "P@2", "--value", ".25", "--value", ".1")["explained"]
    assert valued["values"][0]["found"]


@pytest.mark.parametrize(
    "signatures",
    [
        ["nDCG@10"],
        ["nDCG@10|gain:exp", "nDCG@10|ties:input|score:f32"],
        ["P@5", "P@5"],
        ["nDCG@10", "P@5"],
        ["AP", "V"],
        ["AP|norel:rejected", "AP|norel:nan"],
        ["RR|missing:rejected", "RR"],
    ],
    ids=" ".join,
)
def test_signature(signatures: list[str]) -> None:
    assert written("signature", *signatures)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("call", "measure", "verdict"),
    [
        ("precision(rels, k)", "P@5", "agrees"),
        ("ndcg(y_true, y_score, k)", "nDCG@10", "variant"),
        ("discount_from_rank_two(y_true, y_score, k)", "nDCG@10", "differs"),
        ("precision(hit_ranks, k)", "P@5", "differs"),
    ],
)
def test_check(call: str, measure: str, verdict: str, monkeypatch: pytest.MonkeyPatch) -> None:
    few = tuple(case for case in corpus.load_all() if case.id.startswith(("gain/", "ties/s")))
    monkeypatch.setattr(corpus, "load_all", lambda: few)
    found = written("check", HERE / "functions" / "metrics_to_check.py", call, measure)
    assert (found["verdict"], found["call"], found["measure"]) == (verdict, call, measure)
    assert (found["holds"], bool(found["faults"])) == (verdict != "differs", verdict == "differs")


def test_schema_of_check_has_every_verdict_and_every_kind_of_fault() -> None:
    schema = SCHEMAS["check"]
    assert schema["properties"]["verdict"]["enum"] == [*Verdict]
    assert schema["$defs"]["fault"]["properties"]["kind"]["enum"] == [*FaultKind]


@pytest.mark.in_turn
def test_libraries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = claiming_nothing("gone", tmp_path / "gone.toml", ("no-such-program", "{here}/x"))
    known = [
        *(library for library in libraries() if library.name == "pytrec_eval"),
        *libraries(HERE / "foreign")[:2],
        Library("gone", tmp_path / "x", gone),
        Library("broken", tmp_path / "y", gone, "its sheet does not read"),
    ]
    monkeypatch.setattr("rankproof.workers.known_libraries.libraries", lambda: known)
    found = written("libraries")
    assert "version" in found["pytrec_eval"]
    assert "not_installed" in found["gone"]
    assert "fault" in found["broken"]


@pytest.fixture(scope="module")
def published() -> Any:
    return json.loads((corpus.HERE.parent / "reports" / "history.json").read_text(encoding="utf-8"))["libraries"]


@pytest.mark.in_turn
def test_upgrade(published: dict[str, Any], tmp_path: Path) -> None:
    """Of all that was published: refusals, defects, changes of what a library stands on, numbers that are none, and nothing at all."""
    moving = 0
    for library, history in published.items():
        ends = history["versions"][0], history["versions"][-1]
        for old, new in [ends, ends[::-1]] if ends[0] != ends[1] else []:
            done = typed.rankproof("upgrade", library, old, new, "--json", cwd=tmp_path)
            assert done.code == bool(history["steps"]), (library, done.err)
            (one,) = typed.read("upgrade", done.out)["upgrades"]
            assert (one["source"], one["why_not"]) == ("published", "")
            assert one["moves"] == sum(len(step["changes"]) for step in history["steps"])
            assert one["steps"] == (history["steps"] if (old, new) == ends else history["steps"][::-1])
            moving += done.code
    assert moving > 20
    assert any(not one["steps"] and len(one["versions"]) > 1 for one in published.values())


def test_a_change_is_described_alike_wherever_it_is_written() -> None:
    history = json.loads(SCHEMA_OF["history"].read_text(encoding="utf-8"))["$defs"]
    shared = {name: history.keys() & SCHEMAS[name]["$defs"].keys() for name in ("bisect", "upgrade")}
    assert shared["bisect"] == {"move", "kind", "change", "side", "reading", "package"}
    assert shared["upgrade"] == shared["bisect"] | {"step"}
    for name, parts in shared.items():
        for part in parts:
            assert SCHEMAS[name]["$defs"][part] == history[part], (name, part)


@pytest.mark.parametrize(
    ("verb", "change"),
    [
        ("bisect", lambda said: said["changes"][0].update(by_the_release="yes")),
        ("bisect", lambda said: said["changes"][0]["changes"].clear()),
        ("bisect", lambda said: said["changes"][0]["changes"][0]["witness"].pop("old")),
        ("bisect", lambda said: said.update(more=[])),
        ("upgrade", lambda said: said["upgrades"][0].update(source="guessed")),
        ("upgrade", lambda said: said["upgrades"][0]["steps"][0].pop("beside")),
        ("upgrade", lambda said: said["upgrades"][0]["steps"][0]["changes"][0].update(worse=True)),
        ("upgrade", lambda said: said["touched"].update({"a:f": []})),
    ],
)
def test_what_is_written_otherwise_does_not_follow_the_schema(
    verb: str, change: Callable[[Any], object], published: dict[str, Any]
) -> None:
    library, history = next((name, one) for name, one in published.items() if one["steps"])
    step = deepcopy(history["steps"][0])
    border = {name: step[name] for name in ("from", "to", "also_differs", "changes")}
    border |= {"released": "", "skipped": [], "by_the_release": None}
    search = {"asked": history["versions"], "changes": [border], "not_looked_at": [], "could_not_be_asked": {}}
    upgrade = {
        "library": library,
        "old": step["from"],
        "new": step["to"],
        "moves": len(step["changes"]),
        "steps": [step],
    }
    upgrades = [upgrade | {"source": "published", "why_not": ""}]
    said: Any = (
        {"library": library, **search} if verb == "bisect" else {"upgrades": upgrades, "touched": {"a:f": [library]}}
    )
    typed.read(verb, json.dumps(said))
    change(said)
    with pytest.raises(jsonschema.ValidationError):
        typed.read(verb, json.dumps(said))
