"""`rankproof sheet update`: it adds known exceptions to the sheet, which is incomplete until each has a reason."""

from pathlib import Path

from fake_sheets import FAKE
from typed_commands import Ended, rankproof

ADAPTER = """
LIBRARY, PACKAGES, VARIANTS, MEASURES = "fake", [], {"v": ""}, {"NumRet": 1}
class Unsupported(Exception): pass
def load(): return {"version": "1"}
def observe(variant, data, call, values):
    if "run" not in data:
        raise Unsupported("labels")
    return None, float(len({doc for _, doc, _, _ in data["run"]}))  # of several queries, documents of both count once
"""


def update(folder: Path, *options: str) -> Ended:
    return rankproof("sheet", "update", "fake", "--adapters", folder, *options, cwd=folder)


def test_update_adds_exceptions_and_fails_until_each_has_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "fake.toml"
    text = f'# a comment\n{FAKE}\n[profiles.v]\n"*" = "standard"\n'
    path.write_text(text, encoding="utf-8")
    (tmp_path / "fake_adapter.py").write_text(ADAPTER, encoding="utf-8")
    dry = update(tmp_path, "--dry-run")
    assert (dry.code, path.read_text(encoding="utf-8")) == (1, text)
    assert "\n+[[known]]\n" in dry.out
    added = int(dry.out.rpartition(f"{path}: ")[2].partition(" added")[0])
    assert added > 0
    for counts in (f"{added} added, 0 removed, 0 kept", f"0 added, 0 removed, {added} kept"):
        done = update(tmp_path)
        assert done.code == 1
        assert f"{path}: {counts}" in done.out
        assert "the reason of an exception is empty: write in a sentence why" in done.out
    written = path.read_text(encoding="utf-8")
    assert written.startswith(text)
    path.write_text(written.replace('reason = ""', 'reason = "it counts documents once"'), encoding="utf-8")
    done = update(tmp_path)
    assert (done.code, "to do" in done.out) == (0, False)
