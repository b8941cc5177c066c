"""Named, complete sets of conventions, as data.

A profile is written as a name, optionally followed by changes: `trec_eval-9`, `trec_eval-9 missing=0`. Changes without
a name apply to `standard`: `gain=exp`. Some profiles have different conventions for some measures:

>>> profile("trec_eval-9 missing=0").spec()
'f_weight=beta iprec_empty=nan recall_points=trunc-09 score=f32'
>>> from rankproof.reference_impl.notation import parse
>>> [conventions_of("notebook-binary", parse(measure)).grades for measure in ("P@5", "nDCG@5")]
['binary', 'any']
>>> profile("trec_eval-11")
Traceback (most recent call last):
    ...
rankproof.reference_impl.profiles.UnknownProfile: Unknown profile 'trec_eval-11'; did you mean trec_eval-10?

The profiles `notebook-*` equal their notebooks on every valid input, except in three cases without a convention:

- A document judged twice divides the recall of the notebook twice; here the input is rejected.
- For a document judged twice, nDCG uses the last judgment above 0; here it uses the last judgment.
- A list whose ideal DCG is below 0 has an nDCG; here it is 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType

from rankproof.reference_impl.conventions import STANDARD, Conventions, UnknownConvention, parse_conventions, spelled
from rankproof.reference_impl.notation import Measure, keys_of
from rankproof.reference_impl.shown import did_you_mean, shortened

EVERY = "*"
"""Key of the conventions for every measure without its own key."""


class UnknownProfile(UnknownConvention):
    """Name that is not a profile."""


@dataclass(frozen=True)
class Profile:
    """Conventions by measure. A key is a measure (`P(rel=2)@5`, `P@k`, `nDCG`), or `*` for all others."""

    of: Mapping[str, Conventions]
    whose: str = ""
    """The observed library, if any; the profile then covers only observed measures (`P(rel=2)@5` by `P(rel=2)@k`)."""
    open: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    """By the same keys: the undecided axes and their possible values; the values in `of` are then only assumed."""
    read: bool = False
    """Whether the profile comes from source code instead of observed results."""
    by: str = ""
    """The library that was observed to follow the profile, by its name in signatures."""

    def conventions(self, measure: Measure) -> Conventions:
        """Return the conventions of the most specific key that fits, or `standard` if none does.

        Raises:
            UnknownConvention: the profile does not cover the measure.
        """
        key = self._key(measure)
        return STANDARD if key is None else self.of[key]

    def undecided(self, measure: Measure) -> Mapping[str, tuple[str, ...]]:
        """Return the undecided axes of the measure, each with its possible values (none: all values).

        Raises:
            UnknownConvention: the profile does not cover the measure.
        """
        return self.open.get(self._key(measure) or "", {})

    def _key(self, measure: Measure) -> str | None:
        keys = list(keys_of(measure))
        if self.whose:
            keys = keys[: 1 if measure.cutoff is None or measure.k is None else 2]  # a recall level is not a rank
        fitting = next((key for key in keys if key in self.of), None)
        if fitting is None and self.whose:
            wanted = keys[-1]
            other = wanted.removesuffix("@k") if wanted.endswith("@k") else f"{wanted}@k"
            hint = f". Did you mean {other.replace('@k', '@10')}?" if other in self.of else ""
            source = "source profile" if self.read else "profile"
            raise UnknownConvention(f"{self.whose} has no {source} for {wanted}; it has {', '.join(self.of)}{hint}")
        return fitting

    def changed(self, changes: str) -> "Profile":
        """Return the profile with `axis=value …` changed for every measure.

        Raises:
            UnknownConvention: a change has an unknown axis or value.
        """
        of = {key: parse_conventions(changes, conventions) for key, conventions in self.of.items()}
        changed = {word.partition("=")[0] for word in changes.split()}
        still = {
            key: {axis: left for axis, left in axes.items() if axis not in changed} for key, axes in self.open.items()
        }
        return replace(self, of=of, open=still)

    @property
    def single(self) -> Conventions | None:
        """The set of conventions if it is the same for all measures, else None."""
        return self.of.get(EVERY) if len(set(self.of.values())) == 1 else None


_SPECS: Mapping[str, Mapping[str, str]] = {
    # trec_eval as documented, with float64 scores and over all judged queries.
    "standard": {EVERY: ""},
    # trec_eval 9.0.x without -c: float32 scores, only queries in the run, its rounding of recall points, and 0/0 at
    # recall 0 of an empty ranking.
    "trec_eval-9": {EVERY: "score=f32 missing=dropped recall_points=trunc-09 iprec_empty=nan f_weight=beta"},
    # Version 10: float64 scores, rounded recall points. A judged query that is missing from the run ends the program.
    "trec_eval-10": {EVERY: "missing=rejected recall_points=round iprec_empty=nan f_weight=beta"},
    # The notebook's own measures next to Hugging Face's trec_eval: rows ordered by their rank column, exponential gain,
    # and queries with a judgment above 0. P and R use sets, so a document counts once. DCG takes any dict of grades.
    "notebook-trec": {
        EVERY: "order=rank gain=exp relevant=above-zero missing=measured norel=dropped run_duplicates=once "
        "qrels_duplicates=highest",
        "R": "qrels_duplicates=rejected",
        "nDCG": "run_duplicates=both qrels_duplicates=last",
        "DCG": "run_duplicates=both qrels_duplicates=last negative=as-is",
    },
    # The notebook of hand-written measures on binary lists: except for recall, a measure sees only the list.
    "notebook-binary": {
        EVERY: "order=input known=retrieved p_denominator=min-k-n ap_denominator=hits discount=jk-2 ideal=given "
        "missing=measured extra=measured",
        "P": "grades=binary empty=rejected",
        "R": "grades=binary known=all norel=rejected",
        "AP": "grades=binary norel=rejected",
        "DCG": "negative=rejected",
        "nDCG": "negative=rejected norel=nan empty=rejected",
    },
    # The notebook on catboost and scikit-learn: exponential gain, and an ideal ranking of the list. A list of zeros
    # scores 1, an empty list 0. The dict of grades must contain every document.
    "notebook-catboost": {
        EVERY: "order=input gain=exp known=retrieved ideal=given norel=1 empty=missing run_duplicates=both "
        "qrels_duplicates=last negative=as-is unjudged=rejected",
    },
    # The notebook on similarity matrices: binary by construction, and ties in the order of the documents. A label that
    # occurs once gives 0/0. A ranking must have at least as many documents as the cutoff.
    "notebook-similarity": {EVERY: "ties=input gain=exp norel=nan short=rejected"},
}


def _named(specs: Mapping[str, str]) -> Profile:
    shared = parse_conventions(specs[EVERY])
    return Profile({key: shared if key == EVERY else parse_conventions(spec, shared) for key, spec in specs.items()})


PROFILES: Mapping[str, Profile] = MappingProxyType({name: _named(specs) for name, specs in _SPECS.items()})


def by_measure(spec: "str | Conventions | Profile") -> Profile:
    """Return the profile for a name, optionally followed by changes.

    Raises:
        UnknownProfile: the first word is neither a profile nor `axis=value`.
        UnknownConvention: a change has an unknown axis or value.
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
        msg = f"Unknown profile {shortened(first)!r}; {did_you_mean(first, PROFILES, all_by='rankproof show profiles')}"
        raise UnknownProfile(msg)
    return PROFILES[first].changed(spec.strip().removeprefix(first))


def conventions_of(spec: str | Conventions | Profile, measure: Measure) -> Conventions:
    """Return the conventions of a profile for a measure.

    Raises:
        UnknownConvention: as in `by_measure`.
    """
    return spec if isinstance(spec, Conventions) else by_measure(spec).conventions(measure)


def profile(spec: str | Conventions) -> Conventions:
    """Return the single set of conventions for a name, optionally followed by changes.

    Raises:
        UnknownProfile: the first word is neither a profile nor `axis=value`.
        UnknownConvention: a change has an unknown axis or value, or the conventions differ between measures.
    """
    if isinstance(spec, Conventions):
        return spec
    single = by_measure(spec).single
    if single is None:
        raise UnknownConvention(f"{spec} has different conventions for some measures. Use another profile.")
    return single
