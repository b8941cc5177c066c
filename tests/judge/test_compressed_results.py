"""Published results: compressed to the same bytes each time, read as the plain ones of a run, and refused in one line if damaged."""

from pathlib import Path

import pytest
from random_observations import drawn

from rankproof.judge import results_file
from rankproof.judge.results_file import COMPRESSED, FOLDER, BadResults

SEED = 1


def published(folder: Path) -> list[Path]:
    """Write results as they are published; return the files."""
    results_file.write(drawn(SEED).run, folder, COMPRESSED)
    return sorted((folder / FOLDER).iterdir())


def test_compressed_results_are_the_plain_ones_and_take_their_place(tmp_path: Path) -> None:
    results_file.write(drawn(SEED).run, tmp_path)
    plain = repr(results_file.load(tmp_path).rows)  # NaN equals itself only as text
    paths = published(tmp_path)
    assert {path.name.partition(".")[2] for path in paths} == {"jsonl.gz"}
    assert repr(results_file.load(tmp_path).rows) == plain
    first = {path.name: path.read_bytes() for path in paths}
    assert {path.name: path.read_bytes() for path in published(tmp_path)} == first


@pytest.mark.parametrize("left", [0, 10, 60])
def test_a_damaged_file_is_refused_with_its_name(tmp_path: Path, left: int) -> None:
    path = published(tmp_path)[0]
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises((BadResults, results_file.Truncated), match=path.name):
        results_file.load(path)
    path.write_bytes(b"this is not gzip")
    with pytest.raises(BadResults, match=r":1: this cannot be unpacked: "):
        results_file.load(path)
