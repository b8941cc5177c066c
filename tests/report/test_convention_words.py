"""Words for axes and values, and one sentence about a library in these words."""

from collections import Counter
from dataclasses import replace

from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.report.convention_words import clause, common_first, label, leading, phrase, sentence, word
from rankproof.workers.subjects import Subject

SKLEARN = {"gain": "linear", "ties": "expectation", "known": "retrieved", "ideal": "judged", "single": "rejected"}
TWELVE = {"gain": "exp", "ties": "best", "ideal": "given", "norel": "1", "single": "rejected", "missing": "dropped"}
TWELVE |= {"negative": "as-is", "score": "f32", "short": "rejected", "grades": "binary", "ids": "text", "extra": "0"}


def fingerprint(key: str = "nDCG@k", **values: str) -> Fingerprint:
    axes = {axis: AxisFinding(axis, value, "", "", {}) for axis, value in values.items()}
    return Fingerprint(Subject("lib", "v", "1"), key, STANDARD, axes, 1, 1, (), "")


def test_common_axes_come_first_and_labels_are_short_and_unique() -> None:
    assert common_first(["ids", "gain", "ties"]) == ["ties", "gain", "ids"]
    assert sorted(common_first(AXES)) == sorted(AXES)
    assert all(len(axis.label) <= 16 for axis in AXES.values())
    assert len({label(axis) for axis in AXES}) == len(AXES)


def test_values_of_an_axis_have_different_words() -> None:
    for name, axis in AXES.items():
        for in_words in (word, phrase, clause):
            counts = Counter(in_words(name, value) for value in axis.values)
            assert [text for text, count in counts.items() if count > 1] == [], name


def test_words_of_the_ideal_ranking_depend_on_the_known_judgments() -> None:
    assert {word("ideal", value, "retrieved") for value in ("judged", "given")} == {"all documents it receives"}
    assert word("ideal", "judged", "") == "all documents whose grade it knows"
    assert word("gain", "map:0=1") == "0 -> 1"


def test_sentence_has_the_proved_conventions_in_order() -> None:
    text = sentence(fingerprint(**SKLEARN), "scikit-learn")
    assert text.startswith(
        "scikit-learn, nDCG@k: it averages over all orders of tied documents; its gain is the grade; "
    )
    assert text.endswith("; it raises an exception for rankings of a single document.")
    assert "its ideal ranking uses all documents it receives" in text


def test_sentence_has_at_most_nine_conventions_and_counts_the_others() -> None:
    text = sentence(fingerprint(**TWELVE), "lib")
    assert (text.count(";"), text.rpartition("; ")[2]) == (9, "and 3 more.")


def test_leading_fingerprint_is_the_first_of_the_most_common_form() -> None:
    forms = fingerprint("AP"), fingerprint("P@k")
    prints = [replace(form, subject=Subject("lib", name, "1")) for form in forms for name in "bac"]
    assert leading(prints) is prints[0]
    assert leading(prints[::-1]) is prints[2]
    assert leading([*prints[3:], *prints[1:3]]) is prints[1]
