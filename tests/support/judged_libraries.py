"""Libraries that run and are judged in one call."""

from collections.abc import Sequence

from rankproof.cases import Case
from rankproof.judge.runs import Run, judge_all
from rankproof.workers.known_libraries import Library
from rankproof.workers.rounds import AskingOptions, ask_all


def run(cases: Sequence[Case], libraries: Sequence[Library], asking: AskingOptions) -> Run:
    """Run libraries on cases, and judge the values."""
    return judge_all(cases, ask_all(cases, libraries, asking))
