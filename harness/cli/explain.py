"""`rankproof explain`: find out why tools differ on a run, and which conventions give a printed number."""

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof.cli.options import FILE, as_json, details, run_within_qrels, seconds_of, split_measures
from rankproof.terminal import lines, say
from rankproof.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rankproof.explain.explanation import Explanation
    from rankproof.explain.library_run import LibraryAnswer
    from rankproof.explain.run_data import RunData
    from rankproof.reference_impl.notation import Measure
    from rankproof.workers.known_libraries import Library


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
    "compared with each of the others [standard with every library].",
)
@click.option("--value", "values", multiple=True, metavar="NUMBER", help="A printed number to reproduce.")
@click.option("--query", metavar="ID", help="Show the rankings of one query side by side.")
@click.option("--html", "page", type=FILE, metavar="FILE", help="Write a page with everything and charts.")
@click.option(
    "--library", metavar="NAME[@RELEASE]", help="Run this library, and compare it with its profile and the --value."
)
@click.option("--seconds", type=float, callback=seconds_of, default=5, help="CPU time to search for a --value [5].")
@details
@as_json
def command(
    *,
    qrels: str,
    run: tuple[str, ...],
    measures: tuple[str, ...],
    names: tuple[str, ...],
    values: tuple[str, ...],
    query: str | None,
    page: Path | None,
    library: str | None,
    seconds: float,
    details: bool,
    as_json: bool,
) -> None:
    """Explain why tools give different numbers for RUN and QRELS.

    `-` is standard input. Omit RUN if each row of QRELS has relevant and retrieved ids.

    \b
    rankproof explain qrels.txt run.txt nDCG@10
    rankproof explain qrels.txt run.txt nDCG@10 --as trec_eval --as sklearn/rows
    rankproof explain qrels.txt run.txt nDCG@10 --value 0.3016 --value 0.3112
    """
    from rich.console import Console

    from rankproof.evaluate.tasks import ranking_measure
    from rankproof.explain.api import read_data
    from rankproof.explain.explanation import explain
    from rankproof.explain.printed_number import parse_number
    from rankproof.report import explain as report

    runs, more = split_measures(run)
    all_measures = [ranking_measure(measure) for measure in dict.fromkeys(measures + more)]
    if not all_measures:
        raise click.UsageError("Name a measure, such as nDCG@10.", click.get_current_context())
    if values and len(all_measures) > 1:
        raise click.UsageError("--value needs exactly one measure.")
    numbers = [parse_number(text) for text in dict.fromkeys(values)]
    names, runs = tuple(dict.fromkeys(names)), runs or run_within_qrels(qrels, {})
    with (
        Console(stderr=True).status(lines(one_line(f"reading {', '.join((qrels, *runs))}"))) as status,
        _library(library) as run_on,
    ):
        data = read_data(qrels, runs, names)

        def explained(system: str, measure: "Measure") -> "Explanation":
            def on_progress(step: str) -> None:
                status.update(lines(one_line(f"{measure} of {system}: {step}")))

            about = system, data[system], measure, names, numbers
            result = explain(*about, query=query, seconds=seconds, on_progress=on_progress)
            return replace(result, libraries=tuple(run_on(data[system], measure)))

        explanations = [explained(system, measure) for measure in all_measures for system in data]
    if page is not None:
        from rankproof.report.site import explanation_page

        page.write_text(explanation_page.page(explanations), encoding="utf-8")
    if as_json:
        say(report.as_json(explanations))
        return
    heading = len(explanations) > 1
    say("\n\n".join(report.text_of(explanation, details=details, heading=heading) for explanation in explanations))


@contextmanager
def _library(name: str | None) -> "Iterator[Callable[[RunData, Measure], list[LibraryAnswer]]]":
    """Start the worker of a library, and yield a function that runs the library on data.

    Raises:
        UnknownLibrary: the library is unknown.
        NoSuchEnvironment: the sheet of the library does not list the release.
        CannotBeRun: the library is not installed or has no adapter, or its worker failed.
    """
    if name is None:
        yield lambda _data, _measure: []
        return
    from rankproof.evaluate.read_profiles import tool_of
    from rankproof.explain.library_run import CannotBeRun, run_library
    from rankproof.history.installed import how_to_install
    from rankproof.workers.known_libraries import UnknownLibrary, chosen, with_own
    from rankproof.workers.library_worker import worker_of

    bare, _, release = name.partition("@")
    try:
        library = chosen((bare,), with_own(None))[0]
    except UnknownLibrary as unknown:
        if tool_of(bare) is None:
            raise
        raise CannotBeRun(f"--library {bare}: {bare} has no adapter. Use its profile: --as {bare}") from unknown
    python, variables = _interpreter(library, release)
    with worker_of(library, python, environment=variables) as worker:
        yield partial(run_library, library, worker, how_to_install(library))


def _interpreter(library: "Library", release: str) -> "tuple[str, Mapping[str, str]]":
    """Return the interpreter of a library and its environment variables; for a release, build an environment."""
    from rankproof.explain.library_run import CannotBeRun
    from rankproof.history.environment_builds import ONE_THREAD, build
    from rankproof.history.installed import NotBuilt, python_of
    from rankproof.history.plans import NoSuchEnvironment, chosen_plans, plans_of

    if not release:
        try:
            return python_of(library), {}
        except NotBuilt as why:
            raise CannotBeRun(f"--library {library.name}: {why}") from why
    plans = plans_of(library.sheet)
    try:
        plan = chosen_plans([f"{library.name}@{release}"], plans)[-1]
    except NoSuchEnvironment:
        plan = chosen_plans([f"{library.name}@{release}.*"], plans)[-1]  # 0.22 is 0.22.2
    built = build(plan, library)
    if built.folder is None:
        raise CannotBeRun(f"--library {plan.name}: {built.why}")
    return built.python, {**ONE_THREAD, **built.variables}
