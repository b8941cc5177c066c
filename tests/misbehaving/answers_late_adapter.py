"""A library that answers, and says it again when it is asked the next thing."""

import select

from speaking import honest, run


def sins(asked):
    honest(asked)
    select.select([0], [], [])  # until there is something to read: however slow the machine is, this is late
    honest(asked)


run("answers_late", on_ties=sins)
