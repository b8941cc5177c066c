"""Drift: what moved between two results files, and the conventions behind it.

A *question* is a measure of a case, put to a variant of a library. Where both files have it, whatever differs in its answer is a move:
another value, another error, another verdict. What failed and now holds is fixed; what fails now and did not before is newly failing. Where
only NEW has the question, the answer is new. Where only OLD has it, the answer is lost if NEW put the question to that library and the
variant (or the library) is not there any more, which is a move as well; it is gone if NEW did not ask.

Two numbers are one if they are equal or within float noise (1e-12 relative); two errors, if they are the same but for paths, addresses and
the like. An error of the same type, expected and said in other words, is worded otherwise, and is no move. A value that an honest library
may give either way (`ties=unspecified`, a case tagged undefined) moves like any other.

A sheet speaks of one version, so that the answers of another one are often unexplained. Where changing one convention gives most of them,
that convention is told as a guess.
"""

import fnmatch
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from rankproof import cases as corpus
from rankproof.observations import Reading
from rankproof.oracle import Oracle, Refused
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, UnknownConvention, parse_conventions
from rankproof.reference_impl.evaluation import NotPooled
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.ties import TooManyOrders
from rankproof.report import markdown_safe, short
from rankproof.results import BadResults, Results, Truncated, load
from rankproof.sheets import Sheet, libraries, steady
from rankproof.verdicts import FAILS, HOLDS, LEAST, Row, Verdict, reading_of, same

RESULTS = "results.jsonl"
NOISE = 1e-12

Question = tuple[str, str, str, str]
"""Library, variant, case, measure."""


class Kind(StrEnum):
    """What became of an answer."""

    FAILING = "newly failing"
    """It fails now, and did not before, or was not asked before."""
    MOVED = "moved"
    """Its value, error or verdict changed."""
    LOST = "lost"
    """The question was asked, of a library or variant that is not there any more."""
    FIXED = "fixed"
    """It failed, and holds now."""
    CLAIMED = "claimed otherwise"
    """It is the same answer, and other conventions are given for it."""
    WORDED = "worded otherwise"
    """It is an error of the same type, as expected, in other words."""
    NEW = "new"
    """The question was not asked before."""
    GONE = "gone"
    """The question is not asked any more."""


MOVES = frozenset({Kind.FAILING, Kind.MOVED, Kind.LOST})
BY_ANSWER = (Kind.FAILING, Kind.MOVED, Kind.FIXED, Kind.CLAIMED)
"""The kinds that have an answer on both sides worth comparing, the gravest first."""


class NothingCompared(ValueError):
    """The files, or the parts of them that were asked for, have no row."""


@dataclass(frozen=True, slots=True)
class Change:
    """One answer that is not what it was; a side is None where there is no answer."""

    kind: Kind
    old: Row | None
    new: Row | None

    @property
    def row(self) -> Row:
        """The row that says where it is."""
        sides = [row for row in (self.new, self.old) if row is not None]
        return next((row for row in sides if row.query is not None), sides[0])

    @property
    def size(self) -> float | None:
        """How far a number moved; None where it is no number on both sides."""
        values = [row.value for row in (self.old, self.new) if row is not None and isinstance(row.value, int | float)]
        if len(values) < 2 or not all(math.isfinite(value) for value in values):  # noqa: PLR2004 - both sides
            return None
        return abs(values[0] - values[1])


@dataclass(frozen=True, slots=True)
class Group:
    """Answers that changed for one cause, in one measure of one variant; of what is lost, new or gone, all answers of a variant.

    Attributes:
        measure: with `@k` for any cutoff; empty where there are many.
        before: what was behind the old answers: conventions, or a verdict.
        after: what is behind the new ones.
        guess: the convention that would give the answers that fail, if a single one does.
    """

    kind: Kind
    library: str
    variant: str
    measure: str
    before: str
    after: str
    changes: tuple[Change, ...]
    guess: str = ""

    @property
    def cause(self) -> str:
        """Both sides, and the guess where one side is unexplained."""
        both = self.after if self.before == self.after else f"{self.before} → {self.after}"
        return f"{both} ({self.guess})" if self.guess else both

    @property
    def largest(self) -> float | None:
        """How far a number moved at most."""
        return max((change.size for change in self.changes if change.size is not None), default=None)

    @property
    def witness(self) -> Change:
        """The change that shows most: the largest, a mean before a query."""
        return min(self.changes, key=lambda c: (-(c.size or 0), c.row.query is not None, c.row.case))


@dataclass(frozen=True)
class Drift:
    """Two results files, compared."""

    old: Results
    new: Results
    changes: tuple[Change, ...]

    @property
    def moved(self) -> bool:
        """Whether something moved or is newly failing."""
        return any(change.kind in MOVES for change in self.changes)

    @cached_property
    def counts(self) -> Mapping[Kind, int]:
        """How many answers are of which kind."""
        found = Counter(change.kind for change in self.changes)
        return {kind: found[kind] for kind in Kind}

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The changes by kind, library, variant, measure and cause; those first that matter most."""
        found: dict[tuple[Kind, str, str, str, str, str], list[Change]] = defaultdict(list)
        for change in self.changes:
            row = change.row
            told = change.kind in BY_ANSWER
            cause = (any_cutoff(row.measure), behind(change.old), behind(change.new)) if told else ("", "", "")
            found[change.kind, row.library, row.variant, *cause].append(change)
        kinds = list(Kind)
        groups = [Group(*key, tuple(changes), _guess(changes)) for key, changes in found.items()]
        return tuple(sorted(groups, key=lambda g: (kinds.index(g.kind), g.library, -len(g.changes), -(g.largest or 0))))

    def versions(self, library: str) -> str:
        """A library's version before and after.

        Returns:
            As in `sklearn 1.1.3 → 1.4.0`, or `sklearn 1.4.0` where it stayed.
        """
        old, new = (_version(results, library) for results in (self.old, self.new))
        return f"{library} {new}" if old == new else f"{library} {old} → {new}"


def opened(path: Path) -> Results:
    """Read a results file, or the one in a directory.

    Raises:
        BadResults: there is none, or it is something else.
        Truncated: it was cut off.
    """
    file = path / RESULTS if path.is_dir() else path
    if not file.is_file():
        raise BadResults(f"{file}: there is no such results file; `rankproof run --out DIRECTORY` writes one")
    try:
        found = load(file)
        for described in found.header["libraries"].values():
            described.get("version")
    except (BadResults, Truncated):
        raise
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        told = f"{type(error).__name__}: {error}"
        raise BadResults(f"{file}: this is no results file of `rankproof run`: {told}") from error
    return found


def compared(old: Results, new: Results, library: str = "*", measure: str = "*") -> Drift:
    """Compare two results.

    Args:
        old: what was.
        new: what is.
        library: a glob.
        measure: a measure, its name alone, or a glob.

    Raises:
        NothingCompared: no row of either is of such a library and measure.
    """
    before, after = (_answers(results, library, measure) for results in (old, new))
    if not before and not after:
        raise NothingCompared(
            f"neither file has a row of library {library} and measure {measure}: nothing was compared"
        )
    put = _Put(
        questions={(row.case, row.measure) for row in new.rows}, libraries=set(new.header["libraries"]),
        variants={(row.library, row.variant) for row in new.rows if row.case}, before={key[0] for key in before},
    )  # fmt: skip
    pairs = ((key, _answer(before, key), _answer(after, key)) for key in dict.fromkeys([*before, *after]))
    changes = (change for key, *pair in pairs if (change := put.change(key, *pair)) is not None)
    return Drift(old, new, tuple(changes))


_Key = tuple[Question, str | None]


def _answers(results: Results, library: str, measure: str) -> dict[_Key, Row]:
    """The rows of cases, by question and query."""
    return {
        ((row.library, row.variant, row.case, row.measure), row.query): row
        for row in results.rows
        if row.case and fnmatch.fnmatch(row.library, library) and is_of(row.measure, measure)
    }


def _answer(rows: Mapping[_Key, Row], key: _Key) -> Row | None:
    """What is said of a query: its own row, or the error that stands for all of the question."""
    whole = rows.get((key[0], None))
    return rows.get(key) or (whole if whole is not None and whole.error is not None else None)


def is_of(measure: str, glob: str) -> bool:
    """Whether a measure is meant by `nDCG@10`, by its name `nDCG`, or by a glob.

    >>> is_of("nDCG@10", "nDCG"), is_of("nDCG@10", "nDCG@1*"), is_of("nDCG@10", "DCG")
    (True, True, False)
    """
    return measure == glob or re.split(r"[(@]", measure)[0] == glob or fnmatch.fnmatchcase(measure, glob)


def any_cutoff(measure: str) -> str:
    """The measure with `k` for its cutoff.

    >>> any_cutoff("P(rel=2)@5"), any_cutoff("AP")
    ('P(rel=2)@k', 'AP')
    """
    return re.sub(r"@[\d.]+$", "@k", measure)


@dataclass(frozen=True, slots=True)
class _Put:
    """What NEW asked, so that an answer that is lost can be told from a question that was not put."""

    questions: Collection[tuple[str, str]]
    libraries: Collection[str]
    variants: Collection[tuple[str, str]]
    before: Collection[Question]

    def change(self, key: _Key, old: Row | None, new: Row | None) -> Change | None:
        """What became of an answer; None if nothing did."""
        question, _ = key
        if old is not None and new is not None:
            kind = _kind(old, new)
        elif old is not None:
            kind = _unless_unsupported(old, self._left(question, old))
        elif new is not None:
            told = Kind.MOVED if question in self.before else Kind.NEW
            kind = Kind.FAILING if new.verdict in FAILS else _unless_unsupported(new, told)
        return None if kind is None else Change(kind, old, new)

    def _left(self, question: Question, old: Row) -> Kind:
        """What became of an answer that NEW does not have."""
        library, variant, case, measure = question
        if library not in self.libraries or (case, measure) not in self.questions:
            return Kind.GONE
        if (library, variant) not in self.variants:
            return Kind.LOST
        # There is no row where the library rightly says nothing of a query.
        return Kind.FIXED if old.verdict in FAILS else Kind.MOVED


def _unless_unsupported(row: Row, kind: Kind) -> Kind | None:
    return None if row.verdict is Verdict.UNSUPPORTED else kind


def _kind(old: Row, new: Row) -> Kind | None:
    if old.verdict in FAILS and new.verdict in HOLDS:
        return Kind.FIXED
    if old.verdict not in FAILS and new.verdict in FAILS:
        return Kind.FAILING
    if old.verdict != new.verdict or not alike(old.value, new.value):
        return Kind.MOVED
    if not _same_error(old.error, new.error):
        expected = old.verdict in HOLDS and _type(old.error) == _type(new.error) != ""
        return Kind.WORDED if expected else Kind.MOVED
    return Kind.CLAIMED if old.conventions != new.conventions else None


def _type(error: str | None) -> str:
    """The type of an error: what stands before the colon."""
    return (error or "").partition(":")[0]


def alike(old: Reading | None, new: Reading | None) -> bool:
    """Whether two readings are one: equal, or within float noise.

    >>> alike(0.3, 0.1 + 0.2), alike(0.3, 0.3001), alike(float("nan"), float("nan")), alike(0.0, "absent")
    (True, False, True, False)
    """
    if old is None or new is None or isinstance(old, str) or isinstance(new, str):
        return old == new
    if not (math.isfinite(old) and math.isfinite(new)):
        return old == new or (math.isnan(old) and math.isnan(new))
    return abs(old - new) <= max(LEAST, NOISE * max(abs(old), abs(new)))


def _same_error(old: str | None, new: str | None) -> bool:
    return old == new or (old is not None and new is not None and steady(old) == steady(new))


def behind(row: Row | None) -> str:
    """What is behind an answer: conventions where they explain it, else the verdict."""
    if row is None:
        return "no answer"
    return {Verdict.AGREES: "standard", Verdict.KNOWN: "exception"}.get(row.verdict) or (
        " ".join(row.conventions) or str(row.verdict)
    )


def said(row: Row | None) -> str:
    """What an answer says, for people."""
    if row is None:
        return "no answer"
    if row.error is not None:
        return row.error
    return short(row.value) if row.value is not None else str(row.verdict)


def _told_apart(change: Change) -> tuple[str, str]:
    """Both answers, with as many digits as it takes to tell them apart."""
    old, new = said(change.old), said(change.new)
    if old == new and change.old is not None and change.new is not None and change.size:
        return repr(change.old.value), repr(change.new.value)
    return old, new


def _version(results: Results, library: str) -> str:
    described = results.header["libraries"].get(library)
    return "not asked" if described is None else str(described.get("version") or "not installed")


# -- what might be behind an answer that nothing explains -------------------------------------------------------------

MOST_GUESSES = 3
"""More conventions than these that fit say nothing."""
FULLY_TRIED = 4
"""On so many answers of a group every convention is tried, and on the others what fits one of these."""
REFUSES_ANYTHING = ("ids", "digit-queries")
"""A convention that would refuse nearly every case, and so explains no refusal."""


def _guess(changes: Sequence[Change]) -> str:
    """The convention that gives the answers that fail, or most of them, as far as they can be computed."""
    failing = [one for change in changes if change.kind in BY_ANSWER and (one := _failing(change)) is not None]
    if len(failing) < len(changes):
        return ""
    every = [(axis.name, value) for axis in AXES.values() for value in axis.values]
    fitting = {pair: None for one in failing[:FULLY_TRIED] for pair in every if _gives(*one, *pair)}
    counts = {pair: sum(_gives(*one, *pair) for one in failing) for pair in fitting}
    most = max(counts.values(), default=0)
    best = [f"{axis}={value}" for (axis, value), count in counts.items() if count == most]
    if not best or len(best) > MOST_GUESSES or most * 2 <= len(failing):
        return ""
    return f"as by {' or '.join(best)}" + ("" if most == len(failing) else f", {most} of {len(failing)}")


def _failing(change: Change) -> tuple[Oracle, Row, tuple[Conventions, ...]] | None:
    """The side that fails, the reference asked about its case, and the conventions that one may be changed of."""
    row = next((row for row in (change.new, change.old) if row is not None and row.verdict in FAILS), None)
    oracle = None if row is None else _oracle(row)
    if row is None or oracle is None:
        return None
    return oracle, row, _bases(row, change.old if row is change.new else change.new)


def _bases(row: Row, other: Row | None) -> tuple[Conventions, ...]:
    """What the sheet claims, and what explains the other side; `standard` where that has no conventions, or some that are not known."""
    sheet = _sheets().get(row.library)
    claimed = [] if sheet is None else [sheet.profile_of(row.variant, parse(row.measure))]
    try:
        told = parse_conventions(" ".join(other.conventions)) if other is not None else STANDARD
    except UnknownConvention:
        told = STANDARD
    return tuple(dict.fromkeys([*claimed, told]))


@cache
def _sheets() -> Mapping[str, Sheet]:
    return {library.name: library.sheet for library in libraries(draft=True)}


@cache
def _files() -> Mapping[str, Path]:
    return {f"{file.parent.name}/{file.stem}": file for file in corpus.files()}


@cache
def _oracle_of(case: str) -> Oracle:
    return Oracle(corpus.load(_files()[case]))


def _oracle(row: Row) -> Oracle | None:
    """The reference, asked about the case of a row; None where the corpus has no such case, or another one."""
    if row.case not in _files() or row.measure not in _oracle_of(row.case).case.measures:
        return None
    oracle = _oracle_of(row.case)
    return oracle if alike(reading_of(oracle.answers(parse(row.measure), STANDARD), row.query), row.expected) else None


def _gives(oracle: Oracle, row: Row, bases: Iterable[Conventions], axis: str, value: str) -> bool:
    """Whether the reference gives a row's answer, once this convention is changed."""
    return (axis, value) != REFUSES_ANYTHING and any(
        getattr(base, axis) != value and _is(oracle, row, base.replace(**{axis: value})) for base in bases
    )


def _is(oracle: Oracle, row: Row, conventions: Conventions) -> bool:
    try:
        answers = oracle.answers(parse(row.measure), conventions)
    except (TooManyOrders, NotPooled):
        return False
    if row.value is None:
        return row.verdict is Verdict.ERROR and isinstance(answers, Refused)
    expected = reading_of(answers, row.query)
    return expected is not None and same(row.value, expected, "float32")


# -- told as text -----------------------------------------------------------------------------------------------------


def as_text(drift: Drift, *, whole: bool = False) -> Iterator[str]:
    """Lines for a terminal: a heading a library, a line a group, below it each answer if wanted; the count last."""
    heading = ""
    for group in sorted(drift.groups, key=lambda g: g.library):
        if heading != (heading := drift.versions(group.library)):
            yield heading
        yield f"  {_sentence(group)}"
        for change in group.changes if whole else ():
            old, new = _told_apart(change)
            yield f"    {_where(change.row)}: {old} → {new}"
    yield closing(drift)


def _sentence(group: Group) -> str:
    count = _count(len(group.changes))
    if group.kind not in BY_ANSWER:
        verdicts = Counter(str(change.row.verdict) for change in group.changes)
        told = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
        return f"{group.variant}: {count} {group.kind} ({told})"
    old, new = (_cut(told, SHORTEST) for told in _told_apart(group.witness))
    most = "" if not group.largest else f" by {short(group.largest)} at most"
    return f"{group.variant} {group.measure}: {count} {group.kind}{most}, {group.cause}; as in {_where(group.witness.row)}: {old} → {new}"


SHORTEST, WIDEST = 60, 200
"""How many characters of an error a line, and a cell of a table, have room for."""


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[:width]}…"


def _count(number: int) -> str:
    return "1 answer" if number == 1 else f"{number:,} answers"


def _where(row: Row) -> str:
    return f"{row.case} {row.measure}" + ("" if row.query is None else f" {row.query}")


def closing(drift: Drift) -> str:
    """What came out, in one line."""
    told = [f"{count:,} {kind}" for kind, count in drift.counts.items() if count]
    return ", ".join(told) if told else "nothing moved"


# -- told as Markdown -------------------------------------------------------------------------------------------------

MARK = "<!-- rankproof diff -->"
"""By which a program finds the comment again, to replace it."""
LONGEST = 60_000
"""A comment on GitHub has 65,536 characters at most."""


def as_markdown(drift: Drift) -> str:
    """A comment for a pull request: what moved in a table, every answer folded below."""
    title = "something moved" if drift.moved else "nothing moved"
    parts = [MARK, f"### rankproof: {title}", "", f"{_before_and_after(drift)}{closing(drift)}.", ""]
    groups = [group for group in drift.groups if group.kind in BY_ANSWER]
    if groups:
        parts += ["| library | measure | what | behind it | by at most | as in |", "|---|---|---|---|---:|---|"]
        parts += _fitting((_table_row(group) for group in groups), LONGEST // 3, "|||{} more groups||||")
        parts += ["", "<details><summary>Every answer</summary>", "", "| where | before | after |", "|---|---|---|"]
        rows = (_answer_row(change) for group in groups for change in group.changes)
        parts += [*_fitting(rows, LONGEST // 2, "|{} more answers|||"), "", "</details>"]
    return "\n".join(parts).rstrip() + "\n"


def _before_and_after(drift: Drift) -> str:
    named = dict.fromkeys([*drift.old.header["libraries"], *drift.new.header["libraries"]])
    upgraded = [markdown_safe(told) for told in map(drift.versions, named) if "→" in told]
    return f"{', '.join(upgraded)}: " if upgraded else ""


def _table_row(group: Group) -> str:
    old, new = _told_apart(group.witness)
    cells = (
        _code(f"{group.library}/{group.variant}"), _code(group.measure), f"{len(group.changes):,} {group.kind}",
        _code(group.cause), short(group.largest) if group.largest else "–",
        f"{_code(_where(group.witness.row))}: {_code(old)} → {_code(new)}",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _answer_row(change: Change) -> str:
    row = change.row
    old, new = _told_apart(change)
    return f"| {_code(f'{row.library}/{row.variant} {_where(row)}')} | {_code(old)} | {_code(new)} |"


def _code(text: str) -> str:
    """Text as code, in which a code host finds no name to notify and no link."""
    return f"<code>{markdown_safe(_cut(text, WIDEST))}</code>" if text else "–"


def _fitting(lines: Iterable[str], room: int, more: str) -> Iterator[str]:
    """As many lines as there is room for, and how many are left out."""
    left = 0
    for line in lines:
        room -= len(line) + 1
        left += room < 0
        if room >= 0:
            yield line
    if left:
        yield more.format(f"{left:,}")


# -- told to programs -------------------------------------------------------------------------------------------------


def as_json(drift: Drift) -> dict[str, Any]:
    """The whole comparison in JSON's terms."""
    return {
        "moved": drift.moved,
        "counts": {str(kind): count for kind, count in drift.counts.items()},
        "libraries": {
            name: {"old": _version(drift.old, name), "new": _version(drift.new, name)}
            for name in dict.fromkeys([*drift.old.header["libraries"], *drift.new.header["libraries"]])
        },
        "groups": [_group_as_json(group) for group in drift.groups],
        "changes": [_change_as_json(change) for change in drift.changes],
    }


def _group_as_json(group: Group) -> dict[str, Any]:
    return {
        "kind": str(group.kind), "library": group.library, "variant": group.variant, "measure": group.measure,
        "before": group.before, "after": group.after, "guess": group.guess, "answers": len(group.changes), "largest": group.largest,
        "witness": _change_as_json(group.witness),
    }  # fmt: skip


def _change_as_json(change: Change) -> dict[str, Any]:
    row = change.row
    return {
        "kind": str(change.kind), "library": row.library, "variant": row.variant, "case": row.case, "measure": row.measure,
        "query": row.query, "old": _side_as_json(change.old), "new": _side_as_json(change.new),
    }  # fmt: skip


def _side_as_json(row: Row | None) -> dict[str, Any] | None:
    if row is None:
        return None
    value = row.value
    plain = str(value) if isinstance(value, float) and not math.isfinite(value) else value
    conventions: Sequence[str] = row.conventions
    return {"verdict": str(row.verdict), "value": plain, "error": row.error, "conventions": list(conventions)}
