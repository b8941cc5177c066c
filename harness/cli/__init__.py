"""The command line: `program` has the group of commands, and each other module one command."""
