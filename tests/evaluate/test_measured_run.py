"""Stored results of runs: every field that can change a value is part of the signature and of the key.

The tests read the fields from the dataclasses. A new field must be changed here, or be listed as one without effect on
values.
"""

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from rankproof.evaluate.measured_run import Track, kept_place
from rankproof.evaluate.result import Caution
from rankproof.inference.deciding_axes import possible, values_of
from rankproof.inference.signatures import Signature, axes_of, parse
from rankproof.measure_facts import fixed_by_parameters
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.notation import parse as parse_measure

MEASURES = [parse_measure(text) for text in ("nDCG@10", "AP(rel=2)", "P@5")]


def _choices(measure: Measure) -> Iterator[tuple[str, str]]:
    """Yield each convention that differs from standard."""
    for axis in axes_of(measure):
        if axis not in fixed_by_parameters(measure):
            for value in values_of(axis):
                if value != getattr(STANDARD, axis) and possible(measure, axis, value):
                    yield axis, value


def _signatures(measure: Measure) -> Iterator[Signature]:
    """Yield a signature, and every signature that differs from it in one field or one convention."""
    yield (plain := Signature.of(measure, STANDARD))
    for axis, value in _choices(measure):
        yield Signature.of(measure, STANDARD.replace(**{axis: value}))
        yield Signature.of(measure, STANDARD, still={axis: (getattr(STANDARD, axis), value)})
        yield Signature.of(measure, STANDARD, still={axis: (value, getattr(STANDARD, axis))})
    yield from (Signature.of(measure, STANDARD, still={axis: ()}) for axis in axes_of(measure))
    other: dict[str, Any] = {"by": "lib-1", "version": "9.9", "unexplained": 3}
    assert {field.name for field in fields(Signature)} == {"measure", "conventions", "remaining", *other}
    yield from (replace(plain, **{name: value}) for name, value in other.items())


def test_signatures_that_differ_in_a_field_have_different_texts() -> None:
    signatures = [signature for measure in MEASURES for signature in _signatures(measure)]
    assert len(set(signatures)) == len(signatures)
    for text_of in (str, Signature.whole):
        texts = [text_of(signature) for signature in signatures]
        assert len(set(texts)) == len(texts)
        assert [parse(text) for text in texts] == signatures


TASKS = {str(measure): Signature.of(measure, STANDARD) for measure in MEASURES}
TRACK = Track("qrels", "0", TASKS)
IDLE = {"qrels", "cautions", "profile"}
"""Fields that change no value: the place of the qrels, the warnings about the measures and the name of the profile."""


def _tracks() -> Iterator[tuple[str, Track]]:
    """Yield the track with one field changed; for its tasks, one convention of the last measure."""
    changes: dict[str, Any] = {
        "qrels": "there",
        "sha256": "1",
        "cautions": (Caution("left-out", "without utility"),),
        "names": {"qrels": {"query_id": "Q"}, "run": {}},
        "separator": "|",
        "exact": True,
        "profile": "other",
    }
    assert {field.name for field in fields(Track)} == {*changes, "tasks"}
    yield from ((name, replace(TRACK, **{name: value})) for name, value in changes.items())
    last = MEASURES[-1]
    for axis, value in _choices(last):
        still = {axis: (value, getattr(STANDARD, axis))}
        for change, signature in (
            (axis, Signature.of(last, STANDARD.replace(**{axis: value}))),
            (f"{axis} open", Signature.of(last, STANDARD, still=still)),
        ):
            yield f"{change} {value}", replace(TRACK, tasks={**TASKS, str(last): signature})
    yield "fewer measures", replace(TRACK, tasks={str(last): TASKS[str(last)]})


def test_each_field_that_changes_a_value_is_part_of_the_key(tmp_path: Path) -> None:
    tracks = {"": TRACK} | dict(_tracks())
    places = {name: kept_place(tmp_path, track, "run").name for name, track in tracks.items()}
    assert {name for name, place in places.items() if name and place == places[""]} == IDLE
    others = [place for name, place in places.items() if name not in IDLE]
    assert len(set(others)) == len(others)
