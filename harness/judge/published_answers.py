"""What the published run has of a library, answer by answer: one that is just so today need not be asked for a second time.

The published run asked everything twice. What the same version of a library, on what it stood on then and by the same adapter, answers to
the same input in just the same way was so asked for three times; whatever differs from it is asked again.

The results lie in the checkout, and not in the wheel: where there are none, everything is asked twice.
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
"""So many cases are asked sooner than it is known what was published."""
REPORTS = Path(reports.__file__).resolve().parent

Place = tuple[str, str, str]
"""Case, variant and measure."""
Values = Mapping[str | None, Reading]
"""By query, and under None over all: a value, or the text of an error."""


def published_before(
    cases: Sequence[Case], folder: Path = REPORTS
) -> Callable[[str, Installation], Seen | None] | None:
    """What looks up what was published of a library: nothing where it was another version, adapter or corpus.

    Without it, all is asked twice; so it is of a few cases, which takes less time than to look what was published of them.
    """
    return partial(_looked_up, folder) if len(cases) > FEW else None


def _looked_up(folder: Path, adapter: str, who: Installation) -> Seen | None:
    path = results_file.file_of(folder, who.library)
    if not path.is_file():
        return None
    try:
        found = results_file.load(path)
    except (OSError, ValueError):
        return None  # it can vouch for nothing
    if len(found.asked) != 1 or found.header.get("adapter") != adapter or not _is_of(found.asked[0], who):
        return None
    cases = _asked_then(found)
    return None if cases is None else partial(_was_published, cases, values_of(found))


def _is_of(published: Installation, who: Installation) -> bool:
    """Whether it is the same library on the same packages, asked in the same way; whichever interpreter runs it."""
    return (published.version, published.dependencies, published.notes) == (who.version, who.dependencies, who.notes)


def _asked_then(found: RunResults) -> Mapping[str, Case] | None:
    """The cases that were asked, if none of them is another one today."""
    questions = found.header["questions"]
    cases = [case for case in corpus.load_all() if case.id in questions]
    return {case.id: case for case in cases} if corpus_of(cases) == found.header.get("corpus") else None


def values_of(found: RunResults) -> Mapping[Place, Values]:
    """What each answer was, of those that were the same the second time."""
    values: dict[Place, dict[str | None, Reading]] = defaultdict(dict)
    for row in found.rows:
        said = row.error if row.error is not None else row.value
        if said is not None and row.error != Verdict.UNSTABLE:
            values[row.case, row.variant, row.measure][row.query] = said
    return values


def _was_published(
    cases: Mapping[str, Case],
    values: Mapping[Place, Values],
    case: Case,
    variant: str,
    measure: str,
    said: Mapping[str, Any],
) -> bool:
    """Whether a variant answered just so, by these cases and values of the published run."""
    then, known = cases.get(case.id), values.get((case.id, variant, measure))
    if then is None or known is None or then.input != case.input or "again" in said:
        return False
    answer = read(case.id, Subject(""), measure, said).answer
    if isinstance(answer, Failure):
        return answer.kind == Verdict.ERROR and known == {None: answer.text}
    queries = () if case.undefined else tuple(str(query) for query in case.queries)
    return answer is not None and _alike(dict(readings(answer, queries)), known)


def _alike(told: Values, known: Values) -> bool:
    """Whether they are the very same, but for queries of which nobody says anything."""
    mine, theirs = ({query: v for query, v in values.items() if v != ABSENT} for values in (told, known))
    return mine.keys() == theirs.keys() and all(identical(mine[query], theirs[query]) for query in mine)
