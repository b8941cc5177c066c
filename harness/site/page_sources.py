"""What the pages tell from, and what several of them need."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from typing import Any

from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.judge.verdicts import FAILING, Row, Verdict, mark_of
from rankproof.measure_forms import name_of
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.measures import MEASURES
from rankproof.report.library_sentence import LEADING, leading, sentence
from rankproof.report.run_report import ConventionEffect, Report
from rankproof.site.axis_knowledge import Findings, Found, moved_alone
from rankproof.site.page_text import compare_page, form_slug
from rankproof.site.probed import Probed
from rankproof.site.repros import Scripts
from rankproof.workers.known_libraries import Library
from rankproof.workers.subjects import Subject, Variant

STAGES = {
    "order": "Order: from rows to a ranking",
    "judge": "Judge: from a ranking to judged docs",
    "measure": "Measure: the formula",
    "aggregate": "Aggregate: from queries to one number",
}
LEADING_FORMS = 14
"""So many forms of measures can be picked above each matrix; the page of measures has all."""
COMPARED = 6
"""In so many of them libraries are compared two by two."""
VERDICTS = {
    Verdict.AGREES: "as the reference under standard",
    Verdict.CONVENTION: "as the reference under the profile that the library's sheet claims",
    Verdict.KNOWN: "an exception that is pinned in the sheet, with its reason",
    FAILING: "nothing explains it",
    Verdict.UNDEFINED: "the case has no right answer; what was observed is kept",
}


@dataclass(frozen=True)
class Told:
    """All that the pages tell, and what several of them need."""

    report: Report
    findings: Findings
    probes: Mapping[Variant, list[Probed]] = field(default_factory=dict)
    history: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    scripts: Scripts = field(default_factory=Scripts)

    @cached_property
    def known_cases(self) -> frozenset[str]:
        """The cases that have a page."""
        return frozenset(case.id for case in self.report.cases)

    @cached_property
    def variants(self) -> list[Variant]:
        """Every variant that answered anything, with a library's variants together."""
        answered = (row for row in self.report.results.rows if row.value is not None or row.error)
        variants = dict.fromkeys(map(self.variant, answered))
        return sorted(variants, key=lambda pair: self.library_names.index(pair[0]))

    @cached_property
    def library_names(self) -> list[str]:
        """Every library that the results or the sheets name."""
        named = (
            *self.report.results.libraries,
            *(row.library for row in self.report.results.rows),
            *(library.name for library in self.report.libraries),
        )
        return list(dict.fromkeys(named))

    @cached_property
    def names(self) -> Mapping[Variant, str]:
        """What each variant is called."""
        return {self.called[subject]: name for subject, name in self.report.results.names.items()}

    @property
    def called(self) -> Mapping[Subject, Variant]:
        """Which variant each subject is."""
        return self.report.results.variants

    def variant(self, row: Row) -> Variant:
        """Which variant a row is of."""
        return self.called[row.subject]

    @cached_property
    def asked_variants(self) -> Mapping[str, list[Variant]]:
        """The variants of each library that have rows, as the results name them."""
        named = (row for row in self.report.results.rows if row.variant)
        return grouped(dict.fromkeys((row.library, self.variant(row)) for row in named))

    @cached_property
    def sheets(self) -> Mapping[str, Library]:
        """The libraries that have a sheet."""
        return {library.name: library for library in self.report.libraries}

    @cached_property
    def compared(self) -> Mapping[str, str]:
        """The forms in which libraries are compared two by two, and the page of each: the leading forms that two libraries compute."""
        libraries = grouped((one.key, one.library) for one in self.findings.fingerprints)
        several = [key for key in self.leading if len({*libraries[key]}) > 1][:COMPARED]
        return {key: compare_page(key, first=nth == 0) for nth, key in enumerate(several)}

    @cached_property
    def forms(self) -> list[str]:
        """Every form of a measure of which a fingerprint is known: those that most people ask for, then the others by measure."""
        known = {one.key for one in self.findings.fingerprints}
        order = {name: nth for nth, name in enumerate(self.measures)}
        leading = [key for key in LEADING if key in known]
        return [*leading, *sorted(known - {*leading}, key=lambda key: (order[name_of(key)], len(key), key))]

    @cached_property
    def form_pages(self) -> Mapping[str, str]:
        """Where the matrix of each form lies: of the first it is the home page, and forms of a measure of which all is alike share one."""
        by_form: dict[str, dict[Variant, object]] = defaultdict(dict)
        for one in self.findings.fingerprints:
            by_form[one.key][self.findings.variants[one.subject]] = {
                axis: (finding.could_be, finding.open) for axis, finding in one.axes.items()
            }
        found: dict[str, str] = {}
        for nth, key in enumerate(self.forms):
            alike = (other for other in found if name_of(other) == name_of(key) and by_form[other] == by_form[key])
            twin = next(alike, None)
            found[key] = found[twin] if twin else "index.html" if nth == 0 else f"matrix/{form_slug(key)}.html"
        return found

    @cached_property
    def leading(self) -> list[str]:
        """The forms of measures that can be picked everywhere: those that most people ask for, then those that most libraries compute."""
        counts = Counter(one.key for one in self.findings.fingerprints if "(" not in one.key)
        first = [key for key in LEADING if key in counts]
        rest = sorted((key for key in counts if key not in first), key=lambda key: (-counts[key], key))
        return [*first, *rest][:LEADING_FORMS]

    @cached_property
    def by_variant(self) -> Mapping[Variant, list[Row]]:
        """The rows of each variant."""
        return grouped((self.variant(row), row) for row in self.report.results.rows)

    def all_ways(self, library: str) -> list[Variant]:
        """The variants of a library, also those of which only a fingerprint is known."""
        found = (one for one in self.findings.by_variant if one[0] == library)
        return list(dict.fromkeys([*self.ways(library), *found]))

    def known_ways(self, library: str) -> list[Variant]:
        """The variants of a library of which a fingerprint is known, the one that most people use first."""
        return [variant for variant in self.all_ways(library) if self.findings.by_variant.get(variant)]

    def sentence(self, library: str) -> str:
        """What a library does in the way that most people use, in one sentence; empty where no fingerprint is known."""
        ways = self.known_ways(library)
        lead = leading(self.findings.by_variant[ways[0]]) if ways else None
        return sentence(lead, self.title(library)) if lead else ""

    def of_form(self, key: str) -> Iterator[tuple[Variant, Fingerprint]]:
        """Of each library that computes a form of a measure the way that most people use, and its fingerprint."""
        for library in self.library_names:
            ways = ((way, one) for way in self.known_ways(library) for one in self.findings.by_variant[way])
            yield from islice(((way, one) for way, one in ways if one.key == key), 1)

    def called_as(self, found: Fingerprint) -> str:
        """What the subject of a fingerprint is called."""
        return self.names.get(self.findings.variants[found.subject], found.subject.name)

    def title(self, library: str) -> str:
        """What a library calls itself."""
        return self.sheets[library].sheet.title if library in self.sheets else library

    @cached_property
    def _ways(self) -> Mapping[str, list[Variant]]:
        """By library its variants: those of the version asked last first, in the order in which the library names them."""
        libraries = self.report.results.libraries
        asked = (
            (name, subject) for name, own in libraries.items() for one in reversed(own) for subject in one.subjects
        )
        return grouped((name, self.called[subject]) for name, subject in asked if subject in self.called)

    def ways(self, library: str) -> list[Variant]:
        """The variants of a library, the one that most people use first."""
        return self._ways.get(library, [])

    @cached_property
    def _versions(self) -> Mapping[Variant, str]:
        return {variant: one.version for one, variant in [*self.called.items(), *self.findings.variants.items()]}

    def version(self, variant: Variant) -> str:
        """The version of the library that was asked."""
        return self._versions.get(variant, "")

    @cached_property
    def measures(self) -> list[str]:
        """Every measure."""
        return [*MEASURES, *CLUSTERINGS]

    @cached_property
    def by_case(self) -> Mapping[str, dict[str, list[Row]]]:
        """The rows of each case, by measure."""
        found: dict[str, dict[str, list[Row]]] = defaultdict(dict)
        for (case, measure), rows in self.report.by_question.items():
            found[case][measure] = rows
        return found

    @cached_property
    def effects(self) -> Mapping[str, ConventionEffect]:
        """What each convention moved."""
        return {effect.convention: effect for effect in self.report.effects}

    @cached_property
    def counts(self) -> Mapping[Variant, Counter[str]]:
        """How often each variant has which verdict."""
        return {variant: Counter(mark_of(row.verdict) for row in rows) for variant, rows in self.by_variant.items()}

    @cached_property
    def decided_alone(self) -> Mapping[str, frozenset[str]]:
        """By case, the axes of which a value, alone, is expected to move something."""
        return {
            case.id: frozenset(
                axis
                for measure, by_spec in (case.expect or {}).items()
                if by_spec.get("standard")
                for axis in moved_alone(by_spec, measure)
            )
            for case in self.report.cases
        }

    def divided(self, case: str) -> tuple[int, int]:
        """How many variants differ from `standard` somewhere in a case, of how many that answered."""
        rows = chain.from_iterable(self.by_case.get(case, {}).values())
        seen = grouped((self.variant(row), row.verdict not in {Verdict.AGREES, Verdict.UNDEFINED}) for row in rows)
        return sum(map(any, seen.values())), len(seen)


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that a variant has on an axis, for which of its measures, what shows it, and which others no answer tells from it."""

    value: str | None
    standard: bool
    keys: tuple[str, ...]
    witness: str
    why: str
    others: tuple[str, ...] = ()

    @property
    def could_be(self) -> tuple[str, ...]:
        """Every value that could be named; none where it is undetermined."""
        return () if self.value is None else (self.value, *self.others)


def of_one_mind(several: Iterable[Choice]) -> bool:
    """Whether there is a value that could be named for all of them."""
    named = [{*choice.could_be} for choice in several if choice.could_be]
    return not named or bool(set.intersection(*named))


def choices(findings: Iterable[Found]) -> list[Choice]:
    """The values of a variant on an axis, those of most measures first; where there are several, it differs from itself."""
    groups = grouped(((f.value, f.could_be[1:], "" if f.value else _why_open(f)), (key, f)) for key, f in findings)
    found = []
    for (value, others, _), group in sorted(groups.items(), key=lambda item: (item[0][0] is None, -len(item[1]))):
        shown = next((finding for _, finding in group if finding.witness), group[0][1])
        keys = tuple(key for key, _ in group)
        found.append(Choice(value, shown.standard, keys, shown.witness, _why_open(shown), others))
    return found


def _why_open(finding: AxisFinding) -> str:
    return finding.why or (f"one of {', '.join(finding.open)}" if finding.open else "")
