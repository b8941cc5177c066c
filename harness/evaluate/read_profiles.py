"""Profiles of tools that are not asked: what their sources say, one file of `read/` a tool; read, and not observed.

A fingerprint is proved by answers. A read profile is what a person found in a tool's source or documentation, in a version that its file
names. The two are never mixed, and a tool that is asked itself has no read profile: a read profile says of itself that it is one, and
whoever uses it is told so. Of some tools the values were also held against what the tool itself said of one run; then `run` names the
version.

What the source does not say is written `?`, and so it is with every axis that a file does not name: nothing is taken from `standard`
without being marked as taken.

>>> from rankproof.reference_impl.notation import parse
>>> rax = read_tools()["rax"].ways["rax"]
>>> rax.conventions(parse("P@10")).p_denominator, "ties" in rax.undecided(parse("P@10"))
('min-k-n', True)
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from rankproof.inference.signatures import OPEN, OR, axes_of
from rankproof.measure_forms import measure_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, UnknownConvention, axis_named
from rankproof.reference_impl.profiles import Profile
from rankproof.workers.known_libraries import distribution

FOLDER = "read"
DEFAULT, SHARED = "default", "+"
"""The way of asking a tool that needs no name beside the tool's, and the key of what all measures of a way share."""
Choices = Mapping[str, tuple[str, ...]]
"""Each axis that a file names, with its value; with several, or none, where it is open."""


@dataclass(frozen=True)
class ReadTool:
    """A tool of which the source was read.

    Attributes:
        name: as it is asked for.
        read: the version that is spoken of, or the commit that was read; the addresses of the sources say what was read.
        run: the version whose own numbers were compared with what is said here; empty where it was not run.
        sources: where it was read.
        note: what a person has to know who compares it.
        also: other names of it.
        ways: the profile of each way of using it: `rax`, and `msmarco/script`.
    """

    name: str
    title: str
    read: str
    run: str
    sources: tuple[str, ...]
    note: str
    also: tuple[str, ...]
    ways: Mapping[str, Profile]

    @property
    def whose(self) -> str:
        """Its name and the version that was read."""
        return f"{self.title} {self.read}"


@cache
def read_tools() -> Mapping[str, ReadTool]:
    """Every tool of the folder, by its name."""
    found = sorted((files(__package__) / FOLDER).iterdir(), key=lambda one: one.name)
    named = [one for one in found if one.name.endswith(".toml")]
    return {one.name.removesuffix(".toml"): read_tool(one.name, one.read_text(encoding="utf-8")) for one in named}


@cache
def read_ways() -> Mapping[str, Profile]:
    """The profile of each way of using each tool, by its name; without the other names that a tool may have."""
    return {name: profile for tool in read_tools().values() for name, profile in tool.ways.items()}


def read_profile(name: str) -> Profile | None:
    """The profile of that name, or of a tool that is also called so; None where there is none."""
    return read_ways().get(way_called(name))


def way_called(name: str) -> str:
    """The name under which a way is listed, of the same with another name of its tool; a tool with one way needs no name of it.

    >>> way_called("tfr"), way_called("ms_marco_eval"), way_called("mteb/mrr"), way_called("other")
    ('tensorflow_ranking', 'msmarco/script', 'mteb/mrr', 'other')
    """
    tool, slash, way = name.partition("/")
    known = next((one for one in read_tools().values() if _same_names(tool, (one.name, *one.also))), None)
    if known is None:
        return name
    return next(iter(known.ways)) if not slash and len(known.ways) == 1 else f"{known.name}{slash}{way}"


def _same_names(tool: str, names: Iterable[str]) -> bool:
    """Whether it is one of these, as a registry compares names."""
    return distribution(tool) in map(distribution, names)


def tool_of(name: str) -> ReadTool | None:
    """The tool whose profile has that name; None where none has."""
    return next((one for one in read_tools().values() if way_called(name) in one.ways), None)


def read_tool(file: str, text: str) -> ReadTool:
    """What a file says of a tool.

    Raises:
        UnknownConvention: it names an axis or a value that there is not; the message names the file and the measure.
    """
    said = tomllib.loads(text)
    name = file.removesuffix(".toml")
    whose = f"{said['title']} {said['read']}"
    ways = {
        name if way == DEFAULT else f"{name}/{way}": _profile(f"{file}: {way}", whose, claims)
        for way, claims in said["profiles"].items()
    }
    note, sources, also = " ".join(said.get("note", "").split()), said["sources"], said.get("also", ())
    return ReadTool(name, said["title"], said["read"], said.get("run", ""), tuple(sources), note, tuple(also), ways)


def _profile(where: str, whose: str, claims: Mapping[str, str]) -> Profile:
    of: dict[str, Conventions] = {}
    still: dict[str, Mapping[str, tuple[str, ...]]] = {}
    shared = claims.get(SHARED, "")
    for key, spec in ((key, spec) for keys, spec in claims.items() if keys != SHARED for key in keys.split()):
        said = {**_choices(f"{where}: {SHARED}", shared), **_choices(f"{where}: {key}", spec)}
        matter = axes_of(measure_of(key))
        decided = {axis: values[0] for axis, values in said.items() if len(values) == 1 and axis in matter}
        still[key] = {axis: said.get(axis, ()) for axis in matter if axis not in decided}
        taken = {axis: values[0] for axis, values in still[key].items() if values}
        of[key] = STANDARD.replace(**decided, **taken)
    return Profile(of, whose, still, read=True)


def _choices(where: str, spec: str) -> Choices:
    try:
        found = dict(_choice(word) for word in spec.split())
    except UnknownConvention as error:
        raise UnknownConvention(f"{where}: {error}") from error
    return {axis: found[axis] for axis in AXES if axis in found}


def _choice(word: str) -> tuple[str, tuple[str, ...]]:
    axis, equals, value = word.partition("=")
    if not equals:
        raise UnknownConvention(f"{word} is not of the form axis=value")
    values = tuple(value.removeprefix(OPEN).split(OR)) if value != OPEN else ()
    known = axis_named(axis)
    for each in values:
        known.check(each)
    return known.name, values
