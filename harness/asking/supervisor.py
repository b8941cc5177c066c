"""The supervisor: a small program between rankproof and a worker, whatever language the worker is written in.

    python -I -S supervisor.py CONTROL MEMORY COMMAND...

It starts the command in a session of its own, and ends it together with everything that it started: when it ends by itself, when all of it
takes more than MEMORY bytes (0: no limit), and when the other end of CONTROL, a socket, is closed, as it is however rankproof ends.
On CONTROL it says first what happened: `ended CODE`, `memory` or `cannot REASON`.

On Linux nothing escapes: who loses its parent is handed to the supervisor, and the worker dies with the supervisor. Elsewhere, a process
that went into a session of its own and lost its parent is not found.

It imports nothing of rankproof, and nothing that is slow: a worker waits for it.
"""

import os
import select
import signal
import sys
import time
from contextlib import suppress

TICK = 200
"""How many milliseconds may pass until memory is looked at again."""
PATIENCE = 5.0
"""How many seconds the end of what was killed is waited for."""
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name))


def main() -> None:
    """Start the command, watch it, and end all of it."""
    control, limit, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    os.set_inheritable(control, False)  # noqa: FBT003 - as os has it
    woken = woken_by_signals()
    ask_kernel(PR_SET_CHILD_SUBREAPER, 1)
    child = started(command, control)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for pipe in range(3):  # they are the worker's: who reads them is to see their end when it ends
        os.dup2(nowhere, pipe)
    happened = watched(child, control, woken, limit)
    with suppress(OSError):  # nobody is there to hear it
        os.write(control, f"{happened}\n".encode())
    end_all(child)


def woken_by_signals() -> int:
    """What becomes readable, with their numbers, when a child ends or this process is told to end."""
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    for number in (signal.SIGCHLD, *ENDING):
        signal.signal(number, lambda _number, _frame: None)
    return woken


def ask_kernel(option: int, value: int) -> None:
    """Ask Linux for something by prctl; other kernels have it not."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - slow, and of no use elsewhere

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def started(command: list[str], control: int) -> int:
    """The process id of the worker."""
    supervisor = os.getpid()
    if child := os.fork():
        return child
    try:
        ask_kernel(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == supervisor:  # else it ended before it was asked for
            os.setsid()
            for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and a program inherits that
                signal.signal(number, signal.SIG_DFL)
            os.execvp(command[0], command)  # noqa: S606 - that is what it is for
    except OSError as error:
        os.write(control, f"cannot {error.strerror}\n".encode())
    finally:
        os._exit(127)


def watched(child: int, control: int, woken: int, limit: int) -> str:
    """What happened, once something did."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(woken, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll(TICK if limit else None)}
        if woken in ready and (told := set(os.read(woken, 4096)) & set(ENDING)):
            return f"ended {-min(told)}"
        if (code := reaped(child)) is not None:
            return f"ended {code}"
        if control in ready:  # nothing is ever said to it, so its other end was closed
            return "left alone"
        if limit and takes_more(child, limit):
            return "memory"


def reaped(child: int) -> int | None:
    """Take note of all that ended; the exit code of the worker if it did."""
    code = None
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == child:
                code = os.waitstatus_to_exitcode(ended[1])
    return code


def takes_more(child: int, limit: int) -> bool:
    """Whether all below this process takes more memory than the limit; what several share is counted once."""
    below = processes(child)
    return sum(below.values()) > limit and sum(own_share(pid, size) for pid, size in below.items()) > limit


def own_share(pid: int, size: int) -> int:
    """The memory of a process, with its share of what it shares; all of it where the kernel does not tell."""
    with suppress(OSError, ValueError):
        for line in told(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return size


def told(path: str) -> str:
    """What Linux tells in a file; to import pathlib would take a quarter of the time in which this program starts."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - as said
        return file.read()


def processes(child: int) -> dict[int, int]:
    """All processes below this one, and how many bytes of memory each takes."""
    own = os.getpid()
    return from_proc(own) if os.access(f"/proc/{own}/task/{own}/children", os.R_OK) else from_ps(own, child)


def from_proc(parent: int) -> dict[int, int]:
    """The same, from what Linux tells in files."""
    found: dict[int, int] = {}
    with suppress(OSError):  # it ended while it was looked at
        pages = int(told(f"/proc/{parent}/statm").split()[1])
        found[parent] = pages * os.sysconf("SC_PAGE_SIZE")
        for thread in os.listdir(f"/proc/{parent}/task"):  # noqa: PTH208 - names are all that is wanted
            with suppress(OSError):
                for pid in told(f"/proc/{parent}/task/{thread}/children").split():
                    found |= from_proc(int(pid))
    if parent == os.getpid():
        found.pop(parent, None)
    return found


def from_ps(parent: int, group: int) -> dict[int, int]:
    """The same, from what POSIX has a program for; and who is in the group of the worker, though its parent ended."""
    import subprocess  # noqa: PLC0415 - slow, and of no use on Linux

    with subprocess.Popen(["ps", "-A", "-o", "pid=,ppid=,pgid=,rss="], stdout=subprocess.PIPE, text=True) as ps:  # noqa: S607 - as the PATH has it
        said = ps.communicate()[0]
    rows = [row for line in said.splitlines() if (row := tuple(map(int, line.split())))[0] != ps.pid]
    below = {parent}
    while more := {pid for pid, above, of, _ in rows if pid not in below and (above in below or of == group)}:
        below |= more
    return {pid: kilobytes * 1024 for pid, _, _, kilobytes in rows if pid in below - {parent}}


def end_all(child: int) -> None:
    """Kill all below this process, until none is left."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        for pid in processes(child):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        reaped(child)
        if not processes(child):
            return
        time.sleep(0.005)


if __name__ == "__main__":
    main()
