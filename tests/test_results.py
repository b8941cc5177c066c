"""Results are whole or refused, follow their schema, and read back as they were."""

import json
from pathlib import Path

import jsonschema
import pytest

from rankproof.judging import results_file
from rankproof.judging.runs import Run

SCHEMA = json.loads(results_file.SCHEMA.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def written(whole_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results") / "results.jsonl"
    results_file.write(whole_run, path)
    return path


def test_every_line_follows_the_schema(written: Path) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    lines = [json.loads(line) for line in written.read_text(encoding="utf-8").splitlines()]
    assert [line["kind"] for line in (lines[0], lines[-1])] == ["header", "footer"]
    # One line of each shape is enough: rows differ only in which optional members they have and what type their values are.
    shapes = {(line["kind"], *sorted(line), *(type(value).__name__ for value in line.values())): line for line in lines}
    for line in shapes.values():
        validator.validate(line)


def test_rows_read_back_as_they_were(written: Path, whole_run: Run) -> None:
    assert repr(results_file.load(written).rows) == repr(whole_run.rows)


def test_a_file_that_was_cut_off_is_refused(written: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl"
    lines = written.read_text(encoding="utf-8").splitlines(keepends=True)
    cut.write_text("".join(lines[:-1]), encoding="utf-8")
    with pytest.raises(results_file.Truncated, match=r"cut\.jsonl:\d+: .* cut off"):
        results_file.load(cut)
    cut.write_text("".join(lines[:5] + lines[-1:]), encoding="utf-8")
    with pytest.raises(results_file.Truncated, match="the footer counts"):
        results_file.load(cut)
    cut.write_text(lines[0] + lines[1][:30], encoding="utf-8")
    with pytest.raises(results_file.BadResults, match=r"cut\.jsonl:2: the line is no JSON"):
        results_file.load(cut)


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "results.jsonl"
    target.write_text("old", encoding="utf-8")

    def fails(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(KeyboardInterrupt):
        results_file.publish(target, "new")
    assert target.read_text(encoding="utf-8") == "old"
