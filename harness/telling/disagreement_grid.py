"""A few disagreements as a small grid: a row a question, a column a library."""

from collections.abc import Mapping, Sequence

from rankproof.telling.run_report import Disagreement, markdown_safe

COLUMNS = (
    "trec_eval/default", "pytrec_eval", "ir_measures/default", "ir_measures/ranx", "sklearn/rows", "catboost", "evaluate",
    "trectools/frame",
)  # fmt: skip
"""The libraries, each in the way that most people call it."""
MOST = 3
"""How many questions are shown."""


def grid(disagreements: Sequence[Disagreement], columns: Sequence[str] = COLUMNS) -> str:
    """The questions to which most of these libraries give a number and most numbers differ, one of a topic, as a table in Markdown.

    What `standard` gives is bold. Where several questions divide them as much, the first one is taken.
    """
    said = sorted(((one, _by_column(one, columns)) for one in disagreements), key=lambda pair: -_told(pair[1]))
    of_topic = {one.case.id.partition("/")[0]: (one, values) for one, values in reversed(said)}
    shown = sorted(of_topic.values(), key=said.index)[:MOST]
    lines = ["", *(column.partition("/")[0] if _is_usual(column) else column.partition("/")[2] for column in columns)]
    rows = [
        [f"{markdown_safe(one.case.question)}<br>{one.measure}, `{one.case.id}`", *(values.get(c, "") for c in columns)]
        for one, values in shown
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [lines, ["---"] * len(lines), *rows])


def _by_column(one: Disagreement, columns: Sequence[str]) -> Mapping[str, str]:
    found = {}
    for saying in one.sayings:
        for voice in saying.voices:
            shown = f"**{saying.shown}**" if saying.standard else saying.shown
            found.update({who: shown for who in voice.who if who in columns})
    return found


def _told(values: Mapping[str, str]) -> int:
    numbers = [value for value in values.values() if "error" not in value]
    return len(numbers) * len(set(numbers))


def _is_usual(column: str) -> bool:
    return column.partition("/")[2] in {"", "default", "rows", "frame"}
