"""A library that tells of an error in numbers."""

from speaking import run, say


def sins(asked):
    say(asked, answers={measure: {"error": {"type": 1, "message": None}} for measure in asked["measures"]})


run("answers_numbers_for_words", on_ties=sins)
