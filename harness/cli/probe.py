"""`rankproof probe`: laws that need no oracle, and what breaks them."""

from pathlib import Path

import click

from rankproof.cli.options import Verb, limits_of_worker, own_adapters
from rankproof.cli.waiting import progress_bar
from rankproof.files import publish as put
from rankproof.saying import say
from rankproof.text import one_line


@click.command("probe", cls=Verb)
@click.argument("wanted", nargs=-1, metavar="[LIBRARY[/VARIANT]]...")
@click.option(
    "-p", "--probe", "names", multiple=True, metavar="NAME", help="Only these probes, as in rows or tied-docs."
)
@click.option("-m", "--measure", "measures", multiple=True, help="Ask these measures, as in RR or nDCG@10.")
@click.option("-j", "--at-once", type=click.IntRange(1), default=2, show_default=True, help="Workers at the same time.")
@click.option("--list", "listed", is_flag=True, help="List the probes, and ask nobody.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@limits_of_worker
@own_adapters
@click.option("--publish", type=click.Path(path_type=Path, file_okay=False), help="Write probes.json here.")
def command(  # noqa: PLR0913 - one for each option
    *,
    wanted: tuple[str, ...],
    names: tuple[str, ...],
    measures: tuple[str, ...],
    at_once: int,
    listed: bool,
    as_json: bool,
    publish: Path | None,
    adapters: Path | None,
    timeout: float,
    memory: int,
) -> int:
    """Say on what the answers of each LIBRARY depend, without knowing the right ones.

    A probe changes an input and says how the two answers must go together: rows in another order are the same run, the truth as a
    prediction is worth 1. Each finding comes with the smallest input that shows it. Without a LIBRARY, all of this interpreter are asked.

    Findings are knowledge, not failures: the exit code is 0, and 3 if an installed library could not be asked; then nothing is published.
    """
    from rankproof.history.at_hand import python_of  # noqa: PLC0415
    from rankproof.judge import probing  # noqa: PLC0415
    from rankproof.judge.probe_findings import FILE  # noqa: PLC0415
    from rankproof.reference_impl.notation import parse  # noqa: PLC0415
    from rankproof.report import probe_text  # noqa: PLC0415
    from rankproof.workers.known_libraries import chosen, with_own  # noqa: PLC0415

    laws = probing.chosen(names)
    if listed:
        say("\n".join(probe_text.listed(laws)))
        return 0
    asked = [one for one in chosen(wanted, with_own(adapters)) if wanted or not one.sheet.only_in_environments]
    notation = [str(parse(measure)) for measure in measures] or probing.MEASURES
    with progress_bar() as bar:
        tasks = {library.name: bar.add_task(f"probing {library.name}", total=None, visible=False) for library in asked}

        def progress(name: str, done: int, whole: int) -> None:
            bar.update(tasks[name], completed=done, total=whole or None, visible=True)

        within = probing.ProbeLimits(at_once, timeout, memory)
        found = probing.probe_all(asked, laws, notation, within=within, progress=progress, python_of=python_of)
    if as_json:
        say(found.as_text(), nl=False)
    else:
        say("\n".join(probe_text.told(found)))
    for one in found.libraries:
        if why_not := one.installation.why_not:
            say(one_line(f"{one.installation.library} was not asked: {why_not}"), err=True)
    failed = any(one.failed for one in found.libraries)
    if publish is not None:
        if not failed:
            put(publish / FILE, found.as_text())
        told = "nothing was published: not all could be asked" if failed else f"{publish / FILE} written"
        say(told, err=True)
    return 3 if failed else 0
