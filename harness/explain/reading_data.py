"""Reading what is to be explained: nothing is refused that some convention takes, so that what each makes of it can be said."""

from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.evaluate.inputs.input_files import with_stdin
from rankproof.evaluate.inputs.reading import read_qrels, read_run, systems_of
from rankproof.evaluate.inputs.rows import BadInput, Input, Rows, rows_apart
from rankproof.evaluate.library_profiles import each_way, profile_named
from rankproof.explain.run_data import RunData
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow

BY_RANK = Conventions(order="rank", score_sign="positive", run_duplicates="both", qrels_duplicates="both")
BY_SCORE = BY_RANK.replace(order="score")


def read_data(
    qrels: Any,  # noqa: ANN401 - any form that `rankproof.evaluate` takes
    runs: Sequence[Any],
    names: Sequence[str] = (),
) -> Mapping[str, RunData]:
    """The data of each run, by its system. Ranks that do not read are left out, unless a profile that is asked for ranks by them.

    Raises:
        BadInput: the qrels or a run do not read.
        UnknownConvention: there is no such profile.
    """
    by_rank = any(
        conventions.order == "rank"
        for name in names
        for way in each_way(name)
        for conventions in profile_named(way).of.values()
    )
    qrels, each = with_stdin(qrels, list(runs))
    try:
        judged, ranked, has_ranks = *_read(qrels, each, BY_RANK), True
    except BadInput:
        if by_rank:
            raise
        judged, ranked, has_ranks = *_read(qrels, each, BY_SCORE), False
    return {system: RunData(judged.of, rows.of, rows_apart(rows.columns), has_ranks) for system, rows in ranked.items()}


def _read(
    qrels: Input, runs: list[Input], conventions: Conventions
) -> tuple[Rows[Judgment], dict[str, Rows[QueryRow]]]:
    judged = read_qrels(qrels, conventions)
    systems = systems_of(runs, {}) or {}
    return judged, {system: read_run(run, conventions) for system, run in systems.items()}
