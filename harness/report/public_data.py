"""Published facts as JSON documents for other programs: matrices, fingerprints, cases and histories, each with its schema."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rankproof import cases
from rankproof.codec import encode, schema
from rankproof.documents import BadDocument, SchemaPart, json_in, text_of
from rankproof.evaluate.library_profiles import published, published_document
from rankproof.inference import fingerprint_file
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.judge.corpus_rules import exported
from rankproof.judge.published_answers import REPORTS
from rankproof.measure_forms import key_of, measure_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.report.choice_matrix import Matrix, matrix, names_conventions

HISTORY = "history.json"
"""The file of the histories, beside the results."""
HISTORY_SCHEMA = Path(__file__).resolve().parent / "schemas" / "history.schema.json"
HISTORY_FORMAT = 2


class BadHistory(Unusable):
    """A file of histories that cannot be read."""


@dataclass(frozen=True)
class Matrices:
    """The matrix of every measure that a library computes."""

    rankproof: str
    measures: tuple[Matrix, ...]
    kind: str = "matrix"
    format: int = 2


def files() -> dict[str, str]:
    """Return the name and the text of each document and schema of the published run."""
    fingerprints = [form for forms in published().values() for form in forms]
    document = published_document()
    documents = {
        "matrix": encode(matrices(fingerprints, document["rankproof"]), indent=1),
        "fingerprints": json.dumps(document, indent=1),
        "cases": json.dumps(exported(), indent=1),
        "history": json.dumps(history(REPORTS / HISTORY, document["rankproof"]), indent=1),
    }
    schemas = {
        "matrix": json.dumps(schema(Matrices), indent=1),
        "fingerprints": fingerprint_file.SCHEMA.read_text(encoding="utf-8"),
        "cases": (cases.HERE / "export.schema.json").read_text(encoding="utf-8"),
        "history": HISTORY_SCHEMA.read_text(encoding="utf-8"),
    }
    named = {f"{name}.json": text for name, text in documents.items()}
    named |= {f"schemas/{name}.schema.json": text for name, text in schemas.items()}
    return {name: text.rstrip("\n") + "\n" for name, text in named.items()}


def matrices(fingerprints: Iterable[Fingerprint], version: str) -> Matrices:
    """Return the matrix of every measure, with all axes on which libraries differ."""
    forms = list(fingerprints)
    keys = sorted({_plain(form.key) for form in forms})
    return Matrices(version, tuple(replace(matrix(measure_of(key), forms, whole=True), measure=key) for key in keys))


def _plain(key: str) -> str:
    """Return the form without parameters if all of them name conventions."""
    form = measure_of(key)
    return key_of(replace(form, params=())) if form.params and names_conventions(form) else key


def history(path: Path, version: str) -> dict[str, Any]:
    """Return the histories in a file that `rankproof run --env` wrote.

    Raises:
        BadHistory: the file is not such a file.
    """
    try:
        content = json_in(text_of(path))
        header = {"kind": "history", "format": HISTORY_FORMAT, "rankproof": version}
        document = {**content, **header} if isinstance(content, Mapping) else content
        SchemaPart(HISTORY_SCHEMA).check(document)
    except BadDocument as error:
        raise BadHistory(f"{path}:{error.line}: {error}; write it again with `rankproof run --env all`") from error
    return dict(document)


def past(beside: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return the history of each library if one is published next to the results.

    Raises:
        BadHistory: the file is not such a file.
    """
    path = beside / HISTORY
    return history(path, "")["libraries"] if path.is_file() else {}
