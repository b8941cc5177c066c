"""`rankproof.explain`: why tools give different values for a run, in Python."""

from collections.abc import Mapping, Sequence

from rankproof.evaluate.inputs.forms import QrelsLike, RunLike
from rankproof.evaluate.inputs.input_files import with_pipes_read
from rankproof.evaluate.inputs.reading import read_qrels, read_run, systems_of
from rankproof.evaluate.inputs.rows import BadInput, Input, Rows, rows_apart
from rankproof.evaluate.library_profiles import each_way, profile_named
from rankproof.evaluate.tasks import ranking_measure
from rankproof.explain.explanation import Explanation
from rankproof.explain.explanation import explain as explain_run
from rankproof.explain.printed_number import parse_number
from rankproof.explain.run_data import RunData
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow

BY_RANK = Conventions(order="rank", score_sign="positive", run_duplicates="both", qrels_duplicates="both")
BY_SCORE = BY_RANK.replace(order="score")


def explain(
    qrels: QrelsLike,
    run: RunLike,
    measure: str,
    *,
    tools: Sequence[str] = (),
    values: Sequence[float | str] = (),
    query: str | None = None,
    seconds: float | None = 5.0,
) -> Explanation:
    """Explain why tools give different values for a run, or which conventions give a printed number.

    Parameters
    ----------
    qrels : path, dict or frame
        A file, a dict or a data frame, as in `rankproof.evaluate`.
    run : path, dict or frame
        One run, in the same forms.
    measure : str
        The measure, in ir_measures notation.
    tools : sequence of str
        Libraries, tools or profiles to compare with the first (default: `standard` and every library).
    values : sequence of float or str
        Printed numbers. Pass text to keep trailing zeros.
    query : str, optional
        A query whose rankings are shown side by side.
    seconds : float, optional
        The limit of CPU time for the search for the numbers on large data.

    Returns
    -------
    Explanation
        The values by tool, with the causes of each difference.

    Raises
    ------
    BadInput
        The qrels or the run cannot be read.
    UnknownConvention
        A tool or profile is unknown, or does not have the measure.
    UnknownMeasure
        The measure is unknown.
    NoValue
        A value is not a number.

    Examples
    --------
    >>> explain({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "RR", tools=["standard", "ties=input"])
    <Explanation: RR is 0.5000 in standard and 1.0000 in ties=input.>
    """
    names, numbers = tuple(dict.fromkeys(tools)), tuple(parse_number(str(value)) for value in dict.fromkeys(values))
    runs = read_data(qrels, [run], names)
    if len(runs) != 1:
        raise BadInput("the run", f"expected one run, not {len(runs)}")
    ((system, data),) = runs.items()
    return explain_run(system, data, ranking_measure(measure), names, numbers, query=query, seconds=seconds)


def read_data(
    qrels: Input,
    runs: Sequence[Input],
    names: Sequence[str] = (),
) -> Mapping[str, RunData]:
    """Return the data of each run by system, including inputs that only some conventions accept.

    Ranks that cannot be read are left out, unless one of the named profiles ranks by them.

    Raises:
        BadInput: the qrels or a run cannot be read.
        UnknownConvention: a profile is unknown.
    """
    by_rank = any(
        conventions.order == "rank"
        for name in names
        for way in each_way(name)
        for conventions in profile_named(way).of.values()
    )
    qrels, inputs = with_pipes_read(qrels, list(runs))
    try:
        judged, ranked, has_ranks = *_read(qrels, inputs, BY_RANK), True
    except BadInput:
        if by_rank:
            raise
        judged, ranked, has_ranks = *_read(qrels, inputs, BY_SCORE), False
    return {system: RunData(judged.of, rows.of, rows_apart(rows.columns), has_ranks) for system, rows in ranked.items()}


def _read(
    qrels: Input, runs: list[Input], conventions: Conventions
) -> tuple[Rows[Judgment], dict[str, Rows[QueryRow]]]:
    judged = read_qrels(qrels, conventions)
    systems = systems_of(runs, {}) or {}
    return judged, {system: read_run(run, conventions) for system, run in systems.items()}
