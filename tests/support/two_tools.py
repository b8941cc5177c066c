"""A run with the numbers of several tools, and the output of `rankproof explain` about them.

The run has 30 queries, ties in a third of them, graded judgments, unjudged documents, and a judged query that is
missing. Four queries have no retrieved relevant document, and two of them no relevant document at all.
`two_tools/said.json` has the numbers and the versions.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from rankproof.cli.explain import command

HERE = Path(__file__).resolve().parent.parent / "two_tools"
NUMBERS = {tool: facts["of"] for tool, facts in json.loads((HERE / "said.json").read_text()).items()}
"""Tool -> judgments (`graded` or `binary`) -> measure -> number."""
COLUMNS = 80


def binary_qrels(folder: Path) -> Path:
    """Write the judgments as 0 and 1, and return the path of the file."""
    rows = [line.split() for line in (HERE / "qrels.txt").read_text().splitlines()]
    path = folder / "binary.txt"
    path.write_text("".join(f"{query} 0 {doc} {int(int(rel) > 0)}\n" for query, _, doc, rel in rows))
    return path


def text_of(qrels: str, measure: str, *options: str) -> str:
    """Return what the command prints on a terminal of 80 columns."""
    arguments = [qrels, str(HERE / "run.txt"), "-m", measure, *options]
    done = CliRunner().invoke(command, arguments, env={"COLUMNS": str(COLUMNS)})
    assert done.exit_code == 0, done.output
    return done.stdout


def facts_of(qrels: str, measure: str, *options: str) -> Any:
    """Return the JSON of the only explanation."""
    (explanation,) = json.loads(text_of(qrels, measure, *options, "--json"))["explanations"]
    return explanation


def value_options(measures: Mapping[str, str]) -> list[str]:
    """Return `--value` options with the numbers of tools for binary judgments, one measure for each tool."""
    numbers = [NUMBERS[tool]["binary"][measure] for tool, measure in measures.items()]
    return [word for number in numbers for word in ("--value", f"{number:.6f}")]
