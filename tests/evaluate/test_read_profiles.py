"""Profiles from source code or from observations: values of the tools on one run, and values that their projects publish."""

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from math import log2
from pathlib import Path
from typing import NamedTuple

import jsonschema
import pytest
from click.testing import CliRunner

import rankproof
from rankproof.cli.explain import command as explain
from rankproof.evaluate import library_profiles, read_profiles
from rankproof.evaluate.library_profiles import profile_named
from rankproof.evaluate.read_profiles import read_tool, read_tools, read_ways, tool_of
from rankproof.explain.api import read_data
from rankproof.explain.run_data import RunData
from rankproof.inference.reference_answers import Values
from rankproof.inference.signatures import axes_of
from rankproof.measure_forms import measure_of
from rankproof.reference_impl.conventions import UnknownConvention
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.ranking import Judgment

HERE = Path(__file__).resolve().parent.parent / "two_tools"
QRELS_AND_RUN = [str(HERE / name) for name in ("qrels.txt", "run.txt")]
OBSERVED: Mapping[str, dict[str, dict[str, dict[str, float]]]] = json.loads((HERE / "said.json").read_text())
"""Values of each tool for the run in that folder: with graded qrels, with qrels as 0 and 1, and for queries with relevant documents."""
NAN = math.nan
WITHIN = {"float64": 1e-12, "float32": 1e-6, "5": 5.1e-6}
FOLDER = Path(read_profiles.__file__).parent
FILES = sorted((FOLDER / "read").glob("*.toml"))
SCHEMA = json.loads((FOLDER / "schemas" / "read-profile.schema.json").read_text())


@pytest.fixture(scope="module")
def data() -> Mapping[str, RunData]:
    (graded,) = read_data(HERE / "qrels.txt", [HERE / "run.txt"]).values()
    binary = {query: [Judgment(doc, int(rel > 0)) for doc, rel in of] for query, of in graded.qrels.items()}
    kept = {query for query, of in graded.qrels.items() if any(rel > 0 for _, rel in of)}
    qrels, run = ({q: of for q, of in side.items() if q in kept} for side in (graded.qrels, graded.run))
    return {"graded": graded, "binary": RunData(binary, graded.run), "answerable": RunData(qrels, run)}


# -- values of the tools on one run ------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", [tool for tool in OBSERVED if not tool.startswith(("own", "trec_eval -c"))])
def test_a_profile_has_the_values_of_its_tool(tool: str, data: Mapping[str, RunData]) -> None:
    profile, within = profile_named(tool), WITHIN[str(OBSERVED[tool]["precision"])]
    compared = 0
    for qrels, values in OBSERVED[tool]["of"].items():
        for name, value in values.items():
            measure = parse(name)
            conventions = profile.conventions(measure)
            ways = ("worst", "best") if conventions.ties == "unspecified" else (conventions.ties,)
            answers = [data[qrels].answers(measure, conventions.replace(ties=ties)) for ties in ways]
            means = [float(own.mean) for own in answers if isinstance(own, Values) and own.mean is not None]
            assert len(means) == len(ways), (qrels, name)
            assert means[0] - within <= value <= means[-1] + within, (qrels, name, value, means)
            compared += 1
    assert compared


def test_the_observed_version_is_the_version_of_the_profile() -> None:
    run = {name: tool.run for tool in read_tools().values() for name in tool.ways if tool.run}
    assert {name: of["version"] for name, of in OBSERVED.items() if name in read_ways()} == run


# -- values that projects publish ---------------------------------------------------------------------------------------


class Literal(NamedTuple):
    """A published value from the tests or the documentation of a project, for labels and scores of several queries."""

    profile: str
    measure: str
    labels: Sequence[Sequence[float]]
    scores: Sequence[Sequence[float]]
    value: float
    within: float = 1e-5


TIED = [[0, 0, 1, 1]], [[0.1, 0.9, 0.1, 0.9]]
"""XGBoost, tests/cpp/metric/test_rank_metric.cc."""
RAX = [[0, 0, 1, 1], [2, 0, 0, 1]], [[0, 3, 1, 2], [1, 4, 3, 2]]
"""Rax, rax/_src/metrics_test.py of 00f0f4c, the batch of two lists."""
TFR = [[0, 1], [1, 2, 0]], [[2, 1], [2, 5, 4]]
"""TensorFlow Ranking, tensorflow_ranking/python/keras/metrics.py of 053cdcd, the ragged examples."""
TORCH = [[1, 0, 1]], [[0.2, 0.3, 0.5]]
"""TorchMetrics 1.9.0, the examples of functional/retrieval."""
USERS = [[0, 1, 0], [1, 1], [0, 0], [1, 1, 0]], [[0.3, 0.2, 0.1], [0.5, 0.4], [0.5, 0.4], [0.9, 0.8, 0.7]]
"""FuxiCTR and TorchEval, by the formulas in their sources.

Two users with both classes have AUCs of 1/2 and 1; two have one class.
"""
LITERALS = [
    Literal("fuxictr", "AUC", *USERS, 3 / 4),
    Literal("torcheval", "AUC", *USERS, 5 / 8),
    Literal("torcheval", "AUC", [[1, 0, 1, 1]], [[0.1, 0.5, 0.7, 0.8]], 2 / 3),
    Literal("fuxictr", "nDCG@2", [[1, 3, 0]], [[0.9, 0.8, 0.7]], (1 + 7 / log2(3)) / (7 + 1 / log2(3))),
    Literal("xgboost", "nDCG@4", *TIED, 0.6509, 1e-3),
    Literal("xgboost", "nDCG@2", *TIED, 0.3868, 1e-3),
    Literal("xgboost/minus", "nDCG@2", *TIED, 0.3868, 1e-3),
    Literal("xgboost", "AP@4", *TIED, 0.5, 1e-3),
    Literal("xgboost", "AP@2", *TIED, 0.25, 1e-3),
    Literal("xgboost", "P@2", *TIED, 0.5, 1e-3),
    Literal("rax", "RR", *RAX, (1 / 2 + 1 / 3) / 2),
    Literal("rax", "R@3", *RAX, (1 + 1 / 2) / 2),
    Literal("rax", "P@3", *RAX, (2 / 3 + 1 / 3) / 2),
    Literal("rax", "AP", *RAX, ((0.5 + 2 / 3) / 2 + (1 / 3 + 0.5) / 2) / 2),
    Literal("rax", "nDCG", *RAX, ((0.6309298 + 0.5) / 1.6309298 + (0.5 + 3 * 0.4306766) / 3.6309298) / 2),
    Literal("tensorflow_ranking", "P@2", *TFR, 0.5),
    Literal("tensorflow_ranking", "R@2", *TFR, 0.75),
    Literal("tensorflow_ranking", "AP@2", *TFR, 0.5),
    Literal("tensorflow_ranking", "nDCG", *TFR, 0.7974351),
    Literal("tensorflow_ranking", "Success@1", *TFR, 0.5),
    Literal("torchmetrics", "AP", *TORCH, 0.8333, 5e-5),
    Literal("torchmetrics", "R@2", *TORCH, 0.5),
    Literal("torchmetrics", "P@2", *TORCH, 0.5),
    Literal("torchmetrics", "Success@2", *TORCH, 1),
    Literal("torchmetrics", "RR", [[0, 1, 0]], TORCH[1], 0.5),
    Literal("torchmetrics", "nDCG", [[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]], 0.6957, 5e-5),
    Literal(
        "elasticsearch", "nDCG@10", [[3, 2, 3, 0, 1, 2]], [range(6, 0, -1)], 13.84826362927298 / 14.595390756454922
    ),
    Literal(
        "elasticsearch", "nDCG@10", [[3, 2, 3, NAN, 1]], [range(6, 0, -1)], 12.779642067948913 / 13.347184833073591
    ),
    Literal(
        "elasticsearch", "nDCG@10", [[3, 2, 3, NAN, 1, NAN]], [range(4, 0, -1)], 12.392789260714371 / 13.347184833073591
    ),
]
"""Published values.

From Elasticsearch, DiscountedCumulativeGainTests.java of 0066a27, with unrated and unretrieved documents.
"""


@pytest.mark.parametrize("literal", LITERALS, ids=lambda literal: f"{literal.profile}-{literal.measure}")
def test_a_profile_has_the_published_value_of_labels_and_scores(literal: Literal) -> None:
    qrels, run = (
        {
            f"q{q}": {f"d{d}": value for d, value in enumerate(values) if not math.isnan(value)}
            for q, values in enumerate(side)
        }
        for side in (literal.labels, literal.scores)
    )
    result = rankproof.evaluate([literal.measure], qrels, run, profile=literal.profile)
    assert result.mean[literal.measure] == pytest.approx(literal.value, abs=literal.within)


SPARK = (
    {"1": "1 6 2 7 8 3 9 10 4 5", "2": "4 1 5 6 2 7 3 8 9 10", "3": "1 2 3 4 5"},
    {"1": "1 2 3 4 5", "2": "1 2 3", "3": ""},
)
"""Spark, RankingMetricsSuite.scala of 0d38243: three lists, and their relevant documents."""
FEW = {"1": "1 6 2", "2": ""}, {"1": "1 2 3 4 5", "2": "1 2 3"}
"""The lists of SPARK-14886, from the same file."""
RECTOOLS = (
    {"1": "7 8", "2": "1 2", "3": "1 2 3 4", "4": "1 2 3"},
    {"1": "1 2", "2": "1", "3": "1 3 4", "4": "1 2 3"},
)
"""RecTools 0.19.0, the example of NDCG and of MAP in rectools/metrics/ranking.py; a mean over its four users."""
OF_LISTS = [
    (
        "spark",
        SPARK,
        {"P@1": 1 / 3, "P@4": 0.75 / 3, "P@5": 0.8 / 3, "P@15": 8 / 45, "AP": 0.355026, "AP@1": 0.333334, "AP@2": 0.25},
    ),
    ("spark", SPARK, {"AP@3": 0.24074, "nDCG@3": 1 / 3, "nDCG@5": 0.328788, "nDCG@10": 0.487913, "nDCG@15": 0.487913}),
    ("spark", SPARK, {"R@1": 1 / 15, "R@2": 8 / 45, "R@3": 11 / 45, "R@10": 2 / 3}),
    ("spark", FEW, {"P@1": 0.5, "P@2": 0.25, "nDCG@1": 0.5, "nDCG@2": 0.30657, "R@1": 0.1, "R@2": 0.1}),
    ("rectools", RECTOOLS, {"nDCG@1": 3 / 4, "nDCG@3": (0.46927873 + 0.70391809 + 1) / 4}),
    ("rectools", RECTOOLS, {"AP@1": (1 + 1 / 3 + 1 / 3) / 4, "AP@3": (1 + 0.55555556 + 1) / 4}),
]


@pytest.mark.parametrize(("profile", "lists_and_relevant", "values"), OF_LISTS)
def test_a_profile_has_the_published_values_of_lists(
    profile: str, lists_and_relevant: Sequence[Mapping[str, str]], values: Mapping[str, float], tmp_path: Path
) -> None:
    lists, relevant = lists_and_relevant
    judged = "".join(f"{q} 0 {d} 1\n" for q, docs in relevant.items() for d in docs.split())
    judged += "".join(f"{q} 0 other 0\n" for q in relevant)  # a query without relevant documents is also judged
    rows = [(q, d, rank) for q, docs in lists.items() for rank, d in enumerate(docs.split(), start=1)]
    (tmp_path / "qrels").write_text(judged)
    (tmp_path / "run").write_text("".join(f"{q} Q0 {d} {rank} {100 - rank} t\n" for q, d, rank in rows))
    result = rankproof.evaluate([*values], tmp_path / "qrels", tmp_path / "run", profile=f"{profile} missing=0")
    assert dict(result.mean) == pytest.approx(values, abs=1e-5)


# -- the files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_follows_the_schema(path: Path) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(tomllib.loads(path.read_text(encoding="utf-8")))
    tool = read_tools()[path.stem]
    for name, profile in tool.ways.items():
        assert profile.read
        assert profile.whose == f"{tool.title} {tool.read}"
        assert tool_of(name) is tool
        for key in profile.of:
            assert set(profile.open[key]) <= set(axes_of(measure_of(key)))


def test_no_name_is_one_of_a_fingerprint_or_of_two_tools() -> None:
    names = [*read_ways(), *(other for tool in read_tools().values() for other in tool.also)]
    assert len(set(names)) == len(names)
    assert not [name for name in names if library_profiles.is_published(name)]


SPEC = 'title = "T"\nread = "1"\nsources = ["https://a"]\n[profiles.default]\n'


def test_axes_that_a_file_does_not_name_are_undetermined() -> None:
    text = '"+" = "ties=?input/docid-asc norel=1"\n"P@k AP@k" = "p_denominator=min-k-n missing=?"\n'
    profile, measure = read_tool("t.toml", SPEC + text).ways["t"], parse("P@5")
    undecided = profile.undecided(measure)
    assert undecided["ties"] == ("input", "docid-asc")
    assert set(axes_of(measure)) - set(undecided) == {"norel", "p_denominator"}
    assert (undecided["missing"], profile.conventions(measure).ties) == ((), "input")
    assert profile.conventions(measure).norel == profile.conventions(parse("AP@5")).norel == "1"
    assert "p_denominator" not in profile.undecided(parse("AP@5"))
    assert "missing" not in profile.changed("missing=dropped").undecided(measure)
    # Choices for one measure override choices for all measures.
    both = read_tool("t.toml", SPEC + '"+" = "norel=1 missing=nan"\n"P@k" = "norel=dropped"\n').ways["t"]
    assert (both.conventions(measure).norel, both.conventions(measure).missing) == ("dropped", "nan")
    with pytest.raises(UnknownConvention, match=r"^T 1 has no source profile for RR; it has P@k, AP@k$"):
        profile.conventions(parse("RR"))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("tie=input", "t.toml: default: P@k: Unknown axis 'tie'; did you mean ties?"),
        ("ties=?input/first", "t.toml: default: P@k: Unknown convention ties=first."),
        ("input", "t.toml: default: P@k: Unknown axis 'input'"),
    ],
)
def test_a_fault_of_a_file_is_reported_with_its_place(spec: str, message: str) -> None:
    with pytest.raises(UnknownConvention) as refused:
        read_tool("t.toml", f'{SPEC}"P@k" = "{spec}"\n')
    assert str(refused.value).startswith(message)


# -- uses of profiles that were read -----------------------------------------------------------------------------------


def test_evaluate_warns_that_a_profile_was_read() -> None:
    for name in ("mteb", "TF.Ranking", "catboost", "spark"):
        tool, result = tool_of(name), rankproof.evaluate(["nDCG@10"], *QRELS_AND_RUN, profile=name)
        assert (tool is None) == (name in {"catboost", "spark"})
        warnings = [warning.text for warning in result.warnings if warning.kind == "read-profile"]
        assert [f"{tool.title} {tool.read}" in text for text in warnings] == [True] if tool else not warnings


def test_explain_compares_observed_libraries_unless_others_are_named() -> None:
    arguments = [*QRELS_AND_RUN, "-m", "RR@10", "--json"]
    every, named = (
        json.loads(CliRunner().invoke(explain, [*arguments, *options]).stdout)["explanations"][0]
        for options in ([], ["--as", "catboost", "--as", "msmarco/script missing=dropped"])
    )
    assert every["read"] == {}
    assert not {name for value in every["sayings"] for name in value["names"]} & set(read_ways())
    read = {name: tool["tool"] for name, tool in named["read"].items()}
    assert read == {"msmarco/script": "the MS MARCO script of 4/09/2019"}
