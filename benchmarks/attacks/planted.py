"""Planted faults: how many of them does the table notice? Each is a change of a line or two in a copy of the package.

A fault counts as noticed if the attack that it is a fault against is not all zero on that copy; no other attack is asked, so the share is
the least that the whole table notices. The copy without a fault is what the table itself is made on; and each attack is
made on a copy with a change that is no fault, too, of which it must notice nothing.
"""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ground import Ground, run_clean


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that somebody might make.

    Attributes:
        name: what it is.
        against: the attack that is to notice it.
        path: the module, in the package.
        old: what stands there.
        new: what is to stand there.
        also: other such changes, without which another line would see to it: the module, what stands there, and what is to.
    """

    name: str
    against: str
    path: str
    old: str
    new: str
    also: tuple[tuple[str, str, str], ...] = ()


STORE, FILES, CLI = "workers/store.py", "files.py", "cli/program.py"
INPUTS, FORMATS = "evaluate/inputs", "report/evaluation_formats.py"
ALONE = "                if not alone and (_believed(failures) or not failure.from_outside):\n"
BELIEVED = f"                if failure.from_outside:\n                    return dict.fromkeys(measures, _seen_again(failures))\n{ALONE}"
ASKED = "        if cmd_name not in VERBS:\n"


def dead(verb: str) -> Fault:
    """A verb that ends by an error of rankproof's own, whatever it is asked."""
    raised = f'        if cmd_name == "{verb}":\n            raise KeyError(cmd_name)\n'
    return Fault(f"`{verb}` is dead", f"files-{verb}", CLI, ASKED, f"{raised}{ASKED}")


PLANTED = (
    *(dead(verb) for verb in ("evaluate", "explain", "report", "diff", "cases", "run", "check")),
    Fault(
        "a fault ends as bad input does",
        "files-evaluate",
        "evaluate/inputs/rows.py",
        "class BadInput(Unusable)",
        "class BadInput(KeyError)",
    ),
    Fault(
        "a refusal names no file",
        "files-evaluate",
        "evaluate/inputs/rows.py",
        'return f"{self.where}: {self.what}"',
        "return self.what",
    ),
    Fault(
        "the store has no checksum", "store-flipped", FILES, "if first != _checksum(body).encode():", "if not first:"
    ),
    Fault(
        "kept results have no checksum", "track-kept", FILES, "if first != _checksum(body).encode():", "if not first:"
    ),
    Fault(
        "an odd store ends the run",
        "store-spoilt",
        STORE,
        "except (OSError, ValueError, RecursionError) as error:",
        "except MemoryError as error:",
    ),
    Fault(
        "a file is written in its place",
        "files-limited",
        FILES,
        "beside = _beside(path.parent, path.name)\n    try:",
        "beside = path\n    try:",
    ),
    Fault(
        "results are moved one by one as they come",
        "at-write",
        FILES,
        "        yield beside\n",
        "        yield folder\n",
    ),
    Fault("parts of a write stay", "at-write", FILES, "        clear(beside)\n        clear(ready)\n", ""),
    Fault(
        "what a killed run was to move stays",
        "at-write",
        FILES,
        "            _move(ready, folder)\n        except",
        "            pass\n        except",
    ),
    Fault("a signal is not seen to", "parent-asked", "interruption.py", "signal.signal(number, _by_hand)", "pass"),
    Fault(
        "every answer is kept, a kill too",
        "worker-killed",
        STORE,
        "    both = list(_both(answer))\n",
        "    return True\n",
        (("workers/library_worker.py", ALONE, BELIEVED),),
    ),
    Fault("a kill is believed at once", "worker-killed", "workers/library_worker.py", ALONE, BELIEVED),
    Fault(
        "a store that is read-only ends the run",
        "store-read-only",
        STORE,
        "        except OSError as error:\n            say(",
        "        except MemoryError as error:\n            say(",
    ),
    Fault(
        "workers outlive their parent",
        "parent-killed",
        "workers/supervisor.py",
        "        if control in ready:",
        "        if control in ready and limit < 0:",
    ),
    Fault("what is packed is not bounded", "bounds", f"{INPUTS}/budget.py", "RATIO = 100", "RATIO = 10**9"),
    Fault("nesting is not bounded", "bounds", f"{INPUTS}/budget.py", "NESTING = 100", "NESTING = 10**9"),
    Fault(
        "ids are not bounded",
        "bounds",
        f"{INPUTS}/budget.py",
        "LONGEST_LINE = LONGEST_ID = 1_000_000",
        "LONGEST_LINE = LONGEST_ID = 10**9",
    ),
    Fault("columns are not bounded", "bounds", f"{INPUTS}/budget.py", "COLUMNS = 1_000", "COLUMNS = 10**9"),
    Fault(
        "a table without rows is read",
        "bounds",
        f"{INPUTS}/arrow_tables.py",
        "    if not count:\n",
        "    if count < 0:\n",
    ),
    Fault(
        "a key that stands there twice is read",
        "bounds",
        f"{INPUTS}/json_lines.py",
        ", object_pairs_hook=_distinct",
        "",
    ),
    Fault(
        "control characters are shown",
        "spoken",
        "text.py",
        "    if (whole := str(text)).isprintable():\n",
        "    if (whole := str(text)):\n",
    ),
    Fault("the site escapes nothing", "site", "site/templating.py", "autoescape=True", "autoescape=False"),
    Fault(
        "nobody says that no rel reaches the threshold",
        "none-relevant",
        "evaluate/cautions.py",
        "Caution(NONE_RELEVANT, text",
        'Caution("another", text',
    ),
    Fault(
        "a scheduler is not greeted",
        "track-silent",
        "evaluate/tracks/dask_cluster.py",
        "raise NoCluster(_no_answer(address, found)) from found",
        "raise found",
    ),
    Fault(
        "a lost process is lost for good",
        "track-jobs",
        "evaluate/tracks/local_processes.py",
        "        except BrokenProcessPool:\n",
        "        except BrokenProcessPool:\n            raise\n",
    ),
    Fault(
        "a function is asked without a limit of time",
        "functions",
        "cli/check.py",
        "question=timeout",
        "question=1e6",
    ),
    Fault("a cell is a formula", "cells", FORMATS, """f"'{text}" if _FORMULA""", "text if _FORMULA"),
    Fault("LaTeX is not escaped", "cells", FORMATS, "lambda found: _LATEX[found[0]]", "lambda found: found[0]"),
    Fault(
        "names are read as markup",
        "markup",
        "saying.py",
        "(Text(printable_lines(text)) for",
        "(Text.from_markup(printable_lines(text)) for",
    ),
    Fault(
        "`check` has no budget", "check-budget", "check/observe.py", "self._began > self.budget", "self._began > 1e9"
    ),
    Fault("what a function started is left", "check-killed", "workers/supervisor.py", "    end_all(child)\n", ""),
    Fault(
        "another trec_eval is run",
        "program",
        "workers/installed_program.py",
        "if found in {build",
        "if found or {build",
    ),
    Fault(
        "a result that cannot be kept ends the track",
        "track-unwritable",
        "evaluate/tracks/many_runs.py",
        "    except OSError as error:\n        why",
        "    except MemoryError as error:\n        why",
    ),
    Fault(
        "an odd id is a fault",
        "frames",
        f"{INPUTS}/rows.py",
        'raise BadInput(where, f"the {what} is {as_written(value)}, a',
        'raise KeyError(where, f"the {what} is {as_written(value)}, a',
    ),
    Fault(
        "an odd id is an id",
        "frames",
        f"{INPUTS}/rows.py",
        'raise BadInput(where, f"the {what} is {as_written(value)}, a {type(value).__name__}; ids are text or whole numbers")',
        "return str(value)",
    ),
    Fault(
        "gzip that ends early is read as far as it goes",
        "files-evaluate",
        f"{INPUTS}/bounded_files.py",
        'raise BadInput(at(path, line + 1), "the gzip data ends too early; copy the file again") from error',
        "return",
    ),
    Fault(
        "a result of another run is told again",
        "track-changed",
        "evaluate/tracks/kept_results.py",
        " and found.sha256 == sha256_of(run)",
        "",
    ),
    Fault(
        "two who write share a place",
        "two-at-once",
        FILES,
        'f".{name}.{os.getpid()}-{os.urandom(4).hex()}.part"',
        'f".{name}.part"',
    ),
    Fault(
        "a library is asked without a limit of time",
        "adapters",
        "cli/run.py",
        "AskingOptions(at_once, timeout,",
        "AskingOptions(at_once, 1e6,",
    ),
)


def harmless(attack: str) -> Fault:
    """A change that is no fault: an attack that notices it would notice anything."""
    return Fault("no fault", attack, "version.py", "VERSION = ", "# No fault.\nVERSION = ")


def planted(ground: Ground, fault: Fault, folder: Path) -> Ground:
    """The same ground with a fault in its package, and what a clean machine writes with that.

    Results have a digest of the code: held against those of the package without the fault, all of them would be other ones, whatever the
    attack does.

    Raises:
        RuntimeError: what the fault is to be planted in does not stand there, or more often than once.
    """
    shutil.copytree(ground.source, folder / "source")
    shutil.copytree(ground.adapters, folder / "adapters")
    for path, old, new in ((fault.path, fault.old, fault.new), *fault.also):
        module = folder / "source" / "rankproof" / path
        text = module.read_text(encoding="utf-8")
        if old not in text or old == new:
            raise RuntimeError(f"{fault.name}: {path} has no {old!r}")
        module.write_text(text.replace(old, new, 1), encoding="utf-8")
    own = Ground(folder)
    try:
        run_clean(own)
    except RuntimeError:  # the fault ends every run, which its attack has to notice
        for name in ("earlier", "same"):
            shutil.rmtree(folder / name, ignore_errors=True)
            shutil.copytree(ground.folder / name, folder / name)
        own = Ground(folder, ground.duration, ground.clean, ground.before)
    return own


def each(faults: Sequence[Fault], ground: Ground) -> Iterator[tuple[Fault, Ground]]:
    """Each fault, planted by itself."""
    for i, fault in enumerate(faults):
        yield fault, planted(ground, fault, ground.folder / "planted" / str(i))
