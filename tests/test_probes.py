"""Probes find, without an oracle, what an answer depends on; and say nothing of who keeps the laws."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankproof import probes
from rankproof.adapters.worker import load_adapter
from rankproof.commands import probe as verb
from rankproof.observations import Answered, Failure
from rankproof.probes import INPUTS, PROBES, SEVENTEEN, Finding, Input, Kind, chosen, findings, queries, shrunk, table
from rankproof.probes import random_inputs as at_random
from rankproof.sheets import Library, libraries, load

MINIATURES = Path(__file__).resolve().parent / "miniatures"
LIBRARIES = {library.name: library for library in libraries()}
UNTIED = [data for data in INPUTS if not probes.tied(data)]
SINS = load_adapter(str(MINIATURES / "probed_adapter.py")).SINS
FEW = ["RR", "RR@5", "P@1", "P@5", "Success@1"]


def miniature(name: str) -> Library:
    return Library(name, MINIATURES / f"{name}_adapter.py", load(MINIATURES / f"{name}.toml"))


def found(
    library: str, probe: str, measures: list[str], *variants: str, inputs: list[Input] | None = None
) -> list[Finding]:
    """What one probe finds of one library, asked the fixed inputs."""
    given = [INPUTS[0], INPUTS[4]] if inputs is None else inputs
    return findings(LIBRARIES[library], chosen([probe]), measures, inputs=given, variants=variants)


def docs(data: Input) -> int:
    return len({(row[0], row[1]) for row in [*data["qrels"], *data["run"]]})


# -- libraries ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_ir_measures() -> list[Finding]:
    """One worker for all that is said of ir_measures: importing it takes longer than asking it."""
    variants = ["default", "cwl_eval", "msmarco", "pytrec_eval", "ranx", "trectools"]
    laws = chosen(["rows", "cutoff", "tied-docs"])
    return findings(LIBRARIES["ir_measures"], laws, ["RR"], inputs=[INPUTS[0], INPUTS[4]], variants=variants)


@pytest.mark.parametrize("provider", ["cwl_eval", "ranx", "trectools"])
def test_a_provider_of_ir_measures_depends_on_the_order_of_rows_under_ties(
    provider: str, of_ir_measures: list[Finding]
) -> None:
    (finding,) = [f for f in of_ir_measures if f.probe == "rows" and f.variant == provider]
    assert finding.kind is Kind.DEPENDS
    assert finding.says == "depends on the order of the rows, under ties"
    assert (finding.who, finding.query, set(finding.answers)) == (f"ir_measures/{provider}", "1", {1.0, 0.5})
    assert docs(finding.input) == 2
    assert finding.changed is not None
    assert finding.changed["run"] == finding.input["run"][::-1]


def test_the_other_providers_do_not(of_ir_measures: list[Finding]) -> None:
    assert {f.variant for f in of_ir_measures if f.probe == "rows"} == {"cwl_eval", "ranx", "trectools"}


def test_ir_measures_breaks_ties_differently_in_rr_and_rr_at_k(of_ir_measures: list[Finding]) -> None:
    (finding,) = [f for f in of_ir_measures if f.probe == "cutoff"]
    assert (finding.who, finding.measure, finding.asked) == ("ir_measures", "RR", ("RR", "RR@20"))
    assert finding.says == "a cutoff beyond the list changes it, under ties"
    assert (docs(finding.input), finding.answers) == (2, (1.0, 0.5))


def test_ranx_keeps_the_order_of_fifteen_tied_docs_and_not_of_sixteen(of_ir_measures: list[Finding]) -> None:
    (finding,) = [f for f in of_ir_measures if f.probe == "tied-docs"]
    assert (finding.variant, finding.asked[0]) == ("ranx", "16 tied docs")
    assert "in the order of the rows" in finding.asked[1]


def test_scikit_learn_depends_on_the_order_of_rows_where_it_ignores_ties() -> None:
    shown = found("sklearn", "rows", ["nDCG", "DCG"])
    assert {(f.variant, f.measure, f.says) for f in shown} == {
        ("rows-ignore-ties", measure, "depends on the order of the rows, under ties") for measure in ("nDCG", "DCG")
    }
    assert all(docs(finding.input) == 2 for finding in shown)


def test_ndcg_of_evaluate_follows_the_rows_while_its_p_follows_the_scores() -> None:
    (finding,) = found("evaluate", "rows", ["nDCG@5", "P@5"], inputs=[UNTIED[0], UNTIED[-1]])
    assert finding.measure == "nDCG@5"
    assert finding.says == "depends on the order of the rows"
    assert docs(finding.input) == 2
    assert not finding.under_ties


def test_nothing_is_said_of_pytrec_eval_without_ties() -> None:
    shown = findings(LIBRARIES["pytrec_eval"], inputs=[*UNTIED, *at_random(1, 2)])
    assert {f.measure for f in shown} >= {"nDCG", "AP", "RR", "P@1"}, "it was asked"
    assert [f for f in shown if f.kind is not Kind.TELLS and not f.under_ties] == []
    assert {f.says for f in shown if f.kind is Kind.TELLS} == {"a judged query that was not retrieved leaves the mean"}
    assert {f.probe for f in shown if f.under_ties} <= {"constant"}, "a constant scorer ties by itself"


# -- miniatures --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_miniatures() -> list[Finding]:
    return findings(miniature("probed"), measures=FEW, inputs=INPUTS)


@pytest.mark.parametrize("sin", sorted(SINS))
def test_a_sin_is_found_by_its_probe(sin: str, of_miniatures: list[Finding]) -> None:
    assert SINS[sin] in {finding.probe for finding in of_miniatures if finding.variant == sin}


@pytest.mark.parametrize("name", ["honest", "honest_and_terse"])
def test_an_honest_library_depends_on_docids_under_ties_and_on_nothing_else(
    name: str, of_miniatures: list[Finding]
) -> None:
    mine = [finding for finding in of_miniatures if finding.variant == name and finding.kind is not Kind.TELLS]
    assert {finding.probe for finding in mine} == {"docs-renamed", "constant"}
    assert all(finding.under_ties for finding in mine)


def test_findings_are_small(of_miniatures: list[Finding]) -> None:
    large = [
        f"{f.probe} {f.variant} {f.measure}" for f in of_miniatures if f.probe != "tied-docs" and docs(f.input) > 4
    ]
    assert [name for name in large if not name.endswith("P@5")] == [], "P@5 needs six docs"
    assert max(docs(finding.input) for finding in of_miniatures) <= len(SEVENTEEN["run"])


def test_what_fails_on_the_changed_input_is_a_finding(of_miniatures: list[Finding]) -> None:
    (finding, *_) = [f for f in of_miniatures if f.variant == "refuses_negative_scores" and f.probe == "shifted"]
    assert finding.answers[1] == "error: ValueError: scores are above <b>zero</b>"


@pytest.mark.parametrize(
    ("sin", "probe", "kind"),
    [
        ("keeps_state_between_calls", "twice", Kind.UNSTABLE),
        ("breaks_ties_by_insertion", "rows", Kind.DEPENDS),
        ("trusts_the_row_order", "rows", Kind.DEPENDS),
        ("trusts_the_rank_column", "ranks", Kind.DEPENDS),
        ("mixes_up_interleaved_queries", "interleaved", Kind.DEPENDS),
        ("leaks_judgments_between_queries", "batch", Kind.DEPENDS),
        ("averages_geometrically", "batch", Kind.DEPENDS),
        ("drops_nonpositive_scores", "shifted", Kind.DEPENDS),
        ("counts_unjudged_as_relevant", "unjudged-doc", Kind.DEPENDS),
        ("sorts_ascending", "truth", Kind.BREAKS),
    ],
)
def test_the_probes_find_sins_of_the_corpus(sin: str, probe: str, kind: Kind) -> None:
    shown = findings(miniature("miniatures"), chosen([probe]), ["AP", "nDCG", "P@1"], inputs=INPUTS, variants=[sin])
    assert {finding.kind for finding in shown} == {kind}
    assert all(docs(finding.input) <= 4 for finding in shown)
    if sin == "trusts_the_row_order":
        assert not any(finding.under_ties for finding in shown)


def test_a_library_that_fails_before_and_after_says_nothing() -> None:
    laws = chosen(["rows", "shifted", "truth", "constant"])
    assert findings(miniature("miniatures"), laws, ["AP"], inputs=INPUTS[4:5], variants=["crashes_on_ties"]) == []


def test_a_constant_scorer_that_profits_from_the_order_of_rows_is_found() -> None:
    (finding,) = findings(
        miniature("miniatures"), chosen(["constant"]), ["AP"], inputs=INPUTS[:1], variants=["breaks_ties_by_insertion"]
    )
    assert finding.says == "a constant scorer is worth as much as the truth where the rows come in its order"
    assert finding.answers == (1.0, 1.0)


# -- the parts ---------------------------------------------------------------------------------------------------------


def test_shrinking_leaves_what_is_needed() -> None:
    def shows(data: Input) -> bool:
        return any(row[:2] == ["2", "d"] for row in data["run"]) and ["2", "d", 2] in data["qrels"]

    assert shrunk(INPUTS[2], shows) == {
        "qrels": [["2", "d", 2]], "run": [["2", "d", 1.0, 1]], "empty_in_qrels": [], "empty_in_run": [],
    }  # fmt: skip


def test_inputs_without_ties_come_first() -> None:
    assert [probes.tied(data) for data in INPUTS] == sorted(probes.tied(data) for data in INPUTS)
    assert {len(queries(data)) for data in INPUTS} == {1, 2}
    assert {row[2] for data in INPUTS for row in data["qrels"]} == {0, 1, 2, 3}


def test_chance_can_be_repeated() -> None:
    assert at_random(7, 4) == at_random(7, 4) != at_random(8, 4)
    assert {probes.tied(data) for data in at_random(7, 4)} == {True, False}
    assert all(max(row[2] for row in _rows(data)) >= 1 for data in at_random(7, 4))


def _rows(data: Input) -> list[list]:
    return data["qrels"]


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_a_probe_leaves_its_input_as_it_was(probe: probes.Probe) -> None:
    class Fake:
        """Answers as the sum of the scores, whatever is asked."""

        def __call__(self, data: Input, _measure: object) -> Answered:
            return Answered({query: 1.0 for query in queries(data)}, 1.0)  # noqa: C420

        def precision(self, *_measures: object) -> list[str]:
            return ["float64"]

        def twice(self, data: Input, measure: object) -> tuple[Answered, Answered]:
            return self(data, measure), self(data, measure)

    for given in [*INPUTS, SEVENTEEN]:
        before = json.dumps(given)
        probe.law(Fake(), given, probes.parse("RR"))  # type: ignore[arg-type]
        assert json.dumps(given) == before


def test_renaming_keeps_or_turns_the_order_of_ids() -> None:
    data = table("1 a 1, 2 b 0", "1 a 2, 1 c 1, 2 b 1")
    (turned,), (kept,) = probes._docs_renamed(data), probes._docs_renamed_alike(data)
    assert turned.data["run"] == [["1", "c", 2.0, 1], ["1", "a", 1.0, 2], ["2", "b", 1.0, 1]]
    assert kept.data["run"] == [["1", "x", 2.0, 1], ["1", "z", 1.0, 2], ["2", "y", 1.0, 1]]
    (turned,), (kept,) = probes._queries_renamed(data), probes._queries_renamed_alike(data)
    assert (turned.names, kept.names) == ({"1": "2", "2": "1"}, {"1": "7", "2": "8"})


def test_two_failures_of_a_kind_are_alike_and_a_number_is_not_a_failure() -> None:
    error, number = Failure("error", "no"), Answered({"1": 1.0}, 1.0)
    assert probes.compared(error, Failure("error", "another line"), ["float64"]) is None
    assert probes.compared(number, error, ["float64"]) == (None, "a number", "error: no")
    assert probes.compared(number, None, ["float64"]) is None
    assert probes.compared(number, Answered({"9": 1.0}, 1.0), ["float64"], {"1": "9"}) is None
    assert probes.compared(number, Answered({}, 1.0), ["float64"]) == ("1", 1.0, "absent")


# -- the verb ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verb knows the miniatures alone."""
    monkeypatch.setattr("rankproof.sheets.libraries", lambda: [miniature("probed")])


@pytest.mark.usefixtures("ours")
def test_the_verb_tells_what_depends_on_what_and_shows_the_smallest_inputs(tmp_path: Path) -> None:
    arguments = ["--probe", "shifted", "-p", "bounds", "-m", "RR", "--random", "0", "--publish", str(tmp_path)]
    done = CliRunner().invoke(verb.command, arguments, standalone_mode=False)
    assert done.return_value == 0
    lines = done.stdout.splitlines()
    assert lines[:2] == ["is not between 0 and 1", "    probed/counts_beyond_one  RR"]
    assert "depends on the sign of the scores" in lines
    assert "    run 1 Q0 b 2 1 run" in lines
    assert any("probed/squares_scores RR of query 1: " in line and ", then " in line for line in lines)
    published = json.loads((tmp_path / "probes.json").read_text())
    assert set(published) == {"rankproof", "asked", "findings"}
    assert {"probe", "library", "variant", "version", "measure", "says", "input", "answers"} <= set(
        published["findings"][0]
    )


@pytest.mark.usefixtures("ours")
def test_the_verb_writes_json() -> None:
    done = CliRunner().invoke(verb.command, ["probed", "-p", "bounds", "-m", "RR", "--json"], standalone_mode=False)
    assert {(f["variant"], f["answers"][0]) for f in json.loads(done.stdout)["findings"]} == {
        ("counts_beyond_one", 2.0), ("is_blank_without_hits", "nan"),
    }  # fmt: skip


@pytest.mark.usefixtures("ours")
def test_an_unknown_probe_is_named_with_those_that_are_known() -> None:
    with pytest.raises(probes.UnknownProbe, match=r"row is no probe; known are twice, rows, "):
        CliRunner().invoke(verb.command, ["-p", "row"], standalone_mode=False, catch_exceptions=False)


def test_what_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    adapter = tmp_path / "gone_adapter.py"
    adapter.write_text(
        'LIBRARY, PACKAGES, VARIANTS = "gone", [], {}\n\ndef load():\n    raise ImportError("no \\x1b[1mgone")\n'
    )
    gone = Library("gone", adapter, miniature("probed").sheet)
    monkeypatch.setattr("rankproof.sheets.libraries", lambda: [gone])
    done = CliRunner().invoke(verb.command, [], standalone_mode=False)
    assert done.return_value == 0
    assert "gone was not asked: no \\x1b[1mgone" in done.stderr
