"""The published run, read once by all tests of a process: it is whole in every one of them, and none changes it."""

import gc
from functools import cache
from pathlib import Path

from rankproof.inference import fingerprint_file
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.judge import results_file
from rankproof.judge.fingerprints import ObservedSubject, observations_of
from rankproof.judge.results_file import RunResults

REPORTS = Path(__file__).resolve().parent.parent.parent / "reports"


@cache
def results() -> RunResults:
    """What the libraries answered."""
    found = results_file.load(REPORTS)
    gc.freeze()  # some 400,000 rows that are kept to the end: to look at them for garbage takes seconds
    return found


@cache
def observations() -> tuple[ObservedSubject, ...]:
    """The same by subject, as it is inferred from."""
    return tuple(observations_of(results()))


@cache
def fingerprints() -> tuple[Fingerprint, ...]:
    """What was inferred from it."""
    return tuple(fingerprint_file.read(REPORTS / fingerprint_file.FILE))
