"""What columns read, they read as rows do: numbers to the last bit, lines of any white space; and what rows refuse, they leave to them."""

import gzip
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import both_ways
import numpy as np
import pytest

import rankproof
from rankproof.evaluate import quick
from rankproof.evaluate.fast import row_columns, text_tables
from rankproof.evaluate.fast.arrays import NotColumnar
from rankproof.evaluate.fast.text_tables import Text, trec_rows
from rankproof.evaluate.inputs.trec_files import QRELS_LINE, RUN_LINE
from rankproof.reference_impl.conventions import Conventions

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 c 2\n"
RUN = b"1 Q0 x 1 9 t\n1 Q0 b 2 8 t\n1 Q0 a 3 7.5 t\n2 Q0 c 1 3 t\n2 Q0 y 2 1e-3 t\n"
MEASURES = ["AP", "nDCG@2", "P@1", "Judged@2"]


def written_numbers() -> Iterator[bytes]:
    """Numbers as runs have them, and those that are hardest to round."""
    chance = random.Random(1)  # noqa: S311 - numbers, not secrets
    for _ in range(3000):
        yield repr(chance.random() * 10 ** chance.randint(-3, 12)).encode()
        yield f"{chance.gammavariate(3, 4):.4f}".encode()
        whole = chance.randint(0, 10 ** chance.randint(1, 19) - 1)
        yield f"{chance.choice('+- ').strip()}{whole}{chance.choice(['', '.', f'.{chance.randint(0, 999999)}'])}".encode()
        yield f"{chance.choice('+- ').strip()}{whole}{chance.choice('eE')}{chance.randint(-330, 310)}".encode()
    for i in range(500):
        yield str(2**53 + 2 * i + 1).encode()  # in the middle of two floats
        yield f"{2**53 + 2 * i + 1}.000".encode()
        yield f"{2**50 + i}.0625".encode()
    yield from (b"inf", b"-inf", b"Infinity", b"1e400", b"-1e400", b"1e-400", b"-0", b".5", b"5.", b"1" * 40)


def test_a_number_is_the_float_that_python_reads() -> None:
    numbers = list(written_numbers())
    lines = b"".join(b"1 Q0 d%d 1 %s t\n" % (i, number) for i, number in enumerate(numbers))
    values = trec_rows(Text(lines), RUN_LINE).rows.values.tolist()
    assert [(t, v) for t, v in zip(numbers, values, strict=True) if v != float(t)] == []


@pytest.mark.parametrize(
    "token",
    [
        b".",
        b"-",
        b"-.",
        b"1.2.3",
        b"1_0",
        b"12a",
        b"a12",
        b"1:",
        b"/1",
        b"0x1",
        b"1,5",
        b"+-1",
        b"1-",
        b"1e",
        b"None",
        b"true",
    ],
)
def test_what_is_no_number_is_left_to_rows(token: bytes) -> None:
    with pytest.raises(NotColumnar):
        trec_rows(Text(b"1 Q0 a 1 3 t\n1 Q0 b 2 %s t\n1 Q0 c 3 1 t\n" % token), RUN_LINE)


def test_ranks_are_whole_numbers() -> None:
    def ranks(*written: bytes) -> list[int]:
        lines = (b"1 Q0 d%d %s 1 t\n" % (i, rank) for i, rank in enumerate(written))
        found = trec_rows(Text(b"".join(lines)), RUN_LINE, ranks=True).rows.ranks
        assert found is not None
        return found.tolist()

    assert ranks(b"3", b"+10", b"-2", b"0007") == [3, 10, -2, 7]
    for token in (b"1.0", b"1.", b"x", b"1" * 20, b"0x10", b"1e2"):
        with pytest.raises(NotColumnar):
            ranks(b"1", token)


# -- files ------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each evaluation whether it went by columns."""
    return both_ways.by_columns(monkeypatch)


def both(folder: Path, qrels: bytes, run: bytes, ending: str = "", **options: Any) -> Any:
    """What `evaluate` gives by columns, which is what it gives by rows, or the words by which both refuse."""
    paths = folder / f"qrels{ending}", folder / f"run{ending}"
    for path, content in zip(paths, (qrels, run), strict=True):
        path.write_bytes(content)
    found = [both_ways.evaluated(MEASURES, *paths, exact=exact, **options) for exact in (False, True)]
    by_columns, by_rows = (one if isinstance(one, str) else (_rounded(one.per_query), one.signature) for one in found)
    assert by_columns == by_rows, run
    return by_rows


def _rounded(values: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    return {measure: {query: round(value, 12) for query, value in of.items()} for measure, of in values.items()}


SPACED = {
    "tabs": RUN.replace(b" ", b"\t"),
    "two blanks": RUN.replace(b" ", b"  "),
    "mixed": RUN.replace(b" Q0 ", b"\tQ0 \v "),
    "CRLF": RUN.replace(b"\n", b"\r\n"),
    "blank lines": b"\n \n" + RUN.replace(b"\n", b"\n\n"),
    "blanks around": b"  " + RUN.replace(b"\n", b" \n  ") + b" ",
    "no last line end": RUN[:-1],
    "byte order mark": b"\xef\xbb\xbf" + RUN,
    "quotes are letters": RUN.replace(b"x", b'"x'),
    "any letters": RUN.replace(b"x", "é\u2028\x85".encode()),
    "gzip": gzip.compress(RUN),
    "other spellings of numbers": RUN.replace(b" 9 ", b" +9.00e0 ").replace(b" 8 ", b" .8e1 "),
    "a control character": RUN.replace(b"x", b"x\x1cx"),
    "a long id": RUN + b"2 Q0 " + b"a" * 900_000 + b" 1 2 t\n",
    "infinite": RUN.replace(b" 9 ", b" 1e400 ").replace(b" 3 ", b" inf "),
    "a query in two stretches": RUN + b"1 Q0 z 4 7.6 t\n",
    "out of order": b"".join(reversed(RUN.splitlines(keepends=True))),
}
ODD = {
    "NUL": RUN.replace(b"x", b"\0"),
    "a field too few": RUN + b"2 Q0 c 1 3\n",
    "a field too few, and one too many": RUN + b"2 Q0 c 1 3\n2 Q0 c 1 3 t u\n",
    "a line in two": RUN + b"2 Q0 d\n1 3 t\n",
    "no number": RUN.replace(b" 8 ", b" eight "),
    "an underscore": RUN.replace(b" 8 ", b" 8_0 "),
    "NaN": RUN.replace(b" 8 ", b" nan "),
    "no UTF-8": RUN.replace(b"x", b"\xff"),
    "no UTF-8 where nobody looks": RUN.replace(b" t\n", b" \xff\n"),
    "a long line": RUN + b"2 Q0 " + b"a" * 1_000_001 + b" 1 2 t\n",
    "a doc twice": RUN + b"1 Q0 x 4 1 t\n",
    "an unjudged doc twice, in another stretch": RUN + b"1 Q0 x 4 1 t\n2 Q0 x 4 1 t\n",
    "nothing": b"",
    "blank": b"\n\n",
    "qrels": QRELS,
    "gzip, cut": gzip.compress(RUN)[:-6],
    "UTF-16": RUN.decode().encode("utf-16"),
}


@pytest.mark.parametrize("how", [*SPACED, *ODD])
def test_a_run_reads_however_it_is_spaced_and_what_is_odd_is_for_rows_to_refuse(
    how: str, ways: list[bool], tmp_path: Path
) -> None:
    told = both(tmp_path, QRELS, (SPACED | ODD)[how])
    assert how in ODD or not isinstance(told, str)
    assert ways == [how in SPACED]


def test_a_doc_that_stands_twice_in_two_pieces_is_for_rows(ways: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece has ids of its own; of three queries one goes on in the second piece."""
    monkeypatch.setattr(row_columns, "AT_ONCE", 3)
    run: dict[str, list[Any]] = {
        "query_id": [*"pqrqps"],
        "doc_id": [*"axyxbx"],
        "score": [6.0, 5.0, 4.0, 3.0, 2.0, 1.0],
    }
    with pytest.raises(rankproof.BadInput, match="row 4: doc 'x' stands twice under query 'q', first on row 2"):
        rankproof.evaluate("AP", {"q": {"x": 1}}, run)
    run["doc_id"][3] = "y"
    assert rankproof.evaluate("AP", {"q": {"y": 1}}, run).mean["AP"] == 1 / 2
    assert ways == [False, True]


@pytest.mark.parametrize("line", ["2 0 c 1", "2 0 d 1e999", "2 0 d nan", "2 0 d 9007199254740993", "2 0 d x", "2 d 1"])
def test_odd_qrels_are_for_rows_too(line: str, ways: list[bool], tmp_path: Path) -> None:
    both(tmp_path, QRELS + line.encode() + b"\n", RUN)
    assert ways == [False]


@pytest.mark.parametrize(
    "profile",
    [
        "missing=rejected",
        "extra=rejected",
        "norel=rejected",
        "unjudged=rejected",
        "grades=binary",
        "ids=digit-queries",
        "infinite=rejected",
        "single=rejected",
        "short=rejected",
        "negative=rejected",
    ],
)
def test_a_refusal_is_the_same(profile: str, ways: list[bool], tmp_path: Path) -> None:
    qrels = QRELS + b"2 0 d -1\n3 0 e 1\n4 0 f 0\n"
    run = RUN + b"4 Q0 f 1 inf t\nfive Q0 f 1 1 t\n"
    assert isinstance(both(tmp_path, qrels, run, profile=profile), str)
    assert True not in ways


def test_ranks_are_read_where_the_order_asks_for_them(ways: list[bool], tmp_path: Path) -> None:
    run = RUN.replace(b" b 2 ", b" b 0 ")
    by_rank = both(tmp_path, QRELS, run, profile="order=rank")
    assert by_rank != both(tmp_path, QRELS, run)
    both(tmp_path, QRELS, run.replace(b" 0 ", b" 0.5 "), profile="order=rank")
    in_two_stretches = b"".join(run.splitlines(keepends=True)[i] for i in (0, 3, 1, 4, 2))
    assert both(tmp_path, QRELS, in_two_stretches, profile="order=rank") == by_rank
    assert ways == [True, True, False, True]


def test_runs_together_are_what_each_is_alone(ways: list[bool], tmp_path: Path) -> None:
    for name, run in (("one", RUN), ("two", SPACED["out of order"]), ("three", RUN[:40])):
        (tmp_path / name).write_bytes(run)
    (tmp_path / "qrels").write_bytes(QRELS)
    runs = [str(tmp_path / name) for name in ("one", "two", "three")]
    results = rankproof.evaluate(MEASURES, tmp_path / "qrels", runs)
    assert list(results.of) == ["one", "two", "three"]
    assert ways == [True]
    for run in runs:
        assert results[Path(run).name] == rankproof.evaluate(MEASURES, tmp_path / "qrels", run)


# -- files whose first line names the columns ----------------------------------------------------------------------------

SEPARATED_QRELS = b"query,docid,rel\n1,a,1\n1,b,0\n2,c,2\n"
SEPARATED = b"query,rank,docid,score,system\n1,1,x,9,t\n1,2,b,8,t\n1,3,a,7.5,t\n2,1,c,3,t\n2,2,y,1e-3,t\n"
AS_TEXT = {
    "plain": SEPARATED,
    "CRLF": SEPARATED.replace(b"\n", b"\r\n"),
    "no last line end": SEPARATED[:-1],
    "byte order mark": b"\xef\xbb\xbf" + SEPARATED,
    "blank lines": SEPARATED.replace(b"\n", b"\n\n"),
    "blanks after numbers, and within ids": SEPARATED.replace(b"7.5,", b"7.5 ,").replace(b"x", b"x y"),
    "blanks before what nobody reads": SEPARATED.replace(b"t\n", b"  t\n"),
    "nothing where nobody looks": SEPARATED.replace(b"t\n", b"\n"),
    "a long field where nobody looks": SEPARATED.replace(b"t\n", b"t" * 131_000 + b"\n", 1),
    "letters of other scripts": SEPARATED.replace(b"x", "é\u2028\x85".encode()).replace(b"t\n", "ü\n".encode()),
    "a header with blanks": SEPARATED.replace(b",docid", b",  docid"),
    "a query in two stretches": SEPARATED + b"1,4,z,7.6,t\n",
    "TREC, whatever its name": RUN,
    "CRLF behind the doc": b"query,score,docid\r\n1,9,x\r\n1,8,b\r\n1,7.5,a\r\n2,3,c\r\n",
}
NOT_AS_TEXT = {
    "quotes": SEPARATED.replace(b"x", b'"x"'),
    "a quoted separator": SEPARATED.replace(b"x", b'"x,y"'),
    "a quoted line end": SEPARATED.replace(b"x", b'"x\ny"'),
    "a quote that is not closed": SEPARATED.replace(b"x", b'"x'),
    "a lone carriage return": SEPARATED.replace(b"x", b"x\ry"),
    "lines that end by it": SEPARATED.replace(b"\n", b"\r"),
    "a blank before an id": SEPARATED.replace(b",x", b", x"),
    "a blank before a line": SEPARATED.replace(b"\n2", b"\n 2"),
    "an empty id": SEPARATED.replace(b",x,", b",,"),
    "no number": SEPARATED.replace(b",8,", b",eight,"),
    "an empty number": SEPARATED.replace(b",8,", b",,"),
    "an underscore": SEPARATED.replace(b",8,", b",8_0,"),
    "NaN": SEPARATED.replace(b",8,", b",nan,"),
    "NUL": SEPARATED.replace(b"x", b"\0"),
    "no UTF-8": SEPARATED.replace(b"x", b"\xff"),
    "no UTF-8 where nobody looks": SEPARATED.replace(b"t\n", b"\xff\n"),
    "no UTF-8 in the header": SEPARATED.replace(b"system", b"\xff"),
    "a field too few": SEPARATED + b"2,3,d,1\n",
    "a field too many": SEPARATED + b"2,3,d,1,t,u\n",
    "a line in two": SEPARATED + b"2,3\nd,1,t\n",
    "a doc twice": SEPARATED + b"1,4,x,1,t\n",
    "too long a field where nobody looks": SEPARATED.replace(b"t\n", b"t" * 140_000 + b"\n", 1),
    "two columns of a name": SEPARATED.replace(b"system", b"score"),
    "no score": SEPARATED.replace(b"score", b"points"),
    "a header alone": SEPARATED.partition(b"\n")[0],
    "one column": b"query\n1\n",
    "nothing": b"",
}


@pytest.mark.parametrize("how", [*AS_TEXT, *NOT_AS_TEXT])
def test_separated_fields_are_read_by_columns_or_by_rows(how: str, ways: list[bool], tmp_path: Path) -> None:
    both(tmp_path, SEPARATED_QRELS, (AS_TEXT | NOT_AS_TEXT)[how], ending=".csv")
    assert ways == [how in AS_TEXT]


@pytest.mark.parametrize("separator", ["|", "\t", ";", "é", " ", "1"])
def test_any_one_character_separates(separator: str, ways: list[bool], tmp_path: Path) -> None:
    qrels, run = (one.replace(b",", separator.encode()) for one in (SEPARATED_QRELS, SEPARATED))
    both(tmp_path, qrels, run, ending=".csv", separator=separator)
    assert ways == [separator in {"|", "\t", ";"}]


DAMAGES = (b",", b"\n", b" ", b'"', b"\r", b"", b"a", b"7", b"\r\n", b"\t")


@pytest.mark.usefixtures("ways")
def test_however_a_separated_file_is_damaged_both_ways_say_the_same(tmp_path: Path) -> None:
    chance = random.Random(2)  # noqa: S311 - damage, not a secret
    refused = 0
    for _ in range(150):
        damaged = bytearray(SEPARATED)
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(30, len(damaged))
            damaged[place : place + chance.randint(0, 1)] = chance.choice(DAMAGES)
        refused += isinstance(both(tmp_path, SEPARATED_QRELS, bytes(damaged), ending=".csv"), str)
    assert 20 < refused < 130, "some are damaged so that they read"


def test_ranks_of_separated_files_are_read_where_the_order_asks(ways: list[bool], tmp_path: Path) -> None:
    reverse = SEPARATED.replace(b"1,1,x", b"1,3,x").replace(b"1,3,a", b"1,1,a")
    per_query, _ = both(tmp_path, SEPARATED_QRELS, reverse, ending=".csv", profile="order=rank")
    assert per_query["AP"]["1"] == 1
    assert ways == [True]


@pytest.mark.parametrize("block", [64, 100, 1000, 2**20])
def test_a_text_of_many_blocks_is_read_whole(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_tables, "BLOCK", block)
    monkeypatch.setattr(text_tables, "PIECE", 3 * block)
    lines = [b"q%d Q0 doc%d %d %d t" % (i // 100, i, i % 100, -i) for i in range(2000)]
    read = trec_rows(Text(b"\n".join(lines)), RUN_LINE, ranks=True).rows
    assert read.docs.listed(np.arange(2000)) == [line.split()[2].decode() for line in lines]
    assert [read.queries[i] for i in read.query.tolist()] == [line.split()[0].decode() for line in lines]
    assert read.values.tolist() == [float(line.split()[4]) for line in lines]
    assert read.ranks is not None
    assert read.ranks.tolist() == [int(line.split()[3]) for line in lines]


@pytest.mark.parametrize("blank", [b"", b"  ", b"\t"])
def test_the_lines_of_some_rows_are_found_beside_blank_ones(blank: bytes) -> None:
    written = [b"q%d Q0 doc%d %d %d t" % (i // 3, i, i % 3, -i) for i in range(9)]
    text = b"\n".join([*written[:2], blank, *written[2:7], blank, blank, *written[7:]])
    read = trec_rows(Text(text), RUN_LINE, ranks=True)
    for rows in ([1, 2], [0, 4, 6], [7, 8], list(range(9))):
        assert read.lines(np.array(rows)).data.split(b"\n") == [*(written[i] for i in rows), b""]


def test_lines_of_other_widths_are_for_rows() -> None:
    """Too few fields and a second blank make as many separators as there should be."""
    texts = "1 0 a 1|2 0 b|1 0 c 1 1", "1 0 a 1 1 0 b 1", "1 0 a", "1 0 a 1|2  0 1", "1 0 a 1| 0 b 1"
    for text in texts:
        with pytest.raises(NotColumnar):
            trec_rows(Text(f"{text}\n".replace("|", "\n").encode()), QRELS_LINE)


def test_small_inputs_go_by_rows(ways: list[bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(quick, "SMALL_FILE", 1000)
    monkeypatch.setattr(quick, "SMALL_DICT", 1000)
    both(tmp_path, QRELS, RUN)
    assert ways == [False]
    assert not quick.is_large({"q": {"a": 1}}, [1, 0], Conventions())
    large = tmp_path / "large"
    large.write_bytes(bytes(1000))
    assert quick.is_large({"one": large})
    assert not quick.is_large({"doc_id": [str(large)]}), "an id is no file"
