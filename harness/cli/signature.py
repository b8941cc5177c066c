"""`rankproof signature`: what a signature says, and how two of them differ."""

import json
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.options import Verb
from rankproof.saying import say
from rankproof.text import folded, short_pair

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankproof.explain.signature_comparison import AxisInWords, Compared, DifferingCase

UNDETERMINED = "undetermined, as no question that was asked decides it"


@click.command("signature", cls=Verb)
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(*, first: str, second: str | None, as_json: bool) -> None:
    """Say in words what signature A says, or how A and B differ and on which case it shows.

    \b
    rankproof signature 'nDCG@10|gain:exp'
    rankproof signature 'nDCG@10|gain:exp' 'nDCG@10|ties:input|score:f32'
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rankproof.inference.signatures import parse  # noqa: PLC0415 - a verb is imported when it is asked for

    one = parse(first)
    if second is None:
        _explain(one, as_json=as_json)
    else:
        _compare(one, parse(second), as_json=as_json)


def _explain(one: Any, *, as_json: bool) -> None:  # noqa: ANN401 - a Signature, imported when needed
    from rankproof.explain.signature_comparison import explained  # noqa: PLC0415 - as above

    axes = explained(one)
    if as_json:
        told = {
            "measure": str(one.measure),
            "by": one.by,
            "rankproof": one.version,
            "short": str(one),
            "whole": one.whole(),
            "axes": {
                axis.name: {
                    "question": axis.question,
                    "value": None if axis.open else axis.value,
                    "meaning": axis.meaning,
                    "standard": axis.standard,
                }
                | ({"undetermined": list(one.open[axis.name]), "taken": axis.taken} if axis.open else {})
                for axis in axes
            },
        }
        say(json.dumps(told, indent=2))
        return
    say(f"{one.measure}, computed by {one.by}, in the words of rankproof {one.version}")
    _section("other than standard", [axis for axis in axes if not axis.open and axis.value != axis.standard])
    _section(f"{UNDETERMINED}, and what `evaluate` takes", [axis for axis in axes if axis.open])
    _section("as in standard", [axis for axis in axes if axis.value == axis.standard])
    say(folded(f"\nshort  {one}", 7))
    say(folded(f"whole  {one.whole()}", 7))


def _section(title: str, axes: "list[AxisInWords]") -> None:
    if axes:
        say(f"\n{title}")
    for axis in axes:
        taken = f", taken as {axis.taken}" if axis.open else ""
        say(folded(f"  {axis.name}={axis.value}{taken}", 6))
        say(folded(f"      {axis.question} {axis.meaning}", 6))


def _compare(one: Any, other: Any, *, as_json: bool) -> None:  # noqa: ANN401 - as above
    from rich.console import Console  # noqa: PLC0415 - as above

    from rankproof.explain.signature_comparison import compare  # noqa: PLC0415 - as above

    with Console(stderr=True).status("looking for a case on which it shows"):
        found = compare(one, other)
    if as_json:
        axes = {
            change.name: {
                "question": change.question,
                "a": {"value": change.a, "meaning": change.a_means},
                "b": {"value": change.b, "meaning": change.b_means},
            }
            for change in found.changes
        }
        told = {
            "a": str(one),
            "b": str(other),
            "differ_in": list(found.named),
            "same": found.same,
            "axes": axes,
            "undetermined": {axis: {"a": a, "b": b} for axis, (a, b) in found.open.items()},
            "shows": _shown_json(found.shown),
        }
        say(json.dumps(told, allow_nan=False, indent=2))
        return
    if not found.changes and "measure" not in found.beside:
        as_far = ", as far as both are determined" if found.open else ""
        say(f"they say the same{_of_whom(found.beside, one.version, other.version)}{as_far}")
        _say_open(found.open)
        return
    say(folded(_headline(found, one, other)))
    for name, (a, b) in found.beside.items():
        _say_both(f"\n{name}", a, b)
    for change in found.changes:
        _say_both(
            f"\n{change.name}: {change.question}", f"{change.a}: {change.a_means}", f"{change.b}: {change.b_means}"
        )
    if found.same:
        say(folded(f"\nit cannot show: {one.measure} is the same number by both, whatever the input"))
    elif not found.comparable:
        say(folded("\nit cannot show: one compares labelings and the other ranks docs, so no input suits both"))
    else:
        say(folded(f"\nit shows on {_shown(found.shown)}", 2))
    _say_open(found.open)


def _say_both(title: str, a: str, b: str, indent: int = 2) -> None:
    """What the first signature says of something, and what the second one says."""
    say(folded(title, indent))
    for name, said in (("A", a), ("B", b)):
        say(folded(f"{'':{indent}}{name}  {said}", indent + 3))


def _headline(found: "Compared", one: Any, other: Any) -> str:  # noqa: ANN401 - two Signatures, imported when needed
    """In what they differ; of two measures it is said first that they are two."""
    if not found.of_two_measures:
        same = ", and say the same in other words" if found.same else ""
        return f"they differ in {', '.join(found.named)}{same}"
    rest = [name for name in found.named if name != "measure"]
    beside = f", and differ in {', '.join(rest)}, too" if rest else ""
    return f"they are of two measures, {one.measure} and {other.measure}{beside}"


def _say_open(still: "Mapping[str, tuple[str, str]]") -> None:
    """The axes on which they may differ or not, as nothing that was asked decides them."""
    if still:
        say(f"\n{UNDETERMINED}, so that they may differ there")
    for axis, (a, b) in still.items():
        _say_both(f"  {axis}", a, b, 4)


def _of_whom(beside: "Mapping[str, tuple[str, str]]", a: str, b: str) -> str:
    computed = " of two implementations, {} and {}".format(*beside["by"]) if "by" in beside else ""
    words = f", in the words of two versions of rankproof, {a} and {b}" if a != b else ""
    return computed + words


def _shown(shown: "DifferingCase | None") -> str:
    if shown is None:
        return "no case of the corpus"
    where = f" of {shown.query}" if shown.query else ""
    a, b = shown.measures
    again = "" if a == b else f"{b}{where} is "
    by_a, by_b = short_pair(*("nothing" if isinstance(value, str) else value for value in (shown.a, shown.b)))
    return f"{shown.case.id} ({shown.case.question}): {a}{where} is {by_a} by A and {again}{by_b} by B"


def _shown_json(shown: "DifferingCase | None") -> dict[str, Any] | None:
    from rankproof.cases.json_numbers import number_as_json  # noqa: PLC0415 - as above

    if shown is None:
        return None
    a, b = ("rejected" if value is None else number_as_json(value) for value in (shown.a, shown.b))
    return {
        "case": shown.case.id,
        "question": shown.case.question,
        "measures": list(shown.measures),
        "query": shown.query,
        "a": a,
        "b": b,
    }
