"""What is explained, in a sentence that stands first: the numbers, who gives them, and the queries that decide."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from textwrap import wrap
from typing import TYPE_CHECKING

from rankproof.explain.attribution import Attribution, Changed, Part
from rankproof.explain.explanation import Explanation, ProfileAnswer
from rankproof.explain.library_today import Today
from rankproof.explain.number_search import Explained, ValueMatch
from rankproof.explain.printed_values import Between
from rankproof.grouping import grouped
from rankproof.inference.reference_answers import UNSPECIFIED, Answers, CannotTell, Refused, Values, reading_of
from rankproof.measure_forms import cut_at, cutoff_of
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.shown import shortened
from rankproof.text import COLUMNS, printable, short, short_pair
from rankproof.workers.same_answers import alike

if TYPE_CHECKING:
    from rankproof.workers.observations import Reading

NAMED, LED = 3, 2
"""How many queries, names or values are named one by one, and how many causes."""
LINES = 2
"""How many lines of a terminal the comparison takes, where fewer names and causes make it so short."""
LONGEST = 40
"""How many characters of the id of a query are shown."""
REFUSED = short(None)
OF_THE_ORDER = frozenset({"order", "ties", "score"})
_OTHER_ORDERS = {"input": "row below one of a lower score", "rank": "rank below that of a lower score"}
"""What must not be so for a ranking by something else than the score to differ in ties alone."""


def sentence(told: Explanation) -> str:
    """What is to be known first of a run and a measure."""
    said = [*(_given(told, value) for value in told.values), *(_turned(told, one) for one in told.between)]
    return " ".join(f"{one}." for one in [*said, _compared(told), *_of_exceptions(told), *_of_ties(told)])


def _turned(told: Explanation, one: Between) -> str:
    """What turns a number into the next."""
    what = _difference(told, one.attribution)
    if one.open:
        ties = f"the order of tied docs, in {_of_queries(told, told.envelope.tied)}"
        what = f"{ties}; beside it, {what}" if what else ties
    first, second = one.texts
    return f"From {first} to {second}, by what is known best of these, {what}"


def _of_queries(told: Explanation, queries: Sequence[str]) -> str:
    return f"{'one query' if len(queries) == 1 else f'{len(queries)} queries'} of {len(told.queries)}"


def _given(told: Explanation, value: Explained) -> str:
    """What gives a number that somebody printed."""
    what = f"{told.measure} {value.wanted.text}"
    if value.observed:
        return f"{what} is what {some_names([*value.observed])} returned"
    if value.uncut:
        return f"{what} is {cut_at(told.measure, None)}, without the cutoff, by {some_names(value.uncut)}"
    if value.best is not None:
        others = [match for match in value.found if match is not value.best]
        count = len(others) + value.more
        more = f", and by {_counted(count, 'other set')} of conventions" if count else ""
        return f"{what} {_how(value.best)} {who(value.best)}{more}{_by_chance(value)}"
    nobody = f"No known profile, and no change of one, gives {what}"
    if value.found:
        chance = "" if value.by_chance is None else f", where about {round(value.by_chance):,} would by chance"
        return f"{nobody}; {_counted(len(value.found) + value.more, 'set')} of several changes of standard do{chance}"
    errors = [f"{base.names[0]} where {defect.sentence}" for defect, base in value.defects]
    if errors:
        return f"{what} is given by {_and(errors[:NAMED])}"
    return f"Nothing that was tried gives {what}" + ", and not all was tried" * bool(value.not_tried)


def _by_chance(value: Explained) -> str:
    """How many of the sets that were tried give a number by chance, if it is given by a changed profile and they are several."""
    count = round(value.by_chance or 0)
    is_changed = value.best is not None and value.best.changes
    return f" (of {value.tried:,} sets, about {count:,} would by chance)" if is_changed and count else ""


def _how(match: ValueMatch) -> str:
    """Whether a set gives a number, rounds to it, or gives it in some order of tied docs."""
    if match.ends is not None:
        return "may be given by"
    return "is given exactly by" if match.exact else "is given, rounded, by"


def who(found: ValueMatch) -> str:
    """A set of conventions: a profile, and what is changed of it; and of how much the order of tied docs leaves open."""
    names = found.base.names if not found.changes else found.base.names[:1]
    what = some_names([printable(name) for name in names]) + (
        f", but {in_words(found.changes)}" if found.changes else ""
    )
    if found.ends is not None:
        least, greatest = short_pair(to_float(found.ends.least), to_float(found.ends.greatest))
        return f"{what}, which in some order of tied docs gives {least} to {greatest}"
    unnamed = found.conventions.ties == UNSPECIFIED
    return f"{what}, if tied docs come out as they went in" if unnamed else what


def _compared(told: Explanation) -> str:
    """Who gives what, and why; shorter where it would be long: fewer names and causes, as all of them stand in the table."""
    forms = [_compared_by(told, named, led) for named, led in ((NAMED, LED), (NAMED, 1), (1, 1), (1, 0))]
    return next((one for one in forms if len(wrap(f"{one}.", COLUMNS)) <= LINES), forms[-1])


def _compared_by(told: Explanation, named: int, led: int) -> str:
    """The same, with so many names of each value and so many causes; with none, the heaviest, and not what it does to the number."""
    may_depart = {met.name for met in told.exceptions}
    each = [(value, [name for name in names if name not in may_depart]) for value, names in by_value(told.sayings)]
    values = [(value, names) for value, names in each if names]
    numbers = [(value, names) for value, names in values if value != REFUSED]
    refusing = [name for value, names in values if value == REFUSED for name in names]
    if not values:
        value, names = next(iter(by_value(told.sayings)))
        return f"{told.measure} is {value} by the profile of {some_names(names, named)}"
    if not numbers:
        return _refused(told, may_depart)
    what = f"{told.measure} is {_and([f'{value} by {some_names(names, named)}' for value, names in numbers[:NAMED]])}"
    if len(numbers) > NAMED:
        others = [name for _, names in numbers[NAMED:] for name in names]
        what = f"{what}, and {_counted(len(numbers) - NAMED, 'other value')} by {some_names(others, named)}"
    if refusing:
        what = f"{what}; {some_names(refusing, named)} refuse{'s' * (len(refusing) == 1)} the input"
    return f"{what}{_why(told, led)}"


def _counted(count: int, what: str) -> str:
    return f"one {what}" if count == 1 else f"{count:,} {what}s"


def _refused(told: Explanation, may_depart: Collection[str]) -> str:
    """Who has no value, by each reason; but for those who may give something else than their profile."""
    names_by: dict[str, list[str]] = {}
    for saying in told.sayings:
        names_by.setdefault(reason_of(saying.answers), []).extend(n for n in saying.names if n not in may_depart)
    each = (f"by {some_names(names)}: {reason}" for reason, names in names_by.items() if names)
    return f"{told.measure} has no value {printable('; '.join(each))}"


def reason_of(answers: Answers) -> str:
    """Why there is no answer; nothing where there is one."""
    return answers.reason if isinstance(answers, Refused | CannotTell) else ""


def by_value(sayings: Iterable[ProfileAnswer]) -> list[tuple[str, list[str]]]:
    """Each value, with the names of those who give it, in the order in which they come; no two that differ look the same."""
    found: list[tuple[Reading | None, str, list[str]]] = []
    for saying in sayings:
        value, text = reading_of(saying.answers, None), value_of(saying.answers)
        same = next((names for other, said, names in found if alike(value, other) and said == text), None)
        if same is None:
            found.append((value, text, same := []))
        same += saying.names
    texts = [text for _, text, _ in found]
    return [(repr(value) if texts.count(text) > 1 else text, names) for value, text, names in found]


def value_of(answers: Answers) -> str:
    """The mean in short."""
    return "cannot be told" if isinstance(answers, CannotTell) else short(reading_of(answers, None))


def _why(told: Explanation, led: int) -> str:
    """Return the parts with the largest effect; none if an answer is missing."""
    parts = _parts(told)
    if parts:
        shown, is_long = max(led, 1), len(parts) > 1 and led > 0
        left = max(0, len(parts) - shown)
        more = f"; {_counted(left, 'more cause') if led else f'{left} more'} below" if left else ""
        each = [f"{part_in_words(told, part)}{_adding(part) * is_long}" for part in parts[:shown]]
        return f": {'; '.join(each)}{more}"
    several = sum(len(saying.names) for saying in told.sayings) > 1
    return ": no query differs" if several and all(isinstance(s.answers, Values) for s in told.sayings) else ""


def _of_exceptions(told: Explanation) -> Iterator[str]:
    """Who may give something else than what is said of it."""
    if names := list(dict.fromkeys(met.name for met in told.exceptions)):
        their = "its profile" if len(names) == 1 else "their profiles"
        yield f"{some_names(names)} may give something else than {their}, by known exceptions that this data meets"


def _of_ties(told: Explanation) -> Iterator[str]:
    """That ties cannot matter, where it is so."""
    ties = told.envelope
    if not ties.tied and not ties.single:
        yield "No two docs retrieved for a query have the same score, so no rule for ties among them can touch it"
    elif ties.moved == () and not ties.single:
        yield "By standard it is the same in every order of the tied docs"


def _parts(told: Explanation) -> list[Part]:
    """Return the parts of all differences, the largest effect first; parts with the same words are merged."""
    parts = [part for saying in told.sayings if saying.attribution is not None for part in saying.attribution.parts]
    found = grouped(
        ((*part.changes, *(() if _of_the_order(told, part) else part.changes.values())), part) for part in parts
    )
    return sorted((min(same, key=_heaviest) for same in found.values()), key=_heaviest)


def _heaviest(part: Part) -> tuple[Fraction, int, int]:
    """What sorts parts by how much they add to the mean or take from it, and then by their queries."""
    return -abs(part.adds or Fraction(0)), -len(part.queries), len(part.changes)


def part_in_words(told: Explanation, part: Part) -> str:
    """The queries that some changes move, and the changes."""
    if not part.queries:
        return f"no query differs, but {in_words(part.changes)}"
    differ = f"differ{'s' * (len(part.queries) == 1)} by {in_words(part.changes)}"
    return f"{_queries(told, part.queries)} {_of_the_order(told, part) or differ}"


def _adding(part: Part) -> str:
    """What some changes do to the number."""
    if part.adds is None:
        return ""
    does = "adds" if part.adds > 0 else "takes off"
    return f", which {does} {short(to_float(abs(part.adds)))}" if part.adds else ", which leaves the mean"


def signed(value: float) -> str:
    """A number with its sign."""
    return f"+{short(value)}" if value > 0 else short(value)


def _of_the_order(told: Explanation, cause: Part) -> str:
    """What is said where nothing but the order of tied docs decides; nothing where it is otherwise."""
    have = "has" if len(cause.queries) == 1 else "have"
    if not set(cause.changes) <= OF_THE_ORDER or not set(cause.queries) <= set(told.envelope.tied):
        return ""
    others = {_OTHER_ORDERS.get(order) for order in cause.changes.get("order", ())}
    unordered = {query for fact in told.facts if fact.what in others for query in fact.queries}
    if "score" in cause.changes or not unordered.isdisjoint(cause.queries):
        return ""
    across = set(told.envelope.across) - (set() if told.measure.definition.is_ratio else set(told.envelope.above))
    if set(cause.queries) <= across:
        return f"{have} a tie across rank {cutoff_of(told.measure)}"
    return f"{have} tied docs whose order counts"


def in_words(changes: Changed) -> str:
    """Some changes: what is done, and what is done instead."""
    return _and(
        [f"{AXES[axis].phrase(after)} (not {AXES[axis].phrase(before)})" for axis, (before, after) in changes.items()]
    )


def _queries(told: Explanation, queries: Sequence[str]) -> str:
    """So many queries of all; by name where they are few."""
    named = f", {_and([shortened(printable(query), LONGEST) for query in queries])}," if len(queries) <= NAMED else ""
    return f"{_of_queries(told, queries)}{named}"


def some_names(names: Sequence[str], most: int = NAMED) -> str:
    """Some names: all where they are few, else the first and how many more."""
    if len(names) <= most:
        return _and(list(names))
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def _and(parts: Sequence[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def today_in_words(told: Explanation, one: Today) -> str:
    """Whether an installed library says what its profile says."""
    if one.trouble:
        return f"{one.name}: {one.trouble}"
    count, apart = len(told.queries), [each for each in one.departures if each.query is not None]
    profile = "its profile" if one.profile == one.name else f"its profile, that of {one.profile},"
    if not one.compared:
        return f"{one.name} {'does not say' if one.departures else 'says'} the mean that {profile} gives; it tells no queries"
    what = f"{one.name} says what {profile} says on {count - len(apart)} of {count} queries"
    if apart:
        what += f"; not on {some_names([shortened(printable(each.query), LONGEST) for each in apart])}"
    elif one.departures:
        what += ", and another mean"
    return what


def _difference(told: Explanation, why: Attribution) -> str:
    """Return what turns one value into the other; nothing if they are equal."""
    parts = sorted(why.parts, key=_heaviest)
    more = f"; {_counted(len(parts) - NAMED, 'more cause')}" if len(parts) > NAMED else ""
    return "; ".join(part_in_words(told, part) for part in parts[:NAMED]) + more
