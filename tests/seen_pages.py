"""What is seen of a page, as one text: words, where links lead, and what folds, rows and lines there are."""

import html
import re
from collections.abc import Iterable, Sequence

from rankproof.site import page_text

SIGNS = {
    "tr": "¶",
    "td": "|",
    "th": "|",
    "li": "•",
    "dt": "•",
    "dd": ":",
    "details": "[",
    "/details": "]",
    "option": "•",
}
LOOKS = {"v0", "v1", "open", "std", "tag-std", "x", "same", "taken", "z", "none", *"ackfunw"}
"""The classes that a reader tells apart."""


def seen(part: str) -> str:
    """A part of a page, without spaces, of which tags leave more or fewer."""
    places: list[str] = []

    def sign(tag: re.Match[str]) -> str:
        name, said = tag[1], {key: quoted or bare for key, quoted, bare in ATTRIBUTE.findall(tag[2])}
        if name == "a":
            places.append(said.get("href", ""))
        looks = [f"({look})" for look in said.get("class", "").split() if look in LOOKS]
        told = [f"({key})" for key in ("open", "aria-current") if f" {key}" in tag[2]]
        named = [f"#{said['id']}" if "id" in said else "", f"{{{said['aria-label']}}}" if "aria-label" in said else ""]
        return "".join([SIGNS.get(name, ""), *looks, *told, *named, f"→{places.pop()} " if name == "/a" else ""])

    return squeezed(re.sub(r"<(/?\w+)([^>]*)>", sign, part))


ATTRIBUTE = re.compile(r"([\w-]+)=(?:\"([^\"]*)\"|([^ >\"]+))")


def squeezed(text: str) -> str:
    return "".join(html.unescape(text).split())


def main_of(page: str) -> list[str]:
    """What is seen of the sections of a page, and that each is called by a heading of its own."""
    titles = re.findall(r" aria-labelledby=\"?([\w.-]+)", page)
    assert {*titles} <= {*re.findall(r" id=\"?([\w.-]+)", page)}
    main = page.partition("<main id=main>")[2].partition("</main>")[0]
    return [seen(part) for part in re.split(r"(?=<section|<nav class=toc)", main)]


def head_of(page: str) -> tuple[str, str]:
    """The title of a page, and what it says of itself to who searches."""
    found = re.search(r"<title>(.*?) · rankproof</title>.*?<meta name=description content=\"(.*?)\">", page, re.DOTALL)
    assert found is not None
    return squeezed(found[1]), squeezed(found[2])


# -- what is expected ---------------------------------------------------------------------------------------------------


def without_spaces(*texts: object) -> str:
    return "".join("".join(map(str, texts)).split())


def ident(text: object, longest: int = 80) -> str:
    """A name as it is shown: its two ends, if it is long."""
    whole = str(page_text.shown(text))
    if len(whole) <= longest:
        return whole
    tail = longest // 3
    return f"{whole[: longest - tail]}… {len(whole):,} characters …{whole[-tail:]}"


def message(text: object) -> str:
    """What somebody said, as one line."""
    return ident(" ".join(str(text).split()), 160)


def link(shown: str, place: str) -> str:
    return f"{shown}→{place} "


def case_link(case: str, known: Iterable[str]) -> str:
    """A case, which is linked where it has a page."""
    return link(case, f"../{page_text.case_page(case)}") if case in known else case


def folded(items: Sequence[str], limit: int, between: str, noun: str = "more") -> str:
    """The first of them, and the others in a fold that counts them."""
    rest = items[limit:]
    return between.join(items[:limit]) + (f"[{len(rest)} {noun}{between.join(rest)}]" if rest else "")


def some(items: Sequence[str], limit: int) -> str:
    """The first of them, and how many more there are."""
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
