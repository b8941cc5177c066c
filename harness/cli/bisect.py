"""`rankproof bisect`: in which releases of a library the answers to a case changed."""

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof.cli.options import Verb, limits_of_worker, own_adapters, room_of_environments, version_in
from rankproof.interruption import INCOMPLETE
from rankproof.reference_impl.unusable import Unusable
from rankproof.saying import say, say_folded
from rankproof.text import number_of

if TYPE_CHECKING:
    from rankproof.cli.waiting import Observer
    from rankproof.history.release_search import Border
    from rankproof.history.releases import Release
    from rankproof.workers.sheets import Sheet


class NoTwoReleases(Unusable):
    """There are no two releases to look at."""


@click.command("bisect", cls=Verb)
@click.argument("library")
@click.argument("case")
@click.option("-m", "--measure", "measures", multiple=True, help="Ask these measures only, as in nDCG or nDCG@10.")
@click.option("--since", default="", metavar="VERSION", help="The oldest release to look at.")
@click.option("--until", default="", metavar="VERSION", help="The newest.")
@click.option(
    "--every", is_flag=True, help="Look at each release, also between two that answer alike; takes much longer."
)
@click.option("-j", "--at-once", type=click.IntRange(1), default=2, show_default=True, help="Workers at the same time.")
@room_of_environments
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@limits_of_worker
@own_adapters
def command(  # noqa: PLR0913 - one for each option
    *,
    library: str,
    case: str,
    measures: tuple[str, ...],
    since: str,
    until: str,
    every: bool,
    at_once: int,
    room: int,
    as_json: bool,
    timeout: float,
    memory: int,
    adapters: Path | None,
) -> int:
    """Name the releases of LIBRARY in which its answers to CASE changed.

    Releases are taken from the package registry; pre-releases, and those that were withdrawn, are passed over. The first release of each
    minor version is asked, and between two that answer otherwise the search goes on until they are neighbours. What was not looked at is
    told. Where two neighbours stand on other packages as well, one is asked once more on what the other stands on.

    Exit codes: 0 the search is done; 2 usage or bad input; 3 a release beside a change could not be asked.
    """
    from rankproof import cases as corpus  # noqa: PLC0415 - help answers without what follows
    from rankproof.cli.cases import path_of  # noqa: PLC0415
    from rankproof.cli.waiting import Observer  # noqa: PLC0415
    from rankproof.history.release_search import ReleaseSearch, held  # noqa: PLC0415
    from rankproof.report.bisect_text import lines_of_search, search_as_json  # noqa: PLC0415
    from rankproof.workers.known_libraries import library_named, with_own  # noqa: PLC0415
    from rankproof.workers.rounds import AskingOptions, select  # noqa: PLC0415

    wanted = library_named(library, with_own(adapters))
    cases = select([corpus.load(path_of(case))], (), measures)
    asking = AskingOptions(at_once, timeout, memory=memory)
    releases = _releases(wanted.sheet, since, until)
    with tempfile.TemporaryDirectory() as folder:
        observer = Observer(wanted, cases, asking, Path(folder), room)
        search = ReleaseSearch(releases, wanted.sheet, observer.look)
        search.run(every=every)
        borders = [_with_causes(held(border, wanted.sheet, observer.ask), observer) for border in search.borders]
    if as_json:
        say(json.dumps(search_as_json(search, borders), indent=1))
    else:
        for line in lines_of_search(search, borders):
            say_folded(line)
    return INCOMPLETE if not search.observed or any(border.skipped for border in borders) else 0


def _with_causes(border: "Border", observer: "Observer") -> "Border":
    """Infer the causes from all values of the measures that changed: both releases run every case of these."""
    from rankproof import cases as corpus  # noqa: PLC0415 - as above
    from rankproof.history.release_search import with_causes  # noqa: PLC0415 - as above
    from rankproof.workers.rounds import select  # noqa: PLC0415 - as above

    names = dict.fromkeys(move.measure for move in border.step.moves if not (move.is_new or move.is_gone))
    if not names:
        return border
    whole = replace(observer, cases=select(corpus.load_all(), (), [*names]), folder=observer.folder / "all cases")
    return with_causes(border, observer.library.sheet, whole.ask)


def _releases(sheet: "Sheet", since: str, until: str) -> "list[Release]":
    """The releases of a library within these bounds that this machine can have, the oldest first.

    Raises:
        NoTwoReleases: there are fewer than two, or it is no Python package.
    """
    from rankproof.history.releases import releases_of  # noqa: PLC0415 - as above

    if sheet.program is not None or sheet.command:
        raise NoTwoReleases(f"{sheet.library} is no Python package, so that the registry has no releases of it")
    oldest = version_in(since, "--since") if since else None
    newest = version_in(until, "--until") if until else None
    releases = [
        release
        for release in releases_of(sheet)
        if (oldest is None or release.version >= oldest) and (newest is None or release.version <= newest)
    ]
    if len(releases) < 2:  # noqa: PLR2004 - a change has two sides
        raise NoTwoReleases(
            f"{number_of(len(releases), 'release')} of {sheet.package or sheet.library} within these bounds, and a change takes two"
        )
    return releases
