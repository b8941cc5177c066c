"""TREC files: qrels `query iteration doc rel`, runs `query Q0 doc rank score tag`; plain or gzip."""

import math
import re
from array import array
from collections.abc import Iterator

from rankproof.evaluate.inputs.bounded_files import at, numbered_lines
from rankproof.evaluate.inputs.rows import BadInput, Rows, scored
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow, Rel

QRELS_LINE = ("query", "iteration", "doc", "rel")
RUN_LINE = ("query", "Q0", "doc", "rank", "score", "tag")
RANKED_LINE = ("query", "doc", "rank")
"""A line of a run as MS MARCO has it."""
_SHOWN = 40
_WITH_COMMA = re.compile(rb"[-+]?\d+,\d+([eE][-+]?\d+)?")
_WHOLE = re.compile(rb"[-+]?\d{1,308}")
"""A whole number that is no larger than a float can be."""


def qrels_of_file(path: str) -> Rows[Judgment]:
    """The qrels of a TREC file."""
    of: dict[str, list[Judgment]] = {}
    numbers: dict[str, array[int]] = {}
    rels: dict[bytes, Rel] = {}
    known: dict[bytes, str] = {}
    for line, fields in lines(path, QRELS_LINE):
        query, _, doc, rel = fields
        if query not in known:
            known[query] = name = decoded(path, line, query)
            of[name], numbers[name] = [], array("Q")
        if rel not in rels:
            rels[rel] = rel_in_file(path, line, rel)
        of[known[query]].append(Judgment(decoded(path, line, doc), rels[rel]))
        numbers[known[query]].append(line)
    return Rows(path, of, numbers, "line")


def run_of_file(path: str, conventions: Conventions) -> Rows[QueryRow]:
    """The run of a TREC file; ranks are read where the order asks for them."""
    by_rank, asked = conventions.order == "rank", scored(conventions)
    of: dict[str, list[QueryRow]] = {}
    numbers: dict[str, array[int]] = {}
    known: dict[bytes, str] = {}
    for line, fields in lines(path, RUN_LINE):
        query, _, doc, rank, score, _ = fields
        if query not in known:
            known[query] = name = decoded(path, line, query)
            of[name], numbers[name] = [], array("Q")
        value = score_in_file(path, line, score)
        if asked and value != value:  # noqa: PLR0124 - only NaN differs from itself, and this is the fastest way to ask
            raise BadInput(at(path, line), f"the score {_shown(score)} is no number: no order is right")
        place = rank_in_file(path, line, rank) if by_rank else 0
        of[known[query]].append(QueryRow(decoded(path, line, doc), value, place))
        numbers[known[query]].append(line)
    return Rows(path, of, numbers, "line")


def lines(path: str, form: tuple[str, ...]) -> Iterator[tuple[int, list[bytes]]]:
    """The lines that are not blank, with their numbers, split into as many fields as the form has.

    Lines are split as bytes: only ASCII white space separates fields, so that an id may hold any other character.
    """
    wanted, none = len(form), True
    for line, text in numbered_lines(path):
        fields = text.split()
        if len(fields) == wanted:
            none = False
            yield line, fields
        elif fields:
            raise BadInput(at(path, line), _wrong_fields(fields, form))
    if none:
        raise BadInput(at(path, 1), f"the file is empty; a line of it is: {' '.join(form)}")


def _wrong_fields(fields: list[bytes], form: tuple[str, ...]) -> str:
    found, wanted = len(fields), len(form)
    other = {len(QRELS_LINE): "the qrels", len(RUN_LINE): "a run"}.get(found)
    if any(b"\0" in text for text in fields):
        return "this is a binary file; qrels and runs are text"
    if other:
        hint = f"is it {other}?"
    elif found == len(RANKED_LINE) and form is RUN_LINE:
        hint = f"if they are {' '.join(RANKED_LINE)}, say what separates them: --separator tab"
    elif found < wanted:
        hint = f"is the {form[found]} missing?" if found == wanted - 1 else "they are separated by white space"
    else:
        hint = "has an id a blank in it?"
    return f"{found} field{'s' * (found > 1)} where {wanted} are needed, {' '.join(form)}; {hint}"


def decoded(path: str, line: int, text: bytes) -> str:
    """An id as text."""
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        shown = text.rstrip(b"\r\n")[:_SHOWN].decode(errors="backslashreplace")
        what = f"'{shown}' is not UTF-8; convert the file, as by iconv -f latin1 -t utf-8"
        raise BadInput(at(path, line), what) from error


def score_in_file(path: str, line: int, text: bytes) -> float:
    """A score; NaN is one."""
    try:
        if b"_" not in text:  # float() reads 1_000 as a number, which no other reader of TREC files does
            return float(text)
    except ValueError:
        pass
    raise BadInput(at(path, line), f"the score {_shown(text)} is no number{_comma(text)}")


def rank_in_file(path: str, line: int, text: bytes) -> int:
    """A rank."""
    if _WHOLE.fullmatch(text):
        return int(text)
    raise BadInput(at(path, line), f"the rank {_shown(text)} is no whole number, and order=rank ranks by it")


def rel_in_file(path: str, line: int, text: bytes) -> Rel:
    """A rel."""
    if _WHOLE.fullmatch(text):
        return int(text)
    try:
        rel = float(text)
    except ValueError:
        rel = math.nan
    if not math.isfinite(rel) or b"_" in text:
        raise BadInput(at(path, line), f"the rel {_shown(text)} is no finite number{_comma(text)}")
    return rel


def _comma(text: bytes) -> str:
    """What to do about a decimal comma, which is never read as one: 1,234 is two numbers, by who wrote it."""
    mend = "write points, or give pandas.read_csv(…, decimal=',')"
    return f": it has a comma where numbers have a point; {mend}" if _WITH_COMMA.fullmatch(text) else ""


def _shown(text: bytes) -> str:
    return repr(text[:_SHOWN].decode(errors="backslashreplace"))
