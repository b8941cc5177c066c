"""Which column is which: the names that people give them, and the mapping to paste where these do not say it.

Nothing is guessed: where two columns could be meant, that is refused. Only two pairs of names decide about others that stand beside them,
as the tools say whose they are: ir_measures' `query_id` and `doc_id`, and PyTerrier's `qid` and `docno`, beside which `query` is a text
and `docid` a number of the index.
"""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.evaluate.inputs.rows import BadInput
from rankproof.reference_impl.shown import shortened
from rankproof.text import as_written

CALLED: Mapping[str, tuple[str, ...]] = {
    "query_id": ("query_id", "query", "qid", "query-id", "user_id", "user", "userId", "userID", "topic"),
    "doc_id": (
        "doc_id",
        "docid",
        "docno",
        "doc",
        "corpus-id",
        "corpus_id",
        "item_id",
        "item",
        "itemId",
        "itemID",
        "movieId",
        "movie_id",
    ),
    "relevance": ("relevance", "rel", "label", "rating", "grade"),
    "score": ("score", "sim", "similarity", "prediction"),
    "rank": ("rank",),
    "system": ("system",),
}
"""What each column is called where nobody says otherwise."""
PAIRS = (("query_id", "doc_id"), ("qid", "docno"))
"""Where both names of one pair stand, they are the ids, whatever stands beside them but a name of the other pair."""
BEIR = frozenset({"query-id", "corpus-id", "score"})
"""The columns of BEIR's qrels, whose score is a rel; no run is told so."""
ALL_NAMES = frozenset(name for called in CALLED.values() for name in called)
RELEVANT = (
    "relevant_ids",
    "reference_context_ids",
    "relevant_doc_ids",
    "relevant_docs",
    "relevant_items",
    "expected_ids",
    "gold_ids",
    "ground_truth_ids",
    "ground_truth_context_ids",
    "ground_truth_doc_ids",
    "ground_truth_documents",
    "relevant_documents",
    "relevant_chunk_ids",
    "expected_doc_ids",
    "gold_doc_ids",
    "gold_docs",
    "positive_ids",
)
RETRIEVED = (
    "retrieved_ids",
    "retrieved_context_ids",
    "retrieved_doc_ids",
    "retrieved_docs",
    "retrieved_items",
    "recommended_items",
    "predicted_ids",
    "ranked_ids",
    "retrieved_documents",
    "retrieved_chunk_ids",
    "ranked_doc_ids",
    "recommended_ids",
    "recommendations",
)
"""What a column of lists of relevant, and of retrieved ids is called where nobody says otherwise."""
OF_LISTS = frozenset({*RELEVANT, *RETRIEVED})
TYPES = frozenset({"token", "token_seq", "float", "float_seq"})
"""What RecBole writes behind the name of a column, as in `user_id:token`."""
UNKNOWN = "…"
LISTED, LONGEST = 12, 40
"""How many columns a refusal lists, and with how many characters of each."""


def found_columns(
    where: str,
    have: Sequence[Any],
    wanted: Sequence[str],
    spare: Mapping[str, Any],
    names: Mapping[str, str],
    *,
    of: str = "",
    option: bool = False,
) -> dict[str, str]:
    """What each wanted column is called here; nothing for one that has a spare value and is missing, or could be two.

    Raises:
        BadInput: one is missing that has no spare value, or two could be meant; the message has the mapping to paste.
    """
    could_be = {field: _candidates(field, have, names) for field in wanted}
    found = {field: each[0] if len(each) == 1 else "" for field, each in could_be.items()}
    lacking = [field for field, each in could_be.items() if not each and field not in spare]
    torn = [field for field, each in could_be.items() if len(each) > 1 and field not in spare]
    if not lacking and not torn:
        return found
    wrong = []
    if lacking:
        sought = [names.get(field, CALLED[field][0]) for field in lacking]
        wrong.append(f"no {' and no '.join(sought)} among {_listed(have, of)}")
    wrong += [f"{' or '.join(could_be[field])} could be the {field}" for field in torn]
    hint = ", or rank by order=rank" if lacking == ["score"] else ""
    raise BadInput(where, f"{'; '.join(wrong)}; {_swapped(lacking, have)}{_mapping(found, option=option)}{hint}")


def implied_rel(have: Sequence[Any], names: Mapping[str, str]) -> dict[str, int]:
    """The rel 1 of every row, where there is nothing but ids and the time: clicks and purchases, each of which is relevant."""
    if "relevance" in names:
        return {}
    ids = {column for field in ("query_id", "doc_id") for column in _candidates(field, have, names)}
    return {"relevance": 1} if {_without_type(column) for column in have if column not in ids} <= {"timestamp"} else {}


def has_ranks_alone(have: Sequence[Any], names: Mapping[str, str]) -> bool:
    """Whether a run has a column of ranks and none of scores."""
    return "score" not in names and not _candidates("score", have, names) and len(_candidates("rank", have, names)) == 1


def _candidates(field: str, have: Sequence[Any], names: Mapping[str, str]) -> list[str]:
    """The columns that could be meant."""
    if field in names:
        return [names[field]] if names[field] in have else []
    if field == "relevance" and set(have) == BEIR:
        return ["score"]
    whole = [pair for pair in PAIRS if set(pair) <= set(have)]
    if len(whole) == 1 and field in PAIRS[0]:
        return [pair[PAIRS[0].index(field)] for pair in PAIRS if pair[PAIRS[0].index(field)] in have]
    return list(dict.fromkeys(column for name in CALLED[field] for column in have if _without_type(column) == name))


def _without_type(column: Any) -> Any:  # noqa: ANN401 - whatever a column is called
    name, _, kind = column.partition(":") if isinstance(column, str) else (column, "", "")
    return name if kind in TYPES else column


def _listed(have: Sequence[Any], of: str) -> str:
    more = f" and {len(have) - LISTED:,} more" if len(have) > LISTED else ""
    return ", ".join(shortened(str(column), LONGEST) for column in have[:LISTED]) + more or of or "no column at all"


def _swapped(lacking: Sequence[str], have: Sequence[Any]) -> str:
    """The question whether the one was given for the other, where its column is the one that lacks."""
    sides = {"relevance": ("score", "is it a run?"), "score": ("relevance", "are these the qrels?")}
    other, which = sides.get(lacking[0] if len(lacking) == 1 else "", ("", ""))
    is_there = other and set(CALLED[other]) & set(have)
    return f"{which} The qrels come first, then the run; if it is not, " if is_there else ""


def _mapping(found: Mapping[str, str], *, option: bool) -> str:
    """How to say what all columns are called, as it is typed and as it is written in Python."""
    side = {"relevance": "qrels", "score": "run"}
    of = next((side[field] for field in found if field in side), "")
    told = {field: column or UNKNOWN for field, column in found.items()}
    written = {field: as_written(column) if column != UNKNOWN else UNKNOWN for field, column in told.items()}
    inner = ", ".join(f"'{field}': {column}" for field, column in written.items())
    python = f"columns={{'{of}': {{{inner}}}}}" if of else f"columns={{{inner}}}"
    if not option:
        return f"say what they are called by {python}"
    quoted = {field: shlex.quote(column) if column != UNKNOWN else UNKNOWN for field, column in told.items()}
    typed = " ".join(f"--column {of}.{field}={column}" for field, column in quoted.items())
    return f"say what they are called by {typed}, or in Python by {python}"
