"""Workers whose processes reply with scripted lines."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankproof.workers.library_worker import Worker
from rankproof.workers.process import WorkerFailed

HELLO = {
    "seq": 1,
    "protocol": 1,
    "library": "made",
    "version": "1",
    "variants": {"plain": ""},
    "measures": {"plain": ["P@{k}", "AP"]},
    "seconds": 0.5,
}
HALF, ONE = ({"per_query": None, "mean": mean} for mean in (0.5, 1))
CRASH = WorkerFailed("crash", "by SIGSEGV")


class Process:
    """A process that replies to `hello` with a greeting, and to each other request with the next turn of a script."""

    def __init__(self, turns: list[Any], requests: list[dict[str, Any]], greeting: dict[str, Any]) -> None:
        self.turns, self.requests, self.greeting = turns, requests, greeting

    def exchange(self, line: bytes, *_: object) -> bytes:
        """Return the reply to a request with its number, or raise the failure of the turn."""
        request = json.loads(line)
        turn = self.greeting
        if request["op"] != "hello" or not self.greeting:
            self.requests.append(request)
            turn = self.turns.pop(0)
        if isinstance(turn, Exception):
            raise turn
        if isinstance(turn, bytes):
            return turn
        return json.dumps({**turn, "seq": request["seq"] + turn.get("seq", 0)}).encode()

    def has_output(self) -> bool:
        """Return whether the next turn is output without a request."""
        more = self.turns[:1] == ["more"]
        del self.turns[:more]
        return more

    def is_gone(self) -> bool:
        """Return whether the process ended by itself."""
        return False

    def failed(self, kind: str, message: str) -> WorkerFailed:
        """Return the failure of the process."""
        return WorkerFailed(kind, message)

    def end(self) -> None:
        """End the process."""


class Scripted(Worker):
    """A worker with scripted processes, which stores their requests except `hello`."""

    def __init__(self, *turns: Any, hello: Mapping[str, Any] = HELLO) -> None:
        self.turns, self.requests = list(turns), list[dict[str, Any]]()
        greeting = {key: value for key, value in hello.items() if key != "seq"}
        super().__init__(Path("made_adapter.py"), start=lambda: Process(self.turns, self.requests, greeting))  # type: ignore[arg-type,return-value]


def answering(mean: float, **more: object) -> dict[str, Any]:
    return {"answers": {"P@1": {"per_query": None, "mean": mean}}, **more}
