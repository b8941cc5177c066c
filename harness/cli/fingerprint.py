"""`rankproof fingerprint`: the profile that each library follows, inferred from its answers, with the witness of each choice."""

import fnmatch
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli import waiting
from rankproof.cli.options import Verb
from rankproof.reference_impl.shown import did_you_mean
from rankproof.reference_impl.unusable import Unusable
from rankproof.saying import say
from rankproof.text import folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankproof.inference.fingerprint_file import Fingerprint
    from rankproof.judge.results_file import RunResults
    from rankproof.workers.subjects import Installation, Subject

LAST = Path("out")
"""Where the observations of the last run lie."""


class NothingToInfer(Unusable):
    """Nothing in the results matches."""


@click.command("fingerprint", cls=Verb)
@click.argument("wanted", nargs=-1, metavar="[LIBRARY]...")
@click.option("-m", "--measure", "measures", multiple=True, help="These measures only, as in nDCG, nDCG@10 or nDCG@k.")
@click.option("--json", "json_", is_flag=True, help="Write JSON.")
@click.option("--markdown", is_flag=True, help="Write tables of libraries by axes in Markdown.")
@click.option(
    "--results", "path", type=click.Path(path_type=Path), help="Infer from these results instead of those in out."
)
def command(
    wanted: tuple[str, ...], measures: tuple[str, ...], path: Path | None, *, json_: bool, markdown: bool
) -> None:
    """Infer the profile that each LIBRARY (or LIBRARY/VARIANT) follows from its answers alone, each choice with its witness.

    The answers are those that `rankproof run` stored in out; where none are, the fingerprints of the published run are told as they were
    inferred, which --results reports does again. What a sheet claims is not read.
    """
    from rankproof.inference.fingerprint_file import as_json, text_of  # noqa: PLC0415 - help answers without it
    from rankproof.judge.results_file import FOLDER, load  # noqa: PLC0415
    from rankproof.report.run_report import fingerprint_markdown  # noqa: PLC0415

    stored = path or (LAST if (LAST / FOLDER).is_dir() else None)
    if stored is None:
        found, asked, header = _published(wanted, measures)
    else:
        results = load(stored)
        found, asked, header = _inferred(wanted, measures, results, stored), results.asked, results.header
    if json_:
        say(text_of(as_json(found, asked, header)), nl=False)
    elif markdown:
        say(fingerprint_markdown(found))
    else:
        _tell(found)


def _published(
    wanted: Sequence[str], measures: Sequence[str]
) -> "tuple[list[Fingerprint], tuple[Installation, ...], Mapping[str, Any]]":
    """The fingerprints that the package brings, of whom they are, and from which results they were inferred."""
    from rankproof.evaluate.library_profiles import published, published_document  # noqa: PLC0415
    from rankproof.inference.fingerprint_file import installations_in  # noqa: PLC0415
    from rankproof.measure_forms import measure_of  # noqa: PLC0415

    found = [
        one
        for subject, forms in published().items()
        if _is_wanted(subject, wanted)
        for one in forms
        if _is_measured(str(measure_of(one.key)), measures)
    ]
    if not found:
        known = [subject.library for subject in published()]
        near = did_you_mean(wanted[0], dict.fromkeys(known)) if len(wanted) == 1 else ""
        raise NothingToInfer(f"the published run has nothing of {' '.join([*wanted, *measures])}; {near}".rstrip("; "))
    say("as the published run has it, as there are no results in out", err=True)
    document = published_document()
    return found, tuple(installations_in(document)), document["inferred_from"]


def _inferred(wanted: Sequence[str], measures: Sequence[str], results: "RunResults", path: Path) -> "list[Fingerprint]":
    from rankproof import cases as corpus  # noqa: PLC0415
    from rankproof.judge.fingerprints import measures_in, observations_of  # noqa: PLC0415

    observed = [
        replace(one, observations=[seen for seen in one.observations if _is_measured(seen.measure, measures)])
        for one in observations_of(results)
        if _is_wanted(one.subject, wanted)
    ]
    if not measures_in(observed):
        raise NothingToInfer(f"{path} has no answer of {' '.join([*wanted, *measures]) or 'any library'}")
    return waiting.inferred(observed, {case.id: case for case in corpus.load_all()})


def _is_wanted(subject: "Subject", wanted: Sequence[str]) -> bool:
    from rankproof.workers.known_libraries import usual_name  # noqa: PLC0415

    return not wanted or any(subject.is_called(usual_name(glob)) for glob in wanted)


def _is_measured(measure: str, globs: Sequence[str]) -> bool:
    from rankproof.measure_forms import key_of  # noqa: PLC0415
    from rankproof.reference_impl.notation import parse  # noqa: PLC0415

    asked = parse(measure)
    names = {measure, key_of(asked), asked.name}
    return not globs or any(glob in names or fnmatch.fnmatchcase(measure, glob) for glob in globs)


def _tell(found: "Sequence[Fingerprint]") -> None:
    from rankproof.report.fingerprint_tables import two_minds  # noqa: PLC0415
    from rankproof.report.library_sentence import leading, sentence  # noqa: PLC0415

    for subject, group in groupby(found, key=lambda one: one.subject):
        forms = list(group)
        if (lead := leading(forms)) is not None:
            say(folded(sentence(lead), 2))
        say(f"{subject.name} {subject.version}", bold=True)
        for one in forms:
            say("\n".join(_lines(one)))
        say()
    differing = list(two_minds(found))
    if differing:
        say("on these axes a library differs between its own measures:", bold=True)
    for torn in differing:
        values = "; ".join(f"{value}: {', '.join(keys)}" for value, keys in torn.values.items())
        say(folded(f"  {torn.name}  {torn.axis}  {values}", 4))


def _lines(one: "Fingerprint") -> "Iterator[str]":
    """What was found of a form of a measure: each choice with its witness, what is open, and the signature."""
    rows = [
        *(
            (f"{finding.axis}={finding.value}", f"{finding.witness} {finding.measure}".strip())
            for finding in one.differing
        ),
        ("undetermined", ", ".join(one.undecided)),
        ("unexplained", ", ".join(sorted({place.case for place in one.missed}))),
        ("known exceptions", ", ".join(sorted({place.case for place in one.excepted}))),
    ]
    shown = [(name, told) for name, told in rows if told or "=" in name]
    but = " but for" if shown else ""
    yield f"  {one.key}: {one.explained} of {one.asked} answers explained, as in standard{but}"
    signed = [*shown, ("signature", one.signature)]
    wide = max(len(name) for name, _ in signed)
    for name, told in signed:
        yield folded(f"    {name:{wide}}  {told}", wide + 6)
