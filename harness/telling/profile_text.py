"""The profiles in words: those with a name, and of each library the one that was proved of it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rankproof.asking.subjects import Subject
from rankproof.evaluating.library_profiles import HeldOut
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.profiles import EVERY, PROFILES, Profile
from rankproof.text import folded

Libraries = Mapping[str, tuple[Subject, Sequence[Fingerprint]]]
"""What each library, in each way of asking it, is called -> who that is, and its fingerprints."""


KINDS = {
    "equal": "equal", "within ties": "within the orders of tied docs", "open": "by a value that is open",
    "marked": "of forms with unexplained answers", "unexplained": "unexplained",
}  # fmt: skip
"""What an answer on another run was, and how that is said."""


def listing(libraries: Libraries, held: Mapping[str, HeldOut]) -> Iterator[str]:
    """A line a profile: its name, and what differs from `standard`."""
    yield "profiles with a name:"
    wide = max(map(len, [*PROFILES, *libraries]))
    for name, profile in PROFILES.items():
        yield folded(f"  {name:{wide}}  {_of_all(profile)}", wide + 4)
    yield ""
    yield "libraries, as their published fingerprints found them, measure by measure:"
    for name, (subject, forms) in libraries.items():
        known = f"{subject.version}, {len(forms)} form{'' if len(forms) == 1 else 's'} of measures"
        yield folded(f"  {name:{wide}}  {known}{_equal_of(held.get(subject.signed))}", wide + 4)
    yield ""
    yield folded("equal: so many answers on runs that no fingerprint was inferred from are what the profile gives")


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


def as_json(libraries: Libraries) -> list[dict[str, Any]]:
    """The same for programs."""
    named = [{"name": name, "of": _specs(profile), "library": False} for name, profile in PROFILES.items()]
    found = [
        {"name": name, "version": subject.version, "of": {one.key: one.signature for one in forms}, "library": True}
        for name, (subject, forms) in libraries.items()
    ]
    return [*named, *found]


def _specs(profile: Profile) -> dict[str, str]:
    return {key: conventions.spec() for key, conventions in profile.of.items()}


def details(name: str, profile: Profile, held: HeldOut | None = None) -> Iterator[str]:
    """What a profile takes otherwise than `standard`, measure by measure; what nothing decided is told as such."""
    whose = f", as found in the answers of {profile.whose}" if profile.whose else ""
    yield folded(f"{name}{whose}")
    yield from _held(held)
    alike: dict[tuple[Conventions, tuple[str, ...]], list[str]] = defaultdict(list)
    for key, conventions in profile.of.items():
        alike[conventions, tuple(profile.open.get(key, ()))].append(key)
    for (conventions, undecided), keys in alike.items():
        yield ""
        yield folded(", ".join("every measure" if key == EVERY else key for key in keys) + ":")
        yield from _choices(conventions, undecided)


def _choices(conventions: Conventions, undecided: Sequence[str]) -> Iterator[str]:
    differing = {axis: v for axis, v in STANDARD.differences(conventions).items() if axis not in undecided}
    for axis, value in differing.items():
        yield folded(f"    {axis}={value}: {AXES[axis].meaning(value)}", 8)
    if not differing:
        yield "    as in standard"
    if undecided:
        yield folded(f"    undetermined: {', '.join(undecided)}", 8)


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
