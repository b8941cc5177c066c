"""A library that ends, and leaves a child that holds its pipes."""

import os
import time

from speaking import run


def sins(asked):
    if os.fork():
        os._exit(3)
    time.sleep(60)


run("forks_a_child_that_stays", on_ties=sins)
