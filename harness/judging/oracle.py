"""What the reference answers to a case: the one place where cases and the reference meet."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rankproof.cases import Case
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection, Value, compare_labelings
from rankproof.reference_impl.exact import Overflow
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import conventions_of
from rankproof.reference_impl.ranking import Judgment, Rejected, Row

MEAN = "mean"


@dataclass(frozen=True, slots=True)
class Refused:
    """The reference refuses the input under these conventions; `axis` says by which."""

    axis: str
    reason: str


Answers = Mapping[str, Value] | Refused
"""The values by query, and under `mean` the value over all of them; or that the input is refused."""


def collection(case: Case) -> Collection:
    """The qrels and the run of a case; ids are text, as they are in TREC files."""
    qrels: dict[str, list[Judgment]] = {}
    for query, doc, rel in case.qrels:
        qrels.setdefault(str(query), []).append(Judgment(str(doc), rel))
    run: dict[str, list[Row]] = {}
    for query, doc, score, rank in case.run:
        run.setdefault(str(query), []).append(Row(str(doc), score, rank))
    for query in case.empty_in_qrels:
        qrels.setdefault(str(query), [])
    for query in case.empty_in_run:
        run.setdefault(str(query), [])
    rows = (*case.qrels, *case.run)
    number_docs = any(isinstance(row[1], int) for row in rows)
    number_ids = number_docs or any(isinstance(row[0], int) for row in rows)
    return Collection(qrels, run, number_ids=number_ids, number_docs=number_docs)


@dataclass
class Oracle:
    """The reference, asked about one case; answers are kept, as judging asks the same again and again."""

    case: Case
    _collection: Collection | None = None
    _answers: dict[tuple[Measure, Conventions], Answers] = field(default_factory=dict)

    def answers(self, measure: Measure, conventions: Conventions | str) -> Answers:
        """What the reference answers under these conventions.

        Raises:
            TooManyOrders: the conventions ask for more orders of tied docs than can be enumerated.
            NotPooled: they ask for a pooled mean of what is no ratio.
        """
        key = (measure, conventions_of(conventions, measure))
        if key not in self._answers:
            self._answers[key] = self._ask(*key)
        return self._answers[key]

    def _ask(self, measure: Measure, conventions: Conventions) -> Answers:
        if self.case.of_labels:
            true, predicted = self.case.true or (), self.case.predicted or ()
            return {MEAN: compare_labelings(measure, true, predicted, conventions)}
        self._collection = self._collection or collection(self.case)
        try:
            answer = self._collection.answer(measure, conventions)
        except Rejected as rejected:
            return Refused(rejected.axis, str(rejected))
        except Overflow as impossible:
            return Refused("", str(impossible))
        return {**answer.per_query, MEAN: answer.mean}
