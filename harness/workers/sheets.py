"""Claim sheets: the conventions and known exceptions of a library, in `adapters/<library>.toml`.

A sheet lists the profile that the library follows for each variant and measure. It pins each value or error that no
profile explains, with a reason and, if available, an upstream link.
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
"""The key of the conventions that all profiles of a variant share."""
SHORTEST_REASON = 10
"""The minimum length of a reason in characters, as in the schema."""
_UNSTEADY = re.compile(
    r"(?<![\w:/.])(?:/[\w.+~-]+){2,}/?(?::\d+)?"  # an absolute path and line number, but no URL or fraction
    r"|\b[A-Za-z]:\\[^\s'\"]+"  # the same on Windows
    r"|\b0x[0-9a-fA-F]{6,}"  # a memory address
    r"|\btmp[a-z0-9_]{8}\b"  # a name from Python's tempfile
    r"|[\ud800-\udfff]"  # half a surrogate pair, which UTF-8 cannot encode
    r"|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+|\s+$"  # line breaks and trailing whitespace
    r"|…"
)

Claims = Mapping[str, Mapping[str, Conventions]]
"""Conventions by variant and measure."""


class BadSheet(Unusable):
    """Error for an invalid sheet, with the file, the line and a remedy."""


@dataclass(frozen=True, slots=True)
class ObservationPlace:
    """The place of an observation; the query is None for the mean."""

    case: str
    variant: str
    measure: str
    query: str | None

    def __str__(self) -> str:
        return f"{self.case} {self.variant} {self.measure} {self.query or 'mean'}"


@dataclass(frozen=True, slots=True)
class Known:
    """The reason for values that no profile explains.

    Attributes:
        reason: the reason in words.
        link: an upstream link, or empty.
        touches: the name of the condition on data that causes them; empty if it is not known.
    """

    reason: str
    link: str
    touches: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """Condition on data that changes a form of a measure (`*`: every form), although no case of the corpus tests it."""

    variant: str
    form: str
    known: Known


@dataclass(frozen=True, slots=True)
class Pin:
    """A known exception: the observed value or error as text, and its reason."""

    place: ObservationPlace
    observed: str
    known: Known

    def fits(self, observed: str) -> bool:
        """Return whether an observation equals the pinned text, in which `…` matches anything."""
        pattern = ".*".join(map(re.escape, self.observed.split("…")))
        return re.fullmatch(pattern, observed, re.DOTALL) is not None


def steady(text: str) -> str:
    """Replace the parts of an error text that differ between machines or calls by `…`.

    >>> steady("FileNotFoundError: '/tmp/tmpk3v_x9ab/qrels.txt' of <Run object at 0x7f3a5c0d1e50>, see https://example.org/a/b")
    "FileNotFoundError: '…' of <Run object at …>, see https://example.org/a/b"
    """
    return re.sub("…+", "…", _UNSTEADY.sub("…", text))


@dataclass(frozen=True, slots=True)
class Version:
    """Claims about another version of the library.

    Attributes:
        pattern: the version, or a pattern such as 10.*.
        known: the differences and their source, in words.
        profiles: the claims that differ from the sheet's.
    """

    pattern: str
    known: str
    profiles: Claims


@dataclass(frozen=True, slots=True)
class Build:
    """A program in a wheel for one kind of machine, with its path (one part for each nested archive)."""

    system: str
    machine: str
    version: str
    wheel: str
    wheel_sha256: str
    path: tuple[str, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class Program:
    """The builds of a library that is a program, and instructions for other machines."""

    build: str
    builds: tuple[Build, ...]


@dataclass(frozen=True)
class Sheet:
    """Claim sheet of one library.

    Attributes:
        library: the name of the library.
        title: the name that its authors use.
        homepage: the address of its homepage.
        issues: the address of its issue tracker.
        speaks_of: the version that the claims describe.
        precision: the precision of its values: float64, float32, or a number of decimals.
        precisions: other precisions, by variant and measure.
        profiles: the conventions, by variant and measure.
        pins: the known exceptions.
        path: the file of the sheet.
        conditions: conditions on data that no case tests.
        stands_on: the versions of its dependencies when it was observed.
        versions: claims about other versions.
        program: the source, if the library is a program.
        command: the command of an adapter that is not a Python module; `{here}` is the sheet's folder.
        files: other files of the adapter, relative to the sheet.
        takes: the approximate time for the whole corpus in seconds; the slowest library runs first.
        package: its name in the package registry, if different.
        only_in_environments: whether it only runs in a separate environment.
        environments: other environments to observe it in (see `history.plans`).
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
        """Return the claims about another version, or None."""
        return next((known for known in self.versions if fnmatch.fnmatchcase(version, known.pattern)), None)

    def of_version(self, version: str) -> "Sheet":
        """Return the sheet with the claims about a version, if they differ."""
        known = None if version == self.speaks_of else self.known_of(version)
        return self if known is None else replace(self, profiles={**self.profiles, **known.profiles})

    def profile_of(self, variant: str, measure: Measure) -> Conventions:
        """Return the conventions under the most specific key that matches the measure."""
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
    """Return the path of a library's sheet."""
    return folder / f"{library}.toml"


def load(path: Path, *, draft: bool = False) -> Sheet:
    """Read a sheet. In a draft, reasons of exceptions may be empty.

    Raises:
        BadSheet: the sheet is missing, is not TOML, does not follow the schema, has unknown conventions, or lacks a
            reason.
    """
    try:
        text = text_of(path)
    except BadDocument as error:
        missing = f"the sheet does not exist: write it with `rankproof sheet new {path.stem}`"
        raise BadSheet(f"{path}:{error.line}: {error if path.exists() else missing}") from error
    return read(path, text, draft=draft)


@lru_cache(maxsize=256)  # each run reads all sheets, and most have not changed
def read(path: Path, text: str, *, draft: bool = False) -> Sheet:
    """Parse the text of a sheet at a path.

    Raises:
        BadSheet: the text is invalid (see `load`).
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
    """Check a sheet against its schema, and the reasons of exceptions last."""
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
    """Yield the conventions of a variant by measure; those under `+` apply to all measures."""
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
