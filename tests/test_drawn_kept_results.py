"""Many runs, asked again while files, measures and all else change: what is kept is used where nothing changed, and only there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from drawn_collections import Chance, chance

import rankproof
from rankproof.evaluate.tracks import local_processes
from rankproof.evaluate.tracks.many_runs import RunsRefused, evaluate_runs
from rankproof.evaluate.tracks.one_run import outcome_of
from rankproof.evaluate.tracks.track import Outcome, Track

PROFILES = ("standard", "missing=dropped", "ties=docid-asc norel=nan", "unjudged=rejected")
"""By the last of these some runs are refused."""
MEASURES = ("P@1", "AP", "nDCG@2", "RR", "gm_map")


def written(c: Chance, path: Path, *, is_run: bool) -> None:
    """A file of one of some contents; that of a run may be none."""
    lines = []
    for query in c.sample(["q1", "q2", "q3"], c.randint(1, 3)) if is_run else ["q1", "q2", "q3"]:
        for doc in c.sample("abcd", c.randint(1, 3)):
            number = c.choice([1, 2, 2, 3]) if is_run else c.choice([0, 1])
            lines.append(f"{query} Q0 {doc} 1 {number} t\n" if is_run else f"{query} 0 {doc} {number}\n")
    if is_run and c.random() < 0.12:
        lines.insert(1, "no row\n")
    path.write_text("".join(lines))


@pytest.mark.parametrize("seed", range(10))
def test_what_is_kept_is_used_where_nothing_changed(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    c, measured = chance(("kept", seed)), list[str]()

    def counted(track: Track, path: str) -> Outcome:
        measured.append(Path(path).name)
        return outcome_of(track, path)

    monkeypatch.setattr(local_processes, "outcome_of", counted)
    runs = {name: tmp_path / f"{name}.txt" for name in c.sample(["z", "b b", "m", "B"], 3)}
    written(c, tmp_path / "qrels", is_run=False)
    for path in runs.values():
        written(c, path, is_run=True)
    kept: dict[tuple[Any, ...], str] = {}
    state: dict[str, Any] = {"measures": ("P@1", "AP"), "profiles": ("standard",), "exact": False, "signature": ""}
    for _ in range(7):
        change = c.choice(["nothing", "nothing", "measures", "profiles", "exact", "signature", "run", "qrels"])
        if change == "run":
            written(c, c.choice(list(runs.values())), is_run=True)
        elif change == "qrels":
            written(c, tmp_path / "qrels", is_run=False)
        elif change != "nothing":
            state[change] = drawn(c, change)
        signature = state["signature"] if len(state["profiles"]) == 1 else ""
        own = [signature] if signature else []
        options = {"profiles": list(state["profiles"]), "exact": state["exact"], "signature": own}
        qrels = tmp_path / "qrels"
        expected = {name: expectation(qrels, path, state["measures"], options) for name, path in runs.items()}
        key = qrels.read_text(), state["measures"], state["profiles"], state["exact"], signature
        known = {name for name, path in runs.items() if kept.get((name, *key)) == path.read_text()}
        measured.clear()
        found: list[tuple[str, str, str, str]] = []
        refused: Mapping[str, str] = {}
        try:
            for one in evaluate_runs(
                tmp_path / "qrels", runs, list(state["measures"]), out=tmp_path / "out", **options
            ):
                said = one.system, one.run, one.profile, repr((one.result, one.result.warnings, dict(one.result.taken)))
                found.append(said)  # one by one, as the last may be an error
        except RunsRefused as why:
            refused = why.of
        assert measured == [path.name for name, path in runs.items() if name not in known]
        right = {
            (name, str(runs[name]), profile, text)
            for name, of in expected.items()
            for profile, text in of.items()
            if not text.startswith("!")
        }
        assert (len(found), {*found}) == (len(right), right)
        known_first = sorted(runs, key=lambda name: name not in known)
        assert [system for system, *_ in found] == sorted((s for s, *_ in found), key=known_first.index)
        wrong = {name: {p: text[1:] for p, text in of.items() if text.startswith("!")} for name, of in expected.items()}
        assert refused == {name: reason(of, len(expected[name])) for name, of in wrong.items() if of}
        kept |= {(name, *key): path.read_text() for name, path in runs.items() if not wrong[name]}


def drawn(c: Chance, what: str) -> Any:
    """Another value of what is asked."""
    if what == "measures":
        return tuple(c.sample(MEASURES, c.randint(1, 3)))
    if what == "profiles":
        return tuple(c.sample(PROFILES, c.randint(1, 3)))
    if what == "exact":
        return c.random() < 0.5
    return c.choice(["", "R@2|missing:?dropped/0|by:x-1|rankproof:0.1.0", "Success@1"])


def expectation(qrels: Path, run: Path, measures: tuple[str, ...], options: Mapping[str, Any]) -> dict[str, str]:
    """What each profile makes of a run, as `evaluate` finds it; why not, behind a mark."""
    found = {}
    for profile in options["profiles"]:
        try:
            how = {"profile": profile, "signature": options["signature"], "exact": options["exact"]}
            one = rankproof.evaluate(list(measures), qrels, run, **how)
            found[profile] = repr((one, one.warnings, dict(one.taken)))
        except ValueError as why:
            found[profile] = f"!{why}"
    return found


def reason(faults: Mapping[str, str], profiles: int) -> str:
    """Why a run is not measured, once for each reason."""
    by_why: dict[str, list[str]] = {}
    for profile, why in faults.items():
        by_why.setdefault(why, []).append(profile)
    if len(by_why) == 1 and len(faults) == profiles:
        return next(iter(by_why))
    return "; ".join(f"by {', '.join(names)}: {why}" for why, names in by_why.items())


def test_what_is_kept_of_other_columns_is_not_taken(tmp_path: Path) -> None:
    """Of both files two columns could be meant, and each gives other numbers."""
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,relevance,clicks\nq,a,1,0\nq,b,0,1\nq,c,0,0\n")
    (tmp_path / "run.csv").write_text("query_id,doc_id,score,other\nq,a,3,1\nq,b,2,2\nq,c,1,3\n")
    found = []
    for columns in ({}, {"qrels": {"relevance": "clicks"}}, {"run": {"score": "other"}}, {}):
        asked = {"columns": columns, "out": tmp_path / "out"}
        (one,) = evaluate_runs(tmp_path / "qrels.csv", {"x": tmp_path / "run.csv"}, ["RR"], **asked)
        found.append(one.result.mean["RR"])
    assert found == [1.0, 0.5, pytest.approx(1 / 3), 1.0]
