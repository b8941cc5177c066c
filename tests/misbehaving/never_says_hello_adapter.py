"""A library that says nothing at all."""

import time

from speaking import run


def greets(asked, name):
    time.sleep(60)


run("never_says_hello", greet=greets)
