"""What happens in a process that measures a run: for processes that import nothing else."""

import os
import time
from pathlib import Path

from rankproof.evaluate.tracks.one_run import outcome_of
from rankproof.evaluate.tracks.track import Outcome, Track


def fate(track: Track, path: str) -> Outcome:
    """What happens in a child: some runs end it whenever they are measured, some the first time, some take forever."""
    match Path(path).name:
        case "ends":
            os._exit(9)
        case "ends-once" if not (mark := Path(path + ".seen")).exists():
            mark.touch()
            os._exit(9)
        case "lasts":
            time.sleep(60)
    return outcome_of(track, path)
