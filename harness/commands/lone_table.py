"""A table that goes alone, as qrels and run."""

from collections.abc import Mapping
from typing import Any

import click


def with_itself(qrels: str, columns: Mapping[str, Any]) -> tuple[str, ...]:
    """Where no run is named: the file itself, if each row of it has the relevant and the retrieved ids of a question.

    Raises:
        UsageError: it has not.
    """
    from rankproof.evaluating.inputs.reading import holds_both, names_columns, ranks_in  # noqa: PLC0415 - a verb is imported when it is asked for

    if not holds_both(qrels, columns):
        context = click.get_current_context()
        columns_named = "; a table whose rows have relevant and retrieved ids goes alone, see --column"
        mend = ranks_in(qrels) or (columns_named if names_columns(qrels) else "")
        raise click.UsageError(f"Missing argument 'RUN...'{mend}", context)
    return (qrels,)
