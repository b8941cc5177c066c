"""How many wrong references the corpus tells from the right one: mutation testing with the corpus tests alone.

    .venv/bin/python -m pip install mutmut
    .venv/bin/python benchmarks/mutation.py

In a folder of its own the package is laid out as in the wheel, mutmut makes the mutants of `reference_impl` and runs
`tests/test_corpus.py` against each. Then: a score, and each survivor, which either `benchmarks/survivors.toml` lists with the reason
why it cannot matter, or a new case has to answer. Exit code 1 where the score is below 95 %, a survivor is not listed, or a listed one
was killed or is no mutant any more.

Before, properties and cached functions are rewritten from decorators to calls, as mutmut leaves alone what is decorated. What runs at
import, such as the tables, is not mutated. Not counted, each by a rule: mutants that change only the text of an error, or only how the
same is said (`RULES`); those of functions that run at import, before a mutant is chosen, that state a fact (`STATED`), or
that find keys no case can name (`LOOKUPS`); and the modules in `LEFT_OUT`.
"""

import ast
import difflib
import json
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import click

from rankproof.reference_impl.conventions import AXES

ROOT = Path(__file__).resolve().parent.parent
LISTED = ROOT / "benchmarks" / "survivors.toml"
GOAL = 95
LEFT_OUT = {
    "examples": "makes rankings for the doctests; no measure uses it",
}
ERRORS = {"LengthsDiffer", "NotPooled", "Overflow", "TooManyOrders", "TypeError", "UnknownConvention", "UnknownMeasure", "UnknownProfile",
          "ValueError", "super().__init__"}  # fmt: skip
AT_IMPORT = {"_axis", "_found", "_named"}
"""Functions that make the tables when they are imported."""
STATED = {
    "_reads",
    "reads",
    "Definition.looks_at",
    "Axis.phrase",
    "_gains_in_words",
    "_discount_in_words",
    "_grade_in_words",
}
"""Functions that say what is known of a measure or an axis, and no value: `tests/test_measure_facts.py` and others hold them."""
LOOKUPS = {"keys_of", "Profile.conventions", "Profile.changed", "Profile.single"}
"""Functions that find conventions by the keys of sheets and of fingerprints, which no case can name: the tests of these hold them."""
CONFIGURATION = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = ["src/rankproof/reference_impl/*"]
do_not_mutate = [{left_out}]
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:cov", "-p", "no:hypothesispytest"]
pytest_add_cli_args_test_selection = ["tests/test_corpus.py"]
timeout_constant = 10.0
timeout_multiplier = 3.0
"""
VERDICTS = {
    0: "survived",
    1: "killed",
    3: "killed",
    5: "survived",
    33: "survived",
    36: "timeout",
    24: "timeout",
    -24: "timeout",
    152: "timeout",
}


@dataclass(frozen=True)
class Mutant:
    """One change of the reference: where, from what to what, and what became of it."""

    name: str
    where: str
    was: str
    now: str
    verdict: str
    rule: str = field(default="", compare=False)

    @property
    def change(self) -> tuple[str, str, str]:
        """What it is known by, whatever number mutmut gives it."""
        return self.where, self.was, self.now


def lay_out(folder: Path) -> None:
    """Copy the package to where the wheel has it, the corpus tests, and mutmut's configuration."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for package, source in project["tool"]["setuptools"]["package-dir"].items():
        target = folder / "src" / Path(*package.split("."))
        shutil.copytree(ROOT / source, target, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    for path in (folder / "src" / "rankproof" / "reference_impl").rglob("*.py"):
        path.write_text(undecorated(path.read_text(encoding="utf-8")), encoding="utf-8")
    (folder / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "test_corpus.py", folder / "tests")
    left_out = ", ".join(f'"src/rankproof/reference_impl/{module}.py"' for module in LEFT_OUT)
    (folder / "pyproject.toml").write_text(CONFIGURATION.format(left_out=left_out), encoding="utf-8")


def undecorated(source: str) -> str:
    """The same module, with `@property def f` written as `f = property(f)`."""
    lines = source.splitlines()
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in sorted(functions, key=lambda node: -node.lineno):
        names = {ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list}
        if names and names <= {"property", "cached_property", "lru_cache"}:
            (decorator,) = node.decorator_list
            called = f"{' ' * node.col_offset}{node.name} = {ast.unparse(decorator)}({node.name})"
            lines.insert(node.end_lineno or 0, called)
            del lines[decorator.lineno - 1 : decorator.end_lineno]
    return "\n".join(lines) + "\n"


def mutants(folder: Path) -> Iterator[Mutant]:
    """Every mutant that mutmut made, with what became of it."""
    made = folder / "mutants"
    for path in sorted(made.rglob("*.py.meta")):
        source = path.with_suffix("")
        bodies = {
            node.name: node
            for node in ast.walk(ast.parse(source.read_text("utf-8")))
            if isinstance(node, ast.FunctionDef)
        }
        for name, code in json.loads(path.read_text("utf-8"))["exit_code_by_key"].items():
            function = name.rpartition(".")[2].rpartition("__mutmut_")[0]
            original, mutant = bodies[f"{function}__mutmut_orig"], bodies[name.rpartition(".")[2]]
            place = source.relative_to(made / "src" / "rankproof").as_posix()
            where = f"{place}: {function.removeprefix('x_').removeprefix('xǁ').replace('ǁ', '.')}"
            was, now = changed(original, mutant)
            yield Mutant(name, where, was, now, VERDICTS.get(code, f"exit {code}"), rule(original, mutant, where))


def changed(original: ast.FunctionDef, mutant: ast.FunctionDef) -> tuple[str, str]:
    """The lines that differ, as Python would print them."""
    before, after = (ast.unparse(_named_alike(node)).splitlines() for node in (original, mutant))
    lines = [line for line in difflib.ndiff(before, after) if line[0] in "-+"]
    return tuple(" / ".join(line[2:].strip() for line in lines if line[0] == sign) for sign in "-+")


def _named_alike(node: ast.FunctionDef) -> ast.FunctionDef:
    node.name = "f"
    node.decorator_list = []
    return node


def rule(original: ast.FunctionDef, mutant: ast.FunctionDef, where: str) -> str:
    """By which rule a mutant does not count, if by one."""
    if where.rpartition(" ")[2] in AT_IMPORT:
        return "run at import"
    if where.rpartition(" ")[2] in STATED:
        return "a fact, which other tests hold"
    if where.rpartition(" ")[2] in LOOKUPS:
        return "a key of a sheet or of a fingerprint, which other tests hold"
    plain = [ast.parse(ast.unparse(_named_alike(node))) for node in (original, mutant)]
    for name, kinds in RULES.items():
        one, other = (ast.dump(_Plain(kinds).visit(ast.parse(ast.unparse(node)))) for node in plain)
        if one == other:
            return name
    return ""


RULES: Mapping[str, frozenset[str]] = {
    "the text of an error": frozenset({"message"}),
    "a sum that begins with 0 for 0/1, or a check of equal lengths that hold": frozenset({"spelling"}),
    "the default of a convention, which `Definition.arguments` always gives": frozenset({"default"}),
}


@dataclass
class _Plain(ast.NodeTransformer):
    """Takes out of a function what a rule says does not matter."""

    kinds: frozenset[str]

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Messages are called msg, and their parts hint, near and needed."""
        name = node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""
        if "message" in self.kinds and name in {"msg", "hint", "near", "needed"}:
            node.value = ast.Constant("")
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """What an error is made with; where sum starts; strict zips."""
        name = ast.unparse(node.func)
        if "message" in self.kinds:
            _without_message(node, name)
        if "spelling" in self.kinds and name == "sum" and [ast.unparse(a) for a in node.args[1:]] == ["Fraction(0)"]:
            del node.args[1:]
        if "spelling" in self.kinds and name == "zip":
            node.keywords = []
        return self.generic_visit(node)

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        """Defaults of keyword-only parameters that are axes."""
        if "default" in self.kinds:
            node.kw_defaults = [
                ast.Constant("") if argument.arg in AXES else default
                for argument, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)
            ]
        return node


def _without_message(node: ast.Call, name: str) -> None:
    if name in {"Rejected", "UndefinedScore"}:
        node.args, node.keywords = node.args[:1], [keyword for keyword in node.keywords if keyword.arg != "message"]
    elif name == "_worth":  # the query is there to be named in a message
        node.args = [*node.args[:2], *(ast.Constant("") for _ in node.args[2:])]
    elif name in ERRORS and len(node.args) == 1:
        node.args = [ast.Constant("")]


def listed() -> Mapping[tuple[str, str, str], str]:
    """The survivors that are known, with the reason why they cannot matter."""
    if not LISTED.exists():
        return {}
    entries = tomllib.loads(LISTED.read_text(encoding="utf-8"))["survivor"]
    return {(where, change["was"], change["now"]): entry["reason"]
            for entry in entries for change in entry["changes"] for where in [entry["where"]]}  # fmt: skip


@click.command(help=(__doc__ or "").split("\n\n", maxsplit=1)[0])
@click.option(
    "--folder", type=click.Path(path_type=Path), help="Work there and leave it; else in a folder that is removed."
)
def main(folder: Path | None) -> None:
    """Make the mutants, ask the corpus, tell."""
    started = time.monotonic()
    work = folder or Path(tempfile.mkdtemp(prefix="rankproof-mutation-"))
    work.mkdir(parents=True, exist_ok=True)
    lay_out(work)
    mutmut = [str(Path(sys.executable).parent / "mutmut"), "run", "--max-children", "1"]
    subprocess.run(mutmut, check=True, cwd=work)  # noqa: S603 - the same interpreter's own
    found = list(mutants(work))
    if folder is None:
        shutil.rmtree(work)
    sys.exit(tell(found, time.monotonic() - started))


def tell(found: list[Mutant], seconds: float) -> int:
    """Print the score and the survivors; 1 where something is to be done."""
    counted = [mutant for mutant in found if not mutant.rule]
    verdicts = Counter(mutant.verdict for mutant in counted)
    killed = verdicts["killed"] + verdicts["timeout"]
    score = 100 * killed / len(counted)
    known = listed()
    survivors = [mutant for mutant in counted if mutant.verdict not in {"killed", "timeout"}]
    new = [mutant for mutant in survivors if mutant.change not in known]
    gone = set(known) - {mutant.change for mutant in survivors}
    for mutant in new:
        print(f"survived ({mutant.verdict}): {mutant.where}\n  - {mutant.was}\n  + {mutant.now}")
    for where, was, now in sorted(gone):
        print(f"listed in {LISTED.name}, and no survivor: {where}\n  - {was}\n  + {now}")
    excluded = Counter(mutant.rule for mutant in found if mutant.rule)
    print(
        f"{len(found)} mutants; not counted: " + (", ".join(f"{n} ({rule})" for rule, n in excluded.items()) or "none")
    )
    print(
        f"{len(counted)} counted: {verdicts['killed']} killed, {verdicts['timeout']} timed out, {len(survivors)} survived",
        end=" ",
    )
    print(f"({len(survivors) - len(new)} of them listed with a reason): {score:.1f} % killed, in {seconds:.0f} s")
    return int(score < GOAL or bool(new) or bool(gone))


if __name__ == "__main__":
    main()
