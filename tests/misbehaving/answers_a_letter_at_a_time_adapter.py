"""A library that writes a letter now and then, and never comes to the end of the line."""

import time

from speaking import run, write


def sins(asked):
    while True:
        write(" ")
        time.sleep(0.05)


run("answers_a_letter_at_a_time", on_ties=sins)
