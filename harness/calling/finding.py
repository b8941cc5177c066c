"""Finding a function by its name, and the name of a function."""

import ast
import importlib.util
import sys
from importlib import import_module
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from rankproof.calling.calls import told
from rankproof.calling.targets import BadFunction

NAMED = (type, FunctionType, BuiltinFunctionType, MethodType)
"""What has a name of its own; an object goes by the name of its class."""
SHOWN = 5
"""How many names are told of what could be meant."""


def find(where: str) -> Any:  # noqa: ANN401 - whatever stands there
    """The object at MODULE:FUNCTION, or at FILE.py:FUNCTION.

    Raises:
        BadFunction: the module cannot be imported, or has no such name.
    """
    module, _, name = where.rpartition(":")
    if not module or not name:
        raise BadFunction(f"{where} names no function: write MODULE:FUNCTION, as {_an_example(where)}")
    try:
        found: Any = _of_file(Path(module)) if is_file(module) else import_module(module)
    except (BadFunction, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a module raises, it cannot be imported
        mend = _as_of_package(Path(module), name) if is_file(module) else ""
        raise BadFunction(
            f"{where}: {module} cannot be imported ({told(error)}); {mend or 'run this where it can be'}"
        ) from None
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise BadFunction(f"{where}: {module} has no {name}; {_defined(found)}") from None
        except BaseException as error:  # noqa: BLE001 - a module may make its names when they are asked for
            raise BadFunction(f"{where}: {module} does not give {name} ({told(error)})") from None
    return found


def _as_of_package(path: Path, name: str) -> str:
    """What to type instead for a file of a package, which its own imports know by its name alone; "" for any other file."""
    parts, folder = [path.stem], path.resolve().parent
    while (folder / "__init__.py").is_file():
        parts, folder = [folder.name, *parts], folder.parent
    return f"it belongs to a package: in {folder}, name it as {'.'.join(parts)}:{name}" if len(parts) > 1 else ""


def _an_example(where: str) -> str:
    """What could be written instead: the functions of a file that was named alone, which is read and not run."""
    path = Path(where.rstrip(":"))
    defined = [node.name for node in written_in(str(path)) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    public = [name for name in defined if not name.startswith("_")]
    return ", ".join(f"{path}:{name}" for name in public[:SHOWN]) or "mylib.metrics:ndcg"


def written_in(path: str) -> list[ast.stmt]:
    """What stands in a file, or in that of a module that lies here, at its top; nothing where there is none, or it does not read."""
    try:
        file = Path(path if is_file(path) else f"{path.replace('.', '/')}.py")
        return ast.parse(file.read_bytes()).body if file.is_file() else []
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return []


def _defined(module: object) -> str:
    """The functions and classes that a module defines itself, as far as they help."""
    if not isinstance(module, ModuleType):
        return "name something that it defines"
    things = ((name, thing) for name, thing in vars(module).items() if isinstance(thing, FunctionType | type))
    own = [name for name, thing in things if thing.__module__ == module.__name__ and not name.startswith("_")]
    return f"it defines {', '.join(own[:SHOWN])}" if own else "name something that it defines"


def is_file(module: str) -> bool:
    """Whether a function is named by the file that it stands in."""
    return module.endswith(".py") or ("." in module and Path(module).is_file())


def _of_file(path: Path) -> ModuleType:
    """The module in a file, which may import what lies beside it."""
    if not path.is_file():
        raise BadFunction(f"{path} is no file here; name one that is, or a module as Python imports it")
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path.resolve())
    if spec is None or spec.loader is None:
        raise BadFunction(f"{path} is no file of Python: name one that ends in .py")
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def can_be_imported(where: str) -> bool:
    """Whether a name leads to a function from any process: it is none within another one, nor of a program that runs."""
    module, _, name = where.rpartition(":")
    return bool(module) and module != "__main__" and all(part.isidentifier() for part in name.split("."))


def name_of(function: Any) -> str:  # noqa: ANN401 - anything that can be called
    """Where a function comes from, as MODULE:FUNCTION."""
    named = function if isinstance(function, NAMED) else type(function)
    return f"{getattr(named, '__module__', '') or ''}:{named.__qualname__}"
