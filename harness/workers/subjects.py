"""Subjects: who is asked. A library (or a person's function), its version, its environment, and a variant; each with one name.

>>> one = Installation("lib", "1.2", variants={"rows": ""})
>>> two = Installation("lib", "1.3", variants={"rows": "", "lists": ""})
>>> one.subject("rows").name, two.subject("rows").name, two.subject("rows").signed
('lib', 'lib/rows', 'lib/rows-1.3')
>>> list(names_of([two.subject("rows"), two.subject("lists")]).values())
['lib/rows', 'lib/lists']
>>> list(names_of([one.subject("rows"), replace(one.subject("rows"), version="1.1")]).values())
['lib-1.2', 'lib-1.1']
"""

import fnmatch
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from rankproof.reference_impl.unusable import Unusable


@dataclass(frozen=True, slots=True, order=True)
class Environment:
    """Where a library runs: the version of the interpreter, and what the library stands on, as (package, version)."""

    python: str = ""
    stands_on: tuple[tuple[str, str], ...] = ()


NOWHERE = Environment()
"""The environment of what was not asked, or of a function that a person gave."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Who is asked, and in which of its variants.

    Attributes:
        variant: empty where all of the library is meant, as it is not installed.
        alone: whether this is the only way of asking the library. It is no part of who the subject is: only its name depends on it.
    """

    library: str
    variant: str = ""
    version: str = ""
    environment: Environment = NOWHERE
    alone: bool = field(default=True, compare=False)

    def __hash__(self) -> int:
        # What a library stands on is long, and tells few subjects apart that these do not.
        return hash((self.library, self.variant, self.version))

    @property
    def name(self) -> str:
        """The library's name, with the variant if there are several."""
        return self.library if self.alone or not self.variant else f"{self.library}/{self.variant}"

    @property
    def signed(self) -> str:
        """The name with the version, as signatures have it."""
        return f"{self.name}-{self.version}" if self.version else self.name

    def is_called(self, glob: str) -> bool:
        """Whether a glob of libraries means it (`sklearn`), or one of variants (`ir_measures/ranx`), or the name of its variant (`gdeval`).

        >>> Subject("lib", "rows").is_called("l*"), Subject("lib", "rows").is_called("lib/r*"), Subject("lib", "rows").is_called("lib/x")
        (True, True, False)
        >>> Subject("lib", "rows").is_called("rows"), Subject("lib", "rows").is_called("r*")
        (True, False)
        """
        library, slash, variant = glob.partition("/")
        if not slash and glob == self.variant:
            return True
        return fnmatch.fnmatchcase(self.library, library) and (not slash or fnmatch.fnmatchcase(self.variant, variant))


def names_of(subjects: Iterable[Subject], *, signed: bool = False) -> dict[Subject, str]:
    """What each of several subjects is called among the others.

    The name alone, if that says which one is meant; else with the version; else with what differs in the environments.

    Args:
        subjects: in an order; of those that nothing else tells apart, the second is called `… (2)`.
        signed: whether the version is said even where the name alone would do.
    """
    found = dict.fromkeys(subjects, "")
    texts = (lambda one: one.name, lambda one: one.signed, _in_its_environment)
    for said in texts[signed:]:
        counts = Counter(text for text in found.values() if text)
        for one, text in found.items():
            if not text or counts[text] > 1:
                found[one] = said(one)
    seen: Counter[str] = Counter()
    for one, text in found.items():
        seen[text] += 1
        found[one] = text if seen[text] == 1 else f"{text} ({seen[text]})"
    return found


def _in_its_environment(subject: Subject) -> str:
    return f"{subject.signed} (Python {subject.environment.python})"


Variant = tuple[str, str]
"""A library, and what one of its variants is called beside the others: with the version where several were asked."""


def variants_of(subjects: Iterable[Subject]) -> dict[Subject, Variant]:
    """The library of each subject, and what its variant is called there.

    >>> variants_of([Subject("lib", "rows", "1"), Subject("lib", "lists", "2")]).values()
    dict_values([('lib', 'rows'), ('lib', 'lists')])
    >>> variants_of([Subject("lib", "rows", "1"), Subject("lib", "rows", "2")]).values()
    dict_values([('lib', 'rows-1'), ('lib', 'rows-2')])
    """
    named = {one: replace(one, alone=not one.variant) for one in subjects}
    names = names_of(named.values())
    return {one: (one.library, names[one].removeprefix(f"{one.library}/") if one.variant else "") for one in named}


class BadInstallation(Unusable):
    """What is said of a library is not in the form in which files have it."""


@dataclass(frozen=True)
class Installation:
    """One library in one environment, as it described itself; or why it could not be asked.

    Attributes:
        version: empty where it could not be asked.
        python: the version of the interpreter that it runs under.
        variants: the ways in which it was asked, and what each means.
        absent: the ways in which it could not be asked, and why.
        others: the ways in which it can be asked and was not.
        dependencies: package -> version, of what it stands on.
        notes: what it says of itself.
        untold: by variant, the axes of which the library is told nothing, as its adapter translates what they are about.
        not_installed: why it was not asked; empty where it was.
        failed: the verdict on a library that is installed and could not be asked all the same.
        message: what it said then.
    """

    library: str
    version: str = ""
    python: str = ""
    variants: Mapping[str, str] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    dependencies: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    untold: Mapping[str, str] = field(default_factory=dict)
    not_installed: str = ""
    failed: str = ""
    message: str = ""

    @property
    def why_not(self) -> str:
        """Why it could not be asked."""
        return self.not_installed or self.message

    @cached_property
    def environment(self) -> Environment:
        """Where it runs."""
        return Environment(self.python, tuple(sorted(self.dependencies.items())))

    def subject(self, variant: str = "") -> Subject:
        """One of its variants; without one, the library as a whole."""
        alone = len({*self.variants, *self.absent, *self.others}) <= 1
        return Subject(self.library, variant, self.version, self.environment, alone)

    def has(self, subject: Subject) -> bool:
        """Whether a subject is this library in this environment; one without a version is, as it was not asked."""
        is_here = not subject.version or (subject.version, subject.environment) == (self.version, self.environment)
        return subject.library == self.library and is_here

    @cached_property
    def subjects(self) -> tuple[Subject, ...]:
        """Every variant that was asked, and every one that could not be; the library as a whole, where it was not asked at all."""
        variants = tuple(dict.fromkeys([*self.variants, *self.absent]))
        return tuple(self.subject(variant) for variant in variants if self.version) or (self.subject(),)

    def as_json(self) -> dict[str, Any]:
        """The description in JSON's terms; what is empty is left out."""
        whole = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {
            name: list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value
            for name, value in whole.items()
            if value
        }


_TEXTS = ("version", "python", "not_installed", "failed", "message")
_TABLES = ("variants", "absent", "dependencies", "notes", "untold")


def keys_of(asked: Iterable[Installation]) -> dict[Subject, str]:
    """What a file calls the subjects that were asked: always with the version, so that a version that joins them renames nobody."""
    return names_of([subject for one in asked for subject in one.subjects], signed=True)


def installation(library: str, said: Mapping[str, Any]) -> Installation:
    """What a library said of itself to `hello`, or what a file has of it.

    Raises:
        BadInstallation: it is in another form.
    """
    if not all(isinstance(said.get(name, {}), Mapping) for name in _TABLES):
        raise BadInstallation(f"{library}: variants, absent, dependencies, notes and untold are tables")
    texts = {name: str(said[name]) for name in _TEXTS if said.get(name)}
    tables = {name: {str(k): str(v) for k, v in said[name].items()} for name in _TABLES if said.get(name)}
    return Installation(library, **texts, **tables, others=tuple(map(str, said.get("others", ()))))  # type: ignore[arg-type]


def selected(said: Mapping[str, Any], only: Iterable[str]) -> dict[str, Any]:
    """What a library said to `hello`, with those of its variants alone that match one of these globs; with all of them without one."""
    globs = tuple(only)
    if not globs:
        return dict(said)

    def chosen(variant: str) -> bool:
        return any(fnmatch.fnmatchcase(variant, glob) for glob in globs)

    tables = {
        name: {v: text for v, text in said.get(name, {}).items() if chosen(v)}
        for name in ("variants", "absent", "untold")
    }
    others = [v for name in ("variants", "absent") for v in said.get(name, {}) if not chosen(v)]
    return {**said, **tables, "others": others}
