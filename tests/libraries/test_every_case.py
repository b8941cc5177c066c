"""Values of all libraries on all cases: each agrees, follows a claimed convention, or is a known exception.

`pytest tests/libraries/test_every_case.py -k "catboost and ties"` runs only catboost, on cases of ties. A test is
skipped if no value can be judged: the library is not installed or supports none of the measures, or the case has no
right value. pytest's report ends with a line for each library. `pytest --disagreements` also lists the values that
differ from `standard`.
"""

import os
from collections.abc import Callable, Mapping, Sequence

import library_report
import pytest
from installed_libraries import of_this_interpreter
from shared_run import ids, required

from rankproof.judge.runs import Run
from rankproof.judge.verdicts import FAILS, HOLDS, Row, Verdict
from rankproof.text import one_line

CASES = ids()
LIBRARIES = [library.name for library in of_this_interpreter()]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_every_value_holds(
    library: str, case: str, selected_run: Run, rows_by_place: Mapping[tuple[str, str], list[Row]]
) -> None:
    rows = [*rows_by_place.get((case, library), ()), *rows_by_place.get(("", library), ())]
    own = (complaint for complaint in selected_run.complaints if complaint.library == library)
    failing = [one_line(str(one)) for one in own if one.place is not None and one.place.case in {case, ""}]
    if failing:
        pytest.fail("\n".join(failing), pytrace=False)
    skip_unless_judged(rows)


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_sheet_of_a_library_holds(
    library: str,
    selected_run: Run,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    rows = [row for row in selected_run.rows if row.library == library]
    record_property(library_report.SUMMARY, library_report.summary(library, rows))
    if request.config.getoption("--disagreements"):
        record_property(library_report.DISAGREEMENTS, library_report.disagreements(rows))
    absent = [f"{library} {row.variant}".strip() for row in rows if row.verdict is Verdict.NOT_INSTALLED]
    if absent and os.environ.get("CI") and library in required(request.config.rootpath / "pyproject.toml"):
        pytest.fail(f"CI must have every library, and {', '.join(absent)} is not installed", pytrace=False)
    if len(absent) == len(rows):
        skip_unless_judged(rows)
    assert [str(complaint) for complaint in selected_run.complaints if complaint.library == library] == []
    assert sum(row.verdict in HOLDS for row in rows) > len(CASES) / 2, "the library was hardly run"


def skip_unless_judged(rows: Sequence[Row]) -> None:
    """Skip the test if no value was judged; the reason is the note of the first row."""
    if not any(row.verdict in HOLDS | FAILS for row in rows):
        pytest.skip(one_line(next((row.note for row in rows if row.note), "nothing was judged")))


def test_absence_is_a_row(whole_run: Run) -> None:
    present = {row.library for row in whole_run.rows}
    assert present == set(LIBRARIES)
    assert all(row.note for row in whole_run.rows if row.verdict is Verdict.NOT_INSTALLED)
