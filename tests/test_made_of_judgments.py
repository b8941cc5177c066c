"""Classes whose objects are made of what is relevant, and have a method that is given what was retrieved."""

from pathlib import Path
from typing import Any

import pytest

from rankproof import cases as corpus
from rankproof.calling.targets import BadFunction
from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.isolating.limits import Limits
from rankproof.telling.check_answer import answer_of
from rankproof.telling.check_text import in_text
from rankproof.telling.check_words import script_of

CASES = corpus.load_all()[::8]
CLASSES = """
from dataclasses import dataclass
from pathlib import Path

class Qrels:
    def __init__(self, qrels, device):
        assert device == "cpu"
        self.qrels = qrels

    def rr(self, run, k=10):
        found = []
        for query, rels in self.qrels.items():
            docs = sorted(run.get(query, {}).items(), key=lambda pair: pair[1], reverse=True)[:k]
            found.append(next((1 / rank for rank, (doc, _) in enumerate(docs, 1) if rels.get(doc, 0) > 0), 0))
        return sum(found) / len(found)

class OfOne:
    def __init__(self, relevant_ids, verbose=False):
        self.relevant = set(relevant_ids)

    def precision(self, retrieved_ids, k=5):
        return len([doc for doc in retrieved_ids[:k] if doc in self.relevant]) / k

    def too_deep(self, retrieved_ids, k=5):
        return self.precision(retrieved_ids, k + 1) * (k + 1) / k

class AtK:
    def __init__(self, ground_truth: dict[str, list[str]], k: int):
        self.gold, self.k = ground_truth, k

    def recall(self, predictions: dict[str, list[str]]) -> float:
        found = [len({*predictions.get(q, [])[:self.k]} & {*docs}) / len(docs) for q, docs in self.gold.items() if docs]
        return sum(found) / len(found)

class OfFiles:
    def __init__(self, qrels_path):
        self.relevant = {(line.split()[0], line.split()[2]) for line in Path(qrels_path).read_text("utf-8").splitlines()}

    def __call__(self, run_path, k=5):
        rows = [line.split() for line in Path(run_path).read_text("utf-8").splitlines()]
        queries = dict.fromkeys(query for query, *_ in rows)
        ranked = {q: sorted(((float(row[4]), row[2]) for row in rows if row[0] == q), reverse=True)[:k] for q in queries}
        return {q: float(any((q, doc) in self.relevant for _, doc in docs)) for q, docs in ranked.items()}

@dataclass
class Found:
    query_id: str
    ranked_ids: list[str]

class Judge:
    def __init__(self, relevant_ids: list[str]):
        self.relevant = set(relevant_ids)

    def recall(self, found: Found, k: int = 5) -> float:
        return len({*found.ranked_ids[:k]} & self.relevant) / len(self.relevant)

class TwoCutoffs:
    def __init__(self, ground_truth, k):
        self.gold, self.k = ground_truth, k

    def recall(self, predictions, k):
        return self.k

class Same:
    def __init__(self, relevant):
        self.relevant = relevant

    def recall(self, relevant, k=5):
        return len(relevant)

class Model:
    def __init__(self, tower):
        self.tower = tower

    def recall(self, relevant, ranked, k=5):
        return self.tower
"""


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "judged.py"
    path.write_text(CLASSES, encoding="utf-8")
    return path


def checked(classes: Path, name: str, measure: str) -> Checked:
    return examine(None, measure, name=f"{classes}:{name}", cases=CASES, limits=Limits(isolated=False))


@pytest.mark.parametrize(
    ("name", "measure", "said", "form", "call"),
    [
        ("Qrels.rr", "RR@10", "yes: ", "qrels-run", "Qrels(qrels, device='cpu').rr(run, k=)"),
        ("OfOne.precision", "P@5", "yes: ", "ids", "OfOne(relevant).precision(ranked, k=)"),
        ("OfOne.too_deep", "P@5", "no: ", "ids", "OfOne(relevant).too_deep(ranked, k=)"),
        ("AtK.recall", "R@5", "yes: ", "queries-ids", "AtK(relevant_of_query, k=k).recall(ranked_of_query)"),
        ("Judge.recall", "R@5", "yes: ", "ids", "Judge(relevant).recall(query_id, ranked, k=)"),
        ("OfFiles", "Success@5", "yes: ", "relevant-files", "OfFiles(qrels_file)(run_file, k=)"),
    ],
)
def test_it_is_made_of_the_judgments_and_asked_with_the_run(
    name: str, measure: str, said: str, form: str, call: str, classes: Path
) -> None:
    found = checked(classes, name, measure)
    assert answer_of(found).sentence.startswith(said)
    assert found.target.form.name == form
    assert f" as {call}: " in " ".join(in_text(found).split())
    shown: list[Any] = []
    exec(script_of(found), {"print": shown.append})  # noqa: S102 - the lines to type
    assert len(shown) == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Model.recall", r"(?s)Model\.recall needs tower: .*Model\(tower=\.\.\.\)\.recall\("),
        ("TwoCutoffs.recall", r"TwoCutoffs\.recall needs ground_truth, k: "),
        ("Same.recall", r"Same\.recall needs relevant: "),
    ],
)
def test_what_it_is_made_with_beside_them_is_asked_for(name: str, said: str, classes: Path) -> None:
    with pytest.raises(BadFunction, match=said):
        checked(classes, name, "R@5")
