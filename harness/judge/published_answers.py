"""Published values of libraries, which make a second test of the same value unnecessary.

Each test runs twice, to find unstable values. The second run is left out if the first returns the published value,
with the same version, packages and adapter. The checkout has the published results, the wheel does not.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rankproof import cases as corpus
from rankproof import reports
from rankproof.cases import Case
from rankproof.judge import results_file
from rankproof.judge.results_file import RunResults
from rankproof.judge.runs import corpus_of
from rankproof.judge.verdicts import Verdict
from rankproof.workers.observations import ABSENT, Failure, Reading, identical, read, readings
from rankproof.workers.rounds import Seen
from rankproof.workers.subjects import Installation, Subject

FEW = 20
"""The largest number of cases that run faster than published results load."""
REPORTS = Path(reports.__file__).resolve().parent

Place = tuple[str, str, str]
"""Case, variant and measure."""
Values = Mapping[str | None, Reading]
"""Values or texts of errors by query; None is the mean."""


def published_before(
    cases: Sequence[Case], folder: Path = REPORTS
) -> Callable[[str, Installation], Seen | None] | None:
    """Return a function that looks up the published values of a library, or None if there are few cases.

    The function takes the digest of the adapter and the installation. It returns None if these or the corpus changed.
    """
    return partial(_lookup, folder) if len(cases) > FEW else None


def _lookup(folder: Path, adapter: str, here: Installation) -> Seen | None:
    path = results_file.file_of(folder, here.library)
    if not path.is_file():
        return None
    try:
        results = results_file.load(path)
    except (OSError, ValueError):
        return None
    (then, *others), questions = results.installations, results.header["questions"]
    same_library = (then.version, then.dependencies, then.notes) == (here.version, here.dependencies, here.notes)
    cases = [case for case in corpus.load_all() if case.id in questions]
    same_corpus = corpus_of(cases) == results.header.get("corpus")
    if others or not same_library or not same_corpus or results.header.get("adapter") != adapter:
        return None
    return partial(_was_published, {case.id: case for case in cases}, values_of(results))


def values_of(results: RunResults) -> Mapping[Place, Values]:
    """Return the values by case, variant and measure, without unstable ones."""
    values: dict[Place, dict[str | None, Reading]] = defaultdict(dict)
    for row in results.rows:
        value = row.error if row.error is not None else row.value
        if value is not None and row.error != Verdict.UNSTABLE:
            values[row.case, row.variant, row.measure][row.query] = value
    return values


def _was_published(
    cases: Mapping[str, Case],
    values: Mapping[Place, Values],
    case: Case,
    variant: str,
    measure: str,
    raw: Mapping[str, Any],
) -> bool:
    """Return whether a variant returned exactly the published values."""
    then, known = cases.get(case.id), values.get((case.id, variant, measure))
    if then is None or known is None or then.input != case.input or "again" in raw:
        return False
    answer = read(case.id, Subject(""), measure, raw).answer
    if answer is None or isinstance(answer, Failure):
        return answer is not None and answer.kind == Verdict.ERROR and known == {None: answer.text}
    queries = () if case.undefined else tuple(map(str, case.queries))
    now, before = (
        {query: value for query, value in some.items() if value != ABSENT}
        for some in (dict(readings(answer, queries)), known)
    )
    return now.keys() == before.keys() and all(identical(now[query], before[query]) for query in now)
