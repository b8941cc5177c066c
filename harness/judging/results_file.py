"""Results as JSON Lines, a file for each library: a header, a row per judged answer, what is unsupported, a footer.

The header says what was asked: every question, and every library with its version, its environment and its variants. A library in two
versions, or in two environments, stands in one file. What a library does not support is said once for each variant and reason, and is
given back as a row for each question. A file that was cut off is refused, and so are files of two runs. Files appear whole or not at
all: they are written beside their place and then moved there.
"""

import json
import platform
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rankproof.asking.subjects import Installation, Subject, Variant, installation, keys_of, names_of, variants_of
from rankproof.cases.json_numbers import number_as_json, number_of_json
from rankproof.files import publish
from rankproof.judging.absences import Absence, absences_of, rows_of
from rankproof.judging.runs import Run
from rankproof.judging.verdicts import Row, Verdict
from rankproof.version import VERSION

SCHEMA = Path(__file__).resolve().parent / "schemas" / "results.schema.json"
FOLDER = "results"
"""The folder of the results, beside what is written from them."""

Questions = Mapping[str, tuple[str, ...]]
"""The measures that each case asks."""


class Truncated(ValueError):
    """A results file without its footer, or with fewer rows than its footer counts."""


class BadResults(ValueError):
    """Results that do not read."""


@dataclass(frozen=True)
class Results:
    """What the results files of a run hold.

    Attributes:
        header: the versions that the results were made with, and `asked`: every library in every environment.
        footer: how often which verdict was given, and how many things do not hold.
    """

    header: Mapping[str, Any]
    rows: tuple[Row, ...]
    footer: Mapping[str, Any]

    @cached_property
    def asked(self) -> tuple[Installation, ...]:
        """Every library in every environment, as it described itself."""
        return tuple(installation(str(said["library"]), said) for said in self.header.get("asked", ()))

    @cached_property
    def libraries(self) -> Mapping[str, tuple[Installation, ...]]:
        """The environments in which each library was asked."""
        found: dict[str, tuple[Installation, ...]] = {}
        for one in self.asked:
            found[one.library] = (*found.get(one.library, ()), one)
        return found

    @cached_property
    def names(self) -> Mapping[Subject, str]:
        """What every subject is called: with its version only where there are several of it."""
        return names_of([*(s for one in self.asked for s in one.subjects), *(row.subject for row in self.rows)])

    @cached_property
    def variants(self) -> Mapping[Subject, Variant]:
        """The library of each subject, and what its variant is called there."""
        return variants_of(self.names)


# -- writing ----------------------------------------------------------------------------------------------------------


def header_of(run: Run, library: str | None = None) -> dict[str, Any]:
    """What was asked, and the versions that the results were made with; of one library, or of all."""
    return {
        "kind": "header",
        "rankproof": VERSION,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cases": len(run.cases),
        "inputs": run.inputs,
        "code": run.code,
        "asked": [one.installation.as_json() for one in run.asked if library in {None, one.library.name}],
    }


def lines_of(run: Run, library: str) -> Iterator[str]:
    """The lines of the results file of a library."""
    asked = [one.installation for one in run.asked if one.library.name == library]
    names = keys_of(asked)
    questions = {case.id: tuple(case.measures) for case in run.cases}
    rows = [row for row in run.rows if row.library == library]
    judged = [row for row in rows if row.verdict is not Verdict.UNSUPPORTED]
    absences = [*absences_of(rows, questions)]
    yield _line({**header_of(run, library), "questions": questions})
    for row in judged:
        yield _line(_as_json(row, names))
    for absence in absences:
        yield _line({"kind": "unsupported", "subject": names[absence.subject], **absence.as_json()})
    yield _line(
        {
            "kind": "footer",
            "rows": len(judged),
            "unsupported": len(rows) - len(judged),
            "verdicts": dict(sorted(Counter(str(row.verdict) for row in rows).items())),
            "complaints": sum(complaint.library == library for complaint in run.complaints),
        }
    )


def _as_json(row: Row, names: Mapping[Subject, str]) -> dict[str, Any]:
    whole = {
        "kind": "row", "case": row.case, "subject": names[row.subject], "measure": row.measure, "query": row.query,
        "verdict": str(row.verdict), "value": number_as_json(row.value), "error": row.error,
        "expected": number_as_json(row.expected), "conventions": list(row.conventions), "note": row.note,
    }  # fmt: skip
    optional: dict[str, object] = {"query": None, "error": None, "conventions": [], "note": ""}
    return {key: value for key, value in whole.items() if key not in optional or value != optional[key]}


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=True, separators=(",", ":")) + "\n"


def write(run: Run, folder: Path) -> None:
    """Write the results into `results` in a folder, each file whole or not at all; files of libraries that were not asked go."""
    names = list(dict.fromkeys(one.library.name for one in run.asked))
    for name in names:
        publish(folder / FOLDER / f"{name}.jsonl", "".join(lines_of(run, name)))
    remove_others(folder, names)


def remove_others(folder: Path, names: Sequence[str]) -> None:
    """Remove the results of libraries other than these."""
    for path in (folder / FOLDER).glob("*.jsonl"):
        if path.stem not in names and _is_ours(path):
            path.unlink()


def _is_ours(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8") as lines:
            return isinstance(said := json.loads(lines.readline()), dict) and "rankproof" in said
    except ValueError:
        return False


# -- reading ----------------------------------------------------------------------------------------------------------


def files_in(path: Path) -> list[Path]:
    """The results files that a path means: the file itself, or those in `results` in a folder, or in the folder itself."""
    if path.is_file():
        return [path]
    return sorted((path / FOLDER).glob("*.jsonl")) or sorted(path.glob("*.jsonl"))


def load(path: Path) -> Results:
    """Read the results of a run: a file, or all files of a folder.

    Raises:
        BadResults: there are none, a line is no line of such a file, or the files are of two runs.
        Truncated: a footer is missing, or counts what is not there.
    """
    paths = files_in(path)
    if not paths:
        raise BadResults(f"{path}: there are no such results; `rankproof run --out DIRECTORY` writes them")
    found = [_loaded(one) for one in paths]
    for other, where in zip(found[1:], paths[1:], strict=True):
        if _run_of(other) != _run_of(found[0]):
            raise BadResults(f"{where}:1: {paths[0].name} beside it is of another run; run `rankproof run` again")
    first = found[0].header
    header = {**first, "asked": [said for one in found for said in one.header["asked"]]}
    verdicts: Counter[str] = Counter()
    for results in found:
        verdicts.update(results.footer["verdicts"])
    counts = {name: sum(one.footer[name] for one in found) for name in ("rows", "unsupported", "complaints")}
    footer = {"kind": "footer", **counts, "verdicts": dict(sorted(verdicts.items()))}
    return Results(header, tuple(row for one in found for row in one.rows), footer)


def _run_of(results: Results) -> tuple[object, ...]:
    return tuple(results.header.get(name) for name in ("rankproof", "inputs", "code", "cases"))


def _loaded(path: Path) -> Results:
    records = list(_records(path))
    if len(records) < 2 or records[0]["kind"] != "header" or records[-1]["kind"] != "footer":  # noqa: PLR2004
        raise Truncated(f"{path}:{len(records)}: header or footer is missing: the file was cut off; run it again")
    header, footer = records[0], records[-1]
    if "libraries" in header:
        raise BadResults(
            f"{path}:1: an older rankproof wrote this, all libraries in one file; run `rankproof run` again"
        )
    reading = _Reading(path)
    names, questions = reading(1, _opened, header)
    judged = [reading(n, _row, line, names) for n, line in enumerate(records, 1) if line["kind"] == "row"]
    absences = [
        reading(n, _absence, line, names, questions)
        for n, line in enumerate(records, 1)
        if line["kind"] == "unsupported"
    ]
    rows = rows_of(judged, absences, questions, tuple(names.values()))
    counted = (len(judged), len(rows) - len(judged))
    if counted != reading(len(records), _counts, footer):
        told = f"the footer counts {footer['rows']} rows and {footer['unsupported']} that are unsupported"
        raise Truncated(f"{path}:{len(records)}: {told}, the file has {counted[0]} and {counted[1]}; run it again")
    return Results(header, tuple(rows), footer)


def _records(path: Path) -> Iterator[dict[str, Any]]:
    number = 0
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                record = json.loads(line)
                if not isinstance(record, dict) or record.get("kind") not in {"header", "row", "unsupported", "footer"}:
                    raise BadResults(f"{path}:{number}: this is no results file of rankproof")
                yield record
    except json.JSONDecodeError as error:
        raise BadResults(f"{path}:{number}: the line is no JSON: {error}; run `rankproof run` again") from error
    except UnicodeDecodeError as error:
        raise BadResults(f"{path}:{number + 1}: the line is no UTF-8: {error}; this is no results file") from error


@dataclass(frozen=True, slots=True)
class _Reading:
    """Lines of a file, read one by one; what does not read is told with its line."""

    path: Path

    def __call__(self, number: int, read: Any, *given: Any) -> Any:  # noqa: ANN401 - any part of a file
        try:
            return read(*given)
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            told = f"{type(error).__name__}: {error}"
            raise BadResults(f"{self.path}:{number}: this is no results file of `rankproof run`: {told}") from error


def _opened(header: Mapping[str, Any]) -> tuple[dict[str, Subject], Questions]:
    asked = [installation(str(said["library"]), said) for said in header["asked"]]
    names = {name: subject for subject, name in keys_of(asked).items()}
    return names, {str(case): tuple(map(str, measures)) for case, measures in header["questions"].items()}


def _counts(footer: Mapping[str, Any]) -> tuple[int, int]:
    if not isinstance(footer["verdicts"], Mapping) or not isinstance(footer["complaints"], int):
        raise TypeError("the footer does not count verdicts and complaints")
    return int(footer["rows"]), int(footer["unsupported"])


def _row(record: Mapping[str, Any], names: Mapping[str, Subject]) -> Row:
    return Row(
        record["case"], names[record["subject"]], record["measure"], record.get("query"), Verdict(record["verdict"]),
        number_of_json(record["value"]), record.get("error"), number_of_json(record["expected"]),
        tuple(record.get("conventions", ())), record.get("note", ""),
    )  # fmt: skip


def _absence(record: Mapping[str, Any], names: Mapping[str, Subject], questions: Questions) -> Absence:
    cases, measures = (_texts(record.get(name)) for name in ("cases", "measures"))
    if unknown := [case for case in cases or () if case not in questions]:
        raise ValueError(f"no such case was asked: {unknown[0]}")
    return Absence(names[record["subject"]], record["why"], cases, measures)


def _texts(given: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if given is None else tuple(given)
