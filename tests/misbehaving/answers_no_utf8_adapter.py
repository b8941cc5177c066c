"""A library that answers in another encoding."""

from speaking import run, write


def sins(asked):
    write(b'{"seq": %d, "answers": {"\xe9\xff": 1}}\n' % asked["seq"])


run("answers_no_utf8", on_ties=sins)
