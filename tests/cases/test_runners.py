"""The runners of the exported corpus, in four languages: a right measure holds on all that it claims, and a wrong one is caught.

Each runner is what somebody vendors who tests a library of that language; the measure at its top is an example, which they replace by
their own. So the wrong measures are planted there, as edits of the file.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from rankproof import cases as corpus
from rankproof.judge import corpus_rules

RUNNERS = Path(__file__).resolve().parent.parent.parent / "cases" / "runners"
LANGUAGES = {
    "Python": ("runner.py", [sys.executable]),
    "JavaScript": ("runner.js", ["node"]),
    "Java": ("Runner.java", ["java", "-XX:TieredStopAtLevel=1"]),
    "R": ("runner.R", ["Rscript"]),
}
"""The file of each, and what runs it."""
MEND = {"node": "nodejs", "java": "default-jdk-headless", "Rscript": "r-base-core r-cran-jsonlite"}
"""Debian's packages that bring each program."""
CLAIMED = r"P@\d+|(RR|nDCG)(@\d+)?"
WRONG = {
    "the cutoff is ignored": {
        "Python": ("for doc, _ in ranked][:k]", "for doc, _ in ranked]"),
        "JavaScript": ("?? 0).slice(0, k)", "?? 0)"),
        "Java": ("getOrDefault(doc, 0.0)).limit(k)", "getOrDefault(doc, 0.0))"),
        "R": ("head(judged$number[match(ranked, judged$doc)], k)", "judged$number[match(ranked, judged$doc)]"),
    },
    "the lowest score comes first": {
        "Python": ("(row[1], row[0])", "(-row[1], row[0])"),
        "JavaScript": ("y - x", "x - y"),
        "Java": ("scoreOf.get(doc) + 0.0", "0.0 - scoreOf.get(doc)"),
        "R": ("order(rows$number,", "order(-rows$number,"),
    },
    "the discount is the rank": {
        "Python": ("rel / math.log2(rank + 1)", "rel / rank"),
        "JavaScript": ("rel / Math.log2(i + 2)", "rel / (i + 1)"),
        "Java": ("rels.get(i) * Math.log(2) / Math.log(i + 2)", "rels.get(i) / (i + 1)"),
        "R": ("rels / log2(seq_along(rels) + 1)", "rels / seq_along(rels)"),
    },
    "ties stand by docid ascending": {
        "Python": ("(row[1], row[0]), reverse=True", "(-row[1], row[0])"),
        "JavaScript": ("a < b ? 1 : -1", "a < b ? -1 : 1"),
        "Java": ("Comparator.naturalOrder()", "Comparator.reverseOrder()"),
        "R": ("decreasing = TRUE, method", "decreasing = c(TRUE, FALSE), method"),
    },
    "the input is refused": {
        "Python": ("    values = {}\n", "    raise ValueError(name)\n"),
        "JavaScript": ("  const found = {};\n", "  throw new Error(name);\n"),
        "Java": (
            "        Map<String, Double> found = new TreeMap<>();\n",
            "        Map<String, Double> found = null;\n",
        ),
        "R": ("  found <- sapply(", '  stop("refused")\n  found <- sapply('),
    },
}
"""What is wrong, and how it is planted in each language: the text that is replaced, and what by."""

Ran = tuple[int, str, list[str]]
"""Exit code, the last line, and the lines before it."""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus, in the file that is vendored."""
    path = tmp_path_factory.mktemp("vendored") / "cases.json"
    path.write_text(json.dumps(corpus_rules.exported()), encoding="utf-8")
    return path


@pytest.fixture(params=LANGUAGES)
def ran(exported: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., Ran]:
    """Runs the runner of a language, with a fault planted or without."""
    language: str = request.param
    file, command = LANGUAGES[language]
    if lacking := lacks(language):
        if os.environ.get("CI"):
            pytest.fail(lacking)
        pytest.skip(lacking)

    def run(wrong: str = "", *words: str) -> Ran:
        text = (RUNNERS / file).read_text(encoding="utf-8")
        if wrong:
            right, planted = WRONG[wrong][language]
            assert text.count(right) == 1
            text = text.replace(right, planted)
        (tmp_path / file).write_text(text, encoding="utf-8")
        done = subprocess.run(
            [*command, tmp_path / file, exported, *words], capture_output=True, encoding="utf-8", check=False
        )
        assert done.stderr == "" or wrong == "the input is refused", done.stderr
        *lines, last = [line.rstrip() for line in done.stdout.splitlines()]
        return done.returncode, last, lines

    return run


def lacks(language: str) -> str:
    """What is not there to run it, and how to have it; nothing where all is."""
    program = LANGUAGES[language][1][0]
    there = shutil.which(program) is not None
    if there and language == "R":
        asked = ["Rscript", "-e", 'quit(status = if (requireNamespace("jsonlite", quietly = TRUE)) 0 else 1)']
        there = subprocess.run(asked, check=False, capture_output=True).returncode == 0
    return "" if there else f"{language} is not here: apt-get install {MEND.get(program, program)}"


def expected_by(exported: Path, convention: str) -> int:
    """How many expected values by a convention the measures have that the runners claim, on ordinary cases."""
    cases = json.loads(exported.read_text(encoding="utf-8"))["cases"]
    return sum(
        convention in by_convention
        for case in cases
        if case["ordinary"]
        for measure, by_convention in case["expect"].items()
        if re.fullmatch(CLAIMED, measure)
    )


def test_a_right_measure_is_as_standard_on_all_that_it_claims(ran: Callable[..., Ran], exported: Path) -> None:
    many = expected_by(exported, "standard")
    assert many > 300
    code, last, lines = ran()
    assert (code, last) == (0, f"{many} of {many} as standard")
    assert sum(line.partition(" is as ")[2].split(", ")[0] == "standard" for line in lines) > 300


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_one_is_caught(wrong: str, ran: Callable[..., Ran], exported: Path) -> None:
    code, last, lines = ran(wrong)
    held, of, many, *_ = last.split()
    assert (code, of, int(many)) == (1, "of", expected_by(exported, "standard"))
    assert int(held) < int(many)
    assert any("is as nothing that is expected" in line or "standard" not in line for line in lines)


def test_another_convention_can_be_named_and_is_told_apart(ran: Callable[..., Ran], exported: Path) -> None:
    many = expected_by(exported, "ties=docid-asc")
    assert many > 50
    assert ran("ties stand by docid ascending", "ties=docid-asc")[:2] == (0, f"{many} of {many} as ties=docid-asc")
    code, last, _ = ran("", "ties=docid-asc")
    assert code == 1
    assert last != f"{many} of {many} as ties=docid-asc"
    assert ran("", "no-such-convention")[:2] == (1, "0 of 0 as no-such-convention"), (
        "where nothing is asked nothing holds"
    )


def test_a_wrong_measure_says_which_convention_it_follows(exported: Path, tmp_path: Path) -> None:
    """What is printed of a case names all conventions that give the values, and `standard` only where it does."""
    right, planted = WRONG["the discount is the rank"]["Python"]
    text = (RUNNERS / "runner.py").read_text(encoding="utf-8").replace(right, planted)
    (tmp_path / "runner.py").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, tmp_path / "runner.py", exported], capture_output=True, encoding="utf-8", check=False
    )
    follows = dict(line.split(" is as ", 1) for line in done.stdout.splitlines() if " is as " in line)
    cases = json.loads(exported.read_text(encoding="utf-8"))["cases"]
    pinned = [
        f"{case['id']} {measure}"
        for case in cases
        for measure, by in case["expect"].items()
        if case["ordinary"]
        and "discount=rank" in by
        and by["discount=rank"] != by.get("standard")
        and measure.startswith("nDCG@")
    ]
    assert len(pinned) >= 3
    assert {place: "discount=rank" in follows[place].split(", ") for place in pinned} == dict.fromkeys(pinned, True)
    assert [place for place in pinned if "standard" in follows[place].split(", ")] == []


def test_the_runners_are_small() -> None:
    """Java has no reader of JSON, and brings one below its own line."""
    lines = {
        file: len((RUNNERS / file).read_text(encoding="utf-8").splitlines())
        for file in ("runner.py", "runner.js", "runner.R")
    }
    assert {file: count for file, count in lines.items() if count >= 50} == {}
    parts = re.split(r"(?m)^    // -- .*\n", (RUNNERS / "Runner.java").read_text(encoding="utf-8"))
    assert len(parts) == 4
    assert max(len(part.splitlines()) for part in parts) < 50


def test_the_tolerance_of_the_runners_is_finer_than_any_two_conventions(exported: Path) -> None:
    """By 1e-9 no value is taken for that of another convention, and rounding is a millionth of it."""
    nearest = 1.0
    for case in json.loads(exported.read_text(encoding="utf-8"))["cases"]:
        for by_convention in case["expect"].values():
            values: dict[str, set[float]] = {}
            for by_query in by_convention.values():
                for query, value in by_query.items():
                    if not isinstance(value, str):
                        values.setdefault(query, set()).add(value)
            for different in map(sorted, values.values()):
                for one, other in pairwise(different):
                    nearest = min(nearest, (other - one) / max(abs(one), abs(other)))
    assert 1e-6 < nearest < 1e-5


def test_an_exported_case_has_every_measure_that_it_asks_and_what_is_expected_of_some() -> None:
    every = [case for case in corpus.load_all() if {*case.measures} > {*(case.expect or {})}]
    assert len(every) > 3
    for case in every:
        told = corpus_rules.case_as_json(case)
        assert (told["measures"], list(told["expect"])) == (list(case.measures), list(case.expect or {}))
