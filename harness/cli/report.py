"""`rankproof report`: the site, public data, badges, pictures and citations."""

from pathlib import Path

import click

from rankproof.cli.options import FOLDER, PATH, out_file, own_adapters, write
from rankproof.files import check_writable, publish
from rankproof.terminal import say
from rankproof.text import one_line

of_measure = click.option("-m", "--measure", default="nDCG@10", show_default=True, help="The measure.")


@click.group("report")
def command() -> None:
    """Write the site, public data, badges, pictures and citations.

    \b
    rankproof report site --open
    rankproof report badge sklearn/rows -o badge.svg
    """


@command.command("site")
@click.option("-r", "--results", "source", type=PATH, default="out", help="The results of `rankproof run` [out].")
@click.option("-o", "--out", type=FOLDER, default="out/site", show_default=True, help="The folder of the site.")
@click.option(
    "--docs",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Add the Markdown files of this folder, and a reference of commands and Python functions.",
)
@own_adapters
@click.option("--open", "open_it", is_flag=True, help="Open the site in a browser.")
def site(source: Path, out: Path, docs: Path | None, adapters: Path | None, *, open_it: bool) -> None:
    """Write results as a website that needs no server. An existing site in the folder is replaced.

    \b
    rankproof report site --open
    rankproof report site -r reports -o public --docs docs

    The site includes fingerprint.json, probes.json and history.json next to the results.
    """
    from rankproof.report.site.build import write_site
    from rankproof.report.site.site_data import SiteData
    from rankproof.workers.known_libraries import faults, usable, with_own

    known = with_own(adapters)
    for fault in faults(known):
        say(one_line(fault), err=True)
    program = click.get_current_context().find_root().command
    written = write_site(out, SiteData.load(source, usable(known)), docs, program=program)
    say(f"{written.index} written: {written.pages} pages, {written.size / 1e6:.1f} MB")
    if open_it:
        click.launch(written.index.resolve().as_uri())


@command.command("data")
@click.option("-o", "--out", type=FOLDER, default="data", show_default=True, help="The folder to write to.")
def data(out: Path) -> None:
    """Write fingerprints, cases and histories as JSON.

    They are from the published run. Each file has a schema.

    \b
    rankproof report data -o data
    """
    from rankproof.report.public_data import files

    check_writable(out)
    written = files()
    for name, text in written.items():
        publish(out / name, text)
    names = ", ".join(name for name in written if "/" not in name)
    say(f"{len(written)} files written to {out}: {names}, and schemas/")


@command.command("badge")
@click.argument("name", metavar="LIBRARY|SIGNATURE")
@of_measure
@out_file
def badge(name: str, measure: str, out: Path | None) -> None:
    """Draw a badge of the conventions of a library or signature.

    `rankproof check` and `rankproof evaluate` print signatures.

    \b
    rankproof report badge sklearn/rows -o badge.svg
    rankproof report badge 'nDCG@10|gain:exp|by:mymetrics-1.0|rankproof:0.2.0'
    """
    from rankproof.evaluate.library_profiles import form_of
    from rankproof.inference.signatures import parse as parse_signature
    from rankproof.reference_impl.notation import parse
    from rankproof.report.pictures import badge_of_library, badge_of_signature

    if "|" in name:
        write(out, badge_of_signature(parse_signature(name)))
    elif form := form_of(name, parse(measure)):
        write(out, badge_of_library(form))
    else:
        raise click.UsageError(f"{name} does not compute {measure}: `rankproof show {name}` lists its measures")


@command.command("picture")
@of_measure
@out_file
@click.option("--dark", is_flag=True, help="Use the colours of a dark page.")
def picture(measure: str, out: Path | None, *, dark: bool) -> None:
    """Draw the conventions of all libraries for a measure as SVG.

    \b
    rankproof report picture -m nDCG@10 -o ndcg.svg
    """
    from rankproof.evaluate.library_profiles import published, published_document
    from rankproof.reference_impl.notation import parse
    from rankproof.report.pictures import svg

    forms = [form for of_library in published().values() for form in of_library]
    write(out, svg(parse(measure), forms, published_document()["rankproof"], dark=dark))


@command.command("cite")
@click.argument("signature", required=False)
@click.option("--latex", is_flag=True, help=r"Write the sentence for LaTeX, with a \cite.")
def cite(signature: str | None, *, latex: bool) -> None:
    """Print the BibTeX entry of rankproof. With SIGNATURE, first print a sentence that describes it.

    \b
    rankproof report cite 'nDCG@10|gain:exp'
    """
    from rankproof.inference.signatures import parse
    from rankproof.report.citation import bibtex, sentence

    if signature is not None:
        say(f"{sentence(parse(signature), latex=latex)}\n")
    say(bibtex())
