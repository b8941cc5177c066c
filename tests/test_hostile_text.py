"""Text from elsewhere moves no cursor, clears no screen and turns no direction, wherever it is shown."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from small_reports import ROOT, small_probes, small_results
from typed_commands import rankproof

from rankproof import cases as corpus
from rankproof.history.answer_changes import compared
from rankproof.history.causes import Causes, Profiles
from rankproof.history.change_groups import groups_of_files
from rankproof.judge import probe_findings
from rankproof.judge.results_file import RunResults, load
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report import run as rendered
from rankproof.report.changes import as_markdown
from rankproof.report.run_report import Report, markdown_safe
from rankproof.report.site.build import write_site
from rankproof.report.site.rendering import sentence, slug, visible
from rankproof.report.site.site_data import SiteData
from rankproof.terminal import say
from rankproof.workers.known_libraries import libraries
from rankproof.workers.subjects import Installation

HOSTILE = "\x1b[2J\x1b]8;;http://x\x07\0\u202egnp\u2066\u200f\x9b31m"
"""Clears the screen, links elsewhere, ends a string, turns the direction, and begins a sequence in one byte."""


def shows_nothing_hidden(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> RunResults:
    """Results in which every text that a library or an environment may choose is hostile."""
    path = tmp_path_factory.mktemp("results") / "sklearn.jsonl"
    path.write_text(small_results(), encoding="utf-8")
    read = load(path)
    said = Installation(
        "evil" + HOSTILE,
        "1" + HOSTILE,
        "3" + HOSTILE,
        variants={"v" + HOSTILE: HOSTILE},
        absent={"w" + HOSTILE: HOSTILE},
        dependencies={"p" + HOSTILE: HOSTILE},
        notes={"n" + HOSTILE: "note" + HOSTILE},
    )
    gone = Installation("gone" + HOSTILE, not_installed="why" + HOSTILE)
    who, error = said.subject("v" + HOSTILE), "E" + HOSTILE
    evil = replace(read.rows[0], subject=who, verdict=Verdict.ERROR, error=error, value=None, note=HOSTILE)
    absent = Row("", gone.subject(), "", None, Verdict.NOT_INSTALLED, note=HOSTILE)
    where = {"rankproof": "0" + HOSTILE, "python": HOSTILE, "platform": HOSTILE}
    header = {**read.header, **where, "asked": [*read.header["asked"], said.as_json(), gone.as_json()]}
    return RunResults(header, (*read.rows, evil, replace(evil, query="q" + HOSTILE), absent), read.footer)


@pytest.fixture(scope="module")
def report(results: RunResults) -> Report:
    asked = {row.case for row in results.rows if row.case}
    return Report(results, [corpus.load(ROOT / "cases" / f"{case}.toml") for case in sorted(asked)], libraries())


def test_the_hostile_text_is_hostile(results: RunResults) -> None:
    assert not shows_nothing_hidden(HOSTILE)
    assert sum(HOSTILE in name for name in results.names.values()) > 1


def test_no_page_of_the_site_hides_anything(report: Report, tmp_path: Path) -> None:
    text = small_probes()
    document = json.loads(text)
    document["findings"][0]["says"] = "says" + HOSTILE
    (tmp_path / "probes.json").write_text(json.dumps(document), encoding="utf-8")
    write_site(tmp_path / "site", SiteData(report, probes=probe_findings.read(tmp_path / "probes.json").by_subject))
    pages = sorted((tmp_path / "site").rglob("*.html"))
    texts = [path.read_text(encoding="utf-8") for path in pages]
    assert [path.name for path, text in zip(pages, texts, strict=True) if not shows_nothing_hidden(text)] == []
    assert any("<title>evil\\x1b[2J" in text for text in texts)
    assert any('says<i class="code">\\x1b</i>[2J' in text for text in texts)


def test_no_page_of_the_report_hides_anything(report: Report, results: RunResults) -> None:
    page = rendered.markdown(report.summary())
    assert shows_nothing_hidden(page)
    assert "evil\\\\x1b" in page
    drift = compared(results, replace(results, rows=results.rows[:3]))
    groups = groups_of_files(drift, Causes(Profiles(drift.old), Profiles(drift.new)))
    assert shows_nothing_hidden(as_markdown(drift, groups))


def test_the_terminal_gets_nothing_hidden(report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    say("\n".join(rendered.text(report.summary(), details=True)))
    said = capsys.readouterr().out
    assert "evil\\x1b[2J" in said
    assert shows_nothing_hidden(said)


def said_by(*arguments: object, cwd: Path) -> str:
    """What a verb says in a folder, to whoever reads it and to whoever reads its errors."""
    ended = rankproof(*arguments, cwd=cwd)
    return ended.out + ended.err


@pytest.mark.parametrize("form", [(), ("--per-query",), ("--per-query", "--json"), ("--per-query", "--show-signature")])
def test_what_evaluate_says_of_hostile_files_hides_nothing(form: tuple[str, ...], tmp_path: Path) -> None:
    name = HOSTILE.replace("\0", "").replace("/", "")
    qrels, run = tmp_path / f"qrels{name}", tmp_path / f"run{name}"
    query = "q" + name.replace("\x1b]8;;http://x\x07", "")
    qrels.write_text(f"{query} 0 a 1\n{query} 0 b 0\n", encoding="utf-8")
    run.write_text(f"{query} Q0 a 1 1 t\n", encoding="utf-8")
    said = said_by("evaluate", qrels, run, run, "-m", "AP", *form, cwd=tmp_path)
    assert shows_nothing_hidden(said)
    shown = json.dumps(query) if "--json" in form else query.encode("unicode_escape").decode()
    assert (shown in said) == (form != ())
    refused = said_by("evaluate", qrels, qrels, "-m", "AP", cwd=tmp_path)
    assert refused.startswith("rankproof: ")
    assert shows_nothing_hidden(refused)


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "AP|by:" + HOSTILE.replace("|", "")),
        ("show", "AP|rankproof:" + HOSTILE, "AP|by:x" + HOSTILE),
        ("show", HOSTILE),
        ("evaluate", HOSTILE.replace("\0", ""), "x", "-m", "AP"),
        ("diff", "x" + HOSTILE.replace("\0", ""), "y"),
        ("axes", HOSTILE),
        (HOSTILE,),
        ("run", "--" + HOSTILE),
        ("report", "site", "-r", "x" + HOSTILE.replace("\0", "")),
        ("evaluate", "q", "r", "-m", HOSTILE),
        ("evaluate", "q", "r", "-m", "AP", "--profile", HOSTILE),
        ("run", "--library", HOSTILE),
        ("run", "--case", HOSTILE),
        ("cases", "repro", HOSTILE, HOSTILE),
    ],
    ids=range(14),
)
def test_what_was_asked_is_said_again_without_what_is_hidden(arguments: tuple[str, ...], tmp_path: Path) -> None:
    said = said_by(*arguments, cwd=tmp_path)
    assert said
    assert shows_nothing_hidden(said)


def test_text_on_a_page_is_cut_at_its_limit_and_written_out_where_it_is_hidden() -> None:
    assert slug("a" * 81) == "a" * 81
    assert [slug(name)[:2] for name in ("a" * 82, "a b", "")] == ["x-"] * 3
    assert slug("\ud800") != slug("\ud801")
    written_out = [str(visible(c)).count('class="code"') for c in "\u2028\u2029\ue000\u00ad\u0378é"]
    assert written_out == [1, 1, 1, 1, 1, 0]
    questions = ["well-known docs", "what’s first", "ties, say", "ap@k is", "k=2", ""]
    assert [*map(sentence, questions)] == ["Well-known docs", "What’s first", "Ties, say", *questions[3:]]
    assert markdown_safe("\\`*_{}[]#|~$") == "".join(f"\\{c}" for c in "\\`*_{}[]#|~$")
    assert markdown_safe("<&>\n") == "&lt;&amp;&gt;"
