"""The runs of a track, measured by the workers of a Dask cluster, a task a run.

Dask hands the task of a lost worker to another one. That a run cannot be used is an answer like any other, so it is not asked again.
"""

import asyncio
import logging
import queue
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from typing import Any

from rankproof.evaluate.tracks.local_processes import Measured
from rankproof.evaluate.tracks.one_run import outcome_of
from rankproof.evaluate.tracks.track import Outcome, Track
from rankproof.interruption import Incomplete
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import as_written, one_line
from rankproof.version import VERSION

PATIENCE = 10.0
"""How many seconds a scheduler has to take a connection, and as many again to say who it is."""
LOGS = ("distributed.client", "distributed.core", "distributed.comm", "tornado.application")
"""Where Dask, and what it stands on, write what is said here by an error."""

_LOST = OSError, CancelledError, asyncio.CancelledError
"""What Dask raises where a scheduler does not answer any more."""
_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss|ucx)://)?(?:[^\s/:\[\]]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}")


class NoCluster(Unusable):
    """There is no Dask here, or no scheduler at the address."""


def measured_by_dask(track: Track, runs: Mapping[str, str], address: str, say: Callable[[str], None]) -> Measured:
    """By the workers of the scheduler at this address.

    Raises:
        NoCluster: Dask is not installed, or no scheduler answers.
        Incomplete: the scheduler was lost, or the workers cannot load this rankproof.
    """
    distributed = dask_for(address)
    with _silent(), _connected(distributed, _greeted(distributed, address)) as client:
        if not client.scheduler_info().get("workers"):
            say(f"{address}: the scheduler has no worker yet; waiting for one, as `dask worker {address}` starts it")
        systems = {client.submit(on_worker, track, path, pure=False): system for system, path in runs.items()}
        try:
            for future in distributed.as_completed(list(systems), loop=client.loop):
                outcome = _outcome(distributed, future, track, runs[systems[future]], address)
                yield systems.pop(future), outcome
        except _LOST as error:
            left = f"{len(systems)} of {len(runs)} runs that it had to measure are left"
            raise Incomplete(f"{address}: the scheduler was lost; {left}") from error
        finally:
            with suppress(*_LOST):
                client.cancel(list(systems))


def _greeted(distributed: Any, address: str) -> str:  # noqa: ANN401 - Dask's
    """The address, if a scheduler says there who it is. A client would ask for ever, and could not be told to end.

    Raises:
        NoCluster: nobody does, in the time that there is.
    """
    heard: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def ask() -> None:
        try:
            heard.put(asyncio.run(_identity(distributed, address)))
        except Exception as error:  # noqa: BLE001 - whatever Dask makes of bytes that are not Dask's
            heard.put(error)

    threading.Thread(target=ask, daemon=True).start()
    try:
        found = heard.get(timeout=2 * PATIENCE)
    except queue.Empty:
        found = TimeoutError(f"what is there says nothing within {2 * PATIENCE:g} seconds")
    if isinstance(found, Exception):
        raise NoCluster(_no_answer(address, found)) from found
    if found != "Scheduler":
        raise NoCluster(f"{address}: this is no scheduler of Dask, but a {one_line(found)}")
    return address


async def _identity(distributed: Any, address: str) -> Any:  # noqa: ANN401 - Dask's
    """What a server of Dask says that it is."""
    options = distributed.Security().get_connection_args("client")
    server = distributed.rpc(address, timeout=PATIENCE, connection_args=options)
    try:
        return (await server.identity())["type"]
    finally:
        await server.close_rpc()


def _no_answer(address: str, error: Exception) -> str:
    return f"{address}: no scheduler of Dask answers there: {one_line(error) or type(error).__name__}"


def _connected(distributed: Any, address: str) -> Any:  # noqa: ANN401 - Dask's
    try:
        return distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError) as error:
        raise NoCluster(_no_answer(address, error)) from error


@contextmanager
def _silent() -> Iterator[None]:
    """What Dask would log of a lost scheduler, or of none, is said by an error."""
    before = {log: log.level for log in map(logging.getLogger, LOGS)}
    for log in before:
        log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for log, level in before.items():
            log.setLevel(level)


def on_worker(track: Track, path: str) -> Outcome:
    """The task: what comes of a run, and of a fault the worker on which it was seen."""
    worker = import_module("distributed").get_worker().address
    found = outcome_of(track, path)
    faults = {profile: f"{why} (on the worker {worker})" for profile, why in found.faults.items()}
    return replace(found, faults=faults, of_all=found.of_all and f"{found.of_all} (on the worker {worker})")


def _outcome(distributed: Any, future: Any, track: Track, path: str, address: str) -> Outcome:  # noqa: ANN401 - Dask's
    if future.cancelled():
        raise CancelledError
    error = future.exception()
    if error is None:  # it had to be waited for again, if the worker was lost that had the answer
        outcome: Outcome = future.result()
        return outcome
    if isinstance(error, distributed.KilledWorker):
        why = f"{path}: every worker was lost that measured it, the last one {error.last_worker.address}"
        return Outcome(faults=dict.fromkeys(track.asked, why), lost=True)
    why = f"{type(error).__name__}: {' '.join(str(error).split())}"
    raise Incomplete(f"{address}: a worker could not measure {path}, is rankproof {VERSION} installed there? {why}")


def dask_for(address: str) -> Any:  # noqa: ANN401 - a module that is an extra
    """Dask, if a scheduler can have this address.

    Raises:
        NoCluster: it cannot, or Dask is not installed.
    """
    if not _ADDRESS.fullmatch(address):
        raise NoCluster(f"{as_written(address)} is no address of a scheduler; one is of the form tcp://host:8786")
    try:
        return import_module("distributed")
    except ModuleNotFoundError as error:
        raise NoCluster("a scheduler is asked by Dask: pip install 'rankproof[cluster]'") from error
