"""What was published, as data for everybody's programs: matrix, fingerprints, cases and history, each with its schema.

A document has a `kind` and a `format`, the version of its form: what is added to a form leaves its version, what is taken away or means
something else raises it. Fingerprints and cases are as `rankproof fingerprint --json` and `rankproof cases export` write them.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankproof import cases
from rankproof.documents import BadDocument, SchemaPart, json_in, text_of
from rankproof.inference import fingerprint_file
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.measure_forms import key_of, measure_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.report.choice_matrix import as_json, matrix, names_conventions
from rankproof.version import VERSION

HISTORY = "history.json"
"""The file of the histories, beside the results."""
FORMAT = 1
HISTORY_FORMAT = 2
SCHEMAS = Path(__file__).resolve().parent / "schemas"
SCHEMA_OF = {
    "matrix": SCHEMAS / "matrix.schema.json",
    "fingerprints": fingerprint_file.SCHEMA,
    "cases": cases.HERE / "export.schema.json",
    "history": SCHEMAS / "history.schema.json",
}
"""The document -> the schema that it follows."""


class BadHistory(Unusable):
    """A file of histories that does not read."""


def matrices(fingerprints: Iterable[Fingerprint], version: str) -> dict[str, Any]:
    """The matrix of every measure that a library answers, by all axes on which libraries differ."""
    found = list(fingerprints)
    plain = dict.fromkeys(_plain(one.key) for one in found)
    return {
        "kind": "matrix",
        "format": FORMAT,
        "rankproof": version,
        "measures": [as_json(matrix(measure_of(key), found, whole=True)) | {"measure": key} for key in sorted(plain)],
    }


def _plain(key: str) -> str:
    """The form without the parameters that name conventions, if it has no others."""
    form = measure_of(key)
    return key_of(replace(form, params=())) if form.params and names_conventions(form) else key


def history(path: Path, version: str) -> dict[str, Any]:
    """The histories in a file that `rankproof run --env` wrote, as a document of public data.

    Raises:
        BadHistory: it does not read.
    """
    try:
        said = json_in(text_of(path))
        header = {"kind": "history", "format": HISTORY_FORMAT, "rankproof": version}
        document = {**said, **header} if isinstance(said, Mapping) else said
        SchemaPart(SCHEMA_OF["history"]).check(document)
    except BadDocument as error:
        raise BadHistory(f"{path}:{error.line}: {error}; write it again with `rankproof run --env all`") from error
    return dict(document)


def past(beside: Path) -> Mapping[str, Mapping[str, Any]]:
    """Library -> its history, where one is published beside the results.

    Raises:
        BadHistory: it does not read.
    """
    path = beside / HISTORY
    return history(path, VERSION)["libraries"] if path.is_file() else {}


def files(documents: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The text of each file: a document each, and its schema below `schemas`."""
    texts = {
        f"{name}.json": json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        for name, document in documents.items()
    }
    schemas = {f"schemas/{name}.schema.json": SCHEMA_OF[name].read_text(encoding="utf-8") for name in documents}
    return texts | schemas
