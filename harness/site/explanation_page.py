"""An explanation as a page that needs nothing but itself, and as a figure for papers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.explain.explanation import Explanation, ProfileAnswer
from rankproof.inference.reference_answers import Values, reading_of
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.exact import to_float
from rankproof.report.explain import (
    headline,
    in_words,
    part_in_words,
    rankings_of,
    reason_of,
    today_in_words,
    value_of,
)
from rankproof.report.layout import some_names
from rankproof.site.difference_charts import BOTTOM, HEIGHT, LEFT, RIGHT, WIDTH, drawings
from rankproof.site.templating import HERE, environment
from rankproof.text import short
from rankproof.version import VERSION

MARGIN = 60
"""How far from the edges the line of ties begins and ends at most."""
TABLED = 100
"""How many queries are told in numbers."""


@dataclass(frozen=True, slots=True)
class TieRange:
    """A line from the mean in the worst order of tied docs to that in the best one, and where the tools stand.

    Attributes:
        middle: where the mean over all orders stands, where it can be told.
        tools: where a mean that tools give stands, the mean, and their names.
    """

    low: float
    high: float
    middle: float | None
    worst: str
    best: str
    tools: tuple[tuple[float, str, str], ...]


def page(told: Sequence[Explanation], places: Sequence[str] = ()) -> str:
    """The page; `places` says which of several runs can change places."""
    style = (HERE / "assets" / "site.css").read_text(encoding="utf-8")
    sections = [_section(one) for one in told]
    template = environment().get_template("explanation.html.j2")
    return template.render(sections=sections, places=places, style=style, tabled=TABLED, version=VERSION, size=_SIZE)


_SIZE = {"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": WIDTH - RIGHT, "bottom": HEIGHT - BOTTOM}


def _section(told: Explanation) -> Mapping[str, Any]:
    """What a page says of one run and one measure."""
    return {
        "told": told,
        "sentence": headline(told),
        "today": [today_in_words(told, one) for one in told.today],
        # The value, who gives it, under which conventions, and why there is none.
        "means": [(value_of(s.answers), s.names, s.conventions.spec(), reason_of(s.answers)) for s in told.sayings],
        "attributions": [_attribution(told, saying) for saying in told.sayings[1:] if _differs(saying)],
        "drawings": drawings(told),
        "ties": _ties(told),
        "range": tie_range(told),
        "effects": _effects(told),
        "rankings": [(letter, value, some_names(names)) for letter, value, names in rankings_of(told)],
    }


def _differs(saying: ProfileAnswer) -> bool:
    why = saying.attribution
    return why is not None and bool(why.parts)


def _attribution(
    told: Explanation, saying: ProfileAnswer
) -> tuple[str, str, tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Who, the value, the causes in words, and what each change adds to the mean."""
    why = saying.attribution
    assert why is not None  # noqa: S101 - those that are not compared are left out
    parts = tuple((in_words(one.changes), "" if one.adds is None else short(to_float(one.adds))) for one in why.parts)
    causes = tuple(part_in_words(told, one) for one in why.parts)
    return some_names(saying.names), value_of(saying.answers), causes, parts


def _ties(told: Explanation) -> tuple[tuple[str, str], ...]:
    names = {"worst": "in the worst order", "expectation": "over all orders", "best": "in the best order"}
    return tuple((names[end], value_of(answers)) for end, answers in told.envelope.ends.items())


def tie_range(told: Explanation) -> TieRange | None:
    """How far the order of tied docs can move the mean, drawn beside what the tools give; None where it moves nothing."""
    ends = {end: reading_of(answers, None) for end, answers in told.envelope.ends.items()}
    low, mid, high = (ends.get(end) for end in ("worst", "expectation", "best"))
    if not isinstance(low, float) or not isinstance(high, float) or not low < high:
        return None
    tools: dict[float, list[str]] = {}
    for saying in told.sayings:
        value = reading_of(saying.answers, None)
        if isinstance(value, float) and math.isfinite(value):
            tools.setdefault(value, []).extend(saying.names)
    least, most = min([low, *tools]), max([high, *tools])

    def at(value: float) -> float:
        return round(MARGIN + (WIDTH - 2 * MARGIN) * (value - least) / (most - least), 1)

    marks = tuple((at(value), short(value), some_names(names)) for value, names in sorted(tools.items()))
    middle = at(mid) if isinstance(mid, float) else None
    return TieRange(at(low), at(high), middle, short(low), short(high), marks)


def _effects(told: Explanation) -> tuple[tuple[str, str, str, int], ...]:
    return tuple(
        (f"{one.axis}={one.value}", AXES[one.axis].phrase(one.value), value_of(one.answers), len(one.moved))
        for one in sorted(told.effects or (), key=lambda one: -len(one.moved))
        if one.moved or not isinstance(one.answers, Values)
    )
