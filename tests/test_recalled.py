"""What the reference answered is recalled for conventions that agree where they can matter, and for no others."""

import pytest

from rankproof import cases as corpus
from rankproof.matching.recalled import Recalled, recalled
from rankproof.matching.reference_answers import Oracle, Refused
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.notation import parse

EVERY = [STANDARD.replace(**{axis.name: value}) for axis in AXES.values() for value in axis.values]
SEVERAL = [STANDARD.replace(gain="exp", ties="input"), STANDARD.replace(gain="exp", ties="docid-asc", missing="0")]
CASES = ("ties/straddles-cutoff", "gain/linear-exp-binary", "judgments/negative-one")


def case_of(name: str) -> corpus.Case:
    return corpus.load(corpus.HERE / f"{name}.toml")


@pytest.mark.parametrize("name", CASES)
def test_what_is_recalled_is_what_the_reference_answers(name: str) -> None:
    given = case_of(name).input
    asked, oracle = Recalled(given), Oracle(given)
    for measure in map(parse, ("nDCG@2", "P@2", "AUC")):
        for conventions in [*EVERY, *SEVERAL]:
            found, wanted = asked.answers(measure, conventions), oracle.answers(measure, conventions)
            assert isinstance(found, Refused) == isinstance(wanted, Refused)
            assert isinstance(found, Refused) or found == wanted, (str(measure), conventions)


def test_it_is_worked_out_once_for_all_that_agree_where_it_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Conventions] = []
    ask = Oracle.ask

    def counted(self: Oracle, measure: object, conventions: Conventions) -> object:
        asked.append(conventions)
        return ask(self, measure, conventions)  # type: ignore[arg-type]

    monkeypatch.setattr(Oracle, "ask", counted)
    one, precision = Recalled(case_of("ties/straddles-cutoff").input), parse("P@2")
    assert "ties" in one.axes(precision)
    assert not {"gain", "discount"} & set(one.axes(precision)), "P looks at neither"
    for gain in ("linear", "exp", "binary"):
        for ties in ("docid-desc", "docid-asc"):
            one.answers(precision, STANDARD.replace(gain=gain, ties=ties))
    assert asked == [STANDARD, STANDARD.replace(ties="docid-asc")]


def test_all_who_ask_about_an_input_share_what_is_known_of_it() -> None:
    given = case_of("ties/straddles-cutoff").input
    assert recalled(given) is recalled(case_of("ties/straddles-cutoff").input)
    assert recalled(given) is not recalled(case_of("gain/linear-exp-binary").input)
