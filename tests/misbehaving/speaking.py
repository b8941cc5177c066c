"""What the misbehaving adapters share: a tiny honest library, and the protocol, in which each of them commits its one sin.

The title of a sheet begins with the verdict that its library is to get on an input with tied scores; on all others, and where nothing goes
wrong, it is honest: it orders by score, and docs that are tied by docid descending. Ask them with a short `--timeout` and `--memory 200M`.
"""

import json
import os
import sys
from pathlib import Path

MEASURES = ["P@{k}", "RR"]


def write(text):
    """Write to stdout as it is, at once."""
    data = text if isinstance(text, bytes) else text.encode()
    while data:
        data = data[os.write(1, data) :]


def say(asked, **reply):
    write(json.dumps(dict(reply, seq=asked["seq"])) + "\n")


def hello(asked, name):
    say(asked, protocol=1, library=name, version="1", variants={"default": ""}, measures={"default": MEASURES})


def answers(asked):
    """The honest answer to each measure."""
    return {measure: value(measure, asked["input"]) for measure in asked["measures"]}


def value(measure, data):
    if "true" in data:
        return {"unsupported": "a labeling is no ranking"}
    rels = {(query, doc): rel for query, doc, rel in data["qrels"]}
    rows = sorted(((row[0], row[2], row[1]) for row in data["run"]), key=lambda row: row[1:], reverse=True)
    found = {}
    for query in dict.fromkeys(row[0] for row in rows):
        hits = [rels.get((query, doc), 0) >= 1 for name, _, doc in rows if name == query]
        if measure == "RR":
            found[str(query)] = 1 / (hits.index(True) + 1) if any(hits) else 0.0
        else:
            k = int(measure.partition("@")[2])
            found[str(query)] = sum(hits[:k]) / k
    return {"per_query": found, "mean": sum(found.values()) / len(found) if found else "nan"}


def honest(asked):
    say(asked, answers=answers(asked))


def is_tied(asked):
    scores = [str(row[2]) for row in asked["input"].get("run", [])]
    return len(set(scores)) < len(scores)


def times(name):
    """How often a library came to its sin so far, over all its processes that share a store."""
    place = os.environ.get("RANKPROOF_CACHE")
    if place is None:  # no folder of its own: it stays honest, and leaves nothing in the user's cache
        return 1_000
    Path(place).mkdir(parents=True, exist_ok=True)
    with (Path(place) / (name + ".sins")).open("a+") as log:
        log.write(".")
        return log.tell()


def run(name, on_ties=honest, greet=hello):
    """Answer until the end of the input."""
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["op"] == "hello":
            greet(asked, name)
        elif asked["op"] == "observe":
            (on_ties if is_tied(asked) else honest)(asked)
        else:
            say(asked)
