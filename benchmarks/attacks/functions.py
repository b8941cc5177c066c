"""Functions that misbehave, checked by `check`: the output has the words of their docstrings, and the exit code is 0 only if they agree."""

import ast
import re
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random

from ground import ROOT, Ground, Machine
from running import Ended, Strike
from tally import Outcome

FILE = ROOT / "tests" / "functions" / "strangers.py"
NOTES = "RANKPROOF_STRANGERS_NOTES"
"""The folder in which they leave a note of how often they were called."""
CODES = {"agrees": [0], "unexplained": [1], "crash": [1], "memory": [1], "timeout": [1, 3], "unstable": [1]}
"""The exit codes of `check` by the kind that begins a docstring; 3 if the timeouts used up the time."""
WORDS = {"agrees": "is P@5", "memory": "memory", "timeout": "within", "unstable": "another"}
"""Words of the output by kind, if the docstring does not contain special words."""
SPECIAL = re.compile(r"exit code \d+|SIG[A-Z]+|(?<=raises )\w+|'\w+'")
"""Words of a docstring that the output repeats."""
MEMORY = "1G"
"""What they may take; a thread alone reserves some."""
PATIENCE, HASTE = "5", "0.5"
"""How many seconds a question may take: of one that is to time out not many, and of all others what a machine under load may need."""
BUDGET = "30"
"""Seconds for one check: less than a command may take, and many times what an honest function takes."""
BESIDE = 4
"""After one of so many, an honest function is checked, too."""
_clean: dict[Path, Counter[str]] = {}
_asking = threading.Lock()


def functions() -> Mapping[str, str]:
    """Return their names and docstrings, without importing the module."""
    if not FILE.exists():
        return {}
    defined = [node for node in ast.parse(FILE.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)]
    told = {node.name: ast.get_docstring(node) or "" for node in defined}
    return {name: said for name, said in told.items() if said.partition(":")[0] in CODES}


def function(ground: Ground, index: int, _chance: Random) -> Outcome:
    """Check one of them, and after some of them an honest function."""
    name, said = list(functions().items())[index]
    machine = ground.machine(f"function-{name}")
    ended = checked(ground, machine, name, "--timeout", HASTE if said.startswith("timeout:") else PATIENCE)
    faults = ended.faults(CODES[said.partition(":")[0]]) or _missing_words(ended.stdout, said)
    attacked = Outcome(tuple(f"{name}: {fault}" for fault in faults), (), (), ended.left, ended.seconds)
    return attacked.and_then(_beside(ground, machine)) if index % BESIDE == 0 else attacked


def checked(ground: Ground, machine: Machine, name: str, *options: str, strike: Strike | None = None) -> Ended:
    """Check one of the functions on a machine, in whose home it leaves its notes."""
    arguments = ("check", str(FILE), f"{name}(rels, k)", "P@5", "--memory", MEMORY, "--budget", BUDGET, *options)
    return ground.command(machine, *arguments, more={NOTES: str(machine.home)}, strike=strike)


def _beside(ground: Ground, machine: Machine) -> Outcome:
    """Return how the output for an honest function differs from the output on a clean machine."""
    with _asking:
        if ground.folder not in _clean:
            _clean[ground.folder] = _of_honest(ground, ground.machine("function-clean"))
    found, clean = _of_honest(ground, machine), _clean[ground.folder]
    return Outcome((), tuple((found - clean).elements()), tuple((clean - found).elements()))


def _of_honest(ground: Ground, machine: Machine) -> Counter[str]:
    ended = checked(ground, machine, "honest", "--timeout", PATIENCE)
    return Counter([*ended.stdout.splitlines(), *ended.faults([0])])


def _missing_words(stdout: str, said: str) -> tuple[str, ...]:
    """Return as a fault what the output lacks of the words of a docstring."""
    kind, _, what = said.partition(": ")
    output = " ".join(stdout.split())
    words = SPECIAL.findall(what) or [WORDS.get(kind, "")]
    missing = [word for word in words if word.casefold() not in output.casefold()]
    return (f"the output {output[:200]!r} lacks {missing}",) if missing else ()
