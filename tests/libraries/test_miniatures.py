"""Would we notice? Fake libraries with one sin each are all caught, by name; honest ones are not accused."""

from dataclasses import replace
from pathlib import Path

import pytest
import selected_parameters
from judged_libraries import run
from miniature_libraries import MINIATURES, miniatures

from rankproof import cases as corpus
from rankproof.judge.runs import Run
from rankproof.judge.verdicts import FAILS, Verdict
from rankproof.workers.rounds import AskingOptions

BREAKING = {
    "answers_text_on_ties": Verdict.INVALID_OUTPUT,
    "crashes_on_ties": Verdict.CRASH,
    "hangs_on_ties": Verdict.TIMEOUT,
    "raises_on_ties": Verdict.ERROR,
}
FORGETFUL = "keeps_state_between_calls"
"""Only who is asked twice finds it."""
FEW = ["ties/straddles-cutoff"]


@pytest.fixture(scope="module")
def wide_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The honest miniatures over the whole corpus, and each that breaks numbers, not workers, over the cases that claim to tell it."""
    cases = corpus.load_all()
    wanted = selected_parameters.selected(request, "sin", MINIATURES.SINS) - BREAKING.keys() | {FORGETFUL}
    sinful = [name for name in MINIATURES.VARIANTS if name in MINIATURES.SINS and name in wanted]
    told = {sin: [case for case in cases if sin in case.kills] for sin in sinful}
    found = []
    for some, names in ((cases, MINIATURES.HONEST), *((some or cases, [sin]) for sin, some in told.items())):
        library = miniatures(*names, tmp_path=tmp_path_factory.mktemp("miniatures"))
        found.append(run(some, [library], AskingOptions(at_once=1, once=FORGETFUL not in names)))
    rows = tuple(row for one in found for row in one.rows)
    return replace(found[0], rows=rows, complaints=tuple(complaint for one in found for complaint in one.complaints))


@pytest.mark.parametrize("sin", sorted(set(MINIATURES.SINS) - BREAKING.keys()))
def test_a_sin_is_caught(sin: str, wide_run: Run) -> None:
    caught = [row for row in wide_run.rows if row.variant == sin and row.verdict in FAILS]
    assert caught, f"no case of the corpus tells {sin} from an honest library"
    assert any(complaint.place is not None and complaint.place.variant == sin for complaint in wide_run.complaints)


@pytest.mark.parametrize("name", sorted(MINIATURES.HONEST))
def test_an_honest_library_is_not_accused(name: str, wide_run: Run) -> None:
    silent = {Verdict.UNSUPPORTED, Verdict.UNDEFINED}
    rows = [row for row in wide_run.rows if row.variant == name and row.verdict not in silent]
    assert len(rows) > 100
    accused = [row for row in rows if row.verdict is not Verdict.AGREES]
    assert [f"{row.place} {row.observed} expected {row.expected}: {row.note}" for row in accused] == []


@pytest.mark.parametrize(("sin", "verdict"), sorted(BREAKING.items()))
def test_a_broken_worker_is_a_verdict_and_the_run_goes_on(sin: str, verdict: Verdict, tmp_path: Path) -> None:
    names = ["order/queries-interleaved", *FEW, "ties/none-tied"]
    cases = [corpus.load(corpus.HERE / f"{name}.toml") for name in names]
    found = run(cases, [miniatures(sin, "honest", tmp_path=tmp_path)], AskingOptions(timeout=1.5))
    seen = {row.verdict for row in found.rows if row.variant == sin and row.case in FEW}
    assert seen - {Verdict.AGREES, Verdict.UNSUPPORTED} == {verdict}
    assert {row.verdict for row in found.rows if row.variant == "honest"} <= {Verdict.AGREES, Verdict.UNSUPPORTED}
    before = {row.verdict for row in found.rows if row.variant == sin and row.case not in FEW}
    assert before <= {Verdict.AGREES, Verdict.UNSUPPORTED}, "what came before it, or after, was answered"


def test_a_library_that_remembers_is_unstable(wide_run: Run) -> None:
    seen = {row.verdict for row in wide_run.rows if row.variant == FORGETFUL}
    assert Verdict.UNSTABLE in seen


def kills() -> list[tuple[str, str]]:
    """Every (case, sin) that a case claims to tell from an honest library."""
    return [(case.id, sin) for case in corpus.load_all() for sin in case.kills]


@pytest.mark.parametrize(("case", "sin"), kills())
def test_a_case_kills_what_it_claims_to_kill(case: str, sin: str, wide_run: Run) -> None:
    rows = [row for row in wide_run.rows if row.case == case and row.variant == sin]
    assert rows, f"{sin} is no miniature, or was not asked"
    assert any(row.verdict in FAILS for row in rows), f"{sin} answers {case} as an honest library does"
