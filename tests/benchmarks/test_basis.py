"""`benchmarks/basis.py`: the cases that would decide an undetermined axis of a published fingerprint."""

from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

import published_run
import pytest
from places import ROOT

from rankproof import cases as corpus


@pytest.fixture(scope="module")
def basis() -> ModuleType:
    spec = spec_from_file_location("basis", ROOT / "benchmarks" / "basis.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("subject", "form", "axis"),
    [("trec_eval/default-9.0.4", "P@k", "missing"), ("catboost-1.2.10", "AP", "known")],
)
def test_case_that_would_decide_an_open_axis_is_found(basis: ModuleType, subject: str, form: str, axis: str) -> None:
    """The form is published except for one undetermined axis, and no case for axes has its measure."""
    published = next(one for one in published_run.fingerprints() if (one.subject.signed, one.key) == (subject, form))
    finding = published.axes[axis]
    undecided = replace(finding, value=None, excluded={}, open=(finding.value or "", *finding.excluded))
    cases = {case.id: case for case in corpus.load_all()}
    cases |= {name: replace(cases[name], expect=None, also_ask=("RR",)) for name in cases if name.startswith("axes/")}
    impossible = basis.cannot_be_given(row for row in published_run.results().rows if row.subject == published.subject)

    def gaps(axes: object, ungiven: object) -> list[tuple[str, str]]:
        return list(basis.gaps(basis.Corpus(cases, ungiven), [replace(published, axes=axes)]))

    assert gaps({axis: finding}, impossible) == []
    deciding = gaps({axis: undecided}, impossible)
    assert deciding
    assert all(case not in impossible[subject] for case, _ in deciding)
    assert gaps({axis: undecided}, {subject: frozenset(cases)}) == []
