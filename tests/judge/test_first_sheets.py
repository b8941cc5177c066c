"""First sheets of new libraries: claims for each measure that differs, and the parts left to fill in."""

import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from convention_values import MADE, following

from rankproof import cases as corpus
from rankproof.cli.program import cli
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.judge.first_sheets import first_sheet, observed_of
from rankproof.reference_impl.conventions import parse_conventions
from rankproof.reference_impl.notation import parse
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import Observation
from rankproof.workers.rounds import LibraryAnswers
from rankproof.workers.sheets import Sheet, load

TWO_MINDS = '''"""RR breaks ties by the order of the rows, P by docid; Success prints three decimals; nothing is said of a mean."""
LIBRARY, PACKAGES = "minds", []
VARIANTS = {"plain": "as it is", "each.its-own": "no two measures alike, and none as most of them"}
MEASURES = {"P@{k}": "p", "RR": "rr", "Recall": "none", "R@{k}": "r"}


class Unsupported(Exception):
    pass


def load():
    return {"version": "2"}


def observe(variant, data, call, values):
    if "true" in data:
        raise Unsupported("no labelings")
    qrels, run = {str(q): {} for q in data["empty_in_qrels"]}, {str(q): {} for q in data["empty_in_run"]}
    for q, doc, rel in data["qrels"]:
        qrels.setdefault(str(q), {})[str(doc)] = rel
    for q, doc, score, _rank in data["run"]:
        rows = run.setdefault(str(q), {})
        rows[str(doc)] = rows.get(str(doc), score) if call == "rr" and variant != "plain" else score
    found = {}
    for q, rels in qrels.items():
        if call == "r" and variant != "plain" and q not in run:
            continue
        rows = list(run.get(q, {}).items())
        if call == "p":
            rows.sort(key=lambda row: row[0].encode("utf-8", "surrogatepass"))
        docs = [doc for doc, _score in sorted(rows, key=lambda row: -row[1])]
        hits = [rels.get(doc, 0) >= 1 for doc in docs]
        if call == "rr":
            found[q] = 1 / (hits.index(True) + 1) if True in hits else 0.0
        elif call == "p":
            found[q] = sum(hits[: values["k"]]) / values["k"]
        else:
            total = sum(rel >= 1 for rel in rels.values())
            share = sum(hits[: values["k"]]) / total if total else 0.0
            found[q] = share if variant == "plain" else round(share, 4)
    return found, (sum(found.values()) / len(found) if found else float("nan"))
'''


def new(folder: Path, *arguments: str) -> Result:
    named = ["sheet", "new", *arguments, "--adapters", str(folder)]
    return CliRunner().invoke(cli, named, standalone_mode=False)


@pytest.fixture(scope="module", autouse=True)
def some_of_the_cases() -> Iterator[None]:
    """Reduce the corpus to cases that show the claims, because a library runs on all of it three times here."""
    topics, every = ("ties/", "duplicates/", "queries/"), corpus.load_all()
    twice = {case.id for case in every if len({row[:2] for row in case.input.run or ()}) < len(case.input.run or ())}
    some = [case for i, case in enumerate(every) if i % 4 == 0 or case.id.startswith(topics) or case.id in twice]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "load_all", lambda: some)
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """Return a library whose measures follow different conventions, and the output of `sheet new`."""
    folder = tmp_path_factory.mktemp("adapters")
    (folder / "minds_adapter.py").write_text(TWO_MINDS, encoding="utf-8")
    return folder, new(folder, "minds")


def test_measures_that_differ_have_their_own_claims(made: tuple[Path, Result]) -> None:
    folder, done = made
    assert done.exception is None, done.output
    assert "\nto do: fill in the title, homepage and issues\n" in done.output
    sheet = load(folder / "minds.toml", draft=True)
    claims = {variant: set(claims) for variant, claims in sheet.profiles.items()}
    assert claims.keys() == {"plain", "each.its-own"}
    assert claims["plain"] == {"*", "P@k"}
    assert len(claims["each.its-own"] & {"*", "P@k", "R@k", "RR"}) == len(claims["each.its-own"]) == 3
    assert len({sheet.profile_of("each.its-own", parse(measure)).spec() for measure in ("RR", "P@3", "R@2")}) == 3
    ties = {measure: sheet.profile_of("plain", parse(measure)).ties for measure in ("RR", "P@3", "R@2")}
    assert ties == {"RR": "input", "P@3": "docid-asc", "R@2": "input"}
    assert {sheet.profile_of("plain", parse(m)).run_duplicates for m in ("RR", "P@3", "R@2")} == {"last"}
    assert sheet.speaks_of == "2"


def test_library_without_values_gets_no_sheet(tmp_path: Path) -> None:
    gone = TWO_MINDS.replace('return {"version": "2"}', 'raise ImportError("no gone")')
    (tmp_path / "gone_adapter.py").write_text(gone)
    assert "gone did not run, so no sheet was written: no gone" in str(new(tmp_path, "gone").exception)
    mute = TWO_MINDS.replace('"minds"', '"mute"').replace('if "true" in data', "if True")
    (tmp_path / "mute_adapter.py").write_text(mute)
    assert "mute returned no comparable value" in str(new(tmp_path, "mute").exception)
    (tmp_path / "lost_adapter.py").write_text("import os\nos._exit(7)\n")
    assert str(new(tmp_path, "lost").exception).endswith("no sheet was written: the process ended with exit code 7")
    done = new(tmp_path, "gone", "--command", f"{sys.executable} gone_adapter.py")
    assert "command has no file of the adapter" in str(done.exception)
    assert "nobody_adapter.py is missing: write that adapter" in str(new(tmp_path, "nobody").exception)
    assert sorted(path.name for path in tmp_path.glob("*.toml")) == []


BEGUN = """# How it is had.
library = "minds"
title = "Two Minds"
homepage = "https://minds.example.org"
issues = "https://minds.example.org/issues"
precision = "6 decimals"  # not known yet
speaks_of = "2"
package = "two-minds"
only_in_environments = true

[[environments]]
versions = ["1", "2"]
python = "3.8"
"""


def test_sheet_without_claims_is_completed(tmp_path: Path) -> None:
    path = tmp_path / "minds.toml"
    path.write_text(BEGUN, encoding="utf-8")
    (tmp_path / "minds_adapter.py").write_text(TWO_MINDS, encoding="utf-8")
    done = new(tmp_path, "minds")
    assert str(done.exception) == "minds is not installed. Run `rankproof env build minds@2`."
    assert path.read_text(encoding="utf-8") == BEGUN
    here = BEGUN.partition("only_in_environments")[0]
    path.write_text(here, encoding="utf-8")
    done = new(tmp_path, "minds")
    assert done.exception is None, done.output
    text = path.read_text(encoding="utf-8")
    assert text.startswith(here.replace('"6 decimals"', '"float64"'))
    assert load(path, draft=True).profiles.keys() == {"plain", "each.its-own"}
    assert "fill in" not in text + done.output
    assert "already exists" in str(new(tmp_path, "minds").exception)
    exact = BEGUN.replace("minds", "exact") + '\n[precisions.plain]\n"P@k" = "4 decimals"\n'
    (tmp_path / "exact.toml").write_text(exact)
    assert "already exists" in str(new(tmp_path, "exact").exception), "the sheet claims a precision"


def test_missing_environment_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "minds.toml"
    path.write_text(BEGUN.replace('speaks_of = "2"', 'speaks_of = "3"'), encoding="utf-8")
    (tmp_path / "minds_adapter.py").write_text(TWO_MINDS, encoding="utf-8")
    message = str(new(tmp_path, "minds").exception)
    assert message.startswith("minds needs its own environment, but ")
    assert message.endswith("names none of version 3 under [[environments]]")


def made_library(seen: Iterable[Observation], **hello: Any) -> LibraryAnswers:
    sheet = Sheet("made", "", "", "", "1.2", "float64", {}, {}, {}, Path("made.toml"))
    return LibraryAnswers(Library("made", Path("made_adapter.py"), sheet), {"version": "1", **hello}, tuple(seen))


def test_shared_profile_prefers_proved_values_and_the_precision_of_most_forms() -> None:
    """A single measure proves the ascending order. Two measures have the input order without proof."""
    case = corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml")
    answers = made_library(following("ties=docid-asc", case, measure) for measure in ("CG@2", "DCG@2", "nDCG@2"))
    forms = []
    for key, ties, proved in (("CG@k", "input", None), ("DCG@k", "docid-asc", "docid-asc"), ("nDCG@k", "input", None)):
        finding = AxisFinding("ties", proved, "", "", {})
        precision = "float32" if key == "CG@k" else "float64"
        profile = parse_conventions(f"ties={ties}")
        forms.append(Fingerprint(MADE, key, profile, {"ties": finding}, 1, 1, (), "", precision))
    claims = tomllib.loads(first_sheet(answers, [case], forms).after)
    assert claims["profiles"] == {"default": {"*": "standard ties=docid-asc"}}
    assert (claims["precision"], claims["precisions"]) == ("float64", {"default": {"CG@k": "float32"}})


def test_observations_are_those_of_a_variant_with_the_axes_that_its_adapter_translates() -> None:
    seen = [following("", corpus.load(corpus.HERE / "ties" / "none-tied.toml"), measure) for measure in ("RR", "AP")]
    seen.append(replace(seen[0], subject=replace(MADE, variant="w")))
    answers = made_library(seen, untold={"w": "ids ties", MADE.library: "order"})
    observed = {one.subject.variant: (one.untold, len(one.observations)) for one in observed_of(answers)}
    assert observed == {"default": (frozenset(), 2), "w": ({"ids", "ties"}, 1)}
