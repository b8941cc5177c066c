"""Inference of a new measure: correct with declared facts, and never wrong without them."""

import gc
import random
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, cast

import pytest
from inferred_fingerprints import infer
from reference_values import PlainReference, answered

from rankproof import cases as corpus
from rankproof.inference.deciding_axes import Facts, axes_that_matter, free_axes, possible, values_of
from rankproof.inference.equivalent_choices import canonical_profile
from rankproof.inference.reference_answers import CannotTell, Refused
from rankproof.reference_impl import measures
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.evaluation import MEAN
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.profiles import profile
from rankproof.workers.observations import Answered, Failure, Observation
from rankproof.workers.subjects import Subject

if TYPE_CHECKING:
    from rankproof.reference_impl.definition import Definition

BODY = """
from rankproof.reference_impl.measures.cumulated_gain import DEFINITIONS as GAINS, normalised_dcg
from rankproof.reference_impl.definition import Definition

NDCG = GAINS[-1]


def ndcu(ranking, *, gain="linear", gain_threshold="ignored", discount="log2", ideal="judged", ideal_cut="k"):
    own = {"gain": gain, "gain_threshold": gain_threshold, "discount": discount, "ideal": ideal, "ideal_cut": ideal_cut}
    return normalised_dcg(ranking, **own)


"""
FILES = {
    "ndcu.py": BODY
    + """DEFINITIONS = [
    Definition(
        "nDCU", ndcu, NDCG.params, needs_relevant=False, linear=True, monotone=True, merit=NDCG.merit,
        separable=NDCG.separable, reads=NDCG.reads, undefined={"norel": "no gain"},
        zero_without=frozenset({"docs", "judgments"}), bounds=(0, 1), truth="always", constant_cancels=True,
    ),
]
""",
    "ndcw.py": BODY + 'DEFINITIONS = [Definition("nDCW", ndcu, NDCG.params, needs_relevant=False)]\n',
    "odd.py": """
# Measures that read every input, in unusual ways, and declare none of it.

from fractions import Fraction

from rankproof.reference_impl.definition import REL, Definition, NoNonRelevant, NoRelevant


def odd(
    ranking, *, gain="linear", gain_threshold="ignored", discount="log2", ideal="judged", ideal_cut="k", p_denominator="k",
    r_denominator="R", ap_denominator="R", judged_denominator="min-k-n", f_weight="beta-squared", recall_points="ceil",
    err_max="4", rbp_gain="binary",
):
    if len(ranking.judgments) in {1, 3}:
        raise NoRelevant
    if len(ranking.all_docs) % 4 == 3:
        raise NoNonRelevant
    own = "".join(
        (gain, gain_threshold, discount, ideal, ideal_cut, p_denominator, r_denominator, ap_denominator, judged_denominator,
         f_weight, recall_points, err_max, rbp_gain)
    )
    value = Fraction(sum(i * ord(letter) for i, letter in enumerate(own, start=1)), 7)
    for rank, doc in (*ranking.all_docs, *ranking.docs, *((23, doc) for doc in ranking.judgments)):
        value += rank * (3 + (doc.rel or Fraction(1, 9)) * 11 + 101 * doc.relevant + 1009 * doc.pooled + 13 * doc.non_relevant)
    return value + 17 * ranking.R + Fraction(ranking.k or 5, 3)


def odd_count(ranking, *, gain="linear"):
    return odd(ranking, gain=gain)


def sometimes(ranking, *, infap_epsilon="1e-5"):
    if infap_epsilon == "0":
        return sum((i * Fraction(1 + doc.relevant) for i, doc in ranking.all_docs), Fraction(0))
    return Fraction(ranking.R)


def sometimes_ordered(_k, *, infap_epsilon):
    return frozenset({"order", "n", "relevant"}) if infap_epsilon == "0" else frozenset({"R"})


DEFINITIONS = [
    Definition("Sometimes", sometimes, {"rel": REL}, needs_relevant=False, reads=sometimes_ordered, undefined={}),
    Definition("Odd", odd, {"rel": REL}, needs_relevant=False),
    Definition("OddOfRelevant", odd, {"rel": REL}),
    Definition("OddCount", odd_count, {"rel": REL}, needs_relevant=False, total="sum"),
]
""",
}
MADE = Subject("made", "default", "1")
JUDGED = [case for case in corpus.load_all() if not case.undefined and not case.of_labels]
SOME = 80
"""Number of random cases for each pair of a measure and axes; all pairs together test every case many times."""
TOGETHER = [
    "missing extra norel nohit empty no_judgments unretrieved known",
    "grades negative relevant gain_threshold unjudged known ideal qrels_duplicates gain",
    "missing empty",
    "empty missing ties infap_epsilon order",
    "run_duplicates single ties known unjudged negative grades score_sign order score",
    "known ap_denominator unretrieved run_duplicates qrels_duplicates p_denominator nohit norel ideal mean short",
]


@pytest.fixture(scope="module", autouse=True)
def added(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Add the new measures to the package of measures for these tests, including the shared table of definitions."""
    folder = tmp_path_factory.mktemp("measures")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    measures.__path__.append(str(folder))
    (shared,) = gc.get_referents(MEASURES)
    known = cast("MutableMapping[str, Definition]", shared)
    before = dict(known)
    known.update(measures._load_definitions())
    yield
    measures.__path__.remove(str(folder))
    known.clear()
    known.update(before)


def as_ndcu(measure: Measure) -> Measure:
    return Measure("nDCU", measure.params, measure.cutoff)


NDCGS = sorted({measure for case in JUDGED for measure in case.measures if parse(measure).name == "nDCG"})


def drawn(chance: random.Random, measure: Measure, axes: Sequence[str]) -> dict[str, str]:
    """Draw a profile that differs from `standard` on some axes.

    Values that refuse the input are rare, because they hide others.
    """
    values = {axis: getattr(STANDARD, axis) for axis in AXES}
    for axis in axes:
        value = chance.choice([value for value in values_of(axis) if possible(measure, axis, value)])
        if value not in {"rejected", "text", "text-docs", "digit-queries"} or chance.random() < 0.1:
            values[axis] = value
    return values


def test_canonical_profile_of_a_measure_declared_like_ndcg_is_that_of_ndcg() -> None:
    chance = random.Random(0)
    for measure in map(parse, NDCGS):
        free = free_axes(measure)
        assert free_axes(as_ndcu(measure)) == free
        for _ in range(60):
            values = drawn(chance, measure, chance.sample(free, chance.choice([2, 5, 12])))
            assert canonical_profile(as_ndcu(measure), values) == canonical_profile(measure, values)


def test_axes_that_matter_to_a_measure_declared_like_ndcg_are_those_of_ndcg() -> None:
    for i, case in enumerate(JUDGED):
        facts = Facts.of(case.input)
        for measure in map(parse, NDCGS[i % 4 :: 4]):
            assert axes_that_matter(facts, as_ndcu(measure)) == axes_that_matter(facts, measure)


@pytest.mark.parametrize("name", ["nDCU", "nDCW"])
def test_a_declared_measure_has_the_fingerprint_of_ndcg_and_an_undeclared_one_no_wrong_value(name: str) -> None:
    spec = profile("gain=exp ties=input ideal=given missing=dropped norel=1")
    few = {"nDCG@2", "nDCG@3", "nDCG@5"}
    questions = [(case, measure) for case in JUDGED[::4] for measure in case.measures if measure in few]
    fingerprints = {}
    for new in ("nDCG", name):
        observations = [
            Observation(case.id, MADE, text, answer)
            for case, measure in questions
            for text in [measure.replace("nDCG", new)]
            if (answer := as_answer(PlainReference(case.input), text, spec)) is not None
        ]
        (fingerprints[new],) = infer(observations, {case.id: case for case in JUDGED}, MADE)
    ours, theirs = fingerprints[name], fingerprints["nDCG"]
    assert (ours.explained, ours.missed) == (ours.total, ())
    if name == "nDCU":
        assert (ours.profile, ours.total) == (theirs.profile, theirs.total)
        assert {axis: f.value for axis, f in ours.axes.items()} == {axis: f.value for axis, f in theirs.axes.items()}
    for axis, finding in ours.axes.items():
        assert finding.value is None or finding.value == getattr(spec, axis) or finding.same, f"{axis}: {finding}"


def as_answer(oracle: PlainReference, measure: str, conventions: Conventions) -> Answered | Failure | None:
    """Return the value of a library that follows these conventions."""
    answers = oracle.answers(parse(measure), conventions)
    if isinstance(answers, CannotTell):
        return None
    if isinstance(answers, Refused):
        return Failure("error", "ValueError: refused")
    values = {query: float("nan") if value is None else to_float(value) for query, value in answers.named.items()}
    return Answered({query: value for query, value in values.items() if query != MEAN}, values[MEAN])


@pytest.mark.parametrize("together", TOGETHER)
@pytest.mark.parametrize(
    "name", ["nDCW", "nDCW@2", "Odd", "Odd@2", "Odd(rel=2)", "OddOfRelevant@3", "OddCount", "Sometimes"]
)
def test_canonical_profile_of_a_measure_with_few_declarations_is_never_wrong(name: str, together: str) -> None:
    chance, measure, compared = random.Random(f"{name} {together}"), parse(name), 0
    for case in chance.sample(JUDGED, SOME):
        oracle, facts = PlainReference(case.input), Facts.of(case.input)
        free = free_axes(measure)
        matter = set(axes_that_matter(facts, measure))
        base = drawn(chance, measure, [axis for axis in together.split() if axis in free and chance.random() < 0.6])
        others = drawn(chance, measure, free)
        idle = base | {axis: others[axis] for axis in free if axis not in matter}
        for other in (canonical_profile(measure, base), idle):
            first, second = (answered(oracle, measure, values) for values in (base, other))
            if other != base and first is not None and second is not None:
                assert first == second, f"{case.id} {measure}: {changes(base)} and {changes(other)} differ"
                compared += 1
    assert compared > 50


def changes(values: Mapping[str, str]) -> str:
    return STANDARD.replace(**values).spec()
