"""Scripts that evaluate two files, as they lie beside collections: their columns, and which of them they look at."""

import csv
import math
from collections import defaultdict
from pathlib import Path

from truths import truth


def _rows(path):
    with open(path, encoding="utf-8") as lines:  # noqa: PTH123 - as scripts do
        for line in lines:
            yield line.strip().split("\t")


def _references(path):
    found = defaultdict(set)
    for query, _, doc, _ in _rows(path):
        found[int(query)].add(int(doc))
    return found


def _candidates(path):
    found = {}
    for query, doc, rank in _rows(path):
        found.setdefault(int(query), {})[int(rank)] = int(doc)
    return found


@truth("RR@10", "ranked-files")
def rr_of_numbers(path_to_reference, path_to_candidate):
    """Of a passage collection: ids are whole numbers, and what is ranked has no score. All that is known of them its helpers know."""
    references, candidates = _references(path_to_reference), _candidates(path_to_candidate)
    total = 0.0
    for query, relevant in references.items():
        ranks = [rank for rank, doc in candidates.get(query, {}).items() if doc in relevant and rank <= 10]
        total += 1 / min(ranks) if ranks else 0.0
    return {"MRR @10": total / len(references), "QueriesRanked": len(candidates)}


@truth(
    "nDCG@10",
    "files",
    "ties=input missing=dropped extra=0 unjudged=non-relevant negative=as-is qrels_duplicates=last",
    twice=True,
)
def ndcg_of_lines(qrels_path: str, run_path: str, k=10):
    """Lines as they stand are ranked by their scores; queries are those of the run."""
    qrels, run = defaultdict(dict), defaultdict(list)
    with open(qrels_path, encoding="utf-8") as lines:  # noqa: PTH123 - as scripts do
        for line in lines:
            query, _, doc, rel = line.split()
            qrels[query][doc] = float(rel)
    with open(run_path, encoding="utf-8") as lines:  # noqa: PTH123 - as above
        for line in lines:
            query, _, doc, _, score, _ = line.split()
            run[query].append((doc, float(score)))
    values = {}
    for query, rows in run.items():
        rels = qrels.get(query, {})
        top = sorted(rows, key=lambda row: -row[1])[:k]
        ideal = sorted(rels.values(), reverse=True)[:k]
        best = sum(rel / math.log2(at + 2) for at, rel in enumerate(ideal))
        gained = sum(rels.get(doc, 0) / math.log2(at + 2) for at, (doc, _) in enumerate(top))
        values[query] = gained / best if best else 0.0
    return sum(values.values()) / len(values)


@truth("R@5", "relevant-files", "order=rank")
def recall_by_rank(truth_file: Path, results_file: Path, k: int = 5):
    """It sorts by ranks, not by scores, and takes each line of the other file for a relevant doc."""
    relevant, ranked = defaultdict(set), defaultdict(list)
    for query, _, doc, _ in csv.reader(truth_file.read_text("utf-8").splitlines(), delimiter="\t"):
        relevant[query].add(doc)
    for query, _, doc, rank, _, _ in csv.reader(results_file.read_text("utf-8").splitlines(), delimiter="\t"):
        ranked[query].append((int(rank), doc))
    top = {query: {doc for _, doc in sorted(rows, key=lambda row: row[0])[:k]} for query, rows in ranked.items()}
    return {query: len(top.get(query, set()) & docs) / len(docs) for query, docs in relevant.items()}
