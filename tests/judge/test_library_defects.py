"""Defects of libraries: unexplained values of a run that a defect explains."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from judged_libraries import run as run_libraries
from miniature_libraries import HERE, miniatures
from typed_commands import rankproof

from rankproof import cases as corpus
from rankproof.cases.inputs import Input
from rankproof.judge import results_file
from rankproof.judge.library_defects import to_try, with_defects
from rankproof.judge.runs import Run, judge_all
from rankproof.judge.verdicts import Row, Verdict
from rankproof.reference_impl.conventions import STANDARD, parse_conventions
from rankproof.reference_impl.profiles import profile
from rankproof.report.run import junit, markdown
from rankproof.report.run_report import Report
from rankproof.workers.observations import ABSENT, Reading
from rankproof.workers.rounds import AskingOptions, select
from rankproof.workers.sheets import Known, Pin, Sheet, Version
from rankproof.workers.subjects import Installation, Subject

FORGETFUL = "forgets_the_cutoff"
ONCE = AskingOptions(at_once=1, once=True)


@cache
def run_of(*variants: str, measures: tuple[str, ...] = ("RR", "R"), step: int = 2) -> Run:
    """Run the miniatures for a few measures of every second case."""
    with TemporaryDirectory() as folder:
        return run_libraries(
            select(corpus.load_all()[::step], (), measures), [miniatures(*variants, tmp_path=Path(folder))], ONCE
        )


def diagnosed(run: Run) -> Run:
    return with_defects(run, to_try(run))


def of(run: Run, verdict: Verdict) -> list[Row]:
    return [row for row in run.rows if row.verdict is verdict]


def judged_by(run: Run, **claims: Any) -> Run:
    """Judge the observations by a sheet with other claims."""
    libraries = [replace(one.library, sheet=replace(one.library.sheet, **claims)) for one in run.answers]
    answers = [replace(one, library=library) for one, library in zip(run.answers, libraries, strict=True)]
    return judge_all(run.cases, answers)


def claiming(run: Run, spec: str) -> Run:
    """Judge the observations by a sheet that claims these conventions of all measures."""
    variants = [variant for one in run.answers for variant in one.hello["variants"]]
    return judged_by(run, profiles={variant: {"*": parse_conventions(spec)} for variant in variants})


def test_library_that_ignores_the_cutoff_has_a_defect() -> None:
    before = run_of(FORGETFUL, "honest")
    after = diagnosed(before)
    defects, open_ones = of(after, Verdict.DEFECT), of(before, Verdict.UNEXPLAINED)
    assert {row.variant for row in defects} == {FORGETFUL}
    assert {row.measure.partition("@")[0].partition("(")[0] for row in defects} == {"RR", "R"}
    assert len(defects) > 0.95 * len(open_ones) > 50
    assert all(row.note.startswith("it ignores the cutoff: ") for row in defects)
    assert {row.place for row in defects} <= {row.place for row in open_ones}
    others = [row for row in after.rows if row.verdict is not Verdict.DEFECT]
    assert set(others) <= set(before.rows), "nothing else is touched"


def test_value_that_the_defect_does_not_explain_stays_unexplained() -> None:
    before = run_of(FORGETFUL)
    open_ones = of(before, Verdict.UNEXPLAINED)
    strange = {row: replace(row, value=1 / 7) for row in (open_ones[3], open_ones[30], open_ones[-2])}
    assert len({row.measure for row in strange}) > 1
    after = diagnosed(replace(before, rows=tuple(strange.get(row, row) for row in before.rows)))
    assert {row.place for row in of(after, Verdict.UNEXPLAINED)} >= {row.place for row in strange}
    assert len(of(after, Verdict.DEFECT)) > 0.75 * len(open_ones)


def test_stale_exception_is_a_complaint_in_a_whole_run_only() -> None:
    before = run_of(FORGETFUL)
    place = replace(of(before, Verdict.UNEXPLAINED)[0].place, case="cutoff/not-tested")
    pinned = judged_by(before, pins={place: Pin(place, "0.5", Known("the cutoff is another one", ""))})
    for whole, stale in ((True, [place]), (False, [])):
        complaints = with_defects(pinned, to_try(pinned), whole=whole).complaints
        assert [one.place for one in complaints if one.place is not None and "not-tested" in one.place.case] == stale


def test_defect_is_found_if_the_claims_of_the_sheet_are_wrong() -> None:
    """The values are the same, but the sheet is wrong.

    The defect is found under the conventions that the library follows.
    """
    after = diagnosed(claiming(run_of(FORGETFUL, measures=("RR",)), "ties=input"))
    assert {row.note.partition(":")[0] for row in of(after, Verdict.DEFECT)} == {"it ignores the cutoff"}


def test_values_of_an_unspecified_order_do_not_contradict_a_defect() -> None:
    before = claiming(run_of(FORGETFUL), "ties=unspecified")
    of_ties = [row for row in before.rows if row.conventions == ("ties=unspecified",)]
    assert len(of_ties) > 5
    other_orders = {row: replace(row, value=1 / 7) for row in of_ties}
    after = diagnosed(replace(before, rows=tuple(other_orders.get(row, row) for row in before.rows)))
    assert {row.note.partition(":")[0] for row in of(after, Verdict.DEFECT)} == {"it ignores the cutoff"}
    assert not any("without ties" in row.note for row in of(after, Verdict.DEFECT))
    assert not [row for row in of(after, Verdict.DEFECT) if row.conventions]


# -- forms that the diagnosis examines ------------------------------------------------------------------------------


def row(measure: str, verdict: Verdict, value: Reading | None = 0.5, library: str = "lib") -> Row:
    return Row("made", Subject(library, "default", "1"), measure, None, verdict, value)


def forms_of(*rows: Row, **claims: str) -> list[tuple[str, str, str, list[str]]]:
    """Return the examined forms of `lib`, whose sheet claims one profile for all versions and these profiles for version 1."""
    profiles = [{"default": {"*": STANDARD}}, {"default": {key: profile(spec) for key, spec in claims.items()}}]
    precisions = {"default": {"AP": "4 decimals"}}
    sheet = Sheet("lib", "", "", "", "", "float32", precisions, profiles[0], {}, Path("lib"))
    sheet = replace(sheet, versions=(Version("1", "", profiles[1]),))
    installation = Installation("lib", "1", variants={"default": ""})
    lib = SimpleNamespace(library=SimpleNamespace(sheet=sheet), version="1", installation=installation)
    data = Input((("q", "a", 1), ("q", "b", 0)), (("q", "b", 2, 1), ("q", "a", 1, 2)))
    cases = (corpus.Case("made", "", "", "", (), data),)
    forms = to_try(Run(cases, (lib,), rows, ())).items()  # the diagnosis reads only these fields
    return [(form.key, form.claimed.spec(), form.precision, [one.measure for one in rows]) for form, rows in forms]


def test_all_numbers_of_a_form_with_an_unexplained_one_are_examined() -> None:
    rows = [
        row("P@2", Verdict.UNEXPLAINED),
        row("P@5", Verdict.AGREES),
        row("P@3", Verdict.CONVENTION),
        row("nDCG@2", Verdict.AGREES),
        row("P@4", Verdict.KNOWN),
        row("P@6", Verdict.AGREES, ABSENT),
        row("P@7", Verdict.AGREES, None),
        row("P@8", Verdict.UNSTABLE),
        row("P@9", Verdict.UNEXPLAINED, library="other"),
        row("R@2", Verdict.UNEXPLAINED, ABSENT),
        row("R@3", Verdict.AGREES),
        row("AP", Verdict.UNEXPLAINED),
    ]
    assert forms_of(*rows, P="norel=1") == [
        ("P@k", "norel=1", "float32", ["P@2", "P@5", "P@3"]),
        ("AP", "", "4 decimals", ["AP"]),
    ]
    assert forms_of(row("P@2", Verdict.AGREES)) == []
    assert forms_of() == []


def test_measure_with_its_own_claim_is_examined_separately() -> None:
    rows, claims = [row("P@2", Verdict.UNEXPLAINED), row("P@5", Verdict.AGREES)], {"P@5": "norel=1"}
    assert forms_of(*rows, **claims) == [("P@k", "", "float32", ["P@2"])]
    both = forms_of(rows[0], row("P@5", Verdict.UNEXPLAINED), **claims)
    assert [(spec, measures) for _, spec, _, measures in both] == [("", ["P@2"]), ("norel=1", ["P@5"])]


# -- reports ----------------------------------------------------------------------------------------------------------


def test_defects_are_in_results_and_reports(tmp_path: Path) -> None:
    run = diagnosed(run_of(FORGETFUL))
    results_file.write(run, tmp_path)
    results = results_file.load(tmp_path / results_file.FOLDER)
    report = Report(results, run.cases, [one.library for one in run.answers])
    assert results.footer["verdicts"]["defect"] == len(of(run, Verdict.DEFECT))
    defects = {defect.form: defect for defect in report.summary().defects}
    assert set(defects) == {"RR@k", "R@k", "R(rel=2)@k", "R(rel=3)@k"}
    assert sum(defect.rows for defect in defects.values()) == results.footer["verdicts"]["defect"]
    assert f"| RR@k | {defects['RR@k'].sentence} |" in markdown(report.summary(run.complaints))
    assert 'type="defect" message="mean: defect: observed ' in junit(run)


def test_run_prints_defects_and_fails(tmp_path: Path) -> None:
    chosen = ["--adapters", HERE, "--library", f"miniatures/{FORGETFUL}", "--measure", "RR", "--details"]
    ended = rankproof("run", *chosen, cwd=tmp_path)
    assert ended.code == 1
    assert "DEFECT miniatures/forgets_the_cutoff RR@k: it ignores the cutoff: " in " ".join(ended.out.split())
    assert "| RR@k | it ignores the cutoff: " in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
