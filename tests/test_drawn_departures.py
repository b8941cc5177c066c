"""Where a library may give, or gives, something else than its profile, of drawn data: counted again without what is tested."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import pytest
from drawn_collections import Chance, Little, chance, drawn

from rankproof.evaluate.inputs.rows import Rows, rows_apart
from rankproof.evaluate.known_exceptions import computes_in_float32, met_by
from rankproof.evaluate.library_profiles import library_names, profile_named, subject_named
from rankproof.explain.asked_data import AskedData
from rankproof.explain.explanation import Wish, explain
from rankproof.explain.library_today import today
from rankproof.inference.data_conditions import queries_meeting
from rankproof.inference.reference_answers import UNSPECIFIED
from rankproof.measure_facts import fixed_by_parameters
from rankproof.measure_forms import key_of
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.report.explanation_json import as_json
from rankproof.text import printable
from rankproof.workers.known_libraries import libraries

if TYPE_CHECKING:
    from rankproof.workers.library_worker import Worker
    from rankproof.workers.sheets import Known

# -- what an exception is about ------------------------------------------------------------------------------------------

ODD_IDS = ("", "a b", "\u00a0", "x\0", "1", "1.0", "01", "nan", "NULL", "n/a", "a-b", "c", "d", "e", "f", "g", "h")
ODD_RELS = (0, 1, 2, 63, 64, 65, 999_999, 1_000_000, -1, -2, 0.5, 1.5)
ODD_SCORES = (
    0.0,
    -0.5,
    1.0,
    2.0,
    2.0 * (1 + 1e-13),
    2.0 * (1 + 1e-11),
    1e300,
    1.1e300,
    -1.1e300,
    -math.inf,
    math.inf,
    2.0**-150,
    2.0**-149,
    -(2.0**-150),
)
Rows_ = Sequence[QueryRow]
Js = Sequence[Judgment]


def strange(c: Chance) -> Little:
    """A collection whose ids, rels and scores are of two or three odd kinds, or ordinary."""
    names = c.choice([["c", "d", "e", "f", "g", "h"], c.sample(ODD_IDS, 7)])
    rels = c.choice([(0, 1), (0, 1, 2), (-1, -2), c.sample(ODD_RELS, 2), c.sample(ODD_RELS, 3)])
    scores = c.choice([(3.0, 2.0, 1.0), c.sample(ODD_SCORES, 3), c.sample(ODD_SCORES, 6)])
    queries = c.sample([*"pqrs", "x-y", *names[:2]], c.randint(1, 4))
    sides = c.choice([("both",), ("both", "qrels", "run", "no judgment", "no row")])
    qrels: dict[str, list[Judgment]] = {}
    run: dict[str, list[QueryRow]] = {}
    for query in queries:
        side = c.choice(sides)
        docs = [*names[:6], *([query] if c.random() < 0.2 else [])]
        if side != "run":
            docs_of = c.sample(docs, c.randint(1, 3)) if c.random() < 0.9 else c.choices(docs, k=3)
            qrels[query] = [] if side == "no judgment" else [Judgment(doc, c.choice(rels)) for doc in docs_of]
        if side != "qrels":
            docs_of = c.sample(docs, c.randint(1, 4)) if c.random() < 0.9 else c.choices(docs, k=4)
            own = [c.choice(scores) for _ in docs_of]
            own = sorted(own, reverse=True) if c.random() < 0.5 else own
            rows = [QueryRow(*row) for row in zip(docs_of, own, range(1, len(own) + 1), strict=True)]
            run[query] = [] if side == "no row" else rows
    if c.random() < 0.06:
        run["deep"] = [QueryRow(f"d{i}", 5000.0 - i, i) for i in range(c.choice([31, 32, 33, 999, 1000, 1001]))]
        qrels["deep"] = [Judgment("d1", 1)]
    return Little(qrels, dict(c.sample(list(run.items()), len(run))) if c.random() < 0.4 else run, has_twice=False)


def ids(query: str, judgments: Js, rows: Rows_) -> set[str]:
    """All ids of a query."""
    return {query, *(one.doc for one in judgments), *(row.doc for row in rows)}


def few_rels(judgments: Js, rows: Rows_) -> bool:
    """Whether the docs retrieved, or all, are of one or two rels that are not 0 and 1."""
    of = {one.doc: one.rel for one in judgments}
    retrieved = {of.get(row.doc, 0) for row in rows}
    return any(len(own) in {0, 1, 2} and bool(own - {0, 1}) for own in (retrieved, {*of.values(), *retrieved}))


OF_QUERY: Mapping[str, Callable[[str, Js, Rows_], bool]] = {
    "dash-in-a-query-id": lambda q, _j, _r: "-" in list(q),
    "doc-judged-twice": lambda _q, j, _r: any(a.doc == b.doc for i, a in enumerate(j) for b in j[:i]),
    "doc-retrieved-twice": lambda _q, _j, r: any(a.doc == b.doc for i, a in enumerate(r) for b in r[:i]),
    "empty-id": lambda q, j, r: "" in ids(q, j, r),
    "nul-in-an-id": lambda q, j, r: "\0" in "".join(ids(q, j, r)),
    "space-in-an-id": lambda q, j, r: any(not name or name.split() != [name] for name in ids(q, j, r)),
    "more-than-1000-retrieved": lambda _q, _j, r: len(r) >= 1001,
    "negative-rel": lambda _q, j, _r: min((one.rel for one in j), default=0) < 0,
    "negative-rel-retrieved": lambda _q, j, r: any(one.rel < 0 and one.doc == row.doc for one in j for row in r),
    "nothing-judged-retrieved": lambda _q, j, r: not any(one.doc == row.doc for one in j for row in r),
    "query-of-negative-rels": lambda _q, j, _r: len(j) > 0 and max(one.rel for one in j) < 0,
    "query-without-relevant-docs": lambda _q, j, _r: len(j) > 0 and not any(one.rel >= 1 for one in j),
    "unranked-query-without-relevant-docs": lambda _q, j, r: len(r) == 0 and not any(one.rel >= 1 for one in j),
    "query-named-without-judgments": lambda _q, j, r: len(r) > 0 and len(j) == 0,
    "rel-above-1": lambda _q, j, _r: max((one.rel for one in j), default=0) > 1,
    "rel-of-64-or-more": lambda _q, j, _r: max((one.rel for one in j), default=0) >= 64,
    "rel-of-a-million-or-more": lambda _q, j, _r: max((one.rel for one in j), default=0) >= 10**6,
    "rel-with-a-fraction": lambda _q, j, _r: any(one.rel in {0.5, 1.5} for one in j),
    "row-out-of-order": lambda _q, _j, r: [row.score for row in r] != sorted({row.score for row in r}, reverse=True),
    "score-beyond-1e300": lambda _q, _j, r: max((abs(row.score) for row in r), default=0) > 1e300,
    "score-of-0-or-less": lambda _q, _j, r: min((row.score for row in r), default=1) <= 0,
    "score-of-minus-infinity": lambda _q, _j, r: -math.inf in [row.score for row in r],
    "score-that-is-0-as-float32": lambda _q, _j, r: 2.0**-150 in [row.score for row in r],
    "two-rels-other-than-0-and-1": lambda _q, j, r: few_rels(j, r),
}


def scores_of(world: Little) -> list[float]:
    """All scores of a run."""
    return sorted(row.score for rows in world.run.values() for row in rows)


def has_hit(world: Little, k: int | None, rows_of: Callable[[str], Rows_]) -> bool:
    """Whether a relevant doc is within the cutoff."""
    relevant = {q: {one.doc for one in world.qrels.get(q, ()) if one.rel >= 1} for q in world.run}
    return any(row.doc in docs for q, docs in relevant.items() for row in rows_of(q)[:k])


def by_score(world: Little, query: str) -> Rows_:
    """The rows by score, the relevant ones last of tied docs."""
    relevant = {one.doc for one in world.qrels.get(query, ()) if one.rel >= 1}
    return sorted(world.run[query], key=lambda row: (-row.score, row.doc in relevant))


def read_alike(world: Little) -> bool:
    """Whether two ids are one number, or one is what means nothing to a reader of tables."""
    names = {n for q in world.queries for n in ids(q, world.qrels.get(q, ()), world.run.get(q, ()))}
    return len({"1", "1.0", "01"} & names) > 1 or bool(names & {"", "nan", "NULL", "n/a"})


WHOLE: Mapping[str, Callable[[Little, int | None], bool]] = {
    "equal-scores-in-the-run": lambda w, _k: any(a == b for a, b in pairwise(scores_of(w))),
    "scores-nearly-equal": lambda w, _k: any(
        a != b and b - a <= 1e-12 * max(abs(a), abs(b)) for a, b in pairwise(scores_of(w))
    ),
    "ids-alike-as-numbers": lambda w, _k: read_alike(w),
    "id-that-is-a-number": lambda _w, _k: False,
    "no-common-query": lambda w, _k: not [q for q, rows in w.run.items() if rows and q in w.qrels],
    "no-hit-at-all": lambda w, k: not has_hit(w, k, lambda q: by_score(w, q)) or not has_hit(w, k, lambda q: w.run[q]),
    "more-than-32-retrieved-and-no-cutoff": lambda w, k: (
        k is None and max((len(rows) for rows in w.run.values()), default=0) > 32
    ),
    "nothing-at-all": lambda w, _k: not [1 for j in w.qrels.values() for _ in j] or not scores_of(w),
    "nothing-relevant": lambda w, _k: not [1 for j in w.qrels.values() for one in j if one.rel >= 1],
    "nothing-retrieved": lambda w, _k: not scores_of(w),
    "one-query-without-relevant-docs": lambda w, _k: (
        len({any(one.rel >= 1 for one in w.qrels.get(q, ())) for q in w.queries}) == 2
    ),
    "ranking-shorter-than-the-cutoff": lambda w, k: min((len(rows) for rows in w.run.values()), default=9) < (k or 0),
    "queries-in-another-order": lambda w, _k: [q for q in w.qrels if q in w.run] != [q for q in w.run if q in w.qrels],
}


def met(what: str, world: Little, k: int | None, apart: Sequence[str]) -> list[str]:
    """The queries that have something."""
    if what in WHOLE:
        return world.queries if WHOLE[what](world, k) else []
    if what in OF_QUERY:
        return [q for q in world.queries if OF_QUERY[what](q, world.qrels.get(q, ()), world.run.get(q, ()))]
    return list(apart) if what == "rows-apart" else world.queries


@pytest.mark.parametrize("seed", range(5))
def test_what_an_exception_is_about_is_found_where_it_is(seed: int) -> None:
    seen = set()
    for i in range(60):
        c = chance((seed, i))
        world, k = strange(c), c.choice([None, 1, 2])
        apart = tuple(c.sample(world.queries, c.randint(0, 1)))
        data, measure = AskedData(world.qrels, world.run, apart=apart), parse(f"P@{k}" if k else "AP")
        for what in (*OF_QUERY, *WHOLE, "rows-apart", "", "unheard-of"):
            found = list(queries_meeting([what], data, measure)[what])
            assert found == met(what, world, k, apart), (what, world)
            seen.add((what, bool(found)))
    assert len(seen) > 70, "most are there, and are not"


@pytest.mark.parametrize(
    "written", ["nDCG@5", "AP", "RR", "P@2", "Bpref", "R@10", "Success@1", "nDCG(dcg='exp-log2')@5", "NumRet"]
)
def test_the_exceptions_of_a_name_are_those_of_its_variant_and_of_such_measures(written: str) -> None:
    measure, world = parse(written), strange(chance(("met", written)))
    names = library_names()
    own = {library.name: library.sheet for library in libraries()}
    wanted: list[tuple[str, str, str, tuple[str, ...]]] = []
    for name in names:
        subject = subject_named(name)
        sheet, of = own[subject.library], dict["Known", list[Measure]]()
        assert computes_in_float32(name, measure) == (sheet.precision_of(subject.variant, measure) == "float32")
        for pin in sheet.pins.values():
            asked = parse(pin.place.measure)
            if pin.place.variant == subject.variant and pin.place.query is None and not asked.of_labels:
                of.setdefault(pin.known, []).append(asked)
        for one in sheet.conditions:
            queries = tuple(met(one.known.touches, world, measure.k, ()))
            if queries and one.variant == subject.variant and one.form in {"*", key_of(measure)}:
                wanted.append((name, one.known.reason, one.known.link, queries))
        for known, measures in of.items():
            several = len({one.name for one in measures}) >= 3
            same = (measure.name, fixed_by_parameters(measure)) in [(m.name, fixed_by_parameters(m)) for m in measures]
            queries = tuple(met(known.touches, world, measure.k, ()))
            if queries and known.touches != "more-orders-of-ties-than-are-tried" and (several or same):
                wanted.append((name, known.reason, known.link, queries))
    found = met_by(AskedData(world.qrels, world.run), measure, names)
    assert [(one.name, one.reason, one.link, one.queries) for one in found if "orders" not in one.reason] == [
        one for one in wanted if "orders" not in one[1]
    ]
    assert met_by(AskedData(world.qrels, world.run), measure, ["standard", "gain=exp", "nobody", "trec_eval-9"]) == ()


@pytest.mark.parametrize("seed", range(40))
def test_the_rows_of_a_query_stand_apart_where_those_of_another_are_between(seed: int) -> None:
    c = chance(("apart", seed))
    of = [c.choice("pqrs") for _ in range(c.randint(1, 9))]
    if c.random() < 0.5:
        of.sort(key="rqsp".index)
    lines = [*zip(sorted(c.sample(range(1, 20), len(of))), of, strict=True)]
    numbers = {query: [line for line, other in lines if other == query] for query in dict.fromkeys(of)}
    apart = [q for q, own in numbers.items() if any(own[0] < line < own[-1] and other != q for line, other in lines)]
    run = {q: [QueryRow("a", 1.0)] * len(own) for q, own in numbers.items()}
    assert list(rows_apart(Rows[QueryRow]("run", run, {**numbers, "none": []}))) == apart


# -- what an installed library says --------------------------------------------------------------------------------------


class Telling:
    """A worker whose library says something else in each of its variants."""

    def __init__(self, answers: Mapping[str, Mapping[str, Any]]) -> None:
        self.answers, self.timeout, self.given = answers, 60.0, list[Any]()

    def observe(self, variant: str, data: dict[str, Any], measures: list[str], **_how: object) -> dict[str, Any]:
        """What it was drawn to say."""
        self.given.append(data)
        return dict.fromkeys(measures, self.answers[variant])


WAYS = {
    "sklearn": ("appended", "rows", "rows-ignore-ties"),
    "torchmetrics": ("default", "pos", "skip"),
    "trectools": ("file", "frame"),
    "ranx": ("default",),
}
TROUBLES: Sequence[tuple[Mapping[str, Any], str]] = (
    ({"unsupported": "x has no such"}, "it does not have this measure: x has no such"),
    ({"failed": "timeout", "message": "late"}, "it failed (timeout): late"),
    ({"failed": "crash", "message": "gone"}, "it failed (crash): gone"),
    ({"per_query": None, "mean": None}, "it returns no value, neither of a query nor a mean"),
)


WITHIN = {"float64": (1e-12, 0.0, 1e-11), "float32": (1e-6, 0.0, 1e-5), "4 decimals": (0.0, 1e-4, 2e-4)}
"""By what share of a value, and by how much beside, answers of a precision may be off; and by how much they are wrong."""


Said = tuple[dict[str, Any], list[str | None]]
"""What a library says, and of what that is something else than is right: of queries, and None for the mean."""


def said_by(c: Chance, right: Mapping[str, float], mean: float, precision: str) -> Said:
    """What it says, of which each value may be right, nearly so, wrong, or absent."""
    told, wrong = dict[str, float](), list[str | None]()
    share, more, beyond = WITHIN[precision]
    for query, value in right.items():
        what = c.choice(["right", "right", "right", "near", "wrong", "absent"])
        off = {"near": 0.4 * (share * value + more), "wrong": beyond}.get(what, 0.0)
        told |= {} if what == "absent" else {query: value + off}
        wrong += [query] if what == "absent" or (what == "wrong" and not math.isnan(value)) else []
    is_wrong = c.random() < 0.3 and not math.isnan(mean)
    has_mean, has_queries = c.choice([(True, True), (True, True), (True, False), (False, True)])
    given = {"per_query": told if has_queries else None, "mean": (mean + beyond * is_wrong) if has_mean else None}
    return given, [*([None] if is_wrong and has_mean else []), *(wrong if has_queries else [])]


@pytest.mark.parametrize("seed", range(24))
def test_a_library_departs_where_its_answer_is_not_that_of_its_profile(seed: int) -> None:
    c = chance(("today", seed))
    world = drawn(("today", seed), odd=False)
    measure = parse(c.choice(["nDCG@3", "RR", "P@2"] if seed % 4 else ["nDCG@3"]))
    name = c.choice(list(WAYS))
    variants = c.sample(WAYS[name], len(WAYS[name]))
    library = next(one for one in libraries() if one.name == name)
    precisions = {variant: {str(measure): c.choice(["float64", "float32", "4 decimals"])} for variant in variants}
    library = replace(library, sheet=replace(library.sheet, precisions=precisions))
    by_rank = c.random() < 0.5
    data, collection = AskedData(world.qrels, world.run, has_ranks=by_rank), Collection(world.qrels, world.run)
    absent = {"gone": "needs more"} if c.random() < 0.5 else {}
    answers: dict[str, Mapping[str, Any]] = {}
    expected: list[dict[str, Any]] = []
    for variant in variants:
        calls = f"{name}/{variant} 0.1" if len(variants) + len(absent) > 1 else f"{name} 0.1"
        own = next((profile_named(one) for one in (f"{name}/{variant}", name) if one in library_names()), None)
        assert own is not None
        trouble = c.choice([*TROUBLES, None, None, None, None, None])
        try:
            conventions = own.conventions(measure)
            answer = collection.answer(measure, conventions)
        except ValueError:
            answers[variant] = TROUBLES[0][0]
            expected.append({"name": calls, "trouble": TROUBLES[0][1]})
            continue
        if trouble is not None:
            answers[variant] = trouble[0]
            expected.append({"name": calls, "trouble": trouble[1]})
            continue
        right = {query: to_float(value) for query, value in answer.per_query.items()}
        answers[variant], wrong = said_by(c, right, to_float(answer.mean), precisions[variant][str(measure)])
        compared = 0 if answers[variant]["per_query"] is None else len(world.queries)
        # A mean of some queries is none over none.
        axes = {*data.axes(measure)} - ({"no_query"} if answer.mean else set())
        expected.append(
            {
                "name": calls,
                "trouble": "",
                "departures": wrong,
                "compared": compared,
                "unordered": conventions.ties == UNSPECIFIED,
                "undetermined": {axis: getattr(conventions, axis) for axis in own.undecided(measure) if axis in axes},
            }
        )
    worker, hello = Telling(answers), {"version": "0.1", "variants": dict.fromkeys(variants, ""), "absent": absent}
    found = today(library, cast("Worker", worker), hello, data, measure, str)
    places = [(q, i, row) for q, rows in world.run.items() for i, row in enumerate(rows, start=1)]
    given = [[q, row.doc, row.score, row.rank if by_rank else i] for q, i, row in places]
    assert worker.given[0]["run"] == given
    told = as_json(replace(explain("mine", data, measure, Wish(("standard",))), today=found))["today"]
    expected += [{"name": f"{name}/gone", "trouble": "needs more"}] if absent else []
    assert [one["name"] for one in told] == [one["name"] for one in expected]
    for one, wanted in zip(told, expected, strict=True):
        shown = {**one, "departures": [each["query"] for each in one["departures"]]}
        assert {key: shown[key] for key in wanted} == wanted, one
        way = one["name"].partition(" ")[0].rpartition("/")[2] if "/" in one["name"] else variants[0]
        for each in one["departures"]:
            of_queries, mean = answers[way]["per_query"], answers[way]["mean"]
            assert each["said"] == (mean if each["query"] is None else of_queries.get(each["query"], "absent"))
        assert_sentence(one, wanted, len(world.queries))


def assert_sentence(one: Mapping[str, Any], wanted: Mapping[str, Any], count: int) -> None:
    """Whether it says what its profile says, in words."""
    if wanted["trouble"]:
        assert one["sentence"] == f"{one['name']}: {wanted['trouble']}"
        return
    apart = [query for query in wanted["departures"] if query is not None]
    whose = f"its profile, that of {one['profile']},"
    if not wanted["compared"]:
        says = "does not say" if wanted["departures"] else "says"
        assert one["sentence"] == f"{one['name']} {says} the mean that {whose} gives; it tells no queries"
        return
    text = f"{one['name']} says what {whose} says on {count - len(apart)} of {count} queries"
    *first, last = [*map(printable, apart[:3]), *([f"{len(apart) - 3} more"] if len(apart) > 3 else [])] or [""]
    named = f"{', '.join(first)} and {last}" if first else last
    text += f"; not on {named}" if apart else ", and another mean" * bool(wanted["departures"])
    assert one["sentence"] == text
