"""Self-contained web page of an explanation: its text, and charts of the queries that differ."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from rankproof.explain.explanation import Explanation, ProfileAnswer
from rankproof.grouping import grouped
from rankproof.inference.reference_answers import Answers, Values
from rankproof.reference_impl.exact import to_float
from rankproof.report.explain import id_of, text_of
from rankproof.report.layout import some_names
from rankproof.report.site.rendering import HERE, environment
from rankproof.text import short
from rankproof.version import VERSION

MOST = 100
"""Maximum number of rows of a chart."""

Span = tuple[str, float, float, str]
"""A query, the two ends of its bar, and its values as text."""


def page(explanations: Sequence[Explanation]) -> str:
    """Return a web page of explanations."""
    style = Markup((HERE / "assets" / "site.css").read_text(encoding="utf-8"))  # noqa: S704 - our own file
    sections = [
        {
            "measure": explanation.measure,
            "system": explanation.system,
            "text": text_of(explanation, details=True),
            "charts": charts(explanation),
        }
        for explanation in explanations
    ]
    template = environment().get_template("explanation.html.j2")
    return template.render(sections=sections, style=style, version=VERSION)


def charts(explanation: Explanation) -> list[Mapping[str, Any]]:
    """Return a chart of differing queries for each distinct difference from the first profile, and a chart of ties.

    The ends of a bar are in percent of the width of the chart. The list is empty if no query differs and ties do not
    matter.
    """
    first, *others = explanation.sayings
    base, measure, queries = _per_query(first.answers), explanation.measure, len(explanation.queries)
    differences = grouped((spans, profile) for profile in others if (spans := tuple(_differences(base, profile))))
    drawn = [
        _chart(
            f"{measure} by {_names(profiles)}, minus that by {_names([first])}",
            f"{len(spans)} of {queries} queries differ",
            spans,
        )
        for spans, profiles in sorted(differences.items(), key=lambda item: -len(item[0]))
    ]
    if ties := list(_tie_spans(explanation)):
        title = f"{measure} by standard, from the worst to the best order of tied documents"
        drawn.append(_chart(title, f"ties change {len(ties)} of {queries} queries", ties))
    return drawn


def _chart(title: str, note: str, spans: Sequence[Span]) -> Mapping[str, Any]:
    low = min(0.0, *(min(span[1:3]) for span in spans))
    high = max(0.0, *(max(span[1:3]) for span in spans))
    percent = [
        (query, *(round(100 * (end - low) / (high - low), 1) for end in sorted(ends)), text)
        for query, *ends, text in spans
    ]
    return {"title": title, "note": note, "bars": percent[:MOST], "left_out": len(percent[MOST:])}


def _names(profiles: Sequence[ProfileAnswer]) -> str:
    return some_names([id_of(name) for profile in profiles for name in profile.names])


def _per_query(answers: Answers) -> dict[str, float]:
    values = answers.per_query if isinstance(answers, Values) else {}
    return {query: to_float(value) for query, value in values.items() if value is not None}


def _differences(base: Mapping[str, float], profile: ProfileAnswer) -> Iterator[Span]:
    """Yield the queries whose value differs from the first profile, the largest gain first."""
    values = {q: value for q, value in _per_query(profile.answers).items() if q in base and value != base[q]}
    for query in sorted(values, key=lambda query: base[query] - values[query]):
        yield query, 0.0, values[query] - base[query], f"{short(base[query])} → {short(values[query])}"


def _tie_spans(explanation: Explanation) -> Iterator[Span]:
    """Yield the queries whose value depends on the order of tied documents, the best value first."""
    ends = {end: _per_query(answers) for end, answers in explanation.envelope.ends.items()}
    worst, mean, best = (ends.get(end, {}) for end in ("worst", "expectation", "best"))
    known = [query for query in explanation.envelope.moved or () if query in worst and query in best]
    for query in sorted(known, key=lambda query: (-best[query], -worst[query])):
        text = f"{short(worst[query])} to {short(best[query])}"
        yield query, worst[query], best[query], f"{text}, mean {short(mean[query])}" if query in mean else text
