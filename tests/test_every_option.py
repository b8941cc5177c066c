"""Every option and argument of every verb makes a difference: for each a pair of command lines whose output, files or exit code differ.

Where what an option is for takes long (asking libraries, calling a function, inferring, drawing a site), what it says is told as it comes
to the room that does the work; everything else runs to its end. A new option without a pair fails.
"""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
import typed
from packaging.version import Version
from reference_answers import PlainReference

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.check import checking
from rankproof.check.source import Source
from rankproof.cli import libraries, observing, waiting
from rankproof.cli.program import VERBS, main
from rankproof.explain import number_search
from rankproof.history import environment_builds, releases, upgrades
from rankproof.history.environment_builds import Built
from rankproof.history.plans import Plan
from rankproof.history.releases import Release
from rankproof.inference.reference_answers import Values
from rankproof.judge import probing, published_answers, results_file
from rankproof.judge.probe_findings import ProbeReport
from rankproof.judge.runs import judge_all
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.unusable import Unusable
from rankproof.report import check as check_report
from rankproof.report import public_data
from rankproof.site import building
from rankproof.workers import library_worker
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import Answered, Failure, Observation
from rankproof.workers.rounds import LibraryAnswers
from rankproof.workers.sheets import Sheet

CASES = ("ties/none-tied", "ties/renamed-doc", "ties/straddles-cutoff")
SHEET = """library = "{name}"
title = "{name}"
homepage = "https://example.org"
issues = "https://example.org/issues"
precision = "float64"
speaks_of = "1"
[profiles.v]
RR = "standard"
[profiles.w]
RR = "standard"
[[environments]]
versions = {versions}
python = "3.11"
"""
VERSIONS = {"own": ["1", "2"], "same-names": ["1", "3"]}
ADAPTER = """
LIBRARY, PACKAGES, VARIANTS, MEASURES = "{name}", [], {{"v": "", "w": ""}}, {{"RR": 1, "P@1": 1}}
def load(): return {{"version": "1"}}
def observe(variant, data, call, values): return None, {value}
"""
QRELS = "q1 0 a 1\nq1 0 b 2\nq1 0 c 0\nq2 0 a 0\nq2 0 d 1\nq3 0 e 1\n"
RUN = "q1 Q0 c 1 3.0 t\nq1 Q0 a 2 2.0 t\nq1 Q0 b 3 2.0 t\nq2 Q0 d 1 2.0 t\nq2 Q0 a 2 1.0 t\nq3 Q0 f 1 9.0 t\nq3 Q0 e 2 8.0 t\n"
OTHER = RUN.replace("q1 Q0 c 1 3.0", "q1 Q0 c 1 0.5")
TABLES = {
    "q.csv": "query_id|doc_id|relevance\nq1|a|1\nq1|b|0\n",
    "r.csv": "query_id|doc_id|score|mine\nq1|a|1.0|0.0\nq1|b|0.5|9.0\n",
}
RUN_OF = "run --adapters own -l right -c ties/none-tied -m RR"
EVALUATE, EXPLAIN = "evaluate qrels run -m P@1", "explain qrels run -m P@2 --as standard"
CHECK = "check m.py 'f(rels)' P@1"
PROBE = "probe right --adapters own"
BISECT, UPGRADE = "bisect right ties/none-tied --adapters own", "upgrade right 1.0 1.1 --adapters own"
ADDED = {
    ("run", RUN_OF): {
        "-c": "ties/renamed-doc",
        "-m": "AP",
        "--out": "elsewhere",
        "--publish": "published",
        "--format": "junit",
        "--at-once (told)": "3",
        "--timeout (told)": "7",
        "--memory (told)": "2G",
        "--python (told)": "right=python3",
        "--hub (told)": "a" * 40,
        "--fresh (told)": "",
        "--once (told)": "",
        "--twice (told)": "",
        "--env (told)": "right",
    },
    ("run", f"{RUN_OF} --format junit"): {"--format-out": "named.xml"},
    ("run", f"{RUN_OF} --env right"): {"--room (told)": "3G"},
    ("env list", "env list right --adapters own"): {"WANTED": "wrong"},
    ("env build", "env build right --adapters own"): {"-j (told)": "3", "--room (told)": "3G"},
    ("bisect", BISECT): {
        "--measure": "RR",
        "--since": "1.0.1",
        "--until": "1.0.1",
        "--every": "",
        "--at-once": "3",
        "--room": "3G",
        "--json": "",
        "--timeout": "7",
        "--memory": "2G",
    },
    ("upgrade", UPGRADE): {
        "--project": "project",
        "--markdown": "",
        "--json": "",
        "--at-once": "3",
        "--room": "3G",
        "--timeout": "7",
        "--memory": "2G",
    },
    ("upgrade", UPGRADE.replace("1.0 ", "0.1 ")): {"--fresh": ""},
    ("fingerprint", "fingerprint pytrec_eval -m RR"): {"--json": "", "--markdown": ""},
    ("fingerprint", "fingerprint right"): {"--results": "made"},
    ("evaluate", EVALUATE): {
        "--signature": "'RR|ties:docid-asc'",
        "--per-query": "",
        "--show-signature": "",
        "--json": "",
    },
    ("evaluate", "evaluate qrels run -m nDCG@2"): {"--profile": "ties=docid-asc"},
    ("evaluate", "evaluate q.csv r.csv -m RR"): {"--separator": "'|'"},
    ("evaluate", "evaluate q.csv r.csv -m RR --separator '|'"): {"--column": "run.score=mine"},
    ("evaluate", f"{EVALUATE} --jobs 1"): {"--scheduler (told)": "tcp://there:1", "--out": "kept"},
    ("explain", EXPLAIN): {
        "--as": "ties=docid-asc",
        "--value": ".5",
        "--query": "q1",
        "--html": "page.html",
        "--svg": "figure.svg",
        "--json": "",
        "--library": "right --adapters own",
    },
    ("explain", f"{EXPLAIN} --value .4"): {"--seconds": "1e-9"},
    ("explain", f"{EXPLAIN} --adapters own --library right"): {"--timeout (told)": "7", "--memory (told)": "2G"},
    ("check", CHECK): {
        "--profile": "ties=input",
        "--strict": "",
        "--timeout": "7",
        "--memory": "2G",
        "--budget": "7",
        "--details": "",
        "--json": "",
    },
    ("signature", "signature P@1"): {"SECOND": "P@1", "--json": ""},
    ("probe", PROBE): {
        "-p": "rows",
        "-m": "RR",
        "-j": "3",
        "--list": "",
        "--json": "",
        "--timeout": "7",
        "--memory": "2G",
        "--publish": "published",
    },
    ("report", "report --results made"): {"--out": "elsewhere", "--adapters": "same-names", "--open": ""},
    ("badge", "badge pytrec_eval"): {"-m": "AP", "--svg": "", "-o": "badge.json"},
    ("badge", "badge"): {"--check": "none.json"},
    ("cite", "cite"): {"SIGNATURE": "P@1"},
    ("cite", "cite P@1"): {"--latex": ""},
    ("data", "data"): {"-o": "elsewhere", "--fingerprints": "qrels", "--history": "qrels"},
    ("picture", "picture"): {"-m": "AP", "-o": "picture.svg", "--dark": ""},
    ("libraries", "libraries --adapters own"): {"--json": ""},
    **{(verb, verb): {"--json": ""} for verb in ("measures", "axes", "profiles")},
    ("cases list", "cases list"): {"GLOBS": "'*/renamed-doc'", "--tag": "cutoff", "--json": ""},
    ("cases export", "cases export"): {"--out": "cases.json", "--schema": ""},
    ("repro", "repro ties/none-tied pytrec_eval"): {"MEASURE": "RR"},
    ("repro", "repro ties/none-tied ir_measures"): {"--variant": "ranx"},
    ("demo", "demo"): {"FOLDER": "another"},
    ("diff", "diff made made2"): {
        "--markdown": "",
        "--json": "",
        "--all": "",
        "--library": "'*/w'",
        "--measure": "P@1",
    },
    ("sheet update", "sheet update right --adapters own"): {"--python (told)": "right=python3"},
    ("sheet new", "sheet new fresh --adapters own"): {"--python (told)": "fresh=python3"},
    ("sheet new", "sheet new none --adapters own"): {"--command": "'python {here}/../nothing.py'"},
}
"""Verb and line -> each option or argument that is added to the line, and its value."""
OTHER_FOLDER = ("own", "same-names")
REPLACED = {
    ("run", RUN_OF): {"--adapters": OTHER_FOLDER},
    ("run", "run --adapters own -c ties/none-tied -l right"): {"-l": ("right", "'r*' -l wrong")},
    ("env list", "env list right --adapters own"): {"--adapters": OTHER_FOLDER},
    ("env build", "env build right --adapters own"): {
        "WANTED (told)": ("right", "wrong"),
        "--adapters (told)": OTHER_FOLDER,
    },
    ("env remove", "env remove right --adapters own"): {"WANTED": ("right", "wrong"), "--adapters": OTHER_FOLDER},
    ("env prune", "env prune --adapters own"): {"--adapters": OTHER_FOLDER},
    ("bisect", BISECT): {
        "LIBRARY": ("right", "wrong"),
        "CASE": ("none-tied", "renamed-doc"),
        "--adapters": OTHER_FOLDER,
    },
    ("upgrade", UPGRADE): {
        "LIBRARY": ("right", "wrong"),
        "OLD": ("1.0 ", "1.0.1 "),
        "NEW": ("1.1 ", "1.0.1 "),
        "--adapters": OTHER_FOLDER,
        "--requirements": ("right 1.0 1.1", "--requirements old.txt new.txt"),
    },
    ("fingerprint", "fingerprint pytrec_eval -m RR"): {"WANTED": ("pytrec_eval", "catboost"), "-m": ("RR", "AP")},
    ("evaluate", EVALUATE): {"QRELS": ("qrels", "qrels2"), "RUN": ("run", "run2"), "-m": ("P@1", "P@2")},
    ("evaluate", f"{EVALUATE} --jobs 1"): {"--jobs (told)": ("jobs 1", "jobs 2")},
    ("evaluate", f"{EVALUATE} --format csv"): {"--format": ("csv", "latex")},
    ("explain", EXPLAIN): {"QRELS": ("qrels", "qrels2"), "RUN": ("run", "run2"), "-m": ("P@2", "RR")},
    ("explain", f"{EXPLAIN} --library right --adapters own"): {"--adapters": OTHER_FOLDER},
    ("check", CHECK): {"TARGET": ("m.py", "n.py"), "CALL": ("rels", "docs"), "MEASURE": ("P@1", "P@2")},
    ("signature", "signature P@1"): {"FIRST": ("P@1", "P@2")},
    ("probe", PROBE): {"WANTED": ("right", "wrong"), "--adapters": OTHER_FOLDER},
    ("report", "report --results made"): {"--results": ("made", "made2")},
    ("badge", "badge pytrec_eval"): {"LIBRARY": ("pytrec_eval", "catboost")},
    ("measures", "measures P"): {"MEASURE": ("P", "RR")},
    ("axes", "axes ties"): {"AXIS": ("ties", "gain")},
    ("profiles", "profiles standard"): {"PROFILE": ("standard", "trec_eval-9")},
    ("libraries", "libraries --adapters own"): {"--adapters": OTHER_FOLDER},
    ("libraries install", "libraries install right"): {"LIBRARY": ("right", "wrong")},
    ("cases show", "cases show ties/none-tied"): {"CASE_ID": ("none-tied", "renamed-doc")},
    ("cases lint", "cases lint faulty.toml"): {"PATHS": ("faulty", "other")},
    ("repro", "repro ties/none-tied pytrec_eval"): {
        "CASE_ID": ("none-tied", "renamed-doc"),
        "LIBRARY": ("pytrec_eval", "catboost"),
    },
    ("repro", "repro ties/none-tied right --adapters own"): {"--adapters": OTHER_FOLDER},
    ("diff", "diff made made2"): {"OLD": ("made ", "made2 "), "NEW": ("made2", "made")},
    ("sheet update", "sheet update right --adapters own"): {"LIBRARY": ("right", "wrong"), "--adapters": OTHER_FOLDER},
    ("sheet update", "sheet update wrong --adapters own -n"): {"-n": (" -n", "")},
    ("sheet new", "sheet new fresh --adapters own"): {"LIBRARY": ("fresh", "newer"), "--adapters": OTHER_FOLDER},
}
"""Verb and line -> what stands for each option or argument in the line, and what takes its place."""


def _added(line: str, name: str, value: str) -> str:
    word = name.removesuffix(" (told)")
    return f"{line} {word} {value}" if word.startswith("-") else f"{line} {value}"


PAIRS = {
    **{
        f"{verb} {name}": (line, line.replace(*pair))
        for (verb, line), replaced in REPLACED.items()
        for name, pair in replaced.items()
    },
    **{
        f"{verb} {name}": (line, _added(line, name, value))
        for (verb, line), added in ADDED.items()
        for name, value in added.items()
    },
}


def _verbs(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    for below, one in getattr(command, "commands", {}).items():
        yield from _verbs(f"{name} {below}", one)


def _commands() -> list[tuple[str, click.Command]]:
    return [pair for verb in VERBS for pair in _verbs(verb, import_module(f"rankproof.cli.{verb}").command)]


def test_every_option_has_a_pair() -> None:
    """By one of its names, or by that of the argument."""
    known = {
        f"{verb} {name}": (verb, one.name)
        for verb, command in _commands()
        for one in command.params
        for name in (*one.opts, str(one.name).upper())
    }
    assert {known.get(pair.removesuffix(" (told)")) for pair in PAIRS} == set(known.values())


def _said_of(words: Sequence[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("sys.argv", ["rankproof", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("verb", sorted(dict(_commands())))
def test_no_value_takes_the_place_of_another(
    verb: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two values of an option click takes the last; that the first is not looked at must be said."""
    options = [one for one in dict(_commands())[verb].params if isinstance(one, click.Option)]
    for option in options:
        values = 0 if option.is_flag else option.nargs
        twice = [option.opts[0], *["1"] * values, option.opts[-1], *["2"] * values]
        said = _said_of([*verb.split(), *twice, "--no-such-option"], capsys, monkeypatch)
        assert "No such option '--no-such-option'" in said, option.opts
        if not option.is_flag and not option.multiple:
            said = _said_of([*verb.split(), *twice], capsys, monkeypatch)
            refused = f"{option.opts[-1]} is given twice: give it once; see `rankproof {verb} --help`"
            assert said == f"rankproof {verb}: {refused}\n", option.opts


@pytest.mark.parametrize("verb", ["diff", "upgrade"])
def test_forms_exclude_each_other(
    verb: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = _said_of([verb, "--json", "a", "--markdown", "b"], capsys, monkeypatch)
    assert said == f"rankproof {verb}: --json and --markdown exclude each other; see `rankproof {verb} --help`\n"


def _shown(value: Any) -> Any:
    """What came to a room, as text that is the same wherever the test runs."""
    if isinstance(value, Path):
        return ""  # another one each time
    if isinstance(value, Library):
        return value.name, value.adapter.parent.name
    if isinstance(value, list | tuple):
        return [_shown(one) for one in value]
    if isinstance(value, dict):
        return {name: _shown(one) for name, one in value.items()}
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        return {name: _shown(getattr(value, name)) for name in fields}
    return "" if callable(value) else repr(value)


def _came(*of: object, **named: object) -> str:
    return json.dumps([_shown(of), _shown(named)])


def _ends(*of: object, **named: object) -> Any:
    """The work is not done: what came is said as a fault of the input would be."""
    raise Unusable(_came(*of, **named))


def _asked(cases: Sequence[Case], who: Sequence[Library], _asking: object, **_: object) -> list[LibraryAnswers]:
    """As if the libraries of one folder followed standard, but for the wrong one, and those of the other answered nothing."""
    found = []
    for one in who:
        asked = LibraryAnswers(one, {"version": "1", "variants": {"v": "a list", "w": "a file"}}, ())
        seen = [
            Observation(case.id, asked.subject(variant), measure, _answer(one, case, measure), "it has none")
            for case in cases
            for variant in ("v", "w")
            for measure in case.measures
        ]
        found.append(LibraryAnswers(one, asked.hello, tuple(seen)))
    return found


def _answer(one: Library, case: Case, measure: str) -> Answered | Failure | None:
    if measure not in {"RR", "P@1"}:
        return None
    if one.name == "wrong" or one.adapter.parent.name != "own":
        return Failure("error", f"ValueError: {one.adapter.parent.name}")
    answers = PlainReference(case.input).answers(parse(measure), STANDARD)
    assert isinstance(answers, Values)
    return Answered(None, to_float(answers.mean))


def _prepared(source: Source, call: str, *claim: object) -> SimpleNamespace:
    return SimpleNamespace(call=SimpleNamespace(text=call), came=_came(source, call, *claim))


def _checked(prepared: SimpleNamespace, **named: object) -> str:
    return _came(prepared.came, **named)


def _probed(*of: object, **named: object) -> ProbeReport:
    print(_came(*of, **named))  # noqa: T201 - the verb tells what it found, and nothing is
    return ProbeReport("", ())


def _drawn(told: Any, out: Path, beside: Path, _: object) -> SimpleNamespace:
    print(_came([one.value for one in told.results.rows], told.libraries, [str(out), str(beside)]))  # noqa: T201 - as above
    return SimpleNamespace(index=Path("index.html"), pages=1, size=1)


def _cannot_be_had(observer: observing.Observer, plans: Sequence[Plan]) -> dict[Plan, str]:
    print(_came(observer, plans))  # noqa: T201 - the verb tells what it found, and nothing is
    return dict.fromkeys(plans, "it is made up")


def _released(sheet: Sheet) -> list[Release]:
    return [Release(Version(version), f"of {sheet.package}", ("3.11",)) for version in ("1.0", "1.0.1", "1.0.2", "1.1")]


def _removed(built: Built) -> None:
    print(built.plan.name)  # noqa: T201 - as above


def _strays(plans: Sequence[Plan]) -> list[Path]:
    print([plan.name for plan in plans])  # noqa: T201 - as above
    return []


@pytest.fixture(scope="module", autouse=True)
def few_cases() -> Iterator[None]:
    few = [corpus.load(corpus.HERE / f"{case}.toml") for case in CASES]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "load_all", lambda: few)
        patch.setattr(published_answers, "FEW", 0)  # what was published is looked up even of so few
        yield


@pytest.fixture(scope="module", autouse=True)
def in_short(few_cases: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:  # noqa: ARG001 - the cases come first
    """What takes long tells what comes to it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANKPROOF_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(observing.Observer, "ask", _cannot_be_had)
        patch.setattr(releases, "releases_of", _released)
        patch.setattr(environment_builds, "remove", _removed)
        patch.setattr(environment_builds, "strays", _strays)
        patch.setattr(public_data, "past", lambda _beside: {"right": {}, "wrong": {}})
        patch.setattr(upgrades, "published_steps", lambda _history, upgrade: [] if upgrade.old == "0.1" else None)
        patch.setattr(waiting, "asked", _asked)
        patch.setattr(waiting, "inferred", lambda observed, _cases: _ends(observed))
        patch.setattr(library_worker, "worker_of", _ends)
        patch.setattr(libraries, "_described", lambda one: {"version": one.adapter.parent.name, "speaks_of": "1"})
        patch.setattr(checking, "prepare", _prepared)
        patch.setattr(checking, "check_function", _checked)
        patch.setattr(check_report, "text_of", lambda result, *_: result)
        patch.setattr(check_report, "details_of", lambda result: f"details: {result}")
        patch.setattr(check_report, "json_of", lambda result: {"result": result})
        patch.setattr(check_report, "exit_code", lambda _, *, strict: int(strict))
        patch.setattr(probing, "probe_all", _probed)
        patch.setattr(building, "write", _drawn)
        patch.setattr(number_search, "MOST_ROWS", 0)  # so few rows are much data
        patch.setattr(click, "launch", lambda _: print("shown"))  # noqa: T201 - as above
        yield


def _made(folder: Path) -> Path:
    """A folder with all that the command lines name."""
    texts = {
        "qrels": QRELS,
        "qrels2": QRELS.replace("d 1", "d 0"),
        "run": RUN,
        "run2": OTHER,
        **TABLES,
        "faulty.toml": "question = 1",
        "other.toml": "question = 2",
        "old.txt": "right==1.0\nwrong==1.0\n",
        "new.txt": "right==1.0\nwrong==1.1\n",
        "project/pyproject.toml": '[[tool.rankproof.check]]\nfile = "m.py"\ncall = "f(rels)"\nmeasure = "RR"\n',
        **{
            f"{place}/{name}.toml": SHEET.format(name=name, versions=json.dumps(versions))
            for place, versions in VERSIONS.items()
            for name in ("right", "wrong")
        },
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for place in ("own", "same-names"):
        for name in ("right", "wrong", "fresh", "newer"):
            text = ADAPTER.format(name=name, value=0.5 if place == "own" else 0.25)
            (folder / place / f"{name}_adapter.py").write_text(text, encoding="utf-8")
    return folder


def _with_results(folder: Path) -> Path:
    """The same, and the results of two runs: all libraries, and the same with two answers that are others."""
    from rankproof.workers.known_libraries import chosen, with_own

    cases = corpus.load_all()
    asked = _asked(cases, chosen(("right",), with_own(folder / "own")), None)
    results_file.write(judge_all(cases, asked), folder / "made")
    lines = (folder / "made" / results_file.FOLDER / "right.jsonl").read_text(encoding="utf-8").splitlines()
    moved = [json.loads(line) for line in lines]
    for one in moved:
        if one["kind"] == "row" and (one["measure"], one["subject"].rpartition("/")[2][0]) in {
            ("RR", "v"),
            ("P@1", "w"),
        }:
            one["value"] = 0.125
    (folder / "made2" / results_file.FOLDER).mkdir(parents=True)
    text = "".join(json.dumps(one) + "\n" for one in moved)
    (folder / "made2" / results_file.FOLDER / "right.jsonl").write_text(text, encoding="utf-8")
    return folder


Outcome = tuple[int, str, str, dict[str, str]]
_SECONDS = re.compile(r'\b\d+\.\d+ s\b|(time|timestamp)="[^"]*"')
"""What a run says of how long it took."""


def _ended(line: str, folder: Path, *, told: bool) -> Outcome:
    """How a command line ends in a folder of its own, what it says, and which files are there then."""
    _made(folder)
    if "made" in line:
        _with_results(folder)
    with pytest.MonkeyPatch.context() as patch:
        if told:
            patch.setattr(waiting, "asked", _ends)
            patch.setattr(waiting, "built_all", _ends)
            patch.setattr(waiting, "measured", _ends)
        done = typed.rankproof(*shlex.split(line), cwd=folder)
    there = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}
    files = {name: _SECONDS.sub("", path.read_text(encoding="utf-8")) for name, path in there.items()}
    out, err = (_SECONDS.sub("", text.replace(str(folder), "")) for text in (done.out, done.err))
    return (
        done.code,
        out,
        err,
        {name: text.replace(str(folder), "") for name, text in files.items() if "__pycache__" not in name},
    )


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Outcome]:
    """The same, worked out once for the pairs that share a line."""
    kept: dict[tuple[str, bool], Outcome] = {}

    def once(line: str, *, told: bool = False, again: bool = False) -> Outcome:
        if again or (line, told) not in kept:
            kept[line, told] = _ended(line, tmp_path_factory.mktemp("line"), told=told)
        return kept[line, told]

    return once


@pytest.mark.parametrize("pair", PAIRS)
def test_an_option_makes_a_difference(pair: str, ended: Callable[..., Outcome]) -> None:
    without, with_it = (ended(line, told=pair.endswith("(told)")) for line in PAIRS[pair])
    assert without != with_it


FIRST = {
    " ".join(pair.split()[:-1]): without
    for pair, (without, _) in reversed(PAIRS.items())
    if not pair.endswith("(told)")
}
"""A line of each verb."""


@pytest.mark.in_turn
@pytest.mark.parametrize("line", FIRST.values())
def test_the_same_line_ends_the_same_way(line: str, ended: Callable[..., Outcome]) -> None:
    """Else the others could not fail; and what ends by a wrong line, or by a fault, would make no difference to be seen."""
    first = ended(line)
    assert first == ended(line, again=True)
    assert "see `rankproof" not in first[2]
    assert "fault of rankproof" not in first[2]


@pytest.mark.parametrize(
    ("parts", "code"), [("", 1), ("-m RR", 0), ("-c ties/none-tied", 0), ("-m RR -c 'ties/*'", 0), ("-m RR -m 'P*'", 0)]
)
def test_a_pin_that_nothing_met_fails_only_where_everything_was_asked(parts: str, code: int, tmp_path: Path) -> None:
    _made(tmp_path)
    pin = "[[known]]\nreason = 'it cannot count'\nobserved = 'ties/no-such-case v RR mean 0.5'\n"
    (tmp_path / "own" / "right.toml").write_text(SHEET.format(name="right", versions='["1"]') + pin, encoding="utf-8")
    done = typed.rankproof(*shlex.split(f"run --adapters own -l right {parts}"), cwd=tmp_path)
    assert (done.code, "DOES NOT HOLD" in done.out) == (code, code == 1)
