"""The libraries that are known: those of rankproof, and those of a folder of the user's own; which of them are asked.

A library is its sheet and its adapter. One whose sheet or adapter cannot be used is among the others with its fault,
and stops none of them.
"""

import fnmatch
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from rankproof.reference_impl.shown import did_you_mean, shortened
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.sheets import ADAPTERS, BadSheet, Sheet, load, sheet_path

HERE, PYTHON = "{here}", "{python}"
"""In the command of a sheet: the folder of the sheet, and the interpreter of the library's worker."""
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
"""What people type for a library that has another name here, and what registries call it; `-`, `_` and `.` are one."""
_FILE_HERE = re.compile(re.escape(HERE) + "/?([^:;,]*)")  # an argument may list several, as a class path does


@dataclass(frozen=True, slots=True)
class Library:
    """A library: its adapter and its sheet.

    Attributes:
        adapter: the file that answers for it: a Python module, or the first file that the command of the sheet names.
        fault: why it cannot be asked, and the mend: a sheet that does not read, or an adapter that is missing. Its sheet then claims
            nothing.
        only: which of its variants are asked, as globs; all of them without one.
        must: whether it must have one of these; not so where a glob of libraries was wanted, as in `*/default`.
    """

    name: str
    adapter: Path
    sheet: Sheet
    fault: str = ""
    only: tuple[str, ...] = ()
    must: bool = True


def libraries(folder: Path = ADAPTERS, *, draft: bool = False) -> list[Library]:
    """Every library of a folder by name: `<name>.toml` is its sheet, and `<name>_adapter.py` its adapter unless the sheet has a command.

    One whose sheet or adapter cannot be used is among them, with its fault, so that it stops none of the others.
    """
    names = {path.name.removesuffix("_adapter.py") for path in folder.glob("*_adapter.py")}
    names |= {path.stem for path in folder.glob("*.toml")}
    return [_library(name, folder, draft=draft) for name in sorted(names)]


def with_own(folder: Path | None, *, draft: bool = False) -> list[Library]:
    """The libraries of rankproof, and those of a folder of the user's own.

    Raises:
        UnknownLibrary: the folder has none.
        SameName: it has one of the same name.
    """
    shipped = libraries(draft=True) if draft else libraries()
    if folder is None:
        return shipped
    own = libraries(folder, draft=draft)
    if not own:
        raise UnknownLibrary(
            f"{folder} has no library: a library is a sheet, <name>.toml, and an adapter, <name>_adapter.py"
        )
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
            what = f"library is {sheet.library!r}: write {path.stem!r}, as the file is called {path.name}"
            raise sheet.fault_at(sheet.library, what)
        return Library(name, adapter_of(sheet, module), sheet)
    except BadSheet as error:
        return Library(name, module, claiming_nothing(name, path), str(error))


def claiming_nothing(name: str, path: Path, command: tuple[str, ...] = ()) -> Sheet:
    """A sheet that claims nothing, in place of one that does not read, or is not there yet."""
    return Sheet(name, name, "", "", "", "float64", {}, {}, {}, path, command=command)


def adapter_of(sheet: Sheet, module: Path) -> Path:
    """The file that answers for the library.

    Raises:
        BadSheet: it is missing, or the command cannot be started with what it names.
    """
    if not sheet.command:
        if not module.is_file():
            raise BadSheet(
                f"{sheet.path}: {module.name} is not beside it: write that adapter, or name a command in the sheet"
            )
        return module
    for argument in sheet.command:
        for name in re.findall(r"\{\w*\}", argument):
            if name not in {HERE, PYTHON}:
                raise sheet.fault_at("command", f"command: {name} stands for nothing: write {HERE} or {PYTHON}")
    files = files_of(sheet)
    for path in files:
        if not path.exists():
            what = f"{path.name} is not there: write the file, or correct its name in the sheet"
            raise sheet.fault_at("command", what)
    if not files:
        what = f"command names no file of the adapter: write {HERE}/ before its name, or name its files under `files`"
        raise sheet.fault_at("command", what)
    return files[0]


def files_of(sheet: Sheet) -> tuple[Path, ...]:
    """The files, or folders of files, that the command of a sheet names, and those that the sheet names beside."""
    named = [name for argument in sheet.command for name in _FILE_HERE.findall(argument)]
    return tuple(sheet.path.parent / name for name in (*named, *sheet.files))


def usable(among: Iterable[Library]) -> list[Library]:
    """The libraries that can be asked, and whose sheets claim something."""
    return [library for library in among if not library.fault]


def faults(among: Iterable[Library]) -> list[str]:
    """A sentence for each library that cannot be asked."""
    return [f"{library.name} is left out: {library.fault}" for library in among if library.fault]


def chosen(wanted: tuple[str, ...], among: list[Library]) -> list[Library]:
    """The libraries that match one of the globs; all of them without one.

    A glob is of libraries (`sklearn`, `*_eval`), or of variants (`ir_measures/ranx`): then only these are asked. Which variants a library
    has, it says itself when it is asked. A variant that the sheet of one library alone has may be named alone (`gdeval`), and a library by
    another name that people type for it (`spark`).

    Raises:
        UnknownLibrary: a glob matches none.
    """
    wanted = tuple(_with_library(glob, among) for glob in wanted)
    if not wanted:
        return among
    fitting = [[g for g in wanted if fnmatch.fnmatchcase(library.name, g.partition("/")[0])] for library in among]
    for glob in wanted:
        if not any(glob in globs for globs in fitting):
            raise no_such_library(glob, [library.name for library in among])
    return [_only(library, globs) for library, globs in zip(among, fitting, strict=True) if globs]


def library_named(name: str, among: Iterable[Library]) -> Library:
    """The one library of this name, or whose distribution has it in the package registry (`sklearn`, `scikit-learn`); with `/` one variant.

    Raises:
        UnknownLibrary: there is none, or its sheet or adapter cannot be used.
    """
    libraries = list(among)
    (library,) = chosen((name,), libraries)[:1]
    if library.fault:
        raise UnknownLibrary(library.fault)
    return library


def usual_name(name: str) -> str:
    """The name of a library here, of the same with another name that people type; any other name is as it is.

    >>> usual_name("spark"), usual_name("mllib/graded"), usual_name("pyspark"), usual_name("other")
    ('pyspark', 'pyspark/graded', 'pyspark', 'other')
    >>> usual_name("Scikit_Learn/rows"), usual_name("pytrec-eval"), usual_name("ir-measures"), usual_name("trec_eval-9")
    ('sklearn/rows', 'pytrec_eval', 'ir_measures', 'trec_eval-9')
    """
    library, slash, variant = name.partition("/")
    return f"{_by_distribution().get(distribution(library), library)}{slash}{variant}"


@cache
def _by_distribution() -> Mapping[str, str]:
    """Every library of rankproof by its name, and by its other names, as the registry compares them."""
    own = {distribution(path.stem): path.stem for path in ADAPTERS.glob("*.toml")}
    return {distribution(other): name for other, name in ALSO_CALLED.items()} | own


def distribution(name: str) -> str:
    """The name of a distribution as the registry compares it (PEP 503).

    >>> distribution("Scikit_Learn")
    'scikit-learn'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def _with_library(name: str, among: list[Library]) -> str:
    """The usual name of what is called otherwise; a variant that one library alone has, and that names no library, with that library."""
    wanted, slash, variant = name.partition("/")
    if any(fnmatch.fnmatchcase(library.name, wanted) for library in among):
        return name
    by_package = {distribution(library.sheet.package or library.name): library.name for library in among}
    known = by_package.get(distribution(wanted))
    usual = usual_name(name) if known is None else f"{known}{slash}{variant}"
    if usual != name or slash:
        return usual
    having = [library.name for library in among if name in library.sheet.profiles]
    return f"{having[0]}/{name}" if len(having) == 1 else name


def _only(library: Library, globs: list[str]) -> Library:
    """The library, asked in these of its variants alone, unless one of the globs means all of it."""
    if not all("/" in glob for glob in globs):
        return library
    named = any(glob.partition("/")[0] == library.name for glob in globs)
    return replace(library, only=tuple(glob.partition("/")[2] for glob in globs), must=named)


class UnknownLibrary(Unusable):
    """No adapter has that name."""


def no_such_library(name: str, known: Iterable[str]) -> UnknownLibrary:
    """That nobody has that name, and who has one that is near."""
    return UnknownLibrary(f"{shortened(name)} is no library; {did_you_mean(name, known)}")


class SameName(Unusable):
    """Two libraries have one name."""
