"""Profiles, read in a source or proved by answers: each holds what its tool says of one run, and the numbers that its project publishes."""

import json
import re
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
from rankproof.evaluate.read_profiles import listed_name, read_profile, read_tool, read_tools, read_ways, tool_of
from rankproof.explain.api import read_data
from rankproof.explain.run_data import RunData
from rankproof.inference.reference_answers import Values
from rankproof.inference.signatures import axes_of
from rankproof.measure_forms import measure_of
from rankproof.reference_impl.conventions import UnknownConvention
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import UnknownProfile
from rankproof.reference_impl.ranking import Judgment
from rankproof.workers.known_libraries import chosen, libraries, library_named

HERE = Path(__file__).resolve().parent.parent / "two_tools"
FILES_OF_TWO = [str(HERE / name) for name in ("qrels.txt", "run.txt")]
SAID: Mapping[str, dict[str, dict[str, dict[str, float]]]] = json.loads((HERE / "said.json").read_text())
"""What each tool said of the run beside it, of the graded qrels, of the same as 0 and 1, of the queries that have a relevant doc; its
version, and how it was asked."""
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


# -- what the tools themselves say ------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", [tool for tool in SAID if not tool.startswith(("own", "trec_eval -c"))])
def test_a_profile_gives_what_its_tool_says_of_one_run(tool: str, data: Mapping[str, RunData]) -> None:
    profile, within = profile_named(tool), WITHIN[str(SAID[tool]["precision"])]
    compared = 0
    for qrels, values in SAID[tool]["of"].items():
        for name, said in values.items():
            measure = parse(name)
            conventions = profile.conventions(measure)
            ways = ("worst", "best") if conventions.ties == "unspecified" else (conventions.ties,)
            answers = [data[qrels].answers(measure, conventions.replace(ties=ties)) for ties in ways]
            means = [float(one.mean) for one in answers if isinstance(one, Values) and one.mean is not None]
            assert len(means) == len(ways), (qrels, name)
            assert means[0] - within <= said <= means[-1] + within, (qrels, name, said, means)
            compared += 1
    assert compared


def test_the_version_that_was_run_is_the_one_whose_numbers_are_kept() -> None:
    run = {name: tool.run for tool in read_tools().values() for name in tool.ways if tool.run}
    assert {name: said["version"] for name, said in SAID.items() if name in read_ways()} == run


# -- what their projects publish --------------------------------------------------------------------------------------


class Literal(NamedTuple):
    """A number of a project's own tests or documentation: of rows with a label and a score each, or of lists and what is relevant."""

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
"""FuxiCTR and TorchEval, by the formulas in their sources: two users with both classes have AUCs of 1/2 and 1, two have one class."""
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
]


@pytest.mark.parametrize("one", LITERALS, ids=lambda one: f"{one.profile}-{one.measure}")
def test_a_profile_gives_what_the_project_publishes_of_rows(one: Literal) -> None:
    rows = list(enumerate(zip(one.labels, one.scores, strict=True)))
    qrels = {f"q{q}": {f"d{d}": rel for d, rel in enumerate(labels)} for q, (labels, _) in rows}
    run = {f"q{q}": {f"d{d}": score for d, score in enumerate(scores)} for q, (_, scores) in rows}
    result = rankproof.evaluate([one.measure], qrels, run, profile=one.profile)
    assert result.mean[one.measure] == pytest.approx(one.value, abs=one.within)


SPARK = (
    {"1": "1 6 2 7 8 3 9 10 4 5", "2": "4 1 5 6 2 7 3 8 9 10", "3": "1 2 3 4 5"},
    {"1": "1 2 3 4 5", "2": "1 2 3", "3": ""},
)
"""Spark, RankingMetricsSuite.scala of 0d38243: three lists, and what is relevant."""
FEW = {"1": "1 6 2", "2": ""}, {"1": "1 2 3 4 5", "2": "1 2 3"}
"""Of the same, SPARK-14886."""
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


@pytest.mark.parametrize(("profile", "given", "values"), OF_LISTS)
def test_a_profile_gives_what_the_project_publishes_of_lists(
    profile: str, given: tuple[Mapping[str, str], Mapping[str, str]], values: Mapping[str, float], tmp_path: Path
) -> None:
    lists, relevant = given
    judged = "".join(f"{q} 0 {d} 1\n" for q, docs in relevant.items() for d in docs.split())
    judged += "".join(f"{q} 0 other 0\n" for q in relevant)  # a query without relevant docs is judged, too
    rows = [(q, d, rank) for q, docs in lists.items() for rank, d in enumerate(docs.split(), start=1)]
    (tmp_path / "qrels").write_text(judged)
    (tmp_path / "run").write_text("".join(f"{q} Q0 {d} {rank} {100 - rank} t\n" for q, d, rank in rows))
    found = rankproof.evaluate([*values], tmp_path / "qrels", tmp_path / "run", profile=f"{profile} missing=0")
    assert dict(found.mean) == pytest.approx(values, abs=1e-5)


RATED: Mapping[str, tuple[list[int | None], int, float]] = {
    "all rated": ([3, 2, 3, 0, 1, 2], 6, 13.84826362927298 / 14.595390756454922),
    "two unrated": ([3, 2, 3, None, 1], 6, 12.779642067948913 / 13.347184833073591),
    "more rated than hits": ([3, 2, 3, None, 1, None], 4, 12.392789260714371 / 13.347184833073591),
}
"""Elasticsearch, DiscountedCumulativeGainTests.java of 0066a27: ratings of the docs in order, how many are hits, and the normalized DCG."""


@pytest.mark.parametrize("name", RATED)
def test_elasticsearch_gives_what_its_tests_say(name: str) -> None:
    ratings, hits, value = RATED[name]
    qrels = {"q": {f"d{at}": rel for at, rel in enumerate(ratings) if rel is not None}}
    run = {"q": {f"d{at}": float(10 - at) for at in range(hits)}}
    assert rankproof.evaluate(["nDCG@10"], qrels, run, profile="elasticsearch").mean["nDCG@10"] == pytest.approx(value)


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


def test_what_a_file_does_not_say_is_open() -> None:
    said = '"+" = "ties=?input/docid-asc norel=1"\n"P@k AP@k" = "p_denominator=min-k-n missing=?"\n'
    profile, measure = read_tool("t.toml", SPEC + said).ways["t"], parse("P@5")
    still = profile.undecided(measure)
    assert still["ties"] == ("input", "docid-asc")
    assert set(axes_of(measure)) - set(still) == {"norel", "p_denominator"}
    assert (still["missing"], profile.conventions(measure).ties) == ((), "input")
    assert profile.conventions(measure).norel == profile.conventions(parse("AP@5")).norel == "1"
    assert "p_denominator" not in profile.undecided(parse("AP@5"))
    assert "missing" not in profile.changed("missing=dropped").undecided(measure)
    # What is said of one measure counts before what is said of all.
    both = read_tool("t.toml", SPEC + '"+" = "norel=1 missing=nan"\n"P@k" = "norel=dropped"\n').ways["t"]
    assert (both.conventions(measure).norel, both.conventions(measure).missing) == ("dropped", "nan")
    with pytest.raises(UnknownConvention, match=r"^no profile read of T 1 has RR; it has P@k, AP@k$"):
        profile.conventions(parse("RR"))


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("tie=input", "t.toml: default: P@k: tie is no axis; did you mean ties?"),
        ("ties=?input/first", "t.toml: default: P@k: ties=first is no convention"),
        ("input", "t.toml: default: P@k: input is no axis"),
    ],
)
def test_a_fault_of_a_file_is_told_with_its_place(spec: str, told: str) -> None:
    with pytest.raises(UnknownConvention) as caught:
        read_tool("t.toml", f'{SPEC}"P@k" = "{spec}"\n')
    assert str(caught.value).startswith(told)


# -- whoever uses one is told so --------------------------------------------------------------------------------------


def test_evaluate_says_that_it_was_read() -> None:
    for name in ("elasticsearch", "mteb", "tfr", "catboost", "lightgbm", "spark"):
        tool, result = tool_of(name), rankproof.evaluate(["nDCG@10"], *FILES_OF_TWO, profile=name)
        assert (tool is None) == (name in {"catboost", "lightgbm", "spark"})
        said = [one.text for one in result.warnings if one.kind == "read-profile"]
        assert [f"{tool.title} {tool.read}" in text for text in said] == [True] if tool else not said


def test_explain_says_which_were_read() -> None:
    def explained(*names: str, measure: str = "nDCG@10", options: Sequence[str] = ()) -> str:
        ways = (word for name in names for word in ("--as", name))
        return CliRunner().invoke(explain, [*FILES_OF_TWO, "-m", measure, *ways, *options]).stdout

    told = json.loads(explained("catboost", "msmarco/script missing=dropped", measure="RR@10", options=["--json"]))
    read = told["explanations"][0]["read"]
    assert {name: tool["tool"] for name, tool in read.items()} == {"msmarco/script": "the MS MARCO script of 4/09/2019"}
    text = " ".join(explained("catboost", "rax", options=["--details"]).split())
    assert "rax was read in its source (Rax at 00f0f4c), not observed. What its ranks make of docs" in text
    assert "Undetermined for rax" in text
    assert "read in its source" not in explained("lightgbm", "xgboost/minus", options=["--details"])


def test_the_table_of_all_keeps_to_what_was_observed() -> None:
    told = json.loads(CliRunner().invoke(explain, [*FILES_OF_TWO, "-m", "nDCG@10", "--json"]).stdout)["explanations"][0]
    named = {name for saying in told["sayings"] for name in saying["names"]}
    assert "catboost" in named
    assert not named & set(read_ways())
    assert told["read"] == {}


def test_other_names_of_a_tool_serve() -> None:
    for asked in ("tfr", "tf-ranking", "opensearch", "ms_marco_eval"):
        assert read_profile(asked) is not None, asked


def test_a_note_is_one_line_whatever_the_lines_of_its_file() -> None:
    notes = [tool.note for tool in read_tools().values()]
    assert any(notes)
    assert [note for note in notes if note != " ".join(note.split())] == []


def test_a_tool_of_several_ways_is_called_by_its_own_name() -> None:
    called = {"mteb": "mteb", "mteb/mrr": "mteb/mrr", "ms_marco_eval": "msmarco/script"}
    assert {name: listed_name(name) for name in called} == called


@pytest.mark.parametrize(
    ("typed", "usual"),
    [("spark", "pyspark"), ("mllib/graded", "pyspark/graded"), ("reco_utils/map_at_k", "recommenders/map_at_k")],
)
def test_a_library_that_is_asked_keeps_the_other_names_that_people_type(typed: str, usual: str) -> None:
    assert library_profiles.is_published(typed)
    assert read_profile(typed) is None
    assert profile_named(typed) == profile_named(usual)
    (library,), (same,) = chosen((typed,), libraries()), chosen((usual,), libraries())
    assert (library.name, library.only) == (same.name, same.only)
    assert library_named(typed, libraries()).name == library.name
    with pytest.raises(UnknownProfile, match=f"^{usual.partition('/')[0]} has no variant other; "):
        profile_named(f"{typed.partition('/')[0]}/other")


def test_a_name_that_nobody_has_is_answered_by_what_to_do() -> None:
    near = "lightgmb is no profile; did you mean lightgbm? (of any other tool, `rankproof check`"
    with pytest.raises(UnknownProfile, match=f"^{re.escape(near)}"):
        profile_named("lightgmb")
    with pytest.raises(UnknownProfile, match=r"`rankproof explain --value` what gives its number\)$"):
        profile_named("galago")
