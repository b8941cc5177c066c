"""What `evaluate` was given, as columns: files, dicts of dicts, tables."""

import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankproof.evaluating.fast.arrays import NotColumnar
from rankproof.evaluating.fast.object_columns import qrels_of_rows, rows_of, run_of_rows
from rankproof.evaluating.fast.run_columns import QrelsColumns, RunColumns
from rankproof.evaluating.fast.text_fields import Text, text_of
from rankproof.evaluating.fast.trec_columns import qrels_columns, run_columns
from rankproof.evaluating.inputs.bounded_files import whole
from rankproof.evaluating.inputs.reading import QRELS, RUN
from rankproof.evaluating.inputs.rows import BadInput
from rankproof.evaluating.inputs.separated_files import separator_of
from rankproof.reference_impl.conventions import STANDARD, Conventions


def qrels_of(source: Any, separator: str | None, names: Mapping[str, str]) -> QrelsColumns:  # noqa: ANN401 - any form
    """Qrels in any form that columns are made of.

    Raises:
        NotColumnar: these are for the readable path.
    """
    if isinstance(source, str | os.PathLike):
        return qrels_columns(_text(os.fspath(source), separator))
    return qrels_of_rows(rows_of(source, QRELS, names, "relevance", STANDARD))


def run_of(
    source: Any,  # noqa: ANN401 - any form
    separator: str | None,
    names: Mapping[str, str],
    qrels: QrelsColumns,
    conventions: Conventions,
) -> RunColumns:
    """A run in any form that columns are made of.

    Raises:
        NotColumnar: it is for the readable path.
    """
    if isinstance(source, str | os.PathLike):
        return run_columns(_text(os.fspath(source), separator), qrels, conventions)
    return run_of_rows(rows_of(source, RUN, names, "score", conventions), qrels, conventions)


def _text(path: str, separator: str | None) -> Text:
    """A TREC file whole; what can be read but once, as a pipe, is for the readable path."""
    try:
        if not Path(path).is_file() or separator_of(path, separator) is not None:
            raise NotColumnar
        return text_of(whole(path))
    except (BadInput, OSError, EOFError, ValueError, zlib.error) as error:
        raise NotColumnar from error
