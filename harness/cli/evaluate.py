"""`rankproof evaluate`: the values of runs, under named conventions."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.options import Verb, measures_among, with_itself
from rankproof.cli.program import BAD_INPUT
from rankproof.grouping import grouped
from rankproof.measure_names import DEFAULT
from rankproof.saying import say
from rankproof.text import one_line

if TYPE_CHECKING:
    from rankproof.evaluate.result import Result, Results

SIDES = ("qrels", "run")
TABLE, TREC_EVAL, JSON = "table", "trec_eval", "json"
FORMATS = (TABLE, TREC_EVAL, "csv", "markdown", JSON)
_NAMED, _WARNINGS = 3, 6
"""The number of runs that a warning names, and of warnings that are printed."""


@click.command("evaluate", cls=Verb)
@click.argument("qrels")
@click.argument("run", nargs=-1, metavar="RUN... [MEASURE]...")
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE", help="A measure, as nDCG@10 (default: five)."
)
@click.option(
    "--profile", default="standard", show_default=True, help="Conventions, as trec_eval-9 or sklearn/appended."
)
@click.option("--signature", "signatures", multiple=True, help="Compute what a signature says.")
@click.option("--per-query", is_flag=True, help="Print every query.")
@click.option("--show-signature", is_flag=True, help="Print what was computed.")
@click.option(
    "--separator", metavar="CHAR", help="The character between fields, if the name of a file does not imply it."
)
@click.option(
    "--column", "columns", multiple=True, metavar="NAME=COLUMN", help="Your name of a column: doc_id=DOC, run.score=S."
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes (default: as many as are useful).")
@click.option("--out", metavar="FOLDER", help="Keep results in a folder, and continue from there.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default=TABLE, show_default=True, help="The form of the output."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; as --format json.")
def command(  # noqa: PLR0913 - one for each option
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
    """Measure RUN, or several, against QRELS: TREC files, CSV, JSON Lines, JSON or Parquet; plain, gzip or zstd.

    RUN may be a folder of runs. A file whose rows have relevant and retrieved ids is both. `-` is the standard input. Exit code 2: some
    runs cannot be read. Exit code 3: the evaluation was interrupted.

    \b
    rankproof evaluate qrels.txt run.txt nDCG@10
    rankproof evaluate qrels.txt runs/ nDCG@10 AP --jobs 8 --out results
    rankproof evaluate qrels.txt run.txt P@5 --profile trec_eval-9 --per-query
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rankproof.evaluate.cautions import NOT_MEASURED  # noqa: PLC0415 - a verb is imported when it is used

    form = JSON if as_json else form
    run, more = measures_among(run)
    measures = (*measures, *more) or (() if signatures else ("official" if form == TREC_EVAL else DEFAULT,))
    names = _columns(columns)
    options = {"profile": profile, "signature": signatures, "columns": names or None, "separator": separator}
    found = _measured(qrels, run or with_itself(qrels, names), measures, options, {"jobs": jobs, "out": out})
    _print_warnings(found.of)
    _print_results(found, qrels, profile, form, per_query=per_query, show_signature=show_signature)
    if found.fault is not None:
        if len(found.of) == 1 < len(found.files):
            say(one_line(f"these are the values of {next(iter(found.of))} alone"), err=True)
        raise found.fault
    return BAD_INPUT if any(one.kind == NOT_MEASURED for each in found.of.values() for one in each.warnings) else 0


def _measured(
    qrels: str, run: Sequence[str], measures: Sequence[str], options: Mapping[str, Any], where: Mapping[str, Any]
) -> "Results":
    """Measure several files each by itself, others with one call."""
    from rankproof.evaluate.inputs.input_files import is_lasting, run_files  # noqa: PLC0415 - as above

    files = run_files(run)
    if any(value is not None for value in where.values()) or (
        len(files) > 1 and all(map(is_lasting, (qrels, *files.values())))
    ):
        from rankproof.cli.waiting import progress_bar  # noqa: PLC0415 - as above
        from rankproof.evaluate.tracks import measure_files  # noqa: PLC0415 - as above

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
    from rankproof.evaluate.api import evaluate  # noqa: PLC0415 - as above
    from rankproof.evaluate.result import Results  # noqa: PLC0415 - as above

    results: Any = evaluate(measures, qrels, list(files.values()), **options)
    return Results(results.of, files)


def _print_results(
    found: "Results", qrels: str, profile: str, form: str, *, per_query: bool, show_signature: bool
) -> None:
    from rankproof.report.evaluate import BESIDE, FORMS  # noqa: PLC0415 - as above

    signatures = found.signature.values() if show_signature else ()
    if form == JSON:
        say(json.dumps(_as_json(found, qrels, profile, per_query=per_query), allow_nan=False, indent=2))
    else:
        click.echo(FORMS[form](found.of, per_query=per_query), nl=False)
        for signature in signatures:
            say(BESIDE.get(form, "{}\n").format(signature), nl=False, err=form not in BESIDE)


def _print_warnings(of: Mapping[str, "Result"]) -> None:
    """Print each warning once, with the runs that it is about if there are others."""
    about = grouped((one.text, system) for system, result in of.items() for one in result.warnings)
    for text, systems in list(about.items())[:_WARNINGS]:
        more = f" and {len(systems) - _NAMED} more" if len(systems) > _NAMED else ""
        whose = "" if len(systems) == len(of) else f"{', '.join(systems[:_NAMED])}{more}: "
        say(one_line(f"warning: {whose}{text}"), err=True)
    if len(about) > _WARNINGS:
        say(f"{len(about) - _WARNINGS} more warnings (--json prints all)", err=True)


def _columns(given: Sequence[str]) -> dict[str, Any]:
    """Return the names of columns, for both sides and for one side."""
    columns: dict[str, Any] = {}
    for text in given:
        name, equals, column = text.partition("=")
        side, dot, field = name.partition(".")
        if not equals or not name or not column or (dot and side not in SIDES):
            raise click.UsageError(f"--column {text} is not of the form NAME=COLUMN, as doc_id=DOC or run.score=SCORE")
        (columns.setdefault(side, {}) if dot else columns)[field if dot else name] = column
    return columns


def _as_json(found: "Results", qrels: str, profile: str, *, per_query: bool) -> dict[str, Any]:
    """Return one run as itself, several as a list in the order given."""
    runs = [
        {"system": s, "run": found.files[s], **result.as_json(per_query=per_query)} for s, result in found.of.items()
    ]
    missing = [{"system": system, "run": run} for system, run in found.files.items() if system not in found.of]
    lacking = {"not_measured": missing} if missing else {}
    if len(runs) == 1:
        return {
            "qrels": qrels,
            "profile": profile,
            **{key: one for key, one in runs[0].items() if key != "system"},
            **lacking,
        }
    return {"qrels": qrels, "profile": profile, "runs": runs, **lacking}
