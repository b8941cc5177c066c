"""Results files of drawn runs: what is written is read back."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import random_observations
from random_observations import Told, drawn

from rankproof.judge import results_file
from rankproof.judge.verdicts import Verdict


@pytest.fixture(params=range(7))
def told(request: pytest.FixtureRequest) -> Told:
    return drawn(request.param)


def test_rows_are_read_back(told: Told, tmp_path: Path) -> None:
    results_file.write(told.run, tmp_path)
    found = results_file.load(tmp_path)
    assert sorted(map(repr, found.rows)) == sorted(map(repr, told.rows))
    for library in found.libraries:
        cases = list(dict.fromkeys(row.case for row in found.rows if row.library == library and row.case))
        assert cases == [case.id for case in told.cases if case.id in cases], "in the order of the questions"
    assert {row.subject for row in found.rows} == {row.subject for row in told.rows}
    unsupported = sum(row.verdict is Verdict.UNSUPPORTED for row in told.rows)
    assert found.footer == {
        "rows": len(told.rows) - unsupported,
        "unsupported": unsupported,
        "complaints": len(told.complaints),
        "verdicts": dict(Counter(row.verdict.value for row in told.rows)),
    }


def test_names_of_libraries_and_variants_are_unique(told: Told, tmp_path: Path) -> None:
    results_file.write(told.run, tmp_path)
    found = results_file.load(tmp_path)
    by_library = sorted(told.asked, key=lambda one: one.library)
    assert list(found.installations) == by_library
    subjects = [subject for one in by_library for subject in random_observations.subjects_of(one)]
    assert {subject: found.names[subject] for subject in told.subjects} == random_observations.called(subjects)
    # What a variant is called in its library, also where it is the only one.
    names = random_observations.called(replace(one, alone=not one.variant) for one in subjects)
    variants = {one: (one.library, name.partition("/")[2] if one.variant else "") for one, name in names.items()}
    assert {subject: found.variants[subject] for subject in told.subjects} == variants
