"""Sheets: what we claim of a library, in `adapters/<library>.toml`.

A sheet holds, per variant and measure, the profile that the library follows, and its known exceptions: observations that no profile
explains, each pinned to the value or error seen, with a reason and, where one exists, an upstream link.
"""

import fnmatch
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from rankproof import adapters
from rankproof.documents import SchemaPart
from rankproof.reference_impl.conventions import Conventions, UnknownConvention, parse_conventions
from rankproof.reference_impl.notation import Measure, keys_of
from rankproof.reference_impl.profiles import Profile, profile
from rankproof.reference_impl.unusable import Unusable

ADAPTERS = Path(adapters.__file__).resolve().parent
FORM = SchemaPart(ADAPTERS / "schemas" / "sheet.schema.json")

SHARED = "+"
"""The key of what all profiles of a variant share; it stands for no measure."""


class BadSheet(Unusable):
    """A sheet that cannot be used; the message names file, line and mend."""


@dataclass(frozen=True, slots=True)
class ObservationPlace:
    """Where an observation is made; query is None for the mean."""

    case: str
    variant: str
    measure: str
    query: str | None

    def __str__(self) -> str:
        return f"{self.case} {self.variant} {self.measure} {self.query or 'mean'}"


@dataclass(frozen=True, slots=True)
class Known:
    """Why some observations are as they are, though no profile explains them.

    Attributes:
        touches: the name of what an input has of which this is so; empty where that is not known.
    """

    reason: str
    link: str
    touches: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """Data on which a form of a measure is not as its profile says, though no case of the corpus shows it; `*` is every form."""

    variant: str
    form: str
    known: Known


@dataclass(frozen=True, slots=True)
class Pin:
    """One known exception: the observation as text, and why."""

    place: ObservationPlace
    observed: str
    known: Known

    def fits(self, observed: str) -> bool:
        """Whether an observation is the pinned one; `…` stands for what differs from machine to machine, a path or a line number."""
        pattern = ".*".join(map(re.escape, self.observed.split("…")))
        return re.fullmatch(pattern, observed, re.DOTALL) is not None


_UNSTEADY = re.compile(
    r"(?<![\w:/.])(?:/[\w.+~-]+){2,}/?(?::\d+)?"  # an absolute path, and a line number behind it; no URL, no fraction
    r"|\b[A-Za-z]:\\[^\s'\"]+"  # the same on Windows
    r"|\b0x[0-9a-fA-F]{6,}"  # a memory address
    r"|\btmp[a-z0-9_]{8}\b"  # a name that Python's tempfile made up
    r"|[\ud800-\udfff]"  # half a character, which no file of UTF-8 can hold
    r"|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+|\s+$"  # what would end a line, or be lost at its end
    r"|…"
)


def steady(text: str) -> str:
    """An error text with `…` in place of what differs from machine to machine and from one call to the next.

    >>> steady("FileNotFoundError: '/tmp/tmpk3v_x9ab/qrels.txt' of <Run object at 0x7f3a5c0d1e50>, see https://example.org/a/b")
    "FileNotFoundError: '…' of <Run object at …>, see https://example.org/a/b"
    """
    return re.sub("…+", "…", _UNSTEADY.sub("…", text))


@dataclass(frozen=True, slots=True)
class Version:
    """What is known of a version that the sheet's claims were not observed of.

    Attributes:
        pattern: its name, or a pattern such as 10.*.
        known: what is known, and from where, in words.
        profiles: variant -> measure -> conventions, where they differ from the sheet's own.
    """

    pattern: str
    known: str
    profiles: Mapping[str, Mapping[str, Conventions]]


@dataclass(frozen=True, slots=True)
class Build:
    """A program in a wheel: for which machines it is, and where it lies there (in archives within archives, one path each)."""

    system: str
    machine: str
    version: str
    wheel: str
    wheel_sha256: str
    path: tuple[str, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class Program:
    """Where a library that is a program comes from: its builds, and in words how to have it on other machines."""

    build: str
    builds: tuple[Build, ...]


@dataclass(frozen=True)
class Sheet:
    """What is claimed of one library."""

    library: str
    title: str
    homepage: str
    issues: str
    speaks_of: str
    precision: str
    precisions: Mapping[str, Mapping[str, str]]
    profiles: Mapping[str, Mapping[str, Conventions]]
    pins: Mapping[ObservationPlace, Pin] = field(repr=False)
    path: Path
    conditions: tuple[Condition, ...] = ()
    stands_on: Mapping[str, str] = field(default_factory=dict)
    """Package -> version, of what the library stood on when `speaks_of` was asked."""
    versions: tuple[Version, ...] = ()
    program: Program | None = None
    command: tuple[str, ...] = ()
    """How its adapter is started, where that is no Python module beside it; `{here}` is the sheet's folder."""
    files: tuple[str, ...] = ()
    """What else the adapter is made of: paths from the sheet's folder."""
    takes: float = 0.0
    """How many seconds it takes to answer the whole corpus once, roughly: who takes long is asked first."""
    package: str = ""
    """Its distribution in the package registry, where it is called otherwise than the library."""
    only_in_environments: bool = False
    """Whether it is asked in an environment of its own alone, as the extras of rankproof do not bring it."""
    environments: tuple[dict[str, Any], ...] = ()
    """The environments in which it is observed besides the current one, as they are written (see `environments.plans`)."""

    def known_of(self, version: str) -> Version | None:
        """What is known of a version other than the one that the claims were observed of."""
        return next((known for known in self.versions if fnmatch.fnmatchcase(version, known.pattern)), None)

    def of_version(self, version: str) -> "Sheet":
        """The sheet with the profiles that are known of a version, if it is another one and has its own."""
        known = None if version == self.speaks_of else self.known_of(version)
        return self if known is None else replace(self, profiles={**self.profiles, **known.profiles})

    def profile_of(self, variant: str, measure: Measure) -> Conventions:
        """The profile claimed by the most specific key that fits the measure."""
        return Profile(self.profiles.get(variant, {})).conventions(measure)

    def fault_at(self, words: str, what: str) -> BadSheet:
        """That the sheet cannot be used, with the first line that has these words."""
        text = self.path.read_text(encoding="utf-8") if self.path.is_file() else ""
        return BadSheet(f"{self.path}:{line_of(text, words)}: {what}")

    def precision_of(self, variant: str, measure: Measure) -> str:
        """How exactly the library answers: float64, float32, or so many decimals."""
        claims = self.precisions.get(variant, {})
        return next((claims[key] for key in keys_of(measure) if key in claims), self.precision)


def sheet_path(library: str, folder: Path = ADAPTERS) -> Path:
    """Where the sheet of a library lies."""
    return folder / f"{library}.toml"


def load(path: Path, *, draft: bool = False) -> Sheet:
    """Read a sheet; as a draft, it may have exceptions whose reason is still empty.

    Raises:
        BadSheet: it is missing, is not TOML, does not follow the schema, claims conventions that do not exist, or has an exception
            without a reason.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise BadSheet(
            f"{path}: there is no such sheet: `rankproof sheet new {path.stem}` writes a first one"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadSheet(f"{path}: {error}") from error
    return read(path, text, draft=draft)


@lru_cache(maxsize=256)  # whoever asks a library reads its sheet anew, as it may have changed; most have not
def read(path: Path, text: str, *, draft: bool = False) -> Sheet:
    """Read the text of a sheet that lies, or is to lie, at that path.

    Raises:
        BadSheet: as `load` does.
    """
    try:
        raw = tomllib.loads(text)
    except RecursionError as error:
        raise BadSheet(f"{path}: it is nested too deep") from error
    except ValueError as error:  # what tomllib says of a number of too many digits is no TOMLDecodeError
        raise BadSheet(f"{path}: {error}") from error
    _check(path, text, raw, draft=draft)
    variants = raw.get("profiles", {}).items()
    return Sheet(
        library=raw["library"],
        title=raw["title"],
        homepage=raw["homepage"],
        issues=raw["issues"],
        speaks_of=raw["speaks_of"],
        precision=raw["precision"],
        precisions=raw.get("precisions", {}),
        profiles={variant: _claims(path, text, claims) for variant, claims in variants},
        pins=_pins(path, text, raw.get("known", [])),
        path=path,
        conditions=tuple(one for entry in raw.get("conditions", []) for one in _conditions(entry)),
        stands_on=raw.get("stands_on", {}),
        versions=tuple(_version(path, text, name, said) for name, said in raw.get("versions", {}).items()),
        program=_program(raw["program"]) if "program" in raw else None,
        command=tuple(raw.get("command", ())),
        files=tuple(raw.get("files", ())),
        takes=raw.get("takes", 0.0),
        package=raw.get("package", ""),
        environments=tuple(raw.get("environments", ())),
        only_in_environments=raw.get("only_in_environments", False),
    )


def _version(path: Path, text: str, pattern: str, said: Mapping[str, Any]) -> Version:
    profiles = {variant: _claims(path, text, claims) for variant, claims in said.get("profiles", {}).items()}
    return Version(pattern, " ".join(said["known"].split()), profiles)


def _program(said: Mapping[str, Any]) -> Program:
    builds = (Build(**{**build, "path": tuple(build["path"])}) for build in said["builds"])
    return Program(" ".join(said["build"].split()), tuple(builds))


def _check(path: Path, text: str, raw: dict[str, Any], *, draft: bool) -> None:
    for found in FORM.flaws(raw):
        if _is_of_a_reason(raw, found.steps):
            continue  # told of below, in words that help
        line = line_of(text, str(found.steps[-1]) if found.steps else "")
        raise BadSheet(f"{path}:{line}: {found.where or 'the sheet'}: {found.message}")
    for number, entry in enumerate(raw.get("known", [])):
        reason = " ".join(entry["reason"].split())
        if len(reason) < SHORTEST_REASON and (reason or not draft):
            told = f"{entry['reason']!r} tells nobody" if reason else "is empty"
            pinned = next(iter(entry["observed"].strip().splitlines()), "")
            raise BadSheet(
                f"{path}:{_line_of_reason(text, number)}: the reason of an exception {told}: write in a sentence why {raw['library']} "
                f"answers as it does, from {' '.join(pinned.split()[:3])} on, and link the upstream thread if there is one"
            )


def _is_of_a_reason(raw: Mapping[str, Any], steps: Sequence[str | int]) -> bool:
    """Whether it is the text of a reason that is not as the schema says."""
    match tuple(steps):
        case ("known", int(at), "reason"):
            return isinstance(raw["known"][at]["reason"], str)
    return False


SHORTEST_REASON = 10
"""The characters that a reason has at least, as the schema says too."""


def _line_of_reason(text: str, number: int) -> int:
    """The line of the reason of an exception, counted from 0."""
    seen = -1
    for line, written in enumerate(text.splitlines(), start=1):
        seen += written.startswith("[[known]]")
        if seen == number and written.startswith("reason"):
            return line
    return 1


def _claims(path: Path, text: str, claims: Mapping[str, str]) -> dict[str, Conventions]:
    """The profiles of a variant; what stands under `+` is shared by all of them."""
    shared = claims.get(SHARED, "")
    found = {}
    for key, spec in claims.items():
        first, _, rest = spec.partition(" ")
        name, own = ("standard", spec) if "=" in first or not first else (first, rest)
        try:
            found[key] = parse_conventions(own, parse_conventions(shared, profile(name)))
        except UnknownConvention as error:
            raise BadSheet(f"{path}:{line_of(text, spec)}: {key}: {error}") from error
    return found


def line_of(text: str, words: str) -> int:
    """The first line of a text that has these words; 1 if none has."""
    return next((i for i, line in enumerate(text.splitlines(), start=1) if words and words in line), 1)


def _known(entry: Mapping[str, Any]) -> Known:
    return Known(" ".join(entry["reason"].split()), entry.get("link", ""), entry.get("touches", ""))


def _conditions(entry: Mapping[str, Any]) -> Iterator[Condition]:
    for named in entry["of"]:
        variant, _, form = named.partition(" ")
        yield Condition(variant, form, _known(entry))


def _pins(path: Path, text: str, entries: list[dict[str, Any]]) -> dict[ObservationPlace, Pin]:
    pins: dict[ObservationPlace, Pin] = {}
    for entry in entries:
        known = _known(entry)
        for line in entry["observed"].strip().splitlines():
            fields = line.split(maxsplit=4)
            if len(fields) < 5:  # noqa: PLR2004 - the five columns of an exception
                raise BadSheet(
                    f"{path}:{line_of(text, line)}: {line!r} is not 'case variant measure query-or-mean observation'"
                )
            case, variant, measure, query, observed = fields
            place = ObservationPlace(case, variant, measure, None if query == "mean" else query)
            if place in pins:
                raise BadSheet(f"{path}:{line_of(text, line)}: {place} is pinned twice")
            pins[place] = Pin(place, observed, known)
    return pins
