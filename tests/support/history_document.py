"""A file of published histories, completed from what a test says of it."""

from collections.abc import Mapping
from typing import Any

WITNESS = {
    "kind": "moved",
    "library": "lib",
    "variant": "v",
    "version": "2",
    "case": "a/b",
    "measure": "AP",
    "query": None,
    "old": None,
    "new": None,
}
MOVE = {
    "library": "lib",
    "measure": "AP",
    "variants": ["v"],
    "answers": 1,
    "largest": 0.5,
    "cause": [],
    "profiles": [],
    "behind": "",
    "place": "a/b AP",
    "before": "0",
    "after": "1",
    "sentence": "AP moves",
    "witness": WITNESS,
}
STEP = {"from": "1", "to": "2", "noise": 0, "unsteady": 0, "beside": "", "also_differs": [], "changes": []}


def document_of(libraries: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The file of histories, with all that it has beside what is told of each library."""

    def step(said: Mapping[str, Any]) -> dict[str, Any]:
        return {**STEP, **said, "changes": [move(one) for one in said["changes"]]}

    def move(said: Mapping[str, Any]) -> dict[str, Any]:
        return {**MOVE, **said, "witness": {**WITNESS, **said.get("witness", {})}}

    heads = {name: {"title": name, "answers": [], **one} for name, one in libraries.items()}
    whole = {name: {**one, "steps": [step(said) for said in one["steps"]]} for name, one in heads.items()}
    return {"environments": [], "libraries": whole}
