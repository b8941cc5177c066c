"""What `rankproof probe` says of findings, beside what drawn ones show (`test_drawn_probes.py`)."""

from dataclasses import replace

from rankproof import cases as corpus
from rankproof.cases.inputs import Input
from rankproof.judge.probe_findings import FindingKind, ProbeFinding
from rankproof.judge.running import ProbedLibrary
from rankproof.report import probe_text
from rankproof.workers.subjects import Installation, Subject

CASE = corpus.load(corpus.HERE / "ties/renamed-doc.toml")


def test_of_a_changed_input_what_differs_is_told_in_lines_that_nothing_breaks() -> None:
    data = Input((("q", "a", 1),), (("q", "a", 2.0, 1),))
    again = replace(data, qrels=(("q", "a", 3),))
    finding = ProbeFinding(
        "rels",
        Subject("ada\nx", "v", "1"),
        "AP",
        FindingKind.DEPENDS,
        "it moves",
        data,
        again,
        ("", "rels\nchanged"),
        (0.5, 1.0),
    )
    lines = list(probe_text.told([ProbedLibrary(Installation("ada", "1"), (finding,))]))
    same, last = ["    qrels q 0 a 1", "    run q Q0 a 1 2 run", "    rels changed:"], "        ada x AP: .5, then 1"
    assert lines[:9] == ["it moves", "    ada x  AP", "", "it moves", *same, "    qrels q 0 a 3", last]
    assert list(probe_text.told([])) == ["0 libraries probed: nothing found"]
