"""Measures and profiles are written, read and written again."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal

from rankproof.reference_impl import profiles
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, UnknownConvention
from rankproof.reference_impl.definition import Definition
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import ALIASES, UnknownMeasure, parse
from rankproof.reference_impl.profiles import EVERY, PROFILES, Profile, by_measure, conventions_of, profile

WRITTEN = {
    "nDCG@10": "nDCG@10",
    " P(rel=2)@5 ": "P(rel=2)@5",
    "P(rel=1)@5": "P(rel=1)@5",
    "P(judged_only=False)@5": "P@5",
    "P()@5": "P@5",
    "AP(judged_only=True,rel=2)": "AP(judged_only=True,rel=2)",
    "AP(rel=2, judged_only=True)": "AP(judged_only=True,rel=2)",
    "nDCG(dcg='exp-log2')@10": "nDCG(dcg='exp-log2')@10",
    'nDCG(dcg="exp-log2")@10': "nDCG(dcg='exp-log2')@10",
    "nDCG(gains={2: 3, 1: 0.5})": "nDCG(gains={1:0.5,2:3})",
    "RBP(p=0.8)": "RBP",
    "RBP(p=0.5)@3": "RBP(p=0.5)@3",
    "P@1000000": "P@1000000",
    "P@007": "P@7",
    "IPrec@0.10": "IPrec@0.1",
    "IPrec@0.0": "IPrec@0",
    "IPrec@1.0": "IPrec@1",
    "IPrec@0.00001": "IPrec@0.00001",
    "NumRet(rel=1)": "NumRet(rel=1)",
    "NumRelRet": "NumRet(rel=1)",
    "NumRelRet(rel=2)": "NumRet(rel=2)",
    "MAP@100": "AP@100",
    "SetRelP(rel=2)": "SetP(rel=2,relative=True)",
    "V(beta=2)": "V(beta=2)",
    # Within the bounds of a parameter, and just so.
    "RBP(p=0)": "RBP(p=0)",
    "RBP(p=1)": "RBP(p=1)",
    "F(beta=0)@5": "F(beta=0)@5",
    "P(rel=-1)@5": "P(rel=-1)@5",
    "NMI(average='max')": "NMI(average='max')",
    "NMI(average='arithmetic')": "NMI",
}


@pytest.mark.parametrize(("written", "printed"), WRITTEN.items())
def test_a_measure_prints_as_itself_and_parses_back(written: str, printed: str) -> None:
    measure = parse(written)
    assert str(measure) == printed
    assert parse(printed) == measure
    assert parse(measure) is measure


REFUSED = {
    "is no measure: write a name": ["", "@5", "P@", "P@-1", "P@5 x", "P@" + "9" * 5000, "x" * 1_001],
    "do not read as name=value": [
        "P(5)",
        "P(rel)",
        "P(rel=)",
        "P(rel=x)",
        "P(rel=" + "-" * 900 + "1)",
        "P(rel=" + "(" * 400 + "1" + ")" * 400 + ")",
        "P(rel=[1])",
        "P(rel=" + "[" * 150 + "]" * 150 + ")",
        "P(rel=1if 1else 2)",
        "P(rel=1)+f(rel=2)",
        "P(rel=1)(rel=2)",
        "P(rel=1))@5",
        "P(**{'rel': 1})",
        "nDCG(gains={1:2,'a':3})",
    ],
    "did you mean nDCG?": ["nCDG@10"],
    "did you mean Precision?": ["precision@10"],
    "known are AUC, RankingLoss, AP": ["ZZZZZZ"],
    "a cutoff is a whole number from 1 on": ["P@0", "P@2.5"],
    "F needs a cutoff, as in F@10": ["F"],
    "IPrec needs a recall level, as in IPrec@0.1": ["IPrec"],
    "a recall level is a number from 0 to 1": ["IPrec@1.01"],
    "Bpref has no cutoff": ["Bpref@5"],
    "NMI has no cutoff": ["NMI@5"],
    "P has no parameter cutoff; it has rel, judged_only": ["P(cutoff=5)"],
    "NumQ has no parameter rel; it has none": ["NumQ(rel=1)"],
    "rel is said twice; say it once": ["P(rel=1,rel=2)"],
    "1 is said twice; say it once": ["nDCG(gains={1:2,1:3})", "nDCG(gains={1:2,1.0:3})"],
    "… (50,008 characters)' is no measure": ["P(rel=" + "-" * 50_000 + "1)"],
    "… (904 characters) is no value of that parameter": ["nDCG(gains={1:" + "9" * 900 + "})"],
    "rel=inf is no value of that parameter": ["P(rel=1e999)"],
    "gains={1:1e-09} is no value of that parameter": ["nDCG(gains={1:1e-9})"],
    **{
        f"{said} is no value of that parameter": [f"{name}({said})"]
        for name, said in (
            ("P", "rel='high'"),
            ("P", "rel=True"),
            ("P", "judged_only=1"),
            ("F", "beta=-0.5"),
            ("RBP", "p=1.01"),
            ("RBP", "p=-0.01"),
            ("RBP", "p=True"),
            ("SetP", "relative=1"),
            ("nDCG", "dcg='log10'"),
            ("nDCG", "dcg=2"),
            ("nDCG", "gains=2"),
            ("nDCG", "gains={}"),
            ("nDCG", "gains={1:'a'}"),
            ("NMI", "average='mean'"),
            ("V", "beta='x'"),
        )
    },
}


@pytest.mark.parametrize(("written", "said"), [(written, said) for said, each in REFUSED.items() for written in each])
def test_what_is_no_measure_is_refused_in_words(written: str, said: str) -> None:
    refused = refusal(parse, written, by=UnknownMeasure)
    assert said in refused
    assert len(refused) < 500


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_is_another_name_of_a_measure(alias: str) -> None:
    assert alias not in {*MEASURES, *CLUSTERINGS}
    assert parse(alias).name in {*MEASURES, *CLUSTERINGS}


VALUES: dict[str, st.SearchStrategy[object]] = {
    "rel": st.integers(0, 5) | st.sampled_from([0.5, 1e-7]),
    "judged_only": st.booleans(),
    "relative": st.booleans(),
    "beta": st.sampled_from([0, 0.5, 1, 1.0, 2]),
    "p": st.sampled_from([0, 0.5, 0.8, 0.95]),
    "dcg": st.sampled_from(["log2", "exp-log2", "rank", "exp-rank"]),
    "gains": st.dictionaries(st.integers(-1, 4), st.sampled_from([0, 1, 0.5, 3, -2]), min_size=1),
    "average": st.sampled_from(["min", "geometric", "arithmetic", "max"]),
}


@st.composite
def measures(draw: st.DrawFn) -> str:
    """The text of a measure with any parameters and any cutoff."""
    definition = draw(st.sampled_from([*MEASURES.values(), *CLUSTERINGS.values()]))
    params = draw(st.lists(st.sampled_from(sorted(definition.params)), unique=True)) if definition.params else []
    written = ",".join(f"{name}={draw(VALUES[name])!r}" for name in params)
    cut = definition.cutoff if isinstance(definition, Definition) else "none"
    ranks = st.integers(1, 10**9).map(lambda k: f"@{k}")
    levels = st.integers(0, 1000).map(lambda level: f"@{level / 1000}")
    cutoff = draw({"none": st.just(""), "recall": levels, "required": ranks}.get(cut, ranks | st.just("")))
    return definition.name + (f"({written})" if written else "") + cutoff


@given(measures())
def test_every_measure_parses_back(text: str) -> None:
    measure = parse(text)
    assert parse(str(measure)) == measure
    assert str(parse(str(measure))) == str(measure)
    assert hash(parse(str(measure))) == hash(measure)
    measure.conventions(STANDARD)


def test_a_measure_is_the_same_in_another_process_where_text_is_hashed_otherwise() -> None:
    for text in ("nDCG(dcg='exp-log2')@10", "IPrec@0.5", "P(rel=2)@5"):
        measure = parse(text)
        other = parse(f" {text}")
        assert (hash(measure), measure.k, measure.rel) == (hash(other), other.k, other.rel)
        again = pickle.loads(pickle.dumps(measure))  # noqa: S301 - our own
        assert again == measure
        assert vars(again) == {"name": measure.name, "params": measure.params, "cutoff": measure.cutoff}


@pytest.mark.parametrize(
    ("measure", "spec"),
    [
        ("nDCG", ""),
        ("nDCG(dcg='log2')", "gain=linear discount=log2"),
        ("nDCG(dcg='exp-rank',gains={2:3})", "gain=map:2=3 discount=rank"),
        ("P(rel=2)", ""),
        ("NMI(average='max')", ""),
    ],
)
def test_a_parameter_may_name_conventions(measure: str, spec: str) -> None:
    assert parse(measure).conventions(STANDARD) == profile(spec)
    assert parse(measure).conventions(profile("score=f32")) == profile(f"score=f32 {spec}")


# -- profiles ---------------------------------------------------------------------------------------------------


@st.composite
def conventions(draw: st.DrawFn) -> Conventions:
    """Any conventions."""
    chosen = {axis.name: draw(st.sampled_from(sorted(axis.values))) for axis in AXES.values() if draw(st.booleans())}
    return Conventions(**chosen)


@given(conventions())
def test_conventions_are_written_and_read(given_ones: Conventions) -> None:
    assert profile(given_ones.spec()) == given_ones
    assert profile(given_ones) is given_ones


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_read_by_its_name_with_changes(name: str) -> None:
    assert by_measure(name) == PROFILES[name]
    changed = by_measure(f"  {name}\tgain=binary\n missing=dropped")
    assert changed.of == {k: c.replace(gain="binary", missing="dropped") for k, c in PROFILES[name].of.items()}


def test_a_profile_has_the_conventions_of_the_key_that_fits_best() -> None:
    keys = ["*", "P", "P@k", "P(rel=2)", "P(rel=2)@5"]
    made = Profile({key: Conventions(err_max=str(i)) for i, key in enumerate(keys, start=1)})
    asked = {"AP": "1", "P": "2", "P@5": "3", "P(rel=2)": "4", "P(rel=2)@10": "4", "P(rel=2)@5": "5", "P(rel=3)@5": "3"}
    assert {measure: conventions_of(made, parse(measure)).err_max for measure in asked} == asked
    assert Profile({}).conventions(parse("AP")) == STANDARD
    assert by_measure(made) is made
    assert by_measure(Conventions(gain="exp")).conventions(parse("AP")) == Conventions(gain="exp")


def test_a_profile_that_was_seen_speaks_of_what_was_seen_and_of_nothing_else() -> None:
    seen = Profile({"nDCG@k": Conventions(gain="exp"), "IPrec@0.1": Conventions(score="f32")}, whose="made 1.0")
    assert seen.conventions(parse("nDCG@10")).gain == "exp"
    assert seen.conventions(parse("IPrec@0.1")).score == "f32"
    for other, form in (("nDCG", "nDCG"), ("nDCG(rel=2)@5", "nDCG(rel=2)@k"), ("IPrec@0.2", "IPrec@0.2"), ("AP", "AP")):
        refused = refusal(seen.conventions, parse(other), by=UnknownConvention)
        assert f"no fingerprint of made 1.0 has {form}; it has nDCG@k, IPrec@0.1" in refused
    assert seen.changed("ties=input").conventions(parse("nDCG@5")).spec() == "gain=exp ties=input"


def test_what_nothing_decided_is_told_of_the_key_that_fits_and_of_no_other() -> None:
    left = {"ties": ("input", "docid-asc")}
    seen = Profile({"nDCG@k": STANDARD, "P@k": STANDARD}, whose="made 1.0", open={"nDCG@k": left})
    assert [seen.undecided(parse(measure)) for measure in ("nDCG@10", "P@5")] == [left, {}]
    assert Profile({}, open={"P@k": left}).undecided(parse("AP")) == {}
    refused = refusal(seen.undecided, parse("AP"), by=UnknownConvention)
    assert "no fingerprint of made 1.0 has AP; it has nDCG@k, P@k" in refused


def test_where_there_is_no_measure_a_profile_by_measure_is_refused() -> None:
    with pytest.raises(UnknownConvention, match="notebook-binary has conventions of its own for some measures"):
        profile("notebook-binary")
    assert profile("trec_eval-9") == PROFILES["trec_eval-9"].of[EVERY]


def test_no_name_is_the_profile_standard() -> None:
    assert profile("") == profile("  ") == profile("standard") == STANDARD == Conventions()
    assert STANDARD.spec() == ""


def test_no_two_profiles_are_the_same() -> None:
    assert len({tuple(profile.of.items()) for profile in PROFILES.values()}) == len(PROFILES)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("trec", "trec is no profile; known are standard, trec_eval-9"),
        ("x" * 5000, "… (5,000 characters) is no profile"),
    ],
)
def test_what_is_no_profile_is_refused_in_words(spec: str, said: str) -> None:
    assert said in refusal(profile, spec, by=profiles.UnknownProfile)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("standard standard", "'standard' is neither a profile nor of the form axis=value"),
        ("gain=exp standard", "'standard' is neither a profile"),
        ("gian=exp", "gian is no axis; did you mean gain?"),
        ("gain=cubic", "gain=cubic is no convention; gain is one of linear, exp, binary"),
        ("=exp", " is no axis"),
        ("ties=input ties=worst", "ties is said twice, input and worst; say it once"),
        ("standard ties=input ties=input", "ties is said twice, input and input"),
        ("trec_eval-9 missing=0 gain=exp missing=nan", "missing is said twice, 0 and nan"),
        ("gain=map:1=2,2=3,1.0=3", "gain=map:1=2,2=3,1.0=3 says the gain of a rel twice"),
        ("gain=map:1=" + "9" * 19, "is no convention"),
        ("gain=map:" + "1=1," * 300 + "2=2", "… (1,207 characters) is no convention"),
        ("discount=jk-" + "9" * 10, "is no convention"),
        ("err_max=100000", "is no convention"),
        ("x" * 5000 + "=1", "… (5,000 characters) is no axis"),
        ("gain=map:", "gain=map: is no convention"),
        ("gain=map:1..2=3", "is no convention"),
        ("discount=jk-1", "discount=jk-1 is no convention"),
        ("err_max=0", "err_max=0 is no convention; err_max is one of 4, query, probability"),
    ],
)
def test_what_is_no_convention_is_refused_in_words(spec: str, said: str) -> None:
    assert said in refusal(profile, spec, by=UnknownConvention)


def test_no_measure_has_the_alias_of_another_as_its_name() -> None:
    assert {*MEASURES, *CLUSTERINGS}.isdisjoint(ALIASES)
