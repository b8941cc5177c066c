"""`rankproof.evaluate`: a run against qrels, by the reference, under named conventions."""

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.inputs import read_qrels, read_run
from rankproof.profiles import profile_named
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure, UnknownMeasure
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.reference_impl.profiles import Profile
from rankproof.signature import Signature
from rankproof.signature import parse as parse_signature


class AskedTwice(ValueError):
    """One measure is asked under two sets of conventions, so that its name does not say which."""


class ByMeasure(dict[str, Any]):
    """Values by the text of the measure; other ways to write it (`MAP`, ir_measures' objects) find them, too."""

    def __missing__(self, key: object) -> Any:  # noqa: ANN401 - as dict
        text = _canonical(key)
        if text == key or text not in self:
            raise KeyError(key)
        return self[text]


@dataclass(frozen=True)
class Result:
    """What a run is worth. A value is a float; NaN where it is undefined.

    Attributes:
        per_query: measure -> query -> value, the queries in the order of the qrels.
        mean: measure -> the mean that the conventions name (for counts: the sum).
        signature: measure -> the line that says what was computed.
    """

    per_query: Mapping[str, Mapping[str, float]]
    mean: Mapping[str, float]
    signature: Mapping[str, str]

    def to_frame(self) -> Any:  # noqa: ANN401 - a pandas.DataFrame, and pandas is an extra
        """A pandas DataFrame with a row per query and a column per measure.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        try:
            pandas = importlib.import_module("pandas")
        except ModuleNotFoundError as error:
            msg = "to_frame needs pandas: pip install rankproof[pandas]"
            raise ModuleNotFoundError(msg, name=error.name) from error
        queries = list(dict.fromkeys(query for values in self.per_query.values() for query in values))
        index = pandas.Index(queries, name="query", dtype="object")
        return pandas.DataFrame({m: pandas.Series(v, dtype="float64") for m, v in self.per_query.items()}, index=index)


def evaluate(
    measures: Any,  # noqa: ANN401 - text, an ir_measures object, or an iterable of those
    qrels: Any,  # noqa: ANN401 - see rankproof.inputs
    run: Any,  # noqa: ANN401 - see rankproof.inputs
    *,
    profile: str | Conventions | Profile = "standard",
    columns: Mapping[str, Any] | None = None,
    signature: str | Signature | Iterable[str | Signature] = (),
) -> Result:
    """Measure a run.

    >>> result = evaluate(["nDCG@10", "AP"], {"q1": {"a": 1, "b": 0}}, {"q1": {"a": 0.4, "b": 0.9}})
    >>> result.mean["AP"], result.per_query["nDCG@10"]["q1"]
    (0.5, 0.6309297535714574)
    >>> print(result.signature["nDCG@10"])
    nDCG@10|by:reference|rankproof:0.1.0

    Args:
        measures: one or several, in ir_measures' notation or as its objects; the keys of the result are the notation.
        qrels: a path of a TREC file (plain or gzip), a dict of dict, a frame, or ir_measures' named tuples.
        run: the same. Ids are compared as text: 7 and "7" are the same query, and "7" in the result.
        profile: the conventions: a name, a spec such as "trec_eval-9 missing=0", `Conventions`, or a `Profile` that has
            conventions of its own for some measures. A library's name ("evaluate", "sklearn/appended") stands for what its
            published fingerprint found of each measure, see `rankproof.profiles`; what that left undetermined is as in standard.
        columns: what query_id, doc_id, relevance, score and rank are called in the frames; for each on its own by
            {"qrels": {…}, "run": {…}}.
        signature: computes what these signatures say, beside `measures` (which may be empty).

    Raises:
        BadInput: the qrels or the run do not read; the message says where, what, and the mend.
        UnknownMeasure: the text is no measure of rankings.
        UnknownConvention: there is no such profile, axis or value.
        Rejected: the conventions refuse the input.
        TooManyOrders: ties need the enumeration of too many orders.
        AskedTwice: a signature and a measure are the same measure under different conventions.
    """
    tasks = _tasks(measures, profile_named(profile), signature)
    strictest = strictest_of([task.conventions for task in tasks.values()])
    judgments = read_qrels(qrels, columns_of(columns or {}, "qrels"), strictest)
    rows = read_run(run, columns_of(columns or {}, "run"), strictest)
    return measured(Collection(judgments.of, rows.of), tasks)


def measured(collection: Collection, tasks: Mapping[str, Signature]) -> Result:
    """The answers to some signatures, as floats."""
    answers = {m: collection.answer(task.measure, task.conventions) for m, task in tasks.items()}
    return Result(
        ByMeasure((m, {q: to_float(v) for q, v in answers[m].per_query.items()}) for m in tasks),
        ByMeasure((m, to_float(answers[m].mean)) for m in tasks),
        ByMeasure((m, str(s)) for m, s in tasks.items()),
    )


def ranking_measure(written: object) -> Measure:
    """The measure of rankings that a text or an ir_measures object stands for.

    Raises:
        UnknownMeasure: there is none.
    """
    measure = parse_measure(written if isinstance(written, Measure) else str(written))
    if measure.of_labels:
        msg = f"{measure} compares two labelings; a run has none"
        raise UnknownMeasure(msg)
    return measure


def signature_under(profile: Profile, written: object) -> Signature:
    """What a profile says of a measure, as text or an ir_measures object.

    Raises:
        UnknownMeasure: there is no such measure of rankings.
    """
    measure = ranking_measure(written)
    return Signature(measure, profile.conventions(measure))


def _canonical(key: object) -> str:
    try:
        return str(parse_measure(str(key)))
    except UnknownMeasure:
        return str(key)


def _tasks(
    measures: Any,  # noqa: ANN401 - see evaluate
    profile: Profile,
    signature: str | Signature | Iterable[str | Signature],
) -> dict[str, Signature]:
    """The signature of each measure that is asked, in the order asked."""
    # ir_measures' objects have __getitem__, so only __iter__ tells one from several.
    several = isinstance(measures, Iterable) and not isinstance(measures, str)
    wanted = [signature_under(profile, m) for m in (measures if several else [measures])]
    for given in [signature] if isinstance(signature, str | Signature) else signature:
        said = parse_signature(given) if isinstance(given, str) else given
        wanted.append(Signature(ranking_measure(said.measure), said.conventions))
    tasks: dict[str, Signature] = {}
    for asked in wanted:
        name = str(asked.measure)
        if tasks.setdefault(name, asked) != asked:
            msg = f"{name} is asked under different conventions, {tasks[name]} and {asked}; ask them one by one"
            raise AskedTwice(msg)
    return tasks


def columns_of(columns: Mapping[str, Any], side: str) -> Mapping[str, str]:
    """The names of the columns on one side: its own mapping, or the one for both."""
    if {"qrels", "run"} & columns.keys():
        own: Mapping[str, str] = columns.get(side, {})
        return own
    return columns


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
