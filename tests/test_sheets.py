"""Sheets are read strictly, and rewritten without losing what a person wrote."""

from pathlib import Path

import pytest

from rankproof import cases as corpus
from rankproof.observations import read
from rankproof.oracle import Oracle
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.sheets import BadSheet, Library, UnknownLibrary, chosen, keys_of, libraries, load
from rankproof.updating import update
from rankproof.verdicts import Row, Verdict, judge

GOOD = """# a comment that a person wrote
library = "fake"
title = "Fake"
homepage = "https://example.org"
issues = "https://example.org/issues"
precision = "float64"
speaks_of = "1"

[profiles.v]
"*" = "trec_eval-9"           # another
"P@k" = "gain=exp"
"P(rel=2)@5" = "ties=best"

[[known]]
reason = "it cannot count"
link = "https://example.org/issues/1"
observed = '''
ties/straddles-cutoff v P@2 mean 0.25
ties/straddles-cutoff v AP mean ValueError: "quoted" \\ and 'more'
'''
"""


def sheet(tmp_path: Path, text: str = GOOD) -> Path:
    path = tmp_path / "fake.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_most_specific_claim_wins(tmp_path: Path) -> None:
    read_ = load(sheet(tmp_path))
    assert read_.profile_of("v", parse("P(rel=2)@5")).ties == "best"
    assert read_.profile_of("v", parse("P(rel=2)@6")).gain == "exp"
    assert read_.profile_of("v", parse("AP")).score == "f32"
    assert read_.profile_of("other", parse("AP")) == STANDARD
    assert list(keys_of(parse("nDCG@10"))) == ["nDCG@10", "nDCG@k", "nDCG", "*"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Fake"\n', "", "'title' is a required property"),
        ("trec_eval-9", "trec_eval-99", r"fake\.toml:10: \*: trec_eval-99 is no profile"),
        ("gain=exp", "gain=huge", r"fake\.toml:11: P@k: gain=huge is no convention"),
        ("it cannot count", "", "reason: '' is too short"),
        ("v P@2 mean 0.25", "v P@2", r"fake\.toml:18: .* is not 'case variant measure query-or-mean observation'"),
        ("straddles-cutoff v AP mean ValueError", "straddles-cutoff v P@2 mean ValueError", "pinned twice"),
        ('library = "fake"', 'library = "fake', r"fake\.toml: .*line 2"),
        ("float64", "roughly", "precision"),
    ],
)
def test_a_sheet_that_cannot_be_used_says_where_and_why(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in GOOD
    with pytest.raises(BadSheet, match=message):
        load(sheet(tmp_path, GOOD.replace(old, new)))


def test_an_adapter_without_a_sheet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lonely_adapter.py").write_text("")
    with pytest.raises(BadSheet, match=r"lonely\.toml"):
        libraries(tmp_path)


def test_a_library_nobody_knows_is_named() -> None:
    with pytest.raises(UnknownLibrary, match=r"sclearn is no library; known are .*sklearn"):
        chosen(("sclearn",), libraries())
    assert [library.name for library in chosen(("sk*", "cat*"), libraries())] == ["catboost", "sklearn"]


def rows(path: Path, answers: dict[str, object]) -> list[Row]:
    case = corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml")
    fake = Library("fake", path.with_name("fake_adapter.py"), load(path))
    return [
        row
        for measure, answer in answers.items()
        for row in judge(Oracle(case), fake, "1", read(case.id, "fake", "v", measure, answer))
    ]


def test_an_update_keeps_comments_and_reasons_moves_values_and_leaves_new_reasons_to_be_filled(tmp_path: Path) -> None:
    path = sheet(tmp_path)
    error = {"type": "ValueError", "message": "\"quoted\" \\ and 'more'"}
    observed = rows(path, {
        "P@2": {"per_query": None, "mean": 0.26}, "AP": {"error": error}, "RR": {"failed": "crash", "message": "SIGSEGV"},
    })  # fmt: skip
    assert [row.verdict for row in observed] == [Verdict.UNEXPLAINED, Verdict.KNOWN, Verdict.CRASH]
    changes = update(load(path), observed)
    assert (changes.added, changes.removed, changes.kept) == (1, 0, 2)
    text = path.read_text(encoding="utf-8")
    assert "# a comment that a person wrote" in text
    assert "# another" in text
    with pytest.raises(BadSheet, match="too short"):
        load(path)
    path.write_text(text.replace('reason = ""', 'reason = "it crashes"  '), encoding="utf-8")
    pins = load(path).pins
    assert sorted(pin.observed for pin in pins.values()) == [
        "0.26",
        "ValueError: \"quoted\" \\ and 'more'",
        "crash: SIGSEGV",
    ]
    assert {pin.known.reason for pin in pins.values()} == {"it cannot count", "it crashes"}


def test_an_update_takes_out_what_no_longer_happens(tmp_path: Path) -> None:
    path = sheet(tmp_path)
    changes = update(load(path), rows(path, {"P@2": {"per_query": None, "mean": 0.0}}))
    assert (changes.added, changes.removed, changes.kept) == (0, 2, 0)
    assert load(path).pins == {}
