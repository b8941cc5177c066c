"""What leaves the project: badges, citations and public data say what the fingerprints prove, and nothing more."""

import json
import re
import shutil
import tomllib
import xml.etree.ElementTree as ET
from contextlib import chdir
from pathlib import Path
from typing import Any

import jsonschema
import published_run
import pytest
from typed import rankproof

from rankproof.cli.data import command as data_verb
from rankproof.inference.signatures import parse
from rankproof.report import citation, public_data
from rankproof.report.badges import Badge, NoBadge, as_endpoint, of_check, of_library, svg
from rankproof.version import REPOSITORY, VERSION, YEAR

ROOT = Path(__file__).resolve().parent.parent
HISTORY: dict[str, Any] = {
    "environments": [
        {
            "name": f"lib@{version}",
            "library": "lib",
            "package": "lib",
            "version": version,
            "python": "3.11.7",
            "stands_on": {"lib": version},
            "status": "asked",
            "why": "",
            "verdicts": {"agrees": count},
        }
        for version, count in (("1", 3), ("2", 4), ("3", 5))
    ],
    "libraries": {
        "lib": {
            "title": "Lib",
            "versions": ["1", "2", "3"],
            "steps": [
                {
                    "from": "2",
                    "to": "3",
                    "noise": 0,
                    "unsteady": 2,
                    "beside": " (with numpy 1 → 2)",
                    "also_differs": [{"package": "numpy", "before": "1", "after": "2"}],
                    "changes": [
                        {
                            "library": "lib",
                            "measure": "AP",
                            "variants": ["v"],
                            "answers": 7,
                            "largest": 0.5,
                            "cause": [{"axis": "norel", "before": "nan", "after": "0"}],
                            "profiles": [],
                            "behind": "before, …",
                            "place": "a/b AP",
                            "before": "nan",
                            "after": "0",
                            "sentence": "AP …",
                            "witness": {
                                "kind": "moved",
                                "library": "lib",
                                "variant": "v",
                                "version": "3",
                                "case": "a/b",
                                "measure": "AP",
                                "query": None,
                                "old": {"verdict": "unexplained", "value": "nan", "error": None, "conventions": []},
                                "new": None,
                            },
                        }
                    ],
                }
            ],
            "answers": [
                {"variant": "v", "case": "a/b", "measure": "AP", "query": "q", "by_version": ["nan", "nan", "0"]}
            ],
        },
        "other": {"title": "Other", "versions": ["7"], "steps": [], "answers": []},
    },
}


# -- badges -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("badge", "message", "color"),
    [
        (Badge("AP", (), 7, 7), "as standard · 7 of 7 answers", "blue"),
        (Badge("P<&>@k", ("gain=<b>&", "norel=1"), 6, 7), "gain=<b>&, norel=1 · 6 of 7 answers", "orange"),
        (
            Badge("RR", ("ties=best", "norel=1", "mean=sum", "score=f32", "ids=text"), 8, 9),
            "ties=best, norel=1, mean=sum, and 2 more · 8 of 9 answers",
            "orange",
        ),
    ],
)
def test_a_badge_says_conventions_and_count_and_shows_what_is_hostile_as_text(
    badge: Badge, message: str, color: str
) -> None:
    assert as_endpoint(badge) == {"schemaVersion": 1, "label": badge.measure, "message": message, "color": color}
    picture = ET.fromstring(svg(badge))  # noqa: S314 - it is our own
    texts = ["".join(one.itertext()) for one in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [badge.measure, message]
    assert "%" not in message


@pytest.mark.parametrize("name", ["catboost", "pytrec_eval", "sklearn/rows"])
def test_the_badge_of_a_library_is_its_fingerprint(name: str, tmp_path: Path) -> None:
    """Of nDCG, where no measure is named; what a badge says of a fingerprint is seen in `test_drawn_fingerprints.py`."""
    every = [one for one in published_run.fingerprints() if one.key == "nDCG@k"]
    (found,) = [one for one in every if name in {one.library, one.subject.name}]
    done = rankproof("badge", name, cwd=tmp_path)
    told = json.loads(done.out)
    assert told == as_endpoint(of_library(found))
    assert f'"message": "{told["message"]}"' in done.out, "no letter is escaped"


def test_a_function_that_is_not_the_measure_has_no_badge() -> None:
    with pytest.raises(NoBadge, match=r"There is no badge for f: f is not AP\."):
        of_check({"holds": False, "name": "f", "sentence": "f is not AP."})
    told = {"holds": True, "measure": "AP", "profile": "ties=input norel=1", "values": 6, "explained": 5}
    assert of_check(told) == Badge("AP", ("ties=input", "norel=1"), 5, 6)
    assert of_check(told | {"profile": "standard"}) == Badge("AP", (), 5, 6)


# -- citations --------------------------------------------------------------------------------------------------------


def test_a_sentence_says_what_was_computed_and_by_whom_and_what_is_open() -> None:
    assert citation.sentence(parse("P@10|ties:input|by:reference|rankproof:0.1.0")) == (
        "P@10 is computed by rankproof 0.1.0 (over k, ties in input order, query without relevant docs worth 0); "
        "signature: P@10|ties:input|by:reference|rankproof:0.1.0."
    )
    said = citation.sentence(parse("P@10|ties:?|by:lib-2|rankproof:0.1.0"))
    assert said.startswith("P@10 is computed by lib-2, as rankproof 0.1.0 found it (over k, ")
    assert "; ties undetermined); " in said
    assert "docid" not in said, "what is open is not told as a value"
    several = citation.sentence(parse("P@10|ties:?|norel:?|missing:?|by:lib-2|rankproof:0.1.0"))
    assert {"ties", "norel", "missing"} == {*re.search(r"; ([\w, ]+) undetermined\); ", several)[1].split(", ")}  # type: ignore[index]


@pytest.mark.parametrize("signature", ["P@10|ties:input", "nDCG@10|gain:exp|by:my_lib-2|rankproof:0.1.0", "nDCG@5"])
def test_a_sentence_in_latex_is_the_sentence_with_what_it_cites(signature: str, tmp_path: Path) -> None:
    plain, in_latex = (rankproof("cite", signature, *more, cwd=tmp_path).out for more in ((), ("--latex",)))
    said, _, entry = plain.partition("\n\n")
    assert in_latex == f"{citation.in_latex(said[:-1])}~\\cite{{rankproof}}.\n\n{entry}"


def test_the_version_and_the_year_are_the_same_wherever_they_stand() -> None:
    said = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {VERSION}\n" in said
    assert f"version = {{{VERSION}}}" in citation.bibtex().replace("version  ", "version ")
    assert f"Copyright (c) {YEAR} " in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert ("repository-code:" in said) == bool(REPOSITORY)
    assert citation.bibtex().count("{") == citation.bibtex().count("}")


# -- data -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "history.json").write_text(json.dumps(HISTORY), encoding="utf-8")
    done = rankproof("data", "-o", "data", "--history", "history.json", cwd=folder)
    assert (done.code, done.err) == (0, "")
    return folder / "data"


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def of_each_shape(value: Any) -> Any:
    """The same with one object of each shape in each list: they differ only in which members they have and what type their values are."""
    if isinstance(value, dict):
        return {name: of_each_shape(one) for name, one in value.items()}
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        return list({shape(one): one for one in map(of_each_shape, value)}.values())
    return value


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((name, shape(one)) for name, one in sorted(value.items()))
    return frozenset(map(shape, value)) if isinstance(value, list) else type(value)


@pytest.mark.in_turn
@pytest.mark.parametrize("name", public_data.SCHEMA_OF)
def test_each_document_follows_the_schema_beside_it(name: str, written: Path) -> None:
    document, schema = read(written / f"{name}.json"), read(written / "schemas" / f"{name}.schema.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(of_each_shape(document))
    assert not validator.is_valid({**document, "more": 1}), "the schema holds"
    assert document["rankproof"] == VERSION


@pytest.mark.in_turn
def test_the_matrix_says_of_every_form_what_its_fingerprint_proves(written: Path) -> None:
    told = read(written / "matrix.json")
    by_form = {(one.library, one.variant, one.key): one for one in published_run.fingerprints()}
    seen = set()
    for measure in told["measures"]:
        for row in measure["rows"]:
            for way in row["ways"]:
                one = by_form[row["library"], way, row["form"]]
                seen.add((row["library"], way, row["form"]))
                assert row["version"] == one.subject.version
                for axis, choice in row["choices"].items():
                    if axis in one.axes:
                        assert choice.get("value") == one.axes[axis].value
                        assert tuple(choice.get("undetermined", ())) == one.axes[axis].open
                        assert choice["standard"] == (choice.get("value") is not None and one.axes[axis].standard)
    assert {key for key in by_form if "(" not in key[2]} <= seen, "nobody is left out"


@pytest.mark.in_turn
def test_the_history_is_the_one_that_was_named(written: Path) -> None:
    told = read(written / "history.json")
    assert {name: told[name] for name in HISTORY} == HISTORY
    assert (told["kind"], told["format"]) == ("history", 2)


@pytest.mark.in_turn
def test_what_is_not_named_is_the_published_one_and_none_is_put_beside_other_fingerprints(tmp_path: Path) -> None:
    assert rankproof("data", cwd=tmp_path).code == 0
    published, told = read(ROOT / "reports" / "history.json"), read(tmp_path / "data" / "history.json")
    assert {name: told[name] for name in published} == published
    assert len(told["libraries"]) > 3
    shutil.copy(ROOT / "reports" / "fingerprint.json", tmp_path / "own.json")
    assert rankproof("data", "--fingerprints", "own.json", "-o", "own", cwd=tmp_path).code == 0
    assert {path.stem for path in (tmp_path / "own").glob("*.json")} == {"cases", "fingerprints", "matrix"}


@pytest.mark.in_turn
def test_a_history_of_another_form_is_refused(tmp_path: Path) -> None:
    for change in ({"environments": [{"name": "x"}]}, {"more": 1}, {"libraries": []}):
        (tmp_path / "h.json").write_text(json.dumps({**HISTORY, **change}), encoding="utf-8")
        with pytest.raises(public_data.BadHistory, match=r"^h\.json:1: "), chdir(tmp_path):
            public_data.history(Path("h.json"), VERSION)
    done = rankproof("data", "--history", "h.json", cwd=tmp_path)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("rankproof: h.json:1: ")
    assert data_verb.name == "data"


def test_what_lies_beside_results_is_read_or_refused_in_one_line_with_the_mend(tmp_path: Path) -> None:
    assert public_data.past(tmp_path) == {}
    (tmp_path / "history.json").write_text(json.dumps(HISTORY), encoding="utf-8")
    assert public_data.past(tmp_path) == HISTORY["libraries"]
    for text in ("[]", "{", '{"environments": []}', '{"environments": [], "libraries": {"a": [1]}}'):
        (tmp_path / "history.json").write_text(text, encoding="utf-8")
        mend = r"history\.json:1: [^\n]*; write it again with `rankproof run --env all`\Z"
        with pytest.raises(public_data.BadHistory, match=mend):
            public_data.past(tmp_path)


def test_the_wheel_says_where_it_comes_from_if_that_is_known() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"readme", "urls", "version"} <= set(project["dynamic"])


def test_a_bibliography_has_its_fields_in_their_usual_order_and_data_its_letters_as_they_are() -> None:
    fields = re.findall(r"^  (\w+) ", citation.bibtex(), re.MULTILINE)
    assert fields == ["title", "author", "version", "year", *(["url"] if REPOSITORY else [])]
    assert "é" in public_data.files({"cases": {"kind": "é"}})["cases.json"]
