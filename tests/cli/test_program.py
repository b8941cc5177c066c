"""Usage of all commands: help, former commands, and one line with exit code 2 for bad input."""

import subprocess
import sys
from pathlib import Path

import click
import pytest
from typed_commands import rankproof

from rankproof.cli.program import GROUPS, OLD, VERBS, cli


def test_help_lists_every_verb_once_and_imports_nothing_heavy() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "rankproof", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    listed = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ") and line.split()]
    assert [verb for verb in listed if verb in VERBS] == [verb for verbs in GROUPS.values() for verb in verbs]
    assert sorted(VERBS) == sorted(verb for verbs in GROUPS.values() for verb in verbs)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "click" in imported
    assert not {"pandas", "numpy", "jinja2", "jsonschema_rs", "rich", "msgspec", "ir_measures"} & imported


def test_twelve_verbs_share_the_types_of_their_options() -> None:
    assert len(VERBS) == 12
    context = click.Context(cli)
    commands = [command for verb in VERBS if (command := cli.get_command(context, verb)) is not None]
    commands += [child for group in commands if isinstance(group, click.Group) for child in group.commands.values()]
    meanings: dict[str, set[str]] = {}
    for command in commands:
        for option in command.params:
            for name in option.opts:
                meanings.setdefault(name, set()).add(type(option.type).__name__)
    shared = ("--details", "--adapters", "--timeout", "--memory", "--room")
    assert {name: len(meanings[name]) for name in shared} == dict.fromkeys(shared, 1)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("axes", "rankproof show axes"),
        ("axes ties=worst", "rankproof show ties=worst"),
        ("signature nDCG@10|gain:exp", "rankproof show 'nDCG@10|gain:exp'"),
        ("repro ties/none-tied ranx", "rankproof cases repro ties/none-tied ranx"),
        ("probe", "rankproof run --probe"),
    ],
)
def test_former_verb_prints_the_command_that_replaced_it(line: str, command: str, tmp_path: Path) -> None:
    done = rankproof(*line.split(), cwd=tmp_path)
    verb = line.split(maxsplit=1)[0]
    assert (done.code, done.out) == (2, "")
    assert done.err == f"rankproof: {verb} was replaced: type `{command}`\n"


def test_each_former_verb_is_replaced_by_a_known_verb() -> None:
    assert {command.split()[0] for command in OLD.values()} <= set(VERBS)
    assert not set(OLD) & set(VERBS)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("fly", "unknown command fly; choose from check, "),
        ("chekc", "did you mean check?"),
        ("run --library sclearn", "Unknown library 'sclearn'"),
        ("run --library sklearn --case tides/*", "no case matches tides/*"),
        ("run --library sklearn --timeout 0", "is not a valid time"),
        ("run --library sklearn --memory 8", "is not a valid size"),
        ("show tise", "Unknown name 'tise'. Did you mean ties?"),
        ("show ties=alphabetical", "Unknown convention ties=alphabetical."),
        ("show P@5|unexplained:many|by:x", "unexplained:many is not part of a signature"),
        ("show ranx --results here.json", "here.json:1: not JSON"),
        ("cases repro ../../etc/passwd sklearn", "Unknown case '../../etc/passwd'."),
        ("cases repro ties/straddles-cutoff sklearn infAP", "sklearn supports none of infAP"),
        ("report site -r not-there", "not-there"),
        ("report badge catboost -m Bpref", "catboost does not compute Bpref"),
        ("report picture -m Kappa", "Kappa"),
        ("env build nothing", "Unknown environment nothing"),
        ("sheet new sklearn", "sklearn.toml"),
    ],
)
def test_bad_input_is_one_line_with_exit_code_2_and_writes_nothing(line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "here.json").write_bytes(b"\n\nno")
    done = rankproof(*line.split(), cwd=tmp_path)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done.err
    assert message in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["here.json"]


@pytest.mark.parametrize("option", ["--out", "--publish"])
def test_unwritable_folder_is_refused_before_anything_runs(option: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = rankproof("run", "-l", "sklearn", option, tmp_path / "file" / "out", cwd=tmp_path)
    assert done.code == 2
    assert f"{tmp_path / 'file'} is not writable" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
