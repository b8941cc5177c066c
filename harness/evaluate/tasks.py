"""The measures to compute with their conventions, from names, ir_measures objects, profiles and signatures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Number
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from rankproof.evaluate.inputs.rows import BadInput, needs_scores
from rankproof.evaluate.result import Caution, canonical
from rankproof.inference.signatures import REFERENCE, Signature
from rankproof.inference.signatures import parse as parse_signature
from rankproof.measure_forms import without_cutoff
from rankproof.measure_names import called, left_out, measure_called
from rankproof.reference_impl.conventions import Conventions, UnknownConvention
from rankproof.reference_impl.notation import Measure, UnknownMeasure
from rankproof.reference_impl.profiles import PROFILES, Profile, by_measure
from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import as_written
from rankproof.version import VERSION

MeasureLike: TypeAlias = Any
"""A measure as text or as an object of ir_measures."""
_BEYOND_ALL_CUTOFFS = 10**18


class AskedTwice(Unusable):
    """A measure that is requested twice, under different conventions."""


def profile_of(spec: str | Conventions | Profile) -> Profile:
    """Return the profile that a spec names, with its changes.

    Raises:
        UnknownProfile, UnknownConvention: the profile, or a change, is unknown.
    """
    name = spec.strip().partition(" ")[0] if isinstance(spec, str) else ""
    if not name or "=" in name or name in PROFILES:
        return by_measure(spec)
    from rankproof.evaluate.library_profiles import profile_named

    return profile_named(spec)


def is_defined(measure: MeasureLike) -> bool:
    """Return whether a measure was made by `define` or `define_byquery` of ir_measures."""
    return hasattr(measure, "runtime_impl")


def is_data(value: object) -> bool:
    """Return whether a value in place of the measures is qrels or a run: a frame, a dict, a list of rows or a file."""
    if isinstance(value, str):
        return "|" not in value and Path(value).suffix != "" and Path(value).is_file()
    first = next(iter(value), None) if isinstance(value, list | tuple) else None
    is_table = hasattr(value, "columns") or hasattr(value, "column_names")
    return is_table or isinstance(value, Mapping | PathLike) or isinstance(first, Mapping | list | tuple | Number)


def at_cutoffs(measures: MeasureLike, k: int | Iterable[int] | None) -> list[MeasureLike]:
    """Return each measure at each cutoff.

    Raises:
        BadInput: a cutoff is invalid, or a measure already has a cutoff.
    """
    if is_data(measures):
        what = f"{f'the file {measures}' if isinstance(measures, str) else f'a {type(measures).__name__}'} is not a measure"
        raise BadInput("measures", f"{what}. The order is evaluate(measures, qrels, run).")
    several = isinstance(measures, Iterable) and not isinstance(measures, str)  # ir_measures' objects have no __iter__
    listed = list(measures) if several else [measures]
    for measure in filter(is_defined, listed):
        raise UnknownMeasure(
            f"{measure} was made by define. Use rankproof.provider.evaluator(measures, qrels).calc(run)."
        )
    if k is None:
        return listed
    cutoffs = list(k) if isinstance(k, Iterable) else [k]
    for cutoff in cutoffs or [0]:
        if not isinstance(cutoff, Integral) or isinstance(cutoff, bool) or not 1 <= int(cutoff) < _BEYOND_ALL_CUTOFFS:
            raise BadInput("k", f"{as_written(cutoff)} is not a cutoff. Use a whole number from 1 up.")
    for measure in listed:
        if "@" in str(measure):
            raise BadInput("k", f"{measure} has a cutoff. Write {without_cutoff(str(measure))}, or leave out k.")
    return [f"{measure}@{cutoff}" for measure in listed for cutoff in cutoffs]


def signatures_of(
    measures: Sequence[MeasureLike], profile: Profile, signature: str | Signature | Iterable[str | Signature]
) -> dict[str, Signature]:
    """Return the signature of each measure by its requested name, in the requested order, followed by `signature`.

    Raises:
        UnknownMeasure: a measure is unknown.
        AskedTwice: a measure is requested under different conventions.
    """
    wanted = [task for written in measures for task in _signatures_named(str(written), profile)]
    for text in [signature] if isinstance(signature, str | Signature) else signature:
        parsed = parse_signature(text) if isinstance(text, str) else text
        wanted.append((str(parsed.measure), replace(parsed, version=VERSION)))
    known: dict[str, Signature] = {}
    for name, task in wanted:
        first = known.setdefault(canonical(name), task)
        if (first.measure, first.conventions) != (task.measure, task.conventions):
            what = f"{task.measure} is requested under different conventions, {first} and {task}"
            raise AskedTwice(f"{what}. Evaluate them one by one.")
    return dict(wanted)


def _signatures_named(written: str, profile: Profile) -> list[tuple[str, Signature]]:
    """Return the measures that a name means; from a set such as `official`, only those that the profile has."""
    if "|" in written:
        raise UnknownMeasure(f"{shortened(written)} is a signature, not a measure. Use --signature, or signature=")
    named = called(written)
    tasks: list[tuple[str, Signature]] = []
    for name in named:
        try:
            tasks.append((name.name, _sign(profile.changed(name.changes) if name.changes else profile, name.measure)))
        except UnknownConvention:
            if name is named[-1] and not tasks:
                raise
    return tasks


def ranking_measure(written: object) -> Measure:
    """Return the ranking measure of a name or of an ir_measures object.

    Raises:
        UnknownMeasure: the measure is unknown, or compares labelings.
    """
    measure = measure_called(written if isinstance(written, Measure) else str(written))
    if measure.of_labels:
        raise UnknownMeasure(f"{measure} compares two labelings, but a run has none")
    return measure


def signature_under(profile: Profile, written: object) -> Signature:
    """Return the signature of a ranking measure under a profile.

    Raises:
        UnknownMeasure: the measure is unknown, or compares labelings.
    """
    return _sign(profile, ranking_measure(written))


def _sign(profile: Profile, measure: Measure) -> Signature:
    undecided, unexplained = tuple(profile.undecided(measure).items()), 0
    if profile.by:
        from rankproof.evaluate.library_profiles import form_of

        form = form_of(profile.by, measure)
        unexplained = len(form.missed) if form else 0
    by = profile.by or REFERENCE
    return Signature(measure, profile.conventions(measure), by, remaining=undecided, unexplained=unexplained)


def are_of_labelings(tasks: Iterable[Signature]) -> bool:
    """Return whether all measures compare labelings. Raise `UnknownMeasure` if only some do."""
    measures = [task.measure for task in tasks]
    labels = [measure for measure in measures if measure.of_labels]
    others = [measure for measure in measures if not measure.of_labels]
    if labels and others:
        what = f"{labels[0]} compares two labelings, but {others[0]} measures rankings"
        raise UnknownMeasure(f"{what}. Evaluate them one by one.")
    return bool(labels)


def refuse_R(tasks: Mapping[str, Signature]) -> None:  # noqa: N802 - R is its name
    """Raise `BadInput` if R has no effect."""
    for name, task in tasks.items():
        if task.conventions.known == "retrieved":
            raise BadInput("R", f"with known=retrieved, {name} depends only on the list. Leave out R.")
        if task.measure.rel != 1:
            raise BadInput("R", f"it counts documents of grade 1, but {name} has another threshold. Pass qrels.")


def strictest_of(conventions: Sequence[Conventions]) -> Conventions:
    """Return conventions for reading: they refuse duplicates and need scores or ranks if any of these does."""
    if not conventions:
        return Conventions()
    axes = ("run_duplicates", "qrels_duplicates")
    refused = {axis: "rejected" for axis in axes if any(getattr(own, axis) == "rejected" for own in conventions)}
    by_score, by_rank = any(map(needs_scores, conventions)), any(own.order == "rank" for own in conventions)
    order = "rank" if by_rank else "score" if by_score else "input"
    sign = "positive" if by_rank and by_score else "any"
    own = {"run_duplicates": "both", "qrels_duplicates": "both", **refused}
    return Conventions(order=order, score_sign=sign, **own)


def cautions_of_tasks(
    measures: Sequence[MeasureLike], profile: Profile, tasks: Mapping[str, Signature]
) -> tuple[Caution, ...]:
    """Return the warnings about the requested measures that do not depend on the input."""
    names = [str(measure).strip() for measure in measures]
    cautions = []
    if profile.read:
        text = f"the conventions of {profile.whose} come from its source code, not from observed values"
        cautions.append(Caution("read-profile", text))
    counts = {name: task.unexplained for name, task in tasks.items() if task.unexplained and task.by != REFERENCE}
    if counts:
        listed = ", ".join(f"{count} of {tasks[name].by} {name}" for name, count in counts.items())
        text = f"this profile does not explain some observed values ({listed}), so other values may also differ"
        cautions.append(Caution("unexplained", text, len(counts), {name: float(n) for name, n in counts.items()}))
    if not_ours := [lacking for name in names for lacking in left_out(name)]:
        which = " ".join(name for name in names if left_out(name))
        text = f"{which} leaves out {', '.join(not_ours)} of trec_eval, which rankproof does not measure"
        cautions.append(Caution("left-out", text, len(not_ours)))
    wanted = dict.fromkeys(measure.name for name in names for measure in called(name)) if profile.whose else {}
    lacking = [name for name in wanted if name not in tasks]
    if lacking:
        text = f"left out, because the profile does not have them: {', '.join(lacking)}"
        cautions.append(Caution("left-out", text, len(lacking)))
    return tuple(cautions)
