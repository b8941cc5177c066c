"""What a function may be given its lists as: the containers, with the columns of frames and the keys of dicts.

This looks at which modules are there, and so it runs where the function does.
"""

import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import product

from rankproof.calling.annotations import is_of_places
from rankproof.calling.argument_names import (
    COLUMNS_LIKE,
    COLUMNS_OF_ROWS,
    DOC_KEYS,
    OF_THE_REL,
    QUERIES,
    QUERY_IDS,
    RELEVANT,
    is_key_of_a_score,
)
from rankproof.calling.argument_names import RANKED as RANKED_IDS
from rankproof.calling.arguments import (
    ALL_DOC_DICTS,
    ARRAYS_AND_DICT,
    ARRAYS_AND_SET,
    DICTS,
    DOC_DICTS,
    DOC_DICTS_AND_SET,
    OBJECTS,
    RELEVANT_DOCS,
    SETS,
    SPARSE,
    SPARSE_RELS,
    WIDE_FRAMES,
)
from rankproof.calling.call_forms import (
    CALLED,
    FRAME_OF_ROWS,
    FRAMES,
    GRADED_IDS,
    IDS,
    PLACES_RANKED,
    PLACES_SCORED,
    RANKED_RELEVANT,
    RECORD,
    RECORDS,
    RELEVANT_FRAMES,
    ROWS,
    ROWS_IN_ORDER,
    ROWS_NUMBERED,
    ROWS_OF_QUERY,
    ROWS_PLACED,
    ROWS_RANKED,
    ROWS_UNSEEN,
    SCORED_LIST,
)
from rankproof.calling.parameters import Parameter, columns_told, is_key_of
from rankproof.calling.targets import ALL, COLUMN, EQUAL_ROWS, QUERY, TABLE, Form
from rankproof.meaning.measure_facts import can_look_at
from rankproof.reference_impl.notation import Measure

COLUMNS = (
    ("userID", "itemID", "rating", "prediction"),
    ("query_id", "doc_id", "relevance", "score"),
    ("qid", "docno", "label", "score"),
    ("user_id", "item_id", "rating", "score"),
    ("query", "doc", "rel", "score"),
    ("user", "item", "rating", "prediction"),
    ("user", "item", "rating", "score"),
    ("q_id", "doc_id", "rel", "score"),
    ("query_id", "doc_id", "rel", "score"),
)
"""How columns are called in frames, where no parameter says it."""
MOST_KEYS = 6
"""How many pairs of keys are tried of dicts by name."""


def containers(
    form: Form,
    parameters: Sequence[Parameter] | None,
    batch: str,
    measure: Measure,
    texts: Sequence[str] = (),
    imported: Collection[str] = (),
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What lists may be given as: what the parameters say they want, first; and the columns of frames, or the keys of dicts."""
    own = columns_told(parameters) if form in OF_FRAMES else ()
    if own and (form is not FRAME_OF_ROWS or len({*own}) == len(own)):
        yield from [("frame", own)] * (find_spec("pandas") is not None)
        return
    if form in _BY_TEXTS:
        yield from _BY_TEXTS[form](texts)
        return
    yield from _of_form(form, parameters, batch, measure, imported)
    yield from _of_docs(form, batch, texts)


def _of_form(
    form: Form, parameters: Sequence[Parameter] | None, batch: str, measure: Measure, imported: Collection[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    if form in {FRAMES, RELEVANT_FRAMES}:
        if find_spec("pandas") is not None:
            yield from (("frame", columns) for columns in COLUMNS)
        return
    notes = " ".join(p.note for p in parameters or ())
    if form == IDS and "DataFrame" in notes:
        yield from [(WIDE_FRAMES, ())] * (batch == ALL and find_spec("pandas") is not None)
        return
    if form in {ROWS, ROWS_RANKED, ROWS_PLACED} and is_of_places(notes):
        yield from [(ARRAYS_AND_DICT, ())] * (batch == QUERY and find_spec("numpy") is not None)
        return
    named = [module for module in OBJECTS if module in sys.modules and (module in imported or module in notes)]
    found = [*_lists_of(form, batch, measure), *(m for m in named if OBJECTS[m].keys() == form.roles.keys())]
    wanted = [name for name in found if any(word in notes for word in _WANTED.get(name, ()))]
    yield from ((name, ()) for name in dict.fromkeys([*wanted, *found]))


def _lists_of(form: Form, batch: str, measure: Measure) -> list[str]:
    """What lists may be given as, the likeliest first."""
    if batch == COLUMN:
        return [name for name in EQUAL_ROWS if _is_there(name)]
    found = ["list"]
    if form in OF_SETS:
        found.append("set")
    if form in {PLACES_SCORED, PLACES_RANKED} and find_spec("numpy") is not None:
        found.append(ARRAYS_AND_SET)
    if (
        form == IDS
        and batch == QUERY
        and measure.k is None
        and (measure.name in OF_NO_ORDER or "order" not in can_look_at(measure))
    ):
        found.append(SETS)
    if form in OF_NUMBERS | {IDS} and batch != ALL:
        found += [name for name in _ARRAYS if _is_there(name) and (name, batch) != ("series", TABLE)]
    if form in OF_SPARSE and batch == TABLE and "scipy.sparse" in sys.modules:
        found += [SPARSE_RELS, *([SPARSE] if form == ROWS else [])]
    if form in OF_NUMBERS and batch == ALL and "torch" in sys.modules:
        found.append("tensors")
    if form == IDS and batch == ALL and "pandas" in sys.modules:
        found.append("series")
    if form in OF_NUMBERS and batch == ALL:
        found += [name for name in EQUAL_ROWS if _is_there(name)]
    return found


def _by_keys(texts: Sequence[str], also: Sequence[str] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What a dict by name may have for keys: of the relevant docs, of the ranked ones, and of the query."""
    relevant, ranked, query = (
        [text for text in texts if is_key_of(text, names)] for names in (RELEVANT, RANKED_IDS, QUERY_IDS | QUERIES)
    )
    pairs = [(of_relevant, of_ranked) for of_relevant in relevant for of_ranked in ranked if of_relevant != of_ranked]
    for pair in pairs[:MOST_KEYS]:
        of_query = tuple(name for name in query if name not in pair)
        frames = [container for container in also if "pandas" in sys.modules]
        yield from ((container, (*pair, *of_query)) for container in ("list", "set", *frames))


def _of_docs(form: Form, batch: str, texts: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Docs as dicts, if the code holds keys of their ids, or but one text that may be one; with scores, if it is given these."""
    if form not in OF_DOCS or batch != QUERY:
        return
    others, scores = ([text for text in texts if is_key_of_a_score(text) is of_score] for of_score in (False, True))
    names = list(filter(str.isidentifier, others))
    keys = [text for text in others if text.lower() in DOC_KEYS] or names * (len(names) == 1)
    if keys and (scores or form is not SCORED_LIST):
        columns = (*keys, *scores) if form is SCORED_LIST else tuple(keys)
        relevant = (DOC_DICTS, DOC_DICTS_AND_SET, ALL_DOC_DICTS) if "relevant" in form.roles else (DOC_DICTS,)
        yield from ((container, columns) for container in relevant)


def _by_columns(
    texts: Sequence[str], usual: tuple[str, ...] = ("", "doc_id", "", "")
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The columns of a frame of rows, or the keys of dicts, if the code names those without a usual name that is given them."""
    found = [[text for text in texts if text.lower() in known] for known in COLUMNS_OF_ROWS]
    rest = [text for text in texts if not any(text.lower() in known for known in COLUMNS_OF_ROWS)]
    found = [
        each or [*(text for text in rest if re.fullmatch(like, text.lower())), *([name] if name else [])]
        for each, like, name in zip(found, COLUMNS_LIKE, usual, strict=True)
    ]
    told = [each for each in product(*found) if len(set(each)) == len(each)][:MOST_KEYS]
    for container in (*(["frame"] if told and find_spec("pandas") is not None else []), DICTS):
        yield from ((container, each) for each in told)


def is_called_a_flag(column: str) -> bool:
    """Whether the name of a column of rels says that these are true or false."""
    return re.fullmatch(COLUMNS_LIKE[OF_THE_REL], column.lower()) is not None


_BY_TEXTS: Mapping[Form, Callable[[Sequence[str]], Iterator[tuple[str, tuple[str, ...]]]]] = {
    RECORDS: partial(_by_keys, also=("frame",)), RECORD: _by_keys, FRAME_OF_ROWS: _by_columns,
    ROWS_OF_QUERY: partial(_by_columns, usual=("query_id", "doc_id", "", "")),
    ROWS_IN_ORDER: partial(_by_columns, usual=("query_id", "doc_id", "", "score")),
}  # fmt: skip
"""The forms whose keys or columns are found in the texts of the code."""


def _with_a_role(*roles: str) -> frozenset[Form]:
    """The forms that have one of these roles."""
    return frozenset(form for form in CALLED if not form.roles.keys().isdisjoint(roles))


BY_COLUMNS = _with_a_role("frame_rows", "rows_of_query")
"""The forms whose columns may be attributes in the code, as in `df.label`."""
OF_FRAMES = _with_a_role("frame_true", "frame_rows")
"""The forms whose arguments are frames."""
OF_SETS = _with_a_role(*RELEVANT_DOCS) - {RANKED_RELEVANT}
"""The forms that are told which docs are relevant, so that a set says as much as a list; beside flags, only their number."""
OF_DOCS = frozenset({IDS, GRADED_IDS, SCORED_LIST})
"""The forms whose docs may be dicts."""
OF_SPARSE = frozenset({ROWS, ROWS_NUMBERED, ROWS_UNSEEN})
"""The forms whose rels may be a sparse matrix."""
OF_NO_ORDER = frozenset({"P", "R"})
"""Measures that look at ranks for their cutoff alone."""
OF_NUMBERS = _with_a_role(
    "y_true", "y_score", "ranked_rels", "rank_of_doc", "scores_with_rels", "all_true", "ranks", "places", "similarities"
)
"""The forms whose lists are of numbers."""
_ARRAYS = {"array": "numpy", "series": "pandas", "tensor": "torch", "float-tensor": "torch"}
_WANTED = {
    "array": ("ndarray", "NDArray"),
    "series": ("Series",),
    "tensor": ("Tensor",),
    "tensors": ("Tensor",),
    "set": ("set[", "Set[", "'set'"),
    ARRAYS_AND_SET: ("set[", "Set[", "'set'"),
}
"""What an annotation says that wants it."""


def _is_there(container: str) -> bool:
    """Whether it can be given: arrays always, where there is numpy; the others where the function's own module uses them."""
    module = _ARRAYS[container]
    return find_spec(module) is not None if container == "array" else module in sys.modules
