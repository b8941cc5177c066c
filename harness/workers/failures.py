"""Failures: how a worker can fail to say what the library says."""

import signal

FAILURES = ("error", "crash", "timeout", "memory", "invalid-output")
"""Every way in which there may be no number: the library raised an error; or its process ended, took too long or too much memory, or
said what is no answer. The schemas of what is written list the same, and so do the verdicts."""
FROM_OUTSIDE = frozenset(
    getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT") if hasattr(signal, name)
)
"""The signals that end a process on behalf of somebody else: a person, a system that shuts down or is out of memory."""


class WorkerFailed(Exception):
    """The worker gave no reply that can be used.

    Attributes:
        kind: one of `FAILURES`.
        stderr: the end of what it wrote there.
        from_outside: whether it was ended as by somebody else, which says nothing of the library.
    """

    def __init__(self, kind: str, message: str, stderr: str = "", *, from_outside: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.stderr = stderr
        self.from_outside = from_outside

    def whole(self) -> str:
        """What happened, and the end of stderr, for the adapter's author."""
        return "; ".join(filter(None, [str(self), said_on(self.stderr)]))

    def is_as(self, other: "WorkerFailed") -> bool:
        """Whether it is the same failure, seen again: of one kind, and a crash by the same signal or exit code."""
        return self.kind == other.kind and (self.kind != "crash" or str(self) == str(other))


def said_on(stderr: str) -> str:
    """A sentence with the end of what a worker wrote to stderr; nothing if it wrote nothing."""
    return f"its stderr ends: {stderr}" if stderr else ""


class Interrupted(Exception):
    """No more is to be asked."""
