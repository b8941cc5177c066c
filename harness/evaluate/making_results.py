"""Results made of answers, by rows, by columns or of labelings, with what is to be said of the measures and of the input."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankproof.evaluate.asked_measures import names_in_order
from rankproof.evaluate.cautions import (
    Caution,
    caution_of_fault,
    caution_of_marks,
    caution_of_read,
    cautions_of,
    cautions_of_names,
    cautions_of_open,
)
from rankproof.evaluate.column_check import ColumnCheck
from rankproof.evaluate.defined_measures import is_defined
from rankproof.evaluate.facts_of_rows import facts_of_rows
from rankproof.evaluate.float_values import FloatValues
from rankproof.evaluate.inputs import BadInput, Rows
from rankproof.evaluate.inputs.any_form import Options
from rankproof.evaluate.inputs.labelings import read_labelings
from rankproof.evaluate.inputs.lists import is_listed
from rankproof.evaluate.inputs.rows import rows_apart
from rankproof.evaluate.known_exceptions import marks_of
from rankproof.evaluate.measurable import measurable
from rankproof.evaluate.open_choices import open_of_each
from rankproof.evaluate.quick import RunByColumns
from rankproof.evaluate.result import ByMeasure, Result
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.evaluation import Collection, Worth, compare_labelings, put_together
from rankproof.reference_impl.exact import Overflow, to_float
from rankproof.reference_impl.notation import Measure, UnknownMeasure
from rankproof.reference_impl.profiles import Profile
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.text import as_written


def measured(collection: Collection, tasks: Mapping[str, Signature]) -> Result:
    """The answers to some signatures, as floats."""
    return _put_together(tasks, {m: collection.worths(task.measure, task.conventions) for m, task in tasks.items()})


def _put_together(tasks: Mapping[str, Signature], worths: Mapping[str, Mapping[str, Worth]]) -> Result:
    answers = {m: put_together(task.measure, worths[m], task.conventions) for m, task in tasks.items()}
    return _of_values({m: FloatValues.of(answer) for m, answer in answers.items()}, tasks)


def result_of_rows(
    qrels: Rows[Judgment],
    run: Rows[QueryRow],
    tasks: Mapping[str, Signature],
    beside: Sequence[Caution],
    difference: ColumnCheck | None = None,
) -> Result:
    """The answers to some signatures, of rows, with what is to be said of the measures and of the input.

    Args:
        qrels: the judgments.
        run: the rows.
        tasks: measure -> what is asked.
        beside: what is to be said of the measures.
        difference: the check in which columns were found to be wrong.

    Raises:
        BadInput: a rel is too large for a measure; the message says where it stands.
    """
    collection = Collection(qrels.of, run.of)
    try:
        worths = measurable(tasks, lambda m: collection.worths(tasks[m].measure, tasks[m].conventions))
        tasks = {m: tasks[m] for m in worths.of}
        result = _put_together(tasks, worths.of)
        faults = [] if difference is None else [caution_of_fault(difference)]
        facts = facts_of_rows(collection, tasks, worths.of, lambda: rows_apart(run))
        said = cautions_of(facts, tasks, worths.lacking)
        return replace(result, warnings=(*faults, *beside, *said), checked=difference)
    except Overflow as error:
        _, query, i = max((abs(one.rel), query, i) for query, rows in qrels.of.items() for i, one in enumerate(rows))
        doc, rel = qrels.of[query][i]
        what = f"doc {as_written(doc)} of query {as_written(query)} has the rel {as_written(rel)}: {error}"
        raise BadInput(qrels.where(query, i), what) from error


def result_of_columns(
    run: RunByColumns, profile: str, tasks: Mapping[str, Signature], beside: Sequence[Caution]
) -> Result:
    """The answers to some signatures, found by columns, with what is to be said of the measures and of the input."""
    values = run.values[profile]
    tasks = {m: task for m, task in tasks.items() if m in values.of}
    said = cautions_of(run.facts[profile], tasks, values.lacking)
    return replace(_of_values(values.of, tasks), warnings=(*beside, *said), checked=run.checked)


def _of_values(values: Mapping[str, FloatValues], tasks: Mapping[str, Signature]) -> Result:
    """The values of the tasks, with what was computed, and what of it was taken where nothing decides."""
    return Result(
        ByMeasure((m, dict(values[m].per_query)) for m in tasks),
        ByMeasure((m, values[m].mean) for m in tasks),
        ByMeasure((m, str(task.computed)) for m, task in tasks.items()),
        ByMeasure((m, task.taken) for m, task in tasks.items()),
    )


def result_of_labelings(
    qrels: Any,  # noqa: ANN401 - any form
    run: Any,  # noqa: ANN401 - any form
    options: Options,
    tasks: Mapping[str, Signature],
    beside: Sequence[Caution],
) -> Result:
    """The answers to measures of labelings: a value each, and none by query."""
    if not is_listed(qrels):
        raise UnknownMeasure(f"{next(iter(tasks))} compares two labelings; a run has none")
    of_rankings = ("columns", "separator", "R", "group_id")
    options.refuse(of_rankings, "goes with rankings; what is asked compares two labelings")
    labelings: tuple[list[Hashable], list[Hashable]] = read_labelings(qrels, run)

    def measured(measure: Measure, conventions: Conventions) -> FloatValues:
        return FloatValues({}, to_float(compare_labelings(measure, *labelings, conventions)))

    values = {name: measured(task.measure, task.conventions) for name, task in tasks.items()}
    still = open_of_each(tasks, measured, (), len(AXES["degenerate"].values))
    return replace(_of_values(values, tasks), warnings=(*beside, *cautions_of_open(still)))


def joined(ours: Result, theirs: Result, order: Iterable[str]) -> Result:
    """Two results of the same run as one, the measures in this order."""
    pairs = ((getattr(ours, part), getattr(theirs, part)) for part in ("per_query", "mean", "signature", "taken"))
    both = ({**mine, **other} for mine, other in pairs)
    in_order = (ByMeasure((name, values[name]) for name in order if name in values) for values in both)
    per_query, mean, signature, taken = in_order
    return Result(per_query, mean, signature, taken, (*ours.warnings, *theirs.warnings))


def beside_of(asked: Sequence[Any], profile: Profile, tasks: Mapping[str, Signature]) -> tuple[Caution, ...]:
    """What is to be said of the measures that were asked."""
    names = [str(one).strip() for one in asked if not is_defined(one)]
    lacking = [one for one in names_in_order(names, ()) if one not in tasks] if profile.whose else ()
    read = [caution_of_read(profile.whose)] if profile.read else []
    return (*read, *caution_of_marks(marks_of(tasks)), *cautions_of_names(names, lacking))
