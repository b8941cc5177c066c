"""Results in Python and notebooks: one line for `repr`, text for `print`, HTML, and data frames."""

from collections.abc import Iterator, Mapping
from functools import singledispatch
from html import escape
from typing import Any

from rankproof.check.result import CheckResult
from rankproof.evaluate.result import Result, Results, pandas
from rankproof.explain.explanation import Explanation, ProfileAnswer
from rankproof.explain.lookup import (
    Entry,
    ShownAxis,
    ShownCase,
    ShownLibrary,
    ShownList,
    ShownMeasure,
    ShownProfile,
    ShownSignature,
)
from rankproof.explain.signature_comparison import Compared
from rankproof.inference.equivalent_choices import can_matter
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.shown import shortened
from rankproof.report import check, evaluate, explain, show
from rankproof.text import number_of, printable

LONGEST = 160
"""The maximum length of a `repr`."""
HEIGHT = 520
"""The height of an explanation in a notebook, in pixels."""

Row = Mapping[str, Any]
Shown = Result | Results | Explanation | CheckResult | Entry
"""A result for users."""


def short(result: Shown) -> str:
    """Return a result on one line."""
    match result:
        case Result():
            values = " ".join(f"{measure}={value:.4f}" for measure, value in result.mean.items())
            queries = number_of(len(evaluate.queries_of(result)), "query", "queries")
            warnings = f", {number_of(len(result.warnings), 'warning')}" if result.warnings else ""
            line = f"{values}, {queries}{warnings}"
        case Results():
            line = f"{', '.join(result.measures)} of {number_of(len(result), 'run')}: {', '.join(result)}"
        case Explanation():
            line = explain.headline(result)
        case _:
            line = text_of(result).partition("\n")[0]
    return f"<{type(result).__name__}: {shortened(printable(line), LONGEST)}>"


def text_of(result: Shown) -> str:
    """Return the output of the command line for a result."""
    match result:
        case Result():
            return evaluate.as_text({"": result}, per_query=False).rstrip("\n")
        case Results():
            return evaluate.as_text(result.of, per_query=False).rstrip("\n")
        case Explanation():
            return explain.text_of(result)
        case CheckResult():
            return check.text_of(result)
    return "\n".join(show.text(result))


def html_of(result: Shown) -> str:
    """Return a result as HTML for notebooks: a table of values, the page of an explanation, or text."""
    match result:
        case Result():
            notes = "".join(f"<li>{escape(printable(warning.text))}</li>" for warning in result.warnings)
            return _table({"": result}) + (f"<ul>{notes}</ul>" if notes else "")
        case Results():
            return _table(result.of)
        case Explanation():
            from rankproof.report.site.explanation_page import page

            style = f"width:100%;height:{HEIGHT}px;border:1px solid #8886"
            return f'<iframe srcdoc="{escape(page([result]))}" style="{style}" title="explanation" sandbox=""></iframe>'
    return f"<pre>{escape(text_of(result))}</pre>"


def _table(results: Mapping[str, Result]) -> str:
    (names, measures), *rows = evaluate.table_of(results, per_query=False)
    head = "".join(f"<th>{escape(printable(cell))}</th>" for cell in (*names, *measures))
    body = "".join(
        "<tr>"
        + "".join(f"<th>{escape(printable(name))}</th>" for name in own)
        + "".join(f"<td>{'' if value is None else f'{value:.4f}'}</td>" for value in values)
        + "</tr>"
        for own, values in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def frame_of(result: object) -> Any:  # noqa: ANN401 - pandas is optional
    """Return a result as a data frame, with a row for each tool, convention, form or name.

    Raises:
        ModuleNotFoundError: pandas is not installed.
    """
    return pandas().DataFrame(list(_rows(result)))


@singledispatch
def _rows(result: object) -> Iterator[Row]:
    raise TypeError(f"a {type(result).__name__} has no rows")


@_rows.register
def _of_explanation(result: Explanation) -> Iterator[Row]:
    first = _mean(result.sayings[0])
    for profile in result.sayings:
        mean = _mean(profile)
        difference = None if mean is None or first is None else mean - first
        own = {str(result.measure): mean, "difference": difference, "conventions": profile.conventions.spec()}
        yield from ({"tool": name, **own} for name in profile.names)


def _mean(profile: ProfileAnswer) -> float | None:
    mean = getattr(profile.answers, "mean", None)  # a profile that refuses the data has no mean
    return None if mean is None else to_float(mean)


@_rows.register
def _of_check(result: CheckResult) -> Iterator[Row]:
    differing = {difference.axis: difference.values for difference in result.differences}
    for axis in can_matter(result.measure):
        left = result.undetermined.get(axis)
        values = left or differing.get(axis, (getattr(result.profile, axis),))
        status = "undetermined" if left else "differs from standard" if axis in differing else "as standard"
        yield {"axis": axis, "value": " or ".join(values), "status": status}


@_rows.register
def _of_comparison(result: Compared) -> Iterator[Row]:
    for change in result.changes:
        yield {"axis": change.name, "first": change.a, "second": change.b, "question": change.question}


@_rows.register
def _of_axis(result: ShownAxis) -> Iterator[Row]:
    for own in result.conventions:
        libraries = ", ".join(own.libraries)
        yield {"value": own.value, "meaning": own.meaning, "standard": own.standard, "libraries": libraries}


@_rows.register
def _of_measure(result: ShownMeasure) -> Iterator[Row]:
    for axis, value in result.axes.items():
        yield {"axis": axis, "question": AXES[axis].question, "standard": value}


@_rows.register
def _of_profile(result: ShownProfile) -> Iterator[Row]:
    for form in result.forms:
        conventions = " ".join(f"{axis}={value}" for axis, value in form.conventions.items())
        own = {"conventions": conventions, "undetermined": ", ".join(form.undetermined)}
        yield from ({"profile": result.name, "measure": measure, **own} for measure in form.measures)


@_rows.register
def _of_library(result: ShownLibrary) -> Iterator[Row]:
    for variant in result.variants:
        yield from _of_profile(variant)


@_rows.register
def _of_case(result: ShownCase) -> Iterator[Row]:
    for query, doc, score, *_ in result.case.input.run or ():
        yield {"query": query, "document": doc, "score": score}


@_rows.register
def _of_signature(result: ShownSignature) -> Iterator[Row]:
    for axis in result.axes:
        yield {"axis": axis.name, "value": axis.value, "meaning": axis.meaning, "standard": axis.standard}


@_rows.register
def _of_list(result: ShownList) -> Iterator[Row]:
    yield from ({"kind": kind, "name": name} for kind, names in result.names.items() for name in names)
