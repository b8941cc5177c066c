"""What `rankproof run --env` does: build the environments that are wanted, ask the libraries in them, write results and history."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankproof.cases import Case
from rankproof.cli import waiting
from rankproof.files import publish
from rankproof.history.history import histories
from rankproof.history.plans import all_plans, chosen_plans
from rankproof.history.version_runs import VersionRun
from rankproof.report.histories import as_json, line_of_run, lines_of_history
from rankproof.report.public_data import HISTORY
from rankproof.saying import say, say_folded
from rankproof.text import one_line
from rankproof.workers.known_libraries import Library
from rankproof.workers.rounds import AskingOptions


@dataclass(frozen=True, slots=True)
class WantedVersions:
    """Which environments are asked what, and where the histories go.

    Attributes:
        names: of the environments, as `chosen_plans` takes them.
        whole: whether all cases are asked.
        room: how many bytes all environments may take.
        histories: the folder of `history.json`.
    """

    names: Sequence[str]
    cases: Sequence[Case]
    whole: bool
    room: int
    histories: Path


def run_versions(
    wanted: WantedVersions, libraries: Mapping[str, Library], asking: AskingOptions, out: Path
) -> list[VersionRun]:
    """Build, ask, and write: a folder of results for each environment, and `history.json` for all of them."""
    plans = chosen_plans(wanted.names, all_plans(libraries.values()))
    built = waiting.built_all(plans, libraries, asking.at_once, wanted.room)
    runs = waiting.asked_versions(built, libraries, wanted.cases, asking, out, whole=wanted.whole)
    folders = {run.plan: run.folder for run in runs if run.folder is not None}
    sheets = {name: library.sheet for name, library in libraries.items()}
    found = list(histories(folders, sheets))
    publish(wanted.histories / HISTORY, json.dumps(as_json(found, runs), indent=1) + "\n")
    for history in found:
        for line in lines_of_history(history):
            say_folded(line)
    for run in runs:
        if run.folder is None:
            say(one_line(line_of_run(run)))
    asked, out = sum(run.folder is not None for run in runs), wanted.histories
    say(f"{asked} of {len(runs)} environments run; {out / 'history.json'} written")
    return runs
