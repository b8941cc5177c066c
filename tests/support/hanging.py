"""A library that says when it is asked and never answers: whoever interrupts it need not guess how long a start takes."""

import time
from pathlib import Path

MINIATURES = Path(__file__).resolve().parent.parent / "miniatures"
PATIENCE = 60
"""How many seconds a start may take on a machine that does much else."""


def hanging_library(folder: Path) -> Path:
    """Write the library `hanging` into a folder; the file that is there once it is asked."""
    asked = folder / "asked"
    sheet = (MINIATURES / "miniatures.toml").read_text(encoding="utf-8").replace('"miniatures"', '"hanging"')
    (folder / "hanging.toml").write_text(sheet, encoding="utf-8")
    (folder / "hanging_adapter.py").write_text(
        'import time\nLIBRARY, PACKAGES, VARIANTS, MEASURES = "hanging", [], {"v": ""}, {"RR": 1}\n'
        'def load(): return {"version": "1"}\n'
        f"def observe(variant, data, call, values):\n    open({str(asked)!r}, 'w').close()\n    time.sleep({PATIENCE})\n",
        encoding="utf-8",
    )
    return asked


def until_there(path: Path) -> None:
    """Wait for a file."""
    until = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < until, f"{path} never came"
        time.sleep(0.02)
