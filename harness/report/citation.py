"""Citations: the BibTeX entry of rankproof, and a sentence for papers that describes a computed measure."""

from rankproof.inference.signatures import REFERENCE, Signature
from rankproof.inference.words import in_words
from rankproof.version import REPOSITORY, VERSION, YEAR

LATEX = str.maketrans({"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", **{c: f"\\{c}" for c in "{}&%$#_"}})
"""Special characters of LaTeX and their escapes."""


def bibtex() -> str:
    """Return the BibTeX entry of rankproof."""
    url = [f"  url     = {{{REPOSITORY}}},"] if REPOSITORY else []
    lines = [
        "@software{rankproof,",
        "  title   = {{rankproof}: the conformance suite of ranking measures},",
        "  author  = {{the rankproof authors}},",
        f"  version = {{{VERSION}}},",
        f"  year    = {{{YEAR}}},",
    ]
    return "\n".join([*lines, *url, "}"])


def sentence(signature: Signature, *, latex: bool = False) -> str:
    """Return a sentence with the measure, the program and the signature of a computation, escaped if `latex`."""
    version = f"rankproof {signature.version}"
    program = version if signature.by == REFERENCE else f"{signature.by}, as observed by {version}"
    words = in_words(signature.conventions, signature.measure, without=signature.open)
    undetermined = f"; {', '.join(signature.open)} undetermined" if signature.open else ""
    text = f"{signature.measure} is computed by {program} ({words}{undetermined}); signature: {signature}"
    return f"{text.translate(LATEX)}~\\cite{{rankproof}}." if latex else f"{text}."
