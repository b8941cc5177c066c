"""The locks: every requirement of pyproject.toml, in the versions of constraints.txt, and a digest for each file."""

import re
import tomllib
from collections.abc import Iterator

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from places import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def locked(name: str) -> dict[str, Version]:
    """Return the version of each package in a lock, and check that each has a digest."""
    text = (ROOT / "locks" / f"{name}.txt").read_text(encoding="utf-8").replace("\\\n", " ")
    versions = {}
    for line in filter(None, text.splitlines()):
        read = re.fullmatch(r"([A-Za-z0-9._-]+)==(\S+)( ;[^;#]+?)?((?: +--hash=sha256:[0-9a-f]{64})+)", line)
        assert read is not None, f"not a version with its digests: {line[:80]}"
        versions[canonicalize_name(read[1])] = Version(read[2])
    return versions


def required(extra: str) -> Iterator[Requirement]:
    """Yield the requirements of the package with an extra, and with the extras that it names."""
    for text in PROJECT["project"]["optional-dependencies"][extra] if extra else PROJECT["project"]["dependencies"]:
        requirement = Requirement(text)
        if requirement.name != "rankproof":
            yield requirement
        for other in sorted(requirement.extras) if requirement.name == "rankproof" else ():
            yield from required(other)


@pytest.mark.parametrize("name", ["libraries", "dev", "build"])
def test_a_lock_has_every_requirement(name: str) -> None:
    have = locked(name)
    build = [Requirement(text) for text in PROJECT["build-system"]["requires"]]
    wanted = build if name == "build" else [*required(""), *required(name)]
    lacking = [str(requirement) for requirement in wanted if canonicalize_name(requirement.name) not in have]
    assert lacking == [], f"write locks/{name}.txt again, see CONTRIBUTING.md"
    assert [str(r) for r in wanted if have[canonicalize_name(r.name)] not in r.specifier] == []


def test_the_locks_have_the_versions_of_the_constraints() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    listed = [Requirement(line) for line in lines if "==" in line and not line.startswith("#")]
    pinned = {canonicalize_name(requirement.name): requirement.specifier for requirement in listed}
    for name in ("build", "libraries", "dev"):
        have = locked(name)
        both = have.keys() & pinned.keys()
        assert {package: str(have[package]) for package in both if have[package] not in pinned[package]} == {}
        assert len(both) > 0.9 * len(have)


def test_nothing_is_installed_without_its_digest() -> None:
    """Only the cloned project itself has no digest; then pip downloads nothing else."""
    lines = re.findall(r"^.*\bpip install .*$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    commands = [line for line in lines if line.startswith(".venv/")]
    assert len(commands) >= 3
    safe = ("--require-hashes", "--no-deps --no-build-isolation")
    assert [line for line in commands if not any(option in line for option in safe)] == []
