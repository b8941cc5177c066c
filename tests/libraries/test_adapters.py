"""Adapters of libraries that need not be here: what they hand on, and what they refuse to, as the published run says.

Whatever an adapter imports that is not installed has a stand-in.
"""

import ast
import math
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import published_run
import pytest
from processes import executable

from rankproof import adapters
from rankproof import cases as corpus
from rankproof.adapters import worker
from rankproof.adapters.worker import load_adapter
from rankproof.judge.verdicts import Row, Verdict

HERE = Path(adapters.__file__).resolve().parent
RUN = [("q1", "b", 3.0, 1), ("q1", "a", 2.0, 2), ("q1", "x", 1.0, 3), ("q2", "c", 5.0, 1), ("q3", "e", 4.0, 1)]
QRELS = [("q1", "a", 2), ("q1", "b", 0), ("q1", "d", 1), ("q2", "c", 0.5), ("q3", "e", 1), ("q3", "f", -1)]
DATA = {"qrels": QRELS, "run": RUN, "empty_in_qrels": [], "empty_in_run": []}
RELEVANT = {"q1": ["a", "d"], "q2": [], "q3": ["e"]}
RANKED = {"q1": ["b", "a", "x"], "q2": ["c"], "q3": ["e"]}
LABELS = {"true": [1, 1, 2, 3], "predicted": [7, 8, 8, 9]}


# -- what is handed on: a stand-in answers with what it was given ------------------------------------------------------


def put(monkeypatch: pytest.MonkeyPatch, name: str, **held: Any) -> None:
    """A stand-in for a module, and for those above it."""
    parts = name.split(".")
    for i in range(1, len(parts) + 1):
        module = sys.modules.get(path := ".".join(parts[:i]))
        if module is None or not getattr(module, "is_stand_in", False):
            module = ModuleType(path)
            module.is_stand_in = True  # type: ignore[attr-defined]
            monkeypatch.setitem(sys.modules, path, module)
        if i > 1:
            setattr(sys.modules[".".join(parts[: i - 1])], parts[i - 1], module)
    vars(sys.modules[name]).update(held)


def observed(name: str, variant: str, measure: str, values: Mapping[str, Any], data: Mapping[str, Any] = DATA) -> Any:
    adapter = load_adapter(str(HERE / f"{name}_adapter.py"))
    measures = adapter.MEASURES(variant) if callable(adapter.MEASURES) else adapter.MEASURES
    return adapter.observe(variant, dict(data), measures[measure], dict(values))


def test_recommenders_is_given_the_relevant_docs_alone_unless_rels_are_looked_at() -> None:
    frames = load_adapter(str(HERE / "recommenders_adapter.py")).frames
    data = {**DATA, "qrels": [["q1", "a", 2], ["q1", "b", 0.5], ["q1", "c", 0], ["q2", "a", 1]]}
    given = {graded: frames(data, graded=graded)[0]["rating"].tolist() for graded in (True, False)}
    assert given == {True: [2, 0.5, 0, 1], False: [2, 1]}


def test_rexmex_is_given_what_is_relevant_and_then_what_is_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, "rexmex.metrics.ranking", hits_at_k=lambda relevant, ranked, k: (relevant, ranked, k))
    per_query, mean = observed("rexmex", "default", "P@{k}", {"k": 2})
    assert (per_query, mean) == ({query: (RELEVANT[query], RANKED[query], 2) for query in RANKED}, None)


def test_llama_index_is_given_the_first_k_and_what_is_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    def given(expected_ids: list[str], retrieved_ids: list[str]) -> SimpleNamespace:
        return SimpleNamespace(score=(expected_ids, retrieved_ids))

    recall = SimpleNamespace(compute=given)
    put(monkeypatch, "llama_index.core.evaluation.retrieval.metrics", Recall=lambda: recall)
    for measure, k in (("R", None), ("R@{k}", 2), ("R@{k}", 1)):
        per_query, _ = observed("llama_index", "default", measure, {} if k is None else {"k": k})
        assert per_query == {query: (RELEVANT[query], RANKED[query][:k]) for query in RANKED}
    shared = {**DATA, "qrels": [*QRELS, ("q2", "a", 1), ("q3", "a", 1)]}
    expected = {"q1": ["a", "d"], "q2": ["a"], "q3": ["e", "a"]}
    assert observed("llama_index", "default", "R", {}, shared)[0] == {q: (expected[q], RANKED[q]) for q in RANKED}
    with pytest.raises(Exception, match="a doc cannot be judged twice"):
        observed("llama_index", "default", "R", {}, {**DATA, "qrels": [*QRELS, ("q1", "a", 0)]})


def test_of_ir_evaluation_0_is_a_value_and_what_it_does_not_count_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def ap_at_n(interactions: dict[str, Any], boundaries: list[Any]) -> dict[Any, Any]:
        """The share of visited docs that are related, of the queries that have as many as the boundary."""
        (n,) = boundaries
        long = [one for one in interactions.values() if n == "all" or one["total_result"] >= n]
        hits = [len(one["related_documents"] & {*one["visited_documents"]}) / one["total_result"] for one in long]
        return {n: {"value": sum(hits) / len(hits) if hits else 0, "count": len(hits)}}

    put(monkeypatch, "ir_evaluation.effectiveness", effectiveness=lambda: SimpleNamespace(ap_at_n=ap_at_n))
    per_query, mean = observed("ir_evaluation", "default", "P", {})
    assert (per_query, mean) == ({"q1": 1 / 3, "q2": 0, "q3": 1}, pytest.approx(4 / 9))
    with pytest.raises(Exception, match="shorter than the cutoff is left out"):
        observed("ir_evaluation", "default", "P@{k}", {"k": 2})


def test_cornac_is_given_positive_items_and_the_ranking_with_its_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    def metric(k: int = -1) -> SimpleNamespace:
        return SimpleNamespace(compute=lambda **given: {"k": k, **{name: it.tolist() for name, it in given.items()}})

    put(monkeypatch, "cornac.metrics", Precision=metric)
    data = {**DATA, "empty_in_qrels": ["q5"], "empty_in_run": ["q6"]}
    per_query, _ = observed("cornac", "default", "P@{k}", {"k": 2}, data)
    scores = {"q1": [3.0, 2.0, 1.0], "q2": [5.0], "q3": [4.0], "q6": []}
    relevant, ranked = RELEVANT | {"q6": []}, RANKED | {"q6": []}
    assert per_query == {
        query: {"k": 2, "gt_pos": relevant[query], "pd_rank": docs, "item_indices": docs, "pd_scores": scores[query]}
        for query, docs in ranked.items()
    }


def test_replay_is_told_of_each_query_of_either_side(monkeypatch: pytest.MonkeyPatch) -> None:
    def metric(k: list[int], mode: object = None) -> Any:
        return lambda retrieved, relevant: {"MAP": (k, mode, retrieved, relevant)}

    put(monkeypatch, "replay.metrics", MAP=metric, PerUser=lambda: "each")
    data = {**DATA, "empty_in_qrels": ["q5"], "empty_in_run": ["q6"]}
    scored = {"q6": [], "q1": [("b", 3.0), ("a", 2.0), ("x", 1.0)], "q2": [("c", 5.0)], "q3": [("e", 4.0)]}
    sides = scored, {**RELEVANT, "q5": []}
    assert observed("replay", "dict", "AP@{k}", {"k": 2}, data) == (([2], "each", *sides), ([2], None, *sides))


def test_spark_answers_for_the_judgments_and_the_rels_that_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    def metrics_of(rows: list[Any]) -> SimpleNamespace:
        return SimpleNamespace(precisionAt=lambda k: (k, rows), ndcgAt=lambda k: (k, rows))

    put(monkeypatch, "pyspark.mllib.evaluation", RankingMetrics=metrics_of)
    adapter = load_adapter(str(HERE / "pyspark_adapter.py"))
    adapter.LAST["context"] = SimpleNamespace(parallelize=lambda rows, _partitions: rows)
    others = [("q1", "x", 1), ("q2", "c", 1), ("q3", "e", 0)]
    for qrels, relevant in ((QRELS, RELEVANT), (others, {"q1": ["x"], "q2": ["c"], "q3": []}), (QRELS, RELEVANT)):
        rows = [(RANKED[query], docs) for query, docs in relevant.items()]
        assert adapter.observe("default", {**DATA, "qrels": qrels}, "precisionAt", {"k": 2}) == (None, (2, rows))
    for b, d in ((3, 2), (2, 1), (3, 1), (3, 2)):
        data = {**DATA, "qrels": [("q1", "d", d), ("q1", "b", b)]}
        assert adapter.observe("graded", data, "ndcgAt", {"k": 2}) == (None, (2, [(RANKED["q1"], ["b", "d"], [b, d])]))


def test_beir_is_asked_of_each_query_by_itself_even_if_nothing_is_retrieved(monkeypatch: pytest.MonkeyPatch) -> None:
    def given(qrels: dict[str, Any], run: dict[str, Any], k: list[int], metric: str) -> dict[str, Any]:
        """What it was given; and it takes docs out of the run, as BEIR does."""
        given = {query: dict(docs) for query, docs in run.items()}
        for docs in run.values():
            docs.clear()
        return {metric: (sorted(qrels), given, k)}

    put(monkeypatch, "beir.retrieval.evaluation", EvaluateRetrieval=SimpleNamespace(evaluate_custom=given))
    data = {**DATA, "empty_in_run": ["q4"], "qrels": [*QRELS, ("q4", "a", 1)]}
    ranked = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}, "q2": {"c": 5.0}, "q3": {"e": 4.0}, "q4": {}}
    per_query, mean = observed("beir", "default", "RR@{k}", {"k": 2}, data)
    assert mean == (["q1", "q2", "q3", "q4"], ranked, [2])
    assert per_query == {query: ([query], {query: docs}, [2]) for query, docs in ranked.items()}


def test_a_function_of_an_old_lenskit_that_has_no_k_is_asked_for_no_cutoff(monkeypatch: pytest.MonkeyPatch) -> None:
    def given(recs: Any, truth: Any) -> Any:
        return [*recs["item"]], [*truth.index]

    def cut(recs: Any, truth: Any, k: int | None = None) -> Any:
        return (*given(recs, truth), k)

    put(monkeypatch, "lenskit.metrics.topn", precision=given, recall=cut)
    put(monkeypatch, "lenskit.metrics")
    data = {**DATA, "qrels": [row for row in QRELS if row[2] != 0.5]}
    sides = {"q1": (RANKED["q1"], ["a", "d"]), "q2": (RANKED["q2"], []), "q3": (RANKED["q3"], ["e"])}
    assert observed("lenskit", "default", "P", {}, data) == (sides, None)
    of_two = {query: (*side, 2) for query, side in sides.items()}
    assert observed("lenskit", "default", "R@{k}", {"k": 2}, data)[0] == of_two
    with pytest.raises(Exception, match="precision of this version of LensKit has no k"):
        observed("lenskit", "default", "P@{k}", {"k": 2}, data)


def test_lenskit_is_told_of_a_query_that_the_qrels_name_without_a_judgment_and_of_none_that_they_do_not() -> None:
    adapter = load_adapter(str(HERE / "lenskit_adapter.py"))
    run = [*RUN, ("q4", "a", 1.0, 1), ("q6", "b", 1.0, 1)]
    found = adapter.read({"qrels": QRELS, "run": run, "empty_in_qrels": ["q4"], "empty_in_run": ["q5"]})
    assert found["q1"] == ([("a", 2), ("b", 0), ("d", 1)], RANKED["q1"])
    assert [found[query] for query in ("q4", "q5", "q6")] == [([], ["a"]), (None, []), (None, ["b"])]


def test_evaluate_answers_for_the_run_and_the_qrels_that_it_was_given() -> None:
    def given(predictions: list[Any], references: list[Any]) -> dict[str, Any]:
        return {"map": (predictions[0]["docid"], references[0]["rel"])}

    adapter = load_adapter(str(HERE / "evaluate_adapter.py"))
    adapter.STATE["module"] = lambda **_how: SimpleNamespace(compute=given)
    whole = [row for row in QRELS if row[2] != 0.5]
    for run, qrels in ((RUN, whole), (RUN[::-1], whole), (RUN[::-1], whole[::-1]), (RUN, whole)):
        told = [row[1] for row in run], [row[2] for row in qrels]
        for _ in range(2):
            assert adapter.observe("default", {**DATA, "run": run, "qrels": qrels}, "map", {})[1] == told


def test_haystack_is_given_all_judged_docs_where_their_rels_are_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    def given(true: list[list[Any]], retrieved: list[list[Any]]) -> dict[str, Any]:
        return {"individual_scores": list(zip(true, retrieved, strict=True)), "score": "mean"}

    evaluator = SimpleNamespace(run=given)
    put(monkeypatch, "haystack.components.evaluators", DocumentNDCGEvaluator=lambda: evaluator)
    put(monkeypatch, "haystack", Document=lambda content, score=None: content if score is None else (content, score))
    rels = {query: [(doc, float(rel)) for other, doc, rel in QRELS if other == query] for query in RANKED}
    for variant, true in (("relevant", RELEVANT), ("scored", rels)):
        per_query, mean = observed("haystack", variant, "nDCG@{k}", {"k": 2})
        assert (per_query, mean) == ({query: (true.get(query, []), docs[:2]) for query, docs in RANKED.items()}, "mean")


@pytest.mark.parametrize("odd", ["", "a b", "a\tb", "a\nb", "a\x0bb"])
@pytest.mark.parametrize("part", ["run", "qrels"])
@pytest.mark.parametrize("column", [0, 1])
def test_no_file_is_written_in_which_an_id_would_be_other_fields(odd: str, part: str, column: int) -> None:
    rows = [[*row[:column], odd, *row[column + 1 :]] if i == 1 else row for i, row in enumerate(DATA[part])]
    with pytest.raises(Exception, match="a TREC file has no ids that are empty or hold white space"):
        observed("trec_eval", "default", "AP", {}, {**DATA, part: rows})


@pytest.mark.parametrize("variant", ["rows", "appended", "rows-ignore-ties"])
def test_sklearn_gives_the_mean_of_just_the_queries_that_both_have(variant: str) -> None:
    """Which queries any other mean is over would be the choice of the adapter."""
    run = [(query, doc, score, 3 - score) for query in ("q1", "q2") for doc, score in (("a", 2), ("b", 1))]
    qrels = [("q1", "a", 1), ("q1", "b", 0), ("q2", "b", 1)]
    more_judged, more_ranked = [("q3", "a", 1), ("q3", "b", 0)], [("q3", "a", 2, 1), ("q3", "b", 1, 2)]
    for more, judged, mean in (([], [], 1 / 2), ([], more_judged, None), (more_ranked, [], None)):
        data = {**DATA, "run": [*run, *more], "qrels": [*qrels, *judged]}
        assert observed("sklearn", variant, "nDCG@{k}", {"k": 1}, data)[1] == mean


@pytest.mark.parametrize("score", [1e300, 0.25, -1e300])
def test_sklearn_is_given_what_is_judged_and_not_retrieved_below_all_scores(score: float) -> None:
    """The relevant doc stands at rank 3."""
    data = {"qrels": [("q", "a", 0), ("q", "b", 0), ("q", "c", 1)], "run": [("q", "a", 2e300, 1), ("q", "b", score, 2)]}
    per_query, mean = observed("sklearn", "appended", "nDCG", {}, {**DATA, **data})
    assert (per_query, mean) == ({"q": pytest.approx(1 / math.log2(4))}, pytest.approx(1 / math.log2(4)))


def test_two_labelings_are_not_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    def score_of(preds: list[int], target: list[int]) -> SimpleNamespace:
        return SimpleNamespace(item=lambda: (preds, target))

    class Permetrics:
        def __init__(self, y_true: list[int], y_pred: list[int]) -> None:
            self.given = y_true, y_pred

        def homogeneity_score(self) -> tuple[list[int], list[int]]:
            """What it was given."""
            return self.given

    put(monkeypatch, "torch", tensor=lambda values, dtype: values, long="long", float64="float64")  # noqa: ARG005
    put(monkeypatch, "torchmetrics.functional.clustering", homogeneity_score=score_of)
    put(monkeypatch, "permetrics", ClusteringMetric=Permetrics)
    put(monkeypatch, "clusim.sim", nmi=lambda first, second, norm_type="unless told": (first, second, norm_type))
    clustering = SimpleNamespace(from_membership_list=lambda labels: labels)
    put(monkeypatch, "clusim.clustering", Clustering=lambda: clustering)
    true, predicted = LABELS["true"], LABELS["predicted"]
    assert observed("permetrics", "default", "Homogeneity", {}, LABELS) == (None, (true, predicted))
    assert observed("torchmetrics", "default", "Homogeneity", {}, LABELS) == (None, (predicted, true))
    norms = {"arithmetic": "sum", "geometric": "sqrt", "min": "min", "max": "max"}
    for average, norm in norms.items():
        assert observed("clusim", "default", f"NMI(average='{average}')", {}, LABELS) == (None, (predicted, true, norm))


# -- what is refused, before a library is asked anything ---------------------------------------------------------------

LIBRARIES = sorted(path.stem.removesuffix("_adapter") for path in HERE.glob("*_adapter.py"))
BY_ITS_ANSWER = {"ir_evaluation": {"a list of results that is shorter than the cutoff is left out"}}
"""What shows by what the library answers, and by nothing that it is given."""
OF_ITS_VERSION = " of this version of "
"""In what an adapter says that looks first at which parameters a function of the library has: a stand-in has none."""
REFUSING = ("sklearn", "torchmetrics", "trec_eval", "ir_measures")
"""Some that certainly refuse something."""


class StandIns(MetaPathFinder, Loader):
    """Gives a module that lets everything be done to it for each of these packages."""

    def __init__(self, packages: set[str]) -> None:
        self.packages = packages

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """The spec of a stand-in."""
        return ModuleSpec(fullname, self, is_package=True) if fullname.partition(".")[0] in self.packages else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The stand-in."""
        made: Any = MagicMock(name=spec.name, __version__="999.0")
        made.__path__, made.__spec__, made.__name__ = [], spec, spec.name
        return made  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        """It holds nothing."""


def imported_by(path: Path) -> Iterator[str]:
    """The packages that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


@pytest.fixture
def adapter(library: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The adapter, with stand-ins for what is not installed."""
    # The same arithmetic: to compile ranx takes half a minute where nobody did before.
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    path = HERE / f"{library}_adapter.py"
    there = set(sys.modules)
    absent = {name for name in imported_by(path) if name not in sys.modules and find_spec(name) is None}
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, StandIns(absent)])
    yield load_adapter(str(path))
    for name in set(sys.modules) - there:
        if name.partition(".")[0] in absent:
            del sys.modules[name]


@cache
def refused() -> Mapping[str, list[Row]]:
    """By library, what it was not asked, one measure for each reason, case and variant."""
    found: dict[str, dict[tuple[str, ...], Row]] = {}
    for row in published_run.results().rows:
        if row.verdict is Verdict.UNSUPPORTED:
            reason = row.case, row.variant, row.note.replace(row.measure, "")
            found.setdefault(row.library, {}).setdefault(reason, row)
    return {library: list(rows.values()) for library, rows in found.items()}


@cache
def inputs() -> Mapping[str, Any]:
    return {case.id: case.input.as_json() for case in corpus.load_all()}


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_the_published_run_says_it_cannot_be_given_is_refused_in_these_words(library: str, adapter: Any) -> None:
    told: dict[tuple[str, str, str], str] = {}
    wanted: dict[tuple[str, str, str], str] = {}
    for row in refused().get(library, ()):
        if row.note in BY_ITS_ANSWER.get(library, ()) or row.variant not in adapter.VARIANTS:
            continue
        if worker.match(worker.supported_by(adapter, row.variant), row.measure) is None:
            continue
        place = (row.case, row.variant, row.measure)
        asked = {"variant": row.variant, "input": inputs()[row.case]}
        said = worker.answer(adapter, asked, row.measure).get("unsupported", "asked")
        if OF_ITS_VERSION not in said:
            told[place], wanted[place] = said, row.note
    assert told == wanted
    assert wanted or library not in REFUSING


@cache
def some_measure() -> Mapping[tuple[str, str], str]:
    """By library and variant, a measure that the published run has of it, nDCG if it has that."""
    rows = [row for row in published_run.results().rows if row.verdict is not Verdict.UNSUPPORTED]
    return {(row.library, row.variant): row.measure for row in sorted(rows, key=lambda row: "nDCG" in row.measure)}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_doc_twice_is_refused_of_numbers_in_the_words_in_which_it_is_of_texts(library: str, adapter: Any) -> None:
    """It stands twice in the qrels or in the run, and its id is known of another query, too; some are given no numbers at all."""
    rows = {"qrels": [[1, 7, 1], [2, 7, 0], [1, 8, 1]], "run": [[1, 7, 0.5, 1], [2, 7, 0.75, 1], [1, 8, 0.25, 2]]}
    twice = {"": {}, "qrels": {"qrels": [[1, 7, 2]]}, "run": {"run": [[1, 7, 0.125, 3]]}}
    for variant in adapter.VARIANTS:
        if (measure := some_measure().get((library, variant))) is None:
            continue
        said: dict[str, list[str | None]] = {}
        for part, more in twice.items():
            numbers = {name: [*each, *more.get(name, [])] for name, each in rows.items()}
            texts = {name: [[str(q), str(d), *left] for q, d, *left in each] for name, each in numbers.items()}
            asked = [{"empty_in_qrels": [], "empty_in_run": [], **each} for each in (texts, numbers)]
            answers = [worker.answer(adapter, {"variant": variant, "input": one}, measure) for one in asked]
            said[part] = [one.get("unsupported") for one in answers]
        _, of_numbers = said.pop("")
        assert of_numbers is not None or all(len({*each}) == 1 for each in said.values()), (variant, measure, said)


@pytest.mark.parametrize("kind", [int, str])
def test_of_a_group_of_lightgbm_no_doc_is_judged_twice_and_each_is_of_its_query(kind: type) -> None:
    """Which version of it is there is asked before that."""
    adapter = load_adapter(str(HERE / "lightgbm_adapter.py"))
    qrels = [(kind(q), kind(d), rel) for q, d, rel in ((1, 7, 1), (2, 7, 0), (1, 8, 3))]
    run = [(kind(q), kind(d), score, 1) for q, d, score in ((1, 8, 0.5), (2, 7, 0.25), (1, 7, 2.0), (3, 7, 1.5))]
    groups = adapter.read_groups({"qrels": qrels, "run": run, "empty_in_run": [4], "empty_in_qrels": []})
    assert groups == {"1": ([3, 1], [0.5, 2.0]), "2": ([0], [0.25]), "3": ([0], [1.5]), "4": ([], [])}
    with pytest.raises(adapter.Unsupported, match="a doc cannot be judged twice"):
        adapter.read_groups({"qrels": [*qrels, (kind(2), kind(7), 1)], "run": run, "empty_in_run": []})


def test_what_an_older_torchmetrics_lacks_is_told_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, "torchmetrics", __version__="0.1")
    adapter, module = load_adapter(str(HERE / "torchmetrics_adapter.py")), SimpleNamespace(retrieval_auroc=len)
    assert adapter.having(module, "retrieval_auroc") is len
    with pytest.raises(adapter.Unsupported, match=r"TorchMetrics 0\.1 has no retrieval_map$"):
        adapter.having(module, "retrieval_map")


@pytest.mark.parametrize(
    ("line", "version"), [("echo trec_eval version 9.0.8 >&2", "9.0.8"), ("echo 9.1", "9.1"), (":", "unknown")]
)
def test_trec_eval_may_say_its_version_in_either_stream(
    line: str, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKPROOF_TREC_EVAL", str(executable(tmp_path / "trec_eval", f"#!/bin/sh\n{line}\n")))
    assert load_adapter(str(HERE / "trec_eval_adapter.py")).load() == {"version": version}
