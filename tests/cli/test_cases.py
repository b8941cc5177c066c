"""`rankproof cases`: list, lint, export and repro."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from typed_commands import rankproof

from rankproof import cases as corpus

HEAD = 'question = "a question of some length"\nwhy = "because it is"\nsource = "own"\ntags = ["t"]\n'


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        (["gain/*"], {case.id for case in corpus.load_all() if case.id.startswith("gain/")}),
        (["gain"], {case.id for case in corpus.load_all() if case.id.startswith("gain/")}),
        (["-t", "headline"], {case.id for case in corpus.load_all() if "headline" in case.tags}),
    ],
)
def test_cases_are_listed_by_globs_and_tags(arguments: list[str], ids: set[str], tmp_path: Path) -> None:
    done = rankproof("cases", "list", *arguments, cwd=tmp_path)
    assert {line.split()[0] for line in done.out.splitlines()} == ids
    facts = json.loads(rankproof("cases", "list", *arguments, "--json", cwd=tmp_path).out)
    assert {case["id"] for case in facts} == ids


@pytest.mark.parametrize("arguments", [["no/*"], ["tyes"], ["-t", "nothing"], ["tyes", "--json"]])
def test_list_without_a_case_is_an_error_with_the_topics(arguments: list[str], tmp_path: Path) -> None:
    done = rankproof("cases", "list", *arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    wanted = next(word for word in arguments if not word.startswith("-"))
    assert done.err.startswith(f"rankproof: No case matches {wanted}. Topics: axes, cutoff, ")


def test_case_and_library_of_a_reproduction_may_be_in_any_order(tmp_path: Path) -> None:
    first = rankproof("cases", "repro", "ties/renamed-doc", "sklearn", "nDCG@10", cwd=tmp_path)
    second = rankproof("cases", "repro", "sklearn", "ties/renamed-doc", "nDCG@10", cwd=tmp_path)
    assert (first.code, first.out) == (second.code, second.out)
    assert first.out.startswith("# ties/renamed-doc: ")
    third = rankproof("cases", "repro", "ties/renamed-dok", "sklearn", cwd=tmp_path)
    assert third.err == "rankproof: Unknown case 'ties/renamed-dok'. Did you mean ties/renamed-doc?\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question = \n", "bad.toml:1: not TOML: Invalid value"),
        ('question = "a question of some length"\nwy = "x"\n', "Additional properties are not allowed ('wy'"),
        (f'{HEAD}run = "q1 a 1"\nqrels = """\nq1 a 1\nq1 a\n"""\n[expect.AP]\nstandard = "1"\n', "bad.toml:8: 'q1 a'"),
    ],
)
def test_bad_case_is_one_line_with_file_and_line(text: str, message: str, tmp_path: Path) -> None:
    bad = tmp_path / "topic" / "bad.toml"
    bad.parent.mkdir()
    bad.write_text(text, encoding="utf-8")
    done = rankproof("cases", "lint", bad, cwd=tmp_path)
    assert (done.code, message in done.out) == (1, True), done.out
    assert done.err == "0 cases, 0 expected values, 1 fault\n"


def test_export_follows_its_schema_and_is_complete(tmp_path: Path) -> None:
    exported = json.loads(rankproof("cases", "export", cwd=tmp_path).out)
    jsonschema.Draft202012Validator(
        json.loads((corpus.HERE / "export.schema.json").read_text(encoding="utf-8"))
    ).validate(exported)
    assert [case["id"] for case in exported["cases"]] == [case.id for case in corpus.load_all()]


def test_reproduction_script_needs_only_the_library(tmp_path: Path) -> None:
    done = rankproof("cases", "repro", "ties/constant-scorer", "sklearn/rows", "nDCG@3", cwd=tmp_path)
    assert done.code == 0
    (tmp_path / "repro.py").write_text(done.out, encoding="utf-8")
    command = [sys.executable, "-I", str(tmp_path / "repro.py")]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "nDCG@3" in ran.stdout
    assert "rankproof" not in [line.split()[1] for line in done.out.splitlines() if line.startswith("import ")]
