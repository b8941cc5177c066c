"""Functions that misbehave, given to `check`: each ends in the verdict that its docstring names, and in exit code 0 only if it agrees."""

import ast
import re
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random

from ground import ROOT, Ground, Machine
from tally import Outcome

FILE = ROOT / "tests" / "functions" / "strangers.py"
NOTES = "RANKPROOF_STRANGERS_NOTES"
"""The folder in which they leave a note of how often they were called."""
VERDICTS = ("agrees", "unexplained", "crash", "memory", "timeout", "unstable")
MEMORY = "1G"
"""What they may take; a thread alone reserves some."""
PATIENCE, HASTE = "5", "0.5"
"""How many seconds a question may take: of one that is to time out not many, and of all others what a machine under load may need."""


BESIDE = 4
"""After one of so many, an honest function is checked, too."""
_clean: dict[Path, Counter[str]] = {}
_asking = threading.Lock()


def functions() -> Mapping[str, str]:
    """Their names, and what is to be told of each; the module is not imported, as that is what is to be tried."""
    if not FILE.exists():
        return {}
    defined = [node for node in ast.parse(FILE.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)]
    told = {node.name: ast.get_docstring(node) or "" for node in defined}
    return {name: said for name, said in told.items() if said.startswith(tuple(f"{one}:" for one in VERDICTS))}


def function(ground: Ground, index: int, _chance: Random) -> Outcome:
    """One of them, held to the standard."""
    name, said = list(functions().items())[index]
    machine = ground.machine(f"function-{name}")
    seconds = HASTE if said.startswith("timeout:") else PATIENCE
    arguments = ("check", f"{FILE.stem}:{name}", "--measure", "P@5", "--timeout", seconds, "--memory", MEMORY)
    ended = ground.command(machine, *arguments, more={NOTES: str(machine.home)}, path=FILE.parent)
    agrees = said.startswith("agrees:")
    faults = ended.faults([0] if agrees else [1]) or _untold(ended.stdout, said)
    attacked = Outcome(tuple(f"{name}: {fault}" for fault in faults), (), (), ended.left, ended.seconds)
    return attacked.and_then(_beside(ground, machine)) if index % BESIDE == 0 else attacked


def _beside(ground: Ground, machine: Machine) -> Outcome:
    """What is said of an honest function afterwards, on the same machine: line for line what is said of it on a clean one."""
    with _asking:
        if ground.folder not in _clean:
            _clean[ground.folder] = _of_honest(ground, ground.machine("function-clean"))
    found, clean = _of_honest(ground, machine), _clean[ground.folder]
    return Outcome((), tuple((found - clean).elements()), tuple((clean - found).elements()))


def _of_honest(ground: Ground, machine: Machine) -> Counter[str]:
    arguments = ("check", f"{FILE.stem}:honest", "--measure", "P@5", "--timeout", PATIENCE, "--memory", MEMORY)
    ended = ground.command(machine, *arguments, more={NOTES: str(machine.home)}, path=FILE.parent)
    return Counter([*ended.stdout.splitlines(), *ended.faults([0])])


def _untold(stdout: str, said: str) -> tuple[str, ...]:
    """What a verdict lacks of what was to be told."""
    kind, _, what = said.partition(": ")
    told = re.search(r"^verdict +(.*(?:\n +.*)*)", stdout, re.MULTILINE)
    verdict = " ".join(told[1].split()) if told else "none"
    if verdict.startswith(f"{kind}:") and what in verdict:
        return ()
    return (f"the verdict is {verdict[:200]!r}, not {said!r}",)
