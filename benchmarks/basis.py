"""Find cases under `cases/axes` that would decide conventions which the published fingerprints leave open.

    python benchmarks/basis.py [REPORTS] [--write] [--times N]

If the values of a library fit several conventions of an axis, this script looks for a case that distinguishes them:
the reference values must differ, and the library must accept the input. With `--write`, the measure is added to the
simplest such case. Then run the libraries again (`rankproof run --publish reports`), until the script finds nothing.
`--times 3` adds three deciding cases at once, which takes fewer rounds and adds more than necessary.
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
from rankproof.inference.equivalent_choices import canonical_profile
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
"""Cutoffs to try; the cases have few documents."""
PRECISION = "6 decimals"
"""Smallest difference that counts, because some libraries print few digits."""


@dataclass(frozen=True)
class Doubt:
    """Two profiles that both fit the values of a library for a form."""

    axis: str
    profile: Mapping[str, str]
    other: Mapping[str, str]
    subject: str

    def is_decided_by(self, question: ReferenceQuestion) -> bool:
        """Return whether the reference values differ under the profiles."""
        if self.axis not in question.axes:
            return False
        return _differ(question.expected(self.profile), question.expected(self.other))


@dataclass
class Corpus:
    """Cases and the forms of their measures.

    Attributes:
        ungiven: by subject, cases whose input it does not accept.
        exceptions: by subject, cases and measures of its known exceptions. Other forms, and the same case with grades of 3
            instead of 1 (`axes/threes-…`), would be exceptions as well.
    """

    cases: Mapping[str, Case]
    ungiven: Mapping[str, frozenset[str]]
    exceptions: Mapping[str, frozenset[tuple[str, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Collect the forms of all cases."""
        self.questions = Questions(self.cases)
        self.forms: dict[str, Measure] = {}
        for case in self.cases.values():
            self.forms |= {key_of(measure): measure for measure in map(parse, case.measures) if not measure.of_labels}
        pool = [case for case in self.cases.values() if case.id.startswith(TOPIC)]
        self.pool = sorted(pool, key=lambda case: (len(case.queries), case.input.size, case.id))

    def deciding(self, form: str, doubts: Sequence[Doubt], times: int = 1) -> Iterator[tuple[str, str]]:
        """Yield case and measure of few questions that together decide all doubts, repeated `times` times."""
        measures = [self.forms[form]] if self.forms[form].k is None else [cut_at(self.forms[form], k) for k in CUTOFFS]
        questions = [
            self.questions.of(case.id, str(question))
            for case in self.pool
            for question in measures
            if str(question) not in case.measures
        ]
        decides = {
            (question.case.id, str(question.measure)): {
                i
                for i, doubt in enumerate(doubts)
                if question.case.id not in self.ungiven[doubt.subject]
                and _place(question.case.id, question.measure) not in self.exceptions.get(doubt.subject, ())
                and doubt.is_decided_by(question)
            }
            for question in questions
        }
        for _ in range(times):
            left = set().union(*decides.values())
            while left:  # prefer questions that decide most, then simple cases, which come first
                best = max(decides, key=lambda place: len(decides[place] & left))
                left -= decides.pop(best)
                yield best


def _differ(a: Expected, b: Expected) -> bool:
    if not isinstance(a, dict) or not isinstance(b, dict):
        return type(a) is not type(b)
    return a.keys() != b.keys() or any(not same(value, b.get(query, ABSENT), PRECISION) for query, value in a.items())


def gaps(known: Corpus, fingerprints: Iterable[Fingerprint], times: int = 1) -> Iterator[tuple[str, str]]:
    """Yield cases that would decide an open convention, with the measures to add."""
    doubts: dict[str, dict[Doubt, None]] = defaultdict(dict)
    for fingerprint in fingerprints:
        for axis, finding in fingerprint.axes.items() if fingerprint.key in known.forms else ():
            can_be_given = finding.why != form_groups.finding_out_of_reach(axis).why
            for value in finding.open if finding.value is None and can_be_given else ():
                if value not in {getattr(fingerprint.profile, axis), "unspecified", *finding.same}:
                    profile = plain(fingerprint.profile)
                    other = canonical_profile(known.forms[fingerprint.key], {**profile, axis: value})
                    doubts[fingerprint.key].setdefault(
                        Doubt(axis, _Choices(profile), _Choices(other), fingerprint.subject.signed)
                    )
    for form, of_form in doubts.items():
        yield from known.deciding(form, list(of_form), times)


def cannot_be_given(rows: Iterable[Row]) -> dict[str, frozenset[str]]:
    """Return by subject the cases without values, if the subject supports their measures in other cases."""
    answered: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    unsupported: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        side = unsupported if row.verdict == Verdict.UNSUPPORTED else answered
        side[row.subject.signed][row.case].add(row.measure)
    return defaultdict(
        frozenset,
        {
            subject: frozenset(
                case
                for case, measures in cases.items()
                if case not in answered[subject] and not measures.isdisjoint(set().union(*answered[subject].values()))
            )
            for subject, cases in unsupported.items()
        },
    )


def exceptions_of(rows: Iterable[Row]) -> dict[str, frozenset[tuple[str, str]]]:
    """Return by subject the case and measure of each known exception."""
    by_subject: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in rows:
        if row.verdict == Verdict.KNOWN:
            by_subject[row.subject.signed].add(_place(row.case, parse(row.measure)))
    return {subject: frozenset(places) for subject, places in by_subject.items()}


def _place(case: str, measure: Measure) -> tuple[str, str]:
    return case.replace("/threes-", "/"), measure.name


class _Choices(dict[str, str]):
    """A profile that can be the key of a dict."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))


def with_measures(text: str, more: Iterable[str]) -> str:
    """Return the text of a case file with added measures."""
    have = re.search(r"^measures = \[.*?\]\n", text, re.MULTILINE | re.DOTALL)
    listed = re.findall(r'"(?:[^"\\]|\\.)*"', have[0]) if have else []
    words = " ".join(f"{name}," for name in dict.fromkeys([*listed, *(f'"{measure}"' for measure in sorted(more))]))
    lines = textwrap.fill(
        words, 130, initial_indent="    ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    block = f"measures = [\n{lines}\n]\n"
    if have:
        return text.replace(have[0], block)
    return re.sub(r"\n+\[expect", lambda _: f"\n{block}\n[expect", text, count=1)


def main() -> None:
    """Print the measures to add, or write them."""
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
    print(f"{sum(map(len, wanted.values()))} questions would decide an open convention")


if __name__ == "__main__":
    main()
