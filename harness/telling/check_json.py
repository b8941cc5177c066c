"""What `rankproof check --json` prints of a function, for programs."""

from typing import Any

from rankproof.cases.json_numbers import number_as_json
from rankproof.checking.checked import Checked
from rankproof.checking.differing import Difference
from rankproof.checking.tier import Tier
from rankproof.inference.fingerprint_file import AxisFinding
from rankproof.meaning.deciding_axes import values_of
from rankproof.telling.check_answer import answer_of
from rankproof.telling.check_text import assertion, verdict
from rankproof.telling.check_words import profile_in_words, script_of, words_of_extreme
from rankproof.workers.observations import Failure


def for_programs(checked: Checked) -> dict[str, Any]:
    """What was found, as JSON."""
    told = answer_of(checked)
    near = checked.nearest
    shown = checked.witness
    fingerprint = None if checked.is_unknown else checked.found.fingerprint
    return {
        "function": checked.target.name,
        "form": checked.target.form.name,
        "notes": list(checked.target.notes),
        "measure": str(checked.measure),
        "claim": checked.claim,
        "verdict": checked.verdict,
        "holds": checked.holds,
        "answer": {
            "kind": told.kind,
            "sentence": told.sentence,
            "mend": told.mend or None,
            "assertion": assertion(checked, told) or None,
        },
        "known": not checked.is_unknown,
        "follows": checked.spec,
        "settled": dict(checked.target.form.settled),
        "in_words": profile_in_words(checked),
        "signature": str(checked.signature) if checked.signature else None,
        "precision": checked.precision,
        "assumed": [trait.assumption for trait in checked.assumed],
        "ordinary": _tier(checked.ordinary) | {"verdict": checked.lead, "in_words": verdict(checked)},
        "extreme": _tier(checked.extreme) | {"in_words": words_of_extreme(checked) if checked.extreme.asked else ""},
        "not_asked": checked.skipped,
        "unstable": checked.whole.wavering,
        "defect": _defect(checked),
        "differing": [one.sentence for one in checked.differing],
        "axes": {}
        if fingerprint is None
        else {
            axis: _axis(finding)
            for axis, finding in fingerprint.axes.items()
            if finding.value == getattr(checked.follows, axis) and axis not in checked.undecided
        }
        | {axis: {"undetermined": list(values or values_of(axis))} for axis, values in checked.undecided.items()},
        "nearest": None
        if near is None
        else {"libraries": list(near.libraries), "same": near.same, "asked": near.asked},
        "witness": None if shown is None else _witness(shown),
        "repro": script_of(checked),
    }


def _defect(checked: Checked) -> dict[str, Any] | None:
    """What is wrong, by the names that the catalogue has for it; none where it is seen by itself."""
    if checked.fault is not None:
        return {"names": [], "sentence": checked.fault.sentence}
    if checked.defect is None:
        return None
    return {"names": list(checked.defect.names), "sentence": checked.defect.sentence_with_profile}


def _tier(tier: Tier) -> dict[str, Any]:
    return {
        "verdict": tier.verdict,
        "follows": tier.spec,
        "asked": tier.asked,
        "explained": tier.explained,
        "differs": sorted({d.question.case.id for d in tier.differences}),
        "unexplained": sorted({d.question.case.id for d in tier.misses}),
    }


def _axis(finding: AxisFinding) -> dict[str, Any]:
    return {
        "value": finding.value,
        "witness": finding.witness,
        "measure": finding.measure,
        "excluded": dict(finding.excluded),
    }


def _witness(shown: Difference) -> dict[str, Any]:
    return {
        "case": shown.question.case.id,
        "question": shown.question.case.question,
        "measure": str(shown.question.measure),
        "query": shown.query,
        "expected": number_as_json(shown.expected),
        "got": None if isinstance(shown.got, Failure) else number_as_json(shown.got),
        "error": shown.got.text if isinstance(shown.got, Failure) else None,
        "note": shown.note,
    }
