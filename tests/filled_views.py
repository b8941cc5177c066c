"""What no run that is drawn has: views of pages of which each part is there in any number."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

from rankproof.cases import Case
from rankproof.inference.fingerprint_file import AxisFinding
from rankproof.reference_impl.conventions import Axis
from rankproof.site.matrix import NO_MATTER, AxisRow, Column, FormMatrix, WayOnAxis
from rankproof.site.page_sources import Choice
from rankproof.site.pages.library_pages import MeasureRow
from rankproof.site.probed import Probed


def texts(many: int, what: str) -> list[str]:
    """So many, all different, one of them with what must not be obeyed."""
    return [f"{what} {i}{'<b>&' if i == 1 else ''}" for i in range(many)]


def filled(many: int, near: str, far: str = "gone/case") -> dict[str, Any]:
    """The parts of a view, each of so many."""
    forms = [(shown, f"matrix/{i}.html") for i, shown in enumerate(texts(many, "form"))]
    says = [f"the {'long ' * i * 4}text <{i}>" for i in range(many)]
    pins = [[((case, f"v{i}", None, "<1>"), texts(i, "AP")) for case in (near, far)] for i in range(many)]
    sheet = SimpleNamespace(speaks_of="1.<2>", precision="<4> decimals", homepage="https://x.example/home")
    sheet.issues = "https://x.example/issues"
    sheet.versions = [SimpleNamespace(pattern=text, known=f"it <{text}>") for text in texts(many - 1, "2.*")]
    return {
        "columns": ["Ties", "<Gain>"],
        "compared": forms,
        "sheet": sheet if many else None,
        "past": past(many, near, far) if many else None,
        "variants": [way(i, many, near, says) for i in range(many)],
        "tables": [{"way": "<way> of more than thirty letters", "rows": rows(forms, near, far)}],
        "exceptions": [(why, f"https://x.example/{i}" if i % 2 else "", i, pins[i]) for i, why in enumerate(says)],
    }


def past(many: int, near: str, far: str) -> dict[str, Any]:
    at = {"case": (near, far)[many % 2], "measure": "nDCG@<2>"}
    said = {"witness": at, "before": "1", "after": "<2>"}
    changes = [
        {"measure": f"m<{i}>", "variants": texts(i, "way"), "behind": "<i>" * (i % 2), "answers": i, **said}
        for i in range(many)
    ]
    step = {"from": "1.0<p>", "to": "2.0", "beside": None, "changes": changes}
    asked = {"variant": "v<i>", "measure": "AP", "by_version": texts(many, "is")}
    answers = [asked | {"case": case, "query": query} for case, query in ((near, None), (far, "q<1>"))]
    steps = [step, step | {"beside": " beside <it>\n"}]
    return {"versions": texts(many, "1."), "steps": steps[: many // 2], "answers": answers[: many - 1]}


def rows(places: Sequence[tuple[str, str]], near: str, far: str) -> list[MeasureRow]:
    cells = tuple(product(("", "undetermined", "by <docid>"), (True, False), (near, far)))
    return [MeasureRow(tuple(places[:i]), cells[i:], tuple(texts(i, "more"))) for i in range(len(places) + 1)]


def way(nth: int, many: int, case: str, says: Sequence[str]) -> dict[str, Any]:
    """A way to ask, of which each part is there in some: those after the first have more and more."""
    shared = AxisFinding("ties", "docid", case, "AP", {}, same=("<input>", "random"))
    witnesses = ("", "gone/case", case) * many
    found = [AxisFinding("norel", f"<{i}>", witnesses[i], "AP", {}, same=tuple(texts(i, "or"))) for i in range(nth)]
    prints = [
        SimpleNamespace(
            key=f"F{i}<@k>",
            explained=i,
            asked=many,
            missed=texts(i, "lost"),
            signature=f"F{i}|<a>",
            undecided=("gain", "ties")[: i % 3],
        )
        for i in range(many)
    ]
    groups = [(prints[i:], found[:i], [(one, texts(i, "K")) for one in prints[i:]]) for i in range(many)]
    choices = [
        Choice(f"<{i}>", i % 2 == 0, tuple(texts(i + 6, "AP")), witnesses[i + 1], "", tuple(texts(i, "x")))
        for i in range(nth)
    ]
    asked, answers = ("a?", "b<?>"), ("<1>", "2")
    probed = [
        Probed("twist", text, tuple(texts(i + 1, "P")), asked, answers, "{<>}" * i * 100) for i, text in enumerate(says)
    ]
    tally = {"agrees": 1000 * nth, "known": nth} if nth else {}
    torn = [("gain", choices), ("ties", choices[1:])] if nth % 3 == 1 else []
    return {
        "name": f"w {nth}<i>",
        "means": "<means>" * (nth % 2),
        "tally": tally,
        "shared": {1: shared} if nth % 2 else {},
        "fingerprints": groups if nth % 4 > 1 else [],
        "divided": torn,
        "probes": probed if nth % 4 == 3 else [],
    }


# -- a measure, an axis, a matrix ---------------------------------------------------------------------------------------


def asking(many: int, cases: Sequence[Case]) -> list[Case]:
    """So many cases."""
    return [
        replace(cases[i % len(cases)], question=text) for i, text in enumerate(texts(many, "with `code`, it is asked"))
    ]


def measure_with(many: int, cases: Sequence[Case]) -> dict[str, Any]:
    """The parts of the page of a measure, each of so many."""
    sayings = [
        [
            SimpleNamespace(shown=text, voices=[SimpleNamespace(who=texts(i + 1, "w"))] * i)
            for i, text in enumerate(texts(n, "."))
        ]
        for n in range(many)
    ]
    people = [[(f"lib{i}", f"called <{i}>") for i in range(n + 1)] for n in range(many)]
    kinds = ("text", "disputed", "disputed lines", "formula", "source")
    who = [(some, "by <docid>" * (n % 2)) for n, some in enumerate(people)]
    asked = enumerate(asking(many - 1, cases))
    return {
        "what": "it counts <b>.",
        "elsewhere": texts(many, "name"),
        "whys": bool(many % 2),
        "said": [(kinds[i % 5], f"it `is` so <{i}>") for i in range(many)],
        "disputes": [SimpleNamespace(case=case, measure=f"m<{i}>", sayings=sayings[i]) for i, case in asked],
        "forms": [(f"k{i}", text, f"matrix/{i}.html", who[:i]) for i, text in enumerate(texts(many, "form"))],
        "compared": [(text, f"compare/{i}.html") for i, text in enumerate(texts(many, "form"))],
    }


def axis_with(many: int, axis: Axis, cases: Sequence[Case]) -> dict[str, Any]:
    """The parts of the page of an axis, each of so many; who takes a value are none, one, and so on up to so many."""
    ways = [(f"lib{i}", f"way {i}<b>") for i in range(many)]
    witnesses = [("", "gone/case", cases[0].id)[i % 3] for i in range(many)]
    made = [
        Choice("x", i % 2 == 0, tuple(texts(i, "AP")), witnesses[i], f"<why {i}>" * (i % 5 > 0)) for i in range(many)
    ]
    takers = [(ways[i], made[i], tuple(texts(i % 3, "or"))) for i in range(many)]
    effects = [
        None
        if i % 4 == 0
        else SimpleNamespace(
            rows=i**5, largest=(i % 4 - 1) / 3, witness=f"{(cases[0].id, 'gone/case')[i % 2]} nDCG@<2>"
        )
        for i in range(many + 1)
    ]
    named = [axis.default, *(f"value <{i}>" for i in range(many))]
    return {
        "values": [(value, f"it <does> {i}", takers[: i or many], effects[i]) for i, value in enumerate(named)],
        "taken_by": {value: f"{i} <take> it" for i, value in enumerate(named)},
        "undetermined": list(zip(ways, made, strict=True)),
        "names": {way: f"called <{i}>" for i, way in enumerate(ways) if i % 2},
        "divided": [way for i, way in enumerate(ways) if i % 4 > 1],
        "together": [
            (f"knows <{i}>", f"ideal <{i}>", [(one, f"<{way}>") for one, way in ways[:i]]) for i in range(many)
        ],
        "formulas": [(f"a < b {i}", tuple(texts(i + 1, "M"))) for i in range(many)],
        "deciding": asking(many, cases),
    }


def matrix_with(many: int, matrix: FormMatrix, cases: Sequence[Case]) -> FormMatrix:
    """A matrix with a cell of every kind."""
    undetermined = [
        WayOnAxis((), "", (), tuple(texts(i, "v")), why, "", "", standard=False, untold=untold)
        for i in (0, 1, 3)
        for why in ("", "<why>")
        for untold in (True, False)
    ]
    others = ((), ("<thirteen...>",), ("<of fourteen.>",), ("<a>", "<b>"))
    told = [
        WayOnAxis(
            ("x<1>", "y"),
            "<shown>",
            other,
            (),
            "",
            (cases[0].id, "gone/case")[i % 2],
            f"m{n % 2}",
            standard=i > 1,
            plain=n > 1,
        )
        for i in range(4)
        for n, other in enumerate(others)
    ]
    columns = tuple(
        Column(("lib", f"w<{i}>"), f"Title <{i}>", "1.<0>", extra=i % 2 == 1, ways=i // 2 * many) for i in range(4)
    )
    rows = (AxisRow("gain", "<gain>", (NO_MATTER, *undetermined)), AxisRow("ties", "<ties>", (NO_MATTER, *told)))
    groups = tuple((text, rows) for text in texts(many, "group"))
    return replace(matrix, alike=tuple(texts(many, "form")), columns=columns, groups=groups)
