"""What `evaluate` found, in the forms that others read: trec_eval's lines, CSV, Markdown, LaTeX.

Each takes the runs by their names, in the order given, and the columns are those of the table at the terminal.
"""

import csv
import io
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

from rankproof.evaluate.result import Result, Results
from rankproof.measure_names import called, in_trec_eval, only_in_the_mean
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.text import printable

MEAN = "mean"
"""What the row of the mean is called, where there is one for each query, too, and none of these is called so."""
_FORMULA = re.compile(r"[\s']*[=+\-@]")
"""How a cell begins that a spreadsheet would take for a formula."""
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_OF_ROW_END = re.compile(r"^(?=\s*[\[*])")
"""Where a row begins that LaTeX would take for what belongs to the end of the row, or to the rule, before it."""
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
} | {character: f"\\{character}" for character in "&%$#_{}"}


@dataclass(frozen=True)
class EvaluationTable:
    """Runs, and queries if they are asked for, by measures.

    Attributes:
        names: what the first columns are called, which hold names.
        values: what the others are called, which hold values.
        rows: of each row the names, then the values; None where there is none.
        mean: what the row of the mean over queries is called.
    """

    names: tuple[str, ...]
    values: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[float | None, ...]], ...]
    mean: str = MEAN


def table_of(of: Mapping[str, Result], *, per_query: bool) -> EvaluationTable:
    """The table of some runs; of one run without its queries, a row for each measure."""
    first, *others = of.values()
    measures = Results(of).measures
    if not others and not per_query:
        return EvaluationTable(
            ("measure",), (MEAN,), tuple(((measure,), (value,)) for measure, value in first.mean.items())
        )
    columns = bool(others), per_query
    mean = _no_query({query for result in of.values() for query in queries_of(result)}) if per_query else MEAN
    rows = (
        (tuple(compress((system, query), columns)), values)
        for system, result in of.items()
        for query, values in _rows(result, measures, mean, per_query=per_query)
    )
    return EvaluationTable(tuple(compress(("system", "query"), columns)), measures, tuple(rows), mean)


def _no_query(queries: Collection[str]) -> str:
    """What the mean is called so that it is no query."""
    name = MEAN
    while name in queries:
        name = f"({name})"
    return name


def _rows(
    result: Result, measures: Sequence[str], mean: str, *, per_query: bool
) -> Iterator[tuple[str, tuple[float | None, ...]]]:
    """The rows of a run, that of the mean last, each with a place for every measure, be the run measured by it or not."""
    for query in queries_of(result) if per_query else ():
        yield query, tuple(result.per_query.get(measure, {}).get(query) for measure in measures)
    yield mean, tuple(result.mean.get(measure) for measure in measures)


def queries_of(result: Result) -> list[str]:
    """The queries of which any measure says something."""
    return list(dict.fromkeys(query for values in result.per_query.values() for query in values))


def shown(value: float | None) -> str:
    """A value in four decimals; nothing where there is none."""
    return "" if value is None else f"{value:.4f}"


def as_csv(of: Mapping[str, Result], *, per_query: bool) -> str:
    """Comma-separated lines, values with all their digits; a name that a spreadsheet would compute stands behind an apostrophe."""
    table = table_of(of, per_query=per_query)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(_no_formula, [*table.names, *table.values]))
    for names, values in table.rows:
        writer.writerow([*map(_no_formula, names), *("" if value is None else repr(float(value)) for value in values)])
    return text.getvalue()


def _no_formula(name: str) -> str:
    """A name as text; one that is a number is one.

    >>> _no_formula("=1+1"), _no_formula("-7"), _no_formula("q-7")
    ("'=1+1", '-7', 'q-7')
    """
    text = printable(name)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def as_markdown(of: Mapping[str, Result], *, per_query: bool) -> str:
    """A table in Markdown."""
    from rankproof.report.run_report import markdown_safe  # noqa: PLC0415 - the other forms do without

    table = table_of(of, per_query=per_query)
    lines = [[*table.names, *table.values], [*("---" for _ in table.names), *("---:" for _ in table.values)]]
    lines += [[*names, *map(shown, values)] for names, values in table.rows]
    written = [line if i == 1 else [markdown_safe(printable(cell)) for cell in line] for i, line in enumerate(lines)]
    return "".join(f"| {' | '.join(line)} |\n" for line in written)


def as_latex(of: Mapping[str, Result], *, per_query: bool) -> str:
    """A table in LaTeX, with the rules of the package booktabs."""
    table = table_of(of, per_query=per_query)
    lines = [[*table.names, *table.values], *([*names, *map(shown, values)] for names, values in table.rows)]
    header, *rows = [_OF_ROW_END.sub("{}", " & ".join(map(_in_latex, line))) + r" \\" for line in lines]
    columns = "l" * len(table.names) + "r" * len(table.values)
    body = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        header,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "".join(f"{line}\n" for line in body)


def _in_latex(text: str) -> str:
    return re.sub(r"[\\~^<>|&%$#_{}]", lambda found: _LATEX[found[0]], printable(text))


def as_trec_eval(of: Mapping[str, Result], *, per_query: bool) -> str:
    """Lines as trec_eval prints them, in its names; a measure that it has no name for keeps its own.

    Of several runs, a line `runid` says which one follows.
    """
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
    """What trec_eval calls a measure, and how it writes its values: a count as a whole number."""
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
    "trec_eval": as_trec_eval,
    "csv": as_csv,
    "markdown": as_markdown,
    "latex": as_latex,
}
"""Each takes the runs, and whether every query is told."""
BESIDE: Mapping[str, str] = {"markdown": "\n`{}`\n", "latex": "% {}\n"}
"""How a signature stands behind a table; the other forms have no place for one."""
