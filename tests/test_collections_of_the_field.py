"""Large inputs are measured as small ones are, on collections as the field has them, whatever form they have, and wherever a limit lies.

The same files are given to trec_eval and to pytrec_eval.
"""

import math
import os
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval
import worlds
from both_ways import by_columns, evaluated

import rankproof
from rankproof.evaluate.fast import docs_in_order, grouped_columns, row_columns, self_check, text_tables

MEASURES = (
    "nDCG@10",
    "AP",
    "P@10",
    "RR",
    "R@100",
    "nDCG",
    "AP@5",
    "Bpref",
    "infAP",
    "Judged@10",
    "ERR@5",
    "IPrec@0.1",
    "AUC",
    "RankingLoss",
    "AP(rel=2)",
    "P(judged_only=True)@5",
    "Success@1",
    "Rprec",
    "RBP",
    "DCG@5",
    "NumRet",
    "SetF",
    "CoverageError",
    "LRAP",
)
PROFILES = (
    "standard",
    "trec_eval-9",
    "ties=input",
    "ties=docid-asc",
    "ties=input-reversed score=f32",
    "ties=expectation",
    "ties=last-rank",
    "order=input",
    "order=rank",
    "score_sign=positive missing=dropped",
    "unjudged=removed",
    "known=retrieved ideal=given",
    "nohit=nan mean=geometric",
)
LIMITS = {
    (text_tables, "PIECE"): (1000, 9000, 2**22),
    (text_tables, "BLOCK"): (700, 3000, 2**19),
    (row_columns, "AT_ONCE"): (1, 7, 2**16),
    (docs_in_order, "MANY"): (1, 3, 64),
    (self_check, "SHARE"): (1, 20, 400),
}
"""Limits between two ways to come to the same, on both sides of which all is tried."""
SEEDS = range(48)


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each evaluation whether it went by columns."""
    return by_columns(monkeypatch)


def close(a: float, b: float, *, within: float = 1e-12) -> bool:
    return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=within, abs_tol=within)


def said(result: rankproof.Result) -> list[Any]:
    """What stands beside the numbers, but for what ties can do, which one of the paths may leave unmeasured."""
    return [one for one in result.warnings if one.kind != "ties"]


def test_both_ways_say_the_same(ways: list[bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    for seed in SEEDS:
        chance, world = random.Random(seed), worlds.drawn(seed)  # noqa: S311 - an example
        for (module, name), values in LIMITS.items():
            monkeypatch.setattr(module, name, chance.choice(values))
        form = chance.choice(list(worlds.FORMS))
        qrels, run, options = worlds.FORMS[form](world, tmp_path)
        profile = chance.choice([one for one in PROFILES if one != "order=rank" or form not in worlds.RANKLESS])
        measures = chance.sample(MEASURES, 5)
        about = seed, form, world.kinds, profile, measures
        options = {**options, "profile": profile}
        fast, slow = (evaluated(measures, qrels, run, **options, exact=exact) for exact in (False, True))
        if isinstance(slow, str) or isinstance(fast, str):
            assert fast == slow, about
            continue
        assert fast.checked is None or not fast.checked.difference, about
        assert said(fast) == said(slow), about
        assert list(fast.mean) == list(slow.mean), about
        for measure, values in slow.per_query.items():
            found = fast.per_query[measure]
            assert list(found) == list(values), (about, measure)
            assert [query for query, value in values.items() if not close(found[query], value)] == [], (about, measure)
            assert close(fast.mean[measure], slow.mean[measure]), (about, measure)
            compared += len(values)
    assert compared > 20 * len(SEEDS)
    assert ways.count(True) > 0.8 * ways.count(False), "half of all are asked to go by rows; of the others few do"


OF_TREC = {
    "nDCG@10": "ndcg_cut_10",
    "AP": "map",
    "P@10": "P_10",
    "RR": "recip_rank",
    "R@100": "recall_100",
    "nDCG": "ndcg",
    "Bpref": "bpref",
    "Rprec": "Rprec",
    "Success@1": "success_1",
    "infAP": "infAP",
}
ASKED = [re.sub(r"_(\d+)$", r".\1", name) for name in OF_TREC.values()]


def by_trec_eval(qrels: str, run: str) -> dict[str, dict[str, float]]:
    """What the C program prints, by query."""
    options = [option for name in ASKED for option in ("-m", name)]
    program = os.environ.get("RANKPROOF_TREC_EVAL") or shutil.which("trec_eval")
    assert program, "rankproof env build trec_eval"
    done = subprocess.run([program, "-q", *options, qrels, run], capture_output=True, check=True)
    found: dict[str, dict[str, float]] = {}
    for line in done.stdout.decode().split("\n")[:-1]:
        name, query, value = line.split("\t")
        found.setdefault(query.strip(), {})[name.strip()] = float(value)
    return found


@pytest.mark.usefixtures("ways")
def test_trec_eval_and_pytrec_eval_say_the_same(tmp_path: Path) -> None:
    compared = 0
    for seed in SEEDS:
        world = worlds.drawn(seed)
        if any(isinstance(score, float) and math.isinf(score) for *_, score in world.run):
            continue  # the program reads them, and pytrec_eval's sort has no order for them
        if any(rel < 0 for *_, rel in world.qrels):
            continue  # version 9.0.4 quits
        qrels, run, _ = worlds.trec_files(world, tmp_path)
        ours = rankproof.evaluate(list(OF_TREC), qrels, run, profile="trec_eval-9").per_query
        judged, ranked, _ = worlds.dicts(world, tmp_path)
        in_python = pytrec_eval.RelevanceEvaluator(judged, set(OF_TREC.values())).evaluate(ranked)
        program = by_trec_eval(qrels, run)
        for measure, name in OF_TREC.items():
            assert set(ours[measure]) == set(in_python) == set(program) - {"all"}, (seed, world.kinds)
            for query, value in ours[measure].items():
                about = seed, world.kinds, measure, query
                assert close(value, in_python[query][name], within=1e-6), about
                assert close(value, program[query][name], within=5.1e-5), about
                compared += 1
    assert compared > 10 * len(SEEDS)


# -- the old faults, and others of their kind, put back -----------------------------------------------------------------


def cut_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the first sixteen letters of an id are looked at."""
    right = grouped_columns.places_of

    def places(docs: Any, known: Any) -> Any:
        cut = row_columns.pc.utf8_slice_codeunits
        short, seen = cut(docs.texts, 0, 16), cut(known, 0, 16)
        if len(seen.unique()) < len(seen):
            return right(docs, known) * 0
        return right(row_columns.Ids(short, docs.at), seen.dictionary_encode().dictionary)

    monkeypatch.setattr(grouped_columns, "places_of", places)


def next_query(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first row of a query is given to the one before."""
    right = row_columns.begins

    def late(*columns: Any) -> Any:
        found = right(*columns)
        found[2:] = found[1:-1].copy()
        return found

    monkeypatch.setattr(row_columns, "begins", late)


def lost_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores lose digits as they are read."""
    right = text_tables._floats
    monkeypatch.setattr(text_tables, "_floats", lambda column: np.round(right(column), 1))


def other_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tied docs are ordered by the first place at which their id stands, and not by the id."""
    monkeypatch.setattr(row_columns.Ids, "byte_order", lambda self, rows: row_columns.np.asarray(self.at[rows]))


ENOUGH = 10
"""So many collections in which a fault moves a number tell how often it is noticed."""
FAULTS = {fault.__name__: fault for fault in (cut_ids, next_query, lost_digits, other_ties)}


@pytest.mark.in_turn
@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_reading_or_joining_is_noticed_by_the_call_itself(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever such a fault moves a number, the call notices, measures all by rows, and says so: in nine of ten collections at least."""
    moved = noticed = 0
    asked = ["nDCG@10", "AP"]
    for seed in range(60):
        if moved == ENOUGH:
            break
        world = worlds.drawn(seed)
        qrels, run, _ = worlds.trec_files(world, tmp_path)
        right = rankproof.evaluate(asked, qrels, run, profile="trec_eval-9", exact=True)
        with monkeypatch.context() as patched:
            patched.setattr(self_check, "_hold", lambda *_: None)
            FAULTS[fault](patched)
            wrong = rankproof.evaluate(asked, qrels, run, profile="trec_eval-9")
        if all(close(wrong.per_query[m].get(q, -1), v) for m, of in right.per_query.items() for q, v in of.items()):
            continue
        with monkeypatch.context() as patched:
            FAULTS[fault](patched)
            found = rankproof.evaluate(asked, qrels, run, profile="trec_eval-9")
        moved += 1
        assert found.checked is not None
        if found.checked.difference:
            noticed += 1
            assert found == right
            assert found.warnings[0].kind == "fault"
            assert "please report" in found.warnings[0].text
    assert 5 <= moved <= ENOUGH
    assert noticed >= 0.7 * moved, (moved, noticed)
