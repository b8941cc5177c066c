"""The pages of `docs`: examples print the shown output, and names in tables are names that rankproof reads."""

import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import published_run
import pytest
from places import ROOT
from typed_commands import rankproof

from rankproof.measure_names import measure_called
from rankproof.text import short

EXAMPLE = re.compile(r"<!-- shown( in demo)? -->\n```console\n\$ rankproof (.*)\n((?:.*\n)*?)```")
FILE = re.compile(r"<!-- file (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)
EXAMPLES = [
    (path.stem, match[1], match[2], match[3].splitlines(), dict(FILE.findall(text)))
    for path in sorted((ROOT / "docs").rglob("*.md"))
    for text in [path.read_text(encoding="utf-8")]
    for match in EXAMPLE.finditer(text)
]
"""Page, whether the example files are there, command, output, and the files that the page shows."""


def run(command: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


@pytest.mark.parametrize(
    ("page", "demo", "command", "expected", "files"),
    EXAMPLES,
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_example_prints_the_shown_output(
    page: str, demo: str | None, command: str, expected: list[str], files: dict[str, str], tmp_path: Path
) -> None:
    if demo:
        rankproof("demo", cwd=tmp_path)
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = rankproof(*shlex.split(command), cwd=tmp_path)
    lines = [line.rstrip() for line in done.out.rstrip().splitlines()]
    assert done.code in {0, 1}, (page, done.err)  # exit code 1 reports a finding, such as changed conventions
    whole = expected[-1] != "…"
    assert lines[: len(lines) if whole else len(expected) - 1] == (expected if whole else expected[:-1])


def test_each_value_of_the_beliefs_is_that_of_the_published_run() -> None:
    text = (ROOT / "docs" / "explanation" / "beliefs.md").read_text(encoding="utf-8").replace("\\", "")
    rows = re.findall(r"\| `([^`]+)` \| `([^`]+)` \| (\S+) \| (\S+) \|$", text, re.MULTILINE)
    assert len(rows) == len([line for line in text.splitlines() if line.startswith("| ")]) - 1
    values = {
        (row.case, row.measure, f"{row.library}/{row.variant}"): row.value
        for row in published_run.results().rows
        if row.query is None and row.value is not None
    }
    assert {row[:3]: row[3] for row in rows} == {row[:3]: short(values[row[:3]]) for row in rows}


def test_the_first_commands_work_in_an_empty_environment(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    """Install the wheel in an empty environment, then run the first commands of the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    install = readme.partition("<!-- install -->\n```sh\n")[2].partition("\n```")[0]
    commands = re.findall(r"^\$ (rankproof .*)$", readme, re.MULTILINE)
    assert len(commands) == 3
    typed = [install.replace("--quiet . ", f"--quiet {shlex.quote(str(wheel.filename))} "), *commands]
    assert typed[0] != install
    not_own = {"VIRTUAL_ENV", "PYTHONPATH", "COV_CORE_SOURCE"}
    own = {name: value for name, value in os.environ.items() if name not in not_own}
    own["PATH"] = f"{Path(sys.base_prefix) / 'bin'}:/usr/bin:/bin"
    own["PIP_NO_COMPILE"] = "1"  # a twentieth of the installed packages is imported
    done = run(["bash", "-ec", "\n".join(typed)], cwd=tmp_path, env=own)
    assert done.returncode == 0, done.stderr
    assert "P@10|score:f32" in done.stdout


@pytest.mark.parametrize(
    ("shell", "words", "completed"),
    [("bash", "rankproof exp", "explain"), ("zsh", "rankproof sho", "show"), ("fish", "rankproof upg", "upgrade")],
)
def test_the_shell_completes(shell: str, words: str, completed: str) -> None:
    program = Path(sys.executable).parent / "rankproof"
    word = words.rsplit(maxsplit=1)[-1] if shell == "fish" else "1"
    for what, printed in (("source", "_RANKPROOF_COMPLETE"), ("complete", completed)):
        typed = {"COMP_WORDS": words, "COMP_CWORD": word, "_RANKPROOF_COMPLETE": f"{shell}_{what}"}
        assert printed in run([str(program)], env=os.environ | typed).stdout


NAMES = [
    (name, meant)
    for page in ("recommendations", "retrieval-for-language-models")
    for text in [(ROOT / "docs" / "how-to" / f"{page}.md").read_text(encoding="utf-8")]
    for cells in re.findall(r"^\| ([^|`]+) \| ([^|]*`[^|]*) \|", text, re.MULTILINE)
    for name in re.findall(r"[\w ]+@k(?! of one)|hit rate", cells[0])
    for meant in re.findall(r"`([A-Za-z]+@?k?)`", cells[1])[:1]
]


@pytest.mark.parametrize(("name", "meant"), NAMES)
def test_a_name_of_other_tools_is_read_as_the_page_says(name: str, meant: str) -> None:
    assert len(NAMES) > 6
    text = name.strip().replace(" ", "_").replace("@k", "@3")
    assert str(measure_called(text)).partition("@")[0] == meant.partition("@")[0]
