"""Subjects: libraries or functions in one version, environment and variant, with unique names.

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

from rankproof.codec import convert
from rankproof.reference_impl.unusable import Unusable


@dataclass(frozen=True, slots=True, order=True)
class Environment:
    """The interpreter version of a library, and its dependencies as (package, version)."""

    python: str = ""
    stands_on: tuple[tuple[str, str], ...] = ()


NOWHERE = Environment()
"""The environment of a library that was not run, and of a user's function."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A library or function in one of its variants.

    Attributes:
        library: the name of the library or function.
        variant: the variant; empty for a library that is not installed.
        version: the version; empty if it did not run.
        environment: the interpreter and the dependencies.
        alone: whether the library has no other variant, which only affects the name.
    """

    library: str
    variant: str = ""
    version: str = ""
    environment: Environment = NOWHERE
    alone: bool = field(default=True, compare=False)

    def __hash__(self) -> int:
        return hash((self.library, self.variant, self.version))  # hashing the environment would be slow

    @property
    def name(self) -> str:
        """The library's name, with the variant if there are several."""
        return self.library if self.alone or not self.variant else f"{self.library}/{self.variant}"

    @property
    def signed(self) -> str:
        """The name with the version, as in signatures."""
        return f"{self.name}-{self.version}" if self.version else self.name

    def is_called(self, glob: str) -> bool:
        """Return whether a glob of libraries (`sklearn`) or variants (`ir_measures/ranx`) or a variant's name matches.

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
    """Return a unique name for each subject, with the version, interpreter and a number if necessary.

    Args:
        subjects: the subjects; the second of two with the same name is `… (2)`.
        signed: whether to always include the version.
    """
    names = dict.fromkeys(subjects, "")
    forms = (
        lambda subject: subject.name,
        lambda subject: subject.signed,
        lambda subject: f"{subject.signed} (Python {subject.environment.python})",
    )
    for form in forms[signed:]:
        counts = Counter(names.values())
        names = {subject: form(subject) if not name or counts[name] > 1 else name for subject, name in names.items()}
    seen: Counter[str] = Counter()
    for subject, name in names.items():
        seen[name] += 1
        names[subject] = name if seen[name] == 1 else f"{name} ({seen[name]})"
    return names


Variant = tuple[str, str]
"""A library, and the unique name of one of its variants."""


def variants_of(subjects: Iterable[Subject]) -> dict[Subject, Variant]:
    """Return the library and the unique variant name of each subject.

    >>> variants_of([Subject("lib", "rows", "1"), Subject("lib", "lists", "2")]).values()
    dict_values([('lib', 'rows'), ('lib', 'lists')])
    >>> variants_of([Subject("lib", "rows", "1"), Subject("lib", "rows", "2")]).values()
    dict_values([('lib', 'rows-1'), ('lib', 'rows-2')])
    """
    renamed = {subject: replace(subject, alone=not subject.variant) for subject in subjects}
    names = names_of(renamed.values())
    return {
        subject: (subject.library, names[other].removeprefix(f"{subject.library}/") if subject.variant else "")
        for subject, other in renamed.items()
    }


class BadInstallation(Unusable):
    """Error for an invalid description of a library."""


@dataclass(frozen=True)
class Installation:
    """A library in one environment, as its adapter describes it, or the reason why it could not run.

    Attributes:
        library: the name of the library.
        version: the version; empty if it could not run.
        python: the version of its interpreter.
        variants: the variants that ran, with descriptions.
        absent: the variants that could not run, with reasons.
        others: the variants that were not selected.
        dependencies: the version of each package.
        notes: notes of the adapter.
        untold: by variant, the axes that it cannot show, because the adapter translates their inputs.
        not_installed: the reason if it is not installed; otherwise empty.
        failed: the verdict if it is installed but could not run.
        message: the message of that failure.
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
        """The reason why it could not run."""
        return self.not_installed or self.message

    @cached_property
    def environment(self) -> Environment:
        """The interpreter and the dependencies."""
        return Environment(self.python, tuple(sorted(self.dependencies.items())))

    def subject(self, variant: str = "") -> Subject:
        """Return one of the variants, or the whole library."""
        alone = len({*self.variants, *self.absent, *self.others}) <= 1
        return Subject(self.library, variant, self.version, self.environment, alone)

    def has(self, subject: Subject) -> bool:
        """Return whether a subject is this library in this environment, or did not run and so has no version."""
        is_here = not subject.version or (subject.version, subject.environment) == (self.version, self.environment)
        return subject.library == self.library and is_here

    @cached_property
    def subjects(self) -> tuple[Subject, ...]:
        """The variants, also those that did not run, or the whole library if it did not run."""
        variants = tuple(dict.fromkeys([*self.variants, *self.absent]))
        return tuple(self.subject(variant) for variant in variants if self.version) or (self.subject(),)

    def as_json(self) -> dict[str, Any]:
        """Return the description as JSON data without empty fields."""
        data = {name: value for name in self.__dataclass_fields__ if (value := getattr(self, name))}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in data.items()}


def keys_of(installations: Iterable[Installation]) -> dict[Subject, str]:
    """Return the names of subjects in files, always with the version, so a new version does not change other names."""
    return names_of([subject for library in installations for subject in library.subjects], signed=True)


def installation(library: str, description: Mapping[str, Any]) -> Installation:
    """Convert the reply of a library to `hello`, or its entry in a file.

    Raises:
        BadInstallation: a field has another type.
    """
    known = {name: value for name, value in description.items() if value and name in Installation.__dataclass_fields__}
    try:
        return convert({**known, "library": library}, Installation)
    except ValueError as error:
        raise BadInstallation(f"{library}: {error}") from error


def selected(hello: Mapping[str, Any], only: Iterable[str]) -> dict[str, Any]:
    """Return a reply to `hello` with the variants that match one of the globs, or with all if there are no globs."""
    globs = tuple(only)
    if not globs:
        return dict(hello)

    def is_selected(variant: str) -> bool:
        return any(fnmatch.fnmatchcase(variant, glob) for glob in globs)

    tables = {
        name: {variant: text for variant, text in hello.get(name, {}).items() if is_selected(variant)}
        for name in ("variants", "absent", "untold")
    }
    others = [v for name in ("variants", "absent") for v in hello.get(name, {}) if not is_selected(v)]
    return {**hello, **tables, "others": others}
