"""Releases of libraries: their environments, and what changed between two of them."""
