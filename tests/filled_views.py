"""What no run that is drawn has: views of pages of which each part is there in any number."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from rankproof.inference.fingerprint_file import AxisFinding
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
        "tables": [{"way": "<way> of more than thirty letters", "rows": rows(forms, near, far)}],
        "compared": forms,
        "past": past(many, near, far) if many else None,
        "sheet": sheet if many else None,
        "variants": [way(i, many, near, says) for i in range(many)],
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
    cells = tuple(
        (said, standard, witness)
        for said in ("", "undetermined", "by <docid>")
        for standard in (True, False)
        for witness in (near, far)
    )
    return [MeasureRow(tuple(places[:i]), cells[i:], tuple(texts(i, "more"))) for i in range(len(places) + 1)]


def way(nth: int, many: int, case: str, says: Sequence[str]) -> dict[str, Any]:
    """A way to ask, of which each part is there in some: those after the first have more and more."""
    shared = AxisFinding("ties", "docid", case, "AP", {}, same=("<input>", "random"))
    witnesses = ("", "gone/case", case) * many
    found = [AxisFinding("norel", f"<{i}>", witnesses[i], "AP", {}, same=tuple(texts(i, "or"))) for i in range(nth)]
    prints = [
        SimpleNamespace(
            key=f"F{i}<@k>", explained=i, asked=many, missed=texts(i, "lost"), signature=f"F{i}|<a>", undecided=("gain", "ties")[: i % 3]
        )
        for i in range(many)
    ]  # fmt: skip
    groups = [(prints[i:], found[:i], [(one, texts(i, "K")) for one in prints[i:]]) for i in range(many)]
    choices = [
        Choice(f"<{i}>", i % 2 == 0, tuple(texts(i + 6, "AP")), witnesses[i + 1], "", tuple(texts(i, "x")))
        for i in range(nth)
    ]
    asked, answers = ("a?", "b<?>"), ("<1>", "2")
    probed = [
        Probed("twist", text, tuple(texts(i + 1, "P")), asked, answers, "{<>}" * i * 100) for i, text in enumerate(says)
    ]
    return {
        "name": f"w {nth}<i>",
        "means": "<means>" * (nth % 2),
        "tally": {"agrees": 1000 * nth, "known": nth} if nth else {},
        "shared": {1: shared} if nth % 2 else {},
        "fingerprints": groups if nth % 4 > 1 else [],
        "divided": [("gain", choices), ("ties", choices[1:])] if nth % 3 == 1 else [],
        "probes": probed if nth % 4 == 3 else [],
    }
