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
from rankproof.explaining import habits
from rankproof.explaining.habits import Makers, makers
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.judging.results_file import RunResults
from rankproof.judging.verdicts import Row, Verdict
from rankproof.probing.probe_findings import FindingKind, ProbeFinding
from rankproof.probing.running import ProbedLibrary
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import Profile
from rankproof.site.axis_knowledge import Findings
from rankproof.site.matrix import matrix as sites_matrix
from rankproof.site.page_sources import Told
from rankproof.site.pages import axis_pages, compare_pages, library_pages
from rankproof.telling import probe_text
from rankproof.telling.choice_matrix import matrix
from rankproof.telling.fingerprint_tables import two_minds
from rankproof.telling.run_report import Report

CASE = corpus.load(corpus.HERE / "ties/renamed-doc.toml")


def answer(value: float, *conventions: str, who: Subject, measure: str = "nDCG@5", case: str = CASE.id) -> Row:
    verdict = Verdict.CONVENTION if conventions else Verdict.AGREES
    return Row(case, who, measure, None, verdict, value, None, 0.5, conventions)


def fingerprint(library: str, key: str, **found: str | tuple[str, ...] | None) -> Fingerprint:
    """What it follows: a value, several that no answer tells apart, or that it is undetermined."""
    axes = {}
    for axis, value in found.items():
        first, *same = (value,) if not isinstance(value, tuple) else value
        axes[axis] = AxisFinding(axis, first, CASE.id, key, {}, ("a", "b") if first is None else (), "", tuple(same))
    return Fingerprint(Subject(library, "v", "1"), key, STANDARD, axes, 3, 3, (), "")


# -- libraries --------------------------------------------------------------------------------------------------------


def test_a_library_is_of_two_minds_only_where_no_value_could_be_that_of_both() -> None:
    found = [
        fingerprint("ada", "AP", ties=("docid-asc", "input"), missing="0", order="rank"),
        fingerprint("ada", "P@k", ties="input", missing="nan", order=None),
        fingerprint("ada", "RR", ties=("input", "best"), missing="0", order="rank"),
        fingerprint("bob", "AP", ties="best", missing="0"),
        fingerprint("bob", "RR", ties="worst", missing=("0", "nan")),
    ]
    told = [(torn.name, torn.axis, dict(torn.values)) for torn in two_minds(found)]
    assert told == [
        ("ada", "missing", {"0": ("AP", "RR"), "nan": ("P@k",)}),
        ("bob", "ties", {"best": ("AP",), "worst": ("RR",)}),
    ]


def test_a_library_that_is_seen_by_two_forms_alone_is_shown_by_neither() -> None:
    exp, by_rank = "nDCG(dcg='exp-log2')@k", "nDCG(dcg='rank')@k"
    found = [
        fingerprint("ada", exp, ties="input"),
        fingerprint("bob", exp, ties="input"),
        fingerprint("bob", by_rank, ties="best"),
        fingerprint("cyd", by_rank, ties="best"),
        fingerprint("cyd", "nDCG@k", ties="worst"),
    ]
    rows = matrix(parse("nDCG@10"), found).rows
    assert [(row.library, row.key) for row in rows] == [("ada", exp), ("cyd", "nDCG@k")]


@pytest.fixture
def told_of(tmp_path: Path) -> Callable[..., Told]:
    """What pages tell from, of some fingerprints of ada, bob and cyd."""
    names = ("ada", "bob", "cyd")
    for name in names:
        (tmp_path / f"{name}.toml").write_text(FAKE.replace("fake", name), encoding="utf-8")
    known = [Library(name, tmp_path / f"{name}_adapter.py", load(tmp_path / f"{name}.toml")) for name in names]
    asked = [installation(name, {"version": "1", "variants": {"v": ""}}).as_json() for name in names]

    def told(found: Sequence[Fingerprint], rows: Sequence[Row] = ()) -> Told:
        whole = (*rows, *(answer(0.5, who=Subject(name, "v", "1"), measure="P@1") for name in names))
        return Told(Report(RunResults({"asked": asked}, whole, {}), [CASE], known), Findings(tuple(found), proved=True))

    return told


def test_what_all_measures_of_a_library_share_is_what_each_of_them_does(
    told_of: Callable[..., Told],
) -> None:
    told = told_of([
        fingerprint("ada", "AP", ties="input", missing="nan", score="f32"),
        fingerprint("ada", "P@k", ties="best", missing="nan", score="f32"),
        fingerprint("ada", "RR", ties="input", missing="nan"),
        fingerprint("bob", "AP", ties="input", missing="0"),
        fingerprint("bob", "RR", ties="input", missing="nan"),
        fingerprint("cyd", "RR", ties="best"),
    ])  # fmt: skip
    shared = {name: library_pages.page(told, name)["variants"][0]["shared"] for name in ("ada", "bob", "cyd")}
    assert {name: sorted(of) for name, of in shared.items()} == {
        "ada": [("missing", "nan"), ("score", "f32")], "bob": [("ties", "input")], "cyd": [],
    }  # fmt: skip


def test_a_form_that_two_libraries_compute_is_compared_and_one_of_a_single_library_is_not(
    told_of: Callable[..., Told],
) -> None:
    computed = {"AP": ("ada", "bob", "cyd"), "RR": ("bob", "cyd"), "P@k": ("ada",), "R@k": ("ada", "cyd")}
    told = told_of([fingerprint(name, key, ties="input") for key, names in computed.items() for name in names])
    assert sorted(told.compared) == ["AP", "R@k", "RR"]


def test_two_libraries_differ_only_where_neither_may_do_what_the_other_does(told_of: Callable[..., Told]) -> None:
    told = told_of([
        fingerprint("ada", "AP", ties=("input", "best"), missing="nan", score="f32", norel="nan"),
        fingerprint("bob", "AP", ties="best", missing=("0", "nan"), score="f64", norel=None),
        fingerprint("cyd", "AP", ties="worst", missing=("0", "dropped"), score="f32", norel="0"),
    ])  # fmt: skip
    pairs = {pair.id: pair for pair in compare_pages.page(told, "AP")["pairs"]}
    assert {name: sorted(one.axis for one in pair.differences) for name, pair in pairs.items()} == {
        "ada--bob": ["score"], "ada--cyd": ["missing", "norel", "ties"], "bob--cyd": ["score", "ties"],
    }  # fmt: skip
    assert {name: len(pair.open) for name, pair in pairs.items()} == {"ada--bob": 1, "ada--cyd": 0, "bob--cyd": 1}
    lines = {line.axis: line.differs for _, group in sites_matrix(told, "AP").groups for line in group}
    assert lines == {"ties": True, "missing": True, "score": True, "norel": True}
    two = told_of([one for one in told.findings.fingerprints if one.library != "cyd"])
    lines = {line.axis: line.differs for _, group in sites_matrix(two, "AP").groups for line in group}
    assert lines == {"ties": False, "missing": False, "score": True, "norel": False}


def test_of_two_libraries_what_is_furthest_apart_comes_first_by_their_means(told_of: Callable[..., Told]) -> None:
    ada, bob = (Subject(name, "v", "1") for name in ("ada", "bob"))
    moved = {"ties=best": (0.6, "AP"), "missing=nan": (0.9, "AP@5"), "score=f32": (0.7, "AP@10")}
    rows = [answer(value, convention, who=ada, measure=measure) for convention, (value, measure) in moved.items()]
    rows += [replace(row, query="q1", value=0.99) for row in rows]
    rows += [answer(0.5, who=bob, measure=measure) for _, measure in moved.values()]
    axes = {
        "ada": {"ties": "best", "missing": "nan", "score": "f32"},
        "bob": {"ties": "input", "missing": "0", "score": "f64"},
    }
    found = [fingerprint(name, key, **own) for name, own in axes.items() for key in ("AP", "AP@k")]
    shown = {}
    for key in ("AP", "AP@k"):
        (pair,) = compare_pages.page(told_of(found, rows), key)["pairs"]
        shown[key] = [(one.axis, one.shown and (one.shown.first, one.shown.second)) for one in pair.differences]
    assert shown["AP"][0] == ("ties", (".6", ".5"))
    assert shown["AP@k"] == [("missing", (".9", ".5")), ("score", (".7", ".5")), ("ties", None)]


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


def test_an_axis_moves_as_much_as_its_own_values_and_no_axis_of_a_like_name(tmp_path: Path) -> None:
    moved = {
        "ideal=given": 0.4, "ideal_cut=never": 0.1, "score=f32": 0.45, "score_sign=positive": 0.2, "gain=exp": 0.35,
        "gain_threshold=applied": 0.3, "ideal=retrieved": 0.42,
    }  # fmt: skip
    (tmp_path / "ada.toml").write_text(FAKE.replace("fake", "ada"), encoding="utf-8")
    library = Library("ada", tmp_path / "ada_adapter.py", load(tmp_path / "ada.toml"))
    asked = [installation("ada", {"version": "1", "variants": {"v": ""}}).as_json()]
    rows = tuple(answer(value, convention, who=Subject("ada", "v", "1")) for convention, value in moved.items())
    report = Report(RunResults({"asked": asked}, rows, {}), [CASE], [library])
    stages = dict(axis_pages.index(Told(report, Findings((), proved=True)))["stages"])
    told = {line["axis"].name: round(line["largest"], 6) for lines in stages.values() for line in lines}
    largest = {"ideal": 0.1, "ideal_cut": 0.4, "score": 0.05, "score_sign": 0.3, "gain": 0.15, "gain_threshold": 0.2}
    assert told == {axis: largest.get(axis, 0.0) for axis in told}
    assert set(largest) < set(told)
