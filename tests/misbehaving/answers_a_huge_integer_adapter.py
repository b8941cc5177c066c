"""A library that answers an integer that no float can hold."""

from speaking import run, say


def sins(asked):
    say(asked, answers={measure: {"per_query": None, "mean": 10**400} for measure in asked["measures"]})


run("answers_a_huge_integer", on_ties=sins)
