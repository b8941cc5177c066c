"""What the package says of itself where it is published: a description whose links lead somewhere, and the addresses of the project.

All else stands in pyproject.toml. A link of README.md to a file of the repository becomes its address there (`REPOSITORY`, in
harness/version.py); where the project has no address yet, only its text remains, as a link that leads nowhere is worse than none.
"""

import re
import runpy
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).resolve().parent
PLACES = {"Documentation": "tree/{tag}/docs", "Changes": "blob/{tag}/CHANGELOG.md", "Issues": "issues", "Source": ""}
PICTURES = (".svg", ".png")


def described(text: str, repository: str, version: str) -> str:
    """README.md, as it is shown elsewhere: links to files of the repository are absolute, or only their text where it has no address."""
    files = f"{repository}/blob/v{version}/"
    raw = files.replace("://github.com/", "://raw.githubusercontent.com/").replace("/blob/", "/")
    if not repository:
        text = re.sub(r"<picture>.*?</picture>\n*", "", text, flags=re.DOTALL)
        return re.sub(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)[^)]+\)", r"\1", text)
    text = re.sub(r"\]\((?!https?:|#)([^)]+)\)", lambda link: f"]({files}{link[1]})", text)
    return re.sub(r'(src|srcset)="(?!https?:)([^"]+)"', lambda link: f'{link[1]}="{raw}{link[2]}"', text)


def addresses(repository: str, version: str) -> dict[str, str]:
    """The addresses of the project, by what is there; none where it has none."""
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
