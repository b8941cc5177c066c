"""Libraries that run in this interpreter, in their own environments, or as programs in other languages."""

from rankproof.workers.known_libraries import Library, libraries


def of_this_interpreter() -> list[Library]:
    """Return the libraries that run in this interpreter, which rankproof's extras install."""
    return [library for library in libraries() if not library.sheet.only_in_environments and not library.sheet.command]


def in_environments() -> list[Library]:
    """Return the libraries that run only in their own environments; the tests use their published values."""
    return [library for library in libraries() if library.sheet.only_in_environments]


def of_other_languages() -> list[Library]:
    """Return the libraries whose adapter is a program in another language, which may be missing."""
    return [library for library in libraries() if library.sheet.command]
