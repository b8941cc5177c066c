"""Results that are kept in a folder, a file a run, so that an interrupted evaluation can be continued.

A file is used if its checksum is right, and it was made from the same bytes of the run and the qrels, for the same measures, conventions,
columns and version of rankproof.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof.evaluate.result import Result
from rankproof.evaluate.tracks.measured_run import Outcome, Track, sha256_of
from rankproof.files import publish, read_with_checksum, with_checksum
from rankproof.workers.store import digest

_LONGEST = 80
"""The number of bytes of the name of a run that are part of the name of its file."""


@dataclass(frozen=True)
class KeptResults:
    """The results of a track in a folder; `say` prints a line about a damaged file."""

    folder: Path
    track: Track
    say: Callable[[str], None]

    def place(self, system: str) -> Path:
        """Return the file of a run."""
        name = re.sub(r"[^\w.-]+", "_", system).encode(errors="replace")[-_LONGEST:].decode(errors="ignore")
        return self.folder / f"{name}-{digest(system, self._question)}.json"

    def get(self, system: str, run: str) -> Outcome | None:
        """Return the outcome that is kept of a run; None if it has to be measured."""
        place = self.place(system)
        try:
            kept = read_with_checksum(place)
            results = {profile: Result.from_json(one) for profile, one in kept["results"].items()}
            is_same = kept["asked"] == self._question and kept["run_sha256"] == sha256_of(run)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            self.say(f"{place}: the file is damaged ({error}); the run {system} is measured again")
            return None
        tasks = {profile: list(own) for profile, own in self.track.tasks.items()}
        is_whole = tasks == {profile: list(result.mean) for profile, result in results.items()}
        return Outcome(results, sha256=kept["run_sha256"]) if is_whole and is_same else None

    def put(self, system: str, outcome: Outcome) -> None:
        """Keep an outcome without faults.

        Raises:
            OSError: the file cannot be written.
        """
        if not outcome.faults:
            results = {profile: result.as_json(per_query=True) for profile, result in outcome.results.items()}
            content = {"system": system, "run_sha256": outcome.sha256, "asked": self._question, "results": results}
            publish(self.place(system), with_checksum(content))

    @property
    def _question(self) -> Mapping[str, Any]:
        """All that a result depends on, except the run."""
        track = self.track
        signatures = {
            profile: {name: [task.computed.whole(), task.taken] for name, task in tasks.items()}
            for profile, tasks in track.tasks.items()
        }
        names = {side: dict(own) for side, own in track.names.items()}
        return {
            "qrels_sha256": track.sha256,
            "rankproof": track.version,
            "signatures": signatures,
            "columns": names,
            "separator": track.separator,
            "exact": track.exact,
        }
