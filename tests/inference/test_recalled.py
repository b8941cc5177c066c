"""The cache of reference values: conventions share a value only if they cannot differ on the input."""

from functools import partial

import pytest
from reference_values import PlainReference

from rankproof import cases as corpus
from rankproof.defects.defect import BrokenMeasure, broken_answer
from rankproof.inference.diagnosis import formula_of, suspects
from rankproof.inference.recalled import Recalled
from rankproof.inference.reference_answers import Refused, Values, collection, outcome_of
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import parse

EVERY = [STANDARD.replace(**{axis.name: value}) for axis in AXES.values() for value in axis.values]
SEVERAL = [STANDARD.replace(gain="exp", ties="input"), STANDARD.replace(gain="exp", ties="docid-asc", missing="0")]


def case_of(name: str) -> corpus.Case:
    return corpus.load(corpus.HERE / f"{name}.toml")


@pytest.mark.parametrize("name", ["ties/straddles-cutoff", "gain/linear-exp-binary", "judgments/negative-one"])
def test_recalled_values_are_those_of_the_reference(name: str) -> None:
    data = case_of(name).input
    memory, reference = Recalled(data), PlainReference(data)
    for measure in map(parse, ("nDCG@2", "P@2", "AUC")):
        for conventions in [*EVERY, *SEVERAL]:
            value, wanted = memory.answers(measure, conventions), reference.answers(measure, conventions)
            assert isinstance(value, Refused) == isinstance(wanted, Refused)
            assert isinstance(value, Refused) or value == wanted, (str(measure), conventions)


@pytest.mark.parametrize("name", ["queries/query-without-hit", "judgments/negative-one"])
def test_recalled_values_of_a_defect_are_those_that_it_computes(name: str) -> None:
    """A defect may change the data so that other conventions matter: mixed queries can contain documents with equal scores."""
    data = case_of(name).input
    memory, whole = Recalled(data), collection(data)
    for measure in map(parse, ("nDCG@2", "RR")):
        for suspect in suspects(measure):
            broken = formula_of(suspect, measure)
            for conventions in EVERY if isinstance(broken, BrokenMeasure) else ():
                value = memory.answers(broken, conventions)
                wanted = outcome_of(partial(broken_answer, broken, whole, conventions))
                assert value == wanted or type(value) is type(wanted) is not Values, (suspect.defect.name, conventions)
