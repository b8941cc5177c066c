"""Values that equal the published values run once, and all other values run twice."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.judge import results_file
from rankproof.judge.published_answers import FEW, published_before
from rankproof.judge.runs import judge_all
from rankproof.workers.known_libraries import Library
from rankproof.workers.rounds import AskingOptions, LibraryAnswers, ask
from rankproof.workers.sheets import load

MEASURES = {"AP", "RR", "P@2", "nDCG@2"}
SUPPORTED = [case for case in corpus.load_all() if not case.of_labels and MEASURES & {*case.measures}]
UNDEFINED = next(case for case in SUPPORTED if case.undefined and case.input.run and case.input.qrels)
*PUBLISHED, NEW = [case for case in SUPPORTED if case.input.size < 12 and not case.undefined][: FEW + 1]
CASES = [case for case in SUPPORTED if case in (UNDEFINED, *PUBLISHED)]
"""Cases that are published, one of them without a right value, and one case that is not published."""
ADAPTER = """
import json
LIBRARY, PACKAGES, VARIANTS = 'steered', [], {'v': '', 'w': ''}
MEASURES = {'AP': 1, 'RR': 1, 'nDCG@{k}': 1, 'P@{k}': 1}
FOLDER = %r
def state(): return json.load(open(FOLDER + '/state'))
def load(): return {'version': state().get('version', '1'), **state().get('notes', {})}
def observe(variant, data, call, values):
    measure = values['measure']
    line = '{} {} {}/{}'.format(variant, measure, len(data['run']), len(data['qrels']))
    with open(FOLDER + '/log', 'a') as log: log.write(line + chr(10))
    value = state()['answers'].get(variant + ' ' + measure, 0.5)
    if isinstance(value, str) and value.startswith('!'): raise ValueError(value[1:])
    if isinstance(value, list): value = value[list(open(FOLDER + '/log')).count(line + chr(10)) % len(value)]
    if isinstance(value, dict): return value, 0.25
    if value is None: return {row[0]: 0.5 for row in data['qrels']}, None
    return None, float(value)
"""
"""Adapter that returns the values in the file `state`, and writes a line for each call into the file `log`."""
ANSWERS = {
    "v AP": "nan",
    "v RR": "!no such thing",
    "v P@2": {"q1": 0.25, "q2": 0.5},
    "w P@2": {"q1": 0.25},
    "w AP": None,
    "w RR": "inf",
}


class SteeredLibrary:
    """A library with chosen values, and its published results."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        adapter = folder / "steered_adapter.py"
        adapter.write_text(ADAPTER.replace("%r", repr(str(folder))))
        sheet = load(ROOT / "tests" / "miniatures" / "miniatures.toml")
        self.library = Library("steered", adapter, replace(sheet, library="steered"))
        self.publish()
        self.once = self.run()[1]

    @property
    def results(self) -> Path:
        """Return the file of the published results."""
        return self.folder / "published" / "results" / "steered.jsonl"

    def publish(self, **answers: object) -> None:
        """Publish the values."""
        observed, _ = self.run(published=False, answers={**ANSWERS, **answers})
        results_file.write(judge_all(CASES, [observed]), self.folder / "published")

    def run(
        self, *, published: bool = True, cases: Sequence[Case] = CASES, **state: object
    ) -> tuple[LibraryAnswers, Counter[str]]:
        """Return the observations, and the number of calls by variant, measure and numbers of rows."""
        (self.folder / "state").write_text(json.dumps({"answers": ANSWERS, **state}))
        (log := self.folder / "log").write_text("")
        before = published_before(cases, self.folder / "published") if published else None
        observed = ask(self.library, cases, AskingOptions(fresh=True, before=before))
        return observed, Counter(log.read_text().splitlines())

    def change_header(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Change the header of the published results."""
        header, *rows = self.results.read_text(encoding="utf-8").splitlines(keepends=True)
        changed = json.loads(header)
        change(changed)
        self.results.write_text("".join([json.dumps(changed) + "\n", *rows]), encoding="utf-8")


@pytest.fixture
def steered(tmp_path: Path) -> SteeredLibrary:
    return SteeredLibrary(tmp_path)


def test_values_that_are_as_published_run_once(steered: SteeredLibrary) -> None:
    twice, calls = steered.run(published=False)
    once, fewer = steered.run()
    assert calls == fewer + fewer
    assert len(fewer) > 10
    assert list(map(repr, once.observations)) == list(map(repr, twice.observations))  # NaN is not equal to itself


def test_only_values_that_differ_run_twice(steered: SteeredLibrary) -> None:
    for place, value in (
        ("v AP", 0.5),
        ("v AP", "inf"),
        ("v AP", "!nan"),
        ("v RR", "!no such thin"),
        ("v RR", 0.5),
        ("v P@2", {"q1": 0.25, "q2": 0.75}),
        ("v P@2", {"q1": 0.25}),
        ("w AP", 0.5),
        ("w RR", "-inf"),
        ("v nDCG@2", 0.5 + 2**-53),
        ("v P@2", {"q1": 0.25, "q2": 0.5, "q3": 0.5}),
    ):
        _, calls = steered.run(answers={**ANSWERS, place: value})
        more = Counter({line: n for line, n in steered.once.items() if line.rpartition(" ")[0] == place})
        assert more, place
        assert calls - steered.once == more, f"only {place} differs, and is {value}"


@pytest.mark.parametrize("state", [{"version": "2"}, {"notes": {"module": "another"}}])
def test_another_version_or_module_runs_twice(state: dict[str, Any], steered: SteeredLibrary) -> None:
    assert steered.run(**state)[1] == steered.once + steered.once


@pytest.mark.parametrize(
    ("change", "is_equal"),
    [
        (lambda header: header["asked"][0].update(dependencies={"numpy": "1.0"}), False),
        (lambda header: header["asked"][0].update(python="2.7"), True),
        (lambda header: header.update(corpus="another"), False),
        (lambda header: header.update(adapter="another"), False),
    ],
)
def test_results_of_other_packages_cases_or_adapters_are_not_used(
    change: Callable[[dict[str, Any]], object], steered: SteeredLibrary, *, is_equal: bool
) -> None:
    steered.change_header(change)
    assert steered.run()[1] == (steered.once if is_equal else steered.once + steered.once)


def test_new_case_runs_twice(steered: SteeredLibrary) -> None:
    _, calls = steered.run(cases=[*CASES, NEW])
    more = calls - steered.once
    assert more
    assert all(n % 2 == 0 for n in more.values())
    assert sum(more.values()) < sum(steered.once.values())


def test_case_with_another_input_than_published_runs_twice(steered: SteeredLibrary) -> None:
    first = max(CASES, key=lambda case: len(case.input.run))
    other = replace(first, input=replace(first.input, run=first.input.run[:-1] * 2))
    _, calls = steered.run(cases=[other, *CASES])
    rows = f" {len(other.input.run)}/{len(other.input.qrels)}"
    counts = {n for line, n in calls.items() if line.endswith(rows)}
    assert counts == {2}
    assert calls - Counter({line: n for line, n in calls.items() if line.endswith(rows)}) == steered.once


def test_values_that_were_unstable_run_twice(steered: SteeredLibrary) -> None:
    steered.publish(**{"v RR": [0.25, 0.5]})
    _, calls = steered.run(answers={**ANSWERS, "v RR": 0.5})
    assert {calls[line] for line, n in steered.once.items() if line.startswith("v RR ") and n == 1} == {2}


def test_damaged_or_missing_results_are_not_used(steered: SteeredLibrary) -> None:
    steered.results.write_text(steered.results.read_text()[:-50])
    assert steered.run()[1] == steered.once + steered.once
    steered.results.unlink()
    assert steered.run()[1] == steered.once + steered.once


def test_results_are_not_read_for_few_cases() -> None:
    assert published_before(CASES[:FEW]) is None
    assert published_before(CASES[: FEW + 1]) is not None
