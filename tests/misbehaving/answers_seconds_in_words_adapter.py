"""A library that says in words how long it took."""

from speaking import answers, run, say


def sins(asked):
    say(asked, answers=answers(asked), seconds="one")


run("answers_seconds_in_words", on_ties=sins)
