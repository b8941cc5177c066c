"""Pages of the site as they are written, and what a reader sees of them."""

import html
import re

from rankproof.site import building
from rankproof.site.page_sources import Told


def written(told: Told, template: str, view: object, path: str = "index.html") -> str:
    """A page, from what its template is given."""
    return building._rendered(told, path, template, view)  # type: ignore[arg-type]


def words(text: str) -> str:
    """What is read, without tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())
