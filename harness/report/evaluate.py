"""Values of `evaluate` as a table, as lines of trec_eval, and as CSV and Markdown."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress
from typing import NamedTuple

from rankproof.evaluate.result import Result, Results
from rankproof.measure_names import called, in_trec_eval, only_in_the_mean
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.report.layout import COLUMNS, aligned
from rankproof.text import printable

MEAN = "mean"
"""The name of the row of means, if no query has it."""
_FORMULA = re.compile(r"[\s']*[=+\-@]")
"""The beginning of a cell that a spreadsheet takes for a formula."""
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


class ResultTable(NamedTuple):
    """Runs, and queries on request, by measures.

    Attributes:
        names: the headings of the columns with names.
        values: the headings of the columns with values.
        rows: the names and the values of each row; None without a value.
        mean: the name of the row of means.
    """

    names: tuple[str, ...]
    values: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[float | None, ...]], ...]
    mean: str = MEAN


def table_of(of: Mapping[str, Result], *, per_query: bool) -> ResultTable:
    """Return the values of some runs as a table; of a single run without queries, a row for each measure."""
    first, *others = of.values()
    measures = Results(of).measures
    if not others and not per_query:
        return ResultTable(
            ("measure",), (MEAN,), tuple(((measure,), (value,)) for measure, value in first.mean.items())
        )
    columns, mean = (bool(others), per_query), MEAN
    while per_query and any(mean in queries_of(result) for result in of.values()):
        mean = f"({mean})"
    rows = (
        (tuple(compress((system, query), columns)), values)
        for system, result in of.items()
        for query, values in _rows(result, measures, mean, per_query=per_query)
    )
    return ResultTable(tuple(compress(("system", "query"), columns)), measures, tuple(rows), mean)


def _rows(
    result: Result, measures: Sequence[str], mean: str, *, per_query: bool
) -> Iterator[tuple[str, tuple[float | None, ...]]]:
    for query in queries_of(result) if per_query else ():
        yield query, tuple(result.per_query.get(measure, {}).get(query) for measure in measures)
    yield mean, tuple(result.mean.get(measure) for measure in measures)


def queries_of(result: Result) -> list[str]:
    """Return the queries that have a value of any measure."""
    return list(dict.fromkeys(query for values in result.per_query.values() for query in values))


def shown(value: float | None) -> str:
    """Return a value with four decimals; nothing if there is none."""
    return "" if value is None else f"{value:.4f}"


def as_text(of: Mapping[str, Result], *, per_query: bool) -> str:
    """Return a table for a terminal: runs next to each other if they fit, and below each other otherwise."""
    table = table_of(of, per_query=per_query)
    rows = [[*table.names, *table.values], *([*names, *map(shown, values)] for names, values in table.rows)]
    rows = [list(map(printable, row)) for row in rows]
    across = [["measure", *(row[0] for row in rows[1:])], *map(list, zip(*(row[1:] for row in rows), strict=True))]
    if len(of) > 1 and not per_query and len(aligned(across, 1)[0]) <= COLUMNS:
        return "".join(f"{line}\n" for line in aligned(across, 1))
    return "".join(f"{line}\n" for line in aligned(rows, len(table.names)))


def as_csv(of: Mapping[str, Result], *, per_query: bool) -> str:
    """Return comma-separated lines; values have all digits, and names that a spreadsheet would compute an apostrophe."""
    table = table_of(of, per_query=per_query)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(_no_formula, [*table.names, *table.values]))
    for names, values in table.rows:
        writer.writerow([*map(_no_formula, names), *("" if value is None else repr(float(value)) for value in values)])
    return text.getvalue()


def _no_formula(name: str) -> str:
    """Return a name as text, unless it is a number.

    >>> _no_formula("=1+1"), _no_formula("-7"), _no_formula("q-7")
    ("'=1+1", '-7', 'q-7')
    """
    text = printable(name)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def as_markdown(of: Mapping[str, Result], *, per_query: bool) -> str:
    """Return a table in Markdown."""
    from rankproof.report.run_report import markdown_safe  # noqa: PLC0415 - the other forms do without

    table = table_of(of, per_query=per_query)
    lines = [[*table.names, *table.values], [*("---" for _ in table.names), *("---:" for _ in table.values)]]
    lines += [[*names, *map(shown, values)] for names, values in table.rows]
    written = [line if i == 1 else [markdown_safe(printable(cell)) for cell in line] for i, line in enumerate(lines)]
    return "".join(f"| {' | '.join(line)} |\n" for line in written)


def as_trec_eval(of: Mapping[str, Result], *, per_query: bool) -> str:
    """Return lines as trec_eval prints them, with its names of measures; of several runs, a line `runid` precedes each."""
    lines: list[tuple[str, str, str]] = []
    for system, result in of.items():
        if len(of) > 1:
            lines.append(("runid", "all", printable(system)))
        measures = {measure: _theirs(measure) for measure in result.mean}
        if per_query:
            lines += [
                (name, printable(query), text(result.per_query[measure][query]))
                for query in sorted(queries_of(result), key=lambda query: query.encode("utf-8", "surrogatepass"))
                for measure, (name, text) in measures.items()
                if query in result.per_query[measure] and not only_in_the_mean(name)
            ]
        lines += [(name, "all", text(result.mean[measure])) for measure, (name, text) in measures.items()]
    return "".join(f"{name:<22}\t{query}\t{value}\n" for name, query, value in lines)


def _theirs(asked: str) -> tuple[str, Callable[[float], str]]:
    """Return the name of a measure in trec_eval, and what writes its values; a count is a whole number."""
    try:
        (one,) = called(asked)
    except UnknownMeasure:  # one that was made by ir_measures' `define`
        return asked, _four_decimals
    name = one.name if one.changes else in_trec_eval(one.measure) or asked
    counts = not one.measure.of_labels and one.measure.definition.total == "sum"
    return name, _count if counts else _four_decimals


def _four_decimals(value: float) -> str:
    return f"{value:6.4f}"


def _count(value: float) -> str:
    return str(int(value)) if value.is_integer() else _four_decimals(value)


FORMS: Mapping[str, Callable[..., str]] = {
    "table": as_text,
    "trec_eval": as_trec_eval,
    "csv": as_csv,
    "markdown": as_markdown,
}
"""By name, the functions that render runs."""
BESIDE: Mapping[str, str] = {"table": "{}\n", "markdown": "\n`{}`\n"}
"""How a signature is written after a table; other formats have no place for it."""
