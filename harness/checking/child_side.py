"""The process of a function: it finds the function, says what it may be, and then answers the calls that it is sent.

It was forked from the process that checks, and shares nothing with it but a socket: a group of its own, no terminal, no input, nowhere to
print, no handlers of signals of the other's, and a limit of memory. It ends with whoever started it.
"""

import contextlib
import faulthandler
import gc
import os
import pickle
import signal
import socket
import sys
import warnings
from pathlib import Path

from rankproof.asking.supervisor import PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG, ask_kernel
from rankproof.checking import child_replies
from rankproof.checking.call_candidates import Loaded, Source, load
from rankproof.checking.calls import observe, told
from rankproof.checking.targets import BadFunction
from rankproof.interruption import ENDING

STREAMS = ("stdin", "stdout", "stderr")


def serve(link: socket.socket, source: Source, memory: int, parent: int) -> None:
    """All that the process does; it returns when there is nobody left who asks."""
    own = _apart(memory, parent)
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
        for data, k in calls:
            answer = observe(loaded.function, loaded.candidates.way(which), data, k)
            _end_a_copy(own)
            n += 1
            link.sendall(child_replies.written(n, child_replies.of_answer(answer)))


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
    gc.freeze()  # what the other process has is the other's to clean up
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
