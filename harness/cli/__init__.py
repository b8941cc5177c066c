"""Command line: the group of commands is in `program`, and each command in a module."""
