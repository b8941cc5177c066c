"""Workers: a child process per library, asked one JSON line at a time.

Whatever a library does (raise, print, hang, crash, answer nonsense), the harness gets a reply that says so and goes on: a worker that
died or hung is restarted, and the measures of the request that killed it are asked again one by one, so that one of them cannot hide
what the others answer.

All that can be done here is done here, so that an adapter stays small in any language: waiting no longer than the deadline, starting anew,
leaving out what the adapter says it does not support, asking twice, and keeping the end of what the process wrote to stderr.
"""

import contextlib
import json
import os
import queue
import shutil
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
from rankproof.adapters.worker import match
from rankproof.asking.known_libraries import HERE, PYTHON, Library, files_of
from rankproof.asking.stderr_tail import Tail, kept_of
from rankproof.files import programs

PROTOCOL = 1
"""The version of the protocol that is spoken here."""
SCHEMA = Path(adapters.__file__).resolve().parent / "schemas" / "protocol.schema.json"
WORKER = Path(adapters.__file__).resolve().parent / "worker.py"
TIMEOUT = 120.0
STEP = 0.2
"""How many seconds it may take until an interruption is noticed."""

Reply = dict[str, Any]


class WorkerFailed(Exception):
    """The worker gave no reply that can be used; `kind` is crash, timeout or invalid-output, `stderr` the end of what it wrote there."""

    def __init__(self, kind: str, message: str, stderr: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.stderr = stderr

    def whole(self) -> str:
        """What happened, and the end of stderr, for the adapter's author."""
        return "; ".join(filter(None, [str(self), said_on(self.stderr)]))


def said_on(stderr: str) -> str:
    """A sentence with the end of what a worker wrote to stderr; nothing if it wrote nothing."""
    return f"its stderr ends: {stderr}" if stderr else ""


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
        command: how its process is started; without it, `worker.py` runs the adapter in the interpreter.
        spent: the seconds that the library took by its own account: importing and answering.
        restarts: how often the process had to be started anew.
    """

    adapter: Path
    python: str = sys.executable
    timeout: float = TIMEOUT
    stop: threading.Event | None = None
    command: Sequence[str] = ()
    spent: float = 0.0
    restarts: int = -1
    _process: "subprocess.Popen[str] | None" = None
    _lines: "queue.Queue[str | None]" = field(default_factory=queue.Queue)
    _tail: Tail | None = None
    _seq: int = 0
    _said: Reply | None = None
    """Its reply to `hello`, once it loaded the library."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def hello(self) -> Reply:
        """Ask what the library is; `{"not_installed": why}` if it is not there, or what starts its adapter is not.

        Raises:
            WorkerFailed: the process died, hung, answered nonsense or speaks another version of the protocol.
        """
        if (why := self._cannot_start()) is not None:
            return {"not_installed": why, "variants": {}, "measures": {}}
        started = time.perf_counter()
        reply = self._ask({"op": "hello", "protocol": PROTOCOL})
        if (wrong := flaw_of_hello(reply)) is not None:
            raise self._broken("invalid-output", wrong)
        self._said = reply
        self.spent += reply.get("seconds", seconds_since(started))
        return reply

    def identify(self) -> Reply:
        """Ask what its answers depend on: versions and interpreter, where that can be told without importing the library.

        An adapter that does not know the request is asked for its `hello` instead.

        Raises:
            WorkerFailed: the process died, hung or answered nonsense.
        """
        if self._cannot_start() is not None:
            return self.hello()
        reply = self._ask({"op": "identify"})
        return reply if "versions" in reply else as_said(self.hello())

    def calls(self) -> Reply:
        """Ask a Python adapter for what a script of its own needs; a reply without `calls` comes from an adapter that is none.

        Raises:
            WorkerFailed: the process died, hung or answered nonsense.
        """
        return self._ask({"op": "calls"})

    def observe(
        self, variant: str, data: Mapping[str, Any], measures: Sequence[str], *, once: bool = False
    ) -> dict[str, Any]:
        """Ask every measure of one input, twice or once; each gets an answer, be it `{"failed": kind, "message": …}`.

        Where the library says something else the second time, that stands under `again`.
        """
        answers = self._each(variant, data, measures)
        again = (
            [] if once else [measure for measure in measures if not {"unsupported", "failed"} & answers[measure].keys()]
        )
        for measure, answer in (self._each(variant, data, again) if again else {}).items():
            if answer != answers[measure]:
                answers[measure] = {**answers[measure], "again": answer}
        return answers

    def _each(self, variant: str, data: Mapping[str, Any], measures: Sequence[str]) -> dict[str, Any]:
        """An answer to each measure; one by one, if the worker does not answer all of them."""
        try:
            return self._observed(variant, data, measures)
        except WorkerFailed as failure:
            if len(measures) == 1:
                failed = {"failed": failure.kind, "message": str(failure)}
                return {measures[0]: failed | ({"stderr": failure.stderr} if failure.stderr else {})}
        answers: dict[str, Any] = {}
        for measure in measures:
            answers |= self._each(variant, data, [measure])
        return answers

    def _observed(self, variant: str, data: Mapping[str, Any], measures: Sequence[str]) -> dict[str, Any]:
        said = self._said or self.hello()
        if "not_installed" in said:  # it was there when it was asked first
            raise self._broken("crash", str(said["not_installed"]))
        patterns = dict.fromkeys(said["measures"].get(variant, ()))
        asked = [measure for measure in measures if match(patterns, measure) is not None]
        given = self._answers(variant, data, asked) if asked else {}
        lacking = {measure: {"unsupported": f"{said['library']} has no {measure}"} for measure in measures}
        return {measure: given.get(measure, lacking[measure]) for measure in measures}

    def _answers(self, variant: str, data: Mapping[str, Any], measures: Sequence[str]) -> dict[str, Any]:
        started = time.perf_counter()
        reply = self._ask({"op": "observe", "variant": variant, "input": data, "measures": list(measures)})
        self.spent += reply.get("seconds", seconds_since(started))
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
        process, self._process, self._said = self._process, None, None
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            # What was not sent to a dead process is flushed by closing, and fails again.
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def _ask(self, request: Reply) -> Reply:
        process = self._start() if self._process is None else self._process
        if self._tail is not None:
            self._tail.forget()
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

    def _cannot_start(self) -> str | None:
        """Why the program that runs the adapter cannot be started; None if it can."""
        if (
            self._process is not None
            or not self.command
            or shutil.which(self.command[0])
            or Path(self.command[0]).exists()
        ):
            return None
        return f"its adapter is run by {self.command[0]}, which is not here: install it, or put it on the PATH"

    def _start(self) -> "subprocess.Popen[str]":
        self.restarts += 1
        self._lines = queue.Queue()
        try:
            process = self._opened()
        except OSError as error:
            if not self.command:
                raise  # an interpreter that a person named wrongly
            raise WorkerFailed("crash", f"{self.command[0]} cannot be started: {error.strerror}") from error
        threading.Thread(target=_read, args=(process.stdout, self._lines), daemon=True).start()
        self._tail = kept_of(process.stderr)
        self._process = process
        return process

    def _opened(self) -> "subprocess.Popen[str]":
        command = list(self.command) or [self.python, "-I", str(WORKER), str(self.adapter)]
        return subprocess.Popen(  # noqa: S603 - the command of a sheet, or an interpreter and an adapter of ours
            command,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
            errors="surrogatepass", env=os.environ | {"RANKPROOF_PROGRAMS": str(programs())},
            process_group=0,  # so that Ctrl-C is ours alone, and no crash of the library
        )  # fmt: skip

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
        return WorkerFailed(kind, message, self._tail.text() if self._tail is not None else "")


def worker_of(
    library: Library, python: str = sys.executable, timeout: float = TIMEOUT, stop: threading.Event | None = None
) -> Worker:
    """The worker of a library: by the command of its sheet, or else by its Python adapter."""
    here = str(library.sheet.path.parent.resolve())
    command = [argument.replace(HERE, here).replace(PYTHON, python) for argument in library.sheet.command]
    return Worker(library.adapter, python, timeout, stop, command)


def adapter_files(library: Library) -> list[Path]:
    """The files of ours by which a library answers: what its sheet names, or else its Python adapter and the worker that runs it."""
    if not library.sheet.command:
        return [library.adapter, WORKER]
    named = files_of(library.sheet)
    return [file for path in named for file in (sorted(path.rglob("*")) if path.is_dir() else [path]) if file.is_file()]


def as_said(hello: Reply) -> Reply:
    """What a library said of itself, without what differs each time it is asked."""
    return {name: said for name, said in hello.items() if name not in {"seq", "seconds"}}


def flaw_of_hello(reply: Reply) -> str | None:
    """What is wrong with a reply to `hello`; None if nothing is."""
    import jsonschema  # noqa: PLC0415 - slow to import, and needed only here

    spoken = reply.get("protocol")
    if spoken != PROTOCOL:
        said = "names no version of the protocol" if spoken is None else f"speaks version {spoken!r} of the protocol"
        return f"its adapter {said}, and this rankproof speaks version {PROTOCOL}: change the adapter, or install a rankproof that fits"
    kind = "not_installed_reply" if "not_installed" in reply else "hello_reply"
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for error in jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]}).iter_errors(
        reply
    ):
        where = "".join(f"{step}: " for step in error.absolute_path)
        return f"its reply to hello is not as protocol.schema.json says: {where}{error.message}"
    lacking = next((variant for variant in reply["variants"] if variant not in reply["measures"]), None)
    return None if lacking is None else f"its reply to hello names no measures of its variant {lacking}"


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
