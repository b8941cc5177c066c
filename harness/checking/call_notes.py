"""What is to be said of how a function is called: what no name told, what it was given, and what it is not asked."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from rankproof.calling.argument_names import GAINS, HIGHEST_RELS
from rankproof.calling.arguments import IN_RANK_ORDER
from rankproof.calling.functions import values_of
from rankproof.calling.targets import BEYOND_K, COLUMN, FROM_K, TO_K, Target, names_of
from rankproof.checking.trials import TriedWay

GIVEN_BY_MEASURE = {GAINS: "what a relevant doc is worth", HIGHEST_RELS: "the highest rel that a doc may have"}
"""By the names of parameters that are given what the measure says, what that is."""
ASKED_OF = {
    FROM_K: "fewer docs than the cutoff: asked only where it has as many",
    BEYOND_K: "no more docs than the cutoff: asked only where it has more",
    TO_K: "more docs than the cutoff: asked only where it has no more",
}
"""By how many docs it raises for, and is asked of."""


def notes_of(best: TriedWay, ways: Sequence[TriedWay], alone: Sequence[TriedWay]) -> Iterator[str]:
    """What is to be said of how it is called: what no name told, what is left out, and that it is right at one cutoff `alone`."""
    if not best.is_named:
        yield f"no names tell its arguments: {explains(best)} as {_as(best)}{_others(best, ways)}"
    elif (other := _better_named(best, ways)) is not None:
        yield f"{explains(best)} as {_as(best)}, {other.fit.explained} as {_as(other)}"
    if best.target.docs:
        does = "has no value" if (best.target.docs, best.target.reads) == (FROM_K, "place") else "raises"
        yield f"it {does} where a query has {ASKED_OF[best.target.docs]}"
    yield from _given(best.target)
    if best.target.of_fractions:
        yield "it raises where all scores of a query are whole numbers: asked only where some are not"
    if best.other is not None:
        by = "".join(f", by its own default {told}" for told in defaults_of(best))
        yield f"its answers are those of {best.other}{by}: ask for that measure, by -m '{best.other}'"
    elif best.target.defaults:
        yield f"called with its own defaults: {', '.join(best.target.defaults)}"
    if best.target.several and not best.is_explained and any(way.is_explained for way in alone):
        yield "asked for several cutoffs at once, it does not give each its value; asked for one alone, it does"


def _given(target: Target) -> Iterator[str]:
    """What it was given that nobody said."""
    if "rels_seen" in target.order:
        yield "called with no rels of training: what it leaves out for those was not asked"
    if target.batch == COLUMN:
        yield "called with tables of one column, which has a doc in each row"
    if target.container in IN_RANK_ORDER:
        yield "called with docs in rank order, each with its score: what it makes of another order was not asked"
    if target.k_alone:
        yield f"{target.k_alone}: asked only at that of the measure"
    given = (*target.made, *target.given)
    for argument, name in zip(given, names_of(given), strict=True):
        means = next((means for names, means in GIVEN_BY_MEASURE.items() if name.lower() in names), None)
        if means is not None:
            yield f"called with {argument}: {means}"


def explains(way: TriedWay) -> str:
    """How many of its trial answers are."""
    return f"{way.fit.explained} of {way.fit.asked} trial answers are explained"


def _as(way: TriedWay) -> str:
    return f"{way.target.form.name} ({', '.join(way.target.order)})"


def _others(best: TriedWay, ways: Sequence[TriedWay]) -> str:
    """The other ways that give numbers, the best of each form and order."""
    others = sorted((way for way in ways if _as(way) != _as(best)), key=_as)
    found = [max(same, key=lambda way: way.order) for _, same in groupby(others, key=_as)]
    shown = sorted(found, key=lambda way: way.order, reverse=True)[:2]
    return "".join(f", {way.fit.explained} as {_as(way)}" for way in shown)


def _better_named(best: TriedWay, ways: Sequence[TriedWay]) -> TriedWay | None:
    """A form of which names tell as much, and that gives numbers of which fewer are explained."""
    return next((way for way in ways if way.target.form is not best.target.form and way.is_named), None)


def defaults_of(best: TriedWay) -> list[str]:
    """The defaults of a function that make it another measure than was asked."""
    numbers = [] if best.other is None else list(dict(best.other.params).values())
    return [told for told in best.target.defaults if next(iter(values_of((told,)).values())) in numbers]
