"""First steps of new users: names of registries, ranks that are read as grades, files that hold something else."""

import json
from pathlib import Path

import pytest
from typed_commands import rankproof as typed

import rankproof
from rankproof.evaluate.inputs import BadInput
from rankproof.evaluate.inputs.reading import has_both
from rankproof.evaluate.library_profiles import each_way, profile_named
from rankproof.evaluate.read_profiles import listed_name
from rankproof.measure_names import called
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.workers.known_libraries import ALSO_CALLED, chosen, distribution, libraries, usual_name

# -- names of registries ------------------------------------------------------------------------------------------------


def test_every_library_goes_by_the_name_of_its_distribution() -> None:
    for library in libraries():
        package = library.sheet.package or library.name
        assert usual_name(package) == library.name, "write it into ALSO_CALLED"
        assert [one.name for one in chosen((package,), libraries())] == [library.name]


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("scikit-learn", "sklearn"),
        ("Scikit_Learn/rows", "sklearn/rows"),
        ("pytrec-eval", "pytrec_eval"),
        ("ir-measures/default", "ir_measures/default"),
        ("haystack-ai", "haystack"),
        ("llama.index", "llama_index"),
        ("sentence-transformers", "sentence_transformers"),
        ("pytorch-ignite", "pytorch-ignite"),
        ("trec_eval-9", "trec_eval-9"),
        ("*_eval", "*_eval"),
    ],
)
def test_a_name_is_compared_as_registries_do(typed: str, name: str) -> None:
    assert usual_name(typed) == name


def test_profiles_go_by_these_names_too() -> None:
    assert each_way("scikit-learn") == each_way("sklearn")
    assert profile_named("pytrec-eval").of == profile_named("pytrec_eval").of
    assert listed_name("TF.Ranking") == "tensorflow_ranking"
    assert all(usual_name(name) == usual for name, usual in ALSO_CALLED.items())
    assert len({distribution(name) for name in ALSO_CALLED}) == len(ALSO_CALLED)


@pytest.mark.parametrize("name", ["context_precision@5", "Context_Precision", "context_precision@10"])
def test_the_precision_of_contexts_is_two_things(name: str) -> None:
    with pytest.raises(UnknownMeasure, match="ragas computes an average precision"):
        called(name)


# -- ranks that are read as rels ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rels", [[1, 0, 2], [1, 1, 2], [[1, 3, 2]], [3], [0.5, 1.0]])
def test_of_other_rels_nothing_is_said(rels: list[float]) -> None:
    assert not [one for one in rankproof.evaluate("nDCG", rels).warnings if one.kind == "rather-ranks"]


def test_beside_scores_they_are_rels() -> None:
    assert not rankproof.evaluate("nDCG", [1, 3, 2], [0.3, 0.2, 0.1]).warnings
    of_two = rankproof.evaluate("nDCG", [1, 2, 3], group_id=["a", "a", "b"]).warnings
    assert not [one for one in of_two if one.kind == "rather-ranks"]


@pytest.mark.parametrize(
    ("held", "ranks"), [([1, 3, None, 12], "ranks"), ([2], "ranks"), ({"q1": 1, "q2": None}, "ranks.values()")]
)
def test_ranks_in_a_file_are_refused_with_what_reads_them(held: object, ranks: str, tmp_path: Path) -> None:
    path = tmp_path / "ranks.json"
    path.write_text(json.dumps(held), encoding="utf-8")
    told = typed("evaluate", path, "-m", "RR", cwd=tmp_path).err
    assert (
        f"if these are the ranks of first hits, pass [[int(place == rank) for place in range(1, 1001)] for rank in {ranks}]"
        in told
    )
    assert "and R=1, to rankproof.evaluate in Python" in told


@pytest.mark.parametrize("held", [[], ["a", "b"], [1.5, 2.5], [True, False]])
def test_of_what_is_no_list_of_ranks_none_is_spoken(held: object, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(held), encoding="utf-8")
    with pytest.raises(BadInput) as refused:
        rankproof.evaluate("RR", str(path), {"q1": {"a": 1.0}})
    assert "ranks" not in str(refused.value)


# -- files that hold something else --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["json", "jsonl", "ndjson"])
@pytest.mark.parametrize("name", ["retrieved_ids", "retrieved_somehow"])
def test_a_lone_file_is_qrels_and_run_if_its_objects_have_the_ids_of_both(
    ending: str, name: str, tmp_path: Path
) -> None:
    rows = [{"relevant_ids": [doc], name: [doc, "b"]} for doc in ("a", "c", "d")]
    path = tmp_path / f"questions.{ending}"
    path.write_text(json.dumps(rows) if ending == "json" else "\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert has_both(str(path), {}) is (name == "retrieved_ids")


@pytest.mark.parametrize("line", [1, 3, 4])
def test_where_a_file_is_no_json_is_said_by_its_line(line: int, tmp_path: Path) -> None:
    rows = ['[{"query_id": "q", "doc_id": "a", "relevance": 1}']
    rows += [f', {{"query_id": "q", "doc_id": "{doc}", "relevance": 0}}' for doc in "bcd"]
    rows[line - 1] = rows[line - 1].replace('"doc_id": ', '"doc_id" ')
    path = tmp_path / "qrels.json"
    path.write_text("\n".join([*rows, "]"]), encoding="utf-8")
    with pytest.raises(BadInput, match=rf"qrels\.json:{line}: this is not JSON"):
        rankproof.evaluate("P@1", str(path), {"q": {"a": 1.0}})


@pytest.mark.parametrize("lists", [[[7, 5], [1, 0]], [["1", "0"], ["0"]]])
def test_lists_of_another_number_than_0_and_1_or_of_texts_are_ids(lists: list[list[int]]) -> None:
    """All of them 0 or 1, or one of them twice: so are rels, which `test_input_forms.py` refuses."""
    qrels, run = {f"q{i}": ids for i, ids in enumerate(lists)}, {"q0": [7, 5], "q1": [1, 0]}
    assert rankproof.evaluate("R", qrels, run).per_query["R"].keys() == {"q0", "q1"}
