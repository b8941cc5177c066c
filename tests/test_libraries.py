"""Every library against every case: does each answer agree, follow the convention that its sheet claims, or is it a known exception?

`pytest -k "ties and sklearn"` asks scikit-learn about ties.
"""

from collections import Counter
from collections.abc import Mapping

import pytest

from rankproof import cases as corpus
from rankproof.running import Run
from rankproof.sheets import libraries
from rankproof.verdicts import FAILS, HOLDS, Row, Verdict

CASES = [path.relative_to(corpus.HERE).with_suffix("").as_posix() for path in corpus.files()]
LIBRARIES = [library.name for library in libraries()]
ON_DEMAND = {"trec_eval"}
"""Libraries that are programs of their own, which no Python package installs."""


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("case", CASES)
def test_every_answer_holds(case: str, library: str, rows_by_place: Mapping[tuple[str, str], list[Row]]) -> None:
    rows = rows_by_place.get((case, library), [])
    failing = [
        f"{row.place}: {row.verdict}, observed {row.observed}; {row.note}" for row in rows if row.verdict in FAILS
    ]
    assert not failing, f"{library} differs from its sheet:\n" + "\n".join(failing)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_is_asked_and_its_sheet_holds(library: str, whole_run: Run, record_property) -> None:  # noqa: ANN001
    rows = [row for row in whole_run.rows if row.library == library]
    counts = Counter(row.verdict for row in rows)
    record_property(
        "tally", f"{library}: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    )
    assert [str(complaint) for complaint in whole_run.complaints if complaint.library == library] == []
    if library in ON_DEMAND and counts[Verdict.NOT_INSTALLED]:
        assert len(rows) == 1
    else:
        assert sum(counts[verdict] for verdict in HOLDS) > len(CASES) / 2, "the library was hardly asked anything"


def test_absence_is_a_row(whole_run: Run) -> None:
    present = {row.library for row in whole_run.rows}
    assert present == set(LIBRARIES)
    assert all(row.note for row in whole_run.rows if row.verdict is Verdict.NOT_INSTALLED)
