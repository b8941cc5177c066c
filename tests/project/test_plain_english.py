"""Plain English in all text of the project: phrases of a private dialect, docstrings without a verb, long sentences.

`dialect.toml` lists the phrases, each with a replacement. `pytest -rP` also prints the figures of tests that pass.
"""

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from places import ROOT

PHRASES = {"README": 3, "docs": 4, "cases": 4, "docstrings": 4, "help and messages": 4, "comments": 4}
"""Kind of text -> maximum number of phrases per 1,000 words."""
LONG = {"README": 0, "docs": 5, "cases": 0, "docstrings": 5, "help and messages": 0, "comments": 0}
"""Kind of text -> maximum number of sentences with more than `MOST_WORDS` words."""
MOST_WORDS = 35
WITHOUT_VERB = 0
"""Maximum number of docstrings without a verb."""

PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**/*.md")
UNSHOWN = ("tests", "adapters")  # texts of adapters are stored in published results
CODE = ("harness", "reference_impl", "adapters", "cases", "benchmarks", "tests")
DIALECT = tomllib.loads((Path(__file__).parent / "dialect.toml").read_text(encoding="utf-8"))["phrase"]
PATTERNS = [(re.compile(phrase["find"], re.MULTILINE), phrase["write"]) for phrase in DIALECT]
ANY = re.compile("|".join(f"(?:{phrase['find']})" for phrase in DIALECT), re.MULTILINE)
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
SENTENCE_END = re.compile(r"[.!?:]\s+|\n\s*\n|\n\s*(?:[-*#]|\d+\.) ")
NOT_PROSE = re.compile(r"(?ms)```.*?```|<!--.*?-->|<[a-z/][^>]*>|^ *(?:\||>>>|\.\.\. )[^\n]*$|^[^\n]*\S {2,}\S[^\n]*$")
NO_VERB = {
    "function": r"(?:An?|The|Its?|Th(?:ey|eir|is|ese|ose|at)|Each|Every|All|No|None|One|If|As|By|For|With|Of|How|Wh\w+) ",
    "attribute": r"(?:What|Which|Who|How|Where|Of) ",
    "": r"(?:What|Which|Whether|Who|How|Where|Of) ",
}


class Passage(NamedTuple):
    """A text with its place; `role` is the kind of object that a docstring describes."""

    path: Path
    line: int
    text: str
    role: str = ""

    def place(self, position: int) -> str:
        """Return the file and the line of a position in the text."""
        return f"{self.path.relative_to(ROOT)}:" + str(self.line + self.text.count("\n", 0, position))


def prose(text: str) -> str:
    """Replace code, tables and examples by blank lines, and code in a sentence by one word."""
    return re.sub(r"`[^`\n]+`|\]\([^)\n]*\)", "_", NOT_PROSE.sub(lambda found: "\n" * found[0].count("\n"), text))


def role_of(node: ast.AST) -> str:
    """Return the kind of object that a docstring at the beginning of a node describes."""
    if not isinstance(node, ast.FunctionDef) or node.name.startswith("test_"):
        return ""
    return "attribute" if "property" in " ".join(map(ast.unparse, node.decorator_list)) else "function"


def of_python(path: Path) -> Iterator[tuple[str, Passage]]:
    """Yield docstrings and comments of a file, and texts that users can see."""
    source = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(source)))
    roles = {id(node.value): "attribute" for node in nodes if isinstance(node, ast.Expr)}
    described = (node for node in nodes if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body)
    roles |= {id(node.body[0].value): role_of(node) for node in described if isinstance(node.body[0], ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in roles:
                yield "docstrings", Passage(path, node.lineno, prose(node.value), roles[id(node)])
            elif node.value.count(" ") > 2 and path.relative_to(ROOT).parts[0] not in UNSHOWN:
                yield "help and messages", Passage(path, node.lineno, prose(node.value))
    for number, line in enumerate(source.split("\n"), start=1):
        if comment := re.search(r"(?:^\s*|  )# (?!noqa|fmt|type|pragma)(.*)", line):
            yield "comments", Passage(path, number, prose(comment[1]))


@cache
def passages() -> Mapping[str, list[Passage]]:
    """Return all texts of the project by kind."""
    by_kind = defaultdict(list)
    for path in (path for name in PAGES for path in ROOT.glob(name)):
        kind = "README" if path.name == "README.md" else "docs"
        by_kind[kind].append(Passage(path, 1, prose(path.read_text(encoding="utf-8"))))
    for path in ROOT.glob("cases/*/*.toml"):
        case = tomllib.loads(path.read_text(encoding="utf-8"))
        by_kind["cases"].append(Passage(path, 1, prose(f"{case['question']}\n\n{case['why']}")))
    for path in (*ROOT.glob("*.py"), *(path for name in CODE for path in ROOT.glob(f"{name}/**/*.py"))):
        for kind, passage in of_python(path):
            by_kind[kind].append(passage)
    return by_kind


def phrases(texts: Iterable[Passage]) -> Iterator[str]:
    """Yield the place of each phrase of the dialect, the phrase, and its replacement."""
    for passage in filter(lambda text: ANY.search(text.text), texts):
        for pattern, write in PATTERNS:
            for found in pattern.finditer(passage.text):
                yield f"{passage.place(found.start())}: {' '.join(found[0].split())[:60]!r}; write: {write}"


def long_sentences(texts: Iterable[Passage]) -> Iterator[str]:
    """Yield the place and the beginning of each sentence with too many words."""
    for passage in texts:
        start = 0
        for end in (*(found.end() for found in SENTENCE_END.finditer(passage.text)), len(passage.text)):
            sentence = " ".join(passage.text[start:end].split())
            if len(WORD.findall(sentence)) > MOST_WORDS:
                yield f"{passage.place(start)}: {sentence[:60]!r}; write: several sentences"
            start = end


def without_verb(texts: Iterable[Passage]) -> Iterator[str]:
    """Yield the place and the beginning of each docstring without a verb."""
    for passage in texts:
        text = passage.text.strip()
        if re.match(NO_VERB[passage.role], text):
            yield f"{passage.place(0)}: {text[:60]!r}; write: Return, Print … for functions, a noun for all others"


def check(findings: Iterator[str], unit: str, limit: float, words: float = 1000) -> None:
    found = list(findings)
    print(message := f"{1000 * len(found) / words:.1f} {unit}, limit {limit}")
    if 1000 * len(found) > limit * words:
        pytest.fail("\n".join([message, *found[:40]]), pytrace=False)


@pytest.mark.parametrize("kind", PHRASES)
def test_text_has_few_phrases_of_the_dialect_and_few_long_sentences(kind: str) -> None:
    texts = passages()[kind]
    words = sum(len(WORD.findall(passage.text)) for passage in texts)
    check(phrases(texts), f"phrases per 1,000 words in {kind}", PHRASES[kind], words)
    check(long_sentences(texts), f"sentences of more than {MOST_WORDS} words in {kind}", LONG[kind])


def test_docstrings_have_a_verb() -> None:
    check(without_verb(passages()["docstrings"]), "docstrings without a verb", WITHOUT_VERB)


@pytest.mark.parametrize("phrase", DIALECT, ids=lambda phrase: phrase["wrong"])
def test_expression_finds_its_example_and_accepts_the_replacement(phrase: Mapping[str, str]) -> None:
    assert re.search(phrase["find"], phrase["wrong"], re.MULTILINE)
    assert not ANY.search(phrase["right"])
