"""Probes find laws that an adapter breaks, without expected values, and report nothing for a lawful adapter."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from installed_libraries import of_this_interpreter
from places import ROOT
from reference_values import PlainReference

from rankproof.adapters.worker import load_adapter
from rankproof.cases.inputs import Input
from rankproof.inference.reference_answers import Values
from rankproof.judge import laws
from rankproof.judge.laws import compared
from rankproof.judge.probe_findings import FILE, BadProbes, FindingKind, ProbeFinding, ProbeReport, read
from rankproof.judge.probe_inputs import INPUTS, table, tied
from rankproof.judge.probing import (
    PROBES,
    Probe,
    digest_of_adapter,
    digest_of_questions,
    probe_all,
    shrunk,
)
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import Answered, Failure
from rankproof.workers.sheets import load
from rankproof.workers.subjects import Subject

MINIATURES = ROOT / "tests" / "miniatures"
SINS: dict[str, str] = load_adapter(str(MINIATURES / "probed_adapter.py")).SINS
FEW = ["RR", "RR@5", "P@1", "P@5", "Success@1"]


FAILING = """
LIBRARY, PACKAGES, VARIANTS, MEASURES = "failing", [], {"v": ""}, {"P@{k}": "p"}
def load(): return {"version": "1"}
def observe(variant, data, call, values): raise ValueError("no")
"""


def miniature(name: str, *variants: str) -> Library:
    return Library(name, MINIATURES / f"{name}_adapter.py", load(MINIATURES / f"{name}.toml"), only=variants)


def named(*names: str) -> list[Probe]:
    return [probe for probe in PROBES if probe.name in names]


def docs(data: Input) -> int:
    return len({(row[0], row[1]) for row in [*data.qrels, *data.run]})


# -- adapters that break one law each ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def report() -> ProbeReport:
    return probe_all([miniature("probed")], measures=FEW)


def findings_of(report: ProbeReport, variant: str) -> list[ProbeFinding]:
    return [finding for subject, own in report.by_subject.items() for finding in own if subject.variant == variant]


@pytest.mark.parametrize("sin", sorted(SINS))
def test_probe_finds_the_law_that_an_adapter_breaks(sin: str, report: ProbeReport) -> None:
    findings = findings_of(report, sin)
    assert SINS[sin] in {finding.probe for finding in findings}
    small = [one for one in findings if one.probe != "tied-docs" and one.measure != "P@5"]
    assert all(docs(finding.input) <= 4 for finding in small), "P@5 needs six"


@pytest.mark.parametrize("variant", ["honest", "honest_and_terse"])
def test_honest_adapter_depends_on_document_ids_of_tied_documents_only(variant: str, report: ProbeReport) -> None:
    findings = [one for one in findings_of(report, variant) if one.kind is not FindingKind.TELLS]
    assert {finding.probe for finding in findings} == {"docs-renamed", "constant"}
    assert all(finding.under_ties for finding in findings)
    assert not any("under ties" in finding.says for finding in findings if finding.probe == "constant")


def test_adapter_with_the_worst_order_of_ties_has_only_the_finding_on_missing_queries(
    report: ProbeReport,
) -> None:
    findings = findings_of(report, "honest_and_pessimistic")
    says = "a judged query that was not retrieved is worth 0 in the mean"
    assert {(one.probe, one.kind, one.says) for one in findings} == {("empty-query", FindingKind.TELLS, says)}


def test_adapter_that_changes_other_values_if_a_query_is_missing_breaks_a_law(report: ProbeReport) -> None:
    findings = findings_of(report, "zeroes_all_if_a_query_is_missing")
    (first, *_) = [one for one in findings if one.probe == "empty-query"]
    assert (first.kind, first.query) == (FindingKind.DEPENDS, "1")
    assert first.says == "a judged query that was not retrieved changes the values of others"


def test_adapter_that_keeps_the_order_of_fifteen_tied_documents_only_is_found(report: ProbeReport) -> None:
    (first, *_) = [one for one in findings_of(report, "breaks_ties_by_row_up_to_fifteen") if one.probe == "tied-docs"]
    assert first.says == "tied docs keep an order while they are few, and another when they are more"
    assert first.asked[1].startswith("the same untied in the order of the rows, which ")


def test_adapter_that_always_fails_has_no_finding(tmp_path: Path) -> None:
    (tmp_path / "failing_adapter.py").write_text(FAILING, encoding="utf-8")
    failing = Library("failing", tmp_path / "failing_adapter.py", miniature("probed").sheet)
    report = probe_all([failing], named("rows", "shifted", "truth", "constant", "bounds"), ["P@1"])
    assert report.findings == ()
    assert not report.libraries[0].failed


def test_broken_adapter_is_reported_and_others_are_probed(tmp_path: Path) -> None:
    (tmp_path / "lost_adapter.py").write_text("import os\nos._exit(7)\n", encoding="utf-8")
    lost = Library("lost", tmp_path / "lost_adapter.py", miniature("probed").sheet)
    report = probe_all([lost, miniature("probed", "honest")], named("rows"), ["RR"])
    broken, honest = report.libraries
    assert (broken.failed, honest.failed, report.findings) == (True, False, ())
    assert "exit code 7" in broken.installation.why_not


# -- laws ----------------------------------------------------------------------------------------------------------------


@dataclass
class ReferenceWorker:
    """The reference in place of a library; `off` is added to the values of a measure."""

    off: dict[str, float]

    def observe(self, _variant: str, data: dict[str, Any], measures: list[str], *, once: bool) -> dict[str, Any]:
        """Return the values of measures."""
        assert once
        return {measure: self._values(Input.of_json(data), measure) for measure in measures}

    def _values(self, data: Input, measure: str) -> dict[str, Any]:
        answers = PlainReference(data).answers(parse(measure), STANDARD)
        assert isinstance(answers, Values)
        off = self.off.get(measure, 0.0)
        values = {query: to_float(value) + off for query, value in answers.per_query.items()}
        return {"per_query": values, "mean": to_float(answers.mean) + off}


def probed(off: dict[str, float]) -> laws.ProbedSubject:
    worker: Any = ReferenceWorker(off)
    return laws.ProbedSubject(worker, miniature("probed"), Subject("probed", "honest"))


FEW_AND_MANY = table(
    "1 a 1, 1 b 0, 2 c 1, 2 d 1, 2 e 2, 2 f 0, 3 g 1, 3 h 1, 3 i 0", "1 a 2, 1 b 1, 2 c 2, 2 d 1, 3 g 2, 3 i 1"
)
"""Queries with one, three and two relevant documents."""


@pytest.mark.parametrize(
    ("measure", "holds"),
    [("AP@3", True), ("AP@2", False), ("R@3", True), ("R@2", False), ("P@1", True), ("P@2", False), ("RR", True)],
)
def test_law_of_the_ideal_ranking_applies_only_if_it_scores_1_for_all_queries(measure: str, *, holds: bool) -> None:
    """The ideal ranking scores less than 1 at a cutoff between the numbers of relevant documents of two queries."""
    assert laws.truth_is_one(probed({}), FEW_AND_MANY, parse(measure)) is None
    assert (laws.truth_is_one(probed({measure: -0.125}), FEW_AND_MANY, parse(measure)) is not None) == holds


@pytest.mark.parametrize(
    ("measure", "further", "applies"),
    [("nDCG@2", "nDCG@4", False), ("nDCG@3", "nDCG@6", False), ("nDCG@4", "nDCG@8", True), ("RR", "RR@20", True)],
)
def test_cutoff_beyond_list_and_judgments_changes_nothing(measure: str, further: str, *, applies: bool) -> None:
    """A cutoff that is only beyond the ranking may change the ideal."""
    assert laws.cutoff_beyond(probed({}), FEW_AND_MANY, parse(measure)) is None
    assert (laws.cutoff_beyond(probed({further: -0.125}), FEW_AND_MANY, parse(measure)) is not None) == applies


@pytest.mark.parametrize(
    ("off", "is_found"), [(0.0, False), (-2.0, True), (2.0, True), (-0.125, False), (math.inf, True)]
)
def test_value_outside_0_and_1_is_found(off: float, *, is_found: bool) -> None:
    """P@2 is 1/2, 1 and 1/2 for the three queries."""
    assert (laws.bounds(probed({"P@2": off}), FEW_AND_MANY, parse("P@2")) is not None) == is_found


def test_two_failures_of_one_kind_are_equal() -> None:
    error, number = Failure("error", "no"), Answered({"1": 1.0}, 1.0)
    assert compared(error, Failure("error", "another line"), ["float64"]) is None
    elsewhere = Failure("error", "OSError: no /home/a/b.txt:7")
    assert compared(number, elsewhere, ["float64"]) == (None, "a number", "error: OSError: no …")
    assert compared(error, Failure("crash", "it ended"), ["float64"]) == (None, "error: no", "crash: it ended")
    assert compared(number, Answered({"9": 1.0}, 1.0), ["float64"], {"1": "9"}) is None
    assert compared(number, Answered({}, 1.0), ["float64"]) == ("1", 1.0, "absent")


def test_input_is_shrunk_to_what_shows_the_same() -> None:
    assert shrunk(INPUTS[2], lambda data: any(row[1] == "d" for row in data.run)).run == (("2", "d", 1.0, 1),)
    assert tied(shrunk(INPUTS[6], tied))
    assert [tied(data) for data in INPUTS] == sorted(tied(data) for data in INPUTS)


# -- the published file --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def published() -> ProbeReport:
    return read(ROOT / "reports" / FILE)


def test_report_is_written_and_read_back(report: ProbeReport, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(report.as_text(), encoding="utf-8")
    assert read(tmp_path / FILE) == report


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-100], "not JSON"),
        (lambda text: text.replace('"depends"', '"says"', 1), r"says.*findings\[\d+\]\.kind"),
        (lambda _: '{"rankproof": "1", "questions": ""}', "missing required field `libraries`"),
    ],
)
def test_broken_file_is_refused_in_one_line(change: Any, message: str, tmp_path: Path) -> None:
    text = (ROOT / "reports" / FILE).read_text(encoding="utf-8")
    (tmp_path / FILE).write_text(change(text), encoding="utf-8")
    with pytest.raises(BadProbes, match=message) as raised:
        read(tmp_path / FILE)
    assert str(raised.value).startswith(f"{tmp_path / FILE}:")
    assert "--publish" in str(raised.value)


def test_published_findings_are_up_to_date(published: ProbeReport) -> None:
    outdated = f"reports/{FILE} is out of date, publish it again: "
    assert published.questions == digest_of_questions(), f"{outdated}the probes, or their inputs, changed"
    libraries = {one.installation.library: one for one in published.libraries}
    for library in of_this_interpreter():
        assert library.name in libraries, f"{outdated}{library.name} is missing"
        if libraries[library.name].installation.version:
            digest = libraries[library.name].adapter
            assert digest == digest_of_adapter(library), (
                f"{outdated}the adapter of {library.name}, or the worker, changed"
            )


@pytest.mark.parametrize(
    ("library", "wanted", "found"),
    [
        ("ir_measures", {"probe": "rows", "measure": "RR", "under_ties": True}, {"cwl_eval", "ranx", "trectools"}),
        ("ir_measures", {"probe": "cutoff", "asked": ("RR", "RR@20")}, {"default"}),
        ("sklearn", {"probe": "rows"}, {"rows-ignore-ties"}),
        ("sklearn", {"probe": "rows", "under_ties": False}, set()),
        ("pytrec_eval", {"under_ties": False, "kind": FindingKind.DEPENDS}, set()),
        ("ir_measures", {"probe": "tied-docs"}, {"default", "ranx"}),
        ("sklearn", {"probe": "empty-query"}, {"appended", "rows", "rows-ignore-ties"}),
    ],
)
def test_published_finding_names_the_variants_known_for_it(
    library: str, wanted: dict[str, object], found: set[str], published: ProbeReport
) -> None:
    findings = [one for own in published.by_subject.values() for one in own if one.library == library]
    assert {one.variant for one in findings if all(getattr(one, name) == v for name, v in wanted.items())} == found
