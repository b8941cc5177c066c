"""`rankproof explain`: why tools differ on a run, and which conventions give a printed number."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof.cli.options import Verb, measures_among, with_itself
from rankproof.saying import lines, say

if TYPE_CHECKING:
    from rankproof.explain.explanation import Explanation
    from rankproof.reference_impl.notation import Measure


@click.command("explain", cls=Verb)
@click.argument("qrels")
@click.argument("run", nargs=-1, metavar="RUN... [MEASURE]...")
@click.option("-m", "--measure", "measures", multiple=True, metavar="MEASURE", help="A measure, such as nDCG@10.")
@click.option(
    "--as",
    "names",
    multiple=True,
    metavar="PROFILE",
    help="A library (sklearn, trec_eval), a tool whose source was read (elasticsearch), or a profile (trec_eval-9, 'gain=exp'). The "
    "first is compared with the others [standard with every library].",
)
@click.option("--value", "values", multiple=True, metavar="NUMBER", help="A number as it was printed: what gives it?")
@click.option("--query", metavar="ID", help="Show the rankings of one query side by side.")
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Write a page with everything and charts.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    metavar="S",
    help="CPU time of the search for a --value on much data.",
)
@click.option("--details", is_flag=True, help="Print everything.")
@click.option("--json", "as_json", is_flag=True, help="Print all facts as JSON.")
def command(  # noqa: PLR0913 - one for each option
    *,
    qrels: str,
    run: tuple[str, ...],
    measures: tuple[str, ...],
    names: tuple[str, ...],
    values: tuple[str, ...],
    query: str | None,
    page: Path | None,
    seconds: float,
    details: bool,
    as_json: bool,
) -> None:
    """Explain why tools give different numbers for RUN and QRELS.

    QRELS or RUN may be -, the standard input. A table whose rows have relevant and retrieved ids needs no RUN.

    \b
    rankproof explain qrels.txt run.txt nDCG@10
    rankproof explain qrels.txt run.txt nDCG@10 --as trec_eval --as sklearn/rows
    rankproof explain qrels.txt run.txt nDCG@10 --value 0.3016 --value 0.3112
    """  # noqa: D301 - click's mark for lines that are not wrapped
    from rich.console import Console  # noqa: PLC0415 - help answers without what follows

    from rankproof.evaluate.tasks import ranking_measure  # noqa: PLC0415 - as above
    from rankproof.explain.explanation import explain  # noqa: PLC0415 - as above
    from rankproof.explain.printed_number import wanted  # noqa: PLC0415 - as above
    from rankproof.explain.reading_data import read_data  # noqa: PLC0415 - as above
    from rankproof.report import explain as report  # noqa: PLC0415 - as above
    from rankproof.text import one_line  # noqa: PLC0415 - as above

    runs, more = measures_among(run)
    runs = runs or with_itself(qrels, {})
    wanted_measures = [ranking_measure(measure) for measure in dict.fromkeys(measures + more)]
    if not wanted_measures:
        raise click.UsageError("Name a measure, such as nDCG@10.", click.get_current_context())
    if values and len(wanted_measures) > 1:
        raise click.UsageError("--value needs exactly one measure.")
    numbers = [wanted(text) for text in dict.fromkeys(values)]
    names = tuple(dict.fromkeys(names))
    with Console(stderr=True).status(lines(one_line(f"reading {', '.join((qrels, *runs))}"))) as status:

        def of(system: str, measure: "Measure") -> "Explanation":
            def on_progress(step: str) -> None:
                status.update(lines(one_line(f"{measure} of {system}: {step}")))

            about = system, data[system], measure, names, numbers
            return explain(*about, query=query, seconds=seconds, on_progress=on_progress)

        data = read_data(qrels, runs, names)
        explanations = [of(system, measure) for measure in wanted_measures for system in data]
    if page is not None:
        from rankproof.report.site import explanation_page  # noqa: PLC0415 - as above

        page.write_text(explanation_page.page(explanations), encoding="utf-8")
    if as_json:
        say(report.as_json(explanations))
        return
    heading = len(explanations) > 1
    say("\n\n".join(report.text_of(one, details=details, heading=heading) for one in explanations))
