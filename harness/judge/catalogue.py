"""The probes: each a question with the law that answers it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rankproof.cases.inputs import Input
from rankproof.judge import laws, probe_inputs
from rankproof.judge.laws import Law, unmoved
from rankproof.judge.probe_inputs import HARD, SEVENTEEN
from rankproof.measure_facts import looks_at
from rankproof.measure_forms import cut_at
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.shown import first_of
from rankproof.reference_impl.unusable import Unusable

MEASURES = (
    "nDCG@2",
    "nDCG@5",
    "nDCG",
    "nDCG(dcg='exp-log2')@5",
    "nDCG(dcg='exp-log2')",
    "DCG@5",
    "AP",
    "AP@5",
    "RR",
    "RR@5",
    "P@1",
    "P@5",
    "R@1",
    "R@5",
    "Success@1",
    "Success@5",
    "Rprec",
    "Bpref",
    "ERR@5",
    "RBP",
    "Judged@1",
    "AUC",
    "LRAP",
)
"""What is asked unless told; of `P@1` and `P@5`, the first that a library supports, which stands for `P@k`."""


class UnknownProbe(Unusable):
    """No probe has that name."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A law, and what is asked to see whether it holds.

    Attributes:
        law: the first difference that an input shows, or None.
        matters: whether the law says anything of a measure.
        extra: inputs that only this probe asks.
        alone: whether it asks no others.
    """

    name: str
    question: str
    law: Law
    matters: Callable[[Measure], bool] = lambda _measure: True
    extra: tuple[Input, ...] = ()
    alone: bool = False


def _cut_or_blind(measure: Measure) -> bool:
    return measure.k is not None or laws.blind_below(measure)


def _ends_with_the_list(measure: Measure) -> bool:
    """Whether a cutoff beyond the end of the list leaves it as it is: the formula does not look at the number itself."""
    takes_a_rank = measure.definition.cutoff in {"optional", "required"}
    return takes_a_rank and "k" not in looks_at(cut_at(measure, 1), laws.STANDARD)


def _one_for_the_truth(measure: Measure) -> bool:
    return measure.definition.truth is not None


PROBES = (
    Probe("twice", "Is the answer the same when asked twice?", laws.same_twice),
    Probe(
        "rows",
        "Does the order of the rows matter?",
        unmoved("depends on the order of the rows", probe_inputs.rows_shuffled),
    ),
    Probe(
        "judgments",
        "Does the order of the judgments matter?",
        unmoved("depends on the order of the judgments", probe_inputs.judgments_shuffled),
    ),
    Probe(
        "queries",
        "Does the order of the queries matter?",
        unmoved("depends on the order of the queries", probe_inputs.queries_shuffled),
    ),
    Probe(
        "interleaved",
        "Must the rows of a query be together?",
        unmoved("depends on the rows of a query being together", probe_inputs.interleaved),
    ),
    Probe(
        "docs-renamed",
        "Do the names of docs matter?",
        unmoved("depends on the order of docids", probe_inputs.docs_renamed),
    ),
    Probe(
        "docs-renamed-alike",
        "Do the names of docs matter, though they sort alike?",
        unmoved("depends on docids that sort alike", probe_inputs.docs_renamed_alike),
    ),
    Probe(
        "queries-renamed",
        "Do the names of queries matter?",
        unmoved("depends on the order of the queries' names", probe_inputs.queries_renamed),
    ),
    Probe(
        "queries-renamed-alike",
        "Do the names of queries matter, though they sort alike?",
        unmoved("depends on queries' names that sort alike", probe_inputs.queries_renamed_alike),
    ),
    Probe(
        "scaled",
        "Does the scale of the scores matter?",
        unmoved("depends on the scale of the scores", probe_inputs.scaled),
    ),
    Probe(
        "shifted",
        "Does the sign of the scores matter?",
        unmoved("depends on the sign of the scores", probe_inputs.shifted),
    ),
    Probe("ranks", "Does the rank column matter?", unmoved("depends on the rank column", probe_inputs.other_ranks)),
    Probe("unjudged-doc", "Does an unjudged doc below all others matter?", laws.unjudged_doc, _cut_or_blind),
    Probe(
        "empty-query",
        "What becomes of a judged query that was not retrieved?",
        laws.empty_query,
        lambda m: m.definition.total != "sum",
    ),
    Probe("batch", "Is a query worth the same in company and alone?", laws.one_by_one),
    Probe("cutoff", "Does a cutoff beyond the list matter?", laws.cutoff_beyond, _ends_with_the_list),
    Probe(
        "constant",
        "Can a scorer that knows nothing be worth as much as the truth?",
        laws.constant,
        _one_for_the_truth,
    ),
    Probe("truth", "Is the truth as a prediction worth 1?", laws.truth_is_one, _one_for_the_truth),
    Probe("bounds", "Are values between 0 and 1?", laws.bounds, lambda m: m.definition.bounds == (0, 1), HARD),
    Probe(
        "tied-docs",
        "Do fifteen and seventeen tied docs follow one rule?",
        laws.one_rule_for_ties,
        extra=(SEVENTEEN,),
        alone=True,
    ),
)


def chosen(names: Sequence[str]) -> list[Probe]:
    """The probes of these names; all of them without one.

    Raises:
        UnknownProbe: there is none of a name.
    """
    known = {probe.name: probe for probe in PROBES}
    for name in names:
        if name not in known:
            raise UnknownProbe(f"{name} is no probe; known are {first_of(known)}")
    return [known[name] for name in dict.fromkeys(names)] or list(PROBES)
