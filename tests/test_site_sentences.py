"""A library in one sentence: every clause is a fact of its fingerprint, and no fact that a sentence always tells is left out."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import published_run
import pytest
from click.testing import CliRunner

from rankproof.asking.subjects import Subject
from rankproof.commands.fingerprint import command
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.telling.library_sentence import ALWAYS, leading, sentence
from rankproof.telling.plain_words import CLAUSES, GROUPS, LABELS, WORDS, clause, label, rows, word

PUBLISHED = published_run.fingerprints()


def finding(axis: str, value: str | None, same: tuple[str, ...] = ()) -> AxisFinding:
    return AxisFinding(axis, value, "", "", {}, () if value else ("a", "b"), "", same)


def of(key: str = "nDCG@k", **values: str | AxisFinding | None) -> Fingerprint:
    axes = {axis: one if isinstance(one, AxisFinding) else finding(axis, one) for axis, one in values.items()}
    return Fingerprint(Subject("lib", "v", "1"), key, STANDARD, axes, 1, 1, (), "")


# -- the words ---------------------------------------------------------------------------------------------------------


def test_every_axis_has_a_row_and_every_word_is_of_a_value_that_there_is() -> None:
    assert sorted(rows()) == sorted(AXES)
    assert sum(map(len, GROUPS.values())) == len(AXES), "each once"
    assert {*rows().values()} == {*GROUPS}
    assert LABELS.keys() == {*AXES}
    for axis, words in WORDS.items():
        assert words.keys() <= {*AXES[axis].values}, axis
    for axis, value in CLAUSES:
        assert value in AXES[axis].values, (axis, value)


def test_no_two_values_of_an_axis_have_the_same_words() -> None:
    for name, axis in AXES.items():
        for said in (word, clause):
            counts = Counter(said(name, value) for value in axis.values)
            # A query that leaves the mean and one that is left out are the same; no axis has both.
            assert [text for text, count in counts.items() if count > 1] == [], name


def test_labels_tell_the_rows_apart() -> None:
    assert len({label(axis) for axis in AXES}) == len(AXES)


# -- the sentence ------------------------------------------------------------------------------------------------------


def test_a_sentence_is_made_of_what_was_proved() -> None:
    sklearn = of(
        gain="linear", ties="expectation", known="retrieved", ideal="judged", norel="0", single="rejected", order="score", score="f64",
    )  # fmt: skip
    assert sentence(sklearn, "scikit-learn") == (
        "scikit-learn, nDCG@k: gain is the rel; averages tied orders; never sees docs that were not retrieved; makes the ideal of all docs "
        "it is given; a query without relevant docs is 0; refuses queries of one doc."
    )
    assert sentence(of("AP", ap_denominator="hits", ties="worst", norel="dropped")) == (
        "lib, AP: takes the worst order of ties; divides by the hits; leaves out queries without relevant docs."
    )
    assert sentence(of("P@k", p_denominator="k", ties="docid-desc", mean="arithmetic")) == (
        "lib, P@k: orders ties by docid, descending; divides by k."
    )


def test_what_is_undetermined_is_told_as_that() -> None:
    assert sentence(of(gain="exp", ties=None, norel=None, single=None)) == (
        "lib, nDCG@k: gain is 2^rel - 1; undetermined: docs with the same score, query without relevant docs."
    )
    assert sentence(of(known=None, ideal="judged")) == "lib, nDCG@k: makes the ideal of all docs whose rel it knows."
    assert sentence(of(single=None)) == "lib, nDCG@k: as in standard."


def test_values_that_no_answer_tells_apart_are_all_told_or_none() -> None:
    two = of(norel=finding("norel", "dropped", ("absent-as-0",)), discount=finding("discount", "ln", ("log2",)))
    assert sentence(two) == (
        "lib, nDCG@k: leaves out queries without relevant docs (or not listed, 0 in the mean: no answer tells)."
    ), "of the discount nobody can say that it is not as in standard"


def test_no_more_is_told_than_is_read_and_the_rest_is_counted() -> None:
    many = of(
        gain="exp", ties="best", ideal="given", norel="1", single="rejected", missing="dropped", negative="as-is", score="f32",
        short="rejected",
        grades="binary", ids="text", extra="0",
    )  # fmt: skip
    assert sentence(many).endswith("; and 3 more.")
    assert sentence(many).count(";") == 9
    assert sentence(many, most=None).count(";") == 11


@pytest.mark.parametrize("found", PUBLISHED, ids=lambda one: f"{one.subject.name} {one.key}")
def test_every_clause_about_a_library_is_a_fact_of_its_fingerprint(found: Fingerprint) -> None:
    said = sentence(found, most=None).partition(": ")[2].removesuffix(".")
    clauses = [text for text in said.split("; ") if not text.startswith("undetermined: ") and text != "as in standard"]
    held = facts(found)
    spoken_of = set()
    for text in clauses:
        plain = text.partition(" (or ")[0]
        assert plain in held, text
        axis, values = held[plain]
        spoken_of.add(axis)
        assert axis in ALWAYS or AXES[axis].default not in values
        assert text.count("no answer tells") == (len({word(axis, value, known(found)) for value in values}) > 1)
    decided = {axis for axis, one in found.axes.items() if one.value is not None}
    undecided = [label(axis).lower() for axis in found.axes.keys() & ALWAYS - decided]
    assert sorted(said.partition("undetermined: ")[2].split(", ") if "undetermined: " in said else []) == sorted(
        undecided
    )
    differing = {axis for axis in decided if AXES[axis].default not in found.axes[axis].could_be}
    assert spoken_of == (ALWAYS & decided) | differing


def known(found: Fingerprint) -> str:
    one = found.axes.get("known")
    return "all" if one is None else one.value or ""


def facts(found: Fingerprint) -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """What may be said of a fingerprint: each clause, with the axis and the values that the answers leave."""
    return {
        clause(axis, value, known(found)): (axis, one.could_be)
        for axis, one in found.axes.items()
        for value in one.could_be
    }


def test_a_library_is_told_by_the_measure_that_most_ask_for() -> None:
    forms = [of("AP"), of("nDCG(rel=2)@k"), of("nDCG@k"), of("P@k")]
    assert (leading(forms), leading(forms[:2]), leading(forms[1:2]), leading([])) == (
        forms[2],
        forms[0],
        forms[1],
        None,
    )


def test_of_several_ways_of_a_library_the_first_is_told() -> None:
    ways = [
        replace(found, subject=Subject("lib", name, "1")) for found in (of("AP"), of("P@k")) for name in ("b", "a", "c")
    ]
    assert leading(ways) is ways[0]
    assert leading(ways[::-1]) is ways[2]
    assert leading([*ways[3:], *ways[1:3]]) is ways[1]


def test_the_sentence_is_the_first_line_of_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.chdir(str(tmp_path))
    told = CliRunner().invoke(command, ["sklearn/rows"], catch_exceptions=False).stdout
    assert told.startswith("sklearn/rows, nDCG@k: gain is the rel; averages tied orders; never sees docs")
    assert "\nsklearn/rows 1.9.1\n" in told


@pytest.mark.parametrize(
    ("axis", "value", "key"),
    [
        ("ties", "docid-desc", "descending"), ("ties", "docid-asc", "ascending"), ("ties", "input-reversed", "reverse order"),
        ("ties", "last-rank", "last rank"), ("ties", "best", "best order"), ("ties", "worst", "worst order"),
        ("gain", "binary", "1 if relevant"),
        ("ideal", "given", "docs of the run"), ("ideal", "retrieved", "docs within the cutoff"),
        ("ideal", "max-gain", "k docs of the highest gain"),
        ("ap_denominator", "min-k-R", "min(k, R)"), ("ap_denominator", "min-k-R-n", "min(k, R, n)"), ("ap_denominator", "hits", "hits"),
        ("norel", "0", "0"), ("norel", "1", "1"), ("norel", "nan", "undefined"), ("unretrieved", "appended", "last"),
        ("negative", "as-is", "negative gain"),
    ],
)  # fmt: skip
def test_a_cell_and_a_sentence_say_the_same_of_a_value(axis: str, value: str, key: str) -> None:
    assert key in word(axis, value)
    assert key in clause(axis, value)


def test_what_depends_on_what_is_known_is_said_of_judged_docs_alone_and_an_open_gain_by_its_phrase() -> None:
    assert [word("ideal", value, "") for value in ("judged", "given")] == [
        "all docs whose rel it knows",
        "docs of the run",
    ]
    assert {word("ideal", value, "retrieved") for value in ("judged", "given")} == {"all docs it is given"}
    assert word("gain", "map:0=1") == AXES["gain"].phrase("map:0=1") != "map:0=1"
    assert [word(axis, "nan") for axis in ("norel", "missing", "empty", "nohit", "allrel")] == ["undefined"] * 5
