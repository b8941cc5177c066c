"""What is said of a query, a measure, a version or a profile is said of that one: three of each that differ, in an order not their own."""

import re
from pathlib import Path

from fake_sheets import FAKE

from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import Answered, Observation
from rankproof.asking.sheets import load
from rankproof.asking.subjects import Subject
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.explaining.asked_data import AskedData
from rankproof.explaining.attribution import attribute
from rankproof.explaining.explanation import Explanation, Wish, explain
from rankproof.explaining.one_sentence import in_words, value_of
from rankproof.judging.verdicts import Row, Verdict, judge
from rankproof.matching.recalled import Recalled
from rankproof.matching.reference_answers import Oracle, Values
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.ranking import Judgment
from rankproof.reference_impl.ranking import QueryRow as Ranked
from rankproof.telling.explanation_text import screen

# -- a profile whose axes move one query each ---------------------------------------------------------------------------
# P@1: q3 has two docs tied, q1 an unjudged doc above the relevant one, q2 was not retrieved, q0 is as in standard.

QRELS = {
    "q2": [Judgment("a", 1)], "q3": [Judgment("a", 1), Judgment("b", 0)], "q0": [Judgment("a", 1)], "q1": [Judgment("a", 1)],
}  # fmt: skip
RUN = {
    "q1": [Ranked("z", 2.0, 1), Ranked("a", 1.0, 2)], "q3": [Ranked("a", 1.0, 1), Ranked("b", 1.0, 2)], "q0": [Ranked("a", 1.0, 1)],
}  # fmt: skip
OWN = "ties=docid-asc unjudged=removed missing=dropped"
INPUT = Input(
    qrels=tuple((q, one.doc, one.rel) for q, rows in QRELS.items() for one in rows),
    run=tuple((q, one.doc, one.score, one.rank) for q, rows in RUN.items() for one in rows),
)
CASE = Case("ties/own", "three queries, each moved by one axis", "", "", (), INPUT, None, ("P@1",))


def _judged(tmp_path: Path, answer: Answered, pins: str = "") -> dict[str | None, Row]:
    path = tmp_path / "fake.toml"
    known = f"[[known]]\nreason = 'it cannot count at all'\nobserved = '''\n{pins}\n'''\n" if pins else ""
    path.write_text(f'{FAKE}\n[profiles.v]\n"P" = "{OWN}"\n{known}', encoding="utf-8")
    seen = Observation(CASE.id, Subject("fake", "v", "1"), "P@1", answer)
    return {row.query: row for row in judge(CASE, Oracle(INPUT), Library("fake", path, load(path)), seen)}


def test_a_query_is_told_the_axis_that_moves_it_and_the_mean_all_of_them(tmp_path: Path) -> None:
    rows = _judged(tmp_path, Answered({"q3": 1.0, "q0": 1.0, "q1": 1.0}, 1.0))
    assert {query: (row.verdict, row.conventions) for query, row in rows.items()} == {
        "q3": (Verdict.CONVENTION, ("ties=docid-asc",)),
        "q1": (Verdict.CONVENTION, ("unjudged=removed",)),
        "q2": (Verdict.CONVENTION, ("missing=dropped",)),
        "q0": (Verdict.AGREES, ()),
        None: (Verdict.CONVENTION, ("ties=docid-asc", "unjudged=removed", "missing=dropped")),
    }


def test_a_pin_is_of_its_own_query(tmp_path: Path) -> None:
    """Each value is pinned, but of another query: one is known where it is pinned, and nowhere else."""
    pins = "\n".join(f"ties/own v P@1 {where} {value}" for where, value in (("mean", 0.25), ("q3", 0.5), ("q1", 0.75)))
    of = {(query, value) for query in ("q3", "q0", "q1") for value in (0.25, 0.5, 0.75)}
    found = {
        (query, value): _judged(tmp_path, Answered({"q3": 1.0, "q0": 1.0, "q1": 1.0} | {query: value}, 0.25), pins)[
            query
        ].verdict
        for query, value in of
    }
    assert {place for place, verdict in found.items() if verdict is Verdict.KNOWN} == {("q3", 0.5), ("q1", 0.75)}
    assert set(found.values()) == {Verdict.KNOWN, Verdict.UNEXPLAINED}


def test_what_is_recalled_is_of_this_measure_and_of_these_choices() -> None:
    recalled, collection = Recalled(INPUT), Collection(QRELS, RUN)
    for own in (
        STANDARD,
        profile(OWN),
        STANDARD.replace(ties="docid-asc"),
        STANDARD.replace(missing="dropped"),
    ):
        for text in ("P@2", "P@1", "P(rel=2)@1", "RR", "RR@1", "AP@1", "AP"):
            answers = recalled.answers(parse(text), own)
            assert isinstance(answers, Values)
            wanted = collection.answer(parse(text), own)
            assert (answers.mean, dict(answers.per_query)) == (wanted.mean, dict(wanted.per_query)), (text, own.spec())


# -- which version ------------------------------------------------------------------------------------------------------


# -- why ----------------------------------------------------------------------------------------------------------------


def _data() -> AskedData:
    """Three queries that ties move, two that an unjudged doc moves, one that is missing, and one as in standard."""
    more = {"q4": "q3", "q6": "q1", "q5": "q3"}
    return AskedData(
        QRELS | {query: QRELS[like] for query, like in more.items()},
        RUN | {query: RUN[like] for query, like in more.items()},
    )


def test_of_two_smallest_causes_a_query_has_the_one_that_moves_others() -> None:
    """q1 is worth 1 by either change, and the two others by the second alone; so the first, though it stands first, is no cause."""
    half = Judgment("b", 0.6)  # type: ignore[arg-type]  # a float is a rel
    qrels = {"q2": [half], "q1": [Judgment("a", 1), half], "q3": [half]}
    tied = [Ranked("a", 1.0, 1), Ranked("b", 1.0, 2)]
    data = AskedData(qrels, {"q3": tied[1:], "q1": tied, "q2": tied[1:]})
    why = attribute(data, parse("P@1"), STANDARD, STANDARD.replace(ties="docid-asc", relevant="above-half"))
    assert [(tuple(cause.changes), sorted(cause.queries)) for cause in why.causes] == [
        (("relevant",), ["q1", "q2", "q3"])
    ]


def _read_back(told: Explanation) -> dict[str, tuple[str, list[str]]]:
    """From the screen: of each profile its value, and the reasons below it."""
    (section,) = [part for part in screen(told, heading=False).split("\n\n") if part.startswith("what each gives")]
    found: dict[str, tuple[str, list[str]]] = {}
    names: list[str] = []
    for line in section.split("\n")[1:]:
        if not line.startswith(" " * 10):
            value, _, who = line.strip().partition(" ")
            names = [name.strip() for name in who.split(", ")]
            found |= {name: (value, []) for name in names}
        elif line[12:].startswith(("1 ", "2 ", "3 ", "4 ", "of the difference")):
            for name in names:
                found[name][1].append(line.strip())
        else:
            for name in names:
                found[name][1][-1] += f" {line.strip()}"
    return found


def test_the_screen_has_each_profile_with_its_own_value_and_its_own_reasons() -> None:
    names = ("standard", "missing=dropped unjudged=removed", "ties=docid-asc", "unjudged=removed", OWN)
    told = explain("mine", _data(), parse("P@1"), Wish(names, (), whole=False))
    read = _read_back(told)
    assert read.keys() == set(names)
    for saying in told.sayings:
        causes = saying.attribution.causes if saying.attribution is not None else ()
        wanted = [f"{len(cause.queries)} of 7 queries: {in_words(cause.changes)}" for cause in causes]
        for name in saying.names:
            value, reasons = read[name]
            assert (value, [one for one in reasons if "queries: " in one]) == (value_of(saying.answers), wanted), name
    assert [value for value, _ in (read[name] for name in names)] == [".1429", ".5", ".5714", ".4286", "1"]
    assert len({tuple(reasons) for _, reasons in read.values()}) == len(names)


def test_side_by_side_says_how_many_rankings_and_docs_are_not_shown() -> None:
    """Forty tied docs, of which seven are unjudged, in an order of rows, another of ranks and another of ids."""
    docs = [f"d{i * 17 % 40:02}" for i in range(40)]
    tied = [Ranked(doc, 1.0, i * 23 % 40 + 1) for i, doc in enumerate(docs)]
    rels = [Judgment(doc, i % 3) for i, doc in enumerate(docs) if i % 6]
    names = [
        f"{order}{judged}"
        for judged in ("", " unjudged=removed")
        for order in ("ties=docid-asc", "ties=input", "ties=input-reversed", "order=rank")
    ]
    data, wish = AskedData({"q": rels}, {"q": tied}), Wish(("standard", *names), (), whole=False, query="q")
    told = explain("mine", data, parse("nDCG@5"), wish)
    (section,) = [part for part in screen(told, heading=False).split("\n\n") if part.startswith("ranks side by side")]
    lines = section.splitlines()
    rankings, rows = ([line for line in lines if re.match(start, line)] for start in (r"  [A-Z]  ", r"  d\d\d "))
    assert [line.split()[0] for line in rankings] == ["A", "B", "C", "D", "E", "F"]
    assert "  and 3 more rankings, by --json" in lines
    assert len(rows) == 30
    assert lines[-1] == "  and 10 more docs of which the ranks differ"


def test_side_by_side_each_has_its_own_ranking_and_its_own_value() -> None:
    """Two rankings, in each of which the same docs are worth one thing by one gain and another by another."""
    rels = [Judgment("a", 1), Judgment("b", 2), Judgment("c", 0), Judgment("d", 3)]
    tied = [Ranked(doc, 1.0, i) for i, doc in enumerate("acb", start=1)]
    names = (
        "standard",
        "ties=docid-asc gain=exp",
        "gain=exp",
        "ties=docid-asc",
        "gain=binary ties=docid-asc",
        "discount=rank",
    )
    told = explain(
        "mine", AskedData({"q": rels}, {"q": tied}), parse("nDCG@2"), Wish(names, (), whole=False, query="q")
    )
    (section,) = [part for part in screen(told, heading=False).split("\n\n") if part.startswith("ranks side by side")]
    found = {
        name: (letter, value)
        for letter, value, who in re.findall(r"^  ([A-F])  (\S+) +(.*)$", section, re.MULTILINE)
        for name in who.split(", ")
    }
    assert told.side_by_side is not None
    rankings = {
        name: ranking
        for saying, ranking in zip(told.sayings, told.side_by_side.of, strict=True)
        for name in saying.names
    }
    values = {name: value_of(saying.answers) for saying in told.sayings for name in saying.names}
    assert found == {name: ("AB"[rankings[name] or 0], values[name]) for name in names}
    assert len(set(found.values())) == len(names)
