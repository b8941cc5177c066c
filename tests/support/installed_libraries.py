"""The libraries that the tests ask, which rankproof's extras bring, and those that are asked in environments alone."""

from rankproof.workers.known_libraries import Library, libraries


def of_this_interpreter() -> list[Library]:
    """Those that are asked by this interpreter."""
    return [library for library in libraries() if not library.sheet.only_in_environments and not library.sheet.command]


def in_environments() -> list[Library]:
    """Those that are asked in environments of their own, and of which the tests hold what was published."""
    return [library for library in libraries() if library.sheet.only_in_environments]


def of_other_languages() -> list[Library]:
    """Those whose adapter is a program in another language, which need not be here."""
    return [library for library in libraries() if library.sheet.command]
