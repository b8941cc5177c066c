"""What a function may be given its lists as: the containers, with the columns of frames and the keys of dicts.

This looks at which modules are there, and so it runs where the function does.
"""

import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import islice, product

from rankproof.calling import argument_names as names
from rankproof.calling import arguments as held
from rankproof.calling import call_forms as forms
from rankproof.calling import file_arguments as files
from rankproof.calling.annotations import is_of_places
from rankproof.calling.file_arguments import HELD_IN_FILES, NAME_OF, NUMBERS, PATHS, TABS
from rankproof.calling.parameters import Parameter, Words, columns_told, is_key_of
from rankproof.calling.targets import ALL, COLUMN, EQUAL_ROWS, IN_TABLES, QUERY, TABLE, Form
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
PAIR = 2
"""The keys of the relevant docs and of the ranked ones; what comes after them is that of the query."""
READ_TABLES = frozenset({"DictReader", "reader", "read_csv", "read_table", "scan_csv"})
"""What reads a file with a heading."""


def containers(
    form: Form,
    parameters: Sequence[Parameter],
    batch: str,
    measure: Measure,
    words: Words,
    imported: Collection[str],
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What lists may be given as: what the parameters say they want, first; and the columns of frames, or the keys of dicts."""
    own = columns_told(parameters) if form in OF_FRAMES else ()
    if own and (form is not forms.FRAME_OF_ROWS or len({*own}) == len(own)):
        yield from [("frame", own)] * (find_spec("pandas") is not None)
        return
    if form in {forms.DATASET, forms.DATASET_OF_ONE}:
        yield from _of_datasets(form, words)
        return
    if form in OF_FILES:
        yield from _of_files(form, parameters, words)
        return
    if form in _BY_TEXTS:
        found = _BY_TEXTS[form](words.columns if form in BY_COLUMNS else words.texts)
        yield from (each for each in found if (each[0], batch) != ("frame", ALL))
        yield from ((name, NO_COLUMNS) for name in _ROW_TUPLES.get(form, ()))
        return
    yield from _of_form(form, parameters, batch, measure, words, imported)
    yield from _of_docs(form, batch, words)
    if form == forms.IDS:
        yield from [(held.TEXTS, ())] * ("split" in words.attributes)
        # Who reads the query puts two lists of dicts together by it.
        yield from ((held.IN_DICTS_APART, keys) for keys in _keys_in(words.texts) if len(keys) == PAIR)
    if form in OF_RANKED_DOCS and batch in {QUERY, *([ALL] if form == forms.IDS else [])}:
        yield from ((container, ()) for container in (held.DOC_PAIRS, held.DOC_PAIRS_AND_SET)[: 1 + (form in OF_SETS)])
    if form == forms.ROWS_PAIRED and "label_ids" in words.attributes and find_spec("numpy") is not None:
        yield held.EVAL_PREDICTION, ()


def _of_form(
    form: Form, parameters: Sequence[Parameter], batch: str, measure: Measure, words: Words, imported: Collection[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    if form in {forms.FRAMES, forms.RELEVANT_FRAMES}:
        if find_spec("pandas") is not None:
            told = _columns_of_two(form, words.texts)
            yield from (("frame", columns) for columns in dict.fromkeys([*told, *COLUMNS]))
        return
    notes = " ".join(p.note for p in parameters)
    if form == forms.IDS and "DataFrame" in notes:
        yield from [(held.WIDE_FRAMES, ())] * (batch == ALL and find_spec("pandas") is not None)
        return
    if form in {forms.ROWS, forms.ROWS_RANKED, forms.ROWS_PLACED} and is_of_places(notes):
        yield from [(held.ARRAYS_AND_DICT, ())] * (batch == QUERY and find_spec("numpy") is not None)
        return
    named = [name for name in held.OBJECTS if name in sys.modules and (name in imported or name in notes)]
    found = [*_lists_of(form, batch, measure), *(m for m in named if held.OBJECTS[m].keys() == form.roles.keys())]
    wanted = [name for name in found if any(word in notes for word in _WANTED.get(name, ()))]
    yield from ((name, ()) for name in dict.fromkeys([*wanted, *found]))


def _of_files(form: Form, parameters: Sequence[Parameter], words: Words) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Files whose columns are parted by tabs if the code has one, and by spaces if not, and of whose ids it may make numbers.

    What reads tables with a heading, or JSON, is given those first, with the columns that the code names.
    """
    kind = f"{HELD_IN_FILES}-{TABS}" if any("\t" in text for text in words.texts) else HELD_IN_FILES
    kind = f"{kind}-{PATHS}" if any("Path" in p.note for p in parameters) else kind
    reads = words.attributes
    with_names = [
        what for what, by in ((files.HEADING, READ_TABLES), (files.LINES, {"loads"})) if not by.isdisjoint(reads)
    ]
    if with_names:
        columns = [*_columns_of_two(form, words.texts)]
        yield from ((f"{kind}-{what}", each) for what in with_names for each in columns)
    keys = [each for each in _keys_in(words.texts) if len(each) > PAIR] if form is forms.RANKED_FILES else []
    for by, kinds in (("loads", (files.LINES, files.DICTS)), ("load", (files.DICTS,))):
        yield from ((f"{kind}-{what}-{files.RECORDS}", each) for what in kinds if by in reads for each in keys)
    if not {"load", "loads"}.isdisjoint(reads):
        yield from [(f"{kind}-{files.DICTS}", ())] * (form is not forms.RELEVANT_FILES)
        yield from [(f"{kind}-{files.DICTS}-{files.LISTS}", ())] * (form is not forms.FILES)
    yield kind, ()
    if "int" in reads:
        yield f"{kind}-{NUMBERS}", ()


def _columns_of_two(form: Form, texts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The columns of qrels and run that the code names: of the query, the doc, the rel, and the score or the rank, or both."""
    ranks = [text for text in texts if names.is_key_of_a_rank(text)]
    scores = [text for text in texts if names.is_key_of_a_score(text)]
    if ranks and form in OF_FRAMES:
        scores = scores or ["score"]
    numbers = ranks if form is forms.RANKED_FILES else scores
    # BEIR calls a rel a score, too; of frames, each has its own columns.
    in_qrels = next(iter(numbers), "") if form is forms.FILES else "relevance"
    named = _columns_among([text for text in texts if text not in ranks], ("query_id", "doc_id", in_qrels, "score"))
    beside = ranks[:1] if form is not forms.RANKED_FILES else []
    told = ((*three, number, *beside) for *three, _ in named for number in numbers)
    yield from islice(dict.fromkeys(each for each in told if each[0] != each[1]), MOST_KEYS)


def _columns_among(texts: Sequence[str], usual: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """What the columns of a query, a doc, a rel and a score may be among texts: by known names, by what is like them, or as usual."""
    bare = {text: text.lower().replace("-", "_") for text in texts}
    found = [[text for text in texts if bare[text] in known] for known in names.COLUMNS_OF_ROWS]
    rest = [text for text in texts if not any(bare[text] in known for known in names.COLUMNS_OF_ROWS)]
    yield from product(
        *(
            each or [*(text for text in rest if re.fullmatch(like, bare[text])), *([name] if name else [])]
            for each, like, name in zip(found, names.COLUMNS_LIKE, usual, strict=True)
        )
    )


def _of_datasets(form: Form, words: Words) -> Iterator[tuple[str, tuple[str, ...]]]:
    """An object that says the rels, if the code asks it for those; of all queries, if it asks which rows are of one."""
    read = tuple(name for name in held.OF_DATASETS if name in words.attributes)
    of_queries = not {"get_group", "get_uint_info"}.isdisjoint(read)
    if "get_label" in read and (of_queries or form is forms.DATASET_OF_ONE) and find_spec("numpy") is not None:
        yield "array", read


def _lists_of(form: Form, batch: str, measure: Measure) -> list[str]:
    """What lists may be given as, the likeliest first."""
    if batch == COLUMN:
        return [name for name in EQUAL_ROWS if _is_there(name)]
    found = ["list"]
    if form in OF_SETS:
        found.append("set")
    if form in {forms.PLACES_SCORED, forms.PLACES_RANKED} and find_spec("numpy") is not None:
        found.append(held.ARRAYS_AND_SET)
    if form == forms.IDS and batch == QUERY and sees_no_order(measure):
        found.append(held.SETS)
    if form in OF_NUMBERS | OF_ARRAYS_OF_IDS and batch != ALL:
        arrays = [name for name in _ARRAYS if name != "series" or batch not in IN_TABLES]
        found += filter(_is_there, arrays)
    if form in OF_SPARSE and batch == TABLE and "scipy.sparse" in sys.modules:
        found += [held.SPARSE_RELS, *([held.SPARSE] if form == forms.ROWS else [])]
    if form in OF_NUMBERS and batch == ALL and "torch" in sys.modules:
        found.append("tensors")
    if form == forms.IDS and batch == ALL and "pandas" in sys.modules:
        found.append("series")
    if form in OF_NUMBERS | {forms.ONE_ID_EACH} and batch == ALL:
        found += [name for name in EQUAL_ROWS if _is_there(name)]
    return found


def sees_no_order(measure: Measure) -> bool:
    """Whether a ranking may be a set to a measure."""
    return measure.k is None and (measure.name in OF_NO_ORDER or "order" not in can_look_at(measure))


def _keys_in(texts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """What a dict by name may have for keys: of the relevant docs, of the ranked ones, and of the query, if any."""
    every = (names.RELEVANT | names.ONE_RELEVANT, names.RANKED, names.QUERY_IDS | names.QUERIES)
    relevant, ranked, query = ([text for text in texts if is_key_of(text, known)] for known in every)
    pairs = [(of_relevant, of_ranked) for of_relevant in relevant for of_ranked in ranked if of_relevant != of_ranked]
    yield from ((*pair, *(name for name in query if name not in pair)) for pair in pairs[:MOST_KEYS])


def _by_keys(
    texts: Sequence[str], also: Sequence[str] = (), lists: Sequence[str] = ("list", "set")
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A dict by name as each container holds it, by each of those keys."""
    others = [container for container in also if container != "frame" or "pandas" in sys.modules]
    yield from ((container, keys) for keys in _keys_in(texts) for container in (*lists, *others))


def _by_keys_of_queries(texts: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The same of two dicts, which both have the query."""
    yield from ((container, keys) for container, keys in _by_keys(texts) if len(keys) > PAIR)


def _of_docs(form: Form, batch: str, words: Words) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Docs as dicts or objects, if the code holds keys or attributes of their ids; with scores, if it is given these.

    A text may be a key if it is the only one. The id may be within what a doc holds: `doc.metadata["id"]`, as LangChain has it, or
    `hit.chunk.id`.
    """
    if form not in OF_DOCS or batch != QUERY:
        return
    plain = [text for text in words.texts if text.isidentifier() and not names.is_key_of_a_score(text)]
    plain = [text for text in plain if text not in held.IN_DICTS | held.IN_DOCS]
    keys = _ids_in(words.texts, names.NAMES_OF_DOCS) or plain * (len(plain) == 1)
    # What is one relevant id, or the rel of each, is no set; what is by query is no list of docs.
    given = 3 if "relevant" in form.roles else 2 if form in OF_SETS else 1
    dicts = (held.DOC_DICTS, held.DOC_DICTS_AND_SET, held.ALL_DOC_DICTS)
    objects = (held.DOCS, held.DOCS_AND_SET, held.ALL_DOCS)
    attributes = _ids_in(words.attributes, names.FILES_OF_DOCS)
    in_dicts = _within(held.IN_DICTS, words.attributes, keys)
    for ids, scores, of in (
        (keys, words.texts, dicts),
        (attributes, words.attributes, objects),
        (in_dicts, words.attributes, objects),
        (_within(held.IN_DOCS, words.attributes, attributes), words.attributes, objects),
        (_within(held.IN_DOCS, words.attributes, in_dicts), words.attributes, objects),
        (_within(held.IN_DICTS | held.IN_DOCS, words.texts, keys), words.texts, dicts),
    ):
        is_number = names.is_key_of_a_score if form in OF_SCORED_DOCS else names.is_key_of_a_rank
        numbers = tuple(filter(is_number, scores))
        if ids and (numbers or form not in OF_SCORED_DOCS):
            yield from ((container, (*ids, *numbers)) for container in of[:given])


def _ids_in(words: Sequence[str], others: Collection[str]) -> list[str]:
    """The words that hold ids of docs: those that are known, or else any of an id that is no query's, or what says which doc it is."""
    known = [word for word in words if names.DOC_KEYS.fullmatch(word.lower())]
    some = known or [word for word in words if names.is_some_id(word)]
    return some or [word for word in words if word.lower() in others]


def _within(holders: Collection[str], words: Sequence[str], ids: Sequence[str]) -> list[str]:
    """The places of ids in what a doc holds, if the code names any of that."""
    return [f"{holder}.{one}" for holder in words if holder in holders for one in ids]


def _by_columns(
    texts: Sequence[str], usual: tuple[str, ...] = ("", "doc_id", "", "")
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The columns of a frame of rows, or the keys of dicts, if the code names those without a usual name that is given them."""
    told = [each for each in _columns_among(texts, usual) if len(set(each)) == len(each)][:MOST_KEYS]
    for container in (*(["frame"] if told and find_spec("pandas") is not None else []), held.DICTS, held.ROW_OBJECTS):
        yield from ((container, each) for each in told)


_BY_TEXTS: Mapping[Form, Callable[[Sequence[str]], Iterator[tuple[str, tuple[str, ...]]]]] = {
    forms.RECORDS: partial(_by_keys, also=("frame", held.DOC_PAIRS)),
    forms.RECORD: partial(_by_keys, also=(held.DOC_PAIRS,)),
    forms.FRAME_OF_ROWS: _by_columns,
    forms.RECORDS_APART: _by_keys_of_queries,
    forms.RECORDS_OF_ONE: partial(_by_keys, also=("frame", held.DOC_PAIRS), lists=("list",)),
    forms.RECORD_OF_ONE: partial(_by_keys, also=(held.DOC_PAIRS,), lists=("list",)),
    forms.ROWS_OF_QUERY: partial(_by_columns, usual=("query_id", "doc_id", "", "")),
    forms.ROWS_IN_ORDER: partial(_by_columns, usual=("query_id", "doc_id", "", "score")),
}
"""The forms whose keys or columns are found in the texts of the code."""
NO_COLUMNS = ("", "", "", "")
"""Those of a row that is a tuple."""
_ROW_TUPLES = {
    forms.ROWS_OF_QUERY: [name for name, places in held.ROW_TUPLES.items() if held.SCORE_OF_ROW in places],
    forms.ROWS_IN_ORDER: [name for name, places in held.ROW_TUPLES.items() if held.SCORE_OF_ROW not in places],
}
"""The tuples that a row may be: with its score, or in rank order without one."""


def _with_a_role(*roles: str) -> frozenset[Form]:
    """The forms that have one of these roles."""
    return frozenset(form for form in forms.CALLED if not form.roles.keys().isdisjoint(roles))


BY_COLUMNS = _with_a_role("frame_rows", "rows_of_query")
"""The forms whose columns may be attributes in the code, as in `df.label`."""
OF_FRAMES = _with_a_role("frame_true", "frame_rows")
"""The forms whose arguments are frames."""
OF_FILES = _with_a_role(*NAME_OF)
"""The forms whose arguments are paths."""
OF_SETS = _with_a_role(*held.RELEVANT_DOCS) - {forms.RANKED_RELEVANT}
"""The forms that are told which docs are relevant, so that a set says as much as a list; beside flags, only their number."""
OF_SCORED_DOCS = frozenset({forms.SCORED_LIST, forms.ONE_SCORED, forms.QUERIES_SCORED})
"""The forms whose docs have scores."""
OF_RANKED_DOCS = frozenset({forms.IDS, forms.GRADED_IDS, forms.ONE_ID, forms.QUERIES_IDS, forms.QRELS_RANKED})
"""The forms whose docs are in rank order, so that nothing needs to look at scores that come with them."""
OF_DOCS = OF_RANKED_DOCS | OF_SCORED_DOCS
"""The forms whose docs may be dicts or objects."""
OF_SPARSE = frozenset({forms.ROWS, forms.ROWS_NUMBERED, forms.ROWS_UNSEEN})
"""The forms whose rels may be a sparse matrix."""
OF_NO_ORDER = frozenset({"P", "R"})
"""Measures that look at ranks for their cutoff alone."""
OF_NUMBERS = _with_a_role(
    "y_true",
    "y_score",
    "ranked_rels",
    "rank_of_doc",
    "scores_with_rels",
    "all_true",
    "ranks",
    "places",
    "similarities",
    "hit_ranks",
    "hit_places",
    "score_of_first",
    "rels_by_place",
    "other_scores",
    "distances",
)
"""The forms whose lists are of numbers."""
OF_ARRAYS_OF_IDS = frozenset({forms.IDS, forms.ONE_ID, forms.ONE_ID_EACH})
"""The forms whose ids may stand in arrays."""
_ARRAYS = {"array": "numpy", "series": "pandas", "tensor": "torch", "float-tensor": "torch"}
_WANTED = {
    "array": ("ndarray", "NDArray"),
    "series": ("Series",),
    **dict.fromkeys(("tensor", "tensors"), ("Tensor",)),
    **dict.fromkeys(("set", held.ARRAYS_AND_SET), ("set[", "Set[", "'set'")),
}
"""What an annotation says that wants it."""


def _is_there(container: str) -> bool:
    """Whether it can be given: arrays always, where there is numpy; the others where the function's own module uses them."""
    module = _ARRAYS[container]
    return find_spec(module) is not None if container == "array" else module in sys.modules
