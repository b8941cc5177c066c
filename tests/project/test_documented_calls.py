"""The calls in docs/check.md print the shown output; the tables of ingredients there and in `--help` are complete."""

import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import chdir
from pathlib import Path

import pytest
from click.testing import CliRunner
from places import ROOT

from rankproof.check.ingredients import INGREDIENTS
from rankproof.cli.program import cli
from rankproof.declarations import KEYS

PAGE = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
TEN = PAGE.partition("\n## Ten calls\n")[2].partition("\n## ")[0]
BLOCK = re.compile(r"(<!-- .* -->\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(comment, kind, text) for comment, kind, text in BLOCK.findall(PAGE) if not comment]
"""Blocks of code; test_readme.py and test_documentation.py run the blocks after a comment."""
FILES = {text.split("\n")[0].removeprefix("# "): text for _, kind, text in BLOCKS if text.startswith("# ")}
CALLS = [text.partition("\n")[::2] for _, kind, text in BLOCKS if kind == "console"]
"""Commands with the output that the page shows."""


def exit_code(output: str) -> int:
    """Return the exit code that fits the first sentence of an output."""
    if "Type one of" in output:
        return 2
    return int(" is not " in output.partition("\n")[0])


@pytest.mark.parametrize(("line", "output"), CALLS, ids=[line.split('"')[0].split()[-1] for line, _ in CALLS])
def test_documented_call_prints_the_documented_lines(line: str, output: str, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    variables, _, arguments = line.removeprefix("$ ").partition("rankproof ")
    env = dict(variable.split("=") for variable in variables.split())
    with chdir(tmp_path):
        ended = CliRunner(env=env).invoke(cli, shlex.split(arguments), standalone_mode=False, catch_exceptions=False)
    lines = ended.output.splitlines()
    assert "\n".join(lines[: output.count("\n")]) + "\n" == output
    assert ended.return_value == exit_code(output)


def test_documented_notebook_cell_prints_the_documented_lines() -> None:
    match = re.search(r"```python\n(import [^`]*)```\n\n```text\n([^`]*)```", TEN)
    assert match is not None
    done = subprocess.run([sys.executable, "-c", match[1]], capture_output=True, text=True, check=True)
    assert done.stdout == match[2]


@pytest.mark.parametrize(("heading", "of_all"), [("one query", False), ("all queries", True)])
def test_documented_tables_have_all_ingredients(heading: str, *, of_all: bool) -> None:
    table = PAGE.partition(f"\nIngredients of {heading}:\n\n")[2].partition("\n\n")[0].splitlines()
    ingredients = [ingredient for ingredient in INGREDIENTS.values() if ingredient.of_all is of_all]
    assert table[2:] == [f"| `{own.name}` | `{own.type}` | {own.text} |" for own in ingredients]


def test_help_lists_the_ingredients_and_fits_on_a_screen() -> None:
    text = CliRunner().invoke(cli, ["check", "--help"], terminal_width=80).output
    assert len(text.splitlines()) <= 50
    assert max(map(len, text.splitlines())) <= 80
    listed = re.findall(
        r"^ {4}(\w+) +(.+)$", text.partition("Ingredients of one query")[2].partition("Exit codes")[0], re.MULTILINE
    )
    assert listed == [(own.name, own.text) for own in INGREDIENTS.values()]


def test_all_options_are_documented() -> None:
    options = {name for parameter in cli.get_command(None, "check").params for name in parameter.opts}
    documented = set(re.findall(r"`(--[a-z]+)", PAGE.partition("| option |")[2].partition("\n\n")[0]))
    assert documented == {name for name in options if name.startswith("--")} - {"--help"}


def test_all_keys_of_the_plugin_are_documented() -> None:
    entry = tomllib.loads(re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)[1])["tool"]["rankproof"]["check"][0]
    assert entry.keys() < set(KEYS)
    assert all(f"`{key}`" in PAGE for key in KEYS if key not in entry)
