"""Results are whole or refused, follow their schema, and read back as they were; what is unsupported is said once."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankproof.asking.known_libraries import UnknownLibrary, chosen, libraries
from rankproof.asking.selection import in_wanted_variants
from rankproof.asking.subjects import Installation, Subject, selected
from rankproof.judging import results_file
from rankproof.judging.absences import absences_of, rows_of
from rankproof.judging.results_file import FOLDER, BadResults, RunResults, Truncated, load
from rankproof.judging.runs import Run
from rankproof.judging.verdicts import Row, Verdict

SCHEMA = json.loads(results_file.SCHEMA.read_text(encoding="utf-8"))
PUBLISHED = Path(__file__).resolve().parent.parent / "reports"


@pytest.fixture(scope="session")
def written(whole_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("out")
    results_file.write(whole_run, folder)
    return folder


@pytest.fixture(scope="session")
def whole(written: Path) -> RunResults:
    """What is read of them."""
    return load(written)


def lines(folder: Path) -> Iterator[dict]:
    for path in sorted((folder / FOLDER).glob("*.jsonl")):
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("published", [False, True], ids=["run", "published"])
def test_every_line_follows_the_schema(published: bool, request: pytest.FixtureRequest) -> None:  # noqa: FBT001
    found = list(lines(PUBLISHED if published else request.getfixturevalue("written")))
    validator = jsonschema.Draft202012Validator(SCHEMA)
    # One line of each shape is enough: rows differ only in which optional members they have and what type their values are.
    shapes = {(line["kind"], *sorted(line), *(type(value).__name__ for value in line.values())): line for line in found}
    assert {shape[0] for shape in shapes} == {"header", "row", "unsupported", "footer"}
    for line in [*shapes.values(), *(line for line in found if line["kind"] in {"header", "footer"})]:
        validator.validate(line)


def test_each_library_has_a_file_of_its_own(written: Path, whole_run: Run) -> None:
    assert {path.stem for path in (written / FOLDER).iterdir()} == {one.library.name for one in whole_run.asked}
    for path in (written / FOLDER).iterdir():
        header, *rest, _ = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        (asked,) = header["asked"]
        names = {re.split("[/-]", line["subject"])[0] for line in rest if "subject" in line}
        assert names | {asked["library"]} == {path.stem}, "and that each row is there is seen below"


def test_rows_read_back_as_they_were(whole: RunResults, whole_run: Run) -> None:
    assert repr(whole.rows) == repr(whole_run.rows)


def test_the_footers_count_what_the_rows_say(whole: RunResults, whole_run: Run) -> None:
    footer, verdicts = whole.footer, Counter(str(row.verdict) for row in whole_run.rows)
    assert footer["verdicts"] == verdicts
    assert (footer["rows"] + footer["unsupported"], footer["unsupported"]) == (
        verdicts.total(),
        verdicts["unsupported"],
    )
    assert footer["complaints"] == len(whole_run.complaints)


def test_what_is_unsupported_is_said_once_for_each_reason(written: Path, whole: RunResults) -> None:
    found = [line for line in lines(written) if line["kind"] == "unsupported"]
    everywhere = [line for line in found if "cases" not in line]
    assert len({(line["subject"], line["why"]) for line in everywhere}) == len(everywhere)
    assert len(found) < whole.footer["unsupported"] / 5


def a_file(folder: Path) -> tuple[Path, list[str]]:
    path = folder / "lib.jsonl"
    header = {"kind": "header", "rankproof": "0", "python": "3", "platform": "", "cases": 2, "inputs": "", "code": "",
              "asked": [{"library": "lib", "version": "1", "variants": {"v": ""}}],
              "questions": {"a/a": ["AP", "RR"], "a/b": ["AP"]}}  # fmt: skip
    row = {
        "kind": "row",
        "case": "a/a",
        "subject": "lib-1",
        "measure": "AP",
        "verdict": "agrees",
        "value": 1,
        "expected": 1,
    }
    absence = {"kind": "unsupported", "subject": "lib-1", "why": "no RR", "measures": ["RR"]}
    footer = {
        "kind": "footer",
        "rows": 2,
        "unsupported": 1,
        "verdicts": {"agrees": 2, "unsupported": 1},
        "complaints": 0,
    }
    text = [json.dumps(line) + "\n" for line in (header, row, {**row, "case": "a/b"}, absence, footer)]
    path.write_text("".join(text), encoding="utf-8")
    return path, text


def test_a_file_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    path, text = a_file(tmp_path)
    assert [str(row.verdict) for row in load(path).rows] == ["agrees", "unsupported", "agrees"]
    path.write_text("".join(text[:-1]), encoding="utf-8")
    with pytest.raises(Truncated, match=r"lib\.jsonl:4: .* cut off"):
        load(path)
    for left_out in (1, 3):
        path.write_text("".join(text[:left_out] + text[left_out + 1 :]), encoding="utf-8")
        with pytest.raises(Truncated, match="the footer counts 2 rows and 1 that are unsupported"):
            load(path)
    path.write_text(text[0] + text[1][:30], encoding="utf-8")
    with pytest.raises(BadResults, match=r"lib\.jsonl:2: this is no JSON"):
        load(path)


def test_an_absence_of_what_nobody_asked_is_refused_with_its_line(tmp_path: Path) -> None:
    path, text = a_file(tmp_path)
    path.write_text("".join(text).replace('"measures": ["RR"]', '"cases": ["a/x"]'), encoding="utf-8")
    with pytest.raises(BadResults, match=r"lib\.jsonl:4: .*no such case was asked: a/x"):
        load(path)


def test_files_of_two_runs_are_not_mixed(tmp_path: Path) -> None:
    path, text = a_file(tmp_path)
    other = "".join(text).replace('"lib"', '"other"').replace("lib-1", "other-1")
    path.with_name("other.jsonl").write_text(other, encoding="utf-8")
    assert {row.library for row in load(tmp_path).rows} == {"lib", "other"}
    path.with_name("other.jsonl").write_text(other.replace('"rankproof": "0"', '"rankproof": "1"'), encoding="utf-8")
    with pytest.raises(BadResults, match=r"other\.jsonl:1: lib\.jsonl beside it is of another run"):
        load(tmp_path)


def test_what_a_run_did_not_ask_goes_and_files_of_others_stay(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    path, text = a_file(tmp_path / FOLDER)
    (path.with_name("mine.jsonl")).write_text('{"mine": 1}\n')
    (path.with_name("odd.jsonl")).write_bytes(b"\xff\n")
    assert text
    results_file.write(Run((), (), (), ()), tmp_path)
    assert sorted(one.name for one in path.parent.iterdir()) == ["mine.jsonl", "odd.jsonl"]


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "lib.jsonl"
    target.write_text("old", encoding="utf-8")

    def fails(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(KeyboardInterrupt):
        results_file.publish(target, "new")
    assert target.read_text(encoding="utf-8") == "old"


def test_versions_and_environments_stand_side_by_side(tmp_path: Path, whole_run: Run) -> None:
    one = next(asked for asked in whole_run.asked if asked.library.name == "pytrec_eval")
    rows = [row for row in whole_run.rows if row.library == "pytrec_eval"]
    hellos = (one.hello, {**one.hello, "version": "9"}, {**one.hello, "python": "3.9.1"})
    several = [replace(one, hello=hello) for hello in hellos]
    all_rows = [replace(row, subject=asked.subject(row.variant)) for asked in several for row in rows]
    run = replace(whole_run, asked=tuple(several), rows=tuple(all_rows), complaints=())
    results_file.write(run, tmp_path)
    found = load(tmp_path)
    assert Counter(map(repr, found.rows)) == Counter(map(repr, all_rows))
    assert [len(asked) for asked in found.libraries.values()] == [3]
    assert sorted(set(found.names.values())) == [
        f"pytrec_eval-0.5.11 (Python {one.hello['python']})", "pytrec_eval-0.5.11 (Python 3.9.1)", "pytrec_eval-9",
    ]  # fmt: skip


# -- absences ---------------------------------------------------------------------------------------------------------

SUBJECTS = (Subject("lib", "v", "1", alone=False), Subject("lib", "w", "1", alone=False))
CASES, MEASURES, REASONS = ("a/a", "a/b", "a/c"), ("AP", "RR", "P@5"), ("no such measure", "no such input", "")


@st.composite
def asked_and_answered(draw: st.DrawFn) -> tuple[Mapping[str, Sequence[str]], list[Row]]:
    """Questions, and for each of them and each subject: a row, why it is unsupported, or nothing at all."""
    measures = st.lists(st.sampled_from(MEASURES), unique=True, min_size=1)
    questions = {case: tuple(draw(measures)) for case in CASES}
    rows = []
    for case, asked in questions.items():
        for subject in SUBJECTS:
            for measure in asked:
                said = draw(st.sampled_from(["judged", "nothing", *REASONS, *REASONS]))
                if said == "judged":
                    rows += [Row(case, subject, measure, query, Verdict.AGREES, 1.0) for query in (None, "q")]
                elif said != "nothing":
                    rows.append(Row(case, subject, measure, None, Verdict.UNSUPPORTED, note=said))
    return questions, rows


@given(asked_and_answered())
def test_whatever_is_unsupported_is_given_back_row_for_row(
    drawn: tuple[Mapping[str, Sequence[str]], list[Row]],
) -> None:
    questions, rows = drawn
    judged = [row for row in rows if row.verdict is not Verdict.UNSUPPORTED]
    said = list(absences_of(rows, questions))
    assert rows_of(judged, said, questions, SUBJECTS) == rows
    assert len(said) <= len(rows) - len(judged)


def test_a_reason_that_holds_everywhere_names_no_case_and_one_of_a_whole_case_no_measure() -> None:
    questions = {"a/a": ("AP", "RR"), "a/b": ("AP", "RR"), "a/c": ("AP",)}

    def unsupported(case: str, measure: str, why: str) -> Row:
        return Row(case, SUBJECTS[0], measure, None, Verdict.UNSUPPORTED, note=why)

    rows = [
        unsupported("a/a", "AP", "no such input"), unsupported("a/a", "RR", "no such input"),
        unsupported("a/b", "RR", "no RR"), unsupported("a/c", "AP", "too long"),
    ]  # fmt: skip
    found = [(one.why, one.cases, one.measures) for one in absences_of(rows, questions)]
    assert found == [("no such input", ("a/a",), None), ("no RR", None, ("RR",)), ("too long", ("a/c",), ("AP",))]


# -- what subjects are called -----------------------------------------------------------------------------------------


def test_a_variant_is_part_of_the_name_only_where_there_are_several() -> None:
    assert Installation("lib", "1", variants={"rows": ""}).subject("rows").signed == "lib-1"
    for other in ({"absent": {"lists": "no module"}}, {"others": ("lists",)}):
        assert Installation("lib", "1", variants={"rows": ""}, **other).subject("rows").signed == "lib/rows-1"
    assert [one.name for one in Installation("lib", not_installed="no module").subjects] == ["lib"]


def test_libraries_and_variants_are_chosen_by_globs() -> None:
    among = libraries()
    found = {library.name: library.only for library in chosen(("sklearn/r*", "ir_measures/ranx", "*/default"), among)}
    assert found["sklearn"] == ("r*", "default")
    assert found["ir_measures"] == ("ranx", "default")
    assert [library.only for library in chosen(("sklearn/rows", "sklearn"), among)] == [()], "one glob means all of it"
    assert chosen((), among) == among
    with pytest.raises(UnknownLibrary, match=r"irmeasures/ranx is no library; did you mean ir_measures\?"):
        chosen(("irmeasures/ranx",), among)
    assert selected({"version": "1", "variants": {"a": "", "b": ""}, "absent": {"c": "why"}}, ("b", "c")) == {
        "version": "1", "variants": {"b": ""}, "absent": {"c": "why"}, "others": ["a"], "untold": {},
    }  # fmt: skip


def test_a_glob_of_libraries_leaves_out_those_that_have_no_such_variant() -> None:
    hello = {"version": "1", "variants": {"rows": ""}}
    (named,) = chosen(("catboost/default",), libraries())
    with pytest.raises(UnknownLibrary, match="catboost has no variant default; known are catboost/rows"):
        in_wanted_variants(named, hello)
    meant = {library.name: library for library in chosen(("*/default",), libraries())}
    assert in_wanted_variants(meant["catboost"], hello)["variants"] == {}
