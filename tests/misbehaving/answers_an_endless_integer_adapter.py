"""A library that answers an integer of 100,000 digits."""

from speaking import run, write


def sins(asked):
    write('{"seq": %d, "answers": {"P@2": {"per_query": null, "mean": 1%s}}}\n' % (asked["seq"], 100_000 * "0"))


run("answers_an_endless_integer", on_ties=sins)
