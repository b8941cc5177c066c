"""Measures in ir_measures' notation: `nDCG@10`, `P(rel=2)@5`, `nDCG(dcg='exp-log2')@10`.

A measure prints as itself and parses back:

>>> str(parse("nDCG(dcg='exp-log2')@10")), str(parse("MAP@100")), str(parse("IPrec@0.10"))
("nDCG(dcg='exp-log2')@10", 'AP@100', 'IPrec@0.1')
>>> parse("nCDG@10")
Traceback (most recent call last):
    ...
rankproof.reference_impl.notation.UnknownMeasure: Unknown measure 'nCDG@10'. Did you mean nDCG@10?
"""

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache

from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.contingency import Clustering
from rankproof.reference_impl.conventions import Conventions, UnknownConvention
from rankproof.reference_impl.definition import Definition, Param, ParamValue
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.shown import nearest_of, shortened
from rankproof.reference_impl.unusable import Unusable

ALIASES = {
    "MAP": "AP",
    "MRR": "RR",
    "NDCG": "nDCG",
    "Precision": "P",
    "Recall": "R",
    "RPrec": "Rprec",
    "BPref": "Bpref",
    "SetRelP": "SetP",
    "NumRelRet": "NumRet",
    "HitRate": "Success",
    "InfAP": "infAP",
    "VMeasure": "V",
}
_ALIAS_PARAMS: Mapping[str, Mapping[str, ParamValue]] = {"NumRelRet": {"rel": 1}, "SetRelP": {"relative": True}}
"""Parameters that an alias stands for, unless others are given."""


LONGEST = 1_000
"""How many characters a measure has at most, so that nothing in it is nested without end."""

_FORM = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_]*)(\((?P<params>.*)\))?(@(?P<cutoff>\d{1,18}(\.\d{1,18})?))?")


class UnknownMeasure(Unusable):
    """The text is no measure."""


@dataclass(frozen=True)
class Measure:
    """What is asked: a name, parameters, a cutoff. Compares and hashes as the text it prints.

    It is the key of all that is remembered, by the million in a search; so what follows from it is worked out once.
    """

    name: str
    params: tuple[tuple[str, ParamValue], ...] = ()
    cutoff: int | float | None = None

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.params, self.cutoff))

    def __reduce__(self) -> tuple[type["Measure"], tuple[object, ...]]:
        # Another process hashes text otherwise.
        return Measure, (self.name, self.params, self.cutoff)

    def __str__(self) -> str:
        params = ",".join(f"{name}={_format(value)}" for name, value in self.params)
        # Not `:g`, which writes 1000000 as 1e+06.
        cutoff = "" if self.cutoff is None else f"@{Decimal(str(self.cutoff)).normalize():f}"
        return self.name + (f"({params})" if params else "") + cutoff

    @property
    def definition(self) -> Definition:
        """The definition of a measure of rankings."""
        return MEASURES[self.name]

    @property
    def of_labels(self) -> bool:
        """Whether two labelings are compared instead of a ranking with judgments."""
        return self.name in CLUSTERINGS

    @cached_property
    def k(self) -> int | None:
        """The cutoff rank."""
        return int(self.cutoff) if self.cutoff is not None and self.definition.cutoff != "recall" else None

    @cached_property
    def arguments(self) -> Mapping[str, ParamValue]:
        """Parameters as the formula takes them."""
        recall = {"recall": self.cutoff} if self.cutoff is not None and self.definition.cutoff == "recall" else {}
        return dict(self.params) | recall

    @cached_property
    def rel(self) -> int | float:
        """The threshold of relevance."""
        return next((value for name, value in self.params if name == "rel" and isinstance(value, int | float)), 1)

    def conventions(self, base: Conventions) -> Conventions:
        """The conventions, with those replaced that a parameter names (`dcg='exp-log2'` is `gain=exp`)."""
        for name, value in self.params:
            means = _definition(self.name).params[name].conventions
            if means is not None:
                base = base.replace(**means(value))
        return base


def parse(text: str | Measure) -> Measure:
    """Read a measure.

    Raises:
        UnknownMeasure: the text has not that form, or names a measure, parameter or cutoff that does not exist.
    """
    return text if isinstance(text, Measure) else _parsed(text)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Measure:
    match = _FORM.fullmatch(text.strip()) if len(text) <= LONGEST else None
    text = shortened(text)
    if match is None:
        msg = f"Unknown measure {text!r}. Write a name, parameters and a cutoff, such as P(rel=2)@5."
        raise UnknownMeasure(msg)
    name = ALIASES.get(match["name"], match["name"])
    if name not in MEASURES and name not in CLUSTERINGS:
        near = nearest_of(name, [*MEASURES, *CLUSTERINGS, *ALIASES])
        hint = f"Did you mean {near}{text[len(match['name']) :]}?" if near else "`rankproof show measures` lists all."
        raise UnknownMeasure(f"Unknown measure {text!r}. {hint}")
    params = _params(name, _ALIAS_PARAMS.get(match["name"], {}), match["params"] or "", text)
    return Measure(name, params, _cutoff(name, match["cutoff"], text))


def keys_of(measure: Measure) -> Iterator[str]:
    """The keys under which a profile may speak of a measure, the most specific first.

    >>> list(keys_of(parse("P(rel=2)@5")))
    ['P(rel=2)@5', 'P(rel=2)@k', 'P(rel=2)', 'P@k', 'P', '*']
    >>> list(keys_of(parse("AP(rel=2)")))
    ['AP(rel=2)', 'AP', '*']
    """
    text, at_k = str(measure), "" if measure.cutoff is None else "@k"
    with_params = re.sub(r"@.*$", "", text)
    yield from dict.fromkeys([text, with_params + at_k, with_params, measure.name + at_k, measure.name, "*"])


def _definition(name: str) -> Definition | Clustering:
    return MEASURES.get(name) or CLUSTERINGS[name]


def _params(
    name: str, stands_for: Mapping[str, ParamValue], written: str, text: str
) -> tuple[tuple[str, ParamValue], ...]:
    try:
        values = {**stands_for, **_keywords(written)}
    except UnknownMeasure as error:
        raise UnknownMeasure(f"{text}: {error}") from error
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise UnknownMeasure(f"{text}: the parameters do not read as name=value, …") from error
    known = _definition(name).params
    for param, value in values.items():
        if param not in known:
            raise UnknownMeasure(f"{text}: {name} has no parameter {param}; it has {', '.join(known) or 'none'}")
        _check_value(known[param], value, f"{text}: {param}={shortened(_format(value))}")
    return tuple(sorted((p, v) for p, v in values.items() if v != known[p].default or p == "rel"))


def _keywords(written: str) -> dict[str, ParamValue]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", SyntaxWarning)  # `1if` is no number, and says so on stderr
        tree = ast.parse(f"f({written})", mode="eval")
    match tree.body:
        case ast.Call(func=ast.Name(), args=[], keywords=keywords) if all(keyword.arg for keyword in keywords):
            _refuse_twice([keyword.arg for keyword in keywords])
            return {keyword.arg: _literal(keyword.value) for keyword in keywords if keyword.arg}
    raise ValueError(f"{written!r} is not of the form name=value, …")


def _literal(node: ast.expr) -> ParamValue:
    if isinstance(node, ast.Dict):
        _refuse_twice([ast.literal_eval(key) for key in node.keys if key is not None])
    return _frozen(ast.literal_eval(node))


def _refuse_twice(names: Sequence[object]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise UnknownMeasure(f"{name} is said twice; say it once")


def _check_value(param: Param, value: ParamValue, text: str) -> None:
    refused = UnknownMeasure(f"{text} is no value of that parameter")
    if not param.takes(value):
        raise refused
    try:
        Conventions().replace(**(param.conventions(value) if param.conventions else {}))
    except UnknownConvention as error:
        raise refused from error


def _frozen(value: object) -> ParamValue:
    if isinstance(value, dict):
        return tuple(sorted(value.items()))
    if isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"{value!r} is no number, word or map")


def _format(value: ParamValue) -> str:
    return repr(dict(value)).replace(" ", "") if isinstance(value, tuple) else repr(value)


def _cutoff(name: str, written: str | None, text: str) -> int | float | None:
    kind = getattr(_definition(name), "cutoff", "none")
    if written is None:
        if kind in {"required", "recall"}:
            needed = f"a recall level, as in {name}@0.1" if kind == "recall" else f"a cutoff, as in {name}@10"
            raise UnknownMeasure(f"{text}: {name} needs {needed}")
        return None
    if kind == "none":
        raise UnknownMeasure(f"{text}: {name} has no cutoff")
    if kind == "recall":
        if float(written) > 1:
            raise UnknownMeasure(f"{text}: a recall level is a number from 0 to 1")
        return float(written)
    if not written.isdigit() or int(written) < 1:
        raise UnknownMeasure(f"{text}: a cutoff is a whole number from 1 on")
    return int(written)
