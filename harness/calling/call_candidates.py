"""The ways in which a function may have to be called: what its parameters say, or all that fit.

This looks at a function, and so it runs where the function does.
"""

import ast
import inspect
import math
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from importlib.util import find_spec
from types import FunctionType, ModuleType
from typing import Any

from rankproof.calling.annotations import is_of_flags, is_of_numbers, is_of_texts, rules_out
from rankproof.calling.argument_names import (
    GAINS,
    HIGHEST_RELS,
    INDEXES,
    OBVIOUS,
    OF_THE_REL,
    RANKED,
    SCORE,
    TRUE,
    K,
    is_called_a_flag,
)
from rankproof.calling.arguments import IN_RANK_ORDER, OBJECTS, TENSORS
from rankproof.calling.call_forms import CALLED, IDS, IR_MEASURES, LABELINGS, ONE_ID, ONE_ID_EACH, TORCHMETRICS
from rankproof.calling.called_things import Thing, things_of
from rankproof.calling.calls import told
from rankproof.calling.container_choices import BY_COLUMNS, OF_FILES, OF_FRAMES, containers, sees_no_order
from rankproof.calling.file_arguments import NUMBERS, says
from rankproof.calling.finding import find, name_of
from rankproof.calling.given_values import AT_SEVERAL, BY_QRELS, BY_RUN, ITEMS, PER_CUTOFF
from rankproof.calling.literals import literal
from rankproof.calling.parameters import (
    NAMED_ONLY,
    Assigned,
    Parameter,
    Words,
    assignments,
    column_of,
    parameters_of,
    takes_any_name,
    threshold_of,
    words_in,
)
from rankproof.calling.targets import (
    ALL,
    COLUMN,
    IN_STEPS,
    QUERY,
    STEP_TABLES,
    STEPS,
    TABLE,
    BadFunction,
    Form,
    Target,
    names_of,
)
from rankproof.meaning.measure_facts import can_look_at
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import ALIASES, Measure
from rankproof.reference_impl.shown import did_you_mean

NAMES_OF = {
    "nDCG": ("ndcg", "ndcgcut", "normalizeddcg"),
    "AP": ("map", "ap", "averageprecision", "mapcut", "meanaverageprecision"),
    "RR": ("mrr", "rr", "recipround", "reciprank", "reciprocalrank", "meanreciprocalrank"),
    "P": ("precision", "p", "prec"),
    "R": ("recall", "r"),
    "Success": ("hitrate", "hit", "hr", "success", "hits", "hitratio"),
    "F": ("f1", "f", "f1score"),
    "Rprec": ("rprecision",),
}
"""What measures are called as keys of a dict."""
ATTRIBUTES = ("score", "value", "mean")
"""Where an object that is given may hold the value."""
MOST = 600
"""How many ways are tried at most."""


@dataclass(frozen=True, slots=True)
class Source:
    """A function, and what is asked of it.

    Attributes:
        name: where it is, as MODULE:FUNCTION or FILE.py:FUNCTION; "" where only the function can tell.
        measure: what it computes.
        form: the only form to try; None for all of them.
        function: the function itself; None where it is to be found by its name.
        given: arguments that the person adds, by name: numbers, texts, lists, and what else can be written.
        order: the only order of the form's roles to try; none for all of them.
    """

    name: str
    measure: Measure
    form: Form | None = None
    function: Any = None
    given: Mapping[str, Any] = field(default_factory=dict)
    order: tuple[str, ...] = ()


@dataclass(frozen=True)
class Candidates:
    """What a function may be.

    Attributes:
        name: where it is.
        targets: the ways to call it, the likeliest first.
        foreign: the parameters that must be given and belong to no form.
        roles: what its other parameters take, where some are foreign.
        names: these parameters, where they must be given by name.
        record: the object that they are fields of, if they are, as a target has it.
        of_maker: those of them that an object must be made with.
        method: what is called of that object, where its class was named alone.
        measure: the names that the measure may have as a key of a result.
    """

    name: str
    targets: tuple[Target, ...]
    foreign: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    measure: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    record: tuple[str, ...] = ()
    of_maker: tuple[str, ...] = ()
    method: str = ""

    @cached_property
    def readings(self) -> tuple[str, ...]:
        """What of a result may be the answer; all of it, first."""
        named = (f"name:{name}" for name in self.measure)
        held = (f"attr:{name}" for name in ATTRIBUTES)
        items = (f"item:{i}" for i in range(ITEMS))
        return ("", *held, "cutoff", *named, "asked", "by-cutoff", BY_QRELS, BY_RUN, "place", *items)

    def readings_of(self, target: Target) -> Iterator[int]:
        """The places of the readings that may be of a target, beside all of its result: of several cutoffs, the value at one."""
        for at, reading in enumerate(self.readings[1:], start=1):
            kind = reading.partition(":")[0]
            if kind in PER_CUTOFF if target.several else kind not in AT_SEVERAL:
                yield at

    def way(self, which: int) -> Target:
        """A target and what of its result is read: each target, first with all of its result."""
        reading, target = divmod(which, len(self.targets))
        return replace(self.targets[target], reads=self.readings[reading])

    def place_of(self, way: Target) -> int | None:
        """The place of a way: what is tried is another list where other modules are imported."""
        alike = (at for at, target in enumerate(self.targets) if replace(target, name=way.name, reads=way.reads) == way)
        at = next(alike, None)
        return None if at is None else self.readings.index(way.reads) * len(self.targets) + at


@dataclass(frozen=True, slots=True)
class Loaded:
    """A function where it runs, and its candidates."""

    candidates: Candidates
    function: Any


def given_of(written: Sequence[str]) -> dict[str, Any]:
    """Arguments as a command line has them, `max_rel=4`; what is no value of Python is text.

    Raises:
        BadFunction: one of them is not of that form.
    """
    found = {}
    for argument in written:
        name, equals, value = argument.partition("=")
        if not (equals and name.isidentifier()):
            raise BadFunction(f"{argument} is no argument: write NAME=VALUE, as max_rel=4")
        try:
            found[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            found[name] = value
    return found


def load(source: Source) -> Loaded:
    """Find a function, and how it may be called.

    Raises:
        BadFunction: it cannot be found, or looked at, or what is given cannot be written.
    """
    function = find(source.name) if source.function is None else source.function
    given = tuple(f"{name}={literal(value)}" for name, value in source.given.items())
    for argument in given:
        parameter, _, value = argument.partition("=")
        try:
            ast.literal_eval(value)
        except (ValueError, SyntaxError):
            what = f"{parameter} is given {value}, which cannot be written; bind it, as by functools.partial"
            raise BadFunction(what) from None
    try:
        named = replace(source, name=source.name or name_of(function))
        function, things = things_of(function, named.name, given)
        _refuse_unknown(source.given, function, things)
        return Loaded(_candidates(things, function, named), function)
    except BadFunction:
        raise
    except Exception as error:  # noqa: BLE001 - an object may answer every look at it by an error
        raise BadFunction(f"{source.name or 'the function'} cannot be looked at ({told(error)})") from None


def _refuse_unknown(given: Collection[str], function: Any, things: Sequence[Thing]) -> None:  # noqa: ANN401 - as above
    """See that a plain function has the parameters that are given; of what makes an object, or takes any name, nothing is said.

    Raises:
        BadFunction: it has none of that name.
    """
    known = [p.name for thing in things for p in thing.every]
    if not inspect.isroutine(function) or not known or takes_any_name(function) or any(t.target.k_made for t in things):
        return
    for name in given:
        if name not in known:
            raise BadFunction(f"{name} is no parameter of {function.__name__}; {did_you_mean(name, known)}")


def _candidates(things: Sequence[Thing], function: Any, source: Source) -> Candidates:  # noqa: ANN401 - as above
    """The ways to call it, those whose arguments go by known names first."""
    found: list[tuple[tuple[int, ...], Target]] = []
    words, imported = cache(partial(words_in, function)), _imported_by(function)
    foreign: list[tuple[tuple[int, ...], Candidates]] = []
    for t, thing in enumerate(things):
        tried = {name for threshold in _thresholds(thing, source.measure) for name in names_of(threshold)}
        for f, form in enumerate(_forms(source, thing)):
            for a, assigned in enumerate(_assignments(source, form, thing)):
                rank: tuple[int, ...] = (-assigned.known, t, f, a)
                made, given = (_obvious(form, source.measure, names) for names in (thing.missing, assigned.left))
                left = tuple(name for name in (*thing.missing, *assigned.left) if name not in {*made, *given, *tried})
                if left:
                    of_maker = tuple(name for name in thing.missing if name in left)
                    lacks = Candidates(
                        source.name,
                        (),
                        left,
                        assigned.order,
                        names=assigned.names,
                        record=thing.target.record,
                        of_maker=of_maker,
                        method=thing.target.method,
                    )
                    foreign.append((rank, lacks))
                    continue
                asked = replace(thing, target=_given_besides(thing.target, made, given))
                read = words(is_whole=form in OF_FILES)
                ways = enumerate(_ways(form, asked, assigned, source.measure, read, imported))
                found += [((*rank, w), target) for w, target in ways]
    if source.form in {None, IR_MEASURES} and hasattr(function, "iter_calc") and hasattr(function, "SUPPORTED_PARAMS"):
        k = "cutoff" if "cutoff" in function.SUPPORTED_PARAMS else None
        return Candidates(source.name, (Target(source.name, IR_MEASURES, k=k),))
    if source.form in {None, TORCHMETRICS} and not source.measure.of_labels:
        found += [((-2 * target.known, 0, 0, 0, w), target) for w, target in enumerate(_torchmetrics(function, source))]
    in_order = sorted(found, key=lambda pair: (pair[1].of_equal_rows, _is_late(pair[1]), pair[0]))
    ordered = tuple(target for _, target in in_order[:MOST])
    name = source.measure.name
    keys = (*NAMES_OF.get(name, ()), name.lower(), *(alias.lower() for alias, of in ALIASES.items() if of == name))
    rank, lacks = min(foreign, key=lambda pair: pair[0], default=((0,), Candidates(source.name, ())))
    known = max((target.known for target in ordered if target.known < len(target.order)), default=0)
    is_named = any(target.known == len(target.order) for target in ordered)
    is_likelier = not ordered or (not is_named and -rank[0] >= known)
    found_so = Candidates(source.name, ordered, measure=tuple(dict.fromkeys(keys)))
    if is_likelier and lacks.foreign:
        return replace(lacks, targets=found_so.targets, measure=found_so.measure)
    beside = () if ordered else _files_beside_others([p for thing in things[:1] for p in thing.parameters or ()])
    return replace(found_so, foreign=beside)


def _files_beside_others(parameters: Sequence[Parameter]) -> tuple[str, ...]:
    """The parameters that by their names take paths, where others do not: what is given files is given nothing else."""
    needed = [parameter for parameter in parameters if parameter.needed]
    files = tuple(parameter.name for parameter in needed if parameter.is_a_file)
    return files if len(files) < len(needed) else ()


def _is_late(target: Target) -> bool:
    """Whether others come before it that may be called alike: who goes through a dict by query goes through a series of lists, too.

    Who sorts docs by their scores takes them in rank order as well.
    """
    of_all = target.batch == COLUMN or (target.batch == ALL and target.container == "series")
    return of_all or target.container in IN_RANK_ORDER


def _obvious(form: Form, measure: Measure, names: Sequence[str]) -> dict[str, str]:
    """What parameters are given that nobody says: of ids, a relevant doc is worth 1; the highest rel is ERR's; columns have our names."""
    found = dict.fromkeys((name for name in names if name.lower() in GAINS and form in {IDS, ONE_ID, ONE_ID_EACH}), "1")
    found |= {name: OBVIOUS[name.lower()] for name in names if name.lower() in OBVIOUS}
    if not measure.of_labels and not can_look_at(measure).isdisjoint({"gains", "rels"}):
        found |= dict.fromkeys((name for name in names if name.lower() in HIGHEST_RELS), STANDARD.err_max)
    columns = {name: column_of(name) for name in names if form in OF_FRAMES}
    return found | {name: repr(column) for name, column in columns.items() if column is not None}


def _given_besides(target: Target, made: Mapping[str, str], given: Mapping[str, str]) -> Target:
    """A target that is given so much more, where an object of it is made, and in the call."""
    of_maker = {**made, **{name: value for name, value in given.items() if name in target.made_of}}
    of_call = {name: value for name, value in given.items() if name not in of_maker}
    of_made, of_called = ([f"{name}={value}" for name, value in each.items()] for each in (of_maker, of_call))
    return replace(target, made=(*target.made, *of_made), given=(*target.given, *of_called))


def _assignments(source: Source, form: Form, thing: Thing) -> Iterator[Assigned]:
    """Which argument may go where; where the person named an order, in that order alone, whatever names say."""
    if not source.order or NAMED_ONLY & set(source.order):
        parameters = thing.parameters
        if form == IDS and parameters is not None and sees_no_order(source.measure):
            parameters = list(map(_ranked_as_set, parameters))
        yield from assignments(form, parameters, names_of(thing.target.given), is_named=source.form is not None)
        return
    unnamed = replace(form, roles=dict.fromkeys(form.roles, frozenset[str]()))
    found = assignments(unnamed, thing.parameters, names_of(thing.target.given), is_named=True)
    yield from (replace(assigned, known=len(assigned.order)) for assigned in found if assigned.order == source.order)


def _ranked_as_set(parameter: Parameter) -> Parameter:
    """A parameter without the note that it is a set, where its name says that it is a ranking: what sees no order takes both."""
    is_set = rules_out(parameter.note, "ranked") and not rules_out(parameter.note, "relevant")
    return replace(parameter, note="") if is_set and parameter.is_in(RANKED) else parameter


def _forms(source: Source, thing: Thing) -> Sequence[Form]:
    """The forms that may be meant: of an object that is updated, those that can be."""
    if source.form is not None:
        forms: Sequence[Form] = [source.form] if source.form.roles else []
    else:
        forms = [LABELINGS] if source.measure.of_labels else CALLED
    return [form for form in forms if STEPS in form.batches] if "/" in thing.target.method else forms


def _ways(
    form: Form, thing: Thing, assigned: Assigned, measure: Measure, words: Words, imported: Collection[str]
) -> Iterator[Target]:
    """A form's ways to be called with its arguments so assigned: how queries are given, and in which containers.

    Of dicts by name, the keys that are read are among the texts of the function's code. Objects are made of the modules that it imports,
    or that its annotations name.
    """
    made = thing.target
    # Of several cutoffs, `list[int]` says nothing of ids.
    notes = [p.note for p in thing.parameters or () if p != assigned.k]
    base = replace(
        made,
        form=form,
        order=assigned.order,
        names=assigned.names,
        known=assigned.known,
        defaults=_defaults(thing, assigned),
        numbered=_are_numbers(form, notes),
        of_flags=any(map(is_of_flags, notes)),
    )
    if assigned.k is not None:
        base = replace(
            base,
            k=assigned.k.name,
            k_made=False,
            k_needed=assigned.k.needed,
            k_listed=assigned.k.takes_cutoffs,
            k_in="tensor" if "Tensor" in assigned.k.note else "list",
        )
    in_steps = [STEPS, *([STEP_TABLES] if TABLE in form.batches else [])]
    batches = in_steps if "/" in made.method else [batch for batch in form.batches if batch not in IN_STEPS]
    batches = [batch for batch in batches if batch == QUERY] if made.record else batches
    for threshold in _thresholds(thing, measure):
        for batch in batches:
            for container, columns in containers(form, thing.every, batch, measure, words, imported):
                of_flags = base.of_flags or (form in BY_COLUMNS and is_called_a_flag(columns[OF_THE_REL]))
                no_texts = container in TENSORS and _is_of_ids(form)  # no tensor holds any
                numbered = base.numbered or no_texts or says(container, NUMBERS)
                way = replace(
                    base,
                    given=(*base.given, *threshold),
                    batch=batch,
                    container=container,
                    columns=columns,
                    of_flags=of_flags,
                    numbered=numbered,
                )
                if base.k_listed and cutoff_of(measure) is not None:
                    yield replace(way, several=True)
                yield way


OF_IDS = frozenset(
    {
        "relevant",
        "ranked",
        "relevant_doc",
        "doc_of_each",
        "ranked_of_each",
        "rel_of_doc",
        "score_of_doc",
        "scored",
        "qrels",
        "run",
        "relevant_of_query",
        "ranked_of_query",
        "scored_of_query",
        "ranked_with_relevant",
        "relevant_with_ranked",
        "relevant_of_listed",
        "ranked_listed",
        "doc_of_query",
        "records_relevant",
        "records_ranked",
    }
)
"""The roles that hold ids of docs: of a query, and of all of them."""


def _are_numbers(form: Form, notes: Sequence[str]) -> bool:
    """Whether a function of ids wants numbers: of one argument at least its annotation says so, and of none that they are texts."""
    return _is_of_ids(form) and any(map(is_of_numbers, notes)) and not any(map(is_of_texts, notes))


def _is_of_ids(form: Form) -> bool:
    return not form.roles.keys().isdisjoint(OF_IDS)


def _thresholds(thing: Thing, measure: Measure) -> Iterator[tuple[str, ...]]:
    """What a parameter for the threshold of relevance is given: nothing, by default; else the measure's own, or what is just below."""
    parameter = threshold_of(thing.parameters, names_of(thing.target.given))
    if parameter is None or measure.of_labels or not parameter.needed:
        yield ()
        return
    for value in (measure.rel, measure.rel - 0.5):
        yield (f"{parameter.name}={value!r}",)


def _defaults(thing: Thing, assigned: Assigned) -> tuple[str, ...]:
    """The finite numbers that parameters have by default, but for the cutoff and what is given; also numpy's, and members of an enum."""
    taken = {*names_of(thing.target.given), *([assigned.k.name] if assigned.k else [])}
    told = ((p.name, p.default) for p in thing.parameters or () if p.name not in taken)
    numbers = ((name, number) for name, value in told if (number := _plain_number(value)) is not None)
    return tuple(f"{name}={number!r}" for name, number in numbers)


def _plain_number(value: Any) -> int | float | None:  # noqa: ANN401 - whatever a default is
    """A finite number as Python writes it; None of all else."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return int(value) if isinstance(value, int) and type(value) is not bool else None


def _imported_by(function: Any) -> frozenset[str]:  # noqa: ANN401 - as above
    """The modules of `OBJECTS` that a function's own module has imported, or from which it has something."""
    of = function.func if isinstance(function, partial) else function
    module = sys.modules.get(str(getattr(of, "__module__", "")))  # of an object, that of its class
    own = getattr(of, "__globals__", None) or ({} if module is None else vars(module))
    # Other objects may answer a look at them by an error.
    held = [one for one in own.values() if isinstance(one, ModuleType | FunctionType | type)]
    names = {one.__name__ if isinstance(one, ModuleType) else one.__module__ for one in held}
    return frozenset(str(name).partition(".")[0] for name in names) & OBJECTS.keys()


def _torchmetrics(function: Any, source: Source) -> Iterator[Target]:  # noqa: ANN401 - a class or an object
    """An object as torchmetrics has them: updated with scores and rels by their names, and perhaps with the query of each."""
    if not (hasattr(function, "update") and hasattr(function, "compute")):
        return
    names = [parameter for parameter in inspect.signature(function.update).parameters if parameter != "self"]
    scores, rels, indexes = (next((n for n in names if n.lower() in known), None) for known in (SCORE, TRUE, INDEXES))
    if source.form is None and (scores is None or rels is None):
        return
    order = (scores or "preds", rels or "target", *([indexes] if indexes else []))
    is_class = inspect.isclass(function)
    takers = [p.name for p in parameters_of(function) or ()] if is_class else [n for n in K if hasattr(function, n)]
    k = next((n for n in K if n in takers), None)
    given = tuple(f"{name}={literal(value)}" for name, value in source.given.items())
    containers = ["tensor"] if "torch" in sys.modules else ["list", *(["array"] if find_spec("numpy") else [])]
    for batch in ("query",) if indexes else (TABLE, "query"):
        for container in containers if indexes else reversed(containers):
            yield Target(
                source.name,
                TORCHMETRICS,
                order,
                k,
                k_made=is_class and k is not None,
                container=container,
                batch=batch,
                of_class=is_class,
                made=given if is_class else (),
                known=len(order),
            )
