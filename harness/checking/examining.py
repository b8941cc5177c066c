"""Examining a function: everything that is asked of it, and all that was found."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rankproof import cases as corpus
from rankproof.asking.observations import Failure
from rankproof.cases import Case
from rankproof.checking import call_forms, recognising
from rankproof.checking.call_candidates import Source
from rankproof.checking.call_sessions import NOT_ASKED, Session
from rankproof.checking.case_questions import Progress, Question, Seen, answered, questions
from rankproof.checking.differing import PRECISIONS, Difference, count, differences, precisions
from rankproof.checking.inferring import Found, found_of, tells
from rankproof.checking.limits import Limits
from rankproof.checking.nearest import Nearest, nearest
from rankproof.checking.targets import BadFunction, Target
from rankproof.checking.wording import gives, listed, reading
from rankproof.judging.verdicts import Verdict
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.meaning.signatures import Signature, axes_of
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.text import short

AGREES, CONVENTION, UNEXPLAINED = Verdict.AGREES, Verdict.CONVENTION, Verdict.UNEXPLAINED
UNSTABLE, CRASH, MEMORY, TIMEOUT = Verdict.UNSTABLE, Verdict.CRASH, Verdict.MEMORY, Verdict.TIMEOUT
"""Of a function, no more than these is said."""
BREAKS = {"crash": CRASH, "memory": MEMORY, "timeout": TIMEOUT}
"""What it is called where a function does not come back, by the kind of failure; the gravest first."""
EXCEPTIONS = 0.1
"""What fits nothing, up to this share of the answers, is an exception."""


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

    @property
    def wavering(self) -> int:
        """How many questions got another answer when asked again."""
        return sum(one.again is not None for one in self.seen)

    @property
    def skipped(self) -> int:
        """How many questions were left out, as others had no answer in time."""
        return sum(isinstance(one.answer, Failure) and one.answer.text == NOT_ASKED for one in self.seen)

    @cached_property
    def differences(self) -> list[Difference]:
        """Where it differs from what it claims, the simplest first."""
        return differences(self.seen, self.claimed, self.precision)

    @property
    def holds(self) -> bool:
        """Whether it follows what it claims."""
        return not self.differences

    @cached_property
    def witness(self) -> Difference | None:
        """The simplest case that shows it to differ; rather one that a single convention explains, the formula's first."""
        if self.wavering and not self.holds:
            unsteady = {id(one.question) for one in self.seen if one.again is not None}
            return next(difference for difference in self.differences if id(difference.question) in unsteady)
        in_order = sorted(self.differences, key=lambda d: (not d.question.is_plain, d.question.strangeness, *d.rank))
        for axis in axes_of(self.measure) if not self.is_unknown else ():
            value = getattr(self.follows, axis)
            if value != getattr(self.claimed, axis):
                left = differences(self.seen, self.claimed.replace(**{axis: value}), self.precision)
                still = {id(difference.question) for difference in left}
                shown = next((difference for difference in in_order if id(difference.question) not in still), None)
                if shown is not None:
                    return shown
        return min(self.differences, key=lambda d: (not d.question.is_plain, *d.rank), default=None)

    @cached_property
    def precision(self) -> str:
        """How exactly its numbers are compared: float64, unless all that it says fits at a coarser one alone."""
        for precision in precisions(self.seen):
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
    def verdict(self) -> Verdict:
        """`agrees` with the claim, follows another `convention`, or `unexplained`: none gives all of its answers.

        Before these, `unstable`: it answered otherwise when asked again; `crash`, `memory` and `timeout`: it did not come back.
        """
        if self.holds:
            return AGREES
        if self.wavering:
            return UNSTABLE
        kinds = {one.answer.kind for one in self.seen if isinstance(one.answer, Failure)}
        broken = next((verdict for kind, verdict in BREAKS.items() if kind in kinds), None)
        return broken or (UNEXPLAINED if self.misses else CONVENTION)

    @property
    def is_unknown(self) -> bool:
        """Whether it follows no convention known, not even but for exceptions."""
        return count(self.misses) > EXCEPTIONS * self.asked

    @property
    def profile(self) -> Conventions:
        """What it follows, with what its caller decides by what it is told."""
        return self.follows.replace(**self.target.form.settled)

    @property
    def signature(self) -> Signature | None:
        """What reproduces its numbers, but for exceptions; None where nothing does, or they are others when asked again."""
        by = "".join("_" if c.isspace() or c == "|" else c for c in self.target.name.strip(":")) or "function"
        return None if self.is_unknown or self.wavering else Signature(self.measure, self.profile, by)

    @property
    def words(self) -> str:
        """The profile in words, but for what its caller decides."""
        from rankproof.meaning.words import in_words  # noqa: PLC0415 - what holds needs no words

        return in_words(self.profile, self.measure, without={*self.target.form.settled, *self.target.form.untold})

    @property
    def words_of_caller(self) -> str:
        """What its caller decides, in words."""
        matters = axes_of(self.measure)
        return ", ".join(
            AXES[axis].phrase(value) for axis, value in self.target.form.settled.items() if axis in matters
        )

    @cached_property
    def nearest(self) -> "Nearest | None":
        """The libraries whose sheets claim what comes nearest to its answers."""
        return nearest(self.measure, self.seen, self.precision)

    @property
    def repro(self) -> str:
        """A script that shows the witness, or where it holds, the simplest question."""
        shown = self.witness
        telling = [seen.question for seen in filter(tells, self.seen)]
        question = shown.question if shown else min(telling, key=_plainest, default=self.seen[0].question)
        query = shown.query if shown else None
        return call_forms.repro(self.target, question.case.input, query, cutoff_of(question.measure))

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
            f"it follows no known convention: the nearest, {spec}, leaves {count(self.misses)} of its {self.asked} answers "
            "unexplained"
        )


def check(
    function: Any,  # noqa: ANN401 - anything that can be called
    measure: str,
    profile: str | Conventions = "standard",
    form: str | None = None,
    *,
    isolated: bool | None = None,
) -> Checked:
    """Hold a function of yours to the conventions that it claims, on every case of the corpus.

        def test_my_ndcg():
            rankproof.check(ndcg, "nDCG@10", profile="standard ties=input")

    The function runs in a process forked from yours, so it may be anything that you have there, a lambda or an object in use: what it
    does to its own process (it ends, hangs, prints, changes variables) does nothing to yours. Your other threads are not there, and a
    lock that one of them holds stays locked; nor is a GPU that is in use. Where that is in the way, `isolated=False` asks the function
    in your own process, as is always done on macOS and Windows: it has a time limit only in the main thread, only while it comes back
    to Python, and not on Windows, no limit of memory, and what ends the process ends yours.

    Args:
        function: of `y_true, y_score, k`, of `ranked_rels, k`, of `relevant, ranked, k` (ids) or of `qrels, run`; an ir_measures
            measure; an object with `update` and `compute` as torchmetrics has them. `k` may be missing where the measure's own
            cutoff is all it can do.
        measure: in ir_measures' notation.
        profile: a name, a spec such as "standard ties=input", or `Conventions`.
        form: how it is called, where that cannot be recognised: rows, ranked, ids, qrels-run, labelings, ir_measures or torchmetrics.
        isolated: whether it runs in a process of its own; None: where that is safe.

    Returns:
        What was found: `.signature`, `.seen`, and so on.

    Raises:
        AssertionError: it does not follow the profile; the message says where, and what it follows.
        BadFunction: it answers none of the forms.
        UnknownMeasure: there is no such measure.
        UnknownConvention: there is no such profile.
        NotPooled: the profile asks for a pooled mean of what is no ratio.
    """
    found = examine(function, measure, profile, form, limits=Limits(isolated=isolated))
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
    progress: Progress | None = None,
    limits: Limits | None = None,
) -> Checked:
    """Ask a function every case; as `check`, but what does not hold is found, not raised.

    Without a function, the one of that name is imported where it runs.
    """
    asked = parse_measure(measure)
    claimed = recognising.claimed(profile, asked)
    wanted = call_forms.form_named(form) if form else None
    claim = profile if isinstance(profile, str) else profile.spec() or "standard"
    with Session(Source(name, asked, wanted, function), limits or Limits()) as session:
        target = recognising.recognised(session)
        every = list(questions(target, asked, whole_corpus() if cases is None else cases))
        seen = tuple(answered(session, every, progress))
    if not seen:
        raise BadFunction(f"no case of the corpus can be asked of {target.name} as {target.form.call}")
    return Checked(target, asked, claim, claimed, seen)


def whole_corpus() -> tuple[Case, ...]:
    """All cases."""
    return tuple(corpus.load_all())


@dataclass(frozen=True, slots=True)
class Ruling:
    """A function, held to its claim on one case: `agrees`, or what is wrong, with a script that shows it."""

    verdict: Verdict
    text: str


def held(session: Session, target: Target, claim: str, claimed: Conventions, case: Case) -> Ruling:
    """What is to be said of a function by one case alone.

    Raises:
        BadFunction: the case cannot be asked of it.
    """
    seen = tuple(answered(session, list(questions(target, session.source.measure, [case]))))
    if not seen:
        raise BadFunction(f"{case.id} cannot be asked of {target.name} as {target.form.call}")
    exactly = next((p for p in precisions(seen) if not differences(seen, claimed, p)), PRECISIONS[0])
    found = differences(seen, claimed, exactly)
    if not found:
        return Ruling(AGREES, f"{target.short} follows {claim} on {case.id}.")
    shown = found[0]
    script = call_forms.repro(target, shown.question.case.input, shown.query, cutoff_of(shown.question.measure))
    return Ruling(UNEXPLAINED, f"{target.short} does not follow {claim}: {_witnessed(shown, claim)}.\n\n{script}")


def _plainest(question: Question) -> tuple[bool, int, tuple[int, str]]:
    return not question.is_plain, question.strangeness, question.weight


def _witnessed(found: Difference, claim: str) -> str:
    case, measure = found.question.case, found.question.measure
    where = f"on {case.id} ({case.question})"
    about = f"{measure}" if found.query is None or len(case.queries) == 1 else f"{measure} of {found.query}"
    got, wanted = gives(found.got), reading(found.expected)
    if isinstance(found.got, float) and isinstance(found.expected, float) and short(found.got) == short(found.expected):
        got, wanted = f"gives {found.got!r}", f"gives {found.expected!r}"
    note = f" ({found.note})" if found.note else ""
    return f"{where} its {about} {_of_it(got)}{note} where {claim} {wanted}"


def _of_it(got: str) -> str:
    number_given = got.removeprefix("gives ")
    return f"is {number_given}" if got.startswith("gives ") and not got.startswith("gives no ") else got
