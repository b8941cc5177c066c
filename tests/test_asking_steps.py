"""Asking, by what each part is for: what is wrong with a reply, who a subject is, what an answer is, what is kept and what is asked."""

import json
import math
import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import Any, Self

import pytest

from rankproof import cases as corpus
from rankproof.asking import (
    known_libraries,
    observations,
    programs,
    replies,
    rounds,
    same_answers,
    selection,
    sheets,
    store,
    subjects,
    worker_processes,
    workers,
)
from rankproof.asking.failures import Interrupted, WorkerFailed, said_on
from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import ABSENT, Answered, Failure, Observation
from rankproof.asking.rounds import AskingOptions, LibraryAnswers
from rankproof.asking.stderr_tail import KEPT, Tail
from rankproof.asking.subjects import Environment, Installation, Subject
from rankproof.asking.workers import Worker
from rankproof.files import CACHE, with_checksum
from rankproof.reference_impl.notation import parse

NAN = math.nan
HELLO = {
    "seq": 1, "protocol": 1, "library": "made", "version": "1", "variants": {"plain": ""}, "measures": {"plain": ["P@{k}"]}, "seconds": 0.5,
}  # fmt: skip
ANSWER = {"per_query": {"q": 1, "r": "nan"}, "mean": None}


# -- what is wrong with a reply -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "flaw"),
    [
        (ANSWER, None),
        ({"per_query": None, "mean": 0.5}, None),
        ({"per_query": {"q": "inf", "r": None}, "mean": "-inf"}, None),
        ({"unsupported": "no such measure"}, None),
        ({"error": {"type": "KeyError", "message": "q"}}, None),
        ([], "an answer is not an object"),
        ({"unsupported": 1}, "the reason of an unsupported measure is no text"),
        ({"error": {"type": "KeyError", "message": 1}}, "an error has not a type and a message"),
        ({"error": {"type": 1, "message": "q"}}, "an error has not a type and a message"),
        ({"error": {"type": "KeyError"}}, "an error has not a type and a message"),
        ({"error": {"type": "KeyError", "message": "q", "line": "1"}}, "an error has not a type and a message"),
        ({"error": "KeyError"}, "an error has not a type and a message"),
        ({"per_query": {}}, "an answer has not per_query and mean alone"),
        ({**ANSWER, "unsupported": ""}, "an answer has not per_query and mean alone"),
        ({"per_query": [1], "mean": None}, "the values by query are no object"),
        ({"per_query": None, "mean": "0.5"}, "'0.5' is no value"),
        ({"per_query": None, "mean": "NaN"}, "'NaN' is no value"),
        ({"per_query": {"q": True}, "mean": 1}, "a bool is no value"),
        ({"per_query": {"q": 1}, "mean": [1]}, "a list is no value"),
        ({"per_query": None, "mean": 10**400}, "a number that no float holds is no value"),
        ({"per_query": None, "mean": NAN}, "a number that no float holds is no value"),
    ],
)
def test_what_is_wrong_with_an_answer(answer: object, flaw: str | None) -> None:
    assert replies.flaw(answer) == flaw


def observed(**more: object) -> dict[str, Any]:
    return {"seq": 1, "answers": {"P@1": ANSWER}, **more}


@pytest.mark.parametrize(
    ("reply", "flaw"),
    [
        (observed(), None),
        (observed(seconds=0), None),
        (observed(seconds=-1), "the seconds of the reply are no number"),
        (observed(seconds="1"), "the seconds of the reply are no number"),
        (observed(more=1), "the reply says more, which the protocol has not"),
        (observed(answers={}), "the reply does not answer the measures asked"),
        (observed(answers=[]), "the reply does not answer the measures asked"),
        (observed(answers={"P@1": ANSWER, "P@2": ANSWER}), "the reply does not answer the measures asked"),
        (observed(answers={"P@1": 1}), "an answer is not an object"),
        ({"seq": 1}, "the reply does not answer the measures asked"),
    ],
)
def test_what_is_wrong_with_a_reply_to_observe(reply: dict[str, Any], flaw: str | None) -> None:
    assert replies.flaw_of_observed(reply, ["P@1"]) == flaw


def test_what_is_wrong_with_a_reply_to_hello() -> None:
    assert replies.flaw_of_hello(HELLO) is None
    absent = {"seq": 1, "protocol": 1, "library": "made", "not_installed": "no module", "variants": {}, "measures": {}}
    assert replies.flaw_of_hello(absent) is None, "it need not have a version"
    assert (
        replies.flaw_of_hello({**HELLO, "measures": {}}) == "its reply to hello names no measures of its variant plain"
    )
    half = {"variants": {"\ud800": "half a \udfff"}, "measures": {"\ud800": ["P@{k}", "\udc00"]}}
    assert replies.flaw_of_hello(HELLO | half) is None, "half a character is text, too"
    assert "version: 1 is not" in str(replies.flaw_of_hello(HELLO | half | {"version": 1}))
    begins = "its reply to hello is not as protocol.schema.json says: "
    assert str(replies.flaw_of_hello({**HELLO, "version": 1})).startswith(f"{begins}version: 1 is not of type")
    assert str(replies.flaw_of_hello({**HELLO, "measures": {"plain": [1]}})).startswith(
        f"{begins}measures: plain: 0: 1 is"
    )
    for protocol, said in (
        (None, "names no version of the protocol"),
        (2, "speaks version 2 of"),
        (True, "version True of"),
    ):
        assert said in str(replies.flaw_of_hello({**HELLO, "protocol": protocol}))
    assert len(str(replies.flaw_of_hello({**HELLO, "protocol": "9" * 999}))) == replies.SHOWN


def test_who_does_not_know_a_request_replies_nothing_but_its_number() -> None:
    assert replies.flaw_of("identify", {"seq": 3}) is None
    assert str(replies.flaw_of("identify", {"seq": 3, "versions": 1})).startswith(
        "its reply to identify is not as protocol.schema.json says: "
    )


@pytest.mark.parametrize(
    ("said", "is_to", "is_late"),
    [(3, True, False), (2, False, True), (1, False, True), (0, False, False), (4, False, False), (True, False, False), ("3", False, False)],
)  # fmt: skip
def test_a_reply_is_to_the_request_of_its_number(said: object, *, is_to: bool, is_late: bool) -> None:
    reply = {"seq": said}
    assert (replies.is_to(reply, 3), replies.is_late(reply, 3)) == (is_to, is_late)
    assert (replies.is_to({}, 3), replies.is_late({}, 3)) == (False, False)


# -- who is asked -------------------------------------------------------------------------------------------------------


def test_a_glob_means_a_library_or_a_variant_of_it() -> None:
    rows = Subject("made", "rows")
    asked = {
        "made": True,
        "m*": True,
        "made/rows": True,
        "m*/r*": True,
        "made/x": False,
        "other": False,
        "other/rows": False,
        "MADE": False,
    }
    assert {glob: rows.is_called(glob) for glob in asked} == asked


def test_a_subject_is_named_as_shortly_as_the_others_let_it_be() -> None:
    alone = Subject("made", "rows", "1")
    assert (alone.name, alone.signed, replace(alone, version="").signed) == ("made", "made-1", "made")
    beside = replace(alone, alone=False)
    assert (beside.name, beside.signed, replace(beside, variant="").name) == ("made/rows", "made/rows-1", "made")
    assert alone == beside, "only the name depends on it"
    second, elsewhere = replace(alone, version="2"), replace(alone, environment=Environment("3.12"))
    assert list(subjects.names_of([alone]).values()) == ["made"]
    assert list(subjects.names_of([alone], signed=True).values()) == ["made-1"]
    assert list(subjects.names_of([alone, second]).values()) == ["made-1", "made-2"]
    here = replace(alone, environment=Environment("3.11"))
    assert list(subjects.names_of([here, elsewhere]).values()) == ["made-1 (Python 3.11)", "made-1 (Python 3.12)"]
    stands = replace(elsewhere, environment=Environment("3.12", (("numpy", "2"),)))
    assert list(subjects.names_of([elsewhere, stands]).values()) == ["made-1 (Python 3.12)", "made-1 (Python 3.12) (2)"]
    assert list(subjects.variants_of([Subject("made", "", "1"), beside]).values()) == [("made", ""), ("made", "rows")]


INSTALLED = Installation(
    "made", "1", "3.11", {"rows": "as rows"}, {"lists": "needs more"}, ("frames",), {"numpy": "2", "dask": "1"}, {"note": "from a hub"},
    {"rows": "ids"},
)  # fmt: skip


def test_an_installation_is_written_and_read_back() -> None:
    written = INSTALLED.as_json()
    assert written == {
        "library": "made", "version": "1", "python": "3.11", "variants": {"rows": "as rows"}, "absent": {"lists": "needs more"},
        "others": ["frames"], "dependencies": {"numpy": "2", "dask": "1"}, "notes": {"note": "from a hub"}, "untold": {"rows": "ids"},
    }  # fmt: skip
    assert all(type(value) in {str, dict, list} for value in written.values())
    assert type(replace(INSTALLED, variants=MappingProxyType({"rows": ""})).as_json()["variants"]) is dict
    assert (
        subjects.installation("made", {key: value for key, value in written.items() if key != "library"}) == INSTALLED
    )
    failed = Installation("made", not_installed="", failed="crash", message="it ended")
    assert failed.as_json() == {"library": "made", "failed": "crash", "message": "it ended"}
    assert (failed.why_not, replace(failed, not_installed="not here").why_not) == ("it ended", "not here")
    for table in ("variants", "absent", "dependencies", "notes", "untold"):
        with pytest.raises(subjects.BadInstallation, match=r"made: variants, absent"):
            subjects.installation("made", {table: [1]})


def test_the_subjects_of_an_installation_are_its_variants() -> None:
    environment = Environment("3.11", (("dask", "1"), ("numpy", "2")))
    rows, lists = (Subject("made", variant, "1", environment, alone=False) for variant in ("rows", "lists"))
    assert INSTALLED.subjects == (rows, lists)
    assert [one.name for one in INSTALLED.subjects] == ["made/rows", "made/lists"]
    assert list(subjects.keys_of([INSTALLED]).values()) == ["made/rows-1", "made/lists-1"]
    only = Installation("made", "1", variants={"rows": ""})
    assert only.subject("rows").alone
    assert not replace(only, others=("lists",)).subject("rows").alone
    assert not replace(only, absent={"lists": ""}).subject("rows").alone
    assert Installation("made", variants={"rows": ""}).subjects == (Subject("made"),), "it was not asked"
    assert INSTALLED.has(rows)
    assert INSTALLED.has(replace(rows, version=""))
    assert not INSTALLED.has(replace(rows, library="other"))
    assert not INSTALLED.has(replace(rows, version="2"))
    assert not INSTALLED.has(replace(rows, environment=Environment("3.12")))


# -- what was answered --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "answer", "why_not", "again"),
    [
        ({"per_query": {"q": 1, "r": None}, "mean": "inf"}, Answered({"q": 1.0}, math.inf), "", None),
        ({"per_query": None, "mean": None}, Answered(None, None), "", None),
        ({"unsupported": "no P"}, None, "no P", None),
        ({"error": {"type": "KeyError", "message": "q"}}, Failure("error", "KeyError: q"), "", None),
        ({"error": {"type": "KeyError", "message": ""}}, Failure("error", "KeyError"), "", None),
        ({"failed": "crash", "message": "it ended"}, Failure("crash", "it ended"), "", None),
        ({"per_query": None, "mean": 1, "again": {"per_query": None, "mean": 2}}, Answered(None, 1.0), "", Answered(None, 2.0)),
        ({"per_query": None, "mean": 1, "again": {"unsupported": "no P"}}, Answered(None, 1.0), "", Failure("error", "unsupported: no P")),
    ],
)  # fmt: skip
def test_an_answer_is_read(raw: Mapping[str, Any], answer: object, why_not: str, again: object) -> None:
    subject = Subject("made", "rows")
    assert observations.read("c", subject, "P@1", raw) == Observation("c", subject, "P@1", answer, why_not, again)  # type: ignore[arg-type]


def test_the_end_of_stderr_is_read_and_not_compared() -> None:
    seen = observations.read("c", Subject("made"), "P@1", {"failed": "crash", "message": "m", "stderr": "last words"})
    assert isinstance(seen.answer, Failure)
    assert (seen.answer.stderr, seen.answer) == ("last words", Failure("crash", "m", "other words"))


@pytest.mark.parametrize(
    ("answer", "queries", "told"),
    [
        (Answered(None, 0.5), ("q",), [(None, 0.5)]),
        (Answered(None, None), ("q",), []),
        (Answered({"q": 0.5}, 0.5), ("q",), [(None, 0.5)]),
        (Answered({"q": 0.5}, 0.25), ("q",), [(None, 0.25), ("q", 0.5)]),
        (Answered({"q": 0.5}, 0.5), ("q", "r"), [(None, 0.5), ("q", 0.5), ("r", ABSENT)]),
        (Answered({"s": 1.0}, None), ("q",), [("q", ABSENT), ("s", 1.0)]),
        (Answered({"q": 1.0}, None), ("q",), [("q", 1.0)]),
        (Answered({}, 1.0), ("q",), [(None, 1.0), ("q", ABSENT)]),
    ],
)
def test_the_readings_of_an_answer(
    answer: Answered, queries: tuple[str, ...], told: list[tuple[str | None, Any]]
) -> None:
    assert list(observations.readings(answer, queries)) == told


def test_numbers_are_shown_as_they_read_back() -> None:
    assert [observations.shown(one) for one in (1, 0.1, ABSENT, 1 / 3)] == ["1.0", "0.1", ABSENT, "0.3333333333333333"]
    assert observations.identical(NAN, NAN)
    assert not observations.identical(NAN, 0.0)
    assert not observations.identical(0.0, NAN)


SAME = [
    (1 + 5e-13, 1.0, "float64"), (1 + 1e-7, 1.0, "float32"), (1e-15, 0.0, "float64"), (1e-16, 0.0, "float64"),
    (0.12345, 0.1234, "4 decimals"),
    (math.inf, math.inf, "float64"), (NAN, NAN, "float64"), (ABSENT, ABSENT, "float64"),
]  # fmt: skip
OTHERS = [
    (1 + 1e-11, 1.0, "float64"), (1 + 1e-5, 1.0, "float32"), (1e-14, 0.0, "float64"), (0.12346, 0.1234, "4 decimals"),
    (math.inf, 1.0, "4 decimals"), (math.inf, -math.inf, "float32"), (NAN, 0.0, "float64"),
    (1.0, math.inf, "float64"), (ABSENT, 0.0, "4 decimals"), (1.0, ABSENT, "4 decimals"),
]  # fmt: skip


def test_numbers_are_the_same_as_precisely_as_a_library_answers() -> None:
    assert [one for one in SAME if not same_answers.same(*one)] == []
    assert [one for one in OTHERS if same_answers.same(*one)] == []


def test_two_answers_are_one_where_all_of_their_numbers_are() -> None:
    one = Answered({"q": 1.0, "r": NAN}, NAN)
    identical = same_answers.answers_identical
    assert identical(one, Answered({"r": NAN, "q": 1.0}, NAN))
    others = [
        Answered({"q": 1.0}, NAN), Answered({"q": 1.0, "r": 1.0}, NAN), Answered({"q": 1.0, "r": NAN}, 1.0), Answered(None, NAN),
        Answered({"q": 1.0, "r": NAN, "s": 1.0}, NAN), Failure("error", ""),
    ]  # fmt: skip
    assert not any(identical(one, other) or identical(other, one) for other in others)
    assert identical(Failure("crash", "a"), Failure("crash", "b"))
    assert not identical(Failure("crash", "a"), Failure("error", "a"))
    assert same_answers.alike(1.0, 1.00001, ("float64", "4 decimals"))
    assert not same_answers.alike(1.0, 1.00001)
    assert same_answers.alike(None, None)
    assert not same_answers.alike(1.0, None)


# -- what is asked ------------------------------------------------------------------------------------------------------

CASES = [corpus.load(corpus.HERE / f"ties/{name}.toml") for name in ("straddles-cutoff", "none-tied")]


def library(**more: Any) -> Library:
    return Library("made", Path("made_adapter.py"), known_libraries.claiming_nothing("made", Path("made.toml")), **more)


def test_a_library_that_was_named_must_have_one_of_the_variants_that_are_wanted() -> None:
    said = {"version": "1", "variants": {"rows": ""}, "absent": {"lists": ""}}
    assert selection.in_wanted_variants(library(only=("r*",)), said)["variants"] == {"rows": ""}
    assert selection.in_wanted_variants(library(only=("l*",)), said)["absent"] == {"lists": ""}
    assert selection.in_wanted_variants(library(only=("x",), must=False), said)["variants"] == {}
    assert selection.in_wanted_variants(library(only=("x",)), {"not_installed": "no"})["variants"] == {}
    with pytest.raises(
        known_libraries.UnknownLibrary, match=r"^made has no variant x or y; known are made/rows, made/lists$"
    ):
        selection.in_wanted_variants(library(only=("x", "y")), said)


def test_a_glob_of_variants_asks_these_alone_and_one_of_the_library_all() -> None:
    made, other = library(), replace(library(), name="other")
    among = [made, other]
    assert known_libraries.chosen((), among) == among
    assert known_libraries.chosen(("made",), among) == [made]
    assert known_libraries.chosen(("made/r*", "made/l"), among) == [replace(made, only=("r*", "l"), must=True)]
    assert known_libraries.chosen(("*/rows",), among) == [replace(one, only=("rows",), must=False) for one in among]
    assert known_libraries.chosen(("made/rows", "m*"), among) == [made]
    with pytest.raises(known_libraries.UnknownLibrary, match=r"^mad is no library"):
        known_libraries.chosen(("mad",), among)
    broken = replace(made, fault="it does not read")
    assert known_libraries.usable([broken, other]) == [other]
    assert known_libraries.faults([broken, other]) == ["made is left out: it does not read"]


# -- what is kept -------------------------------------------------------------------------------------------------------


def test_a_digest_is_of_the_content_wherever_it_lies(tmp_path: Path) -> None:
    assert store.digest({"b": 1, "a": Path("x")}) == store.digest({"a": "x", "b": 1}), "what is no JSON is its text"
    assert store.digest(1, 2) != store.digest(12)
    assert len(store.digest()) == 24
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        for name in ("one", "two"):
            (tmp_path / folder / name).write_text(name)
    of = {folder: store.digest_of_files([tmp_path / folder / name for name in names]) for folder, names in
          {"a": ("one", "two"), "b": ("two", "one")}.items()}  # fmt: skip
    assert of["a"] == of["b"]
    (tmp_path / "b" / "two").rename(tmp_path / "b" / "three")
    assert store.digest_of_files([tmp_path / "b" / "one", tmp_path / "b" / "three"]) != of["a"]
    key = store.key_of("adapter", ["node"], {"seq": 1, "versions": {}})
    assert key == store.key_of("adapter", ["node"], {"seq": 2, "versions": {}})
    assert (
        len({key, store.key_of("other", ["node"], {"versions": {}}), store.key_of("adapter", [], {"versions": {}})})
        == 3
    )


def test_what_is_kept_is_opened_and_what_is_odd_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE, str(tmp_path))
    said: list[str] = []
    path, answers = tmp_path / "made-key.json", {store.digest({}): {"rows": {"P@1": ANSWER}}}
    assert store.open_for("made", "key", said.append) == store.Kept(path)
    kept = store.Kept(path, HELLO, answers, changed=True)
    kept.save(said.append)
    assert not kept.changed
    assert store.open_for("made", "key", said.append) == store.Kept(path, HELLO, answers)
    assert store.open_for("made", "key", said.append, fresh=True) == store.Kept(path)
    assert said == []
    path.write_text(with_checksum({"hello": [], "answers": {}}))
    assert store.open_for("made", "key", said.append) == store.Kept(path)
    assert said.pop() == f"what was kept of made is not used, and asked for again: {path}: its hello is none"
    path.unlink()
    path.mkdir()
    assert store.open_for("made", "key", said.append) == store.Kept(path)
    assert said.pop().endswith(f"{path}: Is a directory")
    unchanged = store.Kept(tmp_path / "none" / "a.json")
    unchanged.save(said.append)
    assert not (tmp_path / "none").exists()


# -- sheets -------------------------------------------------------------------------------------------------------------

SHEET = """library = "made"
title = "made"
homepage = "https://example.org/"
issues = "https://example.org/"
speaks_of = "1"
precision = "float64"

[profiles.rows]
"*" = "standard ties=input"
"""


MORE = """
[precisions.rows]
RR = "4 decimals"
[versions."2.*"]
known = "told  by\\nits notes"
[versions."2.*".profiles.rows]
"*" = "ties=best"
[[known]]
reason = "it is so,  by chance"
link = "https://example.org/1"
observed = '''c rows P@1 mean 1.0
c rows P@1 q KeyError: …x'''
"""


def test_a_sheet_claims_by_variant_and_measure_and_pins_what_no_profile_explains() -> None:
    text = SHEET.replace('"*"', '"+" = "gain=exp"\n"AP" = "standard"\n"*"') + MORE
    sheet = sheets.read(Path("made.toml"), text)
    assert [sheet.profile_of("rows", parse(m)).spec() for m in ("P@1", "AP")] == ["gain=exp ties=input", "gain=exp"]
    assert sheet.profile_of("lists", parse("P@1")).spec() == ""
    assert [sheet.precision_of("rows", parse(m)) for m in ("RR", "P@1")] == ["4 decimals", "float64"]
    assert sheet.precision_of("lists", parse("RR")) == "float64"
    assert sheet.known_of("2.1") is not None
    assert (sheet.known_of("3"), sheet.of_version("3"), sheet.of_version("1")) == (None, sheet, sheet)
    assert sheet.of_version("2.0").profile_of("rows", parse("AP")).spec() == "ties=best"
    assert [one.known for one in sheet.versions] == ["told by its notes"]
    mean, query = (sheets.ObservationPlace("c", "rows", "P@1", one) for one in (None, "q"))
    assert (str(mean), str(query)) == ("c rows P@1 mean", "c rows P@1 q")
    assert list(sheet.pins) == [mean, query]
    assert sheet.pins[mean].known == sheets.Known("it is so, by chance", "https://example.org/1")
    assert sheet.pins[query].fits("KeyError: anything\nx")
    assert not sheet.pins[query].fits("KeyError: anything\nxy")
    assert not sheet.pins[mean].fits("1x0")
    assert [sheets.line_of("a b\nb c", words) for words in ("b", "c", "d", "")] == [1, 2, 1, 1]


def test_the_files_of_an_adapter_are_those_that_its_command_and_its_sheet_name(tmp_path: Path) -> None:
    sheet = known_libraries.claiming_nothing("made", tmp_path / "made.toml")
    (tmp_path / "a.js").touch()
    for command, files in (("{here}/a.js", ()), ("a.js", ("a.js",))):
        named = replace(sheet, command=("node", command), files=files)
        assert known_libraries.adapter_of(named, tmp_path / "made_adapter.py") == tmp_path / "a.js"
    both = replace(sheet, command=("java", "-cp", "{here}/b:{here}/c", "{python}"), files=("a.js",))
    assert known_libraries.files_of(both) == tuple(tmp_path / name for name in ("b", "c", "a.js"))


# -- failures, and what is said on stderr ---------------------------------------------------------------------------------


def test_a_failure_is_the_same_where_its_kind_is_and_a_crash_where_its_end_is() -> None:
    crash = WorkerFailed("crash", "by SIGSEGV", "last words")
    assert crash.is_as(WorkerFailed("crash", "by SIGSEGV"))
    assert not crash.is_as(WorkerFailed("crash", "by SIGABRT"))
    assert not crash.is_as(WorkerFailed("error", "by SIGSEGV"))
    assert WorkerFailed("timeout", "5 s").is_as(WorkerFailed("timeout", "6 s"))
    assert (crash.whole(), WorkerFailed("crash", "m").whole()) == ("by SIGSEGV; its stderr ends: last words", "m")
    assert (said_on(""), said_on("a")) == ("", "its stderr ends: a")
    assert (crash.from_outside, crash.stderr, WorkerFailed("crash", "m").stderr) == (False, "last words", "")


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (b"", ""),
        (b"a\nb\n", "a | b"),
        (b"\n".join(f" line {i} ".encode() for i in range(12)), " | ".join(f"line {i}" for i in range(2, 12))),
        (b"KeyError: 'a'\n  f(x)\n  ^^^~~\n", "KeyError: 'a' | f(x)"),
        (b"x" * KEPT + b"\n" + b"y" * (KEPT - 11), "y" * (KEPT - 11)),  # the first line was cut
        (b"z" * (KEPT + 7), "z" * KEPT),  # there is no other
    ],
)
def test_the_last_lines_of_stderr_are_one_line(written: bytes, told: str) -> None:
    tail = Tail()
    reader, writer = os.pipe()
    tail.read(os.fdopen(reader, "rb", buffering=0))
    with os.fdopen(writer, "wb") as pipe:
        pipe.write(written)
    assert tail.text() == told
    tail.forget()
    assert tail.text() == ""


# -- workers ------------------------------------------------------------------------------------------------------------


class Process:
    """In the place of a worker's process: it says hello as it is told to, and then, request by request, what else it is told to."""

    def __init__(self, turns: list[Any], asked: list[dict[str, Any]], hello: dict[str, Any]) -> None:
        self.turns, self.asked, self.greeting = turns, asked, hello

    def exchange(self, line: bytes, *_: object) -> bytes:
        """A reply to a request, with its number; or what breaks it."""
        request = json.loads(line)
        turn = self.greeting
        if request["op"] != "hello" or not self.greeting:
            self.asked.append(request)
            turn = self.turns.pop(0)
        if isinstance(turn, Exception):
            raise turn
        return (
            turn
            if isinstance(turn, bytes)
            else json.dumps({**turn, "seq": request["seq"] + turn.get("seq", 0)}).encode()
        )

    def said_more(self) -> bool:
        """Whether it said what nobody asked for, once."""
        more = self.turns[:1] == ["more"]
        del self.turns[:more]
        return more

    def is_gone(self) -> bool:
        """Whether it ended by itself."""
        return False

    def failed(self, kind: str, message: str) -> WorkerFailed:
        """How it failed."""
        return WorkerFailed(kind, message)

    def end(self) -> None:
        """It is ended."""


class Scripted(Worker):
    """A worker whose processes say what they are told to; what they are asked is kept, but for their hellos."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *turns: Any, hello: Mapping[str, Any] = HELLO) -> None:
        super().__init__(Path("made_adapter.py"))
        self.turns, self.asked = list(turns), list[dict[str, Any]]()
        said = {key: value for key, value in hello.items() if key != "seq"}
        monkeypatch.setattr(workers, "started", lambda *_: Process(self.turns, self.asked, said))


def answering(mean: float, **more: object) -> dict[str, Any]:
    return {"answers": {"P@1": {"per_query": None, "mean": mean}}, **more}


HALF, ONE = ({"per_query": None, "mean": mean} for mean in (0.5, 1))
CRASH = WorkerFailed("crash", "by SIGSEGV")


@pytest.mark.parametrize(
    ("turns", "once", "answer"),
    [
        ([answering(0.5), answering(0.5)], False, HALF),
        ([answering(0.5)], True, HALF),
        ([answering(0.5), answering(1)], False, {**HALF, "again": ONE}),
        ([CRASH, CRASH], False, {"failed": "crash", "message": "by SIGSEGV"}),
        ([CRASH, answering(0.5)], False, {"failed": "crash", "message": "by SIGSEGV", "again": HALF}),
    ],
)  # fmt: skip
def test_each_measure_is_asked_twice_and_a_failure_is_believed_when_it_was_seen_twice(
    turns: list[Any], *, once: bool, answer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Scripted(monkeypatch, *turns)
    assert worker.observe("plain", {}, ["P@1"], once=once) == {"P@1": answer}
    assert worker.turns == []
    assert worker.asked[0].items() >= {"op": "observe", "variant": "plain", "input": {}, "measures": ["P@1"]}.items()


def test_seconds_are_the_librarys_own_or_else_by_our_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankproof.asking.workers.seconds_since", lambda _began: 7)
    own = Scripted(monkeypatch, answering(0.5, seconds=2), answering(0.5))
    assert own.hello()["seconds"] == own.spent == 0.5
    own.observe("plain", {}, ["P@1"])
    assert own.spent == 0.5 + 2 + 7


def test_what_it_does_not_have_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Scripted(monkeypatch)
    assert worker.observe("plain", {}, ["AP"]) == {"AP": {"unsupported": "made has no AP"}}
    assert worker.observe("other", {}, ["P@1"]) == {"P@1": {"unsupported": "made has no P@1"}}
    assert worker.asked == []


def failed(kind: str, message: str, *, from_outside: bool = False) -> WorkerFailed:
    return WorkerFailed(kind, message, from_outside=from_outside)


KILLED = failed("crash", "by SIGKILL", from_outside=True)


@pytest.mark.parametrize(
    ("failures", "believed"),
    [
        ([CRASH], False),
        ([CRASH, CRASH], True),
        ([CRASH, failed("timeout", "5 s")], True),
        ([CRASH, KILLED], False),
        ([KILLED, KILLED], False),
        ([KILLED, KILLED, KILLED], True),
        ([CRASH, KILLED, KILLED], False),
        ([CRASH, KILLED, CRASH], True),
        ([], False),
    ],
)
def test_a_failure_is_believed_the_second_time_and_an_end_from_outside_the_third(
    failures: list[WorkerFailed], *, believed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Scripted(monkeypatch, *failures, answering(0.5))
    answer = worker.observe("plain", {}, ["P@1"], once=True)["P@1"]
    assert (worker.turns != []) is believed, "what is not believed is asked again"
    assert (answer.get("again") != HALF and answer != HALF) is believed


CRASHED, LATE = {"failed": "crash", "message": "by SIGSEGV"}, {"failed": "timeout", "message": "5 s"}


@pytest.mark.parametrize(
    ("failures", "answer"),
    [
        ([CRASH, CRASH], CRASHED),
        ([CRASH, failed("timeout", "5 s")], {**CRASHED, "again": LATE}),
        ([CRASH, KILLED, failed("timeout", "5 s")], {**CRASHED, "again": LATE}),
        ([KILLED, KILLED, KILLED], {"failed": "crash", "message": "by SIGKILL", "from_outside": True}),
        ([WorkerFailed("crash", "m", "words")] * 2, {"failed": "crash", "message": "m", "stderr": "words"}),
    ],
)
def test_a_failure_is_told_with_the_other_one_that_came_the_second_time(
    failures: list[WorkerFailed], answer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Scripted(monkeypatch, *failures).observe("plain", {}, ["P@1"], once=True) == {"P@1": answer}


def test_what_is_told_of_a_hello_is_without_its_number_and_its_seconds() -> None:
    assert workers.as_said(HELLO) == {key: HELLO[key] for key in HELLO if key not in {"seq", "seconds"}}


TWO = {**HELLO, "measures": {"plain": ["P@{k}", "AP"]}}
BOTH = {"answers": {"P@1": HALF, "AP": ONE}}


def of(measure: str, answer: dict[str, Any]) -> dict[str, Any]:
    return {"answers": {measure: answer}}


@pytest.mark.parametrize(
    ("turns", "found"),
    [
        ([BOTH], {"P@1": HALF, "AP": ONE}),
        ([CRASH, of("P@1", HALF), CRASH, CRASH], {"P@1": HALF, "AP": {"failed": "crash", "message": "by SIGSEGV"}}),
        (
            [CRASH, of("P@1", HALF), of("AP", ONE)],  # whichever it was
            {"P@1": {"failed": "crash", "message": "by SIGSEGV", "again": HALF},
             "AP": {"failed": "crash", "message": "by SIGSEGV", "again": ONE}},
        ),
        (
            [CRASH, of("P@1", {"unsupported": "no"}), of("AP", ONE)],
            {"P@1": {"unsupported": "no"}, "AP": {"failed": "crash", "message": "by SIGSEGV", "again": ONE}},
        ),
        ([failed("timeout", "5 s"), of("P@1", HALF), of("AP", ONE)], {"P@1": HALF, "AP": ONE}),
        ([failed("memory", "9 GB"), of("P@1", HALF), of("AP", ONE)], {"P@1": HALF, "AP": ONE}),
        ([KILLED, BOTH], {"P@1": HALF, "AP": ONE}),
        ([KILLED, KILLED, KILLED, of("P@1", HALF), of("AP", ONE)], {"P@1": HALF, "AP": ONE}),
    ],
)  # fmt: skip
def test_measures_are_asked_one_by_one_after_a_failure_of_all_of_them(
    turns: list[Any], found: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Scripted(monkeypatch, *turns, hello=TWO)
    assert worker.observe("plain", {}, ["P@1", "AP"], once=True) == found
    assert worker.turns == []


def test_what_is_unsupported_or_failed_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Scripted(monkeypatch, {"answers": {"P@1": HALF, "AP": {"unsupported": "no"}}}, of("P@1", HALF), hello=TWO)
    worker.observe("plain", {}, ["P@1", "AP"])
    assert [request["measures"] for request in worker.asked] == [["P@1", "AP"], ["P@1"]]


def test_a_library_that_was_there_when_it_was_asked_first_has_crashed(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = {"protocol": 1, "library": "made", "not_installed": "no module", "variants": {}, "measures": {}}
    found = Scripted(monkeypatch, hello=gone).observe("plain", {}, ["P@1"])
    assert found == {"P@1": {"failed": "crash", "message": "no module"}}


def test_who_does_not_know_identify_is_asked_for_its_hello(monkeypatch: pytest.MonkeyPatch) -> None:
    identity = {"library": "made", "versions": {"made": "1"}, "python": "3.11"}
    assert Scripted(monkeypatch, identity).identify()["versions"] == {"made": "1"}
    without = Scripted(monkeypatch, {})
    assert without.identify() == workers.as_said(HELLO)
    assert [request["op"] for request in without.asked] == ["identify"]
    with pytest.raises(WorkerFailed, match="by SIGSEGV"):
        Scripted(monkeypatch, CRASH, CRASH).identify()


def test_a_worker_is_started_by_the_command_of_the_sheet_or_by_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[list[str], int, dict[str, str]]] = []
    here = Process([], [], {key: value for key, value in HELLO.items() if key != "seq"})
    monkeypatch.setattr(workers, "started", lambda *arguments: started.append(arguments) or here)
    sheet = known_libraries.claiming_nothing("made", tmp_path / "made.toml", ("{here}/run", "{python}", "{here}/a.js"))
    (tmp_path / "run").touch()
    made = Library("made", tmp_path / "a.js", sheet)
    by_command = workers.worker_of(made, "python9", 7, memory=5, environment={"A": "b"})
    assert by_command.hello()["library"] == "made"
    folder = tmp_path.resolve()
    assert started[0][:2] == ([f"{folder}/run", "python9", f"{folder}/a.js"], 5)
    assert started[0][2].keys() == {"A", "RANKPROOF_PROGRAMS"}
    assert (by_command.timeout, by_command.stop, by_command.restarts) == (7, None, 0)
    workers.worker_of(library(), "python9").hello()
    assert started[1][:2] == (["python9", "-I", str(workers.WORKER), "made_adapter.py"], workers.MEMORY)


def test_a_library_whose_program_is_not_here_is_not_installed() -> None:
    sheet = known_libraries.claiming_nothing("made", Path("made.toml"), ("no-such-program", "{here}/a"))
    missing = workers.worker_of(Library("made", Path("a"), sheet))
    why = "its adapter is run by no-such-program, which is not here: install it, or put it on the PATH"
    assert missing.hello() == {"not_installed": why, "variants": {}, "measures": {}} == missing.identify()


def test_an_adapter_is_all_files_that_its_sheet_names(tmp_path: Path) -> None:
    for name in ("a.js", "more/b.js", "more/c/d.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    sheet = known_libraries.claiming_nothing("made", tmp_path / "made.toml", ("node", "{here}/a.js"))
    made = Library("made", tmp_path / "a.js", replace(sheet, files=("more",)))
    assert workers.adapter_files(made) == [tmp_path / name for name in ("a.js", "more/b.js", "more/c/d.js")]
    assert workers.adapter_of(made) == store.digest_of_files(workers.adapter_files(made))
    assert workers.adapter_files(library()) == [Path("made_adapter.py"), workers.WORKER]


@pytest.mark.parametrize(
    ("turns", "answer"),
    [
        ([answering(0.5, seq=-1), answering(0.5)], HALF),  # a late reply, and a fresh process
        ([answering(0.5, seq=-1)] * 4, "the reply is not to this request"),
        ([answering(0.5, seq=1)] * 2, "the reply is not to this request"),
        ([{"answers": {}}] * 2, "the reply does not answer the measures asked"),
        ([b"nonsense"] * 2, "the reply is no JSON: 'nonsense'"),
        ([answering(0.5), "more", answering(0.5), "more"], "it said more than it was asked"),
    ],
)
def test_what_is_no_reply_to_the_request_is_believed_twice(
    turns: list[Any], answer: dict[str, Any] | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Scripted(monkeypatch, *turns).observe("plain", {}, ["P@1"], once=True)["P@1"]
    assert found == ({"failed": "invalid-output", "message": answer} if isinstance(answer, str) else answer)


def test_a_system_that_has_no_more_processes_is_a_crash_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(worker_processes.subprocess, "Popen", none)
    with pytest.raises(WorkerFailed, match=r"^no process can be started: Resource") as failure:
        worker_processes.started(["node"], 0, {})
    assert failure.value.kind == "crash"


# -- rounds -------------------------------------------------------------------------------------------------------------


class Told:
    """In the place of a worker: it has one variant, and says one half to all."""

    spent, restarts = 1.5, 2

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def identify(self) -> dict[str, Any]:
        """What its answers depend on."""
        return {"versions": {"made": "1"}}

    def hello(self) -> dict[str, Any]:
        """What it is."""
        return HELLO

    def observe(
        self, variant: str, _data: object, measures: list[str], *, once: bool, **_how: object
    ) -> dict[str, Any]:
        """Its answers, until it is interrupted."""
        if self.ends and self.asked:
            raise Interrupted
        self.asked.append((variant, tuple(measures), once))
        return dict.fromkeys(measures, HALF)

    def __init__(self, *, ends: bool = False) -> None:
        self.asked: list[tuple[str, tuple[str, ...], bool]] = []
        self.ends = ends


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    worker = Told()
    monkeypatch.setenv(CACHE, str(tmp_path))
    monkeypatch.setattr(rounds, "worker_of", lambda *_args, **_more: worker)
    monkeypatch.setattr(rounds, "adapter_of", lambda _library: "digest")
    return worker


def test_all_cases_are_asked_in_each_variant_and_only_once_if_the_store_has_them(told: Told) -> None:
    progress: list[tuple[str, int]] = []
    asking = AskingOptions(progress=lambda name, count: progress.append((name, count)), once=True)
    found = rounds.ask(library(), CASES, asking)
    assert told.asked == [("plain", case.measures, True) for case in CASES]
    assert progress == [("made", 1), ("made", 1), ("made", 0)]
    subject = found.subject("plain")
    assert found.observations == tuple(
        Observation(case.id, subject, measure, Answered(None, 0.5)) for case in CASES for measure in case.measures
    )
    assert (found.version, found.adapter, found.library_seconds, found.restarts, found.reused) == (
        "1",
        "digest",
        1.5,
        2,
        0,
    )
    again = rounds.ask(library(), CASES, asking)
    assert len(told.asked) == len(CASES), "nothing is asked again"
    assert (again.observations, again.reused) == (found.observations, len(found.observations))
    rounds.ask(library(), CASES, replace(asking, fresh=True))
    assert len(told.asked) == 2 * len(CASES)
    rounds.ask(library(), CASES[:1], replace(asking, once=False))
    assert told.asked[-1] == ("plain", CASES[0].measures, False), "what was asked once is no proof that it stays so"


def test_what_was_got_before_an_interruption_is_kept(told: Told) -> None:
    told.ends = True
    found = rounds.ask(library(), CASES)
    assert {seen.case for seen in found.observations} == {CASES[0].id}
    told.ends, told.asked = False, []
    rounds.ask(library(), CASES)
    assert [measures for _, measures, _ in told.asked] == [CASES[1].measures]


def test_what_befalls_one_library_is_told_of_it_alone(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(error: Exception) -> dict[str, Any]:
        def observe(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(told, "observe", observe)
        return dict(rounds.ask(library(), CASES).hello)

    assert fails(WorkerFailed("crash", "m", "words")) == {"failed": "crash", "message": "m; its stderr ends: words"}
    assert fails(KeyError("x")) == {"failed": "error", "message": "rankproof could not ask it: KeyError: 'x'"}
    broken = rounds.ask(library(fault="it does not read"), CASES)
    assert (dict(broken.hello), broken.observations) == ({"failed": "error", "message": "it does not read"}, ())
    monkeypatch.setattr(told, "identify", lambda: (_ for _ in ()).throw(Interrupted()))
    assert dict(rounds.ask(library(), CASES).hello) == {"failed": "error", "message": "it was interrupted"}


def test_after_a_library_that_has_none_of_the_variants_that_are_wanted_nobody_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def ask(one: Library, *_: object) -> None:
        asked.append(one.name)
        raise known_libraries.UnknownLibrary(one.name)

    monkeypatch.setattr(rounds, "ask", ask)
    several = [replace(library(), name=name) for name in "abcdefgh"]
    with pytest.raises(known_libraries.UnknownLibrary, match="a"):
        rounds.ask_all(CASES, several, AskingOptions(at_once=1))
    assert len(asked) < 4, "the second may have begun"


# -- programs -----------------------------------------------------------------------------------------------------------

BUILD = sheets.Build("Linux", "x86_64", "1", "made==1", "0" * 64, ("inner.zip", "bin/made"), "1" * 64)
PROGRAM = sheets.Program("build it by make", (BUILD, replace(BUILD, system="Darwin")))


def test_a_build_is_chosen_for_the_machine_or_how_to_have_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    here = {"system": "Darwin", "machine": "x86_64"}
    monkeypatch.setattr(programs, "platform", SimpleNamespace(**{name: (lambda n=name: here[n]) for name in here}))
    assert programs.build_for_this_machine("made", PROGRAM) is PROGRAM.builds[1]
    here["machine"] = "arm64"
    with pytest.raises(programs.NotInstallable) as no:
        programs.build_for_this_machine("made", PROGRAM)
    assert (
        str(no.value)
        == "made can be fetched for Linux x86_64, Darwin x86_64, and this is Darwin arm64; build it by make"
    )


@pytest.mark.parametrize(
    ("stderr", "told"),
    [
        ("a\nERROR: no such\nb\nERROR: no match\nc\n", "ERROR: no such ERROR: no match"),
        ("first\nlast\n", "last"),
        ("", "it does not say why"),
    ],
)
def test_what_pip_says_last_is_told(stderr: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> SimpleNamespace:
        commands.append(command)
        return SimpleNamespace(returncode=1, stderr=stderr)

    monkeypatch.setattr(programs.subprocess, "run", run)
    # Whoever has imported distutils, as setuptools does, is not warned that it is taken from him: pip is looked for, and not imported.
    monkeypatch.setitem(sys.modules, "distutils", ModuleType("distutils"))
    with pytest.raises(programs.NotInstallable) as no:
        programs.fetched(BUILD, tmp_path)
    assert str(no.value) == f"pip cannot fetch made==1: {told}"
    assert (tmp_path / "wanted.txt").read_text() == f"made==1 --hash=sha256:{'0' * 64}\n"
    assert commands[0][-9:] == [
        "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--requirement",
        str(tmp_path / "wanted.txt"), "--dest", str(tmp_path),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("takes", "turns"),
    [([], []), ([0], [0]), ([1, 2], [1, 0]), ([5, 80, 3, 100, 12], [3, 2, 1, 4, 0]), ([0, 0, 0], [0, 2, 1])],
)
def test_who_takes_longest_is_asked_first_and_beside_it_who_is_done_first(takes: list[float], turns: list[int]) -> None:
    one = library()
    assert rounds._turns([replace(one, sheet=replace(one.sheet, takes=seconds)) for seconds in takes]) == turns


@pytest.mark.usefixtures("told")
def test_what_each_answered_is_given_as_soon_as_it_is_there_and_in_the_order_of_the_question() -> None:
    one = library()
    three = [
        replace(one, name=name, sheet=replace(one.sheet, takes=takes)) for name, takes in (("a", 1), ("b", 9), ("c", 4))
    ]
    given: list[str] = []
    asked = rounds.ask_all(CASES, three, AskingOptions(at_once=1), done=lambda found: given.append(found.library.name))
    assert [found.library.name for found in asked] == ["a", "b", "c"]
    assert sorted(given) == ["a", "b", "c"]


def test_who_is_still_asked_is_told_to_stop_where_whoever_waits_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[bool] = []

    def ask(one: Library, _cases: object, _asking: object, stop: threading.Event) -> LibraryAnswers:
        if one.name != "a":
            told.append(stop.wait(10))
        return LibraryAnswers(one, {}, ())

    def interrupted(_found: LibraryAnswers) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(rounds, "ask", ask)
    three = [replace(library(), name=name) for name in "abc"]
    with pytest.raises(KeyboardInterrupt):
        rounds.ask_all(CASES, three, AskingOptions(at_once=3), done=interrupted)
    assert told == [True, True]
