"""A library that kills all of its process group."""

import os
import signal

from speaking import run


def sins(asked):
    os.killpg(0, signal.SIGKILL)


run("kills_its_group", on_ties=sins)
