"""Repros: a script that shows what a library answers to a case, and needs only the library.

It is the adapter itself, which imports nothing of ours, followed by the input and the call: the very code that made the observation.
Its head names all that must be installed for it, in the versions that the sheet speaks of.
"""

import fnmatch
import math
import pprint
from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.adapters import worker
from rankproof.asking.observations import shown
from rankproof.asking.selection import no_such_variant
from rankproof.asking.sheets import Library
from rankproof.cases import Case
from rankproof.judging.oracle import Oracle
from rankproof.judging.verdicts import reading_of
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse


class NothingToShow(ValueError):
    """The library supports none of the measures."""


def script(case: Case, library: Library, measures: Sequence[str], variants: Sequence[str] = ()) -> str:
    """The text of a script.

    Raises:
        NothingToShow: the library supports none of these measures.
        UnknownLibrary: it has none of these variants.
    """
    adapter = worker.load_adapter(str(library.adapter))
    wanted = {glob: fnmatch.filter(adapter.VARIANTS, glob) for glob in variants}
    unknown = [glob for glob, found in wanted.items() if not found]
    if unknown:
        raise no_such_variant(library.name, unknown, adapter.VARIANTS)
    calls = [
        (variant, measure, *found)
        for variant in [variant for found in wanted.values() for variant in found] or adapter.VARIANTS
        for measure in measures
        if (found := worker.match(dict(_supported(adapter, variant)), measure)) is not None
    ]
    if not calls:
        raise NothingToShow(f"{library.name} supports none of {', '.join(measures)}")
    return "\n".join(
        [*_head(case, library, measures, adapter), library.adapter.read_text(encoding="utf-8"), *_tail(case, calls)]
    )


def _supported(adapter: Any, variant: str) -> Mapping[str, Any]:  # noqa: ANN401 - a module
    supported: Mapping[str, Any] = adapter.MEASURES(variant) if callable(adapter.MEASURES) else adapter.MEASURES
    return supported


def _head(case: Case, library: Library, measures: Sequence[str], adapter: Any) -> list[str]:  # noqa: ANN401
    packages = _pinned(adapter.PACKAGES, library)
    needed = f"pip install {' '.join(packages)}" if packages else library.sheet.homepage
    alone = "# needs only the library and what it stands on:" if packages[1:] else "# needs only the library:"
    lines = [f"# {case.id}: {_comment(case.question)}", alone, f"#   {needed}"]
    for measure in measures:
        value = reading_of(Oracle(case).answers(parse(measure), STANDARD), None)
        lines.append(f"# {measure} is {'refused' if value is None else shown(value)} under the profile 'standard'")
    return lines


def _pinned(packages: Sequence[str], library: Library) -> list[str]:
    """The packages of an adapter, the library's own first, as pip takes them; one that the sheet does not speak of has no version."""
    versions = dict(library.sheet.stands_on)
    if packages:
        versions[packages[0]] = library.sheet.speaks_of
    return [f"{package}=={versions[package]}" if package in versions else package for package in packages]


def _comment(text: str) -> str:
    return " ".join(text.split())


def _tail(case: Case, calls: Sequence[tuple[str, str, Any, Mapping[str, Any]]]) -> list[str]:
    return [
        "",
        "DATA = " + _literal(case.input()),
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
