"""`rankproof.explain`: why tools give different values for a run, in Python."""

from collections.abc import Sequence
from typing import Any

from rankproof.evaluate.inputs import BadInput
from rankproof.evaluate.tasks import ranking_measure
from rankproof.explain.explanation import Explanation
from rankproof.explain.explanation import explain as explain_run
from rankproof.explain.printed_number import wanted
from rankproof.explain.reading_data import read_data


def explain(
    qrels: Any,  # noqa: ANN401 - any form that `rankproof.evaluate` takes
    run: Any,  # noqa: ANN401 - as above
    measure: str,
    *,
    tools: Sequence[str] = (),
    values: Sequence[float | str] = (),
    query: str | None = None,
    seconds: float | None = 5.0,
) -> Explanation:
    """Explain why tools give different values for a run, or which conventions give a printed number.

        rankproof.explain(qrels, run, "nDCG@10", tools=["trec_eval", "sklearn/rows"])
        rankproof.explain(qrels, run, "nDCG@10", values=["0.3016", "0.3112"])

    Args:
        qrels: a file, a dict or a data frame, as in `rankproof.evaluate`.
        run: one run, in the same forms.
        measure: in ir_measures notation.
        tools: libraries, tools or profiles; the others are compared with the first. By default `standard` and every library.
        values: printed numbers; text keeps trailing zeros.
        query: a query whose ranks are wanted side by side.
        seconds: the limit of CPU time for the search of what gives the numbers, if the data is large.

    Returns:
        An explanation; `rankproof.codec.encode` writes it as JSON.

    Raises:
        BadInput: the qrels or the run cannot be read.
        UnknownConvention: there is no such tool or profile, or it does not have the measure.
        UnknownMeasure: there is no such measure.
        NoValue: a value is not a number.
    """
    names, numbers = tuple(dict.fromkeys(tools)), tuple(wanted(str(value)) for value in dict.fromkeys(values))
    runs = read_data(qrels, [run], names)
    if len(runs) != 1:
        raise BadInput("the run", f"expected one run, not {len(runs)}")
    ((system, data),) = runs.items()
    return explain_run(system, data, ranking_measure(measure), names, numbers, query=query, seconds=seconds)
