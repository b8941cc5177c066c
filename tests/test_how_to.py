"""What the pages for recommendations and for language models say of names is so, on data as they have it."""

import re
from math import log2
from pathlib import Path

import pytest

import rankproof
from rankproof.meaning.measure_names import measure_called
from rankproof.reference_impl.conventions import AXES

HOW_TO = Path(__file__).resolve().parent.parent / "docs" / "how-to"
ITEMS = ["i4", "i9", "i1", "i7", "i2"]
HELD_OUT = {"u1": "i9", "u2": "i4", "u3": "i8", "u4": "i2"}
RANKS = {"u1": 2, "u2": 1, "u3": None, "u4": 5}
RANKED = dict.fromkeys(HELD_OUT, ITEMS)
NAMES = [
    (name, meant)
    for page in ("recommendations", "retrieval-for-language-models")
    for cells in re.findall(r"^\| ([^|`]+) \| ([^|]*`[^|]*) \|", (HOW_TO / f"{page}.md").read_text(encoding="utf-8"), re.MULTILINE)
    for name in re.findall(r"[\w ]+@k(?! of one)|hit rate", cells[0])
    for meant in re.findall(r"`([A-Za-z]+@?k?)`", cells[1])[:1]
]  # fmt: skip


@pytest.mark.parametrize(("name", "meant"), NAMES)
def test_a_name_of_other_tools_is_read_as_the_page_says(name: str, meant: str) -> None:
    asked = name.strip().replace(" ", "_").replace("@k", "@3")
    assert str(measure_called(asked)).partition("@")[0] == meant.partition("@")[0]


def test_the_tables_have_rows() -> None:
    assert len(NAMES) > 6


@pytest.mark.parametrize("k", [1, 2, 3, 5, 10])
def test_with_one_relevant_item_each_measure_is_a_function_of_its_rank(k: int) -> None:
    within = {user: rank is not None and rank <= k for user, rank in RANKS.items()}
    expected = {
        "Success": {user: float(hit) for user, hit in within.items()},
        "R": {user: float(hit) for user, hit in within.items()},
        "RR": {user: 1 / (RANKS[user] or 1) * hit for user, hit in within.items()},
        "nDCG": {user: 1 / log2(1 + (RANKS[user] or 1)) * hit for user, hit in within.items()},
    }
    for measure, values in expected.items():
        found = rankproof.evaluate(f"{measure}@{k}", HELD_OUT, RANKED).per_query[f"{measure}@{k}"]
        assert found == pytest.approx(values), measure
    for divisor in AXES["ap_denominator"].values:
        found = rankproof.evaluate(f"AP@{k}", HELD_OUT, RANKED, profile=f"ap_denominator={divisor}")
        by_rank = found.per_query[f"AP@{k}"] == pytest.approx(expected["RR"])
        assert by_rank is (k == 1 or divisor not in {"k", "mean-p"}), divisor


def test_context_precision_that_divides_by_the_hits_is_ap_by_the_hits() -> None:
    flags, relevant = [0, 1, 0, 1, 1], {"q": ["i9", "i7", "i2", "i0"]}
    precisions = [sum(flags[:i]) / i for i, flag in enumerate(flags, start=1) if flag]
    by_hits = rankproof.evaluate("AP@5", relevant, {"q": ITEMS}, profile="ap_denominator=hits")
    assert by_hits.mean["AP@5"] == pytest.approx(sum(precisions) / sum(flags))
    assert rankproof.evaluate("AP@5", relevant, {"q": ITEMS}).mean["AP@5"] == pytest.approx(sum(precisions) / 4)
