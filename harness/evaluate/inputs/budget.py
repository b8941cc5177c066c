"""How much an input may have, whatever its form; what has more is refused before memory is taken for it."""

from rankproof.evaluate.inputs.rows import BadInput

LARGEST = 32 * 2**30
"""How many bytes a file may have, unpacked; the runs of whole tracks are a gigabyte."""
ROWS = 200_000_000
"""How many rows an input may have; the largest runs that are passed around have some ten million."""
COLUMNS = 1_000
"""How many columns a table may have."""
LONGEST_LINE = LONGEST_ID = 1_000_000
"""How many bytes a line, and an id, has at most; lines of the longest runs have some hundred."""
NESTING = 100
"""How deep values may be nested in one another."""
RATIO = 100
"""How many times its size a packed file may unpack to; runs and qrels unpack to 5 to 20 times."""
FREE, FREE_IN_COLUMNS = 2**20, 2**25
"""How many bytes any packed file may unpack to, of lines and by columns; columns that repeat pack to nearly nothing, and may be right."""


class TooMuch(BadInput):
    """An input that is larger than any run or qrels: no other way to read it is tried."""


def refuse_many_rows(path: str, rows: int) -> None:
    """Refuse more rows than any input has.

    Raises:
        TooMuch: there are more.
    """
    if rows > ROWS:
        raise TooMuch(path, f"more than {ROWS:,} rows, as no run and no qrels have; give fewer queries at a time")


def refuse_many_columns(where: str, columns: int) -> None:
    """Refuse more columns than any input has.

    Raises:
        TooMuch: there are more.
    """
    if columns > COLUMNS:
        what = f"{columns:,} columns, of which at most {COLUMNS:,} are read; leave out those that are not needed"
        raise TooMuch(where, what)


def refuse_large(path: str, size: int) -> None:
    """Refuse more bytes than any input has.

    Raises:
        TooMuch: there are more.
    """
    if size > LARGEST:
        raise TooMuch(path, f"more than {LARGEST:,} bytes, as no run and no qrels have; give fewer queries at a time")
