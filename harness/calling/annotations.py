"""What an annotation says of an argument, as far as that rules out a role: `list[str]` is no single id, and `set[str]` is no ranking.

An annotation is read as text, since a module may keep it as text. What is not known here rules out nothing.
"""

import re
from collections.abc import Iterator

from rankproof.calling.file_arguments import NAME_OF

_KINDS = {
    "list": ("list", "tuple", "sequence", "iterable", "collection", "mutablesequence", "deque"),
    "set": ("set", "frozenset", "abstractset", "mutableset", "iterable", "collection"),
    "mapping": ("dict", "mapping", "mutablemapping", "defaultdict", "ordereddict"),
    "text": ("str", "bytes"),
    "number": ("int", "float", "bool"),
    "frame": ("dataframe",),
    "array": ("ndarray", "arraylike", "series", "tensor"),
}
"""The names of types, by what they hold."""
_LISTS = frozenset({"list", "array"})
_NUMBER, _MAPPING, _FRAME = frozenset({"number"}), frozenset({"mapping"}), frozenset({"frame"})
_ROLES = {
    "relevant_doc": (_NUMBER | {"text"}, None),
    **dict.fromkeys(
        (
            "doc_of_each",
            "ranked_listed",
            "ranked_of_each",
            "queries_listed",
            "scores_with_rels",
            "scored",
            "ranked_with_relevant",
            "relevant_with_ranked",
            "records_relevant",
            "records_ranked",
            "predictions",
            "qrels_rows",
            "run_rows",
            "query_of_row",
            "labels_true",
            "labels_pred",
        ),
        (_LISTS, None),
    ),
    **dict.fromkeys(("n_relevant", "n_docs", "cutoff", "target_index", "relevant_score"), (_LISTS | _NUMBER, None)),
    **dict.fromkeys(("hits_in_all", "rank"), (_NUMBER, None)),
    "relevant": (_LISTS | {"set"} | _FRAME, None),
    "relevant_places": (_LISTS | {"set"}, None),
    **dict.fromkeys(("ranked", "frame_rows", "rows_of_query", "records", "records_of_one"), (_LISTS | _FRAME, None)),
    **dict.fromkeys(("frame_true", "frame_pred"), (_FRAME, None)),
    **dict.fromkeys(("record", "record_of_one"), (_MAPPING, None)),
    **dict.fromkeys(NAME_OF, (frozenset({"text"}), None)),
    "doc_of_query": (_MAPPING, _NUMBER | {"text"}),
    **dict.fromkeys(("rel_of_doc", "score_of_doc"), (_MAPPING, _NUMBER)),
    **dict.fromkeys(("qrels", "run"), (_MAPPING, _MAPPING)),
    **dict.fromkeys(("relevant_of_listed", "relevant_of_query"), (_MAPPING, _LISTS | {"set"})),
    **dict.fromkeys(("ranked_of_query", "scored_of_query", "rels_of_query", "scores_of_query"), (_MAPPING, _LISTS)),
}
"""What a role is, and of a dict what its values are; a role that is not here is a list of numbers."""
_COUNTS = frozenset({"n_relevant", "n_docs", "target_index"})
"""The roles that are a whole number of a query, and of several queries a list of them."""
_HELD = {"doc_of_each": _NUMBER | {"text"}, "ranked_of_each": _LISTS, "cutoff": _NUMBER, "relevant_score": _NUMBER}
"""The roles that are lists of something else than numbers or lists of them, with what each of their members is."""

_HOLDS = r"(list|set|sequence|iterable|collection|tuple|dict|mapping|ndarray)\["


def rules_out(annotation: str, role: str) -> bool:
    """Whether an argument that is annotated so cannot have that role.

    >>> rules_out("list[str]", "relevant_doc"), rules_out("Set[str]", "ranked"), rules_out("list[str] | None", "ranked")
    (True, True, False)
    >>> rules_out("list[str]", "ranked_rels"), rules_out("dict[str, int]", "qrels"), rules_out("Ids", "ranked")
    (True, True, False)
    """
    alternatives = list(_alternatives(annotation))
    return bool(alternatives) and all(_cannot_be(one, role) for one in alternatives)


def is_of_places(annotation: str) -> bool:
    """Whether it says of something that it is a dict of numbers by whole numbers: rels by the place of their doc.

    >>> is_of_places("numpy.ndarray dict[int, float]"), is_of_places("dict[str, float]")
    (True, False)
    """
    return re.search(r"(dict|mapping)\[int, *(int|float)\b", annotation, re.IGNORECASE) is not None


def is_of_an_array(annotation: str) -> bool:
    """Whether it says of something that it is an array, and nothing else.

    >>> is_of_an_array("np.ndarray"), is_of_an_array("torch.Tensor | None"), is_of_an_array("int | Tensor"), is_of_an_array("")
    (True, True, False, False)
    """
    kinds = [_kinds(_taken_apart(one)[0]) for one in _alternatives(annotation)]
    return bool(kinds) and all(each == {"array"} for each in kinds)


def depth_of(annotation: str) -> int | None:
    """How many lists or sets stand in one another; None where it does not say.

    >>> depth_of("list[str]"), depth_of("Sequence[set[int]] | None"), depth_of("str"), depth_of("list"), depth_of("list[str] | str")
    (1, 2, 0, None, None)
    >>> depth_of("list[tuple[str, float]]"), depth_of("list[tuple[str, ...]]"), depth_of("list[tuple[str]]"), depth_of("list[tuple]")
    (1, 2, 2, None)
    """
    depths = {_depth(one) for one in _alternatives(annotation)}
    return depths.pop() if len(depths) == 1 else None


def _depth(annotation: str) -> int | None:
    name, within = _taken_apart(annotation)
    if _kinds(name) & {"text", "number"} or (name.lower() == "tuple" and len(within) > 1 and within[-1] != "..."):
        return 0  # a doc with its score is as good as its id
    inner = depth_of(within[0]) if within and _kinds(name) & {"list", "set"} else None
    return None if inner is None else inner + 1


def is_of_numbers(annotation: str) -> bool:
    """Whether it says that ids are whole numbers: a list or a set of them, or a dict by them.

    >>> is_of_numbers("Sequence[int]"), is_of_numbers("dict[int, float]"), is_of_numbers("list[set[int]]"), is_of_numbers("list[str] | int")
    (True, True, True, False)
    """
    return re.search(_HOLDS + r"int\b", annotation, re.IGNORECASE) is not None


def is_of_texts(annotation: str) -> bool:
    """Whether it says that something holds texts, as ids are; a text alone may be the id of a query.

    >>> is_of_texts("list[str]"), is_of_texts("dict[str, int]"), is_of_texts("str"), is_of_texts("list[int]")
    (True, True, False, False)
    """
    return re.search(_HOLDS + r"str\b", annotation, re.IGNORECASE) is not None


def is_of_flags(annotation: str) -> bool:
    """Whether it says that something holds nothing but true and false.

    >>> is_of_flags("list[bool]"), is_of_flags("NDArray[np.bool_]"), is_of_flags("list[bool | int]"), is_of_flags("bool")
    (True, True, False, False)
    """
    return re.search(_HOLDS + r"(np\.|numpy\.)?bool_?\]", annotation, re.IGNORECASE) is not None


def _cannot_be(annotation: str, role: str) -> bool:
    name, within = _taken_apart(annotation)
    kinds = _kinds(name)
    wanted, of_values = _ROLES.get(role, (_LISTS, None))
    if not kinds or (role == "y_true" and is_of_places(annotation)):
        return False
    if not kinds & wanted:
        return True
    if role in _COUNTS and kinds & _LISTS:
        return bool(within) and not any(_is_count(one) for one in _alternatives(within[0]))
    if of_values is not None:
        return len(within) > 1 and _is_none_of(within[1], of_values)
    held = _HELD.get(role, frozenset() if role in _ROLES else _LISTS | {"number"})
    return bool(within and held) and _is_none_of(within[0], held)


def _is_count(annotation: str) -> bool:
    """Whether it may be a whole number; of a name that is not known, that may be."""
    name = _taken_apart(annotation)[0].lower()
    return name == "int" or not _kinds(name)


def _is_none_of(annotation: str, wanted: frozenset[str]) -> bool:
    found = [_kinds(_taken_apart(one)[0]) for one in _alternatives(annotation)]
    return bool(found) and all(kinds and not kinds & wanted for kinds in found)


def _kinds(name: str) -> frozenset[str]:
    return frozenset(kind for kind, names in _KINDS.items() if name.lower() in names)


def _alternatives(annotation: str) -> Iterator[str]:
    """The types of which an argument is one, but for None."""
    text = re.sub(r"<class '([^']*)'>", r"\1", annotation).strip("'\" ")
    for part in _split(text, "|"):
        name, within = _taken_apart(part)
        if name in {"Optional", "Union", "Annotated"} and within:
            for one in within[:1] if name == "Annotated" else within:
                yield from _alternatives(one)
        elif name not in {"None", "NoneType", ""}:
            yield part


def _taken_apart(annotation: str) -> tuple[str, list[str]]:
    """The bare name of a type, and what stands in its brackets."""
    name, _, rest = annotation.strip("'\" ").partition("[")
    return name.strip().rpartition(".")[2], _split(rest.rpartition("]")[0], ",") if rest else []


def _split(text: str, at: str) -> list[str]:
    """A text split where it is in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == at and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
