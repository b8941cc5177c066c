"""A user's function in this process, for systems without other processes: it can be interrupted only while it runs Python code."""

import contextlib
import json
import os
import threading
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from rankproof.adapters.worker import reply_to
from rankproof.time_limit import TookTooLong, limited
from rankproof.workers.failures import WorkerFailed


@dataclass
class FunctionHere:
    """A function in this process, called in the same way as in another process.

    A timeout during the first call may leave a module half imported. As there is no new process to call instead, every later call then
    fails in the same way.
    """

    adapter: object
    _is_warm: bool = False
    _broken: str = ""

    def exchange(self, line: bytes, seconds: float, _stop: threading.Event | None = None) -> bytes:
        """Carry out a request.

        Raises:
            WorkerFailed: it took too long.
        """
        if self._broken:
            raise self.failed("timeout", self._broken)
        request = json.loads(line)
        try:
            with _silent(), limited(seconds):
                reply = reply_to(self.adapter, request, (KeyboardInterrupt, TookTooLong))
        except TookTooLong:
            late = f"no answer within {seconds:g} s"
            self._broken = "" if self._is_warm else late
            raise self.failed("timeout", late) from None
        except KeyboardInterrupt:  # by the user
            raise
        except BaseException as error:  # it would end another process, but must not end this process
            raise self.failed("crash", f"raises {type(error).__name__}") from error
        self._is_warm = self._is_warm or request["op"] == "observe"
        return json.dumps(reply).encode()

    def said_more(self) -> bool:
        """Return False."""
        return False

    def is_gone(self) -> bool:
        """Return False."""
        return False

    def failed(self, kind: str, message: str) -> WorkerFailed:
        """Return the failure."""
        return WorkerFailed(kind, message)

    def end(self) -> None:
        """Do nothing: there is no process to end."""


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Discard what is printed, and ignore warnings."""
    with (
        open(os.devnull, "w", encoding="utf-8") as nowhere,  # noqa: PTH123 - a device
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield
