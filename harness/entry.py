"""Entry point of the program. It imports nothing slow, so that Ctrl-C prints one line from the start."""

import gc
import os
import sys
from importlib import import_module

from rankproof.interruption import FAULT, INCOMPLETE, INTERRUPTED, handle_signals, ignore_signals

SELDOM = 10_000
"""Threshold of the garbage collector, which is high because commands keep most objects."""


def main() -> None:
    """Run the command line."""
    try:
        handle_signals()
        gc.set_threshold(SELDOM, *gc.get_threshold()[1:])
        _open_streams()
        import_module("rankproof.cli.program").main()
    except KeyboardInterrupt:
        sys.stderr.write(f"{INTERRUPTED}\n")
        sys.exit(INCOMPLETE)
    except Exception as error:  # noqa: BLE001 - a missing or broken module
        if isinstance(error.__cause__, KeyboardInterrupt):
            sys.stderr.write(f"{INTERRUPTED}\n")
            sys.exit(INCOMPLETE)
        why = " ".join(f"{type(error).__name__}: {error}".split())
        sys.stderr.write(f"rankproof: error in rankproof or in its installation: {why}\n")
        sys.exit(FAULT)
    finally:
        try:
            ignore_signals()
        except KeyboardInterrupt:  # too late to cancel anything
            ignore_signals()


def _open_streams() -> None:
    """Reopen closed standard streams, so that no other file takes their descriptors."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # A closed stdout is opened for reading only, so that writing to it fails and is reported.
            opened = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))
