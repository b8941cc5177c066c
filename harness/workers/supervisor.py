"""The supervisor: a small program between rankproof and a worker, whatever language the worker is written in.

    python -I -S supervisor.py CONTROL MEMORY PLACE FOLDER COMMAND...

It starts the command in a session of its own, and ends it together with everything that it started: when it ends by itself, when all of it
takes more than MEMORY bytes (0: no limit), and when the other end of CONTROL, a socket, is closed, as it is however rankproof ends.
On CONTROL it says first what happened: `ended CODE`, `memory` or `cannot REASON`. At the end it removes FOLDER, in which the worker keeps
its temporary files (empty: none). A process that rankproof forked supervises in the same way: it calls `run` with a function.

On Linux nothing escapes: who loses its parent is handed to the supervisor, and the worker dies with the supervisor. Elsewhere, a process
that went into a session of its own and lost its parent is not found.

It imports nothing of rankproof, and nothing that is slow before the worker runs. PLACE is the folder that has psutil.
"""

import os
import select
import signal
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable

    import psutil

ADOPTS = sys.platform == "linux"
"""Whether who loses its parent is handed to the supervisor."""
TICK = 200
"""How many milliseconds may pass until memory is looked at again, where a look does not take long."""
SELDOM = 20
"""A look takes at most one of so many parts of a processor's time, however many processes the machine has."""
PATIENCE = 5.0
"""How many seconds the end of what was killed is waited for."""
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name))


def main() -> None:
    """Supervise the command."""
    control, limit, place, folder, command = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:5], sys.argv[5:]
    sys.path.append(place)
    os.set_inheritable(control, False)  # noqa: FBT003 - as os has it
    run(lambda: execute(command, control), control, limit, folder)


def run(work: "Callable[[], object]", control: int, limit: int, folder: str) -> None:
    """Start a worker that does this work, watch it, and end all of it."""
    woken = woken_by_signals()
    ask_kernel(PR_SET_CHILD_SUBREAPER, 1)
    child = started(work)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for pipe in range(3):  # they are the worker's: who reads them is to see their end when it ends
        os.dup2(nowhere, pipe)
    happened = watched(child, control, woken, limit)
    with suppress(OSError):  # nobody is there to hear it
        os.write(control, f"{happened}\n".encode())
    end_all(child)
    remove(folder)


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


def started(work: "Callable[[], object]") -> int:
    """Start the worker, and return its process id."""
    supervisor = os.getpid()
    if child := os.fork():
        return child
    try:
        ask_kernel(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == supervisor:  # else it ended before it was asked for
            os.setsid()
            work()
    finally:
        os._exit(127)


def execute(command: list[str], control: int) -> None:
    """Replace this process by the command."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and a program inherits that
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)  # noqa: S606 - the command of a sheet, or an interpreter
    except OSError as error:
        os.write(control, f"cannot {error.strerror}\n".encode())


def watched(child: int, control: int, woken: int, limit: int) -> str:
    """What happened, once something did."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(woken, select.POLLIN)
    tick = float(TICK)
    if limit:
        import psutil  # noqa: F401, PLC0415 - now that the worker starts, and not at the first look
    while True:
        ready = {descriptor for descriptor, _ in poll.poll(tick if limit else None)}
        if woken in ready and (told := set(os.read(woken, 4096)) & set(ENDING)):
            return f"ended {-min(told)}"
        if (code := reaped(child)) is not None:
            return f"ended {code}"
        if control in ready:  # nothing is ever said to it, so its other end was closed
            return "left alone"
        if limit:
            began = time.process_time()
            if takes_more(child, limit):
                return "memory"
            tick = max(TICK, SELDOM * 1000 * (time.process_time() - began))


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
    sizes = {process: size_of(process) for process in below(child)}
    return sum(sizes.values()) > limit and sum(own_share(process, size) for process, size in sizes.items()) > limit


def size_of(process: "psutil.Process") -> int:
    """How many bytes of memory a process takes; none if it has ended."""
    import psutil  # noqa: PLC0415 - slow, and a worker would wait for it

    with suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0


def own_share(process: "psutil.Process", size: int) -> int:
    """The memory of a process, with its share of what it shares; all of it where the system does not tell."""
    import psutil  # noqa: PLC0415 - as above

    with suppress(psutil.Error, AttributeError):
        return int(process.memory_full_info().pss)
    return size


def below(child: int) -> "set[psutil.Process]":
    """All processes below this one, and who is in the group of the worker, though its parent ended."""
    import psutil  # noqa: PLC0415 - as above

    found = set(psutil.Process().children(recursive=True))
    return found if ADOPTS else found | {one for one in psutil.process_iter() if is_other_in_group(one.pid, child)}


def is_other_in_group(pid: int, group: int) -> bool:
    """Whether a process is in a group, and not this one."""
    with suppress(OSError):
        return pid != os.getpid() and os.getpgid(pid) == group
    return False


def end_all(child: int) -> None:
    """Kill all below this process, until none is left."""
    if ADOPTS and ended_alone(child):
        return
    import psutil  # noqa: PLC0415 - as above

    until = time.monotonic() + PATIENCE
    while (left := below(child)) and time.monotonic() < until:
        for process in left:
            with suppress(psutil.Error):
                process.kill()
        reaped(child)
        time.sleep(0.005)


def ended_alone(child: int) -> bool:
    """Kill the worker, and tell whether nobody is left then: whom it leaves behind is handed to this process."""
    try:
        for _ in range(20):
            if not os.waitpid(child, os.WNOHANG)[0]:
                os.kill(child, signal.SIGKILL)
                time.sleep(0.001)
    except ChildProcessError:
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            return False
        return True
    return False


def remove(folder: str) -> None:
    """Remove the folder of temporary files, if there is any."""
    try:
        os.rmdir(folder)  # noqa: PTH106 - pathlib is slow to import
    except FileNotFoundError:
        return
    except OSError:
        import shutil  # noqa: PLC0415 - slow, and most workers write no files

        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
