"""A library that never answers, and will not be asked to end."""

import signal
import time

from speaking import run


def sins(asked):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(60)


run("hangs", on_ties=sins)
