"""Collections as they are in the field: ids, queries, scores and orders of rows as people's files have them, drawn by a seed."""

import math
import random
import uuid
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from rankproof.reference_impl.ranking import as_float32

Chance = random.Random
IDS: Mapping[str, Callable[[Chance], str]] = {
    "Robust": lambda c: c.choice(["FBIS3-{}", "LA0101{}-0001", "FR940104-0-{:05}", "FT911-{}"]).format(
        c.randint(1, 9999)
    ),
    "ClueWeb": lambda c: f"clueweb12-{c.randint(0, 19):04}tw-{c.randint(0, 99):02}-{c.randint(0, 99999):05}",
    "MS MARCO": lambda c: str(c.randint(0, 8_841_822)),
    "MS MARCO 2": lambda c: f"msmarco_passage_{c.randint(0, 69):02}_{c.randint(0, 10**9)}",
    "DBpedia": lambda c: (
        f"<dbpedia:{'_'.join('Q' * c.randint(1, 9) for _ in range(c.randint(1, 5)))}{c.randint(1, 999)}>"
    ),
    "URIs": lambda c: f"https://example.org/{'a' * c.choice([1, 3, 9, 40, 200])}/{c.randint(1, 10**6)}",
    "UUIDs": lambda c: str(uuid.UUID(int=c.getrandbits(128))),
    "leading zeros": lambda c: f"{c.randint(1, 10**5):0{c.choice([1, 7, 12])}}",
    "digits of any length": lambda c: f"doc{c.randint(1, 10 ** c.randint(2, 9))}",
    "Arabic": lambda c: "".join(c.choice("ابتثجحخد") for _ in range(c.randint(1, 12))) + str(c.randint(1, 99)),
    "Chinese": lambda c: "".join(c.choice("信息检索评价指标") for _ in range(c.randint(1, 12))) + str(c.randint(1, 99)),
    "beyond 16 bits": lambda c: "".join(c.choice("\U0001f600\uffff\ue000aé") for _ in range(c.randint(1, 12))),
    "odd endings": lambda c: (
        "a" * c.randint(1, 40) + c.choice(["", "b", "\u00a0", "\u2028", "\x85", "\x1c"]) + str(c.randint(1, 9))
    ),
}
QUERIES: Mapping[str, Callable[[Chance], str]] = {
    "numbers": lambda c: str(c.randint(301, 700)),
    "long numbers": lambda c: str(c.randint(1, 10**7)),
    "names": lambda c: c.choice(["mv03-{}", "BIORED-{}", "Q{}", "anfrage-ü{}"]).format(c.randint(1, 999)),
    "sentences": lambda c: "_".join(c.choice(["how", "to", "cook", "rice", "検索"]) for _ in range(c.randint(1, 12))),
}
RELS = {"flags": (0, 1), "grades": (0, 0, 1, 2, 3), "with negative ones": (0, 1, 2, -1, -2)}
SCORES: Mapping[str, Callable[[Chance], float]] = {
    "of four decimals": lambda c: round(c.gammavariate(3, 4), 4),
    "whole numbers": lambda c: float(c.randint(0, 30)),
    "few": lambda c: float(c.randint(0, 2)),
    "of any size": lambda c: c.uniform(-1, 1) * 10.0 ** c.randint(-8, 8),
    "alike as float32": lambda c: c.randint(1, 9) + c.choice([0, 1e-9, 2e-9]),
    "next to one another": lambda c: math.nextafter(as_float32(c.randint(1, 3) / 3), c.choice([0, 9])),
    "infinite": lambda c: c.choice([math.inf, -math.inf, 1.0, 2.0]),
    "all the same": lambda _: 1.0,
}
WRITTEN: Sequence[Callable[[float], str]] = (str, str, lambda x: f"{x:+.17e}", lambda x: f"{x:.17g}")
Judged = tuple[str, str, int]
Ranked = tuple[str, str, int, float]


@dataclass(frozen=True)
class World:
    """A collection.

    Attributes:
        kinds: how its ids, queries, rels and scores are.
        qrels: query, doc, rel.
        run: query, doc, rank, score, as the rows come.
        written: how a score is written.
    """

    kinds: tuple[str, ...]
    qrels: Sequence[Judged]
    run: Sequence[Ranked]
    written: Callable[[float], str]


def drawn(seed: int) -> World:
    """A collection of some queries, of which each side lacks one or two."""
    c = random.Random(seed)
    kinds = tuple(c.choice(list(of)) for of in (IDS, QUERIES, RELS, SCORES))
    doc_of, query_of, rels, score_of = IDS[kinds[0]], QUERIES[kinds[1]], RELS[kinds[2]], SCORES[kinds[3]]
    queries = list(dict.fromkeys(query_of(c) for _ in range(c.choice([1, 3, 12, 30]))))
    qrels: list[Judged] = []
    run: list[Ranked] = []
    longest = c.choice([1, 5, 40, 150])
    for query in queries:
        docs = list(dict.fromkeys(doc_of(c) for _ in range(c.randint(1, 2 * longest))))
        if c.random() < 0.03:
            docs.append("x" * c.choice([600, 5000]))
        c.shuffle(docs)
        # The shortest are judged, so that those of the run alone are longer; or any.
        judged = sorted(docs, key=len) if c.random() < 0.5 else docs
        qrels += [(query, doc, c.choice(rels)) for doc in judged[: c.randint(1, len(docs))]]
        retrieved = c.sample(docs, c.randint(1, len(docs)))
        run += [(query, doc, rank, score_of(c)) for rank, doc in enumerate(retrieved, start=1)]
    if len(queries) > 3:
        qrels = [one for one in qrels if one[0] != queries[1]]
        run = [one for one in run if one[0] not in {queries[2], queries[3]}]
    order = c.choice(["as drawn", "by score", "scattered", "two stretches"])
    if order == "by score":
        run = sorted(run, key=lambda row: (row[0], -row[3]))
    elif order == "scattered":
        c.shuffle(run)
        c.shuffle(qrels)
    elif order == "two stretches":
        run = run[len(run) // 2 :] + run[: len(run) // 2]
    return World((*kinds, order), qrels, run, c.choice(WRITTEN))


# -- the forms in which it is given ------------------------------------------------------------------------------------

Given = tuple[Any, Any, dict[str, Any]]
Judgment_ = namedtuple("Judgment_", "query_id doc_id relevance")  # noqa: PYI024 - as ir_measures' are
Retrieved = namedtuple("Retrieved", "query_id doc_id score rank")  # noqa: PYI024 - as above


def trec_files(world: World, folder: Path, separator: str = " ") -> Given:
    """Files of TREC."""
    qrels = (separator.join([q, "0", d, str(rel)]) for q, d, rel in world.qrels)
    run = (separator.join([q, "Q0", d, str(at), world.written(score), "tag"]) for q, d, at, score in world.run)
    return _file(folder / "qrels", qrels), _file(folder / "run", run), {}


def _file(path: Path, lines: Iterable[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
    return str(path)


def separated(world: World, folder: Path) -> Given:
    """Files whose first line names the columns."""
    qrels = ["query_id|relevance|doc_id", *(f"{q}|{rel}|{d}" for q, d, rel in world.qrels)]
    run = ["rank|doc_id|score|query_id", *(f"{at}|{d}|{world.written(score)}|{q}" for q, d, at, score in world.run)]
    return _file(folder / "qrels.csv", qrels), _file(folder / "run.csv", run), {"separator": "|"}


def columns(world: World) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Lists by the names of columns."""
    qrels = {name: [row[i] for row in world.qrels] for i, name in enumerate(("query_id", "doc_id", "relevance"))}
    run = {name: [row[i] for row in world.run] for i, name in enumerate(("query_id", "doc_id", "rank", "score"))}
    return qrels, run


def frames(world: World, _folder: Path) -> Given:
    """Frames of pandas, one with categories."""
    qrels, run = map(pd.DataFrame, columns(world))
    return qrels, run.astype({"query_id": "category", "doc_id": "category"}), {}


def arrow_tables(world: World, _folder: Path) -> Given:
    """Tables of Arrow, of several chunks."""
    qrels, run = map(pa.table, columns(world))
    return qrels, pa.concat_tables([run.slice(0, len(run) // 3), run.slice(len(run) // 3)]), {}


def parquet(world: World, folder: Path) -> Given:
    """Files of Parquet."""
    for name, table in zip(("qrels", "run"), columns(world), strict=True):
        pq.write_table(pa.table(table), folder / f"{name}.parquet", row_group_size=7)
    return str(folder / "qrels.parquet"), str(folder / "run.parquet"), {}


def dicts(world: World, _folder: Path) -> Given:
    """Dicts of dicts."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for query, doc, rel in world.qrels:
        qrels.setdefault(query, {})[doc] = rel
    for query, doc, _, score in world.run:
        run.setdefault(query, {})[doc] = score
    return qrels, run, {}


def records(world: World, _folder: Path) -> Given:
    """Lists of named tuples."""
    run = [Retrieved(q, d, np.float64(score), rank) for q, d, rank, score in world.run]
    return [Judgment_(*row) for row in world.qrels], run, {}


def mixed(world: World, folder: Path) -> Given:
    """A run in a file, and qrels in a dict."""
    return dicts(world, folder)[0], trec_files(world, folder)[1], {}


FORMS: Mapping[str, Callable[[World, Path], Given]] = {
    "TREC": trec_files,
    "TREC, tabs": lambda world, folder: trec_files(world, folder, "\t"),
    "TREC, any white space": lambda world, folder: trec_files(world, folder, " \t "),
    "separated": separated,
    "frames": frames,
    "Arrow": arrow_tables,
    "Parquet": parquet,
    "dicts": dicts,
    "lists": lambda world, _folder: (*columns(world), {}),
    "named tuples": records,
    "dict and file": mixed,
}
RANKLESS = {"dicts"}
"""Forms that have no ranks."""
