"""A library that ends after it answered."""

import sys

from speaking import honest, run


def sins(asked):
    honest(asked)
    sys.exit(3)


run("ends_between_questions", on_ties=sins)
