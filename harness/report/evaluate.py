"""Output of `rankproof evaluate`: a table, lines as in trec_eval, CSV and Markdown."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress

from rankproof.evaluate.result import Result, Results
from rankproof.measure_names import called, in_trec_eval, only_in_the_mean
from rankproof.report.layout import COLUMNS, aligned
from rankproof.text import printable

MEAN = "mean"
"""The name of the row of means, unless a query has this id."""
_FORMULA = re.compile(r"[\s']*[=+\-@]")
"""The beginning of a cell that a spreadsheet reads as a formula."""
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")

Cells = tuple[list[str], Sequence[str | float | None]]
"""A row of a table: its names (run and query, or measure) and values; in the first row, the headings."""


def table_of(results: Mapping[str, Result], *, per_query: bool) -> Iterator[Cells]:
    """Yield the rows of a table of runs, headings first. A single run without queries has a row for each measure."""
    first, *others = results.values()
    measures = Results(results).measures
    if not others and not per_query:
        yield ["measure"], [MEAN]
        yield from (([measure], [value]) for measure, value in first.mean.items())
        return
    columns, mean = (bool(others), per_query), MEAN
    while per_query and any(mean in queries_of(result) for result in results.values()):
        mean = f"({mean})"
    yield list(compress(("system", "query"), columns)), list(measures)
    for system, result in results.items():
        for query in queries_of(result) if per_query else ():
            values = [result.per_query.get(measure, {}).get(query) for measure in measures]
            yield list(compress((system, query), columns)), values
        yield list(compress((system, mean), columns)), [result.mean.get(measure) for measure in measures]


def queries_of(result: Result) -> list[str]:
    """Return the queries that have a value for at least one measure."""
    return list(dict.fromkeys(query for values in result.per_query.values() for query in values))


def _cell(value: str | float | None) -> str:
    """Return a heading, a value with four decimals, or an empty text for None."""
    return value if isinstance(value, str) else "" if value is None else f"{value:.4f}"


def as_text(results: Mapping[str, Result], *, per_query: bool) -> str:
    """Return a table for a terminal, with runs as columns if they fit, and as rows otherwise."""
    table = list(table_of(results, per_query=per_query))
    rows = [[printable(cell) for cell in (*names, *map(_cell, values))] for names, values in table]
    lines = aligned(rows, len(table[0][0]))
    if len(results) > 1 and not per_query:
        across = aligned([["measure", *(row[0] for row in rows[1:])], *map(list, list(zip(*rows, strict=True))[1:])], 1)
        lines = across if len(across[0]) <= COLUMNS else lines
    return "".join(f"{line}\n" for line in lines)


def as_csv(results: Mapping[str, Result], *, per_query: bool) -> str:
    """Return CSV with all digits. Names that a spreadsheet would read as formulas begin with an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for names, values in table_of(results, per_query=per_query):
        cells = (
            _no_formula(cell) if isinstance(cell, str) else "" if cell is None else repr(float(cell)) for cell in values
        )
        writer.writerow([*map(_no_formula, names), *cells])
    return text.getvalue()


def _no_formula(name: str) -> str:
    """Return a name, with an apostrophe if a spreadsheet would read it as a formula.

    >>> _no_formula("=1+1"), _no_formula("-7"), _no_formula("q-7")
    ("'=1+1", '-7', 'q-7')
    """
    text = printable(name)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def as_markdown(results: Mapping[str, Result], *, per_query: bool) -> str:
    """Return a table in Markdown."""
    from rankproof.report.run_report import markdown_safe

    table = list(table_of(results, per_query=per_query))
    lines = [[markdown_safe(printable(cell)) for cell in (*names, *map(_cell, values))] for names, values in table]
    lines.insert(1, ["---"] * len(table[0][0]) + ["---:"] * len(table[0][1]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_trec_eval(results: Mapping[str, Result], *, per_query: bool) -> str:
    """Return lines as trec_eval prints them, with its measure names; each of several runs begins with `runid`."""
    lines: list[tuple[str, str, str]] = []
    for system, result in results.items():
        if len(results) > 1:
            lines.append(("runid", "all", printable(system)))
        measures = {measure: _in_trec_eval(measure) for measure in result.mean}
        if per_query:
            lines += [
                (name, printable(query), text(result.per_query[measure][query]))
                for query in sorted(queries_of(result), key=lambda query: query.encode("utf-8", "surrogatepass"))
                for measure, (name, text) in measures.items()
                if query in result.per_query[measure] and not only_in_the_mean(name)
            ]
        lines += [(name, "all", text(result.mean[measure])) for measure, (name, text) in measures.items()]
    return "".join(f"{name:<22}\t{query}\t{value}\n" for name, query, value in lines)


def _in_trec_eval(measure: str) -> tuple[str, Callable[[float], str]]:
    """Return the name of a measure in trec_eval, and the function that formats its values."""
    (meaning,) = called(measure)
    name = meaning.name if meaning.changes else in_trec_eval(meaning.measure) or measure
    counts = not meaning.measure.of_labels and meaning.measure.definition.total == "sum"
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
"""Name of a format -> the function that renders runs."""
SIGNATURE_FORMATS: Mapping[str, str] = {"table": "{}\n", "markdown": "\n`{}`\n"}
"""Templates of a signature after a table, for formats that can hold one."""
