"""`rankproof demo`: example files for the first commands."""

import os
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from rankproof.bounded import BadDocument, text_of
from rankproof.cli.options import FOLDER
from rankproof.files import check_writable, publish
from rankproof.terminal import say

FUNCTION = """\
import math


def ndcg(ranked_rels, k):
    def dcg(rels):
        return sum((2**rel - 1) / math.log2(rank + 1) for rank, rel in enumerate(rels[:k], 1))

    return dcg(ranked_rels) / dcg(sorted(ranked_rels, reverse=True))
"""
QUERIES, DOCS, CUTOFF = 50, 12, 10
TIED = (14, 11)
"""Query and rank of a document with the same score as the document above it. Their order changes P@10."""
NEXT = """\
rankproof check mymetrics.py "ndcg(rels, k)" nDCG@10
rankproof explain qrels.txt run.txt -m P@10 --as trec_eval-9 --as order=input
rankproof evaluate qrels.txt run.txt -m P@10 --profile trec_eval-9 --show-signature
"""


@click.command("demo")
@click.argument("folder", type=FOLDER, default=Path())
def command(folder: Path) -> None:
    """Write example files to FOLDER [default: this folder], and print commands to try.

    The files are mymetrics.py (an nDCG function), qrels.txt (judgments) and run.txt (a run of 50 queries). In one
    query, the documents at ranks 10 and 11 have the same score. Existing files with different content are not
    overwritten.

    \b
    rankproof demo
    rankproof demo examples
    """
    files = {"mymetrics.py": FUNCTION, "qrels.txt": "".join(_qrels()), "run.txt": "".join(_run())}
    for name, text in files.items():
        path = folder / name
        if os.path.lexists(path) and not _is_written(path, text):
            raise click.ClickException(
                f"{path} already exists with different content. Type `rankproof demo OTHER_FOLDER`."
            )
    check_writable(folder)
    for name, text in files.items():
        publish(folder / name, text)
    where = "" if folder == Path() else f"cd {shlex.quote(str(folder))}\n"
    say(f"Created {', '.join(files)}. Next, run:\n\n{where}{NEXT}", nl=False)


def _is_written(path: Path, text: str) -> bool:
    with suppress(BadDocument):
        return path.is_file() and not path.is_symlink() and text_of(path, len(text)) == text
    return False


def _qrels() -> Iterator[str]:
    """Yield judgments: two or three relevant documents in the top 10, one with grade 2, at varying ranks."""
    for query in range(1, QUERIES + 1):
        hits = (3, 3, 3, 2, 2)[query % 5]
        rels = {(3 * query + 7 + step) % CUTOFF + 1: rel for step, rel in ((0, 2), (4, 1), (7, 1))[:hits]}
        for rank in range(1, DOCS + 1):
            yield f"{query} 0 d{rank:02} {rels.get(rank, 0)}\n"


def _run() -> Iterator[str]:
    """Yield a run with the same documents in the same order for each query."""
    for query in range(1, QUERIES + 1):
        for rank in range(1, DOCS + 1):
            score = 20 - rank + ((query, rank) == TIED)
            yield f"{query} Q0 d{rank:02} {rank} {score} mine\n"
