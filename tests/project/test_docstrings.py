"""Examples in docstrings hold, and modules of measures have a formula, disputes, a source and an example."""

import doctest
import importlib
import pkgutil
import re
from types import ModuleType

import pytest

import rankproof
from rankproof import adapters, cases, reference_impl
from rankproof.reference_impl import clustering, measures
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.contingency import Clustering
from rankproof.reference_impl.definition import Definition
from rankproof.reference_impl.measures import MEASURES


def modules_of(package: ModuleType) -> list[ModuleType]:
    modules = pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    return [importlib.import_module(module.name) for module in modules if module.name != "rankproof.__main__"]


# In a checkout, reference_impl, adapters and cases are separate folders, which walking rankproof does not reach.
# In the wheel they are below rankproof.
MODULES = dict.fromkeys(
    module for package in (rankproof, reference_impl, adapters, cases) for module in (package, *modules_of(package))
)
FORMULAS = [*modules_of(measures), *modules_of(clustering)]
ALL = [*MEASURES.values(), *CLUSTERINGS.values()]


def name_of(module: ModuleType) -> str:
    return module.__name__.removeprefix("rankproof.")


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_examples_hold(module: ModuleType) -> None:
    assert doctest.testmod(module, exclude_empty=True).failed == 0


def test_the_examples_of_every_package_are_tested() -> None:
    packages = {name_of(module).partition(".")[0] for module in MODULES}
    assert {"workers", "judge", "inference", "evaluate", "reference_impl", "cases", "adapters"} <= packages


@pytest.mark.parametrize("module", FORMULAS, ids=name_of)
def test_a_module_of_measures_has_formula_disputes_and_source(module: ModuleType) -> None:
    text = module.__doc__ or ""
    assert re.search(r"^    \w+(@\w+)? += ", text, re.MULTILINE), "no formula"
    disputed = re.search(r"^Disputed.*?(?=^Source)|Disputed.*?(?=\n\n)", text, re.MULTILINE | re.DOTALL)
    assert disputed, "nothing is said to be disputed"
    assert re.search(r"\d", disputed[0]), "no worked number"
    assert re.search(r"^Source: \S", text, re.MULTILINE), "no source"
    assert text.index("Disputed") < text.index("Source: "), "the house's order"
    assert doctest.testmod(module, exclude_empty=True).attempted > 0, "no example"


@pytest.mark.parametrize("measure", ALL, ids=lambda measure: measure.name)
def test_every_formula_has_a_sentence_and_an_example(measure: Definition | Clustering) -> None:
    formula = measure.formula
    assert re.match(r"[A-Z0-9].*\.$", (formula.__doc__ or "").splitlines()[0])
    assert doctest.DocTestFinder(recurse=False).find(formula)[0].examples
    assert re.search(rf"\b{measure.name}\b", importlib.import_module(formula.__module__).__doc__ or ""), (
        "not in its module"
    )
