"""Output of `rankproof show`: measures, axes, profiles, libraries, cases and signatures in at most 25 lines."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from rankproof.explain.lookup import (
    Entry,
    ShownAxis,
    ShownCase,
    ShownForm,
    ShownLibrary,
    ShownList,
    ShownMeasure,
    ShownProfile,
    ShownSignature,
    sentence_of,
)
from rankproof.explain.signature_comparison import Compared
from rankproof.grouping import grouped
from rankproof.history.installed import InstalledLibrary
from rankproof.measure_forms import name_of, written
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.profiles import PROFILES
from rankproof.report.convention_words import COMMON_FORMS, alternatives
from rankproof.report.layout import row as layout_row
from rankproof.report.layout import sentence, signature_row, some_names

MOST_LINES = 25
row = partial(layout_row, width=21)
"""A function that returns a row with a label of 18 characters."""
WIDEST_MEANING = 36
"""The width of the column of conventions. Longer texts have a separate line."""
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


def text(facts: Entry, *, details: bool = False) -> list[str]:
    """Return the output of `show`: at most 25 lines, or everything if `details`."""
    lines = [line.rstrip() for line in _RENDERERS[facts.kind](facts, details=details)]
    if details or len(lines) <= MOST_LINES:
        return lines
    return [*lines[: MOST_LINES - 1], f"  … {len(lines) - MOST_LINES + 1} more lines with --details"]


def names(kind: str, known: Sequence[str]) -> Iterator[str]:
    """Yield rows for all names of one kind, each with a sentence or its conventions."""
    for name in known:
        if kind == "measures":
            yield from row(written(name), sentence_of(name), 0)
        elif kind == "axes":
            yield from row(name, AXES[name].question, 0)
        else:
            profile = PROFILES.get(name)
            yield from row(name, profile.single.spec() if profile and profile.single else "", 0, width=25)


def libraries(known: Iterable[InstalledLibrary]) -> Iterator[str]:
    """Yield rows for libraries: the installed version, or how to install the library."""
    for library in known:
        described = library.described
        state = f"not installed: {library.install}" if library.install else f"cannot be run: {described.message}"
        if described.version:
            is_other = library.sheet_version not in {"", described.version}
            other = f" (its sheet describes {library.sheet_version})" if is_other else ""
            missing = [f"{variant} is not installed: {why}" for variant, why in described.absent.items()]
            state = "; ".join([f"{described.version}{other}", *described.notes.values(), *missing])
        yield from row(described.library, state, 0, width=19)


def _list(facts: ShownList, *, details: bool) -> Iterator[str]:
    yield "`show NAME` explains a measure, axis, profile, library, case or signature."
    yield ""
    for kind, known in facts.names.items():
        yield from row(kind, ", ".join(known) if details else f"{len(known)}, such as {EXAMPLES[kind]}")
    yield from row("signatures", "such as 'nDCG@10|gain:exp', or two to compare them")
    yield ""
    yield from row("More", "rankproof show measures (axes, profiles, libraries); rankproof cases list")


def _measure(facts: ShownMeasure, *, details: bool) -> Iterator[str]:
    yield from sentence(f"{facts.notation}: {facts.definition}")
    yield ""
    if facts.other_names:
        yield from row("Other names", ", ".join(facts.other_names))
    for name, default in facts.parameters.items():
        yield from row("Parameter", f"{name}, {f'default {default}' if default else 'optional'}")
    if facts.bounds:
        unbounded = {None, float("inf"), float("-inf")}
        low, high = ("unbounded" if bound in unbounded else f"{bound:g}" for bound in facts.bounds)
        condition = "" if facts.of_labels else " (grades 0 to 4, standard conventions)"
        yield from row("Values", f"{low} to {high}{condition}")
    if facts.libraries:
        bare = list(dict.fromkeys(name.partition("/")[0] for name in facts.libraries))
        yield from row("Libraries", ", ".join(facts.libraries) if details else some_names(bare))
    if details:
        yield from row("Conventions", "axes that can change it, with the standard convention:")
        for axis, value in facts.axes.items():
            yield from row(f"  {axis}", f"{value}: {AXES[axis].meaning(value)}")
        yield ""
        for block in facts.description.split("\n\n"):
            lines = block.splitlines()
            is_indented = any(line.startswith(" ") for line in lines)
            yield from [*(lines if is_indented else sentence(" ".join(lines), hanging=0)), ""]
    else:
        yield from row("Conventions", f"{len(facts.axes)} axes can change it: {', '.join(facts.axes)}")
        yield from row("Formula", f"rankproof show '{facts.name}' --details")


def _axis(facts: ShownAxis, *, details: bool) -> Iterator[str]:
    yield from sentence(f"{facts.name}: {facts.question[0].lower()}{facts.question[1:]}")
    yield ""
    is_list = len(facts.conventions) > 1 and not details
    followers = _followers(facts) if is_list else {}
    width = min(WIDEST_MEANING, max(len(convention.meaning) for convention in facts.conventions)) + 5
    for convention in facts.conventions:
        standard = " (standard)" if convention.standard else ""
        if is_list:
            who = followers.get(convention.value, ["not observed"])
            rows = (row(convention.meaning, some_names(who, most) + standard, width=width) for most in (3, 2, 1))
            yield from min(rows, key=len)
            continue
        yield from row(convention.value, f"{convention.meaning}{standard}")
        for library, forms in convention.libraries.items():
            others = alternatives(convention.ambiguous.get(library, ()))
            yield from row("", f"{library}{others}: {', '.join(forms) if details else some_names(forms)}")
    yield ""
    if is_list:
        values = [*(convention.value for convention in facts.conventions), *filter(None, [facts.other_values])]
        yield from row("Written as", f"{facts.name}={' '.join(values)}")
    yield from row("Matters to", ", ".join(facts.measures) if details else some_names(facts.measures))
    if facts.witness:
        yield from row("Example", f"rankproof show {facts.witness}")
    if not details:
        yield from row("More", f"rankproof show {facts.name} --details")


def _followers(facts: ShownAxis) -> Mapping[str, Sequence[str]]:
    """Return the libraries that follow each value for their most common measure, each library once.

    The value of a library is that of its default variant, or of most variants; variants with other values are listed
    separately. If other measures of the library follow another value, the most common measure is added in brackets.
    """
    values: dict[str, dict[str, list[str]]] = {}
    for convention in facts.conventions:  # the standard convention is first, and preferred if several fit
        for variant, forms in convention.libraries.items():
            for form in forms:
                values.setdefault(variant, {}).setdefault(form, []).append(convention.value)
    order = {form: at for at, form in enumerate(COMMON_FORMS)}
    by_library: dict[str, list[tuple[str, tuple[str, str]]]] = {}
    for variant, by_form in values.items():
        form = min(by_form, key=lambda form: order.get(form, len(order)))
        differs = any(by_form[form][0] not in others for others in by_form.values())
        place = by_form[form][0], f" ({name_of(form)})" if differs else ""
        by_library.setdefault(variant.partition("/")[0], []).append((variant, place))
    libraries, variants = [], []
    for library, places in by_library.items():
        (most, _), *_ = Counter(place for _, place in places).most_common(1)
        usual = dict(places).get(f"{library}/default", most)
        libraries.append((usual[0], library + usual[1]))
        variants += [(place[0], variant + place[1]) for variant, place in places if place[0] != usual[0]]
    return grouped([*sorted(libraries, key=lambda entry: entry[1].endswith(")")), *variants])


def _profile(facts: ShownProfile, *, details: bool) -> Iterator[str]:
    yield from sentence(f"{facts.name}{ORIGINS[facts.origin].format(facts.of)}")
    if details:
        yield from (f"  {source}" for source in facts.sources)
    if facts.origin == "read":
        same = f"one run gave the same values as version {facts.tested}"
        yield from sentence(f"  {same if facts.tested else 'never compared with a run'}")
    if facts.note:
        yield from sentence(f"  {facts.note}")
    if facts.held_out:
        equal, total = facts.held_out.get("equal", 0), sum(facts.held_out.values())
        kinds = "; ".join(f"{number:,} {kind}" for kind, number in facts.held_out.items())
        yield from sentence(f"  Of {total:,} values on other runs: {kinds if details else f'{equal:,} equal'}.")
    yield ""
    yield from _of_forms(facts.forms, details=details)
    if not details:
        yield from ["", *row("More", f"rankproof show '{facts.name}' --details")]


def _library(facts: ShownLibrary, *, details: bool) -> Iterator[str]:
    yield from sentence(f"{facts.name} {facts.version}: {len(facts.variants)} variants, inferred from their values")
    for variant in facts.variants:
        yield from ["", variant.name]
        yield from _of_forms(variant.forms, details=details, most=3)
    if not details:
        yield from ["", *row("More", f"rankproof show {facts.variants[0].name}, or --details")]


def _of_forms(forms: Sequence[ShownForm], *, details: bool, most: int | None = None) -> Iterator[str]:
    """Yield the conventions of each form, or one row for forms with equal conventions, common measures first."""
    if details:
        for form in forms:
            yield from _of_form(form)
        return
    order = {key: at for at, key in enumerate(COMMON_FORMS)}
    alike = grouped(
        (" ".join(f"{a}={v}" for a, v in form.conventions.items()), key) for form in forms for key in form.measures
    )
    rows = [(sorted(keys, key=lambda key: order.get(key, len(order))), spec) for spec, keys in alike.items()]
    for keys, spec in sorted(rows, key=lambda entry: order.get(entry[0][0], len(order)))[:most]:
        yield from row(some_names(keys), spec or "as standard")


def _of_form(form: ShownForm) -> Iterator[str]:
    counts = f"  {form.explained} of {form.observed} values explained" if form.observed else ""
    yield from sentence(f"{', '.join(form.measures)}{counts}")
    for axis, value in form.conventions.items():
        yield from sentence(f"{axis}={value}: {form.witnesses.get(axis) or AXES[axis].meaning(value)}", 2, 6)
    if not form.conventions:
        yield "  as standard"
    open_axes = [f"{axis} ({' or '.join(left)})" if left else axis for axis, left in form.undetermined.items()]
    lists = ("undetermined", open_axes), ("unexplained", form.unexplained), ("known exceptions", form.known_exceptions)
    for label, items in lists:
        if items:
            yield from sentence(f"{label}: {', '.join(items)}", 2, 6)
    if form.signature:
        yield from signature_row("signature", form.signature)


def _case(facts: ShownCase, *, details: bool) -> Iterator[str]:
    case = facts.case
    yield from sentence(f"{case.id}: {case.question}")
    yield ""
    if details:
        yield from facts.file.splitlines()
        return
    for query, judgments in case.input.judged.items():
        yield from row(f"qrels {query}", ", ".join(f"{doc} {rel:g}" for doc, rel in judgments))
    for query, rows in case.input.scored.items():
        yield from row(f"run {query}", ", ".join(f"{doc} {score:g}" for doc, score, _ in rows))
    for measure, by_profile in (case.expect or {}).items():
        for profile, values in by_profile.items():
            listed = ", ".join(f"{query} {value}" for query, value in values.items())
            yield from row(measure, f"{listed}" + (f"  ({profile})" if profile else ""))
    yield from ["", *row("More", f"rankproof show {case.id} --details; rankproof cases repro {case.id} LIBRARY")]


def _signature(facts: ShownSignature, *, details: bool) -> Iterator[str]:
    yield from sentence(f"{facts.measure}, computed by {facts.by} (rankproof {facts.rankproof})")
    yield ""
    different = [axis for axis in facts.axes if not axis.open and axis.value != axis.standard]
    standard = [axis for axis in facts.axes if not axis.open and axis.value == axis.standard]
    open_axes = [f"{axis.name} (computed with {axis.taken})" for axis in facts.axes if axis.open]
    for axis in different:
        yield from row(f"{axis.name}={axis.value}", axis.meaning)
    if not different:
        yield "  as standard"
    if open_axes:
        yield from row("Undetermined", ", ".join(open_axes))
    if details:
        for axis in standard:
            yield from row(f"{axis.name}={axis.value}", f"{axis.meaning} (standard)")
        yield from signature_row("Signature", facts.whole)
    else:
        yield from row("As standard", f"{len(standard)} axes (--details)")
    yield from row("Compute", f"rankproof evaluate QRELS RUN --signature '{facts.signature}'")


def _comparison(compared: Compared, *, details: bool) -> Iterator[str]:
    if compared.named:
        also = ", and give the same values" if compared.same else ""
        yield from sentence(f"The signatures differ in {', '.join(compared.named)}{also}.")
    else:
        yield "The signatures are equal" + (" on all determined axes." if compared.open else ".")
    for name, (a, b) in compared.beside.items():
        yield from ["", *sentence(f"{name}: {a} (A), {b} (B)", 2, 4)]
    for change in compared.changes:
        yield from ["", *sentence(f"{change.name}: {change.question}", 2, 4)]
        yield from sentence(f"A  {change.a}: {change.a_means}", 4, 7)
        yield from sentence(f"B  {change.b}: {change.b_means}", 4, 7)
    if compared.open:
        listed = [f"{axis} ({a} and {b})" for axis, (a, b) in compared.open.items()] if details else list(compared.open)
        yield from ["", *row("Undetermined", ", ".join(listed))]


_RENDERERS: Mapping[str, Callable[..., Iterator[str]]] = {
    "list": _list,
    "measure": _measure,
    "axis": _axis,
    "profile": _profile,
    "library": _library,
    "case": _case,
    "signature": _signature,
    "comparison": _comparison,
}
"""Kind of a result -> the function that renders it."""
