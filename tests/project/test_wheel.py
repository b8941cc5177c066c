"""What is built is what is here: the wheel holds every file of the packages, and nothing imports a bare folder name."""

import subprocess
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
"""Results are for readers of the repository; profiles of libraries need the fingerprint alone. Runners are copied from there."""
SHIPPED = {".py", ".toml", ".json", ".j2", ".typed", ".css", ".js", ".R"}


def test_the_wheel_holds_every_file_of_the_packages(wheel: zipfile.ZipFile) -> None:
    here = {
        f"{package}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, package in FOLDERS.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
        and (path.suffix in SHIPPED or path.name == "trec_eval_names.txt")
        and "__pycache__" not in path.parts
    }
    built = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert here >= NOT_SHIPPED
    assert built == here - NOT_SHIPPED
    assert len(here) > 150


def test_the_top_level_is_as_the_readme_says() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    top = {name.split("/")[0].strip('"') for name in listed if name}
    assert top <= {
        "pyproject.toml",
        "README.md",
        "docs",
        "reference_impl",
        "adapters",
        "cases",
        "tests",
        "reports",
        "harness",
        "benchmarks",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "SECURITY.md",
        "constraints.txt",
        "locks",
        ".ci",
        ".gitignore",
        "start.py",
        "CITATION.cff",
        "setup.py",
        "action.yml",
        ".pre-commit-hooks.yaml",
        ".github",
    }


def test_every_adapter_has_its_sheet_and_its_extra() -> None:
    """Of a library that is asked in environments alone the sheet names them, and no extra brings it but where another asks it, too."""
    sheets = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "adapters").glob("*.toml")}
    names = {path.name.removesuffix("_adapter.py") for path in (ROOT / "adapters").glob("*_adapter.py")}
    assert names == {name for name, sheet in sheets.items() if "command" not in sheet}
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    alone = {name for name, sheet in sheets.items() if sheet.get("only_in_environments")}
    assert names - {"trec_eval"} - alone <= set(extras)
    assert alone & set(extras) == {"ranx"}, "which ir_measures has a provider of"
    assert all(sheets[name].get("environments") for name in alone)
