"""Data of the website: results of a run, published fingerprints, probe findings and histories of libraries."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from rankproof import cases
from rankproof.grouping import grouped
from rankproof.inference import fingerprint_file
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.judge import probe_findings, results_file
from rankproof.judge.probe_findings import ProbeFinding
from rankproof.judge.verdicts import Row, Verdict, mark_of
from rankproof.measure_forms import name_of
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.measures import MEASURES
from rankproof.report.convention_words import COMMON_FORMS, leading, sentence
from rankproof.report.public_data import past
from rankproof.report.run_report import Report
from rankproof.report.site.rendering import form_slug
from rankproof.workers.known_libraries import Library
from rankproof.workers.subjects import Subject, Variant, variants_of

ALL_MEASURES = (*MEASURES, *CLUSTERINGS)
LEADING_LIBRARIES = ("trec_eval", "pytrec_eval", "ir_measures", "sklearn", "torchmetrics", "ranx", "lightgbm")
"""The first columns of each matrix; the others are shown on demand."""
LEADING_FORMS = 14
"""The number of forms in the menu above each matrix. The page of measures has all."""


@dataclass(frozen=True)
class SiteData:
    """Data of the pages, and facts that several pages derive from it.

    Attributes:
        report: the results, the cases and the libraries.
        fingerprints: the published fingerprints; empty if the results have none.
        probes: the published findings of probes.
        history: library -> its changes from version to version.
    """

    report: Report
    fingerprints: tuple[Fingerprint, ...] = ()
    probes: Mapping[Subject, Sequence[ProbeFinding]] = field(default_factory=dict)
    history: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def load(cls, results: Path, libraries: Sequence[Library]) -> "SiteData":
        """Read results, and `fingerprint.json`, `probes.json` and `history.json` next to them if they exist.

        Raises:
            Unusable: a file cannot be read.
        """
        folder = results if results.is_dir() else results.parent
        folder = folder.parent if folder.name == results_file.FOLDER else folder
        report = Report(results_file.load(results), cases.load_all(), libraries)
        prints, probes = folder / fingerprint_file.FILE, folder / probe_findings.FILE
        return cls(
            report,
            tuple(fingerprint_file.read(prints)) if prints.is_file() else (),
            probe_findings.read(probes).by_subject if probes.is_file() else {},
            past(folder),
        )

    @cached_property
    def cases(self) -> Mapping[str, cases.Case]:
        """The cases by id."""
        return {case.id: case for case in self.report.cases}

    @cached_property
    def library_names(self) -> list[str]:
        """The names of libraries in the results or with a claim sheet."""
        rows = (row.library for row in self.report.results.rows)
        known = (library.name for library in self.report.libraries)
        return list(dict.fromkeys([*self.report.results.libraries, *rows, *known]))

    @cached_property
    def sheets(self) -> Mapping[str, Library]:
        """The libraries that have a claim sheet."""
        return {library.name: library for library in self.report.libraries}

    def title(self, library: str) -> str:
        """Return the title of a library in its sheet, or its name."""
        return self.sheets[library].sheet.title if library in self.sheets else library

    @cached_property
    def names(self) -> Mapping[Variant, str]:
        """The name of each variant."""
        results = self.report.results
        return {results.variants[subject]: name for subject, name in results.names.items()}

    @cached_property
    def fingerprinted(self) -> Mapping[Subject, Variant]:
        """The variant of each subject of a fingerprint."""
        return variants_of(fingerprint.subject for fingerprint in self.fingerprints)

    @cached_property
    def variants(self) -> Mapping[str, list[Variant]]:
        """The variants of each library, the most used one first."""
        results = self.report.results
        subjects = [s for runs in results.libraries.values() for run in reversed(runs) for s in run.subjects]
        variants = [results.variants[s] for s in subjects if s in results.variants]
        return grouped((variant[0], variant) for variant in dict.fromkeys([*variants, *self.fingerprinted.values()]))

    def summary(self, library: str) -> str:
        """Return a sentence about the most used variant of a library, or an empty text without a fingerprint."""
        prints = (self.prints_of[variant] for variant in self.variants.get(library, ()) if variant in self.prints_of)
        chosen = leading(next(prints, []))
        return sentence(chosen, self.title(library)) if chosen else ""

    @cached_property
    def prints_of(self) -> Mapping[Variant, list[Fingerprint]]:
        """The fingerprints of each variant."""
        return grouped((self.fingerprinted[fingerprint.subject], fingerprint) for fingerprint in self.fingerprints)

    def main_prints(self, key: str) -> Iterator[tuple[Variant, Fingerprint]]:
        """Yield the most used variant of each library that computes a form, with its fingerprint."""
        for library in self.library_names:
            own = ((v, p) for v in self.variants.get(library, ()) for p in self.prints_of.get(v, ()) if p.key == key)
            if (first := next(own, None)) is not None:
                yield first

    @cached_property
    def forms(self) -> list[str]:
        """The forms of measures with a fingerprint: the most common forms first, then the others by measure."""
        known = {fingerprint.key for fingerprint in self.fingerprints}
        order = {name: at for at, name in enumerate(ALL_MEASURES)}
        most_used = [key for key in COMMON_FORMS if key in known]
        return [*most_used, *sorted(known - {*most_used}, key=lambda key: (order[name_of(key)], len(key), key))]

    @cached_property
    def leading(self) -> list[str]:
        """The forms in the menu of every page: the most common forms, then the forms that most libraries compute."""
        counts = Counter(fingerprint.key for fingerprint in self.fingerprints if "(" not in fingerprint.key)
        most_used = [key for key in COMMON_FORMS if key in counts]
        rest = sorted(counts.keys() - {*most_used}, key=lambda key: (-counts[key], key))
        return [*most_used, *rest][:LEADING_FORMS]

    @cached_property
    def form_pages(self) -> Mapping[str, str]:
        """The page of the matrix of each form; the first matrix is on the home page."""
        return {key: f"matrix/{form_slug(key)}.html" if at else "index.html" for at, key in enumerate(self.forms)}

    @cached_property
    def rows_of_variant(self) -> Mapping[Variant, list[Row]]:
        """The rows of each variant."""
        return grouped((self.report.results.variants[row.subject], row) for row in self.report.results.rows)

    @cached_property
    def rows_of_case(self) -> Mapping[str, dict[str, list[Row]]]:
        """The rows of each case, by measure."""
        rows: dict[str, dict[str, list[Row]]] = defaultdict(dict)
        for (case, measure), own in self.report.by_question.items():
            rows[case][measure] = own
        return rows

    def tally(self, variant: Variant) -> Counter[str]:
        """Return the number of values of a variant by verdict."""
        return Counter(mark_of(row.verdict) for row in self.rows_of_variant.get(variant, ()))

    @cached_property
    def deciding(self) -> Mapping[str, list[str]]:
        """The cases of each axis in which a convention on that axis alone makes a library differ from `standard`."""
        rows = [row for row in self.report.results.rows if len(row.conventions) == 1 and row.case in self.cases]
        by_axis = grouped((row.conventions[0].partition("=")[0], row.case) for row in rows)
        return {axis: list(dict.fromkeys(own)) for axis, own in by_axis.items()}

    def differing(self, case: str) -> tuple[int, int]:
        """Return the number of variants that differ from `standard` in a case, and of variants with results."""
        variants, standard = self.report.results.variants, {Verdict.AGREES, Verdict.UNDEFINED}
        rows = (row for own in self.rows_of_case.get(case, {}).values() for row in own)
        differs = grouped((variants[row.subject], row.verdict not in standard) for row in rows)
        return sum(map(any, differs.values())), len(differs)
