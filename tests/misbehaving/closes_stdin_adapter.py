"""A library that reads nothing after its hello, and stays."""

import os
import time

from speaking import hello, run


def greets(asked, name):
    os.close(0)
    hello(asked, name)
    time.sleep(60)


run("closes_stdin", greet=greets)
