"""The locks hold all that pyproject.toml asks for, in the versions of constraints.txt, each file with its digest."""

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
    """The version of each package in a lock; every one has a digest."""
    text = (ROOT / "locks" / f"{name}.txt").read_text(encoding="utf-8").replace("\\\n", " ")
    found = {}
    for line in filter(None, text.splitlines()):
        read = re.fullmatch(r"([A-Za-z0-9._-]+)==(\S+)( ;[^;#]+?)?((?: +--hash=sha256:[0-9a-f]{64})+)", line)
        assert read is not None, f"{line[:80]} is no version with its digests"
        found[canonicalize_name(read[1])] = Version(read[2])
    return found


def asked(extra: str) -> Iterator[Requirement]:
    """What the package asks for with an extra, and with the extras that it names."""
    for text in PROJECT["project"]["optional-dependencies"][extra] if extra else PROJECT["project"]["dependencies"]:
        requirement = Requirement(text)
        if requirement.name != "rankproof":
            yield requirement
        for other in sorted(requirement.extras) if requirement.name == "rankproof" else ():
            yield from asked(other)


@pytest.mark.parametrize("name", ["libraries", "dev"])
def test_a_lock_has_all_that_is_asked_for(name: str) -> None:
    have = locked(name)
    wanted = [*asked(""), *asked(name)]
    assert len(wanted) > 10
    lacking = [str(one) for one in wanted if canonicalize_name(one.name) not in have]
    assert lacking == [], f"write locks/{name}.txt anew, see CONTRIBUTING.md"
    assert [str(one) for one in wanted if have[canonicalize_name(one.name)] not in one.specifier] == []


def test_what_builds_is_locked_too() -> None:
    have = locked("build")
    for text in PROJECT["build-system"]["requires"]:
        assert have[canonicalize_name(Requirement(text).name)] in Requirement(text).specifier


def test_the_locks_have_the_versions_of_the_constraints() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    listed = [Requirement(line) for line in lines if "==" in line and not line.startswith("#")]
    pinned = {canonicalize_name(one.name): one.specifier for one in listed}
    for name in ("build", "libraries", "dev"):
        have = locked(name)
        both = have.keys() & pinned.keys()
        assert {package: str(have[package]) for package in both if have[package] not in pinned[package]} == {}
        assert len(both) > 0.9 * len(have)


def test_nothing_is_installed_without_its_digest() -> None:
    """But the project itself, which is what was cloned: then nothing else is fetched with it. Of start.py its own tests say so."""
    lines = re.findall(r"^.*\bpip install .*$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    commands = [line for line in lines if line.startswith(".venv/")]
    assert len(commands) >= 3
    held = ("--require-hashes", "--no-deps --no-build-isolation")
    assert [line for line in commands if not any(option in line for option in held)] == []
