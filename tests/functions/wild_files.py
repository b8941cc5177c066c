"""Scripts that evaluate two files."""

import csv
import math
from collections import defaultdict
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory


def _rows(path):
    with open(path, encoding="utf-8") as lines:  # noqa: PTH123 - as scripts do
        for line in lines:
            yield line.strip().split("\t")


def _references(path):
    relevant = defaultdict(set)
    for query, _, doc, _ in _rows(path):
        relevant[int(query)].add(int(doc))
    return relevant


def _candidates(path):
    ranked = {}
    for query, doc, rank in _rows(path):
        ranked.setdefault(int(query), {})[int(rank)] = int(doc)
    return ranked


def rr_of_numbers(path_to_reference, path_to_candidate):
    """Read files in the format of MS MARCO: tabs, whole numbers as ids, ranks without scores."""
    references, candidates = _references(path_to_reference), _candidates(path_to_candidate)
    total = 0.0
    for query, relevant in references.items():
        ranks = [rank for rank, doc in candidates.get(query, {}).items() if doc in relevant and rank <= 10]
        total += 1 / min(ranks) if ranks else 0.0
    return {"MRR @10": total / len(references), "QueriesRanked": len(candidates)}


def rr_of_numbered_ids(queries):
    """Write the two files with a number for each id, and return their MRR."""
    number = defaultdict(count().__next__)
    gold = [f"{number[q.query]}\t0\t{number[doc]}\t1\n" for q in queries for doc in q.relevant]
    rows = [f"{number[q.query]}\t{number[doc]}\t{rank}\n" for q in queries for rank, doc in enumerate(q.ranked, 1)]
    with TemporaryDirectory() as folder:
        reference, candidate = Path(folder, "reference.tsv"), Path(folder, "candidate.tsv")
        reference.write_text("".join(gold), encoding="utf-8")
        candidate.write_text("".join(rows), encoding="utf-8")
        return rr_of_numbers(reference, candidate)["MRR @10"]


def ndcg_of_lines(qrels_path: str, run_path: str, k=10):
    """Rank the lines of the run by score, and average over the queries of the run."""
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


def recall_by_rank(truth_file: Path, results_file: Path, k: int = 5):
    """Sort by the rank column, and read each line of the first file as a relevant document."""
    relevant, ranked = defaultdict(set), defaultdict(list)
    for query, _, doc, _ in csv.reader(truth_file.read_text("utf-8").splitlines(), delimiter="\t"):
        relevant[query].add(doc)
    for query, _, doc, rank, _, _ in csv.reader(results_file.read_text("utf-8").splitlines(), delimiter="\t"):
        ranked[query].append((int(rank), doc))
    top = {query: {doc for _, doc in sorted(rows, key=lambda row: row[0])[:k]} for query, rows in ranked.items()}
    return {query: len(top.get(query, set()) & docs) / len(docs) for query, docs in relevant.items()}


def recall_of_trec_files(qrels_file, run_file, k):
    """Write the two files with tabs and without judgments of grade 0, and return their recall."""
    judgments = [line.split() for line in Path(qrels_file).read_text(encoding="utf-8").splitlines()]
    with TemporaryDirectory() as folder:
        truth, results = Path(folder, "truth.tsv"), Path(folder, "results.tsv")
        truth.write_text("".join("\t".join(row) + "\n" for row in judgments if float(row[3]) >= 1), encoding="utf-8")
        results.write_text(Path(run_file).read_text(encoding="utf-8").replace(" ", "\t"), encoding="utf-8")
        return recall_by_rank(truth, results, k)
