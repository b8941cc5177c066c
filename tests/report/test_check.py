"""The output and exit codes of `rankproof check`: first lines, details, JSON, and examples that run."""

import json
import re
from pathlib import Path
from textwrap import dedent

import pytest
from function_table import rankproof_check

METRICS = """
    import math
    def ndcg(rels, k):
        def dcg(values):
            return sum((2**value - 1) / math.log2(rank + 1) for rank, value in enumerate(values[:k], 1))
        best = dcg(sorted(rels, reverse=True))
        return dcg(rels) / best if best else 0.0
    def recall(ranked, relevant, k):
        return len(set(ranked[:k]) & set(relevant)) / len(set(relevant)) if relevant else 0.0
    def slow(rels):
        import time; time.sleep(0.2); return 1.0
    relevant = "of the module"
"""


@pytest.fixture
def metrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # like a user
    (tmp_path / "metrics.py").write_text(dedent(METRICS), encoding="utf-8")
    return tmp_path


pytestmark = pytest.mark.usefixtures("metrics")


def test_a_variant_names_its_conventions_in_the_first_line() -> None:
    code, output = rankproof_check("metrics.py", "ndcg(rels, k)", "nDCG@10")
    assert code == 0
    assert output.startswith("ndcg is nDCG@10 with exponential gain (2^grade - 1).\n")
    assert re.search(r"^  Not tested +.*unretrieved relevant documents", output, re.MULTILINE)
    assert "Signature            nDCG@10|gain:exp|ties:input|known:retrieved|" in output


def test_strict_accepts_no_variant() -> None:
    assert rankproof_check("metrics.py", "ndcg(rels, k)", "nDCG@10", "--strict")[0] == 1
    assert rankproof_check("metrics.py", "ndcg(rels, k)", "nDCG@10", "--profile", "standard gain=exp")[0] == 0


def test_swapped_arguments_are_suggested() -> None:
    code, output = rankproof_check("metrics.py", "recall(relevant, ranked, k)", "R@10")
    assert code == 1
    assert "With the arguments swapped, every value matches. Did you mean recall(ranked, relevant, k)?" in re.sub(
        r"\s+", " ", output
    )


def test_a_module_name_that_an_ingredient_hides_is_reported() -> None:
    _, output = rankproof_check("metrics.py", "recall(ranked, relevant, k)", "R@10")
    assert "The module also defines relevant; the call uses the ingredient." in output


def test_details_have_everything_that_the_first_lines_leave_out() -> None:
    _, output = rankproof_check("metrics.py", "ndcg(rels, k)", "nDCG@10", "--details")
    for words in (
        "Reads",
        "Decided by the call",
        "Undetermined",
        "Extreme input",
        "Full signature",
        "standard: the grade",
    ):
        assert words in output
    assert max(map(len, output.splitlines())) <= 100


def test_json_has_the_same_verdict_as_the_screen_and_the_exit_code() -> None:
    code, output = rankproof_check("metrics.py", "ndcg(rels, k)", "nDCG@10", "--json")
    result = json.loads(output)
    assert (code, result["verdict"], result["holds"], result["profile"]) == (0, "variant", True, "gain=exp")
    assert result["headline"] == "ndcg is nDCG@10 with exponential gain (2^grade - 1)."
    assert result["differences"][0]["axis"] == "gain"
    assert result["undetermined"]


def test_a_function_that_is_too_slow_for_the_budget_is_never_reported_as_correct() -> None:
    code, output = rankproof_check("metrics.py", "slow(rels)", "nDCG", "--budget", "1")
    assert code in {1, 3}
    assert "--budget" in output
