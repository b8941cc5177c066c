"""Every signature that is printed anywhere reads, and computes; pages are asked in `test_site`, what `check` prints where it is called."""

import json
import re
from pathlib import Path
from typing import Any

import published_run
import pytest
from click.testing import CliRunner
from signed import QRELS, RUN, assert_computes

from rankproof.commands import evaluate, explain, fingerprint, profiles

PUBLISHED = published_run.fingerprints()
ROOT = Path(__file__).resolve().parent.parent
WRITTEN = re.compile(r"[A-Za-z]+(?:\([^()|]*\))?(?:@[\d.]+)?(?:\|[a-z_]+:[^\s|`'\"<]+)*\|rankproof:[\w.]+")
"""A signature as it stands in a text."""


@pytest.mark.in_parts(4)
@pytest.mark.parametrize("library", sorted({one.library for one in PUBLISHED}))
def test_those_of_all_fingerprints_do(library: str) -> None:
    for one in (one for one in PUBLISHED if one.library == library):
        found = assert_computes(one.signature)
        assert found.by == one.subject.signed
        assert set(one.undecided) <= set(found.open)


def test_those_of_profiles_for_programs_are_the_published_ones() -> None:
    told = json.loads(CliRunner().invoke(profiles.command, ["--json"]).stdout)
    of = {
        (library["name"], form): text for library in told if library["library"] for form, text in library["of"].items()
    }
    assert sorted(of.values()) == sorted(one.signature for one in PUBLISHED)


def test_those_of_fingerprint_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("sklearn/rows", "trec_eval/default", "ir_measures/ranx"):
        asked = CliRunner().invoke(fingerprint.command, [name], standalone_mode=False).stdout
        own = {one.signature for one in PUBLISHED if one.subject.name == name}
        flat = "".join(line.strip() if "|" in line else "\n" for line in asked.splitlines())
        assert own & set(WRITTEN.findall(flat)) or "|" not in asked, name


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {r}\n" for q, docs in QRELS.items() for d, r in docs.items()))
    rows = [(q, d, 20 - s, s) for q, docs in RUN.items() for d, s in docs.items()]
    (tmp_path / "run").write_text("".join(f"{q} Q0 {d} {rank:g} {s} t\n" for q, d, rank, s in rows))
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


MEASURES = ["-m", "nDCG@10", "-m", "AP", "-m", "P@5"]
ASKED: list[tuple[Any, list[str]]] = [
    (evaluate, [*MEASURES, "--show-signature"]),
    (evaluate, [*MEASURES, "--json"]),
    (evaluate, [*MEASURES, "--show-signature", "--profile", "catboost"]),
    (evaluate, [*MEASURES, "--show-signature", "--profile", "trectools/frame", "--format", "csv"]),
    (evaluate, [*MEASURES, "--show-signature", "--profile", "evaluate", "--format", "markdown"]),
    (evaluate, [*MEASURES, "--show-signature", "--profile", "ranx", "--format", "latex"]),
    (explain, ["-m", "nDCG@10", "--json"]),
]


@pytest.mark.parametrize(("verb", "options"), ASKED, ids=[" ".join(options[-4:]) for _, options in ASKED])
def test_those_beside_numbers_do(verb: Any, options: list[str], files: list[str]) -> None:
    told = CliRunner().invoke(verb.command, [*files, *options], standalone_mode=False)
    assert told.exception is None, told.exception
    found = list(dict.fromkeys(WRITTEN.findall(told.output.replace("\\", ""))))
    assert len(found) >= (3 if verb is evaluate else 0)
    assert told.output.count("|rankproof:") == 0 or found
    for text in found:
        assert_computes(text)


def test_those_of_reports_and_readme_do() -> None:
    paths = [*ROOT.glob("reports/*.md"), ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    texts = [re.sub(r"\|\n\s+", "|", path.read_text(encoding="utf-8").replace("\\", "")) for path in paths]
    written = {one for text in texts for one in WRITTEN.findall(text)}
    assert len(written) >= 3
    for text in written:
        assert_computes(text)
