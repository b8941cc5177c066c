"""Workers: a child process per library, asked one JSON line at a time.

Whatever a library does (raise, print, hang, crash, answer nonsense), the harness gets a reply that says so and goes on: a worker that
died or hung is restarted, and the measures of the request that killed it are asked again one by one, so that one of them cannot hide
what the others answer.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

from rankproof import adapters
from rankproof.files import programs

WORKER = Path(adapters.__file__).resolve().parent / "worker.py"
TIMEOUT = 120.0
STEP = 0.2
"""How many seconds it may take until an interruption is noticed."""

Reply = dict[str, Any]


class WorkerFailed(Exception):
    """The worker gave no reply that can be used; `kind` is crash, timeout or invalid-output."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Interrupted(Exception):
    """No more is to be asked."""


@dataclass
class Worker:
    """One library in a process of its own.

    Attributes:
        adapter: the adapter's file.
        python: the interpreter that has the library.
        timeout: how many seconds one request may take.
        stop: once it is set, whoever waits for a reply, or asks for one, is interrupted.
        spent: the seconds that the library took by its own account: importing and answering.
        restarts: how often the process had to be started anew.
    """

    adapter: Path
    python: str = sys.executable
    timeout: float = TIMEOUT
    stop: threading.Event | None = None
    spent: float = 0.0
    restarts: int = -1
    _process: "subprocess.Popen[str] | None" = None
    _lines: "queue.Queue[str | None]" = field(default_factory=queue.Queue)
    _seq: int = 0
    _loaded: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def hello(self) -> Reply:
        """Ask what the library is; `{"not_installed": why}` if it is not there.

        Raises:
            WorkerFailed: the process died, hung or answered nonsense.
        """
        reply = self._ask({"op": "hello"})
        self._loaded = True
        self.spent += reply.get("seconds", 0.0)
        return reply

    def identify(self) -> Reply:
        """Ask what its answers depend on: versions and interpreter, without importing the library.

        Raises:
            WorkerFailed: the process died, hung or answered nonsense.
        """
        return self._ask({"op": "identify"})

    def observe(
        self, variant: str, data: Mapping[str, Any], measures: Sequence[str], *, once: bool = False
    ) -> dict[str, Any]:
        """Ask every measure of one input, twice or once; each gets an answer, be it `{"failed": kind, "message": …}`."""
        try:
            return self._observed(variant, data, measures, once=once)
        except WorkerFailed as failure:
            if len(measures) == 1:
                return {measures[0]: {"failed": failure.kind, "message": str(failure)}}
        answers: dict[str, Any] = {}
        for measure in measures:
            answers |= self.observe(variant, data, [measure], once=once)
        return answers

    def _observed(
        self, variant: str, data: Mapping[str, Any], measures: Sequence[str], *, once: bool
    ) -> dict[str, Any]:
        request = {"op": "observe", "variant": variant, "input": data, "measures": list(measures)}
        reply = self._ask(request | ({"once": True} if once else {}))
        self.spent += reply.get("seconds", 0.0)
        answers = reply.get("answers")
        if not isinstance(answers, dict) or set(answers) != set(measures):
            raise self._broken("invalid-output", "the reply does not answer the measures asked")
        for answer in answers.values():
            if (why := flaw(answer)) is not None:
                raise self._broken("invalid-output", why)
        return answers

    def end(self) -> None:
        """End the process."""
        if self._process is None:
            return
        process, self._process, self._loaded = self._process, None, False
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            # What was not sent to a dead process is flushed by closing, and fails again.
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def _ask(self, request: Reply) -> Reply:
        process = self._start() if self._process is None else self._process
        if request["op"] == "observe" and not self._loaded:
            self.hello()
        self._seq += 1
        self._send(process, request | {"seq": self._seq})
        line = self._line()
        try:
            reply = json.loads(line)
        except json.JSONDecodeError:
            raise self._broken("invalid-output", f"the reply is no JSON: {line[:80]!r}") from None
        if not isinstance(reply, dict) or reply.get("seq") != self._seq:
            raise self._broken("invalid-output", "the reply is not to this request")
        return reply

    def _start(self) -> "subprocess.Popen[str]":
        self.restarts += 1
        self._lines = queue.Queue()
        process = subprocess.Popen(  # noqa: S603 - the interpreter and the adapter are ours
            [self.python, "-I", str(WORKER), str(self.adapter)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8",
            errors="surrogatepass", env=os.environ | {"RANKPROOF_PROGRAMS": str(programs())},
            process_group=0,  # so that Ctrl-C is ours alone, and no crash of the library
        )  # fmt: skip
        threading.Thread(target=_read, args=(process.stdout, self._lines), daemon=True).start()
        self._process = process
        return process

    def _send(self, process: "subprocess.Popen[str]", request: Reply) -> None:
        try:
            if process.stdin is not None:
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
        except OSError:
            raise self._broken("crash", self._cause(process)) from None

    def _line(self) -> str:
        process = self._process
        try:
            line = self._next_line()
        except queue.Empty:
            raise self._broken("timeout", f"no answer within {self.timeout:g} s") from None
        if line is None and process is not None:
            raise self._broken("crash", self._cause(process))
        return line or ""

    def _next_line(self) -> str | None:
        """The next line, waited for in short steps, in each of which the wait may be interrupted."""
        until = time.monotonic() + self.timeout
        while self.stop is None or not self.stop.is_set():
            left = until - time.monotonic()
            try:
                return self._lines.get(timeout=max(left if self.stop is None else min(left, STEP), 0))
            except queue.Empty:
                if left <= STEP:
                    raise
        raise Interrupted

    def _cause(self, process: "subprocess.Popen[str]") -> str:
        try:
            code = process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "the process closed its output"
        return (
            f"the process ended by {signal.Signals(-code).name}"
            if code < 0
            else f"the process ended with exit code {code}"
        )

    def _broken(self, kind: str, message: str) -> WorkerFailed:
        self.end()
        return WorkerFailed(kind, message)


def _read(pipe: IO[str] | None, lines: "queue.Queue[str | None]") -> None:
    try:
        for line in pipe or ():
            lines.put(line)
    except (ValueError, OSError):
        pass  # the pipe was closed under us: the process was stopped
    lines.put(None)


def flaw(answer: object) -> str | None:
    """What is wrong with an answer by `answer` in `adapters/schemas/protocol.schema.json`; None if nothing is.

    Written out, since a validator would take longer than the libraries; a test holds it to the schema.
    """
    if not isinstance(answer, dict):
        return "an answer is not an object"
    if "unsupported" in answer:
        return None if isinstance(answer["unsupported"], str) else "the reason of an unsupported measure is no text"
    if "error" in answer:
        return None if set(answer["error"]) == {"type", "message"} else "an error has not a type and a message"
    if "per_query" not in answer or "mean" not in answer:
        return "an answer has not both per_query and mean"
    values = [answer["mean"], *(answer["per_query"] or {}).values()]
    wrong = next((value for value in values if not is_value(value)), None)
    return None if wrong is None else f"{wrong!r} is no value"


def is_value(value: object) -> bool:
    """Whether it is a number as the protocol has it."""
    return (
        value is None
        or value in {"nan", "inf", "-inf"}
        or (isinstance(value, int | float) and not isinstance(value, bool))
    )


def seconds_since(started: float) -> float:
    """Wall seconds."""
    return time.perf_counter() - started
