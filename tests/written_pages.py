"""Pages of the site as they are written."""

from rankproof.site import building
from rankproof.site.page_sources import Told


def written(told: Told, template: str, view: object, path: str = "index.html") -> str:
    """A page, from what its template is given."""
    return building._rendered(told, path, template, view)  # type: ignore[arg-type]
