"""The corpus as one JSON document that a program in any language can read: `cases/export.schema.json` describes it."""

import json
from collections.abc import Mapping
from typing import Any

from rankproof import cases as corpus
from rankproof.cases.arithmetic import evaluate
from rankproof.inference.input_traits import is_ordinary
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.profiles import PROFILES
from rankproof.version import VERSION

FORMAT = 2
"""The number of the form; it is raised where a program that reads the form before would read this one wrongly. 1 had no number."""


def exported() -> dict[str, Any]:
    """All cases, each with its input in rows and its expected values as numbers; the axes and the profiles, to look names up."""
    return {
        "rankproof": VERSION,
        "format": FORMAT,
        "axes": {
            name: {"question": axis.question, "standard": axis.default, "values": dict(axis.values)}
            for name, axis in AXES.items()
        },
        "profiles": {
            name: {key: conventions.spec() for key, conventions in profile.of.items()}
            for name, profile in PROFILES.items()
        },
        "cases": [case_as_json(case) for case in corpus.load_all()],
    }


def case_as_json(case: corpus.Case) -> dict[str, Any]:
    """One case: what is expected of it as numbers, and beside them the arithmetic that the numbers are the value of."""
    expect = case.expect or {}
    return {
        "id": case.id,
        "question": case.question,
        "why": case.why,
        "source": case.source,
        "tags": list(case.tags),
        "ordinary": is_ordinary(case.input),
        "input": case.input.as_json(),
        "measures": list(case.measures),
        "expect": {
            measure: {spec: as_numbers(values) for spec, values in by_spec.items()}
            for measure, by_spec in expect.items()
        },
        "arithmetic": expect,
    }


def as_numbers(values: Mapping[str, str]) -> dict[str, float | str]:
    """Expected values by query: each the double that is nearest to its arithmetic, or the word that stands in its place.

    >>> as_numbers({"q1": "1/log2(3)", "q2": "absent", "mean": "7/12"})
    {'q1': 0.6309297535714574, 'q2': 'absent', 'mean': 0.5833333333333334}
    """
    return {query: text if text in corpus.SPECIAL else float(evaluate(text)) for query, text in values.items()}


def export_schema() -> dict[str, Any]:
    """The JSON Schema of the document."""
    loaded: dict[str, Any] = json.loads((corpus.HERE / "export.schema.json").read_text(encoding="utf-8"))
    return loaded
