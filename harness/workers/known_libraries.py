"""Known libraries: those of rankproof and those in a folder of the user, and their selection by name.

A library has a sheet and an adapter. If one of them is not usable, the library has a fault, and others still run.
"""

import fnmatch
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from rankproof.reference_impl.shown import did_you_mean, first_of, shortened
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.sheets import ADAPTERS, BadSheet, Sheet, load, sheet_path
from rankproof.workers.subjects import selected

HERE, PYTHON = "{here}", "{python}"
"""Placeholders in the command of a sheet: the folder of the sheet, and the interpreter of the library's worker."""
ALSO_CALLED: Mapping[str, str] = {
    "spark": "pyspark",
    "mllib": "pyspark",
    "rankingmetrics": "pyspark",
    "microsoft-recommenders": "recommenders",
    "reco_utils": "recommenders",
    "scikit-learn": "sklearn",
    "pytrec-eval-terrier": "pytrec_eval",
    "haystack-ai": "haystack",
    "farm-haystack": "haystack",
    "llama-index-core": "llama_index",
    "replay-rec": "replay",
    "ir-evaluation-py": "ir_evaluation",
    "torch-metrics": "torchmetrics",
}
"""Other names of libraries, such as those in package registries; `-`, `_` and `.` are equal."""
_FILE_HERE = re.compile(re.escape(HERE) + "/?([^:;,]*)")  # an argument such as a class path may list several


class UnknownLibrary(Unusable):
    """Error for an unknown library or variant."""


class SameName(Unusable):
    """Error for two libraries with the same name."""


@dataclass(frozen=True, slots=True)
class Library:
    """A library with its adapter and sheet.

    Attributes:
        name: the name of the library.
        adapter: the Python adapter, or the first file in the command of the sheet.
        sheet: the claim sheet; without claims if the library has a fault.
        fault: the reason why it cannot run, with a remedy; empty if it can.
        only: globs of the variants to run; empty for all.
        must: whether it must have one of these variants, because it was selected by name and not by a glob
            (`*/default`).
    """

    name: str
    adapter: Path
    sheet: Sheet
    fault: str = ""
    only: tuple[str, ...] = ()
    must: bool = True


def libraries(folder: Path = ADAPTERS, *, draft: bool = False) -> list[Library]:
    """Return the libraries in a folder: sheets `<name>.toml`, and `<name>_adapter.py` if the sheet has no command."""
    names = {path.name.removesuffix("_adapter.py") for path in folder.glob("*_adapter.py")}
    names |= {path.stem for path in folder.glob("*.toml")}
    return [_library(name, folder, draft=draft) for name in sorted(names)]


def with_own(folder: Path | None, *, draft: bool = False) -> list[Library]:
    """Return the libraries of rankproof and those in a folder of the user.

    Raises:
        UnknownLibrary: there are no libraries in the folder.
        SameName: a library in the folder has the name of a library of rankproof.
    """
    shipped = libraries(draft=draft)
    if folder is None:
        return shipped
    own = libraries(folder, draft=draft)
    if not own:
        raise UnknownLibrary(f"{folder} has no library: write a sheet, <name>.toml, and an adapter, <name>_adapter.py")
    names = {library.name for library in shipped}
    for library in own:
        if library.name in names:
            raise SameName(f"{library.name} is already a library of rankproof: rename the library in {folder}")
    return sorted([*shipped, *own], key=lambda library: library.name)


def _library(name: str, folder: Path, *, draft: bool) -> Library:
    module, path = folder / f"{name}_adapter.py", sheet_path(name, folder)
    try:
        sheet = load(path, draft=draft)
        if sheet.library != path.stem:
            message = f"library is {sheet.library!r}, but the file is {path.name}: write {path.stem!r}"
            raise sheet.fault_at(sheet.library, message)
        return Library(name, adapter_of(sheet, module), sheet)
    except BadSheet as error:
        return Library(name, module, claiming_nothing(name, path), str(error))


def claiming_nothing(name: str, path: Path, command: tuple[str, ...] = ()) -> Sheet:
    """Return a sheet without claims, for a library whose sheet is missing or unusable."""
    return Sheet(name, name, "", "", "", "float64", {}, {}, {}, path, command=command)


def adapter_of(sheet: Sheet, module: Path) -> Path:
    """Return the path of a sheet's adapter.

    Raises:
        BadSheet: the adapter is missing, or the command is not usable.
    """
    if not sheet.command:
        if not module.is_file():
            raise BadSheet(f"{sheet.path}: {module.name} is missing: write that adapter, or a command in the sheet")
        return module
    for name in re.findall(r"\{\w*\}", " ".join(sheet.command)):
        if name not in {HERE, PYTHON}:
            raise sheet.fault_at("command", f"command: {name} is unknown: write {HERE} or {PYTHON}")
    files = files_of(sheet)
    for path in files:
        if not path.exists():
            raise sheet.fault_at("command", f"{path.name} is missing: write the file, or correct its name in the sheet")
    if not files:
        message = f"command has no file of the adapter: write {HERE}/ before its name, or list it under `files`"
        raise sheet.fault_at("command", message)
    return files[0]


def files_of(sheet: Sheet) -> tuple[Path, ...]:
    """Return the files and folders in the command and under `files` of a sheet."""
    named = [name for argument in sheet.command for name in _FILE_HERE.findall(argument)]
    return tuple(sheet.path.parent / name for name in (*named, *sheet.files))


def usable(among: Iterable[Library]) -> list[Library]:
    """Return the libraries without a fault."""
    return [library for library in among if not library.fault]


def faults(among: Iterable[Library]) -> list[str]:
    """Return a sentence for each library with a fault."""
    return [f"{library.name} is left out: {library.fault}" for library in among if library.fault]


def chosen(wanted: tuple[str, ...], among: list[Library]) -> list[Library]:
    """Return the libraries that match one of the names or globs, or all libraries if there are none.

    A glob selects libraries (`sklearn`, `*_eval`) or variants (`ir_measures/ranx`), and then only these run. The name
    of a variant is enough if only one library has it (`gdeval`). Libraries also have other names (`spark`).

    Raises:
        UnknownLibrary: a glob does not match any library.
    """
    globs = [_with_library(name, among) for name in wanted]
    if not globs:
        return among
    fitting = {
        library.name: [glob for glob in globs if fnmatch.fnmatchcase(library.name, glob.partition("/")[0])]
        for library in among
    }
    for glob in globs:
        if not any(glob in matches for matches in fitting.values()):
            raise no_such_library(glob, [library.name for library in among])
    return [_only(library, fitting[library.name]) for library in among if fitting[library.name]]


def _only(library: Library, globs: list[str]) -> Library:
    """Return a library with the variants that the globs select."""
    if not all("/" in glob for glob in globs):
        return library
    must = any(glob.partition("/")[0] == library.name for glob in globs)
    return replace(library, only=tuple(glob.partition("/")[2] for glob in globs), must=must)


def library_named(name: str, among: Iterable[Library]) -> Library:
    """Return the library with a name (`sklearn`, `scikit-learn`), or one of its variants (`ir_measures/ranx`).

    Raises:
        UnknownLibrary: the library is unknown, or has a fault.
    """
    library = chosen((name,), list(among))[0]
    if library.fault:
        raise UnknownLibrary(library.fault)
    return library


def usual_name(name: str) -> str:
    """Return rankproof's name for a library. Unknown names stay unchanged.

    >>> usual_name("spark"), usual_name("mllib/graded"), usual_name("pyspark"), usual_name("other")
    ('pyspark', 'pyspark/graded', 'pyspark', 'other')
    >>> usual_name("Scikit_Learn/rows"), usual_name("pytrec-eval"), usual_name("ir-measures"), usual_name("trec_eval-9")
    ('sklearn/rows', 'pytrec_eval', 'ir_measures', 'trec_eval-9')
    """
    library, slash, variant = name.partition("/")
    return f"{_by_distribution().get(distribution(library), library)}{slash}{variant}"


@cache
def _by_distribution() -> Mapping[str, str]:
    own = {distribution(path.stem): path.stem for path in ADAPTERS.glob("*.toml")}
    return {distribution(other): name for other, name in ALSO_CALLED.items()} | own


def distribution(name: str) -> str:
    """Normalize the name of a distribution like package registries (PEP 503).

    >>> distribution("Scikit_Learn")
    'scikit-learn'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def _with_library(name: str, among: list[Library]) -> str:
    """Return a name or glob with rankproof's name of the library, which is added to the name of a unique variant."""
    library, slash, variant = name.partition("/")
    if any(fnmatch.fnmatchcase(known.name, library) for known in among):
        return name
    for known in among:
        if distribution(known.sheet.package or known.name) == distribution(library):
            return f"{known.name}{slash}{variant}"
    usual = usual_name(name)
    having = [known.name for known in among if name in known.sheet.profiles]
    return f"{having[0]}/{name}" if usual == name and not slash and len(having) == 1 else usual


def no_such_library(name: str, known: Iterable[str]) -> UnknownLibrary:
    """Return the error for the name of an unknown library."""
    return UnknownLibrary(f"Unknown library {shortened(name)!r}; {did_you_mean(name, known)}")


def in_wanted_variants(library: Library, hello: Mapping[str, Any]) -> dict[str, Any]:
    """Return a library's description of itself with the selected variants.

    Raises:
        UnknownLibrary: the library was selected by name and has none of them.
    """
    description = selected(hello, library.only)
    is_empty = not description.get("variants") and not description.get("absent")
    if "version" in hello and library.only and library.must and is_empty:
        raise no_such_variant(library.name, library.only, [*hello["variants"], *hello.get("absent", {})])
    return description


def no_such_variant(library: str, wanted: Iterable[str], known: Iterable[str]) -> UnknownLibrary:
    """Return the error for variants that a library does not have."""
    names = first_of(f"{library}/{variant}" for variant in known)
    return UnknownLibrary(f"{library} has no variant {' or '.join(wanted)}; choose from {names}")
