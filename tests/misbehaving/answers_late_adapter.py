"""A library that answers, and says it again a little later."""

import time

from speaking import honest, run


def sins(asked):
    honest(asked)
    time.sleep(0.02)
    honest(asked)


run("answers_late", on_ties=sins)
