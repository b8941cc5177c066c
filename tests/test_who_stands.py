"""Who stands at which value, on each page and in each table: an answer is told of those who gave it, whoever comes first in the results."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankproof import cases as corpus
from rankproof.asking.subjects import Subject, installation
from rankproof.inference.fingerprint_file import FILE, AxisFinding, Fingerprint, write
from rankproof.judging.results_file import RunResults
from rankproof.judging.verdicts import Row, Verdict
from rankproof.reference_impl.conventions import STANDARD
from rankproof.site import building
from rankproof.site.axis_knowledge import find
from rankproof.telling.run_report import Report

CASE = corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml")
MEASURE = "P@2"
ASKED = {"east": ["v"], "north": ["v", "w"], "south": ["v", "w"], "west": ["v"]}
"""Libraries, and their variants."""
WHO = [(name, variant) for name, variants in ASKED.items() for variant in variants]
SAID: tuple[tuple[str, Verdict, float | None, tuple[str, ...], str, str | None], ...] = (
    ("0", Verdict.AGREES, 0.0, (), "", None),
    (".5", Verdict.CONVENTION, 0.5, ("ties=docid-asc",), "", None),
    (".5", Verdict.CONVENTION, 0.5, ("ties=best",), "", None),
    (".25", Verdict.KNOWN, 0.25, (), "it cannot count", None),
    (".3", Verdict.UNEXPLAINED, 0.3, (), "it moved", None),
    ("error", Verdict.ERROR, None, (), "", "ValueError: no"),
)
"""What is shown, and the rest of a row; as many as there are who answer."""


def row(who: tuple[str, str], said: tuple[str, Verdict, float | None, tuple[str, ...], str, str | None]) -> Row:
    _, verdict, value, conventions, note, error = said
    subject = Subject(*who, "1", alone=len(ASKED[who[0]]) == 1)
    return Row(CASE.id, subject, MEASURE, None, verdict, value, error, 0.0, conventions, note)


def report_of(rows: list[Row]) -> Report:
    asked = [
        installation(name, {"version": "1", "variants": dict.fromkeys(variants, "")}).as_json()
        for name, variants in ASKED.items()
    ]
    return Report(
        RunResults({"asked": asked, "rankproof": "0", "python": "3", "platform": "x", "cases": 1}, tuple(rows), {}),
        [CASE],
        [],
    )


def name(who: tuple[str, str]) -> str:
    return who[0] if len(ASKED[who[0]]) == 1 else "/".join(who)


ANSWERS = dict(zip(WHO, SAID[1:] + SAID[:1], strict=True))
"""What each says: the answer of `standard` stands last."""


# -- fingerprints ------------------------------------------------------------------------------------------------------

FOLLOWED = dict(zip(WHO, ("docid-asc", "input", None, "expectation", "docid-asc", "docid-desc"), strict=True))
"""What each follows on the axis `ties`; None where no case decides."""


def fingerprint(who: tuple[str, str]) -> Fingerprint:
    value = FOLLOWED[who]
    case = f"ties/{who[0]}-{who[1]}"
    ties = AxisFinding(
        "ties", value, case, MEASURE, {"worst": case}, () if value else ("input", "best"), "" if value else "no case"
    )
    subject = row(who, SAID[0]).subject
    signature = f"P@10|by:{subject.signed}|rankproof:0"
    return Fingerprint(
        subject, "P@k", STANDARD.replace(ties=value or "docid-desc"), {"ties": ties}, 3, 3, (), signature
    )


# -- the site ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The site of results in which the answer of `standard` stands last."""
    made = tmp_path_factory.mktemp("report")
    report = report_of([row(who, one) for who, one in ANSWERS.items()])
    write([fingerprint(who) for who in WHO], report.results.asked, {}, made / FILE)
    building.write(report, made / "site", made)
    return made / "site"


def test_a_file_of_fingerprints_beside_the_results_is_what_is_proved(site: Path) -> None:
    found = find(report_of([]), site.parent)
    assert found.proved
    assert {one.subject: one.axes["ties"].value for one in found.fingerprints} == {
        row(who, SAID[0]).subject: value for who, value in FOLLOWED.items()
    }


def words(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


@pytest.mark.parametrize("library", ASKED)
def test_the_page_of_a_library_counts_its_own_answers(library: str, site: Path) -> None:
    page = (site / "libraries" / f"{library}.html").read_text(encoding="utf-8")
    own = {who: said for who, said in ANSWERS.items() if who[0] == library}
    sections = re.findall(r"<section class=variant aria-labelledby=(\w+)>(.*?)</section>", page, re.DOTALL)
    counted = {
        variant: re.findall(
            r"[0-9,]+ (?:agrees|convention|known|fails|undefined)", words(section.partition("<p class=meta>")[2])
        )
        for variant, section in sections
    }
    assert counted == {
        variant: [f"1 {'fails' if said[1] in {Verdict.UNEXPLAINED, Verdict.ERROR} else said[1]}"]
        for (_, variant), said in own.items()
    }
    takes = {variant: re.findall(r"\bties=([\w-]+)", words(section)) for variant, section in sections}
    followed = {variant: FOLLOWED[library, variant] for _, variant in own}
    assert takes == {
        variant: [value] if value not in {None, "docid-desc"} else [] for variant, value in followed.items()
    }


def test_the_page_of_an_axis_has_each_at_its_own_value(site: Path) -> None:
    page = (site / "axes" / "ties.html").read_text(encoding="utf-8").partition("aria-labelledby=drawn")[0]
    articles, _, rest = page.partition("<h3 id=undetermined>Undetermined</h3>")
    found = {
        words(value): {words(who) for who in re.findall(r"<li><a [^>]*>(.*?)</a>", article)}
        for value, article in re.findall(r"<article.*?<h3><code>(.*?)</code>(.*?)</article>", articles, re.DOTALL)
    }
    assert {value: who for value, who in found.items() if who} == {
        value: {name(who) for who, one in FOLLOWED.items() if one == value} for value in set(FOLLOWED.values()) - {None}
    }
    assert [words(who) for who in re.findall(r"<li><a [^>]*>(.*?)</a>", rest.partition("</ul>")[0])] == ["north/w"]
