"""Known exceptions of libraries: data on which a library may give another value than its profile.

The sheet of a library lists each exception with its reason and the condition on the data. `evaluate` and `explain`
report the exceptions whose condition the data meets.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from rankproof.evaluate.library_profiles import subject_named
from rankproof.evaluate.result import Met
from rankproof.grouping import grouped
from rankproof.inference.data_conditions import RowsByQuery, queries_meeting
from rankproof.inference.signatures import REFERENCE, Signature
from rankproof.measure_facts import fixed_by_parameters
from rankproof.measure_forms import key_of
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.profiles import PROFILES, UnknownProfile
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.workers.sheets import Known, ObservationPlace, Sheet, load, sheet_path

OF_PROGRAMS = {"trec_eval-9": "trec_eval"}
"""Profiles of programs that share the exceptions of a library. Version 10 was not observed on such data."""
OF_ALL = 3
"""An exception of at least this many measures is assumed for all measures."""
Rows = tuple[Mapping[str, Sequence[Judgment]], Mapping[str, Sequence[QueryRow]], Sequence[str]]
"""The judgments and the rows of each query, and the queries whose rows are separated."""


def exceptions_of(tasks: Mapping[str, Signature], rows: Callable[[], Rows]) -> dict[str, tuple[Met, ...]]:
    """Return, by measure, the exceptions of the used library that the data meets; `rows` returns the data if needed."""
    names = {name: _whose(task) for name, task in tasks.items()}
    of_libraries = {name: task for name, task in tasks.items() if _exceptions_about(names[name], task.measure)}
    if not of_libraries:
        return {}
    data = RowsByQuery(*rows())
    met = {name: met_by(data, task.measure, [names[name]]) for name, task in of_libraries.items()}
    return {name: exceptions for name, exceptions in met.items() if exceptions}


def _whose(task: Signature) -> str:
    """Return the library of a signature, or the program profile with the same conventions."""
    profiles = (
        name for name in OF_PROGRAMS if Signature.of(task.measure, PROFILES[name]).conventions == task.conventions
    )
    return next(profiles, task.by) if task.by == REFERENCE else task.by


def met_by(data: RowsByQuery, measure: Measure, names: Iterable[str]) -> tuple[Met, ...]:
    """Return the exceptions of these profiles that concern the measure and whose condition the data meets."""
    about = [(name, known) for name in names for known in _exceptions_about(name, measure)]
    queries = queries_meeting((known.touches for _, known in about), data, measure)
    met = ((name, known, queries[known.touches]) for name, known in about)
    return tuple(Met(name, known.reason, known.link, having) for name, known, having in met if having)


def computes_in_float32(name: str, measure: Measure) -> bool:
    """Return whether the sheet of a library says that its values are float32."""
    variant, sheet = _sheet_of(name)
    return sheet is not None and sheet.precision_of(variant, measure) == "float32"


def _sheet_of(name: str) -> tuple[str, Sheet | None]:
    """Return the variant and the sheet of a library, ignoring changes after its name; None for anything else."""
    first = name.strip().partition(" ")[0]
    first = OF_PROGRAMS.get(first, first)
    if first in PROFILES or first == REFERENCE or "=" in first:
        return "", None
    try:
        subject = subject_named(first)
    except UnknownProfile:
        return "", None
    path = sheet_path(subject.library)
    return subject.variant, load(path) if path.is_file() else None


def _exceptions_about(name: str, measure: Measure) -> list[Known]:
    """Return the known exceptions of a library that concern a measure."""
    variant, sheet = _sheet_of(name)
    if sheet is None:
        return []
    pins = [pin for pin in sheet.pins.values() if pin.place.variant == variant]
    seen = grouped((pin.known, pin.place) for pin in pins if pin.place.query is None)
    forms = {(variant, "*"), (variant, key_of(measure))}
    stated = [pin.known for pin in sheet.conditions if (pin.variant, pin.form) in forms]
    return [*stated, *(known for known, places in seen.items() if _is_about(measure, places))]


def _is_about(measure: Measure, places: Sequence[ObservationPlace]) -> bool:
    measures = {parse(place.measure) for place in places}
    of_rankings = {other.name for other in measures if not other.of_labels}
    own = fixed_by_parameters(measure)
    same = (other for other in measures if other.name == measure.name)
    return len(of_rankings) >= OF_ALL or own in map(fixed_by_parameters, same)
