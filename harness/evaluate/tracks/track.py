"""What is asked of every run of a track alike, and what comes of one run: both are sent from process to process."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rankproof.evaluate.cautions import Caution
from rankproof.evaluate.result import Result
from rankproof.inference.signatures import Signature
from rankproof.version import VERSION


@dataclass(frozen=True)
class QrelsFile:
    """Qrels that are read once by each process.

    Attributes:
        path: where they are, on all machines.
        sha256: of their bytes; another file at that path is refused.
        names: what their columns are called.
        separator: what separates the fields.
    """

    path: str
    sha256: str
    names: tuple[tuple[str, str], ...] = ()
    separator: str | None = None


@dataclass(frozen=True)
class Track:
    """What is asked of every run.

    Attributes:
        qrels: the judgments.
        asked: profile -> measure, as it was asked -> its signature.
        beside: profile -> what is to be said of the measures that were asked.
        names: what the columns of a run are called.
        exact: measure large runs, too, in exact arithmetic.
        is_kept: the digests of runs are wanted, as results are kept by them.
        version: of the rankproof that asks; no other one is to answer.
    """

    qrels: QrelsFile
    asked: Mapping[str, Mapping[str, Signature]]
    beside: Mapping[str, tuple[Caution, ...]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    exact: bool = False
    is_kept: bool = False
    version: str = VERSION


@dataclass(frozen=True)
class Outcome:
    """What came of one run.

    Attributes:
        results: profile -> what the run is worth.
        faults: profile -> why it could not be measured.
        of_all: why no run at all can be measured where this one was tried; nothing if it can.
        sha256: of the bytes of the run, if it was wanted.
        lost: whether the processes that measured it ended, whatever the run is worth.
    """

    results: Mapping[str, Result] = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)
    of_all: str = ""
    sha256: str = ""
    lost: bool = False
