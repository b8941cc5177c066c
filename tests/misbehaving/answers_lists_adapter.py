"""A library that answers lists of values where a query has one."""

from speaking import run, say


def sins(asked):
    say(asked, answers={measure: {"per_query": [0.5], "mean": [0.5]} for measure in asked["measures"]})


run("answers_lists", on_ties=sins)
