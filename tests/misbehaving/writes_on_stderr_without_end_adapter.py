"""A library that writes ten megabytes to stderr before it answers."""

import os

from speaking import honest, run


def sins(asked):
    os.write(2, 10_000_000 * b"x")
    honest(asked)


run("writes_on_stderr_without_end", on_ties=sins)
