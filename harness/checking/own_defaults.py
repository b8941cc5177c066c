"""Whether it is an own default of a function that keeps it from looking at something: a rating or a score that none here comes up to."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rankproof.calling.functions import values_of
from rankproof.calling.targets import BadFunction, Target
from rankproof.checking.looking import Blindness, blindness
from rankproof.checking.recognising import recognised
from rankproof.isolating.call_sessions import Session
from rankproof.meaning.input_traits import Trait
from rankproof.reference_impl.notation import Measure

INSTEAD = (0.1, 1)
"""What is given in the place of a default: what most scores and all rels above 0 come up to, and what these rels do."""


def default_that_blinds(
    unseen: Blindness, session: Session, target: Target, measure: Measure, assumed: Sequence[Trait]
) -> tuple[str, float] | None:
    """The parameter and the lesser value with which a function looks at what it does not by its own default; None if there is none.

    It is recognised anew, as by its default it may have been called in another form than it is made for.
    """
    about = unseen.about
    seeing = (
        (name, other) for name, other in _others(target) if _sees(about, {name: other}, session, measure, assumed)
    )
    return next(seeing, None)


def _others(target: Target) -> Iterator[tuple[str, float]]:
    for name, value in values_of(target.defaults).items():
        yield from ((name, other) for other in INSTEAD if value > other)


def _sees(about: str, given: dict[str, float], session: Session, measure: Measure, assumed: Sequence[Trait]) -> bool:
    source = replace(session.source, given={**session.source.given, **given})
    with Session(source, replace(session.limits, budget=session.left)) as other:
        try:
            target = recognised(other)
        except BadFunction:
            return False
        return all(one.about != about for one in blindness(other, target, measure, assumed))
