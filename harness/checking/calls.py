"""Asking a function: whatever it does, there is an answer, and in time."""

import contextlib
import io
import warnings
from collections.abc import Iterator

from rankproof.asking.observations import Answered, Failure
from rankproof.cases.inputs import Input
from rankproof.checking.given_values import NoNumber
from rankproof.checking.limits import TookTooLong, limited
from rankproof.checking.targets import Target

SECONDS = 5.0
"""How long a function may take for one input."""


def observe(target: Target, data: Input, k: int | None, seconds: float | None = None) -> Answered | Failure:
    """What a function answers to an expressed input; whatever it raises is an answer, too, and what it prints is not."""
    seconds = SECONDS if seconds is None else seconds
    try:
        with warnings.catch_warnings(), _silence(), limited(seconds):
            warnings.simplefilter("ignore")
            return target.form.ask(target, data, k)
    except NoNumber as error:
        return Failure("invalid-output", str(error))
    except TookTooLong:
        return Failure("timeout", f"no answer within {seconds:g} s")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it raises is what we are here to see
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return Failure("error", f"{type(error).__name__}: {lines[0] if lines else ''}"[:300].rstrip(": "))


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    nobody = io.StringIO()
    with contextlib.redirect_stdout(nobody), contextlib.redirect_stderr(nobody):
        yield
