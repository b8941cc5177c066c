"""Whole outputs of command lines in text files: `$ rankproof …`, what it prints, `!` before lines of stderr, and the exit code.

`python tests/support/printed_outputs.py` writes all files anew; read the difference before you commit it.
"""

import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from typed_commands import rankproof

OUTPUTS = Path(__file__).resolve().parent.parent / "cli" / "outputs"
PROMPT = "$ rankproof "
FILES = {
    "three.txt": "q1 d1 1\nq1 d2 2\n",
    "none.txt": "",
    "scores.csv": "query_id,doc_id,score\n1,d01,0.9\n1,d02,n/a\n",
    "old.txt": "scikit-learn==1.2.2\nranx==0.3.20\n",
    "new.txt": "scikit-learn==1.9.1\nranx==0.3.21\n",
    "two.txt": "scikit-learn==1.2\nscikit-learn==1.3\n",
    "broken.py": "import not_there\n",
}
"""Files next to those of `rankproof demo`."""


def commands_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the command lines of a file, each with what it prints."""
    for block in text.split(PROMPT)[1:]:
        line, _, printed = block.partition("\n")
        yield line, printed


def printed_by(line: str, folder: Path) -> str:
    """Run a command line in a folder with example files, and return its output as the files have it."""
    done = rankproof(*shlex.split(line), cwd=folder)
    errors = "".join(f"! {error}\n" for error in done.err.splitlines())
    return f"{errors}{done.out}[{done.code}]\n\n".replace(str(folder), "FOLDER")


def make_files(folder: Path) -> None:
    """Write the example files."""
    assert rankproof("demo", ".", cwd=folder).code == 0
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")


def write() -> None:
    """Write all outputs anew."""
    for path in sorted(OUTPUTS.glob("*.txt")):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make_files(folder)
            lines = [line for line, _ in commands_in(path.read_text(encoding="utf-8"))]
            path.write_text("".join(f"{PROMPT}{line}\n{printed_by(line, folder)}" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(write())
