"""A library that says each answer twice."""

import json

from speaking import answers, run, write


def sins(asked):
    line = json.dumps({"answers": answers(asked), "seq": asked["seq"]}) + "\n"
    write(2 * line)


run("answers_twice", on_ties=sins)
