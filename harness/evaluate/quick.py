"""Which way `evaluate` goes: by columns where the input is large and they serve, by rows otherwise.

Both give the same, and each call that goes by columns sees that they do. What columns refuse, or do not know, is read and measured by rows.
"""

import importlib.util
import os
from collections.abc import Mapping, Sized
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import accumulate
from numbers import Number
from typing import TYPE_CHECKING, Any

from rankproof.evaluate.column_check import ColumnCheck
from rankproof.evaluate.float_values import FloatValues
from rankproof.evaluate.input_facts import InputFacts
from rankproof.evaluate.inputs.any_form import SIDES, Options, columns_of
from rankproof.evaluate.inputs.parted_folders import size_of
from rankproof.evaluate.inputs.standard_input import Held
from rankproof.evaluate.inputs.systems import systems_of
from rankproof.evaluate.measurable import Measurable
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import Conventions

if TYPE_CHECKING:
    from rankproof.evaluate.fast.sources import ReadQrels

SMALL_FILE, SMALL_DICT = 2**19, 2**14
"""Of so many bytes, or docs, an input is measured by rows before the columns are imported."""
ENGINE = ("numpy", "pyarrow")
"""What columns are made of."""


@dataclass(frozen=True)
class RunByColumns:
    """What was found of a run by columns.

    Attributes:
        values: profile -> the values of each measure.
        facts: profile -> the facts of the run.
        checked: which queries were measured again by rows, and whether that gave the same.
    """

    values: Mapping[str, Measurable[FloatValues]]
    facts: Mapping[str, InputFacts]
    checked: ColumnCheck


@dataclass(frozen=True)
class Quick:
    """What was found by columns: system -> run; the name of a single run is empty."""

    of: Mapping[str, RunByColumns]
    several: bool

    @property
    def difference(self) -> ColumnCheck | None:
        """The first check that failed: then nothing of it is to be used."""
        return next((run.checked for run in self.of.values() if run.checked.difference), None)


def quick_answers(
    qrels: Any,  # noqa: ANN401 - any form
    run: Any,  # noqa: ANN401 - any form
    options: Options,
    tasks: Mapping[str, Signature],
    strictest: Conventions,
) -> Quick | None:
    """The answers by columns; None where rows are to be taken."""
    if not tasks or not is_large(qrels, run) or not has_engine():
        return None
    with left_to_rows():
        names = {side: columns_of(options.columns or {}, side) for side in SIDES}
        judgments = qrels_by_column(qrels, names["qrels"], options.separator)
        runs = None if _is_dict_of_numbers(run) else systems_of(run, names["run"])
        found = {
            system: run_by_column(judgments, one, names["run"], options.separator, {"": tasks}, strictest)
            for system, one in ({"": run} if runs is None else runs).items()
        }
        return Quick(found, runs is not None)
    return None


def left_to_rows() -> AbstractContextManager[object]:
    """What columns do not know is for rows; anything else that is raised in here is what it is."""
    from rankproof.evaluate.fast.arrays import NotColumnar  # noqa: PLC0415 - small inputs do without

    return suppress(NotColumnar)


def qrels_by_column(qrels: Any, names: Mapping[str, str], separator: str | None) -> "ReadQrels":  # noqa: ANN401 - any form
    """The qrels as columns, which serve any number of runs; within `left_to_rows`."""
    from rankproof.evaluate.fast.sources import ColumnFormat, qrels_of  # noqa: PLC0415 - small inputs do without

    return qrels_of(qrels, ColumnFormat(names, separator))


def run_by_column(
    qrels: "ReadQrels",
    run: Any,  # noqa: ANN401 - any form
    names: Mapping[str, str],
    separator: str | None,
    tasks: Mapping[str, Mapping[str, Signature]],
    strictest: Conventions,
) -> RunByColumns:
    """A run by columns, under one profile or several, and held to the rows; within `left_to_rows`."""
    from rankproof.evaluate.fast.facts_of_columns import facts_of_columns  # noqa: PLC0415 - small inputs do without
    from rankproof.evaluate.fast.float_answers import Columns, answers_of  # noqa: PLC0415 - as above
    from rankproof.evaluate.fast.judged_columns import SettledColumns  # noqa: PLC0415 - as above
    from rankproof.evaluate.fast.row_columns import torn  # noqa: PLC0415 - as above
    from rankproof.evaluate.fast.self_check import MeasuredRun, checked  # noqa: PLC0415 - as above
    from rankproof.evaluate.fast.sources import ColumnFormat, run_of  # noqa: PLC0415 - as above

    read = run_of(run, ColumnFormat(names, separator), qrels.columns, strictest)
    columns = Columns(SettledColumns(qrels.columns, read.columns))
    values = {
        profile: answers_of(columns, {name: (task.measure, task.conventions) for name, task in asked.items()})
        for profile, asked in tasks.items()
    }
    known = {profile: {name: tasks[profile][name] for name in found.of} for profile, found in values.items()}
    facts = {
        profile: facts_of_columns(columns, of_profile, lambda: torn(read.source.came))
        for profile, of_profile in known.items()
    }
    return RunByColumns(values, facts, checked(MeasuredRun(qrels, read, columns, tasks, values), strictest))


def _is_dict_of_numbers(run: Any) -> bool:  # noqa: ANN401 - any form
    """Whether this is one run, docs with scores by query; of thousands of queries, that is seen sooner than every form they may have."""
    if not isinstance(run, dict) or not set(map(type, run.values())) <= {dict}:
        return False
    return {type(next(iter(docs.values()), 0)) for docs in run.values()} <= {int, float}


def has_engine() -> bool:
    """Whether columns can be had at all."""
    return all(importlib.util.find_spec(name) is not None for name in ENGINE)


def is_large(*sources: Any) -> bool:  # noqa: ANN401 - any form
    """Whether one of the sources is worth the import of what columns need."""
    return any(_is_large(source) for source in sources)


def _is_large(source: Any) -> bool:  # noqa: ANN401 - any form
    if isinstance(source, Held):
        return len(source.data) >= SMALL_FILE
    if isinstance(source, str | os.PathLike):
        return size_of(os.fspath(source)) >= SMALL_FILE
    if isinstance(source, Mapping):
        # A list is a column, or the rows of a system: what is in it is counted, and no id is taken for the name of a file.
        rows = accumulate(len(one) for one in source.values() if isinstance(one, Sized))
        is_long = any(count >= SMALL_DICT for count in rows)
        return is_long or is_large(*(one for one in source.values() if not isinstance(one, Number | list)))
    if hasattr(source, "columns"):
        return len(source) >= SMALL_DICT
    return isinstance(source, list) and (len(source) >= SMALL_DICT or is_large(*source))
