"""Badges: the conventions that somebody follows for a measure, and how many answers prove it; never a percentage, never a rank.

As JSON in the form that shields' endpoint reads, and as SVG that needs nothing but itself.
"""

from dataclasses import dataclass
from html import escape
from typing import Any

from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.reference_impl.unusable import Unusable
from rankproof.report.choice_matrix import HEADS

LEADING = tuple(HEADS)
MOST = 3
"""How many conventions a badge has room for."""
CHARACTER, BESIDE, HIGH = 6.6, 12, 20
PROVED, NOT_ALL = "blue", "orange"
SHADES = {"blue": "#0969da", "orange": "#9a5b00"}


class NoBadge(Unusable):
    """There is nothing to make a badge of."""


@dataclass(frozen=True, slots=True)
class Badge:
    """What a badge says: of which measure, by which conventions, how many answers they explain."""

    measure: str
    conventions: tuple[str, ...]
    explained: int
    asked: int

    @property
    def message(self) -> str:
        """The conventions that are not as in `standard`, then the count."""
        more = len(self.conventions) - MOST
        named = [*self.conventions[:MOST], *([f"and {more} more"] if more > 0 else [])]
        return f"{', '.join(named) or 'as standard'} · {self.explained} of {self.asked} answers"

    @property
    def color(self) -> str:
        """Blue where the conventions explain every answer, else orange."""
        return PROVED if self.explained == self.asked else NOT_ALL


def of_library(found: Fingerprint) -> Badge:
    """The badge of a library by its fingerprint."""
    leading = sorted(found.differing, key=lambda one: LEADING.index(one.axis) if one.axis in HEADS else len(LEADING))
    return Badge(found.key, tuple(f"{one.axis}={one.value}" for one in leading), found.explained, found.asked)


def of_check(told: Any) -> Badge:  # noqa: ANN401 - JSON that follows the schema of check
    """Return the badge of a function, from the output of `rankproof check --json`: its values on ordinary input.

    Raises:
        NoBadge: the function is not the measure.
    """
    if not told["holds"]:
        raise NoBadge(f"There is no badge for {told['name']}: {told['headline']}")
    conventions = tuple(word for word in told["profile"].split() if "=" in word)
    return Badge(told["measure"], conventions, told["explained"], told["values"])


def as_endpoint(badge: Badge) -> dict[str, Any]:
    """The badge in the form of shields' endpoint."""
    return {"schemaVersion": 1, "label": badge.measure, "message": badge.message, "color": badge.color}


def svg(badge: Badge) -> str:
    """The badge as a picture."""
    left, right = (round(CHARACTER * len(text)) + BESIDE for text in (badge.measure, badge.message))
    whole, told, shade = left + right, escape(f"{badge.measure}: {badge.message}"), SHADES[badge.color]
    size = f'width="{whole}" height="{HIGH}"'
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{told}"><title>{told}</title>',
            f'<rect width="{left}" height="{HIGH}" fill="#24292f"/>',
            f'<rect x="{left}" width="{right}" height="{HIGH}" fill="{shade}"/>',
            '<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle">',
            f'<text x="{left / 2:g}" y="14">{escape(badge.measure)}</text>',
            f'<text x="{left + right / 2:g}" y="14">{escape(badge.message)}</text></g></svg>\n',
        )
    )
