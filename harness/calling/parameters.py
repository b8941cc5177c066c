"""The parameters of a function, and which of them take what a form gives: by their names, by one of them, or by trying."""

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from types import CodeType
from typing import Any

from rankproof.calling import argument_names as names
from rankproof.calling.annotations import depth_of, is_of_an_array, rules_out
from rankproof.calling.arguments import OF_ALL
from rankproof.calling.file_arguments import NAME_OF
from rankproof.calling.targets import QUERY_ID, Form

_KINDS = inspect.Parameter
OF_A_BATCH = "batch_"
"""What a known name may begin with."""
_LISTED = re.compile(r"\b(list|tuple|sequence|iterable|collection)\b", re.IGNORECASE)
OF_QUERIES = names.INDEXES | names.GROUP_SIZES
"""What says of which query each row is: no cutoff, whatever else a form would leave for one."""
NAMED_ONLY = frozenset(
    {
        "query_of_row",
        "group_sizes",
        "n_docs",
        "target_index",
        "ideal_rels",
        "relevant_places",
        "rank_of_doc",
        "queries_listed",
        "rank_from_1",
        "ranked_places",
        "rels_of_query",
        "scores_of_query",
        "scores_with_rels",
        "predictions",
        "row_of_query",
        "rels_seen",
        "hit_ranks",
        "hit_places",
        "hits_in_all",
        "relevant_scores",
        "relevant_score",
        "other_scores",
        "approxes",
        "dataset",
        "dataset_of_one",
        "distances",
        "label_of_query",
        "labels_of_docs",
    }
)
"""The roles that no parameter has by its place alone."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One of them.

    Attributes:
        name: its name.
        needed: whether it has no default.
        by_name: whether only its name gives it.
        note: its annotation, as text.
        default: its default, None where it has none.
        is_field: whether it is a field of a record.
        is_to_be_found: whether it takes the name of the file that is to be found, and no path.
    """

    name: str
    needed: bool
    by_name: bool = False
    note: str = ""
    default: Any = None
    is_field: bool = False
    is_to_be_found: bool = False

    @property
    def low(self) -> str:
        """Its name in small letters."""
        return self.name.lower()

    @property
    def is_a_file(self) -> bool:
        """Whether its name says that it is the path of a file, and no annotation that it is none."""
        is_called_so = names.is_called_a_file(self.name) and not self.is_to_be_found
        return is_called_so and not rules_out(self.note, "run_file")

    def is_in(self, known: frozenset[str]) -> bool:
        """Whether it is called by one of these names, or by one of them with an end that says how it is held."""
        low = self.low.removeprefix(OF_A_BATCH)
        return self.low in known or low in known or (low not in names.RANKS and is_key_of(low, known))

    @property
    def is_number(self) -> bool:
        """Whether its default says that it is a number: no list of rels, whatever it is called."""
        return isinstance(self.default, int | float)

    @property
    def takes_cutoffs(self) -> bool:
        """Whether, as the parameter for the cutoff, it takes several: by its name, its default or its annotation."""
        listed = isinstance(self.default, list | tuple) or bool(_LISTED.search(self.note))
        return self.low in names.K_LISTS or listed

    @property
    def may_be_cutoff(self) -> bool:
        """Whether its default is one that a cutoff may have, none or a whole number; an array is none, but of several."""
        is_number = not isinstance(self.default, float) or self.default.is_integer()
        return is_number and (self.takes_cutoffs or not is_of_an_array(self.note))


def is_key_of(key: str, known: frozenset[str]) -> bool:
    """Whether a key of a dict is one of these names, with any ends that say how it is held: `gold_chunk_ids`, `gold_chunk`, `gold`."""
    low = key.lower()
    return low in known or any(is_key_of(low.removesuffix(end), known) for end in names.SUFFIXES if low.endswith(end))


_ALIKE = (("relevant", "ranked"), ("y_true", "y_score"))
"""The roles that are both lists of a query, or both lists of those of all."""
NUMBERS = frozenset({"n_relevant", "rank"})
"""The roles that are a number, as the cutoff is one: a parameter that is called as cutoffs are may be theirs."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """Which argument goes where.

    Attributes:
        order: the roles, in the function's own order.
        names: the parameters, where arguments must be given by name.
        k: the parameter for the cutoff.
        known: how many arguments go by known names.
        left: what must be given beside that.
    """

    order: tuple[str, ...]
    names: tuple[str, ...] = ()
    k: Parameter | None = None
    known: int = 0
    left: tuple[str, ...] = ()


def parameters_of(function: Any) -> list[Parameter] | None:  # noqa: ANN401 - whatever can be called
    """The parameters of a function; None where it does not tell."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is _KINDS.VAR_POSITIONAL for p in found):
        return None
    parameters = [
        Parameter(
            p.name,
            p.default is _KINDS.empty,
            p.kind is _KINDS.KEYWORD_ONLY,
            "" if p.annotation is _KINDS.empty else str(p.annotation),
            None if p.default is _KINDS.empty else p.default,
        )
        for p in found
        if p.kind is not _KINDS.VAR_KEYWORD
    ]
    files = [p for p in parameters if p.is_a_file]
    is_alone = len(files) == 1 and files[0].low in names.FILES_TO_BE_FOUND
    return [replace(p, is_to_be_found=is_alone and p in files) for p in parameters]


def takes_any_name(function: Any) -> bool:  # noqa: ANN401 - as above
    """Whether a function takes arguments by names that it does not tell."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(p.kind is _KINDS.VAR_KEYWORD for p in found)


@dataclass(frozen=True, slots=True)
class Words:
    """What the code of a function holds, or of a class' methods, and of the functions beside it that it names.

    Attributes:
        texts: the texts, alone or in a tuple.
        attributes: the names of attributes, and of what it names beside them.
    """

    texts: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """What may be a column of a frame: a text, or an attribute, as in `df.label`."""
        return tuple(dict.fromkeys((*self.texts, *self.attributes)))


def words_in(function: Any, *, is_whole: bool = False) -> Words:  # noqa: ANN401 - as above
    """The texts and attributes in the code of a function and of those beside it that it names; of those that these name, too, if whole."""
    codes = _codes(function, is_whole=is_whole)
    texts = (text for code in codes for text in _texts(code))
    attributes = (name for code in codes for within in _within(code) for name in within.co_names)
    return Words(tuple(dict.fromkeys(texts)), tuple(dict.fromkeys(attributes)))


def _codes(function: Any, *, is_whole: bool) -> list[CodeType]:  # noqa: ANN401 - as above
    """The code of a function or of a class' methods, and of the functions beside it that it names; if whole, and so on."""
    owned = list(vars(function).values()) if inspect.isclass(function) else [inspect.unwrap(function)]
    owned = [getattr(one, "__func__", one) for one in owned]  # of a method of a class
    codes = [one.__code__ for one in owned if inspect.isfunction(one)]
    beside = getattr(next((one for one in owned if inspect.isfunction(one)), None), "__globals__", {})
    for code in codes if is_whole else tuple(codes):  # a whole list grows meanwhile
        others = (beside.get(name) for within in _within(code) for name in within.co_names)
        codes += [other.__code__ for other in others if inspect.isfunction(other) and other.__code__ not in codes]
    return codes


def _texts(code: CodeType) -> Iterator[str]:
    """The texts that code holds, alone or in a tuple."""
    for within in _within(code):
        for held in within.co_consts:
            yield from (text for text in (held if isinstance(held, tuple) else (held,)) if isinstance(text, str))


def _within(code: CodeType) -> Iterator[CodeType]:
    """Code, and all code within it."""
    yield code
    for held in code.co_consts:
        if isinstance(held, CodeType):
            yield from _within(held)


def assignments(
    form: Form, found: list[Parameter] | None, given: Sequence[str], *, is_named: bool = False
) -> Iterator[Assigned]:
    """The ways in which a form's arguments may go to parameters, the likeliest first; what is given otherwise takes none.

    An argument goes to no parameter whose annotation rules that out, but where the person named the form.
    """
    if found is None:
        for order in permutations(form.roles):
            yield Assigned(order, k=Parameter("k", needed=False))
            yield Assigned(order)
        return
    free = [replace(p, note="") if is_named else p for p in found if p.name not in given]
    k = _cutoff(form, free)
    yield from _placed(form, [p for p in free if p is not k], k, [p.name for p in found], is_named=is_named)


def _cutoff(form: Form, free: Sequence[Parameter]) -> Parameter | None:
    """The parameter that may be the cutoff: one of a known name, or else what is needed beside the form's own arguments."""
    named = next((p for name in names.K for p in free if p.low == name and p.may_be_cutoff), None)
    needed = [p for p in free if p.needed and not _is_of_another_kind(p)]
    known = frozenset[str]().union(*form.roles.values())
    if named is not None:
        may_be_theirs = not form.roles.keys().isdisjoint(NUMBERS) or named.low in known
        return None if may_be_theirs and named.needed and len(needed) <= len(form.roles) else named
    spare = [p for p in needed if not (p.is_a_file or p.is_in(known | OF_QUERIES) or rules_out(p.note, "cutoff"))]
    return spare[-1] if spare and len(needed) == len(form.roles) + 1 else None  # f(ranked, size)


def _placed(
    form: Form, rest: Sequence[Parameter], k: Parameter | None, every: list[str], *, is_named: bool
) -> Iterator[Assigned]:
    """Each role at a parameter: those of known names at theirs, others at those that must be given, in either order.

    What is called as files are takes files alone, and these nothing else, but where the person named the form.
    """
    of_files = not NAME_OF.keys().isdisjoint(form.roles)
    takers = _by_name(form, rest)
    open_roles = [role for role in form.roles if role not in takers]
    others = (p for p in rest if p not in takers.values() and (is_named or p.is_a_file == of_files))
    free = [p for p in others if not _is_of_another_kind(p)]
    needed = [p for p in free if p.needed] or free
    if len(needed) < len(open_roles) or NAMED_ONLY & set(open_roles):
        return
    for order in permutations(open_roles):
        placed = takers | dict(zip(order, needed, strict=False))
        if any(rules_out(p.note, role) for role, p in placed.items()) or _are_unlike(placed):
            continue
        ids = (p for p in rest if p.needed and p not in placed.values() and _names_query(p))
        of_query = None if form.roles.keys() & OF_ALL.keys() else next(ids, None)
        placed |= {} if of_query is None else {QUERY_ID: of_query}
        left = tuple(p.name for p in rest if p.needed and p not in placed.values())
        roles = tuple(sorted(placed, key=lambda role: every.index(placed[role].name)))
        mine = [placed[role] for role in roles]
        in_place = [p.name for p in mine] == every[: len(mine)] and not any(p.by_name for p in mine)
        known = sum(not _is_called_a_dict(p, role) for role, p in takers.items()) + (of_query is not None)
        yield Assigned(roles, () if in_place else tuple(p.name for p in mine), k, known, left)


def _is_of_another_kind(parameter: Parameter) -> bool:
    """Whether its name says that it takes neither docs nor a cutoff."""
    return parameter.low in names.THRESHOLDS | names.OTHERS or column_of(parameter.name) is not None


def _are_unlike(placed: Mapping[str, Parameter]) -> bool:
    """Whether annotations say of such roles that one holds lists of what the other holds."""
    return any(len({depth_of(placed[role].note) for role in roles if role in placed} - {None}) > 1 for roles in _ALIKE)


def _is_called_a_dict(parameter: Parameter, role: str) -> bool:
    """Whether a name says that it is a dict, of a role whose values are none: then it does not name that role."""
    return parameter.low.endswith(names.ENDS_OF_DICTS) and rules_out("dict", role)


def _names_query(parameter: Parameter) -> bool:
    """Whether it takes the id of the query, or its text, or the user, which are as good as one."""
    return parameter.low in names.QUERY_IDS | names.QUERIES


def _by_name(form: Form, rest: Sequence[Parameter]) -> dict[str, Parameter]:
    """The parameters whose names say their role; a name that is known of two roles goes to the one that no other can have."""
    fits = {
        role: [p for p in rest if p.is_in(known) and not p.is_number and not rules_out(p.note, role)]
        for role, known in form.roles.items()
    }
    best: dict[str, Parameter] = {}
    for order in permutations(form.roles):
        found: dict[str, Parameter] = {}
        for role in order:
            free = next((p for p in fits[role] if p not in found.values()), None)
            if free is not None:
                found[role] = free
        if len(found) > len(best):
            best = found
    return best


def column_of(name: str) -> str | None:
    """Which column of a frame a parameter names, as `COLUMNS` has it; None where it names none.

    >>> column_of("col_user"), column_of("item_id_column"), column_of("user")
    ('user_id', 'item_id', None)
    """
    told = re.fullmatch(r"cols?_(\w+)|(\w+?)_(?:col|column|column_name|col_name)", name.lower())
    stem = told and (told[1] or told[2])
    return next((column for column, stems in names.COLUMNS.items() if stem in stems), None)


def columns_told(found: Sequence[Parameter] | None) -> tuple[str, ...]:
    """The columns of frames that a function's parameters name, by their defaults or, without one, as `COLUMNS` has them; none if too few.

    Of the query and the rel or the score they must tell; who names no column of scores reads them from that of the rels.
    """
    told: dict[str, str] = {}
    for p in found or ():
        column = column_of(p.name)
        if column is not None and (p.needed or isinstance(p.default, str)):
            told.setdefault(column, column if p.needed else p.default)
    if "user_id" not in told or not told.keys() & {"rating", "score"}:
        return ()
    return tuple(({"score": told.get("rating", "score")} | told).get(column, column) for column in names.COLUMNS)


def threshold_of(found: Sequence[Parameter] | None, given: Sequence[str]) -> Parameter | None:
    """The parameter that says from which rel on a doc is relevant."""
    may_be = (p for p in found or () if p.name not in given)
    return next((p for p in may_be if p.low in names.THRESHOLDS or (p.low in names.RELS and p.is_number)), None)
