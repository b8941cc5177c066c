"""Text on a page: ids and error messages come from anywhere, and are shown, never obeyed."""

import hashlib
import re
import unicodedata

from markupsafe import Markup, escape

from rankproof.text import printable_lines

LONG = 80
"""Longer than this, an id is shown by its two ends."""
LONGEST = 160
"""Longer than this, an error message is."""
_PLAIN = re.compile(r"[\x20-\x7e]*")
"""Text that has one direction, and nothing to write out."""
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def shown(value: object) -> object:
    r"""What a template puts on a page, at the last door: text whose control characters and marks of direction are written out.

    >>> shown("a\x1b[2J"), shown(3), shown(Markup("<b>"))
    ('a\\x1b[2J', 3, Markup('<b>'))
    """
    if isinstance(value, str) and not isinstance(value, Markup) and not value.isprintable():
        return printable_lines(value)
    return value


def visible(text: object) -> Markup:
    r"""Text with its control characters, marks of direction and lone surrogates written out, kept apart from the direction around it.

    >>> print(visible("a < b"), visible('<b>\u202ea'))
    a &lt; b <bdi>&lt;b&gt;<i class="code">\u202e</i>a</bdi>
    """
    if _PLAIN.fullmatch(str(text)):
        return escape(text)
    parts = (
        Markup('<i class="code">{}</i>').format(c.encode("unicode_escape").decode())
        if unicodedata.category(c) in _INVISIBLE
        else escape(c)
        for c in str(text)
    )
    return Markup("<bdi>{}</bdi>").format(Markup().join(parts))


def ident(text: object, longest: int = LONG) -> Markup:
    """An id in a line: its two ends, if it is long.

    >>> print(ident("d" * 10_000, 10))
    ddddddd<span class="cut">… 10,000 characters …</span>ddd
    """
    whole = str(text)
    if len(whole) <= longest:
        return visible(whole)
    tail = longest // 3
    cut = Markup('<span class="cut">… {:,} characters …</span>').format(len(whole))
    return visible(whole[: longest - tail]) + cut + visible(whole[-tail:])


def whole(text: object) -> Markup:
    """An id where it is at home: its two ends, and all of it for who asks."""
    if len(str(text)) <= LONG:
        return visible(text)
    inside = Markup('<div tabindex="0" role="group" aria-label="The whole id">{}</div>').format(visible(text))
    return Markup('<details class="long"><summary>{}</summary>{}</details>').format(ident(text), inside)


def message(text: object) -> Markup:
    """An error message: one line, its two ends if it is long."""
    return ident(" ".join(str(text).split()), LONGEST)


def sentence(text: str) -> str:
    """A question as a heading: with a capital, unless its first word is a name that is written small.

    >>> sentence("tied docs stand by docid"), sentence("nDCG is 1"), sentence("doc_2 stays first")
    ('Tied docs stand by docid', 'nDCG is 1', 'doc_2 stays first')
    """
    first = text.split(maxsplit=1)[0] if text.split() else ""
    return text[:1].upper() + text[1:] if re.fullmatch(r"[a-z]+[-’',]?[a-z]*,?", first) else text


def coded(text: str) -> Markup:
    """Text in which what stands between backticks is code.

    >>> print(coded("1 by `first` < 2"))
    1 by <code>first</code> &lt; 2
    """
    parts = enumerate(text.split("`"))
    return Markup().join(Markup("<code>{}</code>").format(part) if nth % 2 else escape(part) for nth, part in parts)


def slug(name: str) -> str:
    """A name as a part of a path: itself if it is harmless, else a digest of it.

    >>> slug("ties"), slug("../x"), slug("my lib"), slug("a/../x")
    ('ties', 'x-d6b96a97', 'x-4c0e2565', 'x-7df019ee')
    """
    if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,80}", name):
        return name
    return "x-" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def case_page(case: str) -> str:
    """Where the page of a case lies."""
    return "cases/" + "/".join(slug(part) for part in case.split("/")) + ".html"


def library_page(library: str) -> str:
    """Where the page of a library lies."""
    return f"libraries/{slug(library)}.html"


def axis_page(axis: str) -> str:
    """Where the page of an axis lies."""
    return f"axes/{slug(axis)}.html"


def measure_page(measure: str) -> str:
    """Where the page of a measure lies."""
    return f"measures/{slug(measure)}.html"


def form_slug(key: str) -> str:
    """A form of a measure as a name of a file.

    >>> form_slug("nDCG(dcg='exp-log2')@k"), form_slug("P@k")
    ('nDCG-dcg-exp-log2-k', 'P-k')
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", key).strip("-")


def compare_page(key: str, *, first: bool) -> str:
    """Where libraries are compared two by two for a form of a measure."""
    return "compare.html" if first else f"compare/{form_slug(key)}.html"
