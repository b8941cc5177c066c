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
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from rankproof.cases.json_numbers import number_as_json, number_of_json
from rankproof.documents import BadDocument, SchemaPart, all_kept, json_in, on_line
from rankproof.documents import lines_of as lines_in
from rankproof.files import publish, settle
from rankproof.grouping import grouped
from rankproof.judge.absences import Absence, absences_of, rows_of
from rankproof.judge.runs import Run, corpus_of
from rankproof.judge.verdicts import HOLDS, Row, Verdict
from rankproof.reference_impl.conventions import parse_conventions
from rankproof.reference_impl.unusable import Unusable
from rankproof.version import VERSION
from rankproof.workers.subjects import Installation, Subject, Variant, installation, keys_of, names_of, variants_of

SCHEMA = Path(__file__).resolve().parent / "schemas" / "results.schema.json"
FORMS = {kind: SchemaPart(SCHEMA, kind) for kind in ("header", "row", "unsupported", "footer")}
"""The form of each kind of line."""
MEND = "write the results again with `rankproof run`"
FOLDER = "results"
"""The folder of the results, beside what is written from them."""

PLAIN, COMPRESSED = ".jsonl", ".jsonl.gz"
"""How the name of a results file ends: in the folder of a run, and among published results."""

Questions = Mapping[str, tuple[str, ...]]
"""The measures that each case asks."""


class Truncated(Unusable):
    """A results file without its footer, or with fewer rows than its footer counts."""


class BadResults(Unusable):
    """Results that do not read."""


@dataclass(frozen=True)
class RunResults:
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
    def libraries(self) -> Mapping[str, Sequence[Installation]]:
        """The environments in which each library was asked."""
        return grouped((one.library, one) for one in self.asked)

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
    asked = [one for one in run.asked if library in {None, one.library.name}]
    return {
        "kind": "header",
        "rankproof": VERSION,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cases": len(run.cases),
        "inputs": run.inputs,
        "code": run.code,
        "corpus": corpus_of(run.cases),
        **({"adapter": asked[0].adapter} if library is not None and asked[0].adapter else {}),
        **({"once": once} if (once := sum(one.once for one in asked)) else {}),
        "asked": [one.installation.as_json() for one in asked],
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
        "kind": "row",
        "case": row.case,
        "subject": names[row.subject],
        "measure": row.measure,
        "query": row.query,
        "verdict": str(row.verdict),
        "value": number_as_json(row.value),
        "error": row.error,
        "expected": number_as_json(row.expected),
        "conventions": list(row.conventions),
        "note": row.note,
    }
    optional: dict[str, object] = {"query": None, "error": None, "conventions": [], "note": ""}
    return {key: value for key, value in whole.items() if key not in optional or value != optional[key]}


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=True, separators=(",", ":")) + "\n"


def write(run: Run, folder: Path, ending: str = PLAIN) -> None:
    """Write the results into `results` in a folder, each file whole or not at all; files of libraries that were not asked go."""
    names = list(dict.fromkeys(one.library.name for one in run.asked))
    for name in names:
        publish(folder / FOLDER / f"{name}{ending}", "".join(lines_of(run, name)))
    remove_others(folder, names, ending)


def remove_others(folder: Path, names: Sequence[str], ending: str = PLAIN) -> None:
    """Remove the results of libraries other than these, and files of these with another ending."""
    kept = {folder / FOLDER / f"{name}{ending}" for name in names}
    for path in files_below(folder / FOLDER):
        if path not in kept and _is_ours(path):
            path.unlink()


def file_of(folder: Path, library: str) -> Path:
    """Return the results file of a library, compressed or not, below the folder of a run."""
    compressed = folder / FOLDER / f"{library}{COMPRESSED}"
    return compressed if compressed.exists() else compressed.with_name(f"{library}{PLAIN}")


def files_below(folder: Path) -> list[Path]:
    """Return the results files in a folder, compressed or not, sorted."""
    return sorted(path for ending in (PLAIN, COMPRESSED) for path in folder.glob(f"*{ending}"))


def _is_ours(path: Path) -> bool:
    try:
        _, first = next(lines_in(path), (0, "null"))
        return isinstance(said := json.loads(first), dict) and "rankproof" in said
    except ValueError:
        return False


# -- reading ----------------------------------------------------------------------------------------------------------


def files_in(path: Path) -> list[Path]:
    """The results files that a path means: the file itself, or those in `results` in a folder, or in the folder itself.

    Raises:
        NotWritable: a run was killed while it moved its results there, and the rest cannot be moved now.
    """
    if path.is_file():
        return [path]
    settle(path.parent if path.name == FOLDER else path)
    return files_below(path / FOLDER) or files_below(path)


def load(path: Path, *, of_any_version: bool = False) -> RunResults:
    """Read the results of a run: a file, or all files of a folder.

    Args:
        path: the file or the folder.
        of_any_version: whether conventions may be such as another version of rankproof knows; measures may be.

    Raises:
        BadResults: there are none, a line is no line of such a file, or the files are of two runs.
        Truncated: a footer is missing, or counts what is not there.
    """
    paths = files_in(path)
    if not paths:
        raise BadResults(f"{path}: there are no such results; `rankproof run --out DIRECTORY` writes them")
    with all_kept():
        found = [_loaded(one, of_any_version=of_any_version) for one in paths]
    having: dict[str, Path] = {}
    for one, where in zip(found, paths, strict=True):
        if _run_of(one) != _run_of(found[0]):
            raise BadResults(f"{where}:1: {paths[0].name} beside it is of another run; run `rankproof run` again")
        for library in sorted(one.libraries):
            if (other := having.setdefault(library, where)) != where:
                raise BadResults(f"{where}:1: {other.name} beside it has {library}, too; run `rankproof run` again")
    first = found[0].header
    header = {**first, "asked": [said for one in found for said in one.header["asked"]]}
    verdicts: Counter[str] = Counter()
    for results in found:
        verdicts.update(results.footer["verdicts"])
    counts = {name: sum(one.footer[name] for one in found) for name in ("rows", "unsupported", "complaints")}
    footer = {"kind": "footer", **counts, "verdicts": dict(sorted(verdicts.items()))}
    return RunResults(header, tuple(row for one in found for row in one.rows), footer)


def _run_of(results: RunResults) -> tuple[object, ...]:
    return tuple(results.header.get(name) for name in ("rankproof", "inputs", "code", "cases"))


def _loaded(path: Path, *, of_any_version: bool) -> RunResults:
    lines: list[dict[str, Any]] = []
    try:
        for number, text in lines_in(path):
            with on_line(number):
                lines.append(_line_in(text))
        return _of_lines(path, lines, of_any_version=of_any_version)
    except BadDocument as error:
        raise BadResults(f"{path}:{error.line}: {error}; {MEND}") from error


def _line_in(text: str) -> dict[str, Any]:
    line = json_in(text)
    kind = line.get("kind") if isinstance(line, dict) else None
    if not isinstance(kind, str) or kind not in FORMS:
        raise BadDocument("this is no results file of rankproof")
    if "libraries" in line:
        raise BadDocument("an older rankproof wrote this, all libraries in one file")
    FORMS[kind].check(line)
    return dict(line)


def _of_lines(path: Path, lines: Sequence[dict[str, Any]], *, of_any_version: bool) -> RunResults:
    kinds = [line["kind"] for line in lines]
    if len(lines) < 2 or kinds[0] != "header" or kinds[-1] != "footer":  # noqa: PLR2004 - header and footer
        raise Truncated(f"{path}:{len(lines)}: header or footer is missing: the file was cut off; run it again")
    header, *between, footer = lines
    with on_line(1):
        asked = [installation(said["library"], said) for said in header["asked"]]
        if len({one.library for one in asked}) != 1:
            raise BadDocument("the header names no library, or several; a file is of one")
        names = {name: subject for subject, name in keys_of(asked).items()}
        questions = {case: tuple(measures) for case, measures in header["questions"].items()}
    reading = _Reading(names, questions, of_any_version=of_any_version)
    for number, line in enumerate(between, start=2):
        with on_line(number):
            reading.read(line)
    rows = rows_of(reading.judged, reading.absences, questions, tuple(names.values()))
    counted = (len(reading.judged), len(rows) - len(reading.judged))
    if counted != (footer["rows"], footer["unsupported"]):
        told = f"the footer counts {footer['rows']} rows and {footer['unsupported']} that are unsupported"
        raise Truncated(f"{path}:{len(lines)}: {told}, the file has {counted[0]} and {counted[1]}; run it again")
    if footer["verdicts"] != Counter(str(row.verdict) for row in rows):
        raise Truncated(f"{path}:{len(lines)}: the footer counts other verdicts than the file has; run it again")
    return RunResults(header, tuple(rows), footer)


@dataclass(slots=True)
class _Reading:
    """The lines between header and footer, each held to what the header says was asked."""

    names: Mapping[str, Subject]
    questions: Questions
    of_any_version: bool
    judged: list[Row] = field(default_factory=list)
    absences: list[Absence] = field(default_factory=list)
    _places: set[tuple[str, str, str, str | None]] = field(default_factory=set)
    _conventions: set[tuple[str, ...]] = field(default_factory=set)

    def read(self, line: Mapping[str, Any]) -> None:
        """Read a line.

        Raises:
            BadDocument: it says something of what was not asked, or says it again.
            UnknownConvention: it names a convention that is not known here.
        """
        if line["kind"] not in {"row", "unsupported"}:
            raise BadDocument(f"a {line['kind']} stands among the rows")
        if line["subject"] not in self.names:
            raise BadDocument(f"{line['subject']} is none of those that the header says were asked")
        if line["kind"] == "row":
            self.judged.append(self._row(line))
        else:
            self.absences.append(self._absence(line))

    def _row(self, line: Mapping[str, Any]) -> Row:
        case, measure, query = line["case"], line["measure"], line.get("query")
        if case and measure not in self.questions.get(case, ()):
            raise BadDocument(f"{case or 'no case'} was not asked for {measure or 'nothing'}, by the header")
        place = (line["subject"], case, measure, query)
        if case and place in self._places:
            raise BadDocument("there is a row of the same answer before it")
        self._places.add(place)
        row = Row(
            case,
            self.names[line["subject"]],
            measure,
            query,
            Verdict(line["verdict"]),
            number_of_json(line["value"]),
            line.get("error"),
            number_of_json(line["expected"]),
            tuple(line.get("conventions", ())),
            line.get("note", ""),
        )
        if row.verdict in HOLDS and row.value is None and row.error is None:
            raise BadDocument(f"it has neither a value nor an error, and is called {row.verdict}")
        if not self.of_any_version and row.conventions not in self._conventions:
            parse_conventions(" ".join(row.conventions))
            self._conventions.add(row.conventions)
        return row

    def _absence(self, line: Mapping[str, Any]) -> Absence:
        cases, measures = (None if line.get(name) is None else tuple(line[name]) for name in ("cases", "measures"))
        if unknown := [case for case in cases or () if case not in self.questions]:
            raise BadDocument(f"no such case was asked: {unknown[0]}")
        return Absence(self.names[line["subject"]], line["why"], cases, measures)
