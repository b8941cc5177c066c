"""What verbs make of worlds that are drawn: what they write, what they say, and how they end; nobody is asked, and nothing is run."""

import json
import math
import re
import tomllib
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import click
import pytest
from click.testing import CliRunner
from drawn_runs import Chance, Told, drawn
from fake_sheets import FAKE
from reference_answers import PlainReference

from rankproof import cases as corpus
from rankproof.cli import libraries as libraries_verb
from rankproof.cli import options, waiting
from rankproof.cli import run as run_verb
from rankproof.cli import sheet as sheet_verb
from rankproof.cli.program import cli
from rankproof.evaluate.library_profiles import HeldOut
from rankproof.evaluate.read_profiles import read_tools
from rankproof.inference.equivalent_choices import can_matter
from rankproof.inference.reference_answers import Values
from rankproof.inference.signatures import axes_of
from rankproof.inference.signatures import parse as parse_signature
from rankproof.judge.runs import Judging, Run
from rankproof.judge.sheet_edits import SheetEdit
from rankproof.judge.verdicts import Verdict
from rankproof.measure_forms import named as measure_named
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import ALIASES, parse
from rankproof.reference_impl.profiles import PROFILES
from rankproof.report import measure_text, profile_text
from rankproof.workers.known_libraries import Library, libraries
from rankproof.workers.observations import Observation
from rankproof.workers.rounds import LibraryAnswers
from rankproof.workers.sheets import read
from rankproof.workers.subjects import Subject


def typed(*words: object) -> Any:
    """What comes of a line."""
    return CliRunner().invoke(cli, [str(word) for word in words], standalone_mode=False)


# -- run ----------------------------------------------------------------------------------------------------------------


def found_by(told: Told, monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[Any]:
    """As if a run found it; gives what was asked for."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    seen: list[Any] = []

    class AtHand:
        libraries, pythons, left_out = list(told.libraries), {"zulu": "python-of-zulu", "mike": "another"}, ()

    def asked(cases: Any, libraries: Any, asking: Any, **_: Any) -> Any:
        seen.append(([case.id for case in cases], [one.name for one in libraries], asking))
        seen_once = Observation("ties/a", Subject("zulu"), "AP", None)
        return [replace(one, observations=(seen_once,)) for one in told.run.asked]

    def judged(*_: Any, whole: bool, **__: Any) -> Run:
        seen.append(whole)
        return told.run

    monkeypatch.setattr(run_verb, "at_hand", lambda *_: AtHand)
    monkeypatch.setattr(run_verb, "chosen", lambda *_: list(told.libraries))
    monkeypatch.setattr(run_verb, "with_own", lambda _: [])
    monkeypatch.setattr(run_verb, "judge_all", judged)
    monkeypatch.setattr(waiting, "asked", asked)
    monkeypatch.setattr(waiting, "diagnosed", lambda found, **_: found)
    return seen


@pytest.mark.parametrize("seed", [1, 3])
def test_a_run_writes_and_says_all_that_was_found_and_ends_as_it_holds(
    seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    world = drawn(seed)
    holding = replace(world, complaints=())
    nobody = replace(holding, rows=tuple(row for row in world.rows if not row.case))
    for i, (told, code) in enumerate(((world, 1), (holding, 0), (nobody, 3))):
        folder = tmp_path / str(i)
        folder.mkdir()
        seen = found_by(told, monkeypatch, folder)
        out = folder / "there"
        topic = world.cases[0].id.partition("/")[0]
        narrow = [["-c", f"{topic}/*"], [], ["-m", "AP"]][i]
        how = ["--once", "-j", 3, "--timeout", 7, "--memory", "2G", "--python", "mike=python3", "--format", "junit"]
        done = typed("run", "-o", out, *how, *narrow, "--format", "github")
        assert done.return_value == code, (done.output, done.exception)
        (cases, names, asking), whole = seen
        assert names == [one.name for one in told.libraries]
        assert whole == (not narrow)
        names_in = {case.id: {re.split("[@(]", one)[0] for one in case.measures} for case in corpus.load_all()}
        every = [case for case, measures in names_in.items() if "-m" not in narrow or "AP" in measures]
        assert cases == [case for case in every if "-c" not in narrow or case.startswith(f"{topic}/")]
        assert (asking.at_once, asking.timeout, asking.memory) == (3, 7.0, 2 * 10**9)
        assert (asking.once, asking.fresh) == (True, False)
        assert asking.pythons == {"zulu": "python-of-zulu", "mike": "python3"}
        assert {path.stem for path in (out / "results").glob("*.jsonl")} == {one.library for one in told.asked}
        suites = ET.fromstring((out / "junit.xml").read_text(encoding="utf-8"))  # noqa: S314 - our own
        assert [suite.get("name") for suite in suites] == [one.library for one in told.asked]
        n = len(told.complaints)
        assert f"### rankproof: {f'{n} things do not hold' if n else 'all of it holds'}" in done.output
        assert done.output.count("DOES NOT HOLD") == min(n, 40)
        assert f"{out / 'results'} and {out / 'report.md'} written" in done.output
        assert (out / "report.md").exists()


def test_where_nobody_is_there_each_is_told_with_all_that_it_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of one library nothing is said before its results, as nobody else is waited for."""
    lacks: dict[str, dict[str, Any]] = {
        "pytrec_eval": {"not_installed": "no C"},
        "sklearn": {"version": "1", "variants": {}},  # of which the wanted variants are not known
        "trectools": {"version": "1", "variants": {}, "absent": {"a": "no pandas", "b": "no scipy"}},
    }
    early: list[bool] = []

    def asked(_cases: Any, who: list[Library], _asking: Any, *, first_word: Any) -> list[LibraryAnswers]:
        early.append(first_word is not None)
        return [LibraryAnswers(one, lacks[one.name], ()) for one in who]

    monkeypatch.setattr(waiting, "asked", asked)
    monkeypatch.chdir(tmp_path)
    reasons = {"pytrec_eval": "no C", "trectools": "no pandas; no scipy"}
    told = {name: f"{name}: pip install 'rankproof[{name}]' ({why})" for name, why in reasons.items()}
    for names, said in ((("trectools",), told["trectools"]), ((*lacks,), "; ".join(told.values()))):
        done = typed("run", "-c", "ties/renamed-doc", *(word for name in names for word in ("-l", name)))
        assert str(done.exception) == f"nothing was asked, as none of the libraries is installed: {said}"
    assert early == [False, True]


def test_a_library_of_which_all_was_known_has_no_first_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_verb, "first_word", lambda *_: "it holds")
    seen = (Observation("ties/a", Subject("zulu"), "AP", None),) * 2
    each = [LibraryAnswers(libraries()[0], {}, seen, reused=reused) for reused in (0, 1, 2)]
    assert [run_verb._first_word(Judging([]), one) for one in each] == ["it holds", "it holds", ""]


@pytest.mark.parametrize("seed", range(6))
def test_why_a_run_is_not_published(seed: int) -> None:
    told = drawn(seed)
    here = tuple(row for row in told.rows if row.verdict is not Verdict.NOT_INSTALLED)
    absent = [row for row in told.rows if row.verdict is Verdict.NOT_INSTALLED]
    for rows, complaints, whole in product((told.rows, here), (told.complaints, ()), (True, False)):
        wanted = "" if whole else "only a part of the corpus was asked"
        if absent and rows is not here:
            wanted = f"{absent[0].subject.name} is not installed; `rankproof libraries` says how to have it"
        if complaints:
            wanted = "something does not hold"
        assert run_verb.unpublishable(replace(told.run, rows=rows, complaints=complaints), whole=whole) == wanted


# -- sheet update -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [*range(18), 58, 64, 68])  # of the last three several are to do
def test_sheet_update_writes_each_sheet_that_changes_and_ends_by_what_is_left_to_do(
    seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    c = Chance(seed)
    whole = '\n[[known]]\nreason = "it cannot count to three"\nobserved = "ties/a v AP mean 0.5"\n'
    named, plans, wanted = [], {}, {}
    for name in ("zulu", "mike", "alpha"):
        path = tmp_path / f"{name}.toml"
        before = FAKE.replace("fake", name)
        path.write_text(before, encoding="utf-8")
        after = before + c.choice(["", whole, whole, whole.replace("it cannot count to three", "")])
        sheet = read(path, before)
        named.append(Library(name, tmp_path / f"{name}_adapter.py", sheet, c.choice(["", "", "", "it does not read"])))
        counts = [c.randint(0, 9) for _ in range(4)]
        plans[name] = SheetEdit(before, after, *counts)
        wanted[name] = f"{path}: {counts[0]} added, {counts[1]} moved, {counts[2]} removed, {counts[3]} kept"
    usable = [one for one in named if not one.fault]
    told = drawn(seed)
    asked = tuple(replace(told.run.asked[0], library=one) for one in usable)
    monkeypatch.setattr(sheet_verb, "chosen", lambda *_: named)
    monkeypatch.setattr(sheet_verb, "with_own", lambda *_args, **_how: named)
    monkeypatch.setattr(sheet_verb, "python_of", lambda _: "python")
    monkeypatch.setattr(sheet_verb, "judge_all", lambda *_: replace(told.run, asked=asked))
    monkeypatch.setattr(waiting, "asked", lambda *_: [])
    monkeypatch.setattr("rankproof.judge.sheet_edits.planned", lambda sheet, *_: plans[sheet.library])
    dry = typed("sheet", "update", "any", "--dry-run")
    changing = [one for one in usable if plans[one.name].after != plans[one.name].before]
    assert all(one.sheet.path.read_text(encoding="utf-8") == plans[one.name].before for one in named)
    assert dry.return_value == (2 if not usable else int(bool(changing) or len(usable) < 3))
    for one in usable:
        assert wanted[one.name] in dry.output
        added = len(plans[one.name].after) - len(plans[one.name].before)
        assert (f"+++ {one.sheet.path}" in dry.output) == (added > 0)
    done = typed("sheet", "update", "any")
    for one in named:
        text = plans[one.name].after if one in usable else plans[one.name].before
        assert one.sheet.path.read_text(encoding="utf-8") == text
        assert (wanted[one.name] in done.output) == (one in usable)
    empty = [one for one in usable if 'reason = ""' in plans[one.name].after]
    assert done.return_value == (2 if not usable else int(len(usable) < 3 or bool(empty)))
    assert done.output.count("to do: ") == (len(empty) if len(usable) == 3 else 0)
    assert all(one.fault in done.output for one in named if one.fault)


# -- libraries ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_libraries_are_listed_with_what_each_says_of_itself(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    told = drawn(seed)
    hellos: dict[str, dict[str, Any]] = {}
    for one in told.asked:
        hello = {key: value for key, value in one.as_json().items() if key != "library"}
        hellos.setdefault(one.library, hello | {"seq": 4, "seconds": 0.25})
    known = [replace(one, fault="its sheet does not read") if i == 0 else one for i, one in enumerate(told.libraries)]

    def said_by(library: Library) -> dict[str, Any]:
        said = hellos[library.name]
        return {"not_installed": "it crashed"} if "failed" in said else said

    def worker_of(library: Library, _: object) -> Any:
        return nullcontext(SimpleNamespace(hello=lambda: said_by(library)))

    monkeypatch.setattr(libraries_verb, "with_own", lambda _: known)
    monkeypatch.setattr(libraries_verb, "python_of", lambda _: "python")
    monkeypatch.setattr(libraries_verb, "worker_of", worker_of)
    found = json.loads(typed("libraries", "--json").output)
    lines, wanted = typed("libraries").output.splitlines(), []
    assert list(found) == [one.name for one in known]
    for one in known:
        said = said_by(one)
        head = {"title": one.sheet.title, "speaks_of": one.sheet.speaks_of}
        if one.fault:
            assert found[one.name] == head | {"fault": one.fault, "variants": {}}
            wanted.append(f"{one.name}: cannot be asked: {one.fault}")
            continue
        assert found[one.name] == head | {key: value for key, value in said.items() if key not in {"seq", "seconds"}}
        if "version" not in said:
            wanted.append(f"{one.name}: not installed: {said['not_installed']}; see {one.sheet.homepage}")
            continue
        other = f" (the sheet speaks of {one.sheet.speaks_of})" if one.sheet.speaks_of != said["version"] else ""
        wanted.append(f"{one.name} {said['version']}{other}")
        wanted += [f"    {text}" for text in said.get("notes", {}).values()]
        wanted += [f"    {variant:18} {what}".rstrip() for variant, what in said.get("variants", {}).items()]
        wanted += [f"    {variant:18} not installed: {why}" for variant, why in said.get("absent", {}).items()]
    assert lines == wanted


# -- lists --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_cases_are_listed_by_any_of_the_globs_and_all_of_the_tags(seed: int) -> None:
    c = Chance(seed)
    every = corpus.load_all()
    topics = sorted({case.id.partition("/")[0] for case in every})
    tags = sorted({tag for case in every for tag in case.tags})
    chosen = c.sample(topics, c.choice([0, 1, 3]))
    one = c.choice(every)
    wanted_tags = c.sample(one.tags, min(len(one.tags), c.choice([0, 1, 2]))) + c.sample(tags, c.choice([0, 0, 0, 1]))
    ids = [one.id] if c.random() < 0.3 else []
    found = [
        case
        for case in every
        if (not (chosen or ids) or case.id.partition("/")[0] in chosen or case.id in ids)
        and all(tag in case.tags for tag in wanted_tags)
    ]
    words = [*(f"{topic}/*" for topic in chosen), *ids, *(word for tag in wanted_tags for word in ("-t", tag))]
    listed = json.loads(typed("cases", "list", *words, "--json").output)
    assert listed == [{"id": case.id, "question": case.question, "tags": list(case.tags)} for case in found]
    done = typed("cases", "list", *words)
    wide = max((len(case.id) for case in found), default=0)
    assert done.stdout.splitlines() == [f"{case.id:{wide}}  {case.question}".rstrip() for case in found]
    assert done.stderr.splitlines() == [f"{len(found)} case{'s' * (len(found) != 1)}"]


def test_measures_and_axes_are_listed_whole() -> None:
    names = [*MEASURES, *CLUSTERINGS]
    found = json.loads(typed("measures", "--json").output)
    assert [one["name"] for one in found] == names
    text = typed("measures").output
    for one in found:
        also = [other for other, meant in ALIASES.items() if meant == one["name"]]
        assert one["other_names"] == also
        known = MEASURES.get(one["name"]) or CLUSTERINGS[one["name"]]
        assert one["is"] == (known.formula.__doc__ or "").strip().split("\n")[0]
        assert f"{one['notation']} {one['is']}" in " ".join(text.split())
    of_runs, _, of_labels = text.partition("of two labelings of the same items:")
    assert all(f"\n  {one['notation']}" in (of_runs if one["name"] in MEASURES else of_labels) for one in found)
    axes = json.loads(typed("axes", "--json").output)
    told = [(one.stage, one.question, one.default, dict(one.values), one.pattern, one.example) for one in AXES.values()]
    without_measures = [tuple(value for key, value in one.items() if key != "measures") for one in axes]
    assert without_measures == [(name, *said) for name, said in zip(AXES, told, strict=True)]
    by_measure = {one["name"]: set(one["axes"]) for one in found}
    for one in axes:
        assert one["measures"] == [name for name in names if one["name"] in by_measure[name]]
    blocks = re.split(r"^\S.*:$", typed("axes").output, flags=re.MULTILINE)[1:]
    listed = [re.findall(r"^  (\w+) ", block, re.MULTILINE) for block in blocks]
    stages = ("order", "judge", "measure", "aggregate")
    assert listed == [[name for name, axis in AXES.items() if axis.stage == stage] for stage in stages]
    flat = " ".join(typed("axes").output.split())
    for one in axes:
        values = sorted(one["values"], key=lambda value: value != one["default"])
        others = f" | as {one['example']}" * bool(one["pattern"])
        assert f"{one['name']} {one['question']} {' | '.join(values)}{others} " in f"{flat} "


def test_details_of_a_measure_have_each_choice_that_can_matter() -> None:
    for one in json.loads(typed("measures", "--json").output):
        text = typed("measures", measure_named(one["name"])).output
        flat = " ".join(text.split())
        listed = re.findall(r"^  (\w+) +(\S+):(?=\s)", text.partition("choices that can matter")[2], re.MULTILINE)
        assert listed == [(axis, AXES[axis].default) for axis in one["axes"]]
        assert f"written {one['notation']}" in flat
        assert (f"other names {', '.join(one['other_names'])}" in flat) == bool(one["other_names"])
    for whole in ("AP", "AP@10", "nDCG", "nDCG(dcg='exp-log2')@10"):
        text = typed("measures", whole).output.partition("choices that can matter")[2]
        listed = re.findall(r"^  (\w+) +\S+:(?=\s)", text, re.MULTILINE)
        assert listed == list(can_matter(parse(whole)))
        assert ("short" in listed) == ("@" in whole)
    for name, whole in (("F", "F@10"), ("f1", "F@10"), ("IPrec", "IPrec@0.1"), ("nDCG", "nDCG"), ("MAP", "AP")):
        assert typed("measures", name).output == typed("measures", whole).output
    assert measure_text.others("RR") == [name for name, meant in ALIASES.items() if meant == "RR"]


@pytest.mark.parametrize("seed", range(4))
def test_profiles_are_listed_with_what_was_found_of_each(seed: int) -> None:
    told = drawn(seed)
    found = told.report.fingerprints
    everybody = dict.fromkeys(one.subject for one in found)
    libraries = {told.names[who]: (who, [one for one in found if one.subject == who]) for who in everybody}
    c = Chance(seed)
    kinds = ["equal", "rounded", "open", "unexplained"]
    held = {}
    for who, own in list(libraries.values())[::2]:
        counts = {one.key: {kind: c.randint(1, 9) for kind in c.sample(kinds, 2)} for one in own}
        held[who.signed] = HeldOut("the command", counts)
    lines = "\n".join(profile_text.listing(libraries, held, read_tools())).replace("\n" + " " * 30, " ")
    flat = " ".join(lines.split())
    for name, (who, own) in libraries.items():
        count = held.get(who.signed)
        each = sum((Counter(of) for of in count.forms.values()), Counter[str]()) if count else Counter[str]()
        equal = f"; equal {each['equal']} of {each.total()}" if count else ""
        assert f"{name} {who.version}, {len(own)} form{'s' if len(own) != 1 else ''} of measures{equal}" in flat
    document = profile_text.as_json(libraries, read_tools())
    assert [(one["name"], one["library"]) for one in document] == [
        *((name, False) for name in PROFILES),
        *((name, True) for name in libraries),
        *((way, False) for tool in read_tools().values() for way in tool.ways),
    ]
    for one in document[len(PROFILES) : len(PROFILES) + len(libraries)]:
        who, own = libraries[one["name"]]
        assert (one["version"], one["of"]) == (who.version, {form.key: form.signature for form in own})


# -- signatures ---------------------------------------------------------------------------------------------------------

CHANGED = [
    "gain:exp",
    "gain:binary",
    "ties:input",
    "ties:docid-asc",
    "score:f32",
    "norel:nan",
    "missing:dropped",
    "norel:?",
    "ties:?input/best",
    "p_denominator:min-k-n",
]


def a_signature(c: Chance) -> str:
    parts = {one.partition(":")[0]: one for one in c.sample(CHANGED, c.choice([0, 1, 3]))}
    return "|".join([c.choice(["nDCG@3", "P@2", "AP"]), *parts.values(), *c.choice([[], ["by:mine-1.0"]])])


@pytest.mark.parametrize("seed", range(10))
def test_a_signature_is_told_axis_by_axis_and_two_by_what_differs(seed: int) -> None:
    c = Chance(seed)
    texts = a_signature(c), a_signature(c)
    try:
        one, other = map(parse_signature, texts)
    except Exception:  # noqa: BLE001 - an axis that the measure does not have
        return
    told = json.loads(typed("signature", texts[0], "--json").output)
    assert list(told["axes"]) == list(axes_of(one.measure))
    head = {"measure": str(one.measure), "by": one.by, "short": str(one), "whole": one.whole()}
    assert {name: told[name] for name in head} == head
    for axis, said in told["axes"].items():
        value = getattr(one.conventions, axis)
        assert said["value"] == (None if axis in one.open else value)
        assert (said["question"], said["standard"]) == (AXES[axis].question, AXES[axis].default)
        if axis in one.open:
            assert (said["undetermined"], said["taken"]) == (list(one.open[axis]), value)
    text = typed("signature", texts[0]).output
    parts = re.split(r"^(other than standard|undetermined,.*|as in standard)$", text, flags=re.MULTILINE)
    listed = [set(re.findall(r"^  (\w+)=", body, re.MULTILINE)) for body in parts[2::2]]
    sections = dict(zip((title.split(",")[0] for title in parts[1::2]), listed, strict=True))
    followed = {axis: said["value"] == said["standard"] for axis, said in told["axes"].items() if said["value"]}
    assert sections.get("undetermined", set()) == set(one.open) & set(told["axes"])
    assert sections.get("other than standard", set()) == {axis for axis, usual in followed.items() if not usual}
    assert sections.get("as in standard", set()) == {axis for axis, usual in followed.items() if usual}
    check_both(one, other, json.loads(typed("signature", *texts, "--json").output), typed("signature", *texts).output)


def check_both(one: Any, other: Any, told: Any, text: str) -> None:
    """Each axis on which they are known to differ, and a case on which the reference gives two values."""
    assert (told["a"], told["b"]) == (str(one), str(other))
    both = [axis for axis in axes_of(one.measure) if axis in axes_of(other.measure)]
    told_of_both = [axis for axis in both if axis not in one.open and axis not in other.open]
    sure = {axis for axis in told_of_both if getattr(one.conventions, axis) != getattr(other.conventions, axis)}
    assert sure <= set(told["axes"])
    for axis in sure:
        for side, of in (("a", one), ("b", other)):
            value = getattr(of.conventions, axis)
            assert told["axes"][axis][side] == {"value": value, "meaning": AXES[axis].meaning(value)}
        assert f"{axis}: " in text
    if told["shows"] is not None:
        case = next(case for case in corpus.load_all() if case.id == told["shows"]["case"])
        asked = zip(told["shows"]["measures"], (one, other), strict=True)
        a, b = (value_of(case, measure, side.conventions, told["shows"]["query"]) for measure, side in asked)
        assert (told["shows"]["a"], told["shows"]["b"]) == (a, b)
        assert a != b
        assert told["shows"]["case"] in text


def value_of(case: Any, measure: str, conventions: Any, query: str | None) -> Any:
    found = PlainReference(case.input).answers(parse(measure), conventions)
    if not isinstance(found, Values):
        return "rejected"
    value = found.mean if query is None else found.per_query.get(query, "absent")
    number = math.nan if value is None else value if isinstance(value, str) else to_float(value)
    return "nan" if isinstance(number, float) and math.isnan(number) else number


# -- options ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_sizes_and_times_are_what_is_written(seed: int) -> None:
    c = Chance(seed)
    context: Any = None
    number = c.choice(["1", "1.5", "0.25", "12", "3.75"])
    unit, times = c.choice([("M", 10**6), ("G", 10**9), ("T", 10**12), ("m", 10**6), ("gB", 10**9), ("TB", 10**12)])
    assert options.bytes_of(context, context, number + unit) == round(float(number) * times)
    for bad in (number, f"-{number}G", f"{number} G", f"{number}K", f"0{unit}", f"x{number}G", f"{number}GG", "G"):
        with pytest.raises(click.BadParameter, match="no size of memory"):
            options.bytes_of(context, context, bad)
    assert options.seconds_of(context, context, number) == float(number)
    for bad in ("0", "-1", "inf", "nan", "1e8", "soon", ""):
        with pytest.raises(click.BadParameter, match="no time to wait"):
            options.seconds_of(context, context, bad)


@pytest.mark.parametrize("seed", range(20))
def test_words_are_files_or_measures_in_their_order(seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    c = Chance(seed)
    kinds: dict[str, str] = {
        "qrels.txt": "file",
        "nDCG@10": "measure",
        "AP": "measure",
        "P@5": "measure",
        "here/run": "file",
        "Unknown@3": "measure",
        "RR": "file",
        "P(rel=2)@5": "measure",
        "x" * 300: "file",
        "run@x": "file",
        "ndcg_cut_10": "measure",
    }
    (tmp_path / "RR").write_text("", encoding="utf-8")
    words = c.sample(list(kinds), 6)
    files, measures = options.measures_among(words)
    assert list(files) == [word for word in words if kinds[word] == "file"]
    assert list(measures) == [word for word in words if kinds[word] == "measure"]


def test_a_library_that_has_an_extra_is_installed_by_it() -> None:
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    extras = {name.replace("-", "_") for name in tomllib.loads(text)["project"]["optional-dependencies"]}
    usual = [one for one in libraries() if one.sheet.program is None and not one.sheet.only_in_environments]
    told = {one.name: libraries_verb.how_to_install(one) for one in usual}
    for one in usual:
        by_pip = f"pip install 'rankproof[{one.name}]'"
        assert told[one.name] == (by_pip if one.name in extras else f"see {one.sheet.homepage}")
    assert any("_" in name and "pip" in said for name, said in told.items())
