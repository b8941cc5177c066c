"""The pages of docs show what is printed, and the names in their tables are those that rankproof reads."""

import os
import re
import shlex
import subprocess
import sys
import zipfile
from math import log2
from pathlib import Path
from typing import Any

import published_run
import pytest
from places import ROOT
from typed_commands import rankproof

from rankproof import evaluate
from rankproof.measure_names import measure_called
from rankproof.reference_impl.conventions import AXES
from rankproof.text import short

SHOWN = re.compile(r"<!-- shown( in demo)? -->\n```console\n\$ rankproof (.*)\n((?:.*\n)*?)```")
EXAMPLES = [
    (path.stem, match[1], match[2], match[3].splitlines())
    for path in sorted((ROOT / "docs").rglob("*.md"))
    for match in SHOWN.finditer(path.read_text(encoding="utf-8"))
]


def run(command: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


@pytest.mark.parametrize(
    ("page", "demo", "command", "shown"), EXAMPLES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_an_example_prints_what_is_shown(
    page: str, demo: str | None, command: str, shown: list[str], tmp_path: Path
) -> None:
    if demo:
        rankproof("demo", cwd=tmp_path)
    done = rankproof(*shlex.split(command), cwd=tmp_path)
    lines = [line.rstrip() for line in done.out.rstrip().splitlines()]
    assert done.code in {0, 1}, (page, done.err)  # 1 where something is found, as that a library moved
    whole = shown[-1] != "…"
    assert lines[: len(lines) if whole else len(shown) - 1] == (shown if whole else shown[:-1])


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
    """Install the wheel in an empty environment; then type the first commands of the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    install = readme.partition("<!-- install -->\n```sh\n")[2].partition("\n```")[0]
    commands = re.findall(r"^\$ (rankproof .*)$", readme, re.MULTILINE)
    assert len(commands) == 3
    typed = [install.replace("--quiet . ", f"--quiet {shlex.quote(str(wheel.filename))} "), *commands]
    assert typed[0] != install
    not_own = {"VIRTUAL_ENV", "PYTHONPATH", "COV_CORE_SOURCE"}
    own = {name: value for name, value in os.environ.items() if name not in not_own}
    own["PATH"] = f"{Path(sys.base_prefix) / 'bin'}:/usr/bin:/bin"
    own["PIP_NO_COMPILE"] = "1"  # of what is installed, a twentieth is imported
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


# -- what the pages for recommendations and for language models say of names, on data as they have it --------------------

ITEMS = ["i4", "i9", "i1", "i7", "i2"]
HELD_OUT = {"u1": "i9", "u2": "i4", "u3": "i8", "u4": "i2"}
RANKS = {"u1": 2, "u2": 1, "u3": None, "u4": 5}
RANKED = dict.fromkeys(HELD_OUT, ITEMS)
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


@pytest.mark.parametrize("k", [1, 2, 3, 5, 10])
def test_with_one_relevant_item_each_measure_is_a_function_of_its_rank(k: int) -> None:
    within = {user: rank is not None and rank <= k for user, rank in RANKS.items()}
    expected = {
        "Success": {user: float(hit) for user, hit in within.items()},
        "R": {user: float(hit) for user, hit in within.items()},
        "RR": {user: 1 / (RANKS[user] or 1) * hit for user, hit in within.items()},
        "nDCG": {user: 1 / log2(1 + (RANKS[user] or 1)) * hit for user, hit in within.items()},
    }
    for measure, values in expected.items():
        assert evaluate(f"{measure}@{k}", HELD_OUT, RANKED).per_query[f"{measure}@{k}"] == pytest.approx(values), (
            measure
        )
    for divisor in AXES["ap_denominator"].values:
        result = evaluate(f"AP@{k}", HELD_OUT, RANKED, profile=f"ap_denominator={divisor}")
        by_rank = result.per_query[f"AP@{k}"] == pytest.approx(expected["RR"])
        assert by_rank is (k == 1 or divisor not in {"k", "mean-p"}), divisor


def test_context_precision_that_divides_by_the_hits_is_ap_by_the_hits() -> None:
    flags, relevant = [0, 1, 0, 1, 1], {"q": ["i9", "i7", "i2", "i0"]}
    precisions = [sum(flags[:i]) / i for i, flag in enumerate(flags, start=1) if flag]
    by_hits = evaluate("AP@5", relevant, {"q": ITEMS}, profile="ap_denominator=hits")
    assert by_hits.mean["AP@5"] == pytest.approx(sum(precisions) / sum(flags))
    assert evaluate("AP@5", relevant, {"q": ITEMS}).mean["AP@5"] == pytest.approx(sum(precisions) / 4)
