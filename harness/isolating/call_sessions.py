"""A session with a function: it is found, tried, and asked question by question, whatever becomes of the processes that it runs in.

What ends a process, takes too long or answers nonsense is asked once more in a new one before it is believed: an accident from outside is
not the function's doing. Such an accident is forgiven once; if it happens again, the function is one that now answers and now does not.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, TypeAlias

from rankproof.calling.call_candidates import Candidates, Source
from rankproof.calling.finding import can_be_imported, name_of
from rankproof.calling.targets import BadFunction, Target
from rankproof.isolating.child_process import BrokenProcess, Call, Child, can_fork
from rankproof.isolating.in_process import Here
from rankproof.isolating.limits import Limits
from rankproof.workers.observations import Answered, Failure
from rankproof.workers.same_answers import answers_identical

FORGIVEN = 1
"""How many accidents are taken for ones from outside."""
NOT_ASKED = "no answer, as it was not asked: the time was used up"
FOR_TRIALS, FOR_QUESTIONS, FOR_ALL = 1 / 3, 5 / 6, 1.0
"""The shares of the time by whose end it is known how a function is called, all was asked, and some was asked once more."""

Answer: TypeAlias = Answered | Failure
Twice: TypeAlias = tuple[Answer, Answer | None]
"""What is said to a question, and what is said when it is asked again, where that is something else."""


@dataclass
class Session:
    """All that one function is asked.

    Attributes:
        share: how much of its time may be used up, now.
        tick: is told of each trial.
    """

    source: Source
    limits: Limits = field(default_factory=Limits)
    _place: Child | Here | None = None
    _candidates: Candidates | None = None
    _which: int = 0
    _trial: Call | None = None
    _is_patient: bool = True
    _accidents: int = 0
    _lost: float = 0.0
    _began: float = field(default_factory=lambda: time.monotonic())  # noqa: PLW0108 - as it is when a session begins
    share: float = FOR_ALL
    tick: Callable[[], None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End its process, and all that it started; in this one it stays as it is: begun anew, it might be called in other ways."""
        if self._place is not None:
            self._place.end()
            self._place = self._place if self._place.is_there else None

    @property
    def left(self) -> float:
        """The seconds that are left of the time that it has now."""
        return self.share * self.limits.budget - (time.monotonic() - self._began)

    @property
    def is_over(self) -> bool:
        """Whether that time is used up."""
        return self.left < 0

    def candidates(self) -> Candidates:
        """The ways in which it may be called.

        Raises:
            BadFunction: it cannot be found.
        """
        if self._candidates is not None:
            return self._candidates
        try:
            return self._looked_at()
        except BrokenProcess as broken:
            where = self.source.name or "the function"
            raise BadFunction(f"{where} cannot be looked at: {broken.failure.text}") from None

    def _looked_at(self) -> Candidates:
        try:
            return self._here()[1]
        except BrokenProcess as broken:
            if broken.failure.kind == "timeout":
                raise
        return self._here()[1]

    def tried(self, which: int, call: Call) -> Answer:
        """What one of the candidates answers to a call, of which nothing is known yet.

        What breaks a process may be an accident, or come of a first call that imports much: it is asked once more in a new process, and
        has longer there, until even that was not enough. What was answered once is from then on asked first in each new process.
        """
        if self.tick is not None:
            self.tick()
        answer, is_broken = self._tried(which, call, self.limits.question)
        if is_broken and self._is_patient:
            answer, is_broken = self._tried(which, call, self.limits.first)
            self._is_patient = not (isinstance(answer, Failure) and answer.kind == "timeout")
        if self._trial is None and isinstance(answer, Answered):
            self._which, self._trial = which, call
        return answer

    def _tried(self, which: int, call: Call, seconds: float) -> tuple[Answer, bool]:
        """An answer; or what broke the process, and that it did."""
        try:
            return next(self._here()[0].answers(which, [call], seconds)), False
        except BrokenProcess as broken:
            return broken.failure, True

    def chosen(self, which: int, trial: Call | None) -> Target:
        """Ask this candidate from now on, and in each new process first what it is known to answer."""
        self._which, self._trial = which, trial
        return self.candidates().way(which)

    def twice(self, calls: Sequence[Call]) -> Iterator[Twice]:
        """What it answers to each call, asked twice."""
        late: set[int] = set()
        at = 0
        while at < len(calls):
            end = next((i for i in range(at, len(calls)) if id(calls[i][0]) in late), len(calls))
            if end == at or self._lost > self.limits.in_vain or self.is_over:
                yield Failure("timeout", NOT_ASKED), None
                at += 1
                continue
            for said in self._as_far_as_it_comes(calls[at:end]):
                if isinstance(said[0], Failure) and said[0].kind == "timeout":
                    late.add(id(calls[at][0]))
                yield said
                at += 1
                if id(calls[at - 1][0]) in late or self.is_over:
                    break

    def anew(self, call: Call) -> Answer:
        """What it answers to a call with lists that were made for it alone, asked once."""
        return self._tried(self._which, call, self.limits.question)[0]

    def elsewhere(self, calls: Sequence[Call]) -> list[Answer]:
        """What it answers in a process that is started and not forked, in which sets of texts have another order; nothing without one.

        A function that no name leads to cannot be found there, and one that is another one there is not asked.
        """
        name = self.source.name or name_of(self.source.function)
        known = self.candidates()
        if self.is_over or not can_fork() or self.limits.isolated is False or not can_be_imported(name):
            return []
        self.end()
        answers, is_broken = self._there(name, known, calls)
        if is_broken and not answers and not self.is_over:  # an accident is forgiven here, too
            answers, _ = self._there(name, known, calls)
        return answers

    def _there(self, name: str, known: Candidates, calls: Sequence[Call]) -> tuple[list[Answer], bool]:
        """What a process that is started answers, as far as it comes, and whether it broke."""
        there = Child(replace(self.source, name=name, function=None), self.limits, is_forked=False)
        answers: list[Answer] = []
        try:
            which = there.begin().place_of(known.way(self._which))
            for answer in () if which is None else there.answers(which, calls, self.limits.first):
                answers.append(answer)  # noqa: PERF402 - what came before it broke is kept
        except BadFunction:
            pass  # there it is another one
        except BrokenProcess:
            return answers, True
        finally:
            there.end()
        return answers, False

    def briefly(self, calls: Sequence[Call], seconds: float) -> Iterator[Twice]:
        """The same, of calls that may take long: none has more time than this, and once it is used up, no more are asked."""
        usual = self.limits
        self.limits = replace(usual, question=min(seconds, usual.question), in_vain=self._lost + seconds)
        try:
            yield from self.twice(calls)
        finally:
            self.limits = usual

    def _as_far_as_it_comes(self, calls: Sequence[Call]) -> Iterator[Twice]:
        """What one process answers to calls, until one of them breaks it; that one is answered by a new one."""
        at = 0
        try:
            for said in self._batch(calls):
                yield said
                at += 1
        except BrokenProcess as broken:
            yield self._again(calls[at], broken.failure)

    def _batch(self, calls: Sequence[Call]) -> Iterator[Twice]:
        """What one process answers to calls, as far as it comes."""
        doubled = [call for call in calls for _ in range(2)]
        answers = self._here()[0].answers(self._which, doubled, self.limits.question)
        for answer, again in zip(answers, answers, strict=True):
            self._lost += self.limits.question * sum(
                isinstance(one, Failure) and one.kind == "timeout" for one in (answer, again)
            )
            yield answer, None if answers_identical(answer, again) else again

    def _again(self, call: Call, failure: Failure) -> Twice:
        """What a new process answers to the call that broke one; the failure, if it breaks this one, too."""
        started = time.monotonic() - (self.limits.question if failure.kind == "timeout" else 0)
        try:
            said = next(self._batch([call]))
        except BrokenProcess as broken:
            return failure, None if broken.failure.kind == failure.kind else broken.failure
        finally:
            self._lost += time.monotonic() - started
        self._accidents += 1
        return said if self._accidents <= FORGIVEN else (failure, said[0])

    def _here(self) -> tuple[Child | Here, Candidates]:
        """What answers, begun anew where it is not there.

        Raises:
            BrokenProcess: it cannot be begun.
        """
        if self._place is not None and self._place.is_there and self._candidates is not None:
            return self._place, self._candidates
        isolated = can_fork() if self.limits.isolated is None else self.limits.isolated
        self._place = Child(self.source, self.limits) if isolated else Here(self.source, self.limits)
        if self._candidates is None:
            self._candidates = self._place.begin()
        else:
            self._begin_again(self._place, self._candidates)
        return self._place, self._candidates

    def _begin_again(self, place: Child | Here, known: Candidates) -> None:
        """A new process of a function that is known; what it is known to answer is asked first, as that may import much."""
        try:
            found = place.begin()
        except BadFunction as fault:
            raise BrokenProcess(Failure("crash", f"it could not be found again: {fault}")) from None
        if found != known:
            place.end()
            self._place = None
            raise BrokenProcess(Failure("crash", "it was another one when it was imported again"))
        if self._trial is not None:
            next(place.answers(self._which, [self._trial], self.limits.first))
