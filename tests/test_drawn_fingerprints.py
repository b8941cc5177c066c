"""Files of drawn fingerprints: what is written, and what is read back."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import drawn_runs
import pytest
from drawn_runs import called, drawn

from rankproof.inference import fingerprint_file
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.version import VERSION
from rankproof.workers.subjects import Subject

SEEDS = range(8)
TABLED = ["nDCG@k", "AP", "P@k", "R@k", "RR", "RR@k", "nDCG(dcg='exp-log2')@k", "Bpref", "AUC", "ERR@k"]
TOLD_BY = ["nDCG@k", "nDCG", "AP", "AP@k", "RR", "RR@k", "P@k", "Success@k", "R@k", "LRAP", "AUC"]
DRAWN_ON = [axis for axis in AXES if axis in drawn_runs.FOUND_ON]
OF_FORMULAS = {"gain", "ideal", "ap_denominator", "p_denominator", "discount", "err_max"}
COLUMNS = [
    "ties",
    "gain",
    "discount",
    "known",
    "ideal",
    "ap_denominator",
    "p_denominator",
    "err_max",
    "norel",
    "missing",
    "order",
    "score",
    "relevant",
    "unjudged",
]
FIXED = {
    "nDCG(dcg='exp-log2')@k": {"gain": "exp", "discount": "log2"},
    "nDCG(dcg='log2')@k": {"gain": "linear", "discount": "log2"},
}


@cache
def found_in(seed: int) -> tuple[Fingerprint, ...]:
    return drawn_runs.fingerprints(seed)


def names_in(found: Iterable[Fingerprint]) -> dict[Subject, str]:
    return called(one.subject for one in found)


def default(axis: str) -> str:
    return str(getattr(STANDARD, axis))


def unlike_standard(one: Fingerprint) -> list[AxisFinding]:
    return [finding for axis, finding in one.axes.items() if finding.value not in {None, default(axis)}]


def by_subject(found: Iterable[Fingerprint]) -> dict[Subject, list[Fingerprint]]:
    told: dict[Subject, list[Fingerprint]] = {}
    for one in found:
        told.setdefault(one.subject, []).append(one)
    return told


def in_line(text: str) -> str:
    return " ".join(text.split())


# -- the file -----------------------------------------------------------------------------------------------------------


def finding_as_json(one: AxisFinding) -> dict[str, Any]:
    said: dict[str, Any] = {"witness": one.witness, "measure": one.measure, "excluded": dict(one.excluded)}
    said |= {"undetermined": list(one.open)} if one.value is None else {"value": one.value}
    said |= {"why": one.why} if one.why else {}
    return said | ({"same": list(one.same)} if one.same else {})


@pytest.mark.parametrize("seed", SEEDS)
def test_a_file_of_fingerprints_holds_all_of_them_and_gives_them_back(seed: int, tmp_path: Path) -> None:
    told, found = drawn(seed), found_in(seed)
    header = {"rankproof": "0.0.9", "cases": 3, "inputs": "a", "code": "b", "platform": "x"}
    fingerprint_file.write(found, told.asked, header, tmp_path / "f.json")
    text = (tmp_path / "f.json").read_text(encoding="utf-8")
    document = json.loads(text)
    asked = [one for one in told.asked if any(f.subject in drawn_runs.subjects_of(one) for f in found)]
    names = called((s for one in asked for s in drawn_runs.subjects_of(one)), signed_all=True)
    assert {name: document[name] for name in ("kind", "rankproof", "inferred_from", "asked")} == {
        "kind": "fingerprints",
        "rankproof": VERSION,
        "inferred_from": {k: v for k, v in header.items() if k != "platform"},
        "asked": [one.as_json() for one in asked],
    }
    assert [{k: v for k, v in one.items() if k != "words"} for one in document["fingerprints"]] == [
        {
            "subject": names[one.subject],
            "key": one.key,
            "profile": one.profile.spec(),
            "signature": one.signature,
            "precision": one.precision,
            "beside": list(one.beside),
            "axes": {a: finding_as_json(f) for a, f in one.axes.items()},
            "explained": one.explained,
            "asked": one.asked,
            "missed": [[p.case, p.measure, p.query] for p in one.missed],
            "excepted": [[p.case, p.measure, p.query] for p in one.excepted],
        }
        for one in found
    ]
    again = fingerprint_file.read(tmp_path / "f.json")
    assert again == list(found)
    assert list(fingerprint_file.read_text(text, "f")) == list(found)
    lines = text.splitlines()
    for i, one in enumerate(found[:: max(1, len(found) // 5)]):
        at = next(n for n, line in enumerate(lines) if f'"{one.signature}"' in line and f'"{one.key}"' in line)
        said = json.loads(lines[at].rstrip(","))
        axes = {"nothing": said["axes"][min(said["axes"])]}
        said |= [{"subject": "nobody-1"}, {"axes": axes}, {"profile": "ties=x"}][i % 3]
        bad = [json.dumps(said) + "," * line.endswith(",") if n == at else line for n, line in enumerate(lines)]
        (tmp_path / "bad.json").write_text("\n".join(bad), encoding="utf-8")
        with pytest.raises(fingerprint_file.BadFingerprint, match=f"bad.json:{at + 1}: "):
            fingerprint_file.read(tmp_path / "bad.json")


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_proved_of_a_form_is_what_its_findings_say(seed: int) -> None:
    for one in found_in(seed):
        followed = {axis: finding.value for axis, finding in one.axes.items() if finding.value is not None}
        assert [*one.differing] == unlike_standard(one)
        assert one.undecided == tuple(axis for axis in one.axes if axis not in followed)
        for axis in AXES:
            open_ = one.axes[axis].open if axis in one.axes else ()
            behind = getattr(one.profile, axis)
            wanted = followed.get(axis, default(axis) if default(axis) in open_ and behind not in open_ else behind)
            assert getattr(one.proved, axis) == wanted
        for finding in one.axes.values():
            assert finding.could_be == (() if finding.value is None else (finding.value, *finding.same))
            assert finding.standard == (finding.value == default(finding.axis))
