"""Reading what is to be explained: nothing is refused that some convention takes, so that what each makes of it can be said."""

from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.evaluate.inputs.any_form import Options, read_input
from rankproof.evaluate.inputs.rows import BadInput, rows_apart
from rankproof.evaluate.inputs.standard_input import held
from rankproof.evaluate.library_profiles import each_way, profile_named
from rankproof.explain.asked_data import AskedData
from rankproof.reference_impl.conventions import Conventions

BY_RANK = Conventions(order="rank", score_sign="positive", run_duplicates="both", qrels_duplicates="both")
BY_SCORE = BY_RANK.replace(order="score")


def read_data(
    qrels: Any,  # noqa: ANN401 - any form that `rankproof.evaluate` takes
    runs: Sequence[Any],
    names: Sequence[str] = (),
) -> Mapping[str, AskedData]:
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
    qrels, each = held(qrels, list(runs))
    try:
        given, has_ranks = read_input(qrels, each, Options(), BY_RANK), True
    except BadInput:
        if by_rank:
            raise
        given, has_ranks = read_input(qrels, each, Options(), BY_SCORE), False
    return {
        system: AskedData(given.qrels.of, rows.of, has_ranks, rows_apart(rows)) for system, rows in given.runs.items()
    }
