"""Probes of functions whose habits are known: each finding is asked for again, and nothing is found of a habit that is not there."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from drawn_runs import Chance
from fake_sheets import FAKE

from rankproof.cases.inputs import Input
from rankproof.judge import laws, probe_inputs, published, running
from rankproof.judge.catalogue import PROBES, chosen
from rankproof.judge.laws import SubjectAsked
from rankproof.judge.probe_findings import FindingKind, ProbeFinding
from rankproof.judge.running import ProbedLibrary, findings, shrunk
from rankproof.reference_impl.notation import parse
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import Answered
from rankproof.workers.sheets import read
from rankproof.workers.subjects import Installation

Rows = Sequence[tuple[Any, ...]]
Answer = Callable[[Input], tuple[dict[str, float], float]]
LIBRARY = Library("fake", Path("fake_adapter.py"), read(Path("fake.toml"), FAKE))
MEASURES = ["RR", "P@2"]


def drawn_input(c: Chance) -> Input:
    """Some queries, some docs of which are tied, some unjudged, some not retrieved; the rows of the queries together."""
    qrels, run = [], []
    for query in c.sample(["1", "2", "3"], c.choice([1, 2, 3])):
        docs = c.sample("abcdefgh", c.choice([2, 4, 6]))
        qrels += [(query, doc, c.choice([0, 1, 1, 2])) for doc in c.sample(docs, len(docs) - 1)]
        retrieved = c.sample(docs, len(docs) - 1)
        rows = [(query, doc, float(c.randint(1, 3 if c.random() < 0.5 else 40))) for doc in retrieved]
        ranked = sorted(rows, key=lambda row: -row[2])
        run += [(*row, ranked.index(row) + 1) for row in rows]
    return Input(tuple(qrels), tuple(run))


# -- what a probe makes of an input -------------------------------------------------------------------------------------


def of(rows: Rows, query: str) -> list[tuple[Any, ...]]:
    return [row for row in rows if row[0] == query]


def each(data: Input, rows: Rows, order: Callable[[list[Any]], list[Any]]) -> tuple[Any, ...]:
    return tuple(row for query in data.queries for row in order(of(rows, str(query))))


def in_turns(data: Input, rows: Rows) -> tuple[Any, ...]:
    longest = max(len(of(rows, str(query))) for query in data.queries)
    return tuple(of(rows, str(q))[i] for i in range(longest) for q in data.queries if i < len(of(rows, str(q))))


def renamed(data: Input, column: int, names: Mapping[str, str]) -> Input:
    def turned(rows: Rows) -> tuple[Any, ...]:
        return tuple((*row[:column], names[row[column]], *row[column + 1 :]) for row in rows)

    return replace(data, qrels=turned(data.qrels), run=turned(data.run))


def ranks_turned(data: Input) -> tuple[Any, ...]:
    turned = []
    for row in data.run:
        ranks = sorted(other[3] for other in of(data.run, row[0]))
        turned.append((*row[:3], ranks[-1 - ranks.index(row[3])]))
    return tuple(turned)


@pytest.mark.parametrize("seed", range(30))
def test_what_is_changed_is_what_is_said_to_be_and_nothing_else(seed: int) -> None:
    data = drawn_input(Chance(seed))
    docs = sorted({str(row[1]) for row in (*data.qrels, *data.run)})
    queries = sorted(map(str, data.queries))
    turned, alike = dict(zip(docs, docs[::-1], strict=True)), dict(zip(docs, "stuvwxyz"[-len(docs) :], strict=True))
    back = dict(zip(queries, queries[::-1], strict=True))
    later = {query: str(9 - len(queries) + i) for i, query in enumerate(queries)}
    order = [*map(str, data.queries)][::-1]
    backwards, judged_backwards = (tuple(row for q in order for row in of(rows, q)) for rows in (data.run, data.qrels))
    wanted: dict[Any, list[Input]] = {
        probe_inputs.rows_shuffled: [
            replace(data, run=each(data, data.run, lambda rows: rows[::-1])),
            replace(data, run=each(data, data.run, lambda rows: [*rows[1:], rows[0]] if rows else [])),
        ],
        probe_inputs.judgments_shuffled: [replace(data, qrels=each(data, data.qrels, lambda rows: rows[::-1]))],
        probe_inputs.queries_shuffled: [
            replace(data, run=backwards),
            replace(data, run=backwards, qrels=judged_backwards),
        ],
        probe_inputs.interleaved: [
            replace(data, run=in_turns(data, data.run)),
            replace(data, qrels=in_turns(data, data.qrels)),
        ],
        probe_inputs.docs_renamed: [renamed(data, 1, turned)],
        probe_inputs.docs_renamed_alike: [renamed(data, 1, alike)],
        probe_inputs.queries_renamed: [renamed(data, 0, back)],
        probe_inputs.queries_renamed_alike: [renamed(data, 0, later)],
        probe_inputs.scaled: [replace(data, run=tuple((q, d, s / 1024, r) for q, d, s, r in data.run))],
        probe_inputs.shifted: [replace(data, run=tuple((q, d, s - 64, r) for q, d, s, r in data.run))],
        probe_inputs.other_ranks: [replace(data, run=ranks_turned(data))],
    }
    for change, inputs in wanted.items():
        found = list(change(data))
        assert [one.data for one in found] == inputs, change
        names = {probe_inputs.queries_renamed: back, probe_inputs.queries_renamed_alike: later}.get(change, {})
        assert [dict(one.names) for one in found] == [names] * len(found)
    (below,) = probe_inputs.unjudged_at_the_bottom(data)
    for query in map(str, data.queries):
        *rows, (_, new, score, rank) = of(below.data.run, query)
        assert (rows, new not in docs) == (of(data.run, query), True)
        assert rank == len(rows) + 1
        assert all(score < row[2] for row in rows)
    name, more = probe_inputs.with_empty_query(data)
    assert name not in queries
    assert (more.run, more.qrels[:-2], {row[0] for row in more.qrels[-2:]}) == (data.run, data.qrels, {name})
    assert sorted(row[2] for row in more.qrels[-2:]) == [0, 1]
    truth = probe_inputs.truth_of(data)
    assert [(q, d, s) for q, d, s, _ in truth.run] == [(q, d, float(rel)) for q, d, rel in data.qrels]
    for query in map(str, data.queries):
        assert sorted(row[3] for row in of(truth.run, query)) == list(range(1, len(of(truth.run, query)) + 1))
        by_rank = sorted(of(truth.run, query), key=lambda row: row[3])
        assert [row[2] for row in by_rank] == sorted((row[2] for row in by_rank), reverse=True)


@pytest.mark.parametrize("seed", range(20))
def test_the_smallest_input_shows_it_and_none_of_its_parts_does(seed: int) -> None:
    c = Chance(seed)
    data = drawn_input(c)
    needed = c.sample(data.run, min(len(data.run), 2)), c.sample(data.qrels, 1)

    def shows(given: Input) -> bool:
        docs = [{row[:2] for row in rows} for rows in (given.run, given.qrels)]
        return all({row[:2] for row in own} <= there for own, there in zip(needed, docs, strict=True))

    found = shrunk(data, shows)
    assert shows(found)
    assert {row[:2] for row in found.run} == {row[:2] for row in needed[0]}
    assert {row[:2] for row in found.qrels} == {row[:2] for row in needed[1]}
    assert all(rel <= 1 for *_, rel in found.qrels)
    scores = sorted({row[2] for row in found.run})
    assert scores == [float(i + 1) for i in range(len(scores))] or len(scores) == len(found.run)


# -- functions of known habits ------------------------------------------------------------------------------------------

Key = Callable[[int, tuple[Any, ...]], Any]


def of_rel_1(rel: float | None) -> bool:
    return (rel or 0) >= 1


def measured(
    data: Input, measure: str, key: Key, *, is_relevant: Callable[[float | None], bool] = of_rel_1
) -> dict[str, float]:
    """RR and P@2 of each judged query, the rows of each ordered by a key."""
    found = {}
    for query in dict.fromkeys(str(row[0]) for row in data.qrels):
        rels = {row[1]: row[2] for row in of(data.qrels, query)}
        rows = sorted(enumerate(of(data.run, query)), key=lambda pair: key(*pair))
        hits = [is_relevant(rels.get(row[1])) for _, row in rows]
        reciprocal = 1 / (1 + hits.index(True)) if any(hits) else 0.0
        found[query] = sum(hits[:2]) / 2 if measure == "P@2" else reciprocal
    return found


def backwards(text: str) -> list[int]:
    return [-ord(letter) for letter in text]


def by_score(_: int, row: tuple[Any, ...]) -> Any:
    return -row[2], backwards(row[1])


HABITS: Mapping[str, tuple[Callable[[Input, str], dict[str, float]], set[str]]] = {
    "none": (lambda d, m: measured(d, m, by_score), {"docs-renamed", "constant"}),
    "ties by rows": (lambda d, m: measured(d, m, lambda i, row: (-row[2], i)), {"rows", "constant"}),
    "rows": (lambda d, m: measured(d, m, lambda i, _: i), {"rows", "constant", "truth"}),
    "ranks": (lambda d, m: measured(d, m, lambda _, row: (row[3], backwards(row[1]))), {"ranks", "constant"}),
    "ascending": (
        lambda d, m: measured(d, m, lambda _, row: (row[2], backwards(row[1]))),
        {"docs-renamed", "truth", "unjudged-doc"},
    ),
    "positive": (
        lambda d, m: measured(replace(d, run=tuple(row for row in d.run if row[2] > 0)), m, by_score),
        {"docs-renamed", "shifted", "constant", "truth"},
    ),
    "unjudged": (
        lambda d, m: measured(d, m, by_score, is_relevant=lambda rel: rel is None or rel >= 1),
        {"docs-renamed", "constant", "unjudged-doc"},
    ),
    "names": (
        lambda d, m: {q: v / 2 if q == max(map(str, d.queries)) else v for q, v in measured(d, m, by_score).items()},
        {"docs-renamed", "queries-renamed", "batch", "truth"},
    ),
    "twice": (
        lambda d, m: {q: 2 * v for q, v in measured(d, m, by_score).items()},
        {"docs-renamed", "constant", "truth", "bounds"},
    ),
}
"""What a function does, and the probes that find something; beside them, some tell what becomes of a query without rows."""
TELLS = {"empty-query"}
MAY = {"constant", "truth", "empty-query", "batch", "docs-renamed", "bounds", "tied-docs", "cutoff", "queries"}
"""What may be found beside, as ties are broken by docids, or as a value is what it is."""


class Fake:
    """What answers in the place of a worker: a variant for each habit."""

    def __init__(self, variants: Iterable[str]) -> None:
        self.variants = list(variants)

    def hello(self) -> dict[str, Any]:
        """What it says of itself."""
        return {"version": "1", "python": "3.12", "variants": dict.fromkeys(self.variants, "")}

    def observe(self, variant: str, data: Mapping[str, Any], names: Sequence[str], *, once: bool) -> dict[str, Any]:
        """What a habit answers."""
        assert isinstance(once, bool)
        return {name: answered(variant, Input.of_json(data), name) for name in names}


def answered(variant: str, data: Input, name: str) -> dict[str, Any]:
    if name not in MEASURES:
        return {"unsupported": "no"}
    values = HABITS[variant][0](data, name)
    return {"per_query": values, "mean": math.fsum(values.values()) / max(1, len(values))}


@pytest.fixture
def asking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "worker_of", lambda *_args, **_how: nullcontext(Fake(HABITS)))


@pytest.mark.usefixtures("asking")
def test_what_a_function_does_is_found_and_each_finding_is_asked_for_again() -> None:
    given = [drawn_input(Chance(seed)) for seed in range(14)]
    found = findings(LIBRARY, PROBES, MEASURES, inputs=given)
    assert len({(one.subject, one.probe, one.measure) for one in found}) == len(found), "one of each"
    for habit, (_, wanted) in HABITS.items():
        mine = {one.probe for one in found if one.subject.variant == habit}
        assert wanted - TELLS - {"truth", "constant"} <= mine, habit
        assert mine <= wanted | MAY, habit
    by_name = {probe.name: probe for probe in PROBES}
    for one in found:
        ask = SubjectAsked(Fake(HABITS), LIBRARY, one.subject)  # type: ignore[arg-type]
        assert one.measure in MEASURES
        check_answers(one)
        of_ties = one.kind is FindingKind.DEPENDS and one.probe not in {"constant", "tied-docs"} and tied(one.input)
        assert one.says.endswith(", under ties") == of_ties
        assert one.under_ties == (tied(one.input) or (one.changed is not None and tied(one.changed)))
        if one.probe not in {"constant", "truth"}:
            law = by_name[one.probe].law
            assert law(ask, one.input, parse(one.measure)) is not None
            for part in ("run", "qrels"):
                rows = getattr(one.input, part)
                for i in range(len(rows) if len(rows) > 1 else 0):
                    fewer = replace(one.input, **{part: rows[:i] + rows[i + 1 :]})
                    shown = law(ask, fewer, parse(one.measure))
                    assert shown is None or sort_of(shown) != sort_of(one)


THREE = Input(
    (("1", "a", 1), ("1", "b", 0), ("2", "a", 0), ("2", "b", 1), ("3", "c", 1)),
    (("1", "a", 2.0, 1), ("1", "b", 1.0, 2), ("2", "a", 2.0, 1), ("2", "b", 1.0, 2), ("3", "c", 1.0, 1)),
)
"""RR is 1, 1/2 and 1."""


def said_by(law: Callable[..., Any], answers: Callable[[Input], Answered], measure: str = "RR") -> str | None:
    """What a law says of who answers so."""
    asked = Mock(side_effect=lambda data, _measure: answers(data), precision=lambda *_measures: ["float64"])
    told = law(asked, THREE, parse(measure))
    return None if told is None else str(told.says)


@pytest.mark.parametrize("by_query", [False, True])
@pytest.mark.parametrize(
    ("worth", "says"),
    [
        (None, ("leaves the mean", "is left out")),
        (0.0, ("is worth 0 in the mean", "is worth 0")),
        (1.0, ("is worth 1 in the mean", "is worth 1")),
        (math.nan, ("makes the mean NaN", "is worth NaN")),
        (0.25, ("moves the mean", "moves the mean")),
    ],
)
def test_what_becomes_of_a_judged_query_without_rows_is_told(
    worth: float | None, says: tuple[str, str], *, by_query: bool
) -> None:
    def answers(data: Input) -> Answered:
        values = measured(data, "RR", by_score)
        for query in values.keys() - {str(row[0]) for row in data.run}:
            values = {q: v for q, v in values.items() if q != query} | ({} if worth is None else {query: worth})
        return Answered(values, None) if by_query else Answered(None, sum(values.values()) / len(values))

    assert said_by(laws.empty_query, answers) == f"a judged query that was not retrieved {says[by_query]}"


def test_of_what_is_summed_over_queries_no_mean_is_asked() -> None:
    def summed(data: Input) -> Answered:
        values = measured(data, "RR", by_score)
        return Answered(values, sum(values.values()))

    assert said_by(laws.one_by_one, summed, "NumRet") is None
    assert said_by(laws.one_by_one, summed) == "the mean is not that of the queries asked alone"


@pytest.mark.parametrize(
    ("key", "where"),
    [
        (lambda _, row: (-row[2], row[1]), "the docids ascend"),
        (by_score, "the docids descend"),
        (lambda i, row: (-row[2], i), "the rows come"),
    ],
)
def test_where_a_constant_scorer_is_worth_the_truth_is_told(key: Key, where: str) -> None:
    def answers(data: Input) -> Answered:
        values = measured(data, "RR", key)
        return Answered(values, sum(values.values()) / len(values))

    wanted = f"a constant scorer is worth as much as the truth where {where} in its order"
    assert said_by(laws.constant, answers) == wanted


def sort_of(one: Any) -> tuple[Any, ...]:
    """What was found, whatever the numbers are."""
    return one.kind, one.says.removesuffix(", under ties"), *(isinstance(answer, str) for answer in one.answers)


def tied(data: Input) -> bool:
    return len({(row[0], row[2]) for row in data.run}) < len(data.run)


def check_answers(one: ProbeFinding) -> None:
    """Both answers are what the function says of both inputs."""
    each = [answered(one.subject.variant, data, one.measure) for data in (one.input, one.changed or one.input)]
    before, after = (said["mean"] if one.query is None else said["per_query"].get(one.query, "absent") for said in each)
    assert one.answers[0] == before, one
    of_another_question = {"queries-renamed", "queries-renamed-alike", "cutoff"}
    if one.probe in {"bounds", "truth"}:
        assert one.answers[1] == ("0 to 1" if one.probe == "bounds" else 1.0)
    elif one.probe not in of_another_question and (one.probe != "batch" or one.changed is not None):
        assert one.answers[1:] == (after,), one


@pytest.mark.usefixtures("asking")
@pytest.mark.parametrize("names", [["rows", "ranks"], ["bounds"], ["shifted", "rows", "shifted"]])
def test_the_probes_that_are_named_are_asked_and_no_others(names: list[str]) -> None:
    assert [probe.name for probe in chosen(names)] == list(dict.fromkeys(names))
    only = replace(LIBRARY, only=("ties*", "ranks", "twice"))
    found = findings(only, chosen(names), ["RR"], inputs=[drawn_input(Chance(seed)) for seed in range(14)])
    habits = ("ties by rows", "ranks", "twice")
    expected = {(habit, name) for habit in habits for name in names if name in HABITS[habit][1]}
    assert {(one.subject.variant, one.probe) for one in found} == expected
    assert {one.measure for one in found} <= {"RR"}


# -- findings, told and published ---------------------------------------------------------------------------------------


SAYS = [
    (FindingKind.DEPENDS, "depends on the order of the rows"),
    (FindingKind.TELLS, "is left out"),
    (FindingKind.BREAKS, "is not | between 0 and 1"),
    (FindingKind.UNSTABLE, "differs when asked twice"),
    (FindingKind.DEPENDS, "depends on the rank column"),
]


ANSWERS: list[Any] = [(0.5, 0.25), (1.0, "absent"), (0.5, 0.5000001), ("error: no", 1.0), (math.nan, 0.5)]


def drawn_findings(seed: int) -> list[ProbedLibrary]:
    c = Chance(seed)
    found = []
    for name in c.sample(["zulu", "mike", "alpha", "echo"], 4):
        if name == "echo":
            found.append(ProbedLibrary(Installation(name, not_installed="no module")))
            continue
        variants = dict.fromkeys(c.sample(["v", "w", "x y"], c.choice([1, 2, 3])), "")
        who = Installation(name, c.choice(["1", "2.0"]), "3.12", variants)
        inputs = [drawn_input(c) for _ in range(2)]
        own = []
        for _ in range(c.choice([0, 3, 9])):
            kind, says = c.choice(SAYS)
            answers = c.choice(ANSWERS)
            changed = c.choice([None, inputs[1], inputs[1]])
            subject = who.subject(c.choice(list(variants)))
            given = inputs[0] if c.random() < 0.6 else drawn_input(c)
            probe, measure = c.choice(["rows", "ranks", "bounds"]), c.choice(["AP", "P@2", "P@5", "RR"])
            asked, query = ("as given", c.choice(["changed", "alone"])), c.choice([None, "1", "q 2"])
            own.append(ProbeFinding(probe, subject, measure, kind, says, given, changed, asked, answers, query))
        found.append(ProbedLibrary(who, tuple(own)))
    return found


def both_of(one: ProbeFinding) -> tuple[str, ...]:
    """Both answers in short, with all their digits where they would seem to be one."""
    if one.answers == (0.5, 0.5000001):
        return "0.5", "0.5000001"
    return tuple(SAID.get(repr(answer), str(answer)) for answer in one.answers)


SAID = {"0.5": ".5", "0.25": ".25", "1.0": "1", "nan": "nan"}


@pytest.mark.parametrize("seed", range(12))
def test_findings_are_published_and_read_back(seed: int, tmp_path: Path) -> None:
    found = drawn_findings(seed)
    libraries = [replace(LIBRARY, name=one.installation.library, fault="none") for one in found]
    document = published.document(found, libraries, "what was asked")
    assert [one["library"] for one in document["asked"]] == [one.installation.library for one in found]
    (tmp_path / published.FILE).write_text(published.text_of(document), encoding="utf-8")
    again = published.read(tmp_path / published.FILE)
    every = [one for own in found for one in own.findings]
    assert repr(list(again.findings)) == repr(every)
    assert (again.asking, set(again.adapters)) == ("what was asked", {one.installation.library for one in found})
