"""Runner of the exported cases: python runner.py cases.json [CONVENTION].

Exit code 1 if a value differs from the expected value of CONVENTION (default: standard).
"""

import json, math, re, sys

# -- your measures: replace this example -------------------------------------------------------------------------------
CLAIMS = r"P@\d+|(RR|nDCG)(@\d+)?"


# Input: (document, grade) and (document, score) by query. Output: query -> value, and "mean".
def measured(name, k, qrels, run):
    values = {}
    for query, judged in qrels.items():
        rel_of, ranked = dict(judged), sorted(run.get(query, []), key=lambda row: (row[1], row[0]), reverse=True)
        rels, ideal = [rel_of.get(doc, 0) for doc, _ in ranked][:k], sorted(rel_of.values(), reverse=True)[:k]
        dcg, best = (sum(rel / math.log2(rank + 1) for rank, rel in enumerate(side, 1)) for side in (rels, ideal))
        if name == "P":
            values[query] = sum(rel >= 1 for rel in rels) / k
        elif name == "RR":
            values[query] = next((1 / rank for rank, rel in enumerate(rels, 1) if rel >= 1), 0)
        else:
            values[query] = dcg / best if best else 0
    return {**values, "mean": sum(values.values()) / len(values)}


# -- the runner -------------------------------------------------------------------------------------------------------
def by_query(rows):
    return {row[0]: [(doc, number) for query, doc, number, *_ in rows if query == row[0]] for row in rows}


def alike(value, want):  # a value can also be a word: nan, absent, rejected
    words = isinstance(value, str) or isinstance(want, str)
    return str(value) == want if words else math.isclose(value, want, rel_tol=1e-9, abs_tol=1e-12)


wanted, tested, differ = (sys.argv[2:] or ["standard"])[0], 0, 0
for case in json.load(open(sys.argv[1], encoding="utf-8"))["cases"]:
    for measure in filter(re.compile(CLAIMS).fullmatch, case["expect"] if case["ordinary"] else ()):
        (name, _, k), expect = measure.partition("@"), case["expect"][measure]
        qrels, run = by_query(case["input"]["qrels"]), by_query(case["input"]["run"])
        try:
            values, other = measured(name, int(k) if k else None, qrels, run), "absent"
        except Exception as error:
            values, other = {"raised": repr(error)}, "rejected"
        met = [spec for spec, by in expect.items() if all(alike(values.get(query, other), by[query]) for query in by)]
        tested, differ = tested + (wanted in expect), differ + (wanted in expect and wanted not in met)
        print(f"{case['id']} {measure} matches {', '.join(met) or f'no expected values: {values}'}")
print(f"{tested - differ} of {tested} match {wanted}")
sys.exit(differ > 0 or not tested)
