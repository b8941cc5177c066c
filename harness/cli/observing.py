"""Observing: a library is asked in environments that are built for it, and what it answered in each is read back."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

from rankproof.cases import Case
from rankproof.cli import waiting
from rankproof.history.history import ObservedVersion, observed_in
from rankproof.history.plans import Plan
from rankproof.history.releases import Release, plan_of
from rankproof.workers.known_libraries import Library
from rankproof.workers.rounds import AskingOptions


@dataclass(frozen=True, slots=True)
class Observer:
    """Asks one library the same cases in any environments.

    Attributes:
        folder: where the results are written, a folder for each environment.
        room: how many bytes all environments may take.
        whole: whether all cases are asked.
    """

    library: Library
    cases: Sequence[Case]
    asking: AskingOptions
    folder: Path
    room: int
    whole: bool = False

    def ask(self, plans: Sequence[Plan]) -> dict[Plan, ObservedVersion | str]:
        """What the library answered in each environment, or why it could not be asked there."""
        libraries = {self.library.name: self.library}
        built = waiting.built_all(plans, libraries, self.asking.at_once, self.room)
        runs = waiting.asked_versions(built, libraries, self.cases, self.asking, self.folder, whole=self.whole)
        folders = {run.plan: run.folder for run in runs if run.folder is not None}
        answers: dict[Plan, ObservedVersion | str] = {run.plan: run.why for run in runs if run.folder is None}
        return answers | {observed.plan: observed for observed in observed_in(folders)}

    def look(self, releases: Sequence[Release]) -> dict[Version, ObservedVersion | str]:
        """What it answered in each of these releases, or why it could not be asked."""
        plans = {plan_of(self.library.sheet, release): release.version for release in releases}
        return {plans[plan]: answer for plan, answer in self.ask(list(plans)).items()}
