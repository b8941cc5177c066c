"""Results that are kept: a file a run, so that what was interrupted goes on where it was, and nothing is measured twice.

A file is used where it is as it was written, and tells of these very bytes of the run and of the qrels, of the same measures, profiles and
columns, and of this version of rankproof. Any other is measured anew; that one is damaged is said.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof.cases.json_numbers import number_of_json
from rankproof.evaluate.cautions import Caution
from rankproof.evaluate.result import ByMeasure, Result
from rankproof.evaluate.tracks.one_run import sha256_of
from rankproof.evaluate.tracks.track import Outcome, Track
from rankproof.files import publish, read_with_checksum, with_checksum
from rankproof.workers.store import digest

_LONGEST = 80
"""How many bytes of a name of a run are part of the name of its file; file systems take some 255."""


@dataclass(frozen=True)
class KeptResults:
    """The results of a track in a folder.

    Attributes:
        folder: where they are.
        track: what was asked.
        say: takes a line where a file is damaged.
    """

    folder: Path
    track: Track
    say: Callable[[str], None]

    def place(self, system: str) -> Path:
        """The file of a run."""
        name = re.sub(r"[^\w.-]+", "_", system).encode(errors="replace")[-_LONGEST:].decode(errors="ignore")
        return self.folder / f"{name}-{digest(system, _question(self.track))}.json"

    def get(self, system: str, run: str) -> Outcome | None:
        """What is kept of a run; None if it is to be measured."""
        place = self.place(system)
        try:
            kept = read_with_checksum(place)
            results = {profile: _result(one) for profile, one in kept["results"].items()}
            found = Outcome(results, sha256=kept["run_sha256"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            self.say(f"{place}: this is not as it was written ({error}); the run {system} is measured anew")
            return None
        asked = {profile: list(tasks) for profile, tasks in self.track.asked.items()}
        is_whole = asked == {profile: list(result.mean) for profile, result in found.results.items()}
        return found if is_whole and kept["asked"] == _question(self.track) and found.sha256 == sha256_of(run) else None

    def put(self, system: str, outcome: Outcome) -> None:
        """Keep what a run is worth, if all of it was found.

        Raises:
            OSError: the file cannot be written.
        """
        if outcome.faults:
            return
        results = {profile: result.as_json(per_query=True) for profile, result in outcome.results.items()}
        content = {"system": system, "run_sha256": outcome.sha256, "asked": _question(self.track), "results": results}
        publish(self.place(system), with_checksum(content))


def _question(track: Track) -> dict[str, Any]:
    """All that a result depends on, but for the run."""
    return {
        "qrels_sha256": track.qrels.sha256,
        "rankproof": track.version,
        "signatures": {
            profile: {name: [task.computed.whole(), task.taken] for name, task in tasks.items()}
            for profile, tasks in track.asked.items()
        },
        "columns": {"qrels": dict(track.qrels.names), "run": dict(track.names)},
        "separator": track.qrels.separator,
        "exact": track.exact,
    }


def _result(kept: Mapping[str, Any]) -> Result:
    of: Mapping[str, Mapping[str, Any]] = kept["measures"]
    return Result(
        ByMeasure((m, {q: number_of_json(value) for q, value in one["per_query"].items()}) for m, one in of.items()),
        ByMeasure((m, number_of_json(one["mean"])) for m, one in of.items()),
        ByMeasure((m, one["signature"]) for m, one in of.items()),
        ByMeasure((m, one.get("taken", {})) for m, one in of.items()),
        tuple(map(_caution, kept["warnings"])),
    )


def _caution(kept: Mapping[str, Any]) -> Caution:
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in kept["values"].items()}
    return Caution(kept["kind"], kept["text"], kept["count"], values)
