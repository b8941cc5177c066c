"""One file per library, and its sheet."""
