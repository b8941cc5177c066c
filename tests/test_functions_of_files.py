"""Functions that are given paths: which parameters those are, what stands in the files, and that nothing of them is left."""

import contextlib
import re
import sys
import tempfile
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packaged import made

from rankproof import cases as corpus
from rankproof.calling.call_candidates import Source, load
from rankproof.calling.call_forms import FILES, RANKED_FILES, RELEVANT_FILES, expressed, is_asked, repro
from rankproof.calling.calls import observe
from rankproof.calling.file_arguments import HELD_IN_FILES, NUMBERS, PATHS, TABS
from rankproof.calling.refusing import refused
from rankproof.calling.targets import BadFunction, Target
from rankproof.cases.inputs import Input
from rankproof.checking.examining import examine
from rankproof.checking.looking import SCORES, Blindness
from rankproof.isolating.limits import Limits
from rankproof.reference_impl.notation import parse
from rankproof.telling.check_answer import answer_of
from rankproof.telling.check_text import verdict
from rankproof.telling.check_words import script_of
from rankproof.workers.observations import Answered

DATA = Input(
    qrels=(("q2", "b", 2), ("q2", "a", 0), ("q1", "c", 1), ("q3", "a", 0.5)),
    run=(("q1", "b", 0.5, 2), ("q1", "c", 2.0, 1), ("q3", "a", -1.5, 1), ("q2", "b", 7.0, 1)),
)
"""Three queries, in another order in each file; the rows of q1 stand in another order than their scores."""
LINES = {
    FILES: (
        "q2 0 b 2|q2 0 a 0|q1 0 c 1|q3 0 a 0.5",
        "q1 Q0 b 2 0.5 run|q1 Q0 c 1 2.0 run|q3 Q0 a 1 -1.5 run|q2 Q0 b 1 7.0 run",
    ),
    RELEVANT_FILES: ("q2 0 b 1|q1 0 c 1", "q1 Q0 b 2 0.5 run|q1 Q0 c 1 2.0 run|q3 Q0 a 1 -1.5 run|q2 Q0 b 1 7.0 run"),
    RANKED_FILES: ("q2 0 b 1|q1 0 c 1", "q1 c 1|q1 b 2|q3 a 1|q2 b 1"),
}
IN_ORDER = ("qrels_file", "run_file")
EACH = 100
"""Every so many cases are enough to see what is left behind."""
HERE = Limits(isolated=False)
"""In this process: one of its own reads and writes the same files, and takes longer."""
NUMBER_OF = {"q1": "1", "q2": "2", "q3": "3", "a": "1", "b": "2", "c": "3"}
"""Ids as whole numbers: of queries and of docs, in the order of the ids."""


def seen_by(
    form: Any, container: str, *, numbered: bool, columns: tuple[str, ...] = ()
) -> tuple[list[Any], list[str], str]:
    """What a function is given in its two arguments, what stands in the files, and the script that does the same."""
    given: list[Any] = []
    texts: list[str] = []

    def reads(qrels: Any, run: Any) -> float:
        given.extend((type(qrels), Path(qrels).name) for qrels in (qrels, run))
        texts.extend(Path(one).read_text(encoding="utf-8") for one in (qrels, run))
        return 0.5

    asked = expressed(form, DATA)
    assert asked is not None
    target = Target("m:reads", form, tuple(form.roles), container=container, numbered=numbered, columns=columns)
    assert observe(reads, target, asked, None) == Answered(None, 0.5)
    return given, texts, repro(target, asked, None, None)


@pytest.mark.parametrize("form", LINES, ids=lambda form: form.name)
@pytest.mark.parametrize("said", list(product((TABS, None), (NUMBERS, None), (PATHS, None))), ids=str)
def test_a_file_has_the_lines_of_its_form_and_the_script_writes_the_same(
    form: Any, said: tuple[str | None, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, texts, script = seen_by(form, "-".join([HELD_IN_FILES, *filter(None, said)]), numbered=NUMBERS in said)
    expected = [[line.split() for line in text.split("|")] for text in LINES[form]]
    if NUMBERS in said:
        docs = (2, 2) if form is not RANKED_FILES else (2, 1)
        expected = [
            [[NUMBER_OF.get(word, word) if at in {0, doc} else word for at, word in enumerate(line)] for line in lines]
            for lines, doc in zip(expected, docs, strict=True)
        ]
    between = "\t" if TABS in said else " "
    assert texts == ["".join(between.join(line) + "\n" for line in lines) for lines in expected]
    assert [issubclass(kind, Path if PATHS in said else str) for kind, _ in given] == [True, True]
    assert [name for _, name in given] == ["qrels.txt", "run.txt"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("mine", encoding="utf-8")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    module = ModuleType("m")
    vars(module)["reads"] = lambda *both: (type(both[0]), [Path(one).read_text(encoding="utf-8") for one in both])
    monkeypatch.setitem(sys.modules, "m", module)
    printed: list[Any] = []
    exec(script, {"print": printed.append})  # noqa: S102 - our own script
    ((kind, again),) = printed
    assert (again, issubclass(kind, Path)) == (texts, PATHS in said)
    assert (tmp_path / "qrels.txt").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "run.txt").exists()


NAMES = ("qid", "doc", "gain", "points", "place")
HELD = {
    ("csv", FILES): (
        "qid,doc,gain|q2,b,2|q2,a,0|q1,c,1|q3,a,0.5",
        "qid,doc,points,place|q1,b,0.5,2|q1,c,2.0,1|q3,a,-1.5,1|q2,b,7.0,1",
    ),
    ("csv", RANKED_FILES): ("qid,doc,gain|q2,b,1|q1,c,1", "qid,doc,points|q1,c,1|q1,b,2|q3,a,1|q2,b,1"),
    ("tabs-csv", RELEVANT_FILES): (
        "qid\tdoc\tgain|q2\tb\t1|q1\tc\t1",
        "qid\tdoc\tpoints\tplace|q1\tb\t0.5\t2|q1\tc\t2.0\t1|q3\ta\t-1.5\t1|q2\tb\t7.0\t1",
    ),
    ("jsonl", FILES): (
        (
            '{"qid": "q2", "doc": "b", "gain": 2}|{"qid": "q2", "doc": "a", "gain": 0}|{"qid": "q1", "doc": "c", "gain": 1}|'
            '{"qid": "q3", "doc": "a", "gain": 0.5}'
        ),
        (
            '{"qid": "q1", "doc": "b", "points": 0.5, "place": 2}|{"qid": "q1", "doc": "c", "points": 2.0, "place": 1}|'
            '{"qid": "q3", "doc": "a", "points": -1.5, "place": 1}|{"qid": "q2", "doc": "b", "points": 7.0, "place": 1}'
        ),
    ),
    ("json", FILES): (
        '{"q2": {"b": 2, "a": 0}, "q1": {"c": 1}, "q3": {"a": 0.5}}',
        '{"q1": {"b": 0.5, "c": 2.0}, "q3": {"a": -1.5}, "q2": {"b": 7.0}}',
    ),
    ("json-lists", RELEVANT_FILES): (
        '{"q2": ["b"], "q1": ["c"]}',
        '{"q1": {"b": 0.5, "c": 2.0}, "q3": {"a": -1.5}, "q2": {"b": 7.0}}',
    ),
    ("json", RANKED_FILES): ('{"q2": {"b": 1}, "q1": {"c": 1}}', '{"q1": ["c", "b"], "q3": ["a"], "q2": ["b"]}'),
    ("jsonl-records", RANKED_FILES): (
        '{"gain": "q2", "points": "q2", "qid": ["b"]}|{"gain": "q1", "points": "q1", "qid": ["c"]}',
        (
            '{"gain": "q1", "points": "q1", "doc": ["c", "b"]}|{"gain": "q3", "points": "q3", "doc": ["a"]}|'
            '{"gain": "q2", "points": "q2", "doc": ["b"]}'
        ),
    ),
    ("json-records", RANKED_FILES): (
        '[{"gain": "q2", "points": "q2", "qid": ["b"]}, {"gain": "q1", "points": "q1", "qid": ["c"]}]',
        (
            '[{"gain": "q1", "points": "q1", "doc": ["c", "b"]}, {"gain": "q3", "points": "q3", "doc": ["a"]}, '
            '{"gain": "q2", "points": "q2", "doc": ["b"]}]'
        ),
    ),
    ("json-lists", RANKED_FILES): ('{"q2": ["b"], "q1": ["c"]}', '{"q1": ["c", "b"], "q3": ["a"], "q2": ["b"]}'),
}
"""What stands in files with a heading and in those of JSON: the same three queries."""


@pytest.mark.parametrize(("said", "form"), HELD, ids=[f"{said}-{form.name}" for said, form in HELD])
def test_files_with_names_hold_the_same_under_them(said: str, form: Any) -> None:
    columns = NAMES[:4] if "records" in said else NAMES
    given, texts, script = seen_by(form, f"{HELD_IN_FILES}-{said}", numbered=False, columns=columns)
    expected = [text.replace("|", "\n") + "\n" for text in HELD[said, form]]
    assert texts == expected
    end = "tsv" if said == "tabs-csv" else said.partition("-")[0]
    assert [name for _, name in given] == [f"qrels.{end}", f"run.{end}"]
    assert all(repr(text)[1:-1] in script.replace('\\"', '"') for text in expected)


def test_a_dict_in_a_file_holds_no_doc_twice_and_rows_do() -> None:
    way = Target("m:f", FILES, IN_ORDER, container="files-json")
    for field in ("qrels", "run"):
        row = getattr(DATA, field)[0]
        twice = replace(DATA, **{field: (*getattr(DATA, field), (*row[:2], 9, *row[3:]))})
        ways = [replace(way, container=f"files{kind}") for kind in ("", "-csv", "-jsonl", "-json")]
        assert [is_asked(one, twice, None) for one in ways] == [True, True, True, False]
        assert is_asked(way, DATA, None)


def test_a_file_is_there_as_long_as_its_path_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    held: list[Any] = []
    for container in (HELD_IN_FILES, f"{HELD_IN_FILES}-{PATHS}"):
        target = Target("m:f", FILES, ("run_file", "qrels_file"), container=container, kept={})
        observe(lambda run, _: held.append(run) or 0.5, target, DATA, None)
        assert Path(held[0]).exists()
        assert len(list(tmp_path.iterdir())) == 2
        assert target.kept is not None
        target.kept.clear()
        held.clear()
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("at", "one"), [(0, "q 1"), (1, "d\t1"), (1, ""), (0, "q\n1"), (1, "d\x85"), (1, "\ud800")])
def test_an_id_that_no_column_holds_is_not_asked_of_files(at: int, one: str) -> None:
    """Whether it stands in the qrels or in the run."""
    way = Target("m:f", FILES, IN_ORDER, container=HELD_IN_FILES)
    assert is_asked(way, DATA, None)
    for field in ("qrels", "run"):
        first, *rows = getattr(DATA, field)
        row = (*first[:at], one, *first[at + 1 :])
        assert not is_asked(way, replace(DATA, **{field: (*rows, row)}), None)
        assert is_asked(replace(way, container="list"), replace(DATA, **{field: (*rows, row)}), None)


OF_PATHS = """
from pathlib import Path
def spaces(qrels_file, run_file): return len(open(qrels_file).read().split())
def tabs(path_to_reference, path_to_candidate): return len(open(path_to_reference, "r", encoding="utf-8").read().split("a\\t"))
def numbers(gold_path, prediction_file): return int(open(gold_path).read().split()[0])
def deep(truth_filename, system_filename): return tabs(truth_filename, system_filename)
def deeper(gold_file, submission_file): return deep(gold_file, submission_file)
def as_paths(labels_file, run_path: Path): return len(run_path.read_text())
def turned(results_path, qrels_path): return 0.5
def texts(truth_tsv, run_txt): return len(open(truth_tsv).read())
def either(first_file, other_path): return 0.5
def beside_lists(y_true, y_score, log_path): return 0.5
def half_a_file(gold_tsv, ranked): return 0.5
def other_half(relevant, run_tsv): return 0.5
def of_one_word(relevant, runfile): return 0.5
def of_a_table(labels, scores, run_csv): return 0.5
def of_lists(relevant, path_to_nowhere): return 0.5
def a_number(ranked_rels, n_file): return 0.5
def beside_a_model(y_true, y_score, model, n_file): return 0.5
def of_a_model(y_true, y_score, model): return 0.5
def of_no_qrels(run_file): return 0.5
def headed(qrels_csv, run_csv): return [csv.DictReader(one)["topic"]["doc_id"]["relevance"]["score"] for one in (qrels_csv, run_csv)]
def of_beir(qrels_path, run_path): return pd.read_csv(qrels_path)["query-id"]["corpus-id"]["score"]["\t"]
def of_lines(qrels_file, run_file): return [json.loads(line)["qid"]["docid"]["label"]["rank"]["score"] for line in open(run_file)]
def of_json(gold_file, predictions_file): return json.load(open(gold_file)), json.load(open(predictions_file))
"""
HEADED = ("topic", "doc_id", "relevance", "score")
"""The columns that `headed` reads."""
WITH_NAMES = {
    "headed": {"files": {("files-csv", HEADED), ("files", ())}, "ranked-files": {("files", ())}},
    "of_beir": {"files": {("files-tabs-csv", ("query-id", "corpus-id", "score", "score")), ("files-tabs", ())}},
    "of_lines": {
        "files": {("files-jsonl", ("qid", "docid", "label", "score", "rank")), ("files-json", ()), ("files", ())},
        "ranked-files": {
            ("files-jsonl", ("qid", "docid", "label", "rank")),
            ("files-json", ()),
            ("files-json-lists", ()),
            ("files", ()),
        },
        "relevant-files": {
            ("files-jsonl", ("qid", "docid", "label", "score", "rank")),
            ("files-json-lists", ()),
            ("files", ()),
        },
    },
    "of_json": {
        "files": {("files-json", ()), ("files", ())},
        "relevant-files": {("files-json-lists", ()), ("files", ())},
        "ranked-files": {("files-json", ()), ("files-json-lists", ()), ("files", ())},
    },
}
"""By the form of a function, the containers that are tried, with their columns."""


@pytest.mark.parametrize("name", WITH_NAMES)
def test_who_reads_a_heading_or_json_is_given_files_that_have_it(name: str, tmp_path: Path) -> None:
    (tmp_path / "scripts.py").write_text(OF_PATHS, encoding="utf-8")
    found = load(Source(f"{tmp_path / 'scripts.py'}:{name}", parse("P@5"))).candidates.targets
    for form, expected in WITH_NAMES[name].items():
        tried = [(target.container, target.columns) for target in found if target.form.name == form]
        assert set(tried) == expected
        assert not tried or tried[-1][0] in {"files", "files-tabs"}, "what has no names comes last"


@pytest.mark.parametrize(
    ("name", "measure", "lacking", "of_file"),
    [
        *(
            (name, "P@5", lacking, lacking)
            for name, lacking in (
                ("beside_lists", "log_path"),
                ("half_a_file", "gold_tsv"),
                ("other_half", "run_tsv"),
                ("of_one_word", "runfile"),
                ("of_a_table", "run_csv"),
                ("of_lists", "path_to_nowhere"),
                ("a_number", "n_file"),
            )
        ),
        ("beside_a_model", "P@5", "model, n_file", "n_file"),
        ("of_a_model", "P@5", "model", ""),
        ("of_no_qrels", "P@5", "", ""),
        ("turned", "ARI", "", ""),
    ],
)
def test_a_refusal_says_of_a_parameter_that_it_may_be_the_path_of_a_file_only_where_its_name_does(
    name: str, measure: str, lacking: str, of_file: str, tmp_path: Path
) -> None:
    """What a number were given to, as a path, would open what is open under that number."""
    (tmp_path / "scripts.py").write_text(OF_PATHS, encoding="utf-8")
    found = load(Source(f"{tmp_path / 'scripts.py'}:{name}", parse(measure))).candidates
    assert (", ".join(found.foreign), found.targets) == (lacking, ())
    said = str(refused(found, (), (None, 5), None))
    assert (f" needs {lacking}: " if lacking else " cannot be called by the number of its arguments") in said
    assert ("needs" in said) is bool(lacking)
    assert ("path of a file" in said) is bool(of_file)
    assert re.findall(r"If (\w+) is the path of a file, as its name says: ", said) == [of_file] * bool(of_file)


@pytest.mark.parametrize(
    ("name", "order", "containers"),
    [
        *((name, IN_ORDER, {"files-tabs"}) for name in ("tabs", "deep", "deeper")),
        ("spaces", IN_ORDER, {"files"}),
        ("texts", IN_ORDER, {"files"}),
        ("turned", IN_ORDER[::-1], {"files"}),
        ("numbers", IN_ORDER, {"files", "files-numbers"}),
        ("as_paths", IN_ORDER, {"files-paths"}),
        ("either", None, {"files"}),
    ],
)
def test_names_of_paths_are_given_files_and_nothing_else(
    name: str, order: tuple[str, ...] | None, containers: set[str], tmp_path: Path
) -> None:
    (tmp_path / "scripts.py").write_text(OF_PATHS, encoding="utf-8")
    found = load(Source(f"{tmp_path / 'scripts.py'}:{name}", parse("P@5"))).candidates
    ways = [target for target in found.targets if target.form is FILES]
    assert {target.container for target in ways} == containers
    assert {target.order for target in ways} == ({order} if order else set(permutations(FILES.roles)))
    assert {target.numbered for target in ways} == {NUMBERS in container.split("-") for container in containers}
    assert {target.form for target in found.targets} == {FILES, RELEVANT_FILES, RANKED_FILES}


def test_who_names_the_form_may_call_paths_anything(tmp_path: Path) -> None:
    (tmp_path / "scripts.py").write_text("def f(pred, gold, k=3): return open(gold)", encoding="utf-8")
    named = Source(f"{tmp_path / 'scripts.py'}:f", parse("P@5"), RANKED_FILES, None, {}, ("ranked_file", "qrels_file"))
    (way,) = load(named).candidates.targets
    assert (way.order, way.k, way.container) == (("ranked_file", "qrels_file"), "k", "files")
    by_name = load(replace(named, order=())).candidates.targets
    assert {way.order for way in by_name} == set(permutations(RANKED_FILES.roles))


ENDING = """
import os
def metric(qrels_file, run_file, k=5):
    lines = open(run_file).read().splitlines()
    {fault}
    return len([line.split()[2] for line in lines[:k]]) / k
"""


@pytest.mark.in_turn
@pytest.mark.parametrize(
    "fault", ["os._exit(3)", "raise ValueError(run_file)", "os.remove(run_file)", "held.append(run_file)"]
)
def test_nothing_of_the_files_is_left(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    (tmp_path / "ending.py").write_text(f"held = []\n{ENDING.format(fault=fault)}", encoding="utf-8")
    with contextlib.suppress(BadFunction):  # some of them give no number
        examine(None, "P@5", name=f"{tmp_path / 'ending.py'}:metric", cases=corpus.load_all()[::EACH])
    assert list(temporary.iterdir()) == []


BY_ORDER = """
def rr(qrels_path, run_path, order, k):
    relevant, ranked = {}, {}
    for line in open(qrels_path):
        query, _, doc, rel = line.split()
        relevant.setdefault(query, set()).update([doc] if float(rel) >= 1 else [])
    for line in open(run_path):
        query, _, doc, rank, score, _ = line.split()
        ranked.setdefault(query, []).append((int(rank), -float(score), doc))
    ranks = {q: [i for i, row in enumerate(order(ranked.get(q, []))[:k], 1) if row[2] in docs] for q, docs in relevant.items()}
    return {query: 1 / min(each) if each else 0.0 for query, each in ranks.items()}

def by_ranks(qrels_path, run_path, k=5):
    return rr(qrels_path, run_path, lambda rows: sorted(rows, key=lambda row: row[0]), k)

def by_ranks_and_docs(qrels_path, run_path, k=5):
    return rr(qrels_path, run_path, lambda rows: sorted(rows, key=lambda row: (row[0], row[2])), k)

def by_scores(qrels_path, run_path, k=5):
    return rr(qrels_path, run_path, lambda rows: sorted(rows, key=lambda row: row[1]), k)

def by_all_ranks(qrels_path, run_path):
    return by_ranks(qrels_path, run_path, 10**6)

def by_lines(qrels_path, run_path, k=5):
    return rr(qrels_path, run_path, lambda rows: rows if len(rows) != 7 else rows[::-1], k)
"""


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("name", "measure", "order", "is_whole"),
    [
        ("by_ranks", "RR@5", "rank", True),
        ("by_all_ranks", "RR", "rank", True),
        ("by_ranks_and_docs", "RR@5", "rank", False),
        ("by_scores", "RR@5", "score", True),
    ],
)
def test_who_takes_the_ranks_that_a_file_says_looks_at_no_scores_and_is_right(
    name: str, measure: str, order: str, tmp_path: Path, *, is_whole: bool
) -> None:
    """Docs of one rank are another matter: what is said of them is what differs, and no fault of all that is right.

    No library is claimed to rank by ranks where RR has no cutoff.
    """
    (tmp_path / "orders.py").write_text(BY_ORDER, encoding="utf-8")
    checked = examine(None, measure, name=f"{tmp_path / 'orders.py'}:{name}", limits=HERE)
    assert checked.fault is None, verdict(checked)
    assert checked.ordinary.follows.order == order
    assert (checked.ordinary.misses == []) == is_whole
    assert 0.9 * checked.ordinary.asked <= checked.ordinary.explained
    assert not checked.is_unknown


@pytest.mark.in_turn
def test_who_takes_the_lines_of_a_file_as_they_come_but_for_some_looks_at_no_scores(tmp_path: Path) -> None:
    """Only where it takes the ranks is that excused."""
    (tmp_path / "orders.py").write_text(BY_ORDER, encoding="utf-8")
    checked = examine(None, "RR@5", name=f"{tmp_path / 'orders.py'}:by_lines", limits=HERE)
    assert isinstance(checked.fault, Blindness)
    assert checked.fault.about == SCORES


BY_LINES = """
def ap(qrels_path, run_path):
    relevant = {tuple(line.split()[::2]) for line in open(qrels_path) if float(line.split()[3]) >= 1}
    seen, hits, total = {}, {}, {}
    for line in open(run_path):
        query, _, doc = line.split()[:3]
        seen[query] = seen.get(query, 0) + 1
        if (query, doc) in relevant:
            hits[query] = hits.get(query, 0) + 1
            total[query] = total.get(query, 0) + hits[query] / seen[query]
    counted = {query: sum(one[0] == query for one in relevant) for query in seen}
    return {query: total.get(query, 0) / max(counted[query], 1) for query in seen}
"""


def test_of_lines_that_say_a_rank_it_is_not_said_which_order_is_taken_in_place_of_scores(tmp_path: Path) -> None:
    (tmp_path / "lines.py").write_text(BY_LINES, encoding="utf-8")
    checked = examine(None, "AP", name=f"{tmp_path / 'lines.py'}:ap", cases=corpus.load_all()[::3], limits=HERE)
    seen = [one.plain_sentence for one in checked.unseen if one.about == SCORES]
    assert len(seen) == 1
    assert re.match(r"it never looks at the scores: it gives \S+ whether scores fall or rise", seen[0])


@pytest.mark.parametrize(
    ("call", "first", "lacking"),
    [
        *(
            (call, "one-id", ())
            for call in (
                "f(results, expected_filename, k=5)",
                "f(target_file_name: str, retrieved: list[str], k: int = 5)",
                "f(results, expected_file, k=5)",
                "f(results, gold_filename, k=5)",
                "f(correct_filename, docs)",
                "f(retrieved_files: list[str], relevant_filename, k=5)",
            )
        ),
        ("f(relevant_filename, run_filename, k=5)", "files", ()),
        ("f(expected_filename, results_path, k=5)", "files", ()),
        ("f(retrieved_paths, relevant_paths, k=5)", "ids", ()),
        ("f(results, gold_file, k=5)", "", ("gold_file",)),
        ("f(results, qrels_path, k=5)", "", ("qrels_path",)),
    ],
)
def test_the_name_of_the_file_that_is_to_be_found_is_an_id_where_nothing_beside_it_is_a_path(
    call: str, first: str, lacking: tuple[str, ...]
) -> None:
    found = load(Source("m:f", parse("Success@5"), None, made(call, "0.0"))).candidates
    assert next((target.form.name for target in found.targets if target.is_named), "") == first
    assert found.foreign == lacking


WITH_HEADINGS = """
import csv, json
from collections import defaultdict
from pathlib import Path

def lines_of(path):
    return Path(path).read_text(encoding="utf-8").splitlines()

def recall_of_tables(qrels_csv, results_csv, k=5):
    gold, got = defaultdict(set), defaultdict(list)
    for row in csv.DictReader(lines_of(qrels_csv)):
        if int(row["relevance"]) > 0:
            gold[row["query_id"]].add(row["doc_id"])
    for row in csv.DictReader(lines_of(results_csv)):
        got[row["query_id"]].append((float(row["score"]), row["doc_id"]))
    found = [len(docs & {doc for _, doc in sorted(got[query])[::-1][:k]}) / len(docs) for query, docs in gold.items()]
    return sum(found) / len(found)

def hits_of_dicts(gold_file, predictions_file, k=5):
    gold, got = json.loads(Path(gold_file).read_text(encoding='utf-8')), json.loads(Path(predictions_file).read_text(encoding='utf-8'))
    return sum(bool(set(gold[query]) & set(got.get(query, [])[:k])) for query in gold) / len(gold)

def precision_of_scores(qrels_path, run_path, k=5):
    gold, got = json.loads(Path(qrels_path).read_text(encoding='utf-8')), json.loads(Path(run_path).read_text(encoding='utf-8'))
    best = {query: sorted(docs, key=docs.get, reverse=True)[:k] for query, docs in got.items()}
    return {query: sum(gold.get(query, {}).get(doc, 0) > 0 for doc in docs) / k for query, docs in best.items()}

def rr_of_lines(reference_file, candidate_file, first=1):
    gold, got = defaultdict(set), defaultdict(list)
    for row in map(json.loads, lines_of(reference_file)):
        gold[row["qid"]].add(row["pid"])
    for row in map(json.loads, lines_of(candidate_file)):
        got[row["qid"]].append((row["rank"], row["pid"]))
    return sum(next((first / rank for rank, doc in sorted(got[query]) if doc in docs), 0) for query, docs in gold.items()) / len(gold)

def recall_of_records(gold_file, pred_file, k=5):
    gold = {one["qid"]: set(one["positive_ids"]) for one in map(json.loads, lines_of(gold_file))}
    got = [one for one in map(json.loads, lines_of(pred_file)) if gold.get(one["qid"])]
    return sum(len(gold[one["qid"]] & {*one["retrieved"][:k]}) / len(gold[one["qid"]]) for one in got) / len(got)

def recall_of_lists(gold_file, pred_file, k=5):
    gold, got = (json.loads(Path(one).read_text(encoding="utf-8")) for one in (gold_file, pred_file))
    relevant = {one["qid"]: set(one["positive_ids"]) for one in gold if one["positive_ids"]}
    got = [one for one in got if one["qid"] in relevant]
    return sum(len(relevant[one["qid"]] & {*one["retrieved"][:k]}) / len(relevant[one["qid"]]) for one in got) / len(got)

def half_of_lines(reference_file, candidate_file):
    return rr_of_lines(reference_file, candidate_file, 0.5)
"""


@pytest.mark.parametrize(
    ("name", "measure", "said", "form", "container"),
    [
        ("recall_of_tables", "R@5", "yes: ", "files", "files-csv"),
        ("hits_of_dicts", "Success@5", "yes: ", "ranked-files", "files-json"),
        ("precision_of_scores", "P@5", "yes: ", "files", "files-json"),
        ("rr_of_lines", "RR", "yes: ", "ranked-files", "files-jsonl"),
        ("recall_of_records", "R@5", "yes: ", "ranked-files", "files-jsonl-records"),
        ("recall_of_lists", "R@5", "yes: ", "ranked-files", "files-json-records"),
        ("half_of_lines", "RR", "no: ", "ranked-files", "files-jsonl"),
    ],
)
def test_files_with_a_heading_or_of_json_are_read_and_what_is_wrong_of_them_is_wrong(
    name: str, measure: str, said: str, form: str, container: str, tmp_path: Path
) -> None:
    (tmp_path / "tables.py").write_text(WITH_HEADINGS, encoding="utf-8")
    checked = examine(None, measure, name=f"{tmp_path / 'tables.py'}:{name}", cases=corpus.load_all()[::8], limits=HERE)
    assert answer_of(checked).sentence.startswith(said)
    assert (checked.target.form.name, checked.target.container) == (form, container)
    shown: list[Any] = []
    exec(script_of(checked), {"print": shown.append})  # noqa: S102 - the lines to type
    assert len(shown) == 1
