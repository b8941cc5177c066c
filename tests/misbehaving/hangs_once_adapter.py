"""A library that does not answer once, and then does."""

import time

from speaking import honest, run, times


def sins(asked):
    if times("hangs_once") == 1:
        time.sleep(60)
    honest(asked)


run("hangs_once", on_ties=sins)
