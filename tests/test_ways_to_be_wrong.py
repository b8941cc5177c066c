"""Every kind of answer against every claim: what holds holds by one way alone, and each way to be wrong about it is told apart."""

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


def test_what_differs_from_machine_to_machine_is_left_out_of_a_pin_and_nothing_else(tied: Asked) -> None:
    def verdict(text: str) -> Verdict:
        (row,) = tied.rows({"error": {"type": "OSError", "message": text}}, pin="mean OSError: no …, try again")
        return row.verdict

    assert verdict("no /tmp/a/b, try again") is Verdict.KNOWN
    assert {verdict(text) for text in ("no /tmp/a/b", "none, try again", "no x, try again later")} == {Verdict.ERROR}


# -- what is refused --------------------------------------------------------------------------------------------------


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
    ("value", "holds"),
    [
        (0.0, True), (0.5, True), (0.25, True), (0.3, True), (-0.001, False), (0.501, False), (1.0, False), (-0.5, False),
        ("nan", False), ("inf", False), ("-inf", False), (0.5 + 1e-8, False),
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


# -- queries ----------------------------------------------------------------------------------------------------------


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
