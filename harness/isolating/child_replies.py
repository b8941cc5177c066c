"""What the process of a function says: one line of JSON a reply, numbered, written here and read here, and nowhere believed unread.

    {"n": 0, "name": …, "foreign": […], "roles": […], "measure": […], "targets": [{…}, …]}    what it may be, or
    {"n": 0, "refused": …}                                       why it is nothing
    {"n": 1, "per_query": {…}, "mean": …}                        an answer, or
    {"n": 1, "failed": "error", "message": …}                    what went wrong

The function runs in the same process and can write to any file that is open there, so a line may be anything.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from rankproof.calling.call_candidates import Candidates
from rankproof.calling.call_forms import FORMS
from rankproof.calling.targets import BadFunction, Target
from rankproof.workers.observations import Answered, Failure

LONGEST = 1_000_000
"""How many bytes a reply may have."""
KINDS = frozenset({"error", "crash", "invalid-output", "memory"})
"""What may go wrong without the process ending."""
FOUND_BY_ASKING = frozenset(
    {
        "reads",
        "docs",
        "k_alone",
        "k_below",
        "of_fractions",
        "notes",
        "by_default",
        "seems",
        "is_explained",
        "explains",
        "kept",
    }
)
"""What is known of a target only once it was asked; all else is told, so that no field that is added is lost on the way."""
_TOLD = {one.name: one.type for one in fields(Target) if one.name not in {"form", *FOUND_BY_ASKING}}
_LISTS_TOLD = tuple(one.name for one in fields(Candidates) if one.type == tuple[str, ...])
_IS_OF: Mapping[Any, Callable[[Any], bool]] = {
    bool: lambda value: type(value) is bool,
    int: lambda value: type(value) is int,
    str: lambda value: isinstance(value, str),
    str | None: lambda value: value is None or isinstance(value, str),
    tuple[str, ...]: lambda value: isinstance(value, list) and _all_text(value),
}
"""Whether a value, as JSON has it, is of the type of a field."""


class BadReply(Exception):
    """A line is no reply, or not the one that is due."""


def of_candidates(found: Candidates | BadFunction) -> dict[str, Any]:
    """The first reply of a process."""
    if isinstance(found, BadFunction):
        return {"refused": str(found)}
    targets = [_plain(target) | {"form": target.form.name} for target in found.targets]
    return {
        "name": found.name,
        "targets": targets,
        "method": found.method,
        **{each: list(getattr(found, each)) for each in _LISTS_TOLD},
    }


def _plain(target: Target) -> dict[str, Any]:
    values = {name: getattr(target, name) for name in _TOLD}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def of_answer(answer: Answered | Failure) -> dict[str, Any]:
    """The reply to a call."""
    if isinstance(answer, Failure):
        return {"failed": answer.kind, "message": answer.text}
    return {"per_query": None if answer.per_query is None else dict(answer.per_query), "mean": answer.mean}


def written(n: int, body: Mapping[str, Any]) -> bytes:
    """A reply as a line; one that is too long says so instead."""
    line = json.dumps({"n": n, **body}).encode("ascii") + b"\n"
    if len(line) <= LONGEST:
        return line
    return written(n, of_answer(Failure("invalid-output", f"it gave an answer of more than {LONGEST} bytes")))


def read(line: bytes, n: int) -> dict[str, Any]:
    """A line as the reply that is due.

    Raises:
        BadReply: it is something else.
    """
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        raise BadReply("a line that is no JSON") from None
    if not isinstance(reply, dict) or type(reply.get("n")) is not int or reply["n"] != n:
        raise BadReply("a line that is no reply, or one to another question")
    return reply


def candidates_of(reply: Mapping[str, Any]) -> Candidates:
    """What a function may be.

    Raises:
        BadFunction: it says why it is nothing.
        BadReply: the reply does not say either.
    """
    if isinstance(reply.get("refused"), str):
        raise BadFunction(reply["refused"])
    match reply:
        case {"name": str(name), "targets": [*targets], "method": str(method), **rest}:
            lists = {each: rest.get(each) for each in _LISTS_TOLD}
            if all(isinstance(each, list) and _all_text(each) for each in lists.values()):
                told = {each: tuple(held or ()) for each, held in lists.items()}
                return Candidates(name, tuple(map(_target, targets)), method=method, **told)
    raise BadReply("a reply that does not tell what it may be")


def _target(said: object) -> Target:
    match said:
        case {"form": str(form), **rest} if form in FORMS and rest.keys() >= _TOLD.keys():
            told: dict[str, Any] = {name: rest[name] for name in _TOLD}
            if all(_IS_OF[kind](told[name]) for name, kind in _TOLD.items()):
                lists = {name: tuple(value) for name, value in told.items() if isinstance(value, list)}
                return Target(form=FORMS[form], **(told | lists))
    raise BadReply("a reply with a target that is none")


def answer_of(reply: Mapping[str, Any]) -> Answered | Failure:
    """The answer in a reply.

    Raises:
        BadReply: there is none.
    """
    match reply:
        case {"failed": str(kind), "message": str(message)} if kind in KINDS:
            return Failure(kind, message)
        case {"per_query": per_query, "mean": mean} if mean is None or type(mean) is float:
            if per_query is None:
                return Answered(None, mean)
            if isinstance(per_query, dict) and all(type(value) is float for value in per_query.values()):
                return Answered(per_query, mean)
    raise BadReply("a reply that is no answer")


def _all_text(values: Any) -> bool:  # noqa: ANN401 - whatever a reply holds
    return all(isinstance(value, str) for value in values)
