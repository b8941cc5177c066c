"""What is explained, drawn: by how much each query differs, and how far ties can move it. A path a chart, however many queries."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankproof.explain.explanation import Explanation, ProfileAnswer
from rankproof.grouping import grouped
from rankproof.inference.reference_answers import Answers, Values
from rankproof.reference_impl.evaluation import Value
from rankproof.reference_impl.exact import to_float
from rankproof.report.layout import some_names
from rankproof.text import printable, short

WIDTH, HEIGHT = 640, 200
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 12, 38
MOST = 3
"""How many charts of differences are drawn at most, those of the most queries first."""
STEPS = 4
WIDEST = 14.0
"""How wide the bar of a query is at most."""
NAMED = 16
"""Of more queries than this no names stand below their bars."""
LETTER = 7.5
"""How wide a letter of a name is."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart: what it shows, its scale, and its shapes.

    Attributes:
        title: what is drawn.
        up: the lines of the scale, each with its number.
        zero: where 0 is.
        bars: a path of a vertical line for each query.
        dots: a path of a short horizontal line for each query; nothing where there are none.
        wide: how wide each of them is.
        below: what stands below it.
        names: where a query stands and what it is called, of a few queries.
        table: the same in numbers, a row a query.
        columns: what the numbers of a row are.
    """

    title: str
    up: tuple[tuple[float, str], ...]
    zero: float
    bars: str
    dots: str
    wide: float
    below: str
    columns: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    names: tuple[tuple[float, str], ...] = ()


def drawings(told: Explanation) -> list[Drawing]:
    """All charts of an explanation; none where no query differs, whatever the order of tied docs."""
    return [*_differences(told), *_envelopes(told)]


def _differences(told: Explanation) -> list[Drawing]:
    first, *others = told.sayings
    apart = grouped((found, saying) for saying in others if (found := tuple(_apart(first, saying))))
    most = sorted(apart.items(), key=lambda item: -len(item[0]))[:MOST]
    return [_difference(told, first, sayings, found) for found, sayings in most]


def _apart(first: ProfileAnswer, other: ProfileAnswer) -> list[tuple[str, float]]:
    """By how much the value of each query differs, where both are numbers, the most first."""
    a, b = _of(first.answers), _of(other.answers)
    found = [
        (query, to_float(value - base))
        for query, value in b.items()
        if (base := a.get(query)) is not None and value is not None
    ]
    return sorted(((query, by) for query, by in found if by), key=lambda one: -one[1])


def _difference(
    told: Explanation, first: ProfileAnswer, sayings: Sequence[ProfileAnswer], apart: Sequence[tuple[str, float]]
) -> Drawing:
    names = some_names([printable(name) for saying in sayings for name in saying.names])
    title = f"{told.measure} by {names}, less that by {printable(first.names[0])}"
    below = f"the queries that differ ({len(apart)} of {len(told.queries)}), by how much"
    a, b = _of(first.answers), _of(sayings[0].answers)
    table = tuple((query, _num(a[query]), _num(b[query]), short(by)) for query, by in apart)
    columns = ("query", printable(first.names[0]), printable(sayings[0].names[0]), "difference")
    return _drawn([(query, 0.0, None, by) for query, by in apart], title, below, columns, table)


def _envelopes(told: Explanation) -> list[Drawing]:
    ends = told.envelope.ends
    worst, expected, best = ({}, {}, {}) if not ends else (_of(ends[end]) for end in ("worst", "expectation", "best"))
    rows = [(query, worst.get(query), expected.get(query), best.get(query)) for query in told.envelope.moved or ()]
    known = ((q, low, mid, high) for q, low, mid, high in rows if low is not None and high is not None)
    spans = [(q, to_float(low), mid, to_float(high)) for q, low, mid, high in known]
    if not spans:
        return []
    spans.sort(key=lambda one: (-one[3], -one[1]))
    title = f"{told.measure} by standard, from the worst to the best order of tied docs"
    over = "; the line across: the mean over all orders" if any(mid is not None for _, _, mid, _ in spans) else ""
    below = f"the queries that the order moves ({len(spans)} of {len(told.queries)}){over}"
    table = tuple(
        (q, short(low), "cannot be told" if mid is None else _num(mid), short(high)) for q, low, mid, high in spans
    )
    return [_drawn(spans, title, below, ("query", "worst", "all orders", "best"), table)]


def _drawn(
    spans: Sequence[tuple[str, float, Value | None, float]],
    title: str,
    below: str,
    columns: tuple[str, ...],
    table: tuple[tuple[str, ...], ...],
) -> Drawing:
    """A bar from one value of each query to another, and, where it is known, what lies between."""
    scale = _ChartScale.of([number for _, low, _, high in spans for number in (low, high)])
    at, wide = _places(len(spans))
    each = list(zip(at, spans, strict=True))
    bars = "".join(f"M{x:.1f} {scale.at(low):.1f}V{scale.at(high):.1f}" for x, (_, low, _, high) in each)
    middles = [(x - wide / 2, scale.at(to_float(mid))) for x, (_, _, mid, _) in each if mid is not None]
    dots = "".join(f"M{x:.1f} {y:.1f}h{wide:.1f}" for x, y in middles)
    called = _named(at, [query for query, *_ in spans])
    return Drawing(title, scale.ticks, scale.at(0.0), bars, dots, wide, below, columns, table, called)


def _of(answers: Answers) -> Mapping[str, Value]:
    return answers.per_query if isinstance(answers, Values) else {}


def _num(value: Value) -> str:
    return short(to_float(value))


def _named(at: Sequence[float], queries: Sequence[str]) -> tuple[tuple[float, str], ...]:
    """The names that stand below the bars, where there are few, each as long as there is room for."""
    if len(queries) > NAMED:
        return ()
    room = max(3, int((WIDTH - LEFT - RIGHT) / len(queries) / LETTER))
    shown = (text if len(text := printable(query)) <= room else f"{text[: room - 1]}…" for query in queries)
    return tuple(zip(at, shown, strict=True))


def _places(count: int) -> tuple[list[float], float]:
    """Where the bars stand, and how wide they are."""
    each = (WIDTH - LEFT - RIGHT) / count
    return [LEFT + each * (i + 0.5) for i in range(count)], round(min(WIDEST, each * 0.72), 2)


@dataclass(frozen=True, slots=True)
class _ChartScale:
    low: float
    high: float
    step: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "_ChartScale":
        """Round numbers around all values, and 0."""
        low, high = min(0.0, *values), max(0.0, *values)
        rough = (high - low or 1.0) / STEPS
        power = 10.0 ** math.floor(math.log10(rough))
        step = power * next(part for part in (1, 2, 5, 10) if part * power >= rough * (1 - 1e-9))
        return cls(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, step)

    def at(self, value: float) -> float:
        """Where a value stands."""
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - self.low) / (self.high - self.low)

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """The round numbers, and where they stand."""
        count = round((self.high - self.low) / self.step)
        values = (self.low + self.step * i for i in range(count + 1))
        return tuple((self.at(value), f"{round(value, 12):g}") for value in values)
