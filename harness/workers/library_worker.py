"""Workers: a child process per library or function, which answers requests of one JSON line.

Whatever a library does (raise, print, hang, crash, answer nonsense), the harness gets a reply that says so and goes on. A failure is
believed when it was seen twice, the second time in a fresh process, and the measures of a request that failed are asked again one by one,
so that one of them cannot hide what the others answer. What failed once and then answered is `unstable`: the failure, and under `again`
the answer. But where the process was ended from outside (by SIGKILL, SIGTERM …), that says nothing of the library, and the answer stands.

All that can be done here is done here, so that an adapter stays small in any language: waiting no longer than the deadline, starting anew,
leaving out what the adapter says it does not support, asking twice, and keeping the end of what the process wrote to stderr.
"""

import json
import shutil
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

from rankproof import adapters
from rankproof.adapters.worker import match
from rankproof.files import programs
from rankproof.workers.failures import Interrupted, WorkerFailed, said_on
from rankproof.workers.function_here import FunctionHere
from rankproof.workers.installed_program import why_another
from rankproof.workers.known_libraries import HERE, PYTHON, Library, files_of
from rankproof.workers.replies import (
    PROTOCOL,
    NoReply,
    Reply,
    flaw_of,
    flaw_of_hello,
    flaw_of_observed,
    is_late,
    is_to,
    read,
    without,
)
from rankproof.workers.store import digest_of_files
from rankproof.workers.worker_processes import NO_SUPERVISOR, WorkerProcess, can_supervise, started

__all__ = ["Interrupted", "Reply", "Worker", "WorkerFailed", "said_on", "worker_of"]

WORKER = Path(adapters.__file__).resolve().parent / "worker.py"
TIMEOUT = 120.0
NETWORK = "RANKPROOF_NETWORK"
"""The variable that lets a worker reach the network, if it is set to anything."""
MEMORY = 8_000_000_000
TWICE = 2
"""How often a failure is seen before it is believed."""
SLOWER = 3
"""How many times longer the first call of a process may take than that of an earlier process."""
LIVES = 3
"""How often a process is ended from outside before that is believed to be of the library's own doing."""

Answer = dict[str, Any]
Process = WorkerProcess | FunctionHere
T = TypeVar("T")


@dataclass
class Worker:
    """One library or function in a separate process.

    Attributes:
        adapter: the adapter's file, if `worker.py` runs it.
        python: the interpreter that has the library.
        timeout: how many seconds one request may take.
        stop: once it is set, whoever waits for a reply, or asks for one, is interrupted.
        command: how its process is started; without it, `worker.py` runs the adapter in the interpreter.
        memory: how many bytes of memory it may take, with all that it starts; 0 for any.
        environment: variables that its process gets.
        refused: why its library is not to be run, if it is not.
        spent: the seconds that the library took by its own account: importing and answering.
        start: starts its process (default: the command does).
        hello_timeout: how many seconds loading may take (default: `timeout`).
        first_timeout: how many seconds the first `observe` of a process may take, which may import much (default: `timeout`).
        report: the adapter's report on the last `observe`; empty if it gave none.
    """

    adapter: Path | None = None
    python: str = sys.executable
    timeout: float = TIMEOUT
    stop: threading.Event | None = None
    command: Sequence[str] = ()
    memory: int = MEMORY
    environment: Mapping[str, str] = field(default_factory=dict)
    refused: str | None = None
    spent: float = 0.0
    start: Callable[[], Process] | None = None
    hello_timeout: float | None = None
    first_timeout: float | None = None
    report: Reply = field(default_factory=dict)
    _process: Process | None = None
    _seq: int = 0
    _said: Reply | None = None
    """Its reply to `hello`, once it loaded the library."""
    _is_warm: bool = False
    """Whether the process answered an `observe`."""
    _warming: float | None = None
    """How many seconds the first `observe` of the first process took."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def hello(self) -> Reply:
        """Ask what the library is; `{"not_installed": why}` if it is not there, or what starts its adapter is not.

        Raises:
            WorkerFailed: twice the process died, hung, took too much memory, answered nonsense or spoke another version of the protocol.
        """
        if (why := self._cannot_start()) is not None:
            return {"not_installed": why, "variants": {}, "measures": {}}
        return self._persistently(self._greeted)

    def _greeted(self) -> Reply:
        began = time.perf_counter()
        self._said = reply = self._ask({"op": "hello", "protocol": PROTOCOL}, flaw_of_hello)
        self.spent += reply.get("seconds", seconds_since(began))
        return reply

    def identify(self) -> Reply:
        """Ask what its answers depend on: versions and interpreter, where that can be told without importing the library.

        An adapter that does not know the request is asked for its `hello` instead.

        Raises:
            WorkerFailed: as `hello` does.
        """
        if self._cannot_start() is not None:
            return self.hello()
        reply = self._persistently(lambda: self._ask({"op": "identify"}, lambda reply: flaw_of("identify", reply)))
        return reply if "versions" in reply else as_said(self.hello())

    def calls(self) -> Reply:
        """Ask a Python adapter for what a script of its own needs; a reply without `calls` comes from an adapter that is none.

        Raises:
            WorkerFailed: as `hello` does.
        """
        return self._persistently(lambda: self._ask({"op": "calls"}, lambda reply: flaw_of("calls", reply)))

    @staticmethod
    def _persistently(ask: Callable[[], T]) -> T:
        """What it replies in the end; where it replies nothing, the failure is told that was seen last."""
        failures: list[WorkerFailed] = []
        while True:
            try:
                return ask()
            except WorkerFailed as failure:
                failures.append(failure)
                if _believed(failures):
                    raise

    def observe(
        self,
        variant: str,
        data: Mapping[str, Any],
        measures: Sequence[str],
        *,
        once: bool = False,
        suffices: Callable[[str, Answer], bool] = lambda _measure, _answer: False,
    ) -> dict[str, Answer]:
        """Ask every measure of one input; each gets an answer, be it `{"failed": kind, "message": …}`.

        Each is asked twice, unless all are asked once, or of its answer it is said that this `suffices`. Where the library says something
        else the second time, that stands under `again`.
        """
        if self._process is not None and (self._process.said_more() or self._process.is_gone()):
            self.end()  # what became of it after its last answer is no matter of this question
        answers = self._each(variant, data, measures)
        said = [measure for measure in measures if not {"unsupported", "failed"} & answers[measure].keys()]
        again = [] if once else [measure for measure in said if not suffices(measure, answers[measure])]
        for measure, answer in (self._each(variant, data, again) if again else {}).items():
            if answer != answers[measure]:
                answers[measure] = {**answers[measure], "again": without(answer, "again")}
        return answers

    def _each(self, variant: str, data: Mapping[str, Any], measures: Sequence[str]) -> dict[str, Answer]:
        """An answer to each measure; one by one, if the worker does not answer all of them."""
        failures: list[WorkerFailed] = []
        alone = len(measures) == 1
        while True:
            try:
                answers = self._observed(variant, data, measures)
            except WorkerFailed as failure:
                failures.append(failure)
                if not alone and (_believed(failures) or not failure.from_outside):
                    return self._one_by_one(variant, data, measures, failure)
                if _believed(failures):
                    return {measures[0]: _seen_again(failures)}
            else:
                own = next((failure for failure in failures if not failure.from_outside), None)
                return answers if own is None else {m: _once(own, answer) for m, answer in answers.items()}

    def _one_by_one(
        self, variant: str, data: Mapping[str, Any], measures: Sequence[str], failure: WorkerFailed
    ) -> dict[str, Answer]:
        """An answer to each measure, after a request of all of them failed.

        Where none of them fails alone, whichever it was may have failed then: none of them is stable. That they took too long or too
        much together says nothing of one.
        """
        answers: dict[str, Answer] = {}
        for measure in measures:
            answers |= self._each(variant, data, [measure])
        found = any("failed" in answer for answer in answers.values())
        if found or failure.kind in {"timeout", "memory"} or failure.from_outside:
            return answers
        return {m: a if "unsupported" in a else _once(failure, a) for m, a in answers.items()}

    def _observed(self, variant: str, data: Mapping[str, Any], measures: Sequence[str]) -> dict[str, Answer]:
        said = self._said or self._greeted()
        if "not_installed" in said:  # it was there when it was asked first
            raise self._broken("crash", str(said["not_installed"]))
        patterns = dict.fromkeys(said["measures"].get(variant, ()))
        asked = [measure for measure in measures if match(patterns, measure) is not None]
        given = self._answers(variant, data, asked) if asked else {}
        lacking = {measure: {"unsupported": f"{said['library']} has no {measure}"} for measure in measures}
        return {measure: given.get(measure, lacking[measure]) for measure in measures}

    def _answers(self, variant: str, data: Mapping[str, Any], measures: Sequence[str]) -> dict[str, Answer]:
        began, self.report = time.perf_counter(), {}
        request = {"op": "observe", "variant": variant, "input": data, "measures": list(measures)}
        reply = self._ask(request, lambda reply: flaw_of_observed(reply, measures))
        self._is_warm, self._warming = True, self._warming or seconds_since(began)
        self.spent += reply.get("seconds", seconds_since(began))
        self.report = reply.get("report", {})
        answers: dict[str, Answer] = reply["answers"]
        return answers

    def end(self) -> None:
        """End the process, and all that it started."""
        if self._process is not None:
            process, self._process, self._said = self._process, None, None
            process.end()

    def _ask(self, request: Reply, flaw: Callable[[Reply], str | None]) -> Reply:
        """The reply to a request.

        What it still says of an earlier one shows that it is broken, and is no reply to this one: a fresh process is asked.
        """
        for is_last in (False, True):
            self._seq += 1
            reply = self._exchanged({**request, "seq": self._seq})
            if is_to(reply, self._seq):
                break
            if is_last or not is_late(reply, self._seq):
                raise self._broken("invalid-output", "the reply is not to this request")
            self.end()
            if request["op"] == "observe":
                self._greeted()
        if self._process is not None and self._process.said_more():
            raise self._broken("invalid-output", "it said more than it was asked")
        if (wrong := flaw(reply)) is not None:
            raise self._broken("invalid-output", wrong)
        return reply

    def _exchanged(self, request: Reply) -> Reply:
        process = self._process or self._start()
        try:
            line = json.dumps(request).encode() + b"\n"
            return read(process.exchange(line, self._patience(request["op"]), self.stop))
        except WorkerFailed:
            self.end()
            raise
        except NoReply as why:
            raise self._broken("invalid-output", str(why)) from None

    def _patience(self, op: str) -> float:
        """Return the seconds that a request may take. A process that replaces another needs about as long for its first call."""
        if op != "observe":
            return self.timeout if self.hello_timeout is None else self.hello_timeout
        if self._is_warm or self.first_timeout is None:
            return self.timeout
        if self._warming is None:
            return max(self.first_timeout, self.timeout)
        return max(min(self.first_timeout, SLOWER * self._warming), self.timeout)

    def _cannot_start(self) -> str | None:
        """Why the program that runs the adapter cannot be started, or is not to be; None if it can."""
        if self.refused is not None:
            return self.refused
        program = self.command[0] if self.command and self._process is None else None
        if program is None or shutil.which(program) or Path(program).exists():
            return None
        return f"its adapter is run by {program}, which is not here: install it, or put it on the PATH"

    def _start(self) -> Process:
        self._process, self._is_warm = (self.start or self._started)(), False
        return self._process

    def _started(self) -> Process:
        if why := self.refused or (None if can_supervise() else NO_SUPERVISOR):
            raise WorkerFailed("crash", why)
        command = list(self.command) or [self.python, "-I", str(WORKER), str(self.adapter)]
        return started(command, self.memory, {"RANKPROOF_PROGRAMS": str(programs()), **self.environment})

    def _broken(self, kind: str, message: str) -> WorkerFailed:
        """End the process, and say how it failed."""
        process, self._process, self._said = self._process, None, None
        return WorkerFailed(kind, message) if process is None else process.failed(kind, message)


def _believed(failures: Sequence[WorkerFailed]) -> bool:
    """Whether these failures in a row, each but the first in a fresh process, were of the library's own doing."""
    own = sum(not failure.from_outside for failure in failures)
    return own >= TWICE or len(failures) - own >= LIVES


def _seen_again(failures: Sequence[WorkerFailed]) -> Answer:
    """A failure that is believed, as an answer; where it was another one the second time, with that one."""
    own = [failure for failure in failures if not failure.from_outside]
    counted = own if len(own) >= TWICE else [failure for failure in failures if failure.from_outside]
    first, last = counted[0], counted[-1]
    return _as_answer(first) if last.is_as(first) else _once(first, _as_answer(last))


def _once(failure: WorkerFailed, answer: Answer) -> Answer:
    """A failure that was seen once, and the answer that came when it was asked again."""
    return {**_as_answer(failure), "again": without(answer, "again")}


def _as_answer(failure: WorkerFailed) -> Answer:
    told: Answer = {"failed": failure.kind, "message": str(failure)}
    if failure.stderr:
        told["stderr"] = failure.stderr
    return told | ({"from_outside": True} if failure.from_outside else {})


def worker_of(
    library: Library,
    python: str = sys.executable,
    timeout: float = TIMEOUT,
    stop: threading.Event | None = None,
    *,
    memory: int = MEMORY,
    environment: Mapping[str, str] | None = None,
) -> Worker:
    """The worker of a library: by the command of its sheet, or else by its Python adapter."""
    here = str(library.sheet.path.parent.resolve())
    command = [argument.replace(HERE, here).replace(PYTHON, python) for argument in library.sheet.command]
    variables = environment or {}
    return Worker(library.adapter, python, timeout, stop, command, memory, variables, why_another(library, variables))


def adapter_files(library: Library) -> list[Path]:
    """The files of ours by which a library answers: what its sheet names, or else its Python adapter and the worker that runs it."""
    if not library.sheet.command:
        return [library.adapter, WORKER]
    named = files_of(library.sheet)
    return [file for path in named for file in (sorted(path.rglob("*")) if path.is_dir() else [path]) if file.is_file()]


def adapter_of(library: Library) -> str:
    """A digest of those files."""
    return digest_of_files(adapter_files(library))


def as_said(hello: Reply) -> Reply:
    """What a library said of itself, without what differs each time it is asked."""
    return without(hello, "seq", "seconds")


def seconds_since(started: float) -> float:
    """Wall seconds."""
    return time.perf_counter() - started
