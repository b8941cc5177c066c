"""The process of a function: it finds the function, says what it may be, and then answers the calls that it is sent.

It was forked from the process that checks, and shares nothing with it but a socket: a group of its own, no terminal, no input, nowhere to
print, no handlers of signals of the other's, and a limit of memory. Between the two stands one that supervises it: that ends all that was
started, however the one that checks ends, and is the parent that the function sees.
"""

import contextlib
import faulthandler
import gc
import operator
import os
import pickle
import shutil
import signal
import socket
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import NoReturn

from rankproof.calling.call_candidates import Loaded, Source, load
from rankproof.calling.call_forms import FORMS
from rankproof.calling.calls import Repeating, observe, told
from rankproof.calling.targets import BadFunction
from rankproof.interruption import ENDING
from rankproof.isolating import child_replies
from rankproof.workers.supervisor import PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG, ask_kernel, end_all

SUPERVISORS = 2
STEP = 0.05
"""How many seconds may pass until the end of the parent is seen where the kernel does not tell of it."""
STREAMS = ("stdin", "stdout", "stderr")
MANY_OPEN = 256
"""Numbers below this are looked at for what is open under them: what is given as a rank or a rel is small."""


def serve_alone(descriptor: int, parent: int) -> None:
    """The same of a process that was started by itself: it is told first where it finds the function."""
    link = socket.socket(fileno=descriptor)
    with link.makefile("rb", buffering=0) as told_of:
        path, name, measure, form, given, order, memory, folder = pickle.load(told_of)  # noqa: S301 - as above
    sys.path[:] = path
    supervise(
        link, Source(name, measure, None if form is None else FORMS[form], None, given, order), memory, folder, parent
    )


def supervise(link: socket.socket, source: Source, memory: int, folder: str | None, parent: int) -> None:
    """Start the process of the function below this one, and end it with all that it started: when it ends, and when the parent does.

    So what the function does to its parent, it does to a process that is there for this. There are two: what loses its parent is given
    to the next above, and for a moment it may be asked which that is.
    """
    gc.freeze()  # what the process has that this was forked from is its own to clean up
    for _ in range(SUPERVISORS):
        above, parent = parent, os.getpid()
        os.setsid()
        for number in ENDING:
            signal.signal(number, lambda _number, _frame: _end_all(folder))
        ask_kernel(PR_SET_PDEATHSIG, signal.SIGTERM)
        ask_kernel(PR_SET_CHILD_SUBREAPER, 1)
        if below := os.fork():
            link.close()
            _watch(below, above, folder)
    _write_in(folder)
    serve(link, source, memory, parent)
    os._exit(0)


def _watch(below: int, parent: int, folder: str | None) -> NoReturn:
    """Wait for the end of a process, or of the parent, and end all that was started; then end as that process did."""
    status = None
    while status is None:
        if os.getppid() != parent:
            _end_all(folder)
        status = _ended(below)
    end_all(below)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        _end_by(-code)
    os._exit(max(code, 0))


def _ended(below: int) -> int | None:
    """How a process ended, once it did; who else ends is taken note of. Where the kernel tells of the parent's end, this waits for it."""
    pid, status = os.waitpid(-1, 0 if sys.platform == "linux" else os.WNOHANG)
    if not pid:
        time.sleep(STEP)
    return status if pid == below else None


def _end_by(number: int) -> None:
    """End this process by a signal, as what was watched did, without writing down its memory."""
    import resource  # noqa: PLC0415 - not everywhere there is one

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):  # of SIGKILL there is no handler
        signal.signal(number, signal.SIG_DFL)
    faulthandler.disable()
    os.kill(os.getpid(), number)


def _end_all(folder: str | None) -> NoReturn:
    """End all that was started, remove what was written, as nobody is there who does, and end this process."""
    end_all(os.getpid())
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _write_in(folder: str | None) -> None:
    """Have temporary files written there, which the process that checks removes, however this one ends."""
    if folder is not None:
        tempfile.tempdir = os.environ["TMPDIR"] = folder


def serve(link: socket.socket, source: Source, memory: int, parent: int) -> None:
    """All that the process does; it returns when there is nobody left who asks."""
    own = _apart(memory, parent)
    _open_no_number(own, frozenset(filter(_is_open, range(MANY_OPEN))))
    n = 0
    loaded = _loaded(source)
    _end_a_copy(own)
    said = loaded if isinstance(loaded, BadFunction) else loaded.candidates
    link.sendall(child_replies.written(n, child_replies.of_candidates(said)))
    if isinstance(loaded, BadFunction):
        return
    requests = link.makefile("rb")
    while True:
        try:
            which, calls = pickle.load(requests)  # noqa: S301 - it was written by the process that checks
        except (EOFError, ConnectionError):
            return
        repeating, way = Repeating(), loaded.candidates.way(which)
        for call in calls:
            answer = observe(loaded.function, repeating.target(way, call), *call)
            _end_a_copy(own)
            n += 1
            link.sendall(child_replies.written(n, child_replies.of_answer(answer)))


def _number(path: object) -> int | None:
    """The number that a path is; those of numpy and torch are no `int`."""
    try:
        return operator.index(path)  # type: ignore[arg-type] # whatever a function opens
    except TypeError:
        return None


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _open_no_number(own: int, descriptors: frozenset[int]) -> None:
    """Have it fail to open what is open already: a rank that is given to who takes a path would read, and close, what this stands on.

    What the process starts may close these and open others under their numbers.
    """

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and _number(arguments[0]) in descriptors and os.getpid() == own:
            raise OSError(f"{arguments[0]} is a number, and no path of a file")

    sys.addaudithook(refuse)


def _loaded(source: Source) -> Loaded | BadFunction:
    try:
        return load(source)
    except BadFunction as fault:
        return fault
    except BaseException as error:  # noqa: BLE001 - whatever comes of looking at it
        return BadFunction(f"{source.name or 'the function'} cannot be looked at ({told(error)})")


def _end_a_copy(own: int) -> None:
    """A function that forks comes back twice: only one of the two is to answer."""
    if os.getpid() != own:
        os._exit(0)


def _apart(memory: int, parent: int) -> int:
    """Share nothing with the process that this was forked from, and end with it; gives the process' id."""
    os.setsid()
    _end_with(parent)
    faulthandler.disable()
    sys.settrace(None)
    signal.set_wakeup_fd(-1)
    for number in (*ENDING, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor, name in enumerate(STREAMS):
        os.dup2(nowhere, descriptor)
        setattr(sys, name, os.fdopen(descriptor, "w" if descriptor else "r", encoding="utf-8", errors="replace"))
    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    if "torch" in sys.modules:  # its threads are not forked with it, and would be waited for without end
        sys.modules["torch"].set_num_threads(1)
    _limit(memory)
    return os.getpid()


def _end_with(parent: int) -> None:
    """Be killed when the parent ends, and stay above all that is started here, where the system can do that."""
    if sys.platform == "linux":
        ask_kernel(PR_SET_PDEATHSIG, signal.SIGKILL)
        ask_kernel(PR_SET_CHILD_SUBREAPER, 1)
        if os.getppid() != parent:
            os._exit(0)


def _limit(memory: int) -> None:
    """Let the process have no more memory than that on top of what it was forked with; what is only reserved counts little."""
    import resource  # noqa: PLC0415 - not everywhere there is one

    limits = {resource.RLIMIT_DATA: memory + _forked_with(), resource.RLIMIT_CORE: 0}
    for kind, limit in limits.items():
        with contextlib.suppress(ValueError, OSError):  # a lower limit may be set already
            resource.setrlimit(kind, (limit, limit))


def _forked_with() -> int:
    """The bytes of memory that the process has; 0 where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[5]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
