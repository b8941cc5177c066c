"""A library that closes its output, and stays."""

import os
import time

from speaking import run


def sins(asked):
    os.close(1)
    time.sleep(60)


run("closes_stdout", on_ties=sins)
