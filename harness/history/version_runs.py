"""Runs of a library in several environments, with the judged results in a folder for each environment."""

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from rankproof.cases import Case
from rankproof.files import together
from rankproof.history.environment_builds import ONE_THREAD, Built
from rankproof.history.plans import Plan
from rankproof.judge import results_file
from rankproof.judge.runs import judge_all
from rankproof.workers.known_libraries import Library
from rankproof.workers.rounds import AskingOptions, LibraryAnswers, ask, in_threads

FOLDER = "environments"
"""The folder of the results of environments."""


@dataclass(frozen=True)
class VersionRun:
    """A run in one environment: the folder of results and the counts of verdicts, or `why` the library did not run."""

    built: Built
    folder: Path | None = None
    why: str = ""
    counts: Mapping[str, int] | None = None

    @property
    def plan(self) -> Plan:
        """The environment, as the sheet names it."""
        return self.built.plan

    @property
    def status(self) -> str:
        """The status: `asked` if it ran, `absent` if there is no environment, or `failed` if it could not run."""
        return "asked" if self.folder is not None else "absent" if self.built.folder is None else "failed"


def ask_versions(
    environments: Sequence[Built],
    libraries: Mapping[str, Library],
    cases: Sequence[Case],
    options: AskingOptions,
    out: Path,
    *,
    whole: bool,
    done: Callable[[VersionRun], object],
) -> list[VersionRun]:
    """Run each library in each of its environments, and write the results into `environments` in the folder `out`.

    A failure in one environment does not stop the others.

    Args:
        environments: the environments; those that are not built are reported as absent.
        libraries: the libraries by name.
        cases: the cases to run.
        options: limits and options of the workers.
        out: the folder of the results.
        whole: whether `cases` are all cases.
        done: a callback for each finished run.
    """
    runs: dict[Plan, VersionRun] = {}

    def run_in(built: Built, stop: threading.Event) -> LibraryAnswers:
        library = libraries[built.plan.library]
        environment = {**ONE_THREAD, **options.environment, **built.variables}
        here = replace(options, pythons={library.name: built.python}, environment=environment, before=None)
        return ask(library, cases, here, stop)

    def written(built: Built, answers: LibraryAnswers) -> VersionRun:
        if not answers.installed:
            why = str(answers.hello.get("message") or answers.hello.get("not_installed") or "it could not run")
            return VersionRun(built, why=why)
        run = judge_all(cases, [answers], whole=whole)
        folder = out / FOLDER / built.plan.name
        with together(folder) as part:
            results_file.write(run, part)
        return VersionRun(built, folder, counts=Counter(str(row.verdict) for row in run.rows))

    def report(run: VersionRun) -> None:
        runs[run.plan] = run
        done(run)

    for built in environments:
        if built.folder is None:
            report(VersionRun(built, why=built.why or "it was not built"))
    with in_threads(options.at_once) as (pool, stop):
        there = [built for built in environments if built.folder is not None]
        futures = {pool.submit(run_in, built, stop): built for built in there}
        for future in as_completed(futures):
            report(written(futures[future], future.result()))
    return [runs[built.plan] for built in environments]
