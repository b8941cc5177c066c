"""Results of runs as JSON Lines, one file per library: a header, the judged values, unsupported measures, and a footer.

The header lists all cases and measures, and the library in each version and environment. Reasons for unsupported
measures are written once, and read as a row for each case. Files are written atomically.
"""

import json
import platform
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from rankproof.bounded import BadDocument
from rankproof.cases.json_numbers import number_as_json, number_of_json
from rankproof.codec import convert
from rankproof.documents import all_kept, json_in, on_line
from rankproof.documents import lines_of as lines_in
from rankproof.files import publish, settle
from rankproof.grouping import grouped
from rankproof.judge.runs import Run, corpus_of
from rankproof.judge.verdicts import HOLDS, Row, Verdict
from rankproof.reference_impl.unusable import Unusable
from rankproof.version import VERSION
from rankproof.workers.subjects import Installation, Subject, Variant, installation, keys_of, names_of, variants_of

REMEDY = "write the results again with `rankproof run`"
FOLDER = "results"
"""The folder of the results, next to the files that are made from them."""

PLAIN, COMPRESSED = ".jsonl", ".jsonl.gz"
"""The endings of results files, in the folder of a run and among published results."""

Questions = Mapping[str, Sequence[str]]
"""The measures of each case, or the cases of each measure."""


class Truncated(Unusable):
    """Error for a results file that has no footer, or fewer rows than its footer counts."""


class BadResults(Unusable):
    """Error for results that cannot be read."""


@dataclass(frozen=True)
class RunResults:
    """The results of a run.

    Attributes:
        header: the versions, and under `asked` every library in every environment.
        rows: the judged values.
        footer: the number of rows by verdict, and of complaints.
    """

    header: Mapping[str, Any]
    rows: tuple[Row, ...]
    footer: Mapping[str, Any]

    @cached_property
    def installations(self) -> tuple[Installation, ...]:
        """The libraries in all environments."""
        return tuple(installation(str(entry["library"]), entry) for entry in self.header.get("asked", ()))

    @cached_property
    def libraries(self) -> Mapping[str, Sequence[Installation]]:
        """The environments of each library."""
        return grouped((environment.library, environment) for environment in self.installations)

    @cached_property
    def names(self) -> Mapping[Subject, str]:
        """The name of each subject, with its version only if there are several."""
        subjects = [subject for about in self.installations for subject in about.subjects]
        return names_of([*subjects, *(row.subject for row in self.rows)])

    @cached_property
    def variants(self) -> Mapping[Subject, Variant]:
        """The library of each subject, and the name of its variant there."""
        return variants_of(self.names)


# -- the lines -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Header:
    asked: list[dict[str, Any]]
    questions: dict[str, list[str]]
    rankproof: str
    cases: int
    inputs: str
    code: str
    corpus: str


@dataclass(frozen=True, slots=True)
class _RowLine:
    case: str
    subject: str
    measure: str
    verdict: Verdict
    value: float | str | None
    expected: float | str | None
    query: str | None = None
    error: str | None = None
    conventions: tuple[str, ...] = ()
    note: str = ""

    def row(self, subject: Subject) -> Row:
        value, expected = number_of_json(self.value), number_of_json(self.expected)
        about = self.case, subject, self.measure, self.query, self.verdict
        return Row(*about, value, self.error, expected, self.conventions, self.note)


@dataclass(frozen=True, slots=True)
class _Unsupported:
    """The reason why measures are unsupported in these cases or, without cases, in all cases with these measures."""

    subject: str
    why: str
    measures: tuple[str, ...] | None = None
    cases: tuple[str, ...] | None = None

    def questions(self, questions: Questions, by_measure: Questions) -> Iterator[tuple[str, str]]:
        """Yield the unsupported cases and measures.

        Args:
            questions: the measures by case.
            by_measure: the cases by measure.

        Raises:
            BadDocument: a case is not in the header.
        """
        cases = None if self.cases is None else {*self.cases}
        if unknown := (cases or set()) - questions.keys():
            raise BadDocument(f"the header does not list the case {min(unknown)}")
        for measure in by_measure if self.measures is None else self.measures:
            yield from ((case, measure) for case in by_measure.get(measure, ()) if cases is None or case in cases)


@dataclass(frozen=True, slots=True)
class _Footer:
    rows: int
    unsupported: int
    verdicts: dict[str, int]
    complaints: int


_FIELDS = fields(_RowLine)
_KINDS: dict[str, type] = {"header": _Header, "row": _RowLine, "unsupported": _Unsupported, "footer": _Footer}


def _by_measure(questions: Questions) -> Questions:
    return grouped((measure, case) for case, measures in questions.items() for measure in measures)


# -- writing -------------------------------------------------------------------------------------------------------------


def lines_of(run: Run, library: str) -> Iterator[str]:
    """Yield the lines of the results file of a library."""
    answers = [own for own in run.answers if own.library.name == library]
    names = keys_of(own.installation for own in answers)
    questions = {case.id: tuple(case.measures) for case in run.cases}
    rows = [row for row in run.rows if row.library == library]
    judged = [row for row in rows if row.verdict is not Verdict.UNSUPPORTED]
    header = {
        "rankproof": VERSION,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cases": len(run.cases),
        "inputs": run.inputs,
        "code": run.code,
        "corpus": corpus_of(run.cases),
        **({"adapter": answers[0].adapter} if answers[0].adapter else {}),
        "asked": [own.installation.as_json() for own in answers],
    }
    yield _line("header", {**header, "questions": questions})
    for row in judged:
        yield _line("row", _as_json(row, names[row.subject]))
    unsupported = grouped((names[row.subject], row) for row in rows if row.verdict is Verdict.UNSUPPORTED)
    for subject, own in unsupported.items():
        yield from (_line("unsupported", {"subject": subject, **reason}) for reason in _reasons(own, questions))
    counts = Counter(str(row.verdict) for row in rows)
    footer = {
        "rows": len(judged),
        "unsupported": len(rows) - len(judged),
        "verdicts": dict(sorted(counts.items())),
        "complaints": sum(complaint.library == library for complaint in run.complaints),
    }
    yield _line("footer", footer)


def _as_json(row: Row, subject: str) -> dict[str, Any]:
    """Return a row as JSON, without fields that have their default."""
    values = ((field, row.subject if field.name == "subject" else getattr(row, field.name)) for field in _FIELDS)
    record = {field.name: value for field, value in values if value != field.default}
    return {**record, "subject": subject, "value": number_as_json(row.value), "expected": number_as_json(row.expected)}


def _reasons(rows: Sequence[Row], questions: Questions) -> Iterator[dict[str, Any]]:
    """Yield each reason once, with its measures, and with its cases unless it applies to all cases of the measures."""
    why = {(row.case, row.measure): row.note for row in rows}
    everywhere: dict[str, str] = {}
    for measure, cases in _by_measure(questions).items():
        reasons = {why.get((case, measure)) for case in cases}
        if len(reasons) == 1 and (reason := reasons.pop()) is not None:
            everywhere[measure] = reason
    for reason, shared in grouped((reason, measure) for measure, reason in everywhere.items()).items():
        yield {"why": reason, "measures": shared}
    rest = grouped(((why[place], place[1]), place[0]) for place in why if place[1] not in everywhere)
    together = grouped(((reason, tuple(cases)), measure) for (reason, measure), cases in rest.items())
    for (reason, some), measures in together.items():
        yield {"why": reason, "cases": list(some), "measures": measures}


def _line(kind: str, record: Mapping[str, Any]) -> str:
    return json.dumps({"kind": kind, **record}, ensure_ascii=True, separators=(",", ":")) + "\n"


def write(run: Run, folder: Path, ending: str = PLAIN) -> None:
    """Write the results into `results` in a folder, and remove the files of other libraries."""
    names = list(dict.fromkeys(answers.library.name for answers in run.answers))
    for name in names:
        publish(folder / FOLDER / f"{name}{ending}", "".join(lines_of(run, name)))
    remove_others(folder, names, ending)


def remove_others(folder: Path, names: Sequence[str], ending: str = PLAIN) -> None:
    """Remove the results of libraries other than these, and files of these with another ending."""
    kept = {folder / FOLDER / f"{name}{ending}" for name in names}
    for path in files_below(folder / FOLDER):
        if path not in kept and _is_ours(path):
            path.unlink(missing_ok=True)  # another run may remove the same


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
        return isinstance(document := json.loads(first), dict) and "rankproof" in document
    except ValueError:
        return False


# -- reading -------------------------------------------------------------------------------------------------------------


def files_in(path: Path) -> list[Path]:
    """Return the results files of a path: the file itself, those in `results` in a folder, or those in the folder.

    Raises:
        NotWritable: an interrupted run left results to move, and they cannot be moved now.
    """
    if path.is_file():
        return [path]
    settle(path.parent if path.name == FOLDER else path)
    return files_below(path / FOLDER) or files_below(path)


def load(path: Path) -> RunResults:
    """Read the results of a run: a file, or all files of a folder.

    Raises:
        BadResults: there are no results, a line is invalid, or the files are from two runs.
        Truncated: a footer is missing, or counts more rows than the file has.
    """
    paths = files_in(path)
    if not paths:
        raise BadResults(f"{path}: there are no results; write them with `rankproof run --out DIRECTORY`")
    with all_kept():
        loaded = [_loaded(file) for file in paths]
    seen: dict[str, Path] = {}
    for results, where in zip(loaded, paths, strict=True):
        if _run_of(results) != _run_of(loaded[0]):
            raise BadResults(f"{where}:1: {paths[0].name} next to it is from another run; run `rankproof run` again")
        for library in results.libraries:
            if (other := seen.setdefault(library, where)) != where:
                raise BadResults(f"{where}:1: {other.name} next to it also has {library}; run `rankproof run` again")
    header = {**loaded[0].header, "asked": [entry for results in loaded for entry in results.header["asked"]]}
    verdicts = sum((Counter(results.footer["verdicts"]) for results in loaded), Counter[str]())
    counts = {name: sum(results.footer[name] for results in loaded) for name in ("rows", "unsupported", "complaints")}
    footer = {**counts, "verdicts": dict(sorted(verdicts.items()))}
    return RunResults(header, tuple(row for results in loaded for row in results.rows), footer)


def _run_of(results: RunResults) -> tuple[object, ...]:
    return tuple(results.header.get(name) for name in ("rankproof", "inputs", "code", "cases"))


def _loaded(path: Path) -> RunResults:
    reader, number = _Reader(), 0
    try:
        for number, text in lines_in(path):
            with on_line(number):
                reader.read(json_in(text))
    except BadDocument as error:
        raise BadResults(f"{path}:{error.line}: {error}; {REMEDY}") from error
    if (footer := reader.footer) is None:
        raise Truncated(f"{path}:{number}: header or footer is missing: the file was cut off; run `rankproof run`")
    counts = Counter(str(row.verdict) for row in reader.rows)
    unsupported = counts[Verdict.UNSUPPORTED]
    counted = {"rows": len(reader.rows) - unsupported, "unsupported": unsupported, "verdicts": dict(counts)}
    footed = {"rows": footer.rows, "unsupported": footer.unsupported, "verdicts": footer.verdicts}
    if counted != footed:
        raise Truncated(f"{path}:{number}: the footer counts {footed}, the file has {counted}; run `rankproof run`")
    return RunResults(reader.header, tuple(reader.in_order()), {**footed, "complaints": footer.complaints})


class _Reader:
    """Reader of the lines of a results file, which compares each line with the header."""

    def __init__(self) -> None:
        self.header: Mapping[str, Any] = {}
        self.rows: list[Row] = []
        self.footer: _Footer | None = None
        self._subjects: Mapping[str, Subject] = {}
        self._cases_by_measure: Questions = {}
        self._queries: dict[tuple[str, str, str], set[str | None]] = {}
        """The queries of each subject, case and measure."""

    def read(self, value: object) -> None:
        """Read the next line.

        Raises:
            ValueError: the line contradicts the lines before it.
        """
        record: Mapping[str, Any] = value if isinstance(value, dict) else {}
        kind = record.get("kind")
        if kind not in _KINDS or (kind == "header") is bool(self.header) or self.footer:
            raise BadDocument("not a results file of rankproof, or its lines are in the wrong order")
        line: object = convert(record, _KINDS[kind])
        if isinstance(line, _Footer):
            self.footer = line
        elif isinstance(line, _RowLine):
            self._read_row(line)
        elif isinstance(line, _Unsupported):
            subject = self._subject(line)
            for case, measure in line.questions(self.header["questions"], self._cases_by_measure):
                if (place := (line.subject, case, measure)) not in self._queries:
                    self._queries[place] = set()
                    self.rows.append(Row(case, subject, measure, None, Verdict.UNSUPPORTED, note=line.why))
        else:
            self._read_header(record)

    def _read_header(self, header: Mapping[str, Any]) -> None:
        installations = [installation(str(entry.get("library", "")), entry) for entry in header["asked"]]
        if len({environment.library for environment in installations}) != 1:
            raise BadDocument("the header must list exactly one library")
        self.header, self._cases_by_measure = header, _by_measure(header["questions"])
        self._subjects = {name: subject for subject, name in keys_of(installations).items()}

    def _read_row(self, line: _RowLine) -> None:
        subject = self._subject(line)
        if line.case and line.measure not in self.header["questions"].get(line.case, ()):
            raise BadDocument(f"the header does not list {line.measure or 'an empty measure'} for {line.case}")
        queries = self._queries.setdefault((line.subject, line.case, line.measure), set())
        if line.case and line.query in queries:
            raise BadDocument("an earlier row has the same case, measure and query")
        queries.add(line.query)
        if line.verdict in HOLDS and line.value is None and line.error is None:
            raise BadDocument(f"a row with the verdict {line.verdict} needs a value or an error")
        self.rows.append(line.row(subject))

    def in_order(self) -> list[Row]:
        """Return the rows by case, subject and measure, in the order of the header."""
        cases = {case: i for i, case in enumerate(["", *self.header["questions"]])}
        subjects = {subject: i for i, subject in enumerate(self._subjects.values())}
        questions = ((case, measure) for case, measures in self.header["questions"].items() for measure in measures)
        measures = {place: i for i, place in enumerate(questions)}
        return sorted(
            self.rows,
            key=lambda row: (cases[row.case], subjects[row.subject], measures.get((row.case, row.measure), 0)),
        )

    def _subject(self, line: _RowLine | _Unsupported) -> Subject:
        if line.subject not in self._subjects:
            raise BadDocument("the header does not list the subject of this row")
        return self._subjects[line.subject]
