"""Notation of measures: parsing and printing, and refusal of other text with a hint."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal

from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.definition import Definition
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import ALIASES, UnknownMeasure, keys_of, parse
from rankproof.reference_impl.profiles import profile

WRITTEN = {
    "nDCG@10": "nDCG@10",
    " P(rel=2)@5 ": "P(rel=2)@5",
    "P(rel=1)@5": "P(rel=1)@5",
    "P()@5": "P@5",
    "AP(rel=2, judged_only=True)": "AP(judged_only=True,rel=2)",
    'nDCG(dcg="exp-log2")@10': "nDCG(dcg='exp-log2')@10",
    "nDCG(gains={2: 3, 1: 0.5})": "nDCG(gains={1:0.5,2:3})",
    "RBP(p=0.8)": "RBP",
    "P@1000000": "P@1000000",
    "P@007": "P@7",
    "IPrec@0.10": "IPrec@0.1",
    "IPrec@0.00001": "IPrec@0.00001",
    "NumRelRet": "NumRet(rel=1)",
    "NumRelRet(rel=2)": "NumRet(rel=2)",
    "MAP@100": "AP@100",
    "SetRelP(rel=2)": "SetP(rel=2,relative=True)",
    # Inside the bounds of a parameter, and exactly on them.
    "RBP(p=0)": "RBP(p=0)",
    "RBP(p=1)": "RBP(p=1)",
    "F(beta=0)@5": "F(beta=0)@5",
    "P(rel=-1)@5": "P(rel=-1)@5",
    "NMI(average='arithmetic')": "NMI",
}


@pytest.mark.parametrize(("written", "printed"), WRITTEN.items())
def test_a_measure_prints_as_itself_and_parses_back(written: str, printed: str) -> None:
    measure = parse(written)
    assert str(measure) == printed
    assert parse(printed) == measure
    assert parse(measure) is measure


REFUSED = {
    "Write a name, parameters and a cutoff": ["", "@5", "P@", "P@-1", "P@5 x", "P@" + "9" * 5000, "x" * 1_001],
    "cannot read the parameters. Write name=value": [
        "P(5)",
        "P(rel=)",
        "P(rel=x)",
        "P(rel=" + "-" * 900 + "1)",
        "P(rel=" + "(" * 400 + "1" + ")" * 400 + ")",
        "P(rel=[1])",
        "P(rel=1if 1else 2)",
        "P(rel=1)+f(rel=2)",
        "P(rel=1)(rel=2)",
        "P(rel=1))@5",
        "P(**{'rel': 1})",
        "nDCG(gains={1:2,'a':3})",
    ],
    "Did you mean nDCG@10?": ["nCDG@10"],
    "Did you mean Precision@10?": ["precision@10"],
    "Unknown measure 'ZZZZZZ'. `rankproof show measures` lists all.": ["ZZZZZZ"],
    "the cutoff must be a whole number of 1 or more": ["P@0", "P@2.5"],
    "F needs a cutoff, such as F@10": ["F"],
    "IPrec needs a recall level, such as IPrec@0.1": ["IPrec"],
    "the recall level must be from 0 to 1": ["IPrec@1.01"],
    "Bpref has no cutoff. Remove @5.": ["Bpref@5"],
    "NMI has no cutoff. Remove @5.": ["NMI@5"],
    "P has no parameter cutoff. It has rel, judged_only.": ["P(cutoff=5)"],
    "NumQ has no parameter rel. It has none.": ["NumQ(rel=1)"],
    "rel is set twice. Keep one value.": ["P(rel=1,rel=2)"],
    "1 is set twice. Keep one value.": ["nDCG(gains={1:2,1:3})", "nDCG(gains={1:2,1.0:3})"],
    "… (50,008 characters)'. Write a name": ["P(rel=" + "-" * 50_000 + "1)"],
    "… (904 characters) is not a valid value of the parameter": ["nDCG(gains={1:" + "9" * 900 + "})"],
    "rel=inf is not a valid value of the parameter": ["P(rel=1e999)"],
    "gains={1:1e-09} is not a valid value of the parameter": ["nDCG(gains={1:1e-9})"],
    "rel='high' is not a valid value of the parameter": ["P(rel='high')"],
    "rel=True is not a valid value of the parameter": ["P(rel=True)"],
    "judged_only=1 is not a valid value of the parameter": ["P(judged_only=1)"],
    "beta=-0.5 is not a valid value of the parameter": ["F(beta=-0.5)"],
    "p=1.01 is not a valid value of the parameter": ["RBP(p=1.01)"],
    "p=-0.01 is not a valid value of the parameter": ["RBP(p=-0.01)"],
    "p=True is not a valid value of the parameter": ["RBP(p=True)"],
    "relative=1 is not a valid value of the parameter": ["SetP(relative=1)"],
    "dcg=2 is not a valid value of the parameter": ["nDCG(dcg=2)"],
    "gains={} is not a valid value of the parameter": ["nDCG(gains={})"],
    "gains={1:'a'} is not a valid value of the parameter": ["nDCG(gains={1:'a'})"],
    "average='mean' is not a valid value of the parameter": ["NMI(average='mean')"],
}


@pytest.mark.parametrize(("text", "hint"), [(text, hint) for hint, texts in REFUSED.items() for text in texts])
def test_text_that_is_not_a_measure_is_refused_with_a_hint(text: str, hint: str) -> None:
    message = refusal(parse, text, by=UnknownMeasure)
    assert hint in message
    assert len(message) < 500


def test_an_alias_is_another_name_of_a_measure() -> None:
    assert {*MEASURES}.isdisjoint(CLUSTERINGS)
    assert {*MEASURES, *CLUSTERINGS}.isdisjoint(ALIASES)
    assert {parse(alias).name for alias in ALIASES} <= {*MEASURES, *CLUSTERINGS}


def test_the_keys_of_a_measure_name_a_recall_level_only_in_full() -> None:
    assert list(keys_of(parse("IPrec@0.5"))) == ["IPrec@0.5", "IPrec@k", "IPrec", "*"]
    assert list(keys_of(parse("nDCG@10"))) == ["nDCG@10", "nDCG@k", "nDCG", "*"]


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
    """Draw the text of a measure with any parameters and any cutoff."""
    definition = draw(st.sampled_from([*MEASURES.values(), *CLUSTERINGS.values()]))
    params = draw(st.lists(st.sampled_from(sorted(definition.params)), unique=True)) if definition.params else []
    written = ",".join(f"{name}={draw(VALUES[name])!r}" for name in params)
    cut = definition.cutoff if isinstance(definition, Definition) else "none"
    ranks = st.integers(1, 10**9).map(lambda k: f"@{k}")
    levels = st.integers(0, 1000).map(lambda level: f"@{level / 1000}")
    cutoff = draw({"none": st.just(""), "recall": levels, "required": ranks}.get(cut, ranks | st.just("")))
    return definition.name + (f"({written})" if written else "") + cutoff


@given(measures())
def test_every_printed_measure_parses_back(text: str) -> None:
    measure = parse(text)
    assert parse(str(measure)) == measure
    assert str(parse(str(measure))) == str(measure)
    assert hash(parse(str(measure))) == hash(measure)
    measure.conventions(STANDARD)


def test_a_pickled_measure_holds_no_hash_of_its_process() -> None:
    for text in ("nDCG(dcg='exp-log2')@10", "IPrec@0.5", "P(rel=2)@5"):
        measure = parse(text)
        other = parse(f" {text}")
        assert (hash(measure), measure.k, measure.rel) == (hash(other), other.k, other.rel)
        again = pickle.loads(pickle.dumps(measure))  # noqa: S301 - our own
        assert again == measure
        assert vars(again) == {"name": measure.name, "params": measure.params, "cutoff": measure.cutoff}


def test_a_parameter_may_name_conventions() -> None:
    base = profile("score=f32")
    assert parse("nDCG(dcg='log2')").conventions(profile("gain=exp score=f32")) == base
    assert parse("nDCG(dcg='exp-rank',gains={2:3})").conventions(base) == profile(
        "score=f32 gain=map:2=3 discount=rank"
    )
    assert parse("P(rel=2)").conventions(base) == parse("NMI(average='max')").conventions(base) == base
