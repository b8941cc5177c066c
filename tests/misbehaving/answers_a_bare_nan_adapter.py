"""A library that answers NaN, for which JSON has no number."""

from speaking import run, say


def sins(asked):
    say(asked, answers={measure: {"per_query": None, "mean": float("nan")} for measure in asked["measures"]})


run("answers_a_bare_nan", on_ties=sins)
