"""Two tools, one run: ten pairs that people ask about, with the numbers that the tools themselves gave, and the cause told first.

The run has 30 queries, ties in a third of them, graded rels, unjudged docs, one judged query that was not run, and four queries of whose
docs none that was retrieved is relevant, two of them without any relevant doc. What each tool said of it, and in which version, is in
`two_tools/said.json`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner, Result

from rankproof.cli.explain import command
from rankproof.evaluate.library_profiles import other_ways, profile_named, speaking_of
from rankproof.evaluate.read_profiles import read_ways
from rankproof.explain import compared_profiles
from rankproof.explain.api import read_data
from rankproof.explain.compared_profiles import makers
from rankproof.explain.explanation import explain
from rankproof.explain.run_data import RunData
from rankproof.reference_impl.conventions import STANDARD, UnknownConvention
from rankproof.reference_impl.notation import parse
from rankproof.workers.known_libraries import UnknownLibrary, chosen, libraries

HERE = Path(__file__).resolve().parent.parent / "two_tools"
SAID = json.loads((HERE / "said.json").read_text())
COLUMNS, LINES = 80, 12


class Pair(NamedTuple):
    """Two tools, how each is called here, and what is to be told first; `below` is to be on the first screen, too."""

    qrels: str
    measure: str
    tools: tuple[str, str]
    called: tuple[str, str]
    first: str
    below: tuple[str, ...] = ()


RETRIEVED = "all judgments instead of judgments of retrieved documents only"
WORTH = "queries without relevant documents scored 0 instead of 1"
SKLEARN = "sklearn/rows missing=dropped"
"""With what its fingerprint leaves open, so that no library is started for it."""
PAIRS = [
    Pair(
        "graded",
        "nDCG@10",
        ("sklearn/rows", "pytrec_eval"),
        (SKLEARN, "trec_eval"),
        RETRIEVED,
        ("tied documents by id, descending",),
    ),
    Pair(
        "graded",
        "nDCG@10",
        ("ranx/comparable", "ir_measures"),
        ("ranx/comparable", "ir_measures"),
        "tied documents by id, descending instead of in no consistent order",
    ),
    Pair(
        "graded",
        "nDCG@10",
        ("torchmetrics", "own, exponential"),
        ("torchmetrics", "torchmetrics gain=exp ties=input"),
        "exponential gain (2^grade - 1) instead of the grade",
        ("tied documents in input order instead of in all orders, averaged",),
    ),
    Pair(
        "graded",
        "nDCG@10",
        ("lightgbm", "sklearn/rows"),
        ("lightgbm", SKLEARN),
        WORTH,
        ("linear gain instead of 2^grade - 1", "the mean over all orders of tied documents instead of in input order"),
    ),
    Pair("graded", "nDCG@10", ("xgboost", "xgboost/minus"), ("xgboost", "xgboost/minus"), WORTH),
    Pair(
        "binary",
        "AP",
        ("catboost", "sklearn/rows"),
        ("catboost", SKLEARN),
        "tied documents",
        ("at the last rank of their group",),
    ),
    Pair(
        "binary",
        "AP@10",
        ("lightgbm", "catboost"),
        ("lightgbm", "catboost"),
        WORTH,
        ("tied documents in the worst order instead of in input order",),
    ),
    Pair(
        "graded",
        "nDCG@10",
        ("ir_measures", "beir"),
        ("trec_eval/complete", "beir"),
        "queries missing from the run left out of the mean",
    ),
    Pair(
        "graded",
        "RR@10",
        ("msmarco/script", "ranx/comparable"),
        ("msmarco/script", "ranx/comparable"),
        "queries without relevant documents scored 0 instead of left out of the mean",
    ),
    Pair("binary", "R@10", ("torchmetrics", "pytrec_eval"), ("torchmetrics", "trec_eval"), RETRIEVED),
]
"""Those of CatBoost and scikit-learn are of all that was retrieved: CatBoost divides by min(k, R), which a cutoff of 10 hides here."""


@pytest.fixture(scope="module")
def qrels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    rows = [line.split() for line in (HERE / "qrels.txt").read_text().splitlines()]
    binary = tmp_path_factory.mktemp("qrels") / "binary.txt"
    binary.write_text("".join(f"{query} 0 {doc} {int(int(rel) > 0)}\n" for query, _, doc, rel in rows))
    return {"graded": str(HERE / "qrels.txt"), "binary": str(binary)}


def asked(qrels: str, *options: str, measure: str = "nDCG@10", **env: str) -> Result:
    return CliRunner().invoke(command, [qrels, str(HERE / "run.txt"), "-m", measure, *options], env=env)


def said(qrels: str, measure: str, *options: str) -> str:
    found = asked(qrels, *options, measure=measure, COLUMNS=str(COLUMNS))
    assert found.exit_code == 0, found.output
    return found.stdout


def told(qrels: str, measure: str, *options: str) -> Any:
    (one,) = json.loads(said(qrels, measure, *options, "--json"))["explanations"]
    return one


def numbers(tools: Mapping[str, str]) -> list[str]:
    """What these tools gave of binary rels, each of a measure, as options."""
    return [word for tool, of in tools.items() for word in ("--value", f"{SAID[tool]['of']['binary'][of]:.6f}")]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.called[0]}, {pair.called[1]}")
def test_the_largest_cause_comes_first(pair: Pair, qrels: dict[str, str]) -> None:
    text = said(qrels[pair.qrels], pair.measure, *(word for name in pair.called for word in ("--as", name)))
    lines = text.splitlines()
    assert max(map(len, lines)) <= COLUMNS
    assert len(lines) <= LINES
    shown = " ".join(text.split())
    largest = re.split(r"\([\d,]+ of 30 queries\)", shown)[0]
    assert pair.first in largest
    assert all(one in shown for one in pair.below)


@pytest.mark.parametrize("pair", [PAIRS[4], PAIRS[6]], ids=lambda pair: f"{pair.called[0]}, {pair.called[1]}")
def test_the_tools_are_found_by_their_numbers_alone(pair: Pair, qrels: dict[str, str]) -> None:
    given = [f"{SAID[tool]['of'][pair.qrels][pair.measure]:.4f}" for tool in pair.tools]
    one = told(qrels[pair.qrels], pair.measure, *(word for number in given for word in ("--value", number)))
    found = [value["found"][0] for value in one["values"]]
    assert all(name in first["base"]["names"] for name, first in zip(pair.called, found, strict=True))
    assert not any(first["changes"] for first in found)
    (between,) = one["between"]
    parts = sorted(between["attribution"]["parts"], key=lambda part: -abs(part["adds"]))
    assert "norel" in parts[0]["changes"]
    total = sum(part["adds"] for part in parts)
    assert total == pytest.approx(float(given[1]) - float(given[0]), abs=1e-4)
    assert one["read"].keys() >= {name for name in pair.called if name in read_ways()}


@pytest.mark.parametrize(
    ("measure", "written", "how"),
    [("RR@10", "{!r}", 0), ("AP@10", "{:.8f}", 1), ("R@10", "{!r}", 1)],
)
def test_a_number_that_was_computed_in_float32_is_found_though_all_of_it_is_given(
    measure: str, written: str, how: int, qrels: dict[str, str]
) -> None:
    number = written.format(SAID["torchmetrics"]["of"]["binary"][measure])
    first = told(qrels["binary"], measure, "--value", number)["values"][0]["found"][0]
    assert (first["base"]["names"], first["changes"], first["kind"]) == (["torchmetrics"], {}, how)


def test_a_number_without_the_cutoff_is_known_as_one(qrels: dict[str, str]) -> None:
    """Of who takes none: scikit-learn's average precision beside CatBoost's at 10."""
    values = numbers({"catboost": "AP@10", "sklearn/rows": "AP"})
    found = told(qrels["binary"], "AP@10", *values)
    assert f"{values[-1]} is AP without the cutoff in sklearn/rows." in found["headline"]
    assert [value["uncut"] for value in found["values"]] == [[], ["sklearn/rows"]]


def test_of_three_numbers_each_has_its_own_tools_without_the_cutoff(qrels: dict[str, str]) -> None:
    order = ["pytrec_eval", "ir_measures", "sklearn/rows"]
    found = told(qrels["binary"], "AP@10", *numbers(dict.fromkeys(order, "AP")))
    assert [set(order) & set(value["uncut"]) for value in found["values"]] == [{tool} for tool in order]


def test_who_refuses_the_data_is_asked_otherwise_where_that_is_known(qrels: dict[str, str]) -> None:
    text = said(qrels["graded"], "nDCG@10", "--as", "ir_measures", "--as", "ranx")
    assert "--as ranx/comparable" in " ".join(text.split())


@pytest.mark.parametrize(
    ("tool", "measure", "of_flags"),
    [("torchmetrics", "R@10", True), ("sklearn/rows", "AP", True), ("pytrec_eval", "R@10", False)],
)
def test_who_takes_no_graded_rels_is_found_by_what_it_gives_of_rels_made_0_and_1(
    tool: str, measure: str, *, of_flags: bool, qrels: dict[str, str]
) -> None:
    number = f"{SAID[tool]['of']['binary'][measure]:.4f}"
    found = {kind: told(own, measure, "--value", number)["values"][0]["found"] for kind, own in qrels.items()}
    assert f"{tool}{' of rels made 0 and 1' * of_flags}" in found["graded"][0]["base"]["names"]
    assert not found["graded"][0]["changes"]
    assert not any("made 0 and 1" in name for each in found["binary"] for name in each["base"]["names"]), "they are"


def test_who_refuses_graded_rels_is_told_how_to_be_asked(qrels: dict[str, str]) -> None:
    shown = " ".join(said(qrels["graded"], "R@10", "--as", "trec_eval", "--as", "torchmetrics").split())
    named = shown.partition("--as '")[2].partition("'")[0]
    assert named == "torchmetrics grades=any"
    again = told(qrels["graded"], "R@10", "--as", "trec_eval", "--as", named)["sayings"]
    of_flags = told(qrels["binary"], "R@10", "--as", "trec_eval", "--as", "torchmetrics")["sayings"]
    assert again[1]["answers"]["mean"] == of_flags[1]["answers"]["mean"]


# -- who is called how, and who is asked -------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", ["msmarco", "ir_measures/ranx", "msmarco catboost", "gdeval"])
def test_a_variant_of_one_library_may_be_named_alone(asked: str) -> None:
    first, *others = asked.split()
    found = {library.name: library.only for library in chosen((first, *others), libraries())}
    assert found == {"ir_measures": (first.removeprefix("ir_measures/"),), **dict.fromkeys(others, ())}


def test_a_library_is_meant_before_a_variant_of_the_same_name() -> None:
    assert [(library.name, library.only) for library in chosen(("ranx",), libraries())] == [("ranx", ())]


@pytest.mark.parametrize("asked", ["rows", "elasticsearch", "default", "ranxx"])
def test_what_names_no_library_or_several_is_none(asked: str) -> None:
    with pytest.raises(UnknownLibrary, match=f"^{asked} is no library; "):
        chosen((asked,), libraries())


@pytest.mark.parametrize(("measure", "gain"), [("nDCG@10", "exp"), ("nDCG(dcg='exp-log2')@10", "linear")])
def test_gdeval_is_compared_under_the_names_of_others(measure: str, gain: str) -> None:
    gdeval = speaking_of(profile_named("gdeval"), parse(measure))
    assert gdeval.conventions(parse(measure)).gain == gain  # under a parameter, it is that which says the gain
    assert gdeval.conventions(parse(measure)).grades == "whole-to-4"
    for none in ("nDCG", "AP@10", "P@5"):
        with pytest.raises(UnknownConvention, match="no fingerprint of ir_measures/gdeval"):
            speaking_of(profile_named("gdeval"), parse(none))
    both = profile_named("ranx")
    assert speaking_of(both, parse("nDCG@10")) is both
    assert both.conventions(parse("nDCG@10")).gain == "linear"


def test_what_a_fingerprint_lacks_and_another_way_has_is_pointed_at() -> None:
    (given,) = read_data(HERE / "qrels.txt", [HERE / "run.txt"]).values()
    with pytest.raises(UnknownConvention, match=r"has AP@k; ir_measures/default has it: name that instead of gdeval$"):
        explain("a run", given, parse("AP@10"), ("gdeval", "catboost"))
    with pytest.raises(UnknownConvention, match="has Bpref; it has"):
        explain("a run", given, parse("Bpref"), ("standard", "catboost"))
    assert {*other_ways("ranx", parse("RR@10"))} == {"ranx/comparable", "ranx/dicts"}
    assert {*other_ways(" ranx/comparable ties=input ", parse("RR@10"))} == {"ranx/default", "ranx/dicts"}
    assert {*other_ways("msmarco", parse("RR@10"))} == {"ir_measures/default", "msmarco/script"}
    assert {*other_ways("lightgbm", parse("DCG@10"))} == set()


@pytest.mark.parametrize(
    ("name", "rel", "ways"),
    [
        ("gdeval", 5, {"ir_measures/default", "ir_measures/pytrec_eval", "ir_measures/ranx", "ir_measures/trectools"}),
        ("ir_measures", 0.5, {"ir_measures/trectools"}),
        ("lightgbm", 0.5, set()),
    ],
)
def test_who_refuses_a_rel_is_asked_in_the_ways_that_take_it(
    name: str, rel: float, ways: set[str], tmp_path: Path
) -> None:
    """Also where it has the measure under a parameter alone, as gdeval."""
    (tmp_path / "qrels").write_text(f"1 0 a {rel}\n1 0 b 1\n2 0 a 1\n3 0 c 2\n", encoding="utf-8")
    (tmp_path / "run").write_text("1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n2 Q0 a 1 1 r\n3 Q0 c 1 1 r\n", encoding="utf-8")
    asked = [str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "nDCG@10", "--as", name, "--as", "catboost"]
    done = CliRunner().invoke(command, asked, catch_exceptions=False)
    assert {*re.findall(r"--as ([^\s.]+)", done.output)} >= ways, done.output


def test_what_was_read_is_a_habit_and_what_its_source_leaves_open_is_none() -> None:
    asked = parse("nDCG@10")
    assert makers(asked, "ideal_cut", "min-k-n").here == 1, "Elasticsearch alone, as it was read"
    assert makers(asked, "ideal", "max-gain").here == 1, "RecTools alone, by the one of its two names that is first"
    assert makers(asked, "ties", "best").anywhere == 0
    open_ties = [name for name, p in read_ways().items() if any("ties" in still for still in p.open.values())]
    assert {"rax", "elasticsearch", "msmarco/script"} <= set(open_ties)


def test_who_ranks_by_the_rank_column_is_told_of_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    by_score, by_rank = read_ways()["rax"], replace(read_ways()["rax"], of={"AP": STANDARD.replace(order="rank")})
    ways = {"one": by_score, "two": by_rank, "three": by_score}
    monkeypatch.setattr(compared_profiles, "read_ways", lambda: ways)
    for has_ranks, names in ((True, ["one", "two", "three"]), (False, ["one", "three"])):
        asked = RunData({}, {}, has_ranks=has_ranks)
        assert list(compared_profiles.of_read_tools(asked, parse("AP"))) == names
