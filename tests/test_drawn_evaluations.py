"""What `evaluate` says of drawn collections, all of it: the values by the reference, the cautions counted again, each form read back."""

import csv
import html
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from drawn_collections import Chance, chance

import rankproof
from rankproof.cli.evaluate import command
from rankproof.evaluate import measuring as quick
from rankproof.evaluate.inputs import BadInput
from rankproof.inference.signatures import Signature
from rankproof.measure_names import called, in_trec_eval
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.ranking import Judgment, QueryRow, as_float32
from rankproof.text import printable, short

Qrels = dict[str, dict[str, float]]
Run = dict[str, dict[str, float]]
Said = tuple[str, int, dict[str, Any], str]
"""Of a caution its kind, count, values and text."""
MEASURES = (
    "P@1",
    "P@3",
    "nDCG@3",
    "AP",
    "RR",
    "R@5",
    "NumRelRet",
    "Success@1",
    "nDCG@10",
    "AP(rel=2)",
    "P(rel=0.5)@2",
    "Bpref",
    "Judged@5",
    "DCG@3",
    "P@5",
    "ERR@10",
    "P(judged_only=True)@4",
    "F@7",
)
PROFILES = (
    "standard",
    "standard",
    "ties=docid-asc",
    "ties=input",
    "score=f32",
    "ties=expectation",
    "norel=nan",
    "missing=dropped norel=dropped",
    "p_denominator=min-k-n",
    "unjudged=removed",
    "extra=measured",
    "missing=nan",
    "relevant=above-zero ties=input-reversed",
    "order=input",
    "score_sign=positive",
    "run_duplicates=both extra=measured missing=dropped",
)
KINDS = (*["ordinary"] * 3, "parts", "one relevant", "themselves", "grades", "grades", "only relevant", "alike")
IDS = ("q10", "q9", "Q9", "7", "07", "7.0", "[3]", "=q", "ü|", "-3", "q 1", "x_1", "mean")


def drawn(c: Chance, names: Sequence[str]) -> tuple[Qrels, dict[str, Run]]:
    """Qrels, and a run of each name, of several layouts; all queries and docs as people call them."""
    kind = c.choice(KINDS)
    docs = [f"d{i}" for i in range(9)] + ["D1", "d02", "é", "=1"]
    rels: Sequence[float] = {
        "grades": c.choice([(0.0, 0.25, 0.5, 0.75), (0.0, 0.25)]),
        "only relevant": c.choice([(1, 2), (0.5, 1, 2)]),
    }.get(kind, (0, 0, 1, 2, 3))
    ids = c.sample(IDS, c.randint(4, 9)) if kind != "themselves" else c.sample([*"abcdefgh"], 7)
    qrels: Qrels = {q: {d: c.choice(rels) for d in c.sample(docs, c.randint(1, 6))} for q in ids}
    if kind == "one relevant":
        qrels = {
            q: {d: (0.5 if q in IDS[:3] else 1) * (i == 0) for i, d in enumerate(c.sample(docs, c.randint(1, 4)))}
            for q in ids
        }
    for query in c.sample(ids, c.randint(0, 2)) if kind != "themselves" else ():
        qrels.pop(query)
    qrels = qrels or {ids[0]: {"d1": 1.0}}
    runs = {name: _run(c, kind, ids, docs) for name in names}
    return qrels, {name: run or {ids[0]: {"d1": 1.0}} for name, run in runs.items()}


def _run(c: Chance, kind: str, ids: Sequence[str], docs: Sequence[str]) -> Run:
    run: Run = {}
    near = c.choice([0.0, 0.0, 1e-9])
    for query in c.sample(ids, len(ids) - c.choice([0, 0, 1, 2])):
        own = c.sample(docs, 4 if kind == "parts" else c.randint(1, 8))
        if kind == "parts":
            own = [f"{d}{c.choice('#_-')}{c.randint(0, 30)}" for d in own]
        scored = {doc: c.choice([-1.0, 1.0, 2.0, 3.0, 3.0, 4.0]) + near * c.randint(0, 1) for doc in own}
        if kind == "themselves":
            scored[query] = 9.0 if c.random() < 0.97 else 4.0
        run[query] = dict(c.sample(list(scored.items()), len(scored)))
    if kind == "alike" and c.random() < 0.7:
        run = {c.choice([q, q.upper(), f"0{q}", f"{q}.0"]): of for q, of in run.items()}
    return run


# -- the model -----------------------------------------------------------------------------------------------------------


class Model:
    """The reference asked of one run."""

    def __init__(self, qrels: Qrels, run: Run, specs: Mapping[str, str]) -> None:
        self.qrels, self.run = qrels, run
        self.of = Collection(
            {q: [Judgment(d, rel) for d, rel in docs.items()] for q, docs in qrels.items()},
            {q: [QueryRow(d, score) for d, score in docs.items()] for q, docs in run.items()},
        )
        meant = {name: (called(name)[0], spec) for name, spec in specs.items()}
        self.tasks = {name: (one.measure, profile(f"{spec} {one.changes}")) for name, (one, spec) in meant.items()}
        self.own = {name: measure.conventions(conventions) for name, (measure, conventions) in self.tasks.items()}
        self.missing, self.extra = [q for q in qrels if q not in run], [q for q in run if q not in qrels]
        self.common = [q for q in qrels if q in run]

    def json(self, *, per_query: bool = True) -> dict[str, Any]:
        """The values as JSON has them."""
        told = {}
        for name, (measure, conventions) in self.tasks.items():
            answer = self.of.answer(measure, conventions)
            told[name] = {"mean": number(answer.mean), "signature": str(Signature(measure, conventions))}
            if per_query:
                told[name]["per_query"] = {q: number(value) for q, value in answer.per_query.items()}
        return told

    # -- what is said beside the values

    def cautions(self) -> Iterator[Said]:
        """Kind, count, values and text of each."""
        if not self.common:
            raise BadInput("the run", "no query in common")
        if self.missing:
            are = "y is" if len(self.qrels) == 1 else "ies are"
            of = f"{len(self.missing)} of {len(self.qrels)} judged quer{are} not in the run ({few(self.missing)})"
            text = f"{of}; {self.by('missing', self.tasks)}"
            yield "missing-queries", len(self.missing), {}, text
        if self.extra:
            have = "1 query of the run has" if len(self.extra) == 1 else f"{len(self.extra)} queries of the run have"
            text = f"{have} no judgments ({few(self.extra)}); {self.by('extra', self.tasks)}"
            yield "extra-queries", len(self.extra), {}, text
        yield from told_alike("ids-alike", "queries", pairs_of(self.missing, self.extra))
        docs = [pair for q in self.common[:5] for pair in self.apart(q)]
        yield from told_alike("docs-alike", "docs", list(dict.fromkeys(docs)))
        yield from self.of_shape()
        yield from self.none_relevant()
        rels = [rel for docs in self.qrels.values() for rel in docs.values()]
        if min(rels) < 1:
            yield from self.unjudged()
        yield from self.ties()

    def by(self, axis: str, names: Sequence[str] | Mapping[str, object]) -> str:
        """What becomes of them."""
        values = dict.fromkeys(getattr(self.own[name], axis) for name in names)
        return ", ".join(f"{axis}={value}: {AXES[axis].phrase(value)}" for value in values)

    def apart(self, query: str) -> list[tuple[str, str]]:
        """The pairs of docs of a query that are written otherwise."""
        ours, theirs = self.qrels[query], self.run[query]
        return pairs_of([d for d in ours if d not in theirs], [d for d in theirs if d not in ours])

    def of_shape(self) -> Iterator[Said]:
        """How the data are laid out."""
        first = self.common[:5]
        wholes = [(q, re.sub(r"[#_-]\d+$", "", part), part) for q in first for part in self.run[q]]
        parts = list(dict.fromkeys((doc, part) for q, doc, part in wholes if doc != part and doc in self.qrels[q]))
        if parts and not any(d in self.qrels[q] for q in first for d in self.run[q]):
            (doc, part), *_ = parts
            text = (
                f"docs of the run seem to be parts of judged docs, as '{part}' of '{doc}', and ids are compared whole, so that none of them"
                " is judged; give each doc its best part's place"
            )
            yield "parts-of-docs", len(parts), {}, text
        one_each = all(sum(rel > 0 for rel in docs.values()) == 1 for docs in self.qrels.values())
        highest = {
            name: 1 / measure.k
            for name, (measure, _) in self.tasks.items()
            if measure.definition.name == "P" and measure.k and measure.k > 1
            if self.own[name].p_denominator == "k" and self.own[name].run_duplicates != "both"
        }
        if one_each and highest:
            can = ", ".join(f"{name} can be {short(most)}" for name, most in list(highest.items())[:3])
            text = f"each query has one relevant doc, so that {can} at most; Success says whether it was found"
            yield "one-relevant", len(self.common), highest, text
        tops = [max(self.run[q], key=lambda d, q=q: (self.run[q][d], d != q)) for q in first]  # type: ignore[misc]
        if len(first) >= 3 and all(top == q and q not in self.qrels[q] for q, top in zip(first, tops, strict=True)):
            text = (
                f"queries retrieve a doc of their own id above all others, as {few(first[:1])}, that has no judgment: if queries are "
                "docs of the collection, leave these rows out, as BEIR does, else all others stand a rank lower"
            )
            yield "query-is-a-doc", len(first), {}, text

    def none_relevant(self) -> Iterator[Said]:
        """The measures to which no doc is relevant."""
        highest = max(rel for docs in self.qrels.values() for rel in docs.values())
        blind = {
            name: measure
            for name, (measure, _) in self.tasks.items()
            if 0 < highest < measure.rel
            and self.own[name].relevant == "at-least"
            and {word(name), word(str(measure))} & OF_THE_RELEVANT
        }
        for threshold in dict.fromkeys(measure.rel for measure in blind.values()):
            names = [name for name, measure in blind.items() if measure.rel == threshold]
            mend = next((one for one in (blind[name] for name in names) if "rel" in one.definition.params), None)
            which = f"no doc is relevant to {three(names)}"
            text = f"{which}: the highest rel is {short(highest)}, and relevant is from {threshold:g} on"
            if mend is not None:
                params = f"rel={min(0.5, highest)}" + (", judged_only=True" if "judged_only" in str(mend) else "")
                cut = f"@{mend.k}" if mend.k is not None else ""
                text += f"; say from which rel on, as {mend.name}({params}){cut}"
            yield "none-relevant", len(names), {"highest": highest}, text

    def unjudged(self) -> Iterator[Said]:
        """The share of docs within each cutoff that have no judgment."""
        first: dict[int, str] = {}
        for name, (measure, _) in self.tasks.items():
            if measure.k is not None and self.own[name].unjudged == "non-relevant":
                first.setdefault(measure.k, name)
        shares: dict[str, float] = {}
        most = 0
        for k, name in sorted(first.items()):
            tops = [(q, d) for q in self.common for d in ranked(self.run[q], self.own[name])[:k]]
            without = [d for q, d in tops if d not in self.qrels[q]]
            if without:
                shares[f"@{k}"] = len(without) / len(tops)
                most = max(most, len(without))
        if shares:
            told = ", ".join(f"{short(share)} {k}" for k, share in list(shares.items())[:3])
            more = f" and at {len(shares) - 3} more cutoff{'s' * (len(shares) > 4)}" if len(shares) > 3 else ""
            which = "docs within the cutoff that have no judgment, and count as not relevant"
            yield "unjudged", most, shares, f"the share of {which}: {told}{more}"

    def ties(self) -> Iterator[Said]:
        """What the order of tied docs can do."""
        known: dict[str, tuple[float, float]] = {}
        counts: dict[str, int] = {}
        for name, (measure, conventions) in self.tasks.items():
            own = self.own[name]
            if own.order != "score" or own.ties not in {"docid-desc", "docid-asc", "input", "input-reversed"}:
                continue
            ends = [self.of.worths(measure, conventions.replace(ties=end)) for end in ("worst", "best")]
            means = [self.of.answer(measure, conventions.replace(ties=end)).mean for end in ("worst", "best")]
            if moved := [q for q in self.common if ends[0].get(q) != ends[1].get(q)]:
                counts[name] = len(moved)
                known |= {} if None in means else {name: (to_float(means[0]), to_float(means[1]))}
        if not counts:
            return
        count, others = max(counts.values()), [name for name in counts if name not in known]
        of = "in 1 query" if count == 1 else f"in {count} queries"
        parts = []
        if known:
            n = {name: digits(*ends) for name, ends in known.items()}
            each = [f"{m} from {a:.{n[m]}f} (worst) to {b:.{n[m]}f} (best)" for m, (a, b) in known.items()]
            parts.append(f"the order of tied docs alone moves {three(each)}, {of}")
        if others:
            what = f"the order of tied docs moves queries of {three(others)}"
            parts.append(f"{what}, whose worst and best mean are the same or undefined")
        yield "ties", count, known, f"{'; '.join(parts)}; {self.by('ties', counts)}"


OF_THE_RELEVANT = {"P", "AP", "RR", "R", "NumRelRet", "Success", "Bpref", "F"}


def word(measure: str) -> str:
    """The name of a measure without its parameters and its cutoff."""
    return re.split(r"[(@]", measure)[0]


def number(value: Fraction | None) -> float | str:
    """A value as JSON has it."""
    return "nan" if value is None else to_float(value)


def near(a: float | str | None, b: float | str | None) -> bool:
    """Whether two numbers are one, or two words."""
    return math.isclose(a, b, rel_tol=1e-11) if isinstance(a, float) and isinstance(b, float) else a == b


def three(texts: Sequence[str]) -> str:
    """The first of some, and how many there are more."""
    return ", ".join(texts[:3]) + f" and {len(texts) - 3} more" * (len(texts) > 3)


def few(ids: Sequence[str]) -> str:
    """Three of some ids."""
    return three([*map(repr, ids)])


def plain(name: str) -> str:
    """An id without what people write in two ways."""
    text = name.strip().lower().removesuffix(".0")
    while text[:1] == "0" and text[1:2].isdigit():
        text = text[1:]
    return text


def pairs_of(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of ids that are one but for how they are written; of several of ours the last."""
    return [(mine[-1], one) for one in theirs if (mine := [own for own in ours if plain(own) == plain(one)])]


def told_alike(kind: str, what: str, pairs: Sequence[tuple[str, str]]) -> Iterator[Said]:
    """That ids differ only in how they are written."""
    if pairs:
        first = f"{pairs[0][0]!r} of the qrels and {pairs[0][1]!r} of the run{f', and {len(pairs) - 1} more' * (len(pairs) > 1)}"
        text = f"{what} that differ only in how they are written: {first}; ids are compared as text, so these are two"
        yield kind, len(pairs), {}, text


def digits(a: float, b: float) -> int:
    """How many decimals tell two numbers apart."""
    return next(n for n in range(4, 18) if abs(a - b) >= 10.0**-n or math.isnan(a - b))


def key_of(own: Conventions) -> Any:
    """What scores are compared by."""
    return as_float32 if own.score == "f32" else float


def ranked(docs: Mapping[str, float], own: Conventions) -> list[str]:
    """The docs of a run in one order."""
    names = [d for d in docs if own.score_sign != "positive" or docs[d] > 0]
    if own.order == "input":
        return names
    if "docid" in own.ties:
        names.sort(key=str.encode, reverse=own.ties == "docid-desc")
    return sorted(names[::-1] if own.ties == "input-reversed" else names, key=lambda d: -key_of(own)(docs[d]))


BOTH_WAYS = [*((seed, "rows") for seed in range(36)), *((seed, "columns") for seed in range(0, 26, 2))]
ALSO: Sequence[Mapping[str, str]] = (
    {},
    {},
    {"Success@3": "order=input missing=dropped extra=measured"},
    {"P@7": "missing=nan"},
)


@pytest.mark.parametrize(("seed", "by"), BOTH_WAYS)
def test_all_that_is_said_of_runs_is_so(seed: int, by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    c = chance(("evaluated", seed))
    qrels, runs = drawn(c, ["z", "b", "m"])
    measures, spec = c.sample(MEASURES, c.randint(3, 8)), c.choice(PROFILES)
    if by == "columns":
        monkeypatch.setattr(quick, "SMALL_ROWS", 0)
    also = chance(("also", seed)).choice(ALSO)
    models = {system: Model(qrels, run, {**dict.fromkeys(measures, spec), **also}) for system, run in runs.items()}
    words = {name: own.replace("=", ":").replace(" ", "|") for name, own in also.items()}
    signed = [f"{name}|{own}|by:reference|rankproof:0.1.0" for name, own in words.items()]
    if any(map(cannot_be_right, models.values())):
        with pytest.raises(BadInput):
            rankproof.evaluate(measures, qrels, runs, profile=spec, signature=signed)
        return
    found = rankproof.evaluate(measures, qrels, runs, profile=spec, signature=signed)
    assert list(found) == list(runs)
    for system, model in models.items():
        told = found[system].as_json(per_query=True)
        assert_values(told["measures"], model.json())
        assert_cautions(told["warnings"], list(model.cautions()))


def cannot_be_right(model: Model) -> bool:
    """Whether a run is refused whole."""
    if not model.common:
        return True
    blind = sum(count for _, count, _, _ in model.none_relevant())
    return blind == len(model.tasks) and not any("rel=" in name for name in model.tasks)


def assert_values(told: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Each measure with its signature, its mean and, where they are told, its values, all in their order."""
    assert list(told) == list(wanted)
    for name, one in wanted.items():
        mine = told[name]
        assert (mine.keys(), mine["signature"]) == (one.keys(), one["signature"])
        assert near(mine["mean"], one["mean"])
        values, own = one.get("per_query", {}), mine.get("per_query", {})
        assert list(own) == list(values)
        assert [query for query, value in values.items() if not near(own[query], value)] == []


def assert_cautions(told: Sequence[Mapping[str, Any]], wanted: Sequence[Said]) -> None:
    """Each caution with its count, its numbers and its words."""
    assert [one["kind"] for one in told] == [kind for kind, *_ in wanted]
    for one, (_, count, values, text) in zip(told, wanted, strict=True):
        assert (one["count"], one["text"]) == (count, text)
        assert list(one["values"]) == list(values)
        for name, value in values.items():
            assert one["values"][name] == pytest.approx(value)


# -- the command ---------------------------------------------------------------------------------------------------------

NAMES = ("gm_map", "ndcg_cut_3", "map", "P.2", "P@1", "nDCG@3", "RR", "NumRelRet", "R@5", "Judged@5", "ERR@10")
MEAN_ALONE = {"gm_map"}
"""Of this trec_eval prints the mean alone."""


def written(qrels: Qrels, runs: Mapping[str, Run], folder: Path) -> list[str]:
    """The paths of TREC files, without what a file cannot hold."""
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {rel}\n" for q, docs in qrels.items() for d, rel in docs.items()))
    for name, run in runs.items():
        rows = (f"{q} Q0 {d} 1 {s!r} t\n" for q, docs in run.items() for d, s in docs.items())
        (folder / name).write_text("".join(rows))
    return [str(folder / name) for name in ("qrels", *runs)]


def cells_of(form: str, out: str) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of a table in some form."""
    if form == "csv":
        header, *rows = list(csv.reader(out.splitlines()))
        return header, [[cell.removeprefix("'") for cell in row] for row in rows]
    if form == "markdown":
        lines = [re.split(r"(?<!\\)\|", html.unescape(line))[1:-1] for line in out.splitlines()]
        header, _, *rows = [[re.sub(r"\\(.)", r"\1", cell.strip()) for cell in line] for line in lines]
        return header, rows
    if form == "latex":
        lines = [re.split(r"(?<!\\)&", line[:-3].removeprefix("{}")) for line in out.splitlines() if " & " in line]
        bare = [[cell.strip().replace(r"\textbar{}", "|") for cell in line] for line in lines]
        header, *rows = [[re.sub(r"\\([#$%&_{}])", r"\1", cell) for cell in line] for line in bare]
        return header, rows
    raise ValueError(form)


def without_blanks(of: Mapping[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """The same of queries that a file can name."""
    return {query.replace(" ", "_"): docs for query, docs in of.items()}


@pytest.mark.parametrize("seed", range(24))
def test_the_command_says_the_same_in_each_form(seed: int, tmp_path: Path) -> None:
    c = chance(("command", seed))
    systems = c.sample(["z_1", "b&w", "m#", "a%"], c.choice([1, 1, 3]))
    qrels, runs = drawn(c, systems)
    qrels = {"mean": {"d1": 1.0}} | without_blanks(qrels)
    runs = {name: {"mean": {"d1": 3.0, "é": 5.0}} | without_blanks(run) for name, run in runs.items()}
    names = c.sample(NAMES, c.randint(2, 5))
    spec, per_query = c.choice(["standard", "missing=dropped", "norel=nan ties=docid-asc"]), c.random() < 0.6
    models = {system: Model(qrels, run, dict.fromkeys(names, spec)) for system, run in runs.items()}
    form = ("csv", "markdown", "latex", "trec_eval", "json", "table")[seed % 6]
    args = [*written(qrels, runs, tmp_path), *(f"-m{name}" for name in names), "--profile", spec, "--format", form]
    args += ["--per-query"] * per_query
    if any(map(cannot_be_right, models.values())):
        return
    done = CliRunner().invoke(command, [*args, "--jobs", "1"] if len(runs) > 1 else args, catch_exceptions=False)
    assert done.exit_code == 0
    values = {system: model.json() for system, model in models.items()}
    said: dict[str, list[str]] = {}
    for system, model in models.items():
        for *_, text in model.cautions():
            said.setdefault(text, []).append(system)
    whose = {text: "" if len(own) == len(runs) else f"{', '.join(own[:3])}: " for text, own in said.items()}
    warned = [f"warning: {printable(who + ' '.join(text.split()))}" for text, who in whose.items()]
    assert done.stderr.splitlines() == warned
    if form == "json":
        assert_json(json.loads(done.stdout), models, args, spec, per_query=per_query)
    elif form == "trec_eval":
        assert done.stdout.splitlines() == list(lines_of_trec_eval(values, names, per_query=per_query))
    else:
        rows = list(rows_of(values, names, per_query=per_query))
        if form == "table":
            lines = [line.split() for line in done.stdout.splitlines()]
            header, found = lines[0], lines[1 : 1 + len(rows)]
            meant = {name: str(called(name)[0].measure) for name in names if name != "gm_map"}
            beside = [f"{name} is {measure}" for name, measure in meant.items() if measure != name]
            assert [" ".join(line) for line in lines[1 + len(rows) :]] == beside
            assert [[cell for cell in row if cell != ""] for row in rows] == found
        else:
            header, found = cells_of(form, done.stdout)
            assert ([[round_to_4(cell) for cell in row] for row in found] if form == "csv" else found) == rows
        several = (["system"] if len(runs) > 1 else []) + (["query"] if per_query else [])
        texts, numbers = len(several) or 1, len(names) if several else 1
        if form == "latex":
            assert done.stdout.startswith(rf"\begin{{tabular}}{{{'l' * texts}{'r' * numbers}}}" + "\n")
        if form == "markdown":
            assert done.stdout.splitlines()[1] == f"| {' | '.join(['---'] * texts + ['---:'] * numbers)} |"
        assert header == ([*several, *names] if several else ["measure", "mean"])


def round_to_4(cell: str) -> str:
    """A value with all its digits in four decimals; a word as it is, and the query 7.0."""
    return f"{float(cell):.4f}" if re.fullmatch(r"-?\d+\.\d+(e-\d+)?", cell) and cell != "7.0" else cell


def shown(value: float | str | None) -> str:
    """A value in four decimals."""
    return "" if value is None else value if isinstance(value, str) else f"{value:.4f}"


def rows_of(values: Mapping[str, Any], names: Sequence[str], *, per_query: bool) -> Iterator[list[str]]:
    """The rows of a table."""
    queries = {q for of in values.values() for one in of.values() for q in one["per_query"]}
    mean = next(text for text in ("mean", "(mean)", "((mean))") if text not in queries)
    for system, of in values.items():
        own = [system] if len(values) > 1 else []
        if not own and not per_query:
            yield from ([name, shown(of[name]["mean"])] for name in names)
            return
        every = dict.fromkeys(q for name in names for q in of[name]["per_query"]) if per_query else {}
        yield from ([*own, q, *(shown(of[name]["per_query"].get(q)) for name in names)] for q in every)
        yield [*own, *([mean] if per_query else []), *(shown(of[name]["mean"]) for name in names)]


def lines_of_trec_eval(by_system: Mapping[str, Any], names: Sequence[str], *, per_query: bool) -> Iterator[str]:
    """The lines as trec_eval has them: queries by their bytes, and of each all measures."""
    meant = {name: called(name)[0] for name in names}
    theirs = {name: name if one.changes else in_trec_eval(one.measure) or name for name, one in meant.items()}

    def line(name: str, query: str, value: float | str) -> str:
        is_count = name == "NumRelRet"
        text = f"{value:>6}" if isinstance(value, str) else str(int(value)) if is_count else f"{value:.4f}"
        return f"{theirs[name]:<22}\t{printable(query)}\t{text}"

    for system, of in by_system.items():
        if len(by_system) > 1:
            yield f"{'runid':<22}\tall\t{system}"
        queries = sorted({q for one in of.values() for q in one["per_query"]}, key=str.encode) if per_query else []
        for query in queries:
            told = {name: of[name]["per_query"] for name in names if name not in MEAN_ALONE}
            yield from (line(name, query, values[query]) for name, values in told.items() if query in values)
        yield from (line(name, "all", of[name]["mean"]) for name in names)


def assert_json(
    told: Mapping[str, Any], models: Mapping[str, Model], args: Sequence[str], spec: str, *, per_query: bool
) -> None:
    """What programs read: where all comes from, and of each run its values and cautions."""
    assert (told["qrels"], told["profile"]) == (args[0], spec)
    each = told["runs"] if len(models) > 1 else [told]
    for (system, model), one, path in zip(models.items(), each, args[1:], strict=False):
        assert one.get("system", system) == system
        assert one["run"] == path
        assert_values(one["measures"], model.json(per_query=per_query))
        assert_cautions(one["warnings"], list(model.cautions()))


# -- what nothing decided -------------------------------------------------------------------------------------------------

OPEN = {
    "missing": ("0", "dropped", "nan", "nan-dropped", "absent-as-0"),
    "norel": ("0", "dropped", "nan", "1", "rejected"),
    "extra": ("ignored", "measured", "rejected"),
    "unjudged": ("non-relevant", "rejected", "removed"),
    "ties": ("docid-desc", "docid-asc", "input", "unspecified", "expectation"),
    "score": ("f64", "f32"),
    "mean": ("arithmetic", "geometric"),
    "order": ("score", "input"),
}
NEVER_FIRST = {"rejected", "unspecified"}
Words = tuple[float | None, str]


def open_choice(model: Model, name: str, axis: str, values: Sequence[str], *, is_tied: bool) -> dict[str, Words]:
    """Each other value that makes something else of a measure: the mean by it, and the word for it."""
    measure, taken = model.tasks[name]
    base = model.of.answer(measure, taken)
    found: dict[str, Words] = {}
    for value in values[1:]:
        if value == "unspecified":
            continue
        try:
            other = model.of.answer(measure, taken.replace(**{axis: value}))
        except ValueError:
            found[f"{axis}={value}"] = None, "refused"
            continue
        sides = [{q: number(v) for q, v in one.per_query.items()} for one in (base, other)]
        is_same = sides[0].keys() == sides[1].keys() and all(near(v, sides[1][q]) for q, v in sides[0].items())
        if not is_same or not near(number(base.mean), number(other.mean)):
            a, b = to_float(base.mean), to_float(other.mean)
            is_near = near(number(base.mean), number(other.mean))
            text = "the same mean, of other values by query" if is_near else f"{b:.{digits(a, b)}f}"
            found[f"{axis}={value}"] = b, text
    if axis == "ties" and "unspecified" in values[1:] and is_tied:
        found["ties=unspecified"] = None, "not measured"
    return found


def in_brackets(of: Mapping[str, Mapping[str, Words]], change: str) -> str:
    """What the measures are by a change, of those that it moves."""
    said = {name: others[change][1] for name, others in of.items() if change in others}
    first = next(iter(said.values()))
    if {*said.values()} == {first} and first in {"refused", "not measured", "the same mean, of other values by query"}:
        return first if len(said) == len(of) else f"{', '.join([*said][:3])}: {first}"
    return three([f"{name} {text}" for name, text in said.items()])


@pytest.mark.parametrize("seed", range(50))
def test_what_nothing_decided_is_told_with_what_it_could_make_of_each_measure(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every second world by columns."""
    monkeypatch.setattr(quick, "SMALL_ROWS", 0 if seed % 2 else quick.SMALL_ROWS)
    c = chance(("undecided", seed))
    qrels, runs = drawn(c, ["run"])
    run, names = runs["run"], c.sample(["P@2", "AP", "R@5", "nDCG@3", "RR", "Success@1", "P@5"], c.randint(1, 5))
    axes = c.sample(list(OPEN), c.randint(1, 3))
    still = {axis: c.sample(OPEN[axis], c.randint(2, len(OPEN[axis]))) for axis in axes}
    still = {axis: values[::-1] if values[0] in NEVER_FIRST else values for axis, values in still.items()}
    if any(values[0] in NEVER_FIRST for values in still.values()) or len({"order", "ties", "score"} & {*still}) > 1:
        return  # one of which is idle beside another is told with it
    open_axes = "|".join(f"{axis}:?{'/'.join(values)}" for axis, values in still.items())
    signatures = [f"{name}|{open_axes}|by:x-1|rankproof:0.1.0" for name in names]
    spec = " ".join(f"{axis}={values[0]}" for axis, values in still.items())
    model = Model(qrels, run, dict.fromkeys(names, spec))
    try:
        result = rankproof.evaluate([], qrels, run, signature=signatures)
    except ValueError:
        return  # it is refused by what is taken
    taken = {axis: values[0] for axis, values in still.items()}
    assert {name: dict(axes) for name, axes in result.taken.items()} == dict.fromkeys(names, taken)
    told = [one for one in result.as_json(per_query=False)["warnings"] if one["kind"] == "undetermined"]
    of_ties = [(values, text) for kind, _, values, text in model.cautions() if kind == "ties"]
    tied = {name for name in names if f" {name}" in "".join(text for _, text in of_ties)}
    counted = tied.union(*(values for values, _ in of_ties))
    wanted: dict[str, dict[str, dict[str, Words]]] = {}
    for name in names:
        for axis, values in still.items():
            if moved := open_choice(model, name, axis, values, is_tied=name in counted):
                wanted.setdefault(axis, {})[name] = moved
    texts = {}
    for axis, of in wanted.items():
        means = {name: to_float(model.of.answer(*model.tasks[name]).mean) for name in of}
        is_ = three([f"{name} is {mean:.4f}" for name, mean in means.items()])
        changes = dict.fromkeys(change for words in of.values() for change in words)
        could = ", or ".join(f"{change} ({in_brackets(of, change)})" for change in changes)
        matters = f"{axis} is undetermined and can matter here"
        text = f"{matters}: taken as {axis}={still[axis][0]}, {is_}; it could be {could}"
        others = {f"{n} {change}": v for n, words in of.items() for change, (v, _) in words.items()}
        numbers = {name: v for name, v in (means | others).items() if v is not None and math.isfinite(v)}
        texts[text] = len(of), numbers
    assert {one["text"]: one["count"] for one in told} == {text: count for text, (count, _) in texts.items()}
    for one in told:
        assert one["values"] == pytest.approx(texts[one["text"]][1])
