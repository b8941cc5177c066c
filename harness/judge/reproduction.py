"""Scripts that reproduce the values of a library on a case, with the library alone.

A script contains the adapter, which does not import rankproof, then the input and the calls. Its first lines list the
packages to install, in the versions of the claim sheet.
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
from rankproof.bounded import text_of
from rankproof.cases import Case
from rankproof.inference.recalled import recalled
from rankproof.inference.reference_answers import reading_of
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers import store
from rankproof.workers.known_libraries import Library, no_such_variant
from rankproof.workers.library_worker import Worker
from rankproof.workers.observations import reading_text
from rankproof.workers.process import WorkerFailed

TAIL = """
DATA = {data}

if __name__ == "__main__":
    import copy

    for name, note in (load() or {{}}).items():
        if name not in ("version", "absent"):
            print(note)
    for variant, measure, call, values in {calls}:
        try:
            answer = observe(variant, copy.deepcopy(DATA), call, dict(values, measure=measure))
        except Exception as error:
            answer = "{{}}: {{}}".format(type(error).__name__, error)
        print(variant, measure, answer)
"""


class NothingToShow(Unusable):
    """Error for a library without a reproduction, for example because it supports none of the measures."""


def script(case: Case, library: Library, measures: Sequence[str], variants: Sequence[str] = ()) -> str:
    """Return a script that prints the values of a library on a case.

    Raises:
        NothingToShow: the library supports none of these measures, or its adapter is not in Python or cannot run.
        UnknownLibrary: the library does not have one of these variants.
    """
    if library.fault:
        raise NothingToShow(library.fault)
    if library.sheet.command:
        raise NothingToShow(f"the adapter of {library.name} is not in Python, so there is no script to reproduce it")
    packages, tables = _of_adapter(library.adapter, store.digest_of_files([library.adapter]))
    wanted = {glob: fnmatch.filter(tables, glob) for glob in variants}
    if unknown := [glob for glob, names in wanted.items() if not names]:
        raise no_such_variant(library.name, unknown, tables)
    calls = [
        (variant, measure, *match)
        for variant in [name for names in wanted.values() for name in names] or tables
        for measure in measures
        if (match := worker.match(dict(tables[variant]), measure)) is not None
    ]
    if not calls:
        raise NothingToShow(f"{library.name} supports none of {', '.join(measures)}")
    tail = TAIL.format(data=_literal(case.input.as_json()), calls=pprint.pformat(calls, width=110, sort_dicts=False))
    return "\n".join([*_head(case, library, measures, packages), text_of(library.adapter), tail])


@cache
def _of_adapter(adapter: Path, _digest: str) -> tuple[Sequence[str], Mapping[str, Mapping[str, Any]]]:
    """Return the packages of an adapter and the calls of each variant, by running it in a separate process."""
    with Worker(adapter) as process:
        try:
            reply = process.calls()
        except WorkerFailed as failure:
            raise NothingToShow(f"{adapter.name} cannot run: {failure.whole()}") from failure
    return reply["packages"], {variant: ast.literal_eval(text) for variant, text in reply["calls"].items()}


def _head(case: Case, library: Library, measures: Sequence[str], packages: Sequence[str]) -> list[str]:
    versions = dict(library.sheet.stands_on) | dict.fromkeys(packages[:1], library.sheet.speaks_of)
    pinned = [f"{package}=={versions[package]}" if package in versions else package for package in packages]
    needed = f"pip install {' '.join(pinned)}" if pinned else library.sheet.homepage
    values = {measure: reading_of(recalled(case.input).answers(parse(measure), STANDARD), None) for measure in measures}
    return [
        f"# {case.id}: {' '.join(case.question.split())}",
        f"# needs only the library{' and the packages that it uses' if packages[1:] else ''}:",
        f"#   {needed}",
        *(
            f"# {measure} is {'refused' if value is None else reading_text(value)} under the profile 'standard'"
            for measure, value in values.items()
        ),
    ]


def _literal(data: Mapping[str, Any]) -> str:
    decoded = worker.decoded(dict(data))
    text = pprint.pformat(decoded, width=110, compact=True, sort_dicts=False)
    if all(math.isfinite(row[2]) for row in decoded.get("run", [])):
        return text
    # Python has no literals for NaN and infinity, so a function around the data defines their names.
    return f'(lambda nan, inf: {text})(float("nan"), float("inf"))'
