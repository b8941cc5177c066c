"""What changes its arguments, hangs on its process, takes long or ends others: named, bounded and ended."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from packaged import by
from processes import children, is_there

import rankproof
from rankproof import cases as corpus
from rankproof.calling.call_candidates import Source
from rankproof.calling.call_forms import FORMS
from rankproof.calling.targets import BadFunction
from rankproof.checking.case_questions import NEW_PROCESS, SAME_LISTS, Seen, in_a_new_process, questions
from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.checking.recognising import recognised
from rankproof.commands import check
from rankproof.interruption import INCOMPLETE
from rankproof.isolating import call_sessions
from rankproof.isolating.call_sessions import NOT_ASKED, Session
from rankproof.isolating.child_process import BrokenProcess, can_fork
from rankproof.isolating.limits import Limits
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.reference_impl.notation import parse
from rankproof.telling.check_answer import answer_of
from rankproof.telling.check_claim import faults_of
from rankproof.telling.check_text import in_text
from rankproof.telling.check_words import summary, words_of_rest
from rankproof.workers.observations import Answered, Failure

sys.path.insert(0, str(Path(__file__).parent / "functions"))
import unsteady

pytest_plugins = ["pytester"]
SOME = corpus.load_all()[::20]
forking = pytest.mark.skipif(not can_fork(), reason="a process is forked")


def found_of(function: Any, measure: str = "P@5", **limits: Any) -> Checked:
    return examine(function, measure, cases=SOME, limits=Limits(**{"isolated": False, **limits}))


@pytest.mark.parametrize(
    ("function", "measure"),
    [
        (unsteady.precision_that_pops, "P@5"),
        (unsteady.recall_that_removes, "R@5"),
        (unsteady.PrecisionThatClears, "P@5"),
    ],
)
def test_what_changes_its_arguments_is_unstable_by_that(function: Any, measure: str) -> None:
    found = found_of(function, measure)
    assert (found.verdict, found.holds) == ("unstable", False)
    assert {one.when for one in found.seen if one.again is not None} == {SAME_LISTS}
    assert f"unstable: {SAME_LISTS}" in " ".join(in_text(found).split())
    assert SAME_LISTS in summary(found)


def test_what_changes_its_arguments_and_no_answer_is_as_it_answers() -> None:
    assert found_of(unsteady.precision_that_sorts_what_is_no_matter).ordinary.verdict == "agrees"


@pytest.mark.in_turn
@forking
@pytest.mark.in_parts(2)
@pytest.mark.parametrize("is_imported", [True, False])
def test_what_hangs_on_the_order_of_a_set_is_unstable_by_that(
    monkeypatch: pytest.MonkeyPatch, *, is_imported: bool
) -> None:
    """Whether or not what is imported here gives more ways to call it than there are in the new process."""
    if is_imported:
        import_module("pandas")
    else:
        monkeypatch.delitem(sys.modules, "pandas", raising=False)
    found = found_of(unsteady.precision_of_a_set, isolated=True)
    assert found.verdict == "unstable"
    cause = NEW_PROCESS.partition("{}")[0]
    assert all(one.when.startswith(cause) for one in found.seen if one.again is not None)
    assert cause in " ".join(in_text(found).split())


@forking
def test_what_hangs_on_it_for_long_rankings_alone_is_unstable_too() -> None:
    found = examine(unsteady.precision_of_a_set_of_many, "P@5", cases=corpus.load_all()[::4])
    assert found.verdict == "unstable"


HANGS = """
import sys
sys.path[:0] = {paths}
import pandas, unsteady
from rankproof.cases import load_all
from rankproof.checking.examining import examine

print(examine(unsteady.precision_of_a_set, "P@5", cases=load_all()[::40]).verdict)
"""


@pytest.mark.in_turn
@forking
@pytest.mark.in_parts(2)
@pytest.mark.parametrize("seed", [57, 73])
def test_what_hangs_on_the_order_of_a_set_is_so_by_whatever_order_it_is_met(seed: int) -> None:
    """By these orders its answers go a little better with flags, which are numbers, whose order in a set is the same in all processes."""
    script = HANGS.format(paths=[str(Path(__file__).parent / "functions")])
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment)
    assert (done.stdout, done.returncode) == ("unstable\n", 0), done.stderr


@pytest.mark.in_turn
@forking
def test_a_function_that_no_name_leads_to_is_asked_in_no_new_process() -> None:
    def without_a_name(relevant: Any, ranked: Any, k: int) -> float:
        return unsteady.precision_of_a_set(relevant, ranked, k)

    for function, given, asked in ((without_a_name, {}, False), (unsteady.share_of_precision, {"share": 1.0}, True)):
        with Session(Source("", parse("P@5"), None, function, given)) as session:
            target = recognised(session)
            few = list(questions(target, parse("P@5"), SOME[:3]))
            said = session.elsewhere([(one.case.input, cutoff_of(one.measure)) for one in few])
            assert (len(said) == len(few) > 1) is asked
            seen = [Seen(one, answer) for one, answer in zip(few, said, strict=False)]
            assert in_a_new_process(session, seen, seen) == seen, "who is steady there stays as it was"


@pytest.mark.in_turn
@forking
@pytest.mark.parametrize(
    ("breaks", "is_late", "answered"),
    [
        ([0], False, 3),
        ([2], False, 2),
        ([1, 0], False, 1),
        ([0, 0], False, 0),
        ([0, 2], False, 2),
        ([0], True, 0),
        ([2], True, 2),
    ],
)
def test_what_a_new_process_answered_counts_though_it_breaks_and_one_accident_is_forgiven(
    breaks: list[int], answered: int, monkeypatch: pytest.MonkeyPatch, *, is_late: bool
) -> None:
    """It breaks after so many answers, each time that it is started, as long as there are numbers; by then the time may be over."""
    left, answers = iter(breaks), call_sessions.Child.answers

    def breaking(self: Any, which: int, calls: Any, seconds: float) -> Any:
        if self.is_forked:
            yield from answers(self, which, calls, seconds)
            return
        most = next(left, None)
        yield from islice(answers(self, which, calls, seconds), most)
        if most is not None:
            session.share = 0.0 if is_late else session.share
            raise BrokenProcess(Failure("timeout", "no answer within 5 s"))

    monkeypatch.setattr(call_sessions.Child, "answers", breaking)
    with Session(Source("", parse("P@5"), FORMS["ids"], unsteady.seed_of_its_process)) as session:
        assert len(session.elsewhere([(one.input, 5) for one in SOME[:3]])) == answered


@pytest.mark.in_turn
@forking
@pytest.mark.parametrize("own", ["1", "2", "3"])
def test_a_new_process_orders_sets_otherwise_than_this_one(own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", own)
    with Session(Source("", parse("P@5"), FORMS["ids"], unsteady.seed_of_its_process)) as session:
        (said,) = session.elsewhere([(SOME[0].input, 5)])
    assert isinstance(said, Answered)
    (seed,) = (said.per_query or {}).values()
    assert seed not in {0.0, float(own)}


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that goes on by what is called alone."""
    now = [0.0]
    monkeypatch.setattr(call_sessions, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def of_a_second(now: list[float]) -> Any:
    """What takes a second by that clock."""

    def slow(relevant: Any, ranked: Any, k: int) -> float:
        now[0] += 1.0
        return len(set(ranked[:k]) & set(relevant)) / k

    return slow


def test_what_was_not_asked_in_time_is_told_and_does_not_hold(now: list[float]) -> None:
    slow = of_a_second(now)
    whole = found_of(slow, budget=10_000)
    budget_for_all, now[0] = now[0], 0.0
    part = found_of(slow, budget=90)
    none = found_of(slow, budget=0)
    assert (none.ordinary.asked, none.lead, none.holds) == (0, "timeout", False), "nothing is known of it"
    assert (whole.is_incomplete, words_of_rest(whole), faults_of(whole)) == (False, "", "")
    assert (part.is_incomplete, part.ordinary.verdict) == (True, "agrees")
    assert 10 < part.ordinary.asked < whole.ordinary.asked
    nearly = found_of(slow, budget=budget_for_all / 2)
    assert (any(one.left_out for one in nearly.seen), nearly.is_incomplete) == (True, False), "extreme ones come last"
    assert nearly.ordinary.asked == whole.ordinary.asked
    left = whole.ordinary.asked - part.ordinary.asked
    extreme = whole.asked - part.asked - left
    assert words_of_rest(part).startswith(f"{left} ordinary questions, {extreme:,} extreme: ")
    assert extreme > 0
    shown = " ".join(in_text(part).split())
    assert words_of_rest(part) in shown
    assert "that there was time for" in shown
    assert "give it more time, by budget=SECONDS" in faults_of(part)
    assert answer_of(part).sentence.startswith("yes, as far as it was asked in time: ")
    assert not answer_of(nearly).sentence.startswith("yes, as far as it was asked in time: ")
    assert answer_of(none).mend == "give it more time, by --budget"
    assert {one.answer.text for one in part.seen if isinstance(one.answer, Failure)} == {NOT_ASKED}
    assert all(isinstance(one.answer, Answered) and one.again is None for one in part.answered)


def test_what_is_never_called_in_time_is_refused(now: list[float]) -> None:
    def slow(a: Any, b: Any, k: int) -> float:
        now[0] += 20.0
        return float(len(str(a)) + k * len(b))

    with pytest.raises(BadFunction, match="takes so long that it was not found in time how it is called"):
        found_of(slow, budget=100)


@pytest.mark.parametrize(
    ("claim", "budget", "code"),
    [
        ("standard", 120, INCOMPLETE),
        ("p_denominator=min-k-n", 120, 1),
        ("standard", 10_000, 0),
        ("p_denominator=min-k-n", 10_000, 1),
        ("norel=dropped", 120, 1),
    ],
)
def test_what_was_seen_to_be_wrong_ends_with_1_though_the_time_was_used_up(
    claim: str, budget: float, code: int, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(isolated=False, budget=budget)
    found = examine(of_a_second(now), "P@5", claim, "ids", cases=SOME, limits=limits)
    assert found.is_incomplete is (budget == 120)
    monkeypatch.setattr("rankproof.checking.examining.examine", lambda *_, **__: found)
    assert check.command.main(["slow.py:slow", "-m", "P@5"], standalone_mode=False) == code


@pytest.mark.in_turn
def test_the_verb_has_a_budget_and_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(check, "A_LINE_EVERY", 0.3)
    slow = "import time\ndef p({}, k):\n    time.sleep({})\n    return {} / k\n"
    a_little = slow.format("relevant, ranked", 0.02, "len(set(ranked[:k]) & set(relevant))")
    Path("slow.py").write_text(a_little, encoding="utf-8")
    told = ["slow.py:p", "-m", "P@5", "--budget"]
    began = time.monotonic()
    assert check.command.main([*told, "2"], standalone_mode=False) == INCOMPLETE
    took = time.monotonic() - began
    out, err = capfd.readouterr()
    assert "the time was used up, see --budget" in " ".join(out.split())
    lines = err.splitlines()
    assert 1 < len(lines) <= took / 0.3 + 1
    assert all(line.startswith("asking slow.py:p: ") for line in lines)
    assert any(" questions, " in line for line in lines)
    too_slow = slow.format("ranked_rels", 1, "sum(rel >= 1 for rel in ranked_rels[:k])")
    Path("slow.py").write_text(too_slow, encoding="utf-8")
    code = check.command.main([*told, "2"], standalone_mode=False)
    assert code == INCOMPLETE, "nothing was answered, nothing is wrong"
    assert "no ordinary question was answered in the time there was" in " ".join(capfd.readouterr()[0].split())
    with pytest.raises(click.BadParameter):
        check.command.main([*told, "soon"], standalone_mode=False)


@pytest.mark.in_turn
@forking
@pytest.mark.parametrize(("seconds", "least"), [(0.05, 7), (300, 4)])
def test_nothing_is_left_of_a_check_that_was_killed(seconds: float, least: int, tmp_path: Path) -> None:
    """Whether the function comes back and could see that nobody asks, or does not; nor is a file left."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / "leaves.py").write_text(
        "import subprocess, sys, time\ndef p(relevant, ranked, k):\n"
        f"    subprocess.Popen(['sleep', '60'], start_new_session=True)\n    time.sleep({seconds})\n    return .5\n"
    )
    checks = subprocess.Popen(
        [sys.executable, "-m", "rankproof", "check", "leaves.py:p", "-m", "P@5"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    until = time.monotonic() + 60
    while len(below := children(checks.pid)) < least and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(checks.pid, signal.SIGKILL)
    checks.wait()
    while (any(map(is_there, below)) or list(temporary.iterdir())) and time.monotonic() < until:
        time.sleep(0.02)
    assert list(temporary.iterdir()) == []
    assert len(below) >= least
    assert not [pid for pid in below if is_there(pid)]


@pytest.mark.in_turn
def test_a_failing_test_shows_its_own_line_and_none_of_ours(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankproof.checking.examining.whole_corpus", lambda: SOME[::4])
    pytester.makepyfile(
        "import rankproof\n"
        "def f(ranked_rels, k): return sum(ranked_rels[:k]) / len(ranked_rels) if ranked_rels else 2.0\n"
        "def test_a(): rankproof.check(f, 'P@5', isolated=False)\n"
        "def test_b(): rankproof.check(lambda a: 'x', 'P@5', isolated=False)\n"
    )
    out = pytester.runpytest_inprocess("-q", "-p", "no:rankproof").stdout.str()
    assert "does not follow standard" in out
    assert "gives no number" in out
    assert str(Path(rankproof.__file__).parent) not in out
    assert out.count("rankproof.check(f,") == 1


def share(found: Any, wanted: Any) -> float:
    """No share of anything, but in step with recall where it is given a set, and against it where it is not."""
    hits = len({*found} & {*wanted}) / max(1, len(wanted))
    return hits / 3 if isinstance(wanted, set) else (1 - hits) / 7


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("function", "form", "container"),
    [
        (lambda scores, labels, k=5: share([doc for doc, _ in scores[:k]], labels), "scored-list", "list"),
        (
            lambda retrieved_docs, relevant_ids, k=5: share(
                [doc["doc_id"] for doc in retrieved_docs[:k]], relevant_ids
            ),
            "ids",
            "doc-dicts",
        ),
        (lambda scores, relevant_indices, k=5: share(by(scores)[:k], relevant_indices), "places-scored", "list"),
        (lambda retrieved, relevant, k=5: share(retrieved[:k], relevant), "ids", "list"),
    ],
)
def test_by_which_order_a_set_is_gone_through_decides_no_way_to_call(function: Any, form: str, container: str) -> None:
    called = found_of(function, "R@5").target
    assert (called.form.name, called.explains, called.container) == (form, 0, container)


def takes_sets(retrieved: Any, relevant: Any, k: int = 5) -> float:
    """Recall but of four docs, if it is given a set; it answers to a list, too."""
    if not isinstance(relevant, set):
        return float(len(relevant))
    odd = 0.01 * (len(retrieved) == 4)
    return odd + (len({*retrieved[:k]} & relevant) / len(relevant) if relevant else 0.0)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("function", "container"),
    [
        (takes_sets, "set"),
        (lambda scores, relevant_indices, k=5: takes_sets(by(scores), relevant_indices, k), "set"),
        (
            lambda retrieved_docs, relevant, k=5: takes_sets([doc["doc_id"] for doc in retrieved_docs], relevant, k),
            "doc-dicts-set",
        ),
    ],
)
def test_a_set_that_explains_more_is_given(function: Any, container: str) -> None:
    called = found_of(function, "R@5").target
    assert (called.container, called.is_explained, called.explains > 1) == (container, False, True)


def ends_where(is_end: Callable[[list[float]], bool]) -> Callable[..., float]:
    return lambda ranked_rels, k: os._exit(3) if is_end(ranked_rels) else sum(rel >= 1 for rel in ranked_rels[:k]) / k


@pytest.mark.in_turn
@forking
@pytest.mark.parametrize(
    ("function", "is_steady"),
    [
        (ends_where(lambda rels: min(rels, default=0) < 0), False),
        (ends_where(lambda rels: rels == [1, 0]), False),
        (ends_where(lambda _rels: False), True),
    ],
    ids=["of negative rels", "of a hit and a miss", "of nothing"],
)
def test_what_ends_its_process_is_not_steady_be_it_on_extreme_input_alone(function: Any, *, is_steady: bool) -> None:
    assert examine(function, "P@5", cases=SOME).is_steady is is_steady


def test_what_raises_where_it_is_asked_the_same_again_is_unstable() -> None:
    before: list[object] = [None]

    def metric(ranked_rels: list[float], k: int) -> float:
        asked = (*ranked_rels, k)
        if len(ranked_rels) == 3 and before[0] == asked:
            raise ValueError("asked a moment ago")
        before[0] = asked
        return sum(rel >= 1 for rel in ranked_rels[:k]) / k

    found = examine(metric, "P@5", cases=corpus.load_all()[::6], limits=Limits(isolated=False))
    assert (found.verdict, found.wavers) == ("unstable", True)
