"""What `evaluate` was given, as columns: files, dicts of dicts, tables."""

import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankproof.evaluating.fast.arrays import NotColumnar
from rankproof.evaluating.fast.run_columns import QrelsColumns, RunColumns
from rankproof.evaluating.fast.text_fields import Text, text_of
from rankproof.evaluating.fast.trec_columns import qrels_columns, run_columns
from rankproof.evaluating.inputs.bounded_files import whole
from rankproof.evaluating.inputs.rows import BadInput
from rankproof.evaluating.inputs.separated_files import separator_of
from rankproof.reference_impl.conventions import Conventions


def qrels_of(source: Any, separator: str | None) -> QrelsColumns:  # noqa: ANN401 - any form
    """Qrels in any form that columns are made of.

    Raises:
        NotColumnar: these are for the readable path.
    """
    if isinstance(source, str | os.PathLike):
        return qrels_columns(_text(os.fspath(source), separator))
    raise NotColumnar


def run_of(source: Any, separator: str | None, qrels: QrelsColumns, conventions: Conventions) -> RunColumns:  # noqa: ANN401
    """A run in any form that columns are made of.

    Raises:
        NotColumnar: it is for the readable path.
    """
    if isinstance(source, str | os.PathLike):
        return run_columns(_text(os.fspath(source), separator), qrels, conventions)
    raise NotColumnar


def _text(path: str, separator: str | None) -> Text:
    """A TREC file whole; what can be read but once, as a pipe, is for the readable path."""
    try:
        if not Path(path).is_file() or separator_of(path, separator) is not None:
            raise NotColumnar
        return text_of(whole(path))
    except (BadInput, OSError, EOFError, ValueError, zlib.error) as error:
        raise NotColumnar from error
