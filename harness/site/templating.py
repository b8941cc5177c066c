"""The templates of pages, and what they may call: all that is put on a page is escaped."""

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rankproof.report.library_sentence import alternatives
from rankproof.site import page_text
from rankproof.text import short

if TYPE_CHECKING:
    import jinja2

HERE = Path(__file__).resolve().parent


@cache
def environment() -> "jinja2.Environment":
    """The templates of this room."""
    import jinja2  # noqa: PLC0415 - only pages need it

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=page_text.shown,
    )
    made.filters |= {
        "num": short,
        "visible": page_text.visible,
        "ident": page_text.ident,
        "whole": page_text.whole,
        "message": page_text.message,
        "case_page": page_text.case_page,
        "library_page": page_text.library_page,
        "axis_page": page_text.axis_page,
        "measure_page": page_text.measure_page,
        "slug": page_text.slug,
        "could_as_well": alternatives,
        "script_json": _script_json,
        "sentence": page_text.sentence,
        "coded": page_text.coded,
    }
    return made


def _script_json(value: object) -> str:
    """JSON as a script element may hold it."""
    from markupsafe import Markup  # noqa: PLC0415 - as above

    escaped = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return Markup(escaped.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))  # noqa: S704 - escaped
