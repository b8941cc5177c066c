"""What is told of each of three that all differ: nobody else's value, nobody else's order, and nothing that was not found."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fake_sheets import FAKE

from rankproof import cases as corpus
from rankproof.asking.known_libraries import Library
from rankproof.asking.sheets import load
from rankproof.asking.subjects import Installation, Subject, installation
from rankproof.cases.inputs import Input
from rankproof.explaining import habits
from rankproof.explaining.habits import Makers, makers
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.judging.results_file import RunResults
from rankproof.judging.verdicts import Row, Verdict
from rankproof.probing.probe_findings import FindingKind, ProbeFinding
from rankproof.probing.running import ProbedLibrary
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import Profile
from rankproof.site.axis_knowledge import Findings
from rankproof.site.page_sources import Told
from rankproof.site.pages import axis_pages, library_pages, measure_pages
from rankproof.telling import probe_text
from rankproof.telling.run_report import Report

CASE = corpus.load(corpus.HERE / "ties/renamed-doc.toml")
NOTES = {"1": {"a": "by rows"}, "2": {"a": "by rows", "b": "in pairs"}, "3": {"b": "of late"}}
"""What three versions of a library say of how they were asked."""


def answer(value: float, *conventions: str, who: Subject, measure: str = "nDCG@5", case: str = CASE.id) -> Row:
    verdict = Verdict.CONVENTION if conventions else Verdict.AGREES
    return Row(case, who, measure, None, verdict, value, None, 0.5, conventions)


# -- libraries --------------------------------------------------------------------------------------------------------


@pytest.fixture
def told_of(tmp_path: Path) -> Callable[..., Told]:
    """What pages tell from, of some fingerprints of ada, bob and cyd."""
    names = ("ada", "bob", "cyd")
    for name in names:
        (tmp_path / f"{name}.toml").write_text(FAKE.replace("fake", name), encoding="utf-8")
    known = [Library(name, tmp_path / f"{name}_adapter.py", load(tmp_path / f"{name}.toml")) for name in names]
    asked = [installation(name, {"version": "1", "variants": {"v": ""}}).as_json() for name in names]

    def told(found: Sequence[Fingerprint], rows: Sequence[Row] = (), cases: Sequence[corpus.Case] = (CASE,)) -> Told:
        whole = (*rows, *(answer(0.5, who=Subject(name, "v", "1"), measure="P@1") for name in names))
        return Told(Report(RunResults({"asked": asked}, whole, {}), cases, known), Findings(tuple(found), proved=True))

    return told


def test_a_library_of_which_only_a_choice_is_told_breaks_no_law() -> None:
    def found(name: str, *kinds: FindingKind) -> ProbedLibrary:
        who = Subject(name, "v", "1")
        told = tuple(
            ProbeFinding("rows", who, "RR", kind, f"{kind} it", CASE.input, None, ("as given", "changed"), (0.5, 0.25))
            for kind in kinds
        )
        return ProbedLibrary(Installation(name, "1"), told)

    tells, depends = FindingKind.TELLS, FindingKind.DEPENDS
    probed = [
        found("ada", tells),
        found("bob", depends, tells),
        found("cyd"),
        ProbedLibrary(Installation("dan", not_installed="no")),
    ]
    *_, closing = probe_text.told(probed)
    assert closing == "3 libraries probed: 1 depends, 2 tells; nothing of ada, cyd"


def test_answers_to_three_queries_are_told_of_each_and_those_to_measures_together() -> None:
    def found(measure: str, query: str | None, *answers: float) -> ProbeFinding:
        who, asked = Subject("ada", "v", "1"), ("as given", "changed")
        return ProbeFinding(
            "rows",
            who,
            measure,
            FindingKind.DEPENDS,
            "it moves",
            CASE.input,
            None,
            asked,
            (answers[0], answers[1]),
            query,
        )

    every = (
        found("RR", "q2", 0.5, 1.0),
        found("AP", "q1", 0.5, 1.0),
        found("AP", "q2", 0.5, 1.0),
        found("P@1", "q2", 0.0, 1.0),
        found("RR", "q2", 0.5, 1.0),
    )
    lines = list(probe_text.told([ProbedLibrary(Installation("ada", "1"), every)]))
    assert [line.strip() for line in lines if " of query " in line] == [
        "ada RR, AP of query q2: as given .5, changed 1",
        "ada AP of query q1: as given .5, changed 1",
        "ada P@1 of query q2: as given 0, changed 1",
    ]


def test_of_a_changed_input_what_differs_is_told_in_lines_that_nothing_breaks() -> None:
    data = Input((("q", "a", 1),), (("q", "a", 2.0, 1),))
    again = replace(data, qrels=(("q", "a", 3),))
    finding = ProbeFinding(
        "rels", Subject("ada\nx", "v", "1"), "AP", FindingKind.DEPENDS, "it moves", data, again, ("", "rels\nchanged"), (0.5, 1.0)
    )  # fmt: skip
    lines = list(probe_text.told([ProbedLibrary(Installation("ada", "1"), (finding,))]))
    same, last = ["    qrels q 0 a 1", "    run q Q0 a 1 2 run", "    rels changed:"], "        ada x AP: .5, then 1"
    assert lines[:9] == ["it moves", "    ada x  AP", "", "it moves", *same, "    qrels q 0 a 3", last]
    assert list(probe_text.told([])) == ["0 libraries probed: nothing found"]


@pytest.fixture
def three_profiles(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three profiles are known, and no library."""
    known = {
        "ada": Profile({"nDCG@k": STANDARD.replace(gain="exp", ties="best")}, open={"nDCG@k": {"gain": ("exp", "linear")}}),
        "bob": Profile({"nDCG@k": STANDARD.replace(gain="exp", ties="best")}),
        "cyd": Profile({"AP": STANDARD.replace(ties="best")}, open={"AP": {"missing": ("0", "nan")}}),
    }  # fmt: skip
    monkeypatch.setattr(habits, "PROFILES", known)
    monkeypatch.setattr(habits, "profile_named", known.__getitem__)
    for nobody in ("published", "read_ways"):
        monkeypatch.setattr(habits, nobody, dict)
    habits._counted.cache_clear()
    yield
    habits._counted.cache_clear()


@pytest.mark.usefixtures("three_profiles")
def test_what_is_undetermined_of_somebody_counts_as_nobodys_habit() -> None:
    ndcg, ap = parse("nDCG@10"), parse("AP")
    assert [makers(ndcg, *choice) for choice in (("gain", "exp"), ("ties", "best"), ("missing", "0"))] == [
        Makers(1, 1), Makers(2, 3), Makers(2, 2),
    ]  # fmt: skip
    assert [makers(ap, *choice) for choice in (("ties", "best"), ("missing", "0"))] == [Makers(1, 3), Makers(0, 2)]


# -- axes -------------------------------------------------------------------------------------------------------------


def test_the_example_of_an_axis_is_the_measure_to_which_most_values_are_given(told_of: Callable[..., Told]) -> None:
    said = {"nDCG@5": (0.25, 0.25, 0.25), "AP": (0.25, 0.75, 1.0), "RR": (0.25, 0.75, 0.25)}
    rows = [
        answer(value, "ties=input", who=Subject(name, "v", "1"), measure=measure)
        for measure, values in said.items()
        for name, value in zip(("ada", "bob", "cyd"), values, strict=True)
    ]
    assert axis_pages.page(told_of([], rows), "ties")["smallest"]["line"].measure == "AP"


def test_the_example_of_an_axis_is_of_the_six_smallest_cases_that_of_most_answers(told_of: Callable[..., Told]) -> None:
    """Seventeen cases, the smallest last: the sixth has two answers, the seventh three, and the fifth one that nobody expects."""
    few = corpus.load(corpus.HERE / "ties/straddles-cutoff.toml")  # of P@2 it expects 0, 1/4 and 1/2
    own = [("q1", f"x{i}", -1.0 - i, 9) for i in range(17)]
    several = [
        replace(few, id=f"ties/{n}", input=replace(few.input, run=(*few.input.run, *own[:n]))) for n in range(17)
    ]
    values = {4: (0.123,), 5: (0.25, 0.5), 6: (0.0, 0.25, 0.123)}
    rows = [
        answer(value, "ties=docid-asc", who=Subject(name, "v", "1"), measure="P@2", case=case.id)
        for n, case in enumerate(several)
        for name, value in zip(("ada", "bob", "cyd"), values.get(n, (0.5,)), strict=False)
    ]
    view = axis_pages.page(told_of([], rows, [*reversed(several)]), "ties")
    assert view["smallest"]["case"].id == "ties/5"
    assert [case.id for case in view["deciding"]] == [f"ties/{n}" for n in range(16)]


def test_a_value_that_only_rows_show_is_on_the_page_of_its_axis_and_labelings_stand_by_their_length(
    told_of: Callable[..., Told],
) -> None:
    told = told_of([], [answer(0.25, "gain=map:1=3", who=Subject("ada", "v", "1"))], corpus.load_matching(["labels/*"]))
    assert [value for value, *_ in axis_pages.page(told, "gain")["values"]][-1] == "map:1=3"
    sizes = [len(case.input.true or ()) for case in axis_pages.page(told, "degenerate")["deciding"]]
    assert sizes == sorted(sizes)
    assert len({*sizes}) > 2


# -- measures and libraries -------------------------------------------------------------------------------------------


def test_fourteen_forms_of_measures_can_be_picked_and_those_of_a_measure_stand_by_their_length(
    told_of: Callable[..., Told],
) -> None:
    asked_most = ["nDCG@k", "nDCG", "AP", "AP@k", "RR", "RR@k", "P@k", "Success@k", "R@k", "LRAP", "AUC"]
    keys = [*reversed(asked_most), "Rprec", "ERR@k", "DCG@k", "Bpref", "nDCG(dcg='exp-log2')@k"]
    found = [Fingerprint(Subject("ada", "v", "1"), key, STANDARD, {}, 1, 1, (), "") for key in keys]
    told = told_of(found)
    assert told.leading == [*asked_most, "Bpref", "DCG@k", "ERR@k"]
    (ndcg,) = (line for line in measure_pages.index(told)["of_runs"] if line["name"] == "nDCG")
    assert [shown for shown, _ in ndcg["forms"]] == ["nDCG", "nDCG@10", "nDCG(dcg='exp-log2')@10"]


def test_of_questions_about_a_measure_those_of_small_cases_stand_first(told_of: Callable[..., Told]) -> None:
    """The case of 26 lines has three answers, the other two."""
    few = corpus.load(corpus.HERE / "ties/straddles-cutoff.toml")
    values = {CASE.id: (0.25, 0.5, 1.0), few.id: (0.25, 0.5, 0.5)}
    rows = [
        answer(value, *["ties=best"] * (value > 0.25), who=Subject(name, "v", "1"), measure="P@2", case=case)
        for case, own in values.items()
        for name, value in zip(("ada", "bob", "cyd"), own, strict=True)
    ]
    assert [one.case.id for one in measure_pages.page(told_of([], rows, [CASE, few]), "P")["disputes"]] == [
        few.id,
        CASE.id,
    ]


def test_what_each_version_of_a_library_notes_is_told_once(told_of: Callable[..., Told]) -> None:
    told = told_of([])
    asked = [
        {"library": "ada", "version": version, "variants": {"v": ""}, "notes": notes}
        for version, notes in NOTES.items()
    ]
    told = replace(told, report=replace(told.report, results=replace(told.report.results, header={"asked": asked})))
    (ada,) = (line for line in library_pages.index(told)["lines"] if line["name"] == "ada")
    assert ada["notes"] == ["by rows", "in pairs", "of late"]
