"""Second, naive implementations of all measures, written from the formulas alone.

The naive implementation sees a `Plain` query: the grades in rank order (None: unjudged) and the grades of all judged
documents. It shares no code with the reference; another library computes logarithms and powers.
"""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import mpmath
import pytest
from hypothesis import given
from strategies import HALF, Query, answer, judged_as, run_of, untied, value

from rankproof.reference_impl.evaluation import Value
from rankproof.reference_impl.measures import MEASURES

mp = mpmath.mp.clone()
mp.dps = 60
CLOSE = Fraction(1, 10**45)


class Plain(NamedTuple):
    """A query in the form that a formula needs."""

    rels: list[int | None]
    judged: list[int]

    def hits(self, k: int | None = None, rel: int = 1) -> int:
        """Return the number of relevant documents at ranks 1..k."""
        return sum(r is not None and r >= rel for r in self.rels[:k])

    def hit_at(self, i: int, rel: int = 1) -> bool:
        """Return whether the document at rank i is relevant."""
        return self.hits(i, rel) > self.hits(i - 1, rel)

    def total(self, rel: int = 1) -> int:
        """Return the number of relevant documents, retrieved or not."""
        return sum(r >= rel for r in self.judged)

    @property
    def ranks(self) -> range:
        """The ranks 1..n."""
        return range(1, len(self.rels) + 1)


def plain(query: Query) -> Plain:
    rels = {judgment.doc: int(judgment.rel) for judgment in query.judgments}
    return Plain([rels.get(row.doc) for row in query.rows], list(rels.values()))


def mean(numbers: Iterable[Fraction | int]) -> Fraction:
    values = list(numbers)
    return Fraction(sum(values), len(values)) if values else Fraction(0)


def over(numerator: Fraction | int, denominator: Fraction | int) -> Fraction:
    return Fraction(numerator) / denominator if denominator else Fraction(0)


# -- counts at the top ------------------------------------------------------------------------------------------


def p_of(k: int | None, denominator: str) -> Callable[[Plain], Fraction]:
    def formula(q: Plain) -> Fraction:
        n = len(q.rels)
        depth = n if k is None else k
        return over(q.hits(k), {"k": depth, "min-k-n": min(depth, n), "min-k-R": min(depth, q.total())}[denominator])

    return formula


def r_of(k: int | None, denominator: str) -> Callable[[Plain], Fraction]:
    def formula(q: Plain) -> Fraction:
        return over(q.hits(k), q.total() if k is None or denominator == "R" else min(k, q.total()))

    return formula


def f_of(k: int | None, beta: Fraction, *, squared: bool) -> Callable[[Plain], Fraction]:
    def formula(q: Plain) -> Fraction:
        p, r = p_of(k, "k")(q), r_of(k, "R")(q)
        b = beta**2 if squared else beta
        return over((1 + b) * p * r, b * p + r)

    return formula


def ap_of(k: int | None, denominator: str) -> Callable[[Plain], Fraction]:
    def formula(q: Plain) -> Fraction:
        n, total = len(q.rels), q.total()
        precisions = [Fraction(q.hits(i), i) for i in q.ranks if q.hit_at(i) and (k is None or i <= k)]
        if denominator == "mean-p":
            return mean(Fraction(q.hits(i), i) for i in range(1, (k or n) + 1))
        most = min(k or total, total)
        below = {"R": total, "min-k-R": most, "min-k-R-n": min(most, n), "hits": len(precisions)}[denominator]
        return over(sum(precisions), below)

    return formula


def rr_of(k: int | None, hits: str) -> Callable[[Plain], Fraction]:
    def formula(q: Plain) -> Fraction:
        ranks = [Fraction(1, i) for i in q.ranks if q.hit_at(i) and (k is None or i <= k)]
        return over(sum(ranks), q.total()) if hits == "mean-over-R" else mean(ranks[:1] if hits == "first" else ranks)

    return formula


def iprec_of(level: Fraction, need: Callable[[Fraction, int], int]) -> Callable[[Plain], Fraction]:
    def formula(q: Plain) -> Fraction:
        enough = [i for i in q.ranks if q.hits(i) >= need(level, q.total())]
        return max((Fraction(q.hits(i), i) for i in enough), default=Fraction(0))

    return formula


def ceil(level: Fraction, total: int) -> int:
    return math.ceil(level * total)


def trunc_09(level: Fraction, total: int) -> int:
    return math.trunc(float(level) * total + 0.9)


def lround(level: Fraction, total: int) -> int:
    below = math.floor(float(level) * total)
    return below + (float(level) * total - below >= 0.5)


# -- incomplete judgments ---------------------------------------------------------------------------------------


def bpref(q: Plain) -> Fraction:
    total, others = q.total(), len(q.judged) - q.total()

    def share(i: int) -> Fraction:
        above = sum(rel == 0 for rel in q.rels[: i - 1])
        return 1 - over(min(above, total), min(others, total))

    return Fraction(sum(share(i) for i in q.ranks if q.hit_at(i))) / total


def inf_ap(e: Fraction) -> Callable[[Plain], Fraction]:
    def at(q: Plain, i: int) -> Fraction:
        above = q.rels[: i - 1]
        judged = [rel for rel in above if rel is not None]
        if i == 1 or not judged:
            return Fraction(1, i)
        share = (sum(rel >= 1 for rel in judged) + e) / (len(judged) + 2 * e)
        return Fraction(1, i) + Fraction(i - 1, i) * Fraction(len(judged), i - 1) * share

    return lambda q: Fraction(sum(at(q, i) for i in q.ranks if q.hit_at(i))) / q.total()


# -- gains ------------------------------------------------------------------------------------------------------

GAINS: dict[str, Callable[[int], int | float]] = {
    "linear": int,
    "exp": lambda rel: 2**rel - 1,
    "binary": lambda rel: int(rel >= 1),
    "map:1=5,3=2": lambda rel: {1: 5, 3: 2}.get(rel, rel),
}
DISCOUNTS: dict[str, Callable[[int], mpmath.mpf]] = {
    "log2": lambda i: mp.log(1 + i) / mp.log(2),
    "ln": lambda i: mp.log(1 + i),
    "rank": mp.mpf,
    "jk-2": lambda i: mp.log(max(i, 2)) / mp.log(2),
    "jk-3": lambda i: mp.log(max(i, 3)) / mp.log(3),
}


def dcg_of_gains(gains: Iterable[float], discount: str) -> mpmath.mpf:
    return mp.fsum(mp.mpf(gain) / DISCOUNTS[discount](i) for i, gain in enumerate(gains, start=1))


def dcg_of(k: int | None, gain: str, discount: str) -> Callable[[Plain], mpmath.mpf]:
    return lambda q: dcg_of_gains((0 if rel is None else GAINS[gain](rel) for rel in q.rels[:k]), discount)


def ndcg_of(k: int | None, gain: str, discount: str, ideal: str, ideal_cut: str) -> Callable[[Plain], mpmath.mpf]:
    def formula(q: Plain) -> mpmath.mpf:
        rels = {"given": q.rels, "retrieved": q.rels[:k]}.get(ideal, q.judged)
        gains = sorted((0 if rel is None else GAINS[gain](rel) for rel in rels), reverse=True)
        if ideal == "max-gain":
            gains = gains[:1] * (k or len(q.rels))
        longest = {"k": k, "never": None, "min-k-n": min(k or len(q.rels), len(q.rels))}[ideal_cut]
        best = dcg_of_gains(gains[: k if ideal == "max-gain" else longest], discount)
        return dcg_of(k, gain, discount)(q) / best if best else mp.mpf(0)

    return formula


def err_of(k: int | None, satisfaction: Callable[[int, Plain], Fraction]) -> Callable[[Plain], Fraction]:
    def formula(q: Plain) -> Fraction:
        stops = [satisfaction(rel or 0, q) for rel in q.rels[:k]]
        reached = [math.prod(1 - stop for stop in stops[:i]) for i in range(len(stops))]
        return sum((reached[i] * stop / (i + 1) for i, stop in enumerate(stops)), Fraction(0))

    return formula


def rbp_of(k: int | None, p: Fraction, gain: Callable[[int, Plain], Fraction | int]) -> Callable[[Plain], Fraction]:
    return lambda q: (1 - p) * Fraction(sum(gain(rel or 0, q) * p**i for i, rel in enumerate(q.rels[:k])))


# -- pairs and labels -------------------------------------------------------------------------------------------


def auc(q: Plain) -> Fraction | None:
    relevant = [bool(rel) for rel in q.rels]
    if all(relevant):
        return None
    pairs = [i < j for i, j in product(range(len(relevant)), repeat=2) if relevant[i] and not relevant[j]]
    return mean(pairs)


def ranking_loss(q: Plain) -> Fraction | None:
    right = auc(q)
    return None if right is None else 1 - right


KS = (None, 1, 2, 3, 9)


def at(name: str, k: int | None) -> str:
    return name if k is None else f"{name}@{k}"


def grid() -> Iterable[tuple[str, str, Callable[[Plain], object]]]:
    """Yield each measure with conventions and its naive formula."""
    for k in KS:
        for d in ("k", "min-k-n", "min-k-R"):
            yield at("P", k), f"p_denominator={d}", p_of(k, d)
        for d in ("R", "min-k-R"):
            yield at("R", k), f"r_denominator={d}", r_of(k, d)
        for d in ("R", "min-k-R", "min-k-R-n", "hits", "mean-p"):
            yield at("AP", k), f"ap_denominator={d}", ap_of(k, d)
        yield from ((at("RR", k), f"rr_hits={h}", rr_of(k, h)) for h in ("first", "mean-over-hits", "mean-over-R"))
        yield at("Success", k), "", lambda q, k=k: Fraction(q.hits(k) > 0)
        yield at("CG", k), "", lambda q, k=k: Fraction(sum(rel or 0 for rel in q.rels[:k]))
        yield at("Judged", k), "", lambda q, k=k: mean(rel is not None for rel in q.rels[:k])
        yield at("ERR", k), "", err_of(k, lambda rel, _: Fraction(2**rel - 1, 16))
        yield at("ERR", k), "err_max=query", err_of(k, lambda rel, q: Fraction(2**rel - 1, 2 ** max(q.judged)))
        yield at("RBP", k), "", rbp_of(k, Fraction(4, 5), lambda rel, _: int(rel >= 1))
        yield at("RBP(p=0.3)", k), "rbp_gain=grade", rbp_of(k, Fraction(3, 10), lambda rel, _: rel)
        yield (
            at("RBP", k),
            "rbp_gain=normalised",
            rbp_of(k, Fraction(4, 5), lambda rel, q: Fraction(rel, max(q.judged))),
        )
    for k in (1, 3, 9):
        yield f"Judged@{k}", "judged_denominator=k", lambda q, k=k: Fraction(sum(r is not None for r in q.rels[:k]), k)
        yield f"P(rel=2)@{k}", "", lambda q, k=k: Fraction(q.hits(k, 2), k)
        yield f"F@{k}", "", f_of(k, Fraction(1), squared=True)
        yield f"F(beta=0.1)@{k}", "", f_of(k, Fraction(1, 10), squared=True)
        yield f"F(beta=2)@{k}", "f_weight=beta", f_of(k, Fraction(2), squared=False)
    for k, gain, discount in product((None, 1, 3, 9), GAINS, DISCOUNTS):
        yield at("DCG", k), f"gain={gain} discount={discount}", dcg_of(k, gain, discount)
    ideals = product(("judged", "given", "retrieved", "max-gain"), ("k", "min-k-n", "never"))
    for k, gain, (ideal, cut) in product((None, 1, 3, 9), GAINS, ideals):
        yield at("nDCG", k), f"gain={gain} ideal={ideal} ideal_cut={cut}", ndcg_of(k, gain, "log2", ideal, cut)
    yield "nDCG@3", "discount=jk-2", ndcg_of(3, "linear", "jk-2", "judged", "k")
    yield "nDCG(dcg='exp-rank')@3", "", ndcg_of(3, "exp", "rank", "judged", "k")
    levels = [Fraction(level, 10) for level in range(11)]
    for name, need in (("ceil", ceil), ("trunc-09", trunc_09), ("round", lround)):
        for level in levels:
            yield f"IPrec@{float(level)}", f"recall_points={name}", iprec_of(level, need)
        yield "IAP", f"recall_points={name}", lambda q, n=need: mean(iprec_of(level, n)(q) for level in levels)
    yield "Rprec", "", lambda q: Fraction(q.hits(q.total()), q.total())
    yield "SetP", "", p_of(None, "k")
    yield "SetR", "", r_of(None, "R")
    yield "SetF", "", f_of(None, Fraction(1), squared=True)
    yield "SetF(beta=0.5)", "f_weight=beta", f_of(None, HALF, squared=False)
    yield "SetAP", "", lambda q: p_of(None, "k")(q) * r_of(None, "R")(q)
    yield "Bpref", "", bpref
    yield "infAP", "", inf_ap(Fraction(1, 100_000))
    yield "infAP", "infap_epsilon=0", inf_ap(Fraction(0))
    yield "AUC", "", auc
    yield "RankingLoss", "", ranking_loss
    yield "LRAP", "", ap_of(None, "hits")
    yield "CoverageError", "", lambda q: Fraction(max(i for i in q.ranks if q.hit_at(i)))
    yield "NumQ", "", lambda _: Fraction(1)
    yield "NumRet", "", lambda q: Fraction(len(q.rels))
    yield "NumRet(rel=2)", "", lambda q: Fraction(q.hits(None, 2))
    yield "NumRel(rel=2)", "", lambda q: Fraction(q.total(2))


GRID = list(grid())


def same(ours: Value, theirs: object) -> bool:
    if isinstance(theirs, type(mp.mpf(0))):
        sign, mantissa, exponent, _ = theirs._mpf_
        exact = (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent
        return ours is not None and abs(ours - exact) <= CLOSE * abs(exact)
    return ours == theirs


def name_of(measure: str) -> str:
    return measure.partition("@")[0].partition("(")[0]


@pytest.mark.parametrize("name", dict.fromkeys(name_of(measure) for measure, _, _ in GRID))
def test_a_measure_is_its_formula(name: str) -> None:
    own = [(measure, spec, naive) for measure, spec, naive in GRID if name_of(measure) == name]

    @given(untied())
    def law(query: Query) -> None:
        for measure, spec, naive in own:
            ours, theirs = value(measure, query, spec), naive(plain(query))
            assert same(ours, theirs), f"{measure} [{spec}] is {ours}, and by the second formula {theirs}"

    law()


def test_every_measure_has_a_naive_implementation() -> None:
    missing = {*MEASURES} - {name_of(measure) for measure, _, _ in GRID}
    assert not missing, f"write a second formula of {', '.join(missing)} in grid() in this file"


# -- edges ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "doc", "expected"), [("0", "x", None), ("0.1", "x", None), ("0.1", "a", 0)])
def test_interpolated_precision_without_relevant_documents_follows_trec_eval(
    level: str, doc: str, expected: int | None
) -> None:
    query = Query(run_of(doc), judged_as(a=0))
    assert value(f"IPrec(judged_only=True)@{level}", query, "trec_eval-9") == expected


def test_graded_measures_have_no_relevance_threshold() -> None:
    half = Query(run_of("a"), judged_as(a=0.5))
    assert value("ERR", half, "err_max=probability norel=nan") == HALF
    assert value("ERR", Query(run_of("a"), judged_as(a=0)), "norel=nan") is None
    assert value("RBP", half, "norel=nan") is None
    assert value("RBP", half, "norel=nan rbp_gain=grade") == Fraction(1, 10)


def test_ratios_of_counts_have_a_pooled_mean() -> None:
    pooled = {"P", "R", "F", "Rprec", "SetP", "SetR", "SetF", "Judged"}
    assert {name for name, definition in MEASURES.items() if definition.is_ratio} == pooled


@given(untied())
def test_a_cutoff_beyond_the_ranking_changes_nothing(query: Query) -> None:
    n = len(query.rows)
    for name in ("AP", "R", "RR", "Success", "DCG", "CG", "ERR", "RBP", "Judged"):
        assert value(f"{name}@{n}", query) == value(f"{name}@{n + 5}", query) == value(name, query)


@given(untied())
def test_the_mean_of_one_query_is_its_value(query: Query) -> None:
    for name in MEASURES:
        measure = {"F": "F@2", "IPrec": "IPrec@0.5"}.get(name, name)
        result = answer(measure, query, "allrel=0")
        assert result.mean == result.per_query["q"]
