"""`rankproof cite`: how rankproof is cited, and a sentence for a paper."""

import click

from rankproof.cli.options import Verb
from rankproof.saying import say


@click.command("cite", cls=Verb)
@click.argument("signature", required=False)
@click.option("--latex", is_flag=True, help="Write the sentence for LaTeX, with a \\cite.")
def command(signature: str | None, *, latex: bool) -> None:
    r"""Print the BibTeX entry of rankproof; with SIGNATURE, a sentence before it that says what was computed.

    \b
    rankproof cite 'nDCG@10|gain:exp'
    """
    from rankproof.inference.signatures import parse  # noqa: PLC0415 - help answers without it
    from rankproof.report.citation import bibtex, in_latex, sentence  # noqa: PLC0415

    if signature is not None:
        said = sentence(parse(signature))
        say(f"{in_latex(said.removesuffix('.'))}~\\cite{{rankproof}}." if latex else said)
        say()
    say(bibtex())
