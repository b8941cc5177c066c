"""`rankproof.evaluate`: the values of one or several runs under named conventions."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from rankproof.evaluate.cautions import reason_to_refuse
from rankproof.evaluate.inputs import BadInput
from rankproof.evaluate.inputs.column_names import SIDES, names_of
from rankproof.evaluate.inputs.forms import Column, Id, MeasuresLike, QrelsLike, RunsLike
from rankproof.evaluate.inputs.input_files import with_pipes_read
from rankproof.evaluate.inputs.lists import (
    groups_of,
    is_frame_of_rels,
    is_listed,
    is_matrix_of,
    read_lists,
    read_matrix,
    refuse_ties,
)
from rankproof.evaluate.inputs.reading import has_both, is_list_of_lists, missing_run, refuse_swapped, systems_of
from rankproof.evaluate.inputs.rows import RUN, Input
from rankproof.evaluate.measuring import InputSource, measure, measure_labelings, readers
from rankproof.evaluate.result import Result, Results
from rankproof.evaluate.tasks import (
    are_of_labelings,
    at_cutoffs,
    cautions_of_tasks,
    profile_of,
    refuse_R,
    signatures_of,
)
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.reference_impl.profiles import Profile


def evaluate(  # noqa: PLR0913 - each form of input has its options
    measures: MeasuresLike,
    qrels: QrelsLike,
    run: RunsLike | None = None,
    *,
    profile: str | Conventions | Profile = "standard",
    columns: Mapping[str, Any] | None = None,
    signature: str | Signature | Iterable[str | Signature] = (),
    k: int | Iterable[int] | None = None,
    R: int | Sequence[int] | None = None,
    group_id: Sequence[Id] | Column | None = None,
    group_sizes: Iterable[int] | None = None,
    separator: str | None = None,
    exact: bool = False,
) -> Result | Any:  # noqa: ANN401 - Results of several runs; a caller with one run has a Result
    """Measure one or several runs.

    Qrels and runs may have these forms:

        path                    a TREC file, CSV, TSV, JSON Lines, JSON or Parquet; plain, gzip or zstd; "-" is the standard input
        dict of dicts           {query: {doc: grade}} and {query: {doc: score}}
        ids in lists            relevant documents {query: [doc, …]}, and a run {query: [doc, …]} in rank order
        frame                   pandas, Polars, Arrow, DuckDB, Spark, a Hugging Face dataset and others, or a dict of lists
        rows                    named tuples, such as Qrel and ScoredDoc of ir_measures, or dicts
        a row per question      a table with lists of relevant and of retrieved ids, which is qrels and run
        grades in rank order    [1, 0, 1], or a list for each query, without a run
        grades and scores       two flat lists, nested lists, or flat lists with `group_id` or `group_sizes`
        labels, similarities    a flat list and a square matrix: each item is a query that ranks all others
        two labelings           flat lists, for measures that compare them: ARI, AMI, V, …
        several runs            a list of runs, or {system: run}; the result is `Results`

    Parameters
    ----------
    measures : str, ir_measures object, or iterable of these
        One or several, as ir_measures notation or objects, or other names (`ndcg_cut_10`, `HR@10`).
    qrels : path, dict, frame or list
        The judgments. Columns have the usual names (`query_id`, `qid`, `doc_id`, `docno`, `relevance`, `rating` and
        others).
    run : path, dict, frame or list, or several runs
        The retrieved documents, with `score` or `rank`. Ids are compared as text: 7 and "7" are the same query.
    profile : str, Conventions or Profile
        The conventions: a name, a library, a spec such as "trec_eval-9 missing=0", `Conventions` or a `Profile`.
    columns : dict, optional
        Your names of query_id, doc_id, relevance, score and rank, or {"qrels": {…}, "run": {…}} for one side.
    signature : str, Signature, or iterable of these
        Signatures to compute in addition to `measures`. `taken` of the result has the values of open axes.
    k : int or iterable of int, optional
        Cutoffs; every measure is computed at each.
    R : int or sequence of int, optional
        The number of relevant documents (one for all queries, or one each), if lists of grades 0 and 1 lack some.
    group_id : sequence, optional
        The query of each item of flat lists.
    group_sizes : iterable of int, optional
        The number of items of each query, instead of `group_id`.
    separator : str, optional
        The character between the fields of files with a header.
    exact : bool
        Whether large inputs are also measured in exact arithmetic (default: in floats, equal to 1e-12).

    Returns
    -------
    Result or Results
        Values by measure and query, means, signatures and warnings; `Results` if several runs are given.

    Raises
    ------
    BadInput
        The qrels or the run cannot be read, or have no query in common.
    UnknownMeasure
        A measure is unknown, or some measures compare labelings and others rankings.
    UnknownConvention
        A profile, axis or value is unknown.
    Rejected
        The conventions refuse the input.
    TooManyOrders
        Ties have too many orders for every measure.
    AskedTwice
        A measure is requested under different conventions.

    Examples
    --------
    >>> result = evaluate(["nDCG@10", "AP"], {"q1": {"a": 1, "b": 0}}, {"q1": {"a": 0.4, "b": 0.9}})
    >>> print(result)
    measure     mean
    nDCG@10   0.6309
    AP        0.5000
    >>> result.per_query["nDCG@10"]["q1"]
    0.6309297535714574
    >>> evaluate("nDCG", [3, 2, 2, 1, 2], [5, 4, 3, 2, 1], k=[2, 5], profile="gain=exp").mean
    {'nDCG@2': 1.0, 'nDCG@5': 0.99273940647578}
    """
    wanted = at_cutoffs(measures, k)
    chosen = profile_of(profile)
    tasks = signatures_of(wanted, chosen, signature)
    cautions = cautions_of_tasks(wanted, chosen, tasks)
    qrels, run = with_pipes_read(qrels, run)
    names = {side: names_of(columns, side) for side in SIDES}
    refuse_swapped(qrels, run)
    tables = {"columns": columns, "separator": separator}
    lists = {"R": R, "group_id": group_id if group_sizes is None else groups_of(group_sizes, group_id)}
    if are_of_labelings(tasks.values()):
        if not is_listed(qrels):
            raise UnknownMeasure(f"{next(iter(tasks))} compares two labelings, but a run has none")
        _refuse(lists | tables, "this option is for rankings, but the measures compare labelings")
        return measure_labelings(qrels, run, tasks, cautions)
    if R is not None:
        refuse_R(tasks)
    qrels, run, has_ids = _unlisted(qrels, run, lists, tables)
    if run is None:
        if not has_both(qrels, columns):
            raise BadInput(RUN, f"it is missing; {missing_run(qrels)}")
        run = cast("RunsLike", qrels)
    for_qrels, for_run = readers(names, separator, tasks)
    judged = InputSource(qrels, for_qrels)
    systems = systems_of(run, names["run"])
    results: dict[str, Result] = {}
    for system, ranked in ({"": run} if systems is None else systems).items():
        source = InputSource(ranked, for_run if systems is None else replace(for_run, name=f"{RUN} of {system}"))
        if not has_ids:
            refuse_ties(judged.judgments.of, source.rows, [task.conventions for task in tasks.values()])
        result = measure(judged, source, tasks, cautions, exact=exact or not has_ids)
        if why := reason_to_refuse(result.warnings, [*result.mean]):
            raise BadInput(os.fspath(ranked) if isinstance(ranked, str | os.PathLike) else source.reader.name, why)
        results[system] = result
    return results[""] if systems is None else Results(results)


def _unlisted(
    qrels: Input, run: Input, lists: Mapping[str, Any], tables: Mapping[str, Any]
) -> tuple[Input, Input, bool]:
    """Return lists without ids as columns and other forms unchanged, and whether documents have ids."""
    is_list = is_listed(qrels) and (len(qrels) > 0 or run is None) and not is_list_of_lists(qrels)
    if not is_list and not (tables["columns"] is None and is_frame_of_rels(qrels, run)):
        _refuse(lists, "this option is for lists without ids, but this input names its queries")
        return qrels, run, True
    _refuse(tables, "this option is for files and frames, but lists have no columns")
    if is_matrix_of(qrels, run):
        _refuse(lists, "this option is for lists of grades, but this is a matrix")
        return read_matrix(qrels, run)
    return *read_lists(qrels, run, lists["R"], lists["group_id"]), False


def _refuse(options: Mapping[str, Any], why: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise BadInput(name, why)
