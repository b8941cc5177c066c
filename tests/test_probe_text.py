"""What `rankproof probe` says of findings."""

from dataclasses import replace

from rankproof import cases as corpus
from rankproof.cases.inputs import Input
from rankproof.judge.probe_findings import FindingKind, ProbedLibrary, ProbeFinding, ProbeReport
from rankproof.report import probe_text
from rankproof.workers.subjects import Installation

CASE = corpus.load(corpus.HERE / "ties/renamed-doc.toml")


def test_of_a_changed_input_what_differs_is_told_in_lines_that_nothing_breaks() -> None:
    data = Input((("q", "a", 1),), (("q", "a", 2.0, 1),))
    again = replace(data, qrels=(("q", "a", 3),))
    finding = ProbeFinding(
        "rels",
        "ada\nx",
        "v",
        "AP",
        FindingKind.DEPENDS,
        "it moves",
        data,
        again,
        ("", "rels\nchanged"),
        (0.5, 1.0),
    )
    lines = list(probe_text.told(ProbeReport("", (ProbedLibrary(Installation("ada\nx", "1"), (finding,)),))))
    same, last = ["    qrels q 0 a 1", "    run q Q0 a 1 2 run", "    rels changed:"], "        ada x AP: .5, then 1"
    assert lines[:9] == ["it moves", "    ada x  AP", "", "it moves", *same, "    qrels q 0 a 3", last]
    assert list(probe_text.told(ProbeReport("", ()))) == ["0 libraries probed: nothing found"]
