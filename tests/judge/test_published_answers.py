"""What the published run has just so is asked once, and whatever differs from it in anything is asked twice."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankproof import cases as corpus
from rankproof import files
from rankproof.judge import published_answers, results_file
from rankproof.judge.published_answers import published_before
from rankproof.judge.runs import judge_all
from rankproof.workers.known_libraries import Library
from rankproof.workers.rounds import AskingOptions, LibraryAnswers, ask
from rankproof.workers.sheets import load

HERE = Path(__file__).resolve().parent.parent / "miniatures"
NAMES = "ties/none-tied ties/straddles-cutoff queries/judged-query-missing labels/one-against-two ids/nul-inside"
ADAPTER = """
import json
LIBRARY, PACKAGES, VARIANTS = 'told', [], {'v': '', 'w': ''}
MEASURES = {'AP': 1, 'RR': 1, 'nDCG@{k}': 1, 'P@{k}': 1, 'Rprec': 1}
FOLDER = %r
def state(): return json.load(open(FOLDER + '/state'))
def load(): return {'version': state().get('version', '1'), **state().get('notes', {})}
def observe(variant, data, call, values):
    measure = values['measure']
    line = '{} {} {}/{}'.format(variant, measure, len(data['run']), len(data['qrels']))
    with open(FOLDER + '/log', 'a') as log: log.write(line + chr(10))
    said = state()['answers'].get(variant + ' ' + measure, 0.5)
    if isinstance(said, str) and said.startswith('!'): raise ValueError(said[1:])
    if isinstance(said, list): said = said[list(open(FOLDER + '/log')).count(line + chr(10)) % len(said)]
    if isinstance(said, dict): return said, 0.25
    if said is None: return {row[0]: 0.5 for row in data['qrels']}, None
    return None, float(said)
"""
ANSWERS = {
    "v AP": "nan",
    "v RR": "!no such thing",
    "v P@2": {"q1": 0.25, "q2": 0.5},
    "w P@2": {"q1": 0.25},
    "w AP": None,
    "w RR": "inf",
}


class World:
    """A library that answers as it is told, what was published of it, and a corpus of a few cases."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        patch.setenv(files.CACHE, str(folder / "store"))
        patch.setattr(published_answers, "FEW", 1)
        self.folder, self.patch, self.state = folder, patch, {"answers": ANSWERS}
        (folder / "told_adapter.py").write_text(ADAPTER.replace("%r", repr(str(folder))))
        sheet = replace(load(HERE / "miniatures.toml"), library="told")
        self.library = Library("told", folder / "told_adapter.py", sheet)
        every = {case.id: case for case in corpus.load_all()}
        self.cases = [
            case for case in (every.get(name) for name in NAMES.split()) if case is not None and not case.of_labels
        ]
        fewer = replace(self.cases[0].input, qrels=self.cases[0].input.qrels[:-1])
        undefined = replace(self.cases[0], input=fewer, id="x/undefined", tags=("undefined",), expect=None)
        self.cases.append(replace(undefined, also_ask=("AP", "P@2", "RR")))
        self.known(self.cases)
        self.publish()

    def known(self, cases: list[corpus.Case]) -> None:
        """The corpus is this."""
        self.patch.setattr(corpus, "load_all", lambda: cases)

    def publish(self) -> None:
        """What it answers now is what is published."""
        asked, _ = self.ask(published=False)
        results_file.write(judge_all(self.cases, [asked]), self.folder / "published")

    def ask(self, *, published: bool = True, cases: Sequence[corpus.Case] = ()) -> tuple[LibraryAnswers, Counter[str]]:
        """What it answers, and how often it was asked what of how many rows."""
        (self.folder / "state").write_text(json.dumps(self.state))
        (log := self.folder / "log").write_text("")
        cases = cases or self.cases
        before = published_before(cases, self.folder / "published") if published else None
        found = ask(self.library, cases, AskingOptions(fresh=True, before=before))
        return found, Counter(log.read_text().splitlines())


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


def test_all_that_is_as_published_is_asked_once(world: World) -> None:
    twice, counted = world.ask(published=False)
    once, less = world.ask()
    assert counted == less + less
    assert len(less) > 10
    assert list(map(repr, once.observations)) == list(map(repr, twice.observations))  # nan is not itself


OTHERWISE = [
    ("v AP", 0.5),
    ("v AP", "inf"),
    ("v AP", "!nan"),
    ("v RR", "!no such thin"),
    ("v RR", 0.5),
    ("v P@2", {"q1": 0.25, "q2": 0.75}),
    ("v P@2", {"q1": 0.25}),
    ("w P@2", {"q1": 0.25, "q2": 0.25}),
    ("w AP", 0.5),
    ("w RR", "-inf"),
    ("v nDCG@2", 0.5 + 2**-53),
    ("v P@2", {"q1": 0.25, "q2": 0.5, "q3": 0.5}),
]


def test_what_differs_in_anything_is_asked_twice_and_nothing_else_is(world: World) -> None:
    _, less = world.ask()
    for what, said in OTHERWISE:
        world.state = {"answers": {**ANSWERS, what: said}}
        _, counted = world.ask()
        more = Counter({line: n for line, n in less.items() if line.rpartition(" ")[0] == what})
        assert counted - less == more, (what, said)
        assert more, what


@pytest.mark.parametrize("other", [{"version": "2"}, {"notes": {"module": "another"}}])
def test_another_version_or_way_to_ask_is_asked_twice(other: dict[str, Any], world: World) -> None:
    _, less = world.ask()
    world.state = {"answers": ANSWERS, **other}
    assert world.ask()[1] == less + less


@pytest.mark.parametrize("then", [{"numpy": "1.0"}, {"python": "2.7"}])
def test_what_was_published_of_other_packages_vouches_for_nothing(then: dict[str, str], world: World) -> None:
    """Whichever interpreter ran it."""
    _, less = world.ask()
    path = world.folder / "published" / "results" / "told.jsonl"
    header, *rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
    said = json.loads(header)
    (asked,) = said["asked"]
    asked |= then if "python" in then else {"dependencies": then}
    path.write_text("".join([json.dumps(said) + "\n", *rows]), encoding="utf-8")
    assert world.ask()[1] == (less if "python" in then else less + less)


def test_another_adapter_is_asked_twice(world: World) -> None:
    _, less = world.ask()
    world.library.adapter.write_text(world.library.adapter.read_text() + "# changed\n")
    assert world.ask()[1] == less + less


def test_a_case_that_changed_vouches_for_none_and_one_that_is_new_for_all_others(world: World) -> None:
    _, less = world.ask()
    first = world.cases[0]
    shorter = replace(first, input=replace(first.input, run=first.input.run[:-1]))
    world.known([shorter, *world.cases[1:]])
    _, counted = world.ask(cases=[shorter, *world.cases[1:]])
    assert set(counted.values()) == {2}
    new = replace(shorter, id="ties/of-today", input=replace(shorter.input, qrels=first.input.qrels[:1]))
    world.known([*world.cases, new])
    _, counted = world.ask(cases=[*world.cases, new])
    assert counted - less - less != Counter(), "the new case"
    assert sum(counted.values()) < 2 * sum(less.values())


def test_a_case_that_is_asked_with_another_input_than_the_corpus_has_is_asked_twice(world: World) -> None:
    first = world.cases[0]
    other = replace(first, input=replace(first.input, run=first.input.run[:-1]))
    _, counted = world.ask(cases=[other, world.cases[1]])
    rows = f" {len(other.input.run)}/{len(other.input.qrels)}"
    assert {n for line, n in counted.items() if line.endswith(rows)} == {2}
    assert {n for line, n in counted.items() if not line.endswith(rows)} == {1}


def test_what_was_unstable_when_it_was_published_vouches_for_nothing(world: World) -> None:
    world.state = {"answers": {**ANSWERS, "v RR": [0.25, 0.5]}}
    world.publish()
    _, counted = world.ask()
    assert {n for line, n in counted.items() if line.startswith("v RR ")} >= {2}


def test_results_that_do_not_read_vouch_for_nothing(world: World) -> None:
    _, less = world.ask()
    path = next((world.folder / "published").rglob("*.jsonl"))
    path.write_text(path.read_text()[:-50])
    assert world.ask()[1] == less + less
    path.unlink()
    assert world.ask()[1] == less + less


def test_of_a_few_cases_nothing_is_looked_up(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published_answers, "FEW", len(world.cases))
    assert published_before(world.cases) is None
    assert published_before([*world.cases, world.cases[0]]) is not None
