"""Functions that search themselves are refused with lines in which what searches gives the rankings that are to be judged."""

from pathlib import Path

import pytest

from rankproof import cases as corpus
from rankproof.calling.targets import BadFunction
from rankproof.checking.examining import examine

SEARCHING = """
def recall_at_k(queries, gold, retriever, k=5):
    return sum(len(set(retriever(q)[:k]) & set(gold[q])) / len(gold[q]) for q in queries if gold[q]) / len(queries)

def hit_rate(dataset, search_fn, k):
    return sum(any(doc in row["relevant"] for doc in search_fn(row["query"], k)[:k]) for row in dataset) / len(dataset)

def reciprocal_rank(Recommender, relevant):
    ranks = {q: [at for at, doc in enumerate(Recommender(user=q), start=1) if doc in docs] for q, docs in relevant.items()}
    return sum(1 / min(each) if each else 0 for each in ranks.values()) / len(ranks)
"""
EACH = 10
"""Every so many cases are enough to be recognised by."""
FILLED_IN = {
    "recall_at_k": "list(relevant_of_query), relevant_of_query, k=k",
    "hit_rate": "[dict(query=q, relevant=docs) for q, docs in relevant_of_query.items()], k=k",
    "reciprocal_rank": "relevant=relevant_of_query",
}
"""What a person writes in place of the dots."""


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("name", "measure", "searcher", "k"),
    [
        ("recall_at_k", "R@5", "retriever", ", k=5"),
        ("hit_rate", "Success@3", "search_fn", ", k=3"),
        ("reciprocal_rank", "RR", "Recommender", ""),
    ],
)
def test_what_searches_is_to_give_the_rankings_and_the_lines_can_be_asked(
    name: str, measure: str, searcher: str, k: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "searching.py").write_text(SEARCHING, encoding="utf-8")
    with pytest.raises(BadFunction) as refused:
        examine(None, measure, name=f"{tmp_path / 'searching.py'}:{name}")
    said = f"needs {searcher}, which by its name searches; it is asked of rankings that are there: let {searcher} give those"
    assert said in str(refused.value)
    lines = refused.value.wrapper.splitlines()
    assert lines[:2] == [f"from searching import {name}", f"def wrapped(relevant_of_query, ranked_of_query{k}):"]
    (tmp_path / "wrapping.py").write_text(refused.value.wrapper.replace("...", FILLED_IN[name]), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    checked = examine(None, measure, name="wrapping:wrapped", cases=corpus.load_all()[::EACH])
    assert (checked.target.form.name, checked.target.order) == ("queries-ids", ("relevant_of_query", "ranked_of_query"))
    assert checked.target.is_named
    assert not checked.is_unknown
