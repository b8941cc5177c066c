"""The wheel: every file of the packages; every adapter has a sheet and an extra."""

import tomllib
import zipfile

from places import ROOT

FOLDERS = {
    "harness": "rankproof",
    "reference_impl": "rankproof/reference_impl",
    "adapters": "rankproof/adapters",
    "cases": "rankproof/cases",
    "reports": "rankproof/reports",
}
NOT_SHIPPED = {
    "rankproof/reports/probes.json",
    "rankproof/cases/runners/runner.py",
    "rankproof/cases/runners/runner.js",
    "rankproof/cases/runners/runner.R",
}
"""Files that the wheel leaves out: results for readers of the repository, and runners, which users copy from there."""
SHIPPED = {".py", ".toml", ".json", ".j2", ".typed", ".css", ".js", ".png", ".R"}


def test_the_wheel_holds_every_file_of_the_packages(wheel: zipfile.ZipFile) -> None:
    here = {
        f"{package}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, package in FOLDERS.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
        and (path.suffix in SHIPPED or path.name in {"trec_eval_names.txt", "measures_not_covered.txt"})
        and "__pycache__" not in path.parts
    }
    built = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert here >= NOT_SHIPPED
    assert built == here - NOT_SHIPPED
    assert len(here) > 150


def test_every_adapter_has_its_sheet_and_its_extra() -> None:
    """A library that runs only in its own environments needs no extra, unless another library needs it."""
    sheets = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "adapters").glob("*.toml")}
    names = {path.name.removesuffix("_adapter.py") for path in (ROOT / "adapters").glob("*_adapter.py")}
    assert names == {name for name, sheet in sheets.items() if "command" not in sheet}
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    alone = {name for name, sheet in sheets.items() if sheet.get("only_in_environments")}
    assert names - {"trec_eval"} - alone <= set(extras), "write an extra of each library in pyproject.toml"
    assert alone & set(extras) == {"ranx"}, "which ir_measures has a provider of"
    assert all(sheets[name].get("environments") for name in alone)
