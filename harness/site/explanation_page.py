"""An explanation as a page that needs nothing but itself, and as a figure for papers."""

from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.explaining.explanation import Explanation, Saying
from rankproof.explaining.one_sentence import (
    cause_in_words,
    in_words,
    reason_of,
    sentence,
    some_names,
    today_in_words,
    value_of,
)
from rankproof.matching.comparing import reading_of
from rankproof.matching.reference_answers import Values
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.exact import to_float
from rankproof.site.difference_charts import BOTTOM, HEIGHT, LEFT, RIGHT, WIDTH, Drawing, drawings
from rankproof.site.templating import HERE, environment
from rankproof.text import short
from rankproof.version import VERSION

TABLED = 100
"""How many queries are told in numbers."""


@dataclass(frozen=True)
class Section:
    """What a page says of one run and one measure."""

    told: Explanation
    sentence: str
    today: tuple[str, ...]
    means: tuple[tuple[str, tuple[str, ...], str, str], ...]
    """The value, who gives it, under which conventions, and why there is none."""
    attributions: tuple[tuple[str, str, tuple[str, ...], tuple[tuple[str, str], ...]], ...]
    """Who, the value, the causes in words, and what each change adds to the mean."""
    drawings: tuple[Drawing, ...]
    ties: tuple[tuple[str, str], ...]
    effects: tuple[tuple[str, str, str, int], ...]
    rankings: tuple[tuple[str, str, str], ...]
    """Of the query whose ranks stand side by side: the ranking's letter, the value, and who has it."""


def page(told: Sequence[Explanation], places: Sequence[str] = ()) -> str:
    """The page; `places` says which of several runs can change places."""
    return (
        environment()
        .get_template("explanation.html.j2")
        .render(
            sections=[_section(one) for one in told],
            places=places,
            style=(HERE / "assets" / "site.css").read_text(encoding="utf-8"),
            tabled=TABLED,
            version=VERSION,
            size=_SIZE,
        )
    )


def figure(told: Explanation) -> str:
    """The charts as one SVG, of lines and text alone."""
    return environment().get_template("explanation.svg.j2").render(told=told, drawings=drawings(told), size=_SIZE)


_SIZE = {"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": WIDTH - RIGHT, "bottom": HEIGHT - BOTTOM}


def _section(told: Explanation) -> Section:
    return Section(
        told, sentence(told), tuple(today_in_words(told, one) for one in told.today), tuple(_mean(saying) for saying in told.sayings),
        tuple(_attribution(told, saying) for saying in told.sayings[1:] if _differs(saying)),
        tuple(drawings(told)), _ties(told), _effects(told), _rankings(told),
    )  # fmt: skip


def _mean(saying: Saying) -> tuple[str, tuple[str, ...], str, str]:
    return value_of(saying.answers), saying.names, saying.conventions.spec(), reason_of(saying.answers)


def _differs(saying: Saying) -> bool:
    why = saying.attribution
    return why is not None and bool(why.causes or any(step.adds for step in why.steps))


def _attribution(told: Explanation, saying: Saying) -> tuple[str, str, tuple[str, ...], tuple[tuple[str, str], ...]]:
    why = saying.attribution
    assert why is not None  # noqa: S101 - those that are not compared are left out
    parts = tuple((in_words(step.changes), short(to_float(step.adds))) for step in why.steps if step.adds)
    causes = tuple(cause_in_words(told, cause) for cause in why.causes)
    return some_names(saying.names), value_of(saying.answers), causes, parts


def _ties(told: Explanation) -> tuple[tuple[str, str], ...]:
    names = {"worst": "in the worst order", "expectation": "over all orders", "best": "in the best order"}
    return tuple((names[end], value_of(answers)) for end, answers in told.envelope.ends.items())


def _effects(told: Explanation) -> tuple[tuple[str, str, str, int], ...]:
    found = [
        (f"{one.axis}={one.value}", AXES[one.axis].phrase(one.value), value_of(one.answers), len(one.moved))
        for one in sorted(told.effects or (), key=lambda one: -len(one.moved))
        if one.moved or not isinstance(one.answers, Values)
    ]
    return tuple(found)


def _rankings(told: Explanation) -> tuple[tuple[str, str, str], ...]:
    one = told.side_by_side
    alike: dict[tuple[str, str], list[str]] = {}
    for saying, ranking in zip(told.sayings, one.of if one is not None else (), strict=False):
        letter = "refused" if ranking is None else chr(ord("A") + ranking) if ranking < LETTERS else "…"
        value = short(reading_of(saying.answers, one.query if one is not None else None))
        alike.setdefault((letter, value), []).extend(saying.names)
    return tuple((letter, value, some_names(names)) for (letter, value), names in alike.items())


LETTERS = 26
