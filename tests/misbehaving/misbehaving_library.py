"""A tiny library that misbehaves as its argument says; each decorated function is one misbehaviour.

The title of a sheet begins with the expected verdict for tied scores. For all other inputs the library is honest: it
sorts by score, and tied documents by descending id. Run it with a short `--timeout` and `--memory 200M`.
"""

import json
import os
import select
import signal
import sys
import time
from pathlib import Path

MEASURES = ["P@{k}", "RR"]
ON_TIES, AT_HELLO = {}, {}
LONG = 60
"""Seconds of a process that another process must end."""


def on_ties(function):
    """Register the behaviour of a library for tied scores."""
    ON_TIES[function.__name__] = function
    return function


def at_hello(function):
    """Register the behaviour of a library for `hello`."""
    AT_HELLO[function.__name__] = function
    return function


# -- the protocol ------------------------------------------------------------------------------------------------------


def write(text):
    """Write to stdout at once, without a buffer."""
    data = text if isinstance(text, bytes) else text.encode()
    while data:
        data = data[os.write(1, data) :]


def reply(request, **content):
    write(json.dumps(dict(content, seq=request["seq"])) + "\n")


def reply_to_hello(request, name):
    reply(request, protocol=1, library=name, version="1", variants={"default": ""}, measures={"default": MEASURES})


def reply_honestly(request):
    reply(request, answers=honest_answers(request))


def honest_answers(request):
    return {measure: honest_answer(measure, request["input"]) for measure in request["measures"]}


def honest_answer(measure, data):
    if "true" in data:
        return {"unsupported": "a labeling is no ranking"}
    grades = {(query, doc): grade for query, doc, grade in data["qrels"]}
    rows = sorted(((row[0], row[2], row[1]) for row in data["run"]), key=lambda row: row[1:], reverse=True)
    values = {}
    for query in dict.fromkeys(row[0] for row in rows):
        hits = [grades.get((query, doc), 0) >= 1 for name, _, doc in rows if name == query]
        if measure == "RR":
            values[str(query)] = 1 / (hits.index(True) + 1) if any(hits) else 0.0
        else:
            k = int(measure.partition("@")[2])
            values[str(query)] = sum(hits[:k]) / k
    return {"per_query": values, "mean": sum(values.values()) / len(values) if values else "nan"}


def is_tied(request):
    scores = [str(row[2]) for row in request["input"].get("run", [])]
    return len(set(scores)) < len(scores)


def count_of(name):
    """Return how often a library misbehaved so far, in all its processes that share a store."""
    folder = os.environ.get("RANKPROOF_CACHE")
    if folder is None:  # without this folder it is honest, and does not write into the user's cache
        return 1_000
    Path(folder).mkdir(parents=True, exist_ok=True)
    with (Path(folder) / (name + ".sins")).open("a+") as log:
        log.write(".")
        return log.tell()


def serve(name):
    """Reply to requests until the end of the input."""
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "hello":
            AT_HELLO.get(name, reply_to_hello)(request, name)
        elif request["op"] == "observe":
            (ON_TIES.get(name, reply_honestly) if is_tied(request) else reply_honestly)(request)
        else:
            reply(request)


# -- replies that cannot be read ---------------------------------------------------------------------------------------


def same_for_all(answer):
    """Return a function that replies with the same answer for each measure."""
    return lambda request: reply(request, answers=dict.fromkeys(request["measures"], answer))


def without_end(text, seconds):
    """Return a function that writes a text repeatedly without end."""

    def write_without_end(_request):
        while True:
            write(text)
            time.sleep(seconds)

    return write_without_end


def more_than_requested(request):
    return dict(honest_answers(request), AP={"per_query": None, "mean": 1})


def line_of(request):
    return json.dumps({"answers": honest_answers(request), "seq": request["seq"]}) + "\n"


ON_TIES.update(
    {
        "answers_a_bare_nan": same_for_all({"per_query": None, "mean": float("nan")}),
        "answers_a_huge_integer": same_for_all({"per_query": None, "mean": 10**400}),
        "answers_a_huge_line": without_end(1_000_000 * b" ", 0),
        "answers_a_letter_at_a_time": without_end(" ", 0.05),
        "answers_an_endless_integer": lambda request: write(
            '{"seq": %d, "answers": {"P@2": {"per_query": null, "mean": 1%s}}}\n' % (request["seq"], 100_000 * "0")
        ),
        "answers_another_question": lambda request: reply_honestly(dict(request, seq=request["seq"] + 1)),
        "answers_deep_json": lambda request: write(
            '{"seq": %d, "answers": %s%s}\n' % (request["seq"], 200_000 * "[", 200_000 * "]")
        ),
        "answers_lists": same_for_all({"per_query": [0.5], "mean": [0.5]}),
        "answers_more_than_was_asked": lambda request: reply(request, answers=more_than_requested(request)),
        "answers_no_object": lambda _request: write("[0.5]\n"),
        "answers_no_utf8": lambda request: write(b'{"seq": %d, "answers": {"\xe9\xff": 1}}\n' % request["seq"]),
        "answers_nonsense": lambda _request: write("one half\n"),
        "answers_numbers_for_words": same_for_all({"error": {"type": 1, "message": None}}),
        "answers_seconds_in_words": lambda request: reply(request, answers=honest_answers(request), seconds="one"),
        "answers_twice": lambda request: write(2 * line_of(request)),
    }
)


@on_ties
def answers_late(request):
    reply_honestly(request)
    select.select([0], [], [])  # nothing to read arrives before, so this is late on slow machines as well
    reply_honestly(request)


@on_ties
def writes_on_stderr_without_end(request):
    os.write(2, 10_000_000 * b"x")
    reply_honestly(request)


# -- ends and stops of the process -------------------------------------------------------------------------------------


@on_ties
def aborts(request):
    os.abort()


@on_ties
def crashes_now_and_then(request):
    if count_of("crashes_now_and_then") % 2:
        os.abort()
    reply_honestly(request)


@on_ties
def ends_between_questions(request):
    reply_honestly(request)
    sys.exit(3)


@on_ties
def exits_with_zero(request):
    sys.exit(0)


@on_ties
def killed_once(request):
    if count_of("killed_once") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    reply_honestly(request)


@on_ties
def kills_its_group(request):
    os.killpg(0, signal.SIGKILL)


@on_ties
def stops_itself(request):
    os.kill(os.getpid(), signal.SIGSTOP)


@on_ties
def closes_stdout(request):
    os.close(1)
    time.sleep(LONG)


@on_ties
def hangs(request):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(LONG)


@on_ties
def hangs_once(request):
    if count_of("hangs_once") == 1:
        time.sleep(LONG)
    reply_honestly(request)


@at_hello
def closes_stdin(request, name):
    os.close(0)
    reply_to_hello(request, name)
    time.sleep(LONG)


@at_hello
def dies_at_hello(request, name):
    sys.exit("no licence")


@at_hello
def never_says_hello(request, name):
    time.sleep(LONG)


# -- memory and leftover processes -------------------------------------------------------------------------------------


@on_ties
def eats_memory(request):
    eaten = [b"x" * 10_000_000 for _ in range(30)]
    time.sleep(LONG)
    return eaten


@on_ties
def eats_memory_in_children(request):
    for _ in range(3):
        if not os.fork():
            eaten = [b"x" * 10_000_000 for _ in range(10)]
            time.sleep(LONG)
            return eaten
    time.sleep(LONG)


@on_ties
def forks_a_child_of_its_own_session(request):
    if not os.fork():
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(LONG)
    reply_honestly(request)


@on_ties
def forks_a_child_that_stays(request):
    if os.fork():
        os._exit(3)
    time.sleep(LONG)


serve(sys.argv[1])
