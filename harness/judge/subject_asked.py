"""Asking: one variant of a library in its worker, and the answers it gave so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rankproof.cases.inputs import Input
from rankproof.judge.answer_laws import Answer
from rankproof.reference_impl.notation import Measure
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import Worker
from rankproof.workers.observations import Observation, read
from rankproof.workers.subjects import Subject


@dataclass
class SubjectAsked:
    """A subject, asked; answers are kept, as shrinking asks for the same again and again.

    Attributes:
        along: measures that are asked of an input along with the one that is wanted, since a request costs more than a measure.
    """

    worker: Worker
    library: Library
    subject: Subject
    along: Sequence[Measure] = ()
    _kept: dict[tuple[bool, Input, str], Observation] = field(default_factory=dict)

    def __call__(self, data: Input, measure: Measure) -> Answer:
        """The answer; None where the variant does not support the measure."""
        return self._observed(data, measure, once=True).answer

    def twice(self, data: Input, measure: Measure) -> tuple[Answer, Answer]:
        """The answers to the same question, asked twice in a row."""
        seen = self._observed(data, measure, once=False)
        return seen.answer, seen.answer if seen.again is None else seen.again

    def _observed(self, data: Input, measure: Measure, *, once: bool) -> Observation:
        if (once, data, str(measure)) not in self._kept:
            missing = [m for m in map(str, self.along) if (once, data, m) not in self._kept]
            names = list(dict.fromkeys([str(measure), *missing]))
            for name, raw in self.worker.observe(self.subject.variant, data.as_json(), names, once=once).items():
                self._kept[once, data, name] = read("", self.subject, name, raw)
        return self._kept[once, data, str(measure)]

    def precision(self, *measures: Measure) -> list[str]:
        """The precisions in which the variant answers these measures."""
        return [self.library.sheet.precision_of(self.subject.variant, measure) for measure in measures]
