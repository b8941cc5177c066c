"""Repros: a script that shows what a library answers to a case, and needs only the library.

It is the adapter itself, which imports nothing of ours, followed by the input and the call: the very code that made the observation.
Its head names all that must be installed for it, in the versions that the sheet speaks of.
"""

import ast
import fnmatch
import math
import pprint
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rankproof.adapters import worker
from rankproof.cases import Case
from rankproof.inference.recalled import recalled
from rankproof.inference.reference_answers import reading_of
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers import store
from rankproof.workers.known_libraries import Library, no_such_variant
from rankproof.workers.library_worker import Worker, WorkerFailed
from rankproof.workers.observations import shown


class NothingToShow(Unusable):
    """The library supports none of the measures."""


def script(case: Case, library: Library, measures: Sequence[str], variants: Sequence[str] = ()) -> str:
    """The text of a script.

    Raises:
        NothingToShow: the library supports none of these measures.
        UnknownLibrary: it has none of these variants.
    """
    packages, tables = _described(library)
    wanted = {glob: fnmatch.filter(tables, glob) for glob in variants}
    if unknown := [glob for glob, found in wanted.items() if not found]:
        raise no_such_variant(library.name, unknown, tables)
    calls = [
        (variant, measure, *found)
        for variant in [variant for found in wanted.values() for variant in found] or tables
        for measure in measures
        if (found := worker.match(dict(tables[variant]), measure)) is not None
    ]
    if not calls:
        raise NothingToShow(f"{library.name} supports none of {', '.join(measures)}")
    return "\n".join(
        [*_head(case, library, measures, packages), library.adapter.read_text(encoding="utf-8"), *_tail(case, calls)]
    )


def _described(library: Library) -> tuple[Sequence[str], Mapping[str, Mapping[str, Any]]]:
    """The packages of an adapter, and for each of its variants the calls: as the adapter says in its own process.

    Raises:
        NothingToShow: it cannot be asked, or is not in Python.
    """
    if library.fault:
        raise NothingToShow(library.fault)
    if library.sheet.command:
        raise NothingToShow(f"{library.name} has an adapter that is not in Python, and a repro is a script in Python")
    return _of_adapter(library.adapter, store.digest_of_files([library.adapter]))


@cache
def _of_adapter(adapter: Path, _digest: str) -> tuple[Sequence[str], Mapping[str, Mapping[str, Any]]]:
    with Worker(adapter) as asked:
        try:
            said = asked.calls()
        except WorkerFailed as failure:
            raise NothingToShow(f"{adapter.name} cannot be asked: {failure.whole()}") from failure
    return said["packages"], {variant: ast.literal_eval(text) for variant, text in said["calls"].items()}


def _head(case: Case, library: Library, measures: Sequence[str], required: Sequence[str]) -> list[str]:
    packages = _pinned(required, library)
    needed = f"pip install {' '.join(packages)}" if packages else library.sheet.homepage
    alone = "# needs only the library and what it stands on:" if packages[1:] else "# needs only the library:"
    head = [f"# {case.id}: {' '.join(case.question.split())}", alone, f"#   {needed}"]
    return head + [f"# {measure} is {_by_standard(case, measure)} under the profile 'standard'" for measure in measures]


def _by_standard(case: Case, measure: str) -> str:
    value = reading_of(recalled(case.input).answers(parse(measure), STANDARD), None)
    return "refused" if value is None else shown(value)


def _pinned(packages: Sequence[str], library: Library) -> list[str]:
    """The packages of an adapter, the library's own first, as pip takes them; one that the sheet does not speak of has no version."""
    versions = dict(library.sheet.stands_on)
    if packages:
        versions[packages[0]] = library.sheet.speaks_of
    return [f"{package}=={versions[package]}" if package in versions else package for package in packages]


def _tail(case: Case, calls: Sequence[tuple[str, str, Any, Mapping[str, Any]]]) -> list[str]:
    return [
        "",
        "DATA = " + _literal(case.input.as_json()),
        "",
        'if __name__ == "__main__":',
        "    import copy",
        "",
        "    for name, note in (load() or {}).items():",
        '        if name not in ("version", "absent"):',
        "            print(note)",
        "    for variant, measure, call, values in " + pprint.pformat(calls, width=110, sort_dicts=False) + ":",
        "        try:",
        "            answer = observe(variant, copy.deepcopy(DATA), call, dict(values, measure=measure))",
        "        except Exception as error:",
        '            answer = "{}: {}".format(type(error).__name__, error)',
        "        print(variant, measure, answer)",
        "",
    ]


def _literal(data: Mapping[str, Any]) -> str:
    decoded = worker.decoded(dict(data))
    text = pprint.pformat(decoded, width=110, compact=True, sort_dicts=False)
    if all(math.isfinite(row[2]) for row in decoded.get("run", [])):
        return text
    # Python has no literals of NaN and the infinities: their names are bound around the data.
    return f'(lambda nan, inf: {text})(float("nan"), float("inf"))'
