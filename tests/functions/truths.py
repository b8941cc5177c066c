"""What is true of a function that was written after what public projects do; said where the function stands, and never read by `check`."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Truth:
    """What is to be found of a function.

    Attributes:
        measure: what it is asked as.
        form: the name of the form by which it is to be called.
        follows: its conventions on ordinary input, as a change of `standard`; None where it has a defect.
        defect: the name of its defect in the catalogue; "" for an honest one.
        odd: "nobody" where no library, tool or paper known here does all of that, "cheap" where a run that misses docs gets 1, "dear"
            where one that cannot be better gets less; else "".
        twice: whether a doc that is retrieved twice is credited twice, and the value is more than the measure can be.
    """

    measure: str
    form: str
    follows: str | None = "standard"
    defect: str = ""
    twice: bool = False
    odd: str = ""


def truth(measure: str, form: str, follows: str | None = "standard", **more: Any) -> Any:
    """A decorator: this is true of the function, the class or the object."""

    def said(function: Any) -> Any:
        function.truth = Truth(measure, form, None if "defect" in more else follows, **more)
        return function

    return said


def with_truths(module: Any) -> dict[str, Truth]:
    """The functions of a module that say what is true of them."""
    return {
        name: thing.truth
        for name, thing in vars(module).items()
        if isinstance(getattr(thing, "truth", None), Truth) and not name.startswith("_")
    }
