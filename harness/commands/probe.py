"""`rankproof probe`: laws that need no oracle, and what breaks them."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rankproof.probes import Finding, Input, Probe, Probed
    from rankproof.sheets import Library

FIRST = ("unstable", "breaks", "depends", "tells")
"""What is told first."""


@click.command("probe")
@click.argument("wanted", nargs=-1, metavar="[LIBRARY]...")
@click.option(
    "-p", "--probe", "names", multiple=True, metavar="NAME", help="Only these probes, as in rows or tied-docs."
)
@click.option("-m", "--measure", "measures", multiple=True, help="Ask these measures, as in RR or nDCG@10.")
@click.option("--random", "count", type=click.IntRange(0), default=2, show_default=True,
              help="How many random inputs to ask beside the fixed ones.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Where their chance begins.")
@click.option("-j", "--at-once", type=click.IntRange(1), default=2, show_default=True, help="Workers at the same time.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--publish", type=click.Path(path_type=Path, file_okay=False), help="Write probes.json here.")
def command(
    *, wanted: tuple[str, ...], names: tuple[str, ...], measures: tuple[str, ...], count: int, seed: int, at_once: int,
    as_json: bool, publish: Path | None,
) -> int:  # fmt: skip
    """Say on what the answers of each LIBRARY depend, without knowing the right ones.

    A probe changes an input and says how the two answers must go together: rows in another order are the same run, the truth as a
    prediction is worth 1. Each finding comes with the smallest input that shows it. Without a LIBRARY, all are asked.

    Findings are knowledge, not failures: the exit code is 0, and 3 if an installed library could not be asked.
    """
    from rankproof import probes  # noqa: PLC0415 - help answers without it
    from rankproof.reference_impl.notation import parse  # noqa: PLC0415
    from rankproof.sheets import chosen, libraries  # noqa: PLC0415

    asked = chosen(wanted, libraries())
    laws = probes.chosen(names)
    notation = [str(parse(measure)) for measure in measures] or list(probes.MEASURES)
    inputs = [*probes.INPUTS, *probes.random_inputs(seed, count)]
    found = _with_progress(asked, laws, notation, inputs, at_once)
    document = published(found)
    if publish is not None:
        from rankproof.files import publish as put  # noqa: PLC0415

        put(publish / "probes.json", json.dumps(document, indent=1) + "\n")
    if as_json:
        click.echo(json.dumps(document, indent=2))
    else:
        for line in told([finding for one in found for finding in one.findings]):
            click.echo(line)
        click.echo(_closing(found))
    if publish is not None:
        click.echo(f"{publish / 'probes.json'} written", err=as_json)
    for one in found:
        if one.why_not:
            click.echo(_printable(f"{one.library} was not asked: {one.why_not}"), err=True)
    return 3 if any(one.failed for one in found) else 0


def published(found: "Iterable[Probed]") -> dict[str, Any]:
    """What `probes.json` holds: the version, who was asked, all findings."""
    import rankproof  # noqa: PLC0415

    asked = list(found)
    return {
        "rankproof": rankproof.__version__,
        "asked": {one.library: one.version for one in asked if one.version},
        "findings": [finding.as_json() for one in asked for finding in one.findings],
    }


def _with_progress(
    asked: "Sequence[Library]",
    laws: "Sequence[Probe]",
    measures: Sequence[str],
    inputs: "Sequence[Input]",
    at_once: int,
) -> "list[Probed]":
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    from rankproof import probes  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks = {library.name: bar.add_task(f"probing {library.name}", total=None) for library in asked}

        def progress(name: str, done: int, whole: int) -> None:
            bar.update(tasks[name], completed=done, total=whole)

        return probes.probe_all(asked, laws, measures, inputs=inputs, at_once=at_once, progress=progress)


# -- telling -----------------------------------------------------------------------------------------------------------


def told(findings: "Sequence[Finding]") -> Iterator[str]:
    """First what depends on what; then, under each, the smallest inputs and the two answers to each."""
    if not findings:
        return
    by_says: dict[str, list[Finding]] = defaultdict(list)
    for finding in sorted(findings, key=lambda f: (FIRST.index(f.kind), f.says.endswith("ties"))):
        by_says[finding.says].append(finding)
    yield from _overview(by_says)
    for says, group in by_says.items():
        yield ""
        yield says
        yield from _witnesses(group)


def _overview(by_says: "dict[str, list[Finding]]") -> Iterator[str]:
    from rankproof.probes import group_of  # noqa: PLC0415
    from rankproof.reference_impl.notation import parse  # noqa: PLC0415

    for says, group in by_says.items():
        yield says
        by_who: dict[str, list[str]] = defaultdict(list)
        for finding in group:
            by_who[finding.who].append(group_of(parse(finding.measure)))
        width = max(map(len, by_who))
        for who, measures in by_who.items():
            yield f"    {_printable(who):{width}}  {' '.join(dict.fromkeys(measures))}"


def _witnesses(group: "Sequence[Finding]") -> Iterator[str]:
    by_input: dict[str, list[Finding]] = defaultdict(list)
    for finding in group:
        by_input[json.dumps([finding.input, finding.changed])].append(finding)
    for same in by_input.values():
        yield from _lines(same[0].input)
        if same[0].changed is not None:
            yield f"    {_printable(same[0].asked[1])}:"
            yield from _lines(same[0].changed, besides=same[0].input)
        by_answers: dict[str, list[Finding]] = defaultdict(list)
        for finding in same:
            by_answers[json.dumps([finding.who, finding.query, *map(_shown, finding.answers)])].append(finding)
        for alike in by_answers.values():
            yield _printable(_answers(alike), indented=8)


def _answers(alike: "Sequence[Finding]") -> str:
    """Who says what, on measures of which two answers are the same."""
    finding = alike[0]
    first, second = (_shown(answer) for answer in finding.answers)
    of = f" of query {finding.query}" if finding.query is not None else ""
    asked = f" ({finding.asked[0]}; {finding.asked[1]})" if finding.changed is None else ""
    measures = ", ".join(dict.fromkeys(one.measure for one in alike))
    return f"{finding.who} {measures}{of}: {first}, then {second}{asked}"


def _lines(data: "Input", besides: "Input | None" = None) -> Iterator[str]:
    """The lines of qrels and run, as TREC files have them; of a changed input, those parts that differ."""
    if besides is None or data["qrels"] != besides["qrels"]:
        for query, doc, rel in data["qrels"]:
            yield _printable(f"qrels  {query} 0 {doc} {rel}", indented=4)
    if besides is None or data["run"] != besides["run"]:
        for query, doc, score, rank in data["run"]:
            yield _printable(f"run    {query} Q0 {doc} {rank} {score:g} run", indented=4)


def _shown(answer: float | str) -> str:
    return answer if isinstance(answer, str) else f"{answer:.6g}"


def _printable(text: str, indented: int = 0) -> str:
    from rankproof.cli import printable  # noqa: PLC0415

    return " " * indented + printable(text)


def _closing(found: "Sequence[Probed]") -> str:
    kinds = Counter(str(finding.kind) for one in found for finding in one.findings)
    asked = [one for one in found if one.version]
    silent = [one.library for one in asked if not any(finding.kind != "tells" for finding in one.findings)]
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "nothing found"
    quiet = f"; nothing of {', '.join(silent)}" if silent else ""
    return f"\n{len(asked)} libraries probed: {counts}{quiet}"
