"""A small ranking, drawn: what each doc brings to a measure, and what the ideal ranking would."""

from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.cases.inputs import Input
from rankproof.inference.comparing import reading_of
from rankproof.inference.reference_answers import CannotTell, ask
from rankproof.measure_forms import cut_at, cutoff_of, named
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.measures.cumulated_gain import discount_at
from rankproof.text import short

CUT = 3
RELS: Sequence[tuple[str, int | None]] = (("a", 2), ("b", 0), ("c", 3), ("d", None))
"""The ranking: docs from the top, each with its rel; the last one is not judged."""
LOST = ("e", 1)
"""A judged doc that is not retrieved."""
WIDE, HIGH, GAP = 44, 26, 14
"""How wide a bar is, how high a gain of 1, and how far apart bars are."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A doc at a rank: where its bar stands, how high the gain is, and what the discount leaves of it."""

    x: int
    rank: int
    doc: str
    rel: str
    gain: float
    worth: float
    relevant: bool
    within: bool
    share: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """A ranking in bars, and the sum of what they are worth."""

    title: str
    bars: tuple[Bar, ...]
    sum: str


@dataclass(frozen=True, slots=True)
class Example:
    """The drawn example of a measure.

    Attributes:
        discounted: whether gains and discounts matter to it; else only which docs are relevant.
        value: what the reference gives.
    """

    measure: str
    discounted: bool
    cut: int | None
    rankings: tuple[Ranked, ...]
    lost: tuple[str, int]
    value: str

    @property
    def width(self) -> int:
        """How wide the drawing of a ranking is."""
        return GAP + max(len(ranked.bars) for ranked in self.rankings) * (WIDE + GAP)


def example(name: str) -> Example | None:
    """The example of a measure of runs; None of one of labelings, or of one that cannot be told here."""
    if name not in MEASURES:
        return None
    asked = named(name)
    measure = cut_at(asked, CUT) if cutoff_of(asked) is not None else asked
    given = Input(
        qrels=tuple(("q", doc, rel) for doc, rel in (*RELS, LOST) if rel is not None),
        run=tuple(("q", doc, float(-nth), nth + 1) for nth, (doc, _) in enumerate(RELS)),
    )
    answers = ask(given, measure, "standard")
    if isinstance(answers, CannotTell):
        return None
    value = reading_of(answers, None)
    own = MEASURES[name].own_axes
    discounted, cut = "discount" in own, cutoff_of(measure)
    rankings = [_ranked("As it is ranked", RELS, cut)]
    if "ideal" in own:
        ideal = sorted(((doc, rel) for doc, rel in (*RELS, LOST) if rel), key=lambda pair: -(pair[1] or 0))
        rankings.append(_ranked("The ideal ranking", ideal, cut))
    return Example(str(measure), discounted, cut, tuple(rankings), LOST, short(value))


def _ranked(title: str, docs: Sequence[tuple[str, int | None]], cut: int | None) -> Ranked:
    bars, whole = [], 0.0
    for nth, (doc, rel) in enumerate(docs):
        rank, gain = nth + 1, float(rel or 0)
        worth = gain / to_float(discount_at(rank, "log2"))
        within = cut is None or rank <= cut
        whole += worth if within else 0.0
        bars.append(
            Bar(
                GAP + nth * (WIDE + GAP),
                rank,
                doc,
                "?" if rel is None else str(rel),
                gain * HIGH,
                worth * HIGH,
                bool(rel),
                within,
                short(worth),
            )
        )
    return Ranked(title, tuple(bars), short(whole))
