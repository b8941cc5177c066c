"""A library that answers, and leaves a child in a session of its own that nobody has for a child."""

import os
import time

from speaking import honest, run


def sins(asked):
    if not os.fork():
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(60)
    honest(asked)


run("forks_a_child_of_its_own_session", on_ties=sins)
