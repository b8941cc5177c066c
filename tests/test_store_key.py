"""What is kept of a library is served for the very same question alone: a changed input, variant, measure, program or environment is asked.

Each dependency is changed by itself between two rounds; the library says how often it was asked, so that nothing served goes unseen.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from rankproof import cases as corpus
from rankproof import files
from rankproof.asking import workers
from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import Answered
from rankproof.asking.rounds import AskingOptions, ask
from rankproof.asking.sheets import load
from rankproof.cases import Case

SHEET = Path(__file__).resolve().parent / "miniatures" / "miniatures.toml"
CASE = replace(corpus.load(corpus.HERE / "ties" / "none-tied.toml"), expect=None, also_ask=("AP", "RR"))
ADAPTER = """
LIBRARY, PACKAGES, VARIANTS = "counting", [], {"v": "", "w": ""}
MEASURES = {"AP": 1, "RR": 1}
def load(): return {"version": open(%r).read()}
def observe(variant, data, call, values):
    with open(%r, "a") as log:
        log.write(f"{variant} {values['measure']} {len(data['run'])} {data['run'][0][2]}\\n")
    return None, 0.5
"""


@dataclass(frozen=True)
class Counting:
    """A library that writes down what it is asked."""

    library: Library
    log: Path

    def asked(self, *cases: Case, **how: object) -> list[str]:
        """What it was really asked, each question once; every question has its answer, kept or not."""
        self.log.write_text("")
        asking = AskingOptions(once=True, **how) if "once" not in how else AskingOptions(**how)  # type: ignore[arg-type]
        found = ask(self.library, cases, asking)
        answered = [one for one in found.observations if isinstance(one.answer, Answered) and one.answer.mean == 0.5]
        variants = found.hello["variants"]
        assert len(answered) == sum(len(case.measures) for case in cases) * len(variants)
        return sorted(self.log.read_text().splitlines())


@pytest.fixture
def counting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Counting:
    monkeypatch.setenv(files.CACHE, str(tmp_path / "store"))
    log, version = tmp_path / "log", tmp_path / "version"
    version.write_text("1")
    adapter = tmp_path / "counting_adapter.py"
    adapter.write_text(ADAPTER % (str(version), str(log)))
    return Counting(Library("counting", adapter, load(SHEET)), log)


WHOLE = sorted(f"{variant} {measure} 4 4.0" for variant, measure in itertools.product("vw", ("AP", "RR")))


def test_the_same_question_is_asked_once(counting: Counting) -> None:
    assert counting.asked(CASE) == WHOLE
    assert counting.asked(CASE) == []
    assert counting.asked(replace(CASE, id="another/name", question="in other words")) == [], (
        "its name is no part of it"
    )


def other_input(**changes: object) -> Case:
    return replace(CASE, input=replace(CASE.input, **changes))  # type: ignore[arg-type]


INPUTS = {
    "a score": other_input(run=tuple((q, doc, score + 1, rank) for q, doc, score, rank in CASE.input.run or ())),
    "the order of the rows": other_input(run=(CASE.input.run or ())[::-1]),
    "a doc's name": other_input(run=tuple((q, doc + "!", score, rank) for q, doc, score, rank in CASE.input.run or ())),
    "a rank": other_input(run=tuple((q, doc, score, rank + 1) for q, doc, score, rank in CASE.input.run or ())),
    "a row less": other_input(run=(CASE.input.run or ())[:-1]),
    "a rel": other_input(qrels=tuple((q, doc, rel + 1) for q, doc, rel in CASE.input.qrels or ())),
    "a judgment less": other_input(qrels=(CASE.input.qrels or ())[:-1]),
    "a query that is empty": other_input(empty_in_run=("q2",)),
    "a query without judgments": other_input(empty_in_qrels=("q2",)),
}


def test_a_changed_input_is_asked(counting: Counting) -> None:
    counting.asked(CASE)
    for changed, case in INPUTS.items():
        again = counting.asked(case)
        assert [line.split()[:2] for line in again] == [line.split()[:2] for line in WHOLE], changed
    assert counting.asked(CASE, *INPUTS.values()) == [], "what was kept of the others stays"


def test_a_measure_and_a_variant_are_each_asked_for_themselves(counting: Counting) -> None:
    assert counting.asked(replace(CASE, also_ask=("AP",))) == [line for line in WHOLE if "AP" in line]
    assert counting.asked(CASE) == [line for line in WHOLE if "RR" in line]
    alone = replace(counting, library=replace(counting.library, only=("v",)))
    other = replace(CASE, also_ask=("AP", "RR"), input=INPUTS["a score"].input)
    assert {line.split()[0] for line in alone.asked(other)} == {"v"}
    assert {line.split()[0] for line in counting.asked(other)} == {"w"}


def changed_file(counting: Counting, _: pytest.MonkeyPatch, name: str = "counting_adapter.py") -> Counting:
    path = counting.library.adapter.with_name(name)
    path.write_text(path.read_text() + "# changed\n")
    return counting


def changed_worker(counting: Counting, patch: pytest.MonkeyPatch) -> Counting:
    own = counting.log.with_name("worker.py")
    own.write_text(workers.WORKER.read_text(encoding="utf-8") + "# changed\n")
    patch.setattr(workers, "WORKER", own)
    return counting


def identified_by(**changes: object) -> Callable[[Counting, pytest.MonkeyPatch], Counting]:
    """The worker says something else of what its answers depend on."""

    def change(counting: Counting, patch: pytest.MonkeyPatch) -> Counting:
        identify = workers.Worker.identify
        patch.setattr(workers.Worker, "identify", lambda worker: {**identify(worker), **changes})
        return counting

    return change


CHANGES: dict[str, Callable[[Counting, pytest.MonkeyPatch], Counting]] = {
    "the adapter": changed_file,
    "the worker that runs it": changed_worker,
    "the library's version": identified_by(versions={"counting": "2"}),
    "the version of what it stands on": identified_by(versions={"counting": "1", "numpy": "3"}),
    "the interpreter": identified_by(python="2.7.18"),
}


@pytest.mark.parametrize("changed", CHANGES)
def test_what_answers_is_asked_anew_when_it_changes(
    changed: str, counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert counting.asked(CASE) == WHOLE
    assert CHANGES[changed](counting, monkeypatch).asked(CASE) == WHOLE
    assert counting.asked(CASE) == [], "once"


def test_what_was_asked_once_is_asked_again_where_it_is_to_be_asked_twice(counting: Counting) -> None:
    assert counting.asked(CASE, once=True) == WHOLE
    assert counting.asked(CASE, once=False) == sorted([*WHOLE, *WHOLE])
    assert counting.asked(CASE, once=False) == counting.asked(CASE, once=True) == []


def test_two_libraries_do_not_share_what_is_kept(counting: Counting) -> None:
    counting.asked(CASE)
    other = counting.library.adapter.with_name("other_adapter.py")
    other.write_text(counting.library.adapter.read_text().replace('"counting"', '"other"'))
    assert replace(counting, library=replace(counting.library, name="other", adapter=other)).asked(CASE) == WHOLE
