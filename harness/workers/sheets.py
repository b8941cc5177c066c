"""Sheets: what rankproof claims about a library, in `adapters/<library>.toml`.

A sheet holds, per variant and measure, the profile that the library follows, and its known exceptions: observations that no profile
explains, each pinned to the value or error, with a reason and, if there is one, an upstream link.
"""

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from rankproof import adapters
from rankproof.bounded import BadDocument, text_of, toml_in
from rankproof.codec import convert
from rankproof.documents import SchemaPart
from rankproof.reference_impl.conventions import Conventions, UnknownConvention, parse_conventions
from rankproof.reference_impl.notation import Measure, keys_of
from rankproof.reference_impl.profiles import Profile, profile
from rankproof.reference_impl.unusable import Unusable

ADAPTERS = Path(adapters.__file__).resolve().parent
FORM = SchemaPart(ADAPTERS / "schemas" / "sheet.schema.json")
SHARED = "+"
"""The key of what all profiles of a variant share."""
SHORTEST_REASON = 10
"""Characters of a reason, as in the schema."""
_UNSTEADY = re.compile(
    r"(?<![\w:/.])(?:/[\w.+~-]+){2,}/?(?::\d+)?"  # an absolute path, and a line number behind it; no URL, no fraction
    r"|\b[A-Za-z]:\\[^\s'\"]+"  # the same on Windows
    r"|\b0x[0-9a-fA-F]{6,}"  # a memory address
    r"|\btmp[a-z0-9_]{8}\b"  # a name that Python's tempfile made up
    r"|[\ud800-\udfff]"  # half a character, which no file of UTF-8 can hold
    r"|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+|\s+$"  # what would end a line, or be lost at its end
    r"|…"
)

Claims = Mapping[str, Mapping[str, Conventions]]
"""Variant -> measure -> conventions."""


class BadSheet(Unusable):
    """A sheet that cannot be used; the message names file, line and remedy."""


@dataclass(frozen=True, slots=True)
class ObservationPlace:
    """The place of an observation; query is None for the mean."""

    case: str
    variant: str
    measure: str
    query: str | None

    def __str__(self) -> str:
        return f"{self.case} {self.variant} {self.measure} {self.query or 'mean'}"


@dataclass(frozen=True, slots=True)
class Known:
    """The reason of observations that no profile explains.

    Attributes:
        touches: the name of the property of an input that causes them; empty if it is not known.
    """

    reason: str
    link: str
    touches: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """Data on which a form of a measure (`*`: every form) differs from its profile, although no case of the corpus shows it."""

    variant: str
    form: str
    known: Known


@dataclass(frozen=True, slots=True)
class Pin:
    """One known exception: the observation as text, and its reason."""

    place: ObservationPlace
    observed: str
    known: Known

    def fits(self, observed: str) -> bool:
        """Return whether an observation is the pinned one; `…` stands for what differs between machines."""
        pattern = ".*".join(map(re.escape, self.observed.split("…")))
        return re.fullmatch(pattern, observed, re.DOTALL) is not None


def steady(text: str) -> str:
    """Return an error text with `…` instead of what differs between machines or calls.

    >>> steady("FileNotFoundError: '/tmp/tmpk3v_x9ab/qrels.txt' of <Run object at 0x7f3a5c0d1e50>, see https://example.org/a/b")
    "FileNotFoundError: '…' of <Run object at …>, see https://example.org/a/b"
    """
    return re.sub("…+", "…", _UNSTEADY.sub("…", text))


@dataclass(frozen=True, slots=True)
class Version:
    """What is known of a version other than the one that the claims are about.

    Attributes:
        pattern: its name, or a pattern such as 10.*.
        known: what is known, and from where, in words.
        profiles: the claims that differ from the sheet's.
    """

    pattern: str
    known: str
    profiles: Claims


@dataclass(frozen=True, slots=True)
class Build:
    """A program in a wheel for one kind of machine, and its path there (in archives within archives, one path each)."""

    system: str
    machine: str
    version: str
    wheel: str
    wheel_sha256: str
    path: tuple[str, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class Program:
    """The source of a library that is a program: its builds, and in words how to get it on other machines."""

    build: str
    builds: tuple[Build, ...]


@dataclass(frozen=True)
class Sheet:
    """The claims about one library.

    Attributes:
        speaks_of: the version that the claims are about.
        precision: of its values: float64, float32, or a number of decimals; `precisions` by variant and measure if it differs.
        pins: the known exceptions.
        stands_on: package -> version of its dependencies when it was observed.
        command: starts its adapter, if that is not a Python module; `{here}` is the sheet's folder.
        files: further files of the adapter, relative to the sheet.
        takes: seconds for the whole corpus, roughly; the slowest library runs first.
        package: its name in the package registry, if it is another one.
        only_in_environments: whether it runs only in an environment of its own.
        environments: the environments in which it is observed besides the current one (see `history.plans`).
    """

    library: str
    title: str
    homepage: str
    issues: str
    speaks_of: str
    precision: str
    precisions: Mapping[str, Mapping[str, str]]
    profiles: Claims
    pins: Mapping[ObservationPlace, Pin] = field(repr=False)
    path: Path
    conditions: tuple[Condition, ...] = ()
    stands_on: Mapping[str, str] = field(default_factory=dict)
    versions: tuple[Version, ...] = ()
    program: Program | None = None
    command: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    takes: float = 0.0
    package: str = ""
    only_in_environments: bool = False
    environments: tuple[dict[str, Any], ...] = ()

    def known_of(self, version: str) -> Version | None:
        """Return what is known of a version."""
        return next((known for known in self.versions if fnmatch.fnmatchcase(version, known.pattern)), None)

    def of_version(self, version: str) -> "Sheet":
        """Return the sheet with the claims about another version, if there are any."""
        known = None if version == self.speaks_of else self.known_of(version)
        return self if known is None else replace(self, profiles={**self.profiles, **known.profiles})

    def profile_of(self, variant: str, measure: Measure) -> Conventions:
        """Return the conventions by the most specific key that matches the measure."""
        return Profile(self.profiles.get(variant, {})).conventions(measure)

    def precision_of(self, variant: str, measure: Measure) -> str:
        """Return the precision of a measure: float64, float32, or a number of decimals."""
        claims = self.precisions.get(variant, {})
        return next((claims[key] for key in keys_of(measure) if key in claims), self.precision)

    def fault_at(self, words: str, message: str) -> BadSheet:
        """Return an error at the first line that contains these words."""
        text = text_of(self.path) if self.path.is_file() else ""
        return _bad(self.path, text, words, message)


def _bad(path: Path, text: str, words: str, message: str) -> BadSheet:
    lines = enumerate(text.splitlines(), start=1)
    number = next((number for number, line in lines if words and words in line), 1)
    return BadSheet(f"{path}:{number}: {message}")


def sheet_path(library: str, folder: Path = ADAPTERS) -> Path:
    """Return the file of a library's sheet."""
    return folder / f"{library}.toml"


def load(path: Path, *, draft: bool = False) -> Sheet:
    """Read a sheet; in a draft, reasons of exceptions may be empty.

    Raises:
        BadSheet: it is missing, is not TOML, does not follow the schema, claims unknown conventions, or lacks a reason.
    """
    try:
        text = text_of(path)
    except BadDocument as error:
        missing = f"there is no such sheet: `rankproof sheet new {path.stem}` writes one"
        raise BadSheet(f"{path}:{error.line}: {error if path.exists() else missing}") from error
    return read(path, text, draft=draft)


@lru_cache(maxsize=256)  # each run reads the sheets again, and most have not changed
def read(path: Path, text: str, *, draft: bool = False) -> Sheet:
    """Read the text of a sheet at a path.

    Raises:
        BadSheet: as `load` does.
    """
    try:
        raw = toml_in(text)
    except BadDocument as error:
        raise BadSheet(f"{path}:{error.line}: {error}") from error
    _check(path, text, raw, draft=draft)
    derived: dict[str, Any] = {
        "profiles": _claims(path, text, raw.pop("profiles", {})),
        "versions": tuple(
            Version(pattern, _words(known["known"]), _claims(path, text, known.get("profiles", {})))
            for pattern, known in raw.pop("versions", {}).items()
        ),
        "pins": {pin.place: pin for pin in _pins(path, text, raw.pop("known", []))},
        "conditions": tuple(
            Condition(variant, form, _known(entry))
            for entry in raw.pop("conditions", [])
            for variant, _, form in (place.partition(" ") for place in entry["of"])
        ),
        "program": convert(program, Program) if (program := raw.pop("program", None)) else None,
    }
    plain = {name: tuple(value) if isinstance(value, list) else value for name, value in raw.items()}
    fields: dict[str, Any] = {"precisions": {}, **plain, **derived}
    return Sheet(path=path, **fields)


def _check(path: Path, text: str, raw: Mapping[str, Any], *, draft: bool) -> None:
    """Check a sheet by its schema; flaws in the words of reasons come last."""
    for flaw in FORM.flaws(raw):
        match flaw.steps:
            case ("known", int(index), "reason") if isinstance(raw["known"][index]["reason"], str):
                continue
            case steps:
                words = str(steps[-1]) if steps else ""
                raise _bad(path, text, words, f"{flaw.where or 'the sheet'}: {flaw.message}")
    for index, entry in enumerate(raw.get("known", [])):
        reason = _words(entry["reason"])
        if len(reason) < SHORTEST_REASON and (reason or not draft):
            heads = [head.start() for head in re.finditer(r"^\[\[known\]\]", text, re.MULTILINE)]
            start = text.find("\nreason", heads[index]) if index < len(heads) else -1
            line = text.count("\n", 0, start + 1) + 1
            problem = f"{entry['reason']!r} is too short" if reason else "is empty"
            place = " ".join(entry["observed"].split()[:3])
            raise BadSheet(
                f"{path}:{line}: the reason of an exception {problem}: write in a sentence why {raw['library']} differs at {place}"
            )


def _words(text: str) -> str:
    return " ".join(text.split())


def _claims(path: Path, text: str, raw: Mapping[str, Mapping[str, str]]) -> Claims:
    return {variant: dict(_profiles(path, text, claims)) for variant, claims in raw.items()}


def _profiles(path: Path, text: str, claims: Mapping[str, str]) -> Iterator[tuple[str, Conventions]]:
    """Yield the conventions of each measure of a variant, based on those under `+`."""
    shared = claims.get(SHARED, "")
    for key, spec in claims.items():
        first, _, rest = spec.partition(" ")
        name, own = ("standard", spec) if "=" in first or not first else (first, rest)
        try:
            yield key, parse_conventions(own, parse_conventions(shared, profile(name)))
        except UnknownConvention as error:
            raise _bad(path, text, spec, f"{key}: {error}") from error


def _known(entry: Mapping[str, Any]) -> Known:
    return Known(_words(entry["reason"]), entry.get("link", ""), entry.get("touches", ""))


def _pins(path: Path, text: str, entries: Iterable[Mapping[str, Any]]) -> Iterator[Pin]:
    places: set[ObservationPlace] = set()
    for entry in entries:
        known = _known(entry)
        for line in entry["observed"].strip().splitlines():
            match line.split(maxsplit=4):
                case [case, variant, measure, query, observed]:
                    place = ObservationPlace(case, variant, measure, None if query == "mean" else query)
                case _:
                    message = f"{line!r} is not 'case variant measure query-or-mean observation'"
                    raise _bad(path, text, line, message)
            if place in places:
                raise _bad(path, text, line, f"{place} is pinned twice")
            places.add(place)
            yield Pin(place, observed, known)
