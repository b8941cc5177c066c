"""Sheets of libraries: claims, precisions, known exceptions and versions, and flaws with their lines."""

from dataclasses import replace
from pathlib import Path

import pytest
from fake_sheets import GOOD

from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.workers.known_libraries import libraries
from rankproof.workers.sheets import BadSheet, Known, ObservationPlace, Pin, keys_of, load, steady


def sheet(tmp_path: Path, text: str = GOOD) -> Path:
    path = tmp_path / "fake.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_most_specific_claim_counts(tmp_path: Path) -> None:
    read_ = load(sheet(tmp_path))
    assert read_.profile_of("v", parse("P(rel=2)@5")).ties == "best"
    assert read_.profile_of("v", parse("P(rel=2)@6")).gain == "exp"
    assert read_.profile_of("v", parse("AP")).score == "f32"
    assert read_.profile_of("other", parse("AP")) == STANDARD
    assert list(keys_of(parse("nDCG@10"))) == ["nDCG@10", "nDCG@k", "nDCG", "*"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Fake"\n', "", r'fake\.toml:1: the sheet: "title" is a required property'),
        ('title = "Fake"\n', "title = 2020-01-01\n", r"fake\.toml:\d+: title: the value must be text, a number"),
        ("trec_eval-9", "trec_eval-99", r"fake\.toml:10: \*: Unknown profile 'trec_eval-99'"),
        ('"gain=exp"', "1", r"fake\.toml:11: profiles\.v\.P@k: 1 is not"),
        ("gain=exp", "gain=huge", r"fake\.toml:11: P@k: Unknown convention gain=huge"),
        (
            "it cannot count",
            "",
            r"fake\.toml:15: the reason of an exception is empty: .* at ties/straddles-cutoff v P@2",
        ),
        ("it cannot count", "            ", "the reason of an exception is empty"),
        ("it cannot count", "TODO", "the reason of an exception 'TODO' is too short: write in a sentence why"),
        ("v P@2 mean 0.25", "v P@2", r"fake\.toml:18: .* is not 'case variant measure query-or-mean observation'"),
        ("cutoff v AP mean ValueError", "cutoff v P@2 mean ValueError", r"fake\.toml:19: .* pinned twice"),
        ('library = "fake"', 'library = "fake', r"fake\.toml:2: not TOML"),
        ("float64", "roughly", r"fake\.toml:6: precision: "),
    ],
)
def test_flaw_of_a_sheet_is_reported_with_its_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in GOOD
    with pytest.raises(BadSheet, match=message):
        load(sheet(tmp_path, GOOD.replace(old, new)))


@pytest.mark.parametrize("reason", ["", "TODO", "so"])
def test_other_flaws_are_reported_before_a_missing_reason(reason: str, tmp_path: Path) -> None:
    lacking = GOOD.replace("it cannot count", reason) + '[[known]]\nreason = "it is so, by its notes"\nobserved = 3\n'
    with pytest.raises(BadSheet, match=r"fake\.toml:\d+: known\.1\.observed: 3 is not of type"):
        load(sheet(tmp_path, lacking))


def test_missing_reason_is_reported_with_the_line_of_its_exception(tmp_path: Path) -> None:
    second = GOOD + '\n[[known]]\nobserved = "ties/other v P@2 mean 1.0"\n# not yet\nreason = ""\n'
    with pytest.raises(BadSheet, match=r"fake\.toml:25: the reason .* is empty: .* at ties/other v P@2"):
        load(sheet(tmp_path, second))
    assert len(load(sheet(tmp_path, second), draft=True).pins) == 3
    with pytest.raises(BadSheet, match="is too short"):
        load(sheet(tmp_path, GOOD.replace("it cannot count", "?")), draft=True)


@pytest.mark.parametrize(
    ("text", "pinned"),
    [
        ("FileNotFoundError: /home/me/.cache/x.py:12: no", "FileNotFoundError: …: no"),
        ("OSError: C:\\Users\\me\\x.dll is not there", "OSError: … is not there"),
        ("<Run at 0x7f3a5c0d1e50> in tmpk3v_x9ab", "<Run at …> in …"),
        ("two  spaces", "two  spaces"),
        ("see https://example.org/a/b, 1/2 and a/b/c, template /",) * 2,
        ("half \ud800 a\u2028line \x85 and an end ", "half … a…line … and an end…"),
        ("KeyError: a\n…\n/tmp/x/y\n0x7f3a5c0d\nb", "KeyError: a…b"),
    ],
)
def test_error_is_pinned_without_paths_and_addresses(text: str, pinned: str) -> None:
    assert steady(text) == pinned
    pin = Pin(ObservationPlace("a/b", "v", "AP", None), pinned, Known("it is so", ""))
    assert pin.fits(text)
    assert steady(pinned) == pinned


VERSIONS = """
[versions."2.*"]
known = "it breaks ties another way, says its change log"

[versions."2.*".profiles.v]
"*" = "ties=worst"

[versions."1.5"]
known = "it answered alike on the files that we have"
"""


def test_version_has_the_claims_of_its_pattern(tmp_path: Path) -> None:
    read_ = load(sheet(tmp_path, GOOD + VERSIONS))
    assert read_.of_version("2.0-rc3").profile_of("v", parse("AP")).ties == "worst"
    assert read_.of_version("2.0-rc3").pins == read_.pins
    spoken = replace(read_, speaks_of="2.0-rc3")
    assert spoken.of_version("2.0-rc3") is spoken, "its own version has the claims of the sheet"
    for same in ("1", "1.5", "3"):
        assert read_.of_version(same).profiles == read_.profiles, same
    assert [known and known.known for known in map(read_.known_of, ("2.1", "1.5", "3"))] == [
        "it breaks ties another way, says its change log",
        "it answered alike on the files that we have",
        None,
    ]


@pytest.mark.parametrize("order", [("*", "nDCG", "nDCG@k", "nDCG@10"), ("nDCG@10", "nDCG@k", "nDCG", "*")])
def test_most_specific_precision_counts(order: tuple[str, ...]) -> None:
    precisions = {"*": "float32", "nDCG": "2 decimals", "nDCG@k": "3 decimals", "nDCG@10": "4 decimals"}
    exact = replace(
        libraries()[0].sheet, precision="float64", precisions={"v": {key: precisions[key] for key in order}}
    )
    wanted = {"nDCG@10": "4 decimals", "nDCG@5": "3 decimals", "nDCG": "2 decimals", "AP@5": "float32"}
    assert {name: exact.precision_of("v", parse(name)) for name in wanted} == wanted
    assert exact.precision_of("w", parse("nDCG@10")) == "float64"
