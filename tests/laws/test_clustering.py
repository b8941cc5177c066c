"""The measures of labelings against brute force: pairs counted one by one, entropies, all permutations."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import labelings

from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.clustering.mutual_information import expected_mutual_information
from rankproof.reference_impl.contingency import Contingency, LengthsDiffer
from rankproof.reference_impl.evaluation import Value, compare_labelings
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile

mp = mpmath.mp.clone()
mp.dps = 60
CLOSE = Fraction(1, 10**45)
AVERAGES = ("min", "geometric", "arithmetic", "max")

Labels = Sequence[object]
Pair = tuple[list[int], list[int]]


def score(measure: str, true: Labels, predicted: Labels, spec: str = "") -> Value:
    return compare_labelings(parse(measure), true, predicted, profile(spec))


def close(ours: Value, theirs: mpmath.mpf) -> bool:
    sign, mantissa, exponent, _ = mp.mpf(theirs)._mpf_
    exact = (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent
    return ours is not None and abs(ours - exact) <= CLOSE


# -- pairs ------------------------------------------------------------------------------------------------------


def pairs(true: Labels, predicted: Labels) -> Counter[tuple[bool, bool]]:
    """Count the pairs by whether each labeling puts them together."""
    items = combinations(range(len(true)), 2)
    return Counter((true[i] == true[j], predicted[i] == predicted[j]) for i, j in items)


@given(labelings(least=2))
def test_the_measures_of_pairs_count_them(two: Pair) -> None:
    counted = pairs(*two)
    a, b, c, d = (counted[key] for key in ((True, True), (True, False), (False, True), (False, False)))
    assert score("Rand", *two) == Fraction(a + d, counted.total())
    below = (a + b) * (b + d) + (a + c) * (c + d)
    expected = Fraction(2 * (a * d - b * c), below) if below else None
    assert score("ARI", *two, "degenerate=nan") == expected
    if a + b or a + c:
        product = mp.mpf((a + b) * (a + c))
        assert close(score("FMI", *two), a / mp.sqrt(product) if product else mp.mpf(0))
    else:
        assert score("FMI", *two, "degenerate=nan") is None


# -- information ------------------------------------------------------------------------------------------------


def entropy(labels: Labels) -> mpmath.mpf:
    shares = [mp.mpf(count) / len(labels) for count in Counter(labels).values()]
    return -mp.fsum(share * mp.log(share) for share in shares)


def information(true: Labels, predicted: Labels) -> mpmath.mpf:
    return entropy(true) + entropy(predicted) - entropy(list(zip(true, predicted, strict=True)))


def average(name: str, first: mpmath.mpf, second: mpmath.mpf) -> mpmath.mpf:
    means = {"min": min(first, second), "geometric": mp.sqrt(first * second), "max": max(first, second)}
    return means.get(name, (first + second) / 2)


def several(labels: Labels) -> bool:
    return len(set(labels)) > 1


@given(labelings(least=1))
def test_mutual_information_homogeneity_completeness_and_v_follow_from_entropies(two: Pair) -> None:
    assert close(score("MI", *two), information(*two))
    h = information(*two) / entropy(two[0]) if several(two[0]) else mp.mpf(1)
    c = information(*two) / entropy(two[1]) if several(two[1]) else mp.mpf(1)
    assert close(score("Homogeneity", *two), h)
    assert close(score("Completeness", *two), c)
    for beta in ("0.1", "1", "2"):
        b = mp.mpf(beta)
        below = b * h + c
        assert close(score(f"V(beta={beta})", *two), (1 + b) * h * c / below if below > CLOSE else mp.mpf(0))


@given(labelings(least=1))
def test_normalised_mutual_information_divides_by_the_mean_entropy(two: Pair) -> None:
    for name in AVERAGES:
        below = average(name, *map(entropy, two))
        if several(two[0]) or several(two[1]):
            assert close(score(f"NMI(average={name!r})", *two), information(*two) / below if below else mp.mpf(0)), name
        else:
            assert score(f"NMI(average={name!r})", *two, "degenerate=nan") is None, name


def expected_information(true: Labels, predicted: Labels) -> mpmath.mpf:
    """Return the mean mutual information over all permutations, by brute force."""
    orders = list(permutations(predicted))
    return mp.fsum(count * information(true, order) for order, count in Counter(orders).items()) / len(orders)


@given(labelings(least=1))
def test_expected_mutual_information_is_the_mean_over_all_permutations(two: Pair) -> None:
    assert close(expected_mutual_information(Contingency.of(*two)), expected_information(*two))


@given(labelings(least=2, most=5), st.sampled_from(AVERAGES))
def test_adjusted_mutual_information_subtracts_the_expected_information(two: Pair, name: str) -> None:
    expected = expected_information(*two)
    room = average(name, *map(entropy, two)) - expected
    ours = score(f"AMI(average={name!r})", *two, "degenerate=nan")
    if ours is None:
        assert len(set(two[0])) == len(set(two[1])) in {1, len(two[0])}
    else:
        assert close(ours, (information(*two) - expected) / room if abs(room) > mp.mpf("1e-40") else mp.mpf(0))


# -- degenerate labelings ---------------------------------------------------------------------------------------

ALONE, TOGETHER, HALVES, NONE = "abcd", "aaaa", "aabb", ""

BUT_MI = {*CLUSTERINGS} - {"MI"}
DEGENERATE: dict[tuple[str, str], set[str]] = {
    (TOGETHER, TOGETHER): {"ARI", "Homogeneity", "Completeness", "V", "NMI", "AMI"},
    (ALONE, ALONE): {"ARI", "FMI", "AMI"},
    (TOGETHER, ALONE): {"Homogeneity"},
    (ALONE, TOGETHER): {"Completeness"},
    (TOGETHER, HALVES): {"Homogeneity"},
    (HALVES, HALVES): set(),
    (HALVES, ALONE): set(),
    (NONE, NONE): BUT_MI,
    ("a", "b"): BUT_MI,
}


@pytest.mark.parametrize(("true", "predicted"), DEGENERATE)
def test_degenerate_labelings_follow_the_convention(true: str, predicted: str) -> None:
    names = {*CLUSTERINGS} - {"V"}
    assert {name for name in names if score(name, true, predicted, "degenerate=nan") is None} == (
        DEGENERATE[true, predicted] - {"V"}
    )
    for name in DEGENERATE[true, predicted]:
        assert score(name, true, predicted) == 1
        assert score(name, true, predicted, "degenerate=0") == 0


def test_v_follows_the_convention_of_its_parts() -> None:
    assert score("V", TOGETHER, HALVES) == 0
    assert score("V", TOGETHER, TOGETHER, "degenerate=0") == 0
    assert score("V", TOGETHER, HALVES, "degenerate=nan") is None
    assert score("V", HALVES, HALVES, "degenerate=nan") == 1


def test_v_with_beta_0_is_degenerate_if_completeness_is_0() -> None:
    """Homogeneity is 1 and completeness 0, so that the formula is 0/0 if completeness has no weight."""
    assert [score("V(beta=0)", TOGETHER, HALVES, f"degenerate={v}") for v in ("1", "0", "nan")] == [1, 0, None]
    assert [score(f"V(beta={b})", TOGETHER, HALVES) for b in (0.5, 1, 2)] == [0, 0, 0]


def test_labelings_of_different_length_are_refused() -> None:
    with pytest.raises(LengthsDiffer, match="The labelings differ in length: 2 items with a class, 1 with a cluster"):
        score("Rand", "ab", "a")


@given(labelings(), st.sampled_from([*CLUSTERINGS, "V(beta=2)"]))
def test_labels_may_be_anything_that_compares(two: Pair, measure: str) -> None:
    assert score(measure, *two) == score(measure, *([(label, "x") for label in labels] for labels in two))
