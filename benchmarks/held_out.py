"""Count how often published profiles reproduce the values of libraries, on runs not used to infer the fingerprints.

    python benchmarks/held_out.py [LIBRARY ...] [--collections 40] [--seed N] [--write reports/held_out.json]

Draws ordinary collections and as many pairs of labelings. A collection has grades 0 to 4, a few ties, some unjudged
documents, a query that is only judged, and a query that is only retrieved. Runs each library that is installed or has
a built environment, and computes the same measures with its published profile. A value is

- *equal*, at the precision of the library;
- *rounded*, if float32 lost digits;
- *within ties*, if the library has no fixed order of tied documents;
- *open*, if it follows a convention that the signature leaves open;
- *marked*, if the signature says that some values of the form are unexplained;
- *unexplained* otherwise, with exit code 1.
"""

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rankproof.cases.inputs import Input
from rankproof.evaluate.library_profiles import published
from rankproof.history.history import NOISE
from rankproof.history.installed import NotBuilt, python_of
from rankproof.inference.deciding_axes import values_of
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.recalled import Recalled
from rankproof.inference.reference_answers import UNSPECIFIED, Values, reading_of
from rankproof.inference.signatures import Signature, parse
from rankproof.measure_forms import cut_at
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.workers.known_libraries import Library, libraries
from rankproof.workers.library_worker import worker_of
from rankproof.workers.observations import ABSENT, Answered, Reading, read
from rankproof.workers.same_answers import same
from rankproof.workers.subjects import Subject, installation

CUTOFFS = (1, 3, 5, 10)
KINDS = ("equal", "rounded", "within ties", "open", "marked", "unexplained")
DOCS = [f"d{number:02d}" for number in range(30)]


def collections(seed: int, count: int) -> Iterator[Input]:
    """Yield random ordinary collections of six queries."""
    dice = random.Random(seed)
    for _ in range(count):
        qrels: list[tuple[str, str, int]] = []
        run: list[tuple[str, str, float, int]] = []
        for number in range(6):
            query = f"q{number}"
            judged = dice.sample(DOCS, dice.randint(3, 12))
            if number:
                qrels += [(query, doc, dice.choice((0, 0, 1, 1, 2, 3, 4))) for doc in judged]
            if number != 1:
                retrieved = dice.sample(DOCS, dice.randint(1, 20))
                scores = sorted(
                    (dice.choice((dice.uniform(0, 20), dice.randint(1, 20))) for _ in retrieved), reverse=True
                )
                run += [(query, doc, round(scores[i], 3), i + 1) for i, doc in enumerate(retrieved)]
        yield Input(tuple(qrels), tuple(run))


def labelings(seed: int, count: int) -> Iterator[Input]:
    """Yield pairs of labelings with two to five classes and clusters; every second pair is similar."""
    dice = random.Random(seed)
    for number in range(count):
        true = [dice.randrange(dice.randint(2, 5)) for _ in range(dice.randint(8, 20))]
        kept = 0.7 if number % 2 else 0.0
        predicted = [label if dice.random() < kept else dice.randrange(4) for label in true]
        yield Input(true=tuple(true), predicted=tuple(predicted))


def measures_of(fingerprint: Fingerprint) -> Iterator[tuple[Measure, Signature]]:
    """Yield the measures of a form with its signature."""
    signature = parse(fingerprint.signature)
    measure = signature.measure
    cut = fingerprint.key.endswith("@k")
    for at_k in [cut_at(measure, k) for k in CUTOFFS] if cut else [measure]:
        yield at_k, signature


def kind_of(
    oracle: Recalled,
    measure: Measure,
    signature: Signature,
    readings: Mapping[str | None, Reading],
    precision: str,
    claimed: Conventions,
) -> str:
    """Return the kind of some values of a library; open conventions may be `claimed`, those of its sheet."""
    if gives(oracle, measure, signature.conventions, readings, precision):
        return "equal"
    if gives(oracle, measure, signature.conventions, readings, precision, noise=True):
        return "rounded"
    if signature.conventions.ties == UNSPECIFIED or UNSPECIFIED in signature.open.get("ties", ()):
        best, worst = (oracle.answers(measure, signature.conventions.replace(ties=end)) for end in ("best", "worst"))
        if isinstance(best, Values) and isinstance(worst, Values) and within(best, worst, readings):
            return "within ties"
    ways = [
        signature.conventions,
        signature.conventions.replace(**{axis: getattr(claimed, axis) for axis in signature.open}),
    ]
    for axis, values in signature.open.items():
        remaining = [value for value in values or values_of(axis) if value != UNSPECIFIED]
        ways += [way.replace(**{axis: value}) for way in ways[: 1 + len(signature.open) * 8] for value in remaining]
    if any(gives(oracle, measure, way, readings, precision, noise=True) for way in ways[1:400]):
        return "open"
    return "marked" if signature.unexplained else "unexplained"


def gives(
    oracle: Recalled,
    measure: Measure,
    conventions: Conventions,
    readings: Mapping[str | None, Reading],
    precision: str,
    *,
    noise: bool = False,
) -> bool:
    """Return whether the reference computes these values, with `noise` up to the digits that float32 loses."""
    answers = oracle.answers(measure, conventions)
    if not isinstance(answers, Values):
        return not readings  # the reference and the library reject the input
    return bool(readings) and all(
        same(value, expected, precision) or (noise and is_noise(value, expected, precision))
        for query, value in readings.items()
        if (expected := reading_of(answers, query)) is not None
    )


def is_noise(value: Reading, expected: Reading, precision: str) -> bool:
    """Return whether float32 rounding explains a difference, which is smaller than the effect of any convention."""
    if precision != "float32" or isinstance(value, str) or isinstance(expected, str):
        return False
    return abs(value - expected) <= NOISE["float32"] * max(1.0, abs(expected))


def within(best: Values, worst: Values, readings: Mapping[str | None, Reading]) -> bool:
    """Return whether every value is between the values of the best and the worst order of tied documents."""
    for query, value in readings.items():
        ends = [reading_of(answers, query) for answers in (best, worst)]
        if value == ABSENT or any(end in (None, ABSENT) for end in ends):
            if ends[0] not in (None, value):
                return False
            continue
        low, high = sorted(float(end) for end in ends)  # type: ignore[arg-type]
        if not low - 1e-6 <= float(value) <= high + 1e-6:
            return False
    return True


def held(library: Library, inputs: Sequence[Input]) -> Iterator[tuple[Subject, str, str, str]]:
    """Yield the kind of the values of a library for each measure and input, with its subject and form."""
    try:
        python = python_of(library)
    except NotBuilt:
        return
    with worker_of(library, python) as worker:
        hello = worker.hello()
        if "not_installed" in hello:
            return
        about = installation(library.name, hello)
        for variant in hello["variants"]:
            subject = about.subject(variant)
            forms = next(
                (fingerprints for other, fingerprints in published().items() if other.signed == subject.signed), []
            )
            by_text = {
                str(measure): (fingerprint, measure, signature)
                for fingerprint in forms
                for measure, signature in measures_of(fingerprint)
            }
            for number, data in enumerate(inputs):
                oracle = Recalled(data)
                fitting = {text: form for text, form in by_text.items() if form[1].of_labels == data.of_labels}
                answers = worker.observe(variant, data.as_json(), list(fitting), once=True) if fitting else {}
                for text, (fingerprint, measure, signature) in fitting.items():
                    answer = read("", subject, text, answers[text]).answer
                    readings = _readings(answer, data) if isinstance(answer, Answered) else {}
                    # A form with one observed value may look more exact than the library is.
                    precision = library.sheet.precision_of(variant, measure)
                    claimed = library.sheet.profile_of(variant, measure)
                    kind = kind_of(oracle, measure, signature, readings, precision, claimed)
                    yield subject, fingerprint.key, kind, f"{text} of collection {number}: {readings}"


def _readings(answer: Answered, data: Input) -> dict[str | None, Reading]:
    queries = dict.fromkeys([*data.judged, *data.scored])
    readings: dict[str | None, Reading] = {} if answer.mean is None else {None: answer.mean}
    if answer.per_query is not None:
        readings |= {str(query): answer.per_query.get(str(query), ABSENT) for query in queries}
    return readings


def main() -> int:
    """Draw inputs, run the libraries, print the counts, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="*")
    parser.add_argument("--collections", type=int, default=40)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    inputs = [
        *collections(options.seed, options.collections),
        *labelings(options.seed, options.collections),
    ]
    kinds_of_forms: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for library in libraries():
        if options.library and library.name not in options.library:
            continue
        for subject, key, kind, what in held(library, inputs):
            kinds_of_forms[subject.signed][key][kind] += 1
            if kind == "unexplained" and kinds_of_forms[subject.signed][key][kind] == 1:
                print(f"{subject.signed} {what}")
    total = sum((kinds for forms in kinds_of_forms.values() for kinds in forms.values()), Counter())
    for signed, forms in kinds_of_forms.items():
        of_all = sum(forms.values(), Counter())
        print(f"{signed}: " + ", ".join(f"{of_all[kind]} {kind}" for kind in KINDS))
    print("all: " + ", ".join(f"{total[kind]} {kind}" for kind in KINDS))
    if options.write:
        document = {
            "command": f"python benchmarks/held_out.py --collections {options.collections} --seed {options.seed}",
            "all": {kind: total[kind] for kind in KINDS},
            "forms": {
                signed: {key: dict(kinds) for key, kinds in sorted(forms.items())}
                for signed, forms in kinds_of_forms.items()
            },
        }
        options.write.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 1 if total["unexplained"] else 0


if __name__ == "__main__":
    sys.exit(main())
