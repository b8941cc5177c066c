"""The pages of a report: one that leads with disagreement, and one for each topic, all of them short enough for a code host to show."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from rankproof.files import publish
from rankproof.judge.verdicts import FAILS, Verdict
from rankproof.report.run_report import Disagreement, Report, environment

TOPICS = "disagreements"
"""The folder of the pages of single topics."""
LONGEST = 60_000
"""How many bytes of disagreements one page has; code hosts cut off what has half a million."""
WRITTEN = "Written by `rankproof run`; do not edit."


def pages(report: Report, head: str) -> dict[str, str]:
    """Every page of a report by its path, the one that leads first.

    Args:
        report: what to tell.
        head: the name of the page that leads.
    """
    topics = list(_topics(report))
    named = {
        "fingerprints.md": (
            "fingerprint_page",
            "Which conventions each library follows",
            "proved, each with its witness.",
        ),
        "conventions.md": (
            "conventions",
            "Which convention moves which number",
            "who follows it, and how far it moves a number.",
        ),
        "exceptions.md": ("exceptions", "Known exceptions", "what no convention explains, with the reason."),
        "versions.md": ("versions", "Versions", "what was asked, and on what it stands."),
    }
    if not report.fingerprints:
        del named["fingerprints.md"]
    listed = [(path, title, says) for path, (_, title, says) in named.items()]
    numbered = [(path, title, len(rows)) for path, title, rows in topics]
    found = {head: _rendered("report", report, head, pages=listed, topics=numbered)}
    found |= {path: _rendered(template, report, head) for path, (template, *_) in named.items()}
    found |= {path: _rendered("topic", report, head, title=title, rows=rows) for path, title, rows in topics}
    return found


def _topics(report: Report) -> Iterator[tuple[str, str, Sequence[Disagreement]]]:
    """The path and title of each page of disagreements, and what is on it; a long topic has several pages."""
    says = environment().get_template("says.md.j2").module.says  # type: ignore[attr-defined]
    for topic, disagreements in report.topics.items():
        parts: list[list[Disagreement]] = [[]]
        room = LONGEST
        for one in disagreements:
            size = len(str(says(one.sayings, "; ")).encode()) + len(one.case.id) + len(one.measure)
            if size > room and parts[-1]:
                parts.append([])
                room = LONGEST
            parts[-1].append(one)
            room -= size
        for number, rows in enumerate(parts, start=1):
            which, of = ("", "") if len(parts) == 1 else (f"-{number}", f", {number} of {len(parts)}")
            yield f"{TOPICS}/{topic}{which}.md", f"{topic}{of}", rows


def _rendered(template: str, report: Report, head: str, **more: object) -> str:
    page = environment().get_template(f"{template}.md.j2")
    return page.render(report=report, head=head, Verdict=Verdict, FAILS=FAILS, WRITTEN=WRITTEN, **more)


def write(report: Report, folder: Path, head: str) -> frozenset[str]:
    """Write all pages into a folder; pages of topics that are there no more go. The names of those that are there."""
    found = pages(report, head)
    for path, text in found.items():
        publish(folder / path, text)
    remove_others(folder, found)
    return frozenset(found)


def standing(report: Report, folder: Path, head: str) -> frozenset[str] | None:
    """The names of all pages of a report, if a folder has them as they would be written today."""
    found = pages(report, head)
    return frozenset(found) if all(_text_of(folder / path) == text for path, text in found.items()) else None


def _text_of(page: Path) -> str | None:
    try:
        return page.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def remove_others(folder: Path, names: Collection[str]) -> None:
    """Remove the pages of topics other than these."""
    for page in (folder / TOPICS).glob("*.md"):
        if page.relative_to(folder).as_posix() not in names and WRITTEN in page.read_text(encoding="utf-8"):
            page.unlink()
