"""What a form withholds from a function is said of each measure that looks at it, and of no other."""

import pytest

from rankproof.calling.call_forms import FORMS
from rankproof.calling.targets import Target
from rankproof.checking.withheld import withheld
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse

ALL, ONE, PLACED, FLAGS = "all", "one", "placed", "flags"
"""It is told of no doc that is not retrieved; of one relevant doc; of its place, so that it has one; of rels 0 and 1."""
SAID = {
    ALL: ("all relevant docs are retrieved", "{} where a relevant doc is not retrieved"),
    ONE: ("a query has one relevant doc", "what it gives for several relevant docs"),
    PLACED: ("its relevant doc is retrieved", "what it gives where its relevant doc is not retrieved"),
    FLAGS: ("every rel is 0 or 1", "the gain of other rels"),
}
LOOKED_AT = {
    "nDCG@5": {ALL: "its ideal", ONE: "", PLACED: "", FLAGS: ""},
    "R@5": {ALL: "what it divides by", ONE: "", PLACED: ""},
    "P@5": {ONE: "", PLACED: ""},
    "RR@5": {PLACED: ""},
}
"""What each measure looks at: the docs that are not retrieved are in its ideal or in what it divides by, or in nothing."""


@pytest.mark.parametrize("measure", LOOKED_AT)
@pytest.mark.parametrize(
    ("form", "lacks"),
    [
        ("qrels-run", ()),
        ("ids", (FLAGS,)),
        ("rows", (ALL,)),
        ("ranked", (ALL,)),
        ("places-scored", (ALL, FLAGS)),
        ("one-id", (ONE, FLAGS)),
        ("rank", (ONE, FLAGS)),
        ("target-index", (ALL, ONE, FLAGS)),
        ("ranks", (ONE, PLACED, FLAGS)),
        ("places", (ONE, PLACED, FLAGS)),
    ],
)
def test_what_is_withheld_is_said_where_the_measure_looks_at_it(
    form: str, lacks: tuple[str, ...], measure: str
) -> None:
    of_it = [one for one in lacks if one in LOOKED_AT[measure]]
    found = withheld(parse(measure), STANDARD, Target("m:f", FORMS[form]))
    told = None if found is None else (found.wherever, found.beyond)
    wherever = " and ".join(SAID[one][0] for one in of_it)
    beyond = ", ".join(SAID[one][1].format(LOOKED_AT[measure][one]) for one in of_it)
    assert told == ((wherever, beyond) if of_it else None)


@pytest.mark.parametrize(
    ("measure", "open_there"),
    [
        ("nDCG@5", "the gain of other rels"),
        ("nDCG(gains={1:1})@5", ""),
        ("ERR@5", "what it gives for other rels"),
        ("P@5", ""),
        ("P(rel=2)@5", ""),
        ("AP@5", ""),
        ("DCG@5", "the gain of other rels"),
    ],
)
def test_of_flags_the_gain_of_other_rels_is_open_where_the_measure_looks_at_it(measure: str, open_there: str) -> None:
    found = withheld(parse(measure), STANDARD, Target("m:f", FORMS["qrels-run"], of_flags=True))
    assert (found.beyond if found else "") == open_there
