"""`rankproof run`: ask every library every case, judge, write results and report."""

import os
import re
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.cli import waiting
from rankproof.cli.libraries import how_to_install
from rankproof.cli.options import Verb, limits_of_worker, own_adapters, pythons_of_workers, room_of_environments
from rankproof.cli.program import BAD_INPUT, FAILS
from rankproof.files import check_writable, together
from rankproof.files import publish as put
from rankproof.history.at_hand import at_hand
from rankproof.history.environment_builds import ONE_THREAD
from rankproof.inference import fingerprint_file
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.interruption import INCOMPLETE
from rankproof.judge import results_file
from rankproof.judge.published_answers import published_before
from rankproof.judge.runs import Judging, Run, code_of, judge_all
from rankproof.judge.verdicts import Verdict
from rankproof.reference_impl.shown import first_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.report import report_pages
from rankproof.report.ci_formats import FORMATS, junit, step_summary
from rankproof.report.last_run import LastRun, depends_on, note_of
from rankproof.report.run_report import Report
from rankproof.report.terminal import RunTexts, first_word, tell, tell_complaints, tell_report, told_of
from rankproof.saying import say
from rankproof.workers.known_libraries import Library, chosen, usable, with_own
from rankproof.workers.library_worker import NETWORK, seconds_since
from rankproof.workers.rounds import AskingOptions, LibraryAnswers, select, stores
from rankproof.workers.store import digest_of_files


class NobodyThere(Unusable):
    """None of the libraries that are to be asked is installed."""


def _commit(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if value and not re.fullmatch("[0-9a-f]{40}", value):
        raise click.BadParameter(f"{value!r} is no commit: write its 40 digits, as a name may move")
    return value


@click.command("run", cls=Verb)
@click.option(
    "-l", "--library", "wanted", multiple=True, metavar="GLOB", help="Ask these libraries only, or LIBRARY/VARIANT."
)
@click.option("-c", "--case", "globs", multiple=True, metavar="GLOB", help="Ask these cases only, as in 'ties/*'.")
@click.option("-m", "--measure", "measures", multiple=True, help="Ask these measures only, as in nDCG or nDCG@10.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("out"),
    show_default=True,
    help="Write results/ and report.md here.",
)
@click.option(
    "--publish",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write results/ and README.md here instead, if the whole corpus was asked and all of it holds.",
)
@click.option("-j", "--at-once", type=click.IntRange(1), default=2, show_default=True, help="Workers at the same time.")
@limits_of_worker
@pythons_of_workers
@click.option(
    "--format",
    "forms",
    type=click.Choice(FORMATS),
    multiple=True,
    help="Write the run as JUnit XML, or as GitHub's step summary, too; may be given several times.",
)
@click.option(
    "--format-out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where to; else junit.xml beside the results, or what GITHUB_STEP_SUMMARY names.",
)
@own_adapters
@click.option(
    "--hub",
    metavar="COMMIT",
    default="",
    callback=_commit,
    help="Ask Hugging Face evaluate through the hub's module at this commit: its code is fetched and executed.",
)
@click.option(
    "--env",
    "environments",
    multiple=True,
    metavar="ENVIRONMENT",
    help="Ask libraries in environments of other versions: all, sklearn, sklearn@1.0.2, 'sklearn@>=1.0'.",
)
@room_of_environments
@click.option("--fresh", is_flag=True, help="Ask for every answer again, also for those kept from an earlier run.")
@click.option(
    "--once", is_flag=True, help="Ask each question once, in half the time: an answer that changes goes unseen."
)
@click.option("--twice", is_flag=True, help="Ask each question twice, also where the answer is just the published one.")
def command(  # noqa: PLR0913, PLR0917 - one for each option
    wanted: tuple[str, ...],
    globs: tuple[str, ...],
    measures: tuple[str, ...],
    out: Path,
    publish: Path | None,
    at_once: int,
    timeout: float,
    memory: int,
    pythons: dict[str, str],
    forms: tuple[str, ...],
    format_out: Path | None,
    adapters: Path | None,
    hub: str,
    environments: tuple[str, ...],
    room: int,
    *,
    fresh: bool,
    once: bool,
    twice: bool,
) -> int:
    """Ask every library every case, judge the answers, write results and report.

    Answers are kept by the versions and the input they depend on; only what changed is asked again. Each question is asked twice, but for
    those to which the same version answered the published run just so; --fresh, --twice and --publish ask all of them twice.
    """
    _check_together(forms, format_out, publish=publish is not None, once=once, twice=twice)
    started = time.perf_counter()
    there = at_hand(every := chosen(wanted, with_own(adapters)), wanted)
    who = there.libraries
    folder, name = (out, "report.md") if publish is None else (publish, "README.md")
    interpreters = {**there.pythons, **pythons}
    check_writable(folder / results_file.FOLDER)
    environment = {**ONE_THREAD, **({"RANKPROOF_HUB_REVISION": hub, NETWORK: "1"} if hub else {})}
    asking = AskingOptions(at_once, timeout, interpreters, fresh, once, memory=memory, environment=environment)
    if environments:
        return _run_versions(environments, room, every, globs, measures, asking, out, publish)
    if there.left_out:
        say(
            f"not asked, as their environments are not built (rankproof env build all): {first_of(there.left_out)}",
            err=True,
        )
    is_plain = publish is None and not forms and not fresh
    how = (globs, measures, timeout, once, twice, name)
    if is_plain and (told := last_told(folder, how, who, asking)) is not None:
        tell(told)
        say(_unchanged_since(folder))
        return 0
    what = select(corpus.load_matching(globs), globs, measures)
    if not (fresh or once or twice or publish is not None):
        asking = replace(asking, before=published_before(what))
    judging = Judging(what)
    asked = waiting.asked(what, who, asking, first_word=partial(_first_word, judging) if len(who) > 1 else None)
    _check_that_somebody_is_there(asked)
    whole = not globs and not measures
    note = partial(_note, folder, how, who, asked, asking, is_plain=is_plain)
    if publish is None and not forms and (found_there := _unchanged(folder, name, what, asked)) is not None:
        known, pages = found_there
        tell(told_of(known, asked))
        say(_unchanged_since(folder))
        note(known, pages)
        return 0
    judged = judge_all(what, asked, seconds_since(started), whole=whole, judging=judging)
    found = waiting.diagnosed(judged, whole=whole)
    if publish is not None and (reason := unpublishable(found, whole=whole and not wanted)):
        tell_complaints(found)
        say(f"not published: {reason}", err=True)
        return FAILS if found.complaints else BAD_INPUT
    report, pages = _write(found, who, folder, name)
    if not found.complaints:
        note(report, pages)
    for form in dict.fromkeys(forms):
        _write_as(form, found, report, format_out, folder)
    if found.complaints:
        return FAILS
    return 0 if any(row.case for row in found.rows) else INCOMPLETE


def _check_together(forms: Sequence[str], format_out: Path | None, *, publish: bool, once: bool, twice: bool) -> None:
    """Refuse options that exclude each other."""
    if publish and once:
        raise click.UsageError("what is published is asked twice; leave --once out")
    if once and twice:
        raise click.UsageError("a question is asked --once or --twice, not both")
    if format_out is not None and len(set(forms)) > 1:
        raise click.UsageError("--format-out names one file for several forms; leave it out, or give one --format")


def _run_versions(
    names: Sequence[str],
    room: int,
    who: Sequence[Library],
    globs: Sequence[str],
    measures: Sequence[str],
    asking: AskingOptions,
    out: Path,
    publish: Path | None,
) -> int:
    """Ask in environments of other versions, which take so many bytes together; 0 if every one of them was asked, else 3."""
    from rankproof.cli.version_runs import WantedVersions, run_versions  # noqa: PLC0415 - only this needs it

    whole = not globs and not measures
    if publish is not None and not (whole and tuple(names) == ("all",)):
        raise click.UsageError("what is published is asked in all environments, and everything: --env all alone")
    cases = select(corpus.load_matching(globs), globs, measures)
    wanted = WantedVersions(names, cases, whole, room, publish or out)
    runs = run_versions(wanted, {library.name: library for library in who}, asking, out)
    return 0 if all(run.folder is not None for run in runs) else INCOMPLETE


def _first_word(judging: Judging, asked: LibraryAnswers) -> str:
    """What is said of a library while others are asked; nothing where its answers were known, as that takes no time."""
    return "" if asked.reused == len(asked.observations) else first_word(asked, judging.rows(asked))


def _check_that_somebody_is_there(asked: Sequence[LibraryAnswers]) -> None:
    """Refuse to judge where nobody could be asked, as none is installed.

    Raises:
        NobodyThere: the message says how to install one.
    """
    if any(one.observations or "failed" in one.hello for one in asked):
        return
    absent = [(one, one.hello.get("not_installed") or "; ".join(one.hello.get("absent", {}).values())) for one in asked]
    if not any(why for _, why in absent):
        return
    told = "; ".join(f"{one.library.name}: {how_to_install(one.library)} ({why})" for one, why in absent if why)
    raise NobodyThere(f"nothing was asked, as none of the libraries is installed: {told}")


def unpublishable(found: Run, *, whole: bool) -> str:
    """Why a run is not to be published; nothing if it may be."""
    if found.complaints:
        return "something does not hold"
    absent = [row for row in found.rows if row.verdict is Verdict.NOT_INSTALLED]
    if absent:
        return f"{absent[0].subject.name} is not installed; `rankproof libraries` says how to have it"
    return "" if whole else "only a part of the corpus was asked"


def _unchanged_since(folder: Path) -> str:
    kept = folder / results_file.FOLDER
    return f"nothing changed since {kept} was written: all of it holds (--fresh asks again)"


def last_told(folder: Path, how: Sequence[object], who: Sequence[Library], asking: AskingOptions) -> RunTexts | None:
    """What the last run into a folder told, if this one would find, write and tell the same."""
    if not note_of(folder).exists() or os.environ.get("PYTHONPATH"):
        return None
    last = _last(folder, how, who, asking)
    return None if last is None else last.told()


def _last(folder: Path, how: Sequence[object], who: Sequence[Library], asking: AskingOptions) -> LastRun | None:
    kept = stores(who, asking)
    try:
        own = [(one.name, one.only, str(one.sheet.path), digest_of_files([one.sheet.path])) for one in who]
        return None if kept is None else LastRun(folder, depends_on([how, own], kept))
    except OSError:
        return None


def _note(
    folder: Path,
    how: Sequence[object],
    who: Sequence[Library],
    asked: Sequence[LibraryAnswers],
    asking: AskingOptions,
    report: Report,
    pages: Collection[str],
    *,
    is_plain: bool,
) -> None:
    """Note what was written and told, where the next run would ask nothing; only of a plain one."""
    if is_plain and all(one.all_kept for one in asked) and (last := _last(folder, how, who, asking)) is not None:
        last.note(
            [*pages, *(f"{results_file.FOLDER}/{one.library.name}.jsonl" for one in asked)], told_of(report, asked)
        )


def _unchanged(
    folder: Path, name: str, cases: Sequence[Case], asked: Sequence[LibraryAnswers]
) -> tuple[Report, Collection[str]] | None:
    """The report that is there and its pages, if all of it is, it is of the same answers to the same questions, and all of it held."""
    if not (folder / results_file.FOLDER).is_dir() or any(not one.observations and one.installed for one in asked):
        return None
    try:
        known = results_file.load(folder)
    except (OSError, Unusable):
        return None
    same = known.header.get("code") == code_of(cases, asked) and not known.footer["complaints"]
    libraries = [one.library for one in asked]
    all_reused = all(one.reused == len(one.observations) for one in asked)
    if not same or not all_reused or set(known.libraries) != {library.name for library in libraries}:
        return None
    report = Report(known, cases, usable(libraries))
    pages = report_pages.standing(report, folder, name)
    return None if pages is None else (report, pages)


def _write(found: Run, who: Sequence[Library], folder: Path, name: str) -> tuple[Report, Collection[str]]:
    known = usable(who)
    is_published = name == "README.md"
    with together(folder) as beside:
        ending = results_file.COMPRESSED if is_published else results_file.PLAIN
        results_file.write(found, beside, ending)
        written = results_file.load(beside / results_file.FOLDER)
        fingerprints = _fingerprints(written, found, beside) if is_published else ()
        report = Report(written, found.cases, known, fingerprints)
        pages = report_pages.write(report, beside, name)
    results_file.remove_others(folder, [one.library.name for one in found.asked], ending)
    report_pages.remove_others(folder, pages)
    tell_report(report)
    tell_complaints(found)
    say(f"{folder / results_file.FOLDER} and {folder / name} written")
    return report, pages


def _fingerprints(written: results_file.RunResults, found: Run, folder: Path) -> list[Fingerprint]:
    from rankproof.judge.fingerprints import observations_of  # noqa: PLC0415 - only publishing takes the time

    inferred = waiting.inferred(observations_of(written), {case.id: case for case in found.cases})
    fingerprint_file.write(inferred, written.asked, written.header, folder / fingerprint_file.FILE)
    return fingerprint_file.read(folder / fingerprint_file.FILE)


def _write_as(form: str, found: Run, report: Report, named: Path | None, folder: Path) -> None:
    if form == "junit":
        put(named or folder / "junit.xml", junit(found))
        return
    summary = named or os.environ.get("GITHUB_STEP_SUMMARY")
    if not summary:
        say(step_summary(found, report))
        return
    with Path(summary).open("a", encoding="utf-8") as lines:  # other steps write there, too
        lines.write(step_summary(found, report))
