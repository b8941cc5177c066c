"""Bisecting, without a registry: which releases are looked at, and what is told of those that are not."""

from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from packaging.version import Version

from rankproof.asking.known_libraries import claiming_nothing
from rankproof.asking.sheets import ADAPTERS
from rankproof.asking.subjects import Subject
from rankproof.drift import history, release_search
from rankproof.drift.history import ObservedVersion
from rankproof.drift.release_search import ReleaseSearch, search
from rankproof.environments.plans import Plan
from rankproof.environments.releases import Release
from rankproof.judging.results_file import RunResults
from rankproof.judging.verdicts import Row, Verdict
from rankproof.telling.bisect_text import lines_of_search

SHEET = claiming_nothing("lib", ADAPTERS / "lib.toml")


def searched(monkeypatch: pytest.MonkeyPatch, answers: dict[str, str | None], *, every: bool = False) -> ReleaseSearch:
    """Bisecting a library that answers so by release; None where a release cannot be asked."""

    def look(wanted: Sequence[Release]) -> dict[Version, SimpleNamespace | str]:
        said = {release.version: answers[str(release.version)] for release in wanted}
        return {
            version: "it does not load" if answer is None else SimpleNamespace(answer=answer)
            for version, answer in said.items()
        }

    step = SimpleNamespace(moves=(), dependencies=())
    monkeypatch.setattr(release_search, "differ", lambda old, new, _sheet: old.answer != new.answer)
    monkeypatch.setattr(release_search, "step_between", lambda *_: step)
    releases = [Release(Version(version), "", ("3.11",)) for version in answers]
    return search(releases, SHEET, look, every=every)  # type: ignore[arg-type]


def borders(found: ReleaseSearch) -> list[tuple[str, str]]:
    return [(str(border.old.version), str(border.new.version)) for border in found.borders]


@pytest.mark.parametrize(
    ("answers", "wanted", "asked"),
    [
        ({"1.0": "a", "1.1": "a", "1.1.1": "a", "1.1.2": "b", "1.2": "b"}, [("1.1.1", "1.1.2")], 5),
        ({"1.0": "a", "1.1": "b", "1.2": "a", "1.2.1": "c", "1.3": "a"}, [("1.0", "1.1"), ("1.1", "1.2")], 4),
        ({"0.1": "a", "0.1.1": "a", "0.1.2": "a", "0.2": "a", "0.2.1": "a", "0.2.2": "b"}, [("0.2.1", "0.2.2")], 4),
    ],
)  # fmt: skip
def test_the_first_of_each_minor_is_asked_and_what_lies_between_two_that_differ(
    monkeypatch: pytest.MonkeyPatch, answers: dict[str, str | None], wanted: list[tuple[str, str]], asked: int
) -> None:
    found = searched(monkeypatch, answers)
    assert borders(found) == wanted
    assert len(found.observed) == asked


def test_where_the_first_of_a_minor_cannot_be_asked_its_last_is(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"1.3": "a", "1.4": None, "1.4.1": "a", "1.4.2": "a", "1.4.3": "b", "1.5": "a"}
    found = searched(monkeypatch, answers)
    assert borders(found) == [("1.4.2", "1.4.3"), ("1.4.3", "1.5")]


def test_what_was_not_looked_at_beside_a_release_that_fails_is_not_said_to_answer_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = {"1.0": "a", "1.0.1": "a", "1.1": "a", "1.2": None, "1.2.1": "b", "1.2.2": "b", "1.2.3": None, "1.3": "a"}
    answers |= {"1.3.1": "a", "1.4": None, "1.4.1": "a", "1.4.2": "a"}
    told = list(lines_of_search(searched(monkeypatch, answers), SHEET))
    assert "not looked at, as the releases around answer alike: 1.0.1" in told
    failed = [f"could not be asked: {version}: it does not load" for version in ("1.2", "1.2.3", "1.4")]
    assert [line for line in told if line.startswith("could not be asked")] == failed
    assert (
        "not looked at, as a release beside them could not be asked: 1.2.1 to 1.2.2 (2 releases), 1.3.1, 1.4.1" in told
    )
    every = searched(monkeypatch, answers, every=True)
    assert borders(every) == [("1.1", "1.2.1"), ("1.2.2", "1.3")]
    assert not every.unseen


@pytest.mark.parametrize("package", ["little-rank", "little_rank", "Little.Rank"])
def test_a_library_is_none_of_the_packages_that_differ_beside_it(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def observed(version: str, numpy: str) -> ObservedVersion:
        plan = Plan("little", package, version, "3.11")
        said = {
            "library": "little",
            "version": version,
            "python": "3.11",
            "variants": {"v": ""},
            "dependencies": {package: version},
        }
        header = {"kind": "header", "asked": [said]}
        row = Row("ties/none-tied", Subject("little", "v", version), "RR", None, Verdict.AGREES, 1.0)
        locks[plan] = {"little-rank": version, "numpy": numpy}
        return ObservedVersion(plan, RunResults(header, (row,), {}))

    locks: dict[Plan, dict[str, str]] = {}
    monkeypatch.setattr(history, "locked", locks.__getitem__)
    alone = history.step_between(observed("1.0", "2.0"), observed("1.1", "2.0"), SHEET)
    with_numpy = history.step_between(observed("1.0", "2.0"), observed("1.1", "2.1"), SHEET)
    assert (alone.dependencies, with_numpy.dependencies) == ((), (("numpy", "2.0", "2.1"),))
