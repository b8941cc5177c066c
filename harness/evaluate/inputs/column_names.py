"""Column names: the known names of each column, and the option to type if they are missing or ambiguous.

Ambiguous columns are refused, with two exceptions. The names of ir_measures (`query_id`, `doc_id`) and of PyTerrier
(`qid`, `docno`) always mean the ids. In PyTerrier's frames, `query` is a text and `docid` a number.
"""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.evaluate.inputs.rows import BadInput, Value
from rankproof.reference_impl.shown import shortened
from rankproof.text import as_written

SIDES = ("qrels", "run")
NAMES: Mapping[str, tuple[str, ...]] = {
    "query_id": ("query_id", "query", "qid", "query-id", "user_id", "user", "userId", "userID", "topic"),
    "doc_id": (
        *("doc_id", "docid", "docno", "doc", "corpus-id", "corpus_id"),
        *("item_id", "item", "itemId", "itemID", "movieId", "movie_id"),
    ),
    "relevance": ("relevance", "rel", "label", "rating", "grade"),
    "score": ("score", "sim", "similarity", "prediction"),
    "rank": ("rank",),
    "system": ("system",),
}
"""The known names of each column."""
LISTS: Mapping[str, tuple[str, ...]] = {
    "qrels": (
        *(f"relevant_{name}" for name in ("ids", "doc_ids", "docs", "documents", "items", "chunk_ids")),
        *("reference_context_ids", "expected_ids", "expected_doc_ids", "gold_ids", "gold_doc_ids", "gold_docs"),
        *("positive_ids", *(f"ground_truth_{name}" for name in ("ids", "context_ids", "doc_ids", "documents"))),
    ),
    "run": (
        *(f"retrieved_{name}" for name in ("ids", "context_ids", "doc_ids", "docs", "documents", "items", "chunk_ids")),
        *("ranked_ids", "ranked_doc_ids", "predicted_ids", "recommended_items", "recommended_ids", "recommendations"),
    ),
}
"""The known names of columns with lists of relevant ids, and with lists of retrieved ids."""
QUESTIONS = (*NAMES["query_id"], "question_id", "id", "_id")
"""The known names of the question id in tables with one row per question."""
KNOWN = frozenset(name for names in (*NAMES.values(), *LISTS.values()) for name in names)
_PAIRS = (("query_id", "doc_id"), ("qid", "docno"))
_BEIR = frozenset({"query-id", "corpus-id", "score"})
"""The columns of BEIR qrels, whose `score` is a relevance grade."""
_TYPES = frozenset({"token", "token_seq", "float", "float_seq"})
"""The type suffixes of RecBole, as in `user_id:token`."""
_LISTED, _LONGEST = 12, 40


def names_of(columns: Mapping[str, Any] | None, side: str) -> dict[str, str]:
    """Return the user's column names for one side: those for both sides, overridden by those for this side.

    Raises:
        BadInput: a key is not a known column.
    """
    remedy = "Write {'doc_id': 'your column'}, or --column doc_id=NAME."
    columns = {} if columns is None else columns
    sides = [columns.get(name, {}) for name in LISTS] if isinstance(columns, Mapping) else [columns]
    if not all(isinstance(names, Mapping) for names in sides):
        raise BadInput("columns", f"not a mapping. {remedy}")
    both = {field: name for field, name in columns.items() if field not in LISTS}
    for field in (*both, *(field for names in sides for field in names)):
        if field not in NAMES:
            raise BadInput("columns", f"unknown column {field!r} (known: {', '.join(NAMES)}). {remedy}")
    return {**both, **columns.get(side, {})}


def find_columns(
    where: str, have: Sequence[Any], wanted: Sequence[str], optional: Sequence[str], names: Mapping[str, str]
) -> dict[str, Any]:
    """Return the column of each wanted field, and of each optional field that has exactly one candidate.

    Raises:
        BadInput: a wanted column is missing or ambiguous. The message has the option to type.
    """
    possible = {field: candidates(field, have, names) for field in (*wanted, *optional)}
    missing = [field for field in wanted if not possible[field]]
    ambiguous = [field for field in wanted if len(possible[field]) > 1]
    chosen = {field: columns[0] for field, columns in possible.items() if len(columns) == 1}
    if not missing and not ambiguous:
        return chosen
    faults = [f"{' or '.join(map(str, possible[field]))} could be the {field}" for field in ambiguous]
    if missing:
        place = "in the first line, which must name the columns:" if where.endswith(":1") else "among"
        names_missing = " or ".join(names.get(field, NAMES[field][0]) for field in missing)
        faults.insert(0, f"no column {names_missing} {place} {_listed(have)}")
    swaps = {"relevance": ("score", "a run"), "score": ("relevance", "qrels")}
    field, other = swaps.get("".join(missing), ("", ""))
    if other and candidates(field, have, names):
        faults.append(f"Are these {other}? The qrels come first, then the run")
    raise BadInput(where, f"{'. '.join(faults)}. {_mapping(wanted, chosen)}")


def candidates(field: str, have: Sequence[Any], names: Mapping[str, str]) -> list[Any]:
    """Return the columns that could hold a field."""
    if field in names:
        return [names[field]] if names[field] in have else []
    if field == "relevance" and set(have) == _BEIR:
        return ["score"]
    pairs = [pair for pair in _PAIRS if set(pair) <= set(have)]
    if len(pairs) == 1 and field in _PAIRS[0]:
        return [pair[_PAIRS[0].index(field)] for pair in _PAIRS if pair[_PAIRS[0].index(field)] in have]
    return [column for name in NAMES[field] for column in have if without_type(column) == name]


def are_ids_alone(have: Sequence[Any], names: Mapping[str, str]) -> bool:
    """Return whether a table has only ids and times, such as clicks or purchases, so that every row is relevant."""
    ids = {column for field in ("query_id", "doc_id") for column in candidates(field, have, names)}
    return "relevance" not in names and {without_type(column) for column in have if column not in ids} <= {"timestamp"}


def without_type(column: Value) -> Value:
    """Return the name of a column without RecBole's type suffix."""
    name, _, kind = column.partition(":") if isinstance(column, str) else (column, "", "")
    return name if kind in _TYPES else column


def _listed(have: Sequence[Any]) -> str:
    more = f" and {len(have) - _LISTED:,} more" if len(have) > _LISTED else ""
    return (", ".join(shortened(str(column), _LONGEST) for column in have[:_LISTED]) or "no columns") + more


def _mapping(wanted: Sequence[str], chosen: Mapping[str, Any]) -> str:
    side = "qrels" if "relevance" in wanted else "run"
    names = {field: str(chosen.get(field, "NAME")) for field in wanted}
    typed = " ".join(f"--column {side}.{field}={shlex.quote(name)}" for field, name in names.items())
    python = ", ".join(f"'{field}': {as_written(name)}" for field, name in names.items())
    return f"Name the columns with {typed}, or in Python with columns={{'{side}': {{{python}}}}}"
