"""Qrels and runs in every form that people bring, drawn: each row is read as it stands and where it stands; what is wrong is said of it."""

import gzip
import json
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from drawn_collections import Chance, chance
from refusing import refusal

from rankproof.evaluate.api import evaluate
from rankproof.evaluate.asked_measures import strictest_of
from rankproof.evaluate.inputs import BadInput, read_qrels, read_run
from rankproof.evaluate.inputs.any_form import Options, columns_of, read_input
from rankproof.evaluate.inputs.column_names import CALLED
from rankproof.evaluate.inputs.lists import refuse_ties
from rankproof.evaluate.inputs.run_files import run_files
from rankproof.evaluate.inputs.systems import by_system, systems_of
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow

BY_RANK = STANDARD.replace(order="rank")
LENIENT = STANDARD.replace(run_duplicates="both", qrels_duplicates="both")
IDS = ("q1", "Q1", "7", "07", "é", "x|y", "a;b", "[3]", "d-1", '"', "nan", "\u202ez", "0")
Rows = Sequence[Sequence[Any]]
FIELDS = {"qrels": ("query_id", "doc_id", "relevance"), "run": ("query_id", "doc_id", "score", "rank")}


@dataclass(frozen=True)
class Written:
    """Rows in some form: what is given, what its rows are counted by, the number of each, and what is to be said of them."""

    source: Any
    name: str
    unit: str
    numbers: Sequence[int]
    columns: Mapping[str, str]
    separator: str | None = None


def rows_of(c: Chance, side: str) -> list[list[Any]]:
    """Some rows of several queries, which are not together."""
    pairs = [(q, d) for q in c.sample(IDS, 4) for d in c.sample(IDS, 4)]
    pairs = c.sample(pairs, c.randint(4, 12))
    if side == "qrels":
        return [[q, d, c.choice([0, 1, 2, -1, 3])] for q, d in pairs]
    return [[q, d, c.choice([0.5, 1.25, -2.0, 1e-9, 3.0]), rank] for rank, (q, d) in enumerate(pairs, start=3)]


def header(c: Chance, side: str) -> tuple[list[str], list[int], dict[str, str]]:
    """The names of the columns and which field each holds, -1 for one of something else; and what is to be said of them."""
    fields = FIELDS[side]
    queries, docs = c.choice([(CALLED["query_id"], CALLED["doc_id"])] * 3 + [(("qid",), ("docno",))])
    of = [c.choice(queries), c.choice(docs), *(c.choice(CALLED[field]) for field in fields[2:])]
    said = {}
    for i, field in enumerate(fields):
        if c.random() < 0.2:
            of[i] = f"MY {field}"
            said[field] = of[i]
    columns = [*enumerate(of), *((-1, name) for name in c.sample(["Q0", "tag", "comment"], c.randint(0, 2)))]
    c.shuffle(columns)
    return [name for _, name in columns], [i for i, _ in columns], said


def cells(row: Sequence[Any], which: Sequence[int]) -> list[Any]:
    """A row in the order of the columns."""
    return [row[i] if i >= 0 else "x" for i in which]


def of_trec(c: Chance, side: str, rows: Rows, folder: Path) -> Written:
    """A file of TREC, with blank lines, perhaps packed."""
    end = c.choice(["\n", "\r\n"])
    lines, numbers = [], []
    for row in rows:
        lines += [""] * c.choice([0, 0, 0, 1, 2]) * bool(lines)
        last = [row[2]] if side == "qrels" else [row[3], row[2], "t"]
        lines.append(c.choice([" ", "\t", "  "]).join(map(str, [row[0], "Q0", row[1], *last])))
        numbers.append(len(lines))
    data = "".join(f"{line}{end}" for line in lines).encode()
    path = folder / c.choice([f"{side}.txt", f"{side}.gz", f"{side}.csv"])
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" or c.random() < 0.2 else data)
    return Written(c.choice([str(path), path]), str(path), "line", numbers, {})


def of_separated(c: Chance, side: str, rows: Rows, folder: Path) -> Written:
    """A file whose first line names the columns."""
    names, which, said = header(c, side)
    ending, separator = c.choice([(".csv", ","), (".csv", ";"), (".tsv", "\t"), (".txt", "|"), (".csv", "|")])
    lines = [separator.join(names)]
    numbers = []
    for row in rows:
        lines += [""] * c.choice([0, 0, 0, 1])
        texts = [str(cell).replace('"', '""') for cell in cells(row, which)]
        lines.append(separator.join(f'"{text}"' if separator in text or '"' in text else text for text in texts))
        numbers.append(len(lines))
    path = folder / f"{side}{ending}"
    path.write_bytes(("\ufeff" * (c.random() < 0.3)).encode() + "".join(f"{line}\n" for line in lines).encode())
    return Written(str(path), str(path), "line", numbers, said, separator if separator == "|" else None)


def objects(c: Chance, side: str, rows: Rows) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Rows as objects."""
    names, which, said = header(c, side)
    found = [dict(zip(names, cells(row, which), strict=True)) for row in rows]
    more = c.choice([*CALLED["query_id"], *CALLED["doc_id"]])  # what the first row does not name is no column
    for one in found[1:]:
        if more not in one and c.random() < 0.5:
            one[more] = "x"
    return found, said


def of_json_lines(c: Chance, side: str, rows: Rows, folder: Path) -> Written:
    """A line of JSON a row."""
    found, said = objects(c, side, rows)
    lines, numbers = [], []
    for one in found:
        lines += [""] * c.choice([0, 0, 0, 1])
        lines.append(json.dumps(dict(c.sample(list(one.items()), len(one))) if lines else one))
        numbers.append(len(lines))
    path = folder / f"{side}{c.choice(['.jsonl', '.ndjson', '.jsonl.gz'])}"
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return Written(str(path), str(path), "line", numbers, said)


def of_json(c: Chance, side: str, rows: Rows, folder: Path) -> Written:
    """A list of objects in a file of JSON."""
    found, said = objects(c, side, rows)
    path = folder / f"{side}.json"
    path.write_text(json.dumps(found, indent=c.choice([None, 1])), encoding="utf-8")
    return Written(str(path), str(path), "row", range(1, len(rows) + 1), said)


def of_lists(c: Chance, side: str, rows: Rows, _folder: Path) -> Written:
    """A list for each column, or a frame."""
    names, which, said = header(c, side)
    columns = {name: [cells(row, which)[i] for row in rows] for i, name in enumerate(names)}
    source = pd.DataFrame(columns, index=[f"i{i}" for i in range(len(rows))]) if c.random() < 0.5 else columns
    return Written(source, f"the {side}", "row", range(1, len(rows) + 1), said)


def of_tuples(c: Chance, side: str, rows: Rows, _folder: Path) -> Written:
    """Named tuples of two kinds, one after the other."""
    kinds = []
    for _ in range(2):
        fields = [c.choice(CALLED[field][:2]).replace("-", "_") for field in FIELDS[side]]
        order = c.sample(range(len(fields)), len(fields))
        kinds.append((namedtuple("Row", [fields[i] for i in order]), order))  # noqa: PYI024 - as ir_measures' are
    made = [kind(*(row[i] for i in order)) for row in rows for kind, order in [c.choice(kinds)]]
    return Written(iter(made) if c.random() < 0.3 else made, f"the {side}", "row", range(1, len(rows) + 1), {})


FORMS: Mapping[str, Callable[[Chance, str, Rows, Path], Written]] = {
    "TREC": of_trec,
    "separated": of_separated,
    "JSON Lines": of_json_lines,
    "JSON": of_json,
    "lists": of_lists,
    "tuples": of_tuples,
}


def read(side: str, one: Written, conventions: Conventions) -> Any:
    """The rows that are read."""
    reads = read_qrels if side == "qrels" else read_run
    return reads(one.source, one.columns or None, conventions, separator=one.separator)


def wanted(side: str, rows: Rows, *, with_ranks: bool) -> dict[str, list[Any]]:
    """The rows of each query."""
    found: dict[str, list[Any]] = {}
    for query, doc, value, *rank in rows:
        row = QueryRow(doc, value, *rank if with_ranks else ()) if side == "run" else Judgment(doc, value)
        found.setdefault(query, []).append(row)
    return found


CASES = [(form, side, seed) for form in FORMS for side in FIELDS for seed in range(7)]


@pytest.mark.parametrize(("form", "side", "seed"), CASES)
def test_each_row_is_read_as_and_where_it_stands(form: str, side: str, seed: int, tmp_path: Path) -> None:
    c = chance((form, side, seed))
    rows = rows_of(c, side)
    one, by_rank = FORMS[form](c, side, rows, tmp_path), c.random() < 0.5
    found = read(side, one, BY_RANK if by_rank else STANDARD)
    of = wanted(side, rows, with_ranks=by_rank)
    assert (found.name, found.unit, list(found.of), dict(found.of)) == (one.name, one.unit, list(of), of)
    read_types, types = ([type(row[1]) for own in one.values() for row in own] for one in (found.of, of))
    assert read_types == types
    numbers: dict[str, list[int]] = {}
    for row, number in zip(rows, one.numbers, strict=True):
        numbers.setdefault(row[0], []).append(number)
    assert {query: list(own) for query, own in found.numbers.items()} == numbers


@pytest.mark.parametrize(("form", "side", "seed"), CASES)
def test_what_is_wrong_is_said_of_the_row_in_which_it_is(form: str, side: str, seed: int, tmp_path: Path) -> None:
    c = chance(("wrong", form, side, seed))
    rows = rows_of(c, side)
    at = c.randrange(1, len(rows))
    kind = c.choice(["value", "twice", "rank" if side == "run" else "value"])
    if kind == "twice":
        other = c.randrange(at)
        rows[at][:2] = rows[other][:2]
    else:
        rows[at][3 if kind == "rank" else 2] = c.choice(["1,5", "much", "1_0", *[""] * (form == "separated")])
    one = FORMS[form](c, side, rows, tmp_path)
    with pytest.raises(BadInput) as refused:
        read(side, one, BY_RANK if kind == "rank" else STANDARD)
    is_line = one.unit == "line"
    assert refused.value.where == f"{one.name}{':' if is_line else ', row '}{one.numbers[at]}"
    if kind == "twice":
        first = min(i for i, row in enumerate(rows) if row[:2] == rows[at][:2])
        assert f"stands twice under query {rows[at][0]!r}".replace("\u202e", "\\u202e") in refused.value.what
        assert f"first on {one.unit} {one.numbers[first]};" in refused.value.what
        axis = f"{side}_duplicates"
        assert f"by the profile {axis}=first or {axis}=last" in refused.value.what
        assert sum(map(len, read(side, FORMS[form](chance(1), side, rows, tmp_path), LENIENT).of.values())) == len(rows)
    else:
        is_text = is_line and form != "JSON Lines"
        which = "rank" if kind == "rank" else "rel" if side == "qrels" else "score"
        assert refused.value.what.startswith(f"the {which} '" if is_text else f"the {which} is ")
        has_comma = is_text and kind != "rank" and rows[at][2] == "1,5"
        assert ("it has a comma where numbers have a point" in refused.value.what) == has_comma


# -- which column is which -----------------------------------------------------------------------------------------------


def meant(have: Sequence[str], field: str, said: Mapping[str, str]) -> set[str]:
    """The columns that could be a field."""
    if field in said:
        return {said[field]} & {*have}
    pairs = [pair for pair in (("query_id", "doc_id"), ("qid", "docno")) if {*pair} <= {*have}]
    if len(pairs) == 1 and field in {"query_id", "doc_id"}:
        at = int(field == "doc_id")
        return {name[at] for name in (("query_id", "doc_id"), ("qid", "docno"))} & {*have}
    if field == "relevance" and {*have} == {"query-id", "corpus-id", "score"}:
        return {"score"}
    return {one for one in have if one.removesuffix(":token").removesuffix(":float") in CALLED[field]}


@pytest.mark.parametrize("side", ["qrels", "run"])
@pytest.mark.parametrize("seed", range(90))
def test_a_column_is_what_it_alone_could_be(seed: int, side: str) -> None:
    c = chance(("columns", side, seed))
    pool = [name for field in ("query_id", "doc_id", "relevance", "score", "rank") for name in CALLED[field][:4]]
    others = ["user_id:token", "rating:float", "text", "timestamp", "query-id", "corpus-id"]
    have = c.sample([*pool, *others], c.randint(2, 5))
    ids = c.sample(["query_id", "doc_id", "qid", "docno", "query", "docid"], c.randint(2, 6))
    beir = ["query-id", "corpus-id", "score", *c.sample(["text", "timestamp"], c.randint(0, 1))]
    when = c.choice(["timestamp", "timestamp:float"])
    clicks = c.sample(["user_id", "item_id", when, "time"], c.randint(2, 4))
    have = c.choice([have, beir, [*ids, c.choice(["label", "score", "rank"])], clicks])
    c.shuffle(have)
    said = {field: c.choice(have) for field in ("query_id", "doc_id", "score", "relevance") if c.random() < 0.15}
    source = {name: [10 * i + 3, 10 * i + 1, 10 * i + 2] for i, name in enumerate(have)}
    wants = ["query_id", "doc_id", "relevance" if side == "qrels" else "score"]
    could = {field: meant(have, field, said) for field in wants}
    numbers = {one for one in could[wants[2]] if len(could[wants[2]]) == 1}
    ids = meant(have, "query_id", said) | meant(have, "doc_id", said)
    rest = {one.partition(":")[0] for one in have if one not in ids}
    is_implied = side == "qrels" and "relevance" not in said and rest <= {"timestamp"}
    ranks = meant(have, "rank", said)
    by_rank = side == "run" and "score" not in said and not could["score"] and len(ranks) == 1
    good = all(len(could[field]) == 1 for field in wants[:2]) and (len(numbers) == 1 or is_implied or by_rank)
    if not any(name in {*said.values()} or any(name in of for of in CALLED.values()) for name in have):
        return
    reads: Callable[..., Any] = read_qrels if side == "qrels" else read_run
    if not good:
        said_of_it = refusal(reads, source, said)
        torn = [field for field in wants if len(could[field]) > 1 and not (is_implied and field == "relevance")]
        assert all(f"could be the {field}" in said_of_it for field in torn)
        return
    (query,), (doc,) = could["query_id"], could["doc_id"]
    values = [1, 1, 1]
    if numbers or by_rank:
        values = [-one for one in source[min(ranks)]] if by_rank else source[min(numbers)]
    rows = list(zip(map(str, source[query]), map(str, source[doc]), values, strict=True))
    assert [(q, row[0], row[1]) for q, own in reads(source, said).of.items() for row in own] == rows


def test_what_is_said_of_one_side_stands_on_top_of_what_is_said_of_both() -> None:
    for seed in range(20):
        c = chance(("sides", seed))
        both, qrels, run = ({f: f"{where}{f}" for f in CALLED if c.random() < 0.4} for where in "bqr")
        columns = {**both, "qrels": qrels, "run": run}
        assert columns_of(columns, "qrels") == {f: qrels.get(f, both.get(f)) for f in CALLED if f in both or f in qrels}
        assert columns_of(columns, "run") == {f: run.get(f, both.get(f)) for f in CALLED if f in both or f in run}
        wrong = c.choice(["qrels", "run", ""])
        bad = {**columns, wrong: {**columns[wrong], "doc": "x"}} if wrong else {**columns, "doc": "x"}
        with pytest.raises(BadInput, match="'doc' is none of"):
            columns_of(bad, c.choice(["qrels", "run"]))


# -- several systems -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_runs_in_a_list_are_called_as_they_call_themselves(seed: int) -> None:
    c = chance(("systems", seed))
    runs: list[Any] = []
    own: list[str] = []
    for _ in range(c.randint(2, 5)):
        kind = c.choice(["path", "path", "frame", "dict", "tables", "records"])
        system = c.choice(["bm25", "dense", "run1", "run2"])
        several = c.random() < 0.3
        column = [system, "other" if several else system]
        if kind == "path":
            runs.append(f"{c.choice(['a', 'b', 'c'])}/{system}")
        elif kind == "dict":
            runs.append({"q": {"a": 1.0}})
        else:
            columns = {"query": ["q", "r"], "docid": ["a", "b"], "score": [1.0, 2.0], "system": column}
            records = [namedtuple("Row", columns)(*row) for row in zip(*columns.values(), strict=True)]  # noqa: PYI024 - as above
            runs.append({"frame": pd.DataFrame(columns), "tables": columns, "records": records}[kind])
        own.append(system if kind == "path" or (kind != "dict" and not several) else "")
    both = zip(runs, own, strict=True)
    whole = [run if isinstance(run, str) and own.count(name) > 1 else name for run, name in both]
    unique = {name for name in whole if whole.count(name) == 1}
    called = []
    for i, name in enumerate(whole, start=1):
        number = f"run{i}"
        while number in unique:
            number += "'"
        called.append(name if name and whole.count(name) == 1 else number)
    found = systems_of(runs, {})
    assert found is not None
    assert (list(found), [id(run) for run in found.values()]) == (called, [id(run) for run in runs])


@pytest.mark.parametrize("seed", range(10))
def test_a_run_of_several_systems_is_parted_row_by_row(seed: int, tmp_path: Path) -> None:
    c = chance(("parted", seed))
    rows = [(f"q{c.randint(1, 2)}", f"d{i}", i, c.random(), c.choice(["z", "b", "m"])) for i in range(9)]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(("query", "docid", "rank", "score", "system"))}
    systems = dict.fromkeys(row[4] for row in rows)
    wanted_rows = {system: [row for row in rows if row[4] == system] for system in systems}
    lines = (f"{q} Q0 {d} {rank} {score!r} {system}\n" for q, d, rank, score, system in rows)
    (tmp_path / "run").write_text("".join(lines))
    kind = namedtuple("Row", columns)  # noqa: PYI024 - as above
    named = {"ENGINE" if name == "system" else name: values for name, values in columns.items()}
    for given, said in ((columns, {}), (str(tmp_path / "run"), {"system": "x"}), (named, {"system": "ENGINE"})):
        found = by_system(given, said)
        assert list(found) == list(systems)
        assert {tuple(of) for of in found.values()} == {tuple(named if given is named else columns)}
        assert {s: list(zip(*of.values(), strict=True)) for s, of in found.items()} == wanted_rows
    frames = by_system(pd.DataFrame(columns))
    assert {s: [tuple(row) for row in of.itertuples(index=False)] for s, of in frames.items()} == wanted_rows
    tuples = by_system(iter([kind(*row) for row in rows]))
    assert {s: [tuple(row) for row in of] for s, of in tuples.items()} == wanted_rows


def test_a_folder_and_a_pattern_are_their_files_by_name(tmp_path: Path) -> None:
    for name in ("z", "b.gz", "m", ".hidden"):
        (tmp_path / name).write_text("q Q0 a 1 1 t\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "t.parquet").mkdir()
    (tmp_path / "t.parquet" / "part-0").write_text("")
    names = ["b.gz", "m", "t.parquet", "z"]
    assert run_files(tmp_path) == {name: str(tmp_path / name) for name in names}
    assert run_files(str(tmp_path / "*")) == {name: str(tmp_path / name) for name in names}
    assert run_files({"x": tmp_path / "z", "a": "m"}) == {"x": str(tmp_path / "z"), "a": "m"}
    assert list(run_files([tmp_path / "z", tmp_path])) == ["run1", "b.gz", "m", "t.parquet", "run5"]


# -- lists ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_lists_of_rels_are_the_docs_of_queries_by_their_places(seed: int) -> None:
    c = chance(("lists", seed))
    sizes = [c.randint(1, 4) for _ in range(c.randint(1, 4))]
    rels = [[c.choice([0, 1]) for _ in range(n)] for n in sizes]
    has_scores, way = c.random() < 0.5, c.choice(["nested", "nested", "groups", "frame"])
    scores = [[c.choice([0.5, 1.5, 2.5, -1.0]) for _ in range(n)] for n in sizes]
    beyond = c.choice([None, 5, [c.randint(4, 9) for _ in sizes]])
    names = [f"g{i}" for i in c.sample(range(9), len(sizes))]
    given: Any = rels
    options = Options(R=beyond)
    own: Any = scores if has_scores else None
    if way == "groups":
        order = c.sample([i for i, n in enumerate(sizes) for _ in range(n)], sum(sizes))
        places = [0] * len(sizes)
        flat: list[tuple[str, int, float]] = []
        for i in order:
            flat.append((names[i], rels[i][places[i]], scores[i][places[i]]))
            places[i] += 1
        given, own = [rel for _, rel, _ in flat], [score for *_, score in flat] if has_scores else None
        options = Options(group_id=[name for name, *_ in flat], R=beyond)
        first = list(dict.fromkeys(order))
        names, rels, scores = ([of[i] for i in first] for of in (names, rels, scores))
    elif way == "frame" and len({*sizes}) == 1:
        given = pd.DataFrame(rels, index=names)
        own = pd.DataFrame(scores, index=names) if has_scores else None
    else:
        names = [str(i) for i in range(1, len(sizes) + 1)]
    found = read_input(given, own, options, STANDARD)
    assert (found.docids, found.several, list(found.runs)) == (False, False, [""])
    run, counts = found.runs[""].of, [beyond] * len(sizes) if not isinstance(beyond, list) else beyond
    assert list(found.qrels.of) == list(run) == names
    for name, own_rels, own_scores, count in zip(names, rels, scores, counts, strict=True):
        more = [] if count is None else [(f"beyond {i}", 1) for i in range(1, count - sum(own_rels) + 1)]
        n = len(own_rels)
        docs = [str(i) for i in range(1, n + 1)]
        assert list(map(tuple, found.qrels.of[name])) == [*zip(docs, own_rels, strict=True), *more]
        falling = [float(n - i) for i in range(n)]
        assert [row.score for row in run[name]] == (own_scores if has_scores else falling)
        assert [row.doc for row in run[name]] == docs
        assert has_scores or [row.rank for row in run[name]] == list(range(1, n + 1))
    of = {q: dict(rows) for q, rows in found.qrels.of.items()}
    pairs = ((of[q], a, b) for q, rows in run.items() for a, b in combinations(rows, 2))
    if any(a.score == b.score and own[a.doc] != own[b.doc] for own, a, b in pairs):
        with pytest.raises(BadInput, match="are tied, and no docids order them"):
            refuse_ties(found.qrels.of, found.runs[""], [STANDARD.replace(ties="input"), STANDARD])
    refuse_ties(found.qrels.of, found.runs[""], [STANDARD.replace(ties="input"), STANDARD.replace(order="input")])


# -- what is asked -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_what_reading_sees_to_is_what_any_of_the_conventions_asks_for(seed: int) -> None:
    c = chance(("strictest", seed))
    drawn = [
        STANDARD.replace(
            order=c.choice(["score", "input", "rank"]),
            score_sign=c.choice(["any", "any", "positive"]),
            run_duplicates=c.choice(["rejected", "both", "first"]),
            qrels_duplicates=c.choice(["rejected", "both", "last"]),
        )
        for _ in range(c.randint(1, 4))
    ]
    found = strictest_of(drawn)
    for axis in ("run_duplicates", "qrels_duplicates"):
        assert getattr(found, axis) == ("rejected" if "rejected" in {getattr(one, axis) for one in drawn} else "both")
    reads_ranks = any(one.order == "rank" for one in drawn)
    reads_scores = any(one.order == "score" or one.score_sign == "positive" for one in drawn)
    assert (found.order == "rank") == reads_ranks
    assert (found.order == "score" or found.score_sign == "positive") == reads_scores
    assert strictest_of([]) == STANDARD


# -- ids in lists, and matrices ------------------------------------------------------------------------------------------

Listed = tuple[Any, Any, dict[str, Any]]
KINDS_OF_LISTS = [
    "dicts",
    "sets",
    "places",
    "JSON-Lines",
    "CSV",
    "columns",
    "rows",
    "two-files",
    "pairs",
    "hits",
    "objects",
]


def of_ids(c: Chance, relevant: Mapping[str, list[str]], retrieved: Mapping[str, list[str]], folder: Path) -> Listed:
    """Relevant ids, and ids in rank order, by query, in some form; and what each query is called there."""
    called = {query: query for query in relevant}
    by_place = {query: str(i) for i, query in enumerate(relevant, start=1)}
    kind = c.choice(KINDS_OF_LISTS)
    scored = {query: [(doc, 50.0 - i) for i, doc in enumerate(ids)] for query, ids in retrieved.items()}
    found = {q: [{"corpus_id": doc, "similarity": s} for doc, s in pairs] for q, pairs in scored.items()}
    in_memory: Mapping[str, Listed] = {
        "dicts": (relevant, retrieved, called),
        "sets": ({query: set(ids) for query, ids in relevant.items()}, retrieved, called),
        "places": (list(relevant.values()), list(retrieved.values()), by_place),
        "pairs": (relevant, {query: c.sample(pairs, len(pairs)) for query, pairs in scored.items()}, called),
        "hits": (relevant, found, called),
    }
    if kind in in_memory:
        return in_memory[kind]
    of = c.choice(["qid", "question_id", "id", None])
    mine = ["relevant_ids", "reference_context_ids", "gold_docs"]
    names = c.choice(mine), c.choice(["retrieved_ids", "ranked_ids", "recommendations"])
    as_object = kind == "objects"
    docs = {q: [{"id": d, "text": "x"} if as_object else d for d in ids] for q, ids in retrieved.items()}
    rows = [{**({of: q} if of else {}), names[0]: relevant[q], names[1]: docs[q], "text": "t"} for q in relevant]
    called = called if of else by_place
    if kind in {"rows", "objects"}:
        return rows, None, called
    if kind == "columns":
        return {key: [row[key] for row in rows] for key in rows[0]}, None, called
    if kind == "CSV":
        as_text = [{k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()} for row in rows]
        pd.DataFrame(as_text).to_csv(folder / "rows.csv", index=False)
        return str(folder / "rows.csv"), None, called
    paths = [folder / "rows.jsonl", folder / "run.jsonl"]
    for path, without in zip(paths, (names[1], names[0]), strict=True):
        lines = [{key: value for key, value in row.items() if kind == "JSON-Lines" or key != without} for row in rows]
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return str(paths[0]), None if kind == "JSON-Lines" else str(paths[1]), called


@pytest.mark.parametrize("seed", range(44))
def test_ids_in_lists_are_relevant_or_ranked_as_they_stand(seed: int, tmp_path: Path) -> None:
    c = chance(("ids", seed))
    docs, queries = [one for one in IDS if one != "0"], c.sample(["q1", "Q1", "7", "é", "x|y", "[3]"], c.randint(3, 5))
    relevant = {query: c.sample(docs, c.randint(1, 4)) for query in queries}
    retrieved = {query: c.sample(docs, c.randint(2, 5)) for query in queries}
    qrels, run, called = of_ids(c, relevant, retrieved, tmp_path)
    found = evaluate(["P@2", "R@3", "RR"], qrels, run).per_query
    for query, ids in retrieved.items():
        hits = [i for i, doc in enumerate(ids, start=1) if doc in relevant[query]]
        p, r = sum(i <= 2 for i in hits) / 2, sum(i <= 3 for i in hits) / len(relevant[query])
        told = [found[m][called[query]] for m in ("P@2", "R@3", "RR")]
        assert told == pytest.approx([p, r, 1 / hits[0] if hits else 0.0])
    assert sorted(found["RR"]) == sorted(called.values())


@pytest.mark.parametrize("seed", range(12))
def test_of_a_matrix_each_item_ranks_all_others(seed: int) -> None:
    c = chance(("matrix", seed))
    n = c.randint(3, 6)
    labels = [c.choice("xyz") for _ in range(n)]
    values = [[c.choice([c.random(), 0.5]) for _ in range(n)] for _ in range(n)]
    names = [f"i{i}" for i in c.sample(range(9), n)]
    is_frame = c.random() < 0.5
    of = [{j: values[i][j] for j in range(n) if j != i} for i in range(n)]
    given = labels, pd.DataFrame(values, index=names, columns=names) if is_frame else values
    tied = [(a, b, labels[i]) for i, own in enumerate(of) for a, b in combinations(own, 2) if own[a] == own[b]]
    if not is_frame and any((labels[a] == label) != (labels[b] == label) for a, b, label in tied):
        with pytest.raises(BadInput, match="are tied, and no docids order them"):
            evaluate("P@1", *given)
        given = labels, [[value + j * 1e-9 for j, value in enumerate(row)] for row in values]
        of = [{j: value + j * 1e-9 for j, value in own.items()} for own in of]
    found = evaluate("P@1", *given).per_query["P@1"]
    called = names if is_frame else list(map(str, range(n)))
    best = [max(own, key=lambda j, own=own: (own[j], called[j])) for own in of]  # type: ignore[misc]
    assert found == {called[i]: float(labels[i] == labels[best[i]]) for i in range(n)}
