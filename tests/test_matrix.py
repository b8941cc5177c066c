"""The matrix has what the fingerprints prove, each cell below its axis and beside its library, as data and as a picture."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from rankproof.asking.subjects import Subject
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.meaning.measure_forms import key_of, measure_of
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.telling.choice_matrix import LibraryChoice, LibraryRow, Matrix, NobodyAnswers, as_json, matrix
from rankproof.telling.matrix_picture import svg

SVG = "http://www.w3.org/2000/svg"


def finding(axis: str, value: str | None, witness: str = "", still: tuple[str, ...] = ()) -> AxisFinding:
    return AxisFinding(axis, value, witness, "nDCG@5", {}, still)


def fingerprint(library: str, variant: str, key: str, *findings: AxisFinding) -> Fingerprint:
    subject = Subject(library, variant, "1", alone=False)
    return Fingerprint(subject, key, STANDARD, {one.axis: one for one in findings}, 3, 3, (), "")


WORST, INPUT = finding("ties", "worst", "ties/a"), finding("ties", "input", "ties/b")
OPEN = finding("missing", None, still=("0", "dropped"))
FOUND = [
    fingerprint("south", "x", "nDCG@k", WORST, OPEN, finding("gain", "linear")),
    fingerprint(
        "south", "y", "nDCG@k", WORST, replace(finding("missing", "0"), same=("dropped",)), finding("gain", "linear")
    ),
    fingerprint("north", "v", "nDCG@k", INPUT, finding("missing", "dropped", "queries/a")),
    fingerprint("north", "w", "nDCG@k", INPUT, finding("missing", "dropped", "queries/a")),
    fingerprint("north", "z", "nDCG@k", finding("ties", "docid-desc", "ties/c"), finding("missing", "0", "queries/b")),
    fingerprint("east", "", "nDCG(dcg='exp-log2')@k", finding("ties", "docid-desc", "ties/c")),
    fingerprint("west", "", "AP@k", finding("ties", "best", "ties/d")),
]


def test_a_library_has_a_row_and_ways_that_choose_alike_share_it() -> None:
    found = matrix(parse("nDCG@10"), FOUND)
    assert [(row.library, row.ways) for row in found.rows] == [
        ("east", ("",)), ("north", ("v", "w")), ("north", ("z",)), ("south", ("x",)),
        ("south", ("y",)),
    ]  # fmt: skip
    assert found.axes == ("ties", "gain", "missing")


def test_ways_share_a_row_only_where_the_same_values_remain() -> None:
    remaining = {"v": ("dropped",), "w": ("dropped", "nan"), "x": (), "y": ("dropped", "nan"), "z": ("nan",)}
    found = [
        fingerprint("south", way, "nDCG@k", WORST, replace(finding("missing", "0"), same=same))
        for way, same in remaining.items()
    ]
    rows = matrix(parse("nDCG@10"), [*found, FOUND[2]]).rows
    assert [row.ways for row in rows if row.library == "south"] == [("v",), ("w", "y"), ("x",), ("z",)]


def test_ways_of_the_same_choices_share_no_row_where_the_measure_of_one_names_them() -> None:
    forms = {"v": "nDCG@k", "w": "nDCG(dcg='exp-log2')@k", "x": "nDCG@k"}
    found = [fingerprint("south", way, key, finding("gain", "exp")) for way, key in forms.items()]
    rows = matrix(parse("nDCG@10"), found).rows
    assert [(row.ways, row.key) for row in rows] == [(("v", "x"), "nDCG@k"), (("w",), forms["w"])]


def test_each_cell_has_the_value_and_the_case_that_proves_it() -> None:
    told = as_json(matrix(parse("nDCG@10"), FOUND))
    east, north, _, south, _ = (row["choices"] for row in told["rows"])
    assert east["gain"] == {"value": "exp", "same": [], "standard": False, "witness": ""}
    assert "missing" not in east, "what cannot matter is not told"
    assert north["missing"] == {"value": "dropped", "same": [], "standard": False, "witness": "queries/a"}
    assert south["ties"] == {"value": "worst", "same": [], "standard": False, "witness": "ties/a"}
    assert south["missing"] == {"undetermined": ["0", "dropped"], "standard": False, "witness": ""}
    assert json.loads(json.dumps(told)) == told


def test_a_form_stands_for_the_plain_measure_only_where_every_parameter_names_a_convention() -> None:
    keys = {"both": "AP(judged_only=True, rel=2)@k", "rel": "AP(rel=2)@k", "named": "AP(judged_only=True)@k"}
    found = [fingerprint(library, "", key_of(measure_of(key)), WORST) for library, key in keys.items()]
    assert [row.library for row in matrix(parse("AP@10"), [*found, FOUND[-1]]).rows] == ["named", "west"]


def test_a_measure_that_nobody_answers_is_refused() -> None:
    with pytest.raises(NobodyAnswers, match="no library of these answers ERR@10"):
        matrix(parse("ERR@10"), FOUND)


@pytest.mark.parametrize("dark", [True, False])
def test_the_picture_shows_the_same_and_escapes_what_is_hostile(dark: bool) -> None:  # noqa: FBT001 - a parameter of a test
    hostile = replace(FOUND[0], subject=replace(FOUND[0].subject, library='<b a="&">'))
    picture = ET.fromstring(svg(matrix(parse("nDCG@10"), [*FOUND[1:], hostile]), "9.9", dark=dark))  # noqa: S314 - it is our own
    texts = ["".join(element.itertext()) for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    titles = ["".join(element.itertext()) for element in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert '<b a="&">/x' in texts
    assert {"east", "north", "north/z", "worst", "input", "exp", "?", "·", "left out"} <= set(texts)
    assert any("rankproof 9.9" in text for text in texts)
    assert "ties=worst: the order of the tied docs that is worth least; proved by ties/a" in titles
    assert "no answer decides: 0, dropped" in titles
    assert (picture[1].get("fill") == "#0d1117") == dark


def test_each_cell_of_the_picture_stands_below_its_axis_and_beside_its_library() -> None:
    found = matrix(parse("nDCG@10"), FOUND)
    picture = ET.fromstring(svg(found, "9.9"))  # noqa: S314 - it is our own
    assert (picture.get("width"), picture.get("height")) == (str(196 + 3 * 92 + 12), str(76 + 5 * 24 + 34))
    texts = {(one.get("x"), one.get("y")): (one.text, one.get("fill")) for one in picture.iter(f"{{{SVG}}}text")}
    boxes = {(one.get("x"), one.get("y")): one.get("fill") for one in picture.iter(f"{{{SVG}}}rect")}
    quiet, other, page = ("#59636e", "#f6f8fa"), ("#5a3600", "#ffe3b3"), ("#59636e", "#ffffff")
    wanted = {
        "east": [("docid desc.", quiet), ("exp", other), ("·", page)],
        "north": [("input", other), ("·", page), ("left out", other)],
        "north/z": [("docid desc.", quiet), ("·", page), ("0", quiet)],
        "south/x": [("worst", other), ("linear", quiet), ("?", page)],
        "south/y": [("worst", other), ("linear", quiet), ("0", quiet)],
    }
    for nth, (name, cells) in enumerate(wanted.items()):
        assert texts["12", str(76 + 24 * nth + 16)] == (name, "#1f2328")
        for i, (said, (ink, fill)) in enumerate(cells):
            assert texts[str(196 + 92 * i + 46), str(76 + 24 * nth + 16)] == (said, ink)
            assert boxes[str(196 + 92 * i + 2), str(76 + 24 * nth + 2)] == fill
    heads = [tuple(texts[str(196 + 92 * i + 46), y][0] for y in ("50", "64")) for i in range(3)]
    assert heads == [("tied docs", "ties"), ("gain of a rel", "gain"), ("not in the run", "missing")]
    titles = [one.text for one in picture.iter(f"{{{SVG}}}title")]
    assert {"north 1: v, w", "east 1", "missing=0: " + AXES["missing"].meaning("0"), "it cannot matter here"} <= {
        *titles
    }
    assert titles[1:4] == [AXES[axis].question for axis in found.axes]
    assert texts["32", str(76 + 5 * 24 + 22)][0].startswith(
        "not as in the profile standard    ? no answer decides    · cannot"
    )  # type: ignore[union-attr]


def test_a_picture_has_nine_columns_and_fourteen_characters_a_cell() -> None:
    choice = LibraryChoice("gain", ("map:1=10,2=200",), determined=True, matters=True, standard=False, witness="")
    row = LibraryRow(
        "east", "1", ("",), "nDCG@k", (choice, replace(choice, values=("map:1=10,2=2000",)), *[choice] * 8)
    )
    drawn = svg(Matrix("nDCG", ("gain",) * 10, (row,)), "9.9")
    assert drawn.count("<title>" + AXES["gain"].question + "</title>") == 9
    assert (drawn.count(">map:1=10,2=200<"), drawn.count(">map:1=10,2=20…<")) == (8, 1)
