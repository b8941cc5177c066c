"""Signatures: short and whole forms, written and read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankproof.inference.signatures import BadSignature, Signature, axes_of, parse
from rankproof.measure_facts import fixed_by_parameters
from rankproof.reference_impl.conventions import AXES, STANDARD, UnknownConvention
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.version import VERSION

RANKED = ["nDCG@10", "nDCG(dcg='exp-log2')@10", "AP(rel=2)@100", "P@5", "IPrec@0.1", "SetF(beta=2)", "Bpref", "NumRet"]
MEASURES = [*RANKED, "V"]


def test_signature_is_read_and_written() -> None:
    read = parse(
        "nDCG@10|gain:linear|discount:log2|ideal:judged@k|ties:docid-desc|score:f32|norel:0|missing:0"
        "|by:pytrec_eval-0.5.11|rankproof:0.1.0"
    )
    assert read == Signature.of("nDCG@10", "score=f32", by="pytrec_eval-0.5.11", version="0.1.0")
    assert str(read) == "nDCG@10|score:f32|by:pytrec_eval-0.5.11|rankproof:0.1.0"


def test_whole_signature_has_every_axis_that_can_matter() -> None:
    whole = Signature.of("P@5", "standard", version="0.1.0").whole()
    assert whole.startswith("P@5|p_denominator:k|order:score|ties:docid-desc|score:f64|")
    assert whole.endswith("|mean:arithmetic|no_query:nan|by:reference|rankproof:0.1.0")
    assert "gain" not in whole


def test_ideal_and_its_cut_are_one_field() -> None:
    assert "|ideal:judged@never|" in str(Signature.of("nDCG@10", "ideal_cut=never"))
    assert "|ideal:given@k|" in str(Signature.of("nDCG@10", "ideal=given"))
    assert parse("nDCG@10|ideal:given") == parse("nDCG@10|ideal:given@k") == parse("nDCG@10|ideal:given|ideal_cut:k")


def test_axis_of_a_parameter_is_not_repeated() -> None:
    exponential = Signature.of("nDCG(dcg='exp-log2')@10", "standard", version="1")
    assert str(exponential) == "nDCG(dcg='exp-log2')@10|by:reference|rankproof:1"
    assert "|gain:exp|" in exponential.whole()
    assert parse(exponential.whole()) == exponential
    still = {"discount": ["log2", "ln"], "ties": ["input", "worst"], "gain": ["linear", "binary"]}
    assert Signature.of("nDCG(dcg='exp-log2')@10", "standard", still=still).open == {"ties": ("input", "worst")}


IMPLEMENTATIONS = ["reference", "pytrec_eval-0.5.11", "ranx-0.3.21+local"]
CONVENTIONS = st.fixed_dictionaries({name: st.sampled_from(sorted(axis.values)) for name, axis in AXES.items()})


@given(st.sampled_from(MEASURES), CONVENTIONS, st.sampled_from(IMPLEMENTATIONS))
def test_signature_is_read_back(measure: str, conventions: dict[str, str], by: str) -> None:
    signature = Signature(parse_measure(measure), STANDARD.replace(**conventions), by)
    assert parse(str(signature)) == parse(signature.whole()) == signature
    assert str(parse(signature.whole())) == str(signature)


@st.composite
def remaining(draw: st.DrawFn) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Draw some open axes and the values that remain of each: none listed, or several."""
    axes = draw(st.lists(st.sampled_from(sorted(AXES)), unique=True, max_size=4))
    several = {axis: st.lists(st.sampled_from(sorted(AXES[axis].values)), unique=True, min_size=2) for axis in axes}
    return tuple((axis, tuple(draw(st.just([]) | several[axis]))) for axis in axes)


@given(st.sampled_from(MEASURES), CONVENTIONS, remaining())
def test_open_axes_are_read_back(
    measure: str, conventions: dict[str, str], still: tuple[tuple[str, tuple[str, ...]], ...]
) -> None:
    parsed = parse_measure(measure)
    signature = Signature(parsed, STANDARD.replace(**conventions), "mine-1.0", remaining=still)
    assert parse(str(signature)) == parse(signature.whole()) == signature
    fixed = set() if parsed.of_labels else set(fixed_by_parameters(parsed))
    assert signature.open == {axis: values for axis, values in still if axis in axes_of(parsed) and axis not in fixed}
    for axis, values in signature.open.items():
        taken = getattr(signature.computed.conventions, axis)
        assert taken == signature.taken[axis] == (values[0] if values else AXES[axis].default)
        if axis not in {"ideal", "ideal_cut"}:
            assert f"|{axis}:?{'/'.join(values)}|" in str(signature)
    assert not signature.computed.open


def test_open_axis_is_written_even_if_its_value_is_standard() -> None:
    still = {"missing": (), "ideal_cut": ("k", "never"), "empty": ()}
    found = Signature.of("nDCG@10", "ties=input", "mine-1", "1", still)
    assert str(found) == "nDCG@10|ideal:judged@?k/never|ties:input|missing:?|empty:?|by:mine-1|rankproof:1"
    assert found != Signature.of("nDCG@10", "ties=input", "mine-1", "1")
    assert found.differences(parse("nDCG@10|ties:input|missing:dropped|by:mine-1"))["missing"] == ("?", "dropped")
    assert str(found.computed) == f"nDCG@10|ties:input|by:reference|rankproof:{VERSION}"


def test_patterned_values_are_read_back() -> None:
    signature = Signature.of("nDCG@10", "gain=map:0=0,1=1,2=3.5 discount=jk-3")
    assert parse(str(signature)) == signature


def test_differences_are_named_axes() -> None:
    ours, theirs = parse("nDCG@10|ties:input"), parse("nDCG@5|gain:exp|by:x-1")
    assert ours.differences(theirs) == {
        "measure": ("nDCG@10", "nDCG@5"),
        "gain": ("linear", "exp"),
        "ties": ("input", "docid-desc"),
        "by": ("reference", "x-1"),
    }
    assert ours.differences(ours) == {}


NO_PART = " is not part of a signature"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("nDCG@10|gain:", BadSignature, f"'gain:'{NO_PART}"),
        ("nDCG@10|ideal:given@k|ideal_cut:k", BadSignature, "ideal_cut occurs twice"),
        ("nDCG@10|by:a b", BadSignature, f"by:a b{NO_PART}: remove blanks"),
        ("nDCG@10|gains:exp", UnknownConvention, "Unknown axis 'gains'"),
        ("nDCG@10|gain:cubic", UnknownConvention, "Unknown convention gain=cubic."),
        ("nDCG@10|ideal:judged@five", UnknownConvention, "Unknown convention ideal_cut=five."),
        ("nCDG@10|gain:exp", UnknownMeasure, "Did you mean nDCG"),
        (
            "nDCG@10|missing:?0",
            BadSignature,
            rf"missing:\?0{NO_PART}: write missing:\?, or \? and two or more different values",
        ),
        ("nDCG@10|missing:?0/", UnknownConvention, "Unknown convention missing=."),
        ("nDCG@10|missing:?0/often", UnknownConvention, "Unknown convention missing=often."),
        ("P@5|gain:?", BadSignature, r"gain:\? does not affect P@5"),
        ("nDCG(dcg='exp-log2')@10|gain:?", BadSignature, r"gain:\? contradicts"),
        ("", UnknownMeasure, "Unknown measure"),
    ],
)
def test_invalid_signature_is_refused(text: str, error: type[ValueError], message: str) -> None:
    with pytest.raises(error, match=message):
        parse(text)
