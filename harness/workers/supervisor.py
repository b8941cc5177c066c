"""Supervisor of a worker: a small program that limits its memory and ends all its processes.

    python -I -S supervisor.py CONTROL MEMORY PLACE FOLDER COMMAND...

It starts the command in a new session, and ends all its processes in three cases: the command ends, the processes use
more than MEMORY bytes (0: no limit), or the other end of the socket CONTROL is closed, because rankproof ended. It
writes the event to CONTROL: `ended CODE`, `memory` or `cannot REASON`. At the end it removes FOLDER, the worker's
temporary files (empty: none). A fork of rankproof is supervised in the same way, by calling `supervise` with a
function.

On Linux no process escapes: orphans become children of the supervisor, and the worker ends with the supervisor. On
other systems, orphans in new sessions are not found. PLACE is the folder of psutil. The program does not import
rankproof, and imports no slow module before the worker runs.
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
"""Whether orphans become children of the supervisor."""
TICK = 200
"""The time between measurements of memory in milliseconds."""
SELDOM = 20
"""Measurements take at most 1/20 of a processor's time, even with many processes."""
PATIENCE = 5.0
"""The time to wait for killed processes in seconds."""
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name))


def main() -> None:
    """Supervise the command."""
    control, limit, place, folder, command = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:5], sys.argv[5:]
    sys.path.append(place)
    os.set_inheritable(control, False)  # noqa: FBT003 - os takes it by position only
    supervise(lambda: execute(command, control), control, limit, folder)


def supervise(work: "Callable[[], object]", control: int, limit: int, folder: str) -> None:
    """Start a worker under two nested supervisors; the outer one ends everything if the worker kills its parent."""
    run(lambda: run(work, control, limit, folder), control, 0, folder)


def run(work: "Callable[[], object]", control: int, limit: int, folder: str) -> None:
    """Start a worker that does some work, watch it, and end all its processes."""
    woken = woken_by_signals()
    ask_kernel(PR_SET_CHILD_SUBREAPER, 1)
    child = started(work)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for pipe in range(3):  # readers of the worker's pipes must see their end
        os.dup2(nowhere, pipe)
    happened = watched(child, control, woken, limit)
    with suppress(OSError):  # rankproof may have ended
        os.write(control, f"{happened}\n".encode())
    end_all(child)
    remove(folder)


def woken_by_signals() -> int:
    """Return a descriptor that becomes readable when a child ends, or when a signal ends this process."""
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    for number in (signal.SIGCHLD, *ENDING):
        signal.signal(number, lambda _number, _frame: None)
    return woken


def ask_kernel(option: int, value: int) -> None:
    """Set an option of the process with prctl (Linux only)."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def started(work: "Callable[[], object]") -> int:
    """Start the worker, and return its process id."""
    supervisor = os.getpid()
    if child := os.fork():
        return child
    try:
        ask_kernel(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == supervisor:  # otherwise the supervisor has already ended
            os.setsid()
            work()
    finally:
        os._exit(127)


def execute(command: list[str], control: int) -> None:
    """Replace this process by the command."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and programs inherit ignored signals
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)  # noqa: S606 - the command of a sheet, or an interpreter
    except OSError as error:
        os.write(control, f"cannot {error.strerror}\n".encode())


def watched(child: int, control: int, woken: int, limit: int) -> str:
    """Wait until the worker ends or must end, and return the event."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(woken, select.POLLIN)
    tick = float(TICK)
    if limit:
        import psutil  # noqa: F401 - import it while the worker starts, before the first measurement
    while True:
        ready = {descriptor for descriptor, _ in poll.poll(tick if limit else None)}
        if woken in ready and (signals := set(os.read(woken, 4096)) & set(ENDING)):
            return f"ended {-min(signals)}"
        if (code := reaped(child)) is not None:
            return f"ended {code}"
        if control in ready:  # rankproof never writes to it, so the other end is closed
            return "left alone"
        if limit:
            began = time.process_time()
            if takes_more(child, limit):
                return "memory"
            tick = max(TICK, SELDOM * 1000 * (time.process_time() - began))


def reaped(child: int) -> int | None:
    """Collect ended processes, and return the exit code of the worker if it ended."""
    code = None
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == child:
                code = os.waitstatus_to_exitcode(ended[1])
    return code


def takes_more(child: int, limit: int) -> bool:
    """Return whether the worker and its children use more memory than the limit; shared memory counts once."""
    sizes = {process: size_of(process) for process in below(child)}
    if sum(sizes.values()) <= limit:
        return False
    return sum(size_of(process, shared_once=True) or size for process, size in sizes.items()) > limit


def size_of(process: "psutil.Process", *, shared_once: bool = False) -> int:
    """Return the memory of a process in bytes, or 0 if it has ended or the system does not report shared memory."""
    import psutil

    with suppress(psutil.Error, AttributeError):
        return int(process.memory_full_info().pss if shared_once else process.memory_info().rss)
    return 0


def below(child: int) -> "set[psutil.Process]":
    """Return all descendants of this process and, if it does not adopt orphans, the processes in the worker's group."""
    import psutil

    processes = set(psutil.Process().children(recursive=True))
    for process in () if ADOPTS else psutil.process_iter():
        with suppress(OSError):
            if process.pid != os.getpid() and os.getpgid(process.pid) == child:
                processes.add(process)
    return processes


def end_all(child: int) -> None:
    """Kill all descendants of this process."""
    if ADOPTS and ended_alone(child):
        return
    import psutil

    until = time.monotonic() + PATIENCE
    while (left := below(child)) and time.monotonic() < until:
        for process in left:
            with suppress(psutil.Error):
                process.kill()
        reaped(child)
        time.sleep(0.005)


def ended_alone(child: int) -> bool:
    """Kill the worker, and return whether it left no process behind."""
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
        os.rmdir(folder)
    except FileNotFoundError:
        return
    except OSError:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
