"""Every library against every case: does each answer agree, follow the convention that its sheet claims, or is it a known exception?

`pytest tests/test_libraries.py -k "catboost and ties"` asks catboost about ties, and nobody else anything. Where nothing was judged, as the
library is absent, supports none of the measures, or the case has no right answer, the test does not pass: its outcome says so.
"""

import os
from collections.abc import Mapping

import pytest
from here import of_this_interpreter
from reporting import ids, required, tell

from rankproof.judge.runs import Run
from rankproof.judge.verdicts import HOLDS, Row, Verdict

CASES = ids()
LIBRARIES = [library.name for library in of_this_interpreter()]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_every_answer_holds(
    library: str,
    case: str,
    selected_run: Run,
    rows_by_place: Mapping[tuple[str, str], list[Row]],
    request: pytest.FixtureRequest,
) -> None:
    rows = [*rows_by_place.get((case, library), ()), *rows_by_place.get(("", library), ())]
    mine = (complaint for complaint in selected_run.complaints if complaint.library == library)
    tell(request.node, rows, [one for one in mine if one.place is not None and one.place.case in {case, ""}])


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_is_asked_and_its_sheet_holds(
    library: str, selected_run: Run, request: pytest.FixtureRequest
) -> None:
    rows = [row for row in selected_run.rows if row.library == library]
    absent = [f"{library} {row.variant}".strip() for row in rows if row.verdict is Verdict.NOT_INSTALLED]
    if absent and os.environ.get("CI") and library in required(request.config.rootpath / "pyproject.toml"):
        pytest.fail(f"CI is to have every library, and not installed is {', '.join(absent)}", pytrace=False)
    if len(absent) == len(rows):
        tell(request.node, rows)
    assert [str(complaint) for complaint in selected_run.complaints if complaint.library == library] == []
    assert sum(row.verdict in HOLDS for row in rows) > len(CASES) / 2, "the library was hardly asked anything"


def test_absence_is_a_row(whole_run: Run) -> None:
    present = {row.library for row in whole_run.rows}
    assert present == set(LIBRARIES)
    assert all(row.note for row in whole_run.rows if row.verdict is Verdict.NOT_INSTALLED)
