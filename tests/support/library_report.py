"""The lines about libraries at the end of pytest's report."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from rankproof.judge.verdicts import FAILS, NOT_JUDGED, Row, Verdict

SUMMARY, DISAGREEMENTS = "library summary", "library disagreements"
"""The properties of a test report."""


def summary(library: str, rows: Sequence[Row]) -> str:
    """Return how many values of a library agree with the reference, in one line."""
    counts = Counter(row.verdict for row in rows)
    judged = sum(count for verdict, count in counts.items() if verdict not in NOT_JUDGED)
    if not judged:
        return f"{library}: not run ({next((row.note for row in rows if row.note), 'nothing was judged')})"
    fails = sum(counts[verdict] for verdict in FAILS)
    version = next(row.version for row in rows if row.version)
    return (
        f"{library} {version}: {judged:,} values, {counts[Verdict.AGREES]:,} standard, {counts[Verdict.CONVENTION]:,} by another"
        f" convention, {counts[Verdict.KNOWN]:,} known exceptions, {fails:,} not as claimed"
    )


def disagreements(rows: Iterable[Row]) -> list[str]:
    """Return the values of a library that differ from `standard`, one a line."""
    return [
        f"{row.library}/{row.variant} {row.case} {row.measure} {row.query or 'mean'}: {row.observed}, standard"
        f" {row.expected} ({' '.join(row.conventions) or row.verdict})"
        for row in rows
        if row.verdict is not Verdict.AGREES and row.verdict not in NOT_JUDGED
    ]


def write(reporter: Any) -> None:
    """Write the lines about all libraries, from the properties of the tests."""
    properties = [
        dict(report.user_properties)
        for reports in reporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "call"
    ]
    of_libraries = sorted((each for each in properties if SUMMARY in each), key=lambda each: each[SUMMARY])
    if of_libraries:
        reporter.section("libraries")
    for one_library in of_libraries:
        reporter.write_line(one_library[SUMMARY])
        for line in one_library.get(DISAGREEMENTS, ()):
            reporter.write_line(f"  {line}")
