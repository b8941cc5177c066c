"""A repro runs in a file of its own, without rankproof, and shows the value that the run observed."""

import subprocess
import sys
from pathlib import Path

import pytest

from rankproof import cases as corpus
from rankproof.repro import script
from rankproof.sheets import libraries

LIBRARIES = {library.name: library for library in libraries()}


@pytest.mark.parametrize("name", ["catboost", "pytrec_eval", "sklearn", "trectools", "ir_measures", "evaluate"])
def test_a_repro_needs_only_the_library(name: str, tmp_path: Path) -> None:
    case = corpus.load(corpus.HERE / "ties" / "none-tied.toml")
    text = script(case, LIBRARIES[name], ["AP"])
    assert "rankproof" not in text.replace("rankproof_adapter", "")
    path = tmp_path / "repro.py"
    path.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", str(path)], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "0.8333333333333333" in done.stdout


def test_a_repro_of_hostile_ids_and_scores_is_python(tmp_path: Path) -> None:
    topic = tmp_path / "ids"
    topic.mkdir()
    (topic / "hostile.toml").write_text(
        'question = "ids hold quotes and line ends"\nwhy = "they come from anywhere"\nsource = "own"\ntags = ["undefined"]\n'
        'measures = ["AP"]\n'
        'qrels = [["q1", "\\"\\"\\" + exit(9) #\\n", 1]]\n'
        'run = [["q1", "\\"\\"\\" + exit(9) #\\n", "nan"], ["q1", "b", "-inf"]]\n',
        encoding="utf-8",
    )
    path = tmp_path / "repro.py"
    path.write_text(script(corpus.load(topic / "hostile.toml"), LIBRARIES["sklearn"], ["AP"]), encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", str(path)], capture_output=True, text=True, check=True)
    assert "ValueError: Input contains NaN" in done.stdout
