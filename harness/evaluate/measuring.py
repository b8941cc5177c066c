"""Measurement of runs and their warnings: by columns if the input is large, by the exact path otherwise.

Both paths give the same values. Every measurement by columns is checked on some queries by the exact path.
"""

import importlib.util
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from rankproof.evaluate.cautions import cautions_of, cautions_of_open
from rankproof.evaluate.facts import RowData
from rankproof.evaluate.inputs.input_files import InMemoryFile, size_of
from rankproof.evaluate.inputs.lists import read_labelings
from rankproof.evaluate.inputs.reading import TEXT, Reader, format_of
from rankproof.evaluate.inputs.rows import BadInput, Columns, Input, Rows, TooLarge, qrels_rows, run_rows
from rankproof.evaluate.open_choices import open_choices
from rankproof.evaluate.result import Caution, ColumnCheck, FloatValues, Result
from rankproof.evaluate.tasks import strictest_of
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.evaluation import Collection, Worth, compare_labelings, put_together
from rankproof.reference_impl.exact import Overflow, to_float
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.reference_impl.ties import TooManyOrders
from rankproof.text import as_written

SMALL_FILE, SMALL_ROWS = 2**19, 2**14
"""The sizes below which files (in bytes) and inputs (in rows) use the exact path, without importing numpy."""
Tasks = Mapping[str, Signature]
"""Measure -> its signature."""


def has_engine() -> bool:
    """Return whether the libraries of the columnar path are installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("numpy", "pyarrow"))


class InputSource:
    """Qrels or a run, read at most once by each path."""

    def __init__(self, source: Input, reader: Reader) -> None:
        self._source, self.reader = source, reader

    @cached_property
    def exact(self) -> Columns:
        """The columns, read with the standard library."""
        return self.reader.read(self._source)

    @cached_property
    def fast(self) -> Columns:
        """The columns, read with Arrow.

        Raises:
            NotColumnar: the exact path is needed.
        """
        if not self._is_text:
            return self.exact
        from rankproof.evaluate.fast.arrays import NotColumnar
        from rankproof.evaluate.fast.text_columns import read_text

        try:
            return read_text(os.fspath(self._source), self.reader)
        except TooLarge:
            raise
        except BadInput as error:  # the exact path reports the place
            raise NotColumnar from error

    @cached_property
    def encoded(self) -> Any:  # noqa: ANN401 - fast.encoding.Encoded
        """The columns with ids as numbers."""
        from rankproof.evaluate.fast.encoding import encode

        return encode(self.fast, self.reader.conventions if self.reader.side == "run" else None)

    @cached_property
    def columns(self) -> Any:  # noqa: ANN401 - fast.encoding.QrelsColumns
        """The judgments by query."""
        from rankproof.evaluate.fast.encoding import qrels_columns

        return qrels_columns(self.encoded)

    @cached_property
    def judgments(self) -> Rows[Judgment]:
        """The judgments as rows."""
        rows = qrels_rows(self.exact, self.reader.conventions)
        if not rows.of:
            raise BadInput(rows.columns.name, "it is empty: no query is judged")
        return rows

    @cached_property
    def rows(self) -> Rows[QueryRow]:
        """The retrieved documents as rows."""
        rows = run_rows(self.exact, self.reader.conventions)
        if not rows.of:
            raise BadInput(rows.columns.name, "it is empty: it has no queries")
        return rows

    @property
    def _is_text(self) -> bool:
        if not isinstance(self._source, str | os.PathLike):
            return False
        path = os.fspath(self._source)
        is_file = isinstance(self._source, InMemoryFile) or os.path.isfile(path)  # noqa: PTH113 - a pipe is read once
        return is_file and (self.reader.separator is not None or format_of(path) == TEXT)

    @property
    def is_large(self) -> bool:
        """Whether the input is large enough to import numpy."""
        if isinstance(self._source, InMemoryFile):
            return len(self._source.data) >= SMALL_FILE
        if self._is_text:
            return size_of(os.fspath(self._source)) >= SMALL_FILE
        return len(self.exact) >= SMALL_ROWS


def measure(
    qrels: InputSource, run: InputSource, tasks: Tasks, cautions: Iterable[Caution] = (), *, exact: bool = False
) -> Result:
    """Return the result of a run.

    Args:
        qrels: the judgments.
        run: the run.
        tasks: measure -> signature.
        cautions: warnings about the measures.
        exact: whether large inputs are also measured by the exact path.

    Raises:
        BadInput: the input cannot be read, or a grade is too large for a measure.
        TooManyOrders: ties need too many orders for every measure.
    """
    difference = None
    if not exact and tasks and has_engine() and (qrels.is_large or run.is_large):
        from rankproof.evaluate.fast.arrays import NotColumnar

        try:
            result = _by_columns(qrels, run, tasks, cautions)
        except NotColumnar:
            pass
        else:
            if result.checked is None or not result.checked.difference:
                return result
            difference = result.checked
    return _by_rows(qrels, run, tasks, cautions, difference)


def _by_columns(qrels: InputSource, run: InputSource, tasks: Tasks, cautions: Iterable[Caution]) -> Result:
    """Measure a run by columns, and check some queries by the exact path.

    Raises:
        NotColumnar: the exact path is needed.
    """
    from rankproof.evaluate.fast.column_facts import ColumnData
    from rankproof.evaluate.fast.encoding import ColumnInputs, run_columns
    from rankproof.evaluate.fast.self_check import check

    columns = ColumnData(ColumnInputs(qrels.columns, run_columns(run.encoded, qrels.columns)))
    values, lacking = _computed(tasks, lambda task: columns.values(task.measure, task.conventions))
    own = {name: tasks[name] for name in values}
    warnings = (*cautions, *cautions_of(columns, own, lacking))
    measured = {name: (task, values[name]) for name, task in own.items()}
    sides = (qrels.fast, qrels.encoded), (run.fast, run.encoded)
    checked = check(*sides, columns, measured, run.reader.conventions)
    return replace(_result(values, own), warnings=warnings, checked=checked)


def _by_rows(
    qrels: InputSource, run: InputSource, tasks: Tasks, cautions: Iterable[Caution], difference: ColumnCheck | None
) -> Result:
    judgments, rows = qrels.judgments, run.rows
    collection = Collection(judgments.of, rows.of)
    try:
        worths, lacking = _computed(tasks, lambda task: collection.worths(task.measure, task.conventions))
        tasks = {name: tasks[name] for name in worths}
        result = _put_together(tasks, worths)
        about = tuple(cautions_of(RowData(judgments, rows, collection, worths), tasks, lacking))
    except Overflow as error:
        _, query, i = max((abs(row.rel), query, i) for query, own in judgments.of.items() for i, row in enumerate(own))
        doc, rel = judgments.of[query][i]
        what = f"the grade of document {as_written(doc)} of query {as_written(query)} is {as_written(rel)}: {error}"
        raise BadInput(judgments.columns.where(query, judgments.number(query, i)), what) from error
    faults = []
    if difference is not None:
        what = f"rankproof found a bug in itself: {difference.difference}. The exact values are shown"
        faults = [Caution("fault", f"{what}. Please report this line, if possible with the qrels and the run.")]
    return replace(result, warnings=(*faults, *cautions, *about), checked=difference)


def _computed(tasks: Tasks, values: Callable[[Signature], Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values of each measure, and the reasons of measures whose ties have too many orders.

    Raises:
        TooManyOrders: all measures have such ties.
    """
    computed: dict[str, Any] = {}
    lacking: dict[str, TooManyOrders] = {}
    for name, task in tasks.items():
        try:
            computed[name] = values(task)
        except TooManyOrders as error:
            lacking[name] = error
    if lacking and not computed:
        raise next(iter(lacking.values()))
    return computed, {name: str(error) for name, error in lacking.items()}


def measure_collection(collection: Collection, tasks: Tasks) -> Result:
    """Return the values of a collection, without warnings."""
    return _put_together(tasks, {m: collection.worths(task.measure, task.conventions) for m, task in tasks.items()})


def _put_together(tasks: Tasks, worths: Mapping[str, Mapping[str, Worth]]) -> Result:
    answers = {m: put_together(task.measure, worths[m], task.conventions) for m, task in tasks.items()}
    return _result({m: FloatValues.of(answer) for m, answer in answers.items()}, tasks)


def _result(values: Mapping[str, FloatValues], tasks: Tasks) -> Result:
    return Result(
        {m: dict(values[m].per_query) for m in tasks},
        {m: values[m].mean for m in tasks},
        {m: str(task.computed) for m, task in tasks.items()},
        {m: task.taken for m, task in tasks.items()},
    )


def measure_labelings(true: Input, predicted: Input, tasks: Tasks, cautions: Iterable[Caution]) -> Result:
    """Return the values of measures that compare two labelings."""
    labelings = read_labelings(true, predicted)

    def measured(measure: Measure, conventions: Conventions) -> FloatValues:
        return FloatValues({}, to_float(compare_labelings(measure, *labelings, conventions)))

    values = {name: measured(task.measure, task.conventions) for name, task in tasks.items()}
    most = len(AXES["degenerate"].values)
    choices = {name: open_choices(task, measured, tied=False, most=most) for name, task in tasks.items()}
    warnings = (*cautions, *cautions_of_open(choices))
    return replace(_result(values, tasks), warnings=warnings)


def readers(names: Mapping[str, Mapping[str, str]], separator: str | None, tasks: Tasks) -> tuple[Reader, Reader]:
    """Return the readers of the qrels and of runs for these measures."""
    strictest = strictest_of([task.conventions for task in tasks.values()])
    return (
        Reader("qrels", names["qrels"], separator, strictest, "the qrels"),
        Reader("run", names["run"], separator, strictest),
    )
