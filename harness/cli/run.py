"""`rankproof run`: run libraries on the cases, judge the values, and write results and a report."""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from rankproof import cases as corpus
from rankproof.cli import progress
from rankproof.cli.options import (
    FILE,
    FOLDER,
    as_json,
    details,
    jobs,
    limits_of_worker,
    own_adapters,
    room_of_environments,
)
from rankproof.cli.program import BAD_INPUT, FAILS
from rankproof.codec import encode
from rankproof.files import check_writable, together
from rankproof.files import publish as put
from rankproof.history.environment_builds import ONE_THREAD
from rankproof.history.installed import Runnable, how_to_install, runnable
from rankproof.inference import fingerprint_file
from rankproof.interruption import INCOMPLETE
from rankproof.judge import results_file
from rankproof.judge.fingerprints import observations_of
from rankproof.judge.library_defects import to_try, with_defects
from rankproof.judge.published_answers import published_before
from rankproof.judge.runs import Run, judge_all, other_version
from rankproof.judge.verdicts import Verdict
from rankproof.reference_impl.unusable import Unusable
from rankproof.report import last_run
from rankproof.report import run as rendered
from rankproof.report.run_report import Report, RunReport
from rankproof.terminal import say, say_folded
from rankproof.text import one_line
from rankproof.workers.known_libraries import Library, chosen, usable, with_own
from rankproof.workers.library_worker import seconds_since
from rankproof.workers.rounds import AskingOptions, LibraryAnswers, select, stores
from rankproof.workers.store import digest_of_files


class NothingInstalled(Unusable):
    """A run without an installed library."""


@dataclass(frozen=True)
class Request:
    """Options of `rankproof run`."""

    names: tuple[str, ...]
    globs: tuple[str, ...]
    measures: tuple[str, ...]
    out: Path
    publish: Path | None
    junit: Path | None
    probe: bool
    environments: tuple[str, ...]
    room: int
    fresh: bool
    jobs: int
    timeout: float
    memory: int
    adapters: Path | None
    details: bool
    as_json: bool

    @property
    def is_whole(self) -> bool:
        """Whether the whole corpus is run."""
        return not self.globs and not self.measures

    @property
    def folder(self) -> Path:
        """The folder of the results."""
        return self.publish or self.out

    @property
    def page(self) -> str:
        """The file name of the report."""
        return "README.md" if self.publish else "report.md"


@click.command("run")
@click.option("-l", "--library", "names", multiple=True, help="Only these libraries or variants, such as 'sklearn*'.")
@click.option("-c", "--case", "globs", multiple=True, metavar="GLOB", help="Only these cases, such as 'ties/*'.")
@click.option("-m", "--measure", "measures", multiple=True, help="Only these measures, such as nDCG or nDCG@10.")
@click.option("-o", "--out", type=FOLDER, default="out", show_default=True, help="Folder of results/ and report.md.")
@click.option(
    "--publish",
    type=FOLDER,
    help="Write results/, README.md and fingerprint.json here if the whole corpus was run and everything holds.",
)
@click.option("--junit", type=FILE, help="Also write JUnit XML to this file.")
@click.option("--probe", is_flag=True, help="Test laws that need no expected values, such as row order independence.")
@click.option(
    "--env",
    "environments",
    multiple=True,
    metavar="ENVIRONMENT",
    help="Run libraries in environments of other versions: all, sklearn, sklearn@1.0.2, 'sklearn@>=1.0'.",
)
@room_of_environments
@click.option("--fresh", is_flag=True, help="Run everything twice, without stored values.")
@jobs
@limits_of_worker
@own_adapters
@details
@as_json
def command(**options: Any) -> int:  # noqa: ANN401 - the fields of a request
    """Run every library on every case, judge the values, and write results and a report.

    Values are stored by library version and input, so only changes run again. Each test runs twice, unless the
    published run has the same value of the same version.

    \b
    rankproof run -l sklearn -c 'ties/*'
    rankproof run --probe -l ranx
    """
    request = Request(**options)
    libraries = chosen(request.names, with_own(request.adapters))
    if request.probe:
        return _probe(libraries, request)
    there = runnable(libraries, request.names)
    check_writable(request.folder / results_file.FOLDER)
    settings = AskingOptions(
        request.jobs, request.timeout, there.pythons, request.fresh, memory=request.memory, environment=ONE_THREAD
    )
    if request.environments:
        return _run_versions(libraries, request, settings)
    report, why_unpublished = _run(request, there, settings)
    say(encode(report, indent=2) if request.as_json else "\n".join(rendered.text(report, details=request.details)))
    if why_unpublished:
        say(f"not published: {why_unpublished}", err=True)
    if report.complaints:
        return FAILS
    return BAD_INPUT if why_unpublished else 0 if report.values else INCOMPLETE


def _run(request: Request, there: Runnable, settings: AskingOptions) -> tuple[RunReport, str]:
    """Run and judge cases, and write results. Return the report, and why it was not published despite --publish."""
    started = time.perf_counter()
    is_plain = not (request.publish or request.junit or request.fresh)
    if is_plain and last_run.note_of(request.folder).exists():
        last = last_run.read(request.folder, _digest(request, there, settings))
        if last is not None:
            return replace(last, unchanged=True, seconds=0.0), ""
    cases = select(corpus.load_matching(request.globs), request.globs, request.measures)
    if not (request.fresh or request.publish):
        settings = replace(settings, before=published_before(cases))
    answers = progress.run_all(cases, there.libraries, settings)
    _check_installed(answers)
    run = judge_all(cases, answers, seconds_since(started), whole=request.is_whole)
    if forms := to_try(run):
        with progress.show_progress("looking for defects", len(forms)) as advance:
            run = with_defects(run, forms, whole=request.is_whole, on_progress=advance)
    why = _unpublishable(run, is_whole=request.is_whole and not request.names) if request.publish else ""
    with TemporaryDirectory() as aside:
        report = _written(run, request, Path(aside) if why else request.folder, there.libraries)
    report = replace(
        report,
        report="" if why else str(request.folder / request.page),
        not_built=tuple(there.left_out),
        other_versions=tuple(f"{result.library.name}: {text}" for result in answers if (text := other_version(result))),
        seconds=time.perf_counter() - started,
        stored=sum(result.reused for result in answers),
    )
    if request.junit:
        put(request.junit, rendered.junit(run))
    if is_plain and not run.complaints and all(result.all_kept for result in answers):
        last_run.write(request.folder, _digest(request, there, settings), [request.page], report)
    return report, why


def _written(run: Run, request: Request, folder: Path, libraries: Sequence[Library]) -> RunReport:
    """Write all files of the results or none, and return the report."""
    with together(folder) as part:
        results_file.write(run, part, results_file.COMPRESSED if request.publish else results_file.PLAIN)
        results = results_file.load(part / results_file.FOLDER)
        report = Report(results, run.cases, usable(libraries)).summary(run.complaints)
        put(part / request.page, rendered.markdown(report, published=bool(request.publish)))
        if request.publish:
            fingerprints = progress.infer_fingerprints(observations_of(results), {case.id: case for case in run.cases})
            fingerprint_file.write(fingerprints, results.installations, results.header, part / fingerprint_file.FILE)
    results_file.remove_others(folder, [answers.library.name for answers in run.answers])
    return report


def _digest(request: Request, there: Runnable, settings: AskingOptions) -> str:
    """Return a digest of everything that affects a run, or an empty text if it is unknown for a library."""
    if os.environ.get("PYTHONPATH") or (stored := stores(there.libraries, settings)) is None:
        return ""
    try:
        paths = [(library, library.sheet.path) for library in there.libraries]
        sheets = [(library.name, library.only, str(path), digest_of_files([path])) for library, path in paths]
        options = [request.globs, request.measures, request.timeout, there.left_out, sheets]
        return last_run.digest_of_run(options, stored)
    except OSError:
        return ""


def _check_installed(answers: Sequence[LibraryAnswers]) -> None:
    """Raise an error if no library of a run is installed.

    Raises:
        NothingInstalled: the message has the command that installs each library.
    """
    if any(result.observations or "failed" in result.hello for result in answers):
        return
    hellos = [(result.library, result.hello) for result in answers]
    absent = [
        (library, hello.get("not_installed") or "; ".join(hello.get("absent", {}).values()))
        for library, hello in hellos
    ]
    if any(why for _, why in absent):
        how = "; ".join(f"{library.name}: {how_to_install(library)} ({why})" for library, why in absent if why)
        raise NothingInstalled(f"no library of this run is installed: {how}")


def _unpublishable(run: Run, *, is_whole: bool) -> str:
    """Return why a run cannot be published, or an empty text."""
    if run.complaints:
        return "something does not hold"
    absent = [row for row in run.rows if row.verdict is Verdict.NOT_INSTALLED]
    if absent:
        return f"{absent[0].subject.name} is not installed; `rankproof show libraries` says how to install it"
    return "" if is_whole else "only a part of the corpus was run"


# -- other versions ---------------------------------------------------------------------------------------------------


def _run_versions(libraries: Sequence[Library], request: Request, settings: AskingOptions) -> int:
    """Run libraries in environments; write a folder of results for each, and the history of each library."""
    from rankproof.history.history import histories
    from rankproof.history.plans import plans_named
    from rankproof.report.public_data import HISTORY
    from rankproof.report.versions import histories_as_json, lines_of_history

    if request.publish and not (request.is_whole and request.environments == ("all",)):
        raise click.UsageError("--publish needs the whole corpus in all environments: --env all")
    cases = select(corpus.load_matching(request.globs), request.globs, request.measures)
    known = {library.name: library for library in libraries}
    plans = plans_named(request.environments, libraries)
    runs = progress.run_versions(plans, known, cases, settings, request.out, room=request.room, whole=request.is_whole)
    folders = {run.plan: run.folder for run in runs if run.folder is not None}
    all_histories = list(histories(folders, {name: library.sheet for name, library in known.items()}))
    put(request.folder / HISTORY, json.dumps(histories_as_json(all_histories, runs), indent=1) + "\n")
    say(f"{len(folders)} of {len(runs)} environments ran. Histories: {request.folder / HISTORY}")
    for history in all_histories:
        for line in lines_of_history(history):
            say_folded(line)
    for run in runs:
        if run.folder is None:
            say(one_line(f"{run.plan.name} {run.plan.under}: {run.status}: {run.why}"))
    return 0 if len(folders) == len(runs) else INCOMPLETE


# -- laws that need no expected values --------------------------------------------------------------------------------


def _probe(libraries: Sequence[Library], request: Request) -> int:
    """Test laws of the measures. Findings are not failures: the exit code is 0, or 3 if a library did not run."""
    from rankproof.history.installed import NotBuilt, python_of
    from rankproof.judge import probing
    from rankproof.judge.probe_findings import FILE
    from rankproof.reference_impl.notation import parse

    pythons: dict[str, str] = {}
    for library in libraries:
        try:
            if request.names or not library.sheet.only_in_environments:
                pythons[library.name] = python_of(library)
        except NotBuilt as why:
            say(f"not probed: {why}", err=True)
    probed = [library for library in libraries if library.name in pythons]
    measures = [str(parse(measure)) for measure in request.measures] or probing.MEASURES
    variants = sum(len(library.sheet.profiles) or 1 for library in probed)
    settings = AskingOptions(request.jobs, request.timeout, pythons, memory=request.memory)
    with progress.running(settings, variants * len(probing.PROBES)) as options:
        report = probing.probe_all(probed, probing.PROBES, measures, options)
    text = "\n".join(rendered.probe_text(report, details=request.details))
    say(report.as_text().rstrip("\n") if request.as_json else text)
    failed = any(library.failed for library in report.libraries)
    if request.publish is not None and failed:
        say("not published: a library did not run", err=True)
    elif request.publish is not None:
        put(request.publish / FILE, report.as_text())
    return INCOMPLETE if failed else 0
