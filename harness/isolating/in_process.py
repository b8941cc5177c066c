"""A function asked in the process that checks it: where no other can be had, or none is wanted.

A call has its time limit as far as Python can interrupt it; what ends the process, or never comes back to Python, cannot be stopped.
The first call may import much, and a module that was interrupted while it was imported may be there by half, or be done without. There is
no new process to ask instead, so the first call is given longer at once, and where even that was not enough, nothing more is believed.
"""

import contextlib
import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.calling.call_candidates import Candidates, Loaded, Source, load
from rankproof.calling.calls import Repeating, observe
from rankproof.calling.targets import Target
from rankproof.isolating.child_process import Call
from rankproof.isolating.limits import Limits
from rankproof.time_limit import TookTooLong, limited
from rankproof.workers.observations import Answered, Failure


@dataclass
class Here:
    """It is asked as a process of its own would be."""

    source: Source
    limits: Limits
    _loaded: Loaded | None = None
    _came_back: bool = False
    _spoiled: Failure | None = None

    @property
    def is_there(self) -> bool:
        """Whether it can be asked."""
        return self._loaded is not None

    def begin(self) -> Candidates:
        """Find the function, and hear what it may be.

        Raises:
            BadFunction: it is none.
        """
        with _quiet():
            self._loaded = load(self.source)
        return self._loaded.candidates

    def answers(self, which: int, calls: Sequence[Call], seconds: float) -> Iterator[Answered | Failure]:
        """Its answers to calls of one of its candidates, as they come."""
        if self._loaded is not None:
            repeating, way = Repeating(), self._loaded.candidates.way(which)
            for call in calls:
                yield self._answer(self._loaded.function, repeating.target(way, call), call, seconds)

    def end(self) -> None:
        """Nothing is to be ended."""

    def _answer(self, function: Any, target: Target, call: Call, seconds: float) -> Answered | Failure:  # noqa: ANN401 - whatever can be called
        if self._spoiled is not None:
            return self._spoiled
        through = (KeyboardInterrupt, TookTooLong)
        seconds = seconds if self._came_back else max(seconds, self.limits.first)
        try:
            with _quiet(), limited(seconds):
                answer = observe(function, target, *call, through)
        except TookTooLong:
            late = Failure("timeout", f"no answer within {seconds:g} s")
            self._spoiled = None if self._came_back else late
            return late
        self._came_back = True
        return answer


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What is printed and warned of meanwhile is kept from everybody."""
    with (
        open(os.devnull, "w", encoding="utf-8") as nobody,  # noqa: PTH123 - a device
        contextlib.redirect_stdout(nobody),
        contextlib.redirect_stderr(nobody),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield
