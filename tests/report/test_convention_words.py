"""The words for axes and values, and a library in one sentence of them."""

from collections import Counter
from dataclasses import replace

import pytest

from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.report.convention_words import clause, common_first, label, leading, phrase, sentence, word
from rankproof.workers.subjects import Subject


def of(key: str = "nDCG@k", **values: str) -> Fingerprint:
    axes = {axis: AxisFinding(axis, value, "", "", {}) for axis, value in values.items()}
    return Fingerprint(Subject("lib", "v", "1"), key, STANDARD, axes, 1, 1, (), "")


# -- the words ---------------------------------------------------------------------------------------------------------


def test_common_axes_come_first_and_labels_are_short() -> None:
    assert common_first(["ids", "gain", "ties"]) == ["ties", "gain", "ids"]
    assert sorted(common_first(AXES)) == sorted(AXES)
    assert all(len(axis.label) <= 16 for axis in AXES.values())


def test_no_two_values_of_an_axis_have_the_same_words() -> None:
    for name, axis in AXES.items():
        for said in (word, phrase, clause):
            counts = Counter(said(name, value) for value in axis.values)
            # A query that leaves the mean and one that is left out are the same; no axis has both.
            assert [text for text, count in counts.items() if count > 1] == [], name


def test_labels_tell_the_rows_apart() -> None:
    assert len({label(axis) for axis in AXES}) == len(AXES)


# -- the sentence ------------------------------------------------------------------------------------------------------


def test_a_sentence_is_made_of_what_was_proved() -> None:
    sklearn = of(
        gain="linear",
        ties="expectation",
        known="retrieved",
        ideal="judged",
        norel="0",
        single="rejected",
        order="score",
        score="f64",
    )
    text = sentence(sklearn, "scikit-learn")
    assert text.startswith(
        "scikit-learn, nDCG@k: it averages over all orders of tied documents; its gain is the grade; "
    )
    assert text.endswith("; it raises an exception for rankings of a single document.")
    assert "its ideal ranking uses all documents it receives" in text
    assert sentence(of("AP", ap_denominator="hits", ties="worst"), "lib").startswith(
        "lib, AP: it ranks tied documents in the worst order; "
    )


def test_of_twelve_choices_nine_are_told_and_the_rest_is_counted() -> None:
    many = of(
        gain="exp",
        ties="best",
        ideal="given",
        norel="1",
        single="rejected",
        missing="dropped",
        negative="as-is",
        score="f32",
        short="rejected",
        grades="binary",
        ids="text",
        extra="0",
    )
    assert (sentence(many, "lib").count(";"), sentence(many, "lib").rpartition("; ")[2]) == (9, "and 3 more.")


def test_of_several_ways_of_a_library_the_first_is_told() -> None:
    names = ("b", "a", "c")
    ways = [replace(found, subject=Subject("lib", name, "1")) for found in (of("AP"), of("P@k")) for name in names]
    assert leading(ways) is ways[0]
    assert leading(ways[::-1]) is ways[2]
    assert leading([*ways[3:], *ways[1:3]]) is ways[1]


@pytest.mark.parametrize(
    ("axis", "value", "key"),
    [
        ("ties", "docid-desc", "descending"),
        ("ties", "docid-asc", "ascending"),
        ("ties", "input-reversed", "reverse input order"),
        ("ties", "last-rank", "last rank"),
        ("ties", "best", "best order"),
        ("ties", "worst", "worst order"),
        ("ideal", "given", "retrieved documents"),
        ("ideal", "retrieved", "within the cutoff"),
        ("ideal", "max-gain", "the highest gain at every rank"),
        ("ap_denominator", "min-k-R", "min(k, R)"),
        ("ap_denominator", "min-k-R-n", "min(k, R, n)"),
        ("ap_denominator", "hits", "hits"),
        ("norel", "0", "0"),
        ("norel", "1", "1"),
        ("norel", "nan", "undefined"),
        ("unretrieved", "appended", "ranked last"),
        ("negative", "as-is", "negative gain"),
    ],
)
def test_a_cell_and_a_sentence_say_the_same_of_a_value(axis: str, value: str, key: str) -> None:
    assert key in word(axis, value)
    assert key in clause(axis, value)


def test_the_ideal_ranking_depends_on_the_known_judgments() -> None:
    assert {word("ideal", value, "retrieved") for value in ("judged", "given")} == {"all documents it receives"}
    assert word("ideal", "judged", "") == "all documents whose grade it knows"
    assert word("gain", "map:0=1") == "0 -> 1"
