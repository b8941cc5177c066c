"""What came of bisecting: in which releases answers changed, and what was not looked at; in the terminal and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from rankproof.history.release_search import Border, ReleaseSearch
from rankproof.history.releases import Release
from rankproof.report.history_text import beside, move_as_json, sentence_of
from rankproof.text import number_of


def lines_of_search(search: ReleaseSearch, borders: Sequence[Border]) -> Iterator[str]:
    """A heading, a line for each release that changed an answer, and what was not looked at."""
    asked = len(search.observed)
    changes = len(borders)
    title = search.sheet.title or search.sheet.library
    if not asked:
        yield f"{title}: no release could be asked"
    else:
        times = number_of(changes, "change") if changes else "no change"
        yield f"{title}: {times} in the {number_of(asked, 'release')} asked, {min(search.observed)} to {max(search.observed)}"
    for border in borders:
        yield from _lines_of_border(border)
    for runs, why in (
        ([run for run in search.unseen if not search.is_beside_failed(run)], "the releases around answer alike"),
        ([run for run in search.unseen if search.is_beside_failed(run)], "a release beside them could not be asked"),
    ):
        if runs:
            yield f"not looked at, as {why}: {', '.join(map(_range, runs))}"
    for version, why in sorted(search.failed.items()):
        yield f"could not be asked: {version}: {why}"


def _lines_of_border(border: Border) -> Iterator[str]:
    day = f" ({border.new.uploaded})" if border.new.uploaded else ""
    between = f", or one of {_range(border.skipped)}, which could not be asked" if border.skipped else ""
    yield f"  {border.new.version}{day}{between}; until {border.old.version} it was otherwise{cause_of(border)}"
    for move in border.step.moves:
        yield f"    {sentence_of(move)}"


def cause_of(border: Border) -> str:
    """What the change hangs on: the release, or what it stands on."""
    others = beside(border.step)
    if border.is_of_the_library is None:
        return f"; what it stands on differs, too, and could not be held:{others}"
    if not others:
        return ""
    if border.is_of_the_library:
        return ", also where both stand on the same"
    return f"; not by the release: where both stand on the same they answer alike{others}"


def _range(releases: Sequence[Release]) -> str:
    first, last = releases[0].version, releases[-1].version
    return str(first) if len(releases) == 1 else f"{first} to {last} ({len(releases)} releases)"


def search_as_json(search: ReleaseSearch, borders: Sequence[Border]) -> dict[str, Any]:
    """All of it, for programs."""
    return {
        "library": search.sheet.library,
        "asked": [str(version) for version in sorted(search.observed)],
        "changes": [_border_as_json(border) for border in borders],
        "not_looked_at": [[str(release.version) for release in releases] for releases in search.unseen],
        "could_not_be_asked": {str(version): why for version, why in sorted(search.failed.items())},
    }


def _border_as_json(border: Border) -> dict[str, Any]:
    return {
        "from": str(border.old.version),
        "to": str(border.new.version),
        "released": border.new.uploaded,
        "skipped": [str(release.version) for release in border.skipped],
        "by_the_release": border.is_of_the_library,
        "also_differs": [{"package": name, "before": old, "after": new} for name, old, new in border.step.dependencies],
        "changes": [move_as_json(move) for move in border.step.moves],
    }
