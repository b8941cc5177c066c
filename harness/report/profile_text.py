"""The profiles in words: those with a name, of each library the one that was proved of it, and of other tools what was read in a source."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rankproof.evaluate.library_profiles import HeldOut
from rankproof.evaluate.read_profiles import ReadTool
from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.signatures import Signature
from rankproof.measure_forms import measure_of, name_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.profiles import EVERY, PROFILES, Profile
from rankproof.text import folded
from rankproof.workers.subjects import Subject

Libraries = Mapping[str, tuple[Subject, Sequence[Fingerprint]]]
"""What each library, in each way of asking it, is called -> who that is, and its fingerprints."""
KINDS = {
    "equal": "equal",
    "rounded": "equal but for digits that float32 loses",
    "within ties": "within the orders of tied docs",
    "open": "by a value that is open",
    "marked": "of forms with unexplained answers",
    "unexplained": "unexplained",
}
"""What an answer on another run was, and how that is said."""


def listing(libraries: Libraries, held: Mapping[str, HeldOut], tools: Mapping[str, ReadTool]) -> Iterator[str]:
    """A line a profile: its name, and what differs from `standard`."""
    yield "profiles with a name:"
    wide = max(map(len, [*PROFILES, *libraries, *(way for tool in tools.values() for way in tool.ways)]))
    for name, profile in PROFILES.items():
        yield folded(f"  {name:{wide}}  {_of_all(profile)}", wide + 4)
    yield ""
    yield "libraries, as their published fingerprints found them, measure by measure:"
    for name, (subject, forms) in libraries.items():
        known = f"{subject.version}, {len(forms)} form{'' if len(forms) == 1 else 's'} of measures"
        yield folded(f"  {name:{wide}}  {known}{_equal_of(held.get(subject.signed))}", wide + 4)
    yield ""
    yield folded("equal: so many answers on runs that no fingerprint was inferred from are what the profile gives")
    yield ""
    yield "tools that are not asked, as a source says, not proved by answers:"
    for tool in tools.values():
        for name, profile in tool.ways.items():
            measures = ", ".join(dict.fromkeys(map(name_of, profile.of)))
            yield folded(f"  {name:{wide}}  {tool.title}, read: {tool.read}; {measures}", wide + 4)


def _equal_of(held: HeldOut | None) -> str:
    if held is None:
        return ""
    total = sum((Counter(kinds) for kinds in held.forms.values()), Counter())
    return f"; equal {total['equal']} of {total.total()}"


def _of_all(profile: Profile) -> str:
    if profile.single is not None:
        return profile.single.spec() or "no choice but the defaults"
    others = [key for key in profile.of if key != EVERY]
    return f"{profile.of[EVERY].spec()}; others for {', '.join(others)}"


def as_json(libraries: Libraries, tools: Mapping[str, ReadTool]) -> list[dict[str, Any]]:
    """The same for programs."""
    named = [{"name": name, "of": _specs(profile), "library": False} for name, profile in PROFILES.items()]
    found = [
        {"name": name, "version": subject.version, "of": {one.key: one.signature for one in forms}, "library": True}
        for name, (subject, forms) in libraries.items()
    ]
    read = [
        {
            "name": name,
            "version": tool.read,
            "of": _signatures(profile),
            "library": False,
            "read": True,
            "run": tool.run or None,
            "sources": list(tool.sources),
            "note": tool.note,
        }
        for tool in tools.values()
        for name, profile in tool.ways.items()
    ]
    return [*named, *found, *read]


def _signatures(profile: Profile) -> dict[str, str]:
    """Of each form the signature, in which what is open is marked; it is nobody's who was asked."""
    forms = {key: measure_of(key) for key in profile.of}
    return {key: str(Signature.of(m, profile, "read", still=profile.undecided(m))) for key, m in forms.items()}


def _specs(profile: Profile) -> dict[str, str]:
    return {key: conventions.spec() for key, conventions in profile.of.items()}


def details(name: str, profile: Profile, held: HeldOut | None = None, tool: ReadTool | None = None) -> Iterator[str]:
    """What a profile takes otherwise than `standard`, measure by measure; what nothing decided is told as such."""
    found = f"as found in the answers of {profile.whose}"
    whose = f"as read in a source of {profile.whose}, and not proved by answers" if profile.read else found
    yield folded(f"{name}, {whose}" if profile.whose else name)
    yield from _held(held)
    if tool is not None:
        yield from _of_tool(tool)
    alike = grouped(((own, tuple(profile.open.get(key, {}).items())), key) for key, own in profile.of.items())
    for (conventions, still), keys in alike.items():
        yield ""
        yield folded(", ".join("every measure" if key == EVERY else key for key in keys) + ":")
        yield from _choices(conventions, dict(still))


def _of_tool(tool: ReadTool) -> Iterator[str]:
    """Where a tool was read, whether it was run, and what has to be known of it."""
    yield from (f"    {source}" for source in tool.sources)
    ran = f"asked of one run, the tool {tool.run} said the same" if tool.run else "it was not run"
    yield folded(f"    {ran}", 4)
    if tool.note:
        yield folded(f"    {tool.note}", 4)


def _choices(conventions: Conventions, still: Mapping[str, Sequence[str]]) -> Iterator[str]:
    differing = {axis: value for axis, value in STANDARD.differences(conventions).items() if axis not in still}
    for axis, value in differing.items():
        yield folded(f"    {axis}={value}: {AXES[axis].meaning(value)}", 8)
    if not differing:
        yield "    as in standard"
    if still:
        told = [f"{axis} ({' or '.join(remaining)})" if remaining else axis for axis, remaining in still.items()]
        yield folded(f"    undetermined: {', '.join(told)}", 8)


def _held(held: HeldOut | None) -> Iterator[str]:
    """How often it gives what the library gives on runs that it was not inferred from; form by form where that is not always."""
    if held is None:
        return
    total = sum((Counter(kinds) for kinds in held.forms.values()), Counter())
    yield ""
    yield folded(f"on runs that no fingerprint was inferred from, {total.total()} answers: {_counted(total)}", 8)
    yield folded(f"    counted by: {held.command}", 8)
    for form, kinds in held.forms.items():
        if set(kinds) - {"equal"}:
            yield folded(f"    {form}: {_counted(kinds)}", 8)


def _counted(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{kinds[kind]} {said}" for kind, said in KINDS.items() if kinds.get(kind))
