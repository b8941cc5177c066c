"""What the reference answers, so that two answers can be compared."""

from collections.abc import Mapping

from rankproof.inference.reference_answers import CannotTell, Oracle, Refused
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure


def answered(oracle: Oracle, measure: Measure, values: Mapping[str, str]) -> object:
    """The answers to twelve digits; None where the reference has none."""
    answers = oracle.answers(measure, Conventions(**values))
    if isinstance(answers, CannotTell):
        return None
    if isinstance(answers, Refused):
        return "refused"
    return {query: value if value is None else f"{to_float(value):.12g}" for query, value in answers.named.items()}
