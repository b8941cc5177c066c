"""Profiles of tools that rankproof does not run: conventions that a person found in their source code.

Each tool has a file in `read/`. Unlike a fingerprint, a read profile is not proved by values, and every output says
so. Tools that rankproof runs have no read profile. An axis that a file does not name, or marks with `?`, is
undetermined.

>>> from rankproof.reference_impl.notation import parse
>>> rax = read_tools()["rax"].ways["rax"]
>>> rax.conventions(parse("P@10")).p_denominator, "ties" in rax.undecided(parse("P@10"))
('min-k-n', True)
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from rankproof.inference.signatures import OPEN, OR, axes_of
from rankproof.measure_forms import measure_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, UnknownConvention, axis_named
from rankproof.reference_impl.profiles import Profile
from rankproof.workers.known_libraries import distribution

_DEFAULT, _SHARED = "default", "+"
"""The way of use that has the name of the tool, and the key of conventions that all measures of a way share."""


@dataclass(frozen=True)
class ReadTool:
    """A tool whose source code was read.

    Attributes:
        name: its name.
        title: the name as its authors write it.
        read: the version or commit that was read.
        run: the version whose values were compared with the profile; empty if it was not run.
        sources: the addresses of the source code.
        note: what users should know before they compare values.
        also: other names of the tool.
        ways: the profile of each way of use, such as `rax` and `msmarco/script`.
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
        """The name, and the version that was read."""
        return f"{self.title} {self.read}"


@cache
def read_tools() -> Mapping[str, ReadTool]:
    """Return the tools in the folder `read/` by name."""
    folder = sorted((files(__package__) / "read").iterdir(), key=lambda file: file.name)
    tools = [read_tool(file.name, file.read_text(encoding="utf-8")) for file in folder if file.name.endswith(".toml")]
    return {tool.name: tool for tool in tools}


@cache
def read_ways() -> Mapping[str, Profile]:
    """Return the profiles of all ways of using the tools by name."""
    return {name: profile for tool in read_tools().values() for name, profile in tool.ways.items()}


def read_profile(name: str) -> Profile | None:
    """Return the profile of a way of using a tool, or None."""
    return read_ways().get(listed_name(name))


def listed_name(name: str) -> str:
    """Return the listed name of a way of use. The tool may have another name, and its only way may be left out.

    >>> listed_name("tfr"), listed_name("ms_marco_eval"), listed_name("mteb/mrr"), listed_name("other")
    ('tensorflow_ranking', 'msmarco/script', 'mteb/mrr', 'other')
    """
    first, slash, way = name.partition("/")
    for tool in read_tools().values():
        if distribution(first) in map(distribution, (tool.name, *tool.also)):
            return next(iter(tool.ways)) if not slash and len(tool.ways) == 1 else f"{tool.name}{slash}{way}"
    return name


def tool_of(name: str) -> ReadTool | None:
    """Return the tool that has a profile of this name, or None."""
    return next((tool for tool in read_tools().values() if listed_name(name) in tool.ways), None)


def read_tool(file: str, text: str) -> ReadTool:
    """Return the tool that the text of a file describes.

    Raises:
        UnknownConvention: an axis or a value is unknown; the message names the file and the measure.
    """
    content = tomllib.loads(text)
    name, whose = file.removesuffix(".toml"), f"{content['title']} {content['read']}"
    ways = {
        name if way == _DEFAULT else f"{name}/{way}": _profile(f"{file}: {way}", whose, claims)
        for way, claims in content["profiles"].items()
    }
    sources, also = tuple(content["sources"]), tuple(content.get("also", ()))
    note = " ".join(content.get("note", "").split())
    return ReadTool(name, content["title"], content["read"], content.get("run", ""), sources, note, also, ways)


def _profile(where: str, whose: str, claims: Mapping[str, str]) -> Profile:
    of: dict[str, Conventions] = {}
    open_axes: dict[str, Mapping[str, tuple[str, ...]]] = {}
    shared = _choices(f"{where}: {_SHARED}", claims.get(_SHARED, ""))
    for key, spec in ((key, spec) for keys, spec in claims.items() if keys != _SHARED for key in keys.split()):
        choices = {**shared, **_choices(f"{where}: {key}", spec)}
        matter = axes_of(measure_of(key))
        open_axes[key] = {axis: choices.get(axis, ()) for axis in matter if len(choices.get(axis, ())) != 1}
        of[key] = STANDARD.replace(**{axis: choices[axis][0] for axis in AXES if axis in matter and choices.get(axis)})
    return Profile(of, whose, open_axes, read=True)


def _choices(where: str, spec: str) -> Mapping[str, tuple[str, ...]]:
    """Return each axis of a text with its value; an open axis has several values or none."""
    choices: dict[str, tuple[str, ...]] = {}
    try:
        for word in spec.split():
            axis, _, value = word.partition("=")
            values = tuple(value.removeprefix(OPEN).split(OR)) if value != OPEN else ()
            for choice in values:
                axis_named(axis).check(choice)
            choices[axis_named(axis).name] = values
    except UnknownConvention as error:
        raise UnknownConvention(f"{where}: {error}") from error
    return {axis: choices[axis] for axis in AXES if axis in choices}
