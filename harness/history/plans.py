"""Plans: the environments that sheets name, each one version of a library, under one interpreter, with what it stands on.

In a sheet:

    package = "scikit-learn"

    [[environments]]
    versions = ["0.22.2.post1", "0.23.2"]
    python = "3.8"
    with = ["numpy<1.24"]

Several entries may name the same version; all but one of them have a `label`, by which they are told apart. An entry of a library that is
a program (`[program]` in its sheet) has no `python`: it is a version of the program.
"""

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from rankproof.reference_impl.shown import first_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.known_libraries import Library, distribution, usual_name
from rankproof.workers.sheets import Sheet


class NoSuchEnvironment(Unusable):
    """No sheet names such an environment."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An environment, as a sheet names it.

    Attributes:
        library: the library's name in rankproof.
        package: its distribution in the package registry.
        version: the version that is observed.
        python: the interpreter's version, as in `3.8`; empty where the library is a program, which needs none.
        beside: requirements of what it stands on, where the resolver is not to choose freely.
        without_dependencies: whether nothing is installed but the package and what `beside` needs.
        from_source: distributions that may be built from source; all others come as wheels.
        label: what tells it from other environments of the same version.
    """

    library: str
    package: str
    version: str
    python: str
    beside: tuple[str, ...] = ()
    without_dependencies: bool = False
    from_source: tuple[str, ...] = ()
    label: str = ""

    @property
    def name(self) -> str:
        """As in `sklearn@0.24.2`, or `trectools@0.0.50+pandas-3`.

        >>> Plan("sklearn", "scikit-learn", "1.0", "3.8").name
        'sklearn@1.0'
        """
        return f"{self.library}@{self.label_of_version}"

    @property
    def is_program(self) -> bool:
        """Whether it is a version of a program, and no Python package."""
        return not self.python

    @property
    def under(self) -> str:
        """What it runs under, in words.

        >>> Plan("lib", "lib", "1.0", "3.8").under, Plan("prog", "prog", "9.0", "").under
        ('Python 3.8', 'a program')
        """
        return "a program" if self.is_program else f"Python {self.python}"

    @property
    def label_of_version(self) -> str:
        """The version, with what tells it from other environments of the same."""
        return self.version + (f"+{self.label}" if self.label else "")


def plans_of(sheet: Sheet) -> tuple[Plan, ...]:
    """The environments that a sheet names, in its order.

    Raises:
        BadSheet: two have the same name, a version is none, or an interpreter is missing.
    """
    if sheet.program is None and any("python" not in entry for entry in sheet.environments):
        what = 'an environment needs the version of its interpreter: write python = "3.11" in it'
        raise sheet.fault_at("[[environments]]", what)
    plans = tuple(
        Plan(
            sheet.library,
            sheet.package or sheet.library,
            version,
            entry.get("python", ""),
            tuple(entry.get("with", ())),
            entry.get("deps") == "none",
            tuple(entry.get("from_source", ())),
            entry.get("label", ""),
        )
        for entry in sheet.environments
        for version in entry["versions"]
    )
    for i, plan in enumerate(plans):
        try:
            Version(plan.version)
        except InvalidVersion as error:
            raise sheet.fault_at(plan.version, f"{plan.version} is no version, as PEP 440 has them") from error
        if plan.name in {before.name for before in plans[:i]}:
            raise sheet.fault_at(plan.version, f"{plan.name} is named twice: give one of them a label")
    return plans


def all_plans(libraries: Iterable[Library]) -> list[Plan]:
    """The environments of several libraries; of a library whose sheet cannot be used there are none."""
    return [plan for library in libraries if not library.fault for plan in plans_of(library.sheet)]


def chosen_plans(wanted: Sequence[str], plans: Sequence[Plan]) -> list[Plan]:
    """The environments that are meant, each once, in the order of the sheets.

    >>> plans = [Plan("lib", "lib", version, "3.8") for version in ("0.9", "1.0", "1.10")]
    >>> [plan.name for plan in chosen_plans(["lib@>=1.0"], plans)], [plan.name for plan in chosen_plans(["lib"], plans)][:1]
    (['lib@1.0', 'lib@1.10'], ['lib@0.9'])

    Args:
        wanted: `all`, a name (`sklearn@1.0.2`), a library (`sklearn`), a library with bounds (`sklearn@>=0.24,<1.2`), or a glob of names;
            a library by its name here, in the package registry (`scikit-learn`), or another one that people type (`spark`).
        plans: all that there are.

    Raises:
        NoSuchEnvironment: one of them means none.
    """
    meant: set[str] = set()
    for text in wanted:
        names = {plan.name for plan in plans if _means(text, plan)}
        if not names:
            known = first_of(dict.fromkeys(plan.name for plan in plans))
            raise NoSuchEnvironment(f"no sheet names an environment {text}; there are {known or 'none'}")
        meant |= names
    return [plan for plan in plans if plan.name in meant]


def _means(text: str, plan: Plan) -> bool:
    library, at, version = text.partition("@")
    if at and version[:1] in set("<>=!~"):
        return _is_of(library, plan) and _is_within(version, plan.version)
    if text == "all" or fnmatch.fnmatchcase(plan.name, text):
        return True
    return _is_of(library, plan) and (not at or fnmatch.fnmatchcase(plan.label_of_version, version))


def _is_of(library: str, plan: Plan) -> bool:
    """Whether a plan is of a library, by any of the names that it has."""
    if fnmatch.fnmatchcase(plan.library, library) or usual_name(library) == plan.library:
        return True
    return distribution(library) == distribution(plan.package)


def _is_within(bounds: str, version: str) -> bool:
    try:
        return SpecifierSet(bounds, prereleases=True).contains(version)
    except InvalidSpecifier as error:
        raise NoSuchEnvironment(f"{bounds} are no bounds of versions: write them as in >=1.0,<1.4") from error
