"""Start the command line under limits, and write a byte to a pipe when it has installed its signal handlers.

    python launch.py '{"ready": FD, "largest": BYTES, "memory": BYTES, "obey_modes": true, "blow": [N, SIGNAL, PATH]}' run …

`largest` limits the size of a file, `memory` the address space. `obey_modes` makes file modes apply to root. `blow`
sends the process a signal at its Nth change of a file below the working directory. Each change appends a dot to the
file at PATH; the Nth change appends an x. Child processes do not get the signal.
"""

import ctypes
import importlib
import json
import os
import resource
import signal
import sys
from pathlib import Path

VERSION_OF_CAPABILITIES = 0x20080522
WRITE_ANYWHERE = (1 << 1) | (1 << 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""
CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate"}
FOR_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
ENTRY = "rankproof.entry"
"""The module of the console script."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def obey_modes() -> None:
    """Remove root's right to ignore file modes.

    Raises:
        OSError: the system does not allow it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(VERSION_OF_CAPABILITIES, 0), (_Sets * 2)()
    if libc.capget(ctypes.byref(header), sets):
        raise OSError(ctypes.get_errno(), "capget")
    sets[0].effective &= ~WRITE_ANYWHERE
    sets[0].permitted &= ~WRITE_ANYWHERE
    if libc.capset(ctypes.byref(header), sets):
        raise OSError(ctypes.get_errno(), "capset")


def strike_at(moment: int, signum: int, note: str) -> None:
    """Send this process a signal at its nth change of a file below the working directory."""
    own, here, changes = os.getpid(), f"{Path.cwd()}{os.sep}", 0
    noted = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def is_change(event: str, arguments: tuple[object, ...]) -> bool:
        if event not in CHANGES and not (event == "open" and int(arguments[2] or 0) & FOR_WRITING):  # type: ignore[call-overload]
            return False
        try:
            path = os.path.abspath(os.fsdecode(arguments[0]))  # type: ignore[arg-type]  # noqa: PTH100 - links are not followed
        except TypeError:  # a descriptor
            return False
        return path.startswith(here) and os.getpid() == own

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal changes
        if (event == "open" or event in CHANGES) and is_change(event, arguments):
            changes += 1
            os.write(noted, b"x" if changes == moment else b".")
            if changes == moment:
                os.kill(own, signum)

    sys.addaudithook(hook)


def main() -> None:
    """Set the limits, and run the command line."""
    how = json.loads(sys.argv.pop(1))
    # A parent such as nohup may ignore these signals, and a child inherits that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for signum in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.SIG_DFL)
    if how["obey_modes"]:
        obey_modes()
    for name, limit in (("largest", resource.RLIMIT_FSIZE), ("memory", resource.RLIMIT_AS)):
        if how[name] is not None:
            resource.setrlimit(limit, (how[name], how[name]))
    if how["blow"] is not None:
        strike_at(*how["blow"])
    entry = importlib.import_module(ENTRY)
    install_handlers = entry.handle_signals

    def install_and_report() -> None:
        install_handlers()
        os.write(how["ready"], b".")
        os.close(how["ready"])

    entry.handle_signals = install_and_report  # type: ignore[attr-defined]
    sys.argv[0] = "rankproof"
    entry.main()


if __name__ == "__main__":
    main()
