"""What the reference says besides values: tied docs, what a profile leaves open, the keys of a measure, and texts."""

import pytest

from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import keys_of, parse
from rankproof.reference_impl.profiles import EVERY, Profile
from rankproof.reference_impl.ranking import Judgment, QueryRow, tie_groups
from rankproof.reference_impl.shown import LONGEST, did_you_mean, first_of, shortened


@pytest.mark.parametrize(
    ("measure", "keys"),
    [
        ("P(rel=2)@5", ["P(rel=2)@5", "P(rel=2)@k", "P(rel=2)", "P@k", "P", "*"]),
        ("AP(rel=2)", ["AP(rel=2)", "AP", "*"]),
        ("AP", ["AP", "*"]),
        ("IPrec@0.5", ["IPrec@0.5", "IPrec@k", "IPrec", "*"]),
        ("nDCG@10", ["nDCG@10", "nDCG@k", "nDCG", "*"]),
    ],
)
def test_the_keys_of_a_measure_are_those_that_fit_it_and_no_others(measure: str, keys: list[str]) -> None:
    assert list(keys_of(parse(measure))) == keys


def test_docs_that_conventions_remove_are_tied_with_none() -> None:
    rows, judgments = [QueryRow("a", 1.0), QueryRow("b", 1.0), QueryRow("c", 2.0)], [Judgment("a", 0), Judgment("b", 1)]
    assert tie_groups(rows, judgments, STANDARD.replace(ties="best", unjudged="removed")) == [["a", "b"]]
    assert tie_groups(rows, judgments, STANDARD.replace(ties="best")) == [["c"], ["a", "b"]]
    assert tie_groups(rows, judgments, STANDARD.replace(unjudged="removed")) == [["b"], ["a"]]


def test_what_is_changed_is_open_no_more_whatever_the_value_looks_like() -> None:
    of = Profile({EVERY: STANDARD}, open={EVERY: {"gain": ("exp", "linear"), "ties": ("best", "worst")}})
    changed = of.changed("gain=map:1=1,2=5")
    assert changed.undecided(parse("nDCG@10")) == {"ties": ("best", "worst")}
    assert changed.conventions(parse("nDCG@10")).gain == "map:1=1,2=5"


def test_a_text_is_cut_where_it_is_longer_than_there_is_room() -> None:
    assert shortened("d" * LONGEST) == "d" * LONGEST
    assert shortened("d" * (LONGEST + 1)) == f"{'d' * LONGEST}… (81 characters)"
    assert shortened(1.5, 2) == "1.… (3 characters)"


def test_where_no_name_is_near_those_are_told_that_are_listed() -> None:
    assert did_you_mean("xyz", ["standard", "other"], ["standard"]) == "known are standard"
    assert did_you_mean("xyz", ["standard", "other"]) == "known are standard, other"
    assert did_you_mean("STANDART", ["standard", "Standard"], []) == "did you mean standard?"
    told = did_you_mean("xyz", [], [f"name{i:02}" for i in range(50)], "rankproof names")
    assert told.endswith(", name14 and 35 more, by `rankproof names`")
    assert first_of([]) == ""
