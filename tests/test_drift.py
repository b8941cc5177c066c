"""Drift is told by what is behind it: what moved, is lost, fixed, new, gone; and files that cannot be compared are refused."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import published_run
import pytest
from click.testing import CliRunner, Result

from rankproof import cases as corpus
from rankproof.asking.subjects import Subject
from rankproof.commands.diff import command
from rankproof.drift.answer_changes import ChangeKind, Drift, compared
from rankproof.drift.change_groups import grouped
from rankproof.judging.results_file import FOLDER, BadResults, RunResults, Truncated, load
from rankproof.judging.verdicts import Row, Verdict
from rankproof.matching.comparing import reading_of
from rankproof.matching.reference_answers import Oracle
from rankproof.reference_impl.notation import parse
from rankproof.telling.diff_text import LONGEST, MARK, as_markdown, as_text

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


def test_nothing_moved_is_said_in_so_many_words() -> None:
    assert list(as_text(drift(STANDARD, STANDARD))) == ["nothing moved"]
    assert as_markdown(drift(STANDARD, STANDARD)).splitlines()[:2] == [MARK, "### rankproof: nothing moved"]


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


# -- all that is told of one comparison, in each form -------------------------------------------------------------------


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
