"""Laws of ties: tied docs must not be worth what only knowledge is worth, and must follow one rule."""

from rankproof.cases.inputs import Input
from rankproof.judge.answer_laws import equal, overall
from rankproof.judge.input_changes import arranged, truth_of, untied_orders
from rankproof.judge.probe_findings import FindingKind, ProbeDifference
from rankproof.judge.small_inputs import queries, with_rows
from rankproof.judge.subject_asked import SubjectAsked
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import Answered


def constant(ask: SubjectAsked, data: Input, measure: Measure) -> ProbeDifference | None:
    """A scorer that gives every doc the same score knows nothing, and is worth less than one that knows all."""
    precision = ask.precision(measure)
    by = {
        (row, name): arranged(data, best_row_first=row, best_id_first=name)
        for row in (True, False)
        for name in (True, False)
    }
    truth = {at: ask(truth_of(given), measure) for at, given in by.items()}
    best, worst = truth[True, True], ask(truth_of(by[True, True], -1.0), measure)
    if not isinstance(best, Answered) or not isinstance(worst, Answered) or equal(best, worst, precision):
        return None
    perfect = {at for at, given in by.items() if equal(ask(given, measure), truth[at], precision)}
    for where, needed in (
        ("", set(by)),
        (" where the rows come in its order", {(True, True), (True, False)}),
        (" where the docids ascend in its order", {(True, True), (False, True)}),
        (" where the docids descend in its order", {(True, False), (False, False)}),
    ):
        if needed <= perfect:
            at = max(needed)
            says = f"a constant scorer is worth as much as the truth{where}"
            values = (overall(truth[at]), overall(ask(by[at], measure)))
            return ProbeDifference(
                FindingKind.DEPENDS, says, ("the truth", "a constant scorer"), values, truth_of(by[at]), by[at]
            )
    return None


def one_rule_for_ties(ask: SubjectAsked, data: Input, measure: Measure) -> ProbeDifference | None:
    """Tied docs stand in the same order, be they fifteen or seventeen."""
    rows = data.run
    if len(queries(data)) > 1 or len(rows) < 4 or len({row[2] for row in rows}) > 1:  # noqa: PLR2004 - two docs less are still tied
        return None
    fewer = with_rows(data, run=rows[:-2])
    before, now = _rules(ask, fewer, measure), _rules(ask, data, measure)
    if not before or set(before) & set(now) or not isinstance(ask(data, measure), Answered):
        return None
    name = next(iter(before))
    untied = untied_orders(data)[name]
    values = (overall(ask(data, measure)), overall(ask(untied, measure)))
    asked = (f"{len(rows)} tied docs", f"the same untied in the order {name}, which {len(rows) - 2} tied docs keep")
    says = "tied docs keep an order while they are few, and another when they are more"
    return ProbeDifference(FindingKind.DEPENDS, says, asked, values, data, untied)


def _rules(ask: SubjectAsked, data: Input, measure: Measure) -> dict[str, Input]:
    """The orders of untied docs that give what the tied ones do."""
    answer, precision = ask(data, measure), ask.precision(measure)
    return {
        name: untied for name, untied in untied_orders(data).items() if equal(answer, ask(untied, measure), precision)
    }
