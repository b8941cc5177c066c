"""What `rankproof explain` says of numbers: the commonest first, of what gives one and of what moves it; and no change too many."""

from fractions import Fraction
from random import Random

import pytest
from strategies import judged_as, run_of
from test_explain import ONE, data_of, mean, told

from rankproof.explain import compared_profiles, orders_of_ties
from rankproof.explain.asked_data import AskedData
from rankproof.explain.data_facts import facts_of
from rankproof.explain.one_sentence import sentence
from rankproof.explain.orders_of_ties import MeanEnds, ends_of, may_give
from rankproof.explain.printed_number import wanted
from rankproof.explain.value_match import Commonness, Explained, ValueMatch
from rankproof.inference.reference_answers import Values
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.telling.explanation_text import screen
from rankproof.workers.same_answers import alike

TWO = {"1": judged_as(a=1, b=0), "2": judged_as(a=1)}


def all_of(data: AskedData, measure: str, *texts: str) -> tuple[Explained, ...]:
    """What gives each number, of all libraries."""
    return told(data, measure, values=texts).values


TIED = data_of(
    {"1": judged_as(a=1, b=0, c=0), "2": judged_as(a=1, b=1, c=0), "3": judged_as(a=1, b=0, c=0)},
    {"1": run_of("a=b=c"), "2": run_of("a=c", "b"), "3": run_of("c", "b=a")},
)
"""RR of each: 1, 1/2 or 1/3; 1 or 1/2; 1/2 or 1/3, by the order of the tied docs."""


@pytest.mark.in_turn
def test_a_library_that_keeps_no_order_explains_what_an_order_of_tied_docs_gives_and_nothing_else() -> None:
    # 1/2, 1/2 and 1/2: docid descending is 1/3, 1/2 and 1/2, and no named order gives it.
    first = all_of(TIED, "RR", ".5000")[0].found[0]
    assert (first.base.names, first.kind, dict(first.changes)) == (("ir_measures/ranx",), Commonness.WITHIN_TIES, {})
    assert first.ends == MeanEnds(Fraction(7, 18), Fraction(5, 6))
    # .6 lies between, and no order gives it: three values of 1, 1/2 and 1/3 do not sum to 1.8.
    assert all(one.ends is None for one in all_of(TIED, "RR", ".6000")[0].found)
    assert all(one.ends is None for one in all_of(TIED, "RR", ".8400")[0].found), "above the best order"
    shown = " ".join(screen(told(TIED, "RR", values=[".5000"]), heading=False).split())
    assert "RR .5000 may be given by ir_measures/ranx, which in some order of tied docs gives .3889 to .8333" in shown
    assert "any number that some order of these docs gives would be explained so" in shown


@pytest.mark.in_turn
@pytest.mark.parametrize("printed", [".332", ".333", ".3333", ".334", ".6667", ".667", ".668"])
def test_the_worst_and_the_best_order_are_orders_as_they_are_printed(printed: str) -> None:
    # 1, 1/2 or 1/3, and 1/3: from 1/3, which is above .3333, to 2/3, which is below .6667; .334 lies between, and is no order's.
    qrels = {"1": judged_as(a=1, b=0, c=0), "2": judged_as(c=1)}
    tied = data_of(qrels, {"1": run_of("b=a=c"), "2": run_of("d", "e", "c")})
    is_one = any(one.ends is not None for one in all_of(tied, "RR", printed)[0].found)
    assert is_one is (printed in {".333", ".3333", ".6667", ".667"})


@pytest.mark.parametrize(
    ("row", "is_said"), [("a=b", True), ("c=b", False), ("a b", False), ("a=b a", True), ("c=b c", True)]
)
def test_who_keeps_no_order_may_give_other_values_unless_none_is_known_to_move(row: str, *, is_said: bool) -> None:
    # Where a doc is retrieved twice standard refuses the run, so that nobody knows what an order can do.
    data = data_of(TWO, {"1": run_of(*row.split()), "2": run_of("b", "a")})
    shown = screen(told(data, "RR", "standard", "standard run_duplicates=first ties=unspecified"), heading=False)
    others = "it keeps no order of tied docs that could be named: other values are possible"
    assert (others in " ".join(shown.split())) is is_said


@pytest.mark.parametrize(
    "names", [("pyspark", "standard", "cornac"), ("standard", "cornac", "pyspark"), ("cornac", "pyspark", "standard")]
)
def test_what_was_taken_of_open_choices_is_told_of_each_tool_wherever_it_stands(names: tuple[str, ...]) -> None:
    data = data_of(TWO, {"1": run_of("a", "b"), "2": run_of("b", "a")})
    shown = " ".join(screen(told(data, "AP", *names), heading=False).split())
    assert "undetermined for pyspark, and taken as score_sign=any nohit=measured" in shown
    assert "undetermined for cornac, and taken as mean=arithmetic" in shown
    assert "undetermined for standard" not in shown


def test_orders_that_are_too_many_to_be_looked_at_exclude_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    for what in ("MOST_ORDERS", "MOST_SUMS"):
        with monkeypatch.context() as patched:
            patched.setattr(orders_of_ties, what, 1)
            assert any(one.ends is not None for one in all_of(TIED, "RR", ".6000")[0].found), what


def test_orders_are_counted_over_all_queries_and_a_mean_is_over_those_that_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The one relevant doc of three that are tied has 3 places, and of two 2, so that there are 7 orders; query 4 has no such doc."""
    open_ties = profile("norel=dropped ties=unspecified")
    data, rr = data_of({**TIED.qrels, "4": judged_as(a=0)}, {**TIED.run, "4": run_of("a")}), parse("RR")
    ends = ends_of(data, rr, open_ties)
    assert ends == MeanEnds(Fraction(7, 18), Fraction(5, 6))
    assert [may_give(data, rr, open_ties, ends, wanted(text)) for text in (".5000", ".6000")] == [True, False]
    for most, is_left_open in ((7, False), (6, True)):
        monkeypatch.setattr(orders_of_ties, "MOST_ORDERS", most)
        assert may_give(data, rr, open_ties, ends, wanted(".6000")) is is_left_open
    assert ends_of(data, rr, profile("norel=dropped")) is None


def test_a_whole_number_is_exact_and_what_is_the_number_comes_before_what_rounds_to_it() -> None:
    assert not all_of(ONE, "RR", "1")[0].wanted.fits(Fraction(1, 2))
    # 2/5 of P@5 is .4; what only rounds to it is told behind what is the number.
    exact = [one.mean == Fraction(2, 5) for one in all_of(ONE, "P@5", ".4")[0].found]
    assert exact[0]
    assert exact == sorted(exact, reverse=True)


def test_no_profile_is_named_for_two_numbers_and_they_never_differ_by_nothing() -> None:
    # RR by docid descending is 4/9; .4 and .44 mean it both, and .44 is the nearer.
    both = told(TIED, "RR", values=[".4", ".44"])
    of_first, of_second = ({one.conventions for one in value.found} for value in both.values)
    assert of_second
    assert of_first.isdisjoint(of_second)
    assert "standard" in both.values[1].found[0].base.names
    assert all(one.attribution.moved or one.attribution.steps or one.open for one in both.between)
    same = told(TIED, "RR", values=[".44", ".444"])
    assert same.values[1].found[0].base.names[0] == "standard"
    assert "nothing differs" not in sentence(both) + sentence(same)
    same = told(TIED, "RR", values=[".44", "0.44"])
    assert ([bool(one.found) for one in same.values], same.between) == ([True, True], ()), "one number"


def test_what_turns_a_number_into_the_next_is_of_some_order_where_one_of_them_is() -> None:
    """.4444 is of standard, whose order is known, and .5000 of who keeps none; no library leaves out a positive score."""
    positive = {query: [row._replace(score=row.score + 9) for row in rows] for query, rows in TIED.run.items()}
    tied = data_of(TIED.qrels, positive)
    texts = [(one.texts, one.open) for one in told(tied, "RR", values=[".5000", ".4444", ".5000"]).between]
    assert texts == [((".5000", ".4444"), True), ((".4444", ".5000"), True)]


def test_two_libraries_as_they_are_stand_on_both_sides_before_any_change() -> None:
    qrels = {"1": judged_as(a=2, b=1, x=3), "2": judged_as(a=1, c=0, y=1), "3": judged_as(b=3, z=2, a=0)}
    data = data_of(qrels, {"1": run_of("c", "a", "b"), "2": run_of("c", "a"), "3": run_of("a", "b")})
    texts = [f"{to_float(mean(data, 'nDCG@5', spec) or 0):.4f}" for spec in ("known=retrieved", "")]
    both = told(data, "nDCG@5", values=texts)
    for value, name in zip(both.values, ("sklearn/rows", "trec_eval"), strict=True):
        assert name in value.found[0].base.names
    assert [list(cause.changes) for cause in both.between[0].attribution.causes] == [["known"]]


def test_the_first_sentence_leads_with_what_moves_the_number_most() -> None:
    # Three queries move by a little, as docs 9 and 10 are tied; the missing one by much.
    rows = run_of("b", "c", "d", "e", "f", "g", "h", "i=a")
    data = data_of({q: judged_as(a=1) for q in ("1", "2", "3", "4")}, dict.fromkeys(("1", "2", "3"), rows))
    found = told(data, "RR", "standard", "ties=docid-asc missing=dropped")
    assert sentence(found).endswith(
        ": one query of 4, 4, differs by missing query left out (not missing query worth 0); 1 more below."
    )
    why = found.sayings[1].attribution
    assert why is not None
    assert [cause.queries for cause in why.causes] == [("4",), ("1", "2", "3")]
    assert why.causes[1].adds == 3 * (Fraction(1, 8) - Fraction(1, 9)) / 4


def test_unjudged_docs_are_counted_though_the_conventions_refuse_what_is_retrieved() -> None:
    endless = data_of({"1": judged_as(a=1)}, {"1": [QueryRow(doc, float("inf"), i) for i, doc in enumerate("xxa")]})
    for spec in ("infinite=rejected", "unjudged=rejected run_duplicates=rejected", "unjudged=removed"):
        (one,) = (fact for fact in facts_of(endless, parse("P@2"), profile(spec)) if "a judgment" in fact.what)
        assert (one.what, one.queries, one.count) == ("doc within rank 2 without a judgment", ("1",), 2), spec


# -- drawn at random: what made a number is told first, or among those that are as common -----------------------------


def ordinary(rng: Random) -> AskedData:
    """Six queries: graded rels, ties in a third, one without relevant docs, one that was not run, some docs unjudged."""
    qrels: dict[str, list[Judgment]] = {}
    run: dict[str, list[QueryRow]] = {}
    for query in range(6):
        docs = rng.sample([f"d{i:02}" for i in range(16)], 16)
        rels = [0] * 9 if query == 1 else rng.choices((0, 1, 2, 3), (5, 3, 1, 1), k=9)
        qrels[f"q{query}"] = [Judgment(doc, rel) for doc, rel in zip(docs, rels, strict=False)]
        scores = sorted((round(rng.uniform(1, 9), 3) for _ in range(10)), reverse=True)
        if query % 3 == 0:
            scores[3:5] = scores[2], scores[2]
        if query != 4:
            retrieved = zip(rng.sample(docs, 10), scores, strict=True)
            run[f"q{query}"] = [QueryRow(doc, score, rank) for rank, (doc, score) in enumerate(retrieved, start=1)]
    return data_of(qrels, run)


def printed(rng: Random, data: AskedData, written: str, conventions: Conventions) -> str | None:
    """The mean as somebody prints it; where no order of tied docs is kept, in one of them."""
    if conventions.ties == "unspecified":
        run = {query: sorted(rng.sample(rows, len(rows)), key=lambda r: -r.score) for query, rows in data.run.items()}
        data, conventions = data_of(data.qrels, run), conventions.replace(ties="input")
    answers = data.answers(parse(written), conventions)
    return f"{to_float(answers.mean):.4f}" if isinstance(answers, Values) and answers.mean is not None else None


@pytest.mark.in_turn
@pytest.mark.in_parts(3)
@pytest.mark.parametrize("seed", range(15))
def test_what_made_a_number_is_told_before_what_is_rarer(seed: int) -> None:
    rng = Random(seed)  # noqa: S311 - drawn to be the same each time
    data, written = ordinary(rng), rng.choice(["nDCG@5", "AP", "RR", "P@5"])
    measure = parse(written)
    libraries = {name: one.conventions(measure) for name, one in compared_profiles.of_libraries(measure).items()}
    kind = [Commonness.AS_IT_IS, Commonness.WITHIN_TIES, Commonness.ONE_HABIT][seed % 3]
    of_kind = {n: c for n, c in libraries.items() if (c.ties == "unspecified") == (kind is Commonness.WITHIN_TIES)}
    name = rng.choice(sorted(of_kind))
    made = of_kind[name].replace(missing="dropped") if kind is Commonness.WITHIN_TIES else of_kind[name]
    if kind is Commonness.ONE_HABIT:
        axis, value = rng.choice([("missing", "0"), ("missing", "dropped"), ("ties", "input"), ("unjudged", "removed")])
        made = made.replace(**{axis: value})
    text = printed(rng, data, written, made)
    if text is None:
        return  # it refuses such data
    (value_told,) = all_of(data, written, text)
    assert value_told.found, "what gives it is found"
    best = min(found.kind for found in value_told.found)
    assert value_told.found[0].kind == best <= Commonness.ONE_HABIT
    plain = data.plain(measure, made)
    standing = [data.standing(query, measure, plain) for query in data.queries]

    def is_it(found: ValueMatch) -> bool:
        if found.ends is not None:
            return found.ends == ends_of(data, measure, plain)
        theirs = [data.standing(query, measure, found.conventions) for query in data.queries]
        return all(a is not None and b is not None and alike(a[1], b[1]) for a, b in zip(standing, theirs, strict=True))

    at = next((i for i, found in enumerate(value_told.found) if is_it(found)), None)
    if at is not None:
        assert all(found.kind <= Commonness.ONE_HABIT for found in value_told.found[:at])
    elif kind is not Commonness.WITHIN_TIES:
        assert best < Commonness.ONE_HABIT, "what is better known gives it, too"
    for found in value_told.found:
        own = data.answers(measure, found.base.conventions)
        gives_it = isinstance(own, Values) and value_told.wanted.fits(own.mean)
        assert not (found.changes and gives_it), "no LIBRARY, but X, where LIBRARY gives it"
        for axis in found.changes:
            less = {a: after for a, (_, after) in found.changes.items() if a != axis}
            answers = data.answers(measure, found.base.conventions.replace(**less))
            assert not (isinstance(answers, Values) and value_told.wanted.fits(answers.mean)), "no idle change"
