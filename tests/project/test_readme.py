"""README.md and the pages of `docs`: examples print the shown output, and links lead to existing pages."""

import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from documentation_blocks import ALL_TEXT, PAGES, README, ROOT, block
from typed_commands import rankproof

from rankproof.cli.program import Verbs

GENERATED = {
    f"docs/reference/{name}.md" for name in ("measures", "choices", "commands", "python", "schemas", "exit-codes")
}
EXAMPLES = (
    "first check",
    "first explain",
    "first evaluate",
    "axes",
    "check",
    "explain",
    "explain-value",
    "explain-query",
)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of `rankproof demo`, which the examples use."""
    folder = tmp_path_factory.mktemp("demo")
    rankproof("demo", cwd=folder)
    return folder


@pytest.mark.parametrize("mark", EXAMPLES)
def test_an_example_prints_the_shown_output(mark: str, demo: Path) -> None:
    command, *expected = block(mark).splitlines()
    done = rankproof(*shlex.split(command)[2:], cwd=demo)
    unexpected = [line for line in done.err.splitlines() if not line.startswith("warning: ")]
    assert (done.code, unexpected) == (0, [])
    lines = done.out.rstrip("\n").splitlines()
    assert (lines[: len(expected) - 1] == expected[:-1]) if expected[-1] == "…" else (lines == expected)


@pytest.mark.parametrize("name", ["evaluate", "tracks"])
def test_a_table_of_speed_has_the_measured_values(name: str) -> None:
    benchmark = runpy.run_path(str(ROOT / "benchmarks" / f"{name}.py"))
    measured = json.loads((ROOT / "benchmarks" / f"{name}.json").read_text(encoding="utf-8"))
    table, _, text = ALL_TEXT.partition(f"<!-- benchmarks/{name}.json -->\n")[2].partition("\n\n")
    assert table == benchmark["table"](measured)
    if name == "evaluate":
        sentence = f"The command takes {measured['cold start of a small file']:.2f} s with a small file."
        assert sentence in text.replace("\n", " ")


def test_demo_writes_the_files_and_prints_the_commands_of_the_readme(tmp_path: Path) -> None:
    readme_files, written = tmp_path / "readme_files", tmp_path / "written here"
    readme_files.mkdir()
    (readme_files / "mymetrics.py").write_text(block("mymetrics.py") + "\n", encoding="utf-8")
    subprocess.run([sys.executable, "-c", block("ties.py")], check=True, cwd=readme_files)
    for _ in range(2):  # all files exist on the second run
        done = rankproof("demo", str(written), cwd=tmp_path)
        assert (done.code, done.err) == (0, "")
    texts = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in (readme_files, written)]
    assert texts[0] == texts[1]
    assert len(texts[0]) == 3
    first, cd, *commands = filter(None, done.out.splitlines())
    assert (first, cd) == ("Created mymetrics.py, qrels.txt, run.txt. Next, run:", f"cd '{written}'")
    readme = [block(f"first {verb}").partition("\n")[0] for verb in ("check", "explain", "evaluate")]
    assert [f"$ {command}" for command in commands] == readme
    assert block("install").endswith("&& pip install --quiet . && rankproof demo demo && cd demo")


@pytest.mark.parametrize("name", ["mymetrics.py", "qrels.txt", "run.txt"])
def test_demo_overwrites_no_other_file(name: str, tmp_path: Path) -> None:
    for make in (Path.touch, Path.mkdir):
        folder = tmp_path / make.__name__
        folder.mkdir()
        make(folder / name)
        done = rankproof("demo", folder.name, cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        assert f"{folder.name}/{name} already exists with different content" in done.err
        assert [path.name for path in folder.iterdir()] == [name]


def test_demo_leaves_a_symbolic_link_alone(tmp_path: Path) -> None:
    whole, linked = tmp_path / "whole", tmp_path / "linked"
    assert rankproof("demo", "whole", cwd=tmp_path).code == 0
    linked.mkdir()
    for target in (tmp_path / "nowhere", whole / "qrels.txt"):  # also if the other file has the same content
        link = linked / "qrels.txt"
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        assert rankproof("demo", "linked", cwd=tmp_path).code == 2
        assert (link.is_symlink(), list(linked.iterdir())) == (True, [link])


def test_every_command_of_the_first_table_exists_with_its_options() -> None:
    table = PAGES[ROOT / "docs" / "index.md"].partition("| you … | type |")[2].partition("\n\n")[0].replace("\\|", "|")
    for text in re.findall(r"`rankproof ([^`]+)`", table):
        verb, *arguments = shlex.split(text)
        command = Verbs().get_command(None, verb)
        assert command is not None, text
        options = {name for parameter in command.params for name in parameter.opts}
        assert {word for word in arguments if word.startswith("-")} <= options, text


def test_table_of_three_libraries_has_the_values_that_the_libraries_compute() -> None:
    for library in ("pytrec_eval", "sklearn", "ranx"):
        pytest.importorskip(library)
    script, environment = block("three_libraries.py"), os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == block("three libraries printed") + "\n"
    for measure, *values in (line.split() for line in done.stdout.splitlines()[1:]):
        assert f"| **{measure}** | {' | '.join(f'**{value}**' for value in values)} |\n" in README


@pytest.mark.parametrize(("name", "options"), [("matrix.svg", []), ("matrix-dark.svg", ["--dark"])])
def test_the_picture_shows_the_published_run(name: str, options: list[str], tmp_path: Path) -> None:
    """To update it, type `rankproof report picture -o docs/pictures/matrix.svg`, and the same with --dark."""
    rankproof("report", "picture", "-o", "now.svg", *options, cwd=tmp_path)
    assert (tmp_path / "now.svg").read_bytes() == (ROOT / "docs" / "pictures" / name).read_bytes()
    assert f'"docs/pictures/{name}"' in README


def test_every_link_leads_to_an_existing_page() -> None:
    links = [
        (page, link) for page, text in PAGES.items() for link in re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", text)
    ]
    assert len(links) > 50
    assert [f"{page.name}: {link}" for page, link in links if not leads(page, link)] == []


def leads(page: Path, link: str) -> bool:
    """Return whether a file exists, or is a page of the reference, which the build of the documentation generates."""
    target = (page.parent / link).resolve()
    return target.exists() or target.relative_to(ROOT).as_posix() in GENERATED


def test_the_index_links_every_page() -> None:
    index = PAGES[ROOT / "docs" / "index.md"]
    assert "(docs/index.md)" in README
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in PAGES if path.name not in {"README.md", "index.md"}}
    assert {page for page in pages if f"({page})" not in index} == set()
