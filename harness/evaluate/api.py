"""`rankproof.evaluate`: a run against qrels, by the reference, under named conventions."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankproof.evaluate.asked_measures import (
    are_of_labelings,
    at_cutoffs,
    names_in_order,
    refuse_names,
    refuse_R,
    signatures_of,
    strictest_of,
)
from rankproof.evaluate.cautions import caution_of_ranks, nothing_is_right
from rankproof.evaluate.defined_measures import Defined, is_defined
from rankproof.evaluate.inputs import BadInput
from rankproof.evaluate.inputs.any_form import SIDES, InputsRead, Options, columns_of, read_input, refuse_swapped
from rankproof.evaluate.inputs.foreign_frames import as_table, as_tables
from rankproof.evaluate.inputs.id_lists import spelled_out
from rankproof.evaluate.inputs.lists import flags_of, grouped, may_be_ranks, refuse_ties
from rankproof.evaluate.inputs.reading import holds_both
from rankproof.evaluate.inputs.rows import QRELS, RUN
from rankproof.evaluate.inputs.standard_input import held
from rankproof.evaluate.inputs.systems import read_name
from rankproof.evaluate.inputs.tables import columns_of_rows
from rankproof.evaluate.library_profiles import profile_named
from rankproof.evaluate.making_results import (
    beside_of,
    joined,
    result_of_columns,
    result_of_labelings,
    result_of_rows,
)
from rankproof.evaluate.quick import quick_answers
from rankproof.evaluate.result import Result, Results
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.profiles import Profile

AS_GIVEN = Conventions(run_duplicates="both", qrels_duplicates="both")


def evaluate(  # noqa: PLR0913 - each form of input has what goes with it
    measures: Any,  # noqa: ANN401 - text, an ir_measures object, or an iterable of those
    qrels: Any,  # noqa: ANN401 - see the table
    run: Any = None,  # noqa: ANN401 - see the table
    *,
    profile: str | Conventions | Profile = "standard",
    columns: Mapping[str, Any] | None = None,
    signature: str | Signature | Iterable[str | Signature] = (),
    k: int | Iterable[int] | None = None,
    R: int | Sequence[int] | None = None,
    group_id: Any = None,  # noqa: ANN401 - a list, an array or a series
    group_sizes: Iterable[int] | None = None,
    separator: str | None = None,
    exact: bool = False,
) -> Result | Any:  # noqa: ANN401 - Results of several runs; who gives one has a Result and need not ask
    """Measure a run, or several.

    >>> result = evaluate(["nDCG@10", "AP"], {"q1": {"a": 1, "b": 0}}, {"q1": {"a": 0.4, "b": 0.9}})
    >>> result.mean["AP"], result.per_query["nDCG@10"]["q1"]
    (0.5, 0.6309297535714574)
    >>> print(result.signature["nDCG@10"])
    nDCG@10|by:reference|rankproof:0.1.0

    The forms of input, where x is a rel in the qrels and a score in the run:

        path of a TREC file             qrels `query iteration doc rel`, run `query Q0 doc rank score tag`; plain, gzip or zstd;
                                        "-" is the standard input
        path of a separated file        its first line names the columns; .csv, .tsv, or any other with `separator`
        path of JSON Lines, of Parquet  .jsonl, .parquet, with those columns
        path of JSON                    .json, which holds a dict of dict, ids in lists, or a list of objects with those columns
        row a question                  any of these, with lists of ids in columns: `relevant_ids`, `reference_context_ids`, … and
                                        `retrieved_ids`, `retrieved_context_ids`, …; one that has both goes without a run
        dict of dict                    {query: {doc: x}}
        ids in lists                    qrels {query: [doc, …]}, all relevant, or sets, or one doc; run {query: [doc, …]} in rank order,
                                        or [(doc, score), …], or [{"doc_id": …, "score": …}, …]; or lists of lists, by place
        dict of lists                   {"query": […], "docid": […], "rel": […]}, as Hugging Face's evaluate takes them
        frame                           pandas or polars, or a table of Arrow or its batches, with those columns; a LazyFrame, a relation of
                                        DuckDB, a frame of Spark or a Dataset of Hugging Face; qrels of ids alone, without rels, are all
                                        relevant
        named tuples                    an iterable of them, as ir_measures' Qrel and ScoredDoc; or a list of dicts, a row each
        several runs                    a list of runs, or {system: run}; gives `Results`
        rels in rank order              [1, 0, 1], or a list for each query; no run
        rels and scores                 y and y_hat, flat or a list for each query, or flat with `group_id`
        labels and similarities         a flat list, and a square matrix or frame: each item is a query of all others
        two labelings                   flat lists, for measures that compare them: ARI, AMI, V, …

    >>> evaluate("nDCG", [3, 2, 2, 1, 2], [5, 4, 3, 2, 1], k=[2, 5], profile="gain=exp").mean
    {'nDCG@2': 1.0, 'nDCG@5': 0.99273940647578}

    Args:
        measures: one or several, in ir_measures' notation or as its objects, also as its `define` makes them; or by other names
            (`ndcg@10`, `HR@10`, trec_eval's `ndcg_cut_10`, `P.5,10`, `all_trec`), see `rankproof.measure_names`. The keys
            of the result are what was asked, in the notation; other ways to write a measure find it, too.
        qrels: see the table. Columns are called query_id, qid, query, user_id or user; doc_id, docno, docid, doc, item_id or item;
            relevance, rel, label, rating or grade. Where two could be meant, `columns` says which; PyTerrier's frames serve as they are.
        run: the same, with score, sim or prediction, and rank where it counts. Ids are compared as text: 7 and "7" are the same query, and
            "7" in the result. Runs in a list are called as their files, as the one system in their column `system`, or
            run1, run2, …; one run of several systems is one run (`rankproof.by_system` parts it).
        profile: the conventions: a name, a spec such as "trec_eval-9 missing=0", `Conventions`, or a `Profile` that has
            conventions of its own for some measures. A library's name ("evaluate", "sklearn/appended") stands for what its
            published fingerprint found of each measure, see `rankproof.evaluate.library_profiles`; what that left
            undetermined is taken as in standard, and `taken` of the result says so; `warnings` says where it
            can move a number, and to what.
        columns: what query_id, doc_id, relevance, score, rank and system are called; for one side on its own by
            {"qrels": {…}, "run": {…}}.
        signature: computes what these signatures say, beside `measures` (which may be empty). Of an axis that one leaves open
            (`missing:?0/nan`) the first value is taken, or standard's where none is listed, and `taken` of the result says so.
        k: cutoffs: each measure is asked at each of them, "P" as P@5 and P@10.
        R: how many docs are relevant where more are than a list of rels (of 0 and 1) holds; or one such number a query.
        group_id: the query of each item of flat lists, as torchmetrics' indexes.
        group_sizes: instead of `group_id`, how many items each query has, as LightGBM's and XGBoost's groups.
        separator: what separates the fields of files whose first line names the columns, as "|".
        exact: measure a large input as a small one is, in exact arithmetic. Large ones are measured by the column, in floats, which
            gives the same to 1e-12 and takes a fraction of the time; it needs numpy.

    Raises:
        BadInput: the qrels or the run do not read, or have no query in common; the message says where, what, and the mend.
        UnknownMeasure: the text is no measure, or one of labelings stands beside one of rankings.
        UnknownConvention: there is no such profile, axis or value.
        Rejected: the conventions refuse the input.
        TooManyOrders: ties need the enumeration of too many orders, for every measure that is asked; where it is for some, the others
            are given, and `warnings` says so.
        AskedTwice: a signature and a measure are the same measure under different conventions, or two measures have one
            name.
    """
    asked = at_cutoffs(measures, k)
    own = [measure for measure in asked if is_defined(measure)]
    whose = profile_named(profile)
    tasks = signatures_of([measure for measure in asked if not is_defined(measure)], whose, signature)
    beside = beside_of(asked, whose, tasks)
    refuse_names(own, tasks)
    qrels, run = held(qrels, run)
    qrels, run = as_table(qrels, QRELS), as_tables(run, RUN)
    names = {side: columns_of(columns or {}, side) for side in SIDES}
    qrels, run = columns_of_rows(qrels, names["qrels"]), columns_of_rows(run, names["run"])
    if run is None and holds_both(qrels, columns or {}):
        run = qrels
    refuse_swapped(qrels, run)
    if all(one is None for one in (run, R, group_id, group_sizes)) and may_be_ranks(qrels):
        beside = (*beside, caution_of_ranks(len(qrels), flags_of("ranks")))
    options = Options(columns, separator, R, group_id if group_sizes is None else grouped(group_sizes, group_id))
    if are_of_labelings([*tasks.values()], own):
        return result_of_labelings(qrels, run, options, tasks, beside)
    qrels, run = spelled_out(qrels, run, names)
    conventions = [task.conventions for task in tasks.values()]
    if R is not None:
        refuse_R(tasks)
    # What ir_measures computes, it ranks by score, and it refuses no duplicates.
    strictest = strictest_of([*conventions, *([AS_GIVEN] if own else [])])
    quick = None if exact or own else quick_answers(qrels, run, options, tasks, strictest)
    difference = None if quick is None else quick.difference
    if quick is not None and difference is None:
        found = {system: result_of_columns(one, "", tasks, beside) for system, one in quick.of.items()}
        return _given(found, run, several=quick.several)
    given = read_input(qrels, run, options, strictest)
    if not given.docids:
        _refuse_ids(given, conventions, own)
    defined = Defined(own, given.qrels) if own else None
    order = names_in_order(asked, tasks)
    results: dict[str, Result] = {}
    for system, rows in given.runs.items():
        result = result_of_rows(given.qrels, rows, tasks, beside, difference)
        results[system] = joined(result, defined.answers(rows), order) if defined else result
    return _given(results, run, several=given.several)


def _given(results: Mapping[str, Result], run: Any, *, several: bool) -> Result | Results:  # noqa: ANN401 - any form
    """One result, or those of several runs.

    Raises:
        BadInput: nothing of a run can be right.
    """
    runs = list(run.values()) if isinstance(run, Mapping) else run
    for (system, result), one in zip(results.items(), runs if several else [run], strict=False):
        if why := nothing_is_right(result.warnings, [*result.mean]):
            name = read_name(system) if several else RUN
            raise BadInput(os.fspath(one) if isinstance(one, str | os.PathLike) else name, why)
    return Results(results) if several else results[""]


def _refuse_ids(given: InputsRead, conventions: Sequence[Conventions], own: Sequence[Any]) -> None:
    """Refuse what would depend on ids that nobody gave."""
    if own:
        raise BadInput(given.qrels.name, f"they have no docids, at which {own[0]} may look; give qrels and a run")
    for rows in given.runs.values():
        refuse_ties(given.qrels.of, rows, conventions)
