"""Functions as people write them, drawn by a seed: a measure, how it is called, what it does otherwise than usual, what is wrong with it.

Formulas and calls are this test's own (`drawn_formulas`, `drawn_calls`), so that what `check` says of such a function can be compared with
what it is made of.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import CodeType
from typing import Any

from drawn_calls import KINDS, ORDERS, RESULTS, SHAPES, Query, Result, Shape
from drawn_formulas import FORMULAS, NO_RELEVANT, Formula, Habits, Ranking

Chance = random.Random
LEFT_OUT = 0.7
"""How often a function that is given several queries, and returns a mean, leaves out those without relevant docs."""


@dataclass(frozen=True)
class Drawn:
    """A function, and what it is made of.

    Attributes:
        k: the cutoff that is asked.
        norel: what a query without relevant docs is worth.
        nothing: what the mean is where all queries are left out.
        ties: the order of tied docs.
        by_query: whether it gives a value for each query, where it is given several.
        kind: a function, or a class.
        result: how it gives what it computed.
    """

    formula: Formula
    shape: Shape
    habits: Habits
    k: int
    norel: str
    ties: str
    by_query: bool
    arguments: Sequence[str] = field(default=())
    kind: str = "function"
    result: Result = RESULTS["number"]
    nothing: str = "nan"

    @property
    def measure(self) -> str:
        """As it is asked."""
        return f"{self.formula.name}@{self.k}"

    @property
    def tells(self) -> frozenset[str]:
        """What its form tells; an object that is updated tells a mean, too."""
        return self.shape.tells | ({"mean"} if self.kind == "updated" else set())

    @property
    def form(self) -> str:
        """The name of its form: one of rels and scores that is updated is as those of torchmetrics are."""
        return "torchmetrics" if self.kind == "updated" and self.shape.name == "rows" else self.shape.name

    @property
    def defect(self) -> str:
        """The name of what is wrong; "" of a right function."""
        return self.habits.get("", "")

    def __str__(self) -> str:
        call = f"{self.measure} {self.kind} {self.shape.name}({', '.join(self.arguments)}) norel={self.norel}"
        nothing = f" no_query={self.nothing}" if self.norel == "dropped" else ""
        made = [f" {axis or 'defect'}={value}" for axis, value in self.habits.items()]
        return f"{call}{nothing} ties={self.ties}{''.join(made)}"

    def worth(
        self, rows: Sequence[tuple[str, float]], rels: Mapping[str, Any], k: int, *, habits: Habits | None = None
    ) -> float | None:
        """What a query is worth by what is told of it; None where it is left out."""
        habits = self.habits if habits is None else habits
        wrong = habits.get("")
        in_order = ORDERS[self.ties](rows)
        in_order = in_order[::-1] if wrong == "ranked-backwards" else in_order
        known = rels.get("every", list(rels.values()))
        seen = Ranking([rels.get(doc, 0.0) for doc, _ in in_order], known)
        of_ideal = seen.rels if habits.get("ideal") == "retrieved" else known
        if not any(rel >= (2 if wrong == "relevant-from-2" else 1) for rel in of_ideal):
            if self.norel == "rejected":
                raise ValueError("no relevant docs")
            if self.norel == "dropped":
                return None
            return float(self.norel) * (100 if wrong == "percent" else 1)
        depth = {"cutoff-ignored": 10**6, "cutoff-too-deep": k + 1}.get(wrong, k)
        if wrong == "last-doc-lost":
            seen = Ranking(seen.rels[: k - 1], known)
        if wrong == "first-doc-lost":
            seen = Ranking(seen.rels[1:], known)
        value = self.formula.of(seen, depth, habits)
        return 100 * value if wrong == "percent" else value

    def function(self) -> Any:
        """It, with its arguments by their names, and k: a function, a class whose object is called, or one with `update` and `compute`."""

        def body(given: tuple[Any, ...], k: int) -> Any:
            worths = {query: self.worth(rows, rels, k) for query, rows, rels in self.shape.seen(*given)}
            values = {query: worth for query, worth in worths.items() if worth is not None}
            if worths and not values:
                return self.result.of(float(self.nothing), self.formula.name, k)
            return self.result.of(values if self.by_query else sum(values.values()) / len(values), self.formula.name, k)

        *others, last = self.arguments
        taken = ", ".join([*others, self.shape.read.format(last)])
        scope: dict[str, Any] = {"body": body}
        text = KINDS[self.kind].format(arguments=", ".join(self.arguments), k=self.k, taken=taken)
        exec(_compiled(text), scope)  # noqa: S102 - its own text
        return scope["drawn"]

    def asked(self, queries: Sequence[Query], k: int) -> Any:
        """What it gives of some queries at once, or of the only one: a number, or one by query."""
        if self.kind == "function":
            return self.result.read(self.function()(*self.shape.given(queries), k=k), self.formula.name, k)
        made = self.function()(k=k)
        if self.kind == "class":
            return self.result.read(made(*self.shape.given(queries)), self.formula.name, k)
        for query in queries:
            made.update(*self.shape.given([query]))
        return made.compute()


@cache
def _compiled(text: str) -> CodeType:
    """It is asked many times, each time as if it were new."""
    return compile(text, "drawn", "exec")


def made_of(
    measure: str,
    form: str,
    arguments: str,
    habits: Habits,
    norel: str = "0",
    ties: str = "input",
    result: str = "number",
    nothing: str = "nan",
) -> Drawn:
    """A function that is not drawn: of `nDCG@3`, called by a form, with these arguments."""
    name, _, k = measure.partition("@")
    formula = next(one for one in FORMULAS if one.name == name)
    shape = next(one for one in SHAPES if one.name == form)
    return Drawn(
        formula,
        shape,
        habits,
        int(k),
        norel,
        ties,
        by_query=False,
        arguments=arguments.split(),
        result=RESULTS[result],
        nothing=nothing,
    )


def drawn(seed: int, *, defects: bool) -> Drawn:
    """A function: with up to two habits, or with one defect and up to one habit of which that leaves something."""
    c = Chance(seed)
    pairs = [(each, wrong) for each in FORMULAS for wrong in (each.defects if defects else [""])]
    formula, wrong = pairs[seed % len(pairs)]
    shape = c.choice([each for each in SHAPES if not defects or wrong in _possible(formula, each)])
    open_to = [one for one in formula.habits if one[1] != "retrieved" or "unretrieved" in shape.tells]
    open_to = [one for one in open_to if one != ("gain", "exp") or "rels" in shape.tells]
    habits = {"": wrong} if defects else dict(c.sample(open_to, min(len(open_to), c.choice([0, 1, 1, 2]))))
    if defects and (beside := [one for one in open_to if one[0] not in UNDONE.get(wrong, ())]):
        c_beside = Chance(f"beside {seed}")
        habits |= dict(c_beside.sample(beside, c_beside.choice([0, 1])))
    ties = "input"
    if "order" in shape.tells:
        ties = c.choice([name for name in ORDERS if "ids" in shape.tells or not name.startswith("docid")])
    made = Drawn(
        formula,
        shape,
        habits,
        c.choice([3, 5, 10]),
        c.choice(NO_RELEVANT),
        ties,
        by_query="queries" in shape.tells and c.random() < 0.5,
        arguments=[c.choice(names) for names in shape.arguments],
    )
    c_left_out = Chance(f"left out {seed}")
    # Beside a threshold of 2 nearly all queries of the trials are left out, and nothing tells what is asked.
    is_told = "queries" in shape.tells and not made.by_query and wrong != "relevant-from-2"
    if is_told and c_left_out.random() < LEFT_OUT:
        made = replace(made, norel="dropped", nothing=c_left_out.choice(["nan", "0", "0"]))
    if defects or made.by_query or c.random() < 0.5:
        return made
    kinds = ["function", "class"] if shape.tells & {"queries", "mean"} or shape.read != "{}" else list(KINDS)
    made = replace(made, kind=c.choice(kinds))
    return made if made.kind == "updated" else replace(made, result=RESULTS[c.choice(list(RESULTS))])


UNDONE = {
    "hits-not-divided": {"p_denominator"},
    "precisions-not-divided": {"ap_denominator"},
    "precisions-over-k": {"ap_denominator"},
    "ideal-of-another-gain": {"gain"},
    "ideal-of-the-hits": {"ideal", "ideal_cut"},
    "last-hit": {"rr_hits"},
    "first-doc-alone": {"rr_hits"},
    "ranks-from-0": {"rr_hits"},
    "ranks-from-2": {"rr_hits"},
}
"""The axes of which a defect leaves nothing."""
OF_RELS = {"relevant-from-2", "ideal-of-another-gain", "ideal-of-the-hits"}
"""The defects of rels: of flags, the ideal of the hits is that of the retrieved."""


def _possible(formula: Formula, shape: Shape) -> list[str]:
    """The defects that show in what this form tells; frames may be taken for those of relevant docs alone."""
    told = "rels" in shape.tells and shape.name != "frames"
    return [
        wrong
        for wrong in formula.defects
        if (told or wrong not in OF_RELS) and (wrong != "ranked-backwards" or "order" in shape.tells)
    ]


def queries(seed: int, so_many: int) -> list[Query]:
    """Queries to ask a function afterwards, that no corpus has: rels of 0 to 3, a few scores, docs of all kinds."""
    c = Chance(f"queries {seed}")
    made = []
    for at in range(so_many):
        docs = [f"d{number}" for number in c.sample(range(10, 99), c.randint(2, 14))]
        own = docs[: c.randint(1, len(docs))]
        c.shuffle(own)
        rels = {doc: c.choice([0, 0, 1, 1, 2, 3]) for doc in docs}
        if c.random() < 0.15:
            rels = dict.fromkeys(rels, 0)
        made.append(Query(f"q{at}", [(doc, c.randint(1, 5) / 8) for doc in own], rels))
    return made
