"""Badges: the conventions of a library or a signature as SVG."""

from collections.abc import Mapping
from html import escape

from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import STANDARD
from rankproof.report.picture import HEADS

MOST = 3
"""Conventions that are listed."""
CHARACTER, PADDING, HEIGHT = 6.6, 12, 20
BLUE, ORANGE = "#0969da", "#9a5b00"


def of_library(form: Fingerprint) -> str:
    """Return the badge of a library: its conventions, and how many values they explain; orange if not all."""
    conventions = {finding.axis: finding.value or "" for finding in form.differing}
    message = f"{_listed(conventions)} · {form.explained} of {form.asked} values"
    return _svg(form.key, message, BLUE if form.explained == form.asked else ORANGE)


def of_signature(signature: Signature) -> str:
    """Return the badge of a signature, such as `check` prints; orange if an axis is undetermined."""
    different = STANDARD.differences(signature.conventions)
    conventions = {axis: value for axis, value in different.items() if axis not in signature.open}
    undetermined = f" · {len(signature.open)} undetermined" if signature.open else ""
    return _svg(str(signature.measure), _listed(conventions) + undetermined, ORANGE if signature.open else BLUE)


def _listed(conventions: Mapping[str, str]) -> str:
    order = {axis: at for at, axis in enumerate(HEADS)}
    named = [
        f"{axis}={conventions[axis]}" for axis in sorted(conventions, key=lambda axis: order.get(axis, len(order)))
    ]
    more = [f"and {len(named) - MOST} more"] if len(named) > MOST else []
    return ", ".join([*named[:MOST], *more]) or "standard"


def _svg(label: str, message: str, shade: str) -> str:
    left, right = (round(CHARACTER * len(text)) + PADDING for text in (label, message))
    label, message = escape(label), escape(message)
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img" ',
            f'aria-label="{label}: {message}"><title>{label}: {message}</title>',
            f'<rect width="{left}" height="{HEIGHT}" fill="#24292f"/>',
            f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="{shade}"/>',
            '<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle">',
            f'<text x="{left / 2:g}" y="14">{label}</text>',
            f'<text x="{left + right / 2:g}" y="14">{message}</text></g></svg>\n',
        )
    )
