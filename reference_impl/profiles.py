"""Named, complete sets of conventions, as data.

A profile is written as a name, followed by what differs from it: `trec_eval-9`, `trec_eval-9 missing=0`; `gain=exp`
alone is `standard` but for the gain.

>>> profile("trec_eval-9 missing=0").spec()
'f_weight=beta recall_points=trunc-09 score=f32'
>>> profile("trec_eval-11")
Traceback (most recent call last):
    ...
rankproof.reference_impl.profiles.UnknownProfile: trec_eval-11 is no profile; known are standard, \
trec_eval-9, trec_eval-10, notebook-trec, notebook-binary, notebook-catboost, notebook-similarity
"""

from collections.abc import Mapping
from types import MappingProxyType

from rankproof.reference_impl.conventions import STANDARD, Conventions, UnknownConvention, parse_conventions


class UnknownProfile(UnknownConvention):
    """There is no profile of that name."""


_SPECS = {
    # What trec_eval documents, on float64 scores, over all judged queries.
    "standard": "",
    # What trec_eval 9.0.x does without -c: float32 scores, the queries that the run has, its rounding of recall points.
    "trec_eval-9": "score=f32 missing=dropped recall_points=trunc-09 f_weight=beta",
    # Version 10: float64 scores, recall points rounded; a judged query that the run does not have ends the program.
    "trec_eval-10": "missing=rejected recall_points=round f_weight=beta",
    # Own measures of the notebook on Hugging Face's trec_eval: rows by their rank column, exponential gain.
    "notebook-trec": "order=rank gain=exp",
    # The notebook of hand-written measures on binary lists: only the list itself is known.
    "notebook-binary": "order=input p_denominator=min-k-n ap_denominator=hits discount=jk-2 ideal=given",
    # The notebook on catboost and scikit-learn: exponential gain, ideal of the list, a list of zeros is worth 1.
    "notebook-catboost": "order=input gain=exp ideal=given norel=1",
    # The notebook on similarity matrices: binary by construction, ties in the order of the documents.
    "notebook-similarity": "ties=input gain=exp",
}

PROFILES: Mapping[str, Conventions] = MappingProxyType({name: parse_conventions(spec) for name, spec in _SPECS.items()})


def profile(spec: str | Conventions) -> Conventions:
    """The conventions that a name, and changes behind it, stand for.

    Raises:
        UnknownProfile: the first word is neither a profile nor `axis=value`.
        UnknownConvention: a change names no axis or value.
    """
    if isinstance(spec, Conventions):
        return spec
    first = (spec.split() or ["standard"])[0]
    if "=" in first:
        return parse_conventions(spec, STANDARD)
    if first not in PROFILES:
        msg = f"{first} is no profile; known are {', '.join(PROFILES)}"
        raise UnknownProfile(msg)
    return parse_conventions(spec.strip().removeprefix(first), PROFILES[first])
