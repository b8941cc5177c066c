"""`rankproof explain`: why tools differ on a run, and which conventions give a printed number."""

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof.cli.options import FILE, as_json, details, measures_among, own_adapters, seconds_of, with_itself
from rankproof.saying import lines, say
from rankproof.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rankproof.explain.asked_data import AskedData
    from rankproof.explain.explanation import Explanation, Wish
    from rankproof.explain.library_today import Today
    from rankproof.reference_impl.notation import Measure
    from rankproof.workers.known_libraries import Library

    Ask = Callable[[AskedData, Measure, Callable[[str], object]], tuple[Today, ...]]


@click.command("explain")
@click.argument("qrels")
@click.argument("run", nargs=-1, metavar="RUN... [MEASURE]...")
@click.option("-m", "--measure", "measures", multiple=True, help="A measure, such as nDCG@10.")
@click.option(
    "--as",
    "names",
    multiple=True,
    metavar="PROFILE",
    help="A library (sklearn), a tool whose source was read (elasticsearch), or a profile (trec_eval-9, 'gain=exp'). The first is "
    "compared with the others [standard with every library].",
)
@click.option("--value", "values", multiple=True, metavar="NUMBER", help="A number as it was printed: what gives it?")
@click.option("--query", metavar="ID", help="Show the rankings of one query side by side.")
@click.option("--html", "page", type=FILE, metavar="FILE", help="Write a page with everything and charts.")
@click.option("--library", metavar="NAME", help="Run this library, and compare it with its profile and the --value.")
@own_adapters
@click.option("--seconds", type=float, callback=seconds_of, default=5, help="CPU time to search for a --value [5].")
@details
@as_json
def command(  # noqa: PLR0913 - one for each option
    *,
    qrels: str,
    run: tuple[str, ...],
    measures: tuple[str, ...],
    names: tuple[str, ...],
    values: tuple[str, ...],
    query: str | None,
    page: Path | None,
    library: str | None,
    adapters: Path | None,
    seconds: float,
    details: bool,
    as_json: bool,
) -> None:
    """Explain why tools give different numbers for RUN and QRELS.

    QRELS or RUN may be -, the standard input. A table whose rows have relevant and retrieved ids needs no RUN.

    \b
    rankproof explain qrels.txt run.txt nDCG@10
    rankproof explain qrels.txt run.txt nDCG@10 --as trec_eval --as sklearn/rows
    rankproof explain qrels.txt run.txt nDCG@10 --value 0.3016 --value 0.3112
    """  # noqa: D301 - click's mark for lines that are not wrapped
    from rich.console import Console  # noqa: PLC0415 - help works without what follows

    from rankproof.evaluate.tasks import ranking_measure  # noqa: PLC0415
    from rankproof.explain.explanation import Wish, explain, with_libraries  # noqa: PLC0415
    from rankproof.explain.printed_number import wanted  # noqa: PLC0415
    from rankproof.explain.reading_data import read_data  # noqa: PLC0415

    runs, more = measures_among(run)
    asked_measures = [ranking_measure(measure) for measure in dict.fromkeys(measures + more)]
    if not asked_measures:
        raise click.UsageError("Name a measure, such as nDCG@10.", click.get_current_context())
    if values and len(asked_measures) > 1:
        raise click.UsageError("--value needs exactly one measure.")
    numbers = tuple(wanted(text) for text in dict.fromkeys(values))
    wish = Wish(tuple(dict.fromkeys(names)), numbers, query, page is not None, seconds)
    runs = runs or with_itself(qrels, {})
    with (
        Console(stderr=True).status(lines(one_line(f"reading {', '.join((qrels, *runs))}"))) as status,
        _library(library, adapters) as ask,
    ):
        data = read_data(qrels, runs, wish.names)

        def explained(system: str, measure: "Measure") -> "Explanation":
            def on_progress(step: str) -> None:
                status.update(lines(one_line(f"{measure} of {system}: {step}")))

            result = explain(system, data[system], measure, wish, on_progress)
            return with_libraries(result, ask(data[system], measure, on_progress))

        explanations = [[explained(system, measure) for system in data] for measure in asked_measures]
    _print(explanations, page, wish, details=details, as_json=as_json)


@contextmanager
def _library(name: str | None, adapters: Path | None) -> "Iterator[Ask]":
    """Start the worker of a library, and yield what runs it on data.

    Raises:
        UnknownLibrary: the library is unknown.
        NoSuchEnvironment: its sheet names no such release.
        CannotBeAsked: it is not installed, has no adapter, or its worker failed.
    """
    if name is None:
        yield lambda *_: ()
        return
    from rankproof.evaluate.library_profiles import is_published, subject_named  # noqa: PLC0415 - as above
    from rankproof.evaluate.read_profiles import tool_of  # noqa: PLC0415
    from rankproof.explain.library_today import CannotBeAsked, greeted, today  # noqa: PLC0415
    from rankproof.history.installed import how_to_install  # noqa: PLC0415
    from rankproof.workers.known_libraries import UnknownLibrary, chosen, with_own  # noqa: PLC0415
    from rankproof.workers.library_worker import worker_of  # noqa: PLC0415

    bare, _, release = name.partition("@")
    libraries = with_own(adapters)
    try:
        library = chosen((bare,), libraries)[0]
    except UnknownLibrary as unknown:
        if tool_of(bare) is not None:
            raise CannotBeAsked(f"it has no adapter: compare its profile with --as {bare}", bare) from unknown
        if not is_published(bare):
            raise
        subject = subject_named(bare)
        library = chosen((f"{subject.library}/{subject.variant}",), libraries)[0]
    if library.fault:
        raise CannotBeAsked(library.fault)
    python, variables = _interpreter(library, release)
    with worker_of(library, python, environment=variables) as worker:
        yield partial(today, library, worker, greeted(library, worker, how_to_install(library)))


def _interpreter(library: "Library", release: str) -> "tuple[str, Mapping[str, str]]":
    """Return the interpreter that has a library, and the variables of its worker; for a release, an environment is built."""
    from rankproof.explain.library_today import NotInstalled  # noqa: PLC0415 - as above
    from rankproof.history.at_hand import NotBuilt, python_of  # noqa: PLC0415
    from rankproof.history.environment_builds import ONE_THREAD, build  # noqa: PLC0415
    from rankproof.history.plans import NoSuchEnvironment, chosen_plans, plans_of  # noqa: PLC0415

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


def _print(
    explanations: "list[list[Explanation]]", page: Path | None, wish: "Wish", *, details: bool, as_json: bool
) -> None:
    """Print the explanations of each measure and run, and write the page."""
    from rankproof.explain.tie_envelope import may_change_places  # noqa: PLC0415 - as above
    from rankproof.report import explain as report  # noqa: PLC0415

    swaps = {
        str(runs[0].measure): may_change_places(
            {run.system: run.envelope for run in runs}, {run.system: run.sayings[0].answers for run in runs}
        )
        for runs in explanations
    }
    several = [runs for runs in explanations if len(runs) > 1]
    places = [f"{runs[0].measure}: {report.places(swaps[str(runs[0].measure)], len(runs))}" for runs in several]
    if page is not None:
        from rankproof.report.site import explanation_page  # noqa: PLC0415

        page.write_text(explanation_page.page([run for runs in explanations for run in runs], places), encoding="utf-8")
    if wish.query is None:
        explanations = [[replace(run, side_by_side=None) for run in runs] for runs in explanations]
    if as_json:
        say(report.as_json(explanations, swaps))
        return
    heading = len(explanations) > 1 or bool(several)
    texts = [report.text_of(run, details=details, heading=heading) for runs in explanations for run in runs]
    say("\n\n".join([*texts, *places]))
