"""`rankproof explain`: why tools differ on some data, and which conventions give a number that somebody printed."""

import json
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from rankproof.cli.options import Verb, limits_of_worker, measures_among, own_adapters, with_itself
from rankproof.saying import lines, say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankproof.explain.asked_data import AskedData
    from rankproof.explain.explanation import Explanation, Wish
    from rankproof.explain.library_today import Today
    from rankproof.reference_impl.notation import Measure
    from rankproof.workers.known_libraries import Library

    Ask = Callable[[AskedData, Measure, Callable[[str], object]], tuple[Today, ...]]

SECONDS = 5.0
"""How many seconds of CPU time the search for a number takes on much data."""
LITTLE = 20_000
"""The most rows and judgments for which a library with undetermined axes is run without `--library`."""
OUT = click.Path(dir_okay=False, writable=True, path_type=Path)


@click.command("explain", cls=Verb)
@click.argument("qrels")
@click.argument("run", nargs=-1, metavar="RUN... [MEASURE]...")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="One measure, as nDCG@10; one is always asked for.",
)
@click.option(
    "--as",
    "names",
    multiple=True,
    metavar="PROFILE",
    help="A library (sklearn, trec_eval) by its published fingerprint, a tool whose source was read (elasticsearch), or a profile "
    "(trec_eval-9, 'gain=exp'); the first is what the others are compared with. What a fingerprint leaves open is asked of the library, if "
    "it is there. Without it: standard, and every library.",
)
@click.option(
    "--value", "values", multiple=True, metavar="NUMBER", help="A number as it was printed: which conventions give it?"
)
@click.option(
    "--query", metavar="ID", help="One query, of which the ranks are shown side by side, by each of those compared."
)
@click.option(
    "--html",
    "page",
    type=OUT,
    metavar="FILE",
    help="Write all of it as one page, with charts, and the ranks of --query or of the query that differs most.",
)
@click.option(
    "--svg",
    "figure",
    type=OUT,
    metavar="FILE",
    help="Write the differences of the queries, and what ties can do, as a figure; of one run and one measure.",
)
@click.option(
    "--library",
    metavar="NAME",
    help="Run this library, as it is installed or in a release (sklearn@0.22, built if necessary): where does it depart from its published "
    "profile, and does it return the --value?",
)
@limits_of_worker
@own_adapters
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=SECONDS,
    show_default=True,
    metavar="S",
    help="How many seconds of CPU time the search for a number takes on much data, after all profiles were tried unchanged.",
)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(  # noqa: PLR0913 - an option each
    *,
    qrels: str,
    run: tuple[str, ...],
    measures: tuple[str, ...],
    names: tuple[str, ...],
    values: tuple[str, ...],
    query: str | None,
    page: Path | None,
    figure: Path | None,
    library: str | None,
    timeout: float,
    memory: int,
    adapters: Path | None,
    seconds: float,
    as_json: bool,
) -> None:
    """Say why tools give different numbers for RUN and QRELS, which queries decide, and what else could move them.

    One of the files may be -, the standard input. A table whose rows have the relevant and the retrieved ids of a question goes alone.

    \b
    rankproof explain qrels.txt run.txt -m P@10
    rankproof explain qrels.txt run.txt -m nDCG@10 --as trec_eval-9 --as sklearn/rows --as ranx
    rankproof explain qrels.txt run.txt -m nDCG@10 --value .3016 --value .3112
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rankproof.evaluate.tasks import ranking_measure  # noqa: PLC0415 - a verb is imported when it is asked for
    from rankproof.explain.explanation import Wish  # noqa: PLC0415 - as above
    from rankproof.explain.printed_number import wanted  # noqa: PLC0415 - as above

    run, more = measures_among(run)
    if not measures and not more:
        raise click.UsageError("say which measure: -m nDCG@10", click.get_current_context())
    asked = [ranking_measure(measure) for measure in dict.fromkeys(measures + more)]
    if values and len(asked) > 1:
        raise click.UsageError("--value is a number of one measure; ask each measure for itself")
    if figure is not None and (len(run) > 1 or len(asked) > 1):
        raise click.UsageError("--svg is a figure of one run and one measure; ask each for itself")
    called = tuple(dict.fromkeys(names))
    wish = Wish(called, tuple(wanted(text) for text in dict.fromkeys(values)), query, page is not None, seconds)
    libraries = _Libraries(adapters, timeout, memory)
    told = _explained(qrels, run or with_itself(qrels, {}), asked, wish, libraries, library)
    if page is not None or figure is not None:
        _draw(told, page, figure)
    if query is None:
        told = [[replace(one, side_by_side=None) for one in of_a_measure] for of_a_measure in told]
    if as_json:
        _write(told)
    else:
        _say(told, several=len(run) > 1 or len(asked) > 1)


def _explained(
    qrels: str,
    runs: tuple[str, ...],
    measures: "list[Measure]",
    wish: "Wish",
    libraries: "_Libraries",
    named: str | None,
) -> "list[list[Explanation]]":
    """By measure, what is explained of each run."""
    from rich.console import Console  # noqa: PLC0415 - as above

    from rankproof.explain.explanation import explain, left_open, with_libraries  # noqa: PLC0415 - as above
    from rankproof.explain.reading_data import read_data  # noqa: PLC0415 - as above
    from rankproof.text import one_line  # noqa: PLC0415 - as above

    with Console(stderr=True).status(lines(one_line(f"reading {', '.join((qrels, *runs))}"))) as status, libraries:
        ask = [] if named is None else [libraries.started(named)]
        data = read_data(qrels, runs, wish.names)

        def of(system: str, measure: "Measure") -> "Explanation":
            def say_what(what: str) -> None:
                status.update(lines(one_line(f"{measure} of {system}: {what}")))

            about = data[system], measure, say_what
            told = explain(system, data[system], measure, wish, say_what)
            found = [one for asked in ask for one in asked(*about)]
            for name in left_open(told) if wish.names else ():
                names = {one.name for one in found}
                found += [one for one in libraries.open_choices(name, *about) if one.name not in names]
            return with_libraries(told, tuple(found))

        return [[of(system, measure) for system in data] for measure in measures]


@dataclass
class _Libraries:
    """The libraries to run, each started once."""

    adapters: Path | None
    timeout: float
    memory: int
    _asked: "dict[str, Ask]" = field(default_factory=dict)
    _workers: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.close()

    def open_choices(self, name: str, data: "AskedData", *about: Any) -> "tuple[Today, ...]":  # noqa: ANN401 - the measure, and whom to tell
        """Run a library with undetermined axes, if it is installed and the data are few."""
        from rankproof.explain.library_today import CannotBeAsked, Today  # noqa: PLC0415 - as above

        if data.size > LITTLE:
            return (
                Today(name, trouble=f"its profile leaves something open; on so much data --library {name} asks it"),
            )
        try:
            return self.started(name)(data, *about)
        except CannotBeAsked as why:
            return (Today(name, trouble=f"what its profile leaves open cannot be asked: {why.reason}"),)

    def started(self, name: str) -> "Ask":
        """Return what asks a library, or a release of one (`sklearn@0.22`), whose worker is started.

        Raises:
            UnknownLibrary: there is none of that name.
            NoSuchEnvironment: its sheet names no such release.
            NotInstalled: it is not there, or the release cannot be built.
            CannotBeAsked: it has no adapter that can be used, or its worker failed.
        """
        if name not in self._asked:
            self._asked[name] = self._start(name)
        return self._asked[name]

    def _start(self, name: str) -> "Ask":
        from rankproof.cli.libraries import how_to_install  # noqa: PLC0415 - as above
        from rankproof.evaluate.read_profiles import tool_of  # noqa: PLC0415 - as above
        from rankproof.explain.library_today import CannotBeAsked, greeted, today  # noqa: PLC0415 - as above
        from rankproof.workers.known_libraries import UnknownLibrary, chosen, with_own  # noqa: PLC0415 - as above
        from rankproof.workers.library_worker import worker_of  # noqa: PLC0415 - as above

        bare, _, release = name.partition("@")
        try:
            library = chosen((bare,), with_own(self.adapters))[0]
        except UnknownLibrary as unknown:
            usual = _usual(bare)
            if usual not in {None, bare}:
                return self._start(f"{usual}@{release}" if release else usual)
            if usual is None and tool_of(name) is None:
                raise
            known = "what was read in a source of it" if usual is None else "its published profile"
            raise CannotBeAsked(
                f"it has no adapter, and cannot be asked; --as {name} compares {known}", name
            ) from unknown
        if library.fault:
            raise CannotBeAsked(library.fault)
        python, variables = _interpreter(library, release)
        worker = worker_of(library, python, self.timeout, memory=self.memory, environment=variables)
        self._workers.enter_context(worker)
        return partial(today, library, worker, greeted(library, worker, how_to_install(library)))


def _interpreter(library: "Library", release: str) -> "tuple[str, Mapping[str, str]]":
    """Return the interpreter that has a library, and the variables of its worker; of a release, in an environment that is built for it."""
    from rankproof.explain.library_today import NotInstalled  # noqa: PLC0415 - as above
    from rankproof.history.at_hand import NotBuilt, python_of  # noqa: PLC0415 - as above
    from rankproof.history.environment_builds import ONE_THREAD, build  # noqa: PLC0415 - as above
    from rankproof.history.plans import NoSuchEnvironment, chosen_plans, plans_of  # noqa: PLC0415 - as above

    if not release:
        try:
            return python_of(library), {}
        except NotBuilt as why:
            raise NotInstalled(str(why), library.name) from why
    plans = plans_of(library.sheet)
    try:
        plan = chosen_plans([f"{library.name}@{release}"], plans)[-1]
    except NoSuchEnvironment:
        plan = chosen_plans([f"{library.name}@{release}.*"], plans)[-1]  # 0.22 is 0.22.2
    built = build(plan, library)
    if built.folder is None:
        raise NotInstalled(built.why, plan.name)
    return built.python, {**ONE_THREAD, **built.variables}


def _usual(name: str) -> str | None:
    """The library and variant of a published name, which may be of a variant alone or have a version; None for any other."""
    from rankproof.evaluate.library_profiles import is_published, subject_named  # noqa: PLC0415 - as above

    if not is_published(name):
        return None
    subject = subject_named(name)
    return f"{subject.library}/{subject.variant}"


def _say(told: "list[list[Explanation]]", *, several: bool) -> None:
    from rankproof.report.explanation_text import places, screen  # noqa: PLC0415 - as above
    from rankproof.text import folded  # noqa: PLC0415 - as above

    for of_a_measure in told:
        for one in of_a_measure:
            say(screen(one, heading=several) + "\n" * several)
        if len(of_a_measure) > 1:
            say(folded(f"{of_a_measure[0].measure}: {places(_pairs(of_a_measure), len(of_a_measure))}", 2))


def _draw(told: "list[list[Explanation]]", page: Path | None, figure: Path | None) -> None:
    from rankproof.report.explanation_text import places  # noqa: PLC0415 - as above
    from rankproof.site import explanation_page  # noqa: PLC0415 - as above

    if page is not None:
        several = [one for one in told if len(one) > 1]
        moved = [f"{one[0].measure}: {places(_pairs(one), len(one))}" for one in several]
        page.write_text(explanation_page.page([each for one in told for each in one], moved), encoding="utf-8")
    if figure is not None:
        figure.write_text(explanation_page.figure(told[0][0]), encoding="utf-8")


def _write(told: "list[list[Explanation]]") -> None:
    from rankproof.report.explanation_json import as_json  # noqa: PLC0415 - as above

    found = {
        "explained": [as_json(one) for of_a_measure in told for one in of_a_measure],
        "may_change_places": {str(of_a_measure[0].measure): _pairs(of_a_measure) for of_a_measure in told},
    }
    say(json.dumps(found, allow_nan=False, indent=2))


def _pairs(told: "list[Explanation]") -> list[tuple[str, str]]:
    """The runs that can change places by the order of their tied docs."""
    from rankproof.explain.tie_envelope import may_change_places  # noqa: PLC0415 - as above

    return may_change_places({one.system: one.envelope for one in told}, {one.system: one.plain for one in told})
