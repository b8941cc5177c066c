"""A library that is killed once, as by somebody else, and never again."""

import os
import signal

from speaking import honest, run, times


def sins(asked):
    if times("killed_once") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    honest(asked)


run("killed_once", on_ties=sins)
