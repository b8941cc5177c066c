"""What lies just beside: infinities below as above, docs that share a rank, files that change names, queries with more than others have."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from rankproof.asking.observations import Answered
from rankproof.asking.store import digest_of_files
from rankproof.cases.inputs import Input
from rankproof.matching.reference_answers import Oracle, Refused, Values
from rankproof.probing import laws
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.profiles import profile


def _input(qrels: str, run: str) -> Input:
    """`q a1 b0` is a query with its judgments, `q a:3 b:2` one with its rows."""
    judged = [(query, doc[:-1], int(doc[-1])) for query, *docs in map(str.split, qrels.split(";")) for doc in docs]
    ranked = [
        (query, doc.partition(":")[0], float(doc.partition(":")[2]), rank)
        for query, *docs in map(str.split, run.split(";"))
        for rank, doc in enumerate(docs, start=1)
    ]
    return Input(qrels=tuple(judged), run=tuple(ranked))


@pytest.mark.parametrize(
    ("measure", "spec", "qrels", "run", "expected"),
    [
        # -inf is no less infinite than inf
        ("P@1", "infinite=rejected", "q a1", "q a:1 b:-inf", None), ("P@1", "infinite=rejected", "q a1", "q b:inf a:1", None),
        ("P@1", "infinite=rejected", "q a1", "q a:1e308 b:-1e308", 1.0), ("P@1", "infinite=ordered", "q a1", "q a:1 b:-inf", 1.0),
        # one query with a name is enough
        ("P@1", "ids=digit-queries", "1 a1; q2 a1", "1 a:1; q2 a:1", None), ("P@1", "ids=digit-queries", "1 a1; 2 b1", "1 a:1; 2 b:1", 1.0),
        # one relevant doc and one judged non-relevant doc share the last rank of their group: the one is not above the other; R = 3, N = 1
        ("Bpref", "ties=last-rank", "q a1 b0 c1 d1", "q a:2 b:2 c:1", 0.0),
        ("Bpref", "ties=last-rank", "q a1 b0 c1 d1", "q a:3 b:2 c:1", 1 / 3),
        ("Bpref", "ties=last-rank", "q a1 b0 c1 d1", "q c:3 a:2 b:2", 1 / 3),
        # below two docs, of which none is relevant, three are tied: the cut at 3 takes one of them
        ("Success@3", "ties=expectation", "q r1", "q a:2 b:2 r:1 c:1 d:1", 1 / 3),
        ("Success@4", "ties=expectation", "q r1", "q a:2 b:2 r:1 c:1 d:1", 2 / 3),
        ("Success@1", "ties=expectation", "q r1", "q a:2 b:2 r:1 c:1 d:1", 0.0),
    ],
)  # fmt: skip
def test_a_value_worked_out_by_hand(measure: str, spec: str, qrels: str, run: str, expected: float | None) -> None:
    answers = Oracle(_input(qrels, run)).answers(parse(measure), profile(spec))
    if expected is None:
        assert isinstance(answers, Refused)
    else:
        assert isinstance(answers, Values)
        assert to_float(answers.mean) == pytest.approx(expected, abs=1e-15)


def test_files_that_change_names_are_others(tmp_path: Path) -> None:
    """The content of an adapter under another name is another adapter; where the folder lies is no matter."""
    contents = {"a_adapter.py": "1", "b_helper.py": "2", "c.toml": "3"}
    names = list(contents)
    found = set()
    for turn, folder in enumerate(("x", "y", "z")):
        for place in (tmp_path / folder, tmp_path / "elsewhere" / folder):
            place.mkdir(parents=True)
            for name, text in zip(names, [*contents.values()][turn:] + [*contents.values()][:turn], strict=True):
                (place / name).write_text(text)
        one, other = (
            digest_of_files(place.iterdir()) for place in (tmp_path / folder, tmp_path / "elsewhere" / folder)
        )
        assert one == other
        found.add(one)
    renamed = tmp_path / "x" / "a_adapter.py"
    found.add(
        digest_of_files(
            [
                renamed.rename(renamed.with_name("aa_adapter.py")),
                tmp_path / "x" / "b_helper.py",
                tmp_path / "x" / "c.toml",
            ]
        )
    )
    assert len(found) == 4


@dataclass
class Reference:
    """The reference, asked as a library is; `off` is what it adds to a measure."""

    off: dict[str, float]

    def __call__(self, data: Input, measure: Measure) -> Answered:
        """What it says of each query, and of all."""
        answers = Oracle(data).answers(measure, STANDARD)
        assert isinstance(answers, Values)
        off = self.off.get(str(measure), 0.0)
        values = {query: to_float(value) + off for query, value in answers.per_query.items()}
        return Answered(values, to_float(answers.mean) + off)

    def precision(self, *_: Measure) -> list[str]:
        """As floats are."""
        return ["float64"]


FEW_AND_MANY = _input("1 a1 b0; 2 c1 d1 e2 f0; 3 g1 h1 i0", "1 a:2 b:1; 2 c:2 d:1; 3 g:2 i:1")
"""One query has one relevant doc, one has three, and one has two."""


@pytest.mark.parametrize(
    ("measure", "holds"),
    [
        ("AP@3", True),
        ("AP@2", False),
        ("R@3", True),
        ("R@2", False),
        ("P@1", True),
        ("P@2", False),
        ("RR", True),
        ("nDCG@2", True),
    ],
)
def test_the_truth_is_held_to_1_where_it_is_1_for_all_queries(measure: str, *, holds: bool) -> None:
    """At a cutoff between the fewest and the most relevant docs of a query, the truth itself is worth less."""
    ask: Any = Reference({})
    assert laws.truth_is_one(ask, FEW_AND_MANY, parse(measure)) is None
    wrong: Any = Reference({measure: -0.125})
    assert (laws.truth_is_one(wrong, FEW_AND_MANY, parse(measure)) is not None) == holds


@pytest.mark.parametrize(
    ("measure", "further", "asked"),
    [
        ("nDCG@2", "nDCG@4", False),
        ("nDCG@3", "nDCG@6", False),
        ("nDCG@4", "nDCG@8", True),
        ("AP@4", "AP@8", True),
        ("RR", "RR@20", True),
    ],
)
def test_a_cutoff_beyond_lists_and_judgments_changes_nothing(measure: str, further: str, *, asked: bool) -> None:
    """A cutoff beyond the rankings alone may: the ideal goes on."""
    ask: Any = Reference({})
    assert laws.cutoff_beyond(ask, FEW_AND_MANY, parse(measure)) is None
    wrong: Any = Reference({further: -0.125})
    assert (laws.cutoff_beyond(wrong, FEW_AND_MANY, parse(measure)) is not None) == asked


@pytest.mark.parametrize(
    ("off", "is_found"), [(0.0, False), (-2.0, True), (2.0, True), (-0.125, False), (math.inf, True)]
)
def test_a_value_is_found_that_is_below_0_or_above_1(off: float, *, is_found: bool) -> None:
    """P@2 is 1/2, 1 and 1/2 of the three queries, or so much more."""
    ask: Any = Reference({"P@2": off})
    assert (laws.bounds(ask, FEW_AND_MANY, parse("P@2")) is not None) == is_found


def test_what_becomes_of_a_query_without_rows_is_told_where_no_other_has_none() -> None:
    ask: Any = Reference({})
    told = laws.empty_query(ask, FEW_AND_MANY, parse("AP"))
    assert told is not None
    assert told.says == "a judged query that was not retrieved is worth 0 in the mean"
    assert laws.empty_query(ask, replace(FEW_AND_MANY, run=FEW_AND_MANY.run[:-2]), parse("AP")) is None
