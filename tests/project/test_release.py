"""The description of the package, the issue forms, and the release workflow."""

import re
import runpy
import zipfile
from collections.abc import Mapping
from email import message_from_string
from typing import Any

import pytest
import yaml
from places import ROOT

TEXT = 'See [this](docs/a.md), [that](https://example.org) and [more](#more).\n<picture>\n<img src="docs/p.svg">\n</picture>\n'
TEXT += "End [x](b/c) end."


@pytest.fixture(scope="module")
def setup() -> Mapping[str, Any]:
    """Run setup.py and return what it defines."""
    return runpy.run_path(str(ROOT / "setup.py"), run_name="read")


def test_links_of_the_description_become_absolute_if_the_project_has_an_address(setup: Mapping[str, Any]) -> None:
    assert setup["described"](TEXT, "https://github.com/a/b", "1.2") == (
        "See [this](https://github.com/a/b/blob/v1.2/docs/a.md), [that](https://example.org) and [more](#more).\n"
        '<picture>\n<img src="https://raw.githubusercontent.com/a/b/v1.2/docs/p.svg">\n</picture>\n'
        "End [x](https://github.com/a/b/blob/v1.2/b/c) end."
    )
    addresses = setup["addresses"]("https://github.com/a/b", "1.2")
    assert addresses["Source"] == "https://github.com/a/b"
    assert addresses["Changes"] == "https://github.com/a/b/blob/v1.2/CHANGELOG.md"
    without = setup["described"](TEXT, "", "1.2")
    assert without == "See this, [that](https://example.org) and [more](#more).\nEnd x end."
    assert setup["addresses"]("", "1.2") == {}


def test_wheel_has_the_readme_without_relative_links(wheel: zipfile.ZipFile, setup: Mapping[str, Any]) -> None:
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = message_from_string(wheel.read(name).decode())
    body = str(metadata.get_payload())
    assert metadata["Description-Content-Type"] == "text/markdown"
    known = runpy.run_path(str(ROOT / "harness" / "version.py"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert body.strip() == setup["described"](readme, known["REPOSITORY"], known["VERSION"]).strip()
    assert "](docs/" not in body
    assert 'src="docs/' not in body
    assert metadata["Version"] == known["VERSION"]


def test_issue_forms_are_valid() -> None:
    for path in ROOT.glob(".github/ISSUE_TEMPLATE/[nw]*.yml"):
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        fields = {field["id"]: (field["type"], field["attributes"]["label"]) for field in form["body"]}
        assert {"name", "description"} <= form.keys(), path
        assert len(fields) == len(form["body"]), path
        assert {kind for kind, _ in fields.values()} <= {"input", "textarea", "checkboxes"}, path


def test_release_is_tested_on_every_supported_python_and_published_without_a_token() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    tried = workflow["jobs"]["try"]["strategy"]["matrix"]
    assert tried["python"] == re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project)
    assert (set(tried["kind"]), workflow["permissions"], "secrets" in text) == ({"whl", "tar.gz"}, {}, False)
    permissions = {"id-token": "write", "attestations": "write", "contents": "read"}
    assert workflow["jobs"]["publish"]["permissions"] == permissions
