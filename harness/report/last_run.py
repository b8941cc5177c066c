"""What the last run wrote into a folder and told, noted in the cache: whoever finds all of it unchanged by its digests tells it again.

To see by the results themselves that nothing changed, all of them are read, and all pages written anew to be compared. The note holds a
digest of all that the run depended on (code, cases, adapters and sheets, what was asked of whom and how, each library's store of answers)
and of each file that it wrote. It is a matter of speed alone: where it is gone, odd or of anything else, the results are read.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof import adapters, reference_impl, version
from rankproof import cases as corpus
from rankproof.files import cache, publish, read_with_checksum, with_checksum
from rankproof.judge.results_file import FOLDER, files_below
from rankproof.report.terminal import RunTexts
from rankproof.workers.store import digest


@dataclass(frozen=True)
class LastRun:
    """A run into a folder.

    Attributes:
        folder: where to.
        depends_on: a digest of all that it depends on.
    """

    folder: Path
    depends_on: str

    def told(self) -> RunTexts | None:
        """What the last run told, if it depended on the same and all that it wrote is there as it was written."""
        try:
            said = read_with_checksum(note_of(self.folder))
            if said["depends_on"] != self.depends_on or said["files"] != _digests(self.folder, said["files"]):
                return None
            return RunTexts.of_json(said["told"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def note(self, files: Collection[str], told: RunTexts) -> None:
        """Note what was written and told; that this cannot be done is no matter."""
        try:
            found = _digests(self.folder, files)
            said = {"depends_on": self.depends_on, "files": found, "told": told.as_json()}
            publish(note_of(self.folder), with_checksum(said))
        except OSError:
            return


def note_of(folder: Path) -> Path:
    """Where the note of the last run into a folder is."""
    return cache() / "runs" / f"{digest(str(folder.resolve()))}.json"


def depends_on(how: Sequence[object], stores: Mapping[str, Path]) -> str:
    """A digest of all that a run depends on: what is asked and how, the answers that are kept, and all of rankproof.

    Args:
        how: what JSON can write.
        stores: by library, with the key of its answers, where they are kept; that key says as well whether it is installed, and of who is
            not, nothing is kept.

    Raises:
        OSError: one of these cannot be read.
    """
    kept = {
        name: hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "" for name, path in stores.items()
    }
    return digest(how, kept, _code())


def _code() -> str:
    """A digest of all files of rankproof, wherever they lie."""
    found = hashlib.sha256()
    for module in (version, adapters, corpus, reference_impl):
        folder = Path(module.__file__ or "").resolve().parent
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                found.update(f"{path}\0".encode())
                found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def _digests(folder: Path, names: Iterable[str]) -> dict[str, Any]:
    """By name: a digest of each file, and of each other file of results that lies there."""
    others = (path.relative_to(folder).as_posix() for path in files_below(folder / FOLDER))
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in dict.fromkeys([*names, *others])}
