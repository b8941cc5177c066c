"""Small collections and their explanations."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from strategies import judged_as, run_of

from rankproof.explain.explanation import Explanation, explain
from rankproof.explain.printed_number import parse_number
from rankproof.explain.run_data import RunData
from rankproof.inference.reference_answers import Values
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.ranking import Judgment, QueryRow


def data_of(qrels: Mapping[str, Sequence[Judgment]], run: Mapping[str, Sequence[QueryRow]]) -> RunData:
    return RunData(qrels, run)


def mean(data: RunData, measure: str, spec: str | Conventions = "") -> Fraction | None:
    answers = data.answers(parse(measure), profile(spec) if isinstance(spec, str) else spec)
    assert isinstance(answers, Values)
    return answers.mean


def explanation_of(data: RunData, measure: str, *names: str, values: Sequence[str] = ()) -> Explanation:
    return explain("mine", data, parse(measure), names, tuple(map(parse_number, values)))


GRADED = data_of(
    {"1": judged_as(a=2, b=1, c=0, x=1), "2": judged_as(a=1, x=3), "3": judged_as(a=0), "4": judged_as(b=1)},
    {"1": run_of("a", "c=b", "z"), "2": run_of("z", "a"), "3": run_of("a")},
)
"""Ties, unretrieved relevant documents, a query without relevant documents, and a query that the run lacks."""
ONE = data_of({"1": judged_as(a=1, b=2, c=0)}, {"1": run_of("c", "b", "a")})
"""Relevant documents at ranks 2 and 3, without ties or unjudged documents."""
