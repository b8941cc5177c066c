"""Cases that say enough of a formula, and are quick."""

from functools import cache

from rankproof import cases as corpus
from rankproof.calling.call_forms import QRELS_RUN
from rankproof.cases import Case
from rankproof.checking.case_questions import traits


@cache
def few() -> tuple[Case, ...]:
    """Cases that say enough of a formula, and are quick; most of them ordinary."""
    topics = {"cutoff": 20, "gain": 12, "ideal": 20, "denominators": 20, "ties": 14, "queries": 14}
    found = []
    for topic, most in topics.items():
        of_it = [case for case in corpus.load_all() if case.id.startswith(f"{topic}/") and not case.of_labels]
        usual = [case for case in of_it if not traits_of(case)]
        found += [*usual[:most], *[case for case in of_it if case not in usual and "2-to-the" not in case.id][:3]]
    return tuple(found)


def traits_of(case: Case) -> list[str]:
    return [trait.name for trait in traits(QRELS_RUN, case.input) if trait.is_extreme]
