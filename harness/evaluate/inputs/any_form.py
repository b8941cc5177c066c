"""What `evaluate` is given, whatever its form, as one value: the qrels and the run of each system."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from rankproof.evaluate.inputs.column_names import CALLED
from rankproof.evaluate.inputs.lists import is_frame_of_rels, is_listed, read_lists
from rankproof.evaluate.inputs.matrices import is_matrix_of, names_of, read_matrix
from rankproof.evaluate.inputs.reading import read_qrels, read_run
from rankproof.evaluate.inputs.rows import RUN, BadInput, Rows
from rankproof.evaluate.inputs.systems import read_name, systems_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.text import as_written

SIDES, OF_LISTS = ("qrels", "run"), ("R", "group_id")
SEEN_IN = 20
"""In how many queries one looks whether qrels and run are swapped."""


@dataclass(frozen=True)
class InputsRead:
    """What was read: the qrels, and a run or several.

    Attributes:
        qrels: the judgments.
        runs: system -> its run.
        several: whether systems were given; if not, there is one run.
        docids: whether the docs have ids that somebody gave.
    """

    qrels: Rows[Judgment]
    runs: Mapping[str, Rows[QueryRow]]
    several: bool = False
    docids: bool = True


@dataclass(frozen=True)
class Options:
    """What goes with the qrels and the run; see `rankproof.evaluate`."""

    columns: Mapping[str, Any] | None = None
    separator: str | None = None
    R: Any = None
    group_id: Any = None

    def refuse(self, names: Sequence[str], why: str) -> None:
        """Refuse what would have no effect.

        Raises:
            BadInput: one of these is given.
        """
        for name in names:
            if getattr(self, name) is not None:
                raise BadInput(name, why)


def refuse_swapped(qrels: Any, run: Any) -> None:  # noqa: ANN401 - any form
    """Refuse dicts of dicts of which the one seems to be given for the other: rels with fractions, and scores that are whole numbers.

    What has names, or is a file, says itself which it is.

    Raises:
        BadInput: it seems so.
    """
    rels, scores = ([value for docs in each for value in docs.values()] for each in map(_first_dicts, (qrels, run)))
    if not rels or not scores or not all(type(score) is int for score in scores):
        return
    if all(isinstance(rel, float) and math.isfinite(rel) for rel in rels) and any(rel % 1 for rel in rels):
        seen = f"floats, as {as_written(rels[0])}, and the scores of the run whole numbers, as {scores[0]}"
        mend = "the order is evaluate(measures, qrels, run); if it is right so, give the scores as floats"
        raise BadInput("the qrels", f"their rels are {seen}, as if the two were swapped: {mend}")


def _first_dicts(source: Any) -> list[Mapping[Any, Any]]:  # noqa: ANN401 - any form
    """What the first queries hold, if all of them hold dicts."""
    if not isinstance(source, Mapping):
        return []
    first = list(islice(source.values(), SEEN_IN))
    return first if all(isinstance(docs, Mapping) for docs in first) else []


def read_input(qrels: Any, run: Any, options: Options, conventions: Conventions) -> InputsRead:  # noqa: ANN401 - any form
    """Read qrels and a run, or several, in any form.

    Raises:
        BadInput: they do not read; or an option has nothing to do with their form.
    """
    names = {side: columns_of(options.columns or {}, side) for side in SIDES}
    listed = is_listed(qrels) and (len(qrels) > 0 or run is None)
    listed = listed or (options.columns is None and is_frame_of_rels(qrels, run))
    if not listed:
        options.refuse(OF_LISTS, "goes with lists of rels; what is given here says its queries and rels itself")
        return _read_rows(qrels, run, names, options.separator, conventions)
    options.refuse(("columns", "separator"), "goes with files, frames and records; a list of rels has no columns")
    if is_matrix_of(qrels, run):
        options.refuse(OF_LISTS, "goes with lists of rels; a matrix says its queries and rels itself")
        judgments, rows = read_matrix(qrels, run, conventions)
        return InputsRead(judgments, {"": rows}, docids=names_of(run) is not None)
    judgments, rows = read_lists(qrels, run, conventions, R=options.R, group_id=options.group_id)
    return InputsRead(judgments, {"": rows}, docids=False)


def _read_rows(
    qrels: Any,  # noqa: ANN401 - any form
    run: Any,  # noqa: ANN401 - any form
    names: Mapping[str, Mapping[str, str]],
    separator: str | None,
    conventions: Conventions,
) -> InputsRead:
    if run is None:
        raise BadInput("the run", "it is missing; only a list of rels, in rank order, goes without one")
    judgments = read_qrels(qrels, names["qrels"], conventions, separator)
    _refuse_empty(judgments, "no query is judged")
    runs = systems_of(run, names["run"])
    called = {"": RUN} if runs is None else {system: read_name(system) for system in runs}
    read = {
        system: read_run(one, names["run"], conventions, called[system], separator)
        for system, one in ({"": run} if runs is None else runs).items()
    }
    for rows in read.values():
        _refuse_empty(rows, "there is no query in it")
    return InputsRead(judgments, read, several=runs is not None)


def _refuse_empty(rows: Rows[Any], what: str) -> None:
    """As a file without a line is refused, so is what is in memory; an empty ranking of a query is one."""
    if not rows.of:
        raise BadInput(rows.name, f"it is empty: {what}")


def columns_of(columns: Mapping[str, Any], side: str) -> Mapping[str, str]:
    """What the columns are called on one side: as said for both, and on top of it as said for this one.

    Raises:
        BadInput: a key is no column that is read.
    """
    own = {side: columns.get(side, {}) for side in SIDES if isinstance(columns, Mapping)}
    mend = "write {'doc_id': 'its name in yours'}, or --column doc_id=NAME"
    if not own or not all(isinstance(names, Mapping) for names in own.values()):
        raise BadInput("columns", f"it is no mapping; {mend}")
    both = {field: name for field, name in columns.items() if field not in SIDES}
    for field in (*both, *own["qrels"], *own["run"]):
        if field not in CALLED:
            raise BadInput("columns", f"{field!r} is none of {', '.join(CALLED)}; {mend}")
    return {**both, **own[side]}
