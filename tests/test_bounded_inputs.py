"""Runs and qrels from elsewhere: what gzip unpacks to, lines, numbers and what is said of them are bounded; real ones pass."""

import gzip
import io
import re
import time
import zlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import rankproof
from rankproof.evaluate import quick
from rankproof.evaluate.inputs import BadInput, bounded_files, read_qrels, read_run
from rankproof.reference_impl.conventions import Conventions
from rankproof.text import as_written, message

BY_RANK = Conventions(order="rank")
LONG = "9" * 5000


def packed(folder: Path, content: bytes) -> str:
    path = folder / "file.gz"
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(content)
    return str(path)


@pytest.mark.parametrize("line", [b"q1 Q0 d 1 1 t\n", b"\n", b"q"])
def test_a_small_file_that_unpacks_to_much_is_refused_at_once(line: bytes, tmp_path: Path) -> None:
    path = packed(tmp_path, line * (8_000_000 // len(line)))
    started = time.process_time()
    with pytest.raises(BadInput) as refused:
        read_run(path)
    assert time.process_time() - started < 3
    said = "more than 100 times its size" if line != b"q" else "the line is longer than 1,000,000 bytes"
    assert said in str(refused.value)
    assert "unpack it yourself" in str(refused.value) or line == b"q"


def test_a_bomb_in_a_pipe_is_refused_too(tmp_path: Path) -> None:
    import os
    import threading

    path = packed(tmp_path, b"q1 Q0 d 1 1 t\n" * 500_000)
    reading, writing = os.pipe()

    def write() -> None:
        with open(writing, "wb") as file, open(path, "rb") as source:  # noqa: PTH123 - a number of a pipe
            file.write(source.read())

    thread = threading.Thread(target=write)
    thread.start()
    with pytest.raises(BadInput, match="more than 100 times its size"):
        read_run(f"/dev/fd/{reading}")
    thread.join()
    os.close(reading)


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_the_size_is_bounded_whatever_the_ratio(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"".join(b"q1 0 doc%d 1\n" % i for i in range(20_000))
    path = packed(tmp_path, text)
    if kind == "zstd":
        Path(path).write_bytes(pa.compress(text, "zstd", asbytes=True))
    assert len(read_qrels(path).of["q1"]) == 20_000
    monkeypatch.setattr(bounded_files, "LARGEST", 100_000)
    said = f"the {kind} data unpacks to more than 100,000 bytes; if it is right, unpack it yourself"
    with pytest.raises(BadInput, match=said):
        read_qrels(path)


def test_what_is_real_passes(tmp_path: Path) -> None:
    """All docs tied and all rels 0 is what packs best of all that is real."""
    run = b"".join(b"q1 Q0 doc%d %d 0 t\n" % (i, i) for i in range(60_000))
    assert len(run) > bounded_files.FREE
    assert len(read_run(packed(tmp_path, run)).of["q1"]) == 60_000
    plain = tmp_path / "plain"
    plain.write_bytes(b"q1 0 a 1\n" + b"\n" * 500_000)
    assert list(read_qrels(str(plain)).of) == ["q1"], "a plain file is as large as it is"


@pytest.mark.parametrize("name", ["file.txt", "file.csv", "file.gz"])
def test_a_line_that_is_too_long_is_refused_with_its_number(name: str, tmp_path: Path) -> None:
    first = b"query_id,doc_id,relevance\n" if name.endswith("csv") else b"q1 0 a 1\n"
    content = first + b"q1,0," + b"a" * bounded_files.LONGEST_LINE + b"\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    with pytest.raises(BadInput, match=rf"{path}:2: the line is longer than 1,000,000 bytes"):
        read_qrels(str(path))


def test_a_long_line_that_fits_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"q1 0 " + b"a" * (bounded_files.LONGEST_LINE - 8) + b" 1\n")
    ((judgment,),) = read_qrels(str(path)).of.values()
    assert len(judgment.doc) == bounded_files.LONGEST_LINE - 8


@pytest.mark.parametrize("name", ["cut.csv.gz", "cut.txt"])
def test_damaged_gzip_is_refused_in_every_form(name: str, tmp_path: Path) -> None:
    whole = gzip.compress(b"query_id,doc_id,relevance\nq,a,1\n")
    path = tmp_path / name
    for damaged in (whole[:-4], whole[:20], whole[:12] + bytes([whole[12] ^ 255]) + whole[13:]):
        path.write_bytes(damaged)
        with pytest.raises(BadInput, match=rf"{path}:\d+: the gzip data "):
            read_qrels(str(path))


def test_gzip_with_a_block_of_no_type_is_refused_with_a_line(tmp_path: Path) -> None:
    packer = zlib.compressobj(wbits=31)
    whole = packer.compress("".join(f"q{at} 0 d 1\n" for at in range(50)).encode()) + packer.flush(zlib.Z_FULL_FLUSH)
    (path := tmp_path / "qrels.gz").write_bytes(whole + b"\x07")  # a block of no type that there is
    with pytest.raises(BadInput, match=rf"{path}:\d+: the gzip data is damaged \(.+\); copy the file again"):
        read_qrels(str(path))


# -- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rel", [LONG, "1" + "0" * 309, "1e309", "-" + LONG])
def test_a_rel_that_no_float_holds_is_refused(rel: str, tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text(f"q1 0 a 1\nq1 0 b {rel}\n", encoding="utf-8")
    with pytest.raises(BadInput) as refused:
        read_qrels(str(path))
    assert re.fullmatch(rf"{path}:2: the rel '-?[\d.e]+' is no finite number", str(refused.value))
    assert len(str(refused.value)) < len(str(path)) + 100


def test_a_rank_of_many_digits_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(f"q1 Q0 a {LONG} 1 t\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r":1: the rank '9{40}' is no whole number"):
        read_run(str(path), None, BY_RANK)
    assert len(rankproof.by_system(path)) == 1, "where nobody ranks by it, it is text"


HUGE = 10**5000


@pytest.mark.parametrize(
    ("measures", "qrels", "run", "options", "said"),
    [
        (
            "AP",
            {"q": {"a": HUGE}},
            {"q": {"a": 1}},
            {},
            "the qrels, query 'q': the rel is a whole number too large for a float",
        ),
        ("AP", {"q": {"a": Fraction(HUGE, 3)}}, {"q": {"a": 1}}, {}, "the rel is a whole number too large for a float"),
        (
            "AP",
            {"q": {"a": float("inf")}},
            {"q": {"a": 1}},
            {},
            "the qrels, query 'q': the rel is inf, no finite number",
        ),
        (
            "AP",
            {"q": {"a": 1}},
            {"q": {"a": HUGE}},
            {},
            "the run, query 'q': the score is a whole number too large for a float",
        ),
        ("AP", {HUGE: {"a": 1}}, {"q": {"a": 1}}, {}, "the qrels: the query is a whole number too large for a float"),
        ("AP", [1, HUGE], None, {}, "the rels, query '1', item 2: the rel is a whole number too large for a float"),
        ("AP", [1, 0], None, {"R": HUGE}, "R: more than 10,000,000 relevant docs"),
        ("P", [1, 0], None, {"k": HUGE}, "k: an int that is not written out is no cutoff"),
        ("P", [1, 0], None, {"k": -HUGE}, "k: an int that is not written out is no cutoff"),
        ("AP", {"q": {("a",) * 900: 1}}, {"q": {"a": 1}}, {}, "characters), a tuple; ids are text or whole numbers"),
        (
            "nDCG",
            {"q": {"a": 1, "b": 100_001}},
            {"q": {"a": 1}},
            {"profile": "gain=exp"},
            "the qrels, query 'q': doc 'b' of query 'q' has the rel 100001: 2 to the power 100001 is not computed",
        ),
        (
            "DCG",
            {"q": {"c": 7, "a": -200000, "b": 1}},
            {"q": {"a": 1}},
            {"profile": "negative=as-is gain=exp"},
            "the qrels, query 'q': doc 'a' of query 'q' has the rel -200000: 2 to the power -200000 is not computed",
        ),
        (
            "ERR",
            {"q": {"a": 1, "b": 1e308}},
            {"q": {"b": 1}},
            {},
            "doc 'b' of query 'q' has the rel 1e+308: 2 to the power 1e+308 is not",
        ),
        ("ERR", {"q": {"a": 0, "b": -1e308}}, {"q": {"b": 1}}, {"profile": "negative=as-is"}, None),
    ],
)
def test_what_no_number_can_be_is_refused_in_a_line(
    measures: str, qrels: Any, run: Any, options: Any, said: str | None
) -> None:
    if said is None:
        assert rankproof.evaluate(measures, qrels, run, **options).mean[measures] == 0
        return
    with pytest.raises(BadInput) as refused:
        rankproof.evaluate(measures, qrels, run, **options)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("small", [2**19, 0])
def test_a_rel_too_large_for_its_gain_is_told_with_its_line(
    small: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "SMALL_FILE", small)
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q1 0 a 1\nq2 0 b 1\nq2 0 c 100001\n", encoding="utf-8")
    run.write_text("q2 Q0 c 1 1 t\n", encoding="utf-8")
    with pytest.raises(BadInput, match=rf"{qrels}:3: doc 'c' of query 'q2' has the rel 100001"):
        rankproof.evaluate("nDCG", str(qrels), str(run), profile="gain=exp")
    assert rankproof.evaluate("nDCG", str(qrels), str(run)).mean["nDCG"] == pytest.approx(0.5, abs=0.001)


# -- what is said -----------------------------------------------------------------------------------------------------


def test_long_ids_are_not_shown_whole(tmp_path: Path) -> None:
    doc = "d" * 20_000
    path = tmp_path / "qrels"
    path.write_text(f"q1 0 {doc} 1\nq1 0 {doc} 1\n", encoding="utf-8")
    with pytest.raises(BadInput) as refused:
        read_qrels(str(path))
    assert str(refused.value).startswith(f"{path}:2: doc 'dddd")
    assert "(20,000 characters)" in str(refused.value)
    assert len(str(refused.value)) < len(str(path)) + 300


def test_a_message_is_a_line_whatever_it_speaks_of() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError

    assert as_written(Odd()) == "an Odd that is not written out"
    assert "\n" not in as_written(io.StringIO("x\ny").getvalue())
    assert as_written([1] * 10_000).endswith("… (30,000 characters)")
    said = message("a\n\x1b[2J " + "w" * 9000 + " x" * 9000)
    assert said.startswith("a \\x1b[2J wwww")
    assert "\n" not in said
    assert len(said) < 2100
