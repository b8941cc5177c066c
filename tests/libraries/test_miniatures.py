"""Fake libraries with one fault each: the corpus catches every fault, and honest libraries have none."""

from dataclasses import replace

import pytest
import selected_parameters
from judged_libraries import run
from miniature_libraries import MINIATURES, miniatures

from rankproof import cases as corpus
from rankproof.judge.runs import Run
from rankproof.judge.verdicts import FAILS, Verdict
from rankproof.workers.rounds import AskingOptions

BREAKING = {"answers_text_on_ties", "crashes_on_ties", "hangs_on_ties", "raises_on_ties"}
"""Faults that break the worker and not a number; tests/misbehaving has more."""
FORGETFUL = "keeps_state_between_calls"
"""The miniature whose fault only a second run finds."""


@pytest.fixture(scope="module")
def wide_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run the honest miniatures on the whole corpus, and each faulty miniature on the cases that claim to catch its fault."""
    cases = corpus.load_all()
    wanted = selected_parameters.selected(request, "sin", MINIATURES.SINS) - BREAKING | {FORGETFUL}
    sinful = [name for name in MINIATURES.VARIANTS if name in MINIATURES.SINS and name in wanted]
    catching = {sin: [case for case in cases if sin in case.kills] for sin in sinful}
    runs = []
    for some, names in ((cases, MINIATURES.HONEST), *((some or cases, [sin]) for sin, some in catching.items())):
        library = miniatures(*names, tmp_path=tmp_path_factory.mktemp("miniatures"))
        runs.append(run(some, [library], AskingOptions(at_once=1, once=FORGETFUL not in names)))
    rows = tuple(row for one in runs for row in one.rows)
    return replace(runs[0], rows=rows, complaints=tuple(complaint for one in runs for complaint in one.complaints))


@pytest.mark.parametrize("sin", sorted(set(MINIATURES.SINS) - BREAKING))
def test_fault_of_a_miniature_is_caught(sin: str, wide_run: Run) -> None:
    caught = [row for row in wide_run.rows if row.variant == sin and row.verdict in FAILS]
    assert caught, f"no case of the corpus tells {sin} from an honest library"
    assert any(complaint.place is not None and complaint.place.variant == sin for complaint in wide_run.complaints)


@pytest.mark.parametrize("name", sorted(MINIATURES.HONEST))
def test_honest_miniature_is_not_accused(name: str, wide_run: Run) -> None:
    silent = {Verdict.UNSUPPORTED, Verdict.UNDEFINED}
    rows = [row for row in wide_run.rows if row.variant == name and row.verdict not in silent]
    assert len(rows) > 100
    accused = [row for row in rows if row.verdict is not Verdict.AGREES]
    assert [f"{row.place} {row.observed} expected {row.expected}: {row.note}" for row in accused] == []


def test_library_with_a_state_is_unstable(wide_run: Run) -> None:
    seen = {row.verdict for row in wide_run.rows if row.variant == FORGETFUL}
    assert Verdict.UNSTABLE in seen


def kills() -> list[tuple[str, str]]:
    """Return each case with each fault that it claims to catch."""
    return [(case.id, sin) for case in corpus.load_all() for sin in case.kills]


@pytest.mark.parametrize(("case", "sin"), kills())
def test_case_catches_the_faults_that_it_claims_to_catch(case: str, sin: str, wide_run: Run) -> None:
    rows = [row for row in wide_run.rows if row.case == case and row.variant == sin]
    assert rows, f"{sin} is no miniature, or was not asked"
    assert any(row.verdict in FAILS for row in rows), f"{sin} answers {case} as an honest library does"
