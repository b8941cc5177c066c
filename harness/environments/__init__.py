"""Environments: interpreters with one version of a library each, built from what sheets name, and kept in the user's cache.

sheet ──► plans ──► lock (uv, with digests) ──► folder with an interpreter ──► its worker said hello ──► done
"""
