"""What `evaluate` computes by a library's profile is what the library gives, or a warning says that it may not be: on drawn runs."""

import random
from collections import Counter
from collections.abc import Iterator
from operator import attrgetter

import pytest
from installed_libraries import of_this_interpreter
from row_types import Judged, Scored

import rankproof
from rankproof.cases.inputs import Input
from rankproof.evaluate.known_exceptions import met_by
from rankproof.evaluate.library_profiles import published
from rankproof.evaluate.result import Result
from rankproof.history.installed import python_of
from rankproof.inference.data_conditions import RowsByQuery
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.reference_answers import collection
from rankproof.inference.signatures import parse
from rankproof.measure_forms import cut_at
from rankproof.reference_impl.notation import Measure
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import worker_of
from rankproof.workers.observations import ABSENT, Answered, read
from rankproof.workers.same_answers import same
from rankproof.workers.subjects import Subject, installation

RUNS, MEASURES, SEED = 300, 2, 64
SLOW = {"evaluate": (100, 1), "trectools": (300, 1)}
"""The number of runs of slow libraries, and of measures for each run. A call of evaluate takes a quarter of a second."""
DOCS = [f"d{number:02d}" for number in range(14)]
ODDITIES = (
    "judged twice",
    "retrieved twice",
    "own document",
    "negative",
    "large",
    "missing",
    "extra",
    "ties",
    "unsorted",
)


def drawn(dice: random.Random) -> Input:
    """Three queries; each oddity is in about one run of five."""
    odd = {one for one in ODDITIES if dice.random() < 0.2}
    grades = [0, 0, 1, 1, 2, 3, *([-1, -2] if "negative" in odd else []), *([5, 64, 100] if "large" in odd else [])]
    queries = dice.choice((("1", "2", "3"), ("q1", "q2", "q3")))
    qrels: list[tuple[str, str, int]] = []
    run: list[tuple[str, str, float, int]] = []
    for query in queries:
        own = [query] if "own document" in odd and dice.random() < 0.5 else []
        if "extra" not in odd or query != queries[2]:
            judged = dice.sample(DOCS, dice.randint(2, 7)) + own
            judged += dice.choices(judged, k="judged twice" in odd)
            qrels += [(query, doc, dice.choice(grades)) for doc in judged]
        if "missing" not in odd or query != queries[0]:
            found = dice.sample(DOCS, dice.randint(1, 9)) + own
            found += dice.choices(found, k="retrieved twice" in odd)
            dice.shuffle(found)
            scores = [float(dice.randint(1, 4)) if "ties" in odd else round(dice.uniform(0.5, 20), 2) for _ in found]
            scores = scores if "unsorted" in odd else sorted(scores, reverse=True)
            run += [(query, doc, score, i) for i, (doc, score) in enumerate(zip(found, scores, strict=True), start=1)]
    return Input(tuple(qrels), tuple(run))


def measures_of(forms: list[Fingerprint]) -> list[Measure]:
    """Return the measures of rankings with a fingerprint of the library, at three cutoffs."""
    measures = [(form.key.endswith("@k"), parse(form.signature).measure) for form in forms]
    return [
        cut_at(one, k) for is_cut, one in measures if not one.of_labels for k in ((1, 3, 5) if is_cut else (one.k,))
    ]


def asked(library: Library) -> Iterator[tuple[Subject, Measure, Input, Answered | None]]:
    """Give each run to one variant in turn; None if the library fails."""
    dice = random.Random(f"{SEED} {library.name}")
    with worker_of(library, python_of(library)) as worker:
        about = installation(library.name, worker.hello())
        forms = {one.signed: found for one, found in published().items()}
        ways = {way: measures_of(forms.get(about.subject(way).signed, [])) for way in about.variants}
        ways = {way: measures for way, measures in ways.items() if measures}
        runs, count = SLOW.get(library.name, (RUNS, MEASURES))
        for number in range(runs):
            way = [*ways][number % len(ways)]
            subject, data = about.subject(way), drawn(dice)
            measures = dice.sample(ways[way], min(count, len(ways[way])))
            answers = worker.observe(way, data.as_json(), [str(one) for one in measures], once=True)
            for measure in measures:
                answer = read("", subject, str(measure), answers[str(measure)]).answer
                if answer is not None:  # else the variant does not support it, as another one does
                    yield subject, measure, data, answer if isinstance(answer, Answered) else None


def is_equal(ours: Result, measure: Measure, theirs: Answered, precision: str) -> bool:
    """Whether all values that the library gives are those that rankproof gives."""
    values = ours.per_query[str(measure)]
    of_queries = (theirs.per_query or {}).items()
    return (theirs.mean is None or same(theirs.mean, ours.mean[str(measure)], precision)) and all(
        same(value, values.get(str(query), ABSENT), precision) for query, value in of_queries
    )


def warned(ours: Result, measure: Measure) -> set[str]:
    """The kinds of warnings that the library's value of the measure may be another one."""
    kinds = {"known-exception", "unexplained", "undetermined"}
    found = {one.kind for one in ours.warnings if one.kind in kinds and str(measure) in one.values}
    return found | {one.kind for one in ours.warnings if one.kind == "ties" and "ties=unspecified" in one.text}


def computed(subject: Subject, measure: Measure, data: Input) -> Result | None:
    """What `evaluate` gives; None if it refuses the run."""
    qrels, run = [Judged(*row) for row in data.qrels], [Scored(*row) for row in data.run]
    try:
        return rankproof.evaluate(str(measure), qrels, run, profile=subject.name)
    except ValueError:
        return None


@pytest.mark.parametrize("library", of_this_interpreter(), ids=attrgetter("name"))
def test_the_profile_of_a_library_gives_its_value_or_a_warning(library: Library) -> None:
    counts: Counter[str] = Counter()
    for subject, measure, data, theirs in asked(library):
        ours = computed(subject, measure, data)
        if ours is None:
            whole = collection(data)
            met = met_by(RowsByQuery(whole.qrels, whole.run), measure, [subject.name])
            assert theirs is None or met, (subject.name, str(measure), data, theirs)
            counts["refused"] += 1
        elif theirs is not None and is_equal(
            ours, measure, theirs, library.sheet.precision_of(subject.variant, measure)
        ):
            counts["equal"] += 1
        else:
            assert warned(ours, measure), (subject.name, str(measure), data, ours.mean, theirs)
            counts["warned"] += 1
    assert counts["equal"] > 0.75 * (counts["equal"] + counts["warned"]), counts
