"""Tiny fake libraries for probes; each breaks one law that needs no expected value.

`honest` breaks a law only if documents are tied. `honest_and_pessimistic` puts relevant documents last among tied
documents, and breaks none.
"""

LIBRARY = "probed"
PACKAGES = []
SINS = {
    "breaks_ties_by_row_up_to_fifteen": "tied-docs",
    "counts_beyond_one": "bounds",
    "cuts_by_another_rule": "cutoff",
    "is_blank_without_hits": "bounds",
    "puts_the_first_query_first": "queries",
    "reads_queries_as_numbers": "queries-renamed",
    "refuses_negative_scores": "shifted",
    "rounds_scores": "scaled",
    "sorts_by_docid": "docs-renamed",
    "squares_scores": "shifted",
    "zeroes_all_if_a_query_is_missing": "empty-query",
}
VARIANTS = dict({"honest": "", "honest_and_terse": "", "honest_and_pessimistic": ""}, **SINS)
MEASURES = {"RR": "rr", "RR@{k}": "rr", "P@{k}": "p", "Success@{k}": "success"}


def load():
    return {"version": "1"}


def observe(variant, data, call, values):
    run, qrels = list(data["run"]), list(data["qrels"])
    per_query = {}
    if variant == "refuses_negative_scores" and min(row[2] for row in run) < 0:
        raise ValueError("scores are above <b>zero</b>")
    names = list(dict.fromkeys(row[0] for row in [*qrels, *run]))
    for place, query in enumerate(names):
        rels = {doc: rel for q, doc, rel in qrels if q == query}
        rows = in_order(variant, [row for row in run if row[0] == query], rels, values)
        hits = [rels.get(row[1], 0) >= 1 for row in rows][: values.get("k")]
        value = {"rr": rr, "p": p, "success": success}[call](hits, values.get("k"))
        value = spoiled(variant, value, hits, rels, query, place)
        per_query[query] = value
    if variant == "zeroes_all_if_a_query_is_missing" and set(names) != {row[0] for row in run}:
        per_query = dict.fromkeys(per_query, 0.0)
    return None if variant == "honest_and_terse" else per_query, sum(per_query.values()) / len(per_query)


def in_order(variant, rows, rels, values):
    def score(row):
        if variant == "rounds_scores":
            return round(row[2])
        return row[2] ** 2 if variant == "squares_scores" else row[2]

    if variant == "breaks_ties_by_row_up_to_fifteen":
        rows = rows if len(rows) <= 15 else rows[::2] + rows[1::2]
    elif variant == "honest_and_pessimistic":
        rows = sorted(rows, key=lambda row: rels.get(row[1], 0) >= 1)
    elif variant == "sorts_by_docid":
        return sorted(rows, key=lambda row: row[1])
    else:
        rows = sorted(rows, key=lambda row: row[1], reverse=variant != "cuts_by_another_rule" or "k" not in values)
    return sorted(rows, key=score, reverse=True)


def spoiled(variant, value, hits, rels, query, place):
    if variant == "is_blank_without_hits" and not any(hits):
        return float("nan")
    if variant == "counts_beyond_one" and any(rel < 0 for rel in rels.values()):
        return 1 + value
    if variant == "puts_the_first_query_first":
        return value / (place + 1)
    if variant == "reads_queries_as_numbers":
        return value / int(query)
    return value


def rr(hits, _k):
    return 1 / (hits.index(True) + 1) if True in hits else 0.0


def p(hits, k):
    return sum(hits) / k


def success(hits, _k):
    return float(any(hits))
