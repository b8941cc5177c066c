"""How often a published profile gives the values of its library on other runs."""

import json
from collections import Counter
from pathlib import Path

import published_run

REPORTS = Path(__file__).resolve().parent.parent.parent / "reports"
COUNTED = json.loads((REPORTS / "held_out.json").read_text(encoding="utf-8"))


def test_what_was_counted_is_of_what_is_published() -> None:
    forms = {(one.subject.signed, one.key) for one in published_run.fingerprints()}
    counted = {(signed, key) for signed, each in COUNTED["forms"].items() for key in each}
    assert counted <= forms
    assert len({signed for signed, _ in counted}) >= 10
    total = sum((Counter(kinds) for each in COUNTED["forms"].values() for kinds in each.values()), Counter())
    assert COUNTED["all"] == {kind: total[kind] for kind in COUNTED["all"]}
    assert total["equal"] > 0.9 * total.total()
    assert COUNTED["command"].startswith("python benchmarks/held_out.py ")
