"""Failures of workers: why there is no value from a library or function."""

import signal

FAILURES = ("error", "crash", "timeout", "memory", "invalid-output")
"""The kinds of failures: the library raised an error; or its process ended, was too slow, took too much memory, or replied nonsense."""
FROM_OUTSIDE = frozenset(
    getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT") if hasattr(signal, name)
)
"""Signals that end a process on behalf of a user, or of a system that shuts down or is out of memory."""


class WorkerFailed(Exception):
    """A worker gave no usable reply.

    Attributes:
        kind: one of `FAILURES`.
        stderr: the last lines that it wrote there.
        from_outside: whether a signal of `FROM_OUTSIDE` ended it, which may have nothing to do with the library.
    """

    def __init__(self, kind: str, message: str, stderr: str = "", *, from_outside: bool = False) -> None:
        super().__init__(message)
        self.kind, self.stderr, self.from_outside = kind, stderr, from_outside

    def whole(self) -> str:
        """Return what happened, and the end of stderr."""
        return "; ".join(filter(None, [str(self), said_on(self.stderr)]))

    def is_as(self, other: "WorkerFailed") -> bool:
        """Whether it is the same failure again: of the same kind, and a crash by the same signal or exit code."""
        return self.kind == other.kind and (self.kind != "crash" or str(self) == str(other))


def said_on(stderr: str) -> str:
    """Return a sentence with the end of stderr, or an empty text."""
    return f"its stderr ends: {stderr}" if stderr else ""


class Interrupted(Exception):
    """The run was interrupted."""
