"""Selection: which cases are asked, and which of their measures."""

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rankproof.cases import Case
from rankproof.reference_impl.notation import parse


class NothingSelected(ValueError):
    """Globs that match nothing."""


def select(cases: Iterable[Case], globs: Sequence[str], measures: Sequence[str]) -> list[Case]:
    """The cases whose ids match one of the globs, asked only the measures that match (`nDCG`, `nDCG@10`, `nDCG*`).

    Raises:
        NothingSelected: nothing is left to ask.
    """
    chosen = [case for case in cases if not globs or any(fnmatch.fnmatch(case.id, glob) for glob in globs)]
    if measures:
        wanted = {
            case.id: tuple(m for m in case.measures if any(_matches(m, glob) for glob in measures)) for case in chosen
        }
        chosen = [
            replace(
                case,
                expect={m: e for m, e in (case.expect or {}).items() if m in wanted[case.id]},
                also_ask=wanted[case.id],
            )
            for case in chosen
            if wanted[case.id]
        ]
    if not chosen:
        asked = " ".join([*globs, *measures])
        raise NothingSelected(f"no case matches {asked}; `rankproof cases list` shows them")
    return chosen


def _matches(measure: str, glob: str) -> bool:
    return measure == glob or parse(measure).name == glob or fnmatch.fnmatchcase(measure, glob)
