"""The arguments of a call: what each role is in an input, and in which container it is given. Nothing is cast so that its value changes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pkgutil import resolve_name
from types import SimpleNamespace
from typing import Any, NamedTuple

from rankproof.calling import file_arguments
from rankproof.calling.argument_names import is_key_of_a_rank, is_key_of_a_score
from rankproof.calling.file_arguments import NAME_OF
from rankproof.calling.literals import Expression, literal
from rankproof.calling.targets import ALL, COLUMN, IN_TABLES, QUERY_ID, Target
from rankproof.cases.inputs import Input, RunRow
from rankproof.grouping import grouped

ARRAYS_AND_SET = "arrays-set"
"""Arrays of numbers, beside them the places of relevant docs as a set."""
ARRAYS_AND_DICT = "arrays-dict"
"""Arrays of numbers, beside them the rels as a dict by the place of their doc, from 0."""
WIDE_FRAMES = "wide-frames"
"""A frame with a row of ids for each query, as wide as the longest of them."""
DOC_DICTS, DOC_DICTS_AND_SET, ALL_DOC_DICTS = "doc-dicts", "doc-dicts-set", "all-doc-dicts"
"""Each retrieved doc as a dict that holds its id, by the keys that are read; the relevant ones as a list, a set, or such dicts, too."""
DOCS, DOCS_AND_SET, ALL_DOCS = "docs", "docs-set", "all-docs"
"""The same as objects, by the attributes that are read."""
IN_DICTS = frozenset({"metadata", "meta", "payload", "_source", "fields", "properties"})
"""The attributes of such an object that are dicts, where the id is read from one of them."""
IN_DOCS = frozenset({"chunk", "document", "doc", "node", "passage", "entity", "record"})
"""Those that are objects themselves."""
DOC_PAIRS, DOC_PAIRS_AND_SET = "doc-pairs", "doc-pairs-set"
"""Each retrieved doc with its score, in rank order, as what searches gives them; the relevant ones as a list, or as a set."""
IN_RANK_ORDER = frozenset({DOC_PAIRS, DOC_PAIRS_AND_SET})
SPARSE = "sparse"
"""A sparse matrix of scipy, whose missing entries are rels of 0 and docs that were not retrieved: scores are above 0."""
SPARSE_RELS = "sparse-rels"
"""The same of rels alone, beside arrays of scores."""
SETS = "sets"
"""Relevant docs and retrieved ones as sets, where a measure looks at no order."""
EVAL_PREDICTION = "eval-prediction"
"""Arrays of numbers; of a pair these, also by the names that the Trainer of transformers gives them."""
IN_DICTS_APART = "dicts-apart"
"""The relevant docs of a query in a dict, and its docs in rank order in another one, each under the key that is read."""
TEXTS = "texts"
"""The ids of a query in one text, with a space between them."""
WITH_SETS = frozenset({"set", SETS, ARRAYS_AND_SET, DOC_DICTS_AND_SET, DOCS_AND_SET, DOC_PAIRS_AND_SET})
"""The containers in which relevant docs are a set."""
OBJECTS: Mapping[str, Mapping[str, str]] = {
    "ir_measures": {"qrels_rows": "Qrel", "run_rows": "ScoredDoc"},
    "ranx": {"qrels": "Qrels", "run": "Run"},
}
"""By the module of that name, the class of which each row of a role is one, or is all of a role that is a dict."""
MAKERS = {
    **dict.fromkeys(("array", ARRAYS_AND_SET, ARRAYS_AND_DICT, EVAL_PREDICTION), "numpy:array"),
    "series": "pandas:Series",
    WIDE_FRAMES: "pandas:DataFrame",
    SPARSE: "scipy.sparse:csr_matrix",
}
"""By the container, what makes it of a list, as MODULE:NAME."""
SPARSE_ROLES = frozenset({"y_true", "rels_seen"})
"""The roles that are sparse where arrays stand beside them."""
TENSORS = frozenset({"tensor", "float-tensor", "tensors"})
"""A tensor, whole numbers as they are; the same, all numbers as floats; a tensor for each query, in a list."""
RECORD = {"record": "records", "record_of_one": "records_of_one"}
"""The roles that are a dict by name, of a query's relevant docs or of the only one, and those that are a list of these, of all queries."""
RECORDS = frozenset(RECORD.values())
RECORDS_APART = {"records_relevant": 0, "records_ranked": 1}
"""The roles that are a list of dicts, each with the query, and which of a target's columns is that of the docs."""
DATASETS = frozenset({"dataset", "dataset_of_one"})
OF_DATASETS = ("get_label", "get_group", "get_uint_info", "get_weight")
"""The roles that are objects which say of their rows the rels and more, and the methods by which they do."""
FRAMES = {"frame_true": (0, 1, 2), "frame_pred": (0, 1, 3, 4), "frame_rows": (0, 1, 2, 3), "rows_of_query": (1, 2, 3)}
"""The roles that are frames, and which of a target's columns they have: of the query, the doc, the rel, the score, and the rank if any."""
TABLES = frozenset({*FRAMES, *RECORDS})
"""The roles that may be given as a frame: of records, with the lists of a query in a row."""
DICTS, ROW_OBJECTS = "dicts", "row-objects"
"""What else may be a frame: a list of a dict for each row, or of an object."""
ROW_TUPLES = {
    "rows-score-rel": (2, 1),
    "rows-rel-score": (1, 2),
    "rows-doc-score-rel": (0, 2, 1),
    "rows-doc-rel-score": (0, 1, 2),
    "rows-doc-rel": (0, 1),
    "rows-rel-doc": (1, 0),
}
"""What a list of the rows of a query may hold, too: tuples, of these of its doc, rel and score in that order."""
SCORE_OF_ROW = 2
"""The place of the score among these."""


class _Prediction(NamedTuple):
    """A row as Surprise has it: by the names of its fields or their places, the last of which says how the score came to be."""

    uid: str
    iid: str
    r_ui: float
    est: float
    details: dict[str, Any]


def arguments_of(target: Target, data: Input, query: str | None) -> list[Any]:
    """The arguments in the function's own order, as plain lists, sets and dicts; of a query, or of all (None)."""
    return [_batched(target, role, data, query) for role in target.order]


def _batched(target: Target, role: str, data: Input, query: str | None) -> Any:  # noqa: ANN401 - what a role is
    if query is None and target.batch == ALL:
        return [plain(target, role, data, str(each)) for each in data.queries]
    value = plain(target, role, data, query)
    if target.batch == COLUMN:
        return [[one] for one in value]
    return [value] if target.batch in IN_TABLES else value


def plain(target: Target, role: str, data: Input, query: str | None) -> Any:  # noqa: ANN401 - as above
    """What a role is for a query; for all of them where the role is of all."""
    value = role_of(role, _with_numbers(data, of_queries=role in NAME_OF) if target.numbered else data, query)
    if (in_dicts := _IN_DICTS.get(role)) is not None:
        return in_dicts(target, role, value)
    if target.container == IN_DICTS_APART:
        return {target.columns[role == "ranked"]: value}
    if (held := _HELD_AS.get((target.container, role))) is not None:
        return held(value)
    if (as_doc := _doc_of(target, role)) is not None:
        by_query = isinstance(value, dict)
        return {q: _each(as_doc, docs) for q, docs in value.items()} if by_query else _each(as_doc, value)
    return RELEVANT_DOCS[role](value) if role in RELEVANT_DOCS and target.container in WITH_SETS else value


def _each(as_doc: Callable[[Any], Any], docs: Sequence[Any]) -> list[Any]:
    """The docs, each made of its id and its score, or its rank where it has none."""
    return [as_doc(doc if isinstance(doc, tuple) else (doc, rank)) for rank, doc in enumerate(docs, start=1)]


def _with_scores(ids: Sequence[Any]) -> list[tuple[Any, float]]:
    """Docs in rank order, each with a score that falls from one to the next."""
    return [(doc, float(len(ids) - at)) for at, doc in enumerate(ids)]


_HELD_AS: Mapping[tuple[str, str], Callable[[Any], Any]] = {
    (SETS, "ranked"): set,
    **dict.fromkeys(((TEXTS, "relevant"), (TEXTS, "ranked")), lambda ids: " ".join(map(str, ids))),
    (ARRAYS_AND_DICT, "y_true"): lambda rels: dict(enumerate(rels)),
    **dict.fromkeys(((container, "ranked") for container in IN_RANK_ORDER), _with_scores),
    **dict.fromkeys(
        ((container, "ranked_of_query") for container in IN_RANK_ORDER),
        lambda given: {query: _with_scores(ids) for query, ids in given.items()},
    ),
}
"""By the container and the role, what a list of a query is held as where that is no list."""


@lru_cache(maxsize=64)
def _with_numbers(data: Input, *, of_queries: bool) -> Input:
    """The same with a whole number for each doc: from 1 on, as 0 is padding to some, and in the order of their ids; of queries, too."""
    queries, docs = (_numbered({row[at] for row in (*data.qrels, *data.run)}) for at in (0, 1))
    named = queries if of_queries else {query: query for query in queries}
    return replace(
        data,
        qrels=tuple((named[query], docs[doc], rel) for query, doc, rel in data.qrels),
        run=tuple((named[query], docs[doc], score, rank) for query, doc, score, rank in data.run),
    )


def _numbered(ids: Iterable[Any]) -> dict[Any, int]:
    numbers = {text: at for at, text in enumerate(sorted(set(map(str, ids))), start=1)}
    return {each: numbers[str(each)] for each in ids}


def _record(target: Target, query: str, relevant: list[Any], ranked: list[Any]) -> dict[str, Any]:
    """A query as a dict, by the keys that the function reads: of its relevant docs, of its docs in rank order, and of itself, if any."""
    of_relevant, of_ranked, *of_query = target.columns
    whole = set(relevant) if target.container == "set" else relevant
    docs = _with_scores(ranked) if target.container in IN_RANK_ORDER else ranked
    return {**dict.fromkeys(of_query, query), of_relevant: whole, of_ranked: docs}


def _part_of_record(target: Target, role: str, query: str, docs: list[Any]) -> dict[str, Any]:
    """The relevant docs of a query, or its docs in rank order, as a dict with the query."""
    which, of_query = target.columns[RECORDS_APART[role]], target.columns[2:]
    is_set = target.container == "set" and role == "records_relevant"
    return {**dict.fromkeys(of_query, query), which: set(docs) if is_set else docs}


_IN_DICTS: Mapping[str, Callable[[Target, str, Any], Any]] = {
    **dict.fromkeys(RECORD, lambda target, _role, one: _record(target, *one)),
    **dict.fromkeys(RECORDS, lambda target, _role, every: [_record(target, *one) for one in every]),
    **dict.fromkeys(RECORDS_APART, lambda target, role, every: [_part_of_record(target, role, *one) for one in every]),
}
"""The roles that are dicts by name, with what makes them."""


def _doc_of(target: Target, role: str) -> Callable[[Any], Any] | None:
    """What makes a doc, or a row, where it is no id and no dict of a frame; None where it stays as it is."""
    if role == "rows_of_query" and target.container in ROW_TUPLES:
        return lambda row: tuple(row[at] for at in ROW_TUPLES[target.container])
    if role in FRAMES and target.container in {DICTS, ROW_OBJECTS}:
        held = dict if target.container == DICTS else SimpleNamespace
        return lambda row: held(**dict(zip(columns_of(target, role), row, strict=True)))
    if role not in _OF_DOCS.get(target.container, ()):
        return None
    return partial(_as_dict if target.container in _DOC_DICTS else _as_object, target.columns)


def _as_dict(keys: Sequence[str], doc: tuple[Any, float]) -> dict[str, Any]:
    """A doc by the keys that the function reads: of its id, and of its score or its rank."""
    made: dict[str, Any] = _within(_by_path(keys, doc), in_dict=True)
    return made


def _as_object(names: Sequence[str], doc: tuple[Any, float]) -> Any:  # noqa: ANN401 - an object
    """The same by the attributes that are read; those within a dict, as its metadata, are keys there."""
    return _within(_by_path(names, doc), in_dict=False)


def _by_path(keys: Sequence[str], doc: tuple[Any, float]) -> dict[tuple[str, ...], Any]:
    """What stands where, as `chunk.id` names a place within a place."""
    of_id, number = doc
    return {tuple(key.split(".")): number if is_key_of_a_score(key) or is_key_of_a_rank(key) else of_id for key in keys}


def _within(places: Mapping[tuple[str, ...], Any], *, in_dict: bool) -> Any:  # noqa: ANN401 - a dict or an object
    """A dict or an object that holds values at places, and what is within it likewise."""
    first = dict.fromkeys(name for name, *_ in places)
    values = {}
    for name in first:
        inner = {path[1:]: value for path, value in places.items() if path[0] == name and len(path) > 1}
        values[name] = _within(inner, in_dict=in_dict or name in IN_DICTS) if inner else places[name,]
    return values if in_dict else SimpleNamespace(**values)


_DOC_DICTS = frozenset({DOC_DICTS, DOC_DICTS_AND_SET, ALL_DOC_DICTS})
_RETRIEVED = frozenset({"ranked", "scored", "ranked_of_query", "scored_of_query"})
_OF_DOCS = {
    **dict.fromkeys((DOC_DICTS, DOC_DICTS_AND_SET, DOCS, DOCS_AND_SET), _RETRIEVED),
    **dict.fromkeys((ALL_DOC_DICTS, ALL_DOCS), _RETRIEVED | {"relevant"}),
}
"""The roles whose docs are dicts or objects, by the container."""
RELEVANT_DOCS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("relevant", "relevant_places"), set),
    **dict.fromkeys(
        ("relevant_of_query", "relevant_of_listed"), lambda given: {q: set(docs) for q, docs in given.items()}
    ),
    "ranked_with_relevant": lambda pairs: [(ranked, set(relevant)) for ranked, relevant in pairs],
    "relevant_with_ranked": lambda pairs: [(set(relevant), ranked) for relevant, ranked in pairs],
}
"""The roles that say which docs are relevant, with what makes sets of these."""


def role_of(role: str, data: Input, query: str | None) -> Any:  # noqa: ANN401 - as above
    """What a role is, as plain lists and dicts."""
    if role == QUERY_ID:
        return query
    if role in RECORD:
        return next(one for one in OF_ALL[RECORD[role]](data) if one[0] == query)
    if role in OF_ALL:
        return OF_ALL[role](data)
    rows = [row for row in data.run if str(row[0]) == query]
    return _OF_QUERY[role](rows, {doc: rel for q, doc, rel in data.qrels if str(q) == query})


def _relevant(rels: Mapping[Any, float]) -> list[Any]:
    return [doc for doc, rel in rels.items() if rel >= 1]


def _first_hit(rows: Sequence[RunRow], rels: Mapping[Any, float], start: int) -> int | None:
    return next((at for at, row in enumerate(rows, start=start) if rels.get(row[1], 0) >= 1), None)


_OF_QUERY: Mapping[str, Callable[[Sequence[RunRow], Mapping[Any, float]], Any]] = {
    **dict.fromkeys(("y_true", "ranked_rels"), lambda rows, rels: [rels.get(row[1], 0) for row in rows]),
    **dict.fromkeys(("y_score", "score_of_first"), lambda rows, _rels: [row[2] for row in rows]),
    "relevant_scores": lambda rows, rels: [row[2] for row in rows if rels.get(row[1], 0) >= 1],
    "relevant_score": lambda rows, rels: next(row[2] for row in rows if rels.get(row[1], 0) >= 1),
    "other_scores": lambda rows, rels: [row[2] for row in rows if rels.get(row[1], 0) < 1],
    "distances": lambda rows, _rels: [[-row[2] for row in rows]],
    "label_of_query": lambda _rows, _rels: [1],
    "labels_of_docs": lambda rows, rels: [
        1 if rels.get(row[1], 0) >= 1 else at for at, row in enumerate(rows, start=2)
    ],
    "approxes": lambda rows, _rels: [[row[2] for row in rows]],
    "dataset_of_one": lambda rows, rels: _dataset([rels.get(row[1], 0) for row in rows], [len(rows)]),
    **dict.fromkeys(("judged_rels", "rels_by_place"), lambda _rows, rels: list(rels.values())),
    "ranked_places": lambda rows, rels: list(map(list(rels).index, (row[1] for row in rows))),
    "ideal_rels": lambda _rows, rels: sorted(rels.values(), reverse=True),
    **dict.fromkeys(
        ("relevant_places", "hit_places"),
        lambda rows, rels: [at for at, row in enumerate(rows) if rels.get(row[1], 0) >= 1],
    ),
    "rank_of_doc": lambda rows, _rels: [sum(other[2] > row[2] for other in rows) for row in rows],
    "rank_from_1": lambda rows, _rels: [1 + sum(other[2] > row[2] for other in rows) for row in rows],
    "scores_with_rels": lambda rows, rels: ([[row[2] for row in rows]], [[rels.get(row[1], 0) for row in rows]]),
    **dict.fromkeys(("n_relevant", "hits_in_all"), lambda _rows, rels: len(_relevant(rels))),
    "hit_ranks": lambda rows, rels: [at for at, row in enumerate(rows, start=1) if rels.get(row[1], 0) >= 1],
    "row_of_query": lambda _rows, _rels: 0,
    "rels_seen": lambda rows, _rels: [0] * len(rows),
    "n_docs": lambda rows, _rels: len(rows),
    **dict.fromkeys(("target_index", "position"), lambda rows, rels: _first_hit(rows, rels, start=0)),
    "relevant": lambda _rows, rels: _relevant(rels),
    **dict.fromkeys(("relevant_doc", "doc_of_each"), lambda _rows, rels: _relevant(rels)[0]),
    **dict.fromkeys(("ranked", "ranked_of_each"), lambda rows, _rels: [row[1] for row in rows]),
    "rel_of_doc": lambda _rows, rels: dict(rels),
    "score_of_doc": lambda rows, _rels: {row[1]: row[2] for row in rows},
    "scored": lambda rows, _rels: [(row[1], row[2]) for row in rows],
    "rows_of_query": lambda rows, rels: [(row[1], rels.get(row[1], 0), row[2]) for row in rows],
    "rank": lambda rows, rels: _first_hit(rows, rels, start=1),
}
"""What a role is, of the rows of a query and the rels of its docs."""


def _dataset(rels: Sequence[float], sizes: Sequence[int]) -> dict[str, Sequence[float] | None]:
    """What the methods give by which a dataset of LightGBM, or a matrix of XGBoost, says of its rows what a metric asks."""
    bounds = [sum(sizes[:at]) for at in range(len(sizes) + 1)]
    return {"get_label": [*map(float, rels)], "get_group": sizes, "get_uint_info": bounds, "get_weight": None}


def _docs_by_query(data: Input) -> dict[Any, list[Any]]:
    return {query: [row[0] for row in rows] for query, rows in data.scored.items()}


def _records(data: Input) -> list[tuple[str, list[Any], list[Any]]]:
    queries = map(str, data.queries)
    return [(query, role_of("relevant", data, query), role_of("ranked", data, query)) for query in queries]


def _rels_of_rows(data: Input) -> list[float]:
    rels = {row[:2]: row[2] for row in data.qrels}
    return [rels[row[:2]] for row in data.run]


def _rows_of_all(data: Input) -> list[tuple[Any, ...]]:
    return [(*row[:2], rel, row[2]) for row, rel in zip(data.run, _rels_of_rows(data), strict=True)]


def _ranks(data: Input) -> list[int]:
    """In the order of the queries, by which the values are read."""
    judged = {row[:2] for row in data.qrels}
    return [row[3] for query in data.queries for row in data.run if row[0] == query and row[:2] in judged]


def _relevant_by_query(data: Input) -> dict[Any, list[Any]]:
    return {query: _relevant(rels) for query, rels in nested(data.qrels, data.empty_in_qrels).items()}


OF_ALL: Mapping[str, Callable[[Input], Any]] = {
    "qrels": lambda data: nested(data.qrels, data.empty_in_qrels),
    "run": lambda data: nested(data.run, data.empty_in_run),
    **dict.fromkeys(("relevant_of_query", "relevant_of_listed"), _relevant_by_query),
    "doc_of_query": lambda data: {query: docs[0] for query, docs in _relevant_by_query(data).items() if docs},
    "ranked_of_query": _docs_by_query,
    "scored_of_query": lambda data: {query: [row[:2] for row in rows] for query, rows in data.scored.items()},
    "ranked_listed": lambda data: list(_docs_by_query(data).values()),
    "queries_listed": lambda data: list(_docs_by_query(data)),
    "ranked_with_relevant": lambda data: [(ranked, relevant) for _, relevant, ranked in _records(data)],
    "relevant_with_ranked": lambda data: [(relevant, ranked) for _, relevant, ranked in _records(data)],
    "records": _records,
    "records_relevant": lambda data: list(_relevant_by_query(data).items()),
    # In another order, so that who takes them by their place is not taken for one who looks for the query.
    "records_ranked": lambda data: [*_docs_by_query(data).items()][::-1],
    "records_of_one": lambda data: [(query, relevant[0], ranked) for query, relevant, ranked in _records(data)],
    "rels_of_query": lambda data: grouped((row[0], row[2]) for row in _rows_of_all(data)),
    "scores_of_query": lambda data: grouped((row[0], row[2]) for row in data.run),
    **dict.fromkeys(("frame_true", "qrels_rows", "qrels_file"), lambda data: [tuple(row) for row in data.qrels]),
    "run_rows": lambda data: [tuple(row[:3]) for row in data.run],
    **dict.fromkeys(("frame_pred", "run_file", "ranked_file"), lambda data: [tuple(row) for row in data.run]),
    "frame_rows": _rows_of_all,
    "predictions": lambda data: [_Prediction._make((*row, {})) for row in _rows_of_all(data)],
    "all_true": _rels_of_rows,
    "all_scores": lambda data: [row[2] for row in data.run],
    "query_of_row": lambda data: [row[0] for row in data.run],
    "group_sizes": lambda data: [sum(row[0] == query for row in data.run) for query in data.queries],
    "dataset": lambda data: _dataset(_rels_of_rows(data), OF_ALL["group_sizes"](data)),
    "ranks": _ranks,
    "places": lambda data: [rank - 1 for rank in _ranks(data)],
    "similarities": lambda data: [[row[2] for row in data.run if row[0] == query] for query in data.queries],
    "labels_true": lambda data: list(data.true or ()),
    "labels_pred": lambda data: list(data.predicted or ()),
}
"""What a role is that is of all queries."""


def nested(rows: Sequence[tuple[Any, ...]], empty: Sequence[Any]) -> dict[Any, dict[Any, Any]]:
    """Rows by query and doc, and the queries without one."""
    found: dict[Any, dict[Any, Any]] = {}
    for query, doc, value, *_ in rows:
        found.setdefault(query, {})[doc] = value
    return found | {query: {} for query in empty if query not in found}


class _Maker(NamedTuple):
    """What there is by the name of MODULE:NAME, and a function that gives a value whatever it is given; or how Python has these."""

    named: Callable[[str], Any]
    giving: Callable[[Any], Any]


def _given_back(given: Any, *_of: object) -> Any:  # noqa: ANN401 - as above
    return given


_ITSELF = _Maker(resolve_name, lambda value: partial(_given_back, value))
_AS_WRITTEN = _Maker(
    lambda name: Expression(name.replace(":", ".")), lambda value: Expression(f"lambda *_: {literal(value)}")
)


def contained(target: Target, role: str, value: Any) -> Any:  # noqa: ANN401 - as above
    """An argument in the container in which the function takes it."""
    if role in NAME_OF:
        return file_arguments.put(target.container, role, file_arguments.text_of(target, role, value))
    return _made(target, role, value, _ITSELF)


def written(target: Target, role: str, value: Any) -> str:  # noqa: ANN401 - as above
    """The same as Python has it."""
    if role in NAME_OF:
        return file_arguments.written(target.container, role)
    if role == "predictions":
        fields = " ".join(_Prediction._fields)
        return f"[collections.namedtuple('Prediction', {fields!r})(*row) for row in {literal(value)}]"
    return literal(_made(target, role, value, _AS_WRITTEN))


def _made(target: Target, role: str, value: Any, by: _Maker) -> Any:  # noqa: ANN401 - as above
    if role in TABLES and target.container == "frame":
        columns = columns_of(target, role)
        rows = [row[: len(columns)] for row in value] if role in FRAMES else value
        return by.named("pandas:DataFrame")(rows, columns=columns)
    if role in DATASETS:
        array = by.named(MAKERS["array"])
        held = {name: None if value[name] is None else array(value[name]) for name in target.columns}
        return by.named("types:SimpleNamespace")(**{name: by.giving(given) for name, given in held.items()})
    if (name := OBJECTS.get(target.container, {}).get(role)) is not None:
        of = by.named(f"{target.container}:{name}")
        return [of(*row) for row in value] if isinstance(value, list) else of(value)
    if isinstance(value, tuple):
        parts = tuple(_made(target, role, one, by) for one in value)
        if target.container != EVAL_PREDICTION:
            return parts
        return by.named("collections:namedtuple")("EvalPrediction", "predictions label_ids")(*parts)
    return (
        _made_of_list(target, role, value, by) if isinstance(value, list) and not _is_ragged(target, value) else value
    )


def _made_of_list(target: Target, role: str, value: list[Any], by: _Maker) -> Any:  # noqa: ANN401 - as above
    if (maker := MAKERS.get(_container(target, role))) is not None:
        # Of a wide frame, a row without ids is one of missing values: it has at least one column.
        return by.named(maker)([row or [None] for row in value] if target.container == WIDE_FRAMES else value)
    if target.container not in TENSORS or _texts(value):
        return value
    if target.container == "tensors":  # what is a number for each query stays a list
        return [_tensor(target, one, by) for one in value] if _nested(value) else value
    return _tensor(target, value, by)


def _container(target: Target, role: str) -> str:
    """The container of one role: beside sparse rels, all else is an array."""
    if target.container != SPARSE_RELS:
        return target.container
    return SPARSE if role in SPARSE_ROLES else "array"


def _is_ragged(target: Target, value: list[Any]) -> bool:
    """Whether lists of several queries, as those of their relevant docs, are of unlike lengths, so that they stay lists."""
    return target.of_equal_rows and _nested(value) and len({len(one) for one in value}) > 1


def _tensor(target: Target, value: list[Any], by: _Maker) -> Any:  # noqa: ANN401 - as above
    dtype = "long" if target.container != "float-tensor" and _whole(value) else "float64"
    return by.named("torch:tensor")(value, dtype=by.named(f"torch:{dtype}"))


def _nested(value: list[Any]) -> bool:
    return bool(value) and isinstance(value[0], list)


def columns_of(target: Target, role: str) -> list[str]:
    """The columns of a frame."""
    return (
        [target.columns[i] for i in FRAMES[role] if i < len(target.columns)] if role in FRAMES else list(target.columns)
    )


def _whole(values: Any) -> bool:  # noqa: ANN401 - numbers, or lists of them
    return all(_whole(value) for value in values) if isinstance(values, list) else isinstance(values, int)


def _texts(values: Any) -> bool:  # noqa: ANN401 - as above
    return any(_texts(value) for value in values) if isinstance(values, list) else isinstance(values, str)
