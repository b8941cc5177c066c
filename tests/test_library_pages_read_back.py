"""The page of a library, read back: its known exceptions, where several measures say the same, and its signatures."""

import html
import re
from dataclasses import replace
from pathlib import Path

from fake_sheets import FAKE
from test_pages_read_back import FOUND
from test_pages_read_back import report as report  # noqa: PLC0414 - a fixture

from rankproof.asking.known_libraries import Library
from rankproof.asking.sheets import load
from rankproof.inference import fingerprint_file
from rankproof.site import building
from rankproof.telling.run_report import Report

CASE = "straddles-cutoff"
PINS = {
    "it divides by zero": [
        (CASE, "v", "RR", "mean", "nan"), (CASE, "v", "AP", "mean", "nan"), (CASE, "v", "P@2", "mean", "0"),
        (CASE, "v", "Rprec", "q1", "nan"), (CASE, "w", "nDCG", "mean", "nan"), ("renamed-doc", "v", "R@2", "mean", "nan"),
        (CASE, "v", "DCG", "mean", "nan"),
    ],
    "it counts from 0": [(CASE, "v", "Success@2", "mean", "nan")],
}  # fmt: skip


def _words(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def test_an_exception_of_several_measures_is_told_once_with_each_of_them(report: Report, tmp_path: Path) -> None:
    known = "".join(
        f"[[known]]\nreason = '{reason}'\nobserved = '''\n"
        + "".join(f"ties/{' '.join(pin)}\n" for pin in pins)
        + "'''\n"
        for reason, pins in PINS.items()
    )
    (tmp_path / "north.toml").write_text(FAKE.replace("fake", "north") + known, encoding="utf-8")
    (tmp_path / "north_adapter.py").touch()
    library = Library("north", tmp_path / "north_adapter.py", load(tmp_path / "north.toml"))
    building.write(replace(report, libraries=[library], cases=[]), tmp_path / "site", tmp_path)
    page = (tmp_path / "site" / "libraries" / "north.html").read_text(encoding="utf-8")
    page = page[page.index("<h2 id=exceptions>") : page.index("<h2 id=environment>")]
    found = {}
    for reason, seen, pins in re.findall(
        r"<li><p>(.*?)</p><details><summary>(.*?)</summary><ul class=pins>(.*?)</ul>", page, re.DOTALL
    ):
        lines = []
        for line in re.findall(r"<li>(.*?)(?=<li>|$)", pins, re.DOTALL):
            case, variant, query, answer = re.fullmatch(
                r"(\S+) (\w) (?:\S+ , )*\S+ (\w+) ?: (.+)", _words(line)
            ).groups()  # type: ignore[union-attr]
            lines += [
                (case.removeprefix("ties/"), variant, measure, query, answer)
                for measure in re.findall(r"<code>(.*?)</code>", line)
            ]
        found[_words(reason)] = sorted(lines)
        assert seen == f"Seen {len(lines)} time{'s' if len(lines) > 1 else ''}"
    assert found == {reason: sorted(pins) for reason, pins in PINS.items()}
    assert page.count("<li>") == 2 + 5 + 1, "of three measures with the same answer there is one line"


def test_a_signature_of_several_measures_is_told_once_with_each_of_them(report: Report, tmp_path: Path) -> None:
    west = replace(FOUND[0], axes={axis: one for axis, one in FOUND[0].axes.items() if one.value})
    tails = {"AP": "a", "P@k": "b", "R@k": "a", "RR": "a", "nDCG@k": "b", "DCG@k": "c"}
    own = [replace(west, key=key, signature=f"{key}|ties:{tail}|rankproof:0") for key, tail in tails.items()]
    fingerprint_file.write(own, report.results.asked, {}, tmp_path / fingerprint_file.FILE)
    building.write(replace(report, libraries=[], cases=[]), tmp_path / "site", tmp_path)
    page = (tmp_path / "site" / "libraries" / "west.html").read_text(encoding="utf-8")
    told = [
        [_words(code) for code in re.findall(r"<code>(.*?)</code>", line)]
        for line in re.findall(r"<p class=signature>(.*?)</p>", page)
    ]
    assert sorted(told) == [
        ["AP|ties:a|rankproof:0", "R@k", "RR"],
        ["DCG@k|ties:c|rankproof:0"],
        ["P@k|ties:b|rankproof:0", "nDCG@k"],
    ]
