"""Whether it is an own default of a function that keeps it from looking at anything: a rating or a score that none here comes up to."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rankproof.calling.call_candidates import given_of
from rankproof.calling.targets import BadFunction, Target
from rankproof.checking.looking import RELEVANCE, blindness
from rankproof.checking.recognising import recognised
from rankproof.isolating.call_sessions import Session
from rankproof.meaning.input_traits import Trait
from rankproof.reference_impl.notation import Measure

MOST = 2
"""How many of its defaults are looked at."""
INSTEAD = (0.1, 1)
"""What is given in the place of a default: what most scores and all rels above 0 come up to, and what these rels do."""


def default_that_blinds(session: Session, target: Target, measure: Measure, assumed: Sequence[Trait]) -> str:
    """The argument, as `threshold=0.1`, with which a function looks at what is relevant, as it does not by its own default; "" if none."""
    return next((argument for argument in _others(target) if _sees(argument, session, target, measure, assumed)), "")


def _others(target: Target) -> Iterator[str]:
    for default in target.defaults[:MOST]:
        name, _, value = default.partition("=")
        yield from (f"{name}={other}" for other in INSTEAD if float(value) > other)


def _sees(argument: str, session: Session, target: Target, measure: Measure, assumed: Sequence[Trait]) -> bool:
    given = {**session.source.given, **given_of([argument])}
    source = replace(session.source, form=target.form, order=target.order, given=given)
    with Session(source, session.limits) as other:
        try:
            unseen = blindness(other, recognised(other), measure, assumed)
        except BadFunction:
            return False
    return all(one.about != RELEVANCE for one in unseen)
