"""What is needed in many places is said in one: escapes, short numbers, comparisons, few changes, forms of a measure, the version."""

import importlib.metadata
import math
import tomllib

import pytest
from places import ROOT
from reference_values import PlainReference

import rankproof
from rankproof.inference.reference_answers import Refused
from rankproof.inference.search import changes_that_fit
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import parse
from rankproof.terminal import say_folded
from rankproof.text import one_line, printable, short, short_pair
from rankproof.workers.observations import Answered, Failure, identical
from rankproof.workers.same_answers import alike, answers_identical, same

NAN, INF = math.nan, math.inf


def test_the_version_is_typed_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "rankproof.version.VERSION"}
    assert importlib.metadata.version("rankproof") == rankproof.__version__


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0.0000"),
        (-0.0, "0.0000"),
        (1.0, "1.0000"),
        (0.3, "0.3000"),
        (-0.25, "-0.2500"),
        (2 / 3, "0.6667"),
        (12.5, "12.5000"),
        (1e20, "1e+20"),
        (1e-13, "1e-13"),
        (-3e-5, "-3e-05"),
        (1 - 1e-16, "1.0000"),
        (1 + 4e-16, "1.0000"),
        (0.99999, "0.99999"),
        (2.00001, "2.00001"),
        (NAN, "nan"),
        (INF, "inf"),
        (-INF, "-inf"),
        (3, "3"),
        ("absent", "absent"),
        (None, "refused"),
        (-1e20, "-1e+20"),
    ],
)
def test_a_number_is_short_and_never_seems_to_be_another_whole_one(value: float | str | None, shown: str) -> None:
    assert short(value) == shown


def test_two_numbers_that_differ_never_look_the_same() -> None:
    assert short_pair(0.50001, 0.50002) == ("0.50001", "0.50002")
    assert short_pair(0.5, 0.5) == ("0.5000", "0.5000")
    assert short_pair("absent", 0.5) == ("absent", "0.5000")
    assert short_pair(None, None) == ("refused", "refused")


def test_what_does_not_print_is_shown() -> None:
    assert printable("a\nb\x1b[2J\u202e") == "a\\nb\\x1b[2J\\u202e"
    assert one_line("a \n b\x1b\udcff") == "a b\\x1b\\udcff"


def test_answers_are_the_same_or_alike_or_the_same_by_a_precision() -> None:
    assert identical(NAN, NAN)
    assert not identical(NAN, 0.0)
    assert not identical(None, 0.0)
    assert same(INF, INF, "4 decimals")
    assert not same(1e308, INF, "float32")
    assert same(1.7e308, 1.7e308 * (1 + 1e-15), "float64"), "their sum is no float"
    assert alike(1.0, 1 + 1e-7, ["float64", "float32"])
    assert not alike(1.0, 1 + 1e-7)
    assert not alike(None, 0.0)
    assert answers_identical(Failure("error", "once"), Failure("error", "again"))
    assert not answers_identical(Failure("error", "once"), Failure("crash", "once"))
    assert not answers_identical(Answered({"q": 1.0}, None), Answered({"q": 1.0, "r": 1.0}, None))
    assert not answers_identical(Answered({"q": 1.0}, None), Answered({"q": 1 + 1e-11}, None))
    assert answers_identical(Answered({"q": 1.0}, 0.3), Answered({"q": 1 + 1e-15}, 0.1 + 0.2)), (
        "threads add in any order"
    )
    assert answers_identical(Answered({"q": NAN, "r": 1.0}, NAN), Answered({"r": 1.0, "q": NAN}, NAN))


CHOICES = {"gain": ["linear", "exp", "binary"], "ties": ["input"], "score": ["f32"]}


def changes(wanted: set[str], most: int = 3) -> list[dict[str, str]]:
    """The changes under which a profile says all that is wanted."""

    def fits(conventions: Conventions) -> bool:
        return wanted <= set(conventions.spec().split())

    return [dict(change) for change in changes_that_fit(STANDARD, CHOICES, fits, most)]


def test_the_fewest_changes_come_alone() -> None:
    assert changes({"ties=input"}) == [{"ties": "input"}]
    assert changes({"ties=input", "score=f32"}) == [{"ties": "input", "score": "f32"}]
    assert changes({"ties=input", "score=f32"}, most=1) == []
    assert changes({"ties=docid-asc"}) == []


def test_a_value_that_the_profile_has_is_no_change() -> None:
    tried: list[str] = []
    list(changes_that_fit(STANDARD, CHOICES, lambda conventions: bool(tried.append(conventions.spec())), 1))
    assert tried == ["gain=exp", "gain=binary", "ties=input", "score=f32"]


def test_labelings_of_different_lengths_are_refused_under_all_conventions() -> None:
    from rankproof.cases.inputs import Input

    answers = PlainReference(Input(true=(0, 1), predicted=(0,))).answers(parse("ARI"), "standard")
    assert isinstance(answers, Refused)
    assert answers.axis == ""


def test_what_goes_on_below_stands_further_in_than_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    say_folded("  " + " ".join(["word"] * 20))
    assert capsys.readouterr().out == "  " + " ".join(["word"] * 15) + "\n    word word word word word\n"


def test_two_answers_are_one_whichever_of_them_stands_first() -> None:
    """Where they differ by just as much as the greater of them allows."""
    a, b, far = 1.0, 1.0 + 1.0000005e-6, 1.000003
    assert [alike(a, b, ("float32",)), alike(b, a, ("float32",))] == [True, True]
    assert [alike(a, far, ("float32",)), alike(far, a, ("float32",))] == [False, False]
