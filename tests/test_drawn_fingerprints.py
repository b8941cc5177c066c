"""Fingerprints that are drawn, and all that is made of them, read back: the file, tables, the matrix, badges, sentences, what verbs say."""

import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import drawn_runs
import pytest
from click.testing import CliRunner
from drawn_runs import Told, called, drawn
from read_markdown import cells

from rankproof.cli.program import cli
from rankproof.evaluate import library_profiles
from rankproof.inference import fingerprint_file
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.report import axis_text, badges, choice_matrix, fingerprint_tables, library_sentence, plain_words
from rankproof.report.matrix_picture import svg
from rankproof.report.public_data import matrices
from rankproof.report.report_pages import pages
from rankproof.report.run_report import fingerprint_markdown
from rankproof.text import COLUMNS as WIDE
from rankproof.version import VERSION
from rankproof.workers.subjects import Subject

SEEDS = range(8)
TABLED = ["nDCG@k", "AP", "P@k", "R@k", "RR", "RR@k", "nDCG(dcg='exp-log2')@k", "Bpref", "AUC", "ERR@k"]
TOLD_BY = ["nDCG@k", "nDCG", "AP", "AP@k", "RR", "RR@k", "P@k", "Success@k", "R@k", "LRAP", "AUC"]
DRAWN_ON = [axis for axis in AXES if axis in drawn_runs.FOUND_ON]
OF_FORMULAS = {"gain", "ideal", "ap_denominator", "p_denominator", "discount", "err_max"}
COLUMNS = [
    "ties",
    "gain",
    "discount",
    "known",
    "ideal",
    "ap_denominator",
    "p_denominator",
    "err_max",
    "norel",
    "missing",
    "order",
    "score",
    "relevant",
    "unjudged",
]
FIXED = {
    "nDCG(dcg='exp-log2')@k": {"gain": "exp", "discount": "log2"},
    "nDCG(dcg='log2')@k": {"gain": "linear", "discount": "log2"},
}


@cache
def found_in(seed: int) -> tuple[Fingerprint, ...]:
    return drawn_runs.fingerprints(seed)


def names_in(found: Iterable[Fingerprint]) -> dict[Subject, str]:
    return called(one.subject for one in found)


def default(axis: str) -> str:
    return str(getattr(STANDARD, axis))


def unlike_standard(one: Fingerprint) -> list[AxisFinding]:
    return [finding for axis, finding in one.axes.items() if finding.value not in {None, default(axis)}]


def by_subject(found: Iterable[Fingerprint]) -> dict[Subject, list[Fingerprint]]:
    told: dict[Subject, list[Fingerprint]] = {}
    for one in found:
        told.setdefault(one.subject, []).append(one)
    return told


def in_line(text: str) -> str:
    return " ".join(text.split())


# -- the file -----------------------------------------------------------------------------------------------------------


def finding_as_json(one: AxisFinding) -> dict[str, Any]:
    said: dict[str, Any] = {"witness": one.witness, "measure": one.measure, "excluded": dict(one.excluded)}
    said |= {"undetermined": list(one.open)} if one.value is None else {"value": one.value}
    said |= {"why": one.why} if one.why else {}
    return said | ({"same": list(one.same)} if one.same else {})


@pytest.mark.parametrize("seed", SEEDS)
def test_a_file_of_fingerprints_holds_all_of_them_and_gives_them_back(seed: int, tmp_path: Path) -> None:
    told, found = drawn(seed), found_in(seed)
    header = {"rankproof": "0.0.9", "cases": 3, "inputs": "a", "code": "b", "platform": "x"}
    fingerprint_file.write(found, told.asked, header, tmp_path / "f.json")
    text = (tmp_path / "f.json").read_text(encoding="utf-8")
    document = json.loads(text)
    asked = [one for one in told.asked if any(f.subject in drawn_runs.subjects_of(one) for f in found)]
    names = called((s for one in asked for s in drawn_runs.subjects_of(one)), signed_all=True)
    assert {name: document[name] for name in ("kind", "rankproof", "inferred_from", "asked")} == {
        "kind": "fingerprints",
        "rankproof": VERSION,
        "inferred_from": {k: v for k, v in header.items() if k != "platform"},
        "asked": [one.as_json() for one in asked],
    }
    assert [{k: v for k, v in one.items() if k != "words"} for one in document["fingerprints"]] == [
        {
            "subject": names[one.subject],
            "key": one.key,
            "profile": one.profile.spec(),
            "signature": one.signature,
            "precision": one.precision,
            "beside": list(one.beside),
            "axes": {a: finding_as_json(f) for a, f in one.axes.items()},
            "explained": one.explained,
            "asked": one.asked,
            "missed": [[p.case, p.measure, p.query] for p in one.missed],
            "excepted": [[p.case, p.measure, p.query] for p in one.excepted],
        }
        for one in found
    ]
    again = fingerprint_file.read(tmp_path / "f.json")
    assert again == list(found)
    assert list(fingerprint_file.read_text(text, "f")) == list(found)
    lines = text.splitlines()
    for i, one in enumerate(found[:: max(1, len(found) // 5)]):
        at = next(n for n, line in enumerate(lines) if f'"{one.signature}"' in line and f'"{one.key}"' in line)
        said = json.loads(lines[at].rstrip(","))
        axes = {"nothing": said["axes"][min(said["axes"])]}
        said |= [{"subject": "nobody-1"}, {"axes": axes}, {"profile": "ties=x"}][i % 3]
        bad = [json.dumps(said) + "," * line.endswith(",") if n == at else line for n, line in enumerate(lines)]
        (tmp_path / "bad.json").write_text("\n".join(bad), encoding="utf-8")
        with pytest.raises(fingerprint_file.BadFingerprint, match=f"bad.json:{at + 1}: "):
            fingerprint_file.read(tmp_path / "bad.json")


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_proved_of_a_form_is_what_its_findings_say(seed: int) -> None:
    for one in found_in(seed):
        followed = {axis: finding.value for axis, finding in one.axes.items() if finding.value is not None}
        assert [*one.differing] == unlike_standard(one)
        assert one.undecided == tuple(axis for axis in one.axes if axis not in followed)
        for axis in AXES:
            open_ = one.axes[axis].open if axis in one.axes else ()
            behind = getattr(one.profile, axis)
            wanted = followed.get(axis, default(axis) if default(axis) in open_ and behind not in open_ else behind)
            assert getattr(one.proved, axis) == wanted
        for finding in one.axes.values():
            assert finding.could_be == (() if finding.value is None else (finding.value, *finding.same))
            assert finding.standard == (finding.value == default(finding.axis))


# -- tables -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_table_of_each_form_has_each_library_with_what_it_follows(seed: int) -> None:
    found = found_in(seed)
    names = names_in(found)
    first = [key for key in TABLED if key in {one.key for one in found}]
    keys = [*first, *dict.fromkeys(one.key for one in found if one.key not in TABLED)]
    assert fingerprint_tables.keys_in(found) == keys
    tables = {}
    for key in keys:
        own = [one for those in by_subject(found).values() for one in those if one.key == key]
        axes = [axis for axis in DRAWN_ON if any(axis == f.axis for one in own for f in unlike_standard(one))]
        tables[key] = (axes, [(names[o.subject], [o.axes.get(a) for a in axes], o.explained, o.asked) for o in own])
    for given, wanted in ((keys, keys), (TABLED, [key for key in keys if key in TABLED])):
        told = fingerprint_tables.tables(found, given)
        assert [one.key for one in told] == wanted
        for one in told:
            axes, lines = tables[one.key]
            assert list(one.axes) == axes
            assert [(name, of.explained, of.asked) for name, of in one.lines] == [(n, e, a) for n, _, e, a in lines]
            assert [[of.axes.get(axis) for axis in axes] for _, of in one.lines] == [line[1] for line in lines]
    read = in_markdown(fingerprint_markdown(found))
    assert list(read) == keys
    for key, (axes, lines) in tables.items():
        assert read[key][0] == ["", *axes, "explained"]
        assert read[key][1:] == [[n, *map(as_cell, axes, fs), f"{e} of {a}"] for n, fs, e, a in lines]
    page = pages(replace(drawn(seed).report, fingerprints=found), "report.md")["fingerprints.md"]
    read = in_markdown(page.partition("## Not of one mind")[0])
    assert list(read) == first
    for key in first:
        axes, lines = tables[key]
        assert read[key][1:] == [[n, *map(as_linked_cell, axes, fs), f"{e} of {a}"] for n, fs, e, a in lines]


def as_linked_cell(axis: str, finding: AxisFinding | None) -> str:
    """The same on a page of the report, where a value leads to its witness."""
    if finding is None or not finding.value or not finding.witness:
        return as_cell(axis, finding)
    mark = "" if finding.value == default(axis) else "**"
    return f"{mark}[{finding.value}](../cases/{finding.witness}.toml){mark}"


def as_cell(axis: str, finding: AxisFinding | None) -> str:
    if finding is None or finding.value is None:
        return "?"
    mark = "" if finding.value == default(axis) else "**"
    return f"{mark}{finding.value}{mark}" + (f" {finding.witness}" if finding.witness else "")


def in_markdown(text: str) -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for part in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        key, *rows = part.splitlines()
        found[key.strip("`")] = [cells(row) for row in rows if row.startswith("|") and not row.startswith("|---")]
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_a_library_is_of_two_minds_where_no_value_could_be_that_of_all_its_measures(seed: int) -> None:
    found = found_in(seed)
    names = names_in(found)
    wanted = []
    for name in dict.fromkeys(names[one.subject] for one in found):
        forms = [(one.key, f) for one in found if names[one.subject] == name for f in one.axes.values() if f.value]
        for axis in dict.fromkeys(f.axis for _, f in forms if f.axis not in OF_FORMULAS):
            could = {key: {f.value, *f.same} for key, f in forms if f.axis == axis}
            if set.intersection(*could.values()):
                continue
            said: dict[str | None, list[str]] = {}
            for key, values in could.items():
                votes = {value: sum(value in other for other in could.values()) for value in values}
                said.setdefault(min(values, key=lambda v: (-votes[v], str(v))), []).append(key)
            wanted.append((name, axis, {value: tuple(keys) for value, keys in said.items()}))
    told = [(one.name, one.axis, dict(one.values)) for one in fingerprint_tables.two_minds(found)]
    assert sorted(told, key=str) == sorted(wanted, key=str)
    in_turn = [*dict.fromkeys(names[one.subject] for one in found)]
    assert [name for name, *_ in told] == sorted((name for name, *_ in told), key=in_turn.index)


# -- the matrix ---------------------------------------------------------------------------------------------------------

Choice = tuple[tuple[str, ...], bool, bool, bool, str]


def choice_of(one: Fingerprint, axis: str) -> Choice:
    """What is said of a form on an axis: values, whether one is followed, whether it matters, whether it is standard's, the witness."""
    if axis in FIXED.get(one.key, {}):
        value = FIXED[one.key][axis]
        return (value,), True, True, value == default(axis), ""
    if axis not in one.axes:
        return (), False, False, False, ""
    finding = one.axes[axis]
    if finding.value is None:
        return finding.open, False, True, False, finding.witness
    return (finding.value, *finding.same), True, True, finding.value == default(axis), finding.witness


def matrix_of(key: str, found: Sequence[Fingerprint], *, whole: bool) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The axes, and by library, version and choices: the ways, the form and the choices."""
    forms: dict[Subject, Fingerprint] = {}
    for who, own in by_subject(found).items():
        plain = [one for one in own if one.key == key]
        named = [one for one in own if key == "nDCG@k" and one.key in FIXED]
        if plain or len(named) == 1:
            forms[who] = (plain or named)[0]
    choices = [(axis, choice_of(one, axis)) for one in forms.values() for axis in AXES]
    differ = {axis for axis, (_, is_followed, _, is_standard, _) in choices if is_followed and not is_standard}
    axes = [*(a for a in COLUMNS if a in differ), *(a for a in AXES if a in differ and a not in COLUMNS and whole)]
    rows: dict[tuple[Any, ...], list[tuple[str, Fingerprint]]] = {}
    for who, one in forms.items():
        own_choices = tuple(choice_of(one, axis)[:3] for axis in axes)
        rows.setdefault((who.library, who.version, one.key, own_choices), []).append((who.variant, one))
    told = []
    for (library, version, key_, _), same in rows.items():
        ways = tuple(sorted(way for way, _ in same))
        told.append((library, version, ways, key_, [choice_of(same[0][1], axis) for axis in axes]))
    return axes, told


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "P@3"])
def test_the_matrix_of_a_measure_has_each_library_with_its_choices(seed: int, measure: str) -> None:
    found = found_in(seed)
    key = measure.partition("@")[0] + ("@k" if "@" in measure else "")
    for whole in (False, True):
        axes, rows = matrix_of(key, found, whole=whole)
        if not rows:
            with pytest.raises(choice_matrix.NobodyAnswers):
                choice_matrix.matrix(parse(measure), found, whole=whole)
            continue
        told = choice_matrix.matrix(parse(measure), found, whole=whole)
        assert (told.measure, list(told.axes)) == (measure, axes)
        # Of ways that do the same in two environments it does not matter whose witness is shown.
        choices = [[(c.values, c.determined, c.matters, c.standard) for c in row.choices] for row in told.rows]
        said = [(r.library, r.version, r.ways, r.key, of) for r, of in zip(told.rows, choices, strict=True)]
        assert sorted(said) == sorted((*row[:4], [choice[:4] for choice in row[4]]) for row in rows)
        assert [(row[0], row[1], row[2][0]) for row in said] == sorted((row[0], row[1], row[2][0]) for row in said)
        for row in told.rows:
            where = row.library, row.version, row.key
            of_it = [one for one in found if (one.library, one.subject.version, one.key) == where]
            who = [one for one in of_it if one.variant in row.ways]
            for c in row.choices:
                own = [choice_of(one, c.axis) for one in who]
                assert c.witness in {one[4] for one in own if one[:3] == (c.values, c.determined, c.matters)}
        assert choice_matrix.as_json(told) == {
            "measure": measure,
            "axes": axes,
            "rows": [
                {
                    "library": row.library,
                    "version": row.version,
                    "ways": list(row.ways),
                    "form": row.key,
                    "choices": {
                        c.axis: (
                            {"value": c.values[0], "same": list(c.values[1:])}
                            if c.determined
                            else {"undetermined": list(c.values)}
                        )
                        | {"standard": c.standard, "witness": c.witness}
                        for c in row.choices
                        if c.matters
                    },
                }
                for row in told.rows
            ],
        }
        check_picture(told)


SAID_IN_CELLS = {
    "absent-as-0": "absent, as 0",
    "nan-as-0": "nan, as 0",
    "nan-dropped": "nan, left out",
    "expectation": "averaged",
    "unspecified": "no order",
    "dropped": "left out",
    "docid-desc": "docid desc.",
    "docid-asc": "docid asc.",
}


def check_picture(told: choice_matrix.Matrix) -> None:
    """Each cell of the picture says what the matrix has, in its place, and no two are in one place."""
    axes = told.axes[:9]
    light, dark = (svg(told, "7.7", dark=dark) for dark in (False, True))
    assert re.sub("#[0-9a-f]{6}", "", light) == re.sub("#[0-9a-f]{6}", "", dark)
    groups = re.findall(r"<g><title>(.*?)</title>(.*?)</g>", light)
    heads, rest = groups[: len(axes)], groups[len(axes) :]
    for (title, body), axis in zip(heads, axes, strict=True):
        assert html.unescape(title) == AXES[axis].question
        assert f">{axis}</text>" in body
    step = len(axes) + 1
    assert len(rest) == step * len(told.rows)
    columns: dict[int, set[str]] = {}
    for i, row in enumerate(told.rows):
        (title, body), *cells = rest[i * step : (i + 1) * step]
        ways = ", ".join(way for way in row.ways if way)
        assert html.unescape(title) == f"{row.library} {row.version}: {ways}"
        alone = len(row.ways) == 1 and row.ways != ("default",)
        assert html.unescape(re.sub("<.*?>", "", body)) == (f"{row.library}/{row.ways[0]}" if alone else row.library)
        high = re.search(r' y="(\d+)"', body)[1]  # type: ignore[index]
        for nth, ((told_of, cell), c) in enumerate(zip(cells, row.choices[:9], strict=True)):
            text = html.unescape(re.sub("<.*?>", "", cell))
            place = re.search(r'<text x="(\d+)" y="(\d+)"', cell)
            assert place is not None
            assert place[2] == high
            columns.setdefault(nth, set()).add(place[1])
            title = html.unescape(told_of)
            if not c.matters:
                assert (text, title) == ("·", "it cannot matter here")
            elif not c.determined:
                assert (text, title) == ("?", f"no answer decides: {', '.join(c.values)}")
            else:
                word = SAID_IN_CELLS.get(c.values[0], c.values[0])
                assert text == (word if len(word) <= 14 else f"{word[:13]}…")
                proved = f"; proved by {c.witness}" if c.witness else ""
                assert title == f"{c.axis}={c.values[0]}: {AXES[c.axis].meaning(c.values[0])}{proved}"
                assert ("#ffe3b3" in cell) == (not c.standard)
    assert all(len(places) == 1 for places in columns.values())
    assert len({min(places) for places in columns.values()}) == len(columns)


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_the_matrices_of_all_measures_are_of_each_plain_form(seed: int) -> None:
    found = found_in(seed)
    told = matrices(iter(found), "1.2")
    plain = {"nDCG@k" if one.key in FIXED else one.key for one in found}
    assert (told["kind"], told["format"], told["rankproof"]) == ("matrix", 1, "1.2")
    assert [one["measure"] for one in told["measures"]] == sorted(plain)
    for one in told["measures"]:
        axes, rows = matrix_of(one["measure"], found, whole=True)
        assert one["axes"] == axes
        assert sorted((row["library"], tuple(row["ways"])) for row in one["rows"]) == sorted((r[0], r[2]) for r in rows)


# -- badges and sentences -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_badge_names_the_conventions_that_lead_and_counts_the_answers(seed: int) -> None:
    for one in found_in(seed):
        badge = badges.of_library(one)
        own = [finding.axis for finding in unlike_standard(one)]
        leading = [*(a for a in COLUMNS if a in own), *(a for a in own if a not in COLUMNS)]
        conventions = [f"{a}={one.axes[a].value}" for a in leading]
        more = [f"and {len(conventions) - 3} more"] if len(conventions) > 3 else []
        message = f"{', '.join([*conventions[:3], *more]) or 'as standard'} · {one.explained} of {one.asked} answers"
        color = "blue" if one.explained == one.asked else "orange"
        assert badges.as_endpoint(badge) == {"schemaVersion": 1, "label": one.key, "message": message, "color": color}
        picture = badges.svg(badge)
        assert [html.unescape(text) for text in re.findall(r"<text.*?>(.*?)</text>", picture)] == [one.key, message]
        named = re.findall(r'aria-label="(.*?)"><title>(.*?)</title>', picture)
        assert [tuple(map(html.unescape, both)) for both in named] == [(f"{one.key}: {message}",) * 2]
        whole, *rects = map(int, re.findall(r' width="(\d+)"', picture))
        assert whole == sum(rects)
        assert rects[0] >= 6 * len(one.key) and rects[1] >= 6 * len(message)  # noqa: PT018 - both have room
        left, right = map(float, re.findall(r'<text x="([\d.]+)"', picture))
        assert (left, right) == (rects[0] / 2, rects[0] + rects[1] / 2)
        assert ("#0969da" in picture) == (color == "blue")


ORDER = (
    "order",
    "gain",
    "discount",
    "ties",
    "known",
    "unretrieved",
    "ideal",
    "ideal_cut",
    "ap_denominator",
    "p_denominator",
    "r_denominator",
    "rr_hits",
    "norel",
    "single",
    "missing",
    "unjudged",
    "negative",
    "score",
)
ALWAYS = {"gain", "ties", "ideal", "ap_denominator", "p_denominator", "r_denominator", "norel"}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_sentence_says_each_choice_that_was_proved_and_what_is_undetermined(seed: int) -> None:
    for one in found_in(seed):
        order = [*ORDER, *(axis for axis in plain_words.rows() if axis not in ORDER)]
        axes = sorted(one.axes, key=order.index)
        known = "all" if "known" not in one.axes else one.axes["known"].value or ""
        clauses = []
        for axis in axes:
            could = list(one.axes[axis].could_be)
            if not could or (axis not in ALWAYS and default(axis) in could):
                continue
            first = default(axis) if default(axis) in could else could[0]
            others = [plain_words.word(axis, v, known) for v in could if v != first]
            others = [w for w in dict.fromkeys(others) if w != plain_words.word(axis, first, known)]
            or_else = f" (or {', or '.join(others)}: no answer tells)" if others else ""
            clauses.append(plain_words.clause(axis, first, known) + or_else)
        still = [plain_words.label(a).lower() for a in axes if a in ALWAYS and one.axes[a].value is None]
        behind = [f"undetermined: {', '.join(still)}"] if still else []
        for most in (9, 2, None):
            shown = clauses
            if most is not None and len(clauses) > most + 1:
                shown = [*clauses[:most], f"and {len(clauses) - most} more"]
            said = "; ".join([*shown, *behind]) or "as in standard"
            assert library_sentence.sentence(one, "A title", most) == f"A title, {one.key}: {said}."
        assert library_sentence.sentence(one).startswith(f"{one.subject.name}, {one.key}: ")
        assert library_sentence.undecided(one) == [a for a in axes if a in ALWAYS and one.axes[a].value is None]


# -- who follows what ---------------------------------------------------------------------------------------------------


def followers(axis: str, found: Sequence[Fingerprint]) -> dict[str, dict[tuple[str, tuple[str, ...]], list[str]]]:
    names = names_in(found)
    told: dict[str, dict[tuple[str, tuple[str, ...]], list[str]]] = {}
    for one in found:
        could = one.axes[axis].could_be if axis in one.axes else ()
        for value in could:
            who = names[one.subject], tuple(other for other in could if other != value)
            told.setdefault(value, {}).setdefault(who, []).append(one.key)
    return told


@pytest.mark.parametrize("seed", SEEDS)
def test_an_axis_is_told_with_each_value_and_who_follows_it(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found, some = found_in(seed), 1 + seed % 3
    monkeypatch.setattr(axis_text, "SOME", some)
    for axis in DRAWN_ON:
        wanted = followers(axis, found)
        told_of = axis_text.followers(axis, found).items()
        assert {value: {who: list(keys) for who, keys in own.items()} for value, own in told_of} == wanted
        values = sorted(AXES[axis].values, key=lambda value: value != default(axis))
        for value in ("", values[-1]):
            text = "\n".join(axis_text.details(axis, value, found))
            blocks = re.sub(r"\n {8}(?=\S)", " ", text).split("\n\n")
            assert blocks[0].startswith(f"{axis}: ")
            told = [re.sub(r"\n {4}(?! )", " ", block.partition("\n    ")[0]) for block in blocks[1:]]
            shown = [value] if value else values
            assert [one.partition(":")[0] for one in told][: len(shown)] == [f"{axis}={one}" for one in shown]
            for one, block in zip(shown, blocks[1:], strict=False):
                lines, flat = who_follows(dict(sorted(wanted.get(one, {}).items())), some), in_line(block)
                at = [flat.index(in_line(line)) for line in lines]
                assert at == sorted(at)
                assert flat.count(" more") == sum(line.count(" more") for line in lines), (axis, one)
                mark = ", as in `standard`"
                assert (mark in flat) == (one == default(axis))
                assert flat.count(": no answer tells)") == sum(bool(others) for _, others in wanted.get(one, {}))


def who_follows(of: Mapping[tuple[str, tuple[str, ...]], Sequence[str]], some: int) -> list[str]:
    told = []
    for (name, others), keys in of.items():
        or_else = f" (or {', '.join(others)}: no answer tells)" if others else ""
        more = f" and {len(keys) - some} more" if len(keys) > some else ""
        told.append(f"{name}{or_else}: {', '.join(keys[:some])}{more}")
    return told


# -- the verbs ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def publishing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """As if a world that is drawn were the published run; nothing was run here."""
    monkeypatch.chdir(tmp_path)

    def publish(told: Told, found: Sequence[Fingerprint]) -> None:
        document = fingerprint_file.as_json(found, told.asked, {"rankproof": "3.3", "cases": 5})
        monkeypatch.setattr(library_profiles, "published", lambda: by_subject(found))
        monkeypatch.setattr(library_profiles, "published_document", lambda: document)

    return publish


def say(*words: str) -> str:
    done = CliRunner().invoke(cli, list(words), standalone_mode=False, catch_exceptions=False)
    return done.stdout


def unfolded(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n")]


@pytest.mark.parametrize("seed", SEEDS)
def test_fingerprint_tells_what_was_published_of_those_who_are_named(seed: int, publishing: Any) -> None:
    told = drawn(seed)
    every = [one for own in by_subject(found_in(seed)).values() for one in own]
    publishing(told, every)
    library, other = every[0].library, every[-1]
    wishes: list[tuple[list[str], Any]] = [
        ([], lambda _: True),
        ([library], lambda one: one.library == library),
        (
            [library, f"{other.library}/{other.variant}"],
            lambda one: one.library == library or (one.library, one.variant) == (other.library, other.variant),
        ),
        (["-m", "nDCG"], lambda one: measured(one) == "nDCG"),
        (["-m", "AP", "-m", "P@10"], lambda one: measured(one) == "AP" or one.key == "P@k"),
        (["-m", "*@10"], lambda one: one.key.endswith("@k")),
        (["-m", "P@k", "-m", "RR"], lambda one: one.key in {"P@k", "RR"}),
        ([other.library, "-m", "AP@k"], lambda one: one.library == other.library and one.key == "AP@k"),
    ]
    for words, is_wanted in wishes:
        wanted = [one for one in every if is_wanted(one)]
        if not wanted:
            continue
        document = json.loads(say("fingerprint", *words, "--json"))
        every_one = [drawn_runs.subjects_of(one) for one in told.asked]
        asked = [own for own in every_one if any(one.subject in own for one in wanted)]
        names = called((who for own in asked for who in own), signed_all=True)
        said = [(one["subject"], one["key"]) for one in document["fingerprints"]]
        assert said == [(names[one.subject], one.key) for one in wanted]
        assert document["inferred_from"] == {"rankproof": "3.3", "cases": 5}
        assert in_markdown(say("fingerprint", *words, "--markdown")).keys() == {one.key for one in wanted}
        check_told(say("fingerprint", *words), wanted)


def measured(one: Fingerprint) -> str:
    return re.split("[@(]", one.key)[0]


def check_told(text: str, wanted: Sequence[Fingerprint]) -> None:
    """Of each subject its sentence, its version, and each form with its choices, what is open, what is unexplained, and the signature."""
    lines = text.split("\n")
    assert [line for line in lines if len(line) > WIDE and " " in line.strip()] == []
    at = 0
    for who, own in by_subject(wanted).items():
        lead = min(own, key=lambda one: TOLD_BY.index(one.key) if one.key in TOLD_BY else len(TOLD_BY))
        head = lines.index(f"{who.name} {who.version}", at)
        assert in_line(" ".join(lines[at:head])) == in_line(library_sentence.sentence(lead))
        at = head + 1
        for one in own:
            rows = [(f"{f.axis}={f.value}", f"{f.witness} {f.measure}".strip()) for f in unlike_standard(one)]
            open_ = [a for a, f in one.axes.items() if f.value is None]
            rows += [("undetermined", ", ".join(open_))] if open_ else []
            missed = sorted({place.case for place in one.missed})
            rows += [("unexplained", ", ".join(missed))] if missed else []
            excepted = sorted({place.case for place in one.excepted})
            rows += [("known exceptions", ", ".join(excepted))] if excepted else []
            but = " but for" if rows else ""
            assert lines[at] == f"  {one.key}: {one.explained} of {one.asked} answers explained, as in standard{but}"
            rows.append(("signature", one.signature))
            wide = max(len(name) for name, _ in rows)
            at += 1
            for name, said in rows:
                block = [lines[at]]
                while lines[at + 1].startswith(" " * (wide + 6)):
                    at += 1
                    block.append(lines[at].strip())
                at += 1
                assert block[0][:4] == "    "
                assert block[0][4 : 4 + wide].strip() == name
                joined = "".join([block[0][4 + wide :], *block[1:]])
                assert joined.replace(" ", "") == said.replace(" ", ""), (one.key, name)
        assert lines[at] == ""
        at += 1
    torn = [(one.name, one.axis, dict(one.values)) for one in fingerprint_tables.two_minds(list(wanted))]
    rest = "\n".join(lines[at:])
    assert rest.startswith("on these axes a library differs") == bool(torn)
    for name, axis, values in torn:
        said = f"{name} {axis} " + "; ".join(f"{value}: {', '.join(keys)}" for value, keys in values.items())
        assert in_line(said) in in_line(rest)


def test_of_a_form_of_which_nothing_else_is_to_be_told_it_is_said_that_it_is_as_in_standard(publishing: Any) -> None:
    plain = replace(found_in(0)[0], axes={}, missed=(), excepted=())
    publishing(drawn(0), [plain])
    check_told(say("fingerprint"), [plain])


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_badges_and_pictures_are_of_what_was_published(seed: int, publishing: Any, tmp_path: Path) -> None:
    told, every = drawn(seed), list(found_in(seed))
    publishing(told, every)
    for one in every[:12]:
        same = [w for w in {o.subject for o in every} if (w.library, w.variant) == (one.library, one.variant)]
        if len(same) > 1:
            continue
        name, measure = f"{one.library}/{one.variant}", one.key.replace("@k", "@7")
        assert json.loads(say("badge", name, "-m", measure)) == badges.as_endpoint(badges.of_library(one))
        say("badge", name, "-m", measure, "--svg", "-o", str(tmp_path / "b.svg"))
        assert (tmp_path / "b.svg").read_text(encoding="utf-8") == badges.svg(badges.of_library(one))
        forms = ", ".join(form.key for form in every if form.subject == one.subject)
        with pytest.raises(badges.NoBadge, match=re.escape(forms)):
            say("badge", name, "-m", "Success@3")
    in_turn = [one for own in by_subject(every).values() for one in own]
    for measure, dark in (("AP", True), ("nDCG@10", False)):
        if any(one.key == measure.replace("@10", "@k") for one in every):
            wanted = svg(choice_matrix.matrix(parse(measure), in_turn), VERSION, dark=dark)
            assert say("picture", "-m", measure, *(["--dark"] if dark else [])).rstrip("\n") == wanted.rstrip("\n")
    for axis in ("ties", "gain"):
        assert unfolded(say("axes", axis).rstrip("\n")) == unfolded("\n".join(axis_text.details(axis, "", in_turn)))


def test_worlds_have_three_of_everything() -> None:
    for seed in SEEDS:
        assert len({one.subject for one in found_in(seed)}) > 2
        assert len({one.key for one in found_in(seed)}) > 2
    every = [finding for seed in SEEDS for one in found_in(seed) for finding in one.axes.values()]
    assert {(f.value is None, bool(f.same), bool(f.witness), bool(f.why)) for f in every} >= {
        (False, False, True, False),
        (False, True, False, False),
        (True, False, True, True),
        (True, False, False, False),
    }
