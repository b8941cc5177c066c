"""Named, complete sets of conventions, as data.

A profile is written as a name, followed by what differs from it: `trec_eval-9`, `trec_eval-9 missing=0`; `gain=exp`
alone is `standard` but for the gain. Some have conventions of their own for some measures, by the keys of a sheet:

>>> profile("trec_eval-9 missing=0").spec()
'f_weight=beta iprec_empty=nan recall_points=trunc-09 score=f32'
>>> from rankproof.reference_impl.notation import parse
>>> [conventions_of("notebook-binary", parse(measure)).grades for measure in ("P@5", "nDCG@5")]
['binary', 'any']
>>> profile("trec_eval-11")
Traceback (most recent call last):
    ...
rankproof.reference_impl.profiles.UnknownProfile: trec_eval-11 is no profile; did you mean trec_eval-10?

The profiles `notebook-*` equal their notebooks on every input that these can be given, but for three corners that no
convention says: a doc judged twice divides the notebook's recall twice (here it is refused); of a doc judged twice its
nDCG takes the last judgment above 0 (here the last); and a list whose ideal DCG is below 0 has an nDCG (here 1).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType

from rankproof.reference_impl.conventions import STANDARD, Conventions, UnknownConvention, parse_conventions, spelled
from rankproof.reference_impl.notation import Measure, keys_of
from rankproof.reference_impl.shown import did_you_mean, shortened

EVERY = "*"
"""The key of what holds for every measure that has no key of its own."""


class UnknownProfile(UnknownConvention):
    """There is no profile of that name."""


@dataclass(frozen=True)
class Profile:
    """The conventions of each measure, by a key that fits it: `P(rel=2)@5`, `P@k`, `nDCG`, or `*` for all others."""

    of: Mapping[str, Conventions]
    whose: str = ""
    """Of whom it was seen; then it speaks of the measures seen, in `P(rel=2)@5` of `P(rel=2)@k`, and of no other."""
    open: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    """By the same keys: the axes that nothing decided, and the values that remain; what `of` has there is only taken."""
    read: bool = False
    """Whether it was read in a source, and not seen in answers."""
    by: str = ""
    """The library that was observed to follow it, as its signatures call it."""

    def conventions(self, measure: Measure) -> Conventions:
        """Those of the most specific key that fits; `standard` where none does.

        Raises:
            UnknownConvention: it speaks of no such measure.
        """
        key = self._key(measure)
        return STANDARD if key is None else self.of[key]

    def undecided(self, measure: Measure) -> Mapping[str, tuple[str, ...]]:
        """The axes of the measure that nothing decided, and the values that remain; without any where all do.

        Raises:
            UnknownConvention: it speaks of no such measure.
        """
        return self.open.get(self._key(measure) or "", {})

    def _key(self, measure: Measure) -> str | None:
        keys = list(keys_of(measure))
        if self.whose:
            keys = keys[: 1 if measure.cutoff is None or measure.k is None else 2]  # a recall level is no rank
        fitting = next((key for key in keys if key in self.of), None)
        if fitting is None and self.whose:
            msg = f"no {'profile read' if self.read else 'fingerprint'} of {self.whose} has {keys[-1]}; it has {', '.join(self.of)}"
            raise UnknownConvention(msg)
        return fitting

    def changed(self, changes: str) -> "Profile":
        """The same with `axis=value …` changed for every measure.

        Raises:
            UnknownConvention: a change names no axis or value.
        """
        of = {key: parse_conventions(changes, conventions) for key, conventions in self.of.items()}
        changed = {word.partition("=")[0] for word in changes.split()}
        still = {
            key: {axis: left for axis, left in axes.items() if axis not in changed} for key, axes in self.open.items()
        }
        return replace(self, of=of, open=still)

    @property
    def single(self) -> Conventions | None:
        """The one set of conventions, where it is the same for all measures."""
        return self.of.get(EVERY) if len(set(self.of.values())) == 1 else None


_SPECS: Mapping[str, Mapping[str, str]] = {
    # What trec_eval documents, on float64 scores, over all judged queries.
    "standard": {EVERY: ""},
    # What trec_eval 9.0.x does without -c: float32 scores, the queries that the run has, its rounding of recall points, 0/0 at
    # recall 0 of no docs.
    "trec_eval-9": {EVERY: "score=f32 missing=dropped recall_points=trunc-09 iprec_empty=nan f_weight=beta"},
    # Version 10: float64 scores, recall points rounded; a judged query that the run does not have ends the program.
    "trec_eval-10": {EVERY: "missing=rejected recall_points=round iprec_empty=nan f_weight=beta"},
    # Own measures of the notebook on Hugging Face's trec_eval: rows by their rank column, exponential gain, queries with
    # a judgment above 0. P and R are of sets, so that a doc is credited once; DCG takes any dict of rels.
    "notebook-trec": {
        EVERY: "order=rank gain=exp relevant=above-zero missing=measured norel=dropped run_duplicates=once "
        "qrels_duplicates=highest",
        "R": "qrels_duplicates=rejected",
        "nDCG": "run_duplicates=both qrels_duplicates=last",
        "DCG": "run_duplicates=both qrels_duplicates=last negative=as-is",
    },
    # The notebook of hand-written measures on binary lists: only the list itself is known, but to recall.
    "notebook-binary": {
        EVERY: "order=input known=retrieved p_denominator=min-k-n ap_denominator=hits discount=jk-2 ideal=given "
        "missing=measured extra=measured",
        "P": "grades=binary empty=rejected",
        "R": "grades=binary known=all norel=rejected",
        "AP": "grades=binary norel=rejected",
        "DCG": "negative=rejected",
        "nDCG": "negative=rejected norel=nan empty=rejected",
    },
    # The notebook on catboost and scikit-learn: exponential gain, ideal of the list, a list of zeros is worth 1, an
    # empty one 0; rels are looked up in a dict, which has to have every doc.
    "notebook-catboost": {
        EVERY: "order=input gain=exp known=retrieved ideal=given norel=1 empty=missing run_duplicates=both "
        "qrels_duplicates=last negative=as-is unjudged=rejected",
    },
    # The notebook on similarity matrices: binary by construction, ties in the order of the documents, a label that
    # occurs once is 0/0, and as many docs as the cutoff asks for.
    "notebook-similarity": {EVERY: "ties=input gain=exp norel=nan short=rejected"},
}


def _named(specs: Mapping[str, str]) -> Profile:
    shared = parse_conventions(specs[EVERY])
    return Profile({key: shared if key == EVERY else parse_conventions(spec, shared) for key, spec in specs.items()})


PROFILES: Mapping[str, Profile] = MappingProxyType({name: _named(specs) for name, specs in _SPECS.items()})


def by_measure(spec: "str | Conventions | Profile") -> Profile:
    """The profile that a name, and changes behind it, stand for.

    Raises:
        UnknownProfile: the first word is neither a profile nor `axis=value`.
        UnknownConvention: a change names no axis or value.
    """
    if isinstance(spec, Profile):
        return spec
    return Profile({EVERY: spec}) if isinstance(spec, Conventions) else _of_words(spec)


@lru_cache(maxsize=4096)
def _of_words(spec: str) -> Profile:
    spec = spelled(spec)
    first = (spec.split() or ["standard"])[0]
    if "=" in first:
        return PROFILES["standard"].changed(spec)
    if first not in PROFILES:
        msg = f"{shortened(first)} is no profile; {did_you_mean(first, PROFILES, all_by='rankproof show profiles')}"
        raise UnknownProfile(msg)
    return PROFILES[first].changed(spec.strip().removeprefix(first))


def conventions_of(spec: str | Conventions | Profile, measure: Measure) -> Conventions:
    """The conventions that a profile has for a measure.

    Raises:
        UnknownConvention: as `by_measure` does.
    """
    return spec if isinstance(spec, Conventions) else by_measure(spec).conventions(measure)


def profile(spec: str | Conventions) -> Conventions:
    """The one set of conventions that a name, and changes behind it, stand for.

    Raises:
        UnknownProfile: the first word is neither a profile nor `axis=value`.
        UnknownConvention: a change names no axis or value, or the profile has conventions of its own for some measures.
    """
    if isinstance(spec, Conventions):
        return spec
    single = by_measure(spec).single
    if single is None:
        raise UnknownConvention(f"{spec} has conventions of its own for some measures, and here is no measure")
    return single
