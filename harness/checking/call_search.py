"""The search for how a function is called: the ways that may fit are tried, and what explains its answers best is chosen."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from rankproof.calling import call_forms as forms
from rankproof.calling.arguments import IN_RANK_ORDER, WITH_SETS
from rankproof.calling.call_candidates import Candidates
from rankproof.calling.functions import ask_whole, values_of
from rankproof.calling.given_values import KEYED
from rankproof.calling.targets import COLUMN, LIMITS, Form, Target
from rankproof.cases.inputs import Input
from rankproof.checking import trials
from rankproof.checking.likely_ways import Numbers, is_likely
from rankproof.checking.one_of_each import at_once, takes_one_of_each
from rankproof.checking.recognition_limits import (
    CONCORD_NAMED,
    LOOKED_AT,
    LOW,
    MOST_BROKEN,
    NAMED_LOOKED_AT,
    SHARE_OF_CHANCE,
)
from rankproof.checking.trials import Tried, TriedWay
from rankproof.isolating.call_sessions import Session
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import Answered, Failure, readings

COUNTED_OTHERWISE = {
    forms.RANKS: forms.PLACES,
    forms.PLACES: forms.RANKS,
    forms.RANK: forms.POSITION,
    forms.POSITION: forms.RANK,
}
"""The forms that are told ranks from 1, by those from 0, and the other way round."""
OF_SCORES = frozenset(
    {
        forms.QRELS_RUN,
        forms.ROWS_OF_QUERY,
        forms.ROWS_COUNTED,
        forms.SCORED_LIST,
        forms.ONE_SCORED,
        forms.QUERIES_SCORED,
    }
)
"""The forms of scores that a function may be right by without a look at them, as docs are tried in rank order."""
BREAKS = frozenset({"timeout", "crash", "memory"})
UNUSUAL = (7, 13)
"""Cutoffs that hardly any result names, but where it is given them."""
WRITTEN: Mapping[str, Sequence[float]] = {"rel": (2, 3, 4), "p": (0.5, 0.9, 0.95), "beta": (0.5, 2)}
"""The numbers that may be written in a function, by the parameter of the measure: a threshold of relevance, a patience, a weight."""


@dataclass
class CallSearch:
    """All ways that give numbers, and what came of the others.

    Attributes:
        alone: ways that were asked one cutoff at a time, though the function answers several at once.
    """

    session: Session
    candidates: Candidates
    measure: Measure
    k: int | None
    ways: list[TriedWay] = field(default_factory=list)
    alone: list[TriedWay] = field(default_factory=list)
    vain: dict[str, tuple[Target, Input, Failure]] = field(default_factory=dict)
    broken: int = 0

    def run(self) -> TriedWay | None:
        """The best way; None if there is none.

        The first is taken whose arguments are named and whose every answer is explained. Otherwise all are tried, and those that explain
        most on longer inputs, too.
        """
        for rank, target in enumerate(self.candidates.targets):
            is_idle = target.batch == COLUMN and any(way.is_named and way.is_plain for way in self.ways)
            if target.of_equal_rows or is_idle:
                continue  # a column is no way to call what takes plain lists
            for way in self._numbers(rank):
                self._ask_first(way)
                if self._answers_several(way.target):
                    self.alone.append(way)
                    continue
                self.ways.append(way)
                if way.is_named and way.fit.is_whole and self._looks_at_scores(way):
                    return self._with_one_of_each(way) or way
            if self.broken >= MOST_BROKEN or self.session.is_over:
                break
        self._ask_more()
        self.ways = _without_idle_sets(self.ways)
        return self._best()

    def _ask_more(self) -> None:
        """Ask the ways that explain most longer inputs, too, and the ways that names say: few numbers tell of no concord."""
        ways = sorted(self.ways, key=lambda way: way.order, reverse=True)
        named = [way for way in ways if way.is_named and way.is_plain]
        in_order = [way for way in named if way.target.container in IN_RANK_ORDER]
        of_each_form: dict[Form, TriedWay] = {}
        for way in named:  # the same in another container tells nothing more
            of_each_form.setdefault(way.target.form, way)
        asked = (*ways[:LOOKED_AT], *islice(of_each_form.values(), NAMED_LOOKED_AT), *in_order)
        for way in {way.which: way for way in asked}.values():
            if self.session.is_over:
                break
            self._ask(way, self._long(way.target))
            if way.fit_of_flags.is_whole and not way.fit.is_whole and not way.is_right_of_flags:
                self._ask(way, _told(way.target, [(trials.many_flags(self.k), self.k)]))

    def _best(self) -> TriedWay | None:
        """What explains most; where nothing explains all, of what looks at its input as the measure does, if something does."""
        ways = sorted(self._likeliest(), key=lambda way: way.order, reverse=True)
        # One that takes docs as they come is not right by that, where the same may take lists in rank order.
        if not ways or (ways[0].is_explained and self._looks_at_scores(ways[0])):
            return ways[0] if ways else None
        first = ways[0]
        in_order = (way for way in ways[1:] if way.is_explained and way.target.container in IN_RANK_ORDER)
        if (explained := next(in_order, None)) is not None:
            return explained
        others = told_more(first, self.ways) if self._is_likely(first) else ways[1:LOOKED_AT]
        return next((way for way in others if way.is_named and way.is_plain and self._is_likely(way)), first)

    def _likeliest(self) -> list[TriedWay]:
        """The ways among which answers choose: where names say how it is called, strange answers are its own, and no other form."""
        named = [way for way in self.ways if way.is_named]
        # Who takes lists may find one id in another, which is as good an answer of several queries as of each.
        takes_lists = any(way.target.form is forms.IDS and way.target.container == "list" for way in named)
        if not takes_lists and (of_several := [way for way in named if way.is_of_each]):
            return of_several
        told = {way.target.form for way in named}
        # Where a name says whether ranks begin at 0 or at 1, answers do not.
        ways = [way for way in self.ways if way.is_named or COUNTED_OTHERWISE.get(way.target.form) not in told]
        best = max((way.fit.share for way in named), default=0.0)
        of_flags = [way for way in ways if way.is_right_of_flags]
        if best == 0 and of_flags:
            return of_flags
        in_step = [way for way in named if way.is_explained or self._is_in_step(way)]
        explained = [way for way in ways if way.is_explained]
        is_much = any(way.is_plain and way.fit.share >= max(SHARE_OF_CHANCE, 2 * best) for way in ways)
        return in_step or explained or ([] if is_much else named) or ways

    def _is_in_step(self, way: TriedWay) -> bool:
        """Whether its answers go with the measure; those to docs in rank order, which have scores, too, only if they are likely."""
        is_in_order = way.target.container in IN_RANK_ORDER
        return way.concord > CONCORD_NAMED and (not is_in_order or self._is_likely(way))

    def _looks_at_scores(self, way: TriedWay) -> bool:
        """Whether it does, given dicts of them: who goes through the docs as they come may take lists in rank order.

        Given how many docs a query has, too: what takes that for the cutoff is right of all queries that have no more docs.
        """
        if way.target.form not in OF_SCORES:
            return True
        ((data, _),) = _told(way.target, [(trials.long_flags(self.k), self.k)])
        turned = replace(data, run=tuple((*row[:2], 1 - row[2], row[3]) for row in data.run))
        said, then = (self._tried(way.which, each, self.k) for each in (data, turned))
        return not isinstance(said, Answered) or said != then

    def _is_likely(self, way: TriedWay) -> bool:
        return is_likely(self.measure, self.k, lambda data, k: self._numbers_of(way, data, k), any_k=way.target.any_k)

    def _numbers_of(self, way: TriedWay, data: Input, k: int | None) -> Numbers | None:
        """The numbers that it gives to a trial; None where it gives none, or cannot be told of it."""
        answers = [self._tried(way.which, *one) for one in _told(way.target, [(data, k)])]
        return next((tuple(readings(one, ())) for one in answers if isinstance(one, Answered)), None)

    def _answers_several(self, target: Target) -> bool:
        """Whether it was found to answer several cutoffs at once, where a target asks for one."""
        several = [way.target for way in self.ways if way.target.several]
        return not target.several and any(
            replace(one, several=False, reads=target.reads, docs=target.docs, k_alone=target.k_alone) == target
            for one in several
        )

    def _numbers(self, rank: int) -> Iterator[TriedWay]:
        """The ways of a candidate that give a number: with all of its result, or with a part of it."""
        target = self.candidates.targets[rank]
        first = self._first(rank, rank, target)
        failed = first.kind if isinstance(first, Failure) else ""
        if isinstance(first, TriedWay) and not target.several:
            yield self._at_its_cutoffs(first)
        elif failed == "invalid-output" or (target.several and failed and failed not in BREAKS):
            count = len(self.candidates.targets)
            for reading in self.candidates.readings_of(target):
                found = self._first(rank + reading * count, rank, target)
                if isinstance(found, TriedWay):
                    yield self._at_its_cutoffs(found)

    def _at_its_cutoffs(self, way: TriedWay) -> TriedWay:
        """The way, which is not asked at other cutoffs than that of the measure where it has no answer for another one."""
        k = way.target.k
        if k is None or self.k is None:
            return way
        other = next(one for one in UNUSUAL if one != self.k)
        # Of more docs than either: who is given few may leave out an entry, or raise.
        for data, own in _told(way.target, [(trials.long_flags(max(other, self.k)), self.k)]):
            kind = getattr(self._tried(way.which, data, other), "kind", "")
            why = ""
            if kind == "error":
                why = f"it raises at other cutoffs, as {k}={other}"
            elif kind == "invalid-output" and way.target.reads.partition(":")[0] in KEYED:
                why = f"whatever {k} it is given, its result names cutoffs of its own"
            if why and isinstance(self._tried(way.which, data, own), Answered):
                way.target = replace(way.target, k_alone=why)
        return way

    def _first(self, which: int, rank: int, target: Target) -> TriedWay | Failure | None:
        """A way, if it gives a number: on a small input, or where it raises there, on one of as many docs as the cutoff, or of flags."""
        said: Failure | None = None
        unread: Failure | None = None
        for data, k in [*self._small(target)[:1], *(self._long(target)[:2] if self.k else [])]:
            answer = self._tried(which, data, k)
            if isinstance(answer, Answered) and trials.has_number(answer):
                before = [] if said is None else [Tried(*self._small(target)[0], said)]
                return TriedWay(which, self.candidates.way(which), rank, [*before, Tried(data, k, answer)])
            if said is None:
                said = answer if isinstance(answer, Failure) else Failure("error", f"it gave {trials.words_of(answer)}")
                if which == rank:
                    self.vain.setdefault(said.text, (target, data, said))
            if isinstance(answer, Failure) and answer.kind == "invalid-output":
                unread = answer  # it gave something, whatever it raised before
            if said.kind in BREAKS or (said.kind == "invalid-output" and target.form.ask is ask_whole):
                break
        return unread or said

    def _tried(self, which: int, data: Input, k: int | None) -> Answered | Failure:
        answer = self.session.tried(which, (data, k))
        self.broken += isinstance(answer, Failure) and answer.kind in BREAKS
        return answer

    def _ask(self, way: TriedWay, asked: Sequence[tuple[Input, int | None]]) -> None:
        """Ask a way some trials, and see how well all of its answers are explained; what broke it is not asked more."""
        known = {(one.input, one.k) for one in way.tried}
        for data, k in asked:
            if (data, k) in known:
                continue
            answer = self._tried(way.which, data, k)
            if isinstance(answer, Failure) and answer.kind in BREAKS:
                break
            way.tried.append(Tried(data, k, answer))
        self._fit(way)

    def _with_one_of_each(self, way: TriedWay) -> TriedWay | None:
        """The way with a relevant doc of each query, where one takes the same arrays of ids."""
        if way.target.form is not forms.IDS:
            return None
        for rank, target in enumerate(self.candidates.targets):
            if takes_one_of_each(target) and target.container == way.target.container:
                for other in self._numbers(rank):
                    self._ask_first(other)
                    if other.is_named and other.is_of_each and other.is_explained:
                        return other
        return None

    def _ask_first(self, way: TriedWay) -> None:
        self._ask(way, self._small(way.target))
        if takes_one_of_each(way.target) and (told := at_once(self.session, way.which, way.target, self.k)) is not None:
            tried, way.is_of_each = told
            way.tried.append(tried)
            self._fit(way)

    def _fit(self, way: TriedWay) -> None:
        """See how well all of its answers are explained."""
        limited = (replace(way.target, docs=limit) for limit in LIMITS)
        alone = (one for one in limited if _raises_alone(way, [not self._is_asked(one, tried) for tried in way.tried]))
        way.target = next(alone, replace(way.target, docs=""))
        told = [one for one in way.tried if self._is_asked(way.target, one)]
        way.fit = trials.fit(self.measure, told)
        of_flags = [one for one in told if {rel for *_, rel in one.input.qrels} <= {0, 1}]
        way.fit_of_flags = trials.fit(self.measure, of_flags)
        if not way.fit.is_whole and way.fit.values > 1 and way.is_plain:
            others = _other_measures(self.measure, way.target.defaults)
            way.other = next((other for other in others if trials.explains_all(other, told)), None)

    def _is_asked(self, target: Target, one: Tried) -> bool:
        """Whether a target is asked a trial, at its cutoff or at that of all."""
        return forms.is_asked(target, one.input, one.k if one.k is not None else self.k)

    def _small(self, target: Target) -> list[tuple[Input, int | None]]:
        if target.form is forms.LABELINGS:
            return [(trials.LABELS, None)]
        # Of one query, a list of a value for each is taken for a number.
        first = [trials.RAGGED] if target.form.ask is ask_whole else []
        small = dict.fromkeys([*first, trials.PLAIN, trials.GRADED, trials.RAGGED])
        asked: list[tuple[Input, int | None]] = [(data, self.k) for data in small]
        if target.defaults:
            asked.append((trials.RATED, self.k))
        if target.form in forms.OF_ONE_RELEVANT:
            asked.append((trials.one_relevant(self.k), self.k))
        if target.any_k and self.k and self.k > LOW:
            asked += [(data, LOW) for data in (trials.GRADED, trials.RAGGED)]
        return _told(target, asked)

    def _long(self, target: Target) -> list[tuple[Input, int | None]]:
        if target.form is forms.LABELINGS:
            return []
        long = (trials.long_trial(self.k), trials.long_flags(self.k), trials.RATED)
        asked: list[tuple[Input, int | None]] = [(data, self.k) for data in long]
        if target.any_k and self.k and self.k > LOW:
            asked.append((trials.long_trial(self.k), LOW))
        return _told(target, asked)


def _without_idle_sets(ways: Sequence[TriedWay]) -> list[TriedWay]:
    """The ways but for those by a set where one without, tried before, explains as much: in which order a set is gone through is chance."""
    before: dict[Target, TriedWay] = {}
    kept = []
    for way in ways:
        alike = replace(way.target, container="", docs="", k_alone="")
        if way.target.container not in WITH_SETS:
            before.setdefault(alike, way)
        elif alike in before and way.fit.explained <= before[alike].fit.explained:
            continue
        kept.append(way)
    return kept


def told_more(first: TriedWay, ways: Sequence[TriedWay]) -> list[TriedWay]:
    """The ways that can be told twice as many trials as one whose arguments are named: that one explains a part of its few by chance."""
    return [way for way in ways if len(way.tried) >= 2 * len(first.tried)] if first.is_named else []


def _told(target: Target, asked: Sequence[tuple[Input, int | None]]) -> list[tuple[Input, int | None]]:
    """Trials as far as a form can be told of them, each once."""
    told = [(data, k) for given, k in asked if (data := forms.expressed(target.form, given)) is not None]
    return list(dict.fromkeys(told))


def _raises_alone(way: TriedWay, there: Sequence[bool]) -> bool:
    """Whether it raises at most of these trials, and at no other: where a query has fewer docs than the cutoff, or more.

    Who counts on no more docs than the cutoff may raise only where one of those beyond is relevant.
    """
    raised = [isinstance(one.answer, Failure) for one in way.tried]
    only_there = all(of_it for of_it, fails in zip(there, raised, strict=True) if fails)
    return any(there) and not all(there) and only_there and 2 * sum(raised) > sum(there)


def _other_measures(measure: Measure, defaults: Sequence[str]) -> Iterator[Measure]:
    """The measure by the numbers that a function has by default, and by others that people write in their functions."""
    if measure.of_labels:
        return
    numbers = dict.fromkeys(values_of(tuple(defaults)).values())
    known = measure.definition.params
    params = {name: p for name, p in known.items() if type(p.default) in {int, float}}
    tried = [(name, number) for name in params for number in numbers]
    tried += [(name, number) for name, usual in WRITTEN.items() if name in params for number in usual]
    own = dict(measure.params)
    for name, number in tried:
        if params[name].takes(number) and number != own.get(name, params[name].default):
            told = {**own, name: number}  # in the order in which notation has them
            yield replace(measure, params=tuple((each, told[each]) for each in known if each in told))
