"""The findings in `reports` are those of these probes and these adapters, and hold what everybody should know."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from here import of_other_languages, of_this_interpreter

from rankproof.asking.known_libraries import Library
from rankproof.asking.sheets import load
from rankproof.probing import published
from rankproof.probing.catalogue import PROBES
from rankproof.probing.probe_findings import ProbeFinding
from rankproof.probing.published import (
    FILE,
    BadProbes,
    Published,
    digest_of_adapter,
    digest_of_asking,
    read,
)
from rankproof.probing.small_inputs import INPUTS

ROOT = Path(__file__).resolve().parent.parent
MINIATURES = ROOT / "tests" / "miniatures"
LIBRARIES = of_this_interpreter()


@pytest.fixture(scope="module")
def findings_file() -> Published:
    """What `reports/probes.json` holds."""
    return read(ROOT / "reports" / FILE)


def told(file: Published, called: str = "*", **wanted: object) -> list[ProbeFinding]:
    """The findings of the subjects that match a glob, and have these values."""
    of_them = (one for one in file.findings if one.subject.is_called(called))
    return [one for one in of_them if all(getattr(one, name) == value for name, value in wanted.items())]


def test_the_file_follows_its_schema() -> None:
    schema = json.loads(published.SCHEMA.read_text(encoding="utf-8"))
    jsonschema.validate(json.loads((ROOT / "reports" / FILE).read_text(encoding="utf-8")), schema)


def broken_files() -> Iterator[tuple[str, str]]:
    text = (ROOT / "reports" / FILE).read_text(encoding="utf-8")
    yield text[:-100], r":\d+: this is no JSON"
    yield text.replace('"kind":"tells"', '"kind":"says"', 1), r":\d\d\d: kind: .says. is not one of"
    line = text[: text.index('"subject":"catboost-1.2.10"')].count("\n") + 1
    yield (
        text.replace('"subject":"catboost-1.2.10"', '"subject":"catboost"', 1),
        f":{line}: catboost is none of those that were asked",
    )
    yield '{"asked": {}}', ":1: .kind. is a required property"


@pytest.mark.parametrize(("text", "said"), list(broken_files()), ids=range(4))
def test_a_file_that_does_not_read_is_one_line_with_the_mend(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(BadProbes, match=said) as raised:
        read(tmp_path / FILE)
    assert "`rankproof probe --publish`" in str(raised.value)
    assert str(raised.value).startswith(f"{tmp_path / FILE}:")


# -- up to date --------------------------------------------------------------------------------------------------------

COMMAND = "rankproof probe --random 0 --publish reports"
"""How the findings that are in `reports` were found."""


def test_nothing_changed_since_the_findings_were_published(findings_file: Published) -> None:
    """Of what is not installed nothing was found, and nothing can be out of date."""
    told = f"reports/{FILE} is out of date, run `{COMMAND}`: "
    assert findings_file.asking == digest_of_asking(), f"{told}the probes, or what they ask, changed"
    versions = {one.library: one.version for one in findings_file.asked}
    for library in LIBRARIES:
        assert library.name in versions, f"{told}{library.name} was not asked"
        if versions[library.name]:
            asked = findings_file.adapters[library.name]
            assert asked == digest_of_adapter(library), f"{told}the adapter of {library.name}, or the worker, changed"


def test_the_findings_are_of_the_versions_that_are_pinned(findings_file: Published) -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {_plain(name): version for name, _, version in (line.partition("==") for line in lines) if version}
    elsewhere = {library.name for library in of_other_languages()}
    for asked in findings_file.asked:
        for name, version in asked.dependencies.items() if asked.library not in elsewhere else ():
            assert pinned[_plain(name)] == version, (
                f"{asked.library} stands on {name} {pinned[_plain(name)]}: run `{COMMAND}`"
            )


def _plain(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def test_the_digest_of_an_adapter_is_of_its_text_and_how_exactly_it_answers_wherever_it_lies(tmp_path: Path) -> None:
    for name in ("probed_adapter.py", "probed.toml"):
        shutil.copy(MINIATURES / name, tmp_path)
    adapter, sheet = tmp_path / "probed_adapter.py", tmp_path / "probed.toml"
    original = Library("probed", MINIATURES / adapter.name, load(MINIATURES / sheet.name))
    digests = [digest_of_adapter(original), digest_of_adapter(Library("probed", adapter, load(sheet)))]
    assert digests[0] == digests[1]
    sheet.write_text(sheet.read_text().replace('"float64"', '"float32"'))
    digests.append(digest_of_adapter(Library("probed", adapter, load(sheet))))
    adapter.write_text(adapter.read_text() + "# changed\n")
    digests.append(digest_of_adapter(Library("probed", adapter, load(sheet))))
    assert len({*digests}) == 3


def test_what_is_asked_is_all_of_what_the_digest_is_of() -> None:
    digests = {
        digest_of_asking(),
        digest_of_asking(probes=PROBES[1:]),
        digest_of_asking(measures=["RR"]),
        digest_of_asking(inputs=INPUTS[1:]),
    }
    assert len(digests) == 4
    assert digest_of_asking(PROBES, inputs=list(INPUTS)) == digest_of_asking()


# -- what everybody should know ----------------------------------------------------------------------------------------

OF_TIES = "depends on the order of the rows, under ties"
EXP = "nDCG(dcg='exp-log2')"
BEYOND = "a cutoff beyond the list changes it, under ties"


@pytest.mark.parametrize(
    ("called", "wanted", "found"),
    [
        (
            "ir_measures",
            {"says": OF_TIES, "measure": "RR", "under_ties": True},
            {"cwl_eval RR", "ranx RR", "trectools RR"},
        ),
        ("ir_measures", {"says": BEYOND, "asked": ("RR", "RR@20"), "under_ties": True}, {"default RR"}),
        ("*", {"probe": "tied-docs"}, {"ranx AP", "ranx RR", "ranx nDCG", f"ranx {EXP}", f"default {EXP}"}),
        ("ir_measures", {"probe": "tied-docs"}, {"ranx AP", "ranx RR", "ranx nDCG", f"ranx {EXP}", f"default {EXP}"}),
        ("sklearn", {"probe": "rows"}, {"rows-ignore-ties nDCG", "rows-ignore-ties DCG"}),
        ("sklearn", {"probe": "rows", "under_ties": False}, set()),
        ("evaluate", {"probe": "rows"}, {"default nDCG"}),
        ("evaluate", {"probe": "rows", "under_ties": False}, {"default nDCG"}),
    ],
)
def test_what_a_library_is_known_for_is_found_of_these_measures_and_no_others(
    called: str, wanted: dict[str, object], found: set[str], findings_file: Published
) -> None:
    own = told(findings_file, called, **wanted)
    assert {f"{one.subject.variant} {one.measure.partition('@')[0]}" for one in own} == found


def test_nothing_is_said_of_pytrec_eval_without_ties(findings_file: Published) -> None:
    found = [one for one in told(findings_file, "pytrec_eval") if one.kind != "tells"]
    assert [one for one in found if not one.under_ties] == []
    assert [one.version for one in findings_file.asked if one.library == "pytrec_eval"] == ["0.5.11"], "it was asked"


def test_every_finding_names_who_was_asked_and_no_machine(findings_file: Published) -> None:
    asked = {subject for one in findings_file.asked for subject in one.subjects}
    assert {one.subject for one in findings_file.findings} <= asked
    answers = [answer for one in findings_file.findings for answer in one.answers if isinstance(answer, str)]
    assert [answer for answer in answers if re.search(r"(?<![\w:/.])/\w+/|0x[0-9a-f]{6}", answer)] == []
