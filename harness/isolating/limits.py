"""How long a function may take, and how much memory."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What a function may take, and where it runs.

    Attributes:
        question: the seconds for one call.
        first: the seconds for the first call of a process, which may import what the function needs.
        importing: the seconds for importing the function's module.
        in_vain: the seconds that may be lost to questions without an answer; after that, no more are asked.
        budget: the seconds for everything that a function is asked.
        memory: the bytes for a process.
        isolated: whether it runs in a process of its own; None: where one can be forked from any other.
    """

    question: float = 5.0
    first: float = 30.0
    importing: float = 120.0
    in_vain: float = 60.0
    budget: float = 120.0
    memory: int = 8 * 10**9
    isolated: bool | None = None
