"""A library that answers a measure that nobody asked for."""

from speaking import answers, run, say


def sins(asked):
    say(asked, answers=dict(answers(asked), AP={"per_query": None, "mean": 1}))


run("answers_more_than_was_asked", on_ties=sins)
