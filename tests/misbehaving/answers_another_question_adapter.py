"""A library that answers a question that nobody asked."""

from speaking import honest, run


def sins(asked):
    honest(dict(asked, seq=asked["seq"] + 1))


run("answers_another_question", on_ties=sins)
