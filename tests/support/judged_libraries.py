"""Libraries, asked and judged in one go."""

from collections.abc import Sequence

from rankproof.cases import Case
from rankproof.judge.runs import Run, judge_all
from rankproof.workers.known_libraries import Library
from rankproof.workers.rounds import AskingOptions, ask_all


def run(cases: Sequence[Case], libraries: Sequence[Library], asking: AskingOptions) -> Run:
    """What they answer to the cases, judged."""
    return judge_all(cases, ask_all(cases, libraries, asking))
