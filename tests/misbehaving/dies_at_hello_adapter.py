"""A library that ends when it is greeted."""

import sys

from speaking import run


def greets(asked, name):
    sys.exit("no licence")


run("dies_at_hello", greet=greets)
