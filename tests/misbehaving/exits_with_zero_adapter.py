"""A library that ends as if all were well."""

import sys

from speaking import run


def sins(asked):
    sys.exit(0)


run("exits_with_zero", on_ties=sins)
