"""Functions that misbehave, each named after its fault, for rankings of more than MANY documents.

For shorter rankings they are correct. If the fault does not change numbers, the function follows `standard`. The
docstring of each function has the expected message.
"""

import contextlib
import ctypes
import itertools
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

MANY = 4
NOTES = "RANKPROOF_STRANGERS_NOTES"
"""The folder in which a function leaves a note for the test."""


def honest(ranked_rels, k):
    """agrees: it follows standard"""
    return sum(rel >= 1 for rel in ranked_rels[:k]) / k


def sinning(sin):
    """Return a function that misbehaves for long rankings, and computes precision for all others."""

    def function(ranked_rels, k):
        given = sin() if len(ranked_rels) > MANY else None
        return honest(ranked_rels, k) if given is None else given

    function.__name__ = function.__qualname__ = sin.__name__
    function.__doc__ = sin.__doc__
    return function


def note(name):
    return Path(os.environ[NOTES]) / name


# -- ends of the process --------------------------------------------------------------------------------------------


@sinning
def exits_with_zero():
    """crash: it ended its process with exit code 0"""
    os._exit(0)


@sinning
def segfaults():
    """crash: it ended its process by SIGSEGV"""
    ctypes.string_at(0)


@sinning
def aborts():
    """crash: it ended its process by SIGABRT"""
    os.abort()


@sinning
def kills_its_group():
    """crash: it ended its process by SIGKILL"""
    os.killpg(0, signal.SIGKILL)


@sinning
def closes_every_file():
    """crash: it ended its process"""
    os.closerange(3, 4096)


@sinning
def eats_memory():
    """memory: it took more memory than it may have"""
    [bytes(10**7) for _ in range(10**6)]


# -- calls that never return ----------------------------------------------------------------------------------------


@sinning
def loops():
    """timeout: it gives no answer within"""
    while True:
        pass


@sinning
def loops_in_c():
    """timeout: it gives no answer within"""
    sum(itertools.repeat(0))


@sinning
def catches_every_error_and_goes_on():
    """timeout: it gives no answer within"""
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(60)


@sinning
def handles_signals():
    """timeout: it gives no answer within"""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(60)


@sinning
def stops_its_process():
    """timeout: it gives no answer within"""
    os.kill(os.getpid(), signal.SIGSTOP)


@sinning
def gives_what_hangs():
    """timeout: it gives no answer within"""

    class Value:
        def __float__(self):
            while True:
                pass

    return Value()


# -- errors and values ----------------------------------------------------------------------------------------------


@sinning
def exits_by_sys():
    """crash: it raises SystemExit: 0 on"""
    sys.exit(0)


@sinning
def raises_keyboard_interrupt():
    """crash: it raises KeyboardInterrupt on"""
    raise KeyboardInterrupt


class Stop(BaseException):
    """A BaseException, because callers catch every Exception."""


@sinning
def raises_no_exception():
    """crash: it raises Stop: no more on"""
    raise Stop("no more")


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__


@sinning
def raises_what_has_no_text():
    """unexplained: it raises Mute, whose text cannot be shown"""
    raise Mute


@sinning
def raises_a_text_for_terminals():
    r"""unexplained: it raises ValueError: red\x1b[31m on"""
    raise ValueError("red\x1b[31m\nsecond line")


@sinning
def recurses():
    """unexplained: it raises RecursionError"""
    return recurses([1] * 9, 1)


class Unreadable:
    """A value whose attributes all raise."""

    def __getattribute__(self, name):
        raise LookupError(name)

    def __float__(self):
        raise RuntimeError("no number")

    __eq__ = __repr__ = __hash__ = __float__


@sinning
def gives_what_cannot_be_read():
    """unexplained: it raises LookupError:"""
    return Unreadable()


@sinning
def gives_text():
    """unexplained: it gave 'half', which is no number"""
    return "half"


# -- different values on a second call ------------------------------------------------------------------------------


@sinning
def gives_random_numbers():
    """unstable: asked again, it gives another answer"""
    return random.random()


def gives_nothing_but_random_numbers(ranked_rels, k):
    """unstable: asked again, it gives another answer"""
    return random.random()


@sinning
def crashes_now_and_then():
    """unstable: asked again, it gives another answer"""
    note("calls").open("ab").write(b"x")
    if note("calls").stat().st_size % 3 == 1:
        os._exit(1)


# -- faults that do not change numbers ------------------------------------------------------------------------------


@sinning
def crashes_once():
    """agrees: it follows standard"""
    if not note("crashed").exists():
        note("crashed").touch()
        os.kill(os.getpid(), signal.SIGKILL)


@sinning
def leaves_a_thread():
    """agrees: it follows standard"""
    if threading.active_count() == 1:
        threading.Thread(target=time.sleep, args=(60,)).start()


def leave_a_process():
    with note("left").open("a", encoding="ascii") as left:
        left.write(f"{subprocess.Popen(['sleep', '60']).pid}\n")


@sinning
def leaves_a_process():
    """agrees: it follows standard"""
    leave_a_process()


@sinning
def leaves_a_process_and_exits():
    """crash: it ended its process with exit code 3"""
    leave_a_process()
    os._exit(3)


@sinning
def leaves_a_daemon():
    """agrees: it follows standard"""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            with note("left").open("a", encoding="ascii") as left:
                left.write(f"{os.getpid()}\n")
            time.sleep(60)
        os._exit(0)
    while not note("left").exists() or not note("left").stat().st_size:
        time.sleep(0.001)


@sinning
def comes_back_twice():
    """agrees: it follows standard"""
    os.fork()


@sinning
def prints_everywhere():
    """agrees: it follows standard"""
    os.write(1, b"printed\n")
    os.write(2, b"printed\n")
    print("printed", flush=True)
    print("printed", file=sys.__stdout__, flush=True)
    sys.stdin.read()


@sinning
def moves_away():
    """agrees: it follows standard"""
    os.chdir("/")
    os.environ.clear()


def changes_its_arguments(ranked_rels, k):
    """unstable: it changes what it is given: called again with the very same arguments, it gives another answer"""
    given = honest(ranked_rels, k)
    ranked_rels.clear()
    return given


@sinning
def changes_rankproof():
    """agrees: it follows standard"""
    from rankproof.check import result
    from rankproof.workers import function_worker

    result.CheckResult.holds = True
    function_worker.Limits.question = 1e9


# -- faults of the first call ---------------------------------------------------------------------------------------


def exits_at_once(ranked_rels, k):
    """strangers:exits_at_once gives no number by any form known here (exits_at_once([1, 0, 1, 0], k=5): it ended its process with exit"""
    os._exit(0)


def loops_at_once(ranked_rels, k):
    """strangers:loops_at_once gives no number by any form known here (loops_at_once([1, 0, 1, 0], k=5): no answer within 0.3 s)"""
    while True:
        pass


class ExitsWhenMade:
    """strangers:ExitsWhenMade gives no number by any form known here (ExitsWhenMade()("""

    def __init__(self):
        os._exit(0)

    def __call__(self, ranked_rels, k):
        return honest(ranked_rels, k)


class Hostile:
    """strangers:HOSTILE cannot be looked at (Stop: __wrapped__)"""

    def __getattr__(self, name):
        raise Stop(name)

    def __call__(self, ranked_rels, k):
        return honest(ranked_rels, k)


HOSTILE = Hostile()
AT_ONCE = {one.__name__: one for one in (exits_at_once, loops_at_once, ExitsWhenMade)} | {"HOSTILE": HOSTILE}

SINNERS = {
    name: function
    for name, function in list(globals().items())
    if callable(function)
    and (function.__doc__ or "").startswith(("agrees:", "unexplained:", "crash:", "memory:", "timeout:", "unstable:"))
}


# -- paths and numbers -------------------------------------------------------------------------------------------------


def opens_ranks(ranks):
    """Open each rank as a path."""
    return sum(1 / len(open(rank, encoding="utf-8").read() or "one") for rank in ranks)  # noqa: PTH123 - it takes a number, too


def said_by_a_program(text):
    return int(subprocess.run(["echo", text], capture_output=True, text=True, check=True).stdout)


def starts_others(rank):
    """Compute RR with a file, a program, and a process that starts a program."""
    with tempfile.TemporaryFile("w+") as file, multiprocessing.get_context("fork").Pool(1) as pool:
        file.write(str(said_by_a_program("1") * pool.map(said_by_a_program, ["1"])[0]))
        file.seek(0)
        return int(file.read()) / rank if rank else 0.0
