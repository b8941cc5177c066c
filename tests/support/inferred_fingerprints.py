"""Fingerprints of one subject, inferred from a few observations."""

from collections.abc import Iterable, Mapping

from rankproof.cases import Case
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.form_groups import Exceptions, printed_at
from rankproof.judge.fingerprints import ObservedSubject, in_order, infer_all
from rankproof.workers.observations import Observation
from rankproof.workers.subjects import Subject


def infer(
    observations: Iterable[Observation],
    cases: Mapping[str, Case],
    subject: Subject,
    *,
    untold: Iterable[str] = (),
    exceptions: Exceptions | None = None,
) -> list[Fingerprint]:
    """Return the fingerprints of one subject, one for each form of a measure."""
    own = tuple(seen for seen in observations if seen.subject == subject)
    observed = ObservedSubject(subject, own, printed_at(own), frozenset(untold), exceptions or {})
    return in_order(fingerprint for of_measure in infer_all([observed], cases) for fingerprint in of_measure)
