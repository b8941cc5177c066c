"""Where strangers tripped: no measure said, names of registries, ranks that are read as rels, rankings without a doc."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typed import rankproof as typed

import rankproof
from rankproof.calling.call_forms import FORMS, is_asked
from rankproof.calling.likely_measures import likely_measure, methods_of, what_to_type
from rankproof.calling.targets import Target
from rankproof.cases.inputs import Input
from rankproof.evaluating.inputs import BadInput
from rankproof.evaluating.inputs.reading import holds_both
from rankproof.evaluating.library_profiles import each_way, profile_named
from rankproof.evaluating.read_profiles import way_called
from rankproof.meaning.measure_names import called
from rankproof.reference_impl.notation import UnknownMeasure, parse
from rankproof.workers.known_libraries import ALSO_CALLED, chosen, distribution, libraries, usual_name

# -- check without a measure --------------------------------------------------------------------------------------------

FILE = """
def hit_rate(relevant, ranked, k):
    return 0

def mapk(actual, predicted, k=10):
    return 0

def _mrr(ranks):
    return 0

def load(path):
    raise SystemExit("it is read, and not run")

class NDCG:
    pass

raise SystemExit("it is read, and not run")
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(FILE, encoding="utf-8")
    return tmp_path / "mine.py"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mine.py:mapk", "AP@10", "-m", "AP@5"], "'AP@10' and -m 'AP@5': say one measure"),
        (["mine.py:none", "AP@10"], "mine.py has no none"),
        (["mine.py:mapk", "ndgc@10"], "ndgc@10 is no measure known here; did you mean nDCG?"),
    ],
)
def test_the_measure_may_be_the_second_word(words: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def mapk(actual, predicted, k=10):\n    return 0\n", encoding="utf-8")
    assert said in said_of(*words, folder=tmp_path)


def said_of(*words: str, folder: Path) -> str:
    ended = typed("check", *words, cwd=folder)
    assert (ended.code, ended.out) == (2, "")
    return ended.err


def test_of_a_file_alone_its_functions_are_named_each_with_its_line(file: Path) -> None:
    told = said_of(str(file), folder=file.parent)
    lines = [f"rankproof check {file}:{name}" for name in ("hit_rate -m Success@10", "mapk -m AP@10", "NDCG -m nDCG")]
    assert "; ".join(lines) in told
    assert "_mrr" not in told
    assert "load" not in told


def test_of_a_function_the_measure_is_guessed_by_its_name_and_typed_by_the_person(file: Path) -> None:
    assert f"by its name: rankproof check {file}:mapk -m AP@10;" in said_of(f"{file}:mapk", folder=file.parent)
    assert f"computes, by -m, as rankproof check {file}:load -m nDCG@10;" in said_of(f"{file}:load", folder=file.parent)
    assert "rankproof check any.module:recall_at_k -m R@10;" in said_of("any.module:recall_at_k", folder=file.parent)


def test_of_many_functions_four_lines_are_written_and_the_others_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "six.py"
    names = ("rr", "ndcg", "_err", "hit_rate", "load", "recall")
    file.write_text("async def dcg(docs, *, k): ...\n" + "".join(f"def {name}(docs): ...\n" for name in names))
    typed_of = ("dcg -m DCG@10", "rr -m RR", "ndcg -m nDCG", "hit_rate -m Success@10")
    lines = [f"rankproof check {file}:{one}" for one in typed_of]
    said = f"say which function, and by -m what it computes: {'; '.join(lines)}"
    assert what_to_type(str(file)) == f"{said}; and 1 more"
    file.write_text(file.read_text().replace("def recall", "def call"))
    assert what_to_type(f"{file}:") == said
    file.write_text("def _own(): ...\ndef load(): ...\ndef save(): ...\n")
    assert what_to_type(str(file)).endswith(f"by -m what it computes, as rankproof check {file}:load -m nDCG@10")
    file.write_text(
        "class Of:\n    def __init__(self): ...\n    def _b(self): ...\n    def c(self): ...\n    d = 1\n    def a(self): ...\n"
    )
    assert methods_of(f"{file}:Of") == (f"{file}:Of.c", f"{file}:Of.a")
    assert methods_of(f"{file}:Other") == ()
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "inner.py").write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert methods_of("pack.inner:Of") == ("pack.inner:Of.c", "pack.inner:Of.a")
    assert methods_of("pack.outer:Of") == ()


def test_of_what_is_no_file_that_is_said(tmp_path: Path) -> None:
    assert what_to_type(f"{tmp_path}/none.py").startswith(f"{tmp_path}/none.py is no file here")
    (tmp_path / "wrong.py").write_text("def (", encoding="utf-8")
    assert "wrong.py:FUNCTION -m nDCG@10" in what_to_type(f"{tmp_path}/wrong.py")
    assert what_to_type("a module").endswith("rankproof check 'a module:FUNCTION' -m nDCG@10")


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("calc_recall", "R@10"),
        ("avg_prec", "AP"),
        ("roc_gauc_score", "AUC"),
        ("NDCGatK_r", "nDCG"),
        ("r_precision", "Rprec"),
        ("getHitRatio", "Success@10"),
        ("hits_at_n_score", "Success@10"),
        ("dcg_at_k", "DCG@10"),
        ("Metrics.mrr", "RR"),
        ("f1_score", "F@10"),
        ("mean_reciprocal_rank", "RR"),
        ("error_rate", None),
        ("evaluate", None),
        ("mark", None),
        ("bpref_at_10", "Bpref"),
        ("rbp_k", "RBP"),
        ("auc_at_k", "AUC"),
        ("r_precision_at_5", "Rprec"),
        ("err_10", "ERR@10"),
        ("f_beta", "F@10"),
        ("map_of_docs", "AP"),
        ("grape", None),
        ("rr_at_k", "RR@10"),
        ("first_rr", "RR"),
        ("arrears", None),
    ],
)
def test_names_speak_of_measures(name: str, measure: str | None) -> None:
    assert likely_measure(name) == measure
    assert measure is None or parse(measure)


@pytest.mark.parametrize(
    "taken", ["actual, predicted, k=10", "actual, predicted, /, k", "k, /, actual", "actual, *, predicted, k=10"]
)
def test_a_cutoff_is_seen_wherever_it_stands_among_the_parameters(taken: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(f"def ap({taken}):\n    return 0\n\ndef map(actual, predicted):\n    return 0\n", encoding="utf-8")
    assert what_to_type(f"{path}:ap").endswith(f"rankproof check {path}:ap -m AP@10")
    assert what_to_type(f"{path}:map").endswith(f"rankproof check {path}:map -m AP")


CLASSES = """
class Search:
    def __init__(self, cutoff=10):
        self.cutoff = cutoff

    def _dcg(self, rels):
        return sum(rels)

    def mean_ndcg(self, judged, results):
        return 0.5

    def coverage(self, results):
        return 0.5


class Other:
    def recall(self, judged, results):
        return 0.5


class Bare:
    cutoff = 10
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Search", "; name one of its methods, as {}:Search.mean_ndcg or {}:Search.coverage, or wrap it, "),
        ("Bare", "annotations say; wrap it, "),
    ],
)
def test_of_a_class_that_is_not_called_its_methods_are_named(name: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "classes.py"
    path.write_text(CLASSES, encoding="utf-8")
    assert said.format(path, path) in said_of(f"{path}:{name}", "nDCG@10", folder=tmp_path)


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
    assert way_called("TF.Ranking") == "tensorflow_ranking"
    assert all(usual_name(name) == usual for name, usual in ALSO_CALLED.items())
    assert len({distribution(name) for name in ALSO_CALLED}) == len(ALSO_CALLED)


@pytest.mark.parametrize("name", ["context_precision@5", "Context_Precision", "context_precision@10"])
def test_the_precision_of_contexts_is_two_things(name: str) -> None:
    with pytest.raises(UnknownMeasure, match="that of ragas is an average precision, AP@k, and that of others is P@k"):
        called(name)


# -- ranks that are read as rels ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranks", [[1, 3, 2], [2, 1], [4, 1, 3]])
def test_small_ranks_may_be_rels_and_it_is_said_that_they_were_read_so(ranks: list[int]) -> None:
    result = rankproof.evaluate(["RR", "nDCG"], ranks)
    assert result.mean["RR"] == 1.0
    (told,) = [one for one in result.warnings if one.kind == "rather-ranks"]
    assert told.count == len(ranks)
    assert "were read as the rels of one ranking; if these are the ranks of first hits, give [[int(" in told.text


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
        f"if these are the ranks of first hits, give [[int(place == rank) for place in range(1, 1001)] for rank in {ranks}]"
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


# -- rankings without a doc ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "is_it"), [([], True), ([0.5, 1.0], True), ([1.0, 2.0], False), ([0.5], True), ([3.0], False)]
)
def test_who_raises_for_whole_scores_is_asked_a_ranking_without_docs(scores: list[float], is_it: bool) -> None:  # noqa: FBT001 - as given
    run = tuple(("q1", f"d{at}", score, at) for at, score in enumerate(scores, start=1))
    empty, target = () if run else ("q1",), Target("m:f", FORMS["rows"], of_fractions=True)
    data = Input(tuple((*row[:2], 1) for row in run), run, empty_in_run=empty, empty_in_qrels=empty)
    assert is_asked(target, data, None) is is_it
    beside = replace(data, qrels=(*data.qrels, ("q2", "e", 1)), run=(("q2", "e", 0.25, 1), *data.run))
    assert is_asked(target, beside, None) is is_it, "one of two queries is enough"


@pytest.mark.parametrize("ending", ["json", "jsonl", "ndjson"])
@pytest.mark.parametrize("name", ["retrieved_ids", "retrieved_somehow"])
def test_a_lone_file_is_qrels_and_run_if_its_objects_have_the_ids_of_both(
    ending: str, name: str, tmp_path: Path
) -> None:
    rows = [{"relevant_ids": [doc], name: [doc, "b"]} for doc in ("a", "c", "d")]
    path = tmp_path / f"questions.{ending}"
    path.write_text(json.dumps(rows) if ending == "json" else "\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert holds_both(str(path), {}) is (name == "retrieved_ids")


@pytest.mark.parametrize("line", [1, 3, 4])
def test_where_a_file_is_no_json_is_said_by_its_line(line: int, tmp_path: Path) -> None:
    rows = ['[{"query_id": "q", "doc_id": "a", "relevance": 1}']
    rows += [f', {{"query_id": "q", "doc_id": "{doc}", "relevance": 0}}' for doc in "bcd"]
    rows[line - 1] = rows[line - 1].replace('"doc_id": ', '"doc_id" ')
    path = tmp_path / "qrels.json"
    path.write_text("\n".join([*rows, "]"]), encoding="utf-8")
    with pytest.raises(BadInput, match=rf"qrels\.json:{line}: this is no JSON"):
        rankproof.evaluate("P@1", str(path), {"q": {"a": 1.0}})


@pytest.mark.parametrize("lists", [[[7, 5], [1, 0]], [["1", "0"], ["0"]]])
def test_lists_of_another_number_than_0_and_1_or_of_texts_are_ids(lists: list[list[int]]) -> None:
    """All of them 0 or 1, or one of them twice: so are rels, which `test_input_forms.py` refuses."""
    qrels, run = {f"q{i}": ids for i, ids in enumerate(lists)}, {"q0": [7, 5], "q1": [1, 0]}
    assert rankproof.evaluate("R", qrels, run).per_query["R"].keys() == {"q0", "q1"}
