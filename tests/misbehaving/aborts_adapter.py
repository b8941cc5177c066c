"""A library that is aborted."""

import os

from speaking import run


def sins(asked):
    os.abort()


run("aborts", on_ties=sins)
