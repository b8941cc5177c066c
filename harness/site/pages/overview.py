"""The overview: the disagreements that lead, and who chooses what."""

from collections.abc import Mapping
from typing import Any

from rankproof.matching.reference_answers import Oracle
from rankproof.reference_impl.conventions import AXES
from rankproof.site.lines import number_line
from rankproof.site.page_sources import STAGES, VERDICTS, Choice, Told, choices


def index(told: Told) -> Mapping[str, Any]:
    """The disagreements that lead, and the table of libraries by axes."""
    report = told.report
    leading = report.headlines or report.disagreements[:8]
    headlines = [
        (d, number_line(report, d.case, Oracle(d.case.input), d.measure, report.by_question[d.case.id, d.measure]))
        for d in leading
    ]
    groups = [(library, [v for v in told.variants if v[0] == library]) for library in told.library_names]
    return {
        "report": report,
        "headlines": headlines,
        "questions": len(report.by_question),
        "divided": len(report.disagreements),
        "stages": _stages(told),
        "groups": [(library, variants) for library, variants in groups if variants],
        "variants": told.variants,
        "names": told.names,
        "known_cases": told.known_cases,
        "verdicts": VERDICTS,
    }


def _stages(told: Told) -> list[tuple[str, list[tuple[str, list[list[Choice]]]]]]:
    """Stage by stage, the axes on which anyone has a finding, those first that divide most."""
    stages = []
    for stage, title in STAGES.items():
        lines = []
        for axis in told.axes:
            found = told.findings.by_axis[axis]
            if AXES[axis].stage == stage and found:
                lines.append((axis, [_decided(choices(found.get(variant, ()))) for variant in told.variants]))
        lines.sort(key=lambda line: -sum(any(c.value and not c.standard for c in cell) for cell in line[1]))
        stages.append((title, lines))
    return stages


def _decided(cell: list[Choice]) -> list[Choice]:
    """The values that are decided for some measure; only where none is, that none is."""
    return [choice for choice in cell if choice.value is not None] or cell
