"""Which questions would decide what the published fingerprints leave open? The cases under `cases/axes` may be asked of any form.

    python benchmarks/basis.py [REPORTS] [--write] [--times N]

A form is asked what some case asks of it; where that leaves several values of an axis, it is looked for a case on which the reference
answers otherwise under each of them, and that can be given to the library: catboost can be told no group without a doc. `--write` puts the
form among the measures of the simplest one. Then the libraries are to be asked and the fingerprints to be inferred again
(`rankproof run --publish reports`), until nothing is found any more; where much is open, `--times 3` puts three deciding questions at once,
which takes fewer rounds and asks more than is needed.
"""

import argparse
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.inference import form_groups
from rankproof.inference.equivalent_choices import settled
from rankproof.inference.evidence import Expected, Questions, ReferenceQuestion
from rankproof.inference.fingerprint_file import Fingerprint, read
from rankproof.inference.search import plain
from rankproof.judge import results_file
from rankproof.judge.verdicts import Row, Verdict
from rankproof.measure_forms import cut_at, key_of
from rankproof.reference_impl.notation import Measure, parse
from rankproof.workers.observations import ABSENT
from rankproof.workers.same_answers import same

ROOT = Path(__file__).resolve().parent.parent
TOPIC = "axes/"
CUTOFFS = (2, 1, 3, 5)
"""At which a form with a cutoff is asked: the cases have few docs."""
SHOWN = "6 decimals"
"""Answers that differ less are not told apart by all libraries."""


@dataclass(frozen=True)
class Doubt:
    """Two profiles, one of which a form of a measure follows in a library."""

    axis: str
    profile: Mapping[str, str]
    other: Mapping[str, str]
    subject: str

    def is_decided_by(self, question: ReferenceQuestion) -> bool:
        """Whether the answer is another one under each of them."""
        if self.axis not in question.axes:
            return False
        return _differ(question.expected(self.profile), question.expected(self.other))


@dataclass
class Corpus:
    """The cases, and which forms they ask.

    Attributes:
        ungiven: by subject, the cases that it cannot be given.
        exceptions: by subject, the cases and measures of its known exceptions: another form, or the same case with rels of 3 in place of
            1 (`axes/threes-…`), would be one, too.
    """

    cases: Mapping[str, Case]
    ungiven: Mapping[str, frozenset[str]]
    exceptions: Mapping[str, frozenset[tuple[str, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Look what is asked."""
        self.questions = Questions(self.cases)
        self.forms: dict[str, Measure] = {}
        for case in self.cases.values():
            self.forms |= {key_of(measure): measure for measure in map(parse, case.measures) if not measure.of_labels}
        pool = [case for case in self.cases.values() if case.id.startswith(TOPIC)]
        self.pool = sorted(pool, key=lambda case: (len(case.queries), case.input.size, case.id))

    def deciding(self, form: str, doubts: Sequence[Doubt], times: int = 1) -> Iterator[tuple[str, str]]:
        """As few questions of a form as decide all doubts that can be decided, so many times: the case and the measure of each."""
        measures = [self.forms[form]] if self.forms[form].k is None else [cut_at(self.forms[form], k) for k in CUTOFFS]
        questions = [
            self.questions.of(case.id, str(one))
            for case in self.pool
            for one in measures
            if str(one) not in case.measures
        ]
        decides = {
            (one.case.id, str(one.measure)): {
                i
                for i, doubt in enumerate(doubts)
                if one.case.id not in self.ungiven[doubt.subject]
                and _place(one.case.id, one.measure) not in self.exceptions.get(doubt.subject, ())
                and doubt.is_decided_by(one)
            }
            for one in questions
        }
        for _ in range(times):
            left = set().union(*decides.values())
            while left:  # the most at once; among equals the simplest case, which stands first
                best = max(decides, key=lambda asked: len(decides[asked] & left))
                left -= decides.pop(best)
                yield best


def _differ(a: Expected, b: Expected) -> bool:
    if not isinstance(a, dict) or not isinstance(b, dict):
        return type(a) is not type(b)
    return a.keys() != b.keys() or any(not same(value, b.get(query, ABSENT), SHOWN) for query, value in a.items())


def gaps(known: Corpus, found: Iterable[Fingerprint], times: int = 1) -> Iterator[tuple[str, str]]:
    """The cases that would decide something, and the measures that they are to be asked."""
    doubts: dict[str, dict[Doubt, None]] = defaultdict(dict)
    for one in found:
        for axis, finding in one.axes.items() if one.key in known.forms else ():
            can_be_given = finding.why != form_groups.untold(axis).why
            for value in finding.open if finding.value is None and can_be_given else ():
                if value not in {getattr(one.profile, axis), "unspecified", *finding.same}:
                    profile = plain(one.profile)
                    other = settled(known.forms[one.key], {**profile, axis: value})
                    doubts[one.key].setdefault(Doubt(axis, _Choices(profile), _Choices(other), one.subject.signed))
    for form, of_form in doubts.items():
        yield from known.deciding(form, list(of_form), times)


def cannot_be_given(rows: Iterable[Row]) -> dict[str, frozenset[str]]:
    """By subject, the cases of which it answers nothing, not even what it answers elsewhere."""
    answered: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    asked: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        side = asked if row.verdict == Verdict.UNSUPPORTED else answered
        side[row.subject.signed][row.case].add(row.measure)
    return defaultdict(
        frozenset,
        {
            subject: frozenset(
                case
                for case, measures in cases.items()
                if case not in answered[subject] and not measures.isdisjoint(set().union(*answered[subject].values()))
            )
            for subject, cases in asked.items()
        },
    )


def exceptions_of(rows: Iterable[Row]) -> dict[str, frozenset[tuple[str, str]]]:
    """By subject, the case and the measure of each known exception."""
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in rows:
        if row.verdict == Verdict.KNOWN:
            found[row.subject.signed].add(_place(row.case, parse(row.measure)))
    return {subject: frozenset(places) for subject, places in found.items()}


def _place(case: str, measure: Measure) -> tuple[str, str]:
    return case.replace("/threes-", "/"), measure.name


class _Choices(dict[str, str]):
    """A profile that can be looked up by."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))


def with_measures(text: str, more: Iterable[str]) -> str:
    """A case file that asks these measures, too."""
    have = re.search(r"^measures = \[.*?\]\n", text, re.MULTILINE | re.DOTALL)
    listed = re.findall(r'"(?:[^"\\]|\\.)*"', have[0]) if have else []
    words = " ".join(f"{one}," for one in dict.fromkeys([*listed, *(f'"{measure}"' for measure in sorted(more))]))
    lines = textwrap.fill(
        words, 130, initial_indent="    ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    block = f"measures = [\n{lines}\n]\n"
    if have:
        return text.replace(have[0], block)
    return re.sub(r"\n+\[expect", lambda _: f"\n{block}\n[expect", text, count=1)


def main() -> None:
    """Say what would be asked, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="?", type=Path, default=ROOT / "reports")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--times", type=int, default=1)
    options = parser.parse_args()
    rows = results_file.load(options.reports).rows
    known = Corpus({case.id: case for case in corpus.load_all()}, cannot_be_given(rows), exceptions_of(rows))
    wanted: dict[str, set[str]] = defaultdict(set)
    for case, measure in gaps(known, read(options.reports / "fingerprint.json"), options.times):
        wanted[case].add(measure)
    for case, measures in sorted(wanted.items()):
        print(f"{case}: {len(measures)} more")
        if options.write:
            path = ROOT / "cases" / f"{case}.toml"
            path.write_text(with_measures(path.read_text(encoding="utf-8"), measures), encoding="utf-8")
    print(f"{sum(map(len, wanted.values()))} questions would decide something")


if __name__ == "__main__":
    main()
