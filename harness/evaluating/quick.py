"""Which way `evaluate` goes: by columns where the input is large and they serve, by rows otherwise.

Both give the same: what columns refuse, or do not know, is read and measured again by rows.
"""

import importlib.util
import os
from collections.abc import Mapping, Sized
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import accumulate
from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankproof.evaluating.input_facts import InputFacts
from rankproof.evaluating.inputs.any_form import SIDES, Options, columns_of
from rankproof.evaluating.inputs.arrow_tables import is_arrow
from rankproof.evaluating.inputs.standard_input import Held
from rankproof.evaluating.inputs.systems import systems_of
from rankproof.meaning.signatures import Signature
from rankproof.reference_impl.conventions import Conventions

if TYPE_CHECKING:
    from rankproof.evaluating.fast.float_answers import Columns, Values
    from rankproof.evaluating.fast.run_columns import QrelsColumns

SMALL_FILE, SMALL_DICT = 2**18, 2**13
"""Of so many bytes, or docs, an input is measured by rows before the columns are imported."""


@dataclass(frozen=True)
class Quick:
    """What was found by columns: system -> measure -> values; the name of a single run is empty."""

    of: Mapping[str, Mapping[str, "Values"]]
    facts: Mapping[str, InputFacts]
    several: bool


def quick_answers(
    qrels: Any,  # noqa: ANN401 - any form
    run: Any,  # noqa: ANN401 - any form
    options: Options,
    tasks: Mapping[str, Signature],
    strictest: Conventions,
) -> Quick | None:
    """The answers by columns; None where rows are to be taken."""
    if not is_large(qrels, run) or not has_numpy():
        return None
    with left_to_rows():  # rows say where, and what
        names = {side: columns_of(options.columns or {}, side) for side in SIDES}
        judgments = qrels_by_column(qrels, names["qrels"], options.separator)
        runs = None if _is_dict_of_numbers(run) else systems_of(run, names["run"])
        read = {
            system: run_by_column(judgments, one, names["run"], options.separator, strictest)
            for system, one in ({"": run} if runs is None else runs).items()
        }
        found = {system: values_by_column(one, tasks) for system, one in read.items()}
        facts = {system: facts_by_column(one, tasks) for system, one in read.items()}
        return Quick(found, facts, runs is not None)
    return None


def left_to_rows() -> AbstractContextManager[object]:
    """What is refused in here, or not known, is for rows."""
    from rankproof.evaluating.fast.arrays import NotColumnar  # noqa: PLC0415 - small inputs do without

    return suppress(NotColumnar, ValueError, ArithmeticError)


def qrels_by_column(qrels: Any, names: Mapping[str, str], separator: str | None) -> "QrelsColumns":  # noqa: ANN401 - any form
    """The qrels as columns, which serve any number of runs; within `left_to_rows`."""
    from rankproof.evaluating.fast.sources import qrels_of  # noqa: PLC0415 - small inputs do without

    return qrels_of(qrels, separator, names)


def run_by_column(
    qrels: "QrelsColumns",
    run: Any,  # noqa: ANN401 - any form
    names: Mapping[str, str],
    separator: str | None,
    strictest: Conventions,
) -> "Columns":
    """A run as columns, beside the qrels; within `left_to_rows`."""
    from rankproof.evaluating.fast.float_answers import Columns  # noqa: PLC0415 - small inputs do without
    from rankproof.evaluating.fast.judged_columns import Given  # noqa: PLC0415 - as above
    from rankproof.evaluating.fast.sources import run_of  # noqa: PLC0415 - as above

    return Columns(Given(qrels, run_of(run, separator, names, qrels, strictest)))


def values_by_column(columns: "Columns", tasks: Mapping[str, Signature]) -> Mapping[str, "Values"]:
    """Measure -> the values of a run; within `left_to_rows`."""
    from rankproof.evaluating.fast.float_answers import answers_of  # noqa: PLC0415 - small inputs do without

    return answers_of(columns, {name: (task.measure, task.conventions) for name, task in tasks.items()})


def facts_by_column(columns: "Columns", tasks: Mapping[str, Signature]) -> InputFacts:
    """The facts of a run of which the values were found; within `left_to_rows`."""
    from rankproof.evaluating.fast.facts_of_columns import facts_of_columns  # noqa: PLC0415 - small inputs do without

    return facts_of_columns(columns, tasks)


def _is_dict_of_numbers(run: Any) -> bool:  # noqa: ANN401 - any form
    """Whether this is one run, docs with scores by query; of thousands of queries, that is seen sooner than every form they may have."""
    if not isinstance(run, dict) or not set(map(type, run.values())) <= {dict}:
        return False
    return {type(next(iter(docs.values()), 0)) for docs in run.values()} <= {int, float}


def has_numpy() -> bool:
    """Whether columns can be had at all."""
    return importlib.util.find_spec("numpy") is not None


def is_large(*sources: Any) -> bool:  # noqa: ANN401 - any form
    """Whether one of the sources is worth the import of what columns need."""
    return any(_is_large(source) for source in sources)


def _is_large(source: Any) -> bool:  # noqa: ANN401 - any form
    if isinstance(source, Held):
        return len(source.data) >= SMALL_FILE
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        return path.is_file() and path.stat().st_size >= SMALL_FILE
    if isinstance(source, Mapping):
        # A list is a column, or the rows of a system: what is in it is counted, and no id is taken for the name of a file.
        rows = accumulate(len(one) for one in source.values() if isinstance(one, Sized))
        is_long = any(count >= SMALL_DICT for count in rows)
        return is_long or is_large(*(one for one in source.values() if not isinstance(one, Number | list)))
    if hasattr(source, "columns"):
        return (source.num_rows if is_arrow(source) else len(source)) >= SMALL_DICT
    return isinstance(source, list) and (len(source) >= SMALL_DICT or is_large(*source))
