"""`rankproof evaluate`: compute measures of runs under chosen conventions."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.options import as_json, run_within_qrels, split_measures
from rankproof.cli.program import BAD_INPUT
from rankproof.grouping import grouped
from rankproof.measure_names import DEFAULT
from rankproof.terminal import say
from rankproof.text import one_line

if TYPE_CHECKING:
    from rankproof.evaluate.result import Result, Results

SIDES = ("qrels", "run")
TREC_EVAL, JSON = "trec_eval", "json"
FORMATS = ("table", TREC_EVAL, "csv", "markdown", JSON)
_NAMED, _WARNINGS = 3, 6
"""The maximum number of runs named in a warning, and of printed warnings."""


@click.command("evaluate")
@click.argument("qrels")
@click.argument("run", nargs=-1, metavar="RUN... [MEASURE]...")
@click.option("-m", "--measure", "measures", multiple=True, help="A measure such as nDCG@10 [five measures].")
@click.option("--profile", default="standard", help="Conventions such as trec_eval-9 or sklearn/appended [standard].")
@click.option("--signature", "signatures", multiple=True, help="Use the measure and conventions of a signature.")
@click.option("--per-query", is_flag=True, help="Print the values of every query.")
@click.option("--show-signature", is_flag=True, help="Print the signature of each measure.")
@click.option("--separator", metavar="CHAR", help="Field separator, if it is not the usual one of the file type.")
@click.option("--column", "columns", multiple=True, metavar="NAME=COLUMN", help="Column name: doc_id=DOC, run.score=S.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Number of processes [as many as are useful].")
@click.option("--out", metavar="FOLDER", help="Keep results in this folder, and resume from it.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="Output format.")
@as_json
def command(
    *,
    qrels: str,
    run: tuple[str, ...],
    measures: tuple[str, ...],
    profile: str,
    signatures: tuple[str, ...],
    per_query: bool,
    show_signature: bool,
    separator: str | None,
    columns: tuple[str, ...],
    jobs: int | None,
    out: str | None,
    form: str,
    as_json: bool,
) -> int:
    """Evaluate one or more runs against QRELS under named conventions.

    Files are TREC, CSV, JSON Lines, JSON or Parquet; plain, gzip or zstd. `-` is standard input. RUN may be a folder
    of runs. Omit RUN if each row of QRELS has relevant and retrieved ids.

    \b
    rankproof evaluate qrels.txt run.txt nDCG@10
    rankproof evaluate qrels.txt runs/ nDCG@10 AP --jobs 8 --out results
    rankproof evaluate qrels.txt run.txt P@5 --profile trec_eval-9 --per-query

    Exit code 2: a run cannot be read. Exit code 3: the evaluation was interrupted.
    """
    from rankproof.evaluate.cautions import NOT_MEASURED
    from rankproof.report.evaluate import FORMS, SIGNATURE_FORMATS

    form = JSON if as_json else form
    run, more = split_measures(run)
    measures = (*measures, *more) or (() if signatures else ("official" if form == TREC_EVAL else DEFAULT,))
    names = _columns(columns)
    options = {"profile": profile, "signature": signatures, "columns": names or None, "separator": separator}
    measured = _measured(qrels, run or run_within_qrels(qrels, names), measures, options, {"jobs": jobs, "out": out})
    _print_warnings(measured.of)
    if form == JSON:
        data = {"qrels": qrels, "profile": profile, **_facts(measured, per_query=per_query)}
        say(json.dumps(data, allow_nan=False, indent=2))
    else:
        click.echo(FORMS[form](measured.of, per_query=per_query), nl=False)
        for signature in measured.signature.values() if show_signature else ():
            say(SIGNATURE_FORMATS.get(form, "{}\n").format(signature), nl=False, err=form not in SIGNATURE_FORMATS)
    if measured.fault is not None:
        if len(measured.of) == 1 < len(measured.files):
            say(one_line(f"only {next(iter(measured.of))} was evaluated"), err=True)
        raise measured.fault
    kinds = {warning.kind for result in measured.of.values() for warning in result.warnings}
    return BAD_INPUT if NOT_MEASURED in kinds else 0


def _measured(
    qrels: str, run: Sequence[str], measures: Sequence[str], options: Mapping[str, Any], where: Mapping[str, Any]
) -> "Results":
    """Evaluate several regular files one by one, and all other input with one call."""
    from rankproof.evaluate.api import evaluate
    from rankproof.evaluate.inputs.input_files import is_lasting, run_files
    from rankproof.evaluate.result import Results

    files = run_files(run)
    are_tracks = len(files) > 1 and all(map(is_lasting, (qrels, *files.values())))
    if not are_tracks and all(value is None for value in where.values()):
        results: Any = evaluate(measures, qrels, list(files.values()), **options)
        return Results(results.of, files)
    from rankproof.cli.progress import progress_bar
    from rankproof.evaluate.tracks import measure_files

    with progress_bar() as bar:
        task = bar.add_task("measuring", total=len(files))
        return measure_files(
            qrels,
            files,
            measures,
            on_progress=lambda: bar.advance(task),
            say=lambda text: say(one_line(text), err=True),
            **options,
            **where,
        )


def _print_warnings(of: Mapping[str, "Result"]) -> None:
    """Print each warning once, with the names of its runs unless it concerns all."""
    about = grouped((warning.text, system) for system, result in of.items() for warning in result.warnings)
    for text, systems in list(about.items())[:_WARNINGS]:
        more = f" and {len(systems) - _NAMED} more" if len(systems) > _NAMED else ""
        whose = "" if len(systems) == len(of) else f"{', '.join(systems[:_NAMED])}{more}: "
        say(one_line(f"warning: {whose}{text}"), err=True)
    if len(about) > _WARNINGS:
        say(f"{len(about) - _WARNINGS} more warnings (--json prints all)", err=True)


def _columns(texts: Sequence[str]) -> dict[str, Any]:
    """Return the names of columns, for both files or for qrels and run separately."""
    columns: dict[str, Any] = {}
    for text in texts:
        name, equals, column = text.partition("=")
        side, dot, field = name.partition(".")
        if not equals or not name or not column or (dot and side not in SIDES):
            raise click.UsageError(f"--column {text} is not NAME=COLUMN, such as doc_id=DOC or run.score=SCORE")
        (columns.setdefault(side, {}) if dot else columns)[field if dot else name] = column
    return columns


def _facts(measured: "Results", *, per_query: bool) -> dict[str, Any]:
    """Return the values of one run, or of several runs as a list in input order."""
    files = measured.files
    runs = [{"run": files[name], **result.as_json(per_query=per_query)} for name, result in measured.of.items()]
    missing = [{"system": system, "run": run} for system, run in files.items() if system not in measured.of]
    lacking = {"not_measured": missing} if missing else {}
    if len(runs) == 1:
        return runs[0] | lacking
    named = [{"system": name, **facts} for name, facts in zip(measured.of, runs, strict=True)]
    return {"runs": named, **lacking}
