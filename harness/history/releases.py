"""Releases: what the package registry has of a distribution, with what each needs and which were withdrawn (PEP 503, 592, 691)."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.error import URLError
from urllib.request import Request, urlopen

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.known_libraries import distribution

SECONDS = 60
"""How long the registry may take."""
INDEX = "https://pypi.org/simple"
JSON = "application/vnd.pypi.simple.v1+json"


class NoReleases(Unusable):
    """The registry says nothing of a distribution."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release that can be installed and was not withdrawn.

    Attributes:
        uploaded: the day of its first file that counts, as in 2024-05-21; empty where the registry does not say.
        interpreters: the versions of CPython, as in `3.8`, that have a wheel of it, or can build it, the newest first.
    """

    version: Version
    uploaded: str
    interpreters: tuple[str, ...]


def releases_of(package: str, pythons: Sequence[str], *, from_source: bool = False) -> list[Release]:
    """The releases of a distribution that an interpreter among these can have as a wheel, the oldest first; no pre-releases.

    Args:
        package: the distribution.
        pythons: the versions of the interpreters that there are.
        from_source: whether a release counts that has no wheel, and is built from source.

    Raises:
        NoReleases: the registry cannot be asked, or has none.
    """
    releases = releases_in(_files_of(package), pythons, from_source=from_source)
    if not releases:
        raise NoReleases(f"the registry has no release of {package} with wheels for Python {', '.join(pythons)}")
    return releases


def _files_of(package: str) -> list[dict[str, object]]:
    """What the registry has, file by file."""
    index = next(filter(None, map(os.environ.get, ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"))), INDEX)
    url = f"{index.rstrip('/')}/{distribution(package)}/"
    if not url.startswith(("https://", "http://")):
        raise NoReleases(f"{url} is no address of a registry that can be asked for releases")
    try:
        with urlopen(Request(url, headers={"Accept": JSON}), timeout=SECONDS) as reply:  # noqa: S310 - https or http, see above
            files: list[dict[str, object]] = json.loads(reply.read())["files"]
    except (URLError, OSError, ValueError, KeyError) as error:
        raise NoReleases(f"{url} does not say which releases there are: {error}") from error
    return files


def releases_in(
    files: Iterable[dict[str, object]], pythons: Sequence[str], *, from_source: bool = False
) -> list[Release]:
    """The releases that these files make.

    >>> wheel = {"filename": "x-1.0-py3-none-any.whl", "requires-python": ">=3.9", "upload-time": "2024-05-21T10:00:00Z"}
    >>> [(str(release.version), release.interpreters) for release in releases_in([wheel], ["3.8", "3.9", "3.11"])]
    [('1.0', ('3.11', '3.9'))]
    >>> source = {"filename": "x-1.1.tar.gz"}
    >>> [[str(one.version) for one in releases_in([wheel, source], ["3.9"], from_source=yes)] for yes in (False, True)]
    [['1.0'], ['1.0', '1.1']]
    """
    days: dict[Version, str] = {}
    fitting: dict[Version, set[str]] = {}
    for file in files:
        version = _version_of(file)
        if version is None or not (from_source or _is_wheel(file)):
            continue
        days[version] = min(days.get(version, "9999"), str(file.get("upload-time") or "")[:10])
        fitting.setdefault(version, set()).update(python for python in pythons if _fits(file, python))
    newest_first = sorted(pythons, key=Version, reverse=True)
    return [
        Release(version, days[version], tuple(python for python in newest_first if python in fitting[version]))
        for version in sorted(fitting)
        if fitting[version]
    ]


def _is_wheel(file: dict[str, object]) -> bool:
    return str(file["filename"]).endswith(".whl")


def _version_of(file: dict[str, object]) -> Version | None:
    """The version of a wheel or a source distribution that counts: neither a pre-release nor one that was withdrawn."""
    name = str(file["filename"])
    try:
        version = parse_wheel_filename(name)[1] if _is_wheel(file) else parse_sdist_filename(name)[1]
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
        return None
    return None if file.get("yanked") or version.is_prerelease else version


def _fits(file: dict[str, object], python: str) -> bool:
    """Whether such a CPython can have the file, by its tags for Python and by what it requires; platforms are uv's matter."""
    tags = parse_wheel_filename(str(file["filename"]))[3] if _is_wheel(file) else frozenset()
    digits = python.replace(".", "")
    by_tag = not tags or any(
        tag.interpreter in {f"cp{digits}", "py3", f"py{digits}"}
        or (tag.abi == "abi3" and tag.interpreter.startswith("cp3") and int(tag.interpreter[3:]) <= int(digits[1:]))
        for tag in tags
    )
    try:
        allowed = SpecifierSet(str(file.get("requires-python") or "")).contains(f"{python}.99")
    except InvalidSpecifier:
        allowed = True
    return by_tag and allowed
