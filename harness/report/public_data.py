"""Published data as JSON for other programs: fingerprints, cases and histories, each with its schema."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankproof import cases
from rankproof.bounded import BadDocument, text_of
from rankproof.documents import SchemaPart, json_in
from rankproof.evaluate.library_profiles import published_document
from rankproof.inference import fingerprint_file
from rankproof.judge.corpus_rules import exported
from rankproof.judge.published_answers import REPORTS
from rankproof.reference_impl.unusable import Unusable
from rankproof.version import VERSION

HISTORY = "history.json"
"""The file of the histories, next to the results."""
FORMAT = 2
"""The version of the format of the histories."""
SCHEMAS = {
    "fingerprints": fingerprint_file.SCHEMA,
    "cases": cases.HERE / "export.schema.json",
    "history": Path(__file__).resolve().parent / "schemas" / "history.schema.json",
}


class BadHistory(Unusable):
    """A file of histories that cannot be read."""


def files() -> dict[str, str]:
    """Return the name and text of each published document and its schema."""
    documents = {"fingerprints": published_document(), "cases": exported(), "history": history(REPORTS / HISTORY)}
    texts = {f"{name}.json": json.dumps(document, indent=1) + "\n" for name, document in documents.items()}
    schemas = {f"schemas/{name}.schema.json": path.read_text(encoding="utf-8") for name, path in SCHEMAS.items()}
    return texts | schemas


def history(path: Path) -> dict[str, Any]:
    """Read the histories in a file that `rankproof run --env` wrote.

    Raises:
        BadHistory: the file cannot be read, or violates the schema.
    """
    try:
        content = json_in(text_of(path))
        header = {"kind": "history", "format": FORMAT, "rankproof": VERSION}
        document = {**content, **header} if isinstance(content, Mapping) else content
        SchemaPart(SCHEMAS["history"]).check(document)
    except BadDocument as error:
        raise BadHistory(f"{path}:{error.line}: {error}; write it again with `rankproof run --env all`") from error
    return dict(document)


def past(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return the history of each library, if the results have a file of histories.

    Raises:
        BadHistory: the file cannot be read, or violates the schema.
    """
    path = folder / HISTORY
    return history(path)["libraries"] if path.is_file() else {}
