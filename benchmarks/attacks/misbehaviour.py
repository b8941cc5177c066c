"""Attacks with misbehaving adapters next to a sound library, and with misbehaving functions in `check`.

The title of a misbehaving adapter's sheet begins with its expected verdict for tied scores. Its other values are
right, unless it misbehaves in `hello`.
"""

import ast
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence

from machines import ROOT, Machine, Rows, Tree, Trial, files_of, record_of, rows_of, run_arguments

MISBEHAVING = ROOT / "tests" / "misbehaving"
TIED, UNTIED = "ties/two-docs-all-tied", "ties/none-tied"
FEW = ("--case", UNTIED, "--measure", "RR")
"""Options for a few values in addition to the tied case; misbehaving libraries have only RR."""
BOUNDS = ("--timeout", "2", "--memory", "200M")


# -- adapters ----------------------------------------------------------------------------------------------------------


def adapters() -> list[str]:
    """Return the names of the misbehaving libraries."""
    return sorted(path.stem for path in MISBEHAVING.glob("*.toml"))


def adapter(trial: Trial) -> None:
    """Run a misbehaving library next to a sound one, which must not be affected; then the sound one alone."""
    name = adapters()[trial.index]
    machine = trial.machine()
    folder = machine.home / "adapters"
    shutil.copytree(MISBEHAVING, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in trial.ground.adapters.glob("sound*"):
        shutil.copy(path, folder)
    sheet = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    verdict = str(sheet["title"]).partition(":")[0]
    arguments = (*run_arguments(machine.out, TIED, (name, "sound")), *FEW, *BOUNDS)
    trial.command(machine, *arguments, codes=[0] if verdict == "agrees" else [0, 1], about=name, adapters=folder)
    files, sound = files_of(machine.out), _few(trial.ground.clean)
    trial.compare(_rows_of(files, "sound"), sound, about=name)
    greets = f"@at_hello\ndef {name}(" in (folder / "misbehaving_library.py").read_text(encoding="utf-8")
    trial.fault(*judged(_rows_of(files, name), sound, verdict, everywhere=greets), about=name)
    trial.command(machine, *run_arguments(machine.out, TIED, ["sound"]), *FEW, about=f"after {name}")
    trial.compare(rows_of(files_of(machine.out)), sound, about=f"after {name}")


def _rows_of(files: Tree, library: str) -> Rows:
    return rows_of({name: text for name, text in files.items() if name.startswith(f"results/{library}.")})


def _few(clean: Tree) -> Rows:
    """Return the rows of the sound library for these cases on an undisturbed machine."""
    wanted = {(TIED, "RR"), (UNTIED, "RR"), (UNTIED, "RR@2")}
    rows = {line: (record_of(line), n) for line, n in _rows_of(clean, "sound").items()}
    return Counter({line: n for line, (row, n) in rows.items() if (row.get("case"), row.get("measure")) in wanted})


def judged(own: Rows, sound: Rows, verdict: str, *, everywhere: bool) -> list[str]:
    """Return the faults in the rows of a misbehaving library: right values without ties, its verdict with ties."""
    rows = [row for row in map(_facts, own.elements()) if row["verdict"] is not None]  # unsupported rows have none
    if any(not row["case"] for row in rows):  # one row for the whole library
        return _other_verdicts(rows, verdict)
    expected = [row for row in map(_facts, sound.elements()) if row["measure"] == "RR"]
    if verdict == "agrees":
        return [f"another row: {row}" for row in rows if row not in expected] + [
            f"no row: {row}" for row in expected if row not in rows
        ]
    expected = [row for row in expected if row["case"] == UNTIED and not everywhere]
    bad = [row for row in rows if row["case"] == TIED or everywhere]
    wrong = [f"another row: {row}" for row in rows if row not in bad and row not in expected]
    return [*wrong, *(f"no row: {row}" for row in expected if row not in rows), *_other_verdicts(bad, verdict)]


def _facts(line: str) -> dict[str, object]:
    return {name: record_of(line).get(name) for name in ("case", "measure", "verdict", "value", "query")}


def _other_verdicts(rows: Sequence[Mapping[str, object]], verdict: str) -> list[str]:
    verdicts = sorted({str(row["verdict"]) for row in rows})
    return [] if verdicts == [verdict] else [f"verdict {', '.join(verdicts) or 'none'}, not {verdict}"]


# -- functions ---------------------------------------------------------------------------------------------------------

FILE = ROOT / "tests" / "functions" / "strangers.py"
CODES = {"agrees": [0], "unexplained": [1], "crash": [1], "memory": [1], "timeout": [1, 3], "unstable": [1]}
"""Exit codes of `check` by the first word of a docstring; 3 after the time limit."""
WORDS = {"agrees": "is P@5", "memory": "memory", "timeout": "within", "unstable": "another|different|process ended"}
"""Expected words of the output, if the docstring has no words for it."""
REPEATED = re.compile(r"exit code \d+|SIG[A-Z]+|(?<=raises )\w+|'\w+'")
PATIENCE, HASTE, BUDGET = "5", "0.5", "30"
"""Seconds for one call, for a call that must time out, and for all calls."""
SLOW = "import time\n\n\ndef precision(rels, k):\n    time.sleep({pause})\n    return sum(rel >= 1 for rel in rels[:k]) / k\n"
PAUSES = (0.02, 0.2, 1.0)


def functions() -> Mapping[str, str]:
    """Return the docstrings of the misbehaving functions by name, without importing them."""
    body = ast.parse(FILE.read_text(encoding="utf-8")).body
    docs = {node.name: ast.get_docstring(node) or "" for node in body if isinstance(node, ast.FunctionDef)}
    return {name: text for name, text in docs.items() if text.partition(":")[0] in CODES}


def check_arguments(name: str, *options: str) -> list[str]:
    """Return the arguments that check one of the functions."""
    call = f"{name}(rels, k)"
    return ["check", str(FILE), call, "P@5", "--memory", "1G", "--budget", BUDGET, *options]


def stranger_environment(machine: Machine) -> Mapping[str, str]:
    """Return the environment variable with the folder for notes of the functions."""
    return {"RANKPROOF_STRANGERS_NOTES": str(machine.home)}


def function(trial: Trial) -> None:
    """Check a misbehaving function: the exit code is documented, and the output contains the reason."""
    name, text = list(functions().items())[trial.index]
    kind, _, rest = text.partition(": ")
    machine = trial.machine()
    arguments = check_arguments(name, "--timeout", HASTE if kind == "timeout" else PATIENCE)
    ended = trial.command(machine, *arguments, codes=CODES[kind], about=name, more=stranger_environment(machine))
    output = " ".join(ended.stdout.split()).casefold()
    words = REPEATED.findall(rest) or [WORDS.get(kind, "")]
    missing = [word for word in words if not any(either in output for either in word.casefold().split("|"))]
    trial.require(not missing, f"{name}: the output {output[:200]!r} lacks {missing}")


def slow_function(trial: Trial) -> None:
    """Check a function that is too slow for the budget: `check` ends soon and names the budget instead of a result."""
    machine, pause = trial.machine(), PAUSES[trial.index]
    machine.write("slow.py", SLOW.format(pause=pause))
    ended = trial.command(machine, "check", "slow.py", "precision(rels, k)", "P@5", "--budget", "2", codes=[2, 3])
    trial.require(ended.seconds < 30, f"{pause:g} s a call: it took {ended.seconds:.1f} s")
    trial.require("--budget" in ended.stdout + ended.stderr, f"{pause:g} s a call: the budget is not named")
