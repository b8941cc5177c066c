"""A library that answers what is no JSON."""

from speaking import run, write


def sins(asked):
    write("one half\n")


run("answers_nonsense", on_ties=sins)
