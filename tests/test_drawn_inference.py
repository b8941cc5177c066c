"""Fingerprints of libraries that are drawn, inferred and held, claim by claim, against the answers and the reference.

Nothing is said that another profile could contradict: a value that is excluded gives another answer than was given in the case that is
named; a profile gives all answers that are called explained, and none of those that are not; and what is open is what is left.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import drawn_runs
import pytest
from drawn_runs import Chance

from rankproof import cases as corpus
from rankproof.asking.observations import Answered, Failure, Observation
from rankproof.asking.sheets import ObservationPlace
from rankproof.asking.subjects import Subject
from rankproof.cases import Case
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.fingerprints import ObservedSubject, in_order, infer, infer_all, measures_in, observations_of
from rankproof.judging.verdicts import Row, Verdict
from rankproof.matching.reference_answers import Oracle, Refused, Values
from rankproof.meaning.deciding_axes import values_of
from rankproof.meaning.signatures import parse as parse_signature
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse

WHO = Subject("made", "rows", "1", alone=False)
HABITS = {
    "ties": ["docid-asc", "input", "expectation", "best"], "gain": ["exp", "binary"], "known": ["retrieved"], "ideal": ["given"],
    "p_denominator": ["min-k-n"], "ap_denominator": ["min-k-R", "hits"], "missing": ["dropped", "nan"], "norel": ["nan", "1", "dropped"],
    "score": ["f32"], "unjudged": ["removed"], "single": ["rejected"],
}  # fmt: skip
MEASURES = {"nDCG": ["nDCG", "nDCG@2", "nDCG@3"], "P": ["P@2", "P@1"], "AP": ["AP", "AP@2"], "RR": ["RR", "RR@1"]}


@cache
def small() -> tuple[Case, ...]:
    return tuple(
        case for case in corpus.load_all() if not case.of_labels and not case.undefined and case.input.size < 9
    )


def answers(case: Case, measure: str, profile: Conventions) -> Any:
    return _answers(case.id, measure, profile)


@cache
def _answers(of: str, measure: str, profile: Conventions) -> Any:
    """What the reference gives, as somebody answers who follows it: by query, and the mean; `refused`, or nothing that can be told."""
    (case,) = (one for one in small() if one.id == of)
    found = Oracle(case.input).answers(parse(measure), profile)
    if isinstance(found, Values):
        values = {query: math.nan if value is None else to_float(value) for query, value in found.per_query.items()}
        return values, math.nan if found.mean is None else to_float(found.mean)
    return "refused" if isinstance(found, Refused) else None


def rows_of(case: Case, answer: Any) -> dict[str | None, Any]:
    """The values that are compared: the mean, and each query where it is not the only one and worth the mean."""
    values, mean = answer
    names = list(dict.fromkeys([*map(str, case.queries), *(values or {})]))
    found: dict[str | None, Any] = {} if mean is None else {None: mean}
    if values is None or (len(names) == 1 and mean is not None and repr(values.get(names[0])) == repr(mean)):
        return found
    return {**found, **{name: values.get(name, "absent") for name in names}}


@cache
def of_each_kind() -> tuple[Case, ...]:
    """A case of each kind of input that axes need, so that none is out of reach."""

    def twice(rows: Sequence[tuple[Any, ...]]) -> bool:
        return len({row[:2] for row in rows}) < len(rows)

    kinds = (
        lambda given: bool(given.empty_in_run), lambda given: bool(given.empty_in_qrels), lambda given: given.number_ids,
        lambda given: twice(given.qrels), lambda given: twice(given.run),
    )  # fmt: skip
    return tuple(next(case for case in small() if kind(case.input)) for kind in kinds)


Seen = Mapping[tuple[str, str], tuple[Case, Any]]


def drawn(seed: int) -> tuple[Seen, Conventions, set[tuple[str, str]]]:
    """Answers by habits of some axes, to some cases; a few are odd."""
    c = Chance(seed)
    habits = STANDARD.replace(
        **{axis: c.choice(HABITS[axis]) for axis in c.sample(list(HABITS), c.choice([0, 1, 2, 3]))}
    )
    name = c.choice(list(MEASURES))
    seen: dict[tuple[str, str], tuple[Case, Any]] = {}
    odd = set()
    telling = c.choice(["means", "queries", "both"])
    for case in {case.id: case for case in (*of_each_kind(), *c.sample(small(), 6))}.values():
        for measure in MEASURES[name]:
            answer = answers(case, measure, habits)
            if answer is None:
                continue
            if answer != "refused":
                values, mean = answer
                if c.random() < 0.04:
                    odd.add((case.id, measure))
                    values, mean = dict.fromkeys(values, 0.777), 0.777
                answer = (None if telling == "means" else values, None if telling == "queries" else mean)
            seen[case.id, measure] = case, answer
    return seen, habits, odd


def observations(seen: Seen) -> list[Observation]:
    return [
        Observation(
            case, WHO, measure, Failure("error", "ValueError: no") if answer == "refused" else Answered(*answer)
        )
        for (case, measure), (_, answer) in seen.items()
    ]


def missed(case: Case, measure: str, answer: Any, profile: Conventions) -> set[str | None]:
    """The rows of an answer that a profile does not give."""
    given = answers(case, measure, profile)
    if answer == "refused":
        return set() if given == "refused" else {None}
    rows = rows_of(case, answer)
    if not isinstance(given, tuple):
        return set(rows)
    told = {**{str(query): "absent" for query in case.queries}, **given[0], None: given[1]}
    off = {query for query, value in rows.items() if not near(value, told.get(query, "absent"))}
    return off - within_ties(case, measure, rows, profile) if profile.ties == "unspecified" else off


def within_ties(case: Case, measure: str, rows: Mapping[str | None, Any], profile: Conventions) -> set[str | None]:
    """The rows that some order of tied docs gives, where ties matter."""
    ends = [answers(case, measure, profile.replace(ties=end)) for end in ("worst", "best")]
    if not all(isinstance(end, tuple) for end in ends):
        return set()
    low, high = ({**values, None: mean} for values, mean in ends)
    inside = {
        q for q, value in rows.items() if q in low and q in high and not isinstance(value, str) and low[q] != high[q]
    }
    return {query for query in inside if low[query] - 1e-12 <= rows[query] <= high[query] + 1e-12}


def near(a: Any, b: Any) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-12


def of_form(seen: Seen, key: str) -> Iterator[tuple[Case, str, Any]]:
    """The answers to one form of a measure."""
    for (_, measure), (case, answer) in seen.items():
        if (measure.partition("@")[0], "@" in measure) == (key.partition("@")[0], "@" in key):
            yield case, measure, answer


@pytest.mark.parametrize("seed", [0, 1, 3, 5, 6, 7, 9])
def test_a_fingerprint_says_nothing_that_the_answers_do_not_show(seed: int) -> None:
    seen, habits, odd = drawn(seed)
    cases = {case.id: case for case, _ in seen.values()}
    found = infer(observations(seen), cases, WHO, precision=lambda _: "float64")
    answered = [measure for (_, measure), (_, answer) in seen.items() if answer != "refused"]
    keys = {measure.partition("@")[0] + "@k" * ("@" in measure) for measure in answered}
    assert {one.key for one in found} == keys
    for one in found:
        asked = list(of_form(seen, one.key))
        size = sum(1 if answer == "refused" else len(rows_of(case, answer)) for case, _, answer in asked)
        places = {
            (case.id, measure, query)
            for case, measure, answer in asked
            for query in missed(case, measure, answer, one.profile)
        }
        assert (one.asked, one.explained) == (size, size - len(places))
        assert {(place.case, place.measure, place.query) for place in one.missed} == places
        assert all(place.variant == WHO.variant for place in one.missed)
        # The habits give all that is not odd: who explains more misses fewer.
        assert len(places) <= sum(len(missed(case, measure, answer, habits)) for case, measure, answer in asked)
        if not odd:
            assert not places
        check_findings(one, asked)
        check_signature(one)


def check_findings(one: Fingerprint, own: Sequence[tuple[Case, str, Any]]) -> None:
    for axis, finding in one.axes.items():
        said = {*finding.excluded, *finding.same, *finding.open, *([finding.value] if finding.value else [])}
        assert said <= {*values_of(axis), *(["unspecified"] if axis == "ties" else [])}, "nothing that is no value"
        assert set(finding.excluded).isdisjoint({*finding.same, *finding.open, finding.value})
        assert (finding.value is None) == bool(finding.open)
        followed = one.profile if finding.value is None else one.profile.replace(**{axis: finding.value})
        killing = {}
        for value, case in finding.excluded.items():
            broken = [at for at in own if breaks(at, followed, axis, value)]
            assert case in {at[0].id for at in broken}, (axis, value, "it is excluded by what the case shows")
            assert case == min(broken, key=simplicity)[0].id, "by the simplest"
            killing[value] = {(at[0].id, at[1]) for at in broken}
        if killing:
            counts = {
                place: sum(place in places for places in killing.values()) for place in set().union(*killing.values())
            }
            assert counts[finding.witness, finding.measure] == max(counts.values()), "the witness excludes most"
        else:
            assert (finding.witness, finding.measure) == ("", "")
        if finding.value is not None:
            for value in finding.same:
                assert not any(breaks(at, followed, axis, value) for at in own)
        named = re.fullmatch(r"no case tells (.*) from .*", finding.why)
        for value in named[1].split(" or ") if named else ():
            assert value in finding.open
            better = any(missed(*at, one.profile) - missed(*at, one.profile.replace(**{axis: value})) for at in own)
            assert better or not any(breaks(at, one.profile, axis, value) for at in own)


def simplicity(at: tuple[Case, str, Any]) -> tuple[int, int, int, str]:
    return len(at[0].queries), at[0].input.size, len(at[0].id), at[0].id


def breaks(at: tuple[Case, str, Any], profile: Conventions, axis: str, value: str) -> bool:
    """Whether another value misses what was given by the one that is followed; nothing is broken where the reference cannot tell."""
    case, measure, answer = at
    other = profile.replace(**{axis: value})
    if answers(case, measure, other) is None:
        return False
    return bool(missed(case, measure, answer, other) - missed(case, measure, answer, profile))


def check_signature(one: Fingerprint) -> None:
    signature = parse_signature(one.signature)
    assert signature.by == WHO.signed
    for finding in one.axes.values():
        if finding.value is None:
            assert finding.axis in signature.open
    for axis, value in STANDARD.differences(one.profile).items():
        if axis not in signature.open and axis in one.axes:
            assert getattr(signature.conventions, axis) == value


@pytest.mark.parametrize("seed", [24])
def test_what_is_inferred_does_not_hang_on_the_order_of_the_answers_or_on_others(seed: int) -> None:
    seen, *_ = drawn(seed)
    cases = {case.id: case for case, _ in seen.values()}
    mine = observations(seen)
    found = infer(mine, cases, WHO)
    shuffled = Chance(seed).sample(mine, len(mine))
    noise = [replace(one, subject=replace(WHO, version="2")) for one in mine[:9]]
    noise += [Observation(mine[0].case, WHO, mine[0].measure, None, "it has none")]
    noise += [
        replace(mine[1], answer=Answered(None, 0.5), again=Answered(None, 0.25)),
        replace(mine[2], case="gone/case"),
    ]
    assert alike(infer([*noise, *shuffled], cases, WHO)) == alike(found)
    other = replace(WHO, variant="w")
    others = [
        ObservedSubject(WHO, mine, None), ObservedSubject(other, [replace(one, subject=other) for one in mine[:4]], None),
    ]  # fmt: skip
    every = [one for part in infer_all(others, cases) for one in part]
    assert [one for one in in_order(every) if one.subject == WHO] == found
    assert {one.subject for one in every} <= {WHO, others[1].subject}
    assert measures_in(others) == {one.key.partition("@")[0] for one in found}


def alike(found: Sequence[Fingerprint]) -> list[Any]:
    """All but which of several measures of one case is named, and in what order."""
    return [
        (
            replace(one, axes={}, missed=()),
            {*one.missed},
            {axis: replace(f, measure="") for axis, f in one.axes.items()},
        )
        for one in found
    ]


# -- what is inferred from ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_observations_are_read_back_from_the_rows_that_they_were_judged_as(seed: int) -> None:
    told = drawn_runs.drawn(seed)
    found = observations_of(told.report.results)
    skipped = {Verdict.UNSUPPORTED, Verdict.UNDEFINED}
    rows = [r for r in told.rows if r.measure and r.verdict not in skipped and r.error != "unstable"]
    assert [one.subject for one in found] == list(dict.fromkeys(row.subject for row in rows))
    for one in found:
        mine = [row for row in rows if row.subject == one.subject]
        places = list(dict.fromkeys((row.case, row.measure) for row in mine))
        assert [(seen.case, seen.measure) for seen in one.observations] == places
        for seen in one.observations:
            own = [row for row in mine if (row.case, row.measure) == (seen.case, seen.measure)]
            assert repr(seen.answer) == repr(answer_of(own))
            known = {row.query for row in own if row.verdict is Verdict.KNOWN}
            assert {*one.exceptions.get((seen.case, seen.measure), ())} == known


def answer_of(rows: Sequence[Row]) -> Answered | Failure:
    """A failure of the kind that its text begins with, or the numbers; what is absent is not there."""
    errors = [row.error for row in rows if row.error is not None]
    if errors:
        kind, _, text = errors[0].partition(": ")
        befell = kind in {"crash", "timeout", "memory", "invalid-output"}
        return Failure(kind, text) if befell else Failure("error", errors[0])
    values = {row.query: float(row.value) for row in rows if not isinstance(row.value, str) and row.value is not None}
    mean = values.pop(None, None)
    told = any(row.query is not None for row in rows)
    return Answered({str(query): value for query, value in values.items()} if told else None, mean)


@pytest.mark.parametrize("seed", [30, 31])
def test_a_known_exception_is_explained_or_missed_and_shows_nothing(seed: int) -> None:
    """It is counted like any answer; what is found is what is found without it."""
    seen, _, _ = drawn(seed)
    cases = {case.id: case for case, _ in seen.values()}
    odd = [place for place, (_, answer) in seen.items() if answer != "refused"][::9]
    changed: dict[tuple[str, str], tuple[Case, Any]] = dict(seen)
    for place in odd:
        case, (values, _) = seen[place]
        changed[place] = case, (values if values is None else dict.fromkeys(values, 0.444), 0.444)
    exceptions: Any = {place: {None, *(str(q) for q in changed[place][0].queries)} for place in odd}
    (with_them,) = infer_all([ObservedSubject(WHO, observations(changed), None, exceptions=exceptions)], cases)
    (without,) = infer_all(
        [ObservedSubject(WHO, observations({p: s for p, s in seen.items() if p not in odd}), None)], cases
    )
    by_key = {one.key: one for one in without}
    for one in with_them:
        assert (one.profile, one.axes) == (by_key[one.key].profile, by_key[one.key].axes)
        places = {
            ObservationPlace(case.id, WHO.variant, measure, query)
            for case, measure, answer in of_form(changed, one.key)
            for query in missed(case, measure, answer, one.profile)
        }
        assert set(one.missed) == places
