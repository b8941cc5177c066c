"""Control characters in text of libraries, files and arguments: every output escapes them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from small_reports import small_probes, small_report
from typed_commands import rankproof

from rankproof.history.answer_changes import compared
from rankproof.history.causes import Causes, Profiles
from rankproof.history.change_groups import groups_of_files
from rankproof.judge import probe_findings
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report import run as rendered
from rankproof.report.changes import as_markdown
from rankproof.report.run_report import Report, markdown_safe
from rankproof.report.site.build import write_site
from rankproof.report.site.rendering import slug, visible
from rankproof.report.site.site_data import SiteData
from rankproof.terminal import say
from rankproof.workers.subjects import Installation

HOSTILE = "\x1b[2J\x1b]8;;http://x\x07\0\u202egnp\u2066\u200f\x9b31m"
"""Text that clears the screen, links, ends a string, reverses the text direction, and begins a sequence in one byte."""
WITHOUT_NUL = HOSTILE.replace("\0", "").replace("/", "")


def is_printable(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


@pytest.fixture(scope="module")
def report() -> Report:
    """Return a report with hostile text in every field that a library or an environment can choose."""
    results = small_report().results
    library = Installation(
        "evil" + HOSTILE,
        "1" + HOSTILE,
        "3" + HOSTILE,
        variants={"v" + HOSTILE: HOSTILE},
        absent={"w" + HOSTILE: HOSTILE},
        dependencies={"p" + HOSTILE: HOSTILE},
        notes={"n" + HOSTILE: "note" + HOSTILE},
    )
    missing = Installation("gone" + HOSTILE, not_installed="why" + HOSTILE)
    facts = {"subject": library.subject("v" + HOSTILE), "error": "E" + HOSTILE, "note": HOSTILE}
    evil = replace(results.rows[0], verdict=Verdict.ERROR, value=None, **facts)
    absent = Row("", missing.subject(), "", None, Verdict.NOT_INSTALLED, note=HOSTILE)
    installations = [*results.header["asked"], library.as_json(), missing.as_json()]
    header = {**results.header, **dict.fromkeys(("rankproof", "python", "platform"), HOSTILE), "asked": installations}
    rows = (*results.rows, evil, replace(evil, query="q" + HOSTILE), absent)
    return replace(small_report(), results=RunResults(header, rows, results.footer))


def test_pages_of_the_site_are_printable(report: Report, tmp_path: Path) -> None:
    assert not is_printable(HOSTILE)
    document = json.loads(small_probes())
    document["findings"][0]["says"] = "says" + HOSTILE
    (tmp_path / "probes.json").write_text(json.dumps(document), encoding="utf-8")
    write_site(tmp_path / "site", SiteData(report, probes=probe_findings.read(tmp_path / "probes.json").by_subject))
    texts = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "site").rglob("*.html")}
    assert [name for name, text in texts.items() if not is_printable(text)] == []
    assert any("<title>evil\\x1b[2J" in text for text in texts.values())
    assert any('says<i class="code">\\x1b</i>[2J' in text for text in texts.values())


def test_report_is_printable_on_the_terminal_and_in_markdown(
    report: Report, capsys: pytest.CaptureFixture[str]
) -> None:
    say("\n".join(rendered.text(report.summary(), details=True)))
    output, page = capsys.readouterr().out, rendered.markdown(report.summary())
    assert "evil\\x1b[2J" in output
    assert "evil\\\\x1b" in page
    drift = compared(report.results, replace(report.results, rows=report.results.rows[:3]))
    groups = groups_of_files(drift, Causes(Profiles(drift.old), Profiles(drift.new)))
    assert [text for text in (output, page, as_markdown(drift, groups)) if not is_printable(text)] == []


def printed_by(*arguments: object, cwd: Path) -> str:
    """Return the output and the errors of a command."""
    ended = rankproof(*arguments, cwd=cwd)
    return ended.out + ended.err


@pytest.mark.parametrize("form", [(), ("--per-query",), ("--per-query", "--json"), ("--per-query", "--show-signature")])
def test_output_of_evaluate_is_printable_for_hostile_files(form: tuple[str, ...], tmp_path: Path) -> None:
    qrels, run = tmp_path / f"qrels{WITHOUT_NUL}", tmp_path / f"run{WITHOUT_NUL}"
    query = "q" + WITHOUT_NUL
    qrels.write_text(f"{query} 0 a 1\n{query} 0 b 0\n", encoding="utf-8")
    run.write_text(f"{query} Q0 a 1 1 t\n", encoding="utf-8")
    output = printed_by("evaluate", qrels, run, run, "-m", "AP", *form, cwd=tmp_path)
    assert is_printable(output)
    escaped = json.dumps(query) if "--json" in form else query.encode("unicode_escape").decode()
    assert (escaped in output) == (form != ())
    refused = printed_by("evaluate", qrels, qrels, "-m", "AP", cwd=tmp_path)
    assert refused.startswith("rankproof: ")
    assert is_printable(refused)


COMMANDS = [
    ("show", "AP|by:" + HOSTILE.replace("|", "")),
    ("show", "AP|rankproof:" + HOSTILE, "AP|by:x" + HOSTILE),
    ("show", HOSTILE),
    ("diff", "x" + WITHOUT_NUL, "y"),
    (HOSTILE,),
    ("run", "--" + HOSTILE),
    ("report", "site", "-r", "x" + WITHOUT_NUL),
    ("evaluate", "q", "r", "-m", HOSTILE),
    ("evaluate", "q", "r", "-m", "AP", "--profile", HOSTILE),
    ("run", "--library", HOSTILE),
    ("run", "--case", HOSTILE),
    ("cases", "repro", HOSTILE, HOSTILE),
]


def test_hostile_arguments_are_repeated_in_printable_form(tmp_path: Path) -> None:
    outputs = [printed_by(*command, cwd=tmp_path) for command in COMMANDS]
    assert [command for command, output in zip(COMMANDS, outputs, strict=True) if not output] == []
    assert [output for output in outputs if not is_printable(output)] == []


def test_hidden_characters_and_markup_are_written_out() -> None:
    assert slug("a" * 81) == "a" * 81
    assert [slug(name)[:2] for name in ("a" * 82, "a b", "")] == ["x-"] * 3
    assert slug("\ud800") != slug("\ud801")
    written_out = [str(visible(c)).count('class="code"') for c in "\u2028\u2029\ue000\u00ad\u0378é"]
    assert written_out == [1, 1, 1, 1, 1, 0]
    assert markdown_safe("\\`*_{}[]#|~$") == "".join(f"\\{c}" for c in "\\`*_{}[]#|~$")
    assert markdown_safe("<&>\n") == "&lt;&amp;&gt;"
