"""Text of `show`: a measure, an axis, a profile, a library, a case or a signature in at most 25 lines of 80 columns."""

from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch
from textwrap import wrap

from rankproof.explain.lookup import (
    Shown,
    ShownAxis,
    ShownCase,
    ShownConvention,
    ShownForm,
    ShownLibrary,
    ShownList,
    ShownMeasure,
    ShownProfile,
    ShownSignature,
    sentence_of,
)
from rankproof.explain.signature_comparison import Compared
from rankproof.history.installed import InstalledLibrary
from rankproof.measure_forms import written
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.profiles import PROFILES
from rankproof.report.layout import COLUMNS, sentence, signature_row, some_names
from rankproof.report.library_sentence import LEADING, alternatives
from rankproof.text import one_line

MOST_LINES = 25
EXAMPLES = {
    "measures": "nDCG@10",
    "axes": "ties, or ties=worst",
    "profiles": "trec_eval-9",
    "libraries": "sklearn/rows",
    "cases": "ties/straddles-cutoff",
}
"""Kind of name -> an argument of `show`."""
ORIGINS = {
    "named": "",
    "observed": ", inferred from the values of {}",
    "read": ", as read in the source of {} (not run)",
}


def text(shown: Shown, *, details: bool = False) -> list[str]:
    """Return what `show` prints: at most 25 lines, or everything."""
    lines = [line.rstrip() for line in _lines(shown, details)]
    if details or len(lines) <= MOST_LINES:
        return lines
    return [*lines[: MOST_LINES - 1], f"  … {len(lines) - MOST_LINES + 1} more lines with --details"]


def names(kind: str, known: Sequence[str]) -> Iterator[str]:
    """Yield a list of names of one kind, each with a sentence or its conventions."""
    for name in known:
        if kind == "measures":
            yield from _labelled(written(name), sentence_of(name), 20)
        elif kind == "axes":
            yield from _labelled(name, AXES[name].question, 20)
        else:
            profile = PROFILES.get(name)
            yield from _labelled(name, profile.single.spec() if profile and profile.single else "", 24)


def _labelled(label: str, content: str, width: int, indent: int = 0) -> list[str]:
    """Return text beside a label; a label that is too long has a line of its own."""
    start = f"{' ' * indent}{label:{width}} "
    lines = wrap(one_line(content), COLUMNS - indent - width - 1, break_on_hyphens=False) or [""]
    own = [start.rstrip()] if len(label) > width else []
    margin = " " * (indent + width + 1)
    return [*own, (margin if own else start) + lines[0], *(margin + line for line in lines[1:])]


def _row(label: str, content: str) -> list[str]:
    return _labelled(label, content, 18, 2)


@singledispatch
def _lines(shown: object, _details: bool) -> Iterator[str]:  # noqa: FBT001 - one signature for all kinds
    raise TypeError(type(shown).__name__)


@_lines.register
def _(shown: ShownList, details: bool) -> Iterator[str]:  # noqa: FBT001
    yield "`show NAME` explains a measure, axis, profile, library, case or signature."
    yield ""
    for kind, known in shown.names.items():
        example = f"{len(known)}, such as {EXAMPLES[kind]}"
        yield from _row(kind, ", ".join(known) if details else example)
    yield from _row("signatures", "such as 'nDCG@10|gain:exp', or two to compare them")
    yield ""
    yield from _row("More", "rankproof show measures (axes, profiles, libraries); rankproof cases list")


@_lines.register
def _(shown: ShownMeasure, details: bool) -> Iterator[str]:  # noqa: FBT001
    yield from sentence(f"{shown.notation}: {shown.definition}")
    yield ""
    if shown.other_names:
        yield from _row("Other names", ", ".join(shown.other_names))
    for name, default in shown.parameters.items():
        yield from _row("Parameter", f"{name}, {f'default {default}' if default else 'optional'}")
    if shown.bounds:
        low, high = (
            "unbounded" if bound in {None, float("inf"), float("-inf")} else f"{bound:g}" for bound in shown.bounds
        )
        yield from _row(
            "Values", f"{low} to {high}" + ("" if shown.of_labels else " (grades 0 to 4, standard conventions)")
        )
    if shown.libraries:
        libraries = list(dict.fromkeys(name.partition("/")[0] for name in shown.libraries))
        yield from _row("Libraries", ", ".join(shown.libraries) if details else some_names(libraries))
    if details:
        yield from _row("Conventions", "which conventions can change it, and the standard:")
        for axis, value in shown.axes.items():
            yield from _row(f"  {axis}", f"{value}: {AXES[axis].meaning(value)}")
        yield from ["", *_paragraphs(shown.description)]
    else:
        yield from _row("Conventions", f"{len(shown.axes)} axes can change it: {', '.join(shown.axes)}")
        yield from _row("Formula", f"rankproof show '{shown.name}' --details")


def _paragraphs(description: str) -> Iterator[str]:
    """Return a docstring folded to the width of a terminal; indented lines keep their breaks."""
    for block in description.split("\n\n"):
        lines = block.splitlines()
        if any(line.startswith(" ") for line in lines):
            yield from lines
        else:
            yield from sentence(" ".join(lines), hanging=0)
        yield ""


@_lines.register
def _(shown: ShownAxis, details: bool) -> Iterator[str]:  # noqa: FBT001
    yield from sentence(f"{shown.name}: {shown.question[0].lower()}{shown.question[1:]}")
    yield ""
    width = min(24, max(len(convention.value) for convention in shown.conventions) + 1)
    for convention in shown.conventions:
        standard = " (standard)" if convention.standard else ""
        yield from _labelled(convention.value, f"{convention.meaning}{standard}", width, 2)
        yield from _followers(convention, width, details=details)
    if shown.other_values:
        yield from _labelled("others", f"written as {shown.name}={shown.other_values}", width, 2)
    yield ""
    yield from _row("Matters to", ", ".join(shown.measures) if details else some_names(shown.measures))
    if shown.witness:
        yield from _row("Example", f"rankproof show {shown.witness}")
    if not details:
        yield from _row("More", f"rankproof show {shown.name} --details")


def _followers(convention: ShownConvention, width: int, *, details: bool) -> Iterator[str]:
    """Return the libraries that follow a convention: three names, or all with the forms of measures."""
    if not details and convention.libraries:
        sure = sorted(convention.libraries, key=lambda library: library in convention.ambiguous)
        libraries = list(dict.fromkeys(name.partition("/")[0] for name in sure))
        yield from _labelled("", some_names(libraries), width, 2)
    for library, forms in convention.libraries.items() if details else ():
        others = alternatives(convention.ambiguous.get(library, ()))
        yield from _labelled("", f"{library}{others}: {', '.join(forms)}", width, 2)


@_lines.register
def _(shown: ShownProfile, details: bool) -> Iterator[str]:  # noqa: FBT001
    yield from sentence(f"{shown.name}{ORIGINS[shown.origin].format(shown.of)}")
    if details:
        yield from (f"  {source}" for source in shown.sources)
    if shown.origin == "read":
        tested = (
            f"one run gave the same values as version {shown.tested}" if shown.tested else "never compared with a run"
        )
        yield from sentence(f"  {tested}")
    if shown.note:
        yield from sentence(f"  {shown.note}")
    if shown.held_out:
        equal, total = shown.held_out.get("equal", 0), sum(shown.held_out.values())
        kinds = (
            "; ".join(f"{number:,} {kind}" for kind, number in shown.held_out.items())
            if details
            else f"{equal:,} equal"
        )
        yield from sentence(f"  Of {total:,} values on other runs: {kinds}.")
    yield ""
    for form in shown.forms if details else _alike(shown.forms):
        yield from _of_form(form, details=details)
    if not details:
        yield from ["", *_row("More", f"rankproof show '{shown.name}' --details")]


def _alike(forms: Iterable[ShownForm]) -> list[ShownForm]:
    """Return one form for all measures with the same conventions, those of common measures first."""
    order = {key: at for at, key in enumerate(LEADING)}
    same: dict[tuple[tuple[str, str], ...], ShownForm] = {}
    for form in forms:
        key = tuple(form.conventions.items())
        known = same.get(key)
        measures = (*(known.measures if known else ()), *form.measures)
        measures = tuple(sorted(measures, key=lambda measure: order.get(measure, len(order))))
        undetermined = {**(known.undetermined if known else {}), **form.undetermined}
        same[key] = ShownForm(measures, form.conventions, undetermined)
    return sorted(same.values(), key=lambda form: min(order.get(measure, len(order)) for measure in form.measures))


def _of_form(form: ShownForm, *, details: bool) -> Iterator[str]:
    """Return the conventions of a form: one line, or each with its meaning or the case that proves it."""
    if not details:
        conventions = " ".join(f"{axis}={value}" for axis, value in form.conventions.items()) or "as standard"
        yield from _row(some_names(form.measures), conventions)
        return
    counts = f"  {form.explained} of {form.observed} values explained" if form.observed else ""
    yield from sentence(f"{', '.join(form.measures)}{counts}")
    for axis, value in form.conventions.items():
        yield from sentence(f"{axis}={value}: {form.witnesses.get(axis) or AXES[axis].meaning(value)}", 2, 6)
    if not form.conventions:
        yield "  as standard"
    if form.undetermined:
        listed = (f"{axis} ({' or '.join(left)})" if left else axis for axis, left in form.undetermined.items())
        yield from sentence(f"undetermined: {', '.join(listed)}", 2, 6)
    for label, cases in (("unexplained", form.unexplained), ("known exceptions", form.known_exceptions)):
        if cases:
            yield from sentence(f"{label}: {', '.join(cases)}", 2, 6)
    if form.signature:
        yield from signature_row("signature", form.signature)


@_lines.register
def _(shown: ShownLibrary, details: bool) -> Iterator[str]:  # noqa: FBT001
    yield from sentence(f"{shown.name} {shown.version}: {len(shown.variants)} variants, inferred from their values")
    for variant in shown.variants:
        yield from ["", variant.name]
        for form in variant.forms if details else _alike(variant.forms)[:3]:
            yield from _of_form(form, details=details)
    if not details:
        yield from ["", *_row("More", f"rankproof show {shown.variants[0].name}, or --details")]


@_lines.register
def _(shown: ShownCase, details: bool) -> Iterator[str]:  # noqa: FBT001
    case = shown.case
    yield from sentence(f"{case.id}: {case.question}")
    if details:
        yield from ["", *shown.file.splitlines()]
        return
    yield ""
    for query, judgments in case.input.judged.items():
        yield from _row(f"qrels {query}", ", ".join(f"{doc} {rel:g}" for doc, rel in judgments))
    for query, rows in case.input.scored.items():
        yield from _row(f"run {query}", ", ".join(f"{doc} {score:g}" for doc, score, _ in rows))
    for measure, by_profile in (case.expect or {}).items():
        for profile, values in by_profile.items():
            listed = ", ".join(f"{query} {value}" for query, value in values.items())
            yield from _row(measure, f"{listed}" + (f"  ({profile})" if profile else ""))
    yield from ["", *_row("More", f"rankproof show {case.id} --details; rankproof cases repro {case.id} LIBRARY")]


@_lines.register
def _(shown: ShownSignature, details: bool) -> Iterator[str]:  # noqa: FBT001
    yield from sentence(f"{shown.measure}, computed by {shown.by} (rankproof {shown.rankproof})")
    yield ""
    different = [axis for axis in shown.axes if not axis.open and axis.value != axis.standard]
    open_axes = [axis for axis in shown.axes if axis.open]
    for axis in different:
        yield from _row(f"{axis.name}={axis.value}", axis.meaning)
    if not different:
        yield "  as standard"
    if open_axes:
        yield from _row("Undetermined", ", ".join(f"{axis.name} (computed with {axis.taken})" for axis in open_axes))
    if details:
        for axis in shown.axes:
            if not axis.open and axis.value == axis.standard:
                yield from _row(f"{axis.name}={axis.value}", f"{axis.meaning} (standard)")
        yield from signature_row("Signature", shown.whole)
    else:
        standard = len(shown.axes) - len(different) - len(open_axes)
        yield from _row("As standard", f"{standard} axes (--details)")
    yield from _row("Compute", f"rankproof evaluate QRELS RUN --signature '{shown.signature}'")


@_lines.register
def _(compared: Compared, details: bool) -> Iterator[str]:  # noqa: FBT001
    if compared.named:
        also = ", and give the same values" if compared.same else ""
        yield from sentence(f"The signatures differ in {', '.join(compared.named)}{also}.")
    else:
        yield "The signatures say the same" + (", as far as they are determined." if compared.open else ".")
    for name, (a, b) in compared.beside.items():
        yield from ["", *sentence(f"{name}: {a} (A), {b} (B)", 2, 4)]
    for change in compared.changes:
        yield from ["", *sentence(f"{change.name}: {change.question}", 2, 4)]
        yield from sentence(f"A  {change.a}: {change.a_means}", 4, 7)
        yield from sentence(f"B  {change.b}: {change.b_means}", 4, 7)
    if compared.open:
        listed = [f"{axis} ({a} and {b})" for axis, (a, b) in compared.open.items()] if details else list(compared.open)
        yield from ["", *_row("Undetermined", ", ".join(listed))]


def libraries(known: Iterable[InstalledLibrary]) -> Iterator[str]:
    """Return a list of libraries: the installed version, or how to install it."""
    for library in known:
        described = library.described
        text = f"not installed: {library.install}" if library.install else f"cannot be run: {described.message}"
        if described.version:
            is_other = library.sheet_version not in {"", described.version}
            other = f" (its sheet describes {library.sheet_version})" if is_other else ""
            missing = "".join(f"; {variant} is not installed: {why}" for variant, why in described.absent.items())
            notes = "".join(f"; {note}" for note in described.notes.values())
            text = f"{described.version}{other}{notes}{missing}"
        yield from _labelled(described.library, text, 18)
