"""How rankproof is cited, and the sentence by which a paper says what was computed."""

from rankproof.inference.signatures import REFERENCE, Signature
from rankproof.inference.words import in_words
from rankproof.version import REPOSITORY, VERSION, YEAR

LATEX = str.maketrans({"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", **{c: f"\\{c}" for c in "{}&%$#_"}})
"""What LaTeX would take for a command, and how it is written."""


def bibtex(version: str = VERSION) -> str:
    """The entry of a bibliography."""
    fields = {
        "title": "{rankproof}: the conformance suite of ranking measures",
        "author": "{the rankproof authors}",
        "version": version,
        "year": str(YEAR),
        **({"url": REPOSITORY} if REPOSITORY else {}),
    }
    lines = [f"  {name:7} = {{{value}}}," for name, value in fields.items()]
    return "\n".join(["@software{rankproof,", *lines, "}"])


def sentence(one: Signature) -> str:
    """What was computed, by whom, and the signature by which anybody computes the same; what is open is said to be."""
    whom = f"rankproof {one.version}" if one.by == REFERENCE else f"{one.by}, as rankproof {one.version} found it"
    words = in_words(one.conventions, one.measure, without=one.open)
    still = f"; {', '.join(one.open)} undetermined" if one.open else ""
    return f"{one.measure} is computed by {whom} ({words}{still}); signature: {one}."


def in_latex(text: str) -> str:
    r"""A text, with what LaTeX would take for a command escaped.

    >>> in_latex("2^rel_1 & 50%")
    '2\\^{}rel\\_1 \\& 50\\%'
    """
    return text.translate(LATEX)
