"""Execution of the cells of a Jupyter notebook without Jupyter: `python tests/support/notebook_runner.py FILE` writes the outputs anew."""

import ast
import contextlib
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def outputs_of(notebook: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Yield the outputs of each code cell: what it prints, and the value of its last expression as text and as HTML."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(code_cells(notebook), start=1):
        body = ast.parse("".join(cell["source"])).body
        last = ast.Expression(body.pop().value) if body and isinstance(body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(ast.Module(body, []), "cell", "exec"), names)  # noqa: S102 - our own notebook
            value = None if last is None else eval(compile(last, "cell", "eval"), names)  # noqa: S307 - as above
        outputs: list[dict[str, Any]] = []
        if text := printed.getvalue():
            outputs.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)})
        if value is not None:
            data = {"text/plain": repr(value).splitlines(keepends=True)}
            if hasattr(value, "_repr_html_"):
                data["text/html"] = value._repr_html_().splitlines(keepends=True)
            outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
        yield outputs


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the cells with code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def write(path: Path) -> None:
    """Execute a notebook and write its outputs."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for number, (cell, outputs) in enumerate(zip(code_cells(notebook), outputs_of(notebook), strict=True), start=1):
        cell |= {"execution_count": number, "outputs": outputs}
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
