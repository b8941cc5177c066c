"""How many wrong programs the tests tell from the right one: mutation testing, room by room.

    .venv/bin/python -m pip install mutmut
    .venv/bin/python benchmarks/mutation.py                          # all rooms: hours
    .venv/bin/python benchmarks/mutation.py judging                  # one room
    .venv/bin/python benchmarks/mutation.py workers/store.py          # one module
    .venv/bin/python benchmarks/mutation.py judging --sample 150     # some mutants of it, by chance

`benchmarks/mutation_rooms.toml` says what a room is: the modules that are changed, and the tests that may judge them. The corpus alone
judges the reference. Tests that compare a digest of the code or a published file, and those that run the program in another process
(which no mutant reaches), judge nothing.

Each room is laid out in a folder of its own, as in the wheel; mutmut makes the mutants, sees which tests call which function, and runs
those alone, the quickest first, until one fails. What was found stays there, so that an interrupted run goes on; once a file of the
package, a test or the room's entry changes, all of it is found anew. Then: a score for each room, and each survivor, which either
`benchmarks/survivors*.toml` list with the reason why it cannot matter, or a new test has to kill. Exit code 1 where a score is below the
room's goal, a survivor is not listed, or a listed one was killed or is no mutant any more.

Before, properties and cached functions are rewritten from decorators to calls, as mutmut leaves alone what is decorated. What runs at
import, such as the tables, is not mutated. Not counted, and not run: the mutants of `benchmarks/mutation_rules.py`, which change only the
text of an error or of a sentence, or only how the same is said.
"""

import ast
import contextlib
import hashlib
import json
import random
import shutil
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import click
from mutation_rules import changed, rule, undecorated

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "benchmarks"
ROOMS = HERE / "mutation_rooms.toml"
AT_ONCE = 300
"""How many mutants are named in one call of mutmut: a command has no room for thousands of names."""
CONFIGURATION = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = {modules}
process_isolation = "{isolation}"
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:cov", "-p", "no:hypothesispytest", "-p", "judging_tests", "--basetemp=tmp"]
pytest_add_cli_args_test_selection = {tests}
timeout_constant = 10.0
timeout_multiplier = 3.0
"""
PLUGIN = '''
"""Which of the collected tests judge mutants, and in which order: the quickest file first."""

import json
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

LEFT_OUT = {left_out}
ASKING_ALL = {{"whole_run", "selected_run", "rows_by_place", "wheel", "browser"}}


def pytest_configure(config):
    """Laws are tried on the same inputs whatever the mutant is, and none is killed by being slow."""
    if find_spec("hypothesis"):
        from hypothesis import HealthCheck, settings

        slow = [HealthCheck.too_slow]
        settings.register_profile("judging", max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=slow)
        settings.load_profile("judging")


def pytest_collection_modifyitems(config, items):
    if any(hasattr(item.obj, "hypothesis") for item in items):
        _read_constants()
    out = [item for item in items if ASKING_ALL & set(item.fixturenames) or item.nodeid.endswith(LEFT_OUT)
           or item.nodeid.partition("[")[0].endswith(LEFT_OUT)]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if item not in out]
    try:
        seconds = json.loads(Path("mutmut-stats.json").read_text("utf-8"))["duration_by_test"]
    except FileNotFoundError:
        return
    files = Counter()
    for item in items:
        files[item.path] += seconds.get(item.nodeid, 0)
    items.sort(key=lambda item: (files[item.path], str(item.path), seconds.get(item.nodeid, 0)))


def _read_constants():
    """Hypothesis looks for constants in all modules when it first draws: megabytes of mutants, here once for all processes."""
    from hypothesis import given, strategies

    @given(strategies.integers())
    def drawn(_number):
        pass

    drawn()
'''
VERDICTS = {
    0: "survived",
    1: "killed",
    3: "killed",
    5: "survived",
    33: "no test",
    24: "timeout",
    -24: "timeout",
    152: "timeout",
}
"""What mutmut's exit codes mean; any other is told as it is, and is no kill."""


@dataclass(frozen=True, slots=True)
class Room:
    """What is mutated together, and which tests may judge it.

    Attributes:
        modules: files of the checkout, as globs.
        tests: files of `tests/`.
        left_out: tests in them that judge nothing, and why.
        not_mutated: modules that are left alone, and why.
        functions: the only functions whose mutants count, and which then count in no other room; all, where none is named.
        goal: the part of the mutants that is to be killed, in percent.
        alone: whether the tests run without `conftest.py` and all else that stands beside them.
        isolation: what a mutant's process is forked from: `forkserver`, one that collected the tests and ran none, so that nothing is
            cached that the mutant would change; or `fork`, the one that ran them, which is quicker.
    """

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    not_mutated: Mapping[str, str] = field(default_factory=dict)
    functions: tuple[str, ...] = ()
    goal: int = 90
    alone: bool = False
    isolation: str = "forkserver"

    def files(self) -> list[Path]:
        """The modules that are mutated, by their places in the checkout."""
        found = {path for glob in self.modules for path in ROOT.glob(glob)}
        return sorted(
            path.relative_to(ROOT) for path in found if path.relative_to(ROOT).as_posix() not in self.not_mutated
        )


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a function: where, from what to what, what became of it, and by which rule it does not count."""

    name: str
    where: str
    was: str
    now: str
    verdict: str = ""
    rule: str = ""

    @property
    def change(self) -> tuple[str, str, str]:
        """What it is known by, whatever number mutmut gives it."""
        return self.where, self.was, self.now

    @property
    def survived(self) -> bool:
        """Whether no test told it from the right program."""
        return self.verdict not in {"killed", "timeout"}


def rooms() -> dict[str, Room]:
    """All rooms, by their names."""
    said = tomllib.loads(ROOMS.read_text(encoding="utf-8"))
    return {
        name: Room(name, **{key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()})
        for name, entry in said.items()
    }


def chosen(wanted: Iterable[str]) -> list[Room]:
    """The rooms that are asked for, each by its name, or by a module, with that module alone; all of them without one.

    Raises:
        click.UsageError: there is no such room or module.
    """
    known = rooms()
    whole = [room for room in known.values() if not room.functions]
    found = []
    for name in wanted:
        files = [(room, path) for room in whole for path in room.files() if path.as_posix().endswith(name)]
        if name in known:
            found.append(known[name])
        elif len(files) == 1:
            found.append(replace(files[0][0], modules=(files[0][1].as_posix(),)))
        else:
            raise click.UsageError(f"{name} is no room and no module of one; the rooms are {', '.join(known)}")
    return found or list(known.values())


# -- the folder of a room ---------------------------------------------------------------------------------------------


def lay_out(room: Room, folder: Path) -> None:
    """Copy the package to where the wheel has it, the tests, and mutmut's configuration; nothing where it stands there already."""
    stamp = folder / "stamp"
    now = _stamp(room)
    if stamp.exists() and stamp.read_text() == now:
        return
    shutil.rmtree(folder, ignore_errors=True)
    for package, source in _package_folders().items():
        target = folder / "src" / Path(*package.split("."))
        shutil.copytree(ROOT / source, target, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    for path in room.files():
        module = folder / _in_wheel(path)
        module.write_text(undecorated(module.read_text(encoding="utf-8")), encoding="utf-8")
    _lay_out_tests(room, folder)
    stamp.write_text(now)


def _lay_out_tests(room: Room, folder: Path) -> None:
    left_out = tuple(f"::{name}" for name in room.left_out)
    (folder / "src" / "judging_tests.py").write_text(PLUGIN.format(left_out=left_out), encoding="utf-8")
    if room.alone:
        (folder / "tests").mkdir()
        for name in room.tests:
            shutil.copy(ROOT / "tests" / name, folder / "tests")
    else:
        shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "mutants").mkdir()
        for path in ROOT.iterdir():  # what tests read of the checkout
            if path.name not in {"tests", "pyproject.toml", "build"} and not path.name.startswith("."):
                (folder / "mutants" / path.name).symlink_to(path)
    modules = [_in_wheel(path).as_posix() for path in room.files()]
    tests = [f"tests/{name}" for name in room.tests]
    (folder / "pyproject.toml").write_text(
        CONFIGURATION.format(modules=json.dumps(modules), tests=json.dumps(tests), isolation=room.isolation),
        encoding="utf-8",
    )


def _package_folders() -> Mapping[str, str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return project["tool"]["setuptools"]["package-dir"]


def _in_wheel(path: Path) -> Path:
    """Where a file of the checkout stands in the folder of a room."""
    package = next(package for package, source in _package_folders().items() if source == path.parts[0])
    return Path("src", *package.split("."), *path.parts[1:])


def _stamp(room: Room) -> str:
    """A digest of all that a verdict on a mutant depends on."""
    found = hashlib.sha256(repr((room.tests, sorted(room.left_out), room.isolation, CONFIGURATION, PLUGIN)).encode())
    folders = ["tests", *_package_folders().values()]
    suffixes = {".py", ".toml", ".json"}
    files = {path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in suffixes}
    for path in sorted({*files, HERE / "mutation_rules.py"}):
        found.update(str(path.relative_to(ROOT)).encode())
        found.update(path.read_bytes())
    return found.hexdigest()


# -- the mutants ------------------------------------------------------------------------------------------------------


def mutants(room: Room, folder: Path) -> list[Mutant]:
    """Every mutant that mutmut makes of a room, without its verdict; they are made once for a folder."""
    from mutmut.configuration import reset_config  # noqa: PLC0415 - the tests of this file need none

    found: list[Mutant] = []
    for path in room.files():
        kept = folder / "made" / f"{path.as_posix().replace('/', '.')}.json"
        if not kept.exists():
            with contextlib.chdir(folder):
                reset_config()
                made = list(_made(path))
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(json.dumps([asdict(mutant) for mutant in made]))
        found += [Mutant(**said) for said in json.loads(kept.read_text())]
    return found


def _made(path: Path) -> Iterator[Mutant]:
    from mutmut.mutation.file_mutation import mutate_file_contents  # noqa: PLC0415 - as above
    from mutmut.utils.format_utils import get_mutant_name  # noqa: PLC0415

    module = _in_wheel(path)
    file = mutate_file_contents(str(module), module.read_text(encoding="utf-8"))
    bodies = {node.name: node for node in ast.walk(ast.parse(file.code)) if isinstance(node, ast.FunctionDef)}
    for name in file.mutant_names:
        function = name.rpartition("__mutmut_")[0]
        where = f"{path.as_posix()}: {function.removeprefix('x_').removeprefix('xǁ').replace('ǁ', '.')}"
        original = bodies[f"{function}__mutmut_orig"]
        was, now = changed(original, bodies[name])
        yield Mutant(get_mutant_name(module, name), where, was, now, rule=rule(original, bodies[name], where))


def run(room: Room, folder: Path, wanted: Sequence[Mutant]) -> list[Mutant]:
    """These mutants with their verdicts; what was found before is not run again."""
    left = [mutant.name for mutant in wanted if mutant.name not in _verdicts(folder)]
    # As its own command does; `python -m mutmut` would read the module twice.
    mutmut = [sys.executable, "-c", "from mutmut.__main__ import cli; cli()", "run", "--max-children", "1"]
    for first in range(0, len(left), AT_ONCE):
        print(f"{room.name}: {first} of {len(left)} mutants run", file=sys.stderr)
        with (folder / "mutmut.log").open("a", encoding="utf-8") as log:
            done = subprocess.run([*mutmut, *left[first : first + AT_ONCE]], check=False, cwd=folder, stdout=log)  # noqa: S603 - the same interpreter's own
        if done.returncode:
            raise click.ClickException(f"mutmut ended with {done.returncode}; {folder / 'mutmut.log'} says why")
    verdicts = _verdicts(folder)
    return [replace(mutant, verdict=verdicts.get(mutant.name, "not run")) for mutant in wanted]


def _verdicts(folder: Path) -> dict[str, str]:
    """What mutmut found so far."""
    return {
        name: VERDICTS.get(code, f"exit {code}")
        for path in (folder / "mutants").rglob("*.py.meta")
        for name, code in json.loads(path.read_text("utf-8"))["exit_code_by_key"].items()
        if code is not None
    }


# -- what is told -----------------------------------------------------------------------------------------------------


def listed() -> Mapping[tuple[str, str, str], str]:
    """The survivors that are known, with the reason why they cannot matter."""
    entries = [
        entry
        for path in sorted(HERE.glob("survivors*.toml"))
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["survivor"]
    ]
    return {
        (where, change["was"], change["now"]): entry["reason"]
        for entry in entries
        for change in entry["changes"]
        for where in [entry["where"]]
    }


def tell(room: Room, made: Sequence[Mutant], judged: Sequence[Mutant], seconds: float) -> bool:
    """Print the score of a room and its survivors; False where something is to be done."""
    is_of = _belonging(room)
    known = {one: reason for one, reason in listed().items() if is_of(one[0])}
    survivors = [mutant for mutant in judged if mutant.survived]
    new = [mutant for mutant in survivors if mutant.change not in known]
    changes = {mutant.change for mutant in made}
    killed = {mutant.change for mutant in judged} - {mutant.change for mutant in survivors}
    gone = {one for one in known if one in killed or one not in changes}
    for mutant in new:
        print(f"survived ({mutant.verdict}): {mutant.where}\n  - {mutant.was}\n  + {mutant.now}")
    for where, was, now in sorted(gone):
        print(f"listed among the survivors, and none: {where}\n  - {was}\n  + {now}")
    excluded = Counter(mutant.rule for mutant in made if mutant.rule)
    print(
        f"{room.name}: {len(made)} mutants; not counted: {', '.join(f'{n} ({rule})' for rule, n in excluded.items()) or 'none'}"
    )
    counted = len(made) - excluded.total()
    sampled = f"a sample of {len(judged)} of {counted}" if len(judged) < counted else f"all {counted}"
    score = 100 * (len(judged) - len(survivors)) / len(judged) if judged else 100.0
    verdicts = Counter(mutant.verdict for mutant in judged)
    print(
        f"{room.name}: of {sampled} counted, {verdicts['killed']} killed, {verdicts['timeout']} timed out, {len(survivors)} survived "
        f"({len(survivors) - len(new)} of them listed with a reason): {score:.1f} % killed, in {seconds:.0f} s"
    )
    return score >= room.goal and not new and not gone


@click.command(help=(__doc__ or "").split("\n\n", maxsplit=1)[0])
@click.argument("wanted", nargs=-1, metavar="[ROOM | MODULE]...")
@click.option(
    "--sample", type=click.IntRange(1), help="Run that many mutants of each room, by chance; which, the seed says."
)
@click.option("--seed", type=int, default=1, show_default=True, help="What chance begins with.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=ROOT / ".mutation",
    help="Work there; what was found stays there.",
)
def main(wanted: tuple[str, ...], sample: int | None, seed: int, folder: Path) -> None:
    """Make the mutants, ask the tests, tell."""
    holds = True
    for room in chosen(wanted):
        started = time.monotonic()
        here = folder.resolve() / room.name
        lay_out(rooms()[room.name], here)
        made = counted_in(room, mutants(rooms()[room.name], here))
        counted = [mutant for mutant in made if not mutant.rule]
        if sample is not None and sample < len(counted):
            counted = random.Random(seed).sample(counted, sample)  # noqa: S311 - nothing secret
        holds &= tell(room, made, run(room, here, counted), time.monotonic() - started)
    sys.exit(int(not holds))


def counted_in(room: Room, made: Iterable[Mutant]) -> list[Mutant]:
    """The mutants of a room; those of functions that are a room of their own do not count in another."""
    is_of = _belonging(room)
    special = [_belonging(other) for other in rooms().values() if other.functions and not room.functions]
    return [
        replace(mutant, rule="of another room") if any(is_special(mutant.where) for is_special in special) else mutant
        for mutant in made
        if is_of(mutant.where)
    ]


def _belonging(room: Room) -> Callable[[str], bool]:
    """Whether a place, as in `Mutant.where`, is of the room."""
    files = {path.as_posix() for path in room.files()}

    def is_of(where: str) -> bool:
        module, _, function = where.partition(": ")
        return module in files and (not room.functions or function in room.functions)

    return is_of


if __name__ == "__main__":
    main()
