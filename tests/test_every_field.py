"""Whatever can change an answer changes what is signed, kept and written: each field of what holds it is changed by itself.

The changes are made from the fields of the dataclasses, so that a new field is either tried or named here as one that changes nothing.
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
    """All choices that are other than those of standard, one by one."""
    for axis in axes_of(measure):
        if axis not in fixed_by_parameters(measure):
            for value in values_of(axis):
                if value != getattr(STANDARD, axis) and possible(measure, axis, value):
                    yield axis, value


def _signatures(measure: Measure) -> Iterator[Signature]:
    """A signature, and all that differ from it in one field, of the conventions in one value of one axis."""
    yield (plain := Signature.of(measure, STANDARD))
    for axis, value in _choices(measure):
        yield Signature.of(measure, STANDARD.replace(**{axis: value}))
        yield Signature.of(measure, STANDARD, still={axis: (getattr(STANDARD, axis), value)})
        yield Signature.of(measure, STANDARD, still={axis: (value, getattr(STANDARD, axis))})
    yield from (Signature.of(measure, STANDARD, still={axis: ()}) for axis in axes_of(measure))
    other: dict[str, Any] = {"by": "lib-1", "version": "9.9", "unexplained": 3}
    assert {one.name for one in fields(Signature)} == {"measure", "conventions", "remaining", *other}
    yield from (replace(plain, **{name: value}) for name, value in other.items())


def test_no_two_signatures_that_differ_in_a_field_are_written_alike() -> None:
    every = [one for measure in MEASURES for one in _signatures(measure)]
    assert len(set(every)) == len(every)
    for text in (str, Signature.whole):
        written = [text(one) for one in every]
        assert len(set(written)) == len(written)
        assert [parse(one) for one in written] == every


# -- what is kept of a track ------------------------------------------------------------------------------------------

ASKED = {str(one): Signature.of(one, STANDARD) for one in MEASURES}
TRACK = Track("qrels", "0", ASKED)
IDLE = {"qrels", "cautions", "profile"}
"""The place of the qrels, the warnings about the measures and the name of the profile change no value."""


def _tracks() -> Iterator[tuple[str, Track]]:
    """The track, changed in one field; its tasks in one convention of the last measure."""
    changes: dict[str, Any] = {
        "qrels": "there",
        "sha256": "1",
        "cautions": (Caution("left-out", "without utility"),),
        "names": {"qrels": {"query_id": "Q"}, "run": {}},
        "separator": "|",
        "exact": True,
        "profile": "other",
    }
    assert {one.name for one in fields(Track)} == {*changes, "tasks"}
    yield from ((name, replace(TRACK, **{name: value})) for name, value in changes.items())
    last = MEASURES[-1]
    for axis, value in _choices(last):
        still = {axis: (value, getattr(STANDARD, axis))}
        for said, signature in (
            (axis, Signature.of(last, STANDARD.replace(**{axis: value}))),
            (f"{axis} open", Signature.of(last, STANDARD, still=still)),
        ):
            yield f"{said} {value}", replace(TRACK, tasks={**ASKED, str(last): signature})
    yield "fewer measures", replace(TRACK, tasks={str(last): ASKED[str(last)]})


def test_a_kept_result_is_of_this_very_question(tmp_path: Path) -> None:
    found = {"": TRACK} | dict(_tracks())
    places = {name: kept_place(tmp_path, track, "run").name for name, track in found.items()}
    assert {name for name, place in places.items() if name and place == places[""]} == IDLE
    others = [place for name, place in places.items() if name not in IDLE]
    assert len(set(others)) == len(others)
