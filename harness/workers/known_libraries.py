"""Known libraries: those of rankproof and those of a folder of the user's, and their selection by name.

A library is a sheet and an adapter. If one of the two cannot be used, the library is listed with its fault and stops no other library.
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
_FILE_HERE = re.compile(re.escape(HERE) + "/?([^:;,]*)")  # an argument may list several, as a class path does


class UnknownLibrary(Unusable):
    """A name that no library has."""


class SameName(Unusable):
    """Two libraries with the same name."""


@dataclass(frozen=True, slots=True)
class Library:
    """A library: its adapter and its sheet.

    Attributes:
        adapter: the Python adapter, or the first file that the command of the sheet names.
        fault: why it cannot be run, and the remedy; its sheet then claims nothing.
        only: globs of the variants to run; empty for all.
        must: whether it must have one of these variants; not if it was selected by a glob, as in `*/default`.
    """

    name: str
    adapter: Path
    sheet: Sheet
    fault: str = ""
    only: tuple[str, ...] = ()
    must: bool = True


def libraries(folder: Path = ADAPTERS, *, draft: bool = False) -> list[Library]:
    """Return every library of a folder: the sheet `<name>.toml`, and `<name>_adapter.py` unless the sheet has a command."""
    names = {path.name.removesuffix("_adapter.py") for path in folder.glob("*_adapter.py")}
    names |= {path.stem for path in folder.glob("*.toml")}
    return [_library(name, folder, draft=draft) for name in sorted(names)]


def with_own(folder: Path | None, *, draft: bool = False) -> list[Library]:
    """Return the libraries of rankproof and those of a folder of the user's.

    Raises:
        UnknownLibrary: the folder has no library.
        SameName: it has a library with the name of one of rankproof's.
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
            raise SameName(f"{library.name} is a library of rankproof: give the one in {folder} another name")
    return sorted([*shipped, *own], key=lambda library: library.name)


def _library(name: str, folder: Path, *, draft: bool) -> Library:
    module, path = folder / f"{name}_adapter.py", sheet_path(name, folder)
    try:
        sheet = load(path, draft=draft)
        if sheet.library != path.stem:
            message = f"library is {sheet.library!r}: write {path.stem!r}, as the file is called {path.name}"
            raise sheet.fault_at(sheet.library, message)
        return Library(name, adapter_of(sheet, module), sheet)
    except BadSheet as error:
        return Library(name, module, claiming_nothing(name, path), str(error))


def claiming_nothing(name: str, path: Path, command: tuple[str, ...] = ()) -> Sheet:
    """Return a sheet without claims, for a library whose sheet is missing or unusable."""
    return Sheet(name, name, "", "", "", "float64", {}, {}, {}, path, command=command)


def adapter_of(sheet: Sheet, module: Path) -> Path:
    """Return the adapter of a sheet.

    Raises:
        BadSheet: it is missing, or the command is unusable.
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
        message = f"command names no file of the adapter: write {HERE}/ before its name, or list it under `files`"
        raise sheet.fault_at("command", message)
    return files[0]


def files_of(sheet: Sheet) -> tuple[Path, ...]:
    """Return the files and folders that the command and `files` of a sheet name."""
    named = [name for argument in sheet.command for name in _FILE_HERE.findall(argument)]
    return tuple(sheet.path.parent / name for name in (*named, *sheet.files))


def usable(among: Iterable[Library]) -> list[Library]:
    """Return the libraries without a fault."""
    return [library for library in among if not library.fault]


def faults(among: Iterable[Library]) -> list[str]:
    """Return a sentence for each library with a fault."""
    return [f"{library.name} is left out: {library.fault}" for library in among if library.fault]


def chosen(wanted: tuple[str, ...], among: list[Library]) -> list[Library]:
    """Return the libraries that match one of the names or globs; all of them without any.

    A glob is of libraries (`sklearn`, `*_eval`) or of variants (`ir_measures/ranx`): then only these are run. A variant that only one
    library has may be named alone (`gdeval`), and a library by another of its names (`spark`).

    Raises:
        UnknownLibrary: a glob matches none.
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
    """Return the library of a name (`sklearn`, `scikit-learn`), or one of its variants (`ir_measures/ranx`).

    Raises:
        UnknownLibrary: there is none, or it has a fault.
    """
    library = chosen((name,), list(among))[0]
    if library.fault:
        raise UnknownLibrary(library.fault)
    return library


def usual_name(name: str) -> str:
    """Return the name that rankproof has for a library; an unknown name is returned unchanged.

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
    """Return the name of a distribution as package registries compare it (PEP 503).

    >>> distribution("Scikit_Learn")
    'scikit-learn'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def _with_library(name: str, among: list[Library]) -> str:
    """Return a name or glob with the usual name of its library, also for a variant that only one library has."""
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
    """Return the error for a name that no library has."""
    return UnknownLibrary(f"{shortened(name)} is no library; {did_you_mean(name, known)}")


def in_wanted_variants(library: Library, hello: Mapping[str, Any]) -> dict[str, Any]:
    """Return a library's description of itself with the selected variants.

    Raises:
        UnknownLibrary: the library was named, and has none of them.
    """
    description = selected(hello, library.only)
    is_empty = not description.get("variants") and not description.get("absent")
    if "version" in hello and library.only and library.must and is_empty:
        raise no_such_variant(library.name, library.only, [*hello["variants"], *hello.get("absent", {})])
    return description


def no_such_variant(library: str, wanted: Iterable[str], known: Iterable[str]) -> UnknownLibrary:
    """Return the error for variants that a library does not have."""
    names = first_of(f"{library}/{variant}" for variant in known)
    return UnknownLibrary(f"{library} has no variant {' or '.join(wanted)}; known are {names}")
