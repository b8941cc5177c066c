"""Drift is told by what is behind it: what moved, is lost, fixed, new, gone; and files that cannot be compared are refused."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import published_run
import pytest
from click.testing import CliRunner, Result

from rankproof import cases as corpus
from rankproof.asking.same_answers import alike
from rankproof.asking.subjects import Environment, Subject
from rankproof.commands.diff import command
from rankproof.drift.answer_changes import ChangeKind, Drift, NothingCompared, compared, is_of
from rankproof.drift.change_groups import grouped
from rankproof.judging.results_file import FOLDER, BadResults, RunResults, Truncated, load
from rankproof.judging.verdicts import Row, Verdict
from rankproof.matching.comparing import reading_of
from rankproof.matching.reference_answers import Oracle
from rankproof.meaning.measure_forms import any_cutoff
from rankproof.reference_impl.notation import parse
from rankproof.telling.diff_text import LONGEST, MARK, as_json, as_markdown, as_text

LIB = Subject("lib", "v", "1", alone=False)
STANDARD = Row("gain/a", LIB, "nDCG@5", None, Verdict.AGREES, 0.5, expected=0.5)
EXP = replace(STANDARD, verdict=Verdict.CONVENTION, value=0.25, conventions=("gain=exp",))
FAILING = replace(STANDARD, verdict=Verdict.UNEXPLAINED, value=0.125)
ERROR = replace(STANDARD, verdict=Verdict.ERROR, value=None, error="ValueError: no")
REFUSED = replace(ERROR, verdict=Verdict.CONVENTION, conventions=("single=rejected",))
OTHER = replace(STANDARD, subject=replace(LIB, library="other", variant="w"))


def results(*rows: Row, version: str = "1", libraries: tuple[str, ...] = ("lib", "other")) -> RunResults:
    asked = [{"library": name, "version": version, "variants": {"v": "", "w": ""}} for name in libraries]
    return RunResults({"kind": "header", "asked": asked}, rows, {})


def drift(old: tuple[Row, ...] | Row, new: tuple[Row, ...] | Row, **versions: str) -> Drift:
    before, after = ((rows,) if isinstance(rows, Row) else rows for rows in (old, new))
    return compared(results(*before), results(*after, **versions))


def kinds(found: Drift) -> list[ChangeKind]:
    return [change.kind for change in found.changes]


@pytest.mark.parametrize(
    ("old", "new", "kind", "moved"),
    [
        (STANDARD, STANDARD, None, False),
        (STANDARD, replace(STANDARD, value=0.5 * (1 + 1e-13)), None, False),
        (STANDARD, replace(STANDARD, value=0.5 * (1 + 1e-11)), ChangeKind.MOVED, True),
        (STANDARD, EXP, ChangeKind.MOVED, True),
        (STANDARD, replace(STANDARD, verdict=Verdict.KNOWN), ChangeKind.MOVED, True),
        (STANDARD, FAILING, ChangeKind.FAILING, True),
        (STANDARD, ERROR, ChangeKind.FAILING, True),
        (FAILING, STANDARD, ChangeKind.FIXED, False),
        (ERROR, replace(FAILING, verdict=Verdict.KNOWN), ChangeKind.FIXED, False),
        (FAILING, replace(FAILING, value=0.75), ChangeKind.MOVED, True),
        (ERROR, replace(ERROR, error="ValueError: yes"), ChangeKind.MOVED, True),
        (REFUSED, replace(REFUSED, error="ValueError: yes"), ChangeKind.WORDED, False),
        (REFUSED, replace(REFUSED, error="TypeError: no"), ChangeKind.MOVED, True),
        (replace(ERROR, error="no file /home/a/b:3"), replace(ERROR, error="no file /tmp/x1/b:7"), None, False),
        (EXP, replace(EXP, conventions=("gain=binary",)), ChangeKind.CLAIMED, False),
        (STANDARD, replace(STANDARD, note="told otherwise", expected=0.7), None, False),
        (replace(STANDARD, value=float("nan")), replace(STANDARD, value=float("nan")), None, False),
        (STANDARD, replace(STANDARD, value="absent"), ChangeKind.MOVED, True),
        (STANDARD, replace(STANDARD, verdict=Verdict.UNSUPPORTED, value=None), ChangeKind.MOVED, True),
        (replace(STANDARD, verdict=Verdict.UNSUPPORTED, value=None), FAILING, ChangeKind.FAILING, True),
        (replace(STANDARD, verdict=Verdict.UNDEFINED), ERROR, ChangeKind.FAILING, True),
    ],
)
def test_what_became_of_an_answer(old: Row, new: Row, kind: ChangeKind | None, moved: bool) -> None:  # noqa: FBT001
    found = drift(old, new)
    assert kinds(found) == ([] if kind is None else [kind])
    assert found.moved is moved


def test_an_answer_is_new_where_old_did_not_ask_and_gone_where_new_does_not() -> None:
    found = drift(STANDARD, replace(STANDARD, case="gain/b"))
    assert {(change.kind, change.row.case) for change in found.changes} == {
        (ChangeKind.GONE, "gain/a"),
        (ChangeKind.NEW, "gain/b"),
    }
    assert not found.moved
    assert kinds(drift(OTHER, (OTHER, replace(FAILING, case="gain/b")))) == [ChangeKind.FAILING], "new, and it fails"
    unsupported = replace(STANDARD, verdict=Verdict.UNSUPPORTED, value=None)
    assert kinds(drift(OTHER, (OTHER, unsupported))) == [], "what is unsupported is no answer"


def test_an_answer_is_lost_where_new_asked_the_library_and_got_none() -> None:
    found = drift((STANDARD, OTHER), OTHER)
    assert kinds(found) == [ChangeKind.LOST]
    assert found.moved
    not_installed = Row("", Subject("lib"), "", None, Verdict.NOT_INSTALLED, note="no module")
    assert kinds(drift((STANDARD, OTHER), (not_installed, OTHER))) == [ChangeKind.LOST]


def test_an_answer_that_is_rightly_not_given_any_more_moved_or_is_fixed() -> None:
    rest = replace(STANDARD, case="gain/b")
    assert kinds(drift((STANDARD, OTHER, rest), (OTHER, rest))) == [ChangeKind.MOVED]
    assert kinds(drift((FAILING, OTHER, rest), (OTHER, rest))) == [ChangeKind.FIXED]


def test_an_answer_is_gone_where_new_left_out_the_library_or_the_measure() -> None:
    old = results(STANDARD, OTHER)
    assert kinds(compared(old, results(OTHER, libraries=("other",)))) == [ChangeKind.GONE]
    rest = replace(OTHER, measure="AP")
    assert kinds(compared(results(STANDARD, rest), results(rest))) == [ChangeKind.GONE]


def test_an_error_stands_for_all_queries_of_its_question() -> None:
    queries = tuple(replace(STANDARD, query=query) for query in (None, "q1", "q2"))
    found = drift(queries, ERROR)
    assert kinds(found) == [ChangeKind.FAILING] * 3
    assert [change.row.query for change in found.changes] == [None, "q1", "q2"]
    assert kinds(drift(ERROR, queries)) == [ChangeKind.FIXED] * 3
    assert kinds(drift(STANDARD, queries)) == [ChangeKind.MOVED] * 2, "what is now told of a query was not told before"


def test_changes_are_grouped_by_cause_with_the_largest_move_and_a_witness() -> None:
    old = [
        replace(STANDARD, case=f"gain/{i}", value=0.5, measure=f"nDCG@{i}", query="q" if i == 6 else None)
        for i in range(1, 7)
    ]
    new = [
        replace(
            row,
            conventions=EXP.conventions,
            verdict=EXP.verdict,
            value=0.5 - i / 100,
            subject=replace(LIB, version="2"),
        )
        for i, row in enumerate(old, 1)
    ]
    found = drift(tuple(old), tuple(new), version="2")
    (group,) = grouped(found)
    assert (group.library, group.variant, group.measure, group.cause) == ("lib", "v", "nDCG@k", "standard → gain=exp")
    assert (len(group.changes), group.witness.row.case) == (6, "gain/6")
    assert group.largest == pytest.approx(0.06)
    assert list(as_text(found)) == [
        "lib 1 → 2",
        "  v nDCG@k: 6 answers moved by .06 at most, standard → gain=exp; as in gain/6 nDCG@6 q: .5 → .44",
        "6 moved",
    ]
    assert len(list(as_text(found, whole=True))) == 3 + 6


def test_what_is_lost_new_or_gone_is_one_line_a_variant() -> None:
    new = [replace(STANDARD, case=f"gain/{i}", measure=f"P@{i}") for i in range(1, 1201)]
    assert list(as_text(drift((OTHER,), (OTHER, *new)))) == [
        "lib 1",
        "  v: 1,200 answers new (1200 agrees)",
        "1,200 new",
    ]


def test_nothing_moved_is_said_in_so_many_words() -> None:
    assert list(as_text(drift(STANDARD, STANDARD))) == ["nothing moved"]
    assert as_markdown(drift(STANDARD, STANDARD)).splitlines()[:2] == [MARK, "### rankproof: nothing moved"]


def test_a_small_move_is_shown_with_all_its_digits() -> None:
    (_, line, _) = as_text(drift(STANDARD, replace(STANDARD, value=0.50000001)))
    assert line.endswith("nDCG@5: 0.5 → 0.50000001")


def test_an_unexplained_move_is_guessed_at_from_the_corpus() -> None:
    case = corpus.load(corpus.HERE / "gain" / "linear-exp-binary.toml")
    oracle, measure = Oracle(case.input), parse("nDCG@5")
    value, expected = (reading_of(oracle.answers(measure, spec), None) for spec in ("gain=exp", "standard"))
    old = replace(STANDARD, case=case.id, value=expected, expected=expected)
    new = replace(old, verdict=Verdict.UNEXPLAINED, value=value)
    (group,) = grouped(drift(old, new))
    assert group.cause == "standard → unexplained (as by gain=exp)"
    unlike = replace(old, measure="nDCG@10"), replace(new, measure="nDCG@10", value=0.123)
    for several, guess in (((old, new),) * 2, "as by gain=exp"), (((old, new), unlike), ""):
        befores, afters = (list(side) for side in zip(*several, strict=True))
        assert str(grouped(drift(tuple(befores), tuple(afters)))[0].guess) == guess
    (nobody,) = grouped(drift(old, replace(new, value=0.123)))
    assert nobody.cause == "standard → unexplained"
    (unknown,) = grouped(drift(replace(old, case="gain/no-such"), replace(new, case="gain/no-such")))
    assert str(unknown.guess) == ""
    (changed,) = grouped(drift(replace(old, expected=0.9), replace(new, expected=0.9)))
    assert str(changed.guess) == "", "the case was another one when it was asked"
    foreign = replace(old, verdict=Verdict.CONVENTION, conventions=("taste=odd",))
    assert str(grouped(drift(foreign, new))[0].guess) == "as by gain=exp"


@pytest.mark.parametrize(
    ("measure", "guess"),
    [("R@3", "as by run_duplicates=first or run_duplicates=last or run_duplicates=once"), ("P@1", "")],
)
def test_more_than_three_conventions_that_fit_say_nothing(measure: str, guess: str) -> None:
    """A doc that stands twice below the cutoff: to count both rows gives the same P@1, and not the same R@3."""
    old = replace(
        STANDARD,
        case="duplicates/run-below-cutoff",
        measure=measure,
        value=None,
        expected=None,
        error="ValueError: twice",
    )
    (group,) = grouped(drift(old, replace(old, verdict=Verdict.UNEXPLAINED, value=1.0, error=None)))
    assert str(group.guess) == guess


def test_a_refusal_that_nothing_explains_is_guessed_at() -> None:
    case = corpus.load(corpus.HERE / "judgments" / "negative-one.toml")
    expected = reading_of(Oracle(case.input).answers(parse("nDCG@5"), "standard"), None)
    old = replace(STANDARD, case=case.id, value=expected, expected=expected)
    (group,) = grouped(drift(old, replace(old, verdict=Verdict.ERROR, value=None, error="ValueError: negative")))
    assert "negative=rejected" in group.guess.conventions


def test_rows_are_chosen_by_library_and_measure() -> None:
    old, new = results(STANDARD, OTHER), results(EXP, replace(OTHER, value=0.1))
    assert [c.row.library for c in compared(old, new, library="l*").changes] == ["lib"]
    assert len(compared(old, new, measure="nDCG").changes) == 2
    with pytest.raises(NothingCompared, match="neither file has a row of library x"):
        compared(old, new, library="x")
    assert is_of("P(rel=2)@5", "P")
    assert not is_of("P(rel=2)@5", "P@5")
    assert any_cutoff("IPrec@0.1") == "IPrec@k"
    assert not alike(float("inf"), float("-inf"))


HOSTILE = replace(
    ERROR, case="gain/<script>|x", error="@everyone </details> `x` | [a](javascript:1) \x1b[31m" + "y" * 10_000
)


def test_a_comment_shows_whatever_it_is_given_and_runs_none_of_it() -> None:
    text = as_markdown(drift(replace(STANDARD, case=HOSTILE.case), HOSTILE))
    assert "<script>" not in text
    assert text.count("</details>") == 1
    assert "\x1b" not in text
    rows = [line for line in text.splitlines() if line.startswith("| <code>")]
    assert [line.replace("\\|", "").count("|") for line in rows] == [7, 4]
    assert text.count("@everyone") == text.count("<code>@everyone") == 2, "in code, nobody is notified"


def test_a_comment_fits_and_says_what_it_leaves_out() -> None:
    old = [
        replace(STANDARD, case=f"gain/{'long' * 20}-{i}", subject=replace(LIB, variant=f"v{i % 400}"))
        for i in range(4000)
    ]
    text = as_markdown(drift(tuple(old), tuple(replace(row, value=0.1) for row in old)))
    assert len(text) < LONGEST
    groups, answers = text.split("<summary>Every answer</summary>")
    for part, what, count, room in ((groups, "groups", 400, LONGEST // 3), (answers, "answers", 4000, LONGEST // 2)):
        shown = sum(line.startswith("| <code>") for line in part.splitlines())
        assert f"|{count - shown:,} more {what}|" in part
        assert room - 1000 < len(part) < room + 1000, "it uses the room that it has"


def test_an_error_without_words_is_a_dash() -> None:
    text = as_markdown(drift(STANDARD, replace(ERROR, error="")))
    assert "| <code>lib/v gain/a nDCG@5</code> | <code>.5</code> | – |" in text


def test_json_has_every_change() -> None:
    found = as_json(drift(replace(STANDARD, value=float("nan")), EXP, version="2"))
    told = json.loads(json.dumps(found, allow_nan=False))
    assert told["libraries"]["lib"] == {"old": "1", "new": "2"}
    assert (told["moved"], told["counts"]["moved"]) == (True, 1)
    (change,) = told["changes"]
    assert change["old"] == {"verdict": "agrees", "value": "nan", "error": None, "conventions": []}
    assert told["groups"][0]["witness"] == change


# -- all that is told of one comparison, in each form -------------------------------------------------------------------


def of_other(measure: str, row: Row, case: str = "gain/a") -> Row:
    return replace(row, subject=OTHER.subject, measure=measure, case=case)


def everything() -> Drift:
    """A library that was upgraded, and one that was not, with a change of almost each kind."""
    query = replace(STANDARD, case="gain/b", query="q1")
    unsupported = replace(STANDARD, verdict=Verdict.UNSUPPORTED, value=None)
    old = (
        STANDARD,
        query,
        of_other("AP", STANDARD),
        of_other("P@5", FAILING),
        of_other("RBP", EXP),
        of_other("R@5", STANDARD),
    )
    new = (
        EXP, replace(query, verdict=Verdict.CONVENTION, value=0.375, conventions=("gain=exp",)), of_other("AP", ERROR),
        of_other("P@5", STANDARD), of_other("RBP", replace(EXP, conventions=("gain=binary", "ties=input"))),
        of_other("R@5", unsupported), of_other("RR", STANDARD), of_other("AP", FAILING, "gain/b"),
    )  # fmt: skip
    named = {"lib": "2", "other": "1"}
    asked_ = [{"library": name, "version": version, "variants": {"v": "", "w": ""}} for name, version in named.items()]
    upgraded = tuple(replace(row, subject=replace(row.subject, version=named[row.library])) for row in new)
    return compared(results(*old), RunResults({"kind": "header", "asked": asked_}, upgraded, {}))


TEXT = """\
lib 1 → 2
  v nDCG@k: 2 answers moved by .25 at most, standard → gain=exp; as in gain/a nDCG@5: .5 → .25
    gain/a nDCG@5: .5 → .25
    gain/b nDCG@5 q1: .5 → .375
other 1
  w AP: 1 answer newly failing, standard → error; as in gain/a AP: .5 → ValueError: no
    gain/a AP: .5 → ValueError: no
  w AP: 1 answer newly failing, no answer → unexplained; as in gain/b AP: no answer → .125
    gain/b AP: no answer → .125
  w R@k: 1 answer moved, standard → unsupported; as in gain/a R@5: .5 → unsupported
    gain/a R@5: .5 → unsupported
  w P@k: 1 answer fixed by .375 at most, unexplained → standard; as in gain/a P@5: .125 → .5
    gain/a P@5: .125 → .5
  w RBP: 1 answer claimed otherwise, gain=exp → gain=binary ties=input; as in gain/a RBP: .25 → .25
    gain/a RBP: .25 → .25
  w: 1 answer new (1 agrees)
    gain/a RR: no answer → .5
2 newly failing, 3 moved, 1 fixed, 1 claimed otherwise, 1 new
"""

MARKDOWN = """\
<!-- rankproof diff -->
### rankproof: something moved

lib 1 → 2: 2 newly failing, 3 moved, 1 fixed, 1 claimed otherwise, 1 new.

| library | measure | what | behind it | by at most | as in |
|---|---|---|---|---:|---|
| <code>other/w</code> | <code>AP</code> | 1 newly failing | <code>standard → error</code> | – | \
<code>gain/a AP</code>: <code>.5</code> → <code>ValueError: no</code> |
| <code>other/w</code> | <code>AP</code> | 1 newly failing | <code>no answer → unexplained</code> | – | \
<code>gain/b AP</code>: <code>no answer</code> → <code>.125</code> |
| <code>lib/v</code> | <code>nDCG@k</code> | 2 moved | <code>standard → gain=exp</code> | .25 | \
<code>gain/a nDCG@5</code>: <code>.5</code> → <code>.25</code> |
| <code>other/w</code> | <code>R@k</code> | 1 moved | <code>standard → unsupported</code> | – | \
<code>gain/a R@5</code>: <code>.5</code> → <code>unsupported</code> |
| <code>other/w</code> | <code>P@k</code> | 1 fixed | <code>unexplained → standard</code> | .375 | \
<code>gain/a P@5</code>: <code>.125</code> → <code>.5</code> |
| <code>other/w</code> | <code>RBP</code> | 1 claimed otherwise | <code>gain=exp → gain=binary ties=input</code> | – | \
<code>gain/a RBP</code>: <code>.25</code> → <code>.25</code> |

<details><summary>Every answer</summary>

| where | before | after |
|---|---|---|
| <code>other/w gain/a AP</code> | <code>.5</code> | <code>ValueError: no</code> |
| <code>other/w gain/b AP</code> | <code>no answer</code> | <code>.125</code> |
| <code>lib/v gain/a nDCG@5</code> | <code>.5</code> | <code>.25</code> |
| <code>lib/v gain/b nDCG@5 q1</code> | <code>.5</code> | <code>.375</code> |
| <code>other/w gain/a R@5</code> | <code>.5</code> | <code>unsupported</code> |
| <code>other/w gain/a P@5</code> | <code>.125</code> | <code>.5</code> |
| <code>other/w gain/a RBP</code> | <code>.25</code> | <code>.25</code> |

</details>
"""


def test_the_whole_of_a_comparison_in_a_terminal_and_as_a_comment() -> None:
    assert "\n".join(as_text(everything(), whole=True)) + "\n" == TEXT
    assert list(as_text(everything())) == [line for line in TEXT.splitlines() if not line.startswith("    ")]
    assert as_markdown(everything()) == MARKDOWN
    assert as_markdown(drift(STANDARD, STANDARD)) == f"{MARK}\n### rankproof: nothing moved\n\nnothing moved.\n"


def test_the_whole_of_a_comparison_in_json() -> None:
    old, new = (STANDARD, of_other("AP", STANDARD)), (EXP, of_other("AP", ERROR), of_other("RR", STANDARD))
    moved = {
        "kind": "moved", "library": "lib", "variant": "v", "version": "1", "case": "gain/a", "measure": "nDCG@5", "query": None,
        "old": {"verdict": "agrees", "value": 0.5, "error": None, "conventions": []},
        "new": {"verdict": "convention", "value": 0.25, "error": None, "conventions": ["gain=exp"]},
    }  # fmt: skip
    of_w = {"library": "other", "variant": "w"}
    failing = moved | of_w | {
        "kind": "newly failing", "measure": "AP", "new": {"verdict": "error", "value": None, "error": "ValueError: no", "conventions": []},
    }  # fmt: skip
    only_new = moved | of_w | {"kind": "new", "measure": "RR", "old": None, "new": moved["old"]}
    assert as_json(drift(old, new)) == {
        "moved": True,
        "counts": {
            "newly failing": 1, "moved": 1, "lost": 0, "fixed": 0, "claimed otherwise": 0, "worded otherwise": 0, "new": 1, "gone": 0,
        },
        "libraries": {"lib": {"old": "1", "new": "1"}, "other": {"old": "1", "new": "1"}},
        "groups": [
            {"kind": "newly failing", **of_w, "measure": "AP", "before": "standard", "after": "error", "guess": "",
             "answers": 1, "largest": None, "witness": failing},
            {"kind": "moved", "library": "lib", "variant": "v", "measure": "nDCG@k", "before": "standard", "after": "gain=exp",
             "guess": "", "answers": 1, "largest": 0.25, "witness": moved},
            {"kind": "new", **of_w, "measure": "", "before": "", "after": "", "guess": "", "answers": 1, "largest": None,
             "witness": only_new},
        ],
        "changes": [moved, failing, only_new],
    }  # fmt: skip


def test_a_library_that_one_side_did_not_ask_or_could_not_ask_is_named_so() -> None:
    gone = RunResults({"asked": [{"library": "lib", "not_installed": "no module"}]}, (), {})
    assert compared(results(STANDARD), gone).versions("lib") == "lib 1 → not installed"
    assert compared(results(STANDARD), gone).versions("other") == "other 1 → not asked"


# -- guesses ------------------------------------------------------------------------------------------------------------

GAINS = corpus.load(corpus.HERE / "gain" / "linear-exp-binary.toml")


def value_of(case: corpus.Case, measure: str, conventions: str) -> float:
    found = reading_of(Oracle(case.input).answers(parse(measure), conventions), None)
    assert isinstance(found, float)
    return found


def nothing_explains(case: corpus.Case, conventions: str, measure: str = "nDCG@5") -> Row:
    """A row with the value that these conventions give."""
    expected = value_of(case, measure, "standard")
    return replace(
        STANDARD, case=case.id, measure=measure, verdict=Verdict.UNEXPLAINED, value=value_of(case, measure, conventions), expected=expected
    )  # fmt: skip


def test_a_guess_is_a_change_of_what_explains_the_other_side() -> None:
    failing = nothing_explains(GAINS, "gain=exp discount=rank")
    explained = replace(
        failing, verdict=Verdict.CONVENTION, value=value_of(GAINS, "nDCG@5", "gain=exp"), conventions=("gain=exp",)
    )
    assert [str(group.guess) for group in grouped(drift(explained, failing))] == ["as by discount=rank"]
    assert [str(group.guess) for group in grouped(drift(failing, explained))] == ["as by discount=rank"]
    as_standard = replace(explained, verdict=Verdict.AGREES, value=explained.expected, conventions=())
    assert [str(group.guess) for group in grouped(drift(as_standard, failing))] == [""], (
        "two changes of standard are no guess"
    )


def test_a_guess_is_a_change_of_what_the_sheet_claims() -> None:
    case = corpus.load(corpus.HERE / "discount" / "jarvelin-kekalainen-2002.toml")
    failing = nothing_explains(case, "norel=1 ideal=given gain=exp", "nDCG@10")
    # The sheet of CatBoost claims norel=1 and ideal=given of nDCG.
    guesses = {"catboost": "as by gain=exp", "lib": ""}
    for library, guess in guesses.items():
        row = replace(failing, subject=replace(LIB, library=library, variant="rows", version="1.2.10"))
        (group,) = grouped(
            compared(results(OTHER), results(OTHER, row, version="1.2.10", libraries=(library, "other")))
        )
        assert (group.kind, str(group.guess)) == (ChangeKind.FAILING, guess)


def test_a_guess_is_a_change_of_what_the_sheet_claims_of_that_version() -> None:
    """XGBoost before 3 took exponential gains, whatever ndcg_exp_gain said: of it linear gains and another discount are two changes."""
    case = corpus.load(corpus.HERE / "discount" / "jarvelin-kekalainen-2002.toml")
    failing = nothing_explains(case, "known=retrieved norel=1 ideal=given gain=exp discount=rank", "nDCG@10")
    guesses = {"2.0.3": "as by discount=rank", "2.1.4": "as by discount=rank", "3.4.0": ""}
    for version, guess in guesses.items():
        row = replace(failing, subject=replace(LIB, library="xgboost", variant="linear", version=version))
        new = results(OTHER, row, version=version, libraries=("xgboost", "other"))
        (group,) = grouped(compared(results(OTHER), new))
        assert str(group.guess) == guess, version


def test_a_guess_that_gives_most_answers_says_how_many() -> None:
    rows = [nothing_explains(GAINS, "gain=exp", measure) for measure in ("nDCG@5", "nDCG@10")]
    cases_ = [corpus.load(corpus.HERE / "discount" / "jarvelin-kekalainen-2002.toml"), GAINS]
    odd = replace(nothing_explains(cases_[0], "gain=exp", "nDCG@10"), value=0.123)
    for found, guess in ((rows, "as by gain=exp"), ([*rows, odd], "as by gain=exp, 2 of 3"), ([rows[0], odd], "")):
        olds = tuple(replace(row, verdict=Verdict.AGREES, value=row.expected) for row in found)
        (group,) = grouped(drift(olds, tuple(found)))
        assert str(group.guess) == guess


def test_a_measure_that_the_case_does_not_ask_is_not_guessed_at() -> None:
    assert "nDCG@3" not in GAINS.measures
    failing = nothing_explains(GAINS, "gain=exp", "nDCG@3")
    assert [str(group.guess) for group in grouped(drift(OTHER, (OTHER, failing)))] == [""]


# -- versions side by side, and variants left out ----------------------------------------------------------------------


def asked(*versions: str, others: tuple[str, ...] = ()) -> RunResults:
    """Results of these versions of lib, each with its own answer."""
    found = [{"library": "lib", "version": version, "variants": {"v": ""}, "others": [*others]} for version in versions]
    rows = tuple(replace(STANDARD, subject=replace(LIB, version=version), value=float(version)) for version in versions)
    return RunResults({"kind": "header", "asked": found}, rows, {})


def test_an_upgrade_is_compared_with_what_was_and_versions_side_by_side_with_themselves() -> None:
    assert kinds(compared(asked("1"), asked("2"))) == [ChangeKind.MOVED]
    both = compared(asked("1"), asked("1", "2"))
    assert [(change.kind, change.row.version) for change in both.changes] == [(ChangeKind.NEW, "2")]
    assert list(as_text(both)) == ["lib 1 → 1, 2", "  lib-2: 1 answer new (1 agrees)", "1 new"]
    assert kinds(compared(asked("1", "2"), asked("2"))) == [ChangeKind.GONE], "NEW did not ask that version"
    assert kinds(compared(asked("1", "2"), asked("1", "2"))) == []
    moved = replace(asked("1", "2"), rows=(asked("1").rows[0], replace(asked("2").rows[0], value=0.7)))
    assert [(g.kind, g.who) for g in grouped(compared(asked("1", "2"), moved))] == [(ChangeKind.MOVED, "lib-2")]
    assert "<code>lib-2</code>" in as_markdown(compared(asked("1", "2"), moved))
    assert "\nlib 1 → not asked: 1 gone.\n" in as_markdown(compared(asked("1"), asked()))
    assert "\nlib not asked → 2: 1 new.\n" in as_markdown(compared(asked(), asked("2")))


def test_two_environments_of_one_version_are_two() -> None:
    first, second = (
        {"library": "lib", "version": "1", "python": python, "variants": {"v": ""}} for python in ("3.9", "3.11")
    )
    rows = tuple(
        replace(STANDARD, subject=replace(LIB, environment=Environment(python)), value=value)
        for python, value in (("3.9", 0.1), ("3.11", 0.2))
    )
    old = RunResults({"asked": [first, second]}, rows, {})
    assert compared(old, replace(old, rows=rows[::-1])).changes == ()
    (group,) = grouped(compared(old, replace(old, rows=(rows[0], replace(rows[1], value=0.3)))))
    assert group.who == "lib-1 (Python 3.11)"


def test_a_variant_that_was_left_out_is_gone_and_not_lost() -> None:
    old = results(STANDARD, replace(STANDARD, subject=replace(LIB, variant="w")))
    only = RunResults(
        {"asked": [{"library": "lib", "version": "1", "variants": {"v": ""}, "others": ["w"]}]}, (STANDARD,), {}
    )
    assert kinds(compared(old, only)) == [ChangeKind.GONE]
    assert kinds(compared(old, results(STANDARD))) == [ChangeKind.LOST]
    two = asked("1", "2")
    gone = RunResults({"asked": [{"library": "lib", "not_installed": "no module"}]}, (OTHER,), {})
    assert kinds(compared(replace(two, rows=(*two.rows, OTHER)), gone)) == [ChangeKind.LOST, ChangeKind.LOST]
    with pytest.raises(NothingCompared):
        compared(old, only, library="lib/x")
    assert [c.row.variant for c in compared(old, only, library="lib/w").changes] == ["w"]


# -- files ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders of results; in the second, one answer is another one."""
    header = {
        "kind": "header", "rankproof": "0", "python": "3", "platform": "", "cases": 1, "inputs": "", "code": "",
        "asked": [{"library": "lib", "version": "1", "variants": {"v": ""}}], "questions": {"gain/a": ["AP"]},
    }  # fmt: skip
    row = {
        "kind": "row",
        "case": "gain/a",
        "subject": "lib-1",
        "measure": "AP",
        "verdict": "agrees",
        "value": 0.5,
        "expected": 0.5,
    }
    footer = {"kind": "footer", "rows": 1, "unsupported": 0, "verdicts": {"agrees": 1}, "complaints": 0}
    for name, value in (("old", 0.5), ("new", 0.25)):
        (tmp_path / name / FOLDER).mkdir(parents=True)
        text = "".join(json.dumps(line) + "\n" for line in (header, row | {"value": value}, footer))
        (tmp_path / name / FOLDER / "lib.jsonl").write_text(text, encoding="utf-8")
    return tmp_path / "old", tmp_path / "new"


def diff(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=False)


def test_exit_codes_say_whether_something_moved(files: tuple[Path, Path]) -> None:
    old, new = files
    assert diff(old, new).return_value == 1
    for same in (old / FOLDER, old / FOLDER / "lib.jsonl"):
        assert diff(old, same).return_value == 0
    assert "v AP: 1 answer moved by .25 at most, standard; as in gain/a AP: .5 → .25" in diff(old, new, "--all").output
    assert json.loads(diff(old, new, "--json").output)["moved"] is True
    assert diff(old, new, "--markdown").output.startswith(MARK)


def broken(old: Path) -> Iterator[tuple[str, type[Exception], str]]:
    whole = (old / FOLDER / "lib.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    yield "", Truncated, "cut off"
    yield "".join(whole[:-1]), Truncated, "cut off"
    yield whole[0] + whole[-1], Truncated, "the footer counts 1 rows and 0 that are unsupported, the file has 0 and 0"
    yield "[1]\n[2]\n[3]\n", BadResults, ":1: this is no results file"
    yield "no json\n", BadResults, ":1: this is no JSON"
    yield "".join(whole).replace('"measure"', '"measurement"'), BadResults, r":2: .*\('measurement' was unexpected\)"
    yield "".join(whole).replace("agrees", "pleases"), BadResults, ":2: verdict: .pleases. is not one of"
    yield (
        "".join(whole).replace("lib-1", "lib-2"),
        BadResults,
        ":2: lib-2 is none of those that the header says were asked",
    )
    yield "".join(whole).replace('"asked": [', '"asked": [3, '), BadResults, r":1: asked\.0: 3 is not of type .object."
    yield (
        "".join(whole).replace('{"v": ""}', '["v"]'),
        BadResults,
        r":1: asked\.0\.variants: \[.v.\] is not of type .object.",
    )
    yield "".join(whole).replace('"questions"', '"answers"'), BadResults, r":1: .*\('answers' was unexpected\)"
    yield (
        "".join(whole).replace('"complaints": 0', '"complaints": "x"'),
        BadResults,
        ':3: complaints: "x" is not of type "integer"',
    )
    yield "".join(whole).replace('"asked"', '"libraries"'), BadResults, ":1: an older rankproof wrote this"


def test_a_file_that_is_cut_off_or_foreign_is_refused_in_one_line(files: tuple[Path, Path]) -> None:
    old, new = files
    file = new / FOLDER / "lib.jsonl"
    for text, error, message in broken(old):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(error, match=message) as raised:
            load(new)
        assert str(file) in str(raised.value)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadResults, match="this is no UTF-8"):
        load(new)
    with pytest.raises(BadResults, match="there are no such results; `rankproof run"):
        load(new.parent)
    assert isinstance(diff(old, new).exception, BadResults)


def test_the_published_results_did_not_drift_from_themselves() -> None:
    assert compared(published_run.results(), published_run.results()).changes == ()
