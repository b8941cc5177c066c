"""Template environment, filters, and paths of pages.

Ids and error messages are untrusted: they are escaped, control characters are written out, and names become safe paths.
"""

import hashlib
import json
import re
import unicodedata
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from rankproof.text import printable_lines

if TYPE_CHECKING:
    import jinja2

HERE = Path(__file__).resolve().parent
LONG = 80
"""Maximum length of an id; longer ids are cut in the middle."""
LONGEST = 160
"""Maximum length of an error message; longer messages are cut in the middle."""
_PLAIN = re.compile(r"[\x20-\x7e]*")
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@cache
def environment() -> "jinja2.Environment":
    """Return the template environment, which escapes everything."""
    import jinja2

    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=without_controls,
    )
    templates.filters |= {function.__name__: function for function in (visible, ident, message, sentence, coded, slug)}
    templates.filters |= {"case_page": case_page, "library_page": library_page, "axis_page": axis_page}
    templates.filters |= {"measure_page": measure_page}
    return templates


def without_controls(value: object) -> object:
    r"""Write out control characters and direction marks in text; return other values unchanged.

    >>> without_controls("a\x1b[2J"), without_controls(3), without_controls(Markup("<b>"))
    ('a\\x1b[2J', 3, Markup('<b>'))
    """
    if isinstance(value, str) and not isinstance(value, Markup) and not value.isprintable():
        return printable_lines(value)
    return value


def visible(text: object) -> Markup:
    r"""Write out invisible characters in text, and isolate its writing direction.

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
    """Return an id on one line; cut a long id in the middle.

    >>> print(ident("d" * 10_000, 10))
    ddddddd<span class="cut">… 10,000 characters …</span>ddd
    """
    text = str(text)
    if len(text) <= longest:
        return visible(text)
    tail = longest // 3
    cut = Markup('<span class="cut">… {:,} characters …</span>').format(len(text))
    return visible(text[: longest - tail]) + cut + visible(text[-tail:])


def message(text: object) -> Markup:
    """Return an error message on one line; cut a long message in the middle."""
    return ident(" ".join(str(text).split()), LONGEST)


def sentence(text: str) -> str:
    """Capitalize a question for a heading, unless its first word is a name.

    >>> sentence("tied documents rank by id"), sentence("nDCG is 1"), sentence("doc_2 stays first")
    ('Tied documents rank by id', 'nDCG is 1', 'doc_2 stays first')
    """
    first = text.split(maxsplit=1)[0] if text.split() else ""
    return text[:1].upper() + text[1:] if re.fullmatch(r"[a-z]+[-’',]?[a-z]*,?", first) else text


def coded(text: str) -> Markup:
    """Format parts of text between backticks as code.

    >>> print(coded("1 by `first` < 2"))
    1 by <code>first</code> &lt; 2
    """
    parts = enumerate(text.split("`"))
    return Markup().join(Markup("<code>{}</code>").format(part) if at % 2 else escape(part) for at, part in parts)


def script_json(value: object) -> Markup:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))  # noqa: S704 - escaped


def slug(name: str) -> str:
    """Return a name as a part of a path: unchanged if it is safe, otherwise a digest.

    >>> slug("ties"), slug("../x"), slug("my lib"), slug("a/../x")
    ('ties', 'x-d6b96a97', 'x-4c0e2565', 'x-7df019ee')
    """
    if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,80}", name):
        return name
    return "x-" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _page_of(folder: str, name: str) -> str:
    return f"{folder}/{'/'.join(map(slug, name.split('/')))}.html"


case_page = partial(_page_of, "cases")
library_page = partial(_page_of, "libraries")
axis_page = partial(_page_of, "axes")
measure_page = partial(_page_of, "measures")


def form_slug(key: str) -> str:
    """Return the file name of a form of a measure.

    >>> form_slug("nDCG(dcg='exp-log2')@k"), form_slug("P@k")
    ('nDCG-dcg-exp-log2-k', 'P-k')
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", key).strip("-")
