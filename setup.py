"""The package metadata that PyPI shows: the description with absolute links, and the addresses of the project.

pyproject.toml has all other metadata. Links of README.md to files of the repository become absolute, with `REPOSITORY`
of harness/version.py. If the project has no address yet, only the text of these links remains.
"""

import re
import runpy
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).resolve().parent
PLACES = {"Documentation": "tree/{tag}/docs", "Changes": "blob/{tag}/CHANGELOG.md", "Issues": "issues", "Source": ""}
PICTURES = (".svg", ".png")


def described(text: str, repository: str, version: str) -> str:
    """Return README.md for PyPI: its links are absolute; without an address only their text remains."""
    files = f"{repository}/blob/v{version}/"
    raw = files.replace("://github.com/", "://raw.githubusercontent.com/").replace("/blob/", "/")
    if not repository:
        text = re.sub(r"<picture>.*?</picture>\n*", "", text, flags=re.DOTALL)
        return re.sub(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)[^)]+\)", r"\1", text)
    text = re.sub(r"\]\((?!https?:|#)([^)]+)\)", lambda link: f"]({files}{link[1]})", text)
    return re.sub(r'(src|srcset)="(?!https?:)([^"]+)"', lambda link: f'{link[1]}="{raw}{link[2]}"', text)


def addresses(repository: str, version: str) -> dict[str, str]:
    """Return the addresses of the project by name; none if it has no repository."""
    if not repository:
        return {}
    return {name: f"{repository}/{place.format(tag=f'v{version}')}".rstrip("/") for name, place in PLACES.items()}


if __name__ == "__main__":
    KNOWN = runpy.run_path(str(HERE / "harness" / "version.py"))
    setup(
        long_description=described(
            (HERE / "README.md").read_text(encoding="utf-8"), KNOWN["REPOSITORY"], KNOWN["VERSION"]
        ),
        long_description_content_type="text/markdown",
        project_urls=addresses(KNOWN["REPOSITORY"], KNOWN["VERSION"]),
    )
