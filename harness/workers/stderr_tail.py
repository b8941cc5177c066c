"""The end of what a worker wrote to stderr: what its author needs to see when it fails."""

import os
import threading
from dataclasses import dataclass, field
from typing import IO, Any, Self

from rankproof.text import one_line

KEPT = 2_000
"""How many bytes are kept."""
LINES = 10
"""How many lines of them are told."""
_NO_WORDS = " \t^~"
"""What a line may consist of that only points at the line above."""
PATIENCE = 1.0
"""How many seconds the last words are waited for: a process that the worker started may hold the pipe open."""


@dataclass
class Tail:
    """The last bytes that came out of a pipe."""

    _bytes: bytes = b""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _reader: threading.Thread | None = None

    def read(self, pipe: IO[Any] | None) -> Self:
        """Read a pipe to its end, in a thread, so that whoever writes never waits."""
        if pipe is not None:
            self._reader = threading.Thread(target=self._read, args=(pipe,), daemon=True)
            self._reader.start()
        return self

    def _read(self, pipe: IO[Any]) -> None:
        with pipe:  # closed where it is read, as a descriptor that is closed elsewhere may be another file by then
            while chunk := os.read(pipe.fileno(), 65_536):
                with self._lock:
                    self._bytes = (self._bytes + chunk)[-KEPT:]

    def forget(self) -> None:
        """Keep nothing of what came so far: it belongs to an earlier request."""
        with self._lock:
            self._bytes = b""

    def text(self) -> str:
        """The last lines in one line, without what a terminal would obey; whoever wrote them has ended."""
        if self._reader is not None:
            self._reader.join(PATIENCE)
        with self._lock:
            kept = self._bytes
        whole = kept if len(kept) < KEPT else kept.partition(b"\n")[2] or kept  # the first line was cut
        lines = [line.strip() for line in whole.decode("utf-8", errors="replace").splitlines() if line.strip(_NO_WORDS)]
        return " | ".join(one_line(line) for line in lines[-LINES:])
