"""What the slow libraries need not be asked in every run of the tests, as the published run has asked them just so.

Most libraries take minutes of the processor to answer the corpus: they build frames for each measure, or compile. Where the published
run asked the same version, under the same minor version of Python, by the same adapter, the same of the same inputs, its answers are
put into the store of the tests, and a part of the cases is asked again. Which part is decided by the file that was published: who
changes a number in it changes what is asked. A provider that compiles itself for a minute in every new environment is not asked at all.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import parts
from here import of_this_interpreter

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.cases.json_numbers import number_as_json
from rankproof.judge import results_file
from rankproof.judge.fingerprints import observations_of
from rankproof.judge.results_file import RunResults
from rankproof.judge.runs import corpus_of
from rankproof.judge.verdicts import Row, Verdict
from rankproof.workers import store
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import adapter_of
from rankproof.workers.observations import Answered, Failure
from rankproof.workers.rounds import AskingOptions, LibraryAnswers, ask_each
from rankproof.workers.subjects import Installation

SLOW = ("ir_measures", "evaluate", "trectools", "trec_eval", "catboost", "sklearn")
"""The slowest first."""
PART = 80
"""One case in so many is asked again."""
COMPILED = {"ir_measures": (("ranx",), ("nDCG(dcg='exp-log2')",))}
"""Variants that are asked nothing, and measures that no variant is asked: numba compiles for a minute what has never run before.

To ranx the default pipeline leaves this one measure, which none of its other providers has.
"""


def compiled(library: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those variants and measures of a library."""
    return COMPILED.get(library, ((), ()))


def minor(version: str) -> str:
    """A version of Python without its last part, which counts releases that mend faults.

    >>> minor("3.11.7")
    '3.11'
    """
    return version.rpartition(".")[0]


Answers = dict[tuple[str, str], dict[str, dict[str, Any]]]
"""Case and variant -> measure -> the answer, as an adapter gives it."""


@dataclass(frozen=True)
class Published:
    """What the published run says of one library, of the present cases and by its present adapter."""

    installation: Installation
    answers: Answers
    file: str
    """A digest of the file."""

    @property
    def variants(self) -> tuple[str, ...]:
        """Those that are asked."""
        spared, _ = compiled(self.installation.library)
        return tuple(variant for variant in self.installation.variants if variant not in spared)

    def measures(self, case: Case) -> tuple[str, ...]:
        """Those of a case that are asked."""
        _, spared = compiled(self.installation.library)
        return tuple(measure for measure in case.measures if measure not in spared)

    def is_asked_again(self, case: Case) -> bool:
        """Whether a case is of the part that is asked, or has a question that has no answer to be used again."""
        return parts.is_in_part(self.file, case.id, one_in=PART) or any(
            measure not in self.answers.get((case.id, variant), {})
            for variant in self.variants
            for measure in self.measures(case)
        )

    def asked_again(self, case: Case) -> Case:
        """The case, of which only `measures` are asked."""
        measures = self.measures(case)
        return replace(case, expect={m: e for m, e in (case.expect or {}).items() if m in measures}, also_ask=measures)

    def left(self, case: Case, variant: str) -> dict[str, dict[str, Any]]:
        """The answers of a variant to what of a case was not asked again."""
        asked = self.measures(case) if variant in self.variants and self.is_asked_again(case) else ()
        return {measure: said for measure, said in self.answers[case.id, variant].items() if measure not in asked}

    def is_of(self, installation: Installation) -> bool:
        """Whether it is of this one, of which only `variants` were asked, whichever Python of one minor version runs it."""
        own = self.installation
        every = replace(installation, variants=own.variants, others=own.others, python=own.python)
        alike = minor(installation.python) == minor(own.python) and tuple(installation.variants) == self.variants
        return alike and every == own


def published(library: Library, cases: Sequence[Case], folder: Path) -> Published | None:
    """What was published of a library; None where a case had another input then, or it was asked by another adapter.

    A case that is new since, or asks another measure, makes no published answer wrong: what has none is asked.
    """
    path = results_file.file_of(folder, library.name)
    found = results_file.load(path)
    said = found.header.get("adapter"), found.header.get("corpus")
    if said != (adapter_of(library), corpus_of(_as_it_was(cases, found.header))) or len(found.asked) != 1:
        return None
    return Published(found.asked[0], answers_of(found), store.digest_of_files([path]))


def _as_it_was(cases: Iterable[Case], header: Mapping[str, Any]) -> list[Case]:
    """The cases that a run was asked, with the measures of which it was."""
    asked = header.get("questions", {})
    return [replace(case, expect={}, also_ask=tuple(asked[case.id])) for case in cases if case.id in asked]


def answers_of(results: RunResults) -> Answers:
    """The answers from which results were judged, but for what nobody promises to say again."""
    found: Answers = defaultdict(dict)
    for row in results.rows:
        if row.verdict is Verdict.UNSUPPORTED:
            found[row.case, row.variant][row.measure] = {"unsupported": row.note}
    for observed in observations_of(replace(results, rows=tuple(map(_as_judged, results.rows)))):
        for one in observed.observations:
            if (answer := _as_given(one.answer)) is not None:
                found[one.case, one.subject.variant][one.measure] = answer
    return found


def _as_judged(row: Row) -> Row:
    """The row of what is compiled, as one that says what was answered though no answer is right."""
    variants, measures = compiled(row.library)
    is_compiled = row.variant in variants or row.measure in measures
    return replace(row, verdict=Verdict.AGREES) if is_compiled and row.verdict is Verdict.UNDEFINED else row


def _as_given(answer: Answered | Failure | None) -> dict[str, Any] | None:
    if isinstance(answer, Answered):
        told = answer.per_query
        each = None if told is None else {query: number_as_json(value) for query, value in told.items()}
        return {"per_query": each, "mean": number_as_json(answer.mean)}
    if answer is None or answer.kind != "error":
        return None
    kind, _, message = answer.text.partition(": ")
    return {"error": {"type": kind, "message": message}}


def ask_ahead(among: Sequence[Library], cases: Sequence[Case], asking: AskingOptions, folder: Path) -> Iterator[str]:
    """Fill the store with what these libraries answer to these cases; says whose published answers were used.

    Args:
        among: who is asked.
        cases: what is asked.
        asking: how.
        folder: where the published run is.
    """
    known = {
        library.name: found
        for library in among
        if library.name in SLOW and (found := published(library, cases, folder)) is not None
    }
    slowest_first = sorted(among, key=lambda one: SLOW.index(one.name) if one.name in SLOW else len(SLOW))
    asked = ask_each([_to_ask(one, cases, known.get(one.name)) for one in slowest_first], asking)
    for one in asked:
        if one.library.name in known:
            yield from _filled(one, cases, known[one.library.name], asking)


def _to_ask(library: Library, cases: Sequence[Case], found: Published | None) -> tuple[Library, Sequence[Case]]:
    if found is None:
        return library, cases
    return replace(library, only=found.variants), [found.asked_again(c) for c in cases if found.is_asked_again(c)]


def _filled(asked: LibraryAnswers, cases: Sequence[Case], found: Published, asking: AskingOptions) -> Iterator[str]:
    if not found.is_of(asked.installation):
        ask_each([(replace(asked.library, only=()), cases)], asking)
        return
    kept = store.open_for(asked.library.name, asked.key, asking.say)
    again = [case for case in cases if found.is_asked_again(case)]
    for case in cases:
        for variant in found.installation.variants:
            kept.put(case.input.as_json(), variant, found.left(case, variant))
    kept.save(asking.say)
    variants, measures = compiled(asked.library.name)
    spared = [f"as {', '.join(variants)}"] * bool(variants) + [f"for {', '.join(measures)}"] * bool(measures)
    but = f" (not {' nor '.join(spared)})" if spared else ""
    yield (
        f"{asked.library.name} was asked {len(again)} of the {len(cases)} cases{but}; to the others it answered the published run, in the "
        "same version, by the same adapter (--whole asks all)"
    )


if __name__ == "__main__":
    # As a program, it fills the store, and writes into this folder what is to be said of it.
    lines = ask_ahead(of_this_interpreter(), corpus.load_all(), AskingOptions(once=True), parts.ROOT / "reports")
    Path("said").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
