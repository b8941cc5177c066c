"""A library with chosen observations, in place of a library that runs."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from places import ROOT

from rankproof import cases as corpus
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import read
from rankproof.workers.rounds import LibraryAnswers
from rankproof.workers.sheets import load

CASES = tuple(corpus.load(corpus.HERE / "ties" / f"{name}.toml") for name in ("none-tied", "straddles-cutoff"))
SHEET = replace(load(ROOT / "tests" / "miniatures" / "miniatures.toml"), library="lib")
HELLO = {
    "version": "1",
    "python": "3.11.7",
    "variants": {"v": "as it is", "w": "otherwise"},
    "absent": {"x": "no such module"},
    "dependencies": {"numpy": "2"},
    "notes": {"module": "a copy"},
}
ANSWERS: Mapping[tuple[str, str, str], dict[str, Any]] = {
    ("ties/none-tied", "v", "RR"): {"per_query": {"q1": 1.0}, "mean": 1.0},
    ("ties/none-tied", "v", "AP"): {"per_query": None, "mean": "nan"},
    ("ties/straddles-cutoff", "v", "P@2"): {"per_query": {"q1": "inf"}, "mean": None},
    ("ties/none-tied", "w", "RR"): {"unsupported": "lib has no RR"},
    ("ties/none-tied", "w", "AP"): {"failed": "crash", "message": "it ended", "stderr": "no"},
    ("ties/straddles-cutoff", "w", "P@2"): {"error": {"type": "ValueError", "message": "\ud800"}},
}
"""Case, variant and measure -> the reply of a worker."""


def library(name: str = "lib", **changes: Any) -> Library:
    """Return a library whose sheet claims nothing about its variants."""
    return replace(Library(name, Path(f"{name}_adapter.py"), replace(SHEET, library=name)), **changes)


def answers_of(
    answers: Mapping[tuple[str, str, str], dict[str, Any]], hello: Mapping[str, Any] = HELLO, **how: Any
) -> LibraryAnswers:
    """Return the observations of a library with these replies."""
    own = LibraryAnswers(library(**how), dict(hello), (), library_seconds=2.5, key="k", adapter="a digest")
    seen = tuple(read(case, own.subject(variant), measure, raw) for (case, variant, measure), raw in answers.items())
    return replace(own, observations=seen)
