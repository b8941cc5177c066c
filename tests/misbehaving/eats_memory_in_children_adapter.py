"""A library that takes 300 MB, none of it in the process that answers."""

import os
import time

from speaking import run


def sins(asked):
    for _ in range(3):
        if not os.fork():
            eaten = [b"x" * 10_000_000 for _ in range(10)]
            time.sleep(60)
            return eaten
    time.sleep(60)


run("eats_memory_in_children", on_ties=sins)
