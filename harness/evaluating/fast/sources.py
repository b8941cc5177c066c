"""What `evaluate` was given, as columns: files, dicts of dicts, tables."""

import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rankproof.evaluating.fast.arrays import NotColumnar
from rankproof.evaluating.fast.object_columns import qrels_of_dict, run_of_dict
from rankproof.evaluating.fast.run_columns import QrelsColumns, RunColumns
from rankproof.evaluating.fast.separated_columns import Separated, separated
from rankproof.evaluating.fast.table_columns import qrels_of_table, run_of_table
from rankproof.evaluating.fast.text_fields import Text, text_of
from rankproof.evaluating.fast.trec_columns import qrels_columns, run_columns
from rankproof.evaluating.inputs.bounded_files import whole
from rankproof.evaluating.inputs.reading import QRELS, RUN, opened, separator_of_file
from rankproof.evaluating.inputs.standard_input import Held
from rankproof.evaluating.inputs.tables import OF_QRELS, is_dict_of_lists, of_run
from rankproof.reference_impl.conventions import Conventions


def qrels_of(source: Any, separator: str | None, names: Mapping[str, str]) -> QrelsColumns:  # noqa: ANN401 - any form
    """Qrels in any form that columns are made of.

    Raises:
        NotColumnar: these are for the readable path.
        BadInput: so they are, too.
    """
    given = _given(source, separator)
    if isinstance(given, Separated):
        with suppress(NotColumnar):
            return qrels_columns(given.text, given.fields(OF_QRELS, names))
        given = opened(source, separator)
    if isinstance(given, Text):
        return qrels_columns(given)
    if isinstance(given, Mapping) and not is_dict_of_lists(given, names, QRELS):
        return qrels_of_dict(given)
    return qrels_of_table(given, names)


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
        BadInput: so it is, too.
    """
    given = _given(source, separator)
    if isinstance(given, Separated):
        with suppress(NotColumnar):
            return run_columns(given.text, qrels, conventions, given.fields(of_run(conventions), names))
        given = opened(source, separator)
    if isinstance(given, Text):
        return run_columns(given, qrels, conventions)
    if isinstance(given, Mapping) and not is_dict_of_lists(given, names, RUN):
        return run_of_dict(given, qrels, conventions)
    return run_of_table(given, names, qrels, conventions)


def _given(source: Any, separator: str | None) -> Any:  # noqa: ANN401 - any form
    """A TREC file as its text, one of separated fields as that; what can be read but once, as a pipe, is for the readable path."""
    is_path = isinstance(source, str | os.PathLike)
    if is_path and not isinstance(source, Held) and not Path(source).is_file():
        raise NotColumnar
    try:
        found = separator_of_file(source, separator) if is_path else None
        if found is not None:
            with suppress(NotColumnar):
                return separated(os.fspath(source), whole(os.fspath(source)), found)
        source = opened(source, separator)
        return text_of(whole(source)) if isinstance(source, str) else source
    except (OSError, EOFError, zlib.error) as error:
        raise NotColumnar from error
