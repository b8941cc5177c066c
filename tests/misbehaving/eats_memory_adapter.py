"""A library that takes 300 MB, and would be content with them."""

import time

from speaking import run


def sins(asked):
    eaten = [b"x" * 10_000_000 for _ in range(30)]
    time.sleep(60)
    return eaten


run("eats_memory", on_ties=sins)
