"""`rankproof.evaluate`: a run against qrels, by the reference, under named conventions."""

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

from rankproof.evaluating.cautions import (
    Caution,
    caution_of_fault,
    caution_of_read,
    cautions_of,
    cautions_of_lacking,
    cautions_of_names,
    nothing_is_right,
)
from rankproof.evaluating.column_check import Checked
from rankproof.evaluating.defined_measures import Defined, is_defined
from rankproof.evaluating.facts_of_rows import facts_of_rows
from rankproof.evaluating.input_facts import InputFacts
from rankproof.evaluating.inputs import BadInput, Rows
from rankproof.evaluating.inputs.any_form import SIDES, Given, Options, columns_of, read_input, refuse_swapped
from rankproof.evaluating.inputs.foreign_frames import as_table
from rankproof.evaluating.inputs.id_lists import spelled_out
from rankproof.evaluating.inputs.labelings import read_labelings
from rankproof.evaluating.inputs.lists import grouped, is_listed, refuse_ties
from rankproof.evaluating.inputs.reading import holds_both
from rankproof.evaluating.inputs.rows import QRELS, RUN
from rankproof.evaluating.inputs.standard_input import held
from rankproof.evaluating.inputs.systems import read_name
from rankproof.evaluating.library_profiles import profile_named
from rankproof.evaluating.measurable import measurable
from rankproof.evaluating.quick import RunByColumns, quick_answers
from rankproof.evaluating.result import ByMeasure, Result, Results, canonical
from rankproof.meaning.measure_forms import without_cutoff
from rankproof.meaning.measure_names import called, measure_called
from rankproof.meaning.signatures import Signature
from rankproof.meaning.signatures import parse as parse_signature
from rankproof.reference_impl.conventions import Conventions, UnknownConvention
from rankproof.reference_impl.evaluation import Collection, Worth, compare_labelings, put_together
from rankproof.reference_impl.exact import Overflow, to_float
from rankproof.reference_impl.notation import Measure, UnknownMeasure
from rankproof.reference_impl.profiles import Profile
from rankproof.reference_impl.ranking import Judgment, Row
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import as_written

if TYPE_CHECKING:
    from rankproof.evaluating.fast.float_answers import Values

BEYOND_ALL_CUTOFFS = 10**18
"""The notation of measures has no such cutoff."""
AS_GIVEN = Conventions(run_duplicates="both", qrels_duplicates="both")


class AskedTwice(Unusable):
    """One measure is asked under two sets of conventions, so that its name does not say which."""


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
        frame                           pandas or polars, or a table of Arrow, with those columns; a LazyFrame, a relation of DuckDB, a
                                        frame of Spark or a Dataset of Hugging Face; qrels of ids alone, without rels, are all relevant
        named tuples                    an iterable of them, as ir_measures' Qrel and ScoredDoc
        several runs                    a list of runs, or {system: run}; gives `Results`
        rels in rank order              [1, 0, 1], or a list for each query; no run
        rels and scores                 y and y_hat, flat or a list for each query, or flat with `group_id`
        labels and similarities         a flat list, and a square matrix or frame: each item is a query of all others
        two labelings                   flat lists, for measures that compare them: ARI, AMI, V, …

    >>> evaluate("nDCG", [3, 2, 2, 1, 2], [5, 4, 3, 2, 1], k=[2, 5], profile="gain=exp").mean
    {'nDCG@2': 1.0, 'nDCG@5': 0.99273940647578}

    Args:
        measures: one or several, in ir_measures' notation or as its objects, also as its `define` makes them; or by other names
            (`ndcg@10`, `HR@10`, trec_eval's `ndcg_cut_10`, `P.5,10`, `all_trec`), see `rankproof.meaning.measure_names`. The keys
            of the result are what was asked, in the notation; other ways to write a measure find it, too.
        qrels: see the table. Columns are called query_id, qid, query, user_id or user; doc_id, docno, docid, doc, item_id or item;
            relevance, rel, label, rating or grade. Where two could be meant, `columns` says which; PyTerrier's frames serve as they are.
        run: the same, with score, sim or prediction, and rank where it counts. Ids are compared as text: 7 and "7" are the same query, and
            "7" in the result. Runs in a list are called as their files, as the one system in their column `system`, or
            run1, run2, …; one run of several systems is one run (`rankproof.by_system` parts it).
        profile: the conventions: a name, a spec such as "trec_eval-9 missing=0", `Conventions`, or a `Profile` that has
            conventions of its own for some measures. A library's name ("evaluate", "sklearn/appended") stands for what its
            published fingerprint found of each measure, see `rankproof.evaluating.library_profiles`; what that left
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
    _refuse_names(own, tasks)
    qrels, run = held(qrels, run)
    qrels, run = as_table(qrels, QRELS), as_table(run, RUN)
    if run is None and holds_both(qrels, columns or {}):
        run = qrels
    refuse_swapped(qrels, run)
    options = Options(columns, separator, R, group_id if group_sizes is None else grouped(group_sizes, group_id))
    if _of_labelings([*tasks.values()], own):
        return _compared(qrels, run, options, tasks)
    qrels, run = spelled_out(qrels, run, {side: columns_of(columns or {}, side) for side in SIDES})
    conventions = [task.conventions for task in tasks.values()]
    if R is not None:
        _refuse_R(tasks)
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
    order = _order(asked, tasks)
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
        if why := nothing_is_right(result.warnings):
            name = read_name(system) if several else RUN
            raise BadInput(os.fspath(one) if isinstance(one, str | os.PathLike) else name, why)
    return Results(results) if several else results[""]


def measured(collection: Collection, tasks: Mapping[str, Signature]) -> Result:
    """The answers to some signatures, as floats."""
    return _put_together(tasks, {m: collection.worths(task.measure, task.conventions) for m, task in tasks.items()})


def _put_together(tasks: Mapping[str, Signature], worths: Mapping[str, Mapping[str, Worth]]) -> Result:
    answers = {m: put_together(task.measure, worths[m], task.conventions) for m, task in tasks.items()}
    return Result(
        ByMeasure((m, {q: to_float(v) for q, v in answers[m].per_query.items()}) for m in tasks),
        ByMeasure((m, to_float(answers[m].mean)) for m in tasks),
        *_signed(tasks),
    )


def _with_warnings(
    result: Result,
    beside: Sequence[Caution],
    lacking: Mapping[str, str],
    facts: InputFacts,
    tasks: Mapping[str, Signature],
) -> Result:
    return replace(result, warnings=(*beside, *cautions_of_lacking(lacking), *cautions_of(facts, tasks)))


def beside_of(asked: Sequence[Any], profile: Profile, tasks: Mapping[str, Signature]) -> tuple[Caution, ...]:
    """What is to be said of the measures that were asked."""
    names = [str(one).strip() for one in asked if not is_defined(one)]
    lacking = [one for one in _order(names, ()) if one not in tasks] if profile.whose else ()
    return (*([caution_of_read(profile.whose)] if profile.read else []), *cautions_of_names(names, lacking))


def result_of_columns(
    run: RunByColumns, profile: str, tasks: Mapping[str, Signature], beside: Sequence[Caution]
) -> Result:
    """The answers to some signatures, found by columns, with what is to be said of the measures and of the input."""
    values = run.values[profile]
    tasks = {m: task for m, task in tasks.items() if m in values.of}
    result = replace(_of_values(values.of, tasks), checked=run.checked)
    return _with_warnings(result, beside, values.lacking, run.facts[profile], tasks)


def _of_values(values: Mapping[str, "Values"], tasks: Mapping[str, Signature]) -> Result:
    return Result(
        ByMeasure((m, dict(values[m].per_query)) for m in tasks),
        ByMeasure((m, values[m].mean) for m in tasks),
        *_signed(tasks),
    )


def _signed(tasks: Mapping[str, Signature]) -> tuple[ByMeasure, ByMeasure]:
    """What was computed, and what of it was taken where nothing decides."""
    return ByMeasure((m, str(s.computed)) for m, s in tasks.items()), ByMeasure((m, s.taken) for m, s in tasks.items())


def result_of_rows(
    qrels: Rows[Judgment],
    run: Rows[Row],
    tasks: Mapping[str, Signature],
    beside: Sequence[Caution],
    difference: Checked | None = None,
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
        result = replace(_put_together(tasks, worths.of), checked=difference)
        beside = [*([] if difference is None else [caution_of_fault(difference)]), *beside]
        return _with_warnings(result, beside, worths.lacking, facts_of_rows(collection, tasks, worths.of), tasks)
    except Overflow as error:
        _, query, i = max((abs(one.rel), query, i) for query, rows in qrels.of.items() for i, one in enumerate(rows))
        doc, rel = qrels.of[query][i]
        what = f"doc {as_written(doc)} of query {as_written(query)} has the rel {as_written(rel)}: {error}"
        raise BadInput(qrels.where(query, i), what) from error


def joined(ours: Result, theirs: Result, order: Iterable[str]) -> Result:
    """Two results of the same run as one, the measures in this order."""
    pairs = ((getattr(ours, part), getattr(theirs, part)) for part in ("per_query", "mean", "signature", "taken"))
    both = ({**mine, **other} for mine, other in pairs)
    per_query, mean, signature, taken = (
        ByMeasure((name, values[name]) for name in order if name in values) for values in both
    )
    return Result(per_query, mean, signature, taken, (*ours.warnings, *theirs.warnings))


def ranking_measure(written: object) -> Measure:
    """The measure of rankings that a text or an ir_measures object stands for.

    Raises:
        UnknownMeasure: there is none.
    """
    measure = measure_called(written if isinstance(written, Measure) else str(written))
    if measure.of_labels:
        msg = f"{measure} compares two labelings; a run has none"
        raise UnknownMeasure(msg)
    return measure


def signature_under(profile: Profile, written: object) -> Signature:
    """What a profile says of a measure, as text or an ir_measures object.

    Raises:
        UnknownMeasure: there is no such measure of rankings.
    """
    return _under(profile, ranking_measure(written))


def _under(profile: Profile, measure: Measure) -> Signature:
    return Signature(measure, profile.conventions(measure), remaining=tuple(profile.undecided(measure).items()))


def _several(measures: Any) -> list[Any]:  # noqa: ANN401 - see evaluate
    # ir_measures' objects have __getitem__, so only __iter__ tells one from several.
    if isinstance(measures, Mapping):
        raise BadInput("measures", "it is a mapping; the measures come first: evaluate(measures, qrels, run)")
    several = isinstance(measures, Iterable) and not isinstance(measures, str)
    return list(measures) if several else [measures]


def at_cutoffs(written: Any, k: Any) -> list[Any]:  # noqa: ANN401 - see evaluate
    """Each measure at each cutoff; as they are where no cutoff is given.

    Raises:
        BadInput: one is no cutoff, or a measure has one already.
    """
    measures = _several(written)
    if k is None:
        return measures
    cutoffs = list(k) if isinstance(k, Iterable) else [k]
    for cutoff in cutoffs:
        if not isinstance(cutoff, Integral) or isinstance(cutoff, bool) or not 1 <= int(cutoff) < BEYOND_ALL_CUTOFFS:
            raise BadInput("k", f"{as_written(cutoff)} is no cutoff; a cutoff is a whole number from 1 on")
    if not cutoffs:
        raise BadInput("k", "no cutoff is given; leave k out, or give one")
    for measure in measures:
        if "@" in str(measure):
            raise BadInput("k", f"{measure} has a cutoff already; ask {without_cutoff(str(measure))}, or leave k out")
    return [m @ c if is_defined(m) else f"{m}@{c}" for m in measures for c in cutoffs]


def signatures_of(
    measures: Sequence[Any],
    profile: Profile,
    signature: str | Signature | Iterable[str | Signature],
) -> dict[str, Signature]:
    """The signature of each measure, by what it was asked as, in the order asked.

    Raises:
        UnknownMeasure: one is none.
        AskedTwice: one measure is asked under different conventions.
    """
    wanted = [task for written in measures for task in _called(str(written), profile)]
    for given in [signature] if isinstance(signature, str | Signature) else signature:
        said = parse_signature(given) if isinstance(given, str) else given
        wanted.append((str(said.measure), Signature(said.measure, said.conventions, remaining=said.remaining)))
    known: dict[str, Signature] = {}
    for name, asked in wanted:
        first = known.setdefault(canonical(name), asked)
        if first.computed != asked.computed:
            both = f"{first} and {asked}"
            msg = f"{asked.measure} is asked under different conventions, {both}; ask them one by one"
            raise AskedTwice(msg)
    return dict(wanted)


def _called(written: str, profile: Profile) -> list[tuple[str, Signature]]:
    """The measures of that name, with what the profile says of each; in a set, of those of which it says something."""
    found = called(written)
    tasks: list[tuple[str, Signature]] = []
    for one in found:
        try:
            tasks.append((one.name, _under(profile.changed(one.changes) if one.changes else profile, one.measure)))
        except UnknownConvention:
            if one is found[-1] and not tasks:
                raise
    return tasks


def _order(asked: Sequence[Any], tasks: Iterable[str]) -> list[str]:
    """The names of all measures, as they were asked."""
    names = ([str(one)] if is_defined(one) else [each.name for each in called(str(one))] for one in asked)
    return list(dict.fromkeys([*(name for own in names for name in own), *tasks]))


def _refuse_names(own: Sequence[Any], tasks: Iterable[str]) -> None:
    """Refuse a measure made by `define` that is called as another one that is asked."""
    named: dict[str, Any] = {}
    for measure in own:
        if str(measure) in tasks or type(named.setdefault(str(measure), measure)) is not type(measure):
            msg = f"two measures that are asked are called {measure}; give define another name"
            raise AskedTwice(msg)


def _of_labelings(tasks: Sequence[Signature], own: Sequence[Any]) -> bool:
    """Whether the measures compare labelings; they all do, or none does."""
    labels = [task.measure for task in tasks if task.measure.of_labels]
    others = [*(task.measure for task in tasks if not task.measure.of_labels), *own]
    if labels and others:
        msg = f"{labels[0]} compares two labelings and {others[0]} measures rankings; ask them one by one"
        raise UnknownMeasure(msg)
    return bool(labels)


def _refuse_R(tasks: Mapping[str, Signature]) -> None:  # noqa: N802 - R is its name
    """Refuse R where it could have no effect."""
    for name, task in tasks.items():
        if task.conventions.known == "retrieved":
            raise BadInput("R", f"by known=retrieved, {name} knows only what the list holds; leave R out")
        if task.measure.rel != 1:
            raise BadInput("R", f"it counts docs of rel 1, and {name} has a threshold of its own; give qrels")


def _refuse_ids(given: Given, conventions: Sequence[Conventions], own: Sequence[Any]) -> None:
    """Refuse what would depend on ids that nobody gave."""
    if own:
        raise BadInput(given.qrels.name, f"they have no docids, at which {own[0]} may look; give qrels and a run")
    for rows in given.runs.values():
        refuse_ties(given.qrels.of, rows, conventions)


def _compared(qrels: Any, run: Any, options: Options, tasks: Mapping[str, Signature]) -> Result:  # noqa: ANN401 - any form
    """The answers to measures of labelings: a value each, and none by query."""
    if not is_listed(qrels):
        msg = f"{next(iter(tasks))} compares two labelings; a run has none"
        raise UnknownMeasure(msg)
    options.refuse(
        ("columns", "separator", "R", "group_id"), "goes with rankings; what is asked compares two labelings"
    )
    labelings: tuple[list[Hashable], list[Hashable]] = read_labelings(qrels, run)
    values = {name: compare_labelings(task.measure, *labelings, task.conventions) for name, task in tasks.items()}
    return Result(
        ByMeasure((name, {}) for name in tasks),
        ByMeasure((name, to_float(value)) for name, value in values.items()),
        *_signed(tasks),
    )


def strictest_of(conventions: Sequence[Conventions]) -> Conventions:
    """What reading must see to: duplicates are refused if one rejects them, scores and ranks are read if one asks for them."""
    if not conventions:
        return Conventions()
    refused = {
        axis: "rejected"
        for axis in ("run_duplicates", "qrels_duplicates")
        if any(getattr(one, axis) == "rejected" for one in conventions)
    }
    scored = any(one.order == "score" or one.score_sign == "positive" for one in conventions)
    by_rank = any(one.order == "rank" for one in conventions)
    read = {
        "order": "rank" if by_rank else "score" if scored else "input",
        "score_sign": "positive" if by_rank and scored else "any",
    }
    return Conventions(run_duplicates="both", qrels_duplicates="both").replace(**refused, **read)
