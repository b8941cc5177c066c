"""The page of an explanation has all that is explained; its charts, and the figure for papers, are drawn to scale."""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest
from seen_pages import EVIL, seen, without_spaces

from rankproof.explain import one_sentence
from rankproof.explain.asked_data import AskedData
from rankproof.explain.explanation import Explanation, Wish, explain
from rankproof.inference.reference_answers import CannotTell, Obstacle, Refused, Values, reading_of
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.site import difference_charts, explanation_page
from rankproof.site.difference_charts import BOTTOM, HEIGHT, TOP, drawings
from rankproof.text import short as in_short


def explanation(*names: str, system: str = "mine", evil: bool = False) -> Explanation:
    """Of two queries that differ by the order of tied docs, and one that does not."""
    ids = EVIL if evil else ["a", "b", "c"]
    queries = EVIL[:3] if evil else ["1", "2", "3"]
    qrels = {query: [Judgment(ids[0], 1), Judgment(ids[1], 0)] for query in queries}
    tied, clear = [1.0] * len(ids), [float(-i) for i in range(len(ids))]
    run = {
        query: [QueryRow(doc, score) for doc, score in zip(ids, scores, strict=True)]
        for query, scores in zip(queries, (tied, tied, clear), strict=True)
    }
    return explain(system, AskedData(qrels, run), parse_measure("RR"), Wish(names, whole=True, of_most=True))


def test_the_charts_are_of_those_who_differ_in_most_queries() -> None:
    """By docids ascending four queries of tied docs differ, by the rows three of them, by removal two, by norel one, for two profiles."""
    tied = {str(i): [QueryRow(doc, 1.0) for doc in ("ba" if i == 4 else "ab")] for i in (1, 2, 3, 4)}
    unjudged = {query: [QueryRow("z", 2.0), QueryRow("a", 1.0)] for query in ("5", "6")}
    qrels = {query: [Judgment("a", int(query != "7")), Judgment("b", 0)] for query in "1234567"}
    names = ("standard", "norel=1", "norel=1 mean=geometric", "unjudged=removed", "order=input", "ties=docid-asc")
    run = {**tied, **unjudged, "7": [QueryRow("a", 1.0)]}
    told = explain("mine", AskedData(qrels, run), parse_measure("RR"), Wish(names, whole=True, of_most=True))
    assert [len(one.table) for one in drawings(told) if "differ" in one.title or "less" in one.title][:3] == [4, 3, 2]


def test_a_page_says_what_turns_one_mean_into_another_where_no_query_differs() -> None:
    """Three queries worth 1, 1/2 and 1/4: their mean is .5833, and their geometric mean 1/2."""
    docs = {"1": "axyz", "2": "xayz", "4": "xyza"}
    run = {query: [QueryRow(doc, -float(at)) for at, doc in enumerate(own)] for query, own in docs.items()}
    data = AskedData({query: [Judgment("a", 1)] for query in run}, run)
    told = explain("mine", data, parse_measure("RR"), Wish(("standard", "mean=geometric", "ties=docid-asc")))
    page = explanation_page.page([told])
    shown = page[page.index("Why they differ") :].partition("<h2")[0].partition("</section>")[0]
    assert "mean=geometric" in shown
    assert "-.0833" in shown.replace("\u2212", "-")
    assert "ties=docid-asc" not in shown, "whose values and mean are the same"


def seen_of(told: Explanation, number: int, *, drawn: int) -> Iterator[str]:
    """What a page tells of one run and one measure; of the charts their words alone, and `drawn` rows of their numbers."""
    refused = {one.conventions.spec(): one.answers.reason for one in told.sayings if isinstance(one.answers, Refused)}
    yield f"#s{number}#s{number}-h{told.measure} of {told.system}{one_sentence.sentence(told)}"
    whose = (f"{name} ({tool.whose})" for name, tool in told.read.items())
    yield f"Read in a source, and not proved by a fingerprint: {', '.join(whose)}." if told.read else ""
    yield "Who gives what{Means}¶|(n)mean|by|not as in standard, where it can matter here"
    for one in told.sayings:
        spec = one.conventions.spec()
        yield f"¶|(n)⟪t=mean⟫{one_sentence.value_of(one.answers)}|{', '.join(one.names)}{refused.get(spec, '')}|{spec}"
    yield f"Why they differ From {told.sayings[0].names[0]} to each of the others: the queries that differ, by the smallest set of"
    yield "changes that does it, and what each change adds to the mean where those before it are made. The parts sum to the difference"
    yield "exactly.{Attribution}¶|by|(n)mean|queries|change|(n)adds"
    for one in told.sayings[1:]:
        why = one.attribution
        assert why is not None
        adds = [(one_sentence.in_words(step.changes), in_short(to_float(step.adds))) for step in why.steps if step.adds]
        own = ["".join(one_sentence.cause_in_words(told, cause) for cause in why.causes)]
        wide = f"⟪rowspan={max(len(adds), 1)}⟫"
        head = f"¶|{wide}{' and '.join(one.names)}|(n)⟪t=mean⟫{wide}{one_sentence.value_of(one.answers)}|{wide}{own[0]}"
        rows = [f"|{change}|(n)⟪t=adds⟫{by}" for change, by in adds or [("", "")] if own[0] or adds]
        yield head * bool(rows) + "¶".join(rows)
    yield from seen_charts_and_ties(told, drawn)
    if told.effects is None:
        yield "What every convention would do was not worked out, as there is much data: ask with --whole."
    rows = [
        f"¶|{one.axis}={one.value}|{AXES[one.axis].phrase(one.value)}|(n)⟪t=mean⟫{one_sentence.value_of(one.answers)}"
        f"|(n)⟪t=queries moved⟫{len(one.moved)}"
        for one in sorted(told.effects or (), key=lambda one: -len(one.moved))
        if one.moved or isinstance(one.answers, Refused)
    ]
    head = "What one change of standard does{Changes of standard}¶|change|in words|(n)mean|(n)queries moved"
    yield "".join([head * bool(rows), *rows])
    yield "What the data has{What the data has}¶|what|(n)queries|(n)in all"
    yield from (f"¶|{fact.what}|(n){len(fact.queries)}|(n){fact.count:,}" for fact in told.facts)
    yield from seen_side_by_side(told)


def seen_charts_and_ties(told: Explanation, drawn: int) -> Iterator[str]:
    ties = told.envelope
    for chart in drawings(told):
        yield f"{{{chart.title}}}{''.join(text for _, text in [*chart.up, *chart.names])}{chart.below}{chart.title}"
        yield f"[The same in numbers{{The same in numbers}}¶|{'|(n)'.join(chart.columns)}"
        yield from (f"¶|{'|(n)'.join(row)}" for row in chart.table[:drawn])
        left = len(chart.table) - drawn
        yield (f"… and {left} more, by --json" if left > 0 else "") + "]"
    yield f"Ties Docs retrieved for a query have the same score in {len(ties.tied)} of {len(told.queries)} queries"
    yield f", across rank {told.measure.k} in {len(ties.across)}." if told.measure.k else "."
    found = explanation_page.tie_range(told)
    if found is not None:
        tools = "".join(f"; {names}: {value}" for _, value, names in found.tools)
        yield f"{{From {found.worst} in the worst order of tied docs to {found.best} in the best one{tools}}}"
        yield f"worst {found.worst} best {found.best}{''.join(f'{value} {names}' for _, value, names in found.tools)}"
        yield "What the order of tied docs can do to the mean, and where the tools stand"
        yield "" if found.middle is None else "; the dot is the mean over all orders"
    for end, called in {"worst": "the worst order", "expectation": "", "best": "the best order"}.items():
        yield f"•{f'in {called}' if called else 'over all orders'}:{one_sentence.value_of(ties.ends[end])}"


def seen_side_by_side(told: Explanation) -> Iterator[str]:
    side = told.side_by_side
    if side is None:
        return
    alike: dict[str, list[str]] = {}
    for one, ranking in zip(told.sayings, side.of, strict=True):
        letter = "refused" if ranking is None else "ABCDEFGHIJ"[ranking]
        alike.setdefault(f"{letter} {in_short(reading_of(one.answers, side.query))}", []).extend(one.names)
    yield f"Ranks side by side, for query {side.query}"
    yield from (f"•{shown}{one_sentence.some_names(names)}" for shown, names in alike.items())
    yield f"{{Ranks side by side}}¶|doc|rel|score|tie|{'|'.join('ABCDEFGHIJ'[: side.count])}"
    for doc in side.docs:
        rel = "unjudged" if doc.rel is None else f"{'(rel)' * (doc.rel >= 1)}{doc.rel}"
        yield f"¶|{doc.doc}|{rel}|{'not retrieved' if doc.score is None else f'{doc.score:g}'}|{doc.tied or ''}"
        for ranks in doc.ranks:
            yield "|–" if ranks is None else f"|{ranks[0]}" if ranks[0] == ranks[1] else f"|{ranks[0]}–{ranks[1]}"
    yield f"… and {side.left_out} more docs of which the ranks differ" if side.left_out else ""


NAMES = (
    "standard",
    "order=input",
    "ties=expectation",
    "norel=rejected",
    "ideal=given",
    "norel=1 gain=exp ties=best",
    "unretrieved=appended",
    "missing=dropped norel=dropped",
)


@pytest.mark.parametrize("measure", ["nDCG@2", "RR"])
def test_a_page_has_all_that_is_explained_of_a_run_and_of_several(
    monkeypatch: pytest.MonkeyPatch, measure: str
) -> None:
    """Four queries: of tied docs, of a doc without a judgment, of nothing odd, and of no relevant doc; three have ties, two at rank 2."""
    monkeypatch.setattr(explanation_page, "TABLED", 1)
    rels = {"1": {"a": 1, "b": 0, "g": 2}, "2": {"a": 2, "b": 0}, "<3>": {"c": 1}, "4": {"a": 0}}
    docs: dict[str, dict[str, float]] = {
        "1": {"a": 1.5, "b": 1.5, "c": 1.5, "e": -1, "h": -1},
        "2": {"x": 3, "a": 1, "b": 1},
        "<3>": {"c": 2.5},
        "4": {"a": 1, "k": 1},
    }
    qrels = {query: [Judgment(doc, rel) for doc, rel in own.items()] for query, own in rels.items()}
    run = {query: [QueryRow(doc, score) for doc, score in own.items()] for query, own in docs.items()}
    wish = Wish(NAMES, whole=True, query="1")
    told = explain("<mine>", AskedData(qrels, run), parse_measure(measure), wish)
    tool = SimpleNamespace(whose="the <tool>")
    bare = replace(told, effects=None, side_by_side=None, read={"<x>": tool, "y": tool})
    assert told.side_by_side is not None
    why = told.sayings[1].attribution
    assert why is not None
    without_parts = replace(told.sayings[1], attribution=replace(why, steps=()))
    sayings = (told.sayings[0], without_parts, *told.sayings[2:])
    other = replace(told, effects=(), sayings=sayings, side_by_side=replace(told.side_by_side, left_out=3))
    head, _, body = explanation_page.page([told, bare, other], ["a and b", "<c>"]).partition("<body>")
    main = body.partition('<main id="main">')[2].partition("</main>")[0]
    links = "".join(f"{measure}of<mine>→#s{number}" for number in (1, 2, 3))
    parts = [f"3 explanations{{Explanations}}{links}"]
    parts += [part for at, one in enumerate((told, bare, other), 1) for part in seen_of(one, at, drawn=1)]
    said = without_spaces(*parts, "a and b<c>")
    assert re.sub("‹.*?›", "", seen(main)) == said
    assert f"<title>{measure} of &lt;mine&gt; and 2 more · rankproof explain</title>" in head.replace("  ", " ")


def test_a_figure_is_lines_and_text_without_a_script() -> None:
    root = ET.fromstring(explanation_page.figure(explanation("standard", "order=input", evil=True)))  # noqa: S314 - ours
    kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert kinds == {"svg", "title", "style", "g", "text", "line", "path"}
    texts = [element.text for element in root.iter() if element.tag.endswith("}text")]
    assert "RR by order=input, less that by standard" in texts
    assert "the queries that differ (2 of 3), by how much" in texts
    colours = re.findall(r"#([0-9a-f]+)", ET.tostring(root, encoding="unicode"))
    assert all(len(set(colour)) == 1 for colour in colours), "greys"


def test_the_range_of_ties_is_drawn_to_scale_beside_the_tools() -> None:
    # RR of three queries: 1 in the third; in the two others the relevant doc is tied with two: 1/3, 11/18 over all orders, 1.
    found = explanation_page.tie_range(explanation("standard", "order=input", "ties=expectation"))
    assert found is not None
    low, mid, high = (1 / 3 * 2 + 1) / 3, (11 / 18 * 2 + 1) / 3, 1.0
    wide = explanation_page.WIDTH - 2 * explanation_page.MARGIN
    assert (found.low, found.high) == (explanation_page.MARGIN, explanation_page.MARGIN + wide)
    assert found.middle == pytest.approx(explanation_page.MARGIN + wide * (mid - low) / (high - low), abs=0.06)
    assert found.tools == (
        (found.low, ".5556", "standard"),
        (found.middle, ".7407", "ties=expectation"),
        (found.high, "1", "order=input"),
    )
    assert explanation_page.tie_range(of_one_query(QueryRow("a", 1.0))) is None
    alike = of_one_query(QueryRow("a", 2.0), QueryRow("b", 1.0), QueryRow("c", 1.0))
    assert explanation_page.tie_range(alike) is None, "no order of these moves the mean"


def of_one_query(*rows: QueryRow) -> Explanation:
    """RR of a query to which doc a is relevant."""
    return explain("mine", AskedData({"1": [Judgment("a", 1)]}, {"1": rows}), parse_measure("RR"), Wish(("standard",)))


def test_tools_of_one_mean_stand_together_and_what_is_no_number_or_adds_nothing_is_left_out() -> None:
    told = explanation("standard", "order=input", "ties=expectation")
    first, second, third = told.sayings
    why = second.attribution
    assert why is not None
    assert isinstance(third.answers, Values)
    nothing = replace(why, steps=(*why.steps, replace(why.steps[0], adds=Fraction(0))))
    odd, twin = replace(third, answers=replace(third.answers, mean=None)), replace(first, names=("twin", "third"))
    several = replace(told, sayings=(first, replace(second, attribution=nothing), odd, replace(twin, attribution=why)))
    found = explanation_page.tie_range(several)
    assert found is not None
    assert [names for *_, names in found.tools] == ["standard, twin and third", "order=input"]
    _, _, _, parts = explanation_page._attribution(several, several.sayings[1])
    assert parts == ((one_sentence.in_words(why.steps[0].changes), ".4444"),), "from 5/9 to 1"


def test_what_a_tool_gives_beyond_all_orders_of_ties_is_drawn_to_scale_too() -> None:
    # DCG@2 of rels 3 and 1, tied: between 1 + 3 / log2(3) and 3 + 1 / log2(3); by exponential gain above that, as flags below.
    rows = [QueryRow("a", 1.0), QueryRow("b", 1.0)]
    data = AskedData({"1": [Judgment("a", 3), Judgment("b", 1)]}, {"1": rows})
    names = ("standard", "ties=best", "gain=exp", "gain=binary")
    found = explanation_page.tie_range(explain("mine", data, parse_measure("DCG@2"), Wish(names)))
    assert found is not None
    part, margin = 1 / math.log2(3), explanation_page.MARGIN
    values = {"gain=binary": 1 + part, "standard": 1 + 3 * part, "ties=best": 3 + part, "gain=exp": 1 + 7 * part}
    scale = (explanation_page.WIDTH - 2 * margin) / (values["gain=exp"] - values["gain=binary"])
    at = {name: margin + scale * (value - values["gain=binary"]) for name, value in values.items()}
    assert [names for *_, names in found.tools] == list(values)
    assert [x for x, *_ in found.tools] == pytest.approx(list(at.values()), abs=0.06)
    assert (found.low, found.high) == pytest.approx((at["standard"], at["ties=best"]), abs=0.06)


def test_the_bars_of_few_queries_have_their_names() -> None:
    differences, envelope = drawings(explanation("standard", "order=input"))
    assert [name for _, name in differences.names] == [name for _, name in envelope.names] == ["1", "2"]
    assert [x for x, _ in differences.names] == [float(part.split()[0]) for part in differences.bars.split("M")[1:]]
    few, many = (difference_charts._named([float(i) for i in range(n)], [str(i) for i in range(n)]) for n in (16, 17))
    assert (len(few), many) == (16, ())
    assert [difference_charts._places(count)[1] for count in (2, 100)] == [14, round(576 / 100 * 0.72, 2)]
    assert [name for _, name in difference_charts._named([1.0, 2.0], ["a" * 100, "b"])] == ["a" * 37 + "…", "b"]


def test_where_nothing_differs_a_figure_says_so() -> None:
    told = of_one_query(QueryRow("a", 1.0))
    assert drawings(told) == []
    assert "no query differs, and no order of tied docs moves one" in explanation_page.figure(told)


def test_charts_are_drawn_to_scale() -> None:
    # RR of the relevant doc "a", tied with two others: docid-desc puts it last, 1/3; as it comes it is first, 1.
    differences, envelope = drawings(explanation("standard", "order=input"))
    assert [text for _, text in differences.up] == ["0", ".2", ".4", ".6", ".8"], "the greatest difference is 2/3"
    bottom, top = HEIGHT - BOTTOM, TOP
    tip = bottom - (bottom - top) * (2 / 3) / 0.8
    ends = [part.split("V")[1] for part in differences.bars.split("M")[1:]]
    assert ends == [f"{tip:.1f}"] * 2
    assert differences.columns == ("query", "standard", "order=input", "difference")
    assert differences.table == (("1", ".3333", "1", ".6667"), ("2", ".3333", "1", ".6667"))
    # In the worst order 1/3, over all orders (1 + 1/2 + 1/3)/3 = 11/18, in the best 1.
    assert envelope.table == (("1", ".3333", ".6111", "1"), ("2", ".3333", ".6111", "1"))
    assert [text for _, text in envelope.up][-1] == "1"
    spans = [part.split()[1].split("V") for part in envelope.bars.split("M")[1:]]
    assert spans == [[f"{bottom - (bottom - top) / 3:.1f}", f"{top:.1f}"]] * 2


def test_a_chart_has_the_greatest_gain_first_and_of_orders_of_ties_the_best_and_least_open() -> None:
    """RR, by docid descending and ascending: of 1 it is 1/2 and 1, of 2 it is 1 and 1/3, of 3 it is 1/2 and 1/3, of 4 always 1."""
    above = [QueryRow("z", 9.0)]
    run = {"1": "ab", "2": "abc", "3": "ab", "4": "a"}
    rows = {query: above * (query == "3") + [QueryRow(doc, 1.0) for doc in docs] for query, docs in run.items()}
    hits = {"1": "a", "2": "c", "3": "b", "4": "a"}
    data = AskedData({query: [Judgment(doc, 1)] for query, doc in reversed(hits.items())}, rows)
    told = explain("mine", data, parse_measure("RR"), Wish(("standard", "ties=docid-asc")))
    first, other = told.sayings
    told = replace(told, sayings=(first, replace(other, names=("x", "y", "z"))))
    differences, envelope = drawings(told)
    assert differences.title == "RR by x, y and z, less that by standard"
    assert differences.columns == ("query", "standard", "x", "difference")
    assert differences.table == (("1", ".5", "1", ".5"), ("3", ".5", ".3333", "-.1667"), ("2", "1", ".3333", "-.6667"))
    assert envelope.table == (("1", ".5", ".75", "1"), ("2", ".3333", ".6111", "1"), ("3", ".3333", ".4167", ".5"))
    assert envelope.below == "the queries that the order moves (3 of 4); the line across: the mean over all orders"
    ends = {**told.envelope.ends, "expectation": CannotTell(Obstacle.TOO_MANY_ORDERS, "too many")}
    (_, untold) = drawings(replace(told, envelope=replace(told.envelope, ends=ends)))
    assert [row[2] for row in untold.table] == ["cannot be told"] * 3
    assert (untold.dots, untold.below) == ("", "the queries that the order moves (3 of 4)")
