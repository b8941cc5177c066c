"""The documentation has no dead link, is searchable, and shows what is printed; a stranger gets through the first screen in two minutes."""

import json
import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import published_run
import pytest
from typed import rankproof

from rankproof.cli import VERBS
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.measures import MEASURES
from rankproof.text import short

ROOT = Path(__file__).resolve().parent.parent
SHOWN = re.compile(r"<!-- shown( in demo)? -->\n```console\n\$ rankproof (.*)\n((?:.*\n)*?)```")
EXAMPLES = [
    (path.stem, bool(found[1]), found[2], found[3].splitlines())
    for path in sorted((ROOT / "docs").rglob("*.md"))
    for found in SHOWN.finditer(path.read_text(encoding="utf-8"))
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The documentation with a link that leads nowhere, and what its making says: nothing else is wrong, and all of it is made."""
    folder = tmp_path_factory.mktemp("documentation")
    for path in ROOT.iterdir():
        if path.name in {"mkdocs.yml", "docs"}:
            subprocess.run(["cp", "-r", str(path), str(folder)], check=True)
        elif not path.name.startswith("."):
            (folder / path.name).symlink_to(path)
    with (folder / "docs" / "words.md").open("a", encoding="utf-8") as page:
        page.write("\n[nowhere](no-such-page.md)\n")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(folder / "mkdocs.yml")]
    nowhere = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [*command, "-d", str(folder / "site")],
        env={**os.environ, **nowhere},
        capture_output=True,
        text=True,
        check=False,
    )
    return folder / "site", done


@pytest.fixture(scope="module")
def site(built: tuple[Path, subprocess.CompletedProcess[str]]) -> Path:
    return built[0]


def test_a_dead_link_is_a_failure_and_there_is_no_other(built: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    _, done = built
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert [
        line for line in said.splitlines() if line.startswith(("WARNING", "ERROR")) and "no-such-page.md" not in line
    ] == []
    assert "Aborted with 1 warnings in strict mode!" in said
    assert "no-such-page.md" in said


def test_every_verb_measure_and_axis_is_in_the_reference_and_is_found_by_search(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    titles = {(entry["location"].partition("#")[0], entry["title"]) for entry in index["docs"]}
    for page, names in {
        "measures": MEASURES,
        "choices": AXES,
        "commands": [f"rankproof {verb}" for verb in VERBS],
    }.items():
        assert {(f"reference/{page}.html", name) for name in names} <= titles
    everything = json.dumps(index)
    assert "leave-one-out" in everything
    assert "hit rate" in everything


def test_the_pages_need_no_network(site: Path) -> None:
    for page in site.rglob("*.html"):
        fetched = re.findall(
            r'<(?:script|img|link)[^>]+(?:src|href)="?(https?://[^" >]+)', page.read_text(encoding="utf-8")
        )
        assert fetched == [], page.name


@pytest.mark.parametrize(
    ("page", "in_demo", "command", "shown"), EXAMPLES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_is_shown_is_printed(page: str, in_demo: bool, command: str, shown: list[str], tmp_path: Path) -> None:  # noqa: FBT001
    if in_demo:
        rankproof("demo", cwd=tmp_path)
    done = rankproof(*shlex.split(command), cwd=tmp_path)
    lines = [line.rstrip() for line in done.out.rstrip().splitlines()]
    assert done.code in {0, 1}, (page, done.err)  # 1 where something is found, as that a library moved
    whole = shown[-1] != "…"
    assert lines[: len(lines) if whole else len(shown) - 1] == (shown if whole else shown[:-1])


def test_each_belief_has_its_answer_in_the_published_run() -> None:
    text = (ROOT / "docs" / "explanation" / "beliefs.md").read_text(encoding="utf-8").replace("\\", "")
    rows = re.findall(r"\| `([^`]+)` \| `([^`]+)` \| (\S+) \| (\S+) \|$", text, re.MULTILINE)
    assert len(rows) == len([line for line in text.splitlines() if line.startswith("| ")]) - 1
    values = {
        (row.case, row.measure, f"{row.library}/{row.variant}"): row.value
        for row in published_run.results().rows
        if row.query is None and row.value is not None
    }
    assert {row[:3]: row[3] for row in rows} == {row[:3]: short(values[row[:3]]) for row in rows}


def test_a_stranger_gets_through_the_first_screen(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    """The wheel in an environment that has nothing; then what the README shows first, as it stands there."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    install = readme.partition("<!-- install -->\n```sh\n")[2].partition("\n```")[0]
    commands = re.findall(r"^\$ (rankproof .*)$", readme, re.MULTILINE)
    assert len(commands) == 3
    typed = [install.replace("--quiet . ", f"--quiet {shlex.quote(str(wheel.filename))} "), *commands]
    assert typed[0] != install
    own = {
        name: value
        for name, value in os.environ.items()
        if name not in {"VIRTUAL_ENV", "PYTHONPATH", "COV_CORE_SOURCE"}
    }
    own["PATH"] = f"{Path(sys.base_prefix) / 'bin'}:/usr/bin:/bin"
    done = subprocess.run(
        ["bash", "-ec", "\n".join(typed)], cwd=tmp_path, env=own, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "P@10|score:f32" in done.stdout


@pytest.mark.parametrize(
    ("shell", "words", "said"),
    [("bash", "rankproof exp", "explain"), ("zsh", "rankproof bad", "badge"), ("fish", "rankproof cit", "cite")],
)
def test_the_shell_completes(shell: str, words: str, said: str) -> None:
    program = Path(sys.executable).parent / "rankproof"
    source = subprocess.run(
        [program],
        env={**os.environ, "_RANKPROOF_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "_RANKPROOF_COMPLETE" in source.stdout
    word = words.rsplit(maxsplit=1)[-1] if shell == "fish" else "1"
    asked = {"_RANKPROOF_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": word}
    done = subprocess.run([program], env={**os.environ, **asked}, capture_output=True, text=True, check=False)
    assert said in done.stdout
