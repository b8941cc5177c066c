"""Replies: a line of a worker, read and held to the protocol's schema. This is the one place where that is done.

A reply to `observe` is checked by code that is written out, since a validator would take longer than the libraries; a test holds it to
the schema. The others are rare, and a validator checks them.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rankproof import adapters
from rankproof.documents import SchemaPart
from rankproof.text import one_line

Reply = dict[str, Any]

PROTOCOL = 1
"""The version of the protocol that is spoken here."""
SCHEMA = Path(adapters.__file__).resolve().parent / "schemas" / "protocol.schema.json"
FORMS = {
    kind: SchemaPart(SCHEMA, kind) for kind in ("hello_reply", "not_installed_reply", "identify_reply", "calls_reply")
}
SHOWN = 300
"""How many letters of what is wrong are shown."""


def without(said: Mapping[str, Any], *names: str) -> Reply:
    """What is said, but for what stands under these names."""
    return {name: of for name, of in said.items() if name not in names}


class NoReply(ValueError):
    """A line that is no reply; the message says why."""


def read(line: bytes) -> Reply:
    """The JSON object of a line.

    Raises:
        NoReply: it holds none: no UTF-8, no JSON, or JSON that not every reader would read alike.
    """
    try:
        reply = json.loads(line.decode("utf-8"), parse_constant=_refuse, object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise NoReply(f"the reply is no UTF-8: {error.reason} at byte {error.start + 1}") from None
    except RecursionError:
        raise NoReply("the reply is nested too deeply") from None
    except NoReply:
        raise
    except json.JSONDecodeError:
        raise NoReply(f"the reply is no JSON: {line[:80].decode('utf-8', 'replace')!r}") from None
    except ValueError:  # an integer of more digits than Python reads
        raise NoReply("the reply holds a number that is too large") from None
    if not isinstance(reply, dict):
        raise NoReply("the reply is not to this request")
    return reply


def _refuse(name: str) -> float:
    raise NoReply(f"the reply is no JSON: it holds {name}; write it as text, or null")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NoReply("the reply is no JSON object: it says one name twice")
    return found


def is_to(reply: Reply, seq: int) -> bool:
    """Whether it is the reply to the request of this number."""
    return type(reply.get("seq")) is int and reply["seq"] == seq


def is_late(reply: Reply, seq: int) -> bool:
    """Whether it is a reply to an earlier request."""
    return type(reply.get("seq")) is int and 0 < reply["seq"] < seq


# -- what is wrong with a reply ----------------------------------------------------------------------------------------


def flaw_of_hello(reply: Reply) -> str | None:
    """What is wrong with a reply to `hello`; None if nothing is."""
    spoken = reply.get("protocol")
    if type(spoken) is not int or spoken != PROTOCOL:
        said = "names no version of the protocol" if spoken is None else f"speaks version {spoken!r} of the protocol"
        told = f"its adapter {said}, and this rankproof speaks version {PROTOCOL}: change the adapter, or install a rankproof that fits"
        return one_line(told)[:SHOWN]
    kind = "not_installed_reply" if "not_installed" in reply else "hello_reply"
    flaw = _flaw_by_schema("hello", reply, kind)
    if flaw is not None or kind == "not_installed_reply":
        return flaw
    lacking = next((variant for variant in reply["variants"] if variant not in reply["measures"]), None)
    return None if lacking is None else f"its reply to hello names no measures of its variant {lacking}"


def flaw_of(op: str, reply: Reply) -> str | None:
    """What is wrong with a reply to `identify` or `calls`, which an adapter need not know; None if nothing is."""
    return None if reply.keys() == {"seq"} else _flaw_by_schema(op, reply, f"{op}_reply")


def _flaw_by_schema(op: str, reply: Reply, kind: str) -> str | None:
    for found in FORMS[kind].flaws(reply):
        where = "".join(f"{step}: " for step in found.steps)
        flaw = one_line(f"{where}{found.message}")[:SHOWN]
        return f"its reply to {op} is not as protocol.schema.json says: {flaw}"
    return None


def flaw_of_observed(reply: Reply, measures: Sequence[str]) -> str | None:
    """What is wrong with a reply to `observe`, in which these measures were asked; None if nothing is."""
    answers = reply.get("answers")
    if not isinstance(answers, dict) or answers.keys() != set(measures):
        return "the reply does not answer the measures asked"
    if beside := sorted(reply.keys() - {"seq", "answers", "seconds", "report"}):
        return one_line(f"the reply says {beside[0]}, which the protocol has not")[:SHOWN]
    seconds = reply.get("seconds", 0)
    if not is_number(seconds) or seconds < 0:
        return "the seconds of the reply are no number"
    if not isinstance(reply.get("report", {}), dict):
        return "the report of the reply is not an object"
    return next((why for answer in answers.values() if (why := flaw(answer)) is not None), None)


def flaw(answer: object) -> str | None:
    """What is wrong with an answer by `answer` in `adapters/schemas/protocol.schema.json`; None if nothing is."""
    if not isinstance(answer, dict):
        return "an answer is not an object"
    said = answer.keys()
    if said == {"unsupported"}:
        return None if isinstance(answer["unsupported"], str) else "the reason of an unsupported measure is no text"
    if said == {"error"}:
        return _flaw_of_error(answer["error"])
    if said != {"per_query", "mean"}:
        return "an answer has not per_query and mean alone"
    per_query = answer["per_query"]
    if per_query is not None and not isinstance(per_query, dict):
        return "the values by query are no object"
    values = [answer["mean"], *(per_query or {}).values()]
    return next((f"{_shown(value)} is no value" for value in values if not is_value(value)), None)


def _flaw_of_error(error: object) -> str | None:
    if (
        not isinstance(error, dict)
        or error.keys() - {"kind"} != {"type", "message"}
        or not all(isinstance(text, str) for text in error.values())
    ):
        return "an error has not a type and a message"
    return None if error.get("kind", "crash") == "crash" else "the kind of an error is not crash"


def is_number(value: object) -> bool:
    """Whether it is a number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def is_value(value: object) -> bool:
    """Whether it is a value as the protocol has it."""
    return value is None or is_number(value) or (isinstance(value, str) and value in {"nan", "inf", "-inf"})


def _shown(value: object) -> str:
    if isinstance(value, str):
        return one_line(repr(value[:SHOWN]))
    return "a number that no float holds" if type(value) in {int, float} else f"a {type(value).__name__}"
