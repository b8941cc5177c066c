"""All attacks: their names, and how often each is made."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

import bounds
import checks
import doctored
import foreign_code
import functions
import given
import kills
import pages
import shown
import stores
import tracks
from ground import Ground
from tally import Outcome

Trial = Callable[[Ground, int, Random], Outcome | Sequence[Outcome]]


@dataclass(frozen=True, slots=True)
class Attack:
    """A kind of attack.

    Attributes:
        name: what `--only` calls it.
        title: what the table calls it.
        times: how often it is made.
        quick: how often in the short form.
        trial: makes it once, on a machine of its own.
        listed: whether `times` counts what there is, such as adapters.
    """

    name: str
    title: str
    times: int
    quick: int
    trial: Trial
    listed: bool = False

    def how_often(self, *, quick: bool, times: int | None) -> int:
        """How often it is to be made."""
        if times is not None:
            return min(times, self.times) if self.listed else times
        return min(self.quick, self.times) if quick else self.times


def files_of(verb: str) -> Attack:
    """Doctored files that a verb reads."""
    files = [(kind, way) for kind, way in doctored.FILES if doctored.VERB_OF[kind] == verb]
    return Attack(
        f"files-{verb.partition(' ')[0]}",
        f"doctored file, `{verb}`",
        len(files),
        1,
        partial(doctored.file, files=files),
        listed=True,
    )


def attacks(*, mounts: bool, quick: bool) -> list[Attack]:
    """Every attack; a full disk only where one can be mounted."""
    site = partial(pages.site, at_most=3) if quick else pages.site
    full = [Attack("disk-full", "full disk, a tmpfs of a few pages", 20, 1, stores.disk_full)]
    return [
        Attack("parent-killed", "parent killed by SIGKILL", 100, 1, kills.parent_killed),
        Attack("parent-asked", "parent ended by SIGTERM, SIGINT or SIGHUP", 100, 1, kills.parent_asked_to_end),
        Attack(
            "at-write",
            "parent killed or ended where it is about to write",
            kills.AT_A_WRITE,
            1,
            kills.at_a_write,
            listed=True,
        ),
        Attack("worker-killed", "worker killed by SIGKILL", 200, 1, kills.worker_killed),
        Attack("store-flipped", "one byte of the store flipped", 200, 1, stores.store_flipped),
        Attack("store-spoilt", "a file of the store cut, emptied or nonsense", 24, 1, stores.store_spoilt),
        Attack("two-at-once", "two runs at once on one store", 20, 1, stores.two_at_once),
        *(full if mounts else []),
        Attack("files-limited", "no room for files, by RLIMIT_FSIZE", 20, 1, stores.files_limited),
        Attack("store-read-only", "store that may not be written", 12, 1, stores.store_read_only),
        Attack("site", "hostile site in Chromium, its pages", 1, 1, site, listed=True),
        Attack("adapters", "misbehaving adapter", len(foreign_code.adapters()), 1, foreign_code.adapter, listed=True),
        Attack("functions", "misbehaving function", len(functions.functions()), 1, functions.function, listed=True),
        Attack("track-write", "track killed or ended where it keeps a result", 20, 1, tracks.at_a_write),
        Attack("track-jobs", "process of `--jobs` killed", 10, 1, tracks.process_killed),
        Attack("track-kept", "digit of a result in `--out` another one", 10, 1, tracks.kept_flipped),
        Attack("track-changed", "run or qrels others than when results were kept", 8, 1, tracks.run_changed),
        Attack("track-unwritable", "results that cannot be kept", 2 * len(given.UNWRITABLE), 1, given.unwritable),
        Attack("check-killed", "`check` killed or ended, and what the function started", 40, 1, checks.killed),
        Attack(
            "check-budget", "function too slow for its budget", len(checks.PAUSES), 1, checks.out_of_time, listed=True
        ),
        Attack("program", "trec_eval in the cache another program", 2, 1, given.another_program, listed=True),
        *(files_of(verb) for verb in doctored.VERBS),
        Attack("frames", "frame, table or dict spoilt in memory", len(given.KINDS), 1, given.frames, listed=True),
        Attack(
            "bounds", "input that is too much, empty or ambiguous", len(bounds.NAMES), 1, bounds.refused, listed=True
        ),
        Attack("spoken", "ids and names with control characters", len(bounds.SPOKEN), 1, bounds.spoken, listed=True),
        Attack("cells", "ids that are formulas or markup, read back", len(shown.READERS), 1, shown.cells, listed=True),
        Attack("markup", "names of files that are markup", len(shown.PATHS), 1, shown.markup, listed=True),
        Attack("none-relevant", "threshold that no rel reaches", 2, 1, bounds.none_relevant, listed=True),
    ]
