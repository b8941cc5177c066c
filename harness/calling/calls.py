"""Asking a function: whatever it does, there is an answer, unless its process ends."""

from dataclasses import dataclass, field, replace
from typing import Any

from rankproof.calling.functions import BEFORE, OBJECT
from rankproof.calling.given_values import NoNumber
from rankproof.calling.targets import Target
from rankproof.cases.inputs import Input
from rankproof.text import one_line
from rankproof.workers.observations import Answered, Failure

LONGEST = 300
"""How many characters of what a function says are kept."""
NOT_SHOWN = "whose text cannot be shown"


def observe(
    function: Any,  # noqa: ANN401 - whatever can be called
    target: Target,
    data: Input,
    k: int | None,
    through: tuple[type[BaseException], ...] = (),
) -> Answered | Failure:
    """What a function answers to an expressed input; whatever it raises is an answer, too, but for what is let through."""
    try:
        return target.form.ask(function, target, data, k)
    except through:
        raise
    except NoNumber as error:
        return Failure("invalid-output", one_line(error))
    except MemoryError:
        return Failure("memory", "it took more memory than it may have")
    except Exception as error:  # noqa: BLE001 - whatever it raises is what we are here to see
        return Failure("error", told(error))
    except BaseException as error:  # noqa: BLE001 - it would end the program of who called it
        return Failure("crash", f"it raises {told(error)}")


@dataclass
class Repeating:
    """One call after the other: what is called twice in a row gets the very same lists the second time, and an object of before."""

    _last: tuple[Input, int | None] | None = None
    _kept: dict[str | None, Any] = field(default_factory=dict)

    def target(self, way: Target, call: tuple[Input, int | None]) -> Target:
        """A way to call, with the arguments of the call before where this is the same one."""
        if call is not self._last:
            before = self._kept.get(OBJECT)
            self._last, self._kept = call, {} if before is None else {BEFORE: before}
        return replace(way, kept=self._kept)


def told(error: BaseException) -> str:
    """The kind of an error and the first line of its text, whatever its own methods do."""
    kind = "an error"
    try:
        kind = one_line(type(error).__name__)
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return f"{kind}: {one_line(lines[0][:LONGEST]) if lines else ''}"[:LONGEST].rstrip(": ")
    except BaseException:  # noqa: BLE001 - a text is made by the function's own code
        return f"{kind}, {NOT_SHOWN}"
