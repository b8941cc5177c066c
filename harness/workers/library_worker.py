"""Workers: processes that reply to requests for one library or function, in lines of JSON.

rankproof gets a result even if a library crashes. A failure counts if it happens twice, the second time in a new
process. If a request for several measures fails, each measure is requested alone, so one measure cannot hide the
others. A value after a failure is unstable: the result is the failure, with the value under `again`, unless a signal
from outside ended the process.

This module handles timeouts, new processes, unsupported measures, repetitions and stderr, so adapters are small in any
language.
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
from rankproof.bounded import BadDocument, decoded
from rankproof.documents import SchemaPart, json_in
from rankproof.files import programs
from rankproof.text import as_written, one_line
from rankproof.workers.known_libraries import HERE, PYTHON, Library, files_of
from rankproof.workers.process import NO_SUPERVISOR, WorkerFailed, WorkerProcess, can_supervise, start_program
from rankproof.workers.programs import why_another
from rankproof.workers.store import digest_of_files

WORKER = Path(adapters.__file__).resolve().parent / "worker.py"
SCHEMA = WORKER.parent / "schemas" / "protocol.schema.json"
FORMS = {op: SchemaPart(SCHEMA, f"{op}_reply") for op in ("hello", "not_installed", "identify", "calls", "observe")}
PROTOCOL = 1
"""The version of the protocol."""
TIMEOUT = 120.0
"""The default time limit of a request in seconds."""
MEMORY = 8_000_000_000
"""The default memory limit of all processes of a worker in bytes."""
NETWORK = "RANKPROOF_NETWORK"
"""The environment variable that lets a worker use the network."""
TWICE = 2
"""The number of failures after which a request has failed."""
SLOWER = 3
"""The largest ratio of the time of a process's first call to that of the first process."""
LONGEST_EXCERPT = 300
"""The number of characters of a reply in a message."""

Answer = dict[str, Any]
Reply = dict[str, Any]
T = TypeVar("T")


@dataclass
class Worker:
    """A library or function in a separate process.

    Attributes:
        adapter: the file of the adapter, if `worker.py` runs it.
        python: the interpreter of the library.
        timeout: the time limit of a request in seconds.
        stop: an event that interrupts the worker.
        command: the command that starts the process (default: `worker.py` with the adapter).
        memory: the memory limit of the process and its children in bytes; 0 for no limit.
        environment: additional variables of the process.
        refused: the reason why the library must not run, or None.
        start: a function that starts the process (default: by the command).
        hello_timeout: the time limit for loading the library in seconds (default: `timeout`).
        first_timeout: the time limit of the first `observe` of a process, which may import modules (default:
            `timeout`).
        spent: the time in the library in seconds, as the worker measures it.
        report: the adapter's report on the last `observe`.
    """

    adapter: Path | None = None
    python: str = sys.executable
    timeout: float = TIMEOUT
    stop: threading.Event | None = None
    command: Sequence[str] = ()
    memory: int = MEMORY
    environment: Mapping[str, str] = field(default_factory=dict)
    refused: str | None = None
    start: Callable[[], WorkerProcess] | None = None
    hello_timeout: float | None = None
    first_timeout: float | None = None
    spent: float = 0.0
    report: Reply = field(default_factory=dict)
    _process: WorkerProcess | None = None
    _seq: int = 0
    _hello: Reply | None = None
    """The reply to `hello` of the current process."""
    _is_warm: bool = False
    """Whether the current process has replied to an `observe`."""
    _warming: float | None = None
    """The duration of the first `observe` of the first process in seconds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End the process and everything that it started."""
        process, self._process, self._hello = self._process, None, None
        if process is not None:
            process.end()

    def hello(self) -> Reply:
        """Load the library, and return its description, or `{"not_installed": why}`.

        Raises:
            WorkerFailed: the worker failed twice.
        """
        if (why := self._cannot_start()) is not None:
            return {"not_installed": why, "variants": {}, "measures": {}}
        return self._repeated(self._greeted)

    def identify(self) -> Reply:
        """Return the versions and the interpreter that can change values, if possible without importing the library.

        Raises:
            WorkerFailed: the worker failed twice.
        """
        if self._cannot_start() is not None:
            return self.hello()
        reply = self._repeated(lambda: self._ask("identify"))
        return reply if "versions" in reply else stable_description(self.hello())

    def calls(self) -> Reply:
        """Return the packages and calls for a script that needs only the library, if the adapter is in Python.

        Raises:
            WorkerFailed: the worker failed twice.
        """
        return self._repeated(lambda: self._ask("calls"))

    def observe(
        self,
        variant: str,
        data: Mapping[str, Any],
        measures: Sequence[str],
        *,
        once: bool = False,
        suffices: Callable[[str, Answer], bool] = lambda _measure, _answer: False,
    ) -> dict[str, Answer]:
        """Compute measures on an input, and return a result for each, such as `{"failed": kind, "message": …}`.

        Each measure is computed twice, unless `once` is true or its first result `suffices`. If the second result
        differs, it is added under `again`.
        """
        if self._process is not None and (self._process.has_output() or self._process.is_gone()):
            self.end()  # output or an end after the last reply is not a failure of these measures
        answers = self._answers(variant, data, measures)
        values = [measure for measure in measures if not {"unsupported", "failed"} & answers[measure].keys()]
        repeated = [] if once else [measure for measure in values if not suffices(measure, answers[measure])]
        for measure, answer in (self._answers(variant, data, repeated) if repeated else {}).items():
            if answer != answers[measure]:
                answers[measure] = {**answers[measure], "again": without(answer, "again")}
        return answers

    def _repeated(self, request: Callable[[], T]) -> T:
        """Return the first reply, or raise the last failure after two failures."""
        failures: list[WorkerFailed] = []
        while True:
            try:
                return request()
            except WorkerFailed as failure:
                failures.append(failure)
                if len(failures) == TWICE:
                    raise

    def _answers(self, variant: str, data: Mapping[str, Any], measures: Sequence[str]) -> dict[str, Answer]:
        """Return a result for each measure. If they fail together, request each measure alone."""
        failures: list[WorkerFailed] = []
        while True:
            try:
                answers = self._observed(variant, data, measures)
            except WorkerFailed as failure:
                failures.append(failure)
                if len(measures) > 1 and (len(failures) == TWICE or not failure.from_outside):
                    return self._answers_alone(variant, data, measures, failure)
                if len(failures) == TWICE:
                    return {measures[0]: _answer_of(failures)}
            else:
                own = next((failure for failure in failures if not failure.from_outside), None)
                return answers if own is None else {m: _unstable(own, answer) for m, answer in answers.items()}

    def _answers_alone(
        self, variant: str, data: Mapping[str, Any], measures: Sequence[str], failure: WorkerFailed
    ) -> dict[str, Answer]:
        """Return a result for each measure after they failed together.

        If no measure fails alone, all of them are unstable, because any of them may have caused the failure. A
        timeout or too much memory can have all measures together as its cause, so it does not make them unstable.
        """
        answers: dict[str, Answer] = {}
        for measure in measures:
            answers |= self._answers(variant, data, [measure])
        fails = any("failed" in answer for answer in answers.values())
        if fails or failure.kind in {"timeout", "memory"} or failure.from_outside:
            return answers
        return {m: a if "unsupported" in a else _unstable(failure, a) for m, a in answers.items()}

    def _observed(self, variant: str, data: Mapping[str, Any], measures: Sequence[str]) -> dict[str, Answer]:
        hello = self._hello or self._greeted()
        if "not_installed" in hello:  # it was installed before
            raise self._broken("crash", str(hello["not_installed"]))
        patterns = dict.fromkeys(hello["measures"].get(variant, ()))
        known = [measure for measure in measures if match(patterns, measure) is not None]
        answers: dict[str, Answer] = {}
        if known:
            began, self.report = time.perf_counter(), {}
            reply = self._ask("observe", variant=variant, input=data, measures=known)
            self._is_warm, self._warming = True, self._warming or seconds_since(began)
            self.spent += reply.get("seconds", seconds_since(began))
            self.report, answers = reply.get("report", {}), reply["answers"]
        return {m: answers[m] if m in answers else {"unsupported": f"{hello['library']} has no {m}"} for m in measures}

    def _greeted(self) -> Reply:
        began = time.perf_counter()
        self._hello = reply = self._ask("hello", protocol=PROTOCOL)
        self.spent += reply.get("seconds", seconds_since(began))
        return reply

    def _ask(self, op: str, **request: Any) -> Reply:
        """Return the reply to a request. If a process replies to an earlier request, try again with a new process."""
        for is_last in (False, True):
            self._seq += 1
            reply = self._exchanged({"op": op, **request, "seq": self._seq})
            seq = reply.get("seq")
            if type(seq) is int and seq == self._seq:
                break
            if is_last or type(seq) is not int or not 0 < seq < self._seq:
                raise self._broken("invalid-output", "the reply is not to this request")
            self.end()
            if op == "observe":
                self._greeted()
        if self._process is not None and self._process.has_output():
            raise self._broken("invalid-output", "it replied more than was requested")
        if (why := flaw_of(op, reply, request.get("measures", ()))) is not None:
            raise self._broken("invalid-output", why)
        return reply

    def _exchanged(self, request: Reply) -> Reply:
        process = self._process or self._started()
        try:
            line = process.exchange(json.dumps(request).encode() + b"\n", self._patience(request["op"]), self.stop)
        except WorkerFailed:
            self.end()
            raise
        try:
            reply = json_in(decoded(line))
        except BadDocument as error:
            raise self._broken("invalid-output", f"the reply cannot be read: {error}") from None
        if not isinstance(reply, dict):
            raise self._broken("invalid-output", "the reply is not a JSON object")
        return reply

    def _patience(self, op: str) -> float:
        """Return the time limit of a request in seconds. A new process gets time to import modules again."""
        if op != "observe":
            return self.timeout if self.hello_timeout is None else self.hello_timeout
        if self._is_warm or self.first_timeout is None:
            return self.timeout
        first = self.first_timeout if self._warming is None else min(self.first_timeout, SLOWER * self._warming)
        return max(first, self.timeout)

    def _cannot_start(self) -> str | None:
        """Return the reason why the program of the adapter cannot or must not run, or None."""
        if self.refused is not None:
            return self.refused
        program = self.command[0] if self.command and self._process is None else None
        if program is None or shutil.which(program) or Path(program).exists():
            return None
        return f"its adapter needs {program}, which is not installed: install it, or put it on the PATH"

    def _started(self) -> WorkerProcess:
        if why := self.refused or (None if can_supervise() else NO_SUPERVISOR):
            raise WorkerFailed("crash", why)
        command = self.command or [self.python, "-I", str(WORKER), str(self.adapter)]
        variables = {"RANKPROOF_PROGRAMS": str(programs()), **self.environment}
        self._process = self.start() if self.start else start_program(command, self.memory, variables)
        self._is_warm = False
        return self._process

    def _broken(self, kind: str, message: str) -> WorkerFailed:
        """End the process, and return its failure."""
        process, self._process, self._hello = self._process, None, None
        return WorkerFailed(kind, message) if process is None else process.failed(kind, message)


def _answer_of(failures: Sequence[WorkerFailed]) -> Answer:
    """Return two failures as a result; if the second differs, it is under `again`."""
    first, last = failures
    return _failure(first) if last.is_as(first) else _unstable(first, _failure(last))


def _unstable(failure: WorkerFailed, answer: Answer) -> Answer:
    return {**_failure(failure), "again": without(answer, "again")}


def _failure(failure: WorkerFailed) -> Answer:
    answer: Answer = {"failed": failure.kind, "message": str(failure)}
    if failure.stderr:
        answer["stderr"] = failure.stderr
    return answer | ({"from_outside": True} if failure.from_outside else {})


def flaw_of(op: str, reply: Reply, measures: Sequence[str] = ()) -> str | None:
    """Return the difference between a reply and the protocol, or None."""
    if op == "hello" and reply.get("protocol") != PROTOCOL:
        version = as_written(reply.get("protocol"))
        return f"its adapter speaks version {version} of the protocol, and rankproof version {PROTOCOL}: change the adapter"
    if op in {"identify", "calls"} and reply.keys() == {"seq"}:
        return None  # the adapter does not know the request
    form = "not_installed" if op == "hello" and "not_installed" in reply else op
    for flaw in FORMS[form].flaws(reply):
        where = "".join(f"{step}: " for step in flaw.steps)
        return f"its reply to {op} does not follow protocol.schema.json: {one_line(where + flaw.message)[:LONGEST_EXCERPT]}"
    if op == "observe" and reply["answers"].keys() != set(measures):
        return "the reply does not answer the requested measures"
    for variant in reply["variants"] if form == "hello" else ():
        if variant not in reply["measures"]:
            return f"its reply to hello has no measures of its variant {one_line(variant)[:LONGEST_EXCERPT]}"
    return None


def without(data: Mapping[str, Any], *names: str) -> Reply:
    """Return a copy without some keys."""
    return {name: value for name, value in data.items() if name not in names}


def worker_of(
    library: Library,
    python: str = sys.executable,
    timeout: float = TIMEOUT,
    stop: threading.Event | None = None,
    *,
    memory: int = MEMORY,
    environment: Mapping[str, str] | None = None,
) -> Worker:
    """Create the worker of a library, with the command of its sheet or its Python adapter."""
    here = str(library.sheet.path.parent.resolve())
    command = [argument.replace(HERE, here).replace(PYTHON, python) for argument in library.sheet.command]
    variables = environment or {}
    return Worker(library.adapter, python, timeout, stop, command, memory, variables, why_another(library, variables))


def adapter_files(library: Library) -> list[Path]:
    """Return the files of the adapter: the files in its sheet, or the Python adapter and `worker.py`."""
    if not library.sheet.command:
        return [library.adapter, WORKER]
    paths = files_of(library.sheet)
    return [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path]) if file.is_file()]


def adapter_of(library: Library) -> str:
    """Return a digest of the files of the adapter."""
    return digest_of_files(adapter_files(library))


def stable_description(hello: Reply) -> Reply:
    """Return the description of a library without the fields that differ each time."""
    return without(hello, "seq", "seconds")


def seconds_since(started: float) -> float:
    """Return the seconds since a time of `time.perf_counter`."""
    return time.perf_counter() - started
