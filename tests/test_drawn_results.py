"""What a run writes and tells, of runs that are drawn, read back and compared with a few lines that say what it should be.

Results files, the report in its terms and as Markdown, the formats of CI systems, the terminal. Nothing here asks what is tested how to
count, to name or to write.
"""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import drawn_runs
import pytest
from disagreement_grid import grid
from drawn_runs import Told, drawn

from rankproof.judge import results_file
from rankproof.judge.verdicts import FAILS, Row, Verdict
from rankproof.reference_impl import conventions
from rankproof.report import last_run, report_pages, terminal
from rankproof.report.ci_formats import junit, step_summary
from rankproof.report.last_run import LastRun
from rankproof.version import VERSION
from rankproof.workers.subjects import Subject

SEEDS = range(7)
SHOWN = {
    0.5: ".5",
    0.25: ".25",
    1.0: "1",
    0.0: "0",
    1 / 3: ".3333",
    0.50001: ".5",
    0.75: ".75",
    2.0: "2",
    -1.0: "-1",
    float("inf"): "inf",
    "absent": "absent",
    0.125: ".125",
    3e-7: "3e-07",
    3.0: "3",
    None: "refused",
}
"""How values are shown: with four decimals, and small ones by their digits."""
FORM = {
    "nDCG@2": "nDCG@k",
    "P@2": "P@k",
    "P@5": "P@k",
    "R@3": "R@k",
    "DCG@2": "DCG@k",
    "ERR@3": "ERR@k",
    "RR@2": "RR@k",
    "nDCG(dcg='exp-log2')@2": "nDCG(dcg='exp-log2')@k",
    "AP(rel=2)@3": "AP(rel=2)@k",
}
NO_SCALE = {"DCG@2", "NumRel", "Newer@3"}
FAILING = {
    Verdict.UNEXPLAINED,
    Verdict.DEFECT,
    Verdict.ERROR,
    Verdict.CRASH,
    Verdict.TIMEOUT,
    Verdict.MEMORY,
    Verdict.INVALID_OUTPUT,
    Verdict.UNSTABLE,
}
AXES = ("order", "ties", "score", "score_sign", "known", "gain", "ideal", "ideal_cut", "missing", "norel")


@pytest.fixture(params=SEEDS)
def told(request: pytest.FixtureRequest) -> Told:
    return drawn(request.param)


def shown(row: Row) -> str:
    """An answer as it is shown."""
    if row.error is not None:
        return "error"
    return "nan" if isinstance(row.value, float) and math.isnan(row.value) else SHOWN[row.value]


def number(value: Any) -> Any:
    """A value as JSON has it."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def unescaped(text: str) -> str:
    """What Markdown shows."""
    for written, meant in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(written, meant)
    return re.sub(r"\\([\\`*_{}\[\]#|~$])", r"\1", text)


def untrusted(text: str) -> str:
    """What Markdown shows of a text from anywhere, of which it may act upon nothing; bold, code and `<br>` are the page's."""
    of_text = re.sub(r"\\[\\`*_{}\[\]#|~$]|`[^`]*`|\*\*[^*]*\*\*|</?code>|<br>", "", text)
    assert not re.search(r"[*_<>|~$]", of_text), text
    return unescaped(text)


def line(text: str) -> str:
    """Text from anywhere in one line: what does not print is written out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in " ".join(text.split()))


def cells(text: str, heading: str) -> list[list[str]]:
    """The rows of the table that begins so, as they are shown."""
    rows = text[text.index(heading) :].split("\n\n", maxsplit=1)[0].splitlines()[2:]
    return [[untrusted(cell.strip()) for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]


# -- results files ------------------------------------------------------------------------------------------------------


def as_lines(told: Told, library: str) -> tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]:
    """The header, the judged rows and the footer of a file."""
    asked = [one for one in told.run.asked if one.library.name == library]
    who = [one for one in told.asked if one.library == library]
    names = drawn_runs.called((subject for one in who for subject in drawn_runs.subjects_of(one)), signed_all=True)
    once = sum(one.once for one in asked)
    header = {
        "kind": "header",
        "rankproof": VERSION,
        "cases": len(told.cases),
        "inputs": "of inputs",
        "code": "of code",
        "adapter": f"digest {library}",
        "asked": [one.as_json() for one in who],
        "questions": {case.id: list(case.measures) for case in told.cases},
        **({"once": once} if once else {}),
    }
    mine = [row for row in told.rows if row.library == library]
    rows = []
    for row in mine:
        if row.verdict is not Verdict.UNSUPPORTED:
            said = {
                "kind": "row",
                "case": row.case,
                "subject": names[row.subject],
                "measure": row.measure,
                "verdict": row.verdict.value,
                "value": number(row.value),
                "expected": number(row.expected),
            }
            if row.query is not None:
                said["query"] = row.query
            if row.error is not None:
                said["error"] = row.error
            if row.conventions:
                said["conventions"] = list(row.conventions)
            if row.note:
                said["note"] = row.note
            rows.append(said)
    footer = {
        "kind": "footer",
        "rows": len(rows),
        "unsupported": len(mine) - len(rows),
        "verdicts": dict(Counter(row.verdict.value for row in mine)),
        "complaints": sum(one.library == library for one in told.complaints),
    }
    return header, rows, footer


def test_a_file_of_results_holds_what_was_found_of_its_library(told: Told, tmp_path: Path) -> None:
    results_file.write(told.run, tmp_path)
    written = {path.stem: path.read_text(encoding="ascii") for path in (tmp_path / "results").iterdir()}
    assert set(written) == {one.library for one in told.asked}
    for library, text in written.items():
        header, *between, footer = map(json.loads, text.splitlines())
        wanted_header, wanted_rows, wanted_footer = as_lines(told, library)
        of_elsewhere = dict.fromkeys(("python", "platform", "corpus"), "")
        assert header | of_elsewhere == wanted_header | of_elsewhere
        assert (header["asked"], list(footer["verdicts"])) == (wanted_header["asked"], sorted(footer["verdicts"]))
        assert [one for one in between if one["kind"] == "row"] == wanted_rows
        assert footer == wanted_footer
        absences = [one for one in between if one["kind"] == "unsupported"]
        rows = [row for row in told.rows if row.library == library and row.verdict is Verdict.UNSUPPORTED]
        reasons = {(row.subject, row.case, row.measure): row.note for row in rows}
        assert meant(told, library, absences) == reasons


def meant(told: Told, library: str, absences: Iterable[dict[str, Any]]) -> dict[tuple[Subject, str, str], str]:
    """What absences say, question by question: what was said or answered before it is not said again."""
    who = [s for one in told.asked if one.library == library for s in drawn_runs.subjects_of(one)]
    by_name = {name: subject for subject, name in drawn_runs.called(who, signed_all=True).items()}
    answered = {(row.subject, row.case, row.measure) for row in told.rows if row.verdict is not Verdict.UNSUPPORTED}
    found: dict[tuple[Subject, str, str], str] = {}
    for said in absences:
        for case in told.cases:
            for measure in case.measures:
                place = by_name[said["subject"]], case.id, measure
                named = case.id in said.get("cases", [case.id]) and measure in said.get("measures", [measure])
                if named and place not in answered:
                    found.setdefault(place, said["why"])
    return found


def in_order(told: Told) -> list[Row]:
    """The rows in the order in which files have them: library by library; who is absent, then case, subject and measure."""
    order = {"": -1} | {case.id: i for i, case in enumerate(told.cases)}
    measures = {"": [""]} | {case.id: list(case.measures) for case in told.cases}

    def place(row: Row) -> tuple[str, int, int, int]:
        at = order[row.case], told.subjects.index(row.subject), measures[row.case].index(row.measure)
        return row.library, *at

    return sorted(told.rows, key=place)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_written_is_read_back_row_for_row(seed: int, tmp_path: Path) -> None:
    told = drawn(seed)
    results_file.write(told.run, tmp_path)
    found = results_file.load(tmp_path, of_any_version=seed % 2 == 0)
    wanted = in_order(told)
    assert [repr(row) for row in found.rows] == [repr(row) for row in wanted]
    assert [row.subject for row in found.rows] == [row.subject for row in wanted]
    every = [as_lines(told, name)[2] for name in {one.library for one in told.asked}]
    assert found.footer == {
        "kind": "footer",
        **{name: sum(one[name] for one in every) for name in ("rows", "unsupported", "complaints")},
        "verdicts": dict(Counter(row.verdict.value for row in told.rows)),
    }
    by_library = sorted(told.asked, key=lambda one: one.library)
    assert list(found.asked) == by_library
    by_name = {one.library: [other for other in by_library if other.library == one.library] for one in told.asked}
    assert found.libraries == by_name
    subjects = [subject for one in by_library for subject in drawn_runs.subjects_of(one)]
    assert {subject: found.names[subject] for subject in told.subjects} == drawn_runs.called(subjects)
    # What a variant is called in its library, also where it is the only one.
    names = drawn_runs.called(replace(one, alone=not one.variant) for one in subjects)
    variants = {one: (one.library, name.partition("/")[2] if one.variant else "") for one, name in names.items()}
    assert {subject: found.variants[subject] for subject in told.subjects} == variants


# -- the report in its own terms ----------------------------------------------------------------------------------------


@cache
def questions(told: Told) -> dict[tuple[str, str], list[Row]]:
    """The rows of each question that were judged."""
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in told.rows:
        if row.case and row.verdict is not Verdict.UNSUPPORTED:
            found[row.case, row.measure].append(row)
    return found


Voices = list[tuple[list[str], tuple[str, ...], bool]]


@cache
def divisions(told: Told) -> list[tuple[str, str, list[tuple[str, bool, Voices]]]]:
    """Each question that divides: the answers, those of most first, whether each is standard's, and who gives it for which reason."""
    found = []
    for (case, measure), rows in questions(told).items():
        overall = [row for row in rows if row.query is None]
        answers = []
        for text in dict.fromkeys(map(shown, overall)):
            own = [row for row in overall if shown(row) == text]
            reasons = dict.fromkeys((row.conventions, row.verdict is Verdict.KNOWN) for row in own)
            voices = [
                ([told.names[r.subject] for r in own if (r.conventions, r.verdict is Verdict.KNOWN) == why], *why)
                for why in reasons
            ]
            voices.sort(key=lambda voice: (len(voice[1]), -len(voice[0])))
            answers.append((text, any(row.verdict is Verdict.AGREES for row in own), voices))
        answers.sort(key=lambda answer: -sum(len(voice[0]) for voice in answer[2]))
        undefined = any(one.id == case and "undefined" in one.tags for one in told.cases)
        inside = [row.value for row in rows if isinstance(row.value, float | int) and 0 <= row.value <= 1]
        if len(answers) > 1 and not undefined:
            found.append(((-len(answers), -(max(inside, default=0) - min(inside, default=0)), case, measure), answers))
    return [(place[2], place[3], answers) for place, answers in sorted(found, key=lambda one: one[0])]


@cache
def leading(told: Told) -> list[tuple[str, str, list[tuple[str, bool, Voices]]]]:
    """Of each case that is a headline the question that divides most."""
    tagged = {case.id for case in told.cases if "headline" in case.tags}
    every = divisions(told)
    return [one for i, one in enumerate(every) if one[0] in tagged and one[0] not in {other[0] for other in every[:i]}]


def in_terms(found: Iterable[Any]) -> list[tuple[str, str, list[tuple[str, bool, Voices]]]]:
    return [
        (
            one.case.id,
            one.measure,
            [
                (
                    saying.shown,
                    saying.standard,
                    [(list(voice.who), voice.conventions, voice.known) for voice in saying.voices],
                )
                for saying in one.sayings
            ],
        )
        for one in found
    ]


def moves(row: Row) -> float:
    """By how much a row is off, where that has a scale."""
    a, b = row.value, row.expected
    known = isinstance(a, float | int) and isinstance(b, float | int) and row.measure not in NO_SCALE
    return abs(a - b) if known and 0 <= a <= 1 and 0 <= b <= 1 else 0.0  # type: ignore[operator]


@cache
def effects(told: Told) -> list[tuple[str, list[str], int, float, str]]:
    """By axis each convention that was seen: who follows it, in how many rows, how far it moves alone, and where most."""
    found = []
    for convention in {one for row in told.rows for one in row.conventions}:
        rows = [row for row in told.rows if convention in row.conventions]
        alone = [row for row in rows if row.conventions == (convention,)]
        most = max(map(moves, alone), default=0.0)
        witness = next((row for row in alone if moves(row) == most), rows[0])
        who = list(dict.fromkeys(told.names[row.subject] for row in rows))
        found.append((convention, who, len(rows), most, f"{witness.case} {witness.measure}"))
    return sorted(found, key=lambda one: (AXES.index(one[0].partition("=")[0]), one[0]))


@cache
def defects(told: Told) -> list[tuple[str, str, str, int, str]]:
    """Each named error of each in each form: how many rows, and the first of them."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for row in told.rows:
        if row.verdict is Verdict.DEFECT:
            found.setdefault((told.names[row.subject], FORM.get(row.measure, row.measure), row.note), []).append(row)
    return [(*key, len(rows), f"{rows[0].case} {rows[0].measure}") for key, rows in found.items()]


@cache
def tallies(told: Told) -> list[tuple[str, str, Counter[Verdict]]]:
    """Of everybody who has a row: the name, the version or why there is none, and how often which verdict."""
    found = []
    for who in dict.fromkeys(row.subject for row in told.rows):
        counts = Counter(row.verdict for row in told.rows if row.subject == who)
        version = "not installed" if [*counts] == [Verdict.NOT_INSTALLED] else who.version or "could not be asked"
        found.append((told.names[who], version, counts))
    return found


def notes(told: Told) -> list[tuple[str, str]]:
    """What libraries say of themselves, each thing once: in words as they are, a version by what it is of."""
    every = [(one.library, *note) for one in told.asked for note in one.notes.items()]
    return list(dict.fromkeys((library, text if " " in text else f"{name} {text}") for library, name, text in every))


def test_a_report_is_what_the_rows_say(told: Told) -> None:
    report = told.report
    assert in_terms(report.disagreements) == divisions(told)
    assert in_terms(report.headlines) == leading(told)
    for one, (*_, answers) in zip(report.disagreements, divisions(told), strict=True):
        who = [(standard, name) for _, standard, voices in answers for names, *_ in voices for name in names]
        assert (one.asked, one.differ) == (len(who), sum(not standard for standard, _ in who))
    topics: dict[str, list[Any]] = defaultdict(list)
    for division in sorted(divisions(told), key=lambda one: one[0].partition("/")[0]):
        topics[division[0].partition("/")[0]].append(division)
    assert [(name, in_terms(own)) for name, own in report.topics.items()] == [*topics.items()]
    assert [(e.convention, list(e.who), e.rows, e.largest, e.witness) for e in report.effects] == effects(told)
    assert [(d.who, d.form, d.sentence, d.rows, d.witness) for d in report.defects] == defects(told)
    assert report.tallies == tallies(told)
    assert report.asked == list(dict.fromkeys(row.subject for row in told.rows if row.case))
    assert report.missing == [row for row in told.rows if row.verdict is Verdict.NOT_INSTALLED]
    assert report.notes == notes(told)
    assert [report.name_of(row) for row in told.rows] == [told.names[row.subject] for row in told.rows]


# -- Markdown -----------------------------------------------------------------------------------------------------------


def who_says(voices: Voices, reason: str, between: str = " ", exception: str = "(exception)") -> str:
    """Who gives an answer, and behind those who have the same reason, that."""
    told = []
    for names, by, known in voices:
        why = reason.format(between.join(by)) if by else exception if known else ""
        told.append(f"{', '.join(names)} {why}".rstrip())
    return ", ".join(told)


def says(answers: Sequence[tuple[str, bool, Voices]], between: str) -> str:
    """Who says what, as Markdown shows it but for its escapes."""
    marked = [(f"**{text}**" if standard else text, voices) for text, standard, voices in answers]
    return between.join(f"{text} {who_says(voices, '(`{}`)', '` `')}" for text, voices in marked)


def verdict_cells(counts: Counter[Verdict]) -> list[str]:
    """How often each verdict that is shown: what fails is one."""
    named = [counts[one] for one in (Verdict.AGREES, Verdict.CONVENTION, Verdict.KNOWN)]
    failing = sum(counts[one] for one in FAILING)
    return [str(n) for n in (*named, failing, counts[Verdict.UNDEFINED], counts[Verdict.UNSUPPORTED])]


def test_the_first_page_of_a_report(told: Told) -> None:
    report = told.report
    page = report_pages.pages(report, "report.md")["report.md"]
    by_id = {case.id: case for case in told.cases}
    assert cells(page, "| what | measure |") == [
        [f"{line(by_id[case].question)}<br>`{case}`", f"`{measure}`", says(answers, "<br>")]
        for case, measure, answers in leading(told)
    ]
    found = cells(page, "| library | measure | what is wrong") if defects(told) else []
    assert found == [[who, form, line(what), str(n), seen] for who, form, what, n, seen in defects(told)]
    assert cells(page, "| library | version | agrees") == [
        [name, version, *verdict_cells(counts)] for name, version, counts in tallies(told)
    ]
    asked = list(dict.fromkeys(row.subject for row in told.rows if row.case))
    absent = list(dict.fromkeys(row.library for row in told.rows if row.verdict is Verdict.NOT_INSTALLED))
    head = page.splitlines()[2]
    those = f"{len(asked)} variants of {len({one.library for one in asked})} libraries"
    counts = f"{len(told.cases)} cases were put to {those}"
    lacking = f"; not asked, as it is not installed: {', '.join(absent)}" if absent else ""
    assert unescaped(head).endswith(f"{counts}{lacking}.")
    topics = re.findall(r"^\| \[(.*?)\]\((.*?)\) \| (\d+) \|$", page, re.MULTILINE)
    each = Counter(one[0].partition("/")[0] for one in divisions(told))
    assert [(untrusted(title), path, int(n)) for title, path, n in topics] == [
        (topic, f"disagreements/{topic}.md", each[topic]) for topic in sorted(each)
    ]
    said = re.findall(r"^\*(\w+)\*: (.*)\.$", page.replace("\\_", "_"), re.MULTILINE)
    assert [*dict.fromkeys((unescaped(name), unescaped(text)) for name, text in said)] == [
        (name, line(text)) for name, text in notes(told)
    ]


def test_the_other_pages_of_a_report(told: Told) -> None:
    report = told.report
    written = report_pages.pages(report, "report.md")
    listed = [
        (path, case, measure, unescaped(rest))
        for path in sorted(one for one in written if one.startswith("disagreements/"))
        for case, measure, rest in re.findall(r"^- `(.*?)` `(.*?)`: (.*)$", written[path], re.MULTILINE)
    ]
    wanted = [
        (f"disagreements/{case.partition('/')[0]}.md", case, measure, counted(answers) + says(answers, "; "))
        for case, measure, answers in divisions(told)
    ]
    assert listed == sorted(wanted, key=lambda one: one[0])
    found = cells(written["conventions.md"], "| convention | in words")
    assert [(row[0], row[2], row[3], row[5]) for row in found] == [
        (f"`{c}`", ", ".join(who), str(n), f"`{witness}`") for c, who, n, _, witness in effects(told)
    ]
    for row, (c, *_, largest, _) in zip(found, effects(told), strict=True):
        axis, _, value = c.partition("=")
        assert row[1] == f"{conventions.AXES[axis].question} {conventions.AXES[axis].meaning(value)}"
        assert abs(float(row[4].replace("–", "0")) - largest) <= 0.00005
        assert (row[4] == "–") == (not largest)
    assert exceptions(written["exceptions.md"]) == Counter(
        (
            one.name,
            line(pin.known.reason),
            pin.known.link,
            f"{' '.join([*at[:3], at[3] or 'mean'])}: {line(pin.observed)}",
        )
        for one in told.libraries
        for pin in one.sheet.pins.values()
        for at in [(pin.place.case, pin.place.variant, pin.place.measure, pin.place.query)]
    )
    assert versions(written["versions.md"]) == [
        (one.library, one.version, one.python if one.version else "", dict(one.dependencies)) for one in told.asked
    ]
    for one, said in zip(told.asked, re.findall(r"^- (.*)$", written["versions.md"], re.MULTILINE), strict=True):
        absent = [f"variant {variant} is not installed: {why}" for variant, why in one.absent.items()]
        for text in (*one.notes.values(), *absent, one.why_not):
            assert text in unescaped(said)
        if not one.version:
            assert f": {'not installed' if one.not_installed else 'could not be asked'}: " in said


def counted(answers: Sequence[tuple[str, bool, Voices]]) -> str:
    each = [(standard, len(names)) for _, standard, voices in answers for names, *_ in voices]
    return f"{sum(n for standard, n in each if not standard)} of {sum(n for _, n in each)} differ from `standard`. "


def exceptions(page: str) -> Counter[tuple[str, str, str, str]]:
    """Each exception with the library, the reason and the link above it."""
    found: Counter[tuple[str, str, str, str]] = Counter()
    above = ("", "", "")
    for text in page.splitlines():
        if head := re.fullmatch(r"- \*\*(.*?)\*\*: (.*?)(?: \[Upstream\]\((.*?)\))?", text):
            above = (untrusted(head[1]), untrusted(head[2]), head[3] or "")
        elif text.startswith("  - "):
            found[*above, untrusted(text[4:]).replace("`", "")] += 1
    return found


def versions(page: str) -> list[tuple[str, str, str, dict[str, str]]]:
    """Each library with its version, its Python and its packages."""
    found = []
    for text in re.findall(r"^- (.*)$", page, re.MULTILINE):
        asked = re.match(r"(\S+): (?:([\d.]+)(?: on Python ([\d.]+))?(?: \((.*?)\))?)?", unescaped(text))
        name, version, python, packages = asked.groups(default="")  # type: ignore[union-attr]
        found.append((name, version, python, dict(one.split(" ") for one in packages.split(", ") if one)))
    return found


def test_a_topic_that_is_long_has_several_pages_and_each_question_one_of_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As many as fit are on each, in their order; what is there no more goes, unless it is somebody's own."""
    for seed in SEEDS[:3]:
        told = drawn(seed)
        report = replace(told.report, fingerprints=())
        whole = [(case, measure) for case, measure, _ in divisions(told)]
        sizes = {(case, measure): len(case) + len(measure) for case, measure in whole}
        texts = re.findall(
            r"^- `(.*?)` `(.*?)`: \d+ of \d+ differ from `standard`\. (.*)$",
            "\n".join(text for path, text in report_pages.pages(report, "x.md").items() if "/" in path),
            re.MULTILINE,
        )
        for case, measure, text in texts:
            sizes[case, measure] += len(text.encode())
        limit = max(sizes.values()) + 40
        monkeypatch.setattr(report_pages, "LONGEST", limit)
        folder = tmp_path / str(seed)
        (folder / "disagreements").mkdir(parents=True)
        (folder / "disagreements" / "gone.md").write_text(report_pages.WRITTEN, encoding="utf-8")
        (folder / "disagreements" / "mine.md").write_text("by hand", encoding="utf-8")
        names = report_pages.write(report, folder, "x.md")
        there = {path.relative_to(folder).as_posix() for path in folder.rglob("*.md")}
        assert there == {*names, "disagreements/mine.md"}
        assert report_pages.standing(report, folder, "x.md") == names
        pages = report_pages.pages(report, "x.md")
        assert {name: (folder / name).read_text(encoding="utf-8") for name in names} == pages
        for topic in {case.partition("/")[0] for case, _ in whole}:
            parts, room = [[]], limit  # type: ignore[var-annotated]
            for one in (one for one in whole if one[0].startswith(f"{topic}/")):
                if sizes[one] > room:
                    parts.append([])
                    room = limit
                parts[-1].append(one)
                room -= sizes[one]
            for i, part in enumerate(parts, start=1):
                text = pages[f"disagreements/{topic}.md" if len(parts) == 1 else f"disagreements/{topic}-{i}.md"]
                assert re.findall(r"^- `(.*?)` `(.*?)`: ", text, re.MULTILINE) == part
                assert text.splitlines()[0].endswith(topic if len(parts) == 1 else f"{topic}, {i} of {len(parts)}")
        for path in sorted(names)[seed::4]:
            (folder / path).write_text("changed", encoding="utf-8")
            assert report_pages.standing(report, folder, "x.md") is None
            (folder / path).write_text(pages[path], encoding="utf-8")


def test_the_grid_leads_with_the_questions_that_divide_most_numbers_one_of_a_topic(told: Told) -> None:
    report = told.report
    worth = {}
    for case, measure, answers in divisions(told):
        said = [sum(len(names) for names, *_ in voices) for text, _, voices in answers if text != "error"]
        worth[case, measure] = sum(said) * len(said)
    ranked = sorted(worth, key=lambda one: -worth[one])
    first: dict[str, tuple[str, str]] = {}
    for one in ranked:
        first.setdefault(one[0].partition("/")[0], one)
    found = []
    for text in grid(report.disagreements).splitlines():
        if head := re.fullmatch(r"- .* \((.*?), `(.*?)`\)", text):
            found.append(((head[2], head[1]), []))
        else:
            found[-1][1].append(untrusted(text.removeprefix("  - ")))
    assert [place for place, _ in found] == list(first.values())[:3]
    for (case, measure), lines in found:
        answers = next(one[2] for one in divisions(told) if one[:2] == (case, measure))
        every: dict[str, set[str]] = defaultdict(set)
        for name in (name for *_, voices in answers for names, *_ in voices for name in names):
            every[name.partition("/")[0]].add(name)
        for text, (value, standard, voices) in zip(lines, answers, strict=True):
            own = {name for names, *_ in voices for name in names}
            folded = {
                library if all_of_it <= own else name
                for library, all_of_it in every.items()
                for name in all_of_it & own
            }
            mark = "**" if standard else ""
            assert text == f"{mark}{value}{mark}: {', '.join(sorted(folded))}"


# -- for CI systems -----------------------------------------------------------------------------------------------------


def suites(told: Told) -> list[dict[str, Any]]:
    """A suite for each library in each environment: who says what, test by test."""
    found = []
    for i, one in enumerate(told.asked):
        here = (one.version, one.environment)
        mine = [row for row in told.rows if row.library == one.library]
        rows = [row for row in mine if not row.version or (row.version, row.subject.environment) == here]
        complaints = [complaint for complaint in told.complaints if complaint.library == one.library]
        said = {c.place: c.what for c in complaints if c.place is not None}
        tests: list[tuple[Any, ...]] = []
        for key in dict.fromkeys((row.variant, row.case, row.measure) for row in rows):
            own = [row for row in rows if (row.variant, row.case, row.measure) == key]
            failing = [row for row in own if row.verdict in FAILING]
            name = (f"{one.library}.{key[0] or 'library'}", f"{key[1]} {key[2]}" if key[1] else "is installed")
            if failing:
                lines = [
                    (f"{row.query or 'mean'}: " if row.case else "")
                    + said.get(row.place, f"{row.verdict.value}: {row.observed or row.note}")
                    for row in failing
                ]
                tests.append((*name, "failure", failing[0].verdict.value, lines))
            elif all(row.verdict in {Verdict.UNSUPPORTED, Verdict.UNDEFINED, Verdict.NOT_INSTALLED} for row in own):
                why = own[0]
                text = f"{why.verdict.value}: {why.note}"
                if why.verdict is Verdict.UNDEFINED:
                    text = f"undefined: the case has no right answer; observed {why.observed}"
                tests.append((*name, "skipped", "", [text]))
            else:
                tests.append((*name, "", "", []))
        places = {row.place for row in rows if row.verdict in FAILING}
        tests += [
            (f"{one.library}.sheet", str(c.place or c.what), "failure", "sheet", [c.what])
            for c in complaints
            if c.place not in places
        ]
        version = one.version or ("could not be asked" if one.failed else "not installed")
        found.append(
            {
                "name": one.library,
                "time": f"{0.5 + i:.3f}",
                "tests": tests,
                "properties": [
                    ("version", version),
                    ("python", one.python),
                    *one.dependencies.items(),
                    *one.notes.items(),
                ],
            }
        )
    return found


def printed(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def test_a_run_as_junit(told: Told) -> None:
    root = ET.fromstring(junit(told.run).encode())  # noqa: S314 - it is our own
    wanted = suites(told)
    totals: Counter[str] = Counter()
    for suite, own in zip(root, wanted, strict=True):
        found = []
        for test in suite.findall("testcase"):
            (child,) = list(test) or [ET.Element("")]
            lines = (child.text or child.get("message") or "").split("\n") if child.tag else []
            assert child.get("message") == (lines[0] if child.tag else None)
            found.append((test.get("classname"), test.get("name"), child.tag, child.get("type", ""), lines))
        assert found == [
            (printed(a), printed(b), kind, sort, [printed(text) for text in said])
            for a, b, kind, sort, said in own["tests"]
        ]
        kinds = Counter(test[2] for test in own["tests"])
        counts = {"tests": len(own["tests"]), "failures": kinds["failure"], "errors": 0, "skipped": kinds["skipped"]}
        totals.update(counts)
        in_words = {name: str(n) for name, n in counts.items()}
        assert suite.attrib == {"name": own["name"], "time": own["time"], **in_words}
        assert [(one.get("name"), one.get("value")) for one in suite.iter("property")] == own["properties"]
    sums = {name: str(totals[name]) for name in ("tests", "failures", "errors", "skipped")}
    assert root.attrib == {"name": "rankproof", "time": "12.250", **sums}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_as_a_step_summary(seed: int) -> None:
    told = drawn(seed)
    few = replace(told, complaints=told.complaints[: (0, 1, 2, 10, 20, 21, 30)[seed]])
    text = step_summary(few.run, few.report)
    n = len(few.complaints)
    head = "all of it holds" if not n else "1 thing does not hold" if n == 1 else f"{n} things do not hold"
    assert text.splitlines()[0] == f"### rankproof: {head}"
    bullets = [untrusted(one) for one in re.findall(r"^- (.*)$", text.partition("| library |")[0], re.MULTILINE)]
    wanted = [f"defect of **{who}** in <code>{form}</code>: {line(what)}" for who, form, what, *_ in defects(told)]
    wanted += [
        f"**{one.library}** {f'<code>{one.place}</code> ' if one.place else ''}{line(one.what)}"
        for one in few.complaints[:20]
    ]
    assert bullets == wanted + ([f"… and {n - 20} more; the results have all of them"] if n > 20 else [])
    rows = []
    for name, version, counts in tallies(told):
        failing = sum(counts[one] for one in FAILING)
        skipped = counts[Verdict.UNSUPPORTED] + counts[Verdict.UNDEFINED] + counts[Verdict.NOT_INSTALLED]
        named = [str(counts[one]) for one in (Verdict.AGREES, Verdict.CONVENTION, Verdict.KNOWN)]
        rows.append([f"<code>{name}</code>", version, *named, f"**{failing}**" if failing else "0", str(skipped)])
    assert cells(text, "| library | version |") == rows
    every, behind = divisions(told), text.partition("| library |")[2]
    assert f"{len(every)} questions of {len({one[0] for one in every})} cases divide the libraries." in behind
    shown_ones = (leading(told) or every)[:5]
    assert [untrusted(one) for one in re.findall(r"^- (.*)$", behind, re.MULTILINE)] == [
        f"<code>{case} {measure}</code>: {counted(answers).replace('. ', ': ')}"
        + "; ".join(f"{text} {who_says(voices, '(<code>{}</code>)')}" for text, _, voices in answers)
        for case, measure, answers in shown_ones
    ]


def test_a_summary_counts_the_questions_that_divide_and_the_cases_that_they_are_of() -> None:
    told = drawn(0)
    places = [(one.case.id, one.measure) for one in told.report.disagreements]
    alone = next(at for at in places if [case for case, _ in places].count(at[0]) > 1)
    both = [at for at in places if at[0] == alone[0]][:2]
    for wanted, said in (([alone], "1 question of 1 case divides the"), (both, "2 questions of 1 case divide the")):
        few = replace(told, rows=tuple(row for row in told.rows if (row.case, row.measure) in wanted))
        assert f"{said} libraries. Those that lead:" in step_summary(few.run, few.report)
    plain = replace(told, cases=tuple(replace(case, tags=()) for case in told.cases), complaints=())
    assert step_summary(plain.run, plain.report).partition("Those that lead:")[2].count("\n- ") == 5 < len(places)


def test_what_sheets_know_of_other_versions_is_told_of_each() -> None:
    """Of three libraries one knows of none, one of one, and one of two, the second by two variants and two measures."""
    plain = SimpleNamespace(spec=lambda: "")
    tied = SimpleNamespace(spec=lambda: "ties=input")
    by_way = {"v": {"*": plain, "AP": tied}, "w_1": {"nDCG": tied}}
    slow = SimpleNamespace(pattern="1.*", known="it was <slow>", profiles={})
    known = [slow, SimpleNamespace(pattern="2", known="so", profiles=by_way)]
    own = [
        SimpleNamespace(name=name, sheet=SimpleNamespace(versions=versions, speaks_of="3", pins={}))
        for name, versions in {"ada": [], "bob_1": known[:1], "cyd": known}.items()
    ]
    report = replace(drawn(0).report, libraries=own, fingerprints=())
    page = unescaped(report_pages.pages(report, "report.md")["versions.md"])
    told = [text for text in page.partition("What is known")[2].splitlines() if text]
    asked = " than 3, which was asked:"
    assert told == [
        f" of other versions of bob_1{asked}",
        "- 1.*: it was <slow>",
        f"What is known of other versions of cyd{asked}",
        "- 1.*: it was <slow>",
        "- 2: so; v: `standard`, AP `ties=input`; w_1: nDCG `ties=input`",
    ]


# -- in the terminal ----------------------------------------------------------------------------------------------------


def other_versions(told: Told) -> list[str]:
    """Of each library in a version that its sheet does not speak of, that this is so."""
    speaks_of = {library.name: library.sheet.speaks_of for library in told.libraries}
    return [
        f"{one.library}: asked is version {one.version}; the sheet speaks of {speaks_of[one.library]}"
        for one in told.asked
        if one.version and one.version != speaks_of[one.library]
    ]


def test_what_a_run_tells_in_the_terminal(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    plain = replace(told, cases=tuple(replace(c, tags=tuple(t for t in c.tags if t != "headline")) for c in told.cases))
    for one in (told, plain):
        texts = terminal.told_of(one.report, one.run.asked)
        leads = leading(one) or divisions(one)[:10]
        for told_of, (case, measure, answers) in zip(texts.disagreements, leads, strict=True):
            said = [f"{text:>6} {who_says(voices, '[{}]', exception='[exception]')}" for text, _, voices in answers]
            assert told_of == (case, measure, "\n".join(said))
        rows = [(name, version, *verdict_cells(counts)) for name, version, counts in tallies(one)]
        assert list(texts.tallies) == rows
        found = [f"DEFECT {who} {form}: {what}" for who, form, what, *_ in defects(one)]
        assert list(texts.lines) == [*found, *(f"{name}: {text}" for name, text in notes(one))]
        assert list(texts.versions) == other_versions(one)
        assert terminal.RunTexts.of_json(json.loads(json.dumps(texts.as_json()))) == texts
        terminal.tell(texts)
        words = capsys.readouterr().out.split()
        wanted = ["where", "they", "disagree", "measure", "who", "says", "what"] if leads else []
        assert words[: len(wanted)] == wanted
        for row in texts.tallies:
            assert list(map(line, row)) in [words[i : i + len(row)] for i in range(len(words))] or " " in "".join(row)
        for text in (*texts.lines, *texts.versions):
            assert line(text).split()[0] in words


@pytest.mark.parametrize("long", [40, 159, 161, 900])
def test_each_line_of_a_run_is_one_where_nobody_looks(long: int, capsys: pytest.CaptureFixture[str]) -> None:
    said = [f"DEFECT lib {'x' * (long // 2)} {'y' * (long // 2)}", "lib: a note"]
    terminal.tell(terminal.RunTexts((), (), tuple(said), ()))
    assert capsys.readouterr().out.splitlines()[-2:] == said


@pytest.mark.parametrize("seed", SEEDS)
def test_what_does_not_hold_is_told_and_the_rest_is_counted(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    told = drawn(seed)
    other = {one.partition(":")[0] for one in other_versions(told)}
    silent = tuple(one for one in told.complaints if one.library not in sorted(other)[:1])
    nobody = tuple(row for row in told.rows if not row.case)
    for few in (
        replace(told, complaints=told.complaints[: seed * 9]),
        replace(told, complaints=silent),
        replace(told, complaints=()),
        replace(told, complaints=silent[:1]),
        replace(told, complaints=(), rows=nobody),
        replace(told, complaints=told.complaints[:2]),
        replace(told, complaints=told.complaints[:40]),
        replace(told, complaints=told.complaints * 1_100),
    ):
        terminal.tell_complaints(few.run)
        check_complaints(told, few, capsys.readouterr().out.splitlines())


def check_complaints(told: Told, few: Told, said: Sequence[str]) -> None:
    *lines, closing = said
    n = len(few.complaints)
    complained = {one.library for one in few.complaints}
    wanted = [one for one in other_versions(few) if one.partition(":")[0] not in complained]
    wanted += [
        line(f"DOES NOT HOLD {one.library}{f' {one.place}' if one.place else ''}: {one.what}")
        for one in few.complaints[:40]
    ]
    assert lines == wanted + ([f"… and {n - 40:,} more"] if n > 40 else [])
    once = sum(range(len(told.asked)))
    assert closing.startswith(
        f"{len(told.cases)} cases, {len(told.asked)} libraries, {len(few.rows)} rows in 13.8 s "
        f"(all workers together 30.0 s in libraries, 1.5 s judging); 0 of 0 answers came from the cache, and {once} are as published"
    )
    absent = list(dict.fromkeys(row.library for row in few.rows if row.verdict is Verdict.NOT_INSTALLED))
    but = f", but for what is not installed: {', '.join(absent)}" if absent else ""
    end = f"all of it holds{but}" if not n else "1 thing does not hold" if n == 1 else f"{n:,} things do not hold"
    if not n and not any(row.case for row in few.rows):
        end = "nothing was asked, so nothing holds"
    assert closing.rpartition("; ")[2] == end
    for i, asked in enumerate(told.run.asked):
        own = [row for row in told.rows if row.library == asked.library.name]
        counts = Counter("fails" if row.verdict in FAILING else row.verdict.value for row in own)
        marks = ("agrees", "convention", "known", "fails", "not-installed")
        named = [f"{mark} {counts[mark]}" for mark in marks if counts[mark]]
        who = drawn_runs.subjects_of(told.asked[i])
        several = len({*told.asked[i].variants, *told.asked[i].absent, *told.asked[i].others}) > 1
        assert several or len(who) == 1
        name = f"{asked.library.name}-{asked.version}" if asked.version else asked.library.name
        assert terminal.first_word(asked, own) == f"{name}: {', '.join(named) or 'nothing that can be judged'}"
        assert terminal.first_word(asked, []) == f"{name}: nothing that can be judged"


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_told_is_told_again_while_all_of_it_is_as_it_was(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKPROOF_CACHE", str(tmp_path / "cache"))
    texts = terminal.told_of(drawn(seed).report)
    folder = tmp_path / "out"
    names = ["report.md", "a/b.md", "results/zulu.jsonl", "results/mike.jsonl"]
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{name} {seed}", encoding="utf-8")
    last = LastRun(folder, "one")
    assert last.told() is None
    last.note(names, texts)
    assert last.told() == texts
    assert LastRun(folder, "another").told() is None
    assert LastRun(tmp_path / "elsewhere", "one").told() is None
    for name in names:
        (folder / name).write_text("changed", encoding="utf-8")
        assert last.told() is None
        (folder / name).write_text(f"{name} {seed}", encoding="utf-8")
        assert last.told() == texts
    (folder / "results" / "new.jsonl").write_text("", encoding="utf-8")
    assert last.told() is None


def test_a_run_depends_on_each_file_of_rankproof_however_deep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["__init__.py", "ties/one.toml", "ties/deep/two.toml", "ties/deep/deeper/three.py"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    monkeypatch.setattr(last_run, "corpus", SimpleNamespace(__file__=str(tmp_path / "__init__.py")))
    seen = {last_run.depends_on((), {})}
    for name in names:
        (tmp_path / name).write_text("changed", encoding="utf-8")
        seen.add(last_run.depends_on((), {}))
    assert len(seen) == 1 + len(names)
    one, other = tmp_path / names[0], tmp_path / names[1]
    other.write_text("of another store", encoding="utf-8")
    stores = [{"ada": one, "bob": other}, {"ada": other, "bob": one}, {"ada": one}, {"bob": one}]
    assert len({last_run.depends_on((), each) for each in stores}) == 4, "each store is that of its library"


@pytest.mark.parametrize("room", ["version", "adapters", "corpus", "reference_impl"])
def test_a_run_depends_on_each_room_of_rankproof(room: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.py").write_text("one", encoding="utf-8")
    before = last_run.depends_on((), {})
    monkeypatch.setattr(last_run, room, SimpleNamespace(__file__=str(tmp_path / "one.py")))
    assert last_run.depends_on((), {}) != before


def test_every_verdict_that_fails_is_one_that_fails() -> None:
    assert FAILS == FAILING
    drawn_ones = {row.verdict for seed in SEEDS for row in drawn(seed).rows}
    assert drawn_ones == set(Verdict)
    assert all(len(list(product(drawn(seed).cases, drawn(seed).asked))) > 9 for seed in SEEDS)
