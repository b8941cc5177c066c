"""Every verb ends with the code that says what was found: asked in this process, of libraries that answer at once."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click
import pytest
import typed
from fake_sheets import FAKE
from typed import Ended

from rankproof import cases as corpus
from rankproof import files
from rankproof.cli import waiting
from rankproof.cli.program import VERBS
from rankproof.judge import results_file
from rankproof.report.last_run import note_of

HERE = Path(__file__).resolve().parent
CASE, OTHER = "ties/none-tied", "ties/last-of-a-query-with-first-of-the-next"
CASES = ("ties/constant-scorer", OTHER, CASE, "ties/renamed-doc", "ties/six-docs-all-tied", "ties/straddles-cutoff")
SHEET = FAKE.replace("fake", "{name}").replace("Fake", "{name}") + '[profiles.v]\nRR = "standard"\n'
ADAPTER = """
import os
LIBRARY, PACKAGES, VARIANTS, MEASURES = "{name}", [{packages}], {{"v": ""}}, {{"RR": 1}}
CALLS = []
def load(): {load}
def observe(variant, data, call, values): {answer}
"""
RIGHT = "return None, 1.0 if data['run'] else 0.0"
LIBRARIES = {
    "right": ("return {'version': '1'}", RIGHT),
    "wrong": ("return {'version': '1'}", "return None, 0.25"),
    "raising": ("return {'version': '1'}", "raise ValueError('no')"),
    "ending": ("return {'version': '1'}", "os._exit(7)"),
    "wavering": ("return {'version': '1'}", "CALLS.append(1); return None, 1.0 / len(CALLS)"),
    "dying": ("os._exit(7)", RIGHT),
    "failing": ("raise RuntimeError('it is broken')", RIGHT),
    "absent": ("import no_such_module_anywhere", RIGHT),
}
"""What `load` and `observe` do; RR is 1 on the case."""


@pytest.fixture(scope="module", autouse=True)
def few_cases() -> Iterator[None]:
    """Reading all cases takes half a second, and none of the others is asked here."""
    few = [corpus.load(corpus.HERE / f"{case}.toml") for case in CASES]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "load_all", lambda: few)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of libraries, each named by what it does."""
    made = tmp_path_factory.mktemp("adapters")
    for name in LIBRARIES:
        written(made, name)
    return made


def written(folder: Path, name: str, like: str = "", packages: str = "") -> None:
    """A library that does as it is called, or as another one does."""
    load, answer = LIBRARIES[like or name]
    text = ADAPTER.format(name=name, load=load, answer=answer, packages=packages)
    (folder / f"{name}_adapter.py").write_text(text, encoding="utf-8")
    (folder / f"{name}.toml").write_text(SHEET.format(name=name), encoding="utf-8")


@pytest.fixture
def rankproof(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Ended]:
    """The program, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return partial(typed.rankproof, cwd=tmp_path)


@pytest.fixture
def run(rankproof: Callable[..., Ended], folder: Path) -> Callable[..., Ended]:
    """A run of some of the libraries on the case, into `out`."""
    of_the_case = ("--case", CASE, "-m", "RR", "--out", "out")
    return lambda *wanted, of=folder: rankproof("run", "--adapters", of, *of_the_case, *wanted)


# -- run --------------------------------------------------------------------------------------------------------------


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("library", "code", "verdict"),
    [("right", 0, "agrees"), ("raising", 1, "error"), ("wavering", 1, "unstable"), ("failing", 1, "crash")],
)
def test_a_run_ends_by_the_verdict_of_its_one_library_and_says_so_again_from_the_store(
    library: str, code: int, verdict: str, run: Callable[..., Ended]
) -> None:
    first, again = run("-l", library), run("-l", library)
    rows = results_file.load(Path("out")).rows
    assert {row.verdict for row in rows} - {"unsupported"} == {verdict}
    assert (first.code, again.code) == (code, code)
    assert ("DOES NOT HOLD" in first.out, "DOES NOT HOLD" in again.out) == (code == 1, code == 1)
    assert ("nothing changed" in again.out) == (code == 0)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("first", "then"),
    [
        (["-c", CASE, "-m", "RR"], ["-c", CASE, "-m", "AP"]),
        (["-c", CASE, "-m", "RR"], ["-c", OTHER, "-m", "RR"]),
        (["-c", CASE, "-m", "AP"], ["-c", CASE]),
    ],
)
def test_what_was_told_of_other_cases_or_measures_is_not_told_again(
    first: list[str], then: list[str], rankproof: Callable[..., Ended], folder: Path
) -> None:
    seen = []
    for asked in (first, then, then):
        done = rankproof("run", "--adapters", folder, "-l", "right", "--out", "out", *asked)
        rows = {(row.case, row.measure) for row in results_file.load(Path("out")).rows}
        seen.append((rows, "nothing changed" in done.out))
    assert seen[0][0] != seen[1][0] == seen[2][0]
    assert [unchanged for _, unchanged in seen] == [False, False, True]


def test_every_library_that_is_asked_has_rows_of_every_case(run: Callable[..., Ended]) -> None:
    cases = {CASE, OTHER, "ties/constant-scorer"}
    run("-l", "right", "-l", "wrong", *(part for case in sorted(cases) for part in ("-c", case)))
    rows = results_file.load(Path("out")).rows
    assert {(row.case, row.library) for row in rows} == {(case, name) for case in cases for name in ("right", "wrong")}


def test_a_library_that_is_not_there_is_no_failure_and_no_pass(run: Callable[..., Ended]) -> None:
    assert run("-l", "absent").code not in {0, 1}
    assert run("-l", "absent", "-l", "right").code == 0


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("-l nobody", "nobody is no library"),
        ("-l right/w", "right has no variant w"),
        ("--python right", "LIBRARY=PATH"),
        ("--timeout 0", "--timeout"),
        ("-j 0", "--at-once"),
        ("--format xml", "--format"),
        ("--nonsense", "--nonsense"),
        ("surplus", "surplus"),
        ("--once --publish reports", "what is published is asked twice"),
        ("--publish reports", "not published: only a part"),
    ],
)
def test_a_run_that_cannot_be_as_it_was_asked_for_is_bad_usage_and_writes_nothing(
    wrong: str, said: str, run: Callable[..., Ended], tmp_path: Path
) -> None:
    done = run(*wrong.split(), *([] if "-l" in wrong.split() else ["-l", "right"]))
    assert (done.code, said in done.err) == (2, True), done.err
    assert [path.name for path in tmp_path.rglob("*.jsonl")] == []


@pytest.mark.parametrize(
    ("library", "code", "why"), [("right", 2, "only a part"), ("wrong", 1, "something does not hold")]
)
def test_neither_some_libraries_alone_nor_what_does_not_hold_is_published(
    library: str, code: int, why: str, rankproof: Callable[..., Ended], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All cases are asked, as there is one, on which only one of the two is right."""
    only = corpus.load(corpus.HERE / f"{CASE}.toml")
    monkeypatch.setattr(corpus, "load_all", lambda: [only])
    done = rankproof("run", "--adapters", folder, "-l", library, "--publish", "published")
    assert (done.code, f"not published: {why}" in done.err) == (code, True), done.err
    assert not Path("published").exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()], ids=["Ctrl-C", "abort"])
def test_what_is_interrupted_is_incomplete(
    error: BaseException, run: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(waiting, "asked", interrupted)
    done = run("-l", "right")
    assert (done.code, done.err.strip()) == (3, "interrupted: nothing was published")
    assert not (tmp_path / "out").exists()


# -- nothing changed --------------------------------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The library that is right, in a folder and with a store of its own."""
    monkeypatch.setenv(files.CACHE, str(tmp_path / "store"))
    (made := tmp_path / "own").mkdir()
    written(made, "right")
    return made


def rewritten(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.in_turn
def test_nothing_changed_is_said_where_the_same_was_asked_and_held_and_not_where_it_is_asked_afresh(
    run: Callable[..., Ended], own: Path
) -> None:
    before: dict[Path, int] = {}
    for more, unchanged in (((), False), ((), True), (("--fresh",), False), ((), True)):
        done = run("-l", "right", *more, of=own)
        assert (done.code, "nothing changed" in done.out) == (0, unchanged)
        written = {path: path.stat().st_mtime_ns for path in Path("out").rglob("*") if path.is_file()}
        assert (written == before) is unchanged
        before = written


RESULTS = Path("out", "results", "right.jsonl")
HEAD, PAGE = Path("out", "report.md"), Path("out", "versions.md")
PINNED = f"[[known]]\nreason = 'it cannot count'\nobserved = '{CASE} v RR mean 0.5'\n"
CODE = ("rankproof.cli.run.code_of", "rankproof.report.last_run._code")
CHANGES: dict[str, Callable[[Path, pytest.MonkeyPatch], tuple[str, ...] | None]] = {
    "adapter": lambda own, _: rewritten(own / "right_adapter.py", "1.0 if", "0.25 if"),
    "adapter, by a comment": lambda own, _: rewritten(own / "right_adapter.py", "import os", "import os  # changed"),
    "sheet, and no answer": lambda own, _: rewritten(own / "right.toml", "[profiles.v]", PINNED + "[profiles.v]"),
    "other cases": lambda *_: ("-c", OTHER),
    "other measures": lambda *_: ("-m", "AP"),
    "asked once": lambda *_: ("--once",),
    "asked afresh": lambda *_: ("--fresh",),
    "code": lambda _, patch: [patch.setattr(digest, lambda *_: "the code of tomorrow") for digest in CODE] and None,
    "store": lambda *_: next((files.cache()).glob("right-*.json")).unlink(),
    "results that failed": lambda *_: rewritten(RESULTS, '"complaints":0', '"complaints":1'),
    "results that are gone": lambda *_: RESULTS.unlink(),
    "report that is gone": lambda *_: HEAD.unlink(),
    "report that says otherwise": lambda *_: rewritten(HEAD, "right", "wrong"),
    "report that does not read": lambda *_: shutil.copy(sys.executable, HEAD) and None,
    "page that is gone": lambda *_: PAGE.unlink(),
    "results of another run beside them": lambda *_: shutil.copy(RESULTS, RESULTS.with_name("other.jsonl")) and None,
    "results that do not read": lambda *_: rewritten(RESULTS, '"kind":"footer"', '"kind":"end"'),
}
"""What changed, and how; with more arguments for the second run, if there are any."""
FAILING = {"adapter", "sheet, and no answer"}


@pytest.mark.in_turn
@pytest.mark.parametrize(
    "spoil", [Path.unlink, lambda it: it.write_text("{}"), lambda it: it.write_bytes(it.read_bytes() + b" ")]
)
def test_what_the_last_run_told_is_told_again_by_its_note_and_without_it_by_the_results(
    spoil: Callable[[Path], object], run: Callable[..., Ended], own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("-l", "right", of=own)
    with monkeypatch.context() as patch:
        patch.setattr(waiting, "asked", None)  # nobody is asked, and no results are read
        patch.setattr(results_file, "load", None)
        noted = run("-l", "right", of=own)
    assert (noted.code, noted.err, "nothing changed" in noted.out) == (0, "", True)
    note = note_of(Path("out"))
    whole = note.read_bytes()
    spoil(note)
    read = run("-l", "right", of=own)
    assert (read.code, read.out) == (0, noted.out)
    assert note.read_bytes() == whole


@pytest.mark.in_turn
@pytest.mark.in_parts(8)
@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize("what", CHANGES)
def test_whatever_changed_is_judged_anew(
    what: str, run: Callable[..., Ended], own: Path, monkeypatch: pytest.MonkeyPatch, *, noted: bool
) -> None:
    assert run("-l", "right", of=own).code == 0
    assert note_of(Path("out")).exists()
    if not noted:
        note_of(Path("out")).unlink()
    more = CHANGES[what](own, monkeypatch) or ()
    done = run("-l", "right", *more, of=own)
    assert (done.code, "nothing changed" in done.out) == (what in FAILING, False)
    assert (results_file.load(Path("out")).footer["complaints"] > 0) == (what in FAILING)
    assert "right" in HEAD.read_text(encoding="utf-8")
    assert PAGE.exists()


@pytest.mark.in_turn
def test_the_lost_results_of_one_of_two_libraries_are_written_again(run: Callable[..., Ended], own: Path) -> None:
    written(own, "second", like="right")
    asked = ("-l", "right", "-l", "second")
    assert run(*asked, of=own).code == 0
    Path("out", "results", "second.jsonl").unlink()
    assert "nothing changed" not in run(*asked, of=own).out
    assert set(results_file.load(Path("out")).libraries) == {"right", "second"}
    assert "nothing changed" in run(*asked, of=own).out


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("package", "is_told"), [("'no-such-package-anywhere'", True), ("'click'", False), ("", False)]
)
def test_where_one_is_not_installed_the_last_run_is_told_again_if_its_versions_say_so(
    package: str, run: Callable[..., Ended], own: Path, monkeypatch: pytest.MonkeyPatch, *, is_told: bool
) -> None:
    """It may not load for want of something else, which nothing that its answers are kept by would show."""
    written(own, "absent", packages=package)
    asked = ("-l", "right", "-l", "absent")
    assert run(*asked, of=own).code == 0
    assert note_of(Path("out")).exists() is is_told
    with monkeypatch.context() as patch:
        patch.setattr(results_file, "load", None if is_told else results_file.load)
        assert "nothing changed" in run(*asked, of=own).out
    written(own, "absent", like="right")
    assert "nothing changed" not in run(*asked, of=own).out
    assert {row.library for row in results_file.load(Path("out")).rows} == {"right", "absent"}


PROGRAM = """
import json, pathlib, sys
there = pathlib.Path(__file__).with_name("there").exists()
for line in sys.stdin:
    asked = json.loads(line)
    hello = dict(protocol=1, library="absent", variants={"v": ""}, measures={"v": ["RR"]})
    hello.update(version="1") if there else hello.update(not_installed="no such package")
    said = {"hello": hello, "observe": {"answers": {one: {"per_query": None, "mean": 1.0} for one in asked.get("measures", ())}}}
    print(json.dumps({"seq": asked["seq"], **said.get(asked["op"], {})}), flush=True)
"""


@pytest.mark.in_turn
def test_of_a_program_that_says_that_it_is_not_installed_the_last_run_is_told_again_until_it_is(
    run: Callable[..., Ended], own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It knows no `identify`, so that what its answers are kept by is what it says of itself."""
    (own / "absent_program.py").write_text(PROGRAM, encoding="utf-8")
    command = f"command = {json.dumps([sys.executable, '{here}/absent_program.py'])}\n[profiles.v]"
    (own / "absent.toml").write_text(SHEET.format(name="absent").replace("[profiles.v]", command), encoding="utf-8")
    asked = ("-l", "right", "-l", "absent")
    assert run(*asked, of=own).code == 0
    with monkeypatch.context() as patch:
        patch.setattr(results_file, "load", None)
        assert "nothing changed" in run(*asked, of=own).out
    (own / "there").touch()
    assert "nothing changed" not in run(*asked, of=own).out
    assert {row.library for row in results_file.load(Path("out")).rows if row.value is not None} == {"right", "absent"}


# -- the other verbs --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def results(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Results of two runs: in `old`, `wrong` answers as the sheet of `right` would have it."""
    made = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(files.CACHE, str(made / "store"))
        for name, library in (("old", "right"), ("new", "right"), ("moved", "wrong")):
            asked = f"run --adapters {folder} --case {CASE} -m RR -l {library} --out {made / name}"
            done = typed.rankproof(*asked.split(), cwd=made)
            assert done.code == (library == "wrong"), done.err
        moved = made / "moved" / "results"
        text = (moved / "wrong.jsonl").read_text(encoding="utf-8").replace("wrong", "right")
        (moved / "wrong.jsonl").unlink()
        (moved / "right.jsonl").write_text(text, encoding="utf-8")
        yield made


@pytest.fixture
def trec(tmp_path: Path) -> None:
    """Qrels and a run, a case that is wrong, and metrics."""
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    (tmp_path / "trec").write_text("q1 Q0 a 1 2.0 x\n")
    (tmp_path / "broken").write_text("q1 Q0 a 1\n")
    (tmp_path / "topic").mkdir()
    (tmp_path / "topic" / "case.toml").write_text(
        'question = "one doc is retrieved"\nwhy = "it happens in real runs"\nsource = "own"\ntags = ["t"]\nkills = ["nothing"]\n'
        'qrels = "q1 a 1"\nrun = "q1 a 2"\n[expect.RR]\nstandard = "1/2"\n'
    )
    (tmp_path / "metric.py").write_text(METRICS)


METRICS = """
import math
import time

def rr(y_true, y_score, k=None):
    return 1.0 if any(y_true) else 0.0

def dcg(rels, k):
    return sum((2**rel - 1) / math.log2(rank + 1) for rank, rel in enumerate(rels[:k], 1))

def slow(rels):
    time.sleep(0.1)
    return sum(rel >= 1 for rel in rels[:5]) / 5
"""
LINES = [
    ("", 2),
    ("--help", 0),
    ("--version", 0),
    ("fly", 2),
    ("run --help", 0),
    ("cases list ties/*", 0),
    (f"cases show {CASE}", 0),
    ("cases show no/case", 2),
    ("cases none", 2),
    (f"cases lint {{root}}/cases/{CASE}.toml", 0),
    ("cases lint topic/case.toml", 1),
    ("cases lint no.toml", 2),
    ("evaluate qrels trec -m RR", 0),
    ("evaluate qrels broken -m RR", 2),
    ("evaluate qrels none -m RR", 2),
    ("evaluate qrels trec", 0),
    ("evaluate qrels trec -m RRR", 2),
    ("evaluate qrels trec -m RR --profile x=y", 2),
    ("explain qrels trec -m RR", 0),
    ("explain qrels trec -m RR --value .5", 0),
    ("explain qrels broken -m RR", 2),
    ("explain qrels trec -m RR --value x", 2),
    ("explain qrels trec -m ARI", 2),
    ("explain qrels trec -m RR --as x=y", 2),
    ("measures", 0),
    ("measures MRR", 0),
    ("measures none", 2),
    ("axes", 0),
    ("axes ties", 0),
    ("axes ties=none", 2),
    ("profiles", 0),
    ("profiles sklearn/rows", 0),
    ("profiles none", 2),
    ("none", 2),
    ("picture -m AP", 0),
    ("picture -m Kappa", 2),
    ("badge catboost", 0),
    ("badge", 2),
    ("cite", 0),
    ("cite x|y", 2),
    ("data -o data", 0),
    ("data --history none.json", 2),
    ("signature nDCG@10", 0),
    ("signature nDCG@10 P@5", 0),
    ("signature nDCG@10|gain:none", 2),
    ("signature", 2),
    ("check metric.py dcg(rels,k) DCG@5", 0),
    ("check metric.py dcg(rels,k) DCG@5 --strict", 1),
    ("check metric.py rr(y_true,y_score) RR", 1),
    ("check metric.py slow(rels) P@5 --budget .2", 3),
    ("check metric.py none(rels) RR", 2),
    ("check metric.py rr", 2),
    ("check metric.py rr(rels) RR", 2),
    ("check metric.py rr(y_true,y_score) RRR", 2),
    ("check metric.py", 0),
    ("check no.py", 2),
    ("demo {results}/demo", 0),
    ("demo {results}/old/x/y", 0),
    ("diff {results}/old {results}/new", 0),
    ("diff {results}/old {results}/moved", 1),
    ("diff {results}/old none", 2),
    ("diff {results}/old", 2),
    ("fingerprint --results {results}/old --json", 0),
    ("fingerprint nobody --results {results}/old", 2),
    ("fingerprint --results none", 2),
    ("report --results none", 2),
    ("libraries install nobody", 2),
    ("libraries install *", 2),
    ("libraries install trec*", 2),
    ("libraries remove x", 2),
    (f"repro {CASE} right RR --adapters {{folder}}", 0),
    (f"repro {CASE} right AP --adapters {{folder}}", 2),
    (f"repro {CASE} nobody RR", 2),
    ("repro no/case right RR", 2),
    ("probe right -p rows -m RR --adapters {folder}", 0),
    ("probe wrong -p rows -m RR --adapters {folder}", 0),
    ("probe dying -p rows -m RR --adapters {folder}", 3),
    ("probe nobody", 2),
    ("probe -p no-probe", 2),
    ("sheet update nobody --adapters {folder}", 2),
    ("sheet new right --adapters {folder}", 2),
    ("sheet new dying2 --adapters {folder}", 2),
    ("env list", 0),
    ("env list nobody@1", 2),
    ("env build nobody", 2),
    ("env remove nobody", 2),
    ("env fly", 2),
    ("bisect nobody ties/none-tied", 2),
    (f"bisect trec_eval {CASE}", 2),
    ("bisect sklearn no/case", 2),
    (f"bisect sklearn {CASE} --since x", 2),
    ("upgrade sklearn 1.2.2", 2),
    ("upgrade nobody 1 2", 2),
    ("upgrade sklearn x y", 2),
    ("upgrade --requirements trec qrels", 2),
    ("upgrade sklearn 1 2 --requirements trec trec", 2),
]
"""Lines, and the codes with which they end."""


@pytest.mark.usefixtures("trec")
@pytest.mark.parametrize(("line", "code"), LINES)
def test_a_verb_ends_with_the_code_that_says_what_was_found(
    line: str, code: int, rankproof: Callable[..., Ended], results: Path, folder: Path
) -> None:
    parts = line.format(results=results, folder=folder, root=HERE.parent).split()
    done = rankproof(*parts)
    assert done.code == code, done.err
    assert (done.err + done.out).strip()
    if code == 2:
        assert done.out.strip() == "" or not parts, "what cannot be done says so on stderr alone"


def test_every_verb_is_asked_here() -> None:
    assert set(VERBS) <= {line.partition(" ")[0] for line, _ in LINES}
