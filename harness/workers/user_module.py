"""Import of the user's module by name or file, and descriptions of its functions.

The module is only imported in the process of the function, never in that of rankproof.
"""

import difflib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

Namespace = Mapping[str, Any]


class NotFound(LookupError):
    """Error for a module or name that does not exist, or a module that cannot be imported."""


def namespace_of(target: str) -> Namespace:
    """Import a module and return its names. If the target is a class or object in it, add its attributes."""
    place, _, name = target.partition(":") if not target.endswith(".py") else (target, "", "")
    try:
        module = _module_of_file(Path(place)) if is_file(place) else importlib.import_module(place)
    except NotFound:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a module raises, it cannot be imported
        raise NotFound(f"{place} cannot be imported: {type(error).__name__}: {error}") from None
    return {**vars(module), **(_attributes_of(module, place, name) if name else {})}


def _attributes_of(module: ModuleType, place: str, name: str) -> dict[str, Any]:
    holder: Any = module
    for part in name.split("."):
        if not hasattr(holder, part):
            near = difflib.get_close_matches(part, dir(holder), n=1)
            raise NotFound(f"{place} does not define {name}.{f' Did you mean {near[0]}?' if near else ''}")
        holder = getattr(holder, part)
    return {own: getattr(holder, own) for own in dir(holder) if not own.startswith("__")} | {name: holder}


def is_file(place: str) -> bool:
    """Return whether a target is a file and not a module."""
    return place.endswith(".py") or "/" in place


def _module_of_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise NotFound(f"{path} does not exist.")
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path.resolve())
    if spec is None or spec.loader is None:
        raise NotFound(f"{path} is not a Python file.")
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def functions_in(names: Namespace, target: str) -> Iterator[dict[str, Any]]:
    """Describe the functions and classes of a namespace, and the public methods of its classes."""
    for name, member in names.items():
        if name.startswith("__") or not isinstance(member, FunctionType | type):
            continue
        is_class = isinstance(member, type)
        is_own = ":" in target or member.__module__ == names.get("__name__", "")
        yield {"name": name, "own": is_own, "class": is_class, "parameters": parameters_of(member)}
        for method, function in vars(member).items() if is_class and is_own else ():
            if not method.startswith("_") and isinstance(function, FunctionType):
                parameters = parameters_of(function)[1:]
                yield {"name": f"{name}.{method}", "own": is_own, "class": False, "parameters": parameters}


def parameters_of(function: Any) -> list[dict[str, Any]]:
    """Describe the parameters of a callable: name, whether it is required, numeric default, and annotation as text."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except BaseException:  # noqa: BLE001 - a user's object may raise anything when it is inspected
        return []
    return [_description(parameter) for parameter in parameters]


def _description(parameter: inspect.Parameter) -> dict[str, Any]:
    is_variadic = parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}
    annotation = parameter.annotation
    return {
        "name": parameter.name,
        "required": parameter.default is parameter.empty and not is_variadic,
        "keyword": parameter.kind is parameter.KEYWORD_ONLY,
        "default": parameter.default if type(parameter.default) in {int, float} else None,
        "annotation": "" if annotation is parameter.empty else inspect.formatannotation(annotation),
    }
