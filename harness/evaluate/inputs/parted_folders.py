"""Folders that are one table in parts, as Spark, Dask and others write it: `run.parquet/`, with part files and `_SUCCESS`."""

import re
from pathlib import Path

from rankproof.evaluate.inputs.rows import BadInput

ENDING = ".parquet"
WHOLE = "_SUCCESS"
"""The file that says that all parts were written."""
_PART = re.compile(r"part[-.]\d+.*")


def is_parted(path: str) -> bool:
    """Whether a path is a folder of the parts of one table: by its name, by the mark that it is whole, or as all its files are parts."""
    folder = Path(path)
    if not folder.is_dir():
        return False
    names = [one.name for one in _shown(folder)]
    return (
        folder.name.lower().endswith(ENDING)
        or (folder / WHOLE).exists()
        or (len(names) > 0 and all(map(_PART.fullmatch, names)))
    )


def parts_of(path: str) -> tuple[str, ...]:
    """The files of such a folder, in the order of their names; of anything else, the path itself.

    Raises:
        BadInput: there is none, or they are no Parquet files, which alone are read in parts.
    """
    if not is_parted(path):
        return (path,)
    parts = _shown(Path(path))
    mend = "write it as one file"
    if not parts:
        raise BadInput(path, f"there is no part of a table in this folder; {mend}")
    for part in parts:
        if part.is_dir():
            raise BadInput(path, f"a table parted by folders, as {part.name}, is not read; {mend}")
        if not part.name.lower().endswith(ENDING):
            raise BadInput(path, f"a table in parts, as {part.name}; only Parquet is read so: {mend}, or as Parquet")
    return tuple(map(str, parts))


def size_of(path: str) -> int:
    """The bytes of a file, or of all parts of a folder; 0 of anything else."""
    if is_parted(path):
        return sum(part.stat().st_size for part in _shown(Path(path)))
    file = Path(path)
    return file.stat().st_size if file.is_file() else 0


def is_table(path: str) -> bool:
    """Whether a path is read as Parquet: it ends so, or is a folder of parts."""
    return path.lower().endswith(ENDING) or is_parted(path)


def _shown(folder: Path) -> list[Path]:
    """What is no mark and no checksum, which begin with a dot or an underscore."""
    return sorted(one for one in folder.iterdir() if not one.name.startswith((".", "_")))
