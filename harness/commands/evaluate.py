"""`rankproof evaluate`: a run against qrels, by the reference, under named conventions."""

import json
import math
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rankproof.api import Result


@click.command("evaluate")
@click.argument("qrels")
@click.argument("run")
@click.option("-m", "--measure", "measures", multiple=True, metavar="MEASURE", help="One measure, as nDCG@10.")
@click.option(
    "--profile", default="standard", show_default=True,
    help='Conventions: "trec_eval-9 missing=0"; or a library: "evaluate", "sklearn/appended", as its published fingerprint found '
    "them for each measure in the version asked there, what is undetermined as in standard.",
)  # fmt: skip
@click.option("--signature", "signatures", multiple=True, help="Compute what a signature says.")
@click.option("--per-query", is_flag=True, help="Every query, not only the mean.")
@click.option("--show-signature", is_flag=True, help="Say exactly what was computed.")
@click.option("--json", "as_json", is_flag=True, help="For programs: values, signatures and profile.")
def command(
    *,
    qrels: str,
    run: str,
    measures: tuple[str, ...],
    profile: str,
    signatures: tuple[str, ...],
    per_query: bool,
    show_signature: bool,
    as_json: bool,
) -> None:
    """Measure RUN against QRELS, two TREC files, plain or gzip.

    \b
    rankproof evaluate qrels.txt run.txt -m nDCG@10 -m AP
    rankproof evaluate qrels.txt run.txt -m P@5 --profile trec_eval-9 --per-query
    rankproof evaluate qrels.txt run.txt -m P@5 -m nDCG@5 --profile evaluate
    rankproof evaluate qrels.txt run.txt --signature 'nDCG@10|gain:exp|by:reference|rankproof:0.1.0'
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rankproof.api import evaluate  # noqa: PLC0415 - a verb is imported when it is asked for

    if not measures and not signatures:
        msg = "say what to measure, as by -m nDCG@10 or --signature"
        raise click.UsageError(msg)
    with _working(f"measuring {run}"):
        result = evaluate(measures, qrels, run, profile=profile, signature=signatures)
    if as_json:
        answer = _for_programs(result, per_query=per_query)
        told = {"qrels": qrels, "run": run, "profile": profile, "measures": answer}
        click.echo(json.dumps(told, allow_nan=False, indent=2))
        return
    _print_table(result, per_query=per_query)
    if show_signature:
        for signature in result.signature.values():
            click.echo(signature)


def _working(what: str) -> Any:  # noqa: ANN401 - a rich status
    from rich.console import Console  # noqa: PLC0415 - as above

    return Console(stderr=True).status(what)


def _for_programs(result: "Result", *, per_query: bool) -> dict[str, Any]:
    answers: dict[str, dict[str, Any]] = {}
    for measure, mean in result.mean.items():
        answers[measure] = {"mean": _number(mean), "signature": result.signature[measure]}
        if per_query:
            values = result.per_query[measure]
            answers[measure]["per_query"] = {query: _number(value) for query, value in values.items()}
    return answers


def _number(value: float) -> float | str:
    """JSON has no NaN and no infinity; they are text, as in all that rankproof writes."""
    return value if math.isfinite(value) else str(value)


def _print_table(result: "Result", *, per_query: bool) -> None:
    from rich.console import Console  # noqa: PLC0415 - as above
    from rich.table import Table  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    table = Table(box=None, show_edge=False, header_style="bold", pad_edge=False)
    if not per_query:
        table.add_column("measure")
        table.add_column("mean", justify="right")
        for measure, value in result.mean.items():
            table.add_row(Text(measure), _shown(value))
    else:
        table.add_column("query")
        for measure in result.mean:
            table.add_column(Text(measure), justify="right", no_wrap=True)
        for query in dict.fromkeys(query for values in result.per_query.values() for query in values):
            values = (result.per_query[measure].get(query) for measure in result.mean)
            table.add_row(Text(query), *("" if value is None else _shown(value) for value in values))
        table.add_section()
        table.add_row("mean", *(_shown(value) for value in result.mean.values()), style="bold")
    # What is not a terminal wants whole lines.
    Console(file=sys.stdout, width=None if sys.stdout.isatty() else 10_000).print(table)


def _shown(value: float) -> str:
    return f"{value:.4f}"
