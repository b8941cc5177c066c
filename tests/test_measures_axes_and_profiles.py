"""`rankproof measures`, `axes` and `profiles` list what there is, and say of one all that is to be said."""

import json
import re

import click
import pytest
from click.testing import CliRunner, Result

from rankproof.asking.subjects import Subject, names_of
from rankproof.cli import Verbs, cli
from rankproof.evaluating.library_profiles import profile_named, published
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.meaning.equivalent_choices import can_matter
from rankproof.meaning.measure_forms import named
from rankproof.meaning.signatures import axes_of
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import PROFILES
from rankproof.telling import axis_text
from rankproof.text import COLUMNS


def asked(verb: str, *arguments: str) -> Result:
    command = Verbs().get_command(None, verb)  # type: ignore[arg-type]
    assert command is not None
    return CliRunner().invoke(command, arguments, standalone_mode=False)


def said(verb: str, *arguments: str) -> str:
    done = asked(verb, *arguments)
    assert done.exception is None
    return done.stdout


@pytest.mark.parametrize(
    "asked_for",
    [
        ("measures",), ("axes",), ("profiles",), ("measures", "nDCG@10"), ("axes", "gain"), ("profiles", "notebook-binary"),
        ("profiles", "sklearn/rows"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_is_said_fits_a_terminal(asked_for: tuple[str, ...]) -> None:
    lines = said(*asked_for).splitlines()
    assert [line for line in lines if len(line) > COLUMNS] == []
    assert len(lines) > 4


def test_a_measure_is_written_with_the_cutoff_that_it_takes() -> None:
    written = {one["name"]: one["notation"] for one in json.loads(said("measures", "--json"))}
    assert {name: written[name] for name in ("nDCG", "F", "IPrec", "ARI", "SetP")} == {
        "nDCG": "nDCG[@k]", "F": "F@k", "IPrec": "IPrec@recall", "ARI": "ARI", "SetP": "SetP",
    }  # fmt: skip


def test_all_measures_are_told_beside_a_column_as_wide_as_the_longest_of_them() -> None:
    notations = [one["notation"] for one in json.loads(said("measures", "--json"))]
    lines = [line for line in said("measures").splitlines() if line[2:].split(" ")[0] in notations]
    assert len(lines) == len(notations)
    assert {line[2 : len(max(notations, key=len)) + 4].rstrip() for line in lines} == {*notations}


@pytest.mark.parametrize(
    ("value", "meaning"),
    [
        ("ties=docid-desc", "by docid, descending, compared as UTF-8 bytes, as in `standard`\n"),
        ("gain=exp", "2^rel - 1\n"),
        ("missing=dropped", "nothing: it leaves the mean\n"),
    ],
)
def test_a_value_is_told_by_its_meaning_and_not_by_the_words_that_a_sentence_has_for_it(
    value: str, meaning: str
) -> None:
    assert f"\n{value}: {meaning}" in said("axes", value.partition("=")[0])


def test_an_axis_names_every_value_and_who_was_proved_to_follow_it() -> None:
    text, forms = said("axes", "ties"), [one for each in published().values() for one in each]
    for value in AXES["ties"].values:
        assert f"\nties={value}: " in text
    proved = axis_text.followers("ties", forms)
    called = names_of(published())
    worst = {called[one.subject] for one in forms if (found := one.axes.get("ties")) and found.value == "worst"}
    assert {library for library, others in proved["worst"]} == worst
    alone = said("axes", "ties=worst")
    assert "ties=worst" in alone
    assert "ties=best" not in alone


def test_a_choice_that_nothing_decided_is_nobodys() -> None:
    forms, called = [one for each in published().values() for one in each], names_of(published())
    for axis in AXES:
        told = axis_text.followers(axis, forms)
        undecided = {(called[one.subject], one.key) for one in forms if axis in one.undecided}
        assert not undecided & {
            (library, key) for who in told.values() for (library, _), keys in who.items() for key in keys
        }


def test_what_can_matter_to_a_measure_is_so_in_both_lists() -> None:
    for axis in AXES:
        for name in axis_text.measures_of(axis):
            assert axis in axes_of(named(name))
    for name in [*MEASURES, *CLUSTERINGS]:
        assert {axis for axis in AXES if name in axis_text.measures_of(axis)} == set(can_matter(named(name)))
    for name in ("SetF", "NumRel", "SetR"):  # they never look at the order
        assert {"order", "ties", "score"}.isdisjoint(can_matter(named(name)))


@pytest.mark.parametrize(
    ("library", "key"),
    [("sklearn/rows", "CoverageError"), ("trectools/frame", "Bpref"), ("ir_measures/trectools", "Bpref")],
)
def test_what_nothing_decided_of_a_library_is_said_to_be_so(library: str, key: str) -> None:
    text, profile = said("profiles", library), profile_named(library)
    part = next(part for part in text.split("\n\n") if part.startswith(f"{key}:"))
    assert "undetermined: " in part
    told = re.findall(r"([a-z_]+)(?: \(([^)]+)\))?(?:, |$)", " ".join(part.partition("undetermined: ")[2].split()))
    assert {axis: tuple(values.split(" or ")) if values else () for axis, values in told} == dict(profile.open[key])
    assert not any(f"{axis}=" in part for axis, _ in told)


@pytest.mark.parametrize(
    ("verb", "name"), [("measures", "ndgc@10"), ("axes", "tiez"), ("axes", "ties=wurst"), ("profiles", "nobody")]
)
def test_what_there_is_not_is_one_line(verb: str, name: str) -> None:
    done = asked(verb, name)
    assert isinstance(done.exception, ValueError)
    assert "\n" not in str(done.exception)


def test_the_example_of_a_form_is_of_that_form() -> None:
    for axis in AXES.values():
        assert bool(axis.example) is bool(axis.pattern)
        if axis.example:
            assert axis.example not in axis.values
            axis.check(axis.example)
            assert axis.phrase(axis.example)


def test_a_verb_that_there_is_not_is_answered_by_the_nearest() -> None:
    with pytest.raises(click.UsageError, match=r"^explan is no verb; did you mean explain\?$"):
        cli.main(["explan", "--html", "x"], standalone_mode=False)


# -- each sentence by what it is of -------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", AXES)
def test_the_value_of_standard_and_no_other_is_said_to_be_standards(axis: str) -> None:
    flat = " ".join(said("axes", axis).split())
    for value, meaning in AXES[axis].values.items():
        assert (f"{axis}={value}: {meaning}, as in `standard`" in flat) is (value == AXES[axis].default)


def test_how_many_forms_are_left_out_is_how_many_there_are() -> None:
    forms = [one for each in published().values() for one in each]
    for axis in ("ties", "negative", "missing"):
        flat = " ".join(said("axes", axis).split())
        for who in axis_text.followers(axis, forms).values():
            for (library, others), keys in who.items():
                more = f" and {len(keys) - axis_text.SOME} more" if len(keys) > axis_text.SOME else ""
                head = f"{library}{axis_text.could_as_well(others)}: {', '.join(keys[: axis_text.SOME])}{more}"
                assert head in flat, head


@pytest.mark.parametrize("name", ["nDCG@10", "AP", "RBP", "ARI"])
def test_a_measure_says_the_meaning_of_what_standard_takes_its_parameters_and_its_other_names(name: str) -> None:
    text = " ".join(said("measures", name).split())
    measure = parse(name)
    for axis in can_matter(measure):
        assert f"{axis} {AXES[axis].default}: {AXES[axis].values[AXES[axis].default]}" in text
    known = MEASURES.get(measure.name) or CLUSTERINGS[measure.name]
    for param, taken in known.params.items():
        default = "optional" if taken.default is None else f"{taken.default!r} where it is not given"
        assert f"parameter {param}, {default}" in text


def test_a_profile_that_differs_by_measure_says_for_which() -> None:
    text = " ".join(said("profiles").split())
    several = {name: profile for name, profile in PROFILES.items() if profile.single is None}
    assert several
    for name, profile in several.items():
        others = ", ".join(key for key in profile.of if key != "*")
        assert f"{name} {profile.of['*'].spec()}; others for {others}" in text


def test_each_choice_of_a_profile_is_said_by_its_own_meaning() -> None:
    text = " ".join(said("profiles", "trec_eval-9").split())
    for axis, value in STANDARD.differences(PROFILES["trec_eval-9"].of["*"]).items():
        assert f"{axis}={value}: {AXES[axis].meaning(value)}" in text


def test_a_value_that_only_a_library_has_is_told_and_how_others_are_written_only_beside_all_of_them() -> None:
    subject = Subject("ada", "", "1")
    found = [
        Fingerprint(subject, "DCG@k", STANDARD, {"gain": AxisFinding("gain", "map:1=3", "", "", {})}, 1, 1, (), "")
    ]
    every, of_one = ("\n".join(axis_text.details("gain", value, found)) for value in ("", "exp"))
    assert "gain=map:1=3: " in every
    assert ": DCG@k" in every.partition("gain=map:1=3: ")[2]
    assert ("Other values are written as gain=" in every, "Other values are written as" in of_one) == (True, False)


def test_the_bounds_of_a_measure_are_of_usual_rels_and_those_of_labelings_of_all() -> None:
    assert "from 0 to 1, of rels 0 to 4 by `standard`" in said("measures", "P@10")
    assert "from -0.5 to 1\n" in said("measures", "ARI")


def test_what_holds_of_every_measure_is_told_as_that() -> None:
    assert said("profiles", "trec_eval-9").splitlines()[:3] == ["trec_eval-9", "", "every measure:"]
