"""Text of an explanation: the values, the causes of a difference, the query that differs most, and the effect of ties.

The page of `explain --html` shows the same sentences.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from rankproof import codec
from rankproof.evaluate.library_profiles import other_ways
from rankproof.explain.attribution import Attribution, Changed, Part
from rankproof.explain.explanation import Explanation, ProfileAnswer
from rankproof.explain.library_run import LibraryAnswer
from rankproof.explain.number_search import Explained, ValueMatch
from rankproof.explain.printed_values import OF_FLAGS, as_flags
from rankproof.explain.side_by_side import Placed
from rankproof.grouping import grouped
from rankproof.inference.reference_answers import UNSPECIFIED, Answers, CannotTell, Refused, reading_of
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.shown import shortened
from rankproof.report.convention_words import instead
from rankproof.report.layout import MOST_LINES, aligned, chosen, fitted, joined, row, sentence, some_names
from rankproof.text import number_of, printable, short, short_pair, signed

MOST_CAUSES, MOST_VALUES = 3, 5
"""The maximum numbers of causes and of values without --details."""
ALL = 1_000
LETTERS = "ABCDEF"
"""The labels of rankings that are printed side by side."""
LONGEST_ID, LONGEST_NOTE = 40, 150
PAIR = 2
"""The number of tools, or of printed numbers, whose difference is explained in full."""
NUMBER = 11
"""The column of the text next to a number."""


def text_of(result: Explanation, *, details: bool = False, heading: bool = False) -> str:
    """Return an explanation in twelve lines, plus the ranking of a query; `heading` adds the name of the run."""
    most = ALL if details else MOST_CAUSES
    head = [f"{result.measure} of {id_of(result.system)}"] if heading else []
    parts = [[*head, *sentence(headline(result))], *_differences(result, most)]
    notes, ranking = list(_notes(result, details=details)), list(_side_by_side(result))
    if details:
        below = [*(line for note in notes for line in note), *_ties(result)]
        return "\n".join(fitted([*parts, below, *_details(result), ranking], most=ALL))
    foot = [*_ties(result), *([_more(result)] if len(result.sayings) > 1 or result.values else [])]
    kept = chosen(notes, MOST_LINES - sum(map(len, parts)) - len(foot))
    below = [line for place in kept for line in notes[place]] + foot
    return "\n".join([*fitted([*parts, below]), *([""] if ranking else []), *ranking])


def facts_of(result: Explanation) -> dict[str, Any]:
    """Return all facts of an explanation as plain data for JSON. Tools read from source have a name and links only."""
    data = codec.facts(replace(result, read={}))
    data["read"] = {name: {"tool": tool.whose, "sources": tool.sources} for name, tool in result.read.items()}
    data["headline"] = headline(result)
    return dict(data)


def id_of(text: str) -> str:
    """Return an id or name from a file, on one short line."""
    return shortened(printable(text), LONGEST_ID)


# -- the first line ----------------------------------------------------------------------------------------------------


def headline(result: Explanation) -> str:
    """Return the first line: the values, and the profiles that give them."""
    best = [(value, value.best) for value in result.values if value.best is not None]
    if result.between and len(result.values) == len(best) == PAIR:
        both = [f"{value.wanted.text} in {_sets(value, match)}" for value, match in best]
        return f"{result.measure} is {' and '.join(both)}."
    if result.values:
        return " ".join(f"{_origin(result, value)}." for value in result.values)
    groups = _by_value(result.sayings)
    raising = [name for value, names in groups if value == short(None) for name in names]
    if len(groups) > MOST_CAUSES:
        (first, names), *others = groups
        count = sum(len(names) for _, names in others)
        more = f" ({len(raising)} raise an exception)" if raising else ""
        results = f"{count} profiles of libraries give {len(others)} other results{more}"
        return f"{result.measure} is {first} in {some_names(names)}. {results}."
    values = [f"{value} in {some_names(names)}" for value, names in groups if value != short(None)]
    what = f"{result.measure} is {joined(values)}." if values else ""
    if not raising:
        return what
    reasons = dict.fromkeys(_reason_of(profile.answers) for profile in result.sayings if _reason_of(profile.answers))
    return f"{what} {some_names(raising)}: no value of {result.measure} ({printable('; '.join(reasons))}).".strip()


def _by_value(sayings: Sequence[ProfileAnswer]) -> list[tuple[str, list[str]]]:
    """Return each value with the names of the profiles that give it. Different values have different texts."""
    numbers = {reading_of(profile.answers, None) for profile in sayings}
    texts, groups = [short(number) for number in numbers], dict[str, list[str]]()
    for profile in sayings:
        number = reading_of(profile.answers, None)
        is_ambiguous = isinstance(number, float) and texts.count(short(number)) > 1
        value = repr(number) if is_ambiguous else _value_of(profile.answers)
        groups.setdefault(value, []).extend(map(id_of, profile.names))
    return list(groups.items())


def _value_of(answers: Answers) -> str:
    """Return the mean as text."""
    return "unknown" if isinstance(answers, CannotTell) else short(reading_of(answers, None))


def _reason_of(answers: Answers) -> str:
    """Return why a value is missing, or an empty text."""
    return answers.reason if isinstance(answers, Refused | CannotTell) else ""


def _origin(result: Explanation, value: Explained) -> str:
    """Return which profiles, libraries or conventions give a printed number."""
    what = f"{value.wanted.text} is {result.measure}"
    if returned := [answer.name for answer in result.libraries if answer.gives(value.wanted)]:
        return f"{what} as returned by {some_names(returned)}"
    if value.uncut:
        return f"{value.wanted.text} is {result.measure.name} without the cutoff in {some_names(value.uncut)}"
    if value.best is not None:
        return f"{what} in {_sets(value, value.best)}"
    if value.found:
        chance = f", and about {round(value.by_chance):,} match by chance" if value.by_chance else ""
        count = number_of(len(value.found) + value.more, "set")
        return f"No known profile gives {value.wanted.text}. {count} with several changes of standard do{chance}"
    time = f". The time ran out before {', '.join(value.not_tried)} (--seconds 600)" if value.not_tried else ""
    return f"No profile gives {value.wanted.text}, nor do {value.tried:,} sets of conventions{time}"


def _sets(value: Explained, best: ValueMatch) -> str:
    """Return the best set of conventions that gives a number, and the number of other and of chance matches."""
    count = len(value.found) - 1 + value.more
    more = [f"or {number_of(count, 'other set')} of conventions"] if count else []
    chance = round(value.by_chance or 0) if best.changes else 0
    more += [f"of {value.tried:,} sets, about {chance:,} match by chance"] if chance else []
    return _set(best) + (f" ({', '.join(more)})" if more else "")


def _set(match: ValueMatch) -> str:
    """Return a set of conventions: names of profiles and changed conventions."""
    names = match.base.names[:1] if match.changes else match.base.names
    changed = f" with {in_words(match.changes)}" if match.changes else ""
    what = some_names([*map(id_of, names)]) + changed
    if match.ends is not None:
        least, greatest = short_pair(to_float(match.ends.least), to_float(match.ends.greatest))
        return f"{what} in some order of tied documents ({least} to {greatest})"
    return f"{what} with tied documents in input order" if match.conventions.ties == UNSPECIFIED else what


# -- differences -------------------------------------------------------------------------------------------------------


def _differences(result: Explanation, most: int) -> Iterator[list[str]]:
    """Yield the parts between the first line and the notes: causes, values of several tools, or nearest values."""
    for between in result.between:
        first, second = between.texts
        head = sentence(f"From {first} to {second}:", 2) if len(result.between) > 1 else []
        order = sentence("The order of tied documents also differs.", 2) if between.open else []
        yield [*head, *order, *causes(result, between.attribution, most)]
    for value in result.values:
        near = ((_mean_of(match, value), f"nearest, in {_set(match)}") for match in value.nearest[:most])
        yield [line for mean, text in near for line in row(mean, text, width=NUMBER)]
    if len(result.sayings) == PAIR and not result.values:
        why = result.sayings[1].attribution
        yield causes(result, why, most) if why is not None else []
    elif len(result.sayings) > 1 and not result.values and most < ALL:
        yield list(_table(result))


def _table(result: Explanation) -> Iterator[str]:
    """Yield the value of the first profile, and the most common other values."""
    first, *others = _by_value(result.sayings)
    others.sort(key=lambda group: -len(group[1]))
    for value, names in [first, *others[:MOST_VALUES]]:
        yield from row(value, some_names(names), width=NUMBER)[:2]
    if len(others) > MOST_VALUES:
        yield f"  and {number_of(len(others) - MOST_VALUES, 'other result')}"


def causes(result: Explanation, why: Attribution, most: int = ALL) -> list[str]:
    """Return the causes of a difference as rows, the largest first, with their sum and the query that differs most."""
    parts = sorted(why.parts, key=_heaviest)
    lines = [line for part in parts[:most] for line in row(_adds(part.adds), _cause(result, part), width=NUMBER)]
    if rest := parts[most:]:
        lines += row(_adds(_sum(rest)), number_of(len(rest), "smaller cause"), width=NUMBER)
    if len(parts) > 1 and all(part.adds is not None for part in parts):
        total = _adds(_sum(parts))
        lines += [f"  {'-' * len(total)}", f"  {total}"]
    if why.largest is not None:
        query, before, after = why.largest
        first, second = short_pair(before, after)
        look = "" if result.side_by_side is not None else f" (--query {id_of(query)})"
        lines += [*sentence(f"Largest difference: query {id_of(query)}, {first} and {second}{look}.", 2)]
    return lines


def _sum(parts: Sequence[Part]) -> Fraction | None:
    """Return the sum of the known contributions to the mean, or None."""
    known = [part.adds for part in parts if part.adds is not None]
    return sum(known, Fraction(0)) if known else None


def _heaviest(part: Part) -> tuple[Fraction, int]:
    return -abs(part.adds or Fraction(0)), -len(part.queries)


def _adds(value: Fraction | None) -> str:
    return "" if value is None else signed(to_float(value))


def _cause(result: Explanation, part: Part) -> str:
    return f"{in_words(part.changes)} ({_queries(part.queries, len(result.queries))})"


def in_words(changes: Changed) -> str:
    """Return changes of conventions, each with the replaced convention."""
    return joined([instead(axis, before, after) for axis, (before, after) in changes.items()])


def _queries(queries: Sequence[str], count: int) -> str:
    return f"{len(queries)} of {_queries_of(count)}"


def _queries_of(count: int) -> str:
    return number_of(count, "query", "queries")


# -- ties and notes ----------------------------------------------------------------------------------------------------


def _ties(result: Explanation) -> list[str]:
    ties, whose = result.envelope, id_of(result.sayings[0].names[0])
    if not ties.tied:
        return []
    worst, best = (reading_of(ties.ends[end], None) for end in ("worst", "best"))
    if ties.moved == ():
        return sentence(f"Ties do not change the value of {whose}.", 2)
    if not isinstance(worst, float) or not isinstance(best, float):
        return sentence("The effect of ties is unknown: they have too many orders, or the input is refused.", 2)
    low, high = short_pair(worst, best)
    return sentence(f"Ties alone can change the value of {whose} from {low} to {high}.", 2)


def _notes(result: Explanation, *, details: bool) -> Iterator[list[str]]:
    """Yield notes: results of libraries, undetermined axes, known exceptions, and tools read from source."""
    for answer in result.libraries:
        yield sentence(_library(answer), 2)
    if len(result.sayings) > MOST_CAUSES and not details:
        return
    for profile in result.sayings:
        if profile.conventions.ties == UNSPECIFIED and result.envelope.moved != ():
            whose = some_names([*map(id_of, profile.names)])
            yield sentence(f"Other values are possible in {whose}: the order of tied documents is not fixed.", 2)
        if ways := _ways(result, profile):
            yield sentence(f"To include {id_of(profile.names[0])}: --as {' or --as '.join(ways)}.", 2)
    alike = grouped(
        (tuple(axes.items()), name) for profile in result.sayings for name, axes in profile.undetermined.items()
    )
    for axes, names in alike.items():
        taken = " ".join(f"{axis}={value}" for axis, value in axes)
        yield sentence(f"Undetermined for {some_names(names)}, assumed {taken}.", 2)
    met = grouped(((e.reason, e.link, e.queries), e.name) for e in result.exceptions)
    for (reason, link, queries), names in met.items():
        text = f"{some_names(names)} may differ in {_queries(queries, len(result.queries))}: {printable(reason)}"
        yield sentence(f"{text} {link}".rstrip() if details else shortened(text, LONGEST_NOTE), 2)
    if result.read and not details:
        yield sentence(f"Read in their source, not observed: {some_names([*map(id_of, result.read)])}.", 2)
    for name, tool in result.read.items() if details else ():
        yield sentence(f"{id_of(name)} was read in its source ({tool.whose}), not observed. {tool.note}".rstrip(), 2)


def _ways(result: Explanation, profile: ProfileAnswer) -> list[str]:
    """Return profiles that accept the input, if this profile refuses it."""
    if not isinstance(profile.answers, Refused):
        return []
    changes = as_flags(result.measure)
    if profile.conventions.grades in OF_FLAGS and changes is not None:
        return [f"'{name} {changes}'" for name in profile.names[:1] if "=" not in name]
    axis, accepted = profile.answers.axis, dict[str, None]()
    for name in profile.names if axis else ():
        for way, own in other_ways(name, result.measure).items():
            if getattr(own.conventions(result.measure), axis) != getattr(profile.conventions, axis):
                accepted[way] = None
    return list(accepted)


def _more(result: Explanation) -> str:
    two = "--as A --as B explains a difference, " if len(result.sayings) > MOST_CAUSES and not result.values else ""
    return f"  More: {two}--details"


def _library(answer: LibraryAnswer) -> str:
    """Return a comparison of the values of a library with its profile."""
    if answer.trouble:
        return printable(f"{answer.name}: {answer.trouble}.")
    profile = "its profile" if answer.profile == answer.name else f"the profile of {answer.profile}"
    differences = [query for query in answer.differences if query is not None]
    same = answer.compared - len(differences)
    what = f"{answer.name} returns {'a different mean than' if answer.differences else 'the mean of'} {profile}"
    if answer.compared:
        what = f"{answer.name} returns the values of {profile} on {same} of {_queries_of(answer.compared)}"
    examples = [
        f"{'mean' if query is None else f'query {id_of(query)}'}: {returned} instead of {expected}"
        for query, pair in [*answer.differences.items()][:MOST_CAUSES]
        for expected, returned in (short_pair(*pair),)
    ]
    more = len(answer.differences) - len(examples)
    why = ": the order of tied documents is not fixed" if answer.unordered and answer.differences else ""
    return "; ".join([what + why, *examples]) + (f" and {more} more." if more else ".")


# -- details -----------------------------------------------------------------------------------------------------------


def _details(result: Explanation) -> Iterator[list[str]]:
    """Yield all details: each value with its causes, matching sets, and tied documents."""
    if len(result.sayings) > PAIR or result.values:
        yield [line for profile in result.sayings for line in _profile_lines(result, profile)]
    for value in result.values:
        yield [line for match in value.found for line in row(_mean_of(match, value), _set(match), width=NUMBER)]
    if result.envelope.tied:
        across = (
            "" if result.measure.k is None else f", across rank {result.measure.k} in {len(result.envelope.across)}"
        )
        yield sentence(f"Tied documents in {_queries(result.envelope.tied, len(result.queries))}{across}.", 2)


def _profile_lines(result: Explanation, profile: ProfileAnswer) -> Iterator[str]:
    yield from row(_value_of(profile.answers), ", ".join(map(id_of, profile.names)), width=NUMBER)
    if reason := _reason_of(profile.answers):
        yield from sentence(printable(reason), NUMBER, NUMBER)
    for part in sorted(profile.attribution.parts, key=_heaviest) if profile.attribution else ():
        adds = f"{_adds(part.adds)}: " if part.adds is not None else ""
        yield from sentence(adds + _cause(result, part), NUMBER, NUMBER + 2)


def _mean_of(match: ValueMatch, value: Explained) -> str:
    return short_pair(to_float(match.mean), to_float(value.wanted.value))[0]


# -- a ranking ---------------------------------------------------------------------------------------------------------


def _rankings_of(result: Explanation) -> list[tuple[str, str, list[str]]]:
    """Return the letter, value and profiles of each ranking of the printed query."""
    side = result.side_by_side
    alike: dict[tuple[str, str], list[str]] = {}
    for profile, ranking in zip(result.sayings, side.of if side is not None else (), strict=False):
        letter = "refused" if ranking is None else LETTERS[ranking] if ranking < len(LETTERS) else "…"
        value = short(reading_of(profile.answers, side.query if side is not None else None))
        alike.setdefault((letter, value), []).extend(map(id_of, profile.names))
    return [(letter, value, names) for (letter, value), names in alike.items()]


def _side_by_side(result: Explanation) -> Iterator[str]:
    side = result.side_by_side
    if side is None:
        return
    yield f"  Ranks for query {id_of(side.query)}"
    for letter, value, names in _rankings_of(result):
        yield from row(f"{letter}  {value}", some_names(names), width=NUMBER + 4)
    heading = ("document", "grade", "score", "tie", *LETTERS[: side.count])
    table = [heading, *(_cells(doc, side.depth)[: len(heading)] for doc in side.docs)]
    yield from (f"  {line}" for line in aligned(table, 1, "  "))
    if side.left_out:
        yield f"  and {side.left_out:,} more documents whose ranks differ"


def _cells(doc: Placed, depth: int) -> list[str]:
    """Return a document as cells of a table, with ranks below the depth in brackets."""
    ranks = []
    for first, last in (span or (0, 0) for span in doc.ranks):
        text = "" if not first else str(first) if first == last else f"{first}-{last}"
        ranks.append(f"({text})" if first > depth else text)
    grade = "" if doc.rel is None else f"{float(doc.rel):.6g}"
    score = "" if doc.score is None else f"{doc.score:.9g}"
    return [id_of(doc.doc), grade, score, str(doc.tied or ""), *ranks]


def as_json(explanations: Sequence[Explanation]) -> str:
    """Return explanations as JSON."""
    return codec.encode({"explanations": [facts_of(explanation) for explanation in explanations]}, indent=1)
