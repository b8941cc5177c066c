"""How often a published profile gives what its library gives on other runs: what is printed is what was counted."""

import json
import re
from collections import Counter
from pathlib import Path

import published_run
import pytest
from click.testing import CliRunner

from rankproof.cli.profiles import command
from rankproof.evaluate.library_profiles import held_out, published
from rankproof.report.profile_text import KINDS

REPORTS = Path(__file__).resolve().parent.parent / "reports"
COUNTED = json.loads((REPORTS / "held_out.json").read_text(encoding="utf-8"))


def said(*asked: str) -> str:
    return re.sub(r"\n {8,}", " ", CliRunner().invoke(command, list(asked), catch_exceptions=False).output)


def kinds_in(text: str) -> Counter[str]:
    return Counter(
        {kind: int(found[1]) for kind, how in KINDS.items() if (found := re.search(rf"(\d+) {how}(?:,|$)", text))}
    )


def test_what_was_counted_is_of_what_is_published() -> None:
    forms = {(one.subject.signed, one.key) for one in published_run.fingerprints()}
    counted = {(signed, key) for signed, each in COUNTED["forms"].items() for key in each}
    assert counted <= forms
    assert len({signed for signed, _ in counted}) >= 10
    total = sum((Counter(kinds) for each in COUNTED["forms"].values() for kinds in each.values()), Counter())
    assert COUNTED["all"] == {kind: total[kind] for kind in KINDS}
    assert total["equal"] > 0.9 * total.total()
    assert COUNTED["command"].startswith("python benchmarks/held_out.py ")


@pytest.mark.parametrize("signed", COUNTED["forms"])
def test_it_is_printed_with_the_profile(signed: str) -> None:
    subject = next(one for one in published() if one.signed == signed)
    text, forms = said(f"{subject.library}/{subject.variant}"), COUNTED["forms"][signed]
    total = sum((Counter(kinds) for kinds in forms.values()), Counter())
    head = next(line for line in text.splitlines() if line.startswith("on runs that no fingerprint was inferred from"))
    assert kinds_in(head) == total
    assert f"{total.total()} answers" in head
    assert f"counted by: {COUNTED['command']}" in text
    for form, kinds in forms.items():
        lines = [line for line in text.splitlines() if line.startswith(f"    {form}: ")]
        assert [kinds_in(line) for line in lines] == ([] if set(kinds) == {"equal"} else [Counter(kinds)])


def test_the_list_says_how_many_are_equal() -> None:
    text = " ".join(said().split())
    for subject in published():
        if (held := held_out().get(subject.signed)) is not None:
            total = sum((Counter(kinds) for kinds in held.forms.values()), Counter())
            assert f"{subject.version}, {len(published()[subject])} form" in text
            assert f"; equal {total['equal']} of {total.total()}" in text


@pytest.mark.parametrize("name", ["trec_eval-9", "trectools/frame missing=0"])
def test_it_is_not_said_of_another_profile(name: str) -> None:
    assert "no fingerprint was inferred from" not in said(name)
