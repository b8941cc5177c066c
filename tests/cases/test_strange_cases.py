"""Case files from elsewhere: what is wrong with one is a line with the file, the line and what it is, and nothing takes without end."""

import random
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankproof.cases import BadCase, load
from rankproof.cases.arithmetic import NotArithmetic, evaluate
from rankproof.cli.cases import command

CASE = """\
question = "a doc at the first rank has reciprocal rank 1"
why = "what else could it have"
source = "own"
tags = ["smoke"]
kills = ["forgets_unretrieved_relevant"]
qrels = \"\"\"
q1 a 1
\"\"\"
run = \"\"\"
q1 a 2.5
\"\"\"

[expect.RR]
standard = "1"
"ties=input" = "2/2"
"""


def linted(folder: Path, text: str | bytes) -> tuple[str, Path]:
    path = folder / "smoke" / "case.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    done = CliRunner().invoke(command, ["lint", str(path)], standalone_mode=False)
    assert done.exception is None, done.exception
    return done.stdout, path


def test_the_case_that_is_doctored_is_right(tmp_path: Path) -> None:
    assert linted(tmp_path, CASE)[0] == ""


WITHOUT_VALUE = "1e999999999 1e-999999999 1e1500 1e-1500 9**9**9 1/0 0/0 ln(0) ln(0-1) sqrt(-1) (-8)**(1/3) 1_000"
ENDLESS = dict.fromkeys(WITHOUT_VALUE.split(), "it has no value") | {
    "True": "only numbers",
    "1j": "only numbers",
    "1if 1else 2": "only numbers",
    "(" * 400 + "1" + ")" * 400: "only numbers",
    "-" * 5000 + "1": "more than 1,000 characters",
}


@pytest.mark.parametrize(("text", "said"), ENDLESS.items(), ids=range(len(ENDLESS)))
def test_an_expected_value_that_is_none_is_refused_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(NotArithmetic, match=said):
        evaluate(text)
    told, path = linted(tmp_path, CASE.replace("2/2", text))
    assert told.startswith(f"{path}:15: RR: [ties=input]: '{text[:10]}"), told
    assert told.count("\n") == 1
    assert len(told) < len(str(path)) + 250


NO_RIGHT_ANSWER = (1, "a case tagged undefined has no right answer: give measures = […]")
ONLY_Q1 = (1, "q7 is expected something of, but smoke/case has only q1")
EITHER = (1, "either qrels and run, or true and predicted")
STRANGE = {
    "qrels = [" + "[" * 5000: (1, "it is nested too deep"),
    CASE.replace('"own"', "[" * 150 + "]" * 150): (3, "source: "),
    CASE.replace('"own"', "1999-12-31"): (3, "source: it holds what is no text"),
    CASE.replace('"own"', "[" * 300 + "]" * 300): (3, "it is nested too deep"),
    CASE.replace("q1 a 1\n", "q1 a nan\n"): (7, "the rel nan is no finite number"),
    CASE.replace("q1 a 1\n", f"q1 a {'9' * 5000}\n"): (7, "… (5,000 characters)' is no number"),
    CASE.replace("q1 a 1\n", f"q1 a {'9' * 400}\n"): (7, "… (400 characters) is no finite number"),
    CASE.replace("q1 a 2.5", "q1 a 2.5 first"): (10, "'first' is no number"),
    CASE.replace("q1 a 2.5", "q1 a 2.5 " + "1" * 5000): (10, "is no number"),
    CASE.replace('"""\nq1 a 1\n"""', '[["q1", "a", inf]]'): (6, "the rel inf is no finite number"),
    CASE.replace('"""\nq1 a 2.5\n"""', f'[["q1", "a", 1{"0" * 400}]]'): (9, "is no number"),
    CASE.replace('"1"', "9" * 5000): (1, "Exceeds the limit"),
    CASE.replace("2/2", "2/2\x1b[2J"): (15, "Illegal character"),
    CASE.replace("own", "own" * 400_000): (1, "more than 1,048,576 bytes"),
    CASE.replace("[expect.RR]", '[expect."P(rel=' + "-" * 3000 + '1)"]'): (13, "is no measure"),
    CASE.replace("ties=input", "ties=input ties=worst"): (15, "ties is said twice, input and worst"),
    CASE.replace('standard = "1"', "standard = 1"): (13, 'expect.RR.standard: 1 is not of types "string", "object"'),
    CASE.replace('standard = "1"', "standard = []"): (13, 'expect.RR.standard: [] is not of types "string", "object"'),
    CASE.replace('standard = "1"', 'standard = ""'): (13, 'expect.RR.standard: "" is shorter than 1 character'),
    CASE.replace('standard = "1"', "standard = {}"): (13, "expect.RR.standard: {} has less than 1 property"),
    CASE.replace('standard = "1"', "standard.q1 = 1"): (13, 'expect.RR.standard.q1: 1 is not of type "string"'),
    CASE.replace('standard = "1"', 'standard.q1 = ""'): (13, 'expect.RR.standard.q1: "" is shorter than 1 character'),
    CASE.replace('"""\nq1 a 1\n"""', "3"): (6, 'qrels: 3 is not of types "string", "array"'),
    CASE.replace('"""\nq1 a 1\n"""', '["q1 a 1"]'): (6, 'qrels.0: "q1 a 1" is not of type "array"'),
    CASE.replace('"""\nq1 a 1\n"""', '[["q1", "a"]]'): (6, 'qrels.0: ["q1","a"] has less than 3 items'),
    CASE.replace('"""\nq1 a 2.5\n"""', '[["q1", "a", "high"]]'): (9, 'run.0.2: "high" is not valid under any'),
    CASE.replace('"""\nq1 a 2.5\n"""', '[["q1", "a", 2.5, 1, 1]]'): (9, "run.0: "),
    CASE.replace("qrels = ", "true = [1]\npredicted = [1]\nqrels = "): EITHER,
    CASE[: CASE.index("qrels")] + 'true = [1]\nmeasures = ["Homogeneity"]': EITHER,
    CASE[: CASE.index("[expect")]: (1, 'give [expect."MEASURE"], or measures = […] where nothing is pinned'),
    CASE.replace('"smoke"', '"smoke", "undefined"'): NO_RIGHT_ANSWER,
    CASE.replace('standard = "1"', 'standard = {q1 = "1", q7 = "1"}'): ONLY_Q1,
    CASE.replace('"""\nq1 a 2.5\n"""', '[[1.5, "a", 2.5]]'): (9, 'run.0.0: 1.5 is not of types "integer", "string"'),
}


@pytest.mark.parametrize(("text", "told"), STRANGE.items(), ids=range(len(STRANGE)))
def test_a_strange_case_is_refused_with_its_line(text: str, told: tuple[int, str], tmp_path: Path) -> None:
    said, path = linted(tmp_path, text)
    assert said.startswith(f"{path}:{told[0]}: "), said
    assert told[1] in said
    assert said.count("\n") == 1
    assert len(said) < len(str(path)) + 400


def test_a_case_that_is_no_text_is_refused_with_its_line(tmp_path: Path) -> None:
    said, path = linted(tmp_path, CASE.replace("2/2", "2/\xe9").encode("latin-1"))
    assert said == f"{path}:15: this is no UTF-8: invalid continuation byte\n"


def test_no_file_is_no_case(tmp_path: Path) -> None:
    with pytest.raises(BadCase, match=rf"{tmp_path}:1: is a directory"):
        load(tmp_path)


def test_a_doctored_case_reads_or_is_refused(tmp_path: Path) -> None:
    refusals = 0
    for seed in range(120):
        chance = random.Random(seed)
        at, to = sorted(chance.sample(range(len(CASE)), 2))
        new = chance.choice(["", "[" * 2000, "\x00", "\u202e", "= 1", '"', "nan", "9" * 400, "'''", "{", "\n"])
        text = CASE[:at] + new + CASE[at if chance.random() < 0.5 else min(to, at + 12) :]
        said, path = linted(tmp_path, text)
        refusals += said != ""
        assert all(re.match(rf"{path}:\d+: ", line) and line.isprintable() for line in said.splitlines()), (seed, said)
    assert refusals > 60
