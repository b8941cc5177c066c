"""Arguments that are paths: what stands in the files, and where they are while somebody holds their path."""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

HELD_IN_FILES, TABS, NUMBERS, PATHS = "files", "tabs", "numbers", "paths"
"""A container may be a file and say more of it, as `files-tabs`: tabs stand between columns, ids are numbers, its path is a `Path`."""
NAME_OF = {"qrels_file": "qrels.txt", "run_file": "run.txt", "ranked_file": "run.txt"}
"""The roles that are files, and how each is called."""
_COLUMNS: Mapping[str, Callable[..., tuple[Any, ...]]] = {
    "qrels_file": lambda query, doc, rel: (query, 0, doc, rel),
    "run_file": lambda query, doc, score, rank: (query, "Q0", doc, rank, score, "run"),
    "ranked_file": lambda query, doc, _score, rank: (query, doc, rank),
}
"""The columns of their lines."""


def says(container: str, what: str) -> bool:
    """Whether a container says that of a file, or that it is one.

    >>> says("files-tabs", HELD_IN_FILES), says("files-tabs", NUMBERS), says("list", HELD_IN_FILES)
    (True, False, False)
    """
    kind, *more = container.split("-")
    return kind == HELD_IN_FILES and what in {kind, *more}


def can_stand_in_a_file(one: Any) -> bool:  # noqa: ANN401 - an id
    """Whether an id can be written in a column, and read back.

    >>> can_stand_in_a_file("d1"), can_stand_in_a_file(7), can_stand_in_a_file("d 1"), can_stand_in_a_file("")
    (True, True, False, False)
    """
    text = str(one)
    return text.split() == [text] and text.isprintable()


def text_of(container: str, role: str, rows: Sequence[tuple[Any, ...]]) -> str:
    r"""What stands in the file of a role.

    >>> text_of("files", "qrels_file", [("q1", "a", 2), ("q1", "b", 0)])
    'q1 0 a 2\nq1 0 b 0\n'
    >>> text_of("files-tabs", "ranked_file", [("q1", "a", 1.0, 1), ("q1", "b", 0.5, 2)])
    'q1\ta\t1\nq1\tb\t2\n'
    """
    between = "\t" if says(container, TABS) else " "
    return "".join(f"{between.join(map(str, _COLUMNS[role](*row)))}\n" for row in rows)


class _Text(str):
    """A path that is a text."""

    __slots__ = ("__weakref__",)


class _Path(type(Path())):  # type: ignore[misc]  # its class depends on the system
    """A path as pathlib has it."""


def put(container: str, role: str, text: str) -> str | Path:
    """The path of a file of that text, which is there as long as somebody holds this path."""
    folder = tempfile.mkdtemp(prefix="rankproof-")
    file = Path(folder, NAME_OF[role])
    file.write_text(text, encoding="utf-8")
    held = _Path(file) if says(container, PATHS) else _Text(file)
    weakref.finalize(held, shutil.rmtree, folder, ignore_errors=True)
    return held


def written(container: str, role: str) -> str:
    """A path as a call shows it."""
    return f"pathlib.Path({NAME_OF[role]!r})" if says(container, PATHS) else repr(NAME_OF[role])


def lines(container: str, rows: Mapping[str, Sequence[tuple[Any, ...]]]) -> Iterator[str]:
    """The lines of Python that write the files of these roles into a folder of their own, where they overwrite nobody's."""
    yield "folder = pathlib.Path(tempfile.mkdtemp())"
    for role, each in rows.items():
        file = f"(folder / {NAME_OF[role]!r})"
        yield f"{file}.write_text({text_of(container, role, each)!a}, encoding='utf-8')"
        yield f"{role} = {file[1:-1] if says(container, PATHS) else f'str{file}'}"
