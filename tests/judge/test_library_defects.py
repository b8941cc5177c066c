"""A library whose answers no convention explains is tried against the catalogue of defects, and nothing else is."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from judged_libraries import run
from miniature_libraries import HERE, miniatures

from rankproof import cases as corpus
from rankproof.cases.inputs import Input
from rankproof.cli.program import cli
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
def asked(*variants: str, measures: tuple[str, ...] = ("RR", "R"), step: int = 2) -> Run:
    """What the miniatures answer to a few measures of one case in so many."""
    with TemporaryDirectory() as folder:
        return run(
            select(corpus.load_all()[::step], (), measures), [miniatures(*variants, tmp_path=Path(folder))], ONCE
        )


def tried(found: Run) -> Run:
    return with_defects(found, to_try(found))


def of(found: Run, verdict: Verdict) -> list[Row]:
    return [row for row in found.rows if row.verdict is verdict]


def pinned(found: Run, rows: Sequence[Row]) -> Run:
    """The same answers, judged by a sheet that knows of these."""
    pins = {row.place: Pin(row.place, row.observed, Known("the cutoff is another one", "")) for row in rows}
    libraries = (replace(one.library, sheet=replace(one.library.sheet, pins=pins)) for one in found.answers)
    asked = [replace(one, library=library) for one, library in zip(found.answers, libraries, strict=True)]
    return judge_all(found.cases, asked)


def claiming(found: Run, spec: str) -> Run:
    """The same answers, judged by a sheet that claims these conventions of all of them."""
    claims = {variant: {"*": parse_conventions(spec)} for one in found.answers for variant in one.hello["variants"]}
    libraries = (replace(one.library, sheet=replace(one.library.sheet, profiles=claims)) for one in found.answers)
    asked = [replace(one, library=library) for one, library in zip(found.answers, libraries, strict=True)]
    return judge_all(found.cases, asked)


def test_a_library_that_forgets_the_cutoff_has_a_defect() -> None:
    before = asked(FORGETFUL, "honest")
    found = tried(before)
    defects, open_ones = of(found, Verdict.DEFECT), of(before, Verdict.UNEXPLAINED)
    assert {row.variant for row in defects} == {FORGETFUL}
    assert {row.measure.partition("@")[0].partition("(")[0] for row in defects} == {"RR", "R"}
    assert len(defects) > 0.95 * len(open_ones) > 50
    assert all(row.note.startswith("it ignores the cutoff: ") for row in defects)
    assert {row.place for row in defects} <= {row.place for row in open_ones}
    others = [row for row in found.rows if row.verdict is not Verdict.DEFECT]
    assert set(others) <= set(before.rows), "nothing else is touched"


def test_what_the_defect_does_not_explain_stays_unexplained() -> None:
    before = asked(FORGETFUL)
    open_ones = of(before, Verdict.UNEXPLAINED)
    strange = {row: replace(row, value=1 / 7) for row in (open_ones[3], open_ones[30], open_ones[-2])}
    assert len({row.measure for row in strange}) > 1
    found = tried(replace(before, rows=tuple(strange.get(row, row) for row in before.rows)))
    assert {row.place for row in of(found, Verdict.UNEXPLAINED)} >= {row.place for row in strange}
    assert len(of(found, Verdict.DEFECT)) > 0.75 * len(open_ones)


def test_a_known_exception_that_was_not_asked_is_complained_of_in_a_whole_run_alone() -> None:
    before = asked(FORGETFUL)
    elsewhere = pinned(before, [replace(of(before, Verdict.UNEXPLAINED)[0], case="cutoff/not-asked")])
    told = [
        [one.place.case for one in found.complaints if one.place is not None and "not-asked" in one.place.case]
        for found in (with_defects(elsewhere, to_try(elsewhere), whole=whole) for whole in (True, False))
    ]
    assert told == [["cutoff/not-asked"], []]


def test_what_it_is_held_against_is_what_the_sheet_claims() -> None:
    """The same answers, and a sheet that is wrong: the defect is found under the conventions that the library follows."""
    found = tried(claiming(asked(FORGETFUL, measures=("RR",)), "ties=input"))
    assert {row.note.partition(":")[0] for row in of(found, Verdict.DEFECT)} == {"it ignores the cutoff"}


def test_where_any_order_of_ties_may_come_none_is_held_against_a_defect() -> None:
    before = claiming(asked(FORGETFUL), "ties=unspecified")
    of_ties = [row for row in before.rows if row.conventions == ("ties=unspecified",)]
    assert len(of_ties) > 5
    other_orders = {row: replace(row, value=1 / 7) for row in of_ties}
    found = tried(replace(before, rows=tuple(other_orders.get(row, row) for row in before.rows)))
    assert {row.note.partition(":")[0] for row in of(found, Verdict.DEFECT)} == {"it ignores the cutoff"}
    assert not any("without ties" in row.note for row in of(found, Verdict.DEFECT))
    assert not [row for row in of(found, Verdict.DEFECT) if row.conventions]


# -- what is tried --------------------------------------------------------------------------------------------------


def row(measure: str, verdict: Verdict, value: Reading | None = 0.5, library: str = "lib") -> Row:
    return Row("made", Subject(library, "default", "1"), measure, None, verdict, value)


def forms_of(*rows: Row, **claims: str) -> list[tuple[str, str, str, list[str]]]:
    """Return the forms of `lib` that are tried; its sheet claims one profile of all versions, and of version 1 these."""
    profiles = [{"default": {"*": STANDARD}}, {"default": {key: profile(spec) for key, spec in claims.items()}}]
    precisions = {"default": {"AP": "4 decimals"}}
    sheet = Sheet("lib", "", "", "", "", "float32", precisions, profiles[0], {}, Path("lib"))
    sheet = replace(sheet, versions=(Version("1", "", profiles[1]),))
    installation = Installation("lib", "1", variants={"default": ""})
    lib = SimpleNamespace(library=SimpleNamespace(sheet=sheet), version="1", installation=installation)
    data = Input((("q", "a", 1), ("q", "b", 0)), (("q", "b", 2, 1), ("q", "a", 1, 2)))
    cases = (corpus.Case("made", "", "", "", (), data),)
    forms = to_try(Run(cases, (lib,), rows, ())).items()  # type: ignore[arg-type] # it has all that is looked at
    return [(form.key, form.claimed.spec(), form.precision, [one.measure for one in rows]) for form, rows in forms]


def test_every_number_of_a_form_with_an_unexplained_one_is_tried() -> None:
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


def test_a_measure_with_a_claim_of_its_own_is_tried_by_itself() -> None:
    rows, claims = [row("P@2", Verdict.UNEXPLAINED), row("P@5", Verdict.AGREES)], {"P@5": "norel=1"}
    assert forms_of(*rows, **claims) == [("P@k", "", "float32", ["P@2"])]
    both = forms_of(rows[0], row("P@5", Verdict.UNEXPLAINED), **claims)
    assert [(spec, measures) for _, spec, _, measures in both] == [("", ["P@2"]), ("norel=1", ["P@5"])]


# -- where it is told -----------------------------------------------------------------------------------------------


def test_results_and_all_that_is_written_from_them_say_which(tmp_path: Path) -> None:
    found = tried(asked(FORGETFUL))
    results_file.write(found, tmp_path)
    results = results_file.load(tmp_path / results_file.FOLDER)
    report = Report(results, found.cases, [one.library for one in found.answers])
    assert results.footer["verdicts"]["defect"] == len(of(found, Verdict.DEFECT))
    told = {one.form: one for one in report.summary().defects}
    assert set(told) == {"RR@k", "R@k", "R(rel=2)@k", "R(rel=3)@k"}
    assert sum(one.rows for one in told.values()) == results.footer["verdicts"]["defect"]
    assert told["RR@k"].sentence.startswith("it ignores the cutoff: ")
    assert f"| RR@k | {told['RR@k'].sentence} |" in markdown(report.summary(found.complaints))
    assert 'type="defect" message="mean: defect: observed ' in junit(found)


def test_a_run_says_it_and_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chosen = ["--adapters", str(HERE), "--library", f"miniatures/{FORGETFUL}", "--measure", "RR", "--details"]
    done = CliRunner().invoke(cli, ["run", *chosen], standalone_mode=False)
    assert done.return_value == 1
    assert "DEFECT miniatures/forgets_the_cutoff RR@k: it ignores the cutoff: " in " ".join(done.output.split())
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "## Defects\n" in report
    assert "| RR@k | it ignores the cutoff: " in report
