"""Checking a person's own function: which conventions it follows, what shows that, and whether it is what it claims to be.

function ──form──► questions ──observe──► answers ──compare──► differences from the claim ──infer──► what it follows
"""

import math
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from rankproof import calling
from rankproof import cases as corpus
from rankproof.adapters import worker
from rankproof.calling import Target
from rankproof.cases import Case
from rankproof.observations import ABSENT, Answered, Failure, Observation, Reading, readings
from rankproof.oracle import Answers, Oracle, Refused
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.evaluation import NotPooled
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.reference_impl.profiles import profile as profile_of
from rankproof.reference_impl.ties import TooManyOrders
from rankproof.sheets import Sheet, keys_of, libraries
from rankproof.signature import Signature, axes_of
from rankproof.verdicts import reading_of, same

if TYPE_CHECKING:
    from rankproof.fingerprint import Fingerprint

AGREES, CONVENTION, UNEXPLAINED = "agrees", "convention", "unexplained"
SMALL_CUTOFFS = (1, 2, 3, 5)
TELLING = 2
"""The small cutoff that tells most."""
PRECISIONS = ("float64", "float32")
GLANCE = 60
"""How many answers that tell something are looked at before a fingerprint is taken."""
HOPELESS = 0.6
"""Where more than this share of them fits nothing, there is no convention to be found."""
EXCEPTIONS = 0.05
"""What fits nothing, up to this share of the answers, is an exception."""
PATIENCE = 3
"""How often a function may take too long before it is given up."""


@dataclass(frozen=True)
class Question:
    """A measure of a case, as far as the function can be told of it.

    Attributes:
        telling: whether it is asked first: at the cutoffs that were chosen for something.
    """

    case: Case
    measure: Measure
    oracle: Oracle
    telling: bool = True

    @property
    def weight(self) -> tuple[int, str]:
        """By which the simplest question is found."""
        return len(self.case.run) + len(self.case.qrels) + 2 * len(self.case.queries), self.case.id

    def answers(self, conventions: Conventions) -> Answers | None:
        """What the reference says; None where it cannot, for too many orders of tied docs."""
        try:
            return self.oracle.answers(self.measure, conventions)
        except TooManyOrders:
            return None


@dataclass(frozen=True)
class Seen:
    """A question, and what the function answered; `again` where it said something else when asked again."""

    question: Question
    answer: Answered | Failure
    again: Answered | Failure | None = None


@dataclass(frozen=True)
class Difference:
    """An answer that is not what conventions say.

    Attributes:
        query: None for the value over all queries.
        expected: None where the reference refuses the input.
        got: a number, `absent`, or what went wrong.
    """

    question: Question
    query: str | None
    expected: Reading | None
    got: Reading | Failure
    note: str = ""

    @property
    def rank(self) -> tuple[bool, int, str]:
        """Its place among others: numbers before errors, simple before large."""
        return isinstance(self.got, Failure), *self.question.weight


@dataclass(frozen=True)
class Checked:
    """What was found of a function.

    Attributes:
        claim: the profile it is held to, as it was written.
        claimed: its conventions.
    """

    target: Target
    measure: Measure
    claim: str
    claimed: Conventions
    seen: tuple[Seen, ...]

    @property
    def asked(self) -> int:
        """How many questions were asked."""
        return len(self.seen)

    @cached_property
    def differences(self) -> list[Difference]:
        """Where it differs from what it claims, the simplest first."""
        return differences(self.seen, self.claimed, self.precision)

    @property
    def holds(self) -> bool:
        """Whether it follows what it claims."""
        return not self.differences

    @property
    def witness(self) -> Difference | None:
        """The simplest case that shows it to differ; rather one about the conventions in which it does."""
        axes = set(self.claimed.differences(self.follows))
        return min(
            self.differences, key=lambda d: (_aside(d.question.case, axes), _strange(d.question), *d.rank), default=None
        )

    @cached_property
    def precision(self) -> str:
        """How exactly its numbers are compared: float64, unless all that it says fits at float32 alone."""
        for precision in PRECISIONS:
            if not differences(self.seen, self.claimed, precision):
                return precision
        return self.found.precision

    @cached_property
    def found(self) -> "Found":
        """The conventions that its answers prove."""
        return found_of(self.target, self.measure, self.seen, self.claimed)

    @cached_property
    def follows(self) -> Conventions:
        """The conventions it follows, or those that come nearest to it."""
        return self.claimed if self.holds else self.found.profile

    @cached_property
    def misses(self) -> list[Difference]:
        """Where even those do not give its answers."""
        return differences(self.seen, self.follows, self.precision)

    @property
    def verdict(self) -> str:
        """`agrees` with the claim, follows another `convention`, or `unexplained`: none gives all of its answers."""
        return AGREES if self.holds else UNEXPLAINED if self.misses else CONVENTION

    @property
    def is_unknown(self) -> bool:
        """Whether it follows no convention known, not even but for exceptions."""
        return _count(self.misses) > EXCEPTIONS * self.asked

    @property
    def profile(self) -> Conventions:
        """What it follows, with what its caller decides by what it is told."""
        return self.follows.replace(**self.target.form.settled)

    @property
    def signature(self) -> Signature | None:
        """What reproduces its numbers, but for exceptions; None where nothing does."""
        by = "".join("_" if c.isspace() or c == "|" else c for c in self.target.name.strip(":")) or "function"
        return None if self.is_unknown else Signature(self.measure, self.profile, by)

    @property
    def words(self) -> str:
        """The profile in words."""
        from rankproof.phrases import in_words  # noqa: PLC0415 - what holds needs no words

        return in_words(self.profile, self.measure)

    @cached_property
    def nearest(self) -> "Nearest | None":
        """The libraries whose sheets claim what comes nearest to its answers."""
        return nearest(self.measure, self.seen, self.precision)

    @property
    def repro(self) -> str:
        """A script that shows the witness, or where it holds, the simplest question."""
        shown = self.witness
        question = shown.question if shown else min((seen.question for seen in self.seen), key=lambda q: q.weight)
        query = shown.query if shown else None
        return calling.repro(self.target, question.case, query, _cutoff_of(question.measure))

    def __str__(self) -> str:
        """One sentence."""
        if self.witness is None:
            return f"{self.target.short} follows {self.claim} on {self.asked} questions."
        return f"{self.target.short} does not follow {self.claim}: {_witnessed(self.witness, self.claim)}; {self._instead()}."

    def _instead(self) -> str:
        spec = self.follows.spec() or "standard"
        if not self.misses:
            return f"it follows {spec}"
        missed = list(dict.fromkeys(miss.question.case.id for miss in self.misses))
        if not self.is_unknown:
            return f"it follows {spec} but for {listed(missed)}"
        return (
            f"it follows no known convention: the nearest, {spec}, leaves {_count(self.misses)} of its {self.asked} answers "
            "unexplained"
        )


def check(
    function: Any,  # noqa: ANN401 - anything that can be called
    measure: str,
    profile: str | Conventions = "standard",
    form: str | None = None,
) -> Checked:
    """Hold a function of yours to the conventions that it claims, on every case of the corpus.

        def test_my_ndcg():
            rankproof.check(ndcg, "nDCG@10", profile="standard ties=input")

    Args:
        function: of `y_true, y_score, k`, of `ranked_rels, k` or of `qrels, run`; an ir_measures measure; an object with `update` and
            `compute` as torchmetrics has them. `k` may be missing where the measure's own cutoff is all it can do.
        measure: in ir_measures' notation.
        profile: a name, a spec such as "standard ties=input", or `Conventions`.
        form: how it is called, where that cannot be recognised: rows, ranked, qrels-run, labelings, ir_measures or torchmetrics.

    Returns:
        What was found: `.signature`, `.seen`, and so on.

    Raises:
        AssertionError: it does not follow the profile; the message says where, and what it follows.
        BadFunction: it answers none of the forms.
        UnknownMeasure: there is no such measure.
        UnknownConvention: there is no such profile.
    """
    found = examine(function, measure, profile, form)
    if not found.holds:
        raise AssertionError(f"{found}\n\n{found.repro}")
    return found


def examine(
    function: Any,  # noqa: ANN401 - as in check
    measure: str,
    profile: str | Conventions = "standard",
    form: str | None = None,
    *,
    name: str = "",
    cases: Sequence[Case] | None = None,
) -> Checked:
    """Ask a function every case; as `check`, but what does not hold is found, not raised."""
    asked = parse_measure(measure)
    claimed = profile_of(profile)
    target = calling.recognised(function, name or calling.name_of(function), asked, form)
    claim = profile if isinstance(profile, str) else profile.spec() or "standard"
    seen = tuple(_asked(target, questions(target, asked, corpus.load_all() if cases is None else cases)))
    if not seen:
        raise calling.BadFunction(f"no case of the corpus can be asked of {target.name} as {target.form.call}")
    return Checked(target, asked, claim, claimed, seen)


def held(target: Target, measure: Measure, claim: str, claimed: Conventions, case: Case) -> str:
    """What is wrong with a function by one case alone, with a script that shows it; nothing if it holds."""
    seen = list(_asked(target, questions(target, measure, [case])))
    exactly = next((p for p in PRECISIONS if not differences(seen, claimed, p)), PRECISIONS[0])
    found = differences(seen, claimed, exactly)
    if not found:
        return ""
    shown = found[0]
    script = calling.repro(target, shown.question.case, shown.query, _cutoff_of(shown.question.measure))
    return f"{target.short} does not follow {claim}: {_witnessed(shown, claim)}.\n\n{script}"


# -- asking ---------------------------------------------------------------------------------------------------------


def questions(target: Target, measure: Measure, cases: Sequence[Case]) -> Iterator[Question]:
    """Every question that the function can be asked: each case as far as it can be told, at each cutoff."""
    met = set()
    for case in cases:
        narrowed = calling.expressed(target.form, case)
        if narrowed is None:
            continue
        oracle = Oracle(narrowed)
        for cutoff in _cutoffs(target, measure, narrowed):
            asked = replace(measure, cutoff=cutoff)
            key = (
                narrowed.qrels,
                narrowed.run,
                narrowed.empty_in_qrels,
                narrowed.empty_in_run,
                narrowed.true,
                narrowed.predicted,
            )
            if (key, asked) not in met:
                met.add((key, asked))
                yield Question(
                    narrowed,
                    asked,
                    oracle,
                    cutoff in {TELLING, measure.cutoff} or cutoff not in SMALL_CUTOFFS,
                )


def _cutoffs(target: Target, measure: Measure, case: Case) -> list[int | float | None]:
    """The cutoff asked; where the function takes any, those of the case and small ones, too."""
    if measure.of_labels or target.k is None or _cutoff_of(measure) is None:
        return [measure.cutoff]
    own = [_cutoff_of(m) for m in map(parse_measure, case.measures) if m.name == measure.name]
    longest = max((row[3] for row in case.run), default=0)
    small = [k for k in SMALL_CUTOFFS if k < longest]
    return list(dict.fromkeys([measure.cutoff, *(k for k in own if k is not None), *small]))


def _cutoff_of(measure: Measure) -> int | None:
    return None if measure.of_labels else measure.k


def _asked(target: Target, asked: Iterator[Question]) -> Iterator[Seen]:
    slow = 0
    for question in asked:
        k = _cutoff_of(question.measure)
        answer = calling.observe(target, question.case, k)
        slow += isinstance(answer, Failure) and answer.kind == "timeout"
        if slow >= PATIENCE:
            raise calling.BadFunction(
                f"{target.name} took more than {calling.SECONDS:g} s, {PATIENCE} times, lastly for {question.case.id}; "
                "nothing is said of it: check it on a faster machine, or make it faster"
            )
        if isinstance(answer, Failure) and answer.kind == "timeout":
            yield Seen(question, answer)
            continue
        again = calling.observe(target, question.case, k)
        yield Seen(question, answer, None if _alike(answer, again) else again)


def _alike(a: Answered | Failure, b: Answered | Failure) -> bool:
    if isinstance(a, Failure) or isinstance(b, Failure):
        return isinstance(a, Failure) and isinstance(b, Failure) and a.kind == b.kind
    return repr(a) == repr(b)  # where nan is nan


# -- comparing ------------------------------------------------------------------------------------------------------


def differences(seen: Sequence[Seen], conventions: Conventions, precision: str) -> list[Difference]:
    """Where answers are not what the reference says under these conventions, the simplest first."""
    found = [difference for one in seen for difference in _differences(one, conventions, precision)]
    return sorted(found, key=lambda d: d.rank)


def _differences(seen: Seen, conventions: Conventions, precision: str) -> Iterator[Difference]:
    question, answer = seen.question, seen.answer
    expected = question.answers(conventions)
    if expected is None:
        return
    if seen.again is not None:
        yield Difference(
            question, None, reading_of(expected, None), _one(answer), f"asked again it {gives(_one(seen.again))}"
        )
        return
    if isinstance(answer, Failure):
        if answer.kind != "error" or not isinstance(expected, Refused):
            yield Difference(question, None, _alone(expected), answer)
        return
    for query, reading in readings(answer, tuple(str(query) for query in question.case.queries)):
        wanted = reading_of(expected, query)
        if not (reading == ABSENT == wanted) and (wanted is None or not same(reading, wanted, precision)):
            yield Difference(question, query, wanted, reading)


def _aside(case: Case, axes: set[str]) -> int:
    """How far a case is from being about one of these axes: its topic, its tags, neither."""
    return 0 if case.id.partition("/")[0] in axes else 1 if axes & set(case.tags) else 2


def _strange(question: Question) -> bool:
    """Whether the case itself does not ask the measure."""
    return question.measure.name not in {parse_measure(measure).name for measure in question.case.measures}


def _alone(expected: Answers) -> Reading | None:
    return reading_of(expected, None)


def _one(answer: Answered | Failure) -> Reading | Failure:
    if isinstance(answer, Failure):
        return answer
    return answer.mean if answer.mean is not None else next(iter((answer.per_query or {}).values()), ABSENT)


def _count(found: Sequence[Difference]) -> int:
    return len({(d.question.case.id, str(d.question.measure)) for d in found})


# -- inferring ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """The conventions that come nearest to the answers.

    Attributes:
        fingerprint: with a finding for every axis; None where nothing comes near.
    """

    profile: Conventions
    precision: str
    fingerprint: "Fingerprint | None" = None


def found_of(target: Target, measure: Measure, seen: Sequence[Seen], claimed: Conventions) -> Found:
    """The conventions that explain most answers, with a fingerprint if they explain much of what tells."""
    telling = sorted(filter(_tells, seen), key=lambda one: one.question.weight)[:GLANCE]
    starts = [claimed, *nearest_claims(measure, seen, PRECISIONS[-1])[:1]]
    for precision in PRECISIONS:
        near = min((glance(measure, telling, start, precision) for start in starts), key=lambda found: found[0])
        if near[0] <= len(telling) * HOPELESS:
            fingerprint = inferred(target, [one for one in seen if one.question.telling], precision)
            if differences(seen, fingerprint.profile, PRECISIONS[-1]):
                fingerprint = inferred(target, seen, precision)
            exact = _exactly(seen, fingerprint.profile, precision)
            return Found(fingerprint.profile, exact, fingerprint)
    return Found(near[1], PRECISIONS[0])


def _tells(seen: Seen) -> bool:
    """Whether an answer tells something: 0 and 1 are right by many conventions, and an error is no number."""
    if isinstance(seen.answer, Failure) or seen.again is not None:
        return False
    return any(isinstance(value, float) and value not in {0.0, 1.0} for _, value in readings(seen.answer, ()))


def _exactly(seen: Sequence[Seen], profile: Conventions, precision: str) -> str:
    coarser = PRECISIONS[-1]
    return coarser if differences(seen, profile, precision) and not differences(seen, profile, coarser) else precision


def glance(measure: Measure, seen: Sequence[Seen], start: Conventions, precision: str) -> tuple[int, Conventions]:
    """The fewest misses that changing one axis after another comes to, and the profile that has them."""
    profile, fewest = start, _count(differences(seen, start, precision))
    while fewest:
        changed = (
            profile.replace(**{axis: value})
            for axis in axes_of(measure)
            for value in AXES[axis].values
            if value != getattr(profile, axis)
        )
        counted = ((_misses_at(seen, one, precision), one) for one in changed)
        best, better = min(counted, key=lambda pair: pair[0])
        if best >= fewest:
            break
        profile, fewest = better, best
    return fewest, profile


def _misses_at(seen: Sequence[Seen], conventions: Conventions, precision: str) -> int:
    try:
        return _count(differences(seen, conventions, precision))
    except NotPooled:
        return len(seen) + 1


def inferred(target: Target, seen: Sequence[Seen], precision: str) -> "Fingerprint":
    """The fingerprint of the answers."""
    from rankproof import fingerprint  # noqa: PLC0415 - needed only where a claim does not hold, or all is told

    observations = [
        Observation(
            one.question.case.id, target.name, target.form.name, str(one.question.measure), one.answer, "", one.again
        )
        for one in seen
    ]
    cases = {one.question.case.id: one.question.case for one in seen}
    found = fingerprint.infer(
        observations,
        cases,
        library=target.name,
        variant=target.form.name,
        version="",
        precision=lambda _measure: precision,
    )
    return max(found, key=lambda one: one.asked)


@dataclass(frozen=True)
class Nearest:
    """The libraries that come nearest to a function, and how near."""

    libraries: tuple[str, ...]
    same: int
    asked: int


def nearest(measure: Measure, seen: Sequence[Seen], precision: str) -> Nearest | None:
    """The libraries under whose claimed profile the reference gives most of the answers.

    The sheets are part of rankproof, so no library needs to be there.
    """
    scored = [
        (len(seen) - _count(differences(seen, conventions, precision)), names)
        for conventions, names in _claims(measure)
    ]  # fmt: skip
    if not scored:
        return None
    most = max(score for score, _ in scored)
    return Nearest(tuple(name for score, names in scored if score == most for name in names), most, len(seen))


def nearest_claims(measure: Measure, seen: Sequence[Seen], precision: str) -> list[Conventions]:
    """The profiles that sheets claim, the nearest first."""
    claims = [conventions for conventions, _ in _claims(measure)]
    return sorted(claims, key=lambda conventions: _count(differences(seen, conventions, precision)))


@cache
def _claims(measure: Measure) -> list[tuple[Conventions, list[str]]]:
    """Every profile that a sheet claims for the measure, and whose it is."""
    by_profile: dict[tuple[str, ...], tuple[Conventions, list[str]]] = {}
    for library in libraries():
        adapter = worker.load_adapter(str(library.adapter))
        for variant in library.sheet.profiles:
            if _answers(adapter, library.sheet, variant, measure):
                conventions = library.sheet.profile_of(variant, measure)
                key = tuple(getattr(measure_conventions(measure, conventions), axis) for axis in axes_of(measure))
                name = library.name if len(library.sheet.profiles) == 1 else f"{library.name}/{variant}"
                by_profile.setdefault(key, (conventions, []))[1].append(name)
    return list(by_profile.values())


def measure_conventions(measure: Measure, conventions: Conventions) -> Conventions:
    """The conventions with what a parameter of the measure names."""
    return conventions if measure.of_labels else measure.conventions(conventions)


def _answers(adapter: types.ModuleType, sheet: Sheet, variant: str, measure: Measure) -> bool:
    """Whether a variant has the measure; where only the library could tell, whether its sheet speaks of that measure."""
    supported: Mapping[str, Any] | None = adapter.MEASURES(variant) if callable(adapter.MEASURES) else adapter.MEASURES
    if supported is not None and "*" in supported:
        return variant == "default" or any(key in sheet.profiles[variant] for key in keys_of(measure) if key != "*")
    return supported is not None and worker.match(dict(supported), str(measure)) is not None


# -- telling --------------------------------------------------------------------------------------------------------


def number(value: float) -> str:
    """A number as a sentence has it: `.6309`, `0`, `1.5`; never so short that it seems to be another.

    >>> number(0.6309297), number(0.0), number(1.0), number(1e-9)
    ('.6309', '0', '1', '1e-09')
    """
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 1e15:  # noqa: PLR2004 - beyond, floats are whole anyway
        return str(int(value))
    short = f"{value:.4f}".rstrip("0")
    if float(short) == 0 or float(short) == int(float(short)):
        return f"{value:.4g}" if f"{value:.4g}" not in {"0", "1"} else repr(value)
    return short.replace("0.", ".", 1) if short.startswith(("0.", "-0.")) else short


def reading(value: Reading | None, *, exact: bool = False) -> str:
    """What the reference says, in words."""
    return "refuses the input" if value is None else gives(value, exact=exact)


def gives(got: Reading | Failure, *, exact: bool = False) -> str:
    """What a function says, in words."""
    if isinstance(got, Failure):
        return {"error": f"raises {got.text}", "timeout": f"gives {got.text}"}.get(
            got.kind, got.text.removeprefix("it ")
        )
    return "says nothing" if isinstance(got, str) else f"gives {repr(got) if exact else number(got)}"


def _witnessed(found: Difference, claim: str) -> str:
    case, measure = found.question.case, found.question.measure
    where = f"on {case.id} ({case.question})"
    about = f"{measure}" if found.query is None or len(case.queries) == 1 else f"{measure} of {found.query}"
    got, wanted = gives(found.got), reading(found.expected)
    if (
        isinstance(found.got, float)
        and isinstance(found.expected, float)
        and number(found.got) == number(found.expected)
    ):
        got, wanted = f"gives {found.got!r}", f"gives {found.expected!r}"
    note = f" ({found.note})" if found.note else ""
    return f"{where} its {about} {_of_it(got)}{note} where {claim} {wanted}"


def _of_it(got: str) -> str:
    number_given = got.removeprefix("gives ")
    return f"is {number_given}" if got.startswith("gives ") else got


def listed(names: Sequence[str], most: int = 3) -> str:
    """Some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
