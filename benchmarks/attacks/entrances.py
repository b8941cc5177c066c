"""Attacks on inputs other than runs and qrels: requirements, sheets, badges, citations, demo files, pipes, Action.

Each attack has a command, its exit codes, and a part of its one-line error message. Only the named output may change.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from commands import FREE, Limits
from input_files import MEMORY, refusal
from machines import ROOT, Machine, Trial, files_of
from tracks import QRELS, RUN

SLOWEST = 15.0
"""Maximum seconds until a file is rejected."""


BOUNDED = Limits(memory=MEMORY)


@dataclass(frozen=True, slots=True)
class Case:
    """A command with a hostile argument or file.

    Attributes:
        arguments: the command line.
        reason: part of the error message; empty if the command may succeed.
        prepare: function that writes the files.
        codes: the documented exit codes.
        named: name that the error message contains.
    """

    arguments: Sequence[str]
    reason: str = ""
    prepare: Callable[[Machine], object] = lambda _machine: None
    codes: Sequence[int] = (2,)
    named: str = ""
    limits: Limits = BOUNDED
    written: Sequence[str] = ()


def attack(trial: Trial, cases: Mapping[str, Case], more: Mapping[str, str] | None = None) -> str:
    """Run the command of one case; return its output."""
    name, case = list(cases.items())[trial.index]
    machine = trial.machine()
    case.prepare(machine)
    before = _entries(machine, case.written)
    ended = trial.command(machine, *case.arguments, codes=case.codes, about=name, limits=case.limits, more=more)
    trial.fault(*refusal(ended, case.named), about=name)
    trial.require(case.reason in ended.stdout + ended.stderr, f"{name}: another reason: {ended.stderr[:200]!r}")
    trial.require(ended.seconds < SLOWEST, f"{name}: it took {ended.seconds:.1f} s")
    after = _entries(machine, case.written)
    changed = sorted(path for path in after.keys() | before.keys() if after.get(path) != before.get(path))
    trial.require(not changed, f"{name}: files changed: {changed}")
    return ended.stdout


def _entries(machine: Machine, written: Sequence[str]) -> dict[str, object]:
    """Return the content of files, and the kind of links, pipes and folders, except those that may be written."""
    kinds = {path.relative_to(machine.home).as_posix(): path.lstat().st_mode for path in machine.home.rglob("*")}
    entries: dict[str, object] = {**kinds, **files_of(machine.home)}
    return {path: entry for path, entry in entries.items() if path.split("/")[0] not in written}


def _writes(**files: str | bytes) -> Callable[[Machine], object]:
    """Return a function that writes files; two underscores in a name become a dot."""
    return lambda machine: [machine.write(name.replace("__", "."), text) for name, text in files.items()]


def _links(name: str, target: str, **files: str) -> Callable[[Machine], object]:
    def prepare(machine: Machine) -> None:
        _writes(**files)(machine)
        (machine.home / name).symlink_to(target)

    return prepare


def _pipe(name: str, **files: str) -> Callable[[Machine], object]:
    def prepare(machine: Machine) -> None:
        _writes(**files)(machine)
        os.mkfifo(machine.home / name)

    return prepare


# -- requirements ------------------------------------------------------------------------------------------------------

OLD = "sound==1\n"
DECLARED = '[[tool.rankproof.check]]\nfile = "m.py"\ncall = "f(rels)"\nmeasure = "P"\n'


def _pins(name: str, reason: str, text: str | bytes = "", prepare: Callable[[Machine], object] | None = None) -> Case:
    files = {"old__txt": OLD, name.replace(".", "__"): text}
    return Case(("upgrade", "--requirements", "old.txt", name), reason, prepare or _writes(**files), named=name)


def _project(text: str, reason: str, prepare: Callable[[Machine], object] | None = None) -> Case:
    files = {"old__txt": OLD, "pyproject__toml": text}
    arguments = ("upgrade", "--requirements", "old.txt", "old.txt")
    return Case(arguments, reason, prepare or _writes(**files), named="pyproject.toml")


UPGRADES = {
    "endless requirements": _pins("new.txt", "more than", prepare=_links("new.txt", "/dev/zero", old__txt=OLD)),
    "endless lock": _pins("uv.lock", "more than", prepare=_links("uv.lock", "/dev/zero", old__txt=OLD)),
    "a pipe": _pins("new.txt", "no program wrote", prepare=_pipe("new.txt", old__txt=OLD)),
    "a link to nothing": _pins("new.txt", "no such file", prepare=_links("new.txt", "gone", old__txt=OLD)),
    "nested 100,000 deep": _pins("uv.lock", "nested too deep", "package = " + "[" * 100_000),
    "a number of 10,000 digits": _pins("uv.lock", "not TOML", f"a = {'9' * 10_000}"),
    "package = 5": _pins("uv.lock", "no versions are pinned", "package = 5"),
    "a list of lists": _pins("uv.lock", "no versions are pinned", "package = [[1], [{}]]"),
    "a pin of 100,000 digits": _pins("new.txt", "is not a version", f"sound=={'9' * 100_000}\n"),
    "two pins": _pins("new.txt", "pins sound to 1 and 2", "sound==1\nnoisy==3\nsound==2\n"),
    "two entries": _pins(
        "uv.lock",
        "pins sound to",
        '[[package]]\nname = "sound"\nversion = "1"\n' * 2 + '[[package]]\nname = "Sound"\nversion = "2"\n',
    ),
    "not UTF-8": _pins("new.txt", "not UTF-8", b"sound==1\n\xff\xfe"),
    "control characters": _pins("new.txt", "is not a version", "sound===1\x1b[2J\x9b2J\n"),
    "versions of 5,000 digits": Case(("upgrade", "sound", "1" * 5_000, "2"), "is not a version"),
    "a version that is an option": Case(("upgrade", "sound", "--", "--help", "2"), "is not a version"),
    "check = 5": _project("[tool.rankproof]\ncheck = 5\n", "Expected `array`"),
    "nested declarations": _project("rankproof = " + "[" * 100_000, "nested too deep"),
    "an endless project": _project("", "more than", _links("pyproject.toml", "/dev/zero", old__txt=OLD)),
    "a project that is a pipe": _project("", "no program wrote", _pipe("pyproject.toml", old__txt=OLD)),
}


SOURCES: Mapping[str, bytes] = {
    "a syntax error": b"import sklearn\ndef (",
    "not UTF-8": b"import sklearn\n\xff",
    "a NUL": b"import sklearn\n\0",
    "100,000 signs": b"x = " + b"-" * 100_000 + b"1\n",
    "100,000 brackets": b"x = " + b"(" * 100_000,
}
"""Unreadable modules, which may import anything."""


def upgrade(trial: Trial) -> None:
    """Pass unreadable requirements and projects: exit code 2 with file and reason, in bounded memory."""
    attack(trial, UPGRADES)


def sources(trial: Trial) -> None:
    """Declare a function in an unreadable module: it is listed among the functions that an upgrade may change."""
    name, content = list(SOURCES.items())[trial.index]
    machine = trial.machine()
    machine.write("pyproject.toml", DECLARED)
    machine.write("m.py", content)
    lines = (
        "from pathlib import Path",
        "from rankproof.declarations import declared_in",
        "from rankproof.history.upgrades import Upgrade, touched_functions",
        "from rankproof.workers.known_libraries import Library, claiming_nothing",
        "sklearn = Library('sklearn', Path(), claiming_nothing('sklearn', Path()))",
        "print(touched_functions(Path(), declared_in(Path()), [Upgrade(sklearn, '1', '2')]))",
    )
    environment = {**os.environ, "PYTHONPATH": str(trial.ground.source)}
    command = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(command, cwd=machine.home, env=environment, capture_output=True, text=True, check=False)
    expected = "{'m.py:f': ['sklearn']}"
    trial.require(done.stdout.strip() == expected, f"{name}: {done.stdout or done.stderr[-200:]}")


# -- environments ------------------------------------------------------------------------------------------------------

ENVIRONMENT = '\n[[environments]]\nversions = ["1"]\npython = "3.11"\n'


def _sheet(text: str, reason: str, codes: Sequence[int] = (2,), name: str = "mylib", verb: str = "build") -> Case:
    def prepare(machine: Machine) -> None:
        miniatures = ROOT / "tests" / "miniatures"
        sheet = (miniatures / "miniatures.toml").read_text(encoding="utf-8").replace('"miniatures"', '"mylib"')
        adapter = (miniatures / "miniatures_adapter.py").read_text(encoding="utf-8")
        machine.write("own/mylib.toml", sheet + text)
        machine.write("own/mylib_adapter.py", adapter)

    arguments = ("env", verb, name, "--adapters", "own")
    return Case(arguments, reason, prepare, codes, "mylib.toml" if codes == (2,) else "", FREE, ("cache", ".cache"))


ENVIRONMENTS = {
    "a sheet that is not TOML": _sheet("\nx = [\n", "not TOML"),
    "one of all sheets is not TOML": _sheet("\nx = [\n", "not TOML", name="all"),
    "listing a sheet that is not TOML": _sheet("\nx = [\n", "not TOML", verb="list"),
    "a version of two dots": _sheet(ENVIRONMENT.replace('"1"', '"1..0"'), "1..0"),
    "a label of 230 letters": _sheet(f'{ENVIRONMENT}label = "{"a" * 230}"\n', "label"),
    "a label that is a path": _sheet(f'{ENVIRONMENT}label = "../../x"\n', "label"),
    "a version that is a path": _sheet(ENVIRONMENT.replace('"1"', '"1/../../x"'), "versions"),
    "an interpreter that is a path": _sheet(ENVIRONMENT.replace("3.11", "3.11/../../x"), "python"),
    "an option in a requirement": _sheet(
        f'{ENVIRONMENT}with = ["numpy\\n--index-url http://localhost"]\n', "not a requirement"
    ),
    "a file in a requirement": _sheet(f'{ENVIRONMENT}with = ["-r /etc/passwd"]\n', "not a requirement"),
    "an address in a requirement": _sheet(f'{ENVIRONMENT}with = ["x @ file:///etc/passwd"]\n', "is an address"),
    "a name that is too long for a folder": _sheet(
        ENVIRONMENT.replace('"1"', f'"1.{"0" * 250}", "1.2"'), "0 of 2 environments are built", (1,)
    ),
}


def environments(trial: Trial) -> None:
    """Build impossible environments of sheets: prints the line of the sheet or a reason; only requirements reach uv."""
    attack(trial, ENVIRONMENTS, {"UV_OFFLINE": "1"})


# -- badges, citations, data, demo -------------------------------------------------------------------------------------

SCRIPT = "<script>window.hacked=1</script>"
SIGNATURE = f"nDCG@10|gain:exp|by:{SCRIPT}-1.0|rankproof:0.2.0"
TINY = Limits(largest=100)
PICTURES = {
    "a badge with a script": Case(("report", "badge", SIGNATURE), codes=(0, 2)),
    "a badge with control characters": Case(
        ("report", "badge", "nDCG@10|by:a\x1b[2J\x9b2J\u202e|rankproof:0.2.0"), codes=(0, 2)
    ),
    "a badge of 100,000 letters": Case(("report", "badge", f"nDCG@10|by:{'a' * 100_000}"), codes=(0, 2)),
    "a badge of an unknown name": Case(("report", "badge", "no\x1b[2J\x9bbody"), "body"),
    "a badge in a folder": Case(("report", "badge", "nDCG@10|gain:exp", "-o", "."), "directory"),
    "a badge without room": Case(("report", "badge", "nDCG@10|gain:exp", "-o", "b.svg"), "too large", limits=TINY),
    "a citation with a command": Case(("report", "cite", "--latex", "nDCG@10|by:\\input{/etc/passwd}-1"), codes=(0, 2)),
    "a citation of a name with signs": Case(
        ("report", "cite", "--latex", "nDCG@10|by:trec_eval-9&%$#{}~^"), codes=(0, 2)
    ),
    "a citation with control characters": Case(("report", "cite", "nDCG@10|by:a\x1b[2J\x9b2J"), codes=(0, 2)),
    "a citation of 100,000 letters": Case(("report", "cite", "nDCG@" + "1" * 100_000)),
    "data in a file": Case(("report", "data", "-o", "data"), "is a file", _writes(data="1")),
    "data without room": Case(("report", "data", "-o", "data"), "too large", limits=TINY, written=("data",)),
    "demo over a file": Case(("demo", "."), "different content", _writes(qrels__txt="mine")),
    "demo over a link to nothing": Case(("demo", "."), "different content", _links("run.txt", "gone")),
    "demo over a link to a device": Case(("demo", "."), "different content", _links("run.txt", "/dev/zero")),
    "demo over a pipe": Case(("demo", "."), "different content", _pipe("mymetrics.py")),
    "demo without room": Case(("demo", "d"), "is not writable", limits=TINY, written=("d",)),
}


def picture(trial: Trial) -> None:
    """Write badges, citations, data and demo files with hostile names or over existing files."""
    name, case = list(PICTURES.items())[trial.index]
    out = attack(trial, PICTURES)
    odd = {sign for sign in out if not sign.isprintable()} - {"\n"}
    trial.require(not odd, f"{name}: not printable: {sorted(odd)}")
    if out.startswith("<svg"):
        tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(out).iter()}  # noqa: S314 - our own output
        trial.require("script" not in tags, f"{name}: the picture has a script")
    if "--latex" in case.arguments:
        sentence = out.partition("\n@")[0].replace("~\\cite{rankproof}", "")
        commands = set(re.findall(r"\\[a-z]+", sentence)) - {"\\textasciitilde", "\\textasciicircum", "\\textbackslash"}
        trial.require(not commands, f"{name}: LaTeX commands {sorted(commands)}")
        plain = re.sub(r"\\(text\w+\{\}|[~^]\{\}|.)", "", sentence)
        trial.require(not set("_&%$#{}~^") & set(plain), f"{name}: signs that LaTeX reads: {plain}")


# -- pipes -------------------------------------------------------------------------------------------------------------

BOTH = {"qrels": QRELS, "run": RUN}
PIPES = {
    "qrels": Case(("evaluate", "pipe", "run", "-m", "AP"), "no program wrote", _pipe("pipe", **BOTH), named="pipe"),
    "a link": Case(
        ("evaluate", "qrels", "link", "-m", "AP"),
        "no program wrote",
        lambda machine: [_pipe("pipe", **BOTH)(machine), (machine.home / "link").symlink_to("pipe")],
        named="link",
    ),
    "a run": Case(("explain", "qrels", "pipe", "-m", "AP"), "no program wrote", _pipe("pipe", **BOTH), named="pipe"),
    "Parquet": Case(("evaluate", "qrels", "p.parquet", "-m", "AP"), "", _pipe("p.parquet", **BOTH), named="p.parquet"),
    "a case": Case(("cases", "lint", "pipe.toml"), "no program wrote", _pipe("pipe.toml"), (1,)),
    "results": Case(("diff", "pipe.jsonl", "pipe.jsonl"), "pipe.jsonl", _pipe("pipe.jsonl"), named="pipe.jsonl"),
    "a sheet": Case(
        ("env", "list", "all", "--adapters", "own"),
        "no program wrote",
        lambda machine: [machine.write("own/x_adapter.py", ""), os.mkfifo(machine.home / "own" / "x.toml")],
        named="x.toml",
    ),
    "a function": Case(("check", "pipe.py", "f(rels)", "P@5"), "", _pipe("pipe.py"), named="pipe.py"),
}


def pipe(trial: Trial) -> None:
    """Replace a file with a pipe without a writer."""
    attack(trial, PIPES)


ENDLESS = tuple((verb, line) for verb in ("evaluate", "explain") for line in (b"q1 Q0 d1 1 1 t\n", b"\n", b"a"))


def endless(trial: Trial) -> None:
    """Read from an endless pipe: rejected before the memory is full."""
    verb, line = ENDLESS[trial.index]
    machine = trial.machine()
    _pipe("pipe", qrels=QRELS)(machine)

    def write() -> None:
        with open(machine.home / "pipe", "wb", buffering=0) as file:  # noqa: PTH123 - without a buffer
            try:
                while True:
                    file.write(line * 10_000)
            except BrokenPipeError:
                return

    threading.Thread(target=write, daemon=True).start()
    command = (verb, "qrels", "pipe", "-m", "AP")
    ended = trial.command(machine, *command, codes=(2,), about=f"{verb} {line!r}", limits=Limits(memory=MEMORY))
    trial.fault(*refusal(ended, "pipe"), about=f"{verb} {line!r}")


# -- the hook and the Action -------------------------------------------------------------------------------------------

FUNCTION = "def precision(rels, k):\n    return sum(rel >= 1 for rel in rels[:k]) / k\n"
CLAIM = '[[tool.rankproof.check]]\nfile = "m.py"\ncall = "{}"\nmeasure = "P@5"\n{}\n'
SOUND = CLAIM.format("precision(rels, k)", "")
HOOKS: Mapping[str, tuple[Mapping[str, str], int]] = {
    "a test that cannot be imported": ({"m__py": FUNCTION, "pyproject__toml": SOUND, "test_it__py": "import gone"}, 0),
    "a test that fails": ({"m__py": FUNCTION, "pyproject__toml": SOUND, "test_it__py": "def test():\n    assert 0"}, 0),
    "a conftest that exits": ({"m__py": FUNCTION, "pyproject__toml": SOUND, "conftest__py": "raise SystemExit(1)"}, 0),
    "options of pytest": (
        {"m__py": FUNCTION, "pyproject__toml": f'{SOUND}[tool.pytest.ini_options]\naddopts = "-x --cov"'},
        0,
    ),
    "no project": ({}, 0),
    "nothing declared": ({"pyproject__toml": '[project]\nname = "rankproof-user"\n'}, 0),
    "check = 5": ({"pyproject__toml": "[tool.rankproof]\ncheck = 5\n"}, 2),
    "no TOML": ({"pyproject__toml": "rankproof = ["}, 2),
    "an unknown key": ({"m__py": FUNCTION, "pyproject__toml": f'{SOUND}"\\u001b[2J" = 1'}, 2),
    "a wrong function": ({"m__py": FUNCTION.replace(">= 1", ">= 2"), "pyproject__toml": SOUND}, 1),
    "a file that is missing": ({"pyproject__toml": SOUND}, 1),
    "a file that cannot be imported": ({"m__py": "import gone", "pyproject__toml": SOUND}, 1),
    "a function that exits": ({"m__py": FUNCTION + "    exit(0)\n", "pyproject__toml": SOUND}, 0),
    "a module that exits": ({"m__py": "raise SystemExit(0)", "pyproject__toml": SOUND}, 1),
    "a function that does not return": (
        {
            "m__py": "def f(rels):\n    while True:\n        pass\n",
            "pyproject__toml": CLAIM.format("f(rels)", "budget = 2"),
        },
        1,
    ),
    "a function that is too slow": (
        {
            "m__py": "import time\n" + FUNCTION.replace("    return", "    time.sleep(1)\n    return"),
            "pyproject__toml": CLAIM.format("precision(rels, k)", "budget = 3"),
        },
        1,
    ),
    "one wrong of two": ({"m__py": FUNCTION, "pyproject__toml": SOUND + SOUND.replace("P@5", "RR")}, 1),
}
"""Files of projects, and the exit code of the hook."""


def hook(trial: Trial) -> None:
    """Run the hook in a project with a declared function: it checks only this function."""
    name, (files, code) = list(HOOKS.items())[trial.index]
    (entry,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    machine = trial.machine()
    _writes(**files)(machine)
    program, *arguments = shlex.split(entry["entry"])
    trial.require(program == "rankproof", f"the hook runs {program}")
    trial.require(entry.get("pass_filenames", True) is False, "the hook gets the names of files")
    ended = trial.command(machine, *arguments, codes=(code,), about=name)
    trial.require(ended.stdout + ended.stderr, f"{name}: nothing is printed")
    odd = {sign for sign in ended.stdout + ended.stderr if not sign.isprintable()} - {"\n"}
    trial.require(not odd, f"{name}: not printable: {sorted(odd)}")


HOSTILE = ("--help", "-n", "-", "gone", "$(touch hacked)", "`touch hacked`", "; touch hacked", "a b", "\n--help", "*")
NAMES = ("--help", "--json", "-n", "-P")
ACTIONS = [(name, value, False) for name in ("old", "new", "tests", "comment") for value in HOSTILE]
ACTIONS += [(name, value, True) for name in ("old", "new", "tests") for value in NAMES]
"""Name of an input, its value, and whether a folder of this name exists, with other results or a wrong function."""


def action(trial: Trial) -> None:
    """Pass an option, a command or a missing file to the Action: rejected, never run or used as an option."""
    name, value, exists = ACTIONS[trial.index]
    machine, about = trial.machine("same"), f"{name}: {value!r}"
    if exists and name == "tests":
        machine.write(f"{value}/m.py", FUNCTION.replace(">= 1", ">= 2"))
        machine.write(f"{value}/pyproject.toml", SOUND)
    elif exists:
        text = (machine.out / "results" / "sound.jsonl").read_text(encoding="utf-8")
        shutil.copytree(machine.out, machine.home / value)
        changed = re.sub(r'"value":1\.0(?=,"expected":1)', '"value":0.25', text, count=1)
        machine.write(f"{value}/results/sound.jsonl", changed)
    steps = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    inputs = {key: entry["default"] for key, entry in steps["inputs"].items()}
    inputs |= {"python": sys.executable, "old": "out", "new": "out", "tests": "", name: value}
    summary = machine.home / "summary.md"
    own = {"HOME": str(machine.home), "PYTHONPATH": str(trial.ground.source), "GITHUB_STEP_SUMMARY": str(summary)}
    codes = []
    for step in steps["runs"]["steps"]:
        named = {key: inputs[text.removeprefix("${{ inputs.").removesuffix(" }}")] for key, text in step["env"].items()}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        environment = {**os.environ, **own, **named, "RANKPROOF_ADAPTERS": str(trial.ground.adapters)}
        done = subprocess.run(
            command,
            cwd=machine.home,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        codes.append(done.returncode)
        trial.require("Usage:" not in done.stdout + done.stderr, f"{about}: the help is printed")
    trial.require(not (machine.home / "hacked").exists(), f"{about}: it was run")
    refused = 1 if exists else 2  # a value that differs, or a function that is not the measure
    expected = {"tests": [0, refused, 0], "comment": [0, 0, 0]}.get(name, [0, 0, refused])
    trial.require(codes == expected, f"{about}: exit codes {codes}")
    if name == "comment":
        texts = [path.read_text(encoding="utf-8") for path in (summary, machine.home / value) if Path(path).exists()]
        trial.require(len(texts) == len(set(texts)) + 1, f"{about}: the comment is not written")
