"""What is published leads somewhere, and forms and workflows are such as the host reads."""

import runpy
import zipfile
from collections.abc import Mapping
from email import message_from_string
from pathlib import Path
from typing import Any

import pytest
import yaml
from places import ROOT

TEXT = 'See [this](docs/a.md), [that](https://example.org) and [more](#more).\n<picture>\n<img src="docs/p.svg">\n</picture>\n'
TEXT += "End [x](b/c) end."


@pytest.fixture(scope="module")
def setup() -> Mapping[str, Any]:
    """What setup.py defines: to read it imports setuptools, which no other test needs."""
    return runpy.run_path(str(ROOT / "setup.py"), run_name="read")


def test_links_become_absolute_where_the_project_has_an_address(setup: Mapping[str, Any]) -> None:
    found = setup["described"](TEXT, "https://github.com/a/b", "1.2")
    assert found == (
        "See [this](https://github.com/a/b/blob/v1.2/docs/a.md), [that](https://example.org) and [more](#more).\n"
        '<picture>\n<img src="https://raw.githubusercontent.com/a/b/v1.2/docs/p.svg">\n</picture>\n'
        "End [x](https://github.com/a/b/blob/v1.2/b/c) end."
    )
    addresses = setup["addresses"]("https://github.com/a/b", "1.2")
    assert addresses["Source"] == "https://github.com/a/b"
    assert addresses["Changes"] == "https://github.com/a/b/blob/v1.2/CHANGELOG.md"


def test_without_an_address_no_link_leads_nowhere(setup: Mapping[str, Any]) -> None:
    assert setup["described"](TEXT, "", "1.2") == (
        "See this, [that](https://example.org) and [more](#more).\nEnd x end."
    )
    assert setup["addresses"]("", "1.2") == {}


def test_the_wheel_has_the_readme_without_relative_links(wheel: zipfile.ZipFile, setup: Mapping[str, Any]) -> None:
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = message_from_string(wheel.read(name).decode())
    body = metadata.get_payload()
    assert isinstance(body, str)
    assert metadata["Description-Content-Type"] == "text/markdown"
    known = runpy.run_path(str(ROOT / "harness" / "version.py"))
    said = (ROOT / "README.md").read_text(encoding="utf-8")
    assert body.strip() == setup["described"](said, known["REPOSITORY"], known["VERSION"]).strip()
    assert "](docs/" not in body
    assert 'src="docs/' not in body
    assert metadata["Version"] == known["VERSION"]


@pytest.mark.parametrize("path", sorted(ROOT.glob(".github/ISSUE_TEMPLATE/[nw]*.yml")), ids=lambda path: path.stem)
def test_a_form_asks_something_and_needs_an_answer(path: Path) -> None:
    form: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= form.keys()
    ids = [field["id"] for field in form["body"]]
    assert len(set(ids)) == len(ids) >= 4
    assert {field["type"] for field in form["body"]} <= {"input", "textarea", "checkboxes"}
    assert all(field["attributes"]["label"] for field in form["body"])
    assert sum(field.get("validations", {}).get("required", False) for field in form["body"]) >= 2


def test_a_release_is_tried_on_every_python_that_is_supported_and_trusted_without_a_token() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    tried = workflow["jobs"]["try"]["strategy"]["matrix"]
    assert [f'"Programming Language :: Python :: {version}"' in text for version in tried["python"]] == [True] * 3
    assert text.count("Programming Language :: Python :: 3.") == len(tried["python"])
    assert set(tried["kind"]) == {"whl", "tar.gz"}
    publish = workflow["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write", "attestations": "write", "contents": "read"}
    assert "secrets" not in (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert workflow["permissions"] == {}
    steps = "\n".join(step.get("run", "") for step in workflow["jobs"]["try"]["steps"])
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = [line.removeprefix("$ ") for line in readme.splitlines() if line.startswith("$ rankproof ")]
    assert len(shown) == 3
    assert all(command in steps for command in shown)
