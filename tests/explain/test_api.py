"""`rankproof.explain` in Python: forms of input, and arguments that are refused."""

from fractions import Fraction
from pathlib import Path

import pytest
from explained_data import mean

import rankproof
from rankproof.evaluate.inputs import BadInput
from rankproof.explain.api import read_data
from rankproof.explain.printed_number import NoValue
from rankproof.inference.reference_answers import Values
from rankproof.reference_impl.conventions import UnknownConvention

QRELS = {"tied": {"a": 1, "b": 0}, "plain": {"a": 1, "b": 0}}
RUN = {"tied": {"a": 2.0, "b": 2.0}, "plain": {"b": 3.0, "a": 1.0}}
"""P@1 of `tied` is 0 by descending and 1 by ascending id; P@1 of `plain` is 0."""


def test_dicts_and_files_are_explained(tmp_path: Path) -> None:
    explanation = rankproof.explain(QRELS, RUN, "P@1", tools=["standard", "ties=docid-asc"])
    assert isinstance(explanation, rankproof.Explanation)
    answers = [answer.answers for answer in explanation.sayings]
    assert [own.mean for own in answers if isinstance(own, Values)] == [0, Fraction(1, 2)]
    rows = [(query, doc, score) for query, scores in RUN.items() for doc, score in scores.items()]
    (tmp_path / "run.txt").write_text("".join(f"{query} Q0 {doc} 1 {score} x\n" for query, doc, score in rows))
    (value,) = rankproof.explain(QRELS, str(tmp_path / "run.txt"), "P@1", values=[0.5]).values
    assert value.best is not None


@pytest.mark.parametrize(
    ("run", "options", "error"),
    [(RUN, {"tools": ["nobody"]}, UnknownConvention), (RUN, {"values": ["much"]}, NoValue), (3, {}, BadInput)],
)
def test_bad_arguments_are_refused(run: object, options: dict[str, list[str]], error: type[Exception]) -> None:
    with pytest.raises(error):
        rankproof.explain(QRELS, run, "P@1", **options)


def test_unreadable_ranks_are_refused_only_if_a_profile_ranks_by_them(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q1 0 a 1\nq1 0 b 0\n")
    run.write_text("q1 Q0 b 1 2.5 t\nq1 Q0 a - 0.5 t\n")
    for names in ((), ("standard", "order=input"), ("trec_eval-9",)):
        (data,) = read_data(qrels, [run], names).values()
        assert (data.has_ranks, mean(data, "RR")) == (False, Fraction(1, 2))
    for names in (("order=rank",), ("standard", "trec_eval-9 order=rank", "order=input")):
        with pytest.raises(BadInput, match=r"run:2: the rank is '-', not a whole number"):
            read_data(qrels, [run], names)
