"""The BibTeX entry of rankproof, and a sentence for a paper that says what was computed."""

from rankproof.inference.signatures import REFERENCE, Signature
from rankproof.inference.words import in_words
from rankproof.version import REPOSITORY, VERSION, YEAR

LATEX = str.maketrans({"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", **{c: f"\\{c}" for c in "{}&%$#_"}})
"""Characters that LaTeX takes for commands, and how they are written."""


def bibtex(version: str = VERSION) -> str:
    """Return the BibTeX entry."""
    fields = {
        "title": "{rankproof}: the conformance suite of ranking measures",
        "author": "{the rankproof authors}",
        "version": version,
        "year": str(YEAR),
        **({"url": REPOSITORY} if REPOSITORY else {}),
    }
    lines = [f"  {name:7} = {{{value}}}," for name, value in fields.items()]
    return "\n".join(["@software{rankproof,", *lines, "}"])


def sentence(signature: Signature, *, latex: bool = False) -> str:
    """Return what was computed, by which program, and the signature that reproduces it."""
    version = signature.version
    program = (
        f"rankproof {version}" if signature.by == REFERENCE else f"{signature.by}, as observed by rankproof {version}"
    )
    words = in_words(signature.conventions, signature.measure, without=signature.open)
    undetermined = f"; {', '.join(signature.open)} undetermined" if signature.open else ""
    text = f"{signature.measure} is computed by {program} ({words}{undetermined}); signature: {signature}"
    return f"{in_latex(text)}~\\cite{{rankproof}}." if latex else f"{text}."


def in_latex(text: str) -> str:
    r"""Return a text with the commands of LaTeX escaped.

    >>> in_latex("2^rel_1 & 50%")
    '2\\^{}rel\\_1 \\& 50\\%'
    """
    return text.translate(LATEX)
