"""Pages of the site as they are written."""

from collections.abc import Iterable

from seen_pages import head_of, main_of, without_spaces

from rankproof.site import building
from rankproof.site.page_sources import Told


def written(told: Told, template: str, view: object, path: str = "index.html") -> str:
    """A page, from what its template is given."""
    return building._rendered(told, path, template, view)  # type: ignore[arg-type]


def assert_shows(told: Told, template: str, view: object, head: tuple[str, str], main: Iterable[str]) -> None:
    """A page in a folder has this title, says this of itself to who searches, and has these sections."""
    page = written(told, template, view, "folder/x.html")
    assert head_of(page) == tuple(map(without_spaces, head))
    assert main_of(page) == list(main)
