"""Tiny fake libraries with one fault each; the sheet claims `standard` for all, so the corpus must catch each fault.

This is a separate implementation in floats, without code of the reference, so that the honest libraries are a second
opinion. Each fault is looked up by name where the code deviates: `sins("logs_from_rank_two")`.
"""

import contextlib
import math
import os
import struct
import sys
import time
import unicodedata

LIBRARY = "miniatures"
PACKAGES = []
HONEST = {
    "honest": "answers by query and for all",
    "honest_and_terse": "answers for all only",
    "honest_and_noisy": "prints to stdout all the while",
    "honest_and_careless": "empties the input it was given",
}
SINS = {
    name: name.replace("_", " ")
    for name in """
    averages_geometrically averages_over_common_queries averages_over_run_queries binarises_grades breaks_ties_by_ascending_id
    breaks_ties_by_insertion compares_ids_as_numbers compares_ids_as_utf16 counts_negative_as_gain counts_unjudged_as_relevant
    divides_by_retrieved drops_nonpositive_scores drops_queries_without_hits forgets_chance forgets_the_cutoff
    forgets_unretrieved_relevant ignores_case_of_ids keeps_first_duplicate keeps_state_between_calls
    leaks_judgments_between_queries logs_from_rank_two measures_entropy_in_bits mixes_up_interleaved_queries normalises_unicode
    puts_minus_zero_below_zero reads_ids_as_numbers reads_na_as_missing sorts_ascending sorts_group_ids_apart_from_their_rows
    stores_scores_as_float32 strips_ids
    swaps_true_and_predicted takes_ideal_from_retrieved takes_min_k_r truncates_grades trusts_the_rank_column trusts_the_row_order
    uses_exponential_gain
    crashes_on_ties hangs_on_ties answers_text_on_ties raises_on_ties
    """.split()
}
VARIANTS = dict(HONEST, **SINS)
MEASURES = {
    "P@{k}": "precision",
    "P(rel={rel})@{k}": "precision",
    "R@{k}": "recall",
    "R(rel={rel})@{k}": "recall",
    "R": "recall",
    "AP": "average_precision",
    "AP@{k}": "average_precision",
    "AP(rel={rel})": "average_precision",
    "RR": "reciprocal_rank",
    "RR@{k}": "reciprocal_rank",
    "Success@{k}": "success",
    "Rprec": "r_precision",
    "Bpref": "bpref",
    "nDCG": "ndcg",
    "nDCG@{k}": "ndcg",
    "DCG": "dcg",
    "DCG@{k}": "dcg",
    "Judged@{k}": "judged",
    "SetP": "precision",
    "CG": "cg",
    "CG@{k}": "cg",
    "ERR": "err",
    "ERR@{k}": "err",
    "RBP": "rbp",
    "RBP@{k}": "rbp",
    "RBP(p={p})": "rbp",
    "RBP(p={p})@{k}": "rbp",
    "NumQ": "queries",
    "NumRet": "retrieved",
    "NumRet(rel={rel})": "retrieved",
    "NumRel": "relevant",
    "RR(rel={rel})": "reciprocal_rank",
    "RR(rel={rel})@{k}": "reciprocal_rank",
    "Success(rel={rel})@{k}": "success",
    "F@{k}": "f",
    "SetR": "recall",
    "SetF": "f",
    "SetF(beta={beta})": "f",
    "F(beta={beta})@{k}": "f",
    "IPrec@{recall}": "interpolated",
    "RBP(rel={rel})": "rbp",
    "RBP(rel={rel})@{k}": "rbp",
    "RBP(p={p},rel={rel})@{k}": "rbp",
    "RBP(p={p},rel={rel})": "rbp",
    "V(beta={beta})": "v_measure",
    "Homogeneity": "homogeneity",
    "Completeness": "completeness",
    "V": "v_measure",
    "MI": "mutual_information",
    "ARI": "adjusted_rand",
    "Rand": "rand",
}
STATE = {"calls": 0}


class Refused(ValueError):
    """An input that `standard` refuses."""


class Unsupported(Exception):
    """An input that the measure does not support."""


def load():
    """Return a version without importing a library."""
    return {"version": "1"}


def observe(variant, data, call, values):
    """Return the values of a variant."""

    def sins(name):
        return variant == name

    if ("true" in data) != (call in LABELS):
        raise Unsupported("another kind of input")
    if "true" in data:
        labelings = [data["true"], data["predicted"]][:: -1 if sins("swaps_true_and_predicted") else 1]
        extra = [values["beta"]] if "beta" in values else []
        return None, LABELS[call](*labelings, sins, *extra)
    misbehave(variant, data)
    per_query, mean = ranked(data, call, values, sins)
    if variant == "honest_and_careless":
        for part in ("run", "qrels"):
            for row in data[part]:
                row.clear()
            data[part].clear()
        data.clear()
    return (None, mean) if variant == "honest_and_terse" else (per_query, mean)


def misbehave(variant, data):
    """Break the worker of some variants on tied scores."""
    STATE["calls"] += 1
    scores = [(row[0], row[3 - 1]) for row in data["run"]]
    tied = len(set(scores)) < len(scores)
    if variant == "honest_and_noisy":
        print('{"seq": 1, "answers": {}}')
        os.write(1, b"noise from below Python\n")
    if variant == "crashes_on_ties" and tied:
        os.abort()
    if variant == "hangs_on_ties" and tied:
        time.sleep(3600)
    if variant == "answers_text_on_ties" and tied:
        sys.modules["__main__"].numbers = lambda _per_query: {"q1": "a lot"}
    if variant == "raises_on_ties" and tied:
        raise RuntimeError("tied <b>scores</b>\nsecond line")


# -- reading -----------------------------------------------------------------------------------------------------------


def name_of(given, sins):
    """Return an id as text."""
    text = str(given)
    if sins("strips_ids"):
        text = text.strip()
    if sins("ignores_case_of_ids"):
        text = text.lower()
    if sins("normalises_unicode"):
        text = unicodedata.normalize("NFC", text)
    if sins("reads_na_as_missing") and text.lower() in ("na", "nan", "null", "none", ""):
        text = "missing"
    if sins("reads_ids_as_numbers"):
        with contextlib.suppress(ValueError):
            text = str(float(text))
    return text


def read_qrels(data, sins):
    """Return query -> document -> grade; negative grades become None."""
    qrels = {str(query): {} for query in data["empty_in_qrels"]}
    for query, doc, rel in data["qrels"]:
        if sins("reads_na_as_missing") and name_of(query, sins) == "missing":
            continue
        judged = qrels.setdefault("all" if sins("leaks_judgments_between_queries") else str(query), {})
        name = name_of(doc, sins)
        if name in judged and not merges_ids(sins):
            raise Refused("judged twice")
        if not math.isfinite(rel):
            raise Refused("no number")
        grade = int(rel) if sins("truncates_grades") else min(rel, 1) if sins("binarises_grades") else rel
        judged[name] = grade if grade >= 0 or sins("counts_negative_as_gain") else None
    if sins("leaks_judgments_between_queries"):
        return {str(query): qrels["all"] for query, _, _ in data["qrels"]}
    return qrels


def merges_ids(sins):
    """Return whether the fault merges different ids, which creates duplicates."""
    return any(
        sins(n)
        for n in (
            "strips_ids",
            "ignores_case_of_ids",
            "normalises_unicode",
            "reads_na_as_missing",
            "reads_ids_as_numbers",
            "leaks_judgments_between_queries",
        )
    )


def read_run(data, sins):
    """Return query -> [(document, score, rank)] in input order."""
    run = {str(query): [] for query in data["empty_in_run"]}
    before = None
    for given_query, given_doc, score, rank in data["run"]:
        query, doc = str(given_query), name_of(given_doc, sins)
        if sins("mixes_up_interleaved_queries") and before != query:
            run[query] = []
        before = query
        rows = run.setdefault(query, [])
        if math.isnan(score):
            raise Refused("no number")
        if doc in [row[0] for row in rows]:
            if sins("keeps_first_duplicate") or merges_ids(sins):
                continue
            raise Refused("retrieved twice")
        if sins("drops_nonpositive_scores") and score <= 0:
            continue
        rows.append((doc, as_float32(score) if sins("stores_scores_as_float32") else score, rank))
    return regrouped(run) if sins("sorts_group_ids_apart_from_their_rows") else run


def regrouped(run):
    """Return the rows in input order under the sorted ids of the queries."""
    rows = iter([row for group in run.values() for row in group])
    return {query: [next(rows) for _ in run[query]] for query in sorted(run)}


def as_float32(score):
    """Return the nearest float32."""
    try:
        return struct.unpack("f", struct.pack("f", score))[0]
    except OverflowError:
        return math.copysign(math.inf, score)


def in_order(rows, sins):
    """Return the documents, best first."""
    if sins("trusts_the_row_order"):
        return [row[0] for row in rows]
    if sins("trusts_the_rank_column"):
        return [row[0] for row in sorted(rows, key=lambda row: row[2])]
    if sins("breaks_ties_by_insertion"):
        return [row[0] for row in sorted(rows, key=lambda row: -row[1])]
    if sins("breaks_ties_by_ascending_id"):
        rows = sorted(rows, key=lambda row: row[0].encode("utf-8", "surrogatepass"))
    elif sins("compares_ids_as_numbers"):
        rows = sorted(
            rows, key=lambda row: (row[0].isdigit(), int(row[0]) if row[0].isdigit() else 0, row[0]), reverse=True
        )
    elif sins("compares_ids_as_utf16"):
        rows = sorted(rows, key=lambda row: row[0].encode("utf-16-be", "surrogatepass"), reverse=True)
    else:
        rows = sorted(rows, key=lambda row: row[0].encode("utf-8", "surrogatepass"), reverse=True)
    if sins("puts_minus_zero_below_zero"):
        rows = sorted(rows, key=lambda row: math.copysign(1, row[1]), reverse=True)
    return [row[0] for row in sorted(rows, key=lambda row: row[1], reverse=not sins("sorts_ascending"))]


# -- rankings ----------------------------------------------------------------------------------------------------------


def ranked(data, call, values, sins):
    """Return the values by query, and their mean."""
    qrels, run = read_qrels(data, sins), read_run(data, sins)
    k = None if sins("forgets_the_cutoff") else values.get("k")
    queries = [*qrels, *(query for query in run if query not in qrels and sins("averages_over_run_queries"))]
    if sins("averages_over_run_queries") or sins("averages_over_common_queries"):
        queries = [query for query in queries if query in run]
    per_query = {}
    for query in queries:
        rels = qrels.get(query, {})
        docs = in_order(run.get(query, []), sins)
        if sins("forgets_unretrieved_relevant"):
            rels = {doc: rel for doc, rel in rels.items() if doc in docs}
        more = [values.get(name, DEFAULTS[name]) for name in TAKES.get(call, ())]
        value = RANKED[call](docs, rels, k, values.get("rel", 0 if call == "retrieved" else 1), *more, sins)
        if query not in run and call not in COUNTS:
            value = 0.0
        if value or not sins("drops_queries_without_hits"):
            per_query[query] = value
    if sins("keeps_state_between_calls"):
        per_query = {query: value if STATE["calls"] % 2 else 0.0 for query, value in per_query.items()}
    values = list(per_query.values())
    if call in COUNTS:
        return per_query, math.fsum(values)
    if sins("averages_geometrically") and values:
        return per_query, math.exp(math.fsum(math.log(max(v, 1e-5)) for v in values) / len(values))
    return per_query, math.fsum(values) / len(values) if values else math.nan


COUNTS = {"queries", "retrieved", "relevant"}
TAKES = {"rbp": ("p",), "f": ("beta",), "interpolated": ("recall",)}
DEFAULTS = {"p": 0.8, "beta": 1, "recall": 0}


def relevant_in(docs, rels, rel, sins):
    """Return 1 for each relevant document and 0 for each other document, in rank order."""
    unjudged = rel if sins("counts_unjudged_as_relevant") else 0
    return [int((rels.get(doc, unjudged) or 0) >= rel) for doc in docs]


def relevant_count(_docs, rels, rel, _sins):
    """Return the number of relevant documents."""
    return sum((r or 0) >= rel for r in rels.values())


def precision(docs, rels, k, rel, sins):
    hits = relevant_in(docs, rels, rel, sins)
    k = len(docs) if k is None else k
    divisor = min(k, len(docs)) if sins("divides_by_retrieved") else k
    return sum(hits[:k]) / divisor if divisor else 0.0


def recall(docs, rels, k, rel, sins):
    total = relevant_count(docs, rels, rel, sins)
    divisor = min(k, total) if sins("takes_min_k_r") and k else total
    return sum(relevant_in(docs, rels, rel, sins)[:k]) / divisor if divisor else 0.0


def average_precision(docs, rels, k, rel, sins):
    hits, total = relevant_in(docs, rels, rel, sins), relevant_count(docs, rels, rel, sins)
    found = [sum(hits[:i]) / i for i, hit in enumerate(hits[:k], start=1) if hit]
    divisor = min(k, total) if sins("takes_min_k_r") and k else len(found) if sins("divides_by_retrieved") else total
    return math.fsum(found) / divisor if divisor else 0.0


def reciprocal_rank(docs, rels, k, rel, sins):
    hits = relevant_in(docs, rels, rel, sins)[:k]
    return 1 / (hits.index(1) + 1) if 1 in hits and relevant_count(docs, rels, rel, sins) else 0.0


def success(docs, rels, k, rel, sins):
    return float(1 in relevant_in(docs, rels, rel, sins)[:k])


def r_precision(docs, rels, _k, rel, sins):
    total = relevant_count(docs, rels, rel, sins)
    return sum(relevant_in(docs, rels, rel, sins)[:total]) / total if total else 0.0


def bpref(docs, rels, _k, rel, sins):
    total = relevant_count(docs, rels, rel, sins)
    nonrel = sum(r is not None and r < rel for r in rels.values())
    value, above = 0.0, 0
    for doc in docs:
        judged = rels.get(doc, rel if sins("counts_unjudged_as_relevant") else None)
        if judged is not None and judged >= rel:
            value += 1 - min(above, total) / min(nonrel, total) if above else 1
        elif judged is not None:
            above += 1
    return value / total if total else 0.0


def gain(rel, sins):
    return 2.0**rel - 1 if sins("uses_exponential_gain") else rel


def cumulated(rels, k, sins):
    first = 0 if sins("logs_from_rank_two") else 1
    return math.fsum(gain(rel, sins) / math.log2(max(i + first, 2)) for i, rel in enumerate(rels[:k], start=1))


def dcg(docs, rels, k, _rel, sins):
    unjudged = 1 if sins("counts_unjudged_as_relevant") else 0
    return cumulated([rels.get(doc, unjudged) or 0 for doc in docs], k, sins)


def ndcg(docs, rels, k, rel, sins):
    known = [rels.get(doc) for doc in docs] if sins("takes_ideal_from_retrieved") else rels.values()
    best = cumulated(sorted((r or 0 for r in known), reverse=True), k, sins)
    return dcg(docs, rels, k, rel, sins) / best if best else 0.0


def cg(docs, rels, k, _rel, sins):
    unjudged = 1 if sins("counts_unjudged_as_relevant") else 0
    return math.fsum(gain(rels.get(doc, unjudged) or 0, sins) for doc in docs[:k])


def err(docs, rels, k, _rel, _sins):
    value, going_on = 0.0, 1.0
    for i, doc in enumerate(docs[:k], start=1):
        satisfied = (2.0 ** (rels.get(doc) or 0) - 1) / 16
        value, going_on = value + going_on * satisfied / i, going_on * (1 - satisfied)
    return value


def rbp(docs, rels, k, rel, p, sins):
    hits = relevant_in(docs, rels, rel, sins)[:k]
    return (1 - p) * math.fsum(hit * p**i for i, hit in enumerate(hits))


def f(docs, rels, k, rel, beta, sins):
    p, r = precision(docs, rels, k, rel, sins), recall(docs, rels, k, rel, sins)
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p and r else 0.0


def interpolated(docs, rels, _k, rel, level, sins):
    hits, total = relevant_in(docs, rels, rel, sins), relevant_count(docs, rels, rel, sins)
    found = [sum(hits[:i]) for i in range(1, len(hits) + 1)]
    # In thousandths, because 0.7 * 10 is not 7 in floats.
    enough = [n / i for i, n in enumerate(found, start=1) if total and 1000 * n >= round(1000 * level) * total]
    return max(enough, default=0.0)


def retrieved(docs, rels, _k, rel, sins):
    return float(sum(relevant_in(docs, rels, rel, sins)) if rel else len(docs))


def judged(docs, rels, k, _rel, _sins):
    shown = docs[:k]
    return sum(doc in rels for doc in shown) / len(shown) if shown else 0.0


RANKED = {
    "precision": precision,
    "recall": recall,
    "average_precision": average_precision,
    "reciprocal_rank": reciprocal_rank,
    "success": success,
    "r_precision": r_precision,
    "bpref": bpref,
    "cg": cg,
    "dcg": dcg,
    "ndcg": ndcg,
    "err": err,
    "rbp": rbp,
    "judged": judged,
    "f": f,
    "interpolated": interpolated,
    "queries": lambda *_: 1.0,
    "retrieved": retrieved,
    "relevant": lambda docs, rels, _k, rel, sins: float(relevant_count(docs, rels, rel, sins)),
}


# -- labelings ---------------------------------------------------------------------------------------------------------


def counted(labels):
    return {label: labels.count(label) for label in labels}


def log(x, sins):
    return math.log2(x) if sins("measures_entropy_in_bits") else math.log(x)


def entropy(labels, sins):
    return -math.fsum(c / len(labels) * log(c / len(labels), sins) for c in counted(labels).values())


def mutual_information(true, predicted, sins):
    a, b, both, n = counted(true), counted(predicted), counted(list(zip(true, predicted))), len(true)
    return math.fsum(c / n * log(n * c / (a[t] * b[p]), sins) for (t, p), c in both.items())


def homogeneity(true, predicted, sins):
    return mutual_information(true, predicted, sins) / entropy(true, sins) if len(set(true)) > 1 else 1.0


def completeness(true, predicted, sins):
    return homogeneity(predicted, true, sins)


def v_measure(true, predicted, sins, beta=1):
    h, c = homogeneity(true, predicted, sins), completeness(true, predicted, sins)
    return (1 + beta) * h * c / (beta * h + c) if h and c else 0.0


def pairs(counts):
    return sum(c * (c - 1) // 2 for c in counts.values())


def rand(true, predicted, _sins):
    together, a, b = (pairs(counted(labels)) for labels in (list(zip(true, predicted)), true, predicted))
    total = len(true) * (len(true) - 1) // 2
    return (total + 2 * together - a - b) / total if total else 1.0


def adjusted_rand(true, predicted, sins):
    together, a, b = (pairs(counted(labels)) for labels in (list(zip(true, predicted)), true, predicted))
    total = len(true) * (len(true) - 1) // 2
    expected = 0 if sins("forgets_chance") or not total else a * b / total
    return (together - expected) / ((a + b) / 2 - expected) if (a + b) / 2 != expected else 1.0


LABELS = {f.__name__: f for f in (homogeneity, completeness, v_measure, mutual_information, adjusted_rand, rand)}
