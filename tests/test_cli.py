"""The command line: exit codes, one-line errors, no traceback ever."""

import json
import subprocess
import sys
import venv
from functools import partial
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner
from typed import rankproof

from rankproof import cases as corpus
from rankproof.cli.program import cli
from rankproof.files import NotWritable, check_writable
from rankproof.judge import corpus_rules
from rankproof.workers import library_worker
from rankproof.workers.known_libraries import libraries


def test_help_is_there_and_imports_nothing_heavy() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "rankproof", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert all(verb in done.stdout for verb in ("run", "evaluate", "libraries", "cases", "repro", "sheet"))
    told = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    heavy = {"pandas", "numpy", "jinja2", "jsonschema", "rich", "ir_measures"} & told
    assert heavy == set()
    assert "click" in told, "what is imported is told"


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fly", "fly is no verb; known are demo, run, "),
        ("chekc", "did you mean check?"),
        ("run --library sclearn", "rankproof: sclearn is no library"),
        ("run --library sklearn --case tides/*", "no case matches tides/*"),
        ("run --once --twice", "a question is asked --once or --twice, not both"),
        ("run --library sklearn --timeout 0", "no time to wait"),
        ("run --library sklearn --memory 8", "no size of memory"),
        *(
            (f"run --library sklearn --hub {text}", "no commit")
            for text in ("main", "a" * 39, "b" * 41, f"{'c' * 40}/x")
        ),
        ("run --library sklearn --python catboost=python3 --python sklearn", "write LIBRARY=PATH"),
        (
            "run --library sklearn --python catboost=python3 --python sklearn=/no/python",
            "sklearn: there is no program /no/python",
        ),
        ("cases show", "rankproof cases show: Missing argument 'CASE'; see `rankproof cases show --help`\n"),
        ("cases show ties/none", "ties/none is no case"),
        ("cases show ../../etc/passwd", "is no case"),
        ("cite P@1 /", "Got unexpected extra argument (/); see `rankproof cite --help`\n"),
        ("cite nDCG@", "nDCG@"),
        ("report not-there", "Got unexpected extra argument (not-there); see `rankproof report --help`\n"),
        ("bisect sklearn ties/renamed-doc --until new", "Invalid value for --until: 'new' is no version"),
        ("repro ties/straddles-cutoff sklearn infAP", "sklearn supports none of infAP"),
        ("repro ties/straddles-cutoff sklearn --variant sideways", "sklearn has no variant sideways"),
        ("badge", "name a library, or a function's answers by --check, and not both"),
        ("badge catboost --check here.json", "name a library, or a function's answers by --check, and not both"),
        ("badge catboost -m Bpref", "catboost does not answer Bpref; it answers AP"),
        ("badge --check here.json", "here.json:3: this is no JSON"),
        ("badge sklern", "sklern"),
        ("picture -m Kappa", "Kappa"),
        ("data --history here.json", "here.json:3: this is no JSON"),
        ("data --fingerprints here.json", "here.json:3: this is no JSON"),
        ("fingerprint --results here.json", "here.json:1: this is no JSON"),
        ("check here.json f(rels) P@5", "here.json cannot be imported: "),
        ("check here.py f(rels) P@5", "here.py does not exist."),
        ("check here.py --assume binary", "No such option '--assume'; see `rankproof check --help`"),
        ("explain here.json here.json", "say which measure: -m nDCG@10"),
        (
            "evaluate here.json here.json -m P@5|ties:input",
            "P@5|ties:input is a signature, and no measure: ask for it by --signature",
        ),
        ("evaluate here.json here.json --profile P@5|ties:input", "P@5|ties:input is a signature, and no profile"),
        ("signature P@5|unexplained:many|by:x", "unexplained:many is no part of a signature: write how many answers"),
        ("upgrade --requirements bytes.txt bytes.txt", "bytes.txt cannot be read: "),
        ("upgrade --requirements no.toml no.toml", "no.toml: it is no TOML: "),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_code_2_and_nothing_is_written(
    line: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankproof.cli.waiting.asked", asked_in_vain)
    given = {"here.json": b"\n\nno", "no.toml": b"no =", "bytes.txt": b"\xff"}
    for name, text in given.items():
        (tmp_path / name).write_bytes(text)
    done = rankproof(*line.split(), cwd=tmp_path)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done.err
    assert said in done.err
    assert {path.name for path in tmp_path.iterdir()} == {*given}


def asked_in_vain(*_: object, **__: object) -> None:
    raise AssertionError("somebody was asked")


def test_an_unreadable_case_names_file_line_and_mend(tmp_path: Path) -> None:
    bad = tmp_path / "topic" / "bad.toml"
    bad.parent.mkdir()
    for text, message in [
        ("question = \n", "bad.toml:1: Invalid value"),
        (
            'question = "a question of some length"\nwy = "x"\n',
            "bad.toml:1: the case: Additional properties are not allowed ('wy'",
        ),
        (
            (
                'question = "a question of some length"\nwhy = "because it is"\nsource = "own"\ntags = ["t"]\n'
                'run = "q1 a 1"\nqrels = """\nq1 a 1\nq1 a\n"""\n[expect.AP]\nstandard = "1"\n'
            ),
            "bad.toml:8: 'q1 a' is not of the form 'query doc rel'",
        ),
    ]:
        bad.write_text(text, encoding="utf-8")
        done = rankproof("cases", "lint", bad, cwd=tmp_path)
        assert done.code == 1
        assert message in done.out
    (tmp_path / "topic" / "worse.toml").write_text("no")
    done = rankproof("cases", "lint", bad, tmp_path / "topic" / "worse.toml", cwd=tmp_path)
    assert (done.code, done.err) == (1, "0 cases, 0 expected values, 2 faults\n")


@pytest.mark.in_turn
def test_the_export_follows_its_schema_and_is_complete(tmp_path: Path) -> None:
    done = rankproof("cases", "export", cwd=tmp_path)
    exported = json.loads(done.out)
    jsonschema.Draft202012Validator(corpus_rules.export_schema()).validate(exported)
    assert [case["id"] for case in exported["cases"]] == [case.id for case in corpus.load_all()]
    assert json.loads(rankproof("cases", "export", "--schema", cwd=tmp_path).out) == corpus_rules.export_schema()


@pytest.mark.in_turn
def test_one_variant_of_a_library_is_asked_alone(tmp_path: Path) -> None:
    from rankproof.judge.results_file import load

    ask = partial(rankproof, cwd=tmp_path)
    pinned, plain = "labels/empty", "ties/none-tied"
    arguments = ("--case", pinned, "--case", plain, "--out", ".")
    done = ask("run", "--library", "sklearn/app*", *arguments)
    assert (done.code, "DOES NOT HOLD" in done.out) == (0, False), "the pins of the other variants are no matter"
    sheet = next(one for one in libraries() if one.name == "sklearn").sheet
    assert {place.variant for place in sheet.pins if place.case == pinned} == {"rows"}
    found = load(tmp_path)
    assert {row.variant for row in found.rows} == {"appended"}
    (asked,) = found.asked
    assert (list(asked.variants), asked.others) == (["appended"], ("rows", "rows-ignore-ties"))
    assert set(found.names.values()) == {"sklearn/appended"}, "it is called as it is beside the others"
    unknown = ask("run", "--library", "sklearn/columns", *arguments)
    assert unknown.code == 2
    known = "sklearn/rows, sklearn/appended, sklearn/rows-ignore-ties"
    assert unknown.err.strip() == f"rankproof: sklearn has no variant columns; known are {known}"
    both = ask("repro", "ties/none-tied", "sklearn/columns", "nDCG@5")
    assert (both.code, both.err.strip()) == (2, unknown.err.strip()), "one choice, one error"


def test_a_run_that_can_ask_nobody_is_bad_usage_and_says_what_to_install(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    venv.create(bare, symlinks=True)
    python = f"sklearn={bare / 'bin' / 'python'}"
    asked = ("run", "--library", "sklearn", "--case", "ties/straddles-cutoff", "--python", python, "--out", "out")
    for _ in range(2):  # nothing was written the first time that the second could call unchanged
        done = rankproof(*asked, cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        said = "rankproof: nothing was asked, as none of the libraries is installed: sklearn: pip install 'rankproof[sklearn]' (No module"
        assert done.err.startswith(said)
        assert done.err.count("\n") == 1
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("verb", ["run", "probe"])
@pytest.mark.parametrize(
    ("limits", "memory"), [([], library_worker.MEMORY), (["--timeout", "7.5", "--memory", "1.75g"], 1_750_000_000)]
)
def test_limits_reach_the_workers(verb: str, limits: list[str], memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Reached(Exception):
        pass

    def worker_of(*positional: object, **named: object) -> None:
        found.append({"timeout": positional[2] if len(positional) > 2 else named["timeout"], "memory": named["memory"]})
        raise Reached

    found: list[dict[str, object]] = []
    for room in ("workers.rounds", "judge.probing"):
        monkeypatch.setattr(f"rankproof.{room}.worker_of", worker_of)
    arguments = {"run": ["--library", "sklearn", "--once"], "probe": ["sklearn"]}[verb]
    CliRunner().invoke(cli, [verb, *arguments, *limits])
    assert found == [{"timeout": 7.5 if limits else library_worker.TIMEOUT, "memory": memory}]


@pytest.mark.parametrize("option", ["--out", "--publish"])
def test_a_folder_that_cannot_be_written_to_is_said_before_anything_is_asked(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankproof.cli.waiting.asked", asked_in_vain)
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file" / "out", Path("/proc/out")):
        if place.parent.exists():
            with pytest.raises(NotWritable, match=f"{place.parent}: nothing can be written there"):
                cli(["run", "--library", "sklearn", option, str(place)], standalone_mode=False)
    check_writable(tmp_path / "new" / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["file"], "nothing is left of the trial"
