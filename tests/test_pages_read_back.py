"""The pages of a report, read back into rows and held against the results that they were made of; of the site see `test_site_matrix.py`.

Three libraries, one of them in two variants, three measures of three cases, whose rows stand in no order; among the answers are defects,
known exceptions, errors and values that nothing explains. One reader for each page takes nothing from what writes it.
"""

import random
import re
from itertools import product
from pathlib import Path

import pytest
from fake_sheets import FAKE

from rankproof import cases as corpus
from rankproof.asking.known_libraries import Library
from rankproof.asking.sheets import load
from rankproof.asking.subjects import Subject, installation
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.judging.results_file import RunResults
from rankproof.judging.verdicts import Row, Verdict
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.telling.report_pages import pages
from rankproof.telling.run_report import Report

NAMES = ("straddles-cutoff", "constant-scorer", "renamed-doc")
CASES = [corpus.load(corpus.HERE / "ties" / f"{name}.toml") for name in NAMES]
MEASURES = ("RR", "P@2", "AP")
WHO = {("west", "v"): "west", ("north", "w"): "north/w", ("east", "v"): "east", ("north", "v"): "north/v"}
"""Who is asked, and what each is called."""
TITLES = {"west": "Lima", "north": "Kilo", "east": "mike"}
"""What they call themselves, in another order than that of their names."""
STANDARD_SAYS = 0.5
SAID: tuple[tuple[Verdict, float | None, tuple[str, ...], str], ...] = (
    (Verdict.AGREES, 0.5, (), ""), (Verdict.CONVENTION, 0.25, ("ties=docid-asc",), ""), (Verdict.KNOWN, 0.25, (), "it cannot count"),
    (Verdict.DEFECT, 0.9, (), "it counts from 0"), (Verdict.CONVENTION, 0.97, ("ties=docid-asc", "missing=dropped"), ""),
    (Verdict.UNEXPLAINED, 0.125, (), "it moved"), (Verdict.AGREES, 0.5, (), ""), (Verdict.CONVENTION, 1.0, ("missing=dropped",), ""),
    (Verdict.DEFECT, 0.8, (), "it counts backwards"), (Verdict.ERROR, None, (), ""), (Verdict.UNDEFINED, 0.4, (), ""),
    (Verdict.KNOWN, 0.5, (), "it is so by chance"), (Verdict.AGREES, 0.5, (), ""),
)  # fmt: skip
PINS = {
    "west": [("straddles-cutoff", "v", "RR", "mean", "0.25"), ("renamed-doc", "v", "AP", "q1", "ValueError: no")],
    "north": [("constant-scorer", "w", "P@2", "mean", "0.75")],
    "east": [("constant-scorer", "v", "AP", "q2", "0.1"), ("renamed-doc", "v", "RR", "mean", "unstable")],
}


def _rows() -> list[Row]:
    """An answer of each to everything, no two questions answered alike, in an order by chance."""
    rows = []
    for i, (case, measure, who) in enumerate(product(CASES, MEASURES, WHO)):
        verdict, value, conventions, note = SAID[(5 * i + i // len(SAID)) % len(SAID)]
        subject = Subject(*who, "1", alone=who[0] != "north")
        error = "ValueError: no" if value is None else None
        rows.append(Row(case.id, subject, measure, None, verdict, value, error, STANDARD_SAYS, conventions, note))
    random.Random(3).shuffle(rows)  # noqa: S311 - no secret
    return rows


ROWS = _rows()


def _library(folder: Path, name: str) -> Library:
    known = "".join(
        f"[[known]]\nreason = 'the reason number {i} of {name}'\nobserved = 'ties/{' '.join(pin)}'\n"
        for i, pin in enumerate(PINS[name])
    )
    text = FAKE.replace("fake", name).replace("Fake", TITLES[name])
    (folder / f"{name}.toml").write_text(text + known, encoding="utf-8")
    return Library(name, folder / f"{name}_adapter.py", load(folder / f"{name}.toml"))


def _findings() -> list[Fingerprint]:
    """What each follows: other axes of each, in other orders; `None` where no case decides."""
    values = (
        ("docid-asc", "dropped", None),
        ("input", None, "exp"),
        (None, "measured", "binary"),
        ("docid-desc", "0", "linear"),
    )
    found = []
    for turn, (who, own) in enumerate(zip(WHO, values, strict=True)):
        followed = list(zip(("ties", "missing", "gain"), own, strict=True))
        axes = {
            axis: AxisFinding(
                axis,
                value,
                f"ties/{NAMES[turn % 3]}" if value else "",
                "nDCG@2",
                {},
                () if value else ("a", "b"),
                "no case",
            )
            for axis, value in followed[turn % 3 :] + followed[: turn % 3]
        }
        subject = Subject(*who, "1", alone=who[0] != "north")
        profile = STANDARD.replace(**{axis: value for axis, value in followed if value})
        found.append(
            Fingerprint(subject, "nDCG@k", profile, axes, turn, 9, (), f"nDCG@10|by:{subject.signed}|rankproof:0")
        )
    return found


FOUND = _findings()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    made = tmp_path_factory.mktemp("sheets")
    variants = {"west": ["v"], "north": ["v", "w"], "east": ["v"]}
    asked = [
        installation(name, {"version": "1", "variants": dict.fromkeys(of, "")}).as_json()
        for name, of in variants.items()
    ]
    header = {"asked": asked, "rankproof": "0", "python": "3", "platform": "x", "cases": 3}
    return Report(
        RunResults(header, tuple(ROWS), {}), CASES, [_library(made, name) for name in ("east", "west", "north")], FOUND
    )


@pytest.fixture(scope="module")
def written(report: Report) -> dict[str, str]:
    return pages(report, "report.md")


# -- readers ------------------------------------------------------------------------------------------------------------


def _plain(cell: str) -> str:
    """A cell without its marks and links."""
    return re.sub(r"\[(.*?)\]\(.*?\)", r"\1", re.sub(r"\\(.)", r"\1", cell)).replace("`", "").replace("**", "").strip()


def _table(text: str, heading: str) -> list[list[str]]:
    """The cells of the table that begins so, without its two first lines."""
    lines = text[text.index(heading) :].split("\n\n", maxsplit=1)[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def _shown(row: Row) -> str:
    return "error" if row.value is None else f"{row.value:g}".removeprefix("0")


def test_which_conventions_each_follows(written: dict[str, str]) -> None:
    text = written["fingerprints.md"]
    header = next(line for line in text.splitlines() if line.startswith("| | "))
    axes = [_plain(cell) for cell in header.strip("|").split("|")[1:-1]]
    assert set(axes) == {"ties", "missing", "gain"}
    found = {_plain(cells[0]): cells[1:] for cells in _table(text, header)}
    for one, name in zip(FOUND, WHO.values(), strict=True):
        *cells, explained = found[name]
        assert explained == f"{one.explained} of {one.asked}"
        for axis, cell in zip(axes, cells, strict=True):
            finding = one.axes[axis]
            assert _plain(cell) == (finding.value or "?"), (name, axis)
            assert finding.witness in cell
            assert cell.startswith("**") == (finding.value not in {None, AXES[axis].default})
    assert found.keys() == set(WHO.values())
