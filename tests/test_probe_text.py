"""What `rankproof probe` says of findings: each of its own library, measure and query, and a changed input by what differs."""

from dataclasses import replace

from rankproof import cases as corpus
from rankproof.asking.subjects import Installation, Subject
from rankproof.cases.inputs import Input
from rankproof.probing.probe_findings import FindingKind, ProbeFinding
from rankproof.probing.running import ProbedLibrary
from rankproof.telling import probe_text

CASE = corpus.load(corpus.HERE / "ties/renamed-doc.toml")


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
