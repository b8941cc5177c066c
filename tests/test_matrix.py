"""What no drawn matrix has (`test_drawn_fingerprints.py`): forms that are not the plain measure, the words and colours of the picture."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.measure_forms import key_of, measure_of
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.report.choice_matrix import LibraryChoice, LibraryRow, Matrix, NobodyAnswers, matrix
from rankproof.report.matrix_picture import svg
from rankproof.workers.subjects import Subject

SVG = "{http://www.w3.org/2000/svg}"


def finding(axis: str, value: str | None, witness: str = "", still: tuple[str, ...] = ()) -> AxisFinding:
    return AxisFinding(axis, value, witness, "nDCG@5", {}, still)


def fingerprint(library: str, key: str, *findings: AxisFinding, way: str = "") -> Fingerprint:
    return Fingerprint(Subject(library, way, "1"), key, STANDARD, {one.axis: one for one in findings}, 3, 3, (), "")


WORST = finding("ties", "worst", "ties/a")
OPEN = finding("missing", None, still=("0", "dropped"))
FOUND = [
    fingerprint('<b a="&">', "nDCG@k", WORST, OPEN, finding("gain", "linear")),
    fingerprint("north", "nDCG@k", finding("ties", "input", "ties/b"), finding("missing", "dropped", "queries/a")),
    fingerprint("east", "nDCG(dcg='exp-log2')@k", finding("ties", "docid-desc", "ties/c")),
]


def test_ways_share_a_row_only_where_the_same_values_remain() -> None:
    remaining = {"v": ("dropped",), "w": ("dropped", "nan"), "x": (), "y": ("dropped", "nan"), "z": ("nan",)}
    found = [
        fingerprint("south", "nDCG@k", WORST, replace(finding("missing", "0"), same=same), way=way)
        for way, same in remaining.items()
    ]
    rows = matrix(parse("nDCG@10"), [*found, FOUND[1]]).rows
    assert [row.ways for row in rows if row.library == "south"] == [("v",), ("w", "y"), ("x",), ("z",)]


def test_ways_of_the_same_choices_share_no_row_where_the_measure_of_one_names_them() -> None:
    forms = {"v": "nDCG@k", "w": "nDCG(dcg='exp-log2')@k", "x": "nDCG@k"}
    found = [fingerprint("south", key, finding("gain", "exp"), way=way) for way, key in forms.items()]
    rows = matrix(parse("nDCG@10"), found).rows
    assert [(row.ways, row.key) for row in rows] == [(("v", "x"), "nDCG@k"), (("w",), forms["w"])]


def test_a_form_stands_for_the_plain_measure_only_where_every_parameter_names_a_convention() -> None:
    keys = {"both": "AP(judged_only=True, rel=2)@k", "rel": "AP(rel=2)@k", "named": "AP(judged_only=True)@k"}
    found = [fingerprint(library, key_of(measure_of(key)), WORST) for library, key in keys.items()]
    rows = matrix(parse("AP@10"), [*found, fingerprint("west", "AP@k", WORST)]).rows
    assert [row.library for row in rows] == ["named", "west"]


def test_a_measure_that_nobody_answers_is_refused() -> None:
    with pytest.raises(NobodyAnswers, match="no library of these answers ERR@10"):
        matrix(parse("ERR@10"), FOUND)


@pytest.mark.parametrize("dark", [True, False])
def test_the_picture_escapes_what_is_hostile_and_has_a_colour_for_each_kind_of_cell(dark: bool) -> None:  # noqa: FBT001 - a parameter of a test
    picture = ET.fromstring(svg(matrix(parse("nDCG@10"), FOUND), "9.9", dark=dark))  # noqa: S314 - it is our own
    page, standard, other, quiet, ink = (
        ("#0d1117", "#151b23", "#5c3d0a", "#9198a1", "#ffdf9e")
        if dark
        else ("#ffffff", "#f6f8fa", "#ffe3b3", "#59636e", "#5a3600")
    )
    assert picture[1].get("fill") == page
    groups = [*picture.iter(f"{SVG}g")]
    cells = [group for group in groups if group[1].tag == f"{SVG}rect"]
    places = [tuple(int(part.get(at, "")) for part in group[1:] for at in "xy") for group in cells]
    assert places == [(198 + x, 78 + y, 242 + x, 92 + y) for y in (0, 24, 48) for x in (0, 92, 184)]
    assert [
        (head[1].get("x"), head[1].text, head[2].text) for head in groups if len(head) == 3 and head not in cells
    ] == [
        ("242", "tied docs", "ties"),
        ("334", "gain of a rel", "gain"),
        ("426", "not in the run", "missing"),
    ]
    of_standard, of_other, of_none = (standard, quiet), (other, ink), (page, quiet)
    assert [(group[-1].text, (group[1].get("fill"), group[-1].get("fill"))) for group in cells] == [
        ("worst", of_other),
        ("linear", of_standard),
        ("?", of_none),
        ("docid desc.", of_standard),
        ("exp", of_other),
        ("·", of_none),
        ("input", of_other),
        ("·", of_none),
        ("left out", of_other),
    ]
    texts = [one.text or "" for one in picture.iter(f"{SVG}text")]
    assert '<b a="&">' in texts
    assert [*picture.iter(f"{SVG}rect")][-1].get("fill") == other, "the legend has the colour that it names"
    assert texts[-1].startswith("not as in the profile standard    ? no answer decides    · cannot")
    assert texts[-1].endswith("rankproof 9.9")
    size = str(196 + 3 * 92 + 12), str(76 + 3 * 24 + 34)
    assert (picture.get("width"), picture.get("height")) == size, "nothing is cut"


def test_a_picture_has_nine_columns_and_fourteen_characters_a_cell() -> None:
    choice = LibraryChoice("gain", ("map:1=10,2=200",), determined=True, matters=True, standard=False, witness="")
    long = replace(choice, values=("map:1=10,2=2000",))
    row = LibraryRow("east", "1", ("",), "nDCG@k", (choice, long, *[choice] * 8))
    drawn = svg(Matrix("nDCG", ("gain",) * 10, (row,)), "9.9")
    assert drawn.count("<title>" + AXES["gain"].question + "</title>") == 9
    assert (drawn.count(">map:1=10,2=200<"), drawn.count(">map:1=10,2=20…<")) == (8, 1)
