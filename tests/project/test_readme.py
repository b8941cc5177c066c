"""What the README and the pages of docs show is what is printed today."""

import json
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from documentation_blocks import PAGES, README, ROOT, SHOWN, block
from typed_commands import rankproof

from rankproof.cli.program import Verbs

MADE = {f"docs/reference/{name}.md" for name in ("measures", "choices", "commands", "python", "schemas", "exit-codes")}
RANKPROOF = str(Path(sys.executable).parent / "rankproof")


def test_the_example_of_check_is_what_it_prints(tmp_path: Path) -> None:
    rankproof("demo", cwd=tmp_path)
    command, _, shown = block("check").partition("\n")
    assert command.startswith("$ rankproof check mymetrics.py ")
    done = subprocess.run(
        [RANKPROOF, *shlex.split(command)[2:]], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.rstrip("\n") == shown


@pytest.mark.parametrize("name", ["evaluate", "tracks"])
def test_a_table_of_speed_is_what_was_measured(name: str) -> None:
    benchmark = runpy.run_path(str(ROOT / "benchmarks" / f"{name}.py"))
    found = json.loads((ROOT / "benchmarks" / f"{name}.json").read_text(encoding="utf-8"))
    shown = SHOWN.partition(f"<!-- benchmarks/{name}.json -->\n")[2].partition("\n\n")
    assert shown[0] == benchmark["table"](found)
    if name == "evaluate":
        said = f"The command takes {found['cold start of a small file']:.2f} s with a small file."
        assert said in shown[2].replace("\n", " ")


def test_the_example_of_explain_is_what_it_prints(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", block("ties.py")], check=True, cwd=tmp_path)
    for mark in ("explain", "explain-value", "explain-query"):
        command, _, shown = block(mark).partition("\n")
        assert command.startswith("$ rankproof explain ")
        done = rankproof(*command.split()[2:], cwd=tmp_path)
        assert (done.code, done.err) == (0, "")
        assert begins_as_shown(done.out.splitlines(), shown.splitlines())


def begins_as_shown(found: list[str], shown: list[str]) -> bool:
    """Whether a text is, or begins with, the lines that are shown; "…" stands for what is left out at their end."""
    return found[: len(shown) - (shown[-1] == "…")] == [line for line in shown if line != "…"]


def printed(command: str, folder: Path) -> list[str]:
    done = rankproof(*shlex.split(command)[2:], cwd=folder)
    # What is said beside the numbers of evaluate is no part of them, and the first screen has them alone.
    beside = [line for line in done.err.splitlines() if not line.startswith("warning: ")]
    assert (done.code, beside) == (0, [])
    return done.out.splitlines()


def test_the_files_that_the_readme_shows_are_those_that_demo_writes(tmp_path: Path) -> None:
    made, written = tmp_path / "made", tmp_path / "written here"
    made.mkdir()
    (made / "mymetrics.py").write_text(block("mymetrics.py") + "\n", encoding="utf-8")
    subprocess.run([sys.executable, "-c", block("ties.py")], check=True, cwd=made)
    for _ in range(2):  # the second time all of it is there
        done = rankproof("demo", str(written), cwd=tmp_path)
        assert (done.code, done.err) == (0, "")
    texts = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in (made, written)]
    assert texts[0] == texts[1]
    assert len(texts[0]) == 3
    first, cd, *commands = filter(None, done.out.splitlines())
    assert (first, cd) == ("mymetrics.py, qrels.txt, run.txt written. Now type", f"cd '{written}'")
    first_of_all = [block(f"first {verb}").partition("\n")[0] for verb in ("check", "explain", "evaluate")]
    assert [f"$ {command}" for command in commands] == first_of_all


@pytest.mark.parametrize("name", ["mymetrics.py", "qrels.txt", "run.txt"])
def test_demo_leaves_alone_what_is_another_file(name: str, tmp_path: Path) -> None:
    for make in (lambda path: path.write_text("mine\n"), lambda path: path.mkdir()):
        folder = tmp_path / make.__code__.co_names[0]
        folder.mkdir()
        make(folder / name)
        done = rankproof("demo", folder.name, cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        said = f"{folder.name}/{name}: the file exists with another content; write `rankproof demo OTHER_FOLDER`"
        assert done.err == f"rankproof: {said}\n"
        assert [path.name for path in folder.iterdir()] == [name]


def test_the_first_screen_shows_what_is_printed(tmp_path: Path) -> None:
    assert block("install").endswith("&& pip install --quiet . && rankproof demo demo && cd demo")
    assert "\n" not in block("install")
    rankproof("demo", cwd=tmp_path)
    # The section of check is tested as a whole.
    assert block("check").startswith(block("first check").removesuffix("\n…"))
    for mark in ("first explain", "first evaluate", "axes"):
        command, *shown = block(mark).splitlines()
        found = printed(command, tmp_path)
        assert shown[-1] == "…" or len(found) == len(shown), mark
        assert begins_as_shown(found, shown), mark


def test_every_command_of_the_first_table_is_one(tmp_path: Path) -> None:
    table = README.partition("| you … | type |")[2].partition("\n\n")[0].replace("\\|", "|")
    for command in re.findall(r"`rankproof ([^`]+)`", table):
        verb, *arguments = shlex.split(command)
        found = Verbs().get_command(None, verb)
        assert found is not None, command
        options = {name for parameter in found.params for name in parameter.opts}
        assert {word for word in arguments if word.startswith("-")} <= options, command
    subprocess.run([sys.executable, "-c", block("ties.py")], check=True, cwd=tmp_path)
    for profile in ("trec_eval", "sklearn/rows", "catboost"):
        assert printed(f"$ rankproof explain qrels.txt run.txt -m nDCG@10 --as {profile}", tmp_path)


def test_the_readme_is_two_screens_and_what_follows_from_it() -> None:
    assert len(README.splitlines()) <= 120


@pytest.mark.parametrize(("name", "options"), [("matrix.svg", []), ("matrix-dark.svg", ["--dark"])])
def test_the_picture_is_of_the_published_run(name: str, options: list[str], tmp_path: Path) -> None:
    """Else type `rankproof picture -o docs/pictures/matrix.svg`, and the same with --dark."""
    rankproof("report", "picture", "-o", "now.svg", *options, cwd=tmp_path)
    assert (tmp_path / "now.svg").read_bytes() == (ROOT / "docs" / "pictures" / name).read_bytes()
    assert f'"docs/pictures/{name}"' in README


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", PAGES[page])
    assert [link for link in links if not leads(page, link)] == []


def leads(page: Path, link: str) -> bool:
    """Whether a file is there, or a page of the reference, which is made from the code when the documentation is built."""
    target = (page.parent / link).resolve()
    return target.exists() or target.relative_to(ROOT).as_posix() in MADE


def test_the_readme_leads_to_every_page_that_is_no_page_of_the_index() -> None:
    index = PAGES[ROOT / "docs" / "index.md"]
    assert "(docs/index.md)" in README
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in PAGES if path.name not in {"README.md", "index.md"}}
    assert {page for page in pages if f"({page})" not in index} == set()
