"""Measures as a loop would have them, what may be otherwise about each, and what may be wrong with it."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Ranking:
    """What a formula sees of a query: the rels in rank order, and those of all docs that are known to be judged."""

    rels: Sequence[float]
    known: Sequence[float]

    @property
    def so_many_relevant(self) -> int:
        """How many docs are relevant in all."""
        return sum(rel >= 1 for rel in self.known)


Habits = Mapping[str, str]
"""By axis the value that is not standard; by "" the name of a defect."""


def dcg(rels: Sequence[float], habits: Habits, gain: str = "") -> float:
    by_power = (gain or habits.get("gain", "linear")) == "exp"
    return sum((2**rel - 1 if by_power else rel) / math.log2(rank) for rank, rel in enumerate(rels, start=2))


def ndcg(seen: Ranking, k: int, habits: Habits) -> float:
    ideal = sorted(seen.rels if habits.get("ideal") == "retrieved" else seen.known, reverse=True)
    if habits.get("ideal_cut") != "never":
        ideal = ideal[:k]
    found, wrong = list(seen.rels[:k]), habits.get("")
    best = dcg(ideal, habits)
    if wrong == "ideal-of-another-gain":
        best = dcg(ideal, {}, "exp")
    if wrong == "ideal-of-the-hits":
        best = dcg(ideal[: sum(rel > 0 for rel in found)], habits)
    if wrong == "relevant-from-2":
        found, ideal = [rel * (rel >= 2) for rel in found], [rel * (rel >= 2) for rel in ideal]
        best = dcg(ideal, habits)
    return dcg(found, habits) / best if best else 0.0


def precision(seen: Ranking, k: int, habits: Habits) -> float:
    hits = sum(rel >= 1 for rel in seen.rels[:k])
    if habits.get("") == "hits-not-divided":
        return float(hits)
    others = {"min-k-n": min(k, len(seen.rels)), "min-k-R": min(k, seen.so_many_relevant)}
    over = others.get(habits.get("p_denominator", ""), k)
    return hits / over if over else 0.0


def recall(seen: Ranking, k: int, habits: Habits) -> float:
    over = min(k, seen.so_many_relevant) if habits.get("r_denominator") == "min-k-R" else seen.so_many_relevant
    return sum(rel >= 1 for rel in seen.rels[:k]) / over


def average_precision(seen: Ranking, k: int, habits: Habits) -> float:
    hits, total = 0, 0.0
    for rank, rel in enumerate(seen.rels[:k], start=1):
        if rel >= 1:
            hits += 1
            total += hits / rank
    if habits.get("") == "precisions-not-divided":
        return total
    others = {"min-k-R": min(k, seen.so_many_relevant), "hits": hits}
    over = others.get(habits.get("ap_denominator", ""), seen.so_many_relevant)
    over = k if habits.get("") == "precisions-over-k" else over
    return total / over if over else 0.0


def reciprocal_rank(seen: Ranking, k: int, habits: Habits) -> float:
    ranks = [rank for rank, rel in enumerate(seen.rels[:k], start=1) if rel >= 1]
    if not ranks:
        return 0.0
    first = ranks[0]
    found = {
        "last-hit": 1 / ranks[-1],
        "first-doc-alone": float(first == 1),
        "ranks-from-0": 1 / (first - 1) if first > 1 else 0.0,
        "ranks-from-2": 1 / (first + 1),
        "mean-over-hits": sum(1 / rank for rank in ranks) / len(ranks),
    }
    return found.get(habits.get("", habits.get("rr_hits", "")), 1 / first)


def success(seen: Ranking, k: int, habits: Habits) -> float:
    del habits
    return float(any(rel >= 1 for rel in seen.rels[:k]))


@dataclass(frozen=True)
class Formula:
    """A measure: its name without a cutoff, the formula, and what may be otherwise about it.

    Attributes:
        of_unretrieved: what nothing is known of to who is told of retrieved docs alone, where a relevant one is not.
    """

    name: str
    of: Callable[[Ranking, int, Habits], float]
    habits: Sequence[tuple[str, str]] = ()
    defects: Sequence[str] = ()
    is_graded: bool = False
    of_unretrieved: str = "what it divides by"


FORMULAS = (
    Formula(
        "nDCG",
        ndcg,
        [("gain", "exp"), ("ideal", "retrieved"), ("ideal_cut", "never")],
        [
            "ideal-of-another-gain",
            "ideal-of-the-hits",
            "relevant-from-2",
            "percent",
            "ranked-backwards",
            "cutoff-ignored",
        ],
        is_graded=True,
        of_unretrieved="its ideal",
    ),
    Formula(
        "P",
        precision,
        [("p_denominator", "min-k-n")],
        ["hits-not-divided", "percent", "last-doc-lost", "ranked-backwards"],
    ),
    Formula("R", recall, [("r_denominator", "min-k-R")], ["cutoff-too-deep", "percent", "ranked-backwards"]),
    Formula(
        "AP",
        average_precision,
        [("ap_denominator", "min-k-R"), ("ap_denominator", "hits")],
        ["precisions-not-divided", "precisions-over-k", "cutoff-ignored", "ranked-backwards"],
    ),
    Formula(
        "RR",
        reciprocal_rank,
        [("rr_hits", "mean-over-hits")],
        ["last-hit", "first-doc-alone", "ranks-from-0", "ranks-from-2"],
    ),
    Formula("Success", success, [], ["cutoff-too-deep", "percent"]),
)
NO_RELEVANT = ("0", "1", "nan", "rejected")
