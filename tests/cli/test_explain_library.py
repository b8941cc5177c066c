"""`rankproof explain --library`: an installed library is run on the data, and compared with its published profile."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from rankproof.cli.program import cli
from rankproof.reference_impl.unusable import Unusable

QRELS = "q1 0 a 2\nq1 0 b 1\nq1 0 c 0\nq2 0 a 1\nq3 0 a 1\n"
RUN = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 c 3 1 t\nq2 Q0 b 1 2 t\nq2 Q0 a 2 1 t\nq3 Q0 b 1 3 t\nq3 Q0 c 2 2 t\nq3 Q0 a 3 1 t\n"
"""RR of the queries is 1, 1/2 and 1/3, and the mean 11/18."""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    for name, text in {"qrels": QRELS, "run": RUN}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return str(tmp_path / "qrels"), str(tmp_path / "run")


def explained(files: tuple[str, str], measure: str, *options: str) -> str:
    done = CliRunner().invoke(cli, ["explain", *files, measure, *options], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return " ".join(done.stdout.split())


@pytest.mark.parametrize("library", ["pytrec_eval", "trectools/frame", "ir_measures/pytrec_eval"])
def test_a_library_that_follows_its_profile_is_said_to(library: str, files: tuple[str, str]) -> None:
    output = explained(files, "RR", "--as", "standard", "--library", library)
    assert "returns the values of its profile on 3 of 3 queries." in output


def test_a_number_that_a_library_returns_is_attributed_to_it(files: tuple[str, str]) -> None:
    output = explained(files, "RR", "--value", "0.6111", "--library", "pytrec_eval")
    assert output.startswith("0.6111 is RR as returned by pytrec_eval ")
    assert "returned by" not in explained(files, "RR", "--value", "0.5", "--library", "pytrec_eval")


def test_values_of_tied_documents_without_a_fixed_order_are_explained(files: tuple[str, str]) -> None:
    run = Path(files[1])
    run.write_text(RUN.replace("b 1 2 t", "b 1 1 t"), encoding="utf-8")
    output = explained(files, "nDCG@10", "--as", "standard", "--library", "sklearn/rows-ignore-ties")
    # scikit-learn sorts ascending and reverses; whatever it does with the tie of q2, the others are equal.
    assert "on 3 of 3 queries" in output or "on 2 of 3 queries, as the order of tied documents is not fixed" in output


@pytest.mark.parametrize(
    ("library", "measure", "why"),
    [
        ("sklearn/rows", "RR", "it does not have this measure"),
        ("sklearn/rows", "AP", "it refuses the data, as its profile does: "),
        ("catboost", "Bpref", "it does not have this measure"),
    ],
)
def test_a_library_without_values_says_why(library: str, measure: str, why: str, files: tuple[str, str]) -> None:
    assert why in explained(files, measure, "--as", "standard", "--library", library)


@pytest.mark.parametrize(
    ("library", "message"),
    [
        ("elasticsearch", "it has no adapter; compare its profile with --as elasticsearch"),
        ("r_metricz", "r_metricz is no library"),
        ("sklearn@0.0.1", "0.0.1"),
    ],
)
def test_a_library_that_cannot_be_run_is_one_line(library: str, message: str, files: tuple[str, str]) -> None:
    with pytest.raises(Unusable) as error:
        explained(files, "RR", "--library", library)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
