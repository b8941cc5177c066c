"""The published run, which each test process reads once; no test may change it."""

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
    """Return the published results."""
    found = results_file.load(REPORTS)
    gc.freeze()  # garbage collection of about 400,000 permanent rows would take seconds
    return found


@cache
def observations() -> tuple[ObservedSubject, ...]:
    """Return the observations by subject, as the inference reads them."""
    return tuple(observations_of(results()))


@cache
def fingerprints() -> tuple[Fingerprint, ...]:
    """Return the published fingerprints."""
    return tuple(fingerprint_file.read(REPORTS / fingerprint_file.FILE))
