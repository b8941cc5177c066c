"""Measures in the notation of ir_measures: `nDCG@10`, `P(rel=2)@5`, `nDCG(dcg='exp-log2')@10`.

The printed form of a measure can be parsed again:

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
"""Parameters that an alias implies, unless the text sets others."""


LONGEST = 1_000
"""Maximum number of characters of a measure, which limits how deep it can be nested."""

_FORM = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_]*)(\((?P<params>.*)\))?(@(?P<cutoff>\d{1,18}(\.\d{1,18})?))?")


class UnknownMeasure(Unusable):
    """Text that is not a measure."""


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters and cutoff. It compares and hashes like the text it prints.

    Caches use measures as keys, millions of times in a search, so derived values are computed once.
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
        # Hashes of text differ between processes, so the cached hash must not be pickled.
        return Measure, (self.name, self.params, self.cutoff)

    def __str__(self) -> str:
        params = ",".join(f"{name}={_format(value)}" for name, value in self.params)
        # `:g` would write 1000000 as 1e+06.
        cutoff = "" if self.cutoff is None else f"@{Decimal(str(self.cutoff)).normalize():f}"
        return self.name + (f"({params})" if params else "") + cutoff

    @property
    def definition(self) -> Definition:
        """The definition of a ranking measure."""
        return MEASURES[self.name]

    @property
    def of_labels(self) -> bool:
        """Whether the measure compares two labelings instead of a ranking with judgments."""
        return self.name in CLUSTERINGS

    @cached_property
    def k(self) -> int | None:
        """The cutoff rank, or None."""
        return int(self.cutoff) if self.cutoff is not None and self.definition.cutoff != "recall" else None

    @cached_property
    def arguments(self) -> Mapping[str, ParamValue]:
        """The parameters as arguments of the formula."""
        recall = {"recall": self.cutoff} if self.cutoff is not None and self.definition.cutoff == "recall" else {}
        return dict(self.params) | recall

    @cached_property
    def rel(self) -> int | float:
        """The relevance threshold."""
        return next((value for name, value in self.params if name == "rel" and isinstance(value, int | float)), 1)

    def conventions(self, base: Conventions) -> Conventions:
        """Return the conventions, changed by the parameters of the measure (`dcg='exp-log2'` sets `gain=exp`)."""
        for name, value in self.params:
            means = _definition(self.name).params[name].conventions
            if means is not None:
                base = base.replace(**means(value))
        return base


def parse(text: str | Measure) -> Measure:
    """Parse a measure.

    Raises:
        UnknownMeasure: the text does not have this form, or its measure, parameter or cutoff does not exist.
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
    """Yield the keys that can hold the conventions of a measure in a profile, the most specific first.

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
        raise UnknownMeasure(f"{text}: cannot read the parameters. Write name=value, such as P(rel=2)@5.") from error
    known = _definition(name).params
    for param, value in values.items():
        if param not in known:
            raise UnknownMeasure(f"{text}: {name} has no parameter {param}. It has {', '.join(known) or 'none'}.")
        _check_value(known[param], value, f"{text}: {param}={shortened(_format(value))}")
    return tuple(sorted((p, v) for p, v in values.items() if v != known[p].default or p == "rel"))


def _keywords(written: str) -> dict[str, ParamValue]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", SyntaxWarning)  # Python would print a warning for `1if`
        tree = ast.parse(f"f({written})", mode="eval")
    match tree.body:
        case ast.Call(func=ast.Name(), args=[], keywords=keywords) if all(keyword.arg for keyword in keywords):
            _refuse_twice([keyword.arg for keyword in keywords])
            return {keyword.arg: _literal(keyword.value) for keyword in keywords if keyword.arg}
    raise ValueError(f"{written!r} is not a list of name=value")


def _literal(node: ast.expr) -> ParamValue:
    if isinstance(node, ast.Dict):
        _refuse_twice([ast.literal_eval(key) for key in node.keys if key is not None])
    return _frozen(ast.literal_eval(node))


def _refuse_twice(names: Sequence[object]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise UnknownMeasure(f"{name} is set twice. Keep one value.")


def _check_value(param: Param, value: ParamValue, text: str) -> None:
    refused = UnknownMeasure(f"{text} is not a valid value of the parameter")
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
    raise TypeError(f"{value!r} is not a number, text or map")


def _format(value: ParamValue) -> str:
    return repr(dict(value)).replace(" ", "") if isinstance(value, tuple) else repr(value)


def _cutoff(name: str, written: str | None, text: str) -> int | float | None:
    kind = getattr(_definition(name), "cutoff", "none")
    if written is None:
        if kind in {"required", "recall"}:
            needed = f"a recall level, such as {name}@0.1" if kind == "recall" else f"a cutoff, such as {name}@10"
            raise UnknownMeasure(f"{text}: {name} needs {needed}")
        return None
    if kind == "none":
        raise UnknownMeasure(f"{text}: {name} has no cutoff. Remove @{written}.")
    if kind == "recall":
        if float(written) > 1:
            raise UnknownMeasure(f"{text}: the recall level must be from 0 to 1")
        return float(written)
    if not written.isdigit() or int(written) < 1:
        raise UnknownMeasure(f"{text}: the cutoff must be a whole number of 1 or more")
    return int(written)
