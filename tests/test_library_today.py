"""`rankproof explain --library`: what an installed library says now, held against its published profile."""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import published_run
import pytest
from click.testing import CliRunner
from fake_sheets import FAKE
from strategies import judged_as, run_of

from rankproof.cli.explain import command
from rankproof.evaluate import library_profiles
from rankproof.explain.asked_data import AskedData
from rankproof.explain.explanation import Explanation, Wish, explain
from rankproof.explain.library_today import Departure, NotInstalled, Today, today
from rankproof.reference_impl.notation import parse
from rankproof.report.explain import facts_of, today_in_words
from rankproof.workers.known_libraries import Library, libraries
from rankproof.workers.observations import ABSENT

if TYPE_CHECKING:
    from rankproof.workers.library_worker import Worker

DATA = AskedData(
    {"1": judged_as(a=1, b=0), "2": judged_as(a=1), "3": judged_as(a=1)},
    {"1": run_of("a", "b"), "2": run_of("b", "a"), "3": run_of("a=b")},
)
"""RR of its queries by trec_eval, tied docs by docid descending: 1, 1/2, 1/2, and their mean 2/3."""
RIGHT = {"1": 1.0, "2": 0.5, "3": 0.5}
OURS = "0.5.11"


class Saying:
    """A worker that gives one answer to everything."""

    def __init__(self, answer: Mapping[str, Any]) -> None:
        self.answer = answer
        self.given: dict[str, Any] = {}

    def observe(self, _variant: str, data: dict[str, Any], measures: list[str], **_how: object) -> dict[str, Any]:
        """What it was told to answer."""
        self.given = data
        return dict.fromkeys(measures, self.answer)


def library(name: str) -> Library:
    return next(one for one in libraries() if one.name == name)


def asked(answer: Mapping[str, Any], data: AskedData = DATA, **asked_of: Any) -> tuple[list[Today], Saying]:
    """What is found of a library that gives this answer, and what it was asked."""
    saying, who = Saying(answer), {"name": "pytrec_eval", "measure": "RR", "version": OURS, "absent": {}} | asked_of
    hello = {"version": who["version"], "variants": {"default": ""}, "absent": who["absent"]}
    worker, measure = cast("Worker", saying), parse(who["measure"])
    return today(library(who["name"]), worker, hello, data, measure, str), saying


def said(answer: Mapping[str, Any], **asked_of: str) -> Today:
    (one,), _ = asked(answer, **asked_of)
    return one


def explained(data: AskedData = DATA) -> Explanation:
    return explain("mine", data, parse("RR"), Wish(("standard",)))


def words(one: Today) -> str:
    return today_in_words(explained(), one)


@pytest.mark.parametrize(
    ("answer", "version", "departures", "told"),
    [
        ({"per_query": None, "mean": None}, OURS, [], ": it returns no value, neither of a query nor a mean."),
        ({"per_query": RIGHT, "mean": 2 / 3}, OURS, [], " returns the values of its profile on 3 of 3 queries."),
        (
            {"per_query": RIGHT, "mean": None},
            "99",
            [],
            " returns the values of the profile of pytrec_eval 0.5.11 on 3 of 3 queries.",
        ),
        (
            {"per_query": RIGHT | {"3": 1.0}, "mean": 2 / 3},
            OURS,
            [Departure("3", 0.5, 1.0)],
            " returns the values of its profile on 2 of 3 queries; query 3: 1.0000 instead of 0.5000.",
        ),
    ],
)
def test_who_says_what_its_profile_says_is_told_from_who_departs(
    answer: Mapping[str, Any], version: str, departures: list[Departure], told: str
) -> None:
    one = said(answer, version=version)
    assert one.departures == tuple(departures)
    assert one.compared == (3 if answer["per_query"] else 0)
    assert words(one) == f"pytrec_eval {version}{told}"


@pytest.mark.parametrize(("number", "written"), [(math.nan, "nan"), (math.inf, "inf"), (0.25, 0.25)])
def test_what_is_no_number_of_json_is_told_to_programs_as_a_word(number: float, written: float | str) -> None:
    one = said({"per_query": {**RIGHT, "2": number}, "mean": None})
    shown = json.loads(json.dumps(facts_of(replace(explained(), today=(one,))), allow_nan=False))
    assert shown["today"][0]["departures"] == [{"query": "2", "by_profile": 0.5, "said": written}]


@pytest.mark.parametrize(("apart", "more"), [(1, ""), (3, ""), (4, " and 1 more"), (6, " and 3 more")])
def test_three_departures_are_shown_and_the_others_counted(apart: int, more: str) -> None:
    text = words(Today("a 1", "a 1", 3, tuple(Departure(f"q{at}", 0.5, 0.25) for at in range(apart))))
    assert text.count("instead of 0.5000") == min(apart, 3)
    assert text.endswith(f"{more}.")


def test_the_precision_of_the_sheet_is_the_measure() -> None:
    beyond = said({"per_query": {**RIGHT, "2": 0.5 + 1e-9}, "mean": None})
    assert beyond.departures == (Departure("2", 0.5, 0.5 + 1e-9),), "pytrec_eval answers in float64"
    # Of rels up to 4, a first relevant doc at rank r is worth 1/16r to ERR; what gdeval answers has five decimals, and RR all.
    off = {"1": 1 / 16 + 4e-6, "2": 1 / 32 - 4e-6, "3": 1 / 32 + 6e-6}
    beyond = said({"per_query": off, "mean": None}, measure="ERR@5", name="ir_measures")
    assert beyond.departures == (Departure("3", 1 / 32, 1 / 32 + 6e-6),)


def test_a_library_is_held_against_the_profile_of_its_own_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Version 99 breaks ties by ascending docids, so that of `a=b` the relevant doc is the first."""
    found = [one for one in published_run.fingerprints() if one.library == "pytrec_eval"]
    subject = found[0].subject
    newer = [
        replace(one, axes={**one.axes, "ties": replace(one.axes["ties"], value="docid-asc")})
        for one in found
        if "ties" in one.axes
    ]
    of_both = {subject: found, replace(subject, version="99"): newer}
    monkeypatch.setattr(library_profiles, "published", lambda: of_both)
    old, new = (said({"per_query": RIGHT, "mean": None}, version=version) for version in (subject.version, "99"))
    assert (old.departures, new.departures) == ((), (Departure("3", 1.0, 0.5),))


@pytest.mark.parametrize(
    ("answer", "measure", "why"),
    [
        ({"unsupported": "x has no RR"}, "RR", "it does not have this measure: x has no RR"),
        ({"failed": "timeout", "message": "no answer within 1 s"}, "RR", "it failed (timeout): no answer within 1 s"),
        ({"error": {"type": "ValueError", "message": "ties"}}, "RR", "it refuses the data: ValueError: ties"),
        ({"per_query": RIGHT, "mean": None}, "ERR", "there is nothing to compare it with: no fingerprint of pytrec"),
    ],
)
def test_where_nothing_is_compared_it_is_said_why(answer: Mapping[str, Any], measure: str, why: str) -> None:
    one = said(answer, measure=measure)
    assert one.trouble.startswith(why)
    assert (one.compared, one.departures) == (0, ())


def test_ranks_that_do_not_read_are_given_as_the_rows_come() -> None:
    data = AskedData(DATA.qrels, {**DATA.run, "4": []}, has_ranks=False)
    _, saying = asked({"per_query": RIGHT, "mean": None}, data=data)
    assert [row[3] for row in saying.given["run"]] == [1, 2] * 3
    assert saying.given["empty_in_run"] == ["4"]


def test_a_library_is_given_all_of_the_data_and_each_variant_that_is_absent_says_why() -> None:
    rows = {query: [row._replace(rank=7 - row.rank) for row in own] for query, own in DATA.run.items()}
    data = AskedData({"0": [], "1": judged_as(a=1, b=0.5), "2": judged_as(a=2)}, {**rows, "4": []})
    absent = {"y": "no jar", "z": "no R"}
    found, saying = asked({"per_query": {"1": 1.0, "9": 0.5}, "mean": None}, data=data, absent=absent)
    assert saying.given["qrels"] == [["1", "a", 1], ["1", "b", 0.5], ["2", "a", 2]]
    given = [[query, row.doc, row.rank] for query, own in rows.items() for row in own]
    assert [row[:2] + row[3:] for row in saying.given["run"]] == given
    assert (saying.given["empty_in_qrels"], saying.given["empty_in_run"]) == (["0"], ["4"])
    assert {one.name: one.trouble for one in found[1:]} == {f"pytrec_eval/{name}": why for name, why in absent.items()}


def test_a_query_that_is_not_answered_departs_and_who_refuses_what_its_profile_refuses_does_as_that() -> None:
    one = said({"per_query": {"1": 1.0, "3": 0.5}, "mean": 0.75})
    assert one.departures == (Departure(None, 2 / 3, 0.75), Departure("2", 0.5, ABSENT))
    twice = AskedData(DATA.qrels, {**DATA.run, "2": run_of("a", "a")})
    answers = {"error": {"type": "ValueError", "message": "twice"}}, {"per_query": RIGHT, "mean": None}
    refused, answered = (asked(answer, name="ranx", version="0.11.0", data=twice)[0][0].trouble for answer in answers)
    assert refused == "it refuses the data, as its profile does: ValueError: twice"
    assert answered == "its profile gives no value: doc 'a' is retrieved twice"


@pytest.mark.parametrize("kind", ["memory", "crash"])
def test_a_failure_is_told_as_itself(kind: str) -> None:
    (one,), _ = asked({"failed": kind, "message": "it is gone"})
    assert one.trouble == f"it failed ({kind}): it is gone"


# -- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 b 1 2 t\n2 Q0 a 2 1 t\n")
    return [str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "RR", "--as", "standard"]


def test_an_installed_library_is_asked(files: list[str]) -> None:
    done = CliRunner().invoke(command, [*files, "--library", "pytrec_eval"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "returns the values of its profile on 2 of 2 queries." in " ".join(done.stdout.split())


def test_a_library_that_is_absent_is_one_line(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fake.toml").write_text(FAKE)
    names = 'LIBRARY, PACKAGES, VARIANTS, MEASURES = "fake", [], {"default": ""}, {"RR": ""}'
    (tmp_path / "fake_adapter.py").write_text(f"{names}\ndef load():\n    raise ImportError('no module named fake')\n")
    monkeypatch.setenv("RANKPROOF_ADAPTERS", str(tmp_path))
    with pytest.raises(NotInstalled, match=r"^--library fake: it is not installed \(.*\): see https://example\.org$"):
        CliRunner().invoke(command, [*files, "--library", "fake"], catch_exceptions=False)
