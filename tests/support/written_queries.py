"""Qrels and runs written as text, such as "q1 a=1 b=0 / q2 a=2"."""


def rows_of(text: str) -> dict[str, list[tuple[str, float]]]:
    """Return the documents of each query in order, each with its grade or score; whole numbers are ints."""
    queries = [part.split() for part in text.split("/") if part.strip()]
    return {
        query: [(doc, _number(n)) for doc, _, n in (pair.rpartition("=") for pair in pairs)]
        for query, *pairs in queries
    }


def dicts_of(text: str) -> dict[str, dict[str, float]]:
    """Return `{query: {document: grade or score}}`."""
    return {query: dict(rows) for query, rows in rows_of(text).items()}


def _number(text: str) -> float:
    return int(text) if text.lstrip("-").isdigit() else float(text)
