"""An explanation as a screen of text: one sentence first, then who gives what, what ties can do, and what else can matter."""

from collections.abc import Iterator, Sequence
from itertools import chain
from textwrap import wrap

from rankproof.evaluate.library_profiles import other_ways
from rankproof.explain.explanation import ChangeEffect, Explanation, ProfileAnswer
from rankproof.explain.number_search import Commonness, Explained, ValueMatch
from rankproof.explain.printed_values import OF_FLAGS, as_flags
from rankproof.explain.side_by_side import Placed, SideBySide
from rankproof.grouping import grouped
from rankproof.inference.reference_answers import UNSPECIFIED, Refused, Values, reading_of
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.exact import to_float
from rankproof.report.explanation_words import (
    in_words,
    reason_of,
    sentence,
    signed,
    some_names,
    today_in_words,
    value_of,
    who,
)
from rankproof.text import COLUMNS, number_of, printable, short, short_pair

LETTERS, SHORTEST = "ABCDEF", 12
"""The rankings that stand side by side, and how many characters of the id of a doc do at least."""
SHOWN, MOVING = 8, 10
"""How many sets that give a number, and how many changes that move one, are told one by one."""


def screen(told: Explanation, *, heading: bool) -> str:
    """The whole text; `heading`: whether it says which run is meant."""
    parts = [
        *([[f"{told.measure} of {printable(told.system)}"]] if heading else []),
        _wrapped(sentence(told)),
        *(list(_value(value)) for value in told.values),
        list(_today(told)),
        list(_side_by_side(told)),
        list(_sayings(told)),
        list(_read(told)),
        list(_exceptions(told)),
        list(_ties(told)),
        list(_effects(told)),
        list(_facts(told)),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _wrapped(text: str, indent: int = 0) -> list[str]:
    """The lines of a text; none of an empty one."""
    blank = " " * indent
    return wrap(
        text, COLUMNS, initial_indent=blank, subsequent_indent=blank, break_long_words=False, break_on_hyphens=False
    )


def _row(name: str, text: str, width: int) -> list[str]:
    """A name, and beside it what is said of it, folded within its column."""
    lines = wrap(text, COLUMNS - width - 4, break_long_words=False, break_on_hyphens=False) or [""]
    if len(name) > width:
        return [f"  {name}", *(f"  {'':{width}}  {line}".rstrip() for line in lines if line)]
    return [f"  {name:{width}}  {lines[0]}".rstrip(), *(f"  {'':{width}}  {line}" for line in lines[1:])]


# -- who gives what --------------------------------------------------------------------------------------------------


def _sayings(told: Explanation) -> Iterator[str]:
    if len(told.sayings) == 1 and len(told.sayings[0].names) == 1:
        return
    yield f"what each gives, and why it is not what {told.sayings[0].names[0]} gives"
    alike = grouped(((value_of(saying.answers), tuple(_why(told, saying))), saying.names) for saying in told.sayings)
    for (value, why), names in alike.items():
        yield from _row(value, ", ".join(map(printable, chain(*names))), 8)
        for line in why:
            yield from _wrapped(line, 12)
    yield from _undetermined(told)


def _undetermined(told: Explanation) -> Iterator[str]:
    """What was taken where nothing decides, once for all of whom it is the same."""
    alike = grouped(
        (" ".join(f"{axis}={value}" for axis, value in axes.items()), name)
        for saying in told.sayings
        for name, axes in saying.undetermined.items()
    )
    for taken, names in alike.items():
        yield from _wrapped(f"undetermined for {', '.join(names)}, and taken as {taken}", 2)


def _who_may_take_it(told: Explanation, saying: ProfileAnswer, axis: str) -> list[str]:
    """The other ways of asking those who refuse the data that choose otherwise on the axis by which they do; none if all refuse it."""
    if not axis:
        return []
    refusing = getattr(saying.conventions, axis)
    ways = (pair for name in saying.names for pair in other_ways(name, told.measure).items())
    return [way for way, own in dict(ways).items() if getattr(own.conventions(told.measure), axis) != refusing]


def _why(told: Explanation, saying: ProfileAnswer) -> Iterator[str]:
    why = saying.attribution
    if not isinstance(saying.answers, Values):
        yield reason_of(saying.answers)
    changes = as_flags(told.measure)
    if isinstance(saying.answers, Refused) and saying.conventions.grades in OF_FLAGS and changes is not None:
        names = [name for name in saying.names if "=" not in name][:1]
        yield from (f"of rels made 0 and 1: --as '{name} {changes}'" for name in names)
    if isinstance(saying.answers, Refused):
        yield from (f"{way} may take it: --as {way}" for way in _who_may_take_it(told, saying, saying.answers.axis))
    parts = () if why is None else why.parts
    for part in parts:
        adds = "" if part.adds is None or len(parts) == 1 else f"{signed(to_float(part.adds))} by "
        yield f"{_of(part.queries, len(told.queries))}: {adds}{in_words(part.changes)}"
    if saying.conventions.ties == UNSPECIFIED and told.envelope.moved != ():
        yield "it keeps no order of tied docs that could be named: other values are possible"


def _exceptions(told: Explanation) -> Iterator[str]:
    if told.exceptions:
        yield "known exceptions that this data meets, by which what is given may be another"
    alike = grouped(((f"{met.reason} {met.link}".strip(), met.queries), met.name) for met in told.exceptions)
    for (reason, queries), names in alike.items():
        yield from _wrapped(f"{some_names(names)} in {_of(queries, len(told.queries))}: {reason}", 2)


def _read(told: Explanation) -> Iterator[str]:
    """Whose profile was read in a source; of those who are compared, with what a person has to know."""
    if not told.read:
        return
    whose = [f"{name} ({tool.whose})" for name, tool in told.read.items()]
    yield from _wrapped(f"read in a source, and not proved by a fingerprint: {', '.join(whose)}")
    compared = {name.partition(" ")[0] for saying in told.sayings for name in saying.names}
    notes = dict.fromkeys(tool.note for name, tool in told.read.items() if name in compared and tool.note)
    for note in notes:
        yield from _wrapped(note, 2)


# -- what an installed library says ----------------------------------------------------------------------------------


def _today(told: Explanation) -> Iterator[str]:
    for one in told.today:
        yield from _wrapped(printable(today_in_words(told, one)))
        for each in one.departures[:SHOWN]:
            said, by = short_pair(each.said, each.by_profile)
            yield from _row("mean" if each.query is None else printable(each.query), f"{said}, by its profile {by}", 12)
        if len(one.departures) > SHOWN:
            yield f"  and {len(one.departures) - SHOWN} more"
        if one.departures and one.unordered:
            yield from _wrapped(
                "it keeps no order of tied docs that could be named: its profile gives one of several values", 2
            )
        if one.departures and one.undetermined:
            taken = " ".join(f"{axis}={value}" for axis, value in one.undetermined.items())
            yield from _wrapped(f"undetermined in its profile, and taken as {taken}", 2)


# -- ranks side by side ----------------------------------------------------------------------------------------------


def _side_by_side(told: Explanation) -> Iterator[str]:
    one = told.side_by_side
    if one is None:
        return
    yield from _wrapped(f"ranks side by side, for query {printable(one.query)}")
    shown = min(one.count, len(LETTERS))
    alike: dict[tuple[int | None, str], list[str]] = {}
    for saying, ranking in zip(told.sayings, one.of, strict=True):
        value = short(reading_of(saying.answers, one.query))
        alike.setdefault((ranking, value), []).extend(map(printable, saying.names))
    for (ranking, value), names in alike.items():
        if ranking is None or ranking < shown:
            mark = "refused" if ranking is None else f"{LETTERS[ranking]}  {value}"
            yield from _row(mark, some_names(names), 9)
    if one.count > shown:
        yield f"  and {number_of(one.count - shown, 'more ranking')}, by --json"
    yield from _docs(one, shown)


def _docs(one: SideBySide, shown: int) -> Iterator[str]:
    """The docs as a table: what is known of each, and its ranks."""
    heading = ("doc", "rel", "score", "tie", *LETTERS[:shown])
    table = [heading, *(_cells(doc, one.depth)[: len(heading)] for doc in one.docs)]
    widths = [max(len(cells[column]) for cells in table) for column in range(len(heading))]
    widths[0] = max(min(widths[0], COLUMNS - 2 - sum(width + 2 for width in widths[1:])), SHORTEST)
    for cells in table:
        doc = cells[0] if len(cells[0]) <= widths[0] else f"{cells[0][: widths[0] - 1]}…"
        numbers = "".join(f"  {cell:>{width}}" for cell, width in zip(cells[1:], widths[1:], strict=True))
        yield f"  {doc:{widths[0]}}{numbers}".rstrip()
    if one.left_out:
        yield f"  and {one.left_out:,} more docs of which the ranks differ"


def _cells(doc: Placed, depth: int) -> list[str]:
    """A doc in words; a rank below the depth in brackets."""
    ranks = []
    for found in doc.ranks:
        first, last = found or (0, 0)
        text = "" if found is None else str(first) if first == last else f"{first}-{last}"
        ranks.append(f"({text})" if first > depth else text)
    rel = "" if doc.rel is None else f"{float(doc.rel):.6g}"
    score = "" if doc.score is None else f"{doc.score:.9g}"
    return [printable(doc.doc), rel, score, str(doc.tied or ""), *ranks]


# -- ties ------------------------------------------------------------------------------------------------------------


def _ties(told: Explanation) -> Iterator[str]:
    ties, count = told.envelope, len(told.queries)
    yield "ties"
    if ties.single:
        yield from _wrapped(f"scores that differ as float64 are the same as float32 in {_of(ties.single, count)}", 2)
    if not ties.tied:
        yield "  no two docs retrieved for a query have the same score"
        return
    across = f", across rank {told.measure.k} in {len(ties.across)}" if told.measure.k is not None else ""
    yield from _wrapped(f"docs retrieved for a query have the same score in {_of(ties.tied, count)}{across}", 2)
    worst, expected, best = (value_of(answers) for answers in ties.ends.values())
    yield from _wrapped(f"in the worst order {worst}, over all orders {expected}, in the best {best}", 2)
    moved = "which queries that moves cannot be told" if ties.moved is None else f"that moves {_of(ties.moved, count)}"
    yield f"  {moved}"


def _of(queries: Sequence[str], count: int) -> str:
    return f"{len(queries)} of {number_of(count, 'query', 'queries')}"


# -- what else can matter --------------------------------------------------------------------------------------------


def _effects(told: Explanation) -> Iterator[str]:
    if told.effects is None:
        yield "what every convention would do was not worked out, as there is much data"
        return
    yield f"what one change of standard does; by standard: {value_of(told.plain)}"
    moving = grouped(
        ((effect.axis, _does(effect), len(effect.moved)), effect.value)
        for effect in sorted(told.effects, key=lambda effect: -len(effect.moved))
        if effect.moved or value_of(effect.answers) != value_of(told.plain)
    )
    for (axis, does, _), values in list(moving.items())[:MOVING]:
        yield from _row(f"{axis}={', '.join(values)}", f"{does}: {AXES[axis].phrase(values[0])}", 24)
    if len(moving) > MOVING:
        yield f"  and {len(moving) - MOVING} more, by --json"
    idle = sorted({effect.axis for effect in told.effects} - {axis for axis, _, _ in moving})
    if idle:
        yield from _wrapped(f"no effect here: {', '.join(idle)}", 2)


def _does(effect: ChangeEffect) -> str:
    """What a change does, in short."""
    if not isinstance(effect.answers, Values):
        return "refused" if isinstance(effect.answers, Refused) else "cannot be told"
    moves = "one query" if len(effect.moved) == 1 else f"{len(effect.moved)} queries"
    return f"{value_of(effect.answers)}, moves {moves if effect.moved else 'none'}"


def _facts(told: Explanation) -> Iterator[str]:
    if not told.facts:
        return
    yield f"what the data has, in how many of {len(told.queries)} queries, and how many in all"
    for fact in told.facts:
        count = f": {fact.count:,}" if fact.count != len(fact.queries) else ""
        yield from _row(f"{len(fact.queries)}", f"{fact.what}{count}", 6)


# -- numbers that somebody printed -----------------------------------------------------------------------------------


def _value(value: Explained) -> Iterator[str]:
    text = value.wanted.text
    if value.uncut:
        yield from _wrapped(
            f"{text} is given by these without the cutoff: {some_names(value.uncut, len(value.uncut))}; with it:"
        )
    if not value.found:
        yield from _wrapped(f"{text}: {_unexplained(value)}")
        yield from _wrapped(_not_tried(value), 2)
        for defect, base in value.defects:
            yield from _wrapped(f"given by {base.names[0]} where {defect.sentence} ({defect.name})", 2)
        for near in value.nearest:
            mean, _ = short_pair(to_float(near.mean), to_float(value.wanted.value))
            yield from _row(mean, f"nearest: {who(near)}", 10)
        return
    count = len(value.found) + value.more
    care = "another way to get it is not excluded" if count == 1 else "nothing here says which of them was used"
    yield from _wrapped(f"{text} is given by {'one set' if count == 1 else f'{count} sets'} of conventions; {care}")
    for found in value.found[:SHOWN]:
        how = "by ties" if found.ends is not None else "exactly" if found.exact else short(to_float(found.mean))
        yield from _row(how, _set(found), 10)
    if len(value.found) > SHOWN:
        yield f"  and {len(value.found) - SHOWN} more"
    if value.more:
        sets = "one less common set gives" if value.more == 1 else f"{value.more:,} less common sets give"
        yield from _wrapped(f"{sets} each query the same value as one of these", 2)
    yield from _wrapped(_chance(value), 2)
    yield from _wrapped(_not_tried(value), 2)


def _not_tried(value: Explained) -> str:
    """What was not tried, as the time was over."""
    what = ", ".join(value.not_tried)
    return f"the time was over; not tried, or not wholly: {what}; --seconds 600 gives it more time" if what else ""


def _chance(value: Explained) -> str:
    """How much it says that the first gives the number, where that is nothing that is known as it is."""
    if value.found[0].ends is not None:
        return "any number that some order of these docs gives would be explained so"
    if value.by_chance is None or value.found[0].kind == Commonness.AS_IT_IS:
        return ""
    count = round(value.by_chance)
    many = "fewer than one" if value.by_chance < 1 else f"about {count:,}"
    return f"{value.tried:,} sets were tried; by chance, {many} would give a number of so many digits here"


def _set(found: ValueMatch) -> str:
    changes = " ".join(f"{axis}={after}" for axis, (_, after) in found.changes.items())
    return f"{who(found)} [{changes}]" if changes else who(found)


def _unexplained(value: Explained) -> str:
    if value.not_tried:
        return f"of {value.tried:,} sets of conventions that were tried, none gives it"
    tried = f"no profile of a library gives it, and none of {value.tried:,} sets of conventions that were tried"
    if value.defects:
        return f"{tried}; an error that has a name does"
    return f"{tried}, nor any of {len(value.defects_tried)} errors that have a name"


def places(found: Sequence[tuple[str, str]], count: int) -> str:
    """Which of several runs can change places by the order of their tied docs."""
    if not found:
        return "whatever the order of tied docs, no two runs change places"
    named = ", ".join(f"{printable(a)} and {printable(b)}" for a, b in found[:SHOWN])
    more = f" and {number_of(len(found) - SHOWN, 'more pair')}" if len(found) > SHOWN else ""
    return f"by the order of tied docs alone, either can be ahead, of {count} runs: {named}{more}"
