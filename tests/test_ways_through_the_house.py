"""The four ways through the house, as the documentation tells them: each module is there, and is reached in that order."""

import re
import sys
from importlib import import_module
from pathlib import Path
from types import FrameType

import pytest
from click.testing import CliRunner

from rankproof import cases as corpus
from rankproof.cli import cli

PAGE = Path(__file__).resolve().parent.parent / "docs/what-is-where.md"
FUNCTION = """
def precision(relevant, ranked, k):
    return len(set(ranked[:k]) & set(relevant)) / k
"""
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n"
RUN = "q1 Q0 b 1 2.0 x\nq1 Q0 a 2 1.0 x\nq2 Q0 c 1 1.0 x\n"
TOLD = re.findall(
    r"^- \*\*(.+?)\.\*\* `rankproof (.+?)`(.+?)(?=^- \*\*|^\n)",
    PAGE.read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(("command", "told"), [way[1:] for way in TOLD], ids=[way[0] for way in TOLD])
def test_a_way_goes_through_the_modules_in_the_order_that_is_told(
    command: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = [f"rankproof.{name.replace('/', '.')}" for name in re.findall(r"`([a-z_]+(?:/[a-z_]+)+|cases)`", told)]
    for module in modules:
        import_module(module)  # what is called by an import is no step of the way
    few = corpus.load_all()[::9]
    monkeypatch.setattr(corpus, "load_all", lambda: few)  # `check` takes the same way with all of them
    monkeypatch.chdir(tmp_path)
    for name, text in {"metrics.py": FUNCTION, "qrels.txt": QRELS, "run.txt": RUN}.items():
        Path(name).write_text(text, encoding="utf-8")
    assert reached(command.split(), modules) == modules


def reached(command: list[str], modules: list[str]) -> list[str]:
    """Those of the modules of which something is called, in the order of the first calls."""
    found: dict[str, None] = {}

    def called(frame: FrameType, _event: str, _: object) -> None:
        if (name := frame.f_globals.get("__name__")) in modules:
            found.setdefault(name)

    before = sys.gettrace()
    sys.settrace(called)
    try:
        ended = CliRunner().invoke(cli, command)
    finally:
        sys.settrace(before)
    assert ended.exit_code == 0, ended.output
    return list(found)


def test_four_ways_are_told() -> None:
    assert [way[0] for way in TOLD] == ["A case", "A function", "A run file", "A printed number"]
