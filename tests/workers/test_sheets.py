"""Sheets are read strictly, held against what is observed, and rewritten without losing what a person wrote."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import permutations
from pathlib import Path

import published_run
import pytest
from click.testing import CliRunner, Result
from fake_sheets import FAKE
from random_observations import Chance

from rankproof import cases as corpus
from rankproof.cli import sheet as sheet_command
from rankproof.judge.runs import Run
from rankproof.judge.sheet_edits import NotEditable, NothingObserved, NotPinnable, planned, stale, unwitnessed
from rankproof.judge.verdicts import FAILS, Row, Verdict, judge
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.workers.known_libraries import Library, SameName, UnknownLibrary, chosen, libraries, usable, with_own
from rankproof.workers.observations import read as as_observed
from rankproof.workers.rounds import LibraryAnswers
from rankproof.workers.sheets import BadSheet, Known, ObservationPlace, Pin, Sheet, keys_of, load, read, steady
from rankproof.workers.subjects import Subject

SHEETS = [library.sheet for library in libraries()]

GOOD = f"""# a comment that a person wrote
{FAKE}
[profiles.v]
"*" = "trec_eval-9"           # another
"P@k" = "gain=exp"
"P(rel=2)@5" = "ties=best"

[[known]]
reason = "it cannot count"
link = "https://example.org/issues/1"
observed = '''
ties/straddles-cutoff v P@2 mean 0.25
ties/straddles-cutoff v AP mean ValueError: "quoted" \\ and 'more'
'''
"""


def sheet(tmp_path: Path, text: str = GOOD) -> Path:
    path = tmp_path / "fake.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_most_specific_claim_wins(tmp_path: Path) -> None:
    read_ = load(sheet(tmp_path))
    assert read_.profile_of("v", parse("P(rel=2)@5")).ties == "best"
    assert read_.profile_of("v", parse("P(rel=2)@6")).gain == "exp"
    assert read_.profile_of("v", parse("AP")).score == "f32"
    assert read_.profile_of("other", parse("AP")) == STANDARD
    assert list(keys_of(parse("nDCG@10"))) == ["nDCG@10", "nDCG@k", "nDCG", "*"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Fake"\n', "", r'fake\.toml:1: the sheet: "title" is a required property'),
        ('title = "Fake"\n', "title = 2020-01-01\n", r"fake\.toml:\d+: title: it holds what is no text, number"),
        ("trec_eval-9", "trec_eval-99", r"fake\.toml:10: \*: trec_eval-99 is no profile"),
        ('"gain=exp"', "1", r"fake\.toml:11: profiles\.v\.P@k: 1 is not"),
        ("gain=exp", "gain=huge", r"fake\.toml:11: P@k: gain=huge is no convention"),
        (
            "it cannot count",
            "",
            r"fake\.toml:15: the reason of an exception is empty: .* at ties/straddles-cutoff v P@2",
        ),
        ("it cannot count", "            ", "the reason of an exception is empty"),
        ("it cannot count", "TODO", "the reason of an exception 'TODO' is too short: write in a sentence why"),
        ("v P@2 mean 0.25", "v P@2", r"fake\.toml:18: .* is not 'case variant measure query-or-mean observation'"),
        ("cutoff v AP mean ValueError", "cutoff v P@2 mean ValueError", r"fake\.toml:19: .* pinned twice"),
        ('library = "fake"', 'library = "fake', r"fake\.toml: .*line 2"),
        ("float64", "roughly", r"fake\.toml:6: precision: "),
    ],
)
def test_a_sheet_that_cannot_be_used_says_where_and_why(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in GOOD
    with pytest.raises(BadSheet, match=message):
        load(sheet(tmp_path, GOOD.replace(old, new)))


@pytest.mark.parametrize("reason", ["", "TODO", "so"])
def test_what_else_is_wrong_is_said_before_a_reason_that_tells_nobody(reason: str, tmp_path: Path) -> None:
    lacking = GOOD.replace("it cannot count", reason) + '[[known]]\nreason = "it is so, by its notes"\nobserved = 3\n'
    with pytest.raises(BadSheet, match=r"fake\.toml:\d+: known\.1\.observed: 3 is not of type"):
        load(sheet(tmp_path, lacking))


def test_one_library_that_cannot_be_used_stops_none_of_the_others(tmp_path: Path) -> None:
    (tmp_path / "lonely_adapter.py").write_text("")
    sheet(tmp_path, GOOD)
    (tmp_path / "fake_adapter.py").write_text("")
    for name, text in {
        "bare": GOOD.replace('"fake"', '"bare"'),
        "other": GOOD,
        "reasonless": GOOD.replace('"fake"', '"reasonless"').replace("it cannot count", ""),
        "wandering": GOOD.replace('"fake"', '"wandering"\ncommand = ["node", "{home}/x.js"]'),
        "away": GOOD.replace('"fake"', '"away"\ncommand = ["node", "{here}/x.js"]'),
        "loose": GOOD.replace('"fake"', '"loose"\ncommand = ["node"]'),
        "foreign": GOOD.replace(
            '"fake"', '"foreign"\ncommand = ["node", "{here}/fake.js"]\nfiles = ["fake_adapter.py"]'
        ),
    }.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    (tmp_path / "fake.js").write_text("")
    found = {library.name: library for library in libraries(tmp_path)}
    expected = {
        "away": "away.toml:3: x.js is missing: write the file, or correct its name in the sheet",
        "bare": "bare.toml: bare_adapter.py is missing: write that adapter, or a command in the sheet",
        "lonely": "lonely.toml: there is no such sheet: `rankproof sheet new lonely` writes one",
        "loose": "loose.toml:3: command names no file of the adapter: write {here}/ before its name, or list it under `files`",
        "other": "other.toml:2: library is 'fake': write 'other', as the file is called other.toml",
        "wandering": "wandering.toml:3: command: {home} is unknown: write {here} or {python}",
    }
    assert [found[name].fault for name in expected] == [f"{tmp_path}/{fault}" for fault in expected.values()]
    assert "the reason of an exception is empty" in found["reasonless"].fault
    assert [library.name for library in usable(found.values())] == ["fake", "foreign"]
    assert found["foreign"].adapter == tmp_path / "fake.js"
    (draft,) = (library for library in libraries(tmp_path, draft=True) if library.name == "reasonless")
    assert "is empty" not in draft.fault, "a draft may have empty reasons"
    assert found["bare"].sheet.profiles == {}, "what cannot be asked claims nothing"


def test_a_folder_of_ones_own_stands_beside_the_libraries_of_rankproof(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    with pytest.raises(UnknownLibrary, match="own has no library: write a sheet"):
        with_own(tmp_path / "own")
    sheet(tmp_path, GOOD)
    (tmp_path / "fake_adapter.py").write_text("")
    names = [library.name for library in with_own(tmp_path)]
    assert names == sorted(["fake", *(library.name for library in libraries())])
    (tmp_path / "sklearn_adapter.py").write_text("")
    with pytest.raises(SameName, match=r"sklearn is a library of rankproof: give the one in .* another name"):
        with_own(tmp_path)


def test_a_library_nobody_knows_is_named() -> None:
    with pytest.raises(UnknownLibrary, match=r"sclearn is no library; did you mean sklearn\?"):
        chosen(("sclearn",), libraries())
    assert [library.name for library in chosen(("sk*", "cat*"), libraries())] == ["catboost", "sklearn"]


def test_the_line_of_an_empty_reason_is_that_of_its_own_exception(tmp_path: Path) -> None:
    second = GOOD + '\n[[known]]\nobserved = "ties/other v P@2 mean 1.0"\n# not yet\nreason = ""\n'
    with pytest.raises(BadSheet, match=r"fake\.toml:25: the reason .* is empty: .* at ties/other v P@2"):
        load(sheet(tmp_path, second))
    assert len(load(sheet(tmp_path, second), draft=True).pins) == 3
    with pytest.raises(BadSheet, match="is too short"):
        load(sheet(tmp_path, GOOD.replace("it cannot count", "?")), draft=True)


@pytest.mark.parametrize(
    ("text", "pinned"),
    [
        ("FileNotFoundError: /home/me/.cache/x.py:12: no", "FileNotFoundError: …: no"),
        ("OSError: C:\\Users\\me\\x.dll is not there", "OSError: … is not there"),
        ("<Run at 0x7f3a5c0d1e50> in tmpk3v_x9ab", "<Run at …> in …"),
        ("two  spaces", "two  spaces"),
        ("see https://example.org/a/b, 1/2 and a/b/c, template /",) * 2,
        ("half \ud800 a\u2028line \x85 and an end ", "half … a…line … and an end…"),
        ("KeyError: a\n…\n/tmp/x/y\n0x7f3a5c0d\nb", "KeyError: a…b"),
    ],
)
def test_an_error_is_pinned_without_what_differs_from_machine_to_machine(text: str, pinned: str) -> None:
    assert steady(text) == pinned
    pin = Pin(ObservationPlace("a/b", "v", "AP", None), pinned, Known("it is so", ""))
    assert pin.fits(text)
    assert steady(pinned) == pinned


# -- held against what is observed ------------------------------------------------------------------------------------


def row(*, variant: str = "v", **changes: object) -> Row:
    subject = Subject("fake", variant, "1")
    return replace(Row("ties/straddles-cutoff", subject, "P@2", None, Verdict.AGREES, 0.5), **changes)


WITNESSES = (row(), row(measure="AP"), row(measure="P(rel=2)@5"))
"""An answer for each claim of the good sheet."""


@pytest.mark.parametrize(
    ("rows", "old", "new", "sentences"),
    [
        (WITNESSES, "", "", []),
        (
            (*WITNESSES[:2], row(measure="P(rel=2)@5", verdict=Verdict.KNOWN)),
            "",
            "",
            ['claims "P(rel=2)@5", which decides no value'],
        ),
        (WITNESSES, '"*" =', '"+" = ""\n"*" =', []),
        (WITNESSES, "[profiles.v]", '[precisions.v]\n"RBP" = "float32"\n[profiles.v]', ['[precisions.v] claims "RBP"']),
        (
            WITNESSES,
            "[profiles.v]",
            '[precisions.x]\n"*" = "float32"\n[profiles.v]',
            ["[precisions.x] is not a variant"],
        ),
        ((row(case="", variant="v", verdict=Verdict.NOT_INSTALLED), row(variant="w")), "", "", []),
        ((row(case="", variant="", verdict=Verdict.NOT_INSTALLED),), "", "", []),
        ((), "", "", []),
    ],
)
def test_a_claim_that_nothing_witnesses_says_what_to_do(
    rows: tuple[Row, ...], old: str, new: str, sentences: list[str], tmp_path: Path
) -> None:
    found = unwitnessed(load(sheet(tmp_path, GOOD.replace(old, new) if old else GOOD)), rows)
    assert len(found) == len(sentences)
    assert all(sentence in told for sentence, told in zip(sentences, found, strict=True))


@pytest.mark.parametrize("own", SHEETS, ids=lambda s: s.library)
def test_every_claim_of_a_sheet_is_witnessed_and_its_exceptions_are_as_an_update_would_leave_them(own: Sheet) -> None:
    # What the library answered, and a few answers of each of the others.
    told = [row for name, of in by_library().items() for row in (of if name == own.library else of[::2_000])]
    assert unwitnessed(own, told) == []
    if not any(row.case for row in by_library().get(own.library, ())):
        with pytest.raises(NothingObserved):
            planned(own, told)
        return
    assert list(stale(own, told)) == []
    plan = planned(own, told)
    assert plan.after == plan.before


@cache
def by_library() -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in published_run.results().rows:
        found.setdefault(row.library, []).append(row)
    return found


# -- rewritten --------------------------------------------------------------------------------------------------------


def rows(path: Path, answers: dict[str, object]) -> list[Row]:
    case = corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml")
    fake = Library("fake", path.with_name("fake_adapter.py"), load(path, draft=True))
    found: list[Row] = []
    for measure, answer in answers.items():
        observed = as_observed(case.id, Subject("fake", "v", "1"), measure, answer)
        found += judge(case, fake, observed)
    return found


ERROR = {"error": {"type": "ValueError", "message": "\"quoted\" \\ and 'more'"}}


def test_an_update_takes_out_the_last_exception(tmp_path: Path) -> None:
    path = sheet(tmp_path)
    plan = planned(load(path), rows(path, {"P@2": mean(0.0)}))
    assert (plan.removed, read(path, plan.after).pins) == (2, {})
    assert plan.after == GOOD[: GOOD.index("\n[[known]]")]


def test_an_update_refuses_what_it_cannot_do(tmp_path: Path) -> None:
    path = sheet(tmp_path)
    with pytest.raises(NothingObserved, match="nothing was observed of fake, so its sheet stays unchanged: no module"):
        planned(load(path), [row(case="", measure="", verdict=Verdict.NOT_INSTALLED, note="no module")])
    for query in ("two words", "mean", ""):
        with pytest.raises(NotPinnable, match="a sheet cannot name the query"):
            planned(load(path), [row(query=query, verdict=Verdict.UNEXPLAINED)])
    inline = 'known = [{reason = "it is inline", observed = "ties/x v AP mean 0.0"}]\n'
    with pytest.raises(NotEditable, match=r"under \[\[known\]\]"):
        planned(load(sheet(tmp_path, GOOD[: GOOD.index("[profiles")] + inline)), [row()])


# -- the verb ---------------------------------------------------------------------------------------------------------


def mean(value: float) -> Mapping[str, object]:
    return {"per_query": None, "mean": value}


def run_update(monkeypatch: pytest.MonkeyPatch, path: Path, answers: Mapping[str, object], *options: str) -> Result:
    """The verb, on a library that answers so; `test_drawn_verbs.py` has several, and what the verb makes of each plan."""
    fake = Library("fake", path, load(path, draft=True))

    def asked(found: list[Library]) -> Run:
        assert found == [fake]
        hello = {"version": "1", "variants": {"v": ""}}
        return Run((), (LibraryAnswers(fake, hello, ()),), tuple(rows(path, answers)), ())

    monkeypatch.setattr(sheet_command, "_asked", asked)
    monkeypatch.setattr(sheet_command, "with_own", lambda _folder, *, draft: [fake] if draft else [])
    return CliRunner().invoke(sheet_command.command, ["update", "*", *options], standalone_mode=False)


def test_the_verb_refuses_to_pass_while_a_reason_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sheet(tmp_path)
    answers = {"P@2": mean(0.25), "AP": ERROR, "RR": mean(0.75)}
    dry = run_update(monkeypatch, path, answers, "--dry-run")
    assert dry.return_value == 1
    assert "+ties/straddles-cutoff v RR mean 0.75" in dry.stdout
    assert path.read_text(encoding="utf-8") == GOOD
    for counts in ("1 added, 0 removed, 2 kept", "0 added, 0 removed, 3 kept"):
        done = run_update(monkeypatch, path, answers)
        assert done.return_value == 1
        assert counts in done.stdout
        assert "to do: " in done.stdout
        assert "fake.toml:23: the reason of an exception is empty: write in a sentence why" in done.stdout
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('reason = ""', 'reason = "it cannot rank"'), encoding="utf-8")
    done = run_update(monkeypatch, path, answers)
    assert (done.return_value, "to do" in done.stdout) == (0, False)


# -- versions and programs --------------------------------------------------------------------------------------------

VERSIONS = """
[versions."2.*"]
known = "it breaks ties another way, says its change log"

[versions."2.*".profiles.v]
"*" = "ties=worst"

[versions."1.5"]
known = "it answered alike on the files that we have"
"""


def test_a_version_is_judged_by_what_is_known_of_it(tmp_path: Path) -> None:
    read_ = load(sheet(tmp_path, GOOD + VERSIONS))
    assert read_.of_version("2.0-rc3").profile_of("v", parse("AP")).ties == "worst"
    assert read_.of_version("2.0-rc3").pins == read_.pins
    for same in ("1", "1.5", "3"):
        assert read_.of_version(same).profiles == read_.profiles, same
    assert [known and known.known for known in map(read_.known_of, ("2.1", "1.5", "3"))] == [
        "it breaks ties another way, says its change log",
        "it answered alike on the files that we have",
        None,
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ties=worst", "ties=worse", r"ties=worse is no convention"),
        ('known = "it breaks ties another way, says its change log"', "", '"known" is a required property'),
    ],
)
def test_what_is_said_of_a_version_must_read(old: str, new: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(BadSheet, match=message):
        load(sheet(tmp_path, GOOD + VERSIONS.replace(old, new)))


def test_trec_eval_ten_is_claimed_otherwise_than_nine() -> None:
    (trec_eval,) = (one.sheet for one in libraries() if one.name == "trec_eval")
    ndcg = parse("nDCG@10")
    assert trec_eval.of_version("9.0.4").profile_of("default", ndcg).score == "f32"
    assert trec_eval.of_version("9.0.7") is not trec_eval
    assert trec_eval.of_version("9.0.7").profiles == trec_eval.profiles
    assert trec_eval.of_version("10.0-rc3").profile_of("default", ndcg).score == "f64"
    assert trec_eval.of_version("10.0-rc3").profile_of("default", ndcg).missing == "rejected"
    assert trec_eval.of_version("10.0-rc3").profile_of("complete", ndcg).missing == "0"
    assert trec_eval.program is not None
    assert [build.version for build in trec_eval.program.builds] == [trec_eval.speaks_of]


@pytest.mark.parametrize("order", list(permutations(["*", "nDCG", "nDCG@k", "nDCG@10"])))
def test_of_several_precisions_the_one_that_is_said_of_the_measure_itself_counts(order: tuple[str, ...]) -> None:
    said = {"*": "float32", "nDCG": "2 decimals", "nDCG@k": "3 decimals", "nDCG@10": "4 decimals"}
    exact = replace(SHEETS[0], precision="float64", precisions={"v": {key: said[key] for key in order}})
    wanted = {"nDCG@10": "4 decimals", "nDCG@5": "3 decimals", "nDCG": "2 decimals", "AP@5": "float32"}
    assert {name: exact.precision_of("v", parse(name)) for name in wanted} == wanted
    assert exact.precision_of("w", parse("nDCG@10")) == "float64"


# -- sheets that are drawn, with exceptions that stay, move, go and come ------------------------------------------------

REASONS = ("it cannot count", "it is slow | odd", "[[known]] and observed = 'x'")
WRITTEN = (
    "0.25",
    'ValueError: "quoted"',
    "E: a ''' b",
    "absent",
    "crash: it ended",
    "nan",
    r"E: \ and more",
    "E: [[known]]",
    "E: # no comment",
)
OBSERVED = (*WRITTEN, "E: \"\"\" and '''", "E: \x00\x1b\u202e", "E: \ud800", "SIGSEGV in /usr/lib/x.so:1")
STEADY = {"E: \ud800": "E: …", "SIGSEGV in /usr/lib/x.so:1": "SIGSEGV in …"}
"""What is no text, or differs from machine to machine, is pinned so."""
PLACES = [
    ObservationPlace(f"{topic}/{name}", variant, measure, query)
    for topic in ("ties", "gain", "empty")
    for name in ("b", "a")
    for variant in ("w", "v", "x")
    for measure in ("P@2", "AP")
    for query in (None, "q1", "q2")
]
CLAIMS = """
[profiles.v]
"*" = "ties=docid-asc" # a [[known]] comment
"P@k" = "gain=exp"
"R@k" = "gain=exp"
[profiles.gone]
"*" = ""
"""


def quoted(text: str) -> str:
    if "'''" not in text:
        return f"'''\n{text}'''"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"""\n{escaped}"""'


def pinned_as(text: str) -> str:
    return STEADY.get(text, text)


def named(place: ObservationPlace) -> str:
    return " ".join([place.case, place.variant, place.measure, place.query or "mean"])


def a_sheet(c: Chance) -> tuple[str, dict[ObservationPlace, str], dict[ObservationPlace, str]]:
    """A text with several exceptions, comments between them; what each place is pinned to, and the text of its entry."""
    pinned: dict[ObservationPlace, str] = {}
    entries: dict[ObservationPlace, str] = {}
    places = c.sample(PLACES, 14)
    text = FAKE + CLAIMS
    for i in range(4):
        lines = {places.pop(): c.choice(WRITTEN) for _ in range(c.choice([1, 3]))}
        link = c.choice(["", 'link = "https://example.org/1"\n'])
        body = "".join(f"{named(place)} {said}\n" for place, said in lines.items())
        head = c.choice(["[[known]]", "[[ known ]]"])
        entry = f'{head}\nreason = "{c.choice(REASONS)} {i}"\n{link}observed = {quoted(body)}{c.choice([" # behind it", ""])}\n'
        text += f"\n# before the entry {i}\n{entry}"
        pinned |= lines
        entries |= dict.fromkeys(lines, entry)
    return text, pinned, entries


def drawn_rows(c: Chance, pinned: Mapping[ObservationPlace, str], silent: set[str]) -> list[Row]:
    """What was observed in some places; of some variants nothing."""
    rows = []
    for place in c.sample(PLACES, len(PLACES)):
        subject = Subject("fake", place.variant, "1")
        row = Row(place.case, subject, place.measure, place.query, Verdict.AGREES, 0.5, None, 0.5)
        kind = c.choice(["agrees", "agrees", "convention", "known", "known", "fails", "nothing", "unsupported"])
        unasked = (place.case, place.measure) in {("ties/a", "AP"), ("gain/b", "P@2"), ("empty/a", "AP")}
        if place.variant in silent or kind == "nothing" or unasked:
            continue
        if kind == "known" and place in pinned:
            rows.append(replace(row, verdict=Verdict.KNOWN, value=None, error=pinned[place]))
        elif kind == "fails" and (place in pinned or c.random() < 0.5):
            failing = c.choice(sorted(FAILS - {Verdict.UNSTABLE}))
            rows.append(replace(row, verdict=failing, value=None, error=c.choice(OBSERVED)))
        elif kind == "unsupported":
            rows.append(replace(row, verdict=Verdict.UNSUPPORTED, value=None, expected=None, note="no such measure"))
        elif kind == "convention":
            rows.append(replace(row, verdict=Verdict.CONVENTION, conventions=("gain=exp",)))
        else:
            rows.append(row)
    rows.append(Row("ties/b", Subject("other", "v", "1"), "AP", "q1", Verdict.ERROR, None, "E: of another library"))
    rows.append(Row("ties/z", Subject("fake", "v", "1"), "AP", None, Verdict.AGREES, 0.5, None, 0.5))
    return rows


@pytest.mark.parametrize("seed", range(60))
def test_a_sheet_is_rewritten_where_an_exception_came_or_went_and_nowhere_else(seed: int, tmp_path: Path) -> None:
    c = Chance(seed)
    text, pinned, entries = a_sheet(c)
    path = tmp_path / "fake.toml"
    path.write_text(text, encoding="utf-8")
    sheet = read(path, text)
    assert {place: pin.observed for place, pin in sheet.pins.items()} == pinned
    absent, left_out = c.choice([set[str](), {"x"}]), c.choice([set[str](), {"w"}])
    rows = drawn_rows(c, pinned, absent | left_out)
    rows += [Row("", Subject("fake", v, "1"), "", None, Verdict.NOT_INSTALLED, note="no") for v in absent]
    mine = [row for row in rows if row.library == "fake"]
    failing = {row.place: pinned_as(row.error or "") for row in mine if row.verdict in FAILS}
    known = {row.place for row in mine if row.verdict is Verdict.KNOWN}
    kept = {place for place in pinned if place.variant in absent | left_out or place in known}
    plan = planned(sheet, rows, left_out)
    assert (plan.before, plan.added, plan.kept) == (text, len(failing), len(kept))
    assert plan.removed == len(set(pinned) - kept)
    after = read(path, plan.after, draft=True)
    assert {place: pin.observed for place, pin in after.pins.items()} == {**{p: pinned[p] for p in kept}, **failing}
    assert all(after.pins[place].known == sheet.pins[place].known for place in kept)
    whole = [entry for entry in entries.values() if all(p in kept for p, other in entries.items() if other == entry)]
    assert all(entry in plan.after for entry in whole)
    assert plan.after.startswith(text[: text.index("\n# before the entry 0")])
    assert plan.after.count("# behind it") == sum("# behind it" in entry for entry in {entries[p] for p in kept})
    assert re.findall("# before the entry .", plan.after) == [f"# before the entry {i}" for i in range(4)]
    topics = {place.case.partition("/")[0] for place in failing}
    assert plan.after.count('reason = ""') == len(topics), "an entry for each topic"
    path.write_text(plan.after, encoding="utf-8")
    held = [replace(r, verdict=Verdict.KNOWN) if r.place in failing and r.library == "fake" else r for r in rows]
    assert planned(after, held, left_out).after == plan.after
    present = {place for place in pinned if place.variant not in absent}
    fails = known | failing.keys()
    assert {place for place, _ in stale(sheet, rows, whole=True)} == present - fails
    seen = {row.place for row in mine}
    assert {place for place, _ in stale(sheet, rows, whole=False)} == {p for p in pinned if p in seen - fails}
