"""The worker: a process that runs one library.

    python -I worker.py ADAPTER.py

It reads one JSON object a line from stdin and writes one a line to stdout, until `bye` or the end of the input:

    {"op": "hello", "protocol"}                       ->  {"protocol", "library", "version", "variants", "measures", "seconds", …}
                                                      or  {"protocol", "library", "not_installed": "why", "variants", "measures"}
    {"op": "identify"}                                ->  {"library", "versions", "python", "variants", "measures"}, without importing
                                                          the library
    {"op": "observe", "variant", "input", "measures"} ->  {"answers": {measure: answer}, "seconds"}
    {"op": "calls"}                                   ->  {"packages", "calls"}: the input of a script that runs the library alone
    {"op": "bye"}, and any unknown request            ->  {}

An answer is `{"per_query": {query: value} or null, "mean": value or null}`, `{"unsupported": why}` or
`{"error": {"type", "message"}}`, with `"kind": "crash"` in the error if it would have ended the program, as SystemExit does.
`schemas/` describes each message. Every reply carries the `seq` of its request. The caller enforces time limits, restarts a worker that
died, and runs each test twice. Adapters do none of this.

This file and the adapters run under Python 3.8 and later. They import nothing of rankproof, because the interpreter of the library may
have no other packages. An adapter is a module with

    LIBRARY       the name of its sheet
    PACKAGES      the distributions whose versions matter, that of the library first
    VARIANTS      {name: description}: the different ways in which people call the library
    MEASURES      {notation: call}: the supported measures; `{k}` is any cutoff, as in "P(rel={rel})@{k}", and "*" is any measure, if
                  the library itself can tell what it supports; or a function from a variant to such a dict
    UNTOLD        {variant: axes, separated by blanks}: axes that the adapter decides by its translation of the input, so that values
                  prove nothing about the library; optional
    identity()    returns a dict of anything besides versions that can change values, such as the path of a program; optional
    load()        imports the library; raises ImportError if it cannot, LookupError if an executable is missing; may return a dict of
                  "version", "absent" {variant: why it cannot be run}, "about" (a JSON object with anything else), and notes {name:
                  how the library is called}, which are shown with its values
    report()      returns a JSON object about the calls so far, which accompanies each reply to `observe`; optional
    observe(variant, data, call, values)
                  computes one measure: `data` is the input, `call` the entry of MEASURES, `values` the numbers in place of the
                  placeholders (with "measure", the whole notation); returns (per_query or None, mean or None)

Everything that the library prints goes to stderr. Python code of the library that reaches for another machine gets an OSError, unless
RANKPROOF_NETWORK is set.
"""

import copy
import errno
import functools
import json
import math
import os
import re
import sys
import time
import types
import warnings
from typing import Any, Callable, Dict, Iterable, Optional, TextIO, Tuple, Type

NUMBER = r"\d+(?:\.\d+)?"
PROTOCOL = 1
Through = Tuple[Type[BaseException], ...]


def connect() -> TextIO:
    """Return the real stdout, which replies alone use; from now on file descriptor 1 is stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return answers


def refuse_network() -> None:
    """Stop Python code from reaching other machines; calls from C are not noticed."""
    if os.environ.get("RANKPROOF_NETWORK") or not hasattr(sys, "addaudithook"):  # Python 3.7 has no hooks
        return

    def refuse(event: str, given: Tuple[Any, ...]) -> None:
        if event in REACHING and not is_here(host_of(given)):
            message = "rankproof refuses the network, and {} was asked for".format(host_of(given))
            raise OSError(errno.ENETUNREACH, message)

    sys.addaudithook(refuse)


REACHING = {
    "socket.connect",
    "socket.sendto",
    "socket.sendmsg",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.gethostbyaddr",
}


def host_of(given: Tuple[Any, ...]) -> Any:
    """Return the host of a connection or of a lookup, or None if a network has no such host."""
    import socket  # slow, and workers of functions do without

    if not isinstance(given[0], socket.SocketType):
        return given[0]
    return given[1][0] if isinstance(given[1], tuple) else None


def is_here(host: Any) -> bool:
    """Return whether a host is this machine."""
    import socket  # as above

    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    return (
        not name or name in {"localhost", "::1", socket.gethostname()} or bool(re.fullmatch(r"127(\.\d+){1,3}", name))
    )


def load_adapter(path: str) -> Any:
    """Import an adapter by its path, under a separate name: `ranx_adapter.py` must not shadow `ranx`."""
    with open(path, "rb") as file:  # noqa: PTH123 - it runs where pathlib need not be imported
        source = file.read()
    adapter = types.ModuleType("rankproof_adapter")
    adapter.__file__ = path
    # The import system would use the compiled file of the previous text if an adapter changed twice within a second.
    exec(compile(source, path, "exec", dont_inherit=True), vars(adapter))  # noqa: S102 - importing does the same
    return adapter


def hello(adapter: Any) -> Dict[str, Any]:
    """Load the library and describe it."""
    started = time.perf_counter()
    said = {
        "protocol": PROTOCOL,
        "library": adapter.LIBRARY,
        "variants": adapter.VARIANTS,
        "measures": measures_of(adapter),
    }
    try:
        found = adapter.load() or {}
    except (ImportError, LookupError) as error:
        return dict(said, not_installed="{}".format(error))
    versions = {name: version_of(name) for name in adapter.PACKAGES}
    about = {"about": found.pop("about")} if "about" in found else {}
    return dict(
        said,
        **about,
        version=found.pop("version", None) or (versions[adapter.PACKAGES[0]] if adapter.PACKAGES else "unknown"),
        variants={name: what for name, what in adapter.VARIANTS.items() if name not in found.get("absent", {})},
        absent=found.pop("absent", {}),
        dependencies={name: version for name, version in versions.items() if version},
        python=sys.version.split()[0],
        notes=found,
        untold=dict(getattr(adapter, "UNTOLD", {})),
        seconds=time.perf_counter() - started,
    )


def identify(adapter: Any) -> Dict[str, Any]:
    """Return everything besides the adapter's text that values depend on, without importing the library."""
    return {
        "library": adapter.LIBRARY,
        "versions": dict({name: version_of(name) for name in adapter.PACKAGES}, **getattr(adapter, "identity", dict)()),
        "python": "{} {}".format(sys.executable, sys.version.split()[0]),
        "variants": adapter.VARIANTS,
        "measures": measures_of(adapter),
    }


def supported_by(adapter: Any, variant: str) -> Dict[str, Any]:
    """Return the calls by notation."""
    return adapter.MEASURES(variant) if callable(adapter.MEASURES) else adapter.MEASURES  # type: ignore[no-any-return]


def measures_of(adapter: Any) -> Dict[str, Any]:
    """Return the supported notations by variant."""
    return {variant: list(supported_by(adapter, variant)) for variant in adapter.VARIANTS}


def calls(adapter: Any) -> Dict[str, Any]:
    """Return the input of a standalone script: packages, and by variant the notations with their calls as a Python literal."""
    return {
        "packages": list(adapter.PACKAGES),
        "calls": {name: repr(supported_by(adapter, name)) for name in adapter.VARIANTS},
    }


def version_of(distribution: str) -> Optional[str]:
    """Return the installed version of a distribution, or None."""
    try:
        from importlib import metadata
    except ImportError:  # Python 3.7 and older
        return version_in_folders(distribution)
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def version_in_folders(distribution: str) -> Optional[str]:
    """Return the same by the names of the folders that describe packages."""
    name = re.sub(r"[-_.]+", "[-_.]+", re.sub(r"[^A-Za-z0-9]+", "-", distribution))
    described = re.compile(name + r"-([^-]+)\.(?:dist|egg)-info", re.IGNORECASE)
    for folder in sys.path:
        for entry in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():  # noqa: PTH112, PTH208 - as above
            found = described.fullmatch(entry)
            if found:
                return found.group(1)
    return None


def observe(adapter: Any, request: Dict[str, Any], through: Through = ()) -> Dict[str, Any]:
    """Compute every measure with the library, each on a separate copy of the input."""
    started = time.perf_counter()
    answers = {measure: answer(adapter, request, measure, through) for measure in request["measures"]}
    said = {"answers": answers, "seconds": time.perf_counter() - started}
    return dict(said, report=adapter.report()) if hasattr(adapter, "report") else said


def answer(adapter: Any, request: Dict[str, Any], measure: str, through: Through = ()) -> Dict[str, Any]:
    """Compute one measure; return an exception of the library as an answer, unless its class is in `through`."""
    variant = request["variant"]
    found = match(supported_by(adapter, variant), measure)
    if found is None:
        return {"unsupported": "{} has no {}".format(adapter.LIBRARY, measure)}
    call, values = found
    data = decoded(request["input"])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            per_query, mean = adapter.observe(variant, data, call, dict(values, measure=measure))
        return {"per_query": numbers(per_query), "mean": number(mean)}
    except through:
        raise
    except BaseException as error:  # noqa: BLE001 - recording whatever a library raises is the purpose
        return failure(error)


def failure(error: BaseException) -> Dict[str, Any]:
    """Describe an exception as an answer, even if its own methods fail."""
    kind = {} if isinstance(error, Exception) else {"kind": "crash"}
    try:
        name = "{}".format(type(error).__name__)
        if name == "Unsupported":
            return {"unsupported": "{}".format(error)}
    except BaseException:  # noqa: BLE001 - a metaclass of the library may compute the name, and an exception its text
        name = "an error"
    try:
        message = first_line(error)
    except BaseException:  # noqa: BLE001 - as above
        message = "its text cannot be shown"
    return {"error": dict(kind, type=name, message=message)}


def decoded(given: Dict[str, Any]) -> Dict[str, Any]:
    """Return a copy of the input, because libraries change it; NaN and infinities are text in JSON."""
    data = copy.deepcopy(given)
    for row in data.get("run", []):
        row[2] = float(row[2]) if isinstance(row[2], str) else row[2]
    return data


def first_line(error: BaseException) -> str:
    """Return the first line of a message."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else "")[:300]


def match(supported: Dict[str, Any], measure: str) -> Optional[Tuple[Any, Dict[str, Any]]]:
    """Return the call for a measure and the numbers in its placeholders, or None if there is no call."""
    for notation, call in supported.items():
        if notation == "*":  # the library itself tells what it supports
            return call, {}
        found = pattern_of(notation).fullmatch(measure)
        if found:
            return call, {name: as_number(text) for name, text in found.groupdict().items()}
    return None


@functools.lru_cache(maxsize=None)
def pattern_of(notation: str) -> Any:
    """Return the pattern of a notation; it is cached, because each measure is compared with all notations."""
    return re.compile(
        re.sub(r"\\\{(\w+)\\\}", lambda name: "(?P<{}>{})".format(name.group(1), NUMBER), re.escape(notation))
    )


def as_number(text: str) -> Any:
    """Return the number in a placeholder."""
    return float(text) if "." in text else int(text)


def numbers(per_query: Any) -> Optional[Dict[str, Any]]:
    """Return the values by query for JSON."""
    return None if per_query is None else {str(query): number(value) for query, value in per_query.items()}


def number(value: Any) -> Any:
    """Return a value for JSON, with NaN and infinities as text. Raise an exception if it is not a number."""
    if value is None:
        return None
    value = float(value)
    return value if math.isfinite(value) else str(value)


def reply_to(adapter: Any, request: Dict[str, Any], through: Through = ()) -> Dict[str, Any]:
    """Carry out a request."""
    if request["op"] == "observe":
        reply = observe(adapter, request, through)
    elif request["op"] in REQUESTS:
        reply = REQUESTS[request["op"]](adapter)
    else:
        reply = {}
    return dict(reply, seq=request["seq"])


REQUESTS = {"hello": hello, "identify": identify, "calls": calls}


def serve(adapter: Any, requests: Iterable[str], write: Callable[[str], Any]) -> None:
    """Answer lines with requests until `bye` or their end; `adapter` is a module or any object with the same attributes."""
    for line in requests:
        request = json.loads(line)
        write(json.dumps(reply_to(adapter, request)) + "\n")
        if request["op"] == "bye":
            return


def main() -> None:
    """Run the library of the adapter on the command line."""
    answers = connect()

    def write(line: str) -> None:
        answers.write(line)
        answers.flush()

    refuse_network()
    serve(load_adapter(sys.argv[1]), sys.stdin, write)


if __name__ == "__main__":
    main()
