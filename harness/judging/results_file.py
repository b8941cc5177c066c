"""Results as JSON Lines: a header with the versions of everything, a row per judged observation, a footer.

A file without its footer was cut off, and is refused. Files appear whole or not at all: they are written beside their place and then
moved there.
"""

import json
import platform
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rankproof
from rankproof.cases.json_numbers import number_as_json, number_of_json
from rankproof.files import publish
from rankproof.judging.runs import Run
from rankproof.judging.verdicts import Row, Verdict

SCHEMA = Path(__file__).resolve().parent / "schemas" / "results.schema.json"


class Truncated(ValueError):
    """A results file without its footer."""


class BadResults(ValueError):
    """A results file that does not read."""


@dataclass(frozen=True, slots=True)
class Results:
    """What a results file holds."""

    header: Mapping[str, Any]
    rows: tuple[Row, ...]
    footer: Mapping[str, Any]


def header_of(run: Run) -> dict[str, Any]:
    """The versions that the results were made with."""
    return {
        "kind": "header",
        "rankproof": rankproof.__version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cases": len(run.cases),
        "inputs": run.inputs,
        "code": run.code,
        "libraries": {asked.library.name: _described(asked.hello) for asked in run.asked},
    }


def _described(hello: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("version", "python", "variants", "absent", "dependencies", "notes", "not_installed", "failed", "message")
    return {key: hello[key] for key in kept if hello.get(key)}


def lines_of(run: Run) -> Iterator[str]:
    """The lines of a results file."""
    yield _line(header_of(run))
    for row in run.rows:
        yield _line(_as_json(row))
    verdicts = Counter(str(row.verdict) for row in run.rows)
    yield _line(
        {
            "kind": "footer",
            "rows": len(run.rows),
            "verdicts": dict(sorted(verdicts.items())),
            "complaints": len(run.complaints),
        }
    )


def _as_json(row: Row) -> dict[str, Any]:
    whole = {
        "kind": "row", "case": row.case, "library": row.library, "variant": row.variant, "version": row.version,
        "measure": row.measure, "query": row.query, "verdict": str(row.verdict), "value": number_as_json(row.value), "error": row.error,
        "expected": number_as_json(row.expected), "conventions": list(row.conventions), "note": row.note,
    }  # fmt: skip
    optional: dict[str, object] = {"error": None, "conventions": [], "note": ""}
    return {key: value for key, value in whole.items() if key not in optional or value != optional[key]}


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=True) + "\n"


def write(run: Run, path: Path) -> None:
    """Write the results, whole or not at all."""
    publish(path, "".join(lines_of(run)))


def load(path: Path) -> Results:
    """Read a results file.

    Raises:
        BadResults: a line is no JSON, or no row.
        Truncated: the footer is missing.
    """
    records = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise BadResults(f"{path}:{number}: the line is no JSON: {error}") from error
            if not isinstance(record, dict) or record.get("kind") not in {"header", "row", "footer"}:
                raise BadResults(f"{path}:{number}: this is no results file of rankproof")
            records.append(record)
    if len(records) < 2 or records[0].get("kind") != "header" or records[-1].get("kind") != "footer":  # noqa: PLR2004
        raise Truncated(f"{path}:{len(records)}: header or footer is missing: the file was cut off; run it again")
    if records[-1]["rows"] != len(records) - 2:
        raise Truncated(
            f"{path}:{len(records)}: the footer counts {records[-1]['rows']} rows, the file has {len(records) - 2}"
        )
    return Results(records[0], tuple(_row(record) for record in records[1:-1]), records[-1])


def _row(record: Mapping[str, Any]) -> Row:
    return Row(
        record["case"], record["library"], record["variant"], record["version"], record["measure"], record["query"],
        Verdict(record["verdict"]), number_of_json(record["value"]), record.get("error"), number_of_json(record["expected"]),
        tuple(record.get("conventions", ())), record.get("note", ""),
    )  # fmt: skip
