"""`rankproof evaluate`: runs against qrels, by the reference, under named conventions."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import click

from rankproof.cli.options import Verb, measures_among, with_itself
from rankproof.cli.program import BAD_INPUT
from rankproof.grouping import grouped
from rankproof.measure_names import DEFAULT
from rankproof.saying import lines, say
from rankproof.text import one_line

if TYPE_CHECKING:
    from rankproof.cli.waiting import MeasuredRuns
    from rankproof.evaluate.result import Result, Results

SIDES = ("qrels", "run")
TABLE, TREC_EVAL, JSON = "table", "trec_eval", "json"
FORMATS = (TABLE, TREC_EVAL, "csv", "markdown", JSON)
NAMED = 3
"""How many runs a warning names."""


@click.command("evaluate", cls=Verb)
@click.argument("qrels")
@click.argument("run", nargs=-1, metavar="RUN... [MEASURE]...")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="One measure, as nDCG@10; or by another name: ndcg@10, HR@10, trec_eval's ndcg_cut_10, P.5,10, official, all_trec. "
    "Without any: nDCG@10, AP, RR, P@10 and R@100.",
)
@click.option(
    "--profile",
    default="standard",
    show_default=True,
    help='Conventions: "trec_eval-9 missing=0"; or a library: "evaluate", "sklearn/appended", as its published fingerprint found '
    "them for each measure in the version asked there; what is undetermined is taken as in standard, and said.",
)
@click.option(
    "--signature",
    "signatures",
    multiple=True,
    help="Compute what a signature says; what it leaves open (missing:?) is taken as in standard, and said.",
)
@click.option("--per-query", is_flag=True, help="Every query, not only the mean.")
@click.option("--show-signature", is_flag=True, help="Say exactly what was computed.")
@click.option("--separator", metavar="CHAR", help="Of files whose first line names the columns; .csv and .tsv say it.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="NAME=COLUMN",
    help="What query_id, doc_id, relevance, score or rank is called there; of one side: run.score=SCORE.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="So many processes at once; as many as serve, if not said."
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Let the workers of this Dask scheduler measure, as tcp://host:8786; they need the files by the same paths.",
)
@click.option("--out", metavar="FOLDER", help="Keep each result there; what is there already is not measured again.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=TABLE,
    show_default=True,
    help="By trec_eval: its lines, in its names; with --per-query as by its -q, without -m its set official.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="For programs: values, signatures, profile and warnings; as --format json."
)
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
    scheduler: str | None,
    out: str | None,
    form: str,
    as_json: bool,
) -> int:
    """Measure RUN, or several, against QRELS: TREC files, files of columns (CSV, JSON Lines, Parquet), or JSON; plain, gzip or zstd.

    RUN may be a folder of runs; a file whose rows have relevant_ids and retrieved_ids is both. One of the files may be -, the standard
    input. What moves a number unseen (queries of one alone, ids that nearly match, docs without judgments, ties, what nothing decided of a
    library) is told on stderr; a run that has no query of the qrels is refused. Of several runs, those that can be measured are; exit code
    2 says that others do not read, and 3 that measuring was interrupted, or workers were lost.

    \b
    rankproof evaluate qrels.txt run.txt -m nDCG@10 -m AP
    rankproof evaluate qrels.txt bm25.txt dense.txt -m nDCG@10
    rankproof evaluate qrels.txt runs/ -m nDCG@10 -m AP --jobs 8 --out results
    rankproof evaluate qrels.txt run.txt -m P@5 --profile trec_eval-9 --per-query
    rankproof evaluate qrels.txt run.txt -m P@5 -m nDCG@5 --profile evaluate
    rankproof evaluate qrels.txt run.txt --signature 'nDCG@10|gain:exp|by:reference|rankproof:0.1.0'
    rankproof evaluate qrels.csv run.csv -m P@5 --separator '|' --column query_id=QUERY \\
        --column doc_id=DOC --column qrels.relevance=SCORE --column run.score=SCORE
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rankproof.evaluate.cautions import NOT_MEASURED  # noqa: PLC0415 - a verb is imported when it is asked for
    from rankproof.evaluate.result import Results  # noqa: PLC0415 - as above

    form = JSON if as_json else form
    run, more = measures_among(run)
    measures += more
    if not measures and not signatures:
        measures = ("official" if form == TREC_EVAL else DEFAULT,)
    where = {"jobs": jobs, "scheduler": scheduler, "out": out}
    names = _columns(columns)
    asked = {"profile": profile, "signature": signatures, "columns": names or None, "separator": separator}
    found = _measured(qrels, run or with_itself(qrels, names), measures, asked, where)
    of, together = found.of, Results(found.of)
    _say_warnings(of)
    if form == JSON:
        told = _for_programs(of, qrels, [found.files[system] for system in of], profile, per_query=per_query)
        say(json.dumps(told | ({"not_measured": found.missing} if found.missing else {}), allow_nan=False, indent=2))
    else:
        _say_in(form, of, together.signature.values() if show_signature else (), per_query=per_query)
        if form == TABLE and not show_signature:
            say("".join(f"{line}\n" for line in in_notation(together.measures)), nl=False)
    if found.fault is not None:
        if len(of) == 1 and found.missing:
            say(one_line(f"these are the values of {next(iter(of))} alone"), err=True)
        raise found.fault
    lacking = any(one.kind == NOT_MEASURED for result in of.values() for one in result.warnings)
    return BAD_INPUT if lacking else 0


def _measured(
    qrels: str, run: Sequence[str], measures: Sequence[str], asked: Mapping[str, Any], where: Mapping[str, Any]
) -> "MeasuredRuns":
    """The runs, all of which are read here where one is no lasting file and nobody says where else."""
    from rich.console import Console  # noqa: PLC0415 - a verb is imported when it is asked for

    from rankproof.cli.waiting import MeasuredRuns, measured  # noqa: PLC0415 - as above
    from rankproof.evaluate.api import evaluate  # noqa: PLC0415 - as above
    from rankproof.evaluate.inputs.run_files import is_lasting, run_files  # noqa: PLC0415 - as above

    files = run_files(run)
    said = any(value is not None for value in where.values())
    if said or (len(files) > 1 and all(map(is_lasting, (qrels, *files.values())))):
        return measured(qrels, files, measures, **asked, **where)
    with Console(stderr=True).status(lines(one_line(f"measuring {', '.join(run)}"))):
        of = cast("Results", evaluate(measures, qrels, list(files.values()), **asked)).of
    return MeasuredRuns(of, files)


def in_notation(names: Iterable[str]) -> Iterator[str]:
    """What each name that was asked stands for, where the notation has another one."""
    from rankproof.measure_names import called  # noqa: PLC0415 - as above
    from rankproof.reference_impl.notation import UnknownMeasure  # noqa: PLC0415 - as above

    for name in names:
        with suppress(UnknownMeasure):  # of what ir_measures' `define` made there is no other name
            for one in called(name):
                if not one.changes and str(one.measure) != name:
                    yield f"{one_line(name)} is {one.measure}"


def _say_in(form: str, of: Mapping[str, "Result"], signatures: Iterable[str], *, per_query: bool) -> None:
    """Say the results as others read them; a signature that has no place among them is said beside them."""
    from rankproof.report.evaluate import BESIDE, FORMS  # noqa: PLC0415 - as above

    click.echo(FORMS[form](of, per_query=per_query), nl=False)
    for signature in signatures:
        say(BESIDE.get(form, "{}\n").format(signature), nl=False, err=form not in BESIDE)


def _say_warnings(of: Mapping[str, "Result"]) -> None:
    """Say each once, with the runs that it is about if there are others."""
    about = grouped((one.text, system) for system, result in of.items() for one in result.warnings)
    for text, systems in about.items():
        more = f" and {len(systems) - NAMED} more" if len(systems) > NAMED else ""
        whose = "" if len(systems) == len(of) else f"{', '.join(systems[:NAMED])}{more}: "
        say(one_line(f"warning: {whose}{text}"), err=True)


def _columns(given: Sequence[str]) -> dict[str, Any]:
    """What `columns` takes: names for both sides, and those of one side by it."""
    columns: dict[str, Any] = {}
    for text in given:
        name, equals, column = text.partition("=")
        side, dot, field = name.partition(".")
        if not equals or not name or not column or (dot and side not in SIDES):
            raise click.UsageError(f"--column {text} is not of the form NAME=COLUMN, as doc_id=DOC or run.score=SCORE")
        (columns.setdefault(side, {}) if dot else columns)[field if dot else name] = column
    return columns


def _for_programs(
    of: Mapping[str, "Result"], qrels: str, runs: Sequence[str], profile: str, *, per_query: bool
) -> dict[str, Any]:
    """One run as itself; several as a list, in the order given."""
    told = [result.as_json(per_query=per_query) for result in of.values()]
    if len(runs) == 1:
        return {"qrels": qrels, "run": runs[0], "profile": profile, **told[0]}
    each = [{"system": system, "run": run, **one} for system, run, one in zip(of, runs, told, strict=True)]
    return {"qrels": qrels, "profile": profile, "runs": each}
