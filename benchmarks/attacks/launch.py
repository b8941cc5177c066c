"""Starts the command line as its console script does, under limits of its own, and says by a byte that it begins.

That is when it has seen to the signals that end it. Before that they end it as they end any program, and nothing was begun.

    python launch.py '{"ready": FD, "largest": BYTES, "powerless": true, "entry": "rankproof.entry:main", …}' run …

`entry` is what the console script calls, `largest` how large a file may become, `memory` how many bytes of addresses it may take, and
`powerless` takes from root the right to write where the modes of files forbid it. `blow` is [n, signal, path]: the signal is given at the
nth moment at which something is about to be opened to be written, moved, made or removed below this folder; each such moment is a dot
in the file at the path, and the blow an x. A process that it starts is not struck.
"""

import ctypes
import importlib
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path

VERSION_OF_CAPABILITIES = 0x20080522
WRITING_ANYWHERE = (1 << 1) | (1 << 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def obey_modes() -> None:
    """Let root be refused by the modes of files as anybody else is.

    Raises:
        OSError: the system does not let it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(VERSION_OF_CAPABILITIES, 0), (_Sets * 2)()
    if libc.capget(ctypes.byref(header), sets):
        raise OSError(ctypes.get_errno(), "capget")
    sets[0].effective &= ~WRITING_ANYWHERE
    sets[0].permitted &= ~WRITING_ANYWHERE
    if libc.capset(ctypes.byref(header), sets):
        raise OSError(ctypes.get_errno(), "capset")


CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate"}
FOR_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def strike_at(moment: int, given: int, note: str) -> None:
    """Give this process a signal at the nth moment at which it is about to change a file below this folder."""
    own, here, seen = os.getpid(), f"{Path.cwd()}{os.sep}", 0
    told = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def changes(event: str, arguments: tuple[object, ...]) -> bool:
        if event not in CHANGES and not (event == "open" and int(arguments[2] or 0) & FOR_WRITING):  # type: ignore[call-overload]
            return False
        try:
            path = os.path.abspath(os.fsdecode(arguments[0]))  # type: ignore[arg-type]  # noqa: PTH100 - what it is, and not what it leads to
        except TypeError:  # a descriptor
            return False
        return path.startswith(here) and os.getpid() == own

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if (event == "open" or event in CHANGES) and changes(event, arguments):
            seen += 1
            os.write(told, b"x" if seen == moment else b".")
            if seen == moment:
                os.kill(own, given)

    sys.addaudithook(hook)


def main() -> None:
    """Set the limits and begin."""
    how = json.loads(sys.argv.pop(1))
    # Whoever started the benchmark may ignore these (nohup does), and what is ignored is inherited.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for given in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(given, signal.SIG_DFL)
    if how["powerless"]:
        obey_modes()
    if how["largest"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (how["largest"], how["largest"]))
    if how["memory"] is not None:
        resource.setrlimit(resource.RLIMIT_AS, (how["memory"], how["memory"]))
    if how["blow"] is not None:
        strike_at(*how["blow"])
    module, _, function = how["entry"].partition(":")
    entry = importlib.import_module(module)
    # One that does not see to signals begins at once.
    sees_to_signals = getattr(entry, "all_as_by_hand", None)
    said = _then_say_so(sees_to_signals or (lambda: None), how["ready"])
    if sees_to_signals:
        entry.all_as_by_hand = said
    else:
        said()
    sys.argv[0] = "rankproof"
    getattr(entry, function)()


def _then_say_so(see_to_signals: Callable[[], None], ready: int) -> Callable[[], None]:
    def seen_to() -> None:
        see_to_signals()
        os.write(ready, b".")
        os.close(ready)

    return seen_to


if __name__ == "__main__":
    main()
