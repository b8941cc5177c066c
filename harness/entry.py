"""Where the program begins: with nothing imported that takes time, so that Ctrl-C is one line from the first moment on."""

import gc
import os
import sys
from importlib import import_module

from rankproof.interruption import FAULT, INCOMPLETE, INTERRUPTED, all_as_by_hand, none_any_more, none_lost

SELDOM = 10_000
"""So many things are made before garbage is looked for: most of what a verb makes it keeps, and looking took a seventh of its time."""


def main() -> None:
    """Run the command line."""
    try:
        all_as_by_hand()
        none_lost()
        gc.set_threshold(SELDOM, *gc.get_threshold()[1:])
        _open_streams()
        import_module("rankproof.cli.program").main()
    except KeyboardInterrupt:
        sys.stderr.write(f"{INTERRUPTED}\n")
        sys.exit(INCOMPLETE)
    except Exception as error:  # noqa: BLE001 - a module that is missing or broken, before anything that tells faults is there
        why = " ".join(f"{type(error).__name__}: {error}".split())
        sys.stderr.write(f"rankproof: this is a fault of rankproof, or of how it was installed: {why}\n")
        sys.exit(FAULT)
    finally:
        try:
            none_any_more()
        except KeyboardInterrupt:  # which came too late to end anything
            none_any_more()


def _open_streams() -> None:
    """Put something in the place of a stream that was closed before the program began.

    Else the next file that is opened would take its number, and what a library prints would be written into that file.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            # A closed stdout is opened for reading only: what is written to it fails, and is said.
            opened = os.open(os.devnull, os.O_RDONLY if number < 2 else os.O_WRONLY)  # noqa: PLR2004 - stderr
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
