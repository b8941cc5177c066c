"""What is shown is read back: ids that spreadsheets take for formulas, LaTeX and Markdown for markup, and rich for its own."""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from random import Random

from doctored import _said
from ground import Ground
from tally import Outcome

IDS = (
    "=cmd|'/c_calc'!A1",
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "\\input{/etc/passwd}",
    "a&b",
    "$x$",
    "50%",
    "q_1",
    "a^b~c#",
    "x|y",
    "<b>z</b>",
    "[red]q[/red]",
    "[/]",
    "*a*",
    "`c`",
    '"quoted"',
    "a,b;c",
    "plain",
    "{}",
)
"""Ids of queries: of the one after another the relevant doc is at the next rank, so that each value is of one of some."""
RANKS = 4
FORMULA = re.compile(r"[=+\-@\t\r]")


def _value(index: int) -> float:
    return 1 / (index % RANKS + 1)


def _csv(text: str) -> list[tuple[str, float]]:
    rows = [*csv.reader(io.StringIO(text))][1:-1]
    if wrong := [cell for row in rows for cell in row if FORMULA.match(cell)]:
        raise ValueError(f"a cell is a formula: {wrong[0]!r}")
    return [(name.removeprefix("'"), float(value)) for name, value in rows]


def _latex(text: str) -> list[tuple[str, float]]:
    rows = text.partition(r"\midrule")[2].partition(r"\bottomrule")[0].strip().splitlines()[:-1]
    plain = [re.sub(r"\\text\w+\{\}|\\[&%$#_{}]", "?", row.removesuffix(r" \\")) for row in rows]
    if wrong := [row for row in plain if row.count("&") != 1 or re.search(r"[\\%$#_~^]", row)]:
        raise ValueError(f"a row of LaTeX is markup: {wrong[0]!r}")
    return [(name, float(row.rpartition("&")[2])) for name, row in zip(sorted_ids(), plain, strict=True)]


def _markdown(text: str) -> list[tuple[str, float]]:
    rows = text.splitlines()[2:-1]
    if wrong := [row for row in rows if len(re.findall(r"(?<!\\)\|", row)) != 3 or "<b>" in row.replace(r"\<", "")]:  # noqa: PLR2004
        raise ValueError(f"a row of Markdown is markup: {wrong[0]!r}")
    cells = [re.split(r"(?<!\\)\|", row)[1:3] for row in rows]
    return [(re.sub(r"\\(.)", r"\1", name.strip()), float(value)) for name, value in cells]


def _table(text: str) -> list[tuple[str, float]]:
    rows = [line.rsplit(maxsplit=1) for line in text.splitlines()[1:-1]]
    return [(name.strip(), float(value)) for name, value in rows]


def _json(text: str) -> list[tuple[str, float]]:
    return [*json.loads(text)["measures"]["AP"]["per_query"].items()]


def _trec_eval(text: str) -> list[tuple[str, float]]:
    rows = [line.split() for line in text.splitlines()]
    return [(query, float(value)) for _, query, value in rows if query != "all"]


READERS: Mapping[str, Callable[[str], list[tuple[str, float]]]] = {
    "csv": _csv,
    "latex": _latex,
    "markdown": _markdown,
    "table": _table,
    "json": _json,
    "trec_eval": _trec_eval,
}
ESCAPED = {"markdown"}
"""What has its ids in a form of its own is read by rows."""
NEAR = 1e-4


def sorted_ids() -> list[str]:
    """The ids as they are told."""
    return list(IDS)


def cells(ground: Ground, index: int, _chance: Random) -> Outcome:
    """Each query has its value beside its id, in each form; none that is lost, and none that is another one's."""
    form, read = list(READERS.items())[index]
    machine = ground.machine(f"cells-{form}")
    (machine.home / "qrels").write_text(
        "".join(f"{query} 0 d{i % RANKS} 1\n" for i, query in enumerate(IDS)), encoding="utf-8"
    )
    (machine.home / "run").write_text(
        "".join(f"{query} Q0 d{rank} {rank} {10 - rank} t\n" for query in IDS for rank in range(RANKS)),
        encoding="utf-8",
    )
    ended = ground.command(machine, "evaluate", "qrels", "run", "-m", "AP", "--per-query", "--format", form)
    faults = [f"{form}: {fault}" for fault in ended.faults([0])]
    try:
        found = [(name, round(value, 3)) for name, value in read(ended.stdout)]
    except (ValueError, KeyError, IndexError, csv.Error) as error:
        return Outcome((*faults, f"{form}: {error}"), (), (), ended.left, ended.seconds)
    wanted = [(query, round(round(_value(i), 4), 3)) for i, query in enumerate(IDS)]
    if form == "markdown":  # entities stand for signs
        found, wanted = [("", value) for _, value in found], [("", value) for _, value in wanted]
    invented, lost = list(found), []
    for one in wanted:
        if one in invented:
            invented.remove(one)
        else:
            lost.append(one)
    return Outcome(tuple(faults), tuple(map(str, invented)), tuple(map(str, lost)), ended.left, ended.seconds)


NAMES = ("[red]run", "[link=a]run", "[bold]run[", "[not a tag]", "run[0]", ":smile:", "%s{}", "\\[red]")
PATHS = [(name, way) for name in NAMES for way in ("measured", "refused", "explained")]
"""Names of runs that rich, or a format, would take for its own."""


def markup(ground: Ground, index: int, _chance: Random) -> Outcome:
    """The name of a file stands there as it is."""
    name, way = PATHS[index]
    machine = ground.machine(f"markup-{index}")
    (machine.home / "qrels").write_text("q1 0 d1 1\nq1 0 d2 0\n", encoding="utf-8")
    text = "q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\n"
    (machine.home / name).write_text("q1 Q0 d1 1\n" if way == "refused" else text, encoding="utf-8")
    (machine.home / "other").write_text(text.replace(" 2 t", " 0 t"), encoding="utf-8")
    run = ("evaluate", "qrels", name, "other", "-m", "AP")
    verb = ("explain", "qrels", name, "-m", "AP", "--query", f"no{name}") if way == "explained" else run
    ended = ground.command(machine, *verb)
    faults = ended.faults([0] if way == "measured" else [2])
    said = ended.stdout if way == "measured" else ended.stderr
    faults += () if name in said else (f"the name is not told: {said[:200]!r}",)
    faults += tuple(_said(_own(ended.stderr))) if way != "measured" else ()
    return Outcome(tuple(f"{name}, {way}: {fault}" for fault in faults), (), (), ended.left, ended.seconds)


def _own(stderr: str) -> str:
    return "\n".join(line for line in stderr.splitlines() if line.startswith("rankproof"))
