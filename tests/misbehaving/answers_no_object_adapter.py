"""A library that answers a list."""

from speaking import run, write


def sins(asked):
    write("[0.5]\n")


run("answers_no_object", on_ties=sins)
