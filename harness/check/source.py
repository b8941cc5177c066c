"""Source of a function, and its workers: a new interpreter for a file or module, a fork for a callable."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from rankproof.check.call import BadCall, Call, nearest_name
from rankproof.check.function_adapter import FunctionAdapter
from rankproof.check.ingredients import INGREDIENTS
from rankproof.workers.function_worker import Limits, forked_worker, interpreter_worker
from rankproof.workers.library_worker import Worker
from rankproof.workers.process import WorkerFailed

PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); "
    "from rankproof.check.function_adapter import serve; serve()"
)
QUERIES = "queries"


@dataclass(frozen=True, eq=False)
class Source:
    """A function under test.

    Attributes:
        target: a file or module, with `:Name` of a class or object if the call is evaluated in its namespace.
        function: a callable that takes query objects, instead of a target.
        over: the argument of the callable: `query` or `queries`.
    """

    target: str = ""
    function: Callable[[Any], Any] | None = None
    over: str = "query"
    limits: Limits = field(default_factory=Limits)
    _workers: dict[str, Worker] = field(default_factory=dict, init=False, repr=False)

    def worker(self, seed: str = "0") -> Worker:
        """Return the worker with a hash seed, which changes the order of sets. It lives until `close`."""
        if seed not in self._workers:
            self._workers[seed] = self._new_worker(seed)
        return self._workers[seed]

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers.values():
            worker.end()
        self._workers.clear()

    def _new_worker(self, seed: str) -> Worker:
        if self.function is None:
            path = json.dumps([str(Path.cwd()), *sys.path])
            return interpreter_worker(["-c", PROGRAM, path, self.target], self.limits, {"PYTHONHASHSEED": seed})
        return forked_worker(FunctionAdapter(self.target, self.function, self.over), self.limits)

    @cached_property
    def about(self) -> Mapping[str, Any]:
        """The names and functions of the module.

        Raises:
            BadCall: the module cannot be imported.
        """
        try:
            reply = self.worker().hello()
        except WorkerFailed as failure:
            raise BadCall(f"{self.target or 'The function'} cannot be loaded: {failure}") from None
        if "not_installed" in reply:
            raise BadCall(str(reply["not_installed"]))
        return dict(reply.get("about", {}))

    @property
    def functions(self) -> Sequence[Mapping[str, Any]]:
        """The functions that the module defines or imports."""
        return list(self.about.get("functions", ()))

    def described(self, name: str) -> Mapping[str, Any] | None:
        """Return the description of a function, or of a method without the name of its class; or None."""
        known = {function["name"]: function for function in self.functions}
        by_method = {full.rpartition(".")[2]: function for full, function in known.items() if "." in full}
        return known.get(name) or by_method.get(name.rpartition(".")[2])

    def refuse_unknown_names(self, call: Call) -> None:
        """Raise an error if the call has an unknown name.

        Raises:
            BadCall: a name is neither an ingredient nor defined; the message suggests a similar name.
        """
        if self.function is not None:
            return
        defined = {*self.about.get("names", ())}
        for name in call.free_names:
            if name in defined or (name in INGREDIENTS and name not in call.called_names):
                continue
            meant = nearest_name(name, [*defined, *([] if name in call.called_names else INGREDIENTS)])
            kind = (
                f"{self.target} does not define {name}"
                if name in call.called_names
                else f"{name} is neither an ingredient nor defined in {self.target}"
            )
            raise BadCall(f"{kind}.{meant}\nrankproof check --help lists the ingredients.")
