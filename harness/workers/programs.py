"""Installation of libraries that are programs: pip downloads wheels, and verified programs go to the user's cache."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.machinery import PathFinder
from pathlib import Path

from rankproof.files import digest_of, programs
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.known_libraries import Library
from rankproof.workers.sheets import Build, Program


class NotInstallable(Unusable):
    """Error for a program that cannot be installed on this machine."""


def place_of(library: Library) -> Path:
    """Return the path of a library's program in the cache."""
    return programs() / library.name


def variable_of(library: str) -> str:
    """Return the environment variable for the path of a library's program.

    >>> variable_of("trec_eval")
    'RANKPROOF_TREC_EVAL'
    """
    return f"RANKPROOF_{library.upper()}"


def why_another(library: Library, environment: Mapping[str, str]) -> str | None:
    """Return the reason why the program in the cache must not run, or None if it is a known build or is not used.

    Args:
        library: the library.
        environment: additional variables of its worker, which may select another program.
    """
    program, place = library.sheet.program, place_of(library)
    named = {**os.environ, **environment}.get(variable_of(library.name))
    if program is None or named or not place.exists():
        return None
    try:
        digest = digest_of(place)
    except OSError as error:
        return f"{place} cannot be read: {(error.strerror or str(error)).lower()}"
    if digest in {build.sha256 for build in program.builds}:
        return None
    return f"{place} is not a known build of {library.name}: delete it and install {library.name} again"


def install(library: Library) -> tuple[Path, bool]:
    """Install the program of a library in the cache, and return its path and whether it was downloaded.

    Raises:
        NotInstallable: the library is not a program, has no build for this machine, or the download is an unknown
            build.
    """
    program = library.sheet.program
    if program is None:
        raise NotInstallable(f"{library.name} is a Python package: pip install 'rankproof[{library.name}]'")
    place = place_of(library)
    return place, put(build_for_this_machine(library.name, program), place)


def put(build: Build, place: Path) -> bool:
    """Install the program of a build at a path unless it exists, and return whether it was downloaded.

    Raises:
        NotInstallable: the download is not the known build.
    """
    import tempfile

    if place.exists() and digest_of(place) == build.sha256:
        return False
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".fetching-") as folder:
        program = extracted(downloaded(build, Path(folder)), build, Path(folder))
        if (digest := digest_of(program)) != build.sha256:
            raise NotInstallable(f"{'/'.join(build.path)} in {build.wheel} has an unknown sha256: {digest}")
        program.chmod(0o755)
        program.replace(place)
    return True


def build_for_this_machine(name: str, program: Program) -> Build:
    """Return the build of a program for this machine.

    Raises:
        NotInstallable: there is no such build; the message explains how to get the program.
    """
    here = (platform.system(), platform.machine())
    for build in program.builds:
        if (build.system, build.machine) == here:
            return build
    known = ", ".join(f"{build.system} {build.machine}" for build in program.builds)
    raise NotInstallable(
        f"{name} has downloads for {known}, but not for {' '.join(here)}; {' '.join(program.build.split())}"
    )


def downloaded(build: Build, folder: Path) -> Path:
    """Download the wheel of a build with pip, which verifies its digest and respects the user's index and proxy.

    Raises:
        NotInstallable: pip is missing, or fails.
    """
    requirement = folder / "wanted.txt"
    requirement.write_text(f"{build.wheel} --hash=sha256:{build.wheel_sha256}\n", encoding="utf-8")
    options = ["--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    command = [*_pip(), "download", *options, "--requirement", str(requirement), "--dest", str(folder)]
    done = subprocess.run(  # noqa: S603 - pip, and a requirement of ours
        command, stdout=sys.stderr, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", check=False
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        lines = done.stderr.splitlines()
        errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
        raise NotInstallable(f"pip cannot download {build.wheel}: {' '.join(errors) or 'no error message'}")
    return wheels[0]


def _pip() -> list[str]:
    # `find_spec` would run the import hook of setuptools, which replaces the distutils of this process.
    if PathFinder.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    if uv := shutil.which("uv"):
        return [uv, "tool", "run", "pip"]
    raise NotInstallable(f"{sys.executable} has no pip: run {sys.executable} -m ensurepip, or install uv")


def extracted(archive: Path, build: Build, folder: Path) -> Path:
    """Extract the file at a path in an archive, or in an archive within it.

    Raises:
        NotInstallable: there is no such file.
    """
    import zipfile

    for depth, name in enumerate(build.path):
        target = folder / f"extracted-{depth}"
        try:
            with zipfile.ZipFile(archive) as opened, opened.open(name) as source, target.open("wb") as copy:
                shutil.copyfileobj(source, copy)
        except (KeyError, zipfile.BadZipFile) as error:
            raise NotInstallable(f"{build.wheel} does not contain {name}: {error}") from error
        archive = target
    return archive
