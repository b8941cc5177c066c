"""Every kind of answer against every claim: what holds holds by one way alone, and each way to be wrong about it is told apart."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from fake_sheets import FAKE

from rankproof import cases as corpus
from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import read
from rankproof.asking.sheets import Sheet
from rankproof.asking.sheets import read as read_sheet
from rankproof.asking.subjects import Subject
from rankproof.cases import Case
from rankproof.judging.verdicts import FAILS, HOLDS, Row, Verdict, judge
from rankproof.matching.reference_answers import Oracle, Refused, Values
from rankproof.reference_impl.notation import parse

SUBJECT = Subject("fake", "v", "1")
SHEET = f"""{FAKE}
[profiles.v]
P = "{{claim}}"
AP = "{{claim}}"
RR = "{{claim}}"
"""
PIN = "\n[[known]]\nreason = 'it cannot count'\nobserved = '''\n{pin}\n'''\n"


@dataclass(frozen=True)
class Asked:
    """A case, and what the reference says of it under the claims that are tried."""

    case: Case
    measure: str
    oracle: Oracle

    def rows(self, raw: Mapping[str, Any], claim: str = "standard", pin: str = "") -> list[Row]:
        """An answer, judged against a claim; `pin` is `query observation`."""
        seen = read(self.case.id, SUBJECT, self.measure, raw)
        library = Library("fake", Path("fake_adapter.py"), self.sheet(claim, pin))
        return list(judge(self.case, self.oracle, library, seen))

    def sheet(self, claim: str, pin: str) -> Sheet:
        """The sheet that claims and pins this, and nothing else."""
        pinned = PIN.format(pin=f"{self.case.id} v {self.measure} {pin}") if pin else ""
        return read_sheet(Path("fake.toml"), SHEET.format(claim=claim) + pinned)


def asked(case: Case, measure: str) -> Asked:
    return Asked(case, measure, Oracle(case.input))


@pytest.fixture(scope="module")
def tied() -> Asked:
    """P@2 is 0 where tied docs stand by descending docid, and 1/2 by ascending."""
    return asked(corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml"), "P@2")


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """Every profile refuses a doc that is retrieved twice, unless it says which counts."""
    path = tmp_path_factory.mktemp("topic") / "twice.toml"
    path.write_text(
        'question = "a doc is retrieved twice"\nwhy = "it happens in real runs"\nsource = "own"\ntags = ["duplicates"]\n'
        'qrels = "q1 a 1"\nrun = """\nq1 a 2\nq1 a 1\n"""\n[expect.AP]\nstandard = "rejected"\n'
    )
    return asked(corpus.load(path), "AP")


@pytest.fixture(scope="module")
def missing(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """RR is 1, and 1/2 over both queries; the second is missing from the run."""
    path = tmp_path_factory.mktemp("topic") / "missing.toml"
    path.write_text(
        'question = "a judged query is missing"\nwhy = "it happens in real runs"\nsource = "own"\ntags = ["queries"]\n'
        'qrels = """\nq1 a 1\nq2 a 1\n"""\nrun = "q1 a 2"\n[expect.RR]\nstandard = { mean = "1/2" }\n'
    )
    return asked(corpus.load(path), "RR")


def mean(value: object) -> dict[str, Any]:
    return {"per_query": None, "mean": value}


# -- what is pinned ---------------------------------------------------------------------------------------------------

ANSWERS: Mapping[str, tuple[dict[str, Any], Verdict]] = {
    "0.25": (mean(0.25), Verdict.UNEXPLAINED),
    "nan": (mean("nan"), Verdict.UNEXPLAINED),
    "inf": (mean("inf"), Verdict.UNEXPLAINED),
    "ValueError: no": ({"error": {"type": "ValueError", "message": "no"}}, Verdict.ERROR),
    "ValueError: no such doc": ({"error": {"type": "ValueError", "message": "no such doc"}}, Verdict.ERROR),
    "KeyError: no": ({"error": {"type": "KeyError", "message": "no"}}, Verdict.ERROR),
    "KeyError": ({"error": {"type": "KeyError", "message": ""}}, Verdict.ERROR),
    **{
        f"{kind}: it ended by SIGSEGV": ({"failed": str(kind), "message": "it ended by SIGSEGV"}, kind)
        for kind in sorted(FAILS - {Verdict.UNEXPLAINED, Verdict.ERROR, Verdict.UNSTABLE})
    },
    "crash: it ended by SIGABRT": ({"failed": "crash", "message": "it ended by SIGABRT"}, Verdict.CRASH),
    "unstable": (mean(0.5) | {"again": mean(0.25)}, Verdict.UNSTABLE),
}  # fmt: skip
"""What a sheet pins, the answer that it means, and the verdict on that answer where nothing is pinned."""


@pytest.mark.parametrize("said", ANSWERS)
def test_an_answer_is_known_by_its_own_pin_and_by_no_other(said: str, tied: Asked) -> None:
    raw, verdict = ANSWERS[said]
    (row,) = tied.rows(raw)
    assert (row.verdict, row.observed) == (verdict, said)
    for pinned in ANSWERS:
        (row,) = tied.rows(raw, pin=f"mean {pinned}")
        assert (row.verdict is Verdict.KNOWN) == (pinned == said), pinned
        assert row.observed == said, "what was observed is told, whatever is pinned"
        if pinned == said:
            assert row.note == "it cannot count"
        elif verdict is not Verdict.UNSTABLE:
            assert row.note == f"the sheet pins {pinned}: it moved"


@pytest.mark.parametrize("said", ANSWERS)
def test_a_pin_at_another_place_is_none_of_it(said: str, tied: Asked) -> None:
    (row,) = tied.rows(ANSWERS[said][0], pin=f"q1 {said}")
    assert row.verdict is ANSWERS[said][1]


def test_what_differs_from_machine_to_machine_is_left_out_of_a_pin_and_nothing_else(tied: Asked) -> None:
    def verdict(text: str) -> Verdict:
        (row,) = tied.rows({"error": {"type": "OSError", "message": text}}, pin="mean OSError: no …, try again")
        return row.verdict

    assert verdict("no /tmp/a/b, try again") is Verdict.KNOWN
    assert {verdict(text) for text in ("no /tmp/a/b", "none, try again", "no x, try again later")} == {Verdict.ERROR}


# -- what is refused --------------------------------------------------------------------------------------------------

FAILURES = [said for said, (raw, _) in ANSWERS.items() if raw.keys() & {"error", "failed"}]
CLAIMS = {"standard": Verdict.AGREES, "ties=docid-asc": Verdict.AGREES, "run_duplicates=first": None}
"""A claim, and what a refusal of the doc that is retrieved twice is under it; None where the claim does not refuse."""


@pytest.mark.parametrize(("said", "claim"), list(itertools.product(FAILURES, CLAIMS)))
def test_only_an_error_is_a_refusal_and_only_where_the_claim_refuses(said: str, claim: str, refused: Asked) -> None:
    raw, verdict = ANSWERS[said]
    (row,) = refused.rows(raw, claim)
    expected = CLAIMS[claim] if "error" in raw else None
    assert row.verdict is (expected or verdict)
    assert (row.observed, row.expected, row.conventions) == (said, None, ())


@pytest.mark.parametrize("said", FAILURES)
def test_a_refusal_that_standard_does_not_know_is_a_convention(said: str, missing: Asked) -> None:
    raw, verdict = ANSWERS[said]
    (row,) = missing.rows(raw, "missing=rejected ties=docid-asc")
    refuses = "error" in raw
    assert row.verdict is (Verdict.CONVENTION if refuses else verdict)
    assert (row.conventions, row.expected) == (("missing=rejected",) if refuses else (), 0.5)
    (row,) = missing.rows(raw, "ties=docid-asc")
    assert row.verdict is verdict, "the claim gives numbers"


@pytest.mark.parametrize("value", [0.0, 1.0, "nan"])
def test_a_number_is_no_refusal(value: object, refused: Asked, missing: Asked) -> None:
    (row,) = refused.rows(mean(value))
    assert row.verdict is Verdict.UNEXPLAINED
    assert row.note == "the sheet's profile (standard) gives a refusal"
    (row,) = missing.rows(mean(0.5), "missing=rejected")
    assert row.verdict is Verdict.UNEXPLAINED, "what standard says is not what is claimed"


def test_a_refusal_of_the_reference_says_by_which_axis_and_why(refused: Asked, missing: Asked, tied: Asked) -> None:
    twice = refused.oracle.answers(parse("AP"), "standard")
    assert isinstance(twice, Refused)
    assert (twice.axis, "'a'" in twice.reason) == ("run_duplicates", True)
    gone = missing.oracle.answers(parse("RR"), "missing=rejected")
    assert isinstance(gone, Refused)
    assert (gone.axis, "q2" in gone.reason) == ("missing", True)
    huge = replace(tied.case.input, qrels=(("q1", "a", 10**9),))
    overflow = Oracle(huge).answers(parse("DCG(dcg='exp-log2')"), "standard")
    assert isinstance(overflow, Refused)
    assert (overflow.axis, overflow.reason != "") == ("", True)


def test_ids_that_are_numbers_and_labelings_are_put_to_the_reference_with_the_conventions(tied: Asked) -> None:
    given, rr = tied.case.input, parse("RR")
    docs = replace(given, qrels=(("q1", 1, 1),), run=(("q1", 1, 1.0, 1),))
    queries = replace(given, qrels=((1, "a", 1),), run=((1, "a", 1.0, 1),))
    refusing = {
        (name, ids)
        for name, one in (("text", given), ("docs", docs), ("queries", queries))
        for ids in ("any", "text", "text-docs")
        if isinstance(Oracle(one).answers(rr, f"ids={ids}"), Refused)
    }
    assert refusing == {("docs", "text"), ("docs", "text-docs"), ("queries", "text")}
    empty = Oracle(corpus.load(corpus.HERE / "labels" / "empty.toml").input)
    worth = {spec: empty.answers(parse("V"), spec) for spec in ("standard", "degenerate=0")}
    assert [
        float(answers.mean) for answers in worth.values() if isinstance(answers, Values) and answers.mean is not None
    ] == [1.0, 0.0]


# -- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "claim", "verdict", "conventions"),
    [
        (0.0, "standard", Verdict.AGREES, ()), (0.5, "standard", Verdict.UNEXPLAINED, ()),
        (0.5, "ties=docid-asc", Verdict.CONVENTION, ("ties=docid-asc",)), (0.0, "ties=docid-asc", Verdict.UNEXPLAINED, ()),
        (0.5, "ties=docid-asc order=score gain=exp", Verdict.CONVENTION, ("ties=docid-asc",)),
        (0.0, "gain=exp", Verdict.AGREES, ()), (1e-12, "standard", Verdict.UNEXPLAINED, ()),
        (0.5 + 1e-10, "ties=docid-asc", Verdict.UNEXPLAINED, ()), ("nan", "standard", Verdict.UNEXPLAINED, ()),
        ("-inf", "standard", Verdict.UNEXPLAINED, ()), (-0.5, "ties=docid-asc", Verdict.UNEXPLAINED, ()),
    ],
)  # fmt: skip
def test_a_number_holds_where_the_claim_gives_it(
    value: object, claim: str, verdict: Verdict, conventions: tuple[str, ...], tied: Asked
) -> None:
    (row,) = tied.rows(mean(value), claim)
    assert (row.verdict, row.conventions, row.expected) == (verdict, conventions, 0.0)
    assert row.value == float(str(value)) or value == "nan"
    gives = "0.5" if "docid-asc" in claim else "0.0"
    profile = "standard" if claim == "standard" else claim.replace(" order=score", "")
    if verdict is Verdict.UNEXPLAINED:
        assert row.note in {
            f"the sheet's profile ({' '.join(parts)}) gives {gives}"
            for parts in itertools.permutations(profile.split())
        }


@pytest.mark.parametrize(
    ("value", "holds"),
    [
        (0.0, True), (0.5, True), (0.25, True), (0.3, True), (-0.001, False), (0.501, False), (1.0, False), (-0.5, False),
        ("nan", False), ("inf", False), ("-inf", False),
    ],
)  # fmt: skip
def test_where_no_order_of_ties_is_claimed_a_number_holds_between_the_worst_order_and_the_best(
    value: object, holds: bool, tied: Asked  # noqa: FBT001 - a parameter of a test
) -> None:  # fmt: skip
    for raw in (mean(value), {"per_query": {"q1": value}, "mean": value}, {"per_query": {"q1": value}, "mean": None}):
        (row,) = tied.rows(raw, "ties=unspecified")
        assert row.verdict is (Verdict.CONVENTION if holds else Verdict.UNEXPLAINED)
        assert row.conventions == (("ties=unspecified",) if holds else ())
        assert (row.query, row.expected) == (None if raw["mean"] is not None else "q1", 0.0)
        assert row.observed == str(value)


@pytest.mark.parametrize(("value", "verdict"), [(1.0, Verdict.AGREES), (0.5, Verdict.UNEXPLAINED)])
def test_where_no_docs_are_tied_no_order_is_no_excuse(value: float, verdict: Verdict, tmp_path: Path) -> None:
    path = tmp_path / "topic" / "untied.toml"
    path.parent.mkdir()
    path.write_text(
        'question = "nothing is tied here"\nwhy = "most runs are so"\nsource = "own"\ntags = ["ties"]\nqrels = "q1 a 1"\n'
        'run = """\nq1 a 2\nq1 b 1\n"""\n[expect.RR]\nstandard = "1"\n'
    )
    (row,) = asked(corpus.load(path), "RR").rows(mean(value), "ties=unspecified")
    assert (row.verdict, row.conventions) == (verdict, ())


# -- queries ----------------------------------------------------------------------------------------------------------


def test_each_query_and_the_mean_are_judged_by_themselves(missing: Asked) -> None:
    def verdicts(claim: str, **values: object) -> dict[str | None, Verdict]:
        told = {query: value for query, value in values.items() if query != "mean"}
        return {row.query: row.verdict for row in missing.rows({"per_query": told, "mean": values.get("mean")}, claim)}

    holds, fails = Verdict.AGREES, Verdict.UNEXPLAINED
    assert verdicts("standard", q1=1, q2=0, mean=0.5) == {"q1": holds, "q2": holds, None: holds}
    assert verdicts("standard", q1=1, mean=1) == {"q1": holds, "q2": fails, None: fails}
    assert verdicts("standard", q1=0, q2=1, mean=0.5) == {"q1": fails, "q2": fails, None: holds}
    assert verdicts("standard", q1=1, q2=0, q3=1) == {"q1": holds, "q2": holds, "q3": fails}, "of a query nobody asked"
    followed = Verdict.CONVENTION
    assert verdicts("missing=dropped", q1=1, mean=1) == {"q1": holds, "q2": followed, None: followed}
    assert verdicts("missing=dropped", q1=1, q2=0, mean=0.5) == {"q1": holds, "q2": fails, None: fails}


def test_a_pin_of_a_query_is_of_that_query(missing: Asked) -> None:
    rows = missing.rows({"per_query": {"q1": 0.3, "q2": 0.3}, "mean": 0.3}, pin="q1 0.3")
    assert {row.query: row.verdict for row in rows} == {
        "q1": Verdict.KNOWN, "q2": Verdict.UNEXPLAINED, None: Verdict.UNEXPLAINED,
    }  # fmt: skip
    rows = missing.rows({"per_query": {"q1": 1.0}, "mean": 0.5}, pin="q2 absent")
    assert {row.query: row.verdict for row in rows}["q2"] is Verdict.KNOWN


def test_a_query_of_which_only_the_claim_says_something_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "topic" / "extra.toml"
    path.parent.mkdir()
    path.write_text(
        'question = "a query was never judged"\nwhy = "it happens in real runs"\nsource = "own"\ntags = ["queries"]\n'
        'qrels = "q1 a 1"\nrun = """\nq1 a 1\nq2 a 1\n"""\n[expect.RR]\nstandard = { mean = "1" }\n'
    )
    extra = asked(corpus.load(path), "RR")

    def verdicts(claim: str, **values: float) -> dict[str | None, Verdict]:
        return {row.query: row.verdict for row in extra.rows({"per_query": values, "mean": None}, claim)}

    assert verdicts("standard", q1=1) == {"q1": Verdict.AGREES}, "nobody says anything of the other"
    assert verdicts("standard", q1=1, q2=0) == {"q1": Verdict.AGREES, "q2": Verdict.UNEXPLAINED}
    assert verdicts("extra=0", q1=1) == {"q1": Verdict.AGREES, "q2": Verdict.UNEXPLAINED}
    assert verdicts("extra=0", q1=1, q2=0) == {"q1": Verdict.AGREES, "q2": Verdict.CONVENTION}
    assert verdicts("extra=0", q1=1, q2=1) == {"q1": Verdict.AGREES, "q2": Verdict.UNEXPLAINED}


# -- what is not judged -----------------------------------------------------------------------------------------------


def test_what_is_unsupported_or_undefined_neither_holds_nor_fails(tied: Asked, tmp_path: Path) -> None:
    (row,) = tied.rows({"unsupported": "it has no P"}, pin="mean 0.5")
    assert (row.verdict, row.note, row.observed, row.expected) == (Verdict.UNSUPPORTED, "it has no P", "", None)
    path = tmp_path / "topic" / "nan.toml"
    path.parent.mkdir()
    path.write_text(
        'question = "a score is NaN"\nwhy = "no order is right"\nsource = "own"\ntags = ["undefined"]\nmeasures = ["AP"]\n'
        'qrels = "q1 a 1"\nrun = "q1 a nan"\n'
    )
    undefined = asked(corpus.load(path), "AP")
    for raw, _ in ANSWERS.values():
        for row in undefined.rows(raw):
            assert (row.verdict, row.expected) == (Verdict.UNDEFINED, None)
    assert not {Verdict.UNSUPPORTED, Verdict.UNDEFINED, Verdict.NOT_INSTALLED} & (HOLDS | FAILS)


def test_every_verdict_of_an_answer_is_reached_here() -> None:
    reached = {verdict for _, verdict in ANSWERS.values()}
    elsewhere = {Verdict.NOT_INSTALLED}
    holding = {Verdict.AGREES, Verdict.CONVENTION, Verdict.KNOWN, Verdict.UNSUPPORTED, Verdict.UNDEFINED}
    assert reached | holding | elsewhere == set(Verdict)
