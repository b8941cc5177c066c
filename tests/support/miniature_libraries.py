"""The fake libraries of tests/miniatures."""

from pathlib import Path

from rankproof.adapters.worker import load_adapter
from rankproof.workers.known_libraries import Library
from rankproof.workers.sheets import load

HERE = Path(__file__).resolve().parent.parent / "miniatures"


MINIATURES = load_adapter(str(HERE / "miniatures_adapter.py"))


def miniatures(*variants: str, tmp_path: Path) -> Library:
    """Return a library of these variants alone."""
    text = (HERE / "miniatures_adapter.py").read_text(encoding="utf-8")
    adapter = tmp_path / "miniatures_adapter.py"
    adapter.write_text(f"{text}\nVARIANTS = {{name: VARIANTS[name] for name in {variants!r}}}\n", encoding="utf-8")
    return Library("miniatures", adapter, load(HERE / "miniatures.toml"))
