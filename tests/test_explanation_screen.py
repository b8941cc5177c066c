"""What `rankproof explain` puts on a screen, for programs and on a page, and how it is asked."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result
from strategies import judged_as, run_of

from rankproof.cli.explain import command
from rankproof.cli.program import cli
from rankproof.evaluate.inputs import BadInput
from rankproof.explain.asked_data import AskedData
from rankproof.explain.explanation import ChangeEffect, Explanation, NoQuery, Wish, explain
from rankproof.explain.library_today import Today
from rankproof.explain.printed_number import NoValue
from rankproof.explain.side_by_side import Placed, SideBySide
from rankproof.inference.reference_answers import Values
from rankproof.reference_impl.conventions import AXES, UnknownConvention
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.report import explanation_json
from rankproof.report.explanation_text import SHOWN, places, screen

# -- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text("q1 0 a 2\nq1 0 b 0\nq2 0 a 1\nq\x1b[3] 0 a 0\n")
    (tmp_path / "run").write_text("q1 Q0 b 1 3 t\nq1 Q0 a 2 3 t\nq\x1b[3] Q0 z 1 1 t\n")
    (tmp_path / "second").write_text("q1 Q0 b none 3 t\nq1 Q0 a none 2 t\n")
    return [str(tmp_path / name) for name in ("qrels", "run", "second")]


def asked(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_the_screen_leads_with_a_sentence_and_fits(files: list[str]) -> None:
    names = (word for name in ("standard", "ties=input", "missing=dropped") for word in ("--as", name))
    done = asked(*files[:2], "-m", "P@1", *names)
    assert done.exit_code == 0
    assert done.stdout.startswith("P@1 is 0 by standard, ties=input")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "\x1b" not in done.stdout
    for part in ("what each gives", "ties\n", "what one change of standard does; by standard: ", "what the data has"):
        assert part in done.stdout


@pytest.mark.in_turn
def test_numbers_and_several_runs(files: list[str]) -> None:
    done = asked(*files, "-m", "P@1", "--value", ".5", "--value", ".33")
    assert "P@1 of run" in done.stdout
    assert "P@1 of second" in done.stdout, "ranks that do not read are left out"
    assert "of 2 runs" in done.stdout or "no two runs change places" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_of_two_that_give_the_same_it_is_said_what_both_give(files: list[str]) -> None:
    told = asked(*files[:2], "-m", "P@1", "--as", "standard", "--as", "gain=exp").stdout.splitlines()
    at = told.index("what each gives, and why it is not what standard gives")
    assert told[at + 1].split(maxsplit=1) == ["0", "standard, gain=exp"]


def test_of_three_runs_it_is_said_which_may_change_places_of_how_many(tmp_path: Path) -> None:
    """Two tie their relevant doc with another, and the third has none."""
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0\n", encoding="ascii")
    for run, score in (("x", 2), ("y", 2), ("z", 1)):
        (tmp_path / run).write_text(f"q Q0 a 1 {score} {run}\nq Q0 b 2 2 {run}\n", encoding="ascii")
    files = [str(tmp_path / name) for name in ("qrels", "x", "y", "z")]
    told = " ".join(asked(*files, "-m", "P@1", "-m", "RR").stdout.split())
    for measure in ("P@1", "RR"):
        assert f"{measure}: by the order of tied docs alone, either can be ahead, of 3 runs: " in told


@pytest.mark.parametrize("measures", ["P@1", "P@1 RR AP", "RR P@1"])
def test_where_there_are_several_each_screen_says_of_which_measure_it_is(measures: str, files: list[str]) -> None:
    each = measures.split()
    options = [option for measure in each for option in ("-m", measure)]
    told = asked(*files[:2], *options, "--as", "standard", "--as", "ties=docid-asc").stdout.splitlines()
    headings = [line for line in told if line.endswith(" of run")]
    assert headings == [f"{measure} of run" for measure in each if len(each) > 1]


def test_which_runs_change_places_fits_the_terminal_whatever_they_are_called(files: list[str], tmp_path: Path) -> None:
    named = [tmp_path / f"a-run-with-a-name-of-its-own-{number}" for number in (1, 2)]
    for path in named:
        path.write_text("q1 Q0 b 1 3 t\nq1 Q0 a 2 3 t\n")
    told = asked(files[0], *map(str, named), "-m", "P@1", "--as", "standard", "--as", "ties=best").stdout
    assert "either can be ahead" in " ".join(told.split())
    assert max(map(len, told.splitlines())) <= 80


def test_one_of_the_files_may_be_the_standard_input(files: list[str]) -> None:
    arguments = [files[0], "-", "-m", "P@1", "--as", "standard"]
    given = Path(files[1]).read_bytes()
    told = CliRunner().invoke(command, arguments, input=given, catch_exceptions=False)
    assert (told.exit_code, told.stdout) == (0, asked(files[0], files[1], *arguments[2:]).stdout)


def test_a_query_side_by_side_fits_and_is_for_programs_too(files: list[str]) -> None:
    arguments = [*files[:2], "-m", "P@1", "--as", "standard", "--as", "ties=docid-asc", "--query", "q1"]
    shown = asked(*arguments).stdout
    for line in ("  A  0       standard", "  B  1       ties=docid-asc", "  b               0      3    1    1  (2)"):
        assert f"\n{line}\n" in shown
    assert max(map(len, shown.splitlines())) <= 80
    (one,) = json.loads(asked(*arguments, "--json").stdout)["explained"]
    assert [each["ranking"] for each in one["side_by_side"]["profiles"]] == [0, 1]
    with pytest.raises(NoQuery, match="--query q9: neither the qrels nor run have it; the queries are q1, q2, q"):
        asked(*arguments[:-1], "q9")


@pytest.mark.in_turn
def test_a_page_and_a_figure_are_written_beside_what_is_said(files: list[str], tmp_path: Path) -> None:
    page, figure = tmp_path / "page.html", tmp_path / "figure.svg"
    arguments = [*files[:2], "-m", "P@1", "--as", "standard", "--as", "ties=docid-asc"]
    done = asked(*arguments, "--html", str(page), "--svg", str(figure))
    assert done.stdout == asked(*arguments).stdout
    assert "Ranks side by side, for query q1" in page.read_text(), "the query that differs most"
    assert "P@1 by ties=docid-asc, less that by standard" in figure.read_text()
    assert asked(*files, "-m", "P@1", "--html", str(page)).exit_code == 0
    assert page.read_text().count("Who gives what") == 2, "a section for each run"
    two = CliRunner().invoke(command, [*files, "-m", "P@1", "--svg", str(figure)])
    assert (two.exit_code, "--svg is a figure of one run and one measure" in two.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "measures"),
    [("P@1", "P@1"), ("RR -m AP P@1", "AP RR P@1"), ("-m P@2 ndcg_cut_2", "P@2 nDCG@2")],
)
def test_measures_may_stand_behind_the_run(files: list[str], words: str, measures: str) -> None:
    found = json.loads(asked(*files[:2], *words.split(), "--as", "order=input", "--json").stdout)
    assert [each["measure"] for each in found["explained"]] == measures.split()


def test_what_cannot_be_asked_is_said_in_a_line(files: list[str]) -> None:
    two = CliRunner().invoke(command, [*files[:2], "-m", "P@1", "-m", "AP", "--value", ".5"])
    assert (two.exit_code, "ask each measure for itself" in two.stderr) == (2, True)
    with pytest.raises(NoValue):
        asked(*files[:2], "-m", "P@1", "--value", "x")
    with pytest.raises(UnknownConvention, match="nobody is no profile"):
        asked(*files[:2], "-m", "P@1", "--as", "nobody")
    with pytest.raises(BadInput, match="run:1"):
        asked(files[1], files[0], "-m", "P@1")
    with pytest.raises(BadInput, match="order=rank ranks by it"):
        asked(files[0], files[2], "-m", "P@1", "--as", "order=rank")


@pytest.mark.in_turn
@pytest.mark.parametrize(("measure", "value"), [("AP@2", ".125"), ("AP@2", ".062"), ("P@2", ".4")])
def test_more_sets_than_are_shown_are_counted(measure: str, value: str, tmp_path: Path) -> None:
    qrels = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "b": 1, "c": 0}, "3": {"z": 1, "y": 3}}
    run = {"1": {"b": 4, "a": 3, "c": 3, "d": 2}, "2": {"e": 4, "a": 3, "c": 3, "b": 2}, "4": {"a": 4}}
    for name, form, of in (("qrels", "{} 0 {} {}\n", qrels), ("run", "{} Q0 {} 1 {} t\n", run)):
        (tmp_path / name).write_text("".join(form.format(q, *one) for q, own in of.items() for one in own.items()))
    asked = ["explain", str(tmp_path / "qrels"), str(tmp_path / "run"), measure, "--value", value]
    (told,) = json.loads(CliRunner().invoke(cli, [*asked, "--json"]).stdout)["explained"]
    found = told["values"][0]["found"]
    shown = CliRunner().invoke(cli, asked).stdout
    assert (f"\n  and {len(found) - SHOWN} more\n" in shown) is (len(found) > SHOWN)
    # What is given by an unchanged profile needs no chance.
    assert ("sets were tried; by chance, " in shown) is (
        bool(found) and found[0]["kind"] not in {"as-it-is", "within-ties"}
    )


# -- ranks side by side ----------------------------------------------------------------------------------------------


def test_of_many_docs_that_differ_the_best_are_told_and_the_others_counted() -> None:
    data = AskedData({"1": judged_as(d07=1)}, {"1": run_of("=".join(f"d{i:02}" for i in range(40)), "last")})
    orders = "ties=docid-asc", "ties=docid-desc"
    for measure, depth, shown in (("RR", 10, 30), ("P@35", 35, 35)):
        found = explain("mine", data, parse(measure), Wish(orders, query="1")).side_by_side
        assert found is not None
        assert (found.depth, len(found.docs), found.left_out, found.count) == (depth, shown, 40 - shown, 2)
        assert (found.docs[0].doc, found.docs[0].ranks) == ("d00", ((1, 1), (40, 40)))
        within = [min(first for first, _ in filter(None, one.ranks)) <= depth for one in found.docs]
        assert within == sorted(within, reverse=True)


def test_a_doc_that_the_first_ranking_lacks_stands_below_those_that_it_has() -> None:
    """`e`, `f` and `d` are within the cutoff of one ranking or the other, and those without a judgment have no rank in the first."""
    data = AskedData({"1": judged_as(d=1, e=0, f=2)}, {"1": run_of("a", "b", "d", "e", "f")})
    found = explain("mine", data, parse("P@2"), Wish(("unjudged=removed", "standard"), query="1")).side_by_side
    assert found is not None
    assert [(one.doc, one.ranks[0]) for one in found.docs] == [
        ("d", (1, 1)),
        ("e", (2, 2)),
        ("a", None),
        ("b", None),
        ("f", (3, 3)),
    ]


def told_of_two(*names: str) -> Explanation:
    """RR of two queries, worth 1 and 1/2."""
    hit = [Judgment("a", 1)]
    run = {"1": [QueryRow("a", 2.0), QueryRow("b", 1.0)], "2": [QueryRow("b", 2.0), QueryRow("a", 1.0)]}
    return explain("mine", AskedData({"1": hit, "2": hit}, run), parse("RR@2"), Wish(names or ("standard",)))


@pytest.mark.parametrize(
    ("count", "more", "left_out", "others"),
    [
        (6, [], 0, []),
        (7, ["  and 1 more ranking, by --json"], 10, ["  and 10 more docs of which the ranks differ"]),
        (8, ["  and 2 more rankings, by --json"], 1_000, ["  and 1,000 more docs of which the ranks differ"]),
    ],
)
def test_six_rankings_stand_side_by_side_with_each_doc_whole(
    count: int, more: list[str], left_out: int, others: list[str]
) -> None:
    docs = (
        Placed("a-doc-of-a-long-name", 1, 2.0, 0, ((1, 1),) * count),
        Placed("b", None, 1.0, 1, ((2, 3),) * count),
        Placed("c", 0, 1.0, 1, ((3, 3),) * count),
    )
    told = told_of_two()
    sayings = tuple(replace(told.sayings[0], names=(f"profile {i}",)) for i in range(count))
    ranks = SideBySide("1", 2, tuple(range(count)), count, docs, left_out)
    shown = screen(replace(told, sayings=sayings, side_by_side=ranks), heading=False).splitlines()
    assert [line.split() for line in shown if re.match(r"  [A-Z]  ", line)] == [
        [letter, "1", "profile", str(i)] for i, letter in enumerate("ABCDEF")
    ]
    assert [line for line in shown if "more ranking" in line] == more
    assert [line for line in shown if "more docs" in line] == others
    at = next(i for i, line in enumerate(shown) if line.startswith("  doc "))
    rows = [line.split() for line in shown[at + 1 : at + 4]]
    ranks = [["1"], ["2-3"], ["(3)"]]
    known = [["a-doc-of-a-long-name", "1", "2"], ["b", "1", "1"], ["c", "0", "1", "1"]]
    assert rows == [told + 6 * rank for told, rank in zip(known, ranks, strict=True)]


def test_what_one_change_does_is_told_of_ten_axes_and_which_have_no_effect() -> None:
    """Eleven axes move the first query; of `ties` another value moves none, `missing` the mean alone, `ideal` nothing."""
    told = told_of_two()
    moving = [
        "ties",
        "order",
        "score",
        "known",
        "unjudged",
        "negative",
        "relevant",
        "grades",
        "gain",
        "discount",
        "norel",
    ]
    others = {name: next(value for value in axis.values if value != axis.default) for name, axis in AXES.items()}
    effects = [ChangeEffect(axis, others[axis], Values({}, Fraction(i, 64)), ("1",)) for i, axis in enumerate(moving)]
    still = [ChangeEffect("ties", "worst", told.plain, ()), ChangeEffect("ideal", others["ideal"], told.plain, ())]
    mean = ChangeEffect("missing", others["missing"], Values({}, Fraction(1, 8)), ())
    shown = screen(replace(told, effects=(mean, *effects, *still)), heading=False).splitlines()
    assert "  and 2 more, by --json" in shown
    assert "  no effect here: ideal" in shown
    rows = [line.split()[0].partition("=")[0] for line in shown if re.match(r"  \w+=", line)]
    assert rows == moving[:10]


def test_of_each_who_refuses_alike_it_is_told_by_what_other_way_it_may_take_it() -> None:
    asked = AskedData({"1": [Judgment("a", 0.5)]}, {"1": [QueryRow("a", 1.0)]})
    told = explain("mine", asked, parse("R@5"), Wish(("beir", "ir_measures", "standard")))
    assert told.sayings[0].names == ("beir", "ir_measures")
    shown = screen(told, heading=False)
    ways = ("beir/recall_cap", "ir_measures/ranx")
    assert re.findall(r"(\S+) may take it: --as (\S+)", shown) == [(way, way) for way in ways]


def test_pairs_of_runs_are_told_up_to_eight() -> None:
    for count, more in ((8, ""), (9, " and 1 more pair"), (10, " and 2 more pairs")):
        said = places([(f"a{i}", "b") for i in range(count)], 5)
        assert said.endswith(f"of 5 runs: {', '.join(f'a{i} and b' for i in range(8))}{more}")


def test_only_of_those_who_are_compared_it_is_told_what_has_to_be_known() -> None:
    """Two names of one answer, the first of which was read in a source, beside one that is not compared."""
    told = told_of_two()
    tools = {}
    for name in ("ada", "bob"):
        saying = {"whose": f"{name}'s tool", "title": name, "note": f"note of {name}"}
        tools[name] = SimpleNamespace(**saying, read="1", run="", sources=("s",))
    several = replace(told, sayings=(replace(told.sayings[0], names=("ada", "cyd")),), read=tools)
    shown = " ".join(screen(several, heading=False).split())
    assert "what each gives, and why it is not what ada gives .75 ada, cyd " in shown
    assert "proved by a fingerprint: ada (ada's tool), bob (bob's tool) note of ada" in shown
    assert "note of bob" not in shown
    today = (Today("ada 1", "ada", 2, undetermined={"norel": "0"}), Today("bob 1", "bob", 2, unordered=True))
    found = explanation_json.as_json(replace(several, today=today))
    assert [one["run"] for one in found["read_profiles"]] == [None, None]
    assert [one["unordered"] for one in found["today"]] == [False, True]
