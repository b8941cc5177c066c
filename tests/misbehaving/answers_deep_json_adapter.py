"""A library that answers a list in a list, 200,000 deep."""

from speaking import run, write


def sins(asked):
    write('{"seq": %d, "answers": ' % asked["seq"] + 200_000 * "[" + 200_000 * "]" + "}\n")


run("answers_deep_json", on_ties=sins)
