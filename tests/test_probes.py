"""Probes find, without an oracle, what an answer depends on, and say nothing of who keeps the laws; what they found is published."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import parts
import pytest
from here import of_other_languages, of_this_interpreter

from rankproof.adapters.worker import load_adapter
from rankproof.cases.inputs import Input
from rankproof.judge import laws
from rankproof.judge.catalogue import PROBES, chosen
from rankproof.judge.laws import compared
from rankproof.judge.probe_findings import FindingKind, ProbeFinding
from rankproof.judge.probe_inputs import INPUTS, SEVENTEEN, queries, table, tied
from rankproof.judge.probe_inputs import random_inputs as at_random
from rankproof.judge.published import FILE, BadProbes, Published, digest_of_adapter, digest_of_asking, read
from rankproof.judge.running import findings
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure, parse
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import Answered, Failure
from rankproof.workers.sheets import load

ROOT = Path(__file__).resolve().parent.parent
MINIATURES = ROOT / "tests" / "miniatures"
LIBRARIES = of_this_interpreter()
PROBED = load_adapter(str(MINIATURES / "probed_adapter.py"))
SINS = PROBED.SINS
RAISES = "refuses_negative_scores"
FEW = ["RR", "RR@5", "P@1", "P@5", "Success@1"]
SINS_OF_THE_CORPUS = [
    ("keeps_state_between_calls", "twice", FindingKind.UNSTABLE),
    ("averages_geometrically", "batch", FindingKind.DEPENDS),
    ("mixes_up_interleaved_queries", "interleaved", FindingKind.DEPENDS),
]
"""A sin that the corpus knows, and the probe that finds it without the corpus; others are habits of functions that are drawn."""


def miniature(name: str, *variants: str) -> Library:
    return Library(name, MINIATURES / f"{name}_adapter.py", load(MINIATURES / f"{name}.toml"), only=variants)


def docs(data: Input) -> int:
    return len({(row[0], row[1]) for row in [*data.qrels, *data.run]})


ONE_CUTOFF = """LIBRARY, PACKAGES = "deep", []
VARIANTS = {"default": "it keeps the order of the rows"}
MEASURES = {"P@5": "p"}


class Unsupported(Exception):
    pass


def load():
    return {"version": "1"}


def observe(variant, data, call, values):
    rels, found = {(q, doc): rel for q, doc, rel in data["qrels"]}, {}
    for query in {q for q, *_ in data["qrels"]}:
        rows = sorted((row for row in data["run"] if row[0] == query), key=lambda row: -row[2])
        found[query] = sum(rels.get((query, doc), 0) > 0 for _, doc, *_ in rows[:5]) / 5
    return found, None
"""
"""Of P and other measures it supports one cutoff alone, which is not the first that is asked of it."""


def test_the_first_cutoff_that_a_library_supports_stands_for_a_measure(tmp_path: Path) -> None:
    (tmp_path / "deep_adapter.py").write_text(ONE_CUTOFF, encoding="utf-8")
    deep = Library("deep", tmp_path / "deep_adapter.py", load(MINIATURES / "probed.toml"))
    tie = table("q a 1, q b 0", ", ".join(f"q {doc} 0.5" for doc in "cdefba"))
    told = findings(deep, chosen(["rows"]), ["R@1", "P@1", "P@5", "P@10"], inputs=[tie])
    assert [(one.probe, one.measure, one.kind) for one in told] == [("rows", "P@5", FindingKind.DEPENDS)]


def test_who_keeps_the_order_of_few_tied_docs_and_not_of_more_is_found(tmp_path: Path) -> None:
    keeps = ONE_CUTOFF.replace("P@5", "P@6").replace("/ 5", "/ 6").replace("rows[:5]", "rows[:6]")
    turns = keeps.replace('in data["run"]', 'in data["run"][:: 1 if len(data["run"]) < 17 else -1]')
    for name, text in (("keeps", keeps), ("turns", turns)):
        (tmp_path / f"{name}_adapter.py").write_text(text.replace("deep", name), encoding="utf-8")
    sheet = load(MINIATURES / "probed.toml")
    stable, unstable = (Library(name, tmp_path / f"{name}_adapter.py", sheet) for name in ("keeps", "turns"))
    (finding,) = findings(unstable, chosen(["tied-docs"]), ["P@6"], inputs=[SEVENTEEN])
    assert finding.says == "tied docs keep an order while they are few, and another when they are more"
    assert finding.asked == ("17 tied docs", "the same untied in the order of the rows, which 15 tied docs keep")
    assert findings(stable, chosen(["tied-docs"]), ["P@6"], inputs=[SEVENTEEN]) == []


# -- miniatures --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_miniatures(request: pytest.FixtureRequest) -> list[ProbeFinding]:
    """Of the sins that are tried, and of who has none."""
    tried = parts.selected(request, "sin", SINS) | {RAISES}
    some = [name for name in PROBED.VARIANTS if name not in SINS or name in tried]
    return findings(miniature("probed", *some), measures=FEW, inputs=INPUTS)


@pytest.mark.in_parts(5, by="sin")
@pytest.mark.parametrize("sin", sorted(SINS))
def test_a_sin_is_found_by_its_probe(sin: str, of_miniatures: list[ProbeFinding]) -> None:
    mine = [finding for finding in of_miniatures if finding.subject.variant == sin]
    assert SINS[sin] in {finding.probe for finding in mine}
    asked_of_ties = [finding.says for finding in mine if finding.probe in {"constant", "tied-docs"}]
    assert not any("under ties" in says for says in asked_of_ties), "it is what they ask"


@pytest.mark.in_turn
@pytest.mark.parametrize("name", ["honest", "honest_and_terse"])
def test_an_honest_library_depends_on_docids_under_ties_and_on_nothing_else(
    name: str, of_miniatures: list[ProbeFinding]
) -> None:
    mine = [one for one in of_miniatures if one.subject.variant == name and one.kind is not FindingKind.TELLS]
    assert {finding.probe for finding in mine} == {"docs-renamed", "constant"}
    assert all(finding.under_ties for finding in mine)


def test_an_honest_library_that_looks_at_neither_rows_nor_docids_is_silent_under_ties_too(
    of_miniatures: list[ProbeFinding],
) -> None:
    mine = {(one.kind, one.probe) for one in of_miniatures if one.subject.variant == "honest_and_pessimistic"}
    assert mine == {(FindingKind.TELLS, "empty-query")}, "it was asked"


def test_findings_are_small(of_miniatures: list[ProbeFinding]) -> None:
    small = (finding for finding in of_miniatures if finding.probe != "tied-docs" and finding.measure != "P@5")
    assert [finding for finding in small if docs(finding.input) > 4] == [], "P@5 needs six docs"
    assert max(docs(finding.input) for finding in of_miniatures) <= len(SEVENTEEN.run)


def test_what_fails_on_the_changed_input_is_a_finding(of_miniatures: list[ProbeFinding]) -> None:
    (finding, *_) = [f for f in of_miniatures if f.subject.variant == RAISES and f.probe == "shifted"]
    assert finding.answers[1] == "error: ValueError: scores are above <b>zero</b>"


def test_a_cutoff_beyond_the_list_is_asked_of_what_does_not_look_at_its_number() -> None:
    (cutoff,) = chosen(["cutoff"])
    asked = ("P", "R", "F", "Judged", "RR", "AP", "nDCG", "RBP", "Success", "Rprec", "SetP")
    of_each = {name: cutoff.matters(parse(name)) for name in asked if MEASURES[name].cutoff == "optional"}
    assert {name for name, matters in of_each.items() if not matters} == {"P", "Judged"}, "shares of k docs"
    assert of_each.keys() >= {"R", "RR", "AP", "nDCG"}
    (finding,) = findings(miniature("probed", "cuts_by_another_rule"), [cutoff], ["RR"], inputs=INPUTS)
    assert finding.says == "a cutoff beyond the list changes it, under ties"
    assert (finding.asked, docs(finding.input), finding.answers) == (("RR", "RR@20"), 2, (1.0, 0.5))


@pytest.mark.parametrize("refused", ["1", "2", "3"])
def test_what_refuses_a_query_by_itself_is_not_said_to_have_another_mean(refused: str) -> None:
    """Together they are worth 2/3, as what it refuses is worth 0 there; each by itself is worth 1."""
    data = Input(tuple((q, "a", 1) for q in "123"), tuple((q, "a", 1.0, 1) for q in "123"))

    def answer(given: Input, _measure: Measure) -> Answered | Failure:
        if len(queries(given)) > 1:
            return Answered(None, 2 / 3)
        return Failure("error", "no relevant docs") if queries(given) == [refused] else Answered(None, 1.0)

    asked: Any = Mock(side_effect=answer, precision=lambda _measure: ["float64"])
    assert laws.one_by_one(asked, data, parse("P@1")) is None
    asked.side_effect = lambda given, _measure: Answered(None, 2 / 3 if len(queries(given)) > 1 else 1.0)
    assert laws.one_by_one(asked, data, parse("P@1")) is not None


@pytest.mark.parametrize(("sin", "probe", "kind"), SINS_OF_THE_CORPUS)
def test_the_probes_find_sins_of_the_corpus(sin: str, probe: str, kind: FindingKind) -> None:
    shown = findings(miniature("miniatures", sin), chosen([probe]), ["AP", "nDCG", "P@1"], inputs=INPUTS)
    assert {finding.kind for finding in shown} == {kind}
    assert all(docs(finding.input) <= 4 for finding in shown)


@pytest.mark.in_turn
def test_a_library_that_fails_before_and_after_says_nothing() -> None:
    laws = chosen(["rows", "shifted", "truth", "constant"])
    assert findings(miniature("miniatures", "crashes_on_ties"), laws, ["AP"], inputs=INPUTS[4:5]) == []


# -- the parts ---------------------------------------------------------------------------------------------------------


def test_inputs_without_ties_come_first() -> None:
    assert [tied(data) for data in INPUTS] == sorted(tied(data) for data in INPUTS)
    assert {len(queries(data)) for data in INPUTS} == {1, 2}
    assert {row[2] for data in INPUTS for row in data.qrels} == {0, 1, 2, 3}


def test_chance_can_be_repeated() -> None:
    assert at_random(7, 4) == at_random(7, 4) != at_random(8, 4)
    assert {tied(data) for data in at_random(7, 4)} == {True, False}
    assert all(max(row[2] for row in data.qrels) >= 1 for data in at_random(7, 4))


def test_two_failures_of_a_kind_are_alike_and_a_number_is_not_a_failure() -> None:
    error, number = Failure("error", "no"), Answered({"1": 1.0}, 1.0)
    assert compared(error, Failure("error", "another line"), ["float64"]) is None
    elsewhere = Failure("error", "OSError: no /home/a/b.txt:7")
    assert compared(number, elsewhere, ["float64"]) == (None, "a number", "error: OSError: no …")
    assert compared(error, Failure("crash", "it ended"), ["float64"]) == (None, "error: no", "crash: it ended")
    assert compared(number, None, ["float64"]) is None
    assert compared(number, Answered({"9": 1.0}, 1.0), ["float64"], {"1": "9"}) is None
    assert compared(number, Answered({}, 1.0), ["float64"]) == ("1", 1.0, "absent")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answered(None, 0.0), 0.0),
        (Answered({"1": 0.5}, 0.0), 0.0),
        (Answered({"1": 0.5, "2": 1.0}, None), 0.5),
        (Answered({}, None), "absent"),
        (Failure("error", "no"), "absent"),
        (None, "absent"),
    ],
)
def test_a_finding_shows_the_mean_and_a_querys_value_where_there_is_none(answer: Any, said: float | str) -> None:
    assert laws.overall(answer) == said


@pytest.mark.parametrize(
    ("values", "answers"),
    [((0.5, 0.5, 0.5), None), ((0.5, 0.25, 0.25), (0.5, 0.25)), ((0.5, 0.5, 0.75), (0.5, 0.75))],
)
def test_who_answers_otherwise_at_any_of_three_times_is_unstable(
    values: tuple[float, float, float], answers: tuple[float, float] | None
) -> None:
    ask: Any = Mock(return_value=Answered(None, values[0]))
    ask.twice.return_value = [Answered(None, value) for value in values[1:]]
    ask.precision.return_value = ["float64"]
    told = laws.same_twice(ask, INPUTS[0], parse("RR"))
    assert (None if told is None else told.answers) == answers
    assert told is None or told.kind is FindingKind.UNSTABLE


# -- what was found is published ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def findings_file() -> Published:
    """What `reports/probes.json` holds."""
    return read(ROOT / "reports" / FILE)


def told(file: Published, called: str = "*", **wanted: object) -> list[ProbeFinding]:
    """The findings of the subjects that match a glob, and have these values."""
    of_them = (one for one in file.findings if one.subject.is_called(called))
    return [one for one in of_them if all(getattr(one, name) == value for name, value in wanted.items())]


def broken_files() -> Iterator[tuple[str, str]]:
    text = (ROOT / "reports" / FILE).read_text(encoding="utf-8")
    yield text[:-100], r":\d+: not JSON"
    yield text.replace('"kind":"tells"', '"kind":"says"', 1), r":\d\d\d: kind: .says. is not one of"
    before, signed, after = text.partition('"subject":"catboost-1.2.10"')
    line = len(before.splitlines())
    yield before + signed.replace("-1.2.10", "") + after, f":{line}: catboost is none of those that were asked"
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
            here = pinned[_plain(name)]
            assert here == version, f"{asked.library} stands on {name} {here}: run `{COMMAND}`"


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
    others: list[dict[str, Any]] = [{"probes": PROBES[1:]}, {"measures": ["RR"]}, {"inputs": INPUTS[1:]}]
    assert len({digest_of_asking(), *(digest_of_asking(**one) for one in others)}) == 4
    assert digest_of_asking(PROBES, inputs=list(INPUTS)) == digest_of_asking()


# -- what everybody should know ----------------------------------------------------------------------------------------

OF_TIES = "depends on the order of the rows, under ties"
EXP = "nDCG(dcg='exp-log2')"
BEYOND = "a cutoff beyond the list changes it, under ties"


OF_TIED_DOCS = {"ranx AP", "ranx RR", "ranx nDCG", f"ranx {EXP}", f"default {EXP}"}


@pytest.mark.parametrize(
    ("called", "wanted", "found"),
    [
        (
            "ir_measures",
            {"says": OF_TIES, "measure": "RR", "under_ties": True},
            {"cwl_eval RR", "ranx RR", "trectools RR"},
        ),
        ("ir_measures", {"says": BEYOND, "asked": ("RR", "RR@20"), "under_ties": True}, {"default RR"}),
        ("*", {"probe": "tied-docs"}, OF_TIED_DOCS),
        ("ir_measures", {"probe": "tied-docs"}, OF_TIED_DOCS),
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
    found = told(findings_file, "pytrec_eval", under_ties=False)
    assert {one.kind for one in found} <= {FindingKind.TELLS}
    assert [one.version for one in findings_file.asked if one.library == "pytrec_eval"] == ["0.5.11"], "it was asked"


def test_every_finding_names_who_was_asked_and_no_machine(findings_file: Published) -> None:
    asked = {subject for one in findings_file.asked for subject in one.subjects}
    assert {one.subject for one in findings_file.findings} <= asked
    answers = [answer for one in findings_file.findings for answer in one.answers if isinstance(answer, str)]
    assert [answer for answer in answers if re.search(r"(?<![\w:/.])/\w+/|0x[0-9a-f]{6}", answer)] == []
