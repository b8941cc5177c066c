"""What is said of a function that cannot be asked: what was tried, what came of it, and lines of Python that can be asked."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rankproof.calling.argument_names import SEARCHERS, K, is_called_a_file
from rankproof.calling.call_candidates import Candidates
from rankproof.calling.call_forms import CALLED, LABELINGS, ROWS, call_in_order
from rankproof.calling.finding import is_file
from rankproof.calling.functions import call, values_of
from rankproof.calling.likely_measures import methods_of
from rankproof.calling.records import written_together
from rankproof.calling.targets import BadFunction, Form, Target
from rankproof.cases.inputs import Input
from rankproof.workers.observations import Failure

_FORMS = "name its form by --form, as `rankproof check --help` shows them"
_NOT_THERE = re.compile(r"ModuleNotFoundError: No module named '([^']*)'")
MOST_TRIED = 2
"""How many of the calls that were tried in vain are told."""


def refused(
    candidates: Candidates,
    vain: Sequence[tuple[Target, Input, Failure]],
    wanted: tuple[Form | None, int | None],
    closest: Target | None,
) -> BadFunction:
    """The error of a function that cannot be asked.

    Args:
        candidates: the ways that were tried.
        vain: those that gave no number, each with what it was given and what it said.
        wanted: the form that was named, and the cutoff.
        closest: the way whose numbers came closest to the measure's, if any gave numbers.
    """
    name, (form, k) = candidates.name, wanted
    if candidates.foreign:
        lacking = ", ".join(candidates.foreign)
        if searcher := next((parameter for parameter in candidates.foreign if parameter.lower() in SEARCHERS), None):
            return BadFunction(*_searching(candidates, searcher, k))
        with_it = " ".join(f"--with {parameter}=VALUE" for parameter in candidates.foreign)
        said = f"{name} needs {lacking}: say what that is, as {with_it}, or bind it, as by functools.partial; {_FORMS}"
        if file := next(filter(is_called_a_file, candidates.foreign), None):
            said = f"{said}. If {file} is the path of a file, as its name says: files are made of qrels and run together alone; wrap it"
        return BadFunction(said, _wrapper(candidates, (), k))
    if not candidates.targets:
        methods = methods_of(name)[:MOST_TRIED]
        or_a_method = f"name one of its methods, as {' or '.join(methods)}, or " if methods else ""
        said = f"{name} cannot be called by the number of its arguments, or by what their annotations say"
        return BadFunction(f"{said}; {or_a_method}wrap it, or {_FORMS}")
    which = f"as {form.name}" if form else "by any form known here"
    if closest is not None:
        said = f"{name} gives numbers {which}, which are none of the measure's (closest is {closest.form.call})"
        return BadFunction(f"{said}; wrap it, or {_FORMS}", _wrapper(candidates, (), k))
    named = max(target.known for target, _, _ in vain)
    vain = [one for one in vain if one[0].known == named]
    absent = {_not_there(failure) for _, _, failure in vain}
    if "" not in absent:
        said = f"{name} imports {' and '.join(sorted(absent))}, which is not here"
        return BadFunction(f"{said}: install it where rankproof is, or run this where it is")
    came = "; ".join(f"{_call(*one, k)}: {one[2].text}" for one in vain[:MOST_TRIED])
    said = f"{name} gives no number {which} ({came}){_taken(vain)}; wrap it, mend it, or {_FORMS}"
    can_be_wrapped = vain[0][2].kind in {"error", "invalid-output"}
    return BadFunction(said, _wrapper(candidates, vain, k) if can_be_wrapped else "")


def _searching(candidates: Candidates, searcher: str, k: int | None) -> tuple[str, str]:
    """What is said of a function that seems to search itself, and lines in which what searches gives the ranking that is to be judged."""
    short, importing = _named(candidates)
    at = "" if k is None else f", k={k}"
    lines = [
        importing,
        f"def wrapped(relevant_of_query, ranked_of_query{at}):",
        f"    def {searcher}(*given, **named): return ranked_of_query[[*given, *named.values()][0]]",
        f"    return {short}(..., {searcher}={searcher})  # its queries, and what is relevant to each, made of these",
    ]
    said = f"{candidates.name} needs {searcher}, which by its name searches; it is asked of rankings that are there"
    return f"{said}: let {searcher} give those, in a function of your own", "\n".join(lines)


def _named(candidates: Candidates) -> tuple[str, str]:
    """How a function is called in lines of Python, and the line that imports it, or the class whose object has it for a method."""
    module = candidates.name.rpartition(":")[0]
    called = _called(candidates).spelled
    imported = called.partition("(")[0].partition(".")[0]
    return called, f"from {Path(module).stem if is_file(module) else module} import {imported}"


def _called(candidates: Candidates) -> Target:
    """What is called: of a class, the method of an object that is made first, if it is one call."""
    plain = Target(candidates.name, ROWS)
    target = next(iter(candidates.targets), plain)
    if candidates.of_maker:
        made = tuple(f"{lacking}=..." for lacking in candidates.of_maker)
        target = replace(plain, of_class=True, made=made, method=candidates.method)
    if not target.of_class or target.k_made or "/" in target.method:
        return plain
    return replace(plain, of_class=True, made=target.made, method=target.method)


def _not_there(said: Failure) -> str:
    """The module that could not be imported; "" of any other error."""
    found = _NOT_THERE.match(said.text)
    return found[1] if found else ""


def undecided_order(one: Target, other: Target, explains: str) -> BadFunction:
    """The error of a function of which nothing tells which list is which."""
    calls = " or ".join(f"--form '{call_in_order(target.form, target.order)}'" for target in (one, other))
    said = f"{one.short} gives numbers in either order of its arguments, other ones in each, and {explains} in both"
    return BadFunction(f"{said}: name the order, by {calls}")


def too_slow(candidates: Candidates, budget: float, *, is_named: bool) -> BadFunction:
    """The error of a function whose calls take so long that it was not found how it is called; its form may be named already."""
    mend = f"give it more than the {budget:g} s of --budget"
    mend = mend if is_named else f"{_FORMS}, or {mend}"
    return BadFunction(f"{candidates.name} takes so long that it was not found in time how it is called: {mend}")


def _taken(vain: Sequence[tuple[Target, Input, Failure]]) -> str:
    """What was taken for the cutoff, where no name says that it is one."""
    taken = vain[0][0].k
    if taken is None or taken.lower() in K:
        return ""
    return f"; {taken} was taken for the cutoff: if it is none, add --with {taken}=VALUE"


def _call(target: Target, trial: Input, _said: Failure, k: int | None) -> str:
    return call(target, trial, k) if target.form in CALLED or target.form is LABELINGS else target.form.call


def _wrapper(candidates: Candidates, vain: Sequence[tuple[Target, Input, Failure]], k: int | None) -> str:
    """Three lines that can be asked instead: of the likeliest form, with what the result needs; dots are for the person to fill in."""
    short, importing = _named(candidates)
    target, _, said = vain[0] if vain else (None, None, None)
    order = (() if target is None else target.order) or candidates.roles or ("relevant", "ranked")
    takes_k = k is not None and (target is None or target.k is not None)
    besides = [f"{lacking}=..." for lacking in candidates.foreign if lacking not in candidates.of_maker]
    at = ["k"] if takes_k else []
    passed = ", ".join([*order, *at, *besides])
    if candidates.record:
        importing = _with_class(importing, candidates.record[1])
        by_name = [f"{name}={role}" for name, role in zip(candidates.names, order, strict=True)]
        passed = ", ".join([*written_together(candidates.record, [*by_name, *besides]), *(f"{k}={k}" for k in at)])
    result = _mended(
        short,
        passed,
        "" if said is None else said.text,
        is_plain=bool(vain or candidates.foreign) and "/" not in candidates.method,
    )
    taken = ", ".join([*order, *([f"k={k}"] if k is not None else [])])
    return "\n".join([importing, f"def wrapped({taken}):", f"    return {result}"])


def _with_class(importing: str, where: str) -> str:
    """The import of a function, and of the class of an object that it takes, as MODULE:CLASS."""
    module, _, kind = where.partition(":")
    owner = kind.partition(".")[0]
    is_beside = importing.startswith(f"from {module} import")
    return f"{importing}, {owner}" if is_beside else f"{importing}\nfrom {module} import {owner}"


def _mended(short: str, passed: str, said: str, *, is_plain: bool) -> str:
    """A call, and what makes a number of what it gives."""
    if "coroutine" in said:
        return f"__import__('asyncio').run({short}({passed}))"
    if "dict of" in said or "it gave {" in said or " for a query" in said:
        return f"{short}({passed})[...]  # the key of the measure"
    if "which is no number" in said:
        return f"float({short}({passed}))"
    return f"{short}({passed})" if is_plain and not said else f"{short}(...)  # what it takes, made of these"


def looks_at_nothing(target: Target) -> BadFunction:
    """What is said of a function that gives one number whatever is relevant, where no names tell how it is called."""
    said = f"{target.name} gives one number whatever is relevant, called as {target.form.call}"
    return BadFunction(f"{said}, and no names of its parameters say that this is how it is called; {_FORMS}")


def blinded_by_a_default(target: Target, about: str, name: str, other: float) -> BadFunction:
    """What is said of a function that looks at the relevance or the order of the docs with a lesser value than its own default."""
    own = f"{name}={values_of(target.defaults)[name]}"
    said = f"by its own default {own} {target.name} does not look at the {about} of the docs, and with {name}={other} it does"
    return BadFunction(f"{said}: ask with a value that fits what is asked, as --with {name}={other}")
