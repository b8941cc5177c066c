"""Which interpreter, and which program, is taken of all that a machine has: drawn machines, looked through one place after the other."""

import hashlib
import os
import random
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from processes import executable

from rankproof.history import program_versions, virtual_environments
from rankproof.history.program_versions import put_program
from rankproof.history.virtual_environments import Interpreter, interpreter_of
from rankproof.workers.failures import WorkerFailed
from rankproof.workers.known_libraries import Library, claiming_nothing
from rankproof.workers.programs import NotInstallable
from rankproof.workers.sheets import Build, Program

SEEDS = range(30)
HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_interpreter_that_is_such_a_one_is_taken(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    c = random.Random(seed)  # noqa: S311 - an example
    wanted = c.choice(["3.1", "3.10", "3.97", HERE])
    there: dict[str, Interpreter | None] = {}

    def put(path: Path) -> str:
        executable(path, "")
        said = Interpreter(
            f"real of {path.parts[-3:]}",
            c.choice([wanted, "3.1", "3.10", "2.7"]) + c.choice([".2", ".11", ""]),
            c.choice(["CPython", "CPython", "PyPy"]),
        )
        there[str(path)] = c.choice([said, said, said, None])
        return str(path)

    patches = c.sample(["1", "2", "12"], 3)
    roots = {"PYENV_ROOT": "versions/{}", "UV_PYTHON_INSTALL_DIR": "cpython-{}-linux"}
    found: dict[str, list[str]] = {}
    for variable, form in roots.items():
        root = tmp_path / variable
        monkeypatch.setenv(variable, str(root))
        for other in ("3.9", "3.100"):
            put(root / form.format(f"{other}.1") / "bin" / f"python{other}")
        names = [form.format(f"{wanted}.{patch}") for patch in sorted(patches, key=int, reverse=True)]
        found[variable] = [put(root / name / "bin" / f"python{wanted}") for name in names]
    monkeypatch.setenv("PATH", os.pathsep.join(str(tmp_path / name) for name in ("empty", "bin", "later")))
    on_path = [put(tmp_path / name / f"python{wanted}") for name in ("bin", "later") if c.random() < 0.6][:1]
    base = [str(tmp_path / "base")] * (wanted == HERE)
    there[str(tmp_path / "base")] = c.choice([None, Interpreter("base", f"{HERE}.0", "CPython")])
    monkeypatch.setattr(sys, "_base_executable", str(tmp_path / "base"), raising=False)
    monkeypatch.setattr(virtual_environments, "started", there.__getitem__)
    order = [*base, *found["PYENV_ROOT"], *on_path, *found["UV_PYTHON_INSTALL_DIR"]]
    known = [one for path in order if (one := there[path]) and one.implementation == "CPython"]
    fitting = [one for one in known if re.match(re.escape(wanted) + r"(\.|$)", one.version)]
    assert interpreter_of.__wrapped__(wanted) == (fitting or [None])[0]


NAMES = {
    **dict.fromkeys(["prog", "prog-2.0", "prog_1", "prog.exe"], True),
    **dict.fromkeys(["progs", "prog1", "other"], False),
}
"""What lies on the PATH, and whether it may be the program by its name."""


class Machine:
    """A machine: the builds that the sheet names, what lies in the cache and on the PATH; a program has its version as its first line."""

    def __init__(self, c: random.Random, folder: Path) -> None:
        self.folder, self.kind = folder, c.choice([("Linux", "x86_64"), ("Linux", "arm64"), ("Darwin", "arm64")])
        every = [(s, m, v) for s in ("Linux", "Darwin") for m in ("x86_64", "arm64") for v in ("1.0", "2.0")]
        self.built = c.sample(every, 4)
        builds = tuple(Build(*one, "", "", (), digest("/".join(one))) for one in self.built)
        self.program = Program("make it", builds) if c.random() < 0.8 else None
        sheet = replace(claiming_nothing("prog", Path("prog.toml")), program=self.program)
        self.library = Library("prog", Path(), sheet)
        self.in_cache = "/".join(c.choice(self.built)) if c.random() < 0.6 else ""
        if self.in_cache:
            executable(folder / "cache" / "programs" / "prog", self.in_cache)
        self.named = folder / "named" if c.random() < 0.3 else None
        self.tried = [executable(self.named, c.choice(["1.0", "1.0.1", "3.0"]) + "\nnamed")] if self.named else []
        for place in ("b", "a"):
            for name in sorted(NAMES):
                path, mode = folder / place / name, c.choice([0o755, 0o755, 0o644])
                if c.random() < 0.6:
                    executable(path, c.choice(["1.0", "1.0.1", "2.0", "2.0-rc", "3.0", ""]) + f"\n{place}/{name}", mode)
                    self.tried += [path] * (NAMES[name] and mode == 0o755)
        self.wanted = c.choice(["1.0", "2.0"])
        self.fetches: list[tuple[str, ...]] = []
        self.asked: list[Path] = []

    def put(self, build: Build, place: Path) -> bool:
        """As a registry would; of 2.0 it has another file."""
        self.fetches.append((build.system, build.machine, build.version))
        if build.version == "2.0":
            raise NotInstallable("another sha256")
        place.write_text("fetched", encoding="utf-8")
        return True

    @contextmanager
    def worker_of(
        self, who: Library, _python: str, _seconds: float, *, environment: Mapping[str, str]
    ) -> Iterator[SimpleNamespace]:
        """A worker that says the version of the program that it is given."""
        assert who == self.library
        self.asked.append(Path(environment["RANKPROOF_PROG"]))

        def hello() -> dict[str, str]:
            if not version_of(self.asked[-1]):
                raise WorkerFailed("crash", "it ended")
            return {"version": version_of(self.asked[-1])}

        yield SimpleNamespace(hello=hello)

    def outcome(self) -> tuple[str, str]:
        """What is put there, and its digest; or nothing, and why."""
        here = "/".join((*self.kind, self.wanted))
        if self.program and (*self.kind, self.wanted) in self.built:
            if self.in_cache == here:
                return here, digest(here)
            return ("fetched", digest(here)) if self.wanted == "1.0" else ("", "another sha256")
        if first := [path for path in self.tried if version_of(path) == self.wanted]:
            text = first[0].read_text(encoding="utf-8")
            return text, digest(text)
        said = dict.fromkeys(filter(None, map(version_of, self.tried)))
        there, mend = f" (there is {', '.join(said)})" if said else "", "; make it" if self.program else ""
        return "", f"no prog on the PATH says that it is {self.wanted}{there}{mend}"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def version_of(path: Path) -> str:
    return path.read_text(encoding="utf-8").split("\n")[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_version_of_a_program_is_that_of_its_build_or_the_first_that_says_so(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(random.Random(seed), tmp_path)  # noqa: S311 - an example
    monkeypatch.setenv("RANKPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(program_versions.platform, "system", lambda: machine.kind[0])
    monkeypatch.setattr(program_versions.platform, "machine", lambda: machine.kind[1])
    monkeypatch.setattr(program_versions, "put", machine.put)
    monkeypatch.setattr(program_versions, "worker_of", machine.worker_of)
    monkeypatch.setenv("RANKPROOF_PROG", str(machine.named or tmp_path / "nowhere"))
    monkeypatch.setenv("PATH", os.pathsep.join(["", str(tmp_path / "b"), str(tmp_path / "a")]))
    text, told = machine.outcome()
    place = tmp_path / "made"
    if text:
        assert put_program(machine.library, machine.wanted, place) == told
        assert place.read_text(encoding="utf-8") == text
        assert os.access(place, os.X_OK) or text == "fetched"
    else:
        with pytest.raises(NotInstallable) as refused:
            put_program(machine.library, machine.wanted, place)
        assert str(refused.value) == told
    of_a_build = told == "another sha256" or text == "fetched"
    assert machine.fetches == [(*machine.kind, machine.wanted)] * of_a_build
    assert machine.asked == machine.tried[: len(machine.asked)]
