"""What was published serves the tests only where the same was asked of the same, and a part is asked again."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import asked_before
import pytest
from asked_before import Published
from judged import run
from test_reporting import MINIATURE, SHEET

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.files import CACHE
from rankproof.judge import results_file
from rankproof.workers import known_libraries as known
from rankproof.workers.known_libraries import Library
from rankproof.workers.rounds import AskingOptions, ask_each

MINIATURES = Path(__file__).resolve().parent / "miniatures" / "miniatures_adapter.py"
ONCE = AskingOptions(once=True)
CASES = [case for case in corpus.load_all() if case.id.startswith(("ties/", "labels/", "queries/", "scores/"))]
Calls = Callable[[], Counter[str]]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """A miniature by the name of a slow library, which writes down what it is asked."""
    text = MINIATURES.read_text(encoding="utf-8")
    tail = MINIATURE.format(variant="honest", load="pass", log=str(tmp_path / "log"))
    (tmp_path / "evaluate_adapter.py").write_text(text + tail, encoding="utf-8")
    sheet = SHEET.format(name="evaluate", variant="honest", profile="standard")
    (tmp_path / "evaluate.toml").write_text(sheet, encoding="utf-8")
    (found,) = known.libraries(tmp_path)
    return found


@pytest.fixture
def calls(tmp_path: Path) -> Calls:
    """What it was asked since this was last looked at."""
    log = tmp_path / "log"

    def new() -> Counter[str]:
        found = Counter(log.read_text(encoding="utf-8").splitlines() if log.exists() else [])
        log.unlink(missing_ok=True)
        return found

    return new


@pytest.fixture
def reports(tmp_path: Path, library: Library, calls: Calls, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of it that was published; the store is another one then."""
    monkeypatch.setenv(CACHE, str(tmp_path / "first"))
    results_file.write(run(CASES, [library], AskingOptions()), tmp_path / "reports")
    monkeypatch.setenv(CACHE, str(tmp_path / "second"))
    calls()
    return tmp_path / "reports"


def ahead(library: Library, cases: list[Case], reports: Path) -> list[str]:
    return list(asked_before.ask_ahead([library], cases, ONCE, reports))


def asked_of(cases: list[Case]) -> int:
    return sum(measure.startswith(("P@", "nDCG")) for case in cases for measure in case.measures if "(" not in measure)


def part_of(library: Library, reports: Path) -> set[str]:
    """The cases that are asked again."""
    found = asked_before.published(library, CASES, reports)
    assert found is not None
    return {case.id for case in CASES if found.is_asked_again(case)}


def test_a_part_is_asked_and_the_rest_is_as_published(library: Library, calls: Calls, reports: Path) -> None:
    again = part_of(library, reports)
    part = [case for case in CASES if case.id in again]
    assert 0 < len(part) < len(CASES) / 2
    (said,) = ahead(library, CASES, reports)
    assert said.startswith(f"evaluate was asked {len(part)} of the {len(CASES)} cases; ")
    new = calls()
    assert new.pop("loaded") == 1
    assert 0 < new.total() <= asked_of(part)
    now = run(CASES, [library], ONCE)
    assert calls() == {}, "all of it is in the store, what is unsupported, too"
    assert repr(now.rows) == repr(results_file.load(reports).rows)


def test_another_part_is_asked_where_a_published_number_was_changed(
    library: Library, reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asked_before, "PART", 2)
    seen, (path,) = [part_of(library, reports)], results_file.files_below(reports / "results")
    text = path.read_text(encoding="utf-8")
    for value in (0.25, 0.125, 0.75):
        path.write_text(text.replace('"value":0.5,', f'"value":{value},'), encoding="utf-8")
        seen.append(part_of(library, reports))
    assert any(other != seen[0] for other in seen[1:]), "one of three may be the same by chance"


def test_what_is_new_since_is_asked_and_no_more(library: Library, calls: Calls, reports: Path) -> None:
    """A new case, and a measure that a case did not ask then."""
    first, second, *others = CASES
    new = replace(first, id="made/new", input=replace(first.input, run=first.input.run[::-1]))
    more = replace(second, also_ask=(*second.also_ask, "P@7"))
    cases = [first, new, more, *others]
    part = part_of(library, reports) - {second.id}
    (said,) = ahead(library, cases, reports)
    assert said.startswith(f"evaluate was asked {len(part) + 2} of the {len(cases)} cases; ")
    assert {line for line in calls() if "P@7" in line}
    now = {(row.case, row.measure): repr(row.value) for row in run(cases, [library], ONCE).rows}
    assert calls() == {}, "all of it is in the store"
    then = {(row.case, row.measure): repr(row.value) for row in results_file.load(reports).rows}
    kept = {(case.id, measure) for case in CASES for measure in case.measures}
    assert {place: now[place] for place in kept & now.keys()} == {place: then[place] for place in kept & then.keys()}
    assert {case for case, _ in now} == {case.id for case in cases}


def test_what_it_said_counts_whichever_python_of_one_minor_version_ran_it(reports: Path) -> None:
    (said,) = results_file.load(reports).asked
    known, (minor, _, last) = Published(said, {}, ""), said.python.rpartition(".")
    assert known.is_of(replace(said, python=f"{minor}.{int(last) + 1}"))
    assert not known.is_of(replace(said, python=f"3.9.{last}"))
    assert not known.is_of(replace(said, version="9"))


@pytest.mark.in_turn
@pytest.mark.parametrize("changed", ["the adapter", "a case", "what it says of itself"])
def test_where_something_was_changed_all_is_asked(
    changed: str, library: Library, calls: Calls, reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases, text = CASES, library.adapter.read_text(encoding="utf-8")
    if changed == "a case":
        *others, last = CASES
        cases = [*others, replace(last, input=replace(last.input, run=last.input.run[::-1]))]
        assert cases != CASES
    else:
        library.adapter.write_text(text.replace('{"version": "1"}', '{"version": "2"}'), encoding="utf-8")
    if changed == "what it says of itself":
        # As after an upgrade: the adapter is as it was, and the library has another version.
        monkeypatch.setattr(asked_before, "adapter_of", lambda _library: results_file.load(reports).header["adapter"])
    assert ahead(library, cases, reports) == []
    assert calls().total() > asked_of(cases) / 2
    ask_each([(library, cases)], ONCE)
    assert calls() == {}, "nothing was left to be asked"
