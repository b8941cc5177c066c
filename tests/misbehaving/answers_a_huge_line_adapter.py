"""A library that writes spaces without end, and no line."""

from speaking import run, write


def sins(asked):
    while True:
        write(1_000_000 * b" ")


run("answers_a_huge_line", on_ties=sins)
