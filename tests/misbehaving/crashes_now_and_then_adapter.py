"""A library that crashes every other time."""

import os

from speaking import honest, run, times


def sins(asked):
    if times("crashes_now_and_then") % 2:
        os.abort()
    honest(asked)


run("crashes_now_and_then", on_ties=sins)
