"""Plans of environments: a version of a library with its interpreter and dependencies, as a sheet lists them.

    package = "scikit-learn"

    [[environments]]
    versions = ["0.22.2.post1", "0.23.2"]
    python = "3.8"
    with = ["numpy<1.24"]

If several entries name one version, all but one of them have a `label`. An entry of a program (`[program]` in the sheet) has no `python`.
"""

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from rankproof.reference_impl.shown import first_of, shortened
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.known_libraries import Library, distribution, usual_name
from rankproof.workers.sheets import BadSheet, Sheet


class NoSuchEnvironment(Unusable):
    """An environment that no sheet names."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An environment that a sheet names.

    Attributes:
        python: the version of the interpreter; empty for a program.
        requirements: the requirements of dependencies.
        without_dependencies: whether only the package and the `requirements` are installed.
        from_source: the distributions that may be built from source; all others are wheels.
        label: a label that distinguishes environments of the same version.
    """

    library: str
    package: str
    version: str
    python: str
    requirements: tuple[str, ...] = ()
    without_dependencies: bool = False
    from_source: tuple[str, ...] = ()
    label: str = ""

    @property
    def name(self) -> str:
        """The name, such as `sklearn@0.24.2` or `trectools@0.0.50+pandas-3`."""
        return f"{self.library}@{self.label_of_version}"

    @property
    def is_program(self) -> bool:
        """Whether the library is a program and not a Python package."""
        return not self.python

    @property
    def under(self) -> str:
        """The interpreter in words."""
        return "a program" if self.is_program else f"Python {self.python}"

    @property
    def label_of_version(self) -> str:
        """The version with the label."""
        return self.version + (f"+{self.label}" if self.label else "")


def plans_of(sheet: Sheet) -> tuple[Plan, ...]:
    """Return the environments in a sheet. Raise BadSheet for equal names, invalid versions or missing interpreters."""
    plans: dict[str, Plan] = {}
    for entry in sheet.environments:
        if sheet.program is None and "python" not in entry:
            what = 'an environment needs the version of its interpreter, such as python = "3.11"'
            raise sheet.fault_at("[[environments]]", what)
        for version in entry["versions"]:
            plan = Plan(
                sheet.library,
                sheet.package or sheet.library,
                version,
                entry.get("python", ""),
                tuple(_requirement(sheet, text) for text in entry.get("with", ())),
                entry.get("deps") == "none",
                tuple(entry.get("from_source", ())),
                entry.get("label", ""),
            )
            try:
                Version(version)
            except InvalidVersion as error:
                raise sheet.fault_at(version, f"{version} is not a version (PEP 440)") from error
            if plan.name in plans:
                raise sheet.fault_at(version, f"{plan.name} is named twice. Give one of them a label.")
            plans[plan.name] = plan
    return tuple(plans.values())


def _requirement(sheet: Sheet, text: str) -> str:
    """Return a requirement in one line without an address, because only such text may reach the installer."""
    try:
        requirement = Requirement(text)
    except InvalidRequirement as error:
        raise sheet.fault_at("with", f"{shortened(text)!r} is not a requirement. Write it like numpy<2.") from error
    if requirement.url is not None:
        raise sheet.fault_at("with", f"{shortened(text)!r} is an address. Write a version, such as numpy<2.")
    return " ".join(text.split())


def plans_named(wanted: Sequence[str], libraries: Iterable[Library]) -> list[Plan]:
    """Return the requested environments of libraries; see `chosen_plans`.

    Raises:
        BadSheet: the sheet of a requested library has an error. Errors of other sheets do not matter.
        NoSuchEnvironment: no sheet names such an environment.
    """
    plans: list[Plan] = []
    for library in libraries:
        try:
            plans += _plans_of(library)
        except BadSheet:
            if any(_means_library(text, library.name) for text in wanted):
                raise
    return chosen_plans(wanted, plans)


def _plans_of(library: Library) -> tuple[Plan, ...]:
    if library.fault:
        raise BadSheet(library.fault)
    return plans_of(library.sheet)


def _means_library(text: str, library: str) -> bool:
    name = text.partition("@")[0]
    return text == "all" or library == usual_name(name) or fnmatch.fnmatchcase(library, name)


def chosen_plans(wanted: Sequence[str], plans: Sequence[Plan]) -> list[Plan]:
    """Return the requested environments, each once, in the order of the sheets.

    >>> plans = [Plan("lib", "lib", version, "3.8") for version in ("0.9", "1.0", "1.10")]
    >>> [plan.name for plan in chosen_plans(["lib@>=1.0"], plans)], [plan.name for plan in chosen_plans(["lib"], plans)][:1]
    (['lib@1.0', 'lib@1.10'], ['lib@0.9'])

    Each text is `all`, a name (`sklearn@1.0.2`), a library (`sklearn`, `scikit-learn`), a library with bounds
    (`sklearn@>=0.24,<1.2`), or a glob of names. Raise NoSuchEnvironment if a text matches no environment.
    """
    meant: set[str] = set()
    for text in wanted:
        names = {plan.name for plan in plans if _means(text, plan)}
        if not names:
            known = first_of(dict.fromkeys(plan.name for plan in plans))
            raise NoSuchEnvironment(f"Unknown environment {text}. Known are {known or 'none'}.")
        meant |= names
    return [plan for plan in plans if plan.name in meant]


def _means(text: str, plan: Plan) -> bool:
    library, at, version = text.partition("@")
    if text == "all" or fnmatch.fnmatchcase(plan.name, text):
        return True
    if plan.library != usual_name(library) and distribution(library) != distribution(plan.package):
        return False
    if version[:1] not in set("<>=!~"):
        return not at or fnmatch.fnmatchcase(plan.label_of_version, version)
    try:
        return SpecifierSet(version, prereleases=True).contains(plan.version)
    except InvalidSpecifier as error:
        raise NoSuchEnvironment(f"Invalid bounds {version}. Write them like >=1.0,<1.4.") from error
