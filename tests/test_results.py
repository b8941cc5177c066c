"""Results are whole or refused, follow their schema, and read back as they were; what is unsupported is said once."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import jsonschema
import pytest
from drawn_runs import drawn
from hypothesis import given
from hypothesis import strategies as st

from rankproof.asking.known_libraries import UnknownLibrary, chosen, libraries
from rankproof.asking.selection import in_wanted_variants
from rankproof.asking.subjects import Installation, Subject, selected
from rankproof.judging import results_file
from rankproof.judging.absences import absences_of, rows_of
from rankproof.judging.results_file import FOLDER
from rankproof.judging.verdicts import Row, Verdict

SCHEMA = json.loads(results_file.SCHEMA.read_text(encoding="utf-8"))
PUBLISHED = Path(__file__).resolve().parent.parent / "reports"


@pytest.mark.parametrize("seed", [None, 1, 2, 3], ids=str)
def test_every_line_follows_the_schema(seed: int | None, tmp_path: Path) -> None:
    """Of what was published, and of runs that are drawn."""
    if seed is not None:
        results_file.write(drawn(seed).run, tmp_path)
    shapes, wholes = {}, []
    for path in sorted(((PUBLISHED if seed is None else tmp_path) / FOLDER).glob("*.jsonl")):
        header, *rows, footer = path.read_text(encoding="utf-8").splitlines()
        wholes += map(json.loads, (header, footer))
        # One line of each shape is enough: rows differ only in which optional members they have and what type their values are.
        for line in map(json.loads, rows if seed is not None else rows[::9]):
            shapes[line["kind"], *sorted(line), *(type(value).__name__ for value in line.values())] = line
    assert {line["kind"] for line in (*shapes.values(), *wholes)} == {"header", "row", "unsupported", "footer"}
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for line in (*shapes.values(), *wholes):
        validator.validate(line)


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "lib.jsonl"
    target.write_text("old", encoding="utf-8")

    def fails(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(KeyboardInterrupt):
        results_file.publish(target, "new")
    assert target.read_text(encoding="utf-8") == "old"


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
